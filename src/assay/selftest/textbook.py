"""Worked examples of the lectures and of Demšar (2006), each with its own adapter."""

import math
from typing import Any

import numpy as np

from assay.estimates.differences import confidence_better, wald_difference
from assay.estimates.means import mean_summary
from assay.estimates.proportions import wald
from assay.hypotheses.friedman_posthoc import (
    critical_difference,
    friedman_posthoc,
    nemenyi_from_ranks,
)
from assay.hypotheses.independent_outcomes import two_proportions_z
from assay.hypotheses.many_models import friedman, iman_davenport
from assay.hypotheses.paired_scores import paired_permutation, paired_t, sign_test, wilcoxon
from assay.kernels.special import fdtri
from assay.kernels.tails import normal_reach, t_reach
from assay.measures.curves import roc_curve
from assay.measures.registry import find_measure
from assay.selftest.scoring import of_confusion
from assay.selftest.values import (
    Adapter,
    Computed,
    Input,
    Unoffered,
    by_model,
    facts,
    limits,
    of_pairs,
    p_values,
)


def _half_width(ends: list[float] | None) -> float:
    return math.nan if ends is None else (ends[1] - ends[0]) / 2


def _error_rate(given: Input) -> Computed:
    estimate = wald(given["k"], given["n"], level=given["confidence"])
    ends = limits(estimate)
    return {
        "error_rate": estimate.value,
        "estimate": estimate.value,
        "se": estimate.standard_error,
        "ci": ends,
        "half_width": _half_width(ends),
        **facts(estimate, "variance"),
    }


def _error_rates(given: Input) -> Computed:
    """The slides take error 2 minus error 1."""
    rates = (given["k2"], given["n2"], given["k1"], given["n1"])
    estimate = wald_difference(*rates, level=given["confidence"])
    error = estimate.standard_error or math.nan
    return {
        **facts(estimate, p1="p_b", p2="p_a"),
        "diff": estimate.value,
        "variance": error**2,
        "se": error,
        "ci": limits(estimate),
        "contains_zero": estimate.interval is not None and estimate.interval.contains(0.0),
    }


def _z_test(given: Input) -> Computed:
    errors = [round(given[p] * given[n]) for p, n in (("p1", "n1"), ("p2", "n2"))]
    rates = (errors[0], given["n1"], errors[1], given["n2"])
    confidence, test = confidence_better(*rates), two_proportions_z(*rates)
    reversed_test = two_proportions_z(errors[1], given["n2"], errors[0], given["n1"])
    known = dict(confidence.details)
    return {
        "z": known["z"],
        "p_one_sided": _rest(known["confidence_one_sided"]),
        "p_two_sided": _rest(known["confidence_two_sided"]),
        **facts(test, sigma="se_unpooled", p_two_sided_pooled="p_pooled"),
        "z_pooled": reversed_test.statistic,
    }


def _rest(confidence: Any) -> float:
    return 1.0 - float(confidence)


def _folds(given: Input) -> Computed:
    outcome = paired_t(given["a"], given["b"], level=given["confidence"])
    return {
        **facts(outcome, "df", mean_diff="mean", sd_diff="sd", se_of_mean="standard_error"),
        "t": outcome.statistic,
        "t_critical": t_reach(given["confidence"], len(given["a"]) - 1, "two-sided"),
        "p_value": outcome.p_value,
        "ci": limits(outcome.effect),
    }


def _summary(given: Input) -> Computed:
    estimate = mean_summary(given["mean"], given["sd"], given["n"], level=given["confidence"])
    return {
        "se": estimate.standard_error,
        "t_critical": t_reach(given["confidence"], given["n"] - 1, "two-sided"),
        "ci": limits(estimate),
        **facts(estimate, "df"),
    }


def _costs(given: Input) -> Computed:
    confusion = np.array(given["confusion"])
    rows = ";".join(",".join(map(str, row)) for row in given["cost"])
    cost = find_measure(f"total_cost[{rows}|+,-]").bind(("+", "-"))
    return {
        "total_cost": float(cost.function(confusion)),
        "accuracy": of_confusion("accuracy", confusion),
        "n": int(confusion.sum()),
    }


def _roc_table(given: Input) -> Computed:
    curve = roc_curve(given["labels"], given["scores"])
    known = dict(curve.details)
    columns = [curve.column(name) for name in ("threshold", "tp", "fp", "tpr", "fpr")]
    points = [
        {
            "threshold": threshold,
            "tp": tp,
            "fp": fp,
            "tn": known["n_negative"] - fp,
            "fn": known["n_positive"] - tp,
            "tpr": tpr,
            "fpr": fpr,
        }
        for threshold, tp, fp, tpr, fpr in zip(*columns, strict=True)
    ]
    return {"points_from_highest_threshold": points, "auc": known["auc"]}


def _trials(given: Input) -> Computed:
    a, b = np.array(given["a"]), np.array(given["b"])
    t = paired_t(a, b)
    return {
        "mean_a": float(a.mean()),
        "mean_b": float(b.mean()),
        "sd_a": float(a.std(ddof=1)),
        "sd_b": float(b.std(ddof=1)),
        "mean_diff": t.effect.value,
        **facts(t, "df", sd_diff="sd"),
        "t": t.statistic,
        "p_value": t.p_value,
        "ci95": limits(t.effect),
        "sign_test_p_two_sided": sign_test(a, b).p_value,
        "exact_permutation_p_two_sided": paired_permutation(a, b).p_value,
    }


def _diagram(given: Input) -> Computed:
    n, level = given["n_datasets"], 1 - given["alpha"]
    family = nemenyi_from_ranks(given["mean_ranks"], n, level=level)
    k = len(family.models)
    difference = critical_difference(k, n, level=level)
    return {
        "q_alpha": difference / math.sqrt(k * (k + 1) / (6 * n)),
        "cd": difference,
        "cd_bonferroni_dunn": critical_difference(k, n, level=level, kind="bonferroni-dunn"),
        "pairs": {
            f"{a}-{b}": {
                "rank_difference": outcome.effect.value,
                "significant": outcome.rejects(given["alpha"]),
            }
            for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True)
        },
    }


def _omnibus(blocks: Any, way: Any, names: list[str]) -> Computed:
    computed: Computed = {}
    for ties, name in (("corrected", "tie_corrected"), ("demsar", "uncorrected")):
        options: dict[str, Any] = {"direction": way, "ties": ties}
        chi2, f = friedman(blocks, **options), iman_davenport(blocks, **options)
        computed |= {f"chi2_{name}": chi2.statistic, f"p_chi2_{name}": chi2.p_value}
        computed |= {f"F_{name}": f.statistic, f"p_F_{name}": f.p_value}
        computed["mean_ranks"] = dict(zip(names, by_model(chi2, "mean rank"), strict=True))
    return computed


def _demsar_table_6(given: Input) -> Computed:
    names, ranks = given["classifiers"], np.array(given["printed_ranks"])
    n, k = ranks.shape
    scale = math.sqrt(k * (k + 1) / (6 * n))
    computed: Computed = {
        "from_printed_ranks": _omnibus(ranks, "lower", names),
        "from_rounded_auc": _omnibus(given["auc"], "higher", names),
        "critical_value_F_3_39_at_05": float(fdtri(k - 1, (k - 1) * (n - 1), 0.95)),
        "se": scale,
        "vs_control_C45": _against_c45(ranks),
    }
    for kind, level, name in (
        ("nemenyi", 0.95, "nemenyi_05"),
        ("nemenyi", 0.9, "nemenyi_10"),
        ("bonferroni-dunn", 0.95, "bonferroni_dunn_05"),
    ):
        found = critical_difference(k, n, level=level, kind=kind)  # type: ignore[arg-type]
        computed |= {f"cd_{name}": found, f"q_{name}": found / scale}
    return computed


def _against_c45(ranks: Any) -> Computed:
    order = [3, 1, 2]  # the paper lists the others by their p-value
    computed: Computed = {}
    for adjustment in ("holm", "hochberg", "hommel"):
        family = friedman_posthoc(
            ranks[:, [0, *order]],
            control=0,
            adjustment=adjustment,
            direction="lower",
        )
        computed[adjustment] = p_values(family)
        # control minus other, where ours is model minus control
        computed["z"] = [o.statistic and -o.statistic for o in family.outcomes]
        computed["p"] = of_pairs(family, "p_unadjusted")
    return computed


def _demsar_table_2(given: Input) -> Computed:
    """The paper takes C4.5+m minus C4.5, which is b minus a."""
    dropped = wilcoxon(given["b"], given["a"])
    pratt = wilcoxon(given["b"], given["a"], zeros="pratt")
    split = wilcoxon(given["b"], given["a"], zeros="split")
    return {
        **facts(split, "R_plus", "R_minus", T="T_min", z="z_demsar"),
        "drop_zeros": facts(dropped, "z", "asymptotic_p", "asymptotic_cc_p", "exact_p"),
        "pratt": facts(pratt, "z", "asymptotic_p", "exact_p"),
        **facts(dropped, W_plus_drop_zeros="W_plus", W_minus_drop_zeros="W_minus"),
    }


def _demsar_table_5(given: Input) -> Computed:
    computed: Computed = {}
    for kind in ("nemenyi", "bonferroni-dunn"):
        for level, suffix in ((0.95, "05"), (0.9, "10")):
            computed[f"{kind.replace('-', '_')}_{suffix}"] = [
                critical_difference(k, 1, level=level, kind=kind) / math.sqrt(k * (k + 1) / 6)
                for k in given["k"]
            ]
    return computed


def _z_table(given: Input) -> Computed:
    return {"z": [normal_reach(level, "two-sided") for level in given["confidence"]]}


def _t_table(given: Input) -> Computed:
    return {"t": [[t_reach(p, df, "greater") for p in given["p"]] for df in given["df"]]}


ADAPTERS: dict[str, Adapter] = {
    "textbook#a1": _error_rate,
    "textbook#a2": _error_rate,
    "textbook#b": _error_rates,
    "textbook#c": _error_rates,
    "textbook#d": _folds,
    "textbook#e": _error_rate,
    "textbook#f1": _z_test,
    "textbook#f2": _z_test,
    "textbook#g": _summary,
    "textbook#h": _summary,
    "textbook#i1": _costs,
    "textbook#i2": _costs,
    "textbook#j": _roc_table,
    "textbook#k1": _trials,
    "textbook#k2": _trials,
    "textbook#l": _diagram,
    "textbook#m": _demsar_table_6,
    "textbook#m2": _demsar_table_2,
    "textbook#m3": _demsar_table_5,
    "textbook#n1": _z_table,
    "textbook#n2": _t_table,
}

_ROUNDED = "assay does not round z to 1.96"
_WRONG = "a value that leaves out sqrt(k), kept to show where the printed one comes from"
_SPLIT = "ties share one point: assay does not split them by file order"

UNOFFERED: dict[str, Unoffered] = {
    "textbook": {
        "ci_with_z_1_96": _ROUNDED,
        "half_width_with_z_1_96": _ROUNDED,
        "wrong_ci_without_sqrt_k_t10": _WRONG,
        "wrong_ci_without_sqrt_k_t_one_sided_1_812": _WRONG,
        "auc_ties_positive_first": _SPLIT,
        "auc_ties_negative_first": _SPLIT,
        "vs_control_C45.others": "names in the order of the paper",
        "groups_not_different": "groups of the diagram are drawn, not returned",
    },
}
