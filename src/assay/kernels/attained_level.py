"""How often a test really rejects at its null, where that can be listed: what its notes say."""

from functools import lru_cache

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.binomial import binomial_small_p
from assay.kernels.special import gammaln, ndtr, xlog1py, xlogy

LISTED = 50.0
"""The expected rarer outcome up to which a binomial test is listed: beyond it, steps are small."""
TABLES = 50_000
"""Pairs of counts up to which the test of two rates is listed."""


@lru_cache(maxsize=256)
def small_p_size(n: int, null: float, alpha: float) -> float | None:
    """How often the two-sided binomial test rejects at its null; None where counts are many."""
    if n * min(null, 1.0 - null) > LISTED:
        return None
    reach = np.arange(
        min(n, 4 * LISTED) + 1.0
    )  # the mean is LISTED at most: beyond, nothing is left
    counts = reach if null <= 0.5 else n - reach
    chance = _chances(counts, n, null)
    kept = chance > 1e-14
    p = binomial_small_p(counts[kept].astype(np.int64), n, null)
    return float(chance[kept][p <= alpha].sum())


@lru_cache(maxsize=1024)
def pooled_level(n_a: int, n_b: int, rate: float, alpha: float) -> float | None:
    """How often the two-sided pooled z test rejects two equal ``rate`` s; None where tables are many."""
    if n_a * n_b > TABLES or not 0.0 < rate < 1.0:
        return None
    rejected = _pooled_rejects(n_a, n_b, alpha)
    return float(binomial_chances(n_a, rate) @ rejected @ binomial_chances(n_b, rate))


@lru_cache(maxsize=16)
def _pooled_rejects(n_a: int, n_b: int, alpha: float) -> FloatArray:
    errors_a, errors_b = np.arange(n_a + 1.0)[:, None], np.arange(n_b + 1.0)
    pooled = (errors_a + errors_b) / (n_a + n_b)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / n_a + 1.0 / n_b))
    z = np.abs(errors_a / n_a - errors_b / n_b) / np.where(error > 0.0, error, 1.0)
    return np.asarray((error > 0.0) & (2.0 * ndtr(-z) <= alpha), dtype=np.float64)


def binomial_chances(n: int, p: float) -> FloatArray:
    """The probabilities of 0 to n."""
    return _chances(np.arange(n + 1.0), n, p)


def _chances(counts: FloatArray, n: int, p: float) -> FloatArray:
    log_ways = gammaln(n + 1.0) - gammaln(counts + 1.0) - gammaln(n - counts + 1.0)
    return np.asarray(np.exp(log_ways + xlogy(counts, p) + xlog1py(n - counts, -p)))


def effective_count(differences: FloatArray) -> FloatArray:
    """Of rows of differences: how many of them carry their sum of squares, (Σd²)²/Σd⁴.

    Under random signs of the differences the excess kurtosis of their sum is -2 over this.
    """
    sizes = np.abs(np.asarray(differences, dtype=np.float64))
    largest = sizes.max(axis=-1, keepdims=True)
    scaled = (sizes / np.where(largest > 0.0, largest, 1.0)) ** 2
    fourth = (scaled**2).sum(axis=-1)
    effective = scaled.sum(axis=-1) ** 2 / np.where(fourth > 0.0, fourth, 1.0)
    return np.asarray(np.where(fourth > 0.0, effective, sizes.shape[-1]))
