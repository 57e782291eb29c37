"""Tables of predictions in any form, recognised and joined by item."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, note
from assay.evidence.cell_text import id_text, quoted
from assay.evidence.evidence_summary import counted_evidence
from assay.evidence.model_columns import ModelColumns
from assay.evidence.names import names_items, names_raters
from assay.evidence.prediction_assembly import settle
from assay.evidence.predictions import Origin, Predictions, Unpaired
from assay.evidence.profile import AFFIRMED, OUTCOMES, Profile
from assay.evidence.readers.doubts import doubt_items
from assay.evidence.readers.empty_cells import without_gaps
from assay.evidence.readers.item_join import join_files, join_frames
from assay.evidence.readers.item_join_memory import Joined, JoinedPart, align
from assay.evidence.readers.item_join_query import FilePart
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.pivot import pivot_file
from assay.evidence.readers.rows_in_time import blocks_in_time, in_blocks
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.reading_options import ModelsGiven, OnMismatch, Told

RIGHT = "1 for a right answer"
"""The column that stands for the truth where values say right or wrong."""


def predictions_of(laid: Sequence[Layout], told: Told) -> Predictions | Unpaired:
    """Predictions from tables that are laid out, joined by item id unless by position."""
    intersected = told.missing == "complete" and len(laid) > 1
    policy: OnMismatch = "intersect" if intersected else told.on_mismatch
    by_position = told.id is False
    notes: tuple[Note, ...] = ()
    for layout in laid:
        notes += _prepared(layout, told)
        if "repeat" in layout.roles:
            notes += _pooled_raters(layout)
        notes += _left_out(layout)
    if by_position:
        _refuse_other_order(laid)
        for layout in (one for one in laid if one.told.id is False):  # else its rows were numbered
            layout.roles = {role: name for role, name in layout.roles.items() if role != "id"}
    values = laid[0].values
    classes = _outcomes(laid) if values == "right" else ()
    if values is not None and any(layout.values != values for layout in laid):
        raise _mixed_values(laid)
    if not told.paired:
        apart = _unpaired(laid, told, classes, notes)
        return apart if values is None else _described_apart(apart, laid)

    def settled() -> Predictions:
        joined = _joined(laid, told.models, by_position=by_position, policy=policy)
        models = joined.models
        if told.models is not None and len(laid) > 1:
            models = _in_order(models, told.models, laid)
        said: dict[str, Any] = {"positive": told.positive, "measure": told.measure}
        said["notes"] = (*notes, *joined.notes)
        return settle(joined.rows, joined.roles, models, classes=classes, **said)

    found = settled()
    spare = any("id" in one.roles or set(one.columns) - {*one.used()} for one in laid)
    blocks = blocks_in_time(found, laid) if spare else None  # else no column can be a date
    if blocks is not None:
        for layout in laid:
            in_blocks(layout, blocks)
        notes = (*(one for one in notes if one.code != "columns-left-out"), blocks.said)
        notes += tuple(one for layout in laid for one in _left_out(layout))
        found = settled()
    return found if values is None else _described(found, laid)


def _mixed_values(laid: Sequence[Layout]) -> UsageError:
    kinds = {str(layout.values): layout.title for layout in laid}
    held = ", ".join(f"{title} holds {kind}" for kind, title in kinds.items())
    return UsageError(
        f"the files hold different kinds of values ({held}). Use one kind, or say what the "
        "numbers are with correct=True or losses=True"
    )


def _refuse_other_order(laid: Sequence[Layout]) -> None:
    """Refuse to pair rows by position where ids that all tables have stand in another order."""
    first, *rest = laid
    shared = [n for n in first.table.names if all(n in one.table.names for one in rest)]
    for name in shared if rest else ():
        cells = [list(map(id_text, one.table.loaded([name])[name].tolist())) for one in laid]
        names = names_items(name) and len(set(cells[0])) == len(cells[0])
        if names and any(c != cells[0] and sorted(c) == sorted(cells[0]) for c in cells):
            raise UsageError(
                f"the ids in column {name!r} are the same in all files but in a different order. "
                f"Join the files by it (id={name!r}) instead of by position"
            )


def _prepared(layout: Layout, told: Told) -> tuple[Note, ...]:
    """Gaps treated as told, and a truth beside right and wrong answers."""
    columns = [name for of in layout.models.values() for name in of.used()]
    known = layout.roles.values() if told.missing == "complete" else ()
    gappy = dict.fromkeys([*columns, *(name for name in known if name in layout.table.names)])
    rows = layout.summary_rows
    notes: tuple[Note, ...] = (note("summary-left-out", rows=quoted(rows)),) if rows else ()
    if gappy and told.missing in ("complete", "wrong"):
        layout.table, said = without_gaps(layout.table, [*gappy], told.missing)
        notes += said
    if layout.values == "losses":
        for name in columns:
            layout.table = _numbered(layout.table, name, layout.column(name))
    if layout.values == "right":
        right = _right_text(layout, columns)
        layout.table = layout.table.with_column(RIGHT, right)
        layout.roles["truth"] = RIGHT
        layout.models = {
            model: replace(of, losses=None, bare=None, labels=of.losses or of.bare)
            for model, of in layout.models.items()
        }
    return notes


def _numbered(table: SourceTable, name: str, column: Profile) -> SourceTable:
    """The table with 1 for yes, or for wrong, where words of a column say which answers are bad."""
    if column.is_numeric or not column.may_be_outcome:
        return table
    words = {word: word.strip().lower() for word in (*table.all_words(name), *column.levels)}
    bad = {yes if yes in AFFIRMED else no for no, yes in OUTCOMES if {*words.values()} <= {no, yes}}
    return table.respelt(name, {word: str(int(said in bad)) for word, said in words.items()})


def _pooled_raters(layout: Layout) -> tuple[Note, ...]:
    """That ratings of several people are averaged, where they are the repeats and no clusters."""
    raters = layout.roles["repeat"]
    if not names_raters(raters) or "cluster" in layout.roles:
        return ()
    return (note("raters-pooled", raters=raters, count=len(layout.column(raters).levels)),)


def _left_out(layout: Layout) -> tuple[Note, ...]:
    """Columns that somebody may have meant as models; another text in every row is none."""
    columns = [
        name
        for name in layout.left_out()
        if layout.column(name).is_numeric or not layout.column(name).is_unique
    ]
    if not columns:
        return ()
    return (note("columns-left-out", columns=quoted(columns), count=len(columns)),)


def _right_text(layout: Layout, columns: Sequence[str]) -> str:
    """How the cells write a right answer."""
    levels = (level for name in columns for level in layout.column(name).levels)
    seen = {level.strip().lower(): level for level in levels}
    for wrong, right in OUTCOMES:
        if set(seen) <= {wrong, right}:
            return seen.get(right, "True" if wrong == "false" else right)
    return "1"


def _outcomes(laid: Sequence[Layout]) -> tuple[str, ...]:
    """The two ways of an answer, both there although perhaps only one occurs."""
    seen = {
        level
        for layout in laid
        for of in layout.models.values()
        for name in of.used()
        for level in layout.columns[name].levels
    }
    if len(seen) == 2:
        return tuple(sorted(seen))
    return ("False", "True") if seen <= {"False", "True"} else ("0", "1")


def _described_apart(found: Unpaired, laid: Sequence[Layout]) -> Unpaired:
    """The same of models with items of their own, in one measure: shares only where all are."""
    parts = [_described(part, laid) for part in found.parts]
    named = [part.origin.measure for part in parts if part.origin is not None]
    measure = "mean_rating" if "mean_rating" in named else next(iter(named), "")
    return Unpaired(
        parts=tuple(
            part
            if part.origin is None
            else replace(part, origin=replace(part.origin, measure=measure))
            for part in parts
        )
    )


def _described(found: Predictions, laid: Sequence[Layout]) -> Predictions:
    """Values by item know the measure that fits them."""
    first = laid[0]
    if first.values == "right":
        used = [name for of in first.models.values() for name in of.used()]
        measure, said = "accuracy", f"{_right_text(first, used)} = right"
    elif first.values == "losses":
        measure, said = "mean_loss", "lower is better"
    else:
        doubt_items(found)
        low, high = _range(found)
        measure = "mean_score" if low >= 0.0 and high <= 1.0 else "mean_rating"
        said = "higher is better"
    called = first.told.measure or first.measure
    if first.values == "right" and first.told.measure is None:
        said += "; higher is better"
    named = f"{called}; " if called else ""
    origin = Origin(
        measure=measure, description=f"{_counted(found)}; {named}{said}.", called=called
    )
    return replace(found, origin=origin)


def _range(found: Predictions) -> tuple[float, float]:
    facts = found.rows.facts([str(found.columns_of[model].losses) for model in found.models])
    return min(one.low for one in facts.values()), max(one.high for one in facts.values())


def _counted(found: Predictions) -> str:
    return counted_evidence(found.n, "item", found.models)


def _joined(
    laid: Sequence[Layout], models: ModelsGiven, *, by_position: bool, policy: OnMismatch
) -> Joined:
    """One table of rows from one layout or several."""
    first = laid[0]
    if len(laid) == 1 and first.model_column is None:
        return Joined(
            rows=first.table.rows(first.used()),
            roles=dict(first.roles),
            models=dict(first.models),
            notes=(),
        )
    long = any(layout.model_column is not None for layout in laid)
    by_position = by_position and not long  # of a long table the rows of each model were numbered
    if not by_position:
        _require_ids(laid)
    if not long and all(layout.table.frame is not None for layout in laid):
        if by_position:
            raise UsageError("the rows of a cluster have no order; join them by id, with id=")
        return join_frames(laid, policy=policy)
    run = first.table.run
    if run is not None and all(layout.table.file is not None for layout in laid):
        if not long:
            parts = [_file_part(layout) for layout in laid]
            return join_files(run, parts, by_position=by_position, policy=policy)
        if len(laid) == 1:
            names = _long_models(first, models)
            return pivot_file(run, _file_part(first), names, str(first.model_column), policy=policy)
    return align(
        [part for layout in laid for part in _memory_parts(layout, models)],
        by_position=by_position,
        policy=policy,
    )


def _require_ids(laid: Sequence[Layout]) -> None:
    for layout in laid:
        if "id" not in layout.roles:
            names = [name for name in layout.table.names if name != RIGHT]
            whose = (
                "all sources have their rows"
                if layout.model_column is None
                else "each model has its rows"
            )
            raise EvidenceError(
                f"{layout.title} has no column of item ids, so its rows cannot be paired. It has {quoted(names, 20)}; "
                f"name one with id=. If {whose} in the same order, as many of each, id=False pairs them by position. "
                "If the models were tested on different items, add paired=False"
            )


def _file_part(layout: Layout) -> FilePart:
    file = layout.table.file
    if file is None:
        raise UsageError(f"{layout.title} is not a file")
    return FilePart(
        title=layout.title,
        sql=file.sql,
        columns={name: file.column(name) for name in file.names},
        roles=layout.roles,
        models=layout.models,
        countable=file.format == "parquet",
    )


def _long_models(layout: Layout, models: ModelsGiven) -> list[str]:
    """The models of a long table: those asked for, else all."""
    if not layout.models:
        raise EvidenceError(f"{layout.title} has a column 'model' but no predictions beside it")
    if isinstance(models, Mapping):
        raise UsageError("in long form models= is a list of names, not a mapping to columns")
    known = layout.model_names()
    if models is None:
        return known
    asked = [models] if isinstance(models, str) else list(models)
    unknown = [model for model in asked if model not in known]
    if unknown:
        raise EvidenceError(
            f"{layout.title} has no model {quoted(unknown)}; it has {quoted(known)}"
        )
    return asked


def _memory_parts(layout: Layout, models: ModelsGiven) -> list[JoinedPart]:
    """A layout in memory; a long one as one part per model."""
    names = layout.used()
    if layout.model_column is None:
        part = JoinedPart(
            title=layout.title,
            arrays=layout.table.loaded(names),
            roles=layout.roles,
            models=layout.models,
            lines=layout.table.lines,
        )
        return [part]
    arrays = layout.table.loaded([*names, layout.model_column])
    of_row = np.array(
        [id_text(value) for value in arrays[layout.model_column].tolist()], dtype=object
    )
    (columns,) = layout.models.values()
    parts = []
    for model in _long_models(layout, models):
        mine = np.flatnonzero(of_row == model)
        parts.append(
            JoinedPart(
                title=f"{layout.title}, model {model!r},",
                arrays={name: arrays[name][mine] for name in names},
                roles=layout.roles,
                models={model: columns},
                lines=layout.table.taken(mine).lines,
                source=layout.title,
            )
        )
    return parts


def _in_order(
    found: Mapping[str, ModelColumns], models: str | Iterable[str], laid: Sequence[Layout]
) -> dict[str, ModelColumns]:
    """The models asked for by name; with one model per source, names given in the order of sources."""
    asked = [models] if isinstance(models, str) else list(models)
    if all(model in found for model in asked):
        return {model: found[model] for model in asked}
    if len(asked) == len(found) == len([layout for layout in laid if len(layout.models) == 1]):
        return dict(zip(asked, found.values(), strict=True))
    unknown = [model for model in asked if model not in found]
    columns = {name for layout in laid for of in layout.models.values() for name in of.used()}
    if {*unknown} <= columns:  # the column that every file has, under the names of the files
        return dict(found)
    raise EvidenceError(f"no model {quoted(unknown)}; the sources have {quoted(found, 20)}")


def _unpaired(
    laid: Sequence[Layout], told: Told, classes: Sequence[str], notes: tuple[Note, ...]
) -> Unpaired:
    """Each source, or each model of a long table, with its own items."""
    models = told.models
    options: dict[str, Any] = {"positive": told.positive, "classes": classes, "notes": notes}
    options["measure"] = told.measure
    if len(laid) > 1 and all(layout.model_column is None for layout in laid):
        found = {model: of for layout in laid for model, of in layout.models.items()}
        ordered = found if models is None else _in_order(found, models, laid)
        names = dict(zip(found, ordered, strict=False))
        parts = []
        for layout in laid:
            mine = {names.get(model, model): of for model, of in layout.models.items()}
            parts.append(settle(layout.table.rows(layout.used()), layout.roles, mine, **options))
        return Unpaired(parts=tuple(parts))
    if len(laid) == 1 and laid[0].model_column is None:
        raise UsageError("paired=False needs a source for each model, or one table in long form")
    split = [part for layout in laid for part in _memory_parts(layout, models)]
    return Unpaired(parts=tuple(_part_alone(part, options) for part in split))


def _part_alone(part: JoinedPart, options: Mapping[str, Any]) -> Predictions:
    joined = align([part], by_position="id" not in part.roles, policy="error")
    return settle(joined.rows, joined.roles, joined.models, **options)
