"""The procedures for scores: algorithms compared over folds, over seeds and over data sets."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from assay.compare.design import Design
from assay.compare.findings import Findings, Others, Settings
from assay.compare.score_gaps import complete
from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.notes import Note, note
from assay.core.results import FamilyOutcome, TestOutcome, with_notes
from assay.core.vocabulary import Direction
from assay.evidence.blocks import Blocks

FOLDS_OF_5X2 = (5, 2)
MOST_PAIRS = 100_000
"""Pairs that are decided together at most: 447 models."""
MANY_PAIRS_BESIDE = 2_000
"""Pairs beyond which families that decide nothing are left out."""
FEWEST_TOGETHER, TOGETHER = 5, 0.8
"""Seeds in common, and the correlation of their scores, from which on runs may be pairs."""
OTHER_SCALES = ("sign_balance", "probability_of_improvement", "violation_ratio")
"""Effects that are not differences of scores."""


def folds_against_level(design: Design, settings: Settings) -> Findings:
    """One algorithm over folds against a level: the corrected t, over repeated five folds the cautious one."""
    from assay.hypotheses.resampled_scores import cautious_t_one, corrected_t_one, fold_t

    over = _over_folds(design, settings)
    values = complete(design).values[:, 0]
    options: dict[str, Any] = {"null": design.against, "level": settings.level, **over.how}
    tests: list[Callable[..., TestOutcome]] = [corrected_t_one, cautious_t_one]
    decides, other = tests[:: -1 if over.held else 1]
    spread = over.spread(design.models[0])

    def others() -> Others:
        naive = fold_t(values, null=float(design.against or 0.0), level=settings.level)
        return [
            *_without(spread, lambda: decides(values, **options)),
            (_times(held=over.held), other(values, **options)),
            ("naive t over folds: do not use", naive),
        ]

    outcome = decides(values, **options, **spread)
    return Findings(
        pairs=((design.models[0], design.level_name, _named(outcome, design)),),
        also=_all_named(others, design),
        notes=over.notes,
    )


def _without(spread: dict[str, float], run: Callable[[], TestOutcome]) -> Others:
    """The test that decides, as it would be without what was added for learners that hardly learn."""
    return [("without the allowance for training", run())] if any(spread.values()) else []


def _times(*, held: bool) -> str:
    """The corrected t beside the one that decides."""
    return f"t with {'one' if held else 'two'} times the correction"


def holds_level(design: Design) -> bool:
    """Whether the cautious t decides these folds."""
    from assay.compare import fold_notes

    return fold_notes.holds_level(design.scores)


class _OverFolds(NamedTuple):
    """How the splits were made, which of two tests decides, and what is said of them."""

    how: dict[str, Any]
    held: bool
    near: dict[str, float]
    notes: tuple[Note, ...]

    def spread(self, *models: str) -> dict[str, float]:
        """Of the test that decides: how much training varies beyond what splits show, where it takes that."""
        if not self.held:
            return {}
        return {"training_sd": math.hypot(*(self.near.get(model, 0.0) for model in models))}


def _over_folds(design: Design, settings: Settings) -> _OverFolds:
    from assay.compare.fold_notes import fold_notes
    from assay.estimates.mean_scores import splits_said
    from assay.estimates.near_majority import near_majority

    scores, table, measure = design.scores, complete(design), design.measure.name
    values = {model: column(table, model) for model in design.models}
    how = splits_said(scores, len(table.values))
    near = near_majority(scores, measure, values, level=settings.level, splits=how)
    return _OverFolds(how, holds_level(design), near, fold_notes(scores, measure, near))


def folds_of_two(design: Design, settings: Settings) -> Findings:
    """Two algorithms over the same folds: the corrected resampled t."""
    from assay.hypotheses.resampled_scores import (
        alpaydin_5x2_f,
        cautious_resampled_t,
        corrected_resampled_t,
        dietterich_5x2_t,
        kfold_paired_t,
    )

    scores, (a, b) = design.scores, _columns(design)
    over = _over_folds(design, settings)
    how: dict[str, Any] = {"level": settings.level, **over.how}
    tests: list[Callable[..., TestOutcome]] = [corrected_resampled_t, cautious_resampled_t]
    decides, other = tests[:: -1 if over.held else 1]
    spread = over.spread(*design.models)

    def others() -> Others:
        also = [
            *_without(spread, lambda: decides(a, b, **how)),
            (_times(held=over.held), other(a, b, **how)),
            ("naive t over folds: do not use", kfold_paired_t(a, b, level=settings.level)),
        ]
        if (scores.repeats, scores.folds) != FOLDS_OF_5X2:
            return also
        differences = (a - b).reshape(FOLDS_OF_5X2)
        return [
            *also,
            ("combined 5x2cv F (Alpaydin)", alpaydin_5x2_f(differences, level=settings.level)),
            ("5x2cv t (Dietterich)", dietterich_5x2_t(differences, level=settings.level)),
        ]

    return Findings(
        pairs=((*design.pair, _named(decides(a, b, **how, **spread), design)),),
        also=_all_named(others, design),
        notes=over.notes,
    )


def folds_of_many(design: Design, settings: Settings) -> Findings:
    """Many algorithms over the same folds: the corrected t of every pair, with Holm."""
    from assay.hypotheses.anova import oneway_anova, rm_anova
    from assay.hypotheses.many_models import friedman
    from assay.hypotheses.resampled_scores import cautious_resampled_t, corrected_resampled_t

    check_pairs(design)
    table, over = complete(design), _over_folds(design, settings)
    tests: list[Callable[..., TestOutcome]] = [corrected_resampled_t, cautious_resampled_t]
    test = tests[over.held]

    def run(a: str, b: str, level: float) -> TestOutcome:
        columns = column(table, a), column(table, b)
        return test(*columns, level=level, **over.how, **over.spread(a, b))

    options: dict[str, Any] = {"unit": "fold", "level": settings.level}
    groups = {model: column(table, model) for model in design.models}

    def others() -> Others:
        ranks = friedman(table, direction=design.ranked_by, **options)
        # of the question of algorithms no test of all at once is known to hold its level: none decides
        within = rm_anova(table.values, **options)
        return [
            ("repeated-measures ANOVA: takes folds as independent", within),
            ("Friedman, taking folds as independent blocks", ranks),
            ("one-way ANOVA: ignores the folds in common", oneway_anova(groups, **options)),
        ]

    return replace(
        _family(design, settings, run),
        also=others,
        families=_beside_folds(groups, settings.level),
        notes=over.notes,
    )


def _beside_folds(
    groups: dict[str, FloatArray], level: float
) -> tuple[tuple[str, FamilyOutcome], ...]:
    """What textbooks show, where there are so few pairs that somebody may read them."""
    from assay.hypotheses.anova import tukey_hsd

    if math.comb(len(groups), 2) > MANY_PAIRS_BESIDE:
        return ()
    return (("Tukey, ignoring folds", tukey_hsd(groups, unit="fold", level=level)),)


def seeds_against_level(design: Design, settings: Settings) -> Findings:
    """One algorithm over its seeds against a level: t on the mean."""
    from assay.hypotheses.one_model import one_sample_t

    values = design.scores.runs(design.scored)[design.models[0]]
    null = float(design.against or 0.0)
    outcome = one_sample_t(values, null=null, level=settings.level, unit="seed")
    return Findings(pairs=((design.models[0], design.level_name, _named(outcome, design)),))


def seeds_of_two(design: Design, settings: Settings) -> Findings:
    """Two algorithms over their own seeds: Welch's t on the means."""
    from assay.hypotheses.runs import aso
    from assay.hypotheses.two_samples import mann_whitney, permutation_two_samples, two_sample_t

    runs = design.scores.runs(design.scored)
    a, b = (runs[model] for model in design.models)
    options: dict[str, Any] = {"level": settings.level, "unit": "seed"}
    direction = design.ranked_by

    def others() -> Others:
        ahead_first = sorted((a, b), key=np.mean, reverse=direction == "higher")
        ordered: dict[str, Any] = {"direction": direction, "level": settings.level}
        order = aso(*ahead_first, **ordered, n_resamples=999, rng=settings.seed)
        permuted = permutation_two_samples(a, b, rng=settings.seed, **options)
        return [
            ("permutation of the means", permuted),
            ("Mann-Whitney: of the shift", mann_whitney(a, b, **options)),
            *_over_shared_seeds(design, settings),
            ("probability of improvement", _improvement(a, b, direction, settings.level)),
            ("almost stochastic order: better mean first", order),
        ]

    decided = with_notes(two_sample_t(a, b, **options), *_going_together(design))
    return Findings(
        pairs=((*design.pair, _named(decided, design)),), also=_all_named(others, design)
    )


def _going_together(design: Design) -> tuple[Note, ...]:
    """A note where runs of one seed rise and fall together: then they may be pairs, which Welch's t does not use."""
    table = design.scores.blocks(design.scored)
    a, b = (column(table, model) for model in design.models)
    if a.size < FEWEST_TOGETHER or not np.ptp(a) > 0.0 or not np.ptp(b) > 0.0:
        return ()
    correlation = float(np.corrcoef(a, b)[0, 1])
    return (note("seeds-go-together", r=correlation),) if correlation >= TOGETHER else ()


def _over_shared_seeds(design: Design, settings: Settings) -> list[tuple[str, TestOutcome]]:
    """The paired t, where both have the same seeds: right if a seed is a split or a start in common."""
    from assay.hypotheses.paired_scores import paired_t

    table = design.scores.blocks(design.scored)
    a, b = (column(table, model) for model in design.models)
    if np.isnan(a).any() or np.isnan(b).any() or a.size < 2:
        return []
    outcome = paired_t(a, b, level=settings.level, unit="seed")
    return [("paired t over shared seeds", outcome)]


def _improvement(a: FloatArray, b: FloatArray, direction: Direction, level: float) -> TestOutcome:
    """The probability of improvement, which has an interval and no test of its own."""
    from assay.estimates.runs import probability_of_improvement

    found = probability_of_improvement(a, b, direction=direction, level=level)
    return TestOutcome(
        method=found.method,
        statistic=None,
        p_value=None,
        effect=found,
        null=0.5,
        notes=found.notes,
    )


def seeds_of_many(design: Design, settings: Settings) -> Findings:
    """Many algorithms over their own seeds: Welch's t of every pair, with Holm."""
    from assay.hypotheses.anova import welch_anova
    from assay.hypotheses.two_samples import two_sample_t

    check_pairs(design)
    runs = design.scores.runs(design.scored)

    def run(a: str, b: str, level: float) -> TestOutcome:
        return two_sample_t(runs[a], runs[b], level=level, unit="seed")

    omnibus = welch_anova(list(runs.values()), unit="seed", level=settings.level)
    return replace(_family(design, settings, run), omnibus=omnibus)


def datasets_against_level(design: Design, settings: Settings) -> Findings:
    """One algorithm over data sets against a level: Wilcoxon's signed rank of the differences."""
    from assay.hypotheses.paired_scores import wilcoxon

    values = complete(design).values[:, 0] - float(design.against or 0.0)
    outcome = wilcoxon(values, level=settings.level, unit="dataset")
    return Findings(pairs=((design.models[0], design.level_name, _named(outcome, design)),))


def datasets_of_two(design: Design, settings: Settings) -> Findings:
    """Two algorithms over data sets: Wilcoxon's signed rank with the Hodges-Lehmann difference."""
    from assay.hypotheses.paired_scores import paired_t, sign_test, wilcoxon

    a, b = _columns(design)
    options: dict[str, Any] = {"level": settings.level, "unit": "dataset"}

    def others() -> Others:
        return [
            ("sign test: of the median difference", sign_test(a, b, **options)),
            ("paired t: of the mean difference", paired_t(a, b, **options)),
        ]

    return Findings(
        pairs=((*design.pair, _named(wilcoxon(a, b, **options), design)),),
        also=_all_named(others, design),
    )


def datasets_of_many(design: Design, settings: Settings) -> Findings:
    """Many algorithms over data sets: Wilcoxon's test of every pair with Holm, not gated."""
    from assay.hypotheses.friedman_posthoc import wilcoxon_pairs, wilcoxon_pairs_at
    from assay.hypotheses.kruskal_wallis import kruskal_wallis
    from assay.hypotheses.many_models import friedman, friedman_aligned_ranks, iman_davenport, quade

    check_pairs(design)
    if design.missing == "skillings-mack":
        return _incomplete(design, settings)
    table = complete(design)
    options: dict[str, Any] = {"level": settings.level, "unit": "dataset"}
    ranked: dict[str, Any] = {**options, "direction": design.ranked_by}
    family = wilcoxon_pairs(table, control=design.baseline, **options)

    def others() -> Others:
        groups = {model: column(table, model) for model in design.models}
        return [
            ("Friedman's chi-square", friedman(table, **ranked)),
            ("Quade: larger differences weigh more", quade(table, **ranked)),
            ("Friedman's aligned ranks", friedman_aligned_ranks(table, **ranked)),
            ("Kruskal-Wallis: ignores the data sets", kruskal_wallis(groups, **options)),
        ]

    return Findings(
        pairs=_pairs_of(family, design),
        also=others,
        families=_by_ranks(design, table, ranked),
        omnibus=iman_davenport(table, **ranked),
        notes=family.notes,
        adjustment="holm",
        retest=lambda levels: tuple(
            _named(one, design)
            for one in wilcoxon_pairs_at(table, family, levels, control=design.baseline).outcomes
        ),
    )


def _by_ranks(
    design: Design, table: Blocks, ranked: dict[str, Any]
) -> tuple[tuple[str, FamilyOutcome], ...]:
    """Demšar's way, which depends on who else is in the pool: tests of mean ranks.

    Every verdict says the mean ranks, which the first of them has.
    """
    from assay.hypotheses.friedman_posthoc import bonferroni_dunn, friedman_posthoc, nemenyi

    control = design.baseline
    if control is None and math.comb(table.k, 2) > MANY_PAIRS_BESIDE:
        return ()
    if control is not None:
        others: dict[str, dict[str, Any]] = {"mean ranks with Holm": {"control": control}}
        first = ("Bonferroni-Dunn", bonferroni_dunn(table, control=control, **ranked))
    else:
        others = {
            "mean ranks with Holm": {},
            "mean ranks with Shaffer": {"adjustment": "shaffer"},
        }
        first = ("Nemenyi", nemenyi(table, **ranked))
    return (
        first,
        *((title, friedman_posthoc(table, **how, **ranked)) for title, how in others.items()),
    )


def _incomplete(design: Design, settings: Settings) -> Findings:
    """With missing cells: every pair on the data sets that both have, Skillings-Mack over all."""
    from assay.hypotheses.many_models import skillings_mack
    from assay.hypotheses.paired_scores import wilcoxon

    table = design.scores.blocks(design.scored)

    def run(a: str, b: str, level: float) -> TestOutcome:
        both = np.column_stack([column(table, a), column(table, b)])
        kept = both[~np.isnan(both).any(axis=1)]
        if len(kept) == 0:
            raise EvidenceError(f"{a} and {b} have no data set in common")
        return wilcoxon(kept[:, 0], kept[:, 1], level=level, unit="dataset")

    omnibus = skillings_mack(table, direction=design.ranked_by, unit="dataset")
    gaps = int(np.isnan(table.values).sum())
    return replace(
        _family(design, settings, run),
        omnibus=omnibus,
        notes=(note("missing-cells", count=gaps, policy="each pair uses the data sets both have"),),
    )


def _family(
    design: Design, settings: Settings, run: Callable[[str, str, float], TestOutcome]
) -> Findings:
    """Every pair (or every pair of the baseline) by one test, with Holm."""
    from assay.hypotheses.pair_families import adjusted_outcomes

    pairs = list(combinations(design.models, 2))
    if design.baseline is not None:
        pairs = [(model, design.baseline) for model in design.models if model != design.baseline]
    outcomes = adjusted_outcomes(run, pairs, level=settings.level, adjustment="holm")
    return Findings(
        pairs=tuple(
            (a, b, _named(one, design)) for (a, b), one in zip(pairs, outcomes, strict=True)
        ),
        adjustment="holm",
        test=lambda a, b, level: _named(run(a, b, level), design),
    )


def check_pairs(design: Design) -> None:
    """Refuse a family so large that its pairs could be neither computed nor read."""
    pairs = math.comb(len(design.models), 2)
    if design.baseline is None and pairs > MOST_PAIRS:
        raise NotApplicable(
            f"{len(design.models):,} models make {pairs:,} pairs, more than the {MOST_PAIRS:,} "
            "that can be tested together. Compare with one of them (baseline=), or choose some "
            "(models=)"
        )


def column(table: Blocks, model: str) -> FloatArray:
    return table.values[:, table.models.index(model)]


def _columns(design: Design) -> tuple[FloatArray, FloatArray]:
    table = complete(design)
    a, b = design.models
    return column(table, a), column(table, b)


def _pairs_of(family: FamilyOutcome, design: Design) -> tuple[tuple[str, str, TestOutcome], ...]:
    return tuple(
        (a, b, _named(outcome, design))
        for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True)
    )


def _named(outcome: TestOutcome, design: Design) -> TestOutcome:
    """An outcome about scores, with the measure's name put on it; other scales keep their own."""
    if outcome.effect.measure in OTHER_SCALES:
        return outcome
    return replace(outcome, effect=replace(outcome.effect, measure=design.measure.called))


def _all_named(others: Callable[[], Others], design: Design) -> Callable[[], Others]:
    return lambda: [(title, _named(one, design)) for title, one in others()]
