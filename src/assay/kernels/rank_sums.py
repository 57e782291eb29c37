"""Mann and Whitney's U as a function of the shift: statistic, p-values, differences of pairs."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.vocabulary import Alternative
from assay.kernels.integer_sums import choice_sum_tails, choice_sum_work, doubled
from assay.kernels.rank_test_inversion import (
    SHIFTS_TRIED,
    ShiftTest,
    Staircase,
    accepted_shifts,
    corrected,
    counted_shifts,
)
from assay.kernels.ranks import midranks, round_ties, round_values, tie_term
from assay.kernels.tails import alpha_of, normal_p, normal_reach

TwoSided = Literal["distance", "doubled"]

FEW_PAIRS = 10_000
"""Up to so many pairs it is faster to list all their differences than to count them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankSums:
    """Two samples without rounding noise; A is shifted down."""

    a: FloatArray
    b: FloatArray

    @classmethod
    def of(cls, a: FloatArray, b: FloatArray) -> "RankSums":
        """Samples in which equal decimals are equal numbers."""
        joint = round_values(np.concatenate([a, b]))
        return cls(a=joint[: a.size], b=joint[a.size :])

    def u(self, shift: float = 0.0) -> float:
        """Pairs in which A is larger, ties counting half."""
        return (
            float(self._ranks(shift)[: self.a.size].sum()) - self.a.size * (self.a.size + 1) / 2.0
        )

    def exact_p(
        self, alternative: Alternative, shift: float = 0.0, two_sided: TwoSided = "distance"
    ) -> float:
        """From the distribution of the rank sum over all allotments of the observed ranks.

        Two-sided by the distance from the mean, or as twice the smaller tail; without ties the same.
        """
        ranks = doubled(self._ranks(shift))
        below, above, far = choice_sum_tails(ranks, self.a.size, int(ranks[: self.a.size].sum()))
        if alternative == "two-sided":
            return far if two_sided == "distance" else min(1.0, 2.0 * min(below, above))
        return above if alternative == "greater" else below

    def work(self) -> float:
        """Additions that the exact distribution takes, times a dozen where ties ask for a new one
        at every shift.
        """
        n = self.a.size + self.b.size
        if n > 2000:
            return math.inf
        return choice_sum_work(doubled(self._ranks(0.0)), self.a.size) * self._distributions

    def shifts_work(self) -> float:
        """The same at other shifts, where coarse values of A and B no longer meet."""
        n = self.a.size + self.b.size
        return choice_sum_work(np.arange(n), self.a.size) * self._distributions

    @property
    def _distributions(self) -> int:
        return SHIFTS_TRIED if max(_repeats(self.a), _repeats(self.b)) else 1

    def z(self, alternative: Alternative, *, correct: bool, shift: float = 0.0) -> float | None:
        """The standardised U, moved half a pair towards 0 where ``correct``; None if all are tied."""
        joint = np.concatenate([self.a - shift, self.b])
        variance = self._variance(tie_term(joint))
        if variance <= 0.0:
            return None
        distance = self.u(shift) - self.a.size * self.b.size / 2.0
        return corrected(distance, alternative, correct=correct) / math.sqrt(variance)

    def normal_p(
        self, alternative: Alternative, *, correct: bool, shift: float = 0.0
    ) -> float | None:
        z = self.z(alternative, correct=correct, shift=shift)
        return None if z is None else min(1.0, normal_p(z, alternative))

    def stairs(self, alternative: Alternative, *, correct: bool) -> Staircase:
        """The shift to z, for pairs too many to list: U is counted by binary search."""
        a, b = np.sort(self.a), np.sort(self.b)
        level = math.sqrt(self._variance(tie_term(a) + tie_term(b)))

        def z_at(shift: float) -> float:
            distance = int(np.searchsorted(b, a - shift, side="left").sum()) - a.size * b.size / 2.0
            return corrected(distance, alternative, correct=correct) / level

        some = np.linspace(0.0, 1.0, 101)  # differences of quantiles, spread as all are
        return Staircase.about(
            np.sort(np.subtract.outer(np.quantile(a, some), np.quantile(b, some)).ravel()),
            min(a.size, b.size),
            z_at=z_at,
            following=lambda shift: _following(a, b, shift),
            preceding=lambda shift: -_following(b, a, -shift),
        )

    def _variance(self, ties: float) -> float:
        m, n = float(self.a.size), float(self.b.size)
        if m + n < 2.0:
            return 0.0
        return m * n / 12.0 * ((m + n + 1.0) - ties / ((m + n) * (m + n - 1.0)))

    def _ranks(self, shift: float) -> FloatArray:
        return midranks(np.concatenate([self.a - shift, self.b]), exact=True)


def unrejected_shifts(
    samples: RankSums,
    alternative: Alternative,
    level: float,
    *,
    p_null: float,
    exact: bool,
    correct: bool,
) -> tuple[float, float, float]:
    """The Hodges-Lehmann shift, and the ends of the shifts that the test does not reject."""
    m, n = samples.a.size, samples.b.size
    above = samples.u() > m * n / 2.0
    if not exact and m * n > FEW_PAIRS:
        plain = samples.stairs("two-sided", correct=False)
        tested = samples.stairs(alternative, correct=correct)
        return counted_shifts(plain, tested, level, alternative, p_null=p_null, above=above)
    differences = np.sort(round_ties(np.subtract.outer(samples.a, samples.b).ravel()))
    value = float(np.median(differences))

    def p_at(shift: float) -> float:
        if exact:
            return samples.exact_p(alternative, shift)
        p = samples.normal_p(alternative, correct=correct, shift=shift)
        return 1.0 if p is None else p

    breaks = np.unique(differences)
    spread = math.sqrt(m * n * (m + n + 1.0) / 12.0)
    outside = m * n / 2.0 - normal_reach(level, alternative) * spread
    test = ShiftTest(p_at=p_at, breaks=breaks, centre=value, p_null=p_null, above=above)
    guess = int(outside * breaks.size / differences.size)
    return (value, *accepted_shifts(test, alpha_of(level), alternative, guess))


def _following(a: FloatArray, b: FloatArray, shift: float) -> float:
    """The first difference of a and b above a shift, infinite if there is none."""
    places = np.searchsorted(b, a - shift, side="left")
    held = places > 0
    return float((a[held] - b[places[held] - 1]).min(initial=math.inf))


def _repeats(values: FloatArray) -> bool:
    return bool(np.unique(values).size < values.size)
