"""Effective sizes by hand: Kish's, and that of clusters."""

import numpy as np
import pytest

from assay.kernels.effective_size import UNSEEN_CORRELATION, independent_items, kish, units_of


@pytest.mark.parametrize(
    ("weights", "size"),
    [([1, 1, 1, 1], 4.0), ([3, 3], 2.0), ([1, 1, 2], 16 / 6), ([1, 0, 0], 1.0)],
)
def test_the_square_of_the_sum_over_the_sum_of_squares(weights: list[int], size: float) -> None:
    assert kish(np.array(weights, dtype=float)) == pytest.approx(size)


def test_nothing_without_weight() -> None:
    assert kish(np.zeros(3)) == 0.0
    assert units_of(np.arange(3.0), None, np.zeros(3)).items == 0.0


class TestUnits:
    VALUES = np.array([2.0, 5.0, 4.0, 9.0, 1.0, 3.0])

    def test_of_items_that_count_alike(self) -> None:
        found = units_of(self.VALUES, None, None)
        assert found.totals == pytest.approx((self.VALUES - 4.0) / 6.0)
        assert found.variance == pytest.approx(np.var(self.VALUES, ddof=1))
        assert found.items == pytest.approx(6.0)

    def test_weights_by_their_shares(self) -> None:
        weights = np.array([1.0, 1.0, 2.0, 4.0, 0.0, 2.0])
        found = units_of(self.VALUES, None, weights)
        mean = np.average(self.VALUES, weights=weights)
        kept = weights > 0.0
        assert found.totals == pytest.approx((weights * (self.VALUES - mean) / 10.0)[kept])
        squares = np.average((self.VALUES - mean) ** 2, weights=weights)
        assert found.variance == pytest.approx(squares / (1.0 - (weights**2).sum() / 100.0))
        assert found.items == pytest.approx(kish(weights))

    def test_clusters_add_up_their_items(self) -> None:
        found = units_of(self.VALUES, np.array([0, 0, 0, 1, 1, 1]), None)
        assert found.totals == pytest.approx([-1.0 / 6.0, 1.0 / 6.0])
        assert found.items == pytest.approx(6.0 / (1.0 + 2.0 * UNSEEN_CORRELATION))

    def test_an_error_tells_of_as_many_items_or_fewer(self) -> None:
        found = units_of(self.VALUES, None, None)
        plain = float(np.sqrt(found.variance / 6.0))
        assert found.independent(2.0 * plain) == pytest.approx(1.5)
        assert found.independent(plain / 2.0) == pytest.approx(6.0)
        assert found.independent(None) == found.independent(0.0) == found.items


def test_clusters_of_different_sizes_by_the_design_effect() -> None:
    """1 + (m - 1) ρ with the mean size of the cluster of an item, Σ size²/n (Kish 1965)."""
    clusters = np.repeat([0, 1, 2], [5, 2, 1])
    mean_size = (25 + 4 + 1) / 8
    expected = 8.0 / (1.0 + (mean_size - 1.0) * UNSEEN_CORRELATION)
    assert independent_items(np.full(8, 1 / 8), clusters) == pytest.approx(expected)
