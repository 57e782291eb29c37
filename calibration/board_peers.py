"""`python -m calibration.board_peers`: csranks, evalstats and bencheval themselves on the worlds of boards.

Needs evalstats and bencheval (`pip install evalstats bencheval`), and Rscript with csranks (in R_LIBS, say),
which nothing else does. csranks: joint sets with its defaults (two-sided, steps, 1,000 draws) of the means and
their covariance (no answer where two models have the same answers throughout). evalstats gives the chance of
every rank (`bootstrap_ranks`, its default): of each model the ranks between the 2.5 % and 97.5 % points are its
set. bencheval gives intervals of Elo (`compute_elo_ratings_from_ranks`): of each model the ranks that intervals
which do not overlap leave to it. A world is drawn as often as fits into a second of each package, at most 200 times.
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
MOST, FEWEST, SECONDS = 200, 3, 1.0
"""Draws of a world at most and at least, and the CPU time of one package that ends it in between."""
ROUNDS = 300
R_DRAWS = {5: 20, 10: 20, 20: 20, 50: 5, 100: 1, 200: 1}
"""Draws for csranks by models: one of 200 models takes it several seconds and 1.5 GB."""
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
    world: World, procedure: Callable[[NDArray[np.float64], int], Bounds]
) -> dict[str, Any]:
    """Coverage, size and time of a package, or why it has none."""
    if world.strata is not None:
        return {"refused": "has no mean of task means"}
    seen: list[tuple[float, float, float]] = []
    begun = time.process_time()
    while len(seen) < MOST:
        spent = time.process_time() - begun
        if len(seen) >= FEWEST and spent > SECONDS:
            break
        found = procedure(drawn(world, len(seen)), len(seen))
        seen.append(_seen(*found, ranks_of(world)))
    return counted(seen, (time.process_time() - begun) / len(seen))


def ranks_of(world: World) -> NDArray[np.int64]:
    truth = world.abilities
    return np.asarray(1 + (truth[None, :] > truth[:, None]).sum(axis=1))


def counted(seen: list[tuple[float, float, float]], seconds: float) -> dict[str, Any]:
    covered, size, single = np.mean(seen, axis=0).tolist()
    return {
        "replicates": len(seen), "covered": covered, "size": size, "single": single, "seconds": seconds,
    }  # fmt: skip


def of_csranks(world: World) -> dict[str, Any]:
    """The R package, and beside it our own form of its procedure on the same draws."""
    times, ours = R_DRAWS[world.k], []
    with tempfile.TemporaryDirectory() as folder:
        program, data = Path(folder) / "run.R", Path(folder) / "data.bin"
        program.write_text(R_PROGRAM, encoding="utf-8")
        with data.open("wb") as file:
            file.write(np.array([world.k, times], dtype=np.int32).tobytes())
            for place in range(times):
                table = drawn(world, place)
                parts = contributions(world, table)
                strata = np.zeros(len(table), np.int64) if world.strata is None else world.strata
                root = root_of(parts, strata)
                file.write(parts.sum(axis=0).tobytes() + (root.T @ root).tobytes())
                found = decide(by_csranks(world, table, place), ALPHA).better
                ours.append(_seen(*rank_bounds(found), ranks_of(world)))
        begun = time.perf_counter()
        said = subprocess.run(
            ["Rscript", str(program), str(data)], capture_output=True, text=True, check=True
        ).stdout
        spent = (time.perf_counter() - begun) / times
    limits = np.array(said.split(), dtype=np.int64).reshape(times, 2, world.k)
    answered = np.flatnonzero(
        limits[:, 0, 0] > 0
    )  # none for copies: their difference has no spread
    if not answered.size:
        return {"refused": "two models have the same answers in every draw"}
    seen = [_seen(limits[place, 0], limits[place, 1], ranks_of(world)) for place in answered]
    again = counted([ours[place] for place in answered], 0.0)
    return {**counted(seen, spent), "again": {name: again[name] for name in ("covered", "size")}}


def main() -> None:
    from calibration.boards_page import page

    parser = argparse.ArgumentParser(prog="calibration.board_peers", description=__doc__)
    parser.add_argument("--package", choices=["csranks", "evalstats", "bencheval"], required=True)
    chosen = parser.parse_args().package
    runs: dict[str, Callable[[World], dict[str, Any]]] = {
        "csranks": of_csranks,
        "evalstats": lambda world: of_package(world, by_evalstats),
        "bencheval": lambda world: of_package(world, by_bencheval),
    }
    for world in sorted(worlds(), key=lambda one: one.k):
        kept: dict[str, Any] = json.loads(RESULTS.read_text())
        if world.name in kept.get("peers", {}).get(chosen, {}):
            continue
        found = runs[chosen](world)
        print(world.name, json.dumps(found), flush=True)
        kept = json.loads(RESULTS.read_text())
        peers = kept.setdefault("peers", {})
        peers.setdefault(chosen, {})[world.name] = found
        peers.setdefault("versions", {})[chosen] = _version(chosen)
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept, list(worlds()), WINNERS), encoding="utf-8")


def _version(package: str) -> str:
    if package != "csranks":
        return version(package)
    asked = ["Rscript", "-e", "cat(as.character(packageVersion('csranks')))"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
