"""Power of tests of ranks over data sets: Wilcoxon's signed ranks and Friedman's, by simulation.

Closed forms are approximate: the t or F test of as many data sets as the ranks are worth, 3/π of
them where differences are normal. They take over where there are too many data sets to simulate.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.rng import stream
from assay.core.vocabulary import Alternative
from assay.kernels.integer_sums import subset_sum_cdf
from assay.kernels.special import fdtrc, fdtri, ncfdtr
from assay.plan.power_means import t_power, tail_share

EFFICIENCY = 3.0 / math.pi
"""What signed ranks are worth beside the t test where differences are normal (Pitman)."""
SIMULATED_MOST = 200
"""Data sets up to which power is simulated, and the critical rank sum exact."""
_CELLS = 2**21
"""Differences drawn at once."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences:
    """How two algorithms without a difference differ from data set to data set.

    ``efficiency`` is what signed ranks are worth beside the t test, 12 sd² (∫f²)².
    """

    sd: float
    efficiency: float
    draw: Callable[[np.random.Generator, tuple[int, int]], FloatArray]


def normal_differences(sd: float) -> Differences:
    """Differences that are normal with that sd."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return sd * rng.standard_normal(shape)

    return Differences(sd=sd, efficiency=EFFICIENCY, draw=draw)


def differences_like(observed: FloatArray) -> Differences:
    """Differences like those seen, without their centre: mirrored, and smoothed by a normal kernel.

    Their centre is the one thing that is not taken from them. Silverman's bandwidth; the sum is
    shrunk so that its spread is that of the differences (Silverman & Young 1987).
    """
    centred = observed - np.median(observed)
    spread = float(np.sqrt((centred**2).mean()))
    width = 0.9 * spread * observed.size**-0.2
    shrink = spread / math.hypot(spread, width)
    mirrored = shrink * np.concatenate([centred, -centred])
    apart = (mirrored[:, None] - mirrored[None, :]) / (2.0 * shrink * width)
    density = float(np.exp(-(apart**2)).mean()) / (2.0 * math.sqrt(math.pi) * shrink * width)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        noise = shrink * width * rng.standard_normal(shape)
        return np.asarray(rng.choice(mirrored, size=shape) + noise)

    return Differences(sd=spread, efficiency=12.0 * (spread * density) ** 2, draw=draw)


def wilcoxon_closed_power(
    n: float, effect: float, alpha: float, side: Alternative, efficiency: float = EFFICIENCY
) -> float:
    """The t test on ``efficiency`` n data sets at the level that the ranks of n really attain.

    ``effect`` is the mean difference over its sd. Within 0.02 of the truth from 9 data sets on at 5 %.
    """
    tail = tail_share(alpha, side)
    attained = _attained(round(n), tail) / tail * alpha if n <= SIMULATED_MOST else alpha
    units = n * efficiency
    if attained == 0.0 or units <= 1.0:
        return 0.0
    return t_power(effect * math.sqrt(units), units - 1.0, attained, side)


def wilcoxon_simulated_power(
    n: int,
    difference: float,
    differences: Differences,
    alpha: float,
    side: Alternative,
    *,
    n_resamples: int,
    seed: int,
) -> float:
    """The share of simulated studies of n data sets whose exact test rejects."""
    critical = critical_rank_sum(n, tail_share(alpha, side))
    if critical < 0:
        return 0.0
    total = n * (n + 1) // 2
    rejected = 0
    for block, size in _blocks(n_resamples, n):
        values = differences.draw(stream(seed, n, block), (size, n)) + difference
        ranks = np.abs(values).argsort(axis=1).argsort(axis=1) + 1
        plus = np.where(values > 0.0, ranks, 0).sum(axis=1)
        far = np.zeros(size, dtype=bool)
        if side != "less":
            far |= plus >= total - critical
        if side != "greater":
            far |= plus <= critical
        rejected += int(far.sum())
    return rejected / n_resamples


@lru_cache(maxsize=512)
def critical_rank_sum(n: int, tail: float) -> int:
    """The largest rank sum of n differences whose lower tail is at most ``tail``; -1 if none is."""
    ranks = np.arange(1, n + 1)
    low, high = -1, n * (n + 1) // 4
    while low < high:
        middle = (low + high + 1) // 2
        if subset_sum_cdf(ranks, middle) <= tail:
            low = middle
        else:
            high = middle - 1
    return low


def friedman_closed_power(n: float, k: int, effect: float, alpha: float) -> float:
    """The noncentral F of Friedman's ranks where scores are normal.

    ``effect`` is the difference between the best and the worst of k models over the sd of a
    difference between two; the others lie midway. Ranks are worth 3k/(π(k + 1)) of the scores.
    """
    noncentrality = n * effect**2 * EFFICIENCY * k / (k + 1)
    df1, df2 = k - 1.0, (k - 1.0) * (n - 1.0)
    critical = float(fdtri(df1, df2, 1.0 - alpha))
    return float(1.0 - ncfdtr(df1, df2, noncentrality, critical))  # never small: no digits lost


def friedman_simulated_power(
    n: int, k: int, effect: float, alpha: float, *, n_resamples: int, seed: int
) -> float:
    """The share of simulated studies in which Iman and Davenport's F rejects, scores normal."""
    shifts = np.zeros(k)
    shifts[0], shifts[-1] = effect / math.sqrt(2.0), -effect / math.sqrt(2.0)
    # scores have sd 1, their differences sqrt(2): the extremes are sqrt(2) effect apart
    df1, df2 = k - 1.0, (k - 1.0) * (n - 1.0)
    rejected = 0
    for block, size in _blocks(n_resamples, n * k):
        scores = stream(seed, n, block).standard_normal((k, size, n)) + shifts[:, None, None]
        sums = _rank_sums(scores)
        chi2 = 12.0 / (n * k * (k + 1)) * (sums**2).sum(axis=0) - 3.0 * n * (k + 1)
        rest = n * (k - 1.0) - chi2
        with np.errstate(divide="ignore"):  # all blocks agree: F is infinite
            f = np.where(rest > 1e-9, (n - 1.0) * chi2 / np.maximum(rest, 1e-9), np.inf)
        agreed = math.factorial(k) ** (1.0 - n)
        p = np.where(np.isinf(f), agreed, fdtrc(df1, df2, np.where(np.isinf(f), 1.0, f)))
        rejected += int((p <= alpha).sum())
    return rejected / n_resamples


def _attained(n: int, tail: float) -> float:
    """The tail that the exact test of n differences really has."""
    critical = critical_rank_sum(n, tail)
    return 0.0 if critical < 0 else subset_sum_cdf(np.arange(1, n + 1), critical)


def _rank_sums(scores: FloatArray) -> FloatArray:
    """The rank sums of models (first axis) over data sets (last), by who beats whom."""
    models, studies, n = scores.shape
    sums = np.full((models, studies), float(n))
    for a, b in combinations(range(models), 2):
        wins = (scores[a] > scores[b]).sum(axis=1)
        sums[a] += wins
        sums[b] += n - wins
    return sums


def _blocks(studies: int, cells: int) -> list[tuple[int, int]]:
    """The studies cut into blocks of a fixed number of cells: (number of the block, studies)."""
    size = max(1, _CELLS // cells)
    starts = range(0, studies, size)
    return [(block, min(size, studies - start)) for block, start in enumerate(starts)]
