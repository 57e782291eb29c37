"""The ranks that many models may have, all at once: confidence sets from all pairwise differences (T10)."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.board_results import RankSets
from assay.core.checks import check_choice, check_count
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Estimate, FamilyOutcome, Interval, TestOutcome
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import DIRECTIONS, UNITS, Direction, Unit, counted
from assay.estimates.method_question import MethodQuestion
from assay.evidence.blocks import as_blocks
from assay.kernels.rank_draws import RankDraws, flipped, pooled
from assay.kernels.rank_sets import (
    RankDecisions,
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
POOLED_FROM, POOLED_BELOW = 6, 50
"""Units with which one standard error may serve all pairs (measured, decision 0200)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """What is decided of all models: who is better than whom, the ranks left, who may be the best."""

    draws: RankDraws
    decisions: RankDecisions
    rank: IntArray
    low: IntArray
    high: IntArray
    may_be_best: BoolArray

    @property
    def apart(self) -> BoolArray:
        """Pairs that differ significantly, whichever is better."""
        return self.decisions.better | self.decisions.better.T


def scatter(
    contributions: FloatArray,
    alpha: float,
    *,
    n_draws: int,
    seed: int,
    strata: NDArray[np.integer] | None = None,
    trimmed: int = 0,
) -> RankDraws:
    """How differences scatter by chance: signs of units turned, few units with one scale for all pairs.

    Each pair's own standard error is the exact way and costs much with few units, whose largest t of
    many pairs is far out. One scale costs little, unless some models scatter much more than others.
    ``trimmed`` units tell nothing of the spread, which each pair's own error would not know.
    """
    own = flipped(contributions, n_draws=n_draws, seed=seed, strata=strata)
    units, models = contributions.shape
    few = units >= POOLED_FROM and units - trimmed < POOLED_BELOW
    if strata is not None or models < 3 or not few:
        return own
    together = pooled(contributions, own, n_draws=n_draws, seed=seed)
    narrower = _reach(together, alpha) < _reach(own, alpha)
    return together if narrower or trimmed else own


def _reach(draws: RankDraws, alpha: float) -> float:
    """How far a difference must go to be found, the mean over pairs; infinite where none would be."""
    critical = quantile(largest(draws), alpha, complete=draws.complete)
    errors = draws.errors[draws.errors > 0.0]
    return critical * float(errors.mean()) if errors.size else math.inf


def share_of(draws: RankDraws, alpha: float) -> float:
    """What of α says how far apart pairs are."""
    return SHARE * alpha if (draws.units or math.inf) >= TWO_STEPS_FROM else 0.0


def ranking(draws: RankDraws, alpha: float, *, sets: RankSets = "joint") -> Ranking:
    """All decisions at once; ``draws`` are of scores turned so that larger is better."""
    decisions = decide(draws, alpha, share=share_of(draws, alpha))
    low, high = rank_bounds(decisions.better)
    sided = (
        draws.own or draws
    )  # one side alone: what is skewed is skewed in each pair's own error, too
    winners = possible_winners(sided, alpha, np.flatnonzero(low == 1), share=share_of(sided, alpha))
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
    question="Which ranks may each of many models have, by their means over units?",
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
    asked = MethodQuestion.of("rank_sets", level=level, unit=unit)
    alpha = alpha_of(asked.level)
    if table.n < 2:
        raise EvidenceError("one unit says nothing about spread: give two or more")
    seed, sign = seed_of(rng), 1.0 if direction == "higher" else -1.0
    draws = scatter(
        sign * table.values / table.n,
        alpha,
        n_draws=check_count(n_resamples, "n_resamples", at_least=100),
        seed=seed,
    )
    told = _Told(
        models=tuple(map(str, table.models)),
        found=ranking(draws, alpha, sets=variant),
        scattered=largest(draws),
        sign=sign,
        asked=asked,
        n=table.n,
        seed=seed,
    )
    pairs = [(a, b) for a in range(table.k) for b in range(a + 1, table.k)]
    return FamilyOutcome(
        method="rank_sets",
        models=told.models,
        pairs=tuple((told.models[a], told.models[b]) for a, b in pairs),
        outcomes=tuple(told.pair(a, b) for a, b in pairs),
        adjustment="max-t",
        estimates=tuple(told.rank(place) for place in range(table.k)),
        seed=seed,
        details=(
            ("critical", told.found.decisions.critical),
            ("single_step", told.found.decisions.single_step),
            ("n_resamples", len(draws.sums)),
            ("complete", draws.complete),
            ("pooled", draws.pooled),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Told:
    """What was found, as estimates and outcomes."""

    models: tuple[str, ...]
    found: Ranking
    scattered: FloatArray
    """The largest statistic of each draw."""
    sign: float
    asked: MethodQuestion
    n: int
    seed: int

    def rank(self, place: int) -> Estimate:
        """The rank of one model with the ranks that it may have."""
        low, high = float(self.found.low[place]), float(self.found.high[place])
        return self.asked.estimate(
            "rank",
            float(self.found.rank[place]),
            self.n,
            self.asked.interval(low, high),
            model=self.models[place],
            details=(("may_be_best", bool(self.found.may_be_best[place])),),
            seed=self.seed,
        )

    def pair(self, a: int, b: int) -> TestOutcome:
        """One difference, a minus b, beside what the largest of all would scatter by chance."""
        draws = self.found.draws
        alike = draws.weights[a, b] == 0.0
        statistic = 0.0 if alike else self.sign * float(draws.statistics(draws.observed[a, b]))
        p_value = 1.0 if alike else self._p_value(statistic)
        error = float(draws.errors[a, b])
        difference = self.sign * float(draws.values[a] - draws.values[b])
        interval = None if alike else self._about(difference, error, p_value)
        spread = None if alike else error
        effect = self.asked.estimate(
            "mean_difference", difference, self.n, interval, spread, seed=self.seed
        )
        notes = (note("no-disagreement", n=self.n),) if alike else ()
        if interval is None and not alike:
            notes = (self._out_of_reach(),)
        return self.asked.outcome(statistic, p_value, effect, notes=notes, seed=self.seed)

    def _p_value(self, statistic: float) -> float:
        """The share of draws whose largest reaches it; the evidence counts as a draw, if it is none."""
        beaten = int(np.count_nonzero(self.scattered * (1.0 + 1e-5) >= abs(statistic)))
        extra = 0 if self.found.draws.complete else 1
        return min(1.0, (beaten + extra) / (self.scattered.size + extra))

    def _out_of_reach(self) -> Note:
        """Why no draw bounds the differences: there are too few for the level."""
        complete = self.found.draws.complete
        have = counted(self.n, self.asked.unit) if complete else f"{self.scattered.size} draws"
        alpha = alpha_of(self.asked.level)
        return note("cannot-reach-alpha", have=have, alpha=alpha, least=self._p_value(math.inf))

    def _about(self, difference: float, error: float, p_value: float) -> Interval | None:
        """The simultaneous interval; one that is not told from zero holds it, whatever the rounding."""
        alpha = alpha_of(self.asked.level)
        reach = error * quantile(self.scattered, alpha, complete=self.found.draws.complete)
        if not math.isfinite(reach):
            return None
        low, high = difference - reach, difference + reach
        if p_value > alpha:
            low, high = min(low, 0.0), max(high, 0.0)
        return self.asked.interval(low, high)
