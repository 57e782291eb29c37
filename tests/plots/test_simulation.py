"""The figure of a simulation: what varies is on the axis, what is promised is dotted."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from assay.core.errors import UsageError
from assay.plots import save, simulation
from assay.plots.simulation import axis_of, series_of
from assay.simulate.lecture_figures import lecture_figure
from assay.simulate.simulate import simulate


class TestSimulation:
    def test_lines_are_the_cells(self) -> None:
        found = simulate(["wald", "wilson"], n=20, p=[0.1, 0.2, 0.4])
        axes = simulation(found)
        wald, wilson, promised = (np.array(line.get_data()) for line in axes.get_lines())
        values = [cell.value for cell in found.cells]
        assert wald[1].tolist() == values[:3]
        assert wilson.tolist() == [[0.1, 0.2, 0.4], values[3:]]
        assert promised[1, 0] == 0.95
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("p", "coverage")
        legend = axes.get_legend()
        assert legend is not None
        assert [text.get_text() for text in legend.get_texts()] == ["Wald", "Wilson"]

    def test_n_goes_first_and_is_logarithmic_where_wide(self) -> None:
        found = simulate("mcnemar", n=[10, 500], discordant=[0.2, 0.3], replicates=50, rng=1)
        axes = simulation(found)
        assert axes.get_xlabel() == "n"
        assert axes.get_xscale() == "log"
        assert axis_of(found.cells) == "n"
        assert [one.label for one in series_of(found.cells, "n")] == [
            "discordant = 0.2",
            "discordant = 0.3",
        ]

    def test_what_has_most_values_is_on_the_axis(self) -> None:
        found = simulate("wilson", n=[10, 20], p=[0.1, 0.2, 0.3])
        assert axis_of(found.cells) == "p"
        assert [one.label for one in series_of(found.cells, "p")] == ["n = 10", "n = 20"]

    def test_effects_make_a_power_curve(self) -> None:
        found = simulate("binomial", p=0.3, n=20, effect=[0.1, 0.2, 0.3])
        assert simulation(found).get_xlabel() == "effect"

    def test_monte_carlo_bars(self) -> None:
        found = simulate("paired_t", n=[5, 9], replicates=200, rng=1)
        (bars,) = simulation(found).collections
        low = [np.asarray(path.vertices)[0, 1] for path in bars.get_paths()]
        assert low == [cell.interval.low for cell in found.cells if cell.interval is not None]

    def test_a_single_cell(self) -> None:
        axes = simulation(simulate("wilson", n=10, p=0.2))
        assert axes.get_legend() is None

    def test_parts_of_an_error_are_stacked(self) -> None:
        found = simulate(["variance_n", "variance_n_1"], question="mse", n=5, replicates=300, rng=1)
        axes = simulation(found)
        heights = [patch.get_height() for patch in axes.patches if isinstance(patch, Rectangle)]
        facts = [dict(cell.details) for cell in found.cells]
        assert heights[:2] == [one["variance"] for one in facts]
        tops = [float(heights[place]) + float(heights[place + 2]) for place in (0, 1)]
        assert tops == pytest.approx([cell.value for cell in found.cells])

    def test_sampling_distributions(self) -> None:
        axes = simulation(lecture_figure("small-means", replicates=500, rng=1))
        legend = axes.get_legend()
        assert legend is not None
        labels = [text.get_text() for text in legend.get_texts()]
        assert labels[0].startswith("n = 1, p of normality")
        assert labels[-1] == "normal"

    def test_the_same_bytes(self, tmp_path: object) -> None:
        from pathlib import Path

        folder = Path(str(tmp_path))
        found = simulate("wilson", n=10, p=[0.1, 0.2])
        one = save(simulation(found), folder / "one.png").read_bytes()
        assert one == save(simulation(found), folder / "two.png").read_bytes()

    def test_something_else(self) -> None:
        with pytest.raises(UsageError, match="draws a simulation"):
            simulation("mcnemar")  # type: ignore[arg-type]


def test_rates_of_ones_own() -> None:
    rates = {"wald": ([20, 50, 100], [0.9, 0.92, 0.94], [0.88, 0.9, 0.93], [0.91, 0.93, 0.95]),
             "wilson": ([20, 50, 100], [0.95, 0.96, 0.95])}  # fmt: skip
    axes = simulation(rates)
    drawn = [np.asarray(line.get_ydata()).tolist() for line in axes.lines]
    assert [heights for heights in drawn if len(heights) == 3] == [
        rates["wald"][1],
        rates["wilson"][1],
    ]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("n", "coverage")
    by_share = simulation({"t": ([0.1, 0.2], [0.06, 0.05])}, quantity="type I error", axis="share")
    assert by_share.get_xlabel() == "share"
    with pytest.raises(UsageError, match="'t' needs columns of one length"):
        simulation({"t": ([0.1, 0.2], [0.06])})
