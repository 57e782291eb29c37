"""Exact distributions of sums of whole numbers, by convolution.

Everything added is positive, so tails keep their relative precision however small they are.
Ranks with ties become whole numbers by doubling (:func:`doubled`).
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IntArray

_GLIMPSE = 128  # sizes that show whether there may be a step at all
_FLUSH = 1e-290
"""Masses below this are dropped: numbers near underflow slow the machine down a hundredfold."""
_HALVINGS = 64
"""So many coins are counted before masses are halved once for each."""


def doubled(ranks: FloatArray) -> IntArray:
    """Midranks as whole numbers."""
    return np.rint(2.0 * ranks).astype(np.int64)


def lattice_step(sizes: FloatArray) -> float | None:
    """The largest step of which all sizes (from 0 up) are multiples, if it is not tiny beside them."""
    largest = float(sizes.max(initial=0.0))
    if not 0.0 < largest < math.inf:
        return None
    step: float | None
    if sizes.size > _GLIMPSE:
        step = lattice_step(sizes[:_GLIMPSE])
    else:
        step = float(sizes[sizes > 1e-9 * largest].min())
    for _ in range(40):
        if step is None or step <= 1e-6 * largest:
            return None
        times = np.rint(sizes / step)
        fitted = largest / round(largest / step)  # free of Euclid's rounding
        if np.abs(sizes - fitted * times).max() <= 1e-9 * largest:
            return fitted
        worst = int(np.argmax(np.abs(sizes - step * times)))
        step = _common_step(step, float(sizes[worst]), 1e-9 * largest)
    return None


def _common_step(one: float, other: float, tolerance: float) -> float:
    """Euclid's algorithm on floats."""
    while other > tolerance:
        one, other = other, abs(one - other * round(one / other))
    return one


def subset_sum_cdf(weights: ArrayLike, at: int) -> float:
    """P(Y <= at), where Y sums the weights of a subset drawn by a fair coin for each weight.

    This is the null distribution of a signed rank sum or of any sum of sign-flipped whole numbers.
    """
    whole, unit = _reduced(np.sort(np.asarray(weights, dtype=np.int64)))
    total = int(whole.sum())
    place = at // unit
    if place < 0:
        return 0.0
    if place >= total:
        return 1.0
    cdf = _subset_cdf(whole.tobytes())
    if place < cdf.size:
        return float(cdf[place])
    return 1.0 - subset_sum_cdf(whole, total - place - 1)  # Y and total - Y are alike


def subset_sum_work(weights: ArrayLike) -> float:
    """Additions that :func:`subset_sum_cdf` needs the first time."""
    whole, _ = _reduced(np.asarray(weights, dtype=np.int64))
    return float(whole.size) * float(whole.sum()) / 2.0


def choice_sum_tails(weights: ArrayLike, chosen: int, observed: int) -> tuple[float, float, float]:
    """P(X <= observed), P(X >= observed) and P(X at least as far from its mean as observed).

    X sums ``chosen`` of the weights, all choices being equally likely: the null distribution of a
    rank sum, with ties as they are.
    """
    sums, counts = _choice_counts(np.sort(np.asarray(weights, dtype=np.int64)).tobytes(), chosen)
    total = counts.sum()
    # N * sum and chosen * total weight are whole numbers: distances are compared exactly
    size, mass = np.size(weights), int(np.asarray(weights, dtype=np.int64).sum())
    distance = np.abs(size * sums - chosen * mass)
    far = distance >= abs(size * observed - chosen * mass)
    below = float(counts[sums <= observed].sum() / total)
    above = float(counts[sums >= observed].sum() / total)
    return below, above, float(counts[far].sum() / total)


def choice_sum_work(weights: ArrayLike, chosen: int) -> float:
    """Additions that :func:`choice_sum_tails` needs the first time."""
    sorted_weights = np.sort(np.asarray(weights, dtype=np.int64))
    few = min(chosen, sorted_weights.size - chosen)
    whole, _ = _reduced(sorted_weights - sorted_weights[0])
    return float(whole.size) * few * float(whole[whole.size - few :].sum())


@lru_cache(maxsize=8)
def _subset_cdf(weights: bytes) -> FloatArray:
    """P(Y <= y) for y up to half of the total."""
    whole = np.frombuffer(weights, dtype=np.int64)
    half = int(whole.sum()) // 2
    mass, with_next = np.zeros(half + 1), np.zeros(half + 1)
    mass[0] = 1.0
    end = 1
    for step, weight in enumerate(whole.tolist(), start=1):
        end = min(end + weight, half + 1)
        if weight <= half:
            with_next[:weight] = mass[:weight]
            np.add(mass[weight:end], mass[: end - weight], out=with_next[weight:end])
            mass, with_next = with_next, mass
        if step % _HALVINGS == 0:
            mass *= 0.5**_HALVINGS
            mass[mass < _FLUSH] = 0.0
    return np.cumsum(mass * 0.5 ** (whole.size % _HALVINGS))


@lru_cache(maxsize=8)
def _choice_counts(weights: bytes, chosen: int) -> tuple[IntArray, FloatArray]:
    """The sums that ``chosen`` of the weights can have, and how many choices have each."""
    whole = np.frombuffer(weights, dtype=np.int64)
    few = min(chosen, whole.size - chosen)
    least = int(whole[0])
    reduced, unit = _reduced(whole - least)
    top = int(reduced[whole.size - few :].sum())
    counts = np.zeros((few + 1, top + 1))
    counts[0, 0] = 1.0
    for weight in reduced.tolist():
        if few:
            counts[1:, weight:] += counts[:-1, : top + 1 - weight]
    sums = few * least + unit * np.arange(top + 1)
    if few != chosen:  # the weights not chosen were summed
        sums = int(whole.sum()) - sums
    held = counts[few] > 0
    return sums[held], counts[few][held]


def _reduced(weights: IntArray) -> tuple[IntArray, int]:
    """Weights divided by their greatest common divisor."""
    unit = math.gcd(*np.unique(weights).tolist()) or 1
    return weights // unit, unit
