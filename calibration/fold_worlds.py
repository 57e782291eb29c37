"""Populations and learners of `calibration.fold_grid`: hundreds of fits of one sample at once.

A learner gets features (n, d), the target (n,) and weights (fits, n), 1 where an item is trained on,
and gives the loss of every item under every fit, (fits, n): squared errors of numbers, 0 and 1 of
classes. An item shows two views, alike in distribution, so that a learner on the first and the same
learner on the second are exchangeable.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray, IntArray
from calibration.fold_kernels import said_by

Generator = np.random.Generator
Fit = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
"""Features, target, weights (fits, n): what is predicted, (fits, n); a class where above one half."""

RIDGE = 1.0
SLOPES = np.array([1.0, 0.5, 0.25, 0.0])
RARE = 0.1
LEAST_VARIANCE = 1e-6


def draw(
    population: str, n: int, noise: float, rng: Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Two views (n, 4) and the target; ``noise`` is the spread of what spoils the second view."""
    first, second, target = POPULATIONS[population](n, rng)
    return first, second + noise * rng.standard_normal(second.shape), target


def is_classes(population: str) -> bool:
    return population in CLASSES


def losses(
    learner: str,
    view: FloatArray,
    target: FloatArray,
    weights: FloatArray,
    tested: FloatArray,
    *,
    classes: bool,
) -> FloatArray:
    """The loss of every item under every fit that is tested on it; of others it may be any number."""
    said = said_by(learner, view, target, weights, tested > 0.0)
    if said is None:
        said = (LEARNERS if classes else NUMBER_LEARNERS)[learner](view, target, weights)
    wrong = (said > 0.5) != (target > 0.5) if classes else (said - target) ** 2
    return np.asarray(wrong, dtype=np.float64)


def deal(target: FloatArray, folds: int, rng: Generator, *, classes: bool) -> IntArray:
    """The fold of every item, with equal shares of the classes where there are classes."""
    shuffled = rng.random(target.size)
    order = np.lexsort((shuffled, target)) if classes else np.argsort(shuffled)
    owner = np.empty(target.size, dtype=np.int64)
    owner[order] = np.arange(target.size) % folds
    return owner


def _gaussians(n: int, rng: Generator, share: float = 0.5, shift: float = 1.0) -> list[FloatArray]:
    target = (rng.random(n) < share).astype(np.float64)
    means = shift * (target[:, None] - 0.5) * SLOPES
    return [*(means + rng.standard_normal((n, 4)) for _ in range(2)), target]


def _rare(n: int, rng: Generator) -> list[FloatArray]:
    return _gaussians(n, rng, RARE, 2.0)


def _ring(n: int, rng: Generator) -> list[FloatArray]:
    """One class around the other: no line tells them apart."""
    target = rng.integers(0, 2, n).astype(np.float64)
    spread = (0.7 + 0.8 * target)[:, None]
    return [*(spread * rng.standard_normal((n, 4)) for _ in range(2)), target]


def _linear(n: int, rng: Generator) -> list[FloatArray]:
    views = [rng.standard_normal((n, 4)) for _ in range(2)]
    return [*views, (views[0] + views[1]) @ SLOPES + rng.standard_normal(n)]


def _heavy(n: int, rng: Generator) -> list[FloatArray]:
    """The same with errors of five degrees of freedom."""
    views = [rng.standard_normal((n, 4)) for _ in range(2)]
    return [*views, (views[0] + views[1]) @ SLOPES + rng.standard_t(5, n)]


def _waves(n: int, rng: Generator) -> list[FloatArray]:
    views = [rng.standard_normal((n, 4)) for _ in range(2)]
    bent = sum(2.0 * np.sin(2.0 * one[:, 0]) + one[:, 1] ** 2 for one in views)
    return [*views, bent + rng.standard_normal(n)]


CLASSES = {"gaussians": _gaussians, "rare class": _rare, "ring": _ring}
NUMBERS = {"linear": _linear, "heavy tails": _heavy, "waves": _waves}
POPULATIONS: dict[str, Callable[[int, Generator], list[FloatArray]]] = {**CLASSES, **NUMBERS}


def _ridge(view: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """Least squares with a ridge on the slopes; of classes as numbers 0 and 1."""
    table = np.column_stack([np.ones(len(view)), view])
    d = table.shape[1]
    products = (table[:, :, None] * table[:, None, :]).reshape(len(view), -1)
    inner = (weights @ products).reshape(-1, d, d) + np.diag([1e-9, *np.full(d - 1, RIDGE)])
    slopes = np.linalg.solve(inner, (weights @ (table * target[:, None]))[..., None])[..., 0]
    return np.asarray(slopes @ table.T)


def _moments(
    view: FloatArray, target: FloatArray, weights: FloatArray
) -> list[tuple[FloatArray, FloatArray, FloatArray]]:
    """Of each class and fit: how many items, their means and mean squares by feature."""
    found = []
    for label in (0.0, 1.0):
        mine = weights * (target == label)
        count = mine.sum(axis=1)
        safe = np.maximum(count, 1.0)[:, None]
        found.append((count, mine @ view / safe, mine @ view**2 / safe))
    return found


def _one_class(said: FloatArray, none: FloatArray, ones: FloatArray) -> FloatArray:
    """A class that was not trained on is never said."""
    said = np.where((ones == 0.0)[:, None], 0.0, said)
    return np.asarray(np.where((none == 0.0)[:, None], 1.0, said))


def _naive_bayes(view: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """Normal features, independent within a class."""
    scores, counts = [], []
    for count, mean, square in _moments(view, target, weights):
        variance = np.maximum(square - mean**2, LEAST_VARIANCE)
        # sum over features of (x - m)²/v, without an array of fits x items x features
        far = (
            (1.0 / variance) @ (view**2).T
            - 2.0 * (mean / variance) @ view.T
            + (mean**2 / variance + np.log(variance)).sum(axis=1)[:, None]
        )
        scores.append(np.log(np.maximum(count, 1e-9))[:, None] - far / 2.0)
        counts.append(count)
    return _one_class((scores[1] > scores[0]).astype(np.float64), counts[0], counts[1])


def _lda(view: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """Fisher's discriminant with the pooled covariance."""
    (n_0, mean_0, _), (n_1, mean_1, _) = _moments(view, target, weights)
    d = view.shape[1]
    products = (view[:, :, None] * view[:, None, :]).reshape(len(view), -1)
    total = (weights @ products).reshape(-1, d, d)
    for count, mean in ((n_0, mean_0), (n_1, mean_1)):
        total -= count[:, None, None] * mean[:, :, None] * mean[:, None, :]
    covariance = total / np.maximum(n_0 + n_1 - 2.0, 1.0)[:, None, None] + 1e-6 * np.eye(d)
    slopes = np.linalg.solve(covariance, (mean_1 - mean_0)[..., None])[..., 0]
    middle = ((mean_0 + mean_1) * slopes).sum(axis=1) / 2.0
    prior = np.log(np.maximum(n_1, 1e-9) / np.maximum(n_0, 1e-9))
    said = slopes @ view.T > (middle - prior)[:, None]
    return _one_class(said.astype(np.float64), n_0, n_1)


def _nearest(count: int) -> Fit:
    """The mean target of the ``count`` nearest items that were trained on, the item itself never."""
    look = 24 if count == 1 else 8 * count

    def said(view: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
        from scipy.spatial import cKDTree

        near = min(look, len(view) - 1)
        order = np.asarray(cKDTree(view).query(view, near + 1)[1])[:, 1:]
        inside: BoolArray = np.ascontiguousarray(weights.T > 0.0)
        wanted = np.full(inside.shape, count, dtype=np.int8)
        sums = np.zeros(inside.shape)
        for neighbour in order.T:  # the nearest first: few are needed, for most items train
            met = inside[neighbour] & (wanted > 0)
            wanted -= met
            sums += met * target[neighbour][:, None]
            if not wanted.any():
                break
        means = sums / count
        for item, fit in np.argwhere(wanted > 0):
            squares = ((view - view[item]) ** 2).sum(axis=1)
            squares[(weights[fit] == 0.0) | (np.arange(len(view)) == item)] = np.inf
            closest = np.argsort(squares)[: min(count, int(weights[fit].sum()))]
            means[item, fit] = target[closest].mean()
        return np.asarray(means.T)

    return said


def _stump(view: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """One cut of one feature, where the squares within both sides are least."""
    fits, n = weights.shape
    total, summed = weights.sum(axis=1)[:, None], (weights @ target)[:, None]
    best = np.full(fits, -np.inf)
    said = np.broadcast_to(summed / total, (fits, n)).copy()
    for feature in view.T:
        order = np.argsort(feature)
        rank = np.empty(n, dtype=np.int64)
        rank[order] = np.arange(n)
        inside = weights[:, order]
        left = np.cumsum(inside, axis=1)
        sums = np.cumsum(inside * target[order], axis=1)
        right = total - left
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = sums**2 / left + (summed - sums) ** 2 / right
        gain[(left < 0.5) | (right < 0.5)] = -np.inf
        cut = gain.argmax(axis=1)
        row = np.arange(fits)
        better = gain[row, cut] > best
        best = np.where(better, gain[row, cut], best)
        low = sums[row, cut] / np.maximum(left[row, cut], 1.0)
        high = (summed[:, 0] - sums[row, cut]) / np.maximum(right[row, cut], 1.0)
        here = np.where(rank <= cut[:, None], low[:, None], high[:, None])
        said[better] = here[better]
    return said


def _tree(view: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """A regression tree grown until every leaf is pure: of 0 and 1 it says one of them."""
    from sklearn import config_context
    from sklearn.tree import DecisionTreeRegressor

    points = view.astype(np.float32)
    said = np.empty(weights.shape)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for row, weight in enumerate(weights):
            inside = weight > 0.0
            tree = DecisionTreeRegressor(random_state=0)
            tree.fit(points[inside], target[inside], check_input=False)
            said[row] = tree.tree_.predict(points).ravel()
    return said


UNITS, STEPS, PACE = 6, 100, 0.05
"""Hidden units of the net, how many steps it is trained, and how far Adam goes in each."""


class Beginning(NamedTuple):
    """Where nets begin, and what they see."""

    table: NDArray[np.float32]  # (n, features and a one)
    aim: NDArray[np.float32]  # (n, fits): the target, centred and scaled
    middle: FloatArray
    spread: FloatArray
    inner: NDArray[np.float32]  # (features and a one, units x fits)
    outer: NDArray[np.float32]  # (units, fits)


def beginning(view: FloatArray, target: FloatArray, weights: FloatArray) -> Beginning:
    """A random start for each fit."""
    fits, n = weights.shape
    rng = np.random.default_rng(np.frombuffer(view[:8].tobytes(), dtype=np.uint32))
    total = weights.sum(axis=1)
    middle = weights @ target / total
    spread = np.sqrt(np.maximum(weights @ target**2 / total - middle**2, LEAST_VARIANCE))
    table = np.column_stack([view, np.ones(n)]).astype(np.float32)
    return Beginning(
        table=table,
        aim=((target[:, None] - middle) / spread).astype(np.float32),
        middle=middle,
        spread=spread,
        inner=rng.standard_normal((table.shape[1], UNITS * fits), dtype=np.float32),
        outer=rng.standard_normal((UNITS, fits), dtype=np.float32) / np.float32(UNITS),
    )


def _net(view: FloatArray, target: FloatArray, weights: FloatArray) -> FloatArray:
    """A small net, stopped early: one layer of tanh and squared errors."""
    fits, n = weights.shape
    table, aim, middle, spread, inner, outer = beginning(view, target, weights)
    share = (weights / weights.sum(axis=1)[:, None]).T.astype(np.float32)
    state = [_Adam(inner), _Adam(outer)]
    for step in range(STEPS + 1):
        hidden = np.tanh(table @ inner).reshape(n, UNITS, fits)
        said = (hidden * outer).sum(axis=1)
        if step == STEPS:
            break
        error = ((said - aim) * share)[:, None]
        back = error * outer * (1.0 - hidden**2)
        state[0].step(table.T @ back.reshape(n, -1), step)
        state[1].step((error * hidden).sum(axis=0), step)
    return np.asarray(said * spread + middle, dtype=np.float64).T


class _Adam:
    """Kingma and Ba's steps, of numbers that are changed where they lie."""

    def __init__(self, numbers: NDArray[np.float32]) -> None:
        self.numbers = numbers
        self.mean, self.square = np.zeros_like(numbers), np.zeros_like(numbers)

    def step(self, slope: NDArray[np.float32], step: int) -> None:
        self.mean += 0.1 * (slope - self.mean)
        self.square += 0.001 * (slope**2 - self.square)
        mean = self.mean / np.float32(1.0 - 0.9 ** (step + 1))
        square = self.square / np.float32(1.0 - 0.999 ** (step + 1))
        self.numbers -= PACE * mean / (np.sqrt(square) + 1e-8)


NUMBER_LEARNERS: dict[str, Fit] = {
    "ridge": _ridge,
    "1-NN": _nearest(1),
    "5-NN": _nearest(5),
    "stump": _stump,
    "tree": _tree,
    "net": _net,
}
LEARNERS: dict[str, Fit] = {**NUMBER_LEARNERS, "LDA": _lda, "naive Bayes": _naive_bayes}
