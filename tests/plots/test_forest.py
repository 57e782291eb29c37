"""Every row in its place, none over another, nothing that the result does not say."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.markers import CARETRIGHT
from matplotlib.patches import Rectangle

from assay.core.errors import UsageError
from assay.core.results import Interval
from assay.plots import forest
from assay.plots.forest import MOST_ROWS
from assay.plots.forest_rows import ROW_HEIGHT
from assay.report.tables import pairs
from assay.web import chart_data
from tests.report.examples import (
    HOSTILE,
    against_level,
    estimate,
    evaluation,
    family,
    lower_is_better,
    many_models,
    outcome,
    two_models,
    undefined,
)


def labels(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def notes(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def numbers(axes: Axes) -> list[str]:
    """The estimate, low and high of each row, put together again."""
    found = [text for text in notes(axes) if "better" not in text]
    rows = len(axes.get_yticks())
    return [" ".join(found[place::rows]).replace(FIGURE_SPACE, "") for place in range(rows)]


FIGURE_SPACE = "\u2007"


def figure_of(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


def draw(axes: Axes) -> None:
    FigureCanvasAgg(figure_of(axes)).draw()  # type: ignore[no-untyped-call]


def verticals(axes: Axes) -> list[float]:
    """Where lines stand upright over the whole height."""
    ends = [np.asarray(line.get_xdata(), dtype=float) for line in axes.lines]
    return [end[0] for end in ends if end.size == 2 and end[0] == end[1]]


def overlaps(axes: Axes) -> int:
    """How many neighbouring row labels share some height."""
    draw(axes)
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    return sum(upper.y0 < lower.y1 for upper, lower in pairwise(boxes))


class TestDifferences:
    def test_best_first(self) -> None:
        axes = forest(many_models(4))
        assert labels(axes)[0] == "model-01 − model-04"
        values = [float(text.split(" ")[0].replace("\u2212", "-")) for text in numbers(axes)]
        assert values == sorted(values, reverse=True)

    @pytest.mark.parametrize("baseline", [True, False])
    def test_pairs_stand_in_the_order_of_the_table_and_of_the_page(self, *, baseline: bool) -> None:
        found = many_models(5, baseline=baseline)
        first, *others = found.verdicts
        largest = replace(first.outcome.effect, value=0.5)  # open, and yet the largest by far
        open_one = replace(first, word="undecided", outcome=replace(first.outcome, effect=largest))
        result = replace(found, verdicts=(open_one, *others))
        table = [f"{row[0].text} − {row[1].text}" for row in pairs(result).rows]
        assert labels(forest(result)) == table
        assert [row["label"] for row in chart_data.forest(result)["rows"]] == table
        words = [row[-1].text for row in pairs(result).rows]
        assert baseline or words == sorted(words, key=["better", "equivalent", "undecided"].index)

    def test_lower_is_better_is_said(self) -> None:
        axes = forest(lower_is_better())
        label = axes.get_xlabel()
        assert "log_loss ↓" in label
        assert "lower is better" in label
        assert [text for text in notes(axes) if "better" in text] == [
            "← gbm better",
            "net better →",
        ]

    def test_higher_is_better_points_the_other_way(self) -> None:
        found = [text for text in notes(forest(two_models())) if "better" in text]
        assert found == ["← logistic better", "forest better →"]

    def test_a_baseline_is_named(self) -> None:
        found = notes(forest(many_models(4, baseline=True)))
        assert found[-2:] == ["← model-01 better", "the other better →"]

    def test_margin_and_zero_are_drawn(self) -> None:
        axes = forest(two_models())
        bands = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
        assert [(band.get_x(), band.get_width()) for band in bands] == [(-0.01, 0.02)]
        assert verticals(axes) == [0.0]

    def test_no_margin_no_band(self) -> None:
        assert not forest(against_level()).patches

    def test_verdicts_differ_by_more_than_colour(self) -> None:
        axes = forest(many_models(6))
        faces = {
            (line.get_marker(), line.get_markerfacecolor())
            for line in axes.lines
            if line.get_marker() not in ("None", "")
        }
        assert len(faces) == 2
        legend = axes.get_legend()
        assert legend is not None
        shown = [text.get_text() for text in legend.get_texts()]
        assert shown == ["better", "undecided", "margin ±0.02"]

    def test_a_level_is_a_line(self) -> None:
        axes = forest(against_level())
        assert labels(axes) == ["forest"]
        assert verticals(axes) == [0.7]
        assert "the line is at 0.7" in axes.get_xlabel()

    def test_of_a_family_and_of_a_test(self) -> None:
        assert labels(forest(family())) == ["a − c", "a − b", "b − c"]
        assert labels(forest(outcome(0.1, 0.0, 0.2, 0.05))) == ["A − B"]


class TestEstimates:
    def test_best_first_whatever_the_direction(self) -> None:
        rows = evaluation().estimates
        for measure in ("accuracy", "log_loss"):
            axes = forest([one for one in rows if one.measure == measure][::-1])
            assert labels(axes) == ["forest", "logistic", "tree"]

    def test_several_measures_name_themselves(self) -> None:
        assert labels(forest(evaluation()))[::3] == [
            "forest  accuracy ↑", "forest  roc_auc ↑", "forest  log_loss ↓",
        ]  # fmt: skip

    def test_an_end_at_infinity_is_an_arrow(self) -> None:
        one = estimate("a", 0.8, 0.7, 0.9)
        open_end = replace(
            one, interval=Interval(low=0.7, high=float("inf"), level=0.95, method="wilson")
        )
        axes = forest(open_end)
        assert CARETRIGHT in [line.get_marker() for line in axes.lines]
        assert numbers(axes) == ["0.80 [0.70, ∞)"]
        assert axes.get_xlim()[1] < 1

    def test_undefined_rows_are_left_out(self) -> None:
        both = [*undefined().estimates, estimate("a", 0.5, 0.4, 0.6, measure="precision")]
        assert labels(forest(both)) == ["a"]


class TestRoom:
    @pytest.mark.parametrize("count", [3, 40, MOST_ROWS])
    def test_labels_never_overlap(self, count: int) -> None:
        assert overlaps(forest(many_models(count + 1, baseline=True))) == 0

    @pytest.mark.parametrize("count", [3, 40])
    def test_in_axes_of_the_user_the_text_shrinks(self, count: int) -> None:
        axes = Figure(figsize=(6, 4)).add_subplot()
        assert forest(many_models(count + 1, baseline=True), ax=axes) is axes
        assert overlaps(axes) == 0

    def test_the_figure_grows(self) -> None:
        heights = [
            figure_of(forest(many_models(k, baseline=True))).get_size_inches()[1] for k in (4, 41)
        ]
        assert heights[1] - heights[0] == pytest.approx(37 * ROW_HEIGHT)

    def test_too_many_rows_are_counted(self) -> None:
        axes = forest(many_models(20))
        assert len(labels(axes)) == MOST_ROWS
        assert f"… {190 - MOST_ROWS} more not drawn" in axes.get_xlabel()
        assert labels(axes)[0] == "model-01 − model-20"

    def test_many_estimates_of_many_measures_are_counted(self) -> None:
        axes = forest(evaluation(*(f"m{place}" for place in range(30))))
        assert len(labels(axes)) == MOST_ROWS
        assert "… 30 more not drawn" in axes.get_xlabel()


class TestNames:
    def test_hostile_names_are_plain_text(self) -> None:
        axes = forest(many_models(names=HOSTILE, baseline=True))
        draw(axes)  # a formula in a name would fail here
        assert not any(label.get_parse_math() for label in axes.get_yticklabels())
        assert max(map(len, labels(axes))) < 60
        assert "\x1b" not in "".join(labels(axes))


class TestErrors:
    def test_nothing_to_draw(self) -> None:
        with pytest.raises(UsageError, match="no estimate has a value"):
            forest(undefined())

    @pytest.mark.parametrize("wrong", [3, "abc", [1.0, 2.0]])
    def test_not_a_result(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match="a forest plot draws"):
            forest(wrong)
