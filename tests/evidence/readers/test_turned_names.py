"""Names whose parts speak against the whole: nothing is decided by a part of a name."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.core.questions import AmbiguousEvidence


def _long(name: str, values: Any = float) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    shares = {"A": 0.3, "B": 0.7}
    rows = [(model, item, share) for model, share in shares.items() for item in range(80)]
    frame = pd.DataFrame(rows, columns=["model", "id", name])
    noise = rng.normal(0.0, 0.1, len(frame))
    binary = rng.random(len(frame)) < frame[name]
    frame[name] = frame[name] + noise if values is float else binary.astype(values)
    return frame


def _wide(name: str) -> pd.DataFrame:
    frame = _long(name).pivot(index="id", columns="model", values=name).reset_index()
    frame.columns = ["id", f"modelA_{name}", f"modelB_{name}"]
    return frame


class TestDirections:
    @pytest.mark.parametrize(
        "name", ["watch_time", "errors_found", "return_rate", "cost_efficiency", "weight_loss"]
    )
    def test_a_name_that_may_mean_both_is_asked_about(self, name: str) -> None:
        for frame in (_long(name), _wide(name)):
            with pytest.raises(AmbiguousEvidence):
                assay.compare(frame)
            told = assay.compare(frame, lower_is_better=False)
            assert "B" in told.verdict.sentence.split(" is better")[0]

    @pytest.mark.parametrize(
        "name", ["inference_time", "error_rate", "tracking_error", "cost", "val_loss"]
    )
    def test_a_name_that_tells_is_read(self, name: str) -> None:
        for frame in (_long(name), _wide(name)):
            assert assay.compare(frame).verdict.sentence.split(" is better")[0].endswith("A")

    @pytest.mark.parametrize(
        "pair", [("error_rf", "error_svm"), ("old_seconds", "new_seconds"), ("rf_loss", "svm_loss")]
    )
    def test_models_beside_a_measure_keep_their_names(self, pair: tuple[str, str]) -> None:
        rng = np.random.default_rng(1)
        for first in ("id", "dataset"):
            frame = pd.DataFrame({first: [f"d{i}" for i in range(30)]})
            for name in pair:
                frame[name] = rng.uniform(0.1, 0.9, 30)
            assert not set(assay.look(frame).evidence().models) & set(pair)


class TestRightAnswers:
    @pytest.mark.parametrize(
        "name", ["passed_away", "no_success", "success_blocked", "correct_refused"]
    )
    @pytest.mark.parametrize("values", [int, bool])
    def test_a_bad_end_is_no_right_answer(self, name: str, values: Any) -> None:
        with pytest.raises(AmbiguousEvidence):
            assay.compare(_long(name, values))

    @pytest.mark.parametrize(
        "name", ["passed", "task_success", "is_correct", "tests_passed", "answer_correct"]
    )
    def test_a_good_end_is_one(self, name: str) -> None:
        assert assay.compare(_long(name, int)).verdict.sentence.startswith("B is better")


class TestRowsThatAreNoItems:
    def test_turns_of_a_dialogue_belong_together(self) -> None:
        rng = np.random.default_rng(3)
        rows = [
            (f"d{i}", turn, bot) for i in range(30) for turn in range(4) for bot in ("m1", "m2")
        ]
        frame = pd.DataFrame(rows, columns=["dialogue_id", "turn", "bot"])
        frame["success"] = (rng.random(len(frame)) < np.where(frame.bot == "m1", 0.4, 0.9)).astype(
            int
        )
        with pytest.raises(AmbiguousEvidence) as asked:
            assay.compare(frame)
        (question,) = asked.value.questions
        for answer in question.answers:
            assert assay.compare(frame, **answer.arguments).verdict.sentence.startswith(
                "m2 is better"
            )

    def test_settings_of_runs_are_no_models(self) -> None:
        rng = np.random.default_rng(4)
        frame = pd.DataFrame(
            {"lr": [0.1, 0.01] * 10, "batch": [32, 32, 64, 64] * 5, "seed": range(20)}
        )
        frame["val_acc"] = rng.uniform(0.8, 0.9, 20)
        with pytest.raises(EvidenceError, match="no column names the models"):
            assay.compare(frame)
        frame["model"] = ["big", "small"] * 10
        frame["seed"] = np.repeat(range(10), 2)
        assert set(assay.look(frame[["model", "seed", "val_acc"]]).evidence().models) == {
            "big",
            "small",
        }

    def test_rows_that_one_file_has_twice_are_named(self, tmp_path: Path) -> None:
        rows = [f"{i},{i % 2},{i % 3 % 2}" for i in range(60)]
        for name, of in (("a", rows), ("b", [*rows, *rows[:5]])):
            (tmp_path / f"{name}.csv").write_text(
                "\n".join(["id,label,pred", *of]), encoding="utf-8"
            )
        with pytest.raises(EvidenceError, match=r"b\.csv has rows with the same 'id'"):
            assay.compare(tmp_path / "a.csv", tmp_path / "b.csv")

    def test_objects_within_rows_are_columns_of_models(self, tmp_path: Path) -> None:
        path = tmp_path / "nested.jsonl"
        rows: list[dict[str, Any]] = [
            {"id": i, "results": {"gpt": {"correct": True}, "llama": {"correct": i % 2 == 0}}}
            for i in range(30)
        ]
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        assert assay.read(path).models == ("gpt", "llama")
        beside = [
            {**row, "model": m, "correct": row["id"] % 3 > 0} for row in rows for m in ("a", "b")
        ]
        path.write_text("\n".join(map(json.dumps, beside)), encoding="utf-8")
        assert set(assay.look(path).evidence().models) == {"a", "b"}
