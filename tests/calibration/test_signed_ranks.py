"""Signed ranks in batches: decisions are those of the kernel of the public method."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels.integer_sums import doubled, subset_sum_cdf
from assay.kernels.signed_rank_pairs import pair_ranks
from assay.simulate.worlds.grouped import DataSets, Noise
from calibration.designs.signed_ranks import (
    lower_tail,
    rough_ranks,
    rough_ties,
    saddlepoint_p,
    shift_widths,
    signed_rank_p_values,
)

FIRST, SECOND = np.triu_indices(4, 1)


def drawn(noise: Noise, n: int, seed: int, effect: float = 0.0) -> np.ndarray:
    world = DataSets(k=4, noise=noise, effect=effect)
    return world.draw(300, n, np.random.default_rng(seed), takes="blocks")["blocks"]


def exact_p(values: np.ndarray) -> np.ndarray:
    p = [pair_ranks(one, FIRST, SECOND).exact_p() for one in values]
    return np.array(p)


@pytest.mark.parametrize("noise", ["normal", "heteroscedastic", "rounded-2-decimals"])
@pytest.mark.parametrize("n", [5, 8, 13, 30])
class TestScreen:
    def test_nothing_is_screened_out_that_rejects(self, noise: Noise, n: int) -> None:
        for seed, effect in ((1, 0.0), (2, 0.02)):
            values = drawn(noise, n, seed, effect)
            roughly = rough_ties if noise == "rounded-2-decimals" else rough_ranks
            rough, p = roughly(values, FIRST, SECOND), exact_p(values)
            for alpha in (0.05, 0.01, 0.05 / 190):
                assert not np.any((p <= alpha) & ~rough.near(alpha))

    def test_most_is_screened_out(self, noise: Noise, n: int) -> None:
        roughly = rough_ties if noise == "rounded-2-decimals" else rough_ranks
        near = roughly(drawn(noise, n, 3), FIRST, SECOND).near(0.05 / 45)
        assert near.mean() < 0.02

    def test_decisions_at_every_bound_in_between(self, noise: Noise, n: int) -> None:
        between = (0.05 / 6, 0.05 / 3)
        values = drawn(noise, n, 4, 0.015)
        ours, theirs = signed_rank_p_values(values, FIRST, SECOND, between), exact_p(values)
        for bound in np.linspace(*between, 5):
            assert ((ours <= bound) == (theirs <= bound)).all()


class TestSaddlepoint:
    @pytest.mark.parametrize(("n", "factor"), [(13, 3.0), (20, 3.0), (40, 1.6)])
    def test_is_within_the_factor_that_is_allowed_for(self, n: int, factor: float) -> None:
        values = drawn("rounded-2-decimals", n, 5, 0.02)
        for one in values[:100]:
            found = pair_ranks(one, FIRST, SECOND)
            least = np.minimum(found.plus, found.totals - found.plus)
            exact, rough = found.exact_p(), saddlepoint_p(found.ranks, least)
            near = (exact < 0.2) & (exact > 1e-6)
            ratio = rough[near] / exact[near]
            assert ((ratio < factor) & (ratio > 1.0 / factor)).all()


class TestLowerTail:
    @given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(0, 200))
    @settings(max_examples=60, deadline=None)
    def test_is_the_distribution_of_the_kernel(self, weights: list[int], at: int) -> None:
        array = np.array(weights)
        assert lower_tail(array, at) == pytest.approx(subset_sum_cdf(array, at), abs=1e-12)

    def test_no_weight_fits(self) -> None:
        assert lower_tail(doubled(np.array([3.0, 4.0])), 1) == 0.25


class TestShiftWidths:
    def test_is_the_width_of_the_public_interval(self) -> None:
        from assay.hypotheses.paired_scores import wilcoxon

        values = drawn("normal", 13, 6)
        differences = values[:20, :, 0] - values[:20, :, 1]
        ours = shift_widths(differences, 0.05)
        assert ours is not None
        for width, one in zip(ours, differences, strict=True):
            interval = wilcoxon(one).effect.interval
            assert interval is not None
            assert width == pytest.approx(interval.width, rel=1e-9)

    def test_too_few_bound_nothing(self) -> None:
        assert shift_widths(np.ones((2, 5)), 0.05) is None
