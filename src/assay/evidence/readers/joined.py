"""Files joined by item id inside DuckDB, and frames where they are on a cluster.

The result of files is a temporary table that DuckDB keeps in memory or spills to disk; a row knows
the record it came from in every file, so errors can name lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.evidence.cells import is_missing
from assay.evidence.database import IN_ORDER, DatabaseColumn, DatabaseRows, Run, as_text
from assay.evidence.names import Role
from assay.evidence.readers.aligned import SHARED, Joined, put_together
from assay.evidence.readers.counted import count_joined
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.mismatch import (
    Absent,
    OnMismatch,
    refuse_conflict,
    refuse_missing_ids,
    refuse_repeated_ids,
    same_value,
    settle_mismatch,
)
from assay.evidence.roles import ModelColumns
from assay.evidence.rows_cluster import ClusterQueries, ClusterRows

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilePart:
    """A file with its roles and models, to be joined with others."""

    title: str
    sql: str
    columns: Mapping[str, DatabaseColumn]
    roles: Mapping[Role, str]
    models: Mapping[str, ModelColumns]
    countable: bool = False  # whether the number of its rows is known without reading them

    def record(self, place: int) -> str:
        """The column of the joined table that tells where in its file a row stood.

        Rows are numbered as they come (``r``); where some were left out before, by the file (``l``).
        """
        first = next(iter(self.columns.values()))
        return f"r{place}" if first.record == IN_ORDER else f"l{place}"

    def aliases(self, place: int) -> list[str]:
        """What the columns in use are called in SQL where parts are joined."""
        return [f"p{place}_{at}" for at in range(len(self.used()))]

    def used(self) -> list[str]:
        kept = [self.roles[role] for role in SHARED if role in self.roles]
        return list(dict.fromkeys([*kept, *(n for of in self.models.values() for n in of.used())]))


def join_files(
    run: Run, parts: Sequence[FilePart], *, by_position: bool, policy: OnMismatch
) -> Joined:
    """One table of the items that the files have in common, in the order of the first file."""
    repeated = not by_position and all("repeat" in part.roles for part in parts)
    query = _outer_join(run, parts, by_position=by_position, repeated=repeated)
    counted = None if by_position or repeated else count_joined(run, parts)
    table, asked = "joined", run
    if isinstance(run, ClusterQueries):
        table, asked = "{joined}", ClusterQueries({"joined": run.frame(query)})
    elif counted is None:
        run(f"create temp table joined as {query}").fetchall()
    else:  # the join again, for the rare question that the counts do not answer
        table = f"({query})"
    aliases, shared, models = put_together(parts, [part.used() for part in parts])
    columns = {
        other: replace(part.columns[name], sql=sql, record=part.record(place))
        for place, (part, alias) in enumerate(zip(parts, aliases, strict=True))
        for (name, other), sql in zip(alias.items(), part.aliases(place), strict=True)
    }
    notes: tuple[Note, ...] = ()
    if counted is None:
        whole = _rows(asked, table, columns, [part.title for part in parts])
        notes = _checked(run, parts, whole, shared, by_position=by_position, policy=policy)
    roles = {role: listed[0][1] for role, listed in shared.items()}
    if not by_position:
        roles |= key_columns(columns, parts[0], repeated=repeated, record=parts[0].record(0))
    if notes:
        table = f"(select * from {table} where {_matched(parts)})"  # noqa: S608
    rows = _rows(asked, table, columns, [part.title for part in parts])
    ordered = replace(rows, order=" order by r0", known=counted)
    return Joined(rows=ordered, roles=roles, models=models, notes=notes)


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


def _rows(
    run: Run, table: str, columns: Mapping[str, DatabaseColumn], titles: Sequence[str]
) -> DatabaseRows:
    made = ClusterRows if isinstance(run, ClusterQueries) else DatabaseRows
    return made(run, table, columns, tuple(titles))


def _matched(parts: Sequence[FilePart]) -> str:
    return " and ".join(f"r{place} is not null" for place in range(len(parts)))


def _outer_join(run: Run, parts: Sequence[FilePart], *, by_position: bool, repeated: bool) -> str:
    """A chain of full outer joins, so that whatever does not match can be counted and named."""
    number = "monotonically_increasing_id()" if isinstance(run, ClusterQueries) else IN_ORDER
    chain = ""
    for place, part in enumerate(parts):
        key = IN_ORDER if by_position else as_text(part.columns[part.roles["id"]])
        terms = [f"{key} as id", f"{number} as r{place}"]
        if part.record(place) != f"r{place}":
            terms.append(f"{next(iter(part.columns.values())).record} as l{place}")
        if repeated:
            terms.append(f"{as_text(part.columns[part.roles['repeat']])} as rep")
        named = zip(part.used(), part.aliases(place), strict=True)
        terms += [f"{part.columns[name].sql} as {alias}" for name, alias in named]
        chosen = f"(select {', '.join(terms)} from {part.sql}) p{place}"  # noqa: S608
        keys = "id, rep" if repeated else "id"
        chain += f" full outer join {chosen} using ({keys})" if place else chosen
    return f"select * from {chain}"  # noqa: S608


def key_columns(
    columns: dict[str, DatabaseColumn], first: FilePart, *, repeated: bool, record: str = "r0"
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
    joined: DatabaseRows,
    shared: Mapping[Role, Sequence[tuple[str, str]]],
    *,
    by_position: bool,
    policy: OnMismatch,
) -> tuple[Note, ...]:
    """Refuse missing, repeated and unmatched ids and values on which the files disagree."""
    titles = [part.title for part in parts]
    places = range(len(titles))
    terms = [f"count(*) filter (where {_matched(parts)})", "count(*)"]
    for place in places:
        terms += [
            f"count(r{place})",
            joined.dialect.records.format(f"r{place}"),
            f"count(*) filter (where r{place} is not null and id is null)",
        ]
    found = joined.run(f"select {', '.join(terms)} from {joined.table}").fetchall()[0]  # noqa: S608
    common, every, *counts = found
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
            _check_agreement(joined, role, listed, _matched(parts))
    return notes


def refuse_nameless(run: Run, part: FilePart) -> None:
    """Refuse a file for its rows without an id, with the line of the first."""
    rows = _rows(run, part.sql, part.columns, [part.title])
    name = part.roles["id"]
    first = None if isinstance(rows, ClusterRows) else rows.place(name, is_missing)[0]
    refuse_missing_ids(part.title, rows.distinct([name])[1], first)


def _refuse_repeats(joined: DatabaseRows) -> None:
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
    joined: DatabaseRows, role: Role, listed: Sequence[tuple[str, str]], matched: str
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
