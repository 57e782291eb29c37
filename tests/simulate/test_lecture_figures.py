"""The lecture's figures: every name works, and shows what the lecture says."""

import pytest

from assay.core.errors import UsageError
from assay.core.results import Simulation
from assay.core.wire import from_json, to_json
from assay.simulate.lecture_figures import FIGURES, lecture_figure


@pytest.fixture(scope="module")
def figures() -> dict[str, Simulation]:
    return {name: lecture_figure(name, replicates=1000, rng=1) for name in FIGURES}


class TestLectureFigure:
    @pytest.mark.parametrize("name", FIGURES)
    def test_survives_the_wire_and_has_words(
        self, name: str, figures: dict[str, Simulation]
    ) -> None:
        found = figures[name]
        assert from_json(to_json(found)) == found
        assert found.title == FIGURES[name].summary

    def test_t_keeps_its_level_on_both_populations(self, figures: dict[str, Simulation]) -> None:
        cells = figures["one-sample-t"].cells
        assert {cell.world for cell in cells} == {"normal", "uniform"}
        assert all(cell.interval is not None for cell in cells)
        assert all(0.025 < (cell.value or 0.0) < 0.095 for cell in cells)

    @pytest.mark.parametrize("name", ["paired-t-missed", "binomial-missed"])
    def test_more_evidence_misses_less(self, name: str, figures: dict[str, Simulation]) -> None:
        cells = figures[name].cells
        for effect in {cell.effect for cell in cells}:
            series = [cell.value or 0.0 for cell in cells if cell.effect == effect]
            assert series[-1] < series[0]

    def test_the_binomial_test_never_exceeds_its_level(self) -> None:
        exact = lecture_figure("binomial")
        assert all((cell.value or 0.0) <= 0.05 for cell in exact.cells)
        assert all(cell.replicates is None for cell in exact.cells)

    def test_twenty_tests_without_correction(self, figures: dict[str, Simulation]) -> None:
        rates = {(c.method, c.n): c.value or 0.0 for c in figures["family-wise"].cells}
        assert rates[("no correction", 20)] == pytest.approx(1 - 0.95**20, abs=0.06)
        assert rates[("bonferroni", 20)] < 0.08

    def test_small_means_are_not_normal_and_larger_ones_nearly(self) -> None:
        cells = lecture_figure("small-means", rng=1).cells
        p_values = {cell.n: cell.value for cell in cells}
        assert p_values[2] is not None
        assert p_values[2] < 1e-10
        assert p_values[30] is not None
        assert p_values[30] > 0.001
        assert lecture_figure("small-means", rng=1).cells == cells

    def test_unknown_names_are_listed(self) -> None:
        with pytest.raises(UsageError, match="lecture is one of one-sample-t, paired-t"):
            lecture_figure("two-sample-t")
        with pytest.raises(UsageError, match="at least 100"):
            lecture_figure("paired-t", replicates=10)
