"""Five models that are nearly alike but for rare disputes: families whose intervals hold every true difference.

As `calibration.disputes` has it for two. Of the disputes four in five are lost by the first model, the others by one of
the rest, by half as much. Some families of every batch go through `compare`, and a difference stops the run.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import assay
from assay.compare.design import Design, read_design
from assay.compare.mean_families import mean_member
from assay.hypotheses.simultaneous import families_of, pairs_of
from calibration.cluster_worlds import World
from calibration.designs.cells import Found, Job, Table
from calibration.designs.means import Disagreement
from calibration.disputes import FAR, FOR_A, LESS, NEAR, SPREAD, apart_in_clusters
from calibration.short_cells import judged

Generator = np.random.Generator
DISPUTED = "dispute_families"
MODELS = "abcde"
BATCH, GOAL, DRAWS, CHECKED, SHARE = 500, 20_000, 999, 1, 0.05
KINDS = (
    ("10", (6, 10, 20, 40), 0.1),
    ("weights", (20, 50, 200), 0.0),
    ("items", (20, 50, 200), 0.0),
)
"""How items hang together, how many clusters (or items) there are, and how far disputes of a cluster go together."""


def dispute_family_jobs() -> list[Job]:
    return [
        Job(
            name=f"dispute families {count} of {kind}", world=DISPUTED,
            run=partial(measured, kind, count, correlation), batch=BATCH, goal=GOAL,
        )
        for kind, counts, correlation in KINDS
        for count in counts
    ]  # fmt: skip


def losses(world: World, there: Any, rng: Generator) -> Any:
    """The loss of every model on every item, above what all share: (clusters, items, models)."""
    apart = apart_in_clusters(world, SHARE, there, rng)
    far = np.clip(rng.normal(FAR, SPREAD, there.shape), 0.0, 1.0)
    first = rng.random(there.shape) < FOR_A
    loser = np.where(first, 0, rng.integers(1, len(MODELS), there.shape))
    lost = np.where(first, far, LESS * far)[..., None] * (
        loser[..., None] == np.arange(len(MODELS))
    )
    near = NEAR / 2**0.5 * rng.standard_normal((*there.shape, len(MODELS)))
    return np.where(apart[..., None], lost, near)


def truths() -> Any:
    """The mean loss of every model; cutting the far ones to 1 takes a little off."""
    far = np.clip(np.random.default_rng(20).normal(FAR, SPREAD, 1_000_000), 0.0, 1.0).mean()
    others = (1.0 - FOR_A) * LESS / (len(MODELS) - 1)
    return SHARE * far * np.array([FOR_A, *[others] * (len(MODELS) - 1)])


def measured(
    kind: str, count: int, correlation: float, rng: Generator, replicates: int
) -> list[Found]:
    """Families whose intervals hold all ten differences, with the corrections of each pair and without."""
    world = World(
        clusters=count, sizes="10" if kind == "10" else "1", prevalence=0.5, separation=0.0,
        correlation=correlation, weights="" if kind == "10" else "uneven",
    )  # fmt: skip
    true = truths()
    counts = dict.fromkeys(("n", "coverage@0.05", "t", "width", "t_width"), 0.0)
    for row in range(replicates):
        drawn = world.draw(1, 1, rng)
        kept = drawn.there[0]
        own = 2.0 + losses(world, drawn.there, rng)[0][kept]
        table: dict[str, Any] = {f"{m}:loss": own[:, place] for place, m in enumerate(MODELS)}
        if kind == "weights":
            table["weight"] = drawn.weights[0][kept]
        if kind == "10":
            table["cluster"] = np.nonzero(kept)[0]
        evidence = assay.read(table, losses=True)
        found, plain = _limits(evidence, row)
        if row < CHECKED:
            _check(evidence, row, found)
        gaps = np.array([true[a] - true[b] for a, b in _places()])
        counts["n"] += 1.0
        for name, width, ends in (("coverage@0.05", "width", found), ("t", "t_width", plain)):
            counts[name] += float(((ends[:, 0] <= gaps) & (gaps <= ends[:, 1])).all())
            counts[width] += float((ends[:, 1] - ends[:, 0]).mean())
    table_of = Table(
        procedure="five models, 5% in dispute", answers="compare", world=DISPUTED, unit="item",
        parameters=("clusters", "sizes"),
    )  # fmt: skip
    return [Found(table=table_of, at=(count, kind), replicates=replicates, counts=counts)]


def _places() -> list[tuple[int, int]]:
    return [(MODELS.index(a), MODELS.index(b)) for a, b in pairs_of(tuple(MODELS), None)]


def _limits(evidence: Any, seed: int) -> tuple[Any, Any]:
    """The ends of all pairs as `compare` has them, and without skewness and the unseen."""
    design: Design = read_design(evidence, measure="mean_loss")
    pairs = pairs_of(design.models, None)
    member = mean_member(design, pairs, n_resamples=DRAWS, seed=seed, bound=1.0)
    ends = []
    for one in (member, replace(member, heeded=None)):
        outcomes = families_of([one], level=0.95)[0].outcomes
        intervals = [outcome.effect.interval for outcome in outcomes]
        ends.append(np.array([(own.low, own.high) for own in intervals if own is not None]))
    return ends[0], ends[1]


def _check(evidence: Any, seed: int, ours: Any) -> None:
    found = assay.compare(evidence, measure="mean_loss", bound=1.0, n_resamples=DRAWS, rng=seed)
    for one in found.verdicts:
        interval = one.outcome.effect.interval
        a, b = MODELS.index(one.a), MODELS.index(one.b)
        low, high = (interval.low, interval.high) if interval else (np.nan, np.nan)
        if a > b:
            a, b, low, high = b, a, -high, -low
        if not np.allclose(ours[_places().index((a, b))], (low, high)):
            raise Disagreement(f"{one.a} and {one.b}: {(low, high)} from assay")


def dispute_family_page(found: Sequence[Found]) -> str:
    """A row for each number of clusters or items."""
    mine = {one.at: one for one in found if one.table.world == DISPUTED}
    lines = [
        "| clusters or items | which | all ten held | without the corrections | width over that | families |",
        "|---|---|---|---|---|---|",
    ]
    names = {
        "10": "clusters of 10, correlation .1",
        "weights": "items with weights",
        "items": "items",
    }
    for kind, sizes, _ in KINDS:
        for count in sizes:
            one = mine.get((count, kind))
            if one is None:
                continue
            (cell,) = judged([one])
            share = f"{100 * cell.share:.1f}"
            share = f"**{share}**" if cell.short else share
            plain = 100 * one.counts["t"] / cell.size
            wider = one.counts["width"] / one.counts["t_width"]
            lines.append(
                f"| {count} | {names[kind]} | {share} | {plain:.1f} | × {wider:.2f} | {one.replicates:,} |"
            )
    return "\n".join(lines)
