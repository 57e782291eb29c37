"""Tables of scores: by data set, fold or seed, with a column, a row or a row of cells per model."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.measure_names import better_side
from assay.evidence import open_questions as ask
from assay.evidence.cell_questions import what_of_cell, which_scale
from assay.evidence.cell_text import quoted, shortened
from assay.evidence.model_columns import column_grammar
from assay.evidence.name_parts import (
    models_by_measure,
    numbered_place,
    runs_by_model,
    speaks_of_measure,
    spread_of,
)
from assay.evidence.names import (
    KNOWN,
    describes_models,
    has_cost,
    is_best,
    is_description,
    is_difference,
    is_model_name,
    is_nameless,
    is_part,
    is_summary,
    place_of,
    plain,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.doubts import mixed_scales
from assay.evidence.readers.layout import Layout, apart, place_by_cells, without_bounds
from assay.evidence.readers.other_tables import measures_alone, refuse_settings, refuse_training
from assay.evidence.readers.prediction_kinds import ask_about_described, ask_about_training
from assay.evidence.scores import KEYS

FEWEST_ROWS = 20
"""In fewer rows nothing can be told from how values repeat."""
SETTINGS, RUN = 10, 5
"""A setting has at most a tenth as many values as there are rows, in runs of five or more on average."""
FEWEST_DERIVED = 4
"""Rows from which on it is no chance that a column is the mean of the others in every one."""
MOST_DIFFERENCED = 60
"""Columns among which a difference of two is looked for; nobody adds one to a wider table by hand."""
MOST_UNLIKE = 10.0
"""How many times larger the numbers of a column are where it cannot hold the same measure as another."""
_MEASURED_SET = re.compile(r"[^()]+[\w.]\s*\([^()]+\)")
UNRELATED, RELATED = 0.3, 0.6
"""Correlations of scores: of what is no score of a model, and of models on the same data sets."""


def lay_out_scores(layout: Layout) -> None:
    """Scores with a column per model: what places a row, and which columns are models."""
    layout.shape = "scores"
    _take_places(layout)
    _take_crossed(layout)
    refuse_training(layout)
    _take_row_names(layout)
    columns = _score_columns(layout)
    asked = _asked_by_column(layout)
    stated = [name for name in columns if column_grammar(name)[0] == ""]
    if "measure" in layout.places and len(stated) == 1 and not asked:  # of one model
        _take_one_model(layout, stated)
        return
    if not asked and not layout.table.deliberate:
        columns = _without_derived(layout, columns)
        ask_about_described(layout, columns)
    layout.runs = {} if asked else runs_by_model(columns)
    if any(key in layout.places for _, key, _ in layout.runs.values()):
        layout.runs = {}  # the rows say which run they are of
    measured = [name for name in columns if speaks_of_measure(name)]
    layout.cells = models_by_measure(measured)
    if asked:  # told by the names of columns, they are called so
        layout.cells = {name: (name, measure) for name, (_, measure) in layout.cells.items()}
    elif layout.cells:
        for name in columns:
            layout.take(name, *(("model", "its name") if name in measured else ("left out", "")))
        layout.score_columns = columns = measured
        _settle_models_by_measure(layout)
    elif measured := [name for name in measured if better_side(name) is not None]:
        if len(measured) < len(columns):
            rest = [name for name in columns if name not in measured]
            refuse_settings(layout, rest, measured)
            why = f"{quoted(measured)} {'is' if len(measured) == 1 else 'are'} named like measures."
            layout.questions.append(ask.which_models(layout.title, None, measured, rest, why))
        else:
            _take_one_model(layout, columns)
            return
    layout.score_columns = columns
    for name in columns:
        layout.take(name, "model", "told" if asked else "numbers in every row")
    _leave_out_the_rest(layout)
    if not layout.cells:
        _ask_about_strangers(layout)
        ask_about_training(layout, columns)
    _check_summary_rows(layout)


def _asked_by_column(layout: Layout) -> bool:
    """Whether the models were told by the names of columns as they are."""
    return bool(set(layout.told.listed or ()) & set(layout.table.names))


def _settle_models_by_measure(layout: Layout) -> None:
    """Ask whether rf of rf_accuracy is a model, if it may be a class or a language as well."""
    asked = layout.told.measure
    measures = list(dict.fromkeys(measure for _, measure in layout.cells.values()))
    if asked is not None and asked not in measures:
        alike = [m for m in measures if m[:3].lower() == asked[:3].lower()]
        if len(alike) != 1:
            layout.questions.append(ask.which_measure(layout.title, measures))
        else:
            layout.cells = {
                name: (model, asked if measure == alike[0] else measure)
                for name, (model, measure) in layout.cells.items()
            }
    # what stands where a model does is one too
    known = any(is_model_name(model) for model, _ in layout.cells.values())
    if not known and layout.told.models is None:
        why = "They may be measures of one model, by class or by language."
        models = list(dict.fromkeys(model for model, _ in layout.cells.values()))
        layout.questions.append(ask.which_models(layout.title, None, [], models, why))


def _without_derived(layout: Layout, columns: Sequence[str]) -> list[str]:
    """The columns that are not the best, the mean or the difference of the others in every row."""
    called = [name for name in columns if is_difference(name) and not is_model_name(name)]
    if called and len(columns) - len(called) > 1:
        for name in called:
            layout.take(name, "description", "called a difference of the others")
        columns = [name for name in columns if name not in called]
    if len(columns) < 3:  # nothing follows from one other
        return list(columns)
    values = np.stack([layout.column(name).numbers for name in columns])
    kept = np.ones(len(columns), dtype=bool)
    alike = {n for n in _of_families(columns) if not is_best(n) and not is_summary(n)}
    # a difference is smaller than what it is of, which would follow from it as well
    for place in np.argsort(np.nan_to_num(np.abs(np.median(values, axis=1))), kind="stable"):
        name = columns[place]
        if is_model_name(name) or speaks_of_measure(name) or name in alike:
            continue  # rank_A beside rank_B is of the same kind
        kept[place] = False
        others = values[kept]
        twin = (others == values[place]).all(axis=1).any() and not is_best(name)
        kept[place] = len(others) < 2 or twin or not _is_derived(values[place], others)
        if not kept[place]:
            layout.take(name, "description", "computed from the other columns")
    return [name for name, stays in zip(columns, kept, strict=True) if stays]


def _is_derived(column: FloatArray, others: FloatArray) -> bool:
    """Whether a column follows from others in every row, of which there are several."""
    if column.size < FEWEST_DERIVED:
        return False
    made = np.stack([others.max(axis=0), others.min(axis=0), others.mean(axis=0)])
    if _has_one_like(made, column, made.std(axis=1)):
        return True
    if len(others) > MOST_DIFFERENCED:
        return False
    first, second = np.nonzero(~np.eye(len(others), dtype=bool))
    gaps, spread = others[first] - others[second], others.std(axis=1)
    spread = np.maximum(spread[first], spread[second])
    return any(_has_one_like(one, column, spread) for one in (gaps, np.abs(gaps)))


def _has_one_like(made: FloatArray, column: FloatArray, spread: FloatArray) -> bool:
    """Whether a row of what was made is the column, but for rounding in the size of what it was made of."""
    near = np.maximum(0.0051 * (spread + column.std()), 1e-9)
    return bool((np.abs(made - column) <= near[:, None]).all(axis=1).any())


def _ask_about_strangers(layout: Layout) -> None:
    """Ask about a column that does not go with the others as scores on the same data sets do."""
    columns = [layout.column(name) for name in layout.score_columns]
    if layout.told.models is not None or layout.table.deliberate or len(columns) < 3:
        return
    strange = [one.name for one in columns if _is_of_another_size(one, columns)]
    strange = strange or _unrelated(columns)
    rest = [column.name for column in columns if column.name not in strange]
    if strange and len(rest) > 1:
        why = f"{quoted(strange)} {'does' if len(strange) == 1 else 'do'} not go with the others."
        layout.questions.append(ask.which_models(layout.title, None, strange, rest, why))


def _is_of_another_size(column: Profile, columns: Sequence[Profile]) -> bool:
    """Whether whole numbers exceed by far all fractions beside them: how many of something a data set has."""
    highs = [one.high for one in columns if not one.is_whole]
    return column.is_whole and len(highs) > 1 and column.low > MOST_UNLIKE * max(highs) > 0.0


def _unrelated(columns: Sequence[Profile]) -> list[str]:
    """The columns that go with none of the others, which go with each other."""
    values = np.stack([column.numbers for column in columns])
    values = values[:, np.isfinite(values).all(axis=0)]
    if values.shape[1] < FEWEST_ROWS // 2:
        return []
    together: FloatArray = np.nan_to_num(np.atleast_2d(np.corrcoef(values)))
    np.fill_diagonal(together, 0.0)
    families = _of_families([column.name for column in columns])
    unrelated = max(UNRELATED, 2.0 / math.sqrt(values.shape[1]))  # what chance may bring
    return [
        column.name
        for place, column in enumerate(columns)
        if together[place].max() < (RELATED if column.repeats_few else unrelated)
        and np.delete(np.delete(together, place, 0), place, 1).max() > RELATED
        and (column.repeats_few or not is_model_name(column.name))
        and column.name not in families
    ]


def _of_families(names: Sequence[str]) -> set[str]:
    """The names beside which another begins alike, as those of a family of models do: FPCR and FPCR-Bs."""
    begun = Counter(name[:3].casefold() for name in names)
    return {name for name in names if begun[name[:3].casefold()] > 1}


def _take_one_model(layout: Layout, columns: Sequence[str]) -> None:
    """Columns called accuracy and f1 are measures of one model, named after its file."""
    layout.shape = "scores by model"
    layout.score_columns = list(columns)
    for name in columns:
        layout.take(name, "measure", "its name")
    _leave_out_the_rest(layout)
    _check_summary_rows(layout)


def lay_out_long_scores(layout: Layout, model: str) -> None:
    """Scores with a row per model and place; every column of numbers is a measure."""
    layout.shape = "scores by model"
    layout.model_column = model
    layout.take(model, "model", "its cells name the models")
    refuse_training(layout)
    _take_places(layout)
    _take_crossed(layout)
    columns = _score_columns(layout)
    columns = [n for n in columns if plain(n) == plain(layout.told.measure or "")] or columns
    named = [name for name in columns if speaks_of_measure(name) and not is_description(name)]
    silent = [name for name in columns if not speaks_of_measure(name)]
    layout.score_columns = named or silent or columns  # of a score and its time the score counts
    described = layout.described_numbers() if not columns else []
    if len(described) == 1:  # nothing else can be the score
        layout.score_columns = columns = described
    elif described:
        layout.questions.append(ask.which_measure(layout.title, described))
    if "measure" in layout.places:
        layout.score_columns = columns[:1]
    for name in layout.score_columns:
        layout.take(name, "score", "its name" if named else "the only numbers")
    _leave_out_the_rest(layout)


def lay_out_models_in_rows(layout: Layout, model: str) -> None:
    """A row per model and a column per data set."""
    layout.shape = "models in rows"
    layout.model_column = model
    layout.take(model, "model", "its cells name the models, one in each row")
    layout.score_columns = _with_described(layout, _score_columns(layout, of_models=False))
    layout.summary_rows = [name for name in layout.score_columns if is_summary(name)]
    if len(layout.summary_rows) == len(layout.score_columns):
        layout.summary_rows = []  # data sets are called so
    for name in layout.summary_rows:
        layout.score_columns.remove(name)
        layout.take(name, "description", "sums up the other columns, or is what they cost")
    measures = [name for name in layout.score_columns if better_side(name) is not None]
    alone = len(set(map(plain, measures))) == len(layout.score_columns) > 1
    costs = any(map(is_description, measures))  # of models, or data sets that are called so
    sides = {better_side(name) for name in measures}
    # CoLA (Mcc) beside SST-2 (Acc): the measure of each data set stands in brackets
    sets = len(sides) == 1 and all(map(_MEASURED_SET.fullmatch, measures))
    told = (costs or sets) and layout.told.models_in_rows
    alone = alone or len(sides) > 1  # no measure is both
    if alone and not models_by_measure(measures) and not told:
        hint = ". If they are data sets: models_in_rows=True" if costs or sets else ""
        raise measures_alone(f"columns of {layout.title}", measures, hint)
    parts = [n for n in layout.score_columns if is_part(n) or is_part(plain(n).split("_")[-1])]
    if (parts or _of_unlike_things(layout)) and not layout.told.models_in_rows:
        models = [str(cell) for cell in layout.column(model).present]
        layout.questions.append(ask.one_score_each(layout.title, models))
    elif (above := _above_hundred(layout)) and not layout.told.models_in_rows:
        layout.questions.append(ask.which_data_sets(layout.title, above))
    if layout.told.unit is None and (unit := numbered_place(layout.score_columns)):
        layout.told = replace(layout.told, unit=unit)
    elif layout.told.unit is None and all(name.isdecimal() for name in layout.score_columns):
        layout.questions.append(ask.which_column_unit(layout.title))
    for name in layout.score_columns:
        layout.take(name, layout.told.unit or "dataset", "a number of every model")
    _leave_out_the_rest(layout)
    values = {n: layout.column(n).finite for n in layout.score_columns if not is_description(n)}
    if not layout.told.percent and (mixed := mixed_scales(values)):
        layout.questions.append(which_scale(*mixed))


def _with_described(layout: Layout, columns: Sequence[str]) -> list[str]:
    """The columns and those between with numbers like theirs: a data set may be called segment or income."""
    described = [n for n, said in layout.why.items() if said == ("description", "its name")]
    numbers = {n: layout.column(n) for n in described if layout.column(n).is_numeric}
    told = layout.told.models_in_rows
    known = [layout.column(n) for n in columns] or (list(numbers.values()) if told else [])
    if not known or (len(known) < 2 and not told):
        return list(columns)
    low, high = min(one.low for one in known), max(one.high for one in known)
    like = [
        name
        for name, one in numbers.items()
        if not (has_cost(name) if told else describes_models(name))
        and not one.is_whole
        and 2 * low - high <= one.low <= one.high <= 2 * high - low
    ]
    for name in like:
        del layout.why[name]
    return sorted([*columns, *like], key=layout.table.names.index)


def _of_unlike_things(layout: Layout) -> bool:
    """Whether columns without a word of what they hold are so different in size that no measure has them all."""
    told = layout.told
    if told.measure is not None or told.lower_is_better is not None or told.unit is not None:
        return False
    sizes = [float(np.median(np.abs(layout.column(n).finite))) for n in layout.score_columns]
    return bool(sizes) and max(sizes) > MOST_UNLIKE * min(sizes)


def _above_hundred(layout: Layout) -> list[str]:
    """Few columns with numbers above 100 where all others have none: a score in per cent never has."""
    above = [name for name in layout.score_columns if layout.column(name).high > 100.0]
    return above if 0 < 2 * len(above) < len(layout.score_columns) else []


def _take_places(layout: Layout) -> None:
    for name in layout.free():
        place = place_by_cells(layout.column(name)) or place_of(name)
        if plain(name) in ("split", "resample", "holdout") and layout.column(name).is_numeric:
            place = "fold"
        if plain(name) == "run" and layout.column(name).is_whole:  # words would name models
            place = "repeat"
        numbers = place == "measure" and layout.column(name).is_numeric
        if place is None or numbers or place == "model" or place in layout.places:
            continue
        layout.places[place] = name
        layout.take(name, place, "its name")
    for role in ("fold", "repeat"):
        if role in layout.roles:
            layout.places[role] = layout.roles[role]


def _take_crossed(layout: Layout) -> None:
    """Words that come anew in every run, and with it tell the rows apart: data sets if told so, else asked about."""
    told, model = layout.told, layout.model_column
    runs = [layout.places[key] for key in ("fold", "repeat", "seed") if key in layout.places]
    if not runs or "dataset" in layout.places or told.repeat or told.unit not in (None, "dataset"):
        return
    known = [*runs, *([model] if model else [])]
    words = [n for n in layout.free() if layout.column(n).style == "words" and place_of(n) is None]
    crossed = [n for n in words if not layout.column(n).is_unique and apart(layout, [*known, n])]
    if apart(layout, known) or len(crossed) != 1:
        return
    if told.unit == "dataset":
        layout.places["dataset"] = crossed[0]
        layout.take(crossed[0], "dataset", "told")
    elif model is None:
        values = layout.table.all_words(crossed[0])
        layout.questions.append(ask.which_crossed(layout.title, crossed[0], runs[0], values))


def _take_row_names(layout: Layout) -> None:
    """Where no column places the rows, the first column of words, or of no name, names them."""
    if any(key in layout.places for key in KEYS):
        return
    told = [layout.roles[role] for role in ("id", "cluster") if role in layout.roles]
    words = [
        n for n in layout.free() if not layout.column(n).is_numeric and layout.column(n).present
    ]
    first = layout.table.names[:1]
    named = any(is_nameless(n) or plain(n) in KNOWN["id"] for n in first)
    first = tuple(n for n in first if named or layout.column(n).counts_rows)
    found = [name for name in (*told, *first, *words) if layout.column(name).is_unique]
    place = numbered_place(map(str, layout.column(found[0]).cells)) if found else None
    if place is not None:
        layout.places[place] = found[0]
        layout.take(found[0], place, "its cells")
    elif found:
        layout.row_names = found[0]
        layout.take(found[0], "row names", "no value comes twice")
    elif layout.told.unit == "dataset":  # an index of data sets and folds without names
        levels = [n for n in layout.free() if is_nameless(n)]
        if len(levels) == 2 and apart(layout, levels):
            layout.places |= {"dataset": levels[0], "repeat": levels[1]}
            layout.why |= dict.fromkeys(levels, ("dataset", "its place in the index"))


def _score_columns(layout: Layout, *, of_models: bool = True) -> list[str]:
    """The columns of numbers that hold scores."""
    if of_models and _asked_by_column(layout) and layout.model_column is None:
        return [name for name in layout.told.listed or () if name in layout.table.names]
    found = []
    for name in layout.free():
        column = layout.column(name)
        if spread_of(name, layout.table.names) is not None:
            layout.take(name, "spread", "its name")
        elif name == layout.told.measure and column.is_numeric:
            found.append(name)
        elif (_describes(column, of_models=of_models) and not speaks_of_measure(name)) or _is_role(
            name
        ):
            layout.take(name, "description", "its name")
        elif name == layout.table.names[0] and (
            column.counts_rows
            or (
                is_nameless(name)
                and column.is_unique
                and column.high - column.low < len(column.cells)
            )
        ):
            layout.take(name, "description", "it counts the rows")
        elif not column.present:
            layout.take(name, "left out", "it is empty")
        elif column.garbled is not None:
            _ask_about_cell(layout, column)
        elif column.is_numeric and not (of_models and is_nameless(name)):
            found.append(name)
    found = without_bounds(layout, found) if of_models else found
    settings = [name for name in found if _is_setting(layout.column(name).numbers)]
    settings = [name for name in settings if name not in _of_families(found)]
    if of_models and len(found) - len(settings) > 1:
        for name in settings:
            layout.take(name, "description", "its values stand in long runs")
        found = [name for name in found if name not in settings]
    return found


def _ask_about_cell(layout: Layout, column: Profile) -> None:
    """Ask about a column of numbers with a cell that is none: a model is not left out unseen."""
    row = column.garbled or 0
    lines = layout.table.lines
    place = f"line {lines[row]} of " if lines else f"row {row + 1} of "
    place = f"{place if column.complete else ''}{layout.title}"
    layout.take(column.name, "left out", "a cell is no number")
    layout.questions.append(what_of_cell(place, column.name, shortened(column.cells[row])))


def _describes(column: Profile, *, of_models: bool) -> bool:
    """Whether a column describes rows; one called is_… or has_… does only with answers yes and no."""
    if not of_models and has_cost(column.name):
        return True
    flag = plain(column.name).startswith(("is_", "has_"))
    return is_description(column.name) and not (flag and column.is_numeric and not column.is_binary)


def _is_role(name: str) -> bool:
    called = plain(name).rstrip(".")  # Nr. and no.
    return any(called in KNOWN[role] for role in ("id", "weight", "count", "cluster"))


def _is_setting(values: FloatArray) -> bool:
    """Whether the few values of a column stand in long runs, as settings of rows do."""
    if values.size < FEWEST_ROWS or np.isin(values, (0.0, 1.0)).all():  # right and wrong answers
        return False
    runs = 1 + int(np.count_nonzero(values[1:] != values[:-1]))
    return np.unique(values).size * SETTINGS <= values.size and runs * RUN <= values.size


def _leave_out_the_rest(layout: Layout) -> None:
    why = "told" if layout.told.models is not None else "no numbers of a model"
    for name in layout.free():
        layout.take(name, "left out", why)


def _check_summary_rows(layout: Layout) -> None:
    """The rows at the foot of a table that sum it up."""
    places = [layout.places[key] for key in KEYS if key in layout.places]
    names = places or ([layout.row_names] if layout.row_names else [])
    for name in names:
        cells = [str(cell) for cell in layout.column(name).present]
        layout.summary_rows += [cell for cell in dict.fromkeys(cells) if is_summary(cell)]
