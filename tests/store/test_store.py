"""The store: nothing twice, nothing torn, and quick with a hundred thousand records."""

import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sqlalchemy import text

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.store import migrations, schema
from assay.store.owners import is_dead, new_owner
from assay.store.record_types import (
    DatasetFacts,
    LearnerFacts,
    MeasureFacts,
    PlanEntry,
    Record,
    StudyPlan,
    Times,
    pack,
    smallest_codes,
    unpack,
)
from assay.store.store import Store
from assay.study.spec import Study
from tests.support import PATIENCE

NAMES = ("tree", "nb")


def plan(folds: int = 3, **changes: Any) -> StudyPlan:
    entries = [
        PlanEntry(f"{learner}-{fold}", "toy", learner, 0, fold)
        for learner in NAMES
        for fold in range(folds)
    ]
    facts: dict[str, Any] = {
        "study": "trial",
        "spec": '{"measures":["accuracy"]}',
        "seed": 1,
        "datasets": (
            DatasetFacts(
                fingerprint="f" * 64, name="toy", task="classification", target="y", source="here",
                n=6, classes=("no", "yes"), arrays=pack({"truth": np.array([0, 1] * 3, np.uint8)}),
            ),
        ),
        "learners": tuple(LearnerFacts(digest=name, description="{}") for name in NAMES),
        "measures": (MeasureFacts(name="accuracy", direction="higher"),),
        "entries": entries,
    }  # fmt: skip
    return StudyPlan(**{**facts, **changes})


def record(key: str, value: float | None = 0.5, **changes: Any) -> Record:
    learner, fold = key.split("-")
    rows = np.array([2 * int(fold), 2 * int(fold) + 1], dtype=np.uint32)
    facts: dict[str, Any] = {
        "key": key,
        "status": "ok",
        "dataset": "f" * 64,
        "learner": learner,
        "seed": 1,
        "environment": {"python": "3"},
        "n_train": 4,
        "n_test": 2,
        "scores": {"accuracy": value},
        "times": Times(fit_wall=0.1, fit_cpu=0.1, predict_wall=0.0, predict_cpu=0.0),
        "complexity": {"leaves": 3.0},
        "arrays": pack({"rows": rows, "labels": np.array([0, 1], np.uint8)}),
    }
    return Record(**{**facts, **changes})


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "s.db") as opened:
        opened.plan(plan())
        yield opened


class TestRecords:
    def test_what_goes_in_comes_out(self, store: Store) -> None:
        assert store.finish(record("tree-0", 0.25), record("nb-0", None)) == 2
        found = store.scores("trial", "accuracy")
        assert found.values[0] == 0.25
        assert np.isnan(found.values[1:]).all()
        assert found.status == ("ok", None, None, "ok", None, None)
        (first, second) = store.records("trial")
        assert first["details"] == {"complexity": {"leaves": 3.0}, "tuned": None, "warnings": []}
        assert second["environment"] == {"python": "3"}

    def test_a_record_is_written_once(self, store: Store) -> None:
        assert store.finish(record("tree-0", 0.25)) == 1
        assert store.finish(record("tree-0", 0.75)) == 0
        assert store.scores("trial", "accuracy").values[0] == 0.25

    def test_infinite_scores_stay_infinite(self, store: Store) -> None:
        store.finish(record("tree-0", float("inf")))
        assert store.scores("trial", "accuracy").values[0] == float("inf")

    def test_forgotten_tasks_run_again(self, store: Store) -> None:
        store.finish(record("tree-0"), record("tree-1"))
        assert store.forget(["tree-0", "nb-2"]) == 1
        assert store.done_keys("trial") == {"tree-1"}
        store.check()
        assert store.finish(record("tree-0", 0.75)) == 1

    def test_broken_limits_count_as_done_until_the_limit_is_raised(self, store: Store) -> None:
        store.finish(record("tree-0", status="timeout", limit=5.0, scores={}))
        assert store.done_keys("trial") == {"tree-0"}
        assert store.broken_keys(time_limit=5.0) == set()
        assert store.broken_keys(time_limit=6.0) == {"tree-0"}
        assert store.broken_keys() == {"tree-0"}

    def test_predictions_come_back_as_evidence(self, store: Store) -> None:
        for name in NAMES:
            store.finish(*[record(f"{name}-{fold}") for fold in range(3)])
        found = store.predictions("trial", "toy")
        assert (found.n, found.models, found.classes) == (6, NAMES, ("no", "yes"))
        assert int(found.tally().confusion("nb").trace()) == 6

    def test_arrays_survive_the_codec(self) -> None:
        arrays = {
            "labels": smallest_codes(np.array([0, 300])),
            "probabilities": np.array([[0.1, 0.9], [1e-300, 1.0]]),
            "empty": np.empty((0, 3), dtype=np.float32),
        }
        found = unpack(pack(arrays))
        for name, array in arrays.items():
            assert found[name].dtype == array.dtype
            assert (found[name] == array).all()
        assert found["labels"].dtype == np.uint16
        with pytest.raises(EvidenceError, match="this assay reads"):
            unpack(pack(arrays), "other/9")


class TestPlans:
    def test_a_changed_plan_replaces_the_old_and_keeps_the_records(self, store: Store) -> None:
        store.finish(record("tree-0"), record("nb-0"))
        store.plan(plan(entries=plan().entries[:3]))
        assert len(store.entries("trial")) == 3
        store.plan(plan())
        assert store.done_keys("trial") == {"tree-0", "nb-0"}
        assert store.unfinished_keys("trial") == {"tree-1", "tree-2", "nb-1", "nb-2"}
        assert [entry.key for entry in store.missing("trial")] == [
            "tree-1", "tree-2", "nb-1", "nb-2",
        ]  # fmt: skip

    def test_two_studies_share_what_they_have_in_common(self, store: Store) -> None:
        store.finish(record("tree-0"))
        store.plan(plan(study="second"))
        assert store.studies() == ("trial", "second")
        assert store.done_keys("second") == {"tree-0"}
        with pytest.raises(UsageError, match="holds 2 studies"):
            store.only_study()

    def test_unknown_names_are_told_with_the_known_ones(self, store: Store) -> None:
        with pytest.raises(EvidenceError, match="no study 'other'; it has: trial"):
            store.entries("other")
        with pytest.raises(UsageError, match="did not record 'mcc'; it has accuracy"):
            store.scores("trial", "mcc")


class TestLeases:
    def test_a_task_is_reserved_for_one(self, store: Store) -> None:
        one, other = new_owner(), new_owner()
        assert store.claim(["tree-0", "tree-1"], owner=one).keys == ("tree-0", "tree-1")
        assert store.claim(["tree-1", "tree-2"], owner=other).keys == ("tree-2",)
        store.release(one)
        assert store.claim(["tree-1"], owner=other).keys == ("tree-1",)

    def test_what_is_finished_is_not_reserved(self, store: Store) -> None:
        owner = new_owner()
        store.claim(["tree-0"], owner=owner)
        store.finish(record("tree-0"))
        found = store.claim(["tree-0", "tree-1"], owner=owner)
        assert found.keys == ("tree-1",)
        assert found.done == {"tree-0"}

    def test_reservations_expire_unless_renewed(self, store: Store) -> None:
        elsewhere = "another machine|1|2|3"
        store.claim(["tree-0", "tree-1"], owner=elsewhere, seconds=-1.0)
        assert store.claim(["tree-0"], owner=new_owner()).keys == ("tree-0",)
        store.claim(["tree-2"], owner=elsewhere, seconds=-1.0)
        store.renew(elsewhere, seconds=PATIENCE)
        assert store.claim(["tree-2"], owner=new_owner()).keys == ()

    def test_the_dead_hold_nothing(self, store: Store) -> None:
        code = (
            "import sys; from assay.store.store import Store; "
            "from assay.store.owners import new_owner; "
            "s = Store.open(sys.argv[1]); s.plan; owner = new_owner(); "
            "s.claim(['tree-0'], owner=owner); print(owner)"
        )
        run = subprocess.run(
            [sys.executable, "-c", code, store.location], capture_output=True, text=True, check=True
        )
        owner = run.stdout.strip()
        assert is_dead(owner)
        assert store.claim(["tree-0"], owner=new_owner()).keys == ("tree-0",)

    def test_the_living_and_the_unknown_are_not_dead(self) -> None:
        assert not is_dead(new_owner())
        assert not is_dead("another machine|999999|1|x")
        place, pid, started, rest = new_owner().split("|")
        assert is_dead("|".join((place, pid, str(int(started) + 1), rest)))
        assert is_dead("|".join((place, "4194305", "", rest)))


class TestOpen:
    def test_what_is_not_a_store_is_refused(self, tmp_path: Path) -> None:
        other = tmp_path / "other.db"
        other.write_text("a,b\n1,2\n" * 10)
        with pytest.raises(EvidenceError, match="is not a store of assay"):
            Store.open(other)
        foreign = tmp_path / "foreign.db"
        with sqlite3.connect(foreign) as connection:
            connection.execute("CREATE TABLE songs (name TEXT)")
        connection.close()
        with pytest.raises(EvidenceError, match="not a store of assay"):
            Store.open(foreign)
        with pytest.raises(UsageError, match="is a folder"):
            Store.open(tmp_path)
        with pytest.raises(UsageError, match="there is no folder"):
            Store.open(tmp_path / "nowhere" / "s.db")
        with pytest.raises(EvidenceError, match="there is no store"):
            Store.open(tmp_path / "absent.db", create=False)
        with pytest.raises(UsageError, match="not mysql://"):
            Store.open("mysql://user@host/x")

    def test_what_is_open_twice_here_stays_one_store_for_others(self, store: Store) -> None:
        """Looking into the file drops our locks on it, and who closes it next takes the log away."""
        with Store.open(store.location):
            pass
        with pytest.raises(EvidenceError, match="is an SQLite database"):
            assay.read(store.location)
        code = "import sys; from assay.store.store import Store; Store.open(sys.argv[1]).close()"
        subprocess.run([sys.executable, "-c", code, store.location], check=True)
        store.finish(record("tree-0"))
        count = (
            "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1]); "
            "print(connection.execute('SELECT count(*) FROM task').fetchone()[0])"
        )
        seen = subprocess.run(
            [sys.executable, "-c", count, store.location], check=True, capture_output=True
        )
        assert seen.stdout.strip() == b"1"

    def test_it_can_be_read_with_plain_sql(self, store: Store) -> None:
        store.finish(record("tree-0", 0.25))
        with sqlite3.connect(store.location) as connection:
            rows = connection.execute(
                "SELECT dataset, learner, fold, measure, part, value FROM study_scores "
                "WHERE value IS NOT NULL"
            ).fetchall()
        connection.close()
        assert rows == [("toy", "tree", 0, "accuracy", "test", 0.25)]

    def test_damage_is_seen(self, store: Store) -> None:
        store.finish(record("tree-0"))
        store.check()
        with sqlite3.connect(store.location) as connection:
            connection.execute("DELETE FROM task")
        connection.close()
        with pytest.raises(EvidenceError, match="1 scores without a task"):
            store.check()

    def test_parquet(self, store: Store, tmp_path: Path) -> None:
        import pyarrow.parquet as pq

        store.finish(record("tree-0", 0.25), record("nb-1", status="failed", error="it broke"))
        tasks, scores = store.export(tmp_path / "out", study="trial")
        table = pq.read_table(tasks).to_pylist()
        assert len(table) == 6
        assert table[0]["n_train"] == 4
        assert table[1]["status"] is None
        assert table[4]["error"] == "it broke"
        values = pq.read_table(scores).to_pylist()
        assert [(one["key"], one["measure"], one["value"]) for one in values] == [
            ("tree-0", "accuracy", 0.25), ("nb-1", "accuracy", 0.5),
        ]  # fmt: skip


class TestMigrate:
    def test_an_older_store_is_brought_up_to_date_once(self, store: Store) -> None:
        steps = {schema.VERSION: ["ALTER TABLE task ADD COLUMN mood TEXT"]}
        newer = schema.VERSION + 1
        for _ in range(2):
            with store._writer.begin() as connection:
                migrations.prepare(connection, steps=steps, version=newer)
                assert migrations.version_of(connection) == newer
                connection.execute(text("SELECT mood FROM task"))

    def test_a_newer_store_is_refused(self, store: Store) -> None:
        with store._writer.begin() as connection:
            connection.execute(text("UPDATE meta SET value = '99'"))
        with pytest.raises(EvidenceError, match="schema 99, and this assay reads up to 1"):
            Store.open(store.location)


class TestScale:
    def test_a_hundred_thousand_records_open_resume_and_pivot(self, tmp_path: Path) -> None:
        path = tmp_path / "large.db"
        with Store.open(path) as store:
            store.plan(large_study().plan())
        with sqlite3.connect(path) as connection:
            fill(connection)
        connection.close()
        # in a process of its own: collecting the garbage of a long test run is not the store's
        run = subprocess.run(
            [sys.executable, "-m", "tests.store.test_store", str(path)],
            capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent.parent,
        )  # fmt: skip
        assert float(run.stdout) < 2.0


def large_study() -> Study:
    iris = load_iris()
    data = {f"d{n}": (iris.data + n, iris.target) for n in range(10)}
    learners = {f"nb{n}": GaussianNB(var_smoothing=10.0**-n) for n in range(10)}
    resampling = {"scheme": "cv", "folds": 10, "repeats": 100}
    return Study(learners=learners, datasets=data, resampling=resampling)


def resumed(path: str) -> float:
    """Processor seconds of opening, resuming and pivoting, the best of three."""
    study = large_study()
    seconds = []
    for _ in range(3):
        begun = time.process_time()
        result = study.run(path, progress=False)
        blocks = result.scores("accuracy").by_dataset()
        seconds.append(time.process_time() - begun)
        if blocks.values.shape != (10, 10) or not np.isfinite(blocks.values).all():
            raise RuntimeError("the table is not complete")
    return min(seconds)


def fill(connection: sqlite3.Connection) -> None:
    """A record, two scores and predictions for every planned task."""
    connection.execute("INSERT INTO environment VALUES (1, 'e', '{}')")
    connection.execute(
        "INSERT INTO task (key, status, dataset_id, learner_id, environment_id, seed, n_train, "
        "n_test, details, attempts, finished) SELECT key, 'ok', 1, 1, 1, 1, 135, 15, '{}', 1, '' "
        "FROM entry"
    )
    for part in ("test", "train"):
        connection.execute(
            f"INSERT INTO score SELECT id, 1, '{part}', (id % 100) / 100.0 FROM task"  # noqa: S608
        )
    connection.execute("INSERT INTO prediction SELECT id, 'c', x'00' FROM task")


if __name__ == "__main__":
    sys.stdout.write(f"{resumed(sys.argv[1])}\n")
