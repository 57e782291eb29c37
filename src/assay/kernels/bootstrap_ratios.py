"""The ratio of two sums over drawn units: clusters of unequal size, items of unequal weight.

The ratio Σ sums / Σ sizes is at most x exactly when the sum of ``sums − x · sizes`` is at most 0, so
that its law is that of a mean of draws, asked for once for every x.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.bootstrap_means import How, MeanDraws, sum_of_draws
from assay.kernels.cumulants import Draws
from assay.kernels.roots import bracketed_root

_ENDS = 9.0  # standard errors on either side in which limits are sought
_CELL = 0.25  # standard errors between the points at which the law is tabled


class NoLaw(Exception):
    """Somewhere on the way the law is better drawn than computed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatioDraws:
    """The law of a ratio of sums over as many drawn units as there are."""

    sums: FloatArray
    sizes: FloatArray
    mean: float
    sigma: float
    how: How
    error: float

    def at_most(self, x: float) -> float:
        """P(ratio ≤ x)."""
        return self._law(x).at_most(0.0)

    def at_least(self, x: float) -> float:
        """P(ratio ≥ x)."""
        return self._law(x).at_least(0.0)

    def log_tail(self, x: float, *, upper: bool) -> float:
        return self._law(x).log_tail(0.0, upper=upper)

    def low(self, tail: float) -> float:
        """Where P(ratio ≤ x) first exceeds ``tail``."""
        return self._root(lambda x: self.at_most(x) - tail)

    def high(self, tail: float) -> float:
        """The last x at which P(ratio ≥ x) still exceeds ``tail``."""
        return self._root(lambda x: tail - self.at_least(x))

    def moments(self, change: Callable[[FloatArray], Any] | None = None) -> tuple[float, float]:
        """Mean and standard deviation of a function of the ratio, or of the ratio itself."""
        edges = self.mean + self.sigma * np.arange(-_ENDS, _ENDS + _CELL, _CELL)
        masses = np.diff([self.at_most(float(edge)) for edge in edges])
        ratios = self.sums / self.sizes
        places = np.clip(0.5 * (edges[1:] + edges[:-1]), ratios.min(), ratios.max())
        values = places if change is None else np.asarray(change(places), dtype=np.float64)
        masses /= masses.sum()
        mean = float((values * masses).sum())
        squares = float(((values - mean) ** 2 * masses).sum())
        return mean, math.sqrt(squares / (1.0 + _CELL**2 / 12.0))  # Sheppard's correction

    @property
    def log_least(self) -> float:
        """The log of the probability of one unit drawn every time: nothing is rarer."""
        return -self.sums.size * math.log(self.sums.size)

    def skewness(self) -> tuple[float, float]:
        """Sums of the second and third powers of the influence of each unit."""
        residuals = self.sums - self.mean * self.sizes
        return float((residuals**2).sum()), float((residuals**3).sum())

    def _law(self, x: float) -> MeanDraws:
        law = sum_of_draws([Draws.of(self.sums - x * self.sizes)])
        if law is None:
            raise NoLaw
        return law

    def _root(self, excess: Callable[[float], float]) -> float:
        def function(x: FloatArray) -> FloatArray:
            return np.array([excess(float(x[0]))])

        ends = self.mean + self.sigma * np.array([-_ENDS, _ENDS])
        return float(bracketed_root(function, ends[:1], ends[1:], max_steps=60)[0])


def ratio_draws(sums: FloatArray, sizes: FloatArray) -> RatioDraws | None:
    """The law of Σ sums / Σ sizes over drawn units; None where drawing is the better way."""
    total = float(sizes.sum())
    mean = float(sums.sum()) / total
    sigma = math.sqrt(float(((sums - mean * sizes) ** 2).sum())) / total
    law = sum_of_draws([Draws.of(sums - mean * sizes)])
    if law is None:
        return None
    return RatioDraws(sums=sums, sizes=sizes, mean=mean, sigma=sigma, how=law.how, error=law.error)
