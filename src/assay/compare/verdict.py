"""From an interval and a margin to a word and a sentence: the only place where verdicts are made."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.fold_budgets import FITS_OF_VALID
from assay.core.formatting import say_p, shown_percent, write_estimate, write_given
from assay.core.memo import later
from assay.core.methods import record_of
from assay.core.results import (
    Comparison,
    Estimate,
    Interval,
    Needed,
    Posterior,
    TestOutcome,
    Verdict,
)
from assay.core.vocabulary import REVERSED, TURNED, UNIT_PLURAL, Sense, VerdictWord, counted

_SIDES: dict[bool, tuple[VerdictWord, VerdictWord]] = {
    False: ("better", "worse"),
    True: ("higher", "lower"),
}
"""What the two sides of zero are called, by whether the direction is unknown."""
_OPEN: dict[VerdictWord, int] = {"equivalent": 1, "undecided": 2}
"""Words that are listed after a decided difference, in this order."""
POWER = 0.8
"""The power at which ``undecided`` says how much evidence the margin needs."""


def decide(interval: Interval, *, margin: float | None, direction: Sense) -> VerdictWord:
    """The verdict of one interval of A minus B: the interval decides, nothing else.

    Equivalent if the whole interval lies strictly within the margin; else better or worse if it
    excludes zero on the side that the measure's direction calls so (higher or lower where the
    direction is unknown); else undecided.
    """
    if margin is not None and interval.within(margin):
        return "equivalent"
    oriented = interval.negated() if direction == "lower" else interval
    above, below = _SIDES[direction == "unknown"]
    if oriented.low > 0:
        return above
    if oriented.high < 0:
        return below
    return "undecided"


def verdict_of(
    outcome: TestOutcome,
    *,
    a: str,
    b: str,
    direction: Sense,
    margin: float | None,
    held: str = "",
    ordered: bool = False,
    finest: float | None = None,
    plan: Callable[[], Needed | None] | None = None,
    chances: Mapping[str, Any] | None = None,
) -> Verdict:
    """The verdict on A against B, or against the level that ``b`` names, whose value is the null.

    ``held`` says how the interval is adjusted together with others of its family. The sentence
    names the winner first, or always A first if ``ordered``: beside a baseline or a level.
    ``finest`` is the half-width whose digits all differences of the family have; ``plan`` says how
    much evidence the margin needs, and is asked where that is open. ``chances`` are the posterior
    probabilities that stand beside.
    """
    effect = _centred(outcome)
    interval = effect.interval
    word: VerdictWord = "undecided"
    if interval is not None:
        word = decide(interval, margin=margin, direction=direction)
    # more folds bring no more data, and units so few that they bound nothing do not tell the spread
    bounded = interval is not None and math.isfinite(interval.width)
    asked = word == "undecided" and margin is not None and bounded and effect.unit != "fold"
    needed = plan() if asked and plan is not None else None
    kept, beside = ordered or bool(outcome.null), chances or {}
    open_plan = word == "undecided" and (plan is not None or not asked)
    say: Callable[[], str] = lambda: (  # noqa: E731 (of many pairs few are read)
        _sentence(verdict if kept else winner_first(verdict), held, finest)
        + (_what_next(effect, margin, needed) if open_plan else "")
    )
    verdict = Verdict(
        word=word,
        a=a,
        b=b,
        sentence=later(say) if held else "",
        outcome=outcome,
        direction=direction,
        margin=margin,
        different=interval is not None and not interval.contains(0.0),
        needed=needed,
        **beside,
    )
    return verdict if held else replace(verdict, sentence=say(), **beside)


def chances_of(
    beliefs: Callable[[], Sequence[Posterior | None]],
    place: int,
    *,
    direction: Sense,
    margin: float | None,
) -> dict[str, Any]:
    """The probabilities of a verdict's posterior, better and worse as the measure's direction is."""
    if direction == "unknown":
        return {}

    def share(side: str) -> float | None:
        belief = beliefs()[place]
        return None if belief is None else float(getattr(belief, side))

    better, worse = ("p_right", "p_left") if direction == "higher" else ("p_left", "p_right")
    return {
        "p_better": later(lambda: share(better)),
        "p_equivalent": None if margin is None else later(lambda: share("p_rope")),
        "p_worse": later(lambda: share(worse)),
    }


def winner_first(verdict: Verdict) -> Verdict:
    """The verdict seen from the model that is ahead; the sentence stays as it was said."""
    value = verdict.outcome.effect.value
    if verdict.outcome.null or value is None:
        return verdict
    ahead = value if verdict.direction != "lower" else -value
    return turned_round(verdict) if ahead < 0.0 else verdict


def ahead_first(result: Comparison, verdict: Verdict) -> Verdict:
    """The verdict seen from the model that is ahead, unless a baseline fixes the order."""
    return verdict if result.baseline is not None else winner_first(verdict)


def as_listed(result: Comparison, *, as_asked: bool = False) -> list[Verdict]:
    """The verdicts in the order that tables and figures share.

    The winner of each pair first (unless ``as_asked``), decided pairs before open ones, then by size.
    Beside a baseline pairs stay as they were asked, and the best model comes first.
    """
    if result.baseline is not None:
        sign = 1.0 if result.direction == "lower" else -1.0
        return sorted(result.verdicts, key=lambda one: sign * (one.outcome.effect.value or 0.0))
    found = result.verdicts if as_asked else tuple(map(winner_first, result.verdicts))
    return sorted(
        found, key=lambda one: (_OPEN.get(one.word, 0), -abs(one.outcome.effect.value or 0.0))
    )


def beliefs_as_listed(result: Comparison) -> tuple[Posterior, ...]:
    """The posteriors that stand beside, in the order of the verdicts and seen from the same model."""
    known = {(belief.a, belief.b): belief for belief in result.posteriors}
    known |= {(b, a): belief.negated() for (a, b), belief in known.items()}
    return tuple(
        replace(known[one.a, one.b], a=one.a, b=one.b)
        for one in as_listed(result)
        if (one.a, one.b) in known
    )


def turned_round(verdict: Verdict) -> Verdict:
    """The same decision as B against A."""
    outcome = verdict.outcome
    mirror = {"won": "lost", "lost": "won"}
    facts = dict(outcome.details)
    details = tuple(
        (name, facts.get(mirror.get(name, name), value)) for name, value in facts.items()
    )
    return replace(
        verdict,
        sentence=later(lambda: verdict.sentence),
        word=TURNED.get(verdict.word, verdict.word),
        a=verdict.b,
        b=verdict.a,
        outcome=replace(
            outcome,
            effect=outcome.effect.negated(),
            details=details,
            alternative=REVERSED[outcome.alternative],
        ),
        p_better=later(lambda: verdict.p_worse),
        p_equivalent=later(lambda: verdict.p_equivalent),
        p_worse=later(lambda: verdict.p_better),
    )


def _centred(outcome: TestOutcome) -> Estimate:
    """The effect as a difference from the null, so that zero always means no difference."""
    effect = outcome.effect
    if outcome.null == 0.0 or effect.value is None:
        return effect
    interval = effect.interval
    shifted = interval and interval.mapped(lambda value: value - outcome.null)
    return replace(effect, value=effect.value - outcome.null, interval=shifted)


def _sentence(verdict: Verdict, held: str, finest: float | None) -> str:
    """Who is ahead, by how much, the interval and the p-value."""
    effect = _centred(verdict.outcome)
    a, b, measure = verdict.a, verdict.b, effect.measure
    if effect.value is None or effect.interval is None:
        said = {note.code: note.message for note in (*verdict.outcome.notes, *effect.notes)}
        why = said.get("zero-variance") or said.get("single-value")
        folds = f"on each of the {effect.n} folds" if effect.unit == "fold" else ""
        if folds and "zero-variance" in said and verdict.outcome.null:
            own = verdict.outcome.effect.value
            why = f"{a} has {measure} {write_given(own)} {folds}, so a t test has no standard error"
        elif folds and "zero-variance" in said and effect.value == 0.0:
            why = f"they have the same {measure} {folds}"
        why = why or f"their difference in {measure} has no interval here"
        return f"No verdict on {a} and {b}: {why}."
    if verdict.outcome.null:
        return _against_level(verdict, held, finest)
    margin = verdict.margin
    if verdict.word == "equivalent" and margin is not None:
        but = " The difference is statistically significant, but within the margin."
        numbers = _numbers(verdict, effect, (held, finest), f"{a} − {b} = ", p="p for a difference")
        return (
            f"{a} and {b} are equivalent in {measure} (margin ±{write_given(margin)}): "
            f"{numbers}.{but if verdict.different else ''}"
        )
    if verdict.word == "undecided":
        within = "" if margin is None else f"within ±{write_given(margin)}"
        nor = f" Equivalence {within} is not shown either." if within else ""
        return (
            f"No clear difference in {measure} between {a} and {b}: "
            f"{_numbers(verdict, effect, (held, finest), f'{a} − {b} = ')}.{nor}"
        )
    near = _beside_margin(effect.interval, margin, ties=ties_left_out(verdict.outcome))
    side = "higher" if effect.value > 0 else "lower"
    effect = effect.negated() if side == "lower" else effect
    heads = {
        "better": f"{a} is better than {b}: {measure} is {side} by ",
        "worse": f"{a} is worse than {b}: {measure} is {side} by ",
        "higher": f"{a} has a higher {measure} than {b}, by ",
        "lower": f"{a} has a lower {measure} than {b}, by ",
    }
    return f"{_numbers(verdict, effect, (held, finest), heads[verdict.word])}.{near}"


def _against_level(verdict: Verdict, held: str, finest: float | None) -> str:
    """One model beside a level: its own value with its interval, which the level is in or not."""
    margin = verdict.margin
    within = "" if margin is None else f" (margin ±{write_given(margin)})"
    heads = {
        "equivalent": f"{verdict.a} is equivalent to {verdict.b}{within}",
        "undecided": f"{verdict.a} is not clearly different from {verdict.b}",
    }
    head = heads.get(verdict.word, f"{verdict.a} is {verdict.word} than {verdict.b}")
    effect = verdict.outcome.effect
    return f"{_numbers(verdict, effect, (held, finest), f'{head}: {effect.measure} = ')}."


def _beside_margin(interval: Interval, margin: float | None, *, ties: int) -> str:
    """Whether a difference that is there is also as large as one that matters.

    One that leaves out ties is larger than that of all units.
    """
    if margin is None:
        return ""
    least = min(abs(interval.low), abs(interval.high))
    if least > margin and ties:
        return f" With the {ties} without a difference it may be smaller than the margin {write_given(margin)}."
    if least > margin:
        return f" The difference exceeds the margin {write_given(margin)}."
    return f" The difference may be smaller than the margin {write_given(margin)}."


def _numbers(
    verdict: Verdict,
    effect: Estimate,
    family: tuple[str, float | None],
    head: str,
    *,
    p: str = "p",
) -> str:
    """The effect, what it is where it is no plain difference, the interval and the p-value."""
    interval = effect.interval
    if interval is None:
        return head
    held, finest = family
    null = verdict.outcome.null
    written = write_estimate(effect, null=null, margin=verdict.margin, finest=finest)
    said = [f"{shown_percent(interval.level)} CI {written.interval}"]
    if is_pseudo_median(effect):
        ties = ties_left_out(verdict.outcome)
        of = f" of the {effect.n - ties} that differ" if ties else ""
        said.insert(0, f"pseudo-median{of}")
    if verdict.outcome.p_value is not None:
        found = say_p(verdict.outcome, alpha=round(1 - interval.level, 12))
        said.append(f"{p}{found.removeprefix('p')}")
    if held:
        said.append(held)
    return f"{head}{written.value} ({', '.join(said)})"


def ties_left_out(outcome: TestOutcome) -> int:
    """Units without a difference, which Wilcoxon's rule leaves out of the effect too."""
    facts = dict(outcome.details)
    zeros = facts.get("n_zero")
    return zeros if facts.get("zeros") == "drop" and isinstance(zeros, int) else 0


def is_pseudo_median(effect: Estimate) -> bool:
    """Whether a difference is the Hodges-Lehmann pseudo-median, which may differ from that of means."""
    record = record_of(effect.method)
    return record is not None and record.pseudo_median


def needed_words(needed: Needed) -> str:
    """So many units, of each model where each has its own, and how many there are now."""
    if not needed.groups:
        return f"{counted(needed.units, needed.unit)} (now {needed.have:,})"
    now = " and ".join(f"{one:,}" for one in dict.fromkeys(needed.groups))
    return f"{counted(needed.units // len(needed.groups), needed.unit)} of each model (now {now})"


def _what_next(effect: Estimate, margin: float | None, needed: Needed | None) -> str:
    """What would settle an undecided pair."""
    if effect.interval is None:
        return ""
    units = UNIT_PLURAL[effect.unit]
    if not math.isfinite(effect.interval.width):
        return f" {effect.n} {units} are too few to bound the difference at this level."
    if effect.unit == "fold":
        more = _to_add(effect.n)
        return f" These splits do not show which is better: add {more}, or compare predictions item by item."
    if margin is None:
        return f" Set margin= to see how many {units} you need."
    if needed is None:
        return (
            f" {effect.n:,} {units} detect a difference of {write_given(margin)} with {POWER:.0%} power or more. A "
            f"smaller one takes more {units} to decide."
        )
    again = ""
    if holds_at_every_look(effect.method):
        again = " You may add items and look again at any time."
    elif needed.sequential:
        again = " To add data and look again, use a sequential comparison (sequential=True)."
    return (
        f" About {needed_words(needed)} would give {needed.power:.0%} power "
        f"to detect a difference of {write_given(margin)}.{again}"
    )


def holds_at_every_look(method: str) -> bool:
    """Whether the intervals of a method stay valid while evidence is added."""
    record = record_of(method)
    return record is not None and record.anytime


def _to_add(splits: int) -> str:
    """What would settle it: beyond the default number repeats add hardly any power (docs/folds.md)."""
    return "data, not repeats" if splits >= FITS_OF_VALID else "data or repeats"
