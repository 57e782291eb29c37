"""A user's own measure."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, f1_score, make_scorer, precision_score

from assay.core.errors import NotApplicable, UsageError
from assay.measures import custom
from assay.measures.custom import from_function
from assay.measures.registry import find_measure

TRUTH, PREDICTED = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1])
COUNTS = np.array([1, 2, 0, 3])


def agreement(truth: Any, prediction: Any) -> float:
    return float(np.mean(truth == prediction))


class TestOfScikitLearn:
    @pytest.mark.parametrize(
        ("function", "name"),
        [(f1_score, "f1"), (precision_score, "precision"), (cohen_kappa_score, "kappa")],
    )
    def test_its_functions_are_the_measures_they_compute(self, function: Any, name: str) -> None:
        found = find_measure(function)
        assert (found.name, found.direction) == (name, "higher")
        assert find_measure(function.__name__).name == name

    def test_a_scorer_is_no_measure(self) -> None:
        with pytest.raises(UsageError, match="give the function that it was made of"):
            find_measure(make_scorer(f1_score))


class TestFromFunction:
    def test_plain_function_sees_copied_rows(self) -> None:
        measure = from_function(agreement)
        assert (measure.name, measure.direction, measure.reduction) == (
            "agreement",
            "unknown",
            "rows",
        )
        assert measure.function(TRUTH, PREDICTED) == 0.5
        assert measure.function(TRUTH, PREDICTED, COUNTS) == 0.5
        assert measure.function(TRUTH, PREDICTED, [0, 1, 0, 0]) == 1.0

    @pytest.mark.parametrize("name", custom.WEIGHT_NAMES)
    def test_weights_are_passed_by_their_name(self, name: str) -> None:
        scope: dict[str, Any] = {}
        source = f"def f(truth, prediction, other=1, {name}=None):\n    return sum({name}) * other"
        exec(source, scope)  # noqa: S102
        assert from_function(scope["f"]).function(TRUTH, PREDICTED, COUNTS) == 6.0

    def test_scikit_learn_metric(self) -> None:
        measure = from_function(f1_score)
        rows = np.repeat(np.arange(4), COUNTS)
        expected = f1_score(TRUTH[rows], PREDICTED[rows])
        assert measure.name == "f1_score"
        assert measure.function(TRUTH, PREDICTED, COUNTS) == pytest.approx(expected)

    def test_names(self) -> None:
        assert from_function(lambda truth, prediction: 0.0).name == "custom"
        assert from_function(agreement, name="mine").name == "mine"
        assert from_function(agreement, direction="lower", needs="values").direction == "lower"

    def test_matrix_of_probabilities(self) -> None:
        measure = from_function(lambda truth, p: p[:, 1].sum(), needs="probabilities")
        assert measure.function(TRUTH, np.full((4, 2), 0.5), COUNTS) == 3.0

    def test_undefined(self) -> None:
        assert math.isnan(from_function(lambda truth, prediction: None).function(TRUTH, PREDICTED))  # type: ignore[arg-type, return-value]

    def test_importance_weights_need_a_parameter(self) -> None:
        with pytest.raises(NotApplicable, match="takes counts, not importance weights"):
            from_function(agreement).function(TRUTH, PREDICTED, [0.5, 1, 1, 1])

    def test_too_many_copies(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(custom, "EXPANDED_ROWS", 5)
        with pytest.raises(NotApplicable, match=r"6 rows would have to be copied \(limit 5\)"):
            from_function(agreement).function(TRUTH, PREDICTED, COUNTS)

    def test_not_a_number(self) -> None:
        with pytest.raises(UsageError, match=r"must return one number .* it returned list"):
            from_function(lambda truth, prediction: [1, 2]).function(TRUTH, PREDICTED)  # type: ignore[arg-type, return-value]

    def test_not_a_function(self) -> None:
        with pytest.raises(UsageError, match="a measure is a function"):
            from_function("f1")  # type: ignore[arg-type]

    def test_bad_direction(self) -> None:
        with pytest.raises(UsageError, match="direction is one of higher, lower"):
            from_function(agreement, direction="up")
