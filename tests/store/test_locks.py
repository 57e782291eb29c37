"""Locks of other programs: named within seconds, waited for where somebody is at work."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.run import command
from assay.store import locks
from assay.store.damage import UnreachableStore
from assay.store.store import Store
from tests.store.test_store import plan, record

HOLD = """
import sqlite3, sys, time
other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
for held in map(float, sys.argv[3:]):
    other.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    other.execute("UPDATE study SET seed = seed + 1")
    time.sleep(held)
    other.execute(sys.argv[2])
"""
STUDY = """
name = "trial"
measures = ["accuracy"]
datasets = ["iris"]
resampling = {scheme = "cv", folds = 2}
[learners.nb]
estimator = "sklearn.naive_bayes.GaussianNB"
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(locks, "LOCK_SECONDS", 0.2)
    place = tmp_path / "study.db"
    opened(place).close()
    return place


def opened(path: Path) -> Store:
    store = Store.open(path)
    store.plan(plan())
    return store


class Holder:
    """Another process that takes the lock for so many seconds, again and again, and commits in between or not."""

    def __init__(self, path: Path, end: str, *seconds: float) -> None:
        words = [sys.executable, "-c", HOLD, str(path), end, *map(str, seconds)]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE)
        self.number = self._process.pid

    def __enter__(self) -> "Holder":
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"held\n"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def test_who_holds_it_is_named_and_what_to_do(path: Path) -> None:
    with opened(path) as store, Holder(path, "COMMIT", 60.0) as holder:
        with pytest.raises(UnreachableStore) as told:
            store.release("me")
        assert f"process {holder.number} ({sys.executable} -c" in str(told.value)
        assert str(told.value).endswith(
            "holds its lock. Wait for its end or stop it, then try again"
        )
        assert store.studies() == ("trial",)  # reading waits for nobody


def test_a_file_that_may_not_be_read(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(UnreachableStore, match=r"locked; .* holds its lock"):
            Store.open(path, create=False)


def test_another_connection_of_the_same_program(path: Path) -> None:
    with (
        opened(path) as store,
        Store.open(path) as other,
        other.writing(),
        pytest.raises(
            UnreachableStore, match="locked; this program itself holds its lock, by another"
        ),
    ):
        store.release("me")


def test_who_is_not_known_is_another_program(path: Path, tmp_path: Path) -> None:
    assert locks.holder(path) is None
    assert locks.holder(tmp_path / "absent.db") is None
    assert locks._named(None) == "another program"
    assert locks._named(2**22 + 1) == f"process {2**22 + 1}"  # no system has so many


def test_others_that_write_one_after_another_are_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LOCK_SECONDS", 1.5)
    with opened(path) as store, Holder(path, "COMMIT", *[0.4] * 6):
        assert store.finish(record("tree-0", 0.5)) == 1


class TestInTheMiddleOfARun:
    @pytest.fixture
    def said(self) -> list[str]:
        return []

    def test_it_is_told_once_and_waited_for(self, path: Path, said: list[str]) -> None:
        with opened(path) as store, store.reached(said.append):
            with Holder(path, "COMMIT", 0.9) as holder:
                assert store.finish(record("tree-0", 0.5)) == 1
            store.release("me")
        assert len(said) == 1
        assert f"process {holder.number} " in said[0]
        assert said[0].endswith("holds its lock; waiting for its end")

    def test_not_for_ever(
        self, path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(locks, "BUSY_SECONDS", 0.3)
        with (
            opened(path) as store,
            Holder(path, "COMMIT", 60.0),
            pytest.raises(UnreachableStore, match="the same command goes on"),
            store.reached(said.append),
        ):
            store.finish(record("tree-0", 0.5))
        assert len(said) == 1


def test_a_run_on_a_locked_store_ends_at_once(path: Path, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    with Holder(path, "COMMIT", 60.0) as holder:
        done = CliRunner().invoke(command, [str(tmp_path / "study.toml"), "--store", str(path)])
    assert isinstance(done.exception, UnreachableStore)
    assert f"process {holder.number} " in str(done.exception)
