"""A t test of a mean that also heeds skewness and, where values end, what may be unseen."""

import math
from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import UsageError
from assay.core.notes import Note, note
from assay.core.results import Interval, TestOutcome, with_notes
from assay.kernels.skewness import corrected, wider_limits
from assay.kernels.tails import alpha_of, t_log10_p, t_p, t_reach
from assay.kernels.unseen_values import allowed, unseen_p, unseen_reach, unseen_square

Rooms = tuple[float, float]
"""How many standard errors the ends of the range lie below and above the mean."""
FARTHER = 1.1
"""From this many times its width on, an interval that allows for unseen values says so."""


def checked_bound(bound: float, differences: FloatArray) -> float:
    """The largest difference that is possible, which none may exceed."""
    largest = float(np.abs(differences).max())
    if not largest <= bound * (1.0 + 1e-9) < math.inf:
        raise UsageError(f"bound={bound:g} is too small: one difference here is {largest:g}")
    return float(bound)


def leaning(
    outcome: TestOutcome,
    lean: float,
    bound: float | None,
    n: float,
    *,
    ways: tuple[float, float] | None = None,
) -> TestOutcome:
    """The outcome of a t test with the widest interval of its kind, and the largest p-value.

    ``lean`` is the skewness of the mean; ``n`` independent items could show a rare difference of at most
    ``bound``, or such ones as lie so far below and above the mean (``ways``). Every p-value is at most 1 - level
    exactly when its interval excludes 0.
    """
    interval, error = outcome.effect.interval, outcome.effect.standard_error
    df, t = dict(outcome.details).get("df"), outcome.statistic
    outcome = replace(outcome, details=(*outcome.details, ("lean", lean)))
    if interval is None or error is None or t is None or not isinstance(df, float | int):
        return outcome
    side, mean = outcome.alternative, float(outcome.effect.value or 0.0)
    skewed = float(corrected(t, lean))
    p_value = outcome.p_value or 0.0
    if math.isfinite(skewed) and t_p(skewed, df, side) > p_value:
        p_value = t_p(skewed, df, side)
        outcome = _with_logarithm(outcome, t_log10_p(skewed, df, side))
    limits = wider_limits(mean, error, t_reach(interval.level, df, side), lean)
    found = _kept(interval, float(limits[0]), float(limits[1]))
    notes: tuple[Note, ...] = ()
    if bound is not None:
        ways = (bound + mean, bound - mean) if ways is None else ways
        rooms = ways[0] / error, ways[1] / error
        unseen = _unseen_p(t, rooms, n, outcome)
        if unseen > p_value:
            p_value = unseen
            outcome = _with_logarithm(outcome, math.log10(unseen))
        farther = _farther(found, mean, error, rooms, n, df)
        notes = _told(found, farther, outcome.effect.n, bound)
        found = farther
    effect = replace(outcome.effect, interval=found)
    return with_notes(replace(outcome, p_value=p_value, effect=effect), *notes)


def withheld(
    outcome: TestOutcome, a: FloatArray, b: FloatArray, *, at_most: float | None = None
) -> TestOutcome:
    """The outcome of squared errors, whose interval keeps 0 while a few large unseen ones could undo the lead.

    How large they may be is judged by the tails that both models show (decision 0240). Clustered or weighted
    items tell as much as so many independent ones as have their standard error, and ``at_most`` so many.
    """
    interval, t, error = outcome.effect.interval, outcome.statistic, outcome.effect.standard_error
    if interval is None or t is None or error is None:
        return outcome
    n = float(a.size)
    if at_most is not None:
        n = min(at_most, float((a - b).var(ddof=1)) / error**2)
    leading, other = (b, a) if t > 0.0 else (a, b)
    largest = float(unseen_square(leading, other, error * math.sqrt(n)))
    room = abs(t) + largest / error
    unseen = _unseen_p(t, (room, room), n, outcome)
    outcome = replace(outcome, details=(*outcome.details, ("unseen_square", largest)))
    if unseen <= (outcome.p_value or 0.0):
        return outcome
    outcome = replace(_with_logarithm(outcome, math.log10(unseen)), p_value=unseen)
    if unseen <= alpha_of(interval.level) or interval.contains(0.0):
        return outcome
    found = _kept(interval, min(interval.low, 0.0), max(interval.high, 0.0))
    outcome = replace(outcome, effect=replace(outcome.effect, interval=found))
    return with_notes(outcome, note("unseen-errors", n=a.size, largest=largest))


def _kept(interval: Interval, low: float, high: float) -> Interval:
    """The interval with these ends, where it has any."""
    return replace(
        interval,
        low=low if math.isfinite(interval.low) else interval.low,
        high=high if math.isfinite(interval.high) else interval.high,
    )


def _with_logarithm(outcome: TestOutcome, logarithm: float) -> TestOutcome:
    said = {"log10_p": logarithm, "p_value": 10.0**logarithm}
    details = tuple((name, said.get(name, value)) for name, value in outcome.details)
    return replace(outcome, details=details)


def _unseen_p(t: float, rooms: Rooms, n: float, outcome: TestOutcome) -> float:
    """How well the difference 0 is explained by differences that no item shows."""
    side, df = outcome.alternative, dict(outcome.details).get("df")
    below = side == "greater" or (side == "two-sided" and t > 0.0)
    return float(unseen_p(t if below else -t, rooms[0] if below else rooms[1], n, side, df))


def _farther(
    interval: Interval, mean: float, error: float, rooms: Rooms, n: float, df: float
) -> Interval:
    missing = allowed(alpha_of(interval.level), interval.alternative)
    below, above = (float(unseen_reach(missing, room, n, df)) * error for room in rooms)
    return _kept(interval, min(interval.low, mean - below), max(interval.high, mean + above))


def _told(seen: Interval, farther: Interval, n: int, bound: float) -> tuple[Note, ...]:
    """A note where it is unseen differences that make the interval as wide as it is."""
    widths = [
        (one.high if math.isfinite(one.high) else 0.0)
        - (one.low if math.isfinite(one.low) else 0.0)
        for one in (seen, farther)
    ]
    if widths[1] <= FARTHER * abs(widths[0]):
        return ()
    return (note("unseen-differences", n=n, largest=bound),)
