"""What Wilcoxon's test tells besides its p-value: sums of ranks, the pseudo-median, and caveats."""

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from assay.core.errors import NotApplicable
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate
from assay.core.vocabulary import Alternative
from assay.estimates.method_question import MethodQuestion
from assay.kernels.signed_rank_pairs import RankedPairs
from assay.kernels.signed_ranks import SignedRanks
from assay.kernels.tails import alpha_of, normal_log10_p

Way = Literal["auto", "exact", "normal"]

EXACT_WORK = 5e8
"""Additions up to which the exact distribution is the default; untied, some 1,200 differences."""
SHIFTS_WORK = 3e9
"""Additions that the exact distributions for an interval may take; tied, some 800 differences."""
COARSE = 1.0 / 12.0
"""The part of an interval above which half a step of the values is noted."""
EXACT_MOST = 1e10
"""Additions that an exact distribution may take when asked for."""


def zeros_note(count: int, n: int, effect: str) -> Note:
    return note("zeros-dropped", count=count, n=n, effect=effect)


def exactly(ranks: SignedRanks, way: Way) -> bool:
    """Whether the exact distribution is used; asked for, it may take longer."""
    if way == "normal":
        return False
    work = ranks.work()
    if way == "exact" and work > EXACT_MOST:
        raise NotApplicable(
            f"the exact distribution of {ranks.values.size} signed ranks takes {work:.1g} additions; "
            "use method='normal', which is as good for so many"
        )
    return way == "exact" or work <= EXACT_WORK


def shifted_exactly(ranks: SignedRanks, way: Way) -> bool:
    """Whether the exact distributions at other shifts, which an exact interval asks for, are too."""
    return ranks.shifts_work() <= (EXACT_MOST if way == "exact" else SHIFTS_WORK)


def rank_details(ranks: SignedRanks, side: Alternative, *, exact: bool) -> Details:
    plus, minus = ranks.sums()
    split = replace(ranks, zeros="split")
    split_plus, split_minus = split.sums()
    return (
        ("n", ranks.values.size + ranks.n_zero),
        ("n_nonzero", ranks.values.size),
        ("n_zero", ranks.n_zero),
        ("ties", bool(np.unique(ranks.sizes_ranked).size < ranks.values.size)),
        ("W_plus", plus),
        ("W_minus", minus),
        ("T_min", min(plus, minus)),
        ("z", ranks.z("two-sided", correct=False)),
        ("asymptotic_p", ranks.normal_p(side, correct=False)),
        ("asymptotic_cc_p", ranks.normal_p(side, correct=True)),
        ("log10_p", normal_log10_p(ranks.z("two-sided", correct=False), side)),
        ("exact_p", ranks.exact_p(side) if exact else None),
        ("R_plus", split_plus),
        ("R_minus", split_minus),
        ("z_demsar", -abs(split.z("two-sided", correct=False))),
        ("zeros", ranks.zeros),
    )


def rank_notes(ranks: SignedRanks, *, exact: bool, inverted: bool, asked: Way) -> tuple[Note, ...]:
    notes = []
    if ranks.n_zero:
        n = ranks.values.size + ranks.n_zero
        notes.append(zeros_note(ranks.n_zero, n, "the pseudo-median"))
    if asked == "auto" and not exact:
        notes.append(note("normal-used", n=ranks.values.size))
    if np.ptp(ranks.values) > 0.0:
        if exact and not inverted:
            notes.append(note("interval-by-normal", n=ranks.values.size))
    else:
        notes.append(_one_difference())
    return tuple(notes)


def interval_notes(
    ranks: SignedRanks, shifts: tuple[float, float, float], level: float
) -> tuple[Note, ...]:
    """Where ties or few differences make the interval of the shift wider than others that cover.

    Values on a grid let it end only at half steps; where hardly any outcome reaches the level, it
    reaches to the most extreme differences.
    """
    notes: list[Note] = []
    sizes = np.unique(ranks.values)
    if sizes.size == 1:
        return ()
    width = shifts[2] - shifts[1]
    if math.isfinite(width):
        few = sizes.size < min(20, ranks.values.size / 4)
        if few or float(np.diff(sizes).min()) / 2.0 > COARSE * width:
            notes.append(note("ties-coarse", count=sizes.size))
    n = ranks.values.size
    if 2.0 ** (1 - n) <= alpha_of(level) < 2.0 ** (2 - n):
        why = "the interval of the shift reaches to the most extreme differences"
        notes.append(note("few-for-the-level", n=n, level=level, why=why))
    elif ranks.n_zero and 2.0 ** (1 - n) > alpha_of(level):
        why = "the differences other than zero are too few to bound the shift"
        notes.append(note("few-for-the-level", n=n, level=level, why=why))
    return tuple(notes)


def pseudo_median(
    asked: MethodQuestion, ranks: SignedRanks, shifts: tuple[float, float, float]
) -> Estimate:
    """The Hodges-Lehmann estimate with the shifts that the same test does not reject.

    Of equal differences that is one shift, which a note says (decision 0083).
    """
    value, low, high = shifts
    interval = asked.interval(low, high)
    return asked.estimate(
        "pseudo_median", min(max(value, low), high), ranks.values.size + ranks.n_zero, interval
    )


def pair_notes(found: RankedPairs) -> list[tuple[Note, ...]]:
    """What is special about a pair: no difference at all, zeros, or one and the same difference."""
    n, flat = found.n, found.flat
    if (found.n_nonzero == n).all() and not flat.any():
        return [()] * flat.size
    notes: list[tuple[Note, ...]] = []
    for nonzero, constant in zip(found.n_nonzero.tolist(), flat.tolist(), strict=True):
        if nonzero == 0:
            notes.append((note("no-disagreement", n=n),))
        elif nonzero < n:
            notes.append((zeros_note(n - nonzero, n, "the pseudo-median"),))
        elif constant:
            notes.append((_one_difference(),))
        else:
            notes.append(())
    return notes


def _one_difference() -> Note:
    remedy = "it holds the one shift that is not rejected, and p uses the signs alone"
    return note("zero-variance", what="the differences", method="the interval", remedy=remedy)
