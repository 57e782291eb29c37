"""The brief answer of a gate: passed, failed or undecided, each bound against what is required."""

from assay.compare.gate_sentences import demand_of, in_order, only_margins, write_bounds
from assay.core.number_formatting import shown_percent
from assay.core.results import Gate, GateCheck, Interval
from assay.core.text_formatting import clean
from assay.report.brief import applies_line, left_out, noted, notes_of
from assay.report.brief_lines import Brief, Drawing, Grid, Line, Row
from assay.report.gate_view import rule_of
from assay.report.method_titles import named_test

MOST_ITEMS = 10
"""Single items that the brief answer of a gate lists, the worst ones first."""


def brief_of_gate(result: Gate, hints: dict[str, str]) -> Brief:
    """The gate's word, its bounds against what is required, the rule."""
    first = next(iter(result.comparisons), None)
    warnings, details = notes_of(
        [*result.notes, *(note for one in result.comparisons for note in noted(one))], hints
    )
    methods = dict.fromkeys(named_test(one.choice.method) for one in result.comparisons)
    named = (f"; {', '.join(methods)}",) if methods else ()
    rule = f"{rule_of(result)}; exit code {result.exit_code}"
    return Brief(
        read="" if first is None else clean(first.evidence.description),
        answer=clean(result.sentence),
        word=result.word,
        grid=_checks_grid(result),
        lines=(
            Line(label="Rule", text=rule, more=named),
            *(() if first is None else (applies_line(first),)),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], hints["report"]),
    )


def _checks_grid(result: Gate) -> Grid:
    plain = only_margins(result.checks)
    levels = {check.level for check in result.checks}
    bounds = f"{shown_percent(round(2 * levels.pop() - 1, 12))} CI" if len(levels) == 1 else "CI"
    parted = any(check.slice or check.item for check in result.checks)
    rows = []
    for check in in_order(result.checks, MOST_ITEMS):
        value, _, interval = write_bounds(check).partition(" ")
        where = (clean(check.slice or check.item or "all"),) if parted and not plain else ()
        demand = f"{check.margin:g}" if plain else demand_of(check)
        cells = (clean(check.measure), *where, value, interval or "none", demand, check.word)
        drawing = _check_drawing(check)
        rows.append(Row(cells=cells, drawing=drawing, strong=check.word != "passed"))
    if plain:
        heads: tuple[str, ...] = ("", "difference", bounds, "margin", "gate")
    else:
        heads = (
            "",
            *((clean(result.sliced_by or ""),) if parted else ()),
            "value",
            bounds,
            "required",
            "gate",
        )
    numbers = {2, 3, 4} if parted and not plain else {1, 2, 3}
    return Grid(
        heads=heads,
        rows=tuple(rows),
        numbers=frozenset(numbers),
        left_out=left_out(len(result.checks) - len(rows), "item", "items"),
    )


def _check_drawing(check: GateCheck) -> Drawing | None:
    if check.difference is None or check.low is None or check.high is None:
        return None
    interval = Interval(low=check.low, high=check.high, level=check.level, method="gate")
    axis = f"{check.measure} {check.required is None}"
    return Drawing(
        value=check.difference,
        interval=interval,
        axis=axis,
        zero=True,
        level=check.required is not None,
    )
