"""Wilcoxon's signed ranks for many pairs of models at once: one sort for all of them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.kernels.decimals import exact_differences
from assay.kernels.lattice import doubled, subset_sum_cdf, subset_sum_work
from assay.kernels.ranks import NOISE, TIE
from assay.kernels.roots import bracketed_root
from assay.kernels.shifts import agreeing

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_AT_ONCE = 2**20
_IN_CACHE = 2**16
_LISTED = 300
"""Up to so many blocks the averages of pairs are listed, beyond it they are counted."""
_UNTIED_MOST = 1200
"""Blocks up to which the exact distribution without ties, shared by all pairs, is made."""
_EXACT_WORK = 5e8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairRanks:
    """For each pair (rows): differences with decimal ties, their ranks, zeros left out (rank 0)."""

    differences: FloatArray
    ranks: FloatArray
    plus: FloatArray
    n_nonzero: IntArray
    squares: FloatArray

    @property
    def totals(self) -> FloatArray:
        return self.n_nonzero * (self.n_nonzero + 1) / 2.0

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Whether sizes are tied, seen from the sum of squared ranks."""
        n = self.n_nonzero.astype(np.float64)
        return self.squares < n * (n + 1) * (2 * n + 1) / 6.0 - 0.25

    def normal_p(self) -> FloatArray:
        """Two-sided, variance corrected for ties, without continuity correction."""
        spread = np.sqrt(np.maximum(self.squares, 1e-300)) / 2.0
        z = (self.plus - self.totals / 2.0) / spread
        return np.where(self.n_nonzero > 0, 2 * ndtr(-np.abs(z)), 1.0)

    def exact_work(self) -> float:
        """Additions for the exact distributions of all pairs; without ties they are shared."""
        if self.n_nonzero.max(initial=0) > _UNTIED_MOST:
            return math.inf
        tied = np.flatnonzero(self.tied)
        if tied.size * float(self.n_nonzero.max(initial=0)) ** 3 / 2.0 <= _EXACT_WORK:
            return 0.0
        return sum(subset_sum_work(doubled(self._kept(row))) for row in tied.tolist())

    def exact_is_cheap(self) -> bool:
        return self.exact_work() <= _EXACT_WORK

    def exact_p(self) -> FloatArray:
        """Two-sided, over all signs of the ranks as they are."""
        least = np.minimum(self.plus, self.totals - self.plus)
        p = np.ones(self.plus.size)
        tied = self.tied
        for n in np.unique(self.n_nonzero[~tied]).tolist():
            if n:
                rows = ~tied & (self.n_nonzero == n)
                p[rows] = 2 * signed_rank_cdf(n)[least[rows].astype(np.int64)]
        for row in np.flatnonzero(tied).tolist():
            p[row] = 2 * subset_sum_cdf(doubled(self._kept(row)), round(2 * least[row]))
        return np.minimum(p, 1.0)

    def shifts(
        self, p: FloatArray, levels: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Hodges-Lehmann estimates, and limits at each pair's own level that agree with its p."""
        found = np.zeros((3, self.plus.size))
        for n in np.unique(self.n_nonzero[self.n_nonzero > 0]).tolist():
            rows = np.flatnonzero(self.n_nonzero == n)
            kept = self.differences[rows][self.ranks[rows] > 0].reshape(rows.size, n)
            listed = n <= _LISTED
            step = rows.size if listed else max(1, _IN_CACHE // n)
            for start in range(0, rows.size, step):
                part = slice(start, start + step)
                place = _listed if listed else _counted
                found[:, rows[part]] = place(kept[part], levels[rows[part]])
        value, low, high = found
        accepted, above = p > levels, self.plus > self.totals / 2.0
        for row in np.flatnonzero(self.n_nonzero).tolist():
            low[row], high[row] = agreeing(
                low[row], high[row], accepted=bool(accepted[row]), above=bool(above[row])
            )
        return np.clip(value, low, high), low, high

    def _kept(self, row: int) -> FloatArray:
        return cast("FloatArray", self.ranks[row][self.ranks[row] > 0])


def pair_ranks(
    values: FloatArray, first: IntArray, second: IntArray, *, exactly: bool = False
) -> PairRanks:
    """Signed ranks of the differences of columns ``first`` minus ``second``.

    Sizes are tied where they agree to 1e-10 of the scale, or ``exactly``, in every printed digit.
    """
    columns = np.ascontiguousarray(values.T)
    step = max(1, _AT_ONCE // columns.shape[1])
    parts = [
        _pair_ranks(
            columns, first[start : start + step], second[start : start + step], exactly=exactly
        )
        for start in range(0, first.size, step)
    ]
    return PairRanks(
        differences=np.concatenate([part.differences for part in parts]),
        ranks=np.concatenate([part.ranks for part in parts]),
        plus=np.concatenate([part.plus for part in parts]),
        n_nonzero=np.concatenate([part.n_nonzero for part in parts]),
        squares=np.concatenate([part.squares for part in parts]),
    )


def _pair_ranks(
    columns: FloatArray, first: IntArray, second: IntArray, *, exactly: bool
) -> PairRanks:
    if exactly:
        raw = exact_differences(columns[first], columns[second])
        tolerance = np.zeros((first.size, 1))
    else:
        raw = columns[first] - columns[second]
        largest = np.abs(columns).max(axis=1)
        tolerance = NOISE * np.maximum(largest[first], largest[second])[:, None]
    sizes = np.abs(raw)
    order = np.argsort(sizes, axis=1)  # ties are found below, so that their order does not matter
    ordered = np.take_along_axis(sizes, order, axis=1)
    if not exactly:
        tolerance = np.maximum(tolerance, TIE * ordered[:, -1:])
    # zero stands before the smallest, so that what is equal to it but for rounding is a zero too
    begins = np.empty(ordered.shape, dtype=bool)
    begins[:, 0] = ordered[:, 0] > tolerance[:, 0]
    np.greater(np.diff(ordered, axis=1), tolerance, out=begins[:, 1:])
    midrank, group_size = _midranks_of_groups(begins, ordered)
    ranks = np.empty_like(ordered)
    np.put_along_axis(ranks, order, midrank, axis=1)
    equal = np.empty_like(ordered)
    np.put_along_axis(equal, order, group_size, axis=1)
    return PairRanks(
        differences=np.copysign(equal, raw),
        ranks=ranks,
        plus=np.where(raw > 0.0, ranks, 0.0).sum(axis=1),
        n_nonzero=np.count_nonzero(midrank, axis=1),
        squares=(midrank**2).sum(axis=1),
    )


def _midranks_of_groups(
    begins: NDArray[np.bool_], ordered: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """For sorted sizes the midrank of each (0 for zeros), and the size all of its group take."""
    n = begins.shape[1]
    places = np.arange(n)
    first = np.maximum.accumulate(np.where(begins, places, -1), axis=1)
    ends = np.ones_like(begins)
    ends[:, :-1] = begins[:, 1:]
    last = np.minimum.accumulate(np.where(ends, places, n)[:, ::-1], axis=1)[:, ::-1]
    n_zero = np.count_nonzero(first < 0, axis=1)[:, None]
    midrank = np.where(first < 0, 0.0, (first + last) / 2.0 + 1.0 - n_zero)
    equal = np.where(first < 0, 0.0, np.take_along_axis(ordered, np.maximum(first, 0), axis=1))
    return midrank, equal


@lru_cache(maxsize=64)
def signed_rank_cdf(n: int) -> FloatArray:
    """P(W <= w) of the signed rank sum of n untied differences, for w up to half the total."""
    half = n * (n + 1) // 4
    mass = np.zeros(half + 1)
    mass[0] = 1.0
    for rank in range(1, n + 1):
        if rank <= half:
            mass[rank:] += mass[: half + 1 - rank].copy()
        mass *= 0.5
        if rank % 64 == 0:
            mass[mass < 1e-290] = 0.0  # numbers near underflow slow the machine down
    return np.cumsum(mass)


def _listed(values: FloatArray, levels: FloatArray) -> FloatArray:
    """Order statistics of the averages of pairs, their places from the exact distribution."""
    rows, columns = _triangle(values.shape[1])
    count = rows.size
    outside = np.searchsorted(signed_rank_cdf(values.shape[1]), levels / 2.0, side="right")
    middle = ((count - 1) // 2, count // 2)
    found = np.empty((3, len(values)))
    sums, other = np.empty(count), np.empty(count)
    for row, (line, one) in enumerate(zip(values, outside.tolist(), strict=True)):
        line.take(rows, out=sums, mode="clip")  # "clip" lets it write without a copy
        sums += line.take(columns, out=other, mode="clip")
        sums.partition((*middle, one - 1, count - one) if one else middle)
        found[0, row] = sums[middle[0]] + sums[middle[1]]
        ends = (sums[one - 1], sums[count - one]) if one else (-np.inf, np.inf)
        found[1:, row] = 2.0 * ends[0], 2.0 * ends[1]
    return found / 4.0


@lru_cache(maxsize=16)
def _triangle(n: int) -> tuple[IntArray, IntArray]:
    rows, columns = np.triu_indices(n)
    return rows, columns


def _counted(values: FloatArray, levels: FloatArray) -> FloatArray:
    """The same for many blocks (rows pairs), by the normal approximation.

    The rank sum at a shift is the number of averages above it, which binary search counts: rows
    laid end to end in one sorted array are searched in one go.
    """
    pairs, n = values.shape
    ordered = np.sort(values, axis=1)
    middle, scale = ordered[:, n // 2], np.ptp(ordered, axis=1)
    # rows 8 apart: scaled values stay within ±1 and their mirror images within ±3
    scaled = (ordered - middle[:, None]) / np.where(scale > 0.0, scale, 1.0)[:, None]
    base = 8.0 * np.arange(pairs)
    line = (scaled + base[:, None]).ravel()
    starts = n * np.arange(pairs)

    def averages_below(shift: FloatArray) -> FloatArray:
        mirrored = (2.0 * shift + base)[:, None] - scaled
        met = np.searchsorted(line, mirrored.ravel(), side="right").reshape(pairs, n)
        own = np.searchsorted(line, shift + base, side="right") - starts
        counted: FloatArray = (np.clip(met - starts[:, None], 0, n).sum(axis=1) + own) / 2.0
        return counted

    reach = -ndtri(levels / 2.0)
    quarter = scaled[:, (3 * n) // 4] - scaled[:, n // 4]
    near = np.minimum(quarter * (reach + 6.0) / np.sqrt(n), 1.0)
    ends = (averages_below(-near), averages_below(near))
    found = []
    for target in (np.zeros(pairs), -reach, reach):
        goal = n * (n + 1) / 4.0 + target * np.sqrt(n * (n + 1) * (2 * n + 1) / 24.0)
        low = np.where(ends[0] < goal, -near, -1.0)
        high = np.where(ends[1] > goal, near, 1.0)
        solve = partial(_excess, averages_below, goal)
        # the count is nearly linear there: a few steps come within the distance of two averages
        found.append(middle + scale * bracketed_root(solve, low, high, max_steps=6))
    return np.stack(found)


def _excess(
    count: Callable[[FloatArray], FloatArray], goal: FloatArray, at: FloatArray
) -> FloatArray:
    return count(at) - goal
