"""Curves with bands, told apart with and without colour."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from assay.core.errors import UsageError
from assay.core.results import Curve
from assay.measures.curves import roc_curve as measured_curve
from assay.measures.curves import roc_hull
from assay.plots import precision_recall, roc
from assay.plots.curve_bands import MOST_POINTS
from tests.plots.figures import legend, legend_title
from tests.report.examples import HOSTILE, evaluation, roc_curve, two_models

POINTS = (("fpr", (0.2, 1.0)), ("tpr", (0.7, 1.0)))


def curve_of(axes: Axes) -> NDArray[np.float64]:
    """The points of the first curve: the first thick line."""
    thick = next(line for line in axes.lines if line.get_linewidth() > 1.5)
    return np.asarray(thick.get_xydata(), dtype=np.float64)


class TestRoc:
    def test_area_with_its_interval_in_the_legend(self) -> None:
        assert legend(roc(evaluation())) == [
            "forest   AUC 0.910 [0.893, 0.927]",
            "logistic   AUC 0.880 [0.863, 0.897]",
            "tree   AUC 0.850 [0.833, 0.867]",
        ]

    def test_area_of_a_lone_curve(self) -> None:
        curve = Curve(name="roc", model="m", columns=POINTS, details=(("auc", 0.75),))
        assert legend(roc(curve)) == ["m   AUC 0.750"]

    def test_a_band_of_one_curve_and_none_of_several(self) -> None:
        axes = roc(evaluation("tree"))
        assert len(axes.collections) == 1
        assert legend_title(axes) == "shaded: 95% band for the whole curve"
        assert not roc(evaluation()).collections
        assert legend_title(roc(evaluation())) == ""

    def test_bands_of_several_curves_on_request(self) -> None:
        axes = roc(evaluation(), bands=True)
        assert len(axes.collections) == 3
        assert not roc(evaluation("tree"), bands=False).collections

    def test_no_band_without_its_columns(self) -> None:
        axes = roc(Curve(name="roc", model="m", columns=POINTS))
        assert not axes.collections
        assert legend(axes) == ["m"]

    def test_too_many_bands_are_left_out_and_that_is_said(self) -> None:
        axes = roc(evaluation(*"abcdef"), bands=True)
        assert not axes.collections
        assert "more than 4 bands" in legend_title(axes)

    def test_a_truth_and_scores(self) -> None:
        truth, scores = [0, 1, 0, 1, 1], [0.1, 0.8, 0.6, 0.9, 0.4]
        assert legend(roc(truth, {"a": scores, "b": [-one for one in scores]})) == [
            "a   AUC 0.833", "b   AUC 0.167",
        ]  # fmt: skip
        assert len(roc(truth, scores).collections) == 1

    def test_colour_and_line_never_repeat_together(self) -> None:
        axes = roc(evaluation(*(f"m{place}" for place in range(20))))
        thick = [line for line in axes.lines if line.get_linewidth() > 1.5]
        looks = {(line.get_color(), str(line._dash_pattern)) for line in thick}  # type: ignore[attr-defined]
        assert len(looks) == 20

    def test_every_curve_starts_at_the_origin(self) -> None:
        axes = roc(Curve(name="roc", model="m", columns=POINTS))
        assert curve_of(axes).tolist() == [[0.0, 0.0], [0.2, 0.7], [1.0, 1.0]]

    def test_long_curves_are_thinned_and_keep_their_ends(self) -> None:
        axes = roc(roc_curve("m", 0.2, points=50_000))
        points = curve_of(axes)
        assert len(points) <= MOST_POINTS + 1
        assert points[-1].tolist() == [1.0, 1.0]

    def test_hostile_names_are_plain_text(self) -> None:
        axes = roc([roc_curve(name, 0.2) for name in HOSTILE])
        figure = axes.get_figure(root=True)
        assert isinstance(figure, Figure)
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
        assert len(legend(axes)) == len(HOSTILE)
        assert "_hidden" in legend(axes)

    def test_a_hull_is_a_thin_line_without_a_legend(self) -> None:
        curve = measured_curve([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.1], model="m")
        axes = roc([curve, roc_hull(curve)])
        (hull,) = [line for line in axes.lines if line.get_label() == "_hull"]
        assert np.asarray(hull.get_xydata()).tolist() == [[0, 0], [0, 0.5], [1 / 3, 1], [1, 1]]
        assert legend(axes) == ["m   AUC 0.833"]
        assert legend_title(axes) == "thin: convex hull"
        assert not [
            line
            for line in roc([curve, roc_hull(curve), replace(curve, model="n")]).lines
            if line.get_label() == "_hull"
        ]

    def test_a_hull_alone(self) -> None:
        curve = measured_curve([1, 0, 1], [0.9, 0.8, 0.7])
        with pytest.raises(UsageError, match="drawn with the curve it belongs to"):
            roc(roc_hull(curve))

    def test_draws_into_axes_of_the_user(self) -> None:
        axes = Figure().add_subplot()
        assert roc(evaluation(), ax=axes) is axes

    def test_no_curve(self) -> None:
        with pytest.raises(UsageError, match="fpr, tpr: an ROC curve needs scores"):
            roc(two_models())

    @pytest.mark.parametrize("wrong", [None, [1, 2]])
    def test_not_a_result(self, wrong: Any) -> None:
        with pytest.raises(UsageError, match="an ROC plot draws"):
            roc(wrong)


@pytest.mark.parametrize("figure", [roc, precision_recall])
def test_the_legend_is_best_first(figure: Callable[..., Axes]) -> None:
    truth = [0, 1, 0, 1, 1, 0]
    scores = {
        "poor": [0.9, 0.2, 0.8, 0.3, 0.4, 0.7],
        "good": [0.1, 0.9, 0.2, 0.8, 0.7, 0.3],
        "fair": [0.1, 0.9, 0.8, 0.2, 0.7, 0.3],
    }
    texts = [text.split()[0] for text in legend(figure(truth, scores))]
    assert texts == ["good", "fair", "poor"]
