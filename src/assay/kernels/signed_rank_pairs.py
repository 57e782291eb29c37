"""Wilcoxon's signed ranks for many pairs of models at once: one sort for all of them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, cast

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.tolerances import NOISE, TIE
from assay.kernels.decimals import exact_differences
from assay.kernels.integer_sums import doubled, subset_sum_cdf, subset_sum_work
from assay.kernels.pair_sums import sums_at
from assay.kernels.rank_test_inversion import agreeing
from assay.kernels.special import ndtr, ndtri

_AT_ONCE = 2**15
UNTIED_MOST = 1200
"""Blocks up to which the exact distribution without ties, shared by all pairs, is made."""
_EXACT_WORK = 5e8
_FEW_SIZES = 8
"""Up to so many different numbers of blocks each distribution is made on its own, and kept."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankedPairs(ABC):
    """Sums of signed ranks, a row for each pair; where their differences are is said by the kinds below."""

    n: int
    plus: FloatArray
    n_nonzero: IntArray
    squares: FloatArray
    tied: BoolArray
    flat: BoolArray
    """Whether all differences of a pair are the same."""

    @property
    def totals(self) -> FloatArray:
        return self.n_nonzero * (self.n_nonzero + 1) / 2.0

    def normal_p(self) -> FloatArray:
        """Two-sided, variance corrected for ties, without continuity correction."""
        spread = np.sqrt(np.maximum(self.squares, 1e-300)) / 2.0
        z = (self.plus - self.totals / 2.0) / spread
        return np.where(self.n_nonzero > 0, 2 * ndtr(-np.abs(z)), 1.0)

    @abstractmethod
    def exact_is_cheap(self) -> bool:
        """Whether the exact distributions of all pairs are soon there."""

    @abstractmethod
    def exact_p(self) -> FloatArray:
        """Two-sided, over all signs of the ranks as they are."""

    @abstractmethod
    def differences_of(self, row: int) -> FloatArray:
        """The differences of one pair, with decimal ties."""

    @abstractmethod
    def averages(self, rows: IntArray, outside: IntArray) -> FloatArray:
        """Median and limits (rows) of the averages of two differences, so many of them outside."""

    def shifts(
        self, p: FloatArray, levels: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Hodges-Lehmann estimates, and limits at each pair's own level that agree with its p."""
        found = np.zeros((3, self.plus.size))
        rows = np.flatnonzero(self.n_nonzero)
        if rows.size:
            outside = averages_outside(self.n_nonzero[rows], levels[rows])
            found[:, rows] = self.averages(rows, outside)
        value, low, high = found
        for row in rows[(low >= high)[rows]].tolist():
            low[row], high[row] = _one_step_wider(self.differences_of(row), float(value[row]))
        accepted, above = p > levels, self.plus > self.totals / 2.0
        held = (low <= 0.0) & (high >= 0.0)
        for row in rows[(held != accepted)[rows]].tolist():
            low[row], high[row] = agreeing(
                low[row], high[row], accepted=bool(accepted[row]), above=bool(above[row])
            )
        return np.clip(value, low, high), low, high


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairRanks(RankedPairs):
    """For each pair (rows): differences with decimal ties, and their ranks by size (0 for zeros)."""

    differences: FloatArray
    ranks: FloatArray

    def exact_work(self) -> float:
        """Additions for the exact distributions of all pairs; without ties they are shared."""
        if self.n_nonzero.max(initial=0) > UNTIED_MOST:
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
        for n, cdf in _distributions(self.n_nonzero[~tied]):
            rows = ~tied & (self.n_nonzero == n)
            p[rows] = 2 * cdf[least[rows].astype(np.int64)]
        for row in np.flatnonzero(tied).tolist():
            p[row] = 2 * subset_sum_cdf(doubled(self._kept(row)), round(2 * least[row]))
        return np.minimum(p, 1.0)

    def differences_of(self, row: int) -> FloatArray:
        return cast("FloatArray", self.differences[row])

    def averages(self, rows: IntArray, outside: IntArray) -> FloatArray:
        found = np.empty((3, rows.size))
        step = max(1, _AT_ONCE // self.n)
        for start in range(0, rows.size, step):
            part = slice(start, start + step)
            values, sizes = self.differences[rows[part]], self.n_nonzero[rows[part]]
            if sizes.min() < self.n:
                values[values == 0.0] = np.inf
            values.sort(axis=1)
            found[:, part] = _averages_at(values, sizes, outside[part])
        return found

    def _kept(self, row: int) -> FloatArray:
        return cast("FloatArray", self.ranks[row][self.ranks[row] > 0])


_COLUMNS = tuple(one.name for one in fields(PairRanks) if one.name != "n")


def pair_ranks(
    values: FloatArray, first: IntArray, second: IntArray, *, exactly: bool = False
) -> PairRanks:
    """Signed ranks of the differences of columns ``first`` minus ``second``.

    Sizes are tied where they agree to 1e-10 of the scale, or ``exactly``, in every printed digit.
    """
    columns = np.ascontiguousarray(values.T)
    step = max(1, _AT_ONCE // columns.shape[1])
    kept: dict[str, Any] = {}
    for start in range(0, first.size, step):
        pairs = slice(start, start + step)
        part = _pair_ranks(columns, first[pairs], second[pairs], exactly=exactly)
        if step >= first.size:
            return part
        for name in _COLUMNS:
            of = getattr(part, name)
            if name not in kept:
                kept[name] = np.empty((first.size, *of.shape[1:]), dtype=of.dtype)
            kept[name][pairs] = of
    return PairRanks(n=len(values), **kept)


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
    # ties are found below, so that their order does not matter
    order = np.argsort(np.abs(raw), axis=1)
    order += raw.shape[1] * np.arange(first.size)[:, None]
    signed = raw.take(order)
    ordered = np.abs(signed)
    if not exactly:
        tolerance = np.maximum(tolerance, TIE * ordered[:, -1:])
    # zero stands before the smallest, so that what is equal to it but for rounding is a zero too
    begins = np.empty(ordered.shape, dtype=bool)
    begins[:, 0] = ordered[:, 0] > tolerance[:, 0]
    np.greater(ordered[:, 1:] - ordered[:, :-1], tolerance, out=begins[:, 1:])
    if begins.all():
        n = raw.shape[1]
        ranks = np.broadcast_to(np.arange(1.0, n + 1.0), raw.shape)
        n_nonzero, squares = np.full(first.size, n), np.full(first.size, squares_upto(n))
        tied = np.zeros(first.size, dtype=bool)
    else:
        ranks, equal = _midranks_of_groups(begins, ordered)
        raw.put(order, np.copysign(equal, signed))
        n_nonzero, squares = np.count_nonzero(ranks, axis=1), (ranks**2).sum(axis=1)
        tied = squares < squares_upto(n_nonzero) - 0.25
    return PairRanks(
        n=raw.shape[1],
        flat=(raw == raw[:, :1]).all(axis=1),
        differences=raw,
        ranks=ranks,
        plus=(ranks * (signed > 0.0)).sum(axis=1),
        n_nonzero=n_nonzero,
        squares=squares,
        tied=tied,
    )


def squares_upto(n: Any) -> Any:
    """The sum of the squares of the ranks 1 … n."""
    return n * (n + 1.0) * (2.0 * n + 1.0) / 6.0


def _midranks_of_groups(begins: BoolArray, ordered: FloatArray) -> tuple[FloatArray, FloatArray]:
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
        _add_rank(mass, rank)
    return np.cumsum(mass)


def _add_rank(mass: FloatArray, rank: int) -> None:
    """One more rank, in the sum or not: up to the last of ``mass``."""
    reach = min(rank * (rank + 1) // 2 + 1, mass.size)
    if rank < reach:
        mass[rank:reach] += mass[: reach - rank].copy()
    mass[:reach] *= 0.5
    if rank % 64 == 0:
        mass[mass < 1e-290] = 0.0  # numbers near underflow slow the machine down


def _distributions(sizes: IntArray) -> Iterator[tuple[int, FloatArray]]:
    """For each different number of differences, 0 left out, the distribution of their rank sum."""
    wanted = (np.flatnonzero(np.bincount(sizes)[1:]) + 1).tolist()
    if len(wanted) <= _FEW_SIZES:
        yield from ((n, signed_rank_cdf(n)) for n in wanted)
        return
    # all in one pass, as the distribution of n differences grows from that of n - 1
    mass = np.zeros(wanted[-1] * (wanted[-1] + 1) // 4 + 1)
    mass[0] = 1.0
    for rank in range(1, wanted[-1] + 1):
        _add_rank(mass, rank)
        if rank in wanted:
            yield rank, np.cumsum(mass[: rank * (rank + 1) // 4 + 1])


def averages_outside(sizes: IntArray, levels: FloatArray) -> IntArray:
    """How many averages of pairs lie outside the interval, on either side."""
    outside = np.zeros(sizes.size, dtype=np.int64)
    many = sizes > UNTIED_MOST
    if many.any():
        total = sizes * (sizes + 1) / 2.0
        spread = np.sqrt(total * (2 * sizes + 1) / 12.0)
        outside = np.floor(total / 2.0 + ndtri(levels / 2.0) * spread).astype(np.int64) + 1
    for n, cdf in _distributions(np.where(many, 0, sizes)):
        rows = sizes == n
        outside[rows] = np.searchsorted(cdf, levels[rows] / 2.0, side="right")
    return np.maximum(outside, 0)


def _one_step_wider(differences: FloatArray, value: float) -> tuple[float, float]:
    """The averages next to a tied one: coarse data locate the shift no better (as in `shifts`)."""
    values = np.unique(differences[differences != 0.0])
    slack = NOISE * float(np.abs(values).max())
    above = np.searchsorted(values, 2.0 * value + slack - values, side="right")
    below = np.searchsorted(values, 2.0 * value - slack - values) - 1
    higher = (values + values[np.minimum(above, values.size - 1)])[above < values.size]
    lower = (values + values[np.maximum(below, 0)])[below >= 0]
    return (
        float(lower.max()) / 2.0 if lower.size else value,
        float(higher.min()) / 2.0 if higher.size else value,
    )


def average_places(sizes: IntArray, outside: IntArray) -> tuple[IntArray, IntArray]:
    """Where in their order the averages stand (rows, wanted) of which median and limits are the means."""
    count = sizes * (sizes + 1) // 2
    first = np.empty((count.size, 3), dtype=np.int64)
    first[:, 0] = (count - 1) // 2
    first[:, 1] = np.maximum(outside, 1) - 1
    first[:, 2] = count - 1 - first[:, 1]
    last = first.copy()
    last[:, 0] = count // 2
    return first, last


def _averages_at(values: FloatArray, sizes: IntArray, outside: IntArray) -> FloatArray:
    """Median and limits of the averages of pairs: the last ones outside, infinite where there is none."""
    found = sums_at(values, sizes, *average_places(sizes, outside)).T / 2.0
    if not outside.all():
        found[1:, outside == 0] = [[-np.inf], [np.inf]]
    return np.asarray(found)
