"""The sampler of the hierarchical model, against quadrature of the same posterior."""

from functools import lru_cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import dblquad
from scipy.special import gammaln, stdtr, stdtrit
from scipy.stats import gamma, norm, t

from assay.kernels.hierarchical_model import (
    RATES,
    SHAPES,
    DataSetSums,
    HierarchyDraws,
    _Chains,
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


def chains(moved: int = 3) -> _Chains:
    """Chains some steps from their beginning, so that nothing is 1 or 0 any more."""
    found = _Chains(small_problem(), np.random.default_rng(2), 5)
    for _ in range(moved):
        found.step(adapt=0.5)
    return found


class Still:
    """Draws that are what they are expected to be: normals ``z``, gammas their shape."""

    def __init__(self, z: float) -> None:
        self.z = z

    def standard_normal(self, size: object) -> Floats:
        return np.full(size, self.z)  # type: ignore[call-overload,no-any-return]

    def standard_gamma(self, shape: object, size: object = None) -> Floats:
        return np.broadcast_to(shape, np.shape(shape) if size is None else size) + 0.0  # type: ignore[call-overload,no-any-return]


class TestSteps:
    """Each step draws from, or walks on, the density that the model has it condition on."""

    def test_the_common_part_given_the_differences_is_a_t_each(self) -> None:
        state = chains()
        centre, spread, nu = state.centre[:1] + 0.01, state.spread[:1] * 1.7, state.nu[:1] + 2.0

        def density(c: Floats, s: Floats, v: Floats) -> Floats:
            fit = np.sum(t.logpdf(state.deltas[:1], v, c, s))
            return np.asarray(fit + log_prior_nu(np.log(v - 1.0)) + np.log(s))

        state.deltas = state.deltas[:1]
        here = state.centre[:1], state.spread[:1], state.nu[:1]
        for moved in ((centre, *here[1:]), (here[0], spread, here[2]), (*here[:2], nu)):
            found = state._log_common(*moved) - state._log_common(*here)
            assert found == pytest.approx(density(*moved) - density(*here), rel=1e-10)

    def test_the_spread_alone_has_centre_and_differences_integrated_out(self) -> None:
        state = chains()
        state.precision, state.mixing = state.precision[:1], state.mixing[:1]
        centre = np.linspace(-1.5, 1.5, 60_001)

        def density(spread: float) -> float:
            scale = np.sqrt(state.data.factor / state.precision + spread**2 / state.mixing)
            logs = np.sum(norm.logpdf(state.data.means[:, None], centre, scale.T), axis=0)
            return float(np.log(np.trapezoid(np.exp(logs), centre)) + np.log(spread))

        found = state._log_spread(np.array([0.05])) - state._log_spread(np.array([0.02]))
        assert found == pytest.approx([density(0.05) - density(0.02)], rel=1e-8)

    @pytest.mark.parametrize("z", [0.0, 1.3])
    def test_centre_and_differences_are_normal_given_the_scales(self, z: float) -> None:
        state = chains()
        noise = np.asarray(state.data.factor / state.precision)
        prior = state.spread[:, None] ** 2 / state.mixing
        state.rng = Still(z)  # type: ignore[assignment]
        state._draw_centre_and_deltas()
        total = np.sum(1.0 / (noise + prior), axis=1)
        due = (state.data.means / (noise + prior)).sum(axis=1) / total + z / np.sqrt(total)
        assert state.centre == pytest.approx(due, rel=1e-12)
        precision = 1.0 / noise + 1.0 / prior
        mean = (state.data.means / noise + due[:, None] / prior) / precision
        assert state.expected == pytest.approx(mean, rel=1e-10)
        assert state.deltas == pytest.approx(mean + z / np.sqrt(precision), rel=1e-10)

    def test_scales_are_gamma_given_the_differences(self) -> None:
        state = chains()
        state.rng = Still(0.0)  # type: ignore[assignment]
        state._draw_mixing_and_precision()
        away = ((state.deltas - state.centre[:, None]) / state.spread[:, None]) ** 2
        nu = state.nu[:, None]
        assert state.mixing == pytest.approx((nu + 1.0) / (nu + away), rel=1e-12)
        miss = (state.data.means - state.deltas) ** 2 / state.data.factor
        due = (state.data.scores - 1) / (state.data.squares + miss)
        assert state.precision == pytest.approx(due, rel=1e-12)

    def test_degrees_of_freedom_move_with_the_quartiles_kept(self) -> None:
        state = chains()
        quartile = state.spread * stdtrit(state.nu, 0.75)
        before = state.nu.copy()
        for _ in range(20):
            state._walk_nu(0.7)
        assert (state.nu != before).any()
        assert state.spread * stdtrit(state.nu, 0.75) == pytest.approx(quartile, rel=1e-9)

    def test_a_step_is_taken_as_often_as_metropolis_says(self) -> None:
        state = chains()
        gain = np.log(np.array([0.25, 0.7, 1.0, 3.0])).repeat(20_000)
        shares = state._taken(gain).reshape(4, -1).mean(axis=1)
        assert shares == pytest.approx([0.25, 0.7, 1.0, 1.0], abs=0.012)

    def test_the_beginning(self) -> None:
        data = small_problem()
        found = _Chains(data, np.random.default_rng(3), 4000)
        noise = data.factor * data.squares / (data.scores - 1.0)
        assert found.precision[0] == pytest.approx((data.scores - 1.0) / data.squares)
        assert np.log(found.spread**2).mean() == pytest.approx(
            np.log(data.means.var() + noise.mean()), abs=0.13
        )
        assert np.log(found.nu - 1.0).mean() == pytest.approx(1.5, abs=0.06)
        assert np.log(found.nu - 1.0).max() < 3.0

    def test_sizes_grow_where_more_is_accepted_than_is_best(self) -> None:
        state = chains(0)
        state._walk_spread = lambda size: 0.9  # type: ignore[method-assign]
        state._walk_nu = lambda size: 0.1  # type: ignore[method-assign]
        state.step(adapt=0.5)
        assert state.sizes[[0, 3]] == pytest.approx(np.exp([0.5 * 0.46, 0.5 * -0.34]))


class TestLogPriorNu:
    @pytest.mark.parametrize("log_excess", [-3.0, 1.0, 4.5])
    def test_shape_and_rate_are_integrated_out(self, log_excess: float) -> None:
        excess, ranges = np.exp(log_excess), (*SHAPES, *RATES)
        due, _ = dblquad(lambda rate, shape: gamma.pdf(excess, shape, scale=1 / rate), *ranges)
        area = (SHAPES[1] - SHAPES[0]) * (RATES[1] - RATES[0])
        found = float(np.exp(log_prior_nu(np.array(log_excess))))
        assert found == pytest.approx(due / area * excess, rel=1e-5)

    def test_whole(self) -> None:
        grid = np.linspace(-30.0, 8.0, 20_001)
        assert np.trapezoid(np.exp(log_prior_nu(grid)), grid) == pytest.approx(1.0, abs=1e-4)
