"""The words of a simulation: its title, and what it found, method by method."""

import math
from collections.abc import Iterable, Sequence

from assay.core.formatting import capital, shown, shown_p, shown_percent, write_given, write_rounded
from assay.core.results import SimulationCell
from assay.core.vocabulary import quantity_name

_RATES = ("type I error", "type II error", "family-wise error", "rejections", "coverage")
_MOST_METHODS = 4


def title_of(cells: Sequence[SimulationCell]) -> str:
    """What was measured of which methods."""
    quantities = _listed(dict.fromkeys(quantity_name(cell.quantity) for cell in cells))
    methods = _listed(dict.fromkeys(cell.method for cell in cells))
    return f"{capital(quantities)} of {methods}"


def sentence_of(cells: Sequence[SimulationCell]) -> str:
    """The range of each quantity of each method beside what is nominal."""
    parts = []
    for quantity in dict.fromkeys(cell.quantity for cell in cells):
        for alpha in dict.fromkeys(cell.alpha for cell in cells):
            chosen = [c for c in cells if (c.quantity, c.alpha) == (quantity, alpha)]
            if any(cell.value is not None for cell in chosen):
                parts.append(_part(quantity, alpha, chosen))
    return " ".join([*parts, _counted(cells)])


def _part(quantity: str, alpha: float | None, cells: Sequence[SimulationCell]) -> str:
    name = quantity_name(quantity)
    methods = list(dict.fromkeys(cell.method for cell in cells))
    if len(methods) <= _MOST_METHODS:
        found = ", ".join(
            f"{method} {_range(quantity, [c for c in cells if c.method == method])}"
            for method in methods
        )
    else:
        found = f"{len(methods)} methods {_range(quantity, cells)}"
    said = [*_nominal(quantity, alpha), *_where(cells)]
    return f"{capital(name)}: {found} ({'; '.join(said)})."


def _range(quantity: str, cells: Iterable[SimulationCell]) -> str:
    known = [cell for cell in cells if cell.value is not None]
    values = [cell.value for cell in known if cell.value is not None]
    if not values:
        return "undefined"
    ends = (min(values), max(values))
    if quantity in _RATES:
        digits = dict.fromkeys(f"{100 * value:.1f}" for value in ends)
        return f"{'–'.join(digits)}%"
    if quantity == "p of normality":
        return " to ".join(dict.fromkeys(map(shown_p, ends)))
    halves = {cell.value: cell.interval.width / 2.0 for cell in known if cell.interval is not None}
    return " to ".join(dict.fromkeys(shown(end, halves.get(end)) for end in ends))


def _nominal(quantity: str, alpha: float | None) -> list[str]:
    if alpha is None:
        return []
    if quantity == "coverage":
        return [f"nominal {shown_percent(round(1.0 - alpha, 12))}"]
    if quantity == "type II error":
        return [f"at α = {write_given(alpha).removeprefix('0')}"]
    return [f"nominal {shown_percent(alpha)}"] if quantity in _RATES else []


def _where(cells: Sequence[SimulationCell]) -> list[str]:
    worlds = _listed(dict.fromkeys(cell.world for cell in cells))
    sizes = [f"{n:,}" for n in sorted({cell.n for cell in cells})]
    few = len(sizes) <= _MOST_METHODS
    span = _listed(sizes) if few else f"{len(sizes)} sizes from {sizes[0]} to {sizes[-1]}"
    return [f"simulated data: {worlds}", f"n = {span}"]


def _counted(cells: Sequence[SimulationCell]) -> str:
    replicates = [cell.replicates for cell in cells if cell.replicates is not None]
    if not replicates:
        return "Exact: all outcomes were enumerated."
    widths = [cell.interval.width / 2.0 for cell in cells if cell.interval is not None]
    worst = max(widths, default=math.nan)
    rates = all(cell.quantity in _RATES for cell in cells)
    text = f"±{100 * worst:.1f} percentage points" if rates else f"±{write_rounded(worst, 2)}"
    error = f"; Monte-Carlo error at most {text}" if math.isfinite(worst) else ""
    return f"{max(replicates):,} replicates{error}."


def _listed(words: Sequence[str] | dict[str, None]) -> str:
    names = list(words)
    if len(names) > _MOST_METHODS:
        return f"{len(names)} methods"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
