"""One of n, power and difference from the other two, whatever the question."""

import math
from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import UsageError
from assay.core.vocabulary import Alternative
from assay.kernels.roots import bracketed_root
from assay.plan.planning_facts import PlanQuestion

MOST = 1e15
"""Units beyond which nothing is looked for."""
DIFFERENCES = 60
"""Doublings of a difference before it is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedUnits:
    """How many units reach a power: whole, and before rounding where power is smooth."""

    n: int | None
    exact: float | None = None


def power_of(question: PlanQuestion, n: float, difference: float) -> float:
    """The power with ``n`` units at a true difference."""
    if question.power is None:
        raise UsageError(f"{question.asks} has a width and no power: give half_width, or against")
    if n < question.least:
        return 0.0
    return float(question.power(np.array([float(n)]), difference)[0])


def units_for(question: PlanQuestion, power: float, difference: float) -> SolvedUnits:
    """The fewest units from which on the power is at least ``power``; None where none are."""
    low, high = 0.0, float(question.least)
    while power_of(question, high, difference) < power:
        low, high = high, 2.0 * high
        if high > MOST:
            return SolvedUnits(n=None)
    if question.scan:
        return _whole_units(question, power, difference, int(low), int(high))
    if low == 0.0:
        return SolvedUnits(n=_rounded(high, question), exact=high)

    def missing(n: FloatArray) -> FloatArray:
        return np.array([power_of(question, one, difference) for one in np.atleast_1d(n)]) - power

    exact = float(bracketed_root(missing, np.array([low]), np.array([high]))[0])
    return SolvedUnits(n=_rounded(exact, question), exact=exact)


def difference_for(
    question: PlanQuestion, n: float, power: float, side: Alternative = "two-sided"
) -> float | None:
    """The smallest difference found with ``power`` by ``n`` units; None where none is."""
    sign = -1.0 if side == "less" else 1.0
    most = question.reach[0] if sign < 0 else question.reach[1]
    low, high = 0.0, min(1e-6, most / 2.0)
    for _ in range(DIFFERENCES):
        if power_of(question, n, sign * high) >= power:
            break
        if high >= most:
            return None
        low, high = high, min(2.0 * high, most)
    else:
        return None

    def missing(sizes: FloatArray) -> FloatArray:
        return np.array([power_of(question, n, sign * one) for one in np.atleast_1d(sizes)]) - power

    steps = 20 if question.simulated else 60
    ends = np.array([low]), np.array([high])
    return sign * float(bracketed_root(missing, *ends, max_steps=steps)[0])


def _whole_units(
    question: PlanQuestion, power: float, difference: float, low: int, high: int
) -> SolvedUnits:
    """Bisection, then onwards over the teeth of the power until it stays above the target."""
    while high - low > 1:
        middle = (low + high) // 2
        if power_of(question, middle, difference) >= power:
            high = middle
        else:
            low = middle
    settled = high
    while question.scan > 1:
        following = np.arange(settled, settled + question.scan, dtype=np.float64)
        below = np.flatnonzero(_powers(question, following, difference) < power)
        if not below.size:
            break
        settled += int(below[-1]) + 1
    return SolvedUnits(n=_rounded(float(settled), question))


def _powers(question: PlanQuestion, n: FloatArray, difference: float) -> FloatArray:
    return question.power(n, difference) if question.power is not None else np.zeros(n.size)


def _rounded(n: float, question: PlanQuestion) -> int:
    """Up to the next whole number of units; a root that is whole but for rounding stays."""
    whole = math.ceil(n - min(1e-9 * n, 1e-6))
    return max(question.least, -(-whole // question.multiple) * question.multiple)
