"""From an interval and a margin to a word and a sentence: the only place where verdicts are made."""

import math
from dataclasses import replace

from assay.core.numbers import shown_percent
from assay.core.results import Estimate, Interval, Needed, TestOutcome, Verdict
from assay.core.vocabulary import UNIT_PLURAL, Sense, VerdictWord, population
from assay.core.writing import write_estimate
from assay.plan.sample_size import units_for_margin

SEQUENTIAL = "anytime_mean_difference"
"""The method whose intervals hold at every look."""
_SIDES: dict[bool, tuple[VerdictWord, VerdictWord]] = {
    False: ("better", "worse"),
    True: ("higher", "lower"),
}
"""What the two sides of zero are called, by whether the direction is unknown."""
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
    alone: bool = False,
) -> Verdict:
    """The verdict on A against B (``alone``: against the level ``b`` names, the null its value).

    ``held`` says how the interval holds together with others of its family.
    """
    effect = _centred(outcome)
    interval = effect.interval
    word: VerdictWord = "undecided"
    if interval is not None:
        word = decide(interval, margin=margin, direction=direction)
    different = interval is not None and not interval.contains(0.0)
    needed = None
    if word == "undecided" and margin is not None and interval is not None:
        needed = _needed(effect, interval, margin)
    sentence = _sentence(
        word, a, b, effect, direction, margin, held, different=different, alone=alone
    )
    return Verdict(
        word=word,
        a=a,
        b=b,
        sentence=f"{sentence}{_what_next(word, effect, margin, needed)}",
        outcome=outcome,
        direction=direction,
        margin=margin,
        different=different,
        needed=needed,
    )


def _centred(outcome: TestOutcome) -> Estimate:
    """The effect as a difference from the null, so that zero always means no difference."""
    effect = outcome.effect
    if outcome.null == 0.0 or effect.value is None:
        return effect
    interval = effect.interval
    shifted = interval and interval.mapped(lambda value: value - outcome.null)
    return replace(effect, value=effect.value - outcome.null, interval=shifted)


def _needed(effect: Estimate, interval: Interval, margin: float) -> Needed | None:
    if effect.unit == "fold":  # more folds of the same data do not bring more data
        return None
    if not math.isfinite(interval.width):  # so few units bound nothing, and say nothing of spread
        return None
    units = units_for_margin(interval, effect.n, margin, power=POWER)
    if units <= effect.n:
        return None
    return Needed(units=units, unit=effect.unit, have=effect.n, power=POWER, margin=margin)


def _sentence(
    word: VerdictWord,
    a: str,
    b: str,
    effect: Estimate,
    direction: Sense,
    margin: float | None,
    held: str,
    *,
    different: bool,
    alone: bool,
) -> str:
    if effect.value is None or effect.interval is None:
        return f"Undecided: the difference between {a} and {b} in {effect.measure} has no interval here."
    written = write_estimate(effect, null=0.0, margin=margin)
    numbers = (
        f"{effect.measure} differs by {written} ({shown_percent(effect.interval.level)} interval"
        + (f", {held}" if held else "")
    )
    lower_is_better = ", lower is better" if direction == "lower" else ""
    heads = {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are equivalent within a margin of {margin:g}"
        if margin is not None
        else "",
        "undecided": f"Undecided between {a} and {b}",
        "higher": f"The values of {a} are higher than those of {b}",
        "lower": f"The values of {a} are lower than those of {b}",
    }
    tail = ", and yet different from zero" if word == "equivalent" and different else ""
    return (
        f"{heads[word]}{tail}: {numbers}{lower_is_better}). "
        f"This speaks about {population(effect.unit, 1 if alone else 2)}."
    )


def _what_next(
    word: VerdictWord, effect: Estimate, margin: float | None, needed: Needed | None
) -> str:
    if word != "undecided" or effect.interval is None:
        return ""
    if margin is None:
        return " Name the smallest difference that matters as the margin to learn how much evidence it needs."
    units = UNIT_PLURAL[effect.unit]
    if effect.unit == "fold":
        return (
            " More folds of the same data would not settle it: more data would, or the predictions kept "
            "item by item."
        )
    if not math.isfinite(effect.interval.width):
        return f" {effect.n} {units} are too few to bound the difference at this level."
    if needed is None:
        return (
            f" With {effect.n} {units} a difference of {margin:g} is within reach; "
            "the true difference seems to lie near zero or near the margin."
        )
    again = (
        "looking again after adding data needs a sequential method, such as "
        f"{SEQUENTIAL} (compare --sequential)."
    )
    if effect.method == SEQUENTIAL:
        again = "items may be added and looked at again at any time."
    return (
        f" About {needed.units:,} {units} (there are {needed.have:,}) would give "
        f"{needed.power:.0%} power at a difference of {margin:g}; {again}"
    )
