"""Units for a margin, from the width of an interval alone."""

import math

import pytest

from assay.core.results import Interval
from assay.plan.plan import plan
from assay.plan.sample_size import units_for_margin


def interval(centre: float, error: float, level: float = 0.95) -> Interval:
    reach = 1.959963984540054 * error
    return Interval(low=centre - reach, high=centre + reach, level=level, method="t")


class TestUnitsForMargin:
    def test_published_example(self) -> None:
        """Miller (2024): ω² = 1/9, a margin of 0.03, 80 % power, whatever the pilot's n."""
        for n in (50, 400):
            assert units_for_margin(interval(0.0, 1 / 3 / math.sqrt(n)), n, 0.03) == 969

    def test_agrees_with_plan(self) -> None:
        found = units_for_margin(interval(0.1, 0.02), 200, 0.01, power=0.9)
        assert found == plan(sd=0.02 * math.sqrt(200), sd_within=0.0, difference=0.01, power=0.9).n

    @pytest.mark.parametrize("centre", [-0.3, 0.0, 0.7])
    def test_where_the_interval_sits_plays_no_part(self, centre: float) -> None:
        assert units_for_margin(interval(centre, 0.02), 100, 0.01) == units_for_margin(
            interval(0.0, 0.02), 100, 0.01
        )
