"""Tables as spreadsheets hold them: a title above, names in two rows, units below them, notes at the foot."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, takewhile
from typing import Any, NamedTuple

from assay.evidence.cell_text import number_of
from assay.evidence.profile import written_spread

_UNIT = re.compile(r"[(\[]?\s*(?:%|[a-zA-Zµ°/]{1,4}²?|[↑↓])\s*[)\]]?|")
_RULE = re.compile(r":?-{2,}:?")
"""What markdown puts between names and cells."""
_BOLD = re.compile(r"^([*_]{1,3}|`)([^*_`].*)\1$")
"""What it puts around a word that stands out."""

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Names, rows of cells, and the line of the file on which each row stands."""

    names: tuple[str, ...]
    rows: Sequence[Row]
    lines: list[int]
    plain: bool = False
    """Whether the first row named the columns and all others were data."""


class Split(NamedTuple):
    """The records of a text by one delimiter, and the line on which each begins."""

    mark: str
    lines: list[int]
    rows: list[list[str]]


def split_text(text: str, marks: str = "|\t;,", *, strict: bool = False) -> list[Split]:
    """A text cut by every delimiter by which it can be, or by blanks where no other cuts it.

    Empty records are left out, and several blanks are one. A delimiter that is not there gives a cell a line,
    and is tried where no other cuts the text.
    """
    found: list[Split] = []
    trouble = None
    for mark in sorted(marks, key=lambda mark: mark not in text):
        if found and mark not in text:
            break
        lines = io.StringIO(text, newline=None)  # any line end
        reader = csv.reader(lines, delimiter=mark, strict=strict, skipinitialspace=mark == " ")
        split, begun = Split(mark, [], []), 1
        try:
            for record in reader:
                if record:
                    split.lines.append(begun)
                    split.rows.append(record)
                begun = reader.line_num + 1
        except csv.Error as error:
            trouble = error
            continue
        first, *others = split.rows or [[]]
        narrow = all(len(row) == len(first) + 1 > 2 and row[-1] for row in others)
        if others and narrow and not first[0].startswith("#"):
            split.rows[0] = ["", *first]  # R and pandas give no name to the names of the rows
        found.append(split)
    if trouble is not None and not found:
        raise trouble
    if len(marks) > 1 and all(len(split.rows[0]) < 2 for split in found if split.rows):
        stripped = "\n".join(map(str.strip, text.splitlines()))
        found += filter(is_regular, split_text(stripped, " "))
    return found


def is_regular(split: Split) -> bool:
    """Whether the first records have as many cells as there are names; the last may be cut off."""
    width = len(split.rows[0]) if split.rows else 0
    return width > 1 and all(len(row) == width for row in split.rows[1:-1])


def plain_split(found: Sequence[Split]) -> Split:
    """By the delimiter that gives the first records as many cells as there are names."""
    return max(reversed(found), key=lambda split: (is_regular(split), len(split.rows[0])))


def sheet_of_text(found: Sequence[Split], *, plain: bool = False) -> Sheet | None:
    """The table in a text of cells; None where it is a plain one and these are not wanted, or none at all."""
    mark, lines, records = max(found, key=lambda split: _regularity(split.rows))
    rows = [[cell.strip() for cell in record] for record in records]
    if mark == "|":
        rows = [[_BOLD.sub(r"\2", cell) for cell in row] for row in rows]
    if _width(rows) < 2 or (not plain and is_plain(rows)):
        return None
    return sheet_of(rows, lines)


def sheet_of(rows: Sequence[Row], lines: Sequence[int]) -> Sheet | None:
    """The table among rows of a sheet; None where a row in the middle does not fit."""
    width = _width(rows)
    placed = [(line, row) for line, row in zip(lines, rows, strict=True) if any(map(_says, row))]
    titles = len(list(takewhile(lambda one: _is_title(one[1], width), placed)))
    placed = [one for one in placed[titles:] if not all(map(_is_rule, one[1]))]
    while placed and _is_note(placed[-1][1]):
        placed.pop()
    if len(placed) < 2 or any(len(row) != width for _, row in placed):
        return None
    columns = [place for place in range(width) if any(_says(row[place]) for _, row in placed)]
    table = [[row[place] for place in columns] for _, row in placed]
    depth = _depth(table)
    names = _joined(table[:depth])
    depth += _are_units(table, depth)
    found = [line for line, _ in placed[depth:]]
    if width := _width_of_blocks(names):
        blocks = range(0, len(names), width)
        below = [
            (line, row[start : start + width])
            for start in blocks
            for line, row in zip(found, table[depth:], strict=True)
            if _filled(row[start : start + width])
        ]
        return Sheet(names[:width], [row for _, row in below], [line for line, _ in below])
    if len(set(names)) < len(names) or not all(names[1:]):
        return None
    return Sheet(names, table[depth:], found)


def _width_of_blocks(names: tuple[str, ...]) -> int:
    """How many columns a block has where the same names stand side by side again; 0 where they do not."""
    for width in range(2, len(names) // 2 + 1):
        times, rest = divmod(len(names), width)
        if not rest and len(set(names[:width])) == width and names == names[:width] * times:
            return width
    return 0


def _width(rows: Sequence[Row]) -> int:
    """The number of cells that most rows have."""
    widths = Counter(map(len, rows)).most_common(1)
    return widths[0][0] if widths else 0


def _regularity(rows: Sequence[Row]) -> tuple[int, int]:
    width = _width(rows)
    return sum(len(row) == width for row in rows) * (width > 1), width


def is_plain(rows: Sequence[Row]) -> bool:
    """Whether the first row names the columns and all others have as many cells."""
    names = [_text(cell) for cell in rows[0]]
    named = len(names) > 1 and all(names[1:]) and len(set(names)) == len(names)
    regular = named and all(len(row) == len(names) for row in rows)
    return regular and not _are_units(rows[:3], 1)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _says(cell: Any) -> bool:
    """Whether there is anything in a cell; of a number it is known without writing it."""
    return type(cell) in (int, float) or bool(_text(cell))


def _filled(row: Row) -> int:
    return sum(map(_says, row))


def _is_rule(cell: Any) -> bool:
    return not _says(cell) or (isinstance(cell, str) and _RULE.fullmatch(_text(cell)) is not None)


def _is_title(row: Row, width: int) -> bool:
    """Whether a row above the names is none of the table: one cell, or a comment of another width."""
    return _filled(row) < 2 or (len(row) != width and _text(row[0]).startswith("#"))


def _is_note(row: Row) -> bool:
    """Whether a row at the foot is a remark: one cell of words."""
    return _filled(row) == 1 and bool(_text(row[0])) and number_of(_text(row[0])) is None


def _depth(table: Sequence[Row]) -> int:
    """How many rows name the columns: one, or more where the first leaves names open."""
    first = [_text(cell) for cell in table[0]]
    if all(first[1:]) and len(set(first)) == len(first):
        return 1
    named = takewhile(
        lambda row: (
            not any(
                number_of(_text(cell).replace(",", ".")) is not None
                or written_spread(cell) is not None
                for cell in row
            )
        ),
        table,
    )
    return max(1, min(len(list(named)), len(table) - 1))


def _joined(header: Sequence[Row]) -> tuple[str, ...]:
    """The names in several rows put together; a name above several columns stands above each."""
    texts = [[_text(cell) for cell in row] for row in header]
    for row in texts[:-1]:
        for place in range(2, len(row)):
            row[place] = row[place] or row[place - 1]
    parts = [list(dict.fromkeys(filter(None, column))) for column in zip(*texts, strict=True)]
    return tuple("_".join(column) for column in parts)


def _are_units(table: Sequence[Row], depth: int) -> bool:
    """Whether the row below the names holds units, and the next one numbers."""
    rows = [list(map(_text, row)) for row in table[depth : depth + 2]]
    if len(rows) < 2 or not any(rows[0][1:]):
        return False
    numbers = [number_of(cell.replace(",", ".")) for cell in compress(rows[1], rows[0])]
    return all(map(_UNIT.fullmatch, rows[0])) and None not in numbers
