"""Sheets that are read by their marks: the same cells as openpyxl gives, or none at all."""

import datetime
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from assay.evidence.readers import regular_sheets, workbooks
from assay.evidence.readers.regular_sheets import regular_rows
from assay.evidence.readers.workbooks import workbook_columns

Rows = list[list[Any]]
HEADER = ["item", "truth", "score", "name"]
WORDS = ["x & y", "<b>", "zwölf", "a\"b'", " spaces "]
TABLE: Rows = [
    HEADER,
    *([n, n % 2, n / 7 * 10.0 ** (n % 50 - 25), WORDS[n % 5]] for n in range(300)),
]
MOST = 10_000


def beside(column: Callable[[int], Any]) -> Rows:
    """The table with one more column."""
    return [[*row, column(n) if n else "more"] for n, row in enumerate(TABLE)]


def saved(path: Path, rows: Rows, *, shared: bool) -> Path:
    """A workbook; with ``shared`` texts as Excel keeps them, all in one place."""
    book = openpyxl.Workbook()
    for row in rows:
        book.worksheets[0].append(row)
    book.save(path)
    return _with_shared_texts(path) if shared else path


def _with_shared_texts(path: Path) -> Path:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    texts: list[bytes] = []

    def moved(found: re.Match[bytes]) -> bytes:
        texts.append(found[2])
        return found[1] + b't="s"><v>%d</v></c>' % (len(texts) - 1)

    inline = rb'(<c r="[A-Z]+\d+" (?:s="\d+" )?)t="inlineStr"><is>(<t[^>]*>.*?</t>)</is></c>'
    sheet = "xl/worksheets/sheet1.xml"
    # Excel begins with a declaration and a line of its own
    parts[sheet] = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n' + re.sub(
        inline, moved, parts[sheet], flags=re.DOTALL
    )
    main = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    parts["xl/sharedStrings.xml"] = b'<sst xmlns="%s">%s</sst>' % (
        main,
        b"".join(b"<si>%s</si>" % text for text in texts),
    )
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    kinds = "[Content_Types].xml"
    if kind not in parts[kinds]:
        part = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
        parts[kinds] = parts[kinds].replace(b"</Types>", part)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def both(path: Path) -> tuple[Rows | None, Rows]:
    """What is read by marks, and what openpyxl reads."""
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    sheet: Any = book.worksheets[0]
    try:
        return regular_rows(sheet, MOST), [list(row) for row in sheet.iter_rows(values_only=True)]
    finally:
        book.close()


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(TABLE, id="numbers and words"),
        pytest.param(beside(lambda n: n % 3 == 0), id="true and false"),
        pytest.param(beside(lambda n: n if n % 2 else n / 2), id="whole and not"),
        pytest.param([[row[0]] for row in TABLE], id="one column"),
        pytest.param([[f"c{k}" for k in range(60)], [k / 7 for k in range(60)]], id="AA and on"),
        pytest.param([HEADER], id="header alone"),
    ],
)
@pytest.mark.parametrize("at_once", [700, 2**22])
def test_the_cells_that_openpyxl_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: Rows, at_once: int, *, shared: bool
) -> None:
    monkeypatch.setattr(regular_sheets, "AT_ONCE", at_once)
    found, expected = both(saved(tmp_path / "t.xlsx", rows, shared=shared))
    assert found == expected
    assert [list(map(type, row)) for row in found or []] == [
        list(map(type, row)) for row in expected
    ]


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([*TABLE[:9], [1, None, 0.5, "x"], *TABLE[9:]], id="an empty cell"),
        pytest.param([*TABLE[:9], [1, 1, 0.5], *TABLE[9:]], id="a short row"),
        pytest.param([*TABLE[:9], [1, 1, 0.5, "x", 2], *TABLE[9:]], id="a long row"),
        pytest.param([*TABLE[:9], [], *TABLE[9:]], id="an empty row"),
        pytest.param([["Results of May"], *TABLE], id="a title"),
        pytest.param([*TABLE[:9], ["i", 1, 0.5, "x"], *TABLE[9:]], id="a word among numbers"),
        pytest.param([*TABLE[:9], [1, 1, "#N/A", "x"], *TABLE[9:]], id="an error"),
        pytest.param(beside(lambda n: datetime.date(2020, 1, 1 + n % 28)), id="dates"),
        pytest.param(beside(lambda n: "=A2"), id="formulas without values"),
        pytest.param([], id="nothing"),
    ],
)
def test_left_to_openpyxl(tmp_path: Path, rows: Rows, *, shared: bool) -> None:
    assert both(saved(tmp_path / "t.xlsx", rows, shared=shared))[0] is None


def test_more_cells_than_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.MOST", 4 * len(TABLE) - 1)
    assert both(saved(tmp_path / "t.xlsx", TABLE, shared=False))[0] is None


@pytest.mark.parametrize(
    ("mark", "other"),
    [
        (b'ref="A1:D301"', b'ref="A1:D300"'),  # openpyxl reads no further than what a sheet claims
        (b'<c r="B7"', b'<c r="C7"'),
        (b'<row r="7"', b'<!-- seven --><row r="7"'),
        (b"<sheetData>", b"<sheetData>\n"),
        (b'encoding="UTF-8"', b'encoding="ISO-8859-1"'),
        (b"x &amp; y", b"x &#38; y"),
    ],
)
def test_what_only_a_parser_of_xml_reads(tmp_path: Path, mark: bytes, other: bytes) -> None:
    path = saved(tmp_path / "t.xlsx", TABLE, shared=False)
    sheet = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[sheet] = b'<?xml version="1.0" encoding="UTF-8"?>' + parts[sheet]
    assert mark in parts[sheet]
    parts[sheet] = parts[sheet].replace(mark, other)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert both(path)[0] is None


def test_an_openpyxl_without_these_parts_reads_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert regular_rows(object(), MOST) is None
    path = saved(tmp_path / "t.xlsx", TABLE, shared=False)
    found = workbook_columns(path, "t.xlsx", None)
    monkeypatch.setattr(workbooks, "regular_rows", lambda sheet, most: None)
    expected = workbook_columns(path, "t.xlsx", None)
    assert list(found) == list(expected) == HEADER
    assert all(found[name].tolist() == cells.tolist() for name, cells in expected.items())
