"""Reference cases of measures: labels, costs, probabilities, values."""

import math
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.estimates.agreement import WEIGHTS, cohens_kappa
from assay.evidence.reading import read
from assay.measures.costs import mean_cost, total_cost, weighted_accuracy
from assay.measures.registry import Measure, find_measure
from assay.selftest.values import Adapter, Computed, Input

_TWO_CLASSES = (
    "accuracy", "error_rate", "precision", "recall", "specificity", "npv", "fpr", "fnr", "fdr",
    "false_omission_rate", "f1", "f2", "f05", "jaccard", "mcc", "youden_j", "g_mean", "kappa",
    "lr_plus", "lr_minus", "diagnostic_odds_ratio",
)  # fmt: skip
_CALIBRATION = {
    "ece_equal_width_right_closed": "ece",
    "mce_equal_width_right_closed": "mce",
    "ece_equal_width_left_closed": "ece_left",
    "mce_equal_width_left_closed": "mce_left",
    "ece_top_label_right_closed": "ece_top",
    "ece_equal_mass_array_split": "ece_mass",
}
_VALUES = {
    **{name: name for name in ("mae", "mse", "rmse", "median_ae", "max_error", "r2", "mape")},
    "explained_variance": "explained_variance",
    "mean_error_true_minus_pred": "mean_error",
    "smape_0_2": "smape",
}


def number(value: Any) -> float | None:
    """A measure's value; undefined is None."""
    found = float(value)
    return None if math.isnan(found) else found


def of_confusion(name: str, confusion: Any) -> float | None:
    """A label measure of one matrix whose classes are 0, 1 and so on."""
    classes = tuple(str(place) for place in range(len(confusion)))
    positive = classes[-1] if len(classes) == 2 else None
    return number(find_measure(name).bind(classes, positive).function(confusion))


def of_rows(measure: Measure | str, truth: Any, prediction: Any) -> float | None:
    """A measure of rows: of probabilities or of values."""
    found, rows = find_measure(measure), (np.asarray(truth), np.asarray(prediction))
    if found.features is None:
        return number(found.function(*rows))
    return number(found.function(found.features(*rows).mean(0)))


def _binary_counts(given: Input) -> Computed:
    confusion = [[given["tn"], given["fp"]], [given["fn"], given["tp"]]]
    computed: Computed = {name: of_confusion(name, confusion) for name in _TWO_CLASSES}
    # the file calls balanced accuracy undefined where a class is absent
    computed["balanced_accuracy"] = of_confusion("balanced_accuracy[nan]", confusion)
    return computed


def _classification(given: Input) -> Computed:
    """The file counts an undefined value as 0 (scikit-learn's zero_division)."""
    confusion = _confusion(given["y_true"], given["y_pred"], given["labels"])
    classes = range(len(confusion))
    computed: Computed = {
        "confusion": confusion.tolist(),
        "support": confusion.sum(axis=1).tolist(),
        "jaccard_macro": of_confusion("jaccard_macro[zero]", confusion),
        "mcc": of_confusion("mcc[zero]", confusion),
    }
    for name in ("accuracy", "error_rate", "balanced_accuracy", "kappa"):
        computed[name] = of_confusion(name, confusion)
    for name in ("precision", "recall", "f1"):
        computed[name] = [of_confusion(f"{name}[{k}]", confusion) or 0.0 for k in classes]
    for average in ("macro", "weighted", "micro"):
        computed[average] = {
            name: of_confusion(f"{name}_{average}[zero]", confusion)
            for name in ("precision", "recall", "f1", "f2", "f05", "jaccard")
        }
    return computed


def _confusion(truth: Any, prediction: Any, labels: list[Any]) -> FloatArray:
    """Counts of all the labels, also of those that never occur."""
    columns = {"truth": truth, "a": prediction}
    tally = read(columns, truth="truth", models=["a"]).tally()  # type: ignore[union-attr]
    at = [tally.classes.index(str(label)) for label in labels if str(label) in tally.classes]
    seen = [place for place, label in enumerate(labels) if str(label) in tally.classes]
    confusion = np.zeros((len(labels), len(labels)))
    confusion[np.ix_(seen, seen)] = tally.confusion("a")[np.ix_(at, at)]
    return confusion


def _cost_total(given: Input) -> Computed:
    confusion = np.array(given["confusion"])
    return {
        "total_cost": number(total_cost(given["cost"]).function(confusion)),
        "mean_cost": number(mean_cost(given["cost"]).function(confusion)),
        "accuracy": of_confusion("accuracy", confusion),
    }


def _weighted_accuracy(given: Input) -> Computed:
    confusion = np.array([[given["tn"], given["fp"]], [given["fn"], given["tp"]]])
    measure = weighted_accuracy(given["w_tp"], given["w_fn"], given["w_fp"], given["w_tn"])
    return {"weighted_accuracy": number(measure.bind(("0", "1"), "1").function(confusion))}


def _kappa(given: Input) -> Computed:
    computed: Computed = {}
    for weights in WEIGHTS:
        suffix = "" if weights == "none" else f"_{weights}"
        found = cohens_kappa(given["table"], weights=weights)
        computed[f"kappa{suffix}"] = of_confusion(f"kappa{suffix}", given["table"])
        computed[f"ase{suffix}"] = dict(found.details).get("standard_error")
    return computed


def _probability_binary(given: Input) -> Computed:
    rows, bins = (given["y_true"], given["proba"]), given["n_bins"]
    computed: Computed = {
        "brier": of_rows("brier", *rows),
        "log_loss": of_rows("log_loss", *rows),
        "log_loss_clip_2^-52": of_rows(f"log_loss[{2.0**-52}]", *rows),
        "log_loss_clip_1e-15": of_rows("log_loss[1e-15]", *rows),
    }
    for name, ours in _CALIBRATION.items():
        computed[name] = of_rows(f"{ours}[{bins}]", *rows)
    return computed


def _probability_multiclass(given: Input) -> Computed:
    truth, proba = np.array(given["y_true"]), np.array(given["proba"])
    labels = list(range(proba.shape[1]))
    confusion = _confusion(truth, proba.argmax(axis=1), labels)
    return {
        **{name: of_rows(name, truth, proba) for name in ("brier_sum", "brier_half", "log_loss")},
        "ece_top_label_right_closed": of_rows(f"ece_top[{given['n_bins']}]", truth, proba),
        "accuracy": of_confusion("accuracy", confusion),
    }


def _regression(given: Input) -> Computed:
    rows = (np.array(given["y_true"], dtype=float), np.array(given["y_pred"], dtype=float))
    return {name: of_rows(ours, *rows) for name, ours in _VALUES.items()}


ADAPTERS: dict[str, Adapter] = {
    "metric__binary_counts": _binary_counts,
    "metric__classification": _classification,
    "metric__cost_total": _cost_total,
    "metric__weighted_accuracy": _weighted_accuracy,
    "metric__kappa_weighted": _kappa,
    "metric__probability_binary": _probability_binary,
    "metric__probability_multiclass": _probability_multiclass,
    "metric__regression": _regression,
}
