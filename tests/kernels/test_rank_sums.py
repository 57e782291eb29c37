"""Mann and Whitney's U as a function of the shift."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from assay.core.vocabulary import Alternative
from assay.kernels.rank_sums import RankSums


class TestRankSums:
    def test_u_counts_pairs_and_half_of_ties(self) -> None:
        assert RankSums.of(np.array([1.0, 2.0, 2.0]), np.array([2.0, 0.0])).u() == 4.0

    def test_u_falls_at_every_difference(self) -> None:
        a, b = np.array([0.3, 1.1, 2.4]), np.array([0.9, -0.2, 0.4, 1.7])
        samples = RankSums.of(a, b)
        differences = np.subtract.outer(a, b).ravel()
        for shift in (-2.0, -0.35, 0.13, 0.77, 3.0):
            assert samples.u(shift) == np.count_nonzero(differences > shift)

    def test_two_definitions_of_two_sided(self) -> None:
        # exactRankTests and coin: 0.05827505827505827; twice the smaller tail: 0.08041958041958042
        a, b = np.array([1.0, 1, 2, 2, 3, 3]), np.array([2.0, 2, 3, 3, 4, 4, 5])
        samples = RankSums.of(a, b)
        assert samples.exact_p("two-sided") == pytest.approx(0.05827505827505827)
        doubled = samples.exact_p("two-sided", two_sided="doubled")
        assert doubled == pytest.approx(0.08041958041958042)

    def test_the_first_break_is_where_z_passes_the_value(self) -> None:
        rng = np.random.default_rng(2)
        samples = RankSums.of(rng.normal(0.4, 1, 150), rng.normal(0, 1, 130))
        stairs = samples.stairs("two-sided", correct=False)
        for target in (1.96, 0.0, -1.96):
            found = stairs.first_break(target)
            z = [samples.z("two-sided", correct=False, shift=found + off) for off in (-1e-9, 1e-9)]
            assert z == [stairs.z_at(found - 1e-9), stairs.z_at(found + 1e-9)]
            assert stairs.z_at(found - 1e-9) > target >= stairs.z_at(found + 1e-9)

    def test_all_tied_has_no_z(self) -> None:
        assert RankSums.of(np.ones(3), np.ones(4)).z("two-sided", correct=False) is None

    @pytest.mark.parametrize("correct", [False, True])
    @pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
    def test_normal_p_is_scipys(self, alternative: Alternative, correct: bool) -> None:
        rng = np.random.default_rng(6)
        a, b = rng.integers(0, 6, 17).astype(np.float64), rng.integers(0, 5, 12).astype(np.float64)
        due = mannwhitneyu(
            a, b, alternative=alternative, use_continuity=correct, method="asymptotic"
        )
        found = RankSums.of(a, b).normal_p(alternative, correct=correct)
        assert found == pytest.approx(due.pvalue, rel=1e-12)
