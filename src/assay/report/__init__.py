"""Results as text, Markdown, LaTeX, CSV, JSON and one-file HTML, all drawn from one view."""

from assay.core.checks import check_choice
from assay.core.results import Result

FORMATS = ("table", "json", "markdown", "latex", "csv", "html")

__all__ = ["FORMATS", "as_html_fragment", "as_text", "render"]


def render(
    result: Result,
    format: str = "table",  # noqa: A002 (the word of the command line)
    *,
    width: int | None = None,
    color: bool = False,
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
    width, color
        Of the text: columns (100), and whether to colour it (no).
    title
        Instead of the title made from the result.
    command
        The command that reproduces the result, shown by html and markdown.

    Examples
    --------
    >>> import assay
    >>> outcome = assay.mcnemar(50, 10, 4, 36)
    >>> "p-value" in assay.render(outcome)
    True
    """
    chosen = check_choice(format, FORMATS, "format")
    if chosen == "json":
        from assay.core.wire import to_json

        return to_json(result) + "\n"
    from assay.report.views import view

    seen = view(result, title=title, command=command)
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
    from assay.report.figures import draw
    from assay.report.html import render_html

    return render_html(seen, draw(seen.figures, result))


def as_text(result: Result) -> str:
    """The result as ``print`` shows it."""
    return render(result, "table").rstrip("\n")


def as_html_fragment(result: Result) -> str:
    """The result as a notebook shows it: the verdict, its numbers and tables, without figures."""
    from assay.report.html import render_fragment
    from assay.report.views import view

    return render_fragment(view(result))
