"""`python -m calibration.fold_sizes`: the candidates of several sizes, on the samples of `calibration.fold_candidates`.

Subsamples whose rate is estimated, a learning curve extrapolated, and the items of one run of ten
folds: each by its public method, in the same cells and samples as the other candidates, beside whose
figures theirs are kept. Resumable; docs/folds.md has the figures.
"""

import argparse
import json
import time
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.results import TestOutcome
from assay.hypotheses.training_sizes import extrapolated_t, subsampling_t
from assay.kernels.special import ndtri
from calibration.fold_candidates import CELLS, RESULTS, apart, dealt
from calibration.fold_grid import Cell, counted, truths
from calibration.fold_worlds import deal
from calibration.held_folds import jsonl_of

CUTS = 2
"""Times that the items are cut into parts of each size; the smallest parts come from one cut."""
PARTS = (2, 4, 8)
FEW_PARTS = (2, 3, 4)
"""The same of fewer than 100 items, an eighth of which has no five folds."""
TWO_SIZES = "subsamples of two sizes, rate estimated (45)"
SUBSAMPLED = "subsamples of three sizes, rate estimated (105)"
INVERSE = "learning curve of three sizes, line in 1/size (70)"
POWER = "learning curve of three sizes, power law (70)"
ITEMS = "confidence set of two models, items of 10 folds (10)"
NAMES = (TWO_SIZES, SUBSAMPLED, INVERSE, POWER, ITEMS)
SHARES = (0.8, 0.8, 0.8, 0.8, 0.9)
"""The share of the items that each speaks of training on."""


class SizeSplits(NamedTuple):
    train: FloatArray  # (fits, n)
    test: FloatArray
    parts: IntArray  # (subsamples,): into how many parts the items were cut
    first_cut: BoolArray  # (subsamples,): whether of the first cut into so many
    tens: IntArray  # (n,): the fold of every item in one run of ten


@lru_cache(maxsize=64)
def size_splits(n: int, ones: int | None) -> SizeSplits:
    """Five fits of all the items, ten of ten folds, and five within every part of every cut."""
    rng = np.random.default_rng([n, 78, 0 if ones is None else ones + 1])
    classes = ones is not None
    target = (np.arange(n) >= n - (ones or 0)).astype(np.float64)
    fives = deal(target, 5, rng, classes=classes)
    tens = deal(target, 10, rng, classes=classes)
    tests: list[BoolArray] = [fives == fold for fold in range(5)]
    tests += [tens == fold for fold in range(10)]
    trains = [~test for test in tests]
    sizes: list[int] = []
    first: list[bool] = []
    for parts in PARTS if n >= 100 else FEW_PARTS:
        for cut in range(1 if parts == PARTS[-1] else CUTS):
            of = deal(target, parts, rng, classes=classes)
            for part in range(parts):
                mine, inner = of == part, np.full(n, -1)
                inner[mine] = deal(target[mine], 5, rng, classes=classes)
                tests += [inner == fold for fold in range(5)]
                trains += [mine & (inner != fold) for fold in range(5)]
                sizes.append(parts)
                first.append(cut == 0)
    train, test = (np.array(rows, dtype=np.float64) for rows in (trains, tests))
    return SizeSplits(train, test, np.array(sizes), np.array(first), tens)


def answers(found: FloatArray, splits: SizeSplits) -> list[tuple[float, float]]:
    """Of one sample and each candidate: the middle of its interval and its reach, 0 where it has none."""
    n = found.shape[1]
    by_fit = (splits.test * found).sum(axis=1) / splits.test.sum(axis=1)
    parts = by_fit[15:].reshape(-1, 5).mean(axis=1)
    sizes = n / splits.parts
    once, mean = splits.first_cut, float(by_fit[:5].mean())
    most = np.sort(np.unique(splits.parts))[
        :2
    ]  # both cuts into the largest parts, one into the next
    large = (splits.parts == most[0]) | (once & (splits.parts == most[1]))
    public = [
        subsampling_t(parts[large], sizes[large], n, mean=mean),
        subsampling_t(parts, sizes, n, mean=mean),
        extrapolated_t(parts[once], 0.8 * sizes[once], round(0.8 * n)),
        extrapolated_t(parts[once], 0.8 * sizes[once], round(0.8 * n), variant="power"),
    ]
    tested = found[5 + splits.tens, np.arange(n)]
    return [*map(_middle, public), items_of_folds(tested, splits.tens)]


def _middle(outcome: TestOutcome) -> tuple[float, float]:
    interval = outcome.effect.interval
    if interval is None:
        return float(outcome.effect.value or 0.0), 0.0
    return (interval.low + interval.high) / 2.0, (interval.high - interval.low) / 2.0


def items_of_folds(differences: FloatArray, folds: IntArray) -> tuple[float, float]:
    """What `cv_confidence_set` leaves of two models at 97.5 %, its draws many: each side tests one of them."""
    counts = np.bincount(folds)
    within = differences - (np.bincount(folds, weights=differences) / counts)[folds]
    error = np.sqrt((within**2).sum() / (differences.size - 1) / differences.size)
    return float(differences.mean()), float(ndtri(0.975) * error)


def measured(cell: Cell, samples: int) -> dict[str, Any]:
    """By how folds were dealt and candidate: what is counted of the others too."""
    found: dict[str, list[list[tuple[float, float]]]] = {}
    for ways in dealt(cell, samples):
        for how, (views, target, ones) in ways.items():
            splits = size_splits(cell.n, ones)
            gaps = apart(cell, views, target, splits.train, splits.test)
            found.setdefault(how, []).append(answers(gaps, splits))
    return {
        how: {
            name: counted(bounds[:, 0], bounds[:, 1], truths(cell, share)[0])
            for name, share, bounds in zip(
                NAMES, SHARES, np.array(rows).transpose(1, 0, 2), strict=True
            )
        }
        for how, rows in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.fold_sizes", description=__doc__)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text())
    for cell in CELLS:
        ways = kept.get(cell.name, {})
        lacks = any(not set(NAMES) <= set(way["candidates"]) for way in ways.values())
        if not lacks or chosen.only not in cell.name:
            continue
        begun = time.process_time()
        samples = next(iter(ways.values()))["replicates"]
        for how, found in measured(cell, samples).items():
            ways[how]["candidates"].update(found)
        RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
        said = [
            found[name]["misses"] for found in [ways["by chance"]["candidates"]] for name in NAMES
        ]
        print(f"{cell.name}: {time.process_time() - begun:.0f} s {said}", flush=True)


if __name__ == "__main__":
    main()
