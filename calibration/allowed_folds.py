"""`python -m calibration.allowed_folds`: the cautious t with its allowance for learners that hardly learn.

Its interval always holds that of the cautious t, so that only cells are counted in which that missed too
often (`calibration.plain_folds`), those that tell its price in power, and worlds outside the grid that had no
part in choosing it. Resumable; `calibration.held_folds` writes the page.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.tolerances import TIE
from assay.estimates.folds import CAUTION
from assay.estimates.near_majority import HARDLY
from assay.hypotheses.resampled_scores import cautious_resampled_t
from assay.kernels.special import stdtrit
from assay.simulate.worlds.cross_validation import right_when_left_out
from assay.simulate.worlds.folds import Folds, by_split, read_design
from assay.simulate.worlds.learners import draw_items
from calibration import held_folds, plain_folds
from calibration.fold_grid import Cell, cells, counted, t_bounds, truths
from calibration.fold_worlds import CLASSES, POPULATIONS
from calibration.held_folds import jsonl_of
from calibration.plain_folds import FOLDS, ByFit, by_fit

RESULTS = Path(__file__).parent / "results" / "allowed_folds.json"
DOUBTED = 0.05
"""Misses of the cautious t, of two learners or of one, from which on a cell is counted here."""
POWER_FITS = 50
SAMPLES = 2000
"""Of a world outside the grid, and of a cell of `calibration.held_folds`."""
AT_ONCE = 50
"""Samples of another world that are answered together."""


def _ring(inner: float, outer: float, share: float = 0.5, features: int = 4) -> Callable[..., Any]:
    def drawn(n: int, rng: np.random.Generator) -> list[FloatArray]:
        target = (rng.random(n) < share).astype(np.float64)
        spread = np.where(target > 0.5, outer, inner)[:, None]
        return [*(spread * rng.standard_normal((n, features)) for _ in range(2)), target]

    return drawn


def _corners(n: int, rng: np.random.Generator) -> list[FloatArray]:
    """Classes in opposite corners, with noise: no line tells them apart."""
    views = [rng.standard_normal((n, 4)) for _ in range(2)]
    inside = views[0][:, 0] * views[0][:, 1] + 0.7 * rng.standard_normal(n)
    return [*views, (inside > 0.0).astype(np.float64)]


OUTSIDE = {
    "weak ring": _ring(1.0, 1.3),
    "strong ring": _ring(0.5, 2.0),
    "very strong ring": _ring(0.3, 1.5),
    "ring of 60 %": _ring(0.7, 1.5, 0.6),
    "ring, 2 features": _ring(0.7, 1.5, features=2),
    "ring, 10 features": _ring(0.7, 1.5, features=10),
    "opposite corners": _corners,
}
"""Worlds in which no line helps, drawn after the allowance was chosen."""


def outside() -> list[Cell]:
    return [Cell(world, "LDA", "naive Bayes", n) for world in OUTSIDE for n in (200, 2000)]


def in_doubt(plain: dict[str, Any]) -> list[Cell]:
    """Cells of classes in which the cautious t missed the difference, or one learner's loss, too often."""
    return [
        cell
        for cell in cells()
        if cell.population in CLASSES and cell.name in plain
        if max(plain[cell.name][who]["50"]["cautious"]["misses"] for who in ("two", "one"))
        > DOUBTED
    ]


def of_power() -> list[Cell]:
    """Cells that noise sets apart, and the same without noise; of numbers nothing is allowed for."""
    spoilt = [
        cell for cell in cells() if cell.noise and cell.a == cell.b and cell.population in CLASSES
    ]
    return [*dict.fromkeys(cell._replace(noise=0.0) for cell in spoilt), *spoilt]


def allowances(of: ByFit) -> list[FloatArray]:
    """Of both learners in every sample: the least standard deviation of training, as `near_majority` gives it."""
    found = []
    for values in (of.a, of.b):
        value, reach = t_bounds(values, CAUTION / (FOLDS - 1))
        near = value + reach >= (1.0 - HARDLY) * of.guess
        constant = np.abs(value - of.guess) <= TIE
        found.append(np.where(near & ~constant, HARDLY * of.guess, 0.0))
    return found


def answers(values: FloatArray, truth: float, hidden: FloatArray) -> dict[str, Any]:
    """What is counted of the corrected and the cautious t, and of the latter with its allowance."""
    splits = values.shape[1]
    value, reach = t_bounds(values, CAUTION / (FOLDS - 1))
    wide = np.where(
        reach > 1e-12, np.hypot(reach, float(stdtrit(splits - 1, 0.975)) * hidden), reach
    )
    interval = cautious_resampled_t(values[0], folds=FOLDS, training_sd=hidden[0]).effect.interval
    if interval and not np.isclose(interval.high - value[0], wide[0]):
        raise AssertionError(f"{interval} in public, ± {wide[0]} here")
    return {
        "corrected": counted(*t_bounds(values, 1.0 / (FOLDS - 1)), truth),
        "cautious": counted(value, reach, truth),
        "allowed": counted(value, wide, truth),
    }


def measured(cell: Cell, samples: int, prices: tuple[int, ...]) -> dict[str, Any]:
    every = by_fit(cell, samples, max(prices))
    difference, loss = truths(cell, 1.0 - 1.0 / FOLDS)
    found: dict[str, Any] = {"replicates": samples, "two": {}, "one": {}}
    for price in prices:
        of = ByFit(every.a[:, :price], every.b[:, :price], every.guess)
        a, b = allowances(of)
        found["two"][str(price)] = answers(of.a - of.b, difference, np.hypot(a, b))
        found["one"][str(price)] = answers(of.a, loss, a)
        found["allowed"] = float((np.hypot(a, b) > 0.0).mean())
    return found


def asked(plain: dict[str, Any]) -> dict[Cell, tuple[int, tuple[int, ...]]]:
    """By cell: how many samples, and at which prices."""
    doubted = dict.fromkeys(in_doubt(plain), plain_folds.PRICES)
    priced = {cell: (POWER_FITS,) for cell in of_power() if cell not in doubted}
    found = {
        cell: (cell.replicates, tuple(one for one in prices if one <= most(cell)))
        for cell, prices in {**doubted, **priced}.items()
    }
    return {**found, **dict.fromkeys(outside(), (SAMPLES, (POWER_FITS,)))}


def most(cell: Cell) -> int:
    return max(price for price in plain_folds.prices(cell) if price in plain_folds.PRICES)


def elsewhere() -> list[held_folds.Cell]:
    """Cells of `calibration.held_folds` with a power of 0.5 to 0.9, and the same without a difference."""
    from calibration.held_folds_page import in_between

    kept = json.loads(held_folds.RESULTS.read_text())
    unequal = [cell for cell in held_folds.cells() if cell.effect > 0.0 and cell.name in kept]
    found = in_between(kept, unequal)
    return [*dict.fromkeys(cell._replace(effect=0.0) for cell in found), *found]


def measured_elsewhere(cell: held_folds.Cell) -> dict[str, Any]:
    """The same of one of these cells, at 50 fits, from fresh samples."""
    rng = np.random.default_rng([25, cell.n, *cell.name.encode()])
    world = Folds(learners=cell.learner, population=cell.population, effect=cell.effect)
    design, parts = read_design("10x5-fold"), []
    for _ in range(SAMPLES // AT_ONCE):
        features, truth = draw_items(cell.population, AT_ONCE * cell.n, rng)
        truth = truth.reshape(AT_ONCE, cell.n)
        owner = design.draw_owners(AT_ONCE, cell.n, rng)
        losses = [
            1.0
            - by_split(
                right_when_left_out(cell.learner, view, truth, owner, FOLDS, rng), owner, FOLDS
            )
            for view in world.seen(features.reshape(AT_ONCE, cell.n, -1), rng)
        ]
        ones = truth.mean(axis=1)
        parts.append(ByFit(losses[0], losses[1], np.minimum(ones, 1.0 - ones)))
    of = ByFit(*(np.concatenate(one) for one in zip(*parts, strict=True)))
    a, b = allowances(of)
    counted_here = answers(of.a - of.b, 0.0, np.hypot(a, b))
    return {
        "replicates": len(of.guess), "allowed": float((np.hypot(a, b) > 0.0).mean()),
        "two": {str(POWER_FITS): counted_here},
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.allowed_folds", description=__doc__)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    only = parser.parse_args().only
    CLASSES.update(OUTSIDE)
    POPULATIONS.update(OUTSIDE)
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for cell, (samples, prices) in asked(json.loads(plain_folds.RESULTS.read_text())).items():
        had = kept.get(cell.name, {"replicates": 0})["replicates"]
        if had >= samples or only not in cell.name:
            continue
        begun = time.process_time()
        kept[cell.name] = measured(cell, samples, prices)
        RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
        said = {
            test: [kept[cell.name][who][str(prices[-1])][test]["misses"] for who in ("two", "one")]
            for test in ("cautious", "allowed")
        }
        print(f"{cell.name}: {time.process_time() - begun:.0f} s {said}", flush=True)
    for other in elsewhere():
        if other.name not in kept and only in other.name:
            kept[other.name] = measured_elsewhere(other)
            RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
            print(other.name, flush=True)


if __name__ == "__main__":
    main()
