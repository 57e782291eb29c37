"""Rankings of many samples at once: areas and average precisions, and what each item adds to them.

Rows are samples, columns items; every row is sorted once. One ranking is a row of its own.
"""

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IndexArray

DUST = 1e-14
"""Variances below this are sums that cancel but for rounding."""
CLASS_SHARE = 0.8
"""Of the degrees of freedom that class sizes allow: placements lean on each other a little."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranked:
    """Items of each row by falling score, and how many of either class stand at or above each."""

    order: IndexArray
    hits: BoolArray
    tp: IndexArray
    begins: IndexArray | None
    """Where the group of equal scores begins and ends; None without ties."""
    ends: IndexArray | None

    @property
    def positives(self) -> FloatArray:
        return self.tp[:, -1:].astype(np.float64)

    @property
    def negatives(self) -> FloatArray:
        return np.asarray(self.hits.shape[1] - self.positives)

    def in_rows(self, values: FloatArray) -> FloatArray:
        """Values by falling score put back into the order of the items."""
        found = np.empty_like(values)
        np.put_along_axis(found, self.order, values, axis=1)
        return found


def ranked(truth: BoolArray, scores: FloatArray) -> Ranked:
    """Sort each row of ``scores``; ``truth`` has the same shape."""
    order = np.argsort(scores, axis=1)[:, ::-1]
    hits = np.take_along_axis(truth, order, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    begins = ends = None
    differs = ordered[:, 1:] != ordered[:, :-1]
    if not differs.all():
        places = np.arange(scores.shape[1])
        first = np.concatenate([np.ones((len(scores), 1), dtype=bool), differs], axis=1)
        last = np.concatenate([differs, np.ones((len(scores), 1), dtype=bool)], axis=1)
        begins = np.maximum.accumulate(np.where(first, places, 0), axis=1)
        backwards = np.where(last, places, places.size)[:, ::-1]
        ends = np.minimum.accumulate(backwards, axis=1)[:, ::-1]
    return Ranked(order=order, hits=hits, tp=np.cumsum(hits, axis=1), begins=begins, ends=ends)


def placed(rows: Ranked) -> tuple[FloatArray, FloatArray]:
    """Areas under the ROC curves, and the placements of DeLong of the items, ties counting half.

    Of a positive the share of negatives below it, of a negative that of positives above it.
    """
    places = np.arange(1, rows.hits.shape[1] + 1)
    if rows.begins is None or rows.ends is None:
        tp = rows.tp.astype(np.float64)
        fp = places - tp
    else:
        at_end = np.take_along_axis(rows.tp, rows.ends, axis=1)
        before = np.take_along_axis(rows.tp - rows.hits, rows.begins, axis=1)
        tp = (at_end + before) / 2.0
        fp = (rows.ends + 1 + rows.begins) / 2.0 - tp
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(rows.hits, 1.0 - fp / rows.negatives, tp / rows.positives)
        area = (found * rows.hits).sum(axis=1) / rows.positives[:, 0]
    return area, found


def precision_influence(rows: Ranked) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Average precisions, their slopes in the weight of each item, and the weight of self-counting.

    With precision TP/N at each positive, N items standing at or above it, an item adds 1/N - TP/N²
    (a positive) or -TP/N² (a negative) to every precision at or below its own place. The last
    number is the mean of 1/N over the positives: each counts itself among those found, which
    lifts its precision by (1 - precision)/N on average.
    """
    if rows.begins is None or rows.ends is None:
        reached, tp = np.arange(1.0, rows.hits.shape[1] + 1), rows.tp.astype(np.float64)
    else:
        reached = rows.ends + 1.0
        tp = np.take_along_axis(rows.tp, rows.ends, axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = rows.hits / reached
        precision = tp / reached
        value = (precision * rows.hits).sum(axis=1) / rows.positives[:, 0]
        below = np.cumsum((shares * precision)[:, ::-1], axis=1)[:, ::-1]
        gains = np.cumsum(shares[:, ::-1], axis=1)[:, ::-1]
        repeats = gains[:, 0] / rows.positives[:, 0]
        if rows.begins is not None:
            below = np.take_along_axis(below, rows.begins, axis=1)
            gains = np.take_along_axis(gains, rows.begins, axis=1)
        slopes = np.where(rows.hits, precision - value[:, None] + gains, 0.0) - below
        slopes /= rows.positives
    return value, slopes, repeats


def power_sums(slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The sums of squares and of fourth powers of each row."""
    squares = slopes**2
    return squares.sum(axis=-1), np.einsum("ij,ij->i", squares, squares)


def effective_items(powers: tuple[FloatArray, FloatArray]) -> FloatArray:
    """How many items a sum of squares rests on: (sum of squares)² / sum of fourth powers."""
    square, fourth = powers
    known = square > DUST
    return np.where(known, square**2 / np.where(known, fourth, 1.0), 0.0)


def class_df(n_positive: FloatArray, n_negative: FloatArray) -> FloatArray:
    """Degrees of freedom that class sizes allow the variance of a difference of rankings.

    Satterthwaite's formula with the shares that the parts of either class are expected to have, in
    inverse proportion to its size: a part that happens to be small cannot lend it more.
    """
    share = n_negative / (n_positive + n_negative)
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = share**2 / (n_positive - 1.0) + (1.0 - share) ** 2 / (n_negative - 1.0)
        return np.asarray(CLASS_SHARE / lost)
