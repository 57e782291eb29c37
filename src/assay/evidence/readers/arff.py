"""ARFF, the format of Weka and OpenML: named columns, then rows of text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import EvidenceError
from assay.evidence.readers.log_files import lines_of

MAX_ATTRIBUTES = 10_000

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)
_CELL = re.compile(
    r"""[ \t]*+(?:'((?:[^'\\]|\\.)*+)'[ \t]*+|"((?:[^"\\]|\\.|"")*+)"[ \t]*+|([^,'" \t][^,]*+|))(,|$)"""
)
"""Never goes back over what it has read: a line may be long."""


@dataclass(frozen=True, slots=True)
class Arff:
    """The columns of a file and its cells, all as text; a missing cell is None."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """What each column is declared to hold, in lower case: numeric, string, {a,b} …"""
    rows: tuple[tuple[str | None, ...], ...]

    def column(self, name: str) -> list[str | None]:
        """The cells of a column, all missing where there is none of the name."""
        place = self.names.index(name) if name in self.names else None
        return [None if place is None else row[place] for row in self.rows]

    def declares_numbers(self, name: str) -> bool:
        return self.kinds[self.names.index(name)].split(" ")[0] in ("numeric", "real", "integer")


def is_arff(head: bytes) -> bool:
    """Whether a file begins as ARFF does, after comments."""
    return re.match(rb"(?:\s|%[^\n]*\n)*+@relation\b", head, re.IGNORECASE) is not None


def header_names(head: bytes) -> set[str]:
    """The columns that the beginning of a file names, in ARFF or in the first line of a CSV file."""
    lines = head.decode("utf-8", "replace").split("\n")
    if is_arff(head):
        return {_name(found) for line in lines if (found := _ATTRIBUTE.match(line.strip()))}
    return {name.strip(" '\"\r") for name in lines[0].split(",")}


def read_arff(path: Path, title: str, errors: str = "strict") -> Arff:
    """A file in ARFF, or a CSV file in Weka's way of quoting, whose first line names the columns.

    ``errors`` says what to do with bytes that are not UTF-8, as in ``bytes.decode``.
    """
    names: list[str] = []
    kinds: list[str] = []
    rows: list[tuple[str | None, ...]] = []
    begun = inside = False
    for number, line in _text_lines(path, title, errors):
        where = f"line {number} of {title}"
        if inside:
            rows.append(_row(line, names, where))
        elif found := _ATTRIBUTE.match(line):
            names.append(_name(found))
            kinds.append(found[4].strip().lower())
        elif begun or line.startswith("@"):
            inside = line.lower().startswith("@data")
        else:  # the header of a CSV file
            names = [cell or "" for cell in _cells(line, where)]
            kinds = [""] * len(names)
            inside = True
        begun = True
        if len(names) > MAX_ATTRIBUTES:
            raise EvidenceError(f"{title} has more than {MAX_ATTRIBUTES:,} attributes")
    if not rows:
        raise EvidenceError(f"{title} has no rows of data")
    if len(set(names)) < len(names):
        raise EvidenceError(f"{title} names an attribute twice")
    return Arff(tuple(names), tuple(kinds), tuple(rows))


def _text_lines(path: Path, title: str, errors: str) -> Iterator[tuple[int, str]]:
    """The lines without those that are comments."""
    for number, data in lines_of(path, title):
        try:
            line = data.decode("utf-8", errors).strip().strip("\x00")  # OpenML ends files with one
        except UnicodeDecodeError:
            raise EvidenceError(f"line {number} of {title} is not UTF-8 text") from None
        if line and not line.startswith("%"):
            yield number, line


def _name(found: re.Match[str]) -> str:
    return _unescaped(next(part for part in found.groups()[:3] if part is not None))


def _row(line: str, names: Sequence[str], where: str) -> tuple[str | None, ...]:
    if line.startswith("{"):
        raise EvidenceError(f"{where} is sparse; assay reads only dense ARFF")
    cells = tuple(_cells(line, where))
    if len(cells) != len(names):
        raise EvidenceError(f"{where} has {len(cells)} cells; the header names {len(names)}")
    return cells


def _cells(line: str, where: str) -> Iterator[str | None]:
    place = 0
    end = ","
    while end:
        found = _CELL.match(line, place)
        if found is None:
            raise EvidenceError(f"{where} has a quote that is not closed, or text beside one")
        single, double, bare, end = found.groups()
        if bare is None:
            yield _unescaped(single if double is None else double.replace('""', '"'))
        else:
            yield None if bare.strip(" \t") in ("", "?") else bare.strip(" \t")
        place = found.end()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
