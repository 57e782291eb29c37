"""Many roots at once: a bracketed solver over arrays, deterministic and derivative-free."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray

_EPSILON = float(np.finfo(np.float64).eps)


def bracketed_root(
    function: Callable[[FloatArray], FloatArray],
    low: ArrayLike,
    high: ArrayLike,
    *,
    max_steps: int = 200,
) -> FloatArray:
    """Where an elementwise function changes sign between ``low`` and ``high``, to rounding.

    Chandrupatla's method (Advances in Engineering Software 28, 1997): inverse quadratic
    interpolation where it is safe, else bisection. An end that is itself a root is returned; where
    the ends have the same sign the one nearer to zero is.
    """
    older, newer = (
        np.array(end, dtype=np.float64) for end in np.broadcast_arrays(np.asarray(low), high)
    )
    f_older, f_newer = function(older), function(newer)
    step = np.full(older.shape, 0.5)
    for _ in range(max_steps):
        best = np.where(np.abs(f_older) < np.abs(f_newer), older, newer)
        width = np.abs(newer - older)
        tolerance = 2.0 * _EPSILON * np.abs(best) + np.finfo(np.float64).tiny
        settled = (width <= 2.0 * tolerance) | (f_older * f_newer >= 0.0)
        if np.all(settled):
            break
        trial = np.where(settled, best, older + step * (newer - older))
        f_trial = function(trial)
        same = np.sign(f_trial) == np.sign(f_older)
        third, f_third = np.where(same, older, newer), np.where(same, f_older, f_newer)
        opposite, f_opposite = np.where(same, newer, older), np.where(same, f_newer, f_older)
        third, f_third = np.where(settled, newer, third), np.where(settled, f_newer, f_third)
        newer = np.where(settled, newer, opposite)
        f_newer = np.where(settled, f_newer, f_opposite)
        older = np.where(settled, older, trial)
        f_older = np.where(settled, f_older, f_trial)
        step = _next_step((older, newer, third), (f_older, f_newer, f_third), tolerance)
    return np.where(np.abs(f_older) < np.abs(f_newer), older, newer)


def _next_step(
    points: tuple[FloatArray, FloatArray, FloatArray],
    values: tuple[FloatArray, FloatArray, FloatArray],
    tolerance: FloatArray,
) -> FloatArray:
    """The fraction of the bracket to go next: interpolated where three points allow it."""
    a, b, c = points
    f_a, f_b, f_c = values
    with np.errstate(all="ignore"):
        position = (a - b) / (c - b)
        share = (f_a - f_b) / (f_c - f_b)
        safe = (share**2 < position) & ((1.0 - share) ** 2 < 1.0 - position)
        interpolated = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (
            f_c - f_a
        ) * f_b / (f_c - f_b)
        nearest = np.minimum(tolerance / np.abs(b - a), 0.5)
        step = np.where(safe & np.isfinite(interpolated), interpolated, 0.5)
        return np.asarray(np.clip(np.nan_to_num(step, nan=0.5), nearest, 1.0 - nearest))
