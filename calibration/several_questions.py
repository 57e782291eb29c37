"""Several measures and slices of two models at once: families with any false difference, by Holm over all questions.

Models are exchangeable, or differ in how sure they are and in nothing else. Some test sets of every batch go through
`compare`, and another p-value stops the run.
"""

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, ndtr, stdtr

import assay
from assay.kernels.batched_rankings import power_sums, precision_influence, ranked
from assay.kernels.skewness import corrected, lean_of
from assay.kernels.unseen_values import unseen_p
from calibration.designs.auc import difference_p_values
from calibration.designs.average_precision import difference_p_values as precision_p_values
from calibration.designs.cells import Found, Job, Table
from calibration.designs.label_measures import bound, pair_parts
from calibration.designs.means import Disagreement
from calibration.population_areas import Areas

Generator = np.random.Generator
MEASURES = ("accuracy", "f1", "roc_auc", "average_precision", "brier")
SLICES = 4
SIZES = (100, 400)
QUESTIONS = "several_questions"
BATCH, GOAL, CHECKED, SURE = 2_000, 20_000, 2, 2.0
WORLDS = {"exchangeable models": 1.0, "one model too sure of itself": SURE}
"""How many times as large the logits of the second model are; that changes the Brier score alone."""
SHAPES = {"five measures": (MEASURES, 0), "accuracy in four slices": (("accuracy",), SLICES),
          "five measures in four slices": (MEASURES, SLICES)}  # fmt: skip


class Contests(NamedTuple):
    """Truth and the probabilities of two models, (test sets, items)."""

    truth: Any
    a: Any
    b: Any

    def part(self, place: int | None) -> "Contests":
        if place is None:
            return self
        return Contests(*(one[:, place::SLICES] for one in self))


def drawn(rng: Generator, shape: tuple[int, int], times: float) -> Contests:
    logits = 1.5 * rng.standard_normal(shape)
    truth = rng.random(shape) < expit(logits)
    a, b = logits + 0.7 * rng.standard_normal((2, *shape))
    return Contests(truth, expit(a), expit(times * b))


def question_jobs() -> list[Job]:
    return [
        Job(name=f"several questions {name}, {world} n={n}", world=QUESTIONS,
            run=partial(measured, name, world, n), batch=BATCH, goal=GOAL)
        for name, world, n in product(SHAPES, WORLDS, SIZES)
        if world == "exchangeable models" or len(SHAPES[name][0]) > 1
    ]  # fmt: skip


def measured(name: str, world: str, n: int, rng: Generator, replicates: int) -> list[Found]:
    """Test sets in which some question is answered by a difference that is none."""
    measures, slices = SHAPES[name]
    contests = drawn(rng, (replicates, n), WORLDS[world])
    parts = [None, *range(slices)]
    asked = [(part, measure) for part in parts for measure in measures]
    p = np.stack([p_values(contests.part(part), measure) for part, measure in asked], axis=1)
    for row in range(CHECKED):
        _check(contests, row, measures, slices, p[row])
    equal = [WORLDS[world] == 1.0 or measure != "brier" for _, measure in asked]
    wrong = (holm(p) & np.array(equal)).any(axis=1)
    table = Table(
        procedure=f"{name}, {world}",
        answers="compare",
        world=QUESTIONS,
        unit="item",
        parameters=("n",),
    )
    counts = {"n": float(replicates), "family_wise@0.05": float(wrong.sum())}
    return [Found(table=table, at=(n,), replicates=replicates, counts=counts)]


def holm(p: Any, alpha: float = 0.05) -> Any:
    """Which questions of each row Holm's steps reject; undefined ones are not in the family."""
    order = np.argsort(p, axis=1)  # NaN last
    ordered = np.take_along_axis(p, order, axis=1)
    asked = (~np.isnan(p)).sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        steps = ordered * (asked - np.arange(p.shape[1])) <= alpha
    found = np.zeros(p.shape, bool)
    np.put_along_axis(found, order, np.logical_and.accumulate(steps, axis=1), axis=1)
    return found


def p_values(contests: Contests, measure: str) -> Any:
    """P of each test set by the default of two models; those of no account may be too small to be 5 %."""
    if measure == "accuracy":
        right = [(one > 0.5) == contests.truth for one in (contests.a, contests.b)]
        won, lost = (right[0] & ~right[1]).sum(1), (right[1] & ~right[0]).sum(1)
        return 2.0 * ndtr(-np.abs(won - lost) / np.sqrt(np.maximum(won + lost, 1)))
    if measure == "f1":
        return _f1(contests)
    if measure == "brier":
        return _means((contests.a - contests.truth) ** 2 - (contests.b - contests.truth) ** 2)
    both = contests.truth.any(1) & ~contests.truth.all(1)
    p = np.full(len(both), np.nan)
    kept = Contests(*(one[both] for one in contests))
    p[both] = _areas(kept) if measure == "roc_auc" else _precisions(kept)
    return p


def _f1(contests: Contests) -> Any:
    kinds = 4 * contests.truth + 2 * (contests.a > 0.5) + (contests.b > 0.5)
    tables = np.stack([(kinds == kind).sum(axis=1) for kind in range(8)], axis=1)
    value, centre, error = pair_parts(bound("f1", 2), tables.reshape(-1, 2, 2, 2))
    z = np.arctanh(centre) * (1.0 - centre**2) / error
    p = 2.0 * ndtr(-np.abs(z))
    return np.where((p <= 0.05) & (value * centre <= 0.0), 1.0, p)


def _areas(contests: Contests) -> Any:
    areas = Areas(contests.truth, {"a": contests.a, "b": contests.b})
    _, _, difference = next(areas.pairs())
    first, second = difference.parts
    return difference_p_values(difference.value, (first, second), *difference.sizes)


def _precisions(contests: Contests) -> Any:
    values, slopes = [], []
    for scores in (contests.a, contests.b):
        rows = ranked(contests.truth, scores)
        value, slope, _ = precision_influence(rows)
        values.append(value)
        slopes.append(rows.in_rows(slope))
    sizes = contests.truth.sum(1).astype(float), (~contests.truth).sum(1).astype(float)
    powers = power_sums(slopes[0] - slopes[1])
    return precision_p_values(values[0] - values[1], powers, sizes)


def _means(rows: Any) -> Any:
    """The largest of three p-values: t's, that corrected for skewness, and that of unseen differences."""
    n = rows.shape[1]
    mean, error = rows.mean(1), rows.std(1, ddof=1) / n**0.5
    t = mean / error
    skewed = corrected(t, lean_of(rows, bounded=True))
    p = 2.0 * stdtr(n - 1.0, -np.abs(t))
    p = np.where(np.isfinite(skewed), np.maximum(p, 2.0 * stdtr(n - 1.0, -np.abs(skewed))), p)
    near = (p <= 0.05) | (np.arange(len(p)) < CHECKED)  # others reject nothing
    rooms = (1.0 + np.abs(mean[near])) / error[near]
    p[near] = np.maximum(p[near], unseen_p(np.abs(t[near]), rooms, n, "two-sided", n - 1.0))
    return p


def _check(contests: Contests, row: int, measures: tuple[str, ...], slices: int, ours: Any) -> None:
    columns: dict[str, Any] = {"y": contests.truth[row].astype(int)}
    for model, own in (("a", contests.a[row]), ("b", contests.b[row])):
        columns |= {
            model: (own > 0.5).astype(int),
            f"{model}:p(1)": own,
            f"{model}:p(0)": 1.0 - own,
        }
    more: dict[str, Any] = {}
    if slices:
        columns["group"] = [f"g{place % slices}" for place in range(contests.truth.shape[1])]
        more["slice"] = "group"
    found = assay.compare(
        columns, truth="y", measure=list(measures), positive=1, n_resamples=100, rng=0, **more
    )
    theirs: list[Any] = [dict(part.verdict.outcome.details)["p_unadjusted"] for part in found.parts]
    if not np.allclose(ours, theirs, rtol=1e-5, atol=1e-9):
        raise Disagreement(f"{ours} in calibration, {theirs} from assay")
    said = [part.verdict.different for part in found.parts]
    if said != holm(ours[None])[0].tolist():
        raise Disagreement(f"{holm(ours[None])[0]} in calibration, {said} from assay")
