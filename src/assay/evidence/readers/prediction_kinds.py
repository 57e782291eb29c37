"""What a column can be beside the truth: labels, scores, values, or no prediction of it at all."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.evidence import open_questions as ask
from assay.evidence.cell_text import class_text, is_missing, number_or_nan, quoted
from assay.evidence.model_columns import column_grammar, predicting_models
from assay.evidence.name_parts import of_training, spread_of
from assay.evidence.names import (
    COSTS,
    is_description,
    is_model_name,
    plain,
    right_model,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.layout import Layout
from assay.kernels.ranks import midranks

FEWEST = 20
"""With fewer rows nothing is concluded from how a column goes with the truth."""
LEAST_KAPPA = 0.3
"""Agreement with the truth beyond chance from which on a column is a prediction, whatever it is called."""
LIKE, FEW_ROWS = 0.6, 3
"""Correlation, in more rows than a few, from which on numbers are like those of models or of the truth."""
MOST_SPREAD = 3.0
"""Predictions are seldom as much more spread than what they predict."""


def describes(name: str, truth: str = "") -> bool:
    """Whether a name describes an item; p, a p-value elsewhere, is a probability beside a truth.

    What the truth is called as well says what is predicted: beside true_age, cnn_age is of a model.
    """
    own = [word for word in plain(name).split("_") if word not in plain(truth).split("_")]
    return is_description("_".join(own) or name) and plain(name) != "p"


def kind_of(layout: Layout, column: Profile, truth: Profile, alone: str | None) -> str:
    """What a column can be beside the truth: labels, scores, values or no prediction at all."""
    name = column.name
    _, stated, surely = column_grammar(name, truth.levels)
    if (surely and (stated != "scores" or column.style != "words")) or name in layout.cells:
        return "stated"
    names = [*layout.table.names]
    if "conf" in name.lower():  # rf_conf beside pred_rf
        names += predicting_models(names)
    if spread_of(name, names) is not None:
        layout.take(name, "spread", "its name")
        return ""
    right = right_model(name)
    if (right or (right == "" and name != alone)) and not layout.table.deliberate:
        layout.take(name, "description", "says whether another column is right")
        return ""
    answers = layout.table.deliberate or name == alone
    if describes(name, truth.name) and not (answers and column.levels <= truth.levels):
        if _agrees(truth, column):  # models are called text and image too
            return "described"
        layout.take(name, "description", "its name")
        return ""
    if not column.present:
        layout.take(name, "left out", "it is empty")
        return ""
    if column.is_counter and not truth.is_counter and not layout.table.deliberate:
        layout.take(name, "description", "it counts the rows")
        return ""
    meant = is_model_name(name) or name == alone
    # one word that is a class of the truth is an answer; one number may describe the rows
    meant = (meant or not column.is_numeric) and column.levels <= truth.levels
    meant = meant or layout.table.deliberate
    if column.is_constant and not meant:
        layout.take(name, "description", "it has one value")
        return ""
    kind = _kind_by_values(layout, column, truth)
    numbered = column.is_unique and column.is_whole and not layout.table.deliberate
    if not kind and name == alone and not numbered:
        return "labels"  # what is wrong with it is told when it is read
    if not kind:
        layout.take(name, "description", "its values are not on the truth's scale")
    return kind


def _kind_by_values(layout: Layout, column: Profile, truth: Profile) -> str:
    is_value = truth.is_numeric and not _is_classes(truth, layout)
    if is_value:
        numbered = column.is_unique and column.is_whole and not truth.is_whole
        if not column.is_numeric or numbered:
            return ""
        meant = layout.table.deliberate or is_model_name(column.name)
        return "values" if meant or _on_scale(column, truth) else "numbers"
    if column.levels <= truth.levels or (column.levels & truth.levels and not column.is_numeric):
        return "labels"
    if column.is_numeric and column.is_whole and truth.is_numeric and len(truth.levels) > 2:
        return "labels" if column.levels & truth.levels else ""
    if column.is_numeric and len(truth.levels) <= 2:
        if column.is_unique and column.is_whole and len(column.cells) > 2:
            return ""
        named = is_model_name(column.name) or is_model_name(column_grammar(column.name)[0])
        return "scores" if column.in_unit or named else "numbers"
    return ""


def _on_scale(column: Profile, truth: Profile) -> bool:
    """Whether a column's values could be predictions of a number: about as large, about as spread."""
    inside = truth.low <= float(np.median(column.finite)) <= truth.high
    spread = float(np.std(column.finite)) / max(float(np.std(truth.finite)), 1e-300)
    return inside and spread < MOST_SPREAD


def _is_classes(truth: Profile, layout: Layout) -> bool:
    """Whether a truth of numbers holds classes: few whole numbers, predicted by such numbers."""
    if not truth.is_whole:
        return False
    if len(truth.levels) <= 2:
        return True
    few = len(truth.levels) <= 20 or len(truth.levels) * 10 <= len(truth.cells)
    columns = [layout.column(name) for name in layout.free() if layout.column(name).is_numeric]
    if not few:
        return bool(columns) and all(column.levels <= truth.levels for column in columns)
    return (
        any(column.is_whole and column.levels & truth.levels for column in columns) or not columns
    )


def _agrees(truth: Profile, column: Profile) -> bool:
    """Whether a column has classes of the truth, scores or numbers like it, and is mostly right: no description is."""
    pairs = _pairs(truth, column)
    if len(pairs) < FEWEST or len(column.levels) < 2:
        return False
    if column.levels <= truth.levels:
        agreed, chance = _agreement(pairs)
        return agreed - chance > LEAST_KAPPA * (1.0 - chance)
    if not column.is_numeric or column.is_whole:
        return False
    if len(truth.levels) == 2 and column.in_unit:
        codes = np.array([class_text(cell) == max(truth.levels) for cell in truth.cells], float)
        return abs(correlation(codes, column.numbers)) > LEAST_KAPPA
    like = truth.is_numeric and not truth.is_whole and _on_scale(column, truth)
    return like and correlation(truth.numbers, column.numbers) > LIKE


def ask_about_described(layout: Layout, columns: Sequence[str]) -> None:
    """Ask about a column that is called as descriptions are, but goes with those of models and has such numbers."""
    if not columns or layout.told.models is not None:
        return
    known = np.stack([layout.column(name).numbers for name in columns])
    low, high, mean = known.min(), known.max(), known.mean(axis=0)
    named = [n for n, why in layout.why.items() if why == ("description", "its name")]
    named = [n for n in named if not {*plain(n).split("_")} & COSTS]
    numbers = [layout.column(n) for n in named if layout.column(n).is_numeric]
    near = [c for c in numbers if not c.is_whole and low <= np.median(c.finite) <= high]
    like = [c.name for c in near if correlation(c.numbers, mean) > LIKE]
    if np.isin(
        known, (0.0, 1.0)
    ).all():  # right and wrong answers, of which many are to hard questions
        flags = [c for c in numbers if c.is_binary]
        like = [c.name for c in flags if correlation(c.numbers, mean) > LEAST_KAPPA]
    if like and len(mean) > FEW_ROWS:
        why = f"{quoted(like)} {'has' if len(like) == 1 else 'have'} numbers like theirs."
        layout.questions.append(ask.which_models(layout.title, None, like, columns, why))


def ask_about_training(layout: Layout, columns: Sequence[str]) -> None:
    """Ask about columns called rf_train beside rf_test: both are scores of one model."""
    trained = of_training(columns) if layout.told.models is None else []
    if trained:
        rest = [name for name in columns if name not in trained]
        why = f"{quoted(trained)} {'is' if len(trained) == 1 else 'are'} of training data."
        layout.questions.append(ask.which_models(layout.title, None, trained, rest, why))


def _pairs(truth: Profile, column: Profile) -> list[tuple[Any, Any]]:
    """The cells of both columns in the rows in which neither is empty; none where the truth is of another table."""
    if len(truth.cells) != len(column.cells):
        return []
    both = zip(truth.cells, column.cells, strict=True)
    return [(a, b) for a, b in both if not is_missing(a) and not is_missing(b)]


def _agreement(pairs: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    """The share of pairs of one class, and what it would be by chance."""
    first, second = (Counter(map(class_text, cells)) for cells in zip(*pairs, strict=True))
    chance = sum(first[c] * second[c] for c in first) / len(pairs) ** 2
    return sum(class_text(a) == class_text(b) for a, b in pairs) / len(pairs), chance


def informative(truth: Profile, column: Profile) -> bool:
    """Whether a column goes with the truth more than chance would have it."""
    pairs = _pairs(truth, column)
    n = len(pairs)
    if n < FEWEST or column.is_constant:
        return True
    if column.levels <= truth.levels or not column.is_numeric:
        agreed, chance = _agreement(pairs)
        return agreed - chance > 2.0 * math.sqrt(chance * (1.0 - chance) / n)
    values = np.array([number_or_nan(b) for _, b in pairs])
    if truth.is_numeric and len(truth.levels) > 2:
        targets = np.array([number_or_nan(a) for a, _ in pairs])
        return abs(correlation(targets, values)) > 2.0 / math.sqrt(n)
    positive = np.array([class_text(a) == max(truth.levels) for a, _ in pairs], dtype=np.float64)
    known = np.isfinite(values)
    found = correlation(positive[known], midranks(values[known]))
    return abs(found) > 2.0 / math.sqrt(n)


def correlation(a: FloatArray, b: FloatArray) -> float:
    """Pearson's correlation where both are numbers; 0 where it is undefined."""
    kept = np.isfinite(a) & np.isfinite(b)
    if not kept.any():
        return 0.0
    sized = (one[kept] / (float(np.abs(one[kept]).max()) or 1.0) for one in (a, b))
    a, b = (one - one.mean() for one in sized)
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale else 0.0
