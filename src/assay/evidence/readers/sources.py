"""Whatever a user calls data, opened as a table with named columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.evidence.cells import id_text
from assay.evidence.database import (
    DatabaseColumn,
    DatabaseRows,
    Run,
    column_type,
    connect,
    identifier,
    literal,
)
from assay.evidence.engines import MAX_LEVELS, Rows
from assay.evidence.frames import is_frame, module_of
from assay.evidence.lazy import LazyRows
from assay.evidence.memory import Array, MemoryRows
from assay.evidence.profile import SAMPLE, Profile
from assay.evidence.readers.duckdb_errors import runner
from assay.evidence.readers.formats import FileTable, check_path, open_file
from assay.evidence.readers.objects import (
    as_arrays,
    columns_of,
    frame_names,
    opened_frame,
)
from assay.evidence.readers.workbooks import is_workbook, workbook_columns
from assay.evidence.told import Told


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """One source. Exactly one of ``file``, ``relation``, ``frame`` and ``arrays`` is there."""

    title: str
    stem: str | None
    names: tuple[str, ...]
    file: FileTable | None = None
    relation: "Relation | None" = None
    frame: Any = None  # a lazy frame of narwhals on a cluster, its columns named c0, c1, …
    arrays: Mapping[str, Array] = field(default_factory=dict)
    run: Run | None = None
    deliberate: bool = False
    """Whether somebody put just these columns together, as in a mapping of names to arrays."""

    def profiles(self) -> dict[str, Profile]:
        """Cells of every column from all over the table, which tell how it is written."""
        if self.arrays:
            size = len(next(iter(self.arrays.values())))
            some = np.unique(np.linspace(0, size - 1, min(size, SAMPLE)).astype(np.intp))
            return {
                name: Profile.of_array(name, array[some], complete=size <= SAMPLE)
                for name, array in self.arrays.items()
            }
        head, complete = self._some_cells()
        return {name: Profile(name, cells, complete) for name, cells in head.items()}

    def _some_cells(self) -> tuple[dict[str, Sequence[Any]], bool]:
        if self.file is not None and self.file.sample is not None:
            empty: Sequence[Any] = ()
            cells = {name: self.file.sample.get(name, empty) for name in self.names}
            step = max(1, -(-len(cells[self.names[0]]) // SAMPLE))
            return {name: found[::step] for name, found in cells.items()}, self.file.whole
        if self.frame is not None:
            top = as_arrays(self.frame.head(SAMPLE).collect())
            columns = zip(self.names, top.values(), strict=True)
            return {name: array.tolist() for name, array in columns}, False
        rows = self.rows()
        if not isinstance(rows, DatabaseRows):
            raise TypeError("a table is a file, a relation, a frame or arrays")
        found, complete = _some_rows(rows, self.names)
        listed = zip(*found, strict=True) if found else ((),) * len(self.names)
        return dict(zip(self.names, listed, strict=True)), complete

    def all_words(self, name: str) -> list[str]:
        """All distinct values of a column as text, in the order of the text."""
        levels = self.rows([name]).levels([name], MAX_LEVELS)[name] or ()
        return sorted({id_text(level) for level in levels if level is not None})

    def with_column(self, name: str, value: str) -> "Table":
        """The table with one more column that holds the same text in every row."""
        names = (*self.names, name)
        if self.file is not None:
            sql = f"(select *, {literal(value)} as assay_constant from {self.file.sql})"  # noqa: S608
            fields = (*self.file.fields, ("assay_constant", "text"))
            file = replace(self.file, sql=sql, names=names, fields=fields, numbered="")
            return replace(self, names=names, file=replace(file, sample=None))
        if self.relation is not None:
            projected = f"*, {literal(value)} as {identifier(name)}"
            return replace(
                self, names=names, relation=Relation(self.relation.relation.project(projected))
            )
        if self.frame is not None:
            import narwhals as nw

            constant = {f"c{len(self.names)}": nw.lit(value)}
            return replace(self, names=names, frame=self.frame.with_columns(**constant))
        size = len(next(iter(self.arrays.values())))
        column = np.empty(size, dtype=object)
        column[:] = value
        return replace(self, names=names, arrays={**self.arrays, name: column})

    def rows(self, used: Sequence[str] | None = None) -> Rows:
        """The table by itself as rows; only the columns in ``used`` may leave a cluster."""
        if self.file is not None and self.run is not None:
            return DatabaseRows(
                self.run,
                self.file.sql,
                {name: self.file.column(name) for name in self.names},
                (self.title,),
                sample=self.file.sample,
                numbered=self.file.numbered,
            )
        if self.relation is not None:
            return self.relation.rows(self.title)
        origins = {name: f"column {name!r} of {self.title}" for name in self.names}
        if self.frame is not None:
            columns = {name: self.own_name(name) for name in used or self.names}
            return LazyRows(self.frame, columns, (self.title,), as_arrays, origins)
        return MemoryRows(self.arrays, (self.title,), origins)

    def own_name(self, name: str) -> str:
        """What a column is called in a frame on a cluster, where a dot would mean a field."""
        return f"c{self.names.index(name)}"

    def own_column(self, name: str) -> Any:
        """A column of a frame on a cluster as an expression of narwhals."""
        import narwhals as nw

        return nw.col(self.own_name(name))

    def loaded(self, names: Sequence[str]) -> Mapping[str, Array]:
        """Some columns brought into memory, as they are."""
        rows = self.rows(names)
        if isinstance(rows, MemoryRows):
            return {name: self.arrays[name] for name in names}
        decoded = {}
        for name, (codes, levels) in zip(names, rows.coded(names), strict=True):
            lookup = np.empty(len(levels) + 1, dtype=object)
            lookup[: len(levels)] = levels
            decoded[name] = lookup[codes]
        return decoded


def _some_rows(rows: DatabaseRows, names: Sequence[str]) -> tuple[list[Any], bool]:
    """Rows from the beginning, the middle and the end of a table in a database."""
    listed = ", ".join(rows.raw(name) for name in names)
    part = SAMPLE // 3
    query = f"select {listed} from {rows.table} limit {SAMPLE}"  # noqa: S608
    first = rows.run(query).fetchall()
    if len(first) < SAMPLE:
        return first, True
    size = rows.size()
    found = first[:part]
    for start in (size // 2, size - part):
        query = f"select {listed} from {rows.table} limit {part} offset {start}"  # noqa: S608
        found += rows.run(query).fetchall()
    return found, False


@dataclass(slots=True)
class _Fetched:
    """The answer of a relation, which runs again at every call: fetched once, handed out in parts."""

    relation: Any
    rest: list[Any] | None = None

    def fetchall(self) -> list[Any]:
        return list(self.relation.fetchall())

    def fetchnumpy(self) -> dict[str, Any]:
        return dict(self.relation.fetchnumpy())

    def fetchmany(self, size: int) -> list[Any]:
        rest = self.fetchall() if self.rest is None else self.rest
        self.rest = rest[size:]
        return rest[:size]


@dataclass(frozen=True, slots=True)
class Relation:
    """A user's DuckDB relation, queried on the user's own connection."""

    relation: Any

    def rows(self, title: str) -> DatabaseRows:
        def execute(sql: str) -> Any:
            return _Fetched(self.relation.query("assay_rows", sql))

        kinds = zip(self.relation.columns, self.relation.types, strict=True)
        columns = {
            str(name): DatabaseColumn(
                sql=identifier(str(name)),
                type=column_type(str(kind)),
                origin=f"column {name!r} of {title}",
                source=self,
            )
            for name, kind in kinds
        }
        return DatabaseRows(runner(execute, ()), "assay_rows", columns, (title,))

    @staticmethod
    def line(record: int) -> str:
        return f"row {record}"


def open_sources(sources: Sequence[Any], told: Told | None = None) -> list[Table]:
    """Every source as a table; files share one locked connection, on which they can be joined.

    What is a table already stays as it is.
    """
    said = told or Told()
    paths = {p: check_path(s) for p, s in enumerate(sources) if isinstance(s, str | Path)}
    opened: list[FileTable] = []
    run: Run | None = None
    if paths:
        connection = connect(list(paths.values()))
        run = runner(connection.execute, opened, connection.interrupt)
    tables = []
    for place, source in enumerate(sources):
        if place in paths and run is not None:
            if is_workbook(paths[place]):
                sheet = workbook_columns(paths[place], str(source), said.sheet)
                stem = paths[place].name.split(".")[0]
                tables.append(Table(title=str(source), stem=stem, names=tuple(sheet), arrays=sheet))
                continue
            file = open_file(paths[place], str(source), run, said.names)
            opened.append(file)
            stem = file.path.name.split(".")[0] or file.path.name
            tables.append(Table(title=str(source), stem=stem, names=file.names, file=file, run=run))
        elif isinstance(source, Table):
            tables.append(source)
        else:
            title = "the data" if len(sources) == 1 else f"source {place + 1}"
            tables.append(_in_memory(source, title, said.classes))
    return tables


def _in_memory(source: Any, title: str, classes: Sequence[Any] | None) -> Table:
    module = module_of(source)
    if module == "duckdb" and hasattr(source, "query"):
        names = tuple(map(str, source.columns))
        return Table(title=title, stem=None, names=names, relation=Relation(source))
    if is_frame(source):
        frame = opened_frame(source, title)
        if frame.implementation.is_spark_like():
            names = frame_names(frame, title)
            own = frame.to_native().toDF(*(f"c{place}" for place in range(len(names))))
            return Table(title=title, stem=None, names=names, frame=opened_frame(own, title))
    arrays = columns_of(source, title, classes)
    deliberate = isinstance(source, Mapping)
    return Table(title=title, stem=None, names=tuple(arrays), arrays=arrays, deliberate=deliberate)
