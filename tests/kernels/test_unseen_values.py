"""What n values cannot rule out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.kernels.unseen_values import ALLOWED, allowed, unseen_p, unseen_reach


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
