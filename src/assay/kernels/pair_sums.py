"""Order statistics of the sums of all pairs of values (twice the Walsh averages), few of them listed.

With the values sorted, the partners that bring a value's sum into a band stand side by side. The values
are put on a grid, for which a table says where such partners end; by how many sums lie below a band and
in it, the band is moved to the wanted place. Only the sums in the band are listed and sorted. Values far
out stand at the ends of the grid, and what they could change belongs to the band. Where no band holds
the place and little else, the place is found by halving.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]

_CELLS_AT_ONCE = 2**15
"""Values times places that are worked on together: more would not stay in the cache."""
_FEWEST_STEPS = 64
_STEPS_EACH = 5.0
"""Steps of the grid for each value: then about half as many sums as values are in a band."""
_FENCES = 4.0
"""Interquartile ranges from the median to either end of the grid."""
_TINY = 1e-290
"""The least range of a grid: steps per unit must be a number."""
_ROUNDS = 8
_FIRST_HALF, _HALF = 10, 2
"""Steps from a guess to either end of what is counted, at first and later."""
_MOST_EACH, _MOST = 8, 1024
"""Sums that are listed at most, for each value or at all."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Grid:
    """The values of each row on a grid."""

    steps: int
    table: IntArray  # how many values stand before each step, before the grid and after it
    codes: IntArray  # the step on which each value stands; ``steps`` if it does not count
    own: IntArray  # where in the table the partners of a value end whose sums have the code 0
    reached: IntArray  # the middle of the table
    bottom: FloatArray
    scale: FloatArray  # steps per unit
    low_out: IntArray  # how many values lie below the grid, and above it
    high_out: IntArray

    def ends(self, rows: IntArray | None, codes: IntArray) -> IntArray:
        """Where the partners of each value end, from itself on, in sums of these codes or less.

        Codes are (…, rows, wanted) of all rows or of some. Values beyond the last column have none.
        """
        half = np.minimum(codes[-1].max(axis=-1) // 2 + 1, self.steps)
        chosen = np.arange(len(self.own)) if rows is None else rows
        width = max(int(self.reached[chosen, half].max()), 1)
        own = self.own[:, :width] if rows is None else self.own[rows, :width]
        found = self.table.take(own[:, None] + codes[..., None], mode="clip")
        return np.maximum(found, np.arange(width, dtype=np.int32), out=found)

    def counts(self, rows: IntArray | None, codes: IntArray) -> IntArray:
        """How many sums have these codes or less."""
        ends = self.ends(rows, codes)
        width = ends.shape[-1]
        return np.asarray(ends.sum(axis=-1) - width * (width - 1) // 2)


def sums_at(values: FloatArray, sizes: IntArray, first: IntArray, last: IntArray) -> FloatArray:
    """Means of the sums at places ``first`` and ``last`` (the same or the next), counted from 0.

    Rows of ``values`` are sorted, the first ``sizes`` of each count; the sums are of all i <= j.
    Places are (rows, wanted), and so is what is found.
    """
    found = np.empty(first.shape)
    steps = _FEWEST_STEPS
    while steps < _STEPS_EACH * values.shape[1]:
        steps *= 2
    at_once = max(1, _CELLS_AT_ONCE // (first.shape[1] * values.shape[1]))
    for start in range(0, len(values), at_once):
        part = slice(start, start + at_once)
        grid = _grid(values[part], sizes[part], steps)
        found[part] = _solved(values[part], sizes[part], first[part], last[part], grid)
    return found


def _grid(values: FloatArray, sizes: IntArray, steps: int) -> _Grid:
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
    if short or (bottom[:, 0] > lowest).any() or (top[:, 0] < highest).any():
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
        codes=codes,
        own=(length * each + before + 1)[:, None] - codes,
        reached=table[:, before : before + steps + 1],
        bottom=bottom,
        scale=scale,
        low_out=low_out,
        high_out=high_out,
    )


def _guess(sizes: IntArray, first: IntArray, grid: _Grid) -> FloatArray:
    """The codes of the wanted sums, were the values normal with these quartiles."""
    each = np.arange(sizes.size)
    quarter = sizes // 4
    lower, upper = grid.codes[each, quarter], grid.codes[each, sizes - 1 - quarter]
    centre = (lower + upper) / 2.0 + grid.codes[each, sizes // 2]
    spread = (upper - lower) * (2.0**0.5 / 1.349)
    total = sizes * (sizes + 1) / 2.0
    return np.asarray(centre[:, None] + spread[:, None] * ndtri((first + 0.5) / total[:, None]))


def _bracket(
    sizes: IntArray, first: IntArray, last: IntArray, grid: _Grid
) -> tuple[IntArray, IntArray]:
    """Codes between which the place is: sums up to the lower one lie before it, up to the upper beyond.

    Two codes about a guess are counted in each round; what they say makes the next guess.
    """
    wanted = first.shape[1]
    low, high = np.full(first.size, -1), np.full(first.size, 2 * grid.steps - 2)
    before = np.zeros(first.size, dtype=np.int64)
    upto = np.repeat(sizes * (sizes + 1) // 2, wanted)
    guess, rows, half = _guess(sizes, first, grid), None, _FIRST_HALF
    left = np.arange(first.size)
    one, other = first.ravel(), last.ravel()
    for _ in range(_ROUNDS):
        middle = np.rint(guess).astype(np.int64)
        codes = np.clip(np.stack([middle - half, middle + half]), -1, 2 * grid.steps - 2)
        counts = grid.counts(rows, codes).reshape(2, -1)
        codes = codes.reshape(2, -1)
        for code, count in zip(codes, counts, strict=True):
            under = (count <= one[left]) & (code > low[left])
            over = (count > other[left]) & (code < high[left])
            low[left[under]], before[left[under]] = code[under], count[under]
            high[left[over]], upto[left[over]] = code[over], count[over]
        left = left[
            (upto[left] - before[left] > grid.codes.shape[1]) & (high[left] - low[left] > 2)
        ]
        if not left.size:
            break
        share = (one[left] + 0.5 - before[left]) / (upto[left] - before[left])
        guess = (low[left] + share * (high[left] - low[left]))[:, None]
        rows, half = left // wanted, _HALF
    return low.reshape(first.shape), high.reshape(first.shape)


def _solved(
    values: FloatArray, sizes: IntArray, first: IntArray, last: IntArray, grid: _Grid
) -> FloatArray:
    """The wanted means: by listing where a band holds the place and not much more, else by halving."""
    low, high = _bracket(sizes, first, last, grid)
    # a sum is less than two steps above its code: what is certain are bands one step wider
    starts, stops = grid.ends(None, np.stack([low - 1, high + 1]))
    outside = bool(grid.low_out.any() or grid.high_out.any())
    if outside:  # nothing with one that is too high is surely below, nor with one too low above
        places = np.arange(starts.shape[2])
        np.minimum(starts, (sizes[:, None] - grid.high_out)[:, :, None], out=starts)
        np.maximum(starts, places, out=starts)
        np.copyto(stops, sizes[:, None, None], where=(places < grid.low_out)[:, None])
    counts = stops - starts
    listed = counts.sum(axis=2)
    width = starts.shape[2]
    below = starts.sum(axis=2) - width * (width - 1) // 2
    holds = (below <= first) & (last < below + listed) & (listed <= _most(values.shape[1]))
    if not holds.all():
        counts[~holds] = listed[~holds] = 0
    sums = _listed(values, starts, counts, listed)
    rows, wanted = np.arange(len(first))[:, None], np.arange(first.shape[1])
    one = sums[rows, wanted, np.where(holds, first - below, 0)]
    other = sums[rows, wanted, np.where(holds, last - below, 0)]
    found = (one + other) / 2.0
    if outside:
        holds &= one >= 2.0 * grid.bottom + (low + 1) / grid.scale
        holds &= other <= 2.0 * grid.bottom + (high + 1) / grid.scale
    for row, place in np.argwhere(~holds).tolist():
        own = values[row, : sizes[row]]
        found[row, place] = _halved(own, int(first[row, place]), int(last[row, place]))
    return np.asarray(found)


def _listed(values: FloatArray, starts: IntArray, counts: IntArray, listed: IntArray) -> FloatArray:
    """The sums in each band, sorted, and infinite ones behind them."""
    rows, n = values.shape
    lengths, before = counts.ravel(), listed.ravel()
    width = max(int(before.max()), 1)
    begins = (starts + (n * np.arange(rows))[:, None, None]).ravel()
    own = np.broadcast_to(values[:, None, : starts.shape[2]], starts.shape).ravel()
    found = values.ravel().take(_runs(begins, lengths), mode="clip")
    found += np.repeat(own, lengths)
    sums = np.full(before.size * width, np.inf)
    sums[_runs(width * np.arange(before.size), before)] = found
    sums = sums.reshape(*listed.shape, width)
    sums.sort(axis=2)
    return sums


def _runs(begins: IntArray, lengths: IntArray) -> IntArray:
    """From each beginning so many whole numbers, one run after the other."""
    runs = np.repeat(begins - np.cumsum(lengths) + lengths, lengths)
    runs += np.arange(runs.size)
    return np.asarray(runs)


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
            one = int(np.argmax(stops > starts))
            return float(values[one] + values[starts[one]])
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
    counts = stops - starts
    sums = np.sort(np.repeat(values, counts) + values[_runs(starts, counts)])
    below = int((starts - np.arange(n)).sum())
    return float(sums[first - below] + sums[last - below]) / 2.0


def _partners_upto(values: FloatArray, threshold: float) -> IntArray:
    """For each value, where its partners end whose sum is at or below the threshold."""
    # rising keys are found twice as fast as falling ones
    met = np.searchsorted(values, threshold - values[::-1], side="right")[::-1]
    return np.maximum(met, np.arange(values.size))


def _most(n: int) -> int:
    return max(_MOST, _MOST_EACH * n)
