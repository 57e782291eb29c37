"""Areas without each cluster in turn, beside areas of the items that are left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from assay.kernels.cluster_areas import areas_without


def drawn(seed: int, n: int = 60, groups: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    clusters = np.r_[np.arange(groups), rng.integers(0, groups, n - groups)]
    return truth, np.round(truth + rng.standard_normal(n), 1), clusters


class TestAreasWithout:
    @pytest.mark.parametrize("seed", range(5))
    def test_is_the_area_of_the_items_left(self, seed: int) -> None:
        truth, scores, clusters = drawn(seed)
        expected = [roc_auc_score(truth[clusters != g], scores[clusters != g]) for g in range(7)]
        np.testing.assert_allclose(areas_without(truth, scores, clusters), expected, atol=1e-12)

    def test_weights_count(self) -> None:
        truth, scores, clusters = drawn(9)
        weights = np.random.default_rng(1).random(truth.size)
        found = areas_without(truth, scores, clusters, weights)
        for group, area in enumerate(found):
            kept = clusters != group
            expected = roc_auc_score(truth[kept], scores[kept], sample_weight=weights[kept])
            assert area == pytest.approx(expected, abs=1e-12)

    @given(seed=st.integers(0, 10_000))
    @settings(max_examples=30, deadline=None)
    def test_turned_scores_mirror(self, seed: int) -> None:
        truth, scores, clusters = drawn(seed, n=30, groups=4)
        one, other = (areas_without(truth, sign * scores, clusters) for sign in (1, -1))
        np.testing.assert_allclose(one + other, 1.0, atol=1e-12)

    def test_a_class_that_goes_missing_leaves_no_area(self) -> None:
        found = areas_without([1, 1, 0, 0], [0.9, 0.2, 0.4, 0.1], [0, 0, 1, 2])
        assert np.isnan(found[0])
        np.testing.assert_allclose(found[1:], [1.0, 0.5])
