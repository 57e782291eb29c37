"""Numbers along an axis: readable at every size, and never over one another."""

from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from assay.core.formatting import power_of_ten
from assay.plots import paper, profiles, qq
from assay.plots.number_ticks import number_ticks, tick_texts
from tests.plots.figures import draw
from tests.written import NUMBER


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


@pytest.mark.parametrize("unit", [1e-15, 1e-5, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("width", [85, 170])
def test_no_figure_has_numbers_of_its_own(unit: float, width: int) -> None:
    """Axes that nobody formats have matplotlib's 1e7 at their end, and 0.00001 beside 1e-05."""
    runs = {name: [unit * (80 + by + one) for one in range(8)] for name, by in (("a", 0), ("b", 3))}
    with paper(width):
        for axes in (profiles(runs), qq([one for run in runs.values() for one in run])):
            draw(axes)
            shown = [one for one in axes.get_xticklabels() if one.get_text() and one.get_visible()]
            low, high = axes.get_xlim()
            boxes = [
                one.get_window_extent() for one in shown if low <= one.get_position()[0] <= high
            ]
            assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
            texts = [
                one.get_text() for axis in (axes.xaxis, axes.yaxis) for one in axis.get_ticklabels()
            ]
            assert all(NUMBER.fullmatch(text) for text in texts if text)
            assert (
                axes.xaxis.get_offset_text().get_text()
                == axes.yaxis.get_offset_text().get_text()
                == ""
            )
