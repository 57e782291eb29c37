"""A measure of several models without each cluster in turn: their covariance, and what it rests on.

Leaving a cluster out weighs it as heavily as it weighs on the measure, so that the jackknife errs on
the careful side where clusters are few or unequal (CR3; decision 0090 has the measurements).
"""

import math
from dataclasses import dataclass, field

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.memo import Kept
from assay.core.notes import Note, note
from assay.core.results import Details
from assay.estimates.clustered_means import uneven_sizes
from assay.estimates.label_weights import Carried, of_labels
from assay.estimates.resampling_cells import Reduced, reduce
from assay.evidence.predictions import Predictions
from assay.kernels.delong import delong_covariance
from assay.kernels.effective_size import kish
from assay.kernels.resampling import jackknife, jackknife_covariance
from assay.measures.registry import Measure

LEAST_CLUSTERS = 4
"""Clusters from which on the level is kept as measured; below, `few-clusters` says so."""


def smooth(measure: Measure) -> bool:
    """Whether a measure changes little when one cluster is left out: no median, nobody's own function."""
    return measure.reduction != "rows"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Deleted:
    """A measure of some models, with the covariance that deleting clusters (or items) gives."""

    reduced: Reduced
    values: FloatArray
    covariance: FloatArray
    """(models, models); NaN where the measure is undefined without some unit."""
    bias: FloatArray
    """By how much each value lies too high, as the deletions show."""
    units: int
    effective: float
    """How many units of one size would weigh as much (Kish)."""
    amounts: FloatArray = field(repr=False)
    """(units,): the items, or the sum of weights, in each cluster; empty where items are units."""
    evidence: Predictions = field(repr=False)
    kept: Kept = field(default_factory=Kept, init=False, repr=False)

    @property
    def df(self) -> float:
        """Between what the number of units and what their sizes allow: sqrt((m - 1)(effective - 1))."""
        return max(1.0, math.sqrt((self.units - 1.0) * max(self.effective - 1.0, 0.0)))

    @property
    def clustered(self) -> bool:
        return self.reduced.unit == "clusters"

    def variance(self, contrast: tuple[float, ...]) -> float:
        """Of a weighted sum of the models' values."""
        signs = np.array(contrast)
        return float(signs @ self.covariance @ signs)

    def facts(self, contrast: tuple[float, ...]) -> Details:
        """How many clusters there are in effect, and what they did to the variance."""
        found: Details = (("units", self.reduced.unit), ("df", self.df))
        if not self.clustered:
            return (*found, ("effective_n", self.effective))
        effect = self._design_effect(contrast)
        return (
            *found,
            ("n_clusters", self.units),
            ("effective_clusters", self.effective),
            ("design_effect", effect),
            ("icc", _implied_correlation(effect, self.amounts)),
        )

    def notes(self) -> tuple[Note, ...]:
        few = self.clustered and 1 < self.units < LEAST_CLUSTERS
        return (*((note("few-clusters", count=self.units),) if few else ()), *self.uneven)

    @property
    def uneven(self) -> tuple[Note, ...]:
        return uneven_sizes(self.amounts) if self.clustered else ()

    def _design_effect(self, contrast: tuple[float, ...]) -> float | None:
        naive = self.kept.once("naive", lambda: _of_independent_items(self.evidence, self.reduced))
        if naive is None:
            return None
        signs = np.array(contrast)
        variance, clustered = float(signs @ naive @ signs), self.variance(contrast)
        # of one cluster nothing is known of how clusters differ
        return clustered / variance if variance > 0.0 and math.isfinite(clustered) else None


def deleted(evidence: Predictions, measure: Measure, models: tuple[str, ...]) -> Deleted:
    """The measure of these models, and its covariance from deleting one unit at a time."""
    reduced = reduce(evidence, measure, models)
    return of_reduced(evidence, reduced)


def of_reduced(evidence: Predictions, reduced: Reduced) -> Deleted:
    """As :func:`deleted`, of evidence already reduced."""
    values = reduced.values
    left, multiplicity = _without(evidence, reduced)
    amounts, effective = _amounts(evidence, reduced)
    units, strays = int(multiplicity.sum()), _strays(left, values)
    return Deleted(
        reduced=reduced,
        values=values,
        covariance=jackknife_covariance(strays, multiplicity),
        bias=(units - 1.0) / units * (multiplicity @ strays),
        units=units,
        effective=min(effective, float(units)),
        amounts=amounts,
        evidence=evidence,
    )


def _strays(left: FloatArray, values: FloatArray) -> FloatArray:
    """How far each deletion moves each value; an infinite one has no distance."""
    known = np.isfinite(left) & np.isfinite(values)
    return np.where(known, np.where(known, left, 0.0) - np.where(known, values, 0.0), np.nan)


def _without(evidence: Predictions, reduced: Reduced) -> tuple[FloatArray, FloatArray]:
    """The measure of each model without each unit, and how many units each row stands for."""
    change = reduced.measure.of_area
    if reduced.features:
        return _without_items(reduced)
    if change is None or reduced.unit != "clusters":
        return jackknife(reduced.evaluated, reduced.counts, 0)
    from assay.kernels.cluster_areas import areas_without

    columns = evidence.sorted_columns("scores", reduced.models)
    found = [
        areas_without(columns.truth, scores, np.asarray(columns.clusters), columns.weights)
        for scores in columns.predictions
    ]
    areas = np.stack(found, axis=1)
    return change * areas - (change - 1.0), np.ones(len(areas))


def _without_items(reduced: Reduced) -> tuple[FloatArray, FloatArray]:
    """As :func:`_without` of independent items, of a function of means: each is taken from the sums."""
    counts = reduced.counts.astype(np.float64)
    there = counts > 0.0
    found = []
    with np.errstate(invalid="ignore"):  # of infinite features, or of one item
        for features in reduced.features:
            left = (counts @ features - features[there]) / (counts.sum() - 1.0)
            found.append(reduced.measure.function(left))
    return np.stack(found, axis=1), counts[there]


def _amounts(evidence: Predictions, reduced: Reduced) -> tuple[FloatArray, float]:
    """What each cluster holds, and how many clusters that makes in effect; of areas, in either class."""
    if reduced.unit != "clusters":
        return np.empty(0), reduced.effective
    size = reduced.counts.size
    if reduced.measure.reduction == "tally":
        found = evidence.cluster_tally(reduced.models)
        parts = found.count if found.weight_sums is None else found.weight_sums
        amounts = np.bincount(found.cluster, weights=parts, minlength=size).astype(np.float64)
        return amounts, kish(amounts)
    columns = evidence.sorted_columns(reduced.measure.needs, reduced.models)
    clusters = np.asarray(columns.clusters)
    weights = np.ones(columns.n) if columns.weights is None else columns.weights
    amounts = np.bincount(clusters, weights=weights, minlength=size).astype(np.float64)
    if reduced.measure.of_area is None:
        return amounts, kish(amounts)
    by_class = [
        np.bincount(clusters, weights=weights * (columns.truth == side), minlength=size).astype(
            float
        )
        for side in (0, 1)
    ]
    return amounts, min(kish(one) for one in by_class)


def _of_independent_items(evidence: Predictions, reduced: Reduced) -> FloatArray | None:
    """The covariance if items were independent, where that is one sort or one table away."""
    measure = reduced.measure
    if evidence.weighted:
        return None
    if measure.reduction == "tally":
        tally = evidence.tally(reduced.models)
        cells = [tally.cells(model) for model in reduced.models]
        function = of_labels(measure, len(tally.classes), cells, Carried())
        left, multiplicity = jackknife(function, tally.counts, 0)
        return jackknife_covariance(_strays(left, reduced.values), multiplicity)
    if measure.of_area is not None:
        columns = evidence.sorted_columns("scores", reduced.models)
        found = delong_covariance(columns.truth.astype(bool), columns.predictions)[1]
        return np.asarray(found * measure.of_area**2)
    return None


def _implied_correlation(effect: float | None, amounts: FloatArray) -> float | None:
    """The correlation within clusters that explains the design effect: 1 + (size - 1) icc (Kish 1965)."""
    size = float((amounts**2).sum() / amounts.sum())
    return (effect - 1.0) / (size - 1.0) if effect is not None and size > 1.0 else None
