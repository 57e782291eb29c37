"""Bounds of the noncentrality: definition, limits, and the F test they invert."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import ndtr

from assay.kernels.noncentral import (
    noncentral_t_cdf,
    noncentrality_bounds,
    t_noncentrality_bounds,
)


class TestNoncentralityBounds:
    @pytest.mark.parametrize(
        ("f", "df1", "df2"), [(4.0, 3, 20), (9.5, 1, 8), (3.9, 1.7, 18.3), (300.0, 5, 1000)]
    )
    def test_definition(self, f: float, df1: float, df2: float) -> None:
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

    @pytest.mark.parametrize(("df1", "df2"), [(1, 5), (3, 20), (7, 1000)])
    def test_far_out_it_goes_on_as_it_was(self, df1: float, df2: float) -> None:
        """SciPy's tail takes seconds there, and then is NaN: a group in other units made it hang."""
        near, far = (
            np.array(noncentrality_bounds(f / df1, df1, df2, 0.95)) for f in (9.9e8, 1.1e9)
        )
        assert far / near == pytest.approx(1.1 / 0.99, rel=1e-6)
        low, high = noncentrality_bounds(1e30, df1, df2, 0.95)
        assert 0.0 < low < df1 * 1e30 < high

    def test_no_difference_at_all(self) -> None:
        assert noncentrality_bounds(0.0, 3, 20, 0.95) == (0.0, 0.0)


class TestNoncentralT:
    @pytest.mark.parametrize("df", [1.0, 3.0, 12.5])
    @pytest.mark.parametrize("t", [-30.0, -7.0, -2.0, 0.0, 0.7, 4.0, 15.0])
    @pytest.mark.parametrize("noncentrality", [-9.0, -1.0, 0.0, 0.4, 6.0, 25.0])
    def test_definition(self, t: float, df: float, noncentrality: float) -> None:
        """P(Z + noncentrality <= t S), added up over S, the root of a chi-square over its df."""
        found = float(noncentral_t_cdf(t, df, noncentrality))

        def share(s: float) -> float:
            return float(ndtr(t * s - noncentrality) * stats.chi.pdf(s * df**0.5, df) * df**0.5)

        peaks = [s for s in (noncentrality / t if t else 0.0, 1.0) if 0.0 < s < 12.0]
        due, _ = integrate.quad(share, 0.0, 12.0, points=peaks, epsabs=1e-14, limit=400)
        assert found == pytest.approx(due, rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize(("t", "df"), [(2.2, 9.0), (-1.0, 4.0), (25.0, 3.0), (-40.0, 6.0)])
    def test_bounds_leave_their_tails(self, t: float, df: float) -> None:
        low, high = t_noncentrality_bounds(t, df, 0.05)
        tails = noncentral_t_cdf(t, df, np.array([low, high]))
        assert tails.tolist() == pytest.approx([0.95, 0.05], rel=1e-10)
