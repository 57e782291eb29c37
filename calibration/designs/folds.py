"""The world of folds: two exchangeable learners, cross-validated; p-values of many samples at once.

No promise is possible here (no unbiased variance of cross-validation exists): the level is measured
and published, cell by cell. Some samples of each batch go through the public methods too.
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
from assay.kernels.special import fdtrc, stdtr
from assay.simulate.worlds.folds import FoldDesign, Folds, read_design
from calibration.designs.cells import ALPHAS, FloatArray, Found, Job, Table, at_alpha
from calibration.designs.means import CHECKED, Disagreement

Generator = np.random.Generator
PARAMETERS = ("learner", "population", "design", "n")
MICROSECONDS = {
    "centroid": (50.0, 0.0, 0.1),
    "logistic": (100.0, 0.0, 0.3),
    "one-nn-half-features": (600.0, 9.0, 0.0),
    "tree-random-features": (400.0, 0.0, 3.5),
}
"""Roughly, for a sample: at least, for each item, and for each item of each split."""
SECONDS, AT_MOST, GOAL = 8.0, 5_000, 10_000
EVEN = 1e-12
"""Differences of accuracies that spread less than this do not spread."""


def fold_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per cell, in batches of a few seconds."""
    world = worlds["folds"]
    jobs = []
    for design, n, population, learner in product(
        world["design"], world["n"], world["population"], world["learners"]
    ):
        batch = _batch(learner, read_design(design), n)
        jobs.append(
            Job(
                name=f"folds {learner} {population} {design} n={n}",
                world="folds",
                run=partial(folds, learner, population, design, n),
                batch=batch,
                goal=max(GOAL, 2 * batch),
            )
        )
    return jobs


def _batch(learner: str, design: FoldDesign, n: int) -> int:
    least, item, trained = MICROSECONDS[learner]
    cost = 1e-6 * (least + n * (item + trained * design.splits))
    return int(np.clip(round(SECONDS / cost, -2), 100, AT_MOST))


def folds(
    learner: Any, population: Any, design: str, n: int, rng: Generator, replicates: int
) -> list[Found]:
    """The corrected t and, where the design is theirs, the 5x2 tests; the naive t for comparison."""
    world = Folds(learners=learner, population=population, design=design)
    drawn = world.draw(replicates, n, rng, takes="pairs")
    a, b = drawn["a"], drawn["b"]
    found = []
    for name, p in fold_p_values(a - b, read_design(design)).items():
        _check(name, p, a, b, world.options(("folds", "test_share"), "pairs", n=n))
        table = Table(
            procedure=name, answers="compare", world="folds", measure="accuracy", unit="fold",
            parameters=PARAMETERS,
        )  # fmt: skip
        counts = {at_alpha("level", alpha): float((p <= alpha).sum()) for alpha in ALPHAS}
        counts["undefined"] = float(np.isnan(p).sum())
        at = (learner, population, design, n)
        found.append(Found(table=table, at=at, replicates=replicates, counts=counts))
    return found


def fold_p_values(differences: FloatArray, design: FoldDesign) -> dict[str, FloatArray]:
    """By method, for rows of differences; nan where they do not vary and there is no answer."""
    ratio = design.test_share / (1.0 - design.test_share)
    found = {
        "corrected_resampled_t": _t(differences, ratio),
        "kfold_paired_t": _t(differences, 0.0),
    }
    if design.kind == "folds" and (design.repeats, design.folds) == (5, 2):
        found |= _five_by_two(differences.reshape(-1, 5, 2))
    return found


def _t(differences: FloatArray, ratio: float) -> FloatArray:
    splits = differences.shape[1]
    spread = differences.std(axis=1, ddof=1) * np.sqrt(1.0 / splits + ratio)
    varies = spread > EVEN
    t = differences.mean(axis=1) / np.where(varies, spread, 1.0)
    return np.where(varies, 2.0 * stdtr(splits - 1.0, -np.abs(t)), np.nan)


def _five_by_two(table: FloatArray) -> dict[str, FloatArray]:
    variances = ((table - table.mean(axis=2, keepdims=True)) ** 2).sum(axis=(1, 2))
    varies = variances > EVEN**2
    safe = np.where(varies, variances, 1.0)
    t = table[:, 0, 0] / np.sqrt(safe / 5.0)
    f = (table**2).sum(axis=(1, 2)) / (2.0 * safe)
    return {
        "dietterich_5x2_t": np.where(varies, 2.0 * stdtr(5.0, -np.abs(t)), np.nan),
        "alpaydin_5x2_f": np.where(varies, fdtrc(10, 5, f), np.nan),
    }


def _check(
    name: str, p: FloatArray, a: FloatArray, b: FloatArray, options: Mapping[str, Any]
) -> None:
    """Some samples, those without an answer before all, go through the public method."""
    methods: dict[str, Callable[[Any, Any], TestOutcome]] = {
        "corrected_resampled_t": lambda a, b: corrected_resampled_t(a, b, **options),
        "kfold_paired_t": kfold_paired_t,
        "dietterich_5x2_t": lambda a, b: dietterich_5x2_t((a - b).reshape(5, 2)),
        "alpaydin_5x2_f": lambda a, b: alpaydin_5x2_f((a - b).reshape(5, 2)),
    }
    chosen = [*np.flatnonzero(np.isnan(p))[:CHECKED].tolist(), *range(min(CHECKED, p.size))]
    for row in chosen:
        theirs = methods[name](a[row], b[row]).p_value
        if not np.isclose(p[row], np.nan if theirs is None else theirs, equal_nan=True):
            raise Disagreement(f"{name}: {p[row]!r} in calibration, {theirs!r} from the method")
