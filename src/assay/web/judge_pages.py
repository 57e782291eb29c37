"""The page of a judge: which column is whose, then scores corrected and not, agreement and what it is worth."""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from assay.core import wire
from assay.core.judge_results import JudgeReport
from assay.report.views import view
from assay.web.limits import MAX_TEXT
from assay.web.reading_form import page_notes
from assay.web.rendering import answer_of, status_of
from assay.web.start_pages import found, tab

FIELDS = ("people", "judge", "predictions", "leave", "bias", "chosen")
"""What the form of the page asks for, by names that no other page uses."""


async def judge(request: Request) -> Response:
    """The judge measured against people; without a choice of columns only the form is shown."""
    place, held, asked = found(request)
    told = {name: request.query_params.get(name, "").strip()[:MAX_TEXT] for name in FIELDS}
    job = await place.jobs.answer(
        "judge", source=held.source(), told=told, level=asked.number("level") or 0.95
    )
    got = dict(answer_of(job))
    drawn = got.pop("drawn", "")
    result = wire.from_builtins(got["result"]) if got.get("result") else None
    seen = None
    if isinstance(result, JudgeReport):
        seen = replace(view(result), notes=page_notes(result))
    return tab(
        request,
        "/judge",
        {"result": None, **got},
        held,
        asked,
        status=status_of(got),
        tables={} if seen is None else {one.name: one for one in seen.tables},
        seen=seen,
        drawn=drawn,
        told=told,
        columns=got.get("columns", []),
    )
