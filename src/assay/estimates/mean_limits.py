"""How far the mean of one number per item may stray: limits on the scale that suits its range."""

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.notes import Note, note
from assay.core.results import Estimate
from assay.estimates.normality_of_means import far_tails, skewed_values, unlike_items
from assay.evidence.item_arrays import Columns
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.kernels.effective_size import kish, units_of
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

    ``found`` holds the mean, its standard error and degrees of freedom. The interval is symmetric on a scale
    without ends, and reaches as far as the skewness of what units add to the mean asks for, and as rare losses
    that no item shows could move it, of those ``possible``.
    """
    mean, error, df = found.value or 0.0, found.standard_error, dict(found.details)["df"]
    if error is None or not isinstance(df, float | int):
        count = _count(columns)
        return unlike_items(mean, *ends, count, level), (note("equal-values", n=int(count)),)
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
    strays, seen, notes = _units(values, columns, error, level)
    spread = mean, error, reach
    if columns.clusters is None:
        near = _leaning(strays, spread, limits, ends)
        far = _unseen(spread, (seen, df), near, possible or ends, level)
    else:  # few units: their skewness as it is
        leaning = wider_limits(*spread, lean_of(strays, bounded=True))
        near = float(leaning[0]), float(leaning[1])
        unseen = _unseen(spread, (seen, df), near, possible or ends, level)
        near, far = (_added(limits, spread, one) for one in (near, unseen))
    if possible is not None and far[1] - far[0] > FARTHER * (near[1] - near[0]):
        largest = max(end for end in possible if np.isfinite(end))
        notes = (*notes, note("unseen-losses", n=values.size, largest=largest))
    return _cut(far, ends), notes


def _units(
    values: FloatArray, columns: Columns, error: float, level: float
) -> tuple[FloatArray, float, tuple[Note, ...]]:
    """What units add to the mean, as many independent items as they are worth, and whether they lean far."""
    if columns.clusters is not None:
        units = units_of(values, columns.clusters, columns.weights)
        notes = skewed_values(units.totals, level, what="cluster totals")
        return units.totals, units.independent(error), notes
    count = _count(columns)
    notes = (*skewed_values(values, level, weights=columns.weights), *far_tails(int(count), level))
    if columns.weights is None:
        return values, count, notes
    return columns.weights * (values - np.average(values, weights=columns.weights)), count, notes


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


def _added(limits: Limits, spread: tuple[float, float, float], farther: Limits) -> Limits:
    """The limits, farther out by what others add to t's: by nothing where they are t's.

    It is added to the nearer of t's limit and these, whose scale has a skewness of its own.
    """
    mean, error, reach = spread
    below, above = mean - reach * error, mean + reach * error
    return (
        min(limits[0], max(limits[0], below) - (below - farther[0])),
        max(limits[1], min(limits[1], above) + (farther[1] - above)),
    )


def _unseen(
    spread: tuple[float, float, float],
    units: tuple[float, float],
    limits: Limits,
    possible: Limits,
    level: float,
) -> Limits:
    """The limits, as far out as losses that no item shows could move the mean, where they have an end."""
    if not np.isfinite(possible).all():
        return limits
    (mean, error, _), (n, df) = spread, units
    missing = allowed(alpha_of(level), "two-sided")
    rooms = ((mean - possible[0]) / error, (possible[1] - mean) / error)
    below, above = (float(unseen_reach(missing, room, n, df)) * error for room in rooms)
    return min(limits[0], mean - below), max(limits[1], mean + above)


def _cut(limits: Limits, ends: Limits) -> Limits:
    return max(limits[0], ends[0]), min(limits[1], ends[1])


def _count(columns: Columns) -> float:
    """How many independent units there are in effect."""
    if columns.clusters is not None:
        return float(columns.clusters.max() + 1)
    return float(columns.n) if columns.weights is None else kish(columns.weights)
