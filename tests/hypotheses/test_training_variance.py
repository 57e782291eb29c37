"""Conservative z and nested cross-validation of a difference, each against its formula written anew."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.estimates.cross_validation import nested_cv
from assay.estimates.learner_losses import nested_cv_run

HALVES = [[0.02, 0.05], [0.01, 0.03], [0.04, -0.01], [0.03, 0.02], [0.00, 0.04]]


class TestConservativeZ:
    def test_by_hand(self) -> None:
        """Squares of the five differences of halves: 9, 4, 25, 1, 16 ten-thousandths; a tenth of their sum."""
        found = assay.conservative_z(HALVES, mean=0.03)
        assert found.effect.value == 0.03
        error = math.sqrt(55e-4 / 10.0)
        assert found.effect.standard_error == pytest.approx(error)
        assert found.statistic == pytest.approx(0.03 / error)
        assert found.p_value == pytest.approx(2.0 * stats.norm.sf(0.03 / error))
        interval = found.effect.interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx(
            (0.03 - 1.959964 * error, 0.03 + 1.959964 * error), abs=1e-7
        )

    def test_as_r_has_it(self) -> None:
        """2 * pnorm(-abs(0.03 / sqrt(mean((d[, 1] - d[, 2])^2) / 2))) in R 4."""
        found = assay.conservative_z(HALVES, mean=0.03)
        assert found.p_value == pytest.approx(0.200825122695, rel=1e-11)

    def test_without_a_mean_the_halves_stand_in_and_it_says_so(self) -> None:
        found = assay.conservative_z(HALVES)
        assert found.effect.value == pytest.approx(0.023)
        assert "within half of the data" in str(dict(found.details)["covers"])
        assert "behind mean" in str(dict(assay.conservative_z(HALVES, mean=0.0).details)["covers"])

    def test_order_of_halves_and_repeats_does_not_matter(self) -> None:
        turned = [row[::-1] for row in HALVES[::-1]]
        assert assay.conservative_z(turned, mean=0.03).p_value == pytest.approx(
            assay.conservative_z(HALVES, mean=0.03).p_value
        )

    def test_one_pair_is_enough_and_equal_halves_are_undefined(self) -> None:
        assert assay.conservative_z([[0.1, 0.2]]).statistic == pytest.approx(
            0.15 / (0.1 / math.sqrt(2))
        )
        same = assay.conservative_z([[0.1, 0.1], [0.3, 0.3]])
        assert (same.p_value, same.effect.interval) == (None, None)
        assert [one.code for one in same.notes] == ["zero-variance"]

    def test_one_sided(self) -> None:
        both = assay.conservative_z(HALVES, mean=0.03)
        above = assay.conservative_z(HALVES, mean=0.03, alternative="greater")
        assert both.p_value is not None
        assert above.p_value == pytest.approx(both.p_value / 2.0)
        assert above.effect.interval is not None
        assert above.effect.interval.high == math.inf

    @pytest.mark.parametrize(
        ("quarter", "rate"),
        [(55e-5, 0.0), (55e-5 * 2**0.4, 0.4), (11e-4, 1.0), (1e-2, 1.0), (1e-5, 0.0)],
    )
    def test_quarters_tell_how_fast_results_settle(self, quarter: float, rate: float) -> None:
        """Halves have a variance of 55e-5; quarters a ± d, twice, have 4/3 d² each."""
        d = math.sqrt(quarter * 3.0 / 4.0)
        quarters = [[0.1 - d, 0.1 + d, 0.1 - d, 0.1 + d]] * 2
        found = assay.conservative_z(HALVES, mean=0.03, quarters=quarters)
        assert dict(found.details)["rate"] == pytest.approx(rate, abs=1e-12)
        assert found.effect.standard_error == pytest.approx(math.sqrt(55e-5 / 2.0**rate))

    def test_quarters_are_four(self) -> None:
        with pytest.raises(EvidenceError, match="four disjoint quarters"):
            assay.conservative_z(HALVES, quarters=HALVES)

    def test_other_shapes_are_refused_with_what_to_use(self) -> None:
        with pytest.raises(EvidenceError, match=r"two disjoint halves.*cautious_resampled_t"):
            assay.conservative_z([[0.1, 0.2, 0.3]])
        with pytest.raises(UsageError, match="mean= is a number, got nan"):
            assay.conservative_z(HALVES, mean=math.nan)

    def test_level_of_a_mean_of_independent_items(self) -> None:
        """Halves vary twice as much as the whole, and five cuts tell that as a chi-square of 5 does."""
        rng = np.random.default_rng(5)
        rejected = 0
        for _ in range(400):
            items = rng.standard_normal(100)
            halves = []
            for _ in range(5):
                order = rng.permutation(items)
                halves.append([order[:50].mean(), order[50:].mean()])
            p = assay.conservative_z(halves, mean=float(items.mean())).p_value
            rejected += p is not None and p <= 0.05
        expected = 2.0 * stats.t.sf(1.96 * math.sqrt(2.0), 5)
        assert rejected / 400 == pytest.approx(expected, abs=0.03)


def by_the_paper(table: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """Bates, Hastie and Tibshirani, algorithm 1, fold by fold, item by item."""
    repeats, n, folds = table.shape
    a_terms, b_terms, inner, plain = [], [], [], []
    for turn in range(repeats):
        for fold in range(folds):
            inside: list[float] = []
            outside: list[float] = []
            for item in range(n):
                (outside if codes[turn, item] == fold else inside).append(table[turn, item, fold])
            a_terms.append((sum(inside) / len(inside) - sum(outside) / len(outside)) ** 2)
            b_terms.append(np.var(outside, ddof=1) / len(outside))
            inner += inside
            plain += outside
    mse = np.mean(a_terms) - np.mean(b_terms)
    naive = float(np.std(inner, ddof=1)) / math.sqrt(n)
    error = math.sqrt(max(mse, 0.0) * (folds - 1) / folds)
    error = min(max(error, naive), math.sqrt(folds) * naive)
    nested = float(np.mean(inner))
    return nested - (1 + (folds - 2) / folds) * (nested - float(np.mean(plain))), error


class TestNestedDifference:
    @pytest.fixture
    def losses(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(2)
        codes = np.stack([rng.permutation(np.arange(40) % 4) for _ in range(3)])
        table = (rng.random((3, 40, 4)) < 0.4) * 1.0 - (rng.random((3, 40, 4)) < 0.3)
        return table, codes

    def test_as_the_paper_has_it(self, losses: tuple[np.ndarray, np.ndarray]) -> None:
        table, codes = losses
        found = assay.nested_cv_difference(table, codes)
        value, error = by_the_paper(table, codes)
        assert found.effect.value == pytest.approx(value)
        assert found.effect.standard_error == pytest.approx(error)
        assert found.p_value == pytest.approx(2.0 * stats.norm.sf(abs(value / error)))
        assert "few-repeats" in [one.code for one in found.notes]

    def test_it_is_nested_cv_of_the_differences(
        self, losses: tuple[np.ndarray, np.ndarray]
    ) -> None:
        found, alone = assay.nested_cv_difference(*losses), nested_cv(*losses)
        assert (found.effect.value, found.effect.interval) != (None, None)
        assert found.effect.value == pytest.approx(alone.value)
        assert found.effect.standard_error == pytest.approx(alone.standard_error)

    def test_turned_around(self, losses: tuple[np.ndarray, np.ndarray]) -> None:
        table, codes = losses
        ours, theirs = (
            assay.nested_cv_difference(table, codes),
            assay.nested_cv_difference(-table, codes),
        )
        assert theirs.effect.value == pytest.approx(-(ours.effect.value or 0.0))
        assert theirs.p_value == pytest.approx(ours.p_value)

    def test_the_null_moves_the_statistic(self, losses: tuple[np.ndarray, np.ndarray]) -> None:
        table, codes = losses
        ours = assay.nested_cv_difference(table, codes)
        assert ours.effect.interval is not None
        at_the_end = assay.nested_cv_difference(table, codes, null=ours.effect.interval.high)
        assert at_the_end.p_value == pytest.approx(0.05)

    def test_models_that_err_alike_have_no_answer(self) -> None:
        found = assay.nested_cv_difference(np.zeros((12, 3)), np.arange(12) % 3)
        assert (found.p_value, found.effect.interval) == (None, None)
        assert "zero-variance" in [one.code for one in found.notes]

    def test_two_runs_of_one_seed(self) -> None:
        from sklearn.dummy import DummyClassifier
        from sklearn.linear_model import LogisticRegression

        rng = np.random.default_rng(4)
        X = rng.standard_normal((60, 2))
        y = (X[:, 0] + 0.5 * rng.standard_normal(60) > 0).astype(int)
        runs = [
            nested_cv_run(one, X, y, folds=4, repeats=3, rng=1)
            for one in (DummyClassifier(), LogisticRegression())
        ]
        assert np.array_equal(runs[0].folds, runs[1].folds)
        found = assay.nested_cv_difference(runs[0].losses - runs[1].losses, runs[0].folds)
        assert found.p_value is not None
        assert found.p_value < 0.01


class TestReplaceOneZ:
    def test_by_hand(self) -> None:
        """9 + 16 ten-thousandths, a quarter of them."""
        found = assay.replace_one_z([0.03, -0.04], mean=0.05)
        error = math.sqrt(25e-4 / 4.0)
        assert found.effect.standard_error == pytest.approx(error)
        assert found.p_value == pytest.approx(2.0 * stats.norm.sf(0.05 / error))
        assert found.effect.n == 4

    def test_where_nothing_is_trained_it_is_the_variance_of_a_mean(self) -> None:
        """Replacing x by y moves a mean of m by (y - x)/m: over all orders of the data, var/n on average."""
        losses = np.random.default_rng(5).normal(size=400)
        m = losses.size // 2
        rng, found = np.random.default_rng(6), []
        for _ in range(300):
            mixed = rng.permutation(losses)
            half = mixed[:m].mean()
            changes = [
                np.append(np.delete(mixed[:m], item), mixed[m + item]).mean() - half
                for item in range(0, m, 20)
            ]
            # every twentieth item stands for all of them
            error = assay.replace_one_z(np.repeat(changes, 20), mean=0.0).effect.standard_error
            assert error is not None
            found.append(error**2)
        assert np.mean(found) == pytest.approx(losses.var(ddof=1) / losses.size, rel=0.05)

    def test_no_change_is_undefined(self) -> None:
        same = assay.replace_one_z([0.0, 0.0, 0.0], mean=0.1)
        assert (same.p_value, same.effect.interval) == (None, None)
        assert [one.code for one in same.notes] == ["zero-variance"]


class TestBootstrapCvT:
    def test_as_a_t_test_has_it(self) -> None:
        """About its own mean it is a one-sample t whose error is the spread, not the spread of the mean."""
        drawn = [0.02, 0.05, 0.01, 0.03, 0.04, -0.01]
        found = assay.bootstrap_cv_t(drawn)
        theirs = float(stats.ttest_1samp(drawn, 0.0).statistic)
        assert found.statistic == pytest.approx(theirs / math.sqrt(6.0))
        assert found.p_value == pytest.approx(2.0 * stats.t.sf(abs(theirs) / math.sqrt(6.0), 5))

    def test_the_interval_is_centred_at_the_estimate(self) -> None:
        drawn = [0.02, 0.05, 0.01, 0.03, 0.04, -0.01]
        found = assay.bootstrap_cv_t(drawn, mean=0.06, level=0.9)
        interval = found.effect.interval
        assert interval is not None
        reach = stats.t.ppf(0.95, 5) * np.std(drawn, ddof=1)
        assert (interval.low, interval.high) == pytest.approx((0.06 - reach, 0.06 + reach))

    def test_one_sample_is_too_few_and_equal_ones_are_undefined(self) -> None:
        with pytest.raises(EvidenceError):
            assay.bootstrap_cv_t([0.1])
        assert assay.bootstrap_cv_t([0.1, 0.1], mean=0.2).p_value is None


@pytest.mark.parametrize("method", [assay.replace_one_z, assay.bootstrap_cv_t])
def test_a_mean_is_a_number(method: Any) -> None:
    with pytest.raises(EvidenceError, match="mean and null"):
        method([0.1, 0.2, 0.3], mean=-math.inf)
