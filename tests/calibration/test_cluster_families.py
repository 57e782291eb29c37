"""Families of five models on clustered items: the batched p-values beside the public ones."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from calibration.cluster_families import check_families, public_smallest, smallest_p_values
from calibration.cluster_worlds import MEASURES, Drawn, World, precisions_without
from calibration.designs.means import Disagreement

WORLD = World(clusters=6, sizes="1-60", prevalence=0.3, separation=1.5)
DRAWS = 199


def families(rows: int = 3) -> Drawn:
    return WORLD.draw(rows, 5, np.random.default_rng(4))


class TestFamilies:
    @pytest.mark.parametrize("measure", MEASURES)
    def test_batched_p_values_are_the_public_ones(self, measure: str) -> None:
        drawn = families()
        found = smallest_p_values(drawn, measure, DRAWS)
        assert np.isfinite(found).all()
        check_families(drawn, measure, found, DRAWS, rows=3)

    def test_families_that_surely_differ_nowhere_need_no_draws(self) -> None:
        drawn = families(60)
        whole = smallest_p_values(drawn, "f1", 999)
        found = smallest_p_values(drawn, "f1", 999, drawn_for=2)
        spared = found != whole
        assert spared[2:].sum() > 20
        assert not spared[:2].any()
        assert (found[spared] == 1.0).all()
        assert whole[spared].min() > 0.05

    def test_models_that_never_differ_are_answered_by_the_public_function(self) -> None:
        drawn = families(1)
        drawn.scores[:, 1] = drawn.scores[:, 0]
        found = smallest_p_values(drawn, "f1", DRAWS)
        assert found[0] == public_smallest(drawn, "f1", 0, DRAWS)

    def test_a_refusal_is_no_answer(self) -> None:
        drawn = families(1)
        truth: Any = drawn.truth.copy()
        truth[:, 1:] = False  # without the first cluster no positive is left
        truth[:, 0, 0] = True
        lone = replace(drawn, truth=truth)
        assert np.isnan(smallest_p_values(lone, "roc_auc", DRAWS)[0])
        assert np.isnan(public_smallest(lone, "roc_auc", 0, DRAWS))

    def test_a_difference_stops_the_run(self) -> None:
        drawn = families(1)
        with pytest.raises(Disagreement, match="from assay"):
            check_families(drawn, "f1", np.array([0.0]), DRAWS)


class TestPrecisions:
    def test_each_cluster_is_left_out_as_if_it_had_never_been_there(self) -> None:
        rng = np.random.default_rng(5)
        truth, cluster = rng.random(60) < 0.3, rng.integers(0, 5, 60)
        whole, left = precisions_without(truth, cluster, 5)

        def plain(kept: Any) -> float:
            ranked = truth[kept]
            return float((np.cumsum(ranked) / np.arange(1, ranked.size + 1))[ranked].mean())

        assert whole == pytest.approx(plain(np.full(60, True)))
        assert left == pytest.approx([plain(cluster != one) for one in range(5)])

    def test_without_positives_there_is_no_precision(self) -> None:
        whole, left = precisions_without(np.array([True, False]), np.array([0, 1]), 2)
        assert (whole, np.isnan(left[0]), left[1]) == (1.0, True, 1.0)
        assert np.isnan(precisions_without(np.array([False]), np.array([0]), 1)[0])
