"""One model against a level: the default interval of its measure, and the p-value to match."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.core.checks import FloatArray
from assay.core.notes import note
from assay.core.results import Estimate, Interval, TestOutcome
from assay.estimates.default import AREAS, MANY_CLASSES, estimate
from assay.estimates.smoothed import smoothed_draws
from assay.evidence.confusion import from_confusion
from assay.evidence.predictions import Predictions
from assay.evidence.shapes import as_predictions
from assay.kernels.quantiles import bootstrap_p_value
from assay.kernels.roots import bracketed_root
from assay.measures.registry import Measure

LEAST_P = 1e-12
"""Below it the level of an interval is too near 1 to be told from 1: this is given, an upper bound."""


def is_searched(evidence: Predictions, measure: Measure) -> bool:
    """Whether the default interval is had at many levels for one look at the evidence.

    Of independent items: labels, which are counted, not too many classes of them; and areas in
    memory, which are remembered.
    """
    if evidence.clusters is not None or evidence.weighted:
        return False
    if measure.reduction == "tally":
        return len(evidence.classes) <= MANY_CLASSES
    return measure.name in AREAS and not evidence.on_engine


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
    looked = evidence
    if measure.reduction == "tally":
        looked = _counted(evidence)

    def at(confidence: float) -> Estimate:
        return estimate(looked, measure, level=confidence, n_resamples=n_resamples, rng=seed)

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
        confusion = looked.tally().confusion(looked.models[0])
        draws = smoothed_draws(confusion, bound, n_resamples=n_resamples, seed=seed)
        return replace(outcome, p_value=_from_draws(draws, found.value, null))
    p_value = inverted_p(lambda one: at(one).interval, found.value, null)
    notes = (note("p-at-most", p=p_value),) if p_value == LEAST_P else ()
    return replace(outcome, p_value=p_value, notes=notes)


def _counted(evidence: Predictions) -> Predictions:
    """The counts of a model's labels as evidence of their own, wherever the rows are."""
    tally = evidence.tally()
    matrix = tally.confusion(tally.models[0])
    counts = as_predictions(from_confusion(matrix, evidence.classes), models=1)
    return replace(counts, positive=evidence.positive)


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
