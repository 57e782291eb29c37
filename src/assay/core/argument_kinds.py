"""Arguments that are one value: a name, a number, True or False, as the annotation of a function says."""

import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from functools import wraps
from numbers import Number
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, cast, get_args, get_origin

from assay.core.errors import UsageError

Given = ParamSpec("Given")
Found = TypeVar("Found")

_TEXT, _WHOLE, _NUMBER, _FLAG = "text", "a whole number", "a number", "True or False"
_NAMES = "a list of names"
_WORDS = {str: _TEXT, int: _WHOLE, float: _NUMBER, bool: _FLAG, Sequence[str]: _NAMES}
_PLAIN = (int, float, bool, str, list)


class Kind(NamedTuple):
    """The kinds of value that an argument takes, in words, and whether it may be left open."""

    words: tuple[str, ...]
    optional: bool


def single_kinds(annotations: Mapping[str, Any]) -> dict[str, Kind]:
    """The arguments that take one value and nothing else, each with its kind.

    Examples
    --------
    >>> single_kinds({"level": float, "margin": float | dict[str, float]})
    {'level': Kind(words=('a number',), optional=False)}
    """
    found = {name: _words(annotation) for name, annotation in annotations.items()}
    return {
        name: Kind(words, NoneType in get_args(annotations[name]))
        for name, words in found.items()
        if words
    }


def _words(annotation: Any) -> tuple[str, ...]:
    """The kinds of value that an annotation allows; none where it allows something else too."""
    if get_origin(annotation) is Literal:
        return tuple(dict.fromkeys(_WORDS.get(type(one), _TEXT) for one in get_args(annotation)))
    if get_origin(annotation) in (Union, UnionType):
        parts = [_words(one) for one in get_args(annotation) if one is not NoneType]
        found = tuple(dict.fromkeys(word for part in parts for word in part))
        return found if all(parts) and (found == (_NAMES,) or _NAMES not in found) else ()
    return (_WORDS[annotation],) if annotation in tuple(_WORDS) else ()


def check_single(named: dict[str, Any], kinds: Mapping[str, Kind]) -> None:
    """Hold the arguments that take one value to it; an array without dimensions becomes its value."""
    for name in named.keys() & kinds.keys():
        value = named[name]
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            named[name] = value = value.item()
        if kinds[name].words == (_NAMES,):
            named[name] = value = _names(value)
        if not _fits(value, kinds[name]):
            raise UsageError(f"{name}= is {' or '.join(kinds[name].words)}, got {_glimpse(value)}")
        if kinds[name].words == (_FLAG,):
            named[name] = None if value is None and kinds[name].optional else bool(value)
        elif value is not None and (type(value) not in _PLAIN or kinds[name].words == (_WHOLE,)):
            named[name] = _plain(value, kinds[name])


def checked(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Hold a function's arguments that take one value to it, whether they come by place or by name.

    Examples
    --------
    >>> @checked
    ... def told(name: str, times: int = 1) -> str:
    ...     return name * times
    >>> told("ab", times=2.0)
    'abab'
    """
    known = inspect.signature(function).parameters
    single = single_kinds({name: one.annotation for name, one in known.items()})

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Found:
        placed = dict(zip(known, given, strict=False))
        check_single(placed, single)
        check_single(named, single)
        more: tuple[Any, ...] = given[len(placed) :]
        return cast("Callable[..., Found]", function)(*placed.values(), *more, **named)

    return called


def _fits(value: Any, kind: Kind) -> bool:
    """Whether a value is of its kind; whether a text or a number is one that makes sense, its function knows."""
    if kind.words == (_NAMES,):
        listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
        return listed or (value is None and kind.optional)
    if value is None:
        return kind.optional or _TEXT in kind.words or _FLAG in kind.words
    if isinstance(value, str):
        return _TEXT in kind.words
    if not isinstance(value, Number):
        return False
    if _TEXT in kind.words:
        return True
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False
    if number != number:  # NaN would be neither above nor below anything
        return False
    if kind.words == (_FLAG,):
        return number in (0.0, 1.0)
    return kind.words != (_WHOLE,) or number.is_integer()


def _names(value: Any) -> Any:
    """Names as a list, whatever held them in an order."""
    if value is None or isinstance(value, str | bytes | Set) or not hasattr(value, "__iter__"):
        return value
    return value if getattr(value, "shape", None) == () else list(value)


def _plain(value: Any, kind: Kind) -> Any:
    """A number or a text of any type (a fraction, one of numpy, a member of an enumeration) as Python's own."""
    if isinstance(value, str):
        return str.__str__(value)
    if _TEXT in kind.words or kind.words == (_NAMES,):
        return value
    return int(value) if kind.words == (_WHOLE,) else float(value)


def _glimpse(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"{type(value).__name__} of shape {tuple(shape)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
