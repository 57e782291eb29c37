"""Type I error, power and coverage with sliders: worlds in which the truth is known."""

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from assay.core.method_names import method_name
from assay.core.vocabulary import quantity_name
from assay.report.tables import ReportTable
from assay.web.page_state import ranged
from assay.web.page_tables import grid
from assay.web.rendering import answer_of, place_of, problem, show, status_of
from assay.web.simulation_presets import SCENES, Question, Scene, scene_of

LEVELS = (0.8, 0.999, 0.95)
"""Range and start of the confidence level."""


async def level(request: Request) -> Response:
    """How often tests cry wolf, and how often they find what is there."""
    return await _simulated(request, "error")


async def coverage(request: Request) -> Response:
    """How often intervals hold the truth."""
    return await _simulated(request, "coverage")


async def _simulated(request: Request, question: Question) -> Response:
    scene = scene_of(question, request.query_params.get("scene"))
    if scene is None:
        return problem(request, 404, "No such scene", "Choose one of the scenes of this page.")
    values, chosen, problems = _asked(request, scene)
    data: dict[str, Any] = {
        "question": question, "scene": scene.name, "values": values, "choice": chosen, "result": None,
    }  # fmt: skip
    status = 422
    if not problems:
        job = await place_of(request).jobs.answer(
            "simulated", scene=scene.name, question=question, values=values, choice=chosen
        )
        data |= answer_of(job)
        status = status_of(answer_of(job))
    return show(
        request,
        "simulating",
        data,
        status=status,
        asked=scene,
        scenes=[one for one in SCENES if one.question == question],
        problems=problems,
        tables=_rates(scene, data["result"]),
        chart=_chart(scene, data["result"], values),
        sentence=_spoken(data["result"]),
        page="/learn/level" if question == "error" else "/learn/coverage",
    )


def _asked(request: Request, scene: Scene) -> tuple[dict[str, float], str | None, dict[str, str]]:
    """The numbers of the sliders, the named value, and what is wrong with them."""
    ranges = {knob.name: (knob.low, knob.high, knob.start) for knob in scene.knobs}
    if scene.lecture is None:
        ranges["level"] = LEVELS
    values, problems = ranged(request.query_params, ranges)
    chosen = None
    if scene.choice is not None:
        name, _, options = scene.choice
        chosen = request.query_params.get(name) or options[0][0]
        if chosen not in [key for key, _ in options]:
            problems[name] = f"This is one of {', '.join(key for key, _ in options)}."
    return values, chosen, problems


def _spoken(result: Any) -> str:
    """The sentence with the names of methods, where it has what is typed for them."""
    if result is None:
        return ""
    found = str(result["sentence"])
    for method in {cell["method"] for cell in result["cells"]}:
        found = re.sub(rf"\b{re.escape(method)}\b", method_name(method), found)
    return found


def _rates(scene: Scene, result: Any) -> dict[str, ReportTable]:
    if result is None:
        return {}
    counted = f"Counted over {scene.counted or 0:,} samples each, seed {result['seed']}."
    caption = "All outcomes were enumerated." if result["seed"] is None else counted
    rows = [
        [
            method_name(cell["method"]), cell["n"], dict(cell["parameters"]).get("p"),
            quantity_name(cell["quantity"]), cell["value"],
            (cell["interval"] or {}).get("low"), (cell["interval"] or {}).get("high"),
        ]
        for cell in result["cells"]
    ]  # fmt: skip
    heads = ["method", "n", "p", "what", "rate", "95% CI from", "to"]
    kept = [
        place
        for place in range(len(heads))
        if place in (0, 1, 3, 4) or any(row[place] is not None for row in rows)
    ]
    shown = [[row[place] for place in kept] for row in rows]
    return {"rates": grid("rates", caption, [heads[place] for place in kept], shown, ".3f")}


def _chart(scene: Scene, result: Any, values: dict[str, float]) -> dict[str, Any] | None:
    """Lines by method; power where there is an effect, which is what is left of type II errors."""
    if result is None:
        return None
    missed = any(cell["quantity"] == "type II error" for cell in result["cells"])
    level = values.get("level", LEVELS[2])
    alpha = round(1.0 - level, 12)
    rows: dict[str, dict[str, Any]] = {}
    for cell in result["cells"]:
        if cell["value"] is None:
            continue
        row = rows.setdefault(
            cell["method"], {"name": method_name(cell["method"]), "x": [], "y": []}
        )
        row["x"].append(cell["n"] if scene.along == "n" else dict(cell["parameters"])[scene.along])
        row["y"].append(1.0 - cell["value"] if missed else cell["value"])
    nominal = None if missed else alpha if scene.question == "error" else level
    label = "power" if missed else "error rate" if scene.question == "error" else "coverage"
    places = [x for row in rows.values() for x in row["x"]] or [1.0]
    highest = max((y for row in rows.values() for y in row["y"]), default=1.0)
    return {
        "rows": list(rows.values()),
        "axis": {"n": "tests" if scene.world == "tests" else "n"}.get(scene.along, "true rate"),
        "label": label,
        "nominal": nominal,
        "log": scene.lecture is None and max(places) >= 20 * min(places),
        "zero": scene.question == "error",
        "top": 1.0
        if missed or scene.question == "coverage"
        else min(1.0, max(0.12, round(1.15 * highest, 2))),
    }
