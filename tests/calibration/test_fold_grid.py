"""The learners of the grid of folds are those of scikit-learn; its batched intervals those of the methods."""

from typing import Any

import numpy as np
import pytest

from calibration.fold_grid import (
    PROCEDURES,
    Cell,
    _check,
    _doubtful,
    cells,
    counted,
    draws,
    measured,
    splits_of,
    true_loss,
)
from calibration.fold_grid_page import by_cell, exceeds, sections
from calibration.fold_worlds import LEARNERS, NUMBER_LEARNERS, POPULATIONS, deal, draw


def same_of_scikit(learner: str, *, classes: bool) -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import Ridge
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.tree import DecisionTreeRegressor

    del classes
    return {
        "ridge": Ridge(alpha=1.0),
        "LDA": LinearDiscriminantAnalysis(solver="lsqr"),
        "naive Bayes": GaussianNB(),
        "1-NN": KNeighborsRegressor(1),
        "5-NN": KNeighborsRegressor(5),
        "stump": DecisionTreeRegressor(max_depth=1),
        "tree": DecisionTreeRegressor(random_state=0),
    }[learner]


LIKE_SCIKIT = [learner for learner in LEARNERS if learner != "net"]


@pytest.mark.parametrize("learner", LIKE_SCIKIT)
def test_classes_as_scikit_says_them(learner: str) -> None:
    rng = np.random.default_rng(6)
    view, _, target = draw("gaussians", 120, 0.0, rng)
    weights = (rng.random((4, 120)) < 0.7).astype(float)
    said = LEARNERS[learner](view, target, weights) > 0.5
    agree = []
    for row, weight in enumerate(weights):
        inside = weight > 0
        model = same_of_scikit(learner, classes=True).fit(view[inside], target[inside])
        agree.append((model.predict(view[~inside]) > 0.5) == said[row, ~inside])
    # a stump cuts just above an item, scikit-learn half way to the next
    assert np.concatenate(agree).mean() > (0.95 if learner == "stump" else 0.99)


@pytest.mark.parametrize("learner", [one for one in LIKE_SCIKIT if one in NUMBER_LEARNERS])
def test_numbers_as_scikit_says_them(learner: str) -> None:
    rng = np.random.default_rng(7)
    view, _, target = draw("waves", 90, 0.0, rng)
    weights = (rng.random((3, 90)) < 0.7).astype(float)
    said = NUMBER_LEARNERS[learner](view, target, weights)
    for row, weight in enumerate(weights):
        inside = weight > 0
        model = same_of_scikit(learner, classes=False).fit(view[inside], target[inside])
        close = np.isclose(model.predict(view[~inside]), said[row, ~inside], atol=1e-6)
        assert close.mean() > 0.9


def test_a_net_learns_from_the_items_it_is_trained_on_alone() -> None:
    rng = np.random.default_rng(8)
    view, _, target = draw("waves", 300, 0.0, rng)
    weights = (np.arange(300) < 200).astype(float)[None]
    said = NUMBER_LEARNERS["net"](view, target, np.vstack([weights, weights]))
    ridge = NUMBER_LEARNERS["ridge"](view, target, weights)
    wrong, linear = (((one[0] - target) ** 2)[200:].mean() for one in (said, ridge))
    assert wrong < linear  # a wave is no line
    assert not np.allclose(said[0], said[1])  # each fit has a start of its own
    elsewhere = np.where(weights[0] > 0.0, target, 0.0)
    again = NUMBER_LEARNERS["net"](view, elsewhere, np.vstack([weights, weights]))
    assert again == pytest.approx(said)


def test_a_class_that_was_not_trained_on_is_never_said() -> None:
    view = np.random.default_rng(1).standard_normal((10, 4))
    target = np.r_[np.zeros(5), np.ones(5)]
    only = np.r_[np.ones(5), np.zeros(5)][None]
    for learner in ("LDA", "naive Bayes"):
        assert (LEARNERS[learner](view, target, only) < 0.5).all()
        assert (LEARNERS[learner](view, target, 1.0 - only) > 0.5).all()


def test_folds_have_equal_shares_of_the_classes() -> None:
    target = np.r_[np.zeros(40), np.ones(10)]
    owner = deal(target, 5, np.random.default_rng(0), classes=True)
    assert np.bincount(owner).tolist() == [10] * 5
    assert np.bincount(owner[target == 1]).tolist() == [2] * 5


def test_halves_share_no_item_and_nested_fits_leave_two_folds_out() -> None:
    splits = splits_of(50, 25)
    train, test = splits.train > 0, splits.test > 0
    assert not (train & test).any()
    for first in range(100, 150, 10):
        left, right = (train | test)[first], (train | test)[first + 5]
        assert not (left & right).any()
    item, fold = 7, (splits.fives[0, 7] + 1) % 5
    without = splits.nested[0, item, fold]
    held = np.isin(splits.fives[0], (fold, splits.fives[0, item]))
    assert np.array_equal(train[without], ~held)


@pytest.mark.parametrize("population", POPULATIONS)
def test_batched_intervals_are_those_of_the_public_methods(population: str) -> None:
    cell = Cell(population, "ridge", "1-NN", 50)
    for _, (a, b, splits) in zip(range(2), draws(cell), strict=False):
        _check(a - b, splits)


def test_counting() -> None:
    found = counted(np.array([0.0, 1.0, 3.0, 0.0]), np.array([2.0, 2.0, 2.0, 0.0]), 0.5)
    assert (found["misses"], found["rejects"], found["undefined"]) == (0.25, 0.25, 0.25)
    assert found["width"] == 4.0
    assert (found["low"], found["high"]) == (0.0, 0.25)
    assert found["bias"] == 0.5
    assert found["stretch"] == pytest.approx(np.quantile([0.25, 0.25, 1.25, 0.0], 0.95), abs=1e-3)


def test_equal_learners_have_one_true_loss() -> None:
    first, second = (true_loss("gaussians", "ridge", view, 0.0, 40) for view in (0, 1))
    assert first == pytest.approx(second, abs=0.01)


def test_a_doubtful_cell_is_drawn_again_once() -> None:
    cell = cells()[0]
    one = {"replicates": cell.replicates, "two": {"cautious t, 10 x 5 folds": {"misses": 0.08}}}
    assert _doubtful(one, cell)
    assert not _doubtful({**one, "replicates": 5 * cell.replicates}, cell)
    assert not _doubtful(None, cell)
    assert exceeds(0.12, 500)
    assert not exceeds(0.07, 500)


def test_the_page_says_where_the_default_fails() -> None:
    cell = next(one for one in cells() if one.a != one.b)
    counted = {"truth": 0.1, "misses": 0.3, "rejects": 0.4, "undefined": 0.0, "width": 0.2,
               "critical": 1.0, "quantiles": [0.1] * 49}  # fmt: skip
    part = dict.fromkeys(PROCEDURES, counted)
    kept = {cell.name: {"replicates": 500, "two": part, "one": part}}
    text = sections(kept)
    assert "missed too often beyond chance in these cells" in text
    assert f"{cell.a} / {cell.b}" in text
    assert "Not yet measured: " in by_cell(kept)


def test_a_first_pass_is_the_beginning_of_the_whole() -> None:
    cell = Cell("linear", "ridge", "1-NN", 50)
    some = list(draws(cell, samples=3))
    assert len(some) == 3
    for ours, theirs in zip(some, draws(cell), strict=False):
        assert (ours[0] == theirs[0]).all()
        assert (ours[1] == theirs[1]).all()
    found = measured(cell, samples=40)
    assert found["replicates"] == 40
