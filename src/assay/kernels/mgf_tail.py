"""The tail of a sum of randomly signed sizes, by inverting its moment generating function.

With K(z) = sum of log cosh(z w) over the sizes w, and any c > 0,

    P(S >= s) = 1/(2 pi) * integral over t of exp(K(c + it) - (c + it) s) / (c + it),

where a lattice of gap g has g / (1 - exp(-g z)) in place of 1/z. On the line through the saddle
point the integrand is a smooth hump, so that some fifty points of the trapezoid rule give a
probability of 1e-40 as exactly as one of 0.4. The error is that of points left out.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from assay.core.arrays import ComplexArray, FloatArray

NODES = 2**15
"""Points of the integral before it is given up."""
FEW = 64
"""Distinct sizes, all repeated, up to which the integrand is searched for later humps."""

_PERIOD = 2**22  # points of a lattice that are looked at; a finer lattice is as good as none
NEGLIGIBLE = 36.0  # exp(-36) is 2e-16
_SERIES_RADIUS = 0.8  # log cosh converges up to pi/2; here 30 terms reach 1e-17
SERIES_TERMS = 30


@cache
def log_cosh_series() -> FloatArray:
    """What x^2, x^4, … are multiplied by in the series of log cosh x."""
    from assay.kernels.special import bernoulli  # the whole package is run for it

    even = 2 * np.arange(1, SERIES_TERMS + 1)
    numbers = bernoulli(2 * SERIES_TERMS)[even]
    return np.array(
        [
            2.0**k * (2.0**k - 1.0) * b / (k * math.factorial(k))
            for k, b in zip(even.tolist(), numbers, strict=True)
        ]
    )


def signed_sum_tail(
    sizes: FloatArray, s: float, step: float | None, *, counts: FloatArray | None = None
) -> tuple[float, float] | None:
    """The log of P(S >= s) and a bound on its relative error; None where it would take too many points.

    ``step`` is the common step of all sizes, if they have one; ``counts`` how often each is there.
    """
    gathered = _Sizes.of(sizes) if counts is None else _Sizes(values=sizes, counts=counts)
    if s < 0.0:  # P(S >= s) = 1 - P(S > -s), the next value of a lattice being 2 steps on
        other = _upper_tail(gathered, -s + (2.0 * step if step else 0.0), step)
        return other and (math.log1p(-math.exp(other[0])), other[1])
    return _upper_tail(gathered, s, step)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sizes:
    """Distinct sizes and how often each occurs."""

    values: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, sizes: FloatArray) -> "_Sizes":
        glimpse = sizes[:1000]
        if 2 * np.unique(glimpse).size > glimpse.size:  # hardly any repeat: sorting gains nothing
            return cls(values=sizes, counts=np.ones(sizes.size))
        values, counts = np.unique(sizes, return_counts=True)
        return cls(values=values, counts=counts.astype(np.float64))

    def total(self, of: FloatArray) -> Any:
        """The sum over all sizes of something had per distinct size (the last axis)."""
        return np.einsum("...i,i->...", of, self.counts)  # BLAS threads would only wait

    @property
    def sigma(self) -> float:
        return math.sqrt(self.total(self.values**2))

    @property
    def atoms(self) -> float:
        """Log of how many different sums there may be."""
        return float(np.log1p(self.counts).sum())

    def log_cosh(self, tilt: float) -> float:
        x = tilt * self.values
        return float(self.total(np.logaddexp(x, -x) - math.log(2.0)))

    def leaning(self, tilt: float) -> FloatArray:
        """Counts times 1 / cosh^2: what is left of each size's variance under the tilt."""
        return np.asarray(self.counts / np.cosh(np.minimum(tilt * self.values, 300.0)) ** 2)

    def saddle(self, s: float) -> float:
        """Roughly where K'(c) = s; Newton from the left never overshoots, and any c would do."""
        tilt = s / self.sigma**2
        for _ in range(6):
            lean = np.tanh(tilt * self.values)
            slope = self.total(self.values**2 * (1.0 - lean**2))
            if slope <= 0.0:
                break
            gain = (s - self.total(self.values * lean)) / slope
            tilt += gain
            if abs(gain) <= 1e-3 * tilt:
                break
        return float(tilt)


def _upper_tail(sizes: _Sizes, s: float, step: float | None) -> tuple[float, float] | None:
    tilt = max(sizes.saddle(s), 1.0 / sizes.sigma)
    base = sizes.log_cosh(tilt) - tilt * s
    log_p = base - math.log1p(tilt * sizes.sigma) - 1.0  # roughly, and rather below
    period = _period(sizes, s, tilt, log_p)
    gap = 2.0 * step if step else 0.0
    coarse = 0.0
    nodes: FloatArray | None
    if gap and period / gap > _PERIOD:
        gap, coarse = 0.0, gap * tilt
    if gap:
        period = gap * (2 * math.ceil(period / gap / 2.0) + 1)  # an odd number of points
        nodes = _lattice_nodes(sizes, tilt, 0.5 * gap, round(period / gap))
    else:
        # below the error of smoothing, see the end
        enough = min(NEGLIGIBLE, 0.5 * max(sizes.atoms + log_p, 0.0) + 5.0)
        nodes = _smooth_nodes(sizes, tilt, 2.0 * math.pi / period, enough)
    if nodes is None or nodes.size > NODES:
        return None
    t = 2.0 * math.pi / period * nodes
    z = tilt + 1j * t
    kernel = gap / -np.expm1(-gap * z) if gap else 1.0 / z
    terms = np.exp(_cumulants(sizes, tilt, t) - 1j * t * s) * kernel
    total = 2.0 * float(terms.real.sum()) - float(terms[0].real)
    if total <= 0.0:
        return None
    log_p = min(0.0, math.log(total / period) + base)
    # exp(atoms) sums, smoothed: of those near the edge about the square root falls on the wrong side
    grain = math.log(tilt / float(t[-1])) / 2.0 - (log_p + sizes.atoms) / 2.0 if not gap else -50.0
    return log_p, max(1e-12, math.exp(min(grain, 0.0)), coarse)


def _period(sizes: _Sizes, s: float, tilt: float, log_p: float) -> float:
    """The period whose copies of the tail, which the trapezoid rule adds, are below 1e-15 of it.

    The copy k periods away is added with weight exp(k tilt period).
    """
    sigma = sizes.sigma
    period = (NEGLIGIBLE - log_p) / tilt
    total = sizes.total(sizes.values)
    while s + period < total:  # copies above: Hoeffding's bound on P(S >= s + period)
        if tilt * period - 0.5 * ((s + period) / sigma) ** 2 <= log_p - NEGLIGIBLE:
            break
        period *= 1.25
    return period


def _decay(sizes: _Sizes, tilt: float, t: FloatArray) -> FloatArray:
    """-log |M(c + it) / M(c)|: |cosh(x + iy)|^2 = cosh^2 x - sin^2 y."""
    share = sizes.leaning(tilt) / sizes.counts
    decay = np.empty(t.size)
    block = max(1, 2**20 // sizes.values.size)
    for start in range(0, t.size, block):
        part = slice(start, start + block)
        lost = share * np.sin(np.outer(t[part], sizes.values)) ** 2
        decay[part] = -0.5 * sizes.total(np.log1p(-np.minimum(lost, 1.0 - 1e-16)))
    return decay


def _lattice_nodes(sizes: _Sizes, tilt: float, step: float, points: int) -> FloatArray:
    """All points of half a period at which the integrand is not negligible.

    The decay is at least a quarter of the sum of (1 - cos 2tw) / cosh^2 cw, and that sum is had for
    every point from one Fourier transform of the histogram of sizes.
    """
    place = np.rint(sizes.values / step).astype(np.int64) % points
    leaning = sizes.leaning(tilt)
    waves = np.fft.rfft(np.bincount(place, weights=leaning, minlength=points)).real
    held = np.flatnonzero(0.25 * (leaning.sum() - waves) < NEGLIGIBLE)
    return held.astype(np.float64)


def _smooth_nodes(sizes: _Sizes, tilt: float, spacing: float, enough: float) -> FloatArray | None:
    """The points of the first hump and, of few distinct sizes, of those that follow it."""
    reach = math.sqrt(2.0 * enough / float((sizes.leaning(tilt) * sizes.values**2).sum()))
    while float(_decay(sizes, tilt, np.array([reach]))[0]) < enough:
        reach *= 1.2
        if reach > NODES * spacing:
            return None
    first = np.arange(math.ceil(reach / spacing) + 1, dtype=np.float64)
    if sizes.values.size > min(FEW, float(sizes.counts.sum()) / 2.0):
        return first
    later = np.arange(first.size, NODES, dtype=np.float64)
    # the heaviest size alone rules most of them out: -log(1 - x) is at least x
    leaning = sizes.leaning(tilt)
    heaviest = int((leaning * sizes.values**2).argmax())
    alone = 0.5 * leaning[heaviest] * np.sin((spacing * sizes.values[heaviest]) * later) ** 2
    later = later[alone < enough]
    held = _decay(sizes, tilt, spacing * later) < enough
    return np.concatenate([first, later[held]])


def _cumulants(sizes: _Sizes, tilt: float, t: FloatArray) -> ComplexArray:
    """K(c + it) - K(c): by power sums for small sizes, term by term for the few large ones."""
    small = sizes.values * math.hypot(tilt, float(t[-1])) <= _SERIES_RADIUS
    if np.count_nonzero(small) < FEW:
        small[:] = False
    logs = np.zeros(t.size, dtype=np.complex128)
    if small.any():
        z = np.concatenate([[tilt + 0j], tilt + 1j * t])
        series = _series(sizes.values[small], sizes.counts[small], z)
        logs += series[1:] - series[0]
    values, counts = sizes.values[~small], sizes.counts[~small]
    lean, once = np.tanh(tilt * values), bool((counts == 1.0).all())
    block = max(1, 2**20 // max(1, values.size))
    for start in range(0, t.size, block):
        part = slice(start, start + block)
        angle = np.outer(t[part], values)
        waves = np.empty(angle.shape, dtype=np.complex128)
        np.cos(angle, out=waves.real)
        np.multiply(lean, np.sin(angle), out=waves.imag)
        with np.errstate(divide="ignore"):
            if once:  # one log of a product: whole turns, in which it differs, vanish later
                logs[part] += np.log(waves.prod(axis=1))
            else:
                logs[part] += np.einsum("ti,i->t", np.log(waves), counts)
    return logs


def _series(values: FloatArray, counts: FloatArray, z: ComplexArray) -> ComplexArray:
    """The sum of log cosh(z w) from the even power sums of the sizes."""
    unit = float(values.max())
    squares = (values / unit) ** 2
    power, sums = counts.copy(), np.empty(SERIES_TERMS)
    for place in range(SERIES_TERMS):
        power *= squares
        sums[place] = power.sum()
    reach = (z * unit) ** 2
    total = np.zeros_like(z)
    for coefficient in (log_cosh_series() * sums)[::-1].tolist():
        total = (total + coefficient) * reach
    return total
