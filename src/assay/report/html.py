"""A view as one self-contained page, and as a fragment for notebooks: no script, no network."""

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from assay.report.brief_lines import NUMBER, UNBROKEN
from assay.report.figures import standing
from assay.report.views import View, applies

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

MOST_ROWS = 200
MOST_EMBEDDED = 200_000
"""Bytes of a file that the page carries to be saved; longer ones are compressed, or left out if that is not enough."""
TALLEST = 12
"""Rows of a figure under a headline; a taller one stands below the words."""
SAVED = {
    "csv": ("Tables (CSV)", "text/csv;charset=utf-8"),
    "json": ("Everything (JSON)", "application/json"),
}
"""What each file is called in the page, and its type."""
SYMBOLS = {
    "better": "▲",
    "worse": "▼",
    "higher": "△",
    "lower": "▽",
    "equivalent": "=",
    "undecided": "?",
    "passed": "✓",
    "failed": "✗",
}
"""A sign beside each verdict, so that colour never speaks alone."""


TONES = {"higher": "undecided", "lower": "undecided", "passed": "equivalent", "failed": "worse"}
"""Words of a gate that look like those of a verdict."""


def render_html(
    view: View, drawings: Mapping[str, str], files: Mapping[str, str] | None = None
) -> str:
    """The whole report; ``drawings`` holds the SVG element of each figure by its name.

    ``files`` are texts to save from the page, by their ending; what is long stays out of it.
    """
    return _page("report", view, drawings, files or {})


def render_fragment(view: View) -> str:
    """Verdict, numbers and tables, to stand in a notebook; it brings its own small style."""
    return _page("fragment", view, {}, {})


def _policy(style: str) -> str:
    """Nothing may load or run; the one style sheet is known by its hash."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _downloads(files: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Links that hold what they save: words, the name of the file and its address; what is long is compressed."""
    found = []
    for ending, text in files.items():
        data, name = text.encode(), f"report.{ending}"
        words, kind = SAVED[ending]
        if len(data) > MOST_EMBEDDED:
            data, name = gzip.compress(data, mtime=0), f"{name}.gz"
            words, kind = f"{words.removesuffix(')')}, compressed)", "application/gzip"
        if len(data) <= MOST_EMBEDDED:
            packed = base64.b64encode(data).decode()
            found.append((words, name, f"data:{kind};base64,{packed}"))
    return found


def _page(name: str, view: View, drawings: Mapping[str, str], files: Mapping[str, str]) -> str:
    from markupsafe import Markup

    style = _style(f"{name}.css")
    template = _environment().get_template(f"{name}.html.j2")
    return template.render(
        view=view,
        policy=_policy(style),
        style=Markup(style),  # noqa: S704 (our own file)
        drawings={name: Markup(element) for name, element in drawings.items()},  # noqa: S704
        symbol=SYMBOLS.get(view.word or "", ""),
        applies=applies(view),
        downloads=_downloads(files),
        tone=TONES.get(view.word or "", view.word),
        standing=standing,
        most_rows=MOST_ROWS,
        tallest=TALLEST,
    )


_WHOLE = re.compile(
    rf"(?<![\w-])--[a-z][a-z-]*|\(?\d+% CI [\[(]{NUMBER}, {NUMBER}[\])]|{UNBROKEN.pattern}"
)


def whole(text: str) -> "Markup":
    """A text in which options, intervals and p-values are not broken at the end of a line, if there is room."""
    from markupsafe import Markup, escape

    told, end = Markup(), 0
    for found in _WHOLE.finditer(text):
        told += escape(text[end : found.start()]) + Markup('<span class="whole">{}</span>').format(
            found[0]
        )
        end = found.end()
    return told + escape(text[end:])


def _style(name: str) -> str:
    return files("assay.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("assay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["whole"] = whole
    return environment
