"""One model against a level: the default interval of its measure, and the p-value to match."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.notes import note
from assay.core.results import Estimate, Interval, TestOutcome
from assay.estimates.default_intervals import estimates
from assay.evidence.predictions import Predictions
from assay.kernels.roots import bracketed_root
from assay.kernels.tails import alpha_of
from assay.measures.registry import Measure

LEAST_P = 1e-12
"""Below it the level of an interval is too near 1 to be told from 1: this is given, an upper bound."""
HELD = -1e-9
"""What a null on the edge of its interval is inside of it: an edge is not outside."""


def default_level(
    evidence: Predictions,
    measure: Measure,
    *,
    null: float,
    level: float,
    n_resamples: int,
    seed: int,
) -> TestOutcome:
    """The default interval at ``level``; p is one less the level at which its end meets ``null``."""
    at = estimates(evidence, measure, n_resamples=n_resamples, rng=seed)
    found = at(level)
    outcome = TestOutcome(
        method="measure_against",
        statistic=found.value,
        p_value=None,
        effect=found,
        null=null,
        seed=found.seed,
        details=found.details,
    )
    if found.value is None or found.interval is None:
        return replace(outcome, notes=found.notes)
    if null == found.value and found.interval.contains(null):
        return replace(outcome, p_value=1.0)
    draws = _draws(found)
    least = LEAST_P if draws is None else 2.0 / (draws + 1)
    p_value = inverted_p(lambda one: at(one).interval, null, least=least)
    if draws is not None:
        p_value = _counted(p_value, draws)
    p_value = agreeing(p_value, found.interval, null)
    notes = (note("p-at-most", p=p_value),) if p_value == LEAST_P else ()
    return replace(outcome, p_value=p_value, notes=notes)


def inverted_p(
    interval_at: Callable[[float], Interval | None], null: float, *, least: float = LEAST_P
) -> float:
    """The smallest α whose interval at level 1 − α excludes ``null``, not below ``least``."""

    def outside(log_tail: FloatArray) -> FloatArray:
        interval = interval_at(1.0 - 2.0 * math.exp(float(log_tail)))
        if interval is None:
            return np.asarray(HELD)
        beyond = max(interval.low - null, null - interval.high)
        return np.asarray(beyond if beyond > 0.0 else min(beyond, HELD))

    few, all_of_it = math.log(least / 2.0), math.log(0.5 - 1e-9)
    if outside(np.asarray(all_of_it)) <= 0.0:
        return 1.0
    if outside(np.asarray(few)) > 0.0:
        return least
    return min(1.0, 2.0 * math.exp(float(bracketed_root(outside, few, all_of_it))))


def agreeing(p_value: float, interval: Interval, null: float) -> float:
    """The p-value on the side of 1 − level on which the interval sees ``null``, rounding or not."""
    alpha = alpha_of(interval.level)
    if interval.contains(null):
        return max(p_value, math.nextafter(alpha, 1.0))
    return min(p_value, alpha)


def _draws(found: Estimate) -> int | None:
    """How many drawn values the interval is made of; None where nothing was drawn."""
    details = dict(found.details)
    total, undefined = details.get("n_resamples"), details.get("undefined", 0)
    return total - int(undefined or 0) if isinstance(total, int) else None


def _counted(p_value: float, draws: int) -> float:
    """A share of the draws as the fraction it is, where the search came as near as it can."""
    count = round(p_value * (draws + 1))
    share = count / (draws + 1)
    return share if math.isclose(p_value, share, rel_tol=1e-6) else p_value
