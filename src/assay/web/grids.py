"""Tables that belong to one page alone, in the form of every other table: shown, CSV and LaTeX."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.core.results import Scalar
from assay.core.writing import clean, clean_name
from assay.report.csv import render_csv
from assay.report.latex import render_latex
from assay.report.tables import Cell, Column, Table
from assay.report.views import View

Row = Sequence[Scalar]


def grid(
    name: str, caption: str, heads: Sequence[str], rows: Sequence[Row], form: str = ".4g"
) -> Table:
    """A table of plain values; a column of numbers stands to the right, undefined ones are empty."""
    numeric = [
        bool(rows) and all(isinstance(row[place], int | float | None) for row in rows)
        for place in range(len(heads))
    ]
    columns = tuple(
        Column(name=clean_name(head), kind="number", parts=(clean_name(head),))
        if is_number
        else Column(name=clean_name(head))
        for head, is_number in zip(heads, numeric, strict=True)
    )
    return Table(
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
    shown = f"{value:,}" if isinstance(value, int) else f"{value:{form}}"
    return Cell(text=shown, numbers=(value,))


def as_file(table: Table, form: str, *, title: str) -> str:
    """One table as CSV with all digits, or as LaTeX."""
    alone = View(title=title, tables=(replace(table, told=False),))
    return render_csv(alone) if form == "csv" else render_latex(alone)


def spread_tables(got: dict[str, Any]) -> dict[str, Table]:
    """The tables of the page of differences."""
    against, measure = got["baseline"], got["measure"]
    if got["kind"] == "points":
        heads = [got["unit"].replace("dataset", "data set"), *(row["model"] for row in got["rows"])]
        rows = [
            [name, *(row["values"][place] for row in got["rows"])]
            for place, name in enumerate(got["names"])
        ]
        caption = f"Differences in {clean(measure)}, model − {clean_name(against)}."
        return {"differences": grid("differences", caption, heads, rows, "+.4f")}
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
