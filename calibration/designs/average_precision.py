"""Average precision of one model and of two: what is counted of drawn rankings."""

import numpy as np
from numpy.typing import NDArray

from assay.estimates.average_precision import (
    FEW,
    average_precision_wilson,
    difference_parts,
    wilson_limits,
    wilson_parts,
)
from assay.estimates.bootstrap import interval_of, jackknife_of, replicates_of
from assay.estimates.misplaced_items import misplaced_p
from assay.estimates.resampling_cells import reduce
from assay.evidence.argument_checks import as_predictions
from assay.evidence.reading import read
from assay.hypotheses.average_precision import average_precision_test
from assay.kernels.batched_rankings import DUST
from assay.kernels.bootstrap_intervals import acceleration_of
from assay.kernels.resampling import cell_influence
from assay.kernels.special import ndtr, stdtr
from assay.measures.registry import find_measure
from calibration.designs.auc import Counts, plus
from calibration.designs.cells import ALPHAS, FloatArray, Table, at_alpha, tally
from calibration.designs.means import Disagreement

MEASURE = "average_precision"
RESAMPLES = 399

ONE = Table(
    procedure="average_precision_wilson", answers="evaluate", world="scores", measure=MEASURE,
    unit="item", parameters=("ties", "auc", "prevalence", "n"),
)  # fmt: skip
PAIR = Table(
    procedure="average_precision_test", answers="compare", world="scores", measure=MEASURE,
    unit="item", parameters=("ties", "auc", "prevalence", "n", "correlation"),
)  # fmt: skip
Powers = tuple[FloatArray, FloatArray]
"""Sums of squares and of fourth powers of slopes."""


def count_precision(
    counts: Counts,
    sums: Counts,
    found: tuple[FloatArray, Powers, FloatArray],
    sizes: tuple[FloatArray, FloatArray],
    truth: float,
) -> tuple[FloatArray, FloatArray]:
    """Coverage and width of the interval of one model; its 95 % limits.

    ``found`` are the values, the powers of their slopes and the weight of self-counting.
    """
    parts = wilson_parts(*found, *sizes)
    plus(counts, "noted", tally(np.minimum(parts["resting"], np.minimum(*sizes)) < FEW))
    kept = None
    for alpha in ALPHAS:
        low, high = wilson_limits(parts, alpha / 2.0)
        kept = (low, high) if kept is None else kept
        below, above = low > truth, high < truth
        plus(counts, at_alpha("coverage", alpha), tally(~(below | above)))
        plus(counts, at_alpha("missed_low", alpha), tally(below))
        plus(counts, at_alpha("missed_high", alpha), tally(above))
        plus(sums, at_alpha("width", alpha), float((high - low).sum()))
    if kept is None:
        raise TypeError("no level is asked for")
    return kept


def count_difference(
    counts: Counts, difference: FloatArray, powers: Powers, sizes: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Rejections of two like models; the p-values."""
    p = difference_p_values(difference, powers, sizes)
    plus(counts, "noted", tally(np.minimum(*sizes) < FEW))
    for alpha in ALPHAS:
        plus(counts, at_alpha("level", alpha), tally(p <= alpha))
    return p


def difference_p_values(
    difference: FloatArray, powers: Powers, sizes: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """The p-values of `average_precision_test` of many pairs of rankings."""
    parts = difference_parts(difference, powers, *sizes)
    varies = parts["variance"] > DUST
    size = np.abs(parts["difference"])
    error = np.sqrt(np.where(varies, parts["variance"], 1.0))
    flat = 2.0 * ndtr(-np.sqrt(np.minimum(*sizes) * size))
    p = np.asarray(np.where(varies, 2.0 * stdtr(parts["df"], -size / error), flat))
    unseen = misplaced_p(size, error, sizes, parts["df"], "two-sided")
    return np.where(varies, np.maximum(p, unseen), p)


def add_others(
    counts: Counts,
    sums: Counts,
    example: tuple[NDArray[np.bool_], FloatArray],
    truth: float,
    scale: float,
    seed: int,
) -> None:
    """Coverage and width of the other methods of the catalogue on a replicate.

    Both bootstraps take the limits from the same resamples; without an interval the whole range
    counts, as `evaluate` gives it.
    """
    columns = {"truth": example[0].astype(int), "a": example[1]}
    reduced = reduce(as_predictions(read(columns)), find_measure(MEASURE))
    drawn = replicates_of(reduced, n_resamples=RESAMPLES, rng=seed)
    value = float(drawn.values[0])
    influence, multiplicity = cell_influence(reduced.function, reduced.counts)
    speed = acceleration_of(influence[:, 0], multiplicity)
    values = drawn.replicates[~np.isnan(drawn.replicates[:, 0]), 0]
    for alpha in ALPHAS:
        level = 1.0 - alpha
        single = jackknife_of(reduced, n=example[0].size, level=level).interval
        limits = {
            "bootstrap": interval_of("percentile", values, value, 0.0, level=level),
            "bca": interval_of("bca", values, value, speed, level=level),
            "jackknife": None if single is None else (single.low, single.high),
        }
        for name, found in limits.items():
            whole = found is None or np.ptp(values) == 0.0
            low, high = (0.0, 1.0) if found is None or whole else found
            plus(counts, at_alpha(f"coverage/{name}", alpha), scale * (low <= truth <= high))
            plus(sums, at_alpha(f"width/{name}", alpha), scale * (high - low))


def check_interval(
    labels: NDArray[np.bool_], scores: FloatArray, limits: tuple[float, float]
) -> None:
    """One ranking goes through the public method."""
    found = average_precision_wilson(labels, scores).interval
    if found is None or not np.allclose((found.low, found.high), limits, rtol=1e-9):
        raise Disagreement(f"average precision: {limits!r} in calibration, {found!r} there")


def check_difference(labels: NDArray[np.bool_], scores: FloatArray, p: float) -> None:
    """One pair of rankings goes through the public method."""
    theirs = average_precision_test(labels, *scores).p_value
    if theirs is None or not np.isclose(theirs, p, rtol=1e-6, atol=1e-9):
        raise Disagreement(f"average_precision_test: {p!r} in calibration, {theirs!r} there")
