"""The segments that a step test does not reject."""

import math

import numpy as np
import pytest

from assay.kernels.rank_test_inversion import ShiftTest, accepted_shifts, agreeing


def stepped(levels: list[float], breaks: list[float]) -> ShiftTest:
    """A test whose p-value on each segment is given."""
    places = np.array(breaks)

    def p_at(shift: float) -> float:
        return levels[int(np.searchsorted(places, shift))]

    return ShiftTest(p_at=p_at, breaks=places, centre=2.0, p_null=p_at(0.0), above=True)


class TestAcceptedShifts:
    @pytest.mark.parametrize("guess", [-5, 0, 1, 2, 50])
    def test_hull_of_the_accepted_segments(self, guess: int) -> None:
        test = stepped([0.01, 0.03, 0.2, 0.9, 0.3, 0.02], [0.5, 1.0, 1.5, 2.5, 3.5])
        assert accepted_shifts(test, 0.05, "two-sided", guess) == (1.0, 3.5)

    def test_nothing_rejected(self) -> None:
        test = stepped([0.5, 1.0, 0.5], [1.0, 3.0])
        assert accepted_shifts(test, 0.05, "two-sided", 0) == (-math.inf, math.inf)

    def test_one_sided(self) -> None:
        rising = stepped([0.01, 0.04, 0.5, 0.99], [1.0, 2.0, 3.0])
        assert accepted_shifts(rising, 0.05, "greater", 1) == (2.0, math.inf)
        falling = stepped([0.99, 0.5, 0.04, 0.01], [1.0, 2.0, 3.0])
        assert accepted_shifts(falling, 0.05, "less", 1) == (-math.inf, 2.0)

    def test_no_segment_accepted_gives_one_step_either_way(self) -> None:
        test = stepped([0.01, 0.02, 0.02, 0.01], [1.0, 2.0, 3.0])
        assert accepted_shifts(test, 0.05, "two-sided", 0) == (1.0, 3.0)


class TestAgreeing:
    def test_an_accepted_null_is_inside(self) -> None:
        assert agreeing(0.5, 2.0, accepted=True, above=True) == (0.0, 2.0)

    def test_a_rejected_null_is_outside(self) -> None:
        assert agreeing(0.0, 2.0, accepted=False, above=True) == (math.ulp(0.0), 2.0)
        assert agreeing(-2.0, 0.0, accepted=False, above=False) == (-2.0, -math.ulp(0.0))

    def test_what_agrees_stays(self) -> None:
        assert agreeing(1.0, 2.0, accepted=False, above=True) == (1.0, 2.0)
