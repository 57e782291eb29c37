"""The pages of an SQLite file, read without SQLite: a damaged page takes nothing with it but itself.

SQLite gives up on a table at the first page that it cannot follow. Here every page is looked at by
itself, as sqlite.org/fileformat2.html describes it: first those that a table's tree reaches, with
the table's name, then those that no tree reaches any more and that are not free.
"""

import math
import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

SIZES = tuple(2**power for power in range(9, 17))
INDEX, TABLE, INDEX_LEAF, TABLE_LEAF = 2, 5, 10, 13
"""First bytes of pages: inner ones and leaves."""
HEADER = 100
"""Bytes of the file's own header, on the first page."""
LOG_HEADER, FRAME_HEADER = 32, 24
LARGEST = 2**28
"""Bytes of one row; assay writes none that is larger."""

_OPEN: dict[tuple[int, int], int] = {}
"""Files by device and number, never closed: closing a file would drop the locks that SQLite holds on
it in this process (see `core/sqlite_files.py`)."""


class BadPage(Exception):
    """Bytes that are not what their place asks for."""


class PageCell(NamedTuple):
    """A row where it lies: its number, and where its content begins."""

    page: int
    rowid: int | None
    size: int
    start: int


class FoundRow(NamedTuple):
    """A row of a table; the table is None where no tree says it."""

    table: str | None
    leaf: int
    """`TABLE_LEAF` or `INDEX_LEAF`: what kind of page it lies on."""
    cell: PageCell


class _Tree(NamedTuple):
    """Where the pages of a table or an index begin."""

    table: str | None
    root: int
    leaf: int


class Pages:
    """An SQLite file with its log, page by page."""

    def __init__(self, path: Path) -> None:
        self._file = _opened(path)
        self._length = os.fstat(self._file).st_size
        self.size = self._page_size()
        header = self._at(0, HEADER)
        self._usable = self.size - (header[20] if len(header) == HEADER and header[20] < 64 else 0)
        self._log = _log(path, self.size)
        self.count = max([-(-self._length // self.size), *self._log], default=0)
        self.columns: dict[str, list[str]] = {}
        """Of each table, as it was made."""
        self.bad = 0
        """Pages that hold rows and could not be read, and rows on the others."""

    def _at(self, start: int, size: int) -> bytes:
        return os.pread(self._file, size, start)

    def _page_size(self) -> int:
        """As the header says; as SQLite has it by default where the header is damaged."""
        stated = _two(self._at(16, 2).ljust(2, b"\0"), 0)
        return 65536 if stated == 1 else stated if stated in SIZES else 4096

    def page(self, number: int) -> bytes:
        if number in self._log:
            return self._log[number]
        if not 1 <= number <= self.count:
            raise BadPage
        return self._at((number - 1) * self.size, self.size).ljust(self.size, b"\0")

    def rows(self, until: float = math.inf) -> Iterator[FoundRow]:
        """Every row: of the trees first, then of the pages that they do not reach, until a moment."""
        seen = set(self._free())
        for tree in [self._described(cell) for cell in self._tree(1, TABLE_LEAF, seen)]:
            if tree is not None:
                found = self._tree(tree.root, tree.leaf, seen)
                yield from (FoundRow(tree.table, tree.leaf, cell) for cell in found)
        for number in range(2, self.count + 1):
            if time.monotonic() > until:
                return
            if number not in seen:
                kind, cells, _ = self._parsed(number, None)
                leaf = INDEX_LEAF if kind in (INDEX, INDEX_LEAF) else TABLE_LEAF
                yield from (FoundRow(None, leaf, cell) for cell in cells)

    def _described(self, cell: PageCell) -> "_Tree | None":
        """The tree that a row of the first table describes; None of views and of nonsense."""
        try:
            kind, name, _, root, sql = self.values(cell)
        except (BadPage, ValueError):
            return None
        if kind == "index" and isinstance(root, int):
            return _Tree(None, root, INDEX_LEAF)
        if kind != "table" or not isinstance(root, int) or not isinstance(name, str):
            return None
        columns = _columns(sql)
        if columns is None:
            return None
        self.columns[name], rowid = columns
        return _Tree(name, root, TABLE_LEAF if rowid else INDEX_LEAF)

    def _tree(self, root: int, leaf: int, seen: set[int]) -> Iterator[PageCell]:
        """The rows of a tree as far as it can be followed."""
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in seen or not 1 <= number <= self.count:
                continue
            seen.add(number)
            _, cells, children = self._parsed(number, leaf)
            yield from cells
            waiting += reversed(children)

    def _parsed(self, number: int, leaf: int | None) -> tuple[int, list[PageCell], list[int]]:
        """What kind of page it is, its rows, and the pages below it; a leaf where nothing says so."""
        content = self.page(number)
        start = HEADER if number == 1 else 0
        kind = content[start]
        inner = {TABLE_LEAF: TABLE, INDEX_LEAF: INDEX}
        if leaf is not None and kind not in (leaf, inner[leaf]):
            self.bad += any(content)
            kind = leaf
        if kind not in (INDEX, TABLE, INDEX_LEAF, TABLE_LEAF):
            return kind, [], []
        above = kind in (INDEX, TABLE)
        pointers = start + (12 if above else 8)
        children = [int.from_bytes(content[pointers - 4 : pointers], "big")] if above else []
        cells = []
        fewest = self._usable // 4  # no more cells than this fit
        for place in range(min(_two(content, start + 3), fewest)):
            at = _two(content, pointers + 2 * place)
            try:
                if above:
                    children.insert(-1, int.from_bytes(content[at : at + 4], "big"))
                if kind != TABLE:
                    cells.append(_cell(content, number, at + 4 * above, kind))
            except BadPage:
                self.bad += 1
        return kind, cells, children

    def _free(self) -> Iterator[int]:
        """Pages that hold nothing any more."""
        header = self.page(1) if self.count else b""
        trunk, seen = int.from_bytes(header[32:36], "big"), set[int]()
        while 1 < trunk <= self.count and trunk not in seen:
            seen.add(trunk)
            yield trunk
            content = self.page(trunk)
            listed = int.from_bytes(content[4:8], "big")
            if listed > self._usable // 4 - 2:
                return
            for place in range(listed):
                yield int.from_bytes(content[8 + 4 * place : 12 + 4 * place], "big")
            trunk = int.from_bytes(content[:4], "big")

    def values(self, cell: PageCell) -> tuple[Any, ...]:
        """The columns of a row."""
        content = self._payload(cell)
        head, at = _varint(content, 0)
        if not at <= head <= len(content):
            raise BadPage
        place, values = head, []
        while at < head:
            kind, at = _varint(content, at)
            value, place = _value(content, kind, place)
            values.append(value)
        if place != len(content) or at != head:
            raise BadPage
        return tuple(values)

    def _payload(self, cell: PageCell) -> bytes:
        """The bytes of a row; what does not fit on its page lies on a chain of others."""
        usable, size = self._usable, cell.size
        most = usable - 35 if cell.rowid is not None else (usable - 12) * 64 // 255 - 23
        page = self.page(cell.page)
        if size <= most:
            return _slice(page, cell.start, size)
        least = (usable - 12) * 32 // 255 - 23
        local = least + (size - least) % (usable - 4)
        local = local if local <= most else least
        parts = [_slice(page, cell.start, local + 4)]
        following = int.from_bytes(parts[0][local:], "big")
        parts[0], left = parts[0][:local], size - local
        while left:
            page = self.page(following)
            parts.append(page[4 : 4 + min(left, usable - 4)])
            following, left = int.from_bytes(page[:4], "big"), left - len(parts[-1])
        return b"".join(parts)


def _opened(path: Path) -> int:
    facts = path.stat()
    name = facts.st_dev, facts.st_ino
    if name not in _OPEN:
        _OPEN[name] = os.open(path, os.O_RDONLY)
    return _OPEN[name]


def _log(path: Path, size: int) -> dict[int, bytes]:
    """Pages of committed transactions that are in the log only, by number."""
    beside = path.with_name(f"{path.name}-wal")
    if not beside.exists():
        return {}
    content = beside.read_bytes()
    salt = content[16:24]
    committed: dict[int, bytes] = {}
    waiting: dict[int, bytes] = {}
    for start in range(LOG_HEADER, len(content) - FRAME_HEADER - size + 1, FRAME_HEADER + size):
        head = content[start : start + FRAME_HEADER]
        if head[8:16] != salt:
            break
        number = int.from_bytes(head[:4], "big")
        waiting[number] = content[start + FRAME_HEADER : start + FRAME_HEADER + size]
        if head[4:8] != bytes(4):  # the last of its transaction
            committed |= waiting
            waiting = {}
    return {number: page for number, page in committed.items() if 0 < number < 2**31}


def _columns(sql: Any) -> tuple[list[str], bool] | None:
    """The columns that a table was made with, and whether its rows have numbers."""
    if not isinstance(sql, str) or not sql.upper().startswith("CREATE TABLE"):
        return None
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute(sql)
            ((name, without),) = database.execute(
                "SELECT name, wr FROM pragma_table_list "
                "WHERE schema = 'main' AND name NOT LIKE 'sqlite%'"
            )
            found = database.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
        except (sqlite3.Error, ValueError):
            return None
    return [column for (column,) in found], not without


def _cell(content: bytes, number: int, at: int, kind: int) -> PageCell:
    size, at = _varint(content, at)
    rowid = None
    if kind == TABLE_LEAF:
        rowid, at = _varint(content, at)
        rowid -= (rowid >> 63) << 64
    if not 0 < size <= LARGEST:
        raise BadPage
    return PageCell(number, rowid, size, at)


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A whole number of one to nine bytes, and where it ends."""
    value = 0
    for count in range(9):
        if at >= len(content):
            raise BadPage
        byte = content[at]
        at += 1
        if count == 8:
            return value << 8 | byte, at
        value = value << 7 | byte & 127
        if byte < 128:
            break
    return value, at


def _value(content: bytes, kind: int, at: int) -> tuple[Any, int]:
    """A value by its type, and where it ends."""
    if kind in (0, 8, 9):
        return (None, 0, 1)[max(0, kind - 7)], at
    if kind in (10, 11):
        raise BadPage
    size = (kind - 12) // 2 if kind >= 12 else (1, 2, 3, 4, 6, 8, 8)[kind - 1]
    part = _slice(content, at, size)
    if kind < 7:
        return int.from_bytes(part, "big", signed=True), at + size
    if kind == 7:
        return struct.unpack(">d", part)[0], at + size
    if kind % 2:
        with suppress(
            UnicodeDecodeError
        ):  # then it is bytes, and the rest of its row is still readable
            return part.decode(), at + size
    return part, at + size


def _slice(content: bytes, at: int, size: int) -> bytes:
    part = content[at : at + size]
    if len(part) != size:
        raise BadPage
    return part


def _two(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 2], "big")
