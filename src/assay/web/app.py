"""The page as one application: routes, and what every route goes through."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from assay.web import (
    board_pages,
    downloads,
    explore_pages,
    job_pages,
    judge_pages,
    learn_pages,
    new_study_pages,
    simulate_pages,
    start_pages,
    study_pages,
)
from assay.web.jobs import Busy, Jobs
from assay.web.rendering import (
    HERE,
    TABLES,
    NoPage,
    ServerPlace,
    Waiting,
    place_of,
    problem,
    warm,
    working,
)
from assay.web.security import Refused, RequestGuard, Session, TooLarge, read_form
from assay.web.study_folder import StudyFolder
from assay.web.study_processes import StudyProcesses
from assay.web.uploads import Desk

Handler = Callable[[Request], Awaitable[Response]]
Taker = Callable[[Request, FormData], Awaitable[Response]]


def create_app(
    session: Session,
    *,
    desk: Desk | None = None,
    store: str | None = None,
    spec: Path | None = None,
    studies: Path | None = None,
    slots: int = 2,
) -> ASGIApp:
    """The page for one session; ``store`` is where studies are kept, ``spec`` the file to resume.

    Studies that are started here live in ``studies``; without it they go when the page closes.
    """
    desk = Desk() if desk is None else desk
    place = ServerPlace(
        session=session,
        desk=desk,
        jobs=Jobs(slots=slots),
        runs=StudyProcesses({} if store is None or spec is None else {store: spec}),
        studies=StudyFolder(studies or desk.root / "studies"),
        stores={} if store is None else {"main": store},
    )
    for folder in place.studies.known().values():
        place.adopt(folder)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        place.jobs.warm()
        threading.Thread(target=warm, daemon=True).start()
        yield
        place.runs.close()
        place.jobs.close()
        place.desk.close()

    app = Starlette(
        routes=_routes(),
        lifespan=lifespan,
        exception_handlers={
            HTTPException: _not_found,
            Refused: _refused,
            TooLarge: _too_large,
            Busy: _busy,
            Waiting: _working,
            NoPage: _no_page,
        },
    )
    app.state.place = place
    return RequestGuard(app, session)


def _routes() -> list[BaseRoute]:
    return [
        *_page("/", start_pages.start, twin="/index.json"),
        _post("/drop", start_pages.drop),
        _whole("/e/{key}/figure.{form}", downloads.figure),
        _whole("/e/{key}/table.{form}", downloads.table),
        _whole("/e/{key}/report.{form}", downloads.report),
        *_page("/e/{key}", start_pages.answer),
        *_page("/e/{key}/measures", start_pages.measures),
        *_page("/e/{key}/corrected", start_pages.corrected),
        *_page("/e/{key}/curves", explore_pages.curves),
        *_page("/e/{key}/differences", explore_pages.differences),
        *_page("/e/{key}/board", board_pages.board),
        *_page("/e/{key}/judge", judge_pages.judge),
        *_page("/jobs/{job}", job_pages.status),
        _post("/jobs/{job}/stop", job_pages.stop),
        *_page("/studies", new_study_pages.studies),
        *_page("/studies/new", new_study_pages.form),
        _post("/studies/new", new_study_pages.take),
        *_page("/stores/{store}", study_pages.store),
        _whole("/stores/{store}/{study:int}/report.{form}", study_pages.report),
        *_page("/stores/{store}/{study:int}", study_pages.study),
        *_page("/stores/{store}/{study:int}/failures", study_pages.failures),
        *_page("/stores/{store}/{study:int}/verdict", study_pages.verdict),
        *_page("/stores/{store}/{study:int}/curves", study_pages.curves),
        _whole("/stores/{store}/{study:int}/events", study_pages.events),
        _post("/stores/{store}/{study:int}/compare", study_pages.compare),
        _post("/stores/{store}/{study:int}/resume", study_pages.resume),
        _post("/stores/{store}/{study:int}/stop", study_pages.stop),
        *_page("/learn", learn_pages.contents),
        *_page("/learn/choose", learn_pages.choose),
        *_page("/learn/power", learn_pages.power),
        *_page("/learn/level", simulate_pages.level),
        *_page("/learn/coverage", simulate_pages.coverage),
        *_page("/learn/methods", learn_pages.methods),
        *_page("/learn/methods/{method}", learn_pages.method),
        Mount("/static", app=KeptFiles(directory=HERE / "static")),
    ]


class KeptFiles(StaticFiles):
    """Our own files, which browsers may keep: their addresses change when they do."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "private, max-age=86400"
        if path.endswith(".js.gz"):  # carried packed; every browser unpacks it
            response.headers["content-encoding"] = "gzip"
            response.headers["content-type"] = "text/javascript; charset=utf-8"
        return response


def _page(path: str, handler: Handler, *, twin: str | None = None) -> list[BaseRoute]:
    """A page, its JSON twin and its tables; the page last, or it takes their names for keys."""
    files = [_whole(f"{path}.{form}", handler) for form in TABLES] if path != "/" else []
    return [Route(twin or f"{path}.json", handler), *files, Route(path, handler)]


def _whole(path: str, handler: Handler) -> Route:
    """What is kept or listened to comes when it is done: a page that asks to wait is no file."""

    async def done(request: Request) -> Response:
        return await _done(lambda: handler(request))

    return Route(path, done)


async def _done(ask: Callable[[], Awaitable[Response]]) -> Response:
    """Ask until there is an answer; jobs end by themselves, and asking again joins the same job."""
    while True:
        try:
            return await ask()
        except Waiting:
            await asyncio.sleep(0.1)


def _post(path: str, handler: Taker) -> Route:
    """A change: its form is bounded, and carries our token, before the handler sees it."""

    async def taken(request: Request) -> Response:
        form = await read_form(request, place_of(request).session)
        try:
            return await _done(lambda: handler(request, form))
        finally:
            await form.close()

    return Route(path, taken, methods=["POST"])


async def _not_found(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = {404: "There is no such page.", 405: "That is not how this page is used."}
    detail = str(getattr(error, "detail", "")) or "That cannot be done."
    return problem(request, status, "Not found", words.get(status, detail))


async def _refused(request: Request, _: Exception) -> Response:
    return problem(
        request,
        403,
        "Refused",
        "The form did not come from this page. Open the page anew and try again.",
    )


async def _too_large(request: Request, _: Exception) -> Response:
    from assay.web.limits import MAX_UPLOAD

    message = (
        f"At most {MAX_UPLOAD // 2**20} MB can be sent to the page. The command line reads files of any "
        "size: assay compare FILE."
    )
    return problem(request, 413, "Too large", message)


async def _working(request: Request, error: Exception) -> Response:
    if not isinstance(error, Waiting):
        raise error
    return working(request, error.job)


async def _no_page(request: Request, error: Exception) -> Response:
    if not isinstance(error, NoPage):
        raise error
    return problem(request, *error.said)


async def _busy(request: Request, _: Exception) -> Response:
    response = problem(
        request, 503, "Busy", "Too much is being worked out already; try again soon."
    )
    response.headers["retry-after"] = "5"
    return response
