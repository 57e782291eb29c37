"""Intervals that are honest where counts are small: cells and items not yet seen weigh a little."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.checks import FloatArray
from assay.core.rng import stream
from assay.kernels.quantiles import percentile_interval
from assay.measures.registry import Measure

RIGHT_PRIOR = 1.0 / 3.0
"""Smoothing: pseudo-counts of the right answers of each class; the wrong ones share 2/3 in all."""

SPREAD_CLASSES = 30
"""Up to so many classes the wrong pseudo-counts are spread over all cells, else one per class."""


def smoothed_interval(
    confusion: ArrayLike,
    function: Callable[[Any], Any],
    *,
    level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> tuple[float, float]:
    """An interval of a label measure that is honest where counts are small.

    The cell probabilities are drawn from the Dirichlet distribution with the counts and a few
    pseudo-counts as parameters (a Bayesian bootstrap that knows of cells not yet seen): 1/3 for
    the right answers of each class, and 2/3 spread over all wrong ones. Of two classes that is
    Kerman's neutral prior, 1/3 for each cell. Percentiles of the measure, widened to hold the
    estimate itself: at 0 and 1 the width is not 0.
    """
    table = np.asarray(confusion, dtype=np.float64)
    total = float(table.sum())
    shapes = (table + pseudo_counts(len(table))).ravel()
    possible = np.flatnonzero(shapes)
    rows = max(1, 2**19 // shapes.size)
    drawn = []
    for block, start in enumerate(range(0, n_resamples, rows)):
        size = min(rows, n_resamples - start)
        flat = np.zeros((size, shapes.size))
        flat[:, possible] = stream(seed, block).standard_gamma(
            shapes[possible], (size, possible.size)
        )
        flat *= total / flat.sum(axis=1, keepdims=True)
        drawn.append(np.asarray(function(flat.reshape(size, *table.shape)), np.float64))
    return _widened(np.concatenate(drawn), float(function(table)), level)


def smoothed_ranking_interval(
    truth: ArrayLike,
    scores: ArrayLike,
    measure: Measure,
    *,
    level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> tuple[float, float]:
    """The same idea for rankings: items weigh exponentially, and unseen items weigh a little.

    For each class one pseudo-item that is ranked best and one ranked worst are added, with gamma
    weights of the pseudo-counts of :func:`smoothed_interval`. ``scores`` of two classes is (n,),
    probabilities are (n, C).
    """
    labels, values = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if measure.prepare is None:
        raise TypeError(f"{measure.name} does not rank")
    n_classes = 2 if values.ndim == 1 else values.shape[1]
    codes = np.arange(n_classes)
    if values.ndim == 1:
        best = np.array([values.min() - 1.0, values.max() + 1.0])
        worst = best[::-1]
    else:
        best, worst = np.eye(n_classes), np.roll(np.eye(n_classes), 1, axis=1)
    function = measure.prepare(
        np.concatenate([labels, codes, codes]), np.concatenate([values, best, worst])
    )
    shapes = np.repeat([RIGHT_PRIOR, 2.0 * RIGHT_PRIOR / n_classes], n_classes)
    rows = max(1, 2**19 // labels.size)
    drawn = []
    for block, start in enumerate(range(0, n_resamples, rows)):
        rng, size = stream(seed, block), min(rows, n_resamples - start)
        seen = rng.standard_exponential((size, labels.size))
        unseen = rng.standard_gamma(shapes, (size, shapes.size))
        drawn.append(function(np.concatenate([seen, unseen], axis=1)))
    return _widened(np.concatenate(drawn), float(measure.function(labels, values)), level)


def _widened(draws: FloatArray, value: float, level: float) -> tuple[float, float]:
    """The central part of the draws, widened to hold the estimate where there is one."""
    low, high = percentile_interval(draws, level=level)
    return (low, high) if math.isnan(value) else (min(low, value), max(high, value))


def pseudo_counts(n_classes: int) -> FloatArray:
    """1/3 for the right answers of each class, 2/3 in all for the wrong ones, spread evenly."""
    right = RIGHT_PRIOR * np.eye(n_classes)
    if n_classes == 1:
        return right
    wrong = 2.0 * RIGHT_PRIOR / n_classes
    if n_classes > SPREAD_CLASSES:
        return right + wrong * np.roll(np.eye(n_classes), 1, axis=1)
    return right + wrong / (n_classes - 1) * (1.0 - np.eye(n_classes))
