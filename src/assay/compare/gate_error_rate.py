"""A gate tried on evidence like the user's, with the truth known: how often does it err?

Two populations are made from the evidence. In the first every unit (an item, or a whole cluster)
stands twice, once with the two models swapped: they are equal there, whatever the measure. In the
second the candidate's answers are spoilt, one after the other, until it is worse by the margin.
Samples of the evidence's size are drawn from each, and the gate's own procedure decides on them.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.compare.gate_resampling import AnswerRows, Contest
from assay.compare.gate_rule import Bounds, Demand, Rule, judge_all
from assay.core.arrays import BoolArray, FloatArray
from assay.core.gate_results import GateTrial
from assay.core.results import Interval
from assay.core.rng import stream
from assay.estimates.proportions import clopper_pearson

LARGE = 20_000
"""Rows of the population with the spoilt candidate: one answer then moves a rate by 0.00005."""
LARGEST = 1_000_000
STEPS = 40
"""Halvings while looking for the amount of spoiling; fewer where answers are counted."""


def rehearse(
    contests: Sequence[Contest], *, alpha: float, holm: bool, replicates: int, seed: int
) -> tuple[GateTrial, ...]:
    """The false-fail rate of the gate on equal models, and of each measure its false-pass rate."""
    count = len(contests)
    shares = [alpha / open_ for open_ in range(1, count + 1)] if holm else [alpha]
    levels = [round(1.0 - 2.0 * share, 12) for share in shares]
    equal = np.stack(
        [
            c.bounds(_draws(symmetric(c.rows), c.rows, replicates, (seed, 1)), levels)
            for c in contests
        ]
    )
    fails = _failed(equal, contests, shares, holm=holm)
    trials = [
        _trial(
            "false-fail",
            contests[0].design.measure.called if count == 1 else None,
            0.0,
            min(1.0, alpha * (1 if holm else count)),
            fails,
            contests[0],
        )
    ]
    for place, contest in enumerate(contests):
        world = spoilt(contest, symmetric(contest.rows), stream(seed, 2, place))
        passes = None
        if world is not None:
            low = contest.bounds(_draws(world, contest.rows, replicates, (seed, 3)), levels[:1])
            passes = low[:, 0, 0] > -contest.margin
        name = contest.design.measure.called
        trials.append(_trial("false-pass", name, -contest.margin, alpha, passes, contest))
    return tuple(trials)


def symmetric(rows: AnswerRows) -> AnswerRows:
    """Every unit twice, once with the models swapped: in any measure they are equal."""
    twice, swapped = rows.repeated(2), rows.swapped()
    return replace(
        twice,
        candidate=np.concatenate([rows.candidate, swapped.candidate]),
        baseline=np.concatenate([rows.baseline, swapped.baseline]),
    )


def spoilt(contest: Contest, rows: AnswerRows, rng: np.random.Generator) -> AnswerRows | None:
    """The population with a candidate spoilt until it is worse by the margin, or a hair more.

    Labels become wrong and scores become those of other items, one after the other; the errors of
    predicted numbers grow, and losses are shifted. None where no spoiling reaches the margin.
    """
    span = contest.measure.high - contest.measure.low
    wanted = 50.0 * (span if math.isfinite(span) else 1.0) / contest.margin
    copies = math.ceil(min(max(LARGE, wanted), LARGEST) / rows.n)
    population = rows.repeated(max(1, copies))
    spoil = _spoiler(contest, population, rng)
    target = contest.difference(population) - contest.margin
    low, high = 0.0, 1.0
    if not contest.difference(spoil(high)) <= target:
        return None
    for _ in range(STEPS if contest.measure.needs in ("values", "losses") else 22):
        middle = (low + high) / 2.0
        low, high = (low, middle) if contest.difference(spoil(middle)) <= target else (middle, high)
    return spoil(high)


def _spoiler(
    contest: Contest, rows: AnswerRows, rng: np.random.Generator
) -> Callable[[float], AnswerRows]:
    """Spoils a share of what can be spoilt, from none (0) to all (1)."""
    needs, candidate = contest.measure.needs, rows.candidate
    if needs == "losses":
        unit = contest.margin * contest.sign

        def shifted(share: float) -> AnswerRows:
            return replace(rows, candidate=candidate - 2.0 * share * unit)

        return shifted
    if needs == "values":

        def stretched(share: float) -> AnswerRows:
            factor = 1.0 / max(1.0 - share, 1e-9)
            return replace(rows, candidate=rows.truth + factor * (candidate - rows.truth))

        return stretched
    order = rng.permutation(rows.n)
    bad = candidate[rng.permutation(rows.n)]
    if needs == "labels":
        order = order[candidate[order] == rows.truth[order]]
        classes = len(contest.design.parts[0].classes)
        bad = (candidate + rng.integers(1, max(2, classes), rows.n)) % classes

    def replaced(share: float) -> AnswerRows:
        answers = candidate.copy()
        chosen = order[: round(share * order.size)]
        answers[chosen] = bad[chosen]
        return replace(rows, candidate=answers)

    return replaced


def _draws(
    population: AnswerRows, evidence: AnswerRows, replicates: int, seed: tuple[int, int]
) -> Iterator[AnswerRows]:
    """Samples of as many items, or clusters, as the evidence has; the same ones for every measure."""
    if population.clusters is None or evidence.clusters is None:
        for replicate in range(replicates):
            rng = stream(*seed, replicate)
            yield population.taken(rng.integers(0, population.n, evidence.n), None)
        return
    order = np.argsort(population.clusters, kind="stable")
    sizes = np.bincount(population.clusters)
    starts = np.cumsum(sizes) - sizes
    wanted = int(evidence.clusters.max()) + 1
    for replicate in range(replicates):
        drawn = stream(*seed, replicate).integers(0, sizes.size, wanted)
        chosen = sizes[drawn]
        within = np.arange(chosen.sum()) - np.repeat(np.cumsum(chosen) - chosen, chosen)
        rows = order[np.repeat(starts[drawn], chosen) + within]
        yield population.taken(rows, np.repeat(np.arange(wanted), chosen))


def _failed(
    bounds: FloatArray, contests: Sequence[Contest], shares: Sequence[float], *, holm: bool
) -> BoolArray:
    """Of bounds (measures, samples, shares, 2): on which samples the gate fails in some measure."""
    demands = [Demand.not_worse(contest.margin) for contest in contests]
    rule: Rule = "holm" if holm else "all"
    place_of = {share: place for place, share in enumerate(shares)}
    failed = []
    for sample in np.moveaxis(bounds, 1, 0).tolist():

        def of(place: int, share: float, sample: list[Any] = sample) -> Bounds:
            low, high = sample[place][place_of[share]]
            return (None, None) if math.isnan(low) or math.isnan(high) else (low, high)

        words = [one.word for one in judge_all(of, demands, alpha=shares[0], rule=rule)]
        failed.append("failed" in words)
    return np.array(failed)


def _trial(
    error: Literal["false-fail", "false-pass"],
    measure: str | None,
    difference: float,
    nominal: float,
    happened: BoolArray | None,
    contest: Contest,
) -> GateTrial:
    count = None if happened is None else int(happened.sum())
    interval: Interval | None = None
    if happened is not None and count is not None:
        interval = clopper_pearson(count, happened.size).interval
    return GateTrial(
        error=error,
        measure=measure,
        difference=difference,
        nominal=nominal,
        replicates=0 if happened is None else happened.size,
        count=count,
        rate=None if happened is None or count is None else count / happened.size,
        interval=interval,
        drawn="items" if contest.rows.clusters is None else "clusters",
    )
