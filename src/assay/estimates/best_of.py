"""The score of the best of several models, chosen on the items that judge it (I9)."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray
from assay.core.checks import as_matrix, check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.notes import note
from assay.core.progress import steps
from assay.core.results import Estimate
from assay.core.rng import Rng, seed_of, stream
from assay.core.tolerances import TIE
from assay.estimates.bootstrap import Replicates, replicates_of
from assay.estimates.default_intervals import estimate
from assay.estimates.method_question import MethodQuestion
from assay.estimates.resampling_cells import Reduced, reduce
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.kernels.special import ndtr
from assay.measures.registry import Measure, find_measure

BLOCK_CELLS = 2**18
"""Coins tossed at a time."""

MOST_RESAMPLES = 100_000
MOST_DRAWS = 10_000_000
"""Resamples for the limits of a measure that is resampled, unless the tail itself asks for more."""


class _Halves(NamedTuple):
    value: float
    again: float  # how often the model chosen on all items is chosen on a half


@method(
    question="How good is the best of several models that was chosen on the same items?",
    takes="predictions",
    gives="estimate",
    unit="item",
    assumes=("independent items (or clusters)", "the best was taken: the first in this measure"),
    reference="assay, docs/methods/best_of.md; Tsamardinos, Greasidou & Borboudakis (2018), "
    "Machine Learning 107: 1895-1922; Berk, Brown, Buja, Zhang & Zhao (2013), Annals of Statistics 41",
    requirement="I9",
    formula="corrected = naive - optimism; the limit on the flattered side is at tail = Φ(-multiplier)",
)
def best_of(
    evidence: Any,
    *,
    measure: str | Measure | Callable[..., float] = "accuracy",
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: Rng = None,
) -> Estimate:
    """The score of the model that scored best, corrected for having been chosen.

    ``evidence`` are predictions of two or more models on the same items, or a matrix of right (1)
    and wrong (0), rows items, columns models. The value is what a model chosen on half of the items
    scores on the other half; the interval is of the model chosen on all of them, and holds whatever
    made the choice.
    """
    predictions, chosen = _evidence(evidence), find_measure(measure)
    asked = MethodQuestion.of("best_of", level=level)
    size, seed = check_count(n_resamples, "n_resamples", at_least=20), seed_of(rng)
    reduced = reduce(predictions, chosen)
    sign = 1.0 if reduced.measure.direction == "higher" else -1.0
    values = reduced.values
    best = _best(values, sign, chosen.called)
    model, naive = reduced.models[best], float(values[best])
    halves = _on_halves(reduced, best, sign, size, seed)
    optimism = sign * (naive - halves.value)
    found = replicates_of(reduced, n_resamples=size, rng=seed)
    multiplier = _multiplier(found, level, size)
    tail = float(ndtr(-multiplier))
    low, high = _limits(predictions, chosen, model, sign, level, tail, size, seed)
    low, high = min(low, halves.value), max(high, halves.value)
    models = len(reduced.models)
    return asked.estimate(
        chosen.called,
        halves.value,
        predictions.n,
        asked.interval(low, high),
        model=model,
        notes=(note("chosen-on-the-same-items", model=model, models=models, optimism=optimism),),
        seed=seed,
        details=(
            ("naive", naive),
            ("optimism", optimism),
            ("corrected", halves.value),
            ("bootstrap_optimism", _bootstrap_optimism(found, sign)),
            ("models", models),
            ("tied", int(np.count_nonzero(_winners(sign * values[None])))),
            ("chosen_again", halves.again),
            ("multiplier", multiplier),
            ("tail", tail),
            ("n_resamples", size),
        ),
    )


def _evidence(evidence: Any) -> Predictions:
    said: dict[str, Any] = {}
    if isinstance(evidence, np.ndarray | list | tuple):
        table = as_matrix(evidence, "evidence", rows=2, columns=2)
        columns: dict[str, NDArray[Any]] = {
            f"model_{place + 1}": column for place, column in enumerate(table.T)
        }
        said = {"losses": True}  # only a measure of losses takes them
        if np.isin(table, (0.0, 1.0)).all():
            columns = {name: column.astype(np.int64) for name, column in columns.items()}
            said = {"truth": "truth", "models": list(columns)}
            columns["truth"] = np.ones(len(table), dtype=np.int64)
        evidence = columns
    predictions = read(evidence, **said)
    if not isinstance(predictions, Predictions) or len(predictions.models) < 2:
        raise EvidenceError(
            "best_of needs two or more models on the same items; "
            f"got {len(predictions.models)} on their own: use assay.evaluate"
        )
    return predictions


def _best(values: FloatArray, sign: float, name: str) -> int:
    if np.isnan(values).any():
        raise EvidenceError(
            f"{name} is undefined for {int(np.isnan(values).sum())} of {values.size} models: leave "
            "them out with evidence.select(…), or choose by another measure"
        )
    return int(np.argmax(sign * values))


def _on_halves(reduced: Reduced, best: int, sign: float, size: int, seed: int) -> _Halves:
    """Choose on a random half, judge on the other; both ways for every split.

    Each unit goes to one half by a coin, so that cells of equal units need one binomial each and
    the two halves are independent. Models that tie on the half share the judgement.
    """
    scores, again = [], []
    rows = max(1, BLOCK_CELLS // max(1, reduced.counts.size))
    for block, start in steps("resampling", list(enumerate(range(0, size, rows)))):
        rng = stream(seed, 1, block)
        shape = (min(rows, size - start), reduced.counts.size)
        one = rng.binomial(reduced.counts, 0.5, shape)
        left, right = reduced.function(one), reduced.function(reduced.counts - one)
        for chosen_on, judged_on in ((left, right), (right, left)):
            winners = _winners(sign * chosen_on)
            score = np.where(winners, judged_on, 0.0).sum(axis=1) / winners.sum(axis=1)
            defined = ~np.isnan(chosen_on).any(axis=1) & ~np.isnan(judged_on).any(axis=1)
            scores.append(score[defined])
            again.append((winners[:, best] / winners.sum(axis=1))[defined])
    judged = np.concatenate(scores)
    if not judged.size:
        raise EvidenceError(
            f"{reduced.measure.called} is undefined on every half of these items: more items are needed"
        )
    return _Halves(float(judged.mean()), float(np.concatenate(again).mean()))


def _winners(scores: FloatArray) -> BoolArray:
    """Which models are best in each row; rows with undefined scores are settled by the caller."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    highest = known.max(axis=1, keepdims=True)
    return np.asarray(known >= highest - TIE * np.abs(highest))


def _bootstrap_optimism(found: Replicates, sign: float) -> float | None:
    """How much better the best of a resample looks there than on the items: Harrell's optimism."""
    usable = found.replicates[~np.isnan(found.replicates).any(axis=1)]
    if not len(usable):
        return None
    winners = _winners(sign * usable)
    gains = np.where(winners, sign * (usable - found.values), 0.0).sum(axis=1)
    return float((gains / winners.sum(axis=1)).mean())


def _multiplier(found: Replicates, level: float, size: int) -> float:
    """The quantile of the largest of k normals, correlated as the models' scores are.

    Normals rather than the replicates themselves: near 0 and 1 replicates are skewed the wrong way.
    A model whose score does not vary counts as independent of the others.
    """
    usable = found.replicates[~np.isnan(found.replicates).any(axis=1)]
    models = len(found.models)
    correlation = np.eye(models)
    if len(usable) > 2:
        deviations = usable - usable.mean(axis=0)
        errors = np.sqrt((deviations**2).mean(axis=0))
        varying = np.flatnonzero(errors > TIE * np.abs(found.values))
        scaled = deviations[:, varying] / errors[varying]
        correlation[np.ix_(varying, varying)] = scaled.T @ scaled / len(usable)
    roots, vectors = np.linalg.eigh(correlation)
    mixing = vectors * np.sqrt(np.maximum(roots, 0.0))
    draws = max(size, math.ceil(100.0 / (1.0 - level)))
    if draws > MOST_DRAWS:
        raise UsageError(
            f"a level of {level!r} needs {draws:,} draws of the largest of {models} models: at most "
            f"{1.0 - 100.0 / MOST_DRAWS:g} can be had"
        )
    rows = max(1, BLOCK_CELLS // models)
    largest = np.concatenate(
        [
            (stream(found.seed, 2, block).standard_normal((min(rows, draws - start), models))
             @ mixing.T).max(axis=1)
            for block, start in enumerate(range(0, draws, rows))
        ]
    )  # fmt: skip
    place = math.ceil((1.0 + level) / 2.0 * (draws + 1))
    return float(np.sort(largest)[min(place, draws) - 1])


def _limits(
    predictions: Predictions,
    measure: Measure,
    model: str,
    sign: float,
    level: float,
    tail: float,
    size: int,
    seed: int,
) -> tuple[float, float]:
    """Of the default interval of the chosen model, its flattered side at the tail of the family.

    The other side needs no allowance: it is passed only if the truly best model, which scored no
    better, is beyond its own limit too.
    """
    needed = max(size, math.ceil(1.0 / tail), min(math.ceil(10.0 / tail), MOST_RESAMPLES))
    wide, plain = (
        estimate(predictions, measure, model, level=one, n_resamples=needed, rng=seed).interval
        for one in (1.0 - 2.0 * tail, level)
    )
    if wide is None or plain is None:
        raise EvidenceError(
            f"{measure.called} of {model} has no interval on these items: more are needed"
        )
    return (wide.low, plain.high) if sign > 0 else (plain.low, wide.high)
