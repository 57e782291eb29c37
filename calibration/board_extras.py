"""`python -m calibration.board_extras`: what boards publish besides means, and boards that are kept.

Sets of ranks and simultaneous intervals of Elo ratings (over data sets and of votes) and interquartile
means, the front of score against costs that vary, and false claims of boards to which models are added one
by one. Every count goes through `assay.board` or what it calls; results are kept and published with the
other worlds of boards.
"""

import json
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.compare.board_front import standings_of
from assay.estimates.board_aggregates import ELO, aggregated
from assay.estimates.board_scores import simultaneous_scores
from assay.estimates.board_winner import Contenders
from assay.estimates.unit_scores import UnitScores
from assay.evidence.preferences import from_matrix
from assay.hypotheses.rank_sets import ranking, scatter
from assay.kernels.bradley_terry import fitted
from calibration.boards import ALPHA, DRAWS, PAGE, RESULTS, WINNERS, Array, World, _seen, worlds

TRUTH = 100_000
"""Units drawn once to know what an aggregate is worth."""
AGGREGATES = (
    ("elo", 5, 8, "normal"), ("elo", 10, 20, "normal"), ("elo", 10, 50, "normal"),
    ("iqm", 5, 12, "normal"), ("iqm", 10, 20, "normal"), ("iqm", 10, 20, "skewed"), ("iqm", 10, 50, "heavy"),
)  # fmt: skip
VOTES = ((5, 300), (10, 2000), (20, 4000))
FRONTS = ((5, 200), (10, 200), (10, 1000))
LEDGERS = (("ties", 5, 3, 200), ("near-ties", 5, 3, 200), ("groups", 8, 3, 200))
"""Shape, models of the first board, models that arrive one by one, items."""


def of_aggregate(world: World, name: str) -> dict[str, float]:
    """Coverage of all ranks and of all intervals of an aggregate over data sets."""
    truth = _worth(world, name)
    ranks = 1 + (world.abilities[None, :] > world.abilities[:, None]).sum(axis=1)
    rows, refused = [], 0
    for place in range(world.replicates):
        table = world.drawn(np.random.default_rng([17, place, world.k, world.n]))
        try:
            units, _ = aggregated(_units(table), name, "higher")
        except assay.NotApplicable:  # one model beats another on every unit: no finite Elo
            refused += 1
            continue
        draws = scatter(
            units.contributions, ALPHA, n_draws=DRAWS, seed=place, trimmed=units.trimmed
        )
        found = ranking(draws, ALPHA)
        scores = simultaneous_scores(
            Contenders.of(units, "higher"), level=0.95, measure=name, n_draws=2000, seed=place
        )
        inside = all(
            one.interval is not None and one.interval.contains(float(worth))
            for one, worth in zip(scores, truth, strict=True)
        )
        rows.append([*_seen(found.low, found.high, ranks), inside])
    covered, size, single, intervals = np.mean(rows, axis=0).tolist()
    return {
        "replicates": len(rows), "refused": refused, "covered": covered, "size": size, "single": single,
        "intervals": intervals,
    }  # fmt: skip


def _units(table: Array) -> UnitScores:
    names = tuple(f"m{place}" for place in range(table.shape[1]))
    return UnitScores(
        models=names, contributions=table / len(table), unit="dataset", words="", scores=table
    )


def _worth(world: World, name: str) -> Array:
    """The aggregate of very many units; the same for models of the same ability."""
    many = World(kind="datasets", k=world.k, n=TRUTH, shape="ties", noise=world.noise, replicates=1)
    table = many.drawn(np.random.default_rng(3)) + world.abilities
    if name == "iqm":
        base = np.sort((table - world.abilities).ravel())
        quarter = base.size // 4
        return np.asarray(base[quarter : base.size - quarter].mean() + world.abilities)
    wins = np.stack([(table > table[:, [rival]]).sum(axis=0) for rival in range(world.k)], axis=1)
    fit = fitted(wins.astype(float), np.zeros(wins.shape), np.zeros(wins.shape), position=False)
    if fit is None:
        raise ValueError("the strengths of a simulated world do not settle")
    return np.asarray(1000.0 + ELO * fit.values)


def of_votes(k: int, n: int, shape: str, replicates: int) -> dict[str, float]:
    """Ratings of paired comparisons, every pair as likely as every other."""
    step = 2.8 / np.sqrt(2.0 * n / k)  # about a standard error of a difference of strengths
    spread = {"ties": 0.0, "near-ties": 3.0 / (k - 1), "spread": 1.5}[shape]
    strength = -step * spread * np.arange(k)
    ranks = 1 + (strength[None, :] > strength[:, None]).sum(axis=1)
    truth = 1000.0 + ELO * (strength - strength.mean())
    rows = []
    for place in range(replicates):
        rng = np.random.default_rng([31, place, k, n])
        first = rng.integers(0, k, n)
        second = (first + rng.integers(1, k, n)) % k
        won = rng.random(n) < 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
        wins = np.zeros((k, k))
        np.add.at(wins, (np.where(won, first, second), np.where(won, second, first)), 1.0)
        names = [f"m{model:02}" for model in range(k)]
        found = assay.board(from_matrix(wins, names), votes=True, rng=place, n_resamples=DRAWS)
        low, high = (
            np.array([getattr(found.row(name), end) for name in names]) for end in ("low", "high")
        )
        intervals = [found.row(name).estimate.interval for name in names]
        inside = all(
            one is not None and one.contains(float(worth))
            for one, worth in zip(intervals, truth, strict=True)
        )
        rows.append([*_seen(low, high, ranks), inside])
    covered, size, single, intervals_ = np.mean(rows, axis=0).tolist()
    return {
        "replicates": replicates, "covered": covered, "size": size, "single": single, "intervals": intervals_,
    }  # fmt: skip


def of_front(k: int, n: int, shape: str, replicates: int) -> dict[str, float]:
    """Whether any standing is false, where scores and costs both vary by item."""
    world = World(kind="items", k=k, n=n, shape="spread", noise="correlated", replicates=replicates)
    places = np.arange(k)
    level = {
        "trade-off": -0.1 * places,  # the better the dearer: all are on the front
        "dominated": 0.1 * places,  # the best is the cheapest: it alone is on it
        "same cost": 0.0 * places,  # the best alone is on it, by no margin of cost
        "mixed": np.where(places % 2, 0.15 * places, -0.1 * places),
    }[shape]
    ability = world.abilities
    beaten = (ability[:, None] > ability[None, :]) & (level[:, None] <= level[None, :])
    on = ~beaten.any(axis=0)
    names = tuple(f"m{model}" for model in range(k))
    rows = []
    for place in range(replicates):
        rng = np.random.default_rng([37, place, k, n])
        table = world.drawn(rng)
        dear = rng.normal(0.0, 0.5, (n, 1))  # long items are long for everybody
        spent = np.exp(level + dear + 0.5 * rng.standard_normal((n, k)))
        ranked = ranking(scatter(table / n, ALPHA, n_draws=DRAWS, seed=place), ALPHA)
        costs = dict(zip(names, spent.T, strict=True))
        found, _ = standings_of(costs, names, ranked, ALPHA, place)
        said = np.array(found)
        false = ((said == "on") & ~on) | ((said == "off") & on)
        rows.append([not false.any(), (said == "maybe").mean(), np.mean((said == "on") == on)])
    true, maybe, right = np.mean(rows, axis=0).tolist()
    return {"replicates": replicates, "true": true, "maybe": maybe, "right": right}


def of_ledger(shape: str, first: int, later: int, n: int, replicates: int) -> dict[str, float]:
    """Claims of a kept board after all models have arrived, one by one; and of one look at all of them."""
    k = first + later
    world = World(kind="items", k=k, n=n, shape=shape, noise="correlated", replicates=replicates)
    truth = world.abilities
    ranks = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    rows = []
    for place in range(replicates):
        rng = np.random.default_rng([41, place, k, n])
        table = world.drawn(rng).astype(int)
        order = rng.permutation(k)  # models do not come by their ability
        kept = _kept(table, order, first, place)
        once = assay.board(_columns(table, order), correct=True, rng=place, n_resamples=DRAWS)
        seen: list[Any] = []
        for board in (kept, once):
            low, high = (
                np.array([getattr(board.row(f"m{model}"), end) for model in range(k)])
                for end in ("low", "high")
            )
            seen += _seen(low, high, ranks)[:2]
        rows.append(seen)
    covered, size, at_once, size_at_once = np.mean(rows, axis=0).tolist()
    return {
        "replicates": replicates, "covered": covered, "size": size, "at_once": at_once,
        "size_at_once": size_at_once,
    }  # fmt: skip


def _kept(table: Any, order: Any, first: int, seed: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        for known in range(first, table.shape[1] + 1):
            found = assay.board(
                _columns(table, order[:known]), correct=True, ledger=Path(folder) / "board.json", rng=seed,
                n_resamples=DRAWS,
            )  # fmt: skip
    return found


def _columns(table: Any, order: Any) -> dict[str, Any]:
    return {f"m{model}": table[:, model] for model in order}


def studies() -> dict[str, Callable[[], dict[str, float]]]:
    """Everything to count, by name."""
    found: dict[str, Callable[[], dict[str, float]]] = {}
    for shape in ("ties", "near-ties", "spread"):
        for name, k, n, noise in AGGREGATES:
            often = 1000 if name == "iqm" else 300
            world = World(kind="datasets", k=k, n=n, shape=shape, noise=noise, replicates=often)
            found[f"{name} {k} {n} {shape} {noise}"] = partial(of_aggregate, world, name)
        for k, n in VOTES:
            found[f"votes {k} {n} {shape}"] = partial(of_votes, k, n, shape, 500)
    for shape, (k, n) in product(("trade-off", "dominated", "same cost", "mixed"), FRONTS):
        found[f"front {k} {n} {shape}"] = partial(of_front, k, n, shape, 500)
    for shape, first, later, n in LEDGERS:
        found[f"ledger {first}+{later} {n} {shape}"] = partial(
            of_ledger, shape, first, later, n, 400
        )
    return found


def main() -> None:
    from calibration.boards_page import page

    for name, count in studies().items():
        kept: dict[str, Any] = json.loads(RESULTS.read_text())
        extras = kept.setdefault("extras", {})
        if name not in extras:
            found = count()
            kept = json.loads(RESULTS.read_text())
            kept.setdefault("extras", {})[name] = found
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
            print(name, json.dumps(found), flush=True)
    PAGE.write_text(page(kept, list(worlds()), WINNERS), encoding="utf-8")


if __name__ == "__main__":
    main()
