"""Tables as people write them (0,68, 68.1%, 0.68 ± 0.02, -1 for a failure, a mean at the foot) made plain."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError
from assay.core.questions import Question
from assay.evidence import open_questions as ask
from assay.evidence.cell_questions import which_decimal, which_units
from assay.evidence.cell_text import is_missing, shortened
from assay.evidence.gap_words import stands_for_nothing
from assay.evidence.name_parts import counted_model, total_of
from assay.evidence.names import (
    TRAINED,
    has_role,
    is_description,
    known_as,
    place_of,
    plain,
    right_model,
)
from assay.evidence.profile import (
    Profile,
    Style,
    comma_numbers,
    pointed_thousands,
    unit_of,
    unsure_commas,
    written_number,
    written_spread,
)
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.readers.totals_and_headers import read_numbers, with_own_rows
from assay.evidence.reading_options import Told
from assay.evidence.rows_memory import Array

MOST_CELLS = 20_000_000
"""Cells that are written anew in memory."""
MOST_CLASSES = 50
FAILURES = (-1.0, -9.0, -99.0, -999.0, -9999.0)
NINES = (99.0, 999.0, 9999.0, 99999.0, 999.9, 999.99, 99.9, 99.99)
_CODES = (*FAILURES, *NINES, -math.inf, math.inf)
FAR_ABOVE = 5.0
"""How many times all other values such a code exceeds."""
FEWEST_CODED = 10
"""Numbers among which one that stands alone may be a code for none."""
MOST_GAPS = 0.4
"""Numbers that scripts write where a model failed."""


@dataclass(slots=True)
class Tidied:
    """A table with plain cells; what was found on the way."""

    table: SourceTable
    questions: list[Question] = field(default_factory=list)
    explained: dict[str, str] = field(default_factory=dict)
    """Columns that another one stands for, and why."""
    totals: set[str] = field(default_factory=set)
    """Columns by which counts were divided: a row is then no single item."""
    summary_rows: list[str] = field(default_factory=list)

    @property
    def profiles(self) -> Mapping[str, Profile]:
        return self.table.profiles()


def tidied(table: SourceTable, told: Told) -> Tidied:
    """The table with plain numbers and alike spelt classes, without rows that sum it up."""
    table, foot = with_own_rows(table, told)
    found = Tidied(table, summary_rows=foot)
    columns = found.profiles.values()
    if told.percent or any(one.is_written or pointed_thousands(one) for one in columns):
        _write_numbers(found, told)
    if told.percent:
        _divide_models(found, told)
    if table.relation is not None:  # their rows stay where they are
        return found
    if any(column.missing for column in found.profiles.values()):
        _write_ticks(found, told)
    if any(np.isin(column.numbers, _CODES).any() for column in found.profiles.values()):
        _clear_failures(found, told)
    for name, column in found.profiles.items():
        loose = {} if column.is_numeric or place_of(name) is None else column.levels
        if words := {word: word.strip() for word in loose if word != word.strip()}:
            found.table = found.table.respelt(name, words)
    _join_indicators(found)
    if not all(column.is_numeric for column in found.profiles.values()):
        _shorten_outcomes(found)
    truth = _truth(found, told)
    if told.classes is not None and truth is not None:
        _decode(found, list(map(str, told.classes)))
        truth = found.profiles[truth.name]
    if truth is None:
        _divide_counts(found, told)
    elif any(not column.levels <= truth.levels for column in found.profiles.values()):
        _spell_alike(found, truth)
        _clear_gap_words(found, truth)
    return found


def _fits(table: SourceTable) -> bool:
    """Whether a table is small enough to be written anew in memory; what is larger stays as it is."""
    return len(table.names) * table.rows().size() <= MOST_CELLS


def _changed(found: Tidied, arrays: Mapping[str, Array]) -> None:
    """Put these columns into the table, which then is in memory."""
    if not _fits(found.table):
        raise EvidenceError(
            f"{found.table.title} is too large to be written anew with plain numbers; write decimals with a point"
        )
    table = found.table.in_memory()
    merged = {**table.arrays, **arrays}
    found.table = replace(table, names=tuple(merged), arrays=merged)


def _rewrite(found: Tidied, names: Iterable[str], write: Callable[[list[Any]], Array]) -> None:
    """Put into the table what a function makes of the cells of these columns."""
    _changed(found, {})
    _changed(found, {name: write(found.table.arrays[name].tolist()) for name in names})


def _write_numbers(found: Tidied, told: Told) -> None:
    """Plain numbers for those that are written otherwise; a question where 1,234 may be two things."""
    profiles, title = found.profiles, found.table.title
    written = {name: one.style for name, one in profiles.items() if one.is_written}
    if {"unit", "comma unit"} & {*written.values()}:
        _ask_about_units(found, told)
    divided = [n for n in told.percent if n in profiles and written.get(n) != "percent"]
    if told.decimal != "point" and any(map(pointed_thousands, profiles.values())):
        _settle_points(found, told)
        profiles = found.profiles
    if not written and not divided:
        return
    counted = any(counted_model(name) is not None for name in profiles)
    beside = {n for n in written if n in told.ignore or (is_description(n) and not counted)}
    for name, style in written.items():
        doubtful = style in ("comma", "unit") and told.decimal is None and name not in beside
        if doubtful and unsure_commas(profiles[name]):
            found.questions.append(which_decimal(name, str(profiles[name].present[0])))
            break
    commas = set(written.values()) == {"comma"} and told.decimal != "point" and not divided
    if commas and (pointed := found.table.with_points(list(written))) is not None:
        found.table = pointed
        return
    _changed(found, {})
    loaded, lines = found.table.arrays, found.table.lines
    arrays: dict[str, Array] = {}
    for name, style in written.items():
        cells = loaded[name].tolist()
        arrays[name] = _numbers(cells, style, told, name, title, lines)
        spreads = [written_spread(cell) for cell in cells] if style == "spread" else []
        if any(one is not None for one in spreads):
            arrays[f"{name}_sd"] = np.array(spreads, dtype=float)
    for name in divided:
        arrays[name] = read_numbers(arrays.get(name, loaded[name]).tolist()) / 100.0
    _changed(found, arrays)


def _settle_points(found: Tidied, told: Told) -> None:
    """Thousands for 1.234 beside 987 where the comma is said to separate decimals; a question where nothing is."""
    names = [name for name, one in found.profiles.items() if pointed_thousands(one)]
    if told.decimal is None:
        example = next(str(x) for x in found.profiles[names[0]].present if "." in str(x))
        found.questions.append(which_decimal(names[0], example))
        return
    _rewrite(found, names, lambda of: np.array([_without_points(cell) for cell in of], object))


def _without_points(cell: Any) -> Any:
    return cell if is_missing(cell) else str(cell).replace(".", "")


def _divide_models(found: Tidied, told: Told) -> None:
    """Fractions for the per cent of a model that is named in a column, or is the whole file."""
    table = found.table
    named = [name for name in told.percent if name not in table.names]
    if not named:
        return
    columns = [column for column in found.profiles.values() if place_of(column.name) == "model"]
    whole = table.stem in named
    if not whole and not columns:
        return  # another of several files
    _changed(found, {})
    cells = found.table.arrays[columns[0].name].tolist() if columns else []
    chosen = True if whole else np.array([str(cell) in named for cell in cells])
    scores = [
        one.name
        for one in found.profiles.values()
        if one.is_numeric and not has_role(one.name) and not is_description(one.name)
    ]
    _rewrite(found, scores, lambda of: np.where(chosen, 0.01, 1.0) * read_numbers(of))


def _ask_about_units(found: Tidied, told: Told) -> None:
    """Ask about seconds beside milliseconds: numbers of two units are not compared."""
    told_of = told.listed or ()
    columns = [
        one
        for name, one in found.profiles.items()
        if one.unit and not is_description(name) and name not in told.ignore
    ]
    columns = [one for one in columns if one.name in told_of] or columns
    units = {one.name: one.unit for one in columns}
    if len(set(units.values())) > 1:
        found.questions.append(which_units(found.table.title, units))


def _numbers(
    cells: Sequence[Any], style: Style, told: Told, name: str, title: str, lines: Sequence[int]
) -> Array:
    """The numbers of a column; a cell that is none, or of another unit, is named with its line."""
    if style == "comma" and told.decimal != "point" and (plain := comma_numbers(cells)) is not None:
        return plain
    with_unit = style in ("unit", "comma unit")
    if with_unit and told.decimal is not None:
        style = "unit" if told.decimal == "point" else "comma unit"
    numbers, unit = np.empty(len(cells)), ""
    for place, cell in enumerate(cells):
        if style == "comma" and told.decimal == "point" and isinstance(cell, str):
            cell = cell.replace(",", "")  # noqa: PLW2901
        numbers[place] = written_number(cell, style)
        unit = unit or (unit_of(cell) if with_unit else "")
        other = with_unit and unit_of(cell) not in ("", unit)  # g among kg
        odd = np.isnan(numbers[place]) and not stands_for_nothing(str(cell))  # as #DIV/0! does
        if (other or odd) and any(mark.isdigit() for mark in str(cell)):
            line = f"line {lines[place]}" if lines else f"row {place + 1}"
            what = f"is not in {unit}" if other else "is not a number"
            raise EvidenceError(
                f"{line} of {title}, column {name!r}: {shortened(cell)} {what}; "
                "repair it, or leave the column out with ignore="
            )
    return numbers


def _code_of_gaps(columns: Sequence[Profile]) -> float | None:
    """A number that stands for none: -1, -99 among what is never negative, 999 far above all others."""
    values = np.concatenate([column.finite for column in columns])
    if values.size < FEWEST_CODED:  # of a few numbers any may stand alone
        return None
    low, high = float(values.min()), float(values.max())
    above, below = values[values != low], values[values != high]
    if low in FAILURES and above.size:
        least, most = float(above.min()), float(above.max())
        if (least >= 0.0 and most <= 100.0) or least - low > most - least or least > -100.0 * low:
            return low
    far = bool(below.size) and below.min() >= 0.0 and below.max() * FAR_ABOVE < high
    return high if high in NINES and far else None


def _clear_failures(found: Tidied, told: Told) -> None:
    """-1 among numbers that are never negative, and what is infinite: no score, but a run that failed."""
    columns = [c for c in found.profiles.values() if c.is_numeric and not known_as(c.name, "id")]
    groups = [columns] if len(columns) > 1 and not told.truth else []
    if (truth := _truth(found, told)) is not None:
        _clear_abstentions(found, told, columns, truth)
        values = truth.is_numeric and not (truth.is_whole and len(truth.levels) <= MOST_CLASSES)
        near = [c for c in columns if truth.low <= np.median(c.finite) <= truth.high]
        groups = [[truth, one] for one in near if values and one is not truth]
    for group in groups:
        _clear_codes(found, told, group)


def _clear_codes(found: Tidied, told: Told, columns: Sequence[Profile]) -> None:
    """Blanks for numbers that stand for none in columns that hold the same sort of numbers."""
    for column in columns:
        if any(map(_says_infinite, column.cells)) and not is_description(column.name):
            _blank_out(found, told, [column.name], np.inf, wrong=False)
    low = _code_of_gaps(columns)
    if low is None:
        return
    of = [column for column in columns if (column.finite == low).any()]
    rest = np.concatenate([column.finite[column.finite != low] for column in columns])
    shared = len(of) == len(columns) and low == -1.0
    if shared or any(np.mean(c.finite == low) > MOST_GAPS for c in of):
        return
    wrong = bool(np.isin(rest, (0.0, 1.0)).all())
    _blank_out(found, told, [column.name for column in of], low, wrong=wrong)


def _says_infinite(cell: Any) -> bool:
    """Whether a cell holds infinity, and no number that is only too large for a float."""
    written = isinstance(cell, str) and cell.strip(" +-").lower() in ("inf", "infinity", "∞")
    return written or (isinstance(cell, float) and math.isinf(cell))


def _clear_abstentions(
    found: Tidied, told: Told, columns: Sequence[Profile], truth: Profile
) -> None:
    """-1 among predictions of 0 and 1: no class of the truth, but a model that gave no answer."""
    if not truth.is_whole or not 1 < len(truth.levels) <= MOST_CLASSES:
        return
    codes = {f"{code:g}": code for code in FAILURES}
    for column in columns:
        if ":" in column.name:  # NAME:score says what it holds
            continue
        strange = column.levels - truth.levels
        code = codes.get(next(iter(strange))) if len(strange) == 1 else None
        seldom = code is not None and np.mean(column.finite == code) <= MOST_GAPS
        seldom = seldom and len(column.levels) > 2 and column.name != truth.name
        if code is not None and seldom:
            _blank_out(found, told, [column.name], code, wrong=True)


def _blank_out(
    found: Tidied, told: Told, names: Sequence[str], code: float, *, wrong: bool
) -> None:
    """Blanks for a number that stands for none, and the question what they mean."""
    if not _fits(found.table):
        return
    if told.missing == "refuse":
        found.questions.append(ask.what_of_failures(names[0], f"{code:g}", wrong=wrong))
    codes = (code, -code) if math.isinf(code) else (code,)
    _rewrite(found, names, lambda of: _without(codes, read_numbers(of)))


def _without(codes: Sequence[float], numbers: FloatArray) -> Array:
    return np.where(np.isin(numbers, codes), np.nan, numbers)


_TICKS = frozenset({"x", "✓", "✔", "√", "☑"})


def _write_ticks(found: Tidied, told: Told) -> None:
    """1 for a cell that is ticked and 0 for one that is not, where columns hold nothing but ticks and blanks."""
    columns = [
        one
        for one in found.profiles.values()
        if one.missing and {level.strip().lower() for level in one.levels} <= _TICKS and one.levels
    ]
    if len(columns) < 2 or _truth(found, told) is not None or not _fits(found.table):
        return
    names = [one.name for one in columns]
    _rewrite(found, names, lambda of: np.array([int(not is_missing(cell)) for cell in of]))


_INDICATOR = re.compile(r"(?P<of>.+)[ _.:](?P<value>[^ _.:]+)")


def _join_indicators(found: Tidied) -> None:
    """One column of classes for true_cat, true_dog …, of which one is 1 in every row."""
    groups: dict[str, dict[str, Profile]] = {}
    for name, column in found.profiles.items():
        split = _INDICATOR.fullmatch(name)
        if split and column.is_numeric and column.is_binary and len(column.levels) == 2:
            groups.setdefault(split["of"], {})[split["value"]] = column
    for stem, columns in groups.items():
        truth = known_as(stem, "truth") and stem not in found.table.names
        if len(columns) < 2 or not truth or not _fits(found.table):
            continue
        if (np.sum([column.numbers for column in columns.values()], axis=0) != 1.0).any():
            continue
        _changed(found, {})
        cells = [
            read_numbers(found.table.arrays[column.name].tolist()) for column in columns.values()
        ]
        ones = [*zip(*(column == 1.0 for column in cells), strict=True)]
        chosen = [next(compress(columns, row), "") for row in ones]
        _changed(found, {stem: np.array(chosen, dtype=object)})
        found.explained |= {c.name: f"one of the columns of {stem!r}" for c in columns.values()}


_OUTCOME = re.compile(
    r"(?s)(?P<right>\[?PASS(?:\]|\b).*|(?i:pass|passed|correct|resolved|solved))|\[?(?:FAIL|ERROR)(?:\]|\b).*"
    r"|(?i:incorrect|fail(?:ed|ure)?|error|timed?[ _-]?out|not[ _-]?attempted|crash(?:ed)?|unresolved)\b.*"
)


def _shorten_outcomes(found: Tidied) -> None:
    """Pass or fail alone for [PASS] before what a model said; an error is a failure, as what was not attempted is."""
    said = {
        name: list(map(_OUTCOME.fullmatch, map(str, c.present)))
        for name, c in found.profiles.items()
        if not c.is_numeric
    }
    columns = [
        name
        for name, found_in in said.items()
        if None not in found_in and any(one and one["right"] for one in found_in)
    ]
    long = any(len(found.profiles[name].levels) > 2 for name in columns)
    if long and _fits(found.table):
        _rewrite(found, columns, _outcomes)


def _outcomes(cells: list[Any]) -> Array:
    said = [_OUTCOME.fullmatch(str(cell)) for cell in cells]
    words = [None if one is None else "pass" if one["right"] else "fail" for one in said]
    return np.array(words, dtype=object)


def _decode(found: Tidied, classes: Sequence[str]) -> None:
    """The classes that were told in the place of their numbers 0, 1, 2 … where another column has their words."""
    words: dict[str, str | None] = {str(code): name for code, name in enumerate(classes)}
    columns = [
        one for name, one in found.profiles.items() if not has_role(name) or known_as(name, "truth")
    ]
    if any(one.levels and one.levels <= {*classes} for one in columns):
        for column in columns:
            if column.is_whole and column.levels <= {*words}:
                found.table = found.table.respelt(column.name, words)


def _spell_alike(found: Tidied, truth: Profile) -> None:
    """Write classes as the truth does, where Yes stands beside yes or True beside 1."""
    if len(truth.levels) > MOST_CLASSES:
        return
    graded = any(right_model(name) is not None for name in found.profiles)  # by who knew (B) from B
    fold = partial(_folded, answers=_are_answers(truth), bare=not graded)
    spelt = {fold(level): level for level in truth.levels}
    if len(spelt) < len(truth.levels):
        return
    other = [
        column
        for column in found.profiles.values()
        if plain(column.name) not in TRAINED  # whose words are typed behind --where
        and not column.levels <= truth.levels
        and min(len(truth.levels), 2) <= len(column.levels) <= MOST_CLASSES
        and set(map(fold, column.levels)) <= set(spelt)
    ]
    for column in other:
        words = {level: spelt[fold(level)] for level in column.levels}
        found.table = found.table.respelt(column.name, words)


def _truth(found: Tidied, told: Told) -> Profile | None:
    known = [name for name in found.profiles if known_as(name, "truth")]
    name = told.truth or (known[0] if len(known) == 1 else None)
    return found.profiles.get(str(name))


def _clear_gap_words(found: Tidied, truth: Profile) -> None:
    """Empty the cells in which N/A or timeout stands among classes of the truth, which has no such class."""
    for column in list(found.profiles.values()):
        gaps = [level for level in column.levels - truth.levels if stands_for_nothing(level)]
        if gaps and (column.is_numeric or column.levels & truth.levels):
            found.table = found.table.respelt(column.name, dict.fromkeys(gaps))


def _divide_counts(found: Tidied, told: Told) -> None:
    """Shares for counts beside what they are counted of: 81 correct of a total of 90."""
    if told.truth or not _fits(found.table):
        return
    columns = [one for one in found.profiles.values() if one.is_whole and one.low >= 0.0]
    if any(place_of(one.name) == "model" and one.is_unique for one in found.profiles.values()):
        return  # totals of each model, which have methods of their own
    totals = {total_of(one.name): one for one in columns if total_of(one.name) is not None}
    pairs = {
        column.name: total.name
        for column in columns
        if column.high > 1.0 and (total := _total_of(column, totals)) is not None
    }
    if pairs:
        _changed(found, {})
        _changed(found, {name: _shares(found.table, name, of) for name, of in pairs.items()})
        found.totals |= {*pairs.values()}


def _total_of(column: Profile, totals: Mapping[str | None, Profile]) -> Profile | None:
    """What a column counts a part of: rf_total for rf_correct, else the total of all."""
    model = counted_model(column.name)
    total = None if model is None else totals.get(model, totals.get(""))
    fits = total is not None and bool((column.numbers <= total.numbers).all())
    return total if fits else None


def _shares(table: SourceTable, name: str, of: str) -> Array:
    parts, totals = (read_numbers(table.arrays[one].tolist()) for one in (name, of))
    return np.asarray(parts / totals)


_YES, _NO = ("true", "yes", "y", "t"), ("false", "no", "n", "f")


def _are_answers(truth: Profile) -> bool:
    """Whether the truth says yes and no, or 1 and 0."""
    return {level.strip().casefold() for level in truth.levels} <= {*_YES, *_NO, "0", "1"}


def _folded(text: str, *, answers: bool, bare: bool) -> str:
    """A class without capitals and blanks around it; yes is 1 among ``answers``.

    Where it is to be ``bare``, (B), **B** and B. are B, but a point may belong to a number.
    """
    word = text.strip().casefold()
    inside = word.strip("()[].:\"'`*")
    word = inside if bare and inside.isalpha() else word
    if answers and word in (*_YES, *_NO):
        return "1" if word in _YES else "0"
    return word
