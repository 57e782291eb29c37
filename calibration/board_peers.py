"""`python -m calibration.board_peers`: evalstats and bencheval themselves on some of the worlds of boards.

Needs both packages (`pip install evalstats bencheval`), which nothing else does. evalstats gives the
chance of every rank (`bootstrap_ranks`, its default): of each model the ranks between the 2.5 % and
97.5 % points are its set. bencheval gives intervals of Elo (`compute_elo_ratings_from_ranks`): of each
model the ranks that intervals which do not overlap leave to it.
"""

import json
import time
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.boards import PAGE, RESULTS, WINNERS, World, _seen, worlds

Bounds = tuple[NDArray[np.int64], NDArray[np.int64]]
REPLICATES = 200
ROUNDS = 300
CHOSEN = (
    "datasets 5 8 ties normal", "datasets 5 12 spread normal", "datasets 10 20 ties normal",
    "datasets 10 20 near-ties normal", "datasets 10 50 spread normal", "datasets 20 50 spread heavy",
    "items 5 100 ties correlated", "items 10 200 near-ties correlated", "items 10 200 spread correlated",
    "items 10 200 groups clones",
)  # fmt: skip


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


def measured(world: World) -> dict[str, Any]:
    truth = world.abilities
    ranks = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    found: dict[str, Any] = {"replicates": REPLICATES}
    for name, procedure in (("evalstats", by_evalstats), ("bencheval", by_bencheval)):
        begun = time.process_time()
        seen = [
            _seen(
                *procedure(
                    world.drawn(np.random.default_rng([17, place, world.k, world.n])), place
                ),
                ranks,
            )
            for place in range(REPLICATES)
        ]
        covered, size, single = np.mean(seen, axis=0).tolist()
        spent = (time.process_time() - begun) / REPLICATES
        found[name] = {"covered": covered, "size": size, "single": single, "seconds": spent}
    return found


def main() -> None:
    from calibration.boards_page import page

    kept: dict[str, Any] = json.loads(RESULTS.read_text())
    peers = kept.setdefault("peers", {"worlds": {}})
    peers["versions"] = {name: version(name) for name in ("evalstats", "bencheval")}
    for world in worlds():
        if world.name in CHOSEN and world.name not in peers["worlds"]:
            peers["worlds"][world.name] = measured(world)
            print(world.name, json.dumps(peers["worlds"][world.name]), flush=True)
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(kept, list(worlds()), WINNERS), encoding="utf-8")


if __name__ == "__main__":
    main()
