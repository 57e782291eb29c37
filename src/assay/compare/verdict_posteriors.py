"""How probable it is that A is better than B: posteriors that stand beside verdicts and decide nothing.

Each is the twin of the method that decides: the same likelihood, with a prior that says little.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.compare.design import Design
from assay.compare.findings import Findings, Settings
from assay.compare.score_gaps import complete
from assay.compare.score_procedures import column, holds_level
from assay.core.arrays import FloatArray
from assay.core.memo import later
from assay.core.methods import record_of
from assay.core.results import Posterior, TestOutcome
from assay.core.vocabulary import Direction
from assay.evidence.blocks import Blocks
from assay.evidence.scores import Scores
from assay.hypotheses.least_p import out_of_reach
from assay.measures.registry import Measure

Pair = tuple[str, str, TestOutcome]
CELLS = ("both_right", "only_a", "only_b", "both_wrong")
"""The counts of two models on the same items, as effects have them among their details."""

MOST_PAIRS = 2_000
"""Pairs beyond which nobody reads a posterior of each, and they would take minutes."""

DRAWS, FEWEST, MOST_DRAWN = 50_000, 4_000, 200_000_000
"""Draws of signed ranks, fewer where pairs times data sets are so many that they would take long."""


def posteriors_of(
    design: Design, found: Findings, settings: Settings
) -> Callable[[], tuple[Posterior | None, ...]]:
    """One posterior for each pair, worked out when called.

    None where the evidence bounds nothing or could decide nothing: a probability beside a test
    that no outcome could have brought to its level would be the prior's.
    """
    told = [pair for pair in found.pairs if not out_of_reach(pair[2])]
    find: Callable[[], list[Posterior | None]] = list
    if not told or len(told) > MOST_PAIRS:
        told = []
    elif not isinstance(design.evidence, Scores) or design.unit == "seed" or _held(design):
        find = partial(_of_outcomes, told, design.measure, design.margin or 0.0, settings.level)
    elif design.unit == "fold":
        find = partial(_over_folds, design, told, settings)
    else:
        find = partial(_over_datasets, design, told, settings)
    return partial(_in_place, [pair[:2] for pair in found.pairs], told, find, design.measure)


def _held(design: Design) -> bool:
    """Whether the cautious t decides: its error doubles the correction and may allow for training."""
    return design.unit == "fold" and holds_level(design)


def _in_place(
    pairs: Sequence[tuple[str, str]],
    told: Sequence[Pair],
    find: Callable[[], list[Posterior | None]],
    measure: Measure,
) -> tuple[Posterior | None, ...]:
    """What was found of some pairs among all of them, under the names of models and measure."""
    known = {
        (a, b): replace(one, a=a, b=b, effect=replace(one.effect, measure=measure.called))
        for one, (a, b, outcome) in zip(find(), told, strict=True)
        if one is not None and outcome.effect.interval is not None
    }
    return tuple(known.get(pair) for pair in pairs)


def chances_of(
    design: Design, beliefs: Callable[[], Sequence[Posterior | None]], place: int
) -> dict[str, Any]:
    """The probabilities of a verdict's posterior, turned as the measure's direction is."""
    direction = design.measure.direction
    if direction == "unknown":
        return {}

    def share(read: Callable[[Posterior], float]) -> float | None:
        belief = beliefs()[place]
        return None if belief is None else read(belief)

    return {
        "p_better": later(lambda: share(lambda belief: turned(belief, direction)[0])),
        "p_equivalent": None if design.margin is None else later(lambda: share(lambda b: b.p_rope)),
        "p_worse": later(lambda: share(lambda belief: turned(belief, direction)[1])),
    }


def turned(belief: Posterior, direction: Direction) -> tuple[float, float]:
    """The probabilities that A is better and that it is worse, by more than the rope."""
    sides = (belief.p_right, belief.p_left)
    return sides if direction == "higher" else sides[::-1]


def _of_outcomes(
    pairs: Sequence[Pair], measure: Measure, rope: float, level: float
) -> list[Posterior | None]:
    return [_of_outcome(outcome, measure, rope, level) for _, _, outcome in pairs]


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

    table, how = complete(design), splits_said(design.scores)
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
