"""Intervals that are honest where counts are small: cells and items not yet seen weigh a little."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.progress import steps
from assay.core.rng import stream
from assay.estimates.label_weights import Carried, of_labels
from assay.kernels.bootstrap_intervals import percentile_interval
from assay.measures.registry import Measure

RIGHT_PRIOR = 0.4
"""Smoothing: pseudo-counts of the right answers of each class; the wrong ones share 0.8 in all."""

RANKED_PRIOR = 1.0 / 3.0
"""The same of the best and the worst ranked item of each class."""

SPREAD_CLASSES = 30
"""Up to so many classes the wrong pseudo-counts are spread over all cells, else one per class."""


def smoothed_interval(
    confusion: ArrayLike,
    measure: Measure | Callable[[Any], Any],
    *,
    level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> tuple[float, float]:
    """The central part of :func:`smoothed_draws`, widened to hold the estimate itself."""
    draws = smoothed_draws(confusion, measure, n_resamples=n_resamples, seed=seed)
    function = measure.function if isinstance(measure, Measure) else measure
    return widened(draws, float(function(np.asarray(confusion, dtype=np.float64))), level)


def smoothed_draws(
    confusion: ArrayLike, measure: Measure | Callable[[Any], Any], *, n_resamples: int, seed: int
) -> FloatArray:
    """A label measure on cell probabilities that the counts leave possible, small as they may be.

    The cell probabilities are drawn from the Dirichlet distribution with the counts and a few
    pseudo-counts as parameters (a Bayesian bootstrap that knows of cells not yet seen): 0.4 for
    the right answers of each class of the truth, and 0.8 spread over all wrong ones: of two
    classes 0.4 for each cell, between Kerman's neutral 1/3 and Jeffreys' 1/2 (decision 0020).
    At 0 and 1 the draws still have a spread. ``measure`` may be a function of matrices.
    """
    table = np.asarray(confusion, dtype=np.float64)
    seen = table.sum(axis=1) > 0
    known = seen if seen.sum() > 1 else np.ones_like(seen)  # of one class the others count too
    shapes = (table + pseudo_counts(len(table)) * known[:, None]).ravel()
    possible = np.flatnonzero(shapes)
    if isinstance(measure, Measure):
        evaluate = of_labels(measure, len(table), [possible], Carried())
        width = possible.size
    else:
        spread, width = Carried().summed(possible, shapes.size), shapes.size
        evaluate = lambda flat: np.asarray(measure(spread(flat).reshape(-1, *table.shape)))  # noqa: E731
    rows = max(1, 2**19 // width)
    drawn = []
    for block, start in steps("sampling", list(enumerate(range(0, n_resamples, rows)))):
        size = (min(rows, n_resamples - start), possible.size)
        weights = stream(seed, block).standard_gamma(shapes[possible], size)
        weights *= table.sum() / weights.sum(axis=1, keepdims=True)
        drawn.append(np.asarray(evaluate(weights), np.float64).reshape(-1))
    return np.concatenate(drawn)


def smoothed_ranking_draws(
    truth: ArrayLike, scores: ArrayLike, measure: Measure, *, n_resamples: int, seed: int
) -> FloatArray:
    """The same idea for rankings: items weigh exponentially, and unseen items weigh a little.

    For each class one pseudo-item that is ranked best and one ranked worst are added, with gamma
    weights of 1/3 for the best and 2/3 in all for the worst. ``scores`` of two classes is (n,),
    probabilities are (n, C).
    """
    labels, values = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if measure.prepare is None:
        raise TypeError(f"{measure.called} does not rank")
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
    shapes = np.repeat([RANKED_PRIOR, 2.0 * RANKED_PRIOR / n_classes], n_classes)
    rows = max(1, 2**19 // labels.size)
    drawn = []
    for block, start in steps("sampling", list(enumerate(range(0, n_resamples, rows)))):
        rng, size = stream(seed, block), min(rows, n_resamples - start)
        seen = rng.standard_exponential((size, labels.size))
        unseen = rng.standard_gamma(shapes, (size, shapes.size))
        drawn.append(function(np.concatenate([seen, unseen], axis=1)))
    return np.concatenate(drawn)


def widened(draws: FloatArray, value: float, level: float) -> tuple[float, float]:
    """The central part of the draws, widened to hold the estimate where there is one."""
    low, high = percentile_interval(draws, level=level)
    return (low, high) if math.isnan(value) else (min(low, value), max(high, value))


def scaled(measure: Measure, scale: float) -> Measure:
    """The measure of counts that were shrunk to as many items as there are independent units."""
    inner, margins = measure.function, measure.margins
    if scale == 1.0:
        return measure
    return replace(
        measure,
        function=lambda matrices: inner(matrices * scale),
        margins=None if margins is None else lambda *sums: margins(*(one * scale for one in sums)),
    )


def pseudo_counts(n_classes: int) -> FloatArray:
    """0.4 for the right answers of each class, 0.8 in all for the wrong ones, spread evenly."""
    right = RIGHT_PRIOR * np.eye(n_classes)
    if n_classes == 1:
        return right
    wrong = 2.0 * RIGHT_PRIOR / n_classes
    if n_classes > SPREAD_CLASSES:
        return right + wrong * np.roll(np.eye(n_classes), 1, axis=1)
    return right + wrong / (n_classes - 1) * (1.0 - np.eye(n_classes))
