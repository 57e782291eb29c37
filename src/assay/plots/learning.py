"""Curves over a setting: scores by training size or noise, and error rates of tests in simulation."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from assay.compare.learning_curves import compare_curves
from assay.core.errors import UsageError
from assay.core.formatting import clean, shown_percent, write_given
from assay.core.results import Curve
from assay.core.study_results import CurveComparison
from assay.core.tolerances import TIE
from assay.evidence.curve_scores import CurveKind, CurveScores
from assay.plots.curve_bands import (
    MARKERS,
    curve_names,
    curves_of,
    has_band,
    legend_below,
    look,
    ticks_at,
    tidy,
)
from assay.plots.measure_labels import measure_label
from assay.plots.number_ticks import number_ticks
from assay.plots.pair_strip import WORDS as STRIP
from assay.plots.pair_strip import draw_strip, strip_height
from assay.plots.style import INK, PAGE, new_axes, own_axes, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXES = {"size": "training items", "level": "noise level"}
LOGARITHMIC = 3.0
"""From this ratio of the largest to the smallest on, sizes stand on a logarithmic axis."""
WIDE = 20.0
"""The same for settings of simulations, which may be anything."""
DODGED = 0.016
"""The room between the intervals of two curves at one point, as a share of the axis."""
LONE = 1.0
"""The length of the axis where there is a single point."""
MOST_DODGED = 5
"""Intervals of more curves than this do not fit beside one another."""
MOST_CROSSINGS = 4
"""Of more curves than this the places where two cross are not marked."""


@runtime_checkable
class HasCurves(Protocol):
    """A finished study: it gives a curve by its kind, data set and measure."""

    def curve(
        self, kind: CurveKind, *, measure: str | None, dataset: str | None
    ) -> CurveScores: ...


def learning(
    result: Any,
    *,
    kind: CurveKind = "learning",
    dataset: str | None = None,
    measure: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw scores over the training size (column size) or the noise (column level), one per learner.

    ``result`` is a comparison of curves, or curves, or a finished study, of which ``kind``
    ("learning" or "noise"), ``dataset`` and ``measure`` say which curve; or a mapping of names to
    sizes and means and, for intervals, low and high. Intervals stand side by side at each point. Of
    a comparison a strip above says where the adjusted test of a pair finds a difference, by the
    marker of the better learner. Where two means cross, a hollow circle says so.

    Examples
    --------
    >>> axes = learning({"tree": ([10, 100], [0.6, 0.8])})
    >>> axes.get_xlabel(), axes.get_xscale()
    ('training items', 'log')
    """
    if isinstance(result, HasCurves):
        result = compare_curves(result.curve(kind, measure=measure, dataset=dataset))
    compared = result if isinstance(result, CurveComparison) else None
    curves = _learners(result, kind)
    setting = _setting(curves)
    logarithmic = setting == "size" and _is_wide(curves, setting, LOGARITHMIC)
    with styled():
        strip = strip_height(compared)
        axes = new_axes(PAGE, 3.6 + 0.18 * len(curves) + strip) if ax is None else own_axes(ax)
        handles = _draw(axes, curves, setting, "mean", logarithmic=logarithmic)
        labels = curve_names(curves)
        crossings = _crossings(curves, setting, logarithmic=logarithmic)
        if crossings and len(curves) <= MOST_CROSSINGS:
            handles.append(_draw_crossings(axes, crossings))
            labels.append("means cross")
        tidy(axes)
        axes.set_xlabel(AXES[setting])
        plain(axes.set_ylabel(_measure(curves)))
        number_ticks(axes.yaxis)
        words = [_interval_words(curves, "intervals"), STRIP if strip else ""]
        legend_below(
            axes, handles, labels, title="\n".join(filter(None, words)),
            title_share=0.88 if strip else 1.0,
        )  # fmt: skip
        if compared is not None and strip:
            draw_strip(axes, compared, [curve.model for curve in curves])
    return axes


def error_rates(
    result: Any,
    *,
    nominal: float | None = None,
    setting: str | None = None,
    quantity: str = "false-positive rate",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how often tests reject where there is nothing to find, over a setting of a simulation.

    The first column of a curve is the setting and gives its name to the axis; rate and, for
    intervals, low and high are the share of rejections. A mapping of names to such columns of
    numbers will do, with the name of the ``setting``; ``quantity`` names the other axis, say
    "coverage". The dotted line is the ``nominal`` level: a
    curve above it belongs to a test that finds too much.

    Examples
    --------
    >>> axes = error_rates({"McNemar": ([50, 100], [0.07, 0.05])}, setting="items", nominal=0.05)
    >>> axes.get_xlabel()
    'items'
    """
    needed = (setting or "setting", "rate") if isinstance(result, Mapping) else ("rate",)
    curves = curves_of(
        result, *needed, figure="a plot of error rates", instead="a simulation of a test makes them"
    )
    setting = curves[0].columns[0][0]
    if any(curve.columns[0][0] != setting for curve in curves):
        raise UsageError(
            "error rates of one figure must be over the same setting, the first column"
        )
    with styled():
        axes = new_axes(PAGE, 3.6 + 0.18 * len(curves)) if ax is None else own_axes(ax)
        logarithmic = _is_wide(curves, setting, WIDE)
        handles = _draw(axes, curves, setting, "rate", logarithmic=logarithmic)
        labels = curve_names(curves)
        for level in _nominal(curves, nominal):
            handles.append(axes.axhline(level, color=INK, lw=1.0, ls=(0, (2, 2)), zorder=1))
            labels.append(f"nominal level {write_given(level)}")
        axes.set_ylim(bottom=0.0)
        tidy(axes)
        plain(axes.set_xlabel(clean(setting)))
        plain(axes.set_ylabel(clean(quantity)))
        title = _interval_words(curves, "intervals of the simulation")
        legend_below(axes, handles, labels, title=title)
    return axes


def _learners(result: Any, kind: CurveKind) -> tuple[Curve, ...]:
    if isinstance(result, CurveComparison):
        result = [curve for curve in result.curves if curve.columns[0][1]]
    needed: tuple[str, ...] = ("mean",)
    if isinstance(result, Mapping):
        needed = ("size" if kind == "learning" else "level", "mean")
    return curves_of(
        result, *needed, figure="a learning curve", instead="a study with curves makes them"
    )


def _setting(curves: Sequence[Curve]) -> str:
    found = [name for name in AXES if all(name in dict(curve.columns) for curve in curves)]
    if not found:
        raise UsageError(
            "learning curves have a column size (training items) or level (noise), all the same one"
        )
    return found[0]


def _is_wide(curves: Sequence[Curve], setting: str, ratio: float) -> bool:
    values = [value for curve in curves for value in curve.column(setting)]
    return min(values) > 0 and max(values) / min(values) >= ratio


def _draw(
    axes: "Axes", curves: Sequence[Curve], setting: str, value: str, *, logarithmic: bool
) -> list[Any]:
    """The curves with their intervals, which stand side by side where several share a point."""
    every = [at for curve in curves for at in curve.column(setting)]
    ticks_at(axes, every, logarithmic=logarithmic)
    if max(every) == min(every):
        axes.set_xlim(every[0] - LONE / 2.0, every[0] + LONE / 2.0)
    handles = []
    for place, curve in enumerate(curves):
        aside = DODGED * (place - (len(curves) - 1) / 2.0)
        at = _moved(curve.column(setting), every, aside, logarithmic=logarithmic)
        how = look(place)
        if has_band(curve) and len(curves) <= MOST_DODGED:
            axes.vlines(
                at, curve.column("low"), curve.column("high"), color=how["color"], lw=1.1, zorder=2
            )
        (line,) = axes.plot(
            at, curve.column(value), marker=MARKERS[place % len(MARKERS)], ms=4, lw=1.3, zorder=3,
            **how,
        )  # fmt: skip
        handles.append(line)
    return handles


def _moved(
    at: Sequence[float], every: Sequence[float], aside: float, *, logarithmic: bool
) -> list[float]:
    """Points moved by a share of the axis, on the scale on which it is drawn."""
    if logarithmic:
        return [one * (max(every) / min(every)) ** aside for one in at]
    return [one + (max(every) - min(every) or LONE) * aside for one in at]


def _interval_words(curves: Sequence[Curve], kind: str) -> str:
    levels = {dict(curve.details).get("level") for curve in curves if has_band(curve)}
    if not levels:
        return ""
    if len(curves) > MOST_DODGED:
        return f"intervals are drawn for up to {MOST_DODGED} curves; these are {len(curves)}"
    level = levels.pop() if len(levels) == 1 else None
    words = f"{shown_percent(level)} " if isinstance(level, float) else ""
    return f"upright lines: {words}{kind}"


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
