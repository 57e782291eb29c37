"""The ranks that many models may have, all at once: confidence sets from all pairwise differences (T10)."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.boards import RankSets
from assay.core.checks import check_choice, check_count, check_level
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import Estimate, FamilyOutcome, Interval, TestOutcome
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import DIRECTIONS, UNITS, Direction, Unit
from assay.evidence.blocks import as_blocks
from assay.kernels.rank_draws import RankDraws, flipped
from assay.kernels.rank_sets import (
    Decisions,
    IntVector,
    decide,
    decide_one,
    largest,
    possible_winners,
    quantile,
    rank_bounds,
)
from assay.kernels.tails import alpha_of

SETS: tuple[RankSets, ...] = ("joint", "marginal")
TWO_STEPS_FROM = 20
"""Units from which pairs that are far apart count less (measured, decision 0150)."""
SHARE = 0.1
"""The part of α that says how far apart they are."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """What is decided of all models: who is better than whom, the ranks left, who may be the best."""

    draws: RankDraws
    decisions: Decisions
    rank: IntVector
    low: IntVector
    high: IntVector
    may_be_best: NDArray[np.bool_]

    @property
    def apart(self) -> NDArray[np.bool_]:
        """Pairs that differ significantly, whichever is better."""
        return self.decisions.better | self.decisions.better.T


def ranking(draws: RankDraws, alpha: float, *, sets: RankSets = "joint") -> Ranking:
    """All decisions at once; ``draws`` are of scores turned so that larger is better."""
    share = SHARE * alpha if (draws.units or math.inf) >= TWO_STEPS_FROM else 0.0
    decisions = decide(draws, alpha, share=share)
    low, high = rank_bounds(decisions.better)
    winners = possible_winners(draws, alpha, np.flatnonzero(low == 1), share=share)
    if sets == "marginal":
        found = np.array([decide_one(draws, model, alpha) for model in range(draws.models)])
        low, high = found[:, 0], found[:, 1]
    above = draws.values[None, :] - draws.values[:, None] > 1e-12 * np.abs(draws.values).max()
    return Ranking(
        draws=draws,
        decisions=decisions,
        rank=1 + above.sum(axis=1),
        low=low,
        high=high,
        may_be_best=winners,
    )


@method(
    question="Which ranks may each of many models have, judged by the mean over units?",
    takes="blocks",
    gives="family",
    unit=UNITS,
    assumes=(
        "units (items, data sets) are independent",
        "differences of equal models are symmetric about zero, or units are many",
    ),
    reference="mogstad2024 romano2005 romano2014",
    requirement="T10",
    same_as="R: csranks::csranks(colMeans({blocks}), cov({blocks}) / nrow({blocks}))  # normal draws; many rows",
    title="sign-flip test of all differences (max-t, step-down)",
    formula="t = difference / standard_error; rank from 1 + models found better to k - models found worse",
)
def rank_sets(
    blocks: Any,
    *,
    direction: Direction = "higher",
    variant: RankSets = "joint",
    unit: Unit = "dataset",
    level: float = 0.95,
    n_resamples: int = 1999,
    rng: Rng = None,
) -> FamilyOutcome:
    """Sets of ranks that hold together at ``level``: rows units, columns models.

    The rank of a model is 1 + the number of models with a better mean. ``estimates`` hold each rank with its
    set; the pairs beside have single-step p-values and intervals, and the sets come from the steps after
    them, which can only find more. ``variant="marginal"`` gives narrower sets, each for one model alone.
    """
    table = as_blocks(blocks)
    check_choice(direction, DIRECTIONS, "direction")
    check_choice(variant, SETS, "variant")
    alpha = alpha_of(check_level(level))
    if table.n < 2:
        raise EvidenceError("one unit says nothing about spread: give two or more")
    seed = seed_of(rng)
    draws = flipped(
        (1.0 if direction == "higher" else -1.0) * table.values / table.n,
        n_draws=check_count(n_resamples, "n_resamples", at_least=100),
        seed=seed,
    )
    found = ranking(draws, alpha, sets=variant)
    models = tuple(map(str, table.models))
    sign = 1.0 if direction == "higher" else -1.0
    pairs = [(a, b) for a in range(table.k) for b in range(a + 1, table.k)]
    scattered = largest(draws)
    return FamilyOutcome(
        method="rank_sets",
        models=models,
        pairs=tuple((models[a], models[b]) for a, b in pairs),
        outcomes=tuple(
            _pair(found, scattered, a, b, sign, level, check_choice(unit, UNITS, "unit"), seed)
            for a, b in pairs
        ),
        adjustment="max-t",
        estimates=tuple(
            Estimate(
                measure="rank",
                value=float(found.rank[place]),
                interval=Interval(
                    low=float(found.low[place]),
                    high=float(found.high[place]),
                    level=level,
                    method="rank_sets",
                ),
                method="rank_sets",
                n=table.n,
                unit=unit,
                model=model,
                seed=seed,
                details=(("may_be_best", bool(found.may_be_best[place])),),
            )
            for place, model in enumerate(models)
        ),
        seed=seed,
        details=(
            ("critical", found.decisions.critical),
            ("single_step", found.decisions.single_step),
            ("n_resamples", len(draws.sums)),
            ("complete", draws.complete),
        ),
    )


def _pair(
    found: Ranking,
    scattered: FloatArray,
    a: int,
    b: int,
    sign: float,
    level: float,
    unit: Unit,
    seed: int,
) -> TestOutcome:
    """One difference, a minus b, with what the largest of all would scatter by chance."""
    draws = found.draws
    units = draws.units or 0
    difference = sign * float(draws.values[a] - draws.values[b])
    if draws.weights[a, b] == 0.0:
        effect = Estimate(
            measure="mean_difference",
            value=difference,
            interval=None,
            method="rank_sets",
            n=units,
            unit=unit,
        )
        return TestOutcome(
            method="rank_sets",
            statistic=0.0,
            p_value=1.0,
            effect=effect,
            notes=(note("no-disagreement", n=units),),
        )
    statistic = sign * float(draws.statistics(draws.observed[a, b]))
    error = float(draws.errors[a, b])
    alpha = alpha_of(level)
    critical = quantile(scattered, alpha, complete=draws.complete)
    beaten = int(np.count_nonzero(scattered * (1.0 + 1e-5) >= abs(statistic)))
    p_value = beaten / scattered.size if draws.complete else (beaten + 1) / (scattered.size + 1)
    reach = critical * error
    interval = None
    if math.isfinite(reach):
        # a difference that the largest of chance does not pass is not told from zero, whatever the rounding
        low, high = difference - reach, difference + reach
        if p_value > alpha:
            low, high = min(low, 0.0), max(high, 0.0)
        interval = Interval(low=low, high=high, level=level, method="rank_sets")
    effect = Estimate(
        measure="mean_difference",
        value=difference,
        interval=interval,
        method="rank_sets",
        n=units,
        unit=unit,
        standard_error=error,
        seed=seed,
    )
    return TestOutcome(
        method="rank_sets", statistic=statistic, p_value=min(1.0, p_value), effect=effect, seed=seed
    )
