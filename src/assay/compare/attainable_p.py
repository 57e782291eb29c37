"""Where no outcome could have reached the level: said instead of a p-value."""

from dataclasses import replace

from assay.core.methods import record_of
from assay.core.notes import note
from assay.core.results import TestOutcome
from assay.core.vocabulary import counted
from assay.kernels.tails import alpha_of


def within_reach(
    outcome: TestOutcome, *, level: float, questions: int = 1, of: str = "pairs"
) -> TestOutcome:
    """The outcome; without its p-value, and with a note, where the design rules out p <= alpha.

    ``questions`` is the size of the family that Holm's first step divides alpha by.
    """
    least = least_p(outcome)
    if outcome.p_value is None or least is None:
        return outcome
    smallest, alpha = min(1.0, questions * least), alpha_of(level)
    if smallest <= alpha:
        return outcome
    have = counted(outcome.effect.n, outcome.effect.unit)
    if questions > 1:
        have += f" and {questions} {of}"
    unreachable = note("cannot-reach-alpha", have=have, least=smallest, alpha=alpha)
    return replace(outcome, p_value=None, notes=(*outcome.notes, unreachable))


def out_of_reach(outcome: TestOutcome) -> bool:
    """Whether no outcome of this design could have reached the level."""
    return any(one.code == "cannot-reach-alpha" for one in outcome.notes)


def least_p(outcome: TestOutcome) -> float | None:
    """The smallest two-sided p-value that any outcome of so many units could have had."""
    record = record_of(outcome.method)
    return None if record is None or record.least_p is None else record.least_p(outcome)
