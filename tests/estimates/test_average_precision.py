"""The closed-form interval of average precision, and that of a difference."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

import assay
from assay.core.errors import EvidenceError
from assay.estimates.average_precision import (
    average_precision_difference,
    average_precision_wilson,
)
from assay.estimates.bootstrap import bootstrap
from assay.kernels.auc import average_precision_of_weights, sort_scores


def sample(n: int, seed: int, *, share: float = 0.4, apart: float = 1.2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    return truth, apart * truth + rng.normal(size=n)


def codes(estimate: Any) -> set[str]:
    return {one.code for one in estimate.notes}


class TestWilson:
    def test_by_hand(self) -> None:
        """Ranks + − + −: precisions 1 and 2/3, and the slopes of four items."""
        found = average_precision_wilson([1, 0, 1, 0], [4, 3, 2, 1])
        facts: dict[str, Any] = dict(found.details)
        assert found.value == pytest.approx(5 / 6)
        # above the second positive stand 2 of 3: a positive there adds 1/3 - 2/9, a negative -2/9
        slopes = [(1 - 5 / 6 + 1 / 9) / 2, -1 / 9, (2 / 3 - 5 / 6 + 1 / 9) / 2, 0.0]
        assert facts["variance"] == pytest.approx(sum(one**2 for one in slopes))
        shown = facts["variance"] * 2 / (5 / 36)
        assert facts["ratio"] == pytest.approx(shown ** (2 / 6))
        assert facts["centre"] == pytest.approx(5 / 6 - (1 / 6) * (1 + 1 / 3) / 2 / 2)
        resting = sum(one**2 for one in slopes) ** 2 / sum(one**4 for one in slopes)
        assert facts["df"] == pytest.approx(min(2, 2 * resting) + 3)

    @pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
    def test_limits_solve_the_formula(self, level: float) -> None:
        found = average_precision_wilson(*sample(60, 1), level=level)
        facts: dict[str, Any] = dict(found.details)
        interval = found.interval
        assert interval is not None
        for limit, start in ((interval.low, facts["centre"]), (interval.high, found.value)):
            spread = limit * (1 - limit) * facts["ratio"] / facts["n_positive"]
            assert start is not None
            assert (start - limit) ** 2 == pytest.approx(facts["t"] ** 2 * spread)

    def test_agrees_with_scikit_learn(self) -> None:
        truth, scores = sample(80, 2)
        found = average_precision_wilson(truth, np.round(scores, 1))
        assert found.value == pytest.approx(average_precision_score(truth, np.round(scores, 1)))

    def test_near_the_bootstrap_with_many_items(self) -> None:
        truth, scores = sample(4_000, 3)
        found = average_precision_wilson(truth, scores).interval
        columns = {"truth": truth.astype(int), "a:score": scores}
        other = bootstrap(columns, measure="average_precision", n_resamples=1999, rng=1).interval
        assert found is not None
        assert other is not None
        assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.006)

    @settings(max_examples=80, deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=25))
    def test_an_interval_of_some_width_holds_the_estimate(self, items: list[Any]) -> None:
        truth, scores = (np.array(one) for one in zip(*items, strict=True))
        found = average_precision_wilson(truth, scores.astype(float))
        if not truth.any():
            assert (found.value, found.interval) == (None, None)
            return
        assert found.interval is not None
        assert 0.0 <= found.interval.low <= (found.value or 0) <= found.interval.high <= 1.0
        assert found.interval.low < found.interval.high

    def test_a_perfect_ranking_is_not_known_to_be_perfect(self) -> None:
        found = average_precision_wilson(np.arange(20) < 8, -np.arange(20.0)).interval
        assert found is not None
        assert found.high == 1.0
        assert 0.4 < found.low < 0.8

    def test_one_positive(self) -> None:
        found = average_precision_wilson([0, 1, 0], [3, 2, 1])
        assert found.value == 0.5
        assert codes(found) == {"small-counts"}

    def test_one_sided_limits(self) -> None:
        evidence = sample(60, 1)
        both = average_precision_wilson(*evidence, level=0.9).interval
        for side, ends in (("greater", (None, 1.0)), ("less", (0.0, None))):
            one = average_precision_wilson(*evidence, level=0.95, alternative=side).interval
            assert both is not None
            assert one is not None
            assert one.low == pytest.approx(both.low if ends[0] is None else ends[0])
            assert one.high == pytest.approx(both.high if ends[1] is None else ends[1])

    def test_few_items_in_effect_are_noted(self) -> None:
        """A hundred of each class, three of them misplaced."""
        truth = np.arange(200) < 100
        scores = -np.arange(200.0)
        scores[[20, 40, 60]] = -160.5
        found = average_precision_wilson(truth, scores)
        assert codes(found) == {"small-counts"}
        assert "in effect" in found.notes[0].message
        assert codes(average_precision_wilson(*sample(1_000, 1))) == set()

    def test_without_negatives_it_is_one_whatever_the_scores(self) -> None:
        found = average_precision_wilson([1, 1], [1.0, 2.0])
        assert found.value == 1.0
        assert codes(found) == {"one-class"}

    def test_without_positives_there_is_none(self) -> None:
        found = average_precision_wilson([0, 0], [1.0, 2.0])
        assert (found.value, codes(found)) == (None, {"one-class"})

    def test_two_models(self) -> None:
        with pytest.raises(EvidenceError, match="average_precision_test"):
            average_precision_wilson([0, 1], [1.0, 2.0], [2.0, 1.0])

    def test_covers_few_positives_at_chance_level(self) -> None:
        """Where the upward bias is largest; 300 test sets with five positives on average."""
        rng, covered = np.random.default_rng(5), 0
        for _ in range(300):
            truth = rng.permutation(np.arange(100) < 5)
            found = average_precision_wilson(truth, rng.normal(size=100)).interval
            assert found is not None
            covered += found.contains(0.05)
        assert covered >= 280


class TestDifference:
    def test_variance_is_that_of_the_slopes(self) -> None:
        """Slopes by weighing every item a little more and a little less."""
        truth, a = sample(50, 4)
        b = np.round(a + np.random.default_rng(6).normal(size=50), 1)
        moved = 1.0 + 1e-5 * np.concatenate([np.eye(50), -np.eye(50)])
        of = [average_precision_of_weights(sort_scores(truth, one)) for one in (a, b)]
        values = np.subtract(*(one(moved) for one in of))
        slopes = (values[:50] - values[50:]) / 2e-5
        rarer = min(truth.sum(), (~truth).sum())
        found = average_precision_difference(truth, [a, b])
        expected = math.sqrt(rarer / (rarer - 1) * (slopes**2).sum())
        assert found.standard_error == pytest.approx(expected, rel=1e-6)

    def test_equal_rankings_leave_something_open(self) -> None:
        truth, a = sample(50, 1)
        found = average_precision_difference(truth, [a, 2 * a])
        assert found.value == 0.0
        assert found.interval is not None
        assert found.interval.low == -found.interval.high < 0.0
        assert codes(found) == {"zero-variance"}

    def test_one_class(self) -> None:
        found = average_precision_difference([1, 1], [[1, 2], [2, 1]])
        assert (found.value, codes(found)) == (None, {"one-class"})

    def test_three_models(self) -> None:
        with pytest.raises(EvidenceError, match="two models; got 3"):
            average_precision_difference([0, 1], [[1, 2], [2, 1], [1, 1]])


@pytest.mark.parametrize(("heavy", "noted"), [(1.0, False), (1.9, False), (2.0, True), (5.0, True)])
def test_heavy_negatives_are_noted(heavy: float, noted: bool) -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(60) % 2
    table = {"y": truth, **{m: truth + rng.normal(size=60) for m in "ab"}}
    table["weight"] = np.where(truth == 1, 1.0, heavy)
    asked: dict[str, Any] = {"truth": "y", "positive": 1, "measure": "average_precision"}
    for found in (assay.evaluate(table, **asked), assay.compare(table, **asked)):
        codes = {one.code for part in found.estimates for one in part.notes}
        assert ("heavy-negatives" in codes) == noted
