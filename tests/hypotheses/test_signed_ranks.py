"""What stands beside Wilcoxon's p-value: SciPy's sums and approximations, and notes where they are due."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.results import TestOutcome
from assay.core.vocabulary import Alternative

PLAIN = np.array([1.2, -0.4, 2.5, 3.1, -1.7, 0.6, 4.4, -0.9, 2.2])
TIED = np.array([1.0, -1.0, 2.0, 2.0, -3.0, 4.0, 4.0, 5.0, 0.0, 0.0, 6.0])


def codes(outcome: TestOutcome) -> set[str]:
    return {one.code for one in outcome.notes}


def scipys(
    values: np.ndarray, side: Alternative, *, correction: bool = False
) -> tuple[float, float]:
    found: Any = stats.wilcoxon(values, alternative=side, method="approx", correction=correction)
    return float(found.zstatistic), float(found.pvalue)


class TestDetails:
    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    @pytest.mark.parametrize("values", [PLAIN, TIED], ids=["plain", "tied"])
    def test_approximations_as_scipy(self, values: np.ndarray, side: Alternative) -> None:
        facts = dict(assay.wilcoxon(values, alternative=side).details)
        z, p = scipys(values, side)
        assert abs(facts["z"]) == pytest.approx(abs(z))
        assert facts["asymptotic_p"] == pytest.approx(p)
        assert facts["log10_p"] == pytest.approx(np.log10(p))
        assert facts["asymptotic_cc_p"] == pytest.approx(scipys(values, side, correction=True)[1])

    @pytest.mark.parametrize("values", [PLAIN, TIED], ids=["plain", "tied"])
    def test_sums_of_ranks(self, values: np.ndarray) -> None:
        facts = dict(assay.wilcoxon(values).details)
        kept = values[values != 0.0]
        ranks = stats.rankdata(np.abs(kept))
        plus, minus = ranks[kept > 0].sum(), ranks[kept < 0].sum()
        assert (facts["W_plus"], facts["W_minus"]) == (plus, minus)
        assert facts["T_min"] == min(plus, minus)
        assert facts["n"] == values.size
        assert facts["n_nonzero"] == kept.size
        assert facts["n_zero"] == values.size - kept.size
        assert facts["ties"] == (np.unique(np.abs(kept)).size < kept.size)

    @pytest.mark.parametrize("values", [PLAIN, TIED], ids=["plain", "tied"])
    def test_zeros_shared_out_as_demsar_does(self, values: np.ndarray) -> None:
        facts = dict(assay.wilcoxon(values).details)
        ranks = stats.rankdata(np.abs(values))
        half = ranks[values == 0.0].sum() / 2
        assert facts["R_plus"] == ranks[values > 0].sum() + half
        assert facts["R_minus"] == ranks[values < 0].sum() + half
        least, n = min(facts["R_plus"], facts["R_minus"]), values.size
        z = (least - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)  # Demšar (2006)
        assert facts["z_demsar"] == pytest.approx(z)

    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    def test_exact_as_scipy(self, side: Alternative) -> None:
        facts = dict(assay.wilcoxon(PLAIN, alternative=side).details)
        expected = stats.wilcoxon(PLAIN, alternative=side, method="exact").pvalue
        assert facts["exact_p"] == pytest.approx(expected)


class TestNotes:
    @pytest.mark.parametrize(("level", "just"), [(0.9, 5), (0.95, 6), (0.98, 7), (0.99, 8)])
    def test_so_few_that_only_agreement_reaches_the_level(self, level: float, just: int) -> None:
        """The p-value of n differences of one sign is 2^(1-n); with one of the smallest turned it is twice that."""
        for n in range(just - 1, just + 2):
            found = assay.wilcoxon(np.sqrt(np.arange(2.0, n + 2.0)), level=level)
            assert ("few-for-the-level" in codes(found)) == (n == just)

    def test_zeros_may_leave_too_few(self) -> None:
        values = np.sqrt(np.arange(2.0, 7.0))
        assert "few-for-the-level" not in codes(assay.wilcoxon(values))
        assert "few-for-the-level" in codes(assay.wilcoxon(np.append(values, [0.0, 0.0])))

    @pytest.mark.parametrize(("distinct", "coarse"), [(9, True), (10, False)])
    def test_values_that_come_again_and_again(self, distinct: int, coarse: bool) -> None:
        """Fewer than a fourth as many values as differences; two lie close, so that steps are small."""
        sizes = np.append(np.linspace(-3.0, 9.0, distinct - 1), 0.0001 - 3.0)
        values = np.resize(sizes, 40)
        assert ("ties-coarse" in codes(assay.wilcoxon(values))) == coarse

    def test_steps_of_more_than_a_sixth_of_the_interval(self) -> None:
        values = np.array([-1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, -2.0, 9.0, -3.0])
        interval = assay.wilcoxon(values).effect.interval
        assert interval is not None
        assert ("ties-coarse" in codes(assay.wilcoxon(values))) == (interval.width < 6.0 * 1.0)
        finer = np.append(values, [0.5, 1.5, 2.5, 3.5])
        interval = assay.wilcoxon(finer).effect.interval
        assert interval is not None
        assert ("ties-coarse" in codes(assay.wilcoxon(finer))) == (interval.width < 6.0 * 0.5)

    def test_one_and_the_same_difference(self) -> None:
        found = assay.wilcoxon(np.full(9, 0.5))
        assert "zero-variance" in codes(found)
        assert "ties-coarse" not in codes(found)
        assert found.p_value == pytest.approx(2.0 ** (1 - 9))

    @pytest.mark.parametrize(("way", "said"), [("auto", True), ("normal", False)])
    def test_the_normal_approximation_is_said_where_it_was_not_asked_for(
        self, way: str, said: bool
    ) -> None:
        values = np.random.default_rng(1).normal(0.1, 1.0, 4_000)
        assert ("normal-used" in codes(assay.wilcoxon(values, method=way))) == said


def test_the_estimate_is_the_median_of_walsh_averages() -> None:
    found = assay.wilcoxon(PLAIN)
    i, j = np.triu_indices(PLAIN.size)
    assert found.effect.value == pytest.approx(np.median((PLAIN[i] + PLAIN[j]) / 2.0))
    assert found.effect.n == PLAIN.size
