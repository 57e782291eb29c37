"""Whole numbers are classes, values, or grades about which the user is asked."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.questions import AmbiguousEvidence

N = 200


def table(kind: str, seed: int = 3) -> dict[str, Any]:
    """A truth and two models whose wrong answers are near it (grades) or anywhere (digits)."""
    draw = np.random.default_rng(seed)
    if kind == "digits":
        truth = draw.integers(0, 10, N)
        answers = [
            np.where(draw.random(N) < rate, draw.integers(0, 10, N), truth) for rate in (0.2, 0.4)
        ]
    elif kind == "grades":
        truth = draw.integers(1, 6, N)
        errors = [np.rint(draw.normal(0, sd, N)).astype(int) for sd in (0.7, 1.3)]
        answers = [np.clip(truth + error, 1, 5) for error in errors]
    else:  # sums in text questions: mostly right, else near
        truth = draw.integers(5, 500, N)
        answers = [truth + off * (draw.random(N) < rate) for rate, off in ((0.12, 14), (0.42, 3))]
    return {"truth": truth, "a": answers[0], "b": answers[1]}


class TestMeaning:
    def test_errors_anywhere_are_those_of_classes(self) -> None:
        assert assay.compare(table("digits")).measure == "accuracy"

    @pytest.mark.parametrize("kind", ["grades", "sums"])
    def test_errors_near_the_truth_are_asked_about(self, kind: str) -> None:
        with pytest.raises(AmbiguousEvidence) as raised:
            assay.compare(table(kind))
        (question,) = raised.value.questions
        offered = [answer.arguments["measure"] for answer in question.answers]
        assert offered == ["accuracy", "mae", "kappa_quadratic"][: 3 if kind == "grades" else 2]
        for measure in offered:
            assert assay.compare(table(kind), measure=measure).measure == measure

    def test_the_answer_depends_on_it(self) -> None:
        """Seldom wrong by much is better by accuracy, often wrong by little by squares."""
        right = assay.compare(table("sums"), measure="accuracy").verdict
        near = assay.compare(table("sums"), measure="mse").verdict
        assert (right.word, near.word) == ("better", "worse")

    def test_ages_are_values(self) -> None:
        draw = np.random.default_rng(0)
        truth = draw.integers(18, 90, N)
        guesses = {name: truth + draw.integers(-s, s + 1, N) for name, s in (("a", 3), ("b", 9))}
        assert assay.compare({"truth": truth, **guesses}).measure == "mse"

    def test_a_truth_called_stars_is_asked_about_however_few_errors(self) -> None:
        truth = np.tile([1, 2, 3, 4, 5], 8)
        wrong = np.where(np.arange(40) < 4, 6 - truth, truth)
        with pytest.raises(AmbiguousEvidence, match="classes or values"):
            assay.compare({"stars": truth, "rf": truth, "svm": wrong}, truth="stars")

    def test_the_absolute_error_of_classes_can_be_asked_for(self) -> None:
        data = table("digits")
        found = assay.evaluate(data, measures="mae").estimates[0].value
        assert found == pytest.approx(np.abs(data["truth"] - data["a"]).mean(), rel=1e-12)


class TestCalledPredictions:
    """rf_pred says that it is a prediction, not that it is a class."""

    def test_of_a_number(self) -> None:
        draw = np.random.default_rng(1)
        y = draw.normal(50, 9, 80)
        data = {"y": y, "rf_pred": y + draw.normal(0, 1, 80), "svm_pred": y + draw.normal(0, 3, 80)}
        found = assay.compare(data)
        assert (found.measure, found.verdict.word) == ("mse", "better")

    def test_of_a_class_beside_its_probability(self) -> None:
        y = [0, 1] * 30
        data = {"y": y, "rf_pred": y, "rf_prob": [0.2, 0.9] * 30}
        found = assay.read(data)
        assert isinstance(found, assay.Predictions)
        assert found.offers["rf"] == {"labels", "scores", "probabilities"}
