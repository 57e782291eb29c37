"""The world of folds: two exchangeable learners, cross-validated; every answer by the public methods.

No promise is possible here (no unbiased variance of cross-validation exists): the level is measured
and published, cell by cell.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from assay.core.results import TestOutcome
from assay.hypotheses.resampled_scores import (
    alpaydin_5x2_f,
    corrected_resampled_t,
    dietterich_5x2_t,
    kfold_paired_t,
)
from assay.simulate.calibration.cells import ALPHAS, Found, Job, Table, at_alpha
from assay.simulate.worlds.folds import Folds

Generator = np.random.Generator
PARAMETERS = ("learner", "population", "design", "n")
SECONDS = {"centroid": 0.02, "logistic": 0.1, "one-nn-half-features": 0.1}
"""Roughly, 100 splits of 200 items; a tree takes six times as long as the slowest."""
AT_MOST = 2000


def fold_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per cell, in batches of a few seconds."""
    world = worlds["folds"]
    jobs = []
    for design, n, population, learner in product(
        world["design"], world["n"], world["population"], world["learners"]
    ):
        batch = _batch(learner, design, n)
        jobs.append(
            Job(
                name=f"folds {learner} {population} {design} n={n}",
                world="folds",
                run=partial(folds, learner, population, design, n),
                batch=batch,
                goal=max(10_000, 5 * batch),
            )
        )
    return jobs


def _batch(learner: str, design: str, n: int) -> int:
    splits = 100 if design.startswith("10x10") else 12
    slow = SECONDS.get(learner, 0.6) * splits / 100.0 * max(n / 200.0, 0.5)
    return int(np.clip(3.0 / slow, 30, AT_MOST))


def folds(
    learner: Any, population: Any, design: str, n: int, rng: Generator, replicates: int
) -> list[Found]:
    """The corrected t and, where the design is theirs, the 5x2 tests; the naive t for comparison."""
    world = Folds(learners=learner, population=population, design=design)
    drawn = world.draw(replicates, n, rng, takes="pairs")
    how = world.options(("folds", "test_share"), "pairs", n=n)
    methods: dict[str, Callable[[Any, Any], TestOutcome]] = {
        "corrected_resampled_t": lambda a, b: corrected_resampled_t(a, b, **how),
        "kfold_paired_t": kfold_paired_t,
    }
    if design == "5x2":
        methods["dietterich_5x2_t"] = lambda a, b: dietterich_5x2_t((a - b).reshape(5, 2))
        methods["alpaydin_5x2_f"] = lambda a, b: alpaydin_5x2_f((a - b).reshape(5, 2))
    found = []
    for name, method in methods.items():
        p = [method(a, b).p_value for a, b in zip(drawn["a"], drawn["b"], strict=True)]
        table = Table(
            procedure=name, answers="compare", world="folds", measure="accuracy", unit="fold",
            parameters=PARAMETERS,
        )  # fmt: skip
        counts = {
            at_alpha("level", alpha): float(sum(one is not None and one <= alpha for one in p))
            for alpha in ALPHAS
        }
        counts["undefined"] = float(sum(one is None for one in p))
        at = (learner, population, design, n)
        found.append(Found(table=table, at=at, replicates=replicates, counts=counts))
    return found
