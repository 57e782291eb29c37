"""Names made to break SQL, and what a connection may touch."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.evidence.duckdb_connection import connect
from assay.evidence.rows_sql import identifier, literal
from tests.evidence.forms import Table, predictions, write_csv, write_jsonl
from tests.support import PATIENCE

HOSTILE = [
    '"; drop table joined; --',
    "'); select 1; --",
    'say "hi"',
    "it's",
    "a;b",
    "c0",
    "id2",
    "r0",
    "joined",
    "select",
    "x:y",
    "0:y",
    "back\\slash",
    "tab\there",
    "new\nline",
    "ünïcødé ☃",
    "\u202eright to left",
    "{curly}",
    "%s %d {0}",
    "$1",
    "A",
    "a",
    "  spaces  ",
]
TRUTH = [0, 1, 1, 0, 1]
GUESS = [0, 1, 0, 0, 1]


class TestHostileNames:
    @pytest.mark.parametrize("form", ["csv", "jsonl", "memory"])
    def test_as_models(self, tmp_path: Path, form: str) -> None:
        names = HOSTILE if form != "jsonl" else [name for name in HOSTILE if name != "A"]
        table: Table = {"y": TRUTH, **dict.fromkeys(names, GUESS)}
        evidence = predictions(
            {"csv": write_csv, "jsonl": write_jsonl}[form](tmp_path / f"t.{form}", table)
            if form != "memory"
            else table
        )
        assert set(evidence.models) == set(names)
        for name in names:
            assert evidence.tally([name]).confusion(name).tolist() == [[2, 0], [1, 2]]

    @pytest.mark.parametrize("name", HOSTILE)
    def test_as_everything_else(self, tmp_path: Path, name: str) -> None:
        one: Table = {f"{name}i": [*"vwxyz"], f"{name}t": TRUTH, f"{name}a": GUESS}
        two: Table = {f"{name}i": [*"zyxwv"], f"{name}b:score": [0.5, 0.1, 0.2, 0.9, 0.3]}
        evidence = predictions(
            write_csv(tmp_path / "a.csv", one),
            write_csv(tmp_path / "b.csv", two),
            id=f"{name}i",
            truth=f"{name}t",
        )
        assert evidence.tally(["a"]).counts.tolist() == [2, 1, 2]
        assert evidence.columns("scores", ["b"]).predictions.tolist() == [[0.3, 0.9, 0.2, 0.1, 0.5]]

    @pytest.mark.parametrize("name", [n for n in HOSTILE if "\n" not in n])
    def test_as_files(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / f"{name}[1]*?.csv"
        decoy = tmp_path / f"{name}1xx.csv"
        write_csv(path, {"y_true": TRUTH, "y_pred": GUESS})
        write_csv(decoy, {"y_true": [1], "y_pred": [1]})
        assert predictions(path).n == 5

    @pytest.mark.parametrize("form", ["csv", "jsonl", "memory"])
    def test_as_labels_and_models_of_a_long_table(self, tmp_path: Path, form: str) -> None:
        size = len(HOSTILE)
        table: Table = {
            "id": HOSTILE * 2,
            "model": [HOSTILE[0]] * size + [HOSTILE[1]] * size,
            "truth": HOSTILE * 2,
            "prediction": HOSTILE + HOSTILE[1:] + HOSTILE[:1],
        }
        source = {"csv": write_csv, "jsonl": write_jsonl}.get(form)
        evidence = predictions(table if source is None else source(tmp_path / f"t.{form}", table))
        assert set(evidence.models) == set(HOSTILE[:2])
        assert evidence.tally().paired_table(*HOSTILE[:2]).only_a == size

    @settings(
        max_examples=30,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(st.text(st.characters(exclude_characters="\x00\r", exclude_categories=["Cs"])))
    def test_any_name(self, tmp_path: Path, name: str) -> None:
        path = write_csv(tmp_path / "t.csv", {"y": TRUTH, f"m{name}": GUESS})
        assert predictions(path, models=[f"m{name}"]).models == (f"m{name}",)


class TestQuoting:
    @given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1))
    def test_round_trip(self, text: str) -> None:
        connection = duckdb.connect()
        found = connection.execute(f"select {literal(text)} as {identifier(text)}")
        assert found.description is not None
        assert found.description[0][0] == text
        assert found.fetchall() == [(text,)]


class TestConnection:
    def test_only_the_files_of_the_user(self, tmp_path: Path) -> None:
        mine = write_csv(tmp_path / "mine.csv", {"y": [1]})
        other = write_csv(tmp_path / "other.csv", {"y": [1]})
        connection = connect([mine.resolve()])
        assert connection.execute(f"from read_csv({literal(str(mine))})").fetchall() == [(1,)]
        for forbidden in (
            f"from read_csv({literal(str(other))})",
            f"from read_text({literal(str(other))})",
            f"copy (select 1) to {literal(str(tmp_path / 'new.csv'))}",
            f"copy (select 1) to {literal(str(mine))}",
            f"attach {literal(str(tmp_path / 'new.db'))}",
            "install httpfs",
            "load httpfs",
            "from read_csv('https://example.org/x.csv')",
            "set enable_external_access=true",
            "set lock_configuration=false",
            f"set allowed_paths=[{literal(str(other))}]",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(forbidden).fetchall()
        assert mine.read_text().split() == ["y", "1"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "other.csv"]

    def test_reads_of_one_file_do_not_see_each_other(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", {"y": [1]}).resolve()
        first, second = connect([path]), connect([path])
        first.execute("create temp table joined as select 1")
        with pytest.raises(duckdb.CatalogException):
            second.execute("from joined")
        with pytest.raises(duckdb.Error):
            second.execute(f"from read_csv({literal(str(tmp_path / 'other.csv'))})").fetchall()

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    def test_a_file_written_anew_is_read_anew(self, tmp_path: Path, form: str) -> None:
        path = tmp_path / f"t.{form}"
        for wrong in (0, 1):
            rows: Table = {"y": [0, 1, 1, 0], "m": [wrong, 1, 1, 0]}
            if form == "csv":
                write_csv(path, rows)
            else:
                duckdb.from_arrow(pa.table(rows)).to_parquet(str(path))
            confusion = predictions(path, truth="y").tally().confusion("m")
            assert confusion.tolist() == [[2 - wrong, wrong], [0, 2]]

    def test_a_forked_process_opens_its_own_database(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", {"y": [0, 1] * 5_000, "m": [0, 0] * 5_000})
        script = (
            "import os, sys, assay\n"
            f"n = lambda: assay.read({str(path)!r}, truth='y').n\n"
            "n()\n"
            "child = os.fork()\n"
            "if child == 0: os._exit(0 if n() == 10_000 else 1)\n"
            "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        )
        command = [sys.executable, "-W", "ignore", "-c", script]
        assert subprocess.run(command, check=False, timeout=PATIENCE).returncode == 0
