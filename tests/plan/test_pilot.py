"""Plans from evidence at hand: the spread is taken from it, the difference never is."""

import math
from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.plan_results import Plan
from assay.evidence.reading import read
from assay.evidence.scores import Scores
from assay.hypotheses.paired_labels import paired_delta
from assay.hypotheses.paired_measures import paired_bootstrap
from assay.hypotheses.roc import delong_test
from assay.plan.plan import plan

N = 400


def labels(error_a: float = 0.1, error_b: float = 0.15, seed: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, N)
    a, b = (np.where(rng.random(N) < error, 1 - truth, truth) for error in (error_a, error_b))
    return {"truth": truth, "a": a, "b": b}


def codes(found: Plan) -> list[str]:
    return [one.code for one in found.notes]


class TestTwoModels:
    def test_accuracy_takes_the_discordance(self) -> None:
        rows = labels()
        right_a, right_b = rows["a"] == rows["truth"], rows["b"] == rows["truth"]
        share = float((right_a != right_b).mean())
        found = plan("accuracy", pilot=rows, power=0.8)
        assert found.n == N
        assert found.difference == plan(discordant=share, n=N, power=0.8).difference
        assert any("difference is not used" in one for one in found.assumptions)

    def test_with_a_difference_the_items_needed_and_what_the_pilot_could_find(self) -> None:
        found = plan("accuracy", pilot=labels(), power=0.8, difference=0.02)
        assert found.solved_for == "n"
        smallest = plan("accuracy", pilot=labels(), power=0.8).difference
        assert dict(found.details)["detectable_with_pilot"] == smallest

    def test_a_label_measure_counts_as_its_test_does(self) -> None:
        """The half counts of paired_delta: eight cells of two classes share four."""
        rows = labels()
        found = plan("f1", pilot=rows, power=0.8, rng=5)
        error = paired_delta(rows, measure="f1").effect.standard_error
        assert error is not None
        share = N / (N + 4.0)
        assert found.difference == pytest.approx((1.959964 + 0.841621) * error / share, rel=5e-3)
        assert found.seed is None
        many = plan("f1", pilot=rows, n=10_000 * N, power=0.8)
        raw = (1.959964 + 0.841621) * error / 100.0
        assert many.difference == pytest.approx(raw, rel=0.03)

    def test_any_other_measure_scales_its_bootstrap_error(self) -> None:
        rows = {**labels(), "w": np.linspace(1.0, 2.0, N)}
        options: dict[str, Any] = {"n_resamples": 499, "rng": 5}
        found = plan("f1", pilot=rows, weight="w", power=0.8, **options)
        outcome = paired_bootstrap(read(rows, truth="truth", weight="w"), measure="f1", **options)
        error = outcome.effect.standard_error
        assert error is not None
        assert found.difference == pytest.approx((1.959964 + 0.841621) * error, rel=1e-4)
        assert found.seed == 5
        larger = plan("f1", pilot=rows, weight="w", n=4 * N, power=0.8, **options)
        assert larger.difference == pytest.approx((found.difference or 0.0) / 2, rel=1e-6)

    def test_the_difference_seen_plays_no_part(self) -> None:
        """Swapping the models turns the difference round and changes nothing."""
        rows = labels(0.05, 0.3)
        swapped = {"truth": rows["truth"], "a": rows["b"], "b": rows["a"]}
        for measure in ("accuracy", "f1"):
            one, other = (plan(measure, pilot=p, power=0.8, rng=1) for p in (rows, swapped))
            assert one.difference == pytest.approx(other.difference, rel=1e-9)

    def test_areas(self) -> None:
        rng = np.random.default_rng(4)
        truth = rng.integers(0, 2, N)
        scores = truth + rng.standard_normal((2, N))
        rows = {"truth": truth, "a": scores[0], "b": scores[1]}
        found = plan("roc_auc", pilot=rows, power=0.8)
        error = delong_test(truth, *scores).effect.standard_error
        assert found.method == "delong_test (t)"
        assert dict(found.details)["standard_error"] == pytest.approx(error)

    def test_means(self) -> None:
        rng = np.random.default_rng(4)
        truth = rng.standard_normal(N)
        rows = {"truth": truth, "a": truth + rng.standard_normal(N), "b": truth + 1.0}
        found = plan("mae", pilot=rows, power=0.8, truth="truth")
        sd = (np.abs(rows["a"] - truth) - 1.0).std(ddof=1)
        assert found.method == "paired_t"
        assert dict(found.details)["sd"] == pytest.approx(sd)

    def test_clusters(self) -> None:
        rows = {**labels(), "doc": np.repeat(np.arange(20), N // 20)}
        found = plan("accuracy", pilot=rows, cluster="doc", power=0.8)
        assert found.method == "cluster_difference"
        assert dict(found.details)["clusters"] == 20
        assert codes(found) == ["pilot-small"]
        other = plan("f1", pilot=rows, cluster="doc", power=0.8, rng=1)
        assert dict(found.details)["clusters"] == dict(other.details)["clusters"] == 20
        assert other.method == "paired_bootstrap"

    def test_values(self) -> None:
        """A root mean square of n normal errors has sd 1/sqrt(2n), a difference of two 1/sqrt(n)."""
        rng = np.random.default_rng(9)
        truth, a, b = 9.0 * rng.standard_normal((3, N)) / np.array([[1.0], [9.0], [9.0]])
        rows = {"truth": truth, "a": truth + a, "b": truth + b}
        found = plan("rmse", pilot=rows, truth="truth", power=0.8, rng=2)
        assert found.method == "paired_bootstrap"
        expected = (1.959964 + 0.841621) / math.sqrt(N)
        assert found.difference == pytest.approx(expected, rel=0.15)


class TestOneModel:
    def test_against_a_level(self) -> None:
        rows = {key: value for key, value in labels().items() if key != "b"}
        found = plan("accuracy", pilot=rows, against=0.8, power=0.8)
        assert found.difference == plan("accuracy", against=0.8, n=N, power=0.8).difference
        other = plan("f1", pilot=rows, against=0.8, power=0.8, rng=1)
        assert other.method == "measure_against"

    def test_width(self) -> None:
        rows = {key: value for key, value in labels().items() if key != "b"}
        found = plan("f1", pilot=rows, half_width=0.01, rng=1)
        assert found.n is not None
        assert found.n > N
        with pytest.raises(UsageError, match="give half_width, or against"):
            plan("f1", pilot=rows, power=0.8, rng=1)


class TestDifferentItems:
    def test_rates_and_other_measures(self) -> None:
        rows = labels()
        one = {"truth": rows["truth"], "a": rows["a"]}
        two = {"truth": rows["truth"][:100], "b": rows["b"][:100]}
        found = plan("accuracy", pilot=[one, two], paired=False, power=0.8)
        assert found.method == "two_proportions_z"
        assert found.n == 160  # 2/(1/400 + 1/100)
        other = plan("mcc", pilot=[one, two], paired=False, power=0.8, rng=1)
        assert other.method == "independent_bootstrap"
        assert dict(other.details)["n_total"] == 320

    def test_all_right_says_nothing(self) -> None:
        rows = labels(0.0, 0.0)
        parts = [{"truth": rows["truth"], name: rows[name]} for name in ("a", "b")]
        with pytest.raises(EvidenceError, match="give baseline"):
            plan("accuracy", pilot=parts, paired=False, power=0.8)


def scores(unit: str, n: int = 12, seed: int = 2) -> Scores:
    rng = np.random.default_rng(seed)
    return Scores.from_records(
        [
            {"model": model, unit: str(place), "score": float(rng.normal(0.8, 0.03))}
            for model in ("x", "z")
            for place in range(n)
        ]
    )


class TestScores:
    def test_folds(self) -> None:
        evidence = scores("fold", 10)
        differences = -np.diff(evidence.blocks("score").values, axis=1).ravel()
        found = plan(pilot=evidence, power=0.8)
        expected = plan(unit="fold", sd=float(differences.std(ddof=1)), folds=10, n=10, power=0.8)
        assert found.difference == pytest.approx(expected.difference)
        assert codes(found) == ["heuristic-level", "unheld-folds", "pilot-small"]

    def test_folds_of_recorded_sizes(self) -> None:
        rng = np.random.default_rng(1)
        records = [
            {"model": m, "fold": str(f), "score": float(rng.random()), "n_test": 20, "n_train": 80}
            for m in ("x", "z")
            for f in range(5)
        ]
        found = plan(pilot=Scores.from_records(records), power=0.8)
        assert dict(found.details)["ratio"] == pytest.approx(0.25)

    def test_seeds(self) -> None:
        evidence = scores("seed", 6)
        runs = evidence.runs("score")
        found = plan(pilot=evidence, power=0.8)
        sds = tuple(float(runs[model].std(ddof=1)) for model in ("x", "z"))
        assert found.difference == plan(unit="seed", sd=sds, n=6, power=0.8).difference  # type: ignore[arg-type]

    def test_data_sets_keep_their_shape(self) -> None:
        found = plan(pilot=scores("dataset", 25), power=0.8, rng=3, n_resamples=2000)
        assert found.method == "wilcoxon"
        assert codes(found) == ["pilot-small", "simulated-power"]
        needed = plan(pilot=scores("dataset", 25), power=0.8, difference=0.02, rng=3)
        assert needed.n is not None
        assert needed.n > 25

    def test_a_measure_must_be_named_where_there_are_several(self) -> None:
        records = [
            {"model": m, "seed": str(s), "score": s / 7 + (m == "x"), "measure": measure}
            for m in ("x", "z")
            for s in range(4)
            for measure in ("f1", "mcc")
        ]
        evidence = Scores.from_records(records)
        assert plan("f1", pilot=evidence, power=0.8).measure == "f1"
        with pytest.raises(UsageError, match="name a measure"):
            plan(pilot=evidence, power=0.8)


class TestErrors:
    def test_models_that_never_disagree(self) -> None:
        rows = labels()
        same = {"truth": rows["truth"], "a": rows["a"], "b": rows["a"]}
        with pytest.raises(EvidenceError, match="never disagree on the 400 items"):
            plan("accuracy", pilot=same, power=0.8)
        with pytest.raises(EvidenceError, match="never disagree on the 400 items"):
            plan("f1", pilot=same, power=0.8, rng=1)

    def test_scores_without_spread(self) -> None:
        flat = Scores.from_records(
            [{"model": m, "seed": str(s), "score": 0.5} for m in "xz" for s in range(4)]
        )
        with pytest.raises(EvidenceError, match="do not vary"):
            plan(pilot=flat, power=0.8)

    def test_a_pair_is_needed(self) -> None:
        rows = {**labels(), "c": labels(seed=9)["a"]}
        with pytest.raises(NotApplicable, match="choose two"):
            plan("accuracy", pilot=rows, power=0.8)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"power": 0.8, "sd": 1.0}, "sd would be taken from the pilot"),
            ({"power": 0.8, "method": "mcnemar"}, "the test follows from the pilot"),
            ({}, "give two of n=, power= and difference="),
        ],
    )
    def test_what_the_pilot_tells_is_not_given(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            plan("accuracy", pilot=labels(), **options)

    def test_few_disagreements_are_a_small_pilot(self) -> None:
        rows = labels(0.02, 0.02)
        assert "pilot-small" in codes(plan("accuracy", pilot=read(rows), power=0.8))


def test_repeated_answers_are_planned_in_questions() -> None:
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(40), 5)
    truth = np.repeat(rng.integers(0, 2, 40), 5)
    rows = {"item": item, "seed": np.tile(np.arange(5), 40), "truth": truth}
    rows |= {
        m: np.where(rng.random(200) < e, 1 - truth, truth) for m, e in (("a", 0.2), ("b", 0.4))
    }
    found = plan(pilot=rows, difference=0.05, power=0.8, id="item", repeat="seed")
    details = dict(found.details)
    assert found.n is not None
    assert details["questions"] == -(-found.n // 5)
    start = f"{details['questions']:,} questions ({found.n:,} answers, 5 to each) give 80% power"
    assert found.sentence.startswith(start)


def test_evidence_by_its_place_is_told_to_be_the_pilot() -> None:
    truth, *rest = labels().values()
    with pytest.raises(UsageError, match=r"takes measure by its place.*evidence as pilot=\(truth"):
        plan(truth, dict(zip("ab", rest, strict=True)), difference=0.05)  # type: ignore[call-arg, misc, arg-type, unused-ignore]
