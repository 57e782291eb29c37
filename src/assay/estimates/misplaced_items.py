"""A difference of two areas under ROC curves where models may rank items apart that were never drawn.

Near an area of 1 few items tell two models apart, and often none of them is in the sample: DeLong's
variance then knows of next to nothing (decision 0171).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.results import Estimate
from assay.core.vocabulary import Alternative
from assay.estimates.proportions import sided
from assay.kernels.tails import alpha_of
from assay.kernels.unseen_values import allowed, unseen_p, unseen_reach

MISPLACED = 1.0 / 3.0
"""How far apart two models may rank an item that was not drawn, in shares of the other class."""


def allowing_for_misplaced(
    estimate: Estimate, error: float, sizes: tuple[int, int], df: float
) -> Estimate:
    """The difference with an interval that allows for unseen items of either class."""
    interval, value = estimate.interval, estimate.value
    if interval is None or value is None:
        return estimate
    missing = allowed(alpha_of(interval.level), interval.alternative)
    below, above = (
        max(float(unseen_reach(missing, (MISPLACED + side * value) / error, n, df)) for n in sizes)
        for side in (1.0, -1.0)
    )
    low = max(min(interval.low, value - below * error), -1.0)
    high = min(max(interval.high, value + above * error), 1.0)
    side = interval.alternative
    wider = sided((low, high), side, interval.level, interval.method, ends=(-1.0, 1.0))
    return replace(estimate, interval=wider)


def misplaced_p(
    value: Any, error: Any, sizes: tuple[Any, Any], df: Any, alternative: Alternative
) -> FloatArray:
    """The p-value that goes with it: how well unseen items explain the difference."""
    value, error = np.asarray(value, np.float64), np.asarray(error, np.float64)
    below = {"greater": np.ones(()), "less": np.zeros(())}.get(alternative, value > 0.0)
    side = np.where(below, 1.0, -1.0)
    room = (MISPLACED + side * value) / error
    found = [unseen_p(side * value / error, room, n, alternative, df) for n in sizes]
    return np.asarray(np.maximum(*found))
