"""Checks that the tests of one and two models share."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from assay.core.results import Interval, TestOutcome
from assay.core.vocabulary import ALTERNATIVES, REVERSED

Run = Callable[..., TestOutcome]


def facts(outcome: TestOutcome) -> dict[str, Any]:
    return dict(outcome.details)


def codes(outcome: TestOutcome) -> set[str]:
    return {one.code for one in outcome.notes}


def limits(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.low, interval.high]


def obeys_laws(
    run: Run, evidence: tuple[Any, ...], swapped: tuple[Any, ...] | None, options: Mapping[str, Any]
) -> None:
    """The interval decides and holds the estimate; swapping A and B mirrors the answer."""
    for level in (0.8, 0.9, 0.95, 0.99):
        for alternative in ALTERNATIVES:
            outcome = run(*evidence, level=level, alternative=alternative, **options)
            _decides(outcome, level)
            if swapped is not None:
                mirrored = run(*swapped, level=level, alternative=REVERSED[alternative], **options)
                _mirrors(outcome, mirrored)


def _decides(outcome: TestOutcome, level: float) -> None:
    interval, p_value, value = outcome.effect.interval, outcome.p_value, outcome.effect.value
    assert p_value is None or 0.0 <= p_value <= 1.0
    if interval is None:
        assert outcome.notes or outcome.effect.notes
        return
    clear = p_value is not None and abs(p_value - (1 - level)) > 1e-9
    if p_value is not None and clear and "interval-gap" not in codes(outcome):
        assert (p_value <= 1 - level) != interval.contains(outcome.null), outcome
    if value is not None and outcome.alternative == "two-sided":
        assert interval.low - 1e-9 <= value <= interval.high + 1e-9, outcome


def _mirrors(outcome: TestOutcome, mirrored: TestOutcome) -> None:
    one, other = outcome.p_value, mirrored.p_value
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if outcome.effect.interval is not None and mirrored.effect.interval is not None:
        low, high = limits(outcome.effect.interval)
        assert math.isclose(low, -mirrored.effect.interval.high, rel_tol=1e-7, abs_tol=1e-9)
        assert math.isclose(high, -mirrored.effect.interval.low, rel_tol=1e-7, abs_tol=1e-9)


def rejection_rate(run: Run, draw: Callable[[], tuple[Any, ...]], samples: int) -> float:
    """How often a test rejects at 5 % when its null is true; equal counts are tested once."""
    known: dict[Any, bool] = {}
    rejected = 0
    for _ in range(samples):
        evidence = draw()
        key = evidence if isinstance(evidence[0], int) else len(known)
        if key not in known:
            known[key] = run(*evidence).rejects(0.05)
        rejected += known[key]
    return rejected / samples
