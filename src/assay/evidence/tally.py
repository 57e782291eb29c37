"""Counts of distinct rows: all that a label measure can see of a million predictions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import lt

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray, IndexArray, IntArray
from assay.core.errors import EvidenceError

_FEW_ROWS = 64
"""Up to so many rows are as a rule in order, and lists of them sooner looked through than arrays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTable:
    """Right and wrong of two models on the same items."""

    both_right: int
    only_a: int
    only_b: int
    both_wrong: int

    @property
    def n(self) -> int:
        return self.both_right + self.only_a + self.only_b + self.both_wrong

    @property
    def discordant(self) -> int:
        return self.only_a + self.only_b


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """Distinct rows (truth, prediction of each model) as class codes, with multiplicities.

    ``rows`` has one column for the truth and one per model; rows are in canonical
    (lexicographic) order, so equal data give equal bytes whatever engine counted them.
    ``weight_sums`` and ``weight_squares`` (of importance weights, per row) are None without weights.
    """

    classes: tuple[str, ...]
    models: tuple[str, ...]
    rows: IntArray
    counts: IntArray
    weight_sums: FloatArray | None = None
    weight_squares: FloatArray | None = None

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    def column(self, model: str) -> int:
        """The column of ``rows`` that holds the predictions of ``model``."""
        try:
            return 1 + self.models.index(model)
        except ValueError:
            raise EvidenceError(f"no model {model!r}; there are {', '.join(self.models)}") from None

    def confusion(self, model: str) -> FloatArray:
        """The confusion matrix of a model (rows truth, columns prediction), weighted if weights are."""
        flat = np.bincount(
            self.cells(model),
            weights=self.counts if self.weight_sums is None else self.weight_sums,
            minlength=len(self.classes) ** 2,
        )
        return flat.astype(np.float64).reshape(len(self.classes), len(self.classes))

    def cells(self, model: str) -> IntArray:
        """For each distinct row, the flat index of its cell in the model's confusion matrix."""
        return self.rows[:, 0] * len(self.classes) + self.rows[:, self.column(model)]

    def right(self, model: str) -> BoolArray:
        """For each distinct row, whether the model is right."""
        return np.asarray(self.rows[:, 0] == self.rows[:, self.column(model)])

    def paired_table(self, a: str, b: str) -> PairedTable:
        right_a, right_b = self.right(a), self.right(b)
        both = int(self.counts[right_a & right_b].sum())
        only_a = int(self.counts[right_a].sum()) - both
        only_b = int(self.counts[right_b].sum()) - both
        return PairedTable(
            both_right=both,
            only_a=only_a,
            only_b=only_b,
            both_wrong=self.n - both - only_a - only_b,
        )

    def select(self, *models: str) -> "Tally":
        """The tally of some of the models: rows that no longer differ are counted together."""
        if models == self.models:
            return self
        kept = self.rows[:, [0, *(self.column(model) for model in models)]]
        rows, place = distinct_rows(kept)
        sums, squares = (
            None if one is None else np.bincount(place, one, len(rows)).astype(np.float64)
            for one in (self.weight_sums, self.weight_squares)
        )
        return Tally(
            classes=self.classes,
            models=models,
            rows=rows,
            counts=summed_counts(self.counts, place, len(rows)),
            weight_sums=sums,
            weight_squares=squares,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusterTally:
    """A tally that remembers clusters: ``count`` items of ``cluster`` have distinct row ``row``.

    The three arrays are parallel and sparse, ordered by cluster, then row. ``weight_sums`` and
    ``weight_squares``, with importance weights, are parallel to them.
    """

    tally: Tally
    n_clusters: int
    cluster: IntArray
    row: IntArray
    count: IntArray
    weight_sums: FloatArray | None = None
    weight_squares: FloatArray | None = None

    def sizes(self) -> IntArray:
        """The number of items in each cluster."""
        return summed_counts(self.count, self.cluster, self.n_clusters)


def mixed_radix(columns: Sequence[NDArray[np.integer]], sizes: Sequence[int]) -> IntArray:
    """One number per row that orders rows lexicographically; compressed before it overflows.

    The answer may share memory with a lone column: read it, do not write it.
    """
    code: IntArray = columns[0].astype(np.int64, copy=False)
    span, ours = max(1, sizes[0]), False
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        if span * max(1, size) >= 2**62:
            levels, inverse = np.unique(code, return_inverse=True)
            code, span, ours = inverse.astype(np.int64), levels.size, True
        # a fresh million-row array costs more than the arithmetic: reuse our own
        code = np.multiply(code, max(1, size), out=code if ours else None)
        code += column
        span, ours = span * max(1, size), True
    return code


def distinct_rows(rows: IntArray) -> tuple[IntArray, IndexArray]:
    """Distinct rows in lexicographic order, and the place of each row among them."""
    if len(rows) <= _FEW_ROWS:
        listed = rows.tolist()
        if all(map(lt, listed, listed[1:])):
            return rows, np.arange(len(rows))
    if not rows.size:
        kept, place = np.unique(rows, axis=0, return_inverse=True)
        return kept, place.reshape(-1)
    sizes = (rows.max(axis=0) + 1).tolist()
    code = mixed_radix(list(rows.T), sizes)  # a row as one number: a hundred times faster to sort
    if math.prod(sizes) <= len(rows):  # each possible row has a place: no need to sort
        there = np.zeros(math.prod(sizes), dtype=np.bool_)
        there[code] = True
        kept = np.stack(np.unravel_index(np.flatnonzero(there), sizes), axis=1)
        return kept.astype(rows.dtype, copy=False), (np.cumsum(there) - 1)[code]
    _, first, place = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], place


def summed_counts(counts: IntArray, place: NDArray[np.integer], size: int) -> IntArray:
    """Whole-number sums by place; exact, unlike a weighted ``bincount``."""
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, place, counts)
    return total
