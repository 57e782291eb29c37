"""Differences of mean losses on items that come in clusters or have weights: t tests that heed skewness."""

from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.results import TestOutcome
from assay.estimates.clustered_means import cluster_difference
from assay.hypotheses.skewed_means import checked_bound, leaning, withheld
from assay.kernels.skewness import lean_of

UNSEEN_CORRELATION = 0.05
"""How far rare differences of one cluster go together at least: those that are seen need not tell (decision 0282)."""


class Units(NamedTuple):
    """What each cluster, or item, adds to a mean difference, and how many equal, independent items there are."""

    totals: FloatArray
    variance: float
    items: float

    def independent(self, error: float | None) -> float:
        """As many independent items as have this standard error, or fewer."""
        return self.items if not error else min(self.items, self.variance / error**2)


def clustered_t(
    a: FloatArray,
    b: FloatArray,
    clusters: Any,
    *,
    bound: float | None,
    squares: bool,
    level: float,
) -> TestOutcome:
    """Cluster-robust t of two models' losses, as far out as skewness and the unseen ask for."""
    found = cluster_difference(a, b, clusters, level=level)
    facts: dict[str, Any] = dict(found.details)
    outcome = TestOutcome(
        method=found.method,
        statistic=facts.get("t"),
        p_value=facts.get("p_value"),
        effect=found,
        notes=found.notes,
        details=found.details,
    )
    return heeding(outcome, a, b, bound=bound, squares=squares, clusters=clusters)


def heeding(
    outcome: TestOutcome,
    a: FloatArray,
    b: FloatArray,
    *,
    bound: float | None,
    squares: bool,
    clusters: IntArray | None = None,
    weights: FloatArray | None = None,
) -> TestOutcome:
    """The outcome of a t test of dependent items, corrected as `paired_t` of independent ones is.

    Skewness is that of what clusters (or weighted items) add to the mean. Rare differences that none shows
    may come in clumps, so clusters show less of them than as many independent items would.
    """
    units = units_of(a - b, clusters, weights)
    bound = None if bound is None else checked_bound(bound, a - b)
    seen = units.independent(outcome.effect.standard_error)
    found = leaning(outcome, float(lean_of(units.totals)), bound, seen)
    return withheld(found, a, b, at_most=float(a.size)) if squares else found


def units_of(
    differences: FloatArray, clusters: IntArray | None, weights: FloatArray | None
) -> Units:
    """The units of a weighted mean of differences; ``items`` by Kish (1965), fewer if they come in clusters."""
    shares = np.ones(differences.size) if weights is None else np.asarray(weights, np.float64)
    shares = shares / shares.sum()
    away = differences - shares @ differences
    squares = float((shares**2).sum())
    variance = float(shares @ away**2) / max(1.0 - squares, squares)
    totals, share = shares * away, shares
    if clusters is not None:
        totals, share = (np.bincount(clusters, weights=one) for one in (totals, shares))
    clump = float((share**2).sum()) / squares  # items that make a cluster
    items = 1.0 / squares / (1.0 + (clump - 1.0) * UNSEEN_CORRELATION)
    return Units(totals[share > 0.0], variance, items)
