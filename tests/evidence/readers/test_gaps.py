"""Blanks of models: left out or counted as wrong, in memory as in files, and never in silence."""

import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay.core.errors import UsageError
from assay.core.questions import AmbiguousEvidence
from tests.evidence.forms import Table, predictions, write_csv, write_jsonl

GAPPY: Table = {
    "id": [1, 2, 3, 4, 5, 6],
    "y": [0, 1, 1, 0, 1, 0],
    "a": [0, 1, None, 0, 1, 1],
    "b": [0, 0, 1, None, 1, 0],
}


@pytest.fixture(params=["mapping", "csv", "jsonl", "parquet"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "mapping":
        return GAPPY
    if request.param == "parquet":
        pq.write_table(pa.table(GAPPY), tmp_path / "gappy.parquet")
        return tmp_path / "gappy.parquet"
    write = write_csv if request.param == "csv" else write_jsonl
    return write(tmp_path / f"gappy.{request.param}", GAPPY)


class TestAsked:
    def test_nothing_is_decided_by_itself(self, source: Any) -> None:
        with pytest.raises(AmbiguousEvidence, match="What does a blank mean") as asked:
            predictions(source)
        (question,) = asked.value.questions
        assert [answer.option for answer in question.answers] == [
            "--missing wrong",
            "--missing complete",
        ]

    def test_every_answer_is_one(self, source: Any) -> None:
        with pytest.raises(AmbiguousEvidence) as asked:
            predictions(source)
        (question,) = asked.value.questions
        sizes = [predictions(source, **answer.arguments).n for answer in question.answers]
        assert sizes == [6, 4]


class TestComplete:
    def test_rows_in_which_a_model_has_a_gap_are_left_out(self, source: Any) -> None:
        evidence = predictions(source, missing="complete")
        columns = evidence.columns("labels")
        assert columns.truth.tolist() == [0, 1, 1, 0]
        assert columns.predictions.tolist() == [[0, 1, 1, 1], [0, 0, 1, 0]]
        (note,) = evidence.notes
        assert note.code == "gaps-left-out"
        assert "2" in note.message
        assert "4" in note.message

    def test_nothing_is_said_where_nothing_was_missing(self) -> None:
        whole = {name: cells[:2] for name, cells in GAPPY.items()}
        assert predictions(whole, missing="complete").notes == ()


class TestWrong:
    def test_no_answer_is_a_wrong_answer(self, source: Any) -> None:
        evidence = predictions(source, missing="wrong")
        assert "gaps-wrong" in [note.code for note in evidence.notes]
        found = assay.evaluate(evidence, measure="accuracy")
        assert [one.value for one in found.estimates] == pytest.approx([4 / 6, 4 / 6])


@pytest.mark.parametrize("how", ["wrong", "complete"])
def test_a_hundred_models_in_a_file_take_seconds(how: str, tmp_path: Path) -> None:
    """Found by the fuzzer: an IN for each model was a join for each, in every query (over a minute)."""
    many = {f"m{place}": [*GAPPY["a"], *GAPPY["b"]] for place in range(100)}
    pq.write_table(pa.table({"y": [*GAPPY["y"], *GAPPY["y"]], **many}), tmp_path / "many.parquet")
    begun = time.process_time()
    found = assay.evaluate(tmp_path / "many.parquet", truth="y", missing=how, measures="accuracy")
    assert time.process_time() - begun < 20
    assert len(found.estimates) == 100


def test_a_relation_is_filtered_by_its_owner() -> None:
    relation = duckdb.sql("select * from (values (0, 0), (1, null), (1, 1)) as t(y, a)")
    with pytest.raises(UsageError, match="missing='complete' is for files and data in memory"):
        predictions(relation, missing="complete")
