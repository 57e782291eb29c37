"""How probable it is that A is better than B: posteriors that stand beside verdicts and decide nothing.

Each is the twin of the method that decides: the same likelihood, with a prior that says little.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from assay.compare.attainable_p import out_of_reach
from assay.compare.design import Design
from assay.compare.findings import Findings, Settings
from assay.compare.item_procedures import errors_of, parts_of
from assay.compare.score_procedures import column, complete, scores_of
from assay.core.methods import record_of
from assay.core.results import Posterior, TestOutcome, Verdict
from assay.core.vocabulary import Direction
from assay.evidence.blocks import Blocks
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores

MOST_PAIRS = 2_000
"""Pairs beyond which nobody reads a posterior of each, and they would take minutes."""

DRAWS, FEWEST, MOST_DRAWN = 50_000, 4_000, 200_000_000
"""Draws of signed ranks, fewer where pairs times data sets are so many that they would take long."""


def posteriors_of(
    design: Design, found: Findings, settings: Settings
) -> tuple[Posterior | None, ...]:
    """One posterior for each pair, None where the evidence bounds nothing or could decide nothing.

    A probability beside a test that no outcome could have brought to its level would be the prior's.
    """
    told = [pair for pair in found.pairs if not out_of_reach(pair[2])]
    if settings.alone or not told or len(told) > MOST_PAIRS:
        return (None,) * len(found.pairs)
    if len(told) < len(found.pairs):
        beliefs = iter(posteriors_of(design, replace(found, pairs=tuple(told)), settings))
        return tuple(None if out_of_reach(one) else next(beliefs) for _, _, one in found.pairs)
    return _posteriors(design, found, settings)


def _posteriors(
    design: Design, found: Findings, settings: Settings
) -> tuple[Posterior | None, ...]:
    if not isinstance(design.evidence, Scores) or design.unit == "seed":
        beliefs = [_of_outcome(design, one, settings.level) for _, _, one in found.pairs]
    elif design.unit == "fold":
        beliefs = [_over_folds(design, a, b, settings) for a, b, _ in found.pairs]
    else:
        beliefs = _over_datasets(design, found, settings)
    return tuple(
        None if belief is None or outcome.effect.interval is None else _told(belief, design, a, b)
        for belief, (a, b, outcome) in zip(beliefs, found.pairs, strict=True)
    )


def with_chances(verdict: Verdict, belief: Posterior | None) -> Verdict:
    """The verdict with the probabilities of its posterior, turned as the measure's direction is."""
    if belief is None or verdict.direction == "unknown":
        return verdict
    better, worse = turned(belief, verdict.direction)
    within = None if verdict.margin is None else belief.p_rope
    return replace(verdict, p_better=better, p_equivalent=within, p_worse=worse)


def turned(belief: Posterior, direction: Direction) -> tuple[float, float]:
    """The probabilities that A is better and that it is worse, by more than the rope."""
    sides = (belief.p_right, belief.p_left)
    return sides if direction == "higher" else sides[::-1]


def _told(belief: Posterior, design: Design, a: str, b: str) -> Posterior:
    effect = replace(belief.effect, measure=design.measure.called)
    return replace(belief, a=a, b=b, effect=effect)


def _rope(design: Design) -> float:
    return design.margin or 0.0


def _of_outcome(design: Design, outcome: TestOutcome, level: float) -> Posterior | None:
    """Of right and wrong answers from their counts, else from the effect and its standard error."""
    record = record_of(outcome.method)
    twin = None if record is None else record.posterior
    if twin in ("one_rate", "paired_rates", "two_rates"):
        return _of_counts(design, outcome, twin, level)
    from assay.hypotheses.bayes_effects import bayes_normal

    facts, effect = dict(outcome.details), outcome.effect
    smoothed = twin == "smoothed"  # an interval symmetric about D on the scale atanh(D/R)
    centre = facts.get("D") if smoothed else effect.value
    error, df = effect.standard_error, facts.get("df")
    if not isinstance(centre, float) or error is None or not error > 0.0:
        return None
    return bayes_normal(
        centre - outcome.null,
        error,
        df=float(df) if isinstance(df, int | float) else math.inf,
        rope=_rope(design),
        extent=design.measure.high - design.measure.low if smoothed else math.inf,
        level=level,
        n=effect.n,
        unit=effect.unit,
    )


def _of_counts(design: Design, outcome: TestOutcome, twin: str, level: float) -> Posterior:
    from assay.hypotheses.bayes_outcomes import (
        bayes_paired_proportions,
        bayes_proportion,
        bayes_two_proportions,
    )

    options: dict[str, Any] = {"rope": _rope(design), "level": level}
    accuracy = design.measure.counts == "right"
    if twin == "paired_rates" and isinstance(design.evidence, Predictions):
        a, b = design.models
        table = design.evidence.tally(design.models).paired_table(a, b)
        cells = (table.both_right, table.only_a, table.only_b, table.both_wrong)
        found = bayes_paired_proportions(*cells, **options)
        return found if accuracy else mirrored(found)
    facts = dict(outcome.details)
    if twin == "one_rate":
        null = 1.0 - outcome.null if accuracy else outcome.null
        found = bayes_proportion(facts["errors"], facts["n"], null=null, **options)
    else:
        counts = [errors_of(part) for part in parts_of(design)]
        found = bayes_two_proportions(*counts[0], *counts[1], **options)
    return mirrored(found) if accuracy else found


def mirrored(found: Posterior) -> Posterior:
    """The posterior of the difference the other way round: errors told as accuracies."""
    return replace(found, p_left=found.p_right, p_right=found.p_left, effect=found.effect.negated())


def _over_folds(design: Design, a: str, b: str, settings: Settings) -> Posterior:
    from assay.estimates.mean_scores import splits_said
    from assay.hypotheses.bayes import bayes_correlated_t

    table, how = complete(design), splits_said(scores_of(design))
    first = column(table, a)
    second = column(table, b) if design.kind != "level" else np.full_like(first, design.against)
    return bayes_correlated_t(first, second, rope=_rope(design), level=settings.level, **how)


def _over_datasets(design: Design, found: Findings, settings: Settings) -> list[Posterior | None]:
    from assay.hypotheses.bayes import bayes_signed_rank

    table = scores_of(design).blocks(design.scored)
    if design.missing != "skillings-mack":
        table = complete(design)
    options: dict[str, Any] = {
        "rope": _rope(design),
        "level": settings.level,
        "rng": settings.seed,
        "unit": "dataset",
        "n_resamples": _draws(len(found.pairs), len(table.values)),
    }
    if design.kind == "many" and not np.isnan(table.values).any():
        return _all_pairs(table, found, options)
    beliefs: list[Posterior | None] = []
    for a, b, _ in found.pairs:
        first = column(table, a)
        second = column(table, b) if design.kind != "level" else np.full_like(first, design.against)
        both = ~(np.isnan(first) | np.isnan(second))
        beliefs.append(bayes_signed_rank(first[both], second[both], **options))
    return beliefs


def _draws(pairs: int, units: int) -> int:
    return max(FEWEST, min(DRAWS, MOST_DRAWN // (pairs * units)))


def _all_pairs(table: Blocks, found: Findings, options: dict[str, Any]) -> list[Posterior | None]:
    """All pairs of the table from the same draws; of a baseline its own only."""
    from assay.hypotheses.bayes import bayes_signed_rank_pairs

    wanted = [(a, b) for a, b, _ in found.pairs]
    known = bayes_signed_rank_pairs(table.values, models=table.models, pairs=wanted, **options)
    return [known[pair] for pair in wanted]
