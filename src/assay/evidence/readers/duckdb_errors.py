"""DuckDB's complaints about a user's file, said in our words with file and line."""

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.progress import task
from assay.evidence.cell_text import plural
from assay.evidence.duckdb_connection import connect, pattern
from assay.evidence.readers.file_tables import MAX_LINE, FileTable, damage
from assay.evidence.readers.json_files import read_object
from assay.evidence.rows_sql import Run, identifier, literal

Share = Callable[[], float | None] | None

MAX_ROWS = 2_000_000
"""Rows of a Parquet file that is read into memory; a few packed bytes may be many."""


@dataclass(frozen=True, slots=True)
class DuckdbAnswer:
    """An answer of DuckDB; errors that appear while fetching are explained too."""

    cursor: Any
    explain: Callable[[Exception], EvidenceError]
    share: Share = None

    def columns(self) -> list[tuple[str, str]]:
        """Names and types."""
        with asking(self.explain):
            return [(str(name), str(kind)) for name, kind, *_ in self.cursor.description]

    def fetchall(self) -> list[Any]:
        with asking(self.explain), task("reading", self.share):
            return list(self.cursor.fetchall())

    def fetchmany(self, size: int) -> list[Any]:
        with asking(self.explain), task("reading", self.share):
            return list(self.cursor.fetchmany(size))

    def fetchnumpy(self) -> dict[str, Any]:
        with asking(self.explain), task("reading", self.share):
            return dict(self.cursor.fetchnumpy())


def runner(
    execute: Callable[[str], Any],
    tables: Sequence[FileTable],
    connection: Any = None,
) -> Run:
    """Run SQL, with complaints explained. ``tables`` may grow after this call.

    ``connection`` is one of ours: it can be stopped, and tells how far it has come.
    """
    stop = None if connection is None else connection.interrupt
    share = None if connection is None else partial(_share_of, connection)

    def explain(error: Exception) -> EvidenceError:
        return explained(error, tables)

    def run(sql: str) -> DuckdbAnswer:
        with asking(explain), _stopping(stop), task("reading", share):
            return DuckdbAnswer(execute(sql), explain, share)

    return run


def _share_of(connection: Any) -> float | None:
    """What a query has done, None where DuckDB does not know."""
    done: float = connection.query_progress()
    return done / 100.0 if done > 0.0 else None


@contextmanager
def asking(explain: Callable[[Exception], EvidenceError]) -> Iterator[None]:
    """A question to DuckDB: its complaints explained, and Ctrl-C in the middle of it Ctrl-C again."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise explain(error) from None
    except RuntimeError as error:
        if "interrupted" in str(error):
            raise KeyboardInterrupt from None
        if "bad_cast" in str(error) or "conversion error" in str(error):
            raise EvidenceError(
                "a name in the data is not text: it holds bytes outside UTF-8, or half a "
                "character such as \\ud83d. Save the data with another name for that column"
            ) from None
        raise


@contextmanager
def _stopping(stop: Callable[[], object] | None) -> Iterator[None]:
    """Ctrl-C also calls ``stop``, where it is ours to hear: in the main thread, and not ignored.

    DuckDB turns Ctrl-C into a RuntimeError, and without ``stop`` (its ``interrupt``) only after
    the threads that count have come to an end of their own.
    """
    before = signal.getsignal(signal.SIGINT)
    if stop is None or not callable(before) or current_thread() is not main_thread():
        yield
        return

    def stopped(number: int, frame: FrameType | None) -> None:
        stop()
        before(number, frame)

    signal.signal(signal.SIGINT, stopped)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def parquet_columns(
    path: Path, title: str, chosen: Callable[[list[str]], list[str]] = list
) -> dict[str, list[Any]]:
    """The columns of a Parquet file that ``chosen`` picks by their names, as Python values."""
    connection = connect([path])
    source = f"read_parquet({literal(pattern(path))})"
    with asking(unreadable(title)), _stopping(connection.interrupt):
        described = connection.execute(f"describe select * from {source}").fetchall()  # noqa: S608
        names = chosen([str(row[0]) for row in described])
        ((size,),) = connection.execute(f"select count(*) from {source}").fetchall()  # noqa: S608
        if size > MAX_ROWS:
            raise EvidenceError(f"{title} has {size:,} rows; of such a file {MAX_ROWS:,} are read")
        listed = ", ".join(map(identifier, names))
        rows = connection.execute(f"select {listed} from {source}").fetchall()  # noqa: S608
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def unreadable(title: str) -> Callable[[Exception], EvidenceError]:
    """What to say of a file that is read as a whole."""
    return lambda error: EvidenceError(f"{title} cannot be read: {str(error).splitlines()[0]}")


def explained(error: Exception, tables: Sequence[FileTable]) -> EvidenceError:
    """The error in words that name the file and, where it can be found, the line."""
    text = str(error)
    table = next((table for table in tables if str(table.path) in text), None)
    if table is None and len(tables) == 1:
        table = tables[0]
    if "Out of Memory" in text or type(error).__name__ == "OutOfMemoryException":
        return EvidenceError("the data need more memory than there is, even with spilling to disk")
    if table is None:
        return EvidenceError(f"the data cannot be read: {_first_line(text)}")
    if not table.path.exists():
        return EvidenceError(f"{table.title} is no longer there")
    try:
        if table.format == "csv":
            return EvidenceError(_csv_trouble(text, table))
        if table.format == "jsonl":
            return _json_trouble(text, table)
    except (
        damage()
    ) as found:  # it was a file when it was opened, or is packed and broken further on
        why = getattr(found, "strerror", None) or f"it is damaged ({_first_line(str(found))})"
        return EvidenceError(f"{table.title} cannot be read: {why}")
    return EvidenceError(f"{table.title} cannot be read as Parquet: {_first_line(text)}")


def _csv_trouble(text: str, table: FileTable) -> str:
    found = re.search(r"CSV Error on Line: (\d+)", text)
    if found is None:
        mixed = r"its line ends are mixed (\r\n and \n), or a quote is opened and never closed"
        why = mixed if "state machine" in text else _first_line(text)
        return f"{table.title} cannot be read as CSV: {why}"
    # DuckDB counts records, header included; a quoted cell may span several lines
    place = f"{table.line(int(found[1]) - 1)} of {table.title}"
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        return (
            f"{place} has {plural(int(columns[2]), 'cell')}; the header names {columns[1]} columns"
        )
    if "unicode" in text or "utf-8" in text:
        return f"{place} is not UTF-8 text; save the file as UTF-8"
    if "Maximum line size" in text or table.is_too_long(int(found[1]) - 1):
        return f"{place} is longer than {MAX_LINE:,} bytes"
    if "quote" in text:
        return f"{place} has a quote that is not closed, or text after a closing quote"
    return f"{place} cannot be read as CSV: {_first_line(text)}"


def _json_trouble(text: str, table: FileTable) -> EvidenceError:
    """Look for the line ourselves: DuckDB's line numbers are approximate."""
    if "maximum_object_size" in text:
        return EvidenceError(f"{table.title} has a line longer than {8 * MAX_LINE:,} bytes")
    try:
        with table.text() as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    read_object(line, number, table.title)
    except EvidenceError as found:
        return found
    except UnicodeDecodeError:
        return EvidenceError(f"{table.title} is not UTF-8 text; save it as UTF-8")
    if "byte order mark" in text:
        return EvidenceError(
            f"{table.title} begins with a byte order mark; save it as UTF-8 without one"
        )
    return EvidenceError(f"{table.title} cannot be read as JSON lines: {_first_line(text)}")


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line.split("Error: ", 1)[-1][:200]
