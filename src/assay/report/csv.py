"""The tables of a view as one rectangle of CSV: unrounded numbers, a first column naming the table."""

import csv
import math
from io import StringIO

from assay.core.results import Scalar
from assay.report.escapes import for_csv
from assay.report.tables import Cell, Column, ReportTable
from assay.report.views import View


def render_csv(view: View) -> str:
    """Every row of every table; columns are those of all tables together."""
    shown = (*view.tables, *_notes(view))
    names = list(dict.fromkeys(name for table in shown for name in _names(table)))
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["table", *names])
    for table in shown:
        for row in table.rows:
            values = dict(_values(row, table.columns))
            writer.writerow([table.name, *(values.get(name, "") for name in names)])
    return stream.getvalue()


def _notes(view: View) -> tuple[ReportTable, ...]:
    """Every note as a row of a table of its own."""
    if not view.notes:
        return ()
    columns = tuple(Column(name=name) for name in ("level", "note", "message", "about"))
    rows = tuple(
        tuple(Cell(text=text) for text in (note.level, note.code, note.message, note.about))
        for note in view.notes
    )
    return (ReportTable(name="notes", caption="Notes.", columns=columns, rows=rows),)


def _names(table: ReportTable) -> list[str]:
    return [name for column in table.columns for name in _parts(column)]


def _parts(column: Column) -> tuple[str, ...]:
    return column.parts or (column.name,)


def _values(row: tuple[Cell, ...], columns: tuple[Column, ...]) -> list[tuple[str, str]]:
    values = []
    for cell, column in zip(row, columns, strict=True):
        if column.parts:
            numbers = cell.numbers or (None,) * len(column.parts)
            values += list(zip(column.parts, map(_number, numbers), strict=True))
        else:
            values.append((column.name, for_csv(cell.text)))
    return values


def _number(value: Scalar) -> str:
    """A number with all its digits; empty where it is undefined."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return for_csv(value) if isinstance(value, str) else repr(value)
