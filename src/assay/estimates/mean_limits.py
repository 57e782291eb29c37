"""How far the mean of one number per item may stray: limits on the scale that suits its range."""

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.notes import Note, note
from assay.core.results import Estimate
from assay.estimates.normality_of_means import far_tails, skewed_values, unlike_items
from assay.evidence.item_arrays import Columns
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.kernels.effective_size import kish
from assay.kernels.skewness import lean_of, wider_limits
from assay.kernels.tails import alpha_of, t_reach
from assay.kernels.unseen_values import allowed, unseen_reach

Limits = tuple[float, float]
FARTHER = 1.1
"""From this many times its width on, an interval that allows for unseen losses says so."""


def mean_limits(
    found: Estimate,
    values: FloatArray,
    columns: Columns,
    ends: Limits,
    level: float,
    possible: Limits | None = None,
) -> tuple[Limits, tuple[Note, ...]]:
    """The limits of a mean whose measure ends at ``ends``, and the notes that go with them.

    ``found`` holds the mean, its standard error and degrees of freedom. A clustered mean is symmetric on a
    scale without ends; a mean of independent items reaches as far as its skewness asks for, and as rare losses
    that no item shows could move it, of those ``possible``.
    """
    mean, error, df = found.value or 0.0, found.standard_error, dict(found.details)["df"]
    units = _units(columns)
    if error is None or not isinstance(df, float | int):
        return unlike_items(mean, *ends, units, level), (note("equal-values", n=int(units)),)
    if columns.clusters is not None:  # no surer than independent items would be
        naive = dict(found.details)["naive_se"]
        error = max(error, float(naive)) if isinstance(naive, float) else error
    reach = t_reach(level, df, "two-sided")
    inside = ends[0] < mean < ends[1]
    limits = (
        stretched(mean, reach * error, ends)
        if inside
        else (mean - reach * error, mean + reach * error)
    )
    if columns.clusters is not None:
        return _cut(limits, ends), ()
    notes = (*skewed_values(values, level, weights=columns.weights), *far_tails(int(units), level))
    strays = values if columns.weights is None else columns.weights * (values - mean)
    limits = _leaning(strays, (mean, error, reach), limits, ends)
    farther = _unseen(mean, error, units, limits, possible or ends, level)
    if farther[1] - farther[0] > FARTHER * (limits[1] - limits[0]):
        largest = max(end for end in possible or ends if np.isfinite(end))
        notes = (*notes, note("unseen-losses", n=values.size, largest=largest))
    return _cut(farther, ends), notes


def stretched(mean: float, reach: float, ends: Limits) -> Limits:
    return stretched_interval(mean, reach, low=ends[0], high=ends[1])


def _leaning(
    values: FloatArray, spread: tuple[float, float, float], limits: Limits, ends: Limits
) -> Limits:
    """The limits, farther out on the side of the long tail where skewness asks for it."""
    known = np.isfinite(ends)
    lean = float(lean_of(values, bounded=bool(known.all()), one_sided=bool(known.any())))
    low, high = (float(end) for end in wider_limits(*spread, lean))
    if not np.isfinite(ends).any():
        return low, high
    return (limits[0], max(limits[1], high)) if lean >= 0.0 else (min(limits[0], low), limits[1])


def _unseen(
    mean: float, error: float, n: float, limits: Limits, possible: Limits, level: float
) -> Limits:
    """The limits, as far out as losses that no item shows could move the mean, where they have an end."""
    if not np.isfinite(possible).all():
        return limits
    missing = allowed(alpha_of(level), "two-sided")
    rooms = ((mean - possible[0]) / error, (possible[1] - mean) / error)
    below, above = (float(unseen_reach(missing, room, n)) * error for room in rooms)
    return min(limits[0], mean - below), max(limits[1], mean + above)


def _cut(limits: Limits, ends: Limits) -> Limits:
    return max(limits[0], ends[0]), min(limits[1], ends[1])


def _units(columns: Columns) -> float:
    """How many independent units there are in effect."""
    if columns.clusters is not None:
        return float(columns.clusters.max() + 1)
    return float(columns.n) if columns.weights is None else kish(columns.weights)
