"""Bounds of the noncentrality: definition, limits, and the F test they invert."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.noncentral import noncentrality_bounds


class TestNoncentralityBounds:
    @pytest.mark.parametrize(
        ("f", "df1", "df2"), [(4.0, 3, 20), (9.5, 1, 8), (3.9, 1.7, 18.3), (300.0, 5, 1000)]
    )
    def test_definition(self, f: float, df1: float, df2: float) -> None:
        stats = pytest.importorskip("scipy.stats")
        low, high = noncentrality_bounds(f, df1, df2, 0.9)
        assert stats.ncf.sf(f, df1, df2, low) == pytest.approx(0.1, rel=1e-9)
        assert stats.ncf.cdf(f, df1, df2, high) == pytest.approx(0.1, rel=1e-9)

    @given(st.floats(0.0, 50.0), st.integers(1, 10), st.integers(1, 200), st.floats(0.5, 0.999))
    def test_low_is_above_zero_exactly_when_f_rejects(
        self, f: float, df1: int, df2: int, level: float
    ) -> None:
        from scipy.special import fdtrc

        low, high = noncentrality_bounds(f, df1, df2, level)
        p_value = float(fdtrc(df1, df2, f))
        if abs(p_value - (1 - level)) > 1e-9:
            assert (low > 0.0) == (p_value < 1 - level)
        assert 0.0 <= low <= high or high == 0.0

    def test_no_difference_at_all(self) -> None:
        assert noncentrality_bounds(0.0, 3, 20, 0.95) == (0.0, 0.0)
