"""The odds ratio of a table of which all sums are given: its likelihood and tails, over all such tables."""

import math
from collections.abc import Callable

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.special import gammaln

_FURTHEST = 1e4
"""Logarithms of odds beyond which floats end."""


class ConditionalOdds:
    """Fisher's noncentral hypergeometric distribution of the first cell, by the logarithm of the odds ratio."""

    def __init__(self, first: int, row: int, other: int, column: int) -> None:
        """``first`` of ``row`` items in the first row, ``other`` in the second, ``column`` in the first column."""
        self.cells: FloatArray = np.arange(
            max(0, column - other), min(row, column) + 1, dtype=np.float64
        )
        self.first = float(first)
        self._weights: FloatArray = -(
            gammaln(self.cells + 1.0)
            + gammaln(row - self.cells + 1.0)
            + gammaln(column - self.cells + 1.0)
            + gammaln(other - column + self.cells + 1.0)
        )

    def doubled_tail(self) -> float:
        """Twice the smaller tail at equal odds: the exact p-value of a sample without replacement."""
        shares = np.exp(self._weights - self._weights.max())
        ends = (shares[self.cells <= self.first].sum(), shares[self.cells >= self.first].sum())
        return min(1.0, 2.0 * float(min(ends) / shares.sum()))

    def estimate(self) -> float:
        """The odds ratio at which the first cell is expected to be what it is."""
        if self.first == self.cells[0]:
            return 0.0
        if self.first == self.cells[-1]:
            return math.inf
        return self._root(lambda shares: float(shares @ self.cells) - self.first)

    def lower(self, alpha: float) -> float:
        """The odds ratio at which so large a cell, or a larger one, has the probability ``alpha``."""
        if self.first == self.cells[0]:
            return 0.0
        return self._root(lambda shares: float(shares[self.cells >= self.first].sum()) - alpha)

    def upper(self, alpha: float) -> float:
        """The odds ratio at which so small a cell, or a smaller one, has the probability ``alpha``."""
        if self.first == self.cells[-1]:
            return math.inf
        return self._root(lambda shares: alpha - float(shares[self.cells <= self.first].sum()))

    def _root(self, rises: Callable[[FloatArray], float]) -> float:
        from scipy.optimize import brentq

        def at(log_odds: float) -> float:
            exponents = self._weights + log_odds * self.cells
            shares = np.exp(exponents - exponents.max())
            return rises(shares / shares.sum())

        reach = 1.0
        while reach < _FURTHEST and not at(-reach) < 0.0 < at(reach):
            reach *= 2.0
        return math.exp(float(brentq(at, -reach, reach, xtol=1e-14, rtol=1e-15 * 8.9)))
