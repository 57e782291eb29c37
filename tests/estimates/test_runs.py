"""Runs over seeds: interquartile mean, optimality gap, probability of improvement, profiles."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import Estimate
from assay.estimates.means import mean_t
from assay.estimates.rank_effects import a12
from assay.estimates.runs import (
    _InterquartileMean,
    as_runs,
    interquartile_mean,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
)
from tests.support import agree

SCORES = st.lists(st.integers(-50, 50).map(lambda x: x / 10), min_size=3, max_size=14)
RNG = np.random.default_rng(0)
MATRIX = np.round(RNG.normal(1.0, 0.5, (5, 6)), 3)


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def codes(estimate: Any) -> set[str]:
    return {note.code for note in estimate.notes}


class TestAsRuns:
    def test_array_matrix_and_mapping(self) -> None:
        assert as_runs([1.0, 2.0]).sizes == (2,)
        assert as_runs(MATRIX).sizes == (5,) * 6
        assert as_runs({"pong": [1.0, 2.0], "breakout": [3.0]}).names == ("pong", "breakout")
        np.testing.assert_array_equal(as_runs(MATRIX).tasks[2], MATRIX[:, 2])

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="is empty"):
            as_runs({})
        with pytest.raises(EvidenceError, match="missing or infinite cells"):
            as_runs([[1.0, float("nan")], [1.0, 2.0]])
        with pytest.raises(EvidenceError, match="must be numbers"):
            as_runs("runs.csv")


class TestInterquartileMean:
    @given(SCORES)
    def test_is_scipys_trimmed_mean(self, scores: list[float]) -> None:
        value = interquartile_mean(scores, n_resamples=99, rng=1).value
        assert agree(value, float(stats.trim_mean(scores, 0.25)), atol=1e-12)

    def test_pools_all_tasks(self) -> None:
        value = interquartile_mean(MATRIX, n_resamples=99, rng=1).value
        assert agree(value, float(stats.trim_mean(MATRIX, 0.25, axis=None)))

    def test_rliable(self) -> None:
        """rliable 1.2.0, get_interval_estimates of these 5 x 6 scores, 50,000 replicates."""
        scores = np.random.default_rng(0).normal(1, 0.5, (5, 6))
        estimate = interquartile_mean(scores, variant="percentile", rng=1)
        assert agree(estimate.value, 0.92741919, 1e-7)
        assert agree(limits(estimate), (0.81692572, 1.06015427), 0.01)

    def test_weights_stand_for_resampled_runs(self) -> None:
        statistic = _InterquartileMean(MATRIX)
        drawn = RNG.multinomial(30, [1 / 30] * 30, size=50)
        expected = [stats.trim_mean(np.repeat(statistic.values, counts), 0.25) for counts in drawn]
        np.testing.assert_allclose(statistic(drawn), expected, rtol=1e-12)

    def test_resamples_within_tasks(self) -> None:
        """Tasks far apart: however runs are drawn, the middle half comes from tasks 2 and 3."""
        apart = np.arange(4) * 100.0 + RNG.normal(0, 1, (5, 4))
        low, high = limits(interquartile_mean(apart, rng=1))
        assert 140 < low < high < 160

    @pytest.mark.parametrize(
        ("runs", "tasks", "floor"), [(3, 1, 0.92), (3, 10, 0.92), (5, 5, 0.92)]
    )
    def test_covers_with_few_runs_and_the_percentile_does_not(
        self, runs: int, tasks: int, floor: float
    ) -> None:
        rng = np.random.default_rng(1)
        centres = np.linspace(0, 2, tasks)
        truth = float(stats.trim_mean(rng.normal(size=(20_000, tasks)) + centres, 0.25, axis=None))
        hits = {"stretched": 0, "percentile": 0}
        for seed in range(250):
            scores = rng.normal(size=(runs, tasks)) + centres
            for variant in hits:
                found = interquartile_mean(scores, variant=variant, n_resamples=199, rng=seed)  # type: ignore[arg-type]
                hits[variant] += found.interval is not None and found.interval.contains(truth)
        assert hits["stretched"] >= floor * 250
        assert hits["percentile"] < hits["stretched"]
        assert runs > 3 or hits["percentile"] <= 0.91 * 250

    def test_same_seed_same_bytes_whatever_the_order(self) -> None:
        one = interquartile_mean(MATRIX, rng=5)
        assert one == interquartile_mean(MATRIX[::-1], rng=5)
        assert one.seed == 5
        assert one.interval != interquartile_mean(MATRIX, rng=6).interval

    def test_few_runs_say_so(self) -> None:
        assert "few-runs" in codes(interquartile_mean(MATRIX[:3], rng=1))
        assert codes(interquartile_mean(MATRIX, rng=1)) == set()

    def test_one_run_per_task(self) -> None:
        estimate = interquartile_mean(MATRIX[:1], rng=1)
        assert estimate.value is not None
        assert estimate.interval is None
        assert codes(estimate) == {"single-value", "few-runs"}

    def test_runs_that_do_not_vary(self) -> None:
        estimate = interquartile_mean([0.7] * 6, rng=1)
        assert (estimate.value, estimate.interval) == (0.7, None)
        assert codes(estimate) == {"zero-variance"}

    def test_unequal_runs_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match="a has 2, b has 3"):
            interquartile_mean({"a": [1.0, 2.0], "b": [1.0, 2.0, 3.0]})


class TestOptimalityGap:
    def test_the_formula(self) -> None:
        scores = np.array([[0.5, 1.5], [0.7, 0.9]])
        assert agree(optimality_gap(scores).value, (0.5 + 0.3 + 0.0 + 0.1) / 4)
        assert agree(optimality_gap(scores, target=2.0).value, 2.0 - scores.mean())

    def test_of_one_task_is_a_t_interval(self) -> None:
        scores = [0.2, 0.5, 0.4, 0.3, 0.6]
        found = limits(mean_t([1 - score for score in scores]))
        assert agree(limits(optimality_gap(scores)), found, 1e-12)

    def test_tasks_count_alike_whatever_their_runs(self) -> None:
        runs = {"a": [0.5, 0.5, 0.4, 0.6], "b": [0.1, 0.3]}
        assert agree(optimality_gap(runs).value, (0.5 + 0.8) / 2)

    def test_covers(self) -> None:
        rng = np.random.default_rng(2)
        hits = [
            optimality_gap(
                rng.normal([0.2, 0.5, 0.8], [0.3, 0.1, 0.2], (3, 3)), target=9.0
            ).interval
            for _ in range(400)
        ]
        assert np.mean([one is not None and one.contains(8.5) for one in hits]) >= 0.92

    def test_all_above_the_target(self) -> None:
        estimate = optimality_gap([1.5, 2.0, 1.7, 1.1, 1.2])
        assert (estimate.value, estimate.interval) == (0.0, None)
        assert codes(estimate) == {"zero-variance"}

    def test_a_gap_is_not_negative(self) -> None:
        assert limits(optimality_gap([0.9, 1.0, 0.99, 1.2, 1.0]))[0] == 0.0


class TestProbabilityOfImprovement:
    def test_averages_tasks(self) -> None:
        a, b = np.array([[3.0, 1.0], [4.0, 1.0]]), np.array([[1.0, 1.0], [2.0, 5.0]])
        assert agree(probability_of_improvement(a, b).value, (1.0 + 0.25) / 2)

    def test_of_one_task_is_a12(self) -> None:
        a, b = MATRIX[:, 0], MATRIX[:, 1]
        estimate = probability_of_improvement(a, b)
        assert estimate.value == a12(a, b).value
        assert limits(estimate) == limits(a12(a, b))

    @given(SCORES, SCORES)
    def test_swapping_mirrors(self, a: list[float], b: list[float]) -> None:
        low, high = limits(probability_of_improvement(a, b))
        other = probability_of_improvement(b, a)
        assert agree(limits(other), (1 - high, 1 - low), atol=1e-9)
        turned = probability_of_improvement(a, b, direction="lower")
        assert agree(limits(turned), limits(other), atol=1e-9)

    @pytest.mark.parametrize(("runs", "tasks", "shift"), [(3, 1, 0.0), (3, 5, 2.0), (4, 20, 1.0)])
    def test_covers(self, runs: int, tasks: int, shift: float) -> None:
        rng = np.random.default_rng(3)
        truth = float(stats.norm.cdf(shift / 2**0.5))
        hits = []
        for _ in range(200):
            a, b = rng.normal(shift, 1, (runs, tasks)), rng.normal(0, 1, (runs, tasks))
            low, high = limits(probability_of_improvement(a, b))
            hits.append(low <= truth <= high)
        assert np.mean(hits) >= 0.93

    def test_tasks_by_name(self) -> None:
        a = {"x": [1.0, 2.0, 3.0], "y": [5.0, 6.0]}
        b = {"y": [1.0, 2.0], "x": [1.0, 2.0]}
        assert agree(probability_of_improvement(a, b).value, (4 / 6 + 1.0) / 2)
        assert "few-runs" in codes(probability_of_improvement(a, b))

    def test_one_run_each(self) -> None:
        estimate = probability_of_improvement([1.0], [0.0])
        assert estimate.interval is None
        assert "single-value" in codes(estimate)

    def test_other_tasks(self) -> None:
        with pytest.raises(EvidenceError, match="on the same tasks"):
            probability_of_improvement(MATRIX, MATRIX[:, :4])
        with pytest.raises(EvidenceError, match="on the same tasks"):
            probability_of_improvement({"x": [1.0]}, {"y": [1.0]})
        with pytest.raises(UsageError, match="direction is one of"):
            probability_of_improvement([1.0], [2.0], direction="up")  # type: ignore[arg-type]


class TestPerformanceProfile:
    def test_counts_runs_above_each_threshold(self) -> None:
        curve = performance_profile(MATRIX, thresholds=[0.5, 1.0, 9.0], rng=1)
        expected = [float((t < MATRIX).mean()) for t in (0.5, 1.0, 9.0)]
        assert agree(curve.column("share"), expected)
        assert all(
            low <= share <= high
            for low, share, high in zip(
                *(curve.column(c) for c in ("low", "share", "high")), strict=True
            )
        )

    def test_thresholds_are_the_scores_unless_said(self) -> None:
        curve = performance_profile([0.3, 0.1, 0.3])
        assert curve.column("threshold") == (0.1, 0.3)
        assert agree(curve.column("share"), (2 / 3, 0.0))
        assert codes(curve) == {"few-runs"}

    def test_tasks_count_alike(self) -> None:
        curve = performance_profile(
            {"a": [1.0, 1.0, 1.0, 0.0], "b": [0.0, 1.0]}, thresholds=[0.5], rng=1
        )
        assert agree(curve.column("share"), (0.625,))

    @pytest.mark.parametrize(("runs", "tasks"), [(8, 1), (3, 8), (6, 12)])
    def test_the_band_holds_the_whole_profile(self, runs: int, tasks: int) -> None:
        rng = np.random.default_rng(4)
        centres = np.linspace(-2, 2, tasks) if tasks > 1 else np.zeros(1)
        at = np.linspace(-5, 5, 200)
        truth = stats.norm.sf(at[:, None] - centres).mean(axis=1)
        hits = []
        for seed in range(150):
            scores = rng.normal(size=(runs, tasks)) + centres
            curve = performance_profile(scores, thresholds=at, n_resamples=199, rng=seed)
            low, high = np.array(curve.column("low")), np.array(curve.column("high"))
            hits.append(bool(((low <= truth) & (truth <= high)).all()))
        assert np.mean(hits) >= 0.9

    def test_one_run_per_task(self) -> None:
        curve = performance_profile(MATRIX[:1], rng=1)
        assert set(curve.column("low")) == {0.0}
        assert set(curve.column("high")) == {1.0}
        assert codes(curve) == {"single-value", "few-runs"}

    def test_many_scores_are_thinned(self) -> None:
        curve = performance_profile(np.random.default_rng(0).normal(size=5000), model="ppo")
        assert len(curve.column("threshold")) == 1000
        assert curve.model == "ppo"
