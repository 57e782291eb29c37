"""How people write numbers: recognised, and read as what they stand for."""

import math
import time
from collections.abc import Sequence
from typing import Any

import pytest

from assay.evidence.name_parts import spread_of
from assay.evidence.names import is_model_name
from assay.evidence.profile import (
    Profile,
    comma_numbers,
    unsure_commas,
    written_number,
    written_spread,
)


def profile(cells: Sequence[Any], *, complete: bool = True) -> Profile:
    return Profile("c", cells, complete)


@pytest.mark.parametrize("filling", [" ", "*", "9", "9,", "1.", "%"])
def test_a_long_cell_is_judged_at_once(filling: str) -> None:
    """Found by `tools/fuzz`: seventy thousand spaces inside a number took minutes."""
    cells = ["0.5", f"0.5{filling * 70_000}x", f"0.5 ± 0.1{filling * 70_000}x"]
    begun = time.process_time()
    assert profile(cells).style in ("words", "mixed")
    assert time.process_time() - begun < 2.0


@pytest.mark.parametrize(
    "name", ["p" + "1" * 30_000, "9" * 20_000 + "q", "mean" + "_" * 30_000 + "x"]
)
def test_a_long_name_is_judged_at_once(name: str) -> None:
    """Found by `tools/fuzz`: the work grew with the square of the length of a run of digits or of gaps."""
    begun = time.process_time()
    is_model_name(name)
    spread_of("m_std", ["m", name])
    assert time.process_time() - begun < 1.0


class TestStyle:
    @pytest.mark.parametrize(
        ("cells", "style"),
        [
            ([1, 2.5, "3"], "numbers"),
            ([0.5, None, 0.7], "numbers"),
            (["0.5", "n/a", "-"], "numbers"),
            (["0.91*", "**0.93**", "0.9"], "numbers"),
            (["0,68", "0,7", "1"], "comma"),
            (["1.234,5", "2,5"], "comma"),
            (["68.1%", "70 %"], "percent"),
            (["0.68 ± 0.02", "0.7 +/- 0.01"], "spread"),
            (["0.68 (0.02)", "0.70 (0.01)"], "spread"),
            ([r"0.68 $\pm$ 0.02"], "spread"),
            (["cat", "dog"], "words"),
            (["class 1", "class 2"], "words"),
            ([1, 2, 3, "abc4"], "mixed"),
            ([None, "", math.nan], "empty"),
        ],
    )
    def test_by_all_cells(self, cells: list[Any], style: str) -> None:
        assert profile(cells).style == style

    def test_numbers_of_each_style(self) -> None:
        assert profile(["68.1%", "70 %"]).numbers.tolist() == pytest.approx([0.681, 0.7], rel=1e-15)
        assert profile(["0,68", "1.234,5"]).numbers.tolist() == [0.68, 1234.5]
        assert profile(["0.68 ± 0.02", "0.7"]).numbers.tolist() == [0.68, 0.7]


class TestWrittenNumber:
    @pytest.mark.parametrize(
        ("cell", "style", "number"),
        [
            ("68.1 ± 2.0%", "spread", 0.681),
            ("−0,5", "comma", -0.5),
            (68.1, "percent", 0.681),
            ("0.91†", "numbers", 0.91),
            (r"\textbf{0.91}", "numbers", 0.91),
        ],
    )
    def test_as_people_write(self, cell: Any, style: Any, number: float) -> None:
        assert written_number(cell, style) == pytest.approx(number, rel=1e-15)

    @pytest.mark.parametrize("cell", [None, "", "timeout", "n/a", "—", "OOM", "pending", "abc"])
    def test_nothing_is_no_number(self, cell: Any) -> None:
        assert math.isnan(written_number(cell, "numbers"))

    def test_the_spread_is_kept(self) -> None:
        assert written_spread("0.68 ± 0.02") == 0.02
        assert written_spread("0.68 (0.03)") == 0.03
        assert written_spread("0.68") is None


class TestCommas:
    def test_three_digits_may_be_thousands(self) -> None:
        assert unsure_commas(profile(["1,234", "12,345"]))
        assert not unsure_commas(profile(["1,234", "0,5"]))
        assert not unsure_commas(profile(["0,234", "0,512"]))  # no thousands begin with 0
        assert not unsure_commas(profile(["1.5", "2.5"]))


class TestFacts:
    def test_ranges_and_blanks(self) -> None:
        column = profile([3, None, 1, 2])
        assert (column.low, column.high, column.missing) == (1.0, 3.0, 1)
        assert column.is_whole
        assert not column.in_unit
        assert not column.is_unique  # a blank names no row

    def test_unique_and_constant(self) -> None:
        assert profile(["a", "b"]).is_unique
        assert not profile(["a"]).is_unique
        assert profile(["a", "a"]).is_constant

    def test_right_and_wrong(self) -> None:
        assert profile([0, 1, "1"]).is_binary
        assert profile([True, False]).is_binary
        assert profile([1, 1]).is_binary
        assert not profile([0, 2]).is_binary
        assert not profile([]).is_binary

    def test_nothing_has_no_range(self) -> None:
        empty = profile([None])
        assert math.isnan(empty.low)
        assert math.isnan(empty.high)
        assert not empty.is_numeric


class TestCommaNumbers:
    def test_as_each_by_itself(self) -> None:
        cells = ["0,68", "-12,5", "7", "-0,0", "1234,5678901234567890", "007,10"]
        found = comma_numbers(cells)
        assert found is not None
        assert found.tolist() == [written_number(cell, "comma") for cell in cells]

    @pytest.mark.parametrize(
        "odd", ["1.234,5", "", "1,", ",5", "0,5*", "n/a", "0,5\n0,6", "٣,٤", None]
    )
    def test_left_to_a_closer_look(self, odd: str | None) -> None:
        assert comma_numbers(["0,68", odd, "0,7"]) is None
