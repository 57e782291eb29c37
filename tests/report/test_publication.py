"""What is published: the numbers of the evaluation, in the fields that the two forms have."""

import hashlib
import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import NotApplicable, UsageError
from assay.core.results import Evaluation
from assay.estimates.evaluate import evaluate
from assay.evidence.reading import read
from assay.report.publication import Publication, files_of, write

TABLE = {"y": [0, 1] * 20, "org/a": [0, 1] * 19 + [1, 1], "b": [0, 1] * 20}
SAID = Publication(
    benchmark="openai/gsm8k", task="main", organisation="Lab", relationship="third_party",
    at=datetime(2026, 11, 1, tzinfo=UTC),
)  # fmt: skip


def evaluated(*measures: str) -> Evaluation:
    return evaluate(read(TABLE, truth="y"), measures=measures, rng=1)


class TestHub:
    def test_value_and_interval(self) -> None:
        """What huggingface_hub 2.4 parses as an EvalResultEntry; the interval stands in the notes."""
        found = files_of(
            evaluated("accuracy"), "hub", replace(SAID, url="https://example.org", notes="no tools")
        )
        assert [str(place) for place in found] == [
            "org_a/.eval_results/main.yaml",
            "b/.eval_results/main.yaml",
        ]
        text = next(iter(found.values()))
        assert text.splitlines()[:7] == [
            "- dataset:", '    id: "openai/gsm8k"', '    task_id: "main"', "  value: 0.975", '  date: "2026-11-01"',
            "  source:", '    url: "https://example.org"',
        ]  # fmt: skip
        assert text.splitlines()[7].startswith('  notes: "no tools; accuracy, 95% CI [0.8')
        assert text.endswith('(mid-p), n = 40 items"\n')

    def test_what_was_written_is_read(self, tmp_path: Path) -> None:
        for task in ("t1", "t2", "t3"):
            write(evaluated("accuracy"), "hub", replace(SAID, task=task), tmp_path)
        found: Any = read(tmp_path)
        assert {(one.model, one.dataset, one.value) for one in found.scores if one.dataset.endswith("t2")} == {
            ("org_a", "openai/gsm8k/t2", 0.975), ("b", "openai/gsm8k/t2", 1.0),
        }  # fmt: skip

    def test_one_measure(self) -> None:
        with pytest.raises(
            NotApplicable, match="one value for a task; name the measure: measure='accuracy'"
        ):
            files_of(evaluated("accuracy", "f1"), "hub", SAID)

    def test_names_lead_nowhere_else(self) -> None:
        said = replace(SAID, task='../../x": y\n- z')
        ((place, text), _) = files_of(evaluated("accuracy"), "hub", said).items()
        assert ".." not in place.parts
        assert '    task_id: "../../x\\": y\\n- z"' in text.splitlines()


class TestEveryEvalEver:
    def test_a_record_of_each_model(self) -> None:
        """Valid by eval.schema.json 0.3.0 (tried with jsonschema)."""
        found = files_of(evaluated("accuracy", "f1"), "every-eval-ever", SAID)
        (place, text), _ = found.items()
        assert place.parts[:4] == ("data", "openai_gsm8k", "org", "a")
        record = json.loads(text)
        assert set(record) == {
            "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "eval_library", "model_info",
            "evaluation_results",
        }  # fmt: skip
        assert record["evaluation_id"] == "openai/gsm8k/org/a/1793491200"
        assert [one["metric_config"]["metric_id"] for one in record["evaluation_results"]] == [
            "accuracy",
            "f1",
        ]
        scored = record["evaluation_results"][0]["score_details"]
        assert scored["score"] == 0.975
        assert scored["uncertainty"]["num_samples"] == 40
        interval = scored["uncertainty"]["confidence_interval"]
        assert interval["lower"] < 0.975 < interval["upper"]

    def test_ends_that_a_measure_does_not_have(self) -> None:
        table = {"y": [1.0, 2.0, 3.0, 4.0], "m": [1.1, 2.2, 2.9, 4.3]}
        result = evaluate(read(table, truth="y"), measures=["rmse"], rng=1)
        (text,) = files_of(result, "every-eval-ever", SAID).values()
        config = json.loads(text)["evaluation_results"][0]["metric_config"]
        assert (config["min_score"], config["max_score"], config["lower_is_better"]) == (
            0.0,
            "Infinity",
            True,
        )

    def test_the_same_result_is_the_same_file(self, tmp_path: Path) -> None:
        once, again = (
            write(evaluated("accuracy"), "every-eval-ever", SAID, tmp_path) for _ in "ab"
        )
        assert once == again

    def test_names_are_those_that_the_collection_takes(self) -> None:
        """UUIDs of version 4, as `every_eval_ever validate` demands."""
        places = files_of(evaluated("accuracy"), "every-eval-ever", SAID)
        assert {uuid.UUID(place.stem).version for place in places} == {4}

    def test_who_evaluated(self) -> None:
        with pytest.raises(UsageError, match=r"organisation= and relationship= \(first_party"):
            files_of(evaluated("accuracy"), "every-eval-ever", replace(SAID, relationship=None))


ASKED = {"id": [f"q{k}" for k in range(40)], "question": [f"What is {k}?" for k in range(40)]}


class TestAnswers:
    """Every answer beside the aggregate; both were accepted by `every_eval_ever validate` 0.3.0."""

    def published(self, table: dict[str, Any], *measures: str, **told: Any) -> dict[str, str]:
        items: Any = read(table, slice="question", **told)
        result = evaluate(items, measures=measures or None, rng=1)
        return {
            place.name.partition("_")[2] or place.parent.name: text
            for place, text in files_of(result, "every-eval-ever", SAID, items).items()
        }

    def test_a_line_for_every_answer(self) -> None:
        table = {**ASKED, **TABLE}
        found = self.published({k: v for k, v in table.items() if k != "b"}, "accuracy", truth="y")
        lines = [json.loads(line) for line in found["samples.jsonl"].splitlines()]
        assert len(lines) == 40
        last = lines[-2]
        assert last["sample_id"] == "q38"
        assert last["input"] == {"raw": "What is 38?", "reference": ["0"]}
        assert last["output"] == {"raw": ["1"]}
        assert last["evaluation"] == {"score": 0.0, "is_correct": False}
        record = json.loads(found["a"])
        detail = record["detailed_evaluation_results"]
        assert detail["total_rows"] == 40
        assert detail["checksum"] == hashlib.sha256(found["samples.jsonl"].encode()).hexdigest()
        assert {line["evaluation_id"] for line in lines} == {record["evaluation_id"]}
        assert {line["evaluation_result_id"] for line in lines} == {
            record["evaluation_results"][0]["evaluation_result_id"]
        }

    def test_what_was_written_is_read(self, tmp_path: Path) -> None:
        items: Any = read({**ASKED, **TABLE}, truth="y", slice="question")
        result = evaluate(items, rng=1)
        write(result, "every-eval-ever", SAID, tmp_path, items)
        again = evaluate(tmp_path, measures=None, rng=1)
        assert {one.model: (one.value, one.n) for one in again.estimates} == {
            one.model: (one.value, one.n) for one in result.estimates
        }
        assert not [one.code for one in again.notes if one.code == "doubtful-zeros"]

    def test_scores_without_answers(self) -> None:
        table = {**ASKED, "m": [k / 39 for k in range(40)]}
        found = self.published(table, lower_is_better=False)
        lines = [json.loads(line) for line in found["samples.jsonl"].splitlines()]
        assert [lines[place]["evaluation"]["is_correct"] for place in (0, 38, 39)] == [
            False, False, True,
        ]  # fmt: skip
        assert lines[0]["output"] == {"raw": []}
        assert lines[0]["answer_attribution"] == lines[0]["input"]["reference"] == []

    def test_right_and_wrong_alone_are_no_answers(self) -> None:
        table = {**ASKED, "m": [1, 0] * 20}
        found = self.published(table, correct=True)
        line = json.loads(found["samples.jsonl"].splitlines()[1])
        assert line["evaluation"] == {"score": 0.0, "is_correct": False}
        assert (line["input"]["reference"], line["output"]["raw"]) == ([], [])

    def test_what_cannot_be_published_item_by_item(self) -> None:
        table = {**ASKED, **TABLE}
        with pytest.raises(
            NotApplicable, match="single answers have no f1: publish them by accuracy"
        ):
            self.published(table, "f1", truth="y")
        with pytest.raises(
            NotApplicable, match="'question' of the data has no value at position 2"
        ):
            self.published({**table, "question": ["a", "b", None, *"c" * 37]}, truth="y")
        counted = {**table, "n": [2] * 40}
        with pytest.raises(NotApplicable, match="stand for several items"):
            self.published(counted, "accuracy", truth="y", count="n")
        items: Any = read(table, truth="y", slice="question")
        with pytest.raises(UsageError, match="the Hub has no place for single answers"):
            files_of(evaluate(items, rng=1), "hub", SAID, items)
        plain: Any = read(TABLE, truth="y")
        with pytest.raises(UsageError, match="question='COLUMN'"):
            files_of(evaluate(plain, rng=1), "every-eval-ever", SAID, plain)


def test_undefined_is_not_published() -> None:
    result = evaluated("accuracy")
    empty = replace(result, estimates=tuple(replace(one, value=None) for one in result.estimates))
    with pytest.raises(NotApplicable, match="accuracy of org/a is undefined"):
        files_of(empty, "hub", SAID)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("a file")
    (tmp_path / "org_a").write_text("a file")
    with pytest.raises(UsageError, match="cannot write"):
        write(evaluated("accuracy"), "hub", SAID, tmp_path)
