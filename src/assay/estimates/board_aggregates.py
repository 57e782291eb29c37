"""What boards publish besides means: ranks, wins, points, skill and Elo, each as contributions of units.

Every aggregate is a mean over units of something that one unit tells of all models (or behaves like one
when a unit is added), so that sets of ranks, intervals and the winner follow from the same table as for the mean.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import NotApplicable, UsageError
from assay.core.vocabulary import Direction
from assay.estimates.unit_scores import UnitScores
from assay.kernels.bradley_terry import fitted, groups_of
from assay.kernels.ranks import midranks

ELO = 400.0 / np.log(10.0)
"""Elo points for one unit of log strength."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """One way of summing up units; ``direction`` is that of its values, whatever the scores' own."""

    name: str
    title: str
    direction: Direction | None
    """None: that of the scores."""
    formula: str
    needs_baseline: bool = False


AGGREGATES: dict[str, Aggregate] = {
    one.name: one
    for one in (
        Aggregate(name="mean", title="mean", direction=None, formula="mean of the scores of the units"),
        Aggregate(
            name="mean_rank", title="mean rank", direction="lower",
            formula="mean over units of 1 + models that score better + half of those that tie",
        ),
        Aggregate(
            name="win_rate", title="win rate", direction="higher",
            formula="mean over units of the share of other models that it beats, ties half",
        ),
        Aggregate(
            name="borda", title="Borda points", direction="higher",
            formula="sum over units of the models that it beats, ties half",
        ),
        Aggregate(
            name="iqm", title="interquartile mean", direction=None,
            formula="mean of the middle half of the scores of the units (25 % trimmed at each end)",
        ),
        Aggregate(
            name="skill_score", title="skill score", direction="higher", needs_baseline=True,
            formula="mean over units of 1 - loss / loss of the baseline (of scores: 1 - (1 - s) / (1 - baseline))",
        ),
        Aggregate(
            name="improvability", title="improvability", direction="lower",
            formula="mean over units of 1 - lowest loss / loss: how much of its loss the best model saves",
        ),
        Aggregate(
            name="elo", title="Elo rating", direction="higher",
            formula="Bradley-Terry strengths of wins in all pairs and units, 400 points for odds of ten, mean 1000",
        ),
    )
}  # fmt: skip


def aggregated(
    table: UnitScores, name: str, direction: Direction, *, baseline: str | None = None
) -> tuple[UnitScores, Direction]:
    """The table of contributions to an aggregate, and which way of it is better."""
    if name not in AGGREGATES:
        raise UsageError(f"there is no aggregate {name!r}; there are {', '.join(AGGREGATES)}")
    chosen = AGGREGATES[name]
    if name == "mean":
        return table, direction
    if table.scores is None:
        raise NotApplicable(
            f"{chosen.title} is for units of equal weight, without weights, clusters or strata, "
            "and for means of items. Treat tasks as a sample of equal tasks, or use "
            "aggregate='mean'"
        )
    if chosen.needs_baseline and baseline not in table.models:
        raise UsageError(
            f"the {chosen.title} compares with a baseline: name it with baseline=, one of "
            f"{', '.join(table.models[:20])}"
        )
    place = table.models.index(baseline) if baseline in table.models else -1
    better = table.scores if direction == "higher" else -table.scores
    contributions = _CONTRIBUTIONS[name](table.scores, better, direction, place)
    of_units = name not in ("iqm", "elo")
    return replace(
        table,
        contributions=contributions,
        scores=contributions * len(contributions) if of_units else None,
        right=None,
        trimmed=2 * (table.n // 4) if name == "iqm" else 0,
    ), chosen.direction or direction


def bounds_of(name: str, units: int, models: int) -> tuple[float, float]:
    """Between which values an aggregate must lie."""
    return {
        "mean_rank": (1.0, float(models)),
        "win_rate": (0.0, 1.0),
        "borda": (0.0, float(units * (models - 1))),
        "improvability": (0.0, 1.0),
    }.get(name, (-math.inf, math.inf))


def _ranks(better: FloatArray) -> FloatArray:
    return midranks(-better, exact=True)


def _mean_rank(_: FloatArray, better: FloatArray, __: Direction, ___: int) -> FloatArray:
    return _ranks(better) / len(better)


def _borda(_: FloatArray, better: FloatArray, __: Direction, ___: int) -> FloatArray:
    return np.asarray(better.shape[1] - _ranks(better))


def _win_rate(_: FloatArray, better: FloatArray, __: Direction, ___: int) -> FloatArray:
    return np.asarray((better.shape[1] - _ranks(better)) / (better.shape[1] - 1) / len(better))


def _iqm(scores: FloatArray, _: FloatArray, __: Direction, ___: int) -> FloatArray:
    """The trimmed mean, and as deviations its influence values: scores winsorised at the quartiles.

    With h scores in the middle half the variance of Tukey and McLaughlin (1963), which Yuen's test has too, is
    their sum of squares over h (h - 1). With so much cut off it is too small (94 % of intervals cover instead
    of 95): (h - 1)² mends that.
    """
    n = len(scores)
    cut = n // 4
    half = max(n - 2 * cut - 1, 1)
    ordered = np.sort(scores, axis=0)
    middle = ordered[cut : n - cut].mean(axis=0)
    winsorised = np.clip(scores, ordered[cut], ordered[n - cut - 1])
    stretch = math.sqrt((n - 1) / n) / half
    return np.asarray(middle / n + stretch * (winsorised - winsorised.mean(axis=0)))


def _losses(scores: FloatArray, direction: Direction) -> FloatArray:
    losses = scores if direction == "lower" else 1.0 - scores
    if (losses < 0.0).any():
        raise NotApplicable(
            "skill and improvability are of losses of 0 or more, or of scores of at most 1: these have others"
        )
    return losses


def _skill(scores: FloatArray, _: FloatArray, direction: Direction, place: int) -> FloatArray:
    losses = _losses(scores, direction)
    if (losses[:, place] == 0.0).any():
        raise NotApplicable(
            "the baseline has no loss on some unit, so that nothing can be compared with it there"
        )
    return np.asarray((1.0 - losses / losses[:, [place]]) / len(losses))


def _improvability(scores: FloatArray, _: FloatArray, direction: Direction, __: int) -> FloatArray:
    losses = _losses(scores, direction)
    least = losses.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        gains = np.where(losses > 0.0, 1.0 - least / losses, 0.0)
    return np.asarray(gains / len(losses))


def _elo(_: FloatArray, better: FloatArray, __: Direction, ___: int) -> FloatArray:
    """Strengths by maximum likelihood; a unit contributes the step that its own wins would make."""
    n, k = better.shape
    wins = np.zeros((k, k))
    for row in better:
        wins += (row[:, None] > row[None, :]) + 0.5 * (row[:, None] == row[None, :])
    np.fill_diagonal(wins, 0.0)
    if np.unique(groups_of(wins)).size > 1:
        raise NotApplicable(
            "some models win against others in every unit, so that no finite Elo fits: use "
            "aggregate='win_rate' or aggregate='mean_rank'"
        )
    empty = np.zeros_like(wins)
    fit = fitted(wins, empty, empty, position=False)
    if fit is None:
        raise NotApplicable(
            "the strengths of these models do not settle: use win_rate or mean_rank"
        )
    expected = 1.0 / (1.0 + np.exp(fit.values[None, :] - fit.values[:, None]))
    np.fill_diagonal(expected, 0.0)
    points = k - _ranks(better)
    steps = (points - expected.sum(axis=1)) @ fit.covariance
    return np.asarray((1000.0 + ELO * fit.values) / n + ELO * steps)


_CONTRIBUTIONS: dict[str, Callable[[FloatArray, FloatArray, Direction, int], FloatArray]] = {
    "mean_rank": _mean_rank,
    "borda": _borda,
    "win_rate": _win_rate,
    "iqm": _iqm,
    "skill_score": _skill,
    "improvability": _improvability,
    "elo": _elo,
}
