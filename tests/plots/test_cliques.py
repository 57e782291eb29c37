"""Bars and letters equal the decisions, or there are none: over random decision matrices."""

from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.core.errors import UsageError
from assay.plots.cliques import LETTERS, cliques, compact_letters, groups, obstacle

Matrix = NDArray[np.bool_]


@st.composite
def decisions(draw: st.DrawFn, most: int = 9) -> Matrix:
    """Any symmetric matrix; sparse ones too, which are the likelier to have bars."""
    k = draw(st.integers(1, most))
    matrix = np.zeros((k, k), dtype=bool)
    chance = draw(st.sampled_from([0.1, 0.5, 0.9]))
    for first, second in combinations(range(k), 2):
        matrix[first, second] = matrix[second, first] = draw(st.floats(0, 1)) < chance
    return matrix


@st.composite
def by_distance(draw: st.DrawFn) -> Matrix:
    """Told apart from a distance on, as Nemenyi's test does; ranks may be tied."""
    ranks = np.sort(draw(st.lists(st.integers(0, 30), min_size=1, max_size=60)))
    return np.array(np.abs(ranks[:, None] - ranks) > draw(st.integers(0, 31)))


def same_pairs(different: Matrix) -> set[tuple[int, int]]:
    return {pair for pair in combinations(range(len(different)), 2) if not different[pair]}


def under_bars(bars: tuple[tuple[int, int], ...]) -> set[tuple[int, int]]:
    return {pair for first, last in bars for pair in combinations(range(first, last + 1), 2)}


def representable(different: Matrix) -> bool:
    """By definition: all runs of which no two differ cover every pair that is not told apart."""
    k = len(different)
    runs = [
        (first, last)
        for first, last in combinations(range(k), 2)
        if not different[first : last + 1, first : last + 1].any()
    ]
    return under_bars(tuple(runs)) == same_pairs(different)


class TestCliques:
    def test_demsar_2006(self) -> None:
        # CD 1.25 at 5%: nothing is told apart; 1.12 at 10%: C4.5 differs from the best two
        ranks = np.array([1.964, 2.000, 2.893, 3.143])
        assert cliques(np.abs(ranks[:, None] - ranks) > 1.25) == ((0, 3),)
        assert cliques(np.abs(ranks[:, None] - ranks) > 1.12) == ((0, 2), (2, 3))

    @given(decisions())
    def test_pairs_under_a_common_bar_are_those_not_told_apart(self, different: Matrix) -> None:
        bars = cliques(different)
        if bars is None:
            assert not representable(different)
        else:
            assert under_bars(bars) == same_pairs(different)

    @given(by_distance())
    def test_a_distance_always_has_bars(self, different: Matrix) -> None:
        bars = cliques(different)
        assert bars is not None
        assert under_bars(bars) == same_pairs(different)

    @given(decisions())
    def test_no_bar_within_another(self, different: Matrix) -> None:
        bars = cliques(different) or ()
        for (first, last), (begin, end) in permutations(bars, 2):
            assert not (begin <= first and last <= end)

    @given(decisions())
    def test_no_bars_exactly_where_something_stands_in_the_way(self, different: Matrix) -> None:
        found = obstacle(different)
        assert (found is None) == (cliques(different) is not None)
        if found is not None:
            first, middle, last = found
            assert first < middle < last
            assert not different[first, last]
            assert different[first, middle] or different[middle, last]

    @pytest.mark.parametrize("k", [2, 3, 60])
    def test_all_equal_and_all_different(self, k: int) -> None:
        equal = np.zeros((k, k), dtype=bool)
        assert cliques(equal) == ((0, k - 1),)
        assert cliques(~equal) == ()

    def test_the_diagonal_says_nothing_and_the_input_stays(self) -> None:
        matrix = np.eye(3, dtype=bool)
        assert cliques(matrix) == ((0, 2),)
        assert matrix.trace() == 3

    @pytest.mark.parametrize(
        ("wrong", "match"),
        [
            ([[0.01, 0.2], [0.2, 0.5]], "square matrix of true"),
            ([[float("nan")]], "square matrix of true"),
            ([[True, False]], "square matrix of true"),
            ([[False, True], [False, False]], "whichever model of a pair comes first"),
        ],
    )
    def test_not_decisions(self, wrong: Any, match: str) -> None:
        for function in (cliques, obstacle, groups, compact_letters):
            with pytest.raises(UsageError, match=match):
                function(wrong)


class TestCompactLetters:
    def test_piepho_2004(self) -> None:
        # the middle differs from both of the others, which are alike: no bar, two letters
        assert compact_letters([[False, True, False], [True, False, True], [False, True, False]]) == (
            "a", "b", "a",
        )  # fmt: skip

    @given(decisions())
    def test_models_share_a_letter_exactly_if_not_told_apart(self, different: Matrix) -> None:
        letters = compact_letters(different)
        found = groups(different)
        assert found is not None
        shared = {pair for group in found for pair in combinations(group, 2)}
        assert shared == same_pairs(different)
        assert (letters is None) == (len(found) > len(LETTERS))
        if letters is not None:
            assert all(letters)
            pairs = combinations(range(len(letters)), 2)
            assert {(a, b) for a, b in pairs if set(letters[a]) & set(letters[b])} == shared

    @given(by_distance())
    def test_as_many_letters_as_bars_and_loners(self, different: Matrix) -> None:
        bars, found = cliques(different), groups(different)
        assert bars is not None
        alone = sum(bool(row.sum() == len(row) - 1) for row in different)
        assert found is None or len(found) == len(bars) + alone

    def test_too_many_groups_are_refused_soon(self) -> None:
        chance = np.random.default_rng(1).random((60, 60)) < 0.5
        assert compact_letters(np.triu(chance, 1) | np.triu(chance, 1).T) is None
        assert compact_letters(~np.eye(30, dtype=bool)) is None
