"""From bootstrap replicates of a difference to an answer, also where they cannot give one."""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.notes import Note, by_count, note
from assay.core.results import Details, Interval, TestOutcome, with_notes
from assay.core.tolerances import TIE
from assay.core.vocabulary import Alternative
from assay.estimates.bootstrap_exact import ExactBootstrap
from assay.estimates.method_question import MethodQuestion
from assay.kernels.bootstrap_intervals import percentile_interval
from assay.kernels.bootstrap_ratios import NoLaw
from assay.kernels.no_variation import flat_limits, flat_z
from assay.kernels.sign_flip_distribution import order_bound
from assay.kernels.tails import alpha_of, normal_p, normal_reach, two_tails
from assay.measures.registry import Measure

UNDEFINED_AT_MOST = 0.05
"""Share of undefined replicates beyond which there is no interval."""


def sampled_difference(
    asked: MethodQuestion,
    measure: Measure,
    value: float,
    replicates: FloatArray,
    n: int,
    *,
    seed: int,
    details: Details,
    notes: Iterable[Note] = (),
    units: float | None = None,
) -> TestOutcome:
    """The outcome from replicates of a difference, NaN where they are undefined.

    ``notes`` belong to replicates that can tell; ``units`` are the independent ones, if not ``n``.
    """
    defined = replicates[~np.isnan(replicates)]
    known = None if math.isnan(value) else value
    error = float(defined.std(ddof=1)) if defined.size > 1 else None
    effect = asked.estimate(measure.called, known, n, None, error, seed=seed)
    outcome = asked.outcome(known, None, effect, details=details, seed=seed)
    useless = _unusable(measure, outcome, defined, replicates.size, asked.level, units)
    return useless or with_notes(_sampled(outcome, defined, asked.level), *notes)


def _unusable(
    measure: Measure,
    outcome: TestOutcome,
    defined: FloatArray,
    size: int,
    level: float,
    units: float | None,
) -> TestOutcome | None:
    """The outcome where the replicates cannot tell: undefined, or all the same."""
    if outcome.effect.value is None:
        return with_notes(outcome, note("undefined-value", measure=measure.called))
    if size - defined.size > UNDEFINED_AT_MOST * size:
        share = 1.0 - defined.size / size
        many = note("undefined-replicates-many", measure=measure.called, share=share)
        return _unbounded(with_notes(outcome, many), measure, level)
    if np.ptp(defined) > TIE * abs(outcome.effect.value):
        return None
    return flat_difference(
        outcome, measure, level=level, units=outcome.effect.n if units is None else units
    )


def flat_difference(
    outcome: TestOutcome, measure: Measure, *, level: float, units: float
) -> TestOutcome:
    """The outcome where nothing varies: what so many units cannot rule out, as Tango's interval has it.

    Of a measure without bounds one unit not yet seen could change anything: there is no interval.
    """
    side, value, extent = outcome.alternative, outcome.effect.value or 0.0, _extent(measure)
    bounded = math.isfinite(extent)
    found = with_notes(
        replace(outcome, p_value=1.0 if value == 0.0 else None),
        flat_note(value, n=outcome.effect.n, units=units, bounded=bounded, method=outcome.method),
    )
    if not bounded:
        return found
    if value != 0.0:
        found = replace(found, p_value=normal_p(flat_z(value, extent, units), side))
    return _bounded(found, flat_limits(value, extent, units, normal_reach(level, side)), level)


def flat_note(value: float, *, n: int, units: float, bounded: bool, method: str) -> Note:
    """Why a difference that does not vary has another interval than its method's, or none."""
    if value == 0.0:
        return note("no-disagreement", n=n)
    remedy = "a sign or permutation test needs none"
    if bounded:
        remedy = (
            f"what {units:,.0f} {by_count(round(units), 'unit', 'units')} cannot rule out is given"
        )
    return note("zero-variance", what="the differences", method=method, remedy=remedy)


def _unbounded(outcome: TestOutcome, measure: Measure, level: float) -> TestOutcome:
    """Nothing is ruled out: the whole range of the difference, where there is one."""
    extent = _extent(measure)
    if not math.isfinite(extent):
        return outcome
    found = with_notes(outcome, note("whole-range", measure=f"the difference in {measure.called}"))
    return _bounded(replace(found, p_value=1.0), (-extent, extent), level)


def _extent(measure: Measure) -> float:
    """The largest difference there can be."""
    return measure.high - measure.low


def _bounded(outcome: TestOutcome, limits: tuple[float, float], level: float) -> TestOutcome:
    side = outcome.alternative
    interval = Interval(
        low=limits[0] if side != "less" else -math.inf,
        high=limits[1] if side != "greater" else math.inf,
        level=level,
        method=outcome.method,
        alternative=side,
    )
    return replace(outcome, effect=replace(outcome.effect, interval=interval))


def _sampled(outcome: TestOutcome, replicates: FloatArray, level: float) -> TestOutcome:
    """The outcome with the interval and the p-value of its replicates, and how steady they are."""
    side = outcome.alternative
    limits, p_value = interval_and_p(replicates, side, level)
    errors = end_errors(replicates, side, level)
    found = replace(
        _bounded(outcome, limits, level),
        p_value=p_value,
        details=(*outcome.details, ("low_error", errors[0]), ("high_error", errors[1])),
    )
    return with_notes(found, *seed_sensitive(found, (0.0,)))


def end_errors(
    replicates: FloatArray, side: Alternative, level: float
) -> tuple[float | None, float | None]:
    """Monte-Carlo standard errors of the two ends: what one standard error of their rank moves."""
    size = replicates.size
    tail = alpha_of(level) / (2.0 if side == "two-sided" else 1.0)
    rank, step = tail * size, math.sqrt(size * tail * (1.0 - tail))
    first, last = (min(max(int(place), 0), size - 1) for place in (rank - step, rank + step))
    places = (first, last, size - 1 - last, size - 1 - first)
    values = np.partition(replicates, places)[list(places)]
    low, high = float(values[1] - values[0]) / 2.0, float(values[3] - values[2]) / 2.0
    return (None if side == "less" else low), (None if side == "greater" else high)


def seed_sensitive(outcome: TestOutcome, edges: Iterable[float]) -> tuple[Note, ...]:
    """A note where an end of a sampled interval is so near an edge that a seed could decide."""
    interval, facts = outcome.effect.interval, dict(outcome.details)
    if interval is None:
        return ()
    for name, end in (("low_error", interval.low), ("high_error", interval.high)):
        error = facts.get(name)
        if not isinstance(error, float) or not math.isfinite(end):
            continue
        for edge in edges:
            if 0.0 < abs(end - edge) <= 2.0 * error:
                return (note("seed-sensitive", end=end, edge=edge, error=error),)
    return ()


def exact_difference(
    asked: MethodQuestion, law: ExactBootstrap, measure: str, n: int
) -> TestOutcome | None:
    """The outcome where the whole distribution of the difference is known; None: draw instead."""
    try:
        limits, p_value, log10_p = law.interval_and_p(asked.side, asked.level)
        error = law.moments()[1]
    except NoLaw:
        return None
    effect = asked.estimate(measure, law.value, n, asked.interval(*limits), error)
    details = (*law.details(), ("log10_p", log10_p), ("resampled", law.unit))
    return asked.outcome(law.value, p_value, effect, details=details)


def interval_and_p(
    replicates: FloatArray, side: Alternative, level: float
) -> tuple[tuple[float, float], float]:
    """The percentile interval and its p-value; one-sided, one end and one count."""
    total = replicates.size + 1.0
    more = (1 + np.count_nonzero(replicates <= 0.0)) / total
    fewer = (1 + np.count_nonzero(replicates >= 0.0)) / total
    p_value = float(two_tails(more, fewer, side))
    if side == "two-sided":
        return percentile_interval(replicates, level=level), p_value
    tail = alpha_of(level)
    if side == "greater":
        return (order_bound(replicates, tail, total), math.inf), p_value
    return (-math.inf, -order_bound(-replicates, tail, total)), p_value
