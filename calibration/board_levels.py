"""`python -m calibration.board_levels`: csranks at the level at which it covers ties as well.

Over few data sets csranks' normal draws are too narrow: it covers where means are spread and not where models tie,
and a board does not know which of the two it has. Here its nominal level is raised until it covers the ties of
the same design (models, data sets, noise) in 94.5 % of the draws, and its sets are counted at that level.

Such levels lie so near to 1 that no number of normal draws reaches them. Their critical values are those of the
union bound, exact far out: with m ordered pairs left, the normal quantile of 1 - α/m.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.rank_sets import rank_bounds
from assay.kernels.special import ndtr, ndtri
from calibration.boards import PAGE, RESULTS, WINNERS, Array, World, worlds
from calibration.boards_page import COVERS, page


def studentised(world: World) -> Iterator[Array]:
    """Of the draws of `calibration.boards` the differences of all pairs in their own standard errors."""
    for place in range(world.replicates):
        table = world.drawn(np.random.default_rng([17, place, world.k, world.n]))
        means, spread = table.mean(axis=0), np.cov(table.T) / len(table)
        squares = np.diag(spread)[:, None] + np.diag(spread)[None, :] - 2.0 * spread
        np.fill_diagonal(squares, 1.0)
        yield (means[:, None] - means[None, :]) / np.sqrt(squares)


def found_better(statistics: Array, alpha: float) -> NDArray[np.bool_]:
    """Step-down by normal critical values."""
    left = ~np.eye(len(statistics), dtype=np.bool_)
    while True:
        found = left & (statistics > float(-ndtri(alpha / left.sum())))
        if not found.any():
            return np.asarray(~left & ~np.eye(len(statistics), dtype=np.bool_))
        left &= ~found


def covering_alpha(ties: World) -> float:
    """The largest α at which ties are covered: no difference of equals may exceed the first critical value."""
    largest = [float(statistics.max()) for statistics in studentised(ties)]
    pairs = ties.k * (ties.k - 1)
    return float(pairs * ndtr(-np.quantile(largest, COVERS)))


def matched(world: World, alpha: float) -> dict[str, float]:
    """Coverage and size at this level."""
    ranks = 1 + (world.abilities[None, :] > world.abilities[:, None]).sum(axis=1)
    rows = []
    for statistics in studentised(world):
        low, high = rank_bounds(found_better(statistics, alpha))
        rows.append([((low <= ranks) & (ranks <= high)).all(), (high - low + 1).mean()])
    covered, size = np.mean(rows, axis=0).tolist()
    return {"replicates": len(rows), "alpha": alpha, "covered": covered, "size": size}


def main() -> None:
    kept: dict[str, Any] = json.loads(RESULTS.read_text())
    found: dict[str, dict[str, float]] = {}
    over = [world for world in worlds() if world.kind == "datasets"]
    for ties in (world for world in over if world.shape == "ties"):
        if kept[ties.name]["csranks"]["covered"] >= COVERS:
            continue
        alpha = covering_alpha(ties)
        for world in over:
            same = (world.k, world.n, world.noise) == (ties.k, ties.n, ties.noise)
            if same and kept[world.name]["csranks"]["covered"] >= COVERS:
                found[world.name] = matched(world, alpha)
                print(world.name, json.dumps(found[world.name]), flush=True)
    kept = json.loads(RESULTS.read_text()) | {"matched": found}  # others may have written meanwhile
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept, list(worlds()), WINNERS), encoding="utf-8")


if __name__ == "__main__":
    main()
