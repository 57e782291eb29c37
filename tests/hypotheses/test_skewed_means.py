"""The paired t that heeds skewness."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import assay
from assay.core.results import TestOutcome
from assay.hypotheses.paired_scores import paired_t
from assay.kernels.skewness import corrected, lean_of
from tests.hypotheses.laws import facts


def limits(outcome: TestOutcome) -> tuple[float, float]:
    assert outcome.effect.interval is not None
    return outcome.effect.interval.low, outcome.effect.interval.high


LOSSES = np.random.default_rng(3).exponential(size=25) - 0.8


class TestLeaning:
    def test_is_the_larger_of_both_p_values(self) -> None:
        plain, skewed = paired_t(-LOSSES), paired_t(-LOSSES, variant="skewed")
        lean = float(lean_of(-LOSSES))
        corrected_t = float(corrected(float(plain.statistic or 0.0), lean))
        expected = max(plain.p_value or 0.0, 2 * stats.t.sf(abs(corrected_t), 24))
        assert skewed.p_value == pytest.approx(expected)
        assert facts(skewed)["lean"] == pytest.approx(lean)

    def test_reaches_farther_on_the_side_of_the_tail(self) -> None:
        (low, high), (lower, higher) = (
            limits(paired_t(LOSSES)),
            limits(paired_t(LOSSES, variant="skewed")),
        )
        assert higher - high > 0.05
        assert lower <= low

    @given(seed=st.integers(0, 2**16), n=st.integers(3, 40))
    @settings(max_examples=40, deadline=None)
    def test_the_interval_decides(self, seed: int, n: int) -> None:
        differences = np.random.default_rng(seed).exponential(size=n) - 0.9
        for bound in (None, 40.0):
            for side in ("two-sided", "greater", "less"):
                for level in (0.9, 0.95, 0.99):
                    outcome = paired_t(
                        differences, variant="skewed", alternative=side, bound=bound, level=level
                    )
                    inside = outcome.effect.interval.contains(0.0)  # type: ignore[union-attr]
                    assert inside == ((outcome.p_value or 0.0) > round(1.0 - level, 9))

    @pytest.mark.parametrize("times", [None, 1.0, 1.5, 8.0])
    def test_mirrors(self, times: float | None) -> None:
        bound = None if times is None else times * float(np.abs(LOSSES).max())
        one, other = (paired_t(sign * LOSSES, variant="skewed", bound=bound) for sign in (1, -1))
        low, high = limits(one)
        assert limits(other) == pytest.approx((-high, -low))
        assert one.p_value == pytest.approx(other.p_value)

    def test_differences_that_end_are_known_to_be_by_default(self) -> None:
        rng = np.random.default_rng(1)
        truth = rng.integers(0, 2, 40)
        sure = {
            name: np.clip(truth * 0.6 + 0.2 + rng.normal(0, 0.2, 40), 0.01, 0.99) for name in "ab"
        }
        evidence = {"truth": truth, **{f"{name}:p(1)": p for name, p in sure.items()},
                    **{f"{name}:p(0)": 1 - p for name, p in sure.items()}}  # fmt: skip
        shown = assay.compare(evidence, measure="brier").verdict.outcome
        brier = [(p - truth) ** 2 for p in sure.values()]
        told = paired_t(*brier, variant="skewed", bound=1.0)
        assert shown.p_value == pytest.approx(told.p_value)
        plain = assay.compare({"a:loss": brier[0], "b:loss": brier[1]}).verdict.outcome
        assert plain.p_value == pytest.approx(paired_t(*brier, variant="skewed").p_value)

    def test_rare_differences_that_no_item_shows(self) -> None:
        """Two models that differ by 1 on every twentieth item: of 20 items 36 % show none of it."""
        rng = np.random.default_rng(5)
        rows = 0.04 * rng.standard_normal((500, 20))
        rows[rng.random(rows.shape) < 0.05] = 1.0
        covered = {
            bound: np.mean([low <= 0.05 <= high for low, high in (
                limits(paired_t(row, variant="skewed", bound=bound)) for row in np.clip(rows, -1, 1)
            )])
            for bound in (None, 1.0)
        }  # fmt: skip
        assert covered[None] < 0.8
        assert covered[1.0] > 0.935

    def test_says_that_it_allows_for_the_unseen(self) -> None:
        near = 0.04 * np.random.default_rng(6).standard_normal(20)
        outcome = paired_t(near, variant="skewed", bound=1.0)
        (noted,) = [one for one in outcome.notes if one.code == "unseen-differences"]
        assert "differences of up to 1 on an item" in noted.message
        many = 0.3 * np.random.default_rng(6).standard_normal(400)
        told = paired_t(many, variant="skewed", bound=2.0)
        assert limits(told) == pytest.approx(limits(paired_t(many, variant="skewed")), rel=1e-3)
        assert "unseen-differences" not in {one.code for one in told.notes}

    def test_a_bound_holds_the_differences_and_goes_with_skewed(self) -> None:
        with pytest.raises(assay.UsageError, match="too small"):
            paired_t(LOSSES, variant="skewed", bound=0.1)
        with pytest.raises(assay.UsageError, match="skewed"):
            paired_t(LOSSES, bound=50.0)

    def test_coverage_of_overconfident_log_losses_as_compared(self) -> None:
        """The row of issue 19 at n = 20, as `compare` decides it: t covered 87 of 100."""
        rng = np.random.default_rng(7)
        logits = 1.5 * rng.standard_normal((400, 20))
        right = (rng.random((400, 20)) < 1 / (1 + np.exp(-logits))).astype(int)
        covered = []
        for truth, one in zip(right, logits, strict=True):
            if len(set(truth.tolist())) < 2:
                continue
            sure = {name: 1 / (1 + np.exp(-k * one)) for name, k in (("calm", 1.0), ("sure", 2.5))}
            columns = {
                f"{name}:p({label})": p if label else 1 - p
                for name, p in sure.items()
                for label in (0, 1)
            }
            found = assay.compare({"truth": truth, **columns}, measure="log_loss")
            low, high = limits(found.verdict.outcome)
            covered.append(low <= -0.137 <= high)
        assert len(covered) > 390
        assert np.mean(covered) > 0.935

    def test_coverage_of_losses_of_which_no_bound_is_known(self) -> None:
        """The same losses without their measure: 93.3 % of 6,000, and the price of a short interval."""
        rng = np.random.default_rng(7)
        logits = 1.5 * rng.standard_normal((1000, 20))
        right = rng.random((1000, 20)) < 1 / (1 + np.exp(-logits))
        loss = [np.logaddexp(0, -np.where(right, 1, -1) * k * logits) for k in (1.0, 2.5)]
        covered = {
            variant: np.mean([
                low <= -0.137 <= high
                for low, high in (limits(paired_t(a, b, variant=variant)) for a, b in zip(*loss, strict=True))
            ])
            for variant in ("plain", "skewed")
        }  # fmt: skip
        assert covered["plain"] < 0.91
        assert covered["skewed"] > 0.915

    def test_few_large_losses_name_what_is_supposed(self) -> None:
        truth = np.linspace(0.0, 1.0, 50)
        errors = 0.1 * np.sin(np.arange(50))
        errors[7] = 6.0
        evidence = {"truth": truth, "a:value": truth + errors, "b:value": truth + 0.1}
        outcome = assay.compare(evidence, measure="mse").verdict.outcome
        (noted,) = [one for one in outcome.notes if one.code == "heavy-tails"]
        assert "mse has no upper end" in noted.message
        losses = {"a:loss": errors**2, "b:loss": np.linspace(0.0, 0.1, 50)}
        found = assay.compare(losses, losses=True)
        assert "heavy-tails" in {one.code for one in found.verdict.outcome.notes}
        assert "assumes no rarer, larger" in found.summary()
        many = {name: np.tile(np.clip(column, -1, 1.05), 20) for name, column in evidence.items()}
        shown = assay.compare(many, measure="mse").verdict.outcome
        assert "heavy-tails" not in {one.code for one in shown.notes}

    def test_equal_differences_have_no_spread(self) -> None:
        assert paired_t(np.full(5, 0.5), variant="skewed").p_value is None

    def test_a_variant_that_there_is_not(self) -> None:
        with pytest.raises(assay.UsageError, match="variant"):
            paired_t(LOSSES, variant="other")  # type: ignore[arg-type]


def squared(seed: int, n: int, ratio: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return ratio * rng.standard_normal(n) ** 2, rng.standard_normal(n) ** 2


class TestWithheld:
    def test_the_row_of_issue_19_as_compared(self) -> None:
        """Equal mean squares, 3 % of one model's errors ten times as large: t covers 56 of 100 at n = 50."""
        rng = np.random.default_rng(8)
        kept = {"t": 0, "default": 0}
        for _ in range(200):
            a = np.sqrt(3.97) * rng.standard_normal(50)
            b = rng.standard_normal(50) * np.where(rng.random(50) < 0.03, 10.0, 1.0)
            kept["t"] += paired_t(a**2, b**2).effect.interval.contains(0.0)  # type: ignore[union-attr]
            kept["default"] += paired_t(a**2, b**2, variant="squares").effect.interval.contains(0.0)  # type: ignore[union-attr]
        assert kept["t"] < 140
        assert kept["default"] > 186

    @given(
        seed=st.integers(0, 2**16), n=st.integers(3, 300), ratio=st.sampled_from([1.0, 2.0, 30.0])
    )
    @settings(max_examples=40, deadline=None)
    def test_the_interval_decides(self, seed: int, n: int, ratio: float) -> None:
        a, b = squared(seed, n, ratio)
        for side in ("two-sided", "greater", "less"):
            for level in (0.9, 0.95, 0.99):
                outcome = paired_t(a, b, variant="squares", alternative=side, level=level)
                inside = outcome.effect.interval.contains(0.0)  # type: ignore[union-attr]
                assert inside == ((outcome.p_value or 0.0) > round(1.0 - level, 9))
                skewed = paired_t(a, b, variant="skewed", alternative=side, level=level)
                assert (outcome.p_value or 0.0) >= (skewed.p_value or 0.0)
                assert limits(outcome)[0] <= limits(skewed)[0]
                assert limits(outcome)[1] >= limits(skewed)[1]

    def test_keeps_0_and_says_so_until_there_are_many_items(self) -> None:
        few = paired_t(*squared(1, 50), variant="squares")
        plain = paired_t(*squared(1, 50), variant="skewed")
        assert limits(plain)[0] > 0.0
        assert limits(few) == (0.0, limits(plain)[1])
        (noted,) = [one for one in few.notes if one.code == "unseen-errors"]
        assert "set max_loss=" in noted.message
        many = squared(1, 600, 1.5)
        assert limits(paired_t(*many, variant="squares")) == limits(
            paired_t(*many, variant="skewed")
        )

    def test_errors_of_another_size_are_told_apart_by_few_items(self) -> None:
        a, b = squared(2, 50, 100.0)
        assert limits(paired_t(a, b, variant="squares"))[0] > 0.0

    def test_mirrors(self) -> None:
        a, b = squared(3, 40)
        one, other = paired_t(a, b, variant="squares"), paired_t(b, a, variant="squares")
        low, high = limits(one)
        assert limits(other) == pytest.approx((-high, -low))
        assert one.p_value == pytest.approx(other.p_value)
        assert facts(one)["unseen_square"] == pytest.approx(facts(other)["unseen_square"])

    def test_a_model_without_errors_leads(self) -> None:
        a, _ = squared(4, 30)
        assert limits(paired_t(a, np.zeros(30), variant="squares")) == limits(
            paired_t(a, variant="skewed")
        )

    def test_is_what_compare_takes_for_mse_unless_the_largest_loss_is_told(self) -> None:
        a, b = squared(5, 60)
        table = {"truth": np.zeros(60), "a:value": np.sqrt(a), "b:value": np.sqrt(b)}
        found = assay.compare(table, measure="mse").verdict.outcome
        assert limits(found) == pytest.approx(limits(paired_t(a, b, variant="squares")))
        told = assay.compare(table, measure="mse", max_loss=40.0).verdict.outcome
        expected = paired_t(a, b, variant="skewed", bound=40.0)
        assert limits(told) == pytest.approx(limits(expected))
        mae = assay.compare(table, measure="mae").verdict.outcome
        assert limits(mae) == pytest.approx(
            limits(paired_t(np.sqrt(a), np.sqrt(b), variant="skewed"))
        )

    def test_needs_two_columns_of_squares(self) -> None:
        with pytest.raises(assay.UsageError, match="both models"):
            paired_t(LOSSES, variant="squares")
        with pytest.raises(assay.UsageError, match="0 or more"):
            paired_t(LOSSES, LOSSES, variant="squares")
        with pytest.raises(assay.UsageError, match="skewed"):
            paired_t(*squared(6, 20), variant="squares", bound=50.0)
