"""Power of z, t, Welch and corrected t: published values, R, simulation, edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.vocabulary import Alternative
from assay.plan.power_means import (
    cluster_t_power,
    design_effect,
    normal_power,
    paired_t_power,
    pooled_t_power,
    repeats_sd,
    resampled_t_limit,
    resampled_t_power,
    t_power,
    welch_power,
    withheld_t_power,
)
from assay.reference import Case, cases
from tests.support import agree

PAIRED = [case for case in cases("power__paired_t") if "n" in case.input]
POOLED = [case for case in cases("power__two_sample_t") if "n_per_group" in case.input]
SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


class TestNormalPower:
    def test_no_difference_rejects_at_the_level(self) -> None:
        for side in SIDES:
            assert float(normal_power(0.0, 0.05, side)) == pytest.approx(0.05, rel=1e-12)

    def test_two_sided_has_both_tails(self) -> None:
        one, other = (float(normal_power(shift, 0.025, "greater")) for shift in (1.0, -1.0))
        assert float(normal_power(1.0, 0.05, "two-sided")) == pytest.approx(one + other)

    @given(st.floats(0.0, 6.0), st.sampled_from([0.05, 0.01]))
    def test_sides_mirror(self, shift: float, alpha: float) -> None:
        greater, less = normal_power(shift, alpha, "greater"), normal_power(-shift, alpha, "less")
        assert float(greater) == float(less)


class TestTPower:
    @pytest.mark.parametrize("case", PAIRED, ids=lambda case: case.id)
    def test_paired_agrees_with_r(self, case: Case) -> None:
        asked = case.input
        found = paired_t_power(asked["n"], asked["d"], asked["alpha"], asked["alternative"])
        assert agree(found, case.expected["power"], 1e-9)

    @pytest.mark.parametrize("case", POOLED, ids=lambda case: case.id)
    def test_pooled_agrees_with_r(self, case: Case) -> None:
        asked = case.input
        n, side = asked["n_per_group"], asked["alternative"]
        assert agree(pooled_t_power(n, asked["d"], 0.05, side), case.expected["power"], 1e-9)

    def test_approaches_the_normal(self) -> None:
        assert t_power(2.0, 1e7, 0.05, "two-sided") == pytest.approx(
            float(normal_power(2.0, 0.05, "two-sided")), abs=1e-6
        )

    @given(st.floats(0.0, 3.0), st.floats(1.0, 50.0), st.sampled_from(SIDES))
    def test_is_a_probability(self, shift: float, df: float, side: Alternative) -> None:
        assert 0.0 <= t_power(shift, df, 0.05, side) <= 1.0


class TestWelchPower:
    @pytest.mark.parametrize(
        ("n", "difference", "sds"),
        [(3, 1.5, (1.0, 1.0)), (5, 2.0, (1.0, 1.0)), (5, 2.0, (1.0, 3.0)), (12, 1.0, (2.0, 0.5))],
    )
    def test_agrees_with_simulation(
        self, n: int, difference: float, sds: tuple[float, float]
    ) -> None:
        from scipy.special import stdtr

        rng, studies = np.random.default_rng(5), 40_000
        a = difference + sds[0] * rng.standard_normal((studies, n))
        b = sds[1] * rng.standard_normal((studies, n))
        va, vb = a.var(axis=1, ddof=1) / n, b.var(axis=1, ddof=1) / n
        df = (va + vb) ** 2 / (va**2 / (n - 1) + vb**2 / (n - 1))
        t = (a.mean(axis=1) - b.mean(axis=1)) / np.sqrt(va + vb)
        simulated = float((2 * stdtr(df, -np.abs(t)) <= 0.05).mean())
        found = welch_power(n, difference, sds, 0.05, "two-sided")
        assert abs(found - simulated) < 4 * math.sqrt(found * (1 - found) / studies)

    def test_with_equal_spread_and_many_units_as_pooled(self) -> None:
        welch = welch_power(100, 0.5, (1.0, 1.0), 0.05, "two-sided")
        assert welch == pytest.approx(pooled_t_power(100, 0.5, 0.05, "two-sided"), abs=1e-4)


class TestCorrectedTPower:
    def test_never_exceeds_what_the_ratio_allows(self) -> None:
        limit = resampled_t_limit(0.8, 1 / 9, 1 / 9, 0.05, "two-sided")
        powers = [
            resampled_t_power(n, 0.8, 1 / 9, 1 / 9, 0.05, "two-sided") for n in (10, 100, 1000, 1e6)
        ]
        assert powers == sorted(powers)
        assert powers[-1] < limit
        assert powers[-1] == pytest.approx(limit, abs=1e-5)

    def test_agrees_with_simulation_where_folds_correlate_as_assumed(self) -> None:
        from assay.kernels.tails import t_reach

        rng, studies, n, share = np.random.default_rng(6), 20_000, 20, 0.1
        ratio = share / (1 - share)
        common = rng.standard_normal((studies, 1)) * math.sqrt(share)
        own = rng.standard_normal((studies, n)) * math.sqrt(1 - share)
        values = 0.7 + common + own
        sd = values.std(axis=1, ddof=1)
        t = values.mean(axis=1) / (sd * math.sqrt(1 / n + ratio))
        simulated = float((np.abs(t) >= t_reach(0.95, n - 1, "two-sided")).mean())
        # sd between folds is that of their own part
        found = resampled_t_power(n, 0.7 / math.sqrt(1 - share), ratio, ratio, 0.05, "two-sided")
        assert abs(found - simulated) < 4 * math.sqrt(found * (1 - found) / studies)


class TestClusterTPower:
    def test_agrees_with_simulation(self) -> None:
        from assay.kernels.tails import t_reach

        rng, studies, clusters, size, icc = np.random.default_rng(7), 20_000, 20, 5, 0.3
        between = rng.standard_normal((studies, clusters, 1)) * math.sqrt(icc)
        within = rng.standard_normal((studies, clusters, size)) * math.sqrt(1 - icc)
        means = (0.4 + between + within).mean(axis=2)
        t = means.mean(axis=1) / (means.std(axis=1, ddof=1) / math.sqrt(clusters))
        simulated = float((np.abs(t) >= t_reach(0.95, clusters - 1, "two-sided")).mean())
        found = cluster_t_power(clusters * size, 0.4, size, icc, 0.05, "two-sided")
        assert abs(found - simulated) < 4 * math.sqrt(found * (1 - found) / studies)

    def test_single_items_are_the_paired_t(self) -> None:
        assert cluster_t_power(40, 0.5, 1, 0.7, 0.05, "two-sided") == pytest.approx(
            paired_t_power(40, 0.5, 0.05, "two-sided")
        )

    def test_design_effect(self) -> None:
        assert design_effect(20, 0.0) == 1.0
        assert design_effect(20, 1.0) == 20.0
        assert design_effect(21, 0.05) == pytest.approx(2.0)


def test_repeats_sd_adds_what_is_left_within_items() -> None:
    assert repeats_sd(0.3, (0.2, 0.4), (1.0, 4.0)) == pytest.approx(math.sqrt(0.09 + 0.04 + 0.04))


class TestWithheld:
    def test_many_items_leave_the_power_of_t(self) -> None:
        assert withheld_t_power(600, 0.1, 0.05, "two-sided") == pytest.approx(
            paired_t_power(600, 0.1, 0.05, "two-sided")
        )

    def test_few_items_have_less(self) -> None:
        for side in ("two-sided", "greater"):
            assert withheld_t_power(50, 0.4, 0.05, side) < 0.2 * paired_t_power(50, 0.4, 0.05, side)

    def test_is_what_a_plan_of_mse_takes(self) -> None:
        few, many = (
            assay.plan(name, difference=1.0, sd=10.0**0.5, power=0.8).n for name in ("mae", "mse")
        )
        assert few == 81
        assert many is not None
        assert 100 < many < 160
        assert assay.plan("mse", n=many, sd=10.0**0.5, difference=1.0).power == pytest.approx(
            0.8, abs=0.02
        )
