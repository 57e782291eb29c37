"""`assay.simulate`: how any method of the catalogue behaves in any world that fits it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from assay.core.checks import many_names
from assay.core.errors import NotApplicable, UsageError
from assay.core.notes import Note, note
from assay.core.results import Details, Simulation, SimulationCell
from assay.core.rng import Rng, seed_of
from assay.simulate.answer_arrays import Answers, Progress
from assay.simulate.answer_collection import answered, replicates_of
from assay.simulate.error_rates import AnswerWeights, Counted, coverage_rate, error_rates
from assay.simulate.sentences import sentence_of, title_of
from assay.simulate.trial_settings import Trial, make_trial, scalar
from assay.simulate.worlds import World


@many_names
def simulate(
    methods: str | Sequence[str] = (),
    *,
    world: str | World | None = None,
    n: int | Iterable[int] | None = None,
    effect: float | Iterable[float] | None = None,
    level: float | Iterable[float] = 0.95,
    question: str | None = None,
    replicates: int | None = None,
    options: Mapping[str, Any] | None = None,
    looks: int = 1,
    rng: Rng = None,
    progress: Callable[[float], None] | None = None,
    **parameters: Any,
) -> Simulation:
    """How often methods err, or how well their intervals cover, where the truth is known.

    ``question`` is "error" (of the first kind where the effect is zero, else of the second),
    "coverage" or "mse" (bias, variance and mean squared error). ``parameters`` are those of the
    world; a list of values, like several n, effects or levels, is tried value by value.
    ``options`` go to the methods. With ``looks`` a test is made so often while each sample grows to
    n units, and stops at the first rejection. Without ``replicates`` all outcomes are enumerated where they
    are few (counts of items), else 10,000 are drawn, or 1,000 where the method has to be called for
    each. ``progress`` is told the share done.

    Examples
    --------
    >>> import assay
    >>> found = assay.simulate("wald", question="coverage", world="proportion", p=0.05, n=50)
    >>> round(found.cells[0].value, 3)
    0.92
    """
    given: Any = methods
    several = isinstance(given, Iterable) and getattr(given, "shape", None) != ()
    names = tuple(given) if several and not isinstance(given, str) else (given,)
    if not names or not all(isinstance(name, str) for name in names):
        raise UsageError("name the method to simulate, such as mcnemar; see `assay methods`")
    if question == "mse":
        from assay.simulate.estimator_errors import simulate_estimators

        return simulate_estimators(
            names, world=world, n=n, effect=effect, replicates=replicates, options=options, rng=rng,
            progress=progress, **parameters,
        )  # fmt: skip
    tried = [
        make_trial(name, world, n, effect, level, question, replicates, options, parameters, looks)
        for name in names
    ]
    seed = seed_of(rng)
    cells = run_trials(tried, seed, progress)
    return Simulation(
        title=title_of(cells),
        question=tried[0].question,
        methods=tuple(dict.fromkeys(trial.method.id for trial in tried)),
        worlds=_worlds_of(tried),
        cells=cells,
        sentence=sentence_of(cells),
        options=_told_options(options, looks),
        notes=_notes_of(cells),
        seed=seed if any(cell.replicates is not None for cell in cells) else None,
    )


def _told_options(options: Mapping[str, Any] | None, looks: int) -> Details:
    found = tuple((key, scalar(value)) for key, value in (options or {}).items())
    return found if looks == 1 else (*found, ("looks", looks))


def run_trials(
    trials: Sequence[Trial], seed: int, progress: Callable[[float], None] | None = None
) -> tuple[SimulationCell, ...]:
    """Every cell of every trial; methods on the same evidence meet the same draws."""
    total = sum(len(trial.worlds) * len(trial.sizes) for trial in trials)
    cells: list[SimulationCell] = []
    done = 0
    for trial in trials:
        for place, ((world, shown), n) in enumerate(product(trial.worlds, trial.sizes)):
            share = (done / total, 1.0 / total)
            cells += _cells(trial, world, shown, n, (seed, place), _told(progress, share, trial))
            done += 1
            if progress is not None:
                progress(done / total)
    return tuple(cells)


def _told(
    progress: Callable[[float], None] | None, share: tuple[float, float], trial: Trial
) -> Progress | None:
    """A counter of answers as the share of everything that is done."""
    if progress is None:
        return None
    met = 0
    due = replicates_of(trial) * (len(trial.alphas) if trial.question == "coverage" else 1)

    def count(more: int) -> None:
        nonlocal met
        met += more
        progress(share[0] + share[1] * min(1.0, met / due))

    return count


def _cells(
    trial: Trial,
    world: World,
    shown: Details,
    n: int | None,
    seed: tuple[int, int],
    progress: Progress | None,
) -> Iterator[SimulationCell]:
    size = world.size if n is None else n
    if size is None:
        raise UsageError(f"say how many units the world {world.name} is to draw: n")
    if trial.question == "coverage":
        for alpha in trial.alphas:
            answers, weights = answered(trial, world, size, seed, progress, level=1.0 - alpha)
            truth = _known_truth(trial, world, answers, size)
            counted = [coverage_rate(answers, truth, weights)]
            yield from _as_cells(trial, world, shown, size, alpha, counted, answers.low, weights)
        return
    answers, weights = answered(trial, world, size, seed, progress)
    for alpha in trial.alphas:
        counted = error_rates(
            trial.method, world, answers, weights, takes=trial.takes, n=size, alpha=alpha,
            options=trial.options,
        )  # fmt: skip
        yield from _as_cells(trial, world, shown, size, alpha, counted, answers.p, weights)


def _as_cells(
    trial: Trial,
    world: World,
    shown: Details,
    n: int,
    alpha: float,
    counted: list[Counted],
    answered: Any,
    weights: AnswerWeights,
) -> Iterator[SimulationCell]:
    undefined = 0
    if weights.replicates is not None:
        undefined = round(float(weights.weight[np.isnan(answered).any(axis=1)].sum()))
    for one in counted:
        yield SimulationCell(
            method=trial.method.id,
            world=trial.label,
            n=n,
            effect=float(world.effect),
            alpha=alpha,
            quantity=one.quantity,
            value=one.rate.value,
            interval=one.rate.interval,
            replicates=weights.replicates,
            undefined=undefined,
            parameters=shown,
            details=one.details,
        )


def _known_truth(trial: Trial, world: World, answers: Answers, n: int) -> float:
    # an estimate from several models, such as best_of, is of one of them
    one = trial.takes == "predictions" and trial.method.gives == "estimate"
    truth = world.truth(answers.measure, "model-predictions" if one else trial.takes, n)
    if truth is None:
        raise NotApplicable(
            f"the true {answers.measure} is not known in the world {trial.label} with an effect of "
            f"{world.effect:g}, so coverage cannot be counted. Try another world, or effect 0"
        )
    return truth


def _worlds_of(trials: Sequence[Trial]) -> tuple[tuple[str, Details], ...]:
    """Each world once, with the parameters that do not vary."""
    found: dict[str, Details] = {}
    for trial in trials:
        world, shown = trial.worlds[0]
        varied = {name for name, _ in shown} | {"effect"}
        found[trial.label] = tuple(pair for pair in world.parameters if pair[0] not in varied)
    return tuple(found.items())


def _notes_of(cells: Sequence[SimulationCell]) -> tuple[Note, ...]:
    undefined = [cell for cell in cells if cell.undefined]
    if not undefined:
        return ()
    worst = max(undefined, key=lambda cell: cell.undefined)
    return (
        note(
            "undefined-simulated",
            count=worst.undefined,
            replicates=worst.replicates,
            method=worst.method,
            n=worst.n,
        ),
    )
