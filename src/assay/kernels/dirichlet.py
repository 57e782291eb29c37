"""Which of three Dirichlet probabilities is the largest, by quadrature."""

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.special import gammainc, gammaln

_COARSE, _FINE = 4001, 801
_NEGLIGIBLE = 45.0
"""Where the logarithm of the integrand has fallen by this much, e^-45, nothing is left to add."""


def largest_of_three(left: float, middle: float, right: float) -> tuple[float, float, float]:
    """P(each of three Dirichlet probabilities is the largest), parameters 0 or above.

    Dirichlet probabilities are gammas over their sum, so that P(left is the largest) is the
    integral of the density of its gamma times the distribution functions of the other two.
    """
    found = (
        _largest(left, middle, right),
        _largest(middle, left, right),
        _largest(right, middle, left),
    )
    total = (found[0] + found[2]) + found[1]
    return found[0] / total, found[1] / total, found[2] / total


def _largest(own: float, one: float, other: float) -> float:
    if own == 0.0:
        return 0.0
    # over log x the integrand is log-concave: a wide grid finds it, a fine one adds it up by the
    # trapezoidal rule, whose error falls exponentially for such functions
    most = max(own, one, other)
    grid = np.linspace(-745.0, np.log(most + 40.0 * np.sqrt(most) + 800.0), _COARSE)
    for _ in range(4):
        height = _log_integrand(grid, own, one, other)
        inside = np.flatnonzero(height > height.max() - _NEGLIGIBLE)
        low, high = max(inside[0] - 1, 0), min(inside[-1] + 1, grid.size - 1)
        grid = np.linspace(grid[low], grid[high], _FINE)
    height = _log_integrand(grid, own, one, other)
    return float(np.exp(height).sum() * (grid[1] - grid[0]))


def _log_integrand(log_x: FloatArray, own: float, one: float, other: float) -> FloatArray:
    x = np.exp(log_x)
    with np.errstate(divide="ignore"):
        others = np.log(_below(one, x)) + np.log(_below(other, x))
    return np.asarray(own * log_x - x - gammaln(own) + others)


def _below(shape: float, x: FloatArray) -> FloatArray:
    """P(gamma <= x); a gamma of shape 0 is 0."""
    return np.ones_like(x) if shape == 0.0 else np.asarray(gammainc(shape, x))
