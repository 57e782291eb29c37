"""The mean of a sample or of paired differences with its t interval."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Estimate
from assay.estimates.means import mean_of_pairs, mean_summary, mean_t
from assay.reference import cases
from tests.support import agree

TEXTBOOK = {case.id: case for case in cases("textbook")}
VALUES = st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=2, max_size=30)


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def codes(estimate: Estimate) -> set[str]:
    return {note.code for note in estimate.notes}


class TestMeanT:
    @given(VALUES, st.floats(0.1, 10.0), st.floats(-50, 50))
    def test_moves_and_stretches_with_its_values(
        self, values: list[float], factor: float, shift: float
    ) -> None:
        estimate = mean_t(values)
        if estimate.interval is None or np.ptp(values) < 1e-3:
            return
        moved = limits(mean_t([factor * value + shift for value in values]))
        scale = max(abs(end) for end in (*moved, *limits(estimate)))
        for one, other in zip(moved, limits(estimate), strict=True):
            assert abs(one - (factor * other + shift)) <= 1e-9 * max(scale * factor, 1.0)

    def test_one_value(self) -> None:
        estimate = mean_t([0.8])
        assert (estimate.value, estimate.interval) == (0.8, None)
        assert codes(estimate) == {"single-value"}

    @pytest.mark.parametrize("values", [[0.1] * 7, [0.0, 0.0], [0.1 + 0.2, 0.3]])
    def test_values_that_do_not_vary(self, values: list[float]) -> None:
        estimate = mean_t(values)
        assert estimate.interval is None
        assert estimate.standard_error is None
        assert codes(estimate) == {"zero-variance"}

    def test_an_interval_beyond_the_range_is_cut_and_says_so(self) -> None:
        estimate = mean_t([0.9, 1.0, 0.95, 1.0], low=0.0, high=1.0)
        assert limits(estimate)[1] == 1.0
        assert codes(estimate) == {"interval-cut"}
        free = mean_t([0.9, 1.0, 0.95, 1.0])
        assert limits(free)[1] > 1.0
        assert codes(free) == set()

    def test_an_interval_within_the_range_is_left_alone(self) -> None:
        values = [0.4, 0.5, 0.6, 0.55]
        assert mean_t(values, low=0.0, high=1.0) == mean_t(values)

    def test_a_one_sided_bound_ends_at_the_range_without_a_note(self) -> None:
        estimate = mean_t([0.4, 0.5, 0.6], alternative="greater", low=0.0, high=1.0)
        assert limits(estimate)[1] == 1.0
        assert codes(estimate) == set()

    def test_a_mean_outside_its_range(self) -> None:
        with pytest.raises(UsageError, match="lies outside the range"):
            mean_t([1.0, 2.0], high=1.0)

    def test_missing_values(self) -> None:
        with pytest.raises(EvidenceError, match="missing or infinite"):
            mean_t([1.0, float("nan")])

    def test_names_its_unit(self) -> None:
        assert mean_t([1.0, 2.0], unit="fold").unit == "fold"
        with pytest.raises(UsageError, match="unit is one of"):
            mean_t([1.0, 2.0], unit="batch")  # type: ignore[arg-type]


class TestWeights:
    def test_equal_weights_change_nothing(self) -> None:
        values = [1.0, 2.5, 3.0, 7.0]
        weighted = mean_t(values, weights=[3.0] * 4)
        assert agree(limits(weighted), limits(mean_t(values)))
        assert agree(details(weighted)["effective_n"], 4.0)

    @given(VALUES, st.integers(0, 10**6), st.floats(1e-3, 1e3))
    def test_doubling_all_changes_nothing(
        self, values: list[float], seed: int, factor: float
    ) -> None:
        weights = np.random.default_rng(seed).random(len(values)) + 0.1
        one, other = mean_t(values, weights=weights), mean_t(values, weights=factor * weights)
        assert agree(one.value, other.value, atol=1e-9)
        if one.interval is not None:
            assert agree(limits(one), limits(other), 1e-7, atol=1e-7)

    def test_the_linearised_variance(self) -> None:
        """Σ w²(x - mean)²/c/(Σ w)², c = 1 - 2 share + Σ share²: unbiased where variances are equal."""
        values, weights = np.array([1.0, 4.0, 2.0, 8.0]), np.array([1.0, 2.0, 0.5, 1.5])
        share = weights / weights.sum()
        mean = (share * values).sum()
        factor = 1 - 2 * share + (share**2).sum()
        variance = (share**2 * (values - mean) ** 2 / factor).sum()
        estimate = mean_t(values, weights=weights)
        assert agree(estimate.standard_error, variance**0.5)
        assert agree(details(estimate)["df"], 1 / (share**2).sum() - 1)

    def test_the_variance_is_unbiased(self) -> None:
        rng = np.random.default_rng(5)
        weights = np.array([5.0, 1.0, 1.0, 2.0, 0.5, 1.0])
        share = weights / weights.sum()
        squares = [
            (mean_t(rng.normal(size=6), weights=weights).standard_error or 0.0) ** 2
            for _ in range(4000)
        ]
        assert abs(np.mean(squares) / (share**2).sum() - 1.0) < 0.06

    def test_covers_where_weights_are_unequal(self) -> None:
        rng = np.random.default_rng(7)
        weights = rng.lognormal(0.0, 1.0, size=25)
        covered = []
        for _ in range(1500):
            low, high = limits(mean_t(rng.normal(size=25), weights=weights))
            covered.append(low <= 0.0 <= high)
        assert 0.93 < np.mean(covered) < 0.97

    def test_one_item_with_all_the_weight(self) -> None:
        estimate = mean_t([1.0, 2.0, 3.0], weights=[0.0, 1.0, 0.0])
        assert estimate.value == 2.0
        assert codes(estimate) == {"single-value"}

    @pytest.mark.parametrize("weights", [[1.0, -1.0], [0.0, 0.0]])
    def test_impossible_weights(self, weights: list[float]) -> None:
        with pytest.raises(EvidenceError, match="weights are importances"):
            mean_t([1.0, 2.0], weights=weights)

    def test_another_number_of_weights(self) -> None:
        with pytest.raises(EvidenceError, match="2 values but 3 weights"):
            mean_t([1.0, 2.0], weights=[1.0, 1.0, 1.0])


class TestMeanSummary:
    def test_no_spread(self) -> None:
        estimate = mean_summary(0.8, 0.0, 10)
        assert estimate.interval is None
        assert codes(estimate) == {"zero-variance"}
        assert details(estimate)["t_low"] == details(estimate)["t_high"] == 0.8

    @given(VALUES)
    def test_agrees_with_the_values_themselves(self, values: list[float]) -> None:
        whole = mean_t(values)
        if whole.interval is None:
            return
        summary = mean_summary(float(np.mean(values)), float(np.std(values, ddof=1)), len(values))
        assert agree(limits(summary), limits(whole), 1e-9, atol=1e-9)

    def test_one_value(self) -> None:
        assert codes(mean_summary(0.8, 0.0, 1)) == {"single-value"}

    @pytest.mark.parametrize("summary", [(0.8, -0.1, 10), (0.8, 0.1, 0)])
    def test_impossible_summaries(self, summary: tuple[float, float, int]) -> None:
        with pytest.raises(UsageError, match="sd is 0 or above and n at least 1"):
            mean_summary(*summary)

    def test_not_a_number(self) -> None:
        with pytest.raises(UsageError, match="mean is a number"):
            mean_summary("high", 1.0, 10)  # type: ignore[arg-type]


class TestMeanOfPairs:
    def test_the_lectures_folds(self) -> None:
        case = TEXTBOOK["d"]
        estimate = mean_of_pairs(case.input["a"], case.input["b"], unit="fold")
        assert agree(estimate.value, case.expected["mean_diff"])
        assert agree(details(estimate)["sd"], case.expected["sd_diff"])
        assert agree(estimate.standard_error, case.expected["se_of_mean"])
        assert agree(limits(estimate), case.expected["ci"])

    def test_mooneys_two_experiments(self) -> None:
        same, varied = TEXTBOOK["k1"], TEXTBOOK["k2"]
        first = mean_of_pairs(same.input["a"], same.input["b"])
        assert (first.value, first.interval) == (5.0, None)
        assert codes(first) == {"zero-variance"}
        second = mean_of_pairs(varied.input["a"], varied.input["b"])
        assert agree(limits(second), varied.expected["ci95"])

    def test_equal_decimal_differences_do_not_vary(self) -> None:
        estimate = mean_of_pairs([0.768, 0.936, 0.5], [0.763, 0.931, 0.495])
        assert estimate.interval is None
        assert codes(estimate) == {"zero-variance"}

    @given(VALUES, st.integers(0, 1000))
    def test_swapping_mirrors(self, values: list[float], seed: int) -> None:
        other = np.round(np.random.default_rng(seed).normal(size=len(values)), 3)
        one, mirrored = mean_of_pairs(values, other), mean_of_pairs(other, values)
        assert agree(one.value, -(mirrored.value or 0.0), atol=1e-9)
        if one.interval is not None:
            low, high = limits(mirrored)
            assert agree(limits(one), (-high, -low), 1e-8, atol=1e-9)

    def test_differences_alone(self) -> None:
        differences = [0.02, -0.01, 0.04]
        assert mean_of_pairs(differences).interval == mean_of_pairs(differences, [0, 0, 0]).interval

    def test_unequal_lengths(self) -> None:
        with pytest.raises(EvidenceError, match="two_sample_t or mann_whitney"):
            mean_of_pairs([1.0, 2.0], [1.0])
