"""The mean of a sample or of paired differences with its t interval (I2, I3), also from summaries."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import (
    as_pairs,
    as_values,
    check_count,
)
from assay.core.errors import UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, with_notes
from assay.core.tolerances import NOISE
from assay.core.vocabulary import UNITS, Unit
from assay.estimates.clustered_means import ClusterSpread, as_weights, linearised
from assay.estimates.method_question import MethodQuestion
from assay.kernels.ranks import mean_differences

_NORMAL = ("independent values", "a mean not far from normal: bell-shaped values, or many")
_FORMULA = "mean ± t_quantile(df) standard_error, standard_error = sd/sqrt(n), df = n - 1"


@method(
    question="How large is a mean?",
    takes="sample",
    gives="estimate",
    unit=UNITS,
    assumes=_NORMAL,
    reference="Student (1908), Biometrika 6",
    requirement="I2",
    same_as="R: t.test({sample}{, alternative}{, level})$conf.int",
    formula=_FORMULA + "; with weights sd/sqrt(n) and df by linearisation",
    name="Student's t",
    interval="t",
    planned_by="width_of_mean",
    batched_by="one_mean",
    symmetric=True,
)
def mean_t(
    sample: Any,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    weights: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    unit: Unit = "item",
) -> Estimate:
    """The mean with Student's t interval.

    ``weights`` are importances: doubling all changes nothing. ``low`` and ``high``, the range of the
    measure, cut an interval that leaves it, with a note.
    """
    values = as_values(sample, "sample")
    asked = MethodQuestion.of("mean_t", level=level, alternative=alternative, unit=unit)
    return cut_to_range(_mean(asked, values, "mean", weights), low, high)


@method(
    question="How large is a mean, if only mean, sd and n are known?",
    takes="summary",
    gives="estimate",
    unit=UNITS,
    assumes=_NORMAL,
    reference="Student (1908), Biometrika 6",
    requirement="E10",
    same_as="R: {mean} + c(-1, 1) * qt((1 + {level}) / 2, {n} - 1) * {sd} / sqrt({n})",
    formula=_FORMULA,
)
def mean_summary(
    mean: float,
    sd: float,
    n: int,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    unit: Unit = "item",
) -> Estimate:
    """The t interval of a mean known by its size, the standard deviation (n - 1) and the mean.

    ``sd`` is that of the values, not of their mean. The limits with the normal quantile are in
    details, as is what the formula gives where sd is 0.
    """
    value, deviation, count = _number(mean, "mean"), _number(sd, "sd"), check_count(n, "n")
    if deviation < 0.0 or count < 1:
        raise UsageError(f"sd is 0 or above and n at least 1; got sd {sd!r} and n {n!r}")
    asked = MethodQuestion.of("mean_summary", level=level, alternative=alternative, unit=unit)
    se = deviation / count**0.5
    z = asked.z * se
    limits: Details = (("z_low", value - z), ("z_high", value + z))
    if deviation == 0.0:
        limits = (*limits, ("t_low", value), ("t_high", value))
    spread = ClusterSpread(se if count > 1 else float("nan"), count - 1.0, count)
    details: Details = (("sd", deviation), ("n", count), *limits)
    return _t_estimate(asked, value, spread, "mean", count, details)


@method(
    question="By how much do two models differ on average, item by item?",
    takes="pairs",
    gives="estimate",
    unit=UNITS,
    assumes=("independent pairs", "a mean difference not far from normal"),
    reference="Student (1908), Biometrika 6",
    requirement="I3",
    same_as="R: t.test({a}, {b}, paired = TRUE{, alternative}{, level})$conf.int",
    formula=_FORMULA + ", all of the differences a - b",
    interval="paired t",
    batched_by="paired_means",
    symmetric=True,
)
def mean_of_pairs(
    a: Any,
    b: Any = None,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    weights: ArrayLike | None = None,
    unit: Unit = "item",
) -> Estimate:
    """The mean of a - b over pairs with Student's t interval; ``a`` may hold the differences."""
    first, second = as_pairs(a, b)
    differences = mean_differences(first, second)
    return mean_of_differences(
        differences, level=level, alternative=alternative, weights=weights, unit=unit
    )


def mean_of_differences(
    differences: FloatArray,
    *,
    level: float,
    alternative: str,
    unit: Unit,
    weights: ArrayLike | None = None,
) -> Estimate:
    """`mean_of_pairs` of differences that are known."""
    asked = MethodQuestion.of("mean_of_pairs", level=level, alternative=alternative, unit=unit)
    return _mean(asked, differences, "mean_difference", weights)


def _mean(
    asked: MethodQuestion, values: FloatArray, measure: str, weights: ArrayLike | None
) -> Estimate:
    importance = as_weights(weights, values.size)
    value = float(np.average(values, weights=importance))
    spread = linearised(values - value, weights=importance)
    if np.ptp(values) <= NOISE * np.abs(values).max():
        spread = spread._replace(se=0.0)
    if importance is None:
        details: Details = (("sd", float(np.std(values, ddof=1)) if values.size > 1 else None),)
    else:
        shares = importance / importance.sum()
        details = (("effective_n", float(1.0 / (shares**2).sum())),)
    details = (("mean", value), *details, ("n", values.size))
    return _t_estimate(asked, value, spread, measure, values.size, details)


def _t_estimate(
    asked: MethodQuestion,
    value: float,
    spread: ClusterSpread,
    measure: str,
    n: int,
    details: Details,
) -> Estimate:
    if spread.units < 2 or spread.se <= 0.0:
        notes, details = (_why_not(spread, asked.method),), (*details, ("df", None))
        return asked.estimate(measure, value, n, notes=notes, details=details)
    interval = asked.t_interval(value, spread.se, spread.df)
    details = (*details, ("df", spread.df))
    return asked.estimate(measure, value, n, interval, spread.se, details=details)


def _why_not(spread: ClusterSpread, name: str) -> Note:
    if spread.units < 2:
        return note("single-value", what="one value", needed="at least two")
    remedy = "a sign or permutation test still answers"
    return note("zero-variance", what="the values", method=name, remedy=remedy)


def cut_to_range(estimate: Estimate, low: float | None, high: float | None) -> Estimate:
    """The estimate with its interval cut to the range of the measure, and a note where it was."""
    floor = -np.inf if low is None else float(low)
    roof = np.inf if high is None else float(high)
    if estimate.value is None or not floor <= estimate.value <= roof:
        raise UsageError(f"the mean {estimate.value!r} lies outside the range [{floor}, {roof}]")
    interval = estimate.interval
    if interval is None:
        return estimate
    low, high = np.clip([interval.low, interval.high], floor, roof).tolist()
    inside = replace(interval, low=low, high=high)
    estimate = replace(estimate, interval=inside)
    left = np.isfinite(interval.low) and interval.low < floor
    if left or (np.isfinite(interval.high) and interval.high > roof):
        return with_notes(estimate, note("interval-cut", low=interval.low, high=interval.high))
    return estimate


def _number(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{what} is a number, got {value!r}") from None
    if not np.isfinite(number):
        raise UsageError(f"{what} is a finite number, got {value!r}")
    return number
