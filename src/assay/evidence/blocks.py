"""Scores of many models on the same blocks (data sets, folds, items): one table, names kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_floats
from assay.core.errors import EvidenceError
from assay.core.vocabulary import Direction
from assay.kernels.ranks import midranks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocks:
    """Rows are blocks, columns models; a missing cell is NaN."""

    models: tuple[str, ...]
    values: FloatArray
    names: tuple[str, ...] | None = None
    known: dict[Direction, FloatArray] = field(init=False, default_factory=dict, repr=False)
    """Ranks that were worked out: several tests of one table ask for the same."""

    @property
    def n(self) -> int:
        return int(self.values.shape[0])

    @property
    def k(self) -> int:
        return int(self.values.shape[1])

    def badness(self, direction: Direction) -> FloatArray:
        """The values turned so that the best is smallest and has rank 1."""
        return -self.values if direction == "higher" else self.values

    def ranks(self, direction: Direction) -> FloatArray:
        """The rank of each model within its block, the best 1; ties share the mean of theirs."""
        if direction not in self.known:
            self.known[direction] = midranks(self.badness(direction))
            self.known[direction].flags.writeable = False  # they are handed out more than once
        return self.known[direction]

    def name(self, row: int) -> str:
        return f"row {row + 1}" if self.names is None else self.names[row]


def as_blocks(blocks: Any, *, missing: bool = False, models: int = 2) -> Blocks:
    """A matrix, a mapping of model names to columns, or a frame, as one table.

    In a frame one column of text may name the blocks. Missing cells are refused by name unless
    ``missing``, and so are tables with fewer than ``models`` models. A finished study gives the
    scores of its first measure, by data set or by split.
    """
    from assay.evidence.frames import is_frame

    if hasattr(type(blocks), "as_evidence"):
        scores = blocks.as_evidence()
        blocks = scores.blocks(scores.measures[0])
    if isinstance(blocks, Blocks):
        table = blocks
    elif isinstance(blocks, Mapping):
        table = _from_mapping(blocks)
    elif is_frame(blocks):
        table = _from_frame(blocks)
    else:
        table = numbered(_numbers(blocks, "blocks"))
    _check(table, missing=missing, models=models)
    return table


def numbered(values: FloatArray) -> Blocks:
    """A table of models that have no names."""
    names = tuple(f"model {place + 1}" for place in range(values.shape[-1]))
    return Blocks(models=names, values=values)


def _numbers(values: Any, what: str) -> FloatArray:
    meant = (
        "a table of numbers: a row per data set (or fold, or item), a column per model "
        "(a mapping of model names to columns, or a frame, is also accepted)"
    )
    array = as_floats(values, what, meant=meant)
    if array.ndim != 2:
        raise EvidenceError(f"{what} must be {meant}; got shape {array.shape}")
    return array.copy()


def _from_mapping(columns: Mapping[Any, Any]) -> Blocks:
    names = tuple(map(str, columns))
    arrays = [
        as_floats(one, f"the scores of {name}")
        for name, one in zip(names, columns.values(), strict=True)
    ]
    for name, array in zip(names, arrays, strict=True):
        if array.ndim != 1:
            raise EvidenceError(
                f"the scores of {name} must be one list of numbers; got shape {array.shape}"
            )
    if len({array.size for array in arrays}) > 1:
        listed = ", ".join(
            f"{name} has {one.size}" for name, one in zip(names, arrays, strict=True)
        )
        raise EvidenceError(f"every model needs one score per block, in the same order; {listed}")
    values = np.column_stack(arrays) if arrays else np.empty((0, 0))
    return Blocks(models=names, values=values)


def _from_frame(frame: Any) -> Blocks:
    from assay.evidence.readers.objects import columns_of

    columns = columns_of(frame, "the table")
    words = [name for name, column in columns.items() if column.dtype.kind not in "biuf"]
    if len(words) > 1:
        raise EvidenceError(
            f"one column of text may name the blocks; {', '.join(words)} are not numbers. For a "
            "long table (one row per score) pivot it first: rows data sets, columns models"
        )
    names = tuple(map(str, columns.pop(words[0]).tolist())) if words else None
    if not columns:
        raise EvidenceError("the table has no column of numbers: columns are models")
    values = np.column_stack(list(columns.values())).astype(np.float64)
    return Blocks(models=tuple(columns), values=values, names=names)


def _check(table: Blocks, *, missing: bool, models: int) -> None:
    if table.n == 0 or table.k < models:
        raise EvidenceError(
            f"comparing needs at least one block and {models} models; got {table.n} x {table.k}"
        )
    if len(set(table.models)) < table.k:
        raise EvidenceError("every model needs its own name")
    wrong = np.isinf(table.values) if missing else ~np.isfinite(table.values)
    if not wrong.any():
        return
    bad = np.argwhere(wrong)
    cells = ", ".join(f"{table.name(row)} of {table.models[column]}" for row, column in bad[:5])
    more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
    raise EvidenceError(
        f"{len(bad)} missing or infinite scores: {cells}{more}; leave these blocks out for every "
        "model, or use skillings_mack, which allows for missing cells"
    )
