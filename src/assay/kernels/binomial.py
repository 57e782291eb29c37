"""Limits of a binomial proportion and its exact two-sided test, for arrays of counts.

``k`` of ``n``; ``tail`` is the probability left out on each side that has a limit and ``z`` the
normal quantile that leaves it out. Every function returns floats or arrays as its input is.
"""

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IntArray
from assay.core.errors import NotApplicable
from assay.kernels.roots import bracketed_root
from assay.kernels.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    expit,
    logit,
)
from assay.kernels.tails import alpha_of

Limits = tuple[FloatArray, FloatArray]

MOST_PIECES, MOST_IN_THE_MIDDLE = 60_000, 30_000
"""Pieces of a p-value that are looked through, which 10^10 items have at 95 %, and where half of all outcomes lie
beyond: each takes several times as long there."""
SLACK = 1e-7
"""Outcomes whose probabilities differ by less than this ratio count as equally likely, as in R."""


def at_least(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> FloatArray:
    """P(X >= k) of a binomial count X."""
    k, n, p = broadcast_floats(k, n, p)
    inside = betainc(np.clip(k, 1.0, n), np.maximum(n - k + 1.0, 1.0), p)
    return np.where(k <= 0.0, 1.0, np.where(k > n, 0.0, inside))


def at_most(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> FloatArray:
    """P(X <= k) of a binomial count X."""
    k, n, p = broadcast_floats(k, n, p)
    inside = betaincc(np.maximum(k + 1.0, 1.0), np.clip(n - k, 1.0, None), p)
    return np.where(k < 0.0, 0.0, np.where(k >= n, 1.0, inside))


def wald_limits(k: ArrayLike, n: ArrayLike, z: float) -> Limits:
    """Estimate ± z sqrt(p(1-p)/n); not cut to [0, 1], of zero width at k = 0 and k = n."""
    k, n = broadcast_floats(k, n)
    p = k / n
    half = z * np.sqrt(p * (1.0 - p) / n)
    return p - half, p + half


def wilson_limits(k: ArrayLike, n: ArrayLike, z: float) -> Limits:
    """The roots of (p̂ - p)² = z² p(1-p)/n, each written without cancellation."""
    k, n = broadcast_floats(k, n)
    rest, half = n - k, z * z / 2.0
    root = z * np.sqrt(k * rest / n + half / 2.0)
    if z <= 0.0:  # one limit of a level below a half: nothing cancels
        return (k + half - root) / (n + 2.0 * half), (k + half + root) / (n + 2.0 * half)
    low = k * k / n / (k + half + root)
    few = (k + half + root) / (
        n + 2.0 * half
    )  # of a billion items; taken from 1 its digits were lost
    return low, np.where(k < rest, few, 1.0 - rest * rest / n / (rest + half + root))


def wilson_cc_limits(k: ArrayLike, n: ArrayLike, z: float) -> Limits:
    """Wilson with continuity correction: Newcombe (1998), method 4."""
    k, n = broadcast_floats(k, n)
    p, square = k / n, z * z
    # the ends k = 0 and k = n are set below; the roots are kept real there
    under = np.maximum(square - 2.0 - 1.0 / n + 4.0 * p * (n - k + 1.0), 0.0)
    over = np.maximum(square + 2.0 - 1.0 / n + 4.0 * p * (n - k - 1.0), 0.0)
    low = (2.0 * k + square - 1.0 - z * np.sqrt(under)) / (2.0 * (n + square))
    high = (2.0 * k + square + 1.0 + z * np.sqrt(over)) / (2.0 * (n + square))
    return np.where(k == 0, 0.0, np.maximum(low, 0.0)), np.where(k == n, 1.0, np.minimum(high, 1.0))


def agresti_coull_limits(k: ArrayLike, n: ArrayLike, z: float) -> Limits:
    """Wald's formula at Wilson's centre and n + z² items; not cut to [0, 1]."""
    k, n = broadcast_floats(k, n)
    return wald_limits(k + z * z / 2.0, n + z * z, z)


def clopper_pearson_limits(k: ArrayLike, n: ArrayLike, tail: float) -> Limits:
    """P(X >= k | low) = tail and P(X <= k | high) = tail."""
    k, n = broadcast_floats(k, n)
    low = betaincinv(np.maximum(k, 1.0), n - k + 1.0, tail)
    high = betainccinv(k + 1.0, np.maximum(n - k, 1.0), tail)
    return np.where(k == 0, 0.0, low), np.where(k == n, 1.0, high)


def jeffreys_limits(k: ArrayLike, n: ArrayLike, tail: float) -> Limits:
    """Quantiles of Beta(k + 1/2, n - k + 1/2)."""
    k, n = broadcast_floats(k, n)
    low = betaincinv(k + 0.5, n - k + 0.5, tail)
    high = betainccinv(k + 0.5, n - k + 0.5, tail)
    return np.asarray(low), np.asarray(high)


def mid_p_limits(k: ArrayLike, n: ArrayLike, tail: float, *, guarded: bool = False) -> Limits:
    """P(X > k | low) + P(X = k | low)/2 = tail, and the mirror image for the upper limit.

    At k = 0 that leaves out 2 tail on one side, Clopper-Pearson 1 tail; ``guarded`` takes the
    middle, P(X = 0 | high) = 3/2 tail, and likewise at k = n.
    """
    counts, totals = broadcast_floats(k, n)
    (k_, n_), where = _distinct(counts, totals)

    def above(p: FloatArray) -> FloatArray:
        return (at_least(k_, n_, p) + at_least(k_ + 1.0, n_, p)) / 2.0 - tail

    def below(p: FloatArray) -> FloatArray:
        return tail - (at_most(k_, n_, p) + at_most(k_ - 1.0, n_, p)) / 2.0

    # between Clopper-Pearson's limit for k and the one for the next count inwards
    outer_low, outer_high = clopper_pearson_limits(k_, n_, tail)
    inner_low = clopper_pearson_limits(np.minimum(k_ + 1.0, n_), n_, tail)[0]
    inner_high = clopper_pearson_limits(np.maximum(k_ - 1.0, 0.0), n_, tail)[1]
    inner_low = np.where(k_ == n_, 1.0, inner_low)
    inner_high = np.where(k_ == 0.0, 0.0, inner_high)
    low = np.where(k_ == 0.0, 0.0, bracketed_root(above, outer_low, inner_low))
    high = np.where(k_ == n_, 1.0, bracketed_root(below, inner_high, outer_high))
    if guarded:
        log_end = np.log(1.5 * tail) / n_
        low = np.where(k_ == n_, np.exp(log_end), low)
        high = np.where(k_ == 0.0, -np.expm1(log_end), high)
    return low[where], high[where]


def binomial_small_p(k: ArrayLike, n: ArrayLike, p0: ArrayLike) -> FloatArray:
    """The two-sided p-value: the probability of all outcomes not more likely than ``k``.

    Outcomes within the ratio ``SLACK`` of the observed one count as equally likely (R, SciPy).
    """
    k, n, p = broadcast_floats(k, n, p0)
    mirrored = k < n * p
    k, p = np.where(mirrored, n - k, k), np.where(mirrored, 1.0 - p, p)
    inside = np.clip(p, np.finfo(np.float64).tiny, 1.0 - np.finfo(np.float64).epsneg)
    far = _far_outcomes(k, n, logit(inside))
    p_value = np.minimum(at_least(k, n, inside) + at_most(far - 1.0, n, inside), 1.0)
    certain = np.where(k == n * p, 1.0, 0.0)
    return np.where((p <= 0.0) | (p >= 1.0), certain, p_value)


def small_p_interval(k: ArrayLike, n: ArrayLike, level: float) -> Limits:
    """The smallest interval that holds every p with ``binomial_small_p(k, n, p) > 1 - level``.

    The p-value jumps where another outcome becomes as likely as k, so the accepted values may
    have gaps: a rejected null inside the interval lies in one of them.
    """
    k, n = broadcast_floats(k, n)
    pairs, where = _distinct(k, n)
    low = _small_p_low(pairs[0], pairs[1], alpha_of(level))
    high = 1.0 - _small_p_low(pairs[1] - pairs[0], pairs[1], alpha_of(level))
    high = np.maximum(high, pairs[0] / pairs[1])  # but for rounding it is
    return low[where], high[where]


def _small_p_low(k: FloatArray, n: FloatArray, alpha: float) -> FloatArray:
    """The smallest p below k/n with a p-value above ``alpha``.

    Between the jumps the p-value is P(X >= k) + P(X <= j) for a fixed j: it falls, then rises, so
    its largest value is at an end of the piece. All pieces are examined between the p with
    P(X >= k) = alpha, above which p is accepted, and the one with a quarter of it, below which p
    is rejected: the far outcomes are at most e - 1 times as probable as the near ones.
    """
    count = np.maximum(k, 1.0)  # k = 0 is set at the end
    surely = np.asarray(np.minimum(betaincinv(count, n - count + 1.0, alpha), count / n))
    start = betaincinv(count, n - count + 1.0, alpha / 4.0)
    first = _far_outcomes(count, n, np.asarray(logit(start))) - 1.0
    last = _far_outcomes(count, n, np.asarray(logit(surely))) - 1.0
    if float(np.max(last - first)) > (MOST_PIECES if alpha < 0.25 else MOST_IN_THE_MIDDLE):
        raise NotApplicable(
            f"the interval of smallest p-values is searched piece by piece, and {np.max(n):,.0f} items "
            "make too many: use wilson or clopper_pearson, which no longer differ from it"
        )
    piece = first[:, None] + np.arange(int(np.max(last - first)) + 1)
    count_, n_, last_ = count[:, None], n[:, None], last[:, None]
    piece = np.minimum(piece, last_)
    left = np.where(piece == first[:, None], start[:, None], _jump(piece, count_, n_))
    right = np.where(piece == last_, surely[:, None], _jump(piece + 1.0, count_, n_))

    def p_value(j: FloatArray, k_: FloatArray, m: FloatArray, p: FloatArray) -> FloatArray:
        return at_least(k_, m, p) + at_most(j, m, p)

    at_left = p_value(piece, count_, n_, left) > alpha
    enters = at_left | (p_value(piece, count_, n_, right) > alpha) | (piece == last_)
    rows, column = np.arange(k.size), np.argmax(enters, axis=1)
    j = piece[rows, column]
    crossing = bracketed_root(
        lambda p: p_value(j, count, n, p) - alpha, left[rows, column], right[rows, column]
    )
    low = np.where(at_left[rows, column], left[rows, column], crossing)
    return np.where(k == 0.0, 0.0, low)


def _jump(j: FloatArray, k: FloatArray, n: FloatArray) -> FloatArray:
    """The p from which outcome j < k is not more likely than k."""
    return np.asarray(expit(_jump_log_odds(np.clip(j, 0.0, k - 1.0), k, n)))


def _jump_log_odds(j: FloatArray, k: FloatArray, n: FloatArray) -> FloatArray:
    """P(X = j) <= P(X = k)(1 + SLACK) exactly when the log odds of p are at least this."""
    log_ratio = betaln(n - k + 1.0, k + 1.0) - betaln(n - j + 1.0, j + 1.0)
    return np.asarray((log_ratio - np.log1p(SLACK)) / (k - j))


def _far_outcomes(k: FloatArray, n: FloatArray, log_odds: FloatArray) -> FloatArray:
    """How many outcomes 0, 1, ... below k are not more likely than k.

    They are the first ones, because binomial coefficients are log-concave: bisection finds them.
    """
    low, high = np.zeros_like(k), k.copy()
    while np.any(low < high):
        middle = np.floor((low + high) / 2.0)
        open_ = low < high
        far = _jump_log_odds(np.where(open_, middle, 0.0), np.maximum(k, 1.0), n) <= log_odds
        low = np.where(open_ & far, middle + 1.0, low)
        high = np.where(open_ & ~far, middle, high)
    return low


def _distinct(k: FloatArray, n: FloatArray) -> tuple[tuple[FloatArray, FloatArray], IntArray]:
    """The distinct pairs (k, n) and where each came from: work is done once per pair."""
    pairs, where = np.unique(np.stack([k.ravel(), n.ravel()], axis=1), axis=0, return_inverse=True)
    return (pairs[:, 0], pairs[:, 1]), where.reshape(k.shape)


def broadcast_floats(*values: ArrayLike) -> tuple[FloatArray, ...]:
    arrays = (np.asarray(value, dtype=np.float64) for value in values)
    return tuple(np.broadcast_arrays(*arrays))
