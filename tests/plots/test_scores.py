"""Scores over data sets: boxes, violins, differences and one model against another."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from assay.core.errors import UsageError
from assay.plots import differences, distribution, scatter
from assay.plots.distribution import MOST_POINTS
from tests.plots.figures import draw, spaced, texts
from tests.report.examples import HOSTILE

SMALL = {"tree": [0.7, 0.8, 0.9], "net": [0.8, 0.9, 0.95], "knn": [0.5, 0.6, 0.65]}


def rows(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def dots(axes: Axes) -> list[list[float]]:
    """The values drawn as points, row by row."""
    found = [line for line in axes.lines if line.get_marker() == "o" and line.get_markersize() < 4]
    return [np.asarray(line.get_xdata()).tolist() for line in found]


class TestDistribution:
    @pytest.mark.parametrize("kind", ["box", "violin"])
    def test_every_value_is_a_point(self, kind: Any) -> None:
        assert dots(distribution(SMALL, kind=kind)) == [sorted(row) for row in SMALL.values()]

    def test_best_first_where_the_better_side_is_known(self) -> None:
        assert rows(distribution(SMALL, measure="accuracy")) == ["net", "tree", "knn"]
        assert rows(distribution(SMALL, measure="log_loss")) == ["knn", "tree", "net"]
        assert rows(distribution(SMALL)) == ["tree", "net", "knn"]

    def test_the_box_is_of_quartiles(self) -> None:
        values = spaced(1, 101)["model-00"]
        (box,) = distribution({"m": values}).patches
        assert isinstance(box, Rectangle)
        low, high = np.quantile(values, [0.25, 0.75])
        assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx((low, high))

    def test_many_points_are_left_out(self) -> None:
        assert dots(distribution(spaced(2, MOST_POINTS + 1))) == []

    @pytest.mark.parametrize("kind", ["box", "violin"])
    def test_equal_and_lone_values(self, kind: Any) -> None:
        draw(distribution({"a": [0.5, 0.5], "b": [0.5, 0.6]}, kind=kind))
        draw(distribution({"a": [0.5, 0.5]}, kind=kind))

    def test_missing_values_are_not_drawn(self) -> None:
        axes = distribution({"a": [0.5, float("nan")], "b": [0.5, 0.6]})
        assert dots(axes) == [[0.5], [0.5, 0.6]]
        with pytest.raises(UsageError, match="a has no score to draw"):
            distribution({"a": [float("nan")] * 2, "b": [0.5, 0.6]})

    def test_the_figure_grows_with_its_rows(self) -> None:
        heights = []
        for k in (3, 40):
            figure = distribution(spaced(k)).get_figure(root=True)
            assert isinstance(figure, Figure)
            heights.append(figure.get_size_inches()[1])
        assert heights[1] > 5 * heights[0]

    def test_hostile_names_are_plain_text(self) -> None:
        axes = distribution({name: [0.1, 0.2] for name in HOSTILE}, ax=Figure().add_subplot())
        draw(axes)
        assert any("$\\frac{" in label for label in rows(axes))

    def test_another_kind(self) -> None:
        with pytest.raises(UsageError, match="kind"):
            distribution(SMALL, kind="bar")  # type: ignore[arg-type]


class TestDifferences:
    def test_each_minus_the_baseline(self) -> None:
        axes = differences(SMALL, measure="accuracy")
        assert rows(axes) == ["net", "knn"]
        assert dots(axes)[0] == pytest.approx([0.05, 0.1, 0.1])
        assert axes.get_xlabel() == "difference in accuracy ↑, model − tree"

    def test_another_baseline(self) -> None:
        axes = differences(SMALL, baseline="knn", kind="violin")
        assert rows(axes) == ["tree", "net"]
        assert axes.get_xlabel() == "difference in score, model − knn"

    def test_zero_is_a_line(self) -> None:
        ends = [np.asarray(line.get_xdata()).tolist() for line in differences(SMALL).lines]
        assert ends.count([0.0, 0.0]) == 1

    def test_no_such_baseline(self) -> None:
        with pytest.raises(UsageError, match="no model 'x' to be the baseline; there are tree"):
            differences(SMALL, baseline="x")


class TestScatter:
    def test_wins_ties_and_losses(self) -> None:
        axes = scatter({"a": [0.5, 0.7, 0.3, 0.1 + 0.2], "b": [0.4, 0.8, 0.3, 0.3]}, measure="f1")
        assert texts(axes) == ["a better: 1", "b better: 1\nties: 2"]

    def test_lower_is_better(self) -> None:
        axes = scatter({"a": [0.5, 0.7], "b": [0.4, 0.2]}, measure="log_loss")
        assert texts(axes) == ["b better: 2", "a better: 0"]
        assert axes.get_xlabel() == "log_loss ↓ of b"

    def test_without_a_measure_nobody_is_better(self) -> None:
        assert texts(scatter({"a": [0.5], "b": [0.4]})) == ["a higher: 1", "b higher: 0"]

    def test_a_stands_upwards(self) -> None:
        axes = scatter(SMALL, "net", "tree")
        above = next(line for line in axes.lines if line.get_marker() == "^")
        assert np.asarray(above.get_xydata()).tolist() == [[0.7, 0.8], [0.8, 0.9], [0.9, 0.95]]
        assert axes.get_xlim() == axes.get_ylim()

    def test_sides_differ_by_marker_and_colour(self) -> None:
        axes = scatter({"a": [0.5, 0.1], "b": [0.4, 0.2]})
        looks = {
            (str(line.get_marker()), to_hex(line.get_markerfacecolor()))
            for line in axes.lines
            if line.get_marker() in ("^", "v")
        }
        assert looks == {("^", "#0072b2"), ("v", "#d55e00")}

    def test_missing_and_equal_scores(self) -> None:
        axes = scatter({"a": [0.5, float("nan")], "b": [0.5, 0.1]}, ax=Figure().add_subplot())
        draw(axes)
        assert texts(axes) == ["a higher: 0", "b higher: 0\nties: 1"]
        with pytest.raises(UsageError, match="no data set in common"):
            scatter({"a": [0.5, float("nan")], "b": [float("nan"), 0.1]})

    @pytest.mark.parametrize("pair", [(None, None), ("tree", None), ("tree", "x"), ("net", "net")])
    def test_two_models_must_be_named(self, pair: tuple[Any, Any]) -> None:
        with pytest.raises(UsageError, match="name two of the models as a and b"):
            scatter(SMALL, *pair)
