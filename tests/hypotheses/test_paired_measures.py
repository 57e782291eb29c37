"""Two models on the same items in any measure: bootstrap and permutation."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import r2_score, roc_auc_score

import assay
from assay.core.errors import EvidenceError, NotApplicable
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import as_predictions
from assay.evidence.reading import read
from assay.hypotheses import paired_measures
from assay.hypotheses.paired_measures import (
    _item_swaps,
    paired_bootstrap,
    paired_measure_permutation,
)
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.paired_scores import paired_permutation
from assay.hypotheses.replicate_answers import end_errors, sampled_difference
from assay.measures.registry import find_measure
from tests.hypotheses.laws import codes, facts, limits, obeys_laws


def labels(seed: int, n: int = 200, classes: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, size=n)
    columns = {"truth": truth}
    for model, error in (("a", 0.2), ("b", 0.3)):
        wrong = (truth + rng.integers(1, classes, size=n)) % classes
        columns[model] = np.where(rng.random(n) < error, wrong, truth)
    return columns


def swapped(columns: dict[str, Any]) -> dict[str, Any]:
    return {"truth": columns["truth"], "a": columns["b"], "b": columns["a"]}


def scores(seed: int, n: int = 60) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, size=n)
    return {
        "truth": truth,
        "a:score": np.round(truth + rng.normal(0, 1, n), 1),
        "b:score": np.round(100 * (truth + rng.normal(0, 2, n)), 1),
    }


class TestEndErrors:
    def test_the_spread_of_ends_over_seeds(self) -> None:
        rng = np.random.default_rng(5)
        drawn = np.sort(rng.normal(size=(400, 1999)), axis=1)
        low, high = end_errors(drawn[0], "two-sided", 0.95)
        assert low == pytest.approx(drawn[:, 49].std(), rel=0.3)
        assert high == pytest.approx(drawn[:, -50].std(), rel=0.3)
        assert end_errors(drawn[0], "less", 0.95)[0] is None
        assert end_errors(drawn[0], "greater", 0.95)[1] is None


class TestPairedBootstrap:
    @pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc"])
    def test_laws(self, measure: str) -> None:
        columns = labels(1)
        options = {"measure": measure, "n_resamples": 999, "rng": 1}
        obeys_laws(paired_bootstrap, (columns,), (swapped(columns),), options)

    def test_near_tango_for_accuracy(self) -> None:
        columns = labels(2, n=2000)
        outcome = paired_bootstrap(columns, rng=1)
        score = mcnemar(columns)
        assert outcome.effect.value == pytest.approx(score.effect.value)
        assert limits(outcome.effect.interval) == pytest.approx(
            limits(score.effect.interval), abs=0.002
        )

    def test_scores(self) -> None:
        outcome = paired_bootstrap(scores(3), measure="roc_auc", n_resamples=999, rng=1)
        assert outcome.effect.measure == "roc_auc"
        assert outcome.effect.interval is not None
        assert (outcome.p_value or 1.0) <= 1.0

    def test_the_seed_decides(self) -> None:
        columns = labels(4)
        one = paired_bootstrap(columns, measure="f1", n_resamples=499, rng=11)
        assert one == paired_bootstrap(columns, measure="f1", n_resamples=499, rng=11)
        assert one.seed == 11

    def test_identical_models(self) -> None:
        columns = labels(5)
        columns["b"] = columns["a"]
        outcome = paired_bootstrap(columns, measure="f1", n_resamples=99, rng=1, level=0.9)
        assert outcome.p_value == 1.0
        assert codes(outcome) == {"no-disagreement"}
        assert outcome.effect.interval is not None
        assert 0.0 < outcome.effect.interval.width < 0.1

    def test_few_disagreements_are_noted(self) -> None:
        columns = labels(6)
        columns["b"] = columns["a"].copy()
        columns["b"][:4] = 1 - columns["b"][:4]
        outcome = paired_bootstrap(columns, n_resamples=9999, rng=1)
        assert codes(outcome) == {"few-disagreements"}

    def test_no_spread_in_the_replicates(self) -> None:
        truth = np.tile([0, 1], 30)
        outcome = paired_bootstrap(
            {"truth": truth, "a": truth, "b": 1 - truth}, n_resamples=99, rng=1, level=0.9
        )
        assert codes(outcome) == {"zero-variance"}
        beside = mcnemar(0, 60, 0, 0, level=0.9)
        assert outcome.p_value == pytest.approx(beside.p_value)
        assert outcome.effect.interval is not None
        assert beside.effect.interval is not None
        assert outcome.effect.interval.low == pytest.approx(beside.effect.interval.low)
        assert outcome.effect.interval.high == pytest.approx(1.0)

    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    def test_one_against_zero_in_f1(self, side: str) -> None:
        truth = np.tile([0, 1], 3)
        columns = {"truth": truth, "a": truth, "b": 1 - truth}
        for models in (("a", "b"), ("b", "a")):
            outcome = paired_bootstrap(
                columns, measure="f1", models=models, n_resamples=999, rng=1, alternative=side
            )
            interval = outcome.effect.interval
            assert interval is not None
            assert outcome.p_value is not None
            assert interval.contains(float(outcome.effect.value or 0.0))
            assert (outcome.p_value <= 0.05) == (not interval.contains(0.0))

    def test_an_end_that_a_seed_could_move_is_noted(self) -> None:
        columns = labels(1)
        far = paired_bootstrap(columns, measure="f1", n_resamples=999, rng=1)
        replicates = np.random.default_rng(1).normal(size=999)
        for shift, noted in ((np.sort(replicates)[24] - 1e-3, True), (-0.5, False)):
            outcome = sampled_difference(
                MethodQuestion.of("paired_bootstrap", level=0.95),
                find_measure("mae"), 0.0, replicates - shift, 999, seed=1, details=(),
            )  # fmt: skip
            assert ("seed-sensitive" in codes(outcome)) == noted
        low_error = dict(far.details)["low_error"]
        assert isinstance(low_error, float)
        assert low_error > 0.0

    def test_mostly_undefined_resamples_rule_nothing_out(self) -> None:
        columns = {"truth": [1] + [0] * 50, "a": [1] + [0] * 50, "b": [0] * 51}
        outcome = paired_bootstrap(columns, measure="recall", n_resamples=999, rng=1)
        assert outcome.effect.interval is not None
        assert (outcome.effect.interval.low, outcome.effect.interval.high) == (-1.0, 1.0)
        assert outcome.p_value == 1.0
        assert codes(outcome) == {"undefined-replicates-many", "whole-range"}

    def test_undefined(self) -> None:
        columns = {"truth": [0, 1] * 20, "a": [0, 0] * 20, "b": [1, 0] * 20}
        outcome = paired_bootstrap(columns, measure="precision", n_resamples=99, rng=1)
        assert codes(outcome) == {"undefined-value"}

    def test_two_of_three_models(self) -> None:
        columns = labels(7)
        columns["c"] = columns["truth"]
        named = paired_bootstrap(columns, models=("c", "a"), n_resamples=199, rng=1)
        assert (named.effect.value or 0.0) > 0.0
        with pytest.raises(EvidenceError, match="models="):
            paired_bootstrap(columns)


class TestPairedMeasurePermutation:
    def test_accuracy_of_two_classes_is_exact_mcnemar(self) -> None:
        columns = labels(1, n=80)
        outcome = paired_measure_permutation(columns, n_resamples=99, rng=1, level=0.9)
        assert outcome.p_value == pytest.approx(mcnemar(columns, variant="exact").p_value)
        assert facts(outcome)["exact"] is True

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy"])
    def test_enumeration_of_all_swaps(self, measure: str) -> None:
        from assay.measures.registry import find_measure

        truth = np.array([0, 0, 0, 1, 1, 1, 1, 0])
        a, b = np.array([0, 1, 0, 1, 0, 1, 1, 0]), np.array([1, 1, 0, 0, 1, 0, 1, 1])
        bound = find_measure(measure).bind(("0", "1"), "1")

        def value(prediction: Any) -> float:
            matrix = np.zeros((2, 2))
            np.add.at(matrix, (truth, prediction), 1)
            return float(bound.function(matrix))

        observed = value(a) - value(b)
        far = []
        for coins in product((False, True), repeat=8):
            mask = np.array(coins)
            one, two = np.where(mask, b, a), np.where(mask, a, b)
            difference = value(one) - value(two)
            far.append(math.isnan(difference) or abs(difference) >= abs(observed) - 1e-9)
        columns = {"truth": truth, "a": a, "b": b}
        outcome = paired_measure_permutation(columns, measure=measure, n_resamples=199, rng=1)
        assert outcome.p_value == pytest.approx(np.mean(far), rel=1e-12)

    @pytest.mark.parametrize("classes", [2, 4])
    def test_order_and_names_are_irrelevant(self, classes: int) -> None:
        columns = labels(3, n=300, classes=classes)
        order = np.random.default_rng(0).permutation(300)
        shuffled = {name: values[order] for name, values in columns.items()}
        options: dict[str, Any] = {"measure": "f1_macro", "n_resamples": 499, "rng": 5}
        one = paired_measure_permutation(columns, **options)
        assert paired_measure_permutation(shuffled, **options).p_value == one.p_value
        assert paired_measure_permutation(swapped(columns), **options).p_value == one.p_value

    def test_drawn_swaps_are_never_zero(self) -> None:
        columns = labels(4, n=3000, classes=4)
        columns["b"] = np.zeros(3000, dtype=int)
        outcome = paired_measure_permutation(columns, measure="f1_macro", n_resamples=199, rng=1)
        assert outcome.p_value == 1 / 200
        assert {"exchangeable-null", "sampled"} <= codes(outcome)

    def test_the_error_of_a_sampled_p_is_binomial(self) -> None:
        outcome = paired_measure_permutation(
            labels(3, n=300, classes=4), measure="f1_macro", n_resamples=199, rng=1
        )
        p = outcome.p_value
        assert p is not None
        assert 0.1 < p < 0.95
        (sampled,) = (one for one in outcome.notes if one.code == "sampled")
        assert f"standard error is {math.sqrt(p * (1 - p) / 199):.2g}" in sampled.message

    def test_values_as_by_listing_all_swappings(self) -> None:
        rng = np.random.default_rng(3)
        truth = rng.normal(size=9)
        pair = truth + rng.normal(0.0, [[0.5], [0.9]], (2, 9))
        columns = {"truth": truth, "a": pair[0], "b": pair[1]}
        found = paired_measure_permutation(columns, measure="r2", n_resamples=4999, rng=1).p_value
        gains = []
        for swap in product((False, True), repeat=9):
            one, other = np.where(swap, pair[::-1], pair)
            gains.append(r2_score(truth, one) - r2_score(truth, other))
        due = np.mean(np.abs(gains) >= abs(gains[0]) - 1e-12)
        assert found == pytest.approx(due, abs=4.0 * math.sqrt(due * (1 - due) / 4999))

    def test_the_observed_way_counts_among_the_drawn_ones(self) -> None:
        options: dict[str, Any] = {"measure": "average_precision", "n_resamples": 199, "rng": 2}
        found = paired_measure_permutation(scores(5), **options)
        assert found.p_value is not None
        ways = 200 * found.p_value
        assert 1.0 < ways < 199.5
        assert ways == pytest.approx(round(ways), abs=1e-9)

    def test_scores_become_midranks(self) -> None:
        columns = scores(3)
        one = paired_measure_permutation(columns, measure="roc_auc", n_resamples=299, rng=2)
        rescaled = {**columns, "b:score": columns["b:score"] * 1000 - 3}
        two = paired_measure_permutation(rescaled, measure="roc_auc", n_resamples=299, rng=2)
        assert one.p_value == two.p_value

    def test_areas_are_exact_over_all_swappings(self) -> None:
        rng = np.random.default_rng(5)
        truth = np.array([0, 1, 0, 1, 1, 0, 0, 1])
        a, b = rng.random(8), rng.integers(0, 4, 8) / 4
        columns = {"truth": truth, "a:score": a, "b:score": b}
        outcome = paired_measure_permutation(columns, measure="roc_auc", n_resamples=39, rng=1)
        ranks = np.stack([rankdata(a), rankdata(b)])
        differences = []
        for choice in product((0, 1), repeat=8):
            mine, theirs = (np.where(np.array(choice) == one, ranks[0], ranks[1]) for one in (0, 1))
            differences.append(roc_auc_score(truth, mine) - roc_auc_score(truth, theirs))
        observed = abs(differences[0])
        share = np.mean([abs(one) >= observed - 1e-12 for one in differences])
        assert outcome.p_value == pytest.approx(share)
        assert dict(outcome.details)["exact"] is True

    def test_large_areas_agree_with_drawn_swaps(self) -> None:
        columns = scores(4)
        found = paired_measure_permutation(columns, measure="roc_auc", n_resamples=99, rng=1)
        predictions = as_predictions(read(columns))
        drawn = _item_swaps(
            predictions.columns("scores"), find_measure("roc_auc"), 4000, 1
        ).p_value("two-sided")
        p = found.p_value or 0.0
        assert drawn == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 4000) + 1e-3)

    def test_accuracy_beyond_the_smallest_number(self) -> None:
        columns = labels(4, n=3000, classes=4)
        columns["b"] = np.zeros(3000, dtype=int)
        outcome = paired_measure_permutation(columns, rng=1)
        assert outcome.p_value == 0.0
        log10_p = dict(outcome.details)["log10_p"]
        assert isinstance(log10_p, float)
        assert -1000.0 < log10_p < -300.0

    def test_the_root_of_a_mean_is_judged_by_the_mean(self) -> None:
        rng = np.random.default_rng(9)
        truth = rng.normal(size=150)
        columns = {"truth": truth, "a": truth + rng.normal(size=150), "b": truth + 1.2}
        one, other = (
            paired_measure_permutation(columns, measure=name, n_resamples=99, rng=1)
            for name in ("rmse", "mse")
        )
        assert one.p_value == other.p_value

    def test_means_agree_with_the_sign_flip_test(self) -> None:
        rng = np.random.default_rng(8)
        truth = rng.normal(size=150)
        columns = {
            "truth": truth,
            "a:value": truth + rng.normal(0, 1, 150),
            "b:value": truth + rng.normal(0, 1.3, 150),
        }
        outcome = paired_measure_permutation(columns, measure="mse", n_resamples=4999, rng=1)
        losses = [(columns[name] - truth) ** 2 for name in ("a:value", "b:value")]
        exact = paired_permutation(*losses)
        assert outcome.p_value == pytest.approx(exact.p_value, abs=0.03)

    def test_one_sided(self) -> None:
        columns = labels(1, n=80)
        options: dict[str, Any] = {"n_resamples": 99, "rng": 1, "level": 0.9}
        more = paired_measure_permutation(columns, alternative="greater", **options).p_value
        fewer = paired_measure_permutation(columns, alternative="less", **options).p_value
        exact = mcnemar(columns, variant="exact", alternative="greater").p_value
        assert more == pytest.approx(exact)
        assert fewer is not None
        assert fewer > 0.5

    def test_undefined(self) -> None:
        columns = {"truth": [0, 1] * 20, "a": [0, 0] * 20, "b": [1, 0] * 20}
        outcome = paired_measure_permutation(columns, measure="precision", n_resamples=99, rng=1)
        assert outcome.p_value is None

    def test_clusters_are_refused(self) -> None:
        columns = {**labels(1, n=40), "group": np.arange(40) % 8}
        evidence = read(columns, truth="truth", cluster="group")
        with pytest.raises(NotApplicable, match="paired_bootstrap"):
            paired_measure_permutation(evidence)


def test_a_permutation_beside_a_bootstrap_draws_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same answer as the method's own, from the replicates that the bootstrap has."""
    truth = [1, 0, 1, 1, 0] * 20
    data = {
        "truth": truth,
        "a": [1 - one if k % 9 == 0 else one for k, one in enumerate(truth)],
        "b": [1 - one if k % 5 == 0 else one for k, one in enumerate(truth)],
    }
    evidence = assay.read(data, truth="truth", positive=1)
    assert isinstance(evidence, assay.Predictions)
    options: dict[str, Any] = {
        "measure": find_measure("f1"),
        "level": 0.9,
        "n_resamples": 499,
        "rng": 3,
    }
    drawn = assay.paired_bootstrap(evidence, **options)
    alone = assay.paired_measure_permutation(evidence, **options)
    monkeypatch.setattr(paired_measures, "_sampled", None)
    assert paired_measures.permutation_beside(drawn, evidence, **options) == alone
