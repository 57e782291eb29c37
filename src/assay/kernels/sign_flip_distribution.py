"""The distribution of a sum whose terms' signs are flipped by fair coins, and its tails.

Flipping the signs of the differences of a set A is the same as asking whether the differences of A
sum to at most zero, so ``p = P(sum of a random subset of |d| <= sum of |d| over negative d)``.
Up to 30 differences all subsets are enumerated, in two halves that meet in the middle. Beyond, the
tail is counted where few subsets lie in it, convolved where the differences are multiples of one
step, and else had by inverting the moment generating function: exact but for the stated error.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray, IndexArray
from assay.core.progress import steps
from assay.core.vocabulary import Alternative
from assay.kernels.binomial import at_most
from assay.kernels.integer_sums import lattice_step, subset_sum_cdf
from assay.kernels.mgf_tail import signed_sum_tail
from assay.kernels.roots import bracketed_root
from assay.kernels.special import betaincc, betaln, gammaln, ndtri
from assay.kernels.tails import two_tails

How = Literal["count", "binomial", "convolution", "meet-in-the-middle", "inversion", "sampled"]

COUNTED = 2**20
"""Subsets counted one by one where the tail is likely to hold no more."""
GLANCED = 2**12
"""Subsets counted before it is known whether the tail holds more."""
MET = 30
"""Differences up to which two halves are enumerated and met in the middle."""
SMOOTH = 2000
"""Differences from which a bound is sought as if the tail were a smooth function of the shift."""
CONVOLVED = 3e7
"""Additions a convolution may take; beyond it inversion is as good and faster."""
_SLACK = 1e-10  # of the largest difference: sums closer than this are equal decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class TailProbability:
    """A tail probability, its logarithm (it may be below the smallest number), how it was found,
    and a bound on its relative error.
    """

    p: float
    log_p: float
    how: How
    error: float = 0.0

    @classmethod
    def of(cls, p: float, how: How) -> "TailProbability":
        return cls(p=p, log_p=math.log(p), how=how)

    @classmethod
    def of_log(cls, log_p: float, how: How, error: float = 0.0) -> "TailProbability":
        return cls(p=math.exp(log_p), log_p=log_p, how=how, error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipTest:
    """A sign-flip test: its p-value, how it was had, and the shifts that it does not reject."""

    p: float
    low: float
    high: float
    how: How
    error: float = 0.0
    log10_p: float | None = None


def exact_flips(differences: FloatArray, tail: float, alternative: Alternative) -> FlipTest | None:
    """The test over all sign patterns; ``tail`` is what the interval leaves out on each side.

    None where no exact way is cheap: heavy tails without a common step.
    """
    more, fewer = flip_tail(differences), flip_tail(-differences)
    if more is None or fewer is None:
        return None
    low: float | None = -math.inf
    above: float | None = -math.inf
    if alternative != "less":
        low = lowest_shift(differences, tail, null_accepted=more.p > tail)
    if alternative != "greater":
        above = lowest_shift(-differences, tail, null_accepted=fewer.p > tail)
    if low is None or above is None:
        return None
    sides = {"greater": more, "less": fewer}
    asked = sides.get(alternative) or min(more, fewer, key=lambda one: one.log_p)
    doubling = math.log(2.0) if alternative == "two-sided" else 0.0
    return FlipTest(
        p=two_tails(more.p, fewer.p, alternative),
        low=low,
        high=-above,
        how=asked.how,
        error=asked.error,
        log10_p=min(0.0, asked.log_p + doubling) / math.log(10.0),
    )


def sampled_flips(
    differences: FloatArray,
    tail: float,
    alternative: Alternative,
    n_resamples: int,
    rng: np.random.Generator,
) -> FlipTest:
    """The test over random sign patterns and the observed one, so that p is never 0."""
    means = sampled_subset_means(differences, n_resamples, rng)
    empty = np.isnan(means)
    lower, upper = np.where(empty, -np.inf, means), np.where(empty, np.inf, means)
    total = n_resamples + 1.0
    more = float(1 + np.count_nonzero(lower <= 0.0)) / total
    fewer = float(1 + np.count_nonzero(upper >= 0.0)) / total
    return FlipTest(
        p=two_tails(more, fewer, alternative),
        low=-math.inf if alternative == "less" else order_bound(lower, tail, total),
        high=math.inf if alternative == "greater" else -order_bound(-upper, tail, total),
        how="sampled",
    )


def flip_tail(differences: FloatArray) -> TailProbability | None:
    """P(a sign-flipped sum is at least the observed one); None where no exact way is cheap."""
    sizes = np.abs(differences[differences != 0.0])
    target = float(np.abs(differences[differences < 0.0]).sum())
    n = sizes.size
    if n == 0:
        return TailProbability.of(1.0, "count")
    slack = _SLACK * float(sizes.max())
    if sizes.min() >= sizes.max() - slack:
        heads = round(target / float(sizes.max()))
        return TailProbability(
            p=float(at_most(heads, n, 0.5)), log_p=log_coins(heads, n), how="binomial"
        )
    if n <= MET:
        return TailProbability.of(_met_in_the_middle(sizes, target + slack), "meet-in-the-middle")
    count = _count_small_subsets(
        sizes, target + slack, COUNTED if _might_be_few(sizes, target) else GLANCED
    )
    if count is not None:
        log_p = math.log(count) - n * math.log(2.0)
        return TailProbability(p=math.ldexp(float(count), -n), log_p=log_p, how="count")
    step = lattice_step(sizes)
    if step is not None and n * target / step <= CONVOLVED:
        whole = np.rint(sizes / step).astype(np.int64)
        share = subset_sum_cdf(whole, round(target / step))
        if share > 1e-280:
            return TailProbability.of(share, "convolution")
    inverted = signed_sum_tail(sizes, float(sizes.sum()) - 2.0 * target, step)
    return inverted and TailProbability.of_log(inverted[0], "inversion", inverted[1])


def lowest_shift(differences: FloatArray, alpha: float, *, null_accepted: bool) -> float | None:
    """The smallest shift not rejected against "greater" at ``alpha``; None as in :func:`flip_tail`.

    The tail grows with the shift, so there is one such bound. ``null_accepted`` says on which side of
    it the shift 0 lies, as the p-value has it.
    """
    n = differences.size
    if n <= 20:
        return order_bound(subset_means(differences), alpha, math.ldexp(1.0, n))
    if math.log(alpha) < -n * math.log(2.0):
        return -math.inf
    mean = float(differences.mean())
    error = float(np.sqrt(((differences - mean) ** 2).sum())) / n
    if error == 0.0:
        return mean

    def excess(shifts: FloatArray) -> FloatArray:
        tails = [flip_tail(_shifted(differences, shift)) for shift in shifts.ravel().tolist()]
        if any(tail is None for tail in tails):
            raise _NoExactWay
        return np.array([tail.log_p for tail in tails if tail]) - math.log(alpha)

    guess = mean + float(ndtri(min(alpha, 0.5))) * error
    try:
        bound = smooth_root(excess, guess, error) if n >= SMOOTH else None
        if bound is None:
            ends = _signs_differ(excess, guess, error)
            if ends[0] < 0.0 < ends[1]:
                ends = (ends[0], 0.0) if null_accepted else (0.0, ends[1])
            bound = float(bracketed_root(excess, ends[:1], ends[1:], max_steps=60)[0])
    except _NoExactWay:
        return None
    if null_accepted:
        return min(bound, 0.0)
    return bound if bound > 0.0 or mean < 0.0 else math.nextafter(0.0, 1.0)


class _NoExactWay(Exception):
    """Some shift of the differences has no cheap exact tail."""


def smooth_root(
    excess: Callable[[FloatArray], FloatArray], guess: float, step: float
) -> float | None:
    """The root of a function that is all but smooth, by the secant method; None if it wanders."""
    older, newer = guess, guess + 1e-3 * step
    f_older, f_newer = float(excess(np.array([older]))[0]), float(excess(np.array([newer]))[0])
    for _ in range(8):
        if f_newer == f_older:
            return None
        older, newer = newer, newer - f_newer * (newer - older) / (f_newer - f_older)
        if abs(newer - guess) > 5.0 * step:
            return None
        if abs(newer - older) <= 1e-7 * step:
            return newer
        f_older, f_newer = f_newer, float(excess(np.array([newer]))[0])
    return None


def _signs_differ(
    excess: Callable[[FloatArray], FloatArray], guess: float, step: float
) -> tuple[float, float]:
    """Ends around a guess between which a growing function changes its sign."""
    low, high = guess - 0.25 * step, guess + 0.25 * step
    while excess(np.array([low]))[0] > 0.0:
        low, step = low - step, 2.0 * step
    while excess(np.array([high]))[0] <= 0.0:
        high, step = high + step, 2.0 * step
    return low, high


def _shifted(differences: FloatArray, shift: float) -> FloatArray:
    """Differences less a shift; what is left of equal numbers is zero."""
    shifted = differences - shift
    shifted[np.abs(shifted) <= 1e-14 * np.abs(differences).max()] = 0.0
    return np.asarray(shifted)


def order_bound(means: FloatArray, alpha: float, total: float) -> float:
    """The bound from the means of subsets (one empty subset apart) of ``total`` in all.

    A shift is accepted if one more than the number of means at or below it exceeds alpha * total.
    """
    place = math.floor(alpha * total * (1.0 + 1e-12))
    if place < 1:
        return -math.inf
    return math.inf if place > means.size else float(np.partition(means, place - 1)[place - 1])


def subset_means(differences: FloatArray) -> FloatArray:
    """The means of all non-empty subsets, for up to 20 differences.

    A shift of the differences is not rejected against "greater" exactly when enough of these means
    lie at or below it (Hartigan's typical values, 1969).
    """
    sums, counts = np.zeros(1), np.zeros(1)
    for difference in differences.tolist():
        sums = np.concatenate([sums, sums + difference])
        counts = np.concatenate([counts, counts + 1.0])
    means = sums[1:] / counts[1:]
    means[np.abs(sums[1:]) <= _SLACK * np.abs(differences).max(initial=0.0)] = 0.0
    return means


def sampled_subset_means(
    differences: FloatArray, rows: int, rng: np.random.Generator
) -> FloatArray:
    """Means of random subsets (NaN for the empty one), eight coins to a random byte."""
    n = differences.size
    padded = np.zeros(8 * math.ceil(n / 8))
    padded[:n] = differences[np.argsort(np.abs(differences), kind="stable")]  # whatever their order
    present = (np.arange(padded.size) < n).astype(np.float64)
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float64)
    sums = (padded.reshape(-1, 8) @ bits.T).ravel()
    counts = (present.reshape(-1, 8) @ bits.T).ravel()
    offsets = 256 * np.arange(padded.size // 8)
    means = np.empty(rows)
    block = max(1, 2**21 // max(1, offsets.size))
    for start in steps("permuting", range(0, rows, block)):
        stop = min(start + block, rows)
        drawn = rng.integers(0, 256, size=(stop - start, offsets.size), dtype=np.uint8)
        place = drawn + offsets
        total, count = sums[place].sum(axis=1), counts[place].sum(axis=1)
        total[np.abs(total) <= _SLACK * np.abs(differences).max()] = 0.0
        means[start:stop] = np.where(count > 0, total / np.maximum(count, 1.0), np.nan)
    return means


def log_coins(heads: int, n: int) -> float:
    """The log of P(at most ``heads`` heads of n fair coins); far tails by the first terms of the sum."""
    p = 1.0 if heads >= n else float(betaincc(heads + 1.0, n - heads, 0.5))
    if p > 1e-280:
        return math.log(p)
    # P(X <= k) = P(X = k) (1 + k/(n-k+1) + …), each ratio smaller than the one before
    terms = np.cumprod((heads - np.arange(200.0)) / (n - heads + 1.0 + np.arange(200.0)))
    log_mass = -float(betaln(n - heads + 1.0, heads + 1.0)) - math.log(n + 1.0)
    return log_mass - n * math.log(2.0) + math.log1p(float(terms.sum()))


def _might_be_few(sizes: FloatArray, target: float) -> bool:
    """Whether the tail may hold few enough subsets to count, by Hoeffding's bound."""
    distance = float(sizes.sum()) - 2.0 * target
    bound = -0.5 * distance * abs(distance) / float((sizes**2).sum())
    return sizes.size * math.log(2.0) + min(0.0, bound) < math.log(COUNTED) + 14.0


def _count_small_subsets(sizes: FloatArray, limit: float, most: int) -> int | None:
    """How many subsets sum to at most ``limit``; None beyond ``most``."""
    within = sizes[sizes <= limit]
    if within.size >= most:  # each alone is such a subset
        return None
    sums = np.zeros(1)
    for size in np.sort(within).tolist():
        more = sums + size
        sums = np.concatenate([sums, more[more <= limit]])
        if sums.size > most:
            return None
    return int(sums.size)


def _met_in_the_middle(sizes: FloatArray, limit: float) -> float:
    """The share of subsets that sum to at most ``limit``, from the sums of two halves."""
    halves = []
    for part in (sizes[::2], sizes[1::2]):
        sums = np.zeros(1)
        for size in part.tolist():
            sums = np.concatenate([sums, sums + size])
        halves.append(np.sort(sums))
    below = np.searchsorted(halves[1], limit - halves[0], side="right")
    return math.ldexp(float(below.sum()), -sizes.size)


def two_by_two_tables(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """All 2 x 2 tables with the margins of a table, and the probability of each when shuffled."""
    rows, columns, n = matrix.sum(axis=1), matrix.sum(axis=0), matrix.sum()
    hits = np.arange(max(0.0, rows[1] + columns[1] - n), min(rows[1], columns[1]) + 1.0)
    tables = np.empty((hits.size, 2, 2))
    tables[:, 1, 1] = hits
    tables[:, 1, 0] = rows[1] - hits
    tables[:, 0, 1] = columns[1] - hits
    tables[:, 0, 0] = rows[0] - tables[:, 0, 1]
    logs = -gammaln(tables + 1.0).sum(axis=(1, 2))
    masses = np.exp(logs - logs.max())
    return tables, masses / masses.sum()


def fixed_margin_tables(matrix: FloatArray, size: int, rng: np.random.Generator) -> FloatArray:
    """Random tables with the margins of a table: predictions shuffled over the truth.

    Cell by cell: given what is left of its row and of the columns, a cell is hypergeometric.
    """
    rows = matrix.sum(axis=1).astype(np.int64)
    left = np.tile(matrix.sum(axis=0).astype(np.int64), (size, 1))
    tables = np.zeros((size, *matrix.shape))
    for row, total in enumerate(rows.tolist()):
        wanted = np.full(size, total, dtype=np.int64)
        others = left.sum(axis=1)
        for column in range(matrix.shape[1]):
            others -= left[:, column]
            drawn = rng.hypergeometric(left[:, column], others, wanted)
            tables[:, row, column] = drawn
            left[:, column] -= drawn
            wanted -= drawn
    return tables


def reallotments(
    joint: FloatArray, chosen: int, sample: tuple[int, np.random.Generator] | None
) -> FloatArray:
    """For each way to allot values to A and B, the shift of A that makes it as good as the observed.

    The difference of means under an allotment falls as A is shifted down, but slower than the
    observed one: from this shift on it is at least as large. NaN where the observed allotment was
    drawn again (all of them but the observed, if ``sample`` is None; else so many random ones).
    """
    n = joint.size
    if sample is None:
        listed = combinations(range(n), chosen)
        next(listed)  # the observed one, 0 … chosen - 1
        places = np.fromiter(chain.from_iterable(listed), dtype=np.intp).reshape(-1, chosen)
    else:
        places = _random_choices(n, chosen, *sample)
    observed = float(joint[:chosen].mean() - joint[chosen:].mean())
    sums = joint[places].sum(axis=1)
    kept = (places < chosen).sum(axis=1)  # of A's values, those that stay in A
    spread = 1.0 / chosen + 1.0 / (n - chosen)
    differences = sums * spread - float(joint.sum()) / (n - chosen)
    slower = 1.0 - (kept * spread - chosen / (n - chosen))
    gain = observed - differences
    gain[np.abs(gain) <= _SLACK * float(np.abs(joint).max(initial=0.0))] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(kept == chosen, np.nan, gain / slower))


def _random_choices(n: int, chosen: int, size: int, rng: np.random.Generator) -> IndexArray:
    """Random subsets of ``chosen`` of n places, a few at a time to bound the memory."""
    places = np.empty((size, chosen), dtype=np.intp)
    block = max(1, 2**21 // n)
    for start in steps("permuting", range(0, size, block)):
        keys = rng.random((min(block, size - start), n), dtype=np.float32)
        order = np.argpartition(keys, chosen - 1, axis=1)
        places[start : start + block] = order[:, :chosen]
    return places
