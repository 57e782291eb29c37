"""Effect sizes in standard deviations, angles and odds."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, stats

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Estimate
from assay.estimates.effects import cohens_d, cohens_d_paired, cohens_h, odds_ratio
from assay.hypotheses.paired_scores import paired_t
from assay.hypotheses.two_samples import two_sample_t
from assay.kernels.noncentral import noncentral_t_cdf, t_noncentrality_bounds
from assay.reference import Case, cases
from tests.support import agree

SAMPLES = st.lists(st.floats(-5, 5).map(lambda x: round(x, 2)), min_size=2, max_size=12)
COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
A, B = [0.91, 0.87, 0.93, 0.90, 0.88, 0.92], [0.89, 0.88, 0.90, 0.88, 0.85, 0.91]


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def codes(estimate: Estimate) -> set[str]:
    return {note.code for note in estimate.notes}


class TestNoncentralT:
    @pytest.mark.parametrize("df", [1, 2, 5, 40, 1000])
    @pytest.mark.parametrize(("t", "mean"), [(0.4, 1.0), (2.0, 4.0), (-3.0, -1.0), (10.0, 23.2)])
    def test_agrees_with_the_integral_over_the_scale(self, t: float, mean: float, df: int) -> None:
        def density(s: float) -> float:
            return float(stats.norm.cdf(t * s - mean) * stats.chi.pdf(s * df**0.5, df) * df**0.5)

        by_parts = [integrate.quad(density, low, low + 0.25)[0] for low in np.arange(0, 12, 0.25)]
        assert agree(float(noncentral_t_cdf(t, df, mean)), sum(by_parts), 1e-7, atol=1e-10)

    @pytest.mark.parametrize("df", [1.0, 2.0, 9.0, 1e4, 1e7])
    @pytest.mark.parametrize("t", [0.0, 0.3, -5.0, 30.0, 1e4, -1e8])
    def test_bounds_leave_the_tail(self, t: float, df: float) -> None:
        """Where SciPy's nctdtr gives NaN, too."""
        low, high = t_noncentrality_bounds(t, df, 0.025)
        assert low < high
        assert agree(float(noncentral_t_cdf(t, df, high)), 0.025, 1e-9)
        assert agree(float(noncentral_t_cdf(-t, df, -low)), 0.025, 1e-9)

    def test_central_where_nothing_is_noncentral(self) -> None:
        assert agree(float(noncentral_t_cdf(-3.2, 7, 0.0)), float(stats.t.cdf(-3.2, 7)), 1e-12)


class TestCohensD:
    def test_each_variant_is_the_value_asked_for(self) -> None:
        facts = details(cohens_d(A, B))
        assert cohens_d(A, B).value == facts["cohens_d"]
        assert cohens_d(A, B, variant="hedges").value == facts["hedges_g_exact"]
        assert cohens_d(A, B, variant="glass").value == facts["glass_delta_sd_b"]
        assert cohens_d(A, B, variant="glass").measure == "glass_delta"

    def test_limits_leave_a_tail_of_scipys_noncentral_t(self) -> None:
        a, b = np.arange(1.0, 6.0), np.array([3.0, 4.0, 5.0, 6.0, 9.0])
        t = stats.ttest_ind(a, b).statistic
        for limit, tail in zip(limits(cohens_d(a, b)), (0.975, 0.025), strict=True):
            assert agree(float(stats.nct.cdf(t, 8, limit * math.sqrt(2.5))), tail, 1e-7)

    def test_hedges_keeps_the_interval_of_the_same_quantity(self) -> None:
        assert limits(cohens_d(A, B, variant="hedges")) == limits(cohens_d(A, B))

    @given(SAMPLES, SAMPLES, st.sampled_from([0.8, 0.95, 0.99]))
    def test_leaves_out_zero_exactly_when_t_rejects(
        self, a: list[float], b: list[float], level: float
    ) -> None:
        estimate = cohens_d(a, b, level=level)
        p_value = two_sample_t(a, b, variant="pooled").p_value
        assume(estimate.interval is not None and p_value is not None)
        assert estimate.interval is not None
        assert p_value is not None
        assume(abs(p_value - (1 - level)) > 1e-9)
        assert (not estimate.interval.contains(0.0)) == (p_value <= 1 - level)

    @given(SAMPLES, SAMPLES)
    def test_swapping_mirrors_and_scale_cancels(self, a: list[float], b: list[float]) -> None:
        estimate = cohens_d(a, b)
        assume(estimate.interval is not None)
        low, high = limits(estimate)
        other = cohens_d([3 * x + 1 for x in b], [3 * x + 1 for x in a])
        assert agree(limits(other), (-high, -low), 1e-7, atol=1e-7)

    def test_covers_as_stated(self) -> None:
        rng = np.random.default_rng(1)
        hits = [
            0.8 in Inside(cohens_d(rng.normal(0.8, 1, 6), rng.normal(0, 1, 9))) for _ in range(300)
        ]
        assert 0.92 <= np.mean(hits) <= 0.98

    @pytest.mark.parametrize("ratio", [0.5, 2.0])
    def test_glass_covers_with_unequal_variances(self, ratio: float) -> None:
        rng = np.random.default_rng(2)
        hits = [
            1.0 in Inside(cohens_d(rng.normal(1, ratio, 12), rng.normal(0, 1, 12), variant="glass"))
            for _ in range(200)
        ]
        assert np.mean(hits) >= 0.91

    def test_one_sided(self) -> None:
        assert limits(cohens_d(A, B, alternative="greater"))[1] == math.inf
        assert limits(cohens_d(A, B, alternative="less"))[0] == -math.inf

    def test_no_spread(self) -> None:
        estimate = cohens_d([0.1 + 0.2, 0.3], [0.5, 0.5])
        assert (estimate.value, estimate.interval) == (None, None)
        assert codes(estimate) == {"zero-variance"}
        assert cohens_d([1.0, 2.0], [3.0, 3.0]).value is not None
        assert cohens_d([1.0, 2.0], [3.0, 3.0], variant="glass").value is None

    def test_one_value(self) -> None:
        assert codes(cohens_d([1.0], [2.0])) == {"single-value"}
        assert cohens_d([1.0], [2.0, 3.0, 4.0]).interval is not None
        assert (
            cohens_d([1.0], [2.0, 3.0], variant="hedges").value is None
        )  # d has no mean to unbias

    def test_nonsense(self) -> None:
        with pytest.raises(UsageError, match="variant is one of cohen, hedges, glass"):
            cohens_d(A, B, variant="pooled")  # type: ignore[arg-type]
        with pytest.raises(EvidenceError, match="missing or infinite"):
            cohens_d([1.0, math.nan], B)


class Inside:
    """``value in Inside(estimate)``."""

    def __init__(self, estimate: Estimate) -> None:
        assert estimate.interval is not None
        self.interval = estimate.interval

    def __contains__(self, value: float) -> bool:
        return self.interval.contains(value)


class TestCohensDPaired:
    @given(SAMPLES, st.sampled_from([0.8, 0.95]))
    def test_leaves_out_zero_exactly_when_paired_t_rejects(
        self, differences: list[float], level: float
    ) -> None:
        estimate = cohens_d_paired(differences, level=level)
        p_value = paired_t(differences).p_value
        assume(estimate.interval is not None and p_value is not None)
        assert estimate.interval is not None
        assert p_value is not None
        assume(abs(p_value - (1 - level)) > 1e-9)
        assert (not estimate.interval.contains(0.0)) == (p_value <= 1 - level)

    @pytest.mark.parametrize("variant", ["d_av", "d_rm"])
    def test_other_variants_decide_alike(self, variant: Any) -> None:
        for shift in (0.0, 0.01, 0.03):
            b = [score - shift for score in B]
            one, other = cohens_d_paired(A, b), cohens_d_paired(A, b, variant=variant)
            assert (limits(one)[0] > 0) == (limits(other)[0] > 0)

    def test_d_z_covers_as_stated(self) -> None:
        rng = np.random.default_rng(3)
        hits = [0.6 in Inside(cohens_d_paired(rng.normal(0.6, 1, 7))) for _ in range(300)]
        assert 0.92 <= np.mean(hits) <= 0.98

    def test_d_av_covers_as_stated(self) -> None:
        rng = np.random.default_rng(4)
        shared = rng.normal(size=(200, 15))
        hits = [
            0.5
            in Inside(
                cohens_d_paired(
                    x + rng.normal(0, 0.75, 15) + 0.625, x + rng.normal(0, 0.75, 15), variant="d_av"
                )
            )
            for x in shared
        ]
        assert np.mean(hits) >= 0.91

    def test_identical_scores(self) -> None:
        estimate = cohens_d_paired(A, A, variant="d_av")
        assert (estimate.value, estimate.interval) == (0.0, None)
        assert codes(estimate) == {"zero-variance"}

    def test_one_pair(self) -> None:
        assert codes(cohens_d_paired([1.0], [2.0])) == {"single-value"}

    def test_differences_alone_have_d_z_only(self) -> None:
        assert set(details(cohens_d_paired([0.1, 0.2, 0.4]))) == {"d_z", "mean", "n"}
        with pytest.raises(EvidenceError, match="needs the scores of both models"):
            cohens_d_paired([0.1, 0.2, 0.4], variant="d_av")


class TestCohensH:
    @pytest.mark.parametrize(("rate_a", "rate_b"), [(0.5, 0.5), (0.2, 0.25), (0.02, 0.02)])
    def test_covers_at_rare_errors_too(self, rate_a: float, rate_b: float) -> None:
        """Over all tables of 25 and 25 items; ± z sqrt(1/n + 1/n) covers 88 % at some rates."""
        n, counts = 25, np.arange(26)
        phi = [2 * math.asin(math.sqrt(rate)) for rate in (rate_a, rate_b)]
        weights = np.outer(stats.binom.pmf(counts, n, rate_a), stats.binom.pmf(counts, n, rate_b))
        covered = sum(
            weights[x, y]
            for x in counts.tolist()
            for y in counts.tolist()
            if weights[x, y] > 1e-9 and phi[0] - phi[1] in Inside(cohens_h(x, n, y, n))
        )
        assert covered >= 0.935

    @given(COUNTS, COUNTS)
    def test_swapping_mirrors(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        one, other = cohens_h(*a, *b), cohens_h(*b, *a)
        low, high = limits(one)
        assert agree(limits(other), (-high, -low), atol=1e-12)
        assert low < high


class TestOddsRatio:
    @pytest.mark.parametrize(
        "cells", [(3, 1, 1, 3), (1, 9, 14, 6), (200, 35, 180, 61), (7, 2, 3, 40)]
    )
    def test_conditional_is_the_root_of_its_equation(self, cells: tuple[int, ...]) -> None:
        """R's uniroot stops at 1.2e-4; here 30 digits of mpmath."""
        mpmath = pytest.importorskip("mpmath")
        a, b, c, d = cells
        n_a, n_b, errors = a + b, c + d, a + c
        support = range(max(0, errors - n_b), min(n_a, errors) + 1)

        def excess(log_ratio: Any) -> Any:
            weights = [
                math.comb(n_a, x) * math.comb(n_b, errors - x) * mpmath.e ** (log_ratio * x)
                for x in support
            ]
            return sum(x * w for x, w in zip(support, weights, strict=True)) / sum(weights) - a

        with mpmath.workdps(30):
            root = float(mpmath.e ** mpmath.findroot(excess, math.log(a * d / (b * c))))
        found = odds_ratio(a, n_a, c, n_b, variant="conditional")
        assert found.value == pytest.approx(root, rel=1e-12)

    @pytest.mark.parametrize("case", list(cases("effect__odds_ratio")), ids=lambda c: c.id)
    def test_conditional_agrees_with_r(self, case: Case) -> None:
        """R's own root is good to 1e-4 of a number between 0 and 1 only."""
        given_ = case.input
        counts = given_["a"], given_["a"] + given_["b"], given_["c"], given_["c"] + given_["d"]
        estimate = odds_ratio(*counts, variant="conditional")
        assert agree(estimate.value, case.expected["conditional_mle"], 1e-3)
        if estimate.value is not None and 0 < estimate.value < math.inf:
            law = stats.nchypergeom_fisher(
                counts[1] + counts[3], counts[0] + counts[2], counts[1], estimate.value
            )
            assert agree(float(law.mean()), counts[0], 1e-7)

    def test_conditional_limits_leave_the_tails(self) -> None:
        low, high = limits(odds_ratio(10, 12, 3, 18, variant="conditional"))
        assert agree(float(stats.nchypergeom_fisher.sf(9, 30, 13, 12, low)), 0.025, 1e-6)
        assert agree(float(stats.nchypergeom_fisher.cdf(10, 30, 13, 12, high)), 0.025, 1e-6)

    @given(COUNTS, COUNTS)
    def test_swapping_inverts(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        one, other = odds_ratio(*a, *b), odds_ratio(*b, *a)
        low, high = limits(one)
        assert one.value is not None
        assert agree(other.value, 1 / one.value)
        assert agree(limits(other), (1 / high, 1 / low))

    def test_no_errors_at_all(self) -> None:
        assert odds_ratio(0, 10, 0, 10, variant="raw").value is None
        assert codes(odds_ratio(0, 10, 0, 10, variant="conditional")) == {"zero-cell"}
        assert odds_ratio(0, 10, 0, 10).value == 1.0
        assert odds_ratio(0, 10, 3, 10, variant="raw").value == 0.0
