"""How probable it is that A is better than B: posteriors that stand beside verdicts and decide nothing.

Each is the twin of the method that decides: the same likelihood, with a prior that says little.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.compare.design import Design
from assay.compare.findings import Settings
from assay.compare.score_gaps import complete
from assay.compare.score_procedures import column, holds_level
from assay.core.arrays import FloatArray
from assay.core.methods import record_of
from assay.core.results import Posterior, TestOutcome
from assay.evidence.blocks import Blocks
from assay.hypotheses.least_p import out_of_reach
from assay.measures.registry import Measure

Pair = tuple[str, str, TestOutcome]
CELLS = ("both_right", "only_a", "only_b", "both_wrong")
"""The counts of two models on the same items, as effects have them among their details."""

MOST_PAIRS = 2_000
"""Pairs beyond which nobody reads a posterior of each, and they would take minutes."""
MOST_UNITS, MOST_CELLS = 10_000, 500_000
"""Data sets, and pairs times data sets, beyond which their draws take minutes and gigabytes."""

DRAWS, FEWEST, MOST_DRAWN = 50_000, 4_000, 200_000_000
"""Draws of signed ranks, fewer where pairs times data sets are so many that they would take long."""


def posteriors_of(
    pairs: Sequence[Pair],
    measure: Measure,
    settings: Settings,
    *,
    rope: float,
    scored: Design | None,
) -> tuple[Posterior | None, ...]:
    """One posterior for each pair, under the names of its models; ``scored`` is the design of scores.

    None where the evidence bounds nothing or could decide nothing: a probability beside a test
    that no outcome could have brought to its level would be the prior's.
    """
    told = [pair for pair in pairs if not out_of_reach(pair[2])]
    found: list[Posterior | None] = []
    if not told or len(told) > MOST_PAIRS:
        told = []
    elif scored is None or scored.unit == "seed" or _held(scored):
        found = [_of_outcome(outcome, measure, rope, settings.level) for _, _, outcome in told]
    elif scored.unit == "fold":
        found = _over_folds(scored, told, settings)
    else:
        found = _over_datasets(scored, told, settings)
    known = {
        (a, b): replace(one, a=a, b=b, effect=replace(one.effect, measure=measure.called))
        for one, (a, b, outcome) in zip(found, told, strict=True)
        if one is not None and outcome.effect.interval is not None
    }
    return tuple(known.get((a, b)) for a, b, _ in pairs)


def _held(design: Design) -> bool:
    """Whether the cautious t decides: its error doubles the correction and may allow for training."""
    return design.unit == "fold" and holds_level(design)


def _of_outcome(
    outcome: TestOutcome, measure: Measure, rope: float, level: float
) -> Posterior | None:
    """Of right and wrong answers from their counts, else from the effect and its standard error."""
    record = record_of(outcome.method)
    twin = None if record is None else record.posterior
    if twin in ("one_rate", "paired_rates", "two_rates"):
        return _of_counts(outcome, twin, measure, rope=rope, level=level)
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
        rope=rope,
        extent=measure.high - measure.low if smoothed else math.inf,
        level=level,
        n=effect.n,
        unit=effect.unit,
    )


def _of_counts(outcome: TestOutcome, twin: str, measure: Measure, **options: float) -> Posterior:
    from assay.hypotheses.bayes_outcomes import (
        bayes_paired_proportions,
        bayes_proportion,
        bayes_two_proportions,
    )

    accuracy = measure.counts == "right"
    facts: dict[str, Any] = dict((*outcome.effect.details, *outcome.details))
    if twin == "paired_rates":
        found = bayes_paired_proportions(*(facts[name] for name in CELLS), **options)
        return found if accuracy else found.negated()
    if twin == "one_rate":
        null = 1.0 - outcome.null if accuracy else outcome.null
        found = bayes_proportion(facts["errors"], facts["n"], null=null, **options)
    else:
        errors_a, errors_b = (round(facts[f"p_{of}"] * facts[f"n_{of}"]) for of in "ab")
        found = bayes_two_proportions(errors_a, facts["n_a"], errors_b, facts["n_b"], **options)
    return found.negated() if accuracy else found  # errors told as accuracies


def _over_folds(
    design: Design, pairs: Sequence[Pair], settings: Settings
) -> list[Posterior | None]:
    from assay.estimates.mean_scores import splits_said
    from assay.hypotheses.bayes import bayes_correlated_t

    table = complete(design)
    how = splits_said(design.scores, len(table.values))
    return [
        bayes_correlated_t(
            *_two(design, table, a, b), rope=design.margin or 0.0, level=settings.level, **how
        )
        for a, b, _ in pairs
    ]


def _two(design: Design, table: Blocks, a: str, b: str) -> tuple[FloatArray, FloatArray]:
    """The scores of A and of B, or the level that stands in its place."""
    first = column(table, a)
    return first, column(table, b) if design.kind != "level" else np.full_like(
        first, design.against
    )


def _over_datasets(
    design: Design, pairs: Sequence[Pair], settings: Settings
) -> list[Posterior | None]:
    from assay.hypotheses.bayes import bayes_signed_rank

    table = design.scores.blocks(design.scored)
    if design.missing != "skillings-mack":
        table = complete(design)
    if table.n > MOST_UNITS or table.n * len(pairs) > MOST_CELLS:
        return [None] * len(pairs)
    options: dict[str, Any] = {
        "rope": design.margin or 0.0,
        "level": settings.level,
        "rng": settings.seed,
        "unit": "dataset",
        "n_resamples": _draws(len(pairs), len(table.values)),
    }
    if design.kind == "many" and not np.isnan(table.values).any():
        return _all_pairs(table, pairs, options)
    beliefs: list[Posterior | None] = []
    for a, b, _ in pairs:
        first, second = _two(design, table, a, b)
        both = ~(np.isnan(first) | np.isnan(second))
        beliefs.append(bayes_signed_rank(first[both], second[both], **options))
    return beliefs


def _draws(pairs: int, units: int) -> int:
    return max(FEWEST, min(DRAWS, MOST_DRAWN // (pairs * units)))


def _all_pairs(
    table: Blocks, pairs: Sequence[Pair], options: dict[str, Any]
) -> list[Posterior | None]:
    """All pairs of the table from the same draws; of a baseline its own only."""
    from assay.hypotheses.bayes import bayes_signed_rank_pairs

    wanted = [(a, b) for a, b, _ in pairs]
    known = bayes_signed_rank_pairs(table.values, models=table.models, pairs=wanted, **options)
    return [known[pair] for pair in wanted]
