"""Rescue: every record that a damage did not touch is saved, and the damaged store stays as it is."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay.core.errors import EvidenceError, UsageError
from assay.store.damage import DamagedStore
from assay.store.salvage import salvage
from assay.store.store import Store
from tests.store.test_store import plan, record
from tests.store.wrecks import DAMAGES, FOLDS, rescued, sound, wide_plan
from tests.study.survival import content


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound(tmp_path_factory.mktemp("sound") / "sound.db")


class TestRecords:
    def test_a_sound_store_is_copied_whole(self, base: Path, tmp_path: Path) -> None:
        found = salvage(base, tmp_path / "new.db")
        assert (found.saved, found.partly, found.lost, found.faults) == (2 * FOLDS, 0, (), ())
        assert content(tmp_path / "new.db") == content(base)
        with Store.open(tmp_path / "new.db") as store, Store.open(base) as old:
            store.check()
            assert store.entries("trial") == old.entries("trial")
            assert store.missing("trial") == ()

    @pytest.mark.parametrize("name", DAMAGES)
    def test_what_no_damage_touched_is_saved(self, base: Path, tmp_path: Path, name: str) -> None:
        for seed in range(3):
            untouched, alone, known = rescued(base, tmp_path / "new.db", DAMAGES[name], seed)
            assert untouched <= alone
            assert untouched <= known

    def test_saved_records_have_the_same_content(self, base: Path, tmp_path: Path) -> None:
        data = bytearray(base.read_bytes())
        DAMAGES["noisy"](data, 4096, random.Random(4))  # noqa: S311
        wreck = tmp_path / "wreck.db"
        wreck.write_bytes(data)
        found = salvage(wreck, tmp_path / "new.db", plan=wide_plan())
        assert wreck.read_bytes() == data
        expected, saved = content(base), content(tmp_path / "new.db")
        assert len(saved) > FOLDS
        same = [key for key in saved if saved[key] == expected[key]]
        assert len(same) >= len(saved) - found.partly
        with Store.open(tmp_path / "new.db") as store:
            store.check()
            assert {one.key for one in store.missing("trial")} == {
                one.key for one in wide_plan().entries
            } - set(content_keys(tmp_path / "new.db"))

    def test_a_lost_data_set_is_put_back_by_its_study(self, tmp_path: Path) -> None:
        path = tmp_path / "s.db"
        with Store.open(path) as store:
            store.plan(plan())
            for entry in plan().entries:
                store.finish(record(entry.key))
        execute(path, "DELETE FROM dataset", "DELETE FROM learner")
        found = salvage(path, tmp_path / "new.db")
        assert (found.saved, found.partly) == (6, 6)
        with Store.open(tmp_path / "new.db") as store:
            assert store.scores("trial", "accuracy").values.tolist() == [0.5] * 6
            with pytest.raises(EvidenceError, match="the truth of this data set was lost"):
                store.predictions("trial", "toy")
            store.plan(plan())
            assert store.predictions("trial", "toy").n == 6
            assert {one["fingerprint"] for one in store.records("trial")} == {"f" * 64}

    def test_what_is_lost_is_named_with_its_reason(self, tmp_path: Path) -> None:
        path = tmp_path / "s.db"
        with Store.open(path) as store:
            store.plan(plan())
            for entry in plan().entries:
                store.finish(record(entry.key))
        execute(
            path,
            "UPDATE task SET status = 'okay' WHERE key = 'tree-1'",
            "UPDATE task SET details = '{' WHERE key = 'tree-2'",
            "DELETE FROM prediction WHERE task_id IN (SELECT id FROM task WHERE key LIKE 'nb-%')",
            "DELETE FROM score WHERE task_id = (SELECT id FROM task WHERE key = 'nb-0')",
        )
        with Store.open(path) as store, pytest.raises(DamagedStore, match="4 of 6 records are"):
            store.scores("trial", "accuracy")
        found = salvage(path, tmp_path / "new.db")
        assert (found.saved, found.partly, found.studies) == (4, 3, ("trial",))
        assert dict(found.lost) == {
            "tree on toy, repeat 1 fold 2": "task.status holds 'okay' where 'ok' or 'failed' or "
            "'timeout' or 'memory' or 'lost' belongs",
            "nb on toy, repeat 1 fold 1": "neither its scores nor its predictions are readable",
        }
        told = "\n".join(found.sentences())
        assert "4 of 6 records" in told
        assert "1 × task.details is not what assay writes" in told
        assert "not saved (neither its scores nor its predictions are readable): nb on toy" in told
        with Store.open(tmp_path / "new.db") as store:
            assert {one.key for one in store.missing("trial")} == {"tree-1", "nb-0"}

    def test_a_lost_value_does_not_take_its_record_along(self, base: Path, tmp_path: Path) -> None:
        wreck = loose(base, tmp_path / "wreck.db", "task")
        execute(
            wreck,
            "UPDATE task SET fit_cpu = -1.0, finished = NULL, attempts = 'x' WHERE id % 4 = 0",
            "UPDATE task SET error = CAST(x'61ff62' AS TEXT), environment_id = NULL WHERE id % 4 = 1",
        )
        found = salvage(wreck, tmp_path / "new.db")
        assert (found.saved, found.partly, found.lost) == (2 * FOLDS, FOLDS, ())
        assert scores_of(tmp_path / "new.db") == scores_of(base)
        with Store.open(tmp_path / "new.db") as store:
            store.check()

    def test_values_that_came_back_as_text_are_turned(self, base: Path, tmp_path: Path) -> None:
        wreck = tmp_path / "wreck.db"
        for table in ("task", "score", "measure", "prediction"):
            wreck = loose(wreck if wreck.exists() else base, wreck, table)
        execute(
            wreck,
            "UPDATE task SET seed = CAST(seed AS TEXT), key = CAST(key AS BLOB), n_test = n_test + 0.0",
            "UPDATE score SET task_id = CAST(task_id AS TEXT), value = CAST(value AS TEXT)",
            "UPDATE prediction SET codec = CAST(codec AS BLOB), task_id = CAST(task_id AS TEXT)",
        )
        found = salvage(wreck, tmp_path / "new.db")
        assert (found.saved, found.partly, found.lost, found.faults) == (2 * FOLDS, 0, (), ())
        assert content_keys(tmp_path / "new.db") == content_keys(base)
        assert len(scores_of(tmp_path / "new.db")) == len(scores_of(base))

    @pytest.mark.parametrize("gone", ["UPDATE measure SET direction = 'up'", "drop"])
    def test_a_measure_without_its_direction_keeps_its_scores(
        self, base: Path, tmp_path: Path, gone: str
    ) -> None:
        wreck = loose(base, tmp_path / "wreck.db", "measure")
        execute(wreck, gone.replace("drop", "ALTER TABLE measure DROP COLUMN direction"))
        assert salvage(wreck, tmp_path / "new.db").partly == 0
        assert scores_of(tmp_path / "new.db") == scores_of(base)
        with Store.open(tmp_path / "new.db") as store, Store.open(base) as old:
            assert store.directions() == old.directions()

    @pytest.mark.parametrize(
        "statement",
        [
            "ALTER TABLE score RENAME COLUMN value TO number",
            "ALTER TABLE task RENAME COLUMN status TO state",
            "ALTER TABLE prediction RENAME TO answers",
            "ALTER TABLE task RENAME TO other",
        ],
    )
    def test_what_was_renamed_is_found(self, base: Path, tmp_path: Path, statement: str) -> None:
        wreck = loose(base, tmp_path / "wreck.db", statement.split()[2])
        execute(wreck, statement)
        found = salvage(wreck, tmp_path / "new.db")
        assert (found.saved, found.partly, found.lost) == (2 * FOLDS, 0, ())
        assert content(tmp_path / "new.db") == content(base)

    def test_of_two_measures_with_one_name_neither_score_is_believed(
        self, base: Path, tmp_path: Path
    ) -> None:
        wreck = loose(base, tmp_path / "wreck.db", "measure")
        execute(
            wreck,
            "INSERT INTO measure SELECT 99, name, direction FROM measure WHERE name = 'accuracy'",
            "INSERT INTO score SELECT task_id, 99, part, value / 2 FROM score WHERE task_id % 2 = 0",
        )
        found = salvage(wreck, tmp_path / "new.db")
        assert (found.saved, found.partly, found.lost) == (2 * FOLDS, FOLDS, ())
        assert ("two values of accuracy for one task", FOLDS) in found.faults
        kept = {one for one in scores_of(base) if int(one[0].split("-")[1]) % 2 == 0}
        assert scores_of(tmp_path / "new.db") == kept


class TestRefusals:
    def test_a_file_that_is_there_is_kept(self, base: Path, tmp_path: Path) -> None:
        there = tmp_path / "there.db"
        there.write_text("mine")
        with pytest.raises(UsageError, match="is there already: name a new file"):
            salvage(base, there)
        assert there.read_text() == "mine"

    def test_what_never_was_a_store_has_nothing_to_save(self, tmp_path: Path) -> None:
        execute(tmp_path / "songs.db", "CREATE TABLE songs (name TEXT)")
        (tmp_path / "text.db").write_text("a,b\n" * 5_000)
        execute(  # a table of our name with a column that another one of ours has: it was a KeyError
            tmp_path / "score.db",
            "CREATE TABLE score (data, status, step, run)",
            "INSERT INTO score VALUES (x'ff', 1, 2, 3)",
        )
        for name in ("songs.db", "text.db", "score.db"):
            with pytest.raises(EvidenceError, match="is readable as a store of assay"):
                salvage(tmp_path / name, tmp_path / "new.db")
        assert not (tmp_path / "new.db").exists()

    def test_a_newer_store_needs_a_newer_assay(self, base: Path, tmp_path: Path) -> None:
        newer = tmp_path / "newer.db"
        newer.write_bytes(base.read_bytes())
        execute(newer, "UPDATE meta SET value = '7'")
        with pytest.raises(EvidenceError, match="schema 7, and this assay reads up to 1: update"):
            salvage(newer, tmp_path / "new.db")


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def loose(path: Path, target: Path, table: str) -> Path:
    """A copy in which a table has neither types nor constraints."""
    if path != target:
        target.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(target)) as database:
        names = ", ".join(row[1] for row in database.execute(f"PRAGMA table_info({table})"))
        database.execute("DROP VIEW IF EXISTS study_scores")
        database.execute(f"CREATE TABLE loose ({names})")
        database.execute(f"INSERT INTO loose SELECT {names} FROM {table}")  # noqa: S608
        database.execute(f"DROP TABLE {table}")
        database.execute(f"ALTER TABLE loose RENAME TO {table}")
        database.commit()
    return target


def scores_of(path: Path) -> set[tuple[str, str, str, float]]:
    question = (
        "SELECT task.key, measure.name, part, value FROM score "
        "JOIN task ON task.id = task_id JOIN measure ON measure.id = measure_id"
    )
    with closing(sqlite3.connect(path)) as database:
        return set(database.execute(question))


def content_keys(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [key for (key,) in database.execute("SELECT key FROM task")]
