"""Averages of pairs (Walsh averages) under random Dirichlet weights, without listing the pairs.

With the units sorted, the partners j for which (z_i + z_j)/2 exceeds a threshold are the last ones,
so that the weight of all such pairs follows from running sums of the weights: n products instead
of n squared. Weights are exponential numbers, not divided by their sum; what is compared is on the
scale of the squared sum. One unit more, at zero, carries the prior.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray, IndexArray
from assay.core.progress import steps
from assay.core.rng import stream
from assay.kernels.special import ndtri

BLOCK_CELLS = 2**17
BLOCK_MOST = 2048
"""Draws at a time: running sums stay in the cache, and Python's overhead is forgotten."""

LISTED = 512
"""Up to so many different values all their averages are listed; of more, every so many."""

FEW_DRAWS = 1000
"""With fewer, quantiles are located to one draw."""

TIED = 1e-12
"""Masses closer than this share of the whole are equal but for rounding."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnWeights:
    """Weights of the sorted units (rows) in many draws (columns), and of the prior's unit."""

    units: FloatArray
    sums: FloatArray  # one row more: the sums of the first 0, 1, … n units
    prior: FloatArray

    @property
    def whole(self) -> FloatArray:
        """The weight of all ordered pairs."""
        return np.asarray((self.sums[-1] + self.prior) ** 2)

    def first(self, draws: int) -> "DrawnWeights":
        """The first so many draws."""
        return DrawnWeights(
            units=np.ascontiguousarray(self.units[:, :draws]),
            sums=np.ascontiguousarray(self.sums[:, :draws]),
            prior=self.prior[:draws],
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stairs:
    """The pairs whose average lies above a threshold: for each unit, where its partners begin."""

    start: int  # the first unit above the threshold
    partners: IndexArray  # for each unit from ``start`` on, its first partner
    prior: int  # the first unit whose average with the prior's zero lies above
    own: bool  # whether zero itself does

    def mass(self, weights: DrawnWeights) -> FloatArray:
        """The weight of these pairs, in each draw."""
        sums, everything = weights.sums, weights.sums[-1]
        # each unit with the later ones of its partners, twice, and with itself: what telescopes is
        # written as a difference of squares
        partners = self.partners[: np.count_nonzero(self.partners)]  # the rest partner with all
        units = weights.units[self.start : self.start + partners.size]
        below = np.einsum("ij,ij->j", units, sums[partners])
        found = everything**2 - sums[self.start] ** 2 - 2.0 * below
        found += 2.0 * weights.prior * (everything - sums[self.prior])
        return np.asarray(found + weights.prior**2 if self.own else found)

    def expected(self, n: int, strength: float) -> float:
        """The mean share of these pairs under Dirichlet weights (strength; 1, …, 1)."""
        own = np.arange(self.start, n)
        pairs = float((2 * (own - self.partners) + 1).sum()) + float(own.size)
        pairs += 2.0 * strength * (n - self.prior)
        pairs += strength * (strength + 1.0) if self.own else 0.0
        return pairs / ((n + strength) * (n + strength + 1.0))


def stairs_above(values: FloatArray, threshold: float) -> Stairs:
    """The pairs of sorted values whose average is above ``threshold``."""
    start = int(np.searchsorted(values, threshold, side="right"))
    partners = np.searchsorted(values, 2.0 * threshold - values[start:], side="right")
    return Stairs(
        start=start,
        # a unit above the threshold is a partner of itself whatever rounding says
        partners=np.minimum(partners, np.arange(start, values.size)),
        prior=int(np.searchsorted(values, 2.0 * threshold, side="right")),
        own=threshold < 0.0,
    )


def tied_stairs(values: FloatArray, threshold: float, tolerance: float) -> tuple[Stairs, ...]:
    """The pairs above ``threshold`` without and with the ties: their mean counts ties half."""
    strict = stairs_above(values, threshold + tolerance)
    weak = stairs_above(values, threshold - tolerance)
    same = (strict.start, strict.prior, strict.own) == (weak.start, weak.prior, weak.own)
    return (strict,) if same and np.array_equal(strict.partners, weak.partners) else (strict, weak)


def weight_blocks(n: int, strength: float, n_resamples: int, seed: int) -> Iterator[DrawnWeights]:
    """Draws of weights, in blocks whose size depends on ``n`` alone, each with its own stream."""
    size = min(max(BLOCK_CELLS // n, 16), BLOCK_MOST)
    for block, start in steps("sampling", list(enumerate(range(0, n_resamples, size)))):
        yield _draw(n, strength, min(size, n_resamples - start), stream(seed, block))


def joined(blocks: Sequence[DrawnWeights]) -> DrawnWeights:
    """Several blocks as one."""
    return DrawnWeights(
        units=np.concatenate([block.units for block in blocks], axis=1),
        sums=np.concatenate([block.sums for block in blocks], axis=1),
        prior=np.concatenate([block.prior for block in blocks]),
    )


def _draw(n: int, strength: float, draws: int, rng: np.random.Generator) -> DrawnWeights:
    units = rng.standard_exponential((n, draws))
    prior = rng.standard_gamma(strength, draws)
    sums = np.empty((n + 1, draws))
    sums[0] = 0.0
    for row in range(n):  # ten times faster than cumsum down the columns
        np.add(sums[row], units[row], out=sums[row + 1])
    return DrawnWeights(units=units, sums=sums, prior=prior)


def wins(left: FloatArray, middle: FloatArray | None, right: FloatArray) -> FloatArray:
    """In how many draws each of three masses is the largest, ties shared; ``middle`` may be absent."""
    masses = np.stack([left, right] if middle is None else [left, middle, right])
    largest = masses.max(axis=0)
    first = masses >= largest - TIED * masses.sum(axis=0)
    counts = (first / first.sum(axis=0)).sum(axis=1)
    return np.insert(counts, 1, 0.0) if middle is None else np.asarray(counts)


def pseudo_median_limits(
    weights: DrawnWeights, values: FloatArray, tail: float
) -> tuple[float, float, float]:
    """Quantiles ``tail``, 1/2 and 1 - ``tail`` of the pseudo-median over the draws.

    The pseudo-median of a draw, the median of its averages of pairs, is above a threshold when the
    averages above it have more than half of the weight: so quantiles are found by thresholds, one
    for all draws, and no draw is ever sorted.
    """
    half = weights.whole / 2.0
    averages = _averages(values)
    between = (averages[1:] + averages[:-1]) / 2.0

    def at_least(place: int) -> float:
        """The share of draws whose pseudo-median is at least the average at ``place``."""
        return float((stairs_above(values, between[place - 1]).mass(weights) > half).mean())

    # the ends of the signed-rank interval are near: among n(n + 1)/2 averages it leaves out as many
    n, size = values.size, averages.size
    spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24.0) / (n * (n + 1) / 2.0)
    reach = -float(ndtri(tail)) * spread
    middle = _last_place(at_least, 0.5, (0, size), size / 2, half.size)
    guesses = (middle - reach * size, middle + reach * size)
    low = _last_place(at_least, 1.0 - tail, (0, middle + 1), guesses[0], half.size)
    high = _last_place(at_least, tail + 0.5 / half.size, (middle, size), guesses[1], half.size)
    return float(averages[low]), float(averages[middle]), float(averages[high])


def _averages(values: FloatArray) -> FloatArray:
    """All different averages of two values or a value and zero; of many values, of every so many."""
    distinct = np.unique(np.append(values, 0.0))
    step = -(-distinct.size // LISTED)
    rows, columns = np.triu_indices(-(-distinct.size // step))
    thinned = distinct[::step]
    return np.unique((thinned[rows] + thinned[columns]) / 2.0)


def _last_place(
    at_least: Callable[[int], float],
    target: float,
    bounds: tuple[int, int],
    guess: float,
    draws: int,
) -> int:
    """The last place between the bounds whose share is ``target`` or more.

    Shares fall with the place. First the guess, then a little to its other side, then interpolated
    on the normal scale and halved by turns.
    """
    (low, high), (above, below), turn = bounds, (1.0, 0.0), 0
    near = max((high - low) / 32.0, 1.0)
    wanted = guess
    # what one of few draws decides is not worth looking for
    enough = 1.5 / draws if draws < FEW_DRAWS else 0.0
    while high - low > 1 and above - below > enough:
        place = min(max(round(wanted), low + 1), high - 1)
        found = at_least(place)
        if found >= target:
            low, above = place, found
        else:
            high, below = place, found
        turn += 1
        wanted = (low + high) / 2.0
        if turn == 1:
            wanted = place + near if found >= target else place - near
        elif turn % 2 == 0:
            heights = np.clip([above, target, below], 0.5 / draws, 1.0 - 0.5 / draws)
            first, middle, last = ndtri(heights)
            if first > last:
                wanted = low + float((first - middle) / (first - last)) * (high - low)
    return low
