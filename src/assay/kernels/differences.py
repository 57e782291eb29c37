"""Limits of a difference of two proportions, from different items or the same, for arrays.

Different items: ``errors_a`` of ``n_a`` against ``errors_b`` of ``n_b``, the rate of A minus that
of B. Same items: the four counts ``both_right, only_a, only_b, both_wrong``, the share right of A
minus that of B. ``z`` is the normal quantile that leaves one tail out.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.kernels.binomial import Limits, broadcast_floats, wilson_cc_limits, wilson_limits
from assay.kernels.roots import bracketed_root

_EPSILON = float(np.finfo(np.float64).eps)

_MOST_STEPS = 100
"""Newton needs about five; only towards a double root does it halve the distance each time."""


class TwoRates(NamedTuple):
    """Counts of two models on different items."""

    errors_a: FloatArray
    n_a: FloatArray
    errors_b: FloatArray
    n_b: FloatArray

    @property
    def difference(self) -> FloatArray:
        return self.errors_a / self.n_a - self.errors_b / self.n_b

    def swapped(self) -> "TwoRates":
        return TwoRates(self.errors_b, self.n_b, self.errors_a, self.n_a)

    def of_rarer(self) -> "TwoRates":
        """The same difference from the rarer of errors and successes, whose rates keep digits."""
        right = TwoRates(self.n_b - self.errors_b, self.n_b, self.n_a - self.errors_a, self.n_a)
        mostly = 2.0 * (self.errors_a + self.errors_b) > self.n_a + self.n_b
        return TwoRates(*(np.where(mostly, r, w) for r, w in zip(right, self, strict=True)))


class FourCounts(NamedTuple):
    """Counts of two models on the same items."""

    both_right: FloatArray
    only_a: FloatArray
    only_b: FloatArray
    both_wrong: FloatArray

    @property
    def n(self) -> FloatArray:
        return self.both_right + self.only_a + self.only_b + self.both_wrong

    @property
    def difference(self) -> FloatArray:
        return (self.only_a - self.only_b) / self.n


def two_rates(errors_a: ArrayLike, n_a: ArrayLike, errors_b: ArrayLike, n_b: ArrayLike) -> TwoRates:
    return TwoRates(*broadcast_floats(errors_a, n_a, errors_b, n_b))


def four_counts(
    both_right: ArrayLike, only_a: ArrayLike, only_b: ArrayLike, both_wrong: ArrayLike
) -> FourCounts:
    return FourCounts(*broadcast_floats(both_right, only_a, only_b, both_wrong))


def unpooled_se(rates: TwoRates) -> FloatArray:
    """The standard error sqrt(p_a(1-p_a)/n_a + p_b(1-p_b)/n_b)."""
    p_a, p_b = rates.errors_a / rates.n_a, rates.errors_b / rates.n_b
    return np.asarray(np.sqrt(p_a * (1.0 - p_a) / rates.n_a + p_b * (1.0 - p_b) / rates.n_b))


def wald_difference_limits(rates: TwoRates, z: float) -> Limits:
    half = z * unpooled_se(rates)
    return rates.difference - half, rates.difference + half


def agresti_caffo_limits(rates: TwoRates, z: float) -> Limits:
    """Wald after one error and one success more on either side, cut to [-1, 1]."""
    padded = TwoRates(rates.errors_a + 1.0, rates.n_a + 2.0, rates.errors_b + 1.0, rates.n_b + 2.0)
    return _cut(wald_difference_limits(padded, z))


def newcombe_limits(rates: TwoRates, z: float, *, continuity: bool = False) -> Limits:
    """Newcombe (1998), method 10: the distances to Wilson's limits, squared and added; 11 with cc."""
    wilson = wilson_cc_limits if continuity else wilson_limits
    spread_a = _distances(rates.errors_a, rates.n_a, wilson(rates.errors_a, rates.n_a, z))
    spread_b = _distances(rates.errors_b, rates.n_b, wilson(rates.errors_b, rates.n_b, z))
    low = rates.difference - np.hypot(spread_a[0], spread_b[1])
    high = rates.difference + np.hypot(spread_a[1], spread_b[0])
    return _cut((low, high))


def score_variance(rates: TwoRates, delta: ArrayLike, *, inflated: bool = False) -> FloatArray:
    """The variance of the difference where it is ``delta`` and the rates fit best otherwise.

    ``inflated`` adds the factor N/(N-1) of Miettinen and Nurminen (1985); without it Mee (1984).
    """
    delta, rarer = np.asarray(delta, dtype=np.float64), rates.of_rarer()
    p_a, p_b = constrained_rates(rarer, delta)
    variance = p_a * (1.0 - p_a) / rarer.n_a + p_b * (1.0 - p_b) / rarer.n_b
    total = rates.n_a + rates.n_b
    return np.asarray(variance * total / (total - 1.0) if inflated else variance)


def score_limits(rates: TwoRates, z: float, *, inflated: bool = False) -> Limits:
    """The differences that the score test does not reject."""

    def high(one: TwoRates) -> FloatArray:
        variance = partial(score_variance, one, inflated=inflated)
        return _score_high(one.difference, z, variance)

    rarer = rates.of_rarer()
    return -high(rarer.swapped()), high(rarer)


def constrained_rates(rates: TwoRates, delta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The rates of A and B of greatest likelihood among those that differ by ``delta``.

    The lower one solves the likelihood equation of Miettinen and Nurminen (1985, appendix 1).
    Times that rate it is concave, so that Newton's steps from above fall to its root and never
    pass it. The closed form of their cubic loses all digits of small rates of many items.
    """
    gap, below = np.abs(delta), delta < 0.0
    rare, n_rare = (np.where(below, a, b) for a, b in zip(rates[:2], rates[2:], strict=True))
    more, n_more = (np.where(below, b, a) for a, b in zip(rates[:2], rates[2:], strict=True))
    errors = rare + more
    pooled = errors / (n_rare + n_more)
    highest = np.minimum(pooled, (1.0 - gap) * errors / np.maximum(n_more + rare, 1.0))
    rate = highest
    for _ in range(_MOST_STEPS):
        high, room, left = rate + gap, 1.0 - rate, 1.0 - rate - gap
        # an empty room has no successes in it: whatever stands for its 0 is multiplied by 0
        high, room, left = (np.where(part > 0.0, part, 1.0) for part in (high, room, left))
        right_rare, right_more = (n_rare - rare) / room, (n_more - more) / left
        value = rare + more * (rate / high) - (right_rare + right_more) * rate
        slope = more * (gap / high) / high - right_rare / room - right_more * (1.0 - gap) / left
        step = value / np.where(slope < 0.0, slope, -np.inf)
        lower = np.clip(rate - step, 0.0, highest)
        settled = np.abs(lower - rate) <= 4.0 * _EPSILON * rate
        rate = lower
        if np.all(settled):
            break
    return np.where(below, rate, rate + gap), np.where(below, rate + gap, rate)


def wald_paired_limits(table: FourCounts, z: float) -> Limits:
    half = z * paired_se(table)
    return table.difference - half, table.difference + half


def paired_se(table: FourCounts) -> FloatArray:
    """The standard error sqrt(only_a + only_b - (only_a - only_b)²/n) / n."""
    net = table.only_a - table.only_b
    spread = np.maximum(table.only_a + table.only_b - net * net / table.n, 0.0)
    return np.asarray(np.sqrt(spread) / table.n)


def agresti_min_limits(table: FourCounts, z: float) -> Limits:
    """Wald after half an item more in each cell, cut to [-1, 1]."""
    return _cut(wald_paired_limits(FourCounts(*(count + 0.5 for count in table)), z))


def bonett_price_limits(table: FourCounts, z: float) -> Limits:
    """Wald on (only_a + 1)/(n + 2) and (only_b + 1)/(n + 2), cut to [-1, 1]."""
    n = table.n + 2.0
    p_a, p_b = (table.only_a + 1.0) / n, (table.only_b + 1.0) / n
    half = z * np.sqrt((p_a + p_b - (p_a - p_b) ** 2) / n)
    return _cut((p_a - p_b - half, p_a - p_b + half))


def newcombe_paired_limits(table: FourCounts, z: float, *, continuity: bool = True) -> Limits:
    """Newcombe (1998), method 10: Wilson's distances joined by the correlation of the models."""
    n = table.n
    right_a, right_b = table.both_right + table.only_a, table.both_right + table.only_b
    spread_a = _distances(right_a, n, wilson_limits(right_a, n, z))
    spread_b = _distances(right_b, n, wilson_limits(right_b, n, z))
    phi = correlation(table, continuity=continuity)

    def joined(one: FloatArray, other: FloatArray) -> FloatArray:
        square = one**2 - 2.0 * phi * one * other + other**2
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    low = table.difference - joined(spread_a[0], spread_b[1])
    high = table.difference + joined(spread_a[1], spread_b[0])
    return _cut((low, high))


def correlation(table: FourCounts, *, continuity: bool = False) -> FloatArray:
    """Phi of the four counts; 0 where a margin is empty.

    With ``continuity`` a positive cross product loses n/2, down to 0 (Newcombe 1998).
    """
    n = table.n
    cross = table.both_right * table.both_wrong - table.only_a * table.only_b
    if continuity:
        cross = np.where(cross > 0.0, np.maximum(cross - n / 2.0, 0.0), cross)
    right_a, right_b = table.both_right + table.only_a, table.both_right + table.only_b
    margins = np.sqrt(right_a * (n - right_a)) * np.sqrt(right_b * (n - right_b))
    return np.where(margins > 0.0, cross / np.where(margins > 0.0, margins, 1.0), 0.0)


def tango_variance(table: FourCounts, delta: ArrayLike) -> FloatArray:
    """The variance of the difference where it is ``delta`` and the cells fit best otherwise.

    Tango (1998), with the root of his quadratic written without cancellation; at 0 it is
    (only_a + only_b)/n², McNemar's.
    """
    delta = np.asarray(delta, dtype=np.float64)
    n = table.n
    twice = 2.0 * n
    linear = (twice - table.only_a + table.only_b) * delta - table.only_a - table.only_b
    constant = -table.only_b * delta * (1.0 - delta)
    root = np.sqrt(np.maximum(linear**2 - 4.0 * twice * constant, 0.0))
    below = linear + root
    cell = np.where(
        linear <= 0.0,
        (root - linear) / (2.0 * twice),
        -2.0 * constant / np.where(below > 0.0, below, 1.0),
    )
    cell = np.maximum(cell, np.maximum(0.0, -delta))
    return np.asarray(np.maximum(2.0 * cell + delta * (1.0 - delta), 0.0) / n)


def tango_limits(table: FourCounts, z: float) -> Limits:
    """The differences that Tango's score test does not reject; McNemar's test at 0."""
    mirrored = (table.both_right, table.only_b, table.only_a, table.both_wrong)
    both = FourCounts(*map(np.stack, zip(mirrored, table, strict=True)))
    below, above = _score_high(both.difference, z, partial(tango_variance, both))
    return -below, above


def _score_high(
    difference: FloatArray, z: float, variance: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """The largest delta with (delta - difference) <= z sqrt(variance(delta)).

    Solved for the angle of the two, which is bounded also where the variance vanishes.
    """

    def angle(delta: FloatArray) -> FloatArray:
        distance = delta - difference
        length = np.hypot(distance, z * np.sqrt(variance(delta)))
        return np.asarray(distance / np.where(length > 0.0, length, 1.0) - np.sqrt(0.5))

    return bracketed_root(angle, difference, np.ones_like(difference))


def _distances(count: FloatArray, n: FloatArray, limits: Limits) -> Limits:
    """How far the limits lie below and above the proportion."""
    return count / n - limits[0], limits[1] - count / n


def _cut(limits: Limits) -> Limits:
    return np.maximum(limits[0], -1.0), np.minimum(limits[1], 1.0)
