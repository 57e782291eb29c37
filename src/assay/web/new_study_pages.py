"""Starting a study: choose data sets, learners and splits; and the list of all studies."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assay.core.formatting import clean
from assay.study.catalogues import suite
from assay.web.limits import MAX_STUDY_FILES
from assay.web.rendering import ServerPlace, answer_of, as_json, place_of, show, wants_json
from assay.web.study_folder import DATA
from assay.web.study_form import FileAsked, StudyAsked, lacking, read_fields
from assay.web.study_offers import LEARNERS, MEASURES, SCHEMES, TASK_WORDS
from assay.web.study_pages import TICK, TOO_MANY
from assay.web.uploads import Held, safe_name, save

ADDRESS = "/studies/new"
GONE = "This file is no longer here: add it again."
SEE_OTHER = 303


async def studies(request: Request) -> Response:
    """Every study that the page knows, and a way to a new one."""
    place = place_of(request)
    asked = [
        place.jobs.answer("listing", store=store, fresh=TICK) for store in place.stores.values()
    ]
    jobs = await asyncio.gather(*asked)
    found = [
        {**one, "address": f"/stores/{key}/{number}", "running": place.runs.alive(store)}
        for (key, store), job in zip(place.stores.items(), jobs, strict=True)
        for number, one in enumerate(answer_of(job).get("studies", ()))
    ]
    return show(request, "studies", {"studies": found})


async def form(request: Request) -> Response:
    """The form of a new study, as the address fills it in."""
    return await _form(request, read_fields(request.query_params.multi_items()))


async def _form(request: Request, asked: StudyAsked) -> Response:
    place = place_of(request)
    files = [await _table(place, one) for one in asked.files]
    problems = {f"file-{one['key']}": one["error"] for one in files if one["error"]}
    problems |= asked.problems
    data = {
        "datasets": [
            {"name": one.name, "title": one.title, "task": one.task, "rows": one.rows}
            for one in suite().values()
        ],
        "learners": [{"name": one.name, "label": one.label} for one in LEARNERS.values()],
        "schemes": SCHEMES,
        "measures": MEASURES,
        "files": files,
        "problems": problems,
    }
    return show(
        request,
        "new_study",
        data,
        status=422 if problems else 200,
        asked=asked,
        suite=suite(),
        words=TASK_WORDS,
    )


async def _table(place: ServerPlace, one: FileAsked) -> dict[str, Any]:
    """A table of the visitor's: its columns, and what was said of them or is proposed."""
    facts: dict[str, Any] = {
        "key": one.key, "title": "", "rows": 0, "columns": [], "error": "", "task": one.task,
        "target": one.target, "groups": one.groups, "ignore": list(one.ignore),
    }  # fmt: skip
    path = _path(place, one)
    if path is None:
        return {**facts, "error": GONE}
    facts["title"] = path.name
    seen = answer_of(await place.jobs.answer("table_columns", path=str(path)))
    if "error" in seen:
        return {**facts, "error": seen["error"]["message"]}
    facts |= {"rows": seen["rows"], "columns": seen["columns"]}
    proposed = {} if one.known else {"target": one.target or seen["target"], "ignore": seen["ids"]}
    return {**facts, **proposed}


def _path(place: ServerPlace, one: FileAsked) -> Path | None:
    """Where a table of the visitor's lies; None once it has left the desk."""
    held = place.desk.get(one.key)
    if held is None or held.folder is None or held.kind != "files":
        return None
    return held.folder / held.names[0]


async def take(request: Request, sent: FormData) -> Response:
    """Files are added to the form; the study is started when that is what was asked for."""
    place = place_of(request)
    asked = read_fields([(name, one) for name, one in sent.multi_items() if isinstance(one, str)])
    uploads = [one for one in sent.getlist("files") if isinstance(one, UploadFile) and one.filename]
    if uploads:
        added = [await _kept(place, one) for one in uploads[:MAX_STUDY_FILES]]
        keys = (*asked.chosen("file"), *(one.key for one in added))
        files = (*asked.files, *(FileAsked(key=one.key) for one in added))
        asked = replace(asked, lists={**asked.lists, "file": keys}, files=files)
    if uploads or sent.get("do") != "start":
        return RedirectResponse(asked.address(ADDRESS), SEE_OTHER)
    gone = {f"file-{one.key}": GONE for one in asked.files if _path(place, one) is None}
    problems = {**lacking(asked), **gone, **asked.problems}
    if place.runs.full:
        problems[""] = TOO_MANY
    if not problems:
        return await _started(request, asked)
    return await _form(request, replace(asked, problems=problems))


async def _kept(place: ServerPlace, upload: UploadFile) -> Held:
    folder = place.desk.new_folder()
    name = safe_name(upload.filename or "", [])
    await run_in_threadpool(save, upload, folder / name)
    return place.desk.keep_files(folder, [name], clean(upload.filename or name))


async def _started(request: Request, asked: StudyAsked) -> Response:
    """Write the study into a folder of its own, plan it, and let it run."""
    place = place_of(request)
    folder = await run_in_threadpool(place.studies.new, asked.name)
    try:
        files = [await _copied(place, one, folder) for one in asked.files]
        _name_apart(files, list(asked.chosen("dataset")))
        answer = await _prepared(place, folder, asked, files)
    except BaseException:
        place.studies.drop(folder)
        raise
    if "error" in answer:
        place.studies.drop(folder)
        error = answer["error"]
        return await _form(
            request, replace(asked, problems={error["field"] or "": error["message"]})
        )
    key = place.adopt(folder)
    place.runs.start(place.stores[key])
    address = f"/stores/{key}/0"
    if wants_json(request):
        return as_json({"address": address}, status=201)
    return RedirectResponse(address, SEE_OTHER)


async def _copied(place: ServerPlace, one: FileAsked, folder: Path) -> dict[str, Any]:
    """The visitor's table beside the study file."""
    path = _path(place, one)
    taken = [other.name for other in (folder / DATA).iterdir()]
    name = safe_name(path.name if path else one.key, taken)
    if path is not None:
        await run_in_threadpool(shutil.copyfile, path, folder / DATA / name)
    return {
        "key": one.key, "file": name, "name": name.split(".")[0], "target": one.target,
        "task": one.task, "groups": one.groups, "ignore": list(one.ignore),
    }  # fmt: skip


def _name_apart(files: list[dict[str, Any]], taken: list[str]) -> None:
    """Give the visitor's tables names that no other data set of the study has."""
    for one in files:
        one["name"] = safe_name(one["name"], taken)
        taken.append(one["name"])


async def _prepared(
    place: ServerPlace, folder: Path, asked: StudyAsked, files: list[dict[str, Any]]
) -> dict[str, Any]:
    """What became of the plan; waited for to its end, which a limit sets."""
    while True:
        job = await place.jobs.answer(
            "prepare_study",
            fresh=0.0,
            folder=str(folder),
            title=clean(asked.name),
            seed=int(asked.get("seed") or 0),
            datasets=list(asked.chosen("dataset")),
            files=files,
            learners=list(asked.chosen("learner")),
            resampling=asked.resampling(),
            measures=list(asked.chosen("measure")),
        )
        if job.answer is not None:
            return job.answer
