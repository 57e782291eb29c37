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
from itertools import count

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.vocabulary import Alternative
from assay.kernels.tails import alpha_of, normal_reach

PAt = Callable[[float], float]

SHIFTS_TRIED = 12
"""About so many shifts are tested to find both ends."""
_GRAIN = 1e-12
"""Breaks nearer to each other than this, relative to the values, are one but for rounding."""


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
    above = _rejects_above(alternative, test.above)
    return agreeing(low, high, accepted=test.p_null > alpha, above=above)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Staircase:
    """A standardised statistic that falls with the shift, at breaks too many to list."""

    z_at: Callable[[float], float]
    following: Callable[[float], float]
    """The first break above a shift."""
    preceding: Callable[[float], float]
    middle: float
    step: float
    """How far from the middle the ends of the interval are likely to lie at most."""
    outside: tuple[float, float]
    """Shifts below and above all breaks."""
    grain: float
    """Breaks nearer to each other than this are one but for rounding."""

    @classmethod
    def about(cls, ordered: FloatArray, n: int, **steps: Callable[[float], float]) -> "Staircase":
        """The steps of n values, whose scale is that of the middle half of ``ordered``, outliers or not."""
        first, middle, third = ordered[
            [ordered.size // 4, ordered.size // 2, 3 * ordered.size // 4]
        ]
        ends = float(ordered[0]), float(ordered[-1])
        spread = float(third - first) or ends[1] - ends[0] or 1.0
        size = float(max(abs(first), abs(third))) or max(map(abs, ends))
        return cls(
            **steps,
            middle=float(middle),
            step=6.0 * spread / math.sqrt(n),
            outside=(
                math.nextafter(ends[0] - spread, -math.inf),
                math.nextafter(ends[1] + spread, math.inf),
            ),
            grain=_GRAIN * size,
        )

    def first_break(self, target: float, *, strictly: bool = False) -> float:
        """The first break after which z is at most ``target``, or ``strictly`` below it."""
        seen: dict[float, float] = {}

        def passed(shift: float) -> bool:
            if shift not in seen:
                seen[shift] = self.z_at(shift)
            return seen[shift] < target if strictly else seen[shift] <= target

        low, high = self._bracket(passed)
        if passed(low) or not passed(high):
            return -math.inf if passed(low) else math.inf
        for turn in count():
            # steps are many and small, or few and large: a line between the ends, or the middle
            share = (seen[low] - target) / (seen[low] - seen[high]) if turn % 3 else 0.5
            trial = low + share * (high - low)
            low, high = (low, trial) if passed(trial) else (trial, high)
            if turn % 2:
                found = self.following(low)
                if found >= high or passed(found + self.grain):
                    break
                low = found + self.grain
        return found

    def _bracket(self, passed: Callable[[float], bool]) -> tuple[float, float]:
        """Shifts before and after the break: near the middle if they can be."""
        step, (lowest, highest) = self.step, self.outside
        while passed(low := max(self.middle - step, lowest)) and low > lowest:
            step *= 8.0
        step = self.step
        while not passed(high := min(self.middle + step, highest)) and high < highest:
            step *= 8.0
        return low, high

    @property
    def centre(self) -> float:
        """Where z crosses 0; the middle where it is 0 for a while."""
        found = self.first_break(0.0)
        if self.z_at(found + self.grain) < 0.0:
            return found
        return 0.5 * (found + self.following(found + self.grain))


def counted_shifts(
    plain: Staircase,
    tested: Staircase,
    level: float,
    alternative: Alternative,
    *,
    p_null: float,
    above: bool,
) -> tuple[float, float, float]:
    """The centre of the ``plain`` statistic, and the shifts that the ``tested`` one does not reject.

    By the normal approximation, with the same ends as `accepted_shifts`.
    """
    centre, reach = plain.centre, normal_reach(level, alternative)
    low = -math.inf if alternative == "less" else tested.first_break(reach, strictly=True)
    high = math.inf if alternative == "greater" else tested.first_break(-reach)
    if low >= high:  # no shift is accepted: as `_one_step_wider`
        ends = plain.preceding(centre - plain.grain), plain.following(centre + plain.grain)
        low, high = (end if math.isfinite(end) else centre for end in ends)
    above = _rejects_above(alternative, above)
    return (centre, *agreeing(low, high, accepted=p_null > alpha_of(level), above=above))


def corrected(distance: float, alternative: Alternative, *, correct: bool) -> float:
    """The distance from the mean, half a step nearer to it: R's continuity correction."""
    if not correct:
        return distance
    if alternative == "two-sided":
        return distance - math.copysign(0.5, distance) if distance else 0.0
    return distance - 0.5 if alternative == "greater" else distance + 0.5


def agreeing(low: float, high: float, *, accepted: bool, above: bool) -> tuple[float, float]:
    """The interval made to hold the null 0 if it is accepted, and else not to hold it."""
    if accepted:
        return min(low, 0.0), max(high, 0.0)
    if low <= 0.0 <= high:
        return (math.ulp(0.0), high) if above else (low, -math.ulp(0.0))
    return low, high


def _rejects_above(alternative: Alternative, above: bool) -> bool:  # noqa: FBT001
    """Whether a rejected null has the shift above it: of one side, the one that was asked for."""
    return above if alternative == "two-sided" else alternative == "greater"


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
