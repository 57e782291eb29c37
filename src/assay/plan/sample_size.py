"""How much evidence a question needs, from the spread of the data and never from the difference seen."""

import math

from assay.core.results import Interval
from assay.kernels.special import ndtri

MOST_UNITS = 10**15
"""Beyond this the answer is the same: out of reach."""


def units_for_margin(interval: Interval, n: int, margin: float, *, power: float = 0.8) -> int:
    """Units that give ``power`` at a true difference of ``margin``, and a half-width below it.

    The standard error is read from the width of the interval, which shrinks with the square root
    of the number of units; where the interval sits plays no part.
    """
    quantile = float(ndtri((1 + interval.level) / 2))
    standard_error = interval.width / (2 * quantile)
    factor = (quantile + float(ndtri(power))) * standard_error / margin
    return math.ceil(min(n * min(factor, 1e9) ** 2, MOST_UNITS))
