"""Averages of pairs under random weights, against listing every pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.kernels.walsh_averages import (
    LISTED,
    DrawnWeights,
    joined,
    pseudo_median_limits,
    stairs_above,
    tied_stairs,
    weight_blocks,
    wins,
)

Floats = NDArray[np.float64]
VALUES = st.lists(st.integers(-8, 8), min_size=1, max_size=9).map(
    lambda found: np.sort(np.array(found, dtype=np.float64)) / 8
)
THRESHOLDS = st.integers(-17, 17).map(lambda eighths: eighths / 16)


def drawn(n: int, strength: float = 0.5, draws: int = 50, seed: int = 1) -> DrawnWeights:
    return joined(list(weight_blocks(n, strength, draws, seed)))


def listed(values: Floats, weights: DrawnWeights) -> tuple[Floats, Floats]:
    """Averages of all ordered pairs, the prior's zero last, and their weights in each draw."""
    atoms = np.append(values, 0.0)
    each = np.vstack([weights.units, weights.prior])
    averages = (atoms[:, None] + atoms[None, :]).ravel() / 2
    return averages, (each[:, None] * each[None, :]).reshape(averages.size, -1)


class TestStairs:
    @given(VALUES, THRESHOLDS)
    def test_mass_of_the_pairs_above(self, values: Floats, threshold: float) -> None:
        weights = drawn(values.size)
        averages, pairs = listed(values, weights)
        expected = pairs[averages > threshold].sum(axis=0)
        found = stairs_above(values, threshold).mass(weights)
        np.testing.assert_allclose(found, expected, atol=1e-12 * weights.whole.max())

    @given(VALUES, THRESHOLDS)
    def test_ties_count_half(self, values: Floats, threshold: float) -> None:
        weights = drawn(values.size)
        averages, pairs = listed(values, weights)
        share = np.heaviside(averages - threshold, 0.5)
        masses = [stairs.mass(weights) for stairs in tied_stairs(values, threshold, 1e-9)]
        expected = (share[:, None] * pairs).sum(axis=0)
        np.testing.assert_allclose(
            np.mean(masses, axis=0), expected, atol=1e-12 * weights.whole.max()
        )

    @given(VALUES, THRESHOLDS, st.sampled_from([0.0, 0.5, 3.0]))
    def test_expected_share(self, values: Floats, threshold: float, strength: float) -> None:
        alpha = np.append(np.ones(values.size), strength)
        atoms = np.append(values, 0.0)
        above = (atoms[:, None] + atoms[None, :]) / 2 > threshold
        moments = np.outer(alpha, alpha) + np.diag(alpha)
        expected = moments[above].sum() / (alpha.sum() * (alpha.sum() + 1))
        found = stairs_above(values, threshold).expected(values.size, strength)
        assert found == pytest.approx(expected, abs=1e-12)


class TestWeightBlocks:
    def test_blocks_do_not_depend_on_how_many_are_asked(self) -> None:
        few, many = drawn(70, draws=1900), drawn(70, draws=5000)
        np.testing.assert_array_equal(few.units[:, :1800], many.units[:, :1800])

    def test_shape_and_sums(self) -> None:
        weights = drawn(5, draws=5000)
        assert weights.units.shape == (5, 5000)
        np.testing.assert_allclose(weights.sums[1:], weights.units.cumsum(axis=0))
        assert weights.units.mean() == pytest.approx(1.0, abs=0.05)
        assert weights.prior.mean() == pytest.approx(0.5, abs=0.05)


class TestWins:
    def test_ties_are_shared(self) -> None:
        left, middle, right = np.array(
            [[3.0, 1.0, 1.0, 2.0], [1.0, 1.0, 4.0, 2.0], [0.0, 1.0, 1.0, 1.0]]
        )
        assert wins(left, middle, right).tolist() == pytest.approx(
            [1 + 1 / 3 + 0.5, 1 + 1 / 3 + 0.5, 1 / 3]
        )

    def test_rounding_is_a_tie(self) -> None:
        one = np.array([0.1 + 0.2])
        assert wins(one, None, np.array([0.3])).tolist() == [0.5, 0.0, 0.5]


class TestPseudoMedianLimits:
    @settings(max_examples=30)
    @given(VALUES)
    def test_against_sorting_every_draw(self, values: Floats) -> None:
        weights = drawn(values.size, draws=200)
        averages, pairs = listed(values, weights)
        order = np.argsort(averages)
        reached = pairs[order].cumsum(axis=0) >= pairs.sum(axis=0) / 2 * (1 - 1e-12)
        medians = averages[order][reached.argmax(axis=0)]
        low, middle, high = pseudo_median_limits(weights, values, 0.1)
        assert (medians >= low).mean() >= 0.9 > (medians > low).mean()
        assert (medians >= middle).mean() >= 0.5 > (medians > middle).mean()
        assert (medians > high).mean() <= 0.1 < (medians >= high).mean()

    def test_many_values_are_thinned(self) -> None:
        values = np.sort(np.random.default_rng(1).normal(0.3, 1.0, 3 * LISTED))
        low, middle, high = pseudo_median_limits(drawn(values.size, draws=1000), values, 0.025)
        assert middle == pytest.approx(0.3, abs=0.1)
        # the standard error of a pseudo-median of normal values is sqrt(pi / 3 / n)
        assert (high - low) / 2 == pytest.approx(1.96 * np.sqrt(np.pi / 3 / values.size), rel=0.15)
