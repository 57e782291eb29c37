"""`python -m calibration.next_items`: which items to label next, beside the method of its authors on public data.

The judge is a model trained on half of a data set; the mean of the outcome is asked of the other half. The authors'
method is that of Zrnic and Candès (2024) as their own notebooks run it: every label is drawn with the chance
(1 - tau) u + tau, u being the model's own uncertainty (min(p, 1 - p); of numbers a second model, of the size of the
errors) and tau the best on training labels that the judge did not see. Their second row draws like ours a quarter
of the labels at random first. Ours is `plan --next` after such a quarter, and the estimate of `evaluate`: it knows
nothing of the training half. scikit-learn's digits are at hand; other files (outcome last) are named with --file.
"""

import argparse
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.evidence.judged_items import Judged
from assay.kernels.judge_correction import JudgedSample, corrected
from assay.kernels.tails import normal_reach, t_reach
from assay.plan.next_items import next_items

Array = NDArray[np.float64]
LEVEL, TRIALS, BUDGETS = 0.95, 400, (100, 200, 400)
PILOT = 0.25
"""The share of our labels that are drawn at random first."""
Answer = tuple[float, float]
"""A value and half the width of its interval."""
TAUS = np.linspace(0.01, 0.99, 50)


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """The half of a data set that is judged: outcomes, what the judge says, and how unsure it is of each."""

    name: str
    truth: float
    people: Array
    judge: Array
    unsure: Array
    held_out: tuple[Array, Array]
    """Errors and uncertainties of training labels that the judge did not see, to tune the authors' mix."""


def world(name: str, features: Array, outcome: Array, *, seed: int = 0) -> World:
    """Random forests: one that judges, and of numbers one for the size of its errors."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    rng = np.random.default_rng(seed)
    order = rng.permutation(outcome.size)
    train, rest = order[: outcome.size // 2], order[outcome.size // 2 :]
    classes = np.unique(outcome).size == 2
    kind = RandomForestClassifier if classes else RandomForestRegressor

    def fitted(rows: NDArray[np.int64], at: NDArray[np.int64]) -> tuple[Array, Array]:
        model = kind(200, min_samples_leaf=3, oob_score=True, random_state=seed, n_jobs=1)
        model.fit(features[rows], outcome[rows])
        if classes:
            said = model.predict_proba(features[at])[:, 1]
            return said, np.minimum(said, 1.0 - said)
        errors = np.abs(outcome[rows] - model.oob_prediction_)
        sizes = RandomForestRegressor(200, min_samples_leaf=10, random_state=seed, n_jobs=1)
        sizes.fit(features[rows], errors)
        return model.predict(features[at]), sizes.predict(features[at])

    split = int(0.8 * train.size)
    tried, unsure = fitted(train[:split], train[split:])
    judge, own = fitted(train, rest)
    errors = outcome[train[split:]] - tried
    return World(
        name=name, truth=float(outcome.mean()), people=outcome[rest], judge=judge, unsure=own,
        held_out=(errors, unsure),
    )  # fmt: skip


def authors(one: World, labels: int, rng: np.random.Generator, pilot: float = 0.0) -> Answer:
    """Value and half width, as in the authors' notebooks; after a pilot at random if one is asked for."""
    size = one.people.size
    first = pilot * labels / size
    budget = (1.0 - pilot) * labels / size / (1.0 - first)
    errors, unsure = one.held_out

    def chances(doubts: Array, tau: float) -> Array:
        mixed = (1.0 - tau) * budget * doubts / doubts.mean() + tau * budget
        return np.asarray(first + (1.0 - first) * np.clip(mixed, 1e-9, 1.0))

    tau = min(TAUS, key=lambda one: float(np.mean(errors**2 / chances(unsure, one))))
    drawn_at = chances(one.unsure, tau)
    drawn = rng.random(size) < drawn_at
    values = one.judge + (one.people - one.judge) * drawn / drawn_at
    return float(values.mean()), normal_reach(LEVEL, "two-sided") * float(values.std()) / size**0.5


def authors_after_a_pilot(one: World, labels: int, rng: np.random.Generator) -> Answer:
    return authors(one, labels, rng, PILOT)


def ours(one: World, labels: int, rng: np.random.Generator) -> Answer:
    """A pilot at random, then the items that `plan --next` names."""
    size, pilot = one.people.size, round(PILOT * labels)
    first = rng.permutation(size)[:pilot]
    known = np.full(size, np.nan)
    known[first] = one.people[first]
    judged = Judged(
        sources=(),
        models=("m",),
        kind="grades",
        people=known[None, :],
        judge=one.judge[None, :],
        lower_is_better=False,
    )
    found = next_items(judged, labels - pilot, rng=int(rng.integers(2**31)))
    graded = np.union1d(first, found.items)
    return _estimate(one, graded, JudgedSample.of(graded, size, chances=found.chances[graded]))


def at_random(one: World, labels: int, rng: np.random.Generator) -> Answer:
    graded = np.sort(rng.permutation(one.people.size)[:labels])
    return _estimate(one, graded, JudgedSample.of(graded, one.people.size))


def _estimate(one: World, graded: NDArray[np.int64], sample: JudgedSample) -> Answer:
    found = corrected(one.people[graded], one.judge, sample)
    return found.value, t_reach(LEVEL, sample.df(2), "two-sided") * found.error


METHODS = {
    "authors": authors,
    "authors after a pilot": authors_after_a_pilot,
    "plan --next": ours,
    "at random": at_random,
}


def compared(one: World, trials: int) -> list[str]:
    """A row of the table per number of labels: mean width, coverage and error of each method, then ratios.

    Ratios are ours over the authors', of mean widths and of errors, each with two standard errors.
    """
    rows = []
    for labels in BUDGETS:
        found = {}
        for name, method in METHODS.items():
            rng = np.random.default_rng(1)
            found[name] = np.array([method(one, labels, rng) for _ in range(trials)]).T
        cells = []
        for values, halves in found.values():
            inside = np.abs(values - one.truth) <= halves
            error = np.sqrt(np.mean((values - one.people.mean()) ** 2))
            cells.append(f"{2.0 * halves.mean():.4f} | {100 * inside.mean():.1f} % | {error:.4f}")
        squares = {name: (values - one.people.mean()) ** 2 for name, (values, _) in found.items()}
        ratios = []
        for other in ("authors", "authors after a pilot"):
            ratios.append(_ratio(found["plan --next"][1], found[other][1], 1.0))
            ratios.append(_ratio(squares["plan --next"], squares[other], 0.5))
        rows.append(
            f"| {one.name} | {labels} of {one.people.size:,} | {' | '.join((*cells, *ratios))} |"
        )
    return rows


def _ratio(ours: Array, theirs: Array, power: float) -> str:
    """A ratio of means to a power with two standard errors, both samples being independent (delta method)."""
    ratio = (ours.mean() / theirs.mean()) ** power
    parts = ((one.std(ddof=1) / one.mean()) ** 2 / one.size for one in (ours, theirs))
    return f"{ratio:.3f} ± {2.0 * power * ratio * float(np.sqrt(sum(parts))):.3f}"


def digits() -> World:
    from sklearn.datasets import load_digits

    found = load_digits()
    return world("digits: 5 or more", found.data, (found.target >= 5).astype(float))


def from_file(path: Path) -> World:
    """A table whose last column is the outcome; words are numbered in order of appearance, two classes are 0 and 1."""
    with path.open(newline="") as file:
        _, *rows = csv.reader(file)
    columns = [_numbers(column) for column in zip(*rows, strict=True)]
    return world(path.stem, np.stack(columns[:-1], axis=1), columns[-1])


def _numbers(column: Sequence[str]) -> Array:
    try:
        return np.array([float(cell or "nan") for cell in column])
    except ValueError:
        names = {name: place for place, name in enumerate(dict.fromkeys(column))}
        return np.array([float(names[cell]) for cell in column])


def main() -> None:
    parser = argparse.ArgumentParser(prog="calibration.next_items", description=__doc__)
    parser.add_argument("--file", type=Path, action="append", default=[])
    parser.add_argument("--trials", type=int, default=TRIALS)
    told = parser.parse_args()
    print(
        "| data | labels | "
        + " | ".join(f"{name}: width | covered | error" for name in METHODS)
        + " | next over authors: width | error | over authors after a pilot: width | error |"
    )
    for one in (digits(), *map(from_file, told.file)):
        for row in compared(one, told.trials):
            print(row, flush=True)


if __name__ == "__main__":
    main()
