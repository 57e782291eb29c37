"""The sampler of the hierarchical model, against quadrature of the same posterior."""

from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln, stdtr, stdtrit
from scipy.stats import gamma

from assay.kernels.hierarchical_model import (
    RATES,
    SHAPES,
    DataSetSums,
    HierarchyDraws,
    log_prior_nu,
    sample_hierarchy,
)
from assay.kernels.markov_chains import effective_size, r_hat

Floats = NDArray[np.float64]


def small_problem() -> DataSetSums:
    """Four data sets of ten folds, with rho 1/10."""
    differences = np.random.default_rng(5).normal(
        np.array([0.03, -0.01, 0.0, 0.02])[:, None], 0.03, (4, 10)
    )
    means = differences.mean(axis=1)
    squares = ((differences - means[:, None]) ** 2).sum(axis=1)
    return DataSetSums(means=means, squares=squares / 0.9, scores=10, factor=(1 + 9 * 0.1) / 10)


@lru_cache(maxsize=1)
def small_sample() -> HierarchyDraws:
    return sample_hierarchy(
        small_problem(), np.random.default_rng(1), chains=32, warmup=300, draws=3000
    )


def likelihood(data: DataSetSums, deltas: Floats, place: int) -> Floats:
    """Of the true difference on one data set, its standard deviation integrated out."""
    squares, away = data.squares[place], (data.means[place] - deltas) ** 2 / data.factor
    return np.asarray((1.0 + away / squares) ** (-(data.scores - 1) / 2))


def by_quadrature(data: DataSetSums, rope: float) -> tuple[float, float, float]:
    """P(next below), P(next above) and the mean centre, from sums over a grid, no sampling.

    The integral over each delta_i is a mean over quantiles of its t distribution where that is
    narrow, and a trapezoid about the data set's mean where it is wide.
    """
    widths = np.sqrt(data.factor * data.squares / (data.scores - 1))
    size = float(np.sqrt(data.means.var() + widths.mean() ** 2))
    sums = np.zeros(4)
    quantiles = (np.arange(300) + 0.5) / 300
    for log_excess in np.linspace(-7.0, 5.5, 26):
        nu = 1.0 + np.exp(log_excess)
        height = gammaln((nu + 1) / 2) - gammaln(nu / 2) - np.log(nu * np.pi) / 2
        for spread in size * np.exp(np.linspace(-7.0, 6.0, 40)):
            reach = size / 8 * max(1.0, spread / size) ** 0.5
            centre = data.means.mean() + reach * np.sinh(np.linspace(-6.0, 6.0, 61))
            fit = np.ones(centre.size)
            for place, width in enumerate(widths):
                if spread > 0.3 * width:
                    grid = data.means[place] + width / 10 * np.sinh(np.linspace(-7.0, 7.0, 121))
                    away = (grid - centre[:, None]) / spread
                    density = np.exp(height - (nu + 1) / 2 * np.log1p(away**2 / nu)) / spread
                    fit *= np.trapezoid(likelihood(data, grid, place) * density, grid, axis=1)
                else:
                    deltas = centre[:, None] + spread * stdtrit(nu, quantiles)
                    fit *= likelihood(data, deltas, place).mean(axis=1)
            prior = float(np.exp(log_prior_nu(np.array(log_excess)))) * spread
            weight = fit * np.gradient(centre) * prior
            left, right = stdtr(nu, (-rope - centre) / spread), stdtr(nu, (centre - rope) / spread)
            sums += [weight.sum(), weight @ left, weight @ right, weight @ centre]
    return sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]


class TestSampleHierarchy:
    def test_against_quadrature(self) -> None:
        left, right, centre = by_quadrature(small_problem(), 0.01)
        sampled = small_sample()
        below = stdtr(sampled.nu, (-0.01 - sampled.centre) / sampled.spread)
        above = stdtr(sampled.nu, (sampled.centre - 0.01) / sampled.spread)
        assert np.mean(below) == pytest.approx(left, abs=0.005)
        assert np.mean(above) == pytest.approx(right, abs=0.005)
        assert sampled.centre.mean() == pytest.approx(centre, abs=0.001)

    def test_chains_agree(self) -> None:
        sampled = small_sample()
        for draws in (sampled.centre, np.log(sampled.spread), np.log(sampled.nu - 1)):
            assert r_hat(draws) < 1.01
            assert effective_size(draws) > 3000

    def test_shrunken_means_lie_between(self) -> None:
        data, sampled = small_problem(), small_sample()
        middle = sampled.centre.mean()
        shares = (sampled.shrunken - middle) / (data.means - middle)
        assert ((shares > 0.0) & (shares < 1.0)).all()


class TestLogPriorNu:
    def test_against_drawing_shape_and_rate(self) -> None:
        rng = np.random.default_rng(1)
        shape, rate = rng.uniform(*SHAPES, 200_000), rng.uniform(*RATES, 200_000)
        for excess in (0.1, 1.0, 10.0, 100.0):
            drawn = float(np.mean(gamma.pdf(excess, shape, scale=1 / rate))) * excess
            found = float(np.exp(log_prior_nu(np.array(np.log(excess)))))
            assert found == pytest.approx(drawn, rel=0.02)

    def test_whole(self) -> None:
        grid = np.linspace(-30.0, 8.0, 20_001)
        assert np.trapezoid(np.exp(log_prior_nu(grid)), grid) == pytest.approx(1.0, abs=1e-4)
