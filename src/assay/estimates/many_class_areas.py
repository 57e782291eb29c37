"""The AUC averaged over many classes, without draws: what each item adds is known in closed form."""

from collections.abc import Iterator

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IndexArray
from assay.core.results import Estimate, Interval
from assay.evidence.item_arrays import Columns
from assay.kernels.auc import placements
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.kernels.tails import t_reach
from assay.measures.registry import Measure

MANY_PLACES = 2**17
"""Items times classes from which resampling takes minutes, and placements say the same (decision 0084)."""

NAME = "delong, averaged"


def averaged_area(columns: Columns, measure: Measure, level: float) -> Estimate | None:
    """The average with the interval of its placements on the logit scale; None where it is not for this.

    DeLong, DeLong and Clarke-Pearson's (1988) placements are the influence of an item on the area of
    each class; the influence on the average is their average, and shares of classes that weight it
    move too. For independent items of equal weight.
    """
    parts = measure.name.removeprefix("roc_auc_").split("_")
    if columns.predictions.size < MANY_PLACES or parts[0] not in ("ovr", "ovo"):
        return None
    truth, scores = columns.truth, columns.predictions[0]
    against = _against_rest if parts[0] == "ovr" else _against_each
    influence, value = _averaged(against(truth, scores), truth.size, weighted=len(parts) > 1)
    n = truth.size
    error = float(np.sqrt((influence**2).sum() / (n * (n - 1.0))))
    if not (0.0 < value < 1.0 and error > 0.0):
        return None
    low, high = stretched_interval(
        value, t_reach(level, n - 1, "two-sided") * error, low=0.0, high=1.0
    )
    return Estimate(
        measure=measure.called,
        value=value,
        interval=Interval(low=low, high=high, level=level, method=NAME),
        method=NAME,
        n=n,
        unit="item",
        model=columns.models[0],
        standard_error=error,
        details=(("classes", scores.shape[1]), ("df", n - 1)),
    )


Part = tuple[IndexArray, FloatArray, float]
"""Rows that make one area, the influence of each on it (n times its change), and the area."""


def _averaged(parts: Iterator[Part], n: int, *, weighted: bool) -> tuple[FloatArray, float]:
    """The influence of each item on the average of areas, and the average.

    Weights are the rows' shares: of the positive class for one class against the rest, of both for a
    pair, as the measure has them. An item moves its area and, if weighted, the weight of that area.
    """
    influence, areas, shares, own = np.zeros(n), [], [], []
    for rows, moved, area in parts:
        share = float(rows.size) / n if weighted else 1.0
        influence[_all(rows, moved, n)] += share * moved
        areas.append(area)
        shares.append(share)
        own.append(rows)
    total = sum(shares)
    value = float(np.dot(areas, shares) / total)
    if weighted:
        for rows, area in zip(own, areas, strict=True):
            influence[rows] += area - value
    return influence / total, value


def _all(rows: IndexArray, moved: FloatArray, n: int) -> IndexArray:
    """The rows whose influence is given: those that make the area, or every item."""
    return rows if rows.size == moved.size else np.arange(n)


def _against_rest(truth: IndexArray, scores: FloatArray) -> Iterator[Part]:
    n = truth.size
    for code in range(scores.shape[1]):
        member = truth == code
        rows = np.flatnonzero(member)
        if 0 < rows.size < n:
            moved, area = _moved(member, scores[:, code])
            yield rows, moved * n, area


def _against_each(truth: IndexArray, scores: FloatArray) -> Iterator[Part]:
    n = truth.size
    rows_of = [np.flatnonzero(truth == code) for code in range(scores.shape[1])]
    for i, first in enumerate(rows_of):
        for j, second in enumerate(rows_of[:i]):
            if first.size and second.size:
                rows = np.concatenate([first, second])
                member = np.repeat([True, False], [first.size, second.size])
                one, area = _moved(member, scores[rows, i])
                other, back = _moved(~member, scores[rows, j])
                yield rows, n * (one + other) / 2.0, (area + back) / 2.0


def _moved(member: BoolArray, scores: FloatArray) -> tuple[FloatArray, float]:
    """What each row adds to an area, over the size of its class, and the area."""
    positive, negative = placements(member, scores)
    area = float(positive.mean())
    moved = np.empty(member.size)
    moved[member] = (positive - area) / positive.size
    moved[~member] = (negative - area) / negative.size
    return moved, area
