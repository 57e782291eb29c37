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

from assay.core.arrays import FloatArray
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
from assay.kernels.differences import FourCounts, TwoRates
from assay.simulate.worlds.cross_validation import right_when_left_out
from assay.simulate.worlds.folds import Folds, by_split, read_design
from assay.simulate.worlds.learners import LearnerName, Population, draw_items, predict
from calibration.designs.cells import ALPHAS, Found, Job, Table, at_alpha
from calibration.designs.folds import fold_p_values
from calibration.designs.listed_outcomes import mcnemar_p_values, pooled_p_values
from calibration.designs.means import CHECKED, Disagreement

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
PAIRS: tuple[tuple[LearnerName, Population], ...] = (
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
DESIGNS = tuple(
    read_design(text)
    for text in ("1-subsamples-2-1", f"{RESAMPLES}-subsamples-2-1", "10-fold", "5x2")
)
AT_ONCE = 100
"""Samples worked on together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """Of each sample (rows) accuracies of A and B by design, and right answers on the one test part."""

    single: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    resampled: tuple[FloatArray, FloatArray]
    folds: tuple[FloatArray, FloatArray]
    halves: tuple[FloatArray, FloatArray]

    def sample(self, row: int) -> "Answers":
        """One sample, as the public methods take it."""
        return Answers(
            single=(self.single[0][row], self.single[1][row]),
            resampled=(self.resampled[0][row], self.resampled[1][row]),
            folds=(self.folds[0][row], self.folds[1][row]),
            halves=(self.halves[0][row], self.halves[1][row]),
        )


def replication_jobs() -> list[Job]:
    """One job per pair of learners and effect; many replicates where nothing differs."""
    jobs = []
    for learner, population in PAIRS:
        for effect in EFFECTS[population]:
            slow = learner.startswith("tree")
            batch = 500 if slow else 1000
            goal = (10_000 if effect == 0.0 else 2_000) // (5 if slow else 1)
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
    learner: LearnerName, population: Population, effect: float, rng: Generator, replicates: int
) -> list[Found]:
    """How often each test rejects, and the true difference that it should find."""
    world = Folds(learners=learner, population=population, effect=effect)
    counts: dict[str, dict[str, float]] = {test: {} for test in TESTS}
    for start in range(0, replicates, AT_ONCE):
        drawn = answers(world, ITEMS, min(AT_ONCE, replicates - start), rng)
        found = batched_p_values(drawn)
        if start == 0:
            _check(drawn, found)
        for test, p in found.items():
            for alpha in ALPHAS:
                name = at_alpha("level" if effect == 0.0 else "power", alpha)
                counts[test][name] = counts[test].get(name, 0.0) + float((p <= alpha).sum())
    a, b = true_accuracies(world, round(ITEMS * 2 / 3), stream(20_031_998))
    at = (learner, population, effect)
    facts = {"accuracy": a, "difference": a - b}
    return [
        Found(table=_table(test), at=at, replicates=replicates, counts=counts[test], facts=facts)
        for test in TESTS
    ]


def batched_p_values(found: Answers) -> dict[str, FloatArray]:
    """The p-values of each test for all samples; nan where a test has no answer."""
    right_a, right_b = found.single
    wrong = [(~right).sum(axis=1).astype(np.float64) for right in found.single]
    size = np.full(len(right_a), float(right_a.shape[1]))
    only_a, only_b = ((x & ~y).sum(axis=1) for x, y in ((right_a, right_b), (right_b, right_a)))
    cells = FourCounts(size, only_a.astype(np.float64), only_b.astype(np.float64), size)
    resampled = fold_p_values(found.resampled[0] - found.resampled[1], DESIGNS[1])
    folds = fold_p_values(found.folds[0] - found.folds[1], DESIGNS[2])
    halves = fold_p_values(found.halves[0] - found.halves[1], DESIGNS[3])
    z = pooled_p_values(TwoRates(wrong[0], size, wrong[1], size))
    in_order = (
        np.where(sum(wrong) > 0.0, z, np.nan),
        resampled["kfold_paired_t"],
        folds["kfold_paired_t"],
        resampled["corrected_resampled_t"],
        folds["corrected_resampled_t"],
        mcnemar_p_values(cells),
        halves["dietterich_5x2_t"],
        halves["alpaydin_5x2_f"],
    )
    return dict(zip(TESTS, in_order, strict=True))


def _check(drawn: Answers, found: dict[str, FloatArray]) -> None:
    """Some samples go through the public methods too."""
    for row in range(min(CHECKED, len(drawn.single[0]))):
        for test, theirs in p_values(drawn.sample(row)).items():
            ours = found[test][row]
            if not np.isclose(ours, np.nan if theirs is None else theirs, equal_nan=True):
                raise Disagreement(f"{test}: {ours!r} in batches, {theirs!r} from the method")


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


def answers(world: Folds, n: int, samples: int, rng: Generator) -> Answers:
    """Samples, and all designs of each: the learners are trained on every split at once."""
    features, truth = draw_items(world.population, samples * n, rng)
    truth = truth.reshape(samples, n)
    views = world.seen(features.reshape(samples, n, -1), rng)
    single, scored = [], []
    owners = [design.draw_owners(samples, n, rng) for design in DESIGNS]
    for view in views:
        right = [
            right_when_left_out(world.learners, view, truth, owner, design.tested, rng)
            for owner, design in zip(owners, DESIGNS, strict=True)
        ]
        single.append(right[0][:, 0][owners[0][:, 0] == 0].reshape(samples, -1))
        scored.append(
            [
                by_split(one, owner, design.tested)
                for one, owner, design in zip(right, owners, DESIGNS, strict=True)
            ]
        )
    (_, resampled_a, folds_a, halves_a), (_, resampled_b, folds_b, halves_b) = scored
    return Answers(
        single=(single[0], single[1]),
        resampled=(resampled_a, resampled_b),
        folds=(folds_a, folds_b),
        halves=(halves_a, halves_b),
    )


def p_values(found: Answers) -> dict[str, float | None]:
    """The p-value of each test on one sample, by the public methods; None where it has no answer."""
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
