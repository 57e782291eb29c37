"""`python -m calibration.held_folds`: what tests of two algorithms over folds do at a price in fits.

Two exchangeable learners (each sees its own view of the items) on known populations: every
rejection is an error. For power noise is added to what the second learner sees; the truth is the
expected difference at the training size used. Measures what is missing (resumable, one process) and
writes docs/folds.md; --publish writes from what there is, --only PART measures cells that hold it.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from assay.core.arrays import FloatArray
from assay.core.rng import stream
from assay.estimates.folds import CAUTION
from assay.hypotheses.resampled_scores import (
    cautious_resampled_t,
    corrected_resampled_t,
)
from assay.simulate.worlds.cross_validation import right_when_left_out
from assay.simulate.worlds.folds import FoldDesign, Folds, by_split, read_design
from assay.simulate.worlds.learners import (
    LEARNERS,
    POPULATIONS,
    LearnerName,
    Population,
    draw_items,
)
from calibration.designs.two_algorithms import EFFECTS, true_accuracies

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "held_folds.json"
BESIDE = ("fold_grid", "plain_folds", "fold_candidates", "allowed_folds", "model_sets")
"""Other results that the page is written from."""
DEFAULTS = HERE.parent / "src" / "assay" / "core" / "fold_budgets.json"
PAGE = HERE.parent / "docs" / "folds.md"
DESIGNS = (
    "2x5-fold", "10-fold", "5x5-fold", "10x5-fold", "5x10-fold", "25x2", "20x5-fold", "10x10-fold",
)  # fmt: skip
SIZES = {50: 2000, 200: 800, 1000: 200}
"""Items of a sample, and how many samples of equal learners are drawn."""
ALPHA = 0.05
AT_ONCE = 200_000


class Cell(NamedTuple):
    """Two learners on one population, and the spread of the noise that sets them apart."""

    learner: LearnerName
    population: Population
    n: int
    effect: float

    @property
    def name(self) -> str:
        return f"{self.learner} {self.population} {self.n} {self.effect:g}"

    @property
    def replicates(self) -> int:
        share = 0.25 if self.learner.startswith("tree") else 1.0
        return round(SIZES[self.n] * share * (1.0 if self.effect == 0.0 else 0.4))


def cells() -> list[Cell]:
    equal = [
        Cell(learner, population, n, 0.0)
        for n in SIZES
        for population in POPULATIONS
        for learner in LEARNERS
        if not (n == 1000 and learner.startswith("tree"))
    ]
    unequal = [
        Cell(learner, population, n, effect)
        for n in (50, 200)
        for population in POPULATIONS
        for learner in LEARNERS
        if not learner.startswith("tree")
        for effect in EFFECTS[population][2:]
    ]
    return [*equal, *unequal]


def drawn(cell: Cell) -> dict[str, FloatArray]:
    """Mean and variance of the differences by split, (samples, 2), for every design."""
    rng = np.random.default_rng([20, cell.n, round(1000 * cell.effect)])
    world = Folds(learners=cell.learner, population=cell.population, effect=cell.effect)
    found: dict[str, list[FloatArray]] = {name: [] for name in DESIGNS}
    step = max(1, min(100, AT_ONCE // (20 * cell.n)))
    for start in range(0, cell.replicates, step):
        samples = min(step, cell.replicates - start)
        features, truth = draw_items(cell.population, samples * cell.n, rng)
        truth = truth.reshape(samples, cell.n)
        views = world.seen(features.reshape(samples, cell.n, -1), rng)
        for name in DESIGNS:
            design = read_design(name)
            owner = design.draw_owners(samples, cell.n, rng)
            scored = [
                by_split(
                    right_when_left_out(cell.learner, view, truth, owner, design.tested, rng),
                    owner,
                    design.tested,
                )
                for view in views
            ]
            difference = (scored[0] - scored[1]).reshape(samples, -1)
            if start == 0:
                _check(difference, design)
            moments = [difference.mean(axis=1), difference.var(axis=1, ddof=1)]
            found[name].append(np.stack(moments, axis=1))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def statistics(moments: FloatArray, design: FoldDesign, caution: float, null: float) -> FloatArray:
    """|t| of every sample; 0 where all differences are equal, for the method has no answer there."""
    ratio = design.test_share / (1.0 - design.test_share)
    error = np.sqrt(moments[:, 1] * (1.0 / design.splits + caution * ratio))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error > 0.0, np.abs(moments[:, 0] - null) / error, 0.0)


def _check(difference: FloatArray, design: FoldDesign) -> None:
    """The batched form is that of the public methods."""
    moments = np.stack([difference.mean(axis=1), difference.var(axis=1, ddof=1)], axis=1)
    for caution, method in ((1.0, corrected_resampled_t), (CAUTION, cautious_resampled_t)):
        ours = statistics(moments, design, caution, 0.0)
        for row in range(min(3, len(difference))):
            theirs = method(difference[row], test_share=design.test_share).statistic
            if theirs is not None and not np.isclose(abs(theirs), ours[row]):
                raise AssertionError(
                    f"{method.__name__}: {theirs} in public, {ours[row]} in batches"
                )


def measured(cell: Cell) -> dict[str, Any]:
    """Of each design: how often both tests reject, their coverage, and the spread of the estimate."""
    found: dict[str, Any] = {"replicates": cell.replicates, "designs": {}}
    truths: dict[int, float] = {}
    for name, moments in drawn(cell).items():
        design = read_design(name)
        trained = round(cell.n * (1.0 - design.test_share))
        if trained not in truths:
            world = Folds(learners=cell.learner, population=cell.population, effect=cell.effect)
            a, b = (0.0, 0.0) if cell.effect == 0.0 else true_accuracies(world, trained, stream(7))
            truths[trained] = a - b
        one: dict[str, Any] = {"truth": truths[trained], "sd": float(moments[:, 0].std(ddof=1))}
        for title, caution in (("corrected", 1.0), ("cautious", CAUTION)):
            critical = stats.t.ppf(1.0 - ALPHA / 2.0, design.splits - 1)
            null, true = (statistics(moments, design, caution, at) for at in (0.0, truths[trained]))
            one[title] = {
                "rejects": float((null >= critical).mean()),
                "covers": float((true < critical).mean()),
            }
        quantiles = np.quantile(statistics(moments, design, 1.0, 0.0), np.linspace(0.01, 0.99, 99))
        one["quantiles"] = quantiles.round(4).tolist()
        found["designs"][name] = one
    return found


def jsonl_of(kept: dict[str, Any]) -> str:
    """JSON with a line for each cell."""
    cells_kept = ",\n".join(f"{json.dumps(name)}: {json.dumps(one)}" for name, one in kept.items())
    return f"{{\n{cells_kept}\n}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.held_folds", description=__doc__)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    parser.add_argument("--publish", action="store_true", help="measure nothing")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for cell in cells() if not chosen.publish else ():
        if chosen.only in cell.name and cell.name not in kept:
            begun = time.process_time()
            kept[cell.name] = measured(cell)
            RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
            said = {
                name: (one["corrected"]["rejects"], one["cautious"]["rejects"])
                for name, one in kept[cell.name]["designs"].items()
            }
            print(f"{cell.name}: {time.process_time() - begun:.0f} s {said}", flush=True)
    publish(kept)


def publish(kept: dict[str, Any]) -> None:
    """The page, its picture, and the table of defaults by price that assay plans by."""
    from calibration.figures import draw_folds
    from calibration.held_folds_page import page
    from calibration.plain_folds_page import prices

    paths = [RESULTS.with_name(f"{name}.json") for name in BESIDE]
    grid, plain, tried, allowed, sets = (
        json.loads(path.read_text()) if path.exists() else {} for path in paths
    )
    PAGE.write_text(page(kept, cells(), grid, plain, tried, allowed, sets), encoding="utf-8")
    draw_folds(grid, plain, allowed, PAGE.parent / "pictures" / "folds_levels.png")
    DEFAULTS.write_text(json.dumps(prices(plain), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
