"""The score of the model that leads a board, corrected for having been chosen (I9)."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_count, check_level, check_size
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import DIRECTIONS, UNITS, Direction, Unit
from assay.estimates.unit_scores import UnitScores
from assay.evidence.blocks import as_blocks
from assay.kernels.binomial import wilson_limits
from assay.kernels.rank_draws import FLAT
from assay.kernels.special import ndtr, ndtri, stdtrit
from assay.kernels.tails import alpha_of
from assay.kernels.winner_limits import winner_limits

SHARE = 0.1
"""The part of α that bounds how far the truth may lie below the score."""


@method(
    question="How good is the model with the best mean, corrected for its selection on the same units?",
    takes="blocks",
    gives="estimate",
    unit=UNITS,
    assumes=(
        "units are independent",
        "means are near normal",
        "the best was taken: the first in this score",
    ),
    reference="andrews2024",
    requirement="I9",
    interval="hybrid conditional",
    formula="low = naive - low_reach · standard_error: truncated normal, cut where another model would lead by "
    "lead standard errors, and at the simultaneous reach",
    exempt={
        "shift": "the score of a model moves with its block",
        "degenerate": "equal models leave the mean of one of them, with its own spread",
    },
)
def winner_score(
    blocks: Any,
    *,
    direction: Direction = "higher",
    unit: Unit = "dataset",
    level: float = 0.95,
    n_resamples: int = 20_000,
    rng: Rng = None,
) -> Estimate:
    """The mean of the best model, without what it owes to having been chosen as the best.

    Rows units (items, data sets), columns models. Where the lead is clear this is the ordinary
    interval; where it is narrow the value and the limit on the flattered side move away.
    """
    table = as_blocks(blocks)
    check_size(table.values, "the table")
    check_choice(direction, DIRECTIONS, "direction")
    if table.n < 2:
        raise EvidenceError("one unit says nothing about spread: give two or more")
    units = UnitScores(
        models=tuple(map(str, table.models)),
        contributions=table.values / table.n,
        unit=check_choice(unit, UNITS, "unit"),
        words="",
    )
    contenders = Contenders.of(units, direction)
    draws = check_count(n_resamples, "n_resamples", at_least=100)
    return corrected_winner(
        contenders, level=check_level(level), measure="mean", n_draws=draws, seed=seed_of(rng)
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contenders:
    """Scores turned so that larger is better, with a root of their covariance."""

    models: tuple[str, ...]
    values: FloatArray
    root: FloatArray
    sign: float
    """-1 where lower scores are better: what turns scores, and turns them back."""
    n: int
    unit: Unit
    df: int | None = None
    """Of the standard errors, where units are few enough for it to matter."""
    counts: tuple[int, ...] | None = None
    """Of items that are right or wrong: how many each model's score counts."""

    @staticmethod
    def of(table: UnitScores, direction: Direction) -> "Contenders":
        sign = 1.0 if direction == "higher" else -1.0
        return Contenders(
            models=table.models,
            values=sign * table.values,
            root=table.root,
            sign=sign,
            n=table.n,
            unit=table.unit,
            df=table.df,
            counts=table.right,
        )


def corrected_winner(
    given: Contenders,
    *,
    level: float,
    measure: str,
    n_draws: int,
    seed: int,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """The winner's score with limits that hold although it was chosen; ``bounds`` of the measure."""
    best = int(np.argmax(given.values))
    error = float(np.sqrt((given.root[:, best] ** 2).sum()))
    naive = float(given.values[best])
    known: Details = (("naive", given.sign * naive), ("models", len(given.models)))
    alpha = alpha_of(level)
    if not error > FLAT * max(abs(naive), 1.0):
        if (
            given.counts is not None
        ):  # all right: what so many items cannot rule out, for any of the models
            reach = float(-ndtri(alpha / 2.0 / len(given.models)))
            low, high = _ends(given, best, error, reach, reach)
            ends = sorted((given.sign * low, given.sign * high))
            bound = Interval(low=ends[0], high=ends[1], level=level, method="winner_score")
            return _estimate(given, best, measure, given.sign * naive, bound, seed, known, ())
        flat = note(
            "zero-variance", what="the scores of the winner", method="winner_score",
            remedy="more units are needed",
        )  # fmt: skip
        return _estimate(given, best, measure, given.sign * naive, None, seed, known, (flat,))
    found = winner_limits(
        given.values, given.root, alpha=alpha, share=SHARE * alpha, n_draws=n_draws, seed=seed
    )
    low_reach, high_reach = (_with_df(one, given.df) for one in (-found.low, found.high))
    low, high = _ends(given, best, error, low_reach, high_reach)
    centre = min(max(naive + found.centre * error, low), high)
    cut = np.clip(sorted((given.sign * low, given.sign * high)), *bounds)
    interval = Interval(low=float(cut[0]), high=float(cut[1]), level=level, method="winner_score")
    details: Details = (
        *known,
        ("optimism", naive - centre),
        ("standard_error", error),
        ("lead", float(found.lead) if math.isfinite(found.lead) else None),
        ("low_reach", low_reach),
        ("high_reach", high_reach),
        ("reach", found.reach),
    )
    value = float(np.clip(given.sign * centre, *bounds))
    return _estimate(given, best, measure, value, interval, seed, details, ())


def _estimate(
    given: Contenders,
    best: int,
    measure: str,
    value: float,
    interval: Interval | None,
    seed: int,
    details: Details,
    notes: tuple[Note, ...],
) -> Estimate:
    return Estimate(
        measure=measure,
        value=value,
        interval=interval,
        method="winner_score",
        n=given.n,
        unit=given.unit,
        model=given.models[best],
        standard_error=dict(details).get("standard_error"),  # type: ignore[arg-type]
        seed=seed,
        details=details,
        notes=notes,
    )


def _ends(
    given: Contenders, best: int, error: float, low_reach: float, high_reach: float
) -> tuple[float, float]:
    """Both limits, turned so that larger is better; of right and wrong items Wilson's, inside 0 and 1."""
    if given.counts is None:
        naive = float(given.values[best])
        return naive - low_reach * error, naive + high_reach * error
    count = given.counts[best]
    flattered, plain = (wilson_limits(count, given.n, reach) for reach in (low_reach, high_reach))
    if given.sign > 0:
        return float(flattered[0]), float(plain[1])
    return -float(flattered[1]), -float(plain[0])


def _with_df(reach: float, df: int | None) -> float:
    """As many standard errors as leave out the same chance where these are estimated."""
    if df is None or reach <= 0.0:
        return reach
    return float(-stdtrit(df, ndtr(-reach)))
