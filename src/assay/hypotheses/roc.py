"""Two areas under ROC curves: on the same items or on different ones (T5)."""

import math
from collections.abc import Mapping
from typing import Any, Literal

from assay.core.checks import check_choice
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, by_count, note
from assay.core.results import Details, Estimate, TestOutcome
from assay.core.vocabulary import Alternative
from assay.estimates.method_question import MethodQuestion
from assay.estimates.misplaced_items import misplaced_p
from assay.estimates.roc import auc_difference_apart, auc_difference_of
from assay.evidence.argument_checks import as_placed_areas
from assay.kernels.delong import PlacedAreas
from assay.kernels.no_variation import flat_z
from assay.kernels.tails import normal_log10_p, normal_p, t_log10_p, t_p

FEW = 10
"""Items of a class below which the note `small-counts` is given."""

_REFERENCE = "DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44"


@method(
    question="Do the areas under the ROC curves of two models differ on the same items?",
    takes="paired-scored-labels",
    gives="test",
    unit="item",
    assumes=("independent items", "both models scored every item", "tens of items of each class"),
    reference=_REFERENCE + "; for t: Brunner & Munzel (2000), Biometrical Journal 42",
    requirement="T5",
    same_as="R: pROC::roc.test({truth}, {scores_a}, {scores_b}, method = 'delong'{, alternative})",
    formula="z = (auc_a - auc_b)/sqrt(var_diff), var_diff = var_a + var_b - 2 cov",
    name="DeLong test",
    title="DeLong's test for correlated AUCs",
    calibrated_by="areas",
    variants={"t": "t reference"},
    planned_by="two_areas",
    batched_by="two_areas",
    redrawn_by="two_areas",
)
def delong_test(
    *evidence: Any,
    variant: Literal["normal", "t"] = "normal",
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """DeLong's test of two correlated AUCs from (truth, scores_a, scores_b), with its interval.

    "normal" is the test as published; "t" compares z with Student's t at Satterthwaite's degrees
    of freedom, which allows for a variance estimated from few items of a class, and allows for items
    that the models rank apart and of which none was drawn.
    """
    chosen = check_choice(variant, ("normal", "t"), "variant")
    placed = as_placed_areas(*evidence)
    if placed.areas.size != 2:
        raise EvidenceError(
            f"two models are compared; got the scores of {placed.areas.size}: "
            "give truth, scores_a, scores_b"
        )
    name = "delong_test" if chosen == "normal" else "delong_test (t)"  # two p-values, two names
    asked = MethodQuestion.of(name, level=level, alternative=alternative)
    effect = auc_difference_of(placed, variant=chosen, level=level, alternative=asked.side)
    facts = dict(effect.details)
    error, value = effect.standard_error, effect.value
    details: Details = (
        *((name, facts.get(name)) for name in ("auc_a", "auc_b", "var_a", "var_b", "cov")),
        ("var_diff", facts.get("variance")),
    )
    if error is None or value is None:
        return _without_variance(asked, effect, details)
    z = _standardised(value, error, facts, asked.side)
    df = facts.get("df")
    p_value, log10_p = normal_p(z, asked.side), normal_log10_p(z, asked.side)
    if isinstance(df, float):
        details = (*details, ("df", df), ("p_normal", p_value))
        p_value, log10_p = t_p(z, df, asked.side), t_log10_p(z, df, asked.side)
        unseen = 0.0
        if not placed.binned:
            sizes = (placed.n_positive, placed.n_negative)
            unseen = float(misplaced_p(value, error, sizes, df, asked.side))
        if unseen > p_value:
            p_value, log10_p = unseen, math.log10(unseen)
    details = (*details, ("z", z), ("log10_p", log10_p))
    return asked.outcome(z, p_value, effect, notes=_few_of_a_class(placed), details=details)


@method(
    question="Do the areas under the ROC curves of two models differ, each on its own items?",
    takes="two-scored-labels",
    gives="test",
    unit="item",
    assumes=("independent items", "different items for A and B", "tens of items of each class"),
    reference=_REFERENCE + "; Robin et al. (2011), BMC Bioinformatics 12",
    requirement="T5",
    same_as="R: pROC::roc.test(pROC::roc({truth_a}, {scores_a}), pROC::roc({truth_b}, {scores_b}), "
    "paired = FALSE, method = 'delong'{, alternative})",
    formula="D = (auc_a - auc_b)/sqrt(var_a + var_b), t with df by Welch and Satterthwaite",
    name="DeLong independent",
    title="DeLong's test for independent AUCs",
    planned_by="separate_areas",
)
def delong_independent(
    truth_a: Any,
    scores_a: Any,
    truth_b: Any,
    scores_b: Any,
    *,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """DeLong's test of two AUCs measured on different items; the normal p-value is in details."""
    placed = as_placed_areas(truth_a, scores_a), as_placed_areas(truth_b, scores_b)
    return delong_apart(*placed, alternative=alternative, level=level)


def delong_apart(
    a: PlacedAreas, b: PlacedAreas, *, alternative: str = "two-sided", level: float = 0.95
) -> TestOutcome:
    """As :func:`delong_independent`, from areas that were placed already."""
    asked = MethodQuestion.of("delong_independent", level=level, alternative=alternative)
    effect = auc_difference_apart(a, b, level=level, alternative=asked.side)
    facts = dict(effect.details)
    error, value, df = effect.standard_error, effect.value, facts.get("df")
    details: Details = tuple(
        (name, facts.get(name)) for name in ("auc_a", "auc_b", "var_a", "var_b")
    )
    if error is None or value is None or not isinstance(df, float):
        return _without_variance(asked, effect, details)
    ratio = _standardised(value, error, facts, asked.side)
    details = (*details, ("D", ratio), ("df", df), ("p_normal", normal_p(ratio, asked.side)))
    return asked.outcome(ratio, t_p(ratio, df, asked.side), effect, details=details)


def _standardised(
    value: float, error: float, facts: Mapping[str, object], side: Alternative
) -> float:
    """The difference in standard errors; of scores in bins the least that the bins leave of it."""
    bound, largest = facts.get("bin_bound"), facts.get("largest_error")
    if not isinstance(bound, float) or not isinstance(largest, float):
        return value / error
    if side == "greater":
        return (value - bound) / largest
    if side == "less":
        return (value + bound) / largest
    return math.copysign(max(abs(value) - bound, 0.0), value) / largest


def _few_of_a_class(placed: PlacedAreas) -> tuple[Note, ...]:
    """A note where one class has so few items that the level of DeLong's test is not near."""
    rarer = min(placed.n_positive, placed.n_negative)
    if rarer >= FEW:
        return ()
    what = f"{by_count(rarer, 'item', 'items')} of the rarer class"
    return (note("small-counts", count=rarer, what=what, method="delong_test"),)


def _without_variance(asked: MethodQuestion, effect: Estimate, details: Details) -> TestOutcome:
    """Areas that do not vary: p = 1 where they are equal, else the inversion of their interval."""
    value = effect.value
    statistic = p_value = None
    notes: tuple[Note, ...] = effect.notes
    if value is not None and math.isclose(value, 0.0, abs_tol=1e-12):
        p_value, notes = 1.0, (note("no-disagreement", n=effect.n), *notes)
    elif value is not None:
        facts = dict(effect.details)
        sizes = [facts[name] for name in ("n_positive", "n_negative")]
        bound, df = facts.get("bin_bound"), facts.get("df")
        left = (
            math.copysign(max(abs(value) - bound, 0.0), value)
            if isinstance(bound, float)
            else value
        )
        statistic = flat_z(left, 1.0, min(size for size in sizes if isinstance(size, int)))
        p_value = normal_p(statistic, asked.side)
        if isinstance(bound, float):  # bins may hide that nothing varies, or that something does
            z = _standardised(value, math.nan, facts, asked.side)
            beside = t_p(z, df, asked.side) if isinstance(df, float) else normal_p(z, asked.side)
            p_value = max(p_value, beside)
    return asked.outcome(statistic, p_value, effect, notes=notes, details=details)
