"""`python -m calibration.boards`: how often the ranks, the winners and the winner's score of a board hold.

Measures what is missing (resumable, one process) and writes docs/calibration-boards.md; --publish writes from
what there is, --only PART measures the worlds whose names hold it.

Beside assay stand the procedure of the R package csranks (normal draws with the covariance of the evidence,
largest studentised difference, step-down: Mogstad, Romano, Shaikh & Wilhelm 2024), and percentiles of
bootstrapped ranks, as evalstats and bencheval give them.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.estimates.board_winner import Contenders, corrected_winner
from assay.estimates.unit_scores import UnitScores, root_of
from assay.hypotheses.rank_sets import scatter, share_of
from assay.kernels.rank_draws import RankDraws, gaussian
from assay.kernels.rank_sets import decide, possible_winners, quantile, rank_bounds
from assay.kernels.winner_limits import _errors as errors_of_models

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "boards.json"
PAGE = HERE.parent / "docs" / "calibration-boards.md"
Array = NDArray[np.float64]
Counts = dict[str, float]
ALPHA, DRAWS, BOOTSTRAPS = 0.05, 499, 200
NAMES = ("covered", "size", "single", "true_claims", "winner")
ITEMS = (
    (5, 100, 1000), (5, 1000, 600), (10, 200, 1000), (20, 500, 600), (50, 1000, 300), (100, 500, 200),
    (200, 1000, 100), (20, 10_000, 100),
)  # fmt: skip
DATASETS = (
    (5, 8, 4000), (10, 8, 3000), (5, 12, 2000), (10, 20, 1000), (20, 30, 600), (10, 50, 2000), (50, 50, 400),
)  # fmt: skip
"""Models, units and how often each world is drawn."""
WINNERS = tuple(
    (k, shape, noise)
    for k in (2, 10, 30)
    for shape in ("ties", "near-ties", "leader")
    for noise in ("independent", "correlated")
)


@dataclass(frozen=True, kw_only=True)
class World:
    """Models whose true order is known, on units drawn anew each time."""

    kind: str
    """items, datasets or suites"""
    k: int
    n: int
    shape: str
    """ties, near-ties, groups, spread, leader"""
    noise: str
    """of items: correlated, independent, clones; of data sets: normal, heavy, skewed, noisy, factor"""
    replicates: int

    @property
    def name(self) -> str:
        return f"{self.kind} {self.k} {self.n} {self.shape} {self.noise}"

    @property
    def abilities(self) -> Array:
        """What each model is truly worth, in about standard errors of a difference."""
        places = np.arange(self.k, dtype=float)
        step = {"items": 2.8, "suites": 2.8, "datasets": 1.4}[self.kind] / np.sqrt(self.n)
        steps = {
            "ties": np.zeros(self.k),
            "near-ties": -3.0 * places / max(self.k - 1, 1),  # three from the first to the last
            "groups": -6.0 * (places // max(2, self.k // 4)),  # four groups of equals, far apart
            "leader": np.where(places == 0, 8.0, 0.0),
            "spread": -1.5 * places,  # one and a half from each to the next
        }
        return np.asarray(step * steps[self.shape])

    def drawn(self, rng: np.random.Generator) -> Array:
        """Units x models."""
        return _datasets(self, rng) if self.kind == "datasets" else _items(self, rng)

    @property
    def strata(self) -> NDArray[np.int64] | None:
        """The task of each item of a suite: five tasks, of a tenth to a third of the items."""
        if self.kind != "suites":
            return None
        return np.repeat(np.arange(5), np.array([2, 3, 4, 5, 6]) * self.n // 20)


def _items(world: World, rng: np.random.Generator) -> Array:
    hard = {"correlated": 1.5, "clones": 1.5}.get(world.noise, 0.0)
    difficulty = hard * rng.standard_normal((world.n, 1))
    chances = 1.0 / (1.0 + np.exp(-(0.8 + world.abilities[None, :] - difficulty)))
    right = (rng.random((world.n, world.k)) < chances).astype(float)
    if (
        world.strata is not None
    ):  # models are good at different tasks, and equal in the mean of tasks
        lean = np.where((world.strata[:, None] + np.arange(world.k)[None, :]) % 5 < 1, 0.2, -0.05)
        right = (rng.random(right.shape) < 0.6 + lean + 0.2 * world.abilities).astype(float)
    if world.noise == "clones":  # every second model repeats nine of ten answers of the one before
        pairs = 2 * (world.k // 2)
        again = rng.random((world.n, world.k // 2)) < 0.9
        same = world.abilities[1:pairs:2] == world.abilities[0:pairs:2]
        right[:, 1:pairs:2] = np.where(again & same, right[:, 0:pairs:2], right[:, 1:pairs:2])
    return right


def _datasets(world: World, rng: np.random.Generator) -> Array:
    shape = (world.n, world.k)
    if world.noise == "heavy":
        noise = rng.standard_t(3, shape) / np.sqrt(3.0)
    elif world.noise == "skewed":
        noise = rng.exponential(1.0, shape) - 1.0
    else:
        noise = rng.standard_normal(shape)
    if world.noise == "noisy":  # the second model scatters twice as much as the others
        noise[:, 1] *= 2.0
    elif world.noise == "factor":  # what some models like about a data set others do not
        noise = 0.5 * noise + rng.standard_normal((world.n, 1)) * rng.standard_normal((1, world.k))
    return np.asarray(2.0 * rng.standard_normal((world.n, 1)) + noise + world.abilities)


def worlds() -> Iterator[World]:
    """The grid: small cells often, large cells as often as an hour allows."""
    yield from _over_datasets()
    for (k, n), shape in product(((10, 200), (20, 1000)), ("ties", "near-ties")):
        yield _world("suites", k, n, shape, "leaning", 600 if k < 20 else 300)
    for (k, n, replicates), shape in product(ITEMS, ("ties", "near-ties", "groups", "spread")):
        noise = "clones" if shape == "groups" else "correlated"
        yield _world("items", k, n, shape, noise, (4 if shape == "ties" else 1) * replicates)
    for k, n, noise in ((10, 200, "independent"), (50, 1000, "independent"), (10, 100, "clones")):
        yield _world("items", k, n, "ties", noise, 1000)


def _over_datasets() -> Iterator[World]:
    for (k, n, replicates), shape in product(DATASETS, ("ties", "near-ties", "spread")):
        yield _world("datasets", k, n, shape, "normal", replicates)
    designs = ((5, 10), (10, 20), (20, 50))
    for noise, (k, n), shape in product(("heavy", "skewed"), designs, ("ties", "spread")):
        yield _world("datasets", k, n, shape, noise, 1000)
    designs = ((5, 8), (10, 8), (10, 20))
    for noise, (k, n), shape in product(("noisy", "factor"), designs, ("ties", "leader")):
        often = 2000 if (k, shape) == (10, "ties") and n == 8 else 500
        yield _world("datasets", k, n, shape, noise, often)


def _world(kind: str, k: int, n: int, shape: str, noise: str, replicates: int) -> World:
    return World(kind=kind, k=k, n=n, shape=shape, noise=noise, replicates=replicates)


def contributions(world: World, table: Array) -> Array:
    """Parts of the mean, or of the mean of task means."""
    if world.strata is None:
        return table / len(table)
    sizes = np.bincount(world.strata)
    return np.asarray(table / (sizes.size * sizes[world.strata])[:, None])


def by_assay(world: World, table: Array, seed: int) -> RankDraws:
    parts = contributions(world, table)
    return scatter(parts, ALPHA, n_draws=DRAWS, seed=seed, strata=world.strata)


def by_csranks(world: World, table: Array, seed: int) -> RankDraws:
    """Normal draws with the covariance of the means, as csranks has it."""
    parts = contributions(world, table)
    strata = np.zeros(len(table), np.int64) if world.strata is None else world.strata
    return gaussian(parts.sum(axis=0), root_of(parts, strata), n_draws=DRAWS, seed=seed)


def by_percentiles(table: Array, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bootstrapped ranks between their 2.5 % and 97.5 % points, model by model."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(table), np.full(len(table), 1.0 / len(table)), BOOTSTRAPS)
    means = counts @ table
    ranks = 1 + (means[:, None, :] > means[:, :, None]).sum(axis=2)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
    return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)


def measured(world: World, before: dict[str, Any]) -> dict[str, Any]:
    """Of each procedure: coverage of all ranks, false claims, size, true single ranks, the winner kept.

    What was counted ``before`` is kept, and the draws go on from there.
    """
    truth = world.abilities
    larger = truth[None, :] > truth[:, None]
    ranks = 1 + larger.sum(axis=1)
    best = np.flatnonzero(truth == truth.max())[:1]
    found: dict[str, list[list[float]]] = {"assay": [], "csranks": [], "percentiles": []}
    for place in range(before.get("replicates", 0), world.replicates):
        table = world.drawn(np.random.default_rng([17, place, world.k, world.n]))
        for name, draws in (
            ("assay", by_assay(world, table, place)),
            ("csranks", by_csranks(world, table, place)),
        ):
            share = share_of(draws, ALPHA) if name == "assay" else 0.0
            better = decide(draws, ALPHA, share=share).better
            low, high = rank_bounds(better)
            sided = draws.own or draws
            share = share_of(sided, ALPHA) if name == "assay" else 0.0
            kept = possible_winners(sided, ALPHA, best, share=share)[best[0]] and low[best[0]] == 1
            seen = _seen(low, high, ranks)
            found[name].append([*seen, not (better & ~larger.T).any(), kept])
        if world.strata is None and world.k <= 10 and world.n <= 200 and place % 4 == 0:
            found["percentiles"].append([*_seen(*by_percentiles(table, place), ranks), 0, 0])
    return {"replicates": world.replicates, **joined(before, found)}


def joined(before: dict[str, Any], found: dict[str, list[list[float]]]) -> dict[str, Counts]:
    """The means of what was counted before and of what was counted now."""
    old = before.get("replicates", 0)
    counts = {}
    for name, rows in found.items():
        if rows:
            now = dict(zip(NAMES, map(float, np.mean(rows, axis=0)), strict=True))
            past = before.get(name, now)
            part = old / (old + len(rows)) if name != "percentiles" else old / (old + 4 * len(rows))
            counts[name] = {one: part * past[one] + (1.0 - part) * now[one] for one in NAMES}
        elif name in before:
            counts[name] = before[name]
    return counts


def _seen(low: Any, high: Any, ranks: Any) -> tuple[float, float, float]:
    covered = bool(((low <= ranks) & (ranks <= high)).all())
    return covered, float((high - low + 1).mean()), float(((low == high) & (low == ranks)).mean())


def winner_measured(k: int, shape: str, noise: str, replicates: int = 400) -> Counts:
    """The winner's score: coverage, and its flattered limit beside that of best_of, in standard errors."""
    world = _world("items", k, 400, shape, noise, replicates)
    rng = np.random.default_rng(5)
    difficulty = {"independent": 0.0, "correlated": 1.5}[noise] * rng.standard_normal(400_000)
    truths = (1.0 / (1.0 + np.exp(-(0.8 + world.abilities[:, None] - difficulty)))).mean(axis=1)
    rows = []
    for place in range(replicates):
        table = world.drawn(np.random.default_rng([23, place, k]))
        units = UnitScores(
            models=tuple(map(str, range(k))),
            contributions=table / len(table),
            unit="item",
            words="",
            right=tuple(int(count) for count in table.sum(axis=0)),
        )
        given = Contenders.of(units, "higher")
        one = corrected_winner(given, level=0.95, measure="accuracy", n_draws=2000, seed=place)
        facts = dict(one.details)
        largest = errors_of_models(given.root, ALPHA / 2.0, 2000, place).max(axis=1)
        other = quantile(largest, ALPHA / 2.0, complete=False)  # the one-sided reach
        inside = one.interval is not None and one.interval.contains(
            float(truths[int(str(one.model))])
        )
        rows.append(
            [
                inside,
                facts["low_reach"],
                other,
                facts["naive"],
                one.value,
                truths[int(str(one.model))],
            ]
        )
    covered, reach, other, naive, value, truth = np.mean(rows, axis=0).tolist()
    return {
        "covered": covered,
        "reach": reach,
        "best_of": other,
        "flattery": naive - truth,
        "bias": value - truth,
        "replicates": replicates,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.boards", description=__doc__)
    parser.add_argument("--only", default="", help="worlds whose names hold this")
    parser.add_argument("--publish", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for k, shape, noise in WINNERS if not chosen.publish else ():
        name = f"winner {k} {shape} {noise}"
        if chosen.only in name and name not in kept:
            begun = time.process_time()
            kept[name] = winner_measured(k, shape, noise)
            _keep(kept, name, begun)
    for world in worlds() if not chosen.publish else ():
        before = kept.get(world.name, {})
        if chosen.only in world.name and before.get("replicates", 0) < world.replicates:
            begun = time.process_time()
            kept[world.name] = measured(world, before)
            _keep(kept, world.name, begun)
    from calibration.boards_page import page

    PAGE.write_text(page(kept, list(worlds()), WINNERS), encoding="utf-8")


def _keep(kept: dict[str, Any], name: str, begun: float) -> None:
    print(f"{name}: {time.process_time() - begun:.0f} s {json.dumps(kept[name])}", flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
