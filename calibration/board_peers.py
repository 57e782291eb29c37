"""`python -m calibration.board_peers`: csranks, evalstats and bencheval themselves on the worlds of boards.

Needs evalstats and bencheval (`pip install evalstats bencheval`), and Rscript with csranks (in R_LIBS, say),
which nothing else does. csranks: joint sets with its defaults (two-sided, steps, 1,000 draws) of the means and
their covariance (no answer where two models have the same answers throughout). evalstats gives the chance of
every rank (`bootstrap_ranks`, its default): of each model the ranks between the 2.5 % and 97.5 % points are its
set. bencheval gives intervals of Elo (`compute_elo_ratings_from_ranks`): of each model the ranks that intervals
which do not overlap leave to it. A world is drawn 200 times, or as often as fits into --seconds of each package;
a later run goes on from there.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.estimates.unit_scores import root_of
from assay.kernels.rank_sets import decide, rank_bounds
from calibration.boards import (
    ALPHA,
    PAGE,
    RESULTS,
    WINNERS,
    World,
    _seen,
    by_csranks,
    contributions,
    worlds,
)

Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]
MOST, FEWEST = 200, 3
"""Draws of a world at most, and at least however long they take."""
ROUNDS = 300
R_BATCH = {5: 50, 10: 50, 20: 25, 50: 5, 100: 1, 200: 1}
"""Draws for one start of R by models: one of 200 models takes it a minute and 1.5 GB."""
Row = tuple[float, ...]
"""Covered, size and single of one draw; of csranks also covered and size by our own form of it."""
R_PROGRAM = """
library(csranks)
from <- file(commandArgs(TRUE)[1], "rb")
k <- readBin(from, "integer"); times <- readBin(from, "integer")
for (one in seq_len(times)) {
  x <- readBin(from, "double", k)
  spread <- matrix(readBin(from, "double", k * k), k)
  found <- try(csranks(x, spread, seed = one), silent = TRUE)
  if (inherits(found, "try-error")) cat(rep(0, 2 * k), "\\n") else cat(found$L, found$U, "\\n")
}
"""


def by_evalstats(table: NDArray[np.float64], seed: int) -> Bounds:
    from evalstats import bootstrap_ranks  # type: ignore[import-not-found]

    names = [str(place) for place in range(table.shape[1])]
    rng = np.random.default_rng(seed)
    found = bootstrap_ranks(table.T, names, n_bootstrap=ROUNDS, rng=rng)
    below = np.cumsum(found.rank_probs, axis=1)
    low = 1 + (below < 0.025 - 1e-12).sum(axis=1)
    return low, 1 + (below < 0.975 - 1e-12).sum(axis=1)


def by_bencheval(table: NDArray[np.float64], seed: int) -> Bounds:
    import pandas as pd
    from bencheval.elo_utils import EloHelper  # type: ignore[import-not-found]

    k = table.shape[1]
    rows = pd.DataFrame(
        {
            "method": np.tile([f"m{place}" for place in range(k)], len(table)),
            "task": np.repeat([f"t{place}" for place in range(len(table))], k),
            "metric_error": -table.ravel(),
        }
    )
    rows["rank"] = rows.groupby("task")["metric_error"].rank()
    helper = EloHelper(method_col="method", task_col="task", error_col="metric_error")
    drawn = helper.compute_elo_ratings_from_ranks(
        rows, seed=seed, BOOTSTRAP_ROUNDS=ROUNDS, show_process=False
    )
    order = [f"m{place}" for place in range(k)]
    lower, upper = (drawn[order].quantile(share).to_numpy() for share in (0.025, 0.975))
    better = lower[None, :] > upper[:, None]
    return 1 + better.sum(axis=1), k - better.sum(axis=0)


def drawn(world: World, place: int) -> NDArray[np.float64]:
    """The same tables as in `calibration.boards`."""
    return world.drawn(np.random.default_rng([17, place, world.k, world.n]))


def of_package(
    world: World, places: range, procedure: Callable[[NDArray[np.float64], int], Bounds]
) -> list[Row]:
    """What a package of Python says of these draws."""
    truth = ranks_of(world)
    return [_seen(*procedure(drawn(world, place), place), truth) for place in places]


def ranks_of(world: World) -> NDArray[np.int64]:
    truth = world.abilities
    return np.asarray(1 + (truth[None, :] > truth[:, None]).sum(axis=1))


def of_csranks(world: World, places: range) -> list[Row]:
    """The R package, and beside it our own form of its procedure on the same draws."""
    ours, truth = [], ranks_of(world)
    with tempfile.TemporaryDirectory() as folder:
        program, data = Path(folder) / "run.R", Path(folder) / "data.bin"
        program.write_text(R_PROGRAM, encoding="utf-8")
        with data.open("wb") as file:
            file.write(np.array([world.k, len(places)], dtype=np.int32).tobytes())
            for place in places:
                table = drawn(world, place)
                parts = contributions(world, table)
                strata = np.zeros(len(table), np.int64) if world.strata is None else world.strata
                root = root_of(parts, strata)
                file.write(parts.sum(axis=0).tobytes() + (root.T @ root).tobytes())
                found = decide(by_csranks(world, table, place), ALPHA).better
                ours.append(_seen(*rank_bounds(found), truth))
        said = subprocess.run(
            ["Rscript", str(program), str(data)], capture_output=True, text=True, check=True
        ).stdout
    limits = np.array(said.split(), dtype=np.int64).reshape(len(places), 2, world.k)
    return [
        (*_seen(low, high, truth), *own[:2])
        for (low, high), own in zip(limits, ours, strict=True)
        if low[0] > 0  # no answer for copies: their difference has no spread
    ]


def counted(
    world: World, before: dict[str, Any], batch: int, seconds: float, ask: Callable[..., list[Row]]
) -> dict[str, Any]:
    """What was counted before and what the draws after it add; ``looked`` counts draws without an answer, too."""
    looked, rows, begun = before.get("looked", 0), [], time.perf_counter()
    spent = 0.0
    while looked < MOST and (looked < FEWEST or spent < seconds):
        places = range(looked, min(looked + batch, MOST))
        rows += ask(world, places)
        looked = places.stop
        spent = time.perf_counter() - begun
    if not rows:
        return {**before, "looked": looked}
    old, added = before.get("replicates", 0), len(rows)
    means = [*np.mean(rows, axis=0).tolist(), spent / added]
    names = ("covered", "size", "single", "again_covered", "again_size")[: len(means) - 1]
    found: dict[str, Any] = {"replicates": old + added, "looked": looked}
    for name, mean in zip((*names, "seconds"), means, strict=True):
        found[name] = (old * before.get(name, 0.0) + added * mean) / (old + added)
    return found


def main() -> None:
    from calibration.boards_page import page

    parser = argparse.ArgumentParser(prog="calibration.board_peers", description=__doc__)
    parser.add_argument("--package", choices=["csranks", "evalstats", "bencheval"], required=True)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each world")
    chosen = parser.parse_args()
    runs: dict[str, Callable[[World, range], list[Row]]] = {
        "csranks": of_csranks,
        "evalstats": lambda world, places: of_package(world, places, by_evalstats),
        "bencheval": lambda world, places: of_package(world, places, by_bencheval),
    }
    kept: dict[str, Any] = json.loads(RESULTS.read_text())
    known = kept.get("peers", {}).get(chosen.package, {})
    for world in sorted(
        worlds(), key=lambda one: (known.get(one.name, {}).get("looked", 0), one.k)
    ):
        if world.strata is not None and chosen.package != "csranks":
            continue  # the others have no mean of task means
        before = known.get(world.name, {})
        batch = R_BATCH[world.k] if chosen.package == "csranks" else 1
        found = counted(world, before, batch, chosen.seconds, runs[chosen.package])
        print(world.name, json.dumps(found), flush=True)
        kept = json.loads(RESULTS.read_text())
        peers = kept.setdefault("peers", {})
        peers.setdefault(chosen.package, {})[world.name] = found
        peers.setdefault("versions", {})[chosen.package] = _version(chosen.package)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept, list(worlds()), WINNERS), encoding="utf-8")


def _version(package: str) -> str:
    if package != "csranks":
        return version(package)
    asked = ["Rscript", "-e", "cat(as.character(packageVersion('csranks')))"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
