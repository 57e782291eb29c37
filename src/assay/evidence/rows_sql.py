"""Rows that are asked in SQL: files of any size and their joins in DuckDB, a user's own relation.

Only reductions come out, and no name of the user's reaches SQL unquoted.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.evidence.rows import (
    ColumnFacts,
    Cut,
    Groups,
    Guess,
    Key,
    Scale,
    ScaledWeights,
    guessed,
    levels_of,
)
from assay.evidence.rows_memory import Array, MemoryRows

ColumnType = Literal["text", "whole", "float", "boolean", "other"]
Run = Callable[[str], Any]
Coded = tuple[IntArray, tuple[Any, ...]]
"""A column as codes, with the raw values that they stand for."""

_SAMPLE = 1_000
_CHUNK = 20_000
_TYPED = ("whole", "float", "boolean")
"""Types of which nothing but null is missing, and NaN, which is looked for by itself."""
_MOST_HELD = 2**23
"""Values of fetched columns that are kept: 64 MB of numbers."""

IN_ORDER = "row_number() over ()"
"""Records numbered as they come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The words in which the engines that speak SQL differ."""

    wide: str
    """The type of whole numbers of 38 digits."""
    number: str
    """A text as a double, null where it is no number to Python."""
    finite: str
    """Whether a double is neither NaN nor infinite."""
    whole: str
    """Whether a finite double is a whole number."""
    hashed: str
    """A number of 64 bits for a text."""
    row: str
    """Several values as one."""
    values: str
    """The distinct values of a column as a list, a missing one among them."""
    records: str
    """How many rows are numbered by a column of a join, which repeats some."""
    kept: str
    """What makes a named query run once."""
    before: str
    """Items of smaller scores in the same leaf."""
    quotes: tuple[tuple[str, str], ...]
    """What stands for a character that may not stand in a text."""

    def literal(self, text: str) -> str:
        """A text in SQL."""
        for mark, instead in self.quotes:
            text = text.replace(mark, instead)
        return f"'{text}'"


DUCKDB = Dialect(
    wide="hugeint",
    # only what sorts before a minus can begin so: most numbers are not looked at twice
    number="if({0} < '-' and ltrim({0}) like '+-%', null, try_cast({0} as double))",
    finite="isfinite({0})",
    whole="{0} = trunc({0})",
    hashed="hash({0})",
    row="row",
    values="coalesce(list(distinct {0}), [])",
    records="coalesce(max({0}), 0)",
    kept="materialized ",
    before="{items} over (partition by {leaf} order by {score} "
    "range between unbounded preceding and current row exclude group)",
    quotes=(("'", "''"),),
)


class Located(Protocol):
    """A file that can say where its records are."""

    def line(self, record: int) -> str:
        """Where the record (counted from 1) is, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlColumn:
    """A column of the table in SQL, what it holds, and where it comes from."""

    sql: str
    type: ColumnType
    origin: str
    source: Located
    record: str = IN_ORDER


class Numbered:
    """A source whose rows are known by their number."""

    @staticmethod
    def line(record: int) -> str:
        return f"row {record}"


def columns_of_types(
    title: str, names: Iterable[str], types: Iterable[tuple[str, str]]
) -> dict[str, SqlColumn]:
    """Columns by name, from what each is called in SQL and its type there."""
    return {
        str(name): SqlColumn(
            sql=sql,
            type=column_type(kind),
            origin=f"column {name!r} of {title}",
            source=Numbered(),
        )
        for name, (sql, kind) in zip(names, types, strict=True)
    }


@dataclass(slots=True)
class Fetched:
    """An answer that is not kept where it is made: fetched once, handed out in parts."""

    fetchall: Callable[[], list[Any]]
    fetchnumpy: Callable[[], dict[str, Any]]
    rest: list[Any] | None = None

    def fetchmany(self, size: int) -> list[Any]:
        rest = self.fetchall() if self.rest is None else self.rest
        self.rest = rest[size:]
        return rest[:size]


@dataclass(frozen=True, slots=True, eq=False)
class SqlRows:
    """The rows of ``table`` (a table function, a table or a view) behind ``run``."""

    dialect: ClassVar[Dialect] = DUCKDB
    run: Run
    table: str
    columns: Mapping[str, SqlColumn]
    sources: tuple[str, ...]
    order: str = ""
    sample: Mapping[str, Sequence[Any]] | None = None
    known: Groups | None = None
    """Distinct rows that were counted on the way; then the column ``id`` is unique."""
    held: dict[str, Array] = field(default_factory=dict, init=False, repr=False)
    """Columns fetched before, by their SQL: several steps of one analysis ask for the same."""
    codes: dict[str, Coded] = field(default_factory=dict, init=False, repr=False)
    """Those of them that were coded."""

    def size(self, count: str | None = None) -> int:
        if self.known is not None and count is None:
            return int(self.known.counts.sum())
        return int(self.ask(self._items(count))[0][0] or 0)

    def ask(self, *terms: str, rest: str = "") -> list[tuple[Any, ...]]:
        """The answer to a query of the table; ``rest`` says what follows the table's name."""
        query = f"select {', '.join(terms)} from {self.table}{rest}"  # noqa: S608
        return list(self.run(query).fetchall())

    def guess(self, names: Sequence[str]) -> dict[str, Guess]:
        unsure = [name for name in names if self.columns[name].type in ("text", "float", "other")]
        sample = self.sample
        if sample is None and unsure:
            rows = self.ask(*map(self.raw, unsure), rest=f" limit {_SAMPLE}")
            sample = dict(zip(unsure, zip(*rows, strict=True), strict=True)) if rows else {}
        seen = {name: (sample or {}).get(name, ()) for name in unsure}
        return {name: guessed(seen.get(name, ())) for name in names}

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
            known = self.known.projected(keys)
            if known is not None:
                return known
        terms = [self._items(count), *self._weights(weight, count)]
        for name in numbers:
            terms += self._facts(name)
        found = self.grouped(keys, terms, limit)
        columns, (items, *rest) = found[: len(keys)], found[len(keys) :]
        if limit is not None and len(items) > limit:
            return None
        counts = np.array([int(one or 0) for one in items.tolist()], dtype=np.int64)
        kept = counts > 0
        coded = self.encoded(columns)
        return Groups(
            keys=tuple(keys),
            levels=tuple(levels for _, levels in coded),
            codes=np.array([codes[kept] for codes, _ in coded], dtype=np.int64).T,
            counts=counts[kept],
            facts=self._read_facts(numbers, rest[0 if weight is None else 2 :]),
            weights=None
            if weight is None
            else ScaledWeights(
                weight, *([int(one or 0) for one in part[kept]] for part in rest[:2])
            ),
        )

    def levels(self, names: Sequence[str], limit: int) -> dict[str, tuple[Any, ...] | None]:
        if not names:
            return {}
        raw = {name: self.raw(name) for name in names}
        (about,) = self.ask(*(f"approx_count_distinct({sql})" for sql in raw.values()))
        few = [name for name, size in zip(names, about, strict=True) if size <= 2 * limit]
        found: dict[str, tuple[Any, ...] | None] = dict.fromkeys(names)
        if few:
            (listed,) = self.ask(*(self.dialect.values.format(raw[name]) for name in few))
            known = dict(zip(few, map(levels_of, listed), strict=True))
            found |= {name: one for name, one in known.items() if len(one) <= limit}
        return found

    def facts(self, names: Sequence[str]) -> dict[str, ColumnFacts]:
        if not names:
            return {}
        terms = [term for name in names for term in self._facts(name)]
        return self._read_facts(names, self.grouped((), terms, None))

    def distinct(self, names: Sequence[str]) -> tuple[int, int]:
        proved = self._proved(names)
        if proved is not None:
            return proved
        texts = [as_text(self.columns[name]) for name in names]
        absent = " or ".join(f"{text} is null" for text in texts)
        value = texts[0] if len(texts) == 1 else f"{self.dialect.row}({', '.join(texts)})"
        hashed = self.dialect.hashed.format(value)
        ((found, missing, size),) = self.ask(
            f"count(distinct {hashed}) filter (where not ({absent}))",
            f"count(*) filter (where {absent})",
            "count(*)",
        )
        if found < size - missing:  # repeats, or a collision of hashes: count the values themselves
            ((found,),) = self.ask(f"count(distinct {value})", rest=f" where not ({absent})")
        return int(found), int(missing)

    def _proved(self, names: Sequence[str]) -> tuple[int, int] | None:
        """Distinct and missing values of one column, where a look at it is faster than counting."""
        from assay.evidence.unique_ids import dense, proved_unique

        if len(names) > 1:
            return None
        if self.known is not None and names[0] == "id":
            return self.size(), 0
        size = proved_unique(self, names[0])
        return dense(self, names[0]) if size is None else (size, 0)

    def coded(self, keys: Sequence[Key]) -> list[Coded]:
        raw = [self.raw(key) for key in keys]
        missing = [one for one in dict.fromkeys(raw) if one not in self.codes]
        found = self.codes | dict(zip(missing, self.encoded(self._in_order(missing)), strict=True))
        for one in set(missing) & self.held.keys():
            found[one][0].flags.writeable = False  # it is handed out again
            self.codes[one] = found[one]
        return [found[one] for one in raw]

    def texts(self, names: Sequence[str]) -> list[Array] | None:
        """Columns of texts as they are, None where one is empty; None where a column holds anything else."""
        arrays = self._in_order([self.raw(name) for name in names])
        if any(array.dtype.kind != "O" for array in arrays):
            return None
        found = []
        for array in arrays:
            first = next((one for one in array if one is not None), "")
            if type(first) is not str:  # a column of an engine holds one type
                return None
            found.append(array.copy())
            found[-1][array == ""] = None
        return found

    def encoded(self, arrays: Sequence[Array]) -> list[Coded]:
        """Fetched columns as codes, each with the raw values its codes stand for."""
        named = {f"k{place}": array for place, array in enumerate(arrays)}
        return MemoryRows(named, self.sources).coded(list(named))

    def numbers(self, names: Sequence[str]) -> list[FloatArray]:
        fetched = self._in_order([self.number(name) for name in names])
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
        found = self.ask(
            f"{text} as item",
            "count(*) as times",
            rest=f" group by 1 having count(*) > 1 order by times desc, item limit {limit + 1}",
        )
        return [(str(item), int(times)) for item, times in found if item is not None][:limit]

    def describe(self, name: str) -> str:
        return self.columns[name].origin

    def where(self, name: str, texts: Collection[str | None]) -> Self:
        kept = " or ".join(self._has_text(name, text) for text in texts)
        table = f"(select * from {self.table} where {kept})"  # noqa: S608
        return replace(self, table=table, sample=None)

    def with_constant(self, name: str, value: str) -> Self:
        """The rows with one more column, which holds the same text in each."""
        text = self.dialect.literal(value)
        table = f"(select *, {text} as assay_constant from {self.table})"  # noqa: S608
        first = next(iter(self.columns.values()))
        origin = f"column {name!r} of {self.sources[0]}"
        column = replace(first, sql="assay_constant", type="text", origin=origin)
        return replace(self, table=table, columns={**self.columns, name: column})

    def only(self, names: Sequence[str]) -> Self:
        """The rows with some columns, the only ones that may leave a cluster."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def raw(self, key: Key) -> str:
        """A column as it is, or cut at a threshold, in SQL."""
        if isinstance(key, Cut):
            above = f"{self.number(key.column)} >= cast('{key.threshold!r}' as double)"
            below, over = map(self.dialect.literal, (key.below, key.above))
            return f"case when {above} then {over} else {below} end"
        column = self.columns[key]
        return f"cast({column.sql} as string)" if column.type == "other" else column.sql

    def number(self, name: str) -> str:
        """A column as a double; null where it holds no number, as in :func:`cells.number_of`."""
        column = self.columns[name]
        if column.type in ("whole", "float"):
            return f"cast({column.sql} as double)"
        if column.type == "boolean":
            return f"cast(cast({column.sql} as int) as double)"
        return self.dialect.number.format(f"cast({column.sql} as string)")

    def _has_text(self, name: str, text: str | None) -> str:
        """The condition that a column's text is this one; None: that it is missing."""
        if text is None:
            return self._absent(name)
        column = self.columns[name]
        if column.type == "float":  # engines do not write fractions alike
            return f"{self.number(name)} = try_cast({self.dialect.literal(text)} as double)"
        return f"{as_text(column)} = {self.dialect.literal(text)}"

    def _absent(self, name: str) -> str:
        """Whether a value is missing, as ``as_text`` has it; numbers are not written out for that."""
        column = self.columns[name]
        if column.type == "float":  # not isnan(): see there; only what is not finite is looked at
            number = self.number(name)
            finite = self.dialect.finite.format(number)
            nan = f"lower(cast({number} as string)) = 'nan'"
            return (
                f"case when {column.sql} is null then true when {finite} then false else {nan} end"
            )
        plain = column.type in ("whole", "boolean")
        return f"{column.sql if plain else as_text(column)} is null"

    def _facts(self, name: str) -> list[str]:
        """Five aggregates of a column, which hold where all of its numbers are finite."""
        column, value = self.columns[name], self.number(name)
        given = column.sql if column.type in _TYPED else as_text(column)
        return [
            f"count(*) - count({given})",
            f"count({given}) - count({value})",
            f"min({value})",
            f"coalesce(max({value}), 0.0)",
            f"max(case when not {self.dialect.whole.format(value)} then 1 else 0 end)",
        ]

    def _facts_of_any(self, name: str) -> list[str]:
        """The same with infinite numbers and NaN among them, which takes three times as long."""
        value, absent = self.number(name), self._absent(name)
        fine = self.dialect.finite.format(value)
        return [
            f"count(*) filter (where {absent})",
            f"count(*) filter (where not ({absent}) and not coalesce({fine}, false))",
            f"min({value}) filter (where {fine})",
            f"max({value}) filter (where {fine})",
            f"count(*) filter (where {fine} and not {self.dialect.whole.format(value)})",
        ]

    def _read_facts(self, names: Sequence[str], found: Sequence[Array]) -> dict[str, ColumnFacts]:
        """Facts of columns from their aggregates, a part of the rows each."""
        each = {name: found[5 * place : 5 * place + 5] for place, name in enumerate(names)}
        # NaN is above infinity
        odd = [
            one
            for one, (_, _, *ends, _) in each.items()
            if np.isinf(ends).any() or np.isnan(ends[1]).any()
        ]
        if odd:
            terms = [term for name in odd for term in self._facts_of_any(name)]
            again = self.grouped((), terms, None)
            each |= {name: again[5 * place : 5 * place + 5] for place, name in enumerate(odd)}
        return {name: _summed_facts(*columns) for name, columns in each.items()}

    def _wide(self, number: str) -> str:
        return f"cast(floor({number}) as {self.dialect.wide})"

    def _items(self, count: str | None) -> str:
        if count is None:
            return "count(*)"
        return f"cast(sum({self._wide(self.number(count))}) as bigint)"

    def _weights(self, weight: Scale | None, count: str | None) -> list[str]:
        if weight is None:
            return []
        value = self.number(weight.column)
        times = "" if count is None else f" * {self._wide(self.number(count))}"
        parts = ((value, weight.shift), (f"{value} * {value}", weight.square_shift))
        scaled = [f"{part} * cast('{2.0**shift!r}' as double)" for part, shift in parts]
        # as text: an array has no room for whole numbers of more than 64 bits
        return [f"cast(sum({self._wide(part)}{times}) as string)" for part in scaled]

    def grouped(self, keys: Sequence[Key], terms: Sequence[str], limit: int | None) -> list[Array]:
        places = ", ".join(str(place + 1) for place in range(len(keys)))
        by = f" group by {places}" if keys else ""
        most = "" if limit is None else f" limit {limit + 1}"
        return self._fetch([*map(self.raw, keys), *terms], by + most)

    def _in_order(self, expressions: Sequence[str]) -> list[Array]:
        """Columns in the order of the rows; kept, unless they are too many."""
        missing = [one for one in dict.fromkeys(expressions) if one not in self.held]
        fetched = self._fetch(missing, self.order) if missing else []
        for array in fetched:
            array.flags.writeable = False  # it is handed out again
        found = self.held | dict(zip(missing, fetched, strict=True))
        if sum(array.size for array in found.values()) <= _MOST_HELD:
            self.held.update(found)
        return [found[one] for one in expressions]

    def _fetch(self, expressions: Sequence[str], rest: str = "") -> list[Array]:
        named = ", ".join(f"{sql} as k{place}" for place, sql in enumerate(expressions))
        found = self.run(f"select {named} from {self.table}{rest}").fetchnumpy()  # noqa: S608
        return [unmasked(found[f"k{place}"]) for place in range(len(expressions))]


def as_text(column: SqlColumn) -> str:
    """The text of a column as :func:`cells.id_text` has it, null where it is missing."""
    sql = column.sql
    if column.type == "boolean":
        return f"case {sql} when true then 'True' when false then 'False' end"
    if column.type == "float":
        # not isnan(): DuckDB 2.0 folds it to false where Parquet statistics leave out NaN
        number = f"cast({sql} as double)"
        return (
            f"case when floor({number}) = {number} and abs({number}) < 1e15 then cast(try_cast({number} as bigint) as "
            f"string) else nullif(lower(cast({number} as string)), 'nan') end"
        )
    return f"case when trim(cast({sql} as string)) <> '' then cast({sql} as string) end"


def literal(text: str) -> str:
    return DUCKDB.literal(text)


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def column_type(name: str) -> ColumnType:
    """Our few types from DuckDB's many."""
    base = name.upper().split("(")[0]
    if base in {"VARCHAR", "ENUM", "UUID", "TEXT", "STRING"}:
        return "text"
    if base.endswith(("INT", "INTEGER")) or base in {"TINYINT", "SMALLINT"}:
        return "whole"
    if base in {"FLOAT", "DOUBLE", "REAL", "DECIMAL"}:
        return "float"
    return "boolean" if base == "BOOLEAN" else "other"


def _summed_facts(
    missing: Array, unreadable: Array, low: Array, high: Array, fractions: Array
) -> ColumnFacts:
    """Facts of a column of numbers over all parts of the rows; one without numbers has no lowest."""
    high = np.where(np.isnan(low), math.nan, high)
    return ColumnFacts(
        missing=int(missing.sum()),
        unreadable=int(unreadable.sum()),
        low=float(np.fmin.reduce(low, initial=math.nan)),
        high=float(np.fmax.reduce(high, initial=math.nan)),
        whole=not fractions.any(),
    )


def unmasked(column: Any) -> Array:
    """A fetched column with None (or NaN) where it was null."""
    if not isinstance(column, np.ma.MaskedArray):
        return np.asarray(column)
    if column.dtype.kind == "f":
        return np.asarray(column.filled(math.nan))
    values = column.data.astype(object)
    values[np.ma.getmaskarray(column)] = None
    return values
