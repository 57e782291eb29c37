"""Damaged stores on the command line: exit code 4, words that help, and the options that rescue."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.cli.test_run import STUDY, assay_run
from tests.store.test_salvage import content_keys, execute
from tests.study.survival import content


def finished(folder: Path) -> Path:
    (folder / "study.toml").write_text(STUDY)
    run = assay_run(folder, "--workers", "1", "--store", "x.db")
    assert run.returncode == 0, run.stderr
    return folder / "x.db"


class TestRepair:
    def test_what_is_readable_is_kept_and_the_rest_runs(self, tmp_path: Path) -> None:
        store = finished(tmp_path)
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
    def test_a_report_of_what_was_rescued(self, tmp_path: Path) -> None:
        store = finished(tmp_path)
        execute(store, "PRAGMA journal_mode=DELETE", "DROP TABLE lease")
        before = store.read_bytes()
        for verb in ("report", "compare", "evaluate"):
            run = assay_verb(tmp_path, verb, "x.db")
            assert run.returncode == 4, run.stderr
            assert "x.db is damaged: the table lease is missing. 4 of 4 records" in run.stderr
        run = assay_verb(tmp_path, "report", "x.db", "--salvage", "new.db", "--details")
        assert run.returncode == 0, run.stderr
        assert "4 of 4 records of x.db are saved in new.db" in run.stderr
        assert "iris" in run.stdout
        assert store.read_bytes() == before


def assay_verb(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "assay", *words],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
