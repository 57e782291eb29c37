"""What a plan says, in one sentence."""

import math

from assay.core.formatting import say_alpha, say_power, shown, shown_percent, write_rounded
from assay.core.methods import find_method
from assay.core.notes import by_count
from assay.core.plan_results import Plan, PlanCase
from assay.core.vocabulary import UNIT_PLURAL
from assay.kernels.tails import normal_reach
from assay.plan.planning_facts import UNKNOWN, PlanQuestion, PlanSetting


def is_width(plan: Plan) -> bool:
    """Whether the width of an interval is planned, and no test."""
    return plan.half_width is not None or plan.solved_for == "half_width"


def planned_interval(plan: Plan) -> str:
    """The interval whose width is planned."""
    z = normal_reach(plan.level, plan.alternative)
    return f"estimate ± {z:.2f} standard errors"


def sentence_of(plan: Plan, question: PlanQuestion, setting: PlanSetting) -> str:
    """The answer first, then what it depends on."""
    if is_width(plan):
        return f"{_width(plan, question)}.{_depends(plan, question)}"
    test = (
        f"{'one' if plan.alternative != 'two-sided' else 'two'}-sided, α = {say_alpha(plan.level)}"
    )
    if setting.pairs > 1 and not find_method(question.method).asks_of_all:
        each = write_rounded(setting.alpha, 2).removeprefix("0")
        test += f" over {setting.pairs} pairs, {each} for each"
    found = {"n": _units, "power": _power, "difference": _difference}[plan.solved_for]
    return f"{found(plan, question)} ({test}).{_depends(plan, question)}"


def _depends(plan: Plan, question: PlanQuestion) -> str:
    """What is not known, where several cases are shown; without the option's name, which the note says."""
    if not plan.cases:
        return ""
    found = {"n": "number", "power": "power", "difference": "difference", "half_width": "width"}
    return f" The {found[plan.solved_for]} depends on {UNKNOWN[question.missing]}."


def _units(plan: Plan, question: PlanQuestion) -> str:
    goal = f"{say_power(plan.power)} power to detect {_size(plan.difference, plan.measure)}"
    if plan.cases:
        return f"{_between(plan.cases, question)} give {goal}"
    if plan.n is None:
        return f"No number of {UNIT_PLURAL[question.unit]} gives {goal}"
    return f"{_amount(plan.n, question)} give {goal}"


def _power(plan: Plan, question: PlanQuestion) -> str:
    found = f"detect {_size(plan.difference, plan.measure)}"
    who = _amount(plan.n, question)
    if plan.cases:
        powers = sorted(case.power or 0.0 for case in plan.cases)
        ends = f"between {say_power(powers[0])} and {say_power(powers[-1])}"
        return f"{who} {found} with {ends} power"
    return f"{who} {found} with {say_power(plan.power)} power"


def _difference(plan: Plan, question: PlanQuestion) -> str:
    start = f"With {_amount(plan.n, question)} the smallest difference in {plan.measure} that is detected"
    start = f"{start} with {say_power(plan.power)} power"
    if plan.cases:
        sizes = sorted(abs(case.difference) for case in plan.cases if case.difference is not None)
        if not sizes:
            return f"With {_amount(plan.n, question)} no difference is detected with that power"
        return f"{start} lies between {solved(sizes[0])} and {solved(sizes[-1])}"
    if plan.difference is None:
        return (
            f"With {_amount(plan.n, question)} no difference in {plan.measure} is detected with "
            f"{say_power(plan.power)} power"
        )
    return f"{start} is {solved(plan.difference)}"


def _width(plan: Plan, question: PlanQuestion) -> str:
    level = shown_percent(plan.level)
    if plan.cases:
        halves = sorted(case.half_width or 0.0 for case in plan.cases)
        if plan.solved_for == "n":
            return (
                f"{_between(plan.cases, question)} give a {level} interval of {plan.measure} of "
                f"±{shown(plan.half_width)}"
            )
        return (
            f"With {_amount(plan.n, question)} the {level} interval of {plan.measure} is between "
            f"±{solved(halves[0])} and ±{solved(halves[-1])}"
        )
    if plan.solved_for == "n":
        return (
            f"{_amount(plan.n, question)} give a {level} interval of {plan.measure} of about "
            f"±{shown(plan.half_width)}"
        )
    return (
        f"With {_amount(plan.n, question)} the {level} interval of {plan.measure} is about "
        f"±{solved(plan.half_width or 0.0)}"
    )


def solved(size: float) -> str:
    """A size that was worked out: three digits, which are more than its assumptions warrant."""
    return write_rounded(size, 3)


def _between(cases: tuple[PlanCase, ...], question: PlanQuestion) -> str:
    found = sorted(case.n for case in cases if case.n is not None)
    if not found:
        return f"No number of {UNIT_PLURAL[question.unit]}"
    if len(found) < len(cases):
        return f"At least {_amount(found[0], question)}"
    clustered = "cluster_size" in dict(question.details)
    fewest = _amount(found[0], question) if clustered else f"{found[0]:,}"
    return f"Between {fewest} and {_amount(found[-1], question)}"


def _amount(n: int | None, question: PlanQuestion) -> str:
    """So many units, of each model where they have their own; folds in whole runs.

    Items in clusters are told in clusters first: those are what must be found.
    """
    if n is None:
        return "no units"
    size = dict(question.details).get("cluster_size")
    if isinstance(size, float | int) and size > 1.0:
        groups, items = ("question", "answer") if question.repeated else ("cluster", "item")
        count = math.ceil(n / size)
        each = f"{'' if float(size).is_integer() else 'about '}{shown(size)} to each"
        return f"{count:,} {by_count(count, groups, f'{groups}s')} ({n:,} {items}s, {each})"
    unit = question.unit if n == 1 else UNIT_PLURAL[question.unit]
    text = f"{n:,} {unit}"
    if question.multiple > 1 and n % question.multiple == 0:
        runs = n // question.multiple
        text += f" ({runs:,} run{'s' if runs > 1 else ''} of {question.multiple})"
    return f"{text} of each model" if question.apart else text


def _size(difference: float | None, measure: str) -> str:
    return f"a difference of {shown(difference)} in {measure}"
