"""The sentences of a gate."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf, isfinite

from assay.compare.gate_rule import Demand, judge
from assay.compare.verdict import POWER, needed_words
from assay.core.formatting import clean_name, shown_percent, write_estimate, write_given
from assay.core.gate_results import Gate, GateCheck
from assay.core.results import Estimate, Interval
from assay.core.vocabulary import UNIT_PLURAL, GateWord, Unit


def check_sentence(
    check: GateCheck,
    candidate: str,
    baseline: str | None,
    unit: Unit,
    why: str = "",
    share: float = 0.05,
    *,
    lower_is_better: bool = False,
) -> str:
    """What one check says: the difference, its interval, what follows, and what would settle it."""
    where = place_of(check)
    if check.difference is None or check.low is None or check.high is None:
        against = baseline if check.required is None else write_given(check.required)
        reason = f": {why}" if why else ""
        return (
            f"{candidate} against {against}{where}: the difference in {check.measure} has no interval, "
            f"so the gate cannot pass{reason}."
        )
    interval = f"{shown_percent(round(2 * check.level - 1, 4))} CI"
    value, _, ends = write_bounds(check).partition(" ")
    if check.required is not None:
        side = check.asks.replace("-", " ")
        head = (
            f"The {check.measure} of {candidate}{where}{',' if where else ''} is {value} "
            f"({interval} {ends}); {side} {write_given(check.required)} is required."
        )
        return f"{head} {_on_level(check, share)}"
    head = _difference(check, candidate, str(baseline), lower_is_better=lower_is_better)
    return f"{head} {_conclusion(check, candidate, str(baseline))}{_what_next(check, unit)}"


def _difference(check: GateCheck, candidate: str, baseline: str, *, lower_is_better: bool) -> str:
    """By how much the candidate's value is above or below the baseline's, with the interval of that."""
    ahead = (check.difference or 0.0) >= 0.0
    value, _, ends = write_bounds(check if ahead else _turned(check)).partition(" ")
    level = shown_percent(round(2 * check.level - 1, 4))
    where = "" if check.slice is None else f"In slice {check.slice}, "
    interval = f"({level} CI {ends.replace('+', '')})"
    if not check.difference:
        return f"{where}{candidate} and {baseline} have the same {check.measure} {interval}."
    side = "lower" if ahead == lower_is_better else "higher"
    return (
        f"{where}{candidate} has a {side} {check.measure} than {baseline}, by "
        f"{value.removeprefix('+')} {interval}."
    )


def _turned(check: GateCheck) -> GateCheck:
    """The same loss as a gain."""
    if check.difference is None or check.low is None or check.high is None:
        return check
    return replace(check, difference=-check.difference, low=-check.high, high=-check.low)


def place_of(check: GateCheck) -> str:
    """Where the check was made, as the end of a clause; empty for all items."""
    if check.item is not None:
        return f", repeats of {check.item}"
    return "" if check.slice is None else f", slice {check.slice}"


def _on_level(check: GateCheck, share: float) -> str:
    low, high = ("lower", "upper") if check.asks == "at-least" else ("upper", "lower")
    bounds_say = judge((check.low, check.high), Demand.level())
    if check.word == bounds_say == "passed":
        return f"Even the {low} bound reaches {write_given(check.required)}."
    if check.word == bounds_say == "failed":
        return f"Even the {high} bound misses {write_given(check.required)}."
    if check.word != "undecided":
        seen = "reaches" if check.word == "passed" else "misses"
        return f"The observed value {seen} {write_given(check.required)}; no bound was asked for."
    if check.item is None:
        return f"{write_given(check.required)} lies inside the interval: more items are needed to decide."
    least = least_repeats(check.required or 0.0, share)
    if least is None or (check.n or 0) >= least:
        return f"{write_given(check.required)} lies inside the interval: more repeats are needed to decide."
    return (
        f"{write_given(check.required)} lies inside the interval: with fewer than {least} repeats even an item "
        "that is always right cannot pass."
    )


def least_repeats(required: float, share: float) -> int | None:
    """Repeats from which on an item that is right every time reaches the level: required ** n = share."""
    if required >= 1.0:
        return None
    return math.ceil(math.log(share) / math.log(required) - 1e-9)


def _conclusion(check: GateCheck, candidate: str, baseline: str) -> str:
    margin = write_given(check.margin)
    if check.asks == "better":
        return _on_gain(check, candidate, baseline)
    if check.word == "passed":
        return f"A loss of more than {margin} is ruled out."
    if check.word == "undecided":
        return f"The data allow both a loss of more than {margin} and no loss."
    if check.high is not None and check.high < -check.margin:
        return f"{candidate} is worse than {baseline} by more than {margin}."
    return f"{candidate} is worse than {baseline}, and a loss of more than {margin} cannot be ruled out."


def _on_gain(check: GateCheck, candidate: str, baseline: str) -> str:
    by = f" by more than {write_given(check.margin)}" if check.margin else ""
    if check.word == "passed":
        return f"{candidate} is better than {baseline}{by}."
    if check.word == "failed":
        what = (
            f"A gain of more than {write_given(check.margin)} is ruled out." if check.margin else ""
        )
        return what or f"{candidate} is worse than {baseline}."
    if not check.margin:
        return "The data allow both a gain and a loss."
    return f"The data allow both a gain of more than {write_given(check.margin)} and a smaller one."


def _what_next(check: GateCheck, unit: Unit) -> str:
    if check.word != "undecided":
        return ""
    units = UNIT_PLURAL[unit]
    if check.needed is not None:
        again = " To add data and look again, use compare with sequential=True."
        return (
            f" About {needed_words(check.needed)} would let an equally good candidate pass with "
            f"{check.needed.power:.0%} probability.{again if check.needed.sequential else ''}"
        )
    if check.low is None or check.high is None or not isfinite(check.high - check.low):
        return f" There are too few {units} to bound the difference at this level."
    if unit == "fold":
        return " These splits do not show whether it passes: add data or repeats."
    if check.asks == "better":
        return f" More {units} are needed to decide."
    return (
        f" An equally good candidate would have passed with {POWER:.0%} probability or more. A loss "
        f"smaller than {write_given(check.margin)} takes more {units} to decide."
    )


def gate_sentence(
    word: GateWord,
    checks: tuple[GateCheck, ...],
    candidate: str,
    baseline: str | None,
    *,
    observed: bool = False,
) -> str:
    """The whole gate in a sentence or two, with the worst slice or item by name."""
    if len(checks) == 1:
        return f"Gate {word}. {checks[0].sentence}"
    whole = [check for check in checks if check.slice is None and check.item is None]
    by_word = {
        one: [_short(check) for check in whole if check.word == one]
        for one in ("failed", "undecided", "passed")
    }
    clauses = [f"{one} in {', '.join(names)}" for one, names in by_word.items() if names]
    for kind in ("slice", "item"):
        clauses += _of_parts([check for check in checks if getattr(check, kind) is not None], kind)
    against = "" if baseline is None else f" against {baseline}"
    ending = " Levels are judged by what was observed, without bounds." if observed else ""
    return f"Gate {word}. {candidate}{against}: {'; '.join(clauses)}.{ending}"


def _short(check: GateCheck) -> str:
    if check.required is None:
        return check.measure
    return f"{check.measure} {check.asks.replace('-', ' ')} {write_given(check.required)}"


def demand_of(check: GateCheck) -> str:
    """What the check has to show, in signs."""
    if check.required is not None:
        return f"{'≥' if check.asks == 'at-least' else '≤'} {write_given(check.required)}"
    return (
        f"> {write_given(check.margin)}"
        if check.asks == "better"
        else f"> −{write_given(check.margin)}"
    )


def only_margins(checks: Iterable[GateCheck]) -> bool:
    """Whether no loss in any measure, on all items, is all that is asked."""
    return all(
        check.asks == "not-worse" and check.slice is None and check.item is None for check in checks
    )


def names_of(gate: Gate) -> str:
    """The candidate, and the baseline where there is one."""
    candidate = clean_name(gate.candidate)
    return (
        candidate if gate.baseline is None else f"{candidate} against {clean_name(gate.baseline)}"
    )


def in_order(checks: Sequence[GateCheck], most_items: int) -> list[GateCheck]:
    """The checks as they are listed: of single items the worst, so many."""
    items = [check for check in checks if check.item is not None]
    rest = [check for check in checks if check.item is None]
    return rest + sorted(items, key=_badness)[:most_items]


def _of_parts(checks: list[GateCheck], kind: str) -> list[str]:
    """How many slices or items passed, and which is the worst."""
    if not checks:
        return []
    names = list(dict.fromkeys(getattr(check, kind) for check in checks))
    open_ = {getattr(check, kind): check for check in checks if check.word != "passed"}
    many = {"slice": "slices", "item": "items"}[kind]
    said = [f"{len(names) - len(open_)} of {len(names)} {many} passed"]
    worst = worst_of(checks)
    if open_ and worst is not None:
        value = write_bounds(worst).partition(" ")[0]
        said.append(f"worst {kind} {getattr(worst, kind)} ({worst.measure} {value}, {worst.word})")
    return said


def worst_of(checks: Iterable[GateCheck]) -> GateCheck | None:
    """The check that is furthest from passing."""
    return min(checks, key=_badness, default=None)


def _badness(check: GateCheck) -> tuple[int, float, float]:
    """Smaller is worse: by the word, then by how far the lower bound is from what it has to exceed."""
    rank = {"failed": 0, "undecided": 1, "passed": 2}[check.word]
    wanted = -check.margin if check.asks == "not-worse" else check.margin
    return rank, -inf if check.low is None else check.low - wanted, check.difference or 0.0


def write_bounds(check: GateCheck) -> str:
    """The difference (of a level: the value) and its bounds in digits that never contradict the word."""
    if check.required is not None:
        return _write_level(check)
    if check.low is None or check.high is None:
        return str(write_estimate(_estimate(check, None), signed=True))
    interval = Interval(low=check.low, high=check.high, level=2 * check.level - 1, method="gate")
    margin = check.margin or None
    written = write_estimate(_estimate(check, interval), signed=True, null=0.0, margin=margin)
    return str(written)


def _write_level(check: GateCheck) -> str:
    estimate = replace(_estimate(check, level_interval(check)), value=check.value)
    return str(write_estimate(estimate, null=check.required))


def level_interval(check: GateCheck) -> Interval | None:
    """The interval of the candidate's own value; the bounds of a check are distances from the level."""
    if check.low is None or check.high is None or check.required is None:
        return None
    sign = 1.0 if check.asks == "at-least" else -1.0
    low, high = sorted((check.required + sign * check.low, check.required + sign * check.high))
    return Interval(low=low, high=high, level=2 * check.level - 1, method="gate")


def _estimate(check: GateCheck, interval: Interval | None) -> Estimate:
    return Estimate(
        measure=check.measure,
        value=check.difference,
        interval=interval,
        method="gate",
        n=0,
        unit="item",
    )
