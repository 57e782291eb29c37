"""A confidence sequence over the items as they came: what was known at every look."""

from typing import TYPE_CHECKING, Any

from assay.core.formatting import write_given
from assay.core.results import Comparison, Curve
from assay.plots.curve_bands import (
    MOST_BANDS,
    band_words,
    curve_names,
    curves_of,
    draw_band,
    legend_below,
    look,
    plain_ticks,
    tidy,
)
from assay.plots.measure_labels import measure_title
from assay.plots.style import FAINT, INK, PAGE, new_axes, own_axes, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_FROM = 8
"""The looks of fewer items are left out where there are many: their limits are the whole range."""


def sequence(result: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the mean difference and its limits by the number of items, from a sequential comparison.

    A dot marks the look at which zero was first excluded; stopping there was allowed. The shaded
    strip around zero is the margin. A mapping of names to numbers of items, differences, low and
    high is drawn too.

    Examples
    --------
    >>> axes = sequence({"tree − net": ([10, 20], [0.1, 0.08], [-0.2, -0.05], [0.4, 0.2])})
    >>> axes.get_ylabel()
    'difference'
    """
    curves = curves_of(
        result, "items", "difference", "low", "high",
        figure="a confidence sequence", optional=(), instead="compare with sequential=True makes one",
    )  # fmt: skip
    with styled():
        axes = new_axes(PAGE, 3.8) if ax is None else own_axes(ax)
        last = max(max(curve.column("items")) for curve in curves)
        handles = [
            _draw(axes, curve, place, shaded=len(curves) <= MOST_BANDS, last=last)
            for place, curve in enumerate(curves)
        ]
        axes.axhline(0.0, color=INK, lw=0.8, zorder=1)
        if isinstance(result, Comparison) and result.margin is not None:
            axes.axhspan(-result.margin, result.margin, color=FAINT, alpha=0.25, lw=0, zorder=0)
        if last > 20 * SHOWN_FROM:
            plain_ticks(axes)
        tidy(axes)
        plain(axes.set_xlabel("items, in the order in which they came"))
        plain(axes.set_ylabel(_measured(result)))
        names = curve_names(curves)
        legend_below(axes, handles, names, title=_words(result, curves))
    return axes


def _words(result: Any, curves: tuple[Curve, ...]) -> str:
    """What is shaded, and what the dot is."""
    found = [band_words(curves, "limits that hold at every look", asked=len(curves) <= MOST_BANDS)]
    if isinstance(result, Comparison) and result.margin is not None:
        found.append(f"grey: margin ±{write_given(result.margin)}")
    if any(_excluded(curve) is not None for curve in curves):
        found.append("dot: zero first excluded")
    return "; ".join(filter(None, found))


def _excluded(curve: Curve) -> float | None:
    """The number of items at which zero was first excluded."""
    first = dict(curve.details).get("first_n")
    return float(first) if isinstance(first, int | float) else None


def _draw(axes: "Axes", curve: Curve, place: int, *, shaded: bool, last: float) -> Any:
    items = curve.column("items")
    start = SHOWN_FROM if last > 20 * SHOWN_FROM else 1
    keep = [at for at, item in enumerate(items) if item >= min(start, items[-1])]
    x, low, high, mean = (
        [curve.column(name)[at] for at in keep] for name in ("items", "low", "high", "difference")
    )
    if shaded:
        draw_band(axes, x, low, high, place)
    (line,) = axes.plot(x, mean, lw=1.6, zorder=3, **look(place))
    first = _excluded(curve)
    if first is not None:
        nearest = min(keep, key=lambda at: abs(items[at] - first))
        axes.plot([first], [curve.column("difference")[nearest]], "o", ms=5, color=INK, zorder=4)
    return line


def _measured(result: Any) -> str:
    if not isinstance(result, Comparison):
        return "difference"
    return f"difference in {measure_title(result.measure)}"
