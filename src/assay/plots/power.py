"""Power by the number of units: how much a study finds as it grows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.formatting import clean
from assay.core.plan_results import Plan
from assay.core.vocabulary import UNIT_PLURAL
from assay.plots.curve_bands import curve_names, curves_of, legend_below, look, plain_ticks, tidy
from assay.plots.number_ticks import number_ticks
from assay.plots.style import FAINT, INK, PAGE, new_axes, own_axes, plain, styled, wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 20.0
"""From this ratio of the largest to the smallest on, numbers of units stand on a logarithmic axis."""


def power_curve(
    plan: Plan | Mapping[str, Any], *, unit: str = "items", ax: "Axes | None" = None
) -> "Axes":
    """Draw the curve of a plan: power (or the half-width of an interval) by the number of units.

    Dotted lines mark the plan itself. Where something is not known there is a curve for each case.
    A mapping of names to numbers of units and powers is drawn too; ``unit`` names the axis then.

    Examples
    --------
    >>> from assay.plan.plan import plan
    >>> power_curve(plan("accuracy", discordant=0.1, difference=0.02, power=0.8)).get_xlabel()
    'items'
    """
    if isinstance(plan, Mapping):
        return _draw_given(plan, unit, ax)
    if not isinstance(plan, Plan):
        raise UsageError(
            f"a power curve draws a plan, or names with units and powers, {{'test': ([50, 100], [0.5, 0.8])}}; "
            f"got {type(plan).__name__}"
        )
    (_, units), *columns = plan.curve.columns
    with styled():
        axes = new_axes(PAGE, 3.8) if ax is None else own_axes(ax)
        for place, (name, values) in enumerate(columns):
            axes.plot(units, values, lw=1.6, label=clean(name), zorder=3, **look(place))
        _mark(axes, plan)
        _write_units(axes, units)
        tidy(axes)
        plain(axes.set_xlabel(UNIT_PLURAL[plan.unit]), axes.set_ylabel(clean(plan.curve.name)))
        if plan.curve.name == "power":
            axes.set_ylim(0.0, 1.02)
        if len(columns) > 1:
            plain(*axes.legend(loc="lower right").get_texts())
    return axes


def _draw_given(given: Mapping[str, Any], unit: str, ax: "Axes | None") -> "Axes":
    curves = curves_of(
        given, "units", "power", optional=(), figure="a power curve", instead="plan makes one"
    )
    with styled():
        axes = new_axes(PAGE, 3.8) if ax is None else own_axes(ax)
        units = [value for curve in curves for value in curve.column("units")]
        handles = [
            axes.plot(
                curve.column("units"), curve.column("power"), lw=1.6, zorder=3, **look(place)
            )[0]
            for place, curve in enumerate(curves)
        ]
        _write_units(axes, units)
        tidy(axes)
        plain(axes.set_xlabel(clean(unit)), axes.set_ylabel("power"))
        axes.set_ylim(0.0, 1.02)
        legend_below(axes, handles, curve_names(curves))
    return axes


def _write_units(axes: "Axes", units: Sequence[float]) -> None:
    """Numbers of units along the axis, on a logarithmic one where they span much."""
    if 0 < WIDE * min(units) < max(units):
        plain_ticks(axes)
    else:
        number_ticks(axes.xaxis, inches=0.75 * wide(PAGE))


def _mark(axes: "Axes", plan: Plan) -> None:
    """Where the plan lies on its curve."""
    found = [(case.n, case.power) for case in plan.cases] or [(plan.n, plan.power)]
    height = plan.power if plan.half_width is None else plan.half_width
    if height is not None and plan.solved_for != "power":
        axes.axhline(height, color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
    for n, power in found:
        level = power if plan.half_width is None else plan.half_width
        if n is not None:
            axes.axvline(n, color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
            if level is not None:
                axes.plot([n], [level], marker="o", ms=5, color=INK, zorder=4)
            if level is not None and len(found) == 1:
                _name(axes, f"{n:,} {UNIT_PLURAL[plan.unit]}", (n, level), plan)


def _name(axes: "Axes", words: str, dot: tuple[float, float], plan: Plan) -> None:
    """The size of the plan, on the side of its dot where the curve is not: power rises, widths fall."""
    falls = plan.half_width is not None
    axes.annotate(
        words, dot, xytext=(6, 6 if falls else -6), textcoords="offset points",
        va="bottom" if falls else "top",
    )  # fmt: skip
