"""Measures of what errors cost."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.measures.costs import cost_accuracy_identity, mean_cost, total_cost, weighted_accuracy
from assay.measures.registry import find_measure
from assay.reference import cases

steady = settings(deadline=None)
TEXTBOOK = [case for case in cases("textbook") if case.id in ("i1", "i2")]
LECTURE = [[-1, 100], [1, 0]]  # rows + and -, columns + and -


class TestCost:
    def test_lecture_in_canonical_order(self) -> None:
        """The same costs whichever way round the classes come."""
        given_order = total_cost(LECTURE, classes=("+", "-"))
        turned = np.array([[250, 60], [40, 150]])  # - before +
        assert float(given_order.bind(("-", "+")).function(turned)) == 3910

    def test_the_more_accurate_model_is_the_more_costly_one(self) -> None:
        cost = total_cost(LECTURE).function
        first, second = (np.array(case.input["confusion"]) for case in TEXTBOOK)
        assert np.trace(second) > np.trace(first)
        assert cost(second) > cost(first)

    @steady
    @given(st.lists(st.integers(0, 50), min_size=18, max_size=18))
    def test_vectorised_and_within_range(self, counts: list[int]) -> None:
        stack = np.array(counts, dtype=float).reshape(2, 3, 3)
        matrix = [[-1, 2, 4], [3, 0, 1], [9, 5, -2]]
        for measure in (mean_cost(matrix), total_cost(matrix)):
            values = measure.function(stack)
            np.testing.assert_array_equal(values, [measure.function(one) for one in stack])
            inside = (values >= measure.low) & (values <= measure.high)
            assert (inside | np.isnan(values)).all()

    def test_by_name(self) -> None:
        confusion = np.array([[150, 40], [60, 250]])
        named = find_measure("total_cost[-1,100;1,0|+,-]")
        assert float(named.bind(("+", "-")).function(confusion)) == 3910
        assert find_measure(named.name).name == named.name
        assert float(find_measure("mean_cost[0,1;1,0]").function(confusion)) == pytest.approx(0.2)

    def test_ranges(self) -> None:
        assert (mean_cost(LECTURE).low, mean_cost(LECTURE).high) == (-1, 100)
        assert total_cost([[0, 1], [1, 0]]).low == 0

    def test_wrong_number_of_classes(self) -> None:
        with pytest.raises(EvidenceError, match="cost matrix is for 2 classes; the evidence has 3"):
            total_cost(LECTURE).function(np.eye(3))

    def test_class_without_costs(self) -> None:
        with pytest.raises(EvidenceError, match="no class 'x'"):
            total_cost(LECTURE, classes=("+", "-")).bind(("+", "x"))

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("mean_cost[0,1;1]", "rows of a cost matrix are equally long"),
            ("mean_cost[0,a;1,0]", "expected numbers separated by commas"),
            ("mean_cost[0,1,2;1,0,2]", "a cost matrix is square"),
            ("mean_cost[0,1;1,0|a,b,c]", "3 classes named for a cost matrix of 2"),
            ("mean_cost", "needs a parameter, such as mean_cost"),
        ],
    )
    def test_bad_matrices(self, name: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            find_measure(name)


class TestWeightedAccuracy:
    def test_other_positive_class(self) -> None:
        measure = find_measure("weighted_accuracy[5,1,1,2]").bind(("0", "1"), "0")
        assert float(measure.function([[40, 10], [5, 45]])) == pytest.approx(290 / 305)

    def test_weights_below_one(self) -> None:
        cells = [[45, 10], [5, 40]]
        halved = weighted_accuracy(0.5, 0.25, 0.5, 0.75).function(cells)
        assert float(halved) == float(weighted_accuracy(2, 1, 2, 3).function(cells))

    @pytest.mark.parametrize("weights", [(0, 0, 0, 0), (1, -1, 1, 1), (1, math.inf, 1, 1)])
    def test_bad_weights(self, weights: tuple[float, float, float, float]) -> None:
        with pytest.raises(UsageError, match="weights are 0 or positive"):
            weighted_accuracy(*weights)

    def test_four_weights(self) -> None:
        with pytest.raises(UsageError, match="four weights: TP, FN, FP, TN"):
            find_measure("weighted_accuracy[1,2]")

    def test_many_classes(self) -> None:
        with pytest.raises(NotApplicable, match="use mean_cost"):
            weighted_accuracy(1, 1, 1, 1).bind(("a", "b", "c"))


class TestIdentity:
    @steady
    @given(
        st.floats(-5, 5), st.floats(0.01, 5), st.lists(st.integers(0, 30), min_size=9, max_size=9)
    )
    def test_cost_is_linear_in_accuracy(self, p: float, more: float, counts: list[int]) -> None:
        q = p + more
        matrix = np.full((3, 3), q)
        np.fill_diagonal(matrix, p)
        identity = cost_accuracy_identity(matrix)
        assert identity.holds
        confusion = np.array(counts, dtype=float).reshape(3, 3)
        n = confusion.sum()
        if n:
            accuracy = np.trace(confusion) / n
            total = float(total_cost(matrix).function(confusion))
            assert identity.cost(n, accuracy) == pytest.approx(total, abs=1e-9)

    def test_lecture_matrix_has_no_identity(self) -> None:
        identity = cost_accuracy_identity(LECTURE)
        assert not identity.holds
        with pytest.raises(UsageError, match="use total_cost"):
            identity.cost(10, 0.5)

    def test_errors_cheaper_than_right_answers(self) -> None:
        identity = cost_accuracy_identity([[2, 1], [1, 2]])
        assert not identity.holds
        assert (identity.p, identity.q) == (2.0, 1.0)
