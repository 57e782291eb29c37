"""Rows on a cluster: a lazy frame whose counting runs where the data are.

Everything goes through narwhals, so that no word of Spark's own appears here. Labels are counted
on the cluster and only the distinct rows come back; what needs every row (scores, losses) is
brought to the driver once, in one piece, because such a frame promises no order between two runs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError
from assay.evidence.cells import id_text, is_fraction
from assay.evidence.engines import (
    MAX_LEVELS,
    Cut,
    Facts,
    Groups,
    Guess,
    Key,
    Scale,
    ScaledWeights,
    encoded,
    levels_of,
)
from assay.evidence.memory import Array, MemoryRows
from assay.evidence.tally import IntArray

if TYPE_CHECKING:
    import narwhals as nw

MAX_BROUGHT = 500_000_000
"""Cells that are brought from the cluster to the driver."""

_SAMPLE = 1_000
_HALF = 2**31
_FACTS = ("missing", "unreadable", "low", "high", "fractions")


@dataclass(frozen=True, slots=True, eq=False)
class LazyRows:
    """The rows of a lazy frame. ``columns`` are the frame's own names of what users name freely.

    ``arrays_of`` turns a collected frame into columns of numpy.
    """

    frame: "nw.LazyFrame[Any]"
    columns: Mapping[str, str]
    sources: tuple[str, ...]
    arrays_of: Callable[[Any], Mapping[str, Array]]
    origins: Mapping[str, str] = field(default_factory=dict)
    brought: list[MemoryRows] = field(default_factory=list, repr=False)

    def size(self, count: str | None = None) -> int:
        found = self.frame.select(n=self._items(count))
        return int(self._rows(found)[0][0] or 0)

    def guess(self, names: Sequence[str]) -> dict[str, Guess]:
        if not names:
            return {}
        numeric = [name for name in names if self._kind(name) == "number"]
        head = self._rows(self._only(numeric).head(_SAMPLE)) if numeric else []
        fractions = {
            name
            for name, *values in zip(numeric, *head, strict=True)
            if any(map(is_fraction, values))
        }
        return {name: "numbers" if name in fractions else "labels" for name in names}

    def group(
        self,
        keys: Sequence[Key],
        *,
        numbers: Sequence[str] = (),
        count: str | None = None,
        weight: Scale | None = None,
        limit: int | None = None,
    ) -> Groups | None:
        terms = {"items": self._counted(count), **self._weights(weight, count)}
        terms |= {name: term for column in numbers for name, term in self._facts(column).items()}
        found = self._aggregated(keys, terms)
        if limit is not None:
            found = found.head(limit + 1)
        rows = self._rows(found)
        if limit is not None and len(rows) > limit:
            return None
        titles = [*map(_key_name, range(len(keys))), *terms]
        columns = dict(zip(titles, zip(*rows, strict=True), strict=True)) if rows else {}
        known: list[dict[Any, int]] = [{} for _ in keys]
        codes = np.zeros((len(rows), len(keys)), dtype=np.int64)
        for place, seen in enumerate(known):
            codes[:, place] = encoded(columns.get(_key_name(place), ()), seen)
        counts = np.array([int(items or 0) for items in columns.get("items", ())], dtype=np.int64)
        kept = counts > 0
        return Groups(
            keys=tuple(keys),
            levels=tuple(map(levels_of, known)),
            codes=codes[kept],
            counts=counts[kept],
            facts={name: _read_facts(self.columns[name], columns) for name in numbers},
            weights=None if weight is None else _weighed(weight, columns, kept),
        )

    def levels(self, names: Sequence[str], limit: int) -> dict[str, tuple[Any, ...] | None]:
        found: dict[str, tuple[Any, ...] | None] = {}
        for name in names:
            rows = self._rows(self._only([name]).unique().head(limit + 1))
            values = levels_of(dict.fromkeys(value for (value,) in rows))
            found[name] = values if len(rows) <= limit else None
        return found

    def facts(self, names: Sequence[str]) -> dict[str, Facts]:
        if not names:
            return {}
        terms = {name: term for column in names for name, term in self._facts(column).items()}
        rows = self._rows(self._aggregated((), terms))
        columns = dict(zip(terms, zip(*rows, strict=True), strict=True))
        return {name: _read_facts(self.columns[name], columns) for name in names}

    def distinct(self, names: Sequence[str]) -> tuple[int, int]:
        import narwhals as nw

        absent = nw.any_horizontal(*(self._absent(name) for name in names), ignore_nulls=True)
        whole = self._only(names, ~absent).unique().select(n=nw.len())
        missing = self.frame.filter(absent).select(n=nw.len())
        return int(self._rows(whole)[0][0]), int(self._rows(missing)[0][0])

    def coded(self, keys: Sequence[Key]) -> list[tuple[IntArray, tuple[Any, ...]]]:
        return self._here().coded(keys)

    def numbers(self, names: Sequence[str]) -> list[FloatArray]:
        for name in names:
            self.number(name)
        return self._here().numbers(names)

    def place(self, name: str, wrong: Callable[[Any], bool]) -> tuple[str, Any]:
        values = (value for (value,) in self._rows(self._only([name]).unique()))
        return "a row", next((value for value in values if wrong(value)), None)

    def repeated(self, names: Sequence[str], limit: int = 5) -> list[tuple[str, int]]:
        import narwhals as nw

        own = [self.columns[name] for name in names]
        found = (
            self.frame.group_by(*own)
            .agg(times=nw.len())
            .filter(nw.col("times") > 1)
            .sort("times", *own, descending=[True, *(False for _ in own)])
            .head(limit)
        )
        return [(" / ".join(map(str, row[:-1])), int(row[-1])) for row in self._rows(found)]

    def describe(self, name: str) -> str:
        return self.origins.get(name, f"column {name!r} of {self.sources[0]}")

    def where(self, name: str, text: str | None) -> "LazyRows":
        import narwhals as nw

        column = nw.col(self.columns[name])
        if text is None:
            kept = self._absent(name)
        else:
            found = self.levels([name], MAX_LEVELS)[name] or ()
            kept = column.is_in([v for v in found if v is not None and id_text(v) == text])
        return replace(self, frame=self.frame.filter(kept), brought=[])

    def _here(self) -> MemoryRows:
        """Every row on the driver, fetched once."""
        if not self.brought:
            cells = self.size() * len(self.columns)
            if cells > MAX_BROUGHT:
                raise EvidenceError(
                    f"{', '.join(self.sources)} has {cells:,} cells, and this measure needs every row "
                    f"on the driver, which takes up to {MAX_BROUGHT:,}. Label measures are counted on "
                    "the cluster; for scores, select the columns in use or a sample of the rows first"
                )
            arrays = self.arrays_of(self._only(list(self.columns)).collect())
            named = dict(zip(self.columns, arrays.values(), strict=True))
            self.brought.append(MemoryRows(named, self.sources, self.origins))
        return self.brought[0]

    def _only(self, names: Sequence[str], kept: "nw.Expr | None" = None) -> "nw.LazyFrame[Any]":
        frame = self.frame if kept is None else self.frame.filter(kept)
        return frame.select(*(self.columns[name] for name in names))

    def _rows(self, frame: "nw.LazyFrame[Any]") -> list[tuple[Any, ...]]:
        return list(frame.collect().rows())

    def _aggregated(
        self, keys: Sequence[Key], terms: Mapping[str, "tuple[nw.Expr, str]"]
    ) -> "nw.LazyFrame[Any]":
        """One pass: each term is an expression on rows and the name of its aggregate."""
        import narwhals as nw

        columns = {_key_name(place): self.raw(key) for place, key in enumerate(keys)}
        columns |= {name: expression for name, (expression, _) in terms.items()}
        frame = self.frame.select(**columns)
        totals = [getattr(nw.col(name), how)().alias(name) for name, (_, how) in terms.items()]
        if not keys:
            return frame.select(*totals)
        return frame.group_by(*map(_key_name, range(len(keys)))).agg(*totals)

    def _kind(self, name: str) -> str:
        kind = self.frame.collect_schema()[self.columns[name]]
        if kind.is_numeric():
            return "number"
        return "boolean" if str(kind) == "Boolean" else "text"

    def raw(self, key: Key) -> "nw.Expr":
        """A column as it is, or cut at a threshold."""
        import narwhals as nw

        if isinstance(key, Cut):
            above = self.number(key.column) >= key.threshold
            return nw.when(above).then(nw.lit(key.above)).otherwise(nw.lit(key.below))
        return nw.col(self.columns[key])

    def number(self, name: str) -> "nw.Expr":
        """A column as a double. Text is refused: casting it fails in the middle of a job."""
        import narwhals as nw

        if self._kind(name) == "text":
            raise EvidenceError(
                f"{self.describe(name)} holds text where numbers are due; cast it to double first"
            )
        return nw.col(self.columns[name]).cast(nw.Float64)

    def _absent(self, name: str) -> "nw.Expr":
        import narwhals as nw

        column = nw.col(self.columns[name])
        kind = self.frame.collect_schema()[self.columns[name]]
        if kind.is_float():
            return column.is_null() | column.is_nan()
        return column.is_null() if self._kind(name) != "text" else column.is_null() | (column == "")

    def _facts(self, name: str) -> "dict[str, tuple[nw.Expr, str]]":
        import narwhals as nw

        value, absent = self.number(name), self._absent(name)
        fine = ~absent & value.is_finite()
        kept = nw.when(fine).then(value)
        terms = (
            (nw.when(absent).then(nw.lit(1)).otherwise(nw.lit(0)), "sum"),
            (nw.when(absent | fine).then(nw.lit(0)).otherwise(nw.lit(1)), "sum"),
            (kept, "min"),
            (kept, "max"),
            (nw.when(fine & (value != value.floor())).then(nw.lit(1)).otherwise(nw.lit(0)), "sum"),
        )
        return dict(zip((f"{self.columns[name]}_{fact}" for fact in _FACTS), terms, strict=True))

    def _counted(self, count: str | None) -> "tuple[nw.Expr, str]":
        import narwhals as nw

        if count is None:
            return nw.lit(1), "sum"
        return self.number(count).floor().cast(nw.Int64), "sum"

    def _items(self, count: str | None) -> "nw.Expr":
        import narwhals as nw

        return nw.len() if count is None else self._counted(count)[0].sum()

    def _weights(self, weight: Scale | None, count: str | None) -> "dict[str, tuple[nw.Expr, str]]":
        """Sums of scaled weights in two halves, so that no sum of whole numbers overflows."""
        import narwhals as nw

        if weight is None:
            return {}
        value = self.number(weight.column)
        times = nw.lit(1) if count is None else self._counted(count)[0]
        terms = {}
        for name, part, shift in (
            ("weight", value, weight.shift),
            ("square", value * value, weight.square_shift),
        ):
            whole = (part * math.ldexp(1.0, shift)).floor()
            high = (whole / float(_HALF)).floor()
            terms[f"{name}_high"] = (high.cast(nw.Int64) * times, "sum")
            terms[f"{name}_low"] = ((whole - high * float(_HALF)).cast(nw.Int64) * times, "sum")
        return terms


def _key_name(place: int) -> str:
    return f"k{place}"


def _read_facts(own: str, columns: Mapping[str, Sequence[Any]]) -> Facts:
    """Facts of a column of numbers, over all groups."""
    missing, unreadable, low, high, fractions = (
        columns.get(f"{own}_{fact}", ()) for fact in _FACTS
    )
    lows, highs = ([v for v in values if v is not None] for values in (low, high))
    return Facts(
        missing=sum(value or 0 for value in missing),
        unreadable=sum(value or 0 for value in unreadable),
        low=min(lows, default=math.nan),
        high=max(highs, default=math.nan),
        whole=not any(fractions),
    )


def _weighed(weight: Scale, columns: Mapping[str, Sequence[Any]], kept: Array) -> ScaledWeights:
    places = np.flatnonzero(kept).tolist()
    totals = [
        [int(columns[f"{name}_high"][p]) * _HALF + int(columns[f"{name}_low"][p]) for p in places]
        for name in ("weight", "square")
    ]
    return ScaledWeights(weight, *totals)
