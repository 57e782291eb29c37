"""What Bayesian comparisons share: the rope, the question asked, and the posterior that answers it."""

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import LARGEST, check_choice, check_level
from assay.core.errors import UsageError
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval, Posterior
from assay.core.tolerances import TIE
from assay.core.vocabulary import UNITS, Unit

Shares = tuple[float, float, float]
"""Probabilities of left, rope and right."""

Limits = tuple[float, float, float]
"""Low end, middle and high end of the posterior of a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PosteriorQuestion:
    """One call, checked: the rope as half its width, the credible level, the unit."""

    method: str
    measure: str
    rope: float
    level: float
    unit: Unit

    def answer(
        self,
        shares: Shares,
        limits: Limits,
        n: int,
        *,
        prior: str,
        notes: tuple[Note, ...] = (),
        seed: int | None = None,
        details: Details = (),
    ) -> Posterior:
        """The posterior; an effect whose limits are one point has no interval, and a note says so."""
        low, value, high = limits
        notes = notes if high > low or notes else self.settled(limits, 0.0)[1]
        interval = Interval(low=low, high=high, level=self.level, method=self.method)
        effect = Estimate(
            measure=self.measure,
            value=value,
            interval=interval if high > low else None,
            method=self.method,
            n=n,
            unit=self.unit,
            details=(("kind", "credible"),),
        )
        return Posterior(
            method=self.method,
            p_left=shares[0],
            p_rope=shares[1],
            p_right=shares[2],
            rope=self.rope,
            effect=effect,
            notes=notes,
            seed=seed,
            details=details,
            prior=prior,
        )

    def settled(self, limits: Limits, tolerance: float) -> tuple[Limits, tuple[Note, ...]]:
        """Limits that differ by rounding only are one point, and that is worth a note."""
        low, value, high = limits
        if high - low > tolerance:
            return limits, ()
        why = note("point-posterior", measure=self.measure, value=value, level=self.level)
        return (value, value, value), (why,)


def question(method: str, measure: str, rope: float, level: float, unit: str) -> PosteriorQuestion:
    width = float(rope)
    if not 0.0 <= width <= LARGEST:
        raise UsageError(
            "rope is the largest difference that does not matter, 0 or above (0.01 stands for -0.01 "
            f"to 0.01); got {rope!r}"
        )
    return PosteriorQuestion(
        method=method,
        measure=measure,
        rope=width,
        level=check_level(level),
        unit=check_choice(unit, UNITS, "unit"),
    )


def edge_of(*scores: FloatArray) -> float:
    """How close to the edge of the rope a difference of these scores lies on it."""
    return TIE * max(float(np.abs(array).max()) for array in scores)
