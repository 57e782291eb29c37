"""Power of tests of right and wrong: enumerated from the binomial distribution, or approximate.

Enumeration is exact, and its power goes up and down from one n to the next, because a count cannot
be cut at the level itself. The normal and arcsine formulas are smooth and let n be a fraction.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.core.vocabulary import Alternative
from assay.kernels.binomial import at_least, at_most, binomial_small_p
from assay.kernels.special import betaln, ndtr, ndtri, xlog1py, xlogy
from assay.plan.power_means import normal_power, tail_share

ProportionVariant = Literal["exact", "normal", "arcsine"]
TwoProportionsVariant = Literal["enumerated", "normal", "strict", "arcsine"]
McNemarVariant = Literal["score", "exact", "connor"]

FAR = 10.0
"""Standard deviations of a count that are enumerated: beyond lies less than 1e-22."""
ENUMERATED_MOST = 1e7
"""Items up to which counts are enumerated; with more the normal formulas are as good."""


def one_proportion_power(
    n: FloatArray,
    null: float,
    true: float,
    alpha: float,
    side: Alternative,
    variant: ProportionVariant = "exact",
) -> FloatArray:
    """One rate against a level: the exact binomial test (two-sided by small p), z, or arcsine."""
    if variant == "arcsine":
        return normal_power(cohen_h(true, null) * np.sqrt(n), alpha, side)
    if variant == "normal" or n.max() > ENUMERATED_MOST:
        spread, spread_null = np.sqrt(true * (1.0 - true)), np.sqrt(null * (1.0 - null))
        return _two_spreads((true - null) * np.sqrt(n), spread_null, spread, alpha, side)
    size = np.rint(n)
    power = np.zeros(size.shape)
    if side != "less":
        power += at_least(_first_above(size, null, alpha, side), size, true)
    if side != "greater":
        mirrored: Alternative = "greater" if side == "less" else side
        power += at_least(_first_above(size, 1.0 - null, alpha, mirrored), size, 1.0 - true)
    return power


def two_proportions_power(
    n: FloatArray,
    rate_a: float,
    rate_b: float,
    alpha: float,
    side: Alternative,
    variant: TwoProportionsVariant = "enumerated",
) -> FloatArray:
    """Two rates of ``n`` items each: the pooled z test, enumerated or by its approximations.

    "normal" is R's power.prop.test, which leaves out the far tail; "strict" has it; "arcsine" is
    Cohen's h (R's pwr.2p.test).
    """
    difference = rate_a - rate_b
    if variant == "enumerated" and n.max() <= ENUMERATED_MOST:
        critical = float(ndtri(tail_share(alpha, side))) ** 2
        found = [
            _pooled_z_power(int(one), rate_a, rate_b, critical, side) for one in np.rint(n).tolist()
        ]
        return np.array(found)
    if variant == "arcsine":
        return normal_power(cohen_h(rate_a, rate_b) * np.sqrt(n / 2.0), alpha, side)
    middle = (rate_a + rate_b) / 2.0
    pooled = np.sqrt(2.0 * middle * (1.0 - middle))
    spread = np.sqrt(rate_a * (1.0 - rate_a) + rate_b * (1.0 - rate_b))
    tails = _near_tail if variant == "normal" else _two_spreads
    return tails(difference * np.sqrt(n), pooled, spread, alpha, side)


def mcnemar_power(
    n: FloatArray,
    discordant: float,
    difference: float,
    alpha: float,
    side: Alternative,
    variant: McNemarVariant = "score",
) -> FloatArray:
    """Two models on the same items, of which a share ``discordant`` is right for one only.

    "score" (the default test) and "exact" are averaged over how many items turn out discordant;
    "connor" is the normal approximation of Connor (1987), without the far tail.
    """
    if variant == "connor" or n.max() > ENUMERATED_MOST:
        spreads = np.sqrt(discordant), np.sqrt(discordant - difference**2)
        return _near_tail(difference * np.sqrt(n), *spreads, alpha, side)
    first = _score_critical if variant == "score" else _exact_critical
    share = (discordant + difference) / (2.0 * discordant)
    found = [
        _over_discordant(one, discordant, share, first, alpha, side) for one in np.rint(n).tolist()
    ]
    return np.array(found)


def cohen_h(a: float, b: float) -> float:
    """Cohen's h: the difference of two rates on the arcsine scale."""
    return float(2.0 * (np.arcsin(np.sqrt(a)) - np.arcsin(np.sqrt(b))))


def _two_spreads(
    shift: FloatArray,
    spread_null: float | FloatArray,
    spread: float | FloatArray,
    alpha: float,
    side: Alternative,
) -> FloatArray:
    """A z whose standard error is ``spread_null`` under the null and ``spread`` in truth."""
    critical = -ndtri(tail_share(alpha, side)) * spread_null
    with np.errstate(divide="ignore", invalid="ignore"):  # no spread in truth: 0 or 1
        above = ndtr((shift - critical) / spread) if side != "less" else 0.0
        below = ndtr((-shift - critical) / spread) if side != "greater" else 0.0
    return np.asarray(above + below, dtype=np.float64)


def _near_tail(
    shift: FloatArray,
    spread_null: float | FloatArray,
    spread: float | FloatArray,
    alpha: float,
    side: Alternative,
) -> FloatArray:
    """The same without the rejections on the wrong side, as the textbook formulas have it."""
    if side == "two-sided":
        return _two_spreads(np.abs(shift), spread_null, spread, alpha / 2.0, "greater")
    return _two_spreads(shift, spread_null, spread, alpha, side)


def _first_above(n: FloatArray, null: float, alpha: float, side: Alternative) -> FloatArray:
    """The smallest count above n null that the exact test rejects; n + 1 where there is none."""

    def rejected(count: FloatArray) -> BoolArray:
        inside = np.minimum(count, n)
        p = binomial_small_p if side == "two-sided" else at_least
        return np.asarray((count > n) | (p(inside, n, null) <= alpha))

    low = np.floor(n * null)  # at the mean or below it: never rejected upwards
    return _first(rejected, low, n + 1.0)


def _first(
    holds: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray
) -> FloatArray:
    """The smallest whole number above ``low`` at which a condition holds that ``high`` fulfils."""
    while np.any(high - low > 1.0):
        middle = np.floor((low + high) / 2.0)
        open_ = high - low > 1.0
        found = holds(np.where(open_, middle, high))
        high = np.where(open_ & found, middle, high)
        low = np.where(open_ & ~found, middle, low)
    return high


def _score_critical(counts: FloatArray, alpha: float, side: Alternative) -> FloatArray:
    """The smallest only_a that the score test rejects, of so many discordant items."""
    z = -float(ndtri(tail_share(alpha, side)))
    with_tie = np.ceil((counts + z * np.sqrt(counts)) / 2.0 - 1e-9)
    return np.where(counts > 0.0, np.maximum(with_tie, np.floor(counts / 2.0) + 1.0), 1.0)


def _exact_critical(counts: FloatArray, alpha: float, side: Alternative) -> FloatArray:
    """The same of the exact test: a tail of the fair coin of at most its share of alpha."""
    tail = tail_share(alpha, side)

    def rejected(count: FloatArray) -> BoolArray:
        return np.asarray((count > counts) | (at_least(count, counts, 0.5) <= tail))

    return _first(rejected, np.floor(counts / 2.0), counts + 1.0)


def _over_discordant(
    n: float,
    discordant: float,
    share: float,
    critical: Callable[[FloatArray, float, Alternative], FloatArray],
    alpha: float,
    side: Alternative,
) -> float:
    counts, masses = _likely_counts(n, discordant)
    first = critical(counts, alpha, side)
    power = np.zeros(counts.size)
    if side != "less":
        power += at_least(first, counts, share)
    if side != "greater":
        power += at_most(counts - first, counts, share)
    return float(masses @ power)


def _likely_counts(n: float, rate: float) -> tuple[FloatArray, FloatArray]:
    """The counts that a binomial variable is at all likely to take, with their probabilities."""
    reach = FAR * np.sqrt(n * rate * (1.0 - rate)) + FAR
    counts = np.arange(max(0.0, np.floor(n * rate - reach)), min(n, np.ceil(n * rate + reach)) + 1)
    log_ways = -betaln(n - counts + 1.0, counts + 1.0) - np.log(n + 1.0)
    return counts, np.exp(log_ways + xlogy(counts, rate) + xlog1py(n - counts, -rate))


def _pooled_z_power(
    n: int, rate_a: float, rate_b: float, critical: float, side: Alternative
) -> float:
    """The pooled z of two counts of n: for every count of B, the counts of A that reject.

    (a - b)² >= c (a + b)(1 - (a + b)/2n) is quadratic in the lead a - b; c is the critical z².
    """
    b, masses = _likely_counts(n, rate_b)
    leading = 1.0 + critical / (2.0 * n)
    linear = critical * (2.0 * b / n - 1.0)
    constant = -2.0 * critical * b * (1.0 - b / n)
    root = np.sqrt(linear**2 - 4.0 * leading * constant)
    slack = 1e-9 * (1.0 + np.abs(linear) + root)
    ahead = np.ceil((-linear + root - slack) / (2.0 * leading))
    behind = np.floor((-linear - root + slack) / (2.0 * leading))
    power = np.zeros(b.size)
    if side != "less":  # equal counts are never rejected, also where z is 0/0
        power += at_least(b + np.maximum(ahead, 1.0), float(n), rate_a)
    if side != "greater":
        power += at_most(b + np.minimum(behind, -1.0), float(n), rate_a)
    return float(masses @ power)
