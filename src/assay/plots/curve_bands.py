"""What plots of curves share: which curves, in which look, with bands and a legend below."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.formatting import (
    clean_name,
    estimate_digits,
    shown_percent,
    write_estimate,
    write_rounded,
)
from assay.core.results import Comparison, Curve, Estimate, Evaluation
from assay.measures.registry import registered_name
from assay.plots.measure_labels import short_names
from assay.plots.number_ticks import LETTER, plain_numbers, tick_texts
from assay.plots.style import (
    COLORS,
    LINES,
    PAGE,
    RULE,
    TEXT,
    in_lines,
    new_axes,
    plain,
    text_size,
    wide,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BANDS = 4
"""Bands of more curves than this cover one another, even where they are asked for."""
MOST_POINTS = 800
"""Points drawn of a curve: more cannot be seen, and would only make the file larger."""
MOST_TICKS, TICK_ROOM = 14, 0.017
"""Ticks at measured values, and the share of the axis that a digit takes."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
NAME_WIDTH = 28
BELOW = 0.52
"""Inches from the axes down to the legend, with room for the axis' numbers and name."""
SIDE = 4.6
"""Inches of a square with the numbers and names of its axes."""
ROW, LINE = 0.205, 0.16
"""Inches of a row of a legend, and of a line of the words above it."""
TITLE_SMALLER = 1.0
"""Points by which the words above a legend are smaller than its names."""
HANDLE = 7
"""Letters that the sign before a name takes."""


def curves_of(
    result: Any, *needed: str, figure: str, instead: str, optional: Sequence[str] = ("low", "high")
) -> tuple[Curve, ...]:
    """The curves of a result that have the columns ``needed``.

    A mapping of names to columns of numbers makes curves too: the ``needed`` ones in this order,
    then the ``optional`` ones.
    """
    if isinstance(result, Comparison | Evaluation):
        curves = result.curves
    elif isinstance(result, Curve):
        curves = (result,)
    elif isinstance(result, Mapping):
        curves = _curves_of_columns(result, needed, optional, figure=figure)
    elif isinstance(result, Sequence) and all(isinstance(one, Curve) for one in result):
        curves = tuple(result)
    else:
        raise UsageError(
            f"{figure} draws curves, or a result that has some; got {type(result).__name__}"
        )
    found = tuple(curve for curve in curves if set(needed) <= set(dict(curve.columns)))
    if not found:
        raise UsageError(f"no curve here has the columns {', '.join(needed)}: {instead}")
    return found


def _curves_of_columns(
    given: Mapping[Any, Any], needed: Sequence[str], optional: Sequence[str], *, figure: str
) -> tuple[Curve, ...]:
    names = (*needed, *optional)
    curves = []
    for model, columns in given.items():
        if isinstance(columns, Curve):
            curves.append(replace(columns, model=str(model)))
            continue
        try:
            found = [tuple(map(float, column)) for column in columns]
        except (TypeError, ValueError):
            found = []
        lengths = {len(column) for column in found}
        if not len(needed) <= len(found) <= len(names) or len(lengths) != 1:
            raise UsageError(
                f"{figure} takes for each name {len(needed)} columns of equal length "
                f"({', '.join(needed)}), and may take {', '.join(optional)} after them. Got "
                f"{len(found)} of {sorted(lengths)} numbers for {model}"
            )
        curves.append(
            Curve(name=figure, model=str(model), columns=tuple(zip(names, found, strict=False)))
        )
    return tuple(curves)


def scored(truth: Any, scores: Any, make: Callable[..., Curve]) -> tuple[Curve, ...]:
    """What ``make`` gives of a truth and the scores of one model or, in a mapping, of several."""
    if isinstance(scores, Mapping):
        return tuple(make(truth, given, model=str(name)) for name, given in scores.items())
    return (make(truth, scores),)


def areas_said(
    curves: Sequence[Curve], result: Any, measure: str, words: str, detail: str
) -> list[str]:
    """The area under each curve: with its interval where the result has one, else the ``detail`` of the curve."""
    found = result.estimates if isinstance(result, Comparison | Evaluation) else ()
    ours: list[Estimate] = [one for one in found if registered_name(one.measure) == measure]
    known = {one.model: one for one in reversed(ours)}
    said = []
    for curve in curves:
        area = dict(curve.details).get(detail)
        text = f"{area:.3f}" if isinstance(area, float) else ""
        if curve.model in known:
            one = known[curve.model]
            text = str(write_estimate(one, finest=estimate_digits(found, one.measure)))
        said.append(f"{words} {text}" if text else "")
    return said


def best_first(curves: Sequence[Curve], result: Any, measure: str, detail: str) -> list[int]:
    """The places of the curves in a legend: the largest area first, those without one in their order below."""
    found = result.estimates if isinstance(result, Comparison | Evaluation) else ()
    known = {one.model: one.value for one in found if registered_name(one.measure) == measure}
    sizes = [known.get(one.model, dict(one.details).get(detail)) for one in curves]
    areas = [one if isinstance(one, float) else -math.inf for one in sizes]
    return sorted(range(len(curves)), key=lambda place: -areas[place])


def has_band(curve: Curve, *, low: str = "low", high: str = "high") -> bool:
    return {low, high} <= set(dict(curve.columns))


def thinned(curve: Curve) -> dict[str, list[float]]:
    """The columns at the points to draw: evenly spread, both ends kept."""
    count = len(curve.columns[0][1])
    keep = list(range(count))
    if count > MOST_POINTS:
        step = (count - 1) / (MOST_POINTS - 1)
        keep = sorted({round(place * step) for place in range(MOST_POINTS)})
    return {name: [values[place] for place in keep] for name, values in curve.columns}


def look(place: int) -> dict[str, Any]:
    """The colour and line of a curve by its place: both differ, for prints without colour."""
    return {"color": COLORS[place % len(COLORS)], "ls": LINES[place % len(LINES)]}


def draw_band(
    axes: "Axes",
    x: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    place: int,
    *,
    step: Any = None,
) -> None:
    """A shaded band with thin edges, which are seen where a grey print loses the shade."""
    how = look(place)
    axes.fill_between(x, low, high, color=how["color"], alpha=0.13, lw=0, zorder=2, step=step)
    drawstyle = "default" if step is None else f"steps-{step}"
    for edge in (low, high):
        axes.plot(x, edge, lw=0.5, zorder=2, drawstyle=drawstyle, **how)


def curve_name(curve: Curve) -> str:
    return curve_names([curve])[0]


def curve_names(curves: Sequence[Curve]) -> list[str]:
    """The models of curves; long names are shortened as far as they stay different."""
    return list(
        short_names(["curve" if one.model is None else one.model for one in curves], NAME_WIDTH)
    )


def banded(curves: Sequence[Curve], *, asked: bool | None) -> bool:
    """Whether bands are drawn: those of one curve, and of several only if ``asked`` for."""
    wanted = len(curves) == 1 if asked is None else asked and len(curves) <= MOST_BANDS
    return wanted and any(map(has_band, curves))


def band_words(curves: Sequence[Curve], kind: str, *, asked: bool | None = None) -> str:
    """What the bands are: their level and kind, or why there are none."""
    if not banded(curves, asked=asked):
        return f"more than {MOST_BANDS} bands would hide one another" if asked else ""
    levels = {dict(curve.details).get("level") for curve in curves if has_band(curve)}
    level = levels.pop() if len(levels) == 1 else None
    words = f"{shown_percent(level)} " if isinstance(level, float) else ""
    return f"shaded: {words}{kind}"


def tidy(axes: "Axes") -> None:
    """A faint grid behind, no box around, numbers as they are written everywhere."""
    plain_numbers(axes)
    axes.grid(visible=True, color=RULE, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("right", "top"):
        axes.spines[side].set_visible(False)


def square_axes(labels: Sequence[str], title: str) -> "Axes":
    """Axes for a square, with as much room below as the legend will take."""
    inches = 0.85 * wide(SIDE)
    rows = math.ceil(len(labels) / _beside(labels, inches))
    lines = len(_title_lines(title, inches))
    grown = text_size() / TEXT * SIDE / wide(SIDE)  # the square grows with the paper, text does not
    below = 0.1 + grown * (ROW * rows + LINE * lines)
    axes = new_axes(SIDE, SIDE + below, shape="square")
    axes.set_anchor("N")
    return axes


def fitted(curves: Sequence[Curve], said: Sequence[str], short: Mapping[str, str]) -> list[str]:
    """Names of curves and what is said of each; long names are shortened, then words made ``short``."""
    letters = int(0.85 * wide(SIDE) / (LETTER * text_size())) - HANDLE - 3
    names = [clean_name(curve.model) if curve.model is not None else "curve" for curve in curves]
    longest = max(map(len, names)) if names else 0
    if min(longest, NAME_WIDTH) + max(map(len, said), default=0) > letters:
        for word, shorter in short.items():
            said = [text.replace(word, shorter) for text in said]
    room = letters - max(map(len, said), default=0)
    shown = short_names(names, min(NAME_WIDTH, max(room, 10)))
    return ["   ".join(filter(None, pair)) for pair in zip(shown, said, strict=True)]


def _beside(labels: Sequence[str], inches: float) -> int:
    """How many entries of a legend stand side by side."""
    longest = max(map(len, labels), default=0)
    beside = max(1, int(inches / ((longest + HANDLE) * LETTER * text_size())))
    return min(beside, max(len(labels), 1))


def legend_below(
    axes: "Axes",
    handles: Sequence[Any],
    labels: Sequence[str],
    *,
    title: str = "",
    title_share: float = 1.0,
) -> None:
    """The legend under the axes and their label, where it covers nothing.

    Where names stand left of the axes, ``title_share`` of the usual room is left for the title.
    """
    from matplotlib.transforms import ScaledTranslation

    figure = axes.get_figure(root=True)
    drop = BELOW * text_size() / TEXT
    below = ScaledTranslation(0.0, -drop, figure.dpi_scale_trans) if figure else axes.transAxes
    size = text_size()
    inches = 0.85 * (figure.get_size_inches()[0] if figure else PAGE) * _share_of_figure(axes)
    legend = axes.legend(
        handles, labels, loc="upper left", fontsize=size,
        ncols=_beside(labels, inches), columnspacing=1.6, bbox_to_anchor=(0.0, 0.0),
        title="\n".join(_title_lines(title, title_share * inches)) or None,
        bbox_transform=axes.transAxes + below, alignment="left", handlelength=3.2,
        borderaxespad=0.0, title_fontsize=size - TITLE_SMALLER,
    )  # fmt: skip
    plain(*legend.get_texts(), legend.get_title())


def _title_lines(title: str, inches: float) -> list[str]:
    size = text_size() - TITLE_SMALLER
    return [
        part
        for line in title.splitlines()
        for part in in_lines(line, inches, size=size).splitlines()
    ]


def _share_of_figure(axes: "Axes") -> float:
    """The share of the figure's width that the axes were given; nearly all, if they are alone."""
    place = axes.get_subplotspec()
    return 1.0 if place is None else 1.0 / place.get_gridspec().ncols


def plain_ticks(axes: "Axes") -> None:
    """A logarithmic axis with numbers as people write them: 100, not a power of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    def number(value: float, _: Any) -> str:
        """The number; only powers of ten where there is no room between 1, 2 and 5."""
        low, high = axes.get_xlim()
        inches = axes.bbox.width / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
        room = inches * math.log10(2.0) / math.log10(high / low)
        fits = (len(f"{high:,.0f}") + 1) * LETTER * text_size() <= room
        return tick_texts([value], [value])[0] if fits or f"{value:e}".startswith("1") else ""

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(number))
    axes.xaxis.set_minor_formatter(NullFormatter())


def ticks_at(axes: "Axes", values: Sequence[float], *, logarithmic: bool) -> None:
    """Ticks where something was measured; numbers only where they leave room for one another."""
    found = sorted(set(values))
    if logarithmic:
        plain_ticks(axes)
    scale = math.log if logarithmic else float
    span = (scale(found[-1]) - scale(found[0])) or 1.0
    shown: list[float] = []
    for value in found:
        room = TICK_ROOM * len(_tick(value)) * (1.8 if text_size() < TEXT else 1.0)
        if not shown or (scale(value) - scale(shown[-1])) / span > room:
            shown.append(value)
    if len(found) > MOST_TICKS or not shown:
        return
    axes.set_xticks(found, [_tick(value) if value in shown else "" for value in found])
    axes.set_xticks([], minor=True)


def _tick(value: float) -> str:
    """Three digits are enough for an axis; whole numbers keep theirs."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else write_rounded(value, 3)


def unit_square(axes: "Axes") -> None:
    """Both axes from 0 to 1, with room for the width of a line along their ends."""
    axes.set_xlim(-0.015, 1.015)
    axes.set_ylim(-0.015, 1.015)
    axes.set_aspect("equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], ["0", "0.2", "0.4", "0.6", "0.8", "1"])
