"""The brief answer of a gate: passed, failed or undecided, each bound against what is required."""

from collections.abc import Iterator

from assay.compare.gate_sentences import demand_of, in_order, only_margins, write_bounds
from assay.core.formatting import clean, shown_percent, write_given
from assay.core.gate_results import Gate, GateCheck
from assay.core.results import Interval
from assay.measures.registry import basis_of
from assay.report.brief import applies_line, noted, notes_of
from assay.report.brief_grids import left_out
from assay.report.brief_lines import Brief, Drawing, Grid, GridRow, LabelledLine
from assay.report.gate_view import two_sided
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
    return Brief(
        read="" if first is None else clean(first.evidence.description),
        answer=clean(result.sentence),
        most_lines=4,
        word=result.word,
        grid=_checks_grid(result),
        lines=(
            LabelledLine(label="Rule", text=_rule(result), more=named, most=2),
            *(LabelledLine(label="Errors", text=text) for text in _trials(result)),
            *(() if first is None else (applies_line(first),)),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], hints["report"]),
    )


def _checks_grid(result: Gate) -> Grid:
    plain = only_margins(result.checks)
    level = _common_level(result)
    parted = any(check.slice or check.item for check in result.checks)
    rows = []
    for check in in_order(result.checks, MOST_ITEMS):
        value, _, interval = write_bounds(check).partition(" ")
        where = (clean(check.slice or check.item or "all"),) if parted and not plain else ()
        demand = write_given(check.margin) if plain else demand_of(check)
        own = () if level is not None else (two_sided(check.level),)
        cells = (
            *(clean(check.measure), *where, value, interval or "none", *own),
            *(_basis(check, result), demand, check.word),
        )
        drawing = _check_drawing(check)
        rows.append(GridRow(cells=cells, drawing=drawing, strong=check.word != "passed"))
    heads = (
        "",
        *((clean(result.sliced_by or ""),) if parted and not plain else ()),
        "gain" if all(check.required is None for check in result.checks) else "value",
        *(("CI", "level") if level is None else (f"{two_sided(level)} CI",)),
        "n",
        "margin" if plain else "required",
        "gate",
    )
    first = 2 if parted and not plain else 1
    numbers = range(first, len(heads) - 1)
    return Grid(
        heads=heads,
        rows=tuple(rows),
        numbers=frozenset(numbers),
        left_out=left_out(len(result.checks) - len(rows), "item", "items"),
    )


def _common_level(result: Gate) -> float | None:
    """The level of one side that all checks share; None where Holm's steps give them several."""
    levels = {check.level for check in result.checks}
    return levels.pop() if len(levels) == 1 else None


def _basis(check: GateCheck, result: Gate) -> str:
    """On how many items a check rests: the positives of a sensitivity; empty where each model has its own."""
    same = [
        one
        for one in result.comparisons
        if (one.measure, one.slice) == (check.measure, check.slice)
    ]
    bases = {basis_of(one) for found in same for one in found.estimates}
    if not any(word for _, word in bases):
        return "" if check.n is None else f"{check.n:,}"
    return f"{bases.pop()[0]:,}" if len(bases) == 1 else ""


def _rule(result: Gate) -> str:
    level = _common_level(result)
    interval = "CI" if level is None else f"{two_sided(level)} CI"
    sided = f"{shown_percent(result.level)} one-sided"
    held = {"all": "", "holm": "; Holm-adjusted", "family": "; failures Holm-adjusted"}
    together = held[result.rule] if len(result.checks) > 1 else ""
    rule = f"each {interval} ({sided}) must meet the requirement (|){together}"
    return f"{rule}; exit code {result.exit_code}"


def _trials(result: Gate) -> Iterator[str]:
    """How often such a gate erred where the truth was known (--aa), beside what it may."""
    names = {"false-fail": "false fails", "false-pass": "false passes"}
    several = len({trial.measure for trial in result.trials}) > 1
    for trial in result.trials:
        of = f" in {clean(trial.measure or 'any measure')}" if several else ""
        if trial.rate is None or trial.interval is None:
            yield f"{names[trial.error]}{of}: not possible"
            continue
        ends = f"[{100 * trial.interval.low:.1f}, {100 * trial.interval.high:.1f}]"
        counted = f"{100 * trial.rate:.1f}% {ends} of {trial.replicates:,} trials"
        yield f"{names[trial.error]}{of}: {counted} (nominal ≤ {shown_percent(trial.nominal)})"


def _check_drawing(check: GateCheck) -> Drawing | None:
    """The interval beside what is required of it, which the axis has as its zero."""
    if check.difference is None or check.low is None or check.high is None:
        return None
    margin = {"not-worse": -check.margin, "better": check.margin}
    wanted = 0.0 if check.required is not None else margin[check.asks]
    low, high = check.low - wanted, check.high - wanted
    return Drawing(
        value=check.difference - wanted,
        interval=Interval(low=low, high=high, level=check.level, method="gate"),
        axis=f"{check.measure} {check.required is None}",
        zero=True,
        level=True,
    )
