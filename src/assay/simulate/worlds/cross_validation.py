"""Real learners cross-validated on many samples at once.

Items of a sample have an owner, the fold that tests them: of each item we want to know only whether
the model trained without its own fold is right about it. That saves what `learners.predict` does
for items nobody asks about; `tests/simulate/test_cross_validation.py` compares the two.
"""

from collections.abc import Callable

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.kernels.special import expit
from assay.simulate.worlds.learners import PENALTY, LearnerName
from assay.simulate.worlds.trees import grow_and_say, items_of

Generator = np.random.Generator
Said = Callable[[FloatArray, IntArray, IntArray, int, Generator], IntArray]

NEIGHBOURS = 16
"""Neighbours looked at before all others: nearly always one of them is in the training part."""
NEWTON_STEPS = 25
CONVERGED = 1e-9


def right_when_left_out(
    learner: LearnerName,
    view: FloatArray,
    truth: IntArray,
    owner: IntArray,
    tested: int,
    rng: Generator,
) -> BoolArray:
    """Whether each item is right, ``(samples, repeats, n)``, said by models that did not see its fold.

    ``view`` (samples, n, d), ``truth`` (samples, n), ``owner`` (samples, repeats, n): folds from
    ``tested`` on are trained on and never tested, and what is said of their items means nothing.
    """
    said = _LEARNERS[learner](view, truth, owner, tested, rng)
    return np.asarray(said == truth[:, None, :])


def _centroid(
    view: FloatArray,
    truth: IntArray,
    owner: IntArray,
    tested: int,  # noqa: ARG001
    rng: Generator,  # noqa: ARG001
) -> IntArray:
    """The class with the nearer mean; a class that was not seen is never said."""
    samples, repeats, _ = owner.shape
    folds = int(owner.max()) + 1
    run = np.arange(samples * repeats).reshape(samples, repeats, 1)
    label = np.broadcast_to(truth[:, None, :], owner.shape)
    group = ((run * folds + owner) * 2 + label).ravel()
    size = 2 * folds * samples * repeats

    def others(weights: FloatArray | None) -> FloatArray:
        """Sums over the training items of each fold and class."""
        sums = np.bincount(group, weights=weights, minlength=size).reshape(-1, folds, 2)
        return np.asarray(sums.sum(axis=1, keepdims=True) - sums, dtype=np.float64)

    counts = others(None)
    distance = np.zeros((*owner.shape, 2))
    for feature in range(view.shape[2]):
        values = np.broadcast_to(view[:, None, :, feature], owner.shape)
        means = others(values.ravel()) / np.maximum(counts, 1.0)
        distance += (values[..., None] - means[run, owner]) ** 2
    distance[counts[run, owner] < 0.5] = np.inf
    return np.asarray(distance[..., 1] < distance[..., 0]).astype(np.int64).reshape(owner.shape)


def _logistic(
    view: FloatArray,
    truth: IntArray,
    owner: IntArray,
    tested: int,
    rng: Generator,  # noqa: ARG001
) -> IntArray:
    """Logistic regression with a ridge on the slopes: Newton's method from the model of all items."""
    samples, repeats, n = owner.shape
    table = np.concatenate([np.ones((samples, n, 1)), view], axis=2)
    everything = np.ones((samples, 1, n))
    start = _newton(table, truth, everything, np.zeros((samples, 1, table.shape[2])))
    trained = owner[:, :, None, :] != np.arange(tested)[:, None]
    weights = trained.reshape(samples, repeats * tested, n).astype(np.float64)
    slopes = _newton(table, truth, weights, np.repeat(start, repeats * tested, axis=1))
    slopes = slopes.reshape(samples, repeats, tested, -1)
    mine = np.take_along_axis(slopes, np.minimum(owner, tested - 1)[..., None], axis=2)
    return np.asarray(np.einsum("srnd,snd->srn", mine, table) > 0.0).astype(np.int64)


def _newton(
    table: FloatArray, truth: IntArray, weights: FloatArray, slopes: FloatArray
) -> FloatArray:
    d = table.shape[2]
    ridge = np.array([1e-9, *np.full(d - 1, PENALTY)])
    first, second = np.triu_indices(d)
    products = table[..., first] * table[..., second]
    for _ in range(NEWTON_STEPS):
        chance = slopes @ np.swapaxes(table, 1, 2)
        np.clip(chance, -30.0, 30.0, out=chance)
        expit(chance, out=chance)
        gradient = (weights * (truth[:, None] - chance)) @ table - slopes * ridge
        chance *= 1.0 - chance
        chance *= weights
        flat = chance @ products
        curvature = np.empty((*flat.shape[:2], d, d))
        curvature[..., first, second] = curvature[..., second, first] = flat
        curvature += np.diag(ridge)
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        slopes = slopes + step
        if np.abs(step).max() < CONVERGED:
            break
    return slopes


def _nearest(
    view: FloatArray,
    truth: IntArray,
    owner: IntArray,
    tested: int,
    rng: Generator,  # noqa: ARG001
) -> IntArray:
    """The class of the nearest training item."""
    from scipy.spatial import cKDTree

    samples, repeats, n = owner.shape
    said = np.empty(owner.shape, dtype=np.int64)
    look = min(NEIGHBOURS, n)
    for sample in range(samples):
        points, mine = view[sample], owner[sample]
        order = np.asarray(cKDTree(points).query(points, look)[1])
        run, item = np.nonzero(mine < tested)
        found = np.zeros(repeats * n, dtype=np.int64)
        for place in range(1, look):
            other = order[item, place]
            met = mine[run, other] != mine[run, item]
            found[run[met] * n + item[met]] = other[met]
            run, item = run[~met], item[~met]
            if not run.size:
                break
        for one, target in zip(run.tolist(), item.tolist(), strict=True):
            squares = ((points - points[target]) ** 2).sum(axis=1)
            squares[mine[one] == mine[one, target]] = np.inf
            found[one * n + target] = squares.argmin()
        said[sample] = truth[sample][found].reshape(repeats, n)
    return said


def _tree(
    view: FloatArray, truth: IntArray, owner: IntArray, tested: int, rng: Generator
) -> IntArray:
    samples, repeats, n = owner.shape
    items = items_of(view, truth)
    run = np.arange(samples * repeats).reshape(samples, repeats, 1, 1)
    fold = np.arange(tested)[:, None]
    tree = np.broadcast_to(run * tested + fold, (samples, repeats, tested, n))
    item = np.broadcast_to(
        np.arange(samples * n).reshape(samples, 1, 1, n), (samples, repeats, tested, n)
    )
    outside = owner[:, :, None, :] == fold
    said = np.zeros(owner.shape, dtype=np.int64)
    answered = grow_and_say(
        items, (tree[~outside], item[~outside]), (tree[outside], item[outside]), rng
    )
    place = np.broadcast_to(np.arange(said.size).reshape(samples, repeats, 1, n), outside.shape)
    said.ravel()[place[outside]] = answered
    return said


_LEARNERS: dict[LearnerName, Said] = {
    "centroid": _centroid,
    "logistic": _logistic,
    "one-nn-half-features": _nearest,
    "tree-random-features": _tree,
}
