"""How probable a difference of beta shares is to exceed a value, by quadrature."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.roots import bracketed_root
from assay.kernels.special import betainc, betaincc, betaincinv, betaln, expit, xlogy

Tail = Callable[[float], float]
"""P(difference > value), for values of 0 and above."""

_COARSE, _FINE = 97, 81
_NEGLIGIBLE = 40.0
"""Where the logarithm of the integrand has fallen by this much, e^-40, nothing is left to add."""
_ENDS = 60.0
_NODES, _STEPS, _SDS = 32, 12, 10.0
"""Points of a beta distribution; steps of a search that begins so many standard deviations away."""


def paired_tail(only_a: float, only_b: float, agree: float) -> Tail:
    """Of theta_a - theta_b, where (theta_a, theta_b, rest) is Dirichlet(only_a, only_b, agree).

    The share s on which two models differ is beta, and so is, independently, the part x of it that
    A wins: the difference is s (2x - 1).
    """

    def tail(value: float) -> float:
        if value == 0.0:
            return float(betaincc(only_a, only_b, 0.5))
        return _beyond(
            value,
            only_a + only_b,
            agree,
            lambda share: betaincc(only_a, only_b, (1.0 + value / share) / 2.0),
        )

    return tail


def independent_tail(a: tuple[float, float], b: tuple[float, float]) -> Tail:
    """Of theta_a - theta_b, two independent beta shares."""

    def tail(value: float) -> float:
        return _beyond(value, *a, lambda share: betainc(*b, share - value))

    return tail


def paired_quantiles(
    only_a: float, only_b: float, agree: float, probabilities: FloatArray
) -> FloatArray:
    """Quantiles of theta_a - theta_b of `paired_tail`.

    Their probabilities are right to 0.0002.
    """
    differ = only_a + only_b

    def below(values: FloatArray) -> FloatArray:
        # where the models differ on a smaller share than the value, there is no doubt
        begin = betainc(differ, agree, np.abs(values))
        shares, weights = _nodes(differ, agree, begin, np.ones_like(begin))
        places = np.clip((1.0 + values[:, None] / shares) / 2.0, 0.0, 1.0)
        certain = np.where(values > 0.0, begin, 0.0)
        return np.asarray(certain + (betainc(only_a, only_b, places) * weights).sum(axis=1))

    total = differ + agree
    mean = (only_a - only_b) / total
    sd = math.sqrt((differ / total - mean**2) / (total + 1.0))
    return _inverted(below, probabilities, mean, sd)


def independent_quantiles(
    a: tuple[float, float], b: tuple[float, float], probabilities: FloatArray
) -> FloatArray:
    """Quantiles of theta_a - theta_b of `independent_tail`, as good."""
    if a > b:  # so that swapping mirrors the answer
        return -independent_quantiles(b, a, 1.0 - probabilities)

    def below(values: FloatArray) -> FloatArray:
        begin, end = (betainc(*b, np.clip(edge - values, 0.0, 1.0)) for edge in (0.0, 1.0))
        shares, weights = _nodes(*b, begin, end)
        places = np.clip(values[:, None] + shares, 0.0, 1.0)
        return np.asarray(1.0 - end + (betainc(*a, places) * weights).sum(axis=1))

    mean = a[0] / sum(a) - b[0] / sum(b)
    sd = math.sqrt(sum(math.prod(one) / (sum(one) ** 2 * (sum(one) + 1.0)) for one in (a, b)))
    found = _inverted(below, probabilities, mean, sd)
    if a == b:
        return (found - _inverted(below, 1.0 - probabilities, mean, sd)) / 2.0
    return found


def _nodes(
    one: float, other: float, begin: FloatArray, end: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Points of a beta distribution and their weights: Gauss and Legendre's over quantiles.

    Rows reach from one quantile to another, such that no integrand has a corner in between.
    """
    places, weights = _legendre()
    span = (end - begin)[:, None]
    found = betaincinv(one, other, begin[:, None] + span * places)
    return np.maximum(found, 1e-300), span * weights


@cache
def _legendre() -> tuple[FloatArray, FloatArray]:
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    return (places + 1.0) / 2.0, weights / 2.0


def _inverted(
    below: Callable[[FloatArray], FloatArray], probabilities: FloatArray, mean: float, sd: float
) -> FloatArray:
    """Where ``below`` reaches the probabilities, looked for near the mean first."""

    def miss(values: FloatArray) -> FloatArray:
        return below(values) - probabilities

    low, high = (
        np.clip(np.full(probabilities.shape, mean + side * sd), -1.0, 1.0) for side in (-_SDS, _SDS)
    )
    beyond = (miss(low) > 0.0) | (miss(high) < 0.0)
    low, high = np.where(beyond, -1.0, low), np.where(beyond, 1.0, high)
    return bracketed_root(miss, low, high, max_steps=4 * _STEPS if beyond.any() else _STEPS)


def _beyond(
    value: float, one: float, other: float, inner: Callable[[FloatArray], FloatArray]
) -> float:
    """The integral of the beta(one, other) density times ``inner`` over shares from value to 1.

    Over the logit of (share - value)/(1 - value) the integrand is smooth and dies out on both
    sides: a wide grid finds it, a fine one adds it up by the trapezoidal rule.
    """
    if value >= 1.0:
        return 0.0
    grid = np.linspace(-_ENDS, _ENDS, _COARSE)
    for _ in range(4):
        height = _log_integrand(grid, value, one, other, inner)
        top = height.max()
        if top == -math.inf:
            return 0.0
        inside = np.flatnonzero(height > top - _NEGLIGIBLE)
        low, high = max(inside[0] - 1, 0), min(inside[-1] + 1, grid.size - 1)
        grid = np.linspace(grid[low], grid[high], _FINE)
    height = _log_integrand(grid, value, one, other, inner)
    return min(float(np.exp(height).sum() * (grid[1] - grid[0])), 1.0)


def _log_integrand(
    grid: FloatArray,
    value: float,
    one: float,
    other: float,
    inner: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    log_rest = math.log1p(-value) - np.logaddexp(0.0, grid)  # of 1 - share, exact near 1 too
    share = value + (1.0 - value) * expit(grid)
    density = (xlogy(one - 1.0, share) + log_rest * (other - 1.0)) - betaln(one, other)
    slope = log_rest - np.logaddexp(0.0, -grid)
    with np.errstate(divide="ignore"):
        return np.asarray(density + slope + np.log(inner(share)))
