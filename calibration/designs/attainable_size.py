"""How large the size of a valid test can be where outcomes are few: what a test is judged against.

A size of at least 3.5 % is asked for "where the discreteness of the sample space lets a valid test
reach it". One rate has a single null, so every two-tailed region of probability up to alpha is a
valid test, and the largest of them is the reach. Where the null leaves a rate open, valid means valid
at every such rate: the reach is that of the better of two exact tests, the conditional one and the
unconditional one that orders outcomes as the score test does.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from assay.kernels.special import gammaln, xlog1py, xlogy
from calibration.designs.cells import FloatArray

NEGLIGIBLE = 1e-13
"""Outcomes beyond this probability on either side are left out."""
RATES = np.concatenate([np.geomspace(1e-3, 0.05, 25), np.linspace(0.06, 1.0, 48)])
"""Rates at which an unconditional test must keep its level."""
PAIRED_MOST = 500
"""Items up to which the unconditional test is listed: beyond, outcomes are many anyway."""


def outcomes(n: int, p: float) -> tuple[FloatArray, FloatArray]:
    """The counts 0..n that matter and their binomial probabilities."""
    counts = np.arange(n + 1.0)
    log_chance = (
        gammaln(n + 1.0) - gammaln(counts + 1.0) - gammaln(n - counts + 1.0)
        + xlogy(counts, p) + xlog1py(n - counts, -p)
    )  # fmt: skip
    chance = np.exp(log_chance)
    kept = chance > NEGLIGIBLE
    return counts[kept], chance[kept] / chance[kept].sum()


def outcomes_all(n: int, p: float) -> FloatArray:
    counts, chance = outcomes(n, p)
    every = np.zeros(n + 1)
    every[counts.astype(int)] = chance
    return every


def two_tailed_reach(n: int, p: float, alpha: float) -> float:
    """The largest size up to alpha of a test that rejects few errors, or many, or both."""
    chance = outcomes_all(n, p)
    below = np.append(0.0, np.cumsum(chance))
    above = np.append(0.0, np.cumsum(chance[::-1]))
    below, above = below[below <= alpha * (1 + 1e-12)], above[above <= alpha * (1 + 1e-12)]
    place = np.searchsorted(above, alpha * (1 + 1e-12) - below, side="right") - 1
    return float((below + above[np.maximum(place, 0)]).max())


def paired_reach(n: int, share: float, alpha: float) -> float:
    """The largest size at this share of disagreements that one of the exact tests has."""
    conditional = conditional_reach(n, share, alpha)
    if n > PAIRED_MOST:
        return conditional
    sizes, chances = _signed_sizes(n)
    critical = _critical(n, alpha)
    rejected = sizes >= critical - 1e-9
    return max(conditional, float(outcomes_all(n, share) @ (chances * rejected).sum(axis=1)))


@lru_cache(maxsize=8)
def _signed_sizes(n: int) -> tuple[FloatArray, FloatArray]:
    """By disagreements (rows) and those won by A: |z| of McNemar, and the chance given the row."""
    discordant = np.arange(n + 1.0)[:, None]
    only_a = np.arange(n + 1.0)
    there = only_a <= discordant
    rest = np.maximum(discordant - only_a, 0.0)
    ways = gammaln(discordant + 1.0) - gammaln(only_a + 1.0) - gammaln(rest + 1.0)
    chances = np.where(there, np.exp(ways - discordant * np.log(2.0)), 0.0)
    sizes = np.abs(2.0 * only_a - discordant) / np.sqrt(np.maximum(discordant, 1.0))
    return np.where(there, sizes, -1.0), chances


@lru_cache(maxsize=16)
def _critical(n: int, alpha: float) -> float:
    """The smallest |z| with which the unconditional test keeps alpha at every share."""
    sizes, chances = _signed_sizes(n)
    by_share = np.stack([outcomes_all(n, min(rate, 1.0 - 1e-9)) for rate in RATES])

    def level(critical: float) -> float:
        given = (chances * (sizes >= critical - 1e-9)).sum(axis=1)
        return float((by_share @ given).max())

    return _smallest(np.unique(sizes[sizes > 0.0]), level, alpha)


def two_rates_reach(n_a: int, n_b: int, rate: float, alpha: float) -> float:
    """The size at this rate of the exact unconditional test that orders as the pooled z does."""
    z = _pooled_sizes(n_a, n_b)
    rejected = z >= _pooled_critical(n_a, n_b, alpha) - 1e-9
    return float(outcomes_all(n_a, rate) @ rejected @ outcomes_all(n_b, rate))


@lru_cache(maxsize=4)
def _pooled_sizes(n_a: int, n_b: int) -> FloatArray:
    errors_a, errors_b = np.arange(n_a + 1.0)[:, None], np.arange(n_b + 1.0)
    pooled = (errors_a + errors_b) / (n_a + n_b)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / n_a + 1.0 / n_b))
    z = np.abs(errors_a / n_a - errors_b / n_b) / np.where(error > 0.0, error, 1.0)
    return np.asarray(np.where(error > 0.0, z, -1.0))


@lru_cache(maxsize=16)
def _pooled_critical(n_a: int, n_b: int, alpha: float) -> float:
    z = _pooled_sizes(n_a, n_b)
    rates = RATES[RATES <= 0.5]
    of_a = np.stack([outcomes_all(n_a, rate) for rate in rates])
    of_b = np.stack([outcomes_all(n_b, rate) for rate in rates])

    def level(critical: float) -> float:
        rejected = (z >= critical - 1e-9).astype(np.float64)
        return float(((of_a @ rejected) * of_b).sum(axis=1).max())

    return _smallest(np.unique(np.round(z[z > 0.0], 9)), level, alpha)


def _smallest(candidates: FloatArray, level: Callable[[float], float], alpha: float) -> float:
    """The smallest critical value whose level is at most alpha; beyond all where there is none."""
    low, high = 0, candidates.size
    while low < high:
        middle = (low + high) // 2
        if level(float(candidates[middle])) <= alpha:
            high = middle
        else:
            low = middle + 1
    return float(candidates[low]) if low < candidates.size else np.inf


def conditional_reach(n: int, share: float, alpha: float) -> float:
    """The size of the exact conditional test: what a valid test surely reaches."""
    total = 0.0
    for discordant, chance in zip(*outcomes(n, share), strict=True):
        tails = 2.0 * np.cumsum(outcomes_all(int(discordant), 0.5))[: (int(discordant) + 1) // 2]
        allowed = tails[tails <= alpha]
        total += float(chance) * (float(allowed[-1]) if allowed.size else 0.0)
    return total
