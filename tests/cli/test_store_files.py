"""Damaged stores on the command line: exit code 4, words that help, and the options that rescue."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.test_run import STUDY, assay_run
from tests.store.test_salvage import content_keys, execute
from tests.study.survival import content
from tests.typed import typed


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a study that has run."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "study.toml").write_text(STUDY)
    run = assay_run(folder, "--workers", "1", "--store", "x.db")
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture
def store(run_once: Path, tmp_path: Path) -> Path:
    """A store to damage."""
    shutil.copytree(run_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "x.db"


class TestRepair:
    def test_what_is_readable_is_kept_and_the_rest_runs(self, tmp_path: Path, store: Path) -> None:
        kept = content(store)
        with closing(sqlite3.connect(store)) as database:
            (key,) = database.execute("SELECT key FROM task WHERE status = 'ok'").fetchone()
        execute(store, "PRAGMA journal_mode=DELETE", "UPDATE entry SET fold = 'x'")
        execute(store, f"UPDATE task SET status = 'okay' WHERE key = '{key}'")  # noqa: S608
        refused = assay_run(tmp_path, "--workers", "1", "--store", "x.db")
        assert refused.returncode == 4
        assert "x.db is damaged: entry.fold holds 'x'" in refused.stderr
        assert "3 of 4 records are readable" in refused.stderr
        assert "--store x.db --repair x-rescued.db`" in refused.stderr
        before = store.read_bytes()
        run = assay_run(tmp_path, "--workers", "1", "--store", "x.db", "--repair", "new.db")
        assert run.returncode == 0, run.stderr
        assert "3 of 4 records of x.db are saved in new.db" in run.stderr
        assert "not saved (task.status holds 'okay'" in run.stderr
        assert store.read_bytes() == before
        rescued = content(tmp_path / "new.db")
        assert rescued.keys() == kept.keys()
        assert {one: rescued[one] for one in kept if one != key} == {
            one: kept[one] for one in kept if one != key
        }
        assert sorted(content_keys(tmp_path / "new.db")) == sorted(content_keys(store))
        again = assay_run(tmp_path, "--store", "x.db", "--repair", "new.db")
        assert again.returncode == 2
        assert "new.db is there already: name a new file" in again.stderr


class TestSalvage:
    def test_a_report_of_what_was_rescued(self, tmp_path: Path, store: Path) -> None:
        execute(store, "PRAGMA journal_mode=DELETE", "DROP TABLE lease")
        before = store.read_bytes()
        for verb in ("report", "compare", "evaluate"):
            run = typed(verb, "x.db", cwd=tmp_path)
            assert run.returncode == 4, run.stderr
            assert "x.db is damaged: the table lease is missing. 4 of 4 records" in run.stderr
        run = typed("report", "x.db", "--salvage", "new.db", "--details", cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert "4 of 4 records of x.db are saved in new.db" in run.stderr
        assert "iris" in run.stdout
        assert store.read_bytes() == before
