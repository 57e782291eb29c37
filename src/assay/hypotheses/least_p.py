"""The smallest two-sided p-value that any outcome of a design could have had, by kind of test.

A method's record names its own; tests without one (t, bootstraps) can reach any level. Where none could have
reached the level, that is said instead of a p-value.
"""

import math
from dataclasses import replace

from assay.core.methods import record_of
from assay.core.notes import note
from assay.core.results import TestOutcome
from assay.core.vocabulary import counted
from assay.kernels.tails import alpha_of, normal_p


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


def signs(outcome: TestOutcome) -> float:
    """All differences of one sign, which half of 2^(1-n) sign patterns are as far as."""
    return 2.0 ** (1 - outcome.effect.n)


def ranks_apart(outcome: TestOutcome) -> float | None:
    """All of A above all of B, or all below."""
    found = dict(outcome.details)
    sizes = (found.get("n_a"), found.get("n_b"))
    if not all(isinstance(size, int) for size in sizes):
        return None
    n_a, n_b = int(sizes[0] or 0), int(sizes[1] or 0)
    if min(n_a, n_b) > 500:
        return 0.0  # below 1e-300; the number of splits is too large for a float
    return 2 / math.comb(n_a + n_b, n_a)


def means_apart(outcome: TestOutcome) -> float | None:
    """As for ranks; of groups of different sizes the mirrored split is no split of theirs.

    So too for Fisher's test, all items of one model wrong and none of the other.
    """
    found = dict(outcome.details)
    least = ranks_apart(outcome)
    return least if least is None or found.get("n_a") == found.get("n_b") else least / 2.0


def discordant(outcome: TestOutcome) -> float:
    """McNemar's test with every item on one side, by its variant."""
    n, variant = outcome.effect.n, dict(outcome.details).get("variant", "score")
    if variant == "exact":
        return min(1.0, 2.0 ** (1 - n))
    if variant == "mid-p":
        return 2.0**-n
    lead = n if variant == "score" else max(n - 1, 0)
    return float(normal_p(lead / math.sqrt(n), "two-sided"))


def rates_apart(outcome: TestOutcome) -> float | None:
    """The pooled z of rates 0 and 1, whose square is the number of items; others are not bounded."""
    interval = outcome.effect.interval
    if interval is None or interval.method != "score_difference":
        return None
    return float(normal_p(math.sqrt(outcome.effect.n), "two-sided"))


def all_or_none(outcome: TestOutcome) -> float:
    """The binomial test with every item wrong, or every item right."""
    shares = (outcome.null, 1.0 - outcome.null)
    ends = [share**outcome.effect.n for share in shares]
    return sum(ends) if math.isclose(*shares) else min(ends)
