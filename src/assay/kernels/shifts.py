"""The shifts that a rank test does not reject: its confidence interval, ties and zeros included.

As a function of the shift a rank test changes at ``breaks`` only (averages or differences of the
values) and is constant on the segments between them. The interval is the hull of the segments that
are not rejected. At the null itself, where ties make the test special, the p-value printed beside
the interval has the last word: rejected there means excluded here.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.core.vocabulary import Alternative

FloatArray = NDArray[np.float64]
PAt = Callable[[float], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShiftTest:
    """A family of tests, one for each shift, and what it says of the null shift 0."""

    p_at: PAt
    breaks: FloatArray
    """Sorted and distinct."""
    centre: float
    """The estimate: the shift at which the statistic crosses its expectation."""
    p_null: float
    above: bool
    """Whether the statistic lies above its expectation at the null."""


def accepted_shifts(
    test: ShiftTest, alpha: float, alternative: Alternative, guess: int
) -> tuple[float, float]:
    """The interval of shifts with p > alpha; an end that is excluded is the next number inwards.

    ``guess`` is roughly how many breaks lie outside on either side: a good guess saves tests.
    """
    low, high = -math.inf, math.inf
    if alternative != "less":
        low = _lower_end(test.p_at, test.breaks, test.centre, alpha, alternative, guess)
    if alternative != "greater":
        mirrored = _mirror(test.p_at)
        high = -_lower_end(
            mirrored, -test.breaks[::-1], -test.centre, alpha, _flipped(alternative), guess
        )
    if low >= high:
        low, high = _one_step_wider(test.breaks, test.centre)
    return agreeing(low, high, accepted=test.p_null > alpha, above=test.above)


def agreeing(low: float, high: float, *, accepted: bool, above: bool) -> tuple[float, float]:
    """The interval made to hold the null 0 if it is accepted, and else not to hold it."""
    if accepted:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0.0 <= high:
        return (math.ulp(0.0), high) if above else (low, -math.ulp(0.0))
    return low, high


def _lower_end(
    p_at: PAt,
    breaks: FloatArray,
    centre: float,
    alpha: float,
    alternative: Alternative,
    guess: int,
) -> float:
    """The left end of the accepted segments, found from a guess by doubling steps and bisection."""

    @cache
    def accepts(segment: int) -> bool:
        return p_at(_inside(breaks, segment)) > alpha

    start = int(np.searchsorted(breaks, centre)) if alternative == "two-sided" else breaks.size
    if not accepts(start):
        start += 1
        if start > breaks.size or not accepts(start):
            return centre
    rejected, accepted, stride = -1, start, 1
    probe = min(max(guess, 0), start)
    while rejected + 1 < accepted:
        if accepts(probe):
            accepted = probe
            probe -= stride
        else:
            rejected = probe
            probe += stride
        stride *= 2
        if not rejected < probe < accepted:
            probe = (rejected + accepted) // 2
    return -math.inf if accepted == 0 else float(breaks[accepted - 1])


def _inside(breaks: FloatArray, segment: int) -> float:
    """A shift inside a segment; segment 0 lies left of all breaks."""
    if segment == 0:
        return float(breaks[0]) - max(1.0, abs(float(breaks[0])))
    if segment == breaks.size:
        return float(breaks[-1]) + max(1.0, abs(float(breaks[-1])))
    return 0.5 * float(breaks[segment - 1] + breaks[segment])


def _one_step_wider(breaks: FloatArray, centre: float) -> tuple[float, float]:
    """No shift is accepted: coarse data locate the shift no better than one step either way."""
    below, above = breaks[breaks < centre], breaks[breaks > centre]
    return (
        float(below[-1]) if below.size else centre,
        float(above[0]) if above.size else centre,
    )


def _mirror(p_at: PAt) -> PAt:
    return lambda shift: p_at(-shift)


def _flipped(alternative: Alternative) -> Alternative:
    return "greater" if alternative == "less" else alternative
