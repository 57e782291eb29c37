"""The words of a simulation: its title, and what it found in a sentence."""

from collections.abc import Sequence

from assay.core.numbers import shown, shown_p
from assay.core.results import SimulationCell


def title_of(cells: Sequence[SimulationCell]) -> str:
    """What was measured of which methods."""
    quantities = _listed(dict.fromkeys(cell.quantity for cell in cells))
    methods = _listed(dict.fromkeys(cell.method for cell in cells))
    return f"{quantities[:1].upper()}{quantities[1:]} of {methods}"


def sentence_of(cells: Sequence[SimulationCell]) -> str:
    """The range of each quantity beside what is nominal."""
    parts = []
    for quantity in dict.fromkeys(cell.quantity for cell in cells):
        for alpha in dict.fromkeys(cell.alpha for cell in cells):
            chosen = [c for c in cells if (c.quantity, c.alpha) == (quantity, alpha)]
            values = [cell.value for cell in chosen if cell.value is not None]
            if values:
                parts.append(_part(quantity, alpha, values, chosen))
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}. {_counted(cells)}"


def _part(
    quantity: str, alpha: float | None, values: list[float], cells: Sequence[SimulationCell]
) -> str:
    written = shown_p if quantity == "p of normality" else shown
    ends = dict.fromkeys(written(value) for value in (min(values), max(values)))
    text = f"{quantity} {' to '.join(ends)}"
    if quantity in ("type I error", "family-wise error", "rejections") and alpha is not None:
        text += f" at a nominal {alpha:g}"
    if quantity == "coverage" and alpha is not None:
        text += f" where {1.0 - alpha:g} is promised"
    if quantity == "type II error":
        text += f" at alpha {alpha:g}"
    worlds = _listed(dict.fromkeys(cell.world for cell in cells))
    sizes = [cell.n for cell in cells]
    units = (
        f"n = {min(sizes):,}"
        if min(sizes) == max(sizes)
        else f"n = {min(sizes):,} to {max(sizes):,}"
    )
    return f"{text} (world {worlds}, {units})"


def _counted(cells: Sequence[SimulationCell]) -> str:
    replicates = [cell.replicates for cell in cells if cell.replicates is not None]
    if not replicates:
        return "All outcomes were enumerated: there is no error of counting."
    worst = max(
        (cell.interval.width / 2.0 for cell in cells if cell.interval is not None), default=None
    )
    error = "" if worst is None else f", known to ±{shown(worst)} or better"
    return f"Counted over {max(replicates):,} replicates{error}."


def _listed(words: Sequence[str] | dict[str, None]) -> str:
    names = list(words)
    if len(names) > 4:
        return f"{len(names)} methods"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
