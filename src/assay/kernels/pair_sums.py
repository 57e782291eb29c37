"""Order statistics of the sums of all pairs of values (twice the Walsh averages), few of them listed.

With the values sorted, the partners that bring a value's sum into a band stand side by side. A band
that holds the wanted place is found by counting on a grid: the numbers of sums at each step of the
grid are the convolution of a histogram with itself. Only the sums in the band are listed and sorted.
Values far out stand at the ends of the grid, and what they could change belongs to the band. Where
the band misses the place or holds too much, the place is found by halving.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_CELLS_AT_ONCE = 2**15
"""Of the grid: larger arrays are given back to the system each time, which takes longer than the work."""
_FEWEST_STEPS = 256
_STEPS_EACH = 2.5
"""Steps of the grid for each value: then about as many sums as values are in a band."""
_FENCES = 4.0
"""Interquartile ranges from the median to either end of the grid."""
_MOST_EACH, _MOST = 8, 1024
"""Sums that are listed at most, for each value or at all."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Bands:
    """For each problem (row) and each value: which partners, from the value itself on, are in the band."""

    values: FloatArray
    sizes: IntArray
    first: IntArray  # the wanted place
    last: IntArray  # the same or the next, with which it is averaged
    starts: IntArray
    stops: IntArray
    below: IntArray  # sums surely below the band
    floor: FloatArray  # from which on, and up to which, a sum in the band is surely at its place
    ceiling: FloatArray

    def at(self, rows: BoolArray) -> "_Bands":
        return _Bands(**{one.name: getattr(self, one.name)[rows] for one in fields(self)})


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
        bands = _grid_bands(values[part], sizes[part], first[part], last[part], steps)
        found[part] = _solved(bands).reshape(found[part].shape)
    return found


def _grid_bands(
    values: FloatArray, sizes: IntArray, first: IntArray, last: IntArray, steps: int
) -> _Bands:
    """Bands of about three steps of a grid."""
    rows, n = values.shape
    each = np.arange(rows)[:, None]
    codes, low_out, high_out, bottom, scale = _codes(values, sizes, steps)
    held = np.bincount((codes + (steps + 1) * each).ravel(), minlength=rows * (steps + 1))
    histogram = held.reshape(rows, steps + 1)[:, :steps]
    unsure = low_out * high_out  # a value too low and one too high may have their sum anywhere
    low, high = _codes_of_places(histogram, np.stack([first - unsure, last + unsure]))
    reached = np.zeros((rows, steps + 1), dtype=np.int64)
    np.cumsum(histogram, axis=1, out=reached[:, 1:])
    # a sum is less than two steps above its code: codes up to low - 2 are surely below the place
    ends = np.stack([low - 1, high + 2])[:, :, :, None] - codes[:, None]
    np.clip(ends, 0, steps, out=ends)
    ends += (steps + 1) * each[:, :, None]
    starts, stops = reached.ravel().take(ends)
    places = np.arange(n)
    if low_out.any() or high_out.any():  # nothing with one too high is surely below, and vice versa
        np.minimum(starts, (sizes[:, None] - high_out)[:, :, None], out=starts)
        np.copyto(stops, sizes[:, None, None], where=(places < low_out)[:, None])
    np.maximum(starts, places, out=starts)
    np.maximum(starts, stops, out=stops)
    wanted = first.shape[1]
    return _Bands(
        values=np.repeat(values, wanted, axis=0),
        sizes=np.repeat(sizes, wanted),
        first=first.ravel(),
        last=last.ravel(),
        starts=starts.reshape(-1, n),
        stops=stops.reshape(-1, n),
        below=(starts - places).sum(axis=2).ravel(),
        floor=(2.0 * bottom + low / scale).ravel(),
        ceiling=(2.0 * bottom + (high + 2) / scale).ravel(),
    )


def _codes(
    values: FloatArray, sizes: IntArray, steps: int
) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray]:
    """The step on which each value stands, ``steps`` if it does not count.

    Also how many values lie outside on either side, where the grid begins, and steps per unit.
    """
    each = np.arange(len(values))
    lowest, highest = values[:, 0], values[each, sizes - 1]
    middle = values[each, sizes // 2]
    reach = _FENCES * (values[each, (3 * sizes) // 4] - values[each, sizes // 4])
    reach = np.where(reach > 0.0, reach, np.inf)
    bottom = np.maximum(lowest, middle - reach)[:, None]
    top = np.minimum(highest, middle + reach)[:, None]
    scale = (steps - 0.5) / np.where(top > bottom, top - bottom, 1.0)
    inside = np.clip(values, bottom, top)
    low_out = np.zeros((len(values), 1), dtype=np.int64)
    high_out = low_out
    if (bottom[:, 0] > lowest).any() or (top[:, 0] < highest).any():
        low_out = np.count_nonzero(values < bottom, axis=1)[:, None]
        high_out = sizes[:, None] - np.count_nonzero(values <= top, axis=1)[:, None]
    codes = ((inside - bottom) * scale).astype(np.int64)
    if (sizes < values.shape[1]).any():
        codes[np.arange(values.shape[1]) >= sizes[:, None]] = steps
    return codes, low_out, high_out, bottom, scale


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
    apart = ended[:, -1].max() + 1.0  # the rows end to end are one rising line
    line = (ended[:, 1:] + apart * each).ravel()
    block = np.searchsorted(line, wanted + apart * each) - count * each
    inside = np.cumsum(blocks[each, block], axis=-1)
    inside += (ended[each, block] - wanted)[..., None]
    return np.asarray(block * size + (inside >= 0.0).argmax(axis=-1))


def _solved(bands: _Bands) -> FloatArray:
    """The wanted means: by listing where a band holds the place and not much more, else by halving."""
    listed = (bands.stops - bands.starts).sum(axis=1)
    holds = (bands.below <= bands.first) & (bands.last < bands.below + listed)
    holds &= listed <= _most(bands.values.shape[1])
    found = np.empty(listed.size)
    if holds.any():
        chosen = bands if holds.all() else bands.at(holds)
        one, other = _listed(chosen)
        found[holds] = (one + other) / 2.0
        holds[holds] = (one >= chosen.floor) & (other <= chosen.ceiling)
    for row in np.flatnonzero(~holds).tolist():
        values = bands.values[row, : bands.sizes[row]]
        found[row] = _halved(values, int(bands.first[row]), int(bands.last[row]))
    return found


def _listed(bands: _Bands) -> tuple[FloatArray, FloatArray]:
    """The sums at the first and the last place, by sorting those in each band."""
    problems, n = bands.values.shape
    flat = bands.values.ravel()
    starts = (bands.starts + n * np.arange(problems)[:, None]).ravel()
    counts = (bands.stops - bands.starts).ravel()
    own, partner = _pairs(starts, counts)
    listed = counts.reshape(problems, n).sum(axis=1)
    width = int(listed.max())
    padding = np.cumsum(width - listed) - (width - listed)
    sums = np.full(problems * width, np.inf)
    sums[np.arange(own.size) + np.repeat(padding, listed)] = flat[own] + flat[partner]
    sums = sums.reshape(problems, width)
    sums.sort(axis=1)
    each = np.arange(problems)
    return sums[each, bands.first - bands.below], sums[each, bands.last - bands.below]


def _pairs(starts: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Each value repeated for its partners, of which ``counts`` follow from ``starts`` on."""
    own = np.repeat(np.arange(counts.size), counts)
    return own, np.arange(own.size) + (starts - np.cumsum(counts) + counts)[own]


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
    own, partner = _pairs(starts, stops - starts)
    sums = np.sort(values[own] + values[partner])
    below = int((starts - np.arange(n)).sum())
    return float(sums[first - below] + sums[last - below]) / 2.0


def _partners_upto(values: FloatArray, threshold: float) -> IntArray:
    """For each value, where its partners end whose sum is at or below the threshold."""
    # rising keys are found twice as fast as falling ones
    met = np.searchsorted(values, threshold - values[::-1], side="right")[::-1]
    return np.maximum(met, np.arange(values.size))


def _most(n: int) -> int:
    return max(_MOST, _MOST_EACH * n)
