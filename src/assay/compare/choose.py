"""Which procedure answers which design, and why: one table, first match wins.

The choice follows from the design of the evidence, never from a test of its normality.
"""

from collections.abc import Callable
from dataclasses import dataclass

from assay.compare import item_procedures, score_procedures, unpaired_procedures
from assay.compare.design import Design, Kind
from assay.compare.findings import Procedure
from assay.core.results import Choice
from assay.core.vocabulary import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row of the choosing table."""

    method: str
    when: Callable[[Design], bool]
    run: Procedure
    reason: str


def _over(unit: Unit, kind: Kind) -> Callable[[Design], bool]:
    return lambda design: design.unit == unit and design.kind == kind


def _over_held_folds(kind: Kind) -> Callable[[Design], bool]:
    """Over folds that were drawn so that a test held its level best."""
    over = _over("fold", kind)
    return lambda design: over(design) and score_procedures.holds_level(design)


def can_be_sequential(design: Design) -> bool:
    """Whether items may be added one by one: all models meet each, and a plain mean is compared."""
    same_items = design.kind in ("pair", "many") and design.unit == "item"
    return same_items and design.of_means and not design.dependent


def _smooth(design: Design) -> bool:
    from assay.estimates.cluster_covariance import smooth

    return design.dependent and smooth(design.measure)


def _of_means(design: Design) -> bool:
    """Whether a measure of independent items is a mean, or moves smoothly with means, as RMSE and R² do."""
    from assay.estimates.resampling_cells import MANY_MEANS

    measure = design.measure
    smooth = measure.reduction == "moments" and not measure.biased
    return smooth and not design.dependent and all(part.n < MANY_MEANS for part in design.parts)


def _counts_labels(design: Design) -> bool:
    from assay.hypotheses.label_slopes import MOST_CLASSES

    measure = design.measure
    few = all(len(part.classes) <= MOST_CLASSES for part in design.parts)
    quick = few or measure.two_classes or measure.margins is not None
    return not design.dependent and measure.reduction == "tally" and quick


RULES: tuple[Rule, ...] = (
    Rule(
        method="cautious_t_one",
        when=_over_held_folds("level"),
        run=score_procedures.folds_against_level,
        reason="one algorithm over repeated five-fold splits: t test with twice Nadeau and Bengio's correction, "
        "which held its level best in simulation",
    ),
    Rule(
        method="corrected_t_one",
        when=_over("fold", "level"),
        run=score_procedures.folds_against_level,
        reason="one algorithm over folds, which share training data: t test with Nadeau and Bengio's correction",
    ),
    Rule(
        method="cautious_resampled_t",
        when=_over_held_folds("pair"),
        run=score_procedures.folds_of_two,
        reason="two algorithms over repeated five-fold splits: paired t test with twice Nadeau and Bengio's "
        "correction, which held its level best in simulation",
    ),
    Rule(
        method="cautious_resampled_t",
        when=_over_held_folds("many"),
        run=score_procedures.folds_of_many,
        reason="{k} algorithms over repeated five-fold splits: t tests of the {pairs} pairs with twice "
        "Nadeau and Bengio's correction, Holm-adjusted",
    ),
    Rule(
        method="corrected_resampled_t",
        when=_over("fold", "pair"),
        run=score_procedures.folds_of_two,
        reason="two algorithms over the same folds, which share training data: paired t test with Nadeau "
        "and Bengio's correction. It is an approximation; no test with a guaranteed level exists for this design",
    ),
    Rule(
        method="corrected_resampled_t",
        when=_over("fold", "many"),
        run=score_procedures.folds_of_many,
        reason="{k} algorithms over the same folds: corrected t test of each of the {pairs} pairs, Holm-adjusted",
    ),
    Rule(
        method="one_sample_t",
        when=_over("seed", "level"),
        run=score_procedures.seeds_against_level,
        reason="one algorithm over seeds against a level: t test of the mean",
    ),
    Rule(
        method="two_sample_t",
        when=_over("seed", "pair"),
        run=score_procedures.seeds_of_two,
        reason="two algorithms, each with its own seeds: Welch's t test, which allows unequal variances",
    ),
    Rule(
        method="two_sample_t",
        when=_over("seed", "many"),
        run=score_procedures.seeds_of_many,
        reason="{k} algorithms, each with its own seeds: Welch's t test of each of the {pairs} pairs, Holm-adjusted",
    ),
    Rule(
        method="wilcoxon",
        when=_over("dataset", "level"),
        run=score_procedures.datasets_against_level,
        reason="one algorithm over data sets against a level: signed-rank test of the differences",
    ),
    Rule(
        method="wilcoxon",
        when=_over("dataset", "pair"),
        run=score_procedures.datasets_of_two,
        reason="two algorithms over data sets: signed-rank test, because differences on different data "
        "sets are not commensurable enough for a t test",
    ),
    Rule(
        method="wilcoxon_pairs",
        when=_over("dataset", "many"),
        run=score_procedures.datasets_of_many,
        reason="{k} algorithms over data sets: signed-rank test of each of the {pairs} pairs, "
        "Holm-adjusted. Unlike mean ranks, it does not depend on the other algorithms in the table",
    ),
    Rule(
        method="binomial",
        when=lambda d: d.kind == "level" and d.measure.counts is not None and not d.dependent,
        run=item_procedures.level_of_labels,
        reason="one model, right or wrong on independent items, against a level: the exact binomial test",
    ),
    Rule(
        method="measure_against",
        when=lambda d: d.kind == "level",
        run=item_procedures.level_by_interval,
        reason="one model against a level in {measure}: the confidence interval contains the level or not",
    ),
    Rule(
        method="mcnemar",
        when=lambda d: d.kind == "pair" and d.measure.counts is not None and not d.dependent,
        run=item_procedures.right_or_wrong,
        reason="two models, right or wrong on the same items: McNemar's test uses the items on which only "
        "one of them is right",
    ),
    Rule(
        method="delong_test",
        when=lambda d: d.kind == "pair" and d.measure.name == "roc_auc" and not d.dependent,
        run=item_procedures.areas_under_curves,
        reason="two areas under ROC curves on the same items are correlated, and DeLong's test takes "
        "that into account",
    ),
    Rule(
        method="average_precision_test",
        when=lambda d: (
            d.kind == "pair" and d.measure.name == "average_precision" and not d.dependent
        ),
        run=item_procedures.average_precisions,
        reason="two average precisions on the same items: t test on the contribution of each item",
    ),
    Rule(
        method="paired_t",
        when=lambda d: d.kind == "pair" and d.of_means and not d.dependent,
        run=item_procedures.mean_losses,
        reason="two models on the same items, over which {measure} is a mean: paired t test on the "
        "differences, corrected for skewness",
    ),
    Rule(
        method="cluster_difference",
        when=lambda d: d.kind == "pair" and d.of_means and d.clustered and not d.weighted,
        run=item_procedures.clustered_means,
        reason="items come in clusters, and {measure} is a mean over items: differences are summed within "
        "clusters, which are the independent units",
    ),
    Rule(
        method="paired_jackknife",
        when=lambda d: d.kind == "pair" and d.of_means and d.weighted,
        run=item_procedures.weighted_means,
        reason="items have weights, and {measure} is a mean over items: jackknife t test, leaving out one item "
        "(or cluster) at a time",
    ),
    Rule(
        method="paired_jackknife",
        when=lambda d: d.kind == "pair" and _smooth(d),
        run=item_procedures.without_clusters,
        reason="items come in clusters or have weights: jackknife t test of the difference in {measure}, leaving "
        "out one at a time",
    ),
    Rule(
        method="paired_delta",
        when=lambda d: d.kind == "pair" and _counts_labels(d),
        run=item_procedures.counted_labels,
        reason="two models on the same items, {measure} from the counts of answers: delta method, with 0.5 "
        "added to each count",
    ),
    Rule(
        method="paired_jackknife",
        when=lambda d: d.kind == "pair" and _of_means(d),
        run=item_procedures.without_clusters,
        reason="two models on the same items, and {measure} is a function of means over them: jackknife t test, "
        "leaving out one item at a time",
    ),
    Rule(
        method="paired_bootstrap",
        when=lambda d: d.kind == "pair",
        run=item_procedures.any_measure,
        reason="two models on the same items, and {measure} is not a mean over items: paired bootstrap, both "
        "models resampled together",
    ),
    Rule(
        method="two_proportions_z",
        when=lambda d: d.kind == "independent" and d.measure.counts is not None and not d.dependent,
        run=unpaired_procedures.different_items,
        reason="two models, right or wrong on different items: two independent proportions",
    ),
    Rule(
        method="delong_independent",
        when=lambda d: d.kind == "independent" and d.measure.name == "roc_auc" and not d.dependent,
        run=unpaired_procedures.different_curves,
        reason="two areas under ROC curves on different items: DeLong's variances, independent samples",
    ),
    Rule(
        method="independent_delta",
        when=lambda d: d.kind == "independent" and _counts_labels(d),
        run=unpaired_procedures.different_labels,
        reason="two models on different items, {measure} from the counts of answers: delta method, with 0.5 "
        "added to each count",
    ),
    Rule(
        method="independent_jackknife",
        when=lambda d: d.kind == "independent" and _smooth(d),
        run=unpaired_procedures.different_clusters,
        reason="two models on different items, in clusters or with weights: jackknife standard error of "
        "{measure} over clusters (or items)",
    ),
    Rule(
        method="independent_jackknife",
        when=lambda d: d.kind == "independent" and _of_means(d),
        run=unpaired_procedures.different_clusters,
        reason="two models on different items, and {measure} rests on means over them: jackknife standard errors, "
        "leaving out one item at a time",
    ),
    Rule(
        method="independent_bootstrap",
        when=lambda d: d.kind == "independent",
        run=unpaired_procedures.different_measures,
        reason="two models on different items in {measure}: bootstrap, each model resampled on its own",
    ),
    Rule(
        method="simultaneous_delta",
        when=lambda d: d.kind == "many" and _counts_labels(d),
        run=item_procedures.labels_at_once,
        reason="{k} models on the same items: delta method on their joint counts, with simultaneous "
        "intervals over the {pairs} pairs",
    ),
    Rule(
        method="simultaneous_jackknife",
        when=lambda d: d.kind == "many" and _smooth(d),
        run=item_procedures.clusters_at_once,
        reason="{k} models on the same items, in clusters or with weights: jackknife over clusters (or "
        "items), simultaneous intervals for the {pairs} pairs",
    ),
    Rule(
        method="simultaneous_bootstrap",
        when=lambda d: d.kind == "many",
        run=item_procedures.all_at_once,
        reason="{k} models on the same items: one bootstrap of all models gives simultaneous intervals over "
        "the {pairs} pairs",
    ),
)


def choose(design: Design) -> tuple[Rule, Choice]:
    """The first rule that fits the design, and the choice with its reason in words."""
    rule = next(rule for rule in RULES if rule.when(design))
    k = len(design.models)
    pairs = k - 1 if design.baseline else k * (k - 1) // 2
    reason = rule.reason.format(measure=design.measure.called, k=k, pairs=pairs)
    return rule, Choice(method=rule.method, reason=reason)
