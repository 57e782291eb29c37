"""Studies in a store: how far they are, what failed, what came out, and going on with them."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from assay.core import wire
from assay.core.formatting import decimals
from assay.core.measure_names import better_side
from assay.core.results import Interval
from assay.core.study_results import ScoreTable
from assay.report.study_view import score_table
from assay.report.tables import ReportTable
from assay.web import downloads
from assay.web.answer_card import card as card_of
from assay.web.jobs import Job
from assay.web.limits import MAX_RUNS, MAX_TEXT
from assay.web.page_state import parse
from assay.web.page_tables import grid
from assay.web.reading_form import LABELS
from assay.web.rendering import (
    NoPage,
    ServerPlace,
    answer_of,
    as_file,
    file_of,
    place_of,
    problem,
    show,
    status_of,
)

REPORTS = {form: downloads.REPORTS[form] for form in ("html", "json", "md")}
TICK = 1.0
"""Seconds between two looks at a store that may be growing."""
LONGEST = 3600.0
"""Seconds that one stream of events lasts; browsers ask again by themselves."""
TOO_MANY = f"{MAX_RUNS} studies run already. Stop one of them, or wait until it is done."
OVER = b"event: over\ndata: {}\n\n"


def _store(request: Request) -> tuple[ServerPlace, str, str]:
    """The page's place, the key of a store and where it lies."""
    place = place_of(request)
    key = request.path_params["store"]
    if key not in place.stores:
        message = (
            "Start the page with one, assay serve study.db, or drop a store on the first page."
        )
        raise NoPage(404, "No such store", message)
    return place, key, place.stores[key]


async def store(request: Request) -> Response:
    """The studies of a store."""
    place, key, location = _store(request)
    got = answer_of(await place.jobs.answer("listing", store=location, fresh=TICK))
    return show(request, "store", {"studies": [], **got}, status=status_of(got), key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Study:
    """The study that an address names."""

    place: ServerPlace
    store: str
    name: str
    done: int
    """Tasks, when it was looked up."""
    base: str

    async def ask(self, question: str, **more: Any) -> Job:
        """A job on it; what is told of a store that may be growing is told for a moment only."""
        ended = self.place.runs.ended(self.store)
        return await self.place.jobs.answer(
            question, store=self.store, study=self.name, fresh=TICK, after=ended, **more
        )


async def _found(request: Request) -> _Study:
    """The study by its number, for names of studies never stand in addresses."""
    place, key, location = _store(request)
    listed = answer_of(await place.jobs.answer("listing", store=location, fresh=TICK))
    if "error" in listed:
        raise NoPage(422, "Not a store", listed["error"]["message"])
    studies, number = listed["studies"], request.path_params["study"]
    if not 0 <= number < len(studies):
        raise NoPage(404, "No such study", "The store has no study of this number.")
    facts = {name: studies[number][name] for name in ("name", "done")}
    return _Study(place=place, store=location, base=f"/stores/{key}/{number}", **facts)


async def study(request: Request) -> Response:
    """One study: progress, mean scores, and what can be done with them."""
    found = await _found(request)
    asked = parse(request.query_params.multi_items())
    runs = found.place.runs
    running = runs.alive(found.store)  # before looking: what a run did last is then seen
    got = answer_of(await found.ask("overview", measure=asked.get("measure") or None))
    return show(
        request,
        "study",
        {"study": None, "table": None, **got, "running": running},
        status=status_of(got),
        base=found.base,
        tables=_scores(got.get("table")),
        can_resume=found.store in runs.specs,
        kept=_kept(request, found.store),
        words=runs.last_words(found.store),
        astray=asked.problems,
        labels=LABELS,
    )


async def verdict(request: Request) -> Response:
    """What a finished study found in a measure: the headline, the effect against zero, three facts."""
    found = await _found(request)
    asked = parse(request.query_params.multi_items())
    got = answer_of(await found.ask("study_verdict", measure=asked.get("measure") or None))
    result = wire.from_builtins(got["result"]) if got.get("result") else None
    card = card_of(result)
    return show(
        request,
        "study_verdict",
        {"result": None, "sentence": "", **got, "headline": card.pop("headline")},
        status=status_of(got),
        base=found.base,
        name=found.name,
        **card,
    )


def _kept(request: Request, store: str) -> str:
    """The folder of a study that was started here, as whoever opened the page would name it."""
    folder = Path(store).parent
    place = place_of(request)
    return (
        f"{place.studies.root.name}/{folder.name}" if folder.name in place.studies.known() else ""
    )


def _scores(found: dict[str, Any] | None) -> dict[str, ReportTable]:
    if found is None:
        return {}
    means = ScoreTable(
        measure=found["measure"],
        direction="lower" if better_side(found["measure"]) == "lower" else "higher",
        datasets=tuple(found["names"]),
        learners=tuple(found["models"]),
        values=tuple(map(tuple, found["values"])),
        intervals=tuple(
            tuple(None if one is None else msgspec.convert(one, Interval) for one in row)
            for row in found["intervals"]
        ),
    )
    return {"scores": replace(score_table(means, found["models"], 0.95), name="scores")}


async def failures(request: Request) -> Response:
    """Tasks that gave no scores, with their tracebacks."""
    found = await _found(request)
    got = answer_of(await found.ask("failures"))
    return show(
        request,
        "failures",
        {"name": found.name, "total": 0, "groups": [], **got},
        status=status_of(got),
        base=found.base,
    )


async def curves(request: Request) -> Response:
    """Learning and noise curves, learners toggled in the legend."""
    found = await _found(request)
    facts = file_of(await found.ask("progress"), "No curves")
    query = request.query_params
    asked = parse(query.multi_items())
    known = facts.get("curves", [])
    kind = query.get("kind") if query.get("kind") in known else (known[0] if known else "learning")
    job = await found.ask(
        "study_curves",
        kind=kind,
        measure=asked.get("measure") or None,
        dataset=(query.get("dataset") or "")[:MAX_TEXT] or facts["datasets"][0],
        on=(facts["noise"] or [None])[0] if kind == "noise" else None,
        level=asked.number("level") or 0.95,
        margin=asked.number("margin") or None,
    )
    got = answer_of(job)
    return show(
        request,
        "study_curves",
        {"study": facts, "kind": kind, "curves": [], "crossings": [], "notes": []}
        | {"dataset": "", "measure": "", **got},
        status=status_of(got),
        base=found.base,
        tables=_points(got),
        astray=asked.problems,
        labels=LABELS,
    )


def _points(got: dict[str, Any]) -> dict[str, ReportTable]:
    """Every point of every learner in one table."""
    curves = [one for one in got.get("curves", []) if one["columns"]["mean"]]
    if not curves:
        return {}
    heads = ["learner", *curves[0]["columns"]]
    rows = [
        [one["model"], *map(_whole, point)]
        for one in curves
        for point in zip(*one["columns"].values(), strict=True)
    ]
    ends = [
        pair
        for one in curves
        for pair in zip(one["columns"]["low"], one["columns"]["high"], strict=True)
    ]
    halves = [(high - low) / 2 for low, high in ends if low is not None and high is not None]
    form = f".{decimals(min(filter(None, halves), default=0.05))}f"
    return {"points": grid("points", f"Points of the {got['kind']} curves.", heads, rows, form)}


def _whole(value: float | None) -> float | int | None:
    """Counts of items and of splits as such; shares of one stay with the others."""
    return int(value) if value is not None and value > 1.0 and value == int(value) else value


async def report(request: Request) -> Response:
    """The report of a study, as the command line writes it."""
    form = request.path_params["form"]
    if form not in REPORTS:
        return problem(request, 404, "Not found", f"Reports are {', '.join(REPORTS)}.")
    found = await _found(request)
    kind, media = REPORTS[form]
    asked = parse(request.query_params.multi_items())
    job = await found.ask("study_document", form=kind, level=asked.number("level") or 0.95)
    return as_file(file_of(job, "No report")["text"], media, f"study.{form}")


async def events(request: Request) -> Response:
    """Progress as server-sent events, while the study is not finished."""
    found = await _found(request)
    return StreamingResponse(_stream(request, found), media_type="text/event-stream")


async def _stream(request: Request, found: _Study) -> AsyncIterator[bytes]:
    last = b""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until and not await request.is_disconnected():
        running = found.place.runs.alive(found.store)
        job = await found.ask("progress")
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
    found = await _found(request)
    by = str(form.get("by", "dataset"))
    if by not in ("dataset", "fold", "item"):
        return problem(request, 422, "Not a unit", "Compare over data sets, folds or items.")
    dataset = None if by == "dataset" else str(form.get("dataset", ""))[:MAX_TEXT]
    where = "" if dataset is None else f", {dataset}"
    facts = {"store": found.store, "study": found.name, "by": by, "dataset": dataset}
    grown = {**facts, "done": found.done}  # what has grown since is evidence of its own
    held = found.place.desk.keep_study(f"Study {found.name}{where}", grown)
    return RedirectResponse(f"/e/{held.key}", 303)


async def resume(request: Request, _: FormData) -> Response:
    """Go on with the study of the command line, or with one that was started here."""
    place, key, location = _store(request)
    if location not in place.runs.specs:
        message = (
            "Name the study file when you start the page: assay serve study.db --study study.toml"
        )
        return problem(request, 409, "Nothing to resume", message)
    if place.runs.full and not place.runs.alive(location):
        return problem(request, 409, "Too many at once", TOO_MANY)
    place.runs.start(location)
    return RedirectResponse(f"/stores/{key}/{request.path_params['study']}", 303)


async def stop(request: Request, _: FormData) -> Response:
    """Stop a run that was started here; what is finished stays."""
    place, key, location = _store(request)
    place.runs.stop(location)
    return RedirectResponse(f"/stores/{key}/{request.path_params['study']}", 303)
