"""Which hypotheses about pairs of k models can be true together: partitions of the models."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray, IntArray

MOST_MODELS = 10
"""Ten models have 115,975 partitions; eleven 678,570, too many to hold against all pairs."""


@lru_cache(maxsize=4)
def partitions(k: int) -> NDArray[np.int8]:
    """Every partition of k things, one row each, as the number of the group of each thing."""
    labels = np.zeros((1, 1), dtype=np.int8)
    for _ in range(1, k):
        # a thing joins one of the groups so far, or opens the next
        choices = labels.max(axis=1).astype(np.int64) + 2
        starts = np.cumsum(choices) - choices
        joined = np.arange(choices.sum()) - np.repeat(starts, choices)
        rows = np.repeat(labels, choices, axis=0)
        labels = np.column_stack([rows, joined.astype(np.int8)])
    labels.flags.writeable = False
    return labels


def exhaustive_sets(k: int, first: IntArray, second: IntArray) -> BoolArray:
    """For each partition of k models (rows), which pairs (columns) it makes equal."""
    labels = partitions(k)
    return np.asarray(labels[:, first] == labels[:, second])


@lru_cache(maxsize=32)
def shaffer_counts(k: int) -> FloatArray:
    """For each step 1 … k(k-1)/2, the largest number of hypotheses that can still be true.

    Shaffer 1986: the numbers of true hypotheses are sums of j(j-1)/2 over the groups of equal
    models; at step i, i - 1 hypotheses are false.
    """
    possible: list[set[int]] = [{0}, {0}]
    for size in range(2, k + 1):
        possible.append(
            {j * (j - 1) // 2 + rest for j in range(1, size + 1) for rest in possible[size - j]}
        )
    counts = np.array(sorted(possible[k]))
    m = k * (k - 1) // 2
    largest_left = m - np.arange(m)
    chosen = counts[np.searchsorted(counts, largest_left, side="right") - 1].astype(np.float64)
    chosen.flags.writeable = False
    return chosen
