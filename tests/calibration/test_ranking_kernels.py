"""Areas and precisions without each cluster: those of the items that are left."""

import shutil
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from calibration import fold_kernels
from calibration.cluster_worlds import Drawn, World
from calibration.ranking_kernels import ranked

WORLD = World(clusters=5, sizes="1-60", prevalence=0.4, separation=1.0, weights="uneven")


def drawn() -> Drawn:
    return WORLD.draw(2, 2, np.random.default_rng(7))


@pytest.fixture(params=["compiled", "plain"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Both ways, the compiled one where there is a compiler."""
    fold_kernels.library.cache_clear()
    if request.param == "plain":
        monkeypatch.setattr(shutil, "which", lambda name: None)
    elif not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("there is no compiler of C")
    yield
    fold_kernels.library.cache_clear()


@pytest.mark.usefixtures("way")
class TestRanked:
    def test_each_cluster_is_left_out_as_if_it_had_never_been_there(self) -> None:
        own = drawn()
        found = ranked(own.scores, own.truth, own.weights, own.there)
        for (row, model), left_out in ((at, g) for at in np.ndindex(2, 2) for g in range(6)):
            kept = own.there[row].copy()
            kept[left_out : left_out + 1] = False
            truth, weight = own.truth[row][kept], own.weights[row][kept]
            scores = own.scores[row, model][kept]
            areas, precisions = (
                one[0][row, model] if left_out == 5 else one[1][row, model, left_out] for one in found
            )  # fmt: skip
            assert areas == pytest.approx(roc_auc_score(truth, scores, sample_weight=weight))
            assert precisions == pytest.approx(
                average_precision_score(truth, scores, sample_weight=weight)
            )

    def test_without_a_class_there_is_nothing_to_rank(self) -> None:
        scores = np.array([2.0, 1.0]).reshape(1, 1, 2, 1)
        truth = np.array([True, False]).reshape(1, 2, 1)
        areas, precisions = ranked(scores, truth, np.ones(truth.shape), np.ones(truth.shape, bool))
        assert (areas[0][0, 0], precisions[0][0, 0]) == (1.0, 1.0)
        assert np.isnan(areas[1]).all()
        assert np.array_equal(precisions[1][0, 0], [np.nan, 1.0], equal_nan=True)
