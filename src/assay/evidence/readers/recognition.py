"""One table or several laid out: what a row is, who the models are, what remains to be asked."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NoReturn

import numpy as np

from assay.core.errors import EvidenceError, UsageError
from assay.core.measure_names import better_side
from assay.core.questions import Question
from assay.evidence import open_questions as ask
from assay.evidence.cell_text import quoted
from assay.evidence.model_columns import column_grammar
from assay.evidence.name_parts import models_by_measure, spread_of
from assay.evidence.names import (
    KNOWN,
    RIGHT,
    is_description,
    is_model_name,
    is_nameless,
    is_summary,
    may_be_truth,
    names_items,
    place_of,
    plain,
)
from assay.evidence.readers.dates import is_date
from assay.evidence.readers.graded_answers import leave_graded_answers
from assay.evidence.readers.item_layout import lay_out_items
from assay.evidence.readers.layout import (
    Layout,
    apart,
    check_told,
    first_nameless,
    model_column,
    place_by_cells,
    started,
    take_parts,
    truth_by_name,
    with_percent_columns,
)
from assay.evidence.readers.other_tables import (
    refuse_confusion,
    refuse_description,
    refuse_detections,
    refuse_measures,
    refuse_nested,
    refuse_report,
    refuse_signed_errors,
    refuse_totals,
)
from assay.evidence.readers.row_filter import filtered
from assay.evidence.readers.score_layout import (
    lay_out_long_scores,
    lay_out_models_in_rows,
    lay_out_scores,
)
from assay.evidence.readers.several_tables import (
    dealt,
    lay_out_several,
    named_by_file,
    names_of_files,
    refuse_twins,
)
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.readers.table_cleaning import tidied
from assay.evidence.readers.turned_tables import upright
from assay.evidence.readers.value_layout import classes_in_common, like_truths
from assay.evidence.readers.vote_tables import refuse_tallies, refuse_votes
from assay.evidence.reading_options import Told
from assay.evidence.scores import KEYS, NoScores

DATES = "its values are dates"
TASKS = ("task", "tasks", "task_name", "problem", "problems", "game", "env", "environment")
"""Names of what has a score on many items, or is one of them; a data set never is."""
SUBJECTS = frozenset({"subject", "topic", "task_id", "id", "no", "nr", "#", "index", "idx", "key"})
"""Names of items that may name or number data sets as well: the subjects of an examination."""
SHARES = frozenset({"accuracy", "acc", "auc", "auroc"})
_NAMES = attrgetter("names")
FEW_COLUMNS = 4
"""Columns up to which a row cannot be two models, or all that one said of some items."""
FEWEST_ANSWERS = 20
"""Tasks from which on 0 and 1 are answers to each rather than scores that happen to be round."""

OTHERS: tuple[tuple[Callable[[Layout], None], str, bool], ...] = (
    (refuse_measures, "words", True),
    (refuse_description, "summaries", True),
    (refuse_nested, "words", False),
    (refuse_votes, "words", False),
    (refuse_tallies, "words", False),
    (refuse_report, "summaries", False),
    (refuse_detections, "detections", False),
    (refuse_confusion, "few rows", False),
    (refuse_signed_errors, "negatives", False),
)
"""What holds no values of models: how it is told, what it needs to hold, and whether also where models are named."""


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # of any size: they are only judged
def recognised(tables: Sequence[SourceTable], told: Told) -> list[Layout]:
    """Every table laid out; several are tables of items, to be joined."""
    if sum(map(len, map(_NAMES, tables))) > FEW_COLUMNS * len(tables):
        tables, told = upright(tables, told)
    check_told(tables, told)
    if told.percent:
        told = with_percent_columns(tables, told)
    if told.models is not None and not told.models:
        raise UsageError("models= names no model")
    laid = []
    for table in tables:
        tidy = tidied(table if told.measure is None else _of_measure(table, told.measure), told)
        layout = started(tidy.table, told)
        layout.questions += tidy.questions
        layout.summary_rows += tidy.summary_rows
        for name, why in tidy.explained.items():
            layout.take(name, "description", why)
        for name in tidy.totals:
            layout.take(name, "total", "counts are divided by it")
        if told.ignore:
            _ignore(layout, several=len(tables) > 1)
        laid.append(layout)
    if len(laid) == 1:
        _lay_out(laid[0], laid[0].table.stem or names_of_files(laid)[0])
        return laid
    lay_out_several(laid, names_of_files(laid))
    laid = named_by_file(dealt(laid, told.models))
    refuse_twins(laid)
    return laid


def _of_measure(table: SourceTable, measure: str) -> SourceTable:
    """The rows of the measure that was asked for, where a column names measures and is not alone."""
    for name in table.names:
        if place_of(name) == "measure":
            words = [word for word in table.all_words(name) if plain(word) == plain(measure)]
            if words:
                (table,) = filtered([table], {name: words})
    return table


def _ignore(layout: Layout, *, several: bool) -> None:
    unknown = [name for name in layout.told.ignore if name not in layout.table.names]
    if unknown and not several:
        raise EvidenceError(
            f"{layout.title} has no column {unknown[0]!r} to ignore; it has {quoted(layout.table.names, 20)}"
        )
    for name in layout.told.ignore:
        if name in layout.table.names and name not in layout.why:
            layout.take(name, "left out", "told")


def _lay_out(layout: Layout, nameless: str) -> None:
    """One table: by the columns that name models, truth, items and places, in this order."""
    told, placed = layout.told, any(map(place_of, layout.table.names))
    if placed:
        _leave_dates(layout)
    take_parts(layout)
    _refuse_others(layout)
    model = model_column(layout)
    if not (told.models_in_rows or told.models or told.unit or truth_by_name(layout)):
        refuse_totals(layout)
    if told.models_in_rows:
        lay_out_models_in_rows(layout, model or _first_words(layout))
    elif model is not None:
        _lay_out_by_model(layout, model)
    elif truth_by_name(layout):
        if told.unit not in (None, "item"):
            _refuse_score_unit(layout)
        lay_out_items(layout, nameless)
        if placed:
            _ask_about_tasks(layout)
    elif _names_models(layout, first_nameless(layout)):
        lay_out_models_in_rows(layout, str(first_nameless(layout)))
    elif _is_of_items(layout):
        lay_out_items(layout, nameless)
    else:
        _refuse_item_options(layout)
        lay_out_scores(layout)
        _ask_about_turned(layout)
        placed = any(key in layout.places for key in KEYS) and not _numbers_items(layout)
        if not placed and told.unit is None:
            layout.questions.append(_unit_question(layout))
            silent = told.measure is None and told.lower_is_better is None
            if silent and not (layout.places or layout.cells):
                layout.questions.append(ask.which_direction("these numbers"))


def _refuse_others(layout: Layout) -> None:
    """Refuse tables that hold no values of models, asking only what may be so."""
    columns, names = list(layout.columns.values()), layout.table.names
    called = (*names, *(str(cell) for name in names[:1] for cell in layout.column(name).cells))
    held = {
        "summaries": not {"mean", "precision"}.isdisjoint(map(plain, called)),
        "words": not all(column.is_numeric for column in columns),
        "negatives": any(column.is_numeric and column.low < 0.0 for column in columns),
        "detections": any("tp" in name.lower() for name in names),
        "few rows": any(len(column.cells) <= len(columns) for column in columns),
    }
    for refuse, needed, always in OTHERS:
        if held[needed] and (always or layout.told.models is None):
            refuse(layout)
    if layout.told.models is None and "truth" not in layout.roles and truth_by_name(layout):
        leave_graded_answers([layout])


def _leave_dates(layout: Layout) -> None:
    """Dates are no data sets, though a column of them may be called data."""
    for name in layout.free():
        if place_of(name) == "dataset" and is_date(layout.column(name).levels):
            layout.take(name, "description", DATES)


def _names_models(layout: Layout, name: str | None) -> bool:
    """Whether the cells of a column are names of models, and the names of the other columns are not."""
    cells = [] if name is None else layout.column(name).present
    others = [n for n in layout.table.names if n != name and layout.column(n).is_numeric]
    words = [str(cell) for cell in cells]
    # a letter or a number may name a data set as well
    named = bool(words) and all(is_model_name(w) and w[1:] and not w.isdecimal() for w in words)
    return named and layout.told.unit is None and not any(map(is_model_name, others))


def _ask_about_turned(layout: Layout) -> None:
    """Ask where the column called dataset names models, and where all numbers are ranks."""
    if _names_models(layout, layout.places.get("dataset")):
        layout.questions.append(ask.which_unit(layout.title, items=False, in_rows=True))
    told = layout.told
    higher = told.measure is not None and better_side(told.measure) == "higher"
    if higher and told.lower_is_better is None and _are_ranks(layout):
        layout.questions.append(ask.which_direction("these numbers, which are ranks"))


def _numbers_items(layout: Layout) -> bool:
    """Whether folds come again and a column names every row: each may be an item with the fold it was tested in."""
    told, runs = layout.told, {"fold", "repeat", "seed", "dataset"} & set(layout.places)
    if runs != {"fold"} or told.folds or told.test_share or apart(layout, [layout.places["fold"]]):
        return False
    return any(names_items(n) and layout.column(n).is_unique for n in layout.table.names)


def _are_ranks(layout: Layout) -> bool:
    """Whether the numbers of every row rank its columns from 1."""
    values = np.array([layout.column(name).numbers for name in layout.score_columns])
    k = len(values)
    if k < 2 or not (values.min() >= 1.0 and values.max() <= k):
        return False
    return bool((values.sum(axis=0) == k * (k + 1) / 2).all())


def _unit_question(layout: Layout) -> Question:
    """What a row is; perhaps an item whose truth is one of the columns, perhaps a model."""
    rows = len(next(iter(layout.columns.values())).cells)
    in_rows = layout.row_names is not None and rows < len(layout.score_columns)
    truths = [*like_truths(layout, layout.score_columns), *layout.score_columns]
    truths.sort(key=lambda name: (not may_be_truth(name), not layout.column(name).is_binary))
    truths = truths if len(truths) <= rows else []
    if _sums_up_items(layout):
        return ask.which_unit(layout.title, items=False, in_rows=in_rows)
    return ask.which_unit(layout.title, in_rows=in_rows, truths=truths, scores=layout.score_columns)


def _first_words(layout: Layout) -> str:
    words = [n for n in layout.table.names if not layout.column(n).is_numeric]
    if not words:
        raise EvidenceError(f"no column of {layout.title} names the models in its rows")
    return words[0]


def _refuse_score_unit(layout: Layout) -> NoReturn:
    unit, truth = layout.told.unit, truth_by_name(layout)[0]
    raise NoScores(
        f"{layout.title} has a column {truth!r}, so it holds predictions of items. A comparison "
        f"over {unit}s needs scores of the models by {unit}. Leave out unit="
    )


def _refuse_item_options(layout: Layout) -> None:
    """Refuse what scores of models have no use for: it says that these are predictions."""
    told = layout.told
    asked = [role for role in ("truth", "weight", "count", "cluster") if getattr(told, role)]
    asked += ["positive"] if told.positive is not None else []
    if asked:
        raise UsageError(
            f"{asked[0]}= is for predictions of items; {layout.title} holds scores of "
            f"models. Leave out {asked[0]}=, or declare rows as items with unit='item'"
        )


def _ask_about_tasks(layout: Layout) -> None:
    """Predictions on several data sets: not one population of items without a word."""
    told = layout.told
    for name, (role, why) in layout.why.items():
        if role in ("description", "left out") and place_of(name) == "dataset" and why != DATES:
            words = layout.table.all_words(name)
            silent = not (told.slice or told.cluster or told.unit or told.models)
            if len(words) > 1 and silent and name not in told.ignore:
                layout.questions.append(ask.which_tasks(layout.title, name, words))


def _is_of_items(layout: Layout) -> bool:
    """Whether rows without a truth are items: said so, called so, or of right and wrong answers."""
    told = layout.told
    if told.unit is not None:
        return told.unit == "item"
    if _sums_up_items(layout):
        return False
    if told.cluster or (told.id and told.repeat):
        return True
    if _take_answered_tasks(layout, None):
        return True
    free = layout.free()
    placed = [n for n in free if place_of(n) in KEYS and plain(n) not in ("repeat", "seed", "rep")]
    if told.correct or told.losses or (told.measure == "mean_loss" and not placed):
        return True
    told_of = [layout.roles[role] for role in ("id", "cluster") if role in layout.roles]
    items = [n for n in (*free, *told_of) if names_items(n) and not is_nameless(n)]
    items = [n for n in items if not layout.column(n).in_unit or layout.column(n).is_whole]
    if _may_be_data_sets(layout, items):
        return False
    if (items or told.cluster) and not placed:
        return True
    if placed or any(plain(n) in KNOWN["repeat"] for n in free if place_of(n) is not None):
        return False
    if any(column_grammar(n)[1] == "losses" and column_grammar(n)[2] for n in free):
        return True
    if classes_in_common(layout):
        return True
    index = first_nameless(layout) or _numbered_rows(layout)
    columns = [layout.column(n) for n in free if n != index and not is_description(n)]
    valued = [column for column in columns if column.is_numeric or column.may_be_outcome]
    return bool(valued) and all(column.is_binary or column.may_be_outcome for column in valued)


def _take_answered_tasks(layout: Layout, model: str | None) -> bool:
    """Take tasks for items where each (of a model) has one answer, right or wrong, and no score."""
    tasks = [n for n in layout.free() if plain(n) in TASKS]
    others = [layout.column(n) for n in layout.free() if n not in (model, *tasks)]
    valued = [one for one in others if one.is_numeric or one.may_be_outcome]
    valued = [one for one in valued if one.is_outcome or not is_description(one.name)]
    if len(tasks) != 1 or not valued or not all(one.may_be_outcome for one in valued):
        return False
    many = len(layout.column(tasks[0]).cells) >= FEWEST_ANSWERS
    once = many and apart(layout, [*tasks, *([model] if model else [])])
    if once:
        layout.roles["id"] = tasks[0]
        layout.take(tasks[0], "id", "each has one answer")
    return once


def _sums_up_items(layout: Layout) -> bool:
    """Whether a row holds counts of many items, which were divided by their number."""
    return any(role == "total" for role, _ in layout.why.values())


def _may_be_data_sets(layout: Layout, items: Sequence[str]) -> bool:
    """Whether what names items by its name may name data sets, which have the shares that are there."""
    return bool(items) and {*map(plain, items)} <= SUBJECTS and _are_shares(layout)


def _are_shares(layout: Layout) -> bool:
    """Whether all numbers are fractions, and called or told to be what one item has none of: its accuracy is 0 or 1."""
    measure = layout.told.measure
    columns = [layout.column(n) for n in layout.free() if not is_description(n)]
    numbers = [one for one in columns if one.is_numeric and not (one.is_whole and one.is_unique)]
    called = [n for n in numbers if {*re.split("[_.]", plain(measure or n.name))} & SHARES]
    return bool(called) and not any(one.is_whole for one in called)


def _numbered_rows(layout: Layout) -> str | None:
    """The first column, where it numbers the rows: whole numbers, none of which comes twice."""
    first = next(iter(layout.free()), None)
    column = None if first is None else layout.column(first)
    return first if column and column.is_whole and column.is_unique else None


def _lay_out_by_model(layout: Layout, model: str) -> None:
    """A column names the models: one in every row, or once for each item or place."""
    if layout.told.unit in (None, "item"):
        _take_answered_tasks(layout, model)
    free = [name for name in layout.free() if name != model]
    numeric = [n for n in free if layout.column(n).is_numeric and not is_description(n)]
    placed = [n for n in free if place_of(n) in KEYS or place_by_cells(layout.column(n))]
    items = _item_columns(layout, model, placed)
    items += [layout.roles[role] for role in ("id", "cluster") if role in layout.roles]
    truth = truth_by_name(layout)
    sets = [
        n for n in items if layout.column(n).style == "words" and not layout.column(n).is_constant
    ]
    told = layout.told.unit == "dataset" and not truth
    if told and sets and all(place_of(n) != "dataset" for n in placed):
        layout.places["dataset"] = sets[0]
        layout.take(sets[0], "dataset", "told")
        placed, items = [*placed, sets[0]], []
    if _comes_once(layout, model) and not truth and not items and not placed:
        _ask_about_one_row(layout, model, numeric)
        lay_out_models_in_rows(layout, model)
        return
    of_items = truth or items or (not placed and _speaks_of_items(layout))
    if of_items and not (placed and layout.told.unit == "dataset"):
        layout.model_column = model
        layout.take(model, "model", "its cells name the models")
        layout.shape = "items by model"
        tasks = [n for n in placed if place_of(n) == "dataset"]
        if tasks and layout.told.unit is None and len(layout.column(tasks[0]).levels) > 1:
            layout.questions.append(ask.which_task_unit(layout.title, tasks[0]))
        lay_out_items(layout, "")
        return
    if _comes_once(layout, model):
        _ask_for_spread(layout, model)
    item = _repeated_item(layout, model, placed)
    if item is not None:
        layout.questions.append(ask.which_repeats(layout.title, item, placed[0]))
    lay_out_long_scores(layout, model)
    if items and "repeat" not in layout.places:
        layout.places["repeat"] = items[0]
    if not any(key in layout.places for key in KEYS) and layout.told.unit is None:
        layout.questions.append(
            ask.which_unit(layout.title, in_rows=len(numeric) > 1, scores=numeric)
        )


def _item_columns(layout: Layout, model: str, placed: Sequence[str]) -> list[str]:
    """The columns that name items which the models of a long table have in common."""
    free = [name for name in layout.free() if name != model and name not in placed]
    items = [n for n in free if names_items(n)]
    if len(layout.column(model).cells) > 1:
        items = [n for n in items if not layout.column(n).is_constant]
    if _comes_once(layout, model):  # what names a data set here may elsewhere name items
        items = [n for n in items if not layout.column(n).is_numeric]
    of_rows = [n for n in items if layout.column(n).is_unique]
    if placed and of_rows and apart(layout, (model, *placed)):  # an id of each row is one of a run
        items = [n for n in items if n not in of_rows]
    open_unit = layout.told.unit is None and _may_be_data_sets(layout, items)
    return [] if open_unit else items


def _comes_once(layout: Layout, model: str) -> bool:
    """Whether there is one row of each model, or one for each measure."""
    measures = [n for n in layout.table.names if place_of(n) == "measure"]
    measures = [n for n in measures if not layout.column(n).is_numeric]
    return len(layout.column(model).cells) > 1 and apart(layout, (model, *measures))


def _ask_about_one_row(layout: Layout, model: str, numeric: Sequence[str]) -> None:
    """Ask where the columns of a row for each model are measures; set1_acc, set2_acc … are data sets."""
    numeric = [name for name in numeric if not is_summary(name)]
    measures = {measure for _, measure in models_by_measure(numeric).values()}
    if len(measures) == 1 and layout.told.measure is None:
        layout.told = replace(layout.told, measure=measures.pop())
    elif len(numeric) < 2 or any(better_side(name) is not None for name in numeric):
        layout.take(model, "model", "its cells name the models")
        _ask_for_spread(layout, model)


def _ask_for_spread(layout: Layout, model: str) -> None:
    names = list(dict.fromkeys(str(cell) for cell in layout.column(model).present))
    every = layout.table.names
    columns = sum(layout.column(n).is_numeric and spread_of(n, every) is None for n in every)
    layout.questions.append(ask.one_score_each(layout.title, names, columns=columns))


def _speaks_of_items(layout: Layout) -> bool:
    """Whether a row that names a model and no item is an answer to one: said so, or right or wrong."""
    told = layout.told
    if told.unit is not None:
        return told.unit == "item"
    columns = [layout.column(name) for name in layout.free()]
    judged = [one for one in columns if one.may_be_outcome and not one.is_numeric]
    judged += [one for one in columns if plain(one.name) in RIGHT and one.is_binary]
    return bool(told.correct or told.losses or not told.paired or judged)


def _repeated_item(layout: Layout, model: str, placed: Sequence[str]) -> str | None:
    """The one column that must name items or tasks, as seeds (or folds) alone do not tell scores apart."""
    if len(placed) != 1 or place_of(placed[0]) == "dataset" or layout.told.unit is not None:
        return None
    cells = len(layout.column(model).levels) * len(layout.column(placed[0]).levels)
    rows = len(layout.column(model).cells)
    others = [name for name in layout.free() if name not in (model, *placed)]
    others = [name for name in others if place_of(name) != "measure"]
    wanted = [
        name
        for name in others
        if layout.column(name).style == "words" and rows <= cells * len(layout.column(name).levels)
    ]
    return wanted[0] if rows > cells and len(wanted) == 1 else None
