"""Confidence bounds of a noncentrality parameter, by inversion of the F test."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ncfdtr

from assay.kernels.roots import bracketed_root

FloatArray = NDArray[np.float64]


def noncentrality_bounds(f: float, df1: float, df2: float, level: float) -> tuple[float, float]:
    """The lower and the upper one-sided bound of lambda, each at confidence ``level``.

    The lower bound has P(F' >= f | lambda) = 1 - level and is above zero exactly when the central
    F test rejects at 1 - level; the upper bound has P(F' <= f | lambda) = 1 - level.
    """
    tail = 1.0 - level
    p_value = float(fdtrc(df1, df2, f))
    low = 0.0 if p_value >= tail else _noncentrality(f, df1, df2, level)
    high = 0.0 if 1.0 - p_value <= tail else _noncentrality(f, df1, df2, tail)
    return low, high


def _noncentrality(f: float, df1: float, df2: float, below: float) -> float:
    """The lambda under which a share ``below`` of F statistics is at most f; F falls in lambda."""
    high = 1.0 + df1 * f
    while ncfdtr(df1, df2, high, f) > below:
        high *= 2.0

    def excess(noncentrality: FloatArray) -> FloatArray:
        return np.asarray(ncfdtr(df1, df2, noncentrality, f) - below, dtype=np.float64)

    return float(bracketed_root(excess, 0.0, high))
