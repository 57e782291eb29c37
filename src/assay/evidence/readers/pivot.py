"""A long table (one row per item and model) as one row per item, inside DuckDB."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.core.errors import EvidenceError
from assay.core.notes import Note
from assay.evidence.cell_text import plural
from assay.evidence.model_columns import ModelColumns
from assay.evidence.names import Role
from assay.evidence.prediction_assembly import renamed
from assay.evidence.readers.item_join import absent_from, key_columns, matched, refuse_nameless
from assay.evidence.readers.item_join_memory import SHARED, Joined
from assay.evidence.readers.item_join_query import FilePart
from assay.evidence.readers.mismatch import (
    refuse_repeated_ids,
    settle_mismatch,
)
from assay.evidence.reading_options import OnMismatch
from assay.evidence.rows_sql import Run, SqlColumn, SqlRows, as_text, identifier, literal


def pivot_file(
    run: Run, part: FilePart, models: Sequence[str], model_column: str, *, policy: OnMismatch
) -> Joined:
    """One row per item with the columns of every model; ``model_column`` names the model."""
    (of,) = part.models.values()
    keys = ["id", "rep"] if "repeat" in part.roles else ["id"]
    shared = {role: part.roles[role] for role in SHARED if role in part.roles}
    columns: dict[str, SqlColumn] = {}
    found: dict[str, ModelColumns] = {}
    terms = list(keys)
    for place, model in enumerate(models):
        alias = {name: f"{place}:{name}" for name in of.used()}
        terms += _model_terms(place, model, alias)
        for name, other in alias.items():
            origin = f"column {name!r} of {part.title} for model {model!r}"
            columns[other] = replace(
                part.columns[name], sql=identifier(other), record=f"r{place}", origin=origin
            )
        found[model] = renamed(of, alias)
    for role, name in shared.items():
        terms += _shared_terms(role, replace(part.columns[name], sql=_inner(name)))
        columns[role] = replace(part.columns[name], sql=identifier(role), record="r0")
    known = ", ".join(map(literal, models))
    run(
        f"create temp table joined as select {', '.join(terms)} "  # noqa: S608
        f"from ({_inner_query(part, model_column)}) where model in ({known}) group by {', '.join(keys)}"
    ).fetchall()
    notes = _checked(run, part, models, list(shared), policy)
    table = f"(select * from joined where {matched(models)})" if notes else "joined"  # noqa: S608
    roles: dict[Role, str] = {role: role for role in shared}
    roles |= key_columns(columns, part, repeated="repeat" in part.roles)
    rows = SqlRows(run, table, columns, (part.title,), order=" order by r0")
    return Joined(rows=rows, roles=roles, models=found, notes=notes)


def _inner(name: str) -> str:
    return identifier(f"x:{name}")


def _inner_query(part: FilePart, model_column: str) -> str:
    """The long rows with their record number, id and model."""
    terms = [
        f"{next(iter(part.columns.values())).record} as r",
        f"{as_text(part.columns[part.roles['id']])} as id",
        f"{as_text(part.columns[model_column])} as model",
    ]
    if "repeat" in part.roles:
        terms.append(f"{as_text(part.columns[part.roles['repeat']])} as rep")
    terms += [f"{part.columns[name].sql} as {_inner(name)}" for name in part.used()]
    return f"select {', '.join(terms)} from {part.sql}"  # noqa: S608


def _model_terms(place: int, model: str, alias: Mapping[str, str]) -> list[str]:
    mine = f"filter (model = {literal(model)})"
    cells = [f"any_value({_inner(name)}) {mine} as {identifier(o)}" for name, o in alias.items()]
    return [f"min(r) {mine} as r{place}", f"count(*) {mine} as times{place}", *cells]


def _shared_terms(role: Role, column: SqlColumn) -> list[str]:
    """The value of an item, and whether its rows agree on it."""
    text = as_text(column)
    return [
        f"any_value({column.sql}) as {identifier(role)}",
        f"min({text}) is distinct from max({text}) as {identifier(f'different:{role}')}",
        f"count(*) - count({text}) as {identifier(f'missing:{role}')}",
    ]


def _checked(
    run: Run, part: FilePart, models: Sequence[str], shared: Sequence[Role], policy: OnMismatch
) -> tuple[Note, ...]:
    """Refuse missing, repeated and unmatched ids, and rows of an item that disagree."""
    places = range(len(models))
    terms = ["count(*)", f"count(*) filter ({matched(models)})", "count(*) filter (id is null)"]
    terms += [f"count(r{place})" for place in places]
    terms += [f"count(*) filter (times{place} > 1)" for place in places]
    every, common, nameless, *counts = run(f"select {', '.join(terms)} from joined").fetchall()[0]  # noqa: S608
    if nameless:
        refuse_nameless(run, part)
    titles = [f"{part.title}, model {model!r}," for model in models]
    for place in places:
        repeated = counts[len(models) + place]
        if repeated:
            query = (
                f"select id, times{place} from joined where times{place} > 1 "  # noqa: S608
                f"order by times{place} desc, id limit 5"
            )
            refuse_repeated_ids(titles[place], repeated, run(query).fetchall())
    absent = [absent_from(run, titles[p], p, every - counts[p]) for p in places]
    notes = settle_mismatch(absent, every=every, common=common, policy=policy)
    for role in shared:
        _check_agreement(run, role, part.title, matched(models))
    return notes


def _check_agreement(run: Run, role: Role, title: str, matched: str) -> None:
    different, missing = identifier(f"different:{role}"), identifier(f"missing:{role}")
    wrong = f"{matched} and ({different} or {missing} > 0)"
    count = run(f"select count(*) from joined where {wrong}").fetchall()[0][0]  # noqa: S608
    if count:
        query = f"select id, {missing} > 0 from joined where {wrong} order by id limit 3"  # noqa: S608
        first = ", ".join(
            f"item {item!r} has {'a row without one' if gap else 'several'}"
            for item, gap in run(query).fetchall()
        )
        raise EvidenceError(
            f"the rows of {title} disagree on the {role} of {plural(count, 'item')}: {first}"
        )
