"""Differences of two models with a judge's help."""

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError


def differences(seed: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    judge = rng.standard_normal(500) + 0.4
    people = 0.8 * (judge - 0.4) + 0.5 * rng.standard_normal(500) + shift
    people[60:] = np.nan
    return people, judge


class TestJudgedDifference:
    def test_t_is_the_estimate_over_its_error(self) -> None:
        found = assay.judged_difference(*differences(1))
        mean = assay.judged_mean(*differences(1))
        assert found.effect.value == mean.value
        statistic = mean.value / mean.standard_error
        assert found.p_value == pytest.approx(2 * stats.t.sf(abs(statistic), 58))

    def test_it_keeps_its_level(self) -> None:
        """A judge that prefers A by 0.4 although people see no difference."""
        rejected = sum(
            assay.judged_difference(*differences(seed)).rejects(0.05) for seed in range(400)
        )
        assert rejected <= 32  # 20 expected; 32 has a chance of 1 in 200

    def test_it_finds_what_is_there(self) -> None:
        found = assay.judged_difference(*differences(1, shift=0.5))
        assert found.rejects(0.001)


class TestJudgedPairedRates:
    def test_the_interval_decides(self) -> None:
        rng = np.random.default_rng(3)
        people = rng.choice([-1.0, 0, 1], size=600, p=[0.1, 0.7, 0.2])
        judge = np.where(rng.random(600) < 0.8, people, rng.choice([-1.0, 0, 1], size=600))
        people[80:] = np.nan
        for level in (0.8, 0.95, 0.99):
            found = assay.judged_paired_rates(people, judge, level=level)
            assert found.effect.interval is not None
            assert found.rejects(1 - level) == (not found.effect.interval.contains(0.0))

    def test_other_differences_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="judged_difference"):
            assay.judged_paired_rates([0.5, 0.0, 1.0, np.nan], [1.0, 0.0, 1.0, 0.0])

    def test_it_keeps_its_level(self) -> None:
        rejected = 0
        for seed in range(300):
            rng = np.random.default_rng(seed)
            people = rng.choice([-1.0, 0, 1], size=400, p=[0.15, 0.7, 0.15])
            judge = np.where(
                rng.random(400) < 0.7, people, rng.choice([-1.0, 0, 1], size=400, p=[0.1, 0.5, 0.4])
            )
            people[50:] = np.nan
            interval = assay.judged_paired_rates(people, judge).effect.interval
            assert interval is not None
            rejected += not interval.contains(0.0)
        assert rejected <= 26  # 15 expected; 26 has a chance of 1 in 200
