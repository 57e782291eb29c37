"""Intervals and p-values from replicates: agreement with R's boot and the duality of the two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from assay.core.errors import UsageError
from assay.kernels.bootstrap_intervals import (
    acceleration_of,
    basic_interval,
    bca_interval,
    bias_correction,
    bootstrap_p_value,
    percentile_interval,
    quantile,
)


class TestPercentileInterval:
    def test_order_statistics(self) -> None:
        replicates = np.random.default_rng(1).permutation(np.arange(1.0, 1000.0))
        assert percentile_interval(replicates, level=0.95) == (25.0, 975.0)
        assert percentile_interval(replicates, level=0.9) == (50.0, 950.0)

    @given(
        st.lists(st.integers(-5, 5), min_size=39, max_size=120),
        st.integers(-6, 6),
        st.sampled_from([0.8, 0.9, 0.95]),
    )
    def test_p_is_at_most_alpha_exactly_outside(
        self, replicates: list[int], null: int, level: float
    ) -> None:
        low, high = percentile_interval(replicates, level=level)
        p_value = bootstrap_p_value(replicates, null=null)
        assert (p_value <= 1 - level + 1e-12) == (not low <= null <= high)

    @given(st.lists(st.floats(-3, 3), min_size=39, max_size=80), st.floats(-3, 3))
    def test_basic_interval_and_p_of_the_reflected_null(
        self, replicates: list[float], null: float
    ) -> None:
        low, high = basic_interval(replicates, 0.5, level=0.9)
        p_value = bootstrap_p_value(replicates, null=2 * 0.5 - null)
        margin = min(abs(null - low), abs(null - high))
        assert margin < 1e-9 or (p_value <= 0.1 + 1e-12) == (not low <= null <= high)

    def test_type_7_is_numpys_quantile(self) -> None:
        values = np.random.default_rng(2).gamma(2.0, size=101)
        found = percentile_interval(values, level=0.93, quantiles="type7")
        assert found == pytest.approx(tuple(np.quantile(values, [0.035, 0.965])), rel=1e-12)

    def test_between_normal_scores_a_limit_is_the_normal_quantile(self) -> None:
        scores = np.random.default_rng(1).permutation(ndtri(np.arange(1, 200) / 200))
        found = percentile_interval(scores, level=0.953, quantiles="boot")
        assert found == pytest.approx((ndtri(0.0235), ndtri(0.9765)), rel=1e-12)
        assert percentile_interval([3.0, 1.0, 2.0], level=0.99, quantiles="boot") == (1.0, 3.0)

    def test_too_few_replicates_say_how_many_are_needed(self) -> None:
        with pytest.raises(UsageError, match="n_resamples of at least 39"):
            percentile_interval(np.arange(38.0), level=0.95)
        assert percentile_interval(np.arange(39.0), level=0.95) == (0.0, 38.0)


class TestBootstrapPValue:
    def test_is_never_zero(self) -> None:
        assert bootstrap_p_value(np.ones(999), null=0.0) == 2 / 1000
        assert bootstrap_p_value(np.zeros(999), null=0.0) == 1.0


class TestBcaInterval:
    def test_without_bias_and_acceleration_it_is_the_percentile_interval(self) -> None:
        replicates = np.arange(1.0, 1000.0)
        assert bca_interval(replicates, 500.0, 0.0) == percentile_interval(replicates)

    def test_undefined_where_all_replicates_lie_on_one_side(self) -> None:
        assert bca_interval(np.arange(99.0), 200.0, 0.0, level=0.9) is None

    def test_ties_with_the_estimate_count_half(self) -> None:
        replicates = [0.0] * 30 + [1.0] * 40 + [2.0] * 30
        assert bias_correction(replicates, 1.0) == 0.0
        assert bias_correction(replicates, 1.0, ties="below") < 0.0


class TestAccelerationOf:
    def test_multiplicity_stands_for_repeated_values(self) -> None:
        values, counts = np.array([1.0, -0.5, -0.25]), np.array([1, 1, 2])
        assert acceleration_of(values, counts) == pytest.approx(
            acceleration_of(np.repeat(values, counts))
        )

    def test_equal_influences_have_none(self) -> None:
        assert acceleration_of(np.zeros(5)) == 0.0


class TestQuantile:
    def test_refuses_an_unknown_definition(self) -> None:
        with pytest.raises(UsageError, match="1 to 9"):
            quantile([1.0, 2.0], 0.5, kind=10)
