"""Tables with items in columns, or with two models in a row, as tables with a row for each item (and model)."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.evidence.names import WINNER, known_as, place_of, plain
from assay.evidence.readers.objects import as_array
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.reading_options import Told

FEWEST_ITEMS = 20
"""Columns of 0 and 1 from which on they are no scores that happen to be round."""
_SIDE = re.compile(r"(?P<stem>.+?)[ _-]?(?P<side>[12ab])")


def upright(tables: Sequence[SourceTable], told: Told) -> tuple[Sequence[SourceTable], Told]:
    """Every table with a row for each item; what was told about rows that were turned is then settled."""
    turned = [_turned(table, told) for table in tables]
    if any(table is not before for table, before in zip(turned, tables, strict=True)):
        told = replace(told, models_in_rows=False)
    return [table if told.models else _one_below_the_other(table) for table in turned], told


def _turned(table: SourceTable, told: Told) -> SourceTable:
    """A table with items in columns and the truth, or right and wrong, in rows: turned; others as they are."""
    (first, *items), truth = table.names, told.truth
    if place_of(first) not in (None, "model"):  # data sets or folds, of which one is called y
        return table
    cells = [str(cell) for cell in table.arrays.get(first, ())]
    truths = [
        cell for cell in cells if cell == truth or (truth is None and known_as(cell, "truth"))
    ]
    if len(set(cells)) < len(cells) or not 1 < len(cells) < len(items):
        return table
    if len(truths) != 1 and not (place_of(first) == "model" and _are_answers(table, items, told)):
        return table
    rows = zip(*(table.arrays[item].tolist() for item in items), strict=True)
    arrays = {cell: as_array(row, cell) for cell, row in zip(cells, rows, strict=True)}
    if any(array.ndim > 1 for array in arrays.values()):  # cells that are lists
        return table
    return table.holding({"item": np.array(items, dtype=object), **arrays})


def _are_answers(table: SourceTable, items: Sequence[str], told: Told) -> bool:
    """Whether many columns hold answers, right or wrong, and not scores on data sets."""
    judged = told.correct or told.losses or told.unit == "item" or len(items) >= FEWEST_ITEMS
    return judged and all(table.profiles()[item].is_binary for item in items)


def _one_below_the_other(table: SourceTable) -> SourceTable:
    """A table with model_1, score_1, model_2 and score_2 as one of model and score; others as they are."""
    sides: dict[str, dict[str, str]] = {}
    for name in table.names:
        if found := _SIDE.fullmatch(plain(name)):
            sides.setdefault(found["stem"], {})[found["side"]] = name
    twins = {stem: of for stem, of in sides.items() if len(of) == 2}
    models = [stem for stem in twins if place_of(stem) == "model"]
    numbers = table.profiles() if len(models) == 1 and len(twins) > 1 else {}
    valued = [
        of
        for of in twins.values()
        if all(n in numbers and numbers[n].is_numeric for n in of.values())
    ]
    if not valued or any(plain(n) in WINNER or known_as(n, "truth") for n in table.names):
        return table
    named = twins[models[0]].values()
    if any(numbers[name].is_numeric for name in named):
        return table  # scores of method1 and method2
    words = {word for name in named for word in numbers[name].levels}
    used = {name for of in twins.values() for name in of.values()}
    if any(words & one.levels for name, one in numbers.items() if name not in used):
        return table  # classes, which a truth shares
    held = table.in_memory().arrays
    shared = {name: np.tile(array, 2) for name, array in held.items() if name not in used}
    stacked = {
        stem: np.concatenate([held[name] for name in of.values()]) for stem, of in twins.items()
    }
    return table.holding({**shared, **stacked})
