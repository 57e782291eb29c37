"""Curves as tables: every point of one, a few of each of many."""

from collections.abc import Sequence

from assay.core.formatting import clean, clean_name, write_rounded
from assay.core.results import Curve
from assay.report.tables import Cell, Column, ReportTable

POINTS = 21
"""Rows of a curve's table beside its figure; all points are in the JSON."""


def curve(result: Curve) -> ReportTable:
    """Every point of a curve."""
    names = [name for name, _ in result.columns]
    rows = zip(*(values for _, values in result.columns), strict=True)
    return ReportTable(
        name="curve",
        caption=f"Points of {clean(result.name)}.",
        columns=tuple(Column(name=clean(name), parts=(name,)) for name in names),
        rows=tuple(
            tuple(Cell(text=write_rounded(value, 4), numbers=(value,)) for value in row)
            for row in rows
        ),
    )


def points(curves: Sequence[Curve], only: Sequence[str] = ()) -> ReportTable:
    """A few points of each curve, evenly spread over its length: the columns of the first, or ``only`` these."""
    names = [name for name, _ in curves[0].columns if not only or name in only]
    rows = []
    for one in curves:
        columns = dict(one.columns)
        count = len(one.columns[0][1])
        step = (count - 1) / (POINTS - 1)
        places = sorted({round(index * step) for index in range(POINTS)}) if count else []
        for place in places:
            values = [columns[name][place] if name in columns else None for name in names]
            cells = [
                Cell(text="" if value is None else write_rounded(value, 4), numbers=(value,))
                for value in values
            ]
            rows.append((Cell(text=clean_name(one.model)), *cells))
    return ReportTable(
        name="curves",
        caption=f"Up to {POINTS} points of each curve; all are in the JSON.",
        columns=(
            Column(name="model"),
            *(Column(name=clean(name), parts=(name,)) for name in names),
        ),
        rows=tuple(rows),
    )
