"""Scores of many models on the same blocks (data sets, folds, items): one table, names kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
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
        values = _numbers(blocks, "blocks")
        names = tuple(f"model {place + 1}" for place in range(values.shape[-1]))
        table = Blocks(models=names, values=values)
    _check(table, missing=missing, models=models)
    return table


def _numbers(values: Any, what: str) -> FloatArray:
    if not isinstance(values, str):
        try:
            array = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(())
        if array.ndim == 2:
            return array
    raise EvidenceError(
        f"{what} must be a rectangle of numbers, rows data sets (or folds, items) and columns "
        "models; a mapping of model names to columns or a frame will do as well"
    )


def _from_mapping(columns: Mapping[Any, Any]) -> Blocks:
    sizes = {str(name): len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise EvidenceError(f"every model needs one score per block, in the same order; {listed}")
    values = _numbers([list(column) for column in columns.values()], "blocks").T
    return Blocks(models=tuple(sizes), values=values)


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
