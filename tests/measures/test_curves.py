"""ROC and precision-recall curves, and what is read off them."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Curve
from assay.core.wire import from_json, to_json
from assay.kernels.auc import sort_scores
from assay.measures.curves import (
    operating_point,
    precision_recall_curve,
    roc_crossings,
    roc_curve,
    roc_hull,
    roc_hull_of,
)
from assay.reference import Case, cases
from tests.support import agree

steady = settings(deadline=None, max_examples=60)
TEXTBOOK = next(case for case in cases("textbook") if case.id == "j")


def ids(case: Case) -> str:
    return case.id


@st.composite
def curves(draw: Any, models: int = 1) -> list[Curve]:
    truth = draw(st.lists(st.booleans(), min_size=2, max_size=15))
    assume(0 < sum(truth) < len(truth))
    scores = st.lists(st.integers(0, 6), min_size=len(truth), max_size=len(truth))
    return [roc_curve(truth, draw(scores), model=f"m{k}") for k in range(models)]


def heights(curve: Curve, grid: Any) -> Any:
    """TPR where the curve is not vertical."""
    fpr, tpr = (np.array([0.0, *curve.column(name)]) for name in ("fpr", "tpr"))
    return np.interp(grid, fpr, tpr)


class TestRocCurve:
    @steady
    @given(curves())
    def test_area_is_u_over_pairs(self, drawn: list[Curve]) -> None:
        (curve,) = drawn
        facts: dict[str, Any] = dict(curve.details)
        assert facts["auc"] == pytest.approx(
            facts["u"] / (facts["n_positive"] * facts["n_negative"])
        )
        area = np.trapezoid([0, *curve.column("tpr")], [0, *curve.column("fpr")])
        assert facts["auc"] == pytest.approx(area)
        assert bool(curve.notes) == (facts["auc"] < 0.5)

    def test_survives_json(self) -> None:
        curve = roc_curve([0, 1, 0], [0.3, 0.2, 0.1], model="m")
        assert from_json(to_json(curve)) == curve

    def test_one_class(self) -> None:
        with pytest.raises(EvidenceError, match="both classes; there are only positives"):
            roc_curve([1, 1], [0.2, 0.3])
        with pytest.raises(EvidenceError, match="there are only negatives"):
            precision_recall_curve([0, 0], [0.2, 0.3])


class TestPrecisionRecallCurve:
    @pytest.mark.parametrize("case", [*cases("roc__average_precision")], ids=ids)
    def test_step_sum_is_the_average_precision(self, case: Case) -> None:
        curve = precision_recall_curve(case.input["y_true"], case.input["y_score"])
        steps = np.diff(curve.column("recall"), prepend=0.0)
        area = float(steps @ np.array(curve.column("precision")))
        assert agree(area, case.expected["average_precision"], case.rtol)
        assert agree(dict(curve.details)["average_precision"], area)

    def test_agrees_with_sklearn(self) -> None:
        truth, scores = TEXTBOOK.input["labels"], TEXTBOOK.input["scores"]
        precision, recall, thresholds = sk.precision_recall_curve(truth, scores)
        curve = precision_recall_curve(truth, scores)
        np.testing.assert_allclose(curve.column("precision"), precision[:-1][::-1])
        np.testing.assert_allclose(curve.column("recall"), recall[:-1][::-1])
        np.testing.assert_allclose(curve.column("threshold"), thresholds[::-1])


class TestHull:
    def test_textbook(self) -> None:
        hull = roc_hull(roc_curve(TEXTBOOK.input["labels"], TEXTBOOK.input["scores"]))
        assert hull.column("fpr") == (0.0, 0.0, 1.0)
        assert hull.column("tpr") == (0.0, 0.4, 1.0)
        assert hull.column("threshold") == (math.inf, 0.93, 0.25)
        truth, scores = (np.array(TEXTBOOK.input[name]) for name in ("labels", "scores"))
        assert roc_hull_of(sort_scores(truth, scores)).columns == hull.columns
        assert dict(hull.details)["auc"] == pytest.approx(0.7)

    @steady
    @given(curves())
    def test_concave_and_nowhere_below(self, drawn: list[Curve]) -> None:
        (curve,) = drawn
        hull = roc_hull(curve)
        fpr, tpr = np.array(hull.column("fpr")), np.array(hull.column("tpr"))
        assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
        turns = np.diff(fpr)[:-1] * np.diff(tpr)[1:] - np.diff(tpr)[:-1] * np.diff(fpr)[1:]
        assert (turns < 0).all()
        reached = [tpr[fpr == x].max() if (fpr == x).any() else np.interp(x, fpr, tpr)
                   for x in curve.column("fpr")]  # fmt: skip
        assert (np.array(reached) >= np.array(curve.column("tpr")) - 1e-12).all()


class TestCrossings:
    def test_crossing_where_one_curve_is_vertical(self) -> None:
        # A takes two positives first, then the negatives; B a negative, then all positives
        a = roc_curve([1, 1, 0, 0, 1, 1], [6, 5, 4, 3, 2, 1], model="A")
        b = roc_curve([1, 1, 0, 0, 1, 1], [5, 4, 6, 1, 3, 2], model="B")
        found = roc_crossings(a, b)
        assert found.column("fpr_from") == (0.0, 0.5)
        assert found.column("fpr_to") == (0.5, 1.0)
        assert found.column("tpr_to") == (0.5, 1.0)
        assert found.column("leader") == (1.0, -1.0)
        assert found.column("area") == (0.25, -0.25)
        assert dict(found.details) == {"a": "A", "b": "B", "crossings": 1}

    def test_crossing_between_points(self) -> None:
        # A is the diagonal; B goes through (.5, .25) and (.75, 1): they cross at .625
        truth = [1, 1, 1, 1, 0, 0, 0, 0]
        a = roc_curve(truth, [1] * 8, model="A")
        b = roc_curve(truth, [3, 2, 2, 2, 3, 3, 2, 1], model="B")
        found = roc_crossings(a, b)
        assert found.column("leader") == (1.0, -1.0)
        assert found.column("fpr_to") == pytest.approx((0.625, 1.0))
        assert found.column("tpr_to")[0] == pytest.approx(0.625)

    def test_touching_is_not_crossing(self) -> None:
        a = roc_curve([1, 1, 0, 0], [4, 2, 3, 1], model="A")
        b = roc_curve([1, 1, 0, 0], [2, 2, 3, 1], model="B")
        found = roc_crossings(a, b)
        assert found.column("leader") == (1.0, 0.0)
        assert dict(found.details)["crossings"] == 0

    def test_same_curve(self) -> None:
        curve = roc_curve([1, 1, 0, 0], [4, 2, 3, 1])
        found = roc_crossings(curve, curve)
        assert found.column("leader") == (0.0,)
        assert found.column("area") == (0.0,)

    @steady
    @given(curves(models=2))
    def test_leaders_lead(self, drawn: list[Curve]) -> None:
        a, b = drawn
        found = roc_crossings(a, b)
        start, end, leader = (
            np.array(found.column(name)) for name in ("fpr_from", "fpr_to", "leader")
        )
        assert start[0] == 0
        assert end[-1] == 1
        np.testing.assert_array_equal(start[1:], end[:-1])
        assert (leader[1:] != leader[:-1]).all()
        corners = np.unique([0.0, *a.column("fpr"), *b.column("fpr"), *start, *end])
        middles = (corners[1:] + corners[:-1]) / 2
        gap = heights(a, middles) - heights(b, middles)
        stretch = np.searchsorted(end, middles)
        np.testing.assert_array_equal(np.sign(np.round(gap, 12)), leader[stretch])

    @steady
    @given(curves(models=2))
    def test_areas_add_up_and_mirror(self, drawn: list[Curve]) -> None:
        a, b = drawn
        found, mirrored = roc_crossings(a, b), roc_crossings(b, a)
        areas: list[Any] = [dict(curve.details)["auc"] for curve in drawn]
        assert sum(found.column("area")) == pytest.approx(areas[0] - areas[1], abs=1e-12)
        np.testing.assert_allclose(mirrored.column("area"), np.negative(found.column("area")))
        assert mirrored.column("fpr_to") == pytest.approx(found.column("fpr_to"))

    def test_not_a_roc_curve(self) -> None:
        curve = precision_recall_curve([0, 1], [0.1, 0.2])
        with pytest.raises(UsageError, match="expected a curve from roc_curve"):
            roc_crossings(curve, curve)
        with pytest.raises(UsageError, match="expected a curve from roc_curve"):
            operating_point(curve, [[0, 1], [1, 0]])


class TestOperatingPoint:
    def test_cost_of_missing_decides(self) -> None:
        curve = roc_curve(TEXTBOOK.input["labels"], TEXTBOOK.input["scores"])
        cautious = operating_point(curve, [[0, 1], [20, 0]])
        assert cautious.column("tpr") == (1.0,)
        strict = operating_point(curve, [[0, 20], [1, 0]])
        assert strict.column("fpr") == (0.0,)
        assert strict.column("threshold") == (0.93,)
        assert strict.column("cost") == pytest.approx((0.3,))

    def test_calling_nothing_positive_may_be_best(self) -> None:
        curve = roc_curve([1, 0], [0.1, 0.9])
        best = operating_point(curve, [[0, 1], [1, 0]], prior=0.1)
        assert best.column("threshold") == (math.inf,)
        assert best.column("cost") == pytest.approx((0.1,))

    @steady
    @given(curves(), st.floats(0.01, 0.99), st.lists(st.floats(-3, 9), min_size=4, max_size=4))
    def test_cheapest_of_all_and_on_the_hull(
        self, drawn: list[Curve], prior: float, costs: list[float]
    ) -> None:
        (curve,) = drawn
        (tn, fp), (fn, tp) = matrix = np.reshape(costs, (2, 2))
        best = operating_point(curve, matrix, prior=prior)
        options = [
            prior * (tpr * tp + (1 - tpr) * fn) + (1 - prior) * (fpr * fp + (1 - fpr) * tn)
            for fpr, tpr in [(0, 0), *zip(curve.column("fpr"), curve.column("tpr"), strict=True)]
        ]
        assert best.column("cost")[0] == pytest.approx(min(options), abs=1e-9)

    def test_slope(self) -> None:
        curve = roc_curve([1, 0], [0.9, 0.1])
        best = operating_point(curve, [[0, 1], [5, 0]], prior=0.2)
        assert dict(best.details)["slope"] == pytest.approx(0.8)
        free = operating_point(curve, [[0, 1], [0, 0]], prior=0.2)
        assert dict(free.details)["slope"] is None

    def test_bad_arguments(self) -> None:
        curve = roc_curve([1, 0], [0.9, 0.1])
        with pytest.raises(UsageError, match="2 x 2 cost matrix"):
            operating_point(curve, np.eye(3))
        for prior in (-0.1, 0.0, 1.0, 1.5):
            with pytest.raises(UsageError, match="prior is the share of positives"):
                operating_point(curve, [[0, 1], [1, 0]], prior=prior)
