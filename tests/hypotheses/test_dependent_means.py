"""Mean differences of clustered and weighted losses: as far out as skewness and the unseen ask for."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.hypotheses.dependent_means import clustered_t
from assay.hypotheses.paired_scores import paired_t
from assay.kernels.effective_size import UNSEEN_CORRELATION, units_of

RNG = np.random.default_rng(19)


def disputed(n: int, every: int) -> Any:
    """Differences near 0, but for one large one in so many."""
    apart = 0.03 * np.random.default_rng(n).standard_normal(n)
    apart[::every] = 0.8
    return apart


def compared(losses_a: Any, losses_b: Any, **more: Any) -> Any:
    level = np.linspace(1.0, 2.0, len(losses_a))  # of both models, so that no column is 0 and 1
    table = {"a:loss": losses_a + level, "b:loss": losses_b + level, **more}
    found = assay.compare(assay.read(table, losses=True), measure="mean_loss", bound=1.0, rng=0)
    return found.verdict.outcome


class TestUnits:
    def test_items_of_their_own_are_units(self) -> None:
        apart = RNG.standard_normal(30)
        units = units_of(apart, None, None)
        assert units.items == pytest.approx(30.0)
        assert units.variance == pytest.approx(apart.var(ddof=1))
        assert units.totals == pytest.approx((apart - apart.mean()) / 30.0)

    def test_clusters_show_less_than_as_many_independent_items(self) -> None:
        units = units_of(RNG.standard_normal(60), np.arange(60) // 10, None)
        assert units.totals.size == 6
        assert units.items == pytest.approx(60.0 / (1.0 + 9.0 * UNSEEN_CORRELATION))

    def test_weights_count_by_kish(self) -> None:
        weights = np.r_[np.full(10, 1.0), np.full(10, 3.0), np.zeros(4)]
        units = units_of(RNG.standard_normal(24), None, weights)
        assert units.items == pytest.approx(40.0**2 / 100.0)
        assert units.totals.size == 20
        assert units.totals.sum() == pytest.approx(0.0, abs=1e-12)


class TestClusters:
    def test_clusters_of_one_item_are_items_but_for_what_lean_they_show(self) -> None:
        apart = disputed(40, 41)
        alone = clustered_t(
            apart, np.zeros(40), np.arange(40), bound=1.0, squares=False, level=0.95
        )
        plain = paired_t(apart, np.zeros(40), variant="skewed", bound=1.0)
        assert alone.effect.interval is not None
        assert plain.effect.interval is not None
        assert alone.effect.interval.low == pytest.approx(plain.effect.interval.low)

    def test_the_interval_allows_for_disputes_that_no_cluster_shows(self) -> None:
        apart = 0.03 * np.random.default_rng(1).standard_normal(40)
        known = clustered_t(
            apart, np.zeros(40), np.arange(40) // 5, bound=1.0, squares=False, level=0.95
        )
        unknown = clustered_t(
            apart, np.zeros(40), np.arange(40) // 5, bound=None, squares=False, level=0.95
        )
        assert known.effect.interval is not None
        assert unknown.effect.interval is not None
        assert known.effect.interval.high > 3.0 * unknown.effect.interval.high
        assert "unseen-differences" in {one.code for one in known.notes}

    @pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
    @pytest.mark.parametrize("every", [3, 7, 15])
    def test_p_value_and_interval_agree(self, level: float, every: int) -> None:
        found = clustered_t(
            disputed(60, every), np.zeros(60), np.arange(60) // 4, bound=1.0, squares=False, level=level
        )  # fmt: skip
        assert found.effect.interval is not None
        assert found.p_value is not None
        assert (found.p_value <= 1.0 - level) == (not found.effect.interval.contains(0.0))

    def test_swapping_the_models_mirrors_the_answer(self) -> None:
        losses, groups = disputed(60, 7), np.arange(60) // 6
        found = compared(losses, np.zeros(60), cluster=groups)
        other = compared(np.zeros(60), losses, cluster=groups)
        assert other.p_value == pytest.approx(found.p_value)
        assert other.effect.interval.low == pytest.approx(-found.effect.interval.high)

    def test_a_bound_that_is_exceeded_is_refused(self) -> None:
        apart, groups = disputed(40, 9), np.arange(40) // 5
        with pytest.raises(assay.UsageError, match=r"too small: one difference here is 0\.8"):
            clustered_t(apart, np.zeros(40), groups, bound=0.5, squares=False, level=0.95)


class TestWeights:
    def test_equal_weights_reach_at_least_as_far_as_none(self) -> None:
        losses = disputed(60, 9)
        weighted = compared(losses, np.zeros(60), weight=np.full(60, 2.0)).effect.interval
        plain = compared(losses, np.zeros(60)).effect.interval
        assert weighted.low <= plain.low + 1e-9
        assert weighted.high >= plain.high - 1e-9

    def test_doubling_all_weights_changes_nothing(self) -> None:
        losses, weights = disputed(60, 9), np.linspace(0.2, 2.0, 60)
        one, two = (compared(losses, np.zeros(60), weight=w * weights) for w in (1.0, 2.0))
        assert one.p_value == pytest.approx(two.p_value)
        assert one.effect.interval.high == pytest.approx(two.effect.interval.high)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_rare_disputes_are_covered(self, weighted: bool) -> None:
        """5 % of 50 items in dispute: t covers 84 % of the samples (79 % with weights)."""
        rng, held = np.random.default_rng(5), 0
        for _ in range(60):
            apart = np.where(rng.random(50) < 0.05, 0.75, 0.04 * rng.standard_normal(50))
            weights, groups = np.exp(0.7 * rng.standard_normal(50)), np.arange(50) // 5
            more = {"weight": weights} if weighted else {"cluster": groups}
            held += compared(apart, np.zeros(50), **more).effect.interval.contains(0.05 * 0.75)
        assert held >= 56


class TestApart:
    """Two models on different items, with weights or clusters."""

    @staticmethod
    def parts(far: int = 1, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """So many large losses of A, none of B."""
        rng = np.random.default_rng(8)
        table = []
        for model, wrong in (("a", far), ("b", 0)):
            losses = 0.1 * rng.random(40)
            losses[:wrong] = 0.8
            table.append({f"{model}:loss": losses, **more})
        return table[0], table[1]

    @pytest.mark.parametrize(
        "more", [{"weight": np.linspace(1.0, 3.0, 40)}, {"cluster": np.arange(40) // 4}]
    )
    def test_rare_losses_that_neither_shows_are_allowed_for(self, more: Any) -> None:
        for far, wider in ((0, (1.1, 1.0)), (1, (1.0, 1.01))):
            evidence: Any = assay.read(*self.parts(far, **more), losses=True, paired=False)
            told, untold = (
                assay.compare(evidence, measure="mean_loss", max_loss=most).verdict.outcome
                for most in (1.0, None)
            )
            plain = assay.independent_jackknife(*evidence.parts, measure="mean_loss")
            intervals = [one.effect.interval for one in (told, untold, plain)]
            widths = [one.high - one.low for one in intervals if one is not None]
            assert widths[0] >= wider[0] * widths[1]  # none shows a large one
            assert widths[1] >= wider[1] * widths[2]  # it leans: one model alone errs by far
            for one in (told, untold):
                assert one.effect.interval is not None
                assert ((one.p_value or 0.0) <= 0.05) != one.effect.interval.contains(0.0)

    def test_swapping_them_mirrors_the_answer(self) -> None:
        more: dict[str, Any] = {"weight": np.linspace(1.0, 3.0, 40)}
        first, second = self.parts(**more)
        asked: dict[str, Any] = {"losses": True, "paired": False}
        one, other = (
            assay.compare(assay.read(*order, **asked), measure="mean_loss", max_loss=1.0).verdict
            for order in ((first, second), (second, first))
        )
        ends = [(v.a, v.outcome.effect.interval) for v in (one, other)]
        assert {a for a, _ in ends} <= {"a", "b"}
        low, high = ((i.low, i.high) if a == "a" else (-i.high, -i.low) for a, i in ends if i)
        assert low == pytest.approx(high)
