"""`assay.plan`: how much evidence is needed, or what a study of a given size can find."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import (
    check_choice,
    check_count,
    check_level,
    many_names,
    only_one,
)
from assay.core.errors import UsageError
from assay.core.fold_budgets import FITS_OF_VALID
from assay.core.methods import find_method
from assay.core.notes import Note, note
from assay.core.plan_results import Plan, PlanCase
from assay.core.progress import Task, task
from assay.core.results import Curve, Details
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import ALTERNATIVES, UNIT_PLURAL, UNITS
from assay.evidence.judged_items import Judged
from assay.evidence.reading import read_any
from assay.hypotheses.least_p import signs
from assay.kernels.special import ndtri
from assay.kernels.tails import alpha_of, normal_reach
from assay.measures.registry import Measure, find_measure
from assay.plan.pilot import pose_from
from assay.plan.planning_facts import (
    UNKNOWN,
    Pair,
    PlanFacts,
    PlanQuestion,
    PlanSetting,
    PowerFunction,
)
from assay.plan.power_means import tail_share
from assay.plan.sentences import sentence_of
from assay.plan.size_solver import MOST, difference_for, power_of, units_for
from assay.plan.test_choice import is_outcome, pose

USUAL_POWER = 0.8
Solved = Literal["n", "power", "difference", "half_width"]
POINTS = 20
"""Points of the curve."""
LOOKS = 80
"""How often the power of a question is looked at, about, until it is answered and drawn."""


@many_names
def plan(
    measure: str | Measure | Callable[..., float] | None = None,
    *,
    n: int | None = None,
    power: float | None = None,
    difference: float | None = None,
    half_width: float | None = None,
    pilot: Any = None,
    method: str | None = None,
    unit: str | None = None,
    paired: bool | None = None,
    among: int = 2,
    baseline: float | None = None,
    against: float | None = None,
    discordant: float | None = None,
    prevalence: float | None = None,
    correlation: float | None = None,
    sd: Pair | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    repeats_per_item: Pair | None = None,
    sd_within: Pair | None = None,
    folds: int | None = None,
    test_share: float | None = None,
    algorithms: bool = False,
    level: float = 0.95,
    alternative: str = "two-sided",
    variant: str | None = None,
    n_resamples: int = 9999,
    rng: Rng = None,
    **reading: Any,
) -> Plan:
    """Power, sample size or minimal detectable difference, before the data are there.

    Give two of ``n``, ``power`` and ``difference`` and the third is found (``difference`` alone: n for
    a power of 0.8); ``half_width`` (or ``n`` alone) plans the width of an interval instead. The test
    is the one that `compare` would use for this measure and unit, or ``method``. What it needs to know (``discordant``,
    ``sd`` …) comes from the arguments or from a ``pilot`` (and ``reading``, as `assay.read` takes
    it), whose n stands in where none is given; the difference seen in it plays no part. ``among``
    is the number of models compared. ``algorithms`` plans the comparison of two learning algorithms on
    one data set, trained on repeats of five folds: ``difference`` alone shows the power of 10, 25,
    50, 100 and 500 fits of each. ``docs/methods/power.md`` has every question.

    Examples
    --------
    >>> plan("accuracy", discordant=0.1, difference=0.02, power=0.8).n
    1945
    """
    facts = PlanFacts(
        baseline=baseline, against=against, discordant=discordant, prevalence=prevalence,
        correlation=correlation, sd=sd, cluster_size=cluster_size, icc=icc,
        repeats_per_item=repeats_per_item, sd_within=sd_within, folds=folds, test_share=test_share,
    )  # fmt: skip
    if algorithms:
        unit = _unit_of_algorithms(unit)
        solved = half_width is not None or (power is not None and difference is not None)
        n = FITS_OF_VALID if n is None and not solved else n
    measure = only_one(measure)
    chosen = _measure(measure, unit, pilot)
    setting = PlanSetting(
        level=check_level(level),
        side=check_choice(alternative, ALTERNATIVES, "alternative"),
        unit=check_choice(unit or "item", UNITS, "unit"),
        variant=variant,
        outcome=is_outcome(chosen),
        squares=chosen is not None and chosen.squared,
        algorithms=algorithms,
        models=check_count(among, "among", at_least=2),
        n_resamples=check_count(n_resamples, "n_resamples", at_least=100),
        seed=seed_of(rng),
    )
    asked = PlanRequest(n=n, power=power, difference=difference, half_width=half_width)
    if pilot is not None:
        if method is not None:
            raise UsageError("the test follows from the pilot: leave method out, or the pilot")
        sources = pilot if isinstance(pilot, list | tuple) else (pilot,)
        read = read_any(*sources, unit=unit, paired=paired is not False, **reading)
        return _from_pilot(read, measure, facts, setting, asked)
    if reading:
        raise UsageError(f"{', '.join(reading)} describes a pilot, and none is given")
    asked = asked.with_usual_power()
    questions = pose(
        chosen, facts, setting, method=method, paired=paired, width=asked.solved == "half_width"
        or half_width is not None,
    )  # fmt: skip
    return _planned(questions, str(chosen.called if chosen else measure or "score"), asked, setting)


def _from_pilot(
    evidence: Any, measure: Any, facts: PlanFacts, setting: PlanSetting, asked: "PlanRequest"
) -> Plan:
    """A plan whose test and spread are those of a pilot."""
    if isinstance(evidence, Judged):
        from assay.plan.labels import plan_labels

        return plan_labels(evidence, measure=measure, level=setting.level, **asdict(asked))
    found = pose_from(evidence, measure, facts, setting)
    return _planned((found.question,), found.measure, asked.with_pilot(found.n), setting, found.n)


def _counted(questions: tuple[PlanQuestion, ...], told: Task) -> tuple[PlanQuestion, ...]:
    """The same questions, which tell how far the work has come whenever their power is looked at."""
    looks = 0

    def counting(power: PowerFunction) -> PowerFunction:
        def counted(n: FloatArray, difference: float) -> FloatArray:
            nonlocal looks
            found = power(n, difference)
            looks += n.size
            told.reach(min(looks / (LOOKS * len(questions)), 0.95))
            return found

        return counted

    return tuple(
        one if one.power is None else replace(one, power=counting(one.power)) for one in questions
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What is given and what is sought."""

    n: int | None
    power: float | None
    difference: float | None
    half_width: float | None = None

    def __post_init__(self) -> None:
        if self.n is not None:
            check_count(self.n, "n", at_least=1)
        if self.power is not None and not 0.0 < self.power < 1.0:
            raise UsageError(f"power is a chance between 0 and 1 such as 0.8; got {self.power!r}")
        if self.difference is not None and not (self.difference and math.isfinite(self.difference)):
            raise UsageError(f"difference is the size to be found, not 0; got {self.difference!r}")
        if self.half_width is not None and not 0.0 < self.half_width < math.inf:
            raise UsageError(f"half_width is above 0; got {self.half_width!r}")

    def with_pilot(self, n: int) -> "PlanRequest":
        """The pilot's n where one is needed: the study is as large as the pilot."""
        missing = self.n is None and self.half_width is None
        needs = missing and (self.power is None) != (self.difference is None)
        return replace(self, n=n) if needs else self

    def with_usual_power(self) -> "PlanRequest":
        """A difference alone asks how many units show it, with the power that studies usually have."""
        alone = self.difference is not None and self.n is None and self.half_width is None
        return replace(self, power=USUAL_POWER) if alone and self.power is None else self

    @property
    def solved(self) -> Solved:
        if self.half_width is not None:
            if self.n is not None or self.power is not None or self.difference is not None:
                raise UsageError("half_width is planned by itself: leave out n, power, difference")
            return "n"
        three = {"n": self.n, "power": self.power, "difference": self.difference}
        given = [name for name, value in three.items() if value is not None]
        if given == ["n"]:
            return "half_width"
        if len(given) != 2:
            raise UsageError(
                "give two of n=, power= and difference=: the third is found. For the width of an interval give "
                f"half_width=, or n= alone. Got {' and '.join(f'{one}=' for one in given) or 'none of them'}"
            )
        (sought,) = set(three) - set(given)
        return sought  # type: ignore[return-value]


def _unit_of_algorithms(unit: str | None) -> str:
    if unit not in (None, "fold"):
        raise UsageError(f"algorithms are trained on folds: leave out unit={unit!r}")
    return "fold"


def _measure(measure: Any, unit: str | None, pilot: Any) -> Measure | None:
    """The measure of items; over folds, seeds and data sets it is only a name."""
    if pilot is not None or unit not in (None, "item"):
        return None
    if not (measure is None or isinstance(measure, str | Measure) or callable(measure)):
        raise UsageError("plan takes a measure first: give the evidence as pilot=…")
    return find_measure("accuracy" if measure is None else measure)


def _planned(
    questions: tuple[PlanQuestion, ...],
    measure: str,
    asked: PlanRequest,
    setting: PlanSetting,
    pilot_n: int | None = None,
) -> Plan:
    with task("planning") as told:
        return _plan_of(_counted(questions, told), measure, asked, setting, pilot_n)


def _plan_of(
    questions: tuple[PlanQuestion, ...],
    measure: str,
    asked: PlanRequest,
    setting: PlanSetting,
    pilot_n: int | None,
) -> Plan:
    solved = asked.solved
    for question in questions:
        _check_asked(question, asked, setting)
    cases = tuple(_solve(one, asked, setting) for one in questions)
    first, answer = questions[0], cases[0] if len(cases) == 1 else _unsettled(asked)
    notes = [*first.notes, *_unknown(questions)]
    if solved != "half_width" and asked.half_width is None:
        notes += _caveats(first, asked, answer, setting) if len(cases) == 1 else ()
        notes += _multiplicity(first, setting)
    details = answer.details if len(cases) == 1 else ()
    if setting.pairs > 1:
        details += (("pairs", setting.pairs),)
    if pilot_n is not None and solved == "n" and asked.power is not None:
        smallest = difference_for(first, pilot_n, asked.power, setting.side)
        details += (("detectable_with_pilot", smallest),)
    found = Plan(
        question=first.asks,
        measure=measure,
        solved_for=solved,
        n=answer.n,
        power=answer.power,
        difference=answer.difference,
        half_width=answer.half_width,
        level=setting.level,
        unit=first.unit,
        method=first.method,
        alternative=setting.side,
        assumptions=first.assumptions,
        sentence="",
        curve=_curve(questions, cases, asked, setting),
        cases=cases if len(cases) > 1 else (),
        reference=first.reference,
        formula=first.formula,
        notes=tuple(notes),
        seed=setting.seed if first.simulated or first.drawn else None,
        details=details,
    )
    return replace(found, sentence=sentence_of(found, first, setting))


def _check_asked(question: PlanQuestion, asked: PlanRequest, setting: PlanSetting) -> None:
    difference, power = asked.difference, asked.power
    if power is not None and power <= alpha_of(setting.level):
        raise UsageError(f"power is above the level {alpha_of(setting.level):g}; got {power:g}")
    if difference is None:
        return
    if (setting.side == "greater" and difference < 0) or (
        setting.side == "less" and difference > 0
    ):
        raise UsageError(
            f"a test of {setting.side} does not look for a difference of {difference:g}"
        )
    most = question.reach[0] if difference < 0 else question.reach[1]
    if abs(difference) > most * (1.0 + 1e-12):
        raise UsageError(
            f"a difference of {difference:g} is beyond what is possible here, {most:.4g}"
        )


def _solve(question: PlanQuestion, asked: PlanRequest, setting: PlanSetting) -> PlanCase:
    """What is sought, under one assumption."""
    if asked.half_width is not None or asked.solved == "half_width":
        return _width(question, asked, setting)
    n, power, difference = asked.n, asked.power, asked.difference
    details: Details = question.details
    if n is None and power is not None and difference is not None:
        units = units_for(question, power, difference)
        n = units.n
        details += (("n_exact", units.exact),) if units.exact is not None else ()
        if n is not None:
            details += (("power_at_n", power_of(question, n, difference)),)
    elif power is None and n is not None and difference is not None:
        power = power_of(question, n, difference)
    elif n is not None and power is not None:
        difference = difference_for(question, n, power, setting.side)
    details += (
        *_sizes(question, n),
        ("z_alpha", float(-ndtri(tail_share(setting.alpha, setting.side)))),
    )
    if power is not None and 0.0 < power < 1.0:
        details += (("z_power", float(ndtri(power))),)
    return PlanCase(label=question.label, n=n, power=power, difference=difference, details=details)


def _width(question: PlanQuestion, asked: PlanRequest, setting: PlanSetting) -> PlanCase:
    """The half-width z sigma/√n, solved for n or for itself."""
    if question.sigma is None:
        named = f"{question.missing}=, {UNKNOWN[question.missing]}" if question.missing else ""
        wanted = named or "a question whose interval has a closed form"
        raise UsageError(f"the width cannot be planned without {wanted}")
    z = normal_reach(setting.level, setting.side)
    if z <= 0.0:
        raise UsageError("of one side an interval has a width from a level above 0.5 on")
    reach, n, half = z * question.sigma, asked.n, asked.half_width
    details: Details = (*question.details, ("z", z))
    if n is None and half is not None:
        if reach / half > math.sqrt(MOST):
            raise UsageError(
                f"a half-width of {half:g} beside a standard deviation of {question.sigma:g} is "
                "out of reach: no number of units gives it. Are both in the same unit?"
            )
        exact = (reach / half) ** 2
        n, details = max(1, math.ceil(exact * (1.0 - 1e-12))), (*details, ("n_exact", exact))
    elif n is not None:
        half = reach / math.sqrt(n)
    details = (*details, *_sizes(question, n))
    return PlanCase(
        label=question.label, n=n, power=None, difference=None, half_width=half, details=details
    )


def _sizes(question: PlanQuestion, n: int | None) -> Details:
    """What n comes to in clusters, in runs of folds, and for both models together."""
    if n is None:
        return ()
    size = dict(question.details).get("cluster_size")
    found: Details = ()
    if isinstance(size, float | int):
        found += (("questions" if question.repeated else "clusters", math.ceil(n / size)),)
    if question.multiple > 1:
        found += (("runs", math.ceil(n / question.multiple)),)
    return (*found, ("n_total", 2 * n)) if question.apart else found


def _unsettled(asked: PlanRequest) -> PlanCase:
    """What is given; what is sought is None, because the cases differ."""
    return PlanCase(
        label="",
        n=asked.n,
        power=asked.power,
        difference=asked.difference,
        half_width=asked.half_width,
    )


def _unknown(questions: tuple[PlanQuestion, ...]) -> tuple[Note, ...]:
    if len(questions) == 1:
        return ()
    missing = questions[0].missing
    return (note("unknown-fact", what=UNKNOWN[missing], option=f"{missing}="),)


def _caveats(
    question: PlanQuestion, asked: PlanRequest, answer: PlanCase, setting: PlanSetting
) -> tuple[Note, ...]:
    """Why there is no answer, where there is none; and that power was simulated."""
    units = UNIT_PLURAL[question.unit]
    if answer.n is None and asked.power is not None and asked.difference is not None:
        if question.limit is not None:
            limit = question.limit(asked.difference)
            given = {"power": asked.power, "difference": asked.difference}
            return (note("folds-limit", limit=limit, **given),)
        return (note("out-of-search", most=MOST, units=units, power=asked.power),)
    if answer.n is not None and answer.n < question.least:
        return _too_few(question, answer.n, setting)
    if answer.difference is None:
        largest = question.reach[0 if setting.side == "less" else 1]
        return (note("difference-out-of-reach", most=largest, n=answer.n, units=units),)
    if (answer.n or 0) > question.simulated:
        return ()
    power = answer.power if answer.power is not None else 0.5
    error = math.sqrt(max(power * (1.0 - power), 1e-4) / setting.n_resamples)
    return (note("simulated-power", n=setting.n_resamples, error=error),)


def _too_few(question: PlanQuestion, n: int, setting: PlanSetting) -> tuple[Note, ...]:
    """So few units that the test cannot reject, or cannot be made."""
    have = f"{n} {UNIT_PLURAL[question.unit]}"
    if find_method(question.method).least_p is signs:
        least = 2.0**-n * (2.0 if setting.side == "two-sided" else 1.0)
        return (note("cannot-reach-alpha", have=have, alpha=setting.alpha, least=least),)
    return (note("too-few-units", have=have, needed=question.least),)


def _multiplicity(question: PlanQuestion, setting: PlanSetting) -> tuple[Note, ...]:
    if setting.pairs == 1 or find_method(question.method).asks_of_all:
        return ()
    return (note("holm-first-step", pairs=setting.pairs, alpha=setting.alpha),)


def _curve(
    questions: tuple[PlanQuestion, ...],
    cases: tuple[PlanCase, ...],
    asked: PlanRequest,
    setting: PlanSetting,
) -> Curve:
    """Power (or half-width) by n, around the answer; a column for each case."""
    width = asked.half_width is not None or asked.solved == "half_width"
    least = max(question.least for question in questions)
    known = [case.n for case in cases if case.n is not None] or [20 * least]
    low, high = max(least, min(known) // 4), max(2 * max(known), 2 * least)
    step = questions[0].multiple
    spaced = np.geomspace if high > 20 * low else np.linspace
    around = step * np.unique(np.ceil(spaced(low, high, POINTS) / step))
    units = np.array(questions[0].points, dtype=np.float64) if questions[0].points else around
    columns: list[tuple[str, tuple[float, ...]]] = [("n", tuple(units.tolist()))]
    for question, case in zip(questions, cases, strict=True):
        name = question.label.split(":")[0] or ("half_width" if width else "power")
        if width:
            reach = normal_reach(setting.level, setting.side) * (question.sigma or math.nan)
            values = (reach / np.sqrt(units)).tolist()
        elif case.difference is None:
            continue
        else:
            difference = case.difference
            values = [power_of(question, one, difference) for one in units.tolist()]
        columns.append((name, tuple(float(value) for value in values)))
    return Curve(name="half-width" if width else "power", model=None, columns=tuple(columns))
