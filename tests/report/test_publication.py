"""What is published: the numbers of the evaluation, in the fields that the two forms have."""

import json
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
            NotApplicable, match="one value for a task; name the measure: --measure accuracy"
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

    def test_who_evaluated(self) -> None:
        with pytest.raises(UsageError, match="--organisation NAME and --relationship first_party"):
            files_of(evaluated("accuracy"), "every-eval-ever", replace(SAID, relationship=None))


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
