"""A difference of two rates with its interval, from different items or the same (I3, I4).

From counts of errors the difference is error_a - error_b; from the joint table of the same items it
is accuracy_a - accuracy_b. Both are A minus B of the measure that the estimate names.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from assay.core.checks import check_choice, check_count
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import as_paired_table, as_two_counts
from assay.kernels.binomial import Limits
from assay.kernels.differences import (
    FourCounts,
    TwoRates,
    agresti_caffo_limits,
    agresti_min_limits,
    bonett_price_limits,
    correlation,
    four_counts,
    newcombe_limits,
    newcombe_paired_limits,
    paired_se,
    score_limits,
    tango_limits,
    two_rates,
    unpooled_se,
    wald_difference_limits,
    wald_paired_limits,
)
from assay.kernels.tails import normal_p, normal_reach

_ENDS = (-1.0, 1.0)
_unpaired = partial(
    method,
    question="By how much do two error rates differ, each measured on its own items?",
    takes="two-counts",
    gives="estimate",
    unit="item",
)
_paired = partial(
    method,
    question="By how much do the accuracies of two models differ on the same items?",
    takes="paired-table",
    gives="estimate",
    unit="item",
)
_SEPARATE = ("independent items", "different items for A and B")
_SAME = ("independent items", "both models were tested on every item")
_MANY = "errors and right answers all many"


@_unpaired(
    assumes=(*_SEPARATE, _MANY),
    reference="Mitchell (1997), Machine Learning, section 5.5",
    requirement="I3",
    same_as="R: prop.test(c({errors_a}, {errors_b}), c({n_a}, {n_b}), correct = FALSE{, alternative}"
    "{, level})$conf.int",
    formula="p_a - p_b ± z standard_error, standard_error = sqrt(p_a (1 - p_a)/n_a + p_b (1 - p_b)/n_b)",
    name="Wald difference",
)
def wald_difference(
    *evidence: Any, level: float = 0.95, alternative: str = "two-sided"
) -> Estimate:
    """The unpooled z interval of the lectures; not cut to [-1, 1]."""
    return _of_rates(evidence, "wald_difference", wald_difference_limits, level, alternative)


@_unpaired(
    assumes=_SEPARATE,
    reference="Newcombe (1998), Statistics in Medicine 17: 873-890, method 10",
    requirement="I3",
    same_as="R: DescTools::BinomDiffCI({errors_a}, {n_a}, {errors_b}, {n_b}{, level}, method = 'score')",
    formula="p_a - p_b - sqrt((p_a - low_a)² + (high_b - p_b)²) and "
    "p_a - p_b + sqrt((high_a - p_a)² + (p_b - low_b)²), limits by Wilson",
    name="Newcombe",
)
def newcombe(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The hybrid score interval: Wilson's limits of either rate, squared and added."""
    return _of_rates(evidence, "newcombe", newcombe_limits, level, alternative)


@_unpaired(
    assumes=_SEPARATE,
    reference="Newcombe (1998), Statistics in Medicine 17: 873-890, method 11",
    requirement="I3",
    same_as="R: DescTools::BinomDiffCI({errors_a}, {n_a}, {errors_b}, {n_b}{, level}, method = 'scorecc')",
    formula="as newcombe, limits by Wilson with continuity correction",
    name="Newcombe cc",
)
def newcombe_cc(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """Newcombe's hybrid of Wilson limits with continuity correction: conservative."""
    limits = partial(newcombe_limits, continuity=True)
    return _of_rates(evidence, "newcombe_cc", limits, level, alternative)


@_unpaired(
    assumes=_SEPARATE,
    reference="Mee (1984), Biometrics 40; Miettinen & Nurminen (1985), Statistics in Medicine 4",
    requirement="I3",
    same_as="R: DescTools::BinomDiffCI({errors_a}, {n_a}, {errors_b}, {n_b}{, level}, method = 'mee')",
    formula="all delta with |p_a - p_b - delta| <= z sqrt(V(delta)), V at the rates of greatest "
    "likelihood with rate_a - rate_b = delta; at delta = 0 the pooled test",
)
def score_difference(
    *evidence: Any,
    level: float = 0.95,
    alternative: str = "two-sided",
    variant: Literal["mee", "miettinen_nurminen"] = "mee",
) -> Estimate:
    """The differences that the score test does not reject: the pooled z test's own interval.

    "miettinen_nurminen" enlarges the variance by N/(N - 1).
    """
    chosen = check_choice(variant, ("mee", "miettinen_nurminen"), "variant")
    limits = partial(score_limits, inflated=chosen == "miettinen_nurminen")
    facts: Details = (("variant", chosen),)
    return _of_rates(evidence, "score_difference", limits, level, alternative, facts)


@_unpaired(
    assumes=_SEPARATE,
    reference="Agresti & Caffo (2000), The American Statistician 54",
    requirement="I3",
    same_as="R: DescTools::BinomDiffCI({errors_a}, {n_a}, {errors_b}, {n_b}{, level}, method = 'ac')",
    formula="wald_difference with one error and one right answer more on either side, cut to [-1, 1]",
    exempt={
        "contains": "shrinks towards 0, so at low levels it may leave a difference of 1 outside"
    },
    name="Agresti-Caffo",
)
def agresti_caffo(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The unpooled z interval after one error and one right answer more on either side."""
    return _of_rates(evidence, "agresti_caffo", agresti_caffo_limits, level, alternative)


@_unpaired(
    assumes=(*_SEPARATE, _MANY),
    reference="Mitchell (1997), Machine Learning, section 5.5",
    requirement="I4",
    same_as="R: pnorm(({p_b} - {p_a}) / sqrt({p_a} * (1 - {p_a}) / {n_a} + {p_b} * (1 - {p_b}) / {n_b}))",
    formula="z = (p_b - p_a)/standard_error; confidence_one_sided = Phi(z), "
    "confidence_two_sided = 2 Phi(|z|) - 1",
)
def confidence_better(*evidence: Any, level: float = 0.95) -> Estimate:
    """The confidence with which A's error rate is below B's: 20/100 against 25/100 gives 80.2 %.

    It is the level of the largest one-sided interval of the difference that leaves 0 out (two-sided:
    60.4 %), a statement about intervals; not the probability that A is better.
    """
    estimate = wald_difference(*evidence, level=level)
    se = estimate.standard_error
    if estimate.value is None or se is None:
        return _with_details(estimate, z=None, one_sided=None, two_sided=None)
    z = -estimate.value / se
    return _with_details(
        estimate, z=z, one_sided=normal_p(z, "less"), two_sided=1.0 - normal_p(z, "two-sided")
    )


@_paired(
    assumes=_SAME,
    reference="Tango (1998), Statistics in Medicine 17",
    requirement="I3",
    same_as="R: contingencytables::Tango_asymptotic_score_CI_paired_2x2("
    "rbind(c({both_right}, {only_a}), c({only_b}, {both_wrong})))",
    formula="all delta with |difference - delta| <= z sqrt(V(delta)), V at the cells of greatest "
    "likelihood; McNemar's test at delta = 0",
    name="Tango",
)
def tango(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The differences that the paired score test does not reject: McNemar's own interval."""
    return tango_of(paired_counts(evidence), level=level, alternative=alternative)


@_paired(
    assumes=_SAME,
    reference="Newcombe (1998), Statistics in Medicine 17: 2635-2650, method 10",
    requirement="I3",
    same_as="R: contingencytables::Newcombe_square_and_add_CI_paired_2x2("
    "rbind(c({both_right}, {only_a}), c({only_b}, {both_wrong})))",
    formula="difference - sqrt(l_a² - 2 phi l_a u_b + u_b²) and difference + sqrt(u_a² - 2 phi u_a l_b "
    "+ l_b²), distances l and u to Wilson's limits",
    name="Newcombe paired",
    splits_agreement=True,
)
def newcombe_paired(
    *evidence: Any,
    level: float = 0.95,
    alternative: str = "two-sided",
    variant: Literal["corrected_phi", "phi"] = "corrected_phi",
) -> Estimate:
    """Wilson's limits of either accuracy, joined by the correlation phi of the two models.

    "phi" leaves out the continuity correction of phi (Newcombe's method 8).
    """
    chosen = check_choice(variant, ("corrected_phi", "phi"), "variant")
    corrected = chosen == "corrected_phi"
    limits = partial(newcombe_paired_limits, continuity=corrected)
    phi = float(correlation(paired_counts(evidence), continuity=corrected))
    facts: Details = (("variant", chosen), ("phi", phi))
    return _of_counts(paired_counts(evidence), "newcombe_paired", limits, level, alternative, facts)


@_paired(
    assumes=(*_SAME, "many items on which the models disagree"),
    reference="Fleiss (1981), Statistical Methods for Rates and Proportions, chapter 8",
    requirement="I3",
    same_as="R: contingencytables::Wald_CI_diff_paired_2x2("
    "rbind(c({both_right}, {only_a}), c({only_b}, {both_wrong})))",
    formula="difference ± z standard_error, "
    "standard_error = sqrt(only_a + only_b - (only_a - only_b)²/n)/n",
    name="Wald paired",
)
def wald_paired(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The normal approximation of the paired difference; not cut to [-1, 1]."""
    return _of_counts(
        paired_counts(evidence), "wald_paired", wald_paired_limits, level, alternative
    )


@_paired(
    assumes=_SAME,
    reference="Agresti & Min (2005), Statistics in Medicine 24",
    requirement="I3",
    same_as="R: contingencytables::Wald_CI_AgrestiMin_paired_2x2("
    "rbind(c({both_right}, {only_a}), c({only_b}, {both_wrong})))",
    formula="wald_paired with half an item more in each cell, cut to [-1, 1]",
    exempt={
        "contains": "shrinks towards 0, so at low levels it may leave a difference of 1 outside"
    },
    name="Agresti-Min",
)
def agresti_min(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The paired normal interval after half an item more in each cell."""
    return _of_counts(
        paired_counts(evidence), "agresti_min", agresti_min_limits, level, alternative
    )


@_paired(
    assumes=_SAME,
    reference="Bonett & Price (2012), JEBS 37",
    requirement="I3",
    same_as="R: contingencytables::Wald_CI_BonettPrice_paired_2x2("
    "rbind(c({both_right}, {only_a}), c({only_b}, {both_wrong})))",
    formula="share_a - share_b ± z sqrt((share_a + share_b - (share_a - share_b)²)/(n + 2)), "
    "share_a = (only_a + 1)/(n + 2), share_b = (only_b + 1)/(n + 2), cut to [-1, 1]",
    exempt={
        "contains": "shrinks towards 0, so at low levels it may leave a difference of 1 outside"
    },
    name="Bonett-Price",
)
def bonett_price(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The paired normal interval after one item more on which each model alone is right."""
    return _of_counts(
        paired_counts(evidence), "bonett_price", bonett_price_limits, level, alternative
    )


@method(
    question="How far may two models differ on the same items if only their error totals are known?",
    takes="margins",
    gives="estimate",
    unit="item",
    assumes=_SAME,
    reference="Tango (1998), Statistics in Medicine 17",
    requirement="E10",
    formula="both_wrong from max(0, errors_a + errors_b - n) to min(errors_a, errors_b); tango and "
    "McNemar at either end",
)
def margins_range(errors_a: Any, errors_b: Any, n: Any, *, level: float = 0.95) -> Estimate:
    """The range of Tango's interval and McNemar's p over all joint tables with these totals.

    The interval given is the widest, that of the models that disagree most, and holds all others:
    the variance grows with the number of disagreements. No evidence (no disagreement) counts as p = 1.
    """
    wrong_a, wrong_b, items = _margins(errors_a, errors_b, n)
    overlaps = (max(0, wrong_a + wrong_b - items), min(wrong_a, wrong_b))
    widest, tightest = (
        four_counts(items - wrong_a - wrong_b + both, wrong_b - both, wrong_a - both, both)
        for both in overlaps
    )
    estimate = tango_of(widest, level=level, alternative="two-sided")
    z = normal_reach(level, "two-sided")
    narrow = tuple(float(limit) for limit in tango_limits(tightest, z))
    facts: Details = (
        ("tables", overlaps[1] - overlaps[0] + 1),
        ("discordant_min", int(tightest.only_a + tightest.only_b)),
        ("discordant_max", int(widest.only_a + widest.only_b)),
        ("p_min", _mcnemar_p(tightest)),
        ("p_max", _mcnemar_p(widest)),
        ("tightest_low", narrow[0]),
        ("tightest_high", narrow[1]),
    )
    return Estimate(
        measure="accuracy",
        value=estimate.value,
        interval=estimate.interval,
        method="margins_range",
        n=items,
        unit="item",
        notes=(note("pairing-unknown", n=items, tables=facts[0][1]),),
        details=facts,
    )


def _margins(errors_a: Any, errors_b: Any, n: Any) -> tuple[int, int, int]:
    items = check_count(n, "n", at_least=1)
    wrong = check_count(errors_a, "errors_a"), check_count(errors_b, "errors_b")
    if max(wrong) > items:
        raise EvidenceError(
            f"{max(wrong)} errors of {items} items: there cannot be more errors than items"
        )
    return wrong[0], wrong[1], items


def _mcnemar_p(table: FourCounts) -> float:
    discordant = float(table.only_a + table.only_b)
    if discordant == 0.0:
        return 1.0
    return normal_p(float(table.only_a - table.only_b) / discordant**0.5, "two-sided")


def _of_rates(
    evidence: tuple[Any, ...],
    name: str,
    limits: Callable[[TwoRates, float], Limits],
    level: float,
    alternative: str,
    facts: Details = (),
) -> Estimate:
    """error_a - error_b from counts on different items."""
    a, b = as_two_counts(*evidence)
    rates = two_rates(a.errors, a.n, b.errors, b.n)
    shown: Details = (("p_a", a.errors / a.n), ("n_a", a.n), ("p_b", b.errors / b.n), ("n_b", b.n))
    return _difference(
        name=name,
        measure="error_rate",
        value=float(rates.difference),
        n=a.n + b.n,
        se=float(unpooled_se(rates)),
        limits=partial(limits, rates),
        level=level,
        alternative=alternative,
        details=(*shown, *facts),
        remedy="use score_difference or newcombe",
    )


def _of_counts(
    table: FourCounts,
    name: str,
    limits: Callable[[FourCounts, float], Limits],
    level: float,
    alternative: str,
    facts: Details = (),
) -> Estimate:
    """accuracy_a - accuracy_b from the joint table of the same items."""
    shown: Details = tuple(
        (cell, int(count)) for cell, count in zip(table._fields, table, strict=True)
    )
    return _difference(
        name=name,
        measure="accuracy",
        value=float(table.difference),
        n=int(table.n),
        se=float(paired_se(table)),
        limits=partial(limits, table),
        level=level,
        alternative=alternative,
        details=(*shown, ("difference", float(table.difference)), *facts),
        remedy="use tango",
    )


tango_of = partial(_of_counts, name="tango", limits=tango_limits)
"""Tango's estimate from a table that was checked."""


def paired_counts(evidence: tuple[Any, ...]) -> FourCounts:
    """The joint table of a method's arguments, for arithmetic."""
    table = as_paired_table(*evidence)
    return four_counts(table.both_right, table.only_a, table.only_b, table.both_wrong)


def _difference(
    *,
    name: str,
    measure: str,
    value: float,
    n: int,
    se: float,
    limits: Callable[[float], Limits],
    level: float,
    alternative: str,
    details: Details,
    remedy: str,
) -> Estimate:
    """The estimate; limits without any width are kept in details only."""
    asked = MethodQuestion.of(name, level=level, alternative=alternative)
    raw = limits(abs(asked.z))
    raw = (
        raw if asked.z >= 0.0 else raw[::-1]
    )  # one limit of a level below a half lies beyond the value
    low, high = float(raw[0]), float(raw[1])
    notes: tuple[Note, ...] = ()
    flat = abs(high - low) < 1e-12 and float(limits(1.0)[1] - limits(1.0)[0]) < 1e-12
    if flat:
        notes = (note("zero-variance", what="the outcomes", method=name, remedy=remedy),)
        details = (*details, ("raw_low", low), ("raw_high", high))
    return asked.estimate(
        measure,
        value,
        n,
        None if flat else asked.sided(raw, _ENDS),
        se if se > 0.0 else None,
        notes=notes,
        details=(*details, ("z", asked.z)),
    )


def _with_details(
    estimate: Estimate, *, z: float | None, one_sided: float | None, two_sided: float | None
) -> Estimate:
    confidences: Details = (
        ("z", z),
        ("confidence_one_sided", one_sided),
        ("confidence_two_sided", two_sided),
    )
    kept = tuple(pair for pair in estimate.details if pair[0] != "z")
    return replace(estimate, method="confidence_better", details=(*kept, *confidences))
