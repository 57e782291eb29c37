"""Results as text, Markdown, LaTeX, CSV, JSON and one-file HTML, all drawn from one view."""

from typing import TYPE_CHECKING, Any

from assay.core.checks import check_choice, check_count, many_names
from assay.core.results import Result
from assay.report.labelled_lines import WIDEST

if TYPE_CHECKING:
    from pathlib import Path

    from assay.report.views import View

FORMATS = ("table", "json", "markdown", "latex", "csv", "html")

__all__ = [
    "FORMATS", "as_frame", "as_html_fragment", "as_latex", "as_markdown", "as_page", "as_reading",
    "as_text", "plot",
    "render", "save",
]  # fmt: skip


@many_names
def render(
    result: Result,
    format: str = "table",  # noqa: A002 (the word of the command line)
    *,
    details: bool = False,
    width: int | None = None,
    color: bool = False,
    unicode: bool = True,
    typed: str = "python",
    title: str | None = None,
    command: str | None = None,
) -> str:
    """A result in one of the formats table, json, markdown, latex, csv or html.

    Parameters
    ----------
    result
        An evaluation, comparison, test, estimate, family, posterior or curve.
    format
        "table" is text for the terminal; "html" one self-contained page.
    details
        Of the text: everything, not only the answer. The other formats always hold everything.
    width, color, unicode
        Of the text: columns (100), whether to colour it (no), and whether it may hold more than
        ASCII (yes).
    typed
        Whether options are named as arguments of "python" or as they are typed, "cli".
    title
        Instead of the title made from the result.
    command
        The command that reproduces the result, shown by html and markdown.

    Examples
    --------
    >>> import assay
    >>> outcome = assay.mcnemar(50, 10, 4, 36)
    >>> "not significantly different" in assay.render(outcome)
    True
    """
    chosen = check_choice(format, FORMATS, "format")
    if chosen == "json":
        from assay.core.wire import to_json

        return to_json(result) + "\n"
    if chosen == "table" and not details:
        from assay.report.brief import brief_of
        from assay.report.brief_lines import as_lines

        columns = WIDEST if width is None else check_count(width, "width", at_least=1)
        brief = brief_of(result, typed=typed)
        if brief is not None:
            return as_lines(brief, width=columns, color=color, unicode=unicode)
    from assay.report.views import view

    seen = view(result, title=title, command=command, typed=typed)
    return _whole(result, seen, chosen, width=width, color=color)


def _whole(result: Result, seen: "View", chosen: str, *, width: int | None, color: bool) -> str:
    """Everything there is to say, in one of the formats."""
    if chosen == "table":
        from assay.report.text import render_text

        return render_text(seen, width=width, color=color)
    if chosen == "markdown":
        from assay.report.markdown import render_markdown

        return render_markdown(seen)
    if chosen == "latex":
        from assay.report.latex import render_latex

        return render_latex(seen)
    if chosen == "csv":
        from assay.report.csv import render_csv

        return render_csv(seen)
    from assay.core.wire import to_json
    from assay.report.csv import render_csv
    from assay.report.figures import draw
    from assay.report.html import render_html

    files = {"csv": render_csv(seen), "json": to_json(result) + "\n"}
    return render_html(seen, draw(seen.figures, result), files)


def as_text(result: Result, *, details: bool = False, width: int | None = None) -> str:
    """The result as ``print`` shows it, or with ``details`` everything."""
    return render(result, "table", details=details, width=width).rstrip("\n")


def as_reading(reading: Any, form: str, backend: str | None = None) -> Any:
    """What `assay.look` understood: as text, as JSON, or its columns as a frame."""
    from assay.report.reading_view import reading_json, reading_text

    if form == "text":
        return reading_text(reading, reading.sources).rstrip("\n")
    if form == "json":
        return reading_json(reading)
    import json

    from assay.report.result_frames import made

    rows = json.loads(reading_json(reading))["columns"]
    names = ("name", "role", "why", "low", "high", "distinct", "missing")
    return made({name: [row[name] for row in rows] for name in names}, backend)


def as_line(result: Result) -> str:
    """The answer in one line, as an interpreter shows a result that is not printed."""
    from assay.report.brief import brief_of

    found = brief_of(result)
    said = "" if found is None else found.answer or found.read
    return " ".join((said or as_text(result).partition("\n")[0]).split())


def as_html_fragment(result: Result) -> str:
    """The result as a notebook shows it: the answer, and a fold with everything but the figures."""
    from assay.report.html import render_fragment
    from assay.report.views import view

    return render_fragment(view(result, typed="python"))


def as_markdown(result: Result) -> str:
    return render(result, "markdown")


def as_latex(result: Result) -> str:
    return render(result, "latex")


def as_page(result: Result) -> str:
    return render(result, "html")


def as_frame(result: Result, backend: str | None = None) -> Any:
    """The numbers of a result as a data frame."""
    from assay.report.result_frames import frame_of

    return frame_of(result, backend)


def plot(result: Result, *, kind: str | None = None, ax: Any = None) -> Any:
    """The main figure of a result, or the one of that kind."""
    from assay.plots import main_figure

    return main_figure(result, kind=kind, ax=ax)


def save(result: Result, path: "str | Path") -> "Path":
    """Write a result in the format of the file's suffix; figures as .png, .svg and .pdf."""
    from assay.report.result_files import save as write

    return write(result, path)
