"""How scores, or differences of scores, spread over data sets: boxes or violins with every point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice
from assay.core.errors import UsageError
from assay.core.formatting import clean
from assay.evidence.blocks import Blocks
from assay.plots.measure_labels import ARROWS, direction_of, measure_label, short_names
from assay.plots.number_ticks import LETTER, number_ticks
from assay.plots.study_figures import table_of
from assay.plots.style import (
    BLUE,
    FAINT,
    INK,
    PAGE,
    PAPER,
    RULE,
    axis_words,
    name_width,
    new_axes,
    own_axes,
    plain,
    styled,
    text_size,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["box", "violin"]
ROW = 0.36
MOST_POINTS = 400
"""With more points in a row than this the box or the violin alone is drawn."""


def distribution(
    blocks: Any, *, kind: Kind = "box", measure: str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw the scores of every model over data sets: a box (quartiles, whiskers to the farthest
    point within 1.5 of their distance) or a violin, and every point.

    Boxes that overlap say nothing about the difference of two models, which is judged data set by
    data set: ``differences`` draws that. ``measure`` names the axis and puts the best first.

    Examples
    --------
    >>> axes = distribution({"tree": [0.7, 0.8], "net": [0.8, 0.9]}, measure="accuracy")
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['net', 'tree']
    """
    table, measure = table_of(blocks, measure, models=1)
    rows = _best_first([(name, _column(table, name)) for name in table.models], measure)
    label = "score" if measure is None else measure_label(measure)
    return _draw(rows, label, kind, ax, zero=False)


def differences(
    blocks: Any,
    *,
    baseline: str | None = None,
    kind: Kind = "box",
    measure: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw each model minus the baseline (the first model unless named) over the same data sets.

    Examples
    --------
    >>> axes = differences({"tree": [0.7, 0.8], "net": [0.8, 0.9]}, measure="accuracy")
    >>> axes.get_xlabel()
    'difference in accuracy ↑, model − tree'
    """
    table, measure = table_of(blocks, measure)
    against = table.models[0] if baseline is None else baseline
    if against not in table.models:
        raise UsageError(
            f"no model {against!r} to be the baseline; there are {', '.join(table.models)}"
        )
    base = _column(table, against)
    others = [name for name in table.models if name != against]
    rows = _best_first([(name, _column(table, name) - base) for name in others], measure)
    name = (
        "score" if measure is None else f"{clean(measure)}{ARROWS.get(direction_of(measure), '')}"
    )
    label = f"difference in {name}, model − {short_names([against], 24)[0]}"
    return _draw(rows, label, kind, ax, zero=True)


def _column(table: Blocks, model: str) -> FloatArray:
    return table.values[:, table.models.index(model)]


def _best_first(
    rows: Sequence[tuple[str, FloatArray]], measure: str | None
) -> list[tuple[str, FloatArray]]:
    """Without missing values, and by their medians where the better side is known."""
    kept = [(name, values[~np.isnan(values)]) for name, values in rows]
    empty = [name for name, values in kept if not values.size]
    if empty:
        raise UsageError(f"{', '.join(empty)} has no score to draw: leave it out")
    direction = direction_of(measure) if measure is not None else None
    if direction is None:
        return kept
    sign = -1.0 if direction == "higher" else 1.0
    return sorted(kept, key=lambda row: sign * float(np.median(row[1])))


def _draw(
    rows: Sequence[tuple[str, FloatArray]], label: str, kind: str, ax: "Axes | None", *, zero: bool
) -> "Axes":
    check_choice(kind, ("box", "violin"), "kind")
    with styled():
        axes = new_axes(PAGE, 1.0 + ROW * len(rows), shape="rows") if ax is None else own_axes(ax)
        if zero:
            axes.axvline(0.0, color=INK, lw=0.9, zorder=1)
        for place, (_, values) in enumerate(rows):
            (_draw_box if kind == "box" else _draw_violin)(axes, values, place)
            if values.size <= MOST_POINTS:
                _draw_points(axes, values, place)
        axes.set_yticks(range(len(rows)), short_names([name for name, _ in rows], name_width(28)))
        plain(*axes.get_yticklabels())
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=True, axis="x", color=RULE, lw=0.6)
        axes.set_axisbelow(True)
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        plain(axes.set_xlabel(axis_words(label)))
        figure = axes.get_figure(root=True)
        if figure is not None and ax is None:
            width = float(figure.get_size_inches()[0])
            number_ticks(axes.xaxis, inches=0.6 * width)
            longest = max(len(name.get_text()) for name in axes.get_yticklabels())
            named = LETTER * text_size() * longest
            axes.xaxis.label.set_text(axis_words(label, middle=(named + width) / 2))
    return axes


def _draw_box(axes: "Axes", values: FloatArray, place: int) -> None:
    """By hand: matplotlib's own boxes look up every setting, and that starts pyplot."""
    from matplotlib.cbook import boxplot_stats

    (found,) = boxplot_stats(values)
    low, high = found["whislo"], found["whishi"]
    for ends in ((low, found["q1"]), (found["q3"], high)):
        axes.plot(ends, [place, place], color=INK, lw=1.0, zorder=2)
    for end in (low, high):
        axes.plot([end, end], [place - 0.14, place + 0.14], color=INK, lw=1.0, zorder=2)
    axes.barh(
        place, found["q3"] - found["q1"], left=found["q1"], height=0.56, facecolor=PAPER,
        edgecolor=INK, lw=1.0, zorder=2,
    )  # fmt: skip
    _draw_median(axes, found["med"], place, 0.28)


def _draw_violin(axes: "Axes", values: FloatArray, place: int) -> None:
    """A density where values differ; equal values have none, and their points say it all."""
    from matplotlib.mlab import GaussianKDE

    if np.ptp(values) > 0:
        at = np.linspace(values.min(), values.max(), 120)
        density = GaussianKDE(values).evaluate(at)
        half = 0.4 * density / density.max()
        axes.fill_between(
            at, place - half, place + half, facecolor=RULE, edgecolor=FAINT, lw=0.8, zorder=2
        )
    _draw_median(axes, float(np.median(values)), place, 0.18)


def _draw_median(axes: "Axes", median: float, place: int, half: float) -> None:
    axes.plot([median, median], [place - half, place + half], color=INK, lw=2.2, zorder=3)


def _draw_points(axes: "Axes", values: FloatArray, place: int) -> None:
    """Every value, moved up or down a little by the golden ratio, so that equals are seen."""
    moved = (np.arange(values.size) * 0.6180339887498949) % 1.0 - 0.5
    axes.plot(
        np.sort(values), place + 0.34 * moved, "o", color=BLUE, ms=3.2, mew=0, alpha=0.7, zorder=4
    )
