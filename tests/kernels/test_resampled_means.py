"""Means of very many items: the quantiles of plain resampling, whatever the tails."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from assay.core.arrays import FloatArray
from assay.kernels import resampled_means as kernel
from assay.kernels.resampled_means import resampled_means
from assay.kernels.resampling import multinomial_blocks

N = 20_000
DRAWS = 2_000


def light(rng: np.random.Generator) -> FloatArray:
    """Errors of three models that share most of what is hard."""
    shared = rng.exponential(1.0, (N, 1))
    return shared * rng.uniform(0.8, 1.2, (N, 3))


def lognormal(rng: np.random.Generator) -> FloatArray:
    """A few items hold much of the variance."""
    return np.exp(2.0 * rng.normal(size=(N, 1)) + 0.3 * rng.normal(size=(N, 3)))


def one_giant(rng: np.random.Generator) -> FloatArray:
    """One item that only the first model gets very wrong."""
    found = rng.normal(size=(N, 3))
    found[7, 0] = 3.0 * np.sqrt(N)
    return found


def plain(features: FloatArray, counts: np.ndarray) -> FloatArray:
    total = counts.sum()
    parts = [weights @ features for _, weights in multinomial_blocks(counts, DRAWS, 5)]
    return np.asarray(np.concatenate(parts) / total)


def largest(means: FloatArray, centre: FloatArray) -> FloatArray:
    """The largest studentised difference of each resample: what sets a simultaneous interval."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    strays = np.column_stack(
        [means[:, a] - means[:, b] - (centre[a] - centre[b]) for a, b in pairs]
    )
    return np.asarray(np.abs(strays / strays.std(axis=0)).max(axis=1))


class TestResampledMeans:
    @pytest.mark.parametrize("world", [light, lognormal, one_giant])
    def test_the_law_is_that_of_resampling(
        self, world: Callable[[np.random.Generator], FloatArray]
    ) -> None:
        features = world(np.random.default_rng(3))
        counts = np.ones(N, np.int64)
        found = resampled_means(features, counts, DRAWS, 1)
        assert found is not None
        expected = plain(features, counts)
        for direction in ([1, 0, 0], [1, -1, 0], [0, 1, -1]):
            assert stats.ks_2samp(found @ direction, expected @ direction).pvalue > 0.001
        centre = features.mean(axis=0)
        assert stats.ks_2samp(largest(found, centre), largest(expected, centre)).pvalue > 0.001

    def test_an_item_that_matters_is_drawn_by_itself(self) -> None:
        """A normal limit would be smooth; resampling a giant 0, 1, 2 … times is not."""
        found = resampled_means(one_giant(np.random.default_rng(3)), np.ones(N, np.int64), DRAWS, 1)
        assert found is not None
        times = found[:, 0] * N / (3.0 * np.sqrt(N))
        shares = [np.mean(np.abs(times - count) < 0.5) for count in range(3)]
        np.testing.assert_allclose(shares, stats.poisson(1).pmf(range(3)), atol=0.06)

    def test_cells_stand_for_their_items(self) -> None:
        rng = np.random.default_rng(4)
        values = rng.integers(0, 9, (40, 2)).astype(float)
        counts = rng.integers(1, 2_000, 40)
        found = resampled_means(values, counts, DRAWS, 1)
        written_out = resampled_means(
            np.repeat(values, counts, axis=0), np.ones(counts.sum(), np.int64), DRAWS, 1
        )
        assert found is not None
        assert written_out is not None
        np.testing.assert_allclose(found, written_out)  # the same noise on the same moments

    def test_models_that_hardly_differ_keep_their_difference(self) -> None:
        rng = np.random.default_rng(5)
        first = rng.normal(size=N)
        differences = 1e-9 * rng.normal(size=N)
        found = resampled_means(
            np.column_stack([first, first + differences]), np.ones(N, np.int64), DRAWS, 1
        )
        assert found is not None
        spread = (found[:, 1] - found[:, 0]).std()
        assert spread == pytest.approx(differences.std() / np.sqrt(N), rel=0.1)

    def test_equal_models_stay_equal(self) -> None:
        first = np.random.default_rng(6).normal(size=N)
        found = resampled_means(
            np.column_stack([first, first, np.ones(N)]), np.ones(N, np.int64), 100, 1
        )
        assert found is not None
        np.testing.assert_allclose(found[:, 0], found[:, 1], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found[:, 2], 1.0, rtol=1e-12)

    def test_too_many_heavy_items_are_left_to_resampling(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(kernel, "MOST_HEAVY", 0)
        rng = np.random.default_rng(3)
        assert resampled_means(one_giant(rng), np.ones(N, np.int64), 10, 1) is None
        assert resampled_means(rng.random((N, 3)), np.ones(N, np.int64), 10, 1) is not None
