"""The report of a simulation: every cell in every format, with its uncertainty."""

import pytest

from assay.core.results import Interval, Simulation, SimulationCell
from assay.report import FORMATS, render
from assay.report.simulation_view import view_of_simulation
from assay.report.views import view
from assay.simulate.lecture_figures import lecture_figure
from assay.simulate.simulate import simulate


def hostile() -> Simulation:
    """Names are words of ours, and are escaped all the same."""
    cell = SimulationCell(
        method="<script>|_x",
        world="a|b",
        n=10,
        effect=0.1,
        alpha=0.05,
        quantity="type II error",
        value=0.5,
        interval=Interval(low=0.4, high=0.6, level=0.95, method="clopper_pearson"),
        replicates=100,
        undefined=3,
        parameters=(("p", 0.1),),
        details=(("power", 0.5),),
    )
    return Simulation(
        title="of <b>things</b>",
        question="error",
        methods=(cell.method,),
        worlds=(("a|b", (("p", 0.1),)),),
        cells=(cell,),
        sentence="So <i>it</i> is.",
        seed=1,
    )


class TestView:
    def test_every_cell_is_a_row(self) -> None:
        found = simulate(["wald", "wilson"], n=[10, 20], p=0.1)
        view = view_of_simulation(found)
        (table,) = view.tables
        assert len(table.rows) == 4
        assert [column.name for column in table.columns][:2] == ["method", "n"]

    def test_counting_error_is_shown_or_its_absence(self) -> None:
        drawn = view_of_simulation(simulate("paired_t", n=5, replicates=100, rng=1)).tables[0]
        assert "Monte-Carlo 95%" in [column.name for column in drawn.columns]
        listed = view_of_simulation(simulate("wilson", n=5, p=0.2))
        assert "Monte-Carlo 95%" not in [column.name for column in listed.tables[0].columns]
        assert any("enumerated" in fact.detail for fact in listed.facts)

    def test_methods_paragraph_says_what_was_done(self) -> None:
        drawn = view(simulate(["paired_t", "wilcoxon"], n=5, replicates=100, rng=1)).methods
        assert "applied to 100 simulated samples with known truth (losses)" in drawn
        listed = view(simulate("wilson", n=5, p=0.2))
        assert any("Wilson" in work for work in listed.references)
        assert "applied to all possible samples with known truth" in listed.methods

    def test_normality_is_written_as_a_p_value(self) -> None:
        text = render(lecture_figure("small-means", replicates=5000, rng=1))
        assert "kurtosis" in text
        assert "<10⁻³⁰⁰" in text or "×10⁻" in text

    @pytest.mark.parametrize("form", FORMATS)
    def test_every_format(self, form: str) -> None:
        text = render(hostile(), form)
        assert "0.5" in text
        if form == "html":
            assert "<script>|" not in text
            assert "<i>it" not in text
