"""What the user fixed, and what a procedure found."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from assay.compare.design import Design
from assay.core.notes import Note
from assay.core.results import FamilyOutcome, TestOutcome

Others = Sequence[tuple[str, TestOutcome]]
Other = TypeVar("Other", TestOutcome, FamilyOutcome)
_ALONE: ContextVar[bool] = ContextVar("the verdict alone", default=False)


@contextmanager
def verdict_alone() -> Iterator[None]:
    """Inside, comparisons end with the verdict: other methods and posteriors, which decide nothing, are left out."""
    token = _ALONE.set(True)
    try:
        yield
    finally:
        _ALONE.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user fixed before looking."""

    level: float
    n_resamples: int
    seed: int
    bound: float | None = None
    """The largest difference that two models can have on an item, where the user knows it."""
    alone: bool = field(default_factory=_ALONE.get)
    """Whether the verdict is wanted without what stands beside it."""

    def beside(
        self, others: Callable[[], Sequence[tuple[str, Other]]]
    ) -> tuple[tuple[str, Other], ...]:
        """Other methods beside the verdict, where they are wanted."""
        return () if self.alone else tuple(others())


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The deciding outcome of each pair, and what is shown beside it."""

    pairs: tuple[tuple[str, str, TestOutcome], ...]
    also: tuple[tuple[str, TestOutcome], ...] = ()
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
