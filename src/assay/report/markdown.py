"""A view as Markdown that GitHub shows as meant: nothing in a name becomes markup."""

import re
from collections.abc import Iterable, Iterator

from assay.report.escapes import for_markdown, paragraph_for_markdown
from assay.report.tables import Cell, ReportTable
from assay.report.views import View, applies

MOST_ROWS = 50


def render_markdown(view: View) -> str:
    """Headline, numbers, tables, notes, methods and how to repeat it."""
    blocks = [f"# {for_markdown(view.title)}"]
    if view.headline:
        blocks.append(f"**{for_markdown(view.headline)}**")
    if view.facts:
        blocks.append("\n".join(_facts(view)))
    blocks += [_table(table) for table in view.tables if table.rows and not table.told]
    if view.notes:
        blocks.append("## Notes\n\n" + "\n".join(_notes(view)))
    sections = {
        "How it was decided": view.decided,
        "Applies to": applies(view),
        "Methods": view.methods,
    }
    blocks += [
        f"## {name}\n\n{paragraph_for_markdown(text)}" for name, text in sections.items() if text
    ]
    if view.references:
        numbered = enumerate(view.references, start=1)
        works = "\n".join(f"{place}. {for_markdown(work)}" for place, work in numbered)
        blocks.append(f"## References\n\n{works}")
    if view.command:
        blocks.append(f"## Reproduce\n\n{_code(view.command)}")
    return "\n\n".join(blocks) + "\n"


def _facts(view: View) -> Iterator[str]:
    for fact in view.facts:
        detail = f" ({for_markdown(fact.detail)})" if fact.detail else ""
        yield f"- {for_markdown(fact.label)}: **{for_markdown(fact.text)}**{detail}"


def _notes(view: View) -> Iterator[str]:
    for note in view.notes:
        about = f" ({for_markdown(note.about)})" if note.about else ""
        yield f"- {note.level} **{for_markdown(note.code)}**: {for_markdown(note.message)}{about}"


def _table(table: ReportTable) -> str:
    rows, more = table.first(MOST_ROWS)
    rules = ["---:" if column.kind == "number" else "---" for column in table.columns]
    lines = [
        paragraph_for_markdown(table.caption),
        "",
        _line(for_markdown(column.name) for column in table.columns),
        _line(rules),
        *(_line(map(_cell, row)) for row in rows),
    ]
    if more:
        lines += ["", f"… {more:,} more in the JSON"]
    return "\n".join(lines)


def _cell(cell: Cell) -> str:
    text = for_markdown(cell.text)
    return f"**{text}**" if cell.strong and text else text


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """A fenced block whose fence is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
