import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erfc, log_ndtr, stdtr

from assay.kernels.studentized_range import log10_range_sf, range_isf, range_sf
from assay.reference import cases
from tests.support import agree


class TestQuantiles:
    def test_demsar_table_5(self) -> None:
        table = {case.id: case for case in cases("textbook")}["m3"]
        for name, tail in (("nemenyi_05", 0.05), ("nemenyi_10", 0.1)):
            found = [range_isf(tail, k) / math.sqrt(2) for k in table.input["k"]]
            assert agree(found, table.expected[name], 1e-9)

    @given(k=st.integers(2, 200), tail=st.floats(1e-12, 0.999))
    def test_inverts_the_tail(self, k: int, tail: float) -> None:
        assert float(range_sf(range_isf(tail, k), k)) == pytest.approx(tail, rel=1e-10)

    @pytest.mark.parametrize("df", [1.0, 4.0, 30.0])
    def test_inverts_the_tail_with_finite_df(self, df: float) -> None:
        assert float(range_sf(range_isf(0.01, 5, df), 5, df)) == pytest.approx(0.01, rel=1e-10)

    def test_inverts_a_tail_far_out(self) -> None:
        q = range_isf(1e-60, 3, 1e5)
        assert float(range_sf(q, 3, 1e5)) == pytest.approx(1e-60, rel=1e-8)


class TestTails:
    @pytest.mark.parametrize("q", [1e-6, 0.1, 1.0, 4.0, 12.0, 30.0, 50.0])
    def test_two_means_are_a_normal_difference(self, q: float) -> None:
        """P(|z1 - z2| > q) = erfc(q / 2)."""
        assert float(range_sf(q, 2)) == pytest.approx(float(erfc(q / 2)), rel=1e-12)

    @pytest.mark.parametrize("df", [1, 2, 7, 50, 5000])
    def test_two_means_are_a_t_difference(self, df: int) -> None:
        for q in (0.5, 3.0, 10.0, 60.0):
            expected = 2 * float(stdtr(df, -q / math.sqrt(2)))
            assert float(range_sf(q, 2, df)) == pytest.approx(expected, rel=1e-9)

    def test_three_means_far_out(self) -> None:
        """Far out the range of k is that of its k(k-1)/2 pairs, almost never two at once."""
        assert float(range_sf(40.0, 3)) == pytest.approx(3 * float(erfc(20.0)), rel=1e-12)

    @pytest.mark.parametrize("k", [3, 10])
    @pytest.mark.parametrize("df", [3, 20, np.inf])
    def test_agrees_with_scipy(self, k: int, df: float) -> None:
        from scipy.stats import studentized_range

        for q in (0.5, 2.5, 5.0):
            assert float(range_sf(q, k, df)) == pytest.approx(
                studentized_range.sf(q, k, df), abs=1e-8
            )

    def test_logarithm_survives_underflow(self) -> None:
        gone, kept = range_sf(60.0, 2), range_sf(4.0, 5)
        assert float(gone) == 0.0
        expected = (math.log(2) + float(log_ndtr(-60 / math.sqrt(2)))) / math.log(10)
        assert float(log10_range_sf(60.0, 2, gone)) == pytest.approx(expected, rel=1e-12)
        assert float(log10_range_sf(4.0, 5, kept)) == pytest.approx(math.log10(kept), rel=1e-12)

    @given(k=st.integers(2, 100), q=st.floats(0, 20), step=st.floats(0.01, 2))
    def test_falls_in_q_and_rises_in_k(self, k: int, q: float, step: float) -> None:
        assert range_sf(q + step, k) <= range_sf(q, k) + 1e-13
        assert range_sf(q, k) <= range_sf(q, k + 1) + 1e-13

    def test_shape_is_kept(self) -> None:
        q = np.array([[1.0, 2.0], [2.0, 0.0]])
        found = range_sf(q, 4)
        assert found.shape == q.shape
        assert found[0, 1] == found[1, 0]
        assert found[1, 1] == pytest.approx(1.0, abs=1e-14)
