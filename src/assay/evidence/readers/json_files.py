"""JSON as tables: an object a line, an array of objects, or one document of columns or of records."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import shortened
from assay.evidence.duckdb_connection import pattern
from assay.evidence.readers.file_tables import (
    FIRST,
    MAX_LINE,
    FileTable,
    Packing,
    checked_names,
    head_text,
    opened,
)
from assay.evidence.rows_sql import identifier, literal

MAX_NESTED = 200
"""Parts of an object inside an object that become columns."""

MAX_ARRAY = 2**28
"""Bytes of one JSON array."""


def open_jsonl(path: Path, title: str, *, compressed: Packing) -> FileTable:
    text, _ = head_text(path, title, compressed=compressed, most=8 * MAX_LINE)
    array = text.lstrip().startswith("[")
    if array:
        rows = _array_of_objects(path, title, compressed=compressed)
    else:
        lines = [line for line in text.splitlines() if line.strip()][: FIRST + 1]
        rows = [read_object(line, number, title) for number, line in enumerate(lines, 1)]
    written = tuple(dict.fromkeys(name for row in rows for name in row))
    if not written:
        raise EvidenceError(f"{title} holds no objects with named values")
    checked_names(written, title)
    places = flat(written, rows)
    names = checked_names(list(places), title)
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
        sample={name: tuple(within(row, *place) for row in rows) for name, place in places.items()},
    )


def flat(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
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


def within(row: dict[str, Any], name: str, key: str | None = None) -> Any:
    cell = row.get(name)
    return cell if key is None or cell is None else cell.get(key)


def _array_of_objects(path: Path, title: str, *, compressed: Packing) -> list[dict[str, Any]]:
    """The objects of one JSON array, which is read whole to learn their names."""
    with opened(path, compressed=compressed) as stream:
        content = stream.read(MAX_ARRAY + 1)
    if len(content) > MAX_ARRAY:
        raise EvidenceError(
            f"{title} is one JSON array of more than {MAX_ARRAY:,} bytes; write one object a line (JSON lines)"
        )
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError):
        raise EvidenceError(f"{title} is not a readable JSON array") from None
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
        raise EvidenceError(f"line {number} of {title} is not JSON: {error.msg}") from None
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


def json_document(path: Path, title: str) -> Any:
    """The columns or records of a file that is one JSON object over them; None where it is none.

    {"truth": […], "rf": […]}, {"rf": {"iris": 0.9, …}, …}, {"results": [{…}, …]}.
    """
    if path.is_dir() or path.suffix.lower() != ".json" or path.stat().st_size > MAX_ARRAY:
        return None
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        first = stream.readline()
        if first.rstrip().endswith("}") and stream.read(1):
            return None  # an object a line
    text = path.read_text(encoding="utf-8-sig", errors="replace").strip()
    try:
        found = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not found:
        return None
    lists = [value for value in found.values() if isinstance(value, list)]
    records = [value for value in lists if value and all(isinstance(row, dict) for row in value)]
    if len(records) == len(lists) == 1:
        return records[0]
    columns = len(lists) == len(found) and len({len(value) for value in lists}) == 1
    nested = all(isinstance(value, dict) and value for value in found.values())
    return _unwrapped(read_object(text, 1, title)) if columns or nested else None


def _unwrapped(found: dict[str, Any]) -> dict[str, Any]:
    """What an object of one name holds, where it is objects by name again: {"results": {"rf": {…}, …}}."""
    inner = next(iter(found.values()), None)
    if len(found) != 1 or not isinstance(inner, dict) or not inner:
        return found
    return _unwrapped(inner) if all(isinstance(one, dict) for one in inner.values()) else found
