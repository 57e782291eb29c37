"""What a report of a simulation shows: what was counted, where, and how surely."""

import math
from collections.abc import Callable, Sequence
from functools import partial

from assay.core.formatting import clean, shown, shown_p, write_given
from assay.core.results import Details, Scalar, Simulation, SimulationCell
from assay.core.vocabulary import quantity_name
from assay.report import tables
from assay.report.figure_list import ReportFigure
from assay.report.tables import Cell, ColumnOf, ReportTable, number, table_of, whole, words
from assay.report.views import Fact, View

_DOES_NOT_SAY = (
    "These rates apply to the simulated data named here. A method can behave differently on other data: "
    "simulate data like yours."
)


def view_of_simulation(result: Simulation) -> View:
    """The view of a simulation, drawn from it and from nothing else."""
    table = cells_table(result)
    return View(
        title=f"Simulation: {clean(result.title[:1].lower() + result.title[1:])}",
        headline=clean(result.sentence),
        facts=_facts(result),
        figures=(
            ReportFigure(
                name="simulation",
                caption=_caption(result),
                alt=f"Figure of {clean(result.title)}. {clean(result.sentence)}",
                table=table,
            ),
        ),
        tables=(table,),
        does_not_say=_DOES_NOT_SAY,
    )


def _caption(result: Simulation) -> str:
    if result.curves:
        return "Standardised means of samples, and the normal curve."
    if result.question == "mse":
        return "Mean squared error as variance and squared bias."
    counted = any(cell.interval is not None for cell in result.cells)
    bars = "; bars are Monte-Carlo intervals" if counted else ""
    return f"{clean(result.title)}{bars}; the dotted line is the nominal value."


def _facts(result: Simulation) -> tuple[Fact, ...]:
    varied = list(dict.fromkeys(name for cell in result.cells for name, _ in cell.parameters))
    tried = [f"{clean(name)} varied" for name in varied]
    facts = [
        Fact(
            label="simulated data",
            text=clean(name),
            detail=", ".join(filter(None, [_settings(parameters), *tried])),
        )
        for name, parameters in result.worlds
    ]
    counts = {cell.replicates for cell in result.cells if cell.replicates is not None}
    if counts:
        facts.append(Fact(label="replicates", text=f"{max(counts):,}"))
    else:
        facts.append(Fact(label="replicates", text="none", detail="all outcomes enumerated"))
    if result.options:
        facts.append(Fact(label="options", text=_settings(result.options)))
    return tuple(facts)


def _settings(parameters: Details) -> str:
    return ", ".join(
        f"{clean(name)} {clean(_plain(value))}" for name, value in parameters if value is not None
    )


def _plain(value: Scalar) -> str:
    return write_given(value) if isinstance(value, float) else str(value)


def cells_table(result: Simulation) -> ReportTable:
    """A row for each cell; columns that never vary are left to the facts."""
    cells = result.cells
    names = list(dict.fromkeys(name for cell in cells for name, _ in cell.parameters))
    kinds = list(dict.fromkeys(cell.quantity for cell in cells))
    head = quantity_name(kinds[0]) if len(kinds) == 1 else "rate"
    columns = [
        *(words(name, partial(_named, name)) for name in _VARIED if _several(cells, name)),
        *(_column(name, partial(_parameter, name)) for name in names),
        number("n", lambda cell: cell.n, whole),
        _column("effect", lambda cell: _number(cell.effect)),
        _column("α", lambda cell: _number(cell.alpha), "alpha"),
        _column(head, _value, "value"),
        ColumnOf("Monte-Carlo 95%", ("low", "high"), _counted),
        *(_column(name.replace("_", " "), partial(_detail, name), name) for name in _extra(cells)),
        number("undefined", lambda cell: cell.undefined, whole),
    ]
    spare = {
        "effect": not any(cell.effect for cell in cells),
        "α": all(cell.alpha is None for cell in cells),
        "Monte-Carlo 95%": all(cell.interval is None for cell in cells),
        "undefined": not any(cell.undefined for cell in cells),
    }
    table = table_of(cells, *columns, name="simulation", caption=f"{clean(result.title)}.")
    return table.without(*(name for name, left_out in spare.items() if left_out))


def _column(name: str, cell: Callable[[SimulationCell], Cell], part: str = "") -> ColumnOf:
    return ColumnOf(clean(name), (part or name,), cell)


_VARIED = ("method", "world", "quantity")
_KNOWN = ("power", "mean_width", "bias", "variance", "truth", "skewness", "kurtosis")


def _extra(cells: Sequence[SimulationCell]) -> list[str]:
    met = {name for cell in cells for name, _ in cell.details}
    return [name for name in _KNOWN if name in met]


def _several(cells: Sequence[SimulationCell], name: str) -> bool:
    return len({getattr(cell, name) for cell in cells}) > 1 or (
        name == "method" and len(cells) == 1
    )


def _named(name: str, cell: SimulationCell) -> str:
    return clean(quantity_name(str(getattr(cell, name))))


def _parameter(name: str, cell: SimulationCell) -> Cell:
    return _number(dict(cell.parameters).get(name))


def _half(cell: SimulationCell) -> float | None:
    return None if cell.interval is None else cell.interval.width / 2.0


def _value(cell: SimulationCell) -> Cell:
    normality = cell.quantity == "p of normality"
    text = shown_p(cell.value) if normality else shown(cell.value, _half(cell))
    return Cell(text=text, numbers=(cell.value,))


def _counted(cell: SimulationCell) -> Cell:
    if cell.interval is None:
        return Cell(text="exact", numbers=(None, None))
    ends = (cell.interval.low, cell.interval.high)
    return Cell(text=" to ".join(shown(end, _half(cell)) for end in ends), numbers=ends)


def _detail(name: str, cell: SimulationCell) -> Cell:
    """A number beside the quantity, in the digits that so many replicates warrant."""
    details = dict(cell.details)
    value, variance = details.get(name), details.get("variance")
    if name == "bias" and isinstance(value, float) and isinstance(variance, float):
        error = 1.96 * math.sqrt(variance / cell.replicates) if cell.replicates else None
        return Cell(text=shown(value, error), numbers=(value,))
    if name == "variance" and isinstance(value, float):
        return Cell(text=shown(value, _half(cell)), numbers=(value,))
    return _number(value)


def _number(value: Scalar) -> Cell:
    text = tables.plain_number(value) if not isinstance(value, str) else clean(value)
    return Cell(text="" if value is None else text, numbers=(value,))
