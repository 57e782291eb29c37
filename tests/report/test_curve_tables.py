"""Curves as tables: a few points of each, however many there are."""

import pytest

from assay.core.results import Curve
from assay.report.curve_tables import POINTS, curve, points


def line(model: str, count: int) -> Curve:
    at = tuple(float(place) for place in range(count))
    return Curve(name="learning", model=model, columns=(("size", at), ("mean", at)))


class TestPoints:
    @pytest.mark.parametrize("count", [0, 1, 2, 3, POINTS, POINTS + 1, 1000])
    def test_the_first_and_the_last_are_among_them(self, count: int) -> None:
        """One point was one too few: the table asked for a second."""
        rows = points([line("m", count)]).rows
        assert len(rows) == min(count, POINTS)
        if count:
            assert rows[0][1].numbers == (0.0,)
            assert rows[-1][1].numbers == (count - 1.0,)

    def test_curves_of_different_lengths(self) -> None:
        table = points([line("a", 5), line("b", 1)])
        assert [row[0].text for row in table.rows] == ["a"] * 5 + ["b"]
        assert len(curve(line("a", 5)).rows) == 5
