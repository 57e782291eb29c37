"""Measures of how well scores rank positives above negatives, for two classes and many."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import UsageError
from assay.core.notes import Note, note
from assay.kernels.auc import (
    Weighted,
    auc_of_weights,
    average_precision_of_weights,
    partial_area_of_weights,
    sensitivity_of_weights,
    sort_scores,
)
from assay.measures.registry import Measure, Needs, ratio, register, register_family

Prepare = Callable[[Any, Any], Weighted]


def partial_auc(max_fpr: float, *, standardised: bool = False) -> Measure:
    """The area under the ROC curve up to a false positive rate.

    ``standardised`` after McClish (1989): 1 is perfect and 0.5 chance, whatever ``max_fpr``.
    """
    limit = float(max_fpr)
    if not 0.0 < limit <= 1.0:
        raise UsageError(f"max_fpr is a false positive rate above 0 and up to 1; got {max_fpr!r}")
    chance = limit**2 / 2.0

    def standard(area: Any) -> Any:
        return 0.5 * (1.0 + (area - chance) / (limit - chance))

    def prepare(truth: Any, scores: Any) -> Weighted:
        area = partial_area_of_weights(sort_scores(truth, scores), limit)
        return _mapped(area, standard) if standardised else area

    if standardised:
        name, title = f"partial_auc_mcclish[{limit:g}]", f"standardised AUC up to FPR {limit:g}"
        return _ranking(name, title, prepare, low=standard(0.0), chance=0.5)
    name, title = f"partial_auc[{limit:g}]", f"AUC up to FPR {limit:g}"
    return _ranking(name, title, prepare, high=limit, chance=chance)


def sensitivity_at(specificity: float) -> Measure:
    """The sensitivity where the cut-off is chosen, on the same items, to reach a specificity.

    Within tied scores it lies on the line between the neighbouring points of the ROC curve.
    """
    wanted = float(specificity)
    if not 0.0 <= wanted < 1.0:
        raise UsageError(f"a specificity lies between 0 and 1, such as 0.95; got {specificity!r}")
    limit = 1.0 - wanted

    def prepare(truth: Any, scores: Any) -> Weighted:
        return sensitivity_of_weights(sort_scores(truth, scores), limit)

    name, title = f"sensitivity_at[{wanted:g}]", f"sensitivity at specificity {wanted:g}"
    return _ranking(name, title, prepare, chance=limit)


def many_class_auc(
    pairing: Literal["ovr", "ovo"], average: Literal["macro", "weighted"] = "macro"
) -> Measure:
    """AUC of each class against the rest (ovr) or of each pair of classes (ovo), averaged.

    "ovo", macro, is the M of Hand and Till (2001). Weights are the classes' shares of the truth.
    Classes that do not occur in the truth have no AUC and are left out.
    """
    prepare = _against_rest if pairing == "ovr" else _against_each

    def averaged(truth: Any, scores: Any) -> Weighted:
        areas_and_shares = prepare(np.asarray(truth), np.asarray(scores, dtype=np.float64))

        def function(weights: Any = None) -> FloatArray:
            areas, shares = areas_and_shares(weights)
            counted = np.where(np.isnan(areas), 0.0, shares if average == "weighted" else 1.0)
            return ratio((counted * np.nan_to_num(areas)).sum(-1), counted.sum(-1))

        return function

    suffix = "" if average == "macro" else "_weighted"
    who = "each class against the rest" if pairing == "ovr" else "each pair of classes"
    return _ranking(
        f"roc_auc_{pairing}{suffix}",
        f"AUC of {who}, {average} average",
        averaged,
        needs="probabilities",
        chance=0.5,
    )


def auc_notes(area: float) -> tuple[Note, ...]:
    """A note where an AUC lies below 0.5: the scores rank the classes the wrong way round."""
    return (note("auc-reversed", auc=area, turned=1.0 - area),) if area < 0.5 else ()


def _against_rest(truth: Any, scores: FloatArray) -> Callable[[Any], tuple[FloatArray, FloatArray]]:
    """AUCs and shares ``(..., C)`` of the classes, as a function of weights."""
    members = [truth == code for code in range(scores.shape[1])]
    areas = [
        auc_of_weights(sort_scores(member, scores[:, code])) for code, member in enumerate(members)
    ]

    def function(weights: Any) -> tuple[FloatArray, FloatArray]:
        given = np.ones(truth.size) if weights is None else np.asarray(weights)
        shares = [given[..., member].sum(-1) for member in members]
        return np.stack([area(given) for area in areas], -1), np.stack(shares, -1)

    return function


def _against_each(truth: Any, scores: FloatArray) -> Callable[[Any], tuple[FloatArray, FloatArray]]:
    """AUCs and shares of the pairs of classes, each pair judged by the scores of both."""
    pairs: list[tuple[Any, Weighted, Weighted]] = []
    for i in range(scores.shape[1]):
        for j in range(i + 1, scores.shape[1]):
            rows = np.flatnonzero((truth == i) | (truth == j))
            one, other = (
                auc_of_weights(sort_scores(truth[rows] == code, scores[rows, code]))
                for code in (i, j)
            )
            pairs.append((rows, one, other))

    def function(weights: Any) -> tuple[FloatArray, FloatArray]:
        given = np.ones(truth.size) if weights is None else np.asarray(weights)
        areas, shares = [], []
        for rows, one, other in pairs:
            part = given[..., rows]
            areas.append((one(part) + other(part)) / 2.0)
            shares.append(part.sum(-1))
        return np.stack(areas, -1), np.stack(shares, -1)

    return function


def _ranking(
    name: str,
    title: str,
    prepare: Prepare,
    *,
    low: float = 0.0,
    high: float = 1.0,
    needs: Needs = "scores",
    instead: str = "roc_auc_ovr or roc_auc_ovo",
    requirement: str = "M4",
    chance: float | None = None,
    of_area: float | None = None,
) -> Measure:
    return Measure(
        name=name,
        title=title,
        direction="higher",
        low=low,
        high=high,
        needs=needs,
        reduction="sorted_scores",
        function=lambda truth, scores, weights=None: prepare(truth, scores)(weights),
        prepare=prepare,
        two_classes=needs == "scores",
        instead=instead,
        requirement=requirement,
        chance=chance,
        of_area=of_area,
    )


def _roc_auc(truth: Any, scores: Any) -> Weighted:
    return auc_of_weights(sort_scores(truth, scores))


def _gini(truth: Any, scores: Any) -> Weighted:
    area = _roc_auc(truth, scores)
    return _mapped(area, lambda value: 2.0 * value - 1.0)


def _mapped(area: Weighted, change: Callable[[FloatArray], FloatArray]) -> Weighted:
    def function(weights: Any = None) -> FloatArray:
        return change(area(weights))

    return function


def _average_precision(truth: Any, scores: Any) -> Weighted:
    return average_precision_of_weights(sort_scores(truth, scores))


def _from_text(mcclish: str | None, text: str) -> Measure:
    try:
        limit = float(text)
    except ValueError:
        raise UsageError(f"partial_auc[x] takes a false positive rate; got {text!r}") from None
    return partial_auc(limit, standardised=mcclish is not None)


def _at_specificity(text: str) -> Measure:
    try:
        wanted = float(text)
    except ValueError:
        raise UsageError(f"sensitivity_at[x] takes a specificity, got {text!r}") from None
    return sensitivity_at(wanted)


register(
    _ranking("roc_auc", "area under the ROC curve", _roc_auc, chance=0.5, of_area=1.0),
    "auc",
    "auroc",
)
register(_ranking("gini", "Gini coefficient (2 AUC − 1)", _gini, low=-1.0, chance=0.0, of_area=2.0))
register(
    _ranking(
        "average_precision", "average precision", _average_precision, requirement="M5",
        instead="roc_auc_ovr or f1_macro",
    ),
    "ap",
)  # fmt: skip
for _pairing in ("ovr", "ovo"):
    register(many_class_auc(_pairing, "macro"))
    register(many_class_auc(_pairing, "weighted"))
register_family("partial_auc[0.1]", r"partial_auc(_mcclish)?\[(.+)\]", _from_text)
register_family("sensitivity_at[0.95]", r"sensitivity_at\[(.+)\]", _at_specificity)
