"""What tests really attain at their null, against sums over the public answers."""

import numpy as np
import pytest
from scipy import stats

from assay.hypotheses.independent_outcomes import two_proportions_z
from assay.hypotheses.one_model import binomial
from assay.kernels.attained_level import (
    binomial_chances,
    effective_count,
    pooled_level,
    small_p_size,
)


class TestSmallPSize:
    @pytest.mark.parametrize(
        ("n", "null", "alpha"), [(30, 0.1, 0.05), (12, 0.5, 0.01), (9, 0.02, 0.05)]
    )
    def test_is_the_chance_of_all_outcomes_that_reject(
        self, n: int, null: float, alpha: float
    ) -> None:
        chance = stats.binom.pmf(np.arange(n + 1), n, null)
        rejects = [
            (binomial(errors, n, null=null).p_value or 0) <= alpha for errors in range(n + 1)
        ]
        assert small_p_size(n, null, alpha) == pytest.approx(chance[rejects].sum(), abs=1e-12)

    @pytest.mark.parametrize("null", [0.01, 0.99])
    def test_rare_events_among_many(self, null: float) -> None:
        """Of 600 only the counts near the end have a chance, whichever end it is."""
        counts = np.arange(30) if null < 0.5 else 600 - np.arange(30)
        chance = stats.binom.pmf(counts, 600, null)
        p = [stats.binomtest(int(count), 600, null).pvalue for count in counts]
        due = chance[np.array(p) <= 0.05].sum()
        assert small_p_size(600, null, 0.05) == pytest.approx(due, rel=1e-9)

    def test_many_counts_are_not_listed(self) -> None:
        assert small_p_size(10_000, 0.5, 0.05) is None


class TestPooledLevel:
    def test_is_the_chance_of_all_tables_that_reject(self) -> None:
        n_a, n_b, rate = 9, 14, 0.3
        level = 0.0
        for a in range(n_a + 1):
            for b in range(n_b + 1):
                chance = stats.binom.pmf(a, n_a, rate) * stats.binom.pmf(b, n_b, rate)
                p = two_proportions_z(a, n_a, b, n_b).p_value
                level += chance * (p is not None and p <= 0.05)
        assert pooled_level(n_a, n_b, rate, 0.05) == pytest.approx(level, abs=1e-12)

    def test_no_rate_and_many_tables(self) -> None:
        assert pooled_level(10, 10, 0.0, 0.05) is None
        assert pooled_level(1000, 1000, 0.5, 0.05) is None


class TestBinomialChances:
    def test_are_those_of_scipy(self) -> None:
        for p in (0.0, 0.3, 1.0):
            assert binomial_chances(20, p) == pytest.approx(stats.binom.pmf(np.arange(21), 20, p))


class TestEffectiveCount:
    def test_equal_sizes_count_all_and_one_counts_itself(self) -> None:
        rows = np.array([[1.0, -1.0, 1.0, -1.0], [0.0, 0.0, 5.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
        assert effective_count(rows).tolist() == [4.0, 1.0, 4.0]

    def test_scale_does_not_matter(self) -> None:
        values = np.random.default_rng(1).normal(size=20)
        assert effective_count(1e-200 * values) == pytest.approx(effective_count(values))
