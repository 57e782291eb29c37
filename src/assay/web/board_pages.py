"""The page of a board: ranks with their sets, a ladder, and a filter for the models one looks for."""

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from assay.core import wire
from assay.core.board_results import Board
from assay.estimates.board_aggregates import AGGREGATES
from assay.report.tables import ReportTable
from assay.report.views import View, view
from assay.web.limits import MAX_TEXT
from assay.web.reading_form import page_notes
from assay.web.rendering import answer_of, status_of
from assay.web.start_pages import found, tab


async def board(request: Request) -> Response:
    """Every model's rank with the ranks it may have; ``filter`` keeps rows whose name holds a text."""
    place, held, asked = found(request)
    aggregate = said = request.query_params.get("aggregate", "mean")[:MAX_TEXT]
    aggregate = aggregate if aggregate in AGGREGATES else "mean"
    wrong = {}
    if said != aggregate:
        wrong["aggregate"] = f"Choose one of {', '.join(AGGREGATES)}; got {said}."
    wanted = request.query_params.get("filter", "").strip()[:MAX_TEXT]
    job = await place.jobs.answer(
        "board",
        source=held.source(),
        reading=asked.reading(),
        asking=asked.asking(),
        aggregate=aggregate,
    )
    got = dict(answer_of(job))
    ladder = got.pop("ladder", "")
    result = wire.from_builtins(got["result"]) if got.get("result") else None
    seen = None
    if isinstance(result, Board):
        seen = replace(view(result), notes=page_notes(result))
    return tab(
        request,
        "/board",
        {"result": None, **got},
        held,
        asked,
        status=422 if wrong else status_of(got),
        wrong=wrong,
        tables=_tables(seen, wanted),
        seen=seen,
        ladder=ladder,
        aggregate=aggregate,
        aggregates=AGGREGATES,
        wanted=wanted,
    )


def _tables(seen: View | None, wanted: str) -> dict[str, ReportTable]:
    """The tables of the board, the first one with only the models that were asked for."""
    tables: dict[str, Any] = {} if seen is None else {one.name: one for one in seen.tables}
    if wanted and "board" in tables:
        rows = tables["board"].rows
        kept = tuple(row for row in rows if wanted.lower() in row[0].text.lower())
        tables["board"] = replace(tables["board"], rows=kept)
    return tables
