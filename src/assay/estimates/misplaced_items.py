"""A difference of two areas under curves where models may rank items apart that were never drawn.

Near an area of 1, of ROC or of precision and recall, few items tell two models apart, and often none of them
is in the sample: DeLong's variance then knows of next to nothing (decision 0171). What it knows of leans away
from 0, as a count of few does.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.results import Estimate
from assay.core.vocabulary import Alternative
from assay.estimates.method_question import MethodQuestion
from assay.kernels.delong import PlacedAreas
from assay.kernels.skewness import wider_limits
from assay.kernels.tails import alpha_of
from assay.kernels.unseen_values import allowed, unseen_p, unseen_reach

LEAST, FEW, GROWTH = 1.0 / 3.0, 50.0, 0.7
"""How far apart two models may rank an item that was not drawn, in shares of the other class: so far with up to
so many items of its class, and farther with more, which can afford it (decision 0171)."""


def apart(n: Any) -> FloatArray:
    """How far apart an unseen item of a class with n items may be ranked; at most all of the other class."""
    return np.clip(LEAST * (np.asarray(n, np.float64) / FEW) ** GROWTH, LEAST, 1.0)


def allowing_for_misplaced(
    estimate: Estimate, placed: PlacedAreas, error: float, reach: float, df: float
) -> Estimate:
    """The t interval of a difference, widened for unseen items of either class and for its lean."""
    interval, value = estimate.interval, estimate.value
    if interval is None or value is None:
        return estimate
    missing = allowed(alpha_of(interval.level), interval.alternative)
    sizes = (placed.n_positive, placed.n_negative)
    below, above = misplaced_reaches(missing, value, error, sizes, df)
    ends = wider_limits(value, error, reach, difference_lean(placed))
    low = max(min(float(ends[0]), value - float(below) * error), -1.0)
    high = min(max(float(ends[1]), value + float(above) * error), 1.0)
    asked = MethodQuestion(method=interval.method, level=interval.level, side=interval.alternative)
    return replace(estimate, interval=asked.sided((low, high), (-1.0, 1.0)))


def misplaced_reaches(
    missing: float, value: Any, error: Any, sizes: tuple[Any, Any], df: Any
) -> tuple[FloatArray, FloatArray]:
    """How many standard errors below and above a difference unseen items of either class may put the true one."""
    value, error = np.asarray(value, np.float64), np.asarray(error, np.float64)
    below, above = (
        np.maximum(
            *(unseen_reach(missing, (apart(n) + side * value) / error, n, df) for n in sizes)
        )
        for side in (1.0, -1.0)
    )
    return below, above


def difference_lean(placed: PlacedAreas) -> float:
    """At least how far the difference of two areas leans away from 0: its skewness.

    Placements fall short of 1 by T = (1 - a) + (1 - b) on average, so that E|d|³ is at least (E d²)²/T
    (Cauchy and Schwarz); of that the share |D|/T is on one side. Exact where one model alone ranks some
    items wrong, all as badly; next to nothing for areas that are not near 1.
    """
    short = float((1.0 - placed.areas).sum())
    contrast = np.array([1.0, -1.0])
    parts = [
        float(contrast @ part @ contrast) for part in (placed.of_positives, placed.of_negatives)
    ]
    total = sum(parts)
    if not (short > 0.0 and total > 0.0):
        return 0.0
    ahead = float(placed.areas[0] - placed.areas[1]) / short
    return float(ahead / short * sum(part**2 for part in parts) / total**1.5)


def misplaced_p(
    value: Any, error: Any, sizes: tuple[Any, Any], df: Any, alternative: Alternative
) -> FloatArray:
    """The p-value that goes with it: how well unseen items explain the difference."""
    value, error = np.asarray(value, np.float64), np.asarray(error, np.float64)
    below = {"greater": np.ones(()), "less": np.zeros(())}.get(alternative, value > 0.0)
    side = np.where(below, 1.0, -1.0)
    found = [
        unseen_p(side * value / error, (apart(n) + side * value) / error, n, alternative, df)
        for n in sizes
    ]
    return np.asarray(np.maximum(*found))
