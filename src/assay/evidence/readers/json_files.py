"""JSON as tables: an object a line, an array of objects, or one document of columns or of records."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import shortened
from assay.evidence.duckdb_connection import pattern
from assay.evidence.names import place_of
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

SUFFIXES = (".json", ".jsonl", ".ndjson")
MAX_NESTED = 200
"""Parts of an object inside an object that become columns."""

MOST_FIELDS = 20
"""Values of one object beyond which they are of items by name, not fields of one row."""
MAX_ARRAY = 2**28
"""Bytes of one JSON array."""


def open_jsonl(path: Path, title: str, *, compressed: Packing) -> FileTable:
    text, complete = head_text(path, title, compressed=compressed, most=8 * MAX_LINE)
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
        whole=array or (complete and len(rows) <= FIRST),
    )


def flat(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, ...]]:
    """Where each column stands: {"pred": {"a": 1, "b": 0}} holds the columns a and b.

    What models hold inside of an object is theirs: {"by": {"a": {"score": 1}, "b": …}} holds a_score.
    """
    depth = 1 if any(place_of(name) == "model" for name in names) else 2
    places = [(n, *at) for n in names for at in _places([row.get(n) for row in rows], depth)]
    taken = Counter([*names, *("_".join(inner) for _, *inner in places if inner)])
    return {
        name if not inner else short if taken[short] == 1 else f"{name}_{short}": (name, *inner)
        for name, *inner in places
        if (short := "_".join(inner)) or not inner
    }


def _places(cells: Sequence[Any], depth: int) -> list[tuple[str, ...]]:
    """The keys of objects that all have the same ones; one empty place for other cells."""
    objects = [cell for cell in cells if cell is not None]
    keys = dict.fromkeys(objects[0]) if objects and isinstance(objects[0], dict) else {}
    alike = all(isinstance(cell, dict) and cell.keys() == keys.keys() for cell in objects)
    if not alike or not 0 < len(keys) <= MAX_NESTED:
        return [()]
    inside = {key: [cell[key] for cell in objects] for key in keys}
    if not any(isinstance(one, dict | list) for values in inside.values() for one in values):
        return [(key,) for key in keys]
    deeper = [_places(values, depth - 1) for values in inside.values()] if depth > 1 else []
    of_models = len(deeper) > 1 and deeper[0] != [()] and all(one == deeper[0] for one in deeper)
    return [(key, *place) for key in keys for place in deeper[0]] if of_models else [()]


def _extracted(name: str, *keys: str) -> str:
    """A column in SQL, perhaps a part of an object that was read as text."""
    if not keys:
        return identifier(name)
    where = literal("$." + ".".join(json.dumps(key, ensure_ascii=False) for key in keys))
    return f"json_extract_string({identifier(name)}, {where})"


def within(row: Mapping[str, Any], *keys: str) -> Any:
    """What stands at a place of a row; nothing where an object on the way is missing."""
    cell: Any = row
    for key in keys:
        cell = None if cell is None else cell.get(key)
    return cell


def a_row_each(rows: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows with a list of what each model did, or of what one did, as a row for each; other rows as they are."""
    lists = [name for name, cell in rows[0].items() if _by_model(cell, rows[0])]
    if len(lists) != 1 or not all(_by_model(row.get(lists[0]), row) for row in rows):
        return rows
    whole = [{name: cell for name, cell in row.items() if name != lists[0]} for row in rows]
    return [
        {**outer, **one} for row, outer in zip(rows, whole, strict=True) for one in row[lists[0]]
    ]


def _lists_models(text: str) -> bool:
    """Whether the first object of a text has a list of what each model did."""
    try:
        found, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and any(_by_model(cell, found) for cell in found.values())


def _by_model(cell: Any, row: Mapping[str, Any]) -> bool:
    """Whether a cell is a list of objects, each with the name of its model, which may stand beside the list."""
    objects = isinstance(cell, list) and bool(cell) and all(isinstance(one, dict) for one in cell)
    return objects and all(any(place_of(key) == "model" for key in (*row, *one)) for one in cell)


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

    {"truth": […], "rf": […]}, {"rf": {"iris": 0.9, …}, …}, {"results": [{…}, …]}. Records that list
    what each model did come too: an engine that reads rows cannot take them apart.
    """
    if path.is_dir() or path.suffix.lower() not in SUFFIXES or path.stat().st_size > MAX_ARRAY:
        return None
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        first = stream.readline()
        if first.rstrip().endswith("}") and (more := stream.read(1)):  # an object a line
            lines = [first, *(more + stream.read()).splitlines()] if _lists_models(first) else []
            return [read_object(x, n, title) for n, x in enumerate(lines, 1) if x.strip()] or None
    if path.suffix.lower() != ".json":
        return None
    text = path.read_text(encoding="utf-8-sig", errors="replace").strip()
    if text.startswith("[") and not _lists_models(text[1:]):
        return None
    try:
        found = json.loads(text) if text.startswith(("[", "{")) else None
    except (ValueError, RecursionError):
        return None  # whoever reads it as rows says what is wrong
    if isinstance(found, list):
        return found if all(isinstance(row, dict) for row in found) else None
    if not isinstance(found, dict) or not found:
        return None
    if isinstance(found.get("columns"), list) and isinstance(found.get("data"), list):
        return _split(found["columns"], found["data"], title)
    if len(found) > MOST_FIELDS and not any(isinstance(one, dict | list) for one in found.values()):
        return {"id": [*found], "prediction": [*found.values()]}
    lists = [value for value in found.values() if isinstance(value, list)]
    records = [value for value in lists if value and all(isinstance(row, dict) for row in value)]
    if len(records) == len(lists) == 1:
        return records[0]
    if not lists:
        nested = all(isinstance(value, dict) and value for value in found.values())
        return _unwrapped(read_object(text, 1, title)) if nested else None
    return _columns_in(read_object(text, 1, title))


def _columns_in(found: dict[str, Any]) -> dict[str, Any] | None:
    """Lists of one length by name, some inside of an object: {"y": […], "predictions": {"rf": […], …}}."""
    parts = [value if isinstance(value, dict) else {name: value} for name, value in found.items()]
    columns = {name: value for part in parts for name, value in part.items()}
    lists = [value for value in columns.values() if isinstance(value, list)]
    whole = len(lists) == sum(map(len, parts)) and len(set(map(len, lists))) == 1
    return columns if whole else None


def _split(names: list[Any], rows: list[Any], title: str) -> list[dict[str, Any]]:
    """Records of a frame of pandas that was written in parts (orient="split")."""
    if any(isinstance(name, list | dict) for name in names):
        raise EvidenceError(
            f"the columns of {title} are named by objects or lists: name each by a text"
        )
    strange = next((n for n, row in enumerate(rows, 1) if not isinstance(row, list)), None)
    if strange is not None:
        raise EvidenceError(f"row {strange} of the data in {title} is not a list of cells")
    return [dict(zip(names, row, strict=False)) for row in rows]


def _unwrapped(found: dict[str, Any]) -> dict[str, Any]:
    """What an object of one name holds, where it is objects by name again: {"results": {"rf": {…}, …}}."""
    inner = next(iter(found.values()), None)
    if len(found) != 1 or not isinstance(inner, dict) or not inner:
        return found
    return _unwrapped(inner) if all(isinstance(one, dict) for one in inner.values()) else found
