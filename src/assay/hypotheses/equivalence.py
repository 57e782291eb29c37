"""Is a difference too small to matter, or a model no worse by more than a margin? (T16).

Both turn the burden of proof round: without evidence the answer is no. Equivalence is two one-sided
tests (TOST); its interval is at level 1 - 2 alpha and lies inside (-margin, margin) exactly when
both reject.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from assay.core.checks import check_choice, check_level, check_margin
from assay.core.errors import UsageError
from assay.core.methods import Law, method
from assay.core.notes import Note
from assay.core.results import Estimate, TestOutcome
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import DIRECTIONS, UNITS, Alternative, Direction, Unit
from assay.estimates.bootstrap_exact import exact_bootstrap
from assay.estimates.differences import paired_counts, score_difference, tango_of
from assay.estimates.means import mean_of_pairs
from assay.evidence.argument_checks import as_two_counts
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.hypotheses.margin_tests import (
    MarginTests,
    law_tests,
    replicate_tests,
    score_tests,
    t_tests,
    unseen_tests,
)
from assay.hypotheses.paired_measures import (
    AnyMeasure,
    joint_replicates,
    pair_of,
    paired_bootstrap,
)
from assay.hypotheses.two_samples import two_sample_t
from assay.kernels.differences import score_variance, tango_variance, two_rates
from assay.kernels.tails import alpha_of
from assay.measures.registry import find_measure

Score = Literal["mee", "miettinen_nurminen"]
_DECIDES: dict[Law, str] = {
    "decides": "both margins are nulls: p <= alpha exactly when the interval lies inside both"
}
_SWAP: dict[Law, str] = {"swap": "asks of A only, whether it is no worse than B"}
_PAIRED = ("one score of each model per unit", "units are independent")
_APART = ("independent values", "A and B share no units")
_MARGIN = "a margin chosen before looking at the data"
_NORMAL = "a mean difference near normal"
_SCHUIRMANN = "Schuirmann (1987), J. Pharmacokinet. Biopharm. 15"

_equivalent = partial(method, gives="test", requirement="T16", exempt=_DECIDES, equivalence=True)
_no_worse = partial(method, gives="test", requirement="T16", exempt=_SWAP)


@_equivalent(
    question="Are two models equivalent on average on the same units, within a margin?",
    takes="pairs",
    unit=UNITS,
    assumes=(*_PAIRED, _NORMAL, _MARGIN),
    reference=_SCHUIRMANN,
    same_as="R: TOSTER::t_TOST({a}, {b}, paired = TRUE, eqb = {margin})",
    formula="t_lower = (mean + margin)/standard_error, t_upper = (mean - margin)/standard_error, "
    "p = max(p_lower, p_upper), df = n - 1",
    name="TOST means",
    title="equivalence test of means (TOST)",
)
def tost_means(
    a: Any, b: Any = None, *, margin: float | None = None, level: float = 0.95, unit: Unit = "item"
) -> TestOutcome:
    """Equivalence of paired means by two one-sided t tests; ``a`` may hold the differences."""
    threshold, inner = _margin(margin), _inner_level(level)
    effect = mean_of_pairs(a, b, level=inner, unit=unit)
    return _equivalence("tost_means", effect, threshold, t_tests(effect, effect.details))


@_equivalent(
    question="Are the means of two unpaired samples equivalent, within a margin?",
    takes="two-samples",
    unit=UNITS,
    assumes=(*_APART, _NORMAL, _MARGIN),
    reference=_SCHUIRMANN,
    same_as="R: TOSTER::t_TOST({a}, {b}, eqb = {margin})",
    formula="t_lower = (mean_a - mean_b + margin)/standard_error, t_upper with - margin, "
    "p = max(p_lower, p_upper), df by Welch",
    name="TOST two-samples",
    title="equivalence test of two samples (TOST)",
)
def tost_two_samples(
    a: Any, b: Any, *, margin: float | None = None, level: float = 0.95, unit: Unit = "item"
) -> TestOutcome:
    """Equivalence of two means by two one-sided Welch tests."""
    threshold, inner = _margin(margin), _inner_level(level)
    beside = two_sample_t(a, b, level=inner, unit=unit)
    tests = t_tests(beside.effect, beside.details)
    return _equivalence("tost_two_samples", beside.effect, threshold, tests, beside.notes)


@_equivalent(
    question="Are two models equivalent in accuracy on the same items, within a margin?",
    takes="paired-table",
    unit="item",
    assumes=("independent items", "both models were tested on every item", _MARGIN),
    reference="Tango (1998), Stat. Med. 17; Liu, Hsueh, Hsieh & Chen (2002), Stat. Med. 21",
    formula="z_lower = (difference + margin)/sqrt(V(-margin)), z_upper = (difference - margin)/"
    "sqrt(V(margin)), p = max(p_lower, p_upper), V as tango",
    name="TOST paired proportions",
    title="equivalence test of paired proportions (TOST)",
)
def tost_paired_proportions(
    *table: Any, margin: float | None = None, level: float = 0.95
) -> TestOutcome:
    """Equivalence of accuracies from (both_right, only_a, only_b, both_wrong), by Tango's score."""
    threshold, inner = _margin(margin, below=1.0), _inner_level(level)
    effect, tests = _paired_scores(table, inner, "two-sided")
    return _equivalence("tost_paired_proportions", effect, threshold, tests)


@_equivalent(
    question="Are two error rates, each measured on its own items, equivalent within a margin?",
    takes="two-counts",
    unit="item",
    assumes=("independent items", "different items for A and B", _MARGIN),
    reference="Farrington & Manning (1990), Stat. Med. 9",
    formula="z_lower = (difference + margin)/sqrt(V(-margin)), z_upper = (difference - margin)/"
    "sqrt(V(margin)), p = max(p_lower, p_upper), V as score_difference",
    name="TOST proportions",
    title="equivalence test of two proportions (TOST)",
)
def tost_proportions(
    *evidence: Any, margin: float | None = None, variant: Score = "mee", level: float = 0.95
) -> TestOutcome:
    """Equivalence of error rates from (errors_a, n_a, errors_b, n_b), by the score test.

    "mee" is Farrington and Manning's test; "miettinen_nurminen" enlarges the variance by N/(N - 1).
    """
    threshold, inner = _margin(margin, below=1.0), _inner_level(level)
    effect, tests = _unpaired_scores(evidence, variant, inner, "two-sided")
    return _equivalence("tost_proportions", effect, threshold, tests)


@_equivalent(
    question="Are two models equivalent in a measure on the same items, within a margin?",
    takes="predictions",
    unit="item",
    assumes=("items (or clusters) are independent", "enough items", _MARGIN),
    reference="Schuirmann (1987), J. Pharmacokinet. Biopharm. 15; "
    "Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13",
    formula="p_lower = (#(D* <= -margin) + 1)/(B + 1), p_upper = (#(D* >= margin) + 1)/(B + 1), "
    "p = max(p_lower, p_upper), D* = A - B on a resample",
    name="TOST measure",
    title="equivalence test of a measure (TOST)",
)
def tost_measure(
    evidence: Any,
    *,
    measure: AnyMeasure = "accuracy",
    models: Sequence[str] | None = None,
    margin: float | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> TestOutcome:
    """Equivalence in any measure, items resampled together for both models."""
    threshold, inner = _margin(margin), _inner_level(level)
    beside, tests = _bootstrapped(
        evidence,
        threshold,
        rng,
        measure=measure,
        models=models,
        level=inner,
        n_resamples=n_resamples,
    )
    return _equivalence("tost_measure", beside.effect, threshold, tests, beside.notes)


@_no_worse(
    question="Is A not worse than B by more than a margin, on average on the same units?",
    takes="pairs",
    unit=UNITS,
    assumes=(*_PAIRED, _NORMAL, _MARGIN),
    reference="Blackwelder (1982), Controlled Clinical Trials 3",
    same_as="R: t.test({a}, {b}, paired = TRUE, mu = -{margin}, alternative = 'greater')",
    formula="t = (mean + margin)/standard_error, df = n - 1; (mean - margin) where lower is better",
    name="non-inferiority means",
    title="non-inferiority test of means",
)
def non_inferiority_means(
    a: Any,
    b: Any = None,
    *,
    margin: float | None = None,
    direction: Direction = "higher",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """Non-inferiority of paired means by one one-sided t test; ``a`` may hold the differences."""
    threshold, side = _margin(margin), _side(direction)
    effect = mean_of_pairs(a, b, level=level, alternative=side, unit=unit)
    tests = t_tests(effect, effect.details)
    return _non_inferiority("non_inferiority_means", effect, threshold, side, tests)


@_no_worse(
    question="Is A not worse than B by more than a margin, on average on different units?",
    takes="two-samples",
    unit=UNITS,
    assumes=(*_APART, _NORMAL, _MARGIN),
    reference="Blackwelder (1982), Controlled Clinical Trials 3",
    same_as="R: t.test({a}, {b}, mu = -{margin}, alternative = 'greater')",
    formula="t = (mean_a - mean_b + margin)/standard_error, df by Welch; - margin where lower is "
    "better",
    name="non-inferiority two-samples",
    title="non-inferiority test of two samples",
)
def non_inferiority_two_samples(
    a: Any,
    b: Any,
    *,
    margin: float | None = None,
    direction: Direction = "higher",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """Non-inferiority of two means by one one-sided Welch test."""
    threshold, side = _margin(margin), _side(direction)
    beside = two_sample_t(a, b, level=level, alternative=side, unit=unit)
    tests = t_tests(beside.effect, beside.details)
    name = "non_inferiority_two_samples"
    return _non_inferiority(name, beside.effect, threshold, side, tests, beside.notes)


@_no_worse(
    question="Is A not less accurate than B by more than a margin, on the same items?",
    takes="paired-table",
    unit="item",
    assumes=("independent items", "both models were tested on every item", _MARGIN),
    reference="Tango (1998), Stat. Med. 17",
    formula="z = (difference + margin)/sqrt(V(-margin)), V as tango",
    name="non-inferiority paired proportions",
    title="non-inferiority test of paired proportions",
)
def non_inferiority_paired_proportions(
    *table: Any, margin: float | None = None, level: float = 0.95
) -> TestOutcome:
    """Non-inferiority of accuracy from (both_right, only_a, only_b, both_wrong), by Tango's score."""
    threshold = _margin(margin, below=1.0)
    effect, tests = _paired_scores(table, level, "greater")
    name = "non_inferiority_paired_proportions"
    return _non_inferiority(name, effect, threshold, "greater", tests)


@_no_worse(
    question="Is the error rate of A not higher than that of B by more than a margin, on different items?",
    takes="two-counts",
    unit="item",
    assumes=("independent items", "different items for A and B", _MARGIN),
    reference="Farrington & Manning (1990), Stat. Med. 9",
    formula="z = (difference - margin)/sqrt(V(margin)), difference of error rates, V as "
    "score_difference",
    name="non-inferiority proportions",
    title="non-inferiority test of two proportions",
)
def non_inferiority_proportions(
    *evidence: Any, margin: float | None = None, variant: Score = "mee", level: float = 0.95
) -> TestOutcome:
    """Non-inferiority of an error rate from (errors_a, n_a, errors_b, n_b), by the score test."""
    threshold = _margin(margin, below=1.0)
    effect, tests = _unpaired_scores(evidence, variant, level, "less")
    return _non_inferiority("non_inferiority_proportions", effect, threshold, "less", tests)


@_no_worse(
    question="Is A not worse than B by more than a margin, in a measure on the same items?",
    takes="predictions",
    unit="item",
    assumes=("items (or clusters) are independent", "enough items", _MARGIN),
    reference="Blackwelder (1982), Controlled Clinical Trials 3; "
    "Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 13",
    formula="p = (#(D* <= -margin) + 1)/(B + 1), D* = A - B on a resample; #(D* >= margin) where "
    "lower is better",
    name="non-inferiority measure",
    title="non-inferiority test of a measure",
)
def non_inferiority_measure(
    evidence: Any,
    *,
    measure: AnyMeasure = "accuracy",
    models: Sequence[str] | None = None,
    margin: float | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> TestOutcome:
    """Non-inferiority in any measure, whose direction says what is worse."""
    threshold, side = _margin(margin), _side(find_measure(measure).direction)
    beside, tests = _bootstrapped(
        evidence,
        threshold,
        rng,
        measure=measure,
        models=models,
        alternative=side,
        level=level,
        n_resamples=n_resamples,
    )
    name = "non_inferiority_measure"
    return _non_inferiority(name, beside.effect, threshold, side, tests, beside.notes)


def _margin(margin: float | None, *, below: float = np.inf) -> float:
    value = check_margin(margin)
    if value is None:
        raise UsageError(
            "margin is needed: the smallest difference that would matter, in units of the "
            "measure, such as margin=0.02. Choose it before looking at the data"
        )
    if value >= below:
        raise UsageError(f"margin is a difference of rates, below {below:g}; got {margin!r}")
    return value


def _inner_level(level: float) -> float:
    """The level 1 - 2 alpha of the interval that decides two one-sided tests at alpha."""
    alpha = alpha_of(check_level(level))
    if alpha >= 0.5:
        raise UsageError(f"two one-sided tests need a level above 0.5; got {level!r}")
    return round(1.0 - 2.0 * alpha, 12)


def _side(direction: str) -> Alternative:
    return "greater" if check_choice(direction, DIRECTIONS, "direction") == "higher" else "less"


def _paired_scores(
    evidence: tuple[Any, ...], level: float, side: Alternative
) -> tuple[Estimate, MarginTests]:
    table = paired_counts(evidence)
    effect = tango_of(table, level=level, alternative=side)
    return effect, score_tests(float(table.difference), partial(tango_variance, table))


def _unpaired_scores(
    evidence: tuple[Any, ...], variant: Score, level: float, side: Alternative
) -> tuple[Estimate, MarginTests]:
    a, b = as_two_counts(*evidence)
    counts = (a.errors, a.n, b.errors, b.n)
    effect = score_difference(*counts, level=level, alternative=side, variant=variant)
    rates, inflated = two_rates(*counts), variant == "miettinen_nurminen"
    variance = partial(score_variance, rates, inflated=inflated)
    return effect, score_tests(float(rates.difference), variance)


def _bootstrapped(
    evidence: Any, margin: float, rng: Rng, **options: Any
) -> tuple[TestOutcome, MarginTests | None]:
    """The paired bootstrap, and tests of other nulls than 0 from the same replicates."""
    predictions, seed = read(evidence), seed_of(rng)
    beside = paired_bootstrap(predictions, rng=seed, **options)
    measure = find_measure(options["measure"])
    span = measure.high - measure.low
    if margin >= span:
        raise UsageError(
            f"margin is a difference of {measure.called}, below {span:g}, its whole range; got {margin!r}"
        )
    if beside.effect.interval is None or not isinstance(predictions, Predictions):
        return beside, None
    told = {one.code for one in beside.notes}
    if "whole-range" in told:
        return beside, None
    _, pair = pair_of(predictions, options["models"])
    if dict(beside.details).get("exact"):
        bound = measure.bind(predictions.classes, predictions.positive)
        law = exact_bootstrap(predictions, bound, pair)
        if law is not None:
            return _meeting(beside, margin), law_tests(law)
    found = joint_replicates(predictions, measure, pair, options["n_resamples"], seed)
    if told & {"no-disagreement", "zero-variance"}:
        return beside, unseen_tests(beside.effect.value or 0.0, found.units, span)
    replicates = found.difference(*pair)[1]
    return beside, replicate_tests(replicates[~np.isnan(replicates)], beside.effect)


def _meeting(found: TestOutcome, margin: float) -> TestOutcome:
    """Ends that are the margin but for rounding are the margin, so that interval and test agree on it."""

    def end(limit: float) -> float:
        close = math.isclose(abs(limit), margin, rel_tol=1e-9)
        return math.copysign(margin, limit) if close else limit

    interval = found.effect.interval
    if interval is None:
        return found
    met = replace(interval, low=end(interval.low), high=end(interval.high))
    return replace(found, effect=replace(found.effect, interval=met))


def _holding(effect: Estimate, null: float, side: Alternative, p_value: float) -> Estimate:
    """The effect, its interval reaching to a margin that is not rejected.

    Two or three items have no resample as rare as the level, and the ends of their percentiles are too near.
    """
    interval = effect.interval
    if interval is None:
        return effect
    tails = 2.0 if interval.alternative == "two-sided" else 1.0
    if p_value <= alpha_of(interval.level) / tails:
        return effect
    reached = (
        replace(interval, low=min(interval.low, null))
        if side == "greater"
        else replace(interval, high=max(interval.high, null))
    )
    return effect if reached == interval else replace(effect, interval=reached)


def _equivalence(
    name: str,
    effect: Estimate,
    margin: float,
    tests: MarginTests | None,
    notes: tuple[Note, ...] = (),
) -> TestOutcome:
    """Both one-sided tests; statistic, null and side are those of the one with the larger p."""
    nulls: tuple[tuple[float, Alternative], ...] = ((-margin, "greater"), (margin, "less"))
    if tests is None:
        return TestOutcome(
            method=name,
            statistic=None,
            p_value=None,
            effect=effect,
            null=margin,
            notes=notes or effect.notes,
            seed=effect.seed,
            details=(("margin", margin), *effect.details),
        )
    lower, upper = (tests.of(*null) for null in nulls)
    for (null, side), (_, p_value) in zip(nulls, (lower, upper), strict=True):
        effect = _holding(effect, null, side, p_value)
    harder = int(upper[1] >= lower[1])
    return TestOutcome(
        method=name,
        statistic=(lower, upper)[harder][0],
        p_value=(lower, upper)[harder][1],
        effect=effect,
        null=nulls[harder][0],
        alternative=nulls[harder][1],
        notes=notes or effect.notes,
        seed=effect.seed,
        details=(
            ("margin", margin),
            *tests.details,
            (f"{tests.letter}_lower", lower[0]),
            (f"{tests.letter}_upper", upper[0]),
            ("p_lower", lower[1]),
            ("p_upper", upper[1]),
        ),
    )


def _non_inferiority(
    name: str,
    effect: Estimate,
    margin: float,
    side: Alternative,
    tests: MarginTests | None,
    notes: tuple[Note, ...] = (),
) -> TestOutcome:
    """One test of the null that A is worse by exactly the margin."""
    null = -margin if side == "greater" else margin
    statistic, p_value, details = None, None, effect.details
    if tests is not None:
        statistic, p_value = tests.of(null, side)
        effect = _holding(effect, null, side, p_value)
        details = (*tests.details, (tests.letter, statistic))
    return TestOutcome(
        method=name,
        statistic=statistic,
        p_value=p_value,
        effect=effect,
        alternative=side,
        null=null,
        notes=notes or effect.notes,
        seed=effect.seed,
        details=(("margin", margin), *details),
    )
