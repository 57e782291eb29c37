"""Effect sizes by ranks and medians."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import UsageError
from assay.core.results import Estimate
from assay.estimates.rank_effects import (
    a12,
    akinshin_gamma,
    cliffs_delta,
    harrell_davis_median,
    rank_biserial,
)
from assay.hypotheses.paired_scores import wilcoxon
from tests.support import agree

SAMPLES = st.lists(st.integers(-9, 9).map(lambda x: x / 10), min_size=2, max_size=12)


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def codes(estimate: Estimate) -> set[str]:
    return {note.code for note in estimate.notes}


class TestA12AndCliffsDelta:
    @given(SAMPLES, SAMPLES)
    def test_count_the_pairs(self, a: list[float], b: list[float]) -> None:
        signs = np.sign(np.subtract.outer(np.array(a), np.array(b)))
        assert agree(cliffs_delta(a, b).value, float(signs.mean()), atol=1e-12)

    @given(SAMPLES, SAMPLES)
    def test_swapping_mirrors_and_width_is_never_zero(self, a: list[float], b: list[float]) -> None:
        low, high = limits(cliffs_delta(a, b))
        assert agree(limits(cliffs_delta(b, a)), (-high, -low), atol=1e-9)
        assert -1.0 <= low < high <= 1.0
        assert agree(limits(a12(a, b)), ((low + 1) / 2, (high + 1) / 2), atol=1e-12)

    def test_decimal_ties_are_ties(self) -> None:
        assert a12([0.1 + 0.2], [0.3, 0.3]).value == 0.5

    @pytest.mark.parametrize(("n", "shift"), [(3, 0.0), (3, 2.0), (6, 1.0), (15, 3.0)])
    def test_covers_for_few_values(self, n: int, shift: float) -> None:
        rng = np.random.default_rng(1)
        truth = float(stats.norm.cdf(shift / 2**0.5))
        hits = []
        for _ in range(300):
            low, high = limits(a12(rng.normal(shift, 1, n), rng.normal(0, 1, n)))
            hits.append(low <= truth <= high)
        assert np.mean(hits) >= 0.94

    def test_one_value_of_each(self) -> None:
        estimate = a12([1.0], [0.0])
        assert (estimate.value, estimate.interval) == (1.0, None)
        assert codes(estimate) == {"single-value"}

    def test_one_sided(self) -> None:
        assert limits(a12([3.0, 4.0, 5.0], [1.0, 2.0, 3.5], alternative="greater"))[1] == 1.0
        assert limits(cliffs_delta([3.0, 4.0], [1.0, 3.5], alternative="less"))[0] == -1.0


class TestAkinshinGamma:
    def test_harrell_davis_is_the_mean_of_resampled_medians(self) -> None:
        """Of infinitely many: of odd n, the order statistic (n + 1)/2 of n draws."""
        values = np.array([1.0, 2.0, 4.0, 8.0, 20.0])
        ranks = np.arange(6) / 5
        weights = np.diff(stats.beta.cdf(ranks, 3, 3))
        assert agree(float(harrell_davis_median(values[::-1])), float(weights @ values), 1e-12)

    def test_is_cohens_d_of_normal_samples(self) -> None:
        rng = np.random.default_rng(0)
        estimate = akinshin_gamma(
            rng.normal(0.5, 1, 4000), rng.normal(0, 1, 4000), n_resamples=99, rng=1
        )
        assert abs((estimate.value or 0.0) - 0.5) < 0.08

    @pytest.mark.parametrize("variant", ["harrell_davis", "sample_median"])
    def test_covers(self, variant: Any) -> None:
        rng = np.random.default_rng(2)
        hits = []
        for seed in range(150):
            low, high = limits(
                akinshin_gamma(
                    rng.normal(1, 1, 12),
                    rng.normal(0, 1, 12),
                    variant=variant,
                    n_resamples=199,
                    rng=seed,
                )
            )
            hits.append(low <= 1.0 <= high)
        assert np.mean(hits) >= 0.9

    def test_same_seed_same_answer_whatever_the_order(self) -> None:
        a, b = [1.0, 3.0, 2.0, 7.0, 5.5], [0.0, 1.5, 2.5, 4.0]
        assert akinshin_gamma(a, b, rng=7).interval == akinshin_gamma(a[::-1], b, rng=7).interval
        assert akinshin_gamma(a, b, rng=7).seed == 7
        assert akinshin_gamma(a, b, rng=7).interval != akinshin_gamma(a, b, rng=8).interval

    def test_no_spread(self) -> None:
        estimate = akinshin_gamma([1.0, 1.0, 1.0], [2.0, 2.0], rng=1)
        assert (estimate.value, estimate.interval) == (None, None)
        assert codes(estimate) == {"zero-variance"}

    def test_resamples_without_spread(self) -> None:
        estimate = akinshin_gamma([1.0, 2.0, 3.0], [2.0, 3.0, 5.0], variant="sample_median", rng=1)
        assert estimate.value is not None
        assert estimate.interval is None
        assert codes(estimate) == {"spreadless-resamples"}

    def test_too_few_resamples(self) -> None:
        with pytest.raises(UsageError, match="n_resamples"):
            akinshin_gamma([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 5.0], n_resamples=9, rng=1)


class TestRankBiserial:
    def test_the_formula_by_hand(self) -> None:
        """Differences 1, -2, 3, 4: ranks 1 + 3 + 4 for A, 2 for B."""
        estimate = rank_biserial([1.0, -2.0, 3.0, 4.0])
        assert agree(estimate.value, 0.6)
        assert (details(estimate)["W_plus"], details(estimate)["W_minus"]) == (8.0, 2.0)

    @given(SAMPLES, st.sampled_from([0.8, 0.95]))
    def test_leaves_out_zero_exactly_when_wilcoxon_rejects(
        self, differences: list[float], level: float
    ) -> None:
        estimate = rank_biserial(differences, level=level)
        if estimate.value is None:
            assert codes(estimate) == {"no-disagreement"}
            return
        p_value = wilcoxon(differences, method="normal").p_value
        assert p_value is not None
        assert estimate.interval is not None
        if abs(p_value - (1 - level)) > 1e-9:
            assert (not estimate.interval.contains(0.0)) == (p_value <= 1 - level)

    @given(SAMPLES)
    def test_swapping_mirrors(self, differences: list[float]) -> None:
        estimate = rank_biserial(differences)
        if estimate.value is None:
            return
        low, high = limits(estimate)
        assert agree(limits(rank_biserial([-x for x in differences])), (-high, -low), atol=1e-12)
        assert -1.0 <= low < high <= 1.0

    @pytest.mark.parametrize(("n", "shift"), [(6, 0.0), (10, 1.0), (30, 0.5)])
    def test_covers(self, n: int, shift: float) -> None:
        rng = np.random.default_rng(3)
        truth = 2 * float(stats.norm.cdf(shift * 2**0.5)) - 1
        hits = []
        for _ in range(300):
            low, high = limits(rank_biserial(rng.normal(shift, 1, n)))
            hits.append(low <= truth <= high)
        assert np.mean(hits) >= 0.91

    def test_zeros_are_left_out(self) -> None:
        estimate = rank_biserial([0.0, 1.0, -2.0, 3.0, 4.0])
        assert estimate.value == rank_biserial([1.0, -2.0, 3.0, 4.0]).value
        assert codes(estimate) == {"zeros-dropped"}
