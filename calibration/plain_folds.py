"""`python -m calibration.plain_folds`: the t of repeated five folds by price, dealt without regard to class.

The cells of `calibration.fold_grid`. There folds are stratified; here every item goes to a fold by
chance alone, so that what is tested is independent of what is trained on. One sample is answered at
every price: 10 fits are its first two repeats, 100 its first twenty. Resumable; `calibration.held_folds`
writes the page.
"""

import argparse
import json
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.estimates.folds import CAUTION
from assay.hypotheses.resampled_scores import (
    cautious_resampled_t,
    corrected_resampled_t,
)
from calibration.fold_grid import COSTS, Cell, cells, counted, t_bounds, truths
from calibration.fold_worlds import deal, draw, is_classes, losses
from calibration.held_folds import jsonl_of

RESULTS = Path(__file__).parent / "results" / "plain_folds.json"
PRICES = (10, 25, 50, 100)
DEAREST = 500
"""Fits of equal learners on 50 or 200 items, dear learners excepted."""
FOLDS = 5
TESTS = {"corrected": (1.0, corrected_resampled_t), "cautious": (CAUTION, cautious_resampled_t)}
_ORDER = ("cheap", "middling", "dear")


def prices(cell: Cell) -> tuple[int, ...]:
    """Fits at which a cell is answered: up to 100, of small samples of equal learners up to 500, of dear ones less."""
    cost = _cost(cell)
    if cell.n > 200:
        return PRICES if cost == "cheap" else PRICES[:-1]
    return (*PRICES, DEAREST) if cell.equal and cost != "dear" else PRICES


def ordered(kept: dict[str, Any]) -> list[Cell]:
    """What has the smallest part of its samples comes first, and of those the cheapest."""

    def lacking(cell: Cell) -> tuple[float, int]:
        had = kept.get(cell.name, {"replicates": 0})["replicates"]
        return had / cell.replicates, _ORDER.index(_cost(cell))

    return sorted(cells(), key=lacking)


def _cost(cell: Cell) -> str:
    return max((COSTS[cell.a], COSTS[cell.b]), key=_ORDER.index)


@lru_cache(maxsize=8)
def left_out_by(n: int, fits: int) -> FloatArray:
    """Which items every fit leaves out, (fits, n): dealt once, for items come in no order."""
    rng = np.random.default_rng([n, 23])
    owners = [deal(np.zeros(n), FOLDS, rng, classes=False) for _ in range(fits // FOLDS)]
    return np.array([owner == fold for owner in owners for fold in range(FOLDS)], dtype=np.float64)


class ByFit(NamedTuple):
    """Of every sample (samples, fits): what both learners lose on the items each fit left out."""

    a: FloatArray
    b: FloatArray
    guess: FloatArray
    """(samples,): what always answering the most frequent class loses; of numbers infinite."""


def by_fit(cell: Cell, samples: int, fits: int | None = None) -> ByFit:
    """What both learners lose; with as many fits as the dearest price has unless told."""
    rng = np.random.default_rng([24, samples, *cell.name.encode()])
    classes = is_classes(cell.population)
    left_out = left_out_by(cell.n, fits or max(prices(cell)))
    found: list[tuple[FloatArray, FloatArray, float]] = []
    for _ in range(samples):
        first, second, target = draw(cell.population, cell.n, cell.noise, rng)
        views = (first, second if cell.two_views else first)
        a, b = (
            np.einsum(
                "fi,fi->f",
                left_out,
                losses(learner, view, target, 1.0 - left_out, left_out, classes=classes),
            )
            / left_out.sum(axis=1)
            for learner, view in zip((cell.a, cell.b), views, strict=True)
        )
        ones = float(target.mean())
        found.append((a, b, min(ones, 1.0 - ones) if classes else np.inf))
    return ByFit(*(np.array(part) for part in zip(*found, strict=True)))


def measured(cell: Cell, samples: int) -> dict[str, Any]:
    """Of each price and test what `calibration.fold_grid.counted` counts, of two learners and of one."""
    one, other, _ = by_fit(cell, samples)
    two = one - other
    difference, loss = truths(cell, 1.0 - 1.0 / FOLDS)
    return {
        "replicates": len(two),
        "two": {str(price): _answers(two[:, :price], difference) for price in prices(cell)},
        "one": {str(price): _answers(one[:, :price], loss) for price in prices(cell)},
    }


def _done(one: dict[str, Any] | None, cell: Cell, samples: int) -> bool:
    """Whether a cell has so many samples, answered at every price."""
    if one is None or one["replicates"] < samples:
        return False
    return all(str(price) in one["two"] for price in prices(cell))


def _answers(values: FloatArray, truth: float) -> dict[str, Any]:
    found = {}
    for name, (caution, method) in TESTS.items():
        value, reach = t_bounds(values, caution / (FOLDS - 1))
        interval = method(values[0], folds=FOLDS).effect.interval
        if interval and not np.isclose(interval.high - value[0], reach[0]):
            raise AssertionError(f"{method.__name__}: {interval} in public, ± {reach[0]} here")
        found[name] = counted(value, reach, truth)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.plain_folds", description=__doc__)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    parser.add_argument("--minutes", type=float, default=np.inf, help="begin no cell after so many")
    parser.add_argument("--samples", type=int, help="so many of each cell, with fresh seeds")
    parser.add_argument("--cost", choices=_ORDER, help="learners that cost so much")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    start = time.monotonic()
    for cell in ordered(kept):
        had = kept.get(cell.name, {"replicates": 0})["replicates"]
        samples = max(had, chosen.samples or cell.replicates)
        if chosen.cost and _cost(cell) != chosen.cost:
            continue
        if chosen.only not in cell.name or _done(kept.get(cell.name), cell, samples):
            continue
        if time.monotonic() - start > 60.0 * chosen.minutes:
            break
        begun = time.process_time()
        kept[cell.name] = measured(cell, samples)
        RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
        said = {
            who: [one["cautious"]["misses"] for one in kept[cell.name][who].values()]
            for who in ("two", "one")
        }
        print(f"{cell.name}: {time.process_time() - begun:.0f} s {said}", flush=True)


if __name__ == "__main__":
    main()
