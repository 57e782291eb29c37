"""Draws of studentised differences: exact for few units, alike whatever the order, small in memory."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.kernels import rank_draws
from assay.kernels.rank_draws import CAUTION, flipped, gaussian, pooled


def scores(n: int, k: int, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(0.0, 1.0, (n, k)) / n


class TestFlipped:
    def test_the_observed_statistic_is_the_paired_t(self) -> None:
        from scipy.stats import ttest_rel

        table = scores(12, 3)
        draws = flipped(table, n_draws=99, seed=1)
        found = draws.statistics(draws.observed)
        assert found[0, 1] == pytest.approx(ttest_rel(table[:, 0], table[:, 1]).statistic)
        assert draws.values[0] - draws.values[1] == pytest.approx(found[0, 1] * draws.errors[0, 1])

    def test_few_units_are_enumerated(self) -> None:
        table = scores(5, 3)
        draws = flipped(table, n_draws=99, seed=1)
        assert draws.complete
        difference = table[:, 0] - table[:, 2]
        brute = sorted(
            abs(float(np.dot(signs, difference))) / np.sqrt((difference**2).sum())
            for signs in product((1, -1), repeat=5)
            if signs[0] == 1
        )
        ratios = (draws.sums[:, 0] - draws.sums[:, 2]) * draws.weights[0, 2]
        assert np.sort(np.abs(ratios)) == pytest.approx(brute)

    def test_many_units_have_the_spread_that_chance_gives(self) -> None:
        draws = flipped(scores(3000, 4), n_draws=2000, seed=3)
        ratios = (draws.sums[:, 0] - draws.sums[:, 1]) * draws.weights[0, 1]
        assert float(ratios.std()) == pytest.approx(1.0, abs=0.06)

    def test_the_order_of_units_changes_nothing(self) -> None:
        table = scores(30, 4)
        once, again = (flipped(one, n_draws=50, seed=2) for one in (table, table[::-1]))
        assert np.allclose(once.sums, again.sums, atol=1e-6)

    def test_what_models_share_changes_nothing(self) -> None:
        table = scores(40, 3)
        shared = np.random.default_rng(9).normal(0.0, 0.5, (40, 1))
        once, again = (flipped(one, n_draws=50, seed=2) for one in (table, table + shared))
        assert np.allclose(once.observed, again.observed)
        assert np.allclose(once.sums, again.sums, atol=1e-6)

    def test_bundles_of_many_units_keep_values_and_nearly_the_errors(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = scores(6000, 3)
        whole = flipped(table, n_draws=20, seed=1)
        monkeypatch.setattr(rank_draws, "MOST_UNITS", 1000)
        bundled = flipped(table, n_draws=20, seed=1)
        assert bundled.units == 1000
        assert bundled.values == pytest.approx(whole.values)
        assert bundled.errors[0, 1] == pytest.approx(whole.errors[0, 1], rel=0.1)

    def test_models_that_are_the_same_have_no_statistic(self) -> None:
        table = scores(20, 2)
        draws = flipped(np.column_stack([table, table[:, 0]]), n_draws=50, seed=1)
        assert draws.weights[0, 2] == 0.0
        assert draws.observed[0, 2] == 0.0

    def test_units_that_all_agree_are_infinite_and_not_undefined(self) -> None:
        draws = flipped(np.tile([0.1, 0.2], (8, 1)), n_draws=200, seed=1)
        assert draws.statistics(draws.observed)[1, 0] == np.inf

    def test_strata_take_the_spread_inside_them(self) -> None:
        rng = np.random.default_rng(4)
        level = np.repeat([0.0, 5.0], 200)[:, None]
        table = (level * np.array([1.0, 0.0]) + rng.normal(0.0, 1.0, (400, 2))) / 400
        strata = np.repeat([0, 1], 200)
        fixed = flipped(table, n_draws=500, seed=1, strata=strata)
        pooled = flipped(table, n_draws=500, seed=1)
        by_hand = sum(
            np.var(table[strata == s, 0] - table[strata == s, 1], ddof=1) * 200 for s in (0, 1)
        )
        assert fixed.errors[0, 1] == pytest.approx(np.sqrt(by_hand))
        assert fixed.errors[0, 1] < pooled.errors[0, 1]


def together(table: NDArray[np.float64], n_draws: int, seed: int) -> rank_draws.RankDraws:
    own = flipped(table, n_draws=n_draws, seed=seed)
    return pooled(table, own, n_draws=n_draws, seed=seed)


class TestPooled:
    def test_every_draw_is_divided_by_its_own_scale(self) -> None:
        """The t of Tukey's range for each pattern of signs of the residuals, computed afresh."""
        n, k = 6, 4
        table = scores(n, k)
        residuals = table - table.mean(axis=1, keepdims=True)
        residuals = residuals - residuals.mean(axis=0)
        brute = []
        for signs in product((1, -1), repeat=n):
            turned = np.array(signs)[:, None] * residuals
            left = turned - turned.mean(axis=0)
            variance = (left**2).sum() / ((k - 1) * (n - 1))
            sums = turned.sum(axis=0)
            brute.append((sums.max() - sums.min()) / np.sqrt(2.0 * n * variance))
        draws = together(table, 99, 1)
        found = (draws.sums.max(axis=1) - draws.sums.min(axis=1)) * draws.weights[0, 1]
        expected = np.array(sorted(brute)[::2]) * (1.0 + CAUTION / n)
        assert np.sort(found) == pytest.approx(expected)

    def test_the_standard_error_is_that_of_a_two_way_layout(self) -> None:
        table = scores(9, 3)
        left = table - table.mean(axis=1, keepdims=True)
        left = left - left.mean(axis=0)
        variance = (left**2).sum() / (2 * 8)
        draws = together(table, 99, 1)
        assert draws.errors[0, 2] == pytest.approx(np.sqrt(2.0 * 9 * variance))
        assert draws.errors[0, 0] == 0.0
        assert draws.pooled

    def test_order_and_what_models_share_change_nothing(self) -> None:
        table = scores(14, 4)
        shared = np.random.default_rng(9).normal(0.0, 0.5, (14, 1))
        once, again = (together(one, 50, 2) for one in (table, (table + shared)[::-1]))
        assert np.allclose(once.observed, again.observed)
        assert np.allclose(once.sums, again.sums, atol=1e-6)

    def test_models_that_are_the_same_have_no_statistic(self) -> None:
        table = scores(12, 3)
        draws = together(np.column_stack([table, table[:, 0]]), 50, 1)
        assert draws.weights[0, 3] == 0.0
        assert draws.errors[0, 3] == 0.0
        assert draws.weights[0, 1] > 0.0

    def test_units_without_scatter_have_no_statistic(self) -> None:
        draws = together(np.tile([0.25, 0.5, 0.75], (8, 1)), 50, 1)
        assert not draws.weights.any()
        assert np.isfinite(draws.sums).all()


def test_gaussian_draws_have_the_covariance() -> None:
    root = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3]])
    draws = gaussian(np.array([1.0, 2.0, 3.0]), root, n_draws=20_000, seed=1)
    assert np.cov(draws.sums, rowvar=False) == pytest.approx(root.T @ root, abs=0.03)
    assert draws.errors[0, 1] == pytest.approx(np.sqrt(1.0 + 1.25 - 2 * 0.5))
    assert draws.statistics(draws.observed)[1, 0] == pytest.approx(1.0 / draws.errors[0, 1])
