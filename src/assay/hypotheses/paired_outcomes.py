"""Two models on the same items, right or wrong: only the items they disagree on tell them apart."""

import math
from dataclasses import replace
from typing import Any, Literal

from assay.core.checks import check_choice
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, TestOutcome
from assay.core.vocabulary import Alternative
from assay.estimates.differences import tango_of
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import as_paired_table
from assay.hypotheses import least_p
from assay.kernels.binomial import at_least, at_most
from assay.kernels.differences import FourCounts, agresti_min_limits, four_counts
from assay.kernels.tails import normal_log10_p, normal_p, normal_reach, two_tails

Variant = Literal["score", "exact", "mid-p", "continuity", "edwards"]
VARIANTS: tuple[Variant, ...] = ("score", "exact", "mid-p", "continuity", "edwards")
WIDE = 1.1
"""How many times the width of another interval that covers is noted."""


@method(
    question="Do two models differ in accuracy on the same items?",
    takes="paired-table",
    gives="test",
    unit="item",
    assumes=("independent items", "both models were tested on every item"),
    reference="McNemar (1947), Psychometrika 12; Fagerland, Lydersen & Laake (2013), BMC Med Res Meth 13",
    requirement="T4",
    same_as="R: mcnemar.test(matrix(c({both_right}, {only_b}, {only_a}, {both_wrong}), 2), correct = FALSE)",
    formula="z = (only_a - only_b)/sqrt(only_a + only_b), chi2 = z²",
    name="McNemar",
    title="McNemar's test",
    least_p=least_p.discordant,
    posterior="paired_rates",
    calibrated_by="discordant",
    planned_by="paired_proportions",
    batched_by="discordant_counts",
    redrawn_by="four_counts",
)
def mcnemar(
    *table: Any,
    variant: Variant = "score",
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """McNemar's test from (both_right, only_a, only_b, both_wrong), or from paired evidence.

    "score" is the chi-square without correction, of which Tango's interval is the inversion;
    "exact" and "mid-p" are binomial, "continuity" takes one off |only_a - only_b| but never goes
    below zero, "edwards" always takes it off. All stand in details.
    """
    counts = as_paired_table(*table)
    asked = MethodQuestion.of("mcnemar", level=level, alternative=alternative)
    chosen = check_choice(variant, VARIANTS, "variant")
    only_a, only_b = counts.only_a, counts.only_b
    cells = four_counts(counts.both_right, only_a, only_b, counts.both_wrong)
    effect = tango_of(cells, level=level, alternative=asked.side)
    notes: tuple[Note, ...] = ()
    if chosen != "score":
        notes = (note("variant-differs", variant=chosen, default="the score test"),)
    if only_a + only_b == 0:
        notes = (note("no-disagreement", n=counts.n),)
        effect = _with_zero(effect)
    elif asked.side == "two-sided":
        notes = (*notes, *_wide(effect, cells, level))
    return asked.outcome(
        _statistic(only_a, only_b, chosen),
        p_value_of(only_a, only_b, chosen, asked.side),
        effect,
        notes=notes,
        details=(*_details(only_a, only_b, asked.side), ("variant", chosen)),
    )


def _with_zero(effect: Estimate) -> Estimate:
    """The interval holds 0, which p = 1 does not reject: one limit of a level below a half lies beyond it."""
    own = effect.interval
    if own is None or own.contains(0.0):
        return effect
    return replace(effect, interval=replace(own, low=min(own.low, 0.0), high=max(own.high, 0.0)))


def _wide(effect: Estimate, cells: FourCounts, level: float) -> tuple[Note, ...]:
    """A note where few disagree and another interval that covers is more than a tenth narrower."""
    own, differ = effect.interval, int(cells.only_a + cells.only_b)
    low, high = agresti_min_limits(cells, normal_reach(level, "two-sided"))
    other = float(high - low)
    if own is None or own.width <= WIDE * other or 2 * differ > cells.n:
        return ()
    return (note("wide-where-few-differ", count=differ, ratio=own.width / other),)


def _statistic(only_a: int, only_b: int, variant: Variant) -> float | None:
    """The signed z, or for the binomial variants by how many items A leads."""
    lead, discordant = only_a - only_b, only_a + only_b
    if variant in ("exact", "mid-p"):
        return float(lead)
    if discordant == 0:
        return None
    size = abs(lead)
    if variant == "continuity":
        size = max(size - 1, 0)
    if variant == "edwards":
        size = abs(size - 1)
    return math.copysign(size / math.sqrt(discordant), lead)


def p_value_of(only_a: int, only_b: int, variant: Variant, side: Alternative) -> float:
    """Without disagreement 1, whatever the variant: the limit of every table with equal counts."""
    discordant = only_a + only_b
    if discordant == 0:
        return 1.0
    if variant == "exact":
        more, fewer, _ = _tails(only_a, discordant)
        return two_tails(more, fewer, side)
    if variant == "mid-p":
        return _mid_p(_tails(only_a, discordant), side, even=only_a == only_b)
    if variant == "score" or side == "two-sided":
        z = _statistic(only_a, only_b, variant)
        return normal_p(z if z is not None else 0.0, side)
    # one-sided: P(X >= only_a) is that of a normal above only_a - 1/2
    towards = -1 if side == "greater" else 1
    return normal_p((only_a - only_b + towards) / math.sqrt(discordant), side)


def _tails(only_a: int, discordant: int) -> tuple[float, float, float]:
    """The probabilities of at least so many, of at most so many, and of exactly so many.

    The last is from the smaller tail, which keeps its digits.
    """
    rarer = min(only_a, discordant - only_a)
    ends = [float(at_most(count, discordant, 0.5)) for count in (only_a, rarer, rarer - 1)]
    return float(at_least(only_a, discordant, 0.5)), ends[0], ends[1] - ends[2]


def _mid_p(tails: tuple[float, float, float], side: Alternative, *, even: bool) -> float:
    """Half of the probability of the observed count is left out; equal counts as in Fagerland."""
    more, fewer, observed = tails
    if side != "two-sided":
        return (more if side == "greater" else fewer) - observed / 2.0
    if even:
        return 1.0 - observed / 2.0
    return 2.0 * min(more, fewer) - observed


def _details(only_a: int, only_b: int, side: Alternative) -> Details:
    """Every variant, two-sided, under the names of the reference cases."""
    discordant, size = only_a + only_b, abs(only_a - only_b)
    squares: dict[str, float | None] = {
        "chi2": None,
        "chi2_cc_edwards": None,
        "chi2_cc_clamped": None,
        "R_chi2_cc": None,
    }
    if discordant:
        squares = {
            "chi2": size**2 / discordant,
            "chi2_cc_edwards": (size - 1) ** 2 / discordant,
            "chi2_cc_clamped": max(size - 1, 0) ** 2 / discordant,
            "R_chi2_cc": (size - 1) ** 2 / discordant if size else 0.0,
        }
    chi2 = squares["chi2"]
    pairs: list[tuple[str, float | int | None]] = [
        ("only_a", only_a),
        ("only_b", only_b),
        ("z", None if chi2 is None else math.copysign(math.sqrt(chi2), only_a - only_b)),
    ]
    for name, square in squares.items():
        p_name = "R_p_chi2_cc" if name == "R_chi2_cc" else f"p_{name}"
        p = None if square is None else normal_p(math.sqrt(square), "two-sided")
        pairs += [(name, square), (p_name, p)]
    more, fewer, observed = tails = _tails(only_a, discordant)
    doubled = 2.0 * min(more, fewer) - observed
    signed = (only_a - only_b) / math.sqrt(max(discordant, 1))
    return (
        *pairs,
        ("exact_p", two_tails(more, fewer, "two-sided")),
        ("midp_p", _mid_p(tails, "two-sided", even=only_a == only_b)),
        ("midp_p_doubled_tail", min(1.0, doubled)),
        ("log10_p", None if chi2 is None else normal_log10_p(signed, side)),
    )
