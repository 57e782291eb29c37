"""Ranks that see decimal ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.stats import rankdata

from assay.kernels import ranks
from assay.kernels.ranks import (
    decimal_differences,
    mean_differences,
    midranks,
    round_ties,
    round_values,
    tie_term,
)

WHOLE = st.lists(st.integers(-50, 50), min_size=1, max_size=30)


class TestRoundTies:
    def test_decimals_that_binary_separates(self) -> None:
        rounded = round_ties([0.1 + 0.2, 0.3, 0.5])
        assert rounded[0] == rounded[1] != rounded[2]

    def test_scores_equal_to_1e_12_are_ties(self) -> None:
        assert np.unique(round_ties([0.5, 0.5 + 1e-12, 0.7])).size == 2

    def test_scores_a_millionth_apart_are_not(self) -> None:
        assert np.unique(round_ties([0.5, 0.5 + 1e-6, 0.7])).size == 3

    def test_rows_do_not_disturb_each_other(self) -> None:
        rows = np.array([[1e7, 2e7, 3e7], [1e-4, 2e-4, 3e-4]])
        assert_array_equal(midranks(rows), [[1, 2, 3], [1, 2, 3]])

    def test_a_large_offset_keeps_small_differences_apart(self) -> None:
        assert np.unique(round_ties([1e6 + 0.001, 1e6 + 0.002])).size == 2

    def test_a_chain_of_close_values_is_no_tie(self) -> None:
        """Two hundred times of 1e8 seconds, half a millisecond apart: as many ranks, not one."""
        times = 1e8 + np.arange(200) / 2000.0
        assert np.array_equal(midranks(times), np.arange(1.0, 201.0))
        both = np.concatenate([times, times * 3.0 / 3.0])
        assert np.array_equal(midranks(both), np.tile(2.0 * np.arange(1, 201) - 0.5, 2))

    def test_chains_of_one_row_leave_the_others(self) -> None:
        rows = np.array([1e8 + np.arange(4) / 2000.0, [0.1 + 0.2, 0.3, 0.5, 0.7]])
        assert len(set(round_ties(rows)[0])) == 4
        assert round_ties(rows)[1, 0] == round_ties(rows)[1, 1]

    def test_empty(self) -> None:
        assert round_ties([]).size == 0
        assert midranks([]).size == 0

    @given(WHOLE)
    def test_whole_numbers_stay(self, values: list[int]) -> None:
        assert_array_equal(round_ties(values), values)


class TestPrintedTies:
    @pytest.mark.parametrize("digits", [0, 1, 3, 6])
    def test_looked_up_as_sorted(self, digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(digits)
        printed = (rng.normal(3.0, 5.0, 20_000) * 10.0 ** (2 - digits)).round(digits)
        noisy = np.abs(printed - rng.choice(printed, printed.size))
        found = round_ties(noisy)
        monkeypatch.setattr(ranks, "PRINTED", noisy.size + 1)
        assert_array_equal(found, round_ties(noisy))

    @pytest.mark.filterwarnings("ignore:invalid value")
    @pytest.mark.parametrize("odd", [np.nan, np.inf, 1 / 3])
    def test_others_are_sorted(self, odd: float, monkeypatch: pytest.MonkeyPatch) -> None:
        values = np.tile([0.1 + 0.2, 0.3, 0.5], 5_000)
        values[7] = odd
        found = round_ties(values)
        monkeypatch.setattr(ranks, "PRINTED", values.size + 1)
        assert_array_equal(found, round_ties(values))


class TestDecimalDifferences:
    def test_demsar_ties(self) -> None:
        a, b = np.array([0.768, 0.936, 0.5]), np.array([0.763, 0.931, 0.505])
        differences = decimal_differences(a, b)
        assert len(set(np.abs(differences).tolist())) == 1
        assert_array_equal(np.sign(differences), [1, 1, -1])

    def test_noise_is_zero(self) -> None:
        assert decimal_differences(np.array([0.1 + 0.2]), np.array([0.3]))[0] == 0.0

    @pytest.mark.parametrize("offset", [0.0, 1.0, 1e3, 1e6])
    def test_an_offset_of_both_changes_no_rank(self, offset: float) -> None:
        a, b = np.array([0.71, 0.63, 0.92, 0.55]), np.array([0.70, 0.64, 0.85, 0.55])
        shifted = decimal_differences(a + offset, b + offset)
        assert_array_equal(midranks(np.abs(shifted)), [2.5, 2.5, 4, 1])
        assert shifted[3] == 0.0


class TestRoundValues:
    def test_small_values_beside_a_large_one(self) -> None:
        """scikit-learn and pROC count the same two probabilities as two."""
        assert_array_equal(
            midranks(round_values(np.array([1e-12, 1e-13, 1.0])), exact=True), [2, 1, 3]
        )
        assert_array_equal(midranks([1e-12, 1e-13, 1.0]), [1.5, 1.5, 3])

    def test_noise_is_a_share_of_each_value(self) -> None:
        values = np.array([0.5, 0.5 * (1 + 2e-11), 0.7, 0.7 + 1e-7, 1e6, 1e6 + 1e-5, 1e6 + 1e-2])
        assert_array_equal(
            midranks(round_values(values), exact=True), [1.5, 1.5, 3, 4, 5.5, 5.5, 7]
        )

    def test_rounding_is_a_tie(self) -> None:
        rounded = round_values(np.array([0.1 + 0.2, 0.3, (0.1 + 0.2) - 0.3, 0.0]))
        assert rounded[0] == rounded[1] != rounded[2] == rounded[3]

    def test_a_chain_of_close_values_is_no_tie(self) -> None:
        times = 1e8 + np.arange(200) / 2000.0
        assert_array_equal(round_values(times), times)

    def test_empty(self) -> None:
        assert round_values(np.array([])).size == 0


class TestMeanDifferences:
    def test_keeps_values_finer_than_ties(self) -> None:
        """A mean of 1e8 with a spread of 1: ties of 0.01 would move t by 4e-5."""
        a = 1e8 + np.tile([0.02, 0.004], 20).cumsum()
        b = np.zeros(40)
        assert_array_equal(mean_differences(a, b), a)
        assert not np.array_equal(decimal_differences(a, b), a)

    def test_takes_away_rounding(self) -> None:
        b = np.array([1.0, 7.0, 1e6])
        assert np.ptp((b + 0.1) - b) > 0.0
        assert np.ptp(mean_differences(b + 0.1, b)) == 0.0


class TestMidranks:
    @given(WHOLE)
    def test_agrees_with_scipy(self, values: list[int]) -> None:
        assert_array_equal(midranks(values), rankdata(values))

    def test_along_an_axis(self) -> None:
        table = np.array([[3.0, 1.0], [1.0, 1.0], [2.0, 0.0]])
        assert_array_equal(midranks(table, axis=0), [[3, 2.5], [1, 2.5], [2, 1]])
        assert_array_equal(midranks(table, axis=1), [[2, 1], [1.5, 1.5], [2, 1]])

    def test_exact_takes_floats_as_they_are(self) -> None:
        assert_array_equal(midranks([0.1 + 0.2, 0.3], exact=True), [2, 1])

    @pytest.mark.parametrize("exact", [False, True])
    @pytest.mark.parametrize("models", [2, 3, 7, 16, 17])
    def test_many_rows_as_each_by_itself(self, models: int, exact: bool) -> None:
        """Many rows are compared value by value, a single one is sorted."""
        draw = np.random.default_rng(models)
        table = np.round(draw.normal(0.8, 0.05, (200, models)), 2)
        table[::3] += draw.choice([0.0, 1e-16, -2e-13, 1e-9], (len(table[::3]), models))
        table[1] = 1e8 + np.arange(models) / 2000.0  # a chain
        table[2, 0], table[4, -1], table[5, :2] = np.inf, np.nan, 0.0
        ranks = midranks(table, exact=exact)
        assert_array_equal(ranks, [midranks(row, exact=exact) for row in table])
        assert ranks.flags.c_contiguous

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_printed_scores_of_many_models(self, sign: float) -> None:
        rows = sign * np.random.default_rng(3).normal(0.5, 0.02, (700, 20)).round(3)
        found = midranks(rows)
        assert_array_equal(found, rankdata(rows, axis=1))
        assert_array_equal(found[:5], midranks(rows[:5]))  # so few are sorted as floats

    def test_many_rows_of_huge_values(self) -> None:
        table = np.tile([1.5e308, -1.5e308, 1e300, 1.5e308], (20, 1))
        assert_array_equal(midranks(table), np.tile([3.5, 1, 2, 3.5], (20, 1)))


class TestTieTerm:
    def test_sum_of_cubes(self) -> None:
        assert tie_term([1, 1, 2, 3, 3, 3]) == (8 - 2) + (27 - 3)


def test_noise_is_that_of_the_values_themselves_also_beside_a_large_negative_one() -> None:
    values = np.array([-1.0, 1e-6, 1e-6 + 2e-15])
    assert round_values(values).tolist() == values.tolist()
