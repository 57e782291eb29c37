"""The bootstrap of any measure: joint replicates of all models, intervals, bias; the jackknife."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_count, check_level
from assay.core.errors import UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval
from assay.core.rng import Rng, seed_of
from assay.core.tolerances import TIE
from assay.estimates.bootstrap_exact import WAYS, ExactBootstrap, Way, exact_bootstrap
from assay.estimates.cluster_covariance import LEAST_CLUSTERS, Deleted, of_reduced
from assay.estimates.resampling_cells import Reduced, reduce
from assay.evidence.argument_checks import as_predictions
from assay.evidence.predictions import Predictions
from assay.kernels.bootstrap_intervals import (
    DEFINITIONS,
    Definition,
    acceleration_of,
    basic_interval,
    bca_interval,
    bias_correction,
    bootstrap_p_value,
    normal_interval,
    percentile_interval,
    quantile,
    stretched_interval,
)
from assay.kernels.bootstrap_ratios import NoLaw
from assay.kernels.resampling import cell_influence, jackknife_variance, multinomial_blocks
from assay.kernels.tails import t_reach
from assay.measures.registry import Measure, find_measure

__all__ = [
    "Replicates", "basic_interval", "bca_interval", "bootstrap", "bootstrap_of",
    "bootstrap_p_value", "interval_of", "jackknife", "jackknife_of", "normal_interval",
    "percentile_interval", "quantile", "replicate", "replicates_of", "sampled_estimate",
]  # fmt: skip

Kind = Literal["percentile", "basic", "bca", "normal"]
KINDS: tuple[Kind, ...] = ("percentile", "basic", "bca", "normal")

UNDEFINED_AT_MOST = 0.05
"""Beyond this share of undefined replicates there is no interval: half of it hides in each tail."""

BIAS_MATTERS = 0.25
"""A bias below this share of the standard error moves coverage little, and its own noise more."""

ROUNDING = 1e-14
"""And so are those smaller than this beside the largest value of any replicate."""

FEWEST_UNITS = 6
"""Fewer clusters (or items) have too few distinct resamples to say anything of their spread."""

_FATAL = ("undefined-value", "undefined-replicates-many", "zero-variance", "clusters-too-few")
"""Notes that leave no interval."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replicates:
    """A measure of several models on the evidence and on the same resamples of it."""

    measure: str
    models: tuple[str, ...]
    values: FloatArray
    """(models,)"""
    replicates: FloatArray
    """(resamples, models); NaN where a resample leaves the measure undefined."""
    seed: int
    kind: Literal["items", "clusters"]
    units: float
    """How many independent units stand behind a difference; of rankings, those of the rarer class."""
    extent: float
    """The largest difference there can be."""
    df: float | None = None
    """Of means: the degrees of freedom of their standard errors."""

    def difference(self, a: str, b: str) -> tuple[float, FloatArray]:
        """A minus B, on the evidence and on each resample; rounding errors become ties."""
        first, second = self.models.index(a), self.models.index(b)
        value = tied_difference(self.values[first : first + 1], self.values[second : second + 1])
        return float(value[0]), tied_difference(
            self.replicates[:, first], self.replicates[:, second]
        )


def tied_difference(values: FloatArray, others: FloatArray) -> FloatArray:
    """Values less others: 0 where they differ by rounding, NaN where either is infinite."""
    finite = np.isfinite(values) & np.isfinite(others)
    values, others = np.where(finite, values, np.nan), np.where(finite, others, np.nan)
    differences = values - others
    scale = np.maximum(np.abs(values), np.abs(others))
    # a kappa of 0 may be 1e-17: what is next to nothing beside the largest is nothing
    noise = ROUNDING * np.fmax.reduce(scale, initial=0.0)
    differences[np.abs(differences) <= np.maximum(TIE * scale, noise)] = 0.0
    return differences


def replicate(
    evidence: Predictions,
    measure: Measure,
    *,
    models: Sequence[str] | None = None,
    n_resamples: int = 9999,
    rng: Rng = None,
    stratified: bool = False,
) -> Replicates:
    """Resample items (or whole clusters) and evaluate all models on the same resamples."""
    reduced = reduce(evidence, measure, models, by_class=stratified)
    return replicates_of(reduced, n_resamples=n_resamples, rng=rng, stratified=stratified)


def replicates_of(
    reduced: Reduced, *, n_resamples: int, rng: Rng = None, stratified: bool = False
) -> Replicates:
    """The same from evidence already reduced."""
    size = check_count(n_resamples, "n_resamples", at_least=1)
    seed = seed_of(rng)
    replicates = None if stratified else reduced.resampled(size, seed)
    if replicates is None:
        replicates = np.empty((size, len(reduced.models)))
        strata = _strata(reduced) if stratified else None
        for start, weights in multinomial_blocks(reduced.counts, size, seed, strata=strata):
            replicates[start : start + len(weights)] = reduced.evaluated(weights)
    return Replicates(
        measure=reduced.measure.called,
        models=reduced.models,
        values=reduced.values,
        replicates=replicates,
        seed=seed,
        kind=reduced.unit,
        units=_units(reduced),
        extent=reduced.measure.high - reduced.measure.low,
        df=reduced.effective - 1.0 if reduced.measure.reduction == "moments" else None,
    )


def _units(reduced: Reduced) -> float:
    if reduced.measure.needs != "scores" or reduced.strata is None:
        return reduced.effective
    sizes = np.bincount(reduced.strata, weights=reduced.counts)
    return min(reduced.effective, float(sizes[sizes > 0].min()))


@method(
    question="How good is a model in any measure, and how sure are we?",
    takes="model-predictions",
    gives="estimate",
    unit="item",
    assumes=(
        "items (or clusters) are independent",
        "the sample is large enough to stand for its source",
    ),
    reference="efron1993",
    requirement="I5",
    same_as="R: boot.ci(boot(data, statistic, 9999), type = 'perc')",
    formula="[θ*_(j), θ*_(B+1−j)], j = ⌊(1 − level)/2 · (n_resamples + 1)⌋",
    exempt={"contains": "a biased measure may lie outside the central part of its replicates"},
)
def bootstrap(
    evidence: Any,
    *,
    measure: str | Measure | Callable[..., float] = "accuracy",
    level: float = 0.95,
    interval: str = "percentile",
    n_resamples: int = 9999,
    rng: Rng = None,
    stratified: bool = False,
    method: Way = "auto",
    quantiles: Definition = "order",
) -> Estimate:
    """Any measure of one model with its bootstrap interval, standard error and bias.

    ``interval`` is percentile, basic, bca or normal; ``stratified`` keeps the number of items of
    each true class; ``quantiles`` are order statistics, R's ("boot") or NumPy's ("type7").
    Evidence in clusters is resampled by whole clusters. A mean over items, or a function of one
    such as RMSE, has its exact distribution (no resamples, no seed) unless ``method`` is "sampled"
    or another definition of quantiles is asked for.
    """
    predictions = as_predictions(evidence)
    return bootstrap_of(
        predictions,
        find_measure(measure),
        level=level,
        interval=interval,
        n_resamples=n_resamples,
        rng=rng,
        stratified=stratified,
        way=check_choice(method, WAYS, "method"),
        quantiles=quantiles,
    )


def bootstrap_of(
    evidence: Predictions,
    measure: Measure,
    *,
    level: float,
    interval: str,
    n_resamples: int,
    rng: Rng,
    stratified: bool = False,
    way: Way = "auto",
    quantiles: Definition = "order",
) -> Estimate:
    """The bootstrap estimate of a measure of one model: exact where it can be, else sampled."""
    check_level(level)
    kind = check_choice(interval, KINDS, "interval")
    check_choice(quantiles, DEFINITIONS, "quantiles")
    check_count(n_resamples, "n_resamples", at_least=1)
    bound = measure.bind(evidence.classes, evidence.positive)
    if quantiles != "order":
        way = "sampled"  # an exact distribution has one definition of its quantiles
    law = exact_bootstrap(evidence, bound, evidence.models, way=way, stratified=stratified)
    if law is not None:
        try:
            return _exact_estimate(evidence, bound, law, kind, level, stratified=stratified)
        except NoLaw:
            pass
    return sampled_estimate(
        reduce(evidence, measure, by_class=stratified),
        n=evidence.n,
        level=level,
        kind=kind,
        n_resamples=n_resamples,
        rng=rng,
        stratified=stratified,
        quantiles=quantiles,
    )


def _exact_estimate(
    evidence: Predictions,
    measure: Measure,
    law: ExactBootstrap,
    kind: Kind,
    level: float,
    *,
    stratified: bool,
) -> Estimate:
    bias, error = law.moments()
    corrected, notes = _bias_note(law.value, bias, error)
    details: Details = (
        ("standard_error", error),
        ("bias", bias),
        ("bias_corrected", corrected),
        *law.details(),
    )
    if kind == "bca":
        details += (("z0", law.z0), ("acceleration", law.acceleration))
    return Estimate(
        measure=measure.called,
        value=law.value,
        interval=_clipped(law.limits(kind, level), measure, level, f"{kind}, exact"),
        method="bootstrap",
        n=evidence.n,
        unit="item",
        model=evidence.models[0],
        standard_error=error,
        notes=notes,
        details=(*details, ("resampled", law.unit), ("stratified", stratified)),
    )


def sampled_estimate(
    reduced: Reduced,
    *,
    n: int,
    level: float,
    kind: Kind,
    n_resamples: int,
    rng: Rng,
    stratified: bool = False,
    quantiles: Definition = "order",
) -> Estimate:
    """The bootstrap estimate of the one model of evidence already reduced; asked again, drawn once."""
    seed = seed_of(rng)
    found = reduced.kept.once(
        ("replicates", n_resamples, seed, stratified),
        lambda: replicates_of(reduced, n_resamples=n_resamples, rng=seed, stratified=stratified),
    )
    value, replicates = float(found.values[0]), found.replicates[:, 0]
    defined = replicates[~np.isnan(replicates)]
    notes, details = _diagnosis(reduced, value, defined, replicates.size)
    limits: tuple[float, float] | None = None
    if not any(one.code in _FATAL for one in notes):
        acceleration = 0.0
        if kind == "bca":
            influence, multiplicity = _influence(reduced, found.seed)
            acceleration = acceleration_of(influence, multiplicity)
            z0 = bias_correction(defined, value)
            details += (("z0", z0 if np.isfinite(z0) else None), ("acceleration", acceleration))
        limits = interval_of(kind, defined, value, acceleration, level=level, quantiles=quantiles)
        if limits is None:
            notes += (note("bca-undefined"),)
    error = dict(details)["standard_error"]
    return Estimate(
        measure=reduced.measure.called,
        value=None if np.isnan(value) else value,
        interval=None if limits is None else _clipped(limits, reduced.measure, level, kind),
        method="bootstrap",
        n=n,
        unit="item",
        model=reduced.models[0],
        standard_error=error if isinstance(error, float) and error > 0.0 else None,
        notes=notes,
        seed=found.seed,
        details=(*details, ("resampled", found.kind), ("stratified", stratified)),
    )


@method(
    question="How good is a model in any smooth measure, and how sure are we, without resampling?",
    takes="model-predictions",
    gives="estimate",
    unit="item",
    assumes=(
        "items (or clusters) are independent",
        "a measure that changes smoothly with the data",
    ),
    reference="Quenouille (1956), Biometrika 43; Tukey (1958), Annals of Mathematical Statistics 29",
    requirement="I5",
    formula="g⁻¹(g(value) ± t(df) standard_error g'(value)), standard_error² = (m − 1)/m Σ (θ₋ᵢ − θ̄)², "
    "df = units − 1, g the logarithm of the distance to an end of the measure's range, the logit for two ends; "
    "of clusters Σ (θ₋ᵢ − value)² and df = sqrt((units − 1)(effective_clusters − 1))",
    interval="jackknife t",
)
def jackknife(
    evidence: Any,
    *,
    measure: str | Measure | Callable[..., float] = "accuracy",
    level: float = 0.95,
) -> Estimate:
    """Any smooth measure of one model with a delete-one standard error and a t interval.

    Whole clusters are deleted where items come in clusters; the interval is symmetric on a scale
    without ends, so that it stays in the range of the measure.
    """
    predictions = as_predictions(evidence)
    reduced = reduce(predictions, find_measure(measure))
    spread = None if predictions.clusters is None else of_reduced(predictions, reduced)
    return jackknife_of(reduced, n=predictions.n, level=level, spread=spread)


def jackknife_of(
    reduced: Reduced, *, n: int, level: float, spread: Deleted | None = None, least: float = 0.0
) -> Estimate:
    """The jackknife estimate of the one model of evidence already reduced.

    ``spread`` is what deleting clusters showed; ``least`` the smallest standard error believed.
    """
    measure = reduced.measure
    value = reduced.kept.once("value", lambda: float(reduced.values[0]))
    variance, df, facts = _spread(reduced) if spread is None else _of_clusters(spread)
    error = math.sqrt(variance) if variance >= 0 else math.nan
    notes = _jackknife_caveats(reduced, value, error)
    interval = None
    if all(one.code == "few-clusters" for one in notes):
        error = max(error, least)
        reach = t_reach(check_level(level), df, "two-sided") * error
        low, high = stretched_interval(value, reach, low=measure.low, high=measure.high)
        interval = Interval(low=low, high=high, level=level, method="jackknife")
    return Estimate(
        measure=measure.called,
        value=None if math.isnan(value) else value,
        interval=interval,
        method="jackknife",
        n=n,
        unit="item",
        model=reduced.models[0],
        standard_error=error if interval is not None else None,
        notes=notes if spread is None or interval is None else (*notes, *spread.uneven),
        details=(("units", reduced.unit), ("df", df), ("effective", reduced.effective), *facts),
    )


def _spread(reduced: Reduced) -> tuple[float, float, Details]:
    influence, multiplicity = _influence(reduced, 0)
    variance = float(jackknife_variance(influence, multiplicity))
    return variance, reduced.effective - 1.0, (("deletions", int(multiplicity.size)),)


def _of_clusters(spread: Deleted) -> tuple[float, float, Details]:
    facts = tuple(one for one in spread.facts((1.0,)) if one[0] not in ("units", "df"))
    return spread.variance((1.0,)), spread.df, (("deletions", spread.units), *facts)


def _influence(reduced: Reduced, seed: int) -> tuple[FloatArray, FloatArray]:
    """The influence values of the one model, and how many units each stands for."""
    influence, multiplicity = reduced.kept.once(
        ("influence", seed), lambda: cell_influence(reduced.function, reduced.counts, seed)
    )
    return influence[:, 0], multiplicity


def interval_of(
    kind: Kind,
    replicates: FloatArray,
    value: float,
    acceleration: float = 0.0,
    *,
    level: float,
    quantiles: Definition = "order",
) -> tuple[float, float] | None:
    """The limits of one kind of bootstrap interval; None where BCa is undefined."""
    if kind == "percentile":
        return percentile_interval(replicates, level=level, quantiles=quantiles)
    if kind == "basic":
        return basic_interval(replicates, value, level=level, quantiles=quantiles)
    if kind == "normal":
        return normal_interval(replicates, value, level=level)
    return bca_interval(replicates, value, acceleration, level=level, quantiles=quantiles)


def _jackknife_caveats(reduced: Reduced, value: float, error: float) -> tuple[Note, ...]:
    measure, unit = reduced.measure, reduced.unit[:-1]
    if math.isnan(value):
        return (note("undefined-value", measure=measure.called),)
    if math.isnan(error):
        return (note("jackknife-undefined", measure=measure.called, unit=unit),)
    inside = measure.low < value < measure.high and reduced.effective > 1
    if not (inside and error > TIE * abs(value)):
        remedy = "the default interval allows for it"
        what = "the delete-one values"
        return (note("zero-variance", what=what, method="jackknife", remedy=remedy),)
    if unit == "cluster" and reduced.counts.size < LEAST_CLUSTERS:
        return (note("few-clusters", count=reduced.counts.size),)
    return ()


def _diagnosis(
    reduced: Reduced, value: float, defined: FloatArray, n_resamples: int
) -> tuple[tuple[Note, ...], Details]:
    """What the replicates say of themselves: their spread, bias and number, and any caveat."""
    name = reduced.measure.called
    undefined = n_resamples - defined.size
    finite = defined.size > 1 and bool(np.isfinite(defined).all()) and np.isfinite(value)
    error = float(defined.std(ddof=1)) if finite else None
    bias = float(defined.mean()) - value if finite else None
    notes: list[Note] = []
    corrected = None
    if np.isnan(value):
        notes.append(note("undefined-value", measure=name))
    elif undefined > UNDEFINED_AT_MOST * n_resamples:
        share = undefined / n_resamples
        notes.append(note("undefined-replicates-many", measure=name, share=share))
    elif undefined:
        notes.append(note("undefined-replicates", measure=name, count=undefined, total=n_resamples))
    if reduced.unit == "clusters" and reduced.counts.size < FEWEST_UNITS:
        notes.append(note("clusters-too-few", count=reduced.counts.size, needed=FEWEST_UNITS))
    if error is not None and np.ptp(defined) <= TIE * abs(value):
        remedy = "the default interval allows for it"
        notes.append(
            note("zero-variance", what="the replicates", method="bootstrap", remedy=remedy)
        )
    elif error is not None and bias is not None:
        corrected, found = _bias_note(value, bias, error)
        notes.extend(found)
    return tuple(notes), (
        ("standard_error", error),
        ("bias", bias),
        ("bias_corrected", corrected),
        ("n_resamples", n_resamples),
        ("undefined", undefined),
    )


def _bias_note(value: float, bias: float, error: float) -> tuple[float | None, tuple[Note, ...]]:
    """The value less its bias, and a note, where the bias matters."""
    if abs(bias) <= BIAS_MATTERS * error:
        return None, ()
    corrected = value - bias
    return corrected, (note("bootstrap-bias", bias=bias, error=error, corrected=corrected),)


def _strata(reduced: Reduced) -> NDArray[Any]:
    if reduced.strata is None:
        raise UsageError(
            "stratified resampling keeps the number of items of each true class; "
            f"here {'whole clusters are drawn' if reduced.unit == 'clusters' else 'truth has no classes'}"
        )
    return np.asarray(reduced.strata)


def _clipped(limits: tuple[float, float], measure: Measure, level: float, kind: str) -> Interval:
    """The interval cut to the range of the measure: basic and normal ones may leave it."""
    low, high = (min(max(limit, measure.low), measure.high) for limit in limits)
    return Interval(low=low, high=high, level=level, method=f"bootstrap {kind}")
