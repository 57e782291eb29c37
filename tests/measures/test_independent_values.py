"""Every measure has its value from somewhere else too: scikit-learn, SciPy, or items counted one by one."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from statistics import fmean, median
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

from assay.measures.registry import find_measure, measures, parametrised
from tests.measures.drawn_evidence import EVIDENCE, evaluate

Oracle = Callable[[Any, Any], float]
SEEDS = range(6)
N = 60


def cells(truth: Any, prediction: Any) -> tuple[int, int, int, int]:
    """True and false negatives, false and true positives, counted."""
    seen = Counter(zip(truth.tolist(), prediction.tolist(), strict=True))
    return seen[0, 0], seen[1, 0], seen[0, 1], seen[1, 1]


def of_cells(formula: Callable[[int, int, int, int], float]) -> Oracle:
    return lambda truth, prediction: formula(*cells(truth, prediction))


def of_labels(function: Callable[..., float], **options: Any) -> Oracle:
    """Scikit-learn's convention for what is undefined is 0, as ours is for a class that occurs."""
    return lambda truth, prediction: float(function(truth, prediction, zero_division=0, **options))


def averages(name: str, function: Callable[..., float], **options: Any) -> dict[str, Oracle]:
    ways = ("macro", "micro", "weighted")
    return {f"{name}_{way}": of_labels(function, average=way, **options) for way in ways}


def gaps(
    outcomes: list[float], chances: list[float], bin_of: Callable[[float], int]
) -> list[tuple[int, float]]:
    """Bins with their number of items and how far predicted and observed are apart."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for outcome, chance in zip(outcomes, chances, strict=True):
        bins.setdefault(bin_of(chance), []).append((outcome, chance))
    return [
        (len(inside), abs(fmean(o for o, _ in inside) - fmean(p for _, p in inside)))
        for inside in bins.values()
    ]


def up_to(chance: float, bins: int = 10) -> int:
    """The bin ((j − 1)/bins, j/bins] that holds a probability; 0 is in the first."""
    return max(1, math.ceil(Fraction(str(chance)) * bins))


def from_on(chance: float, bins: int = 10) -> int:
    return min(bins - 1, math.floor(Fraction(str(chance)) * bins))


def by_mass(chances: list[float], bins: int = 10) -> Callable[[float], int]:
    """A tenth of the items to a bin, the first ones one more; equal items go where the first of them goes."""
    of_place = [
        b for b in range(bins) for _ in range(len(chances) // bins + (b < len(chances) % bins))
    ]
    return lambda chance: of_place[sorted(chances).index(chance)]


def calibration(worst: bool, way: str = "positive", bins: int = 10) -> Oracle:
    def oracle(truth: Any, prediction: Any) -> float:
        if way == "top":
            chances = [max(row) for row in prediction.tolist()]
            outcomes = [
                float(row.index(max(row)) == code)
                for row, code in zip(prediction.tolist(), truth.tolist(), strict=True)
            ]
        else:
            chances, outcomes = prediction[:, 1].tolist(), [float(code) for code in truth]
        place: dict[str, Callable[[float], int]] = {
            "left": from_on, "mass": by_mass(chances), "positive": lambda p: up_to(p, bins), "top": up_to,
        }  # fmt: skip
        found = gaps(outcomes, chances, place[way])
        mean = sum(n * gap for n, gap in found) / len(chances)
        return max(gap for _, gap in found) if worst else mean

    return oracle


def roc_area(limit: float) -> Oracle:
    """The area of scikit-learn's curve up to a false positive rate, by trapezoids."""

    def oracle(truth: Any, scores: Any) -> float:
        fpr, tpr, _ = sk.roc_curve(truth, scores, drop_intermediate=False)
        grid = np.concatenate([fpr[fpr < limit], [limit]])
        heights = np.concatenate([tpr[fpr < limit], [np.interp(limit, fpr, tpr)]])
        return float(np.trapezoid(heights, grid))

    return oracle


def height_at(limit: float) -> Oracle:
    """The highest point of scikit-learn's curve at a false positive rate."""

    def oracle(truth: Any, scores: Any) -> float:
        fpr, tpr, _ = sk.roc_curve(truth, scores, drop_intermediate=False)
        exact = tpr[np.isclose(fpr, limit)]
        return float(exact.max() if exact.size else np.interp(limit, fpr, tpr))

    return oracle


def of_areas(**options: Any) -> Oracle:
    return lambda truth, scores: float(sk.roc_auc_score(truth, scores, **options))


def subsets(passes: Callable[[list[bool]], bool]) -> Oracle:
    """The mean share of all sets of five attempts that pass."""

    def of_task(n: int, correct: int) -> float:
        chosen = list(combinations([place < correct for place in range(n)], 5))
        return fmean(passes(list(one)) for one in chosen)

    return lambda attempts, correct: fmean(map(of_task, attempts.tolist(), correct.tolist()))


def chosen(truth: Any, prediction: Any) -> list[float]:
    return [float(row[code]) for row, code in zip(prediction, truth, strict=True)]


def squares(truth: Any, prediction: Any) -> float:
    """The Brier score, a sum over classes, item by item."""
    return fmean(
        sum((p - (code == place)) ** 2 for place, p in enumerate(row))
        for row, code in zip(prediction.tolist(), truth.tolist(), strict=True)
    )


def mean_recall(truth: Any, prediction: Any) -> float:
    return fmean(float((prediction[truth == code] == code).mean()) for code in range(3))


def costs(truth: Any, prediction: Any) -> float:
    _, fn, fp, _ = cells(truth, prediction)
    return 100.0 * fn + fp


def mean_given(_: Any, prediction: Any) -> float:
    return fmean(prediction.tolist())


ORACLES: dict[str, Oracle] = {
    "accuracy": lambda truth, prediction: float(sk.accuracy_score(truth, prediction)),
    "error_rate": lambda truth, prediction: float(sk.zero_one_loss(truth, prediction)),
    "precision": of_labels(sk.precision_score),
    "recall": of_labels(sk.recall_score),
    "specificity": of_labels(sk.recall_score, pos_label=0),
    "npv": of_labels(sk.precision_score, pos_label=0),
    "fpr": of_cells(lambda tn, fn, fp, tp: fp / (fp + tn)),
    "fnr": of_cells(lambda tn, fn, fp, tp: fn / (fn + tp)),
    "fdr": of_cells(lambda tn, fn, fp, tp: fp / (fp + tp)),
    "false_omission_rate": of_cells(lambda tn, fn, fp, tp: fn / (fn + tn)),
    "jaccard": of_labels(sk.jaccard_score),
    "f1": of_labels(sk.f1_score),
    "f2": of_labels(sk.fbeta_score, beta=2),
    "f05": of_labels(sk.fbeta_score, beta=0.5),
    "f3": of_labels(sk.fbeta_score, beta=3),
    **averages("precision", sk.precision_score),
    **averages("recall", sk.recall_score),
    **averages("f1", sk.f1_score),
    **averages("f2", sk.fbeta_score, beta=2),
    **averages("f05", sk.fbeta_score, beta=0.5),
    **averages("jaccard", sk.jaccard_score),
    "f3_macro": of_labels(sk.fbeta_score, beta=3, average="macro"),
    "f1_macro[zero]": of_labels(sk.f1_score, average="macro"),
    "balanced_accuracy": lambda truth, prediction: float(
        sk.balanced_accuracy_score(truth, prediction)
    ),
    "balanced_accuracy[nan]": mean_recall,
    "mcc": lambda truth, prediction: float(sk.matthews_corrcoef(truth, prediction)),
    "mcc[zero]": lambda truth, prediction: float(sk.matthews_corrcoef(truth, prediction)),
    "kappa": lambda truth, prediction: float(sk.cohen_kappa_score(truth, prediction)),
    "kappa_linear": lambda t, p: float(sk.cohen_kappa_score(t, p, weights="linear")),
    "kappa_quadratic": lambda t, p: float(sk.cohen_kappa_score(t, p, weights="quadratic")),
    # the classes "0", "1", "2" are ordered 2, 0, 1
    "kappa_linear[2,0,1]": lambda t, p: float(
        sk.cohen_kappa_score((t + 1) % 3, (p + 1) % 3, weights="linear")
    ),
    "youden_j": lambda t, p: float(sk.balanced_accuracy_score(t, p, adjusted=True)),
    "g_mean": of_cells(lambda tn, fn, fp, tp: math.sqrt(tp / (tp + fn) * tn / (tn + fp))),
    "lr_plus": lambda t, p: float(sk.class_likelihood_ratios(t, p)[0]),
    "lr_minus": lambda t, p: float(sk.class_likelihood_ratios(t, p)[1]),
    "diagnostic_odds_ratio": lambda t, p: float(
        stats.contingency.odds_ratio(sk.confusion_matrix(t, p), kind="sample").statistic
    ),
    "weighted_accuracy[2,1,1,1]": of_cells(
        lambda tn, fn, fp, tp: (2 * tp + tn) / (2 * tp + fn + fp + tn)
    ),
    "mean_cost[0,1;100,0]": lambda t, p: costs(t, p) / N,
    "total_cost[0,1;100,0]": costs,
    "roc_auc": of_areas(),
    "gini": lambda t, s: float(stats.somersd(t, s).statistic),
    "partial_auc[0.1]": roc_area(0.1),
    "sensitivity_at[0.95]": height_at(0.05),
    "average_precision": lambda t, s: float(sk.average_precision_score(t, s)),
    "roc_auc_ovr": of_areas(multi_class="ovr"),
    "roc_auc_ovr_weighted": of_areas(multi_class="ovr", average="weighted"),
    "roc_auc_ovo": of_areas(multi_class="ovo"),
    "roc_auc_ovo_weighted": of_areas(multi_class="ovo", average="weighted"),
    "log_loss": lambda t, p: float(sk.log_loss(t, p, labels=range(3))),
    "log_loss[1e-15]": lambda t, p: -fmean(math.log(one) for one in chosen(t, p)),
    "brier": squares,
    "brier_sum": squares,
    "brier_half": lambda t, p: squares(t, p) / 2,
    "ece": calibration(worst=False),
    "mce": calibration(worst=True),
    "ece[15]": calibration(worst=False, bins=15),
    "ece_left": calibration(worst=False, way="left"),
    "mce_left": calibration(worst=True, way="left"),
    "ece_top": calibration(worst=False, way="top"),
    "mce_top": calibration(worst=True, way="top"),
    "ece_mass": calibration(worst=False, way="mass"),
    "mce_mass": calibration(worst=True, way="mass"),
    "mse": lambda t, p: float(sk.mean_squared_error(t, p)),
    "rmse": lambda t, p: float(sk.root_mean_squared_error(t, p)),
    "mae": lambda t, p: float(sk.mean_absolute_error(t, p)),
    "mean_error": lambda t, p: fmean(t) - fmean(p),
    "mape": lambda t, p: float(sk.mean_absolute_percentage_error(t, p)),
    "smape": lambda t, p: fmean(2 * abs(a - b) / (abs(a) + abs(b)) for a, b in zip(t, p, strict=True)),
    "r2": lambda t, p: float(sk.r2_score(t, p)),
    "explained_variance": lambda t, p: float(sk.explained_variance_score(t, p)),
    "correlation": lambda t, p: float(stats.pearsonr(t, p).statistic),
    "median_ae": lambda t, p: median(np.abs(t - p).tolist()),
    "max_error": lambda t, p: float(sk.max_error(t, p)),
    **dict.fromkeys(["mean_loss", "log_likelihood", "mean_score", "mean_rating", "reward"], mean_given),
    "pass@5": subsets(any),
    "pass^5": subsets(all),
}  # fmt: skip
SAME = {"kappa_linear[low,medium,high]": "kappa_linear[2,0,1]"}
"""The example of a family, where its parameter is not of the evidence drawn here, and one that is."""


def evidence(name: str, rng: np.random.Generator) -> tuple[Any, Any]:
    """Columns of some measure: probabilities in hundredths, so that some lie on the edges of bins."""
    measure = find_measure(name)
    truth, prediction, _ = EVIDENCE[measure.needs](measure, rng, N)
    if name.startswith("pass"):
        return np.full(12, 8), rng.integers(0, 9, 12)
    if name == "mean_score":
        return truth, rng.integers(0, 11, N) / 10
    if name == "mape":
        return np.where(truth == 0, 7.0, truth), prediction
    if measure.needs == "probabilities" and measure.two_classes:
        positive = rng.integers(0, 101, N) / 100
        return truth, np.stack([1 - positive, positive], axis=-1)
    return truth, prediction


@pytest.mark.parametrize("name", [*measures(), *parametrised()])
def test_every_measure_has_an_oracle(name: str) -> None:
    assert SAME.get(name, name) in ORACLES, (
        f"nothing but our own formula gives the value of {name!r}: add a line {name!r} to ORACLES in "
        "tests/measures/test_independent_values.py, from scikit-learn, SciPy or items counted one by one"
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ORACLES)
def test_value(name: str, seed: int) -> None:
    truth, prediction = evidence(name, np.random.default_rng([5, seed]))
    expected = ORACLES[name](truth, prediction)
    found = evaluate(find_measure(name), truth, prediction)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), f"{name} differs from its oracle"
