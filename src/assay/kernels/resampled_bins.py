"""Gaps of calibration in bins of equal mass, resampled without drawing every one of very many items.

In a resample of n sorted items the edges of the bins are order statistics of n uniform numbers, which are drawn
at once. Between two edges the resampled items are independent draws of the items there: how many of them
happened is binomial, and the sum of their confidences has its normal limit (decision 0218).
"""

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray, IndexArray, IntArray
from assay.core.rng import stream

LEAST_ITEMS = 4_000
"""Items in a bin from which the sum of their confidences is taken as normal."""
LARGEST_GROUP = 0.25
"""Equally confident items, as a share of a bin, that may move its edge."""


@dataclass(frozen=True, slots=True, eq=False)
class SortedItems:
    """Items in the order of their confidence, as sums over all that stand before each place."""

    begins: IndexArray
    """From each place on, where the next group of equally confident items begins."""
    happened: FloatArray
    """How many of the items before each place happened."""
    sums: FloatArray
    """Of the confidences before each place, and of their squares: ``(not or happened, power, place)``."""

    @classmethod
    def of(cls, outcome: FloatArray, confidence: FloatArray, begins: IndexArray) -> "SortedItems":
        parts = [np.where(outcome == kind, confidence, 0.0) for kind in (0.0, 1.0)]
        sums = np.zeros((2, 2, outcome.size + 1))
        np.cumsum([(part, part**2) for part in parts], axis=-1, out=sums[..., 1:])
        return cls(begins, np.append(0.0, np.cumsum(outcome)), sums)


def resampled_gaps(
    items: SortedItems, edges: IntArray, n_resamples: int, seed: int
) -> tuple[FloatArray, FloatArray] | None:
    """Observed minus predicted, added up by bin, and the items of each: ``(n_resamples, bins)``.

    ``edges`` are the items before each bin but the first. None where bins are small, or cut by many ties.
    """
    n = items.begins.size - 1
    least = int(np.diff(edges, prepend=0, append=n).min())
    groups = np.diff(np.unique(items.begins), prepend=0)
    if least < LEAST_ITEMS or groups.max(initial=0) > LARGEST_GROUP * least:
        return None
    rng = stream(seed, 0, 2)
    starts, sizes = _bins(items.begins, edges, n_resamples, rng)
    there = np.maximum(starts[:, 1:] - starts[:, :-1], 1)
    share = np.diff(items.happened[starts], axis=1) / there
    happened = rng.binomial(sizes, share)
    counts = np.stack([sizes - happened, happened])
    found = np.stack([there * (1.0 - share), there * share])
    first, second = np.moveaxis(np.diff(items.sums[..., starts], axis=-1), 1, 0) / np.maximum(
        found, 1.0
    )
    spread = np.sqrt((counts * np.maximum(second - first**2, 0.0)).sum(axis=0))
    predicted = (counts * first).sum(axis=0) + spread * rng.standard_normal(sizes.shape)
    return happened - predicted, sizes.astype(np.float64)


def _bins(
    begins: IndexArray, edges: IntArray, n_resamples: int, rng: np.random.Generator
) -> tuple[IndexArray, IntArray]:
    """Where bins begin in each resample, and how many resampled items each holds."""
    n = begins.size - 1
    parts = rng.standard_gamma(
        np.diff(edges, prepend=0, append=n + 1), (n_resamples, edges.size + 1)
    )
    reached = np.cumsum(parts, axis=1)
    edge = reached[:, :-1] / reached[:, -1:]
    first = np.minimum((edge * n).astype(np.intp) + 1, n)
    inner = begins[first]
    # resampled items between an edge and the bin that begins after it stay in the bin before
    rest = np.diff(edges, append=n) - 1
    room = np.diff(edge, axis=1, append=1.0)
    kept = rng.binomial(rest, np.clip((inner / n - edge) / room, 0.0, 1.0))
    ends = np.zeros((n_resamples, 1), np.int64)
    starts = np.hstack([ends, inner, ends + n])
    return starts, np.diff(np.hstack([ends, edges + kept, ends + n]), axis=1)
