"""What every engine of rows can do: group, describe numbers, fetch columns, name a place.

`rows_memory.py` does it with numpy, `rows_sql.py` with DuckDB, `rows_cluster.py` with Spark.
Everything statistical happens after these reductions, on small arrays, in the same code for all.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from assay.core.arrays import FloatArray, IndexArray, IntArray
from assay.evidence.cell_text import is_fraction, is_missing, plain_text

_SOME = 1000
"""Values by which it is guessed whether a column repeats itself."""

Guess = Literal["labels", "numbers"]

MAX_JOINT = 100_000
"""Distinct rows that the first pass keeps; beyond it, columns are surveyed one by one."""
MAX_LEVELS = 20_000
"""Distinct values beyond which a column is not taken as labels."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Labels made from scores by an explicit threshold."""

    column: str
    threshold: float
    below: str
    above: str


Key = str | Cut


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFacts:
    """What one pass says about a column that should hold numbers."""

    missing: int
    unreadable: int  # text, NaN or infinite
    low: float
    high: float
    whole: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Groups:
    """Distinct combinations of ``keys`` as codes into ``levels`` (raw values, None is missing)."""

    keys: tuple[Key, ...]
    levels: tuple[tuple[Any, ...], ...]
    codes: IntArray  # (groups, keys)
    counts: IntArray
    facts: Mapping[str, ColumnFacts] = field(default_factory=dict)
    weights: "ScaledWeights | None" = None

    def projected(self, keys: Sequence[Key]) -> "Groups | None":
        """The same counts by some of the keys, not yet added up; None where one is not there."""
        if keys == self.keys:
            return self
        if not set(keys) <= set(self.keys):
            return None
        places = [self.keys.index(key) for key in keys]
        return Groups(
            keys=tuple(keys),
            levels=tuple(self.levels[place] for place in places),
            codes=self.codes[:, places],
            counts=self.counts,
        )


@dataclass(frozen=True, slots=True)
class Scale:
    """Weights as whole multiples of 2**-shift: their sums do not depend on the order of adding."""

    column: str
    shift: int
    square_shift: int

    @staticmethod
    def of(column: str, high: float) -> "Scale":
        """The finest scale at which weights up to ``high`` stay below 2**61."""
        return Scale(column, _shift(high), _shift(high * high))


@dataclass(frozen=True, slots=True)
class ScaledWeights:
    """Sums of weights and of their squares per group, as whole numbers of a scale."""

    scale: Scale
    sums: Sequence[int]
    squares: Sequence[int]

    def merged(self, place: IndexArray, size: int) -> tuple[FloatArray, FloatArray]:
        """Sums over the groups that fall on the same place, exact until the last step."""
        return (
            _merged(self.sums, place, size, self.scale.shift),
            _merged(self.squares, place, size, self.scale.square_shift),
        )


def _shift(high: float) -> int:
    return 0 if high <= 0.0 else max(-1000, min(1000, 61 - math.frexp(high)[1]))


def _merged(totals: Sequence[int], place: IndexArray, size: int, shift: int) -> FloatArray:
    merged = [0] * size
    for total, at in zip(totals, place.tolist(), strict=True):
        merged[at] += total
    return np.array([math.ldexp(float(total), -shift) for total in merged], dtype=np.float64)


class Rows(Protocol):
    """Rows with named columns, wherever they live."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The titles of the sources, for messages."""

    def size(self, count: str | None = None) -> int:
        """The number of rows, or of items where a column holds frequencies."""

    def guess(self, names: Sequence[str]) -> dict[str, Guess]:
        """What each column seems to hold, judged by the first rows: only a hint for speed."""

    def group(
        self,
        keys: Sequence[Key],
        *,
        numbers: Sequence[str] = (),
        count: str | None = None,
        weight: Scale | None = None,
        limit: int | None = None,
    ) -> Groups | None:
        """One pass: distinct rows and counts; None if there are more than ``limit`` of them."""

    def levels(self, names: Sequence[str], limit: int) -> dict[str, tuple[Any, ...] | None]:
        """The distinct values of each column by itself; None where there are more than ``limit``."""

    def facts(self, names: Sequence[str]) -> dict[str, ColumnFacts]:
        """What each column holds as numbers."""

    def distinct(self, names: Sequence[str]) -> tuple[int, int]:
        """The number of distinct and of missing values of a column, or of several together."""

    def coded(self, keys: Sequence[Key]) -> list[tuple[IntArray, tuple[Any, ...]]]:
        """Columns as codes in row order, each with the raw values its codes stand for."""

    def numbers(self, names: Sequence[str]) -> list[FloatArray]:
        """Columns as numbers (NaN where missing or unreadable), in row order."""

    def place(self, name: str, wrong: Callable[[Any], bool]) -> tuple[str, Any]:
        """Where the first wrong value of a column is, in words, and the value."""

    def repeated(self, names: Sequence[str], limit: int = 5) -> list[tuple[str, int]]:
        """The first few values that occur more than once, with how often."""

    def describe(self, name: str) -> str:
        """The column in words: ``column 'a' of preds.csv``."""

    def where(self, name: str, texts: Collection[str | None]) -> "Rows":
        """The rows whose value in a column has one of these texts; None: where it is missing."""


def guessed(cells: Iterable[Any]) -> Guess:
    """What a column seems to hold: fractions are no labels."""
    return "numbers" if any(map(is_fraction, cells)) else "labels"


def encoded(values: Iterable[Any], known: dict[Any, int] | None = None) -> IntArray:
    """Codes of raw values by first appearance; ``known`` holds the codes so far and grows."""
    listed = values if isinstance(values, list) else list(values)
    first = listed[:_SOME]
    try:
        if not known and len(set(first)) == len(first):  # perhaps all differ, as names of rows do
            each = dict(zip(listed, range(len(listed)), strict=True))
            if len(each) == len(listed):
                if known is not None:
                    known.update(each)
                return np.arange(len(listed), dtype=np.int64)
        seen: defaultdict[Any, int] = defaultdict(None, known or {})
        seen.default_factory = seen.__len__  # a value that is new has the next code
        codes = np.fromiter(map(seen.__getitem__, listed), dtype=np.int64, count=len(listed))
    except ValueError:  # numpy's word for a length of time without a unit
        raise TypeError("a cell has no hash") from None
    if known is not None:
        known.update(seen)
    return codes


def levels_of(known: Iterable[Any]) -> tuple[Any, ...]:
    """Raw values as levels: whatever is missing is None."""
    levels = tuple(known)
    kinds = set(map(type, levels))
    if (kinds == {str} and "" not in levels and not any(map(str.isspace, levels))) or (
        kinds == {float} and not any(map(math.isnan, levels))
    ):
        return levels  # nearly every column
    return tuple(
        None if is_missing(value) else plain_text(value) if isinstance(value, str) else value
        for value in levels
    )
