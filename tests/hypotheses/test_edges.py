"""Where a rule begins: the smallest sample that is answered, the count from which a caution is left out.

Each number is that of the method's description or of the rule it cites, written out here again.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from assay.core.errors import AssayError, NotApplicable
from assay.hypotheses.anova import welch_anova
from assay.hypotheses.assumptions import (
    anderson_darling,
    bartlett,
    dagostino,
    levene,
    lilliefors,
    mauchly,
    qq_points,
    shapiro_wilk,
)
from assay.hypotheses.independent_outcomes import chi_square, fisher_exact, two_proportions_z
from assay.hypotheses.judge_bias import judge_bias
from assay.hypotheses.posthoc import critical_difference, nemenyi_from_ranks
from assay.hypotheses.rank_groups import kruskal_wallis
from assay.hypotheses.two_samples import mann_whitney, two_sample_t

UNEVEN = np.array([0.0, 1.0, 3.0, 4.5, 7.0, 7.5, 9.0, 13.0, 14.0])


def codes(outcome: Any) -> set[str]:
    return {one.code for one in (*outcome.notes, *outcome.effect.notes)}


@pytest.mark.parametrize(
    ("check", "least"),
    [(shapiro_wilk, 3), (lilliefors, 5), (dagostino, 8), (anderson_darling, 8)],
)
def test_the_smallest_sample_of_a_test_of_normality(check: Callable[..., Any], least: int) -> None:
    """R's shapiro.test wants 3, nortest's lillie.test 5 and ad.test 8, SciPy's normaltest 8."""
    assert check(UNEVEN[:least]).p_value is not None
    short = check(UNEVEN[: least - 1])
    assert short.p_value is None
    assert codes(short) == {"too-few-values"}


def test_the_largest_sample_of_shapiro_and_wilk() -> None:
    values = np.random.default_rng(1).normal(size=5000)
    assert shapiro_wilk(values).statistic == pytest.approx(stats.shapiro(values).statistic)


@pytest.mark.parametrize(("n", "offset"), [(10, 3 / 8), (11, 1 / 2)])
def test_positions_of_normal_quantiles_change_after_ten_values(n: int, offset: float) -> None:
    """R's ppoints."""
    due = stats.norm.ppf((np.arange(1, n + 1) - offset) / (n + 1 - 2 * offset))
    assert qq_points(np.arange(float(n))).column("normal") == pytest.approx(due)


def test_as_many_blocks_as_models_are_enough_for_mauchly() -> None:
    table = np.random.default_rng(1).normal(size=(4, 4))
    assert mauchly(table).p_value is not None
    with pytest.raises(NotApplicable):
        mauchly(table[:3])


@pytest.mark.parametrize("check", [levene, bartlett])
def test_two_values_have_a_spread(check: Callable[..., Any]) -> None:
    outcome = check([[0.0, 1.0], [0.0, 3.0, 6.0]])
    assert outcome.effect.value == pytest.approx(3.0 / np.sqrt(0.5))


class TestCountsExpected:
    """Cochran's rule: the chi-square is good from five expected on."""

    def test_of_a_table(self) -> None:
        assert "small-expected" not in codes(chi_square([[5, 5], [5, 5]]))
        assert "small-expected" in codes(chi_square([[4, 5], [5, 6]]))

    def test_of_two_rates(self) -> None:
        assert "small-expected" not in codes(two_proportions_z(5, 10, 5, 10))
        assert "small-expected" not in codes(two_proportions_z(15, 20, 15, 20))
        assert "small-expected" in codes(two_proportions_z(4, 10, 5, 10))


@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (2, 5)])
def test_cramers_v_of_a_wide_or_a_long_table(shape: tuple[int, int]) -> None:
    table = np.random.default_rng(3).integers(5, 30, size=shape)
    due = stats.contingency.association(table, method="cramer", correction=False)
    assert chi_square(table).effect.value == pytest.approx(due)


@pytest.mark.parametrize("errors", [(1, 9_999), (3, 400_000)])
def test_an_odds_ratio_of_thousands(errors: tuple[int, int]) -> None:
    """Far from where the search for it begins."""
    few, many = errors
    found = dict(fisher_exact(few, many + 1, many, many + 1).details)
    due = stats.contingency.odds_ratio([[few, many + 1 - few], [many, 1]], kind="conditional")
    assert found["odds_ratio"] == pytest.approx(due.statistic, rel=1e-6)
    ends = due.confidence_interval(0.95)
    assert (found["odds_ratio_low"], found["odds_ratio_high"]) == pytest.approx(ends, rel=1e-6)


def test_four_items_are_enough_for_a_bias_of_the_judge() -> None:
    errors, covariate = [0.1, -0.2, 0.4, 0.3], [1.0, 2.0, 3.0, 5.0]
    assert judge_bias(errors, covariate).effect.n == 4
    with pytest.raises(AssayError, match="four items"):
        judge_bias(errors[:3], covariate[:3])
    with pytest.raises(AssayError, match="four items"):
        judge_bias(errors, [*covariate, 6.0])


def test_epsilon_squared_is_h_over_all_but_one() -> None:
    groups = [[1.0, 2.0, 5.0], [3.0, 4.0, 8.0, 9.0], [6.0, 7.0, 10.0]]
    outcome = kruskal_wallis(groups)
    h = stats.kruskal(*groups).statistic
    assert outcome.statistic == pytest.approx(h)
    assert outcome.effect.value == pytest.approx(h / 9)


def test_mean_ranks_may_be_off_by_what_two_decimals_explain() -> None:
    """Three ranks of two decimals are off by 0.015 at most: 6 is due."""
    assert "ranks-do-not-sum" not in {
        one.code for one in nemenyi_from_ranks([1.5149, 2.0, 2.5], 20).notes
    }
    assert "ranks-do-not-sum" in {
        one.code for one in nemenyi_from_ranks([1.516, 2.0, 2.5], 20).notes
    }


def test_critical_differences_of_demsar() -> None:
    """Demšar (2006), table 5: q of 2 models 1.960, of 10 models 3.164 (Nemenyi) and 2.773 (Dunn)."""
    assert critical_difference(2, 1) == pytest.approx(1.960 * np.sqrt(2 * 3 / 6), abs=1e-3)
    assert critical_difference(10, 30) == pytest.approx(3.164 * np.sqrt(110 / 180), abs=1e-3)
    dunn = critical_difference(10, 30, kind="bonferroni-dunn")
    assert dunn == pytest.approx(2.773 * np.sqrt(110 / 180), abs=1e-3)


class TestTwoSamples:
    def test_both_counts_of_mann_and_whitney(self) -> None:
        a, b = [1.0, 4.0, 4.0, 9.0], [2.0, 4.0, 5.0]
        found = dict(mann_whitney(a, b).details)
        assert found["U_a"] == stats.mannwhitneyu(a, b).statistic
        assert found["U_b"] == stats.mannwhitneyu(b, a).statistic
        assert found["auc"] == pytest.approx(stats.mannwhitneyu(a, b).statistic / 12)
        assert (found["n_a"], found["n_b"], found["ties"]) == (4, 3, True)
        assert dict(mann_whitney([1.0, 3.0], [2.0, 4.0]).details)["ties"] is False

    @pytest.mark.parametrize("variant", ["welch", "pooled"])
    def test_a_t_test_of_few_values_is_that_of_scipy(self, variant: str) -> None:
        a, b = [1.0, 4.0], [2.0, 3.0, 9.0]
        due = stats.ttest_ind(a, b, equal_var=variant == "pooled")
        outcome = two_sample_t(a, b, variant=variant)
        assert outcome.statistic == pytest.approx(due.statistic)
        assert outcome.p_value == pytest.approx(due.pvalue)
        ends = due.confidence_interval(0.95)
        interval = outcome.effect.interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(tuple(ends))

    def test_one_value_has_no_spread_of_its_own(self) -> None:
        assert codes(two_sample_t([1.0], [2.0, 5.0], variant="welch")) == {"single-value"}
        assert codes(two_sample_t([1.0], [2.0], variant="pooled")) == {"single-value"}
        pooled = two_sample_t([1.0], [2.0, 5.0], variant="pooled")
        assert pooled.p_value == pytest.approx(stats.ttest_ind([1.0], [2.0, 5.0]).pvalue)


def test_a_group_of_two_is_enough_for_welch() -> None:
    assert welch_anova([[1.0, 2.0], [3.0, 5.0], [1.0, 4.0]]).p_value is not None
    with pytest.raises(AssayError):
        welch_anova([[1.0], [3.0, 5.0], [1.0, 4.0]])
