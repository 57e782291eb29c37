"""ARFF, the format of Weka and OpenML: named columns, then rows of text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import EvidenceError
from assay.evidence.readers.logs import json_lines

MAX_ATTRIBUTES = 10_000

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)
_CELL = re.compile(r"""[ \t]*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*?))[ \t]*(,|$)""")


@dataclass(frozen=True, slots=True)
class Arff:
    """The columns of a file and its cells, all as text; a missing cell is None."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    """What each column is declared to hold, in lower case: numeric, string, {a,b} …"""
    rows: tuple[tuple[str | None, ...], ...]

    def column(self, name: str) -> list[str | None]:
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def declares_numbers(self, name: str) -> bool:
        return self.kinds[self.names.index(name)].split(" ")[0] in ("numeric", "real", "integer")


def is_arff(head: bytes) -> bool:
    """Whether a file begins as ARFF does, after comments."""
    return re.match(rb"(?:\s*%[^\n]*\n|\s)*@relation\b", head, re.IGNORECASE) is not None


def header_names(head: bytes) -> set[str]:
    """The columns named in the beginning of a file."""
    lines = head.decode("utf-8", "replace").splitlines()
    return {_name(found) for line in lines if (found := _ATTRIBUTE.match(line.strip()))}


def read_arff(path: Path, title: str) -> Arff:
    names: list[str] = []
    kinds: list[str] = []
    rows: list[tuple[str | None, ...]] = []
    inside = False
    for number, data in json_lines(path, title):
        try:
            line = data.decode("utf-8").strip()
        except UnicodeDecodeError:
            raise EvidenceError(f"line {number} of {title} is not UTF-8 text") from None
        if not line or line.startswith("%"):
            continue
        if inside:
            rows.append(_row(line, len(names), f"line {number} of {title}"))
        elif line.lower().startswith("@data"):
            inside = True
        elif found := _ATTRIBUTE.match(line):
            names.append(_name(found))
            kinds.append(found[4].strip().lower())
            if len(names) > MAX_ATTRIBUTES:
                raise EvidenceError(f"{title} has more than {MAX_ATTRIBUTES:,} attributes")
    if not rows:
        raise EvidenceError(f"{title} has no rows of data")
    if len(set(names)) < len(names):
        raise EvidenceError(f"{title} names an attribute twice")
    return Arff(tuple(names), tuple(kinds), tuple(rows))


def _name(found: re.Match[str]) -> str:
    return _unescaped(next(part for part in found.groups()[:3] if part is not None))


def _row(line: str, size: int, where: str) -> tuple[str | None, ...]:
    if line.startswith("{"):
        raise EvidenceError(f"{where} is sparse; assay reads dense ARFF")
    cells = tuple(_cells(line, where))
    if len(cells) != size:
        raise EvidenceError(f"{where} has {len(cells)} cells; {size} attributes are named")
    return cells


def _cells(line: str, where: str) -> Iterator[str | None]:
    place = 0
    while True:
        found = _CELL.match(line, place)
        if found is None:
            raise EvidenceError(f"{where} has a quote that is not closed, or text beside one")
        single, double, bare, end = found.groups()
        quoted = single if single is not None else double
        if quoted is not None:
            yield _unescaped(quoted)
        else:
            yield None if bare in ("", "?") else bare
        place = found.end()
        if not end:
            return


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
