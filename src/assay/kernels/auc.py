"""ROC arithmetic on scores sorted once: areas, curves, placements, and replicates as weights.

Scores are compared exactly: equal numbers are ties, others are not, however close.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.arrays import BoolArray, FloatArray, IndexArray

Number = TypeVar("Number", np.float64, np.intp, np.int32)
Weighted = Callable[[ArrayLike | None], FloatArray]
"""A function of weights ``(..., n)`` (None: every item once) that gives values ``(...)``."""

BLOCK_CELLS = 2**16
"""Weights looked at together: a block stays in the cache and bounds the memory."""


_ROUNDED = 1.0 + 1e-12
"""A share of a count is not held to its last digits: 0.29 of 100 is 29."""
KEPT = 4
"""Sorted scores that are remembered by their content."""
KEPT_FROM, KEPT_TO = 2**12, 2**18
"""Of fewer, sorting is as fast as looking up; more would take too much memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SortedScores:
    """Items sorted by falling score; items of equal score form one group."""

    thresholds: FloatArray
    """The distinct scores, highest first."""
    tp: IndexArray
    """Positives at or above each threshold."""
    fp: IndexArray
    """Negatives at or above each threshold."""
    order: IndexArray
    """The rows in sorted order."""
    hits: BoolArray
    """The truth in sorted order."""

    @property
    def n_positive(self) -> int:
        return int(self.tp[-1]) if self.tp.size else 0

    @property
    def n_negative(self) -> int:
        return int(self.fp[-1]) if self.fp.size else 0

    @property
    def positives(self) -> IndexArray:
        """Positives in each group."""
        return _steps(self.tp)

    @property
    def negatives(self) -> IndexArray:
        """Negatives in each group."""
        return _steps(self.fp)


def sort_scores(truth: ArrayLike, scores: ArrayLike) -> SortedScores:
    """Sort once; everything else here starts from the result. Truth is 0/1 or False/True.

    The last few results are kept: an estimate, a test and a curve of the same scores sort once.
    """
    values, labels = np.asarray(scores, dtype=np.float64), np.asarray(truth, dtype=np.bool_)
    if not KEPT_FROM <= values.size <= KEPT_TO:
        return _sorted(labels, values)
    key = (values.size, hash(values.tobytes()), hash(labels.tobytes()))
    found = _KEPT.get(key)
    if found is None:
        found = _KEPT[key] = _sorted(labels, values)
        while len(_KEPT) > KEPT:
            _KEPT.pop(next(iter(_KEPT)), None)
    return found


def _sorted(truth: BoolArray, values: FloatArray) -> SortedScores:
    order = np.argsort(values)[::-1]
    ordered = values[order]
    hits = truth[order]
    changed = ordered[1:] != ordered[:-1]
    ends = np.flatnonzero(np.append(changed, True) if ordered.size else changed)
    thresholds = ordered[ends]
    del ordered, changed  # what is done with goes: these are as large as the scores
    # narrow running sums: half the memory, and exact
    narrow = np.int32 if values.size < 2**31 else np.intp
    tp = np.cumsum(hits, dtype=narrow)[ends].astype(np.intp)
    ends += 1
    ends -= tp
    return SortedScores(thresholds=thresholds, tp=tp, fp=ends, order=order, hits=hits)


_KEPT: dict[tuple[int, int, int], SortedScores] = {}


def forget_sorted() -> None:
    """Forget the sorted scores that were kept."""
    _KEPT.clear()


def u_statistic(groups: SortedScores) -> float:
    """Mann-Whitney's U: pairs in which the positive scores higher, ties counting half."""
    doubled = 2 * groups.tp
    doubled -= groups.positives
    doubled *= groups.negatives
    return float(doubled.sum(dtype=np.int64)) / 2.0


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


def pooled_placements(truth: ArrayLike, ranks: ArrayLike) -> FloatArray:
    """What each item adds to the difference of two AUCs when its two ranks may be swapped.

    Let each item have an entry for either model, and r(e) be the number of entries of the other
    class, of both models, on the right side of an entry e (ties half). If A takes one entry of
    each item and B the other, U_A − U_B = ½ Σ (r(A's) − r(B's)): products of two choices cancel,
    so that swapping flips the sign of a term. ``ranks`` is (2, n); in pairs of items.
    """
    labels, entries = np.asarray(truth, dtype=np.bool_), np.asarray(ranks, dtype=np.float64)
    terms = np.empty(labels.size)
    for member, sign in ((labels, 1.0), (~labels, -1.0)):
        others = np.sort(entries[:, ~member].ravel())
        below = [
            np.searchsorted(others, entries[:, member], side=side) for side in ("left", "right")
        ]
        placed = (below[0] + below[1]) / 2.0
        terms[member] = sign * 0.5 * (placed[0] - placed[1])
    return terms


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

    One running sum of the weights of positives, highest score first, gives each negative what lies
    above it; ties between the classes stand as won and half of them is taken back.
    """
    order, hits = _positives_first(groups)
    ends = _tied_ends(groups)

    def block(weights: NDArray[np.generic]) -> FloatArray:
        ordered = _in_order(weights, order)
        negative = _masked(ordered, ~hits)
        above = _running(_masked(ordered, hits))
        halves: Any = 0.0
        if ends.size:
            tied = [_steps_between(sums, ends) for sums in (above, _running(negative))]
            halves = 0.5 * (tied[0] * tied[1]).sum(-1)
        pairs = _last(above) * negative.sum(-1, dtype=_wide(negative))
        return _divide(_products(above, negative) - halves, pairs)

    return _in_blocks(block, groups.order.size)


def average_precision_of_weights(groups: SortedScores) -> Weighted:
    """The average precision as a function of weights on the rows."""
    order, hits = _positives_first(groups)
    stops = np.flatnonzero(groups.positives)  # recall moves at these groups only
    ends = (groups.tp + groups.fp)[stops] - 1
    tp_at = groups.tp[stops] - 1
    rows = np.flatnonzero(hits) if order is None else order[np.flatnonzero(hits)]

    def block(weights: NDArray[np.generic]) -> FloatArray:
        if not stops.size:
            return np.full(weights.shape[:-1], np.nan)
        reached = _running(_in_order(weights, order))
        reached = np.take(reached, ends, axis=-1, mode="clip")
        tp = _running(np.take(weights, rows, axis=-1, mode="clip"))
        tp = np.take(tp, tp_at, axis=-1, mode="clip") if tp_at.size < rows.size else tp
        # nothing drawn so far: precision has no weight there
        precision = tp / np.where(reached == 0, 1, reached)
        return _divide(np.einsum("...i,...i->...", _steps(tp), precision), tp[..., -1])

    return _in_blocks(block, groups.order.size)


def partial_area_of_weights(groups: SortedScores, max_fpr: float) -> Weighted:
    """The area under the ROC curve from FPR 0 to ``max_fpr``, as a function of weights."""

    def area(curve: _Curve) -> FloatArray:
        found = _area_to(curve.fp, curve.tp, curve.limit)
        shares = _divide(found, curve.positives * curve.negatives)
        return np.asarray(np.minimum(shares, max_fpr))  # a perfect one, but for rounding

    return _of_curve(groups, max_fpr, area)


def sensitivity_of_weights(groups: SortedScores, max_fpr: float) -> Weighted:
    """The height of the ROC curve at FPR ``max_fpr``, as a function of weights."""

    def height(curve: _Curve) -> FloatArray:
        found = _height_at(curve.fp, curve.tp, curve.limit)
        both = curve.negatives > 0  # without negatives there is no curve: 0/0
        return _divide(np.where(both, found, 0.0), np.where(both, curve.positives, 0.0))

    return _of_curve(groups, max_fpr, height)


class _Curve(NamedTuple):
    """Points of the ROC curves of replicates, in counts, up to a number of false positives."""

    fp: NDArray[Any]
    tp: NDArray[Any]
    limit: FloatArray
    positives: FloatArray
    negatives: FloatArray


def _of_curve(
    groups: SortedScores, max_fpr: float, value: Callable[[_Curve], FloatArray]
) -> Weighted:
    """What is read off the ROC curve up to ``max_fpr``, as a function of weights."""
    order, hits = _positives_first(groups)
    ends = groups.tp + groups.fp - 1
    # as many groups as any but the strangest replicate needs to reach the limit
    wanted = max_fpr * groups.n_negative
    enough = int(np.searchsorted(groups.fp, wanted + 10.0 * wanted**0.5 + 10.0, side="right")) + 1

    def points(ordered: NDArray[Any], stop: int) -> tuple[NDArray[Any], NDArray[Any]]:
        last = int(ends[stop - 1]) + 1
        part, of_class = ordered[..., :last], (~hits[:last], hits[:last])
        fp, tp = (_running(_masked(part, one)) for one in of_class)
        if stop == last:  # no ties
            return fp, tp
        return np.take(fp, ends[:stop], axis=-1), np.take(tp, ends[:stop], axis=-1)

    def block(weights: NDArray[np.generic]) -> FloatArray:
        if not ends.size:
            return np.full(weights.shape[:-1], np.nan)
        ordered = _in_order(weights, order)
        sums = [_masked(ordered, one).sum(-1, dtype=_wide(ordered)) for one in (hits, ~hits)]
        totals = (np.asarray(sums[0], np.float64), np.asarray(sums[1], np.float64))
        limit = max_fpr * totals[1]
        fp, tp = points(ordered, min(enough, ends.size))
        if enough < ends.size and bool((fp[..., -1] <= limit * _ROUNDED).any()):
            fp, tp = points(ordered, ends.size)
        return value(_Curve(fp, tp, limit, *totals))

    return _in_blocks(block, groups.order.size)


def _placements(truth: BoolArray, groups: SortedScores) -> tuple[FloatArray, FloatArray]:
    positives, negatives = groups.positives, groups.negatives
    below = groups.n_negative - (groups.fp - negatives / 2.0)
    above = groups.tp - positives / 2.0
    placed = np.empty(truth.size)
    positive_rows, negative_rows = _rows(groups)
    placed[positive_rows] = np.repeat(_divide(below, groups.n_negative), positives)
    placed[negative_rows] = np.repeat(_divide(above, groups.n_positive), negatives)
    return placed[np.flatnonzero(truth)], placed[np.flatnonzero(~truth)]


def _rows(groups: SortedScores) -> tuple[IndexArray, IndexArray]:
    """The rows of positives and of negatives, highest score first."""
    # four times as fast as indexing with booleans
    return groups.order[np.flatnonzero(groups.hits)], groups.order[np.flatnonzero(~groups.hits)]


def _in_order(weights: NDArray[Any], order: IndexArray | None) -> NDArray[Any]:
    """The weights by falling score; None says that they are."""
    return weights if order is None else np.take(weights, order, axis=-1, mode="clip")


def _positives_first(groups: SortedScores) -> tuple[IndexArray | None, BoolArray]:
    """The rows by falling score, positives first among equal scores, and which are positive.

    None for rows that are in this order.
    """
    order, hits = groups.order, groups.hits
    if _tied_ends(groups).size:
        group = np.repeat(np.arange(groups.tp.size), groups.positives + groups.negatives)
        place = np.lexsort((~hits, group))
        order, hits = order[place], hits[place]
    return None if bool((order == np.arange(order.size)).all()) else order, hits


def _tied_ends(groups: SortedScores) -> IndexArray:
    """First and last places (less one, last) of the groups that hold both classes, in rows."""
    mixed = np.flatnonzero((groups.positives > 0) & (groups.negatives > 0))
    last = groups.tp[mixed] + groups.fp[mixed] - 1
    return np.stack([last - groups.positives[mixed] - groups.negatives[mixed], last]).ravel()


def _steps_between(sums: NDArray[Any], ends: IndexArray) -> FloatArray:
    """What running sums gain from the first half of ``ends`` to the second; before 0 lies 0."""
    first, last = np.split(ends, 2)
    before = np.where(first < 0, 0, np.take(sums, np.maximum(first, 0), axis=-1))
    return np.asarray(np.take(sums, last, axis=-1) - before, dtype=np.float64)


def _masked(weights: NDArray[Any], kept: BoolArray) -> NDArray[Any]:
    """The weights of some rows, 0 for the others."""
    if weights.dtype.kind in "iu":  # a bit mask is ten times as fast as a product
        return np.asarray(weights & (0 - kept.view(np.int8)).astype(weights.dtype))
    return np.asarray(weights * kept)


def _wide(weights: NDArray[Any]) -> Any:
    return np.int64 if weights.dtype.kind in "iu" else np.float64


def _running(weights: NDArray[Any]) -> NDArray[Any]:
    """Running sums along the rows; whole numbers stay whole, which is exact and much faster."""
    if weights.dtype.kind in "iu":
        return np.cumsum(weights, axis=-1, dtype=np.int32 if weights.itemsize < 4 else np.int64)
    return np.cumsum(weights, axis=-1, dtype=np.float64)


def _last(sums: NDArray[Any]) -> FloatArray:
    if not sums.shape[-1]:
        return np.zeros(sums.shape[:-1])
    return np.asarray(sums[..., -1], dtype=np.float64)


def _products(sums: NDArray[Any], weights: NDArray[Any]) -> FloatArray:
    """Sums of running sums times weights along the last axis; the running sums are used up."""
    if weights.dtype.kind not in "iu":
        return np.asarray(np.einsum("...i,...i->...", sums, weights))
    largest = int(sums[..., -1:].max(initial=0)) * int(weights.max(initial=0))
    if sums.dtype == np.int32 and largest >= 2**31:  # a product might not fit
        sums = sums.astype(np.int64)
    np.multiply(sums, weights, out=sums, casting="unsafe")
    return np.asarray(sums.sum(-1, dtype=np.int64), dtype=np.float64)


def _area_to(fp: NDArray[Any], tp: NDArray[Any], limit: FloatArray) -> FloatArray:
    """Trapezoids under the points (fp, tp), the last one cut at ``limit``."""
    reached = np.minimum(fp, limit[..., None])
    width = _steps(reached)
    run, gain = _steps(np.asarray(fp, np.float64)), _steps(np.asarray(tp, np.float64))
    area = np.einsum("...i,...i->...", width, tp - gain)
    sloped = np.flatnonzero(((run > 0) & (gain > 0)).any(axis=tuple(range(run.ndim - 1))))
    if sloped.size:
        steep = gain[..., sloped] / np.where(run[..., sloped] > 0, run[..., sloped], 1.0)
        area = area + 0.5 * (width[..., sloped] ** 2 * steep).sum(-1)
    return np.asarray(area)


def _height_at(fp: NDArray[Any], tp: NDArray[Any], limit: FloatArray) -> FloatArray:
    """The highest point of the curve at ``limit``; within a group of ties on the line between its ends."""
    reached = (fp <= (limit * _ROUNDED)[..., None]).sum(-1)
    last = fp.shape[-1] - 1

    def at(points: NDArray[Any], place: IndexArray) -> FloatArray:
        found = np.take_along_axis(points, np.clip(place, 0, last)[..., None], axis=-1)[..., 0]
        return np.where(place < 0, 0.0, np.asarray(found, np.float64))

    left, height = at(fp, reached - 1), at(tp, reached - 1)
    run, gain = at(fp, reached) - left, at(tp, reached) - height
    share = np.clip((limit - left) / np.where(run > 0, run, 1.0), 0.0, 1.0)
    return np.asarray(height + share * np.where(run > 0, gain, 0.0))


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


def _share(counts: IndexArray) -> FloatArray:
    return _divide(counts, counts[-1] if counts.size else 0)


def _divide(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """The quotient; 0/0 is NaN, and no other division by 0 can occur here."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))
