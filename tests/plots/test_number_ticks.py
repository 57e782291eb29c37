"""Numbers along an axis: readable at every size, and never over one another."""

from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from assay.core.formatting import power_of_ten
from assay.plots.number_ticks import number_ticks, tick_texts
from tests.plots.figures import draw


class TestTexts:
    @pytest.mark.parametrize(
        ("places", "expected"),
        [
            ([0.0, 0.05, 0.1], ["0.00", "0.05", "0.10"]),
            ([0.0, 0.025, 0.05], ["0.000", "0.025", "0.050"]),
            ([-600000.0, -400000.0, 0.0], ["−600,000", "−400,000", "0"]),
            ([7.5e8, 8e8, 8.5e8], ["7.5×10⁸", "8.0×10⁸", "8.5×10⁸"]),
            ([-4e-8, -2e-8, 0.0], ["−4×10⁻⁸", "−2×10⁻⁸", "0"]),
            ([0.999908, 0.999909], ["0.999908", "0.999909"]),
            ([0.0], ["0"]),
        ],
    )
    def test_all_places_are_told_apart(self, places: list[float], expected: list[str]) -> None:
        assert tick_texts(places, places) == expected

    def test_powers_as_they_are_printed(self) -> None:
        assert power_of_ten("4.7e-08") == "4.7×10⁻⁸"
        assert power_of_ten("0.25") == "0.25"


class TestTicks:
    @pytest.mark.parametrize("ends", [(-6e5, 1e5), (7.2e8, 9.1e8), (-6e-8, 0.0), (0.0, 1.0)])
    def test_no_number_is_over_another(self, ends: tuple[float, float]) -> None:
        figure = Figure(figsize=(2.0, 1.5), layout="constrained")
        axes = figure.add_subplot()
        axes.set_xlim(*ends)
        number_ticks(axes.xaxis, inches=1.6)
        draw(axes)
        boxes = [
            label.get_window_extent()
            for label in axes.get_xticklabels()
            if label.get_text() and ends[0] <= label.get_position()[0] <= ends[1]
        ]
        assert len(boxes) >= 2
        assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
        assert axes.xaxis.get_offset_text().get_text() == ""
