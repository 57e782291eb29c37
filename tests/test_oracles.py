"""Fresh random evidence, ties and zeros and small n included, against SciPy and statsmodels to 1e-9."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats import proportion as rates
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.contingency_tables import mcnemar as other_mcnemar
from statsmodels.stats.diagnostic import normal_ad
from statsmodels.stats.multivariate import test_mvmean as mean_vector
from statsmodels.stats.multivariate import test_mvmean_2indep as mean_vectors
from statsmodels.stats.oneway import anova_oneway

import assay
from tests.support import agree

SEEDS = range(12)
SIDES: tuple[Any, ...] = ("two-sided", "greater", "less")
THEIRS = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


def same(actual: Any, expected: Any, rtol: float = 1e-9) -> None:
    assert agree(actual, expected, rtol, atol=1e-13), (actual, expected)


def drawn(rng: np.random.Generator, n: int) -> NDArray[Any]:
    """Continuous, or rounded so that ties and zeros occur, on some scale."""
    values = rng.normal(size=n) * rng.choice([1e-3, 1.0, 100.0])
    return np.asarray(np.round(values, int(rng.integers(0, 3))) if rng.random() < 0.5 else values)


def tail(values: NDArray[Any], seen: float, side: str, centre: float = 0.0) -> float:
    """The share of all outcomes at least as extreme as the one seen."""
    slack = 1e-9 * max(1e-12, float(np.abs(values).max()))
    if side == "two-sided":
        return float((np.abs(values - centre) >= abs(seen - centre) - slack).mean())
    return float(
        ((values >= seen - slack) if side == "greater" else (values <= seen + slack)).mean()
    )


@pytest.mark.parametrize("seed", SEEDS)
class TestCounts:
    def test_one_rate(self, seed: int) -> None:
        rng = np.random.default_rng([1, seed])
        for n, null, side in itertools.product((1, 7, 100, 100_000), (0.01, 1 / 3, 0.5), SIDES):
            k, level = int(rng.integers(0, n + 1)), float(rng.choice([0.8, 0.95, 0.99]))
            for name, theirs in (("wilson", "wilson"), ("clopper_pearson", "beta")):
                low, high = rates.proportion_confint(k, n, alpha=1 - level, method=theirs)
                found = getattr(assay, name)(k, n, level=level).interval
                same([found.low, found.high], [max(low, 0.0), min(high, 1.0)])
            outcome = assay.binomial(k, n, null=null, alternative=side)
            same(outcome.p_value, stats.binomtest(k, n, null, side).pvalue)
            z, p = rates.proportions_ztest(k, n, null, alternative=THEIRS[side], prop_var=null)
            approximate = assay.proportion_z(k, n, null=null, alternative=side)
            same([approximate.statistic, approximate.p_value], [z, p])

    def test_two_rates(self, seed: int) -> None:
        rng = np.random.default_rng([2, seed])
        for n_a, n_b, side in itertools.product((1, 9, 80), (3, 50), SIDES):
            a, b = int(rng.integers(0, n_a + 1)), int(rng.integers(0, n_b + 1))
            table = np.array([[a, n_a - a], [b, n_b - b]])
            same(
                assay.fisher_exact(a, n_a, b, n_b, alternative=side).p_value,
                stats.fisher_exact(table, side)[1],
            )
            if 0 < a + b < n_a + n_b:
                z, p = rates.proportions_ztest([a, b], [n_a, n_b], alternative=THEIRS[side])
                found = assay.two_proportions_z(a, n_a, b, n_b, alternative=side)
                same([found.statistic, found.p_value], [z, p])
            low, high = rates.confint_proportions_2indep(
                a, n_a, b, n_b, method="newcomb", compare="diff"
            )
            interval = assay.newcombe(a, n_a, b, n_b).interval
            assert interval is not None
            same([interval.low, interval.high], [low, high], 1e-8)

    def test_mcnemar(self, seed: int) -> None:
        rng = np.random.default_rng([3, seed])
        for most in (3, 12, 300):
            b, c = map(int, rng.integers(0, most, 2))
            if b == c:
                continue
            table = [[50, b], [c, 10]]
            for variant, exact, correct in (
                ("exact", True, False),
                ("score", False, False),
                ("continuity", False, True),
            ):
                expected = other_mcnemar(table, exact=exact, correction=correct).pvalue
                same(assay.mcnemar(50, b, c, 10, variant=variant).p_value, expected)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("seed", SEEDS)
class TestSamples:
    def test_means(self, seed: int, side: Any) -> None:
        rng = np.random.default_rng([4, seed])
        a, b = drawn(rng, int(rng.integers(3, 12))), drawn(rng, int(rng.integers(3, 9)))
        if np.ptp(a) == 0 or np.ptp(b) == 0:
            return
        one = stats.ttest_1samp(a, 0.1, alternative=side)
        found = assay.one_sample_t(a, null=0.1, alternative=side, level=0.9)
        limits = one.confidence_interval(0.9)
        assert found.effect.interval is not None
        same(found.p_value, one.pvalue)
        same([found.effect.interval.low, found.effect.interval.high], [limits.low, limits.high])
        for variant, equal in (("welch", False), ("pooled", True)):
            two = stats.ttest_ind(a, b, equal_var=equal, alternative=side)
            same(assay.two_sample_t(a, b, variant=variant, alternative=side).p_value, two.pvalue)

    def test_signed_ranks(self, seed: int, side: Any) -> None:
        rng = np.random.default_rng([5, seed])
        d = np.round(drawn(rng, int(rng.integers(3, 11))), 6)
        ways: tuple[tuple[str, Any], ...] = (("drop", "wilcox"), ("pratt", "pratt"))
        for zeros, theirs in ways:
            kept = d[d != 0] if zeros == "drop" else d
            ranks = stats.rankdata(np.abs(kept))[kept != 0]
            if ranks.size < 3:
                continue
            sums = np.array([sum(c) for c in itertools.product(*[(0, r) for r in ranks])])
            seen = float(ranks[kept[kept != 0] > 0].sum())
            tails = ((sums <= seen + 1e-9).mean(), (sums >= seen - 1e-9).mean())
            expected = {
                "two-sided": min(1.0, 2 * min(tails)),
                "greater": tails[1],
                "less": tails[0],
            }
            options: dict[str, Any] = {"zeros": zeros, "alternative": side}
            same(assay.wilcoxon(d, method="exact", **options).p_value, expected[side])
            way: Any = {"zero_method": theirs, "alternative": side, "method": "asymptotic"}
            normal = stats.wilcoxon(d, **way)
            same(assay.wilcoxon(d, method="normal", **options).p_value, normal.pvalue)

    def test_rank_sums_and_permutations(self, seed: int, side: Any) -> None:
        rng = np.random.default_rng([6, seed])
        a, b = drawn(rng, int(rng.integers(2, 6))), drawn(rng, int(rng.integers(2, 6)))
        pool, n = np.concatenate([a, b]), a.size
        ranks = stats.rankdata(pool)
        chosen = [list(c) for c in itertools.combinations(range(pool.size), n)]
        sums = np.array([ranks[c].sum() for c in chosen])
        middle = n * (pool.size + 1) / 2
        expected = tail(sums, float(ranks[:n].sum()), side, middle)
        same(assay.mann_whitney(a, b, method="exact", alternative=side).p_value, expected)
        if np.ptp(pool) > 0:
            for correct in (False, True):
                theirs = stats.mannwhitneyu(
                    a, b, use_continuity=correct, alternative=side, method="asymptotic"
                )
                found = assay.mann_whitney(a, b, method="normal", correct=correct, alternative=side)
                same(found.p_value, theirs.pvalue)
        flips = np.array([np.dot(s, a) for s in itertools.product((1, -1), repeat=n)])
        same(
            assay.paired_permutation(a, alternative=side).p_value,
            tail(flips, float(a.sum()), side),
            1e-8,
        )


@pytest.mark.parametrize("seed", SEEDS)
class TestGroups:
    def test_groups(self, seed: int) -> None:
        rng = np.random.default_rng([7, seed])
        decimals = int(rng.choice([1, 6]))
        groups = [
            np.round(rng.normal(0.3 * i, 1, int(rng.integers(4, 9))), decimals) for i in range(3)
        ]
        pairs: list[tuple[str, Any]] = [
            ("oneway_anova", stats.f_oneway), ("levene", stats.levene), ("bartlett", stats.bartlett),
            ("fligner", stats.fligner), ("kruskal_wallis", stats.kruskal),
        ]  # fmt: skip
        for name, theirs in pairs:
            found, expected = getattr(assay, name)(groups), theirs(*groups)
            same([found.statistic, found.p_value], [expected.statistic, expected.pvalue])
        welch = anova_oneway(groups, use_var="unequal", welch_correction=True)
        same(assay.welch_anova(groups).p_value, welch.pvalue)
        tukey = stats.tukey_hsd(*groups).pvalue
        found = [outcome.p_value for outcome in assay.tukey_hsd(groups).outcomes]
        same(found, [tukey[0, 1], tukey[0, 2], tukey[1, 2]], 1e-7)

    def test_blocks(self, seed: int) -> None:
        rng = np.random.default_rng([8, seed])
        n, k = int(rng.integers(4, 12)), int(rng.integers(3, 7))
        blocks = np.round(rng.normal(size=(n, k)), int(rng.choice([1, 5])))
        expected = stats.friedmanchisquare(*blocks.T)
        found = assay.friedman(blocks)
        same([found.statistic, found.p_value], [expected.statistic, expected.pvalue])
        f = (n - 1) * expected.statistic / (n * (k - 1) - expected.statistic)
        same(assay.iman_davenport(blocks).p_value, stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
        means = np.array([stats.rankdata(-row) for row in blocks]).mean(axis=0)
        for (a, b), outcome in zip(
            itertools.combinations(range(k), 2), assay.nemenyi(blocks).outcomes, strict=True
        ):
            q = abs(means[a] - means[b]) / math.sqrt(k * (k + 1) / (12 * n))
            same(outcome.p_value, stats.studentized_range.sf(q, k, np.inf), 1e-7)
        right = (rng.random((20, k)) < 0.6).astype(int)
        same(assay.cochran_q(right).p_value, cochrans_q(right).pvalue)

    def test_criteria_and_normality(self, seed: int) -> None:
        rng = np.random.default_rng([9, seed])
        a, b = rng.normal(size=(10, 3)), rng.normal(0.3, 1, size=(12, 3))
        same(
            assay.hotelling_one_sample(a, null=[0, 0.1, 0.2]).p_value,
            mean_vector(a, [0, 0.1, 0.2]).pvalue,
        )
        same(assay.hotelling_two_sample(a, b).p_value, mean_vectors(a, b).pvalue)
        sample = rng.normal(size=int(rng.integers(20, 40))) ** int(rng.choice([1, 3]))
        same(assay.dagostino(sample).p_value, stats.normaltest(sample).pvalue)
        same(assay.anderson_darling(sample).p_value, normal_ad(sample)[1], 1e-8)
        table = rng.integers(1, 30, size=(3, 2))
        same(
            assay.chi_square(table).p_value, stats.chi2_contingency(table, correction=False).pvalue
        )
