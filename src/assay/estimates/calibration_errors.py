"""The interval of an expected calibration error in fixed bins, from the gaps of the bins."""

import math
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray

FOLDED = math.sqrt(2.0 / math.pi)
"""The mean size of a standard normal number."""


class Gaps(NamedTuple):
    """The sum of the gaps of all bins, its limits, and what noise alone would make of it."""

    value: float
    low: float
    high: float
    noise: float


def gap_limits(features: FloatArray, reach: float) -> Gaps:
    """Limits of Σ |gap| from what each item adds to each bin, ``reach`` being t's quantile.

    What is estimated is the error of the population in these bins. The sum of the sizes of n noisy
    gaps is at least that of the true ones with their signs, so value + reach · error bounds it from
    above; it is at most that of the true ones plus that of the noise, whose sizes have mean
    `FOLDED` and variance 1 − 2/π: less these it is bounded from below, and by 0.
    """
    n = len(features)
    value = float(np.abs(features.mean(axis=0)).sum())
    errors = features.std(axis=0, ddof=1) / math.sqrt(n)
    total = math.sqrt(float((errors**2).sum()))
    noise = FOLDED * float(errors.sum())
    low = value - noise - reach * math.sqrt(1.0 - FOLDED**2) * total
    return Gaps(value, max(low, 0.0), min(value + reach * total, 1.0), noise)
