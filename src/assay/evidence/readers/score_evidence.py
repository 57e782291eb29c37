"""Scores from tables that are laid out: by column, by row, or a row for every model and place."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import EvidenceError, UsageError
from assay.core.measure_names import better_side
from assay.core.notes import Note, note
from assay.evidence.cell_text import is_missing, number_of, quoted
from assay.evidence.names import KNOWN, RIGHT, TRAINING, is_description, plain
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.row_filter import filtered, values_of, without
from assay.evidence.readers.source_tables import Table
from assay.evidence.readers.split_design import places_of
from assay.evidence.scores import KEYS, RepeatedScores, Scores
from assay.evidence.told import Told

MOST_KINDS = 20
"""Columns of more different words name rows, not parts of a table."""


def scores_of(laid: Sequence[Layout], told: Told) -> Scores:
    """The scores of a table, or of a table for each model; of every slice too, where asked for."""
    tables = [layout.table for layout in laid]
    if told.slice is None:
        return _scores(laid, tables, told)
    by = told.slice
    try:
        whole = _scores(laid, [without(table, by) for table in tables], told)
    except EvidenceError as error:
        raise EvidenceError(
            f"without column {by!r} the scores do not make one table ({error}): slices share their "
            f"data sets; look at one of them with where='{by}=VALUE'"
        ) from None
    parts = {
        value: _scores(laid, filtered(tables, {by: value}), replace(told, unit=whole.unit))
        for value in values_of(tables[0], by)
    }
    return replace(whole, slices=tuple(parts.items()))


def _scores(laid: Sequence[Layout], tables: Sequence[Table], told: Told) -> Scores:
    pairs = [(layout, table.held()) for layout, table in zip(laid, tables, strict=True)]
    records = [record for layout, table in pairs for record in _records(layout, table, told)]
    notes = tuple(one for layout in laid for one in _notes(layout))
    titles = [table.title for table in tables]
    try:
        return Scores.from_records(
            records, unit=told.unit, models=_models(told), sources=titles, notes=notes
        )
    except RepeatedScores as error:
        raise EvidenceError(f"{error}{_which_rows(laid[0], tables[0])}") from None


def _models(told: Told) -> list[str] | None:
    if isinstance(told.models, Mapping):
        raise UsageError("models= of scores is a list of names")
    return told.listed


def _notes(layout: Layout) -> tuple[Note, ...]:
    notes = []
    left_out = [name for name in layout.left_out() if plain(name) not in KNOWN["id"]]
    if left_out:
        notes.append(note("columns-left-out", columns=quoted(left_out)))
    if layout.summary_rows:
        notes.append(note("summary-left-out", rows=quoted(layout.summary_rows)))
    return tuple(notes)


def _records(layout: Layout, table: Table, told: Told) -> Iterator[dict[str, Any]]:
    if layout.shape == "models in rows":
        yield from _by_row(layout, table, told)
        return
    placed = _placed(layout, table, told)
    kept = [row for row in range(len(placed)) if not _is_summary(layout, placed[row])]
    for column in layout.score_columns:
        numbers = _numbers(table, column)
        for row in kept:
            if math.isnan(numbers[row]):
                continue
            place = placed[row]
            if layout.shape == "scores":
                model, measure = layout.cells.get(column, (column, told.measure or "score"))
                found = {**place, "model": model, "measure": place.get("measure") or measure}
                if column in layout.runs:
                    found["model"], key, number = layout.runs[column]
                    found[key] = number
            else:
                measure = place.get("measure") or _measure(layout, column)
                found = {**_of_model(layout, table, place), "measure": measure}
            yield {**found, "score": numbers[row]}


def _of_model(layout: Layout, table: Table, place: Mapping[str, Any]) -> dict[str, Any]:
    """The place of a score with its model; a table of one model is named after its file."""
    if layout.model_column is not None:
        return dict(place)
    return {**place, "model": table.stem or "model"}


def _measure(layout: Layout, column: str) -> str:
    """What scores are called: as their column, or as told where it is the only one and says nothing."""
    told = layout.told.measure
    silent = layout.score_columns == [column] and better_side(column) is None
    if told is not None and silent and not is_description(column):
        return told
    if told != column and plain(column) in RIGHT and layout.column(column).is_binary:
        return "accuracy"  # the mean of right and wrong
    return column if column.lower() != "value" else "score"


def _by_row(layout: Layout, table: Table, told: Told) -> Iterator[dict[str, Any]]:
    """A row per model: every column of numbers is a data set."""
    names = [str(cell) for cell in _cells(table, str(layout.model_column))]
    unit = layout.told.unit if layout.told.unit in KEYS else "dataset"
    columns = layout.score_columns
    places = [{unit: column} for column in columns]
    if unit == "fold":
        places = places_of(len(columns), told, None)
    for column, place in zip(columns, places, strict=True):
        for model, value in zip(names, _numbers(table, column), strict=True):
            if not math.isnan(value):
                yield {
                    **place,
                    "model": model,
                    "measure": layout.told.measure or "score",
                    "score": value,
                }


def _cells(table: Table, name: str) -> list[Any]:
    return list(table.loaded([name])[name].tolist())


def _numbers(table: Table, name: str) -> list[float]:
    numbers = []
    for place, value in enumerate(_cells(table, name)):
        number = math.nan if is_missing(value) else number_of(value)
        if number is None or math.isinf(number):
            raise EvidenceError(
                f"column {name!r} of {table.title} has {value!r} in row {place + 1}: a number is needed; "
                f"leave the column out with ignore={name!r}, or repair it"
            )
        numbers.append(number)
    return numbers


def _placed(layout: Layout, table: Table, told: Told) -> list[dict[str, Any]]:
    """What is known of every row: its data set, fold, repeat, seed, model and sizes."""
    places: dict[str, str] = {
        str(place): name for place, name in layout.places.items() if name in table.names
    }
    if layout.model_column is not None:
        places["model"] = layout.model_column
    columns = {place: _cells(table, name) for place, name in places.items()}
    size = len(_cells(table, table.names[0]))
    rows = [{place: values[row] for place, values in columns.items()} for row in range(size)]
    for row in rows:
        for name in ("n_train", "n_test"):
            if name in row:
                row[name] = number_of(row[name])
    if not any(key in places for key in KEYS):
        unit = told.unit if told.unit in KEYS else "dataset"
        for row, name in zip(rows, _row_names(layout, table, rows), strict=True):
            row[unit] = name
    _place_splits(layout, rows, told)
    return rows


def _place_splits(layout: Layout, rows: Sequence[dict[str, Any]], told: Told) -> None:
    """The design of splits that only have a number; asked for where they may be anything."""
    told_apart = {"repeat", "seed", "dataset", "n_test"} & set(layout.places)
    if told_apart or any("fold" not in row for row in rows):
        return
    numbers = list(dict.fromkeys(str(row["fold"]) for row in rows))
    places = dict(zip(numbers, places_of(len(numbers), told, None), strict=True))
    for row in rows:
        row.update(places[str(row["fold"])])


def _row_names(layout: Layout, table: Table, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of rows: a column of them, or their numbers, counted for every model by itself."""
    if layout.row_names is not None and layout.row_names in table.names:
        return [str(cell) for cell in _cells(table, layout.row_names)]
    seen: dict[str, int] = {}
    names = []
    for row in rows:
        model = str(row.get("model", ""))
        seen[model] = seen.get(model, 0) + 1
        names.append(f"row {seen[model]}")
    return names


def _is_summary(layout: Layout, place: Mapping[str, Any]) -> bool:
    return bool(layout.summary_rows) and any(
        str(place.get(key)) in layout.summary_rows for key in KEYS
    )


def _which_rows(layout: Layout, table: Table) -> str:
    """The filter to type, where a column tells repeated scores apart: of steps the last one."""
    steps = [name for name in table.names if plain(name) in TRAINING]
    if steps and layout.column(steps[0]).is_numeric:
        last = shlex.quote(f"{steps[0]}={layout.column(steps[0]).high:g}")
        return f". {steps[0]!r} follows the training: type `--where {last}` for its end"
    taken = (*layout.places.values(), *layout.score_columns, layout.model_column)
    for name in table.names:
        if name in taken or (
            layout.column(name).is_numeric and not layout.column(name).repeats_few
        ):
            continue
        words = list(dict.fromkeys(map(str, _cells(table, name))))
        if 1 < len(words) <= MOST_KINDS:
            chosen = shlex.quote(f"{name}={words[0]}")
            return f". {name!r} has {quoted(words)}: type `--where {chosen}` for the first of them"
    return ""
