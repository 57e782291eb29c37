"""Limits of a difference of two proportions, on arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from assay.kernels.differences import (
    agresti_caffo_limits,
    agresti_min_limits,
    bonett_price_limits,
    constrained_rates,
    correlation,
    four_counts,
    score_limits,
    score_variance,
    tango_limits,
    tango_variance,
    two_rates,
    wald_difference_limits,
    wald_paired_limits,
)

Z = 1.959963984540054


def log_likelihood(rates: tuple[int, int, int, int], rate_b: float, delta: float) -> float:
    errors_a, n_a, errors_b, n_b = rates
    total = 0.0
    for errors, n, rate in ((errors_a, n_a, rate_b + delta), (errors_b, n_b, rate_b)):
        for count, share in ((errors, rate), (n - errors, 1 - rate)):
            if count:
                total += count * np.log(max(share, 1e-300))
    return total


class TestConstrainedRate:
    @pytest.mark.parametrize(
        "rates", [(56, 70, 48, 80), (3, 10, 0, 10), (0, 10, 0, 20), (1, 1, 0, 1), (10, 10, 3, 9)]
    )
    @pytest.mark.parametrize("delta", [-0.9, -0.3, -1e-6, 0.0, 0.05, 0.5, 0.99])
    def test_is_the_maximum_of_the_likelihood(
        self, rates: tuple[int, int, int, int], delta: float
    ) -> None:
        rate_a, rate_b = constrained_rates(two_rates(*rates), np.asarray(delta))
        found = float(rate_b)
        low, high = max(0.0, -delta), min(1.0, 1.0 - delta)
        searched = optimize.minimize_scalar(
            lambda p: -log_likelihood(rates, p, delta),
            bounds=(low, high),
            method="bounded",
            options={"xatol": 1e-12},
        )
        best = max(log_likelihood(rates, p, delta) for p in (low, high, float(searched.x)))
        assert low <= found <= high
        assert abs(float(rate_a) - found - delta) < 1e-15
        assert log_likelihood(rates, found, delta) >= best - 1e-9 * abs(best) - 1e-12

    def test_is_pooled_at_no_difference(self) -> None:
        for rate in constrained_rates(two_rates(20, 100, 30, 150), np.asarray(0.0)):
            assert abs(float(rate) - 0.2) < 1e-15

    def test_of_nothing_but_errors(self) -> None:
        for rate in constrained_rates(two_rates(3, 3, 4, 4), np.asarray(0.0)):
            assert float(rate) == 1.0


class TestScoreLimits:
    @pytest.mark.parametrize(
        ("rates", "low", "high"),
        [
            # bisection of the score and of the likelihood in mpmath 1.4.1 with 30 digits; the
            # closed form of the cubic gave high ends of 4.02e-7 and 2.840e-7, as if items were fewer
            ((3, 3, 10**7, 10**7), -0.56149703175504547, 3.8414573450141041e-07),
            ((10**7 - 1, 10**7, 10**7, 10**7), -5.6649320196064577e-07, 2.841457537087001e-07),
        ],
    )
    def test_of_rare_events_among_many(
        self, rates: tuple[int, int, int, int], low: float, high: float
    ) -> None:
        for one, sign in ((rates, 1.0), ((rates[2:] + rates[:2]), -1.0)):
            found = sorted(sign * float(end) for end in score_limits(two_rates(*one), Z))
            assert np.allclose(found, (low, high), rtol=1e-11, atol=0.0)

    @given(
        st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
        st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    )
    def test_are_where_the_statistic_is_z(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        rates = two_rates(*a, *b)
        for limit in score_limits(rates, Z):
            distance = abs(float(limit - rates.difference))
            assert -1.0 <= float(limit) <= 1.0
            if abs(float(limit)) < 1.0 - 1e-9:
                variance = float(score_variance(rates, limit))
                assert abs(distance - Z * variance**0.5) < 1e-10

    def test_hundred_thousand_replicates(self) -> None:
        rng = np.random.default_rng(1)
        rates = two_rates(
            rng.binomial(1000, 0.2, 100_000), 1000, rng.binomial(900, 0.25, 100_000), 900
        )
        low, high = score_limits(rates, Z)
        covered = np.mean((low <= -0.05) & (high >= -0.05))
        assert abs(covered - 0.95) < 0.004


class TestTangoLimits:
    def test_variance_at_zero_is_mcnemars(self) -> None:
        table = four_counts(40, 10, 5, 45)
        assert abs(float(tango_variance(table, 0.0)) - 15 / 100**2) < 1e-18

    @given(st.tuples(*[st.integers(0, 40)] * 4).filter(lambda counts: sum(counts) > 0))
    def test_are_where_the_statistic_is_z(self, counts: tuple[int, int, int, int]) -> None:
        table = four_counts(*counts)
        for limit in tango_limits(table, Z):
            distance = abs(float(limit - table.difference))
            if abs(float(limit)) < 1.0 - 1e-9:
                assert abs(distance - Z * float(tango_variance(table, limit)) ** 0.5) < 1e-10

    def test_the_cells_fit_best(self) -> None:
        """The variance is that of the multinomial of greatest likelihood given the difference."""
        counts, delta = (30, 12, 4, 14), 0.25

        def minus_log(cell: float) -> float:
            return -float(
                counts[1] * np.log(cell + delta)
                + counts[2] * np.log(cell)
                + (counts[0] + counts[3]) * np.log(1 - 2 * cell - delta)
            )

        best = optimize.minimize_scalar(
            minus_log,
            bounds=(1e-9, (1 - delta) / 2 - 1e-9),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        variance = (2 * best + delta - delta**2) / 60
        assert abs(float(tango_variance(four_counts(*counts), delta)) - variance) < 1e-9


class TestWaldLimits:
    """The mean of 0 and 1 and its standard error, from the outcomes written out."""

    @pytest.mark.parametrize("extra", [0, 1])
    def test_independent(self, extra: int) -> None:
        sides = [np.repeat([1.0, 0.0], [k + extra, n - k + extra]) for k, n in ((7, 40), (3, 25))]
        limits = agresti_caffo_limits if extra else wald_difference_limits
        value = sides[0].mean() - sides[1].mean()
        half = Z * np.sqrt(sum(side.var() / side.size for side in sides))
        assert limits(two_rates(7, 40, 3, 25), Z) == pytest.approx((value - half, value + half))

    @pytest.mark.parametrize("counts", [(20, 9, 4, 7), (9, 1, 0, 0), (0, 1, 1, 0)])
    @pytest.mark.parametrize("extra", [0, 1])
    def test_paired(self, counts: tuple[int, int, int, int], extra: int) -> None:
        repeats = [counts[1] + extra, counts[2] + extra, counts[0] + counts[3]]
        outcomes = np.repeat([1.0, -1.0, 0.0], repeats)
        limits = bonett_price_limits if extra else wald_paired_limits
        half = Z * outcomes.std() / np.sqrt(outcomes.size)
        due = np.array([outcomes.mean() - half, outcomes.mean() + half])
        due = np.clip(due, -1.0, 1.0) if extra else due
        assert limits(four_counts(*counts), Z) == pytest.approx(tuple(due))

    def test_half_an_item_more_in_each_cell(self) -> None:
        values, weights = [1.0, -1.0, 0.0, 0.0], np.array([9.5, 4.5, 20.5, 7.5])
        mean = np.average(values, weights=weights)
        variance = np.average((np.array(values) - mean) ** 2, weights=weights)
        half = Z * np.sqrt(variance / weights.sum())
        found = agresti_min_limits(four_counts(20, 9, 4, 7), Z)
        assert found == pytest.approx((mean - half, mean + half))


class TestCorrelation:
    def test_is_that_of_the_outcomes(self) -> None:
        counts = (20, 9, 4, 7)
        a, b = (np.repeat(right, counts) for right in ((1, 1, 0, 0), (1, 0, 1, 0)))
        assert float(correlation(four_counts(*counts))) == pytest.approx(np.corrcoef(a, b)[0, 1])

    def test_an_empty_margin_has_none(self) -> None:
        assert float(correlation(four_counts(20, 0, 4, 0))) == 0.0

    @pytest.mark.parametrize(
        ("counts", "cross"), [((20, 9, 4, 7), 84.0), ((9, 5, 4, 3), 0.0), ((2, 9, 8, 3), -66.0)]
    )
    def test_continuity_takes_half_an_item_from_a_positive_one(
        self, counts: tuple[int, int, int, int], cross: float
    ) -> None:
        """20 · 7 - 9 · 4 = 104 less half of 40; 27 - 20 = 7 is less than half of 21; -66 stays."""
        right_a, right_b, n = counts[0] + counts[1], counts[0] + counts[2], sum(counts)
        due = cross / (right_a * (n - right_a) * right_b * (n - right_b)) ** 0.5
        found = float(correlation(four_counts(*counts), continuity=True))
        assert found == pytest.approx(due, rel=1e-12)


def test_miettinen_and_nurminen_add_a_factor() -> None:
    rates = two_rates(7, 40, 3, 25)
    plain, inflated = (float(score_variance(rates, 0.1, inflated=one)) for one in (False, True))
    assert inflated == pytest.approx(plain * 65 / 64, rel=1e-12)
