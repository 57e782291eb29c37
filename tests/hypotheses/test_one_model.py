"""One model against a level, a mean or chance."""

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.confusion import from_confusion
from assay.evidence.predictions import Predictions
from assay.hypotheses.one_model import (
    binomial,
    label_permutation,
    measure_against,
    no_information_rate,
    one_sample_t,
    proportion_z,
)
from assay.measures.registry import find_measure
from tests.hypotheses.laws import codes, facts, limits, obeys_laws

MATRIX = [[30, 10], [5, 15]]
THREE = [[8, 1, 3], [2, 9, 4], [1, 3, 11]]
RIGHT = 0.69673
"""E[1/(1 + exp(-(1 + z)))], z standard normal."""
COUNTS = st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def grouped(measure: str, *, weight: bool = False, cluster: bool = False) -> Predictions:
    """Twelve clusters of five items, predicted in whichever way the measure needs."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, 60)
    score = 1 / (1 + np.exp(-1.2 * (truth - 0.5 + rng.normal(size=60))))
    needs, columns = find_measure(measure).needs, {"truth": truth.astype(float)}
    if needs == "values":
        columns["truth"] = rng.normal(size=60)
        columns["a"] = columns["truth"] + rng.normal(size=60)
    else:
        columns["a"] = (score > 0.5).astype(float) if needs == "labels" else score
    columns |= {"group": np.repeat(np.arange(12.0), 5)} if cluster else {}
    columns |= {"heavy": rng.lognormal(size=60)} if weight else {}
    found = assay.read(
        columns,
        truth="truth",
        models=["a"],
        cluster="group" if cluster else None,
        weight="heavy" if weight else None,
    )
    assert isinstance(found, Predictions)
    return found


class TestBinomial:
    @settings(deadline=None, max_examples=40)
    @given(COUNTS, st.integers(1, 19))
    def test_small_p_values_by_enumeration(self, counts: tuple[int, int], twentieths: int) -> None:
        errors, n = counts
        p = Fraction(twentieths, 20)
        masses = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        expected = sum(mass for mass in masses if mass <= masses[errors])
        assert binomial(errors, n, null=float(p)).p_value == pytest.approx(
            float(expected), rel=1e-10
        )

    @settings(deadline=None, max_examples=30)
    @given(COUNTS, st.sampled_from([0.1, 0.25, 0.5, 0.9]))
    def test_laws(self, counts: tuple[int, int], null: float) -> None:
        obeys_laws(binomial, counts, None, {"null": null})

    def test_a_gap_of_the_inversion_is_noted(self) -> None:
        outcome = binomial(0, 18, null=0.142, level=0.9)
        assert outcome.rejects(0.1)
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.contains(0.142)
        assert codes(outcome) == {"interval-gap"}

    def test_one_sided_bound_is_clopper_pearson(self) -> None:
        outcome = binomial(3, 20, null=0.3, alternative="less")
        bound = stats.binomtest(3, 20, alternative="less").proportion_ci(0.95)
        assert limits(outcome.effect.interval) == pytest.approx([0.0, bound.high])

    def test_certain_nulls(self) -> None:
        assert binomial(0, 10, null=0.0).p_value == 1.0
        assert binomial(1, 10, null=0.0).p_value == 0.0

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="between 0 and 1"):
            binomial(3, 10, null=50)
        with pytest.raises(EvidenceError, match="more errors than items"):
            binomial(11, 10)

    @settings(deadline=None, max_examples=30)
    @given(COUNTS, st.sampled_from([0.1, 0.25, 0.5, 0.9]))
    def test_doubled_tails_invert_clopper_and_pearson(
        self, counts: tuple[int, int], null: float
    ) -> None:
        errors, n = counts
        found = binomial(errors, n, null=null, variant="doubled")
        tails = (stats.binom.cdf(errors, n, null), stats.binom.sf(errors - 1, n, null))
        assert found.p_value == pytest.approx(min(1.0, 2.0 * min(tails)), rel=1e-9)
        exact = stats.binomtest(errors, n).proportion_ci(0.95, "exact")
        assert limits(found.effect.interval) == pytest.approx(
            (exact.low, exact.high), rel=1e-9, abs=1e-12
        )
        assert found.p_value is not None
        if abs(found.p_value - 0.05) > 1e-9:
            assert (found.p_value <= 0.05) == (not exact.low <= null <= exact.high)

    def test_few_counts_are_coarse(self) -> None:
        assert "coarse-counts" in codes(binomial(3, 30, null=0.1))
        assert "coarse-counts" not in codes(binomial(3, 30, null=0.1, alternative="less"))
        assert "coarse-counts" not in codes(binomial(3, 30, null=0.1, level=0.99))
        assert "coarse-counts" not in codes(binomial(50, 100))


class TestProportionZ:
    @settings(deadline=None, max_examples=30)
    @given(COUNTS, st.sampled_from([0.1, 0.5, 0.75]))
    def test_laws(self, counts: tuple[int, int], null: float) -> None:
        obeys_laws(proportion_z, counts, None, {"null": null})
        obeys_laws(proportion_z, counts, None, {"null": null, "variant": "wald"})

    def test_rule_of_thumb(self) -> None:
        assert codes(proportion_z(1, 40, null=0.1)) == {"normal-approximation"}
        assert codes(proportion_z(5, 50, null=0.1)) == set()
        assert "normal-approximation" in codes(proportion_z(3, 50, null=0.2, variant="wald"))

    def test_correction_says_that_it_differs(self) -> None:
        assert "variant-differs" in codes(proportion_z(20, 100, null=0.25, correct=True))

    def test_wald_without_spread(self) -> None:
        outcome = proportion_z(0, 10, variant="wald")
        assert outcome.p_value is None
        assert outcome.effect.interval is None
        assert "zero-variance" in codes(outcome)
        assert facts(outcome)["z_wald"] == -math.inf

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="at the ends only binomial"):
            proportion_z(3, 10, null=1.0)
        with pytest.raises(UsageError, match="use variant='score'"):
            proportion_z(3, 10, variant="wald", correct=True)


class TestOneSampleT:
    @settings(deadline=None, max_examples=30)
    @given(st.lists(st.integers(-20, 20), min_size=1, max_size=12))
    def test_laws(self, sample: list[int]) -> None:
        obeys_laws(one_sample_t, (sample,), None, {"null": 1.0})

    @pytest.mark.parametrize(
        ("sample", "code"), [([2.0, 2.0, 2.0], "zero-variance"), ([2.0], "single-value")]
    )
    def test_without_spread_it_is_undefined(self, sample: list[float], code: str) -> None:
        outcome = one_sample_t(sample, null=1.0)
        assert (outcome.p_value, outcome.statistic, outcome.effect.interval) == (None,) * 3
        assert codes(outcome) == {code}


class TestLabelPermutation:
    def test_two_classes_by_enumeration(self) -> None:
        truth, prediction = [0, 0, 0, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0, 1]
        shuffles = list(permutations(prediction))
        for measure, score in (
            ("accuracy", lambda t, p: np.mean(np.equal(t, p))),
            ("mcc", lambda t, p: np.corrcoef(t, p)[0, 1]),
        ):
            observed = score(truth, prediction)
            expected = np.mean([score(truth, one) >= observed - 1e-9 for one in shuffles])
            outcome = label_permutation(truth, prediction, measure=measure)
            assert outcome.p_value == pytest.approx(expected, rel=1e-12)

    def test_is_fisher_for_two_classes(self) -> None:
        outcome = label_permutation(MATRIX)
        fisher = stats.fisher_exact(np.array(MATRIX), alternative="greater").pvalue
        assert outcome.p_value == pytest.approx(fisher, rel=1e-10)
        assert outcome.seed is None
        assert outcome.null == pytest.approx((40 * 35 + 20 * 25) / 60**2)

    def test_many_classes_are_drawn(self) -> None:
        outcome = label_permutation(THREE, n_resamples=999, rng=3)
        assert outcome.p_value == 1 / 1000
        assert outcome.seed == 3
        assert codes(outcome) == {"sampled"}
        assert outcome == label_permutation(THREE, n_resamples=999, rng=3)

    def test_many_classes_without_relation(self) -> None:
        even = np.full((3, 3), 20)
        outcome = label_permutation(even, n_resamples=1999, rng=1)
        assert outcome.p_value is not None
        assert outcome.p_value > 0.4

    def test_measures_that_are_better_when_lower(self) -> None:
        one, other = label_permutation(MATRIX), label_permutation(MATRIX, measure="error_rate")
        assert one.p_value == pytest.approx(other.p_value)
        assert (one.alternative, other.alternative) == ("greater", "less")

    def test_effect_has_an_interval(self) -> None:
        for measure in ("accuracy", "f1", "balanced_accuracy"):
            outcome = label_permutation(MATRIX, measure=measure, rng=1, n_resamples=499)
            assert outcome.effect.interval is not None
            assert outcome.effect.interval.contains(outcome.effect.value or -1.0)

    def test_undefined_measure(self) -> None:
        outcome = label_permutation([[10, 0], [5, 0]], measure="precision", rng=1)
        assert outcome.p_value is None
        assert "undefined-value" in codes(outcome)

    def test_evidence_of_one_model(self) -> None:
        columns = {"truth": [0, 1, 1, 0, 1, 1], "a": [0, 1, 1, 0, 1, 0]}
        assert label_permutation(columns).p_value == label_permutation(*columns.values()).p_value

    @pytest.mark.parametrize(
        ("evidence", "message"),
        [
            (([[1, 2, 3], [4, 5, 6]],), "square"),
            (([[1.5, 2], [3, 4]],), "whole numbers"),
            (({"truth": [0, 1], "a": [0, 1], "b": [1, 1]},), "one model"),
            ((), "truth and prediction"),
        ],
    )
    def test_errors(self, evidence: tuple[Any, ...], message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            label_permutation(*evidence)

    def test_score_measures_are_refused(self) -> None:
        with pytest.raises(UsageError, match="not a label measure"):
            label_permutation(MATRIX, measure="roc_auc")


class TestNoInformationRate:
    def test_is_a_binomial_against_the_commonest_class(self) -> None:
        outcome = no_information_rate(MATRIX)
        expected = stats.binomtest(45, 60, 40 / 60, alternative="greater").pvalue
        assert outcome.p_value == pytest.approx(expected, rel=1e-12)
        assert outcome.null == pytest.approx(40 / 60)
        assert facts(outcome)["commonest"] == "0"
        assert codes(outcome) == {"rate-from-same-data"}

    @settings(deadline=None, max_examples=40)
    @given(st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=3, max_size=3))
    def test_the_bound_decides(self, matrix: list[list[int]]) -> None:
        if not np.any(matrix):
            return
        for level in (0.8, 0.95):
            outcome = no_information_rate(matrix, level=level)
            assert outcome.p_value is not None
            assert outcome.effect.interval is not None
            assert outcome.effect.interval.alternative == "greater"
            if abs(outcome.p_value - (1 - level)) > 1e-9:
                held = outcome.effect.interval.contains(outcome.null)
                assert (outcome.p_value <= 1 - level) != held


class TestMeasureAgainst:
    COLUMNS = staticmethod(
        lambda n: {
            "truth": np.arange(n) % 2,
            "a": np.where(np.arange(n) % 5 == 0, 1, 0) ^ (np.arange(n) % 2),
        }
    )

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy", "precision", "f1_macro"])
    @pytest.mark.parametrize("level", [0.9, 0.95])
    def test_the_interval_decides_and_is_that_of_evaluate(self, measure: str, level: float) -> None:
        columns = self.COLUMNS(200)
        shown = assay.evaluate(
            columns, measures=(measure,), level=level, n_resamples=999, rng=1
        ).estimates[0]
        assert shown.interval is not None
        ends = (shown.interval.low, shown.interval.high)
        for null in (0.4, 0.6, 0.75, 0.8, 0.85, ends[0] - 1e-6, ends[0] + 1e-6, ends[1] + 1e-6):
            outcome = measure_against(
                columns, measure=measure, null=null, level=level, n_resamples=999, rng=1
            )
            assert outcome.p_value is not None
            assert outcome.effect.interval == shown.interval
            assert outcome.rejects(round(1 - level, 12)) != shown.interval.contains(null)

    def test_a_proportion_has_the_mid_p_value(self) -> None:
        columns = {"truth": [1] * 14 + [0] * 26, "a": [1] * 14 + [1] * 6 + [0] * 20}
        outcome = measure_against(columns, measure="precision", null=0.5)
        tail = stats.binom.sf(14, 20, 0.5) + stats.binom.pmf(14, 20, 0.5) / 2
        assert outcome.p_value == pytest.approx(2 * tail, rel=1e-9)

    def test_what_was_measured_has_p_one(self) -> None:
        columns = self.COLUMNS(200)
        for measure in ("f1", "mcc", "precision"):
            value = measure_against(columns, measure=measure, null=0.3, rng=1).statistic
            assert value is not None
            assert measure_against(columns, measure=measure, null=value, rng=1).p_value == 1.0

    def test_a_perfect_model_is_not_certain(self) -> None:
        """The bootstrap of a perfect model has no spread, its default interval has."""
        columns = {"truth": [0, 1] * 20, "a": [0, 1] * 20}
        for measure in ("accuracy", "f1", "mcc"):
            outcome = measure_against(columns, measure=measure, null=0.99, rng=1)
            assert outcome.p_value is not None
            assert outcome.p_value > 0.05
            assert measure_against(columns, measure=measure, null=0.5, rng=1).rejects(0.001)

    def test_p_is_not_below_what_a_level_can_say(self) -> None:
        columns = {"truth": [0, 1] * 500, "a": [0, 1] * 500}
        outcome = measure_against(columns, measure="f1", null=0.1)
        assert outcome.p_value == 1e-12
        assert codes(outcome) == {"p-at-most"}
        assert codes(measure_against(columns, measure="f1", null=0.99)) == set()

    def test_a_rare_class_is_covered(self) -> None:
        """Five rare items of fifty, as in decision 0053."""
        cells = np.array([[0.89, 0.01], [0.01, 0.09]])
        mcc = find_measure("mcc").bind(("0", "1"), "1").function(cells)
        tables = np.random.default_rng(4).multinomial(50, cells.ravel(), 400).reshape(-1, 2, 2)
        outcomes = [
            measure_against(
                from_confusion(table, ("0", "1")), measure="mcc", null=mcc, n_resamples=399, rng=1
            )
            for table in tables
        ]
        answered = [one.rejects(0.05) for one in outcomes if one.statistic is not None]
        assert len(answered) > 390
        assert np.mean(answered) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)

    def test_undefined_measure(self) -> None:
        columns = {"truth": [0, 1] * 20, "a": [0, 0] * 20}
        outcome = measure_against(columns, measure="precision", null=0.5, n_resamples=99, rng=1)
        assert outcome.p_value is None
        assert codes(outcome) == {"undefined-value"}

    @pytest.mark.parametrize("measure", ["roc_auc", "gini"])
    def test_an_area_has_its_default_interval(self, measure: str) -> None:
        rng = np.random.default_rng(3)
        truth = np.arange(60) % 3 // 2
        columns = {"truth": truth, "a": rng.normal(size=60) + truth}
        shown = assay.evaluate(columns, measures=(measure,)).estimates[0].interval
        assert shown is not None
        for null in (shown.low - 1e-6, shown.low + 1e-6, shown.high - 1e-6, shown.high + 1e-6):
            outcome = measure_against(columns, measure=measure, null=null)
            assert outcome.effect.interval == shown
            assert outcome.rejects(0.05) != shown.contains(null)
        perfect = {"truth": truth, "a": truth + rng.normal(size=60) / 100}
        assert measure_against(perfect, measure=measure, null=0.5).rejects(0.001)

    @pytest.mark.parametrize("cluster", [False, True])
    @pytest.mark.parametrize("weight", [False, True])
    @pytest.mark.parametrize(
        "measure",
        [
            "accuracy", "f1", "mcc", "roc_auc", "average_precision", "brier", "log_loss", "ece",
            "mce", "roc_auc_ovr", "rmse", "r2", "median_ae", "max_error",
        ],
    )  # fmt: skip
    def test_every_measure_is_decided_by_the_interval_of_evaluate(
        self, measure: str, weight: bool, cluster: bool
    ) -> None:
        evidence = grouped(measure, weight=weight, cluster=cluster)
        for level in (0.9, 0.95):
            options: dict[str, Any] = {"level": level, "n_resamples": 199, "rng": 1}
            shown = assay.evaluate(evidence, measures=(measure,), **options).estimates[0]
            assert shown.interval is not None
            low, high = shown.interval.low, shown.interval.high
            beside = (math.nextafter(low, -9.0), math.nextafter(high, 9.0), low - 1e-6, high + 1e-6)
            for null in (0.2, 0.7, low, high, low + 1e-6, high - 1e-6, *beside, shown.value):
                if null is None or not math.isfinite(null):
                    continue
                outcome = measure_against(evidence, measure=measure, null=null, **options)
                assert outcome.effect.interval == shown.interval
                assert outcome.p_value is not None
                assert 0.0 < outcome.p_value <= 1.0
                assert outcome.rejects(round(1 - level, 12)) != shown.interval.contains(null)

    def test_a_mean_has_the_p_value_of_its_t_test(self) -> None:
        """Of numbers without ends that do not lean; losses are told apart below."""
        values = stats.norm.ppf((np.arange(30) + 0.5) / 30) + 0.3
        outcome = measure_against({"a:loss": values}, measure="mean_loss", null=0.0)
        assert outcome.p_value == pytest.approx(stats.ttest_1samp(values, 0.0).pvalue, rel=1e-9)

    def test_clusters_have_the_p_value_of_their_t_test(self) -> None:
        """On the logit of the range of the Brier score, from 0 to 1 for scores."""
        evidence = grouped("brier", cluster=True)
        columns = evidence.columns("scores")
        losses = (columns.predictions[0] - columns.truth) ** 2
        mean = assay.cluster_mean(losses, columns.clusters)
        known, high = facts(mean), find_measure("brier").high
        error = max(mean.standard_error, known["naive_se"])
        odds = np.log(mean.value / (high - mean.value)) - np.log(0.25 / (high - 0.25))
        t = odds * mean.value * (high - mean.value) / (high * error)
        outcome = measure_against(evidence, measure="brier", null=0.25)
        assert outcome.p_value is not None
        on_logit = 2 * stats.t.sf(abs(t), known["df"])
        assert on_logit <= outcome.p_value <= 1.10 * on_logit  # what skewness adds (decision 0288)
        at_p = measure_against(evidence, measure="brier", null=0.25, level=1 - outcome.p_value)
        assert at_p.effect.interval is not None
        assert at_p.effect.interval.high == pytest.approx(0.25, rel=1e-6)

    def test_a_jackknife_has_its_own_p_value(self) -> None:
        """F1 lies between 0 and 1: t on the logit, with the clusters less one degrees of freedom."""
        evidence = grouped("f1", cluster=True)
        outcome = measure_against(evidence, measure="f1", null=0.5)
        found, error = outcome.statistic, outcome.effect.standard_error
        assert found is not None
        assert error is not None
        t = math.log(found / (1 - found)) * found * (1 - found) / error
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.method == "jackknife"
        assert outcome.p_value == pytest.approx(2 * stats.t.sf(abs(t), 11), rel=1e-9)

    def test_replicates_are_counted(self) -> None:
        """The median absolute error has the percentile bootstrap, whose p-value is a count."""
        evidence = grouped("median_ae")
        replicates = assay.bootstrap(
            evidence, measure="median_ae", n_resamples=199, rng=1, method="sampled"
        )
        outcome = measure_against(evidence, measure="median_ae", null=0.7, n_resamples=199, rng=1)
        assert outcome.effect.interval == replicates.interval
        assert outcome.p_value is not None
        count = outcome.p_value * 200
        assert count == pytest.approx(round(count), abs=1e-9)
        beyond = measure_against(evidence, measure="median_ae", null=-1.0, n_resamples=199, rng=1)
        assert beyond.p_value == 2 / 200

    def test_equal_clusters_are_not_certain(self) -> None:
        """Resampling them shows no spread; what others could change is allowed for."""
        columns = {"truth": [0, 1] * 20, "a": [0, 1] * 20, "group": np.arange(40) // 4}
        evidence = assay.read(columns, truth="truth", models=["a"], cluster="group")
        for measure in ("accuracy", "f1"):
            outcome = measure_against(evidence, measure=measure, null=0.9, n_resamples=199, rng=1)
            assert outcome.p_value is not None
            assert outcome.p_value > 0.05

    def test_few_clusters_keep_the_level(self) -> None:
        """Eight clusters, as in decision 0053, where the percentile bootstrap rejects 12 in 100."""
        rng = np.random.default_rng(6)
        rejected = []
        for _ in range(300):
            group = np.repeat(np.arange(8), 6)
            chance = 1 / (1 + np.exp(-(1.0 + rng.normal(size=8)[group])))
            truth = rng.integers(0, 2, group.size)
            columns = {
                "truth": truth,
                "a": np.where(rng.random(group.size) < chance, truth, 1 - truth),
                "group": group,
            }
            evidence = assay.read(columns, truth="truth", models=["a"], cluster="group")
            # symmetric in the classes: balanced accuracy is the mean chance of a right answer
            outcome = measure_against(evidence, measure="balanced_accuracy", null=RIGHT, rng=1)
            rejected.append(outcome.rejects(0.05))
        assert np.mean(rejected) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)

    def test_one_model_only(self) -> None:
        columns = {"truth": [0, 1], "a": [0, 1], "b": [1, 1]}
        with pytest.raises(EvidenceError, match="one model"):
            measure_against(columns, measure="f1", null=0.5)
