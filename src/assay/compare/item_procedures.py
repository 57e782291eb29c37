"""The procedures behind a comparison: each runs one design and returns what it found."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.compare.design import Design
from assay.compare.findings import Findings, Others, Settings
from assay.compare.score_procedures import check_pairs
from assay.core.arrays import FloatArray
from assay.core.errors import NotApplicable
from assay.core.results import Estimate, FamilyOutcome, TestOutcome, with_notes
from assay.core.vocabulary import REVERSED
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions
from assay.evidence.tally import PairedTable
from assay.measures.registry import Measure

MANY_PAIRS = 50
"""Beyond this many pairs the pairwise tests beside the simultaneous intervals are left out."""


def level_of_labels(design: Design, settings: Settings) -> Findings:
    """One model against a level: the exact binomial test and its inverted interval."""
    from assay.hypotheses.one_model import binomial, proportion_z

    measure, against = design.measure, _against(design)
    null = against if measure.counts == "wrong" else 1.0 - against
    counts = errors_of(design.items)
    outcome = in_measure(binomial(*counts, null=null, level=settings.level), measure, against)

    def others() -> Others:
        normal = proportion_z(*counts, null=null, level=settings.level)
        named = in_measure(normal, measure, against)
        return [("normal approximation with Wilson's interval", named)]

    return Findings(pairs=((design.models[0], design.level_name, outcome),), also=others)


def level_by_interval(design: Design, settings: Settings) -> Findings:
    """One model against a level in any measure: the level is inside its interval, or not."""
    from assay.hypotheses.one_model import measure_against

    outcome = measure_against(
        design.items,
        measure=design.measure,
        null=_against(design),
        **settings.drawn,
    )
    return Findings(pairs=((design.models[0], design.level_name, outcome),))


def right_or_wrong(design: Design, settings: Settings) -> Findings:
    """Two models on the same items, right or wrong: McNemar's score test with Tango's interval."""
    from assay.hypotheses.paired_outcomes import Variant, mcnemar

    (a, b), measure = design.models, design.measure
    table = design.items.tally(design.models).paired_table(a, b)
    cells = (table.both_right, table.only_a, table.only_b, table.both_wrong)
    errors_a, errors_b = table.only_b + table.both_wrong, table.only_a + table.both_wrong

    folded = _cross_validated(design, settings) if "fold" in design.items.roles else ()

    def run(variant: Variant) -> TestOutcome:
        # that variants may differ is said once, above the table they are shown in
        outcome = replace(mcnemar(*cells, variant=variant, level=settings.level), notes=())
        return in_measure(outcome, measure)

    def others() -> Others:
        from assay.hypotheses.independent_outcomes import two_proportions_z

        unpaired = two_proportions_z(errors_a, table.n, errors_b, table.n, level=settings.level)
        return [
            ("McNemar, exact", run("exact")),
            ("McNemar, mid-p", run("mid-p")),
            ("McNemar, continuity correction", run("continuity")),
            ("two proportions z: ignores the pairing", in_measure(unpaired, measure)),
            *folded,
        ]

    outcome = in_measure(mcnemar(*cells, level=settings.level), measure)
    return Findings(pairs=((a, b, outcome),), also=others)


def _cross_validated(design: Design, settings: Settings) -> tuple[tuple[str, TestOutcome], ...]:
    """Where predictions come from the folds of one cross-validation: the central limit of its errors."""
    folds = design.items.sorted_columns(design.measure.needs, design.models).folds
    if folds is None or np.unique(folds).size < 2:  # one split is no cross-validation
        return ()
    from assay.estimates.cross_validation import paired_cv_bayle

    outcome = paired_cv_bayle(*item_losses(design), folds, level=settings.level)
    return (("central limit of cross-validated errors", _named(outcome, design.measure)),)


def areas_under_curves(design: Design, settings: Settings) -> Findings:
    """Two models on the same items by AUC: DeLong's test with t and its own interval."""
    from assay.hypotheses.roc import delong_test

    a, b = design.models
    placed = design.items.areas(design.models)
    outcome = delong_test(placed, variant="t", level=settings.level)

    def others() -> Others:
        normal = delong_test(placed, level=settings.level)
        return [("DeLong, normal approximation", replace(normal, notes=()))]

    return Findings(pairs=((a, b, outcome),), also=others)


def average_precisions(design: Design, settings: Settings) -> Findings:
    """Two models on the same items by average precision: t on what each item adds to it."""
    from assay.hypotheses.average_precision import average_precision_test

    a, b = design.models
    chosen = design.items.select(*design.models)
    columns = chosen.sorted_columns("scores", design.models)
    outcome = average_precision_test(columns.truth, *columns.predictions, level=settings.level)

    def others() -> Others:
        from assay.hypotheses.paired_measures import paired_bootstrap

        sampled = paired_bootstrap(chosen, measure=design.measure, **settings.drawn)
        return [("paired bootstrap, percentile", sampled)]

    if not chosen.arrays:  # so many that they are not held: now, before the rows can change
        return Findings(pairs=((a, b, outcome),), also=partial(tuple, others()))
    return Findings(pairs=((a, b, outcome),), also=others)


def mean_losses(design: Design, settings: Settings) -> Findings:
    """Two models on the same items by a mean over items: t on the per-item differences."""
    from assay.estimates.loss_ranges import t_variant
    from assay.hypotheses.paired_scores import paired_permutation, paired_t, wilcoxon

    (a, b), measure = design.models, design.measure
    losses_a, losses_b = item_losses(design)
    folded = _cross_validated(design, settings) if "fold" in design.items.roles else ()
    bound = _bound(design, settings)
    variant = t_variant(measure, bound)
    tested = paired_t(losses_a, losses_b, level=settings.level, variant=variant, bound=bound)
    tested = _named(tested, measure)
    tested = _tails_noted(tested, measure, bound, losses_a - losses_b)

    def others() -> Others:
        permuted = paired_permutation(losses_a, losses_b, level=settings.level)
        ranked = wilcoxon(losses_a, losses_b, level=settings.level)
        return [
            ("sign-flip permutation of the mean", _named(permuted, measure)),
            ("Wilcoxon signed rank: of the pseudo-median", ranked),
            *folded,
        ]

    tested = _told_if_flat(tested, design, settings, losses_a.size)
    return Findings(pairs=((a, b, tested),), also=others)


def _bound(design: Design, settings: Settings) -> float | None:
    """How far the losses of two models can differ on an item, where that is told or known."""
    from assay.estimates.loss_ranges import largest_difference

    columns = design.items.sorted_columns(design.measure.needs, design.models)
    known = largest_difference(design.measure, columns)
    told = [one for one in (settings.bound, known) if one is not None]
    return min(told, default=None)


def _of_two(design: Design, test: Callable[..., TestOutcome], **options: Any) -> Findings:
    """Two models on the same items by a method that takes their predictions."""
    a, b = design.models
    outcome = test(design.items.select(a, b), measure=design.measure, **options)
    return Findings(pairs=((a, b, outcome),))


def counted_labels(design: Design, settings: Settings) -> Findings:
    """Two models on the same items by a function of their labels: the delta method on the counts."""
    from assay.hypotheses.label_slopes import MOST_CLASSES
    from assay.hypotheses.paired_labels import paired_delta

    (a, b), measure = design.models, design.measure
    chosen = design.items.select(*design.models)
    outcome = paired_delta(chosen, measure=measure, level=settings.level)
    if len(chosen.classes) > MOST_CLASSES:  # resampling so many cells takes longer than it tells
        return Findings(pairs=((a, b, outcome),))

    def others() -> Others:
        from assay.hypotheses.paired_measures import paired_bootstrap, permutation_beside

        drawn = paired_bootstrap(chosen, measure=measure, **settings.drawn)
        permuted = permutation_beside(drawn, chosen, measure=measure, **settings.drawn)
        return [
            ("paired bootstrap, percentile", drawn),
            ("permutation (null: exchangeable models)", permuted),
        ]

    return Findings(pairs=((a, b, outcome),), also=others)


def any_measure(design: Design, settings: Settings) -> Findings:
    """Two models on the same items by any measure: the paired bootstrap and its p-value."""
    from assay.hypotheses.paired_measures import paired_bootstrap

    return _of_two(design, paired_bootstrap, **settings.drawn)


def without_clusters(design: Design, settings: Settings) -> Findings:
    """Two models on clustered or weighted items: each cluster (or item) is left out in turn."""
    from assay.hypotheses.cluster_jackknife import paired_jackknife

    return _of_two(design, paired_jackknife, level=settings.level)


def clustered_means(design: Design, settings: Settings) -> Findings:
    """Two models on clustered items by a mean: cluster-robust t on the differences."""
    from assay.estimates.loss_ranges import t_variant
    from assay.hypotheses.dependent_means import clustered_t
    from assay.kernels.effective_size import kish

    losses_a, losses_b = item_losses(design)
    clusters = design.items.sorted_columns(design.measure.needs, design.models).clusters
    bound = _bound(design, settings)
    squares = t_variant(design.measure, bound) == "squares"
    outcome = clustered_t(
        losses_a, losses_b, clusters, bound=bound, squares=squares, level=settings.level
    )
    outcome = _named(outcome, design.measure)
    outcome = _tails_noted(outcome, design.measure, bound, losses_a - losses_b)
    sizes = np.bincount(np.asarray(clusters)).astype(np.float64)
    units = kish(sizes)  # clusters, as if of one size
    return _of_range(design, _told_if_flat(outcome, design, settings, units))


def weighted_means(design: Design, settings: Settings) -> Findings:
    """Two models on weighted items by a mean: each item (or cluster) is left out in turn."""
    from assay.estimates.loss_ranges import t_variant
    from assay.hypotheses.cluster_jackknife import paired_jackknife
    from assay.hypotheses.dependent_means import heeding

    measure, evidence = design.measure, design.items.select(*design.models)
    found = paired_jackknife(evidence, measure=measure, level=settings.level)
    columns = evidence.sorted_columns(measure.needs, design.models)
    losses_a, losses_b = item_losses(design)
    bound = _bound(design, settings)
    outcome = heeding(
        found, losses_a, losses_b, bound=bound, squares=t_variant(measure, bound) == "squares",
        clusters=columns.clusters, weights=columns.weights,
    )  # fmt: skip
    return _of_range(design, _tails_noted(outcome, measure, bound, losses_a - losses_b))


def _of_range(design: Design, outcome: TestOutcome) -> Findings:
    """What was found of two models, its interval cut to where differences of the measure can be."""
    from assay.estimates.means import cut_to_range

    (a, b), extent = design.models, design.measure.high - design.measure.low
    if outcome.effect.value is not None:
        outcome = replace(outcome, effect=cut_to_range(outcome.effect, -extent, extent))
    return Findings(pairs=((a, b, outcome),))


def _tails_noted(
    outcome: TestOutcome, measure: Measure, bound: float | None, differences: FloatArray
) -> TestOutcome:
    """What an interval of losses without an end assumes."""
    from assay.estimates.normality_of_means import heavy_tails

    if bound is not None or measure.direction != "lower":
        return outcome
    return with_notes(outcome, *heavy_tails(differences, measure.called))


def _told_if_flat(
    outcome: TestOutcome, design: Design, settings: Settings, units: float
) -> TestOutcome:
    """Where differences do not vary: what so many units cannot rule out, instead of no interval."""
    from assay.hypotheses.replicate_answers import flat_difference

    if not any(one.code == "zero-variance" for one in outcome.notes):
        return outcome
    others = tuple(one for one in outcome.notes if one.code != "zero-variance")
    bare = replace(outcome, notes=others, effect=replace(outcome.effect, notes=()))
    return flat_difference(bare, design.measure, level=settings.level, units=units)


def labels_at_once(design: Design, settings: Settings) -> Findings:
    """Many models on the same items by a function of their labels: simultaneous, from the counts."""
    from assay.hypotheses.simultaneous_labels import simultaneous_delta

    return _held_together(design, settings, simultaneous_delta)


def all_at_once(design: Design, settings: Settings) -> Findings:
    """Many models on the same items: simultaneous intervals over all pairs or a baseline's."""
    from assay.hypotheses.simultaneous import simultaneous_bootstrap

    if design.of_means:
        return _means_together(design, settings)
    return _held_together(design, settings, simultaneous_bootstrap)


def clusters_at_once(design: Design, settings: Settings) -> Findings:
    """Many models on clustered or weighted items: simultaneous, each cluster left out in turn."""
    from assay.hypotheses.cluster_jackknife import simultaneous_jackknife

    if design.of_means:
        return _means_together(design, settings)
    return _held_together(design, settings, simultaneous_jackknife)


def _means_together(design: Design, settings: Settings) -> Findings:
    from assay.compare.mean_families import means_together

    check_pairs(design)
    return simultaneous_findings(design, settings, means_together(design, settings))


def _held_together(
    design: Design, settings: Settings, run: Callable[..., FamilyOutcome]
) -> Findings:
    check_pairs(design)
    asked = {"measure": design.measure, "baseline": design.baseline}
    return simultaneous_findings(design, settings, run(design.items, **asked, **settings.drawn))


def simultaneous_findings(design: Design, settings: Settings, family: FamilyOutcome) -> Findings:
    """What simultaneous intervals found, and what is shown beside them."""
    pairs = tuple(
        (a, b, outcome) for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True)
    )
    also, omnibus = _beside_many(design, settings, family.pairs)
    return Findings(pairs=pairs, also=also, omnibus=omnibus, notes=family.notes, adjustment="max-t")


def _beside_many(
    design: Design, settings: Settings, pairs: tuple[tuple[str, str], ...]
) -> tuple[Callable[[], Others], TestOutcome | None]:
    """Of right and wrong answers: McNemar's test of each pair, and Cochran's Q of all models."""
    from assay.hypotheses.many_models import cochran_q

    if design.measure.counts is None or design.dependent:
        return tuple, None
    omnibus = cochran_q(design.items)
    if len(pairs) > MANY_PAIRS:
        return tuple, omnibus
    tally = design.items.tally(design.models)
    tables = {pair: tally.paired_table(*pair) for pair in pairs}
    return partial(_mcnemar_with_holm, tables, design.measure, settings.level), omnibus


def item_losses(design: Design, *, as_read: bool = False) -> tuple[FloatArray, FloatArray]:
    """The per-item values whose mean is the measure, for A and B in the same order of items.

    That of their values, or ``as_read`` that of the evidence.
    """
    losses = all_losses(design, as_read=as_read)
    return losses[0], losses[1]


def all_losses(design: Design, *, as_read: bool = False) -> FloatArray:
    """The same of every model: (models, items)."""
    from assay.estimates.loss_ranges import check_losses

    evidence = design.items
    columns_of = evidence.columns if as_read else evidence.sorted_columns
    columns = columns_of(design.measure.needs, design.models)
    losses = item_values(columns, design.measure)
    for model, own in zip(design.models, losses, strict=True):
        _refuse_infinite(own, model, design.measure.called)
    check_losses(losses, design.measure)
    return losses


def item_values(columns: Columns, measure: Measure) -> FloatArray:
    """What is averaged, of every model: (models, items)."""
    if measure.reduction == "tally":
        right = columns.predictions == columns.truth
        return np.asarray(right if measure.counts == "right" else ~right, dtype=np.float64)
    features: Any = measure.features
    return np.stack([features(columns.truth, own)[:, 0] for own in columns.predictions]).astype(
        np.float64
    )


def _refuse_infinite(losses: FloatArray, model: str, measure: str) -> None:
    """One infinite loss makes the mean infinite: there is no difference to be sure of."""
    count = int(np.count_nonzero(~np.isfinite(losses)))
    if count:
        items = "1 item" if count == 1 else f"{count:,} items"
        clip = f"clip it with measure={measure}[1e-15], or " if measure == "log_loss" else ""
        raise NotApplicable(
            f"{measure} of {model!r} is infinite: {items} (the first at position "
            f"{int(np.flatnonzero(~np.isfinite(losses))[0])}) happened although called impossible; "
            f"{clip}compare by brier, which is bounded"
        )


def _mcnemar_with_holm(
    tables: Mapping[tuple[str, str], PairedTable], measure: Measure, level: float
) -> Others:
    from assay.hypotheses.pair_families import adjusted_outcomes
    from assay.hypotheses.paired_outcomes import mcnemar

    def run(a: str, b: str, own: float) -> TestOutcome:
        table = tables[a, b]
        cells = (table.both_right, table.only_a, table.only_b, table.both_wrong)
        return in_measure(mcnemar(*cells, level=own), measure)

    outcomes = adjusted_outcomes(run, list(tables), level=level, adjustment="holm")
    titles = [f"McNemar {a} − {b}, Holm" for a, b in tables]
    return list(zip(titles, outcomes, strict=True))


def in_measure(outcome: TestOutcome, measure: Measure, against: float | None = None) -> TestOutcome:
    """An outcome about errors or accuracies, told in the measure that was asked for."""
    named = replace(outcome.effect, measure=measure.called)
    if outcome.effect.measure == measure.name:
        return replace(outcome, effect=named)
    total = 0.0 if against is None else 1.0  # accuracy and error rate add up to 1, differences to 0

    def flip(value: float) -> float:
        return total - value

    flipped = replace(
        named,
        value=None if named.value is None else flip(named.value),
        interval=named.interval and named.interval.mapped(flip),
    )
    return replace(
        outcome,
        effect=flipped,
        statistic=None if outcome.statistic is None else -outcome.statistic,
        alternative=REVERSED[outcome.alternative],
        null=outcome.null if against is None else against,
    )


def _named(outcome: TestOutcome, measure: Measure) -> TestOutcome:
    """An outcome about numbers, with the measure's name put on them."""
    effect: Estimate = replace(outcome.effect, measure=measure.called, unit="item")
    return replace(outcome, effect=effect)


def errors_of(evidence: Predictions) -> tuple[int, int]:
    tally = evidence.tally()
    right = int(tally.counts[tally.right(tally.models[0])].sum())
    return tally.n - right, tally.n


def _against(design: Design) -> float:
    if design.against is None:
        raise TypeError("this procedure needs a level")
    return design.against
