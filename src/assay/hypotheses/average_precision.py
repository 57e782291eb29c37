"""Two average precisions on the same items, without resampling (T5)."""

import math
from dataclasses import replace
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import Details, TestOutcome
from assay.estimates.average_precision import average_precision_difference, few_of_a_class
from assay.estimates.method_question import MethodQuestion
from assay.estimates.misplaced_items import misplaced_p
from assay.evidence.argument_checks import as_scored_labels
from assay.kernels.no_variation import flat_z
from assay.kernels.tails import normal_p, t_log10_p, t_p


@method(
    question="Do the average precisions of two models differ on the same items?",
    takes="paired-scored-labels",
    gives="test",
    unit="item",
    assumes=("independent items", "both models scored every item", "tens of items of each class"),
    reference="assay, docs/methods/average_precision.md; Efron (1981), Biometrika 68, section 3",
    requirement="T5",
    formula="t = (ap_a - ap_b)/sqrt(var_diff), var_diff = k/(k - 1) sum (slope_a - slope_b)², "
    "k = min(n_positive, n_negative)",
    title="t test of the contributions of items to average precision",
    calibrated_by="areas",
    redrawn_by="average_precisions",
)
def average_precision_test(
    *evidence: Any, alternative: str = "two-sided", level: float = 0.95
) -> TestOutcome:
    """The difference of two average precisions from (truth, scores_a, scores_b), with its interval.

    The slope of the measure in the weight of an item says what the item adds to it (the
    infinitesimal jackknife); t on the differences of the slopes, with degrees of freedom that
    neither the class sizes nor the few items at the top can make too many. Near an average precision of 1
    items that were not drawn may tell the models apart, and are allowed for as by `delong_test`.
    """
    asked = MethodQuestion.of("average_precision_test", level=level, alternative=alternative)
    labels = as_scored_labels(*evidence)
    if len(labels.scores) != 2:
        raise EvidenceError(
            f"two models are compared; got the scores of {len(labels.scores)}: "
            "give truth, scores_a, scores_b"
        )
    effect = average_precision_difference(
        labels.truth, labels.scores, level=level, alternative=asked.side
    )
    facts = dict(effect.details)
    error, value, df = effect.standard_error, effect.value, facts.get("df")
    details: Details = (
        ("ap_a", facts.get("average_precision_a")),
        ("ap_b", facts.get("average_precision_b")),
        ("var_diff", facts.get("variance")),
    )
    outcome = asked.outcome(None, None, effect, notes=effect.notes, details=details)
    if value is None:
        return outcome
    positives = int(labels.truth.sum())
    rarer = min(positives, labels.truth.size - positives)
    if error is None or not isinstance(df, float):
        return _without_variance(outcome, value, rarer)
    t = value / error
    p_value, log10_p = t_p(t, df, asked.side), t_log10_p(t, df, asked.side)
    sizes = (positives, labels.truth.size - positives)
    unseen = float(misplaced_p(value, error, sizes, df, asked.side))
    if unseen > p_value:
        p_value, log10_p = unseen, math.log10(unseen)
    return replace(
        outcome,
        statistic=t,
        p_value=p_value,
        notes=few_of_a_class(rarer, outcome.method),
        details=(*details, ("df", df), ("t", t), ("log10_p", log10_p)),
    )


def _without_variance(outcome: TestOutcome, value: float, rarer: int) -> TestOutcome:
    """Rankings that do not vary: p = 1 where they are equal, else the inversion of the interval."""
    if value == 0.0:
        nothing = note("no-disagreement", n=outcome.effect.n)
        return replace(outcome, p_value=1.0, notes=(nothing, *outcome.notes))
    z = flat_z(value, 1.0, rarer)
    return replace(outcome, statistic=z, p_value=normal_p(z, outcome.alternative))
