"""The bootstrap of measures: distribution, agreement with scipy, degenerate evidence, coverage."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.wire import from_json, to_json
from assay.estimates.bootstrap import (
    Replicates,
    bootstrap,
    bootstrap_p_value,
    jackknife,
    percentile_interval,
    replicate,
)
from assay.estimates.smoothed_intervals import smoothed_interval, smoothed_ranking_draws, widened
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.measures.custom import from_function
from assay.measures.registry import find_measure


def evidence(columns: dict[str, Any], **options: Any) -> Predictions:
    found = read(columns, truth="truth", **options)
    assert isinstance(found, Predictions)
    return found


def labelled(n: int = 200, seed: int = 1, models: int = 1, **more: Any) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    columns: dict[str, Any] = {"truth": truth}
    for name in "abc"[:models]:
        columns[name] = np.where(rng.random(n) < 0.2, 1 - truth, truth)
    return {**columns, **more}


def scored(n: int = 120, seed: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return {"truth": truth, "a:score": np.round(truth + rng.normal(size=n), 3)}


def f1_of(truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    hit = np.count_nonzero((truth == 1) & (predicted == 1))
    return float(2 * hit / (np.count_nonzero(truth == 1) + np.count_nonzero(predicted == 1)))


def by_rows(statistic: Any, n: int, size: int, seed: int) -> NDArray[Any]:
    """Replicates by resampling rows one by one: the definition."""
    rng = np.random.default_rng(seed)
    return np.array([statistic(rng.integers(0, n, n)) for _ in range(size)])


class TestReplicate:
    def test_labels_equal_resampled_rows_in_distribution(self) -> None:
        columns = labelled(80)
        truth, predicted = columns["truth"], columns["a"]
        found = replicate(evidence(columns), find_measure("f1"), n_resamples=3000, rng=1)
        brute = by_rows(lambda rows: f1_of(truth[rows], predicted[rows]), 80, 3000, 2)
        assert found.values[0] == pytest.approx(f1_of(truth, predicted))
        assert stats.ks_2samp(found.replicates[:, 0], brute).pvalue > 1e-3

    def test_models_are_resampled_together(self) -> None:
        columns = labelled(150, models=2)
        truth, a, b = (columns[name] for name in ("truth", "a", "b"))
        found = replicate(evidence(columns), find_measure("f1"), n_resamples=3000, rng=1)
        value, differences = found.difference("a", "b")
        brute = by_rows(
            lambda rows: f1_of(truth[rows], a[rows]) - f1_of(truth[rows], b[rows]), 150, 3000, 3
        )
        assert value == pytest.approx(f1_of(truth, a) - f1_of(truth, b))
        assert stats.ks_2samp(differences, brute).pvalue > 1e-3

    def test_scores_equal_resampled_rows_in_distribution(self) -> None:
        columns = scored(60)
        truth, score = columns["truth"], columns["a:score"]
        found = replicate(evidence(columns), find_measure("roc_auc"), n_resamples=2000, rng=1)

        def auc(rows: NDArray[Any]) -> float:
            one, other = score[rows][truth[rows] == 1], score[rows][truth[rows] == 0]
            u = stats.mannwhitneyu(one, other, method="asymptotic").statistic
            return float(u / (one.size * other.size))

        brute = by_rows(auc, 60, 600, 4)
        assert stats.ks_2samp(found.replicates[:, 0], brute).pvalue > 1e-3

    def test_ties_are_reduced_without_changing_the_distribution(self) -> None:
        columns = scored(200)
        columns["a:score"] = np.round(columns["a:score"])
        found = replicate(evidence(columns), find_measure("roc_auc"), n_resamples=2000, rng=1)
        jittered = columns | {"b:score": np.arange(200) / 7}  # a second model keeps rows distinct
        joint = replicate(evidence(jittered), find_measure("roc_auc"), n_resamples=2000, rng=2)
        assert found.values[0] == joint.values[0]
        assert stats.ks_2samp(found.replicates[:, 0], joint.replicates[:, 0]).pvalue > 1e-3

    def test_clusters_are_drawn_whole(self) -> None:
        rng = np.random.default_rng(5)
        cluster = np.repeat(np.arange(30), 4)
        columns = labelled(120, cluster=cluster)
        truth, predicted = columns["truth"], columns["a"]
        found = replicate(
            evidence(columns, cluster="cluster"), find_measure("f1"), n_resamples=2000, rng=1
        )
        members = [np.flatnonzero(cluster == one) for one in range(30)]
        brute = []
        for _ in range(2000):
            rows = np.concatenate([members[one] for one in rng.integers(0, 30, 30)])
            brute.append(f1_of(truth[rows], predicted[rows]))
        assert found.kind == "clusters"
        assert stats.ks_2samp(found.replicates[:, 0], brute).pvalue > 1e-3

    def test_importance_weights_travel_with_their_items(self) -> None:
        weight = np.random.default_rng(6).choice([0.5, 1.0, 3.0], size=100)
        columns = labelled(100, weight=weight)
        right = (columns["truth"] == columns["a"]).astype(float)
        found = replicate(
            evidence(columns, weight="weight"), find_measure("accuracy"), n_resamples=3000, rng=1
        )
        brute = by_rows(lambda rows: np.average(right[rows], weights=weight[rows]), 100, 3000, 7)
        assert found.values[0] == pytest.approx(np.average(right, weights=weight))
        assert stats.ks_2samp(found.replicates[:, 0], brute).pvalue > 1e-3

    def test_doubling_all_weights_changes_nothing(self) -> None:
        weight = np.random.default_rng(6).choice([0.5, 1.0, 3.0], size=100)
        one, two = (
            replicate(
                evidence(labelled(100, weight=times * weight), weight="weight"),
                find_measure("f1"),
                n_resamples=200,
                rng=1,
            )
            for times in (1, 2)
        )
        np.testing.assert_allclose(one.replicates, two.replicates, rtol=1e-12)

    def test_own_function_with_and_without_weights(self) -> None:
        def plain(truth: Any, prediction: Any) -> float:
            return float(np.mean(truth == prediction))

        def weighted(truth: Any, prediction: Any, weight: Any = None) -> float:
            return float(np.average(truth == prediction, weights=weight))

        found = [
            replicate(evidence(labelled(50)), from_function(one), n_resamples=300, rng=1)
            for one in (plain, weighted)
        ]
        np.testing.assert_allclose(found[0].replicates, found[1].replicates)
        assert found[0].values[0] == pytest.approx(
            np.mean(labelled(50)["truth"] == labelled(50)["a"])
        )

    def test_own_function_sees_classes_not_codes(self) -> None:
        names = np.array(["cat", "dog"])
        columns = labelled(40)
        text = {"truth": names[columns["truth"]], "a": names[columns["a"]]}
        seen = from_function(lambda truth, prediction: float(np.mean(prediction == "dog")))
        found = replicate(evidence(text), seen, n_resamples=50, rng=1)
        assert found.values[0] == pytest.approx(np.mean(columns["a"] == 1))
        ones = from_function(lambda truth, prediction: float(np.mean(prediction == 1)))
        numbers = replicate(evidence(columns), ones, n_resamples=50, rng=1)
        assert numbers.values[0] == found.values[0]

    @pytest.mark.parametrize("measure", ["f1", "roc_auc", "brier"])
    def test_same_seed_same_bytes_whatever_the_order_of_rows(self, measure: str) -> None:
        columns = scored() if measure != "f1" else labelled()
        if measure == "brier":
            columns["a:score"] = 1 / (1 + np.exp(-columns["a:score"]))
        order = np.random.default_rng(1).permutation(len(columns["truth"]))
        shuffled = {name: values[order] for name, values in columns.items()}
        one, other, another = (
            replicate(evidence(given), find_measure(measure), n_resamples=300, rng=seed)
            for given, seed in ((columns, 9), (shuffled, 9), (columns, 10))
        )
        assert one.replicates.tobytes() == other.replicates.tobytes()
        assert one.replicates.tobytes() != another.replicates.tobytes()

    def test_stratified_keeps_the_classes(self) -> None:
        columns = labelled(60)
        recall = find_measure("recall")
        free, fixed = (
            replicate(evidence(columns), recall, n_resamples=400, rng=1, stratified=flag)
            for flag in (False, True)
        )
        positives = int(columns["truth"].sum())
        steps = fixed.replicates[:, 0] * positives
        np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
        assert not np.allclose(free.replicates[:, 0] * positives % 1, 0)

    def test_refuses_strata_of_clusters(self) -> None:
        columns = labelled(40, cluster=np.arange(40) // 2)
        with pytest.raises(UsageError, match="whole clusters are drawn"):
            replicate(
                evidence(columns, cluster="cluster"),
                find_measure("f1"),
                n_resamples=9,
                stratified=True,
            )

    def test_refuses_a_measure_that_the_evidence_cannot_give(self) -> None:
        with pytest.raises(NotApplicable, match=r"f1 needs predicted labels, but .*threshold"):
            replicate(evidence(scored()), find_measure("f1"), n_resamples=9)
        with pytest.raises(EvidenceError, match="no model 'z'"):
            replicate(evidence(labelled()), find_measure("f1"), models=["z"], n_resamples=9)


class TestDifference:
    def test_rounding_next_to_zero_becomes_a_tie(self) -> None:
        """A kappa of 0 is 1e-17 or so, on either side, where the counts are weights."""
        found = Replicates(
            measure="kappa",
            models=("a", "b"),
            values=np.array([0.5, 0.25]),
            replicates=np.array([[1e-17, -2e-17], [0.5, 0.25], [np.nan, 0.1], [np.inf, 0.2]]),
            seed=1,
            kind="items",
            units=4.0,
            extent=2.0,
        )
        _, differences = found.difference("a", "b")
        assert differences[0] == 0.0
        assert differences[1] == 0.25
        assert np.isnan(differences[2:]).all()

    def test_rounding_becomes_a_tie(self) -> None:
        found = Replicates(
            measure="mcc",
            models=("a", "b"),
            values=np.array([0.3, 0.1 + 0.2]),
            replicates=np.array([[0.3, 0.1 + 0.2], [0.5, 0.4]]),
            seed=1,
            kind="items",
            units=2.0,
            extent=2.0,
        )
        value, differences = found.difference("a", "b")
        assert value == 0.0
        assert differences.tolist() == [0.0, pytest.approx(0.1)]


class TestBootstrap:
    def test_agrees_with_scipy(self) -> None:
        columns = labelled(150)
        truth, predicted = columns["truth"], columns["a"]

        def statistic(rows: NDArray[Any]) -> float:
            return f1_of(truth[rows.astype(int)], predicted[rows.astype(int)])

        for kind in ("percentile", "basic", "bca"):
            ours = bootstrap(evidence(columns), measure="f1", interval=kind, rng=1)
            theirs = stats.bootstrap(
                (np.arange(150),),
                statistic,
                vectorized=False,
                n_resamples=2999,
                method=kind if kind != "bca" else "BCa",
                rng=np.random.default_rng(2),
            )
            assert ours.interval is not None
            assert ours.standard_error == pytest.approx(float(theirs.standard_error), rel=0.06)
            limits = theirs.confidence_interval
            # the Monte-Carlo error of a 2.5 % point is about 0.05 standard errors at 3,000
            slack = 0.25 * float(theirs.standard_error)
            assert ours.interval.low == pytest.approx(float(limits.low), abs=slack)
            assert ours.interval.high == pytest.approx(float(limits.high), abs=slack)

    @pytest.mark.parametrize("interval", ["percentile", "basic", "bca"])
    def test_quantiles_by_name(self, interval: str) -> None:
        """The definitions themselves are held against R in the reference cases."""
        columns = evidence(labelled())
        found = {
            name: bootstrap(columns, interval=interval, rng=1, n_resamples=150, quantiles=name)
            for name in ("order", "boot", "type7")
        }
        ends = {name: one.interval for name, one in found.items()}
        assert len(set(ends.values())) == 3
        drawn = replicate(columns, find_measure("accuracy"), n_resamples=150, rng=1)
        if interval == "percentile":
            low, high = np.quantile(drawn.replicates[:, 0], [0.025, 0.975])
            assert ends["type7"] is not None
            assert (ends["type7"].low, ends["type7"].high) == pytest.approx((low, high))
        with pytest.raises(UsageError, match="quantiles is one of order, boot, type7"):
            bootstrap(columns, quantiles="type6")  # type: ignore[arg-type]

    def test_details_say_what_was_done(self) -> None:
        found = bootstrap(evidence(labelled()), measure="mcc", interval="bca", rng=3)
        details = dict(found.details)
        assert found.seed == 3
        assert details["n_resamples"] == 9999
        assert details["undefined"] == 0
        assert details["resampled"] == "items"
        assert abs(float(str(details["z0"]))) < 0.2
        assert details["bias_corrected"] is None
        assert from_json(to_json(found)) == found

    def test_bias_is_the_mean_of_replicates_minus_the_estimate(self) -> None:
        columns = labelled(60)
        found = bootstrap(evidence(columns), measure="f1", n_resamples=500, rng=1)
        joint = replicate(evidence(columns), find_measure("f1"), n_resamples=500, rng=1)
        assert dict(found.details)["bias"] == pytest.approx(
            joint.replicates.mean() - joint.values[0]
        )

    def test_corrects_a_bias_only_where_it_matters(self) -> None:
        columns = scored(60)
        columns["a:score"] = 1 / (1 + np.exp(-columns["a:score"]))
        found = bootstrap(evidence(columns), measure="ece", rng=1)
        details = dict(found.details)
        bias, error = float(str(details["bias"])), found.standard_error
        assert error is not None
        assert bias > 0.25 * error
        assert found.value is not None
        assert details["bias_corrected"] == pytest.approx(found.value - bias)
        assert "bootstrap-bias" in {one.code for one in found.notes}

    def test_perfect_predictions_have_no_bootstrap_interval(self) -> None:
        columns = labelled(40)
        columns["a"] = columns["truth"]
        found = bootstrap(evidence(columns), measure="mcc", rng=1)
        assert found.value == 1.0
        assert found.interval is None
        assert [one.code for one in found.notes] == ["zero-variance"]

    def test_undefined_replicates_are_counted(self) -> None:
        truth = np.array([1] * 4 + [0] * 40)
        columns = {"truth": truth, "a:score": np.linspace(1, 0, 44) + 0.3 * (np.arange(44) % 2)}
        found = bootstrap(evidence(columns), measure="roc_auc", rng=1)
        undefined = dict(found.details)["undefined"]
        assert isinstance(undefined, int)
        assert 0 < undefined < 500
        assert found.interval is not None
        assert "undefined-replicates" in {one.code for one in found.notes}
        fixed = bootstrap(evidence(columns), measure="roc_auc", rng=1, stratified=True)
        assert dict(fixed.details)["undefined"] == 0
        assert "undefined-replicates" not in {one.code for one in fixed.notes}

    def test_too_many_undefined_replicates_leave_no_interval(self) -> None:
        truth = np.array([1] + [0] * 20)
        columns = {"truth": truth, "a:score": np.linspace(1, 0, 21) + 0.3 * (np.arange(21) % 2)}
        found = bootstrap(evidence(columns), measure="roc_auc", rng=1)
        assert found.interval is None
        assert "undefined-replicates-many" in {one.code for one in found.notes}

    def test_too_few_clusters_leave_no_interval(self) -> None:
        columns = labelled(40, cluster=np.arange(40) % 5)
        found = bootstrap(evidence(columns, cluster="cluster"), measure="f1", rng=1)
        assert found.interval is None
        assert "clusters-too-few" in {one.code for one in found.notes}

    def test_one_sided_replicates_leave_bca_undefined(self) -> None:
        distinct = from_function(
            lambda truth, prediction: float(np.unique(prediction).size), needs="scores"
        )
        columns = {"truth": [0, 1] * 20, "a:score": np.arange(40) / 40}
        found = bootstrap(
            evidence(columns), measure=distinct, interval="bca", n_resamples=199, rng=1, level=0.9
        )
        assert found.value == 40.0
        assert found.interval is None
        assert "bca-undefined" in {one.code for one in found.notes}

    def test_normal_and_basic_are_cut_to_the_range(self) -> None:
        columns = labelled(30)
        columns["a"] = np.where(np.arange(30) == 3, 1 - columns["truth"], columns["truth"])
        for kind in ("normal", "basic"):
            found = bootstrap(evidence(columns), measure="accuracy", interval=kind, rng=1)
            assert found.interval is not None
            assert 0.0 <= found.interval.low < found.interval.high == 1.0

    def test_refuses_two_models_and_unknown_intervals(self) -> None:
        with pytest.raises(EvidenceError, match="this takes one model"):
            bootstrap(labelled(models=2), measure="f1")
        with pytest.raises(UsageError, match="interval is one of percentile, basic, bca, normal"):
            bootstrap(labelled(), measure="f1", interval="exact")
        with pytest.raises(UsageError, match="n_resamples of at least 39"):
            bootstrap(labelled(), measure="f1", n_resamples=20)

    def test_p_value_decides_with_the_interval_and_is_never_zero(self) -> None:
        found = replicate(
            evidence(labelled(200, models=2)), find_measure("f1"), n_resamples=999, rng=1
        )
        _, differences = found.difference("a", "b")
        low, high = percentile_interval(differences)
        for null in (-2.0, low, 0.0, high, 2.0):
            p_value = bootstrap_p_value(differences, null=null)
            assert p_value >= 2 / 1000
            assert (p_value <= 0.05) == (not low <= null <= high)


class TestJackknife:
    def test_stays_in_the_range_and_agrees_with_the_bootstrap(self) -> None:
        columns = labelled(300)
        one = jackknife(evidence(columns), measure="mcc")
        other = bootstrap(evidence(columns), measure="mcc", rng=1)
        assert one.interval is not None
        assert other.interval is not None
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.05)
        assert one.interval.low == pytest.approx(other.interval.low, abs=0.02)
        assert one.interval.high == pytest.approx(other.interval.high, abs=0.02)

    def test_standard_error_of_accuracy_is_the_binomial_one(self) -> None:
        columns = labelled(100)
        right = np.mean(columns["truth"] == columns["a"])
        found = jackknife(evidence(columns), measure="accuracy")
        assert found.standard_error == pytest.approx(np.sqrt(right * (1 - right) / 99))

    def test_clusters_are_left_out_whole(self) -> None:
        cluster = np.arange(60) // 6
        columns = labelled(60, cluster=cluster)
        truth, predicted = columns["truth"], columns["a"]
        found = jackknife(evidence(columns, cluster="cluster"), measure="f1")
        left = [f1_of(truth[cluster != one], predicted[cluster != one]) for one in range(10)]
        strays = np.array(left) - f1_of(truth, predicted)
        assert found.standard_error == pytest.approx(np.sqrt(0.9 * (strays**2).sum()))
        assert dict(found.details)["df"] == 9

    def test_few_clusters_are_noted(self) -> None:
        columns = labelled(60, cluster=np.arange(60) % 3)
        found = jackknife(evidence(columns, cluster="cluster"), measure="f1")
        assert found.interval is not None
        assert "few-clusters" in {one.code for one in found.notes}

    def test_undefined_and_flat_values_say_so(self) -> None:
        truth = np.array([0, 0, 0, 1])
        lone = jackknife({"truth": truth, "a": [0, 1, 0, 1]}, measure="mcc")
        assert lone.interval is None
        assert "jackknife-undefined" in {one.code for one in lone.notes}
        perfect = jackknife({"truth": truth, "a": truth}, measure="accuracy")
        assert perfect.interval is None
        assert "zero-variance" in {one.code for one in perfect.notes}


def cells(tn: int, fp: int, fn: int, tp: int) -> NDArray[Any]:
    return np.array([[tn, fp], [fn, tp]], dtype=float)


class TestSmoothedInterval:
    @pytest.mark.parametrize("measure", ["mcc", "balanced_accuracy", "f1_macro", "kappa"])
    @pytest.mark.parametrize(
        "table", [cells(20, 0, 0, 20), cells(0, 20, 20, 0), cells(1, 0, 0, 1)], ids=str
    )
    def test_has_width_at_the_ends_and_holds_the_estimate(
        self, measure: str, table: NDArray[Any]
    ) -> None:
        function = find_measure(measure).function
        low, high = smoothed_interval(table, function)
        assert low <= float(function(table)) <= high
        assert high - low > 0.05

    def test_many_items_give_what_the_bootstrap_gives(self) -> None:
        table = cells(500, 100, 80, 320)
        low, high = smoothed_interval(table, find_measure("mcc").function, seed=1)
        columns = {
            "truth": np.repeat([0, 0, 1, 1], [500, 100, 80, 320]),
            "a": np.repeat([0, 1, 0, 1], [500, 100, 80, 320]),
        }
        found = bootstrap(evidence(columns), measure="mcc", rng=1).interval
        assert found is not None
        assert low == pytest.approx(found.low, abs=0.004)
        assert high == pytest.approx(found.high, abs=0.004)

    def test_two_classes_are_kermans_neutral_prior(self) -> None:
        # recall alone depends on one row: Beta(1/3 + hits, 1/3 + misses)
        table = cells(50, 3, 4, 6)
        recall = find_measure("recall").function
        low, high = smoothed_interval(table, recall, n_resamples=40_000, seed=2)
        exact = stats.beta(6 + 1 / 3, 4 + 1 / 3).ppf([0.025, 0.975])
        np.testing.assert_allclose([low, high], exact, atol=0.01)

    def test_many_classes(self) -> None:
        table = np.diag(np.full(40, 5.0))
        low, high = smoothed_interval(
            table, find_measure("f1_macro").function, n_resamples=199, seed=1
        )
        assert 0.9 < low < high == 1.0

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(lambda c: sum(c) > 0))
    def test_is_an_interval_for_any_table(self, counts: list[int]) -> None:
        low, high = smoothed_interval(
            cells(*counts), find_measure("balanced_accuracy").function, n_resamples=199
        )
        assert 0.0 <= low < high <= 1.0

    def test_same_seed_same_bytes(self) -> None:
        function = find_measure("mcc").function
        one, other = (smoothed_interval(cells(9, 2, 1, 4), function, seed=4) for _ in range(2))
        assert one == other != smoothed_interval(cells(9, 2, 1, 4), function, seed=5)

    @pytest.mark.slow
    @pytest.mark.parametrize(("prevalence", "n"), [(0.1, 50), (0.5, 50), (0.01, 1000)])
    def test_covers_where_the_bootstrap_does_not(self, prevalence: float, n: int) -> None:
        recall = precision = 0.96
        hit = prevalence * recall
        alarm = hit * (1 - precision) / precision
        truth = np.array([1 - prevalence - alarm, alarm, prevalence - hit, hit])
        mcc = find_measure("mcc").function
        value = float(mcc(truth.reshape(2, 2)))
        tables = np.random.default_rng(8).multinomial(n, truth, 300).reshape(-1, 2, 2)
        covered = 0
        for seed, table in enumerate(tables):
            low, high = smoothed_interval(table, mcc, n_resamples=399, seed=seed)
            covered += low <= value <= high
        # below 0.92 with probability under 0.001 if coverage is 0.95
        assert covered >= stats.binom(300, 0.95).ppf(0.001)


class TestSmoothedRankingDraws:
    def test_a_perfect_ranking_has_width(self) -> None:
        truth = np.array([0] * 20 + [1] * 6)
        precision, options = find_measure("average_precision"), {"n_resamples": 9999, "seed": 1}
        draws = smoothed_ranking_draws(truth, np.arange(26.0), precision, **options)
        low, high = widened(draws, 1.0, 0.95)
        assert 0.2 < low < 0.95
        assert high == 1.0

    def test_probabilities_of_many_classes(self) -> None:
        truth = np.arange(15) % 3
        area, options = find_measure("roc_auc_ovr"), {"n_resamples": 499, "seed": 1}
        draws = smoothed_ranking_draws(truth, np.eye(3)[truth], area, **options)
        low, high = widened(draws, 1.0, 0.95)
        assert 0.4 < low < high == 1.0


class TestCoverage:
    @pytest.mark.slow
    def test_percentile_interval_of_f1_covers(self) -> None:
        truth = np.array([0.45, 0.10, 0.15, 0.30])
        f1 = find_measure("f1").bind(("0", "1"), "1").function
        value = float(f1(truth.reshape(2, 2)))
        rng = np.random.default_rng(3)
        below = above = 0
        for table in rng.multinomial(300, truth, 400):
            draws = rng.multinomial(300, table / 300, 499).reshape(-1, 2, 2)
            low, high = percentile_interval(f1(draws))
            below, above = below + (value < low), above + (value > high)
        limit = stats.binom(400, 0.025).ppf(0.9995)  # each tail on its own (B12)
        assert below <= limit
        assert above <= limit
