"""Student's t corrected for the skewness of what is averaged: arrays in, arrays out.

A mean whose skewness is c leans as a Poisson count of 1/c² does, and its limits are those of the count
(mid-p, quantiles of the gamma distribution with 1/c² + ½). To first order in c that is the correction of
Hall (1992), t + c t²/3 + c/6; unlike his cubic it stays near what is needed where c is large, as with a
few values that dwarf all others. The corrected statistic rises with t and has an inverse, so that a test
and an interval can be read off it alike.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.tolerances import TIE
from assay.kernels.special import gammainc, gammaincc, gammainccinv, gammaincinv, ndtr, ndtri

STRAIGHT = 0.01
"""The lean below which Hall's cubic is taken: the gamma distribution is then as good as normal."""
SHRINKS = 20.0
"""The skewness of a sample is too small on average, by about this over n in units of what one finds, and by more
where few values make it."""
FEW = 50.0
"""Values up to which skewness is doubled where the tail is on one side, and the farthest counts half where not."""


def lean_of(values: ArrayLike, *, bounded: bool = False, one_sided: bool = False) -> FloatArray:
    """How far the mean of each row leans: skewness/√n, 0 where nothing varies.

    Of ``bounded`` values it is that of the sample. That of few others is too small on average and is
    enlarged: as it is where their tail is known to lie on one side (``one_sided``); else the farthest
    may be chance, and what it adds counts half (decision 0170).
    """
    rows = np.asarray(values, dtype=np.float64)
    n = rows.shape[-1]
    if n == 0:  # no unit has a weight
        return np.zeros(rows.shape[:-1])
    centred = rows - rows.mean(axis=-1, keepdims=True)
    largest = np.abs(centred).max(axis=-1, keepdims=True)
    scaled = centred / np.where(largest > 0.0, largest, 1.0)  # cubes of small numbers vanish
    squares = scaled**2
    square, cube = squares.sum(axis=-1), (squares * scaled).sum(axis=-1)  # **3 takes long
    lean = _lean(np.zeros_like(square), square, cube, n)
    if bounded or n < 4:
        return lean
    if one_sided:
        return np.asarray(lean * (1.0 + min(1.0, FEW / n)))
    top, bottom = scaled.max(axis=-1), scaled.min(axis=-1)
    # of two that are as far off on either side, that to which the others lean, whatever was rounded
    above = np.where(np.abs(top + bottom) > TIE, top + bottom, cube) >= 0.0
    far = np.where(above, top, bottom)
    rest = _lean(-far, square - far**2, cube - far**3, n - 1)
    shared = np.where(rest * lean > 0.0, np.sign(lean) * np.minimum(abs(lean), abs(rest)), 0.0)
    alone = (lean - shared) * (1.0 - 0.5 * min(1.0, FEW / n))
    return np.asarray(shared * (1.0 + np.minimum(1.0, SHRINKS / n + 2.0 * abs(shared))) + alone)


def _lean(total: FloatArray, square: FloatArray, cube: FloatArray, n: int) -> FloatArray:
    """Skewness/√n from the sums of values, their squares and their cubes."""
    mean = total / n
    spread = square / n - mean**2
    third = cube / n - 3.0 * mean * square / n + 2.0 * mean**3
    varies = spread > 1e-12 * (square / n + mean**2)
    safe = np.where(varies, spread, 1.0)
    return np.asarray(np.where(varies, third / safe**1.5, 0.0) / np.sqrt(n))


def corrected(t: Any, lean: Any) -> FloatArray:
    """The statistic corrected for a mean that leans; it rises with t."""
    t, lean = np.asarray(t, np.float64), np.asarray(lean, np.float64)
    size, side, count = _count(lean)
    there = np.maximum(count - side * t / size, 0.0)
    above = there > count + 0.5
    tail = np.where(above, gammaincc(count + 0.5, there), gammainc(count + 0.5, there))
    curved = side * np.where(above, 1.0, -1.0) * ndtri(tail)
    cubic = t + lean * t**2 / 3.0 + lean**2 * t**3 / 27.0 + lean / 6.0
    return np.asarray(np.where(np.abs(lean) < STRAIGHT, cubic, curved))


def uncorrected(x: Any, lean: Any) -> FloatArray:
    """The t at which the corrected statistic is x."""
    x, lean = np.asarray(x, np.float64), np.asarray(lean, np.float64)
    size, side, count = _count(lean)
    below = ndtr(-np.abs(x))
    there = np.where(
        side * x < 0.0, gammainccinv(count + 0.5, below), gammaincinv(count + 0.5, below)
    )
    curved = side * (count - there) * size
    straight = np.abs(lean) < STRAIGHT
    c = np.where(straight & (np.abs(lean) > 1e-8), lean, 1.0)
    cubic = 3.0 / c * (np.cbrt(1.0 + c * (x - c / 6.0)) - 1.0)
    cubic = np.where(np.abs(lean) > 1e-8, cubic, x)
    return np.asarray(np.where(straight, cubic, curved))


def _count(lean: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The size and the side of a lean, and the Poisson count that leans as far."""
    size = np.where(np.abs(lean) < STRAIGHT, 1.0, np.abs(lean))
    return size, np.where(lean < 0.0, -1.0, 1.0), 1.0 / size**2


def wider_limits(mean: Any, error: Any, reach: Any, lean: Any) -> tuple[FloatArray, FloatArray]:
    """The limits that hold both t's interval and the corrected one, ``reach`` being t's quantile."""
    reach = np.asarray(reach)
    low = np.minimum(mean - reach * error, mean - uncorrected(reach, lean) * error)
    high = np.maximum(mean + reach * error, mean - uncorrected(-reach, lean) * error)
    return np.asarray(low), np.asarray(high)
