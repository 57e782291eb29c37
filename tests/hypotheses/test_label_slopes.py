"""Slopes of label measures: derivatives by hand, and the chain rule against cell by cell."""

import math

import numpy as np
import pytest

from assay.hypotheses.label_slopes import (
    _margin_slopes,
    plain_difference,
    slopes_of,
    stretched_limits,
    stretched_z,
)
from assay.measures.registry import find_measure

TABLE = np.array([[30.0, 4.0], [7.0, 21.0]])
MANY = np.array([[12.0, 3.0, 1.0], [2.0, 20.0, 5.0], [4.0, 1.0, 9.0]])


class TestSlopes:
    def test_accuracy(self) -> None:
        n, right = MANY.sum(), np.trace(MANY)
        expected = (n * np.eye(3) - right) / n**2
        assert slopes_of(find_measure("accuracy"), MANY) == pytest.approx(expected, rel=1e-6)

    def test_recall(self) -> None:
        """TP/(TP + FN): FN/(TP + FN)² for each hit, -TP/(TP + FN)² for each miss."""
        recall = find_measure("recall").bind(("0", "1"), "1")
        expected = np.array([[0.0, 0.0], [-21.0 / 28**2, 7.0 / 28**2]])
        assert slopes_of(recall, TABLE) == pytest.approx(expected, rel=1e-6, abs=1e-12)

    def test_empty_cells_have_none(self) -> None:
        table = np.array([[5.0, 0.0], [3.0, 4.0]])
        precision = find_measure("precision").bind(("0", "1"), "1")
        assert slopes_of(precision, table)[0, 1] == 0.0

    @pytest.mark.parametrize("name", ["mcc", "kappa", "f1_macro", "precision_weighted"])
    def test_by_the_chain_rule_they_are_the_same(self, name: str) -> None:
        measure = find_measure(name)
        assert measure.margins is not None
        by_margins = _margin_slopes(measure.margins, MANY)
        assert by_margins == pytest.approx(slopes_of(measure, MANY), rel=1e-5, abs=1e-9)

    def test_of_very_many_classes(self) -> None:
        """600 classes, right 3 times and wrong once each: accuracy has two slopes."""
        size = 600
        table = 3.0 * np.eye(size) + np.roll(np.eye(size), 1, axis=1)
        weighted = find_measure("recall_weighted")  # the share of right answers
        found = slopes_of(weighted, table)
        assert np.diagonal(found) == pytest.approx(0.25 / (4 * size), rel=1e-4)
        assert np.diagonal(np.roll(found, -1, axis=1)) == pytest.approx(
            -0.75 / (4 * size), rel=1e-4
        )


class TestScale:
    def test_without_ends_it_is_z(self) -> None:
        assert stretched_z(0.3, 0.1, math.inf) == pytest.approx(3.0)

    @pytest.mark.parametrize("centre", [-0.6, 0.0, 0.25, 0.9])
    def test_z_is_the_delta_method_on_atanh(self, centre: float) -> None:
        """atanh(D/R) over its standard error, the slope of atanh taken by differences."""
        step = 1e-6
        slope = (math.atanh((centre + step) / 2) - math.atanh((centre - step) / 2)) / (2 * step)
        assert stretched_z(centre, 0.1, 2.0) == pytest.approx(
            math.atanh(centre / 2) / (slope * 0.1), rel=1e-6
        )

    def test_limits_hold_the_plain_difference_and_stay_in_range(self) -> None:
        low, high = stretched_limits(0.5, 0.9, 0.97, 1.0)
        assert -1.0 < low < 0.5
        assert high == 0.97
        assert stretched_limits(0.5, 0.9, -0.8, 1.0)[0] == -0.8


def test_a_difference_of_rounding_errors_is_none() -> None:
    assert plain_difference(0.1 + 0.2, 0.3) == 0.0
    assert plain_difference(0.3, 0.1) == pytest.approx(0.2)
    assert math.isnan(plain_difference(math.inf, 1.0))
    assert math.isnan(plain_difference(1.0, math.inf))
