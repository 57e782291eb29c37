"""Rows that are no data: totals at the foot and repeated headers left out, merged names filled in."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.measure_names import better_side
from assay.evidence.cell_text import is_missing, number_of, number_or_nan
from assay.evidence.names import is_summary, known_as, place_of
from assay.evidence.profile import Profile, written_number
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.reading_options import Told

FEWEST_SUMMED = 4
"""Rows from which on it is no chance that the last is the mean of the others in all columns."""
CHANCE = 0.02
"""Rounding, in standard deviations, from which on a row may well be the mean of the others by chance."""


def with_own_rows(table: SourceTable, told: Told) -> tuple[SourceTable, list[str]]:
    """The table without rows that are no data, and the names of those at its foot that sum it up."""
    columns = table.profiles()
    whole = all(column.complete for column in columns.values())
    if not (whole or table.arrays):
        return table, []
    if whole:
        table = _without_headers(table, columns)
    if any(column.missing for column in columns.values()):
        table = _with_merged_names(_without_empty(table))
    named = any(column.missing or not column.is_numeric for column in table.profiles().values())
    return _without_foot(table, told) if named else (table, [])


def read_numbers(cells: Iterable[Any]) -> FloatArray:
    """The numbers of cells, NaN where there is none."""
    return np.array([number_or_nan(cell) for cell in cells])


def _without_headers(table: SourceTable, columns: Mapping[str, Profile]) -> SourceTable:
    """The table without rows that name the columns again, as files put one below the other have them."""
    if len(columns) < 2 or not all(name in column.cells for name, column in columns.items()):
        return table
    rows = zip(*(column.cells for column in columns.values()), strict=True)
    kept = [place for place, row in enumerate(rows) if row != tuple(columns)]
    return table.in_memory().taken(np.array(kept))


def _without_empty(table: SourceTable) -> SourceTable:
    """The table without rows in which every cell is blank, as spreadsheets leave them."""
    seen = zip(*(column.cells for column in table.profiles().values()), strict=True)
    if not any(all(map(is_missing, row)) for row in seen):
        return table
    table = table.in_memory()
    rows = zip(*(cells.tolist() for cells in table.arrays.values()), strict=True)
    kept = [place for place, row in enumerate(rows) if not all(map(is_missing, row))]
    return table.taken(np.array(kept))


def _with_merged_names(table: SourceTable) -> SourceTable:
    """The name above for cells that were merged with it, where with the other names it tells all rows apart."""
    columns = table.profiles().values()
    keys = [one for one in columns if place_of(one.name) or known_as(one.name, "id")]
    # a name is merged over two rows or more; a single gap is one
    merged = [
        one for one in keys if one.missing >= len(one.present) > 0 and not is_missing(one.cells[0])
    ]
    names = {one.name: list(accumulate(one.cells, _or_above)) for one in keys if merged}
    texts = [map(str, cells) for cells in names.values()]  # a cell may hold a list
    if len(names) < 2 or len(set(zip(*texts, strict=True))) < len(keys[0].cells):
        return table
    table = table.in_memory()
    for one in merged:
        table = table.with_array(one.name, np.array(names[one.name], dtype=object))
    return table


def _or_above(above: Any, cell: Any) -> Any:
    return above if is_missing(cell) else cell


def _without_foot(table: SourceTable, told: Told) -> tuple[SourceTable, list[str]]:
    """The table without the rows at its foot that sum up those above, and their names."""
    first, *others = columns = list(table.profiles().values())
    arrays = table.in_memory().arrays
    names: list[str] = []
    end = len(arrays[first.name])
    truths = (
        [told.truth] if told.truth else [one.name for one in columns if known_as(one.name, "truth")]
    )
    of_items = bool(truths or told.correct or told.losses or told.unit == "item")
    texts = [one.name for one in columns if one is first or not one.is_numeric]
    values = [
        np.array([written_number(cell, one.style) for cell in arrays[one.name]]) for one in others
    ]
    values = [column for column in values if np.isfinite(column).sum() * 2 > column.size]
    numbered = sum(number_of(cell) is not None for cell in first.cells) >= len(first.cells) - 3
    while end > 2 and (values or of_items):
        name, nameless = _name_of([arrays[name][end - 1] for name in texts])
        called = is_summary(name) or (of_items and better_side(name) is not None)
        named = called or nameless
        sums = _sums_up(values, end, named=named, plain=of_items or nameless)
        if of_items:  # an item may be called so
            stranger = called or (numbered and name.replace(" ", "").isalpha())
            untold = any(one in arrays and is_missing(arrays[one][end - 1]) for one in truths)
            signs = (stranger, untold, _is_unlike(values, end), sums)
            leaves = sum(signs) > 1 and (named or stranger)
        else:
            leaves = sums or called
        filled = sum(not is_missing(column[end - 1]) for column in arrays.values())
        spaced = any(" " in str(cell) for cell in first.cells[: end // 2])
        remark = " " in name and filled == 1 and not spaced
        if not (leaves or remark) or (end <= FEWEST_SUMMED and not (remark or (called and sums))):
            break
        end -= 1
        names.insert(0, name or "without a name")
    return table.in_memory().taken(np.arange(end)) if names else table, names


def _name_of(cells: Sequence[Any]) -> tuple[str, bool]:
    """What a row is called in its first cell or in its only one of words, and whether it is called nothing at all."""
    words = [str(one) for one in cells if not is_missing(one) and number_of(one) is None]
    alone = words if len(words) == 1 else [""]
    first = "" if is_missing(cells[0]) else str(cells[0])
    return alone[0] if not first or words == alone else first, not (first or words)


def _is_unlike(values: Sequence[FloatArray], end: int) -> bool:
    """Whether all numbers of a row are fractions where those above are whole, or larger than any of them."""
    last = [
        (column[end - 1], column[: end - 1]) for column in values if not np.isnan(column[end - 1])
    ]
    above = [(value, of[np.isfinite(of)]) for value, of in last]
    return bool(above) and all(
        value > of.max() or (value % 1 > 0 and (of % 1 == 0).all())
        for value, of in above
        if of.size
    )


def _sums_up(values: Sequence[FloatArray], end: int, *, named: bool, plain: bool) -> bool:
    """Whether a row holds the mean, median or sum of the rows above in every column, or in those it has."""
    values = [column for column in values if not named or np.isfinite(column[end - 1])]
    last = np.array([column[end - 1] for column in values])
    above = [column[: end - 1] for column in values]
    above = [column[np.isfinite(column)] for column in above] if named else above
    if len(values) < 2 - named or not all(one.size > 1 and np.isfinite(one).all() for one in above):
        return False
    if not np.isfinite(last).all():
        return False
    if not named and all(value in column for value, column in zip(last, above, strict=True)):
        return False  # a row like the others
    digits = max(len(f"{value:.9g}".partition(".")[2]) for value in last)  # a mean may be rounded
    whole = plain and digits == 0  # a right answer is 1, and no mean of answers
    near = 1e-9 if whole else 0.51 * 10.0**-digits
    if not named and any(near > CHANCE * column.std() for column in above):
        return False
    made = (np.mean, np.sum, np.median, np.std, partial(np.std, ddof=1))[: 2 if whole else None]
    return any(
        all(abs(value - of(column)) <= near for value, column in zip(last, above, strict=True))
        for of in made
    )
