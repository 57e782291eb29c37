"""`assay.compare` for items: the procedure from the design, the verdict from the interval."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import Comparison
from assay.core.wire import from_json, to_json
from assay.measures.custom import from_function

RNG = np.random.default_rng(20261115)
N = 400
TRUTH = RNG.integers(0, 2, N)


def labels(error: float, *, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < error, 1 - TRUTH, TRUTH)


PAIR = {"truth": TRUTH, "good": labels(0.05, seed=1), "poor": labels(0.25, seed=2)}
SCORES = {
    "truth": TRUTH,
    "sharp": TRUTH + RNG.normal(0, 0.8, N),
    "blunt": TRUTH + RNG.normal(0, 2.5, N),
}
VALUES = {
    "truth": RNG.normal(size=N),
    "near": np.zeros(N),
    "far": np.full(N, 2.0),
}


class TestChoice:
    @pytest.mark.parametrize(
        ("evidence", "options", "method"),
        [
            (PAIR, {}, "mcnemar"),
            (PAIR, {"measure": "error_rate"}, "mcnemar"),
            (PAIR, {"measure": "f1"}, "paired_delta"),
            (SCORES, {}, "delong_test"),
            (SCORES, {"measure": "average_precision"}, "average_precision_test"),
            (VALUES, {}, "paired_t"),
            (VALUES, {"measure": "mae"}, "paired_t"),
            (VALUES, {"measure": "rmse"}, "paired_jackknife"),
            (VALUES, {"measure": "r2"}, "paired_jackknife"),
            (VALUES, {"measure": "median_ae"}, "paired_bootstrap"),
            ({**PAIR, "third": labels(0.3, seed=3)}, {}, "simultaneous_delta"),
            ({"truth": TRUTH, "good": PAIR["good"]}, {"against": 0.5}, "binomial"),
            (
                {"truth": TRUTH, "good": PAIR["good"]},
                {"against": 0.5, "measure": "f1"},
                "measure_against",
            ),
            ({**PAIR, "group": np.arange(N) // 10}, {}, "cluster_difference"),
            ({**PAIR, "group": np.arange(N) // 10}, {"measure": "f1"}, "paired_jackknife"),
            ({**PAIR, "weight": np.ones(N)}, {}, "paired_jackknife"),
        ],
    )
    def test_follows_from_the_design(
        self, evidence: dict[str, Any], options: dict[str, Any], method: str
    ) -> None:
        result = assay.compare(evidence, n_resamples=499, rng=1, **options)
        assert result.choice.method == method
        assert result.choice.reason
        named = {verdict.outcome.method.partition(" (")[0] for verdict in result.verdicts}
        assert named == {method}  # but for a variant, delong_test (t)

    @pytest.mark.parametrize(
        ("evidence", "measure", "method"),
        [
            (PAIR, "accuracy", "two_proportions_z"),
            (PAIR, "f1", "independent_delta"),
            (SCORES, "average_precision", "independent_bootstrap"),
            (SCORES, "roc_auc", "delong_independent"),
        ],
    )
    def test_different_items(self, evidence: dict[str, Any], measure: str, method: str) -> None:
        a, b = (name for name in evidence if name != "truth")
        parts = assay.read(
            {"truth": evidence["truth"], a: evidence[a]},
            {"truth": evidence["truth"][:300], b: evidence[b][:300]},
            paired=False,
        )
        result = assay.compare(parts, measure=measure, n_resamples=499, rng=1)
        assert result.choice.method == method
        assert result.verdict.word == "better"


class TestAnswers:
    def test_mcnemar_is_scipys_and_the_exact_one_beside_it(self) -> None:
        result = assay.compare(PAIR)
        good, poor = PAIR["good"] == TRUTH, PAIR["poor"] == TRUTH
        only_a, only_b = int((good & ~poor).sum()), int((~good & poor).sum())
        z = (only_a - only_b) / (only_a + only_b) ** 0.5
        assert result.verdict.outcome.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
        exact = dict(result.also)["McNemar, exact"]
        assert exact.p_value == pytest.approx(
            stats.binomtest(only_a, only_a + only_b).pvalue, rel=1e-9
        )

    def test_error_rate_mirrors_accuracy(self) -> None:
        accuracy = assay.compare(PAIR).verdict
        error = assay.compare(PAIR, measure="error_rate").verdict
        assert accuracy.word == error.word == "better"
        assert accuracy.outcome.effect.value == pytest.approx(-(error.outcome.effect.value or 0))
        assert error.direction == "lower"

    def test_the_order_of_rows_and_columns_is_irrelevant(self) -> None:
        order = np.random.default_rng(5).permutation(N)
        shuffled = {name: values[order] for name, values in reversed(PAIR.items())}
        one = assay.compare(PAIR, measure="f1", models=["good", "poor"], rng=3, n_resamples=999)
        other = assay.compare(
            shuffled, measure="f1", models=["good", "poor"], rng=3, n_resamples=999
        )
        assert one.verdict == other.verdict

    def test_paired_t_on_losses(self) -> None:
        result = assay.compare(VALUES)
        losses = [(VALUES["truth"] - VALUES[name]) ** 2 for name in ("near", "far")]
        assert result.verdict.outcome.p_value == pytest.approx(
            stats.ttest_rel(*losses).pvalue, rel=1e-7
        )
        assert result.verdict.word == "better"  # lower is better

    def test_baseline_is_b(self) -> None:
        result = assay.compare(PAIR, baseline="good")
        assert (result.verdict.a, result.verdict.b) == ("poor", "good")
        assert result.verdict.word == "worse"

    def test_level_in_the_measure_asked_for(self) -> None:
        one = {"truth": TRUTH, "good": PAIR["good"]}
        right = int((PAIR["good"] == TRUTH).sum())
        accuracy = assay.compare(one, against=0.9).verdict.outcome
        assert accuracy.p_value == pytest.approx(stats.binomtest(right, N, 0.9).pvalue, rel=1e-7)
        assert accuracy.effect.value == pytest.approx(right / N)
        assert accuracy.null == 0.9
        error = assay.compare(one, against=0.1, measure="error_rate").verdict.outcome
        assert error.p_value == pytest.approx(accuracy.p_value, rel=1e-9)
        assert error.effect.value == pytest.approx(1 - right / N)

    def test_chance_is_the_largest_class(self) -> None:
        truth = np.array([0] * 90 + [1] * 10)
        result = assay.compare({"truth": truth, "majority": np.zeros(100, int)}, against="chance")
        assert result.verdict.b == "chance (majority class: 0.9)"
        assert result.verdict.word == "undecided"
        assert [one.code for one in result.notes if "no-information rate 0.9" in one.message] == [
            "rate-from-same-data"
        ]

    @pytest.mark.parametrize("form", ["table", "markdown", "html", "json"])
    def test_chance_is_called_chance_wherever_it_is_shown(self, form: str) -> None:
        truth = np.array([0] * 191 + [1] * 109)
        result = assay.compare({"truth": truth, "model": truth}, against="chance")
        shown = " ".join(assay.render(result, form).split())
        assert "better than chance (majority class: 0.6367)" in shown
        assert "level 0.6367" not in shown
        if form in ("markdown", "html"):
            assert "model was compared with chance (majority class: 0.6367) by accuracy" in shown

    def test_each_measure_has_a_chance_of_its_own(self) -> None:
        one = {"truth": TRUTH, "good": PAIR["good"]}
        result = assay.compare(one, against="chance", measure=["accuracy", "mcc"])
        assert result.sentence.startswith(
            "good is better than chance in accuracy and mcc (by 0.905)."
        )
        error = assay.compare(one, against="chance", measure="error_rate")
        share = np.bincount(TRUTH).max() / N
        assert error.verdict.b == f"chance (majority class: {1 - share:.4g})"
        assert f"no-information rate {share:.4g}" in error.notes[0].message


MANY = {**PAIR, "third": labels(0.06, seed=4), "fourth": labels(0.26, seed=5)}


class TestManyModels:
    def test_summary_names_the_best_and_its_rivals(self) -> None:
        result = assay.compare(MANY, rng=1, n_resamples=1999)
        assert result.sentence.startswith(
            "third has the highest accuracy, but no clear lead over good. It beats poor and fourth."
        )
        assert "pairs differ significantly" in result.sentence
        assert len(result.verdicts) == 6
        assert result.omnibus is not None
        assert result.omnibus.method == "cochran_q"
        result = assay.compare(MANY, rng=1, n_resamples=1999, margin=0.9)
        assert {verdict.word for verdict in result.verdicts} == {"equivalent"}
        assert result.sentence == (
            "third has the highest accuracy. It is equivalent to good, poor and fourth within ±0.9. "
            "0 of 6 pairs differ significantly; 6 are equivalent."
        )

    def test_the_best_mean_need_not_lead(self) -> None:
        base = np.random.default_rng(0).normal(0.7, 0.05, 30)
        lucky = base + np.where(np.arange(30) < 2, 1.0, 0.0)
        table = {"dataset": [f"set {i}" for i in range(30)], "lucky": lucky, "steady": base + 0.01}
        table |= {"third": base - 0.05}
        result = assay.compare(table, unit="dataset", lower_is_better=False)
        assert result.sentence.startswith(
            "Mean and pseudo-median disagree in sign for steady and lucky. "
            "steady has the best mean rank and beats each of the other 2 models."
        )
        assert "mean-disagrees" in {note.code for note in result.notes}
        means = {one.model: one.value for one in result.estimates}
        assert max(means, key=lambda model: means[model] or 0.0) == "lucky"

    def test_mean_and_pseudo_median_of_opposite_signs_are_said_first(self) -> None:
        base = np.random.default_rng(0).normal(0.7, 0.05, 30)
        lucky = base + np.where(np.arange(30) < 2, 1.0, 0.0)
        table = {"dataset": [f"set {i}" for i in range(30)], "lucky": lucky, "steady": base + 0.01}
        result = assay.compare(table, unit="dataset", lower_is_better=False)
        assert result.sentence.startswith(
            "Mean and pseudo-median disagree: lucky has the higher mean score, but the pseudo-median of "
            "the differences is higher for steady. steady is better than lucky: score is higher by 0.0100 "
            "(pseudo-median, 95% CI "
        )
        (warning,) = [note for note in result.notes if note.code == "mean-disagrees"]
        assert warning.level == "warning"

    def test_against_a_baseline(self) -> None:
        result = assay.compare(MANY, baseline="poor", rng=1, n_resamples=1999)
        assert {(v.a, v.b) for v in result.verdicts} == {
            ("good", "poor"),
            ("third", "poor"),
            ("fourth", "poor"),
        }
        assert result.sentence.startswith(
            "Against poor in accuracy: good and third are better; no clear difference for fourth"
        )

    def test_simultaneous_is_wider_than_pairwise(self) -> None:
        many = {(v.a, v.b): v for v in assay.compare(MANY, rng=1, n_resamples=1999).verdicts}
        alone = assay.compare(PAIR).verdict.outcome.effect.interval
        together = many["good", "poor"].outcome.effect.interval
        assert alone is not None
        assert together is not None
        assert together.width > alone.width

    def test_a_hundred_models(self) -> None:
        evidence = {"truth": TRUTH} | {f"m{i}": labels(0.2, seed=i) for i in range(100)}
        result = assay.compare(evidence, rng=1, n_resamples=999)
        assert len(result.verdicts) == 4950
        assert sum(verdict.different for verdict in result.verdicts) <= 5


class TestVerdicts:
    def test_identical_models_are_not_equal_for_free(self) -> None:
        same = {"truth": TRUTH, "a": PAIR["good"], "b": PAIR["good"]}
        result = assay.compare(same, margin=0.001)
        assert result.verdict.word == "undecided"
        interval = result.verdict.outcome.effect.interval
        assert interval is not None
        assert interval.width > 0
        assert result.verdict.outcome.p_value == 1.0
        assert "no-disagreement" in {note.code for note in result.notes}
        assert assay.compare(same, margin=0.02).verdict.word == "equivalent"

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy"])
    def test_identical_models_in_other_measures(self, measure: str) -> None:
        same = {"truth": TRUTH, "a": PAIR["good"], "b": PAIR["good"]}
        verdict = assay.compare(same, measure=measure, rng=1, n_resamples=499).verdict
        assert verdict.word == "undecided"
        interval = verdict.outcome.effect.interval
        assert interval is not None
        assert interval.low < 0 < interval.high

    @pytest.mark.parametrize("models", [2, 3])
    @pytest.mark.parametrize(("measure", "extent"), [("brier", 2.0), ("log_loss", None)])
    def test_identical_models_in_means(
        self, measure: str, extent: float | None, models: int
    ) -> None:
        shares = {"truth": TRUTH, "a": 1 / (1 + np.exp(-SCORES["sharp"]))}
        shares = {**shares, "b": shares["a"], "c": 1 / (1 + np.exp(-SCORES["blunt"]))}
        chosen = dict(list(shares.items())[: models + 1])
        outcome = assay.compare(chosen, measure=measure, rng=1, n_resamples=499).verdicts[0].outcome
        assert (outcome.effect.value, outcome.p_value) == (0.0, 1.0)
        assert [note.code for note in outcome.notes] == ["no-disagreement"]
        interval = outcome.effect.interval
        if extent is None:  # one item not yet seen could change a mean without bounds by anything
            assert interval is None
            return
        z2 = stats.norm.ppf(1 - 0.025 / (1 if models == 2 else 3)) ** 2
        assert interval is not None
        assert interval.high == -interval.low == pytest.approx(extent * z2 / (N + z2))

    def test_one_cluster_says_nothing(self) -> None:
        one = {"truth": [0, 1, 1], "a": [0, 1, 0], "b": [1, 1, 1], "cluster": ["k"] * 3}
        outcome = assay.compare(one).verdict.outcome
        assert (outcome.effect.value, outcome.effect.interval) == (0.0, None)
        assert outcome.p_value is None
        assert [note.code for note in outcome.notes] == ["one-cluster"]

    def test_few_clusters_that_agree(self) -> None:
        same = {
            "truth": [0, 1, 1, 0],
            "a": [0, 1, 0, 0],
            "b": [0, 1, 0, 0],
            "cluster": [1, 1, 2, 2],
        }
        outcome = assay.compare(same).verdict.outcome
        assert [note.code for note in outcome.notes] == ["few-clusters", "no-disagreement"]
        assert outcome.effect.interval is not None
        z2 = stats.norm.ppf(0.975) ** 2
        assert outcome.effect.interval.high == pytest.approx(z2 / (2 + z2))

    def test_a_constant_difference_of_a_bounded_mean(self) -> None:
        truth = np.arange(60) % 2
        result = assay.compare(
            {"truth": truth, "a:p(1)": truth * 1.0, "a:p(0)": 1.0 - truth}
            | {"b:p(1)": truth * 0.5 + 0.25, "b:p(0)": 0.75 - truth * 0.5},
            measure="brier",
        )
        outcome = result.verdict.outcome
        assert (result.verdict.word, outcome.effect.value) == ("undecided", -(0.25**2))
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.low < -0.0625 < 0.0 <= outcome.effect.interval.high
        assert outcome.p_value is not None
        assert outcome.p_value > 0.05
        assert "zero-variance" in {note.code for note in result.notes}

    def test_one_item(self) -> None:
        result = assay.compare({"truth": [1], "a": [1], "b": [0]})
        assert result.verdict.word == "undecided"

    def test_one_class(self) -> None:
        truth = np.ones(30, int)
        right = {"truth": truth, "a": truth, "b": np.r_[np.zeros(25, int), np.ones(5, int)]}
        assert assay.compare(right).verdict.word == "better"

    def test_survives_the_wire(self) -> None:
        for result in (assay.compare(PAIR, margin=0.01), assay.compare(SCORES)):
            assert from_json(to_json(result)) == result

    def test_same_seed_same_bytes(self) -> None:
        one, other = (assay.compare(PAIR, measure="f1", rng=9, n_resamples=999) for _ in range(2))
        assert to_json(one) == to_json(other)
        assert one.seed == 9

    def test_custom_measure(self) -> None:
        def agreement(truth: Any, prediction: Any) -> float:
            return float(np.mean(truth == prediction))

        result = assay.compare(PAIR, measure=agreement, rng=1, n_resamples=199)
        assert isinstance(result, Comparison)
        assert result.verdict.word == "higher"
        assert result.direction == "unknown"
        assert result.verdict.p_better is None
        assert result.measure == "agreement"
        assert "direction-unknown" in {note.code for note in result.notes}

    def test_the_direction_of_a_custom_measure_can_be_said(self) -> None:
        def cost(truth: Any, prediction: Any) -> float:
            return float(np.mean(truth != prediction))

        options: dict[str, Any] = {"rng": 1, "n_resamples": 199}
        said = assay.compare(PAIR, measure=cost, lower_is_better=True, **options)
        made = assay.compare(PAIR, measure=from_function(cost, direction="lower"), **options)
        for result in (said, made):
            assert (result.verdict.word, result.direction) == ("better", "lower")
            assert "direction-unknown" not in {note.code for note in result.notes}


class TestErrors:
    def test_one_model_without_a_level(self) -> None:
        with pytest.raises(UsageError, match="against"):
            assay.compare({"truth": TRUTH, "a": TRUTH})

    def test_a_level_for_two(self) -> None:
        with pytest.raises(UsageError, match="compares one model with a level"):
            assay.compare(PAIR, against=0.5)

    def test_unknown_baseline(self) -> None:
        with pytest.raises(UsageError, match="no model 'x' to be the baseline"):
            assay.compare(PAIR, baseline="x")

    def test_f1_on_scores_names_what_is_needed(self) -> None:
        with pytest.raises(NotApplicable, match="f1 needs predicted labels"):
            assay.compare(SCORES, measure="f1")

    def test_f1_on_many_classes_names_the_averages(self) -> None:
        truth = np.arange(30) % 3
        with pytest.raises(NotApplicable, match="f1_macro"):
            assay.compare({"truth": truth, "a": truth, "b": truth[::-1]}, measure="f1")

    def test_a_signed_measure_is_not_compared(self) -> None:
        with pytest.raises(NotApplicable, match="neither side of mean_error is better"):
            assay.compare(VALUES, measure="mean_error")

    def test_units_that_predictions_do_not_have(self) -> None:
        with pytest.raises(UsageError, match="needs the fold of each item"):
            assay.compare(assay.read(PAIR), unit="fold")

    def test_unknown_class_of_data(self) -> None:
        with pytest.raises(EvidenceError):
            assay.compare({"truth": []})


class TestOneClass:
    @pytest.mark.parametrize("models", [("good", "poor"), ("good", "poor", "third")])
    def test_it_is_said(self, models: tuple[str, ...]) -> None:
        answers = {model: labels(0.2, seed=place) for place, model in enumerate(models)}
        found = assay.compare({"truth": np.ones(N, dtype=int), **answers}, rng=1)
        assert "one-class" in {note.code for note in found.notes}
        both = assay.compare({"truth": TRUTH, **answers}, rng=1)
        assert "one-class" not in {note.code for note in both.notes}


def test_two_clusters_stay_in_the_range_of_differences() -> None:
    """The t of one degree of freedom reaches far beyond what accuracies can differ by."""
    truth = [1] * 20
    a, b = [1] * 20, [0] * 8 + [1] * 10 + [0] * 2
    evidence = {"truth": truth, "a": a, "b": b, "group": [0] * 10 + [1] * 10}
    result = assay.compare(evidence, measure="accuracy", cluster="group")
    interval = result.verdict.outcome.effect.interval
    assert interval is not None
    assert (interval.low, interval.high) == (-1.0, 1.0)
    assert "interval-cut" in {note.code for note in result.notes}


class TestToWhatItApplies:
    def test_one_model_or_several(self) -> None:
        one = assay.compare({"truth": TRUTH, "good": PAIR["good"]}, against=0.5)
        assert "Applies   to this trained model on new items like the ones tested" in str(one)
        two = assay.compare(PAIR)
        assert "Applies   to these trained models on new items like the ones tested" in str(two)


def test_three_models_of_classes_of_which_none_is_positive() -> None:
    """Accuracy needs no positive class, and nothing beside it may ask for one."""
    words = np.where(TRUTH == 1, "fraud", "legit")
    evidence = {"truth": words} | {
        name: np.where(labels(rate, seed=place) == 1, "fraud", "legit")
        for place, (name, rate) in enumerate((("a", 0.1), ("b", 0.2), ("c", 0.3)))
    }
    assert assay.compare(evidence, rng=1, n_resamples=499).measure == "accuracy"


def clustered_squares(rng: np.random.Generator, clusters: int, size: int) -> dict[str, Any]:
    """Two models of the same mean square, one of which errs rarely and tenfold."""
    n, rare = clusters * size, 0.03
    truth, scale = rng.normal(size=n), np.repeat(np.exp(0.3 * rng.normal(size=clusters)), size)
    often = np.sqrt(1.0 - rare + rare * 100.0) * scale * rng.normal(size=n)
    seldom = scale * np.where(rng.random(n) < rare, 10.0, 1.0) * rng.normal(size=n)
    group = np.repeat(np.arange(clusters), size)
    return {"truth": truth, "a:value": truth + often, "b:value": truth + seldom, "cluster": group}


def test_rare_large_errors_in_clusters_give_no_lead() -> None:
    rng = np.random.default_rng(5)
    decided, without = 0, 0
    for _ in range(60):
        columns = clustered_squares(rng, 10, 5)
        told: dict[str, Any] = {"truth": "truth", "cluster": "cluster", "measure": "mse"}
        outcome = assay.compare(columns, **told).verdicts[0].outcome
        assert outcome.effect.interval is not None
        away = not outcome.effect.interval.contains(0.0)
        assert away == ((outcome.p_value or 0.0) <= 0.05)
        assert dict(outcome.details)["p_value"] == pytest.approx(outcome.p_value)
        squares = [(columns[f"{one}:value"] - columns["truth"]) ** 2 for one in "ab"]
        plain = assay.cluster_difference(*squares, columns["cluster"]).interval
        decided, without = decided + away, without + (not plain.contains(0.0))
    assert decided <= 5 < 12 <= without


def test_one_item_of_a_model_says_nothing_of_another() -> None:
    """A mean of losses on different items: one item has no spread."""
    parts = {"item": ["u"], "a": [1.5]}, {"item": ["v", "w"], "b": [2.5, 2.0]}
    found = assay.compare(*parts, paired=False, losses=True)
    assert (found.choice.method, found.verdict.word) == ("independent_jackknife", "undecided")
    assert "single-value" in {one.code for one in found.verdict.outcome.notes}
