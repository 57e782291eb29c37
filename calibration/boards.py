"""How often the sets of ranks, the possible winners and the winner's score of `assay.board` hold.

    python calibration/boards.py             every world, written to docs/calibration-boards.md
    python calibration/boards.py --only ties --replicates 200   some of them, printed

Beside assay stands the procedure of the R package csranks (normal draws with the covariance of the evidence,
largest studentised difference, step-down: Mogstad, Romano, Shaikh & Wilhelm 2024), and percentiles of
bootstrapped ranks, as evalstats and bencheval give them.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.estimates.unit_scores import root_of_covariance
from assay.kernels.rank_draws import RankDraws, flipped, gaussian
from assay.kernels.rank_sets import decide, possible_winners, rank_bounds

Array = NDArray[np.float64]
ALPHA, DRAWS = 0.05, 999
MANY = 40
"""Possible winners from which only the truly best model is looked at: the others take too long."""
ITEMS = (
    (5, 100, 4000), (5, 1000, 2000), (10, 200, 2000), (20, 500, 1000), (50, 1000, 400), (100, 500, 300),
    (200, 1000, 200), (20, 10_000, 200),
)  # fmt: skip
DATASETS = (
    (5, 8, 4000), (10, 8, 3000), (5, 12, 3000), (10, 20, 2000), (20, 30, 1000), (10, 50, 2000), (50, 50, 400),
)  # fmt: skip
"""Models, units and how often each world is drawn."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Models whose true order is known, on units drawn anew each time."""

    name: str
    kind: str
    """items or datasets"""
    k: int
    n: int
    shape: str
    """ties, near-ties, groups, spread, leader"""
    noise: str
    """of items: correlated, independent, clones; of data sets: normal, heavy, skewed"""
    replicates: int

    @property
    def abilities(self) -> Array:
        """What each model is truly worth, in units of the standard error of a difference where near."""
        places = np.arange(self.k, dtype=float)
        step = {"items": 2.8, "datasets": 1.4}[self.kind] / np.sqrt(self.n)
        if self.shape == "ties":
            return np.zeros(self.k)
        if self.shape == "near-ties":
            return -step * places / max(self.k - 1, 1) * 3.0
        if self.shape == "groups":
            return -6.0 * step * (places // max(2, self.k // 4))
        if self.shape == "leader":
            return np.where(places == 0, 6.0 * step, 0.0)
        return -1.5 * step * places  # spread: neighbours at one and a half standard errors

    def drawn(self, rng: np.random.Generator) -> Array:
        """Units x models."""
        return _items(self, rng) if self.kind == "items" else _datasets(self, rng)


def _items(world: World, rng: np.random.Generator) -> Array:
    hard = {"independent": 0.0, "correlated": 1.5, "clones": 1.5}[world.noise]
    difficulty = hard * rng.standard_normal((world.n, 1))
    chances = 1.0 / (1.0 + np.exp(-(0.8 + world.abilities[None, :] - difficulty)))
    right = (rng.random((world.n, world.k)) < chances).astype(float)
    if world.noise == "clones":  # every second model repeats nine of ten answers of the one before
        again = rng.random((world.n, world.k // 2)) < 0.9
        before = right[:, 0 : 2 * (world.k // 2) : 2]
        same = world.abilities[1::2] == world.abilities[0 : 2 * (world.k // 2) : 2]
        right[:, 1::2] = np.where(again & same[None, :], before, right[:, 1::2])
    return right


def _datasets(world: World, rng: np.random.Generator) -> Array:
    shape = (world.n, world.k)
    noise = {
        "normal": rng.standard_normal,
        "heavy": lambda size: rng.standard_t(3, size) / np.sqrt(3.0),
        "skewed": lambda size: rng.exponential(1.0, size) - 1.0,
    }[world.noise](shape)
    return np.asarray(2.0 * rng.standard_normal((world.n, 1)) + noise + world.abilities)


def worlds() -> Iterator[World]:
    """The grid: small cells often, large cells as often as an hour allows."""
    yield from (
        _world("items", k, n, shape, "clones" if shape == "groups" else "correlated", replicates)
        for k, n, replicates in ITEMS
        for shape in ("ties", "near-ties", "groups", "spread")
    )
    for k, n, noise in ((10, 200, "independent"), (50, 1000, "independent"), (10, 100, "clones")):
        yield _world("items", k, n, "ties", noise, 1000 if k < 50 else 300)
    yield from (
        _world("datasets", k, n, shape, "normal", replicates)
        for k, n, replicates in DATASETS
        for shape in ("ties", "near-ties", "spread")
    )
    for noise in ("heavy", "skewed"):
        for k, n in ((5, 10), (10, 20), (20, 50)):
            for shape in ("ties", "spread"):
                yield _world("datasets", k, n, shape, noise, 1500 if k < 20 else 1000)


def _world(kind: str, k: int, n: int, shape: str, noise: str, replicates: int) -> World:
    name = f"{kind} {k}x{n} {shape} {noise}"
    return World(name=name, kind=kind, k=k, n=n, shape=shape, noise=noise, replicates=replicates)


@dataclass(kw_only=True)
class Tally:
    """What one procedure did in one world."""

    covered: int = 0
    true_claims_only: int = 0
    sizes: list[float] = field(default_factory=list)
    single: list[float] = field(default_factory=list)
    winner_kept: int = 0
    winners: list[int] = field(default_factory=list)


Procedure = Callable[[Array, int], tuple[RankDraws, float]]


def flips(share: float) -> Procedure:
    return lambda table, seed: (flipped(table / len(table), n_draws=DRAWS, seed=seed), share)


def csranks(table: Array, seed: int) -> tuple[RankDraws, float]:
    """Normal draws with the covariance of the means, as csranks has it."""
    covariance = np.cov(table, rowvar=False) / len(table)
    root = root_of_covariance(covariance)
    return gaussian(table.mean(axis=0), root, n_draws=DRAWS, seed=seed), 0.0


def percentiles(table: Array, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bootstrapped ranks between their 2.5 % and 97.5 % points, model by model."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(table), np.full(len(table), 1.0 / len(table)), 300)
    means = counts @ table
    ranks = 1 + (means[:, None, :] > means[:, :, None]).sum(axis=2)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
    return np.floor(low).astype(int), np.ceil(high).astype(int)


def measured(world: World, procedures: dict[str, Procedure], replicates: int) -> dict[str, Tally]:
    truth = world.abilities
    larger = truth[None, :] > truth[:, None]
    ranks = 1 + larger.sum(axis=1)
    best = truth == truth.max()
    found = {name: Tally() for name in (*procedures, "percentiles")}
    for place in range(replicates):
        table = world.drawn(np.random.default_rng([17, place, world.k, world.n]))
        for name, procedure in procedures.items():
            draws, share = procedure(table, place)
            decisions = decide(draws, ALPHA, share=share)
            low, high = rank_bounds(decisions.better)
            seen = found[name]
            _count(seen, low, high, ranks)
            seen.true_claims_only += not (decisions.better & ~larger.T).any()
            first = np.flatnonzero(best)[:1]
            among = np.flatnonzero(low == 1)
            few = among.size <= MANY
            kept = possible_winners(draws, ALPHA, among if few else first, share=share)
            seen.winner_kept += bool(kept[first[0]])
            if few:
                seen.winners.append(int(kept.sum()))
        if world.k <= 20 and world.n <= 1000:
            _count(found["percentiles"], *percentiles(table, place), ranks)
    return found


def _count(seen: Tally, low: Any, high: Any, ranks: Any) -> None:
    seen.covered += bool(((low <= ranks) & (ranks <= high)).all())
    seen.sizes.append(float((high - low + 1).mean()))
    seen.single.append(float(((low == high) & (low == ranks)).mean()))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", default="")
    options.add_argument("--replicates", type=int)
    options.add_argument("--keep", type=Path, help="a JSON file to add the counts to")
    given = options.parse_args()
    procedures = {"flips": flips(0.0), "two-step": flips(ALPHA / 10.0), "csranks": csranks}
    kept: dict[str, Any] = {}
    if given.keep and given.keep.exists():
        kept = json.loads(given.keep.read_text())
    for world in worlds():
        if given.only not in world.name or world.name in kept:
            continue
        replicates = given.replicates or world.replicates
        begun = time.process_time()
        found = measured(world, procedures, replicates)
        row = {}
        for name, seen in found.items():
            if not seen.sizes:
                continue
            row[name] = {
                "covered": seen.covered / replicates,
                "true": seen.true_claims_only / replicates,
                "size": float(np.mean(seen.sizes)),
                "single": float(np.mean(seen.single)),
                "winner": seen.winner_kept / replicates,
                "winners": float(np.mean(seen.winners)) if seen.winners else None,
            }
        kept[world.name] = {"replicates": replicates, **row}
        text = "  ".join(
            f"{name}: {one['covered']:.3f}/{one['true']:.3f} size {one['size']:.2f} single {one['single']:.2f} "
            f"win {one['winner']:.3f} {one['winners'] or 0:.2f}"
            for name, one in row.items()
        )
        print(
            f"{world.name} ({replicates}, {time.process_time() - begun:.0f} s) {text}", flush=True
        )
        if given.keep:
            given.keep.write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
