"""What people met when they tried assay as it was, each once wrong: the answer they should have had."""

import itertools
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import assay
from assay import UsageError
from assay.cli.main import cli
from assay.core.notes import note

RNG = np.random.default_rng(5)
SETS = [f"s{place}" for place in range(20)]


def typed(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, list(words), catch_exceptions=False)
    return done.exit_code, done.output


@pytest.fixture(scope="module")
def areas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("areas") / "auc.csv"
    disease = RNG.integers(0, 2, 200)
    scores = {
        name: np.round(RNG.normal(shift * disease, 1.0), 3)
        for name, shift in (("ai", 1.0), ("nurse_model", 0.9))
    }
    pd.DataFrame({"patient": range(200), "disease": disease, **scores}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("method", ["tost_measure", "non_inferiority_measure", "paired_bootstrap"])
def test_a_measure_is_a_name_on_the_command_line(method: str, areas: Path) -> None:
    margin = () if method == "paired_bootstrap" else ("--margin", "0.2")
    told = ("--truth", "disease", "--id", "patient", "--measure", "roc_auc", *margin)
    code, text = typed("test", method, str(areas), *told, "--seed", "1")
    assert code == 0
    assert "Difference in area under the ROC curve" in text


def test_a_column_where_numbers_are_meant_is_pointed_to_its_option(areas: Path) -> None:
    code, text = typed("test", "delong_test", str(areas), "--truth", "disease")
    assert code == 2
    assert "a column of a file is named by --truth-column" in text
    code, text = typed(
        "test", "delong_test", str(areas), "--truth-column", "disease", "--id", "patient"
    )
    assert (code, "DeLong" in text) == (0, True)


def test_a_plan_with_repeats_speaks_of_questions_first(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = itertools.product(range(60), range(4))
    table = pd.DataFrame([{"question": q, "sample": s, "y": 1} for q, s in rows])
    table["opus"], table["sonnet"] = (RNG.random(240) < share for share in (0.7, 0.6))
    table.astype(int).to_csv(path, index=False)
    told = ("--repeat", "sample", "--truth", "y", "--models", "opus,sonnet", "--difference", "0.1")
    code, text = typed("plan", str(path), *told, "--power", "0.8")
    assert code == 0
    assert "questions (" in text.split("answers, 4 to each")[0]


def test_a_constant_difference_is_decided_by_its_signs() -> None:
    base = RNG.uniform(0.6, 0.9, 20).round(3)
    found = assay.compare(
        {"dataset": SETS, "a": base + 0.01, "b": base}, unit="dataset", measure="accuracy"
    )
    verdict = found.verdicts[0]
    assert (verdict.word, verdict.a) == ("better", "a")
    assert verdict.outcome.p_value == pytest.approx(2 / 2**20, rel=1e-6)


@pytest.mark.parametrize("measure", ["accuracy", "roc_auc"])
def test_intervals_of_folds_stay_in_the_range_of_the_measure(measure: str) -> None:
    table = {"fold": np.arange(10), "a": [1.0] * 9 + [0.6], "b": [0.0] * 9 + [0.5]}
    for one in assay.compare(table, unit="fold", measure=measure, folds=10).estimates:
        assert one.interval is not None
        assert 0.0 <= one.interval.low <= one.interval.high <= 1.0


def test_two_p_values_of_delong_have_two_names(areas: Path) -> None:
    found = assay.compare(areas, truth="disease", id="patient", measure="roc_auc")
    others = [title for title, _ in found.also]
    assert "DeLong, normal approximation" in others


def test_the_probability_of_improvement_goes_by_data_set(tmp_path: Path) -> None:
    rows = [
        {
            "model": model,
            "dataset": name,
            "seed": seed,
            "score": RNG.normal(shift + 10 * place, 3.0),
        }
        for shift, model in enumerate(("SPR", "IRIS"))
        for place, name in enumerate(SETS[:8])
        for seed in range(5)
    ]
    table = pd.DataFrame(rows)
    path = tmp_path / "atari.csv"
    table.to_csv(path, index=False)
    wins = [
        float(
            (
                part[part.model == "IRIS"].score.to_numpy()[:, None]
                > part[part.model == "SPR"].score.to_numpy()
            ).mean()
        )
        for _, part in table.groupby("dataset")
    ]
    words = ("probability_of_improvement", str(path), "--columns", "IRIS,SPR", "--format", "json")
    done = CliRunner().invoke(cli, ["test", *words], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.stderr == "A is IRIS, B is SPR.\n"
    assert json.loads(done.stdout)["value"] == pytest.approx(np.mean(wins))


def test_complete_rows_count_everywhere() -> None:
    values = RNG.random((35, 4))
    values[3, 1] = values[9, 0] = np.nan
    table = pd.DataFrame(values, columns=list("abcd"))
    table.insert(0, "dataset", [f"d{place}" for place in range(35)])
    found = assay.compare(table, unit="dataset", measure="accuracy", missing="complete")
    assert {one.n for one in found.estimates} == {33}
    assert {one.outcome.effect.n for one in found.verdicts} == {33}


def test_failed_folds_inside_a_cell_are_told() -> None:
    rows = [
        {"model": model, "dataset": name, "fold": fold, "accuracy": RNG.random()}
        for model in "ab"
        for name in SETS
        for fold in range(5)
        if (model, name, fold) != ("a", "s3", 4)
    ]
    found = assay.compare(pd.DataFrame(rows), measure="accuracy")
    assert "uneven-cells" in {one.code for one in found.notes}


def test_one_measure_asked_for_is_one_measure() -> None:
    table = {"truth": [0, 1, 1, 0] * 10, "m": [0, 1, 0, 0] * 10}
    assert [one.measure for one in assay.evaluate(table, measures=["accuracy"]).estimates] == [
        "accuracy"
    ]


@pytest.mark.parametrize(
    "measure",
    ["MASE", "WER", "CER", "CRPS", "pinball", "WQL", "FID", "bpb", "top1_err", "top-1 error", "err", "RMSE",
     "sMAPE"],
)  # fmt: skip
def test_lower_is_better_where_everybody_knows_it(measure: str) -> None:
    good = RNG.random(20)
    table: dict[str, Any] = {"dataset": SETS, "good": good, "bad": good + RNG.uniform(0.1, 0.2, 20)}
    verdict = assay.compare(table, unit="dataset", measure=measure).verdicts[0]
    assert (verdict.a, verdict.word, verdict.b) in (
        ("good", "better", "bad"),
        ("bad", "worse", "good"),
    )


def test_pooled_cross_validation_speaks_of_its_folds() -> None:
    truth = RNG.integers(0, 2, 120)
    table = {
        "truth": truth,
        "a": np.where(RNG.random(120) < 0.9, truth, 1 - truth),
        "b": np.where(RNG.random(120) < 0.7, truth, 1 - truth),
        "fold": np.arange(120) % 10,
    }
    found = assay.compare(table, unit="item")
    assert "pooled-models" in {one.code for one in found.notes}
    assert "to the trained models of all folds together" in str(found)
    del table["fold"]
    alone = assay.compare(table)
    assert "pooled-models" not in {one.code for one in alone.notes}
    assert "these trained models" in str(alone)


def test_two_items_in_lists_are_no_counts() -> None:
    """Found by the fuzzer (seed 7201, input 1898): lists of 2 labels were taken as right answers of so many."""
    table = {"truth": [0, 2], "a": [2, 2], "b": [2, 2]}
    arrays = {name: np.array(values) for name, values in table.items()}
    assert str(assay.compare(table, rng=1)) == str(assay.compare(arrays, rng=1))
    with pytest.raises(assay.NotApplicable, match="counts of right answers"):
        assay.compare({"a": [30, 40], "b": [25, 40]})


def test_answers_of_mixed_kinds_are_classes() -> None:
    """Language models are asked for truths, numbers and choices in one file; a word among numbers is a slip."""
    truth = ["True", "False", "7", "12", "(A)", "(B)"] * 10
    table = {"truth": truth, "a": truth, "b": ["False"] * 60}
    assert assay.compare(table).verdict.word == "better"
    slip = ["1", "0", "True", "0", "1", "0"] * 10
    with pytest.raises(assay.EvidenceError, match="stands among numbers"):
        assay.compare({"truth": slip, "a": slip, "b": ["0"] * 60})


def test_labels_beside_probabilities_have_no_scale(tmp_path: Path) -> None:
    truth = RNG.integers(0, 4, 80)
    chances = RNG.dirichlet(np.ones(4), 80).round(4)
    table = pd.DataFrame({f"m:p({place})": chances[:, place] for place in range(4)})
    table.insert(0, "truth", truth)
    table.to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(assay.NotApplicable, match="add a column 'm:label'"):
        assay.evaluate(tmp_path / "p.csv", measures="accuracy")
    table["m:label"] = chances.argmax(axis=1)
    table.to_csv(tmp_path / "p.csv", index=False)
    (found,) = assay.evaluate(tmp_path / "p.csv", measures="accuracy").estimates
    assert found.value == pytest.approx((chances.argmax(axis=1) == truth).mean())


def test_an_arff_file_that_ends_in_a_nul_byte(tmp_path: Path) -> None:
    rows = "".join(f"0,{n % 10},{n},{'ab'[n % 2]},{'ab'[n // 3 % 2]}\n" for n in range(40))
    names = (
        "repeat numeric",
        "fold numeric",
        "row_id numeric",
        "prediction {a,b}",
        "correct {a,b}",
    )
    head = "".join(f"@attribute {name}\n" for name in names)
    path = tmp_path / "predictions.arff"
    path.write_bytes(f"@relation openml_task_1_predictions\n{head}@data\n{rows}".encode() + b"\x00")
    (found,) = assay.evaluate(path, measures="accuracy").estimates
    assert found.n == 40


def test_averages_of_a_harness_are_told_apart_from_answers(tmp_path: Path) -> None:
    path = tmp_path / "pythia.json"
    path.write_text('{"results": {"lambada": {"acc": 0.5, "acc_stderr": 0.01}}, "versions": {}}')
    with pytest.raises(assay.EvidenceError, match="holds averages only"):
        assay.evaluate(path)


def test_items_of_several_tasks_are_pointed_to_their_options(tmp_path: Path) -> None:
    table = pd.DataFrame({"task": np.repeat(["a", "b", "c"], 20), "id": range(60)})
    table["gpt"], table["llama"] = RNG.integers(0, 2, 60), RNG.integers(0, 2, 60)
    table.to_csv(tmp_path / "right.csv", index=False)
    with pytest.raises(
        assay.EvidenceError, match=r"add correct=True \(and cluster= for their tasks\)"
    ):
        assay.compare(tmp_path / "right.csv")
    found = assay.compare(tmp_path / "right.csv", correct=True, cluster="task")
    assert found.estimates[0].value == pytest.approx(table["gpt"].mean())


class TestWhatAnOutsiderStumbledOver:
    """Findings of a statistician and an engineer who read the output of 85 commands aloud."""

    TABLE: ClassVar[dict[str, list[Any]]] = {
        "dataset": [f"d{place}" for place in range(12)],
        "a": [0.8 + 0.001 * place for place in range(12)],
        "b": [0.79 + 0.002 * (place % 5) for place in range(12)],
    }

    def test_a_margin_of_the_whole_range_decides_nothing_over_data_sets_either(self) -> None:
        with pytest.raises(UsageError, match=r"did you mean 0\.01"):
            assay.compare(self.TABLE, measure="accuracy", margin=1)
        in_per_cent = {
            name: [value * 100 for value in values] if name in ("a", "b") else values
            for name, values in self.TABLE.items()
        }
        assert assay.compare(in_per_cent, measure="accuracy", margin=1).margin == 1

    def test_a_level_beyond_the_range_is_named(self) -> None:
        truth, model = [0, 1] * 20, [0, 1] * 18 + [1, 0] * 2
        with pytest.raises(UsageError, match=r"accuracy lies in \[0, 1\].*did you mean 0\.95"):
            assay.compare(truth, {"m": model}, against=95)

    def test_a_gate_subtracts_as_it_says(self) -> None:
        rng = np.random.default_rng(3)
        truth = rng.normal(size=80)
        rough, fine = truth + rng.normal(0, 2, 80), truth + rng.normal(0, 0.5, 80)
        found = assay.gate(
            {"truth": truth, "rough": rough, "fine": fine},
            measure="mse", baseline="rough", candidate="fine", margin=0.5,
        )  # fmt: skip
        assert found.checks[0].sentence.startswith("fine has a lower mse than rough, by ")
        assert found.checks[0].difference == pytest.approx(3.764, abs=0.001)

    def test_a_difference_beside_the_margin(self) -> None:
        truth = [0, 1] * 200
        good = [1 - one if place % 40 == 0 else one for place, one in enumerate(truth)]
        bad = [1 - one if place % 8 == 0 else one for place, one in enumerate(truth)]
        told = [
            assay.compare(truth, {"good": good, "bad": bad}, margin=margin).verdict.sentence
            for margin in (0.01, 0.09)
        ]
        assert told[0].endswith("The difference exceeds the margin 0.01.")
        assert told[1].endswith("The difference may be smaller than the margin 0.09.")

    def test_a_result_shows_its_answer_in_an_interpreter(self) -> None:
        found = assay.mcnemar(50, 10, 4, 36)
        assert repr(found).startswith("<TestOutcome: Difference in accuracy")
        assert len(repr(found)) < 200

    def test_almost_stochastic_order_looks_from_the_better_side(self) -> None:
        low, high = [1.0, 2.0, 3.0, 2.5, 1.5], [11.0, 12.0, 13.0, 12.5, 11.5]
        runs = {"method": ["a"] * 5 + ["b"] * 5, "seed": [*range(5)] * 2, "reward": low + high}
        also = dict(assay.compare(runs, unit="seed", lower_is_better=False).also)
        assert also["almost stochastic order: better mean first"].effect.value == 0.0


def test_a_share_of_differences_is_no_count_of_them() -> None:
    """It once read: 1.4 of the 35 differences outweigh the others."""
    said = note("few-outweigh", n=35, effective=1.4).message
    assert said.startswith("a few of the 35 differences outweigh the others")


def test_rows_of_pairs_have_the_winner_first(tmp_path: Path) -> None:
    path = tmp_path / "sets.csv"
    rows = "".join(f"d{n},0.{50 + n},0.{60 + n},0.{40 + n}\n" for n in range(20))
    path.write_text(f"dataset,low,high,lowest\n{rows}")
    found = typed("compare", str(path), "--measure", "accuracy", "--details")[1]
    verdicts = [line.split()[-1] for line in found.splitlines() if line.startswith(("low", "high"))]
    assert "worse" not in verdicts
    assert verdicts.count("better") == 3


def test_the_mean_of_tasks_counts_each_task_once(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    answers = [("easy", 1, 1)] * 30 + [("hard", 0, 1)] * 10
    rows = "".join(f"{n},{task},{a},{b}\n" for n, (task, a, b) in enumerate(answers))
    path.write_text(f"item,task,a,b\n{rows}")
    found = assay.board(path, correct=True, suite="task", n_resamples=199, rng=1)
    assert {row.model: row.estimate.value for row in found.rows} == {"a": 0.5, "b": 1.0}
    assert found.may_be_best == ("b",)  # though nothing varies within a task
