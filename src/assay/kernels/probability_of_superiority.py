"""How often a value of A exceeds one of B, over one or several tasks, and what it could be.

P(A > B) + P(A = B)/2 is the area under the ROC curve of A's values against B's; over tasks it is
the mean of the tasks' areas.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.delong import delong_covariance
from assay.kernels.ranks import round_values
from assay.kernels.roots import bracketed_root

Task = tuple[FloatArray, FloatArray]
"""The values of A and of B in one task."""

PRIOR_ITEMS = 12.0
"""What the variance of the area alone counts for against DeLong's, as in `auc_score`."""

_DUST = 1e-14  # sums of placements that cancel leave this much


class Superiority(NamedTuple):
    """The mean over tasks of P(A > B), DeLong's variance of it and the sizes it rests on."""

    value: float
    variance: float
    """NaN where a task has one value of A or of B only."""
    sizes: tuple[tuple[int, int], ...]

    @property
    def df(self) -> int:
        return sum(n_a + n_b - 2 for n_a, n_b in self.sizes)

    @property
    def varies(self) -> bool:
        return self.variance > _DUST


def superiority(tasks: Sequence[Task]) -> Superiority:
    """Equal decimals are ties and count half."""
    areas, variances = [], []
    for a, b in tasks:
        joint = round_values(np.concatenate([a, b]))
        area, covariance = delong_covariance(np.repeat([True, False], [a.size, b.size]), joint)
        areas.append(float(area[0]))
        variances.append(float(covariance[0, 0]))
    return Superiority(
        value=float(np.mean(areas)),
        variance=float(np.sum(variances)) / len(areas) ** 2,
        sizes=tuple((a.size, b.size) for a, b in tasks),
    )


def superiority_limits(found: Superiority, reach: float) -> tuple[float, float]:
    """The probabilities P with (value - P)² = reach² ratio V(P): defined at 0 and 1 as well.

    V is Newcombe's (2006) variance of areas of these sizes; the ratio of DeLong's to it is weighed
    as k values of the smaller sides against `PRIOR_ITEMS`.
    """
    smaller = float(sum(min(pair) for pair in found.sizes))
    ratio = 1.0
    alone = float(_variance(np.array(found.value), found.sizes))
    if found.varies and alone > 0.0:
        ratio = (smaller * found.variance / alone + PRIOR_ITEMS) / (smaller + PRIOR_ITEMS)

    def outside(candidate: FloatArray) -> FloatArray:
        variance = _variance(candidate, found.sizes)
        return np.asarray((found.value - candidate) ** 2 - reach**2 * ratio * variance)

    # a hair off the value, which at 0 and 1 is a root itself
    low, high = 0.0, 1.0
    if found.value > 0.0:
        low = float(bracketed_root(outside, 0.0, found.value - 1e-12))
    if found.value < 1.0:
        high = float(bracketed_root(outside, found.value + 1e-12, 1.0))
    return min(low, found.value), max(high, found.value)


def _variance(area: FloatArray, sizes: Sequence[tuple[int, int]]) -> FloatArray:
    """Hanley and McNeil's variance, both sizes replaced by their mean, of a mean over tasks."""
    total = np.zeros_like(area)
    for n_a, n_b in sizes:
        more = (n_a + n_b) / 2.0 - 1.0
        growth = 1.0 + more * ((1.0 - area) / (2.0 - area) + area / (1.0 + area))
        total = total + area * (1.0 - area) * growth / (n_a * n_b)
    return np.asarray(total / len(sizes) ** 2)
