"""Intervals of label measures of several classes without draws: the delta method on smoothed counts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.estimates.smoothed_intervals import RIGHT_PRIOR
from assay.kernels.special import betaincinv, ndtri, stdtrit
from assay.measures.registry import Measure

STEP = 1e-6
"""How far numbers are moved for a slope, in parts of them: sums of a large class beside a small one
must not move by more than the small one has."""
WIDEST = 0.999
"""Of the largest variance that a value between two ends can have."""


def delta_parts(measure: Measure, tables: NDArray[Any]) -> tuple[FloatArray, FloatArray, Any]:
    """Centres, variances and degrees of freedom of a measure of many confusion matrices.

    The counts with a few pseudo-counts (`unseen`); a measure does not change when all counts are
    doubled, so the multinomial variance is the sum of count * slope² over the cells. It rests
    on (sum of count * slope²)² / sum of count * slope⁴ answers, and has twice as many degrees of
    freedom, two more for the pseudo-counts.
    """
    counts = np.asarray(tables, np.float64)
    smoothed = counts + unseen(counts)
    squares = slopes(measure, smoothed) ** 2
    variance = (smoothed * squares).sum(axis=(1, 2))
    fourth = (smoothed * squares**2).sum(axis=(1, 2))
    varies = fourth > 0.0
    resting = np.where(varies, variance**2 / np.where(varies, fourth, 1.0), 0.0)
    return np.asarray(measure.function(smoothed)), variance, 2.0 * resting + 2.0


def unseen(tables: FloatArray) -> FloatArray:
    """Pseudo-counts of the classes that occur in each table, in the truth or among the answers.

    As of smoothed cells, 0.4 for the right answers of a class and 0.8 spread over all wrong ones. A
    class that was only answered has a score of 0 on no evidence: it is as unknown as any other. Of
    one class the others count too.
    """
    named = (tables.sum(axis=2) > 0.0) | (tables.sum(axis=1) > 0.0)
    named |= (named.sum(axis=1) < 2)[:, None]
    size = named.sum(axis=1)[:, None, None].astype(np.float64)
    cells = named[:, :, None] & named[:, None, :]
    right = np.eye(tables.shape[1], dtype=bool)
    wrong = 2.0 * RIGHT_PRIOR / (size * (size - 1.0))
    return np.where(cells, np.where(right, RIGHT_PRIOR, wrong), 0.0)


def delta_limits(
    measure: Measure, tables: NDArray[Any], tail: float
) -> tuple[FloatArray, FloatArray]:
    """Quantiles of beta distributions between the ends of the measure; NaN where undefined.

    They have the centres and the variances of `delta_parts`, these widened as Student's t is wider
    than the normal, and the limits are widened to hold the measure of the counts themselves.
    """
    centre, variance, df = delta_parts(measure, tables)
    extent = measure.high - measure.low
    share = (centre - measure.low) / extent
    room = share * (1.0 - share)
    wider = (stdtrit(df, tail) / ndtri(tail)) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.minimum(variance / extent**2 * wider, WIDEST * room)
        size = room / spread - 1.0
        usable = np.isfinite(size) & (spread > 0.0) & (size > 0.0)
    size, share = np.where(usable, size, 1.0), np.where(usable, share, 0.5)
    value = np.asarray(measure.function(np.asarray(tables, np.float64)))
    limits = []
    for side, widened in ((tail, np.fmin), (1.0 - tail, np.fmax)):
        quantile = betaincinv(share * size, (1.0 - share) * size, side)
        found = widened(measure.low + extent * quantile, value)
        limits.append(np.where(usable, found, np.nan))
    return limits[0], limits[1]


def slopes(measure: Measure, confusions: FloatArray) -> FloatArray:
    """The slope of the measure in every cell of every confusion matrix, by central differences.

    Of measures that see only the diagonal and the sums of rows and columns, by the chain rule.
    """
    if measure.margins is None:
        return _differences(measure.function, (confusions,))[0]
    diagonal = np.diagonal(confusions, axis1=1, axis2=2)
    sums = (diagonal, confusions.sum(axis=2), confusions.sum(axis=1))
    hits, rows, columns = _differences(measure.margins, sums)
    found = rows[:, :, None] + columns[:, None, :]
    place = np.arange(confusions.shape[1])
    found[:, place, place] += hits
    return found * (confusions > 0.0)


def _differences(function: Any, arrays: tuple[NDArray[Any], ...]) -> list[FloatArray]:
    """Central differences of a function of arrays in each of their numbers; 0 where that is 0."""
    found = [np.zeros(one.shape) for one in arrays]
    for kind, array in enumerate(arrays):
        moved = array.astype(np.float64)
        for place in np.ndindex(array.shape[1:]):
            here = (slice(None), *place)
            step = STEP * array[here]
            occupied = step > 0.0
            values = []
            for sign in (1.0, -1.0):
                moved[here] = array[here] + sign * step
                values.append(function(*arrays[:kind], moved, *arrays[kind + 1 :]))
            moved[here] = array[here]
            change = np.asarray(values[0]) - np.asarray(values[1])
            found[kind][here] = np.where(
                occupied, change / np.where(occupied, 2.0 * step, 1.0), 0.0
            )
    return found
