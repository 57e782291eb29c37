"""`python -m calibration.model_sets`: what a confidence set of models by cross-validation leaves out.

All learners of `calibration.fold_worlds` that are cheap, each on both views of the items, so that the
best is never alone. Two questions are counted: whether the set lacks the model whose ten fitted
forms lose least on new items (what it promises), and whether it lacks the learner that is expected
to lose least over training sets. Resumable; `calibration.held_folds` writes the page.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from assay.hypotheses.confidence_sets import cv_confidence_set
from calibration.fold_grid import true_loss
from calibration.fold_grid_page import LIMIT, exceeds
from calibration.fold_worlds import CLASSES, NUMBERS, deal, draw, is_classes, losses
from calibration.held_folds import jsonl_of

RESULTS = Path(__file__).parent / "results" / "model_sets.json"
LEARNERS = ("ridge", "1-NN", "5-NN", "stump")
OF_CLASSES = ("LDA", "naive Bayes")
SIZES, SAMPLES = (50, 200), 500
FOLDS, NEW, DRAWS = 10, 1000, 1999
"""Folds, new items on which the fitted models are judged, and multiplier draws."""


def learners(population: str) -> tuple[str, ...]:
    return (*LEARNERS, *(OF_CLASSES if is_classes(population) else ()))


def measured(population: str, n: int, samples: int) -> dict[str, Any]:
    """Of so many samples the shares of sets that lack the best of either kind, and the models left."""
    rng = np.random.default_rng([30, n, *population.encode()])
    classes, every = is_classes(population), learners(population)
    expected = [true_loss(population, one, 0, 0.0, round(0.9 * n)) for one in every]
    lacks_learner = lacks_fitted = left = 0
    for sample in range(samples):
        *views, target = draw(population, n + NEW, 0.0, rng)
        folds = deal(target[:n], FOLDS, rng, classes=False)
        owner = np.concatenate([folds, np.full(NEW, -1)])
        inside = owner >= 0
        test = np.array([(owner == fold) | ~inside for fold in range(FOLDS)], dtype=np.float64)
        train = np.array([inside & (owner != fold) for fold in range(FOLDS)], dtype=np.float64)
        found = [
            losses(learner, view, target, train, test, classes=classes)
            for view in views
            for learner in every
        ]
        table = np.stack([one[folds, np.arange(n)] for one in found], axis=1)
        result = cv_confidence_set(table, folds, n_resamples=DRAWS, rng=sample)
        stays = [bool(dict(one.details)["in_set"]) for one in result.outcomes]
        fitted = int(np.argmin([one[:, n:].mean() for one in found]))
        lacks_fitted += not stays[fitted]
        lacks_learner += not stays[int(np.argmin(expected))]
        left += sum(stays)
    return {
        "replicates": samples,
        "models": 2 * len(every),
        "best": every[int(np.argmin(expected))],
        "lacks_fitted": lacks_fitted / samples,
        "lacks_learner": lacks_learner / samples,
        "left": left / samples,
    }


def section(kept: dict[str, Any]) -> str:
    """The section of docs/folds.md on sets of models."""
    if not kept:
        return ""
    rows = []
    for name, one in kept.items():
        population, n = name.rsplit(", ", 1)
        rows.append(
            f"| {population} | {int(n):,} | {one['replicates']:,} | {one['models']} | {one['left']:.1f} | "
            f"{one['lacks_fitted']:.1%} | {one['lacks_learner']:.1%} | {one['best']} |"
        )
    lacking = len(SIZES) * len((*CLASSES, *NUMBERS)) - len(kept)
    open_cells = f" Not yet measured: {lacking} cells." if lacking else ""
    beyond = [
        sum(exceeds(one[what], one["replicates"]) for one in kept.values())
        for what in ("lacks_fitted", "lacks_learner")
    ]
    fitted = [one["lacks_fitted"] for one in kept.values()]
    learner = [one["lacks_learner"] for one in kept.values()]
    return "\n".join(
        [
            "## Confidence sets of models\n",
            "`cv_confidence_set` (Lei 2020) leaves the models that are not rejected as the best, by the items of one "
            f"run of {FOLDS} folds. It takes {FOLDS} fits of each and any number of models. Here each learner stands "
            "twice, on either view of the items, so that the best is never alone. A 95 % set may lack the best in 5 % "
            f"of the samples (`python -m calibration.model_sets`). *best fitted*: of the models, the one whose {FOLDS} "
            f"fitted forms lose least on {NEW:,} new items, which is what the set promises. *best learner*: the one "
            "with the least expected loss over training sets.\n",
            "| population | items | samples | models | left in the set | lacks the best fitted | lacks the best "
            "learner | best learner |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
            *rows,
            "",
            f"The set lacks the best fitted model in {min(fitted):.1%} to {max(fitted):.1%} of the samples, and the "
            f"best learner in {min(learner):.1%} to {max(learner):.1%}. Beyond chance it is more than {LIMIT:.0%} in "
            f"{beyond[0]} and {beyond[1]} of {len(kept)} cells. So it is good for a first choice among many fitted "
            "models, at the price of one cross-validation. It does not say which learner is better over training "
            f"sets: that is the second question.{open_cells}\n",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.model_sets", description=__doc__)
    parser.add_argument("--only", default="", help="cells whose names hold this")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for n in SIZES:
        for population in (*CLASSES, *NUMBERS):
            name = f"{population}, {n}"
            if name in kept or chosen.only not in name:
                continue
            begun = time.process_time()
            kept[name] = measured(population, n, SAMPLES)
            RESULTS.write_text(jsonl_of(kept), encoding="utf-8")
            print(f"{name}: {time.process_time() - begun:.0f} s {kept[name]}", flush=True)


if __name__ == "__main__":
    main()
