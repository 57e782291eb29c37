"""Scores ranked where they lie: what an engine counts, and the areas that follow from it.

An engine cuts the range of each model's scores into bins that keep their order, and places every
item by twice the number of items of the other class on its right side, ties counting half: within
its bin by rank (exact), or as if the bin were one tie (binned). Only sums of these whole numbers
and of their products come back, so that the order of adding changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from operator import mul
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.kernels.auc import SortedScores
from assay.kernels.batched_rankings import effective_items
from assay.kernels.delong import PlacedAreas

Holding = Literal["memory", "exact", "binned"]
"""Where scores are ranked: in memory, or by the engine exactly or in bins."""
HOLDING: tuple[Holding, ...] = ("memory", "exact", "binned")

MOST_SCORES = 25_000_000
"""Scores (items times models) that are brought into memory without being asked for."""

BINS = 2**18
"""Bins of equal width over the range of the scores."""
HEAVY = 4
"""A bin with so many times its share of the items is cut again."""
MOST_PARTS = 2**20
"""Parts of one bin; so many, because half of all scores may lie in it."""
MOST_CUTS = 2
"""How often bins are cut again; a leaf is then a whole number of 58 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedColumns:
    """What is to be placed: columns by name, and the class of the truth that is positive."""

    truth: str
    positive: str | None
    scores: tuple[str, ...]
    count: str | None
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Leaves:
    """Items of each class by bin, lowest first, and whether a bin holds more than one score."""

    low: FloatArray
    positives: IntArray
    negatives: IntArray
    mixed: Any

    def sorted(self) -> SortedScores:
        """The bins as groups of tied scores, highest first: exact points of the ROC curve."""
        return SortedScores(
            thresholds=self.low[::-1],
            tp=np.cumsum(self.positives[::-1]),
            fp=np.cumsum(self.negatives[::-1]),
            order=np.zeros(0, dtype=np.intp),
            hits=np.zeros(0, dtype=np.bool_),
        )

    def sums(self) -> "dict[int, Sums]":
        """Sums of doubled placements of each class where every bin is one tie: no item is needed."""
        p, q = self.positives.tolist(), self.negatives.tolist()
        below = (2 * self.negatives.cumsum() - self.negatives).tolist()
        above = (2 * self.positives[::-1].cumsum()[::-1] - self.positives).tolist()
        return {
            side: Sums(
                items=sum(own),
                placed=(sum(map(mul, own, placed)),),
                products=((sum(times * at * at for times, at in zip(own, placed, strict=True)),),),
            )
            for side, own, placed in ((1, p, below), (0, q, above))
        }

    def resting(self) -> float:
        """On how many items, in effect, the variance of the area rests; bins are fine enough."""
        p, q = self.positives.astype(np.float64), self.negatives.astype(np.float64)
        if not p.sum() or not q.sum():
            return 0.0
        below = (q.cumsum() - q / 2.0) / q.sum()
        above = (p[::-1].cumsum()[::-1] - p / 2.0) / p.sum()
        area = float((p * below).sum() / p.sum())
        of_p, of_q = ((below - area) / p.sum()) ** 2, ((above - area) / q.sum()) ** 2
        square = (p * of_p).sum() + (q * of_q).sum()
        fourth = (p * of_p**2).sum() + (q * of_q**2).sum()
        return float(effective_items((np.array(square), np.array(fourth))))

    def hidden(self) -> tuple[float, float, float]:
        """Bounds on what ties in bins hide: of the area, and of its standard error by class.

        A pair of opposite classes in a bin counts half and may count 0 or 1; the placement of an
        item is off by at most half of the other class in its bin.
        """
        positives = list(map(int, self.positives[self.mixed]))
        negatives = list(map(int, self.negatives[self.mixed]))
        pairs = list(zip(positives, negatives, strict=True))
        p, n = int(self.positives.sum()), int(self.negatives.sum())
        if min(p, n) < 2:
            return (sum(a * b for a, b in pairs) / (2 * p * n) if p and n else 0.0), 0.0, 0.0
        return (
            sum(a * b for a, b in pairs) / (2 * p * n),
            sqrt(sum(a * b * b for a, b in pairs) / (4 * n * n * (p - 1) * p)),
            sqrt(sum(b * a * a for a, b in pairs) / (4 * p * p * (n - 1) * n)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Of one class: its items, and sums of doubled placements and of their products, exactly."""

    items: int
    placed: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]

    def mean_covariance(self, others: int) -> FloatArray:
        """The covariance of the means of placements, each entry rounded once."""
        size = len(self.placed)
        if self.items < 2 or others < 2:
            return np.full((size, size), np.nan)
        scale = 4 * others**2 * self.items**2 * (self.items - 1)
        return np.array(
            [
                [
                    (self.items * self.products[i][j] - self.placed[i] * self.placed[j]) / scale
                    for j in range(size)
                ]
                for i in range(size)
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Placed:
    """Areas of the models, and where an engine ranked them the bins it saw."""

    areas: PlacedAreas
    leaves: tuple[Leaves, ...] = ()


def placed_from(
    positives: Sums, negatives: Sums, leaves: Sequence[Leaves], *, exact: bool
) -> Placed:
    """What DeLong needs, from the sums of an engine; bounds on what bins hide where they do."""
    size = len(positives.placed)
    hidden = [(0.0, 0.0, 0.0) if exact else one.hidden() for one in leaves]
    pairs = 2 * positives.items * negatives.items
    areas = PlacedAreas(
        areas=np.array([one / pairs if pairs else np.nan for one in positives.placed]),
        of_positives=positives.mean_covariance(negatives.items),
        of_negatives=negatives.mean_covariance(positives.items),
        n_positive=positives.items,
        n_negative=negatives.items,
        resting=np.array([one.resting() for one in leaves]),
        shift=np.array([one[0] for one in hidden]),
        blur=np.array([one[1:] for one in hidden]).reshape(size, 2).T,
    )
    return Placed(areas=areas, leaves=tuple(leaves))


def parts_of_bins(counts: IntArray, mixed: Any) -> IntArray:
    """Into how many parts each bin is cut again: a power of two that grows with its items.

    A bin that holds one score only needs no cut.
    """
    share = counts * float(BINS) / max(1, int(counts.sum()))
    parts = 2 ** np.ceil(np.log2(np.maximum(share, 1.0))).astype(np.int64)
    return np.where((share > HEAVY) & mixed, np.minimum(parts, MOST_PARTS), 1)
