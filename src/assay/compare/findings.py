"""What the user fixed, and what a procedure found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.compare.design import Design
from assay.core.notes import Note
from assay.core.results import FamilyOutcome, TestOutcome

Others = Sequence[tuple[str, TestOutcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user fixed before looking."""

    level: float
    n_resamples: int
    seed: int
    bound: float | None = None
    """The largest difference that two models can have on an item, where the user knows it."""

    @property
    def drawn(self) -> dict[str, Any]:
        """As methods that draw take them."""
        return {"level": self.level, "n_resamples": self.n_resamples, "rng": self.seed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The deciding outcome of each pair, and what is shown beside it."""

    pairs: tuple[tuple[str, str, TestOutcome], ...]
    also: Callable[[], Others] = tuple
    """Other methods, which decide nothing: run when they are asked for, on numbers at hand."""
    omnibus: TestOutcome | None = None
    notes: tuple[Note, ...] = ()
    families: tuple[tuple[str, FamilyOutcome], ...] = ()
    adjustment: str = ""
    """How the pairs are held together: "holm", "max-t"; empty for one pair."""
    test: Callable[[str, str, float], TestOutcome] | None = None
    """The test of one pair by itself at any level, where pairs are adjusted one by one."""
    retest: Callable[[Sequence[float]], tuple[TestOutcome, ...]] | None = None
    """The same of all pairs in one go, each at a level of its own."""


Procedure = Callable[[Design, Settings], Findings]
