"""Displays: what scikit-learn's users expect of them, and the same numbers as the result they keep."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from assay.core.errors import EvidenceError, UsageError
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


ROWS = [f"patient{k}" for k in range(300)]
TABLE = pd.DataFrame(X, columns=["age", "dose", "weight"], index=ROWS)
TRUTH = pd.Series(WORDS, index=ROWS, name="answered")
MODELS = {
    name: make_pipeline(StandardScaler(), model).set_output(transform="pandas").fit(TABLE, TRUTH)
    for name, model in (("logistic", LogisticRegression()), ("svm", LinearSVC()))
}


class TestFrames:
    """What users of `set_output` expect: labels pair the rows, names stay names."""

    def test_estimators_get_frames_and_names_are_kept(self) -> None:
        """Without scikit-learn's warning about feature names, which would be an error here."""
        shown = RocDisplay.from_estimator(MODELS, TABLE, TRUTH, pos_label="yes")
        said = shown.result_.evidence.description
        assert "truth 'answered' (no, yes; positive yes)" in said
        assert shown.pos_label == "yes"

    @pytest.mark.parametrize("display", [RocDisplay, ComparisonDisplay])
    def test_rows_in_another_order_are_paired_by_their_labels(self, display: Any) -> None:
        told: dict[str, Any] = {"pos_label": "yes"} if display is RocDisplay else {}
        shuffled = TABLE.sample(frac=1.0, random_state=1)
        found, expected = (
            display.from_estimator(MODELS, table, TRUTH, **told).result_.estimates
            for table in (shuffled, TABLE)
        )
        assert found == expected

    def test_series_and_their_names(self) -> None:
        said = pd.Series(LOGISTIC.predict_proba(X)[:, 1], index=ROWS, name="net")
        shown = RocDisplay.from_predictions(
            TRUTH, said.sample(frac=1.0, random_state=2), pos_label="yes"
        )
        (one,) = shown.result_.estimates
        assert (one.model, one.value) == ("net", pytest.approx(roc_auc_score(Y, said)))
        with pytest.raises(EvidenceError, match="index"):
            RocDisplay.from_predictions(
                TRUTH, said.rename(index=lambda row: f"{row}x"), pos_label="yes"
            )

    @pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_a_frame_has_a_column_for_each_model(self, kind: Any) -> None:
        table = kind({"a": LOGISTIC.predict_proba(X)[:, 1], "b": rng.random(300)})
        found = RocDisplay.from_predictions(Y, table).result_
        assert [one.model for one in found.estimates] == ["a", "b"]

    def test_all_of_predict_proba(self) -> None:
        fitted = LogisticRegression().fit(X, WORDS)
        for label, column in (("no", 0), ("yes", 1)):
            found = RocDisplay.from_predictions(WORDS, fitted.predict_proba(X), pos_label=label)
            expected = roc_auc_score(label == WORDS, fitted.predict_proba(X)[:, column])
            assert found.result_.estimates[0].value == pytest.approx(expected)

    @pytest.mark.parametrize("truth", [Y == 1, 2 * Y - 1])
    def test_the_second_of_two_usual_classes_is_positive(self, truth: Any) -> None:
        chance = LOGISTIC.predict_proba(X)[:, 1]
        found = RocDisplay.from_predictions(truth, chance).result_
        assert found.estimates[0].value == pytest.approx(roc_auc_score(Y, chance))

    def test_scores_that_are_only_0_and_1_are_scores(self) -> None:
        found = RocDisplay.from_estimator(DecisionTreeClassifier().fit(X, Y), X, Y).result_
        assert found.estimates[0].value == pytest.approx(1.0)

    def test_several_without_names(self) -> None:
        with pytest.raises(UsageError, match="come with their names"):
            RocDisplay.from_estimator([LOGISTIC, LOGISTIC], X, Y)

    def test_a_model_called_as_the_truth_is(self) -> None:
        found = RocDisplay.from_predictions(pd.Series(Y, name="m"), {"m": rng.random(300)}).result_
        assert found.estimates[0].model == "m"


def test_many_classes_are_refused() -> None:
    with pytest.raises(UsageError, match="two classes"):
        RocDisplay.from_predictions(np.arange(30) % 3, rng.random(30), positive=1)
