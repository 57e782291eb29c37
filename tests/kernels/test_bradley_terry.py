"""Strengths: groups by walking the wins, the maximum by its score, the spread by the second derivative."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.special import expit

from assay.kernels.bradley_terry import fitted, groups_of, position_exists, sandwich

Table = np.ndarray[Any, np.dtype[np.float64]]


def reached(wins: Table) -> Table:
    """Who beats whom by way of others, by multiplying the table with itself."""
    ways = np.eye(len(wins)) + (wins > 0)
    return np.asarray(np.linalg.matrix_power(ways, len(wins)) > 0)


class TestGroupsOf:
    @given(arrays(np.float64, (5, 5), elements=st.sampled_from([0.0, 0.0, 0.0, 0.5, 2.0])))
    def test_chains_of_wins_both_ways(self, wins: Table) -> None:
        labels = groups_of(wins)
        ways = reached(wins)
        for a in range(5):
            for b in range(5):
                assert (labels[a] == labels[b]) == bool(ways[a, b] and ways[b, a])


def endless(first: Table, second: Table, position: float) -> bool:
    """Whether some strengths and a position that pulls this way agree with every outcome, by a linear programme."""
    k = len(first)
    rows, most = [], []
    for i, j in np.argwhere((first > 0) | (second > 0)):
        lead = np.eye(k)[i] - np.eye(k)[j]
        if first[i, j] > 0:  # strength_i - strength_j + position >= 0
            rows.append(-lead)
            most.append(position)
        if second[i, j] > 0:
            rows.append(lead)
            most.append(-position)
    return bool(linprog(np.zeros(k), rows, most, bounds=(None, None)).success)


class TestPositionExists:
    def test_as_a_linear_programme_says(self) -> None:
        chance = np.random.default_rng(5)
        seen: list[bool] = []
        while len(seen) < 100:
            k = int(chance.integers(2, 6))
            shares = chance.uniform(0.1, 0.6, (2, 1, 1))
            first, second = (chance.random((2, k, k)) < shares) * (1.0 - np.eye(k))
            if groups_of(first + second.T).max() == 0:
                expected = not any(endless(first, second, side) for side in (1.0, -1.0))
                assert position_exists(first, second) == expected
                seen.append(expected)
        assert 20 <= sum(seen) <= 80


class TestFitted:
    FIRST = np.array([[0, 5, 3], [2, 0, 4], [1, 2, 0]], dtype=float)
    SECOND = np.array([[0, 1, 2], [3, 0, 0], [4, 3, 0]], dtype=float)
    TIES = np.array([[0, 2, 0], [1, 0, 1], [0, 0, 0]], dtype=float)

    @pytest.mark.parametrize("position", [False, True])
    def test_the_score_vanishes(self, position: bool) -> None:
        fit = fitted(self.FIRST, self.SECOND, self.TIES, position=position)
        assert fit is not None
        shift = fit.values[3] if position else 0.0
        chances = expit(fit.values[:3, None] - fit.values[None, :3] + shift)
        met = self.FIRST + self.SECOND + self.TIES
        rest = self.FIRST + self.TIES / 2 - met * chances
        assert rest.sum(axis=1) - rest.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-10)
        if position:
            assert rest.sum() == pytest.approx(0.0, abs=1e-10)
        assert fit.values[:3].sum() == pytest.approx(0.0, abs=1e-12)

    def test_without_ties_or_position_order_is_nothing(self) -> None:
        none = np.zeros((3, 3))
        one = fitted(self.FIRST, self.SECOND, none, position=False)
        other = fitted(self.SECOND.T, self.FIRST.T, none, position=False)
        assert one is not None
        assert other is not None
        assert one.values == pytest.approx(other.values)
        assert one.covariance == pytest.approx(other.covariance)

    @settings(max_examples=25)
    @given(arrays(np.float64, (4, 4), elements=st.integers(1, 10**6).map(float)))
    def test_any_table_of_wins_settles(self, wins: Table) -> None:
        np.fill_diagonal(wins, 0.0)
        none = np.zeros((4, 4))
        fit = fitted(wins, none, none, position=False)
        assert fit is not None
        edges = (wins + wins.T) * expit(fit.values[:, None] - fit.values[None, :])
        assert edges.sum(axis=1) == pytest.approx(wins.sum(axis=1), rel=1e-7)

    def test_sandwich_of_coin_flips_is_the_information(self) -> None:
        """Where as many were preferred as expected, squares have the binomial's mean."""
        met = np.array([[0.0, 30.0], [0.0, 0.0]])
        none = np.zeros((2, 2))
        fit = fitted(met * 0.4, met * 0.6, none, position=False)
        assert fit is not None
        found = sandwich(fit, met * 0.4, met * 0.6, none, position=False)
        assert found == pytest.approx(fit.covariance)
