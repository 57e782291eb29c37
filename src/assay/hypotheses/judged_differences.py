"""Two models on items that a judge graded for both, and people for some: is one better? (T5)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Estimate, Interval, TestOutcome
from assay.estimates.judged_means import (
    ASSOCIATION,
    MANY_LABELS,
    SURPRISES,
    SURPRISES_OF_FEW,
    seldom_notes,
    used,
    values_of,
)
from assay.estimates.judged_values import ItemValues
from assay.estimates.method_question import MethodQuestion
from assay.kernels.judge_correction import (
    FEW_LABELS,
    Corrected,
    JudgedStrata,
    Limits,
    corrected,
    p_of_limits,
)
from assay.kernels.tails import alpha_of, normal_p, normal_reach, t_p

_FLAT = note(
    "zero-variance", what="the differences", method="judged_difference", remedy="label more items"
)
_RANDOM = "people graded a random sample of the judged items"
ADJUSTED = 6.0
"""Residuals that must carry the error of a pair of rates for pseudo-items to do (decision 0295)."""
PART_OF_REACH = 0.75
"""Of the largest difference there may be: both grades of an item are seldom as wrong as can be (decision 0275)."""


@method(
    question="Is one model better than another by people's grades, given a judge's grades of many more items?",
    takes="judged",
    gives="test",
    unit="item",
    assumes=(_RANDOM, "independent items", "the mean difference is near normal"),
    reference="Cochran (1977), Sampling Techniques, 3rd ed., chapter 12; "
    "Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv 2311.01453",
    requirement="T5",
    formula="t = (difference - null)/standard_error, difference = people_mean + slope (judge_mean - judge_mean_graded)",
    name="judge-assisted paired t",
    exempt={
        "swap": "the evidence is one column of differences",
        "shift": "the evidence is one column of differences",
    },
)
def judged_difference(
    people: Any,
    judge: Any,
    *,
    null: float = 0.0,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> TestOutcome:
    """The mean of people's differences A minus B, helped by the judge's differences on all items.

    ``people`` has gaps (NaN), ``judge`` none. ``compare`` uses it where the judge's differences
    go with people's, and people's labels alone where they do not.
    """
    values = values_of(people, judge)
    found = corrected(values.people, values.judge, values.sample)
    asked = MethodQuestion.of("judged_difference", level=level, alternative=alternative, null=null)
    return _t_outcome(asked, values, found)


@method(
    question="Is one model right more often than another by people, given a judge's verdicts on many more items?",
    takes="judged",
    gives="test",
    unit="item",
    assumes=(_RANDOM, "independent items"),
    reference="Zou & Donner (2008), Statistics in Medicine 27: 1693-1702; Tenenbein (1970), JASA 65: 1350-1361",
    requirement="T5",
    formula="sum of weight · difference over what the judge says; limits: squares of Jeffreys' distances added",
    name="judge-assisted difference of rates (stratified)",
    title="judge-assisted test of a difference of rates (stratified)",
    exempt={
        "swap": "the evidence is one column of differences",
        "shift": "the evidence is one column of differences",
    },
)
def judged_paired_rates(
    people: Any, judge: Any, *, null: float = 0.0, level: float = 0.95
) -> TestOutcome:
    """The difference of two rates of right answers, within what the judge says of the pair: A, B or neither.

    Both columns hold -1, 0 and 1 (right minus right), ``people`` with gaps. The p-value is the
    level at which the interval meets ``null``.
    """
    values = values_of(people, judge)
    _check_verdicts(values, "judged_paired_rates")
    found = corrected(values.people, values.judge, values.sample)
    asked = MethodQuestion.of("judged_paired_rates", level=level, null=null)
    return _stratified_outcome(asked, values, found)


@method(
    question="Is one model right more often than another, given a judge that errs often enough to tell how often?",
    takes="judged",
    gives="test",
    unit="item",
    assumes=(_RANDOM, "independent items"),
    reference="Bonett & Price (2012), Journal of Educational and Behavioral Statistics 37: 479-488; Cochran (1977), "
    "Sampling Techniques, 3rd ed., chapter 12",
    requirement="T5",
    formula="z = (centre - null)/adjusted_error, two pseudo-items added to the labels",
    name="judge-assisted difference of rates (adjusted)",
    title="judge-assisted test of a difference of rates (adjusted)",
    exempt={
        "swap": "the evidence is one column of differences",
        "shift": "the evidence is one column of differences",
    },
)
def judged_adjusted_rates(
    people: Any, judge: Any, *, null: float = 0.0, level: float = 0.95
) -> TestOutcome:
    """The difference of two rates of right answers by regression on the judge's, with two pseudo-items.

    Both columns hold -1, 0 and 1 (right minus right), ``people`` with gaps. The slope is drawn towards
    0 as few labels ask for. `compare` uses it below 200 labels where six residuals carry the error.
    """
    values = values_of(people, judge)
    _check_verdicts(values, "judged_adjusted_rates")
    found = corrected(values.people, values.judge, values.sample)
    asked = MethodQuestion.of("judged_adjusted_rates", level=level, null=null)
    return _adjusted_outcome(asked, values, _softened(values, found))


def _check_verdicts(values: ItemValues, name: str) -> None:
    for column in (values.people, values.judge):
        if not np.isin(column, (-1.0, 0.0, 1.0)).all():
            raise EvidenceError(
                f"{name} takes -1, 0 and 1: of other differences use judged_difference"
            )


def difference_outcome(
    values: ItemValues, level: float, *, counted: bool
) -> TestOutcome | tuple[Note, ...]:
    """The outcome with the judge's help; only the reason where people's labels should be used alone."""
    found = corrected(values.people, values.judge, values.sample)
    found = replace(found, reach=PART_OF_REACH * found.reach)
    if counted and values.sample.units < MANY_LABELS and found.association > 0.0:
        soft = _softened(values, found)
        if soft.surprises >= ADJUSTED:
            asked = MethodQuestion.of("judged_adjusted_rates", level=level)
            return _adjusted_outcome(asked, values, soft)
    chosen = used(values, found, counted=counted)
    if counted and _carried(found, values.sample.units):
        chosen, counted = found, False
    if not isinstance(chosen, Corrected):
        return chosen
    if counted:
        asked = MethodQuestion.of("judged_paired_rates", level=level)
        return _stratified_outcome(asked, values, chosen)
    if values.sample.units < FEW_LABELS and not chosen.seldom:
        chosen = _drawn_back(values, chosen)
    return _t_outcome(MethodQuestion.of("judged_difference", level=level), values, chosen)


def _carried(found: Corrected, labels: int) -> bool:
    """Whether so many labels disagree with the judge that a pair of rates is as near normal as grades (decision 0275).

    From many labels on a judge that tells nothing costs nothing, so that nobody need ask whether it does.
    """
    if found.association < ASSOCIATION:
        return labels >= MANY_LABELS and found.surprises >= SURPRISES_OF_FEW
    return labels >= FEW_LABELS and found.surprises >= SURPRISES


def _drawn_back(values: ItemValues, found: Corrected) -> Corrected:
    """The same with a smaller slope: one that few labels have just found is too steep on average (decision 0275)."""
    kept = 1.0 - ASSOCIATION * (1.0 / found.association - 1.0 / values.sample.units)
    less = corrected(values.people, values.judge, values.sample, kept=kept)
    return replace(less, df=found.df)


def _softened(values: ItemValues, found: Corrected) -> Corrected:
    """The same with the part of the slope that few labels should keep: nobody need ask whether the judge helps."""
    return corrected(values.people, values.judge, values.sample, kept=found.kept)


def _adjusted_outcome(asked: MethodQuestion, values: ItemValues, found: Corrected) -> TestOutcome:
    second = float(values.sample.own_shares @ values.people**2)
    centre, error = found.with_pseudo_items(second, values.sample.size)
    reach = normal_reach(asked.level, "two-sided") * error
    statistic = (centre - asked.null) / error
    return asked.outcome(
        statistic,
        normal_p(statistic, "two-sided"),
        _effect(
            asked,
            values,
            found,
            found.value,
            asked.interval(max(centre - reach, -1.0), min(centre + reach, 1.0)),
        ),
        details=(
            ("difference", found.value),
            ("centre", centre),
            ("adjusted_error", error),
            ("people_mean", found.people),
            ("slope", found.slope),
            ("judge_mean", values.sample.mean(values.judge)),
            ("judge_mean_graded", float(values.sample.own_shares @ values.judge[values.graded])),
        ),
    )


def _t_outcome(asked: MethodQuestion, values: ItemValues, found: Corrected) -> TestOutcome:
    sample, df = values.sample, found.df
    statistic = p_value = interval = None
    if found.seldom:
        statistic = (found.value - asked.null) / found.error
        p_value, interval = _inverted(asked, found.likely_limits, found.value)
    elif not found.flat:
        statistic = (found.value - asked.null) / found.error
        p_value = t_p(statistic, df, asked.side)
        interval = asked.t_interval(found.value, found.error, df)
    return asked.outcome(
        statistic,
        p_value,
        _effect(asked, values, found, found.value, interval),
        notes=(_FLAT,) if statistic is None else seldom_notes(found, values),
        details=(
            ("difference", found.value),
            ("standard_error", found.error),
            ("df", df),
            ("people_mean", found.people),
            ("slope", found.slope),
            ("judge_mean", sample.mean(values.judge)),
            ("judge_mean_graded", float(sample.own_shares @ values.judge[values.graded])),
        ),
    )


def _stratified_outcome(asked: MethodQuestion, values: ItemValues, found: Corrected) -> TestOutcome:
    null = asked.null
    strata = JudgedStrata.of(values.people, values.judge, values.graded)

    def limits(at: float) -> tuple[float, float]:
        return strata.limits(at, paired=True)

    p_value, interval = _inverted(asked, limits, strata.value)
    return asked.outcome(
        None if found.error <= 0.0 else (strata.value - null) / found.error,
        p_value,
        _effect(asked, values, found, strata.value, interval),
        details=tuple(
            (f"{name}_{place}", float(column[place]))
            for place in range(strata.counts.size)
            for name, column in (
                ("weight", strata.weights),
                ("graded", strata.counts),
                ("difference", strata.means),
            )
        ),
    )


def _inverted(
    asked: MethodQuestion, limits: Callable[[float], Limits], value: float
) -> tuple[float, Interval | None]:
    """The interval, and the p-value that inverts it: both say the same of the null."""
    low, high = limits(asked.level)
    p_value = p_of_limits(limits, value, asked.null)
    alpha = alpha_of(asked.level)
    inside = low <= asked.null <= high
    p_value = max(p_value, np.nextafter(alpha, 1.0)) if inside else min(p_value, alpha)
    return float(p_value), asked.interval(low, high)


def _effect(
    asked: MethodQuestion,
    values: ItemValues,
    found: Corrected,
    value: float,
    interval: Interval | None,
) -> Estimate:
    return asked.estimate(
        "mean difference",
        value,
        int(values.graded.size),
        interval,
        found.error,
        details=(
            ("judge_alone", values.uncorrected),
            ("people_alone", found.people),
            ("labels", int(values.graded.size)),
        ),
    )
