"""The quick calibration: our defaults keep the criteria, and the known errors of peers do not.

Every scenario counts rejections (or coverage) over replicates and asks, by exact binomial tails,
whether the criteria of the grid could be true. What peers did wrong (research notes on mlxtend,
autorank, aeon, sktime, deep-significance, confidenceinterval, rliable, SAES and others) is written
out here as they wrote it: the same check has to refuse each of them.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from assay.estimates.proportions import proportion
from assay.estimates.roc import auc_score
from assay.hypotheses.friedman_posthoc import nemenyi
from assay.hypotheses.many_models import friedman
from assay.simulate.worlds.folds import Folds
from assay.simulate.worlds.grouped import DataSets
from assay.simulate.worlds.labels import LabelMeasures
from assay.simulate.worlds.scores import ScoredLabels
from calibration.designs import attainable_size, label_measures, listed_outcomes
from calibration.designs.cells import FloatArray
from calibration.designs.criteria import keeps
from calibration.designs.signed_ranks import holm_rejects, signed_rank_p_values

LEVEL, SIZE, COVERAGE = 0.055, 0.035, 0.935
Rng = np.random.Generator


def right_level(rejected: ArrayLike) -> bool:
    """Neither too many false alarms nor a test that hardly ever rejects."""
    flags = np.asarray(rejected, dtype=bool)
    return keeps(flags.sum(), flags.size, at_least=SIZE, at_most=LEVEL)


def paired_t_p(a: FloatArray, b: FloatArray) -> FloatArray:
    differences = a - b
    n = differences.shape[1]
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / np.sqrt(n))
    return np.asarray(2.0 * stdtr(n - 1, -np.abs(t)))


def signed_ranks(k: int, n: int, replicates: int) -> FloatArray:
    """Exact two-sided p-values of every pair of k like models on n data sets."""
    drawn = DataSets(k=k).draw(replicates, n, np.random.default_rng(1), takes="blocks")["blocks"]
    first, second = np.triu_indices(k, 1)
    return signed_rank_p_values(drawn, first, second, (0.0, 1.0))


class TestSignedRanks:
    p = signed_ranks(2, 20, 4000)[:, 0]

    def test_ours(self) -> None:
        assert right_level(self.p <= 0.05)

    def test_direction_picked_from_the_data(self) -> None:
        assert not right_level(self.p / 2.0 <= 0.05)  # autorank, aeon: 10 %

    def test_squared_p(self) -> None:
        assert not right_level(self.p**2 <= 0.05)  # pingouin's history: 22 %

    def test_pairing_thrown_away(self) -> None:
        """sktime's ttest_ind on matched scores: it never rejects."""
        drawn = DataSets(k=2).draw(2000, 20, np.random.default_rng(2), takes="pairs")
        p = stats.ttest_ind(drawn["a"], drawn["b"], axis=1).pvalue
        assert right_level(paired_t_p(drawn["a"], drawn["b"]) <= 0.05)
        assert not right_level(p <= 0.05)


class TestFamilies:
    k, pairs = 10, 45
    p = signed_ranks(10, 20, 600)

    def errs(self, rejected: ArrayLike) -> bool:
        wrong = np.asarray(rejected, dtype=bool).any(axis=1)
        return not keeps(wrong.sum(), wrong.size, at_most=LEVEL)

    def test_holm(self) -> None:
        assert not self.errs(holm_rejects(self.p, 0.05))

    def test_alpha_over_k_less_one(self) -> None:
        """The "Holm" of aeon: one-sided p-values against alpha/(k - 1)."""
        assert self.errs(self.p / 2.0 <= 0.05 / (self.k - 1))

    def test_no_correction(self) -> None:
        assert self.errs(self.p <= 0.05)

    def test_correction_the_wrong_way(self) -> None:
        """deep-significance moves the level away from 1: 45 comparisons at 0.951."""
        assert self.errs(self.p <= 1.0 - (0.95 + 0.05 / self.pairs))


class TestRanks:
    k, n = 6, 20
    tables = DataSets(k=6).draw(1500, 20, np.random.default_rng(3), takes="blocks")["blocks"]

    def ranks(self) -> FloatArray:
        return np.asarray(stats.rankdata(-self.tables, axis=2).mean(axis=1))

    def test_friedman(self) -> None:
        ours = [friedman(table).p_value for table in self.tables[:800]]
        assert right_level(np.array(ours, dtype=np.float64) <= 0.05)

    def test_friedman_with_a_factor_too_many(self) -> None:
        """SAES: n times the statistic rejects everything."""
        spread = ((self.ranks() - (self.k + 1) / 2) ** 2).sum(axis=1)
        chi2 = 12 * self.n / (self.k * (self.k + 1)) * spread
        assert right_level(stats.chi2.sf(chi2, self.k - 1) <= 0.05)
        assert not right_level(stats.chi2.sf(self.n * chi2, self.k - 1) <= 0.05)

    def test_nemenyi(self) -> None:
        found = [nemenyi(table).outcomes for table in self.tables[:300]]
        wrong = np.array([any((one.p_value or 1) <= 0.05 for one in family) for family in found])
        assert keeps(wrong.sum(), wrong.size, at_least=SIZE, at_most=LEVEL)

    @pytest.mark.parametrize(
        ("what", "models", "factor"),
        [
            ("the entry of one model more", 4, 1.0),  # aeon and sktime: half the size
            ("the entry of one model less", 2, 1.0),
            ("without the square root of two", 3, np.sqrt(2)),
        ],
    )
    def test_nemenyi_with_a_wrong_table(self, what: str, models: int, factor: float) -> None:
        k, n = 3, 60
        drawn = DataSets(k=k).draw(20_000, n, np.random.default_rng(4), takes="blocks")["blocks"]
        ranks = stats.rankdata(-drawn, axis=2).mean(axis=1)
        ranges = (ranks.max(axis=1) - ranks.min(axis=1)) / np.sqrt(k * (k + 1) / (12 * n))
        due = stats.studentized_range.ppf(0.95, k, np.inf)
        used = factor * stats.studentized_range.ppf(0.95, models, np.inf)
        assert right_level(ranges >= due)
        assert not right_level(ranges >= used), what


class TestPairedOutcomes:
    """Exact: every table with its probability, as if ten thousand replicates had been drawn."""

    def level(
        self, share: float, n: int, p: Callable[[FloatArray, FloatArray], FloatArray]
    ) -> float:
        cells, chance = listed_outcomes._paired_tables(n, share, 0.5)
        return float(chance[p(cells.only_a, cells.only_b) <= 0.05].sum())

    def score(self, only_a: FloatArray, only_b: FloatArray) -> FloatArray:
        discordant = np.maximum(only_a + only_b, 1.0)
        return np.asarray(2.0 * ndtr(-np.abs(only_a - only_b) / np.sqrt(discordant)))

    @pytest.mark.parametrize(("share", "n"), [(0.01, 20), (0.05, 100), (0.5, 500)])
    def test_ours(self, share: float, n: int) -> None:
        assert listed_outcomes.paired_labels(share, n)[0].counts["level@0.05"] <= LEVEL

    def test_no_disagreement_is_no_difference(self) -> None:
        """mlxtend and statsmodels: without disagreement the asymptotic p is 0."""

        def wrong(only_a: FloatArray, only_b: FloatArray) -> FloatArray:
            return np.where(only_a + only_b == 0.0, 0.0, self.score(only_a, only_b))

        assert self.level(0.01, 20, self.score) <= LEVEL < self.level(0.01, 20, wrong)

    def test_p_of_one_side_only(self) -> None:
        """mlxtend's proportion_difference returns the distribution function of z."""

        def wrong(only_a: FloatArray, only_b: FloatArray) -> FloatArray:
            return np.asarray(ndtr((only_a - only_b) / np.sqrt(np.maximum(only_a + only_b, 1.0))))

        both_ends = self.level(0.5, 500, lambda a, b: 1.0 - wrong(a, b))
        assert self.level(0.5, 500, self.score) == pytest.approx(0.05, abs=0.005)
        # either order of the arguments alone rejects 5 %, whichever is reported 10 %
        assert both_ends + self.level(0.5, 500, wrong) > LEVEL


class TestFolds:
    """Uncorrected and miscorrected t tests of repeated folds and random splits."""

    world = Folds(learners="centroid", population="two-gaussians", design="10x10-fold")
    drawn = world.draw(300, 100, np.random.default_rng(4), takes="pairs")
    differences = drawn["a"] - drawn["b"]

    def p(self, factor: float, *, root: bool = True) -> FloatArray:
        size = self.differences.shape[1]
        scale = np.sqrt(factor) if root else factor
        error = self.differences.std(axis=1, ddof=1) * scale
        return np.asarray(2.0 * stdtr(size - 1, -np.abs(self.differences.mean(axis=1) / error)))

    def too_many(self, p: FloatArray) -> bool:
        return not keeps((p <= 0.05).sum(), p.size, at_most=LEVEL)

    def test_corrected(self) -> None:
        assert not self.too_many(self.p(1 / 100 + 1 / 9))

    def test_uncorrected(self) -> None:
        assert self.too_many(self.p(1 / 100))  # mlxtend: 56 %

    def test_without_the_root(self) -> None:
        """correctipy divides by the variance factor, not its root, and halves p."""
        assert self.too_many(self.p(1 / 100 + 1 / 9, root=False) / 2.0)


class TestIntervals:
    """Coverage, and both tails of it."""

    def covers(self, hits: float, replicates: int, least: float = COVERAGE) -> bool:
        return keeps(hits, replicates, at_least=least, at_most=0.985)

    def test_wald_of_few_errors(self) -> None:
        errors, chance = attainable_size.outcomes(30, 0.05)
        ours = [proportion(int(k), 30).interval for k in errors]
        covered = sum(c for c, one in zip(chance, ours, strict=True) if one and one.contains(0.05))
        half = 1.96 * np.sqrt(errors / 30 * (1 - errors / 30) / 30)
        wald = chance[np.abs(errors / 30 - 0.05) <= half].sum()
        assert covered >= 0.92 > wald

    def test_area_of_one(self) -> None:
        """confidenceinterval: an AUC of 1 has the interval [1, 1]."""
        world = ScoredLabels(auc=0.99, prevalence=0.5)
        drawn = world.draw(400, 30, np.random.default_rng(5), takes="scored-labels")
        ours = flat = 0
        for truth, scores in zip(drawn["truth"], drawn["scores"], strict=True):
            found = auc_score(truth, scores)
            assert found.interval is not None
            ours += found.interval.contains(0.99)
            flat += found.interval.contains(0.99) and found.value != 1.0
        assert keeps(ours, 400, at_least=0.92)
        assert not keeps(flat, 400, at_least=0.92)

    def test_percentiles_of_three_runs(self) -> None:
        """rliable: the percentile bootstrap of three runs covers some 80 %."""
        rng = np.random.default_rng(6)
        runs = rng.normal(size=(3000, 3))
        centre, error = runs.mean(axis=1), runs.std(axis=1, ddof=1) / np.sqrt(3)
        ours = np.abs(centre) <= -stdtrit(2, 0.025) * error
        resampled = runs[:, rng.integers(0, 3, (999, 3))].mean(axis=2)
        low, high = np.quantile(resampled, [0.025, 0.975], axis=1)
        assert self.covers(ours.sum(), 3000)
        assert not self.covers(((low <= 0) & (high >= 0)).sum(), 3000)

    def test_median_by_the_wrong_order_statistics(self) -> None:
        """autorank: sqrt(n/2) for sqrt(n)/2 and one rank off: 99.7 % where 95 % was said."""
        n, z = 30, float(-ndtri(0.025))
        values = np.sort(np.random.default_rng(7).normal(size=(3000, n)), axis=1)

        def covered(reach: float) -> float:
            low, high = int(np.floor((n - reach) / 2)), int(np.ceil((n + reach) / 2))
            return float(((values[:, low] <= 0) & (values[:, min(high, n - 1)] >= 0)).sum())

        assert self.covers(covered(z * np.sqrt(n)), 3000)
        assert not self.covers(covered(z * 2 * np.sqrt(n / 2)), 3000)

    def test_macro_f1_with_a_wrong_variance(self) -> None:
        """confidenceinterval's macro F1 at twice the width it should have covers 99.5 %."""
        world = LabelMeasures(classes=5, prevalence=0.2, recall=0.6, precision=0.6)
        tables = world.draw(300, 1000, np.random.default_rng(8), takes="confusion")["table"]
        low, high = label_measures.closed_limits(
            label_measures.bound(label_measures.MACRO, 5), tables, 0.05
        )
        truth = world.truth(label_measures.MACRO, "confusion") or 0.0
        ours = ((low <= truth) & (truth <= high)).sum()
        centre, half = (low + high) / 2, (high - low) / 2
        wide = (np.abs(centre - truth) <= 1.6 * half).sum()
        assert self.covers(ours, 300)
        assert not keeps(wide, 300, at_most=0.965, doubt=1e-3)


class TestResampledPairs:
    def test_both_arms_resampled_apart(self) -> None:
        """deep-significance's paired bootstrap ignores the pairs: it never rejects."""
        rng = np.random.default_rng(10)
        shared = 5.0 * rng.normal(size=(400, 30))
        a, b = shared + rng.normal(size=(400, 30)), shared + rng.normal(size=(400, 30))
        draws = rng.integers(0, 30, (2, 499, 30))
        apart = a[:, draws[0]].mean(axis=2) - b[:, draws[1]].mean(axis=2)
        joint = (a - b)[:, draws[0]].mean(axis=2)

        def rejects(replicates: FloatArray) -> FloatArray:
            low, high = np.quantile(replicates, [0.025, 0.975], axis=1)
            return np.asarray((low > 0) | (high < 0))

        assert keeps(rejects(joint).sum(), 400, at_least=SIZE, at_most=0.075)
        assert not keeps(rejects(apart).sum(), 400, at_least=SIZE, at_most=0.075)
