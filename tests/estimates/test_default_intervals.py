"""The default interval of every measure: which method, and never an empty or zero-width one."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import assay
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import Estimate
from assay.core.wire import from_json, to_json
from assay.estimates.average_precision import average_precision_wilson
from assay.estimates.bootstrap import bootstrap
from assay.estimates.clustered_means import cluster_mean
from assay.estimates.default_intervals import estimate, estimates
from assay.estimates.means import mean_t
from assay.estimates.proportions import proportion
from assay.estimates.roc import auc_score, cluster_auc
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.measures.custom import from_function
from assay.measures.registry import find_measure, measures

RNG = np.random.default_rng(1)
N = 40
TRUTH = np.r_[np.zeros(24, int), np.ones(16, int)]
FLIPPED = np.where(RNG.random(N) < 0.25, 1 - TRUTH, TRUTH)
CLUSTER = np.arange(N) // 4
WEIGHT = RNG.random(N) + 0.1
SCORE = np.clip(0.25 + 0.5 * TRUTH + RNG.normal(0, 0.25, N), 0.01, 0.99)
NUMBER = RNG.normal(size=N) + 0.01
GUESS = NUMBER + RNG.normal(0, 0.3, N)


def evidence(columns: dict[str, Any], **options: Any) -> Predictions:
    named: dict[str, Any] = {role: role for role in ("cluster", "weight") if role in columns}
    named |= {"truth": "truth"} if "truth" in columns else {"losses": True}
    found = read(columns, **named, **options)
    assert isinstance(found, Predictions)
    return found


def limits(found: Estimate) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


LABELLED: dict[str, dict[str, Any]] = {
    "ordinary": {"truth": TRUTH, "a": FLIPPED},
    "perfect": {"truth": TRUTH, "a": TRUTH},
    "all wrong": {"truth": TRUTH, "a": 1 - TRUTH},
    "constant": {"truth": TRUTH, "a": 0 * TRUTH},
    "one class, right": {"truth": 0 * TRUTH, "a": 0 * TRUTH},
    "one class, mixed": {"truth": 0 * TRUTH, "a": TRUTH},
    "one item, right": {"truth": [1], "a": [1]},
    "one item, wrong": {"truth": [0], "a": [1]},
    "three classes": {"truth": np.arange(N) % 3, "a": (np.arange(N) + (FLIPPED != TRUTH)) % 3},
    "three classes, perfect": {"truth": np.arange(N) % 3, "a": np.arange(N) % 3},
    "clusters": {"truth": TRUTH, "a": FLIPPED, "cluster": CLUSTER},
    "clusters, perfect": {"truth": TRUTH, "a": TRUTH, "cluster": CLUSTER},
    "one cluster": {"truth": TRUTH, "a": FLIPPED, "cluster": 0 * CLUSTER},
    "weights": {"truth": TRUTH, "a": FLIPPED, "weight": WEIGHT},
    "weights, perfect": {"truth": TRUTH, "a": TRUTH, "weight": WEIGHT},
    "clusters and weights": {"truth": TRUTH, "a": FLIPPED, "cluster": CLUSTER, "weight": WEIGHT},
}
SCORED: dict[str, dict[str, Any]] = {
    "ordinary": {"truth": TRUTH, "a:score": SCORE},
    "perfect": {"truth": TRUTH, "a:score": 0.25 + 0.5 * TRUTH + SCORE / 100},
    "sure": {"truth": TRUTH, "a:score": 1.0 * TRUTH},
    "reversed": {"truth": TRUTH, "a:score": 0.75 - 0.5 * TRUTH},
    "constant": {"truth": TRUTH, "a:score": np.full(N, 0.5)},
    "rare": {"truth": np.r_[np.ones(3, int), np.zeros(N - 3, int)], "a:score": SCORE},
    "clusters": {"truth": TRUTH, "a:score": SCORE, "cluster": CLUSTER},
    "weights": {"truth": TRUTH, "a:score": SCORE, "weight": WEIGHT},
    "weights, sure": {"truth": TRUTH, "a:score": 1.0 * TRUTH, "weight": WEIGHT},
}
VALUED: dict[str, dict[str, Any]] = {
    "ordinary": {"truth": NUMBER, "a:value": GUESS},
    "perfect": {"truth": NUMBER, "a:value": NUMBER},
    "one item": {"truth": [1.5], "a:value": [1.75]},
    "two items": {"truth": [1.5, 2.5], "a:value": [1.75, 2.0]},
    "constant truth": {"truth": np.full(N, 1.5), "a:value": GUESS},
    "clusters": {"truth": NUMBER, "a:value": GUESS, "cluster": CLUSTER},
    "weights": {"truth": NUMBER, "a:value": GUESS, "weight": WEIGHT},
}
LABEL_MEASURES = [
    "accuracy", "error_rate", "precision", "recall", "specificity", "f1", "f2", "jaccard",
    "balanced_accuracy", "f1_macro", "f1_micro", "f1_weighted", "mcc", "kappa", "g_mean",
    "youden_j", "lr_plus", "diagnostic_odds_ratio", "mean_cost[0,1;5,0]", "total_cost[0,1;5,0]",
]  # fmt: skip
SCORE_MEASURES = [
    "roc_auc", "gini", "average_precision", "partial_auc[0.2]", "roc_auc_ovr", "log_loss",
    "brier", "ece", "mce",
]  # fmt: skip
VALUE_MEASURES = [name for name, one in measures().items() if one.needs == "values"]


def is_honest(found: Estimate) -> bool:
    """An undefined value with a note, or a value inside an interval of some width."""
    if found.value is None:
        return found.interval is None and bool(found.notes)
    low, high = limits(found)
    return low < high and low <= found.value <= high


def measures_of_two(name: str) -> bool:
    return find_measure(name).two_classes or "cost" in name


class TestEveryMeasure:
    @pytest.mark.parametrize("case", LABELLED)
    @pytest.mark.parametrize("measure", LABEL_MEASURES)
    def test_of_labels(self, case: str, measure: str) -> None:
        given = evidence(LABELLED[case], positive="1" if "three" not in case else None)
        if "three" in case and measures_of_two(measure):
            with pytest.raises(EvidenceError, match=r"two classes|is for 2 classes"):
                estimate(given, measure)
            return
        if "cost" in measure and len(given.classes) == 1:
            with pytest.raises(EvidenceError, match="is for 2 classes"):
                estimate(given, measure)
            return
        found = estimate(given, measure, n_resamples=199, rng=1)
        assert is_honest(found), found
        assert from_json(to_json(found)) == found

    @pytest.mark.parametrize("case", SCORED)
    @pytest.mark.parametrize("measure", SCORE_MEASURES)
    def test_of_scores(self, case: str, measure: str) -> None:
        found = estimate(evidence(SCORED[case], positive="1"), measure, n_resamples=199, rng=1)
        assert found.value is not None
        assert is_honest(found), found

    @pytest.mark.parametrize("case", VALUED)
    @pytest.mark.parametrize("measure", VALUE_MEASURES)
    def test_of_values(self, case: str, measure: str) -> None:
        found = estimate(evidence(VALUED[case]), measure, n_resamples=199, rng=1)
        assert is_honest(found), found

    def test_of_losses(self) -> None:
        found = estimate(evidence({"a:loss": np.abs(GUESS)}), "mean_loss")
        assert found.value == pytest.approx(np.abs(GUESS).mean())
        low, high = limits(mean_t(np.abs(GUESS)))
        assert limits(found)[0] == pytest.approx(low)
        assert high <= limits(found)[1] < high + 0.5 * (high - low)  # losses are skewed


class TestLabels:
    def test_a_proportion_has_the_interval_of_one(self) -> None:
        found = estimate(evidence(LABELLED["ordinary"]), "accuracy")
        wrong = int(np.count_nonzero(TRUTH != FLIPPED))
        low, high = limits(proportion(wrong, N))
        assert found.value == 1 - wrong / N
        assert limits(found) == pytest.approx((1 - high, 1 - low))
        assert found.method == "mid_p"

    def test_f1_is_a_function_of_a_proportion(self) -> None:
        found = estimate(evidence(LABELLED["ordinary"]), "f1")
        hit = int(np.count_nonzero((TRUTH == 1) & (FLIPPED == 1)))
        wrong = int(np.count_nonzero(TRUTH != FLIPPED))
        low, high = limits(proportion(hit, hit + wrong))
        assert limits(found) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))

    def test_with_many_cases_near_the_percentile_bootstrap(self) -> None:
        truth = np.repeat([0, 0, 1, 1], [60, 20, 15, 55])
        predicted = np.repeat([0, 1, 0, 1], [60, 20, 15, 55])
        given = evidence({"truth": truth, "a": predicted})
        found = estimate(given, "mcc", rng=5)
        beside = bootstrap(given, measure="mcc", rng=5)
        assert limits(found) == pytest.approx(limits(beside), abs=0.01)
        assert found.standard_error == pytest.approx(beside.standard_error, rel=0.05)
        assert found.notes == ()

    def test_many_classes_take_the_jackknife(self) -> None:
        rng = np.random.default_rng(3)
        truth = rng.integers(0, 80, 4000)
        predicted = np.where(rng.random(4000) < 0.3, rng.integers(0, 80, 4000), truth)
        found = estimate(evidence({"truth": truth, "a": predicted}), "f1_macro")
        assert found.method == "jackknife"
        low, high = limits(found)
        assert low < (found.value or 0.0) < high < low + 0.04
        perfect = estimate(evidence({"truth": truth, "a": truth}), "f1_macro")
        assert perfect.method == "smoothed delta"
        assert 0.9 < limits(perfect)[0] < 1.0

    def test_few_cases_are_smoothed_and_noted(self) -> None:
        truth = np.repeat([0, 0, 1, 1], [60, 20, 4, 55])
        predicted = np.repeat([0, 1, 0, 1], [60, 20, 4, 55])
        found = estimate(evidence({"truth": truth, "a": predicted}), "mcc", rng=5)
        assert found.method == "smoothed cells"
        assert [one.code for one in found.notes] == ["small-counts"]
        assert "only 4 wrong answers in class 1" in found.notes[0].message
        assert found.seed == 5

    def test_one_class_is_wide_and_noted(self) -> None:
        found = estimate(evidence(LABELLED["one class, mixed"]), "balanced_accuracy", rng=1)
        low, high = limits(found)
        assert high - low > 0.4
        assert "one-class" in {one.code for one in found.notes}

    def test_nothing_to_go_by_gives_the_whole_range(self) -> None:
        found = estimate(evidence(LABELLED["one item, right"]), "balanced_accuracy", rng=1)
        assert limits(found) == (0.0, 1.0)
        assert "whole-range" in {one.code for one in found.notes}

    def test_undefined_is_none_with_a_note(self) -> None:
        found = estimate(evidence(LABELLED["constant"]), "mcc")
        assert found.value is None
        assert [one.code for one in found.notes] == ["undefined-value"]


class TestDependence:
    def test_accuracy_of_clusters_is_a_clustered_mean(self) -> None:
        """CR2's t on the logit, with a standard error no smaller than that of independent items."""
        symmetric = np.repeat(
            [0, 1, 1, 2, 2, 3], 1
        )  # errors in clusters of 4 that lean to neither side
        wrong = np.concatenate([np.arange(4) < count for count in symmetric])
        truth, cluster = np.arange(24) % 2, np.arange(24) // 4
        table = {"truth": truth, "a": np.where(wrong, 1 - truth, truth), "cluster": cluster}
        found = estimate(evidence(table), "accuracy")
        mean = cluster_mean((~wrong).astype(float), cluster)
        facts: dict[str, Any] = dict(mean.details)
        assert mean.value is not None
        error = max(mean.standard_error or 0.0, facts["naive_se"])
        reach = stats.t.ppf(0.975, facts["df"]) * error
        expected = stretched_interval(mean.value, reach, low=0.0, high=1.0)
        assert limits(found) == pytest.approx(expected)

    def test_clusters_that_lean_reach_farther_to_that_side(self) -> None:
        """The gamma limits of a mean that leans as the cluster totals do, written out (decision 0288)."""
        found = estimate(evidence(LABELLED["clusters"]), "accuracy")
        right = (TRUTH == FLIPPED).astype(float)
        mean = cluster_mean(right, CLUSTER)
        facts: dict[str, Any] = dict(mean.details)
        assert mean.value is not None
        error = max(mean.standard_error or 0.0, facts["naive_se"])
        reach = stats.t.ppf(0.975, facts["df"])
        totals = np.bincount(CLUSTER, right - mean.value)
        lean = float((totals**3).sum() / (totals**2).sum() ** 1.5)
        assert lean < 0.0
        count = 1.0 / lean**2
        farther = (stats.gamma.isf(stats.norm.sf(reach), count + 0.5) - count) * -lean
        low, high = stretched_interval(mean.value, reach * error, low=0.0, high=1.0)
        added = (farther - reach) * error
        expected = min(low, max(low, mean.value - reach * error) - added), high
        assert limits(found) == pytest.approx(expected)

    def test_error_and_accuracy_of_clusters_mirror(self) -> None:
        right, wrong = (
            limits(estimate(evidence(LABELLED["clusters"]), measure))
            for measure in ("accuracy", "error_rate")
        )
        assert right == pytest.approx((1.0 - wrong[1], 1.0 - wrong[0]))

    def test_clusters_may_hide_rare_losses(self) -> None:
        """As independent items may: the interval allows for them, and heeds an end that was told."""
        losses = np.repeat([0.01, 0.02, 0.03, 0.04], 5) + np.tile(np.arange(5) / 1000.0, 4)
        table = {"a": losses, "cluster": np.repeat(np.arange(4), 5)}
        apart = [
            limits(
                assay.evaluate(table, losses=True, cluster="cluster", max_loss=most).estimates[0]
            )
            for most in (0.05, 1.0)
        ]
        assert apart[0][1] < 0.05 < apart[1][1]
        with pytest.raises(UsageError, match="too small"):
            assay.evaluate(table, losses=True, cluster="cluster", max_loss=0.02)

    def test_other_measures_leave_out_clusters(self) -> None:
        found = estimate(evidence(LABELLED["clusters"]), "mcc")
        assert found.method == "jackknife"
        assert dict(found.details)["df"] == N // 4 - 1

    def test_auc_of_clusters_leaves_them_out(self) -> None:
        found = estimate(evidence(SCORED["clusters"]), "roc_auc")
        assert (found.method, dict(found.details)["n_clusters"]) == ("jackknife", N // 4)
        low, high = limits(cluster_auc(TRUTH, SCORE, clusters=CLUSTER))
        assert limits(found)[0] < low < high < limits(found)[1]  # Obuchowski's covers less

    def test_equal_weights_are_nearly_no_weights(self) -> None:
        columns = LABELLED["ordinary"] | {"weight": np.full(N, 2.5)}
        one, other = (
            estimate(evidence(given), "f2", rng=1) for given in (columns, LABELLED["ordinary"])
        )
        assert one.value == pytest.approx(other.value)
        assert limits(one) == pytest.approx(limits(other), abs=0.05)

    @pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc", "f1_macro"])
    def test_doubling_all_weights_changes_nothing(self, measure: str) -> None:
        one, two = (
            estimate(evidence(LABELLED["weights"] | {"weight": times * WEIGHT}), measure)
            for times in (1, 2)
        )
        assert one.value == pytest.approx(two.value)
        assert limits(one) == pytest.approx(limits(two))

    @pytest.mark.parametrize("measure", ["accuracy", "brier", "log_loss"])
    def test_weighted_means_reach_at_least_as_far_as_on_a_scale_without_ends(
        self, measure: str
    ) -> None:
        columns = {"truth": TRUTH, "weight": WEIGHT}
        columns |= {"a": FLIPPED} if measure == "accuracy" else {"a:score": SCORE}
        found, chosen = estimate(evidence(columns), measure), find_measure(measure)
        assert found.value is not None
        assert found.standard_error is not None
        df = float(str(dict(found.details)["df"]))
        reach = float(stats.t.ppf(0.975, df)) * found.standard_error
        low, high = stretched_interval(found.value, reach, low=chosen.low, high=chosen.high)
        assert chosen.low <= limits(found)[0] <= low * (1.0 + 1e-9)
        assert high * (1.0 - 1e-9) <= limits(found)[1] <= chosen.high

    @pytest.mark.parametrize("measure", ["brier", "log_loss"])
    def test_equal_weights_change_no_mean(self, measure: str) -> None:
        columns = {"truth": TRUTH, "a:score": SCORE}
        plain = estimate(evidence(columns), measure)
        equal = estimate(evidence(columns | {"weight": np.full(len(TRUTH), 2.5)}), measure)
        assert limits(equal) == pytest.approx(limits(plain), rel=1e-9)

    def test_a_rare_loss_reaches_far_though_weights_say_it_is_one(self) -> None:
        """Brier scores near 0 but for one: t is symmetric about the mean, what is rare is not."""
        truth = np.r_[np.zeros(29, int), 1]
        chance = np.r_[np.linspace(0.01, 0.04, 29), 0.05]
        found = estimate(
            evidence({"truth": truth, "a:score": chance, "weight": np.linspace(0.5, 1.5, 30)}), "brier"
        )  # fmt: skip
        assert found.value is not None
        assert limits(found)[1] - found.value > 3.0 * (found.value - limits(found)[0])

    def test_average_precision_of_few_positives_starts_lower(self) -> None:
        """Deletions show that it lies too high: the lower limit starts from what they leave."""
        rng = np.random.default_rng(3)
        truth, cluster = (np.arange(60) % 5 == 0).astype(int), np.arange(60) // 6
        columns = {"truth": truth, "a:score": truth + rng.standard_normal(60), "cluster": cluster}
        found = estimate(evidence(columns), "average_precision")
        assert found.value is not None
        assert found.standard_error is not None
        parts = [
            evidence({name: own[cluster != one] for name, own in columns.items()})
            for one in range(10)
        ]
        left = [estimate(part, "average_precision").value or 0.0 for part in parts]
        bias = 9.0 * (float(np.mean(left)) - found.value)
        assert bias > 0.0
        df = float(str(dict(found.details)["df"]))
        reach = float(stats.t.ppf(0.975, df)) * found.standard_error
        low, _ = stretched_interval(found.value - bias, reach, low=0.0, high=1.0)
        _, high = stretched_interval(found.value, reach, low=0.0, high=1.0)
        assert limits(found) == pytest.approx((low, high), rel=1e-9)

    def test_skewed_weighted_losses_are_noted(self) -> None:
        losses = np.r_[np.zeros(35) + 0.01 * np.arange(35), 4.0, 5.0, 6.0, 7.0, 9.0]
        found = estimate(evidence({"a": losses, "weight": WEIGHT}), "mean_loss")
        assert "skewed-values" in {one.code for one in found.notes}

    def test_few_answers_in_clusters_are_noted(self) -> None:
        found = estimate(evidence(LABELLED["clusters"]), "mcc")
        assert [one.code for one in found.notes] == ["small-counts"]
        counts = [
            int(np.sum((one == TRUTH) & (said == FLIPPED))) for one in (0, 1) for said in (0, 1)
        ]
        assert f"only {min(counts)} " in found.notes[0].message

    @pytest.mark.parametrize(
        ("clusters", "method"), [(6, "jackknife"), (10, "bootstrap percentile")]
    )
    def test_a_median_of_clusters(self, clusters: int, method: str) -> None:
        columns = VALUED["ordinary"] | {"cluster": np.arange(N) % clusters}
        found = estimate(evidence(columns), "median_ae", rng=1)
        assert found.interval is not None
        assert found.interval.method == method
        noted = {one.code for one in found.notes}
        assert ("few-resampled" in noted) == (clusters == 10)

    def test_a_weighted_median_is_bootstrapped(self) -> None:
        found = estimate(evidence(VALUED["weights"]), "median_ae", rng=1)
        assert found.interval is not None
        assert found.interval.method == "bootstrap percentile"

    def test_one_look_serves_all_levels(self) -> None:
        looked = estimates(evidence(VALUED["weights"]), "median_ae", n_resamples=199, rng=1)
        for level in (0.8, 0.95):
            expected = estimate(
                evidence(VALUED["weights"]), "median_ae", level=level, n_resamples=199, rng=1
            )
            assert looked(level) == expected

    def test_clusters_without_variation_say_so(self) -> None:
        found = estimate(evidence(LABELLED["clusters, perfect"]), "accuracy")
        assert limits(found)[1] == 1.0
        assert limits(found)[0] < limits(estimate(evidence(LABELLED["perfect"]), "accuracy"))[0]
        assert [one.code for one in found.notes] == ["equal-values"]


class TestRankings:
    def test_auc_is_the_score_interval(self) -> None:
        assert limits(estimate(evidence(SCORED["ordinary"]), "roc_auc")) == limits(
            auc_score(TRUTH, SCORE)
        )

    def test_few_positives_are_noted(self) -> None:
        found = estimate(evidence(SCORED["rare"]), "roc_auc")
        assert [one.code for one in found.notes] == ["small-counts"]
        assert "only 3 items of the rarer class" in found.notes[0].message

    def test_gini_is_a_function_of_the_auc(self) -> None:
        low, high = limits(auc_score(TRUTH, SCORE))
        found = estimate(evidence(SCORED["ordinary"]), "gini")
        assert limits(found) == pytest.approx((2 * low - 1, 2 * high - 1))

    def test_partial_area_of_few_positives_is_smoothed(self) -> None:
        found = estimate(evidence(SCORED["rare"]), "partial_auc[0.2]", n_resamples=499, rng=1)
        assert found.method == "smoothed items"
        assert [one.code for one in found.notes] == ["small-counts"]

    def test_partial_area_of_many_is_bca(self) -> None:
        given = evidence(SCORED["ordinary"])
        found = estimate(given, "partial_auc[0.2]", n_resamples=499, rng=1)
        other = bootstrap(given, measure="partial_auc[0.2]", interval="bca", n_resamples=499, rng=1)
        assert limits(found) == limits(other)

    @pytest.mark.parametrize("kind", ["rare", "ordinary"])
    def test_average_precision_needs_no_draws(self, kind: str) -> None:
        given = evidence(SCORED[kind])
        columns = given.columns("scores")
        found = estimate(given, "average_precision", rng=1)
        other = average_precision_wilson(columns.truth, columns.predictions[0])
        assert (limits(found), found.notes) == (limits(other), other.notes)
        assert found.seed is None

    def test_average_precision_by_another_interval(self) -> None:
        given = evidence(SCORED["ordinary"])
        found = estimate(given, "average_precision", interval="bca", n_resamples=199, rng=1)
        assert found.method == "bootstrap"

    def test_an_area_known_from_few_items_is_noted(self) -> None:
        """Fifty of each class, one of which is misplaced."""
        truth, scores = np.repeat([0, 1], 50), np.arange(100.0)
        scores[0] = 75.5
        found = estimate(evidence({"truth": truth, "a:score": scores}), "roc_auc")
        assert [one.code for one in found.notes] == ["small-counts"]
        assert "in effect" in found.notes[0].message

    def test_one_class_cannot_be_ranked(self) -> None:
        given = evidence({"truth": 0 * TRUTH, "a:score": SCORE}, positive="1")
        for measure in ("roc_auc", "average_precision"):
            found = estimate(given, measure)
            assert found.value is None
            assert "one-class" in {one.code for one in found.notes}

    def test_calibration_error_allows_for_its_bias(self) -> None:
        found = estimate(evidence(SCORED["ordinary"]), "mce", rng=1)
        assert "bootstrap-bias" in {one.code for one in found.notes}
        rng = np.random.default_rng(3)
        held = 0
        for _ in range(100):
            chance = rng.random(100)
            given = {
                "truth": (rng.random(100) < chance).astype(int),
                "a:p(1)": chance,
                "a:p(0)": 1 - chance,
            }
            found = estimate(evidence(given), "ece")
            held += limits(found)[0] == 0.0  # what a calibrated model truly has
        assert held >= 90
        (noted,) = [one for one in found.notes if one.code == "calibration-noise"]
        assert "in 10 bins with 100 items" in noted.message


class TestMeans:
    def test_rmse_is_the_root_of_the_interval_of_the_mse(self) -> None:
        mse = estimate(evidence(VALUED["ordinary"]), "mse")
        rmse = estimate(evidence(VALUED["ordinary"]), "rmse")
        assert limits(rmse) == pytest.approx(tuple(np.sqrt(limits(mse))))
        assert mse.standard_error is not None
        assert rmse.value is not None
        assert rmse.standard_error == pytest.approx(mse.standard_error / (2 * rmse.value), rel=1e-4)

    def test_equal_losses_leave_what_others_could_change(self) -> None:
        found = estimate(evidence(SCORED["sure"]), "brier")
        low, high = limits(found)
        assert (low, found.value) == (0.0, 0.0)
        assert high == pytest.approx(2 * limits(proportion(0, N))[1])
        assert [one.code for one in found.notes] == ["equal-values"]

    def test_skewed_losses_are_noted(self) -> None:
        """By Cochran's rule: a few large losses among many small ones need many items."""
        losses = np.r_[np.linspace(0.0, 1.0, 95), [20.0] * 5]
        found = estimate(evidence({"a": losses}), "mean_loss")
        assert found.method == "mean_t"
        assert [one.code for one in found.notes] == ["skewed-values"]
        needed = math.ceil(25 * stats.skew(losses) ** 2)
        assert f"{needed:,} values would do" in found.notes[0].message
        many = estimate(evidence({"a": np.tile(losses, 10)}), "mean_loss")
        assert many.notes == ()

    def test_few_values_at_a_high_level(self) -> None:
        losses = evidence({"a": np.linspace(0.1, 0.9, 10)})
        assert estimate(losses, "mean_loss").notes == ()
        found = estimate(losses, "mean_loss", level=0.99)
        assert [one.code for one in found.notes] == ["few-for-the-level"]

    def test_an_impossible_item_makes_the_log_loss_infinite(self) -> None:
        scores = SCORE.copy()
        scores[0] = 1.0
        found = estimate(evidence({"truth": TRUTH, "a:score": scores}), "log_loss", rng=1)
        assert found.value == np.inf
        assert limits(found)[1] == np.inf
        assert "infinite-value" in {one.code for one in found.notes}

    def test_the_largest_error_has_no_upper_limit(self) -> None:
        found = estimate(evidence(VALUED["ordinary"]), "max_error")
        assert limits(found) == (found.value, np.inf)
        assert [one.code for one in found.notes] == ["unbounded-maximum"]

    def test_correlation_stays_below_one(self) -> None:
        found = estimate(evidence(VALUED["ordinary"]), "correlation")
        assert found.method == "jackknife"
        assert limits(found)[1] < 1.0

    def test_an_own_measure_is_bootstrapped(self) -> None:
        close = from_function(
            lambda truth, prediction: float(np.mean(np.abs(truth - prediction) < 0.2)),
            name="close", needs="values", low=0.0, high=1.0,
        )  # fmt: skip
        given = evidence(VALUED["ordinary"])
        found = estimate(given, close, n_resamples=499, rng=1)
        assert found.measure == "close"
        assert limits(found) == limits(bootstrap(given, measure=close, n_resamples=499, rng=1))


class TestOptions:
    def test_a_bootstrap_interval_by_name(self) -> None:
        given = evidence(LABELLED["ordinary"])
        for kind in ("percentile", "basic", "bca", "normal"):
            found = estimate(given, "f1", interval=kind, n_resamples=499, rng=1)
            other = bootstrap(given, measure="f1", interval=kind, n_resamples=499, rng=1)
            assert limits(found) == limits(other)

    def test_one_of_several_models(self) -> None:
        given = evidence({"truth": TRUTH, "a": TRUTH, "b": FLIPPED})
        assert estimate(given, "accuracy", "a").value == 1.0
        assert estimate(given, "accuracy", "b").model == "b"

    def test_refuses_what_it_does_not_know(self) -> None:
        given = evidence(LABELLED["ordinary"])
        with pytest.raises(
            UsageError, match=r"interval is one of default, percentile.*assay.wilson"
        ):
            estimate(given, "f1", interval="wald")
        with pytest.raises(UsageError, match=r"did you mean 0\.95"):
            estimate(given, "f1", level=95)
        with pytest.raises(NotApplicable, match="roc_auc needs scores"):
            estimate(given, "roc_auc")


class TestCoverage:
    @pytest.mark.slow
    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy", "f1_macro"])
    def test_of_label_measures_at_small_counts(self, measure: str) -> None:
        truth = np.array([0.896, 0.004, 0.004, 0.096])  # 10 % positive, recall and precision 0.96
        chosen = measures()[measure].bind(("0", "1"), "1")
        value = float(chosen.function(truth.reshape(2, 2)))
        rng = np.random.default_rng(4)
        missed_below = missed_above = total = 0
        for table in rng.multinomial(100, truth, 150):
            found = estimate(_of_counts(table), measure, n_resamples=399, rng=1)
            if found.value is None:
                continue
            low, high = limits(found)
            total += 1
            missed_below += value < low
            missed_above += value > high
        limit = stats.binom(total, 0.05).ppf(0.999)
        assert missed_below + missed_above <= limit


def _of_counts(table: NDArray[Any]) -> Predictions:
    return evidence(
        {"truth": np.repeat([0, 0, 1, 1], table), "a": np.repeat([0, 1, 0, 1], table)},
        positive="1",
    )
