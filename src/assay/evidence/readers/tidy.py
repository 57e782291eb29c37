"""Tables whose numbers are written as people write them: 0,68, 68.1%, 0.68 ± 0.02, n/a."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.core.questions import Question
from assay.evidence import open_questions as ask
from assay.evidence.cell_text import is_missing, number_of, shortened
from assay.evidence.profile import Profile, Style, unsure_commas, written_number, written_spread
from assay.evidence.readers.source_tables import Table
from assay.evidence.rows_memory import Array
from assay.evidence.told import Told

MOST_CELLS = 20_000_000
"""Cells that are written anew in memory."""


def tidied(table: Table, told: Told) -> tuple[Table, dict[str, Profile], list[Question]]:
    """The table with plain numbers, its profiles, and a question where 1,234 may be two things."""
    profiles = table.profiles()
    written = {name: one.style for name, one in profiles.items() if _is_written(one)}
    divided = [name for name in told.percent if name in table.names]
    unknown = [name for name in told.percent if name not in table.names]
    if unknown:
        raise EvidenceError(f"{table.title} has no column {unknown[0]!r} to be in per cent")
    if not written and not divided:
        return table, profiles, []
    questions = []
    for name, style in written.items():
        if style == "comma" and told.decimal is None and unsure_commas(profiles[name]):
            example = str(profiles[name].present[0])
            questions.append(ask.which_decimal(name, example))
            break
    loaded = table.loaded(table.names)
    if len(loaded) * len(next(iter(loaded.values()))) > MOST_CELLS:
        raise EvidenceError(
            f"{table.title} is too large to be written anew with plain numbers "
            f"({shortened(profiles[next(iter(written))].present[0])}); write decimals with a point"
        )
    arrays: dict[str, Array] = {}
    for name, array in loaded.items():
        arrays[name] = array
        if name in written:
            arrays[name] = _numbers(array.tolist(), written[name], told, name, table.title)
            if written[name] == "spread":
                spreads = [written_spread(cell) for cell in array.tolist()]
                arrays[f"{name}_sd"] = np.array([np.nan if s is None else s for s in spreads])
        if name in divided and written.get(name) != "percent":
            found = [number_of(cell) for cell in arrays[name].tolist()]
            arrays[name] = np.array([np.nan if n is None else n / 100.0 for n in found])
    stem, names = table.stem, tuple(arrays)
    plain_table = Table(title=table.title, stem=stem, names=names, arrays=arrays)
    plain_table = replace(plain_table, deliberate=table.deliberate)
    return plain_table, plain_table.profiles(), questions


def _is_written(column: Profile) -> bool:
    """Whether cells of a column of numbers are written otherwise than as plain numbers."""
    if column.array is not None:
        return False
    if column.style in ("comma", "thousands", "percent", "spread"):
        return True
    return column.style == "numbers" and any(number_of(cell) is None for cell in column.present)


def _numbers(cells: Sequence[Any], style: Style, told: Told, name: str, title: str) -> Array:
    """The numbers of a column; a cell that is none is named with its line."""
    numbers = np.empty(len(cells))
    for place, cell in enumerate(cells):
        if style == "comma" and told.decimal == "point" and isinstance(cell, str):
            cell = cell.replace(",", "")  # noqa: PLW2901
        numbers[place] = written_number(cell, style)
        if np.isnan(numbers[place]) and not is_missing(cell) and len(str(cell)) > 0:
            word = str(cell).strip()
            if any(mark.isdigit() for mark in word):
                raise EvidenceError(
                    f"line {place + 2} of {title}, column {name!r}: {shortened(word)} is not a number; "
                    "repair it, or leave the column out with ignore="
                )
    return numbers
