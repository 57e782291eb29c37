"""Learners cross-validated in batches, against the same learners one split at a time."""

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from assay.core.rng import stream
from assay.simulate.worlds.cross_validation import right_when_left_out
from assay.simulate.worlds.folds import Folds, accuracies, read_design
from assay.simulate.worlds.learners import POPULATIONS, draw_items, predict
from assay.simulate.worlds.trees import LEAF

DESIGNS = ("3x10-fold", "5x2", "4-subsamples-2-1")


def sample(population: Any, samples: int, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    features, truth = draw_items(population, samples * n, rng)
    return features.reshape(samples, n, 4), truth.reshape(samples, n)


class TestRightWhenLeftOut:
    @pytest.mark.parametrize("learner", ["centroid", "logistic", "one-nn-half-features"])
    @pytest.mark.parametrize("population", POPULATIONS)
    @pytest.mark.parametrize("text", DESIGNS)
    def test_is_what_each_model_says(self, learner: Any, population: Any, text: str) -> None:
        rng, design = stream(3), read_design(text)
        features, truth = sample(population, 2, 60, rng)
        view = features[..., :2]
        owner = design.draw_owners(2, 60, rng)
        found = right_when_left_out(learner, view, truth, owner, design.tested, rng)
        for place in np.ndindex(2, design.repeats):
            one, fold = place[0], owner[place]
            for tested in range(design.tested):
                train = (fold != tested).astype(float)[None]
                said = predict(learner, view[one], truth[one], train, view[one], rng)[0]
                outside = fold == tested
                assert (found[place][outside] == (said == truth[one])[outside]).all()

    @pytest.mark.parametrize("population", POPULATIONS)
    def test_trees_of_one_feature_are_those_of_scikit_learn(self, population: Any) -> None:
        rng, design = stream(4), read_design("2x10-fold")
        features, truth = sample(population, 3, 120, rng)
        view, owner = features[..., :1], design.draw_owners(3, 120, rng)
        found = right_when_left_out("tree-random-features", view, truth, owner, 10, rng)
        for place in np.ndindex(3, 2, 10):
            one, outside = place[0], owner[place[:2]] == place[2]
            tree = DecisionTreeClassifier(min_samples_leaf=LEAF, random_state=0)
            tree.fit(view[one][~outside], truth[one][~outside])
            right = tree.predict(view[one][outside]) == truth[one][outside]
            assert (found[place[:2]][outside] == right).all()

    def test_trees_of_random_features_err_as_often(self) -> None:
        rng = stream(5)
        features, truth = sample("moons", 60, 100, rng)
        owner = read_design("2-fold").draw_owners(60, 100, rng)
        ours = right_when_left_out("tree-random-features", features, truth, owner, 2, rng)
        theirs = []
        for one in range(60):
            train = (owner[one] != np.array([[0], [1]])).astype(float)
            said = predict(
                "tree-random-features", features[one], truth[one], train, features[one], rng
            )
            theirs.append(said[owner[one, 0], np.arange(100)] == truth[one])
        difference = ours[:, 0].mean(axis=1) - np.array(theirs).mean(axis=1)
        assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(60)

    def test_a_class_that_was_not_seen_is_never_said(self) -> None:
        owner = np.array([[[0, 0, 1, 1]]])
        view, truth = np.arange(8.0).reshape(1, 4, 2), np.array([[0, 0, 1, 1]])
        for learner in ("centroid", "one-nn-half-features"):
            assert not right_when_left_out(learner, view, truth, owner, 2, stream(1)).any()

    def test_far_neighbours_are_found(self) -> None:
        n = 40
        view = np.arange(float(n)).repeat(2).reshape(1, n, 2)
        truth = (np.arange(n) == n - 1).astype(np.int64)[None]
        owner = (np.arange(n) == n - 1).astype(np.int64)[None, None]
        found = right_when_left_out("one-nn-half-features", view, truth, owner, 2, stream(1))
        assert not found.any()  # all are said to be the class of the last, and it that of the rest


class TestAccuracies:
    def test_all_designs_see_the_same_samples(self) -> None:
        designs = [read_design(text) for text in DESIGNS]
        found = accuracies(Folds(), 7, 50, designs, stream(1))
        assert [a.shape for a, _ in found] == [(7, 30), (7, 10), (7, 4)]
        assert np.corrcoef(found[0][0].mean(axis=1), found[1][0].mean(axis=1))[0, 1] > 0.3

    def test_shares_are_of_the_items_tested(self) -> None:
        ((a, _),) = accuracies(Folds(), 5, 50, [read_design("10-fold")], stream(1))
        assert np.allclose(a * 5, np.round(a * 5))
