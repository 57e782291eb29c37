"""The options of `assay test METHOD`: evidence typed as numbers, columns of a file, and what a method takes."""

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from assay.cli.options import reading, reading_options
from assay.core.errors import UsageError
from assay.core.methods import Method
from assay.evidence.argument_shapes import SHAPES, TypedKind
from assay.evidence.method_arguments import Call, arguments_of
from assay.evidence.method_source import SourceOptions


def example_of(method: Method) -> str:
    """A command of this method that works."""
    return SHAPES[method.takes].command(method)


class NumbersOption(click.ParamType):  # type: ignore[type-arg]
    """Numbers separated by commas or spaces: ``90,93,80``."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[float]:
        try:
            return [float(part) for part in re.split(r"[,\s]+", str(value).strip())]
        except ValueError:
            columns = {one.name: one.opts[0] for one in ctx.command.params} if ctx else {}
            named = columns.get(f"{param.name}_column") if param else None
            hint = f"; a column of a file is named by {named}" if named else ""
            self.fail(f"{value!r} is not a list of numbers such as 0.8,0.75,0.9{hint}", param, ctx)


class MatrixOption(click.ParamType):  # type: ignore[type-arg]
    """Rows separated by semicolons: ``3,1;1,3``."""

    name = "rows"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[list[float]]:
        return [
            NumbersOption().convert(row, param, ctx) for row in str(value).strip("; ").split(";")
        ]


class Ranks(click.ParamType):  # type: ignore[type-arg]
    """Names with mean ranks: ``RF=1.7,kNN=3.2``."""

    name = "ranks"

    def convert(self, value: Any, param: Any, ctx: Any) -> dict[str, float]:
        try:
            pairs = [part.rsplit("=", 1) for part in str(value).split(",")]
            return {name.strip(): float(rank) for name, rank in pairs}
        except ValueError:
            self.fail(f"{value!r} is not a list such as RF=1.7,kNN=3.2", param, ctx)


class WordsOption(click.ParamType):  # type: ignore[type-arg]
    """Names separated by commas: ``a,b``."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:  # noqa: ARG002
        return [part.strip() for part in str(value).split(",")]


NUMBERS, WORDS = NumbersOption(), WordsOption()
TYPES: dict[TypedKind, Any] = {
    "whole": int, "number": float, "numbers": NUMBERS, "rows": MatrixOption(), "ranks": Ranks(),
}  # fmt: skip

OF_FILES = {
    "columns": ("A,B", "Columns of the file (models) to use, in this order."),
    "truth-column": ("COL", "Column of the file with the truth."),
    "fold-column": ("COL", "Column of the file with the fold of each item."),
    "cluster-column": ("COL", "Column of the file with the cluster of each item."),
    "measure": ("NAME", "Of a file of scores in several measures: which."),
}
"""Options that say what the columns of a file are."""


def evidence_options_of(method: Method) -> list[click.Parameter]:
    """Options for typed evidence, and those that say what the columns of a file are."""
    typed = [
        click.Option(
            [f"--{option.name}"],
            type=TYPES[option.kind],
            nargs=option.values,
            metavar=option.metavar,
            multiple=option.repeated,
        )
        for option in SHAPES[method.takes].options
    ]
    of_files = [
        click.Option([f"--{name}"], metavar=metavar, help=text)
        for name, (metavar, text) in OF_FILES.items()
        if name not in method.parameters  # as the measure of a method of predictions is
    ]
    return [*typed, *of_files, *_reading_options(method)]


def _reading_options(method: Method) -> list[click.Option]:
    """The options by which every command is told what a file holds, where the method leaves their names."""

    @reading_options
    def told() -> None: ...

    own = {option.name for option in SHAPES[method.takes].options}
    own |= {name for parameter in method.parameters for name in _flags(method, parameter)}
    made: list[click.Option] = told.__click_params__  # type: ignore[attr-defined]
    return [one for one in reversed(made) if not {flag.lstrip("-") for flag in one.opts} & own]


def keyword_options_of(method: Method) -> list[click.Parameter]:
    """Options made from the keyword-only parameters of a method."""
    taken = {option.name for option in SHAPES[method.takes].options}
    made: list[click.Parameter] = []
    for parameter in method.parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        flags = [f"--{name}" for name in _flags(method, parameter.name) if name not in taken]
        if flags:
            made.append(click.Option([*flags, parameter.name], **_facts(parameter)))
    return made


def evidence_from(method: Method, files: tuple[Path, ...], typed: Mapping[str, Any]) -> Call:
    """The evidence and the options of a call, from what was typed, and notes on both."""
    shape = SHAPES[method.takes]
    values = {option: typed.get(option.parameter) for option in shape.options}
    carrying = {option.parameter for option in shape.options}
    options = {
        name: value
        for name, value in typed.items()
        if value is not None and name not in carrying and name in method.parameters
    }
    if files:
        _refuse_numbers(method, files)
        said = _source_options(method, typed)
        sources = _as_told(method, files, said, typed)
        return arguments_of(method, sources, said, options, compared=_say_who)
    present = {option: value for option, value in values.items() if value not in (None, ())}
    alone = shape.first_alone and list(present) == list(shape.options[:1])  # differences
    if not present or (len(present) < len(values) and not alone):
        names = " and ".join(f"--{option.name}" for option in shape.options)
        raise UsageError(
            f"{method.id} needs {names or 'a file of predictions'}, or a file with {shape.needs}; "
            f"for instance `{example_of(method)}`"
        )
    evidence: list[Any] = []
    for option, value in present.items():
        evidence += value if option.values > 1 else [list(value) if option.repeated else value]
    return tuple(evidence), options, ()


def _refuse_numbers(method: Method, files: tuple[Path, ...]) -> None:
    """Numbers in the place of files, as one calls the method in Python: the command that takes them."""
    typed = [str(one) for one in files]
    if not all(re.fullmatch(r"[-+]?\d*\.?\d+(e[-+]?\d+)?,?", one) for one in typed):
        return
    if any(one.exists() for one in files):
        return
    numbers = [one.rstrip(",") for one in typed]
    options, example = SHAPES[method.takes].options, example_of(method)
    plain = all(one.kind in ("whole", "number") and not one.repeated for one in options)
    if plain and sum(one.values for one in options) == len(numbers):
        words = [
            " ".join([f"--{one.name}", *(numbers.pop(0) for _ in range(one.values))])
            for one in options
        ]
        example = f"assay test {method.id} {' '.join(words)}"
    elif len(options) == 1 and options[0].kind == "numbers" and not options[0].repeated:
        example = f"assay test {method.id} --{options[0].name} {','.join(numbers)}"
    raise UsageError(f"numbers follow an option: write `{example}`")


def _say_who(compared: list[str]) -> None:
    """Which of two models is A in what follows, and which is B."""
    from assay.cli.output import say

    if len(compared) == 2:
        say(f"A is {compared[0]}, B is {compared[1]}.")


def _as_told(
    method: Method, files: tuple[Path, ...], said: SourceOptions, typed: Mapping[str, Any]
) -> Sequence[Any]:
    """The files, or their evidence where it was told what they hold."""
    given = {}
    for option in _reading_options(method):
        name = str(option.name)
        if typed.get(name) not in (None, (), False, option.default) and option.expose_value:
            given[name] = typed[name]
    if not given:
        return files
    from assay.evidence.reading import read

    known = {"item_id": None, "by_position": False, "models": None, **given}
    told = {name: value for name, value in reading(**known).items() if value is not None}
    own = {"truth": said.truth, "models": said.columns, "measure": said.measure, "fold": said.fold}
    own["cluster"] = said.cluster
    told |= {name: value for name, value in own.items() if value is not None}
    return [read(file, **told) for file in files]


def _source_options(method: Method, typed: Mapping[str, Any]) -> SourceOptions:
    columns = typed.get("columns")
    return SourceOptions(
        truth=typed.get("truth_column"),
        columns=tuple(name.strip() for name in columns.split(",")) if columns else None,
        measure=None if "measure" in method.parameters else typed.get("measure"),
        cluster=typed.get("cluster_column"),
        fold=typed.get("fold_column"),
        n=typed.get("n"),
        no_information=typed.get("no_information"),
    )


def _flags(method: Method, name: str) -> tuple[str, ...]:
    one_model = SHAPES[method.takes].against_level and "null" in method.parameters
    if name == "level":
        return ("confidence",) if one_model else ("level", "confidence")
    if name == "null" and one_model:
        return ("null", "level")  # --level is the confidence elsewhere; the older name stays
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
    elif parameter.name == "rng" or isinstance(default, int):
        facts["type"] = int
    elif isinstance(default, str):
        facts["type"] = str
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
