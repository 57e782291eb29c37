"""How methods behave: error rates and coverage by size or parameter, parts of an error, means."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import UsageError
from assay.core.formatting import clean, shown_p, write_given
from assay.core.method_names import method_title
from assay.core.results import Curve, Interval, Quantity, Simulation, SimulationCell
from assay.core.vocabulary import quantity_name
from assay.plots.curve_bands import MARKERS, legend_below, look, plain_ticks, tidy
from assay.plots.style import (
    COLORS,
    FAINT,
    INK,
    PAGE,
    given_numbers,
    new_axes,
    own_axes,
    plain,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 20.0
"""From this ratio of the largest to the smallest on, sizes stand on a logarithmic axis."""
MANY = 40
"""Curves of more points than this are drawn without markers and bars."""
NOMINAL = {"type I error", "family-wise error", "rejections"}


def simulation(
    result: Simulation | Mapping[str, Sequence[Any]],
    *,
    quantity: Quantity = "coverage",
    alpha: float = 0.05,
    axis: str = "n",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a simulation: each method by n, or by the parameter that was varied.

    Rates of your own are names with columns: places on the axis and rates, perhaps low and high
    ends; ``quantity`` says what they are, ``alpha`` what is promised, ``axis`` what was varied.

    Bars are the Monte-Carlo intervals; a dotted line marks what is promised. Mean squared errors
    are stacked from variance and squared bias; sampling distributions stand beside the normal.

    Examples
    --------
    >>> import assay
    >>> found = assay.simulate("wald", question="coverage", p=[0.1, 0.2, 0.3], n=20)
    >>> simulation(found).get_xlabel()
    'p'
    >>> axes = simulation({"wald": ([20, 50, 100], [0.90, 0.92, 0.94])})
    """
    if isinstance(result, Mapping) and result:
        return _of_columns(_given_cells(result, quantity, alpha, axis), ax)
    if not isinstance(result, Simulation):
        raise UsageError(
            f"this figure draws a simulation, or names with columns of rates; got {type(result).__name__}"
        )
    with styled():
        axes = new_axes(PAGE, _height(result)) if ax is None else own_axes(ax)
        tidy(axes)
        if result.curves:
            _distributions(axes, result.curves)
        elif result.question == "mse":
            _stacked(axes, result.cells)
        else:
            _lines(axes, result.cells)
    return axes


def _of_columns(cells: list[SimulationCell], ax: "Axes | None") -> "Axes":
    """Rates that were counted elsewhere."""
    with styled():
        axes = (
            new_axes(PAGE, 3.6 + 0.08 * len({cell.method for cell in cells}))
            if ax is None
            else own_axes(ax)
        )
        tidy(axes)
        _lines(axes, cells)
    return axes


def _given_cells(
    given: Mapping[str, Sequence[Any]], quantity: Quantity, alpha: float, axis: str
) -> list[SimulationCell]:
    cells = []
    for name, columns in given.items():
        if not isinstance(columns, Iterable) or isinstance(columns, str | bytes):
            raise UsageError(f"{name!r} needs columns of places and rates; got {columns!r}")
        found = [given_numbers(column, f"the columns of {name!r}") for column in columns]
        if len(found) not in (2, 4) or len({len(column) for column in found}) != 1:
            raise UsageError(
                f"{name!r} needs columns of one length: places and rates, or places, rates, low and high"
            )
        for place, rate, *ends in zip(*found, strict=True):
            counted = (
                Interval(low=ends[0], high=ends[1], level=0.95, method="given") if ends else None
            )
            cells.append(
                SimulationCell(
                    method=str(name), world="given", n=round(place) if axis == "n" else 0, effect=0.0,
                    alpha=alpha, quantity=quantity, value=rate, interval=counted, replicates=None,
                    parameters=() if axis == "n" else ((axis, place),),
                )
            )  # fmt: skip
    return cells


def _height(result: Simulation) -> float:
    """Inches: the legend below takes what it needs."""
    lines = len(result.curves) or len(series_of(result.cells, axis_of(result.cells)))
    return 4.0 if result.question == "mse" else 3.6 + 0.08 * lines


def axis_of(cells: Sequence[SimulationCell]) -> str:
    """What stands on the x axis: of n, the effect and the parameters the one with most values."""
    counts = {"n": len({cell.n for cell in cells}), "effect": len({cell.effect for cell in cells})}
    for name in dict.fromkeys(name for cell in cells for name, _ in cell.parameters):
        values = {_value(cell, name) for cell in cells}
        if all(isinstance(value, int | float) for value in values):
            counts[name] = len(values)
    return max(counts, key=lambda name: counts[name])  # the first of equals, so n before others


class _Series(NamedTuple):
    label: str
    cells: list[SimulationCell]


def series_of(cells: Sequence[SimulationCell], axis: str) -> list[_Series]:
    """Cells that belong to one curve, named by what tells the curves apart."""
    names = ["method", "world", "quantity", "alpha", "effect", "n"]
    names += list(dict.fromkeys(name for cell in cells for name, _ in cell.parameters))
    telling = [
        name for name in names if name != axis and len({_value(cell, name) for cell in cells}) > 1
    ]
    found: dict[tuple[Any, ...], list[SimulationCell]] = {}
    for cell in cells:
        found.setdefault(tuple(_value(cell, name) for name in telling), []).append(cell)
    return [
        _Series(_label(telling, key), sorted(chosen, key=lambda cell: float(_value(cell, axis))))
        for key, chosen in found.items()
    ]


def _label(names: Sequence[str], values: Sequence[Any]) -> str:
    words = []
    for name, value in zip(names, values, strict=True):
        bare = name in ("method", "world", "quantity")
        text = write_given(value) if isinstance(value, float) else str(value)
        text = method_title(text) if name == "method" else quantity_name(text)
        words.append(clean(text) if bare else f"{clean(name)} = {clean(text)}")
    return ", ".join(words)


def _value(cell: SimulationCell, name: str) -> Any:
    return getattr(cell, name) if hasattr(cell, name) else dict(cell.parameters).get(name)


def _lines(axes: "Axes", cells: Sequence[SimulationCell]) -> None:
    axis = axis_of(cells)
    chosen = series_of([cell for cell in cells if cell.value is not None], axis)
    handles, labels = [], []
    for place, series in enumerate(chosen):
        x = [float(_value(cell, axis)) for cell in series.cells]
        y = [float(cell.value or 0.0) for cell in series.cells]
        how = look(place)
        few = len(x) <= MANY
        if few and all(cell.interval is not None for cell in series.cells):
            _bars(axes, x, series.cells, how["color"])
        (line,) = axes.plot(
            x,
            y,
            lw=1.4,
            ms=4,
            zorder=3,
            marker=MARKERS[place % len(MARKERS)] if few else None,
            **how,
        )
        handles.append(line)
        labels.append(series.label)
    _promised(axes, cells)
    values = [float(_value(cell, axis)) for cell in cells]
    if axis == "n" and max(values) > WIDE * min(values):
        plain_ticks(axes)
    kinds = list(dict.fromkeys(cell.quantity for cell in cells))
    plain(
        axes.set_xlabel(clean(axis)),
        axes.set_ylabel(quantity_name(kinds[0]) if len(kinds) == 1 else "rate"),
    )
    _limits(axes, cells)
    if len(chosen) > 1:
        legend_below(axes, handles, labels)


def _bars(axes: "Axes", x: list[float], cells: Sequence[SimulationCell], color: str) -> None:
    low = [cell.interval.low for cell in cells if cell.interval is not None]
    high = [cell.interval.high for cell in cells if cell.interval is not None]
    axes.vlines(x, low, high, color=color, lw=1.0, zorder=2)


def _promised(axes: "Axes", cells: Sequence[SimulationCell]) -> None:
    """Dotted lines at the nominal rates."""
    due = {
        1.0 - cell.alpha if cell.quantity == "coverage" else cell.alpha
        for cell in cells
        if cell.alpha is not None and (cell.quantity == "coverage" or cell.quantity in NOMINAL)
    }
    for level in sorted(due):
        axes.axhline(level, color=FAINT, lw=0.9, ls=(0, (2, 3)), zorder=1)


def _limits(axes: "Axes", cells: Sequence[SimulationCell]) -> None:
    """Rates that reach far are drawn on the whole range, others with zero (or one) in sight."""
    values = [cell.value for cell in cells if cell.value is not None]
    kinds = {cell.quantity for cell in cells}
    if kinds == {"coverage"}:
        least = min([*values, min(1.0 - (cell.alpha or 0.0) for cell in cells)])
        axes.set_ylim(max(0.0, 1.0 - 1.15 * (1.0 - least)), 1.004)
    elif kinds <= NOMINAL:
        most = max([*values, *(cell.alpha or 0.0 for cell in cells)])
        axes.set_ylim(0.0, min(1.02, 1.2 * most))
    elif "p of normality" not in kinds:
        axes.set_ylim(0.0, 1.02)


def _stacked(axes: "Axes", cells: Sequence[SimulationCell]) -> None:
    """Variance, and squared bias on top of it: together the mean squared error."""
    axis = axis_of(cells)
    labels = [
        f"{method_title(cell.method)}\n{clean(axis)} = {write_given(_value(cell, axis))}"
        if len({_value(one, axis) for one in cells}) > 1
        else method_title(cell.method)
        for cell in cells
    ]
    facts = [dict(cell.details) for cell in cells]
    variance = [float(one["variance"] or 0.0) for one in facts]
    squared = [float(one["bias"] or 0.0) ** 2 for one in facts]
    places = range(len(cells))
    axes.bar(places, variance, width=0.62, color=COLORS[0], label="variance", zorder=3)
    axes.bar(
        places, squared, bottom=variance, width=0.62, color=COLORS[1], hatch="//",
        edgecolor="white", lw=0.0, label="bias²", zorder=3,
    )  # fmt: skip
    turned = len(cells) > 6
    texts = axes.set_xticks(
        list(places), labels, rotation=90 if turned else 0, fontsize=7 if turned else 8
    )
    plain(*(tick.label1 for tick in texts), axes.set_ylabel("mean squared error"))
    axes.grid(visible=False, axis="x")
    plain(*axes.legend(loc="best").get_texts())


def _distributions(axes: "Axes", curves: Sequence[Curve]) -> None:
    """Standardised means as outlines, with the normal curve that they approach."""
    handles, labels = [], []
    for place, curve in enumerate(curves):
        columns = dict(curve.columns)
        (line,) = axes.step(
            columns["value"], columns["density"], where="mid", lw=1.3, zorder=3, **look(place)
        )
        handles.append(line)
        p = dict(curve.details).get("p_normality")
        labels.append(
            f"{clean(curve.model or curve.name)}"
            + (f", p of normality {shown_p(p)}" if isinstance(p, float) else "")
        )
    first = dict(curves[0].columns)
    (normal,) = axes.plot(
        first["value"], first["normal"], color=INK, lw=0.9, ls=(0, (1, 1)), zorder=2
    )
    legend_below(axes, [*handles, normal], [*labels, "normal"])
    plain(
        axes.set_xlabel("(mean of the sample - mean) / standard error"), axes.set_ylabel("density")
    )
