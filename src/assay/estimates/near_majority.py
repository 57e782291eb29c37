"""Algorithms that may hardly beat the most frequent class, and how much their training is taken to vary."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.tolerances import TIE
from assay.estimates.folds import (
    are_held,
    cautious_t_interval,
    corrected_t_interval,
)
from assay.evidence.curve_scores import CurveScores
from assay.evidence.scores import Scores

HARDLY = 0.1
"""The part of the errors of always answering the most frequent class that a learner must avoid, interval and all."""
SHARES_OF_RIGHT = {"accuracy": 1.0, "error_rate": -1.0}
"""Measures that always answering the most frequent class has a value of, and the sign of better."""


def near_majority(
    scores: Scores | CurveScores,
    measure: str,
    values: Mapping[str, FloatArray],
    *,
    level: float,
    splits: Mapping[str, Any],
) -> dict[str, float]:
    """By algorithm whose interval does not exclude that it hardly learns: its least standard deviation of training.

    Splits of one sample share most of their training items, so that none shows how such a learner does on
    another sample: a tenth of the constant answer's errors, measured in docs/folds.md. The constant answer
    itself hangs on no training: 0.
    """
    sign = SHARES_OF_RIGHT.get(measure)
    if scores.majority is None or sign is None:
        return {}
    errors = 1.0 - scores.majority[1]
    held = are_held(scores.folds, scores.repeats)
    interval_of = cautious_t_interval if held else corrected_t_interval
    # folds of unequal sizes have a mean that is not that of the items
    tested = splits.get("n_test", 1.0)
    found = {}
    for model, column in values.items():
        mean = interval_of(column, level=level, **splits)
        ends = (mean.value, *((mean.interval.low, mean.interval.high) if mean.interval else ()))
        wrong = [1.0 - end if sign > 0.0 else end for end in ends if end is not None]
        if max(wrong) >= (1.0 - HARDLY) * errors:
            right = float(np.average(column, weights=np.broadcast_to(tested, column.shape)))
            constant = abs((1.0 - right if sign > 0.0 else right) - errors) <= TIE
            found[model] = 0.0 if constant else HARDLY * errors
    return found
