"""What a method answers to many pieces of evidence: p-values, values and interval ends as arrays."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError
from assay.core.methods import Method
from assay.core.results import Estimate, FamilyOutcome, Posterior, TestOutcome
from assay.core.vocabulary import Takes
from assay.simulate.worlds.base import Arrays, evidence

Progress = Callable[[int], None]
"""Called with how many pieces of evidence were answered since the last time."""


class Answers(NamedTuple):
    """One row per piece of evidence, one column per question; NaN is undefined.

    ``null`` and ``alternative`` are those of the test, ``measure`` that of the effect.
    """

    p: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    measure: str = ""
    null: float = 0.0
    alternative: str = "two-sided"
    pairs: tuple[tuple[int, int], ...] = ()
    """For families: the two models of each question, by their places."""

    def at(self, rows: NDArray[Any]) -> "Answers":
        """The answers of some rows, each as often as it is named."""
        return self._replace(
            p=self.p[rows], value=self.value[rows], low=self.low[rows], high=self.high[rows]
        )

    def put(self, rows: NDArray[Any], other: "Answers") -> None:
        """Write other answers into some rows."""
        self.p[rows], self.value[rows] = other.p, other.value
        self.low[rows], self.high[rows] = other.low, other.high


def joined(parts: Sequence[Answers]) -> Answers:
    """Answers to one block of evidence after another."""
    return parts[0]._replace(
        p=np.concatenate([part.p for part in parts]),
        value=np.concatenate([part.value for part in parts]),
        low=np.concatenate([part.low for part in parts]),
        high=np.concatenate([part.high for part in parts]),
    )


def answer_all(
    method: Method,
    takes: Takes,
    arrays: Arrays,
    options: dict[str, Any],
    *,
    seeds: NDArray[Any] | None,
    progress: Progress | None = None,
) -> Answers:
    """The method called for each piece of evidence; evidence it refuses gives NaN."""
    count = len(next(iter(arrays.values())))
    given = dict(options)
    found: list[Answers | None] = []
    for place in range(count):
        if seeds is not None:
            given["rng"] = int(seeds[place])
        try:
            found.append(read_answer(method.function(*evidence(takes, arrays, place), **given)))
        except EvidenceError as error:
            refusal = error
            found.append(None)
        if progress is not None:
            progress(1)
    answered = [one for one in found if one is not None]
    if not answered:
        raise refusal
    empty = np.full(answered[0].p.shape, np.nan)
    missing = answered[0]._replace(p=empty, value=empty, low=empty, high=empty)
    return joined([missing if one is None else one for one in found])


def read_answer(result: Any) -> Answers:
    """A result as one row of answers."""
    if isinstance(result, FamilyOutcome):
        rows = [_one(outcome.p_value, outcome.effect) for outcome in result.outcomes]
        place = {model: index for index, model in enumerate(result.models)}
        first = result.outcomes[0]
        return _row(rows)._replace(
            measure=first.effect.measure,
            alternative=first.alternative,
            pairs=tuple((place[a], place[b]) for a, b in result.pairs),
        )
    if isinstance(result, TestOutcome):
        return _row([_one(result.p_value, result.effect)])._replace(
            measure=result.effect.measure, null=result.null, alternative=result.alternative
        )
    if isinstance(result, Posterior):
        # believing at the level of confidence is called a rejection
        doubt = 1.0 - max(result.p_left, result.p_right)
        return _row([_one(doubt, result.effect)])._replace(measure=result.effect.measure)
    if isinstance(result, Estimate):
        side = "two-sided" if result.interval is None else result.interval.alternative
        return _row([_one(None, result)])._replace(measure=result.measure, alternative=side)
    adjusted = np.asarray(result, dtype=np.float64)[None, :]
    empty = np.full_like(adjusted, np.nan)
    return Answers(adjusted, empty, empty, empty)


def _row(questions: list[tuple[float, float, float, float]]) -> Answers:
    p, value, low, high = np.array(questions, dtype=np.float64).T[:, None, :]
    return Answers(p, value, low, high)


def _one(p_value: float | None, effect: Estimate) -> tuple[float, float, float, float]:
    ends = (None, None) if effect.interval is None else (effect.interval.low, effect.interval.high)
    numbers = (p_value, effect.value, *ends)
    p, value, low, high = (np.nan if number is None else float(number) for number in numbers)
    return p, value, low, high
