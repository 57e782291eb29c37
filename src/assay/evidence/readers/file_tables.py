"""A file with named columns, packed or not: where its records stand, and its first lines."""

import gzip
import io
import itertools
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Literal

from assay.core.errors import EvidenceError, MissingDependency
from assay.evidence.cell_text import quoted
from assay.evidence.rows_sql import IN_ORDER, ColumnType, SqlColumn

Format = Literal["csv", "parquet", "jsonl"]
Packing = Literal["none", "gzip", "zstd"]

MAX_COLUMNS = 10_000
MAX_LINE = 2_000_000
"""Bytes of one CSV line; a JSON line may have eight times as many."""

MOST_AT_ONCE = 1 << 26
"""Bytes of a file in which lines are counted at once."""
HEAD = 1 << 18
PIECE = 1 << 16
ZIP = b"PK\x03\x04"
"""How a zip archive begins."""
FIRST = 1_000
"""Records that are looked at first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileTable:
    """A file with named columns. ``fields`` are (name in SQL, type) in the order of ``names``."""

    path: Path
    title: str
    format: Format
    compressed: Packing
    names: tuple[str, ...]
    fields: tuple[tuple[str, ColumnType], ...]
    sql: str
    sample: dict[str, tuple[Any, ...]] | None
    header: bool = True
    """Whether the first line of a CSV file names the columns."""
    whole: bool = False
    """Whether the sample is all there is."""
    delimiter: str = ","
    record: str = IN_ORDER

    def column(self, name: str) -> SqlColumn:
        sql, kind = self.fields[self.names.index(name)]
        origin = f"column {name!r} of {self.title}"
        return SqlColumn(sql=sql, type=kind, origin=origin, source=self, record=self.record)

    def numbered(self, condition: str) -> "FileTable":
        """The records of a condition, numbered before others are left out: messages name the file's own lines."""
        numbers = f"(select *, row_number() over () as assay_record from {self.sql})"  # noqa: S608
        query = f"(select * from {numbers} where {condition})"  # noqa: S608
        return replace(self, sql=query, sample=None, record="assay_record")

    def line(self, record: int) -> str:
        """Where a record (counted from 1) is: its line in a text file, its row in a Parquet file."""
        if self.format == "parquet":
            return f"row {record}"
        if self._is_array():
            return f"record {record}"
        header = self.format == "csv" and self.header
        with opened(self.path, compressed=self.compressed) as stream:
            starts = _record_lines(stream, quotes=self.format == "csv")
            line = next(itertools.islice(starts, record - 1 + int(header), None), None)
        return f"record {record}" if line is None else f"line {line}"

    def lines(self) -> Sequence[int]:
        """The line of every record of a text file whose rows are all there; none of others."""
        if self.format == "parquet" or self.record != IN_ORDER or self._is_array():
            return ()
        with opened(self.path, compressed=self.compressed) as stream:
            starts = _starts(stream, quotes=self.format == "csv")
        return starts[int(self.format == "csv" and self.header) :]

    def _is_array(self) -> bool:
        """Whether the records are elements of one JSON array, whose lines tell nothing of them."""
        if self.format != "jsonl":
            return False
        with opened(self.path, compressed=self.compressed) as stream:
            return stream.read(PIECE).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")

    def is_too_long(self, record: int) -> bool:
        """Whether a record of a text file (counted from 1) is longer than a CSV line may be."""
        with opened(self.path, compressed=self.compressed) as stream:
            starts = _record_lines(stream, quotes=self.format == "csv")
            line = next(itertools.islice(starts, record, None), None)
        if line is None:
            return False
        with opened(self.path, compressed=self.compressed) as stream:
            before = 1
            while before < line and (piece := stream.readline(PIECE)):
                before += piece.endswith(b"\n")
            return len(stream.readline(MAX_LINE + 1)) > MAX_LINE

    def text(self) -> IO[str]:
        return io.TextIOWrapper(
            opened(self.path, compressed=self.compressed), encoding="utf-8-sig", newline=""
        )


def _starts(stream: IO[bytes], *, quotes: bool) -> Sequence[int]:
    """The line on which each record starts: every line, where none is empty or goes on in a quote."""
    first, rest = stream.readline(PIECE), stream.read(MOST_AT_ONCE)
    begun = first.endswith(b"\n") and first.strip(b"\r\n") and first.count(b'"') % 2 == 0
    empty = rest.startswith((b"\n", b"\r")) or b"\n\n" in rest or b"\n\r" in rest
    if begun and not empty and b'"' not in rest and len(rest) < MOST_AT_ONCE:
        return range(1, 2 + rest.count(b"\n") + (not rest.endswith(b"\n") and bool(rest)))
    stream.seek(0)
    return list(_record_lines(stream, quotes=quotes))


def _record_lines(stream: IO[bytes], *, quotes: bool) -> Iterator[int]:
    """The line on which each record starts; a record goes on while a quote is open.

    Lines are read in pieces, so that a huge one costs no memory.
    """
    number, inside, partial = 1, False, False
    while piece := stream.readline(PIECE):
        whole = piece.endswith(b"\n")
        if not inside and not partial and piece.strip(b"\r\n"):
            yield number
        if quotes and piece.count(b'"') % 2:
            inside = not inside
        partial = not whole
        number += whole


def damage() -> tuple[type[Exception], ...]:
    """What unpacking raises; zstd has an error of its own, known where it is there."""
    names = ("compression.zstd", "backports.zstd")
    packed = [sys.modules[name].ZstdError for name in names if name in sys.modules]
    return (OSError, EOFError, zlib.error, *packed)


def opened(path: Path, *, compressed: Packing) -> IO[bytes]:
    """The bytes of a file, unpacked."""
    if compressed == "gzip":
        return gzip.GzipFile(path)  # type: ignore[return-value]
    if compressed == "zstd":
        return zstd_module().open(path, "rb")  # type: ignore[no-any-return]
    return path.open("rb")


def zstd_module() -> Any:
    """The module that unpacks zstd: of Python from 3.14 on, else a package."""
    try:
        if sys.version_info >= (3, 14):
            return import_module("compression.zstd")
        return import_module("backports.zstd")
    except ImportError:
        raise MissingDependency(
            "files packed by zstd need the package backports.zstd: install assay[inspect], or unpack them"
        ) from None


def packing(head: bytes) -> Packing:
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    return "zstd" if head.startswith(b"\x28\xb5\x2f\xfd") else "none"


def head_text(path: Path, title: str, *, compressed: Packing, most: int) -> tuple[str, bool]:
    """The first lines of a text file, and whether that is all of it."""
    with opened(path, compressed=compressed) as stream:
        head = stream.read(HEAD)
        while b"\n" not in head and b"\r" not in head and len(head) <= most:
            more = stream.read(HEAD)
            if not more:
                break
            head += more
        complete = not stream.read(1)
    if not complete:
        cut = max(head.rfind(b"\n"), head.rfind(b"\r"))
        if cut < 0:
            raise EvidenceError(f"line 1 of {title} is longer than {most:,} bytes")
        head = head[: cut + 1]
    return as_utf8(head, title), complete


def as_utf8(head: bytes, title: str) -> str:
    """The bytes of a file as text; those that are none are refused, with their line."""
    if b"\x00" in head:
        line = head[: head.index(b"\x00")].count(b"\n") + 1
        raise EvidenceError(f"line {line} of {title} holds a NUL byte; it is not a plain text file")
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = head[: error.start].count(b"\n") + 1
        raise EvidenceError(f"line {line} of {title} is not UTF-8 text; save it as UTF-8") from None


def checked_names(names: Sequence[str], title: str) -> tuple[str, ...]:
    """The names of columns, each once."""
    if len(names) > MAX_COLUMNS:
        raise EvidenceError(
            f"{title} has {len(names):,} columns; assay reads up to {MAX_COLUMNS:,}"
        )
    if len(set(names)) < len(names):
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        raise EvidenceError(f"{title} has more than one column called {quoted(repeated)}")
    nameless = [place for place, name in enumerate(names) if not name.strip() and place > 0]
    if nameless:
        raise EvidenceError(f"column {nameless[0] + 1} of {title} has no name")
    return tuple(names)


def spaced_names(names: Sequence[str]) -> Sequence[str]:
    """Names without the one blank that people write around commas; more of them are meant."""
    bare = [name.strip(" ") for name in names]
    loose = all(
        len(name) - len(name.strip()) <= 2 and "  " not in (name[:2], name[-2:]) for name in names
    )
    return bare if loose and len(set(bare)) == len(set(names)) else names
