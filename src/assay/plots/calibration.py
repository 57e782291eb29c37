"""Reliability: how often what was predicted with some probability came true."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.core.formatting import shown_percent
from assay.core.results import Curve
from assay.estimates.calibration_curve import reliability
from assay.plots.curve_bands import (
    curve_name,
    curves_of,
    has_band,
    legend_below,
    scored,
    tidy,
    unit_square,
)
from assay.plots.panels import MOST_PANELS, fitting, layout, panels, square_height
from assay.plots.style import BLUE, FAINT, PAGE, new_axes, own_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LIMITS = {"low": "observed_low", "high": "observed_high"}
COUNTS = 0.12
"""The height of the largest count, as a share of the figure."""


def calibration(result: Any, probabilities: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the observed share against the predicted probability, one point for each bin.

    Of a result, of curves, or of a truth and ``probabilities`` of its positive class: numbers, or a
    mapping of names to numbers. Curves have columns predicted and observed and, for intervals,
    observed_low and observed_high (``estimates.reliability.reliability`` makes all). On the dotted
    line a model is calibrated: above it, it is not sure enough. Bars at the foot are the items of
    each bin. Several models stand in panels of their own.

    Examples
    --------
    >>> axes = calibration([0, 1, 1, 0], {"tree": [0.2, 0.8, 0.7, 0.4]})
    >>> axes.get_ylabel()
    'observed share'
    """
    if probabilities is not None:
        result = scored(result, probabilities, reliability)
    curves = curves_of(
        result,
        "predicted",
        "observed",
        optional=tuple(LIMITS.values()),
        figure="a calibration plot",
        instead="estimates.reliability.reliability makes one from truth and probabilities",
    )
    with styled():
        axes = _draw_one(curves[0], ax) if len(curves) == 1 else _draw_several(curves, ax)
        axes.set_xlabel("predicted probability")
        axes.set_ylabel("observed share")
    return axes


def _draw_one(curve: Curve, ax: "Axes | None") -> "Axes":
    axes = new_axes(4.6, 4.8, shape="square") if ax is None else own_axes(ax)
    line = _draw(axes, curve)
    items = _items(curve)
    name = curve_name(curve)
    legend_below(axes, [line], [f"{name}, {items}" if items else name], title=_title((curve,)))
    return axes


def _draw_several(curves: Sequence[Curve], ax: "Axes | None") -> "Axes":
    shown = curves[:MOST_PANELS]
    _, columns = layout(len(shown), PAGE)
    host = (
        new_axes(PAGE, square_height(len(shown), PAGE), shape="square")
        if ax is None
        else own_axes(ax)
    )
    titles = fitting([one.model or "curve" for one in shown], [_items(one) for one in shown])
    for panel, curve in zip(panels(host, titles, columns), shown, strict=True):
        _draw(panel, curve)
    more = len(curves) - len(shown)
    words = [_title(shown), f"{more:,} more models not drawn" if more else ""]
    legend_below(host, [], [], title="; ".join(filter(None, words)))
    return host


def _draw(axes: "Axes", curve: Curve) -> Any:
    axes.plot([0, 1], [0, 1], color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
    _draw_counts(axes, curve)
    predicted, observed = curve.column("predicted"), curve.column("observed")
    if has_band(curve, **LIMITS):
        low, high = (curve.column(name) for name in LIMITS.values())
        axes.vlines(predicted, low, high, color=BLUE, lw=1.1, zorder=2)
    (line,) = axes.plot(
        predicted, observed, marker="o", ms=4.5, lw=1.3, color=BLUE, zorder=3, clip_on=False
    )  # shares of 0 and 1 stand on the ends of the axis, and are drawn whole
    unit_square(axes)
    tidy(axes)
    return line


def _draw_counts(axes: "Axes", curve: Curve) -> None:
    """Bars at the foot, the fullest bin the highest."""
    columns = dict(curve.columns)
    if not {"low", "high", "count"} <= set(columns):
        return
    most = max(columns["count"])
    for low, high, count in zip(columns["low"], columns["high"], columns["count"], strict=True):
        axes.bar(
            low, COUNTS * count / most, width=high - low, align="edge", color=FAINT, alpha=0.25,
            lw=0, zorder=1,
        )  # fmt: skip


def _items(curve: Curve) -> str:
    """How many items a curve rests on."""
    columns = dict(curve.columns)
    return f"n = {int(sum(columns['count'])):,}" if "count" in columns else ""


def _title(curves: Sequence[Curve]) -> str:
    limited = [curve for curve in curves if has_band(curve, **LIMITS)]
    words = []
    if limited:
        level = dict(limited[0].details).get("level")
        percent = f"{shown_percent(level)} " if isinstance(level, float) else ""
        together = all(dict(curve.details).get("together") for curve in limited)
        kind = "intervals of all bins together" if together else "interval of each bin"
        words.append(f"lines: {percent}{kind}")
    if any(_items(curve) for curve in curves):
        words.append("grey: items in each bin")
    return "; ".join(words)
