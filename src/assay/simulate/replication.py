"""Dietterich (1998) and Nadeau and Bengio (2003) again: seven tests of two algorithms, in kind.

One sample of n items is split in four ways: once into training and test part, thirty times into
two parts of three and one, into ten folds, and five times into halves. Every test sees its design
of the same sample, so that levels and powers compare; every answer is that of the public method.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.checks import FloatArray
from assay.core.results import TestOutcome
from assay.core.rng import stream
from assay.hypotheses.independent_outcomes import two_proportions_z
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.resampled_scores import (
    alpaydin_5x2_f,
    corrected_resampled_t,
    dietterich_5x2_t,
    kfold_paired_t,
)
from assay.simulate.calibration.cells import ALPHAS, Found, Job, Table, at_alpha
from assay.simulate.worlds.folds import Folds, read_design
from assay.simulate.worlds.learners import Learner, Population, draw_items, predict

Generator = np.random.Generator

ITEMS = 300
"""The size of a sample in both papers' main experiments."""
RESAMPLES = 30
TRUTH_SAMPLES, TRUTH_ITEMS = 100, 1000
"""Training samples, and new items for each, behind a true difference."""
TESTS = (
    "two-proportion z", "resampled t", "10-fold t", "corrected resampled t", "corrected 10-fold t",
    "McNemar", "5x2 t", "5x2 F",
)  # fmt: skip
PAIRS: tuple[tuple[Learner, Population], ...] = (
    ("centroid", "two-gaussians"),
    ("logistic", "moons"),
    ("one-nn-half-features", "checkerboard"),
    ("tree-random-features", "two-gaussians"),
)
EFFECTS: dict[Population, tuple[float, ...]] = {
    "two-gaussians": (0.0, 0.25, 0.5, 1.0, 2.0),
    "moons": (0.0, 0.25, 0.5, 1.0, 2.0),
    "checkerboard": (0.0, 0.05, 0.1, 0.15, 0.25),  # its cells are small: little noise does much
}
"""Spreads of the noise added to what the second learner sees; without it both are exchangeable."""
PARAMETERS = ("learner", "population", "effect")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Accuracies of A and B by design, and their right answers on the one test part."""

    single: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    resampled: tuple[FloatArray, FloatArray]
    folds: tuple[FloatArray, FloatArray]
    halves: tuple[FloatArray, FloatArray]


def replication_jobs() -> list[Job]:
    """One job per pair of learners and effect; many replicates where nothing differs."""
    jobs = []
    for learner, population in PAIRS:
        for effect in EFFECTS[population]:
            batch = 50 if learner.startswith("tree") else 200
            goal = (2000 if effect == 0.0 else 1000) // (2 if learner.startswith("tree") else 1)
            jobs.append(
                Job(
                    name=f"replication {learner} {population} effect={effect:g}",
                    world="replication",
                    run=partial(replicate, learner, population, effect),
                    batch=batch,
                    goal=goal,
                )
            )
    return jobs


def replicate(
    learner: Learner, population: Population, effect: float, rng: Generator, replicates: int
) -> list[Found]:
    """How often each test rejects, and the true difference that it should find."""
    world = Folds(learners=learner, population=population, effect=effect)
    counts: dict[str, dict[str, float]] = {test: {} for test in TESTS}
    for _ in range(replicates):
        for test, outcome in p_values(answers(world, ITEMS, rng)).items():
            for alpha in ALPHAS:
                name = at_alpha("level" if effect == 0.0 else "power", alpha)
                hit = outcome is not None and outcome <= alpha
                counts[test][name] = counts[test].get(name, 0.0) + hit
    a, b = true_accuracies(world, round(ITEMS * 2 / 3), stream(20_031_998))
    at = (learner, population, effect)
    facts = {"accuracy": a, "difference": a - b}
    return [
        Found(table=_table(test), at=at, replicates=replicates, counts=counts[test], facts=facts)
        for test in TESTS
    ]


def true_accuracies(world: Folds, n_train: int, rng: Generator) -> tuple[float, float]:
    """The accuracies of A and B on new items, over training samples."""
    right = np.zeros(2)
    for _ in range(TRUTH_SAMPLES):
        features, truth = draw_items(world.population, n_train + TRUTH_ITEMS, rng)
        for place, view in enumerate(world.seen(features, rng)):
            known, new = view[:n_train], view[n_train:]
            all_in = np.ones((1, n_train))
            said = predict(world.learners, known, truth[:n_train], all_in, new, rng)[0]
            right[place] += float((said == truth[n_train:]).mean())
    return float(right[0] / TRUTH_SAMPLES), float(right[1] / TRUTH_SAMPLES)


def _table(test: str) -> Table:
    return Table(
        procedure=test,
        answers="compare",
        world="replication",
        unit="fold",
        parameters=PARAMETERS,
        measure="accuracy",
    )


def answers(world: Folds, n: int, rng: Generator) -> Answers:
    """One sample, all designs: the learners are trained on every split at once."""
    features, truth = draw_items(world.population, n, rng)
    designs = [
        read_design(text)
        for text in ("1-subsamples-2-1", f"{RESAMPLES}-subsamples-2-1", "10-fold", "5x2")
    ]
    splits = [design.draw(n, rng) for design in designs]
    train = np.concatenate([one.train for one in splits])
    test = np.concatenate([one.test for one in splits])
    ends = np.cumsum([design.splits for design in designs])[:-1]
    single, by_design = [], []
    for view in world.seen(features, rng):
        right = ~world.wrong(view, truth, train, rng)
        single.append(right[0][test[0]])
        accuracy = (right & test).sum(axis=1) / test.sum(axis=1)
        by_design.append(np.split(accuracy, ends))
    (_, resampled_a, folds_a, halves_a), (_, resampled_b, folds_b, halves_b) = by_design
    return Answers(
        single=(single[0], single[1]),
        resampled=(resampled_a, resampled_b),
        folds=(folds_a, folds_b),
        halves=(halves_a, halves_b),
    )


def p_values(found: Answers) -> dict[str, float | None]:
    """The p-value of each test; None where it has no answer."""
    right_a, right_b = found.single
    size = right_a.size
    wrong = [int(size - right.sum()) for right in found.single]
    cells = (right_a & right_b, right_a & ~right_b, ~right_a & right_b, ~right_a & ~right_b)
    halves = (found.halves[0] - found.halves[1]).reshape(5, 2)
    outcomes: Iterable[TestOutcome] = (
        two_proportions_z(wrong[0], size, wrong[1], size),
        kfold_paired_t(*found.resampled),
        kfold_paired_t(*found.folds),
        corrected_resampled_t(*found.resampled, test_share=1.0 / 3.0),
        corrected_resampled_t(*found.folds, folds=10),
        mcnemar(*(int(cell.sum()) for cell in cells)),
        dietterich_5x2_t(halves),
        alpaydin_5x2_f(halves),
    )
    return {test: one.p_value for test, one in zip(TESTS, outcomes, strict=True)}


def summary(found: Iterable[Found]) -> dict[tuple[Any, ...], dict[str, tuple[float, int]]]:
    """By (learner, population, effect): the rejection rate of each test at 5 %, and its replicates."""
    table: dict[tuple[Any, ...], dict[str, tuple[float, int]]] = {}
    for one in found:
        kind = "level" if one.at[2] == 0.0 else "power"
        rate = one.counts[at_alpha(kind, 0.05)] / (one.replicates or 1)
        table.setdefault(one.at, {})[one.table.procedure] = (rate, one.replicates or 0)
    return table
