"""Where the adjusted test of two learners decides: a strip above their curves."""

from itertools import groupby
from typing import TYPE_CHECKING

from assay.core.formatting import clean_name, shorten
from assay.core.study_results import CurveComparison, PointTest
from assay.kernels.tails import alpha_of
from assay.plots.curve_bands import MARKERS, look
from assay.plots.measure_labels import direction_of
from assay.plots.style import FAINT, RULE, plain, text_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PAIRS = 6
"""Pairs in the strip; of more learners than four the table of the tests is read instead."""
WORDS = "marks above: better by the adjusted test; dot: no clear difference"
ROW = 0.17
"""The height of a row, in inches."""


def strip_height(compared: CurveComparison | None) -> float:
    """Inches that the strip needs; 0 where there is none."""
    pairs = 0 if compared is None else len({(one.a, one.b) for one in compared.tests})
    return ROW * pairs + 0.12 if 0 < pairs <= MOST_PAIRS else 0.0


def draw_strip(axes: "Axes", compared: CurveComparison, learners: list[str | None]) -> None:
    """A row for each pair: the marker of the learner that is better at a point, else a small dot."""
    tests = sorted(compared.tests, key=lambda one: (one.a, one.b))
    rows = [(pair, list(found)) for pair, found in groupby(tests, lambda one: (one.a, one.b))]
    figure = axes.get_figure(root=True)
    inches = axes.get_position().height * (figure.get_size_inches()[1] if figure else 4.0)
    size = text_size() - 1.0
    strip = axes.inset_axes((0.0, 1.03, 1.0, ROW * len(rows) / inches))
    strip.set_xscale(axes.get_xscale())
    strip.set_xlim(axes.get_xlim())
    strip.set_ylim(len(rows) - 0.5, -0.5)
    for place, (_, found) in enumerate(rows):
        strip.axhline(place, color=RULE, lw=0.6, zorder=0)
        for one in found:
            _draw_mark(strip, one, place, compared, learners)
    names = [f"{_short(a)} vs {_short(b)}" for (a, b), _ in rows]
    strip.set_yticks(range(len(rows)), names, fontsize=size)
    plain(*strip.get_yticklabels())
    strip.tick_params(axis="both", length=0, which="both", labelbottom=False)
    for side in strip.spines.values():
        side.set_visible(False)


def _draw_mark(
    strip: "Axes", one: PointTest, place: int, compared: CurveComparison, learners: list[str | None]
) -> None:
    value = one.outcome.effect.value
    if value is None or not one.outcome.rejects(alpha_of(compared.level)):
        strip.plot([one.at], [place], ".", color=FAINT, ms=3, zorder=2)
        return
    higher = direction_of(compared.measure) != "lower"
    winner = learners.index(one.a if (value > 0) == higher else one.b)
    marker = MARKERS[winner % len(MARKERS)]
    strip.plot([one.at], [place], marker, color=look(winner)["color"], ms=5, zorder=3)


def _short(name: str) -> str:
    return shorten(clean_name(name), 14)
