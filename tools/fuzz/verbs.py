"""The verbs of Python with options nobody meant, and their results as JSON that somebody changed.

Evidence is ordinary here; `objects.py` makes that strange.
"""

import copy
import inspect
import json
import random
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import assay
from assay.evidence.reading_options import Told
from tools.fuzz.arguments import LONE, SEEDS
from tools.fuzz.attempts import Attempt, knock, printable
from tools.fuzz.logs import changed_values
from tools.fuzz.store_doors import small_study, sound_store

TRUTH = [0, 1, 1, 0, 1, 0, 1, 1, 0, 0] * 4
ITEMS: dict[str, Any] = {
    "truth": TRUTH,
    "a": [1 - one if place % 5 == 0 else one for place, one in enumerate(TRUTH)],
    "b": [1 - one if place % 3 == 0 else one for place, one in enumerate(TRUTH)],
    "group": [place % 4 for place in range(40)],
}
SCORES = {
    "dataset": [f"d{place}" for place in range(9)],
    "a": [0.5 + 0.03 * (place * 2 % 7) for place in range(9)],
    "b": [0.5 + 0.03 * (place * 3 % 7) for place in range(9)],
    "c": [0.5 + 0.03 * (place * 5 % 7) for place in range(9)],
}
JUDGED = {
    "id": list(range(40)),
    "people": [*TRUTH[:20], *[None] * 20],
    "gpt": ITEMS["a"],
    "length": ITEMS["group"],
}
QUICK: dict[str, Any] = {"rng": 1, "n_resamples": 100}
READ: dict[str, Any] = {"truth": "truth", "models": ["a", "b"]}
CALLS: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("look", (ITEMS,), READ),
    ("evaluate", (ITEMS,), {**READ, **QUICK, "measures": ["accuracy", "f1"]}),
    ("evaluate", (JUDGED,), {"truth": "people", "judge": "gpt", "correct": True, "rng": 1}),
    ("compare", (ITEMS,), {**READ, **QUICK, "margin": 0.05}),
    ("compare", (ITEMS,), {**READ, **QUICK, "slice": "group"}),
    ("compare", (SCORES,), {"measure": "accuracy", "rng": 1}),
    ("board", (ITEMS,), {**READ, **QUICK}),
    ("board", (SCORES,), {**QUICK, "measure": "accuracy", "cost": {"a": 1.0, "b": 2.0, "c": 3.0}}),
    ("judge", (JUDGED,), {"truth": "people", "judge": "gpt", "bias": "length", "correct": True}),
    ("gate", (ITEMS,), {**READ, **QUICK, "baseline": "a", "candidate": "b", "margin": 0.1}),
    ("gate", (ITEMS,), {**READ, **QUICK, "baseline": "a", "candidate": "b", "at_least": {"accuracy": 0.5}}),
    ("plan", ("accuracy",), {"n": 100, "difference": 0.05, "baseline": 0.8}),
    ("plan", ("accuracy",), {**READ, "pilot": ITEMS, "power": 0.8, "difference": 0.1}),
    ("simulate", (["mcnemar"],), {"n": 20, "replicates": 20, "rng": 1}),
    ("simulate", (["wilson"],), {"question": "coverage", "n": 10, "rng": 1, "p": 0.2}),
)  # fmt: skip
HEAVY = frozenset({"n_resamples", "replicates", "aa", "looks", "progress"})
"""Options whose strange values are only large: work that was asked for."""
WIDELY = (
    "a",
    "b",
    "group",
    "accuracy",
    ["a"],
    {"accuracy": 0.1},
    {"a": "b"},
    {"a": None},
    0.05,
    3,
    {"accuracy": "x"},
)
FORMS = ("table", "json", "markdown", "latex", "csv", "html")


def opened(_: Path, seed: int) -> Callable[[int], Attempt]:
    """A verb with strange options, or a strange result, by its number."""

    def attempt(number: int) -> Attempt:
        rng = random.Random(f"{seed} {number}")
        what, door = _changed_result(rng) if rng.random() < 0.4 else _strange_options(rng)
        return Attempt(what, knock(door))

    return attempt


def _strange_options(rng: random.Random) -> tuple[str, Callable[[], None]]:
    verb, evidence, options = rng.choice(CALLS)
    function = getattr(assay, verb)
    named = {**options}
    for name in rng.sample(_options(verb), rng.choice((1, 1, 2))):
        named[name] = copy.deepcopy(rng.choice(SEEDS if name == "rng" else (*LONE, *WIDELY)))

    def door() -> None:
        answer = function(*evidence, **named)
        printable(str(answer))
        if verb != "look":
            printable(assay.to_json(answer))

    return f"{verb} {named!r:.300}", door


@cache
def _options(verb: str) -> list[str]:
    given = inspect.signature(getattr(assay, verb)).parameters.values()
    names = [one.name for one in given if one.kind is one.KEYWORD_ONLY and one.name not in HEAVY]
    reading = [one.name for one in fields(Told) if one.name not in ("extra", "model_column")]
    return [*names, *reading] if verb not in ("plan", "simulate") else names


@cache
def _results() -> list[dict[str, Any]]:
    """Sound results of every verb as JSON."""
    found = [
        getattr(assay, verb)(*evidence, **options)
        for verb, evidence, options in CALLS
        if verb != "look"
    ]
    found += [assay.wilson(3, 10), assay.mcnemar([[20, 5], [9, 6]]), assay.friedman(SCORES)]
    found += [assay.bayes_sign([0.1, 0.3], [0.2, 0.2], rope=0.01), assay.nemenyi(SCORES)]
    pair: dict[str, Any] = {**READ, **QUICK, "baseline": "a", "candidate": "b"}
    found += [
        assay.gate(ITEMS, **pair, margin=0.2, slice="group", slice_margin=0.5, measures=["accuracy", "f1"]),
        assay.gate(ITEMS, **pair, better_by=0.01, at_most={"fpr": 0.5}, positive=1),
        assay.gate(ITEMS, **pair, margin=0.2, aa=3),
        assay.board(ITEMS, **READ, **QUICK, suite="group", best=2),
        assay.evaluate(SCORES, measures=["accuracy"]),
        *_of_studies(),
    ]  # fmt: skip
    return [json.loads(assay.to_json(one)) for one in found]


def _of_studies() -> list[Any]:
    """The report of a study, and its curves by themselves."""
    from assay.compare.study_report import study_report
    from assay.study.stored_study import read_study

    with TemporaryDirectory() as folder:
        store = sound_store(small_study(), Path(folder) / "study.db")
        report = study_report(read_study(store), rng=1, margin=0.01)
    return [report, *report.curves[:1]]


def _changed_result(rng: random.Random) -> tuple[str, Callable[[], None]]:
    document = [copy.deepcopy(rng.choice(_results()))]
    what = [changed_values(document, rng) for _ in range(rng.choice((1, 1, 2, 5)))]
    text = json.dumps(document[0] if document else None)
    form = rng.choice(FORMS[:-1])

    def door() -> None:
        found = assay.from_json(text)
        printable(str(found))
        printable(assay.render(found, form))
        assay.from_json(assay.to_json(found))

    kind = document[0].get("kind") if document and isinstance(document[0], dict) else "?"
    return f"{kind} as {form}: {'; '.join(what)}", door
