"""Scores as columns: names are coded once, so that a million scores cost what arrays cost."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IndexArray
from assay.core.errors import EvidenceError
from assay.evidence.cell_text import is_missing
from assay.evidence.rows import encoded

KEYS = ("dataset", "fold", "repeat", "seed")
"""What places a score, from the coarsest to the finest."""
MOST_COMBINED = 2**62
"""Codes of several columns make one whole number up to here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScore:
    """One score of one model."""

    model: str
    measure: str
    value: float
    dataset: str = ""
    fold: str = ""
    repeat: str = ""
    seed: str = ""
    n_train: float | None = None
    n_test: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class NameColumn:
    """A column of names: a code for each row, and the names that the codes stand for."""

    codes: IndexArray
    names: tuple[str, ...]

    @staticmethod
    def of(values: Iterable[Any]) -> "NameColumn":
        """A column of any values as text; what is missing is empty."""
        texts = values if isinstance(values, list) else list(values)
        known: dict[Any, int] = {}
        with suppress(TypeError):  # lists have a text, and no code
            codes = encoded(texts, known)
            if set(map(type, known)) == {str}:  # 1 and True have one code, and are two texts
                return NameColumn(codes, tuple(known))
        known = {}
        codes = encoded(["" if one is None else str(one) for one in texts], known)
        return NameColumn(codes, tuple(known))

    @staticmethod
    def same(name: str, size: int) -> "NameColumn":
        """One name in every row; its code is held once."""
        return NameColumn(np.broadcast_to(np.intp(0), size), (name,))

    @staticmethod
    def joined(parts: Sequence["NameColumn"]) -> "NameColumn":
        """Columns one below the other."""
        if all(len(part.names) == 1 and part.names == parts[0].names for part in parts):
            return NameColumn.same(parts[0].names[0], sum(part.codes.size for part in parts))
        if all(part.names is parts[0].names for part in parts):
            return NameColumn(np.concatenate([part.codes for part in parts]), parts[0].names)
        known: dict[str, int] = {}
        lookups: dict[int, IndexArray] = {}  # parts of one table share their names
        for part in parts:
            if id(part.names) not in lookups:
                found = [known.setdefault(name, len(known)) for name in part.names]
                lookups[id(part.names)] = np.array(found, dtype=np.intp)
        if all(len(part.names) == 1 for part in parts):
            single = np.array([lookups[id(part.names)][0] for part in parts], dtype=np.intp)
            return NameColumn(np.repeat(single, [part.codes.size for part in parts]), tuple(known))
        codes = [lookups[id(part.names)][part.codes] for part in parts]
        return NameColumn(np.concatenate(codes), tuple(known))

    @property
    def present(self) -> tuple[str, ...]:
        """The names that some row has, in the order in which they come up."""
        first = self.first_rows()
        there = np.flatnonzero(first >= 0)
        if there.size == first.size and bool((first[1:] > first[:-1]).all()):
            return self.names
        return tuple(self.names[code] for code in there[np.argsort(first[there])])

    def first_rows(self) -> IndexArray:
        """The first row that has each name; -1 of a name that none has."""
        first = np.full(len(self.names), -1, dtype=np.intp)
        first[self.codes[::-1]] = np.arange(self.codes.size)[::-1]
        return first

    @property
    def empty(self) -> BoolArray:
        """The rows without a name."""
        return self.are("")

    def are(self, *names: str) -> BoolArray:
        """The rows with one of these names."""
        wanted = set(names)
        return np.array([name in wanted for name in self.names], dtype=np.bool_)[self.codes]

    def at(self, rows: Any) -> "NameColumn":
        return NameColumn(self.codes[rows], self.names)

    def other(self, instead: "NameColumn") -> "NameColumn":
        """These names, and the others where there is none."""
        both = NameColumn.joined([self, instead])
        size = self.codes.size
        return NameColumn(np.where(self.empty, both.codes[size:], both.codes[:size]), both.names)

    def __iter__(self) -> Iterator[str]:
        return map(self.names.__getitem__, self.codes.tolist())


def combined(columns: Sequence[NameColumn]) -> IndexArray:
    """A whole number for each row, the same where rows agree in all columns."""
    first, *others = [one for one in columns if len(one.names) > 1] or columns[:1]
    found, size = first.codes, len(first.names)
    for column in others:
        if size * len(column.names) > MOST_COMBINED:
            distinct, found = np.unique(found, return_inverse=True)
            size = len(distinct)
        found = found * len(column.names)
        found += column.codes
        size *= len(column.names)
    return found


def n_distinct(codes: IndexArray) -> int:
    """How many different ones there are; those with a place each are marked, others sorted."""
    if codes.size and codes.max() < 4 * codes.size:
        there = np.zeros(4 * codes.size, dtype=np.bool_)
        there[codes] = True
        return int(np.count_nonzero(there))
    ordered = np.sort(codes)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(1, ordered.size)


def _one_below(parts: Sequence[FloatArray]) -> FloatArray:
    """Columns of numbers one below the other; one number for all stays held once."""
    if all(part.size and part.strides == (0,) for part in parts):
        first = {float(part[0]) for part in parts}
        if len(first) == 1 or all(map(math.isnan, first)):
            return np.broadcast_to(parts[0][0], sum(part.size for part in parts))
    return np.concatenate(parts)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreColumns:
    """Scores of models, a row for each; sizes that are unknown are NaN."""

    model: NameColumn
    measure: NameColumn
    dataset: NameColumn
    fold: NameColumn
    repeat: NameColumn
    seed: NameColumn
    value: FloatArray
    n_train: FloatArray
    n_test: FloatArray

    @staticmethod
    def of(value: FloatArray, given: Mapping[str, Any]) -> "ScoreColumns":
        """From values and what is known of them: columns, or one word or size for all."""
        size = value.size
        columns: dict[str, Any] = {}
        for name in ("model", "measure", *KEYS):
            one = given.get(name)
            word = "" if one is None else one
            columns[name] = (
                word if isinstance(word, NameColumn) else NameColumn.same(str(word), size)
            )
        for name in ("n_train", "n_test"):
            one = given.get(name)
            number = np.asarray(math.nan if one is None else one, dtype=np.float64)
            columns[name] = np.broadcast_to(number, size)  # one size for all is held once
        return ScoreColumns(value=value, **columns)

    @staticmethod
    def from_records(records: Iterable[Mapping[str, Any]]) -> "ScoreColumns":
        """From mappings with model, score and any of dataset, fold, repeat, seed, measure."""
        kept = list(records)
        for record in kept:
            score = record.get("score")
            if score is None or not math.isfinite(float(score)):
                raise EvidenceError(f"a score is missing or infinite: {dict(record)}")
        places: dict[str, Any] = {
            key: NameColumn.of(
                None if is_missing(record.get(key)) else record.get(key) for record in kept
            )
            for key in KEYS
        }
        value, n_train, n_test = (
            np.array([record.get(key) for record in kept], dtype=np.float64)
            for key in ("score", "n_train", "n_test")
        )
        return ScoreColumns(
            model=NameColumn.of(str(record["model"]) for record in kept),
            measure=NameColumn.of(record.get("measure") or "score" for record in kept),
            value=value,
            n_train=n_train,
            n_test=n_test,
            **places,
        )

    @staticmethod
    def joined(parts: Sequence["ScoreColumns"]) -> "ScoreColumns":
        """Scores one below the other."""
        columns: dict[str, Any] = {}
        for one in fields(ScoreColumns):
            of = [getattr(part, one.name) for part in parts]
            columns[one.name] = (
                NameColumn.joined(of) if isinstance(of[0], NameColumn) else _one_below(of)
            )
        return ScoreColumns(**columns)

    @property
    def size(self) -> int:
        return int(self.value.size)

    def at(self, rows: Any) -> "ScoreColumns":
        """Some of the scores."""
        columns: dict[str, Any] = {}
        for one in fields(self):
            column = getattr(self, one.name)
            columns[one.name] = column.at(rows) if isinstance(column, NameColumn) else column[rows]
        return ScoreColumns(**columns)

    def without(self, key: str) -> "ScoreColumns":
        """The scores with one of their places forgotten."""
        changed: dict[str, Any] = {key: NameColumn.same("", self.size)}
        return replace(self, **changed)

    def repeated(self) -> int | None:
        """The first score whose model has one in its measure at its place already."""
        places = combined([self.model, self.measure, *(getattr(self, key) for key in KEYS)])
        if n_distinct(places) == places.size:
            return None
        order = np.argsort(places, kind="stable")
        again = order[1:][places[order][1:] == places[order][:-1]]
        return int(again.min())

    def score(self, row: int) -> ModelScore:
        """One score by itself."""
        return next(iter(self.at([row])))

    def __iter__(self) -> Iterator[ModelScore]:
        texts = ("model", "measure", *KEYS)
        sizes = [
            [None if math.isnan(size) else size for size in column.tolist()]
            for column in (self.n_train, self.n_test)
        ]
        columns = zip(
            *(getattr(self, name) for name in texts), self.value.tolist(), *sizes, strict=True
        )
        for *words, value, n_train, n_test in columns:
            yield ModelScore(
                **dict(zip(texts, words, strict=True)), value=value, n_train=n_train, n_test=n_test
            )
