"""A p-value read off intervals: where the intervals are a test's, the p-value is the test's."""

import math
from typing import Any

import pytest
from scipy import stats

from assay.core.results import Interval
from assay.hypotheses.measure_level import LEAST_P, agreeing, inverted_p


def normal_interval(level: float, value: float = 0.7, error: float = 0.1) -> Interval:
    low, high = stats.norm.interval(level, value, error)
    return Interval(low=float(low), high=float(high), level=level, method="normal")


class TestInverted:
    @pytest.mark.parametrize("null", [0.2, 0.45, 0.69, 0.75, 1.0])
    def test_of_normal_intervals_it_is_the_z_test(self, null: float) -> None:
        expected = 2 * stats.norm.sf(abs(0.7 - null) / 0.1)
        assert inverted_p(normal_interval, null) == pytest.approx(expected, rel=1e-6)

    def test_far_away_it_is_the_least(self) -> None:
        assert inverted_p(normal_interval, -3.0) == LEAST_P == 1e-12
        assert inverted_p(normal_interval, -3.0, least=0.01) == 0.01

    def test_at_the_value_it_is_one(self) -> None:
        assert inverted_p(normal_interval, 0.7) == 1.0

    def test_without_intervals_nothing_is_excluded(self) -> None:
        assert inverted_p(lambda _: None, 0.2) == 1.0

    def test_an_edge_is_not_outside(self) -> None:
        """A step at 90 %: below it the interval ends at the null, above it beyond."""

        def interval(level: float) -> Interval:
            low = 0.4 if level >= 0.9 else 0.5
            return Interval(low=low, high=0.8, level=level, method="step")

        assert inverted_p(interval, 0.5) == 1.0
        assert inverted_p(interval, 0.45) == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize(
    ("p", "null", "expected"),
    [
        (0.2, 0.5, 0.2),
        (0.04, 0.5, math.nextafter(0.05, 1.0)),
        (0.2, 0.9, 0.05),
        (0.04, 0.9, 0.04),
    ],
)
def test_the_interval_decides(p: float, null: float, expected: Any) -> None:
    interval = Interval(low=0.4, high=0.8, level=0.95, method="normal")
    assert agreeing(p, interval, null) == pytest.approx(expected, rel=1e-12)
    assert (agreeing(p, interval, null) <= 0.05) == (not 0.4 <= null <= 0.8)
