"""The same description for the same behaviour, another for another."""

import functools
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from assay.core.errors import UsageError
from assay.study.fingerprints import canonical, describe, digest
from tests.study.estimators import Majority, half_right


class TestDescribe:
    def test_an_estimator_is_its_class_version_and_all_parameters(self) -> None:
        found = describe(DecisionTreeClassifier(min_samples_leaf=5), "tree")
        assert found["class"] == "sklearn.tree._classes.DecisionTreeClassifier"
        assert found["params"]["min_samples_leaf"] == 5
        assert found["params"]["criterion"] == "gini"
        assert found["version"]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (SVC(C=1.0), SVC(C=2.0)),
            (make_pipeline(StandardScaler(), SVC()), make_pipeline(StandardScaler(), SVC(C=2))),
            (AdaBoostClassifier(DecisionTreeClassifier()), AdaBoostClassifier(SVC())),
            (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
            (float("nan"), None),
            ({"a": 1}, {"a": 2}),
            ([1, 2], [2, 1]),
            (half_right, max),
        ],
    )
    def test_what_differs_is_described_differently(self, one: Any, other: Any) -> None:
        assert digest(describe(one, "x")) != digest(describe(other, "x"))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (SVC(), SVC(C=1.0)),
            (SVC(C=1), SVC(C=np.int64(1))),
            ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
            ({3, 1, 2}, {1, 2, 3}),
            (functools.partial(half_right, 1), functools.partial(half_right, 1)),
        ],
    )
    def test_what_is_alike_is_described_alike(self, one: Any, other: Any) -> None:
        assert canonical(describe(one, "x")) == canonical(describe(other, "x"))

    def test_a_class_without_a_version_is_known_by_its_text(self) -> None:
        assert describe(Majority(), "mine")["source"]

    def test_a_random_generator_is_refused_with_the_remedy(self) -> None:
        tree = DecisionTreeClassifier(random_state=np.random.RandomState(1))
        with pytest.raises(UsageError, match=r"tree\.random_state is a random generator"):
            describe(tree, "tree")

    def test_what_shows_only_its_address_is_refused_by_name(self) -> None:
        with pytest.raises(UsageError, match=r"tree\.splitter is a object"):
            describe(DecisionTreeClassifier(splitter=object()), "tree")
