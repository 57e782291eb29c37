"""Scores from tables that are laid out: by column, by row, or a row for every model and place."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.measure_names import better_side
from assay.core.notes import Note, note
from assay.core.questions import AmbiguousEvidence
from assay.core.wording import either
from assay.evidence.cell_text import number_of, quoted
from assay.evidence.column_kinds import Survey, check_numbers
from assay.evidence.names import KNOWN, RIGHT, TRAINING, is_description, plain
from assay.evidence.open_questions import what_of_failed_runs, which_design, which_kinds
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.row_filter import filtered, values_of, without
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.readers.split_design import is_assumed, places_of
from assay.evidence.reading_options import Told
from assay.evidence.score_columns import KEYS, NameColumn, ScoreColumns
from assay.evidence.scores import RepeatedScores, Scores

MOST_KINDS = 20
"""Columns of more different words name rows, not parts of a table."""


def scores_of(laid: Sequence[Layout], told: Told) -> Scores:
    """The scores of a table, or of a table for each model; of every slice too, where asked for."""
    tables = [layout.table for layout in laid]
    if told.slice is None:
        return _scores(laid, tables, told)
    by = told.slice
    if any(by == layout.model_column or by in layout.score_columns for layout in laid):
        raise UsageError(f"{by!r} names or scores the models: slice= takes a column beside them")
    try:
        whole = _scores(laid, [without(table, by) for table in tables], told)
    except EvidenceError as error:
        raise EvidenceError(
            f"without column {by!r} the scores do not make one table ({error}). Slices must share "
            f"their data sets; choose one slice with where='{by}=VALUE'"
        ) from None
    parts = {
        value: _scores(laid, filtered(tables, {by: value}), replace(told, unit=whole.unit))
        for value in values_of(tables[0], by)
    }
    return replace(whole, slices=tuple(parts.items()))


def _scores(laid: Sequence[Layout], tables: Sequence[SourceTable], told: Told) -> Scores:
    pairs = [(layout, _held(layout, table)) for layout, table in zip(laid, tables, strict=True)]
    parts = [part for layout, table in pairs for part in _parts(layout, table, told)]
    columns = ScoreColumns.joined(parts or [ScoreColumns.from_records([])])
    notes = tuple(one for layout in laid for one in _notes(layout))
    titles = [table.title for table in tables]
    try:
        scores = Scores.from_columns(
            columns, unit=told.unit, models=_models(told), sources=titles, notes=notes
        )
    except RepeatedScores as error:
        if named := _may_name_models(laid[0], tables[0]):
            raise AmbiguousEvidence([which_kinds(titles[0], error.what, named)]) from None
        raise EvidenceError(f"{error}{_which_rows(laid[0], tables[0])}") from None
    if scores.unit == "seed" and told.missing == "refuse":  # of other units the comparison asks
        for layout, table in pairs:
            _ask_about_failed_runs(layout, table, scores.models)
    return scores


def _ask_about_failed_runs(layout: Layout, table: SourceTable, models: Sequence[str]) -> None:
    """Ask what runs without a score are: leaving them out favours a model whose runs fail."""
    wanted = [*layout.score_columns] if layout.shape != "models in rows" else []
    if layout.model_column is not None:
        measure = layout.told.measure
        wanted = [
            name for name in wanted if len(wanted) == 1 or plain(name) == plain(measure or "")
        ]
        named = np.array(list(map(str, _cells(table, layout.model_column))))
        used = np.isin(named, models)
    else:
        wanted = [name for name in wanted if _model_of(layout, name) in models]
        used = np.ones(len(_cells(table, table.names[0])), dtype=np.bool_)
    blank = [(name, np.flatnonzero(np.isnan(_numbers(table, name)) & used)) for name in wanted]
    failed = [(name, rows) for name, rows in blank if rows.size]
    if failed:
        count, (name, rows) = sum(rows.size for _, rows in failed), failed[0]
        first = f"column {name!r}, row {rows[0] + 1}"
        raise AmbiguousEvidence([what_of_failed_runs(table.title, count, first)])


def _held(layout: Layout, table: SourceTable) -> SourceTable:
    """The table in memory; columns of a file that are scores throughout come as numbers, without their texts."""
    if table.file is None:  # columns nobody asked for stay on a cluster
        return table if table.frame is not None else table.in_memory()
    columns = [name for name in layout.score_columns if name in table.names]
    found = zip(columns, table.rows(columns).numbers(columns), strict=True)
    numbers = {name: column for name, column in found if np.isfinite(column).all()}
    others = table.loaded([name for name in table.names if name not in numbers])
    return replace(table, file=None, run=None, arrays={**others, **numbers})


def _model_of(layout: Layout, column: str) -> str:
    """Whose scores a column holds, in a table with a column for each model or each run of one."""
    run = layout.runs.get(column)
    return run[0] if run else layout.cells.get(column, (column, ""))[0]


def _models(told: Told) -> list[str] | None:
    if isinstance(told.models, Mapping):
        raise UsageError("models= of scores is a list of names")
    return told.listed


def _notes(layout: Layout) -> tuple[Note, ...]:
    notes = []
    left_out = [name for name in layout.left_out() if plain(name) not in KNOWN["id"]]
    if left_out:
        notes.append(note("columns-left-out", columns=quoted(left_out), count=len(left_out)))
    if layout.summary_rows:
        notes.append(note("summary-left-out", rows=quoted(layout.summary_rows)))
    splits = layout.table.rows().size()
    if layout.told.unit == "fold" and not layout.places and is_assumed(splits, layout.told, None):
        notes.append(note("folds-assumed", splits=splits))
    return tuple(notes)


def _parts(layout: Layout, table: SourceTable, told: Told) -> Iterator[ScoreColumns]:
    """The scores of one column after the other, each with what is known of its rows."""
    if layout.shape == "models in rows":
        yield from _by_row(layout, table, told)
        return
    placed = _placed(layout, table, told)
    summary = _are_summaries(layout, placed)
    for column in layout.score_columns:
        numbers = _numbers(table, column)
        found = {**placed, **_of_column(layout, table, column, told)}
        measure = NameColumn.same(str(found["measure"]), numbers.size)
        found["measure"] = placed["measure"].other(measure) if "measure" in placed else measure
        missing = np.isnan(numbers) | summary
        scores = ScoreColumns.of(numbers, found)
        yield scores.at(~missing) if missing.any() else scores


def _of_column(layout: Layout, table: SourceTable, column: str, told: Told) -> dict[str, Any]:
    """What the name of a column says: its model and measure, perhaps a seed or fold."""
    if layout.shape != "scores":
        # a table of one model is named after its file
        named = {} if layout.model_column is not None else {"model": table.stem or "model"}
        return {**named, "measure": _measure(layout, column)}
    model, measure = layout.cells.get(column, (column, told.measure or "score"))
    found: dict[str, Any] = {"model": model, "measure": measure}
    if column in layout.runs:
        found["model"], key, number = layout.runs[column]
        found[key] = number
    return found


def _measure(layout: Layout, column: str) -> str:
    """What scores are called: as their column, or as told where it is the only one and says nothing."""
    told = layout.told.measure
    silent = layout.score_columns == [column] and better_side(column) is None
    silent = silent and not is_description(column)
    if told is not None and (silent or plain(told) == plain(column)):
        return told
    if told != column and plain(column) in RIGHT and layout.column(column).is_binary:
        return "accuracy"  # the mean of right and wrong
    return column if column.lower() != "value" else "score"


def _by_row(layout: Layout, table: SourceTable, told: Told) -> Iterator[ScoreColumns]:
    """A row per model: every column of numbers is a data set."""
    names = NameColumn.of(map(str, _cells(table, str(layout.model_column))))
    measure = layout.told.measure or "score"
    unit = layout.told.unit if layout.told.unit in KEYS else "dataset"
    columns = layout.score_columns
    places = [{unit: column} for column in columns]
    if unit == "fold":
        places = places_of(len(columns), told, None)
    for column, place in zip(columns, places, strict=True):
        numbers = _numbers(table, column)
        found = ScoreColumns.of(numbers, {**place, "model": names, "measure": measure})
        yield found.at(~np.isnan(numbers))


def _cells(table: SourceTable, name: str) -> list[Any]:
    return list(table.loaded([name])[name].tolist())


def _numbers(table: SourceTable, name: str) -> FloatArray:
    """A column of numbers, NaN where a cell is empty."""
    rows = table.rows([name])
    (found,) = rows.numbers([name])
    if np.isnan(found).any():
        check_numbers(Survey(rows=rows), name, missing=True)
    return np.array(found)


def _placed(layout: Layout, table: SourceTable, told: Told) -> dict[str, Any]:
    """What is known of the rows: their data sets, folds, repeats, seeds, models and sizes."""
    places: dict[str, str] = {
        str(place): name for place, name in layout.places.items() if name in table.names
    }
    if layout.model_column is not None:
        places["model"] = layout.model_column
        layout.model_names()  # every row needs one
    placed: dict[str, Any] = {}
    for place, name in places.items():
        cells = _cells(table, name)
        sized = place in ("n_train", "n_test")
        placed[place] = (
            np.array([number_of(cell) for cell in cells], dtype=np.float64)
            if sized
            else NameColumn.of(map(str, cells) if place == "model" else cells)
        )
    if not any(key in places for key in KEYS):
        unit = told.unit if told.unit in KEYS else "dataset"
        placed[unit] = _row_names(layout, table, placed.get("model"))
    return {**placed, **_split_places(layout, placed.get("fold"), told)}


def _split_places(layout: Layout, folds: NameColumn | None, told: Told) -> dict[str, Any]:
    """The design of splits that only have a number; asked for where they may be anything."""
    told_apart = {"repeat", "seed", "dataset", "n_test"} & set(layout.places)
    if told_apart or folds is None or not folds.codes.size:
        return {}
    times = np.bincount(folds.codes)
    if layout.model_column is None and times.min() == times.max() > 1:
        # the same folds again, in rows that nothing else tells apart
        if told.folds != times.size or told.repeats not in (None, times[0]):
            raise AmbiguousEvidence([which_design(folds.codes.size, times.size)])
        before = (np.sum(folds.codes[:n] == one) for n, one in enumerate(folds.codes))
        return {"repeat": NameColumn.of(map(str, before))}
    places = places_of(len(folds.names), told, None)
    return {
        key: NameColumn.of([str(one[key]) for one in places]).at(folds.codes)
        if key in KEYS
        else np.array([one[key] for one in places])[folds.codes]
        for key in places[0]
    }


def _row_names(layout: Layout, table: SourceTable, models: NameColumn | None) -> NameColumn:
    """Names of rows: a column of them, or their numbers, counted for every model by itself."""
    if layout.row_names is not None and layout.row_names in table.names:
        return NameColumn.of(map(str, _cells(table, layout.row_names)))
    size = len(_cells(table, table.names[0]))
    seen: Counter[str] = Counter()
    names = []
    for model in models or [""] * size:
        seen[model] += 1
        names.append(f"row {seen[model]}")
    return NameColumn.of(names)


def _are_summaries(layout: Layout, placed: Mapping[str, Any]) -> BoolArray:
    """The rows that sum up others, such as their mean."""
    columns = [placed[key].are(*layout.summary_rows) for key in KEYS if key in placed]
    return np.asarray(np.logical_or.reduce(columns))


def _which_rows(layout: Layout, table: SourceTable) -> str:
    """The filter to type, where a column tells repeated scores apart: of steps the last one."""
    steps = [name for name in table.names if plain(name) in TRAINING]
    if steps and layout.column(steps[0]).is_numeric:
        last = _option("where", f"{steps[0]}={layout.column(steps[0]).high:g}")
        runs = _option("repeat", steps[0])
        return f". {steps[0]!r} counts training steps: add {last} for the last one, or {runs} if it numbers runs"
    for name, words in _kinds(layout, table):
        chosen = _option("where", f"{name}={words[0]}")
        return f". {name!r} has {quoted(words)}: add {chosen} for the first of them"
    return ""


def _may_name_models(layout: Layout, table: SourceTable) -> list[str]:
    """Columns of words that may name the models, where none is known to; training steps come first."""
    if layout.model_column is not None or any(plain(name) in TRAINING for name in table.names):
        return []
    return [name for name, _ in _kinds(layout, table) if layout.column(name).style == "words"]


def _kinds(layout: Layout, table: SourceTable) -> Iterator[tuple[str, list[str]]]:
    """Columns without a part that sort the rows into a few kinds, each with its words."""
    taken = (*layout.places.values(), *layout.score_columns, layout.model_column)
    for name in table.names:
        column = layout.column(name)
        if name in taken or (column.is_numeric and not column.repeats_few):
            continue
        words = list(dict.fromkeys(map(str, _cells(table, name))))
        if 1 < len(words) <= MOST_KINDS:
            yield name, words


def _option(name: str, value: str) -> str:
    return either(f"{name}={value!r}", f"--{name} {shlex.quote(value)}")
