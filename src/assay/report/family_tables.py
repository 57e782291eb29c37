"""The table of a family: one row per pair, with what its method knows beside the difference."""

from collections.abc import Mapping

from assay.core.formatting import clean, clean_name, finest_of, write_chance
from assay.core.method_names import method_name
from assay.core.results import FamilyOutcome, Scalar
from assay.plots.measure_labels import direction_of
from assay.report.tables import (
    RECORD,
    Cell,
    Column,
    ReportTable,
    effect_cells,
    effect_columns,
    p_cell,
    record_of,
)

ALIKE = 1e-9
"""Values as near as this are equal but for rounding."""
_CHANCE = Column(name="P(first)", parts=("probability",))
_ENDS = Column(name="interval of P", parts=("probability_low", "probability_high"))


def family(result: FamilyOutcome) -> ReportTable:
    """The outcomes of a family, in the order of its pairs."""
    level = next(
        (o.effect.interval.level for o in result.outcomes if o.effect.interval is not None), None
    )
    alpha = None if level is None else 1 - level
    known = [dict(outcome.details) for outcome in result.outcomes]
    chances = any("probability" in one for one in known)
    record = bool(known) and all(set(RECORD) <= one.keys() for one in known)
    said = " P(first): the chance that the first is preferred, its interval that of the difference."
    finest = finest_of(outcome.effect for outcome in result.outcomes)
    return ReportTable(
        name="differences",
        caption=f"Differences, first − second; p-values adjusted by {method_name(result.adjustment)}."
        f"{said if chances else ''}",
        columns=(
            Column(name="first"),
            Column(name="second"),
            *effect_columns("difference", level),
            *((_CHANCE, _ENDS) if chances else ()),
            *((Column(name="won-tied-lost", parts=RECORD),) if record else ()),
            Column(name="p", parts=("p",)),
        ),
        rows=tuple(
            (
                Cell(text=clean_name(a)),
                Cell(text=clean_name(b)),
                *effect_cells(outcome, finest=finest),
                *(_chance_cells(facts) if chances else ()),
                *((record_of(facts),) if record else ()),
                p_cell(outcome, alpha),
            )
            for (a, b), outcome, facts in zip(result.pairs, result.outcomes, known, strict=True)
        ),
    )


def found(result: FamilyOutcome) -> str:
    """Who has the highest value, or the lowest rank, where models have one."""
    known = [one for one in result.estimates if one.model is not None and one.value is not None]
    if not known:
        return ""
    lower = direction_of(known[0].measure) == "lower"
    sign = -1.0 if lower else 1.0
    top = max(sign * (one.value or 0.0) for one in known)
    best = [one for one in known if sign * (one.value or 0.0) > top - ALIKE]
    measure = f"{'lowest' if lower else 'highest'} {clean(best[0].measure).replace('_', ' ')}"
    return f"{clean_name(best[0].model)} has the {measure}. " if len(best) == 1 else ""


def _chance_cells(facts: Mapping[str, Scalar]) -> tuple[Cell, Cell]:
    """The chance that the first of a pair is preferred, and the ends of its interval."""
    found = [facts.get(f"probability{end}") for end in ("", "_low", "_high")]
    numbers = [one for one in found if isinstance(one, float)]
    if len(numbers) < len(found):
        return Cell(text="undefined", numbers=(None,)), Cell(text="none", numbers=(None, None))
    value, low, high = numbers
    ends = Cell(text=f"[{write_chance(low)}, {write_chance(high)}]", numbers=(low, high))
    return Cell(text=write_chance(value), numbers=(value,)), ends
