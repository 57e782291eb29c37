"""Excel workbooks as columns: the one sheet that holds a table, or each that was named."""

from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError, MissingDependency
from assay.core.questions import AmbiguousEvidence
from assay.core.sqlite_files import first_bytes
from assay.evidence.cell_questions import which_sheet
from assay.evidence.cell_text import quoted
from assay.evidence.readers.file_tables import ZIP
from assay.evidence.readers.heading_rows import sheet_of
from assay.evidence.readers.objects import columns_of
from assay.evidence.readers.zip_archive import directory_of
from assay.evidence.rows_memory import Array

MOST_CELLS = 5_000_000
"""Cells of a sheet; larger tables are no work for Excel."""
MOST_BYTES = 2**30
"""Bytes that a workbook may unpack to."""


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook: a zip archive with the parts of one."""
    if path.is_dir() or not first_bytes(path, 4).startswith(ZIP):
        return False
    try:
        return any(part.filename == "xl/workbook.xml" for part in directory_of(path, ""))
    except EvidenceError:
        return False


def workbook_columns(path: Path, title: str, sheet: str | None) -> dict[str, Array]:
    """The columns of the sheet that was named, or of the only one that has cells."""
    filled = _filled(path, title)
    if sheet is not None:
        return _columns(filled, sheet, title)
    if not filled:
        raise EvidenceError(f"{title} has no sheet with a table")
    if len(filled) > 1:
        headers = {name: [str(cell or "") for cell in rows[0]] for name, rows in filled.items()}
        raise AmbiguousEvidence([which_sheet(title, headers)])
    return _columns(filled, next(iter(filled)), title)


def sheets_columns(path: Path, title: str, named: str) -> dict[str, dict[str, Array]]:
    """The columns of several sheets, named with commas between; the name of one may have a comma itself."""
    filled = _filled(path, title)
    names = [named] if named in filled else [name.strip() for name in named.split(",")]
    return {name: _columns(filled, name, f"{title}, sheet {name}") for name in names}


Rows = list[list[object]]


def _filled(path: Path, title: str) -> dict[str, Rows]:
    """The rows of every sheet that has a table, the heading first."""
    try:
        import openpyxl
    except ImportError:
        raise MissingDependency(
            f"{title} is an Excel workbook: install assay[excel], or save it as CSV"
        ) from None
    if sum(part.file_size for part in directory_of(path, title)) > MOST_BYTES:
        raise EvidenceError(
            f"{title} unpacks to more than {MOST_BYTES / 2**30:.0f} GiB; save it as CSV"
        )
    try:
        with path.open("rb") as opened:  # openpyxl leaves open what it opened and cannot read
            book = openpyxl.load_workbook(opened, read_only=True, data_only=True)
            sheets = {sheet.title: _rows(sheet, title) for sheet in book}
    except EvidenceError:
        raise
    except Exception as error:  # noqa: BLE001 (openpyxl raises whatever its parsers raise)
        raise EvidenceError(f"{title} cannot be read as an Excel workbook: {error}") from None
    return {name: rows for name, rows in sheets.items() if len(rows) > 1}


def _columns(filled: dict[str, Rows], sheet: str, title: str) -> dict[str, Array]:
    if sheet not in filled:
        raise EvidenceError(f"{title} has no sheet {sheet!r} with a table; it has {quoted(filled)}")
    header, *rows = filled[sheet]
    found = sheet_of([header, *rows], range(1, len(rows) + 2))
    names = ["" if name is None else str(name) for name in header]
    if found is not None:
        names, rows = list(found.names), [list(row) for row in found.rows]
    if len(set(names)) < len(names):
        raise EvidenceError(f"{title} has two columns of the same name: {quoted(names)}")
    return columns_of(
        {name: [row[place] for row in rows] for place, name in enumerate(names)}, title
    )


def _rows(sheet: Any, title: str) -> Rows:
    """The rows and columns that hold anything; one cell far away claims all before it."""
    rows, cells = [], 0
    for row in sheet.iter_rows(values_only=True):
        cells += max(1, len(row))
        if cells > MOST_CELLS:
            raise EvidenceError(
                f"sheet {sheet.title!r} of {title} has more than {MOST_CELLS:,} cells; save it as CSV"
            )
        if any(cell is not None for cell in row):
            rows.append(list(row))
    filled = (place for row in rows for place, cell in enumerate(row) if cell is not None)
    width = 1 + max(filled, default=-1)
    return [(row + [None] * width)[:width] for row in rows]
