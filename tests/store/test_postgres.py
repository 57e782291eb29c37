"""The same studies on a real PostgreSQL server: equal records, shared work, nothing lost."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from assay.compare.study_report import study_report
from assay.core.errors import EvidenceError, UsageError
from assay.store import migrations, schema
from assay.store.damage import DamagedStore, UnreachableStore
from assay.store.owners import new_owner
from assay.store.salvage import salvage
from assay.store.store import Store
from assay.study.stored_study import read_study
from tests.postgres import Server, needs_postgres, running_server
from tests.store.test_store import plan, record
from tests.study.survival import (
    begin,
    complete,
    content,
    diary_lines,
    diary_pids,
    let_go,
    query,
    survive,
    wait_for,
    write_study,
)
from tests.support import PATIENCE, until

pytestmark = needs_postgres


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as found:
        yield found


class TestStore:
    def test_plans_records_leases_and_reading(self, server: Server) -> None:
        with Store.open(server.database("basics")) as store:
            store.plan(plan())
            claim = store.claim(["tree-0", "tree-1"], owner="one")
            assert store.claim(["tree-0", "nb-0"], owner="two").keys == ("nb-0",)
            assert store.finish(*[record(key, 0.25) for key in claim.keys]) == 2
            assert store.finish(record("tree-0", 0.75)) == 0  # what is there stays
            again = store.claim(["tree-0", "tree-2"], owner="two")
            assert again.keys == ("tree-2",)
            assert again.done == frozenset({"tree-0"})
            assert store.scores("trial", "accuracy").values.tolist()[:2] == [0.25, 0.25]
            assert len(store.missing("trial")) == 4
            assert store.forget(["tree-0"]) == 1
            store.check()
        with Store.open(server.url("basics"), create=False) as store:
            assert store.studies() == ("trial",)
            store.release("two")
            assert len(store.claim(["tree-2", "nb-0"], owner=new_owner()).keys) == 2

    def test_a_lock_of_another_session_is_told(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("assay.store.locks.LOCK_SECONDS", 0.2)
        with Store.open(server.database("locked")) as store:
            with store.writing() as other:
                other.execute(text("LOCK TABLE lease"))
                with pytest.raises(UnreachableStore, match="another session of the server holds"):
                    store.release("me")
            store.release("me")

    def test_a_lease_expires_by_the_clock_of_the_server(self, server: Server) -> None:
        with Store.open(server.database("leases")) as store:
            store.plan(plan())
            assert store.claim(["tree-0"], owner="elsewhere|1||x", seconds=-1.0).keys
            assert store.claim(["tree-0"], owner="mine", seconds=60.0).keys == ("tree-0",)
            assert store.claim(["tree-0"], owner="other", seconds=60.0).keys == ()

    def test_an_older_schema_is_migrated_and_a_newer_one_refused(self, server: Server) -> None:
        location = server.database("older")
        with Store.open(location) as store:
            step = {schema.VERSION: ["ALTER TABLE study ADD COLUMN remark TEXT"]}
            with store._writer.begin() as connection:
                migrations.prepare(connection, steps=step, version=schema.VERSION + 1)
                assert migrations.version_of(connection) == schema.VERSION + 1
                connection.execute(text("SELECT remark FROM study"))
        with pytest.raises(EvidenceError, match="update assay"):
            Store.open(location)

    def test_places_that_are_no_store(self, server: Server) -> None:
        location = server.database("others")
        with psycopg.connect(location) as connection:
            connection.execute("CREATE TABLE customers (name TEXT)")
        with pytest.raises(EvidenceError, match=r"not a store of assay \(it has customers\)"):
            Store.open(location)
        with pytest.raises(EvidenceError, match=r"cannot use .* as a store"):
            Store.open(server.url("nowhere"))
        with pytest.raises(UsageError, match="not mysql://"):
            Store.open("mysql://somebody@somewhere/x")


class TestStudies:
    def test_killed_and_resumed_it_equals_a_run_on_sqlite(
        self, server: Server, tmp_path: Path
    ) -> None:
        """Drivers killed with their workers and alone; no committed task runs again."""
        store = server.database("killed")
        assert survive(tmp_path, kills=2, folds=4, seed=3, store=store)["records"] == 24
        one, other = read_study(store), read_study(tmp_path / "undisturbed.db")
        assert one.tables == other.tables
        assert study_report(one, rng=1).comparisons[0].verdicts == (
            study_report(other, rng=1).comparisons[0].verdicts
        )

    def test_two_drivers_share_the_work_without_duplicates(
        self, server: Server, tmp_path: Path
    ) -> None:
        study, store = write_study(tmp_path, folds=6, hold_after=0), server.database("shared")
        both = [begin(study, store, workers=1) for _ in range(2)]
        until(lambda: len(diary_pids(study)) == 2)
        let_go(study)
        for process in both:
            _, errors = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, errors
        assert len(content(store)) == 36
        assert set(Counter(diary_lines(study)).values()) == {1}
        assert query(store, "SELECT * FROM lease") == []

    def test_a_crash_of_the_server_costs_nothing_committed(
        self, server: Server, tmp_path: Path
    ) -> None:
        study, store = write_study(tmp_path, folds=4, hold_after=3), server.database("crash")
        process = begin(study, store)
        wait_for(store, 3, process)
        server.crash()
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 4, errors
        assert "the same command goes on" in errors
        server.start()
        before = len(content(store))
        assert 3 <= before < 24
        let_go(study)
        complete(study, store)
        assert len(content(store)) == 24

    def test_ctrl_c_leaves_nothing_reserved(self, server: Server, tmp_path: Path) -> None:
        study, store = write_study(tmp_path, folds=4, hold_after=2), server.database("interrupt")
        process = begin(study, store)
        wait_for(store, 1, process)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, errors
        assert query(store, "SELECT * FROM lease") == []
        assert 0 < len(content(store)) < 24


class TestDamage:
    def test_strange_values_are_refused_and_the_rest_is_rescued(
        self, server: Server, tmp_path: Path
    ) -> None:
        place = server.database("strange")
        with Store.open(place) as store:
            store.plan(plan())
            store.finish(*[record(entry.key) for entry in plan().entries])
            with store.writing() as connection:
                connection.execute(text("UPDATE task SET status = 'okay' WHERE key = 'tree-1'"))
                connection.execute(text("DROP VIEW study_scores"))
                connection.execute(text("ALTER TABLE score ALTER COLUMN value TYPE text"))
            with pytest.raises(DamagedStore, match="5 of 6 records are readable"):
                store.scores("trial", "accuracy")
        found = salvage(place, tmp_path / "new.db")
        assert (found.saved, found.partly, len(found.lost)) == (5, 0, 1)  # text that is a number
        with Store.open(tmp_path / "new.db") as store:
            assert store.predictions("trial", "toy", learners=["nb"]).n == 6
            assert [one.key for one in store.missing("trial")] == ["tree-1"]

    def test_missing_tables_and_foreign_databases(self, server: Server) -> None:
        place = server.database("lacking")
        with Store.open(place) as store, store.writing() as connection:
            connection.execute(text("DROP VIEW study_scores"))
            connection.execute(text("DROP TABLE score"))
        with pytest.raises(DamagedStore, match="the table score is missing"):
            Store.open(place)
        songs = server.database("songs")
        with psycopg.connect(songs) as other:
            other.execute("CREATE TABLE songs (name text)")
        with pytest.raises(EvidenceError, match=r"not a store of assay \(it has songs\)"):
            Store.open(songs)

    def test_a_rescue_into_postgres(self, server: Server, tmp_path: Path) -> None:
        with Store.open(tmp_path / "s.db") as store:
            store.plan(plan())
            store.finish(*[record(entry.key) for entry in plan().entries])
        place = server.database("rescued")
        assert salvage(tmp_path / "s.db", place).saved == 6
        assert content(place) == content(tmp_path / "s.db")
        with pytest.raises(UsageError, match="holds studies: name an empty database"):
            salvage(tmp_path / "s.db", place)
