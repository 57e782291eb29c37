"""Exact distributions of whole sums against plain enumeration."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels.integer_sums import (
    choice_sum_tails,
    choice_sum_work,
    doubled,
    lattice_step,
    subset_sum_cdf,
    subset_sum_work,
)

WEIGHTS = st.lists(st.integers(0, 12), min_size=1, max_size=10)


class TestLatticeStep:
    @settings(deadline=None, max_examples=60)
    @given(
        st.lists(st.integers(0, 2000), min_size=1, max_size=300).filter(any),
        st.sampled_from([1.0, 0.1, 1 / 3, 1e-7, 3e9]),
    )
    def test_is_the_greatest_common_divisor(self, whole: list[int], unit: float) -> None:
        found = lattice_step(unit * np.array(whole))
        if not any(whole[:128]):  # a glimpse that shows nothing
            assert found is None
        else:
            assert found == pytest.approx(unit * math.gcd(*whole), rel=1e-9)

    def test_rounding_near_zero_is_no_size(self) -> None:
        assert lattice_step(np.array([0.0, 3e-17, 0.3, 0.1 + 0.2, 0.9])) == pytest.approx(0.3)

    @pytest.mark.parametrize("largest", [0.0, math.inf, math.nan])
    def test_none_of_what_has_no_size(self, largest: float) -> None:
        assert lattice_step(np.array([0.0, largest])) is None

    def test_none_where_it_is_tiny(self) -> None:
        assert lattice_step(np.array([1.0, 1e7])) is None


class TestSubsetSumCdf:
    def test_wilcoxon_table(self) -> None:
        # P(W <= 8) for n = 10: the 5 % point of every printed table
        assert subset_sum_cdf(np.arange(1, 11), 8) == 25 / 1024

    @settings(deadline=None, max_examples=60)
    @given(WEIGHTS, st.integers(-2, 60))
    def test_enumeration(self, weights: list[int], at: int) -> None:
        sums = [
            sum(w for w, coin in zip(weights, coins, strict=True) if coin)
            for coins in product((0, 1), repeat=len(weights))
        ]
        share = sum(total <= at for total in sums) / len(sums)
        assert subset_sum_cdf(weights, at) == pytest.approx(share, rel=1e-14)

    def test_far_tail_keeps_its_digits(self) -> None:
        assert subset_sum_cdf(np.arange(1, 201), 2) == pytest.approx(3 * 2.0**-200, rel=1e-12)

    def test_common_divisor_costs_nothing(self) -> None:
        assert subset_sum_work([1000, 2000, 3000]) == subset_sum_work([1, 2, 3])
        assert subset_sum_cdf([1000, 2000, 3000], 2999) == subset_sum_cdf([1, 2, 3], 2)

    def test_many_weights_do_not_underflow(self) -> None:
        weights = np.arange(1, 1101)
        assert subset_sum_cdf(weights, int(weights.sum()) // 2) == pytest.approx(0.5, abs=1e-4)


class TestChoiceSumTails:
    @settings(deadline=None, max_examples=60)
    @given(WEIGHTS, st.data())
    def test_enumeration(self, weights: list[int], data: st.DataObject) -> None:
        chosen = data.draw(st.integers(0, len(weights)))
        sums = [sum(choice) for choice in combinations(weights, chosen)]
        observed = data.draw(st.sampled_from(sums))
        mean = chosen * sum(weights) / len(weights)
        expected = (
            np.mean([s <= observed for s in sums]),
            np.mean([s >= observed for s in sums]),
            np.mean([abs(s - mean) >= abs(observed - mean) - 1e-9 for s in sums]),
        )
        assert choice_sum_tails(weights, chosen, observed) == pytest.approx(expected, rel=1e-13)

    def test_mann_whitney_extreme(self) -> None:
        below, _, far = choice_sum_tails(np.arange(1, 15), 8, 36)
        assert below == pytest.approx(1 / 3003, rel=1e-14)
        assert far == pytest.approx(2 / 3003, rel=1e-14)

    def test_work_grows_with_the_smaller_side(self) -> None:
        ranks = np.arange(1, 41)
        assert choice_sum_work(ranks, 3) == choice_sum_work(ranks, 37)
        assert choice_sum_work(ranks, 3) < choice_sum_work(ranks, 20)


def test_doubled_midranks_are_whole() -> None:
    assert doubled(np.array([1.5, 1.5, 3.0])).tolist() == [3, 3, 6]
