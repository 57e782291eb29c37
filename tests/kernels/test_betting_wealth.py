"""The wealth of a bettor, multiplied out value by value in exact fractions or plain floats."""

import math

import numpy as np
import pytest

from assay.kernels import betting_wealth
from assay.kernels.betting_wealth import (
    STAKES,
    log_wealth,
    log_wealth_path,
    log_wealths,
    lower_end,
)

VALUES = [0.2, 0.9, 0.4, 1.0, 0.0, 0.7]


def multiplied(values: list[float], mean: float) -> float:
    """The average over all stakes of the product of 1 + f (x/m - 1)."""
    return math.fsum(
        math.prod(1.0 + stake * (x / mean - 1.0) for x in values) for stake in STAKES.tolist()
    ) / len(STAKES)


def test_stakes_are_from_a_thousandth_to_nearly_all() -> None:
    assert (STAKES.size, STAKES[0], STAKES[-1]) == (34, pytest.approx(0.001), pytest.approx(0.95))
    assert STAKES[24:26] == pytest.approx([0.5, 0.55])
    assert (np.diff(STAKES) > 0.0).all()


@pytest.mark.parametrize("cells", [2**18, 70])
@pytest.mark.parametrize("mean", [0.1, 0.35, 0.6])
def test_all_ways_to_the_wealth(mean: float, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once, after each value, by rows, and a few values at a time."""
    monkeypatch.setattr(betting_wealth, "_CELLS", cells)
    values = np.array(VALUES)
    due = [math.log(multiplied(VALUES[:n], mean)) for n in range(1, 7)]
    assert log_wealth_path(values, mean) == pytest.approx(due, rel=1e-12)
    assert log_wealth(values, np.ones(6), mean) == pytest.approx(due[-1], rel=1e-12)
    rows = np.array([VALUES, VALUES[::-1], [0.5] * 6])
    assert log_wealths(rows, mean) == pytest.approx(
        [due[-1], due[-1], math.log(multiplied([0.5] * 6, mean))], rel=1e-12
    )


def test_counted_values_are_as_many() -> None:
    counted = log_wealth(np.array([0.2, 0.9]), np.array([3.0, 1.0]), 0.3)
    assert counted == pytest.approx(math.log(multiplied([0.2, 0.2, 0.2, 0.9], 0.3)), rel=1e-12)


def test_a_mean_of_zero_is_refuted_by_anything_above_it() -> None:
    assert log_wealth(np.array([0.0, 1e-9]), np.ones(2), 0.0) == math.inf
    assert log_wealth(np.array([0.0, 1.0]), np.array([5.0, 0.0]), 0.0) == 0.0


def test_the_lower_end_is_where_the_wealth_meets_the_limit() -> None:
    values, counts = np.array([0.5, 1.0]), np.array([10.0, 20.0])
    end = lower_end(values, counts, math.log(20.0))
    everything = [0.5] * 10 + [1.0] * 20
    assert 0.3 < end < 25 / 30
    assert multiplied(everything, end * 1.0001) < 20.0 < multiplied(everything, end * 0.9999)


def test_values_that_are_all_one_rule_out_small_means() -> None:
    end = lower_end(np.array([1.0]), np.array([20.0]), math.log(20.0))
    assert multiplied([1.0] * 20, end * 1.0001) < 20.0 < multiplied([1.0] * 20, end * 0.9999)


def test_nothing_is_ruled_out_where_no_bet_reaches_the_limit() -> None:
    assert lower_end(np.array([0.0]), np.array([7.0]), math.log(20.0)) == 0.0
    assert lower_end(np.array([1e-14]), np.array([1.0]), math.log(20.0)) == 0.0
    assert lower_end(np.array([1.0]), np.array([1.0]), math.log(1e15)) == 0.0
