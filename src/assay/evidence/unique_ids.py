"""Ids proved to be unique by one look at each, where they are in order as most files have them.

Ids each of which is larger than the one before cannot repeat. That is a proof, not a guess; where it
fails, ids are counted.
"""

from assay.evidence.rows_sql import SqlRows, as_text

_GLIMPSE = 10_000


def proved_unique(rows: SqlRows, name: str) -> int | None:
    """The number of ids if they are in order, none missing; None if that says nothing."""
    column = rows.columns[name]
    if column.type not in ("whole", "text"):
        return None
    text = column.sql if column.type == "whole" else as_text(column)
    counted = _rising(rows, f"try_cast({text} as bigint)")
    return _rising(rows, text) if counted is None and column.type == "text" else counted


def _rising(rows: SqlRows, value: str) -> int | None:
    """Whether each value is larger than that of the row before, in whatever order rows come."""
    size = 0
    for part in (f" limit {_GLIMPSE}", ""):
        each = f"select {value} as id from {rows.table}{part}"  # noqa: S608
        pairs = f"select id, lag(id) over () as before from ({each})"  # noqa: S608
        query = f"select count(*), count(*) filter (id is null or id <= before) from ({pairs})"  # noqa: S608
        size, wrong = rows.run(query).fetchall()[0]
        if wrong:
            return None
    return int(size)
