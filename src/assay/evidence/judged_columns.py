"""Columns of files with people's labels and a judge's: loaded, joined by item id, turned by model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.evidence.cell_text import class_text, id_text, is_missing, number_of, plural, quoted
from assay.evidence.gap_words import UNGRADED
from assay.evidence.names import PLACES, known_as
from assay.evidence.readers.source_tables import SourceTable

MOSTLY = 0.8
"""The share of a judge's grades that are numbers, from which on its words are failures to give one."""
MOST_GRADES = 10
"""Different numbers up to which they are grades, of which the most frequent is one; more have a mean."""
WRITTEN = re.compile(r"(-?\d+(?:[.,]\d+)?)\s*%|(-?\d+,\d{1,2})")
"""Numbers as people type them: 85 %, which is 0.85, and 3,5. A comma before three digits may part thousands."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedColumn:
    """One column: which distinct value every row holds; -1 where a cell is empty."""

    name: str
    codes: IntArray
    levels: tuple[Any, ...]

    @staticmethod
    def of(name: str, codes: IntArray, levels: Sequence[Any]) -> "JudgedColumn":
        kept = [place for place, level in enumerate(levels) if not _empty(level)]
        turned = np.full(len(levels) + 1, -1, dtype=np.int64)
        turned[kept] = np.arange(len(kept))
        return JudgedColumn(
            name=name, codes=turned[codes], levels=tuple(levels[place] for place in kept)
        )

    @property
    def missing(self) -> int:
        return int((self.codes < 0).sum())

    def complete(self, needed: str, what: str = "column") -> "JudgedColumn":
        """The column itself; refused where a cell is empty."""
        if self.missing:
            gaps = plural(self.missing, "gap")
            raise EvidenceError(f"{what} {self.name!r} has {gaps}: {needed}")
        return self

    def taken(self, rows: IntArray) -> "JudgedColumn":
        """Other rows, -1 for a row that is not there."""
        codes = np.append(self.codes, -1)[rows]
        return JudgedColumn(name=self.name, codes=codes, levels=self.levels)

    def texts(self) -> tuple[str, ...]:
        return tuple(map(class_text, self.levels))

    def ids(self) -> list[str]:
        """The id of every row; rows without one are refused."""
        if self.missing:
            raise EvidenceError(
                f"column {self.name!r} has {plural(self.missing, 'row')} without an id"
            )
        names = [id_text(level) for level in self.levels]
        return [names[code] for code in self.codes.tolist()]

    def numeric(self) -> bool:
        return all(_number(level) is not None for level in self.levels)

    def numbers(self) -> FloatArray:
        """NaN where a cell is empty; a cell that is no number is named."""
        found = np.full(len(self.levels) + 1, np.nan)
        shares = [level for level in self.levels if str(level).strip().endswith("%")]
        plain = [level for level in self.levels if abs(number_of(level) or 0.0) > 1.0]
        if shares and plain:
            raise EvidenceError(
                f"column {self.name!r} has both {shares[0]!r} and {plain[0]!r}: write all its grades in one way"
            )
        for place, level in enumerate(self.levels):
            number = _number(level)
            if number is None or not np.isfinite(number):
                raise EvidenceError(f"column {self.name!r}: {str(level)[:40]!r} is not a number")
            found[place] = number
        return found[self.codes]

    def coded(self, classes: tuple[str, ...]) -> FloatArray:
        """The class of every row as a number; NaN where a cell is empty."""
        index = {name: float(code) for code, name in enumerate(classes)}
        found = np.full(len(self.levels) + 1, np.nan)
        found[: len(self.levels)] = [index[text] for text in self.texts()]
        return found[self.codes]


def _empty(level: Any) -> bool:
    return is_missing(level) or (isinstance(level, str) and level.strip().lower() in UNGRADED)


def _number(level: Any) -> float | None:
    """Numbers, true and false as 1 and 0, and 85 % as 0.85."""
    if isinstance(level, str) and level.strip().lower() in ("true", "false"):
        return float(level.strip().lower() == "true")
    found = WRITTEN.fullmatch(level.strip()) if isinstance(level, str) else None
    if found is None:
        return number_of(level)
    number = float((found[1] or found[2]).replace(",", "."))
    return number / 100.0 if found[1] else number


Columns = dict[str, JudgedColumn]


def load(table: SourceTable) -> Columns:
    """Every column of a table; nothing is guessed about what it is for."""
    names = list(table.names)
    coded = table.rows(names).coded(names)
    return {
        name: JudgedColumn.of(name, codes.astype(np.int64), levels)
        for name, (codes, levels) in zip(names, coded, strict=True)
    }


def id_name(columns: Columns, told: str | None, title: str) -> str:
    """The column that names items: told, or called so."""
    named = [name for name in columns if known_as(name, "id")]
    if told is not None:
        if told in columns:
            return told
        alike = [name for name in columns if name.strip().casefold() == told.casefold()]
        if len(alike or named) != 1:
            raise UsageError(f"{title} has no column {told!r}; it has {quoted(list(columns), 8)}")
        return (alike or named)[0]
    if len(named) != 1:
        raise UsageError(
            f"which column of {title} names the items? Add id=; it has {quoted(list(columns), 8)}"
        )
    return named[0]


def joined(
    main: Columns, other: Columns, keys: tuple[str, str], titles: tuple[str, str], *, strict: bool
) -> Columns:
    """The columns of the main table with those of another beside them, item by item."""
    known, given = main[keys[0]].ids(), other[keys[1]].ids()
    for ids, key, title in zip((known, given), keys, titles, strict=True):
        if len(set(ids)) != len(ids):
            raise EvidenceError(
                f"{title} has the same {key!r} in several rows: one row per item is needed"
            )
    places = {name: place for place, name in enumerate(known)}
    strange = [name for name in given if name not in places]
    if strange and (strict or len(strange) == len(given)):
        less = ", or leave them out with on_mismatch='intersect'" if strict else ""
        raise EvidenceError(
            f"{plural(len(strange), 'item')} of {titles[1]} (the first is {strange[0]!r}) "
            f"{'is' if len(strange) == 1 else 'are'} not in {titles[0]}{_padded(strange, known)}: repair the ids{less}"
        )
    rows = np.full(len(places), -1, dtype=np.int64)
    for row, name in enumerate(given):
        if name in places:
            rows[places[name]] = row
    added = {name: cells.taken(rows) for name, cells in other.items() if name != keys[1]}
    both = [name for name in added if name in main]
    if both:
        raise EvidenceError(
            f"{titles[0]} and {titles[1]} both have a column {both[0]!r}: rename one of them"
        )
    return {**main, **added}


def model_column(columns: Columns) -> str | None:
    """The column that names models in a table with a row per item and model."""
    named = [name for name in columns if name.strip().lower() in PLACES["model"]]
    return named[0] if len(named) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Turned:
    """A long table as a table of items: the row of each item and model."""

    models: tuple[str, ...]
    rows: IntArray
    """Models x items; -1 where a model has no row for the item."""
    first: IntArray
    """A row of each item, for columns that belong to items."""


def turned(columns: Columns, models: str, key: str, asked: Sequence[str] | None) -> Turned:
    """From a row per item and model to a row per item."""
    _check_named(columns[models])
    names = columns[models].texts()
    wanted = tuple(asked) if asked is not None else tuple(sorted(names))
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise UsageError(
            f"column {models!r} names no model {unknown[0]!r}; it has {quoted(names, 8)}"
        )
    items: dict[str, int] = {}
    ids = [items.setdefault(name, len(items)) for name in columns[key].ids()]
    rows = np.full((len(wanted), len(items)), -1, dtype=np.int64)
    place_of = {name: place for place, name in enumerate(wanted)}
    code_to_place = np.array([place_of.get(name, -1) for name in names] + [-1])
    places = code_to_place[columns[models].codes]
    taken = np.flatnonzero(places >= 0)
    item = np.asarray(ids, dtype=np.int64)
    cells = places[taken] * len(items) + item[taken]
    if np.unique(cells).size != cells.size:
        raise EvidenceError(
            "some item has several rows of the same model: name the column of items with id="
        )
    rows.ravel()[cells] = taken
    first = np.full(len(items), -1, dtype=np.int64)
    first[item[::-1]] = np.arange(item.size)[::-1]
    return Turned(models=wanted, rows=rows, first=first)


def _check_named(naming: JudgedColumn) -> None:
    blank = np.flatnonzero(naming.codes < 0)
    if blank.size:
        raise EvidenceError(
            f"column {naming.name!r} must name a model in every row: {blank.size} have none "
            f"(the first is row {blank[0] + 1} of the data)"
        )


def paired_ids(key: JudgedColumn, naming: JudgedColumn) -> JudgedColumn:
    """Item and model together as one id."""
    _check_named(naming)
    names = naming.texts()
    rows = zip(key.ids(), naming.codes.tolist(), strict=True)
    pairs = [f"{item}\x1f{names[code]}" for item, code in rows]
    return JudgedColumn(name=key.name, codes=np.arange(len(pairs)), levels=tuple(pairs))


def shared_names(truths: tuple[str, ...], judges: tuple[str, ...]) -> tuple[str, ...] | None:
    """The models in human_a, human_b beside judge_a, judge_b: what is left of both without the shared part."""
    found = []
    for names in (truths, judges):
        start = len(commonprefix(names))  # noqa: RUF071 (no paths)
        end = len(commonprefix([n[start:][::-1] for n in names]))  # noqa: RUF071
        found.append(tuple(n[start : len(n) - end].strip("_- .") for n in names))
    return found[0] if found[0] == found[1] and all(found[0]) else None


def places_named(
    models: tuple[str, ...], own: tuple[str, ...] | None, count: int
) -> tuple[int, ...] | None:
    """Where the ``models`` that were named stand: by the names they have, else in order; None where neither fits.

    Names that columns or files have already are never given to others.
    """
    known = own or ()
    if models and set(models) <= set(known):
        return tuple(map(known.index, models))
    fits = len(models) == count and not set(models) & set(known)
    return tuple(range(count)) if fits else None


def _padded(strange: Sequence[str], known: Sequence[str]) -> str:
    """Whether ids differ only as after a spreadsheet: in zeros, blanks, capitals, or in 7.0 for 7."""
    plain = {_plain_id(name): name for name in known}
    if not all(_plain_id(name) in plain for name in strange):
        return ""
    return f", where it is spelled {plain[_plain_id(strange[0])]!r}"


def _plain_id(name: str) -> str:
    text = re.sub(r"(?<=\d)\.0+$", "", name.strip().casefold())
    return re.sub(r"(?<!\d)0+(?=\d)", "", text)


def join_people(columns: Columns, truths: Sequence[str], *, predicted: bool) -> None:
    """Several people's grades of the same answers, named ann+bob, as one column: their mean."""
    for name in truths:
        parts = [part.strip() for part in name.split("+")]
        if name in columns or len(parts) == 1 or not all(part in columns for part in parts):
            continue
        if predicted:
            raise NotApplicable(
                "labels of items that models predict have no mean: put the majority label into one column"
            )
        columns[name] = mean_of(name, [columns.pop(part) for part in parts])


def check_repeated(columns: Columns, said: Mapping[str, Any], ignored: Sequence[str]) -> None:
    """Rows of one item are not independent."""
    if said.get("cluster") is not None or said.get("repeat") is not None:
        return
    for name, cells in columns.items():
        known = said.get("id") == name or known_as(name, "id")
        if known and name not in ignored and cells.codes.size > len(cells.levels) + cells.missing:
            raise UsageError(
                f"column {name!r} names {len(cells.levels):,} items in {cells.codes.size:,} rows. If the rows of an "
                f"item are several answers to it, add cluster={name!r}; if they have nothing in common, ignore={name!r}"
            )


def filled(cells: JudgedColumn) -> tuple[JudgedColumn, int]:
    """A judge's column with its most frequent grade where it gave none (of many numbers their mean); and how often.

    Any grade serves there, for people's labels correct it. Words among numbers, such as ERROR, are no grades.
    """
    known = np.array([_number(level) is not None for level in cells.levels], dtype=bool)
    often = np.bincount(cells.codes[cells.codes >= 0], minlength=known.size)
    if 0 < known.sum() < known.size and often[known].sum() >= MOSTLY * often.sum():
        kept = [level if one else None for level, one in zip(cells.levels, known, strict=True)]
        cells = JudgedColumn.of(cells.name, cells.codes, kept)
        often = often[known]
    if not 0 < cells.missing < cells.codes.size / 2:
        return cells, 0
    codes, levels = np.where(cells.codes < 0, often.argmax(), cells.codes), cells.levels
    if cells.numeric() and len(levels) > MOST_GRADES:
        codes = np.where(cells.codes < 0, len(levels), cells.codes)
        levels = (*levels, float(np.nanmean(cells.numbers())))
    return JudgedColumn(name=cells.name, codes=codes, levels=levels), cells.missing


def people_joined(columns: Columns, key: str, truths: Sequence[str], *, predicted: bool) -> Columns:
    """A table of labels with a row per item: of several labels of an item their mean, of words the one that all say."""
    ids = columns[key].ids()
    items = list(dict.fromkeys(ids))
    if len(items) == len(ids):
        return columns
    places = {name: place for place, name in enumerate(items)}
    rows = np.array([places[name] for name in ids])
    found = {key: JudgedColumn(name=key, codes=np.arange(len(items)), levels=tuple(items))}
    for name in (name for name in truths if name in columns):
        cells = columns[name]
        if cells.numeric() and not predicted:
            found[name] = _mean_by(cells, rows, len(items))
            continue
        codes = np.full(len(items), -1, dtype=np.int64)
        codes[rows[cells.codes >= 0]] = cells.codes[cells.codes >= 0]
        if (codes[rows] != cells.codes)[cells.codes >= 0].any():
            raise EvidenceError(
                f"column {name!r} has different words for the same {key!r}, which have no mean. Write 0 and 1 "
                "instead, or one row per item with the majority's word"
            )
        found[name] = JudgedColumn(name=name, codes=codes, levels=cells.levels)
    return found


def _mean_by(cells: JudgedColumn, rows: IntArray, size: int) -> JudgedColumn:
    values = cells.numbers()
    there = ~np.isnan(values)
    counts = np.bincount(rows[there], minlength=size)
    sums = np.bincount(rows[there], weights=values[there], minlength=size)
    return _of_means(cells.name, sums, counts)


def _of_means(name: str, sums: FloatArray | IntArray, counts: IntArray) -> JudgedColumn:
    """The means of the grades that each row has; a row without any stays empty."""
    levels, codes = np.unique(sums / np.maximum(counts, 1), return_inverse=True)
    return JudgedColumn(
        name=name, codes=np.where(counts > 0, codes, -1), levels=tuple(levels.tolist())
    )


def mean_of(name: str, columns: Sequence[JudgedColumn], *, rescaled: bool = False) -> JudgedColumn:
    """Several columns of numbers as one: the mean of those that are there.

    Where they may be ``rescaled`` and have scales of their own, all are brought to the first one's.
    """
    values = np.stack([cells.numbers() for cells in columns])
    if rescaled and _own_scales(values):
        spreads = np.where(np.ptp(values, axis=1) > 0.0, values.std(axis=1), 1.0)
        ratios = (spreads[0] / spreads)[:, None]
        values = values[0].mean() + ratios * (values - values.mean(axis=1)[:, None])
    return _of_means(name, np.nansum(values, axis=0), (~np.isnan(values)).sum(axis=0))


def _own_scales(values: FloatArray) -> bool:
    """Whether some judge's usual grade is none that another could give."""
    usual = np.median(values, axis=1)
    low, high = values.min(axis=1)[:, None], values.max(axis=1)[:, None]
    return bool(((usual < low) | (usual > high)).any())
