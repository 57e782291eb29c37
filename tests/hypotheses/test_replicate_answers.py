"""From replicates to limits: how far a limit would move with another seed."""

import math

import numpy as np
import pytest

from assay.core.vocabulary import Alternative
from assay.hypotheses.replicate_answers import end_errors


class TestEndErrors:
    @pytest.mark.parametrize("size", [1, 2, 39, 1_000, 9_999])
    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    @pytest.mark.parametrize("level", [0.8, 0.95, 0.9999])
    def test_half_the_way_between_the_ranks_about_an_end(
        self, size: int, side: Alternative, level: float
    ) -> None:
        replicates = np.random.default_rng(size).normal(size=size)
        ordered = sorted(replicates)
        tail = (1.0 - level) / (2.0 if side == "two-sided" else 1.0)
        step = math.sqrt(size * tail * (1.0 - tail))
        first = max(int(size * tail - step), 0)
        last = min(int(size * tail + step), size - 1)
        low = (ordered[last] - ordered[first]) / 2.0
        high = (ordered[size - 1 - first] - ordered[size - 1 - last]) / 2.0
        expected = (None if side == "less" else low, None if side == "greater" else high)
        assert end_errors(replicates, side, level) == pytest.approx(expected)

    def test_as_far_as_limits_of_other_seeds(self) -> None:
        rng = np.random.default_rng(3)
        lows = [np.partition(rng.normal(size=9_999), 249)[249] for _ in range(400)]
        told = [end_errors(rng.normal(size=9_999), "two-sided", 0.95)[0] for _ in range(100)]
        assert np.mean(np.array(told, float)) == pytest.approx(np.std(lows), rel=0.1)
