"""Checks of assumptions: reference values, other implementations, edges and the rules of size."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.wire import from_json, to_json
from assay.hypotheses.assumptions import (
    _lilliefors_p,
    anderson_darling,
    bartlett,
    dagostino,
    fligner,
    levene,
    lilliefors,
    mauchly,
    qq_points,
    sample_rules,
    shapiro_wilk,
)
from tests.support import agree

NORMALITY = [shapiro_wilk, dagostino, lilliefors, anderson_darling]
SPREAD = [levene, bartlett, fligner]
HOLLANDER = [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]


def codes(notes: Any) -> list[str]:
    return [note.code for note in getattr(notes, "notes", notes)]


class TestShapiroWilk:
    def test_too_many_values(self) -> None:
        with pytest.raises(NotApplicable, match="got 5001: use anderson_darling"):
            shapiro_wilk(np.arange(5001.0))


class TestLilliefors:
    @given(st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=5, max_size=40))
    def test_p_value_is_a_probability(self, values: list[float]) -> None:
        p_value = lilliefors(values).p_value
        assert p_value is None or 0.0 < p_value <= 1.0

    @pytest.mark.parametrize("n", [8, 40, 200])
    def test_level_on_normal_samples(self, n: int) -> None:
        rng = np.random.default_rng(n)
        rejected = [lilliefors(rng.normal(size=n)).rejects(0.05) for _ in range(1500)]
        assert np.mean(rejected) == pytest.approx(0.05, abs=0.02)


class TestAndersonDarling:
    @pytest.mark.parametrize("scale", [0.1, 1.0, 3.0])
    def test_agrees_with_statsmodels(self, scale: float) -> None:
        """Every piece of the approximation, from near-normal to far from it."""
        diagnostic = pytest.importorskip("statsmodels.stats.diagnostic")
        values = np.sinh(scale * np.linspace(-2.0, 2.2, 30))
        statistic, p_value = diagnostic.normal_ad(values)
        outcome = anderson_darling(values)
        assert agree(outcome.statistic, statistic)
        assert agree(outcome.p_value, p_value)

    def test_beyond_the_formula(self) -> None:
        values = np.concatenate([np.zeros(99), [1e6]])
        assert anderson_darling(values).p_value == 3.7e-24


class TestNormality:
    @pytest.mark.parametrize("check", NORMALITY)
    def test_values_that_do_not_vary(self, check: Callable[..., Any]) -> None:
        outcome = check([0.3, 0.1 + 0.2] * 10)
        assert outcome.p_value is None
        assert codes(outcome) == ["zero-variance"]

    @pytest.mark.parametrize("check", NORMALITY)
    def test_too_few_values(self, check: Callable[..., Any]) -> None:
        outcome = check([0.3, 0.4])
        assert outcome.p_value is None
        assert codes(outcome) == ["too-few-values"]

    @pytest.mark.parametrize("check", NORMALITY)
    def test_has_an_effect_and_says_that_it_has_no_interval(
        self, check: Callable[..., Any]
    ) -> None:
        outcome = check(np.arange(12.0) ** 2, unit="item")
        assert outcome.effect.value is not None
        assert outcome.effect.unit == "item"
        assert codes(outcome) == ["effect-without-interval"]
        assert from_json(to_json(outcome)) == outcome

    @pytest.mark.parametrize("check", NORMALITY)
    def test_order_and_units_do_not_matter(self, check: Callable[..., Any]) -> None:
        values = np.random.default_rng(2).gamma(2.0, size=25)
        shown = check(values)
        other = check(1000.0 * values[::-1] + 3.0)
        assert agree(other.p_value, shown.p_value, 1e-7)

    @pytest.mark.parametrize("check", NORMALITY)
    def test_missing_values_are_named(self, check: Callable[..., Any]) -> None:
        with pytest.raises(EvidenceError, match="missing or infinite"):
            check([1.0, float("nan"), 2.0])


class TestLevene:
    def test_distances_that_do_not_vary(self) -> None:
        outcome = levene([[0.1, 0.2], [0.7, 0.8]])
        assert outcome.p_value is None
        assert codes(outcome) == ["zero-variance"]
        assert outcome.effect.value == pytest.approx(1.0)

    def test_unknown_center(self) -> None:
        with pytest.raises(UsageError, match="center is one of median, mean"):
            levene(HOLLANDER, center="trimmed")


class TestBartlett:
    def test_a_group_of_one(self) -> None:
        with pytest.raises(EvidenceError, match="the group model 2 needs at least 2 values"):
            bartlett([[1.0, 2.0], [3.0]])

    def test_a_group_that_does_not_vary(self) -> None:
        outcome = bartlett([[1.0, 2.0], [3.0, 3.0]])
        assert outcome.p_value is None
        assert codes(outcome) == ["zero-variance"]


class TestFligner:
    def test_decimal_ties_are_in_the_details(self) -> None:
        """2.6 and 3.2 are equally far from 2.9 on paper; scaled to whole numbers also in binary."""
        plain = fligner(HOLLANDER)
        whole = fligner([[round(10 * x) for x in group] for group in HOLLANDER])
        assert dict(plain.details)["chi2_decimal_ties"] == pytest.approx(whole.statistic)
        assert plain.statistic != pytest.approx(whole.statistic)

    @pytest.mark.parametrize("groups", [[[0.0, 1.0], [3.0, 7.0]], [[0.0, 1.0], [3.0, 3.0]]])
    def test_one_distance_in_each_group(self, groups: list[list[float]]) -> None:
        """R 4.2.2: fligner.test(list(c(0, 1), c(3, 7))); Levene's F has no error there."""
        outcome = fligner(groups)
        assert outcome.statistic == pytest.approx(3.0, rel=1e-12)
        assert agree(outcome.p_value, 0.083264516663550558, 1e-12)

    def test_distances_that_do_not_vary(self) -> None:
        assert fligner([[0.1, 0.2], [0.7, 0.8]]).p_value is None
        assert fligner([[0.0, 2.0], [5.0, 3.0]]).p_value is None  # NA in R 4.2.2


class TestSpread:
    @pytest.mark.parametrize("check", SPREAD)
    def test_effect_is_the_ratio_of_spreads(self, check: Callable[..., Any]) -> None:
        outcome = check([[1.0, 2.0, 4.0], [10.0, 20.0, 40.0]])
        assert outcome.effect.measure == "sd_ratio"
        assert outcome.effect.value == pytest.approx(10.0)
        assert codes(outcome) == ["effect-without-interval"]

    @pytest.mark.parametrize("check", SPREAD)
    def test_shifting_a_group_changes_nothing(self, check: Callable[..., Any]) -> None:
        shifted = [HOLLANDER[0], [x + 8.0 for x in HOLLANDER[1]], HOLLANDER[2]]
        assert agree(check(shifted).p_value, check(HOLLANDER).p_value, 1e-7)


class TestMauchly:
    def test_effect_is_box_epsilon(self) -> None:
        outcome = mauchly(np.random.default_rng(1).normal(size=(10, 4)))
        assert outcome.effect.measure == "gg_epsilon"
        assert outcome.effect.value is not None
        assert 1 / 3 <= outcome.effect.value <= 1.0

    def test_variants_are_the_ones_in_the_details(self) -> None:
        table = np.random.default_rng(1).normal(size=(10, 4))
        facts = dict(mauchly(table).details)
        assert mauchly(table, variant="second-order").p_value == facts["p_second_order"]
        assert mauchly(table, variant="first-order").p_value == facts["p_first_order"]
        assert mauchly(table).p_value not in (facts["p_second_order"], facts["p_first_order"])

    def test_no_differences(self) -> None:
        outcome = mauchly(np.repeat([[0.1], [0.2], [0.3], [0.4]], 3, axis=1))
        assert outcome.p_value is None
        assert codes(outcome) == ["zero-variance"]

    @pytest.mark.parametrize(
        ("shape", "message"),
        [((6, 2), "two models have one difference"), ((3, 4), "Give at least 4 blocks")],
    )
    def test_not_applicable(self, shape: tuple[int, int], message: str) -> None:
        with pytest.raises(NotApplicable, match=message):
            mauchly(np.random.default_rng(1).normal(size=shape))

    def test_a_model_that_is_a_mixture(self) -> None:
        two = np.random.default_rng(1).normal(size=(8, 2))
        with pytest.raises(NotApplicable, match="a mixture of others"):
            mauchly(np.column_stack([two, two.mean(axis=1)]))


class TestQqPoints:
    def test_as_r(self) -> None:
        """R: qqnorm(c(3, 1, 2)), with ppoints(3) = (0.1923077, 0.5, 0.8076923)."""
        curve = qq_points([3.0, 1.0, 2.0])
        assert curve.column("values") == (1.0, 2.0, 3.0)
        assert curve.column("normal") == pytest.approx((-0.8694238, 0.0, 0.8694238), abs=1e-7)

    def test_normal_quantiles_lie_on_their_line(self) -> None:
        special = pytest.importorskip("scipy.special")
        positions = (np.arange(1, 102) - 0.5) / 101
        curve = qq_points(5.0 + 2.0 * special.ndtri(positions))
        details: dict[str, Any] = dict(curve.details)
        assert details["slope"] == pytest.approx(2.0, rel=0.02)
        assert details["intercept"] == pytest.approx(5.0)
        assert from_json(to_json(curve)) == curve

    def test_one_value(self) -> None:
        with pytest.raises(EvidenceError, match="at least 2"):
            qq_points([1.0])


class TestSampleRules:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ({"items": 29}, ["few-items"]),
            ({"items": 30}, []),
            ({"items_per_fold": [31, 29]}, ["few-items-per-fold"]),
            ({"items_per_fold": 30}, []),
            ({"pairs": 19}, ["few-pairs"]),
            ({"pairs": 20}, []),
            ({"items": 100, "rate": 0.05}, []),
            ({"items": 100, "rate": 0.04}, ["normal-approximation"]),
            ({"items": 100, "rate": 0.96}, ["normal-approximation"]),
            ({"items": 100, "rate": 1.0}, ["normal-approximation"]),
            ({"items": 100, "rate": 0.0}, ["normal-approximation"]),
            ({"differences": np.arange(1.0, 21.0)}, []),
            ({"differences": np.arange(20.0)}, ["zeros"]),
            ({"differences": [*range(1, 20), -3]}, ["ties"]),
            ({"differences": [0.1] * 20}, ["ties", "zero-variance"]),
            ({"differences": [0.768 - 0.763, *range(1, 19), 0.936 - 0.931]}, ["ties"]),
            ({}, []),
        ],
    )
    def test_rules(self, given: dict[str, Any], expected: list[str]) -> None:
        assert codes(sample_rules(**given)) == expected

    def test_each_says_what_to_do_instead(self) -> None:
        few, normal = sample_rules(items=20, rate=0.1)
        assert "exact methods" in few.message
        assert "N p = 2 and N(1-p) = 18" in normal.message
        assert "exact binomial" in normal.message

    @pytest.mark.parametrize("given", [{"items": 0}, {"pairs": 0}, {"items": 9, "rate": 1.5}])
    def test_refuses_what_cannot_be(self, given: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match=f"{[*given][-1]} is"):
            sample_rules(**given)

    def test_rate_needs_items(self) -> None:
        with pytest.raises(UsageError, match="needs items"):
            sample_rules(rate=0.5)


@pytest.mark.parametrize("n", [8, 20, 100, 10**9])
@pytest.mark.parametrize(("modified", "p_value"), [(0.775, 0.15), (0.819, 0.1), (0.895, 0.05)])
def test_lilliefors_p_is_that_of_stephens_table(n: int, modified: float, p_value: float) -> None:
    """D'Agostino and Stephens 1986, table 4.7: points of (√n − 0.01 + 0.85/√n) D."""
    gap = modified / (n**0.5 - 0.01 + 0.85 / n**0.5)
    assert _lilliefors_p(gap, n) == pytest.approx(p_value, abs=0.008)


def test_lilliefors_p_of_very_many_values_falls_on() -> None:
    """The table has 2.5 % at 0.955; there the formula for small p still says more than 10 %."""
    n = 10**9
    found = [_lilliefors_p(modified / n**0.5, n) for modified in (0.899, 0.901, 0.955)]
    assert found == pytest.approx([0.048, 0.047, 0.025], abs=0.004)
