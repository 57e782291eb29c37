"""How each shape of evidence is typed: as numbers in options, or as columns of a file."""

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from assay.core.errors import UsageError
from assay.core.methods import Method
from assay.evidence.arguments import Call, arguments_of
from assay.evidence.given import Asked
from assay.evidence.given import Given as Source
from assay.evidence.refusals import WANTED, example_of

Given = Mapping[str, Any]


class Numbers(click.ParamType):  # type: ignore[type-arg]
    """Numbers separated by commas or spaces: ``90,93,80``."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[float]:
        try:
            return [float(part) for part in re.split(r"[,\s]+", str(value).strip())]
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers such as 0.8,0.75,0.9", param, ctx)


class Matrix(click.ParamType):  # type: ignore[type-arg]
    """Rows separated by semicolons: ``3,1;1,3``."""

    name = "rows"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[list[float]]:
        return [Numbers().convert(row, param, ctx) for row in str(value).strip("; ").split(";")]


class Ranks(click.ParamType):  # type: ignore[type-arg]
    """Names with mean ranks: ``RF=1.7,kNN=3.2``."""

    name = "ranks"

    def convert(self, value: Any, param: Any, ctx: Any) -> dict[str, float]:
        try:
            pairs = [part.rsplit("=", 1) for part in str(value).split(",")]
            return {name.strip(): float(rank) for name, rank in pairs}
        except ValueError:
            self.fail(f"{value!r} is not a list such as RF=1.7,kNN=3.2", param, ctx)


class Words(click.ParamType):  # type: ignore[type-arg]
    """Names separated by commas: ``a,b``."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:  # noqa: ARG002
        return [part.strip() for part in str(value).split(",")]


NUMBERS, MATRIX, WORDS = Numbers(), Matrix(), Words()
Option = tuple[str, dict[str, Any]]

TYPED: dict[str, tuple[Option, ...]] = {
    "counts": (("errors", {"type": int}), ("n", {"type": int})),
    "two-counts": (
        ("a", {"type": int, "nargs": 2, "metavar": "ERRORS N"}),
        ("b", {"type": int, "nargs": 2, "metavar": "ERRORS N"}),
    ),
    "margins": (("errors-a", {"type": int}), ("errors-b", {"type": int}), ("n", {"type": int})),
    "paired-table": (
        ("table", {"type": int, "nargs": 4, "metavar": "BOTH-RIGHT ONLY-A ONLY-B BOTH-WRONG"}),
    ),
    "contingency-table": (("table", {"type": MATRIX, "metavar": "3,1;1,3"}),),
    "confusion": (("table", {"type": MATRIX, "metavar": "3,1;1,3"}),),
    "sample": (("values", {"type": NUMBERS}),),
    "clustered-sample": (("values", {"type": NUMBERS}), ("clusters", {"type": NUMBERS})),
    "two-samples": (("a", {"type": NUMBERS}), ("b", {"type": NUMBERS})),
    "runs": (("a", {"type": NUMBERS}), ("b", {"type": NUMBERS})),
    "pairs": (("a", {"type": NUMBERS}), ("b", {"type": NUMBERS})),
    "clustered-pairs": (
        ("a", {"type": NUMBERS}), ("b", {"type": NUMBERS}), ("clusters", {"type": NUMBERS}),
    ),
    "groups": (("group", {"type": NUMBERS, "multiple": True}),),
    "many-runs": (("group", {"type": NUMBERS, "multiple": True}),),
    "blocks": (("rows", {"type": MATRIX, "metavar": "0.8,0.7;0.9,0.6"}),),
    "successes": (("rows", {"type": MATRIX, "metavar": "1,0;1,1"}),),
    "scored-labels": (("truth", {"type": NUMBERS}), ("scores", {"type": NUMBERS})),
    "paired-scored-labels": (
        ("truth", {"type": NUMBERS}), ("a", {"type": NUMBERS}), ("b", {"type": NUMBERS}),
    ),
    "two-scored-labels": (
        ("truth-a", {"type": NUMBERS}), ("a", {"type": NUMBERS}),
        ("truth-b", {"type": NUMBERS}), ("b", {"type": NUMBERS}),
    ),
    "p-values": (("p", {"type": NUMBERS}),),
    "replicated-pairs": (("rows", {"type": MATRIX, "metavar": "0.01,-0.02;…"}),),
    "criteria-pairs": (("a", {"type": MATRIX}), ("b", {"type": MATRIX})),
    "criteria-groups": (("group", {"type": MATRIX, "multiple": True}),),
    "fold-losses": (("losses", {"type": NUMBERS}), ("folds", {"type": NUMBERS})),
    "paired-fold-losses": (
        ("a", {"type": NUMBERS}), ("b", {"type": NUMBERS}), ("folds", {"type": NUMBERS}),
    ),
    "fold-scored-labels": (
        ("truth", {"type": NUMBERS}), ("scores", {"type": NUMBERS}), ("folds", {"type": NUMBERS}),
    ),
    "fold-score-pairs": (("a", {"type": MATRIX}), ("b", {"type": MATRIX})),
    "nested-losses": (
        ("losses", {"type": MATRIX, "metavar": "0,1,0;…"}), ("folds", {"type": NUMBERS}),
    ),
    "out-of-bag-losses": (("losses", {"type": MATRIX, "metavar": "0,nan;nan,1"}),),
    "bootstrap-losses": (
        ("fitted", {"type": NUMBERS}), ("out-of-bag", {"type": MATRIX, "metavar": "0,nan;nan,1"}),
    ),
    "bootstrap-losses-rate": (
        ("fitted", {"type": NUMBERS}), ("out-of-bag", {"type": MATRIX, "metavar": "0,nan;nan,1"}),
        ("no-information", {"type": float}),
    ),
    "summary": (),  # its numbers are named by the method itself
    "effect": (("value", {"type": float}), ("standard-error", {"type": float})),
    "ranks": (("ranks", {"type": Ranks(), "metavar": "RF=1.7,kNN=3.2"}), ("n", {"type": int})),
    "model-predictions": (),
    "predictions": (),
    "two-predictions": (),
    "preferences": (("wins", {"type": MATRIX, "metavar": "0,8;3,0"}),),
    "ratings": (("rows", {"type": MATRIX, "metavar": "1,1,nan;2,2,3"}),),
}  # fmt: skip
"""For each shape, the options that carry it when it is typed."""

ALONE = {"pairs", "criteria-pairs", "fold-score-pairs"}
"""Shapes of two arguments of which the first alone is taken as differences."""

SPREAD = {"two-counts", "paired-table"}
"""Shapes whose options hold several arguments each."""

BASELINE_LEVEL = {"counts", "sample"}
"""One-model shapes: there ``--level`` is the baseline level, and ``--confidence`` the confidence."""


def evidence_options_of(method: Method) -> list[click.Parameter]:
    """Options for typed evidence, and those that say what the columns of a file are."""
    options = [click.Option([f"--{name}"], **facts) for name, facts in TYPED[method.takes]]
    if method.takes == "summary":
        options = [
            click.Option([f"--{p.name.replace('_', '-')}"], type=float)
            for p in _evidence_parameters(method)
        ]
    accepted = inspect.signature(method.function).parameters
    said = {
        "columns": ("A,B", "Columns of the file (models) to use, in this order."),
        "truth-column": ("COL", "Column of the file with the truth."),
        "fold-column": ("COL", "Column of the file with the fold of each item."),
        "cluster-column": ("COL", "Column of the file with the cluster of each item."),
    }
    if "measure" not in accepted:
        said["measure"] = ("NAME", "Of a file of scores in several measures: which.")
    options += [
        click.Option([f"--{name}"], metavar=metavar, help=text)
        for name, (metavar, text) in said.items()
    ]
    return list(options)


def keyword_options_of(method: Method) -> list[click.Parameter]:
    """Options made from the keyword-only parameters of a method."""
    taken = {name for name, _ in TYPED[method.takes]}
    made: list[click.Parameter] = []
    for parameter in inspect.signature(method.function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        flags = [f"--{name}" for name in _flags(method, parameter.name) if name not in taken]
        if flags:
            made.append(click.Option([*flags, parameter.name], **_facts(parameter)))
    return made


def evidence_from(method: Method, files: tuple[Path, ...], given: Given) -> Call:
    """The evidence and the options of a call, from what was typed, and notes on both."""
    names = [name.replace("-", "_") for name, _ in TYPED[method.takes]]
    if method.takes == "summary":
        names = [parameter.name for parameter in _evidence_parameters(method)]
    typed = [given.get(name) for name in names]
    accepted = inspect.signature(method.function).parameters
    options = {
        name: value
        for name, value in given.items()
        if value is not None and name not in names and name in accepted
    }
    if files:
        measure = None if "measure" in accepted else given.get("measure")
        asked = _asked(given, measure)
        return _by_task(method, files, asked, arguments_of(method, files, asked, options))
    if any(value is None or value == () for value in typed) or not typed:
        present = [v for v in typed if v not in (None, ())]
        if method.takes in ALONE and len(present) == 1 and typed[0] is not None:
            return (typed[0],), options, ()  # differences alone
        raise UsageError(
            f"{method.id} needs {_wanted(method)}, or a file with {WANTED[method.takes][0]}; "
            f"for instance `{example_of(method)}`"
        )
    if method.takes in SPREAD:
        return tuple(number for value in typed if value for number in value), options, ()
    return tuple(list(v) if isinstance(v, tuple) else v for v in typed), options, ()


def _by_task(
    method: Method, files: tuple[Path, ...], asked: Asked, call: tuple[Any, Any, Any]
) -> tuple[Any, Any, Any]:
    """Runs on several data sets stay apart: pooled, easy tasks of A would stand against hard ones of B."""
    if (method.layer, method.family) != ("estimates", "runs") or len(files) != 1:
        return call
    source = Source.of(files[0], asked)
    if source.kind != "scores":
        return call
    scores, measure = source.scores()
    if len(scores.datasets) < 2:
        return call
    tasks = {
        model: {
            task: [
                one.value
                for one in scores.scores
                if (one.model, one.dataset, one.measure) == (model, task, measure)
            ]
            for task in scores.datasets
        }
        for model in scores.models
    }
    return tuple(tasks.values()), *call[1:]


def _asked(given: Given, measure: str | None) -> Asked:
    columns = given.get("columns")
    return Asked(
        truth=given.get("truth_column"),
        columns=tuple(name.strip() for name in columns.split(",")) if columns else None,
        measure=measure,
        cluster=given.get("cluster_column"),
        fold=given.get("fold_column"),
        n=given.get("n"),
        no_information=given.get("no_information"),
    )


def _wanted(method: Method) -> str:
    names = [name for name, _ in TYPED[method.takes]]
    names = names or [parameter.name for parameter in _evidence_parameters(method)]
    return (
        " and ".join(f"--{name.replace('_', '-')}" for name in names)
        if names
        else "a file of predictions"
    )


def _evidence_parameters(method: Method) -> list[inspect.Parameter]:
    parameters = inspect.signature(method.function).parameters.values()
    return [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


def _flags(method: Method, name: str) -> tuple[str, ...]:
    one_model = (
        method.takes in BASELINE_LEVEL and "null" in inspect.signature(method.function).parameters
    )
    if name == "level":
        return ("confidence",) if one_model else ("level", "confidence")
    if name == "null" and one_model:
        return ("level", "null")
    if name == "rng":
        return ("seed",)
    if name == "n_resamples":
        return ("resamples",)
    return (name.replace("_", "-"),)


def _facts(parameter: inspect.Parameter) -> dict[str, Any]:
    """A click type from a parameter's annotation and default."""
    annotation, default = parameter.annotation, parameter.default
    choices = _choices(annotation)
    facts: dict[str, Any] = {"default": None}
    if choices:
        facts["type"] = click.Choice(choices)
    elif isinstance(default, bool):
        return {"is_flag": True, "default": None}
    elif "array_like" in str(annotation):
        facts["type"] = NUMBERS
    elif parameter.name == "models":
        facts |= {"type": WORDS, "metavar": "A,B"}
    elif isinstance(default, str):
        facts["type"] = str
    elif parameter.name == "rng" or isinstance(default, int):
        facts["type"] = int
    elif isinstance(default, float) or "float" in str(annotation):
        facts["type"] = float
    elif "int" in str(annotation) and "str" not in str(annotation):
        facts["type"] = int
    if default not in (None, parameter.empty):
        facts["help"] = f"Default: {default}."
    return facts


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(word) for word in get_args(annotation)]
    return [word for part in get_args(annotation) for word in _choices(part)]
