"""From replicates to limits: how far a limit would move with another seed."""

import math

import numpy as np
import pytest

from assay.core.results import TestOutcome
from assay.core.vocabulary import Alternative
from assay.estimates.method_question import MethodQuestion
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.replicate_answers import end_errors, interval_and_p, sampled_difference
from assay.measures.registry import find_measure


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


DRAWN = np.random.default_rng(8).normal(0.4, 1.0, size=999)


class TestIntervalAndP:
    def test_two_sided(self) -> None:
        """The 25th from either end of 999 leaves 2.5 % outside; p doubles the smaller count."""
        ordered = sorted(DRAWN)
        below = sum(value <= 0 for value in DRAWN)
        (low, high), p = interval_and_p(DRAWN, "two-sided", 0.95)
        assert (low, high) == (ordered[24], ordered[-25])
        assert p == pytest.approx(2 * (below + 1) / 1000)

    @pytest.mark.parametrize(("side", "place"), [("greater", 49), ("less", -50)])
    def test_one_sided(self, side: Alternative, place: int) -> None:
        limits, p = interval_and_p(DRAWN, side, 0.95)
        bound = sorted(DRAWN)[place]
        assert limits == ((bound, math.inf) if side == "greater" else (-math.inf, bound))
        against = sum(value <= 0 if side == "greater" else value >= 0 for value in DRAWN)
        assert p == pytest.approx((against + 1) / 1000)

    def test_zeros_count_on_both_sides(self) -> None:
        _, p = interval_and_p(np.r_[np.zeros(50), np.ones(949)], "greater", 0.9)
        assert p == pytest.approx(51 / 1000)
        _, p = interval_and_p(np.r_[np.zeros(50), np.ones(949)], "less", 0.9)
        assert p == 1.0


def answered(
    replicates: np.ndarray, value: float, measure: str = "accuracy", side: Alternative = "two-sided"
) -> TestOutcome:
    return sampled_difference(
        MethodQuestion.of("paired_bootstrap", level=0.95, alternative=side),
        find_measure(measure), value, replicates, 40, seed=1, details=(),
    )  # fmt: skip


class TestSampledDifference:
    def test_interval_and_standard_error_of_the_replicates(self) -> None:
        found = answered(DRAWN, 0.4)
        assert found.effect.interval is not None
        assert (found.effect.interval.low, found.effect.interval.high) == interval_and_p(
            DRAWN, "two-sided", 0.95
        )[0]
        assert found.effect.standard_error == pytest.approx(np.std(DRAWN, ddof=1))

    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    @pytest.mark.parametrize("value", [1.0, 0.0, -1.0])
    def test_replicates_that_do_not_vary_are_mcnemars(
        self, value: float, side: Alternative
    ) -> None:
        """All of 40 items won, tied or lost: Tango's interval and the score test."""
        won, tied, lost = (40 * (value == one) for one in (1.0, 0.0, -1.0))
        expected = mcnemar(tied, won, lost, 0, alternative=side)
        found = answered(np.full(999, value), value, side=side)
        assert found.effect.interval is not None
        assert expected.effect.interval is not None
        interval = found.effect.interval
        ends = (max(interval.low, -1.0), min(interval.high, 1.0))
        tango = (expected.effect.interval.low, expected.effect.interval.high)
        assert ends == pytest.approx(tango, abs=1e-7)
        assert (interval.low == -math.inf) == (side == "less")
        assert (interval.high == math.inf) == (side == "greater")
        assert found.p_value == pytest.approx(1.0 if value == 0 else expected.p_value)

    def test_without_bounds_there_is_no_interval(self) -> None:
        found = answered(np.full(999, 0.3), 0.3, "mse")
        assert found.effect.interval is None
        assert found.p_value is None

    def test_undefined_replicates(self) -> None:
        few, many = np.r_[DRAWN, np.full(50, np.nan)], np.r_[DRAWN, np.full(60, np.nan)]
        kept = answered(few, 0.4).effect.interval
        assert kept is not None
        assert (kept.low, kept.high) == interval_and_p(DRAWN, "two-sided", 0.95)[0]
        lost = answered(many, 0.4)
        assert lost.p_value == 1.0
        assert lost.effect.interval is not None
        assert (lost.effect.interval.low, lost.effect.interval.high) == (-1.0, 1.0)
        assert answered(many, 0.4, "mse").effect.interval is None

    def test_an_end_near_zero_may_be_chance(self) -> None:
        near = DRAWN - np.sort(DRAWN)[24] + 1e-6
        assert "seed-sensitive" in [note.code for note in answered(near, 0.4).notes]
        assert "seed-sensitive" not in [note.code for note in answered(DRAWN + 9.0, 9.4).notes]
