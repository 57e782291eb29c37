"""Tables that belong to one page alone, in the form of every other table: shown, CSV and LaTeX."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.formatting import (
    LARGE,
    SMALL,
    clean,
    clean_name,
    estimate_digits,
    shown_percent,
    true_minus,
    write_estimate,
    write_rounded,
)
from assay.core.measure_names import better_side
from assay.core.results import Estimate, Scalar
from assay.plots.measure_labels import measure_label
from assay.report.csv import render_csv
from assay.report.latex import render_latex
from assay.report.tables import Cell, Column, ReportTable
from assay.report.views import View

Row = Sequence[Scalar]


def grid(
    name: str, caption: str, heads: Sequence[str], rows: Sequence[Row], form: str = ".4g"
) -> ReportTable:
    """A table of plain values; a column of numbers stands to the right, undefined ones are empty."""
    numeric = [
        bool(rows) and all(isinstance(row[place], int | float | None) for row in rows)
        for place in range(len(heads))
    ]
    columns = tuple(
        Column(name=clean_name(head), parts=(clean_name(head),))
        if is_number
        else Column(name=clean_name(head))
        for head, is_number in zip(heads, numeric, strict=True)
    )
    return ReportTable(
        name=name,
        caption=caption,
        columns=columns,
        rows=tuple(tuple(_cell(value, form) for value in row) for row in rows),
    )


def _cell(value: Scalar, form: str) -> Cell:
    if value is None:
        return Cell(text="", numbers=(None,))
    if isinstance(value, str | bool):
        return Cell(text=clean(str(value)))
    if isinstance(value, int):
        return Cell(text=true_minus(f"{value:,}"), numbers=(value,))
    digits = re.fullmatch(r",?\.(\d+)g", form)
    fixed = not digits and (value == 0.0 or SMALL <= abs(value) < LARGE)
    text = (
        true_minus(f"{value:{form}}")
        if fixed
        else write_rounded(value, int(digits[1] if digits else 4))
    )
    signed = form.startswith("+") and value > 0 and not fixed
    return Cell(text=f"+{text}" if signed else text, numbers=(value,))


def measures_by_models(found: Sequence[Estimate], level: float) -> ReportTable:
    """A row per measure and a column per model, the best of each row marked."""
    cells = {(one.measure, one.model or ""): one for one in found}
    measures = list(dict.fromkeys(measure for measure, _ in cells))
    models = _best_first(measures[0], cells) if measures else []
    heads = [clean_name(model) or "model" for model in models]
    rows = []
    for measure in measures:
        best = _best_first(measure, cells)[:1]
        digits = estimate_digits(cells.values(), measure)
        rows.append(
            (
                Cell(text=measure_label(measure)),
                *(
                    _estimate_cell(cells.get((measure, one)), digits, best=[one] == best)
                    for one in models
                ),
            )
        )
    return ReportTable(
        name="measures",
        caption=f"Every measure with its {shown_percent(level)} interval; the best value of a row is bold. "
        "Compare models by their differences, not by whether these intervals overlap.",
        columns=(
            Column(name="measure"),
            *(Column(name=name, parts=(name, f"{name} low", f"{name} high")) for name in heads),
        ),
        rows=tuple(rows),
    )


def _best_first(measure: str, cells: Mapping[tuple[str, str], Estimate]) -> list[str]:
    sign = 1.0 if better_side(measure) == "lower" else -1.0
    models = list(dict.fromkeys(model for _, model in cells))

    def place(model: str) -> tuple[bool, float]:
        one = cells.get((measure, model))
        value = None if one is None else one.value
        return (value is None or math.isnan(value), sign * (value or 0.0))

    return sorted(models, key=place)


def _estimate_cell(one: Estimate | None, digits: float | None, *, best: bool) -> Cell:
    if one is None:
        return Cell(text="", numbers=(None, None, None))
    ends = (None, None) if one.interval is None else (one.interval.low, one.interval.high)
    return Cell(
        text=str(write_estimate(one, finest=digits)), numbers=(one.value, *ends), strong=best
    )


def as_file(table: ReportTable, form: str, *, title: str) -> str:
    """One table as CSV with all digits, or as LaTeX."""
    alone = View(title=title, tables=(replace(table, told=False),))
    return render_csv(alone) if form == "csv" else render_latex(alone)


def spread_tables(got: dict[str, Any]) -> dict[str, ReportTable]:
    """The tables of the page of differences."""
    against, measure = got["baseline"], got["measure"]
    if got["kind"] == "points":
        heads = [got["unit"].replace("dataset", "data set"), *(row["model"] for row in got["rows"])]
        rows = [
            [name, *(row["values"][place] for row in got["rows"])]
            for place, name in enumerate(got["names"])
        ]
        caption = f"Differences in {clean(measure)}, model − {clean_name(against)}."
        known = [abs(one) for row in got["rows"] for one in row["values"] if one]
        places = 3 - math.floor(math.log10(max(known, default=1.0)))
        return {
            "differences": grid(
                "differences", caption, heads, rows, f"+,.{min(max(places, 0), 9)}f"
            )
        }
    tables = {}
    for place, row in enumerate(got["rows"]):
        model = clean_name(row["model"])
        if got["kind"] == "agreement":
            right, only_a, only_b, wrong = row["table"]
            tables[f"pair{place}"] = grid(
                f"pair{place}",
                f"{right + only_a + only_b + wrong:,} items: {model} and {clean_name(against)}.",
                ["items", f"{against} right", f"{against} wrong"],
                [[f"{model} right", right, only_a], [f"{model} wrong", only_b, wrong]],
            )
        else:
            edges = row["edges"]
            tables[f"pair{place}"] = grid(
                f"pair{place}",
                f"Items by difference in {clean(measure)}, {model} − {clean_name(against)}.",
                ["from", "to", "items"],
                [[edges[at], edges[at + 1], count] for at, count in enumerate(row["counts"])],
            )
    return tables
