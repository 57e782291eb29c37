"""Ids proved to be unique by one look at each, where they are in order as most files have them.

Ids that differ from the number of their row by a constant cannot repeat, nor can ids each of which
is larger than the one before. Both are proofs, not guesses; where they fail, ids are counted.
"""

from assay.evidence.database import DatabaseRows, as_text

_GLIMPSE = 10_000
_FAR = 2**62


def proved_unique(rows: DatabaseRows, name: str) -> int | None:
    """The number of ids if they are in order, none missing; None if that says nothing."""
    column = rows.columns[name]
    if column.type == "whole":
        number = f"try_cast({column.sql} as bigint)"
        steady = _steady(rows, number)
        return _rising(rows, number) if steady is None else steady
    if column.type != "text":
        return None
    text = as_text(column)
    counted = _rising(rows, f"try_cast({text} as bigint)")
    return _rising(rows, text) if counted is None else counted


def _steady(rows: DatabaseRows, number: str) -> int | None:
    """Whether whole numbers count the rows of their file; their ends alone mostly tell."""
    if not rows.numbered:
        return None
    terms = f"min({number}), max({number}), count({number}), count(*)"
    low, high, seen, size = rows.run(f"select {terms} from {rows.table}").fetchall()[0]  # noqa: S608
    if not size or seen < size or high - low != size - 1 or max(-low, high) >= _FAR:
        return None
    for part in (f" limit {_GLIMPSE}", ""):
        each = f"select {number} - {rows.numbered} as gap from {rows.table}{part}"  # noqa: S608
        least, most = rows.run(f"select min(gap), max(gap) from ({each})").fetchall()[0]  # noqa: S608
        if least != most:
            return None
    return int(size)


def _rising(rows: DatabaseRows, value: str) -> int | None:
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
