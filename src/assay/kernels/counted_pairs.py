"""Signed ranks of many printed scores, by counting: decimals of a few digits are whole numbers of their last digit.

How often each difference of two models is there gives ranks without a sort, and how many averages of two
differences lie below one is a product of counts. Every answer is the one that sorting gives.
"""

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.kernels.last_digits import whole_numbers
from assay.kernels.pair_sums import LEVELS_EACH, PRINTED
from assay.kernels.signed_rank_pairs import (
    UNTIED_MOST,
    RankedPairs,
    average_places,
    pair_ranks,
    squares_upto,
)

_MOST_KEPT = 2**23
"""Counts of differences that are kept for the intervals; beyond they are counted again."""
_QUICK = 6
"""Steps by the slope of the counts, after which brackets are halved."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedPairs(RankedPairs):
    """Pairs of columns of whole numbers, ``unit`` of them to one."""

    values: FloatArray
    codes: IntArray
    """The values in last digits, a row for each model."""
    unit: float
    first: IntArray
    second: IntArray
    kept: list[tuple[int, IntArray]]
    """The counts of the first pairs."""

    def exact_is_cheap(self) -> bool:
        return False

    def exact_p(self) -> FloatArray:
        return pair_ranks(self.values, self.first, self.second).exact_p()

    def differences_of(self, row: int) -> FloatArray:
        one = slice(row, row + 1)
        return pair_ranks(self.values, self.first[one], self.second[one]).differences_of(0)

    def _counted(self, row: int) -> tuple[int, IntArray]:
        if row < len(self.kept):
            return self.kept[row]
        return _counts(self.codes[self.first[row]] - self.codes[self.second[row]])

    def averages(self, rows: IntArray, outside: IntArray) -> FloatArray:
        found = np.empty((3, rows.size))
        first, last = average_places(self.n_nonzero[rows], outside)
        sorted_ones = []
        for place, row in enumerate(rows.tolist()):
            low, counts = self._counted(row)
            nonzero = int(self.n_nonzero[row])
            if nonzero < PRINTED or counts.size > LEVELS_EACH * nonzero or not outside[place]:
                sorted_ones.append(place)
                continue
            sums = _Sums(low, counts)
            codes = sums.at([int(first[place, 0]), int(last[place, 0]), *first[place, 1:].tolist()])
            one, other, lower, upper = (code + 2 * low for code in codes)
            found[:, place] = np.array([one + other, 2 * lower, 2 * upper]) / (4.0 * self.unit)
        if sorted_ones:
            kept = rows[sorted_ones]
            others = pair_ranks(self.values, self.first[kept], self.second[kept])
            found[:, sorted_ones] = others.averages(np.arange(kept.size), outside[sorted_ones])
        return found


def counted_pairs(values: FloatArray, first: IntArray, second: IntArray) -> CountedPairs | None:
    """The pairs where all values are short decimals and too many for exact distributions; else None."""
    found = whole_numbers(values) if len(values) > UNTIED_MOST else None
    if found is None:
        return None
    codes, unit = np.ascontiguousarray(found[0].T), found[1]
    rows, kept, size = [], [], 0
    lowest, highest = codes.min(axis=1), codes.max(axis=1)
    above, below = codes - lowest[:, None], codes - highest[:, None]
    most = LEVELS_EACH * len(values)
    shifted = np.empty_like(codes[0])  # fresh memory for each pair takes longer than to subtract
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        if highest[a] - lowest[a] + highest[b] - lowest[b] <= most:
            np.subtract(above[a], below[b], out=shifted)
            counted = _from_first(int(lowest[a] - highest[b]), np.bincount(shifted))
        elif np.ptp(differences := codes[a] - codes[b]) <= most:
            counted = _counts(differences)
        else:
            return None
        rows.append(_ranked(*counted))
        size += counted[1].size
        if size <= _MOST_KEPT:
            kept.append(counted)
    plus, squares, n_nonzero, levels = map(np.array, zip(*rows, strict=True))
    if n_nonzero.max() <= UNTIED_MOST:
        return None
    return CountedPairs(
        n=len(values),
        plus=plus,
        n_nonzero=n_nonzero,
        squares=squares,
        tied=squares < squares_upto(n_nonzero) - 0.25,
        flat=levels == 1,
        values=values,
        codes=codes,
        unit=unit,
        first=first,
        second=second,
        kept=kept,
    )


def _counts(differences: IntArray) -> tuple[int, IntArray]:
    """The lowest difference, and how often it and each one above it is there."""
    low = int(differences.min())
    return low, np.bincount(differences - low)


def _from_first(low: int, counts: IntArray) -> tuple[int, IntArray]:
    """The same without what is not there below the lowest one."""
    empty = int((counts > 0).argmax())
    return low + empty, counts[empty:]


def _ranked(low: int, counts: IntArray) -> tuple[float, float, int, int]:
    """Sum of the ranks of positive differences, of all squares, number of nonzero ones and of levels."""
    largest = max(low + counts.size - 1, -low)
    signed = np.zeros(2 * largest + 1)
    signed[low + largest : low + largest + counts.size] = counts
    above = signed[largest + 1 :]
    both = above + signed[:largest][::-1]
    upto = np.cumsum(both)
    midranks = upto - (both - 1.0) / 2.0
    weighed = midranks * both
    n_nonzero = int(upto[-1]) if upto.size else 0
    return float(midranks @ above), float(weighed @ midranks), n_nonzero, counts.size


class _Sums:
    """How many sums of two values, one of them twice included, are at most a code; from counts of the values."""

    def __init__(self, low: int, counts: IntArray) -> None:
        """Of differences from ``low`` on; those of zero are left out."""
        self.size = counts.size
        # backwards, so that what is multiplied stands side by side; whole numbers below 2^53 stay exact
        self.held = counts.astype(np.float64)
        if low <= 0 < low + counts.size:
            self.held[-low] = 0.0
        self.upto = np.cumsum(self.held)
        self.back = np.stack([self.upto[::-1], self.held[::-1]])
        self.known: dict[int, tuple[int, int]] = {}

    def reached(self, code: int) -> tuple[int, int]:
        """The number of sums up to a code, and of those with just this code; asked for again it is known."""
        if code not in self.known:
            start, stop = max(0, code - self.size + 1), min(code, self.size - 1) + 1
            shift = self.size - 1 - code
            both = self.back[:, start + shift : stop + shift] @ self.held[start:stop]
            ordered, just = both.tolist()
            if start:  # with the lowest ones every value is within
                ordered += float(self.upto[start - 1]) * float(self.upto[-1])
            twice = 0.0 if code % 2 else float(self.held[code // 2])
            counted = ordered + float(self.upto[code // 2])
            self.known[code] = (round(counted) // 2, round(just + twice) // 2)
        return self.known[code]

    def at(self, places: list[int]) -> list[int]:
        """The codes of the sums at these places, counted from 0; each begins at the one before."""
        found: list[int] = []
        for place in places:
            found.append(self._at(place, found[0] if found else self.size - 1))
        return found

    def _at(self, place: int, guess: int) -> int:
        """The first code up to which there are more sums than this place, by brackets about it."""
        before, code, tried = -1, guess, 0
        behind = 2 * self.size - 2
        while behind - before > 1:
            code = min(max(code, before + 1), behind - 1)
            reached, just = self.reached(code)
            if reached - just <= place < reached:
                return code
            before, behind = (before, code) if reached > place else (code, behind)
            tried += 1
            step = (place + 0.5 - reached) / max(just, 0.5)
            quick = code + (round(step) or (1 if step > 0 else -1))
            code = quick if tried <= _QUICK else (before + behind) // 2
        return behind
