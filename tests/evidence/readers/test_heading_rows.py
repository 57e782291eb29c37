"""Tables as spreadsheets hold them: where the names are, where the cells end, on which line each row stands."""

from typing import Any

import pytest

from assay.evidence.readers.heading_rows import sheet_of, sheet_of_text, split_text

PLAIN = "set,a,b\nx,1,2\ny,3,4\n"


class TestText:
    @pytest.mark.parametrize("text", [PLAIN, PLAIN.replace(",", ";"), "a,b\n", "one\ntwo\n", ""])
    def test_a_plain_table_is_left_to_others(self, text: str) -> None:
        assert sheet_of_text(split_text(text)) is None

    @pytest.mark.parametrize(
        ("text", "names", "lines"),
        [
            (f"Table 1\n{PLAIN}", ("set", "a", "b"), [3, 4]),
            (f"Table 1,,\n\n{PLAIN}", ("set", "a", "b"), [4, 5]),
            (f"{PLAIN}Note: five runs\n", ("set", "a", "b"), [2, 3]),
            ("set,a,b\n,(%),(s)\nx,1,2\ny,3,4\n", ("set", "a", "b"), [3, 4]),
            (",acc,,s\n,rf,lr,rf\nx,1,2,3\ny,1,2,3\n", ("", "acc_rf", "acc_lr", "s_rf"), [3, 4]),
            (",acc,acc\n,rf,lr\nset,,\nx,1,2\ny,3,4\n", ("set", "acc_rf", "acc_lr"), [4, 5]),
            ("| set | a |\n|---|---|\n| x | 1 |\n| y | 2 |\n", ("set", "a"), [3, 4]),
            ('Title\nset;a\n"x;\ny";1,5\nz;2,5\n', ("set", "a"), [3, 5]),
        ],
    )  # fmt: skip
    def test_names_and_lines(self, text: str, names: tuple[str, ...], lines: list[int]) -> None:
        found = sheet_of_text(split_text(text))
        assert found is not None
        assert found.names == names
        assert found.lines == lines
        assert len(found.rows) == len(lines)

    @pytest.mark.parametrize(
        "text",
        [
            "set,a,b\nx,1\ny,3,4\nz,5,6\n",  # a damaged row in the middle
            "set,a,b\nx,1,2\ny,3,4\nz\n,5,6\nv,7,8\n",
            "0,1\n1,1\n0,0\n",  # no names at all
        ],
    )
    def test_what_is_damaged_stays_so(self, text: str) -> None:
        assert sheet_of_text(split_text(text)) is None


def test_rows_of_a_workbook() -> None:
    rows: list[list[Any]] = [
        ["Results", None, None],
        ["set", "a", "b"],
        ["x", 1, 2.5],
        ["y", None, 4],
    ]
    found = sheet_of(rows, [1, 2, 3, 4])
    assert found is not None
    assert found.names == ("set", "a", "b")
    assert found.rows == [["x", 1, 2.5], ["y", None, 4]]
