"""Areas under ROC curves without each cluster in turn, from two sorts instead of one per cluster."""

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IntArray


def areas_without(
    truth: ArrayLike, scores: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None
) -> FloatArray:
    """The AUC with one cluster left out, for each cluster; NaN where a class goes missing.

    The pairs of a positive and a negative that a cluster takes part in are those of its positives with
    all negatives and of its negatives with all positives, less those that lie inside it.
    """
    labels, codes = np.asarray(truth, dtype=np.bool_), np.asarray(clusters, dtype=np.int64)
    values = np.asarray(scores, dtype=np.float64)
    amounts = np.ones(labels.size) if weights is None else np.asarray(weights, np.float64)
    positive, negative = np.where(labels, amounts, 0.0), np.where(labels, 0.0, amounts)
    everywhere = np.zeros_like(codes)
    size = int(codes.max()) + 1
    won = _beaten(values, everywhere, negative) * positive
    lost = _beaten(-values, everywhere, positive) * negative
    inside = _beaten(values, codes, negative) * positive
    total = won.sum()
    taking_part = _sums(codes, won + lost, size) - _sums(codes, inside, size)
    left = (positive.sum() - _sums(codes, positive, size)) * (
        negative.sum() - _sums(codes, negative, size)
    )
    # sums of weights that cancel leave dust
    gone = left <= 1e-12 * positive.sum() * negative.sum()
    return np.where(gone, np.nan, (total - taking_part) / np.where(gone, 1.0, left))


def _beaten(scores: FloatArray, groups: IntArray, weights: FloatArray) -> FloatArray:
    """For each item the weight of those of its group with a lower score, half of those with the same."""
    order = np.lexsort((scores, groups))
    ordered, group = scores[order], groups[order]
    new_group = np.concatenate([[True], group[1:] != group[:-1]])
    new_score = new_group | np.concatenate([[True], ordered[1:] != ordered[:-1]])
    before = np.concatenate([[0.0], np.cumsum(weights[order])])
    starts = np.append(np.flatnonzero(new_score), ordered.size)
    tie = np.cumsum(new_score) - 1
    first = np.flatnonzero(new_group)[np.cumsum(new_group) - 1]
    found = np.empty_like(scores)
    found[order] = (before[starts[tie]] + before[starts[tie + 1]]) / 2.0 - before[first]
    return found


def _sums(codes: IntArray, values: FloatArray, size: int) -> FloatArray:
    return np.bincount(codes, weights=values, minlength=size).astype(np.float64)
