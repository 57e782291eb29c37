"""Files that nobody vouches for: read under bounds, decoded as typed JSON, with errors that name the place."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from assay.core.errors import EvidenceError
from assay.core.sqlite_files import MAGIC, first_bytes, is_sqlite
from assay.evidence.readers.file_tables import damage, opened, packing

MAX_LINE = 64 * 2**20
"""Bytes of one line."""
MAX_DOCUMENT = 2**30
"""Bytes of one JSON document."""
MAX_LINES = 2_000_000
"""Lines of one file; a few packed bytes may unpack to many."""
MAX_UNPACKED = 2**33
"""Bytes that a compressed file of lines may unpack to."""

_MARK = b"\xef\xbb\xbf"
_HALF = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
"""Half of a character beyond the first 65,536, as a text cut in the middle of it ends."""

Value = TypeVar("Value")


def decoded(data: bytes, kind: type[Value], where: str) -> Value:
    """JSON as a value of a kind; what the kind leaves out is never built. Errors name the place.

    NaN, Infinity and halves of characters, which harnesses write and JSON does not have, go through the
    standard library. Of a key that occurs twice the last value counts, as in the harnesses themselves.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except RecursionError:
        raise EvidenceError(f"{where} is nested too deeply") from None
    except msgspec.ValidationError as error:
        if "out of range" not in str(error):
            raise EvidenceError(f"{where} is not as expected: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        return msgspec.convert(json.loads(_HALF.sub(rb"\\ufffd", data)), kind)
    except RecursionError:
        raise EvidenceError(f"{where} is nested too deeply") from None
    except UnicodeDecodeError:
        raise EvidenceError(f"{where} is not UTF-8 text") from None
    except msgspec.ValidationError as error:
        raise EvidenceError(f"{where} is not as expected: {error}") from None
    except ValueError as error:
        raise EvidenceError(f"{where} is not JSON: {error}") from None


def document(path: Path, title: str, kind: type[Value]) -> Value:
    """A whole file as one JSON value."""
    if path.stat().st_size > MAX_DOCUMENT:
        raise EvidenceError(f"{title} is larger than {MAX_DOCUMENT:,} bytes")
    return decoded(path.read_bytes().removeprefix(_MARK), kind, title)


def document_beside(path: Path, kind: type[Value]) -> Value | None:
    """A file that may stand beside a log and say more about it; None where there is none."""
    return document(path, str(path), kind) if path.is_file() else None


def lines_of(path: Path, title: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, perhaps packed, with their numbers; empty ones are skipped."""
    read = number = 0
    try:
        with _opened(path) as stream:
            while line := stream.readline(MAX_LINE + 1):
                number += 1
                read += len(line)
                if len(line) > MAX_LINE:
                    raise EvidenceError(
                        f"line {number} of {title} is longer than {MAX_LINE:,} bytes"
                    )
                if read > MAX_UNPACKED or number > MAX_LINES:
                    raise EvidenceError(
                        f"{title} has more than {MAX_LINES:,} lines or {MAX_UNPACKED:,} bytes"
                    )
                line = line.removeprefix(_MARK) if number == 1 else line
                if line.strip():
                    yield number, line
    except damage() as error:
        raise EvidenceError(f"{title} cannot be read: {error}") from None


def decoded_lines(path: Path, title: str, kind: type[Value]) -> Iterator[tuple[str, Value]]:
    """A JSON value a line, each with its place."""
    for number, line in lines_of(path, title):
        yield f"line {number} of {title}", decoded(line, kind, f"line {number} of {title}")


def values_of(path: Path, title: str, kind: type[Value]) -> Value | list[dict[str, Any]]:
    """A document, the values of its lines, or the rows of a table."""
    head, lines = head_of(path).lstrip(), (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
    if path.name.endswith(lines) and not head.startswith(b"["):
        return [value for _, value in decoded_lines(path, title, dict[str, Any])]
    return document(path, title, kind) if head[:1] in (b"{", b"[") else list(rows_of(path))


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a table, each by the names of its columns."""
    with io.TextIOWrapper(_opened(path), encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        try:
            for row in reader:
                if None in row or None in row.values():
                    raise EvidenceError(
                        f"line {reader.line_num} of {path} has not as many cells as the first line"
                    )
                yield row
        except UnicodeDecodeError:
            raise EvidenceError(f"{path} is not UTF-8 text; save it as UTF-8") from None
        except csv.Error as error:
            raise EvidenceError(
                f"line {reader.line_num + 1} of {path} cannot be read: {error}. Export it as JSON, if the tool can"
            ) from None
        except damage() as error:
            raise EvidenceError(f"{path} cannot be read: {error}") from None


def _opened(path: Path) -> IO[bytes]:
    """A file for reading, unpacked where it is packed."""
    return opened(path, compressed=packing(first_bytes(path, 4)))


def head_of(path: Path, size: int = 2**16) -> bytes:
    """The first bytes of a file, unpacked; empty where it cannot be read."""
    try:
        if is_sqlite(path):
            return MAGIC
        with _opened(path) as stream:
            return stream.read(size).removeprefix(_MARK)
    except damage():
        return b""


def fingerprint(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
