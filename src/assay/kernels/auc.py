"""ROC arithmetic on scores sorted once: areas, curves, placements, and replicates as weights.

Scores are compared exactly: equal numbers are ties, others are not, however close.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Number = TypeVar("Number", np.float64, np.intp)
Weighted = Callable[[ArrayLike | None], FloatArray]
"""A function of weights ``(..., n)`` (None: every item once) that gives values ``(...)``."""

BLOCK_CELLS = 2**17
"""Weights looked at together: a block stays in the cache and bounds the memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SortedScores:
    """Items sorted by falling score; items of equal score form one group."""

    thresholds: FloatArray
    """The distinct scores, highest first."""
    tp: IntArray
    """Positives at or above each threshold."""
    fp: IntArray
    """Negatives at or above each threshold."""
    order: IntArray
    """The rows in sorted order."""
    hits: NDArray[np.bool_]
    """The truth in sorted order."""

    @property
    def n_positive(self) -> int:
        return int(self.tp[-1]) if self.tp.size else 0

    @property
    def n_negative(self) -> int:
        return int(self.fp[-1]) if self.fp.size else 0

    @property
    def positives(self) -> IntArray:
        """Positives in each group."""
        return _steps(self.tp)

    @property
    def negatives(self) -> IntArray:
        """Negatives in each group."""
        return _steps(self.fp)


def sort_scores(truth: ArrayLike, scores: ArrayLike) -> SortedScores:
    """Sort once; everything else here starts from the result. Truth is 0/1 or False/True."""
    values = np.asarray(scores, dtype=np.float64)
    order = np.argsort(values)[::-1]
    ordered = values[order]
    hits = np.asarray(truth, dtype=np.bool_)[order]
    ends = np.flatnonzero(ordered[1:] != ordered[:-1])
    if ordered.size:
        ends = np.append(ends, ordered.size - 1)
    tp = np.cumsum(hits, dtype=np.intp)[ends]
    return SortedScores(thresholds=ordered[ends], tp=tp, fp=ends + 1 - tp, order=order, hits=hits)


def u_statistic(groups: SortedScores) -> float:
    """Mann-Whitney's U: pairs in which the positive scores higher, ties counting half."""
    doubled = (groups.negatives * (2 * groups.tp - groups.positives)).sum(dtype=np.int64)
    return float(doubled) / 2.0


def auc(groups: SortedScores) -> float:
    """The area under the ROC curve, U / (n+ n-); NaN with one class only."""
    pairs = groups.n_positive * groups.n_negative
    return u_statistic(groups) / pairs if pairs else float("nan")


def roc_points(groups: SortedScores) -> tuple[FloatArray, FloatArray]:
    """False and true positive rates, one point per distinct score, without the origin."""
    return _share(groups.fp), _share(groups.tp)


def average_precision(groups: SortedScores) -> float:
    """The sum of precisions weighted by the steps of recall; NaN without positives."""
    if not groups.n_positive:
        return float("nan")
    precision = groups.tp / (groups.tp + groups.fp)
    return float((groups.positives * precision).sum()) / groups.n_positive


def placements(truth: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Of each positive, the share of negatives below it; of each negative, that of positives above.

    Ties count half (mid-ranks). In the order of the rows; the mean of either is the AUC.
    """
    return _placements(np.asarray(truth, dtype=np.bool_), sort_scores(truth, scores))


def delong_covariance(truth: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """AUCs ``(k,)`` of k models ``(k, n)`` on the same items, and their covariance ``(k, k)``.

    DeLong, DeLong and Clarke-Pearson (1988), eq. 5-6, with placements from one sort per model
    (Sun and Xu, 2014). NaN where a class has fewer than two items.
    """
    labels = np.asarray(truth, dtype=np.bool_)
    rows = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    n_positive = int(np.count_nonzero(labels))
    n_negative = labels.size - n_positive
    areas = np.empty(len(rows))
    of_positives = np.empty((len(rows), n_positive))
    of_negatives = np.empty((len(rows), n_negative))
    for model, row in enumerate(rows):
        groups = sort_scores(labels, row)
        areas[model] = auc(groups)
        if n_positive and n_negative:
            of_positives[model], of_negatives[model] = _placements(labels, groups)
    if min(n_positive, n_negative) < 2:
        return areas, np.full((len(rows), len(rows)), np.nan)
    covariance = _mean_covariance(of_positives, areas) + _mean_covariance(of_negatives, areas)
    return areas, covariance


def difference_df(truth: ArrayLike, scores: ArrayLike) -> float:
    """Satterthwaite's degrees of freedom of the variance of a difference of two areas.

    The variance is the sum of two independent parts, one from the positives and one from the
    negatives, as in the test of Brunner and Munzel (2000); NaN where a part is not estimated.
    """
    labels = np.asarray(truth, dtype=np.bool_)
    first, second = (placements(labels, row) for row in np.asarray(scores, dtype=np.float64))
    parts = [a - b for a, b in zip(first, second, strict=True)]
    if min(part.size for part in parts) < 2:
        return float("nan")
    squares = [float(part.var(ddof=1)) / part.size for part in parts]
    shares = sum(one**2 / (part.size - 1) for one, part in zip(squares, parts, strict=True))
    return sum(squares) ** 2 / shares if shares > 0.0 else float("nan")


def hanley_mcneil_variance(area: float, n_positive: int, n_negative: int) -> float:
    """The variance of an AUC from the area alone (Hanley and McNeil, 1982, eq. 1)."""
    if not n_positive or not n_negative:
        return float("nan")
    two_positives = area / (2.0 - area)
    two_negatives = 2.0 * area**2 / (1.0 + area)
    return (
        area * (1.0 - area)
        + (n_positive - 1) * (two_positives - area**2)
        + (n_negative - 1) * (two_negatives - area**2)
    ) / (n_positive * n_negative)


def auc_of_weights(groups: SortedScores) -> Weighted:
    """The AUC as a function of weights on the rows, for bootstrap replicates.

    For each negative, the weight of the positives above it comes from one cumulative sum.
    """
    positive_rows, negative_rows = _rows(groups)
    negatives = groups.negatives
    above = np.repeat(groups.tp - groups.positives, negatives)
    reached = np.repeat(groups.tp, negatives)
    tied = bool((above != reached).any())

    def block(weights: NDArray[np.generic]) -> FloatArray:
        gained = _cumulated(weights, positive_rows)
        negative = np.take(weights, negative_rows, axis=-1, mode="clip").astype(np.float64)
        beaten = np.take(gained, above, axis=-1, mode="clip")
        if tied:
            beaten += np.take(gained, reached, axis=-1, mode="clip")
            beaten *= 0.5
        won = np.einsum("...i,...i->...", beaten, negative)
        return _divide(won, gained[..., -1] * negative.sum(-1))

    return _in_blocks(block, groups.order.size)


def average_precision_of_weights(groups: SortedScores) -> Weighted:
    """The average precision as a function of weights on the rows."""
    stops = np.flatnonzero(groups.positives)  # recall moves at these groups only
    points = _points_of_weights(groups, stops)

    def block(weights: NDArray[np.generic]) -> FloatArray:
        tp, fp = points(weights)
        reached = tp + fp
        reached[reached == 0] = 1.0  # nothing drawn so far: precision has no weight there
        precision = np.divide(tp, reached, out=reached)
        total = tp[..., -1] if stops.size else np.zeros(tp.shape[:-1])
        return _divide(np.einsum("...i,...i->...", _steps(tp), precision), total)

    return _in_blocks(block, groups.order.size)


def partial_area_of_weights(groups: SortedScores, max_fpr: float) -> Weighted:
    """The area under the ROC curve from FPR 0 to ``max_fpr``, as a function of weights."""
    points = _points_of_weights(groups, np.arange(groups.thresholds.size))

    def block(weights: NDArray[np.generic]) -> FloatArray:
        tp, fp = points(weights)
        if not tp.shape[-1]:
            return np.full(tp.shape[:-1], np.nan)
        return _area_to(_divide(fp, fp[..., -1:]), _divide(tp, tp[..., -1:]), max_fpr)

    return _in_blocks(block, groups.order.size)


def weighted_auc(truth: ArrayLike, scores: ArrayLike, weights: ArrayLike) -> FloatArray:
    """AUCs of replicates given as weights ``(..., n)``; for many blocks use auc_of_weights."""
    return auc_of_weights(sort_scores(truth, scores))(weights)


def weighted_average_precision(
    truth: ArrayLike, scores: ArrayLike, weights: ArrayLike
) -> FloatArray:
    """Average precisions of replicates given as weights ``(..., n)``."""
    return average_precision_of_weights(sort_scores(truth, scores))(weights)


def _placements(truth: NDArray[np.bool_], groups: SortedScores) -> tuple[FloatArray, FloatArray]:
    positives, negatives = groups.positives, groups.negatives
    below = groups.n_negative - (groups.fp - negatives / 2.0)
    above = groups.tp - positives / 2.0
    placed = np.empty(truth.size)
    positive_rows, negative_rows = _rows(groups)
    placed[positive_rows] = np.repeat(_divide(below, groups.n_negative), positives)
    placed[negative_rows] = np.repeat(_divide(above, groups.n_positive), negatives)
    return placed[np.flatnonzero(truth)], placed[np.flatnonzero(~truth)]


def _mean_covariance(placed: FloatArray, areas: FloatArray) -> FloatArray:
    """The covariance of the means of placements; centring on the areas keeps constants at zero."""
    centred = placed - areas[:, None]
    size = placed.shape[1]
    # einsum: BLAS would give other last digits with other numbers of threads
    return np.asarray(np.einsum("in,jn->ij", centred, centred) / ((size - 1) * size))


def _rows(groups: SortedScores) -> tuple[IntArray, IntArray]:
    """The rows of positives and of negatives, highest score first."""
    # four times as fast as indexing with booleans
    return groups.order[np.flatnonzero(groups.hits)], groups.order[np.flatnonzero(~groups.hits)]


def _points_of_weights(
    groups: SortedScores, stops: IntArray
) -> Callable[[NDArray[np.generic]], tuple[FloatArray, FloatArray]]:
    """Weights of positives and negatives at or above the thresholds ``stops``."""
    positive_rows, negative_rows = _rows(groups)
    tp_at, fp_at = groups.tp[stops], groups.fp[stops]

    def points(weights: NDArray[np.generic]) -> tuple[FloatArray, FloatArray]:
        tp = np.take(_cumulated(weights, positive_rows), tp_at, axis=-1, mode="clip")
        fp = np.take(_cumulated(weights, negative_rows), fp_at, axis=-1, mode="clip")
        return tp, fp

    return points


def _cumulated(weights: NDArray[np.generic], rows: IntArray) -> FloatArray:
    """Running sums of the weights of ``rows``, beginning with 0."""
    sums = np.zeros((*weights.shape[:-1], rows.size + 1))
    np.cumsum(np.take(weights, rows, axis=-1, mode="clip"), axis=-1, out=sums[..., 1:])
    return sums


def _area_to(fpr: FloatArray, tpr: FloatArray, max_fpr: float) -> FloatArray:
    """Trapezoids, the last one cut at ``max_fpr``."""
    left = np.concatenate([np.zeros_like(fpr[..., :1]), fpr[..., :-1]], axis=-1)
    start = np.concatenate([np.zeros_like(tpr[..., :1]), tpr[..., :-1]], axis=-1)
    run = fpr - left
    width = np.clip(max_fpr - left, 0.0, run)
    cut = width / np.where(run > 0, run, 1.0)
    return np.asarray((width * (start + 0.5 * cut * (tpr - start))).sum(-1))


def _in_blocks(block: Callable[[NDArray[np.generic]], FloatArray], n: int) -> Weighted:
    """Apply ``block`` to a few replicates at a time."""

    def function(weights: ArrayLike | None = None) -> FloatArray:
        given = np.ones(n) if weights is None else np.asarray(weights)
        flat = given.reshape(prod(given.shape[:-1]), n)
        rows = max(1, BLOCK_CELLS // max(1, n))
        values = [block(flat[start : start + rows]) for start in range(0, len(flat), rows)]
        joined = np.concatenate(values) if values else np.empty(0)
        return joined.reshape(given.shape[:-1])

    return function


def _steps(sums: NDArray[Number]) -> NDArray[Number]:
    """What each entry of running sums (last axis) adds."""
    steps = sums.copy()
    steps[..., 1:] -= sums[..., :-1]
    return steps


def _share(counts: IntArray) -> FloatArray:
    return _divide(counts, counts[-1] if counts.size else 0)


def _divide(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """The quotient; 0/0 is NaN, and no other division by 0 can occur here."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))
