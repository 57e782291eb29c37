"""A view for the terminal: the verdict first, then the numbers, then how they came about."""

from io import StringIO
from typing import TYPE_CHECKING

from assay.core.writing import shorten
from assay.report.tables import Cell, Table
from assay.report.views import Fact, View

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

WIDTH = 100
NAME_WIDTH = 44
MOST_ROWS = {
    "differences": 20,
    "estimates": 40,
    "also": 12,
    "families": 12,
    "curve": 20,
    "simulation": 60,
}
COLORS = {
    "better": "blue",
    "worse": "red",
    "equivalent": "green",
    "undecided": "yellow",
    "passed": "green",
    "failed": "red",
}


def render_text(view: View, *, width: int | None = None, color: bool = False) -> str:
    """The view as text of that width, without colour unless asked."""
    from rich.console import Console

    console = Console(
        file=StringIO(),
        width=width or WIDTH,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},  # the caller decides on width and colour, not COLUMNS or FORCE_COLOR
    )
    _headline(console, view)
    _facts(console, view.facts)
    for table in view.tables:
        if not table.told and table.rows:
            _table(console, table)
    _notes(console, view)
    _paragraph(console, "How decided", view.decided)
    _paragraph(console, "What this does not say", view.does_not_say)
    if view.seed is not None:
        _paragraph(console, "Seed", str(view.seed))
    written = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [line.rstrip() for line in written.splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def _headline(console: "Console", view: View) -> None:
    from rich.text import Text

    style = f"bold {COLORS[view.word]}" if view.word else "bold"
    console.print(Text(view.headline or view.title, style=style))
    console.print()


def _facts(console: "Console", facts: tuple[Fact, ...]) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    if not facts:
        return
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(max_width=NAME_WIDTH, overflow="fold")
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for fact in facts:
        label = Text(shorten(fact.label, 2 * NAME_WIDTH), style="dim")
        grid.add_row(label, Text(fact.text, style="bold"), Text(fact.detail, style="dim"))
    console.print(grid)
    console.print()


def _table(console: "Console", table: Table) -> None:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    console.print(Text(table.caption, style="bold"))
    headings = [
        _heading(column.name, [row[place].text for row in table.rows])
        for place, column in enumerate(table.columns)
    ]
    tight = _width(table, headings) > console.width
    padding = (0, 1, 0, 0) if tight else (0, 1)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=padding)
    for heading, column in zip(headings, table.columns, strict=True):
        grid.add_column(
            Text(heading),
            justify="right" if column.kind == "number" else "left",
            no_wrap=column.kind == "number",
            overflow="ellipsis" if column.kind == "number" else "fold",
        )
    rows, more = table.first(MOST_ROWS.get(table.name, 30))
    for row in rows:
        grid.add_row(*(_cell(cell) for cell in row))
    console.print(grid)
    if more:
        console.print(Text(f"… {more:,} more, see --format json", style="dim"))
    console.print()


def _width(table: Table, headings: list[str]) -> int:
    """How wide a table is with three blanks between its columns."""
    cells = [
        max([*map(len, heading.split("\n")), *(len(row[place].text) for row in table.rows)])
        for place, heading in enumerate(headings)
    ]
    return sum(min(cell, NAME_WIDTH) for cell in cells) + 3 * (len(cells) - 1)


def _heading(name: str, texts: list[str]) -> str:
    """A heading in two lines where it is much wider than what stands below it."""
    if len(name) <= max(map(len, texts), default=0) + 3:
        return name
    breaks = [place for place, letter in enumerate(name) if letter in " -"]
    if not breaks:
        return name
    middle = min(breaks, key=lambda place: (abs(place + 1 - len(name) / 2), -place))
    return f"{name[: middle + 1].rstrip()}\n{name[middle + 1 :]}"


def _cell(cell: Cell) -> "Text":
    from rich.text import Text

    return Text(shorten(cell.text, NAME_WIDTH), style="bold" if cell.strong else "")


def _notes(console: "Console", view: View) -> None:
    from rich.padding import Padding
    from rich.text import Text

    if not view.notes:
        return
    console.print(Text("Notes", style="bold"))
    for note in view.notes:
        about = f" ({shorten(note.about, 2 * NAME_WIDTH)})" if note.about else ""
        line = Text.assemble((note.code, "yellow"), f": {note.message}{about}")
        console.print(Padding(line, (0, 0, 0, 2)))
    console.print()


def _paragraph(console: "Console", heading: str, text: str) -> None:
    from rich.text import Text

    if text:
        console.print(Text.assemble((f"{heading}: ", "bold"), text))
