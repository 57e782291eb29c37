"""Tables as learners take them: columns of cells to a matrix of features, a target and groups.

Missing values and categories stay as they are; making numbers of them is part of the learner.
"""

import csv
import gzip
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cell_text import (
    MISSING_WORDS,
    class_text,
    is_missing,
    number_of,
    plural,
    quoted,
)

Task = Literal["classification", "regression"]
Cells = NDArray[Any]
Columns = Mapping[str, Cells]

MANY_VALUES = 20
"""A target of numbers with more distinct values than this is a quantity, not a class."""

LARGEST_CODE = 2**53
"""Whole numbers beyond it are not all told apart as floats."""

_CODE = re.compile(r"[+-]?0[0-9]")
"""Text such as 007: a code, although it could be read as a number."""


def read_strict(path: Path) -> dict[str, Cells]:
    """A CSV file in UTF-8 with commas and one header line, plain or gzipped, as texts."""
    opener: Callable[..., Any] = gzip.open if path.suffix == ".gz" else Path.open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file, strict=True))
    except OSError as error:
        raise EvidenceError(f"cannot read {path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error, EOFError) as error:
        raise EvidenceError(f"{path} is not CSV in UTF-8: {error}") from None
    if len(lines) < 2:
        raise EvidenceError(f"{path} has no rows of data")
    header, *rows = lines
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise EvidenceError(
                f"{path}, line {number}: {len(row)} cells where the header has {len(header)}"
            )
    if len(set(header)) < len(header):
        raise EvidenceError(f"{path} has two columns of the same name: {quoted(header)}")
    return {
        name: _objects(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)
    }


def read_any(source: Any) -> dict[str, Cells]:
    """The columns of a CSV, Parquet or JSON lines file, or of any frame."""
    from assay.evidence.readers.source_tables import open_sources

    (table,) = open_sources([source])
    return dict(table.loaded(table.names))


def feature(cells: Cells, *, categorical: bool = False) -> Cells:
    """A column of numbers (NaN where missing) or of categories (None where missing)."""
    numbers = None if categorical else _numbers(cells)
    if numbers is not None:
        return numbers
    listed = cells.tolist()
    return _objects([None if _gone(cell) else class_text(cell) for cell in listed])


def matrix(features: Columns) -> Cells:
    """Feature columns side by side: floats where all are numbers, else objects."""
    if not features:
        raise EvidenceError("there is no column of features beside the target")
    columns = list(features.values())
    if all(column.dtype == np.float64 for column in columns):
        return np.column_stack(columns)
    mixed = np.empty((columns[0].size, len(columns)), dtype=object)
    for place, column in enumerate(columns):
        mixed[:, place] = column
    return mixed


def target_of(cells: Cells, task: Task | None, name: str) -> Cells:
    """The target as classes or as numbers; what it is not told it judges by the values."""
    numbers = _numbers(cells)
    gone = sum(map(_gone, cells.tolist())) if numbers is None else int(np.isnan(numbers).sum())
    if gone:
        raise EvidenceError(
            f"the target {name!r} is missing in {plural(gone, 'row')}: drop them first, assay does "
            "not guess"
        )
    if numbers is not None and np.isinf(numbers).any():
        raise EvidenceError(f"the target {name!r} has infinite values: drop or repair them first")
    if task == "regression":
        if numbers is None:
            raise EvidenceError(f"a regression needs numbers; the target {name!r} has others")
        return numbers
    if numbers is not None:
        if task is None and task_of(numbers) == "regression":
            return numbers
        if np.all((numbers == np.trunc(numbers)) & (abs(numbers) <= LARGEST_CODE)):
            return numbers.astype(np.int64)
    return _objects([class_text(cell) for cell in cells.tolist()])


def task_of(y: NDArray[Any]) -> Task:
    """Fractions and many distinct numbers are a quantity; everything else is classes."""
    if y.dtype.kind not in "iuf":
        return "classification"
    whole = bool((y == np.trunc(y)).all())
    return "classification" if whole and np.unique(y).size <= MANY_VALUES else "regression"


def group_codes(cells: Cells, name: str) -> Cells:
    """Groups as texts; every row belongs to one."""
    if any(map(is_missing, cells.tolist())):
        raise EvidenceError(
            f"the group column {name!r} has missing values: every row needs a group"
        )
    return _objects([class_text(cell) for cell in cells.tolist()])


def check_columns(names: Collection[str], wanted: Collection[str | None], what: str) -> None:
    """Refuse a column that is not there, naming those that are."""
    for name in wanted:
        if name is not None and name not in names:
            raise UsageError(f"{what} has no column {name!r}; it has {quoted(names, 20)}")


def _numbers(cells: Cells) -> FloatArray | None:
    """A column as numbers, NaN where missing; None where it holds anything else, or nothing."""
    if cells.dtype.kind in "fiu":
        return cells.astype(np.float64)
    listed = cells.tolist()
    if any(isinstance(cell, str) and _CODE.match(cell.strip()) for cell in listed):
        return None
    gone = [_gone(cell) or _is_word_for_missing(cell) for cell in listed]
    numbers = [
        float("nan") if lacks else number_of(cell) for cell, lacks in zip(listed, gone, strict=True)
    ]
    if all(gone) or any(number is None for number in numbers):
        return None
    return np.array(numbers, dtype=np.float64)


def _gone(cell: Any) -> bool:
    return is_missing(cell) or cell == "?"


def _is_word_for_missing(cell: Any) -> bool:
    """Words such as NA say "missing" among numbers; among words they may be a category."""
    return isinstance(cell, str) and cell.strip().lower() in MISSING_WORDS


def _objects(values: Any) -> Cells:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array
