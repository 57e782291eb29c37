"""A view as LaTeX: booktabs tables whose captions say what the intervals are, and the methods."""

from assay.core.formatting import shorten
from assay.report.escapes import for_latex, number_for_latex
from assay.report.tables import Cell, Column, ReportTable
from assay.report.views import View

MOST_ROWS = 50
NAME_WIDTH = 60


def render_latex(view: View) -> str:
    """Tables to paste into a paper, then the methods paragraph and its references."""
    blocks = [
        "% needs \\usepackage{booktabs}",
        *(_table(table, view) for table in view.tables if table.rows),
        f"\\paragraph{{Methods.}} {for_latex(view.methods)}",
    ]
    if view.references:
        works = "\n".join(f"  \\item {for_latex(work)}" for work in view.references)
        blocks.append(f"\\begin{{enumerate}}\n{works}\n\\end{{enumerate}}")
    if view.notes:
        blocks.append(
            "\n".join(f"% {note.level} {note.code}: {note.message}" for note in view.notes)
        )
    return "\n\n".join(blocks) + "\n"


def _table(table: ReportTable, view: View) -> str:
    rows, more = table.first(MOST_ROWS)
    alignment = "".join("r" if column.kind == "number" else "l" for column in table.columns)
    heads = " & ".join(for_latex(column.name) for column in table.columns)
    n = next((fact.text for fact in view.evidence if fact.label == "n"), "")
    basis = f" Based on {n}." if n else ""
    omitted = f" {more:,} more rows are left out." if more else ""
    lines = [
        "\\begin{table}",
        "  \\centering",
        f"  \\caption{{{for_latex(table.caption + basis + omitted)}}}",
        f"  \\label{{tab:assay-{table.name}}}",
        f"  \\begin{{tabular}}{{{alignment}}}",
        "    \\toprule",
        f"    {heads} \\\\",
        "    \\midrule",
        *(f"    {_row(row, table.columns)} \\\\" for row in rows),
        "    \\bottomrule",
        "  \\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines)


def _row(row: tuple[Cell, ...], columns: tuple[Column, ...]) -> str:
    return " & ".join(_cell(cell, column) for cell, column in zip(row, columns, strict=True))


def _cell(cell: Cell, column: Column) -> str:
    if column.kind == "number":
        return number_for_latex(cell.text)
    text = for_latex(shorten(cell.text, NAME_WIDTH))
    return f"\\textbf{{{text}}}" if cell.strong and text else text
