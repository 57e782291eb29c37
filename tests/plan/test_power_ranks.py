"""Power of ranks over data sets: assay's own tests, closed form beside simulation."""

import math

import numpy as np
import pytest

from assay.core.vocabulary import Alternative
from assay.hypotheses.many_models import iman_davenport
from assay.hypotheses.paired_scores import wilcoxon
from assay.plan.power_ranks import (
    EFFICIENCY,
    critical_rank_sum,
    differences_like,
    friedman_closed_power,
    friedman_simulated_power,
    normal_differences,
    wilcoxon_closed_power,
    wilcoxon_simulated_power,
)

STUDIES = 20_000


def simulated(n: int, effect: float, alpha: float = 0.05, side: Alternative = "two-sided") -> float:
    return wilcoxon_simulated_power(
        n, effect, normal_differences(1.0), alpha, side, n_resamples=STUDIES, seed=1
    )


class TestCriticalRankSum:
    @pytest.mark.parametrize(  # Wilcoxon & Wilcox (1964): two-sided 5 %
        ("n", "critical"), [(6, 0), (7, 2), (8, 3), (10, 8), (15, 25), (20, 52), (25, 89)]
    )
    def test_published_table(self, n: int, critical: int) -> None:
        assert critical_rank_sum(n, 0.025) == critical

    def test_none_where_no_sum_is_rare_enough(self) -> None:
        assert critical_rank_sum(5, 0.025) == -1


class TestWilcoxon:
    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    def test_rejects_as_the_test_itself(self, side: Alternative) -> None:
        rng, n, studies = np.random.default_rng(4), 9, 400
        shift = -0.7 if side == "less" else 0.7
        rejected = sum(
            (wilcoxon(rng.standard_normal(n) + shift, alternative=side).p_value or 0.0) <= 0.05
            for _ in range(studies)
        )
        power = simulated(n, shift, side=side)
        error = math.sqrt(power * (1 - power) / studies)
        assert abs(rejected / studies - power) < 4 * error

    @pytest.mark.parametrize(("n", "effect"), [(9, 0.8), (15, 0.8), (30, 0.5), (60, 0.3)])
    def test_closed_form_is_near(self, n: int, effect: float) -> None:
        assert wilcoxon_closed_power(n, effect, 0.05, "two-sided") == pytest.approx(
            simulated(n, effect), abs=0.02
        )

    def test_no_difference_rejects_at_the_attained_level(self) -> None:
        attained = 10 / 256  # W <= 3 of 8 differences, both tails
        error = math.sqrt(attained / STUDIES)
        assert abs(simulated(8, 0.0) - attained) < 4 * error
        assert wilcoxon_closed_power(8, 0.0, 0.05, "two-sided") == pytest.approx(attained)

    def test_too_few_data_sets_never_reject(self) -> None:
        assert simulated(5, 9.0) == 0.0
        assert wilcoxon_closed_power(5, 9.0, 0.05, "two-sided") == 0.0

    def test_same_seed_same_power(self) -> None:
        assert simulated(12, 0.5) == simulated(12, 0.5)


class TestDifferencesLike:
    def test_spread_is_kept_and_centre_is_not(self) -> None:
        observed = np.random.default_rng(3).standard_t(3, 40) + 5.0
        found = differences_like(observed)
        drawn = found.draw(np.random.default_rng(4), (400, 400))
        assert abs(drawn.mean()) < 0.02 * found.sd
        assert drawn.std() == pytest.approx(found.sd, rel=0.02)

    def test_normal_differences_have_the_efficiency_of_normal_ones(self) -> None:
        observed = np.random.default_rng(5).standard_normal(800)
        assert differences_like(observed).efficiency == pytest.approx(EFFICIENCY, abs=0.02)

    def test_heavy_tails_are_worth_more(self) -> None:
        observed = np.random.default_rng(6).standard_t(3, 2000)
        assert differences_like(observed).efficiency > 1.3

    def test_a_constant_added_changes_nothing(self) -> None:
        observed = np.random.default_rng(7).standard_normal(15)
        one, other = (differences_like(observed + shift) for shift in (0.0, 3.0))
        assert one.sd == pytest.approx(other.sd)
        assert one.efficiency == pytest.approx(other.efficiency)


class TestFriedman:
    @pytest.mark.parametrize(("n", "k", "effect"), [(10, 3, 1.0), (20, 5, 0.8), (60, 10, 0.5)])
    def test_closed_form_is_near(self, n: int, k: int, effect: float) -> None:
        power = friedman_simulated_power(n, k, effect, 0.05, n_resamples=STUDIES, seed=1)
        assert friedman_closed_power(n, k, effect, 0.05) == pytest.approx(power, abs=0.02)

    def test_rejects_as_the_test_itself(self) -> None:
        rng, n, k, studies = np.random.default_rng(8), 8, 3, 500
        shifts = np.array([1.0, 0.0, -1.0]) / math.sqrt(2.0)
        rejected = sum(
            (iman_davenport(rng.standard_normal((n, k)) + shifts).p_value or 0.0) <= 0.05
            for _ in range(studies)
        )
        power = friedman_simulated_power(n, k, 1.0, 0.05, n_resamples=STUDIES, seed=1)
        assert abs(rejected / studies - power) < 4 * math.sqrt(power * (1 - power) / studies)

    def test_agreement_of_all_is_judged_by_its_own_chance(self) -> None:
        power = friedman_simulated_power(2, 3, 30.0, 0.05, n_resamples=200, seed=1)
        assert power == 0.0  # (1/6)^1 is above 0.05
        assert friedman_simulated_power(3, 3, 30.0, 0.05, n_resamples=200, seed=1) == 1.0
