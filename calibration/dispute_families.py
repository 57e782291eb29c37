"""Five models that are nearly alike but for rare disputes: families whose intervals hold every true difference.

As `calibration.disputes` has it for two. Of the disputes four in five are lost by the first model, the others by one of
the rest, by half as much. Some families of every batch go through `compare`, and a difference stops the run.
"""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

import assay
from assay.kernels.effective_size import UNSEEN_CORRELATION
from assay.kernels.skewness import lean_of, wider_limits
from assay.kernels.unseen_values import allowed, reach_beyond
from calibration.cluster_families import begun, factors_of, largest_strays
from calibration.cluster_worlds import World
from calibration.designs.cells import Found, Job, Table
from calibration.designs.means import Disagreement
from calibration.disputes import FAR, FOR_A, LESS, NEAR, SPREAD, apart_in_clusters
from calibration.item_families import member
from calibration.short_cells import judged

Generator = np.random.Generator
DISPUTED = "dispute_families"
MODELS = "abcde"
PLACES = tuple(combinations(range(len(MODELS)), 2))
FIRST, SECOND = np.array(PLACES).T
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
    gaps = true[FIRST] - true[SECOND]
    counts = dict.fromkeys(("n", "coverage@0.05", "t", "width", "t_width"), 0.0)
    sets = [_drawn(world, rng) for _ in range(replicates)]
    own, weights = (np.stack(part) for part in zip(*sets, strict=True))
    families = _of_items(own) if kind == "items" else _of_clusters(own, weights, count)
    found, plain = families.limits(), families.plain()
    for row in range(CHECKED):
        _check(kind, count, (own[row], weights[row]), row, found[row])
    counts["n"] += float(replicates)
    for name, width, ends in (("coverage@0.05", "width", found), ("t", "t_width", plain)):
        held = ((ends[..., 0] <= gaps) & (gaps <= ends[..., 1])).all(axis=1)
        counts[name] += float(held.sum())
        counts[width] += float((ends[..., 1] - ends[..., 0]).mean(axis=1).sum())
    table_of = Table(
        procedure="five models, 5% in dispute", answers="compare", world=DISPUTED, unit="item",
        parameters=("clusters", "sizes"),
    )  # fmt: skip
    return [Found(table=table_of, at=(count, kind), replicates=replicates, counts=counts)]


def _drawn(world: World, rng: Generator) -> tuple[Any, Any]:
    """Losses (items, models) and weights of one test set, cluster after cluster."""
    drawn = world.draw(1, 1, rng)
    own = 2.0 + losses(world, drawn.there, rng)[0]
    return own.reshape(-1, len(MODELS)), drawn.weights[0].ravel()


class Families(NamedTuple):
    """Of many families the ten differences, (families, pairs), and what they are to heed."""

    values: Any
    errors: Any
    ordered: Any
    """(families, draws): how far the farthest pair strays."""
    lean: Any
    items: Any

    @property
    def multiplier(self) -> Any:
        """(families, 1): the draw that decides at 5 %."""
        size = self.ordered.shape[1]
        return self.ordered[:, size - int(np.floor(0.05 * (size + 1) + 1e-9))][:, None]

    def plain(self) -> Any:
        """The ends of all pairs, (families, pairs, 2), without skewness and the unseen."""
        reach = self.multiplier * self.errors
        return np.stack([self.values - reach, self.values + reach], axis=-1)

    def limits(self) -> Any:
        """The same as `compare` has them, where differences are at most 1 (`assay.hypotheses.skewed_families`)."""
        value, error = self.values, self.errors
        low, high = wider_limits(value, error, self.multiplier, self.lean)
        below, above = (
            error
            * reach_beyond(allowed(0.05, "two-sided"), room / error, self.items, self._quantiles)
            for room in (1.0 + value, 1.0 - value)
        )
        return np.stack([np.minimum(low, value - below), np.maximum(high, value + above)], axis=-1)

    def _quantiles(self, tails: Any) -> Any:
        """Strays that are exceeded on one side with these probabilities, (families, 1, tails)."""
        size = self.ordered.shape[1]
        rarer = 2.0 * np.minimum(tails, 1.0 - tails)
        place = np.floor(rarer * (size + 1) + 1e-9).astype(np.intp)
        reach = np.where(place >= 1, self.ordered[:, size - np.clip(place, 1, size)], np.inf)
        return np.where(tails <= 0.5, reach, -reach)[:, None, :]


def _of_items(own: Any) -> Families:
    """Independent items of one weight, by the bootstrap."""
    n = own.shape[1]
    members = [member(np.ascontiguousarray(one.T), row) for row, one in enumerate(own)]
    apart = (own[..., FIRST] - own[..., SECOND]).transpose(0, 2, 1)
    return Families(
        values=np.stack([one.values for one in members]),
        errors=np.stack([one.errors for one in members]),
        ordered=np.sort([one.largest for one in members], axis=1),
        lean=lean_of(apart, bounded=True),
        items=np.full((len(own), len(PLACES)), float(n)),
    )


def _of_clusters(own: Any, weights: Any, count: int) -> Families:
    """Clusters, or items with weights, left out one at a time."""
    shares = weights / weights.sum(1, keepdims=True)
    values = np.einsum("ri,rim->rm", shares, own)
    away = own - values[:, None]
    share = shares.reshape(len(own), count, -1).sum(-1)
    totals = (shares[..., None] * away).reshape(len(own), count, -1, len(MODELS)).sum(2)
    strays = -totals / (1.0 - share)[..., None]
    covariance = (count - 1.0) / count * np.einsum("rgi,rgj->rij", strays, strays)
    effective = 1.0 / (share**2).sum(-1)
    df = np.maximum(1.0, np.sqrt((count - 1.0) * np.maximum(effective - 1.0, 0.0)))
    apart = away[..., FIRST] - away[..., SECOND]
    spread = np.einsum("rii->ri", covariance)
    errors = np.sqrt(spread[:, FIRST] + spread[:, SECOND] - 2.0 * covariance[:, FIRST, SECOND])
    squares = (shares**2).sum(1)
    variance = np.einsum("ri,rip->rp", shares, apart**2) / (1.0 - squares)[:, None]
    clump = (share**2).sum(-1) / squares
    items = 1.0 / squares / (1.0 + (clump - 1.0) * UNSEEN_CORRELATION)
    ordered = np.empty((len(own), DRAWS))
    for row, factor in enumerate(factors_of(values, covariance)):
        normals, state = begun(row, DRAWS, len(MODELS))
        drawn = normals @ factor
        ratios = np.abs(drawn[:, FIRST] - drawn[:, SECOND]) / errors[row]
        ordered[row] = np.sort(largest_strays(ratios, float(df[row]), state))
    return Families(
        values=values[:, FIRST] - values[:, SECOND],
        errors=errors,
        ordered=ordered,
        lean=lean_of((totals[..., FIRST] - totals[..., SECOND]).transpose(0, 2, 1)),
        items=np.minimum(items[:, None], variance / errors**2),
    )


def _check(kind: str, count: int, drawn: tuple[Any, Any], seed: int, ours: Any) -> None:
    own, weights = drawn
    table: dict[str, Any] = {f"{m}:loss": own[:, place] for place, m in enumerate(MODELS)}
    if kind == "weights":
        table["weight"] = weights
    if kind == "10":
        table["cluster"] = np.repeat(np.arange(count), len(own) // count)
    evidence = assay.read(table, losses=True)
    found = assay.compare(evidence, measure="mean_loss", bound=1.0, n_resamples=DRAWS, rng=seed)
    for one in found.verdicts:
        interval = one.outcome.effect.interval
        a, b = MODELS.index(one.a), MODELS.index(one.b)
        low, high = (interval.low, interval.high) if interval else (np.nan, np.nan)
        if a > b:
            a, b, low, high = b, a, -high, -low
        if not np.allclose(ours[PLACES.index((a, b))], (low, high)):
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
