"""One vocabulary of arguments: what one function calls ``rng`` and another ``seed`` both take."""

import inspect
from collections.abc import Callable, Container, Iterable
from difflib import get_close_matches
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from assay.core.argument_kinds import check_single, single_kinds
from assay.core.errors import UsageError

Given = ParamSpec("Given")
Found = TypeVar("Found")

_PAIRS = (
    ("measure", "measures"), ("rng", "seed"), ("rng", "random_state"), ("level", "alpha"),
    ("level", "confidence"), ("level", "confidence_level"), ("n_resamples", "resamples"),
    ("lower_is_better", "higher_is_better"),
)  # fmt: skip
"""Names of the same thing; a level is one minus alpha, and what is not lower is higher."""


def many_names(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let a function take ``measure`` or ``measures``, ``rng`` or ``seed``, ``level`` or ``alpha``.

    Examples
    --------
    >>> @many_names
    ... def told(*, level: float = 0.95, rng: int = 0) -> tuple[float, int]:
    ...     return level, rng
    >>> told(alpha=0.1, seed=7)
    (0.9, 7)
    """
    known = inspect.signature(function).parameters
    placed = [name for name, one in known.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    any_number = any(one.kind is one.VAR_POSITIONAL for one in known.values())
    single = single_kinds({name: one.annotation for name, one in known.items()})

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Found:
        rename(named, known)
        if len(given) > len(placed) and not any_number:
            first = " and ".join(placed) or "nothing"
            pilot = ", evidence as pilot=(truth, {'a': …, 'b': …})" if "pilot" in known else ""
            raise UsageError(
                f"{function.__name__}() takes {first} by its place: give everything else by its name{pilot}"
            )
        twice = [name for name in placed[: len(given)] if name in named]
        if twice:
            raise UsageError(
                f"{function.__name__}() has {twice[0]} twice, by its place (first) and by its name: "
                "give everything else by its name"
            )
        check_single(named, single)
        try:
            return function(*given, **named)
        except UsageError as error:
            raise _meant(error, named, known) or error from None

    return called


def _meant(error: UsageError, named: Iterable[str], known: Iterable[str]) -> UsageError | None:
    """The refusal of an argument that reading does not know either, where it is nearly one of the function's own."""
    for name in named:
        near = get_close_matches(name, known, n=1, cutoff=0.75)
        if near and str(error).startswith(f"there is no argument {name}="):
            return UsageError(f"there is no argument {name}=; did you mean {near[0]}=?")
    return None


def rename(named: dict[str, Any], known: Container[str]) -> None:
    """Give arguments the names that a function knows them by."""
    for pair in _PAIRS:
        for other, name in (pair, pair[::-1]):
            if other in named and other not in known and name in known:
                _rename(named, other, name)


def only_one(measure: Any) -> Any:
    """The measure of a verb that takes one, also from a list of one."""
    if not isinstance(measure, list | tuple):
        return measure
    if len(measure) != 1:
        raise UsageError(
            f"one measure at a time here; got {len(measure)}: {', '.join(map(str, measure))}"
        )
    return measure[0]


def _rename(named: dict[str, Any], other: str, name: str) -> None:
    if name in named:
        raise UsageError(f"{name} and {other} are two names of one argument: give one of them")
    value = named.pop(other)
    opposed = {other, name} in ({"level", "alpha"}, {"lower_is_better", "higher_is_better"})
    named[name] = _complement(value) if opposed else value


def _complement(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, list | tuple):
        return type(value)(map(_complement, value))
    return round(1.0 - value, 12) if isinstance(value, int | float) else value
