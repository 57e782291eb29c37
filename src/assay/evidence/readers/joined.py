"""Files joined by item id inside DuckDB.

The result is a temporary table that DuckDB keeps in memory or spills to disk; a row knows the
record it came from in every file, so errors can name lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.evidence.cells import is_missing
from assay.evidence.database import (
    IN_ORDER,
    DatabaseColumn,
    DatabaseRows,
    Run,
    as_text,
    identifier,
)
from assay.evidence.names import Role
from assay.evidence.readers.aligned import SHARED, Joined
from assay.evidence.readers.counted import count_joined
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
from assay.evidence.settle import renamed

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

    def used(self) -> list[str]:
        kept = [self.roles[role] for role in SHARED if role in self.roles]
        return list(dict.fromkeys([*kept, *(n for of in self.models.values() for n in of.used())]))


def join_files(
    run: Run, parts: Sequence[FilePart], *, by_position: bool, policy: OnMismatch
) -> Joined:
    """One table of the items that the files have in common, in the order of the first file."""
    repeated = not by_position and all("repeat" in part.roles for part in parts)
    selects = [
        _part_query(part, place, by_position=by_position, repeated=repeated)
        for place, part in enumerate(parts)
    ]
    counted = None if by_position or repeated else count_joined(run, parts)
    if counted is None:
        run(f"create temp table joined as {_outer_join(selects, repeated=repeated)}").fetchall()
    columns: dict[str, DatabaseColumn] = {}
    models: dict[str, ModelColumns] = {}
    shared: dict[Role, list[tuple[str, str]]] = {}
    for place, part in enumerate(parts):
        alias = {name: f"{place}:{name}" for name in part.used()}
        for name, other in alias.items():
            columns[other] = replace(
                part.columns[name], sql=identifier(other), record=part.record(place)
            )
        for role in SHARED:
            if role in part.roles:
                shared.setdefault(role, []).append((part.title, alias[part.roles[role]]))
        models |= {model: renamed(of, alias) for model, of in part.models.items()}
    notes: tuple[Note, ...] = ()
    if counted is None:
        notes = _checked(run, parts, columns, shared, by_position=by_position, policy=policy)
    roles = {role: listed[0][1] for role, listed in shared.items()}
    if not by_position:
        roles |= key_columns(columns, parts[0], repeated=repeated, record=parts[0].record(0))
    matched = " and ".join(f"r{place} is not null" for place in range(len(parts)))
    table = f"(select * from joined where {matched})" if notes else "joined"  # noqa: S608
    if counted is not None:  # the join again, for the rare question that the counts do not answer
        table = f"({_outer_join(selects, repeated=repeated)})"
    rows = DatabaseRows(
        run,
        table,
        columns,
        tuple(part.title for part in parts),
        order=" order by r0",
        known=counted,
    )
    return Joined(rows=rows, roles=roles, models=models, notes=notes)


def _part_query(part: FilePart, place: int, *, by_position: bool, repeated: bool) -> str:
    key = "row_number() over ()" if by_position else as_text(part.columns[part.roles["id"]])
    terms = [f"{key} as id", f"{IN_ORDER} as r{place}"]
    if part.record(place) != f"r{place}":
        terms.append(f"{next(iter(part.columns.values())).record} as l{place}")
    if repeated:
        terms.append(f"{as_text(part.columns[part.roles['repeat']])} as rep")
    terms += [
        f"{part.columns[name].sql} as {identifier(f'{place}:{name}')}" for name in part.used()
    ]
    return f"select {', '.join(terms)} from {part.sql}"  # noqa: S608


def _outer_join(selects: Sequence[str], *, repeated: bool) -> str:
    """A chain of full outer joins, so that whatever does not match can be counted and named."""
    keys = ["id", "rep"] if repeated else ["id"]
    chain = f"({selects[0]}) p0"
    for place in range(1, len(selects)):
        chain += f" full outer join ({selects[place]}) p{place} using ({', '.join(keys)})"
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
    columns: Mapping[str, DatabaseColumn],
    shared: Mapping[Role, Sequence[tuple[str, str]]],
    *,
    by_position: bool,
    policy: OnMismatch,
) -> tuple[Note, ...]:
    """Refuse missing, repeated and unmatched ids and values on which the files disagree."""
    titles = [part.title for part in parts]
    places = range(len(titles))
    matched = " and ".join(f"r{place} is not null" for place in places)
    terms = [f"count(*) filter ({matched})", "count(*)"]
    for place in places:
        terms += [
            f"count(r{place})",
            f"coalesce(max(r{place}), 0)",
            f"count(*) filter (r{place} is not null and id is null)",
        ]
    common, every, *counts = run(f"select {', '.join(terms)} from joined").fetchall()[0]  # noqa: S608
    for place in places:
        seen, size, nameless = counts[3 * place : 3 * place + 3]
        if nameless:
            refuse_nameless(run, parts[place])
        # a row is repeated by the join exactly if another file has its id twice
        if seen > size:
            _refuse_repeats(run, titles)
    if by_position and common < every:
        sizes = ", ".join(f"{t} has {counts[3 * p + 1]:,}" for p, t in enumerate(titles))
        raise EvidenceError(f"pairing by position needs equal numbers of rows; {sizes}")
    absent = [absent_from(run, titles[p], p, every - counts[3 * p]) for p in places]
    notes = settle_mismatch(absent, every=every, common=common, policy=policy)
    for role, listed in shared.items():
        if len(listed) > 1:
            _check_agreement(run, role, listed, columns, matched)
    return notes


def refuse_nameless(run: Run, part: FilePart) -> None:
    """Refuse a file for its rows without an id, with the line of the first."""
    rows = DatabaseRows(run, part.sql, part.columns, (part.title,))
    name = part.roles["id"]
    first, _ = rows.place(name, is_missing)
    refuse_missing_ids(part.title, rows.distinct([name])[1], first)


def _refuse_repeats(run: Run, titles: Sequence[str]) -> None:
    for place, title in enumerate(titles):
        query = (
            f"select id, count(distinct r{place}) as times from joined "  # noqa: S608
            f"where r{place} is not null group by id having times > 1"
        )
        count = run(f"select count(*) from ({query})").fetchall()[0][0]  # noqa: S608
        if count:
            first = run(f"{query} order by times desc, id limit {_NAMED}").fetchall()
            refuse_repeated_ids(title, count, first)


def absent_from(run: Run, title: str, place: int, count: int) -> Absent:
    if not count:
        return Absent(title, 0, ())
    query = f"select id from joined where r{place} is null order by id limit {_NAMED}"  # noqa: S608
    return Absent(title, count, tuple(str(row[0]) for row in run(query).fetchall()))


def _check_agreement(
    run: Run,
    role: Role,
    listed: Sequence[tuple[str, str]],
    columns: Mapping[str, DatabaseColumn],
    matched: str,
) -> None:
    """Values of a shared column must agree; only rows whose texts differ are looked at."""
    texts = [as_text(columns[name]) for _, name in listed]
    differ = " or ".join(f"{texts[0]} is distinct from {text}" for text in texts[1:])
    gaps = " or ".join(f"{text} is null" for text in texts)
    cursor = run(
        f"select {', '.join(texts)}, count(*), min(id::varchar) from joined "  # noqa: S608
        f"where {matched} and ({differ} or {gaps}) group by {', '.join(texts)}"
    )
    wrong: list[tuple[Any, ...]] = []
    while rows := cursor.fetchmany(10_000):
        wrong += [row for row in rows if not same_value(row[:-2])]
    if wrong:
        first = sorted((str(row[-1]), row[:-2]) for row in wrong)[:3]
        refuse_conflict(role, [title for title, _ in listed], sum(r[-2] for r in wrong), first)
