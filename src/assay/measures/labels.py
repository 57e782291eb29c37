"""Measures of predicted classes: functions of confusion matrices, rows truth, columns prediction.

Two-class functions see matrices ``(..., 2, 2)`` with the positive class at index 1.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, note
from assay.core.vocabulary import Direction
from assay.measures.registry import Measure, ratio, register, register_family

Average = Literal["macro", "micro", "weighted"]
Undefined = Literal["skip", "zero", "nan"]
"""What an undefined class does to an average: left out, counted 0, or making it undefined."""

AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")
UNDEFINED: tuple[Undefined, ...] = ("skip", "zero", "nan")
MAJORITY = 0.9
"""From this share of the largest class on, accuracy alone tells little."""
MOST_NAMED = 4

TN, FP, FN, TP = (0, 0), (0, 1), (1, 0), (1, 1)
Cells = tuple[tuple[int, int], ...]
_BASES = {
    frozenset((TP, FN)): "positives",
    frozenset((TN, FP)): "negatives",
    frozenset((TP, FP)): "predicted positives",
    frozenset((TN, FN)): "predicted negatives",
}
"""What a proportion of these cells is said to be of."""


def f_beta(beta: float) -> Measure:
    """F-beta: recall counts ``beta`` times as much as precision."""
    if not (beta > 0 and np.isfinite(beta)):
        raise UsageError(f"beta is a number above 0, such as 2 (recall weighs more); got {beta!r}")
    square = float(beta) ** 2

    def function(cells: Any) -> FloatArray:
        found = (1 + square) * _count(cells, TP)
        return ratio(found, found + square * _count(cells, FN) + _count(cells, FP))

    name = "f05" if beta == 0.5 else f"f{beta:g}"
    measure = _two_classes(name, f"F{beta:g}", function, averaged=True)
    if beta != 1:
        return measure
    # F1 = 2J / (1 + J) with J the Jaccard proportion TP / (TP + FP + FN)
    return replace(
        measure,
        proportion=_proportion((TP,), (TP, FP, FN)),
        from_proportion=lambda jaccard: 2 * jaccard / (1 + jaccard),
    )


def averaged(measure: Measure, average: Average, undefined: Undefined = "skip") -> Measure:
    """A two-class measure averaged over classes, each against all others.

    With "skip", an undefined value of a class that occurs in the truth counts 0 (precision of a
    class never predicted), and a class that does not occur in the truth is left out where its
    value is undefined.
    """
    check_choice(average, AVERAGES, "average")
    check_choice(undefined, UNDEFINED, "undefined")
    inner = measure.function

    def margins(hits: FloatArray, support: FloatArray, predicted: FloatArray) -> FloatArray:
        stacked = _each_vs_rest(hits, support, predicted)
        if average == "micro":
            pooled: FloatArray = inner(stacked.sum(-3))
            return _zeroed(pooled) if undefined == "zero" else pooled
        weights = support if average == "weighted" else np.ones_like(support)
        return _average(inner(stacked), support, weights, undefined)

    suffix = "" if undefined == "skip" else f"[{undefined}]"
    return replace(
        measure,
        name=f"{measure.name}_{average}{suffix}",
        title=f"{measure.title}, {average} average",
        function=_of_matrices(margins),
        margins=margins,
        two_classes=False,
        instead=None,
        **_pooled_proportion(measure, average),
    )


def zero_where_undefined(measure: Measure) -> Measure:
    """The measure with 0 for undefined values, as scikit-learn has it."""
    inner, margins = measure.function, measure.margins
    return replace(
        measure,
        name=f"{measure.name}[zero]",
        function=lambda confusions: _zeroed(inner(confusions)),
        margins=None if margins is None else lambda *sums: _zeroed(margins(*sums)),
    )


def balanced_accuracy(undefined: Undefined = "skip") -> Measure:
    """The mean recall of the classes; by default of those that occur in the truth."""
    recall_macro = averaged(recall, "macro", undefined)
    return replace(
        recall_macro,
        name=recall_macro.name.replace("recall_macro", "balanced_accuracy"),
        title="balanced accuracy",
        requirement="M5",
    )


def weighted_kappa(
    weights: Literal["none", "linear", "quadratic"], classes: tuple[str, ...] | None = None
) -> Measure:
    """Cohen's kappa; ``weights`` let near misses count less, ``classes`` gives their order."""
    check_choice(weights, ("none", "linear", "quadratic"), "weights")
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]

    def function(confusions: Any) -> FloatArray:
        matrices = _matrices(confusions)
        rank = np.arange(matrices.shape[-1])
        distance = np.abs(rank[:, None] - rank[None, :])
        cost = np.where(distance > 0, distance.astype(np.float64) ** power, 0.0)
        seen = (matrices * cost).sum((-2, -1)) * matrices.sum((-2, -1))
        by_chance = np.einsum("...i,ij,...j->...", matrices.sum(-1), cost, matrices.sum(-2))
        return 1.0 - ratio(seen, by_chance)

    def margins(hits: FloatArray, truth: FloatArray, predicted: FloatArray) -> FloatArray:
        n = truth.sum(-1)
        by_chance = n**2 - (truth * predicted).sum(-1)
        return 1.0 - ratio((n - hits.sum(-1)) * n, by_chance)

    name = "kappa" if weights == "none" else f"kappa_{weights}"
    return Measure(
        name=name if classes is None else f"{name}[{','.join(classes)}]",
        title="Cohen's kappa" + ("" if weights == "none" else f", {weights} weights"),
        direction="higher",
        low=-1.0,
        high=1.0,
        needs="labels",
        reduction="tally",
        function=function,
        margins=margins if weights == "none" else None,
        class_order=classes,
        requirement="M5",
        chance=0.0,
    )


def accuracy_misleads(
    confusion: ArrayLike, classes: tuple[str, ...] = (), model: str = "the model"
) -> Note | None:
    """A note where accuracy says little: one class dominates, or always guessing it does as well."""
    return accuracies_mislead({model: _matrices(confusion)}, classes)


def accuracies_mislead(
    matrices: Mapping[str, FloatArray], classes: tuple[str, ...] = ()
) -> Note | None:
    """The same of several models on one test set: one class dominates, or the best does no better."""
    first = next(iter(matrices.values()))
    total = float(first.sum())
    if total == 0:
        return None
    support = first.sum(-1)
    largest = int(support.argmax())
    share = float(support[largest]) / total
    right = {model: float(np.trace(matrix)) / total for model, matrix in matrices.items()}
    if share < MAJORITY and max(right.values()) > share:
        return None
    said = ", ".join(
        f"{model} has {value:.4g}" for model, value in list(right.items())[:MOST_NAMED]
    )
    more = ", …" if len(right) > MOST_NAMED else ""
    name = classes[largest] if classes else f"number {largest}"
    return note("accuracy-misleads", models=f"{said}{more}", majority=name, share=share)


def _matrices(confusions: Any) -> FloatArray:
    matrices = np.asarray(confusions, dtype=np.float64)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise EvidenceError(
            f"a confusion matrix is square, rows truth and columns prediction; got {matrices.shape}"
        )
    return matrices


def _of_matrices(
    margins: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
) -> Callable[[Any], FloatArray]:
    """A function of the diagonal and the sums of rows and columns, as one of matrices."""

    def function(confusions: Any) -> FloatArray:
        matrices = _matrices(confusions)
        hits = np.diagonal(matrices, axis1=-2, axis2=-1)
        return margins(hits, matrices.sum(-1), matrices.sum(-2))

    return function


def _each_vs_rest(hit: FloatArray, support: FloatArray, predicted: FloatArray) -> FloatArray:
    """Matrices ``(..., C, 2, 2)``: every class (index 1) against all others."""
    missed, alarms = support - hit, predicted - hit
    rest = support.sum(-1)[..., None] - hit - missed - alarms
    flat = np.stack([rest, alarms, missed, hit], axis=-1)
    return flat.reshape(*hit.shape, 2, 2)


def _zeroed(values: FloatArray) -> FloatArray:
    return np.where(np.isnan(values), 0.0, values)


def _count(confusions: Any, *cells: tuple[int, int]) -> FloatArray:
    """The sum of cells of two-class matrices."""
    matrices = _matrices(confusions)
    if matrices.shape[-1] != 2:
        raise EvidenceError(
            f"a two-class measure saw {matrices.shape[-1]} classes: "
            "bind it to its classes first, measure.bind(classes, positive)"
        )
    return np.asarray(sum(matrices[..., row, column] for row, column in cells))


def _average(
    values: FloatArray, support: FloatArray, weights: FloatArray, undefined: Undefined
) -> FloatArray:
    """The weighted mean over the last axis."""
    if undefined != "nan":
        counted = np.ones_like(support, dtype=bool) if undefined == "zero" else support > 0
        values = np.where(counted, _zeroed(values), values)
    if undefined == "skip":
        weights = np.where(np.isnan(values), 0.0, weights)
        values = _zeroed(values)
    return ratio((weights * values).sum(-1), weights.sum(-1))


def _proportion(part: Cells, whole: Cells) -> Callable[[Any], tuple[float, float]]:
    return lambda matrix: (float(_count(matrix, *part)), float(_count(matrix, *whole)))


def _right_of_all(matrix: Any) -> tuple[float, float]:
    return float(np.trace(_matrices(matrix))), float(_matrices(matrix).sum())


def _wrong_of_all(matrix: Any) -> tuple[float, float]:
    right, total = _right_of_all(matrix)
    return total - right, total


def _pooled_proportion(measure: Measure, average: Average) -> dict[str, Any]:
    """Pooled over classes, FP = FN = wrong: all but Jaccard are accuracy; so is weighted recall."""
    pooled = average == "micro" or (average == "weighted" and measure.name == "recall")
    if not pooled:
        return {"proportion": None, "from_proportion": None}
    if measure.name == "jaccard":
        return {"proportion": _right_of_all, "from_proportion": lambda right: right / (2 - right)}
    return {"proportion": _right_of_all, "from_proportion": float}


def _two_classes(
    name: str,
    title: str,
    function: Callable[[Any], FloatArray],
    *,
    direction: Direction = "higher",
    low: float = 0.0,
    high: float = 1.0,
    instead: str | None = None,
    averaged: bool = False,
    requirement: str = "M2",
    chance: float | None = None,
) -> Measure:
    others = f"{name}_macro, {name}_weighted or {name}[class]" if averaged else f"{name}[class]"
    return Measure(
        name=name,
        title=title,
        direction=direction,
        low=low,
        high=high,
        needs="labels",
        reduction="tally",
        function=function,
        two_classes=True,
        instead=instead or others,
        requirement=requirement,
        chance=chance,
    )


def _share(
    name: str, title: str, part: Cells, whole: Cells, *aliases: str, **facts: Any
) -> Measure:
    """Register a proportion of cells: the measure and its (k, m) come from one definition."""

    def function(cells: Any) -> FloatArray:
        return ratio(_count(cells, *part), _count(cells, *whole))

    measure = _two_classes(name, title, function, **facts)
    basis = _BASES.get(frozenset(whole), "")
    proportion = _proportion(part, whole)
    return register(
        replace(measure, proportion=proportion, from_proportion=float, basis=basis), *aliases
    )


def _accuracy(confusions: Any) -> FloatArray:
    matrices = _matrices(confusions)
    return ratio(np.trace(matrices, axis1=-2, axis2=-1), matrices.sum((-2, -1)))


def _error_rate(confusions: Any) -> FloatArray:
    matrices = _matrices(confusions)
    total = matrices.sum((-2, -1))
    return ratio(total - np.trace(matrices, axis1=-2, axis2=-1), total)


def _mcc(hits: FloatArray, truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """Gorodkin's R_K; with two classes the correlation of truth and prediction."""
    n, right = truth.sum(-1), hits.sum(-1)
    covariance = right * n - (truth * predicted).sum(-1)
    # n² − Σt² written as Σ t(n − t), which loses no digits when one class has nearly all
    spread = [(margin * (n[..., None] - margin)).sum(-1) for margin in (truth, predicted)]
    return np.clip(ratio(covariance, np.sqrt(spread[0]) * np.sqrt(spread[1])), -1.0, 1.0)


def _youden_j(cells: Any) -> FloatArray:
    return np.asarray(recall.function(cells) - fpr.function(cells))


def _g_mean(cells: Any) -> FloatArray:
    return np.asarray(np.sqrt(recall.function(cells) * specificity.function(cells)))


def _lr_plus(cells: Any) -> FloatArray:
    return ratio(recall.function(cells), fpr.function(cells))


def _lr_minus(cells: Any) -> FloatArray:
    return ratio(fnr.function(cells), specificity.function(cells))


def _diagnostic_odds_ratio(cells: Any) -> FloatArray:
    return ratio(_count(cells, TP) * _count(cells, TN), _count(cells, FP) * _count(cells, FN))


accuracy = register(
    Measure(
        name="accuracy",
        title="accuracy",
        counts="right",
        direction="higher",
        low=0.0,
        high=1.0,
        needs="labels",
        reduction="tally",
        function=_accuracy,
        proportion=_right_of_all,
        from_proportion=float,
        of_right=ratio,
        requirement="M1",
    )
)
error_rate = register(
    replace(
        accuracy,
        name="error_rate",
        title="error rate",
        counts="wrong",
        direction="lower",
        function=_error_rate,
        of_right=lambda right, total: ratio(total - right, total),
        proportion=_wrong_of_all,
    ),
    "error",
)
precision = _share("precision", "precision", (TP,), (TP, FP), "ppv", averaged=True)
recall = _share("recall", "recall", (TP,), (TP, FN), "sensitivity", "tpr", averaged=True)
specificity = _share("specificity", "specificity", (TN,), (TN, FP), "tnr")
npv = _share("npv", "negative predictive value", (TN,), (TN, FN))
fpr = _share("fpr", "false positive rate", (FP,), (FP, TN), direction="lower")
fnr = _share("fnr", "false negative rate", (FN,), (FN, TP), direction="lower")
fdr = _share("fdr", "false discovery rate", (FP,), (FP, TP), direction="lower")
false_omission_rate = _share(
    "false_omission_rate", "false omission rate", (FN,), (FN, TN), direction="lower"
)
jaccard = _share("jaccard", "Jaccard index", (TP,), (TP, FP, FN), "iou", averaged=True)
f1 = register(f_beta(1))
f2 = register(f_beta(2))
f05 = register(f_beta(0.5))
register(balanced_accuracy())
mcc = register(
    replace(
        accuracy,
        name="mcc",
        counts=None,
        title="Matthews correlation",
        low=-1.0,
        function=_of_matrices(_mcc),
        margins=_mcc,
        proportion=None,
        of_right=None,
        from_proportion=None,
        requirement="M5",
        chance=0.0,
    )
)
for _weights in ("none", "linear", "quadratic"):
    register(weighted_kappa(_weights))
register(
    _two_classes(
        "youden_j", "Youden's J", _youden_j, low=-1.0, requirement="M5", chance=0.0,
        instead="balanced_accuracy or youden_j[class]",
    ),
    "informedness",
)  # fmt: skip
register(
    _two_classes(
        "g_mean", "geometric mean of recall and specificity", _g_mean, requirement="M5",
        instead="balanced_accuracy or g_mean[class]",
    )
)  # fmt: skip
register(
    _two_classes(
        "lr_plus", "positive likelihood ratio", _lr_plus, high=np.inf, requirement="M5", chance=1.0
    )
)
register(
    _two_classes(
        "lr_minus", "negative likelihood ratio", _lr_minus, direction="lower", high=np.inf,
        requirement="M5", chance=1.0,
    )
)  # fmt: skip
register(
    _two_classes(
        "diagnostic_odds_ratio", "diagnostic odds ratio", _diagnostic_odds_ratio, high=np.inf,
        requirement="M5", chance=1.0,
    )
)  # fmt: skip
for _measure in (precision, recall, f1, f2, f05, jaccard):
    for _kind in AVERAGES:
        register(averaged(_measure, _kind))

_NUMBER = r"((?:0|[1-9]\d*)(?:\.\d+)?)"
_BETA = "f" + _NUMBER
register_family(  # or as scikit-learn calls it: fbeta[3]
    "f3",
    rf"{_BETA}|f_?beta\[{_NUMBER}\]",
    lambda beta, spelt: f_beta(float(beta or spelt)),
)
register_family(
    "f3_macro",
    _BETA + "_(macro|micro|weighted)",
    lambda beta, average: averaged(f_beta(float(beta)), average),
)
register_family(
    "f1_macro[zero]",
    r"(precision|recall|f1|f2|f05|jaccard)_(macro|micro|weighted)\[(zero|nan)\]",
    lambda name, average, undefined: averaged(
        {m.name: m for m in (precision, recall, f1, f2, f05, jaccard)}[name], average, undefined
    ),
)
register_family("balanced_accuracy[nan]", r"balanced_accuracy\[(zero|nan)\]", balanced_accuracy)
register_family("mcc[zero]", r"mcc\[zero\]", lambda: zero_where_undefined(mcc))
register_family(
    "kappa_linear[low,medium,high]",
    r"kappa_(linear|quadratic)\[(.+)\]",
    lambda weights, names: weighted_kappa(weights, tuple(names.split(","))),
)
