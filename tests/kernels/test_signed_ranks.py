"""Signed ranks as a function of the shift."""

import math

import numpy as np
import pytest

from assay.kernels.signed_ranks import SignedRanks, unrejected_shifts

DIFFERENCES = np.array([0.0, 1.0, 2.0, -3.0, 4.0])


class TestSignedRanks:
    def test_rank_sums_by_handling_of_zeros(self) -> None:
        assert SignedRanks.of(DIFFERENCES, "drop").sums() == (7.0, 3.0)
        assert SignedRanks.of(DIFFERENCES, "pratt").sums() == (10.0, 4.0)
        assert SignedRanks.of(DIFFERENCES, "split").sums() == (10.5, 4.5)

    def test_the_sum_falls_by_one_at_every_average(self) -> None:
        values = np.array([0.3, -1.1, 2.4, 0.9, -0.2])
        ranks = SignedRanks.of(values, "drop")
        walsh, steps = ranks.averages()
        assert (steps == 1.0).all()
        for shift in (-2.0, -0.37, 0.11, 0.61, 3.0):
            assert ranks.sums(shift)[0] == np.count_nonzero(walsh > shift)

    def test_ranked_zeros_weigh_on_the_observations(self) -> None:
        ranks = SignedRanks.of(np.append(np.zeros(3), [1.0, -2.0, 5.0]), "pratt")
        walsh, steps = ranks.averages()
        for shift in (-1.7, -0.4, 0.2, 2.2):
            assert ranks.sums(shift)[0] == pytest.approx(steps[walsh > shift].sum())

    def test_many_differences_are_never_exact_by_default(self) -> None:
        assert SignedRanks.of(np.arange(1.0, 20_001.0), "drop").work() == math.inf

    @pytest.mark.parametrize("zeros", ["drop", "pratt", "split"])
    def test_the_first_break_is_where_z_passes_the_value(self, zeros: str) -> None:
        values = np.append(np.random.default_rng(1).normal(0.2, 1, 500), np.zeros(20))
        ranks = SignedRanks.of(values, zeros)  # type: ignore[arg-type]
        stairs = ranks.stairs("two-sided", correct=False)
        for target in (1.96, 0.0, -1.96):
            found = stairs.first_break(target)
            z = [ranks.z("two-sided", correct=False, shift=found + off) for off in (-1e-9, 1e-9)]
            assert z == [stairs.z_at(found - 1e-9), stairs.z_at(found + 1e-9)]
            assert z[0] > target >= z[1]


class TestUnrejectedShifts:
    def test_estimate_is_the_median_of_averages(self) -> None:
        values = np.array([1.0, 2.0, 4.0])
        value, low, high = unrejected_shifts(
            SignedRanks.of(values, "drop"),
            "two-sided",
            0.95,
            p_null=0.25,
            exact=True,
            correct=False,
        )
        assert value == np.median([1.0, 1.5, 2.5, 2.0, 3.0, 4.0])
        assert (low, high) == (-math.inf, math.inf)
