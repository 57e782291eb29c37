"""Tables of items without a truth: numbers that are right answers, losses or scores of models."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.core.measure_names import better_side, needs_truth
from assay.core.questions import Question
from assay.evidence import open_questions as ask
from assay.evidence.cell_text import quoted
from assay.evidence.model_columns import ModelColumns, chosen_models, column_grammar, parse_columns
from assay.evidence.names import (
    DESCRIPTIONS,
    KNOWN,
    RIGHT,
    TRAINING,
    is_description,
    is_model_name,
    models_by_measure,
    plain,
    right_model,
    spread_of,
)
from assay.evidence.readers.layout import Layout, Values

_OF_VALUES = ("mean_score", "mean_rating", "mean_loss", "accuracy", "error_rate")
"""Measures of values by item, whatever these are called."""
ALIKE = 0.5
"""Correlation with all models from which on a column may be what they predict."""


def lay_out_values(layout: Layout, nameless: str) -> None:
    """Items without a truth: numbers that are right answers, losses or scores of models."""
    _refuse_training(layout)
    layout.values = _told_values(layout)
    shared = classes_in_common(layout)
    candidates = _value_columns(layout)
    if layout.model_column is not None:
        _take_one_value(layout, candidates)
        return
    if layout.told.models is None:
        candidates = _of_one_measure(layout, candidates)
    if shared and layout.told.models is None and not any(map(is_model_name, candidates)):
        layout.questions.append(ask.which_truth(layout.title, sorted(shared, key=is_model_name)))
        return
    stated = [n for n in candidates if column_grammar(n)[1] == "labels" and column_grammar(n)[2]]
    if stated and layout.values is None:  # predictions, so one of the others is their truth
        others = [n for n in candidates if n not in stated]
        others.sort(key=lambda n: not layout.column(n).levels & layout.column(stated[0]).levels)
        layout.questions.append(ask.which_truth(layout.title, others or candidates))
        return
    _settle_values(layout, candidates)
    told = layout.told.models
    found = _by_model(layout, layout.free() if told is not None else candidates, nameless)
    if told is not None:
        found = chosen_models(told, layout.table.names, found, layout.title)
    layout.models = {model: _as_losses(of) for model, of in found.items()}
    for model, columns in layout.models.items():
        for name in columns.used():
            layout.take(name, "model", f"values of {model!r}")
    for name in layout.free():
        layout.take(name, "left out", "told" if told is not None else "no number of a model")


def _refuse_training(layout: Layout) -> None:
    """Rows of one training run are no items, whatever was said of them."""
    for name in layout.free():
        if plain(name) in TRAINING and layout.column(name).is_unique:
            raise EvidenceError(
                f"the rows of {layout.title} follow each other in one training run (column {name!r}), so they say "
                "nothing about new items: bring the predictions of the trained models, or their final scores by "
                "seed, fold or data set"
            )


def _of_one_measure(layout: Layout, candidates: list[str]) -> list[str]:
    """Of columns called rf_bleu and rf_ter those of one measure, which says what the values are."""
    named = [n for n in candidates if better_side(n) is not None and right_model(n) is None]
    layout.cells = models_by_measure(named)
    if not layout.cells:
        return candidates
    measures = list(dict.fromkeys(measure for _, measure in layout.cells.values()))
    asked = [one for one in measures if plain(one) == plain(layout.told.measure or "")]
    other = layout.told.measure not in (None, *_OF_VALUES)
    if not asked and (len(measures) > 1 or other):
        layout.questions.append(ask.which_measure(layout.title, measures))
    layout.measure = (asked or measures)[0]
    kept = [name for name in named if layout.cells[name][1] == layout.measure]
    # a:loss is our own way to write it; what stands where a model does is one too
    if not any(":" in name or is_model_name(layout.cells[name][0]) for name in named):
        why = "They may be measures of one model."
        layout.questions.append(ask.which_models(layout.title, None, kept, [], why))
    if layout.values is None:
        layout.values = "losses" if better_side(layout.measure) == "lower" else "gains"
    return kept


def classes_in_common(layout: Layout) -> list[str]:
    """Columns of words that share classes: one of them is the truth of the others."""
    words = [
        name
        for name in layout.free()
        if not layout.column(name).is_numeric
        and not layout.column(name).is_binary
        and not layout.column(name).is_outcome
        and plain(name) not in DESCRIPTIONS
        and not layout.column(name).is_unique
    ]
    return [
        name
        for name in words
        if any(layout.column(name).levels & layout.column(n).levels for n in words if n != name)
    ]


def _by_model(layout: Layout, names: Sequence[str], nameless: str) -> dict[str, ModelColumns]:
    """The columns of each model; opus_correct and correct_opus are those of opus."""
    found: dict[str, ModelColumns] = {}
    for name in names:
        right = right_model(name)
        if name in layout.cells:
            model = layout.cells[name][0]
        elif right is None:
            (model,) = parse_columns([name], (), nameless)
        else:
            model = right or nameless
        found[name if model in found else model] = ModelColumns(losses=name)
    return found


def _as_losses(columns: ModelColumns) -> ModelColumns:
    """Numbers by item, whatever the grammar of names made of them."""
    used = columns.used()
    return ModelColumns(losses=used[0]) if len(used) == 1 else columns


def _told_values(layout: Layout) -> Values | None:
    told = layout.told
    if told.correct:
        return "right"
    if told.losses:
        return "losses"
    side = better_side(told.measure) if told.measure else None
    if side is not None and (needs_truth(str(told.measure)) or "error" in str(told.measure)):
        columns = [layout.column(n) for n in layout.free() if not is_description(n)]
        binary = all(column.is_binary for column in columns if column.is_numeric)
        # 0 and 1 are no F1, and an error rate is of errors or of right answers; else one column is the truth
        if (
            not binary
            or better_side(str(told.measure)) == "lower"
            or not _is_accuracy(told.measure)
        ):
            side = None
    if told.lower_is_better is None and side is None:
        return None
    lower = told.lower_is_better if told.lower_is_better is not None else side == "lower"
    return "losses" if lower else "gains"


def _is_accuracy(measure: Any) -> bool:
    return plain(str(measure)) in ("accuracy", "acc")


def _value_columns(layout: Layout) -> list[str]:
    """The columns of numbers that may be values of models."""
    if layout.told.models is not None and layout.model_column is None:
        models = layout.told.models
        asked = list(models.values()) if isinstance(models, Mapping) else layout.told.listed or ()
        return [n for n in layout.free() if n in asked or column_grammar(n)[0] in asked]
    found = []
    for name in layout.free():
        column = layout.column(name)
        if spread_of(name, layout.table.names) is not None:
            layout.take(name, "spread", "its name")
        elif is_description(name) and plain(name) not in RIGHT and not _measured(layout, name):
            layout.take(name, "description", "its name")
        elif (column.is_numeric or column.is_binary or column.is_outcome) and not (
            column.is_unique and column.is_whole and len(column.cells) > 2
        ):
            if column.is_constant and not (layout.table.deliberate or column.is_binary):
                layout.take(name, "description", "it has one value")
            else:
                found.append(name)
    return found or _costs_of_models(layout)


def _costs_of_models(layout: Layout) -> list[str]:
    """Columns such as old_ms and new_ms, which are values where there are no others."""
    named = [
        name
        for name, (role, why) in layout.why.items()
        if (role, why) == ("description", "its name")
        and (plain(name) not in DESCRIPTIONS or layout.model_column is not None)
        and (layout.model_column is None or better_side(name) is not None)
    ]
    costs = [
        name for name in named if layout.column(name).is_numeric and plain(name) not in KNOWN["id"]
    ]
    enough = len(costs) > (layout.model_column is None)
    for name in costs if enough else ():
        del layout.why[name]
    return costs if enough else []


def _measured(layout: Layout, name: str) -> bool:
    """Whether a long table's column holds the measure that was asked for."""
    return layout.model_column is not None and layout.told.measure == name


def _settle_values(layout: Layout, candidates: Sequence[str]) -> None:
    """Say what the numbers are by the names of their columns, or ask."""
    if not candidates:
        every = [n for n in layout.table.names if layout.column(n).present]
        layout.questions.append(
            ask.which_models(layout.title, None, every, [], "None looks like values of a model.")
        )
        return
    said = [name for name in candidates if layout.column(name).is_outcome]
    binary = [name for name in candidates if layout.column(name).is_binary or name in said]
    if layout.values is None:
        if len(said) == len(candidates):
            layout.values = "gains"
        elif {column_grammar(name)[1] for name in candidates} == {"losses"}:
            layout.values = "losses"
        elif all(right_model(name) is not None for name in candidates):
            layout.values = "gains"
    # one column of 0 and 1 beside scores is likely their truth, which the question below offers first
    alone = binary if len(binary) == 1 and layout.values is None else []
    if 0 < len(binary) < len(candidates) and layout.told.models is None and not alone:
        layout.questions.append(_of_two_kinds(layout, candidates, binary))
    if layout.values == "gains" and len(binary) == len(candidates):
        layout.values = "right"
    if layout.values is None:
        all_binary = len(binary) == len(candidates)
        truths = list(dict.fromkeys([*_like_truths(layout, candidates), *alone, *candidates]))
        layout.questions.append(
            ask.which_values(
                layout.title,
                candidates,
                binary=all_binary,
                truths=truths,
                judged=_graded(layout, candidates),
            )
        )


def _of_two_kinds(layout: Layout, candidates: Sequence[str], binary: Sequence[str]) -> Question:
    rest = [name for name in candidates if name not in binary]
    verb = "holds" if len(binary) == 1 else "hold"
    why = f"{quoted(binary)} {verb} 0 and 1, {quoted(rest)} other numbers."
    return ask.which_models(layout.title, None, rest, list(binary), why)


def _graded(layout: Layout, candidates: Sequence[str]) -> tuple[str, str] | None:
    """A column with gaps and the one that has its values and none: people's grades, and a judge's."""
    columns = [layout.column(name) for name in candidates]
    numbers = [column for column in columns if column.is_numeric and column.present]
    gappy = [column for column in numbers if len(column.present) < len(column.cells)]
    whole = [column for column in numbers if len(column.present) == len(column.cells)]
    judges = [one for one in whole if gappy and gappy[0].levels <= one.levels]
    return (gappy[0].name, judges[0].name) if len(gappy) == len(judges) == 1 else None


def _like_truths(layout: Layout, candidates: Sequence[str]) -> list[str]:
    """Columns that were taken for something else, but go with all candidates as a truth would."""
    numeric = [
        layout.column(name)
        for name in layout.table.names
        if name not in candidates and layout.column(name).is_numeric
    ]
    values = np.stack([layout.column(name).numbers for name in candidates])
    found = []
    for column in numeric:
        with np.errstate(invalid="ignore"):
            together = np.corrcoef(np.vstack([column.numbers, values]))[0, 1:]
        if bool((together > ALIKE).all()):
            found.append(column.name)
    return found


def _take_one_value(layout: Layout, candidates: Sequence[str]) -> None:
    """The one column of values of a table that names the model in another."""
    named = [n for n in candidates if plain(n) in RIGHT or better_side(n) is not None]
    asked = [n for n in candidates if layout.told.measure == n]
    chosen = asked or named or list(candidates)
    if len(chosen) > 1:
        layout.questions.append(ask.which_measure(layout.title, chosen))
    if not chosen:
        layout.questions.append(
            ask.which_models(
                layout.title, None, [], [], "No column of numbers stands beside the model."
            )
        )
        return
    name = chosen[0]
    column = layout.column(name)
    if layout.values is None:
        side = "higher" if plain(name) in RIGHT else better_side(name)
        layout.values = None if side is None else "losses" if side == "lower" else "gains"
    if layout.values is None and column.is_outcome:
        layout.values = "gains"
    if layout.values == "gains" and (column.is_binary or column.is_outcome):
        layout.values = "right"
    if layout.values is None:
        layout.questions.append(
            ask.which_values(layout.title, [name], binary=column.is_binary, truths=[])
        )
    layout.measure = name
    layout.models = {"": ModelColumns(losses=name)}
    layout.take(name, "values", "its name" if named or asked else "the only numbers")
    for other in layout.free():
        layout.take(other, "description", "no values of models")
