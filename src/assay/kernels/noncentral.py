"""Confidence bounds of a noncentrality parameter, by inversion of the F test and of the t test."""

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.kernels.roots import bracketed_root
from assay.kernels.special import chdtri, fdtrc, gammainc, gammaincc, ncfdtr, ndtr, ndtri

_HUGE = 1e150
"""What can be squared; beyond it every tail is 0 or 1."""
_BEYOND = 1e9
"""A numerator so far from 0 has no spread beside that of the denominator, which alone is left."""
_COARSE = 1e8
_FAR = 14.0  # standard deviations that an integral reaches out: exp(-98) is left
_LEGENDRE = np.polynomial.legendre.leggauss(160)


def noncentrality_bounds(f: float, df1: float, df2: float, level: float) -> tuple[float, float]:
    """The lower and the upper one-sided bound of lambda, each at confidence ``level``.

    The lower bound has P(F' >= f | lambda) = 1 - level and is above zero exactly when the central
    F test rejects at 1 - level; the upper bound has P(F' <= f | lambda) = 1 - level.
    """
    tail = 1.0 - level
    p_value = float(fdtrc(df1, df2, f))
    low = 0.0 if p_value >= tail else _noncentrality(f, df1, df2, level)
    high = 0.0 if 1.0 - p_value <= tail else _noncentrality(f, df1, df2, tail)
    # towards a level of one half both bounds are the same number, found by two searches
    return (low, max(low, high)) if high > 0.0 else (low, high)


def _noncentrality(f: float, df1: float, df2: float, below: float) -> float:
    """The lambda under which a share ``below`` of F statistics is at most f; F falls in lambda."""
    if df1 * f > _BEYOND:  # SciPy's tail takes seconds beyond, and is NaN from about 1e10
        share = float(chdtri(df2, below)) / df2
        return max(0.0, df1 * (f * share - 1.0))
    high = 1.0 + df1 * f
    while ncfdtr(df1, df2, high, f) > below:
        high *= 2.0

    def excess(noncentrality: FloatArray) -> FloatArray:
        return np.asarray(ncfdtr(df1, df2, noncentrality, f) - below, dtype=np.float64)

    return float(bracketed_root(excess, 0.0, high))


def t_noncentrality_bounds(t: float, df: float, tail: float) -> tuple[float, float]:
    """The noncentralities of a t that leave ``tail`` above t (lower bound) and below it (upper).

    The lower bound is above zero exactly when the t test rejects with one tail of ``tail``.
    """
    low, high = -_t_noncentrality(-t, df, tail), _t_noncentrality(t, df, tail)
    return min(low, high), high  # towards a tail of one half they are one number, found twice


def noncentral_t_cdf(t: float, df: float, noncentrality: ArrayLike) -> FloatArray:
    """P(T <= t) for T = (Z + noncentrality)/S, with df S² chi-square: small tails keep their digits.

    SciPy's nctdtr is NaN in places (1.17: t = 10, df = 2), so one of Z and S is integrated out: the
    one whose share of the spread is smaller, as a smooth function of the other.
    """
    means = np.clip(np.asarray(noncentrality, dtype=np.float64), -_HUGE, _HUGE)[..., None]
    width = abs(t) / np.sqrt(2.0 * df)
    if width <= 1.0:
        x, weights = _nodes(max(-1.0, -_FAR / np.sqrt(2.0 * df)), _FAR / np.sqrt(2.0 * df))
        density = weights * np.exp((df - 1.0) * np.log1p(x) - df * (x + x * x / 2.0))
        return np.asarray((ndtr(t * (1.0 + x) - means) * density).sum(-1) / density.sum())
    # y = ±(Z + noncentrality) above 0, on the side of t
    centres = means if t > 0.0 else -means
    x, weights = _nodes(0.0, 1.0)
    first = np.maximum(centres - _FAR, 0.0)
    length = np.where(centres > _COARSE, 2.0 * _FAR, np.maximum(centres + _FAR - first, _FAR))
    y = first + length * x
    squares = np.clip(y / t, -_HUGE, _HUGE) ** 2
    tails = (gammaincc if t > 0.0 else gammainc)(df / 2.0, df * squares / 2.0)
    # where floats lie further apart than the standard deviation, their difference has no digits
    off = np.where(centres > _COARSE, length * x - _FAR, y - centres)
    density = weights * length * np.exp(-(off**2) / 2.0) / np.sqrt(2.0 * np.pi)
    beyond = ndtr(-means[..., 0]) if t > 0.0 else 0.0
    return np.asarray(beyond + (tails * density).sum(-1))


def _t_noncentrality(t: float, df: float, below: float) -> float:
    """The noncentrality under which a share ``below`` of t statistics is at most t."""
    reach = (2.0 + abs(float(ndtri(below)))) * float(np.sqrt(1.0 + t * t / (2.0 * df)))
    while np.ptp(np.sign(noncentral_t_cdf(t, df, [t - reach, t + reach]) - below)) == 0.0:
        reach *= 1.5

    def excess(noncentrality: FloatArray) -> FloatArray:
        return noncentral_t_cdf(t, df, noncentrality) - below

    return float(bracketed_root(excess, t - reach, t + reach))


def _nodes(low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes and weights between two ends."""
    nodes, weights = _LEGENDRE
    return low + (high - low) * (nodes + 1.0) / 2.0, weights * (high - low) / 2.0
