"""The line of R or SciPy that gives the same answer, with the numbers put in.

A record's ``same_as`` is a template: ``{errors}`` is a number or an array of the evidence, an option
or a detail; ``{, alternative}`` and ``{, level}`` add that argument where it is not the default.
What is unknown or long keeps its name.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_NUMBERS = 60
"""So many numbers are written out in a line; with more it keeps its names."""

_SLOT = re.compile(r"\{(?P<optional>, )?(?P<name>\w+)\}")


def unfilled(line: str) -> str:
    """The template as one reads it in general: names without braces."""
    return _SLOT.sub(lambda slot: "" if slot["optional"] else slot["name"], line)


def filled_line(line: str, values: Mapping[str, Any]) -> str:
    """The template with the values of one answer."""
    language = _R if line.startswith("R: ") else _PYTHON
    slots = {slot["name"] for slot in _SLOT.finditer(line)}
    arrays = {name for name in slots if _size(values.get(name)) > 1}
    long = sum(_size(values[name]) for name in arrays) > MOST_NUMBERS

    def put(slot: re.Match[str]) -> str:
        name, value = slot["name"], values.get(slot["name"])
        if slot["optional"]:
            return _optional(name, value, language)
        if value is None or (long and name in arrays):
            return name
        return _written(value, language)

    return _SLOT.sub(put, line)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """How a language writes vectors, named groups and options."""

    vector: str
    matrix: str
    groups: str
    infinity: str
    quote: str
    options: Mapping[str, str]


_R = _Language(
    vector="c({})",
    matrix="matrix(c({numbers}), ncol = {columns}, byrow = TRUE)",
    groups="list({})",
    infinity="Inf",
    quote='"',
    options={"alternative": ', alternative = "{}"', "level": ", conf.level = {}"},
)
_PYTHON = _Language(
    vector="[{}]",
    matrix="np.reshape([{numbers}], (-1, {columns}))",
    groups="dict({})",
    infinity="np.inf",
    quote="'",
    options={"alternative": ", alternative='{}'", "level": ", confidence_level={}"},
)
_DEFAULTS = {"alternative": "two-sided", "level": 0.95}


def _optional(name: str, value: Any, language: _Language) -> str:
    """An argument, where it is not what the other program takes without it."""
    if value is None or value == _DEFAULTS.get(name):
        return ""
    return language.options[name].format(value if isinstance(value, str) else f"{value:g}")


def _size(value: Any) -> int:
    """How many numbers would be written."""
    if isinstance(value, Mapping):
        return sum(_size(one) for one in value.values())
    if isinstance(value, list | tuple):
        return sum(_size(one) for one in value)
    return int(np.size(value))


def _written(value: Any, language: _Language) -> str:
    if isinstance(value, Mapping):
        named = (f"{name} = {_written(one, language)}" for name, one in value.items())
        return language.groups.format(", ".join(named))
    if isinstance(value, str):
        return f"{language.quote}{value}{language.quote}"
    array = np.asarray(value, dtype=float)
    numbers = ", ".join(_number(one, language) for one in array.ravel().tolist())
    if array.ndim == 0:
        return numbers
    if array.ndim == 1:
        return language.vector.format(numbers)
    return language.matrix.format(numbers=numbers, columns=array.shape[1])


def _number(value: float, language: _Language) -> str:
    """As a person would have typed it: 0.525, not 0.5249999999999999."""
    if math.isinf(value):
        return language.infinity if value > 0 else f"-{language.infinity}"
    return f"{value:.15g}"
