"""Real learners, quick enough to be trained a million times, on populations that are known.

An item shows two views of its class, alike in distribution and independent given the class: a
learner on the first and the same learner on the second are exchangeable.
"""

from typing import Any, Literal, get_args

import numpy as np

from assay.core.arrays import FloatArray, IntArray

LearnerName = Literal["tree-random-features", "one-nn-half-features", "centroid", "logistic"]
Population = Literal["two-gaussians", "moons", "checkerboard"]
LEARNERS: tuple[LearnerName, ...] = get_args(LearnerName)
POPULATIONS: tuple[Population, ...] = get_args(Population)
Generator = np.random.Generator

VIEW = 2
"""Features in a view."""
CELLS = 4
"""Cells of the checkerboard along each side."""
PENALTY = 1.0
"""The ridge of logistic regression on its slopes, as scikit-learn has it (C = 1)."""
NEWTON_STEPS = 12
NEAREST = 32
"""Neighbours looked at before the rest: nearly always one of them is in the training part."""
LEAF = 5


def draw_items(population: Population, n: int, rng: Generator) -> tuple[FloatArray, IntArray]:
    """Features (n, 4), two views of two, and classes 0 and 1 in equal shares."""
    truth = rng.integers(0, 2, n)
    views = [_view(population, truth, rng) for _ in range(2)]
    return np.concatenate(views, axis=1), truth


def _view(population: Population, truth: IntArray, rng: Generator) -> FloatArray:
    n = truth.size
    if population == "two-gaussians":
        return np.asarray(truth[:, None] - 0.5 + rng.standard_normal((n, VIEW)))
    if population == "moons":
        angle = np.pi * rng.random(n)
        upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        lower = np.array([1.0, 0.5]) - upper
        centre = np.where(truth[:, None] == 0, upper, lower)
        return np.asarray(centre + 0.3 * rng.standard_normal((n, VIEW)))
    column = rng.integers(0, CELLS, n)
    row = 2 * rng.integers(0, CELLS // 2, n) + (column + truth) % 2
    return np.asarray(np.stack([column, row], axis=1) + rng.random((n, VIEW)))


def predict(
    learner: LearnerName,
    features: FloatArray,
    truth: IntArray,
    weights: FloatArray,
    targets: FloatArray,
    rng: Generator,
) -> IntArray:
    """Classes (splits, targets) said by a learner trained on each row of ``weights`` (splits, n).

    A weight of 0 leaves an item out; a bootstrap sample has weights 2 and 3.
    """
    if learner == "centroid":
        return _centroid(features, truth, weights, targets)
    if learner == "logistic":
        return _logistic(features, truth, weights, targets)
    if learner == "one-nn-half-features":
        return _nearest(features, truth, weights, targets)
    return _tree(features, truth, weights, targets, rng)


def _centroid(
    features: FloatArray, truth: IntArray, weights: FloatArray, targets: FloatArray
) -> IntArray:
    """The class with the nearer mean; a class that was not seen is never said."""
    distances = []
    for label in (0, 1):
        mine = weights * (truth == label)
        total = mine.sum(axis=1)
        mean = (mine @ features) / np.maximum(total, 1e-300)[:, None]
        squares = ((targets[None] - mean[:, None]) ** 2).sum(axis=2)
        distances.append(np.where(total[:, None] > 0.0, squares, np.inf))
    return (distances[1] < distances[0]).astype(np.int64)


def _logistic(
    features: FloatArray, truth: IntArray, weights: FloatArray, targets: FloatArray
) -> IntArray:
    """Logistic regression with a ridge on the slopes, all splits at once by Newton's method."""
    table = np.column_stack([np.ones(len(features)), features])
    ridge = np.diag([1e-9, *np.full(features.shape[1], PENALTY)])
    slopes = np.zeros((len(weights), table.shape[1]))
    for _ in range(NEWTON_STEPS):
        chance = 1.0 / (1.0 + np.exp(-np.clip(slopes @ table.T, -30.0, 30.0)))
        gradient = (weights * (truth - chance)) @ table - slopes @ ridge
        curvature = np.einsum("si,ij,ik->sjk", weights * chance * (1.0 - chance), table, table)
        slopes += np.linalg.solve(curvature + ridge, gradient[..., None])[..., 0]
    return (slopes @ np.column_stack([np.ones(len(targets)), targets]).T > 0.0).astype(np.int64)


def _nearest(
    features: FloatArray, truth: IntArray, weights: FloatArray, targets: FloatArray
) -> IntArray:
    """The class of the nearest training item."""
    squares = ((targets[:, None] - features[None]) ** 2).sum(axis=2)
    look = min(NEAREST, len(features))
    order = np.argpartition(squares, look - 1, axis=1)[:, :look]
    order = np.take_along_axis(order, np.take_along_axis(squares, order, 1).argsort(axis=1), 1)
    inside = weights > 0.0
    met = inside[:, order]  # (splits, targets, neighbours)
    said = truth[order[np.arange(len(targets))[None], met.argmax(axis=2)]]
    for split, target in np.argwhere(~met.any(axis=2)):
        said[split, target] = truth[np.where(inside[split], squares[target], np.inf).argmin()]
    return np.asarray(said)


def _tree(
    features: FloatArray,
    truth: IntArray,
    weights: FloatArray,
    targets: FloatArray,
    rng: Generator,
) -> IntArray:
    """A tree that looks at one feature, drawn anew, at each node."""
    from assay.core.extras import needs

    needs("study")
    from sklearn.tree import DecisionTreeClassifier

    said = []
    for weight, seed in zip(weights, rng.integers(2**31, size=len(weights)), strict=True):
        inside = weight > 0.0
        tree: Any = DecisionTreeClassifier(
            max_features=1, min_samples_leaf=LEAF, random_state=int(seed)
        )
        tree.fit(features[inside], truth[inside], sample_weight=weight[inside])
        said.append(tree.predict(targets))
    return np.asarray(said, dtype=np.int64)
