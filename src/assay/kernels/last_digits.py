"""Printed numbers in units of their last digit: whole numbers, which are compared and sorted sooner than floats."""

import numpy as np

from assay.core.arrays import FloatArray, IntArray

DIGITS = 6
"""Decimals up to which a value counts as printed."""
_LARGEST = 2**31
"""Whole numbers up to here are far enough apart that rounding does not tie neighbours."""


def whole_numbers(values: FloatArray) -> tuple[IntArray, float] | None:
    """The values in their last digits, and how many of them make one; None where one has more digits.

    Two values differ but for rounding noise just where these whole numbers do.
    """
    flat = values.reshape(-1)
    some = flat[:: max(1, flat.size // 4096)]
    for digits in range(DIGITS + 1):
        unit = 10.0**digits
        if not np.array_equal(np.rint(some * unit) / unit, some):
            continue
        found = np.rint(values * unit)
        if np.array_equal(found / unit, values):
            small = np.abs(found).max(initial=0.0) < _LARGEST
            return (found.astype(np.int64), unit) if small else None
    return None
