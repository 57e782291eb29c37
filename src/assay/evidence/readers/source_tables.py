"""Whatever a user calls data, opened as a table with named columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import class_text, id_text, is_missing
from assay.evidence.duckdb_connection import connect
from assay.evidence.frames import is_frame, module_of
from assay.evidence.profile import SAMPLE, Profile
from assay.evidence.readers.duckdb_errors import runner
from assay.evidence.readers.file_tables import FileTable, damage, opened
from assay.evidence.readers.formats import check_path, open_file, small_sheet
from assay.evidence.readers.json_files import json_document
from assay.evidence.readers.objects import (
    columns_of,
    frame_names,
    opened_frame,
)
from assay.evidence.readers.workbooks import is_workbook, sheets_columns, workbook_columns
from assay.evidence.reading_options import Told
from assay.evidence.rows import MAX_LEVELS, Rows
from assay.evidence.rows_cluster import ClusterRows
from assay.evidence.rows_memory import Array, MemoryRows
from assay.evidence.rows_sql import (
    Fetched,
    Run,
    SqlRows,
    as_text,
    columns_of_types,
    identifier,
    literal,
)

_WIDE, _SMALL = 64, 2**25
"""Columns from which, and bytes up to which, a file is taken into memory: engines plan column by column."""
_MANY_LINES = 2**18
"""Bytes of text from which on reading it again takes longer than keeping it."""
_numbered = count()
_PARSED = "assay_parsed_"
_SHORT_DECIMAL = "-?[0-9]{1,30}(,[0-9]{1,30})?"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceTable:
    """One source. Exactly one of ``file``, ``relation`` and ``arrays`` is there."""

    title: str
    stem: str | None
    names: tuple[str, ...]
    path: Path | None = None
    file: FileTable | None = None
    relation: SqlRows | None = None
    """A user's own DuckDB relation, or a frame on a cluster."""
    arrays: Mapping[str, Array] = field(default_factory=dict)
    run: Run | None = None
    deliberate: bool = False
    """Whether somebody put just these columns together, as in a mapping of names to arrays."""
    lines: Sequence[int] = ()
    """Of arrays that were a file: the line of each row."""
    plain: bool = False
    """Whether arrays were a file that an engine can read too, to join it with others there."""
    known: dict[str, Profile] = field(default_factory=dict, init=False, repr=False)
    """What its columns are, once somebody asked."""

    @property
    def frame(self) -> ClusterRows | None:
        """The frame, where the rows are on a cluster."""
        return self.relation if isinstance(self.relation, ClusterRows) else None

    def profiles(self) -> Mapping[str, Profile]:
        """Cells of every column from all over the table, which tell how it is written; looked at once."""
        if not self.known and self.arrays:
            size = len(next(iter(self.arrays.values())))
            some = np.unique(np.linspace(0, size - 1, min(size, SAMPLE)).astype(np.intp))
            for name, array in self.arrays.items():
                seen = array[some]
                typed = seen if array.dtype.kind in "biuf" else None
                self.known[name] = Profile(name, seen.tolist(), size <= SAMPLE, typed)
        elif not self.known:
            head, whole = self._some_cells()
            self.known.update({name: Profile(name, cells, whole) for name, cells in head.items()})
        return self.known

    def _some_cells(self) -> tuple[dict[str, Sequence[Any]], bool]:
        if self.file is not None and self.file.sample is not None:
            empty: Sequence[Any] = ()
            cells = {name: self.file.sample.get(name, empty) for name in self.names}
            step = max(1, -(-len(cells[self.names[0]]) // SAMPLE))
            whole = self.file.whole and step == 1
            return {name: found[::step] for name, found in cells.items()}, whole
        rows = self.rows()
        if not isinstance(rows, SqlRows):
            raise TypeError("a table is a file, a relation or arrays")
        found, complete = _some_rows(rows, self.names)
        listed = zip(*found, strict=True) if found else ((),) * len(self.names)
        return dict(zip(self.names, listed, strict=True)), complete

    def all_words(self, name: str) -> list[str]:
        """All distinct values of a column as text, in the order of the text."""
        levels = self.rows([name]).levels([name], MAX_LEVELS)[name] or ()
        return sorted({id_text(level) for level in levels if level is not None})

    def with_column(self, name: str, value: str) -> "SourceTable":
        """The table with one more column that holds the same text in every row."""
        names = (*self.names, name)
        if self.relation is not None:
            return replace(self, names=names, relation=self.relation.with_constant(name, value))
        if self.file is not None:
            sql = f"(select *, {literal(value)} as assay_constant from {self.file.sql})"  # noqa: S608
            fields = (*self.file.fields, ("assay_constant", "text"))
            file = replace(self.file, sql=sql, names=names, fields=fields, sample=None)
            return replace(self, names=names, file=file)
        size = len(next(iter(self.arrays.values())))
        column = np.full(size, value, dtype=object)
        return self.with_array(name, column)

    def in_memory(self) -> "SourceTable":
        """The same table with its columns as arrays."""
        if self.arrays:
            return self
        arrays, lines = self.loaded(self.names), self.file.lines() if self.file is not None else ()
        # a quote that nobody closed: the engine sees other records than there are lines
        known = len(lines) == len(next(iter(arrays.values()), ()))
        return self.holding(arrays, lines if known else ())

    def holding(self, arrays: Mapping[str, Array], lines: Sequence[int] = ()) -> "SourceTable":
        """The table with these columns in memory in place of its own."""
        bare = replace(self, file=None, relation=None, run=None, plain=False)
        return replace(bare, names=tuple(arrays), arrays=arrays, lines=lines)

    def with_array(self, name: str, array: Array) -> "SourceTable":
        """A table in memory with a column put in, or put in the place of another."""
        arrays = {**self.arrays, name: array}
        return replace(self, names=tuple(arrays), arrays=arrays)

    def respelt(self, name: str, words: Mapping[str, str | None]) -> "SourceTable":
        """The table with some words of a column written otherwise, or not at all; files stay where they are."""
        if self.file is None:
            cells = self.arrays[name].tolist()
            written = [
                cell if is_missing(cell) else words.get(class_text(cell), cell) for cell in cells
            ]
            return self.with_array(name, np.array(written, dtype=object))
        place, text = self.names.index(name), as_text(self.file.column(name))
        column = f"assay_respelt_{place}"
        cases = " ".join(
            f"when {literal(old)} then {'null' if new is None else literal(new)}"
            for old, new in words.items()
        )
        sql = f"(select *, case {text} {cases} else {text} end as {column} from {self.file.sql})"  # noqa: S608
        fields = [*self.file.fields]
        fields[place] = (column, "text")
        return replace(self, file=replace(self.file, sql=sql, fields=tuple(fields), sample=None))

    def with_points(self, names: Sequence[str]) -> "SourceTable | None":
        """A parsed file whose cells of these columns, as 0,68 or 1, are numbers; None where one is not so."""
        file, run = self.file, self.run
        if file is None or run is None or not file.sql.startswith(_PARSED):
            return None
        fields = dict(zip(file.names, file.fields, strict=True))
        texts = [fields[name][0] for name in names]
        other = " or ".join(
            f"{text} is null or not regexp_full_match({text}, '{_SHORT_DECIMAL}')" for text in texts
        )
        if run(f"select 1 from {file.sql} where {other} limit 1").fetchall():  # noqa: S608
            return None
        numbers = ", ".join(
            f"cast(replace({text}, ',', '.') as double) as {text}" for text in texts
        )
        sql = _made(run, f"select * replace ({numbers}) from {file.sql}")  # noqa: S608
        for name in names:
            fields[name] = (fields[name][0], "float")
        made = replace(file, sql=sql, fields=tuple(fields.values()), sample=None)
        return replace(self, file=made)

    def taken(self, rows: Array) -> "SourceTable":
        """Some rows of a table in memory, or none."""
        rows = np.asarray(rows, dtype=np.intp)
        lines = tuple(self.lines[row] for row in rows.tolist()) if self.lines else ()
        arrays = {name: array[rows] for name, array in self.arrays.items()}
        return replace(self, arrays=arrays, lines=lines)

    def rows(self, used: Sequence[str] | None = None) -> Rows:
        """The table by itself as rows; only the columns in ``used`` may leave a cluster."""
        if self.relation is not None:
            return self.relation.only(used or self.names)
        if self.file is not None and self.run is not None:
            return SqlRows(
                self.run,
                self.file.sql,
                {name: self.file.column(name) for name in self.names},
                (self.title,),
                sample=self.file.sample,
            )
        origins = {name: f"column {name!r} of {self.title}" for name in self.names}
        lines = dict.fromkeys(self.names, self.lines)
        return MemoryRows(self.arrays, (self.title,), origins, lines=lines)

    def loaded(self, names: Sequence[str]) -> Mapping[str, Array]:
        """Some columns brought into memory, as they are."""
        if self.arrays:
            return {name: self.arrays[name] for name in names}
        rows = self.rows(names)
        texts = rows.texts(names) if isinstance(rows, SqlRows) else None
        if texts is not None:
            return dict(zip(names, texts, strict=True))
        decoded = {}
        for name, (codes, levels) in zip(names, rows.coded(names), strict=True):
            lookup = np.empty(len(levels) + 1, dtype=object)
            lookup[: len(levels)] = levels
            decoded[name] = lookup[codes]
        return decoded


def _some_rows(rows: SqlRows, names: Sequence[str]) -> tuple[list[Any], bool]:
    """Rows from the beginning, the middle and the end; of a cluster, which has no order, any."""
    listed, part = [rows.raw(name) for name in names], SAMPLE // 3
    first = rows.ask(*listed, rest=f" limit {SAMPLE}")
    if len(first) < SAMPLE or isinstance(rows, ClusterRows):
        return first, len(first) < SAMPLE
    size = rows.size()
    found = first[:part]
    for start in ((size - part) // 2, size - part):  # no row is seen twice
        found += rows.ask(*listed, rest=f" limit {part} offset {start}")
    return found, False


def _rows_of_relation(relation: Any, title: str) -> SqlRows:
    """A user's DuckDB relation, queried on the user's own connection."""

    def execute(sql: str) -> Fetched:
        found = relation.query("assay_rows", sql)
        return Fetched(found.fetchall, found.fetchnumpy)

    types = (
        (identifier(str(name)), str(kind))
        for name, kind in zip(relation.columns, relation.types, strict=True)
    )
    columns = columns_of_types(title, relation.columns, types)
    return SqlRows(runner(execute, ()), "assay_rows", columns, (title,))


def open_sources(sources: Sequence[Any], told: Told | None = None) -> list[SourceTable]:
    """Every source as a table; files share one locked connection, on which they can be joined.

    What is a table already stays as it is.
    """
    said = told or Told()
    if isinstance(said.sheet, str) and "," in said.sheet:
        sources = [table for source in sources for table in _by_sheet(source, said.sheet)]
    paths = {p: check_path(s) for p, s in enumerate(sources) if isinstance(s, str | Path)}
    held = {p: _read_whole(path, str(sources[p]), said) for p, path in paths.items()}
    opened: list[FileTable] = []
    run: Run | None = None
    if None in held.values():
        connection = connect(list(paths.values()))
        run = runner(connection.execute, opened, connection)
    tables = []
    for place, source in enumerate(sources):
        title = "the data" if len(sources) == 1 else f"source {place + 1}"
        table = source if isinstance(source, SourceTable) else held.get(place)
        if run is not None and place in paths and (table is None or table.plain):
            opened.append(open_file(paths[place], str(source), run, said.names))
            table = _of_engine(opened[-1], run)
        tables.append(_in_memory(source, title, said) if table is None else table)
    return tables


def _by_sheet(source: Any, named: str) -> list[Any]:
    """A table of each sheet that was named, called after it; what is no workbook stays as it is."""
    path = check_path(source) if isinstance(source, str | Path) else None
    if path is None or not is_workbook(path):
        return [source]
    found = sheets_columns(path, str(source), named)
    if named in found:
        return [_held(found[named], str(source), path)]
    return [
        replace(_held(columns, f"{source}, sheet {name}"), stem=name)
        for name, columns in found.items()
    ]


def is_text(source: str) -> bool:
    """Whether a text is a table or a document itself, and no name of a file."""
    return "\n" in source.strip() or source.lstrip()[:2] in ("[{", '{"')


def table_of_text(text: str | bytes) -> SourceTable:
    """The table in a text, read as a file of it would be, and held in memory."""
    content = text.encode() if isinstance(text, str) else text
    document = content.lstrip()[:1] in (b"[", b"{")
    with TemporaryDirectory() as folder:
        path = Path(folder, "data.json" if document else "data.csv")
        path.write_bytes(content)
        (table,) = open_sources([path])
        return replace(table.in_memory(), title="the data", stem=None, path=None)


def _wide_and_small(file: FileTable) -> bool:
    """Whether a query for each model would cost more than all cells in memory."""
    return len(file.names) > _WIDE and 0 < _plain_bytes(file) <= _SMALL


def _plain_bytes(file: FileTable) -> int:
    """The size of a file that is not packed; 0 of others, which may hold any number of cells."""
    plain = file.compressed == "none" and file.path.is_file()
    return file.path.stat().st_size if plain else 0


def _unpacked_bytes(file: FileTable) -> int:
    """The size of the text in a packed file, counted no further than what is kept; 0 if it is damaged."""
    try:
        with opened(file.path, compressed=file.compressed) as stream:
            return len(stream.read(_SMALL + 1))
    except damage():
        return 0


def _parsed_once(table: SourceTable) -> SourceTable:
    """A text file of some size as a table of the engine: each query would read its text anew."""
    file, run = table.file, table.run
    if file is None or run is None or file.format != "csv":
        return table
    if not _MANY_LINES <= (_plain_bytes(file) or _unpacked_bytes(file)) <= _SMALL:
        return table
    try:
        parsed = _made(run, f"select * from {file.sql}")  # noqa: S608
    except EvidenceError:  # a cell that nobody asks for may be at fault: said when it is asked for
        return table
    return replace(table, file=replace(file, sql=parsed))


def _made(run: Run, query: str) -> str:
    """The name of a table of the engine that holds what a query finds."""
    name = f"{_PARSED}{next(_numbered)}"
    run(f"create temp table {name} as {query}")
    return name


def _read_whole(path: Path, title: str, told: Told) -> SourceTable | None:
    """A file that is small, a workbook or one document as a table in memory; None of what an engine reads."""
    sheet = small_sheet(path, title, told.names)
    if sheet is not None:
        if sheet.plain and told.scores in ("exact", "binned"):
            return None  # scores are ranked by the engine
        columns = zip(sheet.names, zip(*sheet.rows, strict=True), strict=True)
        filled = {
            name: [None if not cell or cell.isspace() else cell for cell in cells]
            for name, cells in columns
        }
        arrays = {name: np.array(cells, dtype=object) for name, cells in filled.items()}
        table = _held(arrays, title, path)
        return replace(table, lines=tuple(sheet.lines), plain=sheet.plain)
    if is_workbook(path):
        return _held(workbook_columns(path, title, told.sheet), title, path)
    document = json_document(path, title)
    return None if document is None else _held(columns_of(document, title, told), title, path)


def _of_engine(file: FileTable, run: Run) -> SourceTable:
    """A file that stays where it is, and is asked; in memory where that is cheaper."""
    title, stem, path = file.title, _stem(file.path), file.path
    table = SourceTable(title=title, stem=stem, names=file.names, path=path, file=file, run=run)
    return table.in_memory() if _wide_and_small(file) else _parsed_once(table)


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.name


def _held(arrays: Mapping[str, Array], title: str, path: Path | None = None) -> SourceTable:
    stem = None if path is None else _stem(path)
    return SourceTable(title=title, stem=stem, names=tuple(arrays), path=path, arrays=arrays)


def _in_memory(source: Any, title: str, told: Told) -> SourceTable:
    if module_of(source) == "duckdb" and hasattr(source, "query"):
        relation = _rows_of_relation(source, title)
        return SourceTable(title=title, stem=None, names=tuple(relation.columns), relation=relation)
    if is_frame(source):
        frame = opened_frame(source, title)
        if frame.implementation.is_spark_like():
            names = frame_names(frame, title)
            rows = ClusterRows.of(frame.to_native(), title)
            return SourceTable(title=title, stem=None, names=names, relation=rows)
    table = _held(columns_of(source, title, told), title)
    return replace(table, deliberate=isinstance(source, Mapping))
