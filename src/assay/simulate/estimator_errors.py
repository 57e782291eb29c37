"""Bias, variance and mean squared error of an estimator, by simulation: MSE = variance + bias² (I7)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_count
from assay.core.errors import NotApplicable, UsageError
from assay.core.results import Details, Interval, Simulation, SimulationCell
from assay.core.rng import Rng, seed_of, stream
from assay.kernels.special import ndtri
from assay.simulate.answer_collection import FEWER, REPLICATES, answer, given_options, replicates_of
from assay.simulate.error_rates import MONTE_CARLO
from assay.simulate.sentences import sentence_of
from assay.simulate.trial_settings import Trial, make_trial, make_worlds, scalar, sizes_of
from assay.simulate.worlds import World, make_world
from assay.simulate.worlds.folds import Folds, expected_accuracies, read_design
from assay.simulate.worlds.learners import draw_items
from assay.simulate.worlds.values import Losses

ROWS = 2000
"""Replicates drawn together."""
HOLDOUT = 1.0 / 3.0
"""The share of items that a holdout tests on."""


Values = Callable[[Any, int, int, np.random.Generator], FloatArray]
"""So many values of an estimator in a world, at a size."""
Truth = Callable[[Any, int], float | None]
"""What it estimates: the true value in a world, at a size."""


class Estimator(NamedTuple):
    """An estimator, in the world it belongs to."""

    summary: str
    of: str
    world: str
    values: Values
    truth: Truth
    replicates: int = REPLICATES
    """How many are drawn unless said otherwise."""


def simulate_estimators(
    names: Sequence[str],
    *,
    world: str | World | None = None,
    n: int | Iterable[int] | None = None,
    effect: Any = None,
    replicates: int | None = None,
    options: Mapping[str, Any] | None = None,
    rng: Rng = None,
    progress: Callable[[float], None] | None = None,
    **parameters: Any,
) -> Simulation:
    """Bias, variance and mean squared error; see :func:`assay.simulate`."""
    seed = seed_of(rng)
    if replicates is not None:
        check_count(replicates, "replicates", at_least=2)
    cells: list[SimulationCell] = []
    labels: dict[str, Details] = {}
    for place, name in enumerate(names):
        label, worlds, sizes, estimator = _found(name, world, n, effect, options, parameters)
        labels[label] = _fixed(worlds)
        count = replicates or estimator.replicates
        total = len(worlds) * len(sizes)
        for cell, ((made, shown), size) in enumerate(product(worlds, sizes)):
            units = made.size if size is None else size
            if units is None:
                raise UsageError(f"say how many units the world {made.name} is to draw: n")
            values = _blocks(estimator.values, made, units, count, (seed, cell))
            truth = estimator.truth(made, units)
            if truth is None:
                raise NotApplicable(f"what {name} estimates is not known in the world {label}")
            cells.append(_cell(name, label, made, shown, units, values, truth))
            if progress is not None:
                progress((place + (cell + 1) / total) / len(names))
    return Simulation(
        title=f"Bias, variance and mean squared error of {', '.join(names)}",
        question="mse",
        methods=tuple(names),
        worlds=tuple(labels.items()),
        cells=tuple(cells),
        sentence=sentence_of(cells),
        options=tuple((key, scalar(value)) for key, value in (options or {}).items()),
        seed=seed,
    )


def _found(
    name: str, world: Any, n: Any, effect: Any, options: Any, parameters: Any
) -> tuple[str, tuple[tuple[World, Details], ...], tuple[int | None, ...], Estimator]:
    """What the world is called, the worlds and sizes to try, and the estimator."""
    known = ESTIMATORS.get(name.replace("-", "_").lower())
    if known is None:
        trial = make_trial(name, world, n, effect, 0.95, "coverage", None, options, parameters)
        return trial.label, trial.worlds, trial.sizes, _of_method(trial)
    if options:
        raise UsageError(f"{name} has no options; got {', '.join(options)}")
    label, worlds = make_worlds(world or known.world, effect, parameters)
    first, due = worlds[0][0], make_world(known.world)
    if first.name != due.name:
        raise NotApplicable(f"{name} estimates {known.of}, in the world {due.name}; got {label}")
    return label, worlds, sizes_of(n, first), known


def _of_method(trial: Trial) -> Estimator:
    """The value that a method of the catalogue gives; what it estimates is its measure."""
    measures: dict[World, str] = {}

    def values(made: World, size: int, count: int, rng: np.random.Generator) -> FloatArray:
        arrays = made.draw(count, size, rng, takes=trial.takes)
        found = answer(trial, arrays, given_options(trial, made, size, None), rng, None)
        measures[made] = found.measure
        return found.value[:, 0]

    def truth(made: World, size: int) -> float | None:
        return made.truth(measures[made], trial.takes, size)

    count = replicates_of(trial)
    return Estimator(trial.method.summary, "its measure", trial.label, values, truth, count)


def _blocks(
    values_of: Values, world: World, n: int, replicates: int, seed: tuple[int, int]
) -> FloatArray:
    parts = [
        values_of(world, n, min(ROWS, replicates - start), stream(*seed, block))
        for block, start in enumerate(range(0, replicates, ROWS))
    ]
    return np.concatenate(parts)


def _cell(
    name: str,
    label: str,
    world: World,
    shown: Details,
    n: int,
    values: FloatArray,
    truth: float,
) -> SimulationCell:
    """The parts of the error; the variance is over replicates, so that they add up exactly."""
    kept = values[np.isfinite(values)]
    if kept.size < 2:
        raise NotApplicable(f"{name} gave fewer than two values in the world {label} at n = {n}")
    errors = kept - truth
    mse, bias, variance = float((errors**2).mean()), float(errors.mean()), float(kept.var())
    reach = float(-ndtri((1.0 - MONTE_CARLO) / 2.0) / np.sqrt(kept.size))
    spread = float((errors**2).std(ddof=1)) * reach
    bounds = Interval(
        low=max(0.0, mse - spread), high=mse + spread, level=MONTE_CARLO, method="mean_t"
    )
    return SimulationCell(
        method=name,
        world=label,
        n=n,
        effect=float(world.effect),
        alpha=None,
        quantity="mean squared error",
        value=mse,
        interval=bounds,
        replicates=values.size,
        undefined=int(values.size - kept.size),
        parameters=shown,
        details=(
            ("truth", truth),
            ("mean", float(kept.mean())),
            ("bias", bias),
            ("bias_error", float(kept.std(ddof=1)) / float(np.sqrt(kept.size))),
            ("variance", variance),
            ("mse", mse),
        ),
    )


def _fixed(worlds: tuple[tuple[World, Details], ...]) -> Details:
    world, shown = worlds[0]
    varied = {name for name, _ in shown} | {"effect"}
    return tuple(pair for pair in world.parameters if pair[0] not in varied)


def _of_sample(function: Callable[[FloatArray], FloatArray]) -> Values:
    def values(world: World, n: int, count: int, rng: np.random.Generator) -> FloatArray:
        return np.asarray(function(world.draw(count, n, rng, takes="sample")["values"]))

    return values


def _of_learner(error: Callable[[Folds, int, np.random.Generator], float]) -> Values:
    def values(world: Folds, n: int, count: int, rng: np.random.Generator) -> FloatArray:
        return np.array([error(world, n, rng) for _ in range(count)])

    return values


def _resubstitution(world: Folds, n: int, rng: np.random.Generator) -> float:
    """The error on the items that were trained on."""
    features, truth = draw_items(world.population, n, rng)
    view = world.seen(features, rng)[0]
    return float(world.wrong(view, truth, np.ones((1, n)), rng).mean())


def _holdout(world: Folds, n: int, rng: np.random.Generator) -> float:
    """Two thirds train, one third tests."""
    features, truth = draw_items(world.population, n, rng)
    test = rng.permutation(n) < max(1, round(n * HOLDOUT))
    view = world.seen(features, rng)[0]
    wrong = world.wrong(view, truth, (~test).astype(np.float64)[None], rng)[0]
    return float(wrong[test].mean())


def _cross_validation(world: Folds, n: int, rng: np.random.Generator) -> float:
    """The mean error over the folds of the world's design."""
    features, truth = draw_items(world.population, n, rng)
    train, test = read_design(world.design).draw(n, rng)
    wrong = world.wrong(world.seen(features, rng)[0], truth, train, rng)
    return float(((wrong & test).sum(axis=1) / test.sum(axis=1)).mean())


def _true_error(world: Folds, n: int) -> float:
    """Of the learner trained on all n items."""
    return 1.0 - expected_accuracies(world, n)[0]


def _true_variance(world: Losses, n: int) -> float:  # noqa: ARG001
    return world.sd**2


def _true_mean(world: Losses, n: int) -> float:  # noqa: ARG001
    return world.mean + world.effect


_ERROR = "the error of a learner trained on all items"
ESTIMATORS: dict[str, Estimator] = {
    "variance_n": Estimator(
        "squares about the mean, over n", "the variance", "losses",
        _of_sample(lambda values: values.var(axis=1)), _true_variance,
    ),
    "variance_n_1": Estimator(
        "squares about the mean, over n - 1", "the variance", "losses",
        _of_sample(lambda values: values.var(axis=1, ddof=1)), _true_variance,
    ),
    "sample_mean": Estimator(
        "the mean of a sample", "the mean", "losses",
        _of_sample(lambda values: values.mean(axis=1)), _true_mean,
    ),
    "sample_median": Estimator(
        "the median of a sample", "the mean", "losses",
        _of_sample(lambda values: np.median(values, axis=1)), _true_mean,
    ),
    "resubstitution": Estimator(
        "the error on the training items", _ERROR, "folds",
        _of_learner(_resubstitution), _true_error, FEWER,
    ),
    "holdout": Estimator(
        "the error on a third that was held out", _ERROR, "folds",
        _of_learner(_holdout), _true_error, FEWER,
    ),
    "cross_validation": Estimator(
        "the mean error over the folds", _ERROR, "folds",
        _of_learner(_cross_validation), _true_error, FEWER,
    ),
}  # fmt: skip
"""Estimators that can be tried beside the estimates of the catalogue."""
