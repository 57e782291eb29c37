"""Hall's correction of t for skewness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.kernels.skewness import corrected, lean_of, uncorrected, wider_limits


class TestLean:
    def test_is_the_skewness_over_the_root_of_n(self) -> None:
        values = np.random.default_rng(0).exponential(size=40)
        assert lean_of(values) == pytest.approx(stats.skew(values) / np.sqrt(40))

    def test_rows_are_samples(self) -> None:
        rows = np.random.default_rng(1).exponential(size=(3, 25))
        np.testing.assert_allclose(lean_of(rows), [lean_of(row) for row in rows])
        np.testing.assert_allclose(
            lean_of(rows, guarded=True), [lean_of(row, guarded=True) for row in rows]
        )

    def test_scale_and_sign(self) -> None:
        values = np.random.default_rng(2).exponential(size=30)
        assert lean_of(1e-160 * values + 0.0) == pytest.approx(lean_of(values))
        assert lean_of(-values) == pytest.approx(-lean_of(values))

    def test_one_outlier_among_symmetric_values_is_chance(self) -> None:
        values = np.r_[np.linspace(-1.0, 1.0, 49), 40.0]
        assert lean_of(values) > 0.9
        assert lean_of(values, guarded=True) == 0.0

    def test_a_long_tail_shows_in_the_median(self) -> None:
        values = stats.expon.ppf((np.arange(200) + 0.5) / 200)
        assert lean_of(values, guarded=True) == pytest.approx(lean_of(values))

    def test_equal_values_do_not_lean(self) -> None:
        assert lean_of(np.full(5, 3.0)) == lean_of(np.full(5, 3.0), guarded=True) == 0.0


class TestCorrected:
    def test_is_the_polynomial_of_hall(self) -> None:
        """Hall (1992), Annals of Statistics 20, eq. 2.2 at t = 2, skewness 1.5, n = 25: c = 0.3."""
        assert corrected(2.0, 0.3) == pytest.approx(2 + 0.3 * 4 / 3 + 0.09 * 8 / 27 + 0.05)

    @given(t=st.floats(-50, 50), lean=st.floats(-1.2, 1.2))
    def test_has_an_inverse(self, t: float, lean: float) -> None:
        assert uncorrected(corrected(t, lean), lean) == pytest.approx(t, rel=1e-6, abs=1e-6)

    @given(lean=st.floats(-1.2, 1.2))
    def test_rises(self, lean: float) -> None:
        assert (np.diff(corrected(np.linspace(-20, 20, 401), lean)) >= 0.0).all()

    @given(lean=st.floats(-1.2, 1.2), reach=st.floats(0.5, 12.0))
    def test_limits_hold_those_of_t(self, lean: float, reach: float) -> None:
        low, high = wider_limits(1.0, 0.5, reach, lean)
        assert low <= 1.0 - reach * 0.5
        assert high >= 1.0 + reach * 0.5

    def test_without_skewness_it_is_t(self) -> None:
        low, high = wider_limits(1.0, 0.5, 2.0, 0.0)
        assert (float(low), float(high)) == (0.0, 2.0)
