"""Tables of items without a truth: numbers that are right answers, losses or scores of models."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.core.errors import UsageError
from assay.core.measure_names import better_side, is_beyond, needs_truth
from assay.core.questions import Question
from assay.evidence import open_questions as ask
from assay.evidence.cell_text import class_text, quoted
from assay.evidence.model_columns import (
    ModelColumns,
    chosen_models,
    column_grammar,
    parse_columns,
    predicting_models,
)
from assay.evidence.name_parts import models_by_measure, models_in, speaks_of_measure, spread_of
from assay.evidence.names import (
    DESCRIPTIONS,
    RIGHT,
    describes_models,
    is_bound,
    is_description,
    is_model_name,
    may_be_truth,
    plain,
    right_model,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.class_chances import refuse_chances_alone
from assay.evidence.readers.item_ids import leave_factors
from assay.evidence.readers.layout import Layout, Values, without_bounds
from assay.evidence.readers.other_tables import refuse_training, refuse_words
from assay.evidence.readers.prediction_kinds import ask_about_described

OF_VALUES = ("mean_score", "mean_rating", "mean_loss", "accuracy", "error_rate")
"""Measures of values by item, whatever these are called."""
MOST_ARMS = 10
"""Words of a column that may name what is compared."""
ALIKE = 0.3
"""Correlation with all models from which on a column may be what they predict."""


def lay_out_values(layout: Layout, nameless: str) -> None:
    """Items without a truth: numbers that are right answers, losses or scores of models."""
    refuse_training(layout)
    layout.values = _told_values(layout)
    shared = classes_in_common(layout)
    candidates = _value_columns(layout)
    if layout.model_column is not None:
        if truths := _truths_of_stated(layout):
            layout.questions.append(ask.which_truth(layout.title, truths))
            return
        _take_one_value(layout, candidates)
        _refuse_contradiction(layout, [str(of.losses) for of in layout.models.values()])
        _doubt_signs(layout, [str(of.losses) for of in layout.models.values()])
        return
    candidates = _of_one_measure(layout, candidates)
    if not candidates and all(layout.column(name).may_be_outcome for name in shared):
        candidates = shared
    elif truths := _like_truth_of(layout, candidates, shared):
        judged = [] if any(map(may_be_truth, truths)) else shared
        words = {level for name in judged for level in layout.column(name).levels}
        layout.questions.append(ask.which_truth(layout.title, truths, sorted(words)))
        return
    if layout.values is None and layout.told.models is None:
        refuse_chances_alone(layout, candidates)
    _refuse_contradiction(layout, candidates)
    _settle_values(layout, candidates)
    if layout.told.models is None and not layout.table.deliberate:
        _ask_about_strange(layout, candidates)
    _doubt_signs(layout, candidates)
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


def _like_truth_of(layout: Layout, candidates: Sequence[str], shared: list[str]) -> list[str]:
    """The columns one of which must be the truth, as others share its classes or state predictions."""
    if layout.values is not None:
        return []
    named = any(is_model_name(name) or right_model(name) for name in candidates)
    if shared and layout.told.models is None and not named:
        shared += _free_text(layout, shared)
        return sorted(shared, key=lambda name: (not may_be_truth(name), is_model_name(name)))
    stated = [name for name in candidates if predicting_models([name])]
    others = [n for n in candidates if n not in stated]
    if not stated:
        return []
    others.sort(key=lambda n: not layout.column(n).levels & layout.column(stated[0]).levels)
    numbers = [name for name in stated if layout.column(name).is_numeric]
    return list(dict.fromkeys([*like_truths(layout, numbers), *others])) or list(candidates)


def _free_text(layout: Layout, shared: Sequence[str]) -> list[str]:
    """Further columns of words that others have, whatever they are called: category, or answers that were expected."""
    levels = frozenset().union(*(layout.column(name).levels for name in shared))
    others = [layout.column(name) for name in layout.table.names if name not in shared]
    return [one.name for one in others if one.style == "words" and one.levels & levels]


def _truths_of_stated(layout: Layout) -> list[str]:
    """In long form: the columns that share classes with one that is called prediction."""
    if layout.values is not None:
        return []
    stated = [n for n in layout.table.names if column_grammar(n)[:2] == ("", "bare")]
    return [
        name
        for name in layout.free()
        if name not in stated
        and any(layout.column(name).levels & layout.column(one).levels for one in stated)
    ]


def _refuse_contradiction(layout: Layout, columns: Sequence[str]) -> None:
    """Refuse to call wrong answers right, or right ones losses: the name of a column says what it holds."""
    told = layout.told
    for name in columns if told.correct or told.losses else ():
        side = "higher" if right_model(name) is not None else better_side(name)
        if side == ("lower" if told.correct else "higher"):
            said = "correct=True" if told.correct else "losses=True"
            raise UsageError(
                f"{said} contradicts the name of column {name!r}, where {side} is better: leave out {said}, "
                "or write the column anew"
            )


def _doubt_signs(layout: Layout, columns: Sequence[str]) -> None:
    """Ask about errors below zero: differences from the truth, of which neither side is better."""
    told = layout.told
    if told.losses or told.correct or told.lower_is_better is not None:
        return
    called = [f"{name} {layout.measure or ''}" for name in columns]
    found = [layout.column(name) for name in columns]
    odd = any(is_beyond(name, of.low, of.high) for name, of in zip(called, found, strict=True))
    if odd and layout.values == "losses":
        layout.values = None
        layout.questions.append(
            ask.which_values(layout.title, columns, what="negative numbers", truths=[])
        )


def _of_one_measure(layout: Layout, candidates: list[str]) -> list[str]:
    """Of columns called rf_bleu and rf_ter those of one measure, which says what the values are."""
    named = [n for n in candidates if speaks_of_measure(n) and right_model(n) is None]
    layout.cells = models_by_measure(named)
    alone = [n for n in named if better_side(n) is not None and not models_in(n)]
    if len(alone) == len(candidates) > 1:  # ndcg and map are no models, but measures of one
        layout.cells = {name: (name, name) for name in alone}
    if not layout.cells:
        return candidates
    measures = list(dict.fromkeys(measure for _, measure in layout.cells.values()))
    asked = [one for one in measures if plain(one) == plain(layout.told.measure or "")]
    other = layout.told.measure not in (None, *OF_VALUES)
    if not asked and (len(measures) > 1 or other):
        layout.questions.append(ask.which_measure(layout.title, measures))
    layout.measure = (asked or measures)[0]
    layout.cells = {n: pair for n, pair in layout.cells.items() if pair[1] == layout.measure}
    kept = list(layout.cells)
    # a:loss is our own way to write it; what stands where a model does is one too
    models = [n for n, (model, _) in layout.cells.items() if ":" in n or is_model_name(model)]
    if not (alone or models or layout.told.models):
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
        and right_model(name) is None
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
        if not (binary and plain(str(told.measure)) in ("accuracy", "acc")):
            side = None
    if told.lower_is_better is None and side is None:
        return None
    lower = told.lower_is_better if told.lower_is_better is not None else side == "lower"
    return "losses" if lower else "gains"


def _value_columns(layout: Layout) -> list[str]:
    """The columns of numbers that may be values of models."""
    if layout.told.models is not None and layout.model_column is None:
        models = layout.told.models
        asked = list(models.values()) if isinstance(models, Mapping) else layout.told.listed or ()
        if columns := [n for n in layout.free() if n in asked or column_grammar(n)[0] in asked]:
            return columns  # else xgb of mae_xgb
    found = []
    leave_factors(layout)
    for name in layout.free():
        column = layout.column(name)
        if spread_of(name, layout.table.names) is not None:
            layout.take(name, "spread", "its name")
        elif is_description(name) and not _says_right(column) and not _measured(layout, name):
            layout.take(name, "description", "its name")
        elif _holds_values(layout, column):
            found.append(name)
    found = without_bounds(layout, found)
    if not layout.table.deliberate:
        found = _without_constants(layout, found)
    if layout.model_column is None and all(layout.column(n).is_numeric for n in found):
        ask_about_described(layout, found)
    return found or _costs_of_models(layout) or _large_values(layout)


def _large_values(layout: Layout) -> list[str]:
    """Whole numbers of which none comes twice, as prices are, where there are no others and they do not count rows."""
    columns = [layout.column(name) for name in layout.free()]
    numbers = [c for c in columns if c.is_numeric and c.high - c.low >= len(c.cells) > 2]
    return [column.name for column in numbers] if len(numbers) > 1 else []


def _says_right(column: Profile) -> bool:
    """Whether a column is called after right answers, or says yes and no of wrong ones: is_wrong."""
    judged = column.may_be_outcome and better_side(column.name) is not None
    judged = judged and not describes_models(column.name)
    judged = judged or (plain(column.name) == "grade" and column.is_outcome)  # of an answer
    return plain(column.name) in RIGHT or judged


def _holds_values(layout: Layout, column: Profile) -> bool:
    """Whether a column is of numbers, or of words for right and wrong; a number of its own names a row."""
    numbered = _counts_rows(column)
    said = layout.told.correct or right_model(column.name) is not None or layout.model_column
    judged = column.is_outcome or (bool(said) and column.may_be_outcome)
    return (column.is_numeric or column.is_binary or judged) and not numbered


def _without_constants(layout: Layout, names: Sequence[str]) -> list[str]:
    """The columns whose values differ, and those of 0 or 1 alone; a question where one may be a model."""
    columns = [layout.column(name) for name in names]
    constant = [one for one in columns if one.is_constant and not one.is_binary and one.is_numeric]
    rest = [one for one in columns if one not in constant]
    for one in constant:
        layout.take(one.name, "description", "it has one value")
    numbers = [one for one in rest if one.is_numeric]
    low, high = (f(getattr(one, side) for one in numbers) if numbers else np.nan
                 for f, side in ((min, "low"), (max, "high")))  # fmt: skip
    near = [one.name for one in constant if 2 * low - high <= one.low <= 2 * high - low]
    if near and layout.model_column is None and not all(one.is_binary for one in rest):
        why = f"{quoted(near)} {'has' if len(near) == 1 else 'have'} one value throughout."
        layout.questions.append(
            ask.which_models(layout.title, None, near, [one.name for one in rest], why)
        )
    return [one.name for one in rest]


def _costs_of_models(layout: Layout) -> list[str]:
    """Columns such as old_ms and new_ms, which are values where there are no others."""
    numbers = [n for n in layout.described_numbers() if n not in layout.roles.values()]
    alone = len(numbers) == 1 and len(layout.free()) == 0  # nothing else can be the values
    costs = [
        name
        for name in numbers
        if (plain(name) not in DESCRIPTIONS or layout.model_column is not None or alone)
        and ((layout.model_column is None and not alone) or better_side(name) is not None)
    ]
    enough = len(costs) > (layout.model_column is None and not alone)
    for name in costs if enough else ():
        del layout.why[name]
    return costs if enough else []


def _measured(layout: Layout, name: str) -> bool:
    """Whether a long table's column holds the measure that was asked for, or says which answers are right: status."""
    asked = plain(layout.told.measure or "") == plain(name)
    return layout.model_column is not None and (asked or layout.column(name).is_outcome)


def _ask_what_is_compared(layout: Layout) -> None:
    """No column holds values of models: one may be the truth, or name the models, or grade them in words."""
    truths = [n for n in layout.free() if may_be_truth(n) and not layout.column(n).is_numeric]
    if truths:
        layout.questions.append(ask.which_truth(layout.title, truths))
        return
    used = set(layout.roles.values())
    every = [n for n in layout.table.names if layout.column(n).present and n not in used]
    every = [n for n in every if not layout.column(n).is_counter] or every
    judged = [n for n in every if layout.column(n).may_be_outcome]
    arms = [n for n in every if n not in judged and 1 < len(layout.column(n).levels) < MOST_ARMS]
    numbers = [n for n in every if layout.column(n).is_numeric and n not in arms]
    values = judged if len(judged) == 1 else [] if judged else numbers
    if len(values) == 1 and arms:
        what = "answers" if judged else "values"
        layout.questions.append(ask.which_kinds(layout.title, f"{what} ({quoted(values)})", arms))
        return
    if len(every) > 1 and all(layout.column(n).style == "words" for n in every):
        refuse_words(layout)
    layout.questions.append(
        ask.which_models(layout.title, None, every, [], "None looks like values of a model.")
    )


def _settle_values(layout: Layout, candidates: Sequence[str]) -> None:
    """Say what the numbers are by the names of their columns, or ask."""
    if not candidates:
        _ask_what_is_compared(layout)
        return
    said = [name for name in candidates if layout.column(name).is_outcome]
    words = [name for name in candidates if layout.column(name).may_be_outcome]
    binary = [name for name in candidates if layout.column(name).is_binary or name in words]
    if layout.values is None:
        if len(said) == len(candidates):
            layout.values = "gains"
        elif all(map(_states_loss, candidates)):
            layout.values = "losses"
        elif len(candidates) == 1 and (side := better_side(candidates[0])) is not None:
            layout.values = "losses" if side == "lower" else "gains"
            layout.measure = candidates[0]
        elif all(right_model(name) is not None for name in candidates):
            layout.values = "gains"
        else:
            _settle_by_measure(layout, candidates)
    # one column of 0 and 1 beside scores is likely their truth, which the question below offers first
    alone = binary if len(binary) == 1 and layout.values is None else []
    if 0 < len(binary) < len(candidates) and layout.told.models is None and not alone:
        layout.questions.append(_of_two_kinds(layout, candidates, binary))
    if layout.values == "gains" and len(binary) == len(candidates):
        layout.values = "right"
    if layout.values is None:
        numeric = [name for name in candidates if layout.column(name).is_numeric]
        strangers = sorted(candidates, key=_names_model)
        truths = list(dict.fromkeys([*like_truths(layout, numeric), *alone, *strangers]))
        truths = truths if len(truths) > 1 else []  # nothing would be left to predict it
        levels = _two_levels(layout, candidates) if len(binary) == len(candidates) else ()
        layout.questions.append(
            ask.which_values(
                layout.title,
                candidates,
                levels=levels,
                truths=truths,
                judged=_graded(layout, candidates),
            )
        )


def _settle_by_measure(layout: Layout, columns: Sequence[str]) -> None:
    """What crf_error and hmm_error are is said by the measure in their names, also of columns that were told."""
    measures = {measure for _, measure in models_by_measure(columns).values()}
    if len(measures) == 1:
        layout.values = "losses" if better_side(measures.pop()) == "lower" else "gains"


def _ask_about_strange(layout: Layout, candidates: Sequence[str]) -> None:
    """Ask about columns beside several that are called as models are: they may describe the items."""
    models = list(filter(_names_model, candidates))
    strange = [name for name in candidates if name not in models]
    asked = any(question.code == "models" for question in layout.questions)
    asked = asked or layout.values is None  # one of them may be told to be the truth
    if len(models) > 1 and strange and not asked and not layout.cells:
        why = f"{quoted(strange)} may describe the items: no name of a model."
        layout.questions.append(ask.which_models(layout.title, None, strange, models, why, strange))


def _names_model(name: str) -> bool:
    """Whether a column is called as a model is, or after its right answers."""
    return bool(right_model(name)) or any(map(is_model_name, (name, column_grammar(name)[0])))


def _two_levels(layout: Layout, names: Sequence[str]) -> tuple[str, ...]:
    """The two values of answers that are right or wrong: 0 and 1, or words."""
    columns = [layout.column(name) for name in names]
    if any(column.is_binary for column in columns):
        return ("0", "1")
    return tuple(sorted({repr(level) for column in columns for level in column.levels}))


def _of_two_kinds(layout: Layout, candidates: Sequence[str], binary: Sequence[str]) -> Question:
    rest = [name for name in candidates if name not in binary]
    verb = "holds" if len(binary) == 1 else "hold"
    why = f"{quoted(binary)} {verb} 0 and 1, {quoted(rest)} other numbers."
    return ask.which_models(layout.title, None, rest, list(binary), why)


def _graded(layout: Layout, candidates: Sequence[str]) -> tuple[str, str] | None:
    """Columns with gaps, and as many that have their values and none: people's grades, and a judge's."""
    columns = [layout.column(name) for name in candidates]
    numbers = [column for column in columns if column.is_numeric and column.present]
    gappy = [column for column in numbers if len(column.present) < len(column.cells)]
    whole = [column for column in numbers if len(column.present) == len(column.cells)]
    judges = [_judge_of(one, whole) for one in gappy]
    names = [one.name for one in judges if one is not None]
    if not gappy or len(set(names)) < len(gappy) or len(gappy) + len(names) < len(columns):
        return None
    return ",".join(one.name for one in gappy), ",".join(names)


def _judge_of(people: Profile, columns: Sequence[Profile]) -> Profile | None:
    """The column whose name has most words of that of people's grades, among those that have their values."""
    fit = [one for one in columns if people.levels <= one.levels]
    words = set(plain(people.name).split("_"))
    return max(fit, key=lambda one: len(words & set(plain(one.name).split("_"))), default=None)


def like_truths(layout: Layout, candidates: Sequence[str]) -> list[str]:
    """Columns that were taken for something else, but go with all candidates as a truth would."""
    candidates = [name for name in candidates if not layout.column(name).is_counter]
    others = [
        layout.column(n) for n in layout.table.names if n not in candidates and not is_bound(n)
    ]
    if not candidates or len(layout.column(candidates[0]).cells) < 3:
        return []  # two rows go together whatever they hold
    values = np.stack([layout.column(name).numbers for name in candidates])
    found = []
    for column in others:
        two = len(column.levels) == 2  # classes, of which either may go with high scores
        if not two and not column.is_numeric:
            continue
        high = max(column.levels)
        codes = [class_text(cell) == high for cell in column.cells] if two else column.numbers
        together = np.corrcoef(np.vstack([codes, values]))[0, 1:]
        if bool(((np.abs(together) if two else together) > ALIKE).all()):
            found.append(column.name)
    return found


def _states_loss(name: str) -> bool:
    """Whether a column is called the loss of a model: rf:loss, rf_loss; a weight loss is none."""
    _, kind, sure = column_grammar(name)
    return kind == "losses" and (sure or better_side(name) == "lower")


def _counts_rows(column: Profile) -> bool:
    numbered = column.is_unique and column.is_whole and len(column.cells) > 2
    return numbered and not predicting_models([column.name])


def _take_one_value(layout: Layout, candidates: Sequence[str]) -> None:
    """The one column of values of a table that names the model in another."""
    candidates = [n for n in candidates if not layout.column(n).is_constant] or candidates
    named = [n for n in candidates if plain(n) in RIGHT or better_side(n) is not None]
    asked = [n for n in candidates if plain(layout.told.measure or "") == plain(n)]
    chosen = asked or named or list(candidates) or layout.described_numbers()
    if len(chosen) > 1:
        layout.questions.append(
            ask.which_measure(layout.title, chosen, judged=_graded(layout, chosen))
        )
    if not chosen:
        refuse_words(layout)
    name = chosen[0]
    column = layout.column(name)
    if layout.values is None:
        side = "higher" if plain(name) in RIGHT else better_side(name)
        layout.values = None if side is None else "losses" if side == "lower" else "gains"
    if layout.values is None and column.is_outcome:
        layout.values = "gains"
    if layout.values == "gains" and (column.is_binary or column.may_be_outcome):
        layout.values = "right"
    if layout.values is None:
        judged = column.is_binary or column.may_be_outcome
        levels = _two_levels(layout, [name]) if judged else ()
        layout.questions.append(ask.which_values(layout.title, [name], levels=levels, truths=[]))
    layout.measure = name
    layout.models = {"": ModelColumns(losses=name)}
    layout.take(name, "values", "its name" if named or asked else "the only numbers")
    for other in layout.free():
        layout.take(other, "description", "no values of models")
