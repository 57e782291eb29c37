"""What one call of a method asks, checked: its estimates and outcomes are framed with it, the method is its formula."""

from dataclasses import dataclass
from typing import Self

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_level
from assay.core.notes import Note
from assay.core.results import Details, Estimate, Interval, TestOutcome
from assay.core.vocabulary import ALTERNATIVES, UNITS, Alternative, Unit
from assay.kernels.tails import ends, normal_reach, t_p, t_reach


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodQuestion:
    """The name of a method and what a call asks of it: what every number that it answers carries.

    ``side`` is the checked alternative, ``null`` the value that a test is of.
    """

    method: str
    level: float
    side: Alternative = "two-sided"
    unit: Unit = "item"
    null: float = 0.0

    @classmethod
    def of(
        cls,
        method: str,
        *,
        level: float,
        alternative: str = "two-sided",
        unit: str = "item",
        null: float = 0.0,
    ) -> Self:
        """The question of a call, its options held to what they may be."""
        return cls(
            method=method,
            side=check_choice(alternative, ALTERNATIVES, "alternative"),
            level=check_level(level),
            unit=check_choice(unit, UNITS, "unit"),
            null=float(null),
        )

    @property
    def z(self) -> float:
        """How many standard errors a normal interval reaches."""
        return normal_reach(self.level, self.side)

    def interval(self, low: float, high: float, called: str = "") -> Interval:
        """The interval of two ends; ``called`` where it is another method's."""
        return Interval(
            low=low,
            high=high,
            level=self.level,
            method=called or self.method,
            alternative=self.side,
        )

    def sided(
        self,
        limits: tuple[float | FloatArray, float | FloatArray],
        ends: tuple[float, float] = (0.0, 1.0),
        called: str = "",
    ) -> Interval:
        """An interval of the two limits, or of one of them and the end of the range.

        A limit may lie beyond that end (Wald's are not cut, and one-sided ones of a level below a half
        turn round): then the interval ends where it lies.
        """
        low, high = (float(limit) for limit in limits)
        if self.side == "less":
            low = min(ends[0], high)
        elif self.side == "greater":
            high = max(ends[1], low)
        return self.interval(low, high, called)

    def around(self, value: float, reach: float) -> Interval:
        """The interval of value ± reach, or of the one end that the side has."""
        return self.interval(*ends(value, reach, self.side))

    def t_interval(self, value: float, standard_error: float, df: float) -> Interval:
        """The interval that inverts the t test."""
        return self.around(value, t_reach(self.level, df, self.side) * standard_error)

    def estimate(
        self,
        measure: str,
        value: float | None,
        n: int,
        interval: Interval | None = None,
        standard_error: float | None = None,
        *,
        notes: tuple[Note, ...] = (),
        details: Details = (),
        model: str | None = None,
        seed: int | None = None,
    ) -> Estimate:
        return Estimate(
            measure=measure,
            value=value,
            interval=interval,
            method=self.method,
            n=n,
            unit=self.unit,
            model=model,
            standard_error=standard_error,
            notes=notes,
            seed=seed,
            details=details,
        )

    def outcome(
        self,
        statistic: float | None,
        p_value: float | None,
        effect: Estimate,
        *,
        notes: tuple[Note, ...] = (),
        details: Details = (),
        seed: int | None = None,
    ) -> TestOutcome:
        return TestOutcome(
            method=self.method,
            statistic=statistic,
            p_value=p_value,
            effect=effect,
            alternative=self.side,
            null=self.null,
            notes=notes,
            seed=seed,
            details=details,
        )

    def unanswered(self, effect: Estimate, *notes: Note, details: Details = ()) -> TestOutcome:
        """No statistic and no p-value: the notes say why."""
        return self.outcome(None, None, effect, notes=notes, details=details)

    def t_test(
        self,
        measure: str,
        value: float,
        standard_error: float,
        df: float,
        n: int,
        *,
        notes: tuple[Note, ...] = (),
        details: Details = (),
    ) -> TestOutcome:
        """A t test of the null and the interval that inverts it."""
        t = (value - self.null) / standard_error
        interval = self.t_interval(value, standard_error, df)
        effect = self.estimate(measure, value, n, interval, standard_error)
        return self.outcome(t, t_p(t, df, self.side), effect, notes=notes, details=details)
