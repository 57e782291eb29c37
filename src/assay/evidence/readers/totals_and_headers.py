"""Rows that are no data: totals at the foot and repeated headers left out, merged names filled in."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.measure_names import better_side
from assay.evidence.cell_text import is_missing, number_or_nan
from assay.evidence.names import is_summary, known_as, place_of
from assay.evidence.profile import Profile
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.reading_options import Told

FEWEST_SUMMED = 4
"""Rows from which on it is no chance that the last is the mean of the others in all columns."""
CHANCE = 0.02
"""Rounding, in standard deviations, from which on a row may well be the mean of the others by chance."""


def with_own_rows(table: SourceTable, told: Told) -> tuple[SourceTable, list[str]]:
    """The table without rows that are no data, and the names of those at its foot that sum it up."""
    columns = table.profiles()
    if not all(column.complete for column in columns.values()):
        return table, []
    table = _without_headers(table, columns)
    if any(column.missing for column in columns.values()):
        table = _with_merged_names(table)
    return (table, []) if told.truth else _without_foot(table, told)


def read_numbers(cells: Iterable[Any]) -> FloatArray:
    """The numbers of cells, NaN where there is none."""
    return np.array([number_or_nan(cell) for cell in cells])


def _without_headers(table: SourceTable, columns: Mapping[str, Profile]) -> SourceTable:
    """The table without rows that name the columns again, as files put one below the other have them."""
    if not all(name in column.cells for name, column in columns.items()):
        return table
    rows = zip(*(column.cells for column in columns.values()), strict=True)
    kept = [place for place, row in enumerate(rows) if row != tuple(columns)]
    return table.in_memory().taken(np.array(kept))


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
    columns = list(table.profiles().values())
    first, names = columns[0], []  # type: Profile, list[str]
    truth = any(known_as(column.name, "truth") for column in columns)
    if truth or first.is_numeric or first.array is not None:
        return table, names
    of_items = told.correct or told.losses or told.unit == "item"
    values = [column.numbers for column in columns[1:]]
    values = [column for column in values if column.size and np.isfinite(column).mean() > 0.5]
    end = len(first.cells)
    while end > FEWEST_SUMMED and values:
        name = "" if is_missing(first.cells[end - 1]) else str(first.cells[end - 1])
        called = is_summary(name) or (of_items and better_side(name) is not None)
        signs = (called, _sums_up(values, end, named=called))
        if not (all(signs) if of_items else any(signs)):  # an item may be called so
            break
        end -= 1
        names.insert(0, name)
    return table.in_memory().taken(np.arange(end)) if names else table, names


def _sums_up(values: Sequence[FloatArray], end: int, *, named: bool) -> bool:
    """Whether a row holds the mean, median or sum of the rows above in every column."""
    if len(values) < 2:
        return False
    last = np.array([column[end - 1] for column in values])
    above = np.stack([column[: end - 1] for column in values])
    if not np.isfinite(last).all() or not np.isfinite(above).all():
        return False
    if not named and all(value in column for value, column in zip(last, above, strict=True)):
        return False  # a row like the others
    digits = max(len(str(value).partition(".")[2]) for value in last)  # a mean may be rounded
    near = 0.51 * 10.0**-digits
    if not named and (near > CHANCE * above.std(axis=1)).any():
        return False
    made = [above.mean(axis=1), np.median(above, axis=1), above.sum(axis=1)]
    made += [above.std(axis=1), above.std(axis=1, ddof=1)] if above.shape[1] > 1 else []
    return any(bool((np.abs(last - one) <= near).all()) for one in made)
