"""Worlds whose truth is known, and learners so simple that their true error is too."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def two_classes(
    rng: np.random.Generator, n: int, p: int, apart: float
) -> tuple[FloatArray, IntArray]:
    """Normal features in p dimensions; the classes are ``apart`` in the first."""
    labels = rng.permutation(np.arange(n) % 2)
    features = rng.normal(size=(n, p))
    features[:, 0] += apart * (labels - 0.5)
    return features, labels


def centroids(
    weights: FloatArray, features: FloatArray, labels: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Nearest-centroid classifiers, one for each row of weights: directions and thresholds."""
    means = [
        weights * (labels == one) @ features / (weights * (labels == one)).sum(1, keepdims=True)
        for one in (0, 1)
    ]
    direction = means[1] - means[0]
    return direction, ((means[1] + means[0]) / 2 * direction).sum(axis=1)


def scores_of(models: tuple[FloatArray, FloatArray], features: FloatArray) -> FloatArray:
    """(models, items): above 0 is class 1."""
    return np.asarray(models[0] @ features.T - models[1][:, None])


def true_errors(models: tuple[FloatArray, FloatArray], apart: float) -> FloatArray:
    direction, threshold = models
    size = np.linalg.norm(direction, axis=1)
    shift = direction[:, 0] * apart / 2
    return np.asarray(ndtr((threshold - shift) / size) + ndtr((-threshold - shift) / size)) / 2


def true_areas(models: tuple[FloatArray, FloatArray], apart: float) -> FloatArray:
    size = np.linalg.norm(models[0], axis=1)
    return np.asarray(ndtr(models[0][:, 0] * apart / size / np.sqrt(2.0)))


def fold_weights(folds: IntArray) -> FloatArray:
    """One row per fold: 1 for the items outside it."""
    return np.asarray(folds[None, :] != np.arange(folds.max() + 1)[:, None], dtype=np.float64)
