"""Rows as arrays, for measures that need every item: scores, probabilities, values, losses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IntArray
from assay.evidence.tally import mixed_radix
from assay.kernels.last_digits import whole_numbers

MANY = 10_000
"""Rows from which on it pays to look whether numbers are printed decimals."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Arrays in one row order, shared by all models.

    ``truth`` holds class codes; 0/1 for scores (1 is the positive class); numbers for values;
    nothing for losses. ``predictions`` is (models, items), or (models, items, classes) for
    probabilities. ``folds`` and ``repeats`` are codes, like ``clusters``.
    """

    models: tuple[str, ...]
    truth: NDArray[Any]
    predictions: NDArray[Any]
    classes: tuple[str, ...] = ()
    weights: FloatArray | None = None
    clusters: IntArray | None = None
    folds: IntArray | None = None
    repeats: IntArray | None = None

    @property
    def n(self) -> int:
        return int(self.predictions.shape[1])

    def repeated(self, times: IntArray) -> "Columns":
        """Every row as often as its frequency says."""
        return self._each(lambda array, axis: np.repeat(array, times, axis=axis))

    def in_order(self) -> "Columns":
        """The rows in the order of their values: sums and draws do not depend on who delivered them."""
        order = _order(self._keys())
        return self._each(lambda array, axis: np.take(array, order, axis=axis))

    def _keys(self) -> Iterator[NDArray[Any]]:
        """All in which rows can differ: numbers first, which differ most, then codes as one number."""
        predictions = (one for model in self.predictions for one in np.atleast_2d(model.T))
        others = (self.truth, self.weights, self.clusters, self.folds, self.repeats)
        known = [one for one in (*predictions, *others) if one is not None and one.size]
        yield from (one for one in known if one.dtype.kind == "f")
        codes = [one for one in known if one.dtype.kind != "f"]
        if codes:
            yield mixed_radix(codes, [int(one.max()) + 1 for one in codes])

    def _each(self, change: Callable[[NDArray[Any], int], NDArray[Any]]) -> "Columns":
        """The same change of the rows of every array."""

        def changed(array: NDArray[Any] | None) -> Any:
            return None if array is None else change(array, 0)

        return Columns(
            models=self.models,
            truth=changed(self.truth) if self.truth.size else self.truth,
            predictions=change(self.predictions, 1),
            classes=self.classes,
            weights=changed(self.weights),
            clusters=changed(self.clusters),
            folds=changed(self.folds),
            repeats=changed(self.repeats),
        )


def _order(keys: Iterator[NDArray[Any]]) -> NDArray[np.intp]:
    """Rows sorted by the first key, those that are equal in it by the next, and so on."""
    keys = _joined(keys)
    first = next(keys, np.empty(0))
    order = np.argsort(first)
    tied, group = _ties(first[order])
    for key in keys:
        if not tied.size:
            break
        rows = order[tied]
        inner = _order_within(group, key[rows])
        order[tied] = rows = rows[inner]
        again, group = _ties(key[rows], group[inner])
        tied = tied[again]
    return order


def _joined(keys: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Keys of many rows that are printed decimals as one whole number, which orders rows as they do."""
    given = list(keys)
    codes: list[NDArray[Any]] = []
    widths: list[int] = []
    span = 1
    for key in given if given and given[0].size >= MANY else ():
        found = whole_numbers(key) if key.dtype.kind == "f" else (key, 1.0)
        if found is None:
            break
        low = int(found[0].min())
        width = int(found[0].max()) - low + 1
        if span * width >= 2**62:
            break
        codes.append(found[0] - low)
        span *= width
        widths.append(width)
    if len(codes) > 1:
        yield mixed_radix(codes, widths)
        given = given[len(codes) :]
    yield from given


def _order_within(group: NDArray[np.intp], key: NDArray[Any]) -> NDArray[np.intp]:
    """Rows sorted by their group and then by a key: as one number, which is sorted faster than two."""
    order = np.argsort(key)
    ordered = key[order]
    place = np.empty_like(group)
    place[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return np.argsort(group * (place[order[-1]] + 1) + place)


def _ties(
    values: NDArray[Any], group: NDArray[np.intp] | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of sorted values that equal a neighbour of the same group, and which run each is in."""
    new = np.ones(values.size + 1, dtype=bool)
    new[1:-1] = values[1:] != values[:-1]
    if group is not None:
        new[1:-1] |= group[1:] != group[:-1]
    tied = np.flatnonzero(~(new[:-1] & new[1:]))
    return tied, np.cumsum(new[tied])  # the first of each run is new
