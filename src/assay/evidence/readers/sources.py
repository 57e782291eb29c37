"""Whatever a user calls data, opened as a table with named columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cells import quoted, shortened
from assay.evidence.database import (
    DatabaseColumn,
    DatabaseRows,
    Run,
    column_type,
    connect,
    identifier,
    unmasked,
)
from assay.evidence.engines import Rows
from assay.evidence.lazy import LazyRows
from assay.evidence.memory import Array, MemoryRows
from assay.evidence.readers.formats import FileTable, check_path, open_file
from assay.evidence.readers.trouble import runner


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


def open_sources(sources: Sequence[Any]) -> list[Table]:
    """Every source as a table; files share one locked connection, on which they can be joined.

    What is a table already stays as it is.
    """
    paths = {p: check_path(s) for p, s in enumerate(sources) if isinstance(s, str | Path)}
    opened: list[FileTable] = []
    run: Run | None = None
    if paths:
        connection = connect(list(paths.values()))
        run = runner(connection.execute, opened, connection.interrupt)
    tables = []
    for place, source in enumerate(sources):
        if place in paths and run is not None:
            file = open_file(paths[place], str(source), run)
            opened.append(file)
            stem = file.path.name.split(".")[0] or file.path.name
            tables.append(Table(title=str(source), stem=stem, names=file.names, file=file, run=run))
        elif isinstance(source, Table):
            tables.append(source)
        else:
            title = "the data" if len(sources) == 1 else f"source {place + 1}"
            tables.append(_in_memory(source, title))
    return tables


def _in_memory(source: Any, title: str) -> Table:
    from assay.evidence.frames import is_frame

    module = type(source).__module__.split(".")[0].lstrip("_")
    if isinstance(source, Mapping):
        arrays = _from_mapping(source, title)
    elif module == "duckdb" and hasattr(source, "query"):
        names = tuple(map(str, source.columns))
        return Table(title=title, stem=None, names=names, relation=Relation(source))
    elif is_frame(source):
        frame = _opened_frame(source, title)
        names = _frame_names(frame, title)
        if frame.implementation.is_spark_like():
            own = frame.to_native().toDF(*(f"c{place}" for place in range(len(names))))
            return Table(title=title, stem=None, names=names, frame=_opened_frame(own, title))
        arrays = _from_mapping(as_arrays(frame), title)
    else:
        raise UsageError(
            f"evidence is a path, a frame, a DuckDB relation or a mapping of names to arrays; "
            f"got {type(source).__name__} {shortened(source)}"
        )
    return Table(title=title, stem=None, names=tuple(arrays), arrays=arrays)


def _from_mapping(source: Mapping[Any, Any], title: str) -> dict[str, Array]:
    arrays = {str(name): _as_array(values, str(name)) for name, values in source.items()}
    if len(arrays) < len(source):
        raise EvidenceError(f"{title} has two columns of the same name: {quoted(source)}")
    sizes = {name: len(array) for name, array in arrays.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name!r} has {size:,}" for name, size in list(sizes.items())[:5])
        raise EvidenceError(f"columns must be equally long; {listed}")
    if not arrays or not next(iter(sizes.values())):
        raise EvidenceError(f"{title} has no rows of data")
    return arrays


def _as_array(values: Any, name: str) -> Array:
    if isinstance(values, list | tuple):
        # numpy would turn [1, "a"] into text and [True, 2] into numbers
        kinds = {type(value) for value in values}
        for plain, wanted in (({int}, "iu"), ({bool}, "b"), ({float, int}, "f")):
            if kinds <= plain:
                array = np.asarray(values)
                if array.dtype.kind in wanted:
                    return array
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array
    if isinstance(values, np.ma.MaskedArray):
        values = unmasked(values)
    to_numpy = getattr(values, "to_numpy", None)
    array = np.asarray(values if to_numpy is None else to_numpy())
    if array.ndim != 1:
        raise EvidenceError(
            f"array {name!r} has shape {array.shape}; give one column each, for instance "
            f"'{name}:p(CLASS)' for the probability of a class"
        )
    if array.dtype.kind not in "biufUOT":
        array = array.astype(str).astype(object)
    return array


def as_arrays(frame: Any) -> dict[str, Array]:
    """The columns of a frame of narwhals in memory."""
    names = frame.collect_schema().names()
    return {str(name): _as_array(frame[:, place], str(name)) for place, name in enumerate(names)}


def _opened_frame(source: Any, title: str) -> Any:
    """A frame of narwhals: lazy where its rows live on a cluster, else in memory."""
    import narwhals as nw

    try:
        frame = nw.from_native(source)
        lazy = isinstance(frame, nw.LazyFrame)
        return frame.collect() if lazy and not frame.implementation.is_spark_like() else frame
    except TypeError:
        kind = type(source).__name__
        raise UsageError(f"{title} is a {kind}; give a data frame with named columns") from None
    except nw.exceptions.DuplicateError:
        raise EvidenceError(f"{title} has two columns of the same name") from None


def _frame_names(frame: Any, title: str) -> tuple[str, ...]:
    names = tuple(map(str, frame.collect_schema().names()))
    if len(set(names)) < len(names):
        raise EvidenceError(f"{title} has two columns of the same name: {quoted(names)}")
    return names
