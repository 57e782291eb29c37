"""A mean or a rate from many items that a judge graded and few that people did.

The judge's grades are evidence only as far as they go with people's: where the two do not go together, or where
too few labels carry the error, people's labels are used alone, and a note says so.
"""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_floats, as_values, check_level
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Estimate, Interval
from assay.core.tolerances import TIE
from assay.estimates.judged_values import ItemValues
from assay.kernels.judge_correction import (
    FEW_LABELS,
    Corrected,
    JudgedSample,
    JudgedStrata,
    corrected,
)
from assay.kernels.skewness import lean_of, wider_limits
from assay.kernels.tails import t_reach

ASSOCIATION = 4.0
"""n r² from which on the judge is used: about where a test of no association rejects at 5 %."""
SURPRISES, SURPRISES_OF_FEW = 5.0, 8.0
"""Residuals that must carry the standard error: of many labels, and of few (decision 0175)."""
LEAST = 3.5
"""Residuals that may do so with their own degrees of freedom instead of the labels' (decision 0262)."""
LEVEL = 0.95
"""At which it is decided whether the judge helps, whatever level is asked for: intervals of all levels are nested."""
GROWTH, SKEWED = 6.63, 1.5
"""n r² of the size of residuals and the judge's grades (a test at 1 %), and the skewness of people's grades, from
which on errors grow with grades that lean (decision 0295)."""
FAR_OFF = 0.002
"""The share of grades far from all labelled ones from which on they matter."""
MANY_LABELS, UNSEEN, UNSEEN_OF_FEWER = 200, 4.0, 6.0
"""So many errors of half the grades' range are added where fewer were seen: from so many labels on, and of fewer (but
not of few; decisions 0225 and 0262)."""

_FLAT = note("zero-variance", what="the grades", method="judged_mean", remedy="label more items")

_judged = partial(
    method,
    takes="judged",
    gives="estimate",
    unit="item",
    requirement="I2",
)
_RANDOM = "people graded a random sample of the judged items"


@_judged(
    question="What is the mean of people's grades, given a judge's grades of many more items?",
    assumes=(_RANDOM, "independent items"),
    reference="Cochran (1977), Sampling Techniques, 3rd ed., chapter 12; "
    "Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv 2311.01453",
    formula="people_mean + slope (judge_mean - judge_mean_graded) ± t standard_error",
    name="judge-assisted mean (regression)",
)
def judged_mean(people: Any, judge: Any, *, level: float = 0.95) -> Estimate:
    """The mean of people's grades, corrected by what the judge says of the items that people did not grade.

    ``people`` has gaps (NaN or None), ``judge`` none. The slope is that of least squares; the
    standard error is robust (HC2) and counts that the judged items are a sample too.
    """
    values = values_of(people, judge)
    found = corrected(values.people, values.judge, values.sample)
    made = estimate_of(values, found, t_interval(found, check_level(level)), "judged_mean")
    if found.flat:
        return replace(made, interval=None, notes=(*made.notes, _FLAT))
    return made


@_judged(
    question="What is the rate of right answers by people, given a judge's verdicts on many more items?",
    assumes=(_RANDOM, "independent items"),
    reference="Tenenbein (1970), JASA 65: 1350-1361; Zou & Donner (2008), Statistics in Medicine 27: 1693-1702",
    formula="sum of weight · rate over the judge's verdicts; limits: squares of Jeffreys' distances added",
    name="judge-assisted rate (stratified)",
)
def judged_proportion(people: Any, judge: Any, *, level: float = 0.95) -> Estimate:
    """The rate of 1 by people, estimated within what the judge says and weighted by how often it says so.

    Both are 0 and 1, ``people`` with gaps. Honest with few labels and with a judge that is nearly
    always right, where a normal approximation would have no width.
    """
    values = values_of(people, judge)
    if not values.right_or_wrong:
        raise EvidenceError("judged_proportion takes 0 and 1: of other grades use judged_mean")
    return _stratified(
        values, corrected(values.people, values.judge, values.sample), check_level(level)
    )


@_judged(
    question="What is the true rate, if a judge's errors are as frequent on all items as on those that people graded?",
    assumes=(_RANDOM, "the judge's sensitivity and specificity are the same on all items"),
    reference="Rogan & Gladen (1978), American Journal of Epidemiology 107: 71-76; Lang & Reiczigel (2014), "
    "Preventive Veterinary Medicine 113: 13-22",
    formula="(judged_rate + specificity - 1)/(sensitivity + specificity - 1), adjusted for estimated errors",
    name="Rogan-Gladen",
)
def rogan_gladen(people: Any, judge: Any, *, level: float = 0.95) -> Estimate:
    """The judge's rate, corrected by its sensitivity and specificity, with Lang and Reiczigel's interval.

    It stands beside `judged_proportion`, which is narrower on a random sample unless labels are few
    and rates near 0 or 1, and serves where people graded right and wrong answers in other shares.
    """
    values = values_of(people, judge)
    if not values.right_or_wrong:
        raise EvidenceError("rogan_gladen takes 0 and 1")
    return _rogan_gladen(values, check_level(level))


def values_of(people: Any, judge: Any) -> ItemValues:
    """Two plain columns as values of a random sample."""
    verdicts = as_values(judge, "the judge's grades, one for every item,")
    grades = _with_gaps(people)
    if grades.size != verdicts.size:
        raise EvidenceError(
            f"people have {grades.size} values and the judge {verdicts.size}: one of each per item"
        )
    graded = np.flatnonzero(~np.isnan(grades))
    if graded.size < 3:
        raise EvidenceError(f"people graded {graded.size} items: three or more are needed")
    sample = JudgedSample.of(graded, grades.size)
    return ItemValues(
        people=grades[graded],
        judge=verdicts,
        graded=graded,
        sample=sample,
        uncorrected=float(verdicts.mean()),
    )


def _with_gaps(people: Any) -> FloatArray:
    """People's grades, NaN where there is none; what there is is checked like every number."""
    grades = as_floats(people, "people's grades", meant="numbers, or gaps (NaN or None)").ravel()
    as_values(grades[~np.isnan(grades)], "people's grades", at_least=0)
    return grades


def used(
    values: ItemValues, found: Corrected, *, counted: bool, bounded: bool = False
) -> Corrected | tuple[Note, ...]:
    """The correction to use, or why people's labels stand alone (decisions 0175 and 0225).

    ``counted`` where strata of 0 and 1 do without a normal approximation, ``bounded`` of a measure with ends.
    """
    labels = values.sample.units
    if found.association < ASSOCIATION:
        return (note("judge-unused", labels=labels, why=_UNRELATED),)
    if counted:
        return found
    if _far_off(values):
        return (note("judge-unused", labels=labels, why=_FAR),)
    least = SURPRISES_OF_FEW if labels < FEW_LABELS else SURPRISES
    if values.sample.df(2) >= 3 and found.surprises >= least:
        return found
    doubted = None
    if values.sample.simple and values.sample.df(2) >= 3:
        doubted = _doubted(found, labels, bounded=bounded)
    return doubted or (note("judge-unused", labels=labels, why=_FEW),)


def _doubted(found: Corrected, labels: int, *, bounded: bool) -> Corrected | None:
    """A judge that seldom erred: with the degrees of freedom that this leaves, or with errors that no label showed.

    These are a likelihood's, and of a measure with ends some that are added; None if labels alone are narrower.
    """
    if labels < MANY_LABELS and found.surprises >= LEAST:
        return found.satterthwaite(labels)
    if not bounded:
        likely = by_likelihood(found)
        return likely if likely.error < found.people_error else None
    if labels < FEW_LABELS:
        return None
    errors = UNSEEN if labels >= MANY_LABELS else UNSEEN_OF_FEWER
    error = float(np.sqrt(found.error**2 + errors * (found.reach / (2.0 * labels)) ** 2))
    return replace(found, error=error) if error < found.people_error else None


def by_likelihood(found: Corrected) -> Corrected:
    """The same with the limits of the likelihood, and the standard error that these stand for (decision 0295)."""
    low, high = found.likely_limits(LEVEL)
    error = (high - low) / (2.0 * t_reach(LEVEL, found.df, "two-sided"))
    return replace(found, error=error, seldom=True)


def seldom_notes(found: Corrected, values: ItemValues) -> tuple[Note, ...]:
    return (note("judge-seldom-errs", labels=values.sample.units),) if found.seldom else ()


def _far_off(values: ItemValues) -> bool:
    """Whether the judge gives grades farther from all that people checked than these are apart (decision 0286).

    An answer that could not be parsed and counts as 0, say: no label tells how wrong it is.
    """
    own = values.judge[values.graded]
    low, high = float(own.min()), float(own.max())
    beyond = (values.judge < 2.0 * low - high) | (values.judge > 2.0 * high - low)
    return float(beyond.mean()) > FAR_OFF


_UNRELATED = "its grades do not go with people's more than chance would have it"
_FAR = "it gives grades that are far from all that people checked"
_FEW = "too few labels disagree with it to tell how far it errs"


def t_interval(found: Corrected, level: float) -> Interval:
    reach = t_reach(level, found.df, "two-sided") * found.error
    return Interval(
        low=found.value - reach, high=found.value + reach, level=level, method="judged_mean"
    )


def corrected_estimate(
    values: ItemValues, alone: Estimate, level: float, bounds: tuple[float, float]
) -> Estimate:
    """The estimate of a model with the judge's help, or people's labels ``alone`` where it does not help."""
    found = corrected(values.people, values.judge, values.sample)
    counted = values.right_or_wrong
    chosen = used(values, found, counted=counted, bounded=bool(np.isfinite(bounds).any()))
    if isinstance(chosen, Corrected) and not np.isfinite(bounds).any():
        chosen = _growing(chosen, values)
    if not isinstance(chosen, Corrected) or alone.value is None:
        kept = alone.notes if isinstance(chosen, Corrected) else (*alone.notes, *chosen)
        beside = _beside(values, found, alone, bounds)
        return replace(alone, notes=kept, details=(*alone.details, *beside))
    if counted:
        made = _stratified(values, chosen, level)
    else:
        made = estimate_of(
            values, chosen, _scaled(chosen, values, alone, level, bounds), "judged_mean"
        )
    return replace(
        made,
        measure=alone.measure,
        model=alone.model,
        notes=(*made.notes, *seldom_notes(chosen, values)),
        details=(*made.details, *_beside(values, found, alone, bounds)),
    )


def _scaled(
    found: Corrected, values: ItemValues, alone: Estimate, level: float, bounds: tuple[float, float]
) -> Interval:
    """The interval of labels alone, moved to the corrected value and narrowed by the ratio of standard errors.

    It keeps what that interval knows about small samples and ends of scales. Grades have no ends, and theirs leans
    as what the judge leaves to be estimated does, not as the grades themselves.
    """
    if found.seldom:
        low, high = found.likely_limits(level)
        return Interval(low=low, high=high, level=level, method="judged_mean")
    if alone.interval is None or alone.value is None or found.people_error <= 0.0:
        return t_interval(found, level)
    if values.sample.simple and not np.isfinite(bounds).any():
        reach = t_reach(level, found.df, "two-sided")
        ends = wider_limits(found.value, found.error, reach, _lean(found, values.people))
        return Interval(low=float(ends[0]), high=float(ends[1]), level=level, method="judged_mean")
    narrower = found.error * t_reach(level, found.df, "two-sided")
    narrower /= found.people_error * t_reach(level, values.sample.df(1), "two-sided")
    low = found.value - narrower * (alone.value - alone.interval.low)
    high = found.value + narrower * (alone.interval.high - alone.value)
    return Interval(
        low=max(low, bounds[0]), high=min(high, bounds[1]), level=level, method="judged_mean"
    )


def _growing(found: Corrected, values: ItemValues) -> Corrected:
    """The same with HC3 and the lean of people's grades, where errors clearly grow with grades that lean."""
    labels = values.people.size
    if not values.sample.simple or labels < FEW_LABELS or found.surprises < SURPRISES:
        return found
    skewness = abs(float(lean_of(values.people))) * np.sqrt(labels)
    if found.growth < GROWTH or skewness < SKEWED:
        return found
    return replace(found, error=max(found.error, found.cautious), grows=True)


def _lean(found: Corrected, people: FloatArray) -> float:
    """How far the corrected mean leans: as its residuals do, from 40 labels on no farther than people's grades do.

    A judge that errs in few labels leaves residuals whose skewness is that of these few (decision 0286). Where
    errors grow with grades that lean, it leans as these do.
    """
    own, grades = float(lean_of(found.terms)), float(lean_of(people))
    if found.grows:
        return grades
    return own if people.size < FEW_LABELS or abs(own) < abs(grades) else grades


def _beside(
    values: ItemValues, found: Corrected, alone: Estimate, bounds: tuple[float, float]
) -> tuple[tuple[str, Any], ...]:
    """What the judge says uncorrected, if it is on people's scale, and what people's labels say alone."""
    interval = alone.interval
    judge = min(max(values.uncorrected, bounds[0]), bounds[1])
    # shares of items add up to 1 but for rounding
    same_scale = abs(judge - values.uncorrected) <= TIE
    same_scale = same_scale and (values.one_scale or bool(np.isfinite(bounds).any()))
    return (
        ("judge_alone", judge if same_scale else None),
        ("people_alone", alone.value),
        ("people_low", None if interval is None else interval.low),
        ("people_high", None if interval is None else interval.high),
        ("labels", int(values.graded.size)),
        ("association", found.association),
    )


def estimate_of(values: ItemValues, found: Corrected, interval: Interval, name: str) -> Estimate:
    sample = values.sample
    return Estimate(
        measure="mean",
        value=found.value,
        interval=interval,
        method=name,
        n=sample.size,
        unit="item",
        standard_error=found.error,
        details=(
            ("people_mean", found.people),
            ("slope", found.slope),
            ("judge_mean", sample.mean(values.judge)),
            ("judge_mean_graded", float(sample.own_shares @ values.judge[values.graded])),
            ("standard_error", found.error),
            ("t", t_reach(interval.level, found.df, "two-sided")),
            ("df", found.df),
        ),
    )


def _stratified(values: ItemValues, found: Corrected, level: float) -> Estimate:
    strata = JudgedStrata.of(values.people, values.judge, values.graded)
    low, high = strata.limits(level, paired=False)
    return Estimate(
        measure="mean",
        value=strata.value,
        interval=Interval(low=low, high=high, level=level, method="judged_proportion"),
        method="judged_proportion",
        n=strata.size,
        unit="item",
        standard_error=found.error,
        details=tuple(
            (f"{name}_{place}", float(column[place]))
            for place in range(strata.counts.size)
            for name, column in (
                ("weight", strata.weights),
                ("graded", strata.counts),
                ("rate", strata.means),
            )
        ),
    )


def _rogan_gladen(values: ItemValues, level: float) -> Estimate:
    """Lang and Reiczigel: pseudo-counts in all three rates, then the delta method."""
    z = t_reach(level, 1e9, "two-sided")
    own = values.judge[values.graded]
    plus, minus = values.people == 1.0, values.people == 0.0
    rates, sizes = [], []
    for hits, size, added in (
        (float(values.judge.sum()), float(values.judge.size), z * z / 2.0),
        (float(own[plus].sum()), float(plus.sum()), 1.0),
        (float((1.0 - own[minus]).sum()), float(minus.sum()), 1.0),
    ):
        rates.append((hits + added) / (size + 2.0 * added))
        sizes.append(size + (2.0 * added if added > 1.0 else 2.0))
    judged, sensitivity, specificity = rates
    youden = sensitivity + specificity - 1.0
    plain = _plain_rates(values)
    details = (("judged_rate", plain[0]), ("sensitivity", plain[1]), ("specificity", plain[2]))
    blank = Estimate(
        measure="mean", value=None, interval=None, method="rogan_gladen", n=values.judge.size, unit="item",
        details=details,
    )  # fmt: skip
    if plain[1] is None or plain[2] is None or plain[1] + plain[2] <= 1.0 or youden <= 0.0:
        return replace(
            blank, notes=(note("judge-no-better", sensitivity=plain[1], specificity=plain[2]),)
        )
    value = min(max((plain[0] + plain[2] - 1.0) / (plain[1] + plain[2] - 1.0), 0.0), 1.0)
    centre = (judged + specificity - 1.0) / youden
    error = np.sqrt(
        judged * (1.0 - judged) / sizes[0]
        + centre**2 * sensitivity * (1.0 - sensitivity) / sizes[1]
        + (1.0 - centre) ** 2 * specificity * (1.0 - specificity) / sizes[2]
    ) / youden  # fmt: skip
    shift = 2.0 * z * z * (
        centre * sensitivity * (1.0 - sensitivity) / sizes[1]
        - (1.0 - centre) * specificity * (1.0 - specificity) / sizes[2]
    )  # fmt: skip
    low, high = centre + shift - z * error, centre + shift + z * error
    interval = Interval(
        low=min(max(float(low), 0.0), value), high=max(min(float(high), 1.0), value), level=level,
        method="rogan_gladen",
    )  # fmt: skip
    return replace(blank, value=value, interval=interval, standard_error=float(error))


def _plain_rates(values: ItemValues) -> tuple[float, float | None, float | None]:
    own = values.judge[values.graded]

    def share(chosen: FloatArray, rows: Any) -> float | None:
        return float(chosen[rows].mean()) if rows.any() else None

    plus = values.people == 1.0
    return float(values.judge.mean()), share(own, plus), share(1.0 - own, ~plus)
