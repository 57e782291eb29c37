"""By how much one sample violates stochastic dominance over another, and resamples of it.

The violation ratio of A over B (del Barrio, Cuesta-Albertos and Matrán 2018) is the part of the
squared distance between the quantile functions on which A's lies below B's: 0 where A dominates,
1 where B does, and of B over A it is one less that.
"""

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IndexArray
from assay.core.progress import steps
from assay.core.rng import stream

BLOCK_CELLS = 2**17
"""Numbers drawn at a time."""


def violation_ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """The ratio for sorted values (..., n) and (..., m); 1/2 where both are the same.

    Both quantile functions are steps, so the integral is an exact sum over the merged steps.
    """
    if a.shape[-1] != b.shape[-1]:
        at_a, at_b, widths = _merged(a.shape[-1], b.shape[-1])
        distance = np.take(a, at_a, axis=-1) - np.take(b, at_b, axis=-1)
        squares = distance**2 * widths
    else:
        distance = a - b
        squares = distance**2
    total = squares.sum(axis=-1)
    below = np.where(distance < 0.0, squares, 0.0).sum(axis=-1)
    same = total == 0.0
    return np.asarray(np.where(same, 0.5, below / np.where(same, 1.0, total)))


def sorted_uniforms(n: int, n_resamples: int, seed: int, *path: int) -> FloatArray:
    """Rows of n sorted uniform numbers: running sums of exponentials, divided by the last."""
    rows = max(1, BLOCK_CELLS // (n + 1))
    drawn = np.empty((n_resamples, n))
    for block, start in steps("resampling", list(enumerate(range(0, n_resamples, rows)))):
        size = min(rows, n_resamples - start)
        sums = np.cumsum(stream(seed, *path, block).standard_exponential((size, n + 1)), axis=1)
        drawn[start : start + size] = sums[:, :-1] / sums[:, -1:]
    return drawn


def ratio_replicates(
    a: FloatArray, b: FloatArray, uniforms_a: FloatArray, uniforms_b: FloatArray, *, smooth: bool
) -> FloatArray:
    """The ratio on resamples of two sorted samples, drawn by the given sorted uniforms.

    ``smooth``: a resampled value comes with probability 1/(n + 1) from both samples together, so
    that samples that do not overlap are not taken as proof that none ever would.
    """
    if not smooth:
        return violation_ratio(_drawn(a, uniforms_a), _drawn(b, uniforms_b))
    joint = np.concatenate([a, b])
    order = np.argsort(joint, kind="stable")
    of_a = order < a.size
    return violation_ratio(
        _drawn_pooled(joint[order], of_a, uniforms_a),
        _drawn_pooled(joint[order], ~of_a, uniforms_b),
    )


def _drawn(values: FloatArray, uniforms: FloatArray) -> FloatArray:
    places = np.minimum((uniforms * values.size).astype(np.intp), values.size - 1)
    return np.take(values, places)


def _drawn_pooled(joint: FloatArray, own: BoolArray, uniforms: FloatArray) -> FloatArray:
    """Own values weigh 1/(n + 1) each, and every value of both samples shares another 1/(n + 1)."""
    weights = own + 1.0 / joint.size
    ends = np.cumsum(weights)
    places = np.searchsorted(ends / ends[-1], uniforms.ravel(), side="right")
    return np.take(joint, np.minimum(places, joint.size - 1)).reshape(uniforms.shape)


def _merged(n: int, m: int) -> tuple[IndexArray, IndexArray, FloatArray]:
    """For each step of both quantile functions: the value of either sample, and its length."""
    ends = np.union1d(np.arange(1, n + 1) * m, np.arange(1, m + 1) * n)
    starts = np.concatenate([[0], ends[:-1]])
    return starts // m, starts // n, (ends - starts) / (n * m)
