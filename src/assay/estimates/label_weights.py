"""Label measures as functions of weights on rows, on whole clusters, or on rows that weigh differently."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import AnyIntArray, FloatArray
from assay.measures.registry import Measure

Function = Callable[[NDArray[Any]], FloatArray]
"""Weights on cells ``(replicates, cells)`` to values ``(replicates, models)``."""

MATRIX_CLASSES = 16
"""With more classes, measures that need only sums of rows and columns get no matrices."""

STACK = 2**21
"""Numbers held at a time while replicates are evaluated (16 MB)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Carried:
    """How weights reach rows: each row its own, or that of its cluster, times a factor."""

    clusters: AnyIntArray | None = None
    factors: FloatArray | None = None

    def summed(self, places: AnyIntArray, n_places: int) -> Function:
        """The sums of weights by place."""
        if self.clusters is None:
            return _scattered(places, n_places, self.factors)
        amounts = np.ones(places.size) if self.factors is None else self.factors
        return _pooled(self.clusters, places, amounts, n_places)

    def matrix(self, places: AnyIntArray, rows: AnyIntArray, n_places: int) -> Any:
        """The same for some rows as a sparse matrix (places, weights)."""
        from scipy.sparse import csr_array

        columns = np.arange(places.size) if self.clusters is None else self.clusters
        factors = np.ones(places.size) if self.factors is None else self.factors
        entries = (factors[rows], (places[rows], columns[rows]))
        return csr_array(entries, shape=(n_places, int(columns.max()) + 1))


def of_labels(
    measure: Measure, size: int, cells: Sequence[AnyIntArray], carried: Carried
) -> Function:
    """A label measure of each model from weights on rows that lie in these flat cells."""
    if size > MATRIX_CLASSES and measure.of_right is not None:
        right = [one // size == one % size for one in cells]
        return of_right_items(right, carried, measure.of_right)
    if size > MATRIX_CLASSES and measure.margins is not None:
        return _of_margins([_margins(one, size, carried) for one in cells], size, measure.margins)
    return _of_confusions([carried.summed(one, size**2) for one in cells], size, measure)


def of_right_items(right: Sequence[Any], carried: Carried, measure: Callable[..., Any]) -> Function:
    """A measure of how many items each model gets right, from weights on rows."""
    sums = [carried.summed(one.astype(np.int64), 2) for one in right]

    def function(weights: NDArray[Any]) -> FloatArray:
        parts = [summed(weights) for summed in sums]  # weight of wrong rows, and of right ones
        return np.column_stack([measure(part[:, 1], part.sum(axis=1)) for part in parts])

    return function


def _margins(cells: AnyIntArray, size: int, carried: Carried) -> Any:
    """The diagonal and the sums of rows and columns of a confusion matrix never written out."""
    from scipy.sparse import vstack

    truth, predicted = np.divmod(cells, size)
    every = np.arange(cells.size)
    return vstack(
        [
            carried.matrix(truth, np.flatnonzero(truth == predicted), size),
            carried.matrix(truth, every, size),
            carried.matrix(predicted, every, size),
        ],
        format="csr",
    )


def _of_margins(sums: Sequence[Any], size: int, margins: Callable[..., Any]) -> Function:
    rows = max(1, STACK // (16 * size))

    def function(weights: NDArray[Any]) -> FloatArray:
        values = np.empty((len(weights), len(sums)))
        for start in range(0, len(weights), rows):
            part = np.ascontiguousarray(weights[start : start + rows].T, dtype=np.float64)
            for column, of_model in enumerate(sums):
                found = (of_model @ part).reshape(3, size, -1)
                values[start : start + rows, column] = margins(*np.moveaxis(found, -1, 1))
        return values

    return function


def _of_confusions(spreads: Sequence[Function], size: int, measure: Measure) -> Function:
    """The measure of each model from weights, through stacks of confusion matrices."""
    rows = max(1, STACK // size**2)

    def function(weights: NDArray[Any]) -> FloatArray:
        values = np.empty((len(weights), len(spreads)))
        for start in range(0, len(weights), rows):
            part = weights[start : start + rows].astype(np.float64, copy=False)  # once for all
            for column, spread in enumerate(spreads):
                matrices = spread(part).reshape(-1, size, size)
                values[start : start + rows, column] = measure.function(matrices)
        return values

    return function


def _scattered(cells: AnyIntArray, n_cells: int, factors: FloatArray | None = None) -> Function:
    """Weights on distinct rows summed into the cells of a flat confusion matrix."""
    order = np.argsort(cells, kind="stable")
    places, starts = np.unique(cells[order], return_index=True)

    def spread(weights: NDArray[Any]) -> FloatArray:
        given = (weights if factors is None else weights * factors).T
        flat = np.zeros((n_cells, len(weights)))  # cell by cell, as measures look at matrices
        if len(given) > len(weights):
            flat[places] = np.add.reduceat(given[order], starts, axis=0)
        else:
            for cell, row in zip(cells, given, strict=True):
                flat[cell] += row
        return flat.T

    return spread


def _pooled(
    clusters: AnyIntArray, cells: AnyIntArray, amounts: NDArray[Any], n_cells: int
) -> Function:
    """Weights on clusters summed into the cells of a flat confusion matrix."""
    places, column = np.unique(cells, return_inverse=True)
    tables = np.zeros((int(clusters.max()) + 1, places.size))
    np.add.at(tables, (clusters, column), amounts)

    def spread(weights: NDArray[Any]) -> FloatArray:
        flat = np.zeros((len(weights), n_cells))
        flat[:, places] = weighted_sums(weights, tables)
        return flat

    return spread


def weighted_sums(weights: NDArray[Any], table: FloatArray) -> FloatArray:
    """Weighted sums of the rows of ``table``, in an order that nothing changes.

    BLAS would give other last digits with other numbers of threads, einsum with other numbers of
    rows; a sum along a row is the same whatever is beside it.
    """
    sums = np.empty((len(weights), table.shape[1]))
    products = np.empty(weights.shape)
    for place, column in enumerate(np.ascontiguousarray(table.T)):
        np.multiply(weights, column, out=products)
        products.sum(axis=-1, out=sums[:, place])
    return sums
