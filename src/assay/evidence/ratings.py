"""Ratings: several raters on the same items, as numbers of categories; who rated plays no part."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import MOST, shape_of
from assay.core.errors import EvidenceError
from assay.evidence.cell_text import (
    MISSING_WORDS,
    NEVER_CLASSES,
    class_text,
    is_missing,
    number_of,
    ordered,
    quoted,
    shortened,
)
from assay.evidence.rows import encoded

MOST_RATINGS = 500
"""Ratings of one item; all pairs of them are compared."""

LARGEST = 1e100
"""The squares of larger numbers have no room."""

Coded = tuple[IntArray, Sequence[Any]]
"""A column as numbers of its distinct raw values."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingSheet:
    """A column per rater (or, if the user says so, per category), and a row per item."""

    names: tuple[str, ...]
    columns: tuple[Coded, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
    """The ratings of each item, as many columns as an item has at most, -1 where there is none."""

    categories: tuple[str, ...]
    codes: IntArray
    raters: int

    @property
    def given(self) -> IntArray:
        """The number of ratings of each item."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=np.int64)

    def numbers(self) -> tuple[IntArray, FloatArray]:
        """The ratings as codes of numbers in their order, and the numbers."""
        values = [number_of(name) for name in self.categories]
        words = [n for n, value in zip(self.categories, values, strict=True) if value is None]
        if words:
            raise EvidenceError(
                f"the ratings {quoted(words)} are not numbers: write ordered words as 1, 2, 3 …, or take "
                "the metric nominal, which needs no order"
            )
        found = np.array(values, dtype=np.float64)
        if not (np.abs(found) < LARGEST).all():
            raise EvidenceError(f"ratings that are numbers must be finite, and below {LARGEST:g}")
        distinct, place = np.unique(found, return_inverse=True)
        codes = np.where(self.codes >= 0, np.append(place, -1)[self.codes], -1)
        return codes.astype(np.int64), distinct


def as_ratings(*evidence: Any, counts: bool = False) -> Ratings:
    """A table with a row per item and a column per rater, or arrays of item, rater and rating.

    With ``counts`` columns are categories, and cells say how many raters chose them.
    """
    if len(evidence) == 1 and isinstance(evidence[0], Ratings):
        if counts:
            raise EvidenceError(
                "counts are a row per item and a column per category, not long rows"
            )
        return evidence[0]
    if len(evidence) == 3:
        item, rater, rating = (_coded(one) for one in evidence)
        if len({len(codes) for codes, _ in (item, rater, rating)}) > 1:
            raise EvidenceError("item, rater and rating are lists of equal length, a rating each")
        return from_long(item, rater, rating, what="the evidence")
    sheet = evidence[0] if evidence and isinstance(evidence[0], RatingSheet) else _sheet(evidence)
    return _from_counts(sheet) if counts else from_wide(sheet.columns)


def from_wide(columns: Sequence[Coded]) -> Ratings:
    """A column per rater."""
    if len(columns) < 2:
        raise EvidenceError(
            f"agreement needs two raters or more, a column each; got {len(columns)}. For one rater and a "
            "known truth, evaluate with measure='kappa'"
        )
    categories, lookups = _categories([levels for _, levels in columns])
    codes = np.stack(
        [lookup[own] for lookup, (own, _) in zip(lookups, columns, strict=True)], axis=1
    )
    return Ratings(categories=categories, codes=_packed(codes), raters=len(columns))


def from_long(item: Coded, rater: Coded, rating: Coded, *, what: str) -> Ratings:
    """A row per rating: the item, who rated it, and the rating."""
    for (codes, levels), title in ((item, "item"), (rater, "rater")):
        if any(is_missing(levels[code]) for code in np.unique(codes).tolist()):
            raise EvidenceError(f"{what} has ratings without {title}: repair or drop them")
    categories, (lookup,) = _categories([rating[1]])
    found = lookup[rating[0]]
    pairs = item[0] * len(rater[1]) + rater[0]
    values, times = np.unique(pairs, return_counts=True)
    if (times > 1).any():
        twice = int(values[times > 1][0])
        raise EvidenceError(
            f"{what} has {times.max()} ratings of item {shortened(item[1][twice // len(rater[1])])} by "
            f"{shortened(rater[1][twice % len(rater[1])])}: a rater rates an item once; repeats need "
            "raters of their own"
        )
    _, place = np.unique(item[0], return_inverse=True)
    order = np.lexsort((found, place))
    row = place[order]
    slot = np.arange(row.size) - np.searchsorted(row, row)
    codes = np.full((int(row[-1]) + 1, int(slot.max()) + 1), -1, dtype=np.int64)
    codes[row, slot] = found[order]
    raters = np.unique(rater[0]).size
    return Ratings(categories=categories, codes=_packed(codes), raters=raters)


def _from_counts(sheet: RatingSheet) -> Ratings:
    """How many raters chose each category (columns) for each item (rows)."""
    table = np.stack(
        [_whole(column, name) for name, column in zip(sheet.names, sheet.columns, strict=True)],
        axis=1,
    )
    size = int(table.sum(axis=1).max())
    _check_size(size)
    codes = np.full((len(table), size), -1, dtype=np.int64)
    for row, counts in enumerate(table):
        chosen = np.repeat(np.arange(table.shape[1]), counts)
        codes[row, : chosen.size] = chosen
    categories = tuple(map(class_text, sheet.names))
    if len(set(categories)) < len(categories):
        raise EvidenceError(f"categories need different names; got {quoted(categories)}")
    return Ratings(categories=categories, codes=_packed(codes), raters=size)


def _whole(column: Coded, name: str) -> IntArray:
    codes, levels = column
    numbers = [number_of(value) for value in levels]
    used = set(codes.tolist())
    for code, number in enumerate(numbers):
        if code in used and (number is None or not number >= 0 or not number.is_integer()):
            raise EvidenceError(
                f"with counts a cell says how many raters chose the category of its column; "
                f"{name!r} has {shortened(levels[code])}"
            )
        if code in used and number is not None:
            _check_size(int(number))
    return np.array([0 if one is None else one for one in numbers], dtype=np.int64)[codes]


def _sheet(evidence: Sequence[Any]) -> RatingSheet:
    """A rectangle in memory, column by column; columns without names are numbered."""
    wanted = (
        "ratings are a table with a row per item and a column per rater (empty where there is no "
        "rating). Or give lists of item, rater and rating"
    )
    if len(evidence) != 1 or isinstance(evidence[0], str | Mapping):
        raise EvidenceError(f"{wanted}; got {len(evidence)} arguments")
    rows = evidence[0]
    if not isinstance(rows, np.ndarray):
        if not isinstance(rows, Sequence) or not all(len(shape_of(row) or ()) == 1 for row in rows):
            raise EvidenceError(f"{wanted}; got {shortened(rows)}")
        if len({len(row) for row in rows}) != 1:
            raise EvidenceError(
                f"{wanted}; rows have to be of one length, None where there is no rating"
            )
        rows = np.array([list(row) for row in rows], dtype=object)
    if rows.ndim != 2 or not rows.size:
        raise EvidenceError(f"{wanted}; got shape {rows.shape}")
    names = tuple(str(place + 1) for place in range(rows.shape[1]))
    return RatingSheet(names=names, columns=tuple(_coded(column) for column in rows.T))


def _coded(values: Any) -> Coded:
    """A list or array as codes of its distinct values."""
    array = np.asarray(values, dtype=None if isinstance(values, np.ndarray) else object)
    if array.ndim != 1 or not array.size:
        raise EvidenceError(
            f"item, rater and rating are lists, a rating each; got shape {array.shape}"
        )
    if array.dtype.kind in "biuf":
        levels, codes = np.unique(array, return_inverse=True)
        return codes.astype(np.int64), levels.tolist()
    known: dict[Any, int] = {}
    try:
        codes = encoded(array.tolist(), known)
    except TypeError:
        unlike = (one for one in array.tolist() if not isinstance(one, Hashable))
        odd = next(unlike, array.flat[0])
        raise EvidenceError(f"ratings are texts or numbers; got {odd!r:.60}") from None
    return codes, tuple(known)


def _categories(columns: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], list[IntArray]]:
    """The categories of all columns in their order, and for each column the number of each level."""
    texts = [[None if is_missing(v) else class_text(v) for v in levels] for levels in columns]
    words = {text for one in texts for text in one if text is not None}
    absent = {text for text in words if text.strip().lower() in NEVER_CLASSES or not text.strip()}
    stand_ins = {t for t in words if t.strip().lower() in MISSING_WORDS or t.strip() in ("*", ".")}
    if all(number_of(text) is not None for text in words - stand_ins - absent):
        absent |= stand_ins  # words for a missing value among numbers
    categories = ordered(words - absent)
    place = {name: at for at, name in enumerate(categories)}
    lookups = [
        np.array([place.get(text or "", -1) for text in one], dtype=np.int64) for one in texts
    ]
    return categories, lookups


def _packed(codes: IntArray) -> IntArray:
    """Ratings to the front of their rows, as many columns as an item has ratings at most."""
    most = int((codes >= 0).sum(axis=1).max())
    _check_size(most)
    return np.asarray(np.sort(codes, axis=1)[:, ::-1][:, : max(most, 1)])


def _check_size(most: int) -> None:
    if most > MOST_RATINGS:
        shown = f"{most:,}" if most <= MOST else f"{most:.4g}"
        raise EvidenceError(
            f"an item has {shown} ratings, and up to {MOST_RATINGS} are compared with one another: "
            "take a random part of the raters"
        )
