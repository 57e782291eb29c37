"""Ids proved to be unique by one look at each, where they are in order as most files have them.

Ids each of which is larger than the one before cannot repeat. That is a proof, not a guess; where it
fails, ids are counted: whole numbers that lie close together in a bitmap.
"""

from dataclasses import replace

from assay.evidence.rows_sql import SqlRows, as_text

_GLIMPSE = 10_000
_BITS_A_ROW = 16  # beyond it a hash table is smaller than a bitmap
_MOST_BITS = 1_000_000_000


def proved_unique(rows: SqlRows, name: str) -> int | None:
    """The number of ids if they are in order, none missing; None if that says nothing."""
    column = rows.columns[name]
    if column.type not in ("whole", "text"):
        return None
    text = column.sql if column.type == "whole" else as_text(column)
    counted = _rising(rows, f"try_cast({text} as bigint)")
    return _rising(rows, text) if counted is None and column.type == "text" else counted


def dense(rows: SqlRows, name: str) -> tuple[int, int] | None:
    """Distinct and missing values by a bitmap, where whole numbers lie close together."""
    column = rows.columns[name]
    if column.type != "whole":
        return None
    number = f"try_cast({column.sql} as bigint)"
    terms = (f"min({number})", f"max({number})", f"count({number})", f"count({column.sql})")
    ((low, high, seen, present, size),) = rows.ask(*terms, "count(*)")
    if not seen or seen < present or high - low >= min(_BITS_A_ROW * seen, _MOST_BITS):
        return None
    ((found,),) = rows.ask(f"bit_count(bitstring_agg({number}, {low}, {high}))")
    return int(found), int(size - present)


def _rising(rows: SqlRows, value: str) -> int | None:
    """Whether each value is larger than that of the row before, in whatever order rows come."""
    size = 0
    for part in (f" limit {_GLIMPSE}", ""):
        each = f"(select {value} as id from {rows.table}{part})"  # noqa: S608
        pairs = replace(rows, table=f"(select id, lag(id) over () as before from {each})")  # noqa: S608
        ((size, wrong),) = pairs.ask("count(*)", "count(*) filter (id is null or id <= before)")
        if wrong:
            return None
    return int(size)
