"""Limits of a proportion and the two-sided binomial test, on arrays."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.kernels.binomial import (
    Limits,
    agresti_coull_limits,
    at_least,
    at_most,
    binomial_small_p,
    clopper_pearson_limits,
    jeffreys_limits,
    mid_p_limits,
    small_p_interval,
    wald_limits,
    wilson_cc_limits,
    wilson_limits,
)
from tests.support import agree

Z = 1.959963984540054


class TestTails:
    def test_agree_with_scipy(self) -> None:
        k = np.arange(-1, 14)
        for p in (0.0, 0.01, 0.3, 0.99, 1.0):
            np.testing.assert_allclose(
                at_least(k, 12, p), stats.binom.sf(k - 1, 12, p), rtol=1e-12, atol=1e-300
            )
            np.testing.assert_allclose(
                at_most(k, 12, p), stats.binom.cdf(k, 12, p), rtol=1e-12, atol=1e-300
            )

    def test_keep_digits_far_out(self) -> None:
        assert agree(float(at_least(100, 100, 1e-3)), 1e-300, 1e-12, atol=0.0)


class TestBinomialSmallP:
    @pytest.mark.parametrize("n", [1, 2, 5, 12])
    def test_agrees_with_the_sum_over_all_outcomes(self, n: int) -> None:
        outcomes = np.arange(n + 1)
        for p in (0.01, 0.2, 1 / 3, 0.5, 0.75, 0.999):
            mass = stats.binom.pmf(outcomes, n, p)
            for k in outcomes:
                expected = mass[mass <= mass[k] * (1 + 1e-7)].sum()
                assert agree(float(binomial_small_p(k, n, p)), expected, 1e-11)

    def test_equally_likely_outcomes_count_at_one_half(self) -> None:
        k = np.arange(41)
        np.testing.assert_allclose(
            binomial_small_p(k, 40, 0.5), binomial_small_p(40 - k, 40, 0.5), rtol=1e-13
        )

    @given(st.integers(1, 10**6), st.floats(0.0, 1.0), st.floats(1e-9, 1 - 1e-9))
    def test_is_a_probability(self, n: int, share: float, p: float) -> None:
        p_value = float(binomial_small_p(round(share * n), n, p))
        assert 0.0 <= p_value <= 1.0

    def test_a_certain_null(self) -> None:
        assert binomial_small_p([0, 1, 5], 5, 0.0).tolist() == [1.0, 0.0, 0.0]
        assert binomial_small_p([0, 4, 5], 5, 1.0).tolist() == [0.0, 0.0, 1.0]

    def test_the_most_likely_outcome_has_p_one(self) -> None:
        assert float(binomial_small_p(30, 100, 0.3)) == 1.0


class TestSmallPInterval:
    @pytest.mark.parametrize("n", [1, 2, 3, 10, 17])
    @pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
    def test_is_the_hull_of_what_a_grid_search_accepts(self, n: int, level: float) -> None:
        grid = np.linspace(1e-4, 1 - 1e-4, 4001)
        step = 2 * (grid[1] - grid[0])  # a p-value may equal 1 - level at a grid point
        low, high = small_p_interval(np.arange(n + 1), n, level)
        for k in range(n + 1):
            accepted = grid[binomial_small_p(k, n, grid) > 1 - level]
            assert max(low[k], grid[0]) <= accepted[0] + 1e-12
            assert accepted[0] <= max(low[k], grid[0]) + step
            assert accepted[-1] - 1e-12 <= min(high[k], grid[-1])
            assert min(high[k], grid[-1]) <= accepted[-1] + step

    def test_ends_where_the_test_begins_to_reject(self) -> None:
        for k, n in ((3, 10), (7, 50), (450, 1000), (2000, 10000)):
            low, high = (float(end) for end in small_p_interval(k, n, 0.95))
            assert float(binomial_small_p(k, n, low * (1 + 1e-9))) > 0.05
            assert float(binomial_small_p(k, n, low * (1 - 1e-6))) <= 0.05
            assert float(binomial_small_p(k, n, high * (1 - 1e-9))) > 0.05
            assert float(binomial_small_p(k, n, high * (1 + 1e-6))) <= 0.05

    def test_a_rejected_null_can_lie_inside(self) -> None:
        """1 of 30 is rejected from 0.163, where 9 gets more likely than 1, and kept from 0.176."""
        low, high = (float(end) for end in small_p_interval(1, 30, 0.95))
        assert low < 0.17 < 0.177 < high
        assert float(binomial_small_p(1, 30, 0.17)) < 0.05
        assert float(binomial_small_p(1, 30, 0.177)) > 0.05


LIMITS: dict[str, Callable[[np.ndarray, int], Limits]] = {
    "wald": lambda k, n: wald_limits(k, n, Z),
    "wilson": lambda k, n: wilson_limits(k, n, Z),
    "wilson_cc": lambda k, n: wilson_cc_limits(k, n, Z),
    "agresti_coull": lambda k, n: agresti_coull_limits(k, n, Z),
    "clopper_pearson": lambda k, n: clopper_pearson_limits(k, n, 0.025),
    "jeffreys": lambda k, n: jeffreys_limits(k, n, 0.025),
    "mid_p": lambda k, n: mid_p_limits(k, n, 0.025),
    "guarded": lambda k, n: mid_p_limits(k, n, 0.025, guarded=True),
    "small_p": lambda k, n: small_p_interval(k, n, 0.95),
}


@pytest.mark.parametrize("name", LIMITS)
class TestEveryKernel:
    def test_is_symmetric(self, name: str) -> None:
        k = np.arange(31)
        low, high = LIMITS[name](k, 30)
        low_mirrored, high_mirrored = LIMITS[name](30 - k, 30)
        np.testing.assert_allclose(low, 1 - high_mirrored, atol=1e-13)
        np.testing.assert_allclose(high, 1 - low_mirrored, atol=1e-13)

    def test_rises_with_the_count(self, name: str) -> None:
        if name == "wald":
            pytest.skip("Wald's limits do not rise at the ends")
        low, high = LIMITS[name](np.arange(31), 30)
        assert np.all(np.diff(low) >= -1e-12)
        assert np.all(np.diff(high) >= -1e-12)

    def test_works_on_arrays_of_any_shape(self, name: str) -> None:
        k = np.array([[0, 3, 7], [10, 3, 5]])
        low, high = LIMITS[name](k, 10)
        assert low.shape == high.shape == (2, 3)
        assert agree(float(low[0, 1]), float(LIMITS[name](np.array(3), 10)[0]), 1e-12)

    def test_many_replicates_at_once_are_each_by_itself(self, name: str) -> None:
        k = np.random.default_rng(1).binomial(1000, 0.05, size=100_000)
        counts, place = np.unique(k, return_inverse=True)
        for many, each in zip(LIMITS[name](k, 1000), LIMITS[name](counts, 1000), strict=True):
            np.testing.assert_array_equal(many, each[place])


class TestMidPLimits:
    @pytest.mark.parametrize(("k", "n"), [(1, 5), (3, 10), (40, 100), (3, 10**6)])
    def test_solves_its_equation(self, k: int, n: int) -> None:
        low, high = (float(end) for end in mid_p_limits(k, n, 0.025))
        above = stats.binom.sf(k, n, low) + stats.binom.pmf(k, n, low) / 2
        below = stats.binom.cdf(k - 1, n, high) + stats.binom.pmf(k, n, high) / 2
        assert agree(above, 0.025, 1e-9)
        assert agree(below, 0.025, 1e-9)

    def test_the_ends_in_closed_form(self) -> None:
        assert agree(float(mid_p_limits(0, 50, 0.025)[1]), 1 - 0.05 ** (1 / 50), 1e-13)
        assert agree(float(mid_p_limits(50, 50, 0.025)[0]), 0.05 ** (1 / 50), 1e-13)
        guarded = mid_p_limits([0, 7, 50], 50, 0.025, guarded=True)
        assert agree(float(guarded[1][0]), 1 - 0.0375 ** (1 / 50), 1e-13)
        assert agree(float(guarded[0][2]), 0.0375 ** (1 / 50), 1e-13)
        assert float(guarded[0][1]) == float(mid_p_limits(7, 50, 0.025)[0])
