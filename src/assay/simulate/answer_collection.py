"""Evidence drawn (or enumerated) and answered, by the quickest way that gives the method's answer."""

import inspect
from typing import Any

import numpy as np

from assay.core.rng import stream
from assay.simulate.answer_arrays import Answers, Progress, answer_all, joined
from assay.simulate.batched_methods import form_of
from assay.simulate.error_rates import AnswerWeights
from assay.simulate.repeated_looks import drawn_as, ever, look_sizes
from assay.simulate.trial_settings import Trial
from assay.simulate.worlds import World
from assay.simulate.worlds.base import COUNTED, Arrays

REPLICATES, FEWER = 10_000, 1000
"""How many are drawn unless said otherwise; fewer where the method is called for each."""
CELLS = 2_000_000
"""Numbers drawn together, which bounds the memory."""


def replicates_of(trial: Trial) -> int:
    """How many samples a trial draws."""
    if trial.replicates is not None:
        return trial.replicates
    quick = (
        trial.takes in COUNTED
        or trial.method.gives == "adjustment"
        or form_of(trial.method, trial.question) is not None
    )
    return REPLICATES if quick else FEWER


def answered(
    trial: Trial,
    world: World,
    n: int,
    seed: tuple[int, int],
    progress: Progress | None,
    *,
    level: float | None = None,
) -> tuple[Answers, AnswerWeights]:
    """The answers to every outcome with its probability, or to replicates drawn in blocks."""
    options = given_options(trial, world, n, level)
    listed = None
    if trial.replicates is None and trial.looks == 1 and not trial.method.splits_agreement:
        listed = world.outcomes(n, trial.takes)
    if listed is not None:
        arrays, probability = listed
        return answer(trial, arrays, options, stream(*seed), None), AnswerWeights(probability, None)
    replicates = replicates_of(trial)
    few = trial.takes in COUNTED and trial.looks == 1
    rows = replicates if few else max(1, min(10_000, CELLS // (4 * n)))
    blocks = []
    for block, start in enumerate(range(0, replicates, rows)):
        rng = stream(*seed, block)
        count = min(rows, replicates - start)
        blocks.append(_block(trial, world, n, count, options, rng, progress))
    return joined(blocks), AnswerWeights(np.ones(replicates), replicates)


def _block(
    trial: Trial,
    world: World,
    n: int,
    count: int,
    options: dict[str, Any],
    rng: np.random.Generator,
    progress: Progress | None,
) -> Answers:
    """One block of samples, looked at once or as they grow."""
    if trial.looks == 1:
        arrays = world.draw(count, n, rng, takes=trial.takes)
        return answer(trial, arrays, options, rng, progress)
    arrays = world.draw(count, n, rng, takes=drawn_as(trial.takes))
    return ever(
        trial.takes,
        arrays,
        look_sizes(n, trial.looks),
        lambda seen: answer(trial, seen, options, rng, progress),
    )


def given_options(trial: Trial, world: World, n: int, level: float | None) -> dict[str, Any]:
    accepted = inspect.signature(trial.method.function).parameters
    measure = trial.options.get("measure", "")
    told = world.options(accepted, trial.takes, measure if isinstance(measure, str) else "", n)
    if level is not None and "level" in accepted:
        told["level"] = level
    if "unit" in accepted and world.unit in trial.method.unit:
        told["unit"] = world.unit
    return {**told, **trial.options}


def answer(
    trial: Trial,
    arrays: Arrays,
    options: dict[str, Any],
    rng: np.random.Generator,
    progress: Progress | None,
) -> Answers:
    """The batched form of a common method, equal counts once, others one by one."""
    method, takes = trial.method, trial.takes
    form = form_of(method, trial.question)
    fits = form is not None and options.keys() - {"unit"} <= form.options
    if takes in COUNTED and not fits:
        return _distinct(trial, arrays, options, progress)
    if form is None or not fits:
        accepts = "rng" in inspect.signature(method.function).parameters
        count = len(next(iter(arrays.values())))
        seeds = rng.integers(2**32, size=count) if accepts else None
        return answer_all(method, takes, arrays, options, seeds=seeds, progress=progress)
    answers, odd = form.answer(arrays, options)
    if odd.any():
        rows = np.flatnonzero(odd)
        few = {name: array[rows] for name, array in arrays.items()}
        one_by_one = answer_all(method, takes, few, options, seeds=None)
        answers.put(rows, one_by_one)
    if progress is not None:
        progress(len(odd))
    return answers


def _distinct(
    trial: Trial, arrays: Arrays, options: dict[str, Any], progress: Progress | None
) -> Answers:
    """Each distinct piece of evidence answered once."""
    if trial.takes == "paired-table" and not trial.method.splits_agreement:
        cells = arrays["cells"].copy()
        cells[:, 0] += cells[:, 3]  # only the discordant counts and n matter
        cells[:, 3] = 0
        arrays = {"cells": cells}
    table = np.concatenate([np.atleast_2d(array.T).T for array in arrays.values()], axis=1)
    _, first, place = np.unique(table, axis=0, return_index=True, return_inverse=True)
    few = {name: array[first] for name, array in arrays.items()}
    answers = answer_all(trial.method, trial.takes, few, options, seeds=None)
    if progress is not None:
        progress(len(place))
    return answers.at(place.ravel())
