"""Wilcoxon's signed ranks as a function of the shift: statistic, p-values, averages of pairs."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IndexArray
from assay.core.vocabulary import Alternative
from assay.kernels.integer_sums import doubled, subset_sum_cdf, subset_sum_work
from assay.kernels.rank_test_inversion import (
    SHIFTS_TRIED,
    ShiftTest,
    Staircase,
    accepted_shifts,
    corrected,
    counted_shifts,
)
from assay.kernels.ranks import midranks, round_ties, tie_term
from assay.kernels.tails import alpha_of, normal_p, normal_reach

Zeros = Literal["drop", "pratt", "split"]

FEW = 110
"""Up to so many differences it is faster to list all their averages than to count them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignedRanks:
    """Differences that are not zero, and how the zeros enter the ranks.

    A zero stays a zero when the others are shifted: the null that is tested at every shift is the
    one that is tested at 0.
    """

    values: FloatArray
    sizes_ranked: FloatArray
    """Midranks of the absolute values."""
    n_zero: int
    zeros: Zeros

    @classmethod
    def of(cls, differences: FloatArray, zeros: Zeros) -> "SignedRanks":
        values = differences[differences != 0.0]
        return cls(
            values=values,
            sizes_ranked=midranks(np.abs(values), exact=True),
            n_zero=differences.size - values.size,
            zeros=zeros,
        )

    @property
    def offset(self) -> int:
        """Ranks below those of the differences that are not zero."""
        return 0 if self.zeros == "drop" else self.n_zero

    def sums(self, shift: float = 0.0) -> tuple[float, float]:
        """The rank sums of positive and negative differences; split zeros are in both."""
        ranks, positive = self._ranks(shift)
        shared = self.n_zero * (self.n_zero + 1) / 4.0 if self.zeros == "split" else 0.0
        return float(ranks[positive].sum()) + shared, float(ranks[~positive].sum()) + shared

    def exact_p(self, alternative: Alternative, shift: float = 0.0) -> float:
        """From the distribution of the rank sum over all signs, midranks as they are."""
        ranks, positive = self._ranks(shift)
        weights = doubled(ranks)
        plus, total = int(weights[positive].sum()), int(weights.sum())
        if alternative == "less":
            return subset_sum_cdf(weights, plus)
        if alternative == "greater":
            return subset_sum_cdf(weights, total - plus)
        return min(1.0, 2.0 * subset_sum_cdf(weights, min(plus, total - plus)))

    def work(self) -> float:
        """Additions that the exact distribution takes."""
        if self.values.size > 10**4:
            return math.inf
        return subset_sum_work(doubled(self._ranks(0.0)[0]))

    def shifts_work(self) -> float:
        """Additions that the exact distributions at other shifts take: with ties each has its own."""
        n = self.values.size
        if np.unique(self.values).size == n:
            return self.work()  # between the breaks it is that of untied ranks, always the same
        return SHIFTS_TRIED * n * (n * (n + 1) / 2.0 + n * self.offset)

    def z(self, alternative: Alternative, *, correct: bool, shift: float = 0.0) -> float:
        """The standardised rank sum, moved half a rank towards 0 where ``correct``."""
        ranks, positive = self._ranks(shift)
        if self.zeros == "split":  # Demsar's z: all n differences, no correction for ties
            n = self.values.size + self.n_zero
            distance = self.sums(shift)[0] - n * (n + 1) / 4.0
            variance = n * (n + 1) * (2 * n + 1) / 24.0
        else:
            distance = float(ranks[positive].sum() - ranks[~positive].sum()) / 2.0
            variance = float((ranks**2).sum()) / 4.0
        return corrected(distance, alternative, correct=correct) / math.sqrt(variance)

    def normal_p(self, alternative: Alternative, *, correct: bool, shift: float = 0.0) -> float:
        return min(1.0, normal_p(self.z(alternative, correct=correct, shift=shift), alternative))

    def averages(self) -> tuple[FloatArray, FloatArray]:
        """Sorted averages of pairs i <= j, and by how much the rank sum falls at each."""
        rows, columns = np.triu_indices(self.values.size)
        walsh = round_ties((self.values[rows] + self.values[columns]) / 2.0)
        steps = np.where(rows == columns, 1.0 + self.offset, 1.0)
        order = np.argsort(walsh, kind="stable")
        return walsh[order], steps[order]

    def stairs(self, alternative: Alternative, *, correct: bool) -> Staircase:
        """The shift to z, for differences too many to list their averages.

        The rank sum at a shift is the number of averages above it, counted by binary search.
        """
        ordered = np.sort(self.values)
        n = ordered.size
        level = math.sqrt(self._variance_between_breaks(ordered))
        centre = n * (n + 1) / 4.0 + n * self.offset / 2.0

        def z_at(shift: float) -> float:
            below, partners = _partners(ordered, shift)
            pairs = n * n - 2 * int(partners.sum()) + below * below
            distance = (pairs + (1 + 2 * self.offset) * (n - below)) / 2.0 - centre
            return corrected(distance, alternative, correct=correct) / level

        return Staircase.about(
            ordered,
            n,
            z_at=z_at,
            following=lambda shift: _following(ordered, shift),
            preceding=lambda shift: -_following(-ordered[::-1], -shift),
        )

    def _variance_between_breaks(self, ordered: FloatArray) -> float:
        """The variance of the rank sum at a shift where only equal differences are tied."""
        n, k = ordered.size, self.offset
        if self.zeros == "split":
            n += self.n_zero
            return n * (n + 1) * (2 * n + 1) / 24.0
        squares = n * k * k + k * n * (n + 1) + n * (n + 1) * (2 * n + 1) / 6.0
        return (squares - tie_term(ordered) / 12.0) / 4.0

    def _ranks(self, shift: float) -> tuple[FloatArray, BoolArray]:
        if shift == 0.0:
            return self.sizes_ranked + self.offset, self.values > 0.0
        shifted = self.values - shift
        return midranks(np.abs(shifted), exact=True) + self.offset, shifted > 0.0


def _partners(ordered: FloatArray, shift: float) -> tuple[int, IndexArray]:
    """How many values are not above a shift, and for each how many make an average not above it.

    Of two whose average is not above the shift one is not, so that all pairs are told by these.
    """
    below = int(np.searchsorted(ordered, shift, side="right"))
    return below, np.searchsorted(ordered, 2.0 * shift - ordered[:below], side="right")


def _following(ordered: FloatArray, shift: float) -> float:
    """The first average of two above a shift, infinite if there is none."""
    below, partners = _partners(ordered, shift)
    held = partners < ordered.size
    averages = (ordered[:below][held] + ordered[partners[held]]) / 2.0
    return min(float(averages.min(initial=math.inf)), float(ordered[below:].min(initial=math.inf)))


def unrejected_shifts(
    ranks: SignedRanks,
    alternative: Alternative,
    level: float,
    *,
    p_null: float,
    exact: bool,
    correct: bool,
) -> tuple[float, float, float]:
    """The Hodges-Lehmann estimate, and the ends of the shifts that the test does not reject.

    ``p_null`` is the p-value at shift 0, with which the interval agrees.
    """
    plus, minus = ranks.sums()
    if not exact and ranks.values.size > FEW:
        plain = ranks.stairs("two-sided", correct=False)
        tested = ranks.stairs(alternative, correct=correct)
        above = plus > minus
        return counted_shifts(plain, tested, level, alternative, p_null=p_null, above=above)
    walsh, steps = ranks.averages()
    value = _weighted_median(walsh, steps)

    def p_at(shift: float) -> float:
        if exact:
            return ranks.exact_p(alternative, shift)
        return ranks.normal_p(alternative, correct=correct, shift=shift)

    breaks = np.unique(walsh)
    n = float(ranks.values.size)
    spread = math.sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0)
    outside = walsh.size / 2.0 - normal_reach(level, alternative) * spread
    test = ShiftTest(p_at=p_at, breaks=breaks, centre=value, p_null=p_null, above=plus > minus)
    guess = int(outside * breaks.size / walsh.size)
    return (value, *accepted_shifts(test, alpha_of(level), alternative, guess))


def _weighted_median(ordered: FloatArray, weights: FloatArray) -> float:
    """The value with half of the weight on either side; between two, their mean."""
    reached = np.cumsum(weights)
    half = reached[-1] / 2.0
    place = int(np.searchsorted(reached, half))
    if reached[place] == half and place + 1 < ordered.size:
        return float(ordered[place] + ordered[place + 1]) / 2.0
    return float(ordered[place])
