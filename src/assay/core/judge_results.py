"""What is said of a judge: how far it agrees with people, what sways it, and what its grades are worth."""

from dataclasses import dataclass

from assay.core.notes import Note
from assay.core.result_outputs import Shown
from assay.core.results import Details, Estimate, EvidenceSummary, TestOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """One model's score three ways: by the judge alone, by people's labels alone, and by both."""

    model: str
    measure: str
    judge_alone: float | None
    people_alone: Estimate
    corrected: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWorth:
    """What a judge adds to people's labels, counted in labels.

    ``worth`` labels alone would give the standard error that ``labels`` give with this judge; ``without`` is the
    worth of all other judges together, where there are several.
    """

    judge: str
    labels: int
    worth: float
    without: float | None = None
    keep: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport(Shown):
    """A judge measured against people; every text and table of it is drawn from here."""

    evidence: EvidenceSummary
    judges: tuple[str, ...]
    level: float
    sentence: str
    """The answer in words; "summary" in JSON."""
    does_not_say: str
    estimates: tuple[Estimate, ...]
    """Agreement; ``model`` is the judge."""
    answers: tuple[JudgedAnswer, ...]
    worths: tuple[JudgeWorth, ...]
    tests: tuple[tuple[str, TestOutcome], ...] = ()
    """What sways the judge (Holm-adjusted together), position and drift, each with its title."""
    margin: float | None = None
    enough: bool | None = None
    """Whether the labels and this judge decide a difference of the margin with 80 % power."""
    labels_needed: int | None = None
    notes: tuple[Note, ...] = ()
    details: Details = ()
