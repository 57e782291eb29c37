"""How each shape of evidence is typed: as numbers in options, or as columns of a file."""

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from assay.core.errors import UsageError
from assay.core.methods import Method

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


NUMBERS, MATRIX = Numbers(), Matrix()
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
    "nested-losses": (
        ("losses", {"type": MATRIX, "metavar": "0,1,0;…"}), ("folds", {"type": NUMBERS}),
    ),
    "bootstrap-losses": (
        ("fitted", {"type": NUMBERS}), ("out-of-bag", {"type": MATRIX, "metavar": "0,nan;nan,1"}),
    ),
    "bootstrap-losses-rate": (
        ("fitted", {"type": NUMBERS}), ("out-of-bag", {"type": MATRIX, "metavar": "0,nan;nan,1"}),
        ("no-information", {"type": float}),
    ),
    "summary": (),  # its numbers are named by the method itself
    "ranks": (("ranks", {"type": Ranks(), "metavar": "RF=1.7,kNN=3.2"}), ("n", {"type": int})),
    "model-predictions": (),
    "predictions": (),
    "two-predictions": (),
}  # fmt: skip
"""For each shape, the options that carry it when it is typed."""

SPREAD = {"two-counts", "paired-table"}
"""Shapes whose options hold several arguments each."""

BASELINE_LEVEL = {"counts", "sample"}
"""One-model shapes: there ``--level`` is the baseline level, and ``--confidence`` the confidence."""


def evidence_options_of(method: Method) -> list[click.Parameter]:
    options = [click.Option([f"--{name}"], **facts) for name, facts in TYPED[method.takes]]
    if method.takes in ("summary", "margins") and not options:
        options = [
            click.Option([f"--{p.name.replace('_', '-')}"], type=float)
            for p in _evidence_parameters(method)
        ]
    options.append(
        click.Option(
            ["--columns"], metavar="A,B", help="Columns of the file to use, in this order."
        )
    )
    if method.takes in (
        "predictions",
        "counts",
        "paired-table",
        "successes",
        "scored-labels",
        "paired-scored-labels",
    ):
        options.append(
            click.Option(
                ["--truth-column"], metavar="COL", help="Column of the file with the truth."
            )
        )
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


def evidence_from(
    method: Method, files: tuple[Path, ...], given: Given
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The evidence and the options of a call, from what was typed."""
    names = [name.replace("-", "_") for name, _ in TYPED[method.takes]]
    if method.takes == "summary":
        names = [parameter.name for parameter in _evidence_parameters(method)]
    typed = [given.get(name) for name in names]
    extra = {"columns", "truth_column", *names}
    options = {
        name: value for name, value in given.items() if name not in extra and value is not None
    }
    if files:
        found = FROM_FILES.get(method.takes, _columns)(files, given)
        _check_columns(method, files, found)
        return found, options
    if any(value is None or value == () for value in typed) or not typed:
        present = [v for v in typed if v not in (None, ())]
        if method.takes == "pairs" and len(present) == 1 and typed[0] is not None:
            return (typed[0],), options  # differences alone
        raise UsageError(f"{method.id} needs {_wanted(method)}, or a file")
    if method.takes in SPREAD:
        return tuple(number for value in typed if value for number in value), options
    return tuple(list(v) if isinstance(v, tuple) else v for v in typed), options


def _check_columns(method: Method, files: tuple[Path, ...], found: tuple[Any, ...]) -> None:
    """Refuse more or fewer columns than the method has arguments."""
    parameters = inspect.signature(method.function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    named = _evidence_parameters(method)
    least = sum(p.default is p.empty for p in named)
    if not least <= len(found) <= len(named):
        raise UsageError(
            f"{method.id} takes {' and '.join(p.name for p in named)}; {files[0]} has {len(found)} columns of "
            "numbers: choose them with --columns A,B"
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
    elif parameter.name == "rng" or isinstance(default, int):
        facts["type"] = int
    elif isinstance(default, float) or "float" in str(annotation):
        facts["type"] = float
    elif "int" in str(annotation):
        facts["type"] = int
    if default not in (None, parameter.empty):
        facts["help"] = f"Default: {default}."
    return facts


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(word) for word in get_args(annotation)]
    return [word for part in get_args(annotation) for word in _choices(part)]


def _columns(files: tuple[Path, ...], given: Given) -> tuple[Any, ...]:
    """Number columns of a table, one argument each."""
    return tuple(_numeric(files, given).values())


def _groups(files: tuple[Path, ...], given: Given) -> tuple[Any, ...]:
    return (list(_numeric(files, given, missing=True).values()),)


def _runs(files: tuple[Path, ...], given: Given) -> tuple[Any, ...]:
    return (_numeric(files, given, missing=True),)


def _rows(files: tuple[Path, ...], given: Given) -> tuple[Any, ...]:
    columns = _numeric(files, given)
    return ([list(row) for row in zip(*columns.values(), strict=True)],)


def _blocks(files: tuple[Path, ...], given: Given) -> tuple[Any, ...]:
    from assay.evidence.readers.scores import read_blocks

    return (read_blocks(_only(files), models=_chosen(given)),)


def _predictions(files: tuple[Path, ...], given: Given) -> tuple[Any, ...]:
    from assay.evidence.readers import read

    return (read(*files, truth=given.get("truth_column"), models=_chosen(given)),)


def _two_predictions(files: tuple[Path, ...], given: Given) -> tuple[Any, ...]:
    return tuple(part for file in files for part in _predictions((file,), given))


def _numeric(
    files: tuple[Path, ...], given: Given, *, missing: bool = False
) -> dict[str, list[float]]:
    from assay.evidence.readers.scores import read_numbers

    return read_numbers(_only(files), columns=_chosen(given), missing=missing)


def _only(files: tuple[Path, ...]) -> Path:
    if len(files) > 1:
        raise UsageError(f"one table is needed here, got {len(files)} files")
    return files[0]


def _chosen(given: Given) -> list[str] | None:
    columns = given.get("columns")
    return [name.strip() for name in columns.split(",")] if columns else None


FROM_FILES: dict[str, Callable[[tuple[Path, ...], Given], tuple[Any, ...]]] = {
    "counts": _predictions,
    "paired-table": _predictions,
    "successes": _predictions,
    "scored-labels": _predictions,
    "paired-scored-labels": _predictions,
    "model-predictions": _predictions,
    "predictions": _predictions,
    "two-predictions": _two_predictions,
    "blocks": _blocks,
    "groups": _groups,
    "many-runs": _runs,
    "replicated-pairs": _rows,
    "contingency-table": _rows,
    "confusion": _rows,
}
"""How a file becomes the evidence of a shape; others are number columns, one per argument."""
