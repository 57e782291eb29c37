from itertools import product

import numpy as np
import pytest
from scipy.stats import norm, wilcoxon

from assay.kernels import signed_rank_pairs
from assay.kernels.ranks import decimal_differences, midranks
from assay.kernels.signed_rank_pairs import (
    averages_outside,
    pair_ranks,
    signed_rank_cdf,
    squares_upto,
)


class TestSignedRankPairs:
    @pytest.mark.parametrize("n", [1, 2, 5, 11])
    def test_distribution_by_enumeration(self, n: int) -> None:
        signs = np.array(list(product((0, 1), repeat=n)))
        sums = signs @ np.arange(1, n + 1)
        found = signed_rank_cdf(n)
        assert found.tolist() == pytest.approx([(sums <= w).mean() for w in range(found.size)])

    def test_decimal_ties_as_for_one_pair(self) -> None:
        values = np.round(np.random.default_rng(0).normal(0.8, 0.01, size=(40, 4)), 3)
        first, second = np.triu_indices(4, 1)
        found = pair_ranks(values, first, second)
        for row, (a, b) in enumerate(zip(first, second, strict=True)):
            alone = decimal_differences(values[:, a], values[:, b])
            assert found.differences[row].tolist() == alone.tolist()
            kept = np.sort(midranks(np.abs(alone[alone != 0.0])))
            assert found.ranks[row][found.ranks[row] > 0].tolist() == kept.tolist()

    def test_estimate_and_limits_by_listing_averages(self) -> None:
        values = np.random.default_rng(3).normal([0.0, 0.2, 0.5], size=(30, 3))
        first, second = np.triu_indices(3, 1)
        found = pair_ranks(values, first, second)
        levels = np.full(3, 0.05)
        value, low, high = found.shifts(found.exact_p(), levels)
        outside = int(np.searchsorted(signed_rank_cdf(30), 0.025, side="right"))
        assert outside == 138  # of 465: R's qsignrank(0.025, 30) is 138
        for row, (a, b) in enumerate(zip(first, second, strict=True)):
            differences = values[:, a] - values[:, b]
            one, other = np.triu_indices(30)
            averages = np.sort((differences[one] + differences[other]) / 2.0)
            assert value[row] == pytest.approx(np.median(averages), abs=1e-15)
            assert low[row] == pytest.approx(averages[outside - 1], abs=1e-15)
            assert high[row] == pytest.approx(averages[-outside], abs=1e-15)

    def test_beyond_exact_distributions_limits_are_near_normal_places(self) -> None:
        values = np.random.default_rng(4).normal(size=(1250, 2))
        found = pair_ranks(values, np.array([0]), np.array([1]))
        _, low, high = found.shifts(found.normal_p(), np.array([0.05]))
        spread = np.sqrt(1250 * 1251 * 2501 / 24.0)
        differences = values[:, 0] - values[:, 1]
        one, other = np.triu_indices(1250)
        averages = (differences[one] + differences[other]) / 2.0
        below = 1250 * 1251 / 4 - 1.959964 * spread
        assert (averages < low[0]).sum() == pytest.approx(below, abs=1)
        assert (averages > high[0]).sum() == pytest.approx(below, abs=1)

    @pytest.mark.parametrize("n", [40, 400])
    def test_coarse_differences_are_located_to_one_step(self, n: int) -> None:
        values = np.zeros((n, 2))
        values[: n // 2, 0], values[n // 2 :, 1] = 1.0, 1.0
        found = pair_ranks(values, np.array([0]), np.array([1]))
        value, low, high = found.shifts(found.normal_p(), np.array([0.05]))
        assert (value[0], low[0], high[0]) == (0.0, -1.0, 1.0)

    def test_many_different_numbers_of_zeros(self) -> None:
        rng = np.random.default_rng(5)
        values = rng.normal(size=(40, 12))
        for column in range(1, 12):
            values[:column, column] = values[:column, 0]
        first, second = np.zeros(11, dtype=np.int64), np.arange(1, 12)
        found = pair_ranks(values, first, second)
        assert np.unique(found.n_nonzero).size == 11
        together = found.exact_p()
        for row in range(11):
            alone = pair_ranks(values, first[row : row + 1], second[row : row + 1])
            assert together[row] == pytest.approx(alone.exact_p()[0], rel=1e-12)

    def test_exact_work_is_bounded(self) -> None:
        values = np.random.default_rng(1).normal(size=(60, 3))
        first, second = np.triu_indices(3, 1)
        assert pair_ranks(values, first, second).exact_is_cheap()
        many = np.round(np.random.default_rng(1).normal(size=(1300, 2)), 1)
        assert not pair_ranks(many, np.array([0]), np.array([1])).exact_is_cheap()

    def test_normal_p_is_scipys(self) -> None:
        values = np.random.default_rng(8).integers(-3, 5, size=(25, 3)).astype(np.float64)
        values[:, 2] = values[:, 1]
        first, second = np.array([0, 1, 0]), np.array([1, 2, 2])
        found = pair_ranks(values, first, second).normal_p()
        due = wilcoxon(values[:, 0], values[:, 1], correction=False, method="approx").pvalue
        assert found.tolist() == pytest.approx([due, 1.0, due], rel=1e-12)

    def test_many_pairs_in_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        values = np.random.default_rng(9).integers(0, 9, size=(20, 6)).astype(np.float64)
        first, second = np.triu_indices(6, 1)
        whole = pair_ranks(values, first, second)
        monkeypatch.setattr(signed_rank_pairs, "_AT_ONCE", 80)
        parts = pair_ranks(values, first, second)
        for name in ("differences", "ranks", "plus", "n_nonzero", "squares", "tied", "flat"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_squares_of_ranks_are_added_up() -> None:
    due = [sum(k * k for k in range(n + 1)) for n in range(12)]
    assert [squares_upto(n) for n in range(12)] == due


def test_averages_outside_are_wilcoxons_critical_values() -> None:
    """Wilcoxon & Wilcox (1964), two-sided 5 %: reject at W up to 0, 2, 3, 5, 8 of 6 to 10 pairs, 52 of 20, 137 of 30.

    So one average more than that lies outside; of five pairs none does.
    """
    sizes = np.array([5, 6, 7, 8, 9, 10, 20, 30])
    found = averages_outside(sizes, np.full(sizes.size, 0.05))
    assert found.tolist() == [0, 1, 3, 4, 6, 9, 53, 138]


def test_averages_outside_of_many_are_places_of_the_normal() -> None:
    n, level = 4000, 0.05
    mean, sd = n * (n + 1) / 4, (n * (n + 1) * (2 * n + 1) / 24) ** 0.5
    due = np.floor(norm.ppf(level / 2, mean, sd)) + 1
    assert averages_outside(np.array([n, 6]), np.full(2, level)).tolist() == [due, 1]
