"""The largest of three Dirichlet probabilities, against closed forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc

from assay.kernels.dirichlet import largest_of_three

WEIGHTS = st.floats(0.01, 500.0)


class TestLargestOfThree:
    def test_alike(self) -> None:
        assert largest_of_three(1.0, 1.0, 1.0) == pytest.approx((1 / 3, 1 / 3, 1 / 3), rel=1e-12)

    def test_a_gamma_of_two_against_exponentials(self) -> None:
        """The integral of x exp(-x) (1 - exp(-x))² is 1 - 2/4 + 1/9."""
        assert largest_of_three(2.0, 1.0, 1.0)[0] == pytest.approx(1 - 2 / 4 + 1 / 9, rel=1e-12)

    def test_one_cell_empty(self) -> None:
        """P(an exponential exceeds a gamma of shape k) is 1/2^k."""
        assert largest_of_three(1.0, 0.0, 7.0) == pytest.approx((2**-7, 0.0, 1 - 2**-7), rel=1e-12)

    def test_tiny(self) -> None:
        assert largest_of_three(1.0, 900.0, 0.0)[0] == pytest.approx(0.5**900, rel=1e-9)

    def test_one_cell(self) -> None:
        assert largest_of_three(0.0, 3.0, 0.0) == (0.0, 1.0, 0.0)

    @given(WEIGHTS, WEIGHTS, WEIGHTS)
    def test_mirrored_and_whole(self, left: float, middle: float, right: float) -> None:
        found = largest_of_three(left, middle, right)
        assert found == largest_of_three(right, middle, left)[::-1]
        assert sum(found) == pytest.approx(1.0, abs=1e-12)
        assert sorted(found) == pytest.approx(
            [p for _, p in sorted(zip((left, middle, right), found, strict=True))], abs=1e-9
        )

    @given(st.floats(0.05, 2000.0), st.floats(0.05, 2000.0))
    def test_two_cells_are_a_beta(self, left: float, right: float) -> None:
        expected = (betainc(right, left, 0.5), 0.0, betainc(left, right, 0.5))
        assert largest_of_three(left, 0.0, right) == pytest.approx(expected, rel=1e-8, abs=1e-250)
