"""Rows as arrays, for measures that need every item: scores, probabilities, values, losses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IndexArray, IntArray
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
        keys = self._keys()
        numbers = _as_numbers(keys)
        readable = len(numbers) == len(keys) and not any(map(_has_negative_zero, keys))
        if keys and readable and self.predictions.ndim == 2:
            return self._sorted(keys, numbers)
        order = _order(_joined(keys, numbers))
        return self._each(lambda array, axis: np.take(array, order, axis=axis))

    def _keys(self) -> list[NDArray[Any]]:
        """All in which rows can differ: numbers first, which differ most, then codes."""
        predictions = (one for model in self.predictions for one in np.atleast_2d(model.T))
        others = (self.truth, self.weights, self.clusters, self.folds, self.repeats)
        known = [one for one in (*predictions, *others) if one is not None and one.size]
        return sorted(known, key=lambda one: one.dtype.kind != "f")

    def _sorted(self, keys: list[NDArray[Any]], numbers: "list[_Numbers]") -> "Columns":
        """The same where a row is one number: it is sorted itself, sooner than its place, and read again."""
        (joined,) = _joined(keys, numbers)
        rest, found = np.sort(joined), {}
        for key, one in reversed(list(zip(keys, numbers, strict=True))):
            rest, codes = np.divmod(rest, one.width)
            codes += one.low
            found[_place(key)] = (codes / one.unit if one.unit else codes).astype(key.dtype)
        models = np.stack([found[_place(model)] for model in self.predictions])
        return self._each(lambda array, axis: models if axis else found[_place(array)])

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Numbers:
    """A key as whole numbers from 0 on, below ``width``."""

    codes: IntArray
    low: int
    width: int
    unit: float
    """How many of them make one; 0 of a key that had whole numbers."""


def _place(array: NDArray[Any]) -> tuple[int, int]:
    """What tells arrays apart, also those that are rows of another."""
    return array.__array_interface__["data"][0], array.size


def _has_negative_zero(key: NDArray[Any]) -> bool:
    """Whether a whole number could not say what stands there."""
    return key.dtype.kind == "f" and bool(np.signbit(key[key == 0.0]).any())


def _as_numbers(keys: list[NDArray[Any]]) -> list[_Numbers]:
    """The first keys of many rows, as far as they are printed decimals that fit into one number together."""
    found: list[_Numbers] = []
    span = 1
    for key in keys if keys and keys[0].size >= MANY else ():
        whole = whole_numbers(key) if key.dtype.kind == "f" else (key.astype(np.int64), 0.0)
        if whole is None:
            break
        low = int(whole[0].min())
        width = int(whole[0].max()) - low + 1
        if span * width >= 2**62:
            break
        found.append(_Numbers(codes=whole[0] - low, low=low, width=width, unit=whole[1]))
        span *= width
    return found


def _joined(keys: list[NDArray[Any]], numbers: list[_Numbers]) -> Iterator[NDArray[Any]]:
    """The keys, those that have numbers as one number, which orders rows as they do, and other codes as one."""
    if numbers:
        yield mixed_radix([one.codes for one in numbers], [one.width for one in numbers])
    others = keys[len(numbers) :]
    yield from (one for one in others if one.dtype.kind == "f")
    codes = [one for one in others if one.dtype.kind != "f"]
    if codes:
        yield mixed_radix(codes, [int(one.max()) + 1 for one in codes])


def _order(keys: Iterator[NDArray[Any]]) -> IndexArray:
    """Rows sorted by the first key, those that are equal in it by the next, and so on."""
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


def _order_within(group: IndexArray, key: NDArray[Any]) -> IndexArray:
    """Rows sorted by their group and then by a key: as one number, which is sorted faster than two."""
    order = np.argsort(key)
    ordered = key[order]
    place = np.empty_like(group)
    place[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return np.argsort(group * (place[order[-1]] + 1) + place)


def _ties(values: NDArray[Any], group: IndexArray | None = None) -> tuple[IndexArray, IndexArray]:
    """Places of sorted values that equal a neighbour of the same group, and which run each is in."""
    new = np.ones(values.size + 1, dtype=bool)
    new[1:-1] = values[1:] != values[:-1]
    if group is not None:
        new[1:-1] |= group[1:] != group[:-1]
    tied = np.flatnonzero(~(new[:-1] & new[1:]))
    return tied, np.cumsum(new[tied])  # the first of each run is new
