"""How many units that count alike are worth as much as units of different weight, or of clusters."""

from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray, IntArray

UNSEEN_CORRELATION = 0.05
"""How far rare values of one cluster go together at least: those that are seen need not tell (decision 0282)."""


def kish(weights: FloatArray) -> float:
    """The effective number of units with these weights, (Σ w)²/Σ w² (Kish 1965)."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0.0 else 0.0


class UnitTotals(NamedTuple):
    """What each cluster, or item, adds to a mean, and how many equal, independent items there are."""

    totals: FloatArray
    variance: float
    items: float

    def independent(self, error: float | None) -> float:
        """As many independent items as have this standard error, or fewer."""
        return self.items if not error else min(self.items, self.variance / error**2)


def units_of(
    values: FloatArray, clusters: IntArray | None, weights: FloatArray | None
) -> UnitTotals:
    """The units of a weighted mean; ``items`` by Kish (1965), fewer if they come in clusters."""
    shares = np.ones(values.size) if weights is None else np.asarray(weights, np.float64)
    if not shares.any():
        return UnitTotals(np.empty(0), 0.0, 0.0)
    shares = shares / shares.sum()
    away = values - shares @ values
    squares = float((shares**2).sum())
    variance = float(shares @ away**2) / max(1.0 - squares, squares)
    totals, share = shares * away, shares
    if clusters is not None:
        totals, share = (np.bincount(clusters, weights=one) for one in (totals, shares))
    return UnitTotals(totals[share > 0.0], variance, independent_items(shares, clusters))


def independent_items(shares: FloatArray, clusters: IntArray | None) -> float:
    """How many independent items of one weight show as much of rare values as items of these weights do."""
    squares = float((shares**2).sum())
    share = shares if clusters is None else np.bincount(clusters, weights=shares)
    clump = float((share**2).sum()) / squares  # items that make a cluster
    return 1.0 / squares / (1.0 + (clump - 1.0) * UNSEEN_CORRELATION)
