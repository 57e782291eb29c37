"""ROC arithmetic on scores sorted once."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from assay.kernels import auc as kernel
from assay.reference import cases
from tests.support import agree

steady = settings(deadline=None)
TEXTBOOK = next(case for case in cases("textbook") if case.id == "j")


def brute_auc(truth: Any, scores: Any) -> float:
    """Pairs won by the positive, ties half."""
    positives = [s for t, s in zip(truth, scores, strict=True) if t]
    negatives = [s for t, s in zip(truth, scores, strict=True) if not t]
    if not positives or not negatives:
        return math.nan
    won = sum((p > q) + (p == q) / 2 for p, q in product(positives, negatives))
    return float(won) / (len(positives) * len(negatives))


def brute_average_precision(truth: Any, scores: Any) -> float:
    total, before, area = sum(truth), 0, 0.0
    if not total:
        return math.nan
    for threshold in sorted(set(scores), reverse=True):
        called = [t for t, s in zip(truth, scores, strict=True) if s >= threshold]
        area += (sum(called) - before) / total * sum(called) / len(called)
        before = sum(called)
    return area


items = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6).map(lambda v: v / 4)), min_size=1, max_size=25
)


@st.composite
def weighted_items(draw: Any) -> tuple[Any, Any, Any]:
    """Truth, tied scores and a few replicates of whole-number weights."""
    rows = draw(items)
    weights = draw(
        st.lists(
            st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)),
            min_size=1,
            max_size=4,
        )
    )
    truth, scores = zip(*rows, strict=True)
    return np.array(truth), np.array(scores), np.array(weights)


class TestSortScores:
    def test_textbook_ties_share_a_point(self) -> None:
        groups = kernel.sort_scores(TEXTBOOK.input["labels"], TEXTBOOK.input["scores"])
        points = TEXTBOOK.expected["points_from_highest_threshold"]
        assert groups.thresholds.tolist() == [point["threshold"] for point in points]
        assert groups.tp.tolist() == [point["tp"] for point in points]
        assert groups.fp.tolist() == [point["fp"] for point in points]

    @steady
    @given(items)
    def test_counts_per_group(self, rows: list[tuple[bool, float]]) -> None:
        truth, scores = zip(*rows, strict=True)
        groups = kernel.sort_scores(truth, scores)
        for threshold, positive, negative in zip(
            groups.thresholds, groups.positives, groups.negatives, strict=True
        ):
            tied = [t for t, s in rows if s == threshold]
            assert (positive, negative) == (sum(tied), len(tied) - sum(tied))
        assert (np.diff(groups.thresholds) < 0).all()

    def test_scores_are_compared_exactly(self) -> None:
        assert kernel.sort_scores([1, 0], [0.1 + 0.2, 0.3]).thresholds.size == 2
        assert kernel.sort_scores([1, 0], [0.0, -0.0]).thresholds.size == 1

    def test_saturated_probabilities_stay_apart(self) -> None:
        groups = kernel.sort_scores([1, 0], [1 - 1e-15, 1 - 2e-15])
        assert kernel.auc(groups) == 1.0

    def test_no_items(self) -> None:
        groups = kernel.sort_scores([], [])
        assert groups.n_positive == groups.n_negative == 0
        assert math.isnan(kernel.auc(groups))
        assert math.isnan(kernel.average_precision(groups))
        assert kernel.roc_points(groups)[0].size == 0


class TestAuc:
    def test_textbook_order_of_ties_does_not_matter(self) -> None:
        labels, scores = np.array(TEXTBOOK.input["labels"]), np.array(TEXTBOOK.input["scores"])
        for order in (np.arange(10), np.arange(10)[::-1], np.argsort(-labels, kind="stable")):
            groups = kernel.sort_scores(labels[order], scores[order])
            assert agree(kernel.auc(groups), TEXTBOOK.expected["auc"])

    @steady
    @given(items)
    def test_counts_pairs(self, rows: list[tuple[bool, float]]) -> None:
        truth, scores = zip(*rows, strict=True)
        groups = kernel.sort_scores(truth, scores)
        assert kernel.auc(groups) == pytest.approx(brute_auc(truth, scores), nan_ok=True)
        pairs = groups.n_positive * groups.n_negative
        if pairs:
            assert kernel.u_statistic(groups) == pytest.approx(kernel.auc(groups) * pairs)

    @steady
    @given(items)
    def test_turned_scores_give_the_complement(self, rows: list[tuple[bool, float]]) -> None:
        truth, scores = (np.array(column) for column in zip(*rows, strict=True))
        area = kernel.auc(kernel.sort_scores(truth, scores))
        assert kernel.auc(kernel.sort_scores(truth, -scores)) == pytest.approx(
            1 - area, nan_ok=True
        )
        assert kernel.auc(kernel.sort_scores(~truth, scores)) == pytest.approx(
            1 - area, nan_ok=True
        )

    def test_agrees_with_sklearn(self) -> None:
        rng = np.random.default_rng(0)
        truth = rng.random(5000) < 0.2
        scores = np.round(rng.normal(size=5000) + truth, 1)
        groups = kernel.sort_scores(truth, scores)
        assert kernel.auc(groups) == pytest.approx(roc_auc_score(truth, scores), rel=1e-12)
        assert kernel.average_precision(groups) == pytest.approx(
            average_precision_score(truth, scores), rel=1e-12
        )


class TestAveragePrecision:
    @steady
    @given(items)
    def test_step_sum(self, rows: list[tuple[bool, float]]) -> None:
        truth, scores = zip(*rows, strict=True)
        value = kernel.average_precision(kernel.sort_scores(truth, scores))
        assert value == pytest.approx(brute_average_precision(truth, scores), nan_ok=True)


class TestPlacements:
    @steady
    @given(items)
    def test_shares_beaten(self, rows: list[tuple[bool, float]]) -> None:
        truth, scores = (np.array(column) for column in zip(*rows, strict=True))
        of_positives, of_negatives = kernel.placements(truth, scores)
        for score, placed in zip(scores[truth], of_positives, strict=True):
            rest = scores[~truth]
            expected = np.mean((rest < score) + (rest == score) / 2) if rest.size else math.nan
            assert placed == pytest.approx(expected, nan_ok=True)
        for score, placed in zip(scores[~truth], of_negatives, strict=True):
            rest = scores[truth]
            expected = np.mean((rest > score) + (rest == score) / 2) if rest.size else math.nan
            assert placed == pytest.approx(expected, nan_ok=True)


class TestHanleyMcNeil:
    def test_one_class(self) -> None:
        assert math.isnan(kernel.hanley_mcneil_variance(0.7, 0, 5))


class TestWeights:
    @steady
    @given(weighted_items())
    def test_weights_are_copies(self, evidence: tuple[Any, Any, Any]) -> None:
        truth, scores, weights = evidence
        groups = kernel.sort_scores(truth, scores)
        areas = kernel.auc_of_weights(groups)(weights)
        precisions = kernel.average_precision_of_weights(groups)(weights)
        partial = kernel.partial_area_of_weights(groups, 0.3)(weights)
        for row, replicate in enumerate(weights):
            copied, copied_scores = np.repeat(truth, replicate), np.repeat(scores, replicate)
            again = kernel.sort_scores(copied, copied_scores)
            assert areas[row] == pytest.approx(kernel.auc(again), nan_ok=True)
            assert precisions[row] == pytest.approx(kernel.average_precision(again), nan_ok=True)
            cut = float(kernel.partial_area_of_weights(again, 0.3)(None))
            assert partial[row] == pytest.approx(cut, nan_ok=True)

    @steady
    @given(weighted_items())
    def test_equal_weights_change_nothing(self, evidence: tuple[Any, Any, Any]) -> None:
        truth, scores, _ = evidence
        groups = kernel.sort_scores(truth, scores)
        for of_weights, plain in (
            (kernel.auc_of_weights, kernel.auc),
            (kernel.average_precision_of_weights, kernel.average_precision),
        ):
            function = of_weights(groups)
            expected = plain(groups)
            assert float(function(None)) == pytest.approx(expected, nan_ok=True)
            assert float(function(np.full(truth.size, 2.5))) == pytest.approx(expected, nan_ok=True)

    def test_whole_range_is_the_auc(self) -> None:
        groups = kernel.sort_scores(TEXTBOOK.input["labels"], TEXTBOOK.input["scores"])
        assert float(kernel.partial_area_of_weights(groups, 1.0)(None)) == pytest.approx(0.56)

    @pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
    def test_shapes_and_blocks(self, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(1)
        truth, scores = rng.random(50) < 0.5, np.round(rng.normal(size=50), 1)
        weights = rng.poisson(1.0, (2, 7, 50)).astype(dtype)
        groups = kernel.sort_scores(truth, scores)
        for build in (kernel.auc_of_weights, kernel.average_precision_of_weights):
            together = build(groups)(weights)
            monkeypatch.setattr(kernel, "BLOCK_CELLS", 100)
            assert together.shape == (2, 7)
            np.testing.assert_array_equal(build(groups)(weights), together)
            looped = [[float(build(groups)(row)) for row in block] for block in weights]
            np.testing.assert_array_equal(together, looped)
            monkeypatch.undo()

    def test_a_replicate_without_a_class_is_undefined(self) -> None:
        truth, scores = np.array([1, 1, 0]), np.array([0.9, 0.4, 0.5])
        weights = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]])
        groups = kernel.sort_scores(truth, scores)
        areas = kernel.auc_of_weights(groups)(weights)
        assert np.isnan(areas).tolist() == [True, True, False]
        precisions = kernel.average_precision_of_weights(groups)(weights)
        assert np.isnan(precisions).tolist() == [False, True, False]

    def test_no_items(self) -> None:
        groups = kernel.sort_scores([], [])
        for function in (
            kernel.auc_of_weights(groups),
            kernel.average_precision_of_weights(groups),
            kernel.partial_area_of_weights(groups, 0.5),
        ):
            assert math.isnan(function(None))

    def test_no_replicates(self) -> None:
        groups = kernel.sort_scores([1, 0], [0.5, 0.4])
        assert kernel.auc_of_weights(groups)(np.empty((0, 2))).shape == (0,)


class TestHanleyMcneil:
    @pytest.mark.parametrize("rate", [0.1, 0.5, 1.0, 3.0])
    def test_variance_of_exponential_scores(self, rate: float) -> None:
        """Their model: scores of negatives are exponential, those of positives at another rate."""
        area = 1.0 / (1.0 + rate)
        two_positives = 1.0 / (1.0 + 2.0 * rate)  # both above one negative
        two_negatives = 1.0 - 2.0 * rate / (rate + 1.0) + rate / (rate + 2.0)  # one above both
        due = area * (1.0 - area) + 6 * (two_positives - area**2) + 10 * (two_negatives - area**2)
        assert kernel.hanley_mcneil_variance(area, 7, 11) == pytest.approx(due / 77, rel=1e-12)

    def test_no_positives(self) -> None:
        assert math.isnan(kernel.hanley_mcneil_variance(0.8, 0, 5))


class TestPooledPlacements:
    @steady
    @given(
        st.lists(
            st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6
        )
    )
    def test_swapping_items_flips_their_terms(self, items: list[tuple[bool, int, int]]) -> None:
        truth, a, b = (np.array(column) for column in zip(*items, strict=True))
        pairs = int(truth.sum() * (~truth).sum())
        terms = kernel.pooled_placements(truth, np.array([a, b]))
        if not pairs:
            return
        for signs in product((1, -1), repeat=len(items)):
            kept = np.array(signs) > 0
            one, other = np.where(kept, a, b), np.where(kept, b, a)
            expected = pairs * (brute_auc(truth, one) - brute_auc(truth, other))
            assert float(terms @ signs) == pytest.approx(expected, abs=1e-9)
