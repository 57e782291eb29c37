"""SQLite files read without SQLite: the same rows, also from the log."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assay.store.sqlite_pages import BadPage, Pages
from assay.store.store import Store
from tests.store.test_store import plan, record
from tests.store.wrecks import sound

ROWS = """
CREATE TABLE kinds (id INTEGER PRIMARY KEY, a, b REAL, c TEXT, d BLOB);
CREATE TABLE pairs (one INTEGER, two TEXT, three, PRIMARY KEY (one, two)) WITHOUT ROWID;
CREATE INDEX by_c ON kinds (c);
"""


def found_rows(path: Path) -> dict[str | None, list[tuple[Any, ...]]]:
    pages = Pages(path)
    tables: dict[str | None, list[tuple[Any, ...]]] = {}
    for found in pages.rows():
        tables.setdefault(found.table, []).append((found.cell.rowid, *pages.values(found.cell)))
    assert pages.bad == 0
    return tables


class TestRows:
    @pytest.mark.parametrize("size", [512, 4096, 65536])
    def test_they_are_those_that_sqlite_reads(self, tmp_path: Path, size: int) -> None:
        path = tmp_path / "any.db"
        with closing(sqlite3.connect(path)) as database:
            database.executescript(f"PRAGMA page_size = {size}; {ROWS}")
            values = [
                None,
                0,
                1,
                -1,
                127,
                -129,
                2**15,
                -(2**23),
                2**31,
                -(2**47),
                2**63 - 1,
                0.1,
                "é" * 9_000,
            ]
            kinds = [
                (number or -5, value, 2.0, "t" * number, bytes(number * 40))
                for number, value in enumerate(values * 20)
            ]
            database.executemany("INSERT INTO kinds VALUES (?, ?, ?, ?, ?)", kinds)
            database.executemany(
                "INSERT INTO pairs VALUES (?, ?, ?)", [(n % 7, str(n), "v" * n) for n in range(900)]
            )
            database.execute("DELETE FROM kinds WHERE id % 3 = 0")
            database.commit()
            expected = database.execute("SELECT id, NULL, a, b, c, d FROM kinds").fetchall()
            pairs = database.execute("SELECT NULL, one, two, three FROM pairs").fetchall()
        tables = found_rows(path)
        assert sorted(tables["kinds"], key=lambda row: row[0]) == expected
        assert sorted(tables["pairs"], key=str) == sorted(pairs, key=str)

    def test_what_is_only_in_the_log_is_read(self, tmp_path: Path) -> None:
        with Store.open(tmp_path / "live.db") as store:
            store.plan(plan())
            store.finish(record("tree-0"))
            for part in ("", "-wal"):
                shutil.copy(tmp_path / f"live.db{part}", tmp_path / f"copy.db{part}")
            assert (tmp_path / "copy.db-wal").stat().st_size > 0
        assert [row[2] for row in found_rows(tmp_path / "copy.db")["task"]] == ["tree-0"]

    def test_a_transaction_that_was_not_committed_is_not(self, tmp_path: Path) -> None:
        with Store.open(tmp_path / "live.db") as store:
            store.plan(plan())
            size = (tmp_path / "live.db-wal").stat().st_size
            store.finish(record("tree-0"))
            for part in ("", "-wal"):
                shutil.copy(tmp_path / f"live.db{part}", tmp_path / f"copy.db{part}")
        log = (tmp_path / "copy.db-wal").read_bytes()
        (tmp_path / "copy.db-wal").write_bytes(log[: size + 5_000])  # torn in the middle
        assert "task" not in found_rows(tmp_path / "copy.db")


class TestDamage:
    def test_rows_on_pages_that_no_tree_reaches_have_no_table(self, tmp_path: Path) -> None:
        base = sound(tmp_path / "sound.db")
        data = bytearray(base.read_bytes())
        data[100:4096] = bytes(3996)
        base.write_bytes(data)
        pages = Pages(base)
        assert {found.table for found in pages.rows()} == {None}

    def test_a_chain_without_end_ends(self, tmp_path: Path) -> None:
        path = tmp_path / "loop.db"
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE t (a BLOB)")
            database.execute("INSERT INTO t VALUES (zeroblob(20000))")
            database.commit()
        data = bytearray(path.read_bytes())
        for page in range(2, len(data) // 4096):
            data[page * 4096 : page * 4096 + 4] = (3).to_bytes(4, "big")
        path.write_bytes(data)
        pages = Pages(path)
        (found,) = [one for one in pages.rows() if one.table == "t"]
        assert len(pages.values(found.cell)[0]) == 20_000

    def test_nonsense_is_a_bad_page(self, tmp_path: Path) -> None:
        path = tmp_path / "cut.db"
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE t (a BLOB)")
            database.execute("INSERT INTO t VALUES (zeroblob(20000))")
            database.commit()
        path.write_bytes(path.read_bytes()[: 3 * 4096])
        pages = Pages(path)
        (found,) = [one for one in pages.rows() if one.table == "t"]
        with pytest.raises(BadPage):
            pages.values(found.cell)

    def test_an_empty_file_has_no_rows(self, tmp_path: Path) -> None:
        (tmp_path / "empty.db").touch()
        assert found_rows(tmp_path / "empty.db") == {}
