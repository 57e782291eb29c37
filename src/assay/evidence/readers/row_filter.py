"""Rows left out before anything is recognised: ``where="column=value"``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cell_text import id_text, is_missing, quoted, shortened
from assay.evidence.names import known_as, place_of
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.reading_options import Where
from assay.evidence.rows_sql import as_text, literal

_SHOWN = 10


def conditions(where: Where) -> dict[str, list[str]]:
    """The values to keep of each column; one column named twice keeps either value."""
    if where is None:
        return {}
    if isinstance(where, Mapping):
        return {str(column): _listed(values) for column, values in where.items()}
    found: dict[str, list[str]] = {}
    for one in where if isinstance(where, list | tuple) else [where]:
        column, equals, value = str(one).partition("=")
        if not equals or not column.strip():
            got = shortened(one)
            raise UsageError(f"where is column=value, for instance split=test; got {got}")
        found.setdefault(column.strip(), []).append(value.strip())
    return found


def filtered(tables: Sequence[SourceTable], where: Where, truth: Any = None) -> list[SourceTable]:
    """Every table with the rows that fulfil all conditions, without the columns they name.

    Of a truth some classes may be kept, such as games without draws, and of models or data sets some; then the
    column still says which. One of measures always does.
    """
    kept = list(tables)
    for column, values in conditions(where).items():
        kept = [_kept(table, column, values) for table in kept]
        named = column == truth or known_as(column, "truth") or place_of(column) is not None
        if not (named and len(values) > 1) and place_of(column) != "measure":
            kept = [without(table, column) for table in kept]
    return kept


def without(table: SourceTable, column: str) -> SourceTable:
    """The table without a column."""
    names = tuple(name for name in table.names if name != column)
    file = table.file
    if file is not None:
        fields = tuple(
            field for name, field in zip(file.names, file.fields, strict=True) if name != column
        )
        file = replace(file, names=names, fields=fields)
    arrays = {name: array for name, array in table.arrays.items() if name != column}
    return replace(table, names=names, file=file, arrays=arrays)


def values_of(table: SourceTable, column: str) -> list[str]:
    """The distinct values of a column as text, in order of first appearance; never missing."""
    _check_column(table, column)
    found = table.loaded([column])[column].tolist()
    if any(map(is_missing, found)):
        raise EvidenceError(f"column {column!r} of {table.title} is empty in some rows")
    return list(dict.fromkeys(map(id_text, found)))


def _kept(table: SourceTable, column: str, values: list[str]) -> SourceTable:
    _check_column(table, column)
    if table.file is not None:
        condition = f"{as_text(table.file.column(column))} in ({', '.join(map(literal, values))})"
        smaller = replace(table, file=table.file.numbered(condition))
    elif table.relation is not None:
        smaller = replace(table, relation=table.relation.where(column, values))
    else:
        texts = [id_text(value) for value in table.arrays[column].tolist()]
        smaller = table.taken(np.flatnonzero([text in values for text in texts]))
    if not smaller.rows().size():
        there = list(dict.fromkeys(id_text(v) for v in table.loaded([column])[column].tolist()))
        raise EvidenceError(
            f"no row of {table.title} has {quoted(values)} in column {column!r}; it holds {quoted(there, _SHOWN)}"
        )
    return smaller


def _check_column(table: SourceTable, column: str) -> None:
    if column not in table.names:
        raise EvidenceError(
            f"{table.title} has no column {column!r}; it has {quoted(table.names, 20)}"
        )


def _listed(values: Any) -> list[str]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        return [id_text(values)]
    return [id_text(value) for value in values]
