"""Reliability: how often what was predicted with some probability came true."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.numbers import shown_percent
from assay.core.results import Comparison, Curve, Evaluation
from assay.plots.bands import (
    MARKERS,
    curve_name,
    curves_of,
    has_band,
    legend_below,
    look,
    tidy,
    unit_square,
)
from assay.plots.style import FAINT, new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LIMITS = {"low": "observed_low", "high": "observed_high"}
MOST_INTERVALS = 3
"""Intervals of more curves than this would hide one another."""
COUNTS = 0.12
"""The height of the largest count, as a share of the figure."""


def calibration(
    result: Comparison | Evaluation | Curve | Sequence[Curve], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the observed share against the predicted probability, one point for each bin.

    Curves have columns predicted and observed and, for intervals, observed_low and observed_high
    (``estimates.reliability.reliability`` makes all). On the dotted line a model is calibrated:
    above it, it is not sure enough. Under one curve the bars are the items of each bin.

    Examples
    --------
    >>> from assay.measures.probabilities import calibration_curve
    >>> curve = calibration_curve([0, 1, 1, 0], [0.2, 0.8, 0.7, 0.4], model="tree")
    >>> calibration(curve).get_ylabel()
    'observed share'
    """
    curves = curves_of(
        result,
        "predicted",
        "observed",
        figure="a calibration plot",
        instead="estimates.reliability.reliability makes one from truth and probabilities",
    )
    with styled():
        axes = new_axes(5.2, 5.2 + 0.2 * len(curves)) if ax is None else ax
        axes.plot([0, 1], [0, 1], color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
        if len(curves) == 1:
            _draw_counts(axes, curves[0])
        handles = []
        for place, curve in enumerate(curves):
            predicted, observed = curve.column("predicted"), curve.column("observed")
            if has_band(curve, **LIMITS) and len(curves) <= MOST_INTERVALS:
                _draw_intervals(axes, curve, place)
            (line,) = axes.plot(
                predicted, observed, marker=MARKERS[place % len(MARKERS)], ms=5.5, lw=1.3,
                zorder=3, **look(place),
            )  # fmt: skip
            handles.append(line)
        unit_square(axes)
        tidy(axes)
        axes.set_xlabel("predicted probability")
        axes.set_ylabel("observed share")
        legend_below(axes, handles, [curve_name(curve) for curve in curves], title=_title(curves))
    return axes


def _draw_intervals(axes: "Axes", curve: Curve, place: int) -> None:
    color = look(place)["color"]
    low, high = (curve.column(name) for name in LIMITS.values())
    axes.vlines(curve.column("predicted"), low, high, color=color, lw=1.2, zorder=2)


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


def _together(curves: Sequence[Curve]) -> bool:
    return all(dict(curve.details).get("together") for curve in curves)


def _title(curves: Sequence[Curve]) -> str:
    limited = [curve for curve in curves if has_band(curve, **LIMITS)]
    words = []
    if limited and len(curves) > MOST_INTERVALS:
        words.append(f"intervals are drawn for up to {MOST_INTERVALS} curves")
    elif limited:
        level = dict(limited[0].details).get("level")
        percent = f"{shown_percent(level)} " if isinstance(level, float) else ""
        kind = "intervals of all bins together" if _together(limited) else "interval of each bin"
        words.append(f"lines: {percent}{kind}")
    if len(curves) == 1 and "count" in dict(curves[0].columns):
        n = int(sum(curves[0].column("count")))
        words.append(f"grey: where the {n:,} items fall")
    return "; ".join(words)
