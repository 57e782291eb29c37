"""A view for the terminal: the verdict first, then the numbers, then how they came about."""

from io import StringIO
from typing import TYPE_CHECKING

from assay.core.formatting import shorten
from assay.report.brief_lines import COLORS, NAME_WIDTH, wrapped
from assay.report.labelled_lines import WIDEST
from assay.report.text_tables import print_table
from assay.report.views import Fact, View, applies

if TYPE_CHECKING:
    from rich.console import Console

MOST_LINES = 40
"""Of a verdict: enough for any, since the whole of it is told here."""


def render_text(view: View, *, width: int | None = None, color: bool = False) -> str:
    """The view as text of that width, without colour unless asked."""
    from rich.console import Console

    console = Console(
        file=StringIO(),
        width=width or WIDEST,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        _environ={},  # the caller decides on width and colour, not COLUMNS or FORCE_COLOR
    )
    _read(console, view)
    _headline(console, view)
    _facts(console, view.facts)
    for table in view.tables:
        if not table.told and table.rows:
            print_table(console, table)
    _notes(console, view)
    _paragraph(console, "How it was decided", view.decided)
    _paragraph(console, "Applies to", applies(view))
    if view.seed is not None:
        _paragraph(console, "Seed", str(view.seed))
    written = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [line.rstrip() for line in written.splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def _read(console: "Console", view: View) -> None:
    """What was read, before anything is said about it."""
    from rich.text import Text

    for fact in view.evidence:
        if fact.label == "recognised":
            console.print(Text(fact.text, style="dim"))
            console.print()


def _headline(console: "Console", view: View) -> None:
    from rich.text import Text

    style = f"bold color({COLORS[view.word] - 30})" if view.word else "bold"
    lines = wrapped(view.headline or view.title, console.width, most=MOST_LINES)
    console.print(Text("\n".join(lines), style=style))
    console.print()


def _facts(console: "Console", facts: tuple[Fact, ...]) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    if not facts:
        return
    grid = Grid.grid(padding=(0, 2))
    words = (word for fact in facts for word in shorten(fact.label, 2 * NAME_WIDTH).split())
    longest = min(max(map(len, words)), NAME_WIDTH, console.width // 3)
    grid.add_column(min_width=longest, max_width=NAME_WIDTH, overflow="fold")
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for fact in facts:
        label = Text(shorten(fact.label, 2 * NAME_WIDTH), style="dim")
        grid.add_row(label, Text(fact.text, style="bold"), Text(fact.detail, style="dim"))
    console.print(grid)
    console.print()


def _notes(console: "Console", view: View) -> None:
    from rich.padding import Padding
    from rich.text import Text

    if not view.notes:
        return
    console.print(Text("Notes", style="bold"))
    for note in view.notes:
        about = f" ({shorten(note.about, 2 * NAME_WIDTH)})" if note.about else ""
        line = Text.assemble((f"{note.level} {note.code}", "yellow"), f": {note.message}{about}")
        console.print(Padding(line, (0, 0, 0, 2)))
    console.print()


def _paragraph(console: "Console", heading: str, text: str) -> None:
    from rich.text import Text

    if text:
        console.print(Text.assemble((f"{heading}: ", "bold"), text))
