"""Rows in memory: numpy arrays, one per column; small whole numbers are counted without a sort."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IndexArray, IntArray
from assay.core.errors import EvidenceError
from assay.evidence.cell_text import id_text, is_missing, number_of, refuse_mixed_types
from assay.evidence.rows import (
    ColumnFacts,
    Cut,
    Groups,
    Guess,
    Key,
    Scale,
    ScaledWeights,
    encoded,
    guessed,
    levels_of,
)
from assay.evidence.tally import mixed_radix, summed_counts

Array = NDArray[Any]
_SMALL_RANGE = 65_536
_SAMPLE = 1_000
_FEW_CELLS = 16
_AT_ONCE = 2**17
_MOST_COUNTED = 10**15
"""A frequency above this is refused as it, however many rows have one."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """A column as small whole numbers: ``values - low`` are codes into ``levels``."""

    values: NDArray[np.integer]
    low: int
    levels: Sequence[Any]

    def codes(self) -> IntArray:
        shifted = self.values.astype(np.int64, copy=False)
        return shifted - self.low if self.low else shifted

    def bytes(self, part: slice) -> NDArray[np.uint8]:
        """Some of the codes, where there are at most 256 levels."""
        values = self.values[part]
        return (values - self.low if self.low else values).astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class MemoryRows:
    """Columns in memory. ``ids`` name the rows in messages where rows were joined."""

    arrays: Mapping[str, Array]
    sources: tuple[str, ...]
    origins: Mapping[str, str] = field(default_factory=dict)
    ids: Sequence[str] | None = None
    lines: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Where the cells of each column stood, if they came from a file."""
    cache: dict[Key, Encoded] = field(default_factory=dict, repr=False)

    def size(self, count: str | None = None) -> int:
        if count is not None:
            return int(self._whole(count).sum())
        return next((len(array) for array in self.arrays.values()), 0)

    def guess(self, names: Sequence[str]) -> dict[str, Guess]:
        heads = {name: self.arrays[name][:_SAMPLE] for name in names}
        return {
            name: "labels" if head.dtype.kind in "biu" else guessed(head.tolist())
            for name, head in heads.items()
        }

    def group(
        self,
        keys: Sequence[Key],
        *,
        numbers: Sequence[str] = (),
        count: str | None = None,
        weight: Scale | None = None,
        limit: int | None = None,
    ) -> Groups | None:
        plain = count is None and weight is None
        binary = self._binary(keys) if plain else None
        columns = [self._encoded(key) for key in keys]
        sizes = [len(column.levels) for column in columns]
        frequency = None if count is None else self._whole(count)
        code = np.empty(0, dtype=np.int64)
        if binary is not None:
            codes, counts, flat = _nonzero(binary, sizes)
        elif plain and 0 < math.prod(sizes) <= _FEW_CELLS:
            codes, counts, flat = _nonzero(_few_cells(columns, sizes), sizes)
        else:
            code = mixed_radix([column.codes() for column in columns], sizes)
            codes, counts, flat = _counted(code, columns, sizes, frequency)
        if limit is not None and len(counts) > limit:
            return None
        return Groups(
            keys=tuple(keys),
            levels=tuple(tuple(column.levels) for column in columns),
            codes=codes,
            counts=counts,
            facts=self.facts(numbers) if numbers else {},
            weights=None if weight is None else self._weighed(weight, code, flat, frequency),
        )

    def levels(self, names: Sequence[str], limit: int) -> dict[str, tuple[Any, ...] | None]:
        return {name: self._levels(name, limit) for name in names}

    def _levels(self, name: str, limit: int) -> tuple[Any, ...] | None:
        array = self.arrays[name]
        if array.dtype.kind == "f" and any(
            np.unique(array[:part]).size > limit for part in (limit + 1, 2 * limit)
        ):
            return None  # too many already: to sort and code them all would be for nothing
        column = self._encoded(name)
        levels = column.levels
        if isinstance(levels, range):
            seen = np.bincount(column.codes(), minlength=len(levels)) > 0
            levels = [levels[place] for place in np.flatnonzero(seen).tolist()]
        return tuple(levels) if len(levels) <= limit else None

    def facts(self, names: Sequence[str]) -> dict[str, ColumnFacts]:
        return {name: self._facts(name) for name in names}

    def _facts(self, name: str) -> ColumnFacts:
        array = self.arrays[name]
        values = self.numbers([name])[0]
        finite = np.isfinite(values)
        fine = values if finite.all() else values[finite]
        if array.dtype.kind not in "biuf":
            missing = sum(map(is_missing, array.tolist()))
        else:
            missing = 0 if fine is values else int(np.isnan(array).sum())
        return ColumnFacts(
            missing=missing,
            unreadable=values.size - fine.size - missing,
            low=float(fine.min()) if fine.size else math.nan,
            high=float(fine.max()) if fine.size else math.nan,
            # a glimpse settles it for most columns of measurements
            whole=all(bool((part == np.trunc(part)).all()) for part in (fine[:100], fine)),
        )

    def distinct(self, names: Sequence[str]) -> tuple[int, int]:
        columns = [self._encoded(name) for name in names]
        absent = np.zeros(self.size(), dtype=np.bool_)
        for column in columns:
            for place, level in enumerate(column.levels):
                if level is None:
                    absent |= column.codes() == place
        code = mixed_radix([c.codes() for c in columns], [len(c.levels) for c in columns])
        there = np.sort(code[~absent])  # sooner than numpy's table of hashes
        found = int(np.count_nonzero(there[1:] != there[:-1])) + min(there.size, 1)
        return found, int(absent.sum())

    def coded(self, keys: Sequence[Key]) -> list[tuple[IntArray, tuple[Any, ...]]]:
        columns = [self._encoded(key) for key in keys]
        return [(column.codes(), tuple(column.levels)) for column in columns]

    def numbers(self, names: Sequence[str]) -> list[FloatArray]:
        return [_as_numbers(self.arrays[name], self.describe(name)) for name in names]

    def place(self, name: str, wrong: Callable[[Any], bool]) -> tuple[str, Any]:
        lines = self.lines.get(name, ())
        for position, value in enumerate(self.arrays[name].tolist()):
            if wrong(value):
                if lines:
                    return f"line {lines[position]}", value
                if self.ids is not None:
                    return f"item {self.ids[position]!r}", value
                return f"position {position}", value
        return "an unknown position", None

    def repeated(self, names: Sequence[str], limit: int = 5) -> list[tuple[str, int]]:
        columns = [map(id_text, self.arrays[name].tolist()) for name in names]
        times = Counter(" / ".join(parts) for parts in zip(*columns, strict=True))
        return [(text, count) for text, count in times.most_common(limit) if count > 1]

    def describe(self, name: str) -> str:
        return self.origins.get(name, f"column {name!r}")

    def where(self, name: str, texts: Collection[str | None]) -> "MemoryRows":
        values = self.arrays[name].tolist()
        found = (None if is_missing(value) else id_text(value) for value in values)
        kept = np.flatnonzero([text in texts for text in found])
        return MemoryRows(
            {column: array[kept] for column, array in self.arrays.items()},
            self.sources,
            self.origins,
            None if self.ids is None else [self.ids[place] for place in kept.tolist()],
        )

    def _binary(self, keys: Sequence[Key]) -> IntArray | None:
        """Counts of columns that hold 0 and 1 only, had while that is looked at; None for others."""
        arrays = [self.arrays[key] for key in keys if isinstance(key, str)]
        if len(arrays) < len(keys) or 2 ** len(keys) > _FEW_CELLS:
            return None
        if any(array.dtype != np.int64 or not array.size for array in arrays):
            return None
        table = _binary_cells(arrays)
        if table is not None:
            self.cache.update({key: Encoded(self.arrays[str(key)], 0, (0, 1)) for key in keys})
        return table

    def _encoded(self, key: Key) -> Encoded:
        if key not in self.cache:
            self.cache[key] = self._cut(key) if isinstance(key, Cut) else self._encode(key)
        return self.cache[key]

    def _cut(self, cut: Cut) -> Encoded:
        above = self.numbers([cut.column])[0] >= cut.threshold
        return Encoded(above.view(np.uint8), 0, (cut.below, cut.above))

    def _encode(self, name: str) -> Encoded:
        array = self.arrays[name]
        kind = array.dtype.kind
        if kind == "b":
            return Encoded(array.view(np.uint8), 0, (False, True))
        if kind in "iu":
            return _encode_whole(array)
        if kind == "f":
            return _encode_floats(array)
        if kind not in "UOT":
            raise EvidenceError(
                f"{self.describe(name)} holds values of type {array.dtype}; assay reads text, numbers and True/False"
            )
        values = array.tolist()
        known: dict[Any, int] = {}
        try:
            codes = encoded(values, known)
            if not set(map(type, known)) <= {str, NoneType}:  # else 1 and True may share a code
                refuse_mixed_types(values, self.describe(name))
        except TypeError:
            odd = (type(v).__name__ for v in values if not isinstance(v, Hashable))
            raise EvidenceError(
                f"{self.describe(name)} holds values of type {next(odd, 'object')}; "
                "assay reads text, numbers and True/False"
            ) from None
        return Encoded(codes, 0, levels_of(known))

    def _whole(self, name: str) -> IntArray:
        """Frequencies; the caller has looked at their facts, or will before using the answer."""
        given = np.nan_to_num(self.numbers([name])[0])
        return np.clip(given, -1, _MOST_COUNTED).astype(np.int64)

    def _weighed(
        self, weight: Scale, code: IntArray, flat: IntArray, frequency: IntArray | None
    ) -> ScaledWeights:
        values = self.numbers([weight.column])[0]
        if frequency is not None:
            kept = frequency > 0
            values, code, frequency = values[kept], code[kept], frequency[kept]
        place = np.searchsorted(flat, code)
        return ScaledWeights(
            weight,
            _exact_sums(values, weight.shift, place, flat.size, frequency),
            _exact_sums(values * values, weight.square_shift, place, flat.size, frequency),
        )


def _encode_whole(array: NDArray[np.integer]) -> Encoded:
    if not array.size:
        return Encoded(array, 0, ())
    low, high = int(array.min()), int(array.max())
    if high - low < _SMALL_RANGE and high < 2**62:
        return Encoded(array, low, range(low, high + 1))
    levels, codes = np.unique(array, return_inverse=True)
    return Encoded(codes, 0, levels.tolist())


def _encode_floats(array: NDArray[np.floating]) -> Encoded:
    finite = bool(np.isfinite(array).all())
    if (
        finite
        and array.size
        and float(abs(array).max()) < 2**53
        and (array == np.trunc(array)).all()
    ):
        return _encode_whole(array.astype(np.int64))
    levels, codes = np.unique(array, return_inverse=True)
    listed: list[float | None] = levels.tolist()
    if listed and math.isnan(levels[-1]):  # sorted last, and once
        listed[-1] = None
    return Encoded(codes, 0, listed)


def _binary_cells(arrays: Sequence[IntArray]) -> IntArray | None:
    """The number of rows in each cell of columns of 0 and 1, in one pass; None if there is more."""
    cells, rows = 2 ** len(arrays), len(arrays[0])
    table = np.zeros(cells, dtype=np.int64)
    for start in range(0, rows, _AT_ONCE):
        parts = [array[start : start + _AT_ONCE] for array in arrays]
        if any(int(part.view(np.uint64).max()) > 1 for part in parts):  # below 0 is above 2^63
            return None
        code = parts[0].astype(np.uint8)
        for part in parts[1:]:
            code += code
            code += part.astype(np.uint8)
        _count_bytes(code, table)
    table[0] = rows - table.sum()
    return table


def _few_cells(columns: Sequence[Encoded], sizes: Sequence[int]) -> IntArray:
    """The number of rows in each of a few cells, in bytes and in parts that stay in the cache."""
    table = np.zeros(math.prod(sizes), dtype=np.int64)
    for start in range(0, len(columns[0].values), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        code = columns[0].bytes(part)
        for column, size in zip(columns[1:], sizes[1:], strict=True):
            code = code * np.uint8(size) + column.bytes(part)
        _count_bytes(code, table)
    table[0] = len(columns[0].values) - table.sum()
    return table


def _count_bytes(code: NDArray[np.uint8], table: IntArray) -> None:
    """Add how often each cell but the first is there: several times faster than one by one."""
    for cell in range(1, table.size):
        table[cell] += np.count_nonzero(code == cell)


def _nonzero(table: IntArray, sizes: Sequence[int]) -> tuple[IntArray, IntArray, IntArray]:
    """Codes, counts and flat places of the combinations that occur."""
    flat = np.flatnonzero(table)
    codes, rest = np.empty((flat.size, len(sizes)), dtype=np.int64), flat
    for place in range(len(sizes) - 1, -1, -1):  # unravel_index knows 64 columns at most
        rest, codes[:, place] = np.divmod(rest, sizes[place])
    return codes, table[flat], flat


def _counted(
    code: IntArray,
    columns: Sequence[Encoded],
    sizes: Sequence[int],
    frequency: IntArray | None,
) -> tuple[IntArray, IntArray, IntArray]:
    """Counts in a table of all combinations where it is small enough, else by sorting."""
    cells = math.prod(sizes)
    if cells > max(_SMALL_RANGE, 4 * code.size):
        return _sorted(columns, code, frequency)
    if frequency is None:
        return _nonzero(np.bincount(code, minlength=cells), sizes)
    return _nonzero(summed_counts(frequency, code, cells), sizes)


def _sorted(
    columns: Sequence[Encoded], code: IntArray, frequency: IntArray | None
) -> tuple[IntArray, IntArray, IntArray]:
    """Counts by sorting, for many classes or many models."""
    kept = np.arange(code.size) if frequency is None else np.flatnonzero(frequency > 0)
    flat, first, place, counts = np.unique(
        code[kept], return_index=True, return_inverse=True, return_counts=True
    )
    if frequency is not None:
        counts = summed_counts(frequency[kept], place, flat.size)
    codes = np.stack([column.codes()[kept[first]] for column in columns], axis=1)
    return codes, counts.astype(np.int64), flat


def _exact_sums(
    values: FloatArray, shift: int, place: IndexArray, size: int, times: IntArray | None
) -> list[int]:
    """Sums by group in whole multiples of 2**-shift, in two halves so that none overflows."""
    whole = np.floor(np.ldexp(values, shift)).astype(np.int64)
    repeats = 1 if times is None else times
    high = summed_counts((whole >> 31) * repeats, place, size)
    low = summed_counts((whole & (2**31 - 1)) * repeats, place, size)
    return [top * 2**31 + rest for top, rest in zip(high.tolist(), low.tolist(), strict=True)]


def _as_numbers(array: Array, what: str) -> FloatArray:
    """Numbers, with NaN for whatever is missing, unreadable or infinite."""
    if array.dtype.kind in "biuf":
        values = array.astype(np.float64, copy=False)
        finite = np.isfinite(values)
        return values if finite.all() else np.where(finite, values, np.nan)
    if array.dtype.kind not in "UOT":
        raise EvidenceError(f"{what} holds values of type {array.dtype} where numbers are due")
    cells = array.tolist()
    if set(map(type, cells)) == {str} and "".join(cells).isascii():
        with suppress(ValueError):  # nearly every column of numbers in a file
            plain = np.fromiter(map(float, cells), np.float64, len(cells))
            return np.where(np.isfinite(plain), plain, np.nan)
    read = [number_of(value) for value in cells]
    values = np.array([math.nan if value is None else value for value in read], dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)
