"""A difference of two rates with its interval."""

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Estimate
from assay.estimates.differences import (
    agresti_caffo,
    agresti_min,
    bonett_price,
    confidence_better,
    margins_range,
    newcombe,
    newcombe_cc,
    newcombe_paired,
    score_difference,
    tango,
    wald_difference,
    wald_paired,
)
from assay.kernels.differences import four_counts, score_limits, tango_limits, two_rates
from assay.reference import Case, cases
from tests.support import agree

Z = 1.959963984540054
UNPAIRED: Mapping[str, Callable[..., Estimate]] = {
    "wald_difference": wald_difference,
    "newcombe": newcombe,
    "newcombe_cc": newcombe_cc,
    "score_difference": score_difference,
    "agresti_caffo": agresti_caffo,
}
PAIRED: Mapping[str, Callable[..., Estimate]] = {
    "tango": tango,
    "newcombe_paired": newcombe_paired,
    "wald_paired": wald_paired,
    "agresti_min": agresti_min,
    "bonett_price": bonett_price,
}
COUNTS = st.integers(1, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TABLES = st.tuples(*[st.integers(0, 40)] * 4).filter(lambda counts: sum(counts) > 0)
RATES = list(cases("proportion__two_prop_diff_ci"))
SAME_ITEMS = list(cases("proportion__paired_diff_ci"))


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def codes(estimate: Estimate) -> set[str]:
    return {note.code for note in estimate.notes}


def rates_of(case: Case) -> tuple[int, int, int, int]:
    return tuple(case.input[name] for name in ("k1", "n1", "k2", "n2"))


def table_of(case: Case) -> tuple[int, int, int, int]:
    return tuple(case.input[name] for name in ("n11", "n10", "n01", "n00"))


class TestWaldDifference:
    @pytest.mark.parametrize("rates", [(0, 10, 0, 12), (10, 10, 0, 12), (1, 1, 0, 1)])
    def test_has_no_interval_of_zero_width(self, rates: tuple[int, int, int, int]) -> None:
        estimate = wald_difference(*rates)
        assert estimate.interval is None
        assert estimate.standard_error is None
        assert codes(estimate) == {"zero-variance"}


class TestNewcombe:
    def test_newcombes_first_example(self) -> None:
        """Newcombe (1998), table II (a): 56/70 - 48/80, method 10 gives 0.0524 to 0.3339."""
        assert [round(limit, 4) for limit in limits(newcombe(56, 70, 48, 80))] == [0.0524, 0.3339]


class TestScoreDifference:
    def test_where_statsmodels_errs(self) -> None:
        """56/70 - 48/80: right is (0.0528, 0.3382), statsmodels 0.14 and 0.15 say (0.0526, 0.3440)."""
        found = limits(score_difference(56, 70, 48, 80, variant="miettinen_nurminen"))
        assert [round(limit, 4) for limit in found] == [0.0528, 0.3382]

    @pytest.mark.parametrize("case", RATES, ids=lambda c: c.id)
    def test_agrees_with_bisection_at_forty_digits(self, case: Case) -> None:
        level = case.input["confidence"]
        for variant in ("mee", "miettinen_nurminen"):
            estimate = score_difference(*rates_of(case), level=level, variant=variant)
            assert agree(limits(estimate), case.expected[variant], 1e-11, atol=1e-12)

    @pytest.mark.parametrize("case", list(cases("proportion__two_prop_z")), ids=lambda c: c.id)
    def test_decides_as_the_pooled_z_test(self, case: Case) -> None:
        p_value = case.expected["p_pooled"]
        if case.input["alternative"] != "two-sided" or p_value is None:
            return
        for level in (0.8, 0.9, 0.95, 0.99):
            low, high = limits(score_difference(*rates_of(case), level=level))
            assert (low <= 0.0 <= high) == (p_value > 1 - level)

    def test_no_errors_at_all(self) -> None:
        low, high = limits(score_difference(0, 40, 0, 60))
        assert agree(low, -(Z**2) / (60 + Z**2))
        assert agree(high, Z**2 / (40 + Z**2))

    @pytest.mark.parametrize(("p", "sizes"), list(product((0.02, 0.2, 0.5), ((30, 30), (50, 500)))))
    def test_level_of_the_pooled_z_by_enumeration(self, p: float, sizes: tuple[int, int]) -> None:
        """Its level is near the nominal; below 5 expected errors it may stay far under it."""
        n_a, n_b = sizes
        a, b = np.meshgrid(np.arange(n_a + 1), np.arange(n_b + 1), indexing="ij")
        mass = stats.binom.pmf(a, n_a, p) * stats.binom.pmf(b, n_b, p)
        likely = mass > 1e-9
        low, high = score_limits(two_rates(a[likely], n_a, b[likely], n_b), Z)
        missed = mass[likely][(low > 0.0) | (high < 0.0)].sum()
        assert missed <= 0.07

    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of mee, miettinen_nurminen"):
            score_difference(1, 10, 2, 10, variant="score")  # type: ignore[arg-type]


class TestConfidenceBetter:
    def test_the_lectures_example(self) -> None:
        """z = 0.848 is 60.4 % two-sided and 80.2 % one-sided; a table's floor is 50 % and 75 %."""
        facts = details(confidence_better(20, 100, 25, 100))
        assert round(facts["confidence_two_sided"], 3) == 0.604
        assert round(facts["confidence_one_sided"], 3) == 0.802

    def test_is_the_level_whose_interval_ends_at_zero(self) -> None:
        two_sided = details(confidence_better(20, 100, 25, 100))["confidence_two_sided"]
        assert agree(limits(wald_difference(20, 100, 25, 100, level=two_sided))[1], 0.0)

    def test_swapping_gives_the_rest(self) -> None:
        one, other = confidence_better(20, 100, 25, 90), confidence_better(25, 90, 20, 100)
        both = [details(e)["confidence_one_sided"] for e in (one, other)]
        assert agree(sum(both), 1.0)
        assert one.value == -(other.value or 0.0)

    def test_is_never_called_a_probability_of_a_hypothesis(self) -> None:
        doc = confidence_better.__doc__ or ""
        assert "not the probability that A is better" in doc

    def test_without_variance(self) -> None:
        estimate = confidence_better(0, 10, 0, 10)
        assert details(estimate)["confidence_one_sided"] is None
        assert codes(estimate) == {"zero-variance"}


class TestTango:
    def test_tangos_example(self) -> None:
        """Tango (1998): 43 lenses right with both, 1 with one only; 90 % from -0.096 to 0.037."""
        low, high = limits(tango(43, 0, 1, 0, level=0.9))
        assert (round(low, 3), round(high, 3)) == (-0.096, 0.037)

    @pytest.mark.parametrize("case", SAME_ITEMS, ids=lambda c: c.id)
    def test_agrees_with_bisection_at_forty_digits(self, case: Case) -> None:
        estimate = tango(*table_of(case), level=case.input["confidence"])
        assert agree(estimate.value, case.expected["diff"], case.rtol)
        assert agree(limits(estimate), case.expected["tango"], 1e-11, atol=1e-12)

    def test_without_disagreement(self) -> None:
        low, high = limits(tango(30, 0, 0, 12))
        assert agree(high, Z**2 / (42 + Z**2))
        assert agree(low, -high)

    @given(TABLES)
    def test_decides_as_mcnemar(self, counts: tuple[int, int, int, int]) -> None:
        _, only_a, only_b, _ = counts
        if only_a + only_b == 0:
            return
        p_value = stats.chi2.sf((only_a - only_b) ** 2 / (only_a + only_b), 1)
        for level in (0.9, 0.95, 0.99):
            low, high = limits(tango(*counts, level=level))
            if abs(p_value - (1 - level)) > 1e-9:
                assert (low <= 0.0 <= high) == (p_value > 1 - level)

    @pytest.mark.parametrize(("discordant", "n"), list(product((0.05, 0.2, 0.5), (20, 50))))
    def test_coverage_of_no_difference_by_enumeration(self, discordant: float, n: int) -> None:
        a, b = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
        fits = a + b <= n
        a, b = a[fits], b[fits]
        cells = np.stack([n - a - b, a, b], axis=1)
        shares = [1 - discordant, discordant / 2, discordant / 2]
        mass = np.asarray(stats.multinomial.pmf(cells, n, shares))
        low, high = tango_limits(four_counts(n - a - b, a, b, 0), Z)
        assert mass[(low <= 0.0) & (high >= 0.0)].sum() >= 0.935


class TestNewcombePaired:
    def test_plain_phi_can_lose_all_width(self) -> None:
        estimate = newcombe_paired(20, 0, 0, 20, variant="phi")
        assert estimate.interval is None
        assert codes(estimate) == {"zero-variance"}

    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of corrected_phi, phi"):
            newcombe_paired(1, 2, 3, 4, variant="method8")  # type: ignore[arg-type]


class TestWaldPaired:
    @pytest.mark.parametrize("counts", [(5, 0, 0, 5), (0, 9, 0, 0)])
    def test_has_no_interval_of_zero_width(self, counts: tuple[int, int, int, int]) -> None:
        estimate = wald_paired(*counts)
        assert estimate.interval is None
        assert codes(estimate) == {"zero-variance"}
        assert "tango" in estimate.notes[0].message


class TestMarginsRange:
    @pytest.mark.parametrize("totals", [(20, 25, 100), (3, 3, 8), (9, 2, 10), (0, 4, 7), (7, 7, 7)])
    def test_is_the_range_over_every_table(self, totals: tuple[int, int, int]) -> None:
        wrong_a, wrong_b, n = totals
        found, p_values = [], []
        for both in range(max(0, wrong_a + wrong_b - n), min(wrong_a, wrong_b) + 1):
            only_a, only_b = wrong_b - both, wrong_a - both
            found.append(limits(tango(n - wrong_a - wrong_b + both, only_a, only_b, both)))
            chi2 = (only_a - only_b) ** 2 / max(only_a + only_b, 1)
            p_values.append(stats.chi2.sf(chi2, 1))
        estimate = margins_range(*totals)
        facts = details(estimate)
        assert facts["tables"] == len(found)
        assert agree(limits(estimate), (min(low for low, _ in found), max(h for _, h in found)))
        assert agree(facts["tightest_low"], max(low for low, _ in found))
        assert agree(facts["tightest_high"], min(high for _, high in found))
        assert agree((facts["p_min"], facts["p_max"]), (min(p_values), max(p_values)))

    def test_says_that_the_pairing_is_unknown(self) -> None:
        estimate = margins_range(20, 25, 100)
        assert codes(estimate) == {"pairing-unknown"}
        assert "21 joint tables" in estimate.notes[0].message
        assert agree(estimate.value, 0.05)

    def test_more_errors_than_items(self) -> None:
        with pytest.raises(EvidenceError, match="cannot be more errors than items"):
            margins_range(3, 12, 10)


@pytest.mark.parametrize("name", UNPAIRED)
class TestEveryUnpairedDifference:
    @given(a=COUNTS, b=COUNTS)
    def test_mirrors_contains_and_grows(
        self, name: str, a: tuple[int, int], b: tuple[int, int]
    ) -> None:
        one, other = UNPAIRED[name](*a, *b, level=0.9), UNPAIRED[name](*b, *a, level=0.9)
        assert one.measure == "error_rate"
        assert agree(one.value, a[0] / a[1] - b[0] / b[1])
        if one.interval is None:
            assert name == "wald_difference"
            return
        low, high = limits(one)
        assert agree(limits(other), (-high, -low))
        # Agresti and Caffo shrink the difference, and may leave ±1 outside
        assert name == "agresti_caffo" or low - 1e-12 <= (one.value or 0.0) <= high + 1e-12
        wide = limits(UNPAIRED[name](*a, *b, level=0.99))
        assert wide[0] <= low + 1e-12
        assert wide[1] >= high - 1e-12

    def test_one_sided_bounds(self, name: str) -> None:
        two_sided = limits(UNPAIRED[name](6, 50, 9, 40, level=0.9))
        low, one = limits(UNPAIRED[name](6, 50, 9, 40, alternative="greater"))
        minus_one, high = limits(UNPAIRED[name](6, 50, 9, 40, alternative="less"))
        assert (minus_one, one) == (-1.0, 1.0)
        assert agree((low, high), two_sided)

    def test_wrong_evidence(self, name: str) -> None:
        with pytest.raises(EvidenceError, match="errors and items of both models"):
            UNPAIRED[name](1, 2, 3)


@pytest.mark.parametrize("name", PAIRED)
class TestEveryPairedDifference:
    @given(counts=TABLES)
    def test_mirrors_contains_and_grows(self, name: str, counts: tuple[int, int, int, int]) -> None:
        both_right, only_a, only_b, both_wrong = counts
        one = PAIRED[name](*counts, level=0.9)
        other = PAIRED[name](both_right, only_b, only_a, both_wrong, level=0.9)
        assert one.measure == "accuracy"
        assert agree(one.value, (only_a - only_b) / sum(counts))
        if one.interval is None:
            assert name == "wald_paired"
            return
        low, high = limits(one)
        assert agree(limits(other), (-high, -low))
        shrunk = name in ("agresti_min", "bonett_price")
        assert shrunk or low - 1e-12 <= (one.value or 0.0) <= high + 1e-12
        wide = limits(PAIRED[name](*counts, level=0.99))
        assert wide[0] <= low + 1e-12
        assert wide[1] >= high - 1e-12

    def test_arrays_of_right_and_wrong(self, name: str) -> None:
        a, b = np.array([1, 1, 0, 1, 0, 1]), np.array([1, 0, 1, 0, 0, 1])
        assert PAIRED[name](a, b).interval == PAIRED[name](2, 2, 1, 1).interval

    def test_one_sided_bounds(self, name: str) -> None:
        two_sided = limits(PAIRED[name](40, 9, 4, 7, level=0.9))
        low, one = limits(PAIRED[name](40, 9, 4, 7, alternative="greater"))
        minus_one, high = limits(PAIRED[name](40, 9, 4, 7, alternative="less"))
        assert (minus_one, one) == (-1.0, 1.0)
        assert agree((low, high), two_sided)

    def test_an_empty_table(self, name: str) -> None:
        with pytest.raises(EvidenceError, match="no item was tested"):
            PAIRED[name](0, 0, 0, 0)
