"""Ratios of sums over drawn units against drawing them."""

import numpy as np
import pytest

from assay.kernels.bootstrap_means import mean_draws
from assay.kernels.bootstrap_ratios import ratio_draws

DRAWN = 20_000


def drawn(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    places = np.random.default_rng(1).integers(0, sums.size, (DRAWN, sums.size))
    return np.asarray(sums[places].sum(axis=1) / sizes[places].sum(axis=1))


class TestRatioDraws:
    def test_agrees_with_drawing(self) -> None:
        rng = np.random.default_rng(2)
        sizes = rng.integers(1, 20, 60).astype(float)
        sums = rng.normal(2.0 * sizes, sizes)
        law = ratio_draws(sums, sizes)
        assert law is not None
        ratios = drawn(sums, sizes)
        for probability in (0.025, 0.3, 0.975):
            x = float(np.quantile(ratios, probability))
            assert law.at_most(x) == pytest.approx(probability, abs=0.008)
        mean, error = law.moments(lambda m: m)
        assert mean == pytest.approx(ratios.mean(), abs=5 * error / DRAWN**0.5)
        assert error == pytest.approx(ratios.std(), rel=0.03)

    def test_equal_sizes_are_a_mean(self) -> None:
        values = np.random.default_rng(3).exponential(size=50)
        ratio, mean = ratio_draws(3.0 * values, np.full(50, 3.0)), mean_draws(values)
        assert ratio is not None
        assert mean is not None
        for tail in (0.025, 0.2):
            assert ratio.low(tail) == pytest.approx(mean.low(tail), rel=1e-9)
            assert ratio.high(tail) == pytest.approx(mean.high(tail), rel=1e-9)
        assert ratio.log_least == pytest.approx(mean.log_least)
        assert ratio.skewness()[1] > 0.0

    def test_without_spread_there_is_no_law(self) -> None:
        assert ratio_draws(np.full(30, 2.0), np.full(30, 4.0)) is None
