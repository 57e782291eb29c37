"""Whether a mean of so many values is near enough to normal for its t interval."""

import math

from assay.core.checks import FloatArray
from assay.core.notes import Note, note

COCHRAN, COCHRAN_FAR = 25.0, 150.0
"""Values needed for a near normal mean, in units of their squared skewness (Cochran 1977); from
`FAR_LEVEL` on many more, as measured in calibration."""
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


def skewed_values(values: FloatArray, level: float) -> tuple[Note, ...]:
    """A note where a mean of so many values is not near normal: n < 25 skewness² (Cochran 1977)."""
    centred = values - values.mean()
    skewness = float((centred**3).mean() / (centred**2).mean() ** 1.5)
    needed = math.ceil(cochran(level) * skewness**2)
    if abs(skewness) <= 1.0 or values.size >= needed:
        return ()
    return (note("skewed-values", n=values.size, skewness=skewness, needed=needed),)
