"""Files with named columns: the line of each record."""

import gzip
from io import BytesIO
from pathlib import Path

import pytest

from assay.core.errors import EvidenceError
from assay.evidence.readers.file_tables import _record_lines, _starts
from assay.evidence.readers.source_tables import open_sources


@pytest.mark.parametrize(
    "text",
    [
        b"a,b\n1,2\n3,4\n",
        b"a,b\n1,2\n3,4",
        b"a,b\r\n1,2\r\n3,4\r\n",
        b"a,b\n\n1,2\n",
        b"a,b\n1,2\n\r\n3,4\n",
        b"\na,b\n1,2\n",
        b"a,b\n1,2\n\n",
        b"a,b\n \n1,2\n",
        b'"a","b"\n1,2\n',
        b'"a\nb",c\n1,2\n',
        b'a,b\n"1\n2",3\n4,5\n',
        b"a,b\r1,2\r3,4\r",
        b"a,b\n",
        b"a,b",
        b"",
    ],
)
def test_records_are_found_on_their_lines(text: bytes) -> None:
    for quotes in (True, False):
        each = list(_record_lines(BytesIO(text), quotes=quotes))
        assert list(_starts(BytesIO(text), quotes=quotes)) == each


class TestParsedOnce:
    ROWS = 40_000

    def text(self) -> str:
        return "id,y,a\n" + "".join(f"{row},{row % 7},{row % 3}\n" for row in range(self.ROWS))

    def test_a_file_of_some_size_is_read_by_one_query(self, tmp_path: Path) -> None:
        path = tmp_path / "large.csv"
        path.write_text(self.text())
        (table,) = open_sources([path])
        path.unlink()
        ids = table.loaded(["id"])["id"].tolist()
        assert ids == [str(row) for row in range(self.ROWS)]

    def test_so_is_a_packed_one(self, tmp_path: Path) -> None:
        path = tmp_path / "large.csv.gz"
        path.write_bytes(gzip.compress(self.text().encode()))
        (table,) = open_sources([path])
        path.unlink()
        assert len(table.loaded(["id"])["id"]) == self.ROWS

    def test_a_small_one_is_read_whole_without_an_engine(self, tmp_path: Path) -> None:
        path = tmp_path / "small.csv"
        path.write_text("id,y,a\n1,x,\n\n2,y,z\n")
        (table,) = open_sources([path])
        assert table.file is None
        assert {name: cells.tolist() for name, cells in table.arrays.items()} == {
            "id": ["1", "2"],
            "y": ["x", "y"],
            "a": [None, "z"],
        }
        assert list(table.lines) == [2, 4]

    def test_beside_a_large_one_it_stays_where_both_can_be_joined(self, tmp_path: Path) -> None:
        small, large = tmp_path / "small.csv", tmp_path / "large.csv"
        small.write_text(self.text()[:1000].rpartition("\n")[0])
        large.write_text(self.text())
        table, _ = open_sources([small, large])
        assert table.file is not None
        assert "read_csv" in table.file.sql

    def test_a_broken_line_is_named_when_it_is_asked_for(self, tmp_path: Path) -> None:
        path = tmp_path / "broken.csv"
        path.write_text(self.text() + "1,2,3,4\n")
        (table,) = open_sources([path])
        with pytest.raises(EvidenceError, match=r"line 40002 of .*broken.csv has 4 cells"):
            table.loaded(["id"])
