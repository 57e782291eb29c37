"""Cross-validated errors and areas with intervals that name what they cover."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import ndtr

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import Estimate
from assay.estimates.cross_validation import cv_auc, cv_bayle, nested_cv, paired_cv_bayle
from assay.estimates.learner_losses import nested_cv_run
from assay.estimates.proportions import wilson
from tests.estimates.learners import (
    centroids,
    fold_weights,
    scores_of,
    true_areas,
    true_errors,
    two_classes,
)
from tests.support import agree

LOSSES = st.lists(st.floats(0, 10).map(lambda x: round(x, 2)), min_size=6, max_size=30)


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(result: Any) -> dict[str, Any]:
    return dict(result.details)


def codes(result: Any) -> set[str]:
    return {note.code for note in result.notes}


def covers(estimate: Estimate, truth: float) -> bool:
    low, high = limits(estimate)
    return low <= truth <= high


def centroid_cv(
    rng: np.random.Generator, n: int, p: int, apart: float, folds: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], float]:
    """Losses, folds, and the true average error of the fitted models."""
    features, labels = two_classes(rng, n, p, apart)
    of_item = rng.permutation(np.arange(n) % folds)
    models = centroids(fold_weights(of_item), features, labels)
    called = scores_of(models, features)[of_item, np.arange(n)] > 0
    share = np.bincount(of_item) / n
    return (called != labels).astype(float), of_item, float(true_errors(models, apart) @ share)


class TestCvBayle:
    @given(LOSSES, st.integers(2, 3))
    def test_is_the_formula_of_the_paper(self, losses: list[float], folds: int) -> None:
        values, of_item = np.array(losses), np.arange(len(losses)) % folds
        n = values.size
        if np.ptp(values) < 1e-6:
            return
        found = details(cv_bayle(values, of_item))
        error = np.sqrt(((values - values.mean()) ** 2).sum() / n / n)
        assert agree(found["wald_low"], values.mean() - 1.959963984540054 * error, 1e-9, atol=1e-9)
        within = sum(
            values[of_item == fold].var(ddof=1) * np.sum(of_item == fold) for fold in range(folds)
        )
        alone = details(cv_bayle(values, of_item, variant="within-fold"))
        assert agree(alone["variance"], within / n, 1e-9, atol=1e-9)

    def test_an_error_rate_gets_wilsons_shape(self) -> None:
        losses = np.repeat([1.0, 0.0], [20, 80])
        estimate = cv_bayle(losses, np.arange(100) % 10)
        assert agree(limits(estimate), list(limits(wilson(20, 100))))
        assert estimate.measure == "error_rate"
        assert (
            details(estimate)["covers"] == "the average error of the 10 fitted models on new items"
        )

    def test_names_of_folds_do_not_matter(self) -> None:
        losses, of_item = np.arange(12.0), np.arange(12) % 3
        names = np.array(["a", "b", "c"], dtype=object)[of_item]
        assert limits(cv_bayle(losses, names, variant="within-fold")) == limits(
            cv_bayle(losses, of_item, variant="within-fold")
        )

    def test_leave_one_out(self) -> None:
        losses = [0.0, 1.0, 0.0, 0.0, 1.0]
        assert cv_bayle(losses, range(5)).interval is not None
        with pytest.raises(NotApplicable, match="variant='all-pairs'"):
            cv_bayle(losses, range(5), variant="within-fold")

    def test_losses_that_do_not_vary(self) -> None:
        perfect = cv_bayle(np.zeros(60), np.arange(60) % 5)
        assert limits(perfect)[0] == 0.0
        assert limits(perfect)[1] > 0.04
        assert codes(perfect) == {"zero-variance"}
        flat = cv_bayle(np.full(60, 0.3), np.arange(60) % 5)
        assert flat.interval is None
        assert codes(flat) == {"zero-variance"}

    def test_one_sided(self) -> None:
        losses = np.random.default_rng(0).gamma(2.0, size=50)
        upper = cv_bayle(losses, np.arange(50) % 5, alternative="less")
        assert limits(upper)[0] == 0.0
        assert limits(upper)[1] < limits(cv_bayle(losses, np.arange(50) % 5))[1]

    def test_covers_the_average_of_the_fitted_models(self) -> None:
        rng = np.random.default_rng(1)
        stable, unstable = [], []
        for _ in range(300):
            losses, of_item, truth = centroid_cv(rng, 100, 5, 1.5, 10)
            stable.append(covers(cv_bayle(losses, of_item), truth))
            losses, of_item, truth = centroid_cv(rng, 100, 50, 1.0, 10)
            unstable.append(covers(cv_bayle(losses, of_item), truth))
        assert 0.92 <= np.mean(stable) <= 0.98
        assert 0.84 <= np.mean(unstable) <= 0.94  # as the documentation says

    @pytest.mark.parametrize(
        ("folds", "message"),
        [([0, 1], "one fold per item"), ([1, 1, 1], "one fold"), ([0, 1, np.nan], "no fold")],
    )
    def test_errors(self, folds: Any, message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            cv_bayle([0.1, 0.2, 0.3], folds)

    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="all-pairs, within-fold"):
            cv_bayle([0.1, 0.2], [0, 1], variant="jackknife")  # type: ignore[arg-type]


class TestPairedCvBayle:
    def test_by_hand(self) -> None:
        a, b = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0, 0.0, 0.0, 1.0])
        outcome = paired_cv_bayle(a, b, np.arange(6) % 3)
        error = np.sqrt((1 / 3 * 2 / 3) / 6)
        assert agree(outcome.effect.value, 1 / 3)
        assert agree(outcome.statistic, 1 / 3 / error)
        assert agree(outcome.p_value, float(2 * ndtr(-1 / 3 / error)))

    def test_decimal_differences_that_are_equal_do_not_vary(self) -> None:
        outcome = paired_cv_bayle([0.768, 0.936, 0.5], [0.763, 0.931, 0.495], [0, 1, 2])
        assert (outcome.p_value, outcome.effect.interval) == (None, None)
        assert codes(outcome) == {"zero-variance"}

    def test_identical_algorithms(self) -> None:
        outcome = paired_cv_bayle([0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0, 1, 2])
        assert (outcome.p_value, outcome.effect.value) == (None, 0.0)
        assert codes(outcome) == {"no-disagreement"}

    def test_other_nulls_and_sides(self) -> None:
        rng = np.random.default_rng(2)
        a, b, of_item = rng.random(40), rng.random(40), np.arange(40) % 4
        above = paired_cv_bayle(a, b, of_item, null=0.1, alternative="greater")
        below = paired_cv_bayle(a, b, of_item, null=0.1, alternative="less")
        assert agree((above.p_value or 0) + (below.p_value or 0), 1.0)
        assert above.null == 0.1

    def test_keeps_its_level_for_exchangeable_algorithms(self) -> None:
        """Nearest centroids on two halves of ten features: equally good, fitted to the same folds."""
        rng = np.random.default_rng(3)
        rejected = []
        for _ in range(400):
            labels = rng.permutation(np.arange(100) % 2)
            features = rng.normal(size=(100, 10)) + 0.4 * labels[:, None]
            of_item = rng.permutation(np.arange(100) % 10)
            losses = []
            for part in (features[:, :5], features[:, 5:]):
                models = centroids(fold_weights(of_item), part, labels)
                called = scores_of(models, part)[of_item, np.arange(100)] > 0
                losses.append((called != labels).astype(float))
            rejected.append(paired_cv_bayle(losses[0], losses[1], of_item).rejects(0.05))
        assert 0.02 <= np.mean(rejected) <= 0.11


def loop_of_the_paper(tables: Any, folds: Any) -> tuple[float, float, float]:
    """Algorithm 1 of Bates, Hastie and Tibshirani, read off line by line."""
    a_list, b_list, errors, plain = [], [], [], []
    for table, of_item in zip(tables, folds, strict=True):
        for fold in sorted(set(of_item)):
            inner = [table[i][fold] for i in range(len(table)) if of_item[i] != fold]
            outer = [table[i][fold] for i in range(len(table)) if of_item[i] == fold]
            a_list.append((np.mean(inner) - np.mean(outer)) ** 2)
            b_list.append(np.var(outer, ddof=1) / len(outer))
            errors += inner
            plain += outer
    return float(np.mean(errors)), float(np.mean(plain)), float(np.mean(a_list) - np.mean(b_list))


class TestNestedCv:
    def test_is_the_algorithm_of_the_paper(self) -> None:
        rng = np.random.default_rng(4)
        tables = rng.gamma(2.0, size=(3, 21, 4))
        tables[:, :, 1] += 3.0  # so that inner and outer errors differ more than noise
        folds = np.stack([rng.permutation(np.arange(21) % 4) for _ in range(3)])
        nested, plain, mse = loop_of_the_paper(tables, folds)
        estimate = nested_cv(tables, folds)
        found = details(estimate)
        assert agree((found["nested"], found["plain"], found["mse"]), [nested, plain, mse])
        assert agree(estimate.value, nested - 1.5 * (nested - plain))
        error = np.sqrt(max(mse, 0.0) * 3 / 4)
        bounds = (found["naive"], 2 * found["naive"])
        assert estimate.standard_error == pytest.approx(np.clip(error, *bounds))

    def test_the_error_stays_within_its_bounds(self) -> None:
        rng = np.random.default_rng(5)
        of_item = np.arange(30) % 5
        for scale, expected in ((0.0, 1.0), (5.0, np.sqrt(5.0))):
            table = (
                rng.normal(size=(30, 5))
                + scale * (of_item[:, None] == np.arange(5)) * of_item[:, None]
            )
            found = nested_cv(table, of_item)
            assert found.standard_error == pytest.approx(expected * details(found)["naive"])

    def test_few_repeats_are_said(self) -> None:
        table = (np.random.default_rng(6).random((30, 5)) < 0.3).astype(float)
        assert "few-repeats" in codes(nested_cv(table, np.arange(30) % 5))
        many = np.repeat(table[None], 20, axis=0)
        assert codes(nested_cv(many, np.repeat([np.arange(30) % 5], 20, axis=0))) == set()

    def test_perfect_learner(self) -> None:
        estimate = nested_cv(np.zeros((30, 5)), np.arange(30) % 5)
        assert estimate.value == 0.0
        assert limits(estimate)[1] > 0.08
        assert "zero-variance" in codes(estimate)

    def test_with_a_learner(self) -> None:
        from sklearn.neighbors import NearestCentroid

        rng = np.random.default_rng(7)
        features, labels = two_classes(rng, 60, 3, 2.0)
        run = nested_cv_run(NearestCentroid(), features, labels, folds=4, repeats=2, rng=1)
        estimate = nested_cv(run.losses, run.folds)
        assert 0.05 < (estimate.value or 0.0) < 0.35
        assert details(estimate)["covers"].startswith("the model fitted to all items")

    def test_covers_where_plain_cross_validation_does_not(self) -> None:
        """Nearest centroid, 100 items in 50 dimensions, the error of the model fitted to all."""
        rng = np.random.default_rng(8)
        nested, plain = [], []
        for _ in range(100):
            features, labels = two_classes(rng, 100, 50, 1.0)
            truth = float(true_errors(centroids(np.ones((1, 100)), features, labels), 1.0)[0])
            tables, folds = np.empty((5, 100, 10)), np.empty((5, 100), dtype=int)
            pairs = [(one, other) for one in range(10) for other in range(one, 10)]
            for turn in range(5):
                of_item = rng.permutation(np.arange(100) % 10)
                left_in = np.array([(of_item != one) & (of_item != other) for one, other in pairs])
                models = centroids(left_in.astype(float), features, labels)
                wrong = (scores_of(models, features) > 0) != labels
                for place, (one, other) in enumerate(pairs):
                    tables[turn, of_item == one, other] = wrong[place, of_item == one]
                    tables[turn, of_item == other, one] = wrong[place, of_item == other]
                folds[turn] = of_item
            nested.append(covers(nested_cv(tables, folds), truth))
            own = tables[0][np.arange(100), folds[0]]
            plain.append(covers(cv_bayle(own, folds[0]), truth))
        assert np.mean(nested) >= 0.92
        assert np.mean(nested) > np.mean(plain)

    @pytest.mark.parametrize(
        ("losses", "folds", "message"),
        [
            ("nonsense", [0], "must be numbers"),
            ([0.1, 0.2], [0, 1], "items x folds"),
            (np.zeros((6, 3)), [0, 1, 2], "one fold per item"),
            (np.zeros((6, 2)), [0, 1, 2, 0, 1, 2], "one column per fold"),
            (np.zeros((6, 2)), [0, 1, 0, 1, 0, 1], "three folds"),
            (np.zeros((4, 3)), [0, 1, 2, 0], "at least two items"),
        ],
    )
    def test_errors(self, losses: Any, folds: Any, message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            nested_cv(losses, folds)


def ledell(truth: Any, scores: Any, folds: Any) -> tuple[float, float]:
    """Area and standard error as the R package cvAUC has them (no ties)."""
    areas, curves = [], []
    share = np.mean(truth)
    for fold in sorted(set(folds)):
        at = np.flatnonzero(folds == fold)
        positive, negative = scores[at][truth[at] == 1], scores[at][truth[at] == 0]
        area = np.mean(positive[:, None] > negative)
        curve = [
            (np.mean(negative < scores[i]) - area) / share
            if truth[i] == 1
            else (np.mean(positive > scores[i]) - area) / (1 - share)
            for i in at
        ]
        areas.append(area)
        curves.append(np.mean(np.square(curve)))
    return float(np.mean(areas)), float(np.sqrt(np.mean(curves) / len(truth)))


def stratified(rng: np.random.Generator, labels: Any, folds: int) -> Any:
    of_item = np.empty(len(labels), dtype=int)
    for label in (0, 1):
        places = rng.permutation(np.flatnonzero(labels == label))
        of_item[places] = np.arange(places.size) % folds
    return of_item


def centroid_scores(
    rng: np.random.Generator, n: int, p: int, apart: float, folds: int
) -> tuple[Any, Any, Any, float]:
    features, labels = two_classes(rng, n, p, apart)
    of_item = stratified(rng, labels, folds) if folds < n else np.arange(n)
    models = centroids(fold_weights(of_item), features, labels)
    scores = scores_of(models, features)[of_item, np.arange(n)]
    return labels, scores, of_item, float(true_areas(models, apart).mean())


class TestCvAuc:
    def test_agrees_with_the_influence_curve_of_the_paper(self) -> None:
        rng = np.random.default_rng(9)
        truth = np.arange(45) % 3 == 0
        scores = rng.normal(size=45) + truth
        of_item = stratified(rng, truth.astype(int), 4)
        area, error = ledell(truth.astype(int), scores, of_item)
        estimate = cv_auc(truth, scores, of_item)
        assert agree(estimate.value, area)
        assert agree(details(estimate)["ledell_low"], area - 1.959963984540054 * error)
        assert estimate.standard_error is not None
        assert estimate.standard_error > error  # which divides by n where n - 1 is due

    def test_one_fold_pair_equals_delong(self) -> None:
        """Two folds with the same scores: half of DeLong's variance of one."""
        from assay.estimates.roc import delong

        rng = np.random.default_rng(10)
        truth, scores = np.arange(40) % 2, rng.normal(size=40)
        alone = delong(truth, scores).standard_error
        twice = cv_auc(np.tile(truth, 2), np.tile(scores, 2), np.repeat([0, 1], 40))
        assert alone is not None
        assert agree(twice.standard_error, alone / np.sqrt(2.0))

    def test_noise_is_one_half(self) -> None:
        rng = np.random.default_rng(11)
        found = []
        for _ in range(400):
            truth, scores, of_item, _ = centroid_scores(rng, 60, 3, 0.0, 5)
            found.append(
                [cv_auc(truth, scores, of_item, variant=v).value for v in ("fold-mean", "pooled")]
            )
        means = np.mean(np.array(found, dtype=float), axis=0)
        assert abs(means[0] - 0.5) < 0.015
        assert means[1] < means[0]  # pooling leans down even with folds

    def test_leave_one_out_is_refused_because_pooling_puts_noise_below_one_half(self) -> None:
        from assay.kernels.auc import auc, sort_scores

        rng = np.random.default_rng(12)
        pooled = []
        for _ in range(200):
            truth, scores, of_item, _ = centroid_scores(rng, 40, 1, 0.0, 40)
            pooled.append(auc(sort_scores(truth, scores)))
        assert np.mean(pooled) < 0.46
        for variant in ("fold-mean", "pooled"):
            with pytest.raises(NotApplicable, match="leave-one-out"):
                cv_auc(truth, scores, of_item, variant=variant)

    def test_pooling_says_what_it_does(self) -> None:
        rng = np.random.default_rng(13)
        truth, scores, of_item, _ = centroid_scores(rng, 60, 3, 1.5, 5)
        assert codes(cv_auc(truth, scores, of_item, variant="pooled")) == {
            "pooled-scores",
            "stable-learner",
        }
        assert codes(cv_auc(truth, scores, of_item)) == {"stable-learner"}

    def test_another_scale_in_every_fold_changes_nothing(self) -> None:
        rng = np.random.default_rng(14)
        truth, scores, of_item, _ = centroid_scores(rng, 60, 3, 1.5, 5)
        other = scores * (1 + of_item) - 10 * of_item
        assert cv_auc(truth, scores, of_item) == cv_auc(truth, other, of_item)
        pooled = [cv_auc(truth, s, of_item, variant="pooled").value for s in (scores, other)]
        assert pooled[0] != pooled[1]

    @pytest.mark.parametrize("apart", [1.5, 3.0])
    def test_covers_the_average_area_of_the_fitted_models(self, apart: float) -> None:
        rng = np.random.default_rng(15)
        covered = []
        for _ in range(250):
            truth, scores, of_item, area = centroid_scores(rng, 100, 5, apart, 5)
            covered.append(covers(cv_auc(truth, scores, of_item), area))
        assert 0.915 <= np.mean(covered) <= 0.997

    def test_perfect_scores_have_a_width(self) -> None:
        truth = np.arange(40) % 2
        estimate = cv_auc(truth, truth, np.arange(40) // 2 % 4)
        assert estimate.value == 1.0
        assert limits(estimate)[0] < 0.95
        assert estimate.standard_error is None

    def test_one_positive_in_each_fold(self) -> None:
        truth = [1, 0, 0, 0, 1, 0, 0, 0]
        estimate = cv_auc(truth, [0.9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.2, 0.1], [0] * 4 + [1] * 4)
        assert agree(estimate.value, (1 + 2 / 3) / 2)
        assert estimate.interval is not None

    def test_folds_of_one_class(self) -> None:
        with pytest.raises(NotApplicable, match="1 of 2 folds"):
            cv_auc([0, 1, 0, 0], [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1])
        with pytest.raises(NotApplicable, match="one class only"):
            cv_auc([0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1], variant="pooled")
