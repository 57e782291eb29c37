"""What a plan knows before the study: the facts assumed, the test to come, and its power."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from numbers import Real
from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import UsageError
from assay.core.notes import Note
from assay.core.results import Details
from assay.core.vocabulary import Alternative, Unit
from assay.kernels.tails import alpha_of

Unknown = Literal["", "discordant", "correlation", "icc", "sd_within"]
UNKNOWN: dict[Unknown, str] = {
    "discordant": "the share of items that exactly one model gets right",
    "correlation": "the correlation of the two models' scores within a class",
    "icc": "the correlation within clusters",
    "sd_within": "the spread of answers to the same item",
}
"""Facts without which a plan has cases, in words."""

PowerFunction = Callable[[FloatArray, float], FloatArray]
"""The power with so many units (an array) at a true difference."""
Pair = float | tuple[float, float]
"""One number for both models, or one of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFacts:
    """What is assumed about models and data; None where it is not known.

    ``sd`` is the spread of the differences between units where both models meet the same units,
    and of the values of each model where they do not.
    """

    baseline: float | None = None
    against: float | None = None
    discordant: float | None = None
    prevalence: float | None = None
    correlation: float | None = None
    sd: Pair | None = None
    cluster_size: float | None = None
    icc: float | None = None
    repeats_per_item: Pair | None = None
    sd_within: Pair | None = None
    folds: int | None = None
    test_share: float | None = None

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            value = getattr(self, name)
            for one in value if isinstance(value, tuple) else (value,):
                if one is not None and not (_is_finite(one) and check.holds(one)):
                    raise UsageError(f"{name} is {check.words}; got {one!r}")

    def given(self) -> tuple[str, ...]:
        return tuple(one.name for one in fields(self) if getattr(self, one.name) is not None)


def _is_finite(value: object) -> bool:
    try:
        return isinstance(value, Real) and math.isfinite(value)
    except OverflowError:  # a whole number beyond floats
        return False


@dataclass(frozen=True, slots=True)
class _Check:
    holds: Callable[[float], bool]
    words: str


_CHECKS = {
    "discordant": _Check(
        lambda x: 0.0 < x <= 1.0, "the share of items that one model only gets right, up to 1"
    ),
    "prevalence": _Check(
        lambda x: min(x, 1.0 - x) >= 1e-12,
        "the share of positives, at least 1e-12 from 0 and from 1",
    ),
    "correlation": _Check(
        lambda x: -1.0 < x < 1.0, "the correlation of two models' scores within a class"
    ),
    "sd": _Check(lambda x: x > 0.0, "a standard deviation above 0"),
    "cluster_size": _Check(
        lambda x: 1.0 <= x <= 1e12,
        "the mean number of items of a cluster, up to a million millions",
    ),
    "icc": _Check(lambda x: 0.0 <= x <= 1.0, "the correlation within clusters, from 0 to 1"),
    "repeats_per_item": _Check(lambda x: x >= 1.0, "how often each item is answered, from 1"),
    "sd_within": _Check(lambda x: x >= 0.0, "the spread of answers to the same item"),
    "folds": _Check(lambda x: x >= 2 and x == int(x), "the folds of one run, from 2"),
    "test_share": _Check(lambda x: 0.0 < x < 1.0, "the share of the data tested on"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSetting:
    """The test that is planned: its level for one comparison, its side, and how to simulate."""

    level: float
    side: Alternative = "two-sided"
    unit: Unit = "item"
    variant: str | None = None
    outcome: bool = True
    """Whether the measure is right or wrong on each item."""
    squares: bool = False
    """Whether it is a mean of squared errors, where a lead may be withheld."""
    algorithms: bool = False
    """Whether two algorithms are to be trained on splits of one data set, by the test that held."""
    closed: bool = False
    """Whether closed forms will do where the variant is not named: many pairs are planned at once."""
    models: int = 2
    n_resamples: int = 9999
    seed: int = 0

    @property
    def pairs(self) -> int:
        return self.models * (self.models - 1) // 2

    @property
    def alpha(self) -> float:
        """The level of one of the pairs: the first, hardest step of Holm where there are many."""
        return alpha_of(self.level) / self.pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanQuestion:
    """One question of a plan: the test that will answer it, and its power before the data.

    ``sigma`` is the standard error times the root of n, which plans of width need; ``reach`` the
    largest fall and rise that the measure allows. ``scan`` is 0 where power is smooth in n, else
    the run of whole n over which it must stay above the target to count as reached. n is a
    multiple of ``multiple`` and at least ``least``.
    """

    method: str
    asks: str
    unit: Unit
    power: PowerFunction | None
    assumptions: tuple[str, ...]
    reference: str
    formula: str
    least: int = 2
    reach: tuple[float, float] = (math.inf, math.inf)
    scan: int = 0
    multiple: int = 1
    sigma: float | None = None
    label: str = ""
    missing: "Unknown" = ""
    """What is not known, where the question is one of several cases."""
    apart: bool = False
    """Whether each model has units of its own, n of each."""
    simulated: float = 0.0
    """The number of units up to which power is simulated."""
    points: tuple[int, ...] = ()
    """Numbers of units that the curve shows; around the answer where none are said."""
    limit: Callable[[float], float] | None = None
    """The power that no number of units exceeds at a difference, where there is such a limit."""
    drawn: bool = False
    """Whether its spread comes from random resamples."""
    repeated: bool = False
    """Whether its clusters are questions and its items the answers to them."""
    details: Details = ()
    notes: tuple[Note, ...] = ()


def both(value: Pair) -> tuple[float, float]:
    """One number of each model."""
    return value if isinstance(value, tuple) else (value, value)


def each(function: Callable[[float, float], float]) -> PowerFunction:
    """A power function of one n, for arrays of them."""
    return lambda n, difference: np.array([function(one, difference) for one in n.tolist()])


def needed(value: float | None, name: str, hint: str) -> float:
    """A fact that has no sensible guess."""
    if value is None:
        raise UsageError(f"{name} is not known: give {name}=, {hint}")
    return value


def share(value: float | None, name: str, hint: str) -> float:
    """A fact that is a rate or an area."""
    found = needed(value, name, hint)
    if not 0.0 < found < 1.0:
        raise UsageError(f"{name} lies between 0 and 1; got {found!r}")
    return found


def spread(facts: PlanFacts, hint: str) -> float:
    """The one standard deviation that a question needs."""
    if isinstance(facts.sd, tuple):
        raise UsageError(f"one sd is needed, {hint}; got {facts.sd!r}")
    return needed(facts.sd, "sd", f"{hint}, or a pilot file")
