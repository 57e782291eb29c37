"""Evidence for any measure, drawn at random, and the value of a measure on it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.measures.registry import Measure

CLASSES = ("0", "1", "2")


def evaluate(measure: Measure, truth: Any, prediction: Any, weights: Any = None) -> float:
    """The value of a measure on columns, whatever its reduction."""
    if measure.reduction == "tally":
        c = 2 if _is_binary(measure) else len(CLASSES)
        matrix = np.zeros((c, c))
        np.add.at(matrix, (truth, prediction), 1 if weights is None else weights)
        return float(measure.bind(CLASSES[:c], "1").function(matrix))
    measure = measure.bind(CLASSES[:2], "1") if measure.two_classes else measure
    if measure.features is None:
        return float(measure.function(truth, prediction, weights))
    return float(measure.function(np.average(measure.features(truth, prediction), 0, weights)))


def _is_binary(measure: Measure) -> bool:
    return measure.two_classes or "_cost" in measure.name


def _labels(measure: Measure, rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    c = 2 if _is_binary(measure) else 3
    truth = rng.integers(0, c, n)
    return truth, rng.integers(0, c, n), truth


def _scores(_: Measure, rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    truth = rng.integers(0, 2, n)
    return truth, rng.integers(0, 5, n) / 4, truth.astype(float)


def _probabilities(measure: Measure, rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    c = 2 if measure.two_classes else 3
    truth = rng.integers(0, c, n)
    drawn = rng.dirichlet(np.full(c, 0.5), n)
    return truth, drawn, np.eye(c)[truth]


def _values(_: Measure, rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    truth = rng.integers(-4, 5, n) / 2
    return truth, rng.normal(size=n), truth


def _losses(measure: Measure, rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    drawn = rng.normal(size=n)
    gain = rng.random(n) * (1 if measure.direction == "higher" else -1)
    return np.empty(0), drawn, drawn + gain


EVIDENCE: dict[str, Callable[[Measure, np.random.Generator, int], tuple[Any, Any, Any]]] = {
    "labels": _labels,
    "scores": _scores,
    "probabilities": _probabilities,
    "values": _values,
    "losses": _losses,
}
