"""Excel workbooks: one sheet with a table is read, anything else is refused in words."""

import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import assay
from assay.core.errors import EvidenceError, MissingDependency
from assay.core.questions import AmbiguousEvidence
from assay.evidence.readers import workbooks
from assay.evidence.readers.workbooks import is_workbook, workbook_columns
from tests.evidence.forms import predictions, write_csv

TABLE = {"id": [1, 2, 3, 4], "y": [0, 1, 1, 0], "a": [0, 1, 0, 0], "b": [0, 1, 1, 1]}


def saved(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path


def rows_of(table: Mapping[str, Sequence[Any]]) -> list[list[Any]]:
    return [list(table), *map(list, zip(*table.values(), strict=True))]


class TestRead:
    def test_a_frame_that_pandas_wrote(self) -> None:
        """By XlsxWriter, with the index as a first column without a name."""
        found = predictions(Path(__file__).parent / "tools" / "pandas_xlsxwriter.xlsx")
        assert (found.n, found.models) == (24, ("a", "b"))

    def test_the_same_as_from_csv(self, tmp_path: Path) -> None:
        book = predictions(saved(tmp_path / "t.xlsx", {"Sheet": rows_of(TABLE)}))
        file = predictions(write_csv(tmp_path / "t.csv", TABLE))
        assert book.models == file.models == ("a", "b")
        assert book.tally().rows.tolist() == file.tally().rows.tolist()
        assert book.tally().counts.tolist() == file.tally().counts.tolist()

    def test_empty_sheets_rows_and_columns_are_passed_over(self, tmp_path: Path) -> None:
        rows = [[*row, None, None] for row in rows_of(TABLE)]
        rows[2:2] = [[None] * 6]
        path = saved(tmp_path / "t.xlsx", {"notes": [["read me"]], "empty": [], "data": rows})
        found = workbook_columns(path, "t.xlsx", None)
        assert {name: cells.tolist() for name, cells in found.items()} == TABLE

    def test_scores_by_data_set(self, tmp_path: Path) -> None:
        rows: list[list[Any]] = [
            ["dataset", "tree", "bayes"],
            *([f"d{n}", 0.8 + n / 100, 0.7] for n in range(6)),
        ]
        found = assay.read(saved(tmp_path / "s.xlsx", {"s": rows}), measure="accuracy")
        assert (found.models, found.n) == (("tree", "bayes"), 6)

    def test_told_by_its_parts_not_by_its_name(self, tmp_path: Path) -> None:
        path = saved(tmp_path / "t.xlsx", {"Sheet": rows_of(TABLE)})
        assert is_workbook(path.rename(tmp_path / "t.csv"))
        archive = tmp_path / "z.xlsx"
        with zipfile.ZipFile(archive, "w") as packed:
            packed.writestr("readme.txt", "no workbook")
        assert not is_workbook(archive)
        (tmp_path / "cut.xlsx").write_bytes(b"PK\x03\x04 cut short")
        assert not is_workbook(tmp_path / "cut.xlsx")
        assert not is_workbook(tmp_path)


class TestRefused:
    def test_several_tables(self, tmp_path: Path) -> None:
        path = saved(tmp_path / "t.xlsx", {"one": rows_of(TABLE), "two": rows_of(TABLE)})
        with pytest.raises(AmbiguousEvidence, match="Which sheet of") as asked:
            assay.read(path)
        (question,) = asked.value.questions
        options = [answer.option for answer in question.answers]
        assert options == ["--sheet one,two", "--sheet one", "--sheet two"]
        for answer in question.answers[1:]:
            assert predictions(path, **answer.arguments).models == ("a", "b")

    def test_no_table(self, tmp_path: Path) -> None:
        path = saved(tmp_path / "t.xlsx", {"one": [["only a headline"]]})
        with pytest.raises(EvidenceError, match="no sheet with a table"):
            assay.read(path)

    def test_two_columns_of_one_name(self, tmp_path: Path) -> None:
        path = saved(tmp_path / "t.xlsx", {"one": [["y", "a", "a"], [0, 1, 1]]})
        with pytest.raises(EvidenceError, match="two columns of the same name"):
            assay.read(path)

    def test_damaged(self, tmp_path: Path) -> None:
        path = tmp_path / "t.xlsx"
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("xl/workbook.xml", "<workbook")
        with pytest.raises(EvidenceError, match="cannot be read as an Excel workbook"):
            assay.read(path)

    def test_one_that_unpacks_without_end(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = saved(tmp_path / "t.xlsx", {"one": rows_of(TABLE)})
        monkeypatch.setattr(workbooks, "MOST_BYTES", 1000)
        with pytest.raises(EvidenceError, match="unpacks to more than"):
            assay.read(path)

    def test_without_the_extra(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = saved(tmp_path / "t.xlsx", {"one": rows_of(TABLE)})
        monkeypatch.setitem(sys.modules, "openpyxl", None)
        with pytest.raises(MissingDependency, match=r"install assay\[excel\], or save it as CSV"):
            assay.read(path)

    def test_the_name_of_a_sheet_may_have_a_comma(self, tmp_path: Path) -> None:
        rows = [("y", "a", "b"), *[(i % 2, i % 2, 1) for i in range(8)]]
        path = saved(tmp_path / "two.xlsx", {"test, final": rows, "notes": rows[:3]})
        assert assay.read(path, sheet="test, final", truth="y").n == 8

    @pytest.mark.parametrize("sheet", [3, 0.5])
    def test_a_sheet_that_is_no_name_is_told(self, tmp_path: Path, sheet: float) -> None:
        rows = [("y", "a", "b"), (1, 1, 0), (0, 1, 0)]
        with pytest.raises(EvidenceError, match=rf"no sheet {sheet}"):
            assay.read(saved(tmp_path / "one.xlsx", {"one": rows}), sheet=sheet, truth="y")  # type: ignore[arg-type]
        assert assay.look({"y": [1, 0], "a": [1, 1]}, truth="y", sheet=sheet) is not None  # type: ignore[arg-type]
