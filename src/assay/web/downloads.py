"""Everything shown can be taken away: figures, tables and the whole report."""

import base64
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from assay.core import wire
from assay.report.views import view
from assay.web import page_tables
from assay.web.page_state import FLAGS, READING, PageRequest
from assay.web.rendering import TABLES, NoPage, as_file, file_of, problem, status_of
from assay.web.start_pages import answer_job, found, one_table

FIGURES = {"svg": "image/svg+xml", "png": "image/png"}
REPORTS = {
    "html": ("html", "text/html"),
    "json": ("json", "application/json"),
    "md": ("markdown", "text/markdown"),
    "tex": ("latex", "application/x-tex"),
    "csv": ("csv", "text/csv"),
    "txt": ("table", "text/plain"),
}


async def figure(request: Request) -> Response:
    """One figure of the answer as SVG or PNG."""
    place, *_ = found(request)
    form = request.path_params["form"]
    if form not in FIGURES:
        return problem(request, 404, "Not found", "Figures are SVG or PNG.")
    got = await _answered(request)
    name = request.query_params.get("name", "")[:200]
    narrow = request.query_params.get("narrow") == "1"
    job = await place.jobs.answer("figure", result=got, wanted=name, form=form, narrow=narrow)
    content = base64.b64decode(file_of(job, "No figure")["base64"])
    inline = request.query_params.get("show") == "1"
    return as_file(content, FIGURES[form], f"figure.{form}", inline=inline)


async def table(request: Request) -> Response:
    """One table as CSV with all digits, or as LaTeX."""
    form = request.path_params["form"]
    got = await _answered(request)
    seen = view(wire.from_builtins(got))
    wanted = one_table(seen, request.query_params.get("name", ""))
    if form not in TABLES or wanted is None:
        return problem(request, 404, "Not found", "There is no such table.")
    text = page_tables.as_file(wanted, form, title=seen.title)
    return as_file(text, TABLES[form], f"{wanted.name}.{form}")


async def report(request: Request) -> Response:
    """The whole report, as the command line writes it."""
    place, held, asked = found(request)
    form = request.path_params["form"]
    if form not in REPORTS:
        return problem(request, 404, "Not found", f"Reports are {', '.join(REPORTS)}.")
    kind, media = REPORTS[form]
    job = await place.jobs.answer(
        "document",
        source=held.source(),
        reading=asked.reading(),
        asking=asked.asking(),
        form=kind,
        command=command_line(held.names, asked),
    )
    return as_file(file_of(job, "No report")["text"], media, f"report.{form}")


def command_line(names: tuple[str, ...], asked: PageRequest) -> str:
    """The command that gives the same answer."""
    import shlex

    words = ["assay", "compare", *(names or ("SCORES",))]
    for name in (*READING, "missing"):
        words += _option(name, asked.get(name))
    for name, listed in asked.lists.items():
        if name == "where":
            words += [word for one in listed for word in ("--where", one)]
        else:
            words += [f"--{name}", ",".join(listed)]
    for name in ("measure", "baseline", "against", "margin", "level", "resamples"):
        if asked.get(name):
            words += [f"--{name}", asked.get(name)]
    return shlex.join([*words, "--seed", str(asked.seed)])


def _option(name: str, said: str) -> list[str]:
    """A field of the page as an option of the command line."""
    if not said:
        return []
    if name == "lower_is_better":
        return ["--lower-is-better" if said == "yes" else "--higher-is-better"]
    if name == "paired":
        return ["--unpaired"] if said == "no" else []
    option = f"--{name.replace('_', '-')}"
    return [option] if name in FLAGS else [option, said]


async def _answered(request: Request) -> Any:
    """The result behind the page."""
    got = file_of(await answer_job(*found(request)), "No answer")
    if got["result"] is None:
        raise NoPage(status_of(got), "No answer", "There is no answer.")
    return got["result"]
