"""Order statistics of the sums of all pairs of values (twice the Walsh averages), few of them listed.

The values are put on a grid. How many sums have which code (the steps of both values added) is the grid's
convolution with itself, and says between which codes a wanted place is. With the values sorted, the partners
that bring a value's sum between two codes stand side by side, and a table says where: only these sums are
listed and sorted. Values far out stand at the ends of the grid, and what they could change is listed too.
Where that is not enough, or too much, the place is found by halving. Many values that are decimals of a few
digits, as printed scores are, need no more than the convolution: their sums are its codes.
"""

import math
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import AnyIntArray, BoolArray, FloatArray
from assay.kernels.last_digits import DIGITS

_CELLS_AT_ONCE = 2**16
"""Codes that are worked on together: more would not stay in the cache."""
_STEPS_EACH = 2.5
"""Steps of the grid for each value: then about as many sums as values are listed."""
_FENCES = 4.0
"""Interquartile ranges from the median to either end of the grid."""
_TINY = 1e-290
"""The least range of a grid: steps per unit must be a number."""
_MANY = 100
"""Values from which on a first guess is made from a grid with half the steps; a quarter from 4 times as many."""
_ROUNDING = 1e-9
"""Steps that a sum may seem to lie beside its place, by rounding."""
PRINTED = 1000
"""Values from which on it pays to look whether they are decimals of a few digits."""
LEVELS_EACH = 16
"""Decimals between the lowest and the highest value, for each value at most."""
_SAME = 1e-10
"""Share of the largest value by which a decimal may seem to be another number, by rounding."""
_LONG = 2048
"""Sums of a band from which on two of them are sooner selected than all are sorted."""
_MOST_EACH, _MOST = 8, 1024
"""Sums that are listed at most, for each value or at all."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Grid:
    """The values of each row on a grid."""

    steps: int
    table: AnyIntArray  # how many values stand before each step, before the grid and after it
    own: AnyIntArray  # where in the table the partners of a value end whose sums have the code 0
    reached: AnyIntArray  # the middle of the table
    bottom: FloatArray
    scale: FloatArray  # steps per unit
    low_out: AnyIntArray  # how many values lie below the grid, and above it
    high_out: AnyIntArray
    outside: bool

    def ends(self, codes: AnyIntArray) -> AnyIntArray:
        """Where the partners of each value end, from itself on, in sums of these codes or less.

        Codes are (…, rows, wanted), the highest last. Values beyond the last column have no partners.
        """
        half = np.minimum(codes[-1].max(axis=-1) // 2 + 1, self.steps)
        width = max(int(self.reached[np.arange(len(half)), half].max()), 1)
        found = self.table.take(self.own[:, None, :width] + codes[..., None], mode="clip")
        return np.maximum(found, np.arange(width, dtype=np.int32), out=found)


def sums_at(
    values: FloatArray, sizes: AnyIntArray, first: AnyIntArray, last: AnyIntArray
) -> FloatArray:
    """Means of the sums at places ``first`` and ``last`` (the same or the next), counted from 0.

    Rows of ``values`` are sorted, the first ``sizes`` of each count; the sums are of all i <= j.
    Places are (rows, wanted), and so is what is found.
    """
    if values.shape[1] >= PRINTED:
        return np.stack(
            [
                _of_many(row[:size], *places)
                for row, size, *places in zip(values, sizes.tolist(), first, last, strict=True)
            ]
        )
    return _of_rows(values, sizes, first, last)


def _of_many(values: FloatArray, first: AnyIntArray, last: AnyIntArray) -> FloatArray:
    """The same of one long row."""
    digits = _digits_of(values)
    if digits is not None:
        return _of_decimals(values, first, last, digits)
    size = np.array([values.size])
    return np.asarray(_of_rows(values[None], size, first[None], last[None])[0])


def _digits_of(values: FloatArray) -> int | None:
    """How many digits after the point sorted values have; None where they are no short decimals."""
    some = values[:: max(1, values.size // 64)]
    largest, spread = max(-values[0], values[-1]), values[-1] - values[0]
    for digits in range(DIGITS + 1):
        unit = 10.0**digits
        if not spread * unit <= LEVELS_EACH * values.size:
            return None
        if all(
            np.abs(of - np.rint(of * unit) / unit).max() <= _SAME * largest for of in (some, values)
        ):
            return digits
    return None


def _of_decimals(
    values: FloatArray, first: AnyIntArray, last: AnyIntArray, digits: int
) -> FloatArray:
    """Of decimals: how many sums are which is the convolution of how many values are which."""
    codes = np.rint(values * 10.0**digits).astype(np.int64)
    held = np.bincount(codes - codes[0])
    size = 2 ** (2 * held.size - 1).bit_length()
    twice = np.rint(np.fft.irfft(np.fft.rfft(held, size) ** 2, size)).astype(np.int64)
    twice[: 2 * held.size : 2] += held  # a value with itself is there once, all others twice
    reached = np.cumsum(twice) // 2
    low, high = (reached.searchsorted(places, side="right") for places in (first, last))
    return np.asarray((low + high + 4 * codes[0]) / (2 * 10.0**digits))


def _of_rows(
    values: FloatArray, sizes: AnyIntArray, first: AnyIntArray, last: AnyIntArray
) -> FloatArray:
    """The same by a grid."""
    n, unit, coarser = values.shape[1], 8, 1
    while 8 * unit <= _STEPS_EACH * n:
        unit *= 2
    steps = unit * max(4, math.ceil(_STEPS_EACH * n / unit))  # such that it has small divisors
    while _MANY * coarser**2 <= n:
        coarser *= 2
    found, places = np.empty(first.shape), np.stack([first, last])
    at_once = max(1, _CELLS_AT_ONCE // (2 * steps))
    for start in range(0, len(values), at_once):
        part = slice(start, start + at_once)
        found[part] = _part_at(values[part], sizes[part], places[:, part], steps, coarser)
    return found


def _part_at(
    values: FloatArray, sizes: AnyIntArray, places: AnyIntArray, steps: int, coarser: int
) -> FloatArray:
    """The same for a few rows: by a guess, where it fails with exact codes, where these fail by halving."""
    grid = _grid(values, sizes, steps)
    found, sure = _listed_at(values, sizes, places, grid, coarser)
    if sure.all():
        return found
    if coarser > 1:
        left = np.flatnonzero(~sure.all(axis=1))
        found[left] = _part_at(values[left], sizes[left], places[:, left], steps, 1)
        return found
    for row, place in np.argwhere(~sure).tolist():
        found[row, place] = _halved(values[row, : sizes[row]], *places[:, row, place].tolist())
    return found


def _grid(values: FloatArray, sizes: AnyIntArray, steps: int) -> _Grid:
    rows, n = values.shape
    each = np.arange(rows)
    lowest, highest = values[:, 0], values[each, sizes - 1]
    middle = values[each, sizes // 2]
    reach = _FENCES * (values[each, (3 * sizes) // 4] - values[each, sizes // 4])
    reach[reach == 0.0] = np.inf
    bottom = np.maximum(lowest, middle - reach)[:, None]
    top = np.minimum(highest, middle + reach)[:, None]
    scale = (steps - 0.5) / np.where(top > bottom, np.maximum(top - bottom, _TINY), 1.0)
    low_out = high_out = np.zeros((rows, 1), dtype=np.int64)
    inside, short = values, (sizes < n).any()
    outside = bool((bottom[:, 0] > lowest).any() or (top[:, 0] < highest).any())
    if short or outside:
        inside = np.clip(values, bottom, top)
        low_out = np.count_nonzero(values < bottom, axis=1)[:, None]
        high_out = sizes[:, None] - np.count_nonzero(values <= top, axis=1)[:, None]
    codes = ((inside - bottom) * scale).astype(np.int64)
    if short:
        codes[np.arange(n) >= sizes[:, None]] = steps
    # codes of sums go from 0 to 2 steps - 2, bands a little further
    before, length = steps + 2, 3 * steps + 4
    cells = (codes + ((steps + 1) * each)[:, None]).ravel()
    held = np.bincount(cells, minlength=rows * (steps + 1)).reshape(rows, steps + 1)
    table = np.zeros((rows, length), dtype=np.int32)
    np.cumsum(
        held[:, :steps], axis=1, dtype=np.int32, out=table[:, before + 1 : before + 1 + steps]
    )
    table[:, before + 1 + steps :] = sizes[:, None]
    return _Grid(
        steps=steps,
        table=table.ravel(),
        own=(length * each + before + 1)[:, None] - codes,
        reached=table[:, before : before + steps + 1],
        bottom=bottom,
        scale=scale,
        low_out=low_out,
        high_out=high_out,
        outside=outside,
    )


def _codes_about(sizes: AnyIntArray, places: AnyIntArray, grid: _Grid, coarser: int) -> AnyIntArray:
    """Codes between which places are: sums up to the lower one lie before, up to the upper one beyond.

    On the grid as it is they are exact; on a coarser one a place is guessed from its share of a code's sums,
    whose mean is one step above the code.
    """
    reached = grid.reached[:, ::coarser]
    held = reached[:, 1:] - reached[:, :-1]
    rows, size = sizes.size, 2 * held.shape[1]
    # i, j and j, i are both in the convolution, i, i is only once: added, every sum is there twice
    twice = np.rint(np.fft.irfft(np.fft.rfft(held, size) ** 2, size)).astype(np.int64)
    twice[:, ::2] += held
    reached, sums = np.cumsum(twice), sizes * (sizes + 1)
    before, begin = (np.cumsum(sums) - sums)[:, None], size * np.arange(rows)[:, None]
    if coarser == 1:
        low, high = reached.searchsorted(2 * places + before, side="right") - begin
        return np.stack([low - 1, high])
    place = places.sum(axis=0) + 1 + before
    met = reached.searchsorted(place)
    share = (reached[met] - place) / twice.ravel()[met]
    low = np.floor(coarser * (met - begin + 1.5 - share) - 1.5).astype(np.int64)
    return np.asarray(low + np.array([0, 1])[:, None, None])


def _listed_at(
    values: FloatArray, sizes: AnyIntArray, places: AnyIntArray, grid: _Grid, coarser: int
) -> tuple[FloatArray, BoolArray]:
    """The wanted means by listing, and where a band surely held the place and not much more."""
    codes = _codes_about(sizes, places, grid, coarser)
    # a sum is less than two steps above its code: what is certain are bands one step wider
    starts, stops = ends = grid.ends(codes + np.array([-1, 1])[:, None, None])
    if grid.outside:
        # nothing with one that is too high is surely below, nor with one too low above
        own = np.arange(starts.shape[2])
        np.minimum(starts, (sizes[:, None] - grid.high_out)[:, :, None], out=starts)
        np.maximum(starts, own, out=starts)
        np.copyto(stops, sizes[:, None, None], where=(own < grid.low_out)[:, None])
    width = starts.shape[2]
    below, upto = ends.sum(axis=3) - width * (width - 1) // 2
    counts, listed = stops - starts, upto - below
    within = places - below
    holds = (within[0] >= 0) & (within[1] < listed) & (listed <= _most(values.shape[1]))
    if not holds.all():
        counts[~holds] = listed[~holds] = 0
        within[:, ~holds] = 0
    found = _chosen(_listed(values, starts, counts, listed), within)
    steps = (found - 2.0 * grid.bottom) * grid.scale - codes
    holds &= (steps[0] >= 1.0 - _ROUNDING) & (steps[1] <= 2.0 + _ROUNDING)
    return (found[0] + found[1]) / 2.0, holds


def _listed(
    values: FloatArray, starts: AnyIntArray, counts: AnyIntArray, listed: AnyIntArray
) -> FloatArray:
    """The sums in each band, and infinite ones behind them."""
    rows, n = values.shape
    begins = (starts + (n * np.arange(rows))[:, None, None]).ravel()
    own = np.broadcast_to(values[:, None, : starts.shape[2]], starts.shape).ravel()
    one, partner = _runs(begins, counts.ravel())
    width = max(int(listed.max()), 1)
    sums = np.full((*listed.shape, width), np.inf)
    sums[np.arange(width) < listed[..., None]] = own.take(one) + values.take(partner)
    return sums


def _chosen(sums: FloatArray, within: AnyIntArray) -> FloatArray:
    """The sums at two places in the order of each band; long bands are not sorted for that."""
    rows, wanted, width = sums.shape
    if width < _LONG:
        sums.sort(axis=2)
    else:
        for row, place in np.ndindex(rows, wanted):
            sums[row, place].partition(np.unique(within[:, row, place]))
    return np.asarray(sums[np.arange(rows)[:, None], np.arange(wanted), within])


def _runs(begins: AnyIntArray, lengths: AnyIntArray) -> tuple[AnyIntArray, AnyIntArray]:
    """From each beginning so many whole numbers, one run after the other; and whose run each is in."""
    ends = np.cumsum(lengths)
    whose = np.cumsum(np.bincount(ends))[:-1]  # so many runs have ended before
    runs = (begins - ends + lengths).take(whose)
    runs += np.arange(runs.size)
    return whose, runs


def _halved(values: FloatArray, first: int, last: int) -> float:
    """For one row: a bracket of thresholds halved until few sums, or none but equal ones, are in it."""
    n = values.size
    own = np.arange(n)
    triangle = (own + 1) * (own + 2) // 2
    # all pairs among the m lowest values are at or below twice the m-th; among the highest, above
    high = 2.0 * float(values[np.searchsorted(triangle, last, side="right")])
    top = int(np.searchsorted(triangle, triangle[-1] - first)) + 1
    low = float(np.nextafter(2.0 * values[n - top], -np.inf))
    starts, stops = _partners_upto(values, low), _partners_upto(values, high)
    while (stops - starts).sum() > _most(n):
        middle = low + (high - low) / 2.0
        if not low < middle < high:  # what is left is one sum, many times
            any_one = int(np.argmax(stops > starts))
            return float(values[any_one] + values[starts[any_one]])
        met = _partners_upto(values, middle)
        reached = int((met - own).sum())
        if reached <= first:
            low, starts = middle, met
        elif reached > last:
            high, stops = middle, met
        else:  # it lies between the two places: the last up to it, and the first above it
            before, after = met > own, met < n
            one = (values[before] + values[met[before] - 1]).max()
            return float(one + (values[after] + values[met[after]]).min()) / 2.0
    one, partner = _runs(starts, stops - starts)
    sums = np.sort(values[one] + values[partner])
    below = int((starts - np.arange(n)).sum())
    return float(sums[first - below] + sums[last - below]) / 2.0


def _partners_upto(values: FloatArray, threshold: float) -> AnyIntArray:
    """For each value, where its partners end whose sum is at or below the threshold."""
    # rising keys are found twice as fast as falling ones
    met = np.searchsorted(values, threshold - values[::-1], side="right")[::-1]
    return np.maximum(met, np.arange(values.size))


def _most(n: int) -> int:
    return max(_MOST, _MOST_EACH * n)
