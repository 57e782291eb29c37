"""Rules that adjust p-values, on arrays: each takes them in ascending order."""

from collections.abc import Callable
from types import MappingProxyType
from typing import cast

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.kernels.partitions import shaffer_counts
from assay.kernels.special import gammaln, xlogy


def individual_levels(p: FloatArray, *, adjustment: str, alpha: float) -> FloatArray | None:
    """The level at which a procedure tests each p-value, the others being what they are.

    The adjusted p is at most ``alpha`` exactly when the p-value is at most this level, so an
    interval at it says what the adjusted p says. None where a procedure has no constants to
    compare with (hommel, bergmann_hommel).
    """
    m = p.size
    steps = np.arange(1, m + 1)
    if adjustment in _STEP_DOWN:
        return _step_down_levels(p, _STEP_DOWN[adjustment](alpha, steps))
    if adjustment in _STEP_UP:
        return _step_up_levels(p, _STEP_UP[adjustment](alpha, steps))
    if adjustment == "li":
        return _li_levels(p, alpha)
    return None


def models_of_pairs(m: int) -> int | None:
    """The k whose pairs number ``m``, if there is one."""
    k = round((1 + np.sqrt(1 + 8 * m)) / 2)
    return k if k * (k - 1) // 2 == m else None


def step_down(values: FloatArray) -> FloatArray:
    return cast("FloatArray", np.maximum.accumulate(values))


def step_up(values: FloatArray) -> FloatArray:
    return cast("FloatArray", np.minimum.accumulate(values[::-1])[::-1])


def harmonic(m: int) -> float:
    return float(np.sum(1.0 / np.arange(1, m + 1)))


def _power(p: FloatArray, exponent: FloatArray | float) -> FloatArray:
    """1 - (1 - p)^exponent without losing small p."""
    with np.errstate(divide="ignore"):
        return cast("FloatArray", -np.expm1(exponent * np.log1p(-p)))


def _remaining(p: FloatArray) -> FloatArray:
    """m, m - 1, … 1."""
    return np.arange(p.size, 0, -1, dtype=np.float64)


def _steps(p: FloatArray) -> FloatArray:
    return np.arange(1, p.size + 1, dtype=np.float64)


def _li(p: FloatArray) -> FloatArray:
    """Li 2008: p / (p + 1 - largest p); everything is 1 where the largest is."""
    if p[-1] >= 1.0:
        return np.ones_like(p)
    return cast("FloatArray", p / (p + (1.0 - p[-1])))


def _hommel(p: FloatArray) -> FloatArray:
    """Hommel 1988 by Wright's algorithm (Biometrics 48, 1992, p. 1012)."""
    m = p.size
    adjusted = np.full(m, np.min(m * p / _steps(p)))
    for size in range(m - 1, 1, -1):
        head, tail = p[: m - size + 1], p[m - size + 1 :]
        floor = np.min(size * tail / np.arange(2, size + 1))
        lower = np.minimum(size * head, floor)
        np.maximum(adjusted[: m - size + 1], lower, out=adjusted[: m - size + 1])
        np.maximum(adjusted[m - size + 1 :], lower[-1], out=adjusted[m - size + 1 :])
    return np.maximum(adjusted, p)


def _rom(p: FloatArray) -> FloatArray:
    """Rom 1990: the smallest alpha whose step-up constant reaches the p-value, by bisection."""
    remaining = np.arange(p.size, 0, -1)
    # Rom's constant lies between Hochberg's alpha / r and alpha
    low, high = p.copy(), np.minimum(remaining * p, 1.0)
    for _ in range(60):
        middle = (low + high) / 2
        constants = _rom_constants(middle, p.size)[remaining - 1, np.arange(p.size)]
        reached = constants >= p
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return step_up(high)


def _rom_constants(alpha: FloatArray, m: int) -> FloatArray:
    """Rom's constants for r = 1 … m hypotheses left, one column per alpha (Rom 1990, p. 664)."""
    constants = np.empty((m, alpha.size))
    constants[0] = alpha
    for r in range(2, m + 1):
        j = np.arange(1, r - 1)[:, None]
        binomial = gammaln(r + 1) - gammaln(j + 1) - gammaln(r - j + 1)
        taken = np.exp(binomial + xlogy(r - j, constants[1 : r - 1])).sum(axis=0)
        powers = (alpha ** np.arange(1, r)[:, None]).sum(axis=0)
        constants[r - 1] = (powers - taken) / r
    return constants


RULES: MappingProxyType[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {
        "bonferroni": lambda p: p * p.size,
        "sidak": lambda p: _power(p, p.size),
        "holm": lambda p: step_down(_remaining(p) * p),
        "holland": lambda p: step_down(_power(p, _remaining(p))),
        "finner": lambda p: step_down(_power(p, p.size / _steps(p))),
        "hochberg": lambda p: step_up(_remaining(p) * p),
        "hommel": _hommel,
        "li": _li,
        "rom": _rom,
        "bh": lambda p: step_up(p * p.size / _steps(p)),
        "by": lambda p: step_up(p * p.size * harmonic(p.size) / _steps(p)),
    }
)
"""Each rule takes ascending p-values; the caller clips to [p, 1]."""


def _left(steps: IntArray) -> IntArray:
    """Hypotheses left at each step."""
    return steps[::-1]


def _sidak_constants(alpha: float, exponents: FloatArray | IntArray) -> FloatArray:
    return np.asarray(-np.expm1(np.log1p(-alpha) / exponents), dtype=np.float64)


def _holm_constants(alpha: float, steps: IntArray) -> FloatArray:
    return np.asarray(alpha / _left(steps), dtype=np.float64)


_Constants = Callable[[float, IntArray], FloatArray]
_STEP_DOWN: dict[str, _Constants] = {
    "none": lambda alpha, steps: np.full(steps.size, alpha),
    "bonferroni": lambda alpha, steps: np.full(steps.size, alpha / steps.size),
    "sidak": lambda alpha, steps: _sidak_constants(alpha, np.full(steps.size, steps.size)),
    "holm": _holm_constants,
    "holland": lambda alpha, steps: _sidak_constants(alpha, _left(steps)),
    "finner": lambda alpha, steps: _sidak_constants(alpha, steps.size / steps),
    "shaffer": lambda alpha, steps: alpha / shaffer_counts(models_of_pairs(steps.size) or 0),
}
_STEP_UP: dict[str, _Constants] = {
    "hochberg": _holm_constants,
    "rom": lambda alpha, steps: _rom_constants(np.array([alpha]), steps.size)[::-1, 0],
    "bh": lambda alpha, steps: alpha * steps / steps.size,
    "by": lambda alpha, steps: (alpha / harmonic(steps.size)) * steps / steps.size,
}


def _step_down_levels(p: FloatArray, constants: FloatArray) -> FloatArray:
    """For each p-value, the constant it meets after the others have stepped down without it."""
    order = np.argsort(p, kind="stable")
    places = np.empty(p.size, dtype=np.int64)
    places[order] = np.arange(p.size)
    ordered = p[order]
    failing = np.flatnonzero(ordered > constants)
    passing = int(failing[0]) if failing.size else p.size
    # without the p-value itself, those behind it meet constants one step earlier
    stops = np.append(np.flatnonzero(ordered[1:] > constants[:-1]), p.size - 1)
    reached = np.where(passing < places, passing, stops[np.searchsorted(stops, places)])
    return constants[reached]


def _step_up_levels(p: FloatArray, constants: FloatArray) -> FloatArray:
    """For each p-value, the largest constant that enough of the others do not exceed."""
    places = np.arange(p.size)
    below = np.searchsorted(np.sort(p), constants, side="right")
    always = constants[below > places].max(initial=0.0)
    # where just enough lie below, the constant serves only those above it
    exact = np.append(0.0, constants[below == places])
    serving = exact[np.maximum(np.searchsorted(exact, p, side="left") - 1, 0)]
    return cast("FloatArray", np.maximum(always, serving))


def _li_levels(p: FloatArray, alpha: float) -> FloatArray:
    largest = np.full(p.size, p.max())
    top = int(np.argmax(p))
    largest[top] = np.delete(p, top).max(initial=0.0)
    return np.where(largest <= alpha, alpha, alpha * (1 - largest) / (1 - alpha))
