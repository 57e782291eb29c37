"""What studies end in: curves compared, and the report of a whole study."""

from dataclasses import dataclass
from typing import Literal

from assay.core.notes import Note
from assay.core.result_outputs import Shown
from assay.core.results import Comparison, Curve, Estimate, EvidenceSummary, Interval, TestOutcome
from assay.core.vocabulary import Direction

Trend = Literal["rising", "levelled", "falling", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointTest:
    """Two learners at one point: the corrected t of A minus B, adjusted for all points and pairs."""

    at: float
    a: str
    b: str
    outcome: TestOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """Where the means of two learners change sides; ``a`` is higher before, ``b`` after.

    ``established`` where the adjusted tests find A higher at a point before and B higher at one
    after: the change then lies between ``low`` and ``high``. Otherwise it may be chance.
    """

    a: str
    b: str
    at: float
    established: bool
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Levelling:
    """Whether more data still help a learner: what the last stretch gained, and a forecast."""

    model: str
    trend: Trend
    sentence: str
    start: float
    end: float
    gain: TestOutcome
    """The score at ``end`` minus that at ``start``, on the same splits."""
    next_doubling: Estimate | None = None
    asymptote: Estimate | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveComparison(Shown):
    """Everything one set of curves says; the curves are drawn by ``plots.learning``."""

    curve_kind: str
    """"learning" or "noise"."""
    dataset: str
    measure: str
    level: float
    margin: float | None
    curves: tuple[Curve, ...]
    """One per learner: size or level, mean, low, high, n; on noise also the effective rate."""
    differences: tuple[Curve, ...]
    """One per pair, A minus B, each interval at the level at which Holm's procedure tests it."""
    tests: tuple[PointTest, ...]
    crossings: tuple[Crossing, ...]
    levelling: tuple[Levelling, ...]
    noise_on: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def kind(self) -> str:
        return self.curve_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """Mean scores over the splits: rows data sets, columns learners; None where a split has none.

    ``intervals`` are of the means in the same order, None where one split tells no spread.
    """

    measure: str
    direction: Direction
    datasets: tuple[str, ...]
    learners: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    intervals: tuple[tuple[Interval | None, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyGap:
    """A learner that lacks scores for one reason, on how many tasks of which data sets."""

    learner: str
    reason: str
    tasks: int
    datasets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningSummary:
    """How a tuned learner fared on one data set: the honest score, and the one it was chosen by."""

    dataset: str
    learner: str
    measure: str
    outer: float | None
    """The mean test score: of the whole procedure, tuning included."""
    inner: float | None
    """The mean score by which configurations were chosen."""
    optimism: float | None
    """By how much the inner score flatters: positive where it looks better than the test."""
    wins: tuple[tuple[str, int], ...]
    """Configurations as JSON, with the number of splits on which each won, most first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReport(Shown):
    """A study as it is read: what was run, what is missing, who is better, what the curves say.

    ``comparisons`` has one of each measure that could be compared, the first of which leads; their
    ``questions`` (pairs times measures) are one family, held together by ``adjustment``. ``refused``
    says why other measures could not be compared.
    """

    name: str
    design: tuple[tuple[str, str], ...]
    evidence: EvidenceSummary
    level: float
    margin: float | None
    sentence: str
    scores: tuple[ScoreTable, ...]
    comparisons: tuple[Comparison, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    curves: tuple[CurveComparison, ...] = ()
    tuning: tuple[TuningSummary, ...] = ()
    gaps: tuple[StudyGap, ...] = ()
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    adjustment: str = ""
    """How the questions of all measures are held together: "holm", "max-t"; empty for one."""
    questions: int = 0

    @property
    def parts(self) -> tuple[Comparison, ...]:
        """The comparisons, by the name that figures use."""
        return self.comparisons
