"""Where a rule begins: the smallest sample that is answered, the count from which a caution is left out.

Each number is that of the method's description or of the rule it cites, written out here again.
"""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import AssayError, NotApplicable
from assay.core.results import Estimate, Interval, TestOutcome
from assay.hypotheses.anova import _two_way, welch_anova
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
from assay.hypotheses.auc_families import ranked_family
from assay.hypotheses.bayes import bayes_signed_rank
from assay.hypotheses.bayes_outcomes import bayes_paired_proportions
from assay.hypotheses.cluster_jackknife import simultaneous_jackknife
from assay.hypotheses.equivalence import tost_measure
from assay.hypotheses.friedman_posthoc import (
    bonferroni_dunn,
    conover_friedman,
    critical_difference,
    nemenyi_from_ranks,
    wilcoxon_pairs,
    wilcoxon_pairs_at,
)
from assay.hypotheses.independent_outcomes import chi_square, fisher_exact, two_proportions_z
from assay.hypotheses.judge_bias import judge_bias
from assay.hypotheses.kruskal_wallis import kruskal_wallis
from assay.hypotheses.label_slopes import _holds_zero
from assay.hypotheses.many_criteria import manova
from assay.hypotheses.many_models import cochran_q, friedman_aligned_ranks, quade
from assay.hypotheses.multiplicity import adjust_pairs, bergmann_hommel, shaffer
from assay.hypotheses.one_model import proportion_z
from assay.hypotheses.pair_families import _log_t_tails, adjusted_outcomes, pair_indices
from assay.hypotheses.paired_measures import paired_measure_permutation
from assay.hypotheses.paired_scores import wilcoxon
from assay.hypotheses.rank_sets import rank_sets
from assay.hypotheses.resampled_scores import dietterich_5x2_t
from assay.hypotheses.roc import _standardised
from assay.hypotheses.runs import _by_normal, _RunsQuestion
from assay.hypotheses.sequential import (
    anytime_mean_difference,
    arriving_bonferroni,
    arriving_level,
    confidence_sequence,
)
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
    def test_a_t_test_of_few_values_is_that_of_scipy(self, variant: Any) -> None:
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


@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("counts", [(3, 12, 9, 14), (9, 14, 3, 12), (0, 8, 5, 9), (4, 4, 1, 6)])
def test_fishers_test_of_one_side_is_scipys(counts: tuple[int, ...], side: Any) -> None:
    a, m, b, n = counts
    due = stats.fisher_exact(np.array([[a, m - a], [b, n - b]]), alternative=side).pvalue
    assert fisher_exact(*counts, alternative=side).p_value == pytest.approx(due, rel=1e-10)


def test_adjustments_of_all_pairs() -> None:
    p = (0.01, 0.04, 0.2, 0.03, 0.5, 0.008)
    assert adjust_pairs(p, method="nemenyi") == pytest.approx([min(6 * one, 1.0) for one in p])
    holm = (
        0.05,
        0.12,
        0.4,
        0.12,
        0.5,
        0.048,
    )  # 6 · 0.008, 5 · 0.01, 4 · 0.03, 3 · 0.04, 2 · 0.2, 0.5
    assert adjust_pairs(p, method="holm") == pytest.approx(holm)
    assert adjust_pairs(p, method="bergmann_hommel") == bergmann_hommel(p)
    assert adjust_pairs(p) == shaffer(p)
    with pytest.raises(AssayError):
        adjust_pairs(p[:5], method="holm")  # five are not all pairs of any number of models


@pytest.mark.parametrize(("adjustment", "df"), [("single-step", 15), ("single-step-inf", np.inf)])
def test_conover_in_a_single_step(adjustment: Any, df: float) -> None:
    """PMCMRplus: frdAllPairsConoverTest(p.adjust = "single-step"), by its formula."""
    table = np.random.default_rng(2).normal([0.0, 0.5, 1.0, 2.0], size=(6, 4))
    ranks = stats.rankdata(-table, axis=1)
    means = ranks.mean(axis=0)
    error = np.sqrt(2 * ((ranks**2).sum() - 6 * (means**2).sum()) / (6 * 15))
    found = conover_friedman(table, adjustment=adjustment)
    pairs = list(zip(*np.triu_indices(4, 1), strict=True))
    due = [
        stats.studentized_range.sf(abs(means[a] - means[b]) / error * math.sqrt(2), 4, df)
        for a, b in pairs
    ]
    assert [one.p_value for one in found.outcomes] == pytest.approx(due, rel=1e-6)
    assert found.adjustment == "single-step"


def test_pairs_at_levels_of_their_own_are_single_tests() -> None:
    table = np.round(np.random.default_rng(4).normal(0.8, 0.05, size=(14, 3)), 3)
    levels = [0.9, 0.95, 0.99]
    found = wilcoxon_pairs_at(table, wilcoxon_pairs(table), levels)
    for (a, b), level, one in zip([(0, 1), (0, 2), (1, 2)], levels, found.outcomes, strict=True):
        alone = wilcoxon(table[:, a], table[:, b], level=level)
        assert one.p_value == pytest.approx(alone.p_value)
        own, due = one.effect.interval, alone.effect.interval
        assert own is not None
        assert due is not None
        assert (own.low, own.high) == pytest.approx((due.low, due.high))


@pytest.mark.parametrize(
    ("value", "side", "due"),
    [
        (0.1, "greater", 2.0),
        (0.1, "less", 3.0),
        (0.1, "two-sided", 2.0),
        (-0.1, "greater", -3.0),
        (-0.1, "less", -2.0),
        (-0.1, "two-sided", -2.0),
        (0.01, "two-sided", 0.0),
    ],
)
def test_what_bins_leave_of_a_difference(value: float, side: Any, due: float) -> None:
    """Up to 0.02 may be the bins', and the standard error is 0.04 at most."""
    facts = {"bin_bound": 0.02, "largest_error": 0.04}
    assert _standardised(value, 0.03, facts, side) == pytest.approx(due)
    assert _standardised(value, 0.05, {}, side) == pytest.approx(value / 0.05)


class TestArrivals:
    @pytest.mark.parametrize("arrival", [1, 2, 7])
    def test_a_p_value_at_its_level_is_adjusted_to_alpha(self, arrival: int) -> None:
        p = [1.0] * (arrival - 1) + [1.0 - arriving_level(arrival, 0.95)]
        assert arriving_bonferroni(p)[-1] == pytest.approx(0.05)

    def test_all_shares_are_alpha(self) -> None:
        spent = math.fsum(1.0 - arriving_level(k, 0.9) for k in range(1, 20_001))
        assert spent == pytest.approx(0.1, abs=1e-5)


def test_a_sequence_of_many_values_is_hardly_wider() -> None:
    """Values are moved outwards by a thousandth of the range at most, and never inwards."""
    differences = np.random.default_rng(5).uniform(-0.7, 0.9, size=3000)
    looks, low, high = confidence_sequence(differences, bound=2.0, level=0.95)
    interval = anytime_mean_difference(differences, bound=2.0).effect.interval
    assert interval is not None
    assert (looks[0], looks[-1], len(set(looks.tolist()))) == (1, 3000, len(looks))
    assert interval.low - 2 * 2.0 / 1000 <= low[-1] <= interval.low
    assert interval.high <= high[-1] <= interval.high + 2 * 2.0 / 1000


def test_quade_where_all_blocks_agree() -> None:
    """Equal ranges weigh alike; of (3!)² ways to order the other two blocks one is as extreme."""
    table = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.5, 0.6, 0.7]])
    assert quade(table).p_value == pytest.approx(1 / 36)


def test_aligned_ranks_of_garcia() -> None:
    """Garcia et al. (2010), with the sum of squares of untied ranks; the table has ties."""
    table = np.array([[0.5, 0.7, 0.9], [0.4, 0.6, 0.5], [0.8, 0.8, 0.9], [0.2, 0.5, 0.8]])
    n, k = table.shape
    aligned = np.round(table - table.mean(axis=1, keepdims=True), 12)
    ranks = stats.rankdata(-aligned).reshape(n, k)
    size = n * k
    top = (k - 1) * ((ranks.sum(axis=0) ** 2).sum() - k * n**2 / 4 * (size + 1) ** 2)
    rows = (ranks.sum(axis=1) ** 2).sum() / k
    printed = top / (size * (size + 1) * (2 * size + 1) / 6 - rows)
    tied = top / ((ranks**2).sum() - rows)
    found = friedman_aligned_ranks(table, variant="garcia")
    assert found.statistic == pytest.approx(printed)
    assert found.p_value == pytest.approx(stats.chi2.sf(printed, k - 1))
    assert friedman_aligned_ranks(table).statistic == pytest.approx(tied)


def test_areas_that_nothing_tells_apart_are_bounded_by_the_rarer_class() -> None:
    """As the score limit of none in six: z²/(6 + z²), z of the three pairs by Bonferroni."""
    rng = np.random.default_rng(6)
    truth = np.repeat([1, 0], [6, 30])
    same = rng.normal(size=36)
    columns = {"truth": truth, "a": same, "b": same.copy(), "c": rng.normal(size=36)}
    evidence: Any = assay.read(columns, truth="truth", positive=1)
    pairs = (("a", "b"), ("a", "c"), ("b", "c"))
    found = ranked_family(
        evidence, pairs, measure="gini", level=0.9, n_resamples=199, seed=1
    ).outcomes[0]
    z = stats.norm.isf(0.1 / 6)
    half = 2 * z**2 / (6 + z**2)
    interval = found.effect.interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((-half, half))
    assert (found.p_value, found.statistic, codes(found)) == (1.0, 0.0, {"no-disagreement"})


@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_swaps_of_a_measure_of_rows_by_all_ways(side: Any) -> None:
    """The median absolute error of eight items, whose answers are swapped in 256 ways."""
    rng = np.random.default_rng(8)
    truth, a, b = rng.normal(size=8), rng.normal(size=8), rng.normal(size=8)

    def difference(ways: tuple[int, ...]) -> float:
        swapped = np.array(ways, dtype=bool)
        mine, theirs = np.where(swapped, b, a), np.where(swapped, a, b)
        return float(np.median(np.abs(mine - truth)) - np.median(np.abs(theirs - truth)))

    seen = difference((0,) * 8)
    all_ways = np.array([difference(ways) for ways in product((0, 1), repeat=8)])
    far = {
        "greater": all_ways >= seen - 1e-12,
        "less": all_ways <= seen + 1e-12,
        "two-sided": np.abs(all_ways) >= abs(seen) - 1e-12,
    }
    evidence = {"truth": truth, "a": a, "b": b}
    found = paired_measure_permutation(
        evidence, measure="median_ae", alternative=side, n_resamples=4000, rng=1
    )
    assert found.p_value == pytest.approx(far[side].mean(), abs=0.03)
    assert found.effect.value == pytest.approx(seen)


def test_each_pair_has_the_interval_of_its_own_step() -> None:
    """Holm's steps at 5 %: the smallest of three p-values at 5/3 %, the next at 5/2 %, the last at 5 %."""
    sizes = {("a", "b"): 3.0, ("a", "c"): 2.3, ("b", "c"): 0.7, ("b", "d"): math.nan}

    def run(a: str, b: str, level: float) -> TestOutcome:
        z, reach = sizes[a, b], stats.norm.isf((1 - level) / 2)
        interval = Interval(low=z - reach, high=z + reach, level=level, method="z")
        effect = Estimate(measure="m", value=z, interval=interval, method="z", n=9, unit="item")
        p = None if math.isnan(z) else 2 * stats.norm.sf(z)
        return TestOutcome(method="z", statistic=z, p_value=p, effect=effect)

    found = adjusted_outcomes(run, list(sizes), level=0.95)
    raw = [2 * stats.norm.sf(z) for z in (3.0, 2.3, 0.7)]
    assert [one.p_value for one in found[:3]] == pytest.approx([3 * raw[0], 2 * raw[1], raw[2]])
    for one, z, share in zip(found, (3.0, 2.3, 0.7), (3, 2, 1), strict=False):
        interval = one.effect.interval
        assert interval is not None
        assert interval.level == 0.95
        assert interval.low == pytest.approx(z - stats.norm.isf(0.05 / share / 2))
        assert dict(one.details)["individual_level"] == pytest.approx(1 - 0.05 / share)
    assert [dict(one.details)["p_unadjusted"] for one in found[:3]] == pytest.approx(raw)
    assert found[3].p_value is None
    assert [one.p_value for one in adjusted_outcomes(run, [("b", "d")], level=0.95)] == [None]


def test_tails_of_t_so_far_out_that_they_are_no_floats() -> None:
    """Of 1 degree of freedom 2 atan(1/t)/π, of 2 it is 2/(r (r + t)), r = √(t² + 2)."""
    t = np.array([3.0, 1e3, 1e20])
    assert _log_t_tails(t, 1.0) == pytest.approx(np.log(2 * np.arctan(1 / t) / np.pi))
    root = np.sqrt(t**2 + 2)
    assert _log_t_tails(t, 2.0) == pytest.approx(np.log(2 / (root * (root + t))))
    assert _log_t_tails(np.array([4.0]), 7.0) == pytest.approx(np.log(2 * stats.t.sf(4.0, 7)))


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_the_normal_approximation_of_signed_ranks_when_asked_for(side: Any) -> None:
    values = np.array([0.3, -0.1, 0.8, 1.1, -0.4, 0.9, 0.2])
    due = stats.wilcoxon(values, alternative=side, method="approx", correction=False).pvalue
    exact = stats.wilcoxon(values, alternative=side, method="exact").pvalue
    assert wilcoxon(values, method="normal", alternative=side).p_value == pytest.approx(due)
    assert wilcoxon(values, method="exact", alternative=side).p_value == pytest.approx(exact)


def test_the_five_times_two_t_has_the_first_difference_above() -> None:
    table = np.array([[0.3, 0.1], [0.2, 0.25], [0.05, 0.1], [0.15, 0.4], [-0.1, 0.2]])
    halved = table.var(axis=1, ddof=1)
    t = 0.3 / math.sqrt(halved.mean())
    found = dietterich_5x2_t(table)
    assert found.statistic == pytest.approx(t)
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, 5))
    facts = dict(found.details)
    assert facts["first_difference"] == 0.3
    assert facts["mean_difference"] == pytest.approx(table.mean())
    assert [facts[f"variance_{k}"] for k in range(1, 6)] == pytest.approx(halved)
    assert (found.effect.n, facts["df"]) == (10, 5)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_pseudo_median_of_differences_of_one_sign_has_that_sign(sign: float) -> None:
    values = sign * np.array([0.1, 0.2, 0.25, 0.4, 0.9, 1.6])
    effect = bayes_signed_rank(values, n_resamples=2000, rng=1).effect
    assert effect.interval is not None
    assert effect.value is not None
    ends = sorted([sign * effect.interval.low, sign * effect.interval.high])
    assert 0.1 <= ends[0] < sign * effect.value < ends[1] <= 1.6
    assert effect.interval.low < effect.interval.high


@pytest.mark.parametrize("center", ["median", "mean"])
def test_both_centres_of_levene_are_scipys(center: Any) -> None:
    groups = [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 9.0]]
    due = stats.levene(*groups, center=center)
    outcome = levene(groups, center=center)
    assert (outcome.statistic, outcome.p_value) == pytest.approx((due.statistic, due.pvalue))


@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_one_end_of_an_odds_ratio(side: Any) -> None:
    facts = dict(fisher_exact(10, 12, 3, 18, alternative=side).details)
    due = stats.contingency.odds_ratio([[10, 2], [3, 15]], kind="conditional")
    ends = due.confidence_interval(0.95, alternative=side)
    assert (facts["odds_ratio_low"], facts["odds_ratio_high"]) == pytest.approx(ends, rel=1e-6)


@pytest.mark.parametrize(
    ("low", "high", "side", "due"),
    [
        (-1.0, 1.0, "two-sided", True),
        (0.1, 1.0, "two-sided", False),
        (-1.0, -0.1, "two-sided", False),
        (-1.0, -0.5, "greater", True),  # no upper end
        (0.1, 1.0, "greater", False),
        (0.1, 1.0, "less", True),  # no lower end
        (-1.0, -0.1, "less", False),
        (0.0, 0.0, "two-sided", True),
    ],
)
def test_which_ends_keep_zero(low: float, high: float, side: Any, due: bool) -> None:
    assert _holds_zero(low, high, side) is due


def test_who_may_be_best() -> None:
    """Of a clear leader nobody else; of equals all."""
    rng = np.random.default_rng(3)
    noise = rng.normal(0.0, 0.01, size=(30, 4))
    lead = rank_sets(noise + np.array([0.9, 0.8, 0.7, 0.6]), n_resamples=400, rng=1)
    assert [dict(one.details)["may_be_best"] for one in lead.estimates] == [True] + [False] * 3
    equal = rank_sets(noise + 0.5, n_resamples=400, rng=1)
    assert all(dict(one.details)["may_be_best"] for one in equal.estimates)


def test_a_normal_approximation_that_was_asked_for_is_not_noted() -> None:
    many = np.random.default_rng(1).normal(size=3000)
    assert "normal-used" in codes(wilcoxon(many))
    assert "normal-used" not in codes(wilcoxon(many, method="normal"))
    assert "normal-used" not in codes(wilcoxon(many[:9]))


def test_items_on_which_two_models_agree() -> None:
    facts = dict(bayes_paired_proportions(30, 4, 9, 7).details)
    assert (facts["agree"], facts["only_a"], facts["only_b"]) == (37, 4, 9)


def test_mckeons_f_of_the_trace_is_that_of_statsmodels() -> None:
    multivariate = pytest.importorskip("statsmodels.multivariate.manova")
    rng = np.random.default_rng(3)
    groups = [rng.normal(shift, 1.0, size=(9, 2)) for shift in (0.0, 0.4, 0.8)]
    design = np.repeat(np.eye(3), 9, axis=0)
    fit = multivariate.MANOVA(np.vstack(groups), design)
    contrast = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]])
    table = fit.mv_test([("groups", contrast)]).results["groups"]["stat"]
    row = table.loc["Hotelling-Lawley trace"]
    facts = dict(manova(groups).details)
    assert facts["mckeon"] == pytest.approx(float(row["Value"]))
    assert facts["mckeon_df2"] == pytest.approx(float(row["Den DF"]))
    assert facts["mckeon_p"] == pytest.approx(float(row["Pr > F"]), rel=1e-6)


class TestNormalBoundOfRuns:
    settings = _RunsQuestion(
        method="aso", variant="normal", null=0.5, level=0.95, n_resamples=5, seed=1, comparisons=2
    )
    replicates = np.array([0.1, 0.3, 0.2, 0.4, 0.5])

    def test_is_a_normal_quantile_of_standard_errors(self) -> None:
        """Two comparisons share 5 %; the standard deviation of five replicates has four in it."""
        error = math.sqrt(0.1 / 4)
        p_value, high, _ = _by_normal(0.2, self.replicates, self.settings)
        assert high == pytest.approx(0.2 + stats.norm.isf(0.025) * error)
        assert p_value == pytest.approx(stats.norm.cdf((0.2 - 0.5) / error))

    def test_a_ratio_is_at_most_one(self) -> None:
        assert _by_normal(0.9, self.replicates, self.settings)[1] == 1.0

    def test_replicates_that_do_not_vary_have_none(self) -> None:
        found = _by_normal(0.2, np.full(5, 0.3), self.settings)
        assert found[:2] == (None, None)


def test_copies_are_alike_and_others_are_not() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, size=60)
    a = np.where(rng.random(60) < 0.2, 1 - truth, truth)
    c = np.where(rng.random(60) < 0.4, 1 - truth, truth)
    columns = {"truth": truth, "a": a, "b": a.copy(), "c": c, "g": np.arange(60) // 5}
    evidence: Any = assay.read(columns, truth="truth", cluster="g")
    found = simultaneous_jackknife(evidence, n_resamples=200, rng=1)
    alike = {pair for pair, one in zip(found.pairs, found.outcomes, strict=True)
             if "no-disagreement" in codes(one)}  # fmt: skip
    assert alike == {("a", "b")}


def test_differences_that_are_all_zero_are_counted() -> None:
    facts = dict(wilcoxon(np.zeros(7)).details)
    assert (facts["n"], facts["n_nonzero"], facts["n_zero"]) == (7, 0, 7)


def test_the_error_of_sampled_probabilities_is_binomial() -> None:
    found = bayes_signed_rank([0.1, -0.2, 0.3, 0.4, -0.1], rope=0.05, n_resamples=900, rng=2)
    shares = (found.p_left, found.p_rope, found.p_right)
    due = max(math.sqrt(p * (1 - p) / 900) for p in shares)
    assert dict(found.details)["monte_carlo_error"] == pytest.approx(due)


@pytest.mark.parametrize("swapped", [False, True])
def test_equivalence_in_a_measure_is_the_interval_of_the_same_draws(swapped: bool) -> None:
    """Whichever model leads: p is below 5 % exactly where the 90 % interval lies within the margin."""
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, size=150)
    a = np.where(rng.random(150) < 0.15, rng.integers(0, 3, size=150), truth)
    b = np.where(rng.random(150) < 0.25, rng.integers(0, 3, size=150), truth)
    columns = {"truth": truth, "a": b if swapped else a, "b": a if swapped else b}
    asked: dict[str, Any] = {"measure": "f1_macro", "n_resamples": 999, "rng": 3}
    interval = tost_measure(columns, margin=0.2, **asked).effect.interval
    assert interval is not None
    edge = max(abs(interval.low), abs(interval.high))
    assert (tost_measure(columns, margin=edge * 1.001, **asked).p_value or 1.0) <= 0.05
    assert (tost_measure(columns, margin=edge * 0.999, **asked).p_value or 0.0) > 0.05


@pytest.mark.parametrize("null", [0.0, 1.0, -0.5, 1.5])
def test_a_rate_of_a_z_test_lies_between_the_ends(null: float) -> None:
    with pytest.raises(AssayError, match="null is an error rate"):
        proportion_z(3, 10, null=null)


def test_the_first_of_all_looks_that_decide() -> None:
    """All differences are the largest: the wealth only grows, so it stays decided from some n on."""
    facts = dict(anytime_mean_difference(np.ones(60), bound=1.0).details)
    first = int(facts["first_n"])  # type: ignore[arg-type]
    assert 2 < first < 30

    def decided(n: int) -> bool:
        return (anytime_mean_difference(np.ones(n), bound=1.0).p_value or 0.0) <= 0.05

    assert decided(first)
    assert not decided(first - 1)


@pytest.mark.parametrize(
    ("errors", "n", "null"), [(30, 100, 0.25), (20, 100, 0.25), (25, 100, 0.25)]
)
def test_a_corrected_z_of_one_rate(errors: int, n: int, null: float) -> None:
    """R: prop.test(errors, n, null, correct = TRUE): half an error less, but never across zero."""
    distance = errors - n * null
    less = math.copysign(max(abs(distance) - 0.5, 0.0), distance)
    z = less / math.sqrt(n * null * (1 - null))
    found = proportion_z(errors, n, null=null, correct=True)
    assert found.statistic == pytest.approx(z, abs=1e-12)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    facts = dict(found.details)
    assert (facts["z_cc"], facts["chi2_cc"]) == pytest.approx((z, z * z), abs=1e-12)


def test_the_observed_way_counts_among_the_drawn_ones() -> None:
    """So many rows that their swaps are drawn: with B draws p-values are multiples of 1/(B + 1)."""
    rng = np.random.default_rng(2)
    truth, other = rng.integers(0, 5, size=(2, 500))
    columns = {"truth": truth}
    for model, error in (("a", 0.3), ("b", 0.32)):
        columns[model] = np.where(rng.random(500) < error, other, truth)
    found = paired_measure_permutation(columns, measure="f1_macro", n_resamples=49, rng=1)
    assert found.p_value is not None
    assert 2 / 50 < found.p_value < 1.0
    assert 50 * found.p_value == pytest.approx(round(50 * found.p_value))


def test_p_values_of_many_areas_are_shares_of_the_draws_and_the_observed_one() -> None:
    rng = np.random.default_rng(6)
    truth = np.repeat([1, 0], [40, 60])
    columns = {"truth": truth, "a": truth + rng.normal(size=100), "b": rng.normal(size=100)}
    evidence: Any = assay.read(columns, truth="truth", positive=1)
    found = ranked_family(
        evidence, (("a", "b"),), measure="roc_auc", level=0.9, n_resamples=99, seed=1
    ).outcomes[0]
    assert found.p_value is not None
    assert 100 * found.p_value == pytest.approx(round(100 * found.p_value))


def test_the_least_p_value_of_nemenyi_is_that_of_opposite_ranks() -> None:
    """Of 3 data sets and 4 models the first and the last differ by 3 ranks at most: out of reach at 5 %."""
    error = math.sqrt(4 * 5 / (6 * 3))
    least = stats.studentized_range.sf(math.sqrt(2) * 3 / error, 4, np.inf)
    noted = {one.code: one.message for one in nemenyi_from_ranks([1, 2, 3, 4], 3).notes}
    assert least < 0.05
    assert "cannot-reach-alpha" not in noted
    two = {one.code for one in nemenyi_from_ranks([1, 2, 3, 4], 2).notes}
    assert stats.studentized_range.sf(math.sqrt(2) * 3 / math.sqrt(20 / 12), 4, np.inf) > 0.05
    assert "cannot-reach-alpha" in two


def test_sums_of_squares_of_a_table_without_a_rest() -> None:
    """Rows 0, 1, 2 and columns 0, 3 added: squares of means about theirs, times the other size."""
    table = np.add.outer([0.0, 1.0, 2.0], [0.0, 3.0])
    sums, flat = _two_way(table)
    assert flat
    assert sums == pytest.approx(
        {"ss_models": 3 * 2 * 1.5**2, "ss_blocks": 2 * 2.0, "ss_error": 0.0}
    )
    table[0, 0] += 0.6
    sums, flat = _two_way(table)
    assert not flat
    assert sums["ss_error"] == pytest.approx(0.6**2 * (2 / 3) * (1 / 2))


def test_pairs_that_are_kept_cannot_be_written_to() -> None:
    for places in pair_indices(("a", "b", "c"), None):
        with pytest.raises(ValueError, match="read-only"):
            places[0] = 2


def test_items_that_all_models_get_right_or_wrong_tell_nothing() -> None:
    table = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]])
    assert dict(cochran_q(table).details)["informative"] == 3


def test_the_first_model_is_the_control_unless_another_is_named() -> None:
    table = np.random.default_rng(1).normal(size=(8, 3))
    assert [pair[1] for pair in bonferroni_dunn(table).pairs] == ["model 1"] * 2
    assert [pair[1] for pair in bonferroni_dunn(table, control=2).pairs] == ["model 3"] * 2
