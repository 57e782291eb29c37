"""Bounded losses of two models that are nearly alike but for rare disputes, on clustered or weighted items.

Disputes may come in clusters: each has its own rate, beta-distributed. The answers are those of
`assay.hypotheses.dependent_means`; some test sets of every batch go through `compare`, and a difference stops the run.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import stdtrit

import assay
from calibration.cluster_worlds import (
    Drawn,
    World,
    cluster_means,
    degrees_of_freedom,
    mean_differences,
)
from calibration.designs.cells import Found, Job, Table
from calibration.designs.means import Disagreement
from calibration.short_cells import judged

Generator = np.random.Generator
DISPUTES = "disputes"
BATCH, GOAL, AT_ONCE, CHECKED = 1_000, 20_000, 200_000, 2
SHARES = ((0.05, 0.0), (0.05, 0.1), (0.2, 0.1))
"""How many items are in dispute, and how far disputes of one cluster go together."""
COUNTS, ITEMS = (6, 10, 20, 40), (20, 50, 200, 1000)
FOR_A, LESS, NEAR, FAR, SPREAD = 0.8, 0.5, 0.04, 0.75, 0.15
"""As in `calibration.tails.disputed`: of the disputes so many are lost by A, the others by half as much."""


def dispute_jobs() -> list[Job]:
    jobs = []
    for share, correlation in SHARES:
        for sizes, counts in (("10", COUNTS), ("1-60", COUNTS), ("1", ITEMS)):
            for count in counts if sizes != "1" or correlation else ():
                world = World(
                    clusters=count, sizes=sizes, prevalence=0.5, separation=0.0,
                    correlation=correlation, weights="uneven" if sizes == "1" else "",
                )  # fmt: skip
                jobs.append(Job(
                    name=f"disputes {share:g} correlation={correlation:g} {count} of {sizes}", world=DISPUTES,
                    run=partial(measured, world, share), batch=BATCH, goal=GOAL,
                ))  # fmt: skip
    return jobs


def differences(world: World, share: float, there: Any, rng: Generator) -> Any:
    """The Brier score of A less that of B, item by item."""
    apart = apart_in_clusters(world, share, there, rng)
    far = np.clip(rng.normal(FAR, SPREAD, there.shape), 0.0, 1.0)
    lost = np.where(rng.random(there.shape) < FOR_A, far, -LESS * far)
    return np.where(apart, lost, NEAR * rng.standard_normal(there.shape))


def apart_in_clusters(world: World, share: float, there: Any, rng: Generator) -> Any:
    """Which items are in dispute; each cluster has a rate of its own."""
    rate: Any = share
    if world.correlation and world.clustered:
        total = (1.0 - world.correlation) / world.correlation
        rate = rng.beta(share * total, (1.0 - share) * total, (*there.shape[:2], 1))
    return rng.random(there.shape) < rate


@cache
def truth(share: float) -> float:
    """The mean difference; cutting the far ones to 1 takes a little off."""
    drawn = np.clip(np.random.default_rng(20).normal(FAR, SPREAD, 10_000_000), 0.0, 1.0)
    return float(share * drawn.mean() * (FOR_A - LESS * (1.0 - FOR_A)))


def measured(world: World, share: float, rng: Generator, replicates: int) -> list[Found]:
    """Coverage of the true difference, and that of t without the corrections."""
    known, counts = (
        truth(share),
        dict.fromkeys(("n", "coverage@0.05", "t", "low", "high", "width", "t_width"), 0.0),
    )
    step = max(1, AT_ONCE // (world.clusters * {"1": 1, "10": 10}.get(world.sizes, 60)))
    for start in range(0, replicates, step):
        drawn = world.draw(min(step, replicates - start), 1, rng)
        values = differences(world, share, drawn.there, rng)
        found = mean_differences(drawn, values, jackknife=bool(world.weights), counted=0.0)
        low, high = np.maximum(found.low, -1.0), np.minimum(found.high, 1.0)
        plain = _plain(drawn, values)
        for row in range(0 if start else CHECKED):
            _check(drawn, values, row, (low[row], high[row]))
        counts["n"] += len(low)
        counts["coverage@0.05"] += float(((low <= known) & (known <= high)).sum())
        counts["t"] += float(((plain[0] <= known) & (known <= plain[1])).sum())
        counts["low"] += float((low > known).sum())
        counts["high"] += float((high < known).sum())
        counts["width"] += float((high - low).sum())
        counts["t_width"] += float((plain[1] - plain[0]).sum())
    name = f"{share:.0%} in dispute" + (
        f", correlation {world.correlation:g}" if world.clustered else ", weights"
    )
    table = Table(
        procedure=name,
        answers="compare",
        world=DISPUTES,
        unit="item",
        parameters=("clusters", "sizes"),
    )
    return [
        Found(table=table, at=(world.clusters, world.sizes), replicates=replicates, counts=counts)
    ]


def _plain(drawn: Drawn, values: Any) -> tuple[Any, Any]:
    """The interval of t alone, cut to -1 and 1."""
    spread = cluster_means(drawn, values)
    error, df = spread.error, spread.df
    if drawn.world.weights:
        m, share = drawn.world.clusters, drawn.amounts / drawn.amounts.sum(-1, keepdims=True)
        error = np.sqrt((m - 1.0) / m * ((spread.totals / (1.0 - share)) ** 2).sum(-1))
        df = degrees_of_freedom(drawn, "mean")
    reach = -stdtrit(df, 0.025) * error
    return np.maximum(spread.mean - reach, -1.0), np.minimum(spread.mean + reach, 1.0)


def _check(drawn: Drawn, values: Any, row: int, ours: tuple[float, float]) -> None:
    kept = drawn.there[row]
    level = np.linspace(1.0, 2.0, int(kept.sum()))
    table: dict[str, Any] = {"a:loss": values[row][kept] + level, "b:loss": level}
    if drawn.world.weights:
        table["weight"] = drawn.weights[row][kept]
    else:
        table["cluster"] = np.nonzero(kept)[0]
    evidence = assay.read(table, losses=True)
    found = assay.compare(
        evidence, measure="mean_loss", bound=1.0, rng=0
    ).verdict.outcome.effect.interval
    if found is None or not np.allclose(
        ours, (max(found.low, -1.0), min(found.high, 1.0)), rtol=1e-6, atol=1e-9
    ):
        raise Disagreement(f"{ours!r} in calibration, {found!r} from assay")


def dispute_page(found: Sequence[Found]) -> str:
    """A row for each number of clusters, a column for each kind of dispute."""
    mine = {(one.table.procedure, one.at): one for one in found if one.table.world == DISPUTES}
    kinds = list(dict.fromkeys(name for name, _ in mine))
    lines = [
        f"| clusters | items in each | {' | '.join(kinds)} | test sets |",
        "|" + "---|" * (len(kinds) + 3),
    ]
    for at in sorted({at for _, at in mine}, key=lambda at: (str(at[1]), float(at[0]))):
        cells = [mine.get((name, at)) for name in kinds]
        fewest = min(one.replicates or 0 for one in cells if one)
        entries = ["" if one is None else _entry(one) for one in cells]
        lines.append(f"| {at[0]} | {at[1]} | {' | '.join(entries)} | {fewest:,} |")
    return "\n".join(lines)


def _entry(one: Found) -> str:
    (cell,) = judged([one])
    text = f"{100 * cell.share:.1f}"
    text = f"**{text}**" if cell.short else text
    plain, wider = 100 * one.counts["t"] / cell.size, one.counts["width"] / one.counts["t_width"]
    return f"{text} (t {plain:.1f}), × {wider:.2f}"
