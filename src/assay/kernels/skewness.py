"""Student's t corrected for the skewness of what is averaged (Hall 1992): arrays in, arrays out.

With c = skewness/√n the statistic g(t) = t + c t²/3 + c² t³/27 + c/6 is nearer to t's distribution than
t itself. g rises with t and has an inverse, so that a test and an interval can be read off it alike.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray

SYMMETRIC, LEANING = 1.0, 2.0
"""√n |mean − median|/sd up to which values may well be symmetric, and from which on they are taken as skewed.
One value that dwarfs all others gives 1; both were chosen by measurement (decision 0091)."""


def lean_of(values: ArrayLike, *, guarded: bool = False) -> FloatArray:
    """C = skewness/√n of each row; 0 where nothing varies.

    ``guarded`` takes it only as far as the mean lies off the median on the same side: of symmetric
    values with heavy tails the skewness of a sample is chance.
    """
    rows = np.asarray(values, dtype=np.float64)
    n = rows.shape[-1]
    centred = rows - rows.mean(axis=-1, keepdims=True)
    largest = np.abs(centred).max(axis=-1, keepdims=True)
    scaled = centred / np.where(largest > 0.0, largest, 1.0)  # cubes of small numbers vanish
    square, cube = (scaled**2).mean(axis=-1), (scaled**3).mean(axis=-1)
    varies = square > 0.0
    spread = np.sqrt(np.where(varies, square, 1.0))
    lean = np.where(varies, cube / spread**3, 0.0) / np.sqrt(n)
    if not guarded:
        return np.asarray(lean)
    away = -np.sqrt(n) * np.median(scaled, axis=-1) / spread
    share = np.clip((np.abs(away) - SYMMETRIC) / (LEANING - SYMMETRIC), 0.0, 1.0)
    return np.asarray(np.where(np.sign(away) == np.sign(lean), share * lean, 0.0))


def corrected(t: Any, lean: Any) -> FloatArray:
    """g(t): Hall's statistic, which rises with t."""
    t, lean = np.asarray(t, np.float64), np.asarray(lean, np.float64)
    return np.asarray(t + lean * t**2 / 3.0 + lean**2 * t**3 / 27.0 + lean / 6.0)


def uncorrected(x: Any, lean: Any) -> FloatArray:
    """The t at which g(t) is x."""
    x, lean = np.asarray(x, np.float64), np.asarray(lean, np.float64)
    straight = np.abs(lean) < 1e-8
    c = np.where(straight, 1.0, lean)
    curved = 3.0 / c * (np.cbrt(1.0 + c * (x - c / 6.0)) - 1.0)
    return np.asarray(np.where(straight, x, curved))


def wider_limits(mean: Any, error: Any, reach: Any, lean: Any) -> tuple[FloatArray, FloatArray]:
    """The limits that hold both t's interval and Hall's, ``reach`` being t's quantile."""
    low = np.minimum(mean - reach * error, mean - uncorrected(reach, lean) * error)
    high = np.maximum(mean + reach * error, mean - uncorrected(-np.asarray(reach), lean) * error)
    return np.asarray(low), np.asarray(high)
