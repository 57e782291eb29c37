"""The sentences of a gate."""

from math import isfinite

from assay.core.number_formatting import shown_percent
from assay.core.results import Estimate, GateCheck, Interval
from assay.core.text_formatting import write_estimate
from assay.core.vocabulary import UNIT_PLURAL, GateWord, Unit


def check_sentence(check: GateCheck, candidate: str, baseline: str, unit: Unit) -> str:
    """What one measure says: the difference, its interval, what follows, and what would settle it."""
    if check.difference is None or check.low is None or check.high is None:
        return (
            f"{candidate} against {baseline}: the difference in {check.measure} has no bounds here, and "
            "without bounds nothing passes."
        )
    interval = f"{shown_percent(round(2 * check.level - 1, 12))} CI"
    value, _, ends = write_bounds(check).partition(" ")
    head = f"{candidate} − {baseline} in {check.measure}: {value} ({interval} {ends}, positive is better)."
    return f"{head} {_conclusion(check, candidate, baseline)}{_what_next(check, unit)}"


def _conclusion(check: GateCheck, candidate: str, baseline: str) -> str:
    margin = f"{check.margin:g}"
    if check.word == "passed":
        return f"A loss of more than {margin} is ruled out."
    if check.word == "undecided":
        return f"Neither a loss of more than {margin} nor no loss can be ruled out."
    if check.high is not None and check.high < -check.margin:
        return f"{candidate} is worse than {baseline} by more than {margin}."
    return f"{candidate} is worse than {baseline}, and a loss of more than {margin} cannot be ruled out."


def _what_next(check: GateCheck, unit: Unit) -> str:
    if check.word != "undecided":
        return ""
    units = UNIT_PLURAL[unit]
    if check.needed is not None:
        return (
            f" About {check.needed.units:,} {units} (now {check.needed.have:,}) would let an equally good "
            f"candidate pass with {check.needed.power:.0%} probability; to look again after adding data, "
            "use a sequential comparison."
        )
    if check.low is None or check.high is None or not isfinite(check.high - check.low):
        return f" There are too few {units} to bound the difference at this level."
    if unit == "fold":
        return " More folds of the same data will not settle it. More data are needed."
    return f" There are enough {units} for this margin: the true loss seems to be between 0 and it."


def gate_sentence(
    word: GateWord, checks: tuple[GateCheck, ...], candidate: str, baseline: str
) -> str:
    """The whole gate in one sentence."""
    if len(checks) == 1:
        return f"Gate {word}. {checks[0].sentence}"
    by_word = {
        one: [check.measure for check in checks if check.word == one]
        for one in ("failed", "undecided", "passed")
    }
    clauses = "; ".join(f"{one} in {', '.join(names)}" for one, names in by_word.items() if names)
    return f"Gate {word}. {candidate} against {baseline}: {clauses}."


def write_bounds(check: GateCheck) -> str:
    """The difference and its bounds in digits that never contradict the word."""
    if check.low is None or check.high is None:
        return str(write_estimate(_estimate(check, None), signed=True))
    interval = Interval(low=check.low, high=check.high, level=2 * check.level - 1, method="gate")
    written = write_estimate(_estimate(check, interval), signed=True, null=0.0, margin=check.margin)
    return str(written)


def _estimate(check: GateCheck, interval: Interval | None) -> Estimate:
    return Estimate(
        measure=check.measure,
        value=check.difference,
        interval=interval,
        method="gate",
        n=0,
        unit="item",
    )
