"""The correction of t for skewness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.kernels.skewness import corrected, lean_of, uncorrected, wider_limits


class TestLean:
    def test_is_the_skewness_over_the_root_of_n(self) -> None:
        values = np.random.default_rng(0).exponential(size=40)
        assert lean_of(values, bounded=True) == pytest.approx(stats.skew(values) / np.sqrt(40))

    def test_rows_are_samples(self) -> None:
        rows = np.random.default_rng(1).exponential(size=(3, 25))
        np.testing.assert_allclose(lean_of(rows), [lean_of(row) for row in rows])
        np.testing.assert_allclose(
            lean_of(rows, bounded=True), [lean_of(row, bounded=True) for row in rows]
        )

    def test_scale_and_sign(self) -> None:
        values = np.random.default_rng(2).exponential(size=30)
        assert lean_of(1e-160 * values + 0.0) == pytest.approx(lean_of(values))
        assert lean_of(-values) == pytest.approx(-lean_of(values))

    def test_one_outlier_among_symmetric_values_counts_half(self) -> None:
        values = np.r_[np.linspace(-1.0, 1.0, 49), 40.0]
        assert lean_of(values, bounded=True) > 0.9
        assert lean_of(values) == pytest.approx(lean_of(values, bounded=True) / 2)

    def test_a_long_tail_shows_without_its_farthest_value(self) -> None:
        values = np.sort(np.random.default_rng(4).exponential(size=40))
        lean, rest = stats.skew(values) / np.sqrt(40), stats.skew(values[:-1]) / np.sqrt(39)
        assert 0.0 < rest < lean
        assert lean_of(values) == pytest.approx(
            (lean + rest) / 2 + min(1, 20 / 40 + 2 * rest) * rest
        )
        many = np.sort(np.random.default_rng(4).exponential(size=200))
        lean, rest = stats.skew(many) / np.sqrt(200), stats.skew(many[:-1]) / np.sqrt(199)
        assert lean_of(many) == pytest.approx(rest * (1.1 + 2 * rest) + (lean - rest) * 0.875)

    def test_a_tail_on_one_side_is_doubled_where_values_are_few(self) -> None:
        few, many = np.random.default_rng(5).exponential(size=(2, 200))
        lean = stats.skew(few[:40]) / np.sqrt(40)
        assert lean_of(few[:40], one_sided=True) == pytest.approx(2 * lean)
        lean = stats.skew(many) / np.sqrt(200)
        assert lean_of(many, one_sided=True) == pytest.approx(1.25 * lean)

    def test_equal_values_do_not_lean(self) -> None:
        assert lean_of(np.full(5, 3.0)) == lean_of(np.full(5, 3.0), bounded=True) == 0.0

    def test_equal_values_but_one_have_nothing_left_to_lean(self) -> None:
        values = np.r_[np.full(30, 0.1), 0.7]
        assert lean_of(values) == pytest.approx(lean_of(values, bounded=True) / 2)


class TestCorrected:
    def test_is_the_cubic_of_hall_where_the_lean_is_small(self) -> None:
        """Hall (1992), Annals of Statistics 20, eq. 2.2."""
        cubic = 2 + 0.005 * 4 / 3 + 0.005**2 * 8 / 27 + 0.005 / 6
        assert corrected(2.0, 0.005) == pytest.approx(cubic)

    @pytest.mark.parametrize("side", [1.0, -1.0])
    def test_agrees_with_hall_to_first_order(self, side: float) -> None:
        for t in (-2.5, -1.0, 0.0, 1.0, 2.5):
            first = t + 0.02 * side * (t**2 / 3 + 1 / 6)
            assert corrected(t, 0.02 * side) == pytest.approx(first, abs=0.02**2 * 4)

    @pytest.mark.parametrize("count", [1, 2, 5, 30])
    def test_limits_are_those_of_a_poisson_count(self, count: int) -> None:
        """The mid-p limits of a count k, to within the half that stands for mid-p: gamma with k + ½."""
        lean, error = count**-0.5, count**0.5
        low, high = (count - float(uncorrected(z, lean)) * error for z in (1.96, -1.96))
        gamma = stats.gamma(count + 0.5)
        assert (low, high) == pytest.approx(
            (gamma.ppf(stats.norm.cdf(-1.96)), gamma.ppf(stats.norm.cdf(1.96)))
        )

    @given(x=st.floats(-8, 8), lean=st.floats(-1.2, 1.2))
    def test_has_an_inverse(self, x: float, lean: float) -> None:
        assert corrected(uncorrected(x, lean), lean) == pytest.approx(x, rel=1e-6, abs=1e-6)

    @pytest.mark.parametrize("t", [-2.5, 0.3, 2.0])
    @pytest.mark.parametrize("lean", [-0.008, 1e-4, 0.005])
    def test_the_cubic_has_its_inverse(self, t: float, lean: float) -> None:
        cubic = t + lean * t**2 / 3 + lean**2 * t**3 / 27 + lean / 6
        assert uncorrected(cubic, lean) == pytest.approx(t, rel=1e-9)

    @pytest.mark.parametrize("count", [1, 4, 30])
    @pytest.mark.parametrize("side", [1.0, -1.0])
    def test_limits_are_the_wider_of_t_and_a_count(self, count: int, side: float) -> None:
        """A count k is its own variance: Garwood's limits with k + ½, or k ± z √k where those lie farther."""
        z = 1.96
        low, high = wider_limits(side * count, count**0.5, z, side * count**-0.5)
        gamma = stats.gamma(count + 0.5)
        ends = [gamma.ppf(stats.norm.cdf(at)) for at in (-z, z)]
        near, far = min(ends[0], count - z * count**0.5), max(ends[1], count + z * count**0.5)
        expected = (near, far) if side > 0 else (-far, -near)
        assert (float(low), float(high)) == pytest.approx(expected, rel=1e-9)

    @given(lean=st.floats(-1.2, 1.2))
    def test_rises(self, lean: float) -> None:
        found = corrected(np.linspace(-8, 8, 161), lean)
        assert (np.diff(found[np.isfinite(found)]) >= 0.0).all()

    @given(lean=st.floats(-1.2, 1.2), reach=st.floats(0.5, 12.0))
    def test_limits_hold_those_of_t(self, lean: float, reach: float) -> None:
        low, high = wider_limits(1.0, 0.5, reach, lean)
        assert low <= 1.0 - reach * 0.5
        assert high >= 1.0 + reach * 0.5

    def test_without_skewness_it_is_t(self) -> None:
        low, high = wider_limits(1.0, 0.5, 2.0, 0.0)
        assert (float(low), float(high)) == (0.0, 2.0)
