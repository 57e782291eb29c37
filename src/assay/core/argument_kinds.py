"""Arguments that are one value: a name, a number, True or False, as the annotation of a function says."""

from collections.abc import Mapping
from numbers import Number
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from assay.core.errors import UsageError

_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "True or False"}


def single_kinds(annotations: Mapping[str, Any]) -> dict[str, str]:
    """The arguments that take one value and nothing else, each with its kind in words.

    Examples
    --------
    >>> single_kinds({"level": float, "baseline": str | None, "margin": float | dict})
    {'level': 'a number', 'baseline': 'text'}
    """
    found = {name: _kinds(annotation) for name, annotation in annotations.items()}
    return {name: " or ".join(kinds) for name, kinds in found.items() if kinds}


def _kinds(annotation: Any) -> tuple[str, ...]:
    """The kinds of value that an annotation allows; none where it allows something else too."""
    if annotation in _WORDS:
        return (_WORDS[annotation],)
    if get_origin(annotation) is Literal:
        return tuple(dict.fromkeys(_WORDS.get(type(one), "text") for one in get_args(annotation)))
    if get_origin(annotation) not in (Union, UnionType):
        return ()
    parts = [_kinds(one) for one in get_args(annotation) if one is not NoneType]
    return tuple(dict.fromkeys(kind for part in parts for kind in part)) if all(parts) else ()


def check_single(named: dict[str, Any], kinds: Mapping[str, str]) -> None:
    """Hold the arguments that take one value to it; an array without dimensions becomes its value."""
    for name in named.keys() & kinds.keys():
        named[name] = _one_value(name, named[name], kinds[name])


def _one_value(name: str, value: Any, kind: str) -> Any:
    """The value, refused where it is an array, a frame or another collection, whose truth nobody knows."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    fits = value is None or isinstance(value, str | bytes | Number)
    if kind == _WORDS[bool]:
        fits = value is None or (isinstance(value, int) and value in (0, 1))
    if not fits:
        raise UsageError(f"{name}= is {kind}, got {_glimpse(value)}")
    return value


def _glimpse(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"{type(value).__name__} of shape {tuple(shape)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
