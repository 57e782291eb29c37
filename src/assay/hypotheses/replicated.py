"""From bootstrap replicates of a difference to an answer, also where they cannot give one."""

import math
from dataclasses import replace

import numpy as np

from assay.core.checks import FloatArray
from assay.core.notes import note
from assay.core.results import Estimate, Interval, TestOutcome, with_notes
from assay.core.vocabulary import Alternative
from assay.estimates.bootstrap_exact import ExactBootstrap
from assay.kernels.permute import order_bound
from assay.kernels.quantiles import percentile_interval
from assay.kernels.ratio_draws import NoLaw
from assay.kernels.tails import alpha_of, normal_reach, two_tails
from assay.measures.registry import Measure

UNDEFINED_AT_MOST = 0.05
"""Share of undefined replicates beyond which there is no interval."""


def unusable(
    measure: Measure,
    outcome: TestOutcome,
    defined: FloatArray,
    size: int,
    level: float,
    *,
    n: int | None = None,
) -> TestOutcome | None:
    """The outcome where the replicates cannot tell: undefined, or all the same."""
    if outcome.effect.value is None:
        return with_notes(outcome, note("undefined-value", measure=measure.name))
    if size - defined.size > UNDEFINED_AT_MOST * size:
        share = 1.0 - defined.size / size
        return with_notes(
            outcome, note("undefined-replicates-many", measure=measure.name, share=share)
        )
    if np.ptp(defined) > 0.0:
        return None
    if outcome.effect.value != 0.0:
        remedy = "mcnemar and paired_t look at the items themselves"
        why = note("zero-variance", what="the replicates", method="bootstrap", remedy=remedy)
        return with_notes(outcome, why)
    # No item tells the two apart: what n items cannot rule out, as Tango's interval has it
    reach = normal_reach(level, outcome.alternative) ** 2
    items = outcome.effect.n if n is None else n
    width = (measure.high - measure.low) * reach / (items + reach)
    interval = Interval(
        low=-width if outcome.alternative != "less" else -math.inf,
        high=width if outcome.alternative != "greater" else math.inf,
        level=level,
        method=outcome.method,
        alternative=outcome.alternative,
    )
    effect = replace(outcome.effect, interval=interval if math.isfinite(width) else None)
    same = replace(outcome, p_value=1.0, effect=effect)
    return with_notes(same, note("no-disagreement", n=outcome.effect.n))


def exact_difference(
    law: ExactBootstrap, name: str, measure: str, side: Alternative, level: float, n: int
) -> TestOutcome | None:
    """The outcome where the whole distribution of the difference is known; None: draw instead."""
    try:
        limits, p_value, log10_p = law.interval_and_p(side, level)
        error = law.moments()[1]
    except NoLaw:
        return None
    interval = Interval(low=limits[0], high=limits[1], level=level, method=name, alternative=side)
    effect = Estimate(
        measure=measure,
        value=law.value,
        interval=interval,
        method=name,
        n=n,
        unit="item",
        standard_error=error,
    )
    return TestOutcome(
        method=name,
        statistic=law.value,
        p_value=p_value,
        effect=effect,
        alternative=side,
        details=(*law.details(), ("log10_p", log10_p), ("resampled", law.unit)),
    )


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
