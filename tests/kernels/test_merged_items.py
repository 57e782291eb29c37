"""Nearly equal items taken together: means are kept, variances to a ten thousandth."""

import numpy as np
import pytest

from assay.kernels.merged_items import FEWER, LOST, coarse_cells


def binned_gaps(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    confidence = rng.beta(4, 2, n)
    gaps = (rng.random(n) < confidence) - confidence
    table = np.zeros((n, 10))
    table[np.arange(n), np.minimum((confidence * 10).astype(int), 9)] = gaps
    return table


def test_means_and_variances_are_kept() -> None:
    features = binned_gaps(20_000)
    counts = np.ones(20_000, np.int64)
    found = coarse_cells(features, counts)
    assert found is not None
    means, sizes = found
    assert sizes.sum() == 20_000
    assert len(means) * FEWER <= 20_000
    np.testing.assert_allclose(sizes @ means / 20_000, features.mean(axis=0), atol=1e-14)
    between = sizes @ (means - features.mean(axis=0)) ** 2 / 20_000
    lost = 1.0 - between / features.var(axis=0)
    assert (lost <= LOST).all()
    assert (lost > -1e-12).all()


def test_counts_are_carried_along() -> None:
    features = np.repeat(np.arange(50.0), 400)[:, None] / 50
    counts = np.tile([1, 3], 10_000)
    found = coarse_cells(features, counts)
    assert found is not None
    assert found[1].sum() == counts.sum()
    assert len(found[0]) == 50


@pytest.mark.parametrize(
    "features",
    [np.random.default_rng(1).normal(size=(2000, 6)), np.full((2000, 1), np.inf)],
    ids=["all apart", "infinite"],
)
def test_none_where_it_will_not_do(features: np.ndarray) -> None:
    assert coarse_cells(features, np.ones(len(features), np.int64)) is None


def test_none_where_a_small_spread_would_vanish() -> None:
    features = np.random.default_rng(2).random((20_000, 1)) * 1e-6
    features[:2] = [[0.0], [1.0]]  # the grid is too coarse for all others
    features[0] = 1.0
    assert (
        coarse_cells(features[:, :], np.ones(20_000, np.int64)) is not None
    )  # the two carry the variance
    features[:2] = 1e-3
    assert coarse_cells(features, np.ones(20_000, np.int64)) is None
