"""Differences of beta shares: tails by quadrature, and their quantiles."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from assay.kernels.beta_differences import (
    independent_quantiles,
    independent_tail,
    paired_quantiles,
    paired_tail,
)

THREE = np.array([0.025, 0.5, 0.975])
shapes = st.floats(0.5, 60.0)


def by_quadrature(value: float, only_a: float, only_b: float, agree: float) -> float:
    share, part = stats.beta(only_a + only_b, agree), stats.beta(only_a, only_b)
    found, _ = quad(
        lambda s: share.pdf(s) * part.sf((1.0 + value / s) / 2.0),
        value,
        1.0,
        epsabs=1e-12,
        limit=500,
    )
    return float(found)


class TestPairedTail:
    @pytest.mark.parametrize(
        ("cells", "value"),
        [((10.5, 3.5, 100.0), 0.05), ((75.5, 63.5, 260.0), 0.05), ((30.5, 20.5, 20.0), 0.4)],
    )
    def test_is_the_integral(self, cells: tuple[float, float, float], value: float) -> None:
        assert paired_tail(*cells)(value) == pytest.approx(by_quadrature(value, *cells), rel=1e-9)

    def test_without_a_value_it_is_a_beta_probability(self) -> None:
        assert paired_tail(7.5, 2.5, 40.0)(0.0) == pytest.approx(stats.beta(7.5, 2.5).sf(0.5))

    def test_is_continuous_at_zero(self) -> None:
        tail = paired_tail(12.5, 6.5, 81.0)
        assert tail(1e-9) == pytest.approx(tail(0.0), abs=1e-7)

    def test_of_many_items_it_is_normal(self) -> None:
        only_a, only_b, agree = 5000.5, 4900.5, 90_000.0
        total = only_a + only_b + agree
        mean = (only_a - only_b) / total
        sd = np.sqrt(((only_a + only_b) / total - mean**2) / (total + 1.0))
        tail = paired_tail(only_a, only_b, agree)(0.002)
        assert tail == pytest.approx(stats.norm.sf((0.002 - mean) / sd), rel=0.01)

    def test_nothing_is_beyond_one(self) -> None:
        assert paired_tail(3.5, 1.5, 4.0)(1.0) == 0.0

    def test_far_tails_keep_their_digits(self) -> None:
        assert 0.0 < paired_tail(5000.5, 4900.5, 90_000.0)(0.01) < 1e-15


class TestIndependentTail:
    @pytest.mark.parametrize("value", [0.0, 0.01, 0.2])
    def test_is_the_integral(self, value: float) -> None:
        a, b = stats.beta(20.5, 80.5), stats.beta(30.5, 71.5)
        expected, _ = quad(lambda x: a.pdf(x) * b.cdf(x - value), value, 1.0, epsabs=1e-13)
        found = independent_tail((20.5, 80.5), (30.5, 71.5))(value)
        assert found == pytest.approx(expected, rel=1e-8)

    def test_both_sides_add_up(self) -> None:
        a, b = (3.5, 17.5), (9.5, 1.5)
        assert independent_tail(a, b)(0.0) + independent_tail(b, a)(0.0) == pytest.approx(1.0)


class TestQuantiles:
    @settings(max_examples=40, deadline=None)
    @given(only_a=shapes, only_b=shapes, agree=st.floats(1.0, 500.0))
    @example(only_a=55.0, only_b=0.5, agree=260.0)
    @example(only_a=1000.5, only_b=0.5, agree=5000.0)
    def test_leave_what_they_should(self, only_a: float, only_b: float, agree: float) -> None:
        above, below = paired_tail(only_a, only_b, agree), paired_tail(only_b, only_a, agree)
        for value, target in zip(
            paired_quantiles(only_a, only_b, agree, THREE).tolist(), THREE.tolist(), strict=True
        ):
            left = 1.0 - above(value) if value >= 0.0 else below(-value)
            assert left == pytest.approx(target, abs=2e-4)

    def test_mirror(self) -> None:
        one, other = (
            paired_quantiles(*cells, THREE) for cells in ((9.5, 2.5, 30.0), (2.5, 9.5, 30.0))
        )
        assert one == pytest.approx(-other[::-1], abs=1e-9)

    @pytest.mark.parametrize(
        ("a", "b"), [((20.5, 80.5), (30.5, 71.5)), ((200.5, 0.5), (1.5, 60.5)), ((0.5, 9.5),) * 2]
    )
    def test_independent_ones_leave_what_they_should(
        self, a: tuple[float, float], b: tuple[float, float]
    ) -> None:
        for value, target in zip(
            independent_quantiles(a, b, THREE).tolist(), THREE.tolist(), strict=True
        ):
            above, below = independent_tail(a, b), independent_tail(b, a)
            left = 1.0 - above(value) if value >= 0.0 else below(-value)
            assert left == pytest.approx(target, abs=2e-4)

    def test_of_independent_shares(self) -> None:
        rng = np.random.default_rng(1)
        drawn = rng.beta(20.5, 80.5, 400_000) - rng.beta(30.5, 71.5, 400_000)
        found = independent_quantiles((20.5, 80.5), (30.5, 71.5), THREE)
        assert found == pytest.approx(np.quantile(drawn, THREE), abs=2e-3)
