"""Arguments checked: their names, their kinds and their values, with one message for one mistake everywhere."""

import inspect
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from difflib import get_close_matches
from functools import wraps
from numbers import Number
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, cast, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.errors import EvidenceError, UnknownArgument, UsageError

Word = TypeVar("Word", bound=str)
Given = ParamSpec("Given")
Found = TypeVar("Found")

_SYNONYMS = (
    ("measure", "measures"), ("rng", "seed"), ("rng", "random_state"), ("level", "alpha"),
    ("level", "confidence"), ("level", "confidence_level"), ("n_resamples", "resamples"),
    ("lower_is_better", "higher_is_better"),
)  # fmt: skip
"""Names of the same thing; a level is one minus alpha, and what is not lower is higher."""
_TEXT, _WHOLE, _NUMBER, _FLAG = "text", "a whole number", "a number", "True or False"
_NAMES = "a list of names"
_KIND_WORDS = {str: _TEXT, int: _WHOLE, float: _NUMBER, bool: _FLAG, Sequence[str]: _NAMES}
_PLAIN = (int, float, bool, str, list)
MOST = 10**11
"""Beyond so many units binomial and beta probabilities lose their digits."""
LEAST_LEVEL = 1e-12
"""An interval of a lower confidence has no width that a float could hold; one of as little error has no end."""
LARGEST, SMALLEST = 1e70, 1e-70
"""Fourth powers of numbers between these are still numbers: variances of variances need them."""


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
    any_name = any(one.kind is one.VAR_KEYWORD for one in known.values())
    single = single_kinds({name: one.annotation for name, one in known.items()})

    @wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Found:
        if not named.keys() <= known.keys():
            rename(named, known)
            if not any_name:
                refuse_unknown(named, known, function.__name__)
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
    for pair in _SYNONYMS:
        for other, name in (pair, pair[::-1]):
            if other in named and other not in known and name in known:
                _rename(named, other, name)


def refuse_unknown(named: Iterable[str], known: Iterable[str], function: str) -> None:
    """Refuse an argument that a function does not have, with the one that may be meant.

    Examples
    --------
    >>> refuse_unknown({"lvel": 0.9}, ["level", "rng"], "told")
    Traceback (most recent call last):
    assay.core.errors.UnknownArgument: told() has no argument lvel=; did you mean level=?
    """
    unknown = [name for name in named if name not in known]
    if unknown:
        listed = sorted(known)
        near = get_close_matches(unknown[0], listed, n=1)
        meant = f"did you mean {near[0]}=?" if near else f"there are {', '.join(listed)}"
        raise UnknownArgument(f"{function}() has no argument {unknown[0]}=; {meant}")


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
    try:
        return round(1.0 - value, 12) if isinstance(value, int | float) else value
    except OverflowError:  # the check of the other name refuses it
        return value


class ArgumentKind(NamedTuple):
    """The kinds of value that an argument takes, in words, and whether it may be left open."""

    words: tuple[str, ...]
    optional: bool


def single_kinds(annotations: Mapping[str, Any]) -> dict[str, ArgumentKind]:
    """The arguments that take one value and nothing else, each with its kind.

    Examples
    --------
    >>> single_kinds({"level": float, "margin": float | dict[str, float]})
    {'level': ArgumentKind(words=('a number',), optional=False)}
    """
    found = {name: _words(annotation) for name, annotation in annotations.items()}
    return {
        name: ArgumentKind(words, NoneType in get_args(annotations[name]))
        for name, words in found.items()
        if words
    }


def _words(annotation: Any) -> tuple[str, ...]:
    """The kinds of value that an annotation allows; none where it allows something else too."""
    if get_origin(annotation) is Literal:
        return tuple(
            dict.fromkeys(_KIND_WORDS.get(type(one), _TEXT) for one in get_args(annotation))
        )
    if get_origin(annotation) in (Union, UnionType):
        parts = [_words(one) for one in get_args(annotation) if one is not NoneType]
        found = tuple(dict.fromkeys(word for part in parts for word in part))
        return found if all(parts) and (found == (_NAMES,) or _NAMES not in found) else ()
    return (_KIND_WORDS[annotation],) if annotation in tuple(_KIND_WORDS) else ()


def check_single(named: dict[str, Any], kinds: Mapping[str, ArgumentKind]) -> None:
    """Hold the arguments that take one value to it; an array without dimensions becomes its value."""
    for name in named.keys() & kinds.keys():
        value = named[name]
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            named[name] = value = value.item()
        if kinds[name].words == (_NAMES,):
            named[name] = value = _names(value)
        if not _fits(value, kinds[name]):
            raise UsageError(f"{name}= is {' or '.join(kinds[name].words)}, got {_seen(value)}")
        if kinds[name].words == (_FLAG,):
            named[name] = None if value is None and kinds[name].optional else bool(value)
        elif value is not None and type(value) not in (
            (int,) if kinds[name].words == (_WHOLE,) else _PLAIN
        ):
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


def _fits(value: Any, kind: ArgumentKind) -> bool:
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


def _plain(value: Any, kind: ArgumentKind) -> Any:
    """A number or a text of any type (a fraction, one of numpy, a member of an enumeration) as Python's own."""
    if isinstance(value, str):
        return str.__str__(value)
    if _TEXT in kind.words or kind.words == (_NAMES,):
        return value
    return int(value) if kind.words == (_WHOLE,) else float(value)


def _seen(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"{type(value).__name__} of shape {tuple(shape)}"
    return glimpse(value)


def check_level(level: float) -> float:
    """A confidence level strictly between 0 and 1; a percentage is named as the likely mistake."""
    value = as_number(level, "level is a confidence between 0 and 1 such as 0.95")
    if not LEAST_LEVEL <= value <= 1.0 - LEAST_LEVEL:
        hint = f"; did you mean {value / 100:g}?" if 1.0 < value < 100.0 else ""
        raise UsageError(
            f"level is a confidence between 0 and 1 such as 0.95, got {glimpse(level)}{hint}"
        )
    return value


def check_choice(value: str, choices: Iterable[Word], what: str, *, hint: str = "") -> Word:
    for choice in choices:
        if isinstance(value, str) and value == choice:
            return choice
    raise UsageError(f"{what} is one of {', '.join(map(str, choices))}; got {glimpse(value)}{hint}")


def check_count(value: Any, what: str, *, at_least: int = 0) -> int:
    """A whole number (3 or 3.0, not 3.5), at least ``at_least``, at most ``MOST``."""
    if np.ma.is_masked(value):
        raise UsageError(f"{what} is a whole number, and it is masked")
    try:
        whole = int(value)
        exact = float(value) == whole
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{what} is a whole number, got {glimpse(value)}") from None
    if not exact or whole < at_least:
        raise UsageError(f"{what} is a whole number of at least {at_least}, got {glimpse(value)}")
    if whole > MOST:
        raise UsageError(f"{what} is a whole number of at most {MOST:,}, got {glimpse(value)}")
    return whole


def check_margin(margin: float | None) -> float | None:
    if margin is None:
        return None
    value = as_number(margin, "margin is a number above 0 such as 0.01")
    if not SMALLEST <= value <= LARGEST:
        raise UsageError(
            f"margin is the smallest relevant difference, above 0; got {glimpse(margin)}"
        )
    return value


def check_text(value: Any, what: str) -> str:
    """A text that a file can hold; half a character is none."""
    if not isinstance(value, str):
        raise UsageError(f"{what} is text, got {glimpse(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is text, and half a character is none: {value[:40]!r}") from None
    return str.__str__(value)


def as_number(value: Any, what: str) -> float:
    """One number; ``what`` says what it is in the refusal of anything else."""
    try:
        return float("masked" if value is np.ma.masked else value)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{what}, got {glimpse(value)}") from None


def as_values(values: ArrayLike, what: str, *, at_least: int = 1) -> FloatArray:
    """A one-dimensional array of finite numbers, not beyond what can be squared twice."""
    array = as_floats(values, what)
    if array.ndim != 1:
        raise EvidenceError(f"{what} must be one list of numbers; got shape {array.shape}")
    if array.size < at_least:
        raise EvidenceError(f"{what} needs at least {at_least} values; got {array.size}")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise EvidenceError(
            f"{what} has {bad.size} missing or infinite values (first at position {bad[0]}); "
            "drop or repair them first, assay does not guess"
        )
    check_size(array, what)
    return array


def as_matrix(values: ArrayLike, what: str, *, rows: int = 1, columns: int = 1) -> FloatArray:
    """A matrix of finite numbers with at least ``rows`` rows and ``columns`` columns."""
    array = as_floats(values, what, meant="a rectangle of numbers")
    if array.ndim != 2 or array.shape[0] < rows or array.shape[1] < columns:
        raise EvidenceError(
            f"{what} must have at least {rows} rows and {columns} columns; got shape {array.shape}"
        )
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        cells = ", ".join(f"({row}, {column})" for row, column in bad[:5])
        raise EvidenceError(f"{what} has {len(bad)} missing or infinite cells: {cells}")
    check_size(array, what)
    return array


def as_floats(values: Any, what: str, *, meant: str = "numbers") -> FloatArray:
    """Numbers of any shape and width, NaN where one is missing or masked; all else is refused.

    One beyond the range of floats becomes infinite, and is refused as that where it matters.
    """
    with suppress(TypeError, ValueError, OverflowError), np.errstate(over="ignore"):
        array = _as_array(values)
        cells = (
            array.flat if array.dtype.kind == "O" else ()
        )  # numpy would drop their imaginary parts
        odd = any(isinstance(one, np.complexfloating) for one in cells)
        if array.dtype.kind in "biufUSO" and not odd:  # no complex numbers, dates, records
            return np.asarray(array, dtype=np.float64)
    raise EvidenceError(f"{what} must be {meant}; got {glimpse(values)}")


def as_array(values: Any, what: str) -> NDArray[Any]:
    """What came as an array of its own kind; lists within it are of one length, or it is refused."""
    try:
        return _as_array(values)
    except (TypeError, ValueError):
        raise EvidenceError(f"{what} must be one list; got {glimpse(values)}") from None


def shape_of(values: Any) -> tuple[int, ...] | None:
    """The shape of an array or of nested lists; None where they are not of one length."""
    try:
        return tuple(np.shape(values))
    except ValueError:
        return None


def as_labels(values: Any, what: str) -> NDArray[Any]:
    """Labels of any kind that can be told apart, in an array of any shape; a missing one is refused."""
    labels = as_array(values, what)
    missing = np.flatnonzero(_is_missing(labels))
    if missing.size:
        raise EvidenceError(
            f"{missing.size} items have no {what} (first at position {missing[0]}): "
            "leave them out, or name it"
        )
    return _of_one_kind(labels) if labels.dtype == object else labels


def as_codes(values: Any, what: str, n: int) -> IntArray:
    """The labels of ``n`` items as codes from 0, in the order of the sorted labels."""
    labels = as_labels(values, what)
    if labels.shape != (n,):
        raise EvidenceError(
            f"give one {what} per item: {n} items, but a {what} list of shape {labels.shape}"
        )
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _as_array(values: Any) -> NDArray[Any]:
    """An array of what came in order; what is masked is missing."""
    if isinstance(values, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(values)
        if not hidden.any():
            return np.asarray(values)
        found = values.data.astype(object)
        found[hidden] = None
        return found
    listed = hasattr(values, "__iter__") and not isinstance(values, str | bytes | Set | Mapping)
    if hasattr(values, "__array__") or not listed:
        return np.asarray(values)
    return np.asarray([None if one is np.ma.masked else one for one in values])


def _of_one_kind(labels: NDArray[Any]) -> NDArray[Any]:
    """Objects as the numbers or texts they are; of mixed kinds as texts, so that they have an order."""
    with suppress(ValueError):
        found = np.asarray(labels.tolist())
        if found.dtype != object and found.shape == labels.shape:
            return found
    return np.array([str(one) for one in labels.ravel()], dtype=str).reshape(labels.shape)


def _is_missing(labels: NDArray[Any]) -> BoolArray:
    if labels.dtype.kind in "mM":
        return np.asarray(np.isnat(labels))
    if labels.dtype.kind != "O":
        return np.asarray(labels != labels)
    return np.array([_no_label(one) for one in labels.ravel()], dtype=bool)


def _no_label(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # pandas' NA, or an array within the array
        return True


def check_size(array: FloatArray, what: str) -> None:
    """Numbers whose squares would overflow, or vanish and make a spread of zero, are refused."""
    if not array.size:
        return
    size = float(max(np.fmax.reduce(array, axis=None), -np.fmin.reduce(array, axis=None)))
    if size > LARGEST or 0.0 < size < SMALLEST:
        kind = "large" if size > 1.0 else "small"
        raise EvidenceError(
            f"{what} has numbers too {kind} to be squared. Sizes between {SMALLEST:g} and "
            f"{LARGEST:g} are possible, and the largest here is {size:g}. Change the unit, e.g. "
            f"divide all numbers by {size:.0e}"
        )


def as_pairs(
    a: ArrayLike, b: ArrayLike | None, *, at_least: int = 1
) -> tuple[FloatArray, FloatArray]:
    """Two arrays of equal length; with ``b`` absent, ``a`` holds differences and B is zero."""
    first = as_values(a, "a", at_least=at_least)
    second = np.zeros_like(first) if b is None else as_values(b, "b", at_least=at_least)
    if first.size != second.size:
        raise EvidenceError(
            f"paired methods need one value of A and one of B per unit; got {first.size} and "
            f"{second.size}. For unpaired samples use two_sample_t or mann_whitney"
        )
    return first, second


def glimpse(values: object, length: int = 60) -> str:
    """A value as Python writes it, on one line and not too long for a message."""
    try:
        text = " ".join(repr(values).split())
    except ValueError:  # Python does not write these
        return "a whole number of thousands of digits"
    except ArithmeticError:
        return f"a signalling NaN in {type(values).__name__}"
    return text if len(text) <= length else text[: length - 1] + "…"
