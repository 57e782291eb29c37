"""Means over very many items, resampled without drawing every item each time.

A resample of n items is a sum of n draws. The items that could move that sum by themselves are drawn
one by one; the sum over all others has its normal limit (decision 0190).
"""

import numpy as np

from assay.core.arrays import AnyIntArray, FloatArray
from assay.core.rng import stream
from assay.kernels.resampling import multinomial_blocks

LIGHT = 1e-3
"""An item is light if its squared distance from the mean is at most this share of the sum over all items.

The distance is that of Mahalanobis, so the share holds in every direction: whatever is made of the
means, the skewness of the light items' sum is at most 0.032 and its excess kurtosis at most 0.001.
Quantiles move by less than 9,999 resamples could show.
"""

SPREAD = 4.0
"""Light is also what lies no further out than so many times the average item."""

MOST_HEAVY = 2**12
"""With more heavy cells than this nothing is gained."""

DUST = 1e-12
"""What is left of a feature beside the others is rounding if it is smaller than this share of it."""


def resampled_means(
    features: FloatArray, counts: AnyIntArray, n_resamples: int, seed: int
) -> FloatArray | None:
    """Means of features ``(cells, q)`` in resamples ``(n_resamples, q)``; None if too many cells are heavy.

    ``counts`` says how many items each cell stands for.
    """
    n = float(counts.sum())
    centre, factor, leverage = _factored(features, counts)
    heavy = leverage > max(LIGHT, SPREAD * np.count_nonzero(factor.diagonal()) / n)
    if np.count_nonzero(heavy) > MOST_HEAVY:
        return None
    if heavy.any():
        centre, factor, _ = _factored(features[~heavy], counts[~heavy])
    means = np.empty((n_resamples, features.shape[1]))
    sizes = np.append(counts[heavy], counts[~heavy].sum())
    for block, (start, drawn) in enumerate(multinomial_blocks(sizes, n_resamples, seed)):
        light = drawn[:, -1:].astype(np.float64)
        noise = stream(seed, block, 1).standard_normal((len(drawn), len(factor)))
        sums = light * centre + np.sqrt(light) * np.einsum("bi,qi->bq", noise, factor)
        sums += np.einsum("bh,hq->bq", drawn[:, :-1], features[heavy])
        means[start : start + len(drawn)] = sums / n
    return means


def _factored(
    features: FloatArray, counts: AnyIntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean of the items, a triangular factor of their covariance, and the leverage of one item of each cell.

    By Gram and Schmidt, feature by feature: models that hardly differ keep the digits of their
    difference, which a matrix of covariances would lose. No BLAS, whose last digits depend on threads.
    """
    weights = counts / counts.sum()
    centre = (features * weights[:, None]).sum(axis=0)
    axes = np.ascontiguousarray(((features - centre) * np.sqrt(weights)[:, None]).T)
    factor = np.zeros((len(axes), len(axes)))
    for place in range(len(axes)):
        size = np.sqrt((axes[place] * axes[place]).sum())
        for earlier in range(place):
            factor[place, earlier] = (axes[earlier] * axes[place]).sum()
            axes[place] -= factor[place, earlier] * axes[earlier]
        own = np.sqrt((axes[place] * axes[place]).sum())
        if own > DUST * size:
            factor[place, place] = own
            axes[place] /= own
        else:
            axes[place] = 0.0
    return centre, factor, (axes * axes).sum(axis=0) / counts
