"""What a report of a simulation shows: what was counted, where, and how surely."""

import math
from collections.abc import Sequence

from assay.core.number_formatting import shown, shown_p, true_minus
from assay.core.results import Details, Scalar, Simulation, SimulationCell
from assay.core.text_formatting import clean
from assay.core.vocabulary import quantity_name
from assay.report import tables
from assay.report.figure_list import Figure
from assay.report.tables import Cell, Column, Table
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
            Figure(
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
    return f"{value:g}" if isinstance(value, float) else str(value)


def cells_table(result: Simulation) -> Table:
    """A row for each cell; columns that never vary are left to the facts."""
    cells = result.cells
    names = list(dict.fromkeys(name for cell in cells for name, _ in cell.parameters))
    varied = [name for name in ("method", "world", "quantity") if _several(cells, name)]
    columns = [Column(name=name) for name in varied]
    columns += [Column(name=clean(name), parts=(name,)) for name in names]
    columns.append(Column(name="n", parts=("n",)))
    effects = any(cell.effect for cell in cells)
    if effects:
        columns.append(Column(name="effect", parts=("effect",)))
    if any(cell.alpha is not None for cell in cells):
        columns.append(Column(name="α", parts=("alpha",)))
    kinds = list(dict.fromkeys(cell.quantity for cell in cells))
    head = quantity_name(kinds[0]) if len(kinds) == 1 else "rate"
    columns.append(Column(name=head, parts=("value",)))
    counted = any(cell.interval is not None for cell in cells)
    if counted:
        columns.append(Column(name="Monte-Carlo 95%", parts=("low", "high")))
    extra = _extra(cells)
    columns += [Column(name=clean(name.replace("_", " ")), parts=(name,)) for name in extra]
    undefined = any(cell.undefined for cell in cells)
    if undefined:
        columns.append(Column(name="undefined", parts=("undefined",)))
    return Table(
        name="simulation",
        caption=f"{clean(result.title)}.",
        columns=tuple(columns),
        rows=tuple(
            _row(cell, varied, names, extra, effects=effects, counted=counted, undefined=undefined)
            for cell in cells
        ),
    )


_KNOWN = ("power", "mean_width", "bias", "variance", "truth", "skewness", "kurtosis")


def _extra(cells: Sequence[SimulationCell]) -> list[str]:
    met = {name for cell in cells for name, _ in cell.details}
    return [name for name in _KNOWN if name in met]


def _several(cells: Sequence[SimulationCell], name: str) -> bool:
    return len({getattr(cell, name) for cell in cells}) > 1 or (
        name == "method" and len(cells) == 1
    )


def _row(
    cell: SimulationCell,
    varied: Sequence[str],
    names: Sequence[str],
    extra: Sequence[str],
    *,
    effects: bool,
    counted: bool,
    undefined: bool,
) -> tuple[Cell, ...]:
    row = [Cell(text=clean(quantity_name(str(getattr(cell, name))))) for name in varied]
    parameters, details = dict(cell.parameters), dict(cell.details)
    row += [_number(parameters.get(name)) for name in names]
    row.append(Cell(text=f"{cell.n:,}", numbers=(cell.n,)))
    if effects:
        row.append(_number(cell.effect))
    if cell.alpha is not None:
        row.append(_number(cell.alpha))
    half = None if cell.interval is None else cell.interval.width / 2.0
    normality = cell.quantity == "p of normality"
    value = shown_p(cell.value) if normality else shown(cell.value, half)
    row.append(Cell(text=value, numbers=(cell.value,)))
    if counted and cell.interval is None:
        row.append(Cell(text="exact", numbers=(None, None)))
    elif cell.interval is not None:
        ends = (cell.interval.low, cell.interval.high)
        row.append(Cell(text=" to ".join(shown(end, half) for end in ends), numbers=ends))
    row += [_detail(cell, name, details.get(name), half) for name in extra]
    if undefined:
        row.append(Cell(text=f"{cell.undefined:,}", numbers=(cell.undefined,)))
    return tuple(row)


def _detail(cell: SimulationCell, name: str, value: Scalar, half: float | None) -> Cell:
    """A number beside the quantity, in the digits that so many replicates warrant."""
    variance = dict(cell.details).get("variance")
    if name == "bias" and isinstance(value, float) and isinstance(variance, float):
        error = 1.96 * math.sqrt(variance / cell.replicates) if cell.replicates else None
        return Cell(text=true_minus(shown(value, error)), numbers=(value,))
    if name == "variance" and isinstance(value, float):
        return Cell(text=shown(value, half), numbers=(value,))
    return _number(value)


def _number(value: Scalar) -> Cell:
    text = tables.plain_number(value) if not isinstance(value, str) else clean(value)
    return Cell(text="" if value is None else text, numbers=(value,))
