"""Families of five models on clustered items: the batched p-values beside the public ones."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from calibration.cluster_families import check_families, public_smallest, smallest_p_values
from calibration.cluster_worlds import MEASURES, Drawn, World
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
