"""What a plan says: how much evidence a question needs, or what a study of a given size can find."""

from dataclasses import dataclass
from typing import Literal

from assay.core.notes import Note
from assay.core.results import Curve, Details, Shown
from assay.core.vocabulary import Alternative, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCase:
    """The answer of a plan if what is not known were so."""

    label: str
    n: int | None
    power: float | None
    difference: float | None
    half_width: float | None = None
    details: Details = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Shown):
    """How much evidence a question needs, or what a study of a given size can find.

    ``n`` counts units of each model. Where something that matters is not known the answer is
    None, a note says what to give, and ``cases`` hold the best and the worst case.
    """

    question: str
    measure: str
    solved_for: Literal["n", "power", "difference", "half_width"]
    n: int | None
    power: float | None
    difference: float | None
    level: float
    unit: Unit
    method: str
    assumptions: tuple[str, ...]
    sentence: str
    curve: Curve
    half_width: float | None = None
    alternative: Alternative = "two-sided"
    cases: tuple[PlanCase, ...] = ()
    reference: str = ""
    formula: str = ""
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    details: Details = ()
