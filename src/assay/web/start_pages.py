"""The start, and what becomes of a file that is dropped: recognised, answered, explored."""

import math
import shutil
from contextlib import suppress
from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assay.core import wire
from assay.core.formatting import clean, write_rounded
from assay.core.results import Comparison, Evaluation
from assay.measures.registry import measures as measures_known
from assay.report.tables import ReportTable
from assay.report.views import View, applies, view
from assay.web import chart_data, limits
from assay.web.answer_card import card as card_of
from assay.web.examples import EXAMPLES, example_file
from assay.web.jobs import Busy, Job
from assay.web.limits import MAX_FILES, MAX_PASTE
from assay.web.page_state import (
    ASKING,
    CORRECTIONS,
    EXPLORING,
    LISTS,
    READING,
    PageRequest,
    parse,
    settled,
)
from assay.web.page_tables import grid, measures_by_models
from assay.web.reading_form import FORM, LABELS, page_notes
from assay.web.rendering import (
    NoPage,
    ServerPlace,
    Waiting,
    answer_of,
    as_json,
    docs_section,
    place_of,
    problem,
    show,
    status_of,
    wants_json,
)
from assay.web.uploads import Held, safe_name, save

SEE_OTHER = 303
CONTENT = 0.2
"""Seconds after which a page comes with the verdict alone; the rest follows."""
PART = "assay-part"
"""The header of a request by a page that has the verdict: for its details, then for the whole of them."""
ASKED = "direction-unknown"
"""The note that is a question of the page already."""
FIRST_WORD = 1.5
"""Seconds after which a page says that it is at work, where there is no answer yet."""
TABS = (
    ("", "Answer"),
    ("/measures", "Every measure"),
    ("/curves", "Curves and thresholds"),
    ("/differences", "Differences"),
    ("/board", "Board"),
    ("/judge", "Judge"),
)


FIELDS_OF: dict[str, frozenset[str]] = {
    **{path: frozenset[str]() for path, _ in TABS},
    "": frozenset({*READING, *LISTS, *ASKING, *EXPLORING}),
    "/curves": frozenset(EXPLORING),
}
"""The fields that each page shows itself; what is wrong with others is said above it."""


async def start(request: Request) -> Response:
    """The first page."""
    place = place_of(request)
    data = {
        "examples": [{"name": one.name, "title": one.title} for one in EXAMPLES],
        "held": [{"address": address_of(one), "title": one.title} for one in place.desk.recent()],
        "stores": list(place.stores),
    }
    return show(request, "start", data, all_examples=EXAMPLES)


def address_of(held: Held) -> str:
    return f"/stores/{held.key}" if held.kind == "store" else f"/e/{held.key}"


async def drop(request: Request, form: FormData) -> Response:
    """Files, a pasted table or an example; on to what was recognised in it."""
    place = place_of(request)
    example = next((one for one in EXAMPLES if one.name == form.get("example")), None)
    pasted = form.get("pasted")
    uploads = [one for one in form.getlist("files") if isinstance(one, UploadFile) and one.filename]
    folder = place.desk.new_folder()
    names: list[str] = []
    if example is not None:
        names.append(example.file)
        await run_in_threadpool(shutil.copyfile, example_file(example), folder / example.file)
    elif uploads:
        for upload in uploads[:MAX_FILES]:
            name = safe_name(upload.filename or "", names)
            await run_in_threadpool(save, upload, folder / name)
            names.append(name)
    elif isinstance(pasted, str) and pasted.strip():
        if len(pasted) > MAX_PASTE:
            return problem(request, 413, "Too long to paste", "Save it as a file and drop that.")
        names.append("pasted.csv" if "\t" not in pasted.split("\n", 1)[0] else "pasted.tsv")
        await run_in_threadpool((folder / names[0]).write_text, pasted, encoding="utf-8")
    else:
        message = "Choose a file, paste a table or open an example."
        return problem(request, 422, "Nothing came", message)
    title = example.title if example is not None else clean(", ".join(names))
    held = place.desk.keep_files(folder, names, title)
    if held.kind == "store":
        place.stores[held.key] = str(folder / names[0])
    asked = parse(() if example is None else example.told)
    address = asked.address(address_of(held))
    if held.kind == "files":
        _begin_answer(place, held, asked)
    if wants_json(request):
        return as_json({"address": address}, status=201)
    return RedirectResponse(address, SEE_OTHER)


def _begin_answer(place: ServerPlace, held: Held, asked: PageRequest) -> None:
    """Work on the answer while the browser is on its way to the page of it."""
    with suppress(Busy):  # that page says so
        place.jobs.start("answer", **_question(held, asked))


def _question(held: Held, asked: PageRequest) -> dict[str, Any]:
    """What the job of an answer is told; the same again is the same job."""
    return {"source": held.source(), "reading": asked.reading(), "asking": asked.asking()}


def found(request: Request) -> tuple[ServerPlace, Held, PageRequest]:
    """What the address names, and what it asks of it."""
    place = place_of(request)
    held = place.desk.get(request.path_params["key"])
    if held is None:
        message = "Files are kept until the page is closed, up to a limited number. Drop it again."
        raise NoPage(404, "No longer here", message)
    return place, held, parse(request.query_params.multi_items())


def tab(
    request: Request, path: str, data: dict[str, Any], held: Held, asked: PageRequest, **more: Any
) -> Response:
    """A page about what was brought, beside the others about it."""
    base = f"/e/{held.key}"
    shown = {**data, "title": held.title}
    astray = {name: said for name, said in asked.problems.items() if name not in FIELDS_OF[path]}
    told: dict[str, Any] = {
        "base": base,
        "held": held,
        "asked": asked,
        "astray": astray,
        "labels": LABELS,
        "tabs": tabs(base, asked, path),
    }
    if astray:
        shown["problems"] = dict(asked.problems)
        more["status"] = 422
    return show(request, path.removeprefix("/") or "answer", shown, **told, **more)


async def answer_job(
    place: ServerPlace,
    held: Held,
    asked: PageRequest,
    *,
    whole: bool = True,
    detailed: bool = False,
) -> Job:
    """The job of the answer; where it need not be ``whole``, as soon as there is a verdict, or its details."""
    return await place.jobs.answer(
        "answer",
        patience=min(limits.PATIENCE, FIRST_WORD),
        content=math.inf if whole else CONTENT,
        detailed=detailed,
        **_question(held, asked),
    )


async def answer(request: Request) -> Response:
    """The verdict first, then what it rests on, then how to change the question."""
    place, held, asked = found(request)
    chosen = settled(str(request.scope["path"]), request.query_params.multi_items())
    if chosen is not None:
        return RedirectResponse(chosen, SEE_OTHER)
    part = request.headers.get(PART, "verdict")
    whole = wants_json(request) or part == "whole"
    job = await answer_job(place, held, asked, whole=whole, detailed=part == "details")
    got, drawn = _told(job, part, whole=whole, cut_short=not wants_json(request))
    if asked.problems:
        got["problems"] = dict(asked.problems)
    nothing: dict[str, Any] = {"columns": [], "questions": [], "explained": ""}
    nothing |= dict.fromkeys(("reading", "recognised", "result"))
    return tab(
        request,
        "",
        {**nothing, **got, "headline": drawn.pop("headline")},
        held,
        asked,
        status=422 if asked.problems else status_of(got),
        problems=_problems(asked, got),
        unfinished=asked.address(f"/e/{held.key}") if job.answer is None else "",
        rest="details" if part == "verdict" else "whole",
        corrections=CORRECTIONS,
        form=FORM,
        measures=sorted(measures_known()),
        **drawn,
    )


def _told(
    job: Job, part: str, *, whole: bool, cut_short: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is known of the answer by now, and what the page draws of it.

    A verdict that was told stands, where work that went on was ``cut_short``: stopped, or too long.
    """
    known = job.answer or (None if whole else job.early)
    why = job.answer["error"]["message"] if job.answer and "error" in job.answer else ""
    if why and cut_short and job.early is not None:
        known, part = job.early, part if job.early["result"] else "verdict"
    else:
        why = ""
    if known is None or (part == "details" and known.get("card") and not known["result"]):
        raise Waiting(job)
    got = dict(known)
    drawn = got.pop("card", None)
    if drawn is None or part != "verdict" or (why and got["result"]):
        drawn = _parts(wire.from_builtins(got["result"]) if got.get("result") else None)
    return got, {**drawn, "cut_short": why}


def tabs(base: str, asked: PageRequest, current: str) -> list[tuple[str, str, bool]]:
    return [(asked.address(f"{base}{path}"), title, path == current) for path, title in TABS]


def _problems(asked: PageRequest, got: dict[str, Any]) -> dict[str, str]:
    """What is wrong, by field; what belongs to none of them under the empty name."""
    problems = dict(asked.problems)
    error = got.get("error")
    if error is not None:
        problems.setdefault(error["field"] or "", error["message"])
    return problems


def _parts(result: Any) -> dict[str, Any]:
    """The verdict and everything below it."""
    card = card_of(result)
    if result is None:
        return card
    seen = view(result)
    drawn: dict[str, Any] = {}
    if isinstance(result, Comparison):
        drawn = {"differences": ("forest", chart_data.forest(result))}
        for name, kind, values in (
            ("ranks", "ranks", chart_data.ranks(result)),
            ("matrix", "matrix", chart_data.matrix(result)),
        ):
            if values is not None:
                drawn[name] = (kind, values)
    if isinstance(result, Comparison | Evaluation):
        for measure in dict.fromkeys(one.measure for one in result.estimates):
            drawn[f"estimates:{measure}"] = ("forest", chart_data.estimates(result, measure))
    return {
        **card,
        "seen": replace(
            seen, headline=_beside_slider(seen.headline), notes=page_notes(result, without=ASKED)
        ),
        "drawn": drawn,
        "remedies": {note.code: docs_section("notes.md", note.code) for note in seen.notes},
        "applies": applies(seen),
    }


def _beside_slider(text: str) -> str:
    """What is said of options, on a page that has a field for the margin and none for looks at any time."""
    for typed, ours in (
        (" (--margin)", ""),
        ("Set --margin", "Set a margin"),
        (" (--sequential)", ""),
    ):
        text = text.replace(typed, ours)
    return text


async def corrected(request: Request) -> Response:
    """Every pair by itself under a correction, beside the procedure that decides."""
    place, held, asked = found(request)
    correction = asked.get("correction") or "holm"
    job = await place.jobs.answer(
        "corrected",
        source=held.source(),
        reading=asked.reading(),
        asking=asked.asking(),
        correction=correction,
    )
    got = answer_of(job)
    level = asked.number("level") or 0.95
    return show(
        request,
        "corrected",
        {"pairs": [], "correction": correction, **got},
        status=status_of(got),
        tables=_corrected_tables(got, CORRECTIONS[correction], 1.0 - level),
        name=CORRECTIONS[correction],
        back=asked.address(f"/e/{held.key}"),
    )


def _corrected_tables(got: dict[str, Any], name: str, alpha: float) -> dict[str, ReportTable]:
    if "pairs" not in got:
        return {}
    caption = f"Every pair by itself; p-values of all pairs corrected by {name}. "
    caption += f"Small: at most {write_rounded(alpha, 4)}."
    heads = ["first", "second", "method", "p alone", f"p, {name}", "small"]
    rows = [
        [
            one["a"],
            one["b"],
            one["method"],
            one["p"],
            one["adjusted"],
            "yes" if one["adjusted"] <= alpha else "no",
        ]
        for one in got["pairs"]
    ]
    return {"pairs": grid("pairs", caption, heads, rows, ".3g")}


async def measures(request: Request) -> Response:
    """Every common measure of every model, with intervals."""
    place, held, asked = found(request)
    job = await place.jobs.answer(
        "estimates", source=held.source(), reading=asked.reading(), asking=asked.asking()
    )
    got = answer_of(job)
    result = wire.from_builtins(got["result"]) if got.get("result") else None
    return tab(
        request,
        "/measures",
        {"result": None, "open": [], **got},
        held,
        asked,
        status=status_of(got),
        tables=_measure_tables(result),
        **_parts(result),
    )


def _measure_tables(result: Any) -> dict[str, ReportTable]:
    """Measures by models, and the same one number a line."""
    if not isinstance(result, Evaluation):
        return {}
    found = {table.name: table for table in view(result).tables}
    return {"measures": measures_by_models(result.estimates, result.level), **found}


def one_table(seen: View, name: str) -> ReportTable | None:
    """A table of a view, or the one behind a figure."""
    tables = {table.name: table for table in seen.tables}
    tables |= {f"figure:{figure.name}": figure.table for figure in seen.figures}
    return tables.get(name)
