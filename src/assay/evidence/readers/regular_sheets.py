"""Sheets of a workbook in which every row fills the same columns: read by their marks, three times as fast.

Tables that programs write look like this. Whatever is not regular to the letter (an empty cell, a date, a
comment) is left to openpyxl, and what both can read is the same, cell by cell.
"""

import re
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import unescape

MOST_BYTES = 2**28
"""Bytes of a sheet that is read at once."""
AT_ONCE = 2**22
"""Bytes of rows that are cut into cells at once: few enough for their parts to stay in reach."""
_CELL = re.compile(
    rb'<c r="([A-Z]{1,3})[0-9]+"(?: s="([0-9]+)")?(?: t="([a-zA-Z]+)")?>'
    rb'<(?:v|is><t(?: xml:space="preserve")?)>'
)
_NEXT_ROW = re.compile(rb"</row><row [^>]*>")
_SIZE = re.compile(rb'<dimension ref="A1:([A-Z]+)([0-9]+)" ?/>')
_UTF8 = re.compile(rb"<worksheet |<\?xml[^>]*encoding=[\"']utf-8[\"'][^>]*\?>", re.IGNORECASE)
_INLINE = b"inlineStr"
_MARKS = {"&quot;": '"', "&apos;": "'"}
Column = list[Any]


class _Irregular(Exception):
    """Something that only openpyxl reads."""


def regular_rows(sheet: Any, most: int) -> list[list[object]] | None:
    """The cells of a read-only sheet of openpyxl, row by row; None of more than ``most``, or irregular ones."""
    try:
        book, shared = sheet.parent, sheet._shared_strings  # noqa: SLF001 (another openpyxl has none)
        dates = {b"%d" % style for style in book._date_formats}  # noqa: SLF001
        with book._archive.open(sheet._worksheet_path) as source:  # noqa: SLF001
            text = source.read(MOST_BYTES + 1)
    except AttributeError:
        return None
    if text.count(b"<c ") > most:
        return None
    try:
        return [list(row) for row in _rows(text, shared, dates)]
    except (_Irregular, ValueError, IndexError):
        return None


def _rows(text: bytes, shared: Any, dates: set[bytes]) -> Iterator[tuple[object, ...]]:
    body, width, height = _body(text)
    (names, rest) = _split(body)
    header = _cells(names)
    letters = [letter for letter, *_ in header]
    if letters != [_letter(place) for place in range(len(letters))]:
        raise _Irregular
    yield tuple(
        _values([piece], [style], [kind], shared, dates)[0] for _, style, kind, piece in header
    )
    rows = 1
    for chunk in rest:
        parts = _CELL.split(chunk)
        number, over = divmod(len(parts) - 1, 4 * len(letters))
        if over or parts[0] or parts[1::4] != letters * number:
            raise _Irregular
        columns = [parts[4 * (place + 1) :: 4 * len(letters)] for place in range(len(letters))]
        last = columns[-1]
        if chunk.count(b"\n") != number - 1 or b"".join(last).count(b"\n") != number - 1:
            raise _Irregular
        columns[-1] = [piece.removesuffix(b"\n") for piece in last]
        marks = [
            [parts[4 * place + at :: 4 * len(letters)] for at in (2, 3)]
            for place in range(len(letters))
        ]
        found = [
            _values(pieces, styles, kinds, shared, dates)
            for pieces, (styles, kinds) in zip(columns, marks, strict=True)
        ]
        rows += number
        yield from zip(*found, strict=True)
    if (width, height) not in ((b"", 0), (letters[-1], rows)):
        raise _Irregular


def _body(text: bytes) -> tuple[bytes, bytes, int]:
    """The rows, and the last column and row as the sheet says them itself; nothing and 0 where it does not."""
    start, end = text.find(b"<sheetData>"), text.rfind(b"</sheetData>")
    head = text[: max(start, 0)]
    if len(text) > MOST_BYTES or start < 0 or end < start or not _UTF8.match(head):
        raise _Irregular
    if b"<!" in text or any(text.find(mark, start, end) >= 0 for mark in (b"\r", b"\n")):
        raise _Irregular
    size = _SIZE.search(head)
    if size is None and b"<dimension" in head:
        raise _Irregular
    body = text[start + len(b"<sheetData>") : end]
    return body, *((b"", 0) if size is None else (size[1], int(size[2])))


def _split(body: bytes) -> tuple[bytes, Iterator[bytes]]:
    """The first row, and the others in chunks, their rows apart by line ends."""
    inside = re.fullmatch(rb"<row [^>]*>(.*)</row>", body, re.DOTALL)
    end = body.find(b"</row>")
    if inside is None or end < 0:
        raise _Irregular
    first = body[inside.start(1) : end]

    def chunks() -> Iterator[bytes]:
        start = end
        while start < inside.end(1):
            stop = body.find(b"</row>", min(start + AT_ONCE, inside.end(1)))
            opened = _NEXT_ROW.match(body, start)
            if opened is None or stop < 0:
                raise _Irregular
            yield _NEXT_ROW.sub(b"\n", body[opened.end() : stop])
            start = stop

    return first, chunks()


def _cells(row: bytes) -> list[tuple[bytes, Any, Any, bytes]]:
    parts = _CELL.split(row)
    if parts[0] or len(parts) < 5:
        raise _Irregular
    return list(zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True))


def _letter(place: int) -> bytes:
    """The name of a column, counted from 0."""
    found = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        found = chr(ord("A") + rest) + found
    return found.encode()


def _values(
    pieces: list[bytes], styles: list[Any], kinds: list[Any], shared: Any, dates: set[bytes]
) -> Column:
    """The values of cells of one column, which are all of one kind."""
    found = set(kinds)
    if found <= {None, b"n"}:
        if not dates.isdisjoint(styles):
            raise _Irregular
        return _numbers(_within(pieces, b"</v></c>"))
    if len(found) > 1:
        raise _Irregular
    (kind,) = found
    if kind == _INLINE:
        return _texts(_within(pieces, b"</t></is></c>"))
    inside = _within(pieces, b"</v></c>")
    if kind == b"str":
        return _texts(inside)
    if kind == b"s":
        return [shared[int(one)] for one in inside]
    if kind == b"b":
        return [bool(int(one)) for one in inside]
    raise _Irregular


def _within(pieces: list[bytes], mark: bytes) -> list[bytes]:
    """What stands before the mark with which every piece ends; nothing may be empty or hold other marks."""
    length = len(mark)
    found = [piece[:-length] for piece in pieces]
    marks = b"".join(pieces)
    if marks.count(b"<") != len(pieces) * mark.count(b"<") or marks.count(mark) != len(pieces):
        raise _Irregular
    if not all(found):
        raise _Irregular
    return found


def _numbers(written: list[bytes]) -> Column:
    """As openpyxl has them: with a point or an exponent floats, others whole."""
    joined = b" ".join(written)
    if b"e" in joined or b"E" in joined:
        whole = re.compile(rb"[^.eE]*").fullmatch
        return [int(one) if whole(one) else float(one) for one in written]
    if b"." not in joined:
        return list(map(int, written))
    return [float(one) if b"." in one else int(one) for one in written]


def _texts(written: list[bytes]) -> Column:
    joined = b"\n".join(written).decode()
    if "&#" in joined:
        raise _Irregular
    return unescape(joined, _MARKS).split("\n") if "&" in joined else joined.split("\n")
