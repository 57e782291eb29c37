"""`python -m calibration.fold_candidates`: what else was tried where tests of two algorithms fail.

Variances of a difference, most of them at 50 to 60 fits, on folds dealt by chance and on stratified
ones, in the cells of `calibration.fold_grid` that failed there and in some that did not, for power.
Of each: how often its interval misses the true difference, how often it calls the two different, and
by how much its interval would have to be stretched to miss 5 %. Resumable; docs/folds.md has the figures.
"""

import argparse
import json
import time
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.kernels.special import ndtri, stdtrit
from calibration.fold_grid import Bounds, Cell, counted, truths
from calibration.fold_worlds import deal, draw, is_classes, losses
from calibration.held_folds import jsonl_of

RESULTS = Path(__file__).parent / "results" / "fold_candidates.json"
REPEATS, PAIRED, HALVES, QUARTERS, BOOTSTRAPS = 10, 4, 5, 2, 10
"""Repeats of five folds, those of them whose pairs of folds are left out too, cuts into halves and into
quarters, and bootstrap samples."""
FIVES = 5 * REPEATS
PAIRS = FIVES + 10 * PAIRED
TENS = PAIRS + 10
TEN_PAIRS = TENS + 45
HALF = TEN_PAIRS + 10 * HALVES
QUARTER = HALF + 20 * QUARTERS
CELLS = {
    Cell("ring", "LDA", "naive Bayes", 2000): 300,
    Cell("ring", "LDA", "naive Bayes", 2000, 6.608): 1000,
    Cell("ring", "LDA", "naive Bayes", 200): 1000,
    Cell("ring", "LDA", "naive Bayes", 50): 600,
    Cell("ring", "LDA", "LDA", 2000): 400,
    Cell("ring", "ridge", "ridge", 2000): 300,
    Cell("ring", "ridge", "ridge", 200): 500,
    Cell("rare class", "ridge", "ridge", 200, 1.5): 1000,
    Cell("rare class", "ridge", "ridge", 200, 0.7): 1000,
    Cell("rare class", "ridge", "ridge", 200): 1000,
    Cell("rare class", "naive Bayes", "naive Bayes", 50): 1000,
    Cell("gaussians", "ridge", "ridge", 200, 1.5): 500,
    Cell("gaussians", "ridge", "ridge", 200): 500,
    Cell("linear", "ridge", "ridge", 200, 1.5): 500,
    Cell("linear", "ridge", "ridge", 200, 0.7): 500,
    Cell("linear", "ridge", "ridge", 200): 500,
    Cell("gaussians", "1-NN", "1-NN", 50): 400,
    Cell("gaussians", "stump", "stump", 50): 400,
    Cell("ring", "stump", "stump", 50): 400,
    Cell("gaussians", "1-NN", "1-NN", 200): 200,
    Cell("gaussians", "1-NN", "1-NN", 200, 1.5): 200,
    Cell("linear", "1-NN", "1-NN", 200): 200,
}
"""Samples of each cell."""


class Splits(NamedTuple):
    train: FloatArray  # (fits, n)
    test: FloatArray
    fives: IntArray  # (repeats, n): the fold of every item
    tens: IntArray


@lru_cache(maxsize=64)
def splits_of(n: int, ones: int | None) -> Splits:
    """All fits of a sample; stratified where the number of ones, which come last, is given."""
    rng = np.random.default_rng([n, 77, 0 if ones is None else ones + 1])
    classes = ones is not None
    target = (np.arange(n) >= n - (ones or 0)).astype(np.float64)
    fives = np.stack([deal(target, 5, rng, classes=classes) for _ in range(REPEATS)])
    tens = deal(target, 10, rng, classes=classes)
    tests: list[BoolArray] = [owner == fold for owner in fives for fold in range(5)]
    tests += [(owner == i) | (owner == j) for owner in fives[:PAIRED] for i, j in _pairs(5)]
    tests += [tens == fold for fold in range(10)]
    tests += [(tens == i) | (tens == j) for i, j in _pairs(10)]
    trains = [~test for test in tests]
    for parts in (2,) * HALVES + (4,) * QUARTERS:
        cut = deal(target, parts, rng, classes=classes)
        for part in range(parts):
            mine, inner = cut == part, np.full(n, -1)
            inner[mine] = deal(target[mine], 5, rng, classes=classes)
            tests += [inner == fold for fold in range(5)]
            trains += [mine & (inner != fold) for fold in range(5)]
    train, test = (np.array(rows, dtype=np.float64) for rows in (trains, tests))
    for owner in fives:  # drawn again with all its copies on one side of a split
        times = rng.multinomial(n, np.full(n, 1.0 / n))
        held = np.array([times * (owner == fold) for fold in range(5)], dtype=np.float64)
        train, test = np.vstack([train, times - held]), np.vstack([test, held])
    return Splits(train, test, fives, tens)


def _pairs(folds: int) -> list[tuple[int, int]]:
    return list(combinations(range(folds), 2))


class Sums(NamedTuple):
    """What the candidates need of a sample's differences; of many samples with a dimension in front."""

    fives: FloatArray
    """Means by split, repeat after repeat."""
    tens: FloatArray
    halves: FloatArray
    """(pairs, 2): means over the five splits within each half."""
    without_ten: FloatArray
    """The cross-validated mean of the sample without each of ten folds."""
    without_five: FloatArray
    """The same of five folds, by repeat."""
    disagreeing: FloatArray
    """Mean size of an item's difference, which of classes is the share of items that differ."""
    quarters: FloatArray
    """(cuts, 4): means over the five splits within each quarter."""
    bootstraps: FloatArray
    """The cross-validated mean of every bootstrap sample."""

    @staticmethod
    def of(found: FloatArray, splits: Splits) -> "Sums":
        by_split = (splits.test * found).sum(axis=1) / splits.test.sum(axis=1)
        item = np.arange(found.shape[1])
        starts = [FIVES + 10 * repeat for repeat in range(PAIRED)]
        return Sums(
            fives=by_split[:FIVES],
            tens=by_split[PAIRS:TENS],
            halves=by_split[TEN_PAIRS:HALF].reshape(HALVES, 2, 5).mean(axis=2),
            without_ten=_without(found[TENS:], splits.tens, 10),
            without_five=np.stack(
                [
                    _without(found[start:], owner, 5)
                    for start, owner in zip(starts, splits.fives, strict=False)
                ]
            ),
            disagreeing=np.abs(found[splits.fives[0], item]).mean(),
            quarters=by_split[HALF:QUARTER].reshape(QUARTERS, 4, 5).mean(axis=2),
            bootstraps=by_split[QUARTER:].reshape(BOOTSTRAPS, 5).mean(axis=1),
        )


def _without(found: FloatArray, owner: IntArray, folds: int) -> FloatArray:
    """Leave out a fold and cross-validate the rest: the fit without i and j tests i where j is out."""
    totals = np.zeros((folds, folds))
    for fit, (i, j) in enumerate(_pairs(folds)):
        totals[i, j], totals[j, i] = found[fit, owner == i].sum(), found[fit, owner == j].sum()
    return np.asarray(totals.sum(axis=0) / (owner.size - np.bincount(owner, minlength=folds)))


def dealt(
    cell: Cell, samples: int
) -> Iterator[dict[str, tuple[list[FloatArray], FloatArray, int | None]]]:
    """Of every sample, by how folds are dealt: both views, the target, and the ones of sorted classes."""
    rng = np.random.default_rng([20, *cell.name.encode()])
    classes = is_classes(cell.population)
    for _ in range(samples):
        first, second, target = draw(cell.population, cell.n, cell.noise, rng)
        order = np.argsort(target, kind="stable") if classes else np.arange(cell.n)
        views = [view[order] for view in (first, second if cell.two_views else first)]
        target = target[order]
        shuffled = rng.permutation(cell.n)
        found: dict[str, tuple[list[FloatArray], FloatArray, int | None]] = {}
        found["by chance"] = ([view[shuffled] for view in views], target[shuffled], None)
        if classes:
            found["stratified"] = (views, target, int(target.sum()))
        yield found


def apart(
    cell: Cell, views: list[FloatArray], target: FloatArray, train: FloatArray, test: FloatArray
) -> FloatArray:
    """By how much the first learner loses more than the second, by fit and item."""
    a, b = (
        losses(learner, view, target, train, test, classes=is_classes(cell.population))
        for learner, view in zip((cell.a, cell.b), views, strict=True)
    )
    return a - b


def gathered(cell: Cell, samples: int) -> dict[str, Sums]:
    """By how folds were dealt: the sums of every sample, both from the same samples."""
    found: dict[str, list[Sums]] = {}
    for ways in dealt(cell, samples):
        for how, (views, target, ones) in ways.items():
            splits = splits_of(cell.n, ones)
            gaps = apart(cell, views, target, splits.train, splits.test)
            found.setdefault(how, []).append(Sums.of(gaps, splits))
    return {
        how: Sums(*(np.stack(part) for part in zip(*sums, strict=True)))
        for how, sums in found.items()
    }


def candidates(of: Sums, n: int) -> dict[str, tuple[float, Bounds]]:
    """By name with its fits: the share trained on, and every sample's estimate and reach.

    Of halves and quarters: variances fall as n to the power of minus a rate, 1 for learners that settle
    and 0 for those that do not, which the two sizes tell (Politis and Romano).
    """
    mean, spread = of.fives.mean(axis=1), of.fives.var(axis=1, ddof=1)
    corrected, cautious = spread * (1 / 50 + 0.25), spread * (1 / 50 + 0.5)
    once, some = of.fives[:, :5].mean(axis=1), of.fives[:, :20].mean(axis=1)
    half = (np.diff(of.halves, axis=2)[..., 0] ** 2).mean(axis=1) / 2.0
    ten = 0.9 * _squares(of.without_ten)
    five = 0.8 * _squares(of.without_five).mean(axis=1)
    few = of.fives[:, :25].var(axis=1, ddof=1) * (1 / 25 + 0.5)
    three = (np.diff(of.halves[:, :3], axis=2)[..., 0] ** 2).mean(axis=1) / 2.0
    drawn = of.bootstraps.var(axis=1, ddof=1)
    quarter = of.quarters.var(axis=2, ddof=1).mean(axis=1)
    rate = np.clip(np.log2(np.maximum(quarter, 1e-12) / np.maximum(half, 1e-12)), 0.0, 1.0)
    told_apart = (n * of.disagreeing + 4.0) / n**2
    z = float(ndtri(0.975))

    def t(df: int) -> float:
        return float(stdtrit(df, 0.975))

    def reach(value: FloatArray, critical: float, variance: FloatArray) -> Bounds:
        return value, critical * np.sqrt(variance)

    return {
        "corrected t, 10 x 5 folds (50)": (0.8, reach(mean, t(49), corrected)),
        "cautious t, 10 x 5 folds (50)": (0.8, reach(mean, t(49), cautious)),
        "cautious t, never below 4 items of difference (50)": (
            0.8,
            reach(mean, t(49), np.maximum(cautious, told_apart)),
        ),
        "five pairs of disjoint halves, z (55)": (0.8, reach(once, z, half)),
        "five pairs of disjoint halves, t of 5 (55)": (0.8, reach(once, t(5), half)),
        "half-sample jackknife, z (55)": (0.8, reach(once, z, half / 2.0)),
        "half-sample jackknife, t of 5 (55)": (0.8, reach(once, t(5), half / 2.0)),
        "delete-a-fold jackknife, 10 folds, z (55)": (0.9, reach(of.tens.mean(axis=1), z, ten)),
        "delete-a-fold jackknife, 10 folds, t of 9 (55)": (
            0.9,
            reach(of.tens.mean(axis=1), t(9), ten),
        ),
        "delete-a-fold jackknife, 4 x 5 folds, z (60)": (0.8, reach(some, z, five)),
        "delete-a-fold jackknife, 4 x 5 folds, t of 8 (60)": (0.8, reach(some, t(8), five)),
        "bootstrap with 5 folds inside, 10 samples, t of 9 (55)": (0.8, reach(once, t(9), drawn)),
        "halves and quarters, rate estimated, t of 5 (95)": (
            0.8,
            reach(once, t(5), half / 2.0**rate),
        ),
        "larger of cautious t, 5 x 5, and 3 pairs of halves (55)": (
            0.8,
            reach(of.fives[:, :25].mean(axis=1), t(24), np.maximum(few, three)),
        ),
    }


def _squares(values: FloatArray) -> FloatArray:
    return np.asarray(((values - values.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1))


def measured(cell: Cell, samples: int) -> dict[str, Any]:
    """By how folds were dealt and candidate: what is counted, and the stretch that would miss 5 %."""
    return summed(cell, gathered(cell, samples))


def summed(cell: Cell, sums: dict[str, Sums]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for how, of in sums.items():
        found[how] = {"replicates": len(of.fives), "candidates": {}}
        for name, (share, (value, reach)) in candidates(of, cell.n).items():
            found[how]["candidates"][name] = counted(value, reach, truths(cell, share)[0])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.fold_candidates", description=__doc__)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for cell, samples in CELLS.items():
        if cell.name in kept or chosen.only not in cell.name:
            continue
        begun = time.process_time()
        kept[cell.name] = measured(cell, samples)
        RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
        print(f"{cell.name}: {time.process_time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
