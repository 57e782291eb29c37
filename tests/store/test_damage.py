"""Stores that a stranger wrote: each is refused in words that say what is wrong and how to rescue it.

The changes are minimised findings of `tools/fuzz/store_doors.py`: all ended in a traceback once, or hung.
"""

import gzip
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import assay
from assay.cli.gate import command as gate_command
from assay.core.errors import AssayError, EvidenceError, UsageError
from assay.store.damage import DamagedStore, UnreachableStore
from assay.store.store import Store
from assay.study.stored_study import read_study
from tests.store.test_salvage import execute
from tests.store.test_store import plan, record

SPEC = '{"measures":["accuracy"],"seed":1,"resampling":{"scheme":"cv","folds":3}}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "study.db"
    with Store.open(place) as store:
        store.plan(plan(spec=SPEC))
        store.finish(*[record(entry.key) for entry in plan().entries[:5]])
        store.finish(record("nb-2", status="failed", error="it broke", arrays=None))
    return place


def loosened(path: Path, table: str, *statements: str) -> None:
    """Change a table that was made anew without its constraints, so that it holds anything."""
    with closing(sqlite3.connect(path)) as database:
        columns = database.execute(f'PRAGMA table_info("{table}")').fetchall()
        typed = ", ".join(f'"{name}" {kind}' for _, name, kind, *_ in columns)
    remade = (
        "DROP VIEW study_scores",
        f"CREATE TABLE loose ({typed})",
        f"INSERT INTO loose SELECT * FROM {table}",  # noqa: S608
        f"DROP TABLE {table}",
        f"ALTER TABLE loose RENAME TO {table}",
    )
    execute(path, *remade, *statements)


def look(path: Path) -> None:
    """Everything that a report, a comparison and the page look at."""
    with Store.open(path, create=False) as store:
        for name in store.studies():
            store.entries(name), store.failures(name), store.missing(name), store.records(name)
            for measure in store.measures(name):
                store.scores(name, measure).by_dataset()
            store.predictions(name, "toy", learners=["tree"])
            read_study(store, name)


STRANGE: list[tuple[str, str, str]] = [
    ("meta", "UPDATE meta SET value = 'x'", "its schema version is 'x', no number"),
    ("meta", "UPDATE meta SET value = x'ff'", "meta.value holds b'\\xff' where text belongs"),
    ("meta", "UPDATE meta SET value = '0'", "no assay has written stores of schema 0"),
    ("meta", "DELETE FROM meta", "it has no schema version"),
    ("meta", "DROP TABLE meta", "the table meta is missing"),
    ("study", "UPDATE study SET id = '{}'", "study.id holds '{}' where a whole number belongs"),
    ("study", "UPDATE study SET id = 9e999", "study.id holds inf"),
    ("study", "INSERT INTO study SELECT * FROM study", "study.name holds a name twice"),
    ("study", "UPDATE study SET spec = CAST(x'61ff62' AS TEXT)", "Could not decode to UTF-8"),
    ("study", "UPDATE study SET spec = '{\"measures\":[]}'", "has no measures"),
    ("study", "UPDATE study SET spec = '{\"measures\":[\"a\",\"a\"]}'", "a measure twice"),
    ("study", "UPDATE study SET spec = '{\"measures\":[\"mcc\"]}'", "measure does not know"),
    ("study", "UPDATE study SET spec = '{\"measures\":[\"accuracy\"]}'", "has no seed"),
    (
        "study",
        "UPDATE study SET spec = replace(spec, '\"cv\"', '\"vc\"')",
        "the resampling in study.spec is not what assay writes",
    ),
    (
        "study",
        "UPDATE study SET spec = replace(spec, '}}', '},\"curves\":{\"noise\":{\"on\":5}}}')",
        "the curves in study.spec is not what assay writes",
    ),
    ("study", "UPDATE study SET spec = printf('%.5000c', '[')", "study.spec is not what assay writes"),
    ("entry", "INSERT INTO entry SELECT * FROM entry LIMIT 1", "plans a task twice"),
    ("entry", "UPDATE entry SET train_size = 'NaN'", "entry.train_size holds 'NaN'"),
    ("entry", "UPDATE entry SET noise_on = 'labels'", "noise without a level"),
    ("entry", "ALTER TABLE entry RENAME COLUMN repeat TO other", "entry has no column repeat"),
    ("task", "INSERT INTO task SELECT * FROM task LIMIT 1", "two records"),
    ("task", "UPDATE task SET status = NULL", "task.status is empty"),
    ("task", "UPDATE task SET fit_wall = 'test'", "task.fit_wall holds 'test' where seconds belongs"),
    ("task", "UPDATE task SET details = '[]'", "task.details is not what assay writes"),
    ("task", "UPDATE task SET details = '{\"tuned\":5}'", "task.details is not what assay writes"),
    ("task", "UPDATE task SET dataset_id = 99", "has no fingerprint in the store"),
    ("task", "UPDATE task SET environment_id = 99", "has no environment in the store"),
    ("environment", "UPDATE environment SET description = '{\"python\":3}'", "environment.description"),
    ("dataset", "UPDATE dataset SET classes = '[\"a\",\"a\"]'", "names a class twice"),
    ("dataset", "UPDATE dataset SET n = 7", "has no truth of 7 items"),
    ("dataset", "UPDATE dataset SET classes = '[\"no\"]'", "values that are no classes"),
    ("measure", "UPDATE measure SET direction = 'labels'", "measure.direction holds 'labels'"),
    ("measure", "INSERT INTO measure SELECT * FROM measure", "measure.name holds a name twice"),
    ("score", "UPDATE score SET value = 'x'", "score.value holds 'x' where a number belongs"),
    ("score", "DROP TABLE score", "the table score is missing"),
    ("prediction", "UPDATE prediction SET data = 5", "prediction.data holds"),
    ("prediction", "UPDATE prediction SET data = x'93'", "prediction.data: not arrays"),
    ("prediction", "UPDATE prediction SET codec = 'x'", "predictions are written in x"),
    (
        "task",
        "CREATE TRIGGER strange AFTER INSERT ON task BEGIN DELETE FROM task; END",
        "it has a trigger 'strange'",
    ),
]  # fmt: skip


class TestStrangers:
    @pytest.mark.parametrize(("table", "change", "words"), STRANGE, ids=lambda one: one[:60])
    def test_what_is_wrong_and_what_to_type(
        self, path: Path, table: str, change: str, words: str
    ) -> None:
        loosened(path, table, change)
        with pytest.raises(DamagedStore) as caught:
            look(path)
        told = str(caught.value)
        assert words in told
        assert "records are readable" in told
        assert f"`assay report {path} --salvage {path.with_name('study-rescued.db')}`" in told
        assert f"--store {path} --repair {path.with_name('study-rescued.db')}`" in told

    def test_an_endless_view_is_not_asked(self, path: Path) -> None:
        """It was: for more than twenty seconds."""
        endless = (
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n"
        )
        execute(path, "DROP VIEW study_scores", "DROP TABLE task", f"CREATE VIEW task AS {endless}")
        with pytest.raises(DamagedStore, match="the table task is missing"):
            Store.open(path)

    def test_a_reservation_for_ever_is_no_reservation(self, path: Path) -> None:
        """A run waited for the end of time."""
        execute(path, "INSERT INTO lease VALUES ('x-1', 'another machine|1|2|3', 9e99)")
        with Store.open(path) as store:
            assert store.claim(["x-1"], owner="me").keys == ("x-1",)

    @pytest.mark.parametrize("arrays", ["absent", "type", "shape", "codes", "nan", "map"])
    def test_arrays_that_are_not_what_they_say(self, path: Path, arrays: str) -> None:
        import msgspec

        rows = ("<u4", [2], bytes(8))
        forms: dict[str, Any] = {
            "absent": {"labels": ("|u1", [2], b"\0\1")},
            "type": {"rows": rows, "labels": ("|O", [2], bytes(16))},
            "shape": {"rows": rows, "labels": ("|u1", [2**62], b"\0\1")},
            "codes": {"rows": rows, "labels": ("|u1", [2], b"\0\7")},
            "nan": {
                "rows": rows,
                "labels": ("|u1", [2], b"\0\1"),
                "scores": ("<f8", [2], b"\xff" * 16),
            },
            "map": [1, 2],
        }
        with closing(sqlite3.connect(path)) as database:
            data = msgspec.msgpack.encode(forms[arrays])
            database.execute("UPDATE prediction SET data = ?", (data,))
            database.commit()
        with Store.open(path) as store, pytest.raises(DamagedStore, match=r"prediction\.data"):
            store.predictions("trial", "toy", learners=["tree"])


class TestFiles:
    def test_damaged_pages_do_not_end_in_a_traceback(self, path: Path) -> None:
        whole = path.read_bytes()
        for page in range(1, len(whole) // 4096):
            data = bytearray(whole)
            data[page * 4096 : page * 4096 + 4096] = bytes(4096)
            path.write_bytes(data)
            with suppress(AssayError):  # a page may be one that nobody looks at
                look(path)

    def test_a_store_without_its_first_bytes_is_still_known(self, path: Path) -> None:
        path.write_bytes(b"\0" * 16 + path.read_bytes()[16:])
        with pytest.raises(DamagedStore, match="6 of 6 records are readable"):
            Store.open(path)

    def test_a_foreign_database_is_refused_and_stays_as_it_is(self, tmp_path: Path) -> None:
        foreign = tmp_path / "songs.db"
        execute(foreign, "CREATE TABLE songs (name TEXT)")
        before = foreign.read_bytes()
        with pytest.raises(EvidenceError, match=r"not a store of assay \(it has songs\)"):
            assay.compare(Store.open(foreign))
        assert foreign.read_bytes() == before

    def test_an_empty_file_is_no_store_for_readers(self, tmp_path: Path) -> None:
        empty = tmp_path / "empty.db"
        empty.touch()
        with pytest.raises(EvidenceError, match="is empty, no store yet"):
            Store.open(empty, create=False)
        assert empty.stat().st_size == 0

    @pytest.mark.parametrize("loop", [True, False])
    def test_a_link_to_no_file_is_named(self, loop: bool, tmp_path: Path) -> None:
        link, other = tmp_path / "a.db", tmp_path / "b.db"
        link.symlink_to(other)
        if loop:
            other.symlink_to(link)
        for create in (True, False):
            with pytest.raises(assay.UsageError, match="a link that leads to no file"):
                Store.open(link, create=create)
        if loop:
            with pytest.raises(EvidenceError, match="a link that leads to no file"):
                assay.compare(link)

    def test_a_compressed_store_is_to_be_unpacked(self, path: Path, tmp_path: Path) -> None:
        packed = tmp_path / "packed.db"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        with pytest.raises(EvidenceError, match="a compressed SQLite database; unpack it first"):
            assay.compare(packed)
        with pytest.raises(EvidenceError, match="is not a store of assay"):
            Store.open(packed)

    def test_a_gate_opens_a_store_as_every_command_does(self, path: Path) -> None:
        words = ["--baseline", "tree", "--candidate", "nb", "--margin", "0.1"]
        told = CliRunner().invoke(gate_command, [str(path), *words]).output
        with Store.open(path, create=False) as store:
            wanted = str(assay.gate(store, baseline="tree", candidate="nb", margin=0.1))
        assert wanted.split("\n\n")[1].split(".")[0] in told

    def test_a_name_that_is_no_text_is_a_slip_of_who_asks(self, path: Path) -> None:
        with (
            Store.open(path, create=False) as store,
            pytest.raises(UsageError, match=r"'\\udcff' is not text, and no store holds it"),
        ):
            store.entries("\udcff")

    def test_what_the_disk_forbids_is_no_damage(self, path: Path) -> None:
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as other,
            Store.open(path) as store,
        ):
            other.execute("BEGIN IMMEDIATE")
            with store._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA busy_timeout = 1")
            with pytest.raises(UnreachableStore, match="database is locked"):
                store.release("me")
