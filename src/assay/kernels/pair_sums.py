"""Order statistics of the sums of all pairs of values (twice the Walsh averages), few of them listed.

With the values sorted, the partners that bring a value's sum into a band stand side by side. A band
that holds the wanted place is found by counting on a grid: the numbers of sums at each step of the
grid are the convolution of a histogram with itself. Only the sums in the band are listed and sorted.
Values far out stand at the ends of the grid, and what they could change belongs to the band. Where
the band misses the place or holds too much, the place is found by halving.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_CELLS_AT_ONCE = 2**15
"""Of the grid: more would not stay in the cache."""
_FEWEST_STEPS = 64
_STEPS_EACH = 2.5
"""Steps of the grid for each value: then about as many sums as values are in a band."""
_FENCES = 4.0
"""Interquartile ranges from the median to either end of the grid."""
_MOST_EACH, _MOST = 8, 1024
"""Sums that are listed at most, for each value or at all."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Grid:
    """The values of each row on a grid."""

    steps: int
    codes: IntArray  # the step on which each value stands; ``steps`` if it does not count
    histogram: IntArray
    bottom: FloatArray
    scale: FloatArray  # steps per unit
    low_out: IntArray  # how many values lie below the grid, and above it
    high_out: IntArray


@dataclass(slots=True, eq=False, kw_only=True)
class _Bands:
    """For each row and place: which partners of each value, from itself on, are in the band.

    Values beyond the last column have none.
    """

    starts: IntArray
    stops: IntArray
    below: IntArray  # sums surely below the band
    floor: FloatArray  # from which on, and up to which, a sum in the band is surely at its place
    ceiling: FloatArray


def sums_at(values: FloatArray, sizes: IntArray, first: IntArray, last: IntArray) -> FloatArray:
    """Means of the sums at places ``first`` and ``last`` (the same or the next), counted from 0.

    Rows of ``values`` are sorted, the first ``sizes`` of each count; the sums are of all i <= j.
    Places are (rows, wanted), and so is what is found.
    """
    found = np.empty(first.shape)
    steps = _FEWEST_STEPS
    while steps < _STEPS_EACH * values.shape[1]:
        steps *= 2
    at_once = max(1, _CELLS_AT_ONCE // (2 * steps))
    for start in range(0, len(values), at_once):
        part = slice(start, start + at_once)
        grid = _grid(values[part], sizes[part], steps)
        bands = _bands(grid, sizes[part], first[part], last[part])
        found[part] = _solved(values[part], sizes[part], first[part], last[part], bands)
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
    scale = (steps - 0.5) / np.where(top > bottom, top - bottom, 1.0)
    low_out = high_out = np.zeros((rows, 1), dtype=np.int64)
    inside, short = values, (sizes < n).any()
    if short or (bottom[:, 0] > lowest).any() or (top[:, 0] < highest).any():
        inside = np.clip(values, bottom, top)
        low_out = np.count_nonzero(values < bottom, axis=1)[:, None]
        high_out = sizes[:, None] - np.count_nonzero(values <= top, axis=1)[:, None]
    codes = ((inside - bottom) * scale).astype(np.int64)
    if short:
        codes[np.arange(n) >= sizes[:, None]] = steps
    cells = (codes + ((steps + 1) * each)[:, None]).ravel()
    held = np.bincount(cells, minlength=rows * (steps + 1)).reshape(rows, steps + 1)
    return _Grid(
        steps=steps,
        codes=codes,
        histogram=held[:, :steps],
        bottom=bottom,
        scale=scale,
        low_out=low_out,
        high_out=high_out,
    )


def _bands(grid: _Grid, sizes: IntArray, first: IntArray, last: IntArray) -> _Bands:
    """Bands of about three steps of the grid."""
    steps, rows = grid.steps, len(sizes)
    unsure = grid.low_out * grid.high_out  # one too low and one too high: their sum may be anywhere
    low, high = _codes_of_places(grid.histogram, np.stack([first - unsure, last + unsure]))
    reached = np.zeros((rows, steps + 1), dtype=np.int64)
    np.cumsum(grid.histogram, axis=1, out=reached[:, 1:])
    each = np.arange(rows)[:, None]
    width = max(1, int(reached[each, np.minimum((high + 1) // 2 + 1, steps)].max()))
    # a sum is less than two steps above its code: codes up to low - 2 are surely below the place
    ends = np.stack([low - 1, high + 2])[:, :, :, None] - grid.codes[:, None, :width]
    np.clip(ends, 0, steps, out=ends)
    ends += (steps + 1) * each[:, :, None]
    starts, stops = reached.ravel().take(ends, mode="clip")
    places = np.arange(width)
    if grid.low_out.any() or grid.high_out.any():
        # nothing with one that is too high is surely below, nor with one too low above
        np.minimum(starts, (sizes[:, None] - grid.high_out)[:, :, None], out=starts)
        np.copyto(stops, sizes[:, None, None], where=(places < grid.low_out)[:, None])
    np.maximum(starts, places, out=starts)
    np.maximum(starts, stops, out=stops)
    return _Bands(
        starts=starts,
        stops=stops,
        below=starts.sum(axis=2) - width * (width - 1) // 2,
        floor=2.0 * grid.bottom + low / grid.scale,
        ceiling=2.0 * grid.bottom + (high + 2) / grid.scale,
    )


def _codes_of_places(histogram: IntArray, places: IntArray) -> IntArray:
    """The codes of the sums at places (…, rows, wanted), among the sums of codes i <= j."""
    rows, steps = histogram.shape
    spectrum = np.fft.rfft(histogram, 2 * steps)
    spectrum *= spectrum
    doubled = np.fft.irfft(spectrum, 2 * steps)
    doubled[:, ::2] += histogram  # each with itself: now all pairs count twice
    # running sums over blocks first, and then inside the block of the place only
    size = 2 ** (steps.bit_length() // 2)
    blocks = doubled.reshape(rows, -1, size)
    count = blocks.shape[1]
    ended = np.zeros((rows, count + 1))
    np.cumsum(blocks @ np.ones(size), axis=1, out=ended[:, 1:])
    each = np.arange(rows)[:, None]
    wanted = np.clip(2.0 * places + 1.0, 1.0, ended[:, -1:] - 1.0)  # half a pair beyond those before
    apart = (ended[:, -1].max() + 1.0) * each  # the rows end to end are one rising line
    block = np.searchsorted((ended[:, 1:] + apart).ravel(), wanted + apart) - count * each
    inside = np.cumsum(blocks[each, block], axis=-1)
    inside += (ended[each, block] - wanted)[..., None]
    return np.asarray(block * size + (inside >= 0.0).argmax(axis=-1))


def _solved(
    values: FloatArray, sizes: IntArray, first: IntArray, last: IntArray, bands: _Bands
) -> FloatArray:
    """The wanted means: by listing where a band holds the place and not much more, else by halving."""
    counts = bands.stops - bands.starts
    listed = counts.sum(axis=2)
    holds = (bands.below <= first) & (last < bands.below + listed)
    holds &= listed <= _most(values.shape[1])
    if not holds.all():
        counts[~holds] = 0
        listed[~holds] = 0
    sums = _listed(values, bands.starts, counts, listed)
    if sums.size:
        beyond = sums.shape[2] - 1
        ones = np.minimum(np.maximum(first - bands.below, 0), beyond)[:, :, None]
        others = np.minimum(np.maximum(last - bands.below, 0), beyond)[:, :, None]
        one = np.take_along_axis(sums, ones, axis=2)[:, :, 0]
        other = np.take_along_axis(sums, others, axis=2)[:, :, 0]
        holds &= (one >= bands.floor) & (other <= bands.ceiling)
        found = (one + other) / 2.0
    else:
        found = np.empty(first.shape)
    for row, place in np.argwhere(~holds).tolist():
        own = values[row, : sizes[row]]
        found[row, place] = _halved(own, int(first[row, place]), int(last[row, place]))
    return found


def _listed(
    values: FloatArray, starts: IntArray, counts: IntArray, listed: IntArray
) -> FloatArray:
    """The sums in each band, sorted, and infinite ones behind them."""
    rows, n = values.shape
    width = int(listed.max())
    lengths = counts.ravel()
    begins = (starts + (n * np.arange(rows))[:, None, None]).ravel()
    own = np.broadcast_to(values[:, None, : starts.shape[2]], starts.shape).ravel()
    found = values.ravel().take(_runs(begins, lengths), mode="clip")
    found += np.repeat(own, lengths)
    before = listed.ravel()
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
        if not low < middle < high:
            return high
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
