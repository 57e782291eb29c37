"""The sentences of a gate."""

from math import isfinite

from assay.core.numbers import shown_percent
from assay.core.results import Estimate, GateCheck, Interval
from assay.core.vocabulary import POPULATION, UNIT_PLURAL, GateWord, Unit
from assay.core.writing import write_estimate


def check_sentence(check: GateCheck, candidate: str, baseline: str, unit: Unit) -> str:
    """What one measure says, with the difference, its bounds, and what would settle it."""
    heads = {
        "passed": f"{candidate} is not worse than {baseline} by more than {check.margin:g}",
        "failed": f"{candidate} is worse than {baseline}{_how_much_worse(check)}",
        "undecided": f"Undecided whether {candidate} is worse than {baseline} by more than "
        f"{check.margin:g}",
    }
    head = f"{heads[check.word]} in {check.measure}"
    if check.difference is None or check.low is None or check.high is None:
        return f"{head}: the difference has no bounds here, and without bounds nothing passes."
    confidence = shown_percent(check.level)
    numbers = (
        f"{head}: the difference is {write_bounds(check)}, positive is better, each end a "
        f"{confidence} bound. This speaks about {POPULATION[unit]}."
    )
    return f"{numbers}{_what_next(check, unit)}"


def _how_much_worse(check: GateCheck) -> str:
    if check.high is not None and check.high < -check.margin:
        return f" by more than {check.margin:g}"
    return f", perhaps by more than {check.margin:g},"


def _what_next(check: GateCheck, unit: Unit) -> str:
    if check.word != "undecided":
        return ""
    if check.needed is not None:
        return (
            f" About {check.needed.units:,} {UNIT_PLURAL[unit]} (there are {check.needed.have:,}) would "
            f"let a candidate as good as the baseline pass with {check.needed.power:.0%} probability; "
            "looking again after adding data needs a sequential method, such as anytime_mean_difference."
        )
    if check.low is None or check.high is None or not isfinite(check.high - check.low):
        return f" There are too few {UNIT_PLURAL[unit]} to bound the difference at this level."
    if unit == "fold":
        return " More folds of the same data would not settle it: more data would."
    return (
        " There is evidence enough for the margin: the candidate seems to lie between it and zero."
    )


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
