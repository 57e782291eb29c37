"""Tables for the terminal: as wide as they like, or as narrow as they must be, words kept whole."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.core.formatting import shorten
from assay.report.brief_lines import NAME_WIDTH
from assay.report.tables import Cell, ReportTable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

MOST_ROWS = {
    "differences": 20,
    "estimates": 40,
    "also": 12,
    "families": 12,
    "curve": 20,
    "simulation": 60,
}
GAP, TIGHT_GAP = 3, 2
"""Blanks between columns, and where room is short."""


def print_table(console: "Console", table: ReportTable) -> None:
    """Print a table.

    Where it is too wide, what all rows share is said once before it; if that does not help, the
    names of each row stand on a line above its numbers, and at worst each number beside its heading.
    """
    from rich.text import Text

    console.print(Text(table.caption, style="bold"))
    rows, more = table.first(MOST_ROWS.get(table.name, 30))
    shown = replace(table, rows=rows)
    if _narrowest(shown) > console.width:
        shown, shared = _without_shared(shown)
        if shared:
            console.print(Text(f"In all rows: {shared}."))
    names = _names(shown)
    if names and _narrowest(shown) > console.width:
        _print_stacked(console, shown, names)
    else:
        console.print(_grid(shown, console.width))
    if more:
        console.print(Text(f"… {more:,} more in the JSON", style="dim"))
    console.print()


def _names(table: ReportTable) -> int:
    """How many columns of words lead the rows, where numbers follow."""
    kinds = [column.kind for column in table.columns]
    return kinds.index("number") if "number" in kinds else 0


def _without_shared(table: ReportTable) -> tuple[ReportTable, str]:
    """The table without leading columns that say the same in every row, and what they say."""
    places = [
        place
        for place in range(_names(table))
        if len(table.rows) > 1 and len({row[place].text for row in table.rows}) == 1
    ]
    said = [f"{table.columns[place].name} {_short(table.rows[0][place])}" for place in places]
    kept = [place for place in range(len(table.columns)) if place not in places]
    return _only(table, kept), ", ".join(said)


def _print_stacked(console: "Console", table: ReportTable, names: int) -> None:
    """Each row in two lines: its names (all its words, where room is very short), then the rest."""
    from rich.segment import Segments
    from rich.text import Text

    above = list(range(names))
    if _narrowest(_only(table, range(names, len(table.columns)))) > console.width:
        above = [place for place, one in enumerate(table.columns) if one.kind == "text"]
    rest = _only(table, [place for place in range(len(table.columns)) if place not in above])
    if _narrowest(rest) > console.width:
        _print_listed(console, table, names)
        return
    lines = console.render_lines(_grid(rest, console.width, wrap=False), pad=False, new_lines=True)
    head = len(lines) - len(table.rows)
    console.print(" · ".join(table.columns[place].name for place in above))
    for line in lines[:head]:
        console.print(Segments(line), end="")
    between = Text(" · ")
    for row, line in zip(table.rows, lines[head:], strict=True):
        console.print(between.join(_cell(row[place]) for place in above))
        console.print(Segments(line), end="")


def _print_listed(console: "Console", table: ReportTable, names: int) -> None:
    """Each row as its names, then every cell beside its heading, in as many lines as it takes."""
    from rich.text import Text

    indent = "  "
    for row in table.rows:
        console.print(Text(" · ").join(map(_cell, row[:names])))
        told = [
            f"{column.name} {_short(cell)}"
            for column, cell in zip(table.columns[names:], row[names:], strict=True)
            if cell.text
        ]
        lines = [told[0]] if told else []
        for one in told[1:]:
            joined = f"{lines[-1]}, {one}"
            if _widest([joined]) + len(indent) < console.width:
                lines[-1] = joined
            else:
                lines[-1] += ","
                lines.append(one)
        for line in lines:
            console.print(Text(f"{indent}{line}"))


def _only(table: ReportTable, places: Iterable[int]) -> ReportTable:
    """The table with these of its columns."""
    kept = list(places)
    return replace(
        table,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
    )


def _grid(table: ReportTable, width: int, *, wrap: bool = True) -> "Grid":
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    headings = _headings(table)
    tight = _width(table, headings) > width
    padding = (0, 1, 0, 0) if tight else (0, 1)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=padding)
    for place, (heading, column) in enumerate(zip(headings, table.columns, strict=True)):
        number = column.kind == "number"
        grid.add_column(
            Text(heading),
            justify="right" if number else "left",
            no_wrap=number or not wrap,
            overflow="ellipsis" if number or not wrap else "fold",
            min_width=None if number else min(_longest_word(table, place, heading), width // 2),
        )
    for row in table.rows:
        grid.add_row(*map(_cell, row))
    return grid


def _width(table: ReportTable, headings: Sequence[str]) -> int:
    """How wide a table is that has room."""
    cells = [
        max(_widest(heading.split("\n")), _widest(row[place].text for row in table.rows))
        for place, heading in enumerate(headings)
    ]
    return sum(min(cell, NAME_WIDTH) for cell in cells) + GAP * (len(cells) - 1)


def _narrowest(table: ReportTable) -> int:
    """How wide a table is at least whose words and numbers are not broken."""
    headings = _headings(table)
    needed = 0
    for place, column in enumerate(table.columns):
        lines = headings[place].split("\n")
        if column.kind == "number":
            needed += max(_widest(lines), _widest(_short(row[place]) for row in table.rows))
        else:
            needed += _longest_word(table, place, headings[place])
    return needed + TIGHT_GAP * (len(table.columns) - 1)


def _longest_word(table: ReportTable, place: int, heading: str) -> int:
    texts = [heading, *(_short(row[place]) for row in table.rows)]
    return _widest(word for text in texts for word in text.split())


def _widest(texts: Iterable[str]) -> int:
    from rich.cells import cell_len

    return max(map(cell_len, texts), default=0)


def _headings(table: ReportTable) -> list[str]:
    return [
        _heading(column.name, [row[place].text for row in table.rows])
        for place, column in enumerate(table.columns)
    ]


def _heading(name: str, texts: list[str]) -> str:
    """A heading in two lines where it is much wider than what stands below it."""
    if len(name) <= max(map(len, texts), default=0) + 3:
        return name
    breaks = [place for place, letter in enumerate(name) if letter in " -"]
    if not breaks:
        return name
    middle = min(breaks, key=lambda place: (abs(place + 1 - len(name) / 2), -place))
    return f"{name[: middle + 1].rstrip()}\n{name[middle + 1 :]}"


def _short(cell: Cell) -> str:
    return shorten(cell.text, NAME_WIDTH)


def _cell(cell: Cell) -> "Text":
    from rich.text import Text

    return Text(_short(cell), style="bold" if cell.strong else "")
