"""Studies in a store: how far they are, what failed, what came out, and going on with them."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from assay.report.tables import Table
from assay.web.fields import parse
from assay.web.grids import grid
from assay.web.jobs import Job
from assay.web.limits import MAX_TEXT
from assay.web.show import Place, as_file, place_of, problem, show, status_of, working

REPORTS = {
    "html": ("html", "text/html"),
    "json": ("json", "application/json"),
    "md": ("markdown", "text/markdown"),
}
TICK = 1.0
"""Seconds between two looks at a store that may be growing."""
LONGEST = 3600.0
"""Seconds that one stream of events lasts; browsers ask again by themselves."""
OVER = b"event: over\ndata: {}\n\n"


def _store(request: Request) -> tuple[Place, str, str | None]:
    place = place_of(request)
    key = request.path_params["store"]
    return place, key, place.stores.get(key)


def _no_store(request: Request) -> Response:
    return problem(
        request,
        404,
        "No such store",
        "Start the page with one, assay serve study.db, or drop a store on the first page.",
    )


async def store(request: Request) -> Response:
    """The studies of a store."""
    place, key, location = _store(request)
    if location is None:
        return _no_store(request)
    job = await place.jobs.answer("listing", store=location, fresh=TICK)
    if job.answer is None:
        return working(request, job)
    return show(
        request, "store", {"studies": [], **job.answer}, status=status_of(job.answer), key=key
    )


async def _named(request: Request, place: Place, location: str) -> str | Response:
    """The name of the study that the address numbers: names of studies never stand in addresses."""
    listed: Job = await place.jobs.answer("listing", store=location, fresh=TICK)
    if listed.answer is None:
        return working(request, listed)
    if "error" in listed.answer:
        return problem(request, 422, "Not a store", listed.answer["error"]["message"])
    names = [one["name"] for one in listed.answer["studies"]]
    number = request.path_params["study"]
    if not 0 <= number < len(names):
        return problem(request, 404, "No such study", "The store has no study of this number.")
    return str(names[number])


async def study(request: Request) -> Response:
    """One study: progress, mean scores, and what can be done with them."""
    place, key, location = _store(request)
    if location is None:
        return _no_store(request)
    name = await _named(request, place, location)
    if isinstance(name, Response):
        return name
    asked = parse(request.query_params.multi_items())
    running = place.runs.alive(location)  # before looking: what a run did last is then seen
    job = await place.jobs.answer(
        "overview",
        store=location,
        study=name,
        measure=asked.get("measure") or None,
        fresh=TICK,
        after=place.runs.ended(location),
    )
    if job.answer is None:
        return working(request, job)
    return show(
        request,
        "study",
        {"study": None, "table": None, **job.answer, "running": running},
        status=status_of(job.answer),
        base=f"/stores/{key}/{request.path_params['study']}",
        tables=_scores(job.answer.get("table")),
        can_resume=key == "main" and place.runs.spec is not None,
        words=place.runs.last_words(location),
    )


def _scores(found: dict[str, Any] | None) -> dict[str, Table]:
    if found is None:
        return {}
    caption = f"Mean {found['measure']} over the splits; empty where a split has no score."
    rows = [[name, *values] for name, values in zip(found["names"], found["values"], strict=True)]
    return {"scores": grid("scores", caption, ["data set", *found["models"]], rows)}


async def failures(request: Request) -> Response:
    """Tasks that gave no scores, with their tracebacks."""
    place, key, location = _store(request)
    if location is None:
        return _no_store(request)
    name = await _named(request, place, location)
    if isinstance(name, Response):
        return name
    job = await place.jobs.answer("failures", store=location, study=name, fresh=TICK)
    if job.answer is None:
        return working(request, job)
    return show(
        request,
        "failures",
        {"name": name, "total": 0, "groups": [], **job.answer},
        status=status_of(job.answer),
        base=f"/stores/{key}/{request.path_params['study']}",
    )


async def curves(request: Request) -> Response:
    """Learning and noise curves, learners toggled in the legend."""
    place, key, location = _store(request)
    if location is None:
        return _no_store(request)
    name = await _named(request, place, location)
    if isinstance(name, Response):
        return name
    facts = await place.jobs.answer("progress", store=location, study=name, fresh=TICK)
    if facts.answer is None:
        return working(request, facts)
    query = request.query_params
    asked = parse(query.multi_items())
    known = facts.answer.get("curves", [])
    kind = query.get("kind") if query.get("kind") in known else (known[0] if known else "learning")
    job = await place.jobs.answer(
        "study_curves",
        store=location,
        study=name,
        kind=kind,
        measure=asked.get("measure") or None,
        dataset=(query.get("dataset") or "")[:MAX_TEXT] or facts.answer["datasets"][0],
        on=(facts.answer["noise"] or [None])[0] if kind == "noise" else None,
        level=asked.number("level") or 0.95,
        margin=asked.number("margin") or None,
    )
    if job.answer is None:
        return working(request, job)
    return show(
        request,
        "study_curves",
        {"study": facts.answer, "kind": kind, "curves": [], "crossings": [], "notes": []}
        | {"dataset": "", "measure": "", **job.answer},
        status=status_of(job.answer),
        base=f"/stores/{key}/{request.path_params['study']}",
        tables=_points(job.answer),
    )


def _points(got: dict[str, Any]) -> dict[str, Table]:
    """Every point of every learner in one table."""
    curves = [one for one in got.get("curves", []) if one["columns"]["mean"]]
    if not curves:
        return {}
    heads = ["learner", *curves[0]["columns"]]
    rows = [
        [one["model"], *point]
        for one in curves
        for point in zip(*one["columns"].values(), strict=True)
    ]
    return {"points": grid("points", f"Points of the {got['kind']} curves.", heads, rows)}


async def report(request: Request) -> Response:
    """The report of a study, as the command line writes it."""
    place, _, location = _store(request)
    form = request.path_params["form"]
    if location is None or form not in REPORTS:
        return _no_store(request)
    name = await _named(request, place, location)
    if isinstance(name, Response):
        return name
    kind, media = REPORTS[form]
    asked = parse(request.query_params.multi_items())
    job = await place.jobs.answer(
        "study_document", store=location, study=name, form=kind, level=asked.number("level") or 0.95
    )
    if job.answer is None:
        return working(request, job)
    if "error" in job.answer:
        return problem(request, status_of(job.answer), "No report", job.answer["error"]["message"])
    return as_file(job.answer["text"], media, f"study.{form}")


async def events(request: Request) -> Response:
    """Progress as server-sent events, while the study is not finished."""
    place, _, location = _store(request)
    if location is None:
        return _no_store(request)
    name = await _named(request, place, location)
    if isinstance(name, Response):
        return name
    return StreamingResponse(
        _stream(request, place, location, name), media_type="text/event-stream"
    )


async def _stream(request: Request, place: Place, store: str, name: str) -> AsyncIterator[bytes]:
    last = b""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until and not await request.is_disconnected():
        running = place.runs.alive(store)
        job = await place.jobs.answer(
            "progress", store=store, study=name, fresh=TICK, after=place.runs.ended(store)
        )
        event = last if job.answer is None else _event(job.answer, running=running)
        yield b": still here\n\n" if event == last else event
        if event.endswith(OVER):
            return
        last = event
        await asyncio.sleep(TICK)


def _event(found: dict[str, Any], *, running: bool) -> bytes:
    """How far a study is, as an event."""
    if "error" in found:
        return OVER
    facts = {key: found[key] for key in ("total", "done", "failed")} | {"running": running}
    event = b"event: progress\ndata: " + msgspec.json.encode(facts) + b"\n\n"
    return event if running or found["done"] < found["total"] else event + OVER


async def compare(request: Request, form: FormData) -> Response:
    """The scores or predictions of a study as evidence; on to the answer."""
    place, _, location = _store(request)
    if location is None:
        return _no_store(request)
    name = await _named(request, place, location)
    if isinstance(name, Response):
        return name
    by = str(form.get("by", "dataset"))
    if by not in ("dataset", "fold", "item"):
        return problem(request, 422, "Not a unit", "Compare over data sets, folds or items.")
    dataset = None if by == "dataset" else str(form.get("dataset", ""))[:MAX_TEXT]
    where = "" if dataset is None else f", {dataset}"
    held = place.desk.keep_study(
        f"Study {name}{where}", {"store": location, "study": name, "by": by, "dataset": dataset}
    )
    return RedirectResponse(f"/e/{held.key}", 303)


async def resume(request: Request, _: FormData) -> Response:
    """Go on with the study of the command line."""
    place, key, location = _store(request)
    if location is None:
        return _no_store(request)
    if key != "main" or place.runs.spec is None:
        message = (
            "Name the study file when you start the page: assay serve study.db --study study.toml"
        )
        return problem(request, 409, "Nothing to resume", message)
    place.runs.start(location)
    return RedirectResponse(f"/stores/{key}/{request.path_params['study']}", 303)


async def stop(request: Request, _: FormData) -> Response:
    """Stop a run that was started here; what is finished stays."""
    place, key, location = _store(request)
    if location is None:
        return _no_store(request)
    place.runs.stop(location)
    return RedirectResponse(f"/stores/{key}/{request.path_params['study']}", 303)
