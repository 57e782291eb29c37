"""The studentized range: the distribution of the largest difference among k means.

With infinite degrees of freedom it is the range of k standard normal variables,

    P(Q > q) = k ∫ φ(z) {Φ(z)^(k-1) - [Φ(z) - Φ(z - q)]^(k-1)} dz,

z being the largest of them. The integrand falls off like a Gaussian on either side of q/2, where
the trapezoidal rule converges faster than any power of its step.
"""

from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.kernels.roots import bracketed_root
from assay.kernels.special import gammaln, log_ndtr, ndtr, ndtri

_STEP = 0.1
_NODES = np.arange(-85, 86) * _STEP
"""Offsets from q/2; beyond 8.5 the integrand is below 1e-16 of its largest value."""
_LOG_DENSITY_AT_ZERO = -0.5 * np.log(2 * np.pi)
_ROWS_AT_ONCE = 4096
_UNDERFLOW = 1e-290


def range_sf(q: ArrayLike, k: int, df: float = np.inf) -> FloatArray:
    """P(Q > q) for k means and ``df`` degrees of freedom, accurate in the far tail."""
    points = np.asarray(q, dtype=np.float64)
    distinct, place = np.unique(points, return_inverse=True)
    tails = _normal_sf(distinct, k) if np.isinf(df) else _finite_sf(distinct, k, df)
    return cast("FloatArray", tails[place].reshape(points.shape))


def log10_range_sf(q: ArrayLike, k: int, tails: FloatArray) -> FloatArray:
    """log10 of the tails P(Q > q) for infinite degrees of freedom, also where they have underflowed."""
    points = np.asarray(q, dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.atleast_1d(np.log10(tails))
    far = np.atleast_1d(tails < _UNDERFLOW)
    if far.any():
        logs[far] = _far_log_sf(np.atleast_1d(points)[far], k) / np.log(10)
    return logs.reshape(points.shape)


def range_isf(tail: float, k: int, df: float = np.inf) -> float:
    """The q with P(Q > q) = ``tail``."""
    return _normal_isf(float(tail), int(k)) if np.isinf(df) else _finite_isf(tail, k, df)


def _normal_sf(q: FloatArray, k: int) -> FloatArray:
    tails = np.empty_like(q)
    for start in range(0, q.size, _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        tails[part] = _normal_sf_rows(q[part, None], k)
    return np.clip(tails, 0.0, 1.0)


def _normal_sf_rows(q: FloatArray, k: int) -> FloatArray:
    largest = q / 2 + _NODES
    below = ndtr(largest)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        # {…} = Φ^(k-1) (1 - (1 - ratio)^(k-1)), which keeps its digits where ratio is tiny
        ratio = np.where(below > 0.0, ndtr(_NODES - q / 2) / below, 1.0)
        share = -np.expm1((k - 1) * np.log1p(-np.minimum(ratio, 1.0)))
        weights = np.exp(_LOG_DENSITY_AT_ZERO - largest**2 / 2) * below ** (k - 1)
        return cast("FloatArray", k * _STEP * np.sum(weights * share, axis=1))


def _far_log_sf(q: FloatArray, k: int) -> FloatArray:
    """The same integral in logarithms, its power replaced by the first term of its series."""
    from assay.kernels.special import logsumexp  # the whole package is run for it

    q = q[:, None]
    largest = q / 2 + _NODES
    logs = _LOG_DENSITY_AT_ZERO - largest**2 / 2 + log_ndtr(_NODES - q / 2)
    logs += (k - 2) * log_ndtr(largest)
    return cast("FloatArray", logsumexp(logs, axis=1) + np.log(k * (k - 1) * _STEP))


def _normal_pdf(q: float, k: int) -> float:
    """The density k (k-1) ∫ φ(z) φ(z - q) [Φ(z) - Φ(z - q)]^(k-2) dz."""
    largest, smallest = _NODES + q / 2, _NODES - q / 2
    densities = np.exp(2 * _LOG_DENSITY_AT_ZERO - (largest**2 + smallest**2) / 2)
    between = np.maximum(ndtr(largest) - ndtr(smallest), 0.0) ** (k - 2)
    return float(k * (k - 1) * _STEP * np.sum(densities * between))


@lru_cache(maxsize=256)
def _normal_isf(tail: float, k: int) -> float:
    """Newton's method on log P(Q > q), which is concave: from the right it never overshoots."""
    q = np.sqrt(2.0) * -float(ndtri(tail / (k * (k - 1))))  # Bonferroni's bound lies to the right
    for _ in range(50):
        current = float(_normal_sf(np.array([q]), k)[0])
        step = current * np.log(current / tail) / _normal_pdf(q, k)
        q += step
        if abs(step) < 1e-13 * q:
            break
    return float(q)


def _finite_sf(q: FloatArray, k: int, df: float) -> FloatArray:
    """The tail at q·s averaged over s, the root of a chi-square over its degrees of freedom."""
    scale, weight = _scale_nodes(df, float(q.max(initial=0.0)))
    tails = _normal_sf(np.outer(q, scale).ravel(), k).reshape(q.size, -1)
    return np.minimum(tails @ weight, 1.0)


def _scale_nodes(df: float, largest: float) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights in u = log s, whose log density is df·(u - e^(2u)/2) plus a constant."""
    # the tail at a large q comes from small s, near the peak of s^df exp(-(df + q²/2) s²/2)
    low = -0.5 * np.log1p(largest**2 / (2 * df)) - np.sqrt(42 / df) - 42 / df
    high = min(np.sqrt(42 / df), 0.5 * np.log(84 / df + 3))
    step = min(0.1, 0.4 / np.sqrt(df))
    u = np.arange(low, high + step, step)
    log_density = df * (u - np.exp(2 * u) / 2)
    log_constant = np.log(2.0) + (df / 2) * np.log(df / 2) - gammaln(df / 2)
    return np.exp(u), step * np.exp(log_density + log_constant)


def _finite_isf(tail: float, k: int, df: float) -> float:
    def excess(log_q: FloatArray) -> FloatArray:
        found = _finite_sf(np.exp(np.atleast_1d(log_q)), k, df)
        return cast("FloatArray", np.log(np.maximum(found, 1e-300) / tail))

    low = np.log([0.5 * _normal_isf(tail, k)])
    high = low + 2.0
    while excess(high)[0] > 0:
        high += 2.0
    return float(np.exp(bracketed_root(excess, low, high)[0]))
