"""Cells of models that are empty: left out row by row, or counted as wrong answers, as told."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.core.errors import UsageError
from assay.core.notes import Note, note
from assay.evidence.cell_text import MISSING_WORDS, NO_ANSWER, is_missing
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.rows_sql import ColumnType, literal


def without_gaps(
    table: SourceTable, columns: Sequence[str], how: str
) -> tuple[SourceTable, tuple[Note, ...]]:
    """The table without the rows in which one of the columns is empty, or with those filled."""
    if table.relation is not None:
        raise UsageError(f"missing={how!r} is for files and data in memory; filter the frame first")
    before = table.rows().size()
    smaller = _in_arrays(table, columns, how) if table.arrays else _in_file(table, columns, how)
    after = smaller.rows().size()
    if how == "wrong":
        return smaller, (note("gaps-wrong", columns=", ".join(columns)),)
    dropped = before - after
    return smaller, (note("gaps-left-out", dropped=dropped, kept=after),) if dropped else ()


def _in_arrays(table: SourceTable, columns: Sequence[str], how: str) -> SourceTable:
    gaps = {
        name: np.array([is_missing(c) for c in table.arrays[name].tolist()]) for name in columns
    }
    if how == "wrong":
        for name, gap in gaps.items():
            if gap.any():
                filled = np.where(gap, NO_ANSWER, table.arrays[name].astype(object))
                table = table.with_array(name, filled)
        return table
    return table.taken(np.flatnonzero(~np.any(list(gaps.values()), axis=0)))


def _in_file(table: SourceTable, columns: Sequence[str], how: str) -> SourceTable:
    file = table.file
    if file is None:
        raise TypeError("a table is a file, a relation, a frame or arrays")
    # no IN: DuckDB plans a join for each, and a hundred models are a second of planning per query
    words = literal("|".join(sorted(MISSING_WORDS - {"-", "?"})))
    of = {name: file.column(name).sql for name in columns}
    empty = {
        name: f"({sql} is null or regexp_full_match(lower(trim({sql}::varchar)), {words}))"
        for name, sql in of.items()
    }
    if how != "wrong":
        return replace(table, file=file.numbered(f"not ({' or '.join(empty.values())})"))
    fields: tuple[tuple[str, ColumnType], ...] = tuple(
        (f"case when {empty[name]} then {literal(NO_ANSWER)} else {sql}::varchar end", "text")
        if name in of
        else (sql, kind)
        for name, (sql, kind) in zip(file.names, file.fields, strict=True)
    )
    return replace(table, file=replace(file, fields=fields, sample=None))
