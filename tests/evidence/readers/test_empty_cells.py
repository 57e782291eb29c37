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

RUNS_BELOW: Table = {
    "model": ["ppo", "sac"] * 6,
    "seed": [seed for seed in range(6) for _ in range(2)],
    "score": [0.80, 0.84, 0.81, 0.85, 0.79, None, 0.82, 0.86, 0.80, 0.83, 0.81, 0.84],
}
RUNS_BESIDE: Table = {
    "seed": [*range(6)],
    "ppo": RUNS_BELOW["score"][::2],
    "sac": RUNS_BELOW["score"][1::2],
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


class TestFailedRuns:
    """A run that failed is no missing run, so that its blank is asked about."""

    @pytest.mark.parametrize("table", [RUNS_BELOW, RUNS_BESIDE], ids=["long", "wide"])
    def test_are_asked_about_and_left_out_when_told(self, table: Table, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "runs.csv", table)
        with pytest.raises(AmbiguousEvidence, match="1 run has no score") as asked:
            assay.compare(path, measure="accuracy" if "ppo" in table else "score")
        ((answer,),) = (question.answers for question in asked.value.questions)
        assert answer.option == "--missing complete"
        found = assay.compare(
            path, measure="accuracy" if "ppo" in table else "score", missing="complete",
            lower_is_better=False,
        )  # fmt: skip
        assert sorted(one.n for one in found.estimates) == [5, 6]

    def test_blanks_of_other_models_and_measures_do_not_count(self, tmp_path: Path) -> None:
        more = {**RUNS_BELOW, "loss": RUNS_BELOW["score"], "score": [0.5, 0.6, 0.7, 0.8] * 3}
        path = write_csv(tmp_path / "runs.csv", more)
        assert assay.compare(path, measure="score", lower_is_better=False).verdict
        wide = {**RUNS_BESIDE, "third": [0.81, 0.82, 0.8, 0.83, 0.79, 0.82]}
        path = write_csv(tmp_path / "wide.csv", wide)
        found = assay.compare(path, measure="accuracy", models=["ppo", "third"])
        assert {one.n for one in found.estimates} == {6}
