"""Differences of numbers as printed."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.decimals import deviations_in_order, exact_differences

DECIMALS = st.decimals(-1000, 1000, places=6).map(float)


class TestExactDifferences:
    def test_equal_decimals_are_equal(self) -> None:
        found = exact_differences(np.array([0.768, 0.936, 0.3]), np.array([0.763, 0.931, 0.1]))
        assert found.tolist() == [0.005, 0.005, 0.2]

    def test_ratios_with_all_digits_are_not(self) -> None:
        a, b = np.array([74 / 75, 15 / 75]), np.array([73 / 75, 14 / 75])
        found = exact_differences(a, b)
        assert found[0] != found[1]
        assert abs(found[0] - found[1]) < 1e-15

    @given(st.lists(st.tuples(DECIMALS, DECIMALS), min_size=1, max_size=8))
    def test_is_the_difference_of_fractions(self, pairs: list[tuple[float, float]]) -> None:
        a, b = (np.array(column) for column in zip(*pairs, strict=True))
        expected = [float(Fraction(str(x)) - Fraction(str(y))) for x, y in pairs]
        assert exact_differences(a, b).tolist() == expected


class TestDeviationsInOrder:
    def test_equal_deviations_share_a_place(self) -> None:
        found = deviations_in_order(np.array([[0.1, 0.3], [0.7, 0.9], [0.2, 0.9]]))
        assert found.tolist() == [[1.0, 2.0], [1.0, 2.0], [0.0, 3.0]]

    @given(st.lists(st.tuples(DECIMALS, DECIMALS, DECIMALS), min_size=1, max_size=6))
    def test_order_of_fractions(self, rows: list[tuple[float, float, float]]) -> None:
        places = deviations_in_order(np.array(rows)).ravel().tolist()
        exact = [[Fraction(str(v)) for v in row] for row in rows]
        flat = [v - sum(row) / 3 for row in exact for v in row]
        for one, place in zip(flat, places, strict=True):
            assert place == len({other for other in flat if other < one})
