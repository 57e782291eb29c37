"""The spread of areas under ROC curves before there are data: normal scores in each class.

Positives and negatives score normally with equal spread, so an area A is Φ(a) with a the distance
between them. Two pairs of items that share a positive, a negative or both are ordered together
more often than chance has it, by :func:`excess`; variance and covariance are sums of such terms.
"""

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.special import ndtri

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(60)


def excess(a: float, b: float, correlation: float) -> float:
    """P(X <= a, Y <= b) - Φ(a)Φ(b) of standard normals so correlated (Plackett 1954)."""
    angle = float(np.arcsin(correlation))
    angles = angle * (_NODES + 1.0) / 2.0
    inside = (a * a + b * b - 2.0 * a * b * np.sin(angles)) / (2.0 * np.cos(angles) ** 2)
    return float((_WEIGHTS * np.exp(-inside)).sum() * angle / (4.0 * np.pi))


def area_covariance(
    areas: tuple[float, float], correlation: float, n: FloatArray, prevalence: float
) -> FloatArray:
    """The covariance of two areas on the same ``n`` items, a share ``prevalence`` positive.

    ``correlation`` is that of the two models' scores within a class. With 1 and equal areas this
    is the variance of one area: Hanley and McNeil's (1982, eq. 1) with the probabilities of normal
    scores, which DeLong's estimate approaches.
    """
    a, b = (float(ndtri(area)) for area in areas)
    positives, negatives = n * prevalence, n * (1.0 - prevalence)
    both = excess(a, b, correlation)
    one = excess(a, b, correlation / 2.0)
    pairs = positives * negatives
    return np.asarray((both + (positives + negatives - 2.0) * one) / pairs, dtype=np.float64)


def area_variance(area: float, n: FloatArray, prevalence: float) -> FloatArray:
    """The variance of one area."""
    return area_covariance((area, area), 1.0, n, prevalence)


def difference_variance(
    areas: tuple[float, float], correlation: float, n: FloatArray, prevalence: float
) -> FloatArray:
    """The variance of the difference of two areas on the same items."""
    first, second = (area_variance(area, n, prevalence) for area in areas)
    together = area_covariance(areas, correlation, n, prevalence)
    return np.asarray(first + second - 2.0 * together, dtype=np.float64)
