"""Differences that do not vary in the sample: what so many units cannot rule out."""

import math


def flat_limits(value: float, extent: float, units: float, reach: float) -> tuple[float, float]:
    """Limits of a difference that all units agree on, ``extent`` the largest there can be.

    A share z²/(units + z²) of units unlike those seen could pull the difference towards either end
    of [-extent, extent]. For right and wrong answers these are Tango's limits, both where no unit
    tells the models apart (value 0) and where every unit does (value 1). Of a level below a half
    the reach is negative, and the lower limit lies above a value other than 0, which is never rejected.
    """
    share = reach**2 / (units + reach**2)
    limits = value - share * (value + extent), value + share * (extent - value)
    if reach >= 0.0:
        return limits
    return limits[::-1] if value else (0.0, 0.0)


def flat_z(value: float, extent: float, units: float) -> float:
    """The reach at which :func:`flat_limits` touch 0: the statistic that they invert."""
    return math.copysign(math.sqrt(units * abs(value) / extent), value)
