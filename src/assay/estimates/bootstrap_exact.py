"""The bootstrap of a mean without resamples: its whole distribution, B = infinity, no seed.

Measures that are a mean over items, or a monotone function of one (RMSE), and differences of such
means on the same items. Sampling is the fallback, and the check.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.errors import NotApplicable
from assay.core.results import Details
from assay.core.vocabulary import Alternative
from assay.estimates.measure_needs import check_offers
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions
from assay.kernels.bootstrap_intervals import bca_tails
from assay.kernels.bootstrap_means import MeanDraws, mean_draws, sum_of_draws
from assay.kernels.bootstrap_ratios import RatioDraws, ratio_draws
from assay.kernels.cumulants import Draws
from assay.kernels.special import ndtri
from assay.kernels.tails import alpha_of, normal_reach, two_tails
from assay.measures.registry import Measure

Way = Literal["auto", "exact", "sampled"]
WAYS: tuple[Way, ...] = ("auto", "exact", "sampled")

FEWEST_CLUSTERS = 6
"""Fewer clusters have too few distinct resamples to say anything of their spread."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanTerms:
    """A measure of one model, or a difference of two, as a function of one mean over units."""

    values: FloatArray
    """One number per unit: an item, a distinct row, or the sum over a cluster."""
    counts: NDArray[Any] | None = None
    """How often each is there; None: once."""
    sizes: FloatArray | None = None
    """What each adds to the denominator where that is not 1: items of a cluster, a weight."""
    strata: NDArray[Any] | None = None
    change: Callable[[Any], Any] | None = None
    """The measure as a function of the mean; None: the mean itself."""
    unit: Literal["items", "clusters"] = "items"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExactBootstrap:
    """The bootstrap distribution of a measure, or of a difference of two models in it."""

    law: MeanDraws | RatioDraws
    change: Callable[[Any], Any] | None
    unit: Literal["items", "clusters"]

    @property
    def value(self) -> float:
        return self._changed(self.law.mean)

    def limits(self, kind: str, level: float) -> tuple[float, float]:
        """The limits of the percentile, basic, bca or normal interval."""
        tail = alpha_of(level) / 2.0
        if kind == "normal":
            mean, error = self.law.moments(self.change)
            reach = normal_reach(level, "two-sided") * error
            centre = 2.0 * self.value - mean
            return centre - reach, centre + reach
        tails = (tail, tail)
        if kind == "bca":
            low, high = bca_tails(self.z0, self.acceleration, level=level)
            tails = (low, 1.0 - high)
        ends = self._changed(self.law.low(tails[0])), self._changed(self.law.high(tails[1]))
        if kind == "basic":
            ends = 2.0 * self.value - ends[1], 2.0 * self.value - ends[0]
        return min(ends), max(ends)

    @property
    def z0(self) -> float:
        """The normal quantile of the share below the estimate, what equals it counting half."""
        below = self.law.at_most(self.law.mean) + 1.0 - self.law.at_least(self.law.mean)
        return float(ndtri(below / 2.0))

    @property
    def acceleration(self) -> float:
        """BCa's a, from influence values: those of a mean are the distances from it."""
        squares, cubes = self.law.skewness()
        return float(cubes / (6.0 * squares**1.5))

    def moments(self) -> tuple[float, float]:
        """Bias and standard error."""
        mean, error = self.law.moments(self.change)
        return mean - self.value, error

    def interval_and_p(
        self, side: Alternative, level: float
    ) -> tuple[tuple[float, float], float, float]:
        """The percentile interval, the p-value against 0 that it inverts, and log10 of that."""
        tail = alpha_of(level) / (2.0 if side == "two-sided" else 1.0)
        more, fewer = self.law.at_most(0.0), self.law.at_least(0.0)
        low, high = -math.inf, math.inf
        if side != "less":
            low = _agreeing(self.law.low(tail), null_accepted=more > tail)
        if side != "greater":
            high = -_agreeing(-self.law.high(tail), null_accepted=fewer > tail)
        p_value = two_tails(more, fewer, side)
        if p_value >= 1e-6:  # the inversion is exact to so much in absolute terms only
            return (low, high), p_value, math.log10(p_value)
        upper = fewer < more if side == "two-sided" else side == "less"
        # where no resample could reach 0, p is at most that of the rarest one
        log_p = max(self.law.log_tail(0.0, upper=upper), self.law.log_least)
        log_p = min(0.0, log_p + (math.log(2.0) if side == "two-sided" else 0.0))
        return (low, high), math.exp(log_p), log_p / math.log(10.0)

    def details(self) -> Details:
        """That nothing was drawn, how the distribution was had, and how exact it is."""
        return (
            ("exact", True),
            ("how", self.law.how),
            ("probability_error", self.law.error),
            ("n_resamples", math.inf),
        )

    def _changed(self, mean: float) -> float:
        return mean if self.change is None else float(self.change(np.array([mean]))[0])


def exact_bootstrap(
    evidence: Predictions,
    measure: Measure,
    models: Sequence[str],
    *,
    way: Way = "auto",
    stratified: bool = False,
) -> ExactBootstrap | None:
    """The exact distribution of a bound measure of one model, or of A minus B; None: draw.

    ``way`` "exact" refuses where there is none, "sampled" never looks.
    """
    if way == "sampled":
        return None
    terms = terms_of(evidence, measure, models, stratified=stratified)
    found = None if terms is None else of_terms(terms)
    if found is None and way == "exact":
        raise _no_exact_way(measure)
    return found


def of_terms(terms: MeanTerms) -> ExactBootstrap | None:
    """The distribution of a function of one mean; None where it is better drawn."""
    if terms.sizes is None:
        law: MeanDraws | RatioDraws | None = mean_draws(
            terms.values, terms.counts, strata=terms.strata
        )
    else:
        law = ratio_draws(terms.values, terms.sizes)
    return None if law is None else ExactBootstrap(law=law, change=terms.change, unit=terms.unit)


def independent_means(
    evidence_a: Predictions, evidence_b: Predictions, measure: Measure, *, way: Way = "auto"
) -> ExactBootstrap | None:
    """The distribution of A minus B on different items, each drawn from on its own; None: draw."""
    if way == "sampled":
        return None
    draws = []
    for evidence, sign in ((evidence_a, 1.0), (evidence_b, -1.0)):
        bound = measure.bind(evidence.classes, evidence.positive)
        terms = terms_of(evidence, bound, evidence.models)
        if terms is not None and terms.sizes is None and terms.change is None:
            total = terms.values.size if terms.counts is None else terms.counts.sum()
            draws.append(Draws.of(sign * terms.values / total, terms.counts))
    law = sum_of_draws(draws) if len(draws) == 2 else None
    if law is None and way == "exact":
        raise _no_exact_way(measure)
    return None if law is None else ExactBootstrap(law=law, change=None, unit="items")


def terms_of(
    evidence: Predictions,
    measure: Measure,
    models: Sequence[str],
    *,
    stratified: bool = False,
    joined: bool = True,
) -> MeanTerms | None:
    """The numbers whose mean decides; None where no single mean does.

    Of two models these are differences. A function of a mean has none, unless not ``joined``:
    where the sum of both means is fixed, as under swapping, the difference of the functions grows
    with the difference of the means.
    """
    check_offers(evidence, measure, models)
    if measure.counts is not None:
        if evidence.clusters is None and not evidence.weighted:
            return _label_terms(evidence, measure, models, stratified=stratified)
        columns = evidence.sorted_columns("labels", models)
        right = (columns.predictions == columns.truth).astype(np.float64)
        rows = right if measure.counts == "right" else 1.0 - right
        return _row_terms(columns, rows, None, stratified=stratified)
    if measure.reduction != "moments" or measure.features is None:
        return None
    if len(models) > 1 and joined and not measure.is_mean:
        return None
    columns = evidence.sorted_columns(measure.needs, models)
    rows = []
    for predictions in columns.predictions:
        features = np.asarray(measure.features(columns.truth, predictions), dtype=np.float64)
        if features.shape[1] != 1:
            return None
        rows.append(features[:, 0])
    return _row_terms(columns, np.stack(rows), _of_mean(measure), stratified=stratified)


def _label_terms(
    evidence: Predictions, measure: Measure, models: Sequence[str], *, stratified: bool
) -> MeanTerms:
    tally = evidence.tally(models)
    right = [tally.right(model).astype(np.int64) for model in models]
    rows = right if measure.counts == "right" else [1 - one for one in right]
    values = rows[0] - rows[1] if len(rows) == 2 else rows[0]
    if stratified:
        strata = tally.rows[:, 0]
        return MeanTerms(values=values.astype(np.float64), counts=tally.counts, strata=strata)
    # -1, 0 and 1 are all the values there are, whatever the number of classes
    counts = np.bincount(values + 1, weights=tally.counts, minlength=3)
    return MeanTerms(values=np.array([-1.0, 0.0, 1.0]), counts=counts)


def _row_terms(
    columns: Columns, rows: FloatArray, change: Callable[[Any], Any] | None, *, stratified: bool
) -> MeanTerms | None:
    values = rows[0] - rows[1] if len(rows) == 2 else rows[0]
    if not np.isfinite(values).all():
        return None
    if columns.clusters is None and columns.weights is None:
        if stratified and not columns.classes:
            return None
        return MeanTerms(values=values, strata=columns.truth if stratified else None, change=change)
    if stratified:
        return None
    weights = np.ones(columns.n) if columns.weights is None else columns.weights
    if columns.clusters is None:
        return MeanTerms(values=values * weights, sizes=weights, change=change)
    groups = int(columns.clusters.max()) + 1
    if groups < FEWEST_CLUSTERS:
        return None
    sums, sizes = (
        np.asarray(np.bincount(columns.clusters, weights=one, minlength=groups), dtype=np.float64)
        for one in (values * weights, weights)
    )
    return MeanTerms(values=sums, sizes=sizes, change=change, unit="clusters")


def _no_exact_way(measure: Measure) -> NotApplicable:
    return NotApplicable(
        f"there is no exact bootstrap distribution of {measure.called} on this evidence. It needs "
        "a mean over items, or a function of one, and at least 17 values that vary. Use "
        "method='auto' or 'sampled'"
    )


def _of_mean(measure: Measure) -> Callable[[Any], Any] | None:
    if measure.is_mean:
        return None
    return lambda means: np.asarray(measure.function(np.asarray(means)[..., None]))


def _agreeing(bound: float, *, null_accepted: bool) -> float:
    """A lower bound on the side of 0 on which the p-value sees it."""
    if null_accepted:
        return min(bound, 0.0)
    return bound if bound > 0.0 else math.nextafter(0.0, 1.0)
