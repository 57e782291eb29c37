"""Tuning inside the training part, and what is reported of it."""

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from assay.core.errors import UsageError
from assay.measures.registry import find_measure
from assay.study.datasets import made, resolve
from assay.study.learners import Learner
from assay.study.scoring import InnerScorer, StudyTruth
from assay.study.splits import Resampling
from assay.study.tuning import Tuning, summarise, tuned

PLAIN = Resampling().settled()


class TestSearch:
    def test_the_choice_is_that_of_scikit_learn(self) -> None:
        data = resolve("wine")
        scorer = InnerScorer(find_measure("accuracy"), StudyTruth.of(data))
        learner = Learner(SVC(), tuning=Tuning(grid={"C": [0.1, 1.0, 100.0, 1000.0]}))
        built = learner.build(data, PLAIN, 5, scorer)
        found = tuned(built.estimator.fit(data.X, data.y), built.prefix, "accuracy", scorer.sign)
        inner = StratifiedKFold(5, shuffle=True, random_state=5)
        oracle = GridSearchCV(SVC(), {"C": [0.1, 1.0, 100.0, 1000.0]}, cv=inner)
        oracle.fit(data.X, data.y)
        assert found.params == oracle.best_params_
        assert found.score == pytest.approx(oracle.best_score_)
        assert found.candidates == 4

    def test_a_loss_is_reported_in_its_own_direction(self) -> None:
        data = resolve("iris")
        scorer = InnerScorer(find_measure("brier"), StudyTruth.of(data))
        learner = Learner(DecisionTreeClassifier(), tuning=Tuning(grid={"max_depth": [1, 3]}))
        built = learner.build(data, PLAIN, 5, scorer)
        found = tuned(built.estimator.fit(data.X, data.y), built.prefix, "brier", scorer.sign)
        assert found.params == {"max_depth": 3}
        assert found.score is not None
        assert 0 < found.score < 0.2

    @pytest.mark.parametrize(
        ("facts", "candidates"),
        [
            ({"search": "random", "candidates": 3}, 3),
            ({"search": "random"}, 6),
            ({"search": "halving"}, None),
            ({"inner": "holdout"}, 6),
            ({"inner": "time", "folds": 3}, 6),
        ],
    )
    def test_every_search_finds_something(
        self, facts: dict[str, Any], candidates: int | None
    ) -> None:
        data = resolve("breast_cancer")
        scorer = InnerScorer(find_measure("accuracy"), StudyTruth.of(data))
        tuning = Tuning(grid={"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}, **facts)
        built = Learner(DecisionTreeClassifier(), tuning=tuning).build(data, PLAIN, 1, scorer)
        found = tuned(built.estimator.fit(data.X, data.y), built.prefix, "accuracy", 1)
        assert candidates is None or found.candidates == candidates
        assert set(found.params) == {"max_depth", "min_samples_leaf"}

    def test_groups_stay_together_inside_too(self) -> None:
        data = resolve("wine")
        grouped = made("g", data.X, data.y, source="", groups=np.arange(data.n) // 3)
        scorer = InnerScorer(find_measure("accuracy"), StudyTruth.of(grouped))
        tuning = Tuning(grid={"max_depth": [1, 2]})
        built = Learner(DecisionTreeClassifier(), tuning=tuning).build(grouped, PLAIN, 1, scorer)
        splitter = built.estimator.cv
        for train, test in splitter.split(grouped.X, grouped.y, grouped.groups):
            assert not set(train // 3) & set(test // 3)

    @pytest.mark.parametrize(
        ("facts", "message"),
        [
            ({"search": "bayes"}, "search is one of grid, random, halving"),
            ({"candidates": 5}, "candidates is for search = 'random'"),
            ({"folds": 1}, "at least 2 inner folds"),
        ],
    )
    def test_mistakes_are_named(self, facts: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            Tuning(grid={"C": [1]}, **facts).checked("svm")


class TestSummary:
    def test_optimism_is_positive_where_the_inner_score_flatters(self) -> None:
        chosen = [
            {"params": {"C": 1}, "score": 0.9, "measure": "accuracy"},
            {"params": {"C": 2}, "score": 0.8, "measure": "accuracy"},
            {"params": {"C": 1}, "score": 1.0, "measure": "accuracy"},
        ]
        found = summarise("iris", "svm", chosen, [0.8, 0.8, 0.8], "higher")
        assert found.inner == pytest.approx(0.9)
        assert found.optimism == pytest.approx(0.1)
        assert found.wins == (('{"C":1}', 2), ('{"C":2}', 1))
        loss = summarise("iris", "svm", chosen, [1.0, 1.0, 1.0], "lower")
        assert loss.optimism == pytest.approx(0.1)

    def test_a_failed_split_leaves_no_mean(self) -> None:
        chosen: list[dict[str, Any]] = [{"params": {}, "score": None, "measure": "accuracy"}]
        found = summarise("iris", "svm", chosen, [float("nan")], "higher")
        assert (found.inner, found.outer, found.optimism) == (None, None, None)
