"""Differences of mean losses on items that come in clusters or have weights: t tests that heed skewness."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.results import TestOutcome
from assay.estimates.clustered_means import cluster_difference
from assay.hypotheses.skewed_means import checked_bound, leaning, withheld
from assay.kernels.effective_size import units_of
from assay.kernels.skewness import lean_of


class DependentLosses(NamedTuple):
    """What one model loses on its items, and how these hang together."""

    values: FloatArray
    clusters: IntArray | None
    weights: FloatArray | None

    @property
    def mean(self) -> float:
        return float(np.average(self.values, weights=self.weights))


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


def heeding_apart(
    outcome: TestOutcome, parts: Sequence[DependentLosses], ends: tuple[float, float]
) -> TestOutcome:
    """The same of two models on different items, A's and B's: each may lack its own rare losses.

    Losses lie between ``ends``. How many items could show rare ones is that of the model with fewer.
    """
    units = [units_of(one.values, one.clusters, one.weights) for one in parts]
    lean = float(lean_of(np.concatenate([units[0].totals, -units[1].totals])))
    bound, ways = None, None
    if np.isfinite(ends).all():
        (low, high), (a, b) = ends, (one.mean for one in parts)
        bound, ways = high - low, (max(high - b, a - low), max(high - a, b - low))
    return leaning(outcome, lean, bound, min(one.items for one in units), ways=ways)
