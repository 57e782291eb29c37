"""Differences of numbers as they are printed, without the rounding of binary subtraction.

0.768 - 0.763 and 0.936 - 0.931 are both 0.005 here, and 74/75 - 73/75 printed with 16 digits is what
its digits say: equal to another difference only where every digit is.
"""

from fractions import Fraction
from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.ranks import decimal_differences

Equality = Literal["rounded", "exact"]
EQUALITIES: tuple[Equality, ...] = ("rounded", "exact")
"""When two scores are tied: within 1e-10 of their scale, or only where every digit agrees."""


def exact_differences(a: FloatArray, b: FloatArray) -> FloatArray:
    """A - b of the shortest decimals that stand for the floats, rounded once at the end."""
    pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
    found = [float(_printed(first) - _printed(second)) for first, second in pairs]
    return np.array(found).reshape(a.shape)


def tied_differences(a: FloatArray, b: FloatArray, ties: Equality) -> FloatArray:
    """A - b in which what counts as equal is equal."""
    return exact_differences(a, b) if ties == "exact" else decimal_differences(a, b)


def deviations_in_order(table: FloatArray) -> FloatArray:
    """Places in the order of all values minus their row's mean; equal ones share a place."""
    rows = [[_printed(value) for value in row] for row in table.tolist()]
    found = [[value - sum(row) / len(row) for value in row] for row in rows]
    places = {value: place for place, value in enumerate(sorted({v for row in found for v in row}))}
    return np.array([[float(places[value]) for value in row] for row in found])


def _printed(value: float) -> Fraction:
    return Fraction(repr(value))
