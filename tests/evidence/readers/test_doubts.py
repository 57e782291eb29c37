"""Numbers that cannot be what they are called, or not on one scale, are asked about in every form."""

from typing import Any

import numpy as np
import pytest

from assay import AmbiguousEvidence, EvidenceError, read
from assay.evidence.scores import Scores

SETS = list("abcdefghijkl")
HIGH, LOW = np.linspace(0.8, 0.9, 12), np.linspace(0.7, 0.8, 12)


def scores(a: Any, b: Any, **options: Any) -> Scores:
    found = read({"dataset": SETS, "a": a, "b": b}, **options)
    assert isinstance(found, Scores)
    return found


@pytest.mark.parametrize(
    ("measure", "sign"), [("rmse", -1.0), ("error", -1.0), ("accuracy", 1000.0)]
)
def test_values_beyond_the_measure_leave_the_direction_open(measure: str, sign: float) -> None:
    with pytest.raises(AmbiguousEvidence, match=f"{measure} is never") as error:
        scores(sign * HIGH, sign * LOW, measure=measure)
    assert error.value.questions[0].code == "direction"
    assert scores(sign * HIGH, sign * LOW, measure=measure, lower_is_better=False).n == 12


@pytest.mark.parametrize(
    "measure", ["neg_root_mean_squared_error", "reward", "r2", "log_likelihood"]
)
def test_what_may_be_negative_is_not_asked_about(measure: str) -> None:
    assert scores(-HIGH, -LOW, measure=measure).n == 12


def test_models_on_two_scales() -> None:
    with pytest.raises(AmbiguousEvidence) as error:
        scores(HIGH, 100 * LOW, measure="accuracy")
    assert error.value.questions[0].answers[0].arguments == {"percent": ["b"]}
    assert (
        scores(HIGH, 100 * LOW, measure="accuracy", percent="b").blocks("accuracy").values.max() < 1
    )
    assert scores(HIGH, 10 * LOW, measure="rmse").n == 12, "an error may well be larger"


def test_a_model_in_long_form_is_divided_by_its_name() -> None:
    table = {
        "model": ["a"] * 12 + ["b"] * 12,
        "dataset": SETS * 2,
        "accuracy": [*HIGH, *(100 * LOW)],
    }
    with pytest.raises(AmbiguousEvidence):
        read(table)
    found = read(table, percent="b")
    assert isinstance(found, Scores)
    np.testing.assert_allclose(found.blocks("accuracy").values.T, [HIGH, LOW])
    with pytest.raises(EvidenceError, match="no column or model 'c' to be in per cent"):
        read(table, percent="c")


def test_rows_on_two_scales() -> None:
    factor = np.where(np.arange(12) % 2, 100.0, 1.0)
    with pytest.raises(EvidenceError, match="some rows are in per cent"):
        scores(HIGH * factor, LOW * factor, measure="accuracy")
    assert scores(HIGH * factor, LOW * factor, measure="rmse").n == 12, (
        "data sets have their own scales"
    )


def test_a_hard_data_set_in_per_cent_is_answered_as_the_refusal_says() -> None:
    high, low = 100 * HIGH, 100 * LOW
    high[3], low[3] = 0.9, 0.6
    with pytest.raises(EvidenceError, match="percent='a,b'"):
        scores(high, low, measure="accuracy")
    found = scores(high, low, measure="accuracy", percent="a,b")
    assert found.blocks("accuracy").values[3] == pytest.approx([0.009, 0.006])
