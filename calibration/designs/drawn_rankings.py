"""Draw rankings by the thousand: item by item, or as tables of counts where scores are levels."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from assay.kernels.batched_rankings import (
    effective_items,
    placed,
    power_sums,
    precision_influence,
    ranked,
)
from assay.kernels.special import ndtr
from assay.simulate.worlds.scores import cuts, distance
from calibration.designs.cells import FloatArray

Generator = np.random.Generator
BoolArray = NDArray[np.bool_]
Two = tuple[FloatArray, FloatArray]
NUMBERS = 100_000
"""Scores ranked at a time: what fits into the cache."""
FARTHEST, NODES = 9.0, 200
"""How far out, and at how many places between two cuts, a normal density is integrated."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pair:
    """Two like models: differences of their areas and average precisions, and what they rest on."""

    area: FloatArray
    parts: Two
    """The variances from the positives and from the negatives."""
    precision: FloatArray
    powers: Two
    """Sums of squares and fourth powers of the differences of slopes."""
    example: FloatArray
    """The scores of both models in the first replicate."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """Some replicates: one model, and pairs by their correlation."""

    sizes: Two
    """Positives and negatives."""
    area: FloatArray
    parts: Two
    resting: FloatArray
    """On how many items the variance of the area rests."""
    precision: FloatArray
    powers: Two
    repeats: FloatArray
    pairs: Mapping[float, Pair]
    truth: BoolArray
    example: FloatArray
    """The truth and the scores of the first replicate."""


def drawn_items(
    rng: Generator,
    area: float,
    prevalence: float,
    n: int,
    correlations: tuple[float, ...],
    replicates: int,
) -> Iterator[Drawn]:
    """Binormal scores. All pairs share their first model and the noise of the second."""
    apart = distance(area, 0)
    for part in _positives(rng, n, prevalence, replicates, max(1, NUMBERS // n)):
        truth = np.arange(n) < part[:, None]
        first, second = rng.standard_normal((2, len(part), n))
        one = _Model(truth, first + apart * truth)
        pairs = {}
        for rho in correlations:
            noise = rho * first + np.sqrt(1.0 - rho**2) * second
            pairs[rho] = _paired(one, _Model(truth, noise + apart * truth))
        yield Drawn(
            sizes=one.sizes,
            area=one.area,
            parts=one.parts(one.placements, one.area),
            resting=effective_items(power_sums(one.weighed())),
            precision=one.precision,
            powers=power_sums(one.slopes),
            repeats=one.repeats,
            pairs=pairs,
            truth=truth[0],
            example=one.scores[0],
        )


def drawn_levels(
    rng: Generator,
    levels: int,
    area: float,
    prevalence: float,
    n: int,
    correlations: tuple[float, ...],
    replicates: int,
) -> Iterator[Drawn]:
    """The same cut into levels: how many items of a class have which levels of both models."""
    rows = max(1, NUMBERS // (2 * levels**2))
    for positives in _positives(rng, n, prevalence, replicates, rows):
        pairs, one, examples = {}, None, []
        for rho in correlations:
            chances = level_chances(area, levels, rho)
            counts = np.stack(
                [
                    rng.multinomial(size, chance.ravel()).reshape(-1, levels, levels)
                    for size, chance in zip((positives, n - positives), chances, strict=True)
                ],
                axis=1,
            )
            first, second = (_Table(counts.sum(axis=axis)) for axis in (3, 2))
            truth, scores = _expanded(counts[0])
            pairs[rho] = _paired_tables(counts, first, second, scores)
            one = one or first
            examples.append((truth, scores[0]))
        if one is None:
            raise TypeError("no correlation is asked for")
        yield Drawn(
            sizes=(one.sizes[0], one.sizes[1]),
            area=one.area,
            parts=_class_variances(one.counts, one.placements - one.area[:, None, None]),
            resting=effective_items(_weighted_powers(one.counts, one.weighed())),
            precision=one.precision,
            powers=_weighted_powers(one.counts, one.slopes),
            repeats=one.repeats,
            pairs=pairs,
            truth=examples[0][0],
            example=examples[0][1],
        )


@lru_cache(maxsize=64)
def level_chances(area: float, levels: int, rho: float) -> tuple[FloatArray, FloatArray]:
    """P(level of A, level of B) of a positive and of a negative, the highest level first."""
    apart = distance(area, levels)
    edges = np.concatenate([[-np.inf], cuts(apart, levels), [np.inf]])
    return _joint(edges - apart, rho), _joint(edges, rho)


def _joint(edges: FloatArray, rho: float) -> FloatArray:
    """Two standard normals of correlation ``rho`` between the edges; Gauss's rule over the first."""
    places, weights = np.polynomial.legendre.leggauss(NODES)
    ends = np.clip(edges, -FARTHEST, FARTHEST)
    table = np.zeros((edges.size - 1, edges.size - 1))
    for row, (low, high) in enumerate(pairwise(ends)):
        half = (high - low) / 2.0
        first = (low + high) / 2.0 + half * places
        density = np.exp(-(first**2) / 2.0) / np.sqrt(2.0 * np.pi)
        reached = ndtr((edges[:, None] - rho * first) / np.sqrt(1.0 - rho**2))
        table[row] = (np.diff(reached, axis=0) * density * weights).sum(axis=1) * half
    return np.asarray(table[::-1, ::-1] / table.sum())


def _positives(
    rng: Generator, n: int, prevalence: float, replicates: int, rows: int
) -> Iterator[NDArray[np.int64]]:
    """Numbers of positives, those with one class left out, some at a time."""
    positives = rng.binomial(n, prevalence, replicates)
    positives = positives[(positives > 0) & (positives < n)]
    for start in range(0, positives.size, rows):
        yield positives[start : start + rows]


class _Model:
    """What the rankings of a model give, in the order of the items."""

    def __init__(self, truth: BoolArray, scores: FloatArray) -> None:
        rows = ranked(truth, scores)
        self.truth, self.scores = truth, scores
        self.sizes = (rows.positives[:, 0], rows.negatives[:, 0])
        self.area, placements = placed(rows)
        self.precision, slopes, self.repeats = precision_influence(rows)
        self.placements, self.slopes = rows.in_rows(placements), rows.in_rows(slopes)

    def weighed(self) -> FloatArray:
        """What each item adds to the area."""
        sizes = np.where(self.truth, *(size[:, None] for size in self.sizes))
        return np.asarray((self.placements - self.area[:, None]) / sizes)

    def parts(self, placements: FloatArray, centre: FloatArray) -> Two:
        """The variances of the means of placements of positives and of negatives."""
        squares = (placements - centre[:, None]) ** 2
        of_positives = np.einsum("ij,ij->i", squares, self.truth)
        both = (of_positives, squares.sum(axis=1) - of_positives)
        with np.errstate(invalid="ignore", divide="ignore"):
            first, second = (
                np.where(size > 1.0, square / (size * (size - 1.0)), np.nan)
                for square, size in zip(both, self.sizes, strict=True)
            )
        return first, second


def _paired(one: _Model, other: _Model) -> Pair:
    area = one.area - other.area
    return Pair(
        area=area,
        parts=one.parts(one.placements - other.placements, area),
        precision=one.precision - other.precision,
        powers=power_sums(one.slopes - other.slopes),
        example=np.stack([one.scores[0], other.scores[0]]),
    )


class _Table:
    """The same of counts (replicates, class, level), positives and the highest level first."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self.counts = counts.astype(np.float64)
        positives, negatives = self.counts[:, 0], self.counts[:, 1]
        self.sizes = (positives.sum(axis=1), negatives.sum(axis=1))
        size, others = (one[:, None] for one in self.sizes)
        tp, fp = np.cumsum(positives, axis=1), np.cumsum(negatives, axis=1)
        above = (tp - positives / 2.0) / size
        below = 1.0 - (fp - negatives / 2.0) / others
        self.placements = np.stack([below, above], axis=1)
        self.area = (below * positives).sum(axis=1) / self.sizes[0]
        reached = np.maximum(tp + fp, 1.0)
        precision = tp / reached
        self.precision = (precision * positives).sum(axis=1) / self.sizes[0]
        gains = np.cumsum((positives / reached)[:, ::-1], axis=1)[:, ::-1]
        losses = np.cumsum((positives * precision / reached)[:, ::-1], axis=1)[:, ::-1]
        self.repeats = gains[:, 0] / self.sizes[0]
        of_positives = precision - self.precision[:, None] + gains - losses
        self.slopes = np.stack([of_positives, -losses], axis=1) / size[:, None]

    def weighed(self) -> FloatArray:
        centred = self.placements - self.area[:, None, None]
        return np.asarray(centred / np.stack(self.sizes, axis=1)[:, :, None])


def _paired_tables(
    counts: NDArray[np.int64], one: _Table, other: _Table, example: FloatArray
) -> Pair:
    area = one.area - other.area
    apart = one.placements[:, :, :, None] - other.placements[:, :, None, :]
    slopes = one.slopes[:, :, :, None] - other.slopes[:, :, None, :]
    flat = counts.reshape(*counts.shape[:2], -1).astype(np.float64)
    centred = apart.reshape(flat.shape) - area[:, None, None]
    return Pair(
        area=area,
        parts=_class_variances(flat, centred),
        precision=one.precision - other.precision,
        powers=_weighted_powers(flat, slopes.reshape(flat.shape)),
        example=example,
    )


def _class_variances(counts: FloatArray, centred: FloatArray) -> Two:
    squares, size = (counts * centred**2).sum(axis=2), counts.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(size > 1.0, squares / (size * (size - 1.0)), np.nan)
    return found[:, 0], found[:, 1]


def _weighted_powers(counts: FloatArray, slopes: FloatArray) -> Two:
    weighted = counts * slopes**2
    return weighted.sum(axis=(1, 2)), (weighted * slopes**2).sum(axis=(1, 2))


def _expanded(counts: NDArray[np.int64]) -> tuple[BoolArray, FloatArray]:
    """The truth and both models' scores of a table (class, level of A, level of B)."""
    side, first, second = (place.ravel() for place in np.indices(counts.shape))
    times = counts.ravel()
    scores = -np.stack([np.repeat(first, times), np.repeat(second, times)]).astype(np.float64)
    return np.repeat(side, times) == 0, scores
