"""The rule of a gate: from bounds of a difference to passed, failed or undecided."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.core.vocabulary import GateWord

Bounds = tuple[float | None, float | None]
"""One-sided bounds of candidate minus what it is held against, positive being better; None where there are none."""
Rule = Literal["all", "holm", "family"]
"""How several demands are held together; see :func:`judge_all`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What a difference has to show: its lower bound beyond ``above``; below ``below`` it fails."""

    above: float
    below: float
    reached: bool = False
    """Whether a lower bound at ``above`` is enough."""

    @staticmethod
    def not_worse(margin: float) -> "Demand":
        """Non-inferiority: a loss of the margin is ruled out; failed only where there is a loss."""
        return Demand(above=-margin, below=0.0)

    @staticmethod
    def better(gain: float) -> "Demand":
        """Superiority: a gain above this is shown; failed where it is ruled out."""
        return Demand(above=gain, below=gain)

    @staticmethod
    def level() -> "Demand":
        """An absolute level, the difference being the distance from it: reached, or out of reach."""
        return Demand(above=0.0, below=0.0, reached=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The word on one demand, and the error that its bounds were allowed on each side."""

    word: GateWord
    share: float


def judge(bounds: Bounds, demand: Demand) -> GateWord:
    """Passed if the bounds show what is demanded; failed if they show the opposite; else undecided."""
    low, high = bounds
    if low is None or high is None:
        return "undecided"
    if low > demand.above or (demand.reached and low == demand.above):
        return "passed"
    return "failed" if high < demand.below else "undecided"


def judge_all(
    bounds: Callable[[int, float], Bounds],
    demands: Sequence[Demand],
    *,
    alpha: float,
    rule: Rule,
) -> tuple[GateDecision, ...]:
    """The word on each demand, ``bounds(place, share)`` giving its bounds with that error each.

    Passing the gate needs all demands to pass, so each may be tested at ``alpha``
    (intersection-union). Failing needs only one, so a gate of many demands fails more often by
    chance: with the rule "family" the claims of failure are stepped down by Holm, at alpha divided
    by the number of demands still open. With "holm" both claims are: then single ones hold
    together too. With "all" neither is.
    """
    places = range(len(demands))
    plain = [
        GateDecision(word=judge(bounds(place, alpha), demands[place]), share=alpha)
        for place in places
    ]
    if rule == "all":
        return tuple(plain)
    stepped = _stepped_down(bounds, demands, alpha, "failed")
    passed: Sequence[GateDecision] = plain
    if rule == "holm":
        won = _stepped_down(bounds, demands, alpha, "passed")
        passed = [won[place] for place in places]
    return tuple(
        passed[place] if passed[place].word == "passed" else stepped[place] for place in places
    )


def _stepped_down(
    bounds: Callable[[int, float], Bounds],
    demands: Sequence[Demand],
    alpha: float,
    word: GateWord,
) -> dict[int, GateDecision]:
    """Of each demand whether the word was reached, and the share it was last tested at."""
    found: dict[int, GateDecision] = {}
    remaining = set(range(len(demands)))
    while remaining:
        share = alpha / len(remaining)
        won = {place for place in remaining if judge(bounds(place, share), demands[place]) == word}
        for place in remaining:
            found[place] = GateDecision(word=word if place in won else "undecided", share=share)
        if not won:
            break
        remaining -= won
    return found
