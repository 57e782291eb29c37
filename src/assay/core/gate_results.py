"""The result of a gate: whether a candidate may pass, check by check, and how often such a gate errs."""

from dataclasses import dataclass
from typing import Literal

from assay.core.notes import Note
from assay.core.results import Comparison, Interval, Needed, Shown
from assay.core.vocabulary import GateWord

GateAsks = Literal["not-worse", "better", "at-least", "at-most"]
"""What a check asks: no loss beyond the margin, a gain, or a level of the candidate itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """One measure at the gate: candidate minus baseline, turned so that positive is better.

    ``low`` and ``high`` are one-sided bounds at ``level`` each; None where there is none. Where a
    level is asked for, ``required`` is the level, ``value`` the candidate's measure, and the
    difference is the distance from the level. Where a gain is asked for, ``margin`` is that gain.
    ``slice`` is None for all items; of repeats, ``item`` names the item.
    """

    measure: str
    word: GateWord
    margin: float
    level: float
    difference: float | None
    low: float | None
    high: float | None
    sentence: str
    needed: Needed | None = None
    asks: GateAsks = "not-worse"
    required: float | None = None
    value: float | None = None
    slice: str | None = None
    item: str | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTrial:
    """How often a gate errs on evidence like this, counted; ``interval`` is of the counting.

    ``measure`` is None for the gate as a whole, ``rate`` where the trial could not be made.
    """

    error: Literal["false-fail", "false-pass"]
    measure: str | None
    difference: float
    nominal: float
    replicates: int
    count: int | None
    rate: float | None
    interval: Interval | None
    drawn: Literal["items", "clusters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(Shown):
    """Whether a candidate may pass: not worse than the baseline by more than the margin, or as asked.

    ``baseline`` is None where levels of the candidate are all that was asked for. ``comparisons``
    are those that the checks rest on; checks of single items rest on their counts.
    """

    word: GateWord
    exit_code: int
    sentence: str
    baseline: str | None
    candidate: str
    level: float
    rule: Literal["all", "holm", "family"]
    on_undecided: Literal["fail", "warn", "pass"]
    checks: tuple[GateCheck, ...]
    comparisons: tuple[Comparison, ...]
    trials: tuple[GateTrial, ...] = ()
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    sliced_by: str | None = None

    @property
    def margins(self) -> dict[str, float]:
        return {check.measure: check.margin for check in self.checks if check.slice is None}
