"""The mean of n draws with replacement: its whole law, which is the bootstrap of a mean for B = ∞.

A draw from values x has the characteristic function φ(t), the mean of exp(itx), and the sum S of n
draws has φ(t)^n. Davies' (1973) form of the inversion formula, at t_k = (k + 1/2)Δ,

    P(S ≤ s) = 1/2 − Σ_k Im(φ(t_k)^n exp(−i t_k s)) / (π (k + 1/2)),

errs by no more than the probability of S being 2π/Δ away from s, and by the terms left out.
Values on a lattice (0/1 losses, ratings) have the law of S by one Fourier transform instead.
Several groups, each with draws of its own (strata, two samples), multiply their functions.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import ComplexArray, FloatArray
from assay.kernels.cumulants import (
    NEGLIGIBLE,
    REACH,
    Cumulants,
    Draws,
    bernstein_ends,
    log_upper_tail,
)

How = Literal["lattice", "inversion"]

NODES = 2**14
"""Points of the inversion before it is given up: one value that dwarfs all others asks for more."""
WORK = 2**22
"""Points times bins before it is given up."""
LATTICE = 2**16
"""Lattice points held at most; a finer lattice is smooth but for half a step either way."""
GRAIN = 1e-6
"""The largest probability of a single sample that may be smoothed over: 17 different values."""
FEW = 64
"""So few different values, repeated and on no lattice, make sums that cluster: no smooth law."""
SHORT = 16
"""Neighbouring places up to which the transform of a histogram is had term by term."""
FAR = 1e-8
"""Tails below this come from the saddle point, whose relative error is about 1/n."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanDraws:
    """The law of a mean of draws, or of a sum over groups of draws."""

    mean: float
    sigma: float
    how: How
    error: float
    """No probability is off by more than this, as far as can be told."""
    step: float
    """The distance of neighbouring outcomes; 0 for a smooth law."""
    start: float
    spacing: float
    """The first outcome and the distance of the next; of a smooth law, the points of a grid."""
    below: FloatArray
    """P(mean ≤ outcome) for each; of a smooth law, sums that integrate functions of it."""
    waves: tuple[FloatArray, ComplexArray] | None
    """Of a smooth law, the points t_k and φ there, in units of sigma."""
    draws: tuple[Draws, ...]

    def at_most(self, x: float) -> float:
        """P(mean ≤ x)."""
        return self._tail(x, upper=False)

    def at_least(self, x: float) -> float:
        """P(mean ≥ x)."""
        return self._tail(x, upper=True)

    def log_tail(self, x: float, *, upper: bool) -> float:
        """The log of P(mean ≥ x) or of P(mean ≤ x); −inf where no draws lead there."""
        found = self._tail(x, upper=upper)
        if found > FAR:
            return math.log(min(found, 1.0))
        draws = self.draws if upper else tuple(one.mirrored() for one in self.draws)
        return log_upper_tail(draws, (x - self.mean) * (1.0 if upper else -1.0), self.step)

    def low(self, tail: float) -> float:
        """The smallest outcome that, with all below it, has more than ``tail`` of probability."""
        return self._limit(tail, upper=False)

    def high(self, tail: float) -> float:
        """The largest outcome that, with all above it, has more than ``tail`` of probability."""
        return self._limit(tail, upper=True)

    def moments(self, change: Callable[[FloatArray], Any] | None = None) -> tuple[float, float]:
        """Mean and standard deviation of a function of the mean, or of the mean itself."""
        if change is None:
            return self.mean, self.sigma
        low = self.mean + sum(one.n * one.low for one in self.draws)
        high = self.mean + sum(one.n * one.high for one in self.draws)
        places = np.clip(self.start + self.spacing * np.arange(self.below.size), low, high)
        masses = np.diff(self.below, prepend=0.0)
        values = np.asarray(change(places), dtype=np.float64)
        mean = float((values * masses).sum())
        return mean, math.sqrt(max(0.0, float(((values - mean) ** 2 * masses).sum())))

    @property
    def log_least(self) -> float:
        """The log of the probability of one value drawn every time: nothing is rarer."""
        return -sum(one.n * math.log(one.n) for one in self.draws)

    def skewness(self) -> tuple[float, float]:
        """Sums over all values of the second and third powers of their distances from the mean."""
        sums = [0.0, 0.0]
        for one in self.draws:
            counts = 1.0 if one.counts is None else one.counts
            squares = one.values**2
            sums[0] += float((counts * squares).sum())
            sums[1] += float((counts * squares * one.values).sum())
        return sums[0], sums[1]

    def _tail(self, x: float, *, upper: bool) -> float:
        if self.waves is not None:
            half_step = 0.5 * self.step * (-1.0 if upper else 1.0)
            below = self._law((x + half_step - self.mean) / self.sigma)[0]
            return min(1.0, max(0.0, 1.0 - below if upper else below))
        place = (x - self.start) / self.step
        left = math.ceil(place - 1e-6) if upper else math.floor(place + 1e-6) + 1
        share = float(self.below[min(left, self.below.size) - 1]) if left > 0 else 0.0
        return 1.0 - share if upper else share

    def _limit(self, tail: float, *, upper: bool) -> float:
        least = tail * (1.0 + 1e-12)
        if upper:
            found = int(self.below.searchsorted(1.0 - least))
        else:
            found = int(self.below.searchsorted(least, side="right"))
        place = self.start + self.spacing * min(found, self.below.size - 1)
        if self.waves is None:
            return place
        target = 1.0 - tail if upper else tail
        near, width = (place - self.mean) / self.sigma, self.spacing / self.sigma
        return self.mean + self.sigma * self._root(target, near, 4.0 * width)

    def _root(self, target: float, near: float, width: float) -> float:
        """Where the law reaches ``target``: Newton's steps inside a bracket that they shrink."""
        low, high, s = near - width, near + width, near
        for _ in range(60):
            below, density = self._law(s)
            low, high = (s, high) if below < target else (low, s)
            step = (target - below) / density if density > 0.0 else math.inf
            better = s + step if low < s + step < high else 0.5 * (low + high)
            if abs(better - s) <= 1e-13:
                return better
            s = better
        return s

    def _law(self, s: float) -> tuple[float, float]:
        """P(S ≤ s) and the density there, in standard units."""
        first = (self.start - self.mean) / self.sigma
        last = first + self.spacing * (self.below.size - 1) / self.sigma
        if self.waves is None or not first < s < last:  # beyond, the law would repeat itself
            return float(s > 0.0), 0.0
        t, waves = self.waves
        terms = waves * np.exp(-1j * t * s)
        spacing = 2.0 * float(t[0])
        below = 0.5 - float((terms.imag / t).sum()) * spacing / math.pi
        return below, float(terms.real.sum()) * spacing / math.pi


def mean_draws(
    values: FloatArray, counts: NDArray[Any] | None = None, *, strata: NDArray[Any] | None = None
) -> MeanDraws | None:
    """The law of the mean of as many draws as there are values; None where drawing is better.

    ``counts`` says how often each value is there; with ``strata`` each keeps its number of draws.
    """
    total = float(values.size if counts is None else counts.sum())
    shares = values / total
    if strata is None:
        return sum_of_draws([Draws.of(shares, counts)])
    members = [np.flatnonzero(strata == one) for one in np.unique(strata)]
    return sum_of_draws(
        [Draws.of(shares[m], None if counts is None else counts[m]) for m in members]
    )


def sum_of_draws(draws: Sequence[Draws]) -> MeanDraws | None:
    """The law of the sum of all draws of all groups; None where drawing is the better way."""
    sigma = math.sqrt(sum(one.n * one.variance for one in draws))
    mean = sum(one.n * one.centre for one in draws)
    if not (math.isfinite(sigma) and sigma > 1e-12 * max(one.n * abs(one.centre) for one in draws)):
        return None
    varying = tuple(one for one in draws if one.variance > 0.0)
    steps = [one.step() for one in varying]
    shared = steps[0] if all(one is not None for one in steps) else None
    if shared is not None and any(abs(one - shared) > 1e-9 * shared for one in steps if one):
        return None  # lattices that do not fit together: neither a lattice nor smooth
    if shared is not None:
        varying = tuple(one.gathered(shared) for one in varying)
        ends = bernstein_ends(varying, sigma)
        if (ends[0] + ends[1]) * sigma / shared <= LATTICE:
            return _on_lattice(varying, mean, sigma, ends, shared)
    cumulants = Cumulants.of(varying, sigma, REACH)
    ends = cumulants.ends()
    if shared is not None and (ends[0] + ends[1]) * sigma / shared <= LATTICE:
        return _on_lattice(varying, mean, sigma, ends, shared)
    log_grain = sum(one.log_grain() for one in varying)
    if shared is None and (log_grain > math.log(GRAIN) or any(one.few(FEW) for one in varying)):
        return None
    waves = _waves(varying, sigma, cumulants, ends)
    if waves is None:
        return None
    spacing, masses = _grid(*waves, ends)
    return MeanDraws(
        mean=mean,
        sigma=sigma,
        how="inversion",
        # a fine lattice is off by a 24th of its squared step times the slope of the density, < 1/4
        error=max(1e-12, math.exp(log_grain), ((shared or 0.0) / sigma) ** 2 / 96.0),
        step=shared or 0.0,
        start=mean - sigma * ends[0],
        spacing=sigma * spacing,
        below=_summed(masses),
        waves=waves,
        draws=varying,
    )


def _waves(
    draws: Sequence[Draws], sigma: float, cumulants: Cumulants, ends: tuple[float, float]
) -> tuple[FloatArray, ComplexArray] | None:
    """φ at the points of the inversion, as far as it matters; None where that is too far."""
    spacing = 2.0 * math.pi / (ends[0] + ends[1])
    reach = REACH
    while True:
        t = spacing * (np.arange(math.ceil(reach / spacing), dtype=np.float64) + 0.5)
        if t.size > NODES or t.size * cumulants.width > WORK:
            return None
        logs = cumulants(np.asarray(1j * t))
        small = np.flatnonzero(logs.real > -NEGLIGIBLE)
        if small.size and small[-1] < t.size - 1:
            kept = slice(0, int(small[-1]) + 1)
            return t[kept], np.exp(logs[kept])
        reach *= 1.5
        cumulants = Cumulants.of(draws, sigma, reach)


def _grid(
    t: FloatArray, waves: ComplexArray, ends: tuple[float, float]
) -> tuple[float, FloatArray]:
    """The spacing of a grid over one period and the density there: exact for smooth functions."""
    size = 2 ** math.ceil(math.log2(4 * t.size + 4))
    spacing = (ends[0] + ends[1]) / size
    steps = np.arange(size)
    sums = np.fft.fft(waves * np.exp(1j * t * ends[0]), size)
    return spacing, (sums * np.exp(-1j * float(t[0]) * spacing * steps)).real


def _on_lattice(
    draws: Sequence[Draws], mean: float, sigma: float, ends: tuple[float, float], step: float
) -> MeanDraws:
    """All outcomes with their probabilities, by one transform of the histogram of each group.

    Outcomes more than a period away fall on others: they have a probability below exp(-34).
    """
    base = sum(one.n * one.low for one in draws)  # of the centred sum
    highest = sum(one.n * one.high for one in draws)
    first = max(0, math.floor((-ends[0] * sigma - base) / step))
    last = min(round((highest - base) / step), math.ceil((ends[1] * sigma - base) / step))
    size = _fast_size(last - first + 2)
    held = [(one.n, np.bincount(one.places(step) % size, one.counts) / one.n) for one in draws]
    masses, start = np.fft.irfft(_transform(held, size), size), first % size
    masses = np.concatenate([masses[start:], masses[:start]])[: last + 1 - first]
    return MeanDraws(
        mean=mean,
        sigma=sigma,
        how="lattice",
        error=max(1e-12, 1e-15 * sum(one.n for one in draws)),
        step=step,
        start=mean + base + step * first,
        spacing=step,
        below=_summed(masses),
        waves=None,
        draws=tuple(draws),
    )


def _transform(held: list[tuple[float, FloatArray]], size: int) -> ComplexArray:
    """The transform of the sum of n draws from each histogram, up to where it has died out.

    Neighbours damp it: |φ(t)|² ≤ 1 − 4 sin²(t/2) Σ p_k p_(k+1), so that few frequencies are left.
    """
    short = all(p.size <= SHORT for _, p in held)
    damping = sum(n * float((p[1:] * p[:-1]).sum()) for n, p in held) if short else 0.0
    if damping > NEGLIGIBLE:
        last = math.ceil(size / math.pi * math.asin(math.sqrt(NEGLIGIBLE / damping)))
        turns = np.exp(-2j * math.pi / size * np.arange(last + 1))
        return reduce(np.multiply, [_polynomial(p, turns) ** n for n, p in held])
    found = [(n, np.fft.rfft(p, size)) for n, p in held]
    loud = [np.abs(wave) > math.exp(-2.0 * NEGLIGIBLE / n) for n, wave in found]
    heard = np.flatnonzero(reduce(np.logical_and, loud))
    waves = np.zeros(size // 2 + 1, dtype=np.complex128)
    waves[heard] = reduce(np.multiply, [wave[heard] ** n for n, wave in found])
    return waves


def _polynomial(coefficients: FloatArray, at: ComplexArray) -> ComplexArray:
    return reduce(lambda value, one: value * at + one, coefficients[::-1].tolist(), 0.0 * at)


def _fast_size(least: int) -> int:
    """A power of 2 or three quarters of one: sizes at which transforms are fast."""
    size = 1 << (least - 1).bit_length()
    return size if 3 * size // 4 < least else 3 * size // 4


def _summed(masses: FloatArray) -> FloatArray:
    """Running sums of masses, rounding below 0 left out, that end in 1."""
    sums = np.cumsum(np.maximum(masses, 0.0))
    sums /= sums[-1]
    return sums
