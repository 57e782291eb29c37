"""Rows in DuckDB: files of any size, their joins, and a user's own relation.

Only reductions come out. No name of the user's reaches SQL unquoted, and a connection of ours can
read the user's files and nothing else.
"""

import itertools
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from assay.core.arrays import FloatArray
from assay.evidence.cells import is_fraction
from assay.evidence.engines import (
    Cut,
    Facts,
    Groups,
    Guess,
    Key,
    Scale,
    ScaledWeights,
    encoded,
    levels_of,
)
from assay.evidence.memory import Array, MemoryRows
from assay.evidence.tally import IntArray

ColumnType = Literal["text", "whole", "float", "boolean", "other"]
Run = Callable[[str], Any]

_SAMPLE = 1_000
_CHUNK = 20_000
_SETS = 20  # grouping sets in one query
_BITS_A_ROW = 16  # beyond it a hash table is smaller than a bitmap
_MOST_BITS = 1_000_000_000
_MEMORY = "2500MB"  # more spills to disk
_SPILL = "assay-spill-"
_spills = itertools.count()

IN_ORDER = "row_number() over ()"
"""Records numbered as they come."""


class Located(Protocol):
    """A file that can say where its records are."""

    def line(self, record: int) -> str:
        """Where the record (counted from 1) is, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseColumn:
    """A column of the table in SQL, what it holds, and where it comes from."""

    sql: str
    type: ColumnType
    origin: str
    source: Located
    record: str = IN_ORDER


@dataclass(frozen=True, slots=True, eq=False)
class DatabaseRows:
    """The rows of ``table`` (a table function, a table or a view) behind ``run``."""

    run: Run
    table: str
    columns: Mapping[str, DatabaseColumn]
    sources: tuple[str, ...]
    order: str = ""
    sample: Mapping[str, Sequence[Any]] | None = None
    known: Groups | None = None
    """Distinct rows that were counted on the way; then the column ``id`` is unique."""
    numbered: str = ""
    """What numbers the rows of the table at no cost, in SQL, if anything does."""

    def size(self, count: str | None = None) -> int:
        if self.known is not None and count is None:
            return int(self.known.counts.sum())
        query = f"select {self._items(count)} from {self.table}"  # noqa: S608
        return int(self.run(query).fetchall()[0][0] or 0)

    def guess(self, names: Sequence[str]) -> dict[str, Guess]:
        unsure = [name for name in names if self.columns[name].type in ("text", "float", "other")]
        sample = self.sample
        if sample is None and unsure:
            listed = ", ".join(self.raw(name) for name in unsure)
            rows = self.run(f"select {listed} from {self.table} limit {_SAMPLE}").fetchall()  # noqa: S608
            sample = dict(zip(unsure, zip(*rows, strict=True), strict=True)) if rows else {}
        seen = sample or {}
        return {
            name: "numbers"
            if name in unsure and any(map(is_fraction, seen.get(name, ())))
            else "labels"
            for name in names
        }

    def group(
        self,
        keys: Sequence[Key],
        *,
        numbers: Sequence[str] = (),
        count: str | None = None,
        weight: Scale | None = None,
        limit: int | None = None,
    ) -> Groups | None:
        if self.known is not None and not numbers and count is None and weight is None:
            found = self.known.projected(keys)
            if found is not None:
                return found
        terms = [self._items(count), *self._weights(weight, count)]
        for name in numbers:
            terms += self._facts(name)
        cursor = self._grouped(keys, terms, limit)
        known: list[dict[Any, int]] = [{} for _ in keys]
        codes: list[IntArray] = []
        rest: list[list[Any]] = [[] for _ in terms]
        full = True
        while full and (rows := cursor.fetchmany(_CHUNK)):
            listed = list(zip(*rows, strict=True))
            codes.append(_stacked(map(encoded, listed, known), len(rows)))
            for whole, part in zip(rest, listed[len(keys) :], strict=True):
                whole.extend(part)
            full = len(rows) == _CHUNK
        if limit is not None and len(rest[0]) > limit:
            return None
        counts = np.array([int(items or 0) for items in rest[0]], dtype=np.int64)
        kept = counts > 0
        return Groups(
            keys=tuple(keys),
            levels=tuple(map(levels_of, known)),
            codes=np.concatenate([*codes, np.zeros((0, len(keys)), dtype=np.int64)])[kept],
            counts=counts[kept],
            facts=dict(zip(numbers, _read_facts(rest[1 if weight is None else 3 :]), strict=True)),
            weights=None if weight is None else _weighed(weight, rest[1], rest[2], kept),
        )

    def levels(self, names: Sequence[str], limit: int) -> dict[str, tuple[Any, ...] | None]:
        if not names:
            return {}
        raw = {name: self.raw(name) for name in names}
        sizes = ", ".join(f"approx_count_distinct({sql})" for sql in raw.values())
        about = self.run(f"select {sizes} from {self.table}").fetchall()[0]  # noqa: S608
        few = [name for name, size in zip(names, about, strict=True) if size <= 2 * limit]
        found: dict[str, tuple[Any, ...] | None] = dict.fromkeys(names)
        for start in range(0, len(few), _SETS):
            chunk = few[start : start + _SETS]
            for name, values in zip(chunk, self._sets([raw[name] for name in chunk]), strict=True):
                found[name] = values if len(values) <= limit else None
        return found

    def facts(self, names: Sequence[str]) -> dict[str, Facts]:
        if not names:
            return {}
        terms = [term for name in names for term in self._facts(name)]
        found = self._grouped((), terms, None).fetchall()
        return dict(zip(names, _read_facts(list(zip(*found, strict=True))), strict=True))

    def distinct(self, names: Sequence[str]) -> tuple[int, int]:
        if self.known is not None and list(names) == ["id"]:
            return self.size(), 0
        if len(names) == 1:
            from assay.evidence.unique_ids import proved_unique

            size = proved_unique(self, names[0])
            if size is not None:
                return size, 0
        if len(names) == 1 and self.columns[names[0]].type == "whole":
            dense = self._dense(self.columns[names[0]].sql)
            if dense is not None:
                return dense
        texts = [as_text(self.columns[name]) for name in names]
        absent = " or ".join(f"{text} is null" for text in texts)
        value = texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
        query = (
            f"select count(distinct hash({value})) filter (not ({absent})), "  # noqa: S608
            f"count(*) filter ({absent}), count(*) from {self.table}"
        )
        found, missing, size = self.run(query).fetchall()[0]
        if found < size - missing:  # repeats, or a collision of hashes: count the values themselves
            query = f"select count(distinct {value}) from {self.table} where not ({absent})"  # noqa: S608
            found = self.run(query).fetchall()[0][0]
        return int(found), int(missing)

    def _dense(self, sql: str) -> tuple[int, int] | None:
        """Distinct and missing values by a bitmap, where whole numbers lie close together."""
        number = f"try_cast({sql} as bigint)"
        terms = f"min({number}), max({number}), count({number}), count({sql}), count(*)"
        query = f"select {terms} from {self.table}"  # noqa: S608
        low, high, seen, present, size = self.run(query).fetchall()[0]
        if not seen or seen < present or high - low >= min(_BITS_A_ROW * seen, _MOST_BITS):
            return None
        query = f"select bit_count(bitstring_agg({number}, {low}, {high})) from {self.table}"  # noqa: S608
        return int(self.run(query).fetchall()[0][0]), int(size - present)

    def coded(self, keys: Sequence[Key]) -> list[tuple[IntArray, tuple[Any, ...]]]:
        names = [f"k{place}" for place in range(len(keys))]
        fetched = self._fetch([self.raw(key) for key in keys])
        return MemoryRows(dict(zip(names, fetched, strict=True)), self.sources).coded(names)

    def numbers(self, names: Sequence[str]) -> list[FloatArray]:
        fetched = self._fetch([self.number(name) for name in names])
        names = [f"k{place}" for place in range(len(fetched))]
        return MemoryRows(dict(zip(names, fetched, strict=True)), self.sources).numbers(names)

    def place(self, name: str, wrong: Callable[[Any], bool]) -> tuple[str, Any]:
        column = self.columns[name]
        cursor = self.run(f"select {self.raw(name)}, {column.record} from {self.table}")  # noqa: S608
        first: tuple[int, Any] | None = None
        while rows := cursor.fetchmany(_CHUNK):
            for value, record in rows:
                if wrong(value) and record is not None and (first is None or record < first[0]):
                    first = (int(record), value)
        if first is None:
            return "an unknown line", None
        return column.source.line(first[0]), first[1]

    def repeated(self, names: Sequence[str], limit: int = 5) -> list[tuple[str, int]]:
        text = " || ' / ' || ".join(as_text(self.columns[name]) for name in names)
        query = (
            f"select {text} as item, count(*) as times from {self.table} where item is not null "  # noqa: S608
            f"group by item having times > 1 order by times desc, item limit {limit}"
        )
        return [(str(item), int(times)) for item, times in self.run(query).fetchall()]

    def describe(self, name: str) -> str:
        return self.columns[name].origin

    def where(self, name: str, text: str | None) -> "DatabaseRows":
        return replace(
            self,
            table=f"(select * from {self.table} where {is_text(self.columns[name], text)})",  # noqa: S608
            sample=None,
            numbered="",
        )

    def raw(self, key: Key) -> str:
        """A column as it is, or cut at a threshold, in SQL."""
        if isinstance(key, Cut):
            above = f"{self.number(key.column)} >= {key.threshold!r}::double"
            return f"case when {above} then {literal(key.above)} else {literal(key.below)} end"
        column = self.columns[key]
        return f"{column.sql}::varchar" if column.type == "other" else column.sql

    def number(self, name: str) -> str:
        """A column as a double; null where it holds no number, as in :func:`cells.number_of`."""
        column = self.columns[name]
        if column.type in ("whole", "float"):
            return f"{column.sql}::double"
        if column.type == "boolean":
            return f"{column.sql}::int::double"
        text = f"{column.sql}::varchar"
        return f"if(starts_with(ltrim({text}), '+-'), null, try_cast({text} as double))"

    def _facts(self, name: str) -> list[str]:
        value, absent = self.number(name), _absent(self.columns[name])
        fine = f"isfinite({value})"
        return [
            f"count(*) filter ({absent})",
            f"count(*) filter (not ({absent}) and not coalesce({fine}, false))",
            f"min({value}) filter ({fine})",
            f"max({value}) filter ({fine})",
            f"count(*) filter ({fine} and {value} <> trunc({value}))",
        ]

    def _items(self, count: str | None) -> str:
        return "count(*)" if count is None else f"sum(floor({self.number(count)})::hugeint)"

    def _weights(self, weight: Scale | None, count: str | None) -> list[str]:
        if weight is None:
            return []
        value = self.number(weight.column)
        times = "" if count is None else f" * floor({self.number(count)})::hugeint"
        return [
            f"sum(floor({part} * {2.0**shift!r}::double)::hugeint{times})"
            for part, shift in (
                (value, weight.shift),
                (f"{value} * {value}", weight.square_shift),
            )
        ]

    def _grouped(self, keys: Sequence[Key], terms: Sequence[str], limit: int | None) -> Any:
        raw = [self.raw(key) for key in keys]
        places = ", ".join(str(place + 1) for place in range(len(raw)))
        query = (
            f"select {', '.join([*raw, *terms])} from {self.table}"  # noqa: S608
            + (f" group by {places}" if raw else "")
            + (f" limit {limit + 1}" if limit is not None else "")
        )
        return self.run(query)

    def _sets(self, raw: Sequence[str]) -> list[tuple[Any, ...]]:
        """The distinct values of several columns in one pass."""
        inner = ", ".join(f"{sql} as k{place}" for place, sql in enumerate(raw))
        names = [f"k{place}" for place in range(len(raw))]
        query = (
            f"select grouping({', '.join(names)}), {', '.join(names)} "  # noqa: S608
            f"from (select {inner} from {self.table}) "
            f"group by grouping sets ({', '.join(f'({name})' for name in names)})"
        )
        values: list[list[Any]] = [[] for _ in raw]
        whole = 2 ** len(raw) - 1
        for mask, *row in self.run(query).fetchall():
            place = len(raw) - (whole - mask).bit_length()
            values[place].append(row[place])
        return [levels_of(column) for column in values]

    def _fetch(self, expressions: Sequence[str]) -> list[Array]:
        named = ", ".join(f"{sql} as k{place}" for place, sql in enumerate(expressions))
        found = self.run(f"select {named} from {self.table}{self.order}").fetchnumpy()  # noqa: S608
        return [unmasked(found[f"k{place}"]) for place in range(len(expressions))]


def as_text(column: DatabaseColumn) -> str:
    """The text of a column as :func:`cells.id_text` has it, null where it is missing."""
    sql = column.sql
    if column.type == "boolean":
        return f"case {sql} when true then 'True' when false then 'False' end"
    if column.type == "float":
        # not isnan(): DuckDB 2.0 folds it to false where Parquet statistics leave out NaN
        number = f"{sql}::double"
        whole = f"isfinite({number}) and {number} = trunc({number}) and abs({number}) < 1e15"
        return (
            f"case when {whole} then try_cast({number} as bigint)::varchar "
            f"else nullif({number}::varchar, 'nan') end"
        )
    return f"nullif({sql}::varchar, '')"


def _absent(column: DatabaseColumn) -> str:
    """Whether a value is missing, as ``as_text`` has it; numbers are not written out for that."""
    sql = column.sql
    if column.type == "float":  # not isnan(), see above: only what is not finite is looked at
        number = f"{sql}::double"
        odd = f"when isfinite({number}) then false else {number}::varchar = 'nan'"
        return f"case when {sql} is null then true {odd} end"
    return f"{sql} is null" if column.type in ("whole", "boolean") else f"{as_text(column)} is null"


def is_text(column: DatabaseColumn, text: str | None) -> str:
    """The condition that a column's text is this one; None: that it is missing."""
    written = as_text(column)
    return f"{written} is null" if text is None else f"{written} = {literal(text)}"


def connect(paths: Sequence[Path]) -> Any:
    """A connection in memory that can read these files and spill to its own directory.

    Nothing else: no other file, no network, no extension, no change of these settings. What may be
    read is fixed when a database starts, which takes longer than counting a million rows, so the
    databases last used are kept and each call gets a connection of its own to one of them.
    """
    files = frozenset(file for path in paths for file in parts_of(path))
    return _database(os.getpid(), files).cursor()


@lru_cache(maxsize=4)
def _database(process: int, files: frozenset[Path]) -> Any:
    """A locked database; ``process`` is in the key because its threads do not survive a fork."""
    import duckdb

    sweep_spills()
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "memory_limit": _MEMORY,
            "temp_directory": str(
                Path(tempfile.gettempdir()) / f"{_SPILL}{process}-{next(_spills)}"
            ),
        }
    )
    names = dict.fromkeys(name for file in sorted(files) for name in (str(file), pattern(file)))
    allowed = ", ".join(map(literal, names))
    connection.execute(
        # a bar would be printed on standard output, in the middle of somebody's JSON
        "set enable_progress_bar=false; "
        f"set allowed_paths=[{allowed}]; set enable_external_access=false; "
        "set lock_configuration=true"
    )
    return connection


def sweep_spills() -> None:
    """Remove what processes that were killed have spilled; the others clean up themselves."""
    if os.name != "posix":  # elsewhere asking whether a process runs may end it
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_SPILL}*-*"):
        process = folder.name.removeprefix(_SPILL).split("-")[0]
        if process.isdecimal() and not _runs(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's, or no number of a process
        return True
    return True


def parts_of(path: Path) -> list[Path]:
    """The file itself, or the Parquet parts of a folder; marks such as ``_SUCCESS`` are no parts."""
    if not path.is_dir():
        return [path]
    found = (file for file in path.rglob("*.parquet") if file.is_file())
    return sorted(file for file in found if not file.name.startswith(("_", ".")))


def pattern(path: Path) -> str:
    """A path whose wildcards stand for themselves in DuckDB, which takes every path as a pattern."""
    text = str(path)
    if "\\" in text:  # a backslash would quote our brackets; other files stay out of reach anyway
        return text
    return "".join(f"[{mark}]" if mark in "[*?" else mark for mark in text)


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def column_type(name: str) -> ColumnType:
    """Our few types from DuckDB's many."""
    base = name.upper().split("(")[0]
    if base in {"VARCHAR", "ENUM", "UUID", "TEXT"}:
        return "text"
    if base.endswith(("INT", "INTEGER")) or base in {"TINYINT", "SMALLINT"}:
        return "whole"
    if base in {"FLOAT", "DOUBLE", "REAL", "DECIMAL"}:
        return "float"
    return "boolean" if base == "BOOLEAN" else "other"


def _stacked(columns: Iterable[IntArray], rows: int) -> IntArray:
    listed = list(columns)
    return np.stack(listed, axis=1) if listed else np.zeros((rows, 0), dtype=np.int64)


def _weighed(
    weight: Scale, sums: Sequence[Any], squares: Sequence[Any], kept: Array
) -> ScaledWeights:
    places = np.flatnonzero(kept).tolist()
    return ScaledWeights(
        weight,
        [int(sums[place] or 0) for place in places],
        [int(squares[place] or 0) for place in places],
    )


def _read_facts(columns: Sequence[Sequence[Any]]) -> list[Facts]:
    """Facts of each number column, summed over groups: five aggregates a column."""
    facts = []
    for start in range(0, len(columns), 5):
        missing, unreadable, low, high, fractions = columns[start : start + 5]
        facts.append(
            Facts(
                missing=sum(missing),
                unreadable=sum(unreadable),
                low=min((value for value in low if value is not None), default=math.nan),
                high=max((value for value in high if value is not None), default=math.nan),
                whole=not sum(fractions),
            )
        )
    return facts


def unmasked(column: Any) -> Array:
    """A fetched column with None (or NaN) where it was null."""
    if not isinstance(column, np.ma.MaskedArray):
        return np.asarray(column)
    if column.dtype.kind == "f":
        return np.asarray(column.filled(math.nan))
    values = column.data.astype(object)
    values[np.ma.getmaskarray(column)] = None
    return values
