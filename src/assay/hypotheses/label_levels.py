"""One model's measure of labels against a level: its default interval, and the p-value to match."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.core.checks import FloatArray
from assay.core.notes import note
from assay.core.results import Estimate, Interval, TestOutcome
from assay.estimates.default import MANY_CLASSES, estimate
from assay.estimates.smoothed import smoothed_draws
from assay.evidence.confusion import from_confusion
from assay.evidence.predictions import Predictions
from assay.evidence.shapes import as_predictions
from assay.kernels.quantiles import bootstrap_p_value
from assay.kernels.roots import bracketed_root
from assay.measures.registry import Measure

LEAST_P = 1e-12
"""Below it the level of an interval is too near 1 to be told from 1: this is given, an upper bound."""


def is_counted(evidence: Predictions, measure: Measure) -> bool:
    """Whether the default interval rests on counts of labels: independent items, not many classes."""
    independent = evidence.clusters is None and not evidence.weighted
    return measure.reduction == "tally" and independent and len(evidence.classes) <= MANY_CLASSES


def label_level(
    evidence: Predictions,
    measure: Measure,
    *,
    null: float,
    level: float,
    n_resamples: int,
    seed: int,
) -> TestOutcome:
    """The default interval at ``level``; p is one less the level at which its end meets ``null``."""
    tally = evidence.tally()
    confusion = tally.confusion(tally.models[0])
    counts = as_predictions(from_confusion(confusion, evidence.classes), models=1)
    counts = replace(counts, positive=evidence.positive)

    def at(confidence: float) -> Estimate:
        return estimate(counts, measure, level=confidence, n_resamples=n_resamples, rng=seed)

    found = replace(at(level), model=evidence.models[0], n=evidence.n)
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
        return replace(outcome, notes=(note("undefined-value", measure=measure.name),))
    if found.interval.method == "smoothed cells":
        bound = measure.bind(evidence.classes, evidence.positive)
        draws = smoothed_draws(confusion, bound, n_resamples=n_resamples, seed=seed)
        return replace(outcome, p_value=_from_draws(draws, found.value, null))
    return replace(outcome, p_value=inverted_p(lambda one: at(one).interval, found.value, null))


def _from_draws(draws: FloatArray, value: float, null: float) -> float:
    """Counted from the draws; 1 between their middle and the estimate, which every interval holds."""
    low, high = sorted((value, float(np.median(draws))))
    return 1.0 if low <= null <= high else bootstrap_p_value(draws, null=null)


def inverted_p(interval_at: Callable[[float], Interval | None], value: float, null: float) -> float:
    """The smallest α whose interval at level 1 − α excludes ``null``; not below `LEAST_P`."""
    below = null < value

    def gap(log_tail: FloatArray) -> FloatArray:
        interval = interval_at(1.0 - 2.0 * math.exp(float(log_tail)))
        if interval is None:
            return np.asarray(-1.0)
        return np.asarray(interval.low - null if below else null - interval.high)

    few, all_of_it = math.log(LEAST_P / 2.0), math.log(0.5 - 1e-9)
    if null == value or gap(np.asarray(all_of_it)) <= 0.0:
        return 1.0
    if gap(np.asarray(few)) > 0.0:
        return LEAST_P
    return min(1.0, 2.0 * math.exp(float(bracketed_root(gap, few, all_of_it))))
