"""What n values cannot rule out: rare ones that none of them shows, as far away as their range goes.

Say a share p of all values lies at the end of the range and no sample holds one, which happens with
probability (1 − p)ⁿ. The mean is then off by p times the way to that end, beside the t error of the values
that were seen. A mean is ruled out where the largest probability over p, (1 − p)ⁿ P(t > …), is small. Where
one value at the end would move the mean by less than about 0.8 standard errors, that is no more than t.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.vocabulary import Alternative
from assay.kernels.special import stdtr, stdtrit

ALLOWED = 1.1
"""How often an unseen value may cost the promise, in units of α; then nothing else does."""
ONE_SIDED = 0.05
"""Intervals that leave out at most this on each side may serve one-sided questions, as at 90 %."""
FAR, FARTHER, FEW = 15.0, 5.0, 50.0
"""How far off an unseen difference of squared errors may lie, in standard deviations of those seen, if errors are
normal; and how much farther with up to so many items (decision 0240)."""
TIMES = 12.0
"""How many times as large as usual, by root mean square, unseen errors of a model may be."""
NORMAL = 2.0
"""The squared coefficient of variation of squares of normal errors; heavier tails have more."""
_MISSED = np.linspace(0.0, 16.0, 321)
"""−n log(1 − p): how many values of the rare kind are about due."""


def allowed(alpha: float, alternative: Alternative) -> float:
    """The probability with which the end on one side may miss for want of a rare value."""
    if alternative == "two-sided":
        return ALLOWED * (alpha if alpha <= ONE_SIDED else max(ONE_SIDED, alpha / 2.0))
    return ALLOWED * alpha


def unseen_square(leading: ArrayLike, other: ArrayLike, spread: Any) -> FloatArray:
    """How large unseen squared errors of the model that leads may be, by the tails that both show, row by row.

    It is counted in units of ``spread``, the standard deviation of the differences, and ends at errors `TIMES`
    the usual ones. A tail that both models show is the data's, and unseen items of it would cost both alike.
    """
    rows, beside = (np.asarray(one, dtype=np.float64) for one in (leading, other))
    tail = _tail(rows) / np.maximum(1.0, _tail(beside))
    far = normal_far(rows.shape[-1])
    most = TIMES**2 * rows.mean(axis=-1) * np.maximum(1.0, np.sqrt(tail))
    return np.asarray(np.minimum(far * np.minimum(tail, np.sqrt(tail)) * spread, most))


def normal_far(n: float) -> float:
    """How many standard deviations off an unseen difference of squares may lie where errors are normal."""
    return FAR + FARTHER * min(1.0, FEW / n)


def _tail(squares: FloatArray) -> FloatArray:
    """The squared coefficient of variation, the kurtosis of the errors less 1, over that of normal errors."""
    mean = squares.mean(axis=-1)
    ratio = squares.std(axis=-1, ddof=1) / np.where(mean > 0.0, mean, np.inf)
    return np.asarray(ratio**2 / NORMAL)


def unseen_reach(missing: float, room: Any, n: Any, df: Any = None) -> FloatArray:
    """How many standard errors a limit lies off the mean, of which the end of the range is ``room`` off.

    ``df`` are the degrees of freedom of the standard error, n - 1 unless given.
    """
    freedom = _last(n - 1.0 if df is None else df)
    return reach_beyond(missing, room, n, lambda tails: -stdtrit(freedom, tails))


def reach_beyond(
    missing: float, room: Any, n: Any, quantile: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """The same, where strays of what was seen have these upper quantiles."""
    tails = missing * np.exp(_MISSED)
    kept = tails < 1.0
    reaches = _shift(_MISSED[kept], room, n) + quantile(tails[kept])
    return np.asarray(reaches.max(axis=-1, initial=-np.inf))  # nowhere, if it may always be missing


def unseen_p(
    distance: Any, room: Any, n: Any, alternative: Alternative, df: Any = None
) -> FloatArray:
    """The p-value of a mean that lies ``distance`` standard errors off on the side of ``room``."""
    freedom = _last(n - 1.0 if df is None else df)
    return p_beyond(distance, room, n, alternative, lambda there: stdtr(freedom, -there))


def p_beyond(
    distance: Any,
    room: Any,
    n: Any,
    alternative: Alternative,
    tail: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """The same, where strays of what was seen have these upper tails."""
    there = _last(distance) - _shift(_MISSED, room, n)
    chance = (np.exp(-_MISSED) * tail(there)).max(axis=-1) / ALLOWED
    if alternative == "two-sided":
        chance = np.where(chance <= ONE_SIDED, chance, 2.0 * chance)
    return np.asarray(np.minimum(chance, 1.0))


def _shift(due: FloatArray, room: Any, n: Any) -> FloatArray:
    return np.asarray(-np.expm1(-due / _last(n)) * np.maximum(_last(room), 0.0))


def _last(values: Any) -> FloatArray:
    return np.asarray(values, np.float64)[..., None]
