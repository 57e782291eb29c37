"""Figures that respond: curves with a movable threshold and its cost, and how differences spread."""

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from assay.core import wire
from assay.core.formatting import clean_name, estimate_digits, write_estimate
from assay.core.results import Evaluation
from assay.report.tables import ReportTable, estimates
from assay.web.jobs import Job
from assay.web.page_state import PageRequest
from assay.web.page_tables import grid, spread_tables
from assay.web.rendering import ServerPlace, answer_of, status_of
from assay.web.start_pages import found, tab
from assay.web.uploads import Held

DEFAULT_COSTS = {"tn": 0.0, "fp": 1.0, "fn": 1.0, "tp": 0.0}


async def curves(request: Request) -> Response:
    """ROC, precision-recall and calibration; one model cut at a threshold that can be moved."""
    place, held, asked = found(request)
    level = asked.number("level") or 0.95
    drawn = await place.jobs.answer(
        "curves", source=held.source(), reading=asked.reading(), level=level
    )
    answer = answer_of(drawn)
    data: dict[str, Any] = {"curves": None, "cut": None}
    tables: dict[str, ReportTable] = {}
    cost = ""
    if "error" not in answer:
        data["curves"] = answer
        tables["areas"] = _areas(answer)
        answer = answer_of(await _cut_job(place, held, asked, level))
        if "error" not in answer:
            data["cut"] = answer
            tables |= _cut_tables(answer)
            cost = _least_cost(answer)
    if "error" in answer:
        data["error"] = answer["error"]
    return tab(
        request,
        "/curves",
        data,
        held,
        asked,
        status=422 if asked.problems else status_of(answer),
        problems=asked.problems,
        tables=tables,
        least_cost=cost,
    )


async def _cut_job(place: ServerPlace, held: Held, asked: PageRequest, level: float) -> Job:
    """One model cut at the threshold that is asked for, under the costs that are asked for."""
    costs = {
        name: default if asked.number(name) is None else asked.number(name)
        for name, default in DEFAULT_COSTS.items()
    }
    return await place.jobs.answer(
        "threshold",
        source=held.source(),
        reading=asked.reading(),
        model=asked.get("model") or None,
        at=asked.number("threshold"),
        costs=[[costs["tn"], costs["fp"]], [costs["fn"], costs["tp"]]],
        level=level,
        seed=asked.seed,
    )


def _cut_tables(cut: dict[str, Any]) -> dict[str, ReportTable]:
    measured = wire.from_builtins(cut["result"])
    tables = {"confusion": _confusion(cut)}
    if isinstance(measured, Evaluation):
        tables["cut"] = _of_one_model(estimates(measured.estimates))
    return tables


def _least_cost(cut: dict[str, Any]) -> str:
    """The mean cost at the cheapest threshold, in the digits of the table of costs."""
    measured = wire.from_builtins(cut["result"])
    if not isinstance(measured, Evaluation):
        return ""
    costs = measured.estimates[0]
    finest = estimate_digits(measured.estimates, costs.measure)
    return write_estimate(replace(costs, value=cut["cheapest"]["cost"]), finest=finest).value


def _areas(got: dict[str, Any]) -> ReportTable:
    """Areas with intervals, best first, in the digits that they have among all measures."""
    measured = wire.from_builtins(got["areas"])
    table = estimates(measured.estimates if isinstance(measured, Evaluation) else ())
    caption = (
        f"Area under each ROC curve; positive is {clean_name(got['positive'])}. Their differences: "
        "measure roc_auc on the page of the answer."
    )
    return replace(table.without("n", "interval method"), name="areas", caption=caption)


def _confusion(cut: dict[str, Any]) -> ReportTable:
    caption = "Confusion matrix: rows truth, columns what the model says at this threshold."
    heads = ["truth", *(f"called {name}" for name in cut["classes"])]
    rows = [[name, *counts] for name, counts in zip(cut["classes"], cut["confusion"], strict=True)]
    return grid("confusion", caption, heads, rows, ",.6g")


def _of_one_model(table: ReportTable) -> ReportTable:
    """Measure, estimate and interval: the model is named above, and n does not change."""
    return replace(
        table,
        name="cut",
        caption=f"What it comes to at this threshold, with {table.columns[3].name}s.",
        columns=table.columns[1:4],
        rows=tuple(row[1:4] for row in table.rows),
    )


async def differences(request: Request) -> Response:
    """How the differences spread over items, folds, seeds or data sets."""
    place, held, asked = found(request)
    job = await place.jobs.answer(
        "spread", source=held.source(), reading=asked.reading(), asking=asked.asking()
    )
    got = answer_of(job)
    return tab(
        request,
        "/differences",
        {"rows": [], "kind": None, "unit": "item", "measure": "", "baseline": "", **got},
        held,
        asked,
        status=status_of(got),
        tables=spread_tables(got) if "kind" in got else {},
    )
