"""Many models in one order: the mean, the mean rank over data sets, and letters of who does not differ."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.results import Comparison, Estimate, FamilyOutcome
from assay.core.vocabulary import Sense

RANK = "mean rank: "
"""How families name the mean ranks among their details."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStanding:
    """One model among others; ``letters`` it shares with those from which it does not differ.

    ``mean_rank`` is None where models were not ranked, ``letters`` where not every pair was
    compared or where no letters can say it.
    """

    model: str
    estimate: Estimate
    mean_rank: float | None
    letters: str | None


def standings(result: Comparison) -> tuple[ModelStanding, ...]:
    """The models, best first, with their mean ranks and letters."""
    ranks = mean_ranks(result.families, result.evidence.models, result.direction)
    ordered = best_estimates_first(result)
    letters = _letters(result, [str(one.model) for one in ordered])
    return tuple(
        ModelStanding(
            model=str(one.model),
            estimate=one,
            mean_rank=ranks.get(str(one.model)),
            letters=None if letters is None else letters[index],
        )
        for index, one in enumerate(ordered)
    )


def best_estimates_first(result: Comparison) -> list[Estimate]:
    """The estimates of models, best first: by mean rank where there is one, else by value.

    Where the direction is unknown the highest comes first.
    """
    ranks = mean_ranks(result.families, result.evidence.models, result.direction)
    sign = 1.0 if result.direction == "lower" else -1.0

    def place(one: Estimate) -> tuple[float, bool, float]:
        rank = ranks.get(str(one.model), 0.0)
        return rank, one.value is None, sign * (one.value or 0.0)

    return sorted((one for one in result.estimates if one.model is not None), key=place)


def mean_ranks(
    families: Sequence[tuple[str, FamilyOutcome]], models: Sequence[str], direction: Sense
) -> dict[str, float]:
    """The mean ranks that a family beside a comparison carries; empty where there are none.

    They are ranks from the best, 1, so that they fit only a known direction.
    """
    for _, family in families if direction != "unknown" else ():
        details = dict(family.details)
        found = {model: details.get(f"{RANK}{model}") for model in models}
        if all(isinstance(rank, int | float) for rank in found.values()):
            return {model: float(rank or 0.0) for model, rank in found.items()}
    return {}


def _letters(result: Comparison, models: list[str]) -> tuple[str, ...] | None:
    """Letters from the decisions themselves, so that they cannot contradict them."""
    from assay.kernels.letters import compact_letters

    k = len(models)
    if k < 3 or len(result.verdicts) != k * (k - 1) // 2:
        return None
    if any(verdict.outcome.effect.interval is None for verdict in result.verdicts):
        return None
    if not {name for verdict in result.verdicts for name in (verdict.a, verdict.b)} <= set(models):
        return None
    place = {model: index for index, model in enumerate(models)}
    different = np.zeros((k, k), dtype=np.bool_)
    for verdict in result.verdicts:
        a, b = place[verdict.a], place[verdict.b]
        different[a, b] = different[b, a] = verdict.different
    return compact_letters(different)
