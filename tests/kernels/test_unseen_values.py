"""What n values cannot rule out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.kernels.unseen_values import (
    ALLOWED,
    allowed,
    normal_far,
    unseen_p,
    unseen_reach,
    unseen_square,
)


class TestReach:
    def test_of_values_that_hardly_vary_it_is_the_rule_of_three(self) -> None:
        """None of n values seen: the share p with (1 − p)ⁿ = 0.055, the end of the range being 1 off."""
        error = 1e-7
        share = float(unseen_reach(0.055, 1.0 / error, 50)) * error
        assert share == pytest.approx(1.0 - 0.055 ** (1 / 50), rel=0.02)

    def test_without_room_it_is_t(self) -> None:
        expected = stats.t.isf(0.055, 19)
        assert unseen_reach(0.055, 0.0, 20) == pytest.approx(expected)
        assert unseen_reach(0.055, -3.0, 20) == pytest.approx(expected)

    def test_a_small_room_reaches_less_far_than_two_sided_t(self) -> None:
        """One value at the end moves the mean by 0.8 standard errors."""
        assert unseen_reach(0.055, 0.8 * 100, 100) < stats.t.isf(0.025, 99)
        assert unseen_reach(0.055, 1.2 * 100, 100) > stats.t.isf(0.025, 99)

    @given(room=st.floats(0, 500), more=st.floats(0, 500), n=st.integers(2, 500))
    def test_grows_with_the_room(self, room: float, more: float, n: int) -> None:
        assert unseen_reach(0.055, room + more, n) >= unseen_reach(0.055, room, n)


class TestP:
    @given(
        distance=st.floats(-3, 30),
        room=st.floats(0, 200),
        n=st.integers(2, 300),
        alpha=st.sampled_from([0.01, 0.05, 0.07, 0.1, 0.2]),
        side=st.sampled_from(["two-sided", "greater"]),
    )
    def test_inverts_the_reach(self, distance, room, n, alpha, side) -> None:  # type: ignore[no-untyped-def]
        reach = float(unseen_reach(allowed(alpha, side), room, n))
        if abs(distance - reach) > 1e-6:
            assert (float(unseen_p(distance, room, n, side)) <= alpha) == (distance > reach)

    def test_one_sided_questions_of_a_90_percent_interval_keep_their_level(self) -> None:
        assert allowed(0.1, "two-sided") == pytest.approx(ALLOWED * 0.05)
        assert (
            allowed(0.05, "two-sided") == allowed(0.05, "greater") == pytest.approx(ALLOWED * 0.05)
        )

    def test_rows(self) -> None:
        found = unseen_p(np.array([1.0, 4.0]), np.array([30.0, 30.0]), 20, "greater")
        assert found[0] == unseen_p(1.0, 30.0, 20, "greater") > found[1]


class TestUnseenSquares:
    def test_of_normal_errors_is_counted_in_standard_deviations(self) -> None:
        squares = np.array(
            [0.0, 4.0] * 100
        )  # a squared coefficient of variation of 1: half of the normal one
        spread = 0.5
        ratio = np.var(squares, ddof=1) / np.mean(squares) ** 2 / 2.0
        expected = (15.0 + 5.0 * 50.0 / 200.0) * ratio * spread
        assert unseen_square(squares, squares, spread) == pytest.approx(expected)

    def test_a_longer_tail_of_the_leading_model_goes_farther(self) -> None:
        rng = np.random.default_rng(1)
        usual = rng.standard_normal(200) ** 2
        rare = usual.copy()
        rare[3] = 60.0
        assert unseen_square(rare, usual, 1.0) > 1.5 * unseen_square(usual, usual, 1.0)
        assert unseen_square(rare, rare, 1.0) < unseen_square(rare, usual, 1.0)

    def test_ends_at_errors_twelve_times_the_usual(self) -> None:
        usual = np.random.default_rng(2).standard_normal(100) ** 2
        assert unseen_square(usual, usual, 1e9) == pytest.approx(
            144.0 * usual.mean() * max(1.0, _tail_root(usual)), rel=1e-9
        )

    def test_of_several_models_each_row_has_as_many_items_as_columns(self) -> None:
        squares = np.random.default_rng(3).standard_normal((3, 90)) ** 2
        alone = [float(unseen_square(row, row, 0.1)) for row in squares]
        assert unseen_square(squares, squares, 0.1) == pytest.approx(alone, rel=1e-12)

    def test_no_errors_leave_nothing_unseen(self) -> None:
        assert unseen_square(np.zeros(10), np.ones(10), 1.0) == 0.0

    def test_rows_are_apart(self) -> None:
        a, b = np.random.default_rng(3).standard_normal((2, 4, 30)) ** 2
        together = unseen_square(a, b, np.arange(1.0, 5.0))
        assert together == pytest.approx(
            [float(unseen_square(a[i], b[i], i + 1.0)) for i in range(4)]
        )


def _tail_root(squares: np.ndarray) -> float:
    tail = np.var(squares, ddof=1) / np.mean(squares) ** 2 / 2.0
    return float(np.sqrt(tail / max(1.0, tail)))


def test_what_an_end_may_miss() -> None:
    """Up to 5 % an interval may serve a one-sided question; beyond, half of what it leaves out."""
    for alpha, share in ((0.01, 0.01), (0.05, 0.05), (0.07, 0.05), (0.1, 0.05), (0.2, 0.1)):
        assert allowed(alpha, "two-sided") == ALLOWED * share
        assert allowed(alpha, "greater") == ALLOWED * alpha


def test_how_far_off_unseen_squares_may_lie() -> None:
    """Decision 0240: 15 standard deviations, and 5 more with up to 50 items."""
    assert [normal_far(n) for n in (10, 50, 100, 500)] == [20.0, 20.0, 17.5, 15.5]
