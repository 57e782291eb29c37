"""Displays: what scikit-learn's users expect of them, and the same numbers as the result they keep."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.svm import LinearSVC

from assay.core.errors import UsageError
from assay.plots.displays import (
    CalibrationDisplay,
    ComparisonDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
)

rng = np.random.default_rng(3)
X = rng.normal(size=(300, 3))
Y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
WORDS = np.where(Y == 1, "yes", "no")
LOGISTIC = LogisticRegression().fit(X, Y)


@pytest.mark.parametrize("display", [RocDisplay, PrecisionRecallDisplay, CalibrationDisplay])
def test_from_estimator_and_from_predictions_agree(display: Any) -> None:
    one = display.from_estimator(LOGISTIC, X, Y)
    other = display.from_predictions(Y, LOGISTIC.predict_proba(X)[:, 1], name="LogisticRegression")
    assert one.result_.estimates == other.result_.estimates
    assert isinstance(one.figure_, Figure)
    assert one.ax_ in one.figure_.axes


def test_values_are_those_of_scikit_learn() -> None:
    chance = LOGISTIC.predict_proba(X)[:, 1]
    roc, precision = (
        d.from_predictions(Y, chance).result_ for d in (RocDisplay, PrecisionRecallDisplay)
    )
    assert roc.estimates[0].value == pytest.approx(roc_auc_score(Y, chance))
    assert precision.estimates[0].value == pytest.approx(average_precision_score(Y, chance))


def test_axes_of_ones_own() -> None:
    axes = Figure().add_subplot()
    assert RocDisplay.from_estimator(LOGISTIC, X, Y, ax=axes).ax_ is axes
    shown = RocDisplay.from_estimator(LOGISTIC, X, Y)
    assert shown.plot(axes) is shown


def test_several_estimators_and_one_without_probabilities() -> None:
    models = {"logistic": LOGISTIC, "svm": LinearSVC().fit(X, Y)}
    found = RocDisplay.from_estimator(models, X, Y).result_
    assert {one.model for one in found.estimates} == {"logistic", "svm"}
    with pytest.raises(UsageError, match="LinearSVC has none of predict_proba"):
        CalibrationDisplay.from_estimator(models["svm"], X, Y)


def test_the_positive_class_is_the_estimators_second() -> None:
    fitted = LogisticRegression().fit(X, WORDS)
    found = RocDisplay.from_estimator(fitted, X, WORDS).result_
    assert found.estimates[0].value == pytest.approx(
        roc_auc_score(Y, fitted.predict_proba(X)[:, 1])
    )
    with pytest.raises(UsageError, match="which class is positive"):
        RocDisplay.from_predictions(WORDS, fitted.predict_proba(X)[:, 1])


@pytest.mark.parametrize("fitted", [LogisticRegression(), LinearSVC()])
def test_either_class_may_be_positive(fitted: Any) -> None:
    """scikit-learn's word for it is pos_label; the scores are those of that class."""
    fitted.fit(X, WORDS)
    for label in ("yes", "no"):
        for word in ("pos_label", "positive"):
            told: Any = {word: label}
            found = RocDisplay.from_estimator(fitted, X, WORDS, **told).result_
            scores = fitted.decision_function(X) * (1 if label == "yes" else -1)
            assert found.estimates[0].value == pytest.approx(roc_auc_score(label == WORDS, scores))


def test_a_name_stands_in_the_legend() -> None:
    chance = LOGISTIC.predict_proba(X)[:, 1]
    shown = (
        RocDisplay.from_predictions(Y, chance, name="net", pos_label=1),
        RocDisplay.from_estimator(LOGISTIC, X, Y, name="net"),
    )
    for one in shown:
        legend = one.ax_.get_legend()
        assert legend is not None
        assert legend.get_texts()[0].get_text().startswith("net   AUC 0.8")


def test_comparisons() -> None:
    models = {"logistic": LOGISTIC, "svm": LinearSVC(C=1e-6).fit(X[:, :3], Y)}
    found = ComparisonDisplay.from_estimator(models, X, Y, margin=0.1)
    assert found.result_.verdict.word in ("better", "worse", "equivalent", "undecided")
    with pytest.raises(UsageError, match="two models or more"):
        ComparisonDisplay.from_estimator(LOGISTIC, X, Y)


def test_many_classes_are_refused() -> None:
    with pytest.raises(UsageError, match="two classes"):
        RocDisplay.from_predictions(np.arange(30) % 3, rng.random(30), positive=1)
