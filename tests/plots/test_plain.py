"""Figures from plain numbers, on paper of a given width, with the names that people know."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from assay.compare.learning_curves import compare_curves
from assay.core.errors import UsageError
from assay.core.method_names import method_title
from assay.evidence.curve_scores import CurveScores
from assay.plots import (
    critical_difference,
    error_rates,
    forest,
    learning,
    pairwise_matrix,
    paper,
    posterior,
    power_curve,
    profiles,
    qq,
    sequence,
)
from assay.plots.forest_rows import _in_line
from tests.plots.figures import draw, figure_of, legend, outside, overlapping, texts

RANKS = {"tree": 2.7, "forest": 1.2, "net": 2.1}


def compared() -> Any:
    """Three learners of which the order of two changes with the size."""
    rng = np.random.default_rng(4)
    sizes = np.array([30.0, 100.0, 300.0, 1000.0])
    means = np.array([[0.6, 0.75, 0.5], [0.7, 0.78, 0.6], [0.82, 0.8, 0.7], [0.95, 0.82, 0.75]])
    values = means[:, None, :] + rng.normal(0, 0.01, (4, 12, 3))
    return compare_curves(
        CurveScores(
            kind="learning", dataset="wine", measure="accuracy", models=("forest", "ridge", "tree"),
            at=sizes, values=values, n_train=np.full(12, 1000.0), n_test=np.full(12, 300.0),
            direction="higher", low=0.0, high=1.0,
        )
    )  # fmt: skip


class TestForest:
    def test_decimal_points_are_in_line(self) -> None:
        assert _in_line(["1.25", "10.5", "3", "0.125"]) == [
            "1.25\u2007", "10.5\u2007\u2007", "3\u2008\u2007\u2007\u2007", "0.125",
        ]  # fmt: skip

    def test_signs_are_true_minus_signs(self) -> None:
        axes = forest({"a": (-0.02, -0.05, 0.01)}, measure="accuracy", null=0.0, margin=0.03)
        assert texts(axes)[:3] == ["\u22120.020", "[\u22120.050,", "+0.010]"]

    def test_values_without_intervals(self) -> None:
        assert [text for text in texts(forest({"a": 0.5, "b": 0.7})) if text] == ["0.7", "0.5"]

    def test_wrong_numbers(self) -> None:
        with pytest.raises(
            UsageError, match="a value, or value, low and high; got 2 numbers for a"
        ):
            forest({"a": (1.0, 2.0)})


class TestRanks:
    def test_a_width_decides(self) -> None:
        bars = [
            line
            for line in critical_difference(RANKS, width=0.74).lines
            if line.get_label() == "_bar"
        ]
        assert len(bars) == 1
        assert "critical difference 0.74" in texts(critical_difference(RANKS, width=0.74))

    def test_a_matrix_decides_in_the_order_of_the_mapping(self) -> None:
        apart = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)  # forest from both others
        axes = critical_difference(RANKS, different=apart)
        (bar,) = [line for line in axes.lines if line.get_label() == "_bar"]
        places = {one.get_text().split()[0]: one.get_position()[0] for one in axes.texts}
        assert float(np.asarray(bar.get_xdata())[0]) > places["forest"]

    def test_groups_are_marked_and_named(self) -> None:
        groups = {"tree": "trees", "forest": "trees", "net": "networks"}
        axes = critical_difference(RANKS, width=0.74, groups=groups)
        assert {"trees", "networks"} <= set(texts(axes))
        assert not overlapping(axes)
        marks = {
            (line.get_marker(), line.get_color())
            for line in axes.lines
            if line.get_label() == "_key"
        }
        assert len(marks) == 2

    def test_groups_of_rows_with_letters(self) -> None:
        apart = np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]], dtype=bool)
        ranks = {"a": 1.0, "b": 3.0, "c": 2.0}  # c lies between two that do not differ
        axes = critical_difference(ranks, different=apart, groups={"a": "x", "b": "y", "c": "x"})
        assert any("No bars" in text for text in texts(axes))
        assert {"x", "y"} <= set(texts(axes))

    @pytest.mark.parametrize(
        ("how", "words"),
        [
            ({}, "mean ranks need decisions"),
            ({"different": np.zeros((2, 2), dtype=bool)}, "3 ranks came with decisions about 2"),
            ({"width": 1.0, "groups": {"tree": "t"}}, "groups must name the group of every model"),
        ],
    )
    def test_errors(self, how: Any, words: str) -> None:
        with pytest.raises(UsageError, match=words):
            critical_difference(RANKS, **how)


class TestStrip:
    def test_marks_stand_where_the_test_decides(self) -> None:
        found = compared()
        axes = learning(found)
        (strip,) = axes.child_axes
        assert [label.get_text() for label in strip.get_yticklabels()] == [
            "forest vs ridge", "forest vs tree", "ridge vs tree",
        ]  # fmt: skip
        alpha = 1 - found.level
        decided = [one for one in found.tests if one.outcome.rejects(alpha)]
        marks = [line for line in strip.lines if line.get_marker() not in ("None", ".", "")]
        assert len(marks) == len(decided)
        first = next(line for line in axes.lines if line.get_label() != "")
        points = [(np.asarray(line.get_xydata())[0], line.get_color()) for line in marks]
        winners = {float(x): color for (x, row), color in points if row == 0}
        assert winners[1000.0] == first.get_color()  # forest at last
        assert winners[30.0] != first.get_color()

    def test_no_strip_without_tests(self) -> None:
        assert not learning({"a": ([10, 20], [0.5, 0.6])}).child_axes

    def test_nothing_leaves_the_figure(self) -> None:
        axes = learning(compared())
        draw(axes)
        page = figure_of(axes).bbox
        box = axes.child_axes[0].get_tightbbox()
        assert box is not None
        assert box.x0 >= page.x0
        assert box.y1 <= page.y1


class TestColumns:
    def test_low_and_high_make_intervals(self) -> None:
        axes = learning({"a": ([10, 20], [0.5, 0.6], [0.4, 0.5], [0.6, 0.7])}, kind="noise")
        assert len(axes.collections) == 1
        assert axes.get_xlabel() == "noise level"
        assert (
            error_rates({"a": ([1, 2], [0.9, 0.95])}, quantity="coverage").get_ylabel()
            == "coverage"
        )

    def test_other_figures(self) -> None:
        assert legend(power_curve({"paired": ([100, 4000], [0.35, 0.86])}, unit="folds")) == [
            "paired"
        ]
        assert legend(sequence({"a": ([1, 2], [0, 0], [-1, -1], [1, 1])})) == ["a"]
        assert legend(profiles({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]})) == ["a", "b"]
        assert qq(np.arange(9.0)).get_xlabel() == "normal quantile"
        assert len(posterior({"a": (0.1, 0.2, 0.7)}).patches) == 3

    @pytest.mark.parametrize("columns", [([1, 2],), ([1, 2], [1, 2, 3]), ([1], [1], [1], [1], [1])])
    def test_wrong_columns(self, columns: Any) -> None:
        with pytest.raises(UsageError, match="takes for each name 2 columns of equal length"):
            learning({"a": columns})

    def test_wrong_probabilities_and_pairs(self) -> None:
        with pytest.raises(UsageError, match="sum to 1"):
            posterior({"a": (0.5, 0.2, 0.7)})
        with pytest.raises(UsageError, match="its difference, low and high"):
            pairwise_matrix({"a": (1, 2, 3)})


class TestPaper:
    @pytest.mark.parametrize("width", [85, 170])
    @pytest.mark.parametrize(
        "make",
        [
            lambda: forest({"a model": (0.1, 0.05, 0.15), "b": (0.2, 0.1, 0.3)}, null=0.0),
            lambda: critical_difference(RANKS, width=0.74),
            lambda: pairwise_matrix({("a", "b"): (0.1, 0.0, 0.2)}),
        ],
    )
    def test_as_wide_as_asked_and_nothing_outside(self, make: Any, width: float) -> None:
        with paper(width):
            axes = make()
        assert figure_of(axes).get_size_inches()[0] * 25.4 == pytest.approx(width)
        assert not outside(axes)
        assert not overlapping(axes)

    def test_the_width_ends_with_the_block(self) -> None:
        before = figure_of(forest({"a": 1.0})).get_size_inches()[0]
        with paper(85):
            pass
        assert figure_of(forest({"a": 1.0})).get_size_inches()[0] == before

    @pytest.mark.parametrize("width", [3, 5000])
    def test_widths_that_no_paper_has(self, width: float) -> None:
        with pytest.raises(UsageError, match="between 40 and 1,000 millimetres"), paper(width):
            pass

    def test_axes_of_the_user_keep_their_width(self) -> None:
        axes = Figure(figsize=(3, 3)).add_subplot()
        with paper(170):
            assert forest({"a": 1.0}, ax=axes) is axes
        assert figure_of(axes).get_size_inches()[0] == 3


@pytest.mark.parametrize(
    ("method", "title"),
    [("clopper_pearson", "Clopper-Pearson"), ("paired_t", "Paired t"), ("mcnemar", "McNemar")],
)
def test_methods_have_the_names_people_know(method: str, title: str) -> None:
    assert method_title(method) == title
