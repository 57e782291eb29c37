"""Sign flips of many differences: one pass over them serves the p-value and both limits.

The sum S of the differences d − shift with random signs has the cumulants Σ log cosh(z(d − shift)),
a power series in the power sums of d; those of shifted differences follow from them by the binomial
theorem. Tails come from the line through the saddle point, as in `inversion`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.vocabulary import Alternative
from assay.kernels.integer_sums import lattice_step
from assay.kernels.mgf_tail import NEGLIGIBLE, SERIES_TERMS, log_cosh_series, signed_sum_tail
from assay.kernels.sign_flip_distribution import (
    FlipTest,
    How,
    TailProbability,
    exact_flips,
    flip_tail,
    log_coins,
    smooth_root,
)
from assay.kernels.special import binom, ndtri
from assay.kernels.tails import two_tails

LARGE = 1000
"""Differences from which the law is as good as smooth; twice as many where they take few values."""
FEW = 64
"""Different values up to which each is looked at with its number instead of all differences."""

_BLOCK = 2**14  # differences handled at a time: they stay in the cache
_EDGE = 0.6  # radians up to which log cosh is summed as a series
_FAR = 4000  # differences beyond that, each looked at by itself
_TILT = 12.0  # standard units that the limits of any usual level need
_COARSE = 0.02  # steps of a lattice, in standard units, that a smooth law cannot stand for


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Law:
    """Power sums of differences, and the few that are too far out for the series."""

    n: int
    total: float
    squares: float
    unit: float
    sums: FloatArray
    """Σ (d/unit)^j for j = 0, 1, …, 2 terms, far ones left out."""
    far: FloatArray
    reach: float
    """The largest |z| at which the series holds."""

    @classmethod
    def of(cls, differences: FloatArray, reach: float) -> "_Law | None":
        """The law for |z| up to ``reach`` in standard units; None where too much is far out."""
        squares = float((differences**2).sum())
        sigma = math.sqrt(squares)
        reach = reach / sigma
        near = differences
        far = np.empty(0)
        # shifts stay within a few standard errors, sigma/n each, of the mean
        room = abs(float(differences.sum())) / differences.size + 12.0 * sigma / differences.size
        edge = _EDGE / reach - room
        if edge <= 0.0:
            return None
        if max(-float(differences.min()), float(differences.max())) > edge:
            inside = np.abs(differences) <= edge
            near, far = differences[inside], differences[~inside]
            if far.size > _FAR:
                return None
        unit = max(float(np.abs(near).max(initial=0.0)), 1e-300)
        angle = reach * (unit + room) * 2.0 / math.pi
        terms = min(SERIES_TERMS, math.ceil(-20.0 / math.log(angle)) + 1)
        sums = np.zeros(2 * terms + 1)
        for start in range(0, near.size, _BLOCK):
            part = near[start : start + _BLOCK] / unit
            power = np.ones(part.size)
            for place in range(sums.size):
                sums[place] += power.sum()
                power *= part
        return cls(
            n=differences.size,
            total=float(differences.sum()),
            squares=squares,
            unit=unit,
            sums=sums,
            far=far,
            reach=reach,
        )

    def log_tail(self, shift: float, *, upper: bool, step: float) -> float | None:
        """The log of P(S ≥ Σ (d − shift)), or of P(S ≤ …); None where it is out of reach."""
        s = (self.total - self.n * shift) * (1.0 if upper else -1.0)
        cumulants = self._shifted(shift)
        if s >= 0.0:
            return cumulants.log_upper_tail(s, step, self.reach)
        other = cumulants.log_upper_tail(-s + 2.0 * step, step, self.reach)
        return None if other is None else math.log1p(-math.exp(min(other, -1e-12)))

    def _shifted(self, shift: float) -> "_Cumulants":
        terms = (self.sums.size - 1) // 2
        by, series = -shift / self.unit, log_cosh_series()
        powers = by ** np.arange(self.sums.size)
        coefficients = np.empty(terms)
        for k in range(1, terms + 1):
            wide = slice(0, 2 * k + 1)
            moment = float(
                (binom(2 * k, np.arange(2 * k + 1)) * self.sums[wide]) @ powers[wide][::-1]
            )
            coefficients[k - 1] = series[k - 1] * moment * self.unit ** (2 * k)
        return _Cumulants(coefficients=coefficients, far=np.abs(self.far - shift))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cumulants:
    """K(z) = Σ c_k z^(2k) + Σ log cosh(z far)."""

    coefficients: FloatArray
    far: FloatArray

    def real(self, c: float) -> tuple[float, float, float]:
        """K, K' and K'' at a real point."""
        even = 2.0 * np.arange(1, self.coefficients.size + 1)
        terms = self.coefficients * c**even
        x = c * self.far
        lean = np.tanh(x)
        value = float(terms.sum()) + float((np.logaddexp(x, -x) - math.log(2.0)).sum())
        slope = float((even * terms).sum()) / c + float((self.far * lean).sum())
        bend = float((even * (even - 1.0) * terms).sum()) / c**2
        return value, slope, bend + float((self.far**2 * (1.0 - lean**2)).sum())

    def along(self, c: float, t: FloatArray) -> NDArray[np.complex128]:
        """K(c + it) − K(c)."""
        square = np.append(c, c + 1j * t) ** 2
        logs = np.zeros(square.size, dtype=np.complex128)
        for coefficient in self.coefficients[::-1].tolist():
            logs = (logs + coefficient) * square
        found = logs[1:] - logs[0]
        if self.far.size:
            lean = np.tanh(c * self.far)
            angle = np.outer(t, self.far)
            waves = np.empty(angle.shape, dtype=np.complex128)
            np.cos(angle, out=waves.real)
            np.multiply(lean, np.sin(angle), out=waves.imag)
            # one log of a product: whole turns, in which it differs from a sum of logs, vanish later
            with np.errstate(divide="ignore"):
                found += np.log(waves.prod(axis=1))
        return np.asarray(found)

    def log_upper_tail(self, s: float, step: float, reach: float) -> float | None:
        """The log of P(S ≥ s), s ≥ 0, S on a lattice of two steps where there is a step."""
        sigma = math.sqrt(2.0 * float(self.coefficients[0]) + float((self.far**2).sum()))
        c = s / sigma**2
        for _ in range(20):
            if not c < reach:
                return None
            if c <= 0.0:
                break
            _, slope, bend = self.real(c)
            gain = (s - slope) / bend
            c += gain
            if abs(gain) <= 1e-6 * c:
                break
        c = max(c, 1.0 / sigma)
        value, _, bend = self.real(c)
        base = value - c * s
        log_p = base - math.log1p(c * sigma) - 1.0
        spacing = 2.0 * math.pi * c / (NEGLIGIBLE - log_p)
        end = math.sqrt(2.0 * NEGLIGIBLE / bend)
        while True:
            if math.hypot(c, end) > reach:
                return None
            t = spacing * np.arange(math.ceil(end / spacing) + 1.0)
            logs = self.along(c, t)
            if logs[-1].real < -NEGLIGIBLE + 4.0:
                break
            end *= 1.25
        z = c + 1j * t
        kernel = 2.0 * step / -np.expm1(-2.0 * step * z) if step else 1.0 / z
        terms = (np.exp(logs - 1j * t * s) * kernel).real
        total = (2.0 * float(terms.sum()) - float(terms[0])) * spacing / (2.0 * math.pi)
        return min(0.0, math.log(total) + base) if total > 0.0 else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counted:
    """Few different values with their numbers: every one has its own cosine."""

    values: FloatArray
    counts: FloatArray

    @property
    def coins(self) -> bool:
        """Whether all that are not 0 are of one size."""
        return np.unique(np.abs(self.values[self.values != 0.0])).size == 1

    def log_tail(self, shift: float, *, upper: bool, step: float) -> float | None:
        shifted = (self.values - shift) * (1.0 if upper else -1.0)
        shifted[np.abs(shifted) <= 1e-14 * np.abs(self.values).max()] = 0.0
        held = shifted != 0.0
        sizes, counts = np.abs(shifted[held]), self.counts[held]
        s = float((shifted[held] * counts).sum())
        if shift == 0.0 and self.coins:
            minority = float(counts[shifted[held] < 0.0].sum())
            return log_coins(round(minority), round(float(counts.sum())))
        found = signed_sum_tail(sizes, s, step or None, counts=counts)
        return None if found is None else found[0]


def flip_test(differences: FloatArray, tail: float, alternative: Alternative) -> FlipTest | None:
    """The test over all sign patterns, however many differences; None where no way is cheap.

    ``tail`` is what the interval leaves out on each side.
    """
    large = _large(differences)
    if large is not None:
        ends = [-math.inf, -math.inf]
        for side, (skipped, sign) in enumerate((("less", 1.0), ("greater", -1.0))):
            if alternative != skipped:
                accepted = large.logs[side] > math.log(tail)
                bound = _bound(large.law, differences, tail, sign, null_accepted=accepted)
                ends[side] = math.nan if bound is None else bound
        if not any(map(math.isnan, ends)):
            return _test(large, ends, alternative)
    return exact_flips(differences, tail, alternative)


def flip_tails(
    differences: FloatArray, counts: NDArray[Any] | None = None
) -> tuple[TailProbability, TailProbability] | None:
    """P(flipped sum ≥ the observed) and P(flipped sum ≤ the observed); None where neither is cheap.

    ``counts`` says how often each of few different ones is there.
    """
    if counts is not None:
        numbered = zip(differences.tolist(), counts.tolist(), strict=True)
        held = [(d, count) for d, count in numbered if d and count]
        if len({abs(d) for d, _ in held}) == 1:  # coins
            won, lost = (round(sum(c for d, c in held if sign * d > 0.0)) for sign in (1, -1))
            more, fewer = (log_coins(few, won + lost) for few in (lost, won))
            return TailProbability.of_log(more, "binomial"), TailProbability.of_log(
                fewer, "binomial"
            )
        differences = np.repeat(differences, np.asarray(counts, dtype=np.int64))
    large = _large(differences)
    if large is not None:
        more, fewer = large.logs
        return TailProbability.of_log(more, large.how, 1e-12), TailProbability.of_log(
            fewer, large.how, 1e-12
        )
    one, other = flip_tail(differences), flip_tail(-differences)
    return None if one is None or other is None else (one, other)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Large:
    """Many differences: their law for the limits, and the logs of both tails of their sum."""

    law: _Law | _Counted
    logs: tuple[float, float]
    how: How


def _large(differences: FloatArray) -> _Large | None:
    law, at_null = _laws(differences)
    if law is None or at_null is None:
        return None
    step = _step(law.values if isinstance(law, _Counted) else differences)
    if step is None:
        return None
    more, fewer = (at_null.log_tail(0.0, upper=one, step=step) for one in (True, False))
    if more is None or fewer is None:
        return None
    coins = isinstance(law, _Counted) and law.coins
    return _Large(law=law, logs=(more, fewer), how="binomial" if coins else "inversion")


def _laws(differences: FloatArray) -> tuple[_Law | _Counted | None, _Law | _Counted | None]:
    """The law that serves the limits, and one that reaches as far out as the observed sum."""
    if differences.size < LARGE or not differences.any():
        return None, None
    if np.unique(differences[: 16 * FEW]).size <= FEW:
        if differences.size < 2 * LARGE:
            return None, None
        values, counts = np.unique(differences, return_counts=True)
        if values.size <= FEW:
            counted = _Counted(values=values, counts=counts.astype(np.float64))
            return counted, counted
    z = abs(float(differences.sum())) / math.sqrt(float((differences**2).sum()))
    law = _Law.of(differences, _TILT)
    return law, law if z <= 4.0 else _Law.of(differences, math.hypot(1.5 * z + 3.0, 10.0))


def _test(large: _Large, ends: list[float], alternative: Alternative) -> FlipTest:
    log_more, log_fewer = large.logs
    asked = {"greater": log_more, "less": log_fewer}.get(alternative, min(log_more, log_fewer))
    doubling = math.log(2.0) if alternative == "two-sided" else 0.0
    return FlipTest(
        p=two_tails(math.exp(log_more), math.exp(log_fewer), alternative),
        low=ends[0],
        high=-ends[1],
        how=large.how,
        error=1e-12,
        log10_p=min(0.0, asked + doubling) / math.log(10.0),
    )


def _step(differences: FloatArray) -> float | None:
    """The step of the lattice of the sizes, 0 for none; None where it is too coarse to smooth."""
    sizes = np.abs(differences)
    step = lattice_step(sizes)
    if step is None:
        return 0.0
    coarse = 2.0 * step > _COARSE * math.sqrt(float((sizes**2).sum()))
    return None if coarse and np.unique(sizes[: 16 * FEW]).size > FEW else step


def _bound(
    law: Any, differences: FloatArray, tail: float, sign: float, *, null_accepted: bool
) -> float | None:
    """The smallest shift of ``sign`` times the differences that the test does not reject."""
    n = differences.size
    mean = sign * float(differences.mean())
    error = float(np.sqrt(((differences - sign * mean) ** 2).sum())) / n

    def excess(shifts: FloatArray) -> FloatArray:
        found = law.log_tail(sign * float(shifts.ravel()[0]), upper=sign > 0.0, step=0.0)
        return np.array([math.nan if found is None else found - math.log(tail)])

    bound: float | None = mean  # where all are equal, no other shift is accepted
    if error > 0.0:
        bound = smooth_root(excess, mean + float(ndtri(min(tail, 0.5))) * error, error)
    if bound is None or math.isnan(bound):
        return None
    if null_accepted:
        return min(bound, 0.0)
    return bound if bound > 0.0 or mean < 0.0 else math.nextafter(0.0, 1.0)
