"""Curves over a setting: scores by training size or noise, and error rates of tests in simulation."""

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from assay.compare.curves import TIE, compare_curves
from assay.core.errors import UsageError
from assay.core.results import Curve
from assay.core.studies import CurveComparison
from assay.core.writing import clean
from assay.evidence.curves import CurveKind, CurveScores
from assay.plots.bands import (
    MARKERS,
    MOST_BANDS,
    band_words,
    curve_name,
    curves_of,
    draw_band,
    has_band,
    legend_below,
    look,
    plain_ticks,
    tidy,
)
from assay.plots.labels import measure_label
from assay.plots.style import INK, new_axes, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES = {"size": "training items", "level": "noise level"}
LOGARITHMIC = 20.0
"""From this ratio of the largest to the smallest on, sizes stand on a logarithmic axis."""


@runtime_checkable
class HasCurves(Protocol):
    """A finished study: it gives a curve by its kind, data set and measure."""

    def curve(
        self, kind: CurveKind, *, measure: str | None, dataset: str | None
    ) -> CurveScores: ...


def learning(
    result: "Curve | Sequence[Curve] | CurveComparison | HasCurves",
    *,
    kind: CurveKind = "learning",
    dataset: str | None = None,
    measure: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw scores over the training size (column size) or the noise (column level), one per learner.

    ``result`` is a comparison of curves, or curves, or a finished study, of which ``kind``
    ("learning" or "noise"), ``dataset`` and ``measure`` say which curve. Each curve has a column
    mean and, for a band, low and high. Where the means of two learners cross, a hollow circle says
    so. Sizes that span a factor of twenty stand on a logarithmic axis.

    Examples
    --------
    >>> columns = (("size", (10.0, 100.0)), ("mean", (0.6, 0.8)))
    >>> learning(Curve(name="learning", model="tree", columns=columns)).get_xlabel()
    'training items'
    """
    if isinstance(result, HasCurves):
        result = compare_curves(result.curve(kind, measure=measure, dataset=dataset))
    if isinstance(result, CurveComparison):
        result = [curve for curve in result.curves if curve.columns[0][1]]
    curves = curves_of(
        result, "mean", figure="a learning curve", instead="a study with curves makes them"
    )
    setting = _setting(curves)
    with styled():
        axes = new_axes(6.4, 4.0 + 0.2 * len(curves)) if ax is None else ax
        logarithmic = setting == "size" and _is_wide(curves, setting)
        if logarithmic:
            plain_ticks(axes)
        handles = [_draw(axes, curve, setting, "mean", p, curves) for p, curve in enumerate(curves)]
        labels = [curve_name(curve) for curve in curves]
        crossings = _crossings(curves, setting, logarithmic=logarithmic)
        if crossings and len(curves) <= MOST_BANDS:
            handles.append(_draw_crossings(axes, crossings))
            labels.append("means cross")
        tidy(axes)
        axes.set_xlabel(AXES[setting])
        plain(axes.set_ylabel(_measure(curves)))
        legend_below(axes, handles, labels, title=band_words(curves, "bands"))
    return axes


def error_rates(
    result: Curve | Sequence[Curve], *, nominal: float | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw how often tests reject where there is nothing to find, over a setting of a simulation.

    The first column of a curve is the setting and gives its name to the axis; rate and, for a
    band, low and high are the share of rejections. The dotted line is the ``nominal`` level: a
    curve above it belongs to a test that finds too much.

    Examples
    --------
    >>> columns = (("items", (50.0, 100.0)), ("rate", (0.07, 0.05)))
    >>> curve = Curve(name="errors", model="mcnemar", columns=columns, details=(("nominal", 0.05),))
    >>> error_rates(curve).get_xlabel()
    'items'
    """
    curves = curves_of(
        result, "rate", figure="a plot of error rates", instead="a simulation of a test makes them"
    )
    setting = curves[0].columns[0][0]
    if any(curve.columns[0][0] != setting for curve in curves):
        raise UsageError(
            "error rates of one figure must be over the same setting, the first column"
        )
    with styled():
        axes = new_axes(6.4, 4.0 + 0.2 * len(curves)) if ax is None else ax
        if _is_wide(curves, setting):
            plain_ticks(axes)
        handles = [_draw(axes, curve, setting, "rate", p, curves) for p, curve in enumerate(curves)]
        labels = [curve_name(curve) for curve in curves]
        for level in _nominal(curves, nominal):
            handles.append(axes.axhline(level, color=INK, lw=1.0, ls=(0, (2, 2)), zorder=1))
            labels.append(f"nominal level {level:g}")
        axes.set_ylim(bottom=0.0)
        tidy(axes)
        plain(axes.set_xlabel(clean(setting)))
        axes.set_ylabel("share of rejections, nothing to find")
        legend_below(axes, handles, labels, title=band_words(curves, "intervals of the simulation"))
    return axes


def _setting(curves: Sequence[Curve]) -> str:
    found = [name for name in AXES if all(name in dict(curve.columns) for curve in curves)]
    if not found:
        raise UsageError(
            "learning curves have a column size (training items) or level (noise), all the same one"
        )
    return found[0]


def _is_wide(curves: Sequence[Curve], setting: str) -> bool:
    values = [value for curve in curves for value in curve.column(setting)]
    return min(values) > 0 and max(values) / min(values) >= LOGARITHMIC


def _draw(
    axes: "Axes", curve: Curve, setting: str, value: str, place: int, curves: Sequence[Curve]
) -> Any:
    at = curve.column(setting)
    if has_band(curve) and len(curves) <= MOST_BANDS:
        draw_band(axes, at, curve.column("low"), curve.column("high"), place)
    marker = MARKERS[place % len(MARKERS)]
    (line,) = axes.plot(
        at, curve.column(value), marker=marker, ms=5, lw=1.8, zorder=3, **look(place)
    )
    return line


def _crossings(
    curves: Sequence[Curve], setting: str, *, logarithmic: bool
) -> list[tuple[float, float]]:
    """Where two lines as drawn change sides, between settings that both curves have."""
    scale, back = (math.log, math.exp) if logarithmic else (float, float)
    found = []
    for one, other in combinations(curves, 2):
        second = dict(zip(other.column(setting), other.column("mean"), strict=True))
        tie = TIE * max(map(abs, (*one.column("mean"), *other.column("mean"))), default=0.0)
        shared = [
            (scale(at), mean, 0.0 if abs(mean - second[at]) <= tie else mean - second[at])
            for at, mean in zip(one.column(setting), one.column("mean"), strict=True)
            if at in second
        ]
        side = 0.0
        for (start, low, gap), (end, high, later) in pairwise(shared):
            side = gap or side  # where they touch, the side they came from
            if side * later < 0:
                share = gap / (gap - later)
                found.append((back(start + share * (end - start)), low + share * (high - low)))
    return found


def _draw_crossings(axes: "Axes", crossings: list[tuple[float, float]]) -> Any:
    xs, ys = zip(*crossings, strict=True)
    (marks,) = axes.plot(xs, ys, "o", ms=10, mfc="none", mec=INK, mew=1.2, zorder=4)
    return marks


def _measure(curves: Sequence[Curve]) -> str:
    names = {dict(curve.details).get("measure") for curve in curves}
    name = names.pop() if len(names) == 1 else None
    return measure_label(name) if isinstance(name, str) else "score"


def _nominal(curves: Sequence[Curve], nominal: float | None) -> list[float]:
    if nominal is not None:
        return [nominal]
    found = {dict(curve.details).get("nominal") for curve in curves}
    return sorted(level for level in found if isinstance(level, float))
