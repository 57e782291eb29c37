"""Curves of every kind: what the columns say, with bands, told apart without colour."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from assay.core.errors import UsageError
from assay.core.results import Curve
from assay.estimates.calibration_curve import reliability
from assay.estimates.runs import performance_profile
from assay.hypotheses.assumptions import qq_points
from assay.measures.calibration import calibration_curve
from assay.measures.curves import precision_recall_curve
from assay.plots import calibration, error_rates, learning, precision_recall, profiles, qq
from assay.plots.curve_bands import MOST_POINTS
from tests.plots.figures import draw, legend, legend_title
from tests.report.examples import HOSTILE, estimate, evaluation

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(200) < 0.3).astype(int)
SCORES = np.clip(0.3 * TRUTH + RNG.normal(0.4, 0.15, 200), 0.01, 0.99)


def learner(
    model: str, mean: tuple[float, ...], *, setting: str = "size", banded: bool = True
) -> Curve:
    at = (10.0, 20.0, 40.0, 400.0) if setting == "size" else (0.0, 0.1, 0.2, 0.4)
    columns = [(setting, at), ("mean", mean)]
    if banded:
        columns += [("low", tuple(m - 0.05 for m in mean)), ("high", tuple(m + 0.05 for m in mean))]
    details = (("measure", "accuracy"), ("level", 0.9))
    return Curve(name="learning", model=model, columns=tuple(columns), details=details)


def rates(model: str, *, x: str = "items") -> Curve:
    columns = (
        (x, (50.0, 100.0)),
        ("rate", (0.07, 0.05)),
        ("low", (0.06, 0.04)),
        ("high", (0.08, 0.06)),
    )
    return Curve(name="errors", model=model, columns=columns, details=(("nominal", 0.05),))


DRAWN: dict[str, tuple[Callable[..., Axes], Callable[[str], Curve]]] = {
    "precision_recall": (
        precision_recall,
        lambda name: precision_recall_curve(TRUTH, SCORES, model=name),
    ),
    "calibration": (calibration, lambda name: reliability(TRUTH, SCORES, model=name)),
    "profiles": (profiles, lambda name: performance_profile(SCORES, model=name, rng=1)),
    "learning": (learning, lambda name: learner(name, (0.5, 0.6, 0.7, 0.8))),
    "error_rates": (error_rates, rates),
}
each = pytest.mark.parametrize(("function", "make"), DRAWN.values(), ids=DRAWN)
ONE = {name: both for name, both in DRAWN.items() if name != "calibration"}
in_one = pytest.mark.parametrize(("function", "make"), ONE.values(), ids=ONE)
"""Figures that draw several curves in one pair of axes."""


def title(panel: Any) -> str:
    return str(panel.get_title("left"))


def thick(axes: Axes) -> list[Any]:
    return [line for line in axes.lines if line.get_linewidth() > 1.2]


def points(line: Any) -> list[list[float]]:
    found: list[list[float]] = np.asarray(line.get_xydata(), dtype=float).tolist()
    return found


class TestEveryKind:
    @in_one
    def test_names_in_the_legend(self, function: Any, make: Any) -> None:
        labels = legend(function([make("tree"), make("net")]))
        assert labels[0].startswith("tree")
        assert labels[1].startswith("net")

    @in_one
    def test_colour_and_line_differ_together(self, function: Any, make: Any) -> None:
        first, second, *_ = thick(function([make("tree"), make("net")]))
        assert first.get_color() != second.get_color()
        assert first._dash_pattern != second._dash_pattern

    @in_one
    def test_hostile_names_are_plain_text(self, function: Any, make: Any) -> None:
        axes = function([make(name) for name in HOSTILE])
        draw(axes)
        assert any(label.startswith("_hidden") for label in legend(axes))

    @each
    def test_draws_into_axes_of_the_user(self, function: Any, make: Any) -> None:
        axes = Figure().add_subplot()
        assert function(make("tree"), ax=axes) is axes

    @each
    def test_the_legend_is_below_the_axes(self, function: Any, make: Any) -> None:
        axes = function(make("tree"))
        draw(axes)
        found = axes.get_legend()
        assert found is not None
        below = axes.xaxis.label.get_window_extent().y0
        assert found.get_window_extent().y1 < below

    @each
    def test_no_such_curve(self, function: Any, make: Any) -> None:
        with pytest.raises(UsageError, match="no curve here has the columns"):
            function(Curve(name="x", model=None, columns=(("x", (1.0,)),)))

    @each
    @pytest.mark.parametrize("wrong", [None, [1, 2]])
    def test_not_a_curve(self, function: Any, make: Any, wrong: Any) -> None:
        with pytest.raises(UsageError, match="draws curves, or a result that has some; got"):
            function(wrong)


class TestPrecisionRecall:
    def test_steps_whose_area_is_the_average_precision(self) -> None:
        curve = precision_recall_curve(TRUTH, SCORES, model="m")
        axes = precision_recall(curve)
        line = thick(axes)[0]
        found = np.array(points(line))
        area = float(np.sum(np.diff(found[:, 0]) * found[1:, 1]))  # steps-pre
        assert line.get_drawstyle() == "steps-pre"
        assert area == pytest.approx(float(str(dict(curve.details)["average_precision"])))
        assert legend(axes) == [f"m   average precision {area:.3f}"]

    def test_the_line_of_guessing(self) -> None:
        axes = precision_recall(precision_recall_curve(TRUTH, SCORES))
        assert points(axes.lines[0]) == [[0, TRUTH.mean()], [1, TRUTH.mean()]]

    def test_the_estimate_of_a_result_with_its_interval(self) -> None:
        one = estimate("m", 0.8, 0.7, 0.9, measure="average_precision")
        curve = precision_recall_curve(TRUTH, SCORES, model="m")
        result = replace(evaluation("m"), estimates=(one,), curves=(curve,))
        assert legend(precision_recall(result)) == ["m   average precision 0.80 [0.70, 0.90]"]

    def test_a_band_where_the_curve_has_one(self) -> None:
        curve = precision_recall_curve(TRUTH, SCORES, model="m")
        half = tuple(value / 2 for value in curve.column("precision"))
        banded = replace(
            curve, columns=(*curve.columns, ("low", half), ("high", curve.column("precision")))
        )
        assert not precision_recall(curve).collections
        assert len(precision_recall(banded).collections) == 1
        assert legend_title(precision_recall(banded)) == "shaded: band for the whole curve"

    def test_long_curves_are_thinned(self) -> None:
        scores = np.arange(20_000.0)
        axes = precision_recall(precision_recall_curve(scores > 9000, scores))
        assert len(points(thick(axes)[0])) <= MOST_POINTS + 1


class TestCalibration:
    def test_intervals_of_each_bin(self) -> None:
        curve = reliability(TRUTH, SCORES, model="m")
        axes = calibration(curve)
        (bars,) = axes.collections
        ends = np.array([path.vertices for path in bars.get_paths()])
        assert ends[:, 0, 1].tolist() == list(curve.column("observed_low"))
        assert ends[:, 1, 1].tolist() == list(curve.column("observed_high"))
        assert legend_title(axes) == "lines: 95% interval of each bin; grey: items in each bin"
        assert legend(axes) == ["m, n = 200"]

    def test_points_alone_without_intervals(self) -> None:
        axes = calibration(calibration_curve(TRUTH, SCORES))
        assert not axes.collections
        assert "interval" not in legend_title(axes)

    def test_bars_are_the_items_of_a_curve(self) -> None:
        curve = reliability(TRUTH, SCORES)
        heights = [float(bar.get_height()) for bar in calibration(curve).patches]  # type: ignore[attr-defined]
        count = np.array(curve.column("count"))
        assert heights == pytest.approx(0.12 * count / count.max())

    def test_several_models_stand_in_panels_of_their_own(self) -> None:
        axes = calibration([reliability(TRUTH, SCORES, model=name) for name in "abcd"])
        assert [title(panel) for panel in axes.child_axes] == [
            f"{name}, n = 200" for name in "abcd"
        ]
        assert all(len(panel.collections) == 1 for panel in axes.child_axes)
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("predicted probability", "observed share")

    def test_too_many_panels_are_counted(self) -> None:
        axes = calibration({f"m{i}": reliability(TRUTH, SCORES) for i in range(15)})
        assert len(axes.child_axes) == 12
        assert legend_title(axes).endswith("3 more models not drawn")

    def test_a_truth_and_probabilities(self) -> None:
        axes = calibration(TRUTH, {"a": SCORES, "b": SCORES**2})
        assert [title(panel) for panel in axes.child_axes] == [
            "a, n = 200",
            "b, n = 200",
        ]


class TestProfiles:
    def test_steps_and_their_band(self) -> None:
        curve = performance_profile([0.2, 0.5, 0.9], model="m")
        axes = profiles(curve)
        line = thick(axes)[0]
        assert line.get_drawstyle() == "steps-post"
        at, share = curve.column("threshold"), curve.column("share")
        begin = [at[0], 1.0]  # every run scores above what is below the lowest
        assert points(line) == [begin, *([x, y] for x, y in zip(at, share, strict=True))]
        assert legend_title(axes) == "shaded: 95% band for the whole curve"

    def test_curves_begin_together_where_all_runs_are_above(self) -> None:
        axes = profiles({"low": [0.1, 0.2], "high": [0.6, 0.7]})
        assert [points(line)[0] for line in thick(axes)] == [[0.1, 1.0], [0.1, 1.0]]


class TestLearning:
    def test_sizes_far_apart_are_on_a_logarithmic_axis(self) -> None:
        axes = learning(learner("m", (0.5, 0.6, 0.7, 0.8)))
        assert axes.get_xscale() == "log"
        draw(axes)
        shown = [label.get_text() for label in axes.get_xticklabels()]
        assert shown == ["10", "20", "40", "400"]  # where something was measured
        assert not any("$" in text for text in shown)

    def test_noise_is_not(self) -> None:
        axes = learning(learner("m", (0.8, 0.7, 0.6, 0.5), setting="level"))
        assert axes.get_xscale() == "linear"
        assert axes.get_xlabel() == "noise level"
        assert axes.get_ylabel() == "accuracy ↑"
        assert legend_title(axes) == "upright lines: 90% intervals"

    def test_where_the_drawn_lines_cross(self) -> None:
        one = learner("a", (0.5, 0.6, 0.7, 0.9))
        other = learner("b", (0.6, 0.65, 0.7, 0.8))  # they meet at 40 and part the other way
        axes = learning([one, other])
        assert legend(axes) == ["a", "b", "means cross"]
        (crossing,) = points(axes.lines[-1])
        assert crossing == pytest.approx([40.0, 0.7])

    @pytest.mark.parametrize("setting", ["size", "level"])
    def test_between_two_settings(self, setting: str) -> None:
        one = learner("a", (0.5, 0.7, 0.8, 0.9), setting=setting)
        other = learner("b", (0.6, 0.6, 0.6, 0.6), setting=setting)
        (crossing,) = points(learning([one, other]).lines[-1])
        middle = np.sqrt(10 * 20) if setting == "size" else 0.05
        assert crossing == pytest.approx([middle, 0.6])

    def test_touching_is_not_crossing(self) -> None:
        one = learner("a", (0.5, 0.6, 0.7, 0.8))
        other = learner("b", (0.6, 0.6, 0.8, 0.9))
        assert legend(learning([one, other])) == ["a", "b"]

    def test_intervals_stand_side_by_side(self) -> None:
        axes = learning([learner(name, (0.5, 0.6, 0.7, 0.8)) for name in "abc"])
        places = [np.array(bars.get_paths()[0].vertices)[0, 0] for bars in axes.collections]
        assert places[0] < places[1] < places[2]
        assert places[1] == pytest.approx(10.0)
        assert not any(isinstance(bars, PolyCollection) for bars in axes.collections)

    def test_many_learners_have_neither_intervals_nor_crossings(self) -> None:
        means = [tuple(RNG.random(4)) for _ in range(6)]
        axes = learning([learner(f"m{i}", mean) for i, mean in enumerate(means)])
        assert not axes.collections
        assert "means cross" not in legend(axes)
        assert legend_title(axes) == "intervals are drawn for up to 5 curves; these are 6"

    def test_without_bands(self) -> None:
        axes = learning(learner("m", (0.5, 0.6, 0.7, 0.8), banded=False))
        assert not axes.collections
        assert legend_title(axes) == ""

    def test_settings_of_two_kinds(self) -> None:
        mixed = [learner("a", (0.5,) * 4), learner("b", (0.5,) * 4, setting="level")]
        with pytest.raises(UsageError, match="all the same one"):
            learning(mixed)


class TestErrorRates:
    def test_the_nominal_level_is_a_line(self) -> None:
        axes = error_rates([rates("mcnemar"), rates("z")])
        assert legend(axes) == ["mcnemar", "z", "nominal level 0.05"]
        assert axes.get_xlabel() == "items"
        assert axes.get_ylim()[0] == 0.0

    def test_said_otherwise(self) -> None:
        assert legend(error_rates(rates("m"), nominal=0.01))[-1] == "nominal level 0.01"

    def test_settings_of_two_kinds(self) -> None:
        with pytest.raises(UsageError, match="over the same setting"):
            error_rates([rates("a"), rates("b", x="clusters")])


class TestQq:
    def test_points_and_the_line_through_the_quartiles(self) -> None:
        curve = qq_points([3.0, 1.0, 2.0, 5.0])
        axes = qq(curve)
        line, dots = axes.lines
        details = dict(curve.details)
        x, y = points(line)[1]
        assert y == pytest.approx(
            float(str(details["intercept"])) + float(str(details["slope"])) * x
        )
        assert [value for _, value in points(dots)] == [1.0, 2.0, 3.0, 5.0]

    def test_whose_values(self) -> None:
        curve = replace(qq_points([1.0, 2.0]), model="$x$")
        axes = qq(curve, ax=Figure().add_subplot())
        draw(axes)
        assert axes.get_ylabel() == "values of $x$, sorted"
