"""Measures of fitted estimators: the same numbers as scikit-learn's own."""

from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from assay.core.errors import EvidenceError
from assay.measures.registry import find_measure
from assay.study.datasets import Dataset, made, resolve
from assay.study.scoring import BadPrediction, InnerScorer, StudyTruth, applies, predict, score
from tests.study.estimators import SaysNaN, Stranger, half_right
from tests.support import agree


def scored(name: Any, model: Any, data: Dataset) -> float | None:
    truth = StudyTruth.of(data)
    predicted = predict(model.fit(data.X, data.y), data.X, truth)
    return score(find_measure(name), truth.values, predicted, truth.names)


class TestScore:
    @pytest.mark.parametrize(
        ("name", "reference"),
        [
            ("accuracy", lambda y, m, X: metrics.accuracy_score(y, m.predict(X))),
            ("mcc", lambda y, m, X: metrics.matthews_corrcoef(y, m.predict(X))),
            ("log_loss", lambda y, m, X: metrics.log_loss(y, m.predict_proba(X))),
        ],
    )
    def test_many_classes_agree_with_scikit_learn(self, name: str, reference: Any) -> None:
        data = resolve("iris")
        model = GaussianNB()
        assert agree(scored(name, model, data), float(reference(data.y, model, data.X)))

    @pytest.mark.parametrize("model", [GaussianNB(), SVC()], ids=["probabilities", "decisions"])
    def test_auc_from_probabilities_or_decision_values(self, model: Any) -> None:
        data = resolve("breast_cancer")
        found = scored("roc_auc", model, data)
        positive = data.y == max(set(data.y))
        if isinstance(model, SVC):
            values = model.decision_function(data.X)
        else:
            values = model.predict_proba(data.X)[:, 1]
        assert agree(found, float(metrics.roc_auc_score(positive, values)))

    def test_values_agree_with_scikit_learn(self) -> None:
        data = resolve("diabetes")
        model = LinearRegression()
        found = scored("rmse", model, data)
        assert agree(found, float(metrics.root_mean_squared_error(data.y, model.predict(data.X))))

    def test_a_function_of_the_users_own(self) -> None:
        data = resolve("iris")
        accuracy = scored("accuracy", GaussianNB(), data)
        assert accuracy is not None
        assert scored(half_right, GaussianNB(), data) == accuracy / 2

    def test_what_the_learner_cannot_give_is_undefined(self) -> None:
        assert scored("log_loss", SVC(), resolve("iris")) is None

    def test_classes_whose_texts_sort_otherwise_than_their_numbers(self) -> None:
        X = np.array([[0.0], [1.0], [0.1], [0.9]] * 5)
        y = np.array([9, 10, 9, 10] * 5)
        data = made("numbers", X, y, source="memory")
        truth = StudyTruth.of(data)
        assert truth.names == ("9", "10")
        assert scored("roc_auc", SVC(), data) == 1.0
        words = made("words", X, y.astype(str).astype(object), source="memory")
        assert StudyTruth.of(words).names == ("9", "10")
        assert scored("roc_auc", SVC(), words) == 1.0
        assert scored("accuracy", GaussianNB(), words) == 1.0

    def test_a_class_unseen_in_training_gets_probability_zero(self) -> None:
        data = resolve("iris")
        truth = StudyTruth.of(data)
        model = GaussianNB().fit(data.X[:100], data.y[:100])
        found = predict(model, data.X, truth)["probabilities"]
        assert found.shape == (150, 3)
        assert (found[:, 2] == 0).all()


class TestRefusals:
    def test_a_strange_class_is_no_answer(self) -> None:
        with pytest.raises(BadPrediction, match="predicted 'nobody' for 150 of 150 items"):
            scored("accuracy", Stranger(), resolve("iris"))

    def test_nan_is_no_answer(self) -> None:
        with pytest.raises(BadPrediction, match="NaN or infinite for 150 of 150 items"):
            scored("accuracy", SaysNaN(), resolve("iris"))

    def test_a_measure_of_classes_on_a_regression(self) -> None:
        data = resolve("diabetes")
        with pytest.raises(EvidenceError, match="accuracy needs labels, and diabetes is a regres"):
            applies(find_measure("accuracy"), data, StudyTruth.of(data))

    def test_a_measure_of_two_classes_on_three(self) -> None:
        data = resolve("iris")
        with pytest.raises(EvidenceError, match="iris: roc_auc needs two classes"):
            applies(find_measure("roc_auc"), data, StudyTruth.of(data))


class TestInnerScorer:
    def test_larger_is_better_whatever_the_measure(self) -> None:
        data = resolve("iris")
        model = GaussianNB().fit(data.X, data.y)
        truth = StudyTruth.of(data)
        loss = InnerScorer(find_measure("log_loss"), truth)(model, data.X, data.y)
        assert loss < 0
        assert InnerScorer(find_measure("accuracy"), truth)(model, data.X, data.y) > 0.9
