"""A t test of a mean that also heeds the skewness of what is averaged."""

import math
from dataclasses import replace

from assay.core.arrays import FloatArray
from assay.core.results import TestOutcome
from assay.kernels.skewness import corrected, lean_of, wider_limits
from assay.kernels.tails import t_log10_p, t_p, t_reach


def leaning(outcome: TestOutcome, differences: FloatArray, *, guarded: bool) -> TestOutcome:
    """The outcome of a t test with the interval that holds t's and Hall's, and the larger p-value.

    Both p-values are at most 1 - level exactly when that interval excludes 0.
    """
    lean = float(lean_of(differences, guarded=guarded))
    interval, error = outcome.effect.interval, outcome.effect.standard_error
    df, t = dict(outcome.details).get("df"), outcome.statistic
    facts = (("lean", lean),)
    if interval is None or error is None or t is None or not isinstance(df, float | int):
        return replace(outcome, details=(*outcome.details, *facts))
    side, mean = outcome.alternative, float(outcome.effect.value or 0.0)
    reach = t_reach(interval.level, df, side)
    low, high = (float(end) for end in wider_limits(mean, error, reach, lean))
    interval = replace(
        interval,
        low=low if math.isfinite(interval.low) else interval.low,
        high=high if math.isfinite(interval.high) else interval.high,
    )
    hall = float(corrected(t, lean))
    p_hall = t_p(hall, df, side)
    if outcome.p_value is None or p_hall <= outcome.p_value:
        hall = t
    logarithm = t_log10_p(hall, df, side)
    details = tuple((name, logarithm if name == "log10_p" else v) for name, v in outcome.details)
    return replace(
        outcome,
        p_value=max(p_hall, outcome.p_value or 0.0),
        effect=replace(outcome.effect, interval=interval),
        details=(*details, *facts),
    )
