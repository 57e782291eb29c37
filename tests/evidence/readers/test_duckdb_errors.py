"""Complaints of DuckDB in our words, and Ctrl-C in the middle of a query."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.evidence.readers.duckdb_errors import asking, runner, unreadable

ENDLESS = "select (i % 3)::varchar, count(*) from range(1000000000000) t(i) group by 1"
"""Hours: what ends was interrupted."""


@contextmanager
def interrupted_soon() -> Iterator[None]:
    """Ctrl-C from outside, while the main thread waits for DuckDB."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.join()


class TestRunner:
    def test_ctrl_c_in_a_query_is_ctrl_c_at_once(self) -> None:
        """DuckDB says RuntimeError, which would pass for a defect, and only when it has counted."""
        before = signal.getsignal(signal.SIGINT)
        connection = duckdb.connect()
        run = runner(connection.execute, (), connection)
        with pytest.raises(KeyboardInterrupt), interrupted_soon():
            run(ENDLESS)
        assert signal.getsignal(signal.SIGINT) is before
        assert run("select 1").fetchall() == [(1,)]


class TestAsking:
    def test_ctrl_c_in_a_query_of_the_users(self) -> None:
        """Whose connection is not ours to stop: what DuckDB says of it is understood."""
        with pytest.raises(KeyboardInterrupt), asking(unreadable("relation")):
            raise RuntimeError("Query interrupted")

    def test_a_query_stopped_by_others(self) -> None:
        database = duckdb.connect()
        over = threading.Event()

        def others() -> None:  # a query forgets who interrupted before it began
            while not over.wait(0.1):
                database.interrupt()

        thread = threading.Thread(target=others)
        thread.start()
        try:
            with pytest.raises(KeyboardInterrupt), asking(unreadable("relation")):
                database.execute(ENDLESS)
        finally:
            over.set()
            thread.join()

    def test_complaints_are_explained(self) -> None:
        with (
            pytest.raises(EvidenceError, match=r"log cannot be read: .*no_such"),
            asking(unreadable("log")),
        ):
            duckdb.connect().execute("select * from no_such")

    def test_other_errors_pass(self) -> None:
        with pytest.raises(RuntimeError, match="of another kind"), asking(unreadable("log")):
            raise RuntimeError("of another kind")


def test_a_name_outside_utf8(tmp_path: Path) -> None:
    path = tmp_path / "damaged.parquet"
    table = "select i % 2 truth, i % 3 < 1 named, i % 5 < 2 b from range(9) t(i)"
    duckdb.execute(f"copy ({table}) to '{path}'")
    path.write_bytes(path.read_bytes().replace(b"named", b"na\xffed"))
    with pytest.raises(EvidenceError, match="a name in the data is not text"):
        assay.look(path)
