"""Files joined by item id inside DuckDB, and frames where they are on a cluster.

The result of files is a temporary table that DuckDB keeps in memory or spills to disk; a row knows
the record it came from in every file, so errors can name lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.evidence.cell_text import is_missing
from assay.evidence.names import Role
from assay.evidence.readers.item_join_counts import count_joined
from assay.evidence.readers.item_join_memory import Joined, put_together
from assay.evidence.readers.item_join_query import FilePart, outer_join
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.mismatch import (
    Absent,
    refuse_conflict,
    refuse_missing_ids,
    refuse_repeated_ids,
    same_value,
    settle_mismatch,
)
from assay.evidence.reading_options import OnMismatch
from assay.evidence.rows import Groups
from assay.evidence.rows_cluster import ClusterQueries, ClusterRows
from assay.evidence.rows_sql import IN_ORDER, Run, SqlColumn, SqlRows, as_text

_NAMED = 5


def join_files(
    run: Run, parts: Sequence[FilePart], *, by_position: bool, policy: OnMismatch
) -> Joined:
    """One table of the items that the files have in common, in the order of the first file."""
    repeated = not by_position and all("repeat" in part.roles for part in parts)
    aliases, shared, models = put_together(parts, [part.used() for part in parts])
    columns = {
        other: replace(part.columns[name], sql=sql, record=part.record(place))
        for place, (part, alias) in enumerate(zip(parts, aliases, strict=True))
        for (name, other), sql in zip(alias.items(), part.aliases(place), strict=True)
    }
    ids = [as_text(part.columns[part.roles["id"]]) for part in parts if not by_position]
    ids = ids or [IN_ORDER] * len(parts)
    titles = tuple(part.title for part in parts)
    counted: Groups | None = None
    if isinstance(run, ClusterQueries):
        query = outer_join(parts, ids, "monotonically_increasing_id()", repeated=repeated)
        asked = ClusterQueries({"joined": run.frame(query)})
        joined: SqlRows = ClusterRows(asked, "{joined}", columns, titles)
    else:
        query = outer_join(parts, ids, IN_ORDER, repeated=repeated)
        # the join once more answers the rare question that counts do not
        joined = SqlRows(run, f"({query})", columns, titles, order=" order by r0")
        counted = None if by_position or repeated else count_joined(joined, parts)
        if counted is None:
            run(f"create temp table joined as {query}").fetchall()
            joined = replace(joined, table="joined")
    notes: tuple[Note, ...] = ()
    if counted is None:
        notes = _checked(run, parts, joined, shared, by_position=by_position, policy=policy)
    roles = {role: listed[0][1] for role, listed in shared.items()}
    if not by_position:
        roles |= key_columns(columns, parts[0], repeated=repeated, record=parts[0].record(0))
    table = joined.table
    if notes:
        table = f"(select * from {table} where {matched(parts)})"  # noqa: S608
    rows = replace(joined, table=table, known=counted)
    return Joined(rows=rows, roles=roles, models=models, notes=notes)


def join_frames(laid: Sequence[Layout], *, policy: OnMismatch) -> Joined:
    """Frames on a cluster joined by item id where they are; only counts and complaints come back."""
    parts, frames = [], {}
    for place, layout in enumerate(laid):
        rows = layout.table.frame
        if rows is None or not isinstance(rows.run, ClusterQueries):
            raise TypeError(f"{layout.title} is not on a cluster")
        frames[f"p{place}"] = rows.run.frame(f"select * from {rows.table}")  # noqa: S608
        parts.append(
            FilePart(
                title=layout.title,
                sql=f"{{p{place}}}",
                columns=rows.columns,
                roles=layout.roles,
                models=layout.models,
            )
        )
    return join_files(ClusterQueries(frames), parts, by_position=False, policy=policy)


def matched(parts: Sequence[Any]) -> str:
    """The condition that every part has a row."""
    return " and ".join(f"r{place} is not null" for place in range(len(parts)))


def key_columns(
    columns: dict[str, SqlColumn], first: FilePart, *, repeated: bool, record: str = "r0"
) -> dict[Role, str]:
    roles: dict[Role, str] = {"id": "id"}
    named: dict[str, Any] = {"type": "text", "record": record}
    columns["id"] = replace(first.columns[first.roles["id"]], sql="id", **named)
    if repeated:
        roles["repeat"] = "rep"
        columns["rep"] = replace(first.columns[first.roles["repeat"]], sql="rep", **named)
    return roles


def _checked(
    run: Run,
    parts: Sequence[FilePart],
    joined: SqlRows,
    shared: Mapping[Role, Sequence[tuple[str, str]]],
    *,
    by_position: bool,
    policy: OnMismatch,
) -> tuple[Note, ...]:
    """Refuse missing, repeated and unmatched ids and values on which the files disagree."""
    titles = [part.title for part in parts]
    places = range(len(titles))
    terms = [f"count(*) filter (where {matched(parts)})", "count(*)"]
    for place in places:
        terms += [
            f"count(r{place})",
            joined.dialect.records.format(f"r{place}"),
            f"count(*) filter (where r{place} is not null and id is null)",
        ]
    ((common, every, *counts),) = joined.ask(*terms)
    for place in places:
        seen, size, nameless = counts[3 * place : 3 * place + 3]
        if nameless:
            refuse_nameless(run, parts[place])
        # a row is repeated by the join exactly if another file has its id twice
        if seen > size:
            _refuse_repeats(joined)
    if by_position and common < every:
        sizes = ", ".join(f"{t} has {counts[3 * p + 1]:,}" for p, t in enumerate(titles))
        raise EvidenceError(f"pairing by position needs equal numbers of rows; {sizes}")
    absent = [
        absent_from(joined.run, titles[p], p, every - counts[3 * p], joined.table) for p in places
    ]
    notes = settle_mismatch(absent, every=every, common=common, policy=policy)
    for role, listed in shared.items():
        if len(listed) > 1:
            _check_agreement(joined, role, listed, matched(parts))
    return notes


def refuse_nameless(run: Run, part: FilePart) -> None:
    """Refuse a file for its rows without an id, with the line of the first."""
    made = ClusterRows if isinstance(run, ClusterQueries) else SqlRows
    rows, name = made(run, part.sql, part.columns, (part.title,)), part.roles["id"]
    first = None if made is ClusterRows else rows.place(name, is_missing)[0]
    refuse_missing_ids(part.title, rows.distinct([name])[1], first)


def _refuse_repeats(joined: SqlRows) -> None:
    for place, title in enumerate(joined.sources):
        query = (
            f"select id, count(distinct r{place}) as times from {joined.table} "  # noqa: S608
            f"where r{place} is not null group by id having count(distinct r{place}) > 1"
        )
        count = joined.run(f"select count(*) from ({query})").fetchall()[0][0]  # noqa: S608
        if count:
            first = joined.run(f"{query} order by times desc, id limit {_NAMED}").fetchall()
            refuse_repeated_ids(title, count, first)


def absent_from(run: Run, title: str, place: int, count: int, table: str = "joined") -> Absent:
    if not count:
        return Absent(title, 0, ())
    query = f"select id from {table} where r{place} is null order by id limit {_NAMED}"  # noqa: S608
    return Absent(title, count, tuple(str(row[0]) for row in run(query).fetchall()))


def _check_agreement(
    joined: SqlRows, role: Role, listed: Sequence[tuple[str, str]], matched: str
) -> None:
    """Values of a shared column must agree; only rows whose texts differ are looked at."""
    texts = [as_text(joined.columns[name]) for _, name in listed]
    differ = " or ".join(f"{texts[0]} is distinct from {text}" for text in texts[1:])
    gaps = " or ".join(f"{text} is null" for text in texts)
    cursor = joined.run(
        f"select {', '.join(texts)}, count(*), min(cast(id as string)) from {joined.table} "  # noqa: S608
        f"where {matched} and ({differ} or {gaps}) group by {', '.join(texts)}"
    )
    wrong: list[tuple[Any, ...]] = []
    while rows := cursor.fetchmany(10_000):
        wrong += [row for row in rows if not same_value(row[:-2])]
    if wrong:
        first = sorted((str(row[-1]), row[:-2]) for row in wrong)[:3]
        refuse_conflict(role, [title for title, _ in listed], sum(r[-2] for r in wrong), first)
