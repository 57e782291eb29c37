"""The bootstrap of any measure: joint replicates of all models, intervals, bias, smoothed cells."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.checks import FloatArray, check_choice, check_count, check_level
from assay.core.errors import UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval
from assay.core.rng import Rng, seed_of, stream
from assay.estimates.reductions import Carried, Reduced, of_labels, reduce
from assay.evidence.predictions import Predictions
from assay.evidence.shapes import as_predictions
from assay.kernels.quantiles import (
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
from assay.kernels.resample import cell_influence, jackknife_variance, multinomial_blocks
from assay.kernels.tails import t_reach
from assay.measures.registry import Measure, find_measure

__all__ = [
    "Replicates", "basic_interval", "bca_interval", "bootstrap", "bootstrap_of",
    "bootstrap_p_value", "interval_of", "jackknife", "jackknife_of", "normal_interval",
    "percentile_interval", "quantile", "replicate", "replicates_of", "smoothed_draws",
    "smoothed_interval", "smoothed_ranking_interval", "widened",
]  # fmt: skip

Kind = Literal["percentile", "basic", "bca", "normal"]
KINDS: tuple[Kind, ...] = ("percentile", "basic", "bca", "normal")

UNDEFINED_AT_MOST = 0.05
"""Beyond this share of undefined replicates there is no interval: half of it hides in each tail."""

BIAS_MATTERS = 0.25
"""A bias below this share of the standard error moves coverage little, and its own noise more."""

RIGHT_PRIOR = 0.4
"""Smoothing: pseudo-counts of the right answers of each class; the wrong ones share 0.8 in all."""

RANKED_PRIOR = 1.0 / 3.0
"""The same of the best and the worst ranked item of each class."""

SPREAD_CLASSES = 30
"""Up to so many classes the wrong pseudo-counts are spread over all cells, else one per class."""

TIE = 1e-10
"""Differences smaller than this, relative to the values, are rounding."""

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

    def difference(self, a: str, b: str) -> tuple[float, FloatArray]:
        """A minus B, on the evidence and on each resample; rounding errors become ties."""
        first, second = self.models.index(a), self.models.index(b)
        values = np.append(self.values[first], self.replicates[:, first])
        others = np.append(self.values[second], self.replicates[:, second])
        differences = values - others
        scale = np.maximum(np.abs(values), np.abs(others))
        differences[np.abs(differences) <= TIE * scale] = 0.0
        return float(differences[0]), differences[1:]


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
    reduced = reduce(evidence, measure, models)
    return replicates_of(reduced, n_resamples=n_resamples, rng=rng, stratified=stratified)


def replicates_of(
    reduced: Reduced, *, n_resamples: int, rng: Rng = None, stratified: bool = False
) -> Replicates:
    """The same from evidence already reduced."""
    size = check_count(n_resamples, "n_resamples", at_least=1)
    seed = seed_of(rng)
    replicates = np.empty((size, len(reduced.models)))
    strata = _strata(reduced) if stratified else None
    for start, weights in multinomial_blocks(reduced.counts, size, seed, strata=strata):
        replicates[start : start + len(weights)] = reduced.evaluated(weights)
    return Replicates(
        measure=reduced.measure.name,
        models=reduced.models,
        values=reduced.values,
        replicates=replicates,
        seed=seed,
        kind=reduced.unit,
    )


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
) -> Estimate:
    """Any measure of one model with its bootstrap interval, standard error and bias.

    ``interval`` is percentile, basic, bca or normal; ``stratified`` keeps the number of items of
    each true class. Evidence in clusters is resampled by whole clusters.
    """
    predictions = as_predictions(evidence, models=1)
    return bootstrap_of(
        reduce(predictions, find_measure(measure)),
        n=predictions.n,
        level=level,
        interval=interval,
        n_resamples=n_resamples,
        rng=rng,
        stratified=stratified,
    )


def bootstrap_of(
    reduced: Reduced,
    *,
    n: int,
    level: float,
    interval: str,
    n_resamples: int,
    rng: Rng,
    stratified: bool = False,
) -> Estimate:
    """The bootstrap estimate of the one model of evidence already reduced."""
    check_level(level)
    kind = check_choice(interval, KINDS, "interval")
    found = replicates_of(reduced, n_resamples=n_resamples, rng=rng, stratified=stratified)
    value, replicates = float(found.values[0]), found.replicates[:, 0]
    defined = replicates[~np.isnan(replicates)]
    notes, details = _diagnosis(reduced, value, defined, replicates.size)
    limits: tuple[float, float] | None = None
    if not any(one.code in _FATAL for one in notes):
        acceleration = 0.0
        if kind == "bca":
            influence, multiplicity = cell_influence(reduced.function, reduced.counts, found.seed)
            acceleration = acceleration_of(influence[:, 0], multiplicity)
            z0 = bias_correction(defined, value)
            details += (("z0", z0 if np.isfinite(z0) else None), ("acceleration", acceleration))
        limits = interval_of(kind, defined, value, acceleration, level=level)
        if limits is None:
            notes += (note("bca-undefined"),)
    error = dict(details)["standard_error"]
    return Estimate(
        measure=reduced.measure.name,
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
    "df = units − 1, g the logarithm of the distance to an end of the measure's range, the logit for two ends",
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
    predictions = as_predictions(evidence, models=1)
    return jackknife_of(reduce(predictions, find_measure(measure)), n=predictions.n, level=level)


def jackknife_of(reduced: Reduced, *, n: int, level: float) -> Estimate:
    """The jackknife estimate of the one model of evidence already reduced."""
    value, measure = float(reduced.values[0]), reduced.measure
    influence, multiplicity = cell_influence(reduced.function, reduced.counts)
    variance = float(jackknife_variance(influence[:, 0], multiplicity))
    error = math.sqrt(variance) if variance >= 0 else math.nan
    df = reduced.effective - 1.0
    notes = _jackknife_caveats(reduced, value, error)
    interval = None
    if all(one.code == "few-clusters" for one in notes):
        reach = t_reach(check_level(level), df, "two-sided") * error
        low, high = stretched_interval(value, reach, low=measure.low, high=measure.high)
        interval = Interval(low=low, high=high, level=level, method="jackknife")
    return Estimate(
        measure=measure.name,
        value=None if math.isnan(value) else value,
        interval=interval,
        method="jackknife",
        n=n,
        unit="item",
        model=reduced.models[0],
        standard_error=error if interval is not None else None,
        notes=notes,
        details=(
            ("units", reduced.unit),
            ("df", df),
            ("deletions", int(multiplicity.size)),
            ("effective", reduced.effective),
        ),
    )


def interval_of(
    kind: Kind, replicates: FloatArray, value: float, acceleration: float = 0.0, *, level: float
) -> tuple[float, float] | None:
    """The limits of one kind of bootstrap interval; None where BCa is undefined."""
    if kind == "percentile":
        return percentile_interval(replicates, level=level)
    if kind == "basic":
        return basic_interval(replicates, value, level=level)
    if kind == "normal":
        return normal_interval(replicates, value, level=level)
    return bca_interval(replicates, value, acceleration, level=level)


def smoothed_interval(
    confusion: ArrayLike,
    measure: Measure | Callable[[Any], Any],
    *,
    level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> tuple[float, float]:
    """The central part of :func:`smoothed_draws`, widened to hold the estimate itself."""
    draws = smoothed_draws(confusion, measure, n_resamples=n_resamples, seed=seed)
    function = measure.function if isinstance(measure, Measure) else measure
    return widened(draws, float(function(np.asarray(confusion, dtype=np.float64))), level)


def smoothed_draws(
    confusion: ArrayLike, measure: Measure | Callable[[Any], Any], *, n_resamples: int, seed: int
) -> FloatArray:
    """A label measure on cell probabilities that the counts leave possible, small as they may be.

    The cell probabilities are drawn from the Dirichlet distribution with the counts and a few
    pseudo-counts as parameters (a Bayesian bootstrap that knows of cells not yet seen): 0.4 for
    the right answers of each class of the truth, and 0.8 spread over all wrong ones: of two
    classes 0.4 for each cell, between Kerman's neutral 1/3 and Jeffreys' 1/2 (decision 0020).
    At 0 and 1 the draws still have a spread. ``measure`` may be a function of matrices.
    """
    table = np.asarray(confusion, dtype=np.float64)
    seen = table.sum(axis=1) > 0
    known = seen if seen.sum() > 1 else np.ones_like(seen)  # of one class the others count too
    shapes = (table + pseudo_counts(len(table)) * known[:, None]).ravel()
    possible = np.flatnonzero(shapes)
    if isinstance(measure, Measure):
        evaluate = of_labels(measure, len(table), [possible], Carried())
        width = possible.size
    else:
        spread, width = Carried().summed(possible, shapes.size), shapes.size
        evaluate = lambda flat: np.asarray(measure(spread(flat).reshape(-1, *table.shape)))  # noqa: E731
    rows = max(1, 2**19 // width)
    drawn = []
    for block, start in enumerate(range(0, n_resamples, rows)):
        size = (min(rows, n_resamples - start), possible.size)
        weights = stream(seed, block).standard_gamma(shapes[possible], size)
        weights *= table.sum() / weights.sum(axis=1, keepdims=True)
        drawn.append(np.asarray(evaluate(weights), np.float64).reshape(-1))
    return np.concatenate(drawn)


def smoothed_ranking_interval(
    truth: ArrayLike,
    scores: ArrayLike,
    measure: Measure,
    *,
    level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> tuple[float, float]:
    """The same idea for rankings: items weigh exponentially, and unseen items weigh a little.

    For each class one pseudo-item that is ranked best and one ranked worst are added, with gamma
    weights of 1/3 for the best and 2/3 in all for the worst. ``scores`` of two classes is (n,),
    probabilities are (n, C).
    """
    labels, values = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if measure.prepare is None:
        raise TypeError(f"{measure.name} does not rank")
    n_classes = 2 if values.ndim == 1 else values.shape[1]
    codes = np.arange(n_classes)
    if values.ndim == 1:
        best = np.array([values.min() - 1.0, values.max() + 1.0])
        worst = best[::-1]
    else:
        best, worst = np.eye(n_classes), np.roll(np.eye(n_classes), 1, axis=1)
    function = measure.prepare(
        np.concatenate([labels, codes, codes]), np.concatenate([values, best, worst])
    )
    shapes = np.repeat([RANKED_PRIOR, 2.0 * RANKED_PRIOR / n_classes], n_classes)
    rows = max(1, 2**19 // labels.size)
    drawn = []
    for block, start in enumerate(range(0, n_resamples, rows)):
        rng, size = stream(seed, block), min(rows, n_resamples - start)
        seen = rng.standard_exponential((size, labels.size))
        unseen = rng.standard_gamma(shapes, (size, shapes.size))
        drawn.append(function(np.concatenate([seen, unseen], axis=1)))
    return widened(np.concatenate(drawn), float(measure.function(labels, values)), level)


def widened(draws: FloatArray, value: float, level: float) -> tuple[float, float]:
    """The central part of the draws, widened to hold the estimate where there is one."""
    low, high = percentile_interval(draws, level=level)
    return (low, high) if math.isnan(value) else (min(low, value), max(high, value))


def _jackknife_caveats(reduced: Reduced, value: float, error: float) -> tuple[Note, ...]:
    measure, unit = reduced.measure, reduced.unit[:-1]
    if math.isnan(value):
        return (note("undefined-value", measure=measure.name),)
    if math.isnan(error):
        return (note("jackknife-undefined", measure=measure.name, unit=unit),)
    inside = measure.low < value < measure.high and reduced.effective > 1
    if not (inside and error > TIE * abs(value)):
        remedy = "interval='default' gives an interval that allows for it"
        what = "the delete-one values"
        return (note("zero-variance", what=what, method="jackknife", remedy=remedy),)
    if unit == "cluster" and reduced.counts.size < FEWEST_UNITS:
        return (note("few-clusters", count=reduced.counts.size),)
    return ()


def _diagnosis(
    reduced: Reduced, value: float, defined: FloatArray, n_resamples: int
) -> tuple[tuple[Note, ...], Details]:
    """What the replicates say of themselves: their spread, bias and number, and any caveat."""
    name = reduced.measure.name
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
        remedy = "interval='default' gives an interval that allows for it"
        notes.append(
            note("zero-variance", what="the replicates", method="bootstrap", remedy=remedy)
        )
    elif error is not None and bias is not None and abs(bias) > BIAS_MATTERS * error:
        corrected = value - bias
        notes.append(note("bootstrap-bias", bias=bias, error=error, corrected=corrected))
    return tuple(notes), (
        ("standard_error", error),
        ("bias", bias),
        ("bias_corrected", corrected),
        ("n_resamples", n_resamples),
        ("undefined", undefined),
    )


def _strata(reduced: Reduced) -> NDArray[Any]:
    if reduced.strata is None:
        raise UsageError(
            "stratified resampling keeps the number of items of each true class; "
            f"here {'whole clusters are drawn' if reduced.unit == 'clusters' else 'truth has no classes'}"
        )
    return np.asarray(reduced.strata)


def _clipped(limits: tuple[float, float], measure: Measure, level: float, kind: Kind) -> Interval:
    """The interval cut to the range of the measure: basic and normal ones may leave it."""
    return Interval(
        low=min(max(limits[0], measure.low), measure.high),
        high=max(min(limits[1], measure.high), measure.low),
        level=level,
        method=f"bootstrap {kind}",
    )


def pseudo_counts(n_classes: int) -> FloatArray:
    """0.4 for the right answers of each class, 0.8 in all for the wrong ones, spread evenly."""
    right = RIGHT_PRIOR * np.eye(n_classes)
    if n_classes == 1:
        return right
    wrong = 2.0 * RIGHT_PRIOR / n_classes
    if n_classes > SPREAD_CLASSES:
        return right + wrong * np.roll(np.eye(n_classes), 1, axis=1)
    return right + wrong / (n_classes - 1) * (1.0 - np.eye(n_classes))
