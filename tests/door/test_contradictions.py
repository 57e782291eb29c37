"""What is asked for must fit what is there: a measure that the columns do not hold is refused or asked about."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay import AmbiguousEvidence, EvidenceError, NotApplicable, UsageError

N = 120


def right(share: float, seed: int) -> list[int]:
    return [int(one) for one in np.random.default_rng(seed).random(N) < share]


GOOD, BAD = right(0.9, 1), right(0.65, 2)
LONG = {"item": [*range(N)] * 2, "model": ["good"] * N + ["bad"] * N, "correct": GOOD + BAD}
WIDE = {"item": [*range(N)], "good": GOOD, "bad": BAD}
SCANS = {
    "image": [f"scan {place}" for place in range(60)],
    "unet_dice": np.random.default_rng(3).beta(12, 6, 60).round(3).tolist(),
    "unet_hd95": np.random.default_rng(4).gamma(9, 2, 60).round(2).tolist(),
    "segformer_dice": np.random.default_rng(5).beta(20, 4, 60).round(3).tolist(),
    "segformer_hd95": np.random.default_rng(6).gamma(3, 2, 60).round(2).tolist(),
}


def codes(error: pytest.ExceptionInfo[AmbiguousEvidence]) -> list[str]:
    return [question.code for question in error.value.questions]


def better(found: Any) -> str:
    verdict = found.verdict
    return str(verdict.a if verdict.word == "better" else verdict.b)


class TestRightAndWrong:
    def test_an_error_rate_is_the_share_that_is_not_right(self) -> None:
        for found in (
            assay.compare(LONG, measure="error_rate"),
            assay.compare(WIDE, correct=True, measure="error_rate"),
        ):
            assert better(found) == "good"
            values = {one.model: one.value for one in found.estimates}
            assert values["good"] == pytest.approx(1.0 - np.mean(GOOD))

    def test_ones_may_be_errors_where_an_error_rate_is_asked_for(self) -> None:
        with pytest.raises(AmbiguousEvidence) as error:
            assay.compare(WIDE, measure="error_rate")
        assert codes(error) == ["values"]

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy"])
    def test_measures_of_answers_need_the_answers(self, measure: str) -> None:
        with pytest.raises(NotApplicable, match="accuracy or error_rate"):
            assay.compare(LONG, measure=measure)

    @pytest.mark.parametrize("measure", ["rmse", "log_loss", "roc_auc"])
    def test_measures_of_numbers_need_numbers(self, measure: str) -> None:
        with pytest.raises(NotApplicable, match="needs"):
            assay.compare(LONG, measure=measure)

    def test_a_name_of_its_own_is_kept(self) -> None:
        found = assay.compare(WIDE, correct=True, measure="resolved_rate")
        assert better(found) == "good"
        assert "resolved_rate" in found.sentence


class TestNamesOfColumns:
    def test_scores_called_accuracy_are_no_errors(self) -> None:
        table = {
            "dataset": list("abcdefghi"),
            "rf_accuracy": [0.9 + k / 100 for k in range(9)],
            "svm_accuracy": [0.8 + k / 100 for k in range(9)],
        }
        assert better(assay.compare(table, measure="acc")) == "rf"
        with pytest.raises(AmbiguousEvidence) as error:
            assay.compare(table, measure="rmse")
        assert codes(error) == ["measure"]

    def test_two_measures_of_every_model_are_asked_about(self) -> None:
        with pytest.raises(AmbiguousEvidence) as error:
            assay.compare(SCANS)
        assert codes(error) == ["measure"]
        by_overlap = assay.compare(SCANS, measure="dice")
        by_distance = assay.compare(SCANS, measure="hd95")
        assert better(by_overlap) == better(by_distance) == "segformer"
        values = {one.model: one.value for one in by_distance.estimates}
        assert values["unet"] == pytest.approx(np.mean(SCANS["unet_hd95"]))
        with pytest.raises(AmbiguousEvidence):
            assay.compare(SCANS, measure="jaccard")

    def test_resolved_says_right(self) -> None:
        table = {"instance_id": [*range(N)], "agentA_resolved": GOOD, "agentB_resolved": BAD}
        found = assay.compare(table)
        assert better(found) == "agentA"
        assert found.estimates[0].measure == "accuracy"


class TestRows:
    def test_answers_without_ids_are_not_paired_without_a_word(self, tmp_path: Path) -> None:
        rows = zip(LONG["model"], LONG["correct"], strict=True)
        path = tmp_path / "answers.csv"
        path.write_text("model,correct\n" + "".join(f"{model},{cell}\n" for model, cell in rows))
        with pytest.raises(EvidenceError, match="id=False pairs them by position"):
            assay.compare(path)
        assert better(assay.compare(path, id=False)) == "good"
        apart = assay.compare(assay.read(path, paired=False))
        assert better(apart) == "good"
        assert apart.choice.method == "two_proportions_z"

    def test_conversions_of_two_variants(self) -> None:
        table = {
            "variant": ["A"] * 400 + ["B"] * 400,
            "converted": ([1] * 40 + [0] * 360) + ([1] * 90 + [0] * 310),
        }
        with pytest.raises(AmbiguousEvidence):
            assay.compare(table)
        with pytest.raises(AmbiguousEvidence) as error:
            assay.compare(table, unit="item")
        assert codes(error) == ["values"]
        assert better(assay.compare(assay.read(table, correct=True, paired=False))) == "B"

    def test_epochs_of_a_training_run_are_no_items(self) -> None:
        table = {
            "epoch": [*range(30)],
            "train_loss": [1 / (k + 1) for k in range(30)],
            "val_loss": [1.2 / (k + 1) for k in range(30)],
        }
        with pytest.raises((AmbiguousEvidence, EvidenceError)):
            assay.compare(table)
        with pytest.raises(EvidenceError, match="training run"):
            assay.compare(table, unit="item")

    def test_the_truth_may_have_a_name_of_its_own(self) -> None:
        words = ["No", "Yes"]
        truth = right(0.4, 7)
        table = {
            "customerID": [f"C{place}" for place in range(N)],
            "gender": ["Male", "Female"] * (N // 2),
            "MonthlyCharges": np.random.default_rng(8).uniform(20, 100, N).round(2).tolist(),
            "Churn": [words[one] for one in truth],
            "logreg": [words[one if ok else 1 - one] for one, ok in zip(truth, GOOD, strict=True)],
            "xgboost": [words[one if ok else 1 - one] for one, ok in zip(truth, BAD, strict=True)],
        }
        with pytest.raises(AmbiguousEvidence) as error:
            assay.compare(table)
        assert error.value.questions[0].answers[0].option == "--truth Churn"
        assert better(assay.compare(table, truth="Churn")) == "logreg"


def test_parts_of_objects_are_columns(tmp_path: Path) -> None:
    truth = right(0.5, 9)
    path = tmp_path / "nested.jsonl"
    path.write_text(
        "".join(
            f'{{"id": {k}, "truth": {one}, "predictions": {{"good": {one if GOOD[k] else 1 - one}, '
            f'"bad": {one if BAD[k] else 1 - one}}}}}\n'
            for k, one in enumerate(truth)
        )
    )
    found = assay.compare(path)
    assert better(found) == "good"
    assert {one.model: one.value for one in found.estimates}["bad"] == pytest.approx(np.mean(BAD))


def test_runs_of_a_tracker() -> None:
    """MLflow writes params.model and metrics.accuracy."""
    rng = np.random.default_rng(10)
    table = {
        "run_id": [f"{place:x}" for place in range(12)],
        "params.model": ["xgb"] * 6 + ["mlp"] * 6,
        "params.seed": [*range(6)] * 2,
        "metrics.accuracy": [*rng.normal(0.9, 0.005, 6), *rng.normal(0.8, 0.005, 6)],
    }
    found = assay.compare(table)
    assert better(found) == "xgb"
    assert found.evidence.unit == "seed"


def test_usage_errors_are_ours() -> None:
    with pytest.raises(UsageError):
        assay.compare(WIDE, correct=True, measure="no such measure", margin=-1.0)


class TestOneQuestionAtATime:
    """Where one answer settles all that is open, only its question is asked, and its option answers."""

    def test_one_column_of_0_and_1_beside_scores_is_offered_as_their_truth(self) -> None:
        rng = np.random.default_rng(8)
        hidden = rng.normal(size=N)
        table = {
            "id": [*range(N)],
            "churned": [int(one) for one in hidden + rng.normal(size=N) > 0],
            "xgb": (1 / (1 + np.exp(-2 * hidden))).round(4).tolist(),
            "noise": rng.random(N).round(4).tolist(),
        }
        with pytest.raises(AmbiguousEvidence) as error:
            assay.compare(table)
        (question,) = error.value.questions
        offered = [dict(one.arguments) for one in question.answers if "truth" in one.arguments]
        assert offered[0] == {"truth": "churned"}
        assert better(assay.compare(table, **offered[0])) == "xgb"
        with pytest.raises(AmbiguousEvidence, match="'churned' holds 0 and 1"):
            assay.compare(table, losses=True)

    def test_grades_with_gaps_are_offered_beside_a_judge_though_ids_hold_0_and_1(self) -> None:
        graded = [one if place % 3 == 0 else None for place, one in enumerate(GOOD)]
        table = {"id": [*range(N)], "human": graded, "judge": GOOD}
        with pytest.raises(AmbiguousEvidence) as error:
            assay.evaluate(table)
        first = error.value.questions[0].answers[0]
        assert first.option == "--truth human --judge judge --correct"
        (found,) = assay.evaluate(table, **dict(first.arguments)).estimates
        assert found.value == pytest.approx(np.mean(GOOD), abs=0.05)

    def test_grades_with_gaps_are_offered_beside_the_judge_of_each_model(self) -> None:
        gaps = [place % 3 for place in range(N)]
        people = {
            f"{model}_human": [None if gap else one for gap, one in zip(gaps, of, strict=True)]
            for model, of in (("new", GOOD), ("old", BAD))
        }
        wide = {"item": [*range(N)], **people, "old_judge": BAD, "new_judge": GOOD}
        long = {
            "item": [*range(N)] * 2, "model": ["new"] * N + ["old"] * N,
            "human": [*people["new_human"], *people["old_human"]], "gpt": [*GOOD, *BAD],
        }  # fmt: skip
        for table, option in (
            (wide, "--truth new_human,old_human --judge new_judge,old_judge --correct"),
            (long, "--truth human --judge gpt"),
        ):
            with pytest.raises(AmbiguousEvidence) as error:
                assay.compare(table)
            first = error.value.questions[0].answers[0]
            assert first.option == option
            told = {**dict(first.arguments), "correct": True}
            assert better(assay.compare(table, **told)) == "new"


class TestTablesOfOtherThings:
    """Numbers by row that are no values of models are refused, with what takes them."""

    def test_a_report_by_class_has_no_models(self) -> None:
        report = {
            "class": ["cat", "dog"], "precision": [0.8, 0.6], "recall": [0.7, 0.7],
            "f1-score": [0.75, 0.65], "support": [100, 120],
        }  # fmt: skip
        for positive in (None, "cat"):
            with pytest.raises(NotApplicable, match="report of one model by class"):
                assay.compare(report, positive=positive)

    def test_ratings_beside_counts_are_no_data_sets(self) -> None:
        with pytest.raises(AmbiguousEvidence) as error:
            assay.compare({"model": ["a", "b", "c"], "elo": [1200, 1150, 1100], "votes": [5, 4, 3]})
        assert codes(error) == ["spread"]

    def test_winners_alone_are_counted_and_sent_to_their_method(self) -> None:
        winners = ["model_a"] * 50 + ["model_b"] * 30 + ["tie"] * 20
        with pytest.raises(NotApplicable, match=r"bradley_terry\(\[\[0, 60\], \[40, 0\]\]\)"):
            assay.compare({"prompt": [*range(100)], "winner": winners})
        found = assay.bradley_terry([[0, 60], [40, 0]])
        assert found.pairs

    @pytest.mark.parametrize("unit", [None, "seed", "dataset", "item"])
    def test_a_training_run_is_one_run(self, unit: Any) -> None:
        epochs = [*range(12)]
        run = {
            "epoch": epochs,
            "train_loss": [1 / (one + 1) for one in epochs],
            "val_loss": [1.2 / (one + 1) for one in epochs],
        }
        with pytest.raises(EvidenceError, match="one training run"):
            assay.compare(run, unit=unit)
