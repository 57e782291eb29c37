"""Empirical likelihood of a mean, with an end of the scale among its points: arrays in, arrays out.

Points that nearly all agree say little of what was not seen. So the largest value there may be stands beside them, with
a weight and without an observation: the least favourable distribution that the points allow. The upper limit is the
largest mean over weights p of the points and the rest at the end R, with sum -2 log(n p) at most a threshold T
(Owen 1988). Where the rest is positive it is R - exp(-T/2n) times the geometric mean of R - x, else that of the
points alone. Of n equal points it is the exact binomial limit: 1 - exp(-T/2n) of the way to the end.
"""

from typing import Any

import numpy as np

from assay.core.arrays import FloatArray

STEPS = 60
"""Halvings of the logarithm of how far beyond the largest point the solution lies."""


def upper_mean(points: Any, threshold: Any, end: Any) -> FloatArray:
    """The largest mean of each row of points at these thresholds, ``end`` being the largest value there may be."""
    rows = np.atleast_2d(np.asarray(points, np.float64))
    n = rows.shape[1]
    threshold = np.broadcast_to(np.asarray(threshold, np.float64), rows.shape[:1])
    end = np.broadcast_to(np.asarray(end, np.float64), rows.shape[:1])
    gaps = end[:, None] - rows
    inside = (gaps > 0.0).all(axis=1)
    gaps = np.where(inside[:, None], gaps, 1.0)
    shrunk = np.exp(np.log(gaps).mean(axis=1) - threshold / (2.0 * n))
    rest = inside & (shrunk * (1.0 / gaps).mean(axis=1) <= 1.0)
    found = end - shrunk
    if not rest.all():
        found[~rest] = _of_points(rows[~rest], threshold[~rest])
    return np.asarray(found)


def _of_points(rows: FloatArray, threshold: FloatArray) -> FloatArray:
    """The same without the end: weights in proportion to 1 / (a - x) for the a beyond all points that meets T."""
    n = rows.shape[1]
    top = rows.max(axis=1)
    below = top[:, None] - rows
    spread = below.max(axis=1)
    scaled = below / np.where(spread > 0.0, spread, 1.0)[:, None]
    near, far = np.full(top.size, -40.0), np.full(top.size, 25.0)
    for _ in range(STEPS):
        middle = (near + far) / 2.0
        gaps = scaled + np.exp(middle)[:, None]
        reached = 2.0 * n * (np.log((1.0 / gaps).mean(axis=1)) + np.log(gaps).mean(axis=1))
        beyond = reached > threshold
        near, far = np.where(beyond, middle, near), np.where(beyond, far, middle)
    gaps = scaled + np.exp(far)[:, None]
    weights = 1.0 / gaps
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(top - (weights * below).sum(axis=1))
