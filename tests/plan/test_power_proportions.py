"""Power of tests of right and wrong: R, enumeration by hand, simulation of assay's own tests."""

import math
from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.vocabulary import Alternative
from assay.hypotheses.independent_outcomes import two_proportions_z
from assay.hypotheses.one_model import binomial
from assay.hypotheses.paired_outcomes import mcnemar
from assay.plan.power_proportions import (
    ENUMERATED_MOST,
    TwoProportionsVariant,
    cohen_h,
    mcnemar_power,
    one_proportion_power,
    two_proportions_power,
)
from assay.reference import Case, cases
from tests.support import agree

SIDES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def of(n: float) -> NDArray[np.float64]:
    return np.array([float(n)])


def chance(k: int, n: int, p: float) -> float:
    return float(comb(n, k) * p**k * (1 - p) ** (n - k))


class TestOneProportion:
    @pytest.mark.parametrize("case", list(cases("power__one_proportion")), ids=lambda case: case.id)
    def test_arcsine_agrees_with_pwr(self, case: Case) -> None:
        asked = case.input
        found = one_proportion_power(
            of(asked["n"]), asked["p0"], asked["p"], asked["alpha"], "two-sided", "arcsine"
        )
        assert agree(found[0], case.expected["power_arcsine"], 1e-9)

    @pytest.mark.parametrize("side", SIDES)
    @pytest.mark.parametrize(("n", "null", "true"), [(7, 0.3, 0.8), (12, 0.6, 0.1), (25, 0.5, 0.7)])
    def test_exact_is_the_enumerated_test(
        self, n: int, null: float, true: float, side: Alternative
    ) -> None:
        by_hand = sum(
            chance(k, n, true)
            for k in range(n + 1)
            if (binomial(k, n, null=null, alternative=side).p_value or 0.0) <= 0.05
        )
        found = one_proportion_power(of(n), null, true, 0.05, side)
        assert found[0] == pytest.approx(by_hand, rel=1e-12, abs=1e-15)

    def test_approximations_are_near_with_many_items(self) -> None:
        exact, normal, arcsine = (
            one_proportion_power(of(20_000), 0.7, 0.71, 0.05, "two-sided", variant)[0]
            for variant in ("exact", "normal", "arcsine")
        )
        assert normal == pytest.approx(exact, abs=0.01)
        assert arcsine == pytest.approx(exact, abs=0.02)

    def test_never_rejects_where_no_count_is_rare_enough(self) -> None:
        assert one_proportion_power(of(3), 0.5, 0.99, 0.05, "two-sided")[0] == 0.0


class TestTwoProportions:
    @pytest.mark.parametrize(
        "case",
        [case for case in cases("power__two_proportions") if "n_per_group" in case.input],
        ids=lambda case: case.id,
    )
    def test_approximations_agree_with_r(self, case: Case) -> None:
        asked = case.input
        names: dict[TwoProportionsVariant, str] = {
            "normal": "power_normal",
            "strict": "power_normal_strict",
            "arcsine": "power_arcsine",
        }
        n, rates = of(asked["n_per_group"]), (asked["p2"], asked["p1"])
        for variant, name in names.items():
            found = two_proportions_power(n, *rates, asked["alpha"], "two-sided", variant)
            assert agree(found[0], case.expected[name], 1e-9), variant

    @pytest.mark.parametrize("side", SIDES)
    @pytest.mark.parametrize(("n", "a", "b"), [(6, 0.8, 0.3), (9, 0.1, 0.6), (5, 0.99, 0.98)])
    def test_is_the_enumerated_test(self, n: int, a: float, b: float, side: Alternative) -> None:
        by_hand = 0.0
        for count_a, count_b in product(range(n + 1), repeat=2):
            p = two_proportions_z(count_a, n, count_b, n, alternative=side).p_value
            if p is not None and p <= 0.05:
                by_hand += chance(count_a, n, a) * chance(count_b, n, b)
        found = two_proportions_power(of(n), a, b, 0.05, side)
        assert found[0] == pytest.approx(by_hand, rel=1e-12, abs=1e-15)


class TestMcNemar:
    @pytest.mark.parametrize(
        "case", [c for c in cases("power__mcnemar") if "n" in c.input], ids=lambda case: case.id
    )
    def test_agrees_with_r(self, case: Case) -> None:
        asked = case.input
        sizes = asked["p01"] + asked["p10"], asked["p10"] - asked["p01"]
        for variant, name in (("connor", "power_connor"), ("exact", "power_exact_test")):
            found = mcnemar_power(of(asked["n"]), *sizes, asked["alpha"], "two-sided", variant)  # type: ignore[arg-type]
            assert agree(found[0], case.expected[name], case.rtol), variant

    @pytest.mark.parametrize("side", SIDES)
    @pytest.mark.parametrize("variant", ["score", "exact"])
    def test_is_the_enumerated_test(self, variant: str, side: Alternative) -> None:
        n, discordant, difference = 9, 0.6, 0.3
        only_a, only_b = (discordant + difference) / 2, (discordant - difference) / 2
        by_hand = 0.0
        for a, b in product(range(n + 1), repeat=2):
            if a + b > n:
                continue
            p = mcnemar(0, a, b, n - a - b, variant=variant, alternative=side).p_value  # type: ignore[arg-type]
            if p is not None and p <= 0.05:
                ways = comb(n, a) * comb(n - a, b)
                by_hand += ways * only_a**a * only_b**b * (1 - discordant) ** (n - a - b)
        found = mcnemar_power(of(n), discordant, difference, 0.05, side, variant)  # type: ignore[arg-type]
        assert found[0] == pytest.approx(by_hand, rel=1e-12, abs=1e-15)

    @pytest.mark.parametrize(
        ("n", "discordant", "difference"), [(50, 0.2, 0.1), (200, 0.1, 0.06), (1000, 0.3, 0.05)]
    )
    def test_agrees_with_simulation(self, n: int, discordant: float, difference: float) -> None:
        rng, studies = np.random.default_rng(1), 40_000
        shares = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
        only_a, only_b, _ = rng.multinomial(n, shares, size=studies).T
        lead = np.abs(only_a - only_b) >= 1.959963984540054 * np.sqrt(only_a + only_b)
        simulated = float((lead & (only_a + only_b > 0)).mean())
        found = float(mcnemar_power(of(n), discordant, difference, 0.05, "two-sided")[0])
        assert abs(found - simulated) < 4 * math.sqrt(found * (1 - found) / studies)

    def test_swapping_the_models_changes_nothing(self) -> None:
        one, other = (mcnemar_power(of(80), 0.3, d, 0.05, "two-sided")[0] for d in (0.1, -0.1))
        assert one == pytest.approx(other, rel=1e-12)

    def test_every_item_discordant_and_one_sided(self) -> None:
        assert mcnemar_power(of(30), 0.1, 0.1, 0.05, "greater")[0] > 0.3
        assert mcnemar_power(of(10), 1.0, 1.0, 0.05, "two-sided")[0] == pytest.approx(1.0)

    def test_normal_formula_takes_over_without_a_step(self) -> None:
        below, above = (
            mcnemar_power(of(n), 0.2, 0.0005, 0.05, "two-sided")[0]
            for n in (ENUMERATED_MOST, ENUMERATED_MOST + 1)
        )
        assert above == pytest.approx(below, abs=2e-3)


def test_cohen_h() -> None:
    assert cohen_h(0.5, 0.5) == 0.0
    assert cohen_h(1.0, 0.0) == pytest.approx(math.pi)
