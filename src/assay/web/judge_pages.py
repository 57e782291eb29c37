"""The page of a judge: which column is whose, then scores corrected and not, agreement and what it is worth."""

from starlette.requests import Request
from starlette.responses import Response

from assay.core import wire
from assay.core.judge_results import JudgeReport
from assay.report.views import view
from assay.web.limits import MAX_TEXT
from assay.web.rendering import show, status_of, working
from assay.web.start_pages import found, gone, tabs

FIELDS = ("people", "judge", "predictions", "leave", "bias", "chosen")
"""What the form of the page asks for, by names that no other page uses."""


async def judge(request: Request) -> Response:
    """The judge measured against people; without a choice of columns only the form is shown."""
    place, held, asked = found(request)
    if held is None:
        return gone(request)
    told = {name: request.query_params.get(name, "").strip()[:MAX_TEXT] for name in FIELDS}
    job = await place.jobs.answer(
        "judge", source=held.source(), told=told, level=asked.number("level") or 0.95
    )
    if job.answer is None:
        return working(request, job)
    got = dict(job.answer)
    result = wire.from_builtins(got["result"]) if got.get("result") else None
    seen = view(result) if isinstance(result, JudgeReport) else None
    base = f"/e/{held.key}"
    return show(
        request,
        "judge",
        {"result": None, **got, "title": held.title},
        status=status_of(got),
        base=base,
        asked=asked,
        tabs=tabs(base, asked, "/judge"),
        tables={} if seen is None else {one.name: one for one in seen.tables},
        seen=seen,
        told=told,
        columns=got.get("columns", []),
    )
