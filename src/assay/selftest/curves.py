"""Reference cases of ranking: ROC curves, areas, DeLong."""

from assay.estimates.roc import delong
from assay.hypotheses.roc import delong_independent, delong_test
from assay.measures.curves import roc_curve
from assay.measures.registry import find_measure
from assay.selftest.values import Adapter, Computed, Input, Unoffered, answer, facts, limits


def _measured(name: str, truth: object, scores: object) -> float:
    return float(find_measure(name).function(truth, scores))


def _roc_auc(given: Input) -> Computed:
    return {"auc": _measured("roc_auc", given["y_true"], given["y_score"])}


def _roc_curve(given: Input) -> Computed:
    curve = roc_curve(given["y_true"], given["y_score"])
    return {
        "thresholds_desc": curve.column("threshold"),
        "tpr": curve.column("tpr"),
        "fpr": curve.column("fpr"),
        "auc": dict(curve.details)["auc"],
    }


def _average_precision(given: Input) -> Computed:
    rows = given["y_true"], given["y_score"]
    return {"average_precision": _measured("average_precision", *rows)}


def _partial_auc(given: Input) -> Computed:
    rows = given["y_true"], given["y_score"]
    names = ("partial_auc", "partial_auc_mcclish")
    return {name: _measured(f"{name}[{given['max_fpr']}]", *rows) for name in names}


def _multiclass_auc(given: Input) -> Computed:
    rows = given["y_true"], given["proba"]
    return {
        "ovr_macro": _measured("roc_auc_ovr", *rows),
        "ovr_weighted": _measured("roc_auc_ovr_weighted", *rows),
        "ovo_macro": _measured("roc_auc_ovo", *rows),
        "ovo_weighted": _measured("roc_auc_ovo_weighted", *rows),
        "pROC_hand_till": _measured("roc_auc_ovo", *rows),
    }


def _delong(given: Input) -> Computed:
    estimate = delong(given["y_true"], given["y_score"], level=given["confidence"])
    known = dict(estimate.details)
    return {
        **facts(estimate, "auc", "variance", "hanley_mcneil_variance"),
        "ci_unclipped": [known.get("wald_low"), known.get("wald_high")],
        "ci_clipped_pROC": [known["clipped_low"], known["clipped_high"]],
    }


def _delong_paired(given: Input) -> Computed:
    outcome = delong_test(
        given["y_true"], given["score_a"], given["score_b"], level=given["confidence"]
    )
    computed = facts(outcome, "auc_a", "auc_b", "var_a", "var_b", "cov", "var_diff")
    difference = outcome.effect.value
    # without variance the file has a point where assay gives what the rarer class cannot rule out,
    # and two conventions of p: assay's is pROC's
    point = [difference, difference]
    if not computed["var_diff"]:
        return {**computed, "z": None, "p_value": None, "diff_ci95": point} | {
            "pROC_p_value": outcome.p_value
        }
    uncut = facts(outcome.effect, "wald_low", "wald_high").values()  # pROC's, where beyond 1
    return {**computed, **answer(outcome, "z"), "diff_ci95": [*uncut] or limits(outcome.effect)}


def _delong_unpaired(given: Input) -> Computed:
    outcome = delong_independent(
        given["y_true_a"], given["score_a"], given["y_true_b"], given["score_b"]
    )
    names = ("auc_a", "auc_b", "var_a", "var_b", "df", "p_normal")
    return {**facts(outcome, *names), **answer(outcome, "D")}


ADAPTERS: dict[str, Adapter] = {
    "roc__roc_auc": _roc_auc,
    "roc__roc_curve": _roc_curve,
    "roc__average_precision": _average_precision,
    "roc__partial_auc": _partial_auc,
    "roc__multiclass_auc": _multiclass_auc,
    "roc__auc_delong_ci": _delong,
    "roc__delong_paired": _delong_paired,
    "roc__delong_unpaired": _delong_unpaired,
}

_PR_AREA = "assay has one area under precision and recall, the step sum: others are optimistic"
_IDENTICAL = "pROC's z of identical curves; without a variance assay has none"

UNOFFERED: dict[str, Unoffered] = {
    "roc__average_precision": {
        "trapezoid_with_start_1": _PR_AREA,
        "prroc_auc_integral": _PR_AREA,
    },
    "roc__delong_paired": {"pROC_z": _IDENTICAL},
}
