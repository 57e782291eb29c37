"""What the delta method needs of a label measure: its slopes in the counts, and an interval that stays in range."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import NotApplicable
from assay.core.results import Interval, TestOutcome
from assay.core.tolerances import TIE
from assay.core.vocabulary import Alternative
from assay.estimates.label_weights import MATRIX_CLASSES
from assay.estimates.measure_needs import check_offers
from assay.evidence.predictions import Predictions
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.kernels.tails import normal_log10_p, normal_p, normal_reach
from assay.measures.registry import Measure

MOST_CLASSES = 50
"""Classes up to which all get ½; with more, the pseudo-counts are scaled so as not to add up. Also
those up to which the slopes of a measure in all its cells are worth their time."""

SPREAD_CLASSES = 30
"""Up to so many classes a wrong pseudo-answer is spread over all wrong ones, else it is the next."""

_CELLS_AT_A_TIME = 2**19


def smooth_measure(
    evidence: Predictions, measure: Measure, models: tuple[str, ...], *, method: str, instead: str
) -> Measure:
    """The measure bound to the classes, where the delta method applies to it."""
    check_offers(evidence, measure, models)
    bound = measure.bind(evidence.classes, evidence.positive)
    for wrong, what in (
        (bound.reduction != "tally", f"{bound.called} is no function of counts of labels"),
        (evidence.weighted, "the evidence has importance weights"),
        (evidence.clusters is not None, "the evidence has clusters"),
        (
            len(evidence.classes) > MOST_CLASSES and bound.margins is None,
            f"{bound.called} of {len(evidence.classes)} classes, more than {MOST_CLASSES}, takes too long",
        ),
    ):
        if wrong:
            raise NotApplicable(f"{method} does not apply, {what}: use {instead}")
    return bound


def plain_difference(first: float, second: float) -> float:
    """A minus B; rounding errors are ties, and a likelihood ratio of 1/0 has no distance."""
    if not (math.isfinite(first) and math.isfinite(second)):
        return math.nan
    difference = first - second
    return 0.0 if abs(difference) <= TIE * max(abs(first), abs(second)) else difference


def slopes_of(measure: Measure, table: FloatArray) -> FloatArray:
    """The slope of the measure in each cell that is not empty, by central differences."""
    size = len(table)
    if size > MATRIX_CLASSES and measure.margins is not None:
        return _margin_slopes(measure.margins, table)
    occupied = np.flatnonzero(table)
    slopes = np.zeros(size * size)
    rows = max(1, _CELLS_AT_A_TIME // (size * size))
    for start in range(0, occupied.size, rows):
        part = occupied[start : start + rows]
        steps = 1e-3 * table.ravel()[part]
        moved = np.repeat(table.reshape(1, -1), 2 * part.size, axis=0)
        places = np.arange(part.size)
        moved[places, part] += steps
        moved[part.size + places, part] -= steps
        values = np.asarray(measure.function(moved.reshape(-1, size, size)), np.float64)
        slopes[part] = (values[: part.size] - values[part.size :]) / (2.0 * steps)
    return slopes.reshape(size, size)


def _margin_slopes(margins: Callable[..., FloatArray], table: FloatArray) -> FloatArray:
    """The same by the chain rule, from the slopes in the diagonal and in the sums of rows and columns."""
    sums = np.stack([np.diagonal(table), table.sum(axis=1), table.sum(axis=0)])
    size = len(table)
    slopes = np.zeros((3, size))
    for kind in range(3):
        filled = np.flatnonzero(sums[kind])
        for start in range(0, filled.size, 512):
            part = filled[start : start + 512]
            steps, places = 1e-3 * sums[kind][part], np.arange(part.size)
            moved = np.repeat(sums[:, None, :], 2 * part.size, axis=1)
            moved[kind, places, part] += steps
            moved[kind, part.size + places, part] -= steps
            values = np.asarray(margins(*moved), np.float64)
            slopes[kind, part] = (values[: part.size] - values[part.size :]) / (2.0 * steps)
    return np.asarray(np.diag(slopes[0]) + slopes[1][:, None] + slopes[2][None, :])


def stretched_z(centre: float, error: float, extent: float) -> float:
    """The difference in standard errors on the scale without ends, atanh(D/R)."""
    if not math.isfinite(extent):
        return centre / error
    share = centre / extent
    return math.atanh(share) * (1.0 - share**2) * extent / error


def stretched_limits(
    centre: float, reach: float, value: float, extent: float
) -> tuple[float, float]:
    """``reach`` on either side of the smoothed difference on that scale, widened to hold the plain one."""
    low, high = stretched_interval(centre, reach, low=-extent, high=extent)
    return min(low, value), max(high, value)


def decided(
    outcome: TestOutcome, measure: Measure, centre: float, error: float, level: float
) -> TestOutcome:
    """The outcome with the interval around the smoothed difference, and its test."""
    side, value = outcome.alternative, float(outcome.effect.value or 0.0)
    extent = measure.high - measure.low
    z = stretched_z(centre, error, extent)
    low, high = stretched_limits(centre, normal_reach(level, side) * error, value, extent)
    p_value = normal_p(z, side)
    if p_value <= 1.0 - level and _holds_zero(low, high, side):
        p_value = 1.0  # the estimate itself lies on the other side: nothing is decided
    interval = Interval(
        low=low if side != "less" else -math.inf,
        high=high if side != "greater" else math.inf,
        level=level,
        method=outcome.method,
        alternative=side,
    )
    return replace(
        outcome,
        statistic=z,
        p_value=p_value,
        effect=replace(outcome.effect, interval=interval),
        details=(
            ("D", centre),
            ("standard_error", error),
            ("R", extent),
            ("z", z),
            ("log10_p", normal_log10_p(z, side)),
        ),
    )


def _holds_zero(low: float, high: float, side: Alternative) -> bool:
    return (side == "less" or low <= 0.0) and (side == "greater" or high >= 0.0)
