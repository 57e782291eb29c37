"""How far blocks agree on the order of k models: Friedman's statistic, Kendall's W, exact tails.

Everything starts from ``centred``: one row per block, ranks (or scores) minus their mean in the
block. Blocks that score all models alike are rows of zeros.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IntArray
from assay.core.rng import stream

N_RESAMPLES = 1999
SEED = 2006
"""Fixed, so that an effect without randomness of its own has an interval without any."""
_BLOCKS_RESAMPLED = 1000
"""With more blocks the resampled rank sums are normal to many digits, and drawn as such."""
_CELLS_AT_ONCE = 2**16


def chi_square(centred: FloatArray) -> float | None:
    """Friedman's statistic corrected for ties, or Cochran's Q; None where nothing varies."""
    spread = float(np.einsum("ij,ij->", centred, centred))  # no BLAS: its sums depend on threads
    if spread == 0.0:
        return None
    totals = np.einsum("ij->j", centred)
    return float((centred.shape[1] - 1) * (totals**2).sum() / spread)


def kendall_w(centred: FloatArray) -> float | None:
    """Kendall's coefficient of concordance corrected for ties, between 0 and 1."""
    statistic = chi_square(centred)
    if statistic is None:
        return None
    n, k = centred.shape
    return float(min(statistic / (n * (k - 1)), 1.0))


def kendall_w_limits(centred: FloatArray, level: float) -> tuple[float, float]:
    """Percentile bootstrap limits of the concordance in the population of blocks.

    A resampled block meets itself, which raises W* by about 1/n whatever the truth (the plain
    percentile interval covers a true 0 almost never). Those meetings are left out: W* is the mean
    correlation of *different* blocks. And n blocks cannot rule out that a share
    1 - (alpha/2)^(1/n) of all blocks is unlike any of them, which bounds both limits: a share s of
    blocks of one order among random ones has concordance s².
    """
    n = centred.shape[0]
    value = kendall_w(centred) or 0.0
    replicates = _different_blocks(centred)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(replicates, tails) if replicates.size else (0.0, 1.0)
    seen = ((1 - level) / 2) ** (1 / n)
    low = min(max(float(low), 0.0), seen**2, value)
    return low, min(max(float(high), (1 - seen) ** 2, value), 1.0)


def _different_blocks(centred: FloatArray) -> FloatArray:
    """Mean correlation of different blocks in each bootstrap sample."""
    n = centred.shape[0]
    squares = np.einsum("ij,ij->i", centred, centred)
    if n > _BLOCKS_RESAMPLED:
        sums, spread = _normal_sums(centred, squares)
        repeats = np.full(N_RESAMPLES, 2.0 * n - 1.0)  # the mean of the summed squared counts
        own = repeats / n * spread
    else:
        joined, twice = _resampled(np.column_stack([centred, squares, np.ones(n)]))
        sums, spread = joined[:, :-2], joined[:, -2]
        own, repeats = twice.T
    meetings = n * n - repeats
    usable = (meetings > 0) & (spread > 0)
    total = (sums**2).sum(axis=1) - own
    return np.asarray(total[usable] / (meetings[usable] * spread[usable] / n))


def _resampled(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sums over each bootstrap sample: by counts, and of the last two columns by squared counts."""
    n, wanted = columns.shape
    joined, twice = np.empty((N_RESAMPLES, wanted)), np.empty((N_RESAMPLES, 2))
    for part in _parts(n):
        counts = _counts(n)[part].astype(np.float64)
        np.matmul(counts, columns, out=joined[part])
        counts *= counts
        np.matmul(counts, columns[:, -2:], out=twice[part])
    return joined, twice


@lru_cache(maxsize=2)
def _counts(n: int) -> NDArray[np.uint16]:
    """How often each of n blocks is drawn, one row per bootstrap sample."""
    counts, rng = np.empty((N_RESAMPLES, n), dtype=np.uint16), stream(SEED)
    for part in _parts(n):
        rows = len(counts[part])
        drawn = rng.integers(n, size=(rows, n), dtype=np.int32) + n * np.arange(rows)[:, None]
        counts[part] = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
    return counts


def _parts(n: int) -> Iterator[slice]:
    """Bootstrap samples of n blocks, as many at a time as stay in the cache."""
    step = max(1, _CELLS_AT_ONCE // n)
    return (slice(start, start + step) for start in range(0, N_RESAMPLES, step))


def _normal_sums(centred: FloatArray, squares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Resampled column sums and sums of squares, drawn from their normal limit."""
    n = centred.shape[0]
    columns = np.empty((n, centred.shape[1] + 1))  # column_stack goes row by row
    columns[:, :-1], columns[:, -1] = centred, squares
    mean = np.einsum("ij->j", columns) / n
    columns -= mean
    values, vectors = np.linalg.eigh(columns.T @ columns / n)
    scales = np.sqrt(np.maximum(values, 0.0))
    draws = stream(SEED).standard_normal((N_RESAMPLES, mean.size))
    sums = n * mean + np.sqrt(n) * (draws * scales) @ vectors.T
    return sums[:, :-1], np.maximum(sums[:, -1], 0.0)


def rows_agree(centred: FloatArray) -> bool:
    """Whether every block gives the same, varying ranks."""
    return bool(np.ptp(centred[0]) > 0 and (centred == centred[0]).all())


def agreement_p(row: NDArray[Any], n: int) -> float:
    """The chance that n random orders of one row of ranks, ties kept, are all the same."""
    return float(1 / _arrangements(row)) ** (n - 1)


def exact_tail(ranks: FloatArray, budget: int) -> float | None:
    """P(rank sums spread at least as far), the ranks of every block permuted at random.

    Blocks are added one by one. Their law does not depend on the names of the models, so rank sums
    are kept in sorted order; None where more than ``budget`` sums would have to be formed.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    rows = np.sort(doubled[np.ptp(doubled, axis=1) > 0], axis=1)
    n, k = rows.shape
    if n == 0:
        return None
    base = int(rows.sum(axis=1).max()) * n + 1
    if base ** (k - 1) >= 2**62:
        return None
    weights = base ** np.arange(k - 1, dtype=np.int64)
    sums: IntArray = rows[:1]
    chances: FloatArray = np.ones(1)
    for row in rows[1:]:
        budget -= sums.shape[0] * _arrangements(row)
        if budget < 0:
            return None
        orders = _orders(row)
        added = np.sort((sums[:, None, :] + orders[None]).reshape(-1, k), axis=1)
        shares = np.repeat(chances / len(orders), len(orders))
        _, first, place = np.unique(added[:, :-1] @ weights, return_index=True, return_inverse=True)
        sums = added[first]
        chances = np.bincount(place, weights=shares).astype(np.float64)
    # spreads about the mean rank sum, times k to stay whole; blocks without information add alike
    spread = ((k * sums - rows.sum()) ** 2).sum(axis=1)
    observed = int(((k * doubled.sum(axis=0) - doubled.sum()) ** 2).sum())
    return float(min(chances[spread >= observed].sum(), 1.0))


def _arrangements(row: NDArray[Any]) -> int:
    """How many different orders a row with ties has."""
    ties = np.unique(row, return_counts=True)[1].tolist()
    return factorial(row.size) // prod(factorial(count) for count in ties)


def _orders(row: IntArray) -> IntArray:
    return np.array(sorted(set(permutations(row.tolist()))), dtype=np.int64)
