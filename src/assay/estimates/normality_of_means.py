"""Whether a mean of so many values is near enough to normal for its t interval."""

import math

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.notes import Note, note
from assay.kernels.attained_level import effective_count
from assay.kernels.binomial import mid_p_limits
from assay.kernels.effective_size import kish
from assay.kernels.tails import tail_of

COCHRAN, COCHRAN_FAR = 25.0, 150.0
"""Values needed for a near normal mean, in units of their squared skewness (Cochran 1977); from
`FAR_LEVEL` on many more, as measured in calibration."""
TAILED = 8.0
"""The kurtosis above which tails are called heavy; exponential values have 9."""
FEW_VALUES, FAR_LEVEL = 20, 0.98
"""Values below which, and the level from which on, t limits of values that are not normal miss."""


def far_tails(n: int, level: float) -> tuple[Note, ...]:
    """A note where t limits of few values reach into tails that only normal values have."""
    if n >= FEW_VALUES or level < FAR_LEVEL:
        return ()
    why = "t limits lean on normality far into the tails, and may cover a little less than stated"
    return (note("few-for-the-level", n=n, level=level, why=why),)


def cochran(level: float) -> float:
    """Values needed for a near normal mean, in units of their squared skewness, at this level."""
    return COCHRAN if level < FAR_LEVEL else COCHRAN_FAR


def skewed_values(
    values: FloatArray, level: float, *, weights: FloatArray | None = None, what: str = "values"
) -> tuple[Note, ...]:
    """A note where a mean of so many values is not near normal: n < 25 skewness² (Cochran 1977).

    With importance weights the skewness is theirs too, and n the effective number.
    """
    centred = values - np.average(values, weights=weights)
    centred = centred / max(float(np.abs(centred).max(initial=0.0)), np.finfo(np.float64).tiny)
    squares = centred**2
    square, cube = (float(np.average(one, weights=weights)) for one in (squares, squares * centred))
    if square <= 0.0:
        return ()
    skewness = cube / square**1.5
    n = values.size if weights is None else int(kish(weights))
    needed = math.ceil(cochran(level) * skewness**2)
    if abs(skewness) <= 1.0 or n >= needed:
        return ()
    return (note("skewed-values", n=n, what=what, skewness=skewness, needed=needed),)


def heavy_tails(differences: FloatArray, measure: str) -> tuple[Note, ...]:
    """A note where so few differences carry the spread that rarer and larger ones may be unseen.

    Found in simulation: intervals hold from about twice as many items as the kurtosis on.
    """
    n = differences.size
    kurtosis = n / float(effective_count(differences - differences.mean()))
    if kurtosis <= TAILED or n >= 4.0 * kurtosis:
        return ()
    needed = math.ceil(4.0 * kurtosis)
    return (note("heavy-tails", measure=measure, n=n, kurtosis=kurtosis, needed=needed),)


def unlike_items(
    value: float, low: float, high: float, units: float, level: float
) -> tuple[float, float]:
    """What n equal values cannot rule out: a share of others, as far away as the range goes."""
    share = float(mid_p_limits(0, max(1, int(units)), tail_of(level, "two-sided"), guarded=True)[1])
    below = share * (value - low) if value > low else 0.0
    above = share * (high - value) if value < high else 0.0
    return value - below, value + above
