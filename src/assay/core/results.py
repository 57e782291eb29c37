"""The few result types: frozen, of scalars and tuples, not iterable; never a bare p-value."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar, Union

from assay.core.checks import checked
from assay.core.errors import NoSingleVerdict, UnknownPart
from assay.core.memo import filled_later
from assay.core.notes import Note
from assay.core.result_outputs import Shown as Shown  # where results look for it
from assay.core.vocabulary import (
    REVERSED,
    Alternative,
    Sense,
    Unit,
    VerdictWord,
    population,
)

if TYPE_CHECKING:
    from assay.core.board_results import Board
    from assay.core.gate_results import Gate
    from assay.core.judge_results import JudgeReport
    from assay.core.plan_results import Plan
    from assay.core.study_results import CurveComparison, StudyReport

Scalar = float | int | str | bool | None
Quantity = Literal[
    "type I error", "type II error", "family-wise error", "rejections", "coverage",
    "mean squared error", "p of normality",
]  # fmt: skip
"""What a simulation counts or measures."""

Details = tuple[tuple[str, Scalar], ...]
"""Method-specific numbers as (name, value) pairs; the names are documented with the method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The values of a quantity that the evidence does not contradict at ``level``.

    ``alternative`` is the side: "greater" gives [low, inf), "less" gives (-inf, high].
    """

    low: float
    high: float
    level: float
    method: str
    alternative: Alternative = "two-sided"

    @property
    def width(self) -> float:
        return self.high - self.low

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high

    def within(self, margin: float) -> bool:
        """Whether every value lies strictly inside (-margin, margin)."""
        return -margin < self.low and self.high < margin

    def mapped(self, function: Callable[[float], float]) -> "Interval":
        """The interval of a monotone function of the quantity."""
        ends = (function(self.low), function(self.high))
        if ends[0] <= ends[1]:
            return replace(self, low=ends[0], high=ends[1])
        return replace(self, low=ends[1], high=ends[0], alternative=REVERSED[self.alternative])

    def negated(self) -> "Interval":
        return self.mapped(lambda value: -value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Shown):
    """One number with its uncertainty. ``value`` is None where the quantity is undefined."""

    measure: str
    value: float | None
    interval: Interval | None
    method: str
    n: int
    unit: Unit
    model: str | None = None
    standard_error: float | None = None
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    details: Details = ()

    def negated(self) -> "Estimate":
        """A difference the other way round: B minus A."""
        value = None if self.value is None else 0.0 - self.value
        return replace(self, value=value, interval=self.interval and self.interval.negated())


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOutcome(Shown):
    """One question answered: a statistic, a p-value and always the effect with its interval.

    The effect is A minus B (or the quantity itself where one model meets the value ``null``).
    """

    __test__: ClassVar[bool] = False  # not a pytest class

    method: str
    statistic: float | None
    p_value: float | None
    effect: Estimate
    alternative: Alternative = "two-sided"
    null: float = 0.0
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    details: Details = ()

    @checked
    def rejects(self, alpha: float) -> bool:
        return self.p_value is not None and self.p_value <= alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior(Shown):
    """A Bayesian comparison: probabilities that A minus B is below, inside and above the rope.

    ``prior`` says in words what was taken for granted before the evidence; ``a`` and ``b`` are
    named where the posterior stands beside a verdict.
    """

    method: str
    p_left: float
    p_rope: float
    p_right: float
    rope: float
    effect: Estimate
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    details: Details = ()
    prior: str = ""
    a: str | None = None
    b: str | None = None

    def negated(self) -> "Posterior":
        """The same posterior of B minus A."""
        return replace(
            self,
            p_left=self.p_right,
            p_right=self.p_left,
            effect=self.effect.negated(),
            a=self.b,
            b=self.a,
        )


@filled_later("outcomes")
@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyOutcome(Shown):
    """Many questions of one family, answered together: one outcome per pair of models."""

    method: str
    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    outcomes: tuple[TestOutcome, ...]
    adjustment: str
    omnibus: TestOutcome | None = None
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    details: Details = ()
    estimates: tuple[Estimate, ...] = ()
    """One number per model, where the method has one that stands for itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Shown):
    """A curve as columns of equal length, for plots and tables."""

    name: str
    model: str | None
    columns: tuple[tuple[str, tuple[float, ...]], ...]
    notes: tuple[Note, ...] = ()
    details: Details = ()

    def column(self, name: str) -> tuple[float, ...]:
        return dict(self.columns)[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """How much evidence would settle an undecided question at its margin, all models together.

    ``groups`` are the units at hand of each model, where each has units of its own. ``sequential``:
    whether ``compare(sequential=True)`` lets one add units and look again.
    """

    units: int
    unit: Unit
    have: int
    power: float
    margin: float
    groups: tuple[int, ...] = ()
    sequential: bool = False


@filled_later("sentence", "p_better", "p_equivalent", "p_worse")
@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the interval says about one pair: a word, a sentence, and what it rests on.

    ``p_better`` and ``p_worse`` are posterior probabilities that A is better or worse than B (by
    more than the margin, if there is one), ``p_equivalent`` that the two differ by less than it.
    They stand beside and decide nothing; the comparison's ``posteriors`` name model and prior. They
    and the sentence are worked out when they are first read.
    """

    word: VerdictWord
    a: str
    b: str
    sentence: str
    outcome: TestOutcome
    direction: Sense
    margin: float | None
    different: bool
    needed: Needed | None = None
    p_better: float | None = None
    p_equivalent: float | None = None
    p_worse: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSummary:
    """What was recognised in the data, in words and counts that every report shows."""

    kind: str
    sources: tuple[str, ...]
    models: tuple[str, ...]
    n: int
    unit: Unit
    description: str
    truth: str | None = None
    classes: tuple[str, ...] = ()
    clusters: int | None = None
    details: Details = ()

    @property
    def pooled(self) -> bool:
        """Whether the items were predicted by a model for each fold, as in a cross-validation."""
        return self.unit == "item" and "fold" in dict(self.details)

    @property
    def clustered(self) -> bool:
        """Whether items come in groups; of several answers to one item the item itself is the group."""
        facts = dict(self.details)
        return self.clusters is not None and facts.get("cluster") != facts.get("id")

    @property
    def applies_to(self) -> str:
        """Which question the evidence answers: about these models, or about their algorithms."""
        facts = dict(self.details)
        return population(
            self.unit,
            len(self.models),
            pooled=self.pooled,
            clustered=self.clustered,
            trained=str(facts.get("trained_on") or ""),
            tasks=int(facts.get("datasets") or 1),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which procedure decides, and why it fits this evidence."""

    method: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation(Shown):
    """Every measure of every model, each with its interval."""

    evidence: EvidenceSummary
    estimates: tuple[Estimate, ...]
    level: float
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    curves: tuple[Curve, ...] = ()


@filled_later("sentence")
@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredLevel:
    """How often the deciding method errs, counted by our own simulation near this design.

    ``low`` and ``high`` are the smallest and the largest share of false claims over the worlds
    that the evidence does not tell apart, None where no design near was tried; ``nominal`` is
    what was promised.
    """

    method: str
    world: str
    at: Details
    nominal: float
    low: float | None
    high: float | None
    replicates: int | None
    """None where the share was worked out exactly."""
    sentence: str


@filled_later("estimates", "also", "curves", "posteriors")
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Shown):
    """The decision object: every text, table and figure of a comparison is drawn from it.

    Fields that decide nothing are worked out when they are first read (`core.memo.later`).
    """

    evidence: EvidenceSummary
    measure: str
    direction: Sense
    level: float
    margin: float | None
    baseline: str | None
    choice: Choice
    estimates: tuple[Estimate, ...]
    verdicts: tuple[Verdict, ...]
    omnibus: TestOutcome | None = None
    also: tuple[tuple[str, TestOutcome], ...] = ()
    sentence: str = ""
    """The answer in words; "summary" in JSON."""
    does_not_say: str = ""
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    curves: tuple[Curve, ...] = ()
    posteriors: tuple[Posterior, ...] = ()
    families: tuple[tuple[str, FamilyOutcome], ...] = ()
    slice: str | None = None
    adjustment: str = ""
    """How the questions of the family are held together: "holm", "max-t"; empty for one."""
    family: int = 1
    """The number of questions: pairs, over all measures and slices where there are more."""
    measured: MeasuredLevel | None = None

    @property
    def verdict(self) -> Verdict:
        """The verdict of a comparison of two; with more pairs, read ``verdicts``."""
        if len(self.verdicts) != 1:
            raise NoSingleVerdict(
                f"{len(self.verdicts)} pairs were compared: read .verdicts, one verdict for each pair"
            )
        return self.verdicts[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons(Shown):
    """Several measures, slices or both: one comparison each, decided together as one family.

    The intervals and p-values of ``parts`` are adjusted over all ``questions``; ``slice`` of a
    part is None for the whole evidence. ``joint`` holds tests of all measures at once.
    """

    evidence: EvidenceSummary
    parts: tuple[Comparison, ...]
    level: float
    baseline: str | None
    adjustment: str
    questions: int
    sentence: str
    """The answer in words; "summary" in JSON."""
    does_not_say: str = ""
    sliced_by: str | None = None
    joint: tuple[tuple[str, TestOutcome], ...] = ()
    notes: tuple[Note, ...] = ()
    seed: int | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.measure for part in self.parts))

    @property
    def slices(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part.slice for part in self.parts if part.slice is not None))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts, part by part."""
        return tuple(verdict for part in self.parts for verdict in part.verdicts)

    @checked
    def part(self, measure: str | None = None, slice: str | None = None) -> Comparison:  # noqa: A002
        """The comparison in a measure (the first unless said) and a slice (the whole unless said)."""
        wanted = (measure if measure is not None else self.parts[0].measure, slice)
        for part in self.parts:
            if (part.measure, part.slice) == wanted:
                return part
        known = ", ".join((*self.measures, *self.slices))
        raise UnknownPart(f"no comparison in measure and slice {wanted!r}; there are {known}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationCell:
    """What was counted of one method in one world at one size.

    ``interval`` is of the counting (Monte-Carlo); None where all outcomes were enumerated, and
    ``replicates`` is None then. ``undefined`` replicates gave no answer: they count as neither
    rejected nor covered. ``parameters`` are those of the world that vary.
    """

    method: str
    world: str
    n: int
    effect: float
    alpha: float | None
    quantity: Quantity
    value: float | None
    interval: Interval | None
    replicates: int | None
    undefined: int = 0
    parameters: Details = ()
    details: Details = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation(Shown):
    """How methods behave where the truth is known: error rates, coverage, or bias and variance."""

    title: str
    question: str
    methods: tuple[str, ...]
    worlds: tuple[tuple[str, Details], ...]
    cells: tuple[SimulationCell, ...]
    sentence: str
    options: Details = ()
    curves: tuple[Curve, ...] = ()
    notes: tuple[Note, ...] = ()
    seed: int | None = None


Result = Union[
    Estimate,
    TestOutcome,
    Posterior,
    FamilyOutcome,
    Curve,
    Evaluation,
    Comparison,
    Comparisons,
    Simulation,
    "Plan",
    "Gate",
    "CurveComparison",
    "StudyReport",
    "Board",
    "JudgeReport",
]

Noted = TypeVar("Noted", Estimate, TestOutcome, Posterior, FamilyOutcome, Evaluation, Comparison)


def with_notes(result: Noted, *notes: Note) -> Noted:
    """The result with notes added."""
    return replace(result, notes=(*result.notes, *notes)) if notes else result
