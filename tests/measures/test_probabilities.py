"""Measures of predicted probabilities."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from assay.core.errors import EvidenceError, UsageError
from assay.measures.probabilities import brier, log_loss
from assay.measures.registry import Measure, find_measure

steady = settings(deadline=None, max_examples=60)


def value(measure: Measure | str, truth: Any, prediction: Any) -> float:
    found = find_measure(measure)
    if found.features is None:
        return float(found.function(np.asarray(truth), np.asarray(prediction)))
    return float(found.function(found.features(np.asarray(truth), np.asarray(prediction)).mean(0)))


@st.composite
def evidence(draw: Any, c: int = 2) -> tuple[Any, Any]:
    n = draw(st.integers(1, 20))
    truth = np.array(draw(st.lists(st.integers(0, c - 1), min_size=n, max_size=n)))
    raw = st.lists(st.integers(1, 9), min_size=c, max_size=c)
    proba = np.array(draw(st.lists(raw, min_size=n, max_size=n)), dtype=float)
    return truth, proba / proba.sum(-1, keepdims=True)


class TestLogLoss:
    @steady
    @given(evidence(c=3))
    def test_agrees_with_sklearn(self, drawn: tuple[Any, Any]) -> None:
        truth, proba = drawn
        expected = sk.log_loss(truth, proba, labels=[0, 1, 2])
        assert value("log_loss", truth, proba) == pytest.approx(expected)

    def test_certain_and_wrong_is_infinite(self) -> None:
        assert value("log_loss", [1, 0], [0.0, 0.3]) == math.inf

    def test_certain_and_right_is_zero(self) -> None:
        assert math.copysign(1, value("log_loss", [1, 0], [1.0, 0.0])) == 1.0

    def test_clip_works_at_both_ends(self) -> None:
        """A certain right answer costs something too: 2^-52, not 0."""
        found = value(log_loss(clip=2.0**-52), [1], [1.0])
        assert found == pytest.approx(2.0**-52, rel=1e-9, abs=0.0)

    def test_bad_clip(self) -> None:
        with pytest.raises(UsageError, match="clip is a small probability"):
            log_loss(clip=0.5)
        with pytest.raises(UsageError, match="takes a probability such as"):
            find_measure("log_loss[tiny]")

    def test_not_probabilities(self) -> None:
        with pytest.raises(
            EvidenceError, match=r"2 items have probabilities outside 0 to 1 \(first at position 1"
        ):
            value("log_loss", [0, 1, 1], [0.5, 1.5, math.nan])
        with pytest.raises(EvidenceError, match=r"1 items do not sum to 1 .*sum 0\.5"):
            value("log_loss", [0, 1], [[0.25, 0.25], [0.5, 0.5]])


class TestBrier:
    @steady
    @given(evidence(c=3))
    def test_many_classes_are_summed(self, drawn: tuple[Any, Any]) -> None:
        assert value("brier", *drawn) == value("brier_sum", *drawn)
        assert value("brier", *drawn) == pytest.approx(2 * value("brier_half", *drawn))

    @steady
    @given(evidence())
    def test_two_classes(self, drawn: tuple[Any, Any]) -> None:
        truth, proba = drawn
        expected = np.mean((proba[:, 1] - truth) ** 2)
        for shape in (proba, proba[:, 1]):
            assert value("brier", truth, shape) == pytest.approx(expected)
            assert value("brier_half", truth, shape) == pytest.approx(expected)
            assert value("brier_sum", truth, shape) == pytest.approx(2 * expected)

    def test_bad_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of auto, sum, half"):
            brier("double")  # type: ignore[arg-type]
