"""The record of a shape of evidence: how a method's arguments are made, told in words, and typed.

Each shape of `Takes` has one record, made by the decorator of the function that makes its arguments
of a source, in the modules `arguments_from_…`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.core.methods import Method
from assay.core.vocabulary import Takes
from assay.core.wording import either

if TYPE_CHECKING:
    from assay.evidence.method_source import MethodSource

Arguments = tuple[Any, ...]
"""The positional arguments of a method: numbers and arrays, or evidence where it takes evidence."""

Maker = Callable[["MethodSource"], Arguments]

TypedKind = Literal["whole", "number", "numbers", "rows", "ranks"]
"""What follows an option: a whole number, a number, 0.8,0.7 (numbers), 1,2;3,4 (rows), RF=1.7."""

_NEEDED: dict[str, tuple[TypedKind, str]] = {
    "margin": ("number", "0.05"),
    "clusters": ("numbers", "1,1,2,2,3,3"),
}
"""Options without which some methods of a shape cannot answer, each with an example."""


def _in_python(kind: TypedKind, typed: str) -> str:
    """What follows an option as Python writes it: lists, rows, a mapping of ranks."""
    if kind in ("whole", "number"):
        return ", ".join(typed.split())
    if kind == "numbers":
        return f"[{', '.join(typed.replace('nan', 'None').split(','))}]"
    if kind == "rows":
        return f"[{', '.join(_in_python('numbers', row) for row in typed.split(';'))}]"
    ranks = (one.rsplit("=", 1) for one in typed.split(","))
    return f"{{{', '.join(f'{name!r}: {rank}' for name, rank in ranks)}}}"


@dataclass(frozen=True, slots=True)
class TypedOption:
    """An option of the command line that carries evidence; with several examples it is repeated."""

    name: str
    kind: TypedKind
    examples: tuple[str, ...]
    metavar: str | None = None

    @property
    def parameter(self) -> str:
        """The name in Python."""
        return self.name.replace("-", "_")

    @property
    def values(self) -> int:
        """How many numbers follow the option, each an argument of its own."""
        return len(self.examples[0].split())

    @property
    def repeated(self) -> bool:
        return len(self.examples) > 1

    def typed(self, values: tuple[str, ...] = ()) -> str:
        """The option as it is typed, with its examples unless there are values."""
        quoted = [f'"{one}"' if ";" in one else one for one in values or self.examples]
        return " ".join(f"--{self.name} {one}" for one in quoted)

    def called(self, values: tuple[str, ...] = ()) -> str:
        """The same as arguments of a call in Python."""
        written = ", ".join(_in_python(self.kind, one) for one in values or self.examples)
        return f"[{written}]" if self.repeated else written


def whole(name: str, example: str, metavar: str | None = None) -> TypedOption:
    """An option of a whole number, or of as many as the example has."""
    return TypedOption(name, "whole", (example,), metavar)


def number(name: str, example: str) -> TypedOption:
    """An option of one number."""
    return TypedOption(name, "number", (example,))


def numbers(name: str, *examples: str) -> TypedOption:
    """An option of a list of numbers."""
    return TypedOption(name, "numbers", examples)


def rows(name: str, *examples: str, metavar: str | None = None) -> TypedOption:
    """An option of a table of numbers."""
    return TypedOption(name, "rows", examples, metavar)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentShape:
    """What a table must hold for a shape, how arguments are made of it, and how they are typed."""

    needs: str
    """What a table must hold, in words."""
    make: Maker
    """The arguments from one source."""
    options: tuple[TypedOption, ...]
    """What carries the arguments when they are typed."""
    part: Maker | None = None
    """The arguments from each of two sources, one model each, where a shape may come in two."""
    models: int | None = None
    """How many models a source has; None: as many as it likes."""
    files: tuple[str, ...] = ()
    """The files of an example, where it can only come in files."""
    takes_names: bool = False
    """Whether methods take a mapping of names to numbers as it is."""
    first_alone: bool = False
    """Whether the first of two arguments alone is taken as differences."""
    against_level: bool = False
    """Whether ``--level`` is the level that one model is tested against, not a confidence."""
    instead_of_items: str = ""
    """What to use where predictions came."""
    cluster_method: str | None = "assay compare, which resamples whole clusters,"
    """What takes clusters of items in; nothing where the shape itself carries them along."""

    def command(self, method: Method, *values: str) -> str:
        """A command that works, with these values behind the options or with examples."""
        given: list[tuple[str, ...]] = [(one,) for one in values] or [()] * len(self.options)
        typed = [option.typed(one) for option, one in zip(self.options, given, strict=True)]
        chosen = ["--columns a"] if self.files and self.models == 1 else []
        needed = [f"--{name} {text}" for name, (_, text) in _needed(method).items()]
        return " ".join(["assay test", method.id, *typed, *self.files, *chosen, *needed])

    def call(self, method: Method, *values: str) -> str:
        """The same in Python."""
        given: list[tuple[str, ...]] = [(one,) for one in values] or [()] * len(self.options)
        called = [option.called(one) for option, one in zip(self.options, given, strict=True)]
        files = [repr(file) for file in self.files]
        if files and self.models == 1:
            files = [f"assay.read({files[0]}, models='a')"]
        needed = [f"{name}={_in_python(*one)}" for name, one in _needed(method).items()]
        return f"assay.{method.id}({', '.join([*called, *files, *needed])})"

    def example(self, method: Method, *values: str) -> str:
        """A call and a command that work, of which the reader sees one."""
        return either(f"`{self.call(method, *values)}`", f"`{self.command(method, *values)}`")

    def needed(self, method: Method) -> str:
        """What a method takes, and an example that works."""
        return f"{method.id} takes {self.needs}; for instance {self.example(method)}"


def _needed(method: Method) -> dict[str, tuple[TypedKind, str]]:
    accepted = method.parameters
    keyword = inspect.Parameter.KEYWORD_ONLY
    return {
        name: example
        for name, example in _NEEDED.items()
        if name in accepted and accepted[name].kind is keyword
    }


SHAPES: dict[Takes, ArgumentShape] = {}
"""The record of each shape, complete once `method_arguments` was imported."""


def shape(
    name: Takes, *options: TypedOption, two_files: bool = False, **facts: Any
) -> Callable[[Maker], Maker]:
    """Enter a shape: the function below makes its arguments, ``facts`` are those of its record.

    In ``two_files`` each is made by the same function; a ``part`` is made by another one.
    """

    def record(make: Maker) -> Maker:
        known = {"part": make, **facts} if two_files else facts
        SHAPES[name] = ArgumentShape(make=make, options=options, **known)
        return make

    return record
