"""Draws from the posterior of differences on many data sets, many chains at once.

The model of Corani, Benavoli, Demšar, Mangili and Zaffalon (2017):

    the mean of the n scores of data set i   ~ N(delta_i, sigma_i² factor)
    their sum of squares / sigma_i²          ~ chi²(n - 1)
    delta_i                                  ~ delta0 + sigma0 t(nu)
    delta0, sigma0, sigma_i flat             nu - 1 ~ Gamma(alpha, beta), alpha and beta uniform

A t is a normal whose precision is a gamma, so everything but sigma0 and nu can be drawn as it is.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.kernels.special import gammaln, stdtrit

SHAPES, RATES = (0.5, 5.0), (0.05, 0.15)
"""The ranges of alpha and beta in the paper."""

ACCEPTED = 0.44
"""The share of proposals in one dimension that is best accepted (Gelman, Roberts, Gilks 1996)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataSetSums:
    """What the scores say about each data set: they enter the model through nothing else."""

    means: FloatArray  # of the differences
    squares: FloatArray  # sums of squares about the mean, over 1 - rho; all above 0
    scores: int  # how many differences each data set has
    factor: float  # variance of a mean over that of a difference: (1 + (n - 1) rho) / n


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HierarchyDraws:
    """Draws of what the data sets have in common (rows iterations, columns chains)."""

    centre: FloatArray  # delta0
    spread: FloatArray  # sigma0
    nu: FloatArray
    shrunken: FloatArray  # the posterior mean of each delta_i


def sample_hierarchy(
    data: DataSetSums, rng: np.random.Generator, *, chains: int, warmup: int, draws: int
) -> HierarchyDraws:
    """Gibbs with Metropolis steps, whose sizes are fitted during ``warmup`` and then kept."""
    state = _Chains(data, rng, chains)
    for turn in range(warmup):
        state.step(adapt=1.0 / np.sqrt(1.0 + turn / 10.0))
    kept = np.empty((3, draws, chains))
    shrunken = np.zeros(data.means.size)
    for row in range(draws):
        state.step()
        kept[:, row] = state.centre, state.spread, state.nu
        shrunken += state.expected.mean(axis=0)
    return HierarchyDraws(
        centre=kept[0], spread=kept[1], nu=kept[2], shrunken=shrunken / max(draws, 1)
    )


class _Chains:
    """The state of all chains: rows chains, columns data sets."""

    def __init__(self, data: DataSetSums, rng: np.random.Generator, chains: int) -> None:
        shape = (chains, data.means.size)
        self.data, self.rng = data, rng
        self.precision = np.broadcast_to((data.scores - 1.0) / data.squares, shape)  # 1 / sigma_i²
        self.mixing = np.ones(shape)  # delta_i has the variance sigma0² / mixing
        noise = data.factor * data.squares / (data.scores - 1.0)
        self.spread = np.sqrt(data.means.var() + noise.mean()) * np.exp(rng.standard_normal(chains))
        self.nu = 1.0 + np.exp(3.0 * rng.random(chains))
        self.centre = np.zeros(chains)
        self.deltas = self.expected = np.zeros(shape)
        self.sizes = np.ones(4)

    def step(self, adapt: float = 0.0) -> None:
        """One round of all; ``adapt`` says how fast the sizes of the Metropolis steps may change."""
        accepted = [self._walk_spread(self.sizes[0])]
        self._draw_centre_and_deltas()
        accepted += [
            self._walk_spread_and_centre(self.sizes[1], moved="spread"),
            self._walk_spread_and_centre(self.sizes[2], moved="centre"),
            self._walk_nu(self.sizes[3]),
        ]
        self._draw_mixing_and_precision()
        self.sizes *= np.exp(adapt * (np.array(accepted) - ACCEPTED))

    def _walk_spread(self, size: float) -> float:
        """sigma0 given the scales alone: delta0 and the delta_i are integrated out."""
        proposal = self.spread * np.exp(size * self.rng.standard_normal(self.spread.size))
        taken = self._taken(self._log_spread(proposal) - self._log_spread(self.spread))
        self.spread = np.where(taken, proposal, self.spread)
        return float(taken.mean())

    def _log_spread(self, spread: FloatArray) -> FloatArray:
        variance = self.data.factor / self.precision + (spread**2)[:, None] / self.mixing
        weights = 1.0 / variance
        total = weights.sum(axis=1)
        away = self.data.means - ((weights * self.data.means).sum(axis=1) / total)[:, None]
        fit = np.log(variance).sum(axis=1) + np.log(total) + (weights * away**2).sum(axis=1)
        # a flat density of sigma0 is sigma0 itself on the log scale of the walk
        return np.asarray(np.log(spread) - fit / 2.0)

    def _draw_centre_and_deltas(self) -> None:
        noise = self.data.factor / self.precision
        prior = (self.spread**2)[:, None] / self.mixing
        weights = 1.0 / (noise + prior)
        total = weights.sum(axis=1)
        mean = (weights * self.data.means).sum(axis=1) / total
        self.centre = mean + self.rng.standard_normal(total.size) / np.sqrt(total)
        pull = noise * weights  # how far a mean is drawn towards the centre
        self.expected = self.data.means + pull * (self.centre[:, None] - self.data.means)
        self.deltas = self.expected + np.sqrt(pull * prior) * self.rng.standard_normal(pull.shape)

    def _walk_spread_and_centre(self, size: float, *, moved: Literal["spread", "centre"]) -> float:
        """sigma0 or delta0 given the delta_i: the mixing is integrated out.

        It alone would be slow where the delta_i are uncertain; the steps above are where they are
        not. Together they mix in either case.
        """
        step = size * self.rng.standard_normal(self.spread.size)
        spread = self.spread * np.exp(step) if moved == "spread" else self.spread
        centre = self.centre if moved == "spread" else self.centre + step * self.spread
        before = self._log_common(self.centre, self.spread, self.nu)
        taken = self._taken(self._log_common(centre, spread, self.nu) - before)
        self.spread = np.where(taken, spread, self.spread)
        self.centre = np.where(taken, centre, self.centre)
        return float(taken.mean())

    def _walk_nu(self, size: float) -> float:
        """Degrees of freedom given the delta_i, sigma0 going along so that the quartiles of delta_i stay."""
        nu = 1.0 + (self.nu - 1.0) * np.exp(size * self.rng.standard_normal(self.nu.size))
        spread = self.spread * stdtrit(self.nu, 0.75) / stdtrit(nu, 0.75)
        before = self._log_common(self.centre, self.spread, self.nu)
        taken = self._taken(self._log_common(self.centre, spread, nu) - before)
        self.nu = np.where(taken, nu, self.nu)
        self.spread = np.where(taken, spread, self.spread)
        return float(taken.mean())

    def _log_common(self, centre: FloatArray, spread: FloatArray, nu: FloatArray) -> FloatArray:
        """The log density of delta0, log sigma0 and log(nu - 1) given the delta_i."""
        q = self.deltas.shape[1]
        with np.errstate(over="ignore"):  # infinitely far: a step that is never taken
            squares = ((self.deltas - centre[:, None]) / spread[:, None]) ** 2
        scale = gammaln((nu + 1.0) / 2.0) - gammaln(nu / 2.0) - np.log(nu) / 2.0
        fit = (nu + 1.0) / 2.0 * np.log1p(squares / nu[:, None]).sum(axis=1)
        prior = log_prior_nu(np.log(nu - 1.0))
        return np.asarray(q * scale - fit + prior - (q - 1.0) * np.log(spread))

    def _draw_mixing_and_precision(self) -> None:
        away = (self.deltas - self.centre[:, None]) / self.spread[:, None]
        nu = self.nu[:, None]
        shape = np.broadcast_to((nu + 1.0) / 2.0, away.shape)
        self.mixing = self.rng.standard_gamma(shape) / ((nu + away**2) / 2.0)
        miss = (self.data.means - self.deltas) ** 2 / self.data.factor
        gammas = self.rng.standard_gamma((self.data.scores - 1.0) / 2.0, size=miss.shape)
        self.precision = gammas / ((self.data.squares + miss) / 2.0)

    def _taken(self, gain: FloatArray) -> BoolArray:
        """Metropolis: a proposal is taken with probability exp(gain)."""
        return np.asarray(-self.rng.standard_exponential(gain.size) < gain)


def log_prior_nu(log_excess: FloatArray) -> FloatArray:
    """The log prior density of log(nu - 1), alpha and beta integrated out; interpolated."""
    grid, heights = _prior_table()
    return np.asarray(np.interp(log_excess, grid, heights))


@lru_cache(maxsize=1)
def _prior_table() -> tuple[FloatArray, FloatArray]:
    grid = np.linspace(-30.0, 8.0, 3801)
    nodes, weights = np.polynomial.legendre.leggauss(24)
    alpha = SHAPES[0] + (SHAPES[1] - SHAPES[0]) * (nodes + 1.0) / 2.0
    beta = RATES[0] + (RATES[1] - RATES[0]) * (nodes + 1.0) / 2.0
    shape, rate = (each.ravel() for each in np.meshgrid(alpha, beta))
    logs = shape * np.log(rate) - gammaln(shape) + shape * grid[:, None]
    logs -= rate * np.exp(grid)[:, None]
    top = logs.max(axis=1, keepdims=True)
    mass = (np.exp(logs - top) * np.outer(weights, weights).ravel()).sum(axis=1) / 4.0
    return grid, np.asarray(np.log(mass) + top[:, 0])
