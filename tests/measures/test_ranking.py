"""Measures of ranking."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

from assay.core.errors import NotApplicable, UsageError
from assay.measures.ranking import auc_notes, many_class_auc, partial_auc, sensitivity_at
from assay.measures.registry import find_measure

steady = settings(deadline=None, max_examples=60)


rows = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8).map(lambda v: v / 8)), min_size=2, max_size=30
)


@st.composite
def classified(draw: Any) -> tuple[Any, Any]:
    """Class codes, every class present, and tied probabilities."""
    c = draw(st.integers(3, 4))
    n = draw(st.integers(c, 20))
    truth = [*range(c), *draw(st.lists(st.integers(0, c - 1), min_size=n - c, max_size=n - c))]
    raw = draw(
        st.lists(st.lists(st.integers(1, 4), min_size=c, max_size=c), min_size=n, max_size=n)
    )
    proba = np.array(raw, dtype=float)
    return np.array(truth), proba / proba.sum(-1, keepdims=True)


class TestRocAuc:
    @steady
    @given(rows)
    def test_gini(self, drawn: list[tuple[bool, float]]) -> None:
        truth, scores = zip(*drawn, strict=True)
        area = float(find_measure("roc_auc").function(truth, scores))
        gini = float(find_measure("gini").function(truth, scores))
        assert gini == pytest.approx(2 * area - 1, nan_ok=True)

    def test_one_class_is_undefined(self) -> None:
        for name in (
            "roc_auc",
            "gini",
            "partial_auc[0.2]",
            "partial_auc_mcclish[0.2]",
            "sensitivity_at[0.8]",
        ):
            assert math.isnan(find_measure(name).function([1, 1], [0.2, 0.3])), name
        assert math.isnan(find_measure("average_precision").function([0, 0], [0.2, 0.3]))

    def test_sorted_once_for_many_replicates(self) -> None:
        rng = np.random.default_rng(0)
        truth, scores = rng.random(30) < 0.5, rng.random(30)
        weights = rng.poisson(1.0, (4, 30))
        for name in (
            "roc_auc",
            "gini",
            "average_precision",
            "partial_auc[0.3]",
            "sensitivity_at[0.7]",
        ):
            measure = find_measure(name)
            assert measure.prepare is not None
            prepared = measure.prepare(truth, scores)
            np.testing.assert_array_equal(
                [prepared(row) for row in weights], measure.function(truth, scores, weights)
            )

    def test_many_classes_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match="use roc_auc_ovr or roc_auc_ovo"):
            find_measure("auc").bind(("a", "b", "c"))

    def test_two_classes_need_no_binding(self) -> None:
        measure = find_measure("roc_auc")
        assert measure.bind(("0", "1"), "0") is measure


class TestPartialAuc:
    @steady
    @given(rows, st.floats(0.01, 0.99))
    def test_agrees_with_sklearn(self, evidence: list[tuple[bool, float]], limit: float) -> None:
        truth, scores = zip(*evidence, strict=True)
        assume(0 < sum(truth) < len(truth))
        value = partial_auc(limit, standardised=True).function(truth, scores)
        expected = roc_auc_score(truth, scores, max_fpr=limit)
        assert float(value) == pytest.approx(expected, abs=1e-9)

    def test_range_and_chance(self) -> None:
        raw, standard = partial_auc(0.2), partial_auc(0.2, standardised=True)
        worst, best = ([0, 1], [0.9, 0.1]), ([0, 1], [0.1, 0.9])
        for measure in (raw, standard):
            assert float(measure.function(*worst)) == pytest.approx(measure.low)
            assert float(measure.function(*best)) == pytest.approx(measure.high)
            assert float(measure.function([0, 1], [0.5, 0.5])) == pytest.approx(measure.chance)

    def test_whole_range_is_the_auc(self) -> None:
        assert float(partial_auc(1).function([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])) == 0.75

    @pytest.mark.parametrize("limit", [0, -0.1, 1.1, math.nan])
    def test_bad_limits(self, limit: float) -> None:
        with pytest.raises(UsageError, match="max_fpr is a false positive rate"):
            partial_auc(limit)

    def test_bad_text(self) -> None:
        with pytest.raises(UsageError, match="takes a false positive rate; got 'tenth'"):
            find_measure("partial_auc[tenth]")


class TestSensitivityAtASpecificity:
    @steady
    @given(rows, st.floats(0.0, 0.99))
    def test_agrees_with_the_curve_of_sklearn(
        self, evidence: list[tuple[bool, float]], specificity: float
    ) -> None:
        truth, scores = zip(*evidence, strict=True)
        assume(0 < sum(truth) < len(truth))
        fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
        assume(np.abs(fpr - (1 - specificity)).min() > 1e-9)  # between points there is one height
        found = float(sensitivity_at(specificity).function(truth, scores))
        assert found == pytest.approx(np.interp(1 - specificity, fpr, tpr), abs=1e-9)

    def test_a_specificity_that_is_reached_exactly_counts(self) -> None:
        truth = [0] * 100 + [1] * 3
        scores = [*range(100), 71.5, 70.5, 69.5]  # 28, 29 and 30 negatives above
        assert float(sensitivity_at(0.71).function(truth, scores)) == pytest.approx(2 / 3)
        assert float(sensitivity_at(0.72).function(truth, scores)) == pytest.approx(1 / 3)

    def test_the_cut_off_moves_with_the_weights(self) -> None:
        truth, scores = [0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9]
        weights = [[1, 1, 1, 1], [9, 1, 1, 1], [1, 1, 1, 0], [0, 0, 1, 1]]
        found = sensitivity_at(0.9).function(truth, scores, np.array(weights))
        np.testing.assert_allclose(found, [0.5, 1.0, 0.0, np.nan])

    @pytest.mark.parametrize("specificity", [1.0, -0.1, 95, math.nan])
    def test_bad_specificities(self, specificity: float) -> None:
        with pytest.raises(UsageError, match=r"such as 0\.95"):
            sensitivity_at(specificity)

    def test_bad_text(self) -> None:
        with pytest.raises(UsageError, match="takes a specificity, got 'high'"):
            find_measure("sensitivity_at[high]")


class TestManyClassAuc:
    @steady
    @given(classified())
    def test_agrees_with_sklearn(self, evidence: tuple[Any, Any]) -> None:
        truth, proba = evidence
        for pairing in ("ovr", "ovo"):
            for average in ("macro", "weighted"):
                measure = many_class_auc(pairing, average)
                expected = roc_auc_score(truth, proba, multi_class=pairing, average=average)
                assert float(measure.function(truth, proba)) == pytest.approx(expected)

    @steady
    @given(classified(), st.integers(0, 2**32))
    def test_weights_are_copies(self, evidence: tuple[Any, Any], seed: int) -> None:
        truth, proba = evidence
        weights = np.random.default_rng(seed).poisson(1.0, (3, truth.size))
        for name in ("ovr", "ovo", "ovr_weighted", "ovo_weighted"):
            function = find_measure(f"roc_auc_{name}").function
            looped = [
                float(function(np.repeat(truth, row), np.repeat(proba, row, axis=0)))
                for row in weights
            ]
            np.testing.assert_allclose(function(truth, proba, weights), looped, rtol=1e-12)

    def test_absent_class_is_left_out(self) -> None:
        truth = np.array([0, 0, 1, 1])
        proba = np.array([[0.6, 0.3, 0.1], [0.3, 0.5, 0.2], [0.4, 0.5, 0.1], [0.1, 0.6, 0.3]])
        for pairing in ("ovr", "ovo"):
            value = float(find_measure(f"roc_auc_{pairing}").function(truth, proba))
            assert value == pytest.approx((0.75 + 0.875) / 2)

    def test_one_class_is_undefined(self) -> None:
        for name in ("roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovo_weighted"):
            assert math.isnan(find_measure(name).function([1, 1], [[0.2, 0.8], [0.3, 0.7]]))

    def test_two_classes_give_the_auc(self) -> None:
        p = np.array([0.2, 0.6, 0.5, 0.9])
        truth = np.array([0, 0, 1, 1])
        for name in ("roc_auc_ovr", "roc_auc_ovo"):
            value = find_measure(name).function(truth, np.stack([1 - p, p], -1))
            assert float(value) == pytest.approx(0.75)


class TestReversed:
    def test_below_half(self) -> None:
        (found,) = auc_notes(0.36)
        assert found.code == "auc-reversed"
        assert "0.64" in found.message

    def test_not_otherwise(self) -> None:
        assert auc_notes(0.5) == ()
        assert auc_notes(math.nan) == ()
