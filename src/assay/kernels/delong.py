"""DeLong's covariance of areas under ROC curves, with memory for little more than the scores.

The placement of a positive is the share of negatives below it, that of a negative the share of
positives above it, ties counting half. Doubled and multiplied by the size of the other class they
are whole numbers, and are kept as such.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.arrays import BoolArray, FloatArray
from assay.kernels.auc import SortedScores, auc, sort_scores
from assay.kernels.batched_rankings import class_df, effective_items

BLOCK = 2**20
"""Groups of scores, or items, that are looked at together: it bounds what is copied."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedAreas:
    """The areas of k models on the same items and all that DeLong's tests need beside them.

    ``resting`` says on how many items, in effect, the variance of each area rests.

    ``of_positives`` and ``of_negatives`` are covariances (k, k) of the means of placements: their
    sum is DeLong's covariance (1988, eq. 5-6). Where scores were put into bins, ``shift`` bounds
    how far each area can be from that of the scores themselves, and ``blur`` (2, k) how much the
    standard error can lack, in its part from the positives and in that from the negatives.
    """

    areas: FloatArray
    of_positives: FloatArray
    of_negatives: FloatArray
    n_positive: int
    n_negative: int
    resting: FloatArray
    shift: FloatArray
    blur: FloatArray

    @property
    def covariance(self) -> FloatArray:
        """NaN where a class has fewer than two items."""
        return np.asarray(self.of_positives + self.of_negatives)

    def select(self, places: Sequence[int]) -> "PlacedAreas":
        """The same of some of the models."""
        listed = list(places)
        block = np.ix_(listed, listed)
        return PlacedAreas(
            areas=self.areas[listed],
            of_positives=self.of_positives[block],
            of_negatives=self.of_negatives[block],
            n_positive=self.n_positive,
            n_negative=self.n_negative,
            resting=self.resting[listed],
            shift=self.shift[listed],
            blur=self.blur[:, listed],
        )

    @property
    def binned(self) -> bool:
        """Whether ties in bins may hide an order of scores."""
        return bool((self.shift > 0.0).any())

    def most_shift(self, contrast: ArrayLike) -> float:
        """How far a contrast of the areas can be from that of the scores themselves."""
        return float(np.abs(np.asarray(contrast, dtype=np.float64)) @ self.shift)

    def errors(self, contrast: ArrayLike) -> tuple[float, float]:
        """The least and the largest standard error of a contrast that the bins allow, or NaN.

        In either class the placements of the scores themselves differ from those of the bins by at
        most a known root mean square, by which their spread can differ (Minkowski).
        """
        chosen = np.asarray(contrast, dtype=np.float64)
        least = most = 0.0
        for part, blur in zip((self.of_positives, self.of_negatives), self.blur, strict=True):
            spread = float(np.sqrt(np.maximum(chosen @ part @ chosen, 0.0)))
            hidden = float(np.abs(chosen) @ blur)
            least += (spread - min(hidden, spread)) ** 2
            most += (spread + hidden) ** 2
        return least**0.5, most**0.5

    def difference_df(self) -> float:
        """Degrees of freedom of the variance of the difference of two areas; NaN if not estimated.

        The variance is the sum of two independent parts, one from the positives and one from the
        negatives, as in the test of Brunner and Munzel (2000): Satterthwaite's, but no more than
        class sizes allow (`class_df`), or a part that is small by chance would lend many.
        """
        sizes = (self.n_positive, self.n_negative)
        if min(sizes) < 2:
            return float("nan")
        parts = [float(difference_variance(one)) for one in (self.of_positives, self.of_negatives)]
        shares = sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
        return min(sum(parts) ** 2 / shares, self._allowed()) if shares > 0.0 else float("nan")

    def least_df(self) -> float:
        """The fewest degrees of freedom there can be, whatever the placements are."""
        return min(float(min(self.n_positive, self.n_negative) - 1), self._allowed())

    def _allowed(self) -> float:
        return float(class_df(np.array(float(self.n_positive)), np.array(float(self.n_negative))))


def difference_variance(covariance: FloatArray) -> float:
    """The variance of the first minus the second, never below 0."""
    (a, both), (_, b) = covariance[:2, :2]
    return max(float(a + b - 2.0 * both), 0.0)


def placed_areas(truth: ArrayLike, scores: ArrayLike) -> PlacedAreas:
    """Areas and covariances of k models ``(k, n)`` on the same items, one sort per model.

    After Sun and Xu (2014). Beside the scores memory holds one sorted model at a time and a whole
    number for each score. Covariances are NaN where a class has fewer than two items.
    """
    labels = np.asarray(truth, dtype=np.bool_)
    rows = np.atleast_2d(np.asarray(scores, dtype=np.float64))
    n_positive = int(np.count_nonzero(labels))
    sizes = (n_positive, labels.size - n_positive)
    areas = np.empty(len(rows))
    doubled = np.empty(rows.shape, dtype=np.int32 if 2 * labels.size < 2**31 else np.int64)
    for model, row in enumerate(rows):
        groups = sort_scores(labels, row)
        areas[model] = auc(groups)
        _place(groups, doubled[model])
        del groups  # before the next model is sorted
    parts, resting = [np.full((len(rows), len(rows)), np.nan)] * 2, np.zeros(len(rows))
    if min(sizes) > 0:
        parts, resting = _mean_covariances(doubled, labels, areas, sizes)
    return PlacedAreas(
        areas=areas,
        of_positives=parts[0],
        of_negatives=parts[1],
        n_positive=sizes[0],
        n_negative=sizes[1],
        resting=resting,
        shift=np.zeros(len(rows)),
        blur=np.zeros((2, len(rows))),
    )


def delong_covariance(truth: ArrayLike, scores: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """AUCs ``(k,)`` of k models ``(k, n)`` on the same items, and their covariance ``(k, k)``."""
    found = placed_areas(truth, scores)
    return found.areas, found.covariance


def _place(groups: SortedScores, doubled: NDArray[Any]) -> None:
    """Twice the number of items of the other class on the right side of each, in row order."""
    first = 0
    for start in range(0, groups.tp.size, BLOCK):
        stop = start + BLOCK
        tp, fp = (
            np.diff(sums[start:stop], prepend=sums[start - 1] if start else 0)
            for sums in (groups.tp, groups.fp)
        )
        below = 2 * (groups.n_negative - groups.fp[start:stop]) + fp
        above = 2 * groups.tp[start:stop] - tp
        sizes = tp + fp
        last = first + int(sizes.sum())
        rows, hits = groups.order[first:last], groups.hits[first:last]
        if last - first == sizes.size:  # no ties
            doubled[rows] = np.where(hits, below, above)
        else:
            doubled[rows] = np.where(hits, np.repeat(below, sizes), np.repeat(above, sizes))
        first = last


def _mean_covariances(
    doubled: NDArray[Any], truth: BoolArray, areas: FloatArray, sizes: tuple[int, int]
) -> tuple[list[FloatArray], FloatArray]:
    """Covariances of the means of placements by class, and the items each area rests on.

    Products of whole numbers are summed exactly and divided once: the order of rows leaves no trace.
    """
    parts, squares, fourths = [], np.zeros(areas.size), np.zeros(areas.size)
    for members, size, others in zip((truth, ~truth), sizes, sizes[::-1], strict=True):
        placed = doubled[:, np.flatnonzero(members)]
        total = _centred_products(placed)
        squares += np.array([int(one) / (4 * others**2 * size**3) for one in total.diagonal()])
        fourths += _fourth_powers(placed, areas, size, others)
        scale = 4 * others**2 * size**2 * (size - 1)
        parts.append(
            np.array([[int(one) / scale if scale else np.nan for one in row] for row in total])
        )
    if min(sizes) < 2:
        parts = [np.full_like(part, np.nan) for part in parts]
    return parts, effective_items((squares, fourths))


def _centred_products(placed: NDArray[Any]) -> NDArray[Any]:
    """Size times the sums of squares and products of rows about their means, as whole numbers of Python."""
    size = placed.shape[1]
    largest = max(int(placed.max(initial=1)), 1)
    step = min(BLOCK, max((2**62) // largest**2, 1))  # what a sum of so many products can hold
    products: Any = 0
    for start in range(0, size, step):
        block = placed[:, start : start + step].astype(np.int64)
        products = products + np.einsum("in,jn->ij", block, block).astype(object)
    sums = placed.sum(axis=1, dtype=np.int64).astype(object)
    return np.asarray(size * products - np.outer(sums, sums))


def _fourth_powers(placed: NDArray[Any], areas: FloatArray, size: int, others: int) -> FloatArray:
    """Sums of fourth powers of what each item adds to an area, the smallest first."""
    found = np.empty(areas.size)
    for model, row in enumerate(placed):
        parts = row / (2.0 * others)
        parts -= areas[model]
        parts /= size
        parts *= parts
        parts *= parts
        parts.sort()
        found[model] = parts.sum()
    return found
