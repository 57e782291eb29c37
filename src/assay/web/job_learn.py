"""Jobs of the learning pages: the guide, plans, how methods behave, and a method's worked example."""

import inspect
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from assay.compare import guide
from assay.core import wire
from assay.core.errors import AssayError
from assay.core.methods import find_method
from assay.plan.plan import plan
from assay.report import render
from assay.report.explain import explain
from assay.simulate.lecture_figures import lecture_figure
from assay.simulate.simulate import simulate
from assay.web.simulation_presets import SCENES
from assay.web.worked_examples import EXAMPLES, OPTIONS


def advice(answers: dict[str, str]) -> dict[str, Any]:
    """What the choosing guide says to these answers."""
    return {"advice": asdict(guide.answer(**answers))}


def planned(measure: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """A plan, with its curve."""
    return {"result": wire.to_builtins(plan(measure, rng=1, **options))}


def simulated(
    scene: str, question: str, values: dict[str, float], choice: str | None
) -> dict[str, Any]:
    """Methods in a world whose truth is known."""
    shown = next(one for one in SCENES if (one.name, one.question) == (scene, question))
    if shown.lecture is not None:
        drawn = lecture_figure(shown.lecture, replicates=shown.counted, rng=1)
        return {"result": wire.to_builtins(drawn)}
    options: dict[str, Any] = {**shown.fixed, **values}
    if shown.choice is not None:
        options[shown.choice[0]] = choice
    options["n"] = int(options["n"]) if "n" in options else list(shown.sizes)
    if shown.along != "n":
        options[shown.along] = list(shown.values)
    found = simulate(
        list(shown.methods),
        world=shown.world,
        question=question,
        replicates=shown.counted,
        rng=1,
        **options,
    )
    return {"result": wire.to_builtins(found)}


def example(method: str) -> dict[str, Any]:
    """A method on a small example: what goes in, the formula with its numbers, what comes out."""
    record = find_method(method)
    make = EXAMPLES.get(record.takes)
    if make is None:
        return {"example": None}
    taken = inspect.signature(record.function).parameters
    options = {
        key: value
        for name, given in OPTIONS.items()
        if name in taken
        for key, value in given.items()
    }
    if "rng" in taken:
        options["rng"] = 1
    evidence = make()
    try:
        result = record.function(*evidence, **options)
        shown = explain(record, evidence, options, result)
    except AssayError:  # some methods need more than the example of their shape has
        return {"example": None}
    given = ", ".join(
        [*map(_written, evidence), *(f"{key}={value!r}" for key, value in options.items())]
    )
    return {
        "example": {
            "call": f"assay.{record.id}({given})",
            "explained": shown,
            "text": render(result) if not isinstance(result, tuple) else "",
        }
    }


def _written(value: Any) -> str:
    text = repr(value.tolist() if hasattr(value, "tolist") else value)
    return text if len(text) <= 300 else f"{text[:300]} …"


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "advice": advice,
    "planned": planned,
    "example": example,
    "simulated": simulated,
}
