"""Draws with replacement from values: the cumulant function of their sum, and its far tails."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ComplexArray, FloatArray, IntArray
from assay.kernels.integer_sums import lattice_step
from assay.kernels.special import gammaln, log_ndtr

REACH = 8.7
"""Where the characteristic function of a normal sum, in standard units, has died out."""
NEGLIGIBLE = 34.0
"""exp(-34) is 2e-15."""

_TILTS = np.linspace(0.5, 1.0, 24) * REACH  # of Chernoff's bound: the best is kept
_BLOCK = 2**14  # values handled at a time: they stay in the cache
_ONE_SERIES = 2.0  # radians that one power series covers without losing digits
_HALF_BIN = 0.5
_SAME = 1e-13  # values as close as this, beside the largest, are the same


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """As many draws as there are values, which are held less their mean."""

    values: FloatArray
    counts: FloatArray | None
    """How often each value is there; None: once each."""
    n: float
    centre: float
    variance: float
    low: float
    high: float
    """The smallest and the largest value."""

    @classmethod
    def of(cls, values: FloatArray, counts: NDArray[Any] | None = None) -> "Draws":
        """Values as they are; ``counts`` of 0 are allowed."""
        weights = None if counts is None else np.asarray(counts, dtype=np.float64)
        if weights is not None and not weights.all():
            values, weights = values[weights > 0.0], weights[weights > 0.0]
        n = float(values.size if weights is None else weights.sum())
        centre = _mean(values, weights, n)
        centred = values - centre
        rest = _mean(centred, weights, n)  # what rounding left
        centred -= rest
        return cls(
            values=centred,
            counts=weights,
            n=n,
            centre=centre + rest,
            variance=_mean(centred * centred, weights, n),
            low=float(centred.min()),
            high=float(centred.max()),
        )

    def mirrored(self) -> "Draws":
        return replace(
            self, values=-self.values, centre=-self.centre, low=-self.high, high=-self.low
        )

    def step(self) -> float | None:
        """The common step of all distances between values."""
        return lattice_step(self.values - self.low)

    def places(self, step: float) -> IntArray:
        """Each value as a number of steps from the lowest."""
        return np.rint((self.values - self.low) / step).astype(np.int64)

    def gathered(self, step: float) -> "Draws":
        """The same with each value of the lattice once, where that makes it shorter."""
        if round((self.high - self.low) / step) + 1 >= self.values.size:
            return self
        counts = np.bincount(self.places(step), self.counts)
        held = np.flatnonzero(counts)
        values = self.low + step * held.astype(np.float64)
        return replace(self, values=values, counts=counts[held].astype(np.float64))

    def log_grain(self) -> float:
        """The log of the probability of the likeliest sample, each value as often as it is there."""
        counts = np.ones(1) if self.counts is None else self.counts
        times = self.n if self.counts is None else 1.0
        spread = float((counts * np.log(counts) - gammaln(counts + 1.0)).sum()) * times
        return float(gammaln(self.n + 1.0)) - self.n * math.log(self.n) + spread

    def few(self, most: int) -> bool:
        """Whether up to ``most`` different values make up all of more than twice as many."""
        if self.counts is not None:
            return self.counts.size <= most and self.n > 2 * self.counts.size
        glimpse = np.unique(self.values[: 16 * most]).size
        return glimpse <= most and self.n > 2 * glimpse and np.unique(self.values).size <= most

    def tilted(self, tilt: float) -> tuple[float, float, float]:
        """The log of E exp(tilt x), and mean and variance under that tilt."""
        shift = max(tilt * self.low, tilt * self.high)
        masses = np.exp(tilt * self.values - shift)
        if self.counts is not None:
            masses *= self.counts
        total = float(masses.sum())
        masses /= total
        mean = float((masses * self.values).sum())
        variance = float((masses * (self.values - mean) ** 2).sum())
        return math.log(total / self.n) + shift, mean, variance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cumulants:
    """The log of E exp(zS) of the sum S of all draws of all groups, in standard units.

    Each group is cut into bins no wider than a radian at the largest |z| asked for, and within a bin
    exp is a power series, so that its mean needs the power sums of the bin only.
    """

    groups: tuple[tuple[float, FloatArray, FloatArray], ...]
    """Number of draws, centres of the bins, and power sums over factorials (bins, powers)."""

    @classmethod
    def of(cls, draws: Sequence[Draws], sigma: float, reach: float) -> "Cumulants":
        return cls(groups=tuple((one.n, *_power_sums(one, sigma, reach)) for one in draws))

    def __call__(self, z: ComplexArray) -> ComplexArray:
        logs = np.zeros(z.shape, dtype=np.complex128)
        for n, centres, sums in self.groups:
            series = np.zeros((z.size, centres.size), dtype=np.complex128)
            for column in sums.T[:0:-1]:
                series = (series + column) * z[:, None]
            turned = np.expm1(z[:, None] * centres)
            # the mean of exp(zx) less 1, without the cancellation that 1 would bring
            excess = (turned * (series + sums[:, 0]) + series).sum(axis=1)
            logs += n * np.log1p(excess)
        return logs

    @property
    def width(self) -> int:
        """Bins in all: the work of one point."""
        return sum(centres.size for _, centres, _ in self.groups)

    def ends(self) -> tuple[float, float]:
        """Distances below and above the mean, in standard units, that less than exp(-34) exceeds."""
        logs = self(np.append(-_TILTS, _TILTS).astype(np.complex128)).real + NEGLIGIBLE
        left, right = logs[: _TILTS.size] / _TILTS, logs[_TILTS.size :] / _TILTS
        return float(left.min()), float(right.min())


def bernstein_ends(draws: Sequence[Draws], sigma: float) -> tuple[float, float]:
    """The same by Bernstein's (1927) inequality: wider, and without looking at every value."""
    reaches = max(-one.low for one in draws), max(one.high for one in draws)
    thirds = [NEGLIGIBLE * reach / (3.0 * sigma) for reach in reaches]
    below, above = (third + math.sqrt(third * third + 2.0 * NEGLIGIBLE) for third in thirds)
    return below, above


def log_upper_tail(draws: Sequence[Draws], s: float, step: float) -> float:
    """The log of P(sum of centred draws ≥ s), by the saddle point (Lugannani and Rice 1980).

    ``step`` is that of the lattice of sums, 0 where there is none. −inf where no draws reach s.
    """
    top = sum(one.n * one.high for one in draws)
    slack = 1e-9 * (step or abs(top))
    if s > top + slack:
        return -math.inf
    if s >= top - slack:
        return sum(_log_all_at_top(one) for one in draws)
    tilt = _saddle(draws, s)
    facts = [(one.n, *one.tilted(tilt)) for one in draws]
    log_moment = sum(n * log for n, log, _, _ in facts)
    spread = math.sqrt(sum(n * variance for n, _, _, variance in facts))
    root = math.sqrt(max(2.0 * (tilt * s - log_moment), 0.0))
    slope = -math.expm1(-tilt * step) / step if step else tilt
    if root < 1e-3 or spread == 0.0:
        return float(log_ndtr(-root))
    log_density = -0.5 * root * root - 0.5 * math.log(2.0 * math.pi)
    mills = math.exp(log_density - float(log_ndtr(-root)))
    correction = mills * (1.0 / (slope * spread) - 1.0 / root)
    return min(0.0, float(log_ndtr(-root)) + math.log1p(max(correction, -0.999)))


def _saddle(draws: Sequence[Draws], s: float) -> float:
    """The tilt under which the expected sum is s; the expectation grows with the tilt."""
    variance = sum(one.n * one.variance for one in draws)
    low, high = 0.0, s / variance
    tilt = high
    for _ in range(100):
        facts = [(one.n, *one.tilted(tilt)) for one in draws]
        gap = sum(n * mean for n, _, mean, _ in facts) - s
        slope = sum(n * var for n, _, _, var in facts)
        if abs(gap) <= 1e-10 * s:
            break
        if gap < 0.0:
            low, high = tilt, max(high, 2.0 * tilt)
        else:
            high = tilt
        newton = tilt - gap / slope if slope > 0.0 else math.inf
        tilt = newton if low < newton < high else 0.5 * (low + high)
    return tilt


def _log_all_at_top(one: Draws) -> float:
    at_top = one.values >= one.high - _SAME * max(-one.low, one.high)
    share = float(np.count_nonzero(at_top) if one.counts is None else one.counts[at_top].sum())
    return one.n * math.log(share / one.n)


def _mean(values: FloatArray, weights: FloatArray | None, n: float) -> float:
    return float((values if weights is None else values * weights).sum()) / n


def _power_sums(one: Draws, sigma: float, reach: float) -> tuple[FloatArray, FloatArray]:
    """Centres of the bins that are not empty, and Σ w (x − centre)^p / p! for every power p.

    The first bin holds all values near the mean; the few far ones have narrow bins of their own.
    """
    values, counts = one.values, one.counts
    low, high = one.low / sigma, one.high / sigma
    edge = min(_ONE_SERIES / reach, max(-low, high))
    order = _order(max(reach * edge, _HALF_BIN))
    centres, far = np.empty(0), np.empty((order + 1, 0))
    if edge < max(-low, high):
        near = np.abs(values) <= edge * sigma
        beyond = np.flatnonzero(~near)
        weights = np.ones(beyond.size) if counts is None else counts[beyond]
        width = 2.0 * _HALF_BIN / reach
        centres, far = _binned_powers(values[beyond] / sigma, weights, order, width)
        values, counts = values[near], None if counts is None else counts[near]
    sums = np.zeros(order + 1)
    for start in range(0, values.size, _BLOCK):
        part = values[start : start + _BLOCK] / sigma
        power = np.ones(part.size) if counts is None else counts[start : start + _BLOCK].copy()
        for place in range(order + 1):
            sums[place] += power.sum()
            power *= part
    factorials = np.cumprod(np.append(1.0, np.arange(1.0, order + 1.0)))
    joined = np.column_stack([sums, far]) / (one.n * factorials[:, None])
    return np.append(0.0, centres), joined.T


def _binned_powers(
    values: FloatArray, weights: FloatArray, order: int, width: float
) -> tuple[FloatArray, FloatArray]:
    """Centres of the bins that hold a value, and the power sums about them."""
    low = float(values.min())
    filled, bin_of = np.unique(((values - low) / width).astype(np.int64), return_inverse=True)
    centres = low + width * (filled.astype(np.float64) + 0.5)
    rest, power = values - centres[bin_of], weights
    sums = np.empty((order + 1, filled.size))
    for place in range(order + 1):
        sums[place] = np.bincount(bin_of, weights=power, minlength=filled.size)
        power = power * rest
    return centres, sums


def _order(angle: float) -> int:
    """The power up to which the series of exp is exact to rounding within ``angle``."""
    order, term = 2, angle * angle / 2.0
    while term > 1e-18 and order < 40:
        order += 1
        term *= angle / order
    return order
