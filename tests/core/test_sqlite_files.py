"""What is a database is told without opening one that is in use."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assay.core.sqlite_files import is_sqlite


def test_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"")
    assert not is_sqlite(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
    assert is_sqlite(path)
    (tmp_path / "a.csv").write_text("SQLite format 3,b\n1,2\n")
    assert not is_sqlite(tmp_path / "a.csv")


def test_by_its_log_while_it_is_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL").close()
        connection.execute("CREATE TABLE songs (name TEXT)")
        monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("it was opened"))
        assert is_sqlite(path)
