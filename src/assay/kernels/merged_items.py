"""Items whose features are nearly equal, taken together: a bootstrap of fewer cells, the same to digits."""

import numpy as np

from assay.core.arrays import AnyIntArray, FloatArray, IntArray

STEPS = (256, 1024)
"""Steps of a grid over the range of each feature, tried in this order."""
LOST = 1e-4
"""The share of any feature's variance that may vanish within cells; resampling 9,999 times errs by 1e-2."""
FEWER = 8
"""Cells must be so many times fewer than items, or nothing is gained."""


def coarse_cells(
    features: FloatArray, counts: AnyIntArray
) -> tuple[FloatArray, AnyIntArray] | None:
    """Mean features of cells of nearly equal items, and how many items each has; None if that will not do.

    Every mean over items is kept exactly (but for rounding), every variance to ``LOST``.
    """
    if not np.isfinite(features).all():
        return None
    low, span = features.min(axis=0), np.ptp(features, axis=0)
    span = np.where(span > 0.0, span, 1.0)
    for steps in STEPS:
        grid = np.rint((features - low) / span * steps).astype(np.int64)
        place = _codes(grid, steps)
        _, first, cell = np.unique(place, return_index=True, return_inverse=True)
        if first.size * FEWER > len(features):
            return None
        sizes: FloatArray = np.bincount(cell, weights=counts.astype(np.float64)).astype(np.float64)
        means = _means(features, counts, cell, sizes)
        if _kept(features, counts, means, sizes):
            return means, sizes.astype(np.int64)
    return None


def _codes(grid: IntArray, steps: int) -> IntArray:
    """One number for each row of the grid: rows that differ have different ones."""
    codes = np.zeros(len(grid), np.int64)
    for column in grid.T:
        codes = np.unique(codes * (steps + 1) + column, return_inverse=True)[1]
    return codes


def _means(
    features: FloatArray, counts: AnyIntArray, cell: AnyIntArray, sizes: FloatArray
) -> FloatArray:
    sums = [np.bincount(cell, weights=counts * column) for column in features.T]
    return np.column_stack(sums) / sizes[:, None]


def _kept(features: FloatArray, counts: AnyIntArray, means: FloatArray, sizes: FloatArray) -> bool:
    """Whether the cells vary as much as the items, feature by feature."""
    total = float(sizes.sum())
    centre = sizes @ means / total
    whole = counts @ (features - centre) ** 2
    between = sizes @ (means - centre) ** 2
    return bool((whole - between <= LOST * whole).all())
