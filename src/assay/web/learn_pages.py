"""Pages to learn from: which test, how much data, what a method is."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from assay.compare import guide
from assay.core import wire
from assay.core.errors import UsageError
from assay.core.fold_budgets import FITS_OF_VALID, price_of
from assay.core.methods import catalogue, find_method
from assay.core.plan_results import Plan
from assay.report.other_programs import unfilled
from assay.report.references import works
from assay.report.views import view
from assay.web.limits import MAX_TEXT
from assay.web.markdown_blocks import blocks
from assay.web.page_state import ranged
from assay.web.page_tables import grid
from assay.web.rendering import answer_of, docs_section, place_of, problem, show, status_of

UNITS: dict[str, dict[str, Any]] = {
    "item": {"title": "test items", "n": (20, 20000, 500), "difference": (0.005, 0.2, 0.03)},
    "fold": {"title": "folds (runs of ten)", "n": (10, 200, 10), "difference": (0.005, 0.2, 0.03)},
    "seed": {"title": "seeds", "n": (2, 100, 10), "difference": (0.001, 0.1, 0.01)},
    "dataset": {"title": "data sets", "n": (5, 200, 20), "difference": (0.005, 0.2, 0.03)},
}
"""What can be planned: the range of each slider, and where it starts."""


RANGES = {"discordant": (0.01, 0.6, 0.15), "sd": (0.001, 0.2, 0.03), "level": (0.8, 0.999, 0.95)}
"""Range and start of the other sliders."""
FOLDS = 10
"""Folds are planned as runs of so many."""
POWER = 0.8
"""The power for which the page also says how much is needed."""


async def contents(request: Request) -> Response:
    default = price_of(FITS_OF_VALID)
    data = {"methods": len(catalogue()), "worst": default.worst, "cells": default.cells}
    return show(request, "learn", data)


async def choose(request: Request) -> Response:
    """The guide: questions until the answer is settled, then the advice."""
    given = {key: said[:MAX_TEXT] for key, said in request.query_params.items() if said}
    answers: dict[str, str] = {}
    asked: list[dict[str, Any]] = []
    wrong: dict[str, str] = {}
    for question in guide.questions():
        if not question.matters(answers):
            continue
        said = given.get(question.key, question.default if answers.get("have") else None)
        asked.append(
            {"key": question.key, "text": question.text, "options": question.options, "said": said}
        )
        if said is None:
            break
        try:
            answers[question.key] = guide.checked(question, said)
        except UsageError as error:
            wrong[question.key] = str(error)
            break
    data: dict[str, Any] = {"questions": asked, "problems": wrong, "advice": None}
    status = 422 if wrong else 200
    if not wrong and guide.open_question(answers) is None:
        got = answer_of(await place_of(request).jobs.answer("advice", answers=answers))
        data |= got
        status = status_of(got)
    return show(request, "choose", data, status=status)


async def power(request: Request) -> Response:
    """How large a study must be, with sliders for what one knows or fears."""
    query = request.query_params
    unit = query.get("unit", "item")
    if unit not in UNITS:
        return problem(request, 422, "Not a unit", f"Plans are by {', '.join(UNITS)}.")
    ranges = {"n": UNITS[unit]["n"], "difference": UNITS[unit]["difference"], **RANGES}
    values, problems = ranged(query, ranges)
    data: dict[str, Any] = {"unit": unit, "values": values, "result": None, "needed": None}
    if problems:
        return _power_page(request, data, ranges, problems, 422)
    spread = "discordant" if unit == "item" else "sd"
    options: dict[str, Any] = {"unit": unit, "level": values["level"], spread: values[spread]}
    options["difference"] = values["difference"]
    if unit == "fold":
        options["folds"] = FOLDS
    measure = "accuracy" if unit == "item" else None
    jobs = place_of(request).jobs
    of_this = {**options, "n": int(values["n"])}
    found = await jobs.answer("planned", measure=measure, options=of_this)
    needed = await jobs.answer("planned", measure=measure, options={**options, "power": POWER})
    data |= {**answer_of(found), "needed": answer_of(needed).get("result")}
    return _power_page(request, data, ranges, problems, status_of(answer_of(found)))


def _power_page(
    request: Request, data: dict[str, Any], ranges: Any, problems: dict[str, str], status: int
) -> Response:
    result = wire.from_builtins(data["result"]) if data["result"] else None
    needed = wire.from_builtins(data["needed"]) if data["needed"] else None
    curve = None
    if isinstance(needed, Plan):
        curve = {name: list(values) for name, values in needed.curve.columns}
    return show(
        request,
        "power",
        data,
        status=status,
        units=UNITS,
        ranges=ranges,
        problems=problems,
        seen=view(result) if result is not None else None,
        wanted=view(needed) if needed is not None else None,
        curve=curve,
        tables={}
        if curve is None
        else {
            "power": grid(
                "power", "Power by n.", list(curve), list(zip(*curve.values(), strict=True))
            )
        },
    )


async def methods(request: Request) -> Response:
    """The catalogue, by family; a word narrows it down."""
    word = request.query_params.get("search", "")[:MAX_TEXT].strip().lower()
    families: dict[str, list[dict[str, str]]] = {}
    for one in catalogue().values():
        if word and word not in f"{one.id} {one.question} {one.family} {one.summary}".lower():
            continue
        title = one.family.replace("_", " ")
        families.setdefault(title, []).append({"id": one.id, "question": one.question})
    data = {"search": word, "families": [{"name": k, "methods": v} for k, v in families.items()]}
    return show(request, "methods", data)


async def method(request: Request) -> Response:
    """One method: question, formula, assumptions, a worked example, the literature."""
    try:
        one = find_method(request.path_params["method"])
    except UsageError as error:
        return problem(request, 404, "No such method", str(error))
    got = answer_of(await place_of(request).jobs.answer("example", method=one.id))
    data = {
        "id": one.id,
        "question": one.question,
        "summary": one.summary.replace("``", ""),
        "takes": one.takes,
        "unit": list(one.unit),
        "formula": one.formula,
        "assumes": list(one.assumes),
        "same_as": unfilled(one.same_as) if one.same_as else None,
        "references": list(works(one.reference)),
        **got,
    }
    text = docs_section(f"methods/{one.family}.md", one.id)
    return show(request, "method", data, status=status_of(got), prose=blocks(text))
