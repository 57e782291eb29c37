"""What plots of curves share: which curves, in which look, with bands and a legend below."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.numbers import shown_percent
from assay.core.results import Comparison, Curve, Estimate, Evaluation
from assay.core.writing import clean_name, shorten
from assay.plots.style import COLORS, LINES, RULE, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BANDS = 4
"""Bands of more curves than this would cover one another; then the curves are drawn alone."""
MOST_POINTS = 800
"""Points drawn of a curve: more cannot be seen, and would only make the file larger."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
NAME_WIDTH = 28
BELOW = 0.52
"""Inches from the axes down to the legend, with room for the axis' numbers and name."""


def curves_of(result: Any, *needed: str, figure: str, instead: str) -> tuple[Curve, ...]:
    """The curves of a result that have the columns ``needed``."""
    if isinstance(result, Comparison | Evaluation):
        curves = result.curves
    elif isinstance(result, Curve):
        curves = (result,)
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


def estimates_of(result: Any) -> tuple[Estimate, ...]:
    return result.estimates if isinstance(result, Comparison | Evaluation) else ()


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
    return shorten(clean_name(curve.model), NAME_WIDTH) if curve.model is not None else "curve"


def band_words(curves: Sequence[Curve], kind: str) -> str:
    """What the bands are: their level and kind, or why there are none."""
    banded = [curve for curve in curves if has_band(curve)]
    if not banded:
        return ""
    if len(curves) > MOST_BANDS:
        return f"bands are drawn for up to {MOST_BANDS} curves; these are {len(curves)}"
    levels = {dict(curve.details).get("level") for curve in banded}
    level = levels.pop() if len(levels) == 1 else None
    words = f"{shown_percent(level)} " if isinstance(level, float) else ""
    return f"shaded: {words}{kind}"


def tidy(axes: "Axes") -> None:
    """A faint grid behind, no box around."""
    axes.grid(visible=True, color=RULE, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("right", "top"):
        axes.spines[side].set_visible(False)


def legend_below(
    axes: "Axes", handles: Sequence[Any], labels: Sequence[str], *, title: str = ""
) -> None:
    """The legend under the axes and their label, where it covers nothing."""
    from matplotlib.transforms import ScaledTranslation

    figure = axes.get_figure(root=True)
    below = ScaledTranslation(0.0, -BELOW, figure.dpi_scale_trans) if figure else axes.transAxes
    legend = axes.legend(
        handles, labels, loc="upper left", bbox_to_anchor=(0.0, 0.0), title=title or None,
        bbox_transform=axes.transAxes + below, alignment="left", handlelength=3.2,
        borderaxespad=0.0, title_fontsize=8,
    )  # fmt: skip
    plain(*legend.get_texts(), legend.get_title())


def plain_ticks(axes: "Axes") -> None:
    """A logarithmic axis with numbers as people write them: 100, not a power of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def unit_square(axes: "Axes") -> None:
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.01, 1.01)
    axes.set_aspect("equal")
