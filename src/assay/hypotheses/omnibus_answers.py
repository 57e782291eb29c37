"""What a test of many models over blocks answers: its p-value, beside Kendall's W with its interval."""

from dataclasses import dataclass

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_level
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval, TestOutcome
from assay.core.vocabulary import UNIT_PLURAL, UNITS, Unit
from assay.evidence.blocks import Blocks
from assay.kernels.concordance import N_RESAMPLES, SEED, agreement_p, kendall_w, kendall_w_limits
from assay.kernels.tails import alpha_of


def shared_training(unit: str, n: int) -> tuple[Note, ...]:
    """Folds are not independent blocks: what ranks them keeps no level."""
    return (note("folds-overlap", folds=n),) if unit == "fold" else ()


_ALIKE = "all models have the same ranks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Omnibus:
    """The question of one call, and the outcomes an omnibus test of blocks can have."""

    method: str
    unit: Unit
    level: float
    n: int

    @classmethod
    def of(cls, name: str, table: Blocks, unit: str, level: float) -> "Omnibus":
        checked = check_choice(unit, UNITS, "unit")
        return cls(method=name, unit=checked, level=check_level(level), n=table.n)

    def answered(
        self,
        statistic: float,
        p_value: float,
        centred: FloatArray,
        details: Details,
        notes: tuple[Note, ...] = (),
    ) -> TestOutcome:
        return TestOutcome(
            method=self.method,
            statistic=statistic,
            p_value=min(p_value, 1.0),
            effect=self._concordance(centred),
            notes=(*notes, *shared_training(self.unit, self.n)),
            seed=SEED,
            details=details,
        )

    def agreed(self, row: FloatArray, centred: FloatArray, details: Details) -> TestOutcome:
        p_value = agreement_p(row, self.n)
        agreement = note("perfect-agreement", n=self.n, units=UNIT_PLURAL[self.unit], p=p_value)
        details = (*details, ("p_f", 0.0))
        notes = (agreement, *self.reach(p_value))
        return self.answered(float("inf"), p_value, centred, details, notes)

    def undefined(self, centred: FloatArray, details: Details) -> TestOutcome:
        """No statistic: a single block where spread between blocks is asked for, or no spread."""
        if centred.any():
            why = note("single-value", what="one block", needed="two blocks or more")
        else:
            why = note(
                "zero-variance",
                what=f"scores within {UNIT_PLURAL[self.unit]}",
                method=self.method,
                remedy=_ALIKE,
            )
        return TestOutcome(
            method=self.method,
            statistic=None,
            p_value=None,
            effect=self._concordance(centred),
            notes=(why,),
            details=details,
        )

    def reach(self, least: float) -> tuple[Note, ...]:
        """A note where even perfect agreement would not be significant."""
        alpha = alpha_of(self.level)
        if least <= alpha:
            return ()
        units = f"{self.n} {UNIT_PLURAL[self.unit]}"
        return (note("cannot-reach-alpha", have=units, least=least, alpha=alpha),)

    def _concordance(self, centred: FloatArray) -> Estimate:
        value = kendall_w(centred) if self.n else None
        interval = None
        if value is not None:
            low, high = kendall_w_limits(centred, self.level)
            interval = Interval(low=low, high=high, level=self.level, method="bootstrap")
        return Estimate(
            measure="kendall_w",
            value=value,
            interval=interval,
            method="kendall_w",
            n=self.n,
            unit=self.unit,
            seed=SEED,
            details=(("n_resamples", N_RESAMPLES),),
        )
