"""The front of score against cost: which models are on it for sure, which may be, which are not."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.core.board_results import Standing
from assay.core.checks import shape_of
from assay.core.errors import UsageError
from assay.estimates.unit_scores import of_items
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.hypotheses.rank_sets import Ranking, ranking, scatter
from assay.measures.registry import find_measure


def standings_of(
    cost: Any, models: tuple[str, ...], ranked: Ranking, alpha: float, seed: int
) -> tuple[list[Standing | None], list[float | None]]:
    """Each model's standing and its cost.

    A mapping of numbers is exact. A table of items has a scatter: then scores and costs have half of α each.
    """
    better = ranked.decisions.better
    if cost is None:
        return [None] * len(models), [None] * len(models)
    if isinstance(cost, Mapping) and all(shape_of(value) == () for value in cost.values()):
        costs = _numbers(cost, models)
        cheaper = costs[:, None] < costs[None, :]
        no_dearer = costs[:, None] <= costs[None, :]
    else:
        table = of_items(_items(cost), find_measure("mean_loss"))
        places = [_place(table.models, model) for model in models]
        spent = table.contributions[:, places]
        costs = spent.sum(axis=0)
        draws = scatter(-spent, alpha / 2.0, n_draws=1999, seed=seed)
        decided = ranking(draws, alpha / 2.0)
        cheaper = no_dearer = decided.decisions.better
        better = ranking(ranked.draws, alpha / 2.0).decisions.better
    return _standings(better, cheaper, no_dearer), [float(one) for one in costs]


def _standings(
    better: BoolArray, cheaper: BoolArray, no_dearer: BoolArray
) -> list[Standing | None]:
    """Off: another one is better and no dearer. On: against every other one, better or cheaper."""
    beaten = np.asarray((better & no_dearer).any(axis=0))
    safe = better | cheaper
    np.fill_diagonal(safe, val=True)
    kept = np.asarray(safe.all(axis=1))
    return [
        "off" if beaten[model] else "on" if kept[model] else "maybe" for model in range(len(better))
    ]


def _items(cost: Any) -> Predictions:
    found = read(cost, losses=True)
    if not isinstance(found, Predictions):
        raise UsageError(
            "costs are numbers by model, or a table with a row per item and a column per model"
        )
    return found


def _numbers(cost: Mapping[Any, Any], models: tuple[str, ...]) -> FloatArray:
    lacking = [model for model in models if model not in cost]
    if lacking:
        raise UsageError(
            f"no cost of {', '.join(lacking[:5])}: give the cost of every model on the board"
        )
    found = np.array([float(cost[model]) for model in models])
    if not np.isfinite(found).all():
        raise UsageError("a cost is missing or infinite")
    return found


def _place(names: tuple[str, ...], model: str) -> int:
    if model not in names:
        raise UsageError(f"no cost of {model}: the table of costs has {', '.join(names[:10])}")
    return names.index(model)
