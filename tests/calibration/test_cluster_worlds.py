"""The worlds of clustered items: their truth, and batched answers beside the public ones."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.cluster_worlds import MEASURES, World, check_public, one_limits, pair_p_values

WORLD = World(clusters=7, sizes="1-60", prevalence=0.3, separation=1.5)
WORLDS = {
    "clusters": WORLD,
    "little correlated": replace(WORLD, sizes="10", correlation=0.05),
    "weighted clusters": replace(WORLD, sizes="10", correlation=0.3, weights="classes"),
    "weighted items": replace(WORLD, clusters=40, sizes="1", correlation=0.0, weights="uneven"),
}


class TestClusters:
    @pytest.mark.parametrize("measure", MEASURES)
    @pytest.mark.parametrize("world", WORLDS)
    def test_batched_answers_are_the_public_ones(self, world: str, measure: str) -> None:
        check_public(WORLDS[world].draw(2, 2, np.random.default_rng(1)), measure, 2)

    @pytest.mark.parametrize("measure", MEASURES)
    @pytest.mark.parametrize("world", WORLDS)
    def test_the_truth_is_that_of_many_clusters(self, world: str, measure: str) -> None:
        large = replace(WORLDS[world], clusters=400)
        low, high, known = one_limits(large.draw(3, 1, np.random.default_rng(2)), measure)
        assert known.all()
        middle = (low + high) / 2
        assert middle.mean() == pytest.approx(large.truth(measure), abs=(high - low).mean())

    def test_levels_are_kept(self) -> None:
        drawn = World(clusters=10, sizes="10", prevalence=0.5, separation=1.2).draw(
            1500, 2, np.random.default_rng(3)
        )
        for measure in ("f1", "roc_auc"):
            p, answered, _ = pair_p_values(drawn, measure)
            assert (p[answered] <= 0.05).mean() < 0.065
