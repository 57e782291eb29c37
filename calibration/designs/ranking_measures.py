"""Worlds of scores: areas and average precisions of one model and of two, on the same draws.

Scores are binormal, as they are or cut into five levels, which are tables of counts. The pairs of
all correlations share the first model, where scores are not cut also the noise of the second:
their cells are not independent of each other.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from assay.kernels.tails import normal_reach
from assay.simulate.worlds.scores import ScoredLabels
from calibration.designs import auc, average_precision
from calibration.designs.auc import Counts
from calibration.designs.cells import ALPHAS, Found, Job, at_alpha, goal_of
from calibration.designs.drawn_rankings import Drawn, drawn_items, drawn_levels
from calibration.designs.listed_outcomes import conditional_reach

Generator = np.random.Generator
Cell = tuple[str, float, float, int]
"""Ties, area, prevalence and number of items."""
BATCHES = {30: 50_000, 100: 20_000, 1000: 5_000}
"""Replicates of a batch by the number of items: some seconds."""
SHOWN = {30: 100, 100: 40, 1000: 8}
"""Replicates of a batch whose intervals by other methods are computed too, to average widths."""
TIES = {"binormal": 0, "5-level": 5}
"""Levels into which the scores are cut; 0 leaves them as they are."""


def score_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per cell, with all correlations; samples of one class are drawn and not counted."""
    world = worlds["scores"]
    cells = product(world["n"], TIES, world["auc"], world["prevalence"])
    correlations = tuple(world["correlation"])
    return [
        Job(
            name=f"scores {ties} auc={area:g} prevalence={prevalence:g} n={n}",
            world="scores",
            run=partial(scores, ties, area, prevalence, n, correlations),
            batch=BATCHES.get(n, 1000) if not TIES[ties] else max(BATCHES.get(n, 1000), 20_000),
            goal=goal_of(1.0 - prevalence**n - (1.0 - prevalence) ** n),
        )
        for n, ties, area, prevalence in cells
    ]


def scores(
    ties: str,
    area: float,
    prevalence: float,
    n: int,
    correlations: tuple[float, ...],
    rng: Generator,
    replicates: int,
) -> list[Found]:
    """The default interval of one model and the default test of two like models, both measures."""
    at: Cell = (ties, area, prevalence, n)
    keys = ("area", "precision", *product(("area", "precision"), correlations))
    counts: dict[Any, Counts] = {key: {} for key in keys}
    sums: dict[Any, Counts] = {"area": {}, "precision": {}}
    truth = true_precision(at)
    defined = 0
    for part in drawn(at, correlations, rng, replicates):
        defined += part.area.size
        _count_one(counts, sums, part, area, truth)
        for rho in correlations:
            _count_pair(counts, part, rho)
    _compare_widths(counts, sums, at, rng, defined)
    return _found(counts, sums, at, correlations, defined)


def drawn(
    at: Cell, correlations: tuple[float, ...], rng: Generator, replicates: int
) -> Iterator[Drawn]:
    ties, area, prevalence, n = at
    world = (area, prevalence, n, correlations, replicates)
    return drawn_levels(rng, TIES[ties], *world) if TIES[ties] else drawn_items(rng, *world)


def true_precision(at: Cell) -> float:
    world = ScoredLabels(auc=at[1], prevalence=at[2], levels=TIES[at[0]])
    return world.truth(average_precision.MEASURE, "scored-labels") or 0.0


def _count_one(
    counts: dict[Any, Counts], sums: dict[Any, Counts], part: Drawn, area: float, truth: float
) -> None:
    auc.count_area(counts["area"], part.area, part.parts, part.resting, part.sizes, area)
    found = (part.precision, part.powers, part.repeats)
    low, high = average_precision.count_precision(
        counts["precision"], sums["precision"], found, part.sizes, truth
    )
    average_precision.check_interval(part.truth, part.example, (low[0], high[0]))


def _count_pair(counts: dict[Any, Counts], part: Drawn, rho: float) -> None:
    pair = part.pairs[rho]
    labels = part.truth
    p = auc.count_difference(counts["area", rho], pair.area, pair.parts, part.sizes)
    auc.check_difference(labels, pair.example, float(p[0]))
    p = average_precision.count_difference(
        counts["precision", rho], pair.precision, pair.powers, part.sizes
    )
    average_precision.check_difference(labels, pair.example, float(p[0]))


def _compare_widths(
    counts: dict[Any, Counts], sums: dict[Any, Counts], at: Cell, rng: Generator, defined: int
) -> None:
    """The other methods of the catalogue on a few replicates, scaled to all."""
    shown, truth = SHOWN.get(at[3], 4), true_precision(at)
    scale = defined / shown
    mine: Counts = {}
    widths: Counts = {}
    reach = normal_reach(1.0 - ALPHAS[0], "two-sided")
    done = 0
    while done < shown:
        for one in drawn(at, (0.0,), rng, 1):
            done += 1
            variance = one.parts[0] + one.parts[1]
            inside = auc.covered(one.area, variance, one.sizes, at[1], reach)["coverage"]
            example = (one.truth, one.example)
            auc.add_widths(sums["area"], example, at[1], inside=bool(inside[0]), scale=scale)
            found = (one.precision, one.powers, one.repeats)
            average_precision.count_precision({}, mine, found, one.sizes, truth)
            average_precision.add_others(counts["precision"], widths, example, truth, scale, done)
    for name, width in widths.items():  # our own width of these few tells how wide they are
        ours = f"width@{name.split('@')[1]}"
        auc.plus(sums["precision"], name, width * sums["precision"][ours] / (mine[ours] * scale))


def _found(
    counts: dict[Any, Counts],
    sums: dict[Any, Counts],
    at: Cell,
    correlations: tuple[float, ...],
    defined: int,
) -> list[Found]:
    _, area, prevalence, n = at
    facts = {"minority": n * prevalence}
    result = []
    for key, module in (("area", auc), ("precision", average_precision)):
        result.append(
            Found(
                table=module.ONE, at=at, replicates=defined, counts=counts[key], sums=sums[key],
                facts=facts,
            )
        )  # fmt: skip
        for rho in correlations:
            reach = {
                at_alpha("reachable", alpha): reachable(area, prevalence, n, rho, alpha)
                for alpha in ALPHAS
            }
            result.append(
                Found(
                    table=module.PAIR, at=(*at, rho), replicates=defined, counts=counts[key, rho],
                    facts={**facts, **reach},
                )
            )  # fmt: skip
    return result


def reachable(area: float, prevalence: float, n: int, rho: float, alpha: float) -> float:
    """What a sign test of the rarer items that the models rank apart could reach, roughly.

    An item is misplaced by a model with probability 1 - area, by one and not the other up to twice
    that, less where scores are correlated (the angle between them over a right angle).
    """
    rarer = max(1, round(n * min(prevalence, 1.0 - prevalence)))
    apart = min(1.0, 2.0 * (1.0 - area)) * float(np.arccos(rho)) / (np.pi / 2.0)
    return conditional_reach(rarer, apart, alpha)
