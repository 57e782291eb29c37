"""Which of many models is preferred: strengths from paired comparisons, such as those of an arena (T19)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.checks import check_choice, check_level
from assay.core.errors import NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, FamilyOutcome, Interval, TestOutcome
from assay.estimates.method_question import MethodQuestion
from assay.evidence.preferences import Preferences, as_preferences
from assay.hypotheses.pair_families import (
    FamilyAdjustment,
    FamilyQuestion,
    adjusted_p_values,
    build_family,
    check_adjustment,
    pair_indices,
    pair_levels,
)
from assay.kernels.bradley_terry import Fit, fitted, groups_of, position_exists, sandwich
from assay.kernels.special import expit, log_ndtr, ndtr, ndtri
from assay.kernels.tails import alpha_of

Variant = Literal["information", "sandwich"]
VARIANTS: tuple[Variant, ...] = ("information", "sandwich")
FLAT = 1e-9
"""A variance below this divided by the comparisons is rounding: that of n coin flips is 4/n."""
MOST_TOLD = 5
_METHOD = "bradley_terry"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strengths:
    """Log strengths with their covariance, NaN where there is none; ``groups`` of comparable models."""

    values: FloatArray
    covariance: FloatArray
    groups: IntArray
    position: tuple[float, float] | None = None
    log_likelihood: float | None = None


@method(
    question="Which models are preferred to which, from comparisons of two at a time?",
    takes="preferences",
    gives="family",
    unit="item",
    assumes=(
        "comparisons are independent",
        "one strength per model tells the chance of every pair",
        "enough comparisons for a normal approximation",
    ),
    reference="bradley1952 ford1957",
    requirement="T19",
    same_as="R: BradleyTerry2::BTm(cbind(won, lost), a, b, data = comparisons)  # then BTabilities",
    formula="z = (log_strength_a - log_strength_b)/standard_error",
    name="Bradley-Terry",
    title="Bradley-Terry model",
)
def bradley_terry(
    *evidence: Any,
    models: Sequence[str] | None = None,
    position: bool = False,
    variant: Variant = "information",
    adjustment: FamilyAdjustment = "holm",
    level: float = 0.95,
) -> FamilyOutcome:
    """Bradley and Terry's strengths by maximum likelihood, and every pair with its chance of winning.

    From rows (model_a, model_b, winner), a table with such columns, or a square matrix of wins, whose
    rows ``models`` name. A tie is half a win of each. ``position`` adds the advantage of being shown
    first. ``variant`` "sandwich" takes the spread from the outcomes instead of the model. Pairs
    that the wins do not connect (Ford's condition) have no estimate, and a note says which.
    """
    found = as_preferences(*evidence, models=models)
    confidence = check_level(level)
    kind = check_choice(variant, VARIANTS, "variant")
    if position and not found.placed:
        raise NotApplicable(
            "the effect of the position needs to know who was shown first. Give rows with columns "
            "model_a, model_b and winner, or leave position out"
        )
    strengths, notes = _strengths(found, kind, position=position)
    question = FamilyQuestion(
        method=_METHOD,
        models=found.models,
        measure="log_strength",
        n=found.n,
        unit="item",
        level=confidence,
        notes=(*_ties_noted(found, kind), *notes),
        details=_details(found, strengths),
    )
    family = _pairs(question, found, strengths, adjustment)
    return replace(family, estimates=tuple(_estimates(question, found, strengths)))


def _strengths(
    found: Preferences, variant: Variant, *, position: bool
) -> tuple[Strengths, tuple[Note, ...]]:
    """Strengths within each group of models that wins connect both ways."""
    k = len(found.models)
    groups = groups_of(found.wins)
    together = int(groups.max()) == 0
    none = Strengths(values=np.full(k, np.nan), covariance=np.full((k, k), np.nan), groups=groups)
    notes = () if together else (note("not-connected", groups=_told(found, groups)),)
    if position and not together:
        return none, notes
    if position and not position_exists(*_decided(found)):
        return none, (note("position-undefined"),)
    values, covariance = none.values, none.covariance
    likelihood = 0.0
    for group in range(int(groups.max()) + 1):
        place = np.flatnonzero(groups == group)
        if place.size < 2:
            continue
        fit = _fit(found, place, variant, position=position)
        likelihood += fit.log_likelihood
        values[place] = fit.values[: place.size]
        covariance[np.ix_(place, place)] = fit.covariance[: place.size, : place.size]
    shift = (
        (float(fit.values[k]), _root(float(fit.covariance[k, k]), found.n)) if position else None
    )
    made = replace(none, position=shift, log_likelihood=likelihood if together else None)
    return made, notes


def _fit(found: Preferences, place: IntArray, variant: Variant, *, position: bool) -> Fit:
    part = np.ix_(place, place)
    tables = (found.first[part], found.second[part], found.ties[part])
    fit = fitted(*tables, position=position)
    if fit is None:
        raise NotApplicable(
            "the likelihood of the strengths did not settle: some models are hardly connected; leave "
            "out those with very few comparisons"
        )
    if variant == "information":
        return fit
    return replace(fit, covariance=sandwich(fit, *tables, position=position))


def _decided(found: Preferences) -> tuple[FloatArray, FloatArray]:
    """Whether the first and the second were ever preferred; a tie speaks for both."""
    return found.first + found.ties, found.second + found.ties


def _pairs(
    question: FamilyQuestion, found: Preferences, strengths: Strengths, adjustment: str
) -> FamilyOutcome:
    """Every pair with the difference of its log strengths; adjusted over those that have one."""
    first, second = pair_indices(question.models, None)
    chosen = check_adjustment(adjustment, first.size, len(question.models))
    values, spread = strengths.values, strengths.covariance
    same = strengths.groups[first] == strengths.groups[second]
    variances = spread[first, first] + spread[second, second] - 2.0 * spread[first, second]
    differences = np.where(same, values[first] - values[second], np.nan)
    known = same & (np.nan_to_num(variances) > FLAT / question.n)
    if not known.all() and chosen in ("shaffer", "bergmann_hommel"):
        raise NotApplicable(
            f"{chosen} is for all pairs, and some have no estimate: use holm or hommel"
        )
    record = _record(found, first, second)
    place = np.flatnonzero(known)
    tested: tuple[TestOutcome, ...] = ()
    if place.size:
        pairs, errors = (first[place], second[place]), np.sqrt(variances[place])
        extra = {name: column[place] for name, column in record.items()}
        extra |= {"log_strength_a": values[pairs[0]], "log_strength_b": values[pairs[1]]}
        family = _tested(question, pairs, differences[place], errors, chosen, extra)
        question, tested = replace(question, notes=family.notes), family.outcomes
    question, rest = _untested(question, differences, np.flatnonzero(~known), record)
    outcomes = dict(
        zip((*place.tolist(), *np.flatnonzero(~known).tolist()), (*tested, *rest), strict=True)
    )
    names = question.models
    return FamilyOutcome(
        method=_METHOD,
        models=names,
        pairs=tuple(
            (names[a], names[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)
        ),
        outcomes=tuple(outcomes[at] for at in range(first.size)),
        adjustment=chosen,
        notes=question.notes,
        details=(("n", question.n), ("k", len(names)), *question.details),
    )


def _untested(
    question: FamilyQuestion,
    differences: FloatArray,
    place: IntArray,
    record: dict[str, NDArray[Any]],
) -> tuple[FamilyQuestion, list[TestOutcome]]:
    """Pairs without a test: no wins connect them, or the sandwich has no spread."""
    flat = note(
        "zero-variance",
        what="the outcomes",
        method="the sandwich",
        remedy="the variant information, which knows how comparisons vary, has one",
    )
    apart = _of_codes(question, "not-connected", "position-undefined")
    asked = MethodQuestion.of(_METHOD, level=question.level, unit=question.unit)
    found = []
    for at in place.tolist():
        steady = bool(np.isfinite(differences[at]))
        value = float(differences[at]) if steady else None
        details = tuple((name, column[at].item()) for name, column in record.items())
        effect = asked.estimate(question.measure, value, question.n)
        found.append(asked.unanswered(effect, *((flat,) if steady else apart), details=details))
    if np.isfinite(differences[place]).any():
        question = question.noting(flat)
    return question, found


def _of_codes(question: FamilyQuestion, *codes: str) -> tuple[Note, ...]:
    return tuple(one for one in question.notes if one.code in codes)


def _tested(
    question: FamilyQuestion,
    pairs: tuple[IntArray, IntArray],
    differences: FloatArray,
    errors: FloatArray,
    adjustment: str,
    extra: dict[str, NDArray[Any]],
) -> FamilyOutcome:
    """Normal tests; the interval of a pair is at the level of its own step, and so is its chance's."""
    statistics = differences / errors
    p = 2.0 * ndtr(-np.abs(statistics))
    levels, differs = pair_levels(p, adjustment, alpha_of(question.level))
    reach = -ndtri(levels / 2.0) * errors
    low, high = differences - reach, differences + reach
    columns = {
        "probability": expit(differences),
        "probability_low": expit(low),
        "probability_high": expit(high),
        **extra,
        "p_unadjusted": p,
        "log10_p_unadjusted": (np.log(2) + log_ndtr(-np.abs(statistics))) / np.log(10),
        "individual_level": 1.0 - levels,
    }
    return build_family(
        question.noting(*differs),
        pairs,
        (differences, errors, low, high),
        (statistics, adjusted_p_values(p, adjustment)),
        adjustment,
        columns,
    )


def _record(found: Preferences, first: IntArray, second: IntArray) -> dict[str, NDArray[Any]]:
    """How often the first of each pair won, tied and lost against the second."""
    won, tied = found.first + found.second.T, found.ties + found.ties.T
    columns = {"won": won[first, second], "tied": tied[first, second], "lost": won[second, first]}
    whole = all((column == np.rint(column)).all() for column in columns.values())
    return {name: c.astype(np.int64) if whole else c for name, c in columns.items()}


def _estimates(
    question: FamilyQuestion, found: Preferences, strengths: Strengths
) -> Iterator[Estimate]:
    """The log strength of every model of the largest group, relative to the mean of that group."""
    main = _largest(strengths.groups)
    asked = MethodQuestion.of(_METHOD, level=question.level)
    met, won = found.counts.sum(axis=1), found.wins.sum(axis=1)
    apart = _of_codes(question, "not-connected", "position-undefined")
    for at, model in enumerate(question.models):
        known = strengths.groups[at] == main and np.isfinite(strengths.values[at])
        value = float(strengths.values[at]) if known else None
        error = _root(float(strengths.covariance[at, at]), found.n) if known else 0.0
        yield asked.estimate(
            "log_strength",
            value,
            round(float(met[at])),
            _interval(asked, value, error),
            error or None,
            model=model,
            notes=() if known else apart,
            details=(("won", float(won[at])), ("comparisons", round(float(met[at])))),
        )
    if strengths.position is not None:
        yield _position(question, *strengths.position)


def _position(question: FamilyQuestion, value: float, error: float) -> Estimate:
    """The advantage of being shown first, in log odds; ``probability``: of winning against one's like."""
    asked = MethodQuestion.of(_METHOD, level=question.level)
    return asked.estimate(
        "position_effect",
        value,
        question.n,
        _interval(asked, value, error),
        error or None,
        details=(("probability", float(expit(value))),),
    )


def _interval(asked: MethodQuestion, value: float | None, error: float) -> Interval | None:
    return asked.around(value, asked.z * error) if value is not None and error else None


def _root(variance: float, n: int) -> float:
    return float(np.sqrt(variance)) if variance > FLAT / n else 0.0


def _largest(groups: IntArray) -> int:
    """The group that holds the most models; -1 where two are as large, or none has two."""
    sizes = np.bincount(groups)
    most = int(sizes.max())
    return int(sizes.argmax()) if most > 1 and (sizes == most).sum() == 1 else -1


def _details(found: Preferences, strengths: Strengths) -> Details:
    details: Details = (("ties", found.n_ties), ("groups", int(strengths.groups.max()) + 1))
    if strengths.log_likelihood is not None:
        details = (*details, ("log_likelihood", strengths.log_likelihood))
    if strengths.position is not None:
        details = (*details, ("position_effect", strengths.position[0]))
    return details


def _ties_noted(found: Preferences, variant: Variant) -> tuple[Note, ...]:
    if not found.n_ties:
        return ()
    careful = (
        "; the interval takes them for coin flips and is the wider for it: variant sandwich is not"
        if variant == "information"
        else ""
    )
    return (note("ties-halved", count=found.n_ties, n=found.n, careful=careful),)


def _told(found: Preferences, groups: IntArray) -> str:
    """Each group of models, and how it stands to all others."""
    wins = found.wins > 0
    told = []
    for group in range(int(groups.max()) + 1):
        inside = groups == group
        names = [found.models[at] for at in np.flatnonzero(inside)]
        told.append(f"{_named(names)} {_standing(inside, wins)}")
    more = f"; and {len(told) - MOST_TOLD} more groups" if len(told) > MOST_TOLD else ""
    return "; ".join(told[:MOST_TOLD]) + more


def _standing(inside: BoolArray, wins: BoolArray) -> str:
    won, lost = wins[np.ix_(inside, ~inside)].any(), wins[np.ix_(~inside, inside)].any()
    if won and lost:
        return "won all against some of the others and lost all to some"
    if won:
        return "never lost to the others"
    if lost:
        return "never won against the others"
    return "met none of the others"


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_TOLD])
    return f"{shown} and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else shown
