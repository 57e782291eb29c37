"""Files as tables that DuckDB reads: which format, which columns, where a record stands.

Text is read as text and typed by us, so that the label 01 stays 01.
"""

import csv
import gzip
import io
import itertools
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Literal

from assay.core.errors import EvidenceError, MissingDependency, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.core.sqlite_files import MAGIC, first_bytes
from assay.evidence.cell_text import number_of, plural, quoted, shortened
from assay.evidence.duckdb_connection import parts_of, pattern
from assay.evidence.open_questions import which_names
from assay.evidence.readers.sheets import Sheet, sheet_of_text
from assay.evidence.rows_sql import (
    IN_ORDER,
    ColumnType,
    Run,
    SqlColumn,
    column_type,
    identifier,
    literal,
)

Format = Literal["csv", "parquet", "jsonl"]
Packing = Literal["none", "gzip", "zstd"]

FORMATS = "CSV (.csv, .tsv, also .gz), Parquet (.parquet) and JSON lines (.jsonl, .ndjson)"
MAX_COLUMNS = 10_000
MAX_LINE = 2_000_000
"""Bytes of one CSV line; a JSON line may have eight times as many."""

MAX_NESTED = 200
"""Parts of an object inside an object that become columns."""

MAX_ARRAY = 2**28
"""Bytes of one JSON array."""

_HEAD = 1 << 18
_PIECE = 1 << 16
_SAMPLE = 1_000
_LATER = 300
"""Records of the sample that are from the middle, and from the end."""
_EXTENSIONS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}
_CODE = {".pkl", ".pickle", ".joblib", ".npy", ".npz", ".pt", ".pth", ".ckpt", ".sav", ".dill"}
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x80\x02", "a pickle"),
    (b"\x80\x03", "a pickle"),
    (b"\x80\x04", "a pickle"),
    (b"\x80\x05", "a pickle"),
    (b"\x93NUMPY", "a numpy array file"),
    (b"PK\x03\x04", "a zip archive (numpy .npz, PyTorch, Excel …)"),
    (b"\x89HDF", "an HDF5 file"),
    (b"ARROW1\x00", "an Arrow file"),
    (b"x\x9c", "a compressed pickle"),
)


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

    def line(self, record: int) -> str:
        """Where a record (counted from 1) is: its line in a text file, its row in a Parquet file."""
        if self.format == "parquet":
            return f"row {record}"
        header = self.format == "csv" and self.header
        with _opened(self.path, compressed=self.compressed) as stream:
            starts = _record_lines(stream, quotes=self.format == "csv")
            line = next(itertools.islice(starts, record - 1 + int(header), None), None)
        return f"record {record}" if line is None else f"line {line}"

    def lines(self) -> tuple[int, ...]:
        """The line of every record of a text file whose rows are all there; none of others."""
        if self.format == "parquet" or self.record != IN_ORDER:
            return ()
        with _opened(self.path, compressed=self.compressed) as stream:
            starts = list(_record_lines(stream, quotes=self.format == "csv"))
        return tuple(starts[int(self.format == "csv" and self.header) :])

    def is_too_long(self, record: int) -> bool:
        """Whether a record of a text file (counted from 1) is longer than a CSV line may be."""
        with _opened(self.path, compressed=self.compressed) as stream:
            starts = _record_lines(stream, quotes=self.format == "csv")
            line = next(itertools.islice(starts, record, None), None)
        if line is None:
            return False
        with _opened(self.path, compressed=self.compressed) as stream:
            before = 1
            while before < line and (piece := stream.readline(_PIECE)):
                before += piece.endswith(b"\n")
            return len(stream.readline(MAX_LINE + 1)) > MAX_LINE

    def text(self) -> IO[str]:
        return io.TextIOWrapper(
            _opened(self.path, compressed=self.compressed), encoding="utf-8-sig", newline=""
        )


def _record_lines(stream: IO[bytes], *, quotes: bool) -> Iterator[int]:
    """The line on which each record starts; a record goes on while a quote is open.

    Lines are read in pieces, so that a huge one costs no memory.
    """
    number, inside, partial = 1, False, False
    while piece := stream.readline(_PIECE):
        whole = piece.endswith(b"\n")
        if not inside and not partial and piece.strip(b"\r\n"):
            yield number
        if quotes and piece.count(b'"') % 2:
            inside = not inside
        partial = not whole
        number += whole


def check_path(source: str | Path) -> Path:
    """An existing local file that is no program in disguise, or a folder of Parquet parts."""
    text = str(source)
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:/", text):  # a Path makes one slash of two
        raise EvidenceError(f"{shortened(text)} is an address; assay reads local files only")
    try:
        there = Path(text).expanduser().exists()
        path = Path(text).expanduser().resolve()
        directory, present = path.is_dir(), path.is_file()
    except (OSError, ValueError, RuntimeError):
        raise EvidenceError(f"{shortened(text)} cannot be the name of a file") from None
    _check_readable(str(path))
    if directory and not parts_of(path):
        raise EvidenceError(f"{text} is a folder without Parquet files; give the files themselves")
    if there and not present and not directory:
        raise EvidenceError(
            f"{text} is a pipe or a device, and evidence is read more than once: save it to a file first"
        )
    if not present and not directory:
        raise EvidenceError(f"there is no file {text}")
    return path


def _check_readable(name: str) -> None:
    """Refuse the name of a file that no message could print, and no engine takes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        shown = name.encode("utf-8", "backslashreplace").decode()
        raise EvidenceError(f"the name {shown} is not UTF-8 text: rename the file") from None


def open_file(path: Path, title: str, run: Run, names: Sequence[str] = ()) -> FileTable:
    """Recognise the format of a file and read its column names and first rows."""
    try:
        if path.is_dir():
            return _open_parquet(path, title, run)
        form, compressed = _recognise(path, title)
        if form == "csv":
            return _open_csv(path, title, compressed=compressed, given=names)
        if form == "jsonl":
            return _open_jsonl(path, title, compressed=compressed)
        return _open_parquet(path, title, run)
    except _damage() as error:
        reason = getattr(error, "strerror", None) or error
        raise EvidenceError(f"{title} cannot be read: {reason}") from None


def _damage() -> tuple[type[Exception], ...]:
    """What unpacking raises; zstd has an error of its own, known where it is there."""
    names = ("compression.zstd", "backports.zstd")
    packed = [sys.modules[name].ZstdError for name in names if name in sys.modules]
    return (OSError, EOFError, zlib.error, *packed)


def _opened(path: Path, *, compressed: Packing) -> IO[bytes]:
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


def _packing(head: bytes) -> Packing:
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    return "zstd" if head.startswith(b"\x28\xb5\x2f\xfd") else "none"


def _recognise(path: Path, title: str) -> tuple[Format, Packing]:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    head = first_bytes(path, 4096)
    if not head:
        raise EvidenceError(f"{title} is empty")
    compressed = _packing(head)
    if compressed != "none":
        with _opened(path, compressed=compressed) as unpacked:
            head = unpacked.read(4096)
        suffixes = suffixes[:-1] if suffixes and suffixes[-1] in (".gz", ".zst") else suffixes
    _refuse_code(head, suffixes[-1] if suffixes else "", title)
    if head.startswith(b"PAR1"):
        if compressed != "none":
            raise EvidenceError(f"{title} is a compressed Parquet file; unpack it first")
        return "parquet", "none"
    form = _EXTENSIONS.get(suffixes[-1]) if suffixes else None
    if form == "parquet":
        raise EvidenceError(f"{title} is called Parquet but does not begin like a Parquet file")
    return form or _by_content(head, title), compressed


def _refuse_code(head: bytes, suffix: str, title: str) -> None:
    """Files that can run code when loaded, or that hold no table, are refused unread."""
    if head.startswith(MAGIC):
        raise EvidenceError(
            f"{title} is an SQLite database: if `assay run` made it, open it first "
            f"(assay.Store.open({title!r})); of another one, write the predictions as CSV or Parquet"
        )
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
    if kind is None and suffix in _CODE:
        kind = f"a {suffix} file"
    if kind is not None:
        raise EvidenceError(
            f"{title} is {kind}; loading such files can run code, so assay does not. "
            f"Write the predictions as {FORMATS}"
        )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise EvidenceError(f"{title} is UTF-16 text; save it as UTF-8")


def _by_content(head: bytes, title: str) -> Format:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return "jsonl"
    if b"\x00" not in head and re.search(rb"[,;\t|]", head.split(b"\n")[0]):
        return "csv"
    raise EvidenceError(f"{title} is in no format assay knows; it reads {FORMATS}")


def _head_text(path: Path, title: str, *, compressed: Packing, most: int) -> tuple[str, bool]:
    """The first lines of a text file, and whether that is all of it."""
    with _opened(path, compressed=compressed) as stream:
        head = stream.read(_HEAD)
        while b"\n" not in head and b"\r" not in head and len(head) <= most:
            more = stream.read(_HEAD)
            if not more:
                break
            head += more
        complete = not stream.read(1)
    if not complete:
        cut = max(head.rfind(b"\n"), head.rfind(b"\r"))
        if cut < 0:
            raise EvidenceError(f"line 1 of {title} is longer than {most:,} bytes")
        head = head[: cut + 1]
    if b"\x00" in head:
        line = head[: head.index(b"\x00")].count(b"\n") + 1
        raise EvidenceError(f"line {line} of {title} holds a NUL byte; it is no clean text file")
    try:
        return head.decode("utf-8-sig"), complete
    except UnicodeDecodeError as error:
        line = head[: error.start].count(b"\n") + 1
        raise EvidenceError(f"line {line} of {title} is not UTF-8 text; save it as UTF-8") from None


def irregular_sheet(path: Path, title: str) -> Sheet | None:
    """A small CSV file with a title, several rows of names or notes; None where it is a plain table."""
    if path.is_dir() or path.stat().st_size > _HEAD or _packing(first_bytes(path, 4)) != "none":
        return None
    if _recognise(path, title)[0] != "csv":
        return None
    text, _ = _head_text(path, title, compressed="none", most=MAX_LINE)
    return sheet_of_text(text)


def _open_csv(
    path: Path, title: str, *, compressed: Packing, given: Sequence[str] = ()
) -> FileTable:
    text, complete = _head_text(path, title, compressed=compressed, most=MAX_LINE)
    if not text.lstrip("\r\n") or text[0] in "\r\n":
        raise EvidenceError(f"line 1 of {title} is empty; it must name the columns")
    delimiter, records = _split(text, title)
    names, header = _column_names(records, given, title)
    rows = [record for record in records[int(header) :] if len(record) == len(names)]
    rows = rows if complete else rows[:-1]
    if not complete and compressed == "none":
        rows += _later_rows(path, delimiter, len(names))
    # strictness is the default; saying strict_mode=true loses every row of a \r\n file (DuckDB 2.0)
    line_end = {"\r\n": r"\r\n", "\r": r"\r"}.get(_line_end(text), r"\n")
    types = ", ".join(f"{literal(f'c{place}')}: 'VARCHAR'" for place in range(len(names)))
    sql = (
        f"read_csv({literal(pattern(path))}, auto_detect=false, "
        f"header={str(header).lower()}, "
        f"new_line={literal(line_end)}, "
        f"delim={literal(delimiter)}, quote='\"', escape='\"', nullstr='', "
        f"max_line_size={MAX_LINE}, compression={literal(compressed)}, "
        f"columns={{{types}}})"
    )
    return FileTable(
        path=path,
        title=title,
        format="csv",
        compressed=compressed,
        names=names,
        fields=tuple((f"c{place}", "text") for place in range(len(names))),
        sql=sql,
        sample=dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {},
        whole=complete and len(records) < _SAMPLE,
        delimiter=delimiter,
        header=header,
    )


def _later_rows(path: Path, delimiter: str, width: int) -> list[list[str]]:
    """Records from the middle and the end of a CSV file, which may be sorted by what matters."""
    size = path.stat().st_size
    found: list[list[str]] = []
    with path.open("rb") as stream:
        for start in (size // 2, size - _PIECE // 4):
            stream.seek(max(0, start))
            lines = stream.read(_PIECE // 4).split(b"\n")[1:-1]  # the first and last may be cut
            text = [line.decode("utf-8", "replace").rstrip("\r") for line in lines[:_LATER]]
            try:
                records = list(csv.reader(text, delimiter=delimiter))
            except csv.Error:
                continue
            found += [record for record in records if len(record) == width]
    return found


def _column_names(
    records: Sequence[Sequence[str]], given: Sequence[str], title: str
) -> tuple[tuple[str, ...], bool]:
    """The names of the columns, and whether the first line held names (then it is no data)."""
    first = records[0]
    numbers = len(first) > 1 and any(number_of(name) is not None for name in first)
    if given:
        if len(given) != len(first):
            raise UsageError(f"names= has {len(given)} names; {title} has {len(first)} columns")
        return _checked_names(given, title), not numbers
    if len(set(first)) < len(first):
        repeated = sorted(name for name, times in Counter(first).items() if times > 1)
        why = f"Its first line ({quoted(first, 20)}) has {quoted(repeated)} more than once."
        raise AmbiguousEvidence([which_names(title, len(first), why)])
    if numbers and all(number_of(name) is not None for name in first):
        why = f"Its first line holds numbers ({quoted(first, 20)})."
        raise AmbiguousEvidence([which_names(title, len(first), why)])
    return _checked_names(first, title), True


def _split(text: str, title: str) -> tuple[str, list[list[str]]]:
    """The delimiter that gives the first records as many cells as there are names, and the records."""
    found: list[tuple[bool, int, str, list[list[str]]]] = []
    trouble = ""
    for mark in "|\t;,":
        lines = io.StringIO(text, newline=None)  # any line end
        try:
            records = list(itertools.islice(csv.reader(lines, delimiter=mark), _SAMPLE))
        except csv.Error as error:
            trouble = str(error)
            continue
        width = len(records[0])
        regular = all(len(record) in (0, width) for record in records[1:-1])
        found.append((regular and width > 1, width, mark, records))
    if not found:
        raise EvidenceError(f"{title} is no CSV file: {trouble}")
    *_, delimiter, records = max(enumerate(found), key=lambda at: (*at[1][:2], at[0]))[1]
    return delimiter, records


def _line_end(text: str) -> str:
    """What ends the header, quotes respected: DuckDB finds no rows where it guesses wrong."""
    inside = False
    for place, mark in enumerate(text):
        if mark == '"':
            inside = not inside
        elif mark in "\r\n" and not inside:
            return "\r\n" if text[place : place + 2] == "\r\n" else mark
    return "\n"


def _checked_names(names: Sequence[str], title: str) -> tuple[str, ...]:
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


def _open_jsonl(path: Path, title: str, *, compressed: Packing) -> FileTable:
    text, _ = _head_text(path, title, compressed=compressed, most=8 * MAX_LINE)
    array = text.lstrip().startswith("[")
    if array:
        rows = _array_of_objects(path, title, compressed=compressed)
    else:
        lines = [line for line in text.splitlines() if line.strip()][: _SAMPLE + 1]
        rows = [read_object(line, number, title) for number, line in enumerate(lines, 1)]
    written = tuple(dict.fromkeys(name for row in rows for name in row))
    if not written:
        raise EvidenceError(f"{title} holds no objects with named values")
    _checked_names(written, title)
    places = _flat(written, rows)
    names = _checked_names(list(places), title)
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in written)
    sql = (
        f"read_json({literal(pattern(path))}, "
        f"format='{'array' if array else 'newline_delimited'}', records=true, "
        f"maximum_object_size={8 * MAX_LINE}, auto_detect=false, "
        f"compression={literal(compressed)}, columns={{{types}}})"
    )
    return FileTable(
        path=path,
        title=title,
        format="jsonl",
        compressed=compressed,
        names=names,
        fields=tuple((_extracted(*place), "text") for place in places.values()),
        sql=sql,
        sample={
            name: tuple(_within(row, *place) for row in rows) for name, place in places.items()
        },
    )


def _flat(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Where each column stands: {"pred": {"a": 1, "b": 0}} holds the columns a and b."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        cells = [row[name] for row in rows if row.get(name) is not None]
        nested = bool(cells) and all(
            isinstance(cell, dict)
            and cell
            and not any(isinstance(v, dict | list) for v in cell.values())
            for cell in cells
        )
        keys = dict.fromkeys(key for cell in cells for key in cell) if nested else {}
        if 0 < len(keys) <= MAX_NESTED and all(len(cell) == len(keys) for cell in cells):
            taken = {*names, *found}
            found |= {f"{name}.{key}" if key in taken else key: (name, key) for key in keys}
        else:
            found[name] = (name,)
    return found


def _extracted(name: str, key: str | None = None) -> str:
    """A column in SQL, perhaps a part of an object that was read as text."""
    if key is None:
        return identifier(name)
    where = literal("$." + json.dumps(key, ensure_ascii=False))
    return f"json_extract_string({identifier(name)}, {where})"


def _within(row: dict[str, Any], name: str, key: str | None = None) -> Any:
    cell = row.get(name)
    return cell if key is None or cell is None else cell.get(key)


def _array_of_objects(path: Path, title: str, *, compressed: Packing) -> list[dict[str, Any]]:
    """The objects of one JSON array, which is read whole to learn their names."""
    with _opened(path, compressed=compressed) as stream:
        content = stream.read(MAX_ARRAY + 1)
    if len(content) > MAX_ARRAY:
        raise EvidenceError(
            f"{title} is one JSON array of more than {MAX_ARRAY:,} bytes; write one object a line (JSON lines)"
        )
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError):
        raise EvidenceError(f"{title} is no JSON array that can be read") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise EvidenceError(f"{title} is a JSON array, but not of objects")
    return rows


def read_object(line: str, number: int, title: str) -> dict[str, Any]:
    """One JSON object; anything else is refused with the line it stands on."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise EvidenceError(f"line {number} of {title} has the key {shortened(twice)} twice")
        return found

    try:
        value = json.loads(line, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise EvidenceError(f"line {number} of {title} is no JSON: {error.msg}") from None
    except RecursionError:
        raise EvidenceError(f"line {number} of {title} is nested too deeply") from None
    except EvidenceError:
        raise
    except ValueError:  # Python's own limit, against numbers that take long to read
        raise EvidenceError(
            f"line {number} of {title} holds a whole number of thousands of digits"
        ) from None
    if not isinstance(value, dict):
        raise EvidenceError(f"line {number} of {title} is a {type(value).__name__}, not an object")
    return value


def _open_parquet(path: Path, title: str, run: Run) -> FileTable:
    files = ", ".join(literal(pattern(file)) for file in parts_of(path))
    # a folder may keep a column in the names of its folders (country=DE), as Spark writes it
    sql = f"read_parquet([{files}], hive_partitioning={str(path.is_dir()).lower()})"
    try:
        described = _described(path, sql, run)
    except EvidenceError as error:
        reason = str(error).removeprefix("the data cannot be read: ")
        raise EvidenceError(f"{title} cannot be read as Parquet: {reason}") from None
    names = tuple(described)
    if len(names) > MAX_COLUMNS:
        raise EvidenceError(f"{title} has {plural(len(names), 'column')}; at most {MAX_COLUMNS:,}")
    return FileTable(
        path=path,
        title=title,
        format="parquet",
        compressed="none",
        names=names,
        fields=tuple((identifier(name), column_type(kind)) for name, kind in described.items()),
        sql=sql,
        sample=None,
    )


def _described(path: Path, sql: str, run: Run) -> dict[str, str]:
    """Types of the columns by name; a file that is read again, and is the same, is not asked again."""
    facts = None if path.is_dir() else path.stat()
    known = {} if facts is None else _kept(path, facts.st_ino, facts.st_mtime_ns, facts.st_size)
    if not known:
        known.update(run(f"select * from {sql} limit 0").columns())  # noqa: S608
    return known


@lru_cache(maxsize=16)
def _kept(path: Path, *facts: int) -> dict[str, str]:  # noqa: ARG001
    """Room for what is known of a file, told from a changed one by these facts."""
    return {}
