"""Compiled learners of the grid of folds say what the plain ones say."""

import shutil

import numpy as np
import pytest

from calibration import fold_kernels, fold_worlds
from calibration.fold_kernels import said_by
from calibration.fold_worlds import LEARNERS, draw, losses
from calibration.plain_folds import left_out_by

pytestmark = pytest.mark.skipif(
    not (shutil.which("cc") or shutil.which("gcc")), reason="there is no compiler of C"
)


def compiled(learner: str, view: np.ndarray, target: np.ndarray, out: np.ndarray) -> np.ndarray:
    found = said_by(learner, view, target, 1.0 - out, out > 0.0)
    assert found is not None
    return found


@pytest.mark.parametrize("population", ["gaussians", "rare class", "waves"])
@pytest.mark.parametrize("learner", ["1-NN", "5-NN", "stump", "net"])
@pytest.mark.parametrize("n", [50, 300])
def test_as_the_plain_learner_says(learner: str, population: str, n: int) -> None:
    view, _, target = draw(population, n, 0.0, np.random.default_rng(n))
    out = left_out_by(n, 10)
    ours, plain = compiled(learner, view, target, out), LEARNERS[learner](view, target, 1.0 - out)
    assert (ours[out == 0.0] == 0.0).all()
    # nets are trained in single precision, and a hundred steps carry what was rounded along
    within = np.abs(ours - plain)[out > 0.0] <= (0.01 * target.std() if learner == "net" else 1e-9)
    assert within.mean() >= (0.99 if learner == "net" else 1.0)


@pytest.mark.parametrize("population", ["gaussians", "waves"])
def test_a_tree_of_one_feature_is_that_of_scikit(population: str) -> None:
    """No two features tie there, so that every cut is settled."""
    view, _, target = draw(population, 200, 0.0, np.random.default_rng(4))
    out = left_out_by(200, 10)
    ours = compiled("tree", view[:, :1], target, out)
    plain = LEARNERS["tree"](view[:, :1], target, 1.0 - out)
    assert ours[out > 0.0] == pytest.approx(plain[out > 0.0])


@pytest.mark.parametrize("population", ["gaussians", "rare class", "waves"])
def test_a_tree_of_four_features_differs_where_cuts_tie_alone(population: str) -> None:
    rng = np.random.default_rng(5)
    out, found = left_out_by(100, 10), []
    for _ in range(40):
        view, _, target = draw(population, 100, 0.0, rng)
        said = compiled("tree", view, target, out), LEARNERS["tree"](view, target, 1.0 - out)
        found.append([((one - target) ** 2)[out > 0.0].mean() for one in said])
    ours, plain = np.array(found).T
    apart = ours - plain
    assert abs(apart.mean()) < 3.0 * apart.std(ddof=1) / np.sqrt(apart.size)
    assert apart.std() < 0.5 * plain.std()  # the same samples are the hard ones


def test_a_tree_knows_what_it_was_trained_on() -> None:
    view, _, target = draw("waves", 120, 0.0, np.random.default_rng(6))
    out = left_out_by(120, 5)
    said = said_by("tree", view, target, 1.0 - out, np.ones(out.shape, dtype=bool))
    assert said is not None
    known = out == 0.0
    assert said[known] == pytest.approx(np.broadcast_to(target, out.shape)[known])


def test_neighbours_beyond_those_that_were_looked_at() -> None:
    """Few and far: all items are searched; of three trained on five neighbours are those three."""
    rng = np.random.default_rng(7)
    view, _, target = draw("linear", 80, 0.0, rng)
    weights = np.zeros((2, 80))
    weights[0, np.argsort(view[:, 0])[-12:]] = 1.0
    weights[1, :3] = 1.0
    said = said_by("5-NN", view, target, weights, weights == 0.0)
    assert said is not None
    plain = LEARNERS["5-NN"](view, target, weights)
    assert said[0][weights[0] == 0.0] == pytest.approx(plain[0][weights[0] == 0.0])
    assert said[1][3:] == pytest.approx(np.full(77, target[:3].mean()))


@pytest.mark.parametrize("learner", ["1-NN", "5-NN"])
def test_one_fit_alone_has_the_same_neighbours(learner: str) -> None:
    view, _, target = draw("waves", 90, 0.0, np.random.default_rng(10))
    out = left_out_by(90, 5)
    together = compiled(learner, view, target, out)
    alone = [compiled(learner, view, target, out[fit : fit + 1])[0] for fit in range(5)]
    assert np.array(alone) == pytest.approx(together)


def test_items_that_count_twice_are_left_to_the_plain_learner() -> None:
    view, _, target = draw("linear", 20, 0.0, np.random.default_rng(8))
    weights = np.full((1, 20), 2.0)
    assert said_by("stump", view, target, weights, weights > 0.0) is None
    assert said_by("ridge", view, target, np.ones((1, 20)), weights > 0.0) is None


def test_without_a_compiler_losses_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    view, _, target = draw("ring", 60, 0.0, np.random.default_rng(9))
    out = left_out_by(60, 5)
    fast = losses("stump", view, target, 1.0 - out, out, classes=True)
    fold_kernels.library.cache_clear()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    slow = fold_worlds.losses("stump", view, target, 1.0 - out, out, classes=True)
    fold_kernels.library.cache_clear()
    assert np.array_equal(fast[out > 0.0], slow[out > 0.0])
