"""Analysis of variance: reference values, equivalences, what is said about folds, and limits."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.wire import from_json, to_json
from assay.hypotheses.anova import (
    epsilon_squared,
    eta_squared,
    groups_of,
    omega_squared,
    oneway_anova,
    partition_of,
    rm_anova,
    tukey_hsd,
    welch_anova,
)
from assay.hypotheses.resampled_scores import kfold_paired_t
from tests.support import agree

Floats = NDArray[np.float64]
DECIMALS = st.integers(0, 1000).map(lambda thousandths: thousandths / 1000)
TABLES = arrays(np.float64, (6, 3), elements=DECIMALS)


def codes(result: Any) -> set[str]:
    return {note.code for note in result.notes}


def low_end(result: Any) -> float:
    assert result.effect.interval is not None
    return float(result.effect.interval.low)


class TestOnewayAnova:
    @given(st.lists(st.lists(DECIMALS, min_size=2, max_size=6), min_size=2, max_size=4))
    def test_the_interval_decides(self, groups: list[list[float]]) -> None:
        outcome = oneway_anova(groups)
        if outcome.p_value is None:
            assert "zero-variance" in codes(outcome)
            return
        assert outcome.effect.value is not None
        assert outcome.rejects(0.05) == (low_end(outcome) > 0.0)
        assert low_end(outcome) <= outcome.effect.value <= 1.0

    def test_groups_that_do_not_vary_within(self) -> None:
        outcome = oneway_anova([[0.5, 0.5], [0.7, 0.7]])
        assert outcome.p_value is None
        assert outcome.effect.value == 1.0
        assert outcome.effect.interval is None

    def test_says_what_it_ignores(self) -> None:
        shared = [[0.7, 0.8, 0.9], [0.6, 0.8, 0.8]]
        assert codes(oneway_anova(shared)) == {"ignores-blocks", "folds-overlap"}
        assert codes(oneway_anova(shared, unit="dataset")) == {"ignores-blocks"}
        assert codes(oneway_anova(shared, unit="seed")) == set()
        assert codes(oneway_anova([[0.7, 0.8, 0.9], [0.6, 0.8]])) == {"folds-overlap"}

    def test_json_round_trip(self) -> None:
        outcome = oneway_anova({"tree": [0.7, 0.8, 0.9], "bayes": [0.6, 0.8, 0.7]})
        assert from_json(to_json(outcome)) == outcome

    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            ([[1.0, 2.0]], "two groups or more are needed; got 1"),
            ([[1.0], [2.0], [3.0]], "every group has one value"),
            ([[1.0, 2.0], []], "the group model 2 needs at least 1"),
            ("nonsense", "there is no file nonsense"),
            (3, "got 3"),
        ],
    )
    def test_errors(self, groups: Any, message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            oneway_anova(groups)

    def test_unknown_unit(self) -> None:
        with pytest.raises(UsageError, match="unit is one of item"):
            oneway_anova([[1.0, 2.0], [2.0, 3.0]], unit="fortnight")  # type: ignore[arg-type]


class TestWelchAnova:
    @given(st.lists(st.lists(DECIMALS, min_size=3, max_size=6), min_size=2, max_size=4))
    def test_the_interval_decides(self, groups: list[list[float]]) -> None:
        outcome = welch_anova(groups)
        if outcome.p_value is not None:
            assert outcome.rejects(0.05) == (low_end(outcome) > 0.0)

    def test_two_groups_are_welchs_t(self) -> None:
        stats = pytest.importorskip("scipy.stats")
        a, b = [0.7, 0.9, 0.8, 0.4], [0.5, 0.55, 0.6, 0.45, 0.5]
        expected = stats.ttest_ind(a, b, equal_var=False)
        outcome = welch_anova([a, b])
        assert agree(outcome.statistic, expected.statistic**2)
        assert agree(outcome.p_value, expected.pvalue)

    def test_groups_that_do_not_vary_within(self) -> None:
        outcome = welch_anova([[0.5, 0.5], [0.7, 0.7]])
        assert outcome.p_value is None
        assert "zero-variance" in codes(outcome)

    def test_a_group_of_one(self) -> None:
        with pytest.raises(NotApplicable, match=r"the group model 2 has one\. Use oneway_anova"):
            welch_anova([[1.0, 2.0], [2.0]])


class TestRmAnova:
    @given(TABLES, st.sampled_from(["greenhouse-geisser", "huynh-feldt", "uncorrected"]))
    def test_the_interval_decides(self, table: Floats, variant: Any) -> None:
        outcome = rm_anova(table, variant=variant)
        if outcome.p_value is None:
            assert "zero-variance" in codes(outcome)
            return
        assert outcome.rejects(0.05) == (low_end(outcome) > 0.0)

    @given(TABLES)
    def test_corrections_are_in_order(self, table: Floats) -> None:
        """The lower bound corrects most; for F above 1 smaller epsilon means larger p."""
        outcome = rm_anova(table)
        details: dict[str, Any] = dict(outcome.details)
        if outcome.statistic is not None:
            assert 0.5 - 1e-9 <= details["gg_epsilon"] <= 1.0 + 1e-9
        if outcome.statistic is not None and outcome.statistic > 3.0:
            assert details["p_uncorrected"] <= details["p_hf"] + 1e-12
            assert details["p_hf"] <= details["p_gg"] + 1e-12
            assert details["p_gg"] <= details["p_lower_bound"] + 1e-12

    def test_two_models_are_the_paired_t(self) -> None:
        table = np.array([[0.7, 0.6], [0.8, 0.75], [0.9, 0.7], [0.6, 0.65]])
        outcome, t = rm_anova(table), kfold_paired_t(table[:, 0], table[:, 1])
        assert t.statistic is not None
        assert agree(outcome.statistic, t.statistic**2)
        assert agree(outcome.p_value, t.p_value)

    def test_a_constant_per_block_changes_nothing(self) -> None:
        table = np.random.default_rng(3).normal(size=(8, 4))
        shifted = table + np.arange(8.0)[:, None]
        assert agree(rm_anova(shifted).p_value, rm_anova(table).p_value)
        assert "folds-overlap" not in codes(rm_anova(table, unit="dataset"))

    def test_more_models_than_blocks(self) -> None:
        """The covariance has rank 2 of 4: Huynh and Feldt's epsilon may have no finite value."""
        table = np.random.default_rng(5).normal(size=(3, 5))
        outcome = rm_anova(table)
        assert outcome.p_value is not None
        assert 0.0 < outcome.p_value < 1.0

    def test_correction_keeps_the_level_where_sphericity_fails(self) -> None:
        rng = np.random.default_rng(11)
        spread = np.array([0.1, 0.1, 0.1, 3.0])
        rejected = np.zeros(2)
        for _ in range(1000):
            outcome = rm_anova(rng.normal(size=(12, 4)) * spread)
            p_uncorrected: Any = dict(outcome.details)["p_uncorrected"]
            rejected += [outcome.rejects(0.05), p_uncorrected <= 0.05]
        corrected, plain = rejected / 1000
        assert corrected < 0.07
        assert plain > 0.08

    def test_models_by_name(self) -> None:
        columns = {"tree": [0.7, 0.8, 0.9], "bayes": [0.6, 0.8, 0.7]}
        by_name, by_place = rm_anova(columns), rm_anova(np.column_stack(list(columns.values())))
        assert agree(by_name.p_value, by_place.p_value)

    def test_one_block(self) -> None:
        with pytest.raises(EvidenceError, match="two blocks or more"):
            rm_anova([[0.5, 0.6]])

    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of greenhouse-geisser"):
            rm_anova(np.ones((3, 3)), variant="none")  # type: ignore[arg-type]


class TestTukeyHsd:
    @given(st.lists(st.lists(DECIMALS, min_size=2, max_size=5), min_size=2, max_size=4))
    def test_the_interval_decides(self, groups: list[list[float]]) -> None:
        for outcome in tukey_hsd(groups, level=0.9).outcomes:
            if outcome.p_value is None:
                assert outcome.effect.interval is None
                continue
            assert outcome.effect.interval is not None
            assert outcome.rejects(0.1) != outcome.effect.interval.contains(0.0)

    def test_two_groups_are_the_t_test_into_the_tail(self) -> None:
        a, b = np.array([1.0, 1.1, 1.2, 1.15, 1.05]), np.array([9.0, 9.1, 9.3, 9.2, 9.4])
        family = tukey_hsd({"a": a, "b": b})
        assert family.omnibus is not None
        assert family.pairs == (("a", "b"),)
        assert family.outcomes[0].p_value == pytest.approx(family.omnibus.p_value, rel=1e-8)
        assert family.outcomes[0].p_value is not None
        assert 0.0 < family.outcomes[0].p_value < 1e-12

    def test_no_spread(self) -> None:
        family = tukey_hsd([[0.5, 0.5], [0.7, 0.7]])
        assert family.outcomes[0].p_value is None
        assert family.outcomes[0].effect.value == pytest.approx(-0.2)
        assert codes(family.outcomes[0]) == {"zero-variance"}

    def test_says_what_it_ignores(self) -> None:
        family = tukey_hsd([[0.7, 0.8, 0.9], [0.6, 0.8, 0.8]])
        assert codes(family) == {"ignores-blocks", "folds-overlap"}


class TestEffects:
    @pytest.mark.parametrize("function", [eta_squared, omega_squared, epsilon_squared])
    def test_a_negative_share_is_noted(self, function: Any) -> None:
        for groups in ([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0], [7.0, 8.0, 9.5]]):
            estimate = function(groups)
            assert estimate.measure == function.__name__
            assert ("negative-estimate" in codes(estimate)) == (estimate.value < 0)

    def test_bounds_cover_the_population_share(self) -> None:
        """Means -1, 0, 1 with spread 2: the share between is (2/3) / (2/3 + 4) = 1/7."""
        rng = np.random.default_rng(8)
        covered = np.zeros(2)
        for _ in range(1000):
            groups = rng.normal(0.0, 2.0, (3, 8)) + np.array([[-1.0], [0.0], [1.0]])
            estimate = eta_squared(list(groups), level=0.9)
            assert estimate.interval is not None
            upper: Any = dict(estimate.details)["eta_squared_upper"]
            covered += [estimate.interval.low <= 1 / 7, upper >= 1 / 7]
        assert covered / 1000 == pytest.approx(0.9, abs=0.03)

    def test_no_values_differ(self) -> None:
        estimate = eta_squared([[1.0, 1.0], [1.0, 1.0]])
        assert estimate.value is None
        assert "zero-variance" in codes(estimate)


class TestGroupsOf:
    def test_names(self) -> None:
        assert list(groups_of([[1.0], [2.0]])) == ["model 1", "model 2"]
        assert list(groups_of({"a": [1.0], "b": [2.0]})) == ["a", "b"]


def test_all_values_of_all_groups_count() -> None:
    assert oneway_anova([[1.0, 2.0, 4.0], [2.0, 3.0], [5.0, 6.0, 9.0, 7.0]]).effect.n == 9


def test_groups_of_one_mean_have_nothing_between_them() -> None:
    found = partition_of({"a": np.array([1.0, 2.0, 3.0]), "b": np.array([3.0, 2.0, 1.0])})
    assert (found.between, found.within, found.df1, found.df2) == (0.0, 4.0, 1, 4)
