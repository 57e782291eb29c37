"""Pages and their JSON twins: one set of facts, shown to people or to programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from assay._version import __version__
from assay.core.formatting import write_rounded
from assay.report.html import SYMBOLS, TONES, whole
from assay.report.tables import ReportTable
from assay.web import page_tables
from assay.web.address_words import strangers
from assay.web.jobs import Job, Jobs
from assay.web.security import Session
from assay.web.study_folder import FILE, STORE, StudyFolder
from assay.web.uploads import Desk

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from assay.web.study_processes import StudyProcesses

HERE = Path(__file__).parent
TABLES = {"csv": "text/csv", "tex": "application/x-tex"}
WORKING = 202
"""The status of a page that waits for its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlace:
    """What every page needs to know about the server it belongs to."""

    session: Session
    desk: Desk
    jobs: Jobs
    runs: "StudyProcesses"
    studies: StudyFolder
    stores: dict[str, str] = field(default_factory=dict)
    """Stores by key: of the command line, of studies started here, and those that were dropped here."""

    def adopt(self, folder: Path) -> str:
        """Take a folder of a study that was started here for a store to follow; its key."""
        store = str(folder / STORE)
        self.stores[folder.name] = store
        self.runs.specs[store] = folder / FILE
        return folder.name


class Waiting(Exception):
    """What a page shows is still being worked out."""

    def __init__(self, job: Job) -> None:
        self.job = job


class NoPage(Exception):
    """Why there is no such page: status, title and message."""

    def __init__(self, status: int, title: str, message: str) -> None:
        self.said = status, title, message


def answer_of(job: Job) -> dict[str, Any]:
    """What a job found; the page waits where it has not yet."""
    if job.answer is None:
        raise Waiting(job)
    return job.answer


def file_of(job: Job, title: str) -> dict[str, Any]:
    """What a job found, where an error is a page of its own."""
    found = answer_of(job)
    if "error" in found:
        raise NoPage(status_of(found), title, found["error"]["message"])
    return found


def place_of(request: Request) -> ServerPlace:
    place: ServerPlace = request.app.state.place
    return place


def wants_json(request: Request) -> bool:
    accept = request.headers.get("accept", "")
    asked = "application/json" in accept and "text/html" not in accept
    ending = str(request.scope["path"]).rpartition(".")[2]
    return ending == "json" or (asked and ending not in TABLES)


def show(
    request: Request,
    template: str,
    data: dict[str, Any],
    *,
    status: int = 200,
    tables: Mapping[str, ReportTable] = MappingProxyType({}),
    **only_page: Any,
) -> Response:
    """A page from a template, or its facts as JSON, or one of its tables as a file.

    ``only_page`` is for the page alone.
    """
    if wants_json(request):
        return as_json(data, status=status)
    path = str(request.scope["path"])
    form = path.rpartition(".")[2]
    if form in TABLES and template not in ("problem", "working"):
        wanted = tables.get(request.query_params.get("table", ""))
        if wanted is None:
            return problem(request, 404, "No such table", "This page has no such table.")
        return as_file(
            page_tables.as_file(wanted, form, title="assay"), TABLES[form], f"{wanted.name}.{form}"
        )
    text = (
        _environment()
        .get_template(f"{template}.html.j2")
        .render(
            **{"error": None, **data, **only_page},
            tables=tables,
            taking=_taking(request),
            csrf=place_of(request).session.csrf,
            path=request.scope["path"],
            strangers=strangers(request.query_params.multi_items()),
            json_address=_twin(request),
        )
    )
    return HTMLResponse(text, status)


def as_file(content: str | bytes, media: str, name: str, *, inline: bool = False) -> Response:
    """A file to keep: it stands alone, and nothing in it may load or run."""
    how = "inline" if inline else "attachment"
    return Response(
        content,
        media_type=media,
        headers={
            "content-disposition": f'{how}; filename="assay-{name}"',
            "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        },
    )


def _taking(request: Request) -> Callable[[str, str], str]:
    """The address of a table of this page as a file."""
    path, query = request.scope["path"], request.scope["query_string"].decode("latin-1")

    def address(name: str, form: str) -> str:
        asked = f"{query}&" if query else ""
        return f"{path}.{form}?{asked}table={quote(name)}"

    return address


def as_json(data: Any, *, status: int = 200) -> Response:
    text = msgspec.json.format(msgspec.json.encode(data), indent=2)
    return Response(text, status, media_type="application/json")


def working(request: Request, job: Job) -> Response:
    """The page that waits for a job and can stop it."""
    data = {"working": {"job": job.key, "state": job.state, "seconds": round(job.seconds, 1)}}
    response = show(request, "working", data, status=WORKING, job=job)
    response.headers["retry-after"] = "1"
    return response


def problem(request: Request, status: int, title: str, message: str) -> Response:
    """A page that says why there is no other."""
    data = {"error": {"kind": str(status), "message": message, "field": None}}
    return show(request, "problem", data, status=status, title=title)


STATUS = {"defect": 500, "limit": 503, "stopped": 409}
"""The status of an answer that is an error; what is wrong with data or options is 422."""


def status_of(answer: dict[str, Any]) -> int:
    found = answer.get("error")
    return 200 if found is None else STATUS.get(found["kind"], 422)


def _significant(value: float, digits: int = 4) -> str:
    return write_rounded(value, digits)


def _twin(request: Request) -> str:
    path = request.scope["path"].rstrip("/") or "/index"
    query = request.scope["query_string"].decode("latin-1")
    return f"{path}.json?{query}" if query else f"{path}.json"


@cache
def version_of(name: str) -> str:
    """Changes with the file, so that browsers may keep it."""
    return sha256((HERE / "static" / name).read_bytes()).hexdigest()[:10]


def asset(name: str) -> str:
    return f"/static/{name}?v={version_of(name)}"


@cache
def _environment() -> "Environment":
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("assay.web"), PrefixLoader({"report": PackageLoader("assay.report")})]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(whole=whole, coded=coded, significant=_significant)
    environment.globals.update(
        asset=asset, version=__version__, symbols=SYMBOLS, tones=TONES, encoded=encoded
    )
    return environment


def coded(text: str) -> "Markup":
    """A message whose commands stand in backticks, as they are typed."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    said = (
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )
    return Markup().join(said)


def warm() -> None:
    """Compile every template, so that no visitor waits for it."""
    environment = _environment()
    for name in environment.list_templates(["j2"]):
        environment.get_template(name)


def encoded(data: Any) -> str:
    """Data for an attribute of the page, which the template escapes."""
    return msgspec.json.encode(data).decode()


@cache
def docs_text(name: str) -> str:
    """A page of the documentation: inside the package when installed, beside it in a checkout."""
    inside = files("assay").joinpath("docs", *name.split("/"))
    if inside.is_file():
        return inside.read_text(encoding="utf-8")
    beside = HERE.parents[2] / "docs" / name
    return beside.read_text(encoding="utf-8") if beside.is_file() else ""


@cache
def docs_section(name: str, heading: str) -> str:
    """The text under one heading of a page of the documentation, as it is written there."""
    for part in f"\n{docs_text(name)}".split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        if title.strip().strip("`") == heading:
            return body.strip()
    return ""
