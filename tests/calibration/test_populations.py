"""Samples of a population: batched intervals beside the public ones."""

from typing import Any

import numpy as np
import pytest

from calibration import population_cells, population_labels, population_rankings, populations
from calibration.designs.means import Disagreement
from calibration.population_areas import Areas, check_areas

N = 40


def areas(positives: int, levels: float = 1e9, samples: int = 6) -> Areas:
    """Samples with so many positives; few levels make ties."""
    rng = np.random.default_rng([positives, samples])
    truth = np.broadcast_to(np.arange(N) < positives, (samples, N))
    scores = {
        name: np.round(levels * (rng.standard_normal((samples, N)) + shift * truth)) / levels
        for name, shift in (("a", 1.0), ("b", 2.5), ("c", 40.0), ("d", 50.0))
    }
    return Areas(truth, scores)


class TestAreas:
    @pytest.mark.parametrize("positives", [1, 2, 8, 20])
    @pytest.mark.parametrize("levels", [1e9, 1.0])
    def test_batched_limits_are_those_of_delong(self, positives: int, levels: float) -> None:
        of = areas(positives, levels)
        for a, b, difference in of.pairs():
            check_areas(of, a, b, difference.limits(0.0, shown=6), rows=6)

    def test_what_is_left_out_decides_nothing(self) -> None:
        of = areas(20, samples=60)
        for _, _, difference in of.pairs():
            for truth in (-0.3, 0.0, 0.2):
                low, high = difference.limits(truth, shown=0)
                whole = difference.limits(truth, shown=60)
                inside = (whole[0] <= truth) & (truth <= whole[1])
                assert (((low <= truth) & (truth <= high)) == inside).all()

    def test_a_difference_stops_the_run(self) -> None:
        of = areas(20)
        with pytest.raises(Disagreement, match="from assay"):
            check_areas(of, "a", "b", (np.full(6, -1.0), np.full(6, 1.0)), rows=1)


class TestCells:
    def test_cells_of_a_small_population(self, monkeypatch: Any) -> None:
        monkeypatch.setattr(population_cells, "SAMPLES", 1000)
        rng = np.random.default_rng(3)
        truth = (rng.random(3000) < 0.4).astype(float)
        chance = {
            name: 1.0 / (1.0 + np.exp(-rng.normal(2.0 * truth - 1.0, spread)))
            for name, spread in (("a", 1.0), ("b", 1.5))
        }
        for cells in (
            populations.mean_cells,
            population_rankings.area_cells,
            population_rankings.precision_cells,
            population_labels.label_cells,
            population_labels.f1_cells,
        ):
            for cell in cells(("made", truth, chance), 50, rng):
                assert cell["samples"] == 1000
                assert cell["covered"] / cell["samples"] >= 0.93
                assert 0.9 < cell["width"] < 1.6
                assert cell["covered"] + cell["low"] + cell["high"] == 1000
