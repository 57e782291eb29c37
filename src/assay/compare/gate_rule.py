"""The rule of a gate: from bounds of candidate minus baseline to passed, failed or undecided."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.core.vocabulary import GateWord

Bounds = tuple[float | None, float | None]
"""One-sided bounds of candidate minus baseline, positive being better; None where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The word on one measure, and the error that its bounds were allowed on each side."""

    word: GateWord
    share: float


def judge(bounds: Bounds, margin: float) -> GateWord:
    """Passed if the loss is surely below the margin; failed if there surely is one; else undecided."""
    low, high = bounds
    if low is None or high is None:
        return "undecided"
    if low > -margin:
        return "passed"
    return "failed" if high < 0.0 else "undecided"


def judge_all(
    bounds: Callable[[int, float], Bounds],
    margins: Sequence[float],
    *,
    alpha: float,
    holm: bool,
) -> tuple[Judged, ...]:
    """The word on each measure, ``bounds(place, share)`` giving its bounds with that error each.

    Passing the gate needs all measures to pass, so each may be tested at ``alpha``
    (intersection-union). With Holm the claims "not worse" and the claims "worse" are each stepped
    down, at alpha divided by the number of measures still open: then single claims hold too, and
    a gate of many measures does not fail more often by chance.
    """
    places = range(len(margins))
    if not holm:
        words = [judge(bounds(place, alpha), margins[place]) for place in places]
        return tuple(Judged(word=word, share=alpha) for word in words)
    passed = _stepped_down(bounds, margins, alpha, "passed")
    failed = _stepped_down(bounds, margins, alpha, "failed")
    return tuple(
        passed[place] if passed[place].word == "passed" else failed[place] for place in places
    )


def _stepped_down(
    bounds: Callable[[int, float], Bounds],
    margins: Sequence[float],
    alpha: float,
    word: GateWord,
) -> dict[int, Judged]:
    """Of each measure whether the word was reached, and the share it was last tested at."""
    found: dict[int, Judged] = {}
    remaining = set(range(len(margins)))
    while remaining:
        share = alpha / len(remaining)
        won = {place for place in remaining if judge(bounds(place, share), margins[place]) == word}
        for place in remaining:
            found[place] = Judged(word=word if place in won else "undecided", share=share)
        if not won:
            break
        remaining -= won
    return found
