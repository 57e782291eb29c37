"""Dates as people write them, put in order."""

import numpy as np
import pytest

from assay.evidence.readers.dates import is_date, times_of


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["2024-01-31", "2024-02-01"], 1),
        (["2024/1/31", "2024/2/1"], 1),
        (["31.1.2024", "1.2.2024"], 1),
        (["13/02/2024", "01/03/2024"], 17),
        (["2/13/2024", "3/1/2024"], 17),
        (["2024-01", "2024-02"], 31),
        (["2024-01-01T10:00:00.5Z", "2024-01-02 10:00:00.5+00:00"], 1),
        (["2024-01-01 09:00:00+09", "2024-01-02 09:00:00+09"], 1),  # as DuckDB writes zones
    ],
)
def test_written_in_many_ways(cells: list[str], days: int) -> None:
    assert is_date(cells)
    first, second = times_of(cells)
    assert second - first == np.timedelta64(days, "D")


@pytest.mark.parametrize("cells", [["1234.5"], ["0.81", "0.92"], ["a"], ["2024-01-01", "x"], []])
def test_what_is_no_date(cells: list[str]) -> None:
    assert not is_date(cells)


def test_a_date_that_does_not_exist_has_no_order() -> None:
    assert times_of(["2024-99-99"]) is None
