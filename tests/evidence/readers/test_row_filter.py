"""``where``: rows left out before anything is recognised."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.predictions import Predictions
from assay.evidence.readers.row_filter import conditions
from assay.evidence.reading import read
from assay.evidence.scores import Scores

ROWS: dict[str, list[Any]] = {
    "y": [0, 1, 1, 0, 1, 0],
    "a": [0, 1, 0, 0, 1, 1],
    "split": ["test", "test", "train", "test", "dev", "01"],
}


@pytest.fixture(autouse=True, params=["in memory", "by the engine"])
def how_small_files_are_read(request: pytest.FixtureRequest) -> None:
    if request.param == "by the engine":
        request.getfixturevalue("engine")


def csv_file(folder: Path, rows: dict[str, list[Any]]) -> Path:
    path = folder / "rows.csv"
    lines = [",".join(map(str, row)) for row in zip(*rows.values(), strict=True)]
    path.write_text("\n".join([",".join(rows), *lines]) + "\n")
    return path


def forms(folder: Path) -> list[Any]:
    path = csv_file(folder, ROWS)
    relation = duckdb.sql(f"select * from read_csv('{path}', all_varchar = true)")  # noqa: S608
    return [ROWS, path, relation]


class TestConditions:
    def test_forms(self) -> None:
        assert conditions(None) == {}
        assert conditions("a=1") == {"a": ["1"]}
        assert conditions(["a=1", "a=2", "b= x=y "]) == {"a": ["1", "2"], "b": ["x=y"]}
        assert conditions({"a": 1.0, "b": ["x", True]}) == {"a": ["1"], "b": ["x", "True"]}

    @pytest.mark.parametrize("wrong", ["a", "=1", ["a=1", "b"]])
    def test_no_condition(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match="where is column=value"):
            conditions(wrong)


class TestRead:
    def test_every_source_keeps_the_same_rows(self, tmp_path: Path) -> None:
        for source in forms(tmp_path):
            found = assay.read(source, truth="y", where="split=test")
            assert isinstance(found, Predictions)
            assert found.n == 3
            assert found.models == ("a",)
            assert found.tally().counts.tolist() == [2, 1]

    def test_text_stays_text(self, tmp_path: Path) -> None:
        for source in forms(tmp_path):
            assert assay.read(source, truth="y", models="a", where="split=01").n == 1
            with pytest.raises(EvidenceError, match="'1' in column 'split'; it holds"):
                assay.read(source, truth="y", where="split=1")

    def test_one_column_twice_keeps_either_and_two_columns_both(self, tmp_path: Path) -> None:
        for source in forms(tmp_path):
            assert assay.read(source, truth="y", where=["split=test", "split=dev"]).n == 4
            both = {"split": ["test", "train"], "a": 0}
            assert assay.read({**ROWS, "b": ROWS["a"]}, truth="y", where=both).n == 3

    def test_some_classes_of_the_truth_are_still_the_truth(self, tmp_path: Path) -> None:
        rows = [f"{(0.0, 0.5, 1.0)[place % 3]},{place % 7 / 7:.2f}" for place in range(60)]
        path = tmp_path / "games.csv"
        path.write_text("\n".join(["won,elo:score", *rows]) + "\n")
        told: list[tuple[dict[str, Any], str]] = [({"truth": "won"}, "won"), ({}, "y")]
        for truth, name in told:
            path.write_text(path.read_text().replace("won", name, 1))
            found: Any = assay.read(path, where=[f"{name}=0.0", f"{name}=1.0"], **truth)
            assert (found.n, found.classes) == (40, ("0", "1"))

    def test_messages_name_lines_of_the_file(self, tmp_path: Path) -> None:
        rows = {**ROWS, "a": [0, 1, 1, "", 1, 0]}
        with pytest.raises(AmbiguousEvidence, match="line 5"):
            assay.read(csv_file(tmp_path, rows), truth="y", where="split=test").summary()

    def test_scores_with_a_further_column(self) -> None:
        table = {
            "dataset": ["d1", "d1", "d2", "d2"] * 2,
            "method": ["m", "n"] * 4,
            "loss": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
            "diagram": ["one"] * 4 + ["two"] * 4,
        }
        found = assay.read(table, where="diagram=two")
        assert isinstance(found, Scores)
        assert found.blocks("loss").values.tolist() == [[0.5, 0.6], [0.7, 0.8]]
        with pytest.raises(EvidenceError, match="two scores"):
            assay.read(table)

    def test_hostile_values(self, tmp_path: Path) -> None:
        hostile = "x'); drop table rows; --"
        rows = {**ROWS, "split": [hostile, "b", hostile, "b", hostile, "b"]}
        for source in (rows, csv_file(tmp_path, rows)):
            assert assay.read(source, truth="y", where={"split": hostile}).n == 3

    def test_a_column_that_is_not_there(self, tmp_path: Path) -> None:
        for source in forms(tmp_path):
            with pytest.raises(EvidenceError, match="no column 'part'"):
                assay.read(source, truth="y", where="part=1")


class TestLines:
    """Messages name the lines of the file, not those of the rows that were kept."""

    @pytest.fixture
    def two(self, tmp_path: Path) -> list[Path]:
        paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
        for path in paths:
            rows = [f"{n},{'train' if n < 4 else 'test'},{n % 2},{n % 2}" for n in range(9)]
            path.write_text("\n".join(["id,split,y,p", *rows, ""]))
        return paths

    def test_of_joined_files(self, two: list[Path]) -> None:
        two[1].write_text(two[1].read_text().replace("6,test,0,0", "6,test,0,"))
        with pytest.raises(
            AmbiguousEvidence, match=r"column 'p' of .*b\.csv .* the first at line 8"
        ):
            read(*two, where="split=test")

    def test_of_a_long_table(self, tmp_path: Path) -> None:
        rows = [
            f"{n},{'train' if n < 4 else 'test'},{m},{n % 2},{'' if (n, m) == (6, 'q') else 1}"
            for n in range(9)
            for m in "pq"
        ]
        path = tmp_path / "l.csv"
        path.write_text("\n".join(["id,split,model,y,prediction", *rows, ""]))
        with pytest.raises(AmbiguousEvidence, match=r"for model 'q' .* the first at line 15"):
            read(path, where="split=test")

    def test_repeated_ids_are_still_found(self, two: list[Path]) -> None:
        two[1].write_text(two[1].read_text() + "6,test,0,0\n")
        with pytest.raises(EvidenceError, match=r"has rows with the same 'id' \('6'"):
            read(*two, where="split=test")
