"""Ranks that see decimal ties: 0.768 - 0.763 and 0.936 - 0.931 are the same difference."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.arrays import BoolArray, FloatArray, IndexArray, IntArray
from assay.core.tolerances import NOISE, TIE
from assay.kernels.last_digits import DIGITS, whole_numbers

HUGE = 1e307
"""A size beyond which two values may lie further apart than a float can say."""
FINE = 1e-13
"""The share of their size at which values differ that lie so close that others join them up."""
FEW = 16
"""Values in a row that are sooner compared one by one than sorted."""
PRINTED = 10_000
"""Values from which on it pays to look whether they are printed decimals."""
SOME = 4_096
"""Values that are looked at first: sorting all of them twice takes longer."""


def round_ties(
    values: ArrayLike, *, axis: int = -1, scale: float | FloatArray | None = None
) -> FloatArray:
    """The values, those equal but for rounding noise made equal, along ``axis``.

    Neighbours closer than the tolerance (``TIE`` of the spread, or ``NOISE`` of the size ``scale``,
    by default the largest absolute value) take the smallest value of their group. Tolerances are
    per row, so that data sets on different scales do not disturb each other. Rounding noise does
    not spread over more than a tolerance: where a group does, its values are fine but different
    (1e8 seconds, to the millisecond), and the tolerance of the row is ``FINE`` of the size.
    """
    array = np.moveaxis(np.asarray(values, dtype=np.float64) + 0.0, axis, -1)  # no zero below zero
    if array.shape[-1] == 0:
        return np.asarray(values, dtype=np.float64).copy()
    size = _sizes(array) if scale is None else np.asarray(scale)
    if _too_large(size):
        return 4.0 * round_ties(np.asarray(values) / 4.0, axis=axis, scale=size / 4.0)
    many = array.ndim == 1 and array.size >= PRINTED
    printed = _printed_ties(array, size) if many and _seem_printed(array, size) else None
    if printed is not None:
        return printed
    order, _, smallest = _sorted_groups(array, size)
    snapped = np.empty_like(smallest)
    np.put_along_axis(snapped, order, smallest, axis=-1)
    return np.moveaxis(snapped, -1, axis)


def _seem_printed(array: FloatArray, size: FloatArray) -> bool:
    """Whether some of the values are tied as often as they are where each is there ``FEW`` times or more."""
    some = np.sort(array[:: max(1, array.size // SOME)])
    with np.errstate(invalid="ignore"):  # infinite values are sorted
        tied = np.count_nonzero(np.diff(some) <= NOISE * size)
    most = array.size / FEW
    return bool(2 * tied > some.size + most * np.expm1(-some.size / most))


def _printed_ties(array: FloatArray, size: FloatArray) -> FloatArray | None:
    """The same of values that are few decimals but for noise: looked up by their whole numbers, not sorted back."""
    ordered = np.sort(array)
    differs, smallest = _groups(ordered, size)
    begins = np.flatnonzero(np.append(True, differs))
    if begins.size > array.size // FEW or not np.isfinite(ordered[[0, -1]]).all():
        return None
    ends = np.append(begins[1:], array.size) - 1
    for digits in range(DIGITS + 1):
        unit = 10.0**digits
        first, last = np.rint(ordered[begins] * unit), np.rint(ordered[ends] * unit)
        if last[-1] - first[0] >= array.size:
            return None
        if np.array_equal(first, last) and (first[1:] > first[:-1]).all():
            found = np.empty(int(last[-1] - first[0]) + 1)
            found[(first - first[0]).astype(np.intp)] = smallest[begins]
            return np.asarray(found[(np.rint(array * unit) - first[0]).astype(np.intp)])
    return None


def _sizes(array: FloatArray) -> FloatArray:
    return np.asarray(np.abs(array).max(axis=-1, keepdims=True))


def _too_large(size: FloatArray) -> bool:
    return bool(np.any((size > HUGE) & np.isfinite(size)))


def _sorted_groups(array: FloatArray, size: FloatArray) -> tuple[IndexArray, BoolArray, FloatArray]:
    """Rows in their order: places, of each neighbouring pair whether the two differ, smallest of each group."""
    order = np.argsort(array, axis=-1)
    return order, *_groups(np.take_along_axis(array, order, axis=-1), size)


def _groups(ordered: FloatArray, size: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Of each neighbouring pair of sorted values whether the two differ, and the smallest of each group."""
    spread = ordered[..., -1:] - ordered[..., :1]
    tolerance = np.maximum(TIE * spread, NOISE * size)
    gaps = np.diff(ordered, axis=-1)
    differs = gaps > tolerance
    smallest = _smallest_of_groups(ordered, differs)
    chained = (ordered - smallest > tolerance).any(axis=-1, keepdims=True)
    if chained.any():
        differs = gaps > np.where(chained, np.minimum(tolerance, FINE * size), tolerance)
        smallest = _smallest_of_groups(ordered, differs)
    return differs, smallest


def round_values(values: FloatArray) -> FloatArray:
    """Values as they were measured, those equal but for rounding noise made equal.

    Nothing was subtracted, so noise is ``NOISE`` of the values themselves, or the last digit of the
    largest: probabilities of 1e-12 and 1e-13 are two values, also beside one of 1.
    """
    if values.size == 0:
        return values.copy()
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    sizes, gaps = np.abs(ordered), np.diff(ordered)
    last_digit = 2.0 * np.finfo(np.float64).eps * sizes.max()
    between = np.maximum(sizes[1:], sizes[:-1])
    smallest = _smallest_of_groups(ordered, gaps > np.maximum(NOISE * between, last_digit))
    if (ordered - smallest > np.maximum(2.0 * NOISE * sizes, 2.0 * last_digit)).any():
        smallest = _smallest_of_groups(ordered, gaps > np.maximum(FINE * between, last_digit))
    snapped = np.empty_like(ordered)
    snapped[order] = smallest
    return snapped


def decimal_differences(a: FloatArray, b: FloatArray) -> FloatArray:
    """A - b with equal sizes made equal and rounding noise made zero."""
    raw = a - b
    scale = float(max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)))
    sizes = round_ties(np.concatenate([[0.0], np.abs(raw)]), scale=scale)[1:]
    return np.where(sizes == 0.0, 0.0, np.copysign(sizes, raw))


def mean_differences(a: FloatArray, b: FloatArray, snapped: FloatArray | None = None) -> FloatArray:
    """A - b for means: as ``decimal_differences`` where that takes away no more than rounding.

    Ties decide ranks; a mean and its spread need the values, which may lie closer than ties do.
    ``snapped`` are the decimal differences, where they are known.
    """
    snapped = decimal_differences(a, b) if snapped is None else snapped
    raw = a - b
    scale = float(max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)))
    return snapped if float(np.abs(snapped - raw).max(initial=0.0)) <= FINE * scale else raw


def clean_differences(a: FloatArray, b: FloatArray) -> FloatArray:
    """A - b with rounding noise made zero: enough, and much faster, where sizes are only summed."""
    raw = a - b
    sizes = np.abs(raw)
    scale = float(max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)))
    raw[sizes <= max(TIE * float(sizes.max(initial=0.0)), NOISE * scale)] = 0.0
    return np.asarray(raw)


def midranks(values: ArrayLike, *, axis: int = -1, exact: bool = False) -> FloatArray:
    """Ranks from 1 along ``axis``, tied values sharing the mean of theirs.

    Ties are decimal (see :func:`round_ties`) unless ``exact``, which takes the floats as they are.
    """
    given = np.asarray(values, dtype=np.float64)
    array = np.moveaxis(given, axis, -1)
    if array.shape[-1] == 0:
        return given.copy()
    if not exact and not np.abs(array).max() <= HUGE and _too_large(_sizes(array)):
        array, exact = np.moveaxis(round_ties(given, axis=axis), axis, -1), True
    many = array.ndim == 2 and len(array) > FEW
    compared = many and 1 < array.shape[-1] <= FEW
    if many and not compared and array.size >= PRINTED and (found := whole_numbers(array)):
        return np.moveaxis(_printed_ranks(found[0]), -1, axis)
    with np.errstate(invalid="ignore", over="ignore"):  # rows with infinite values are sorted
        ranks = (_compared_ranks if compared else _sorted_ranks)(array, exact=exact)
    return np.moveaxis(ranks, -1, axis)


def _sorted_ranks(array: FloatArray, *, exact: bool) -> FloatArray:
    if exact:
        order = np.argsort(array, axis=-1, kind="stable")
        ordered = np.take_along_axis(array, order, axis=-1)
        differs = ordered[..., 1:] != ordered[..., :-1]
    else:
        order, differs, _ = _sorted_groups(array, _sizes(array))
    first = _first_of_group(differs)
    last = array.shape[-1] - 1 - _first_of_group(differs[..., ::-1])[..., ::-1]
    ranks = np.empty_like(array)
    np.put_along_axis(ranks, order, (first + last) / 2.0 + 1.0, axis=-1)
    return ranks


def _printed_ranks(codes: IntArray) -> FloatArray:
    """Ranks in rows of whole numbers: each with its place in the last bits is one number to sort."""
    n, k = codes.shape
    bits = int(k - 1).bit_length()
    kind: Any = np.int32 if max(n, int(np.abs(codes).max()) + 1) << bits < 2**31 else np.int64
    ordered = codes.astype(kind)
    ordered <<= bits
    ordered += np.arange(k, dtype=kind)
    ordered.sort(axis=1)
    place = ordered & (2**bits - 1)
    ordered >>= bits
    differs = ordered[:, 1:] != ordered[:, :-1]
    first = _first_of_group(differs)
    last = k - 1 - _first_of_group(differs[:, ::-1])[:, ::-1]
    ranks = np.empty((n, k))
    place += (k * np.arange(n, dtype=kind))[:, None]
    ranks.reshape(-1)[place] = (first + last) / 2.0 + 1.0
    return ranks


def _compared_ranks(rows: FloatArray, *, exact: bool) -> FloatArray:
    """Ranks in many rows of a few values: how many are below each, and half of those beside it.

    Rows that hold values which are close and not equal are sorted.
    """
    columns = np.ascontiguousarray(rows.T)
    size, spread = np.abs(columns).max(axis=0), np.ptp(columns, axis=0)
    tolerance = 0.0 if exact else np.maximum(TIE * spread, NOISE * size)
    unsure = ~np.isfinite(size)
    doubled = np.full(columns.shape, len(columns) + 1, dtype=np.int8)
    for one, other in combinations(range(len(columns)), 2):
        difference = columns[one] - columns[other]
        unsure |= (np.abs(difference) <= tolerance) & (difference != 0.0)
        side = np.sign(difference).astype(np.int8)
        doubled[one] += side
        doubled[other] -= side
    ranks: FloatArray = np.ascontiguousarray(doubled.T) / 2.0
    if unsure.any():
        ranks[unsure] = _sorted_ranks(rows[unsure], exact=exact)
    return ranks


def tie_term(values: ArrayLike) -> float:
    """The sum of t^3 - t over groups of t equal values."""
    counts = np.unique(np.asarray(values), return_counts=True)[1].astype(np.float64)
    return float((counts**3 - counts).sum())


def _smallest_of_groups(ordered: FloatArray, differs: BoolArray) -> FloatArray:
    if ordered.ndim == 1:
        found, tied = ordered.copy(), np.flatnonzero(~differs) + 1
        if tied.size:
            begins = np.append(True, np.diff(tied) > 1)
            found[tied] = ordered[tied[begins] - 1][np.cumsum(begins) - 1]
        return found
    return np.take_along_axis(ordered, _first_of_group(differs), axis=-1)


def _first_of_group(differs: BoolArray) -> NDArray[np.int32]:
    """For sorted values, the position at which each value's group of ties begins.

    ``differs`` says of each neighbouring pair whether a new group begins between them.
    """
    shape = (*differs.shape[:-1], differs.shape[-1] + 1)
    begins = np.zeros(shape, dtype=np.int32)
    np.multiply(differs, np.arange(1, shape[-1], dtype=np.int32), out=begins[..., 1:])
    return np.asarray(np.maximum.accumulate(begins, axis=-1))
