"""What a cell of a table is: a class, a number or nothing; the same answer whatever the format."""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError

NO_ANSWER = "(no answer)"
"""The class of a model that gave none: it is never right."""
MISSING_WORDS = frozenset({"nan", "na", "n/a", "null", "none", "missing", "?", "-"})
"""Words that stand for a missing value in a column whose other values are numbers."""

NEVER_CLASSES = frozenset({"nan", "<na>", "nat"})
"""Words that frame libraries write for a missing value, in any company."""

_OF_NOTHING = frozenset({"NAType", "NaTType", "datetime64", "timedelta64"})
"""Types of which all values, or not a time, are missing ones."""
_WHOLE = re.compile(r"([+-]?)(0|[1-9][0-9]*)(?:\.0*)?", re.ASCII)
_LONGEST_NUMBER = 400
_SPACES = " \t\n\r\v\f"
_TRUTH_VALUES = {"true": "True", "false": "False", "TRUE": "True", "FALSE": "False"}


def is_missing(value: Any) -> bool:
    """None, NaN, a frame's own NA, empty text or blanks alone."""
    if value is None or (isinstance(value, str) and (not value or value.isspace())):
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    kind = type(value).__name__
    return kind in _OF_NOTHING and (not kind.endswith("64") or bool(np.isnat(value)))


def unwritable(error: ValueError) -> ValueError:
    """The refusal of a whole number of thousands of digits, which Python does not write; any other error as it is."""
    if "integer string conversion" not in str(error):
        return error
    return EvidenceError(
        "a cell holds a whole number of thousands of digits, which is neither a class nor a value"
    )


def plain_text(value: str) -> str:
    """Text of Python's own type, which JSON takes: NumPy's text and members of enumerations are not."""
    return str.__str__(value)


def class_text(value: Any) -> str:
    """The canonical text of a class: 1, 1.0, "1", "+1" and "1.0" are "1"; "true" is "True".

    Every other text stays as it is: "01" is not "1", and spaces around words count.
    """
    if isinstance(value, str):
        text = str.__str__(value)
        whole = _WHOLE.fullmatch(text.strip(_SPACES)) if len(text) < _LONGEST_NUMBER else None
        if whole is None:
            return _TRUTH_VALUES.get(text, text)
        return whole[2] if whole[2] == "0" else whole[1].strip("+") + whole[2]
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        try:
            return str(int(value))
        except ValueError:
            raise EvidenceError("a whole number of thousands of digits is not a class") from None
        except TypeError:  # a length of time that is none
            return str(value)
    if isinstance(value, float | np.floating | Decimal):
        number = number_or_nan(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value)


def id_text(value: Any) -> str:
    """The text an item is known by: text as it is, whole numbers without a decimal point."""
    return plain_text(value) if isinstance(value, str) else class_text(value)


def number_of(value: Any) -> float | None:
    """The number a cell holds, perhaps infinite or NaN; None where it is no number."""
    if isinstance(value, str):
        text = value.strip(_SPACES)
        if not text.isascii():
            return None
        try:
            return float(text)
        except ValueError:
            return None
    if isinstance(value, bool | np.bool_ | Number) and not isinstance(value, complex):
        try:
            return float(value)  # type: ignore[arg-type]
        except OverflowError:
            return math.inf
        except (
            TypeError,
            ValueError,
        ):  # of a Decimal that signals it, a length of time that is none
            return math.nan
    return None


def number_or_nan(value: Any) -> float:
    """The number a cell holds, NaN where it is missing or no number."""
    number = None if is_missing(value) else number_of(value)
    return math.nan if number is None else number


def is_whole(value: Any) -> bool:
    number = number_of(value)
    return number is not None and number.is_integer()


def is_fraction(value: Any) -> bool:
    """Whether a cell holds a finite number that is not whole."""
    if type(value) is int:  # of which there may be a million
        return False
    number = number_of(value)
    return number is not None and math.isfinite(number) and not number.is_integer()


def ordered(classes: Iterable[str]) -> tuple[str, ...]:
    """Classes in canonical order: by number if all are numbers, else by text."""
    texts = sorted(set(classes))
    numbers = [number_of(text) for text in texts]
    if all(number is not None and math.isfinite(number) for number in numbers):
        return tuple(text for _, text in sorted(zip(numbers, texts, strict=True)))
    return tuple(texts)


def quoted(values: Iterable[Any], limit: int = 5) -> str:
    """The first few values for an error message, each shortened."""
    listed = list(values)
    shown = ", ".join(shortened(value) for value in listed[:limit])
    return shown + (f" and {len(listed) - limit} more" if len(listed) > limit else "")


def first_names(names: Sequence[str], room: int = 60) -> str:
    """As many names as fit into a line beside what else it says, each whole; … for the rest."""
    shown: list[str] = []
    for name in names:
        if shown and sum(map(len, shown)) + 2 * len(shown) + len(name) > room:
            return ", ".join([*shown, "…"])
        shown.append(name if len(name) <= room else f"{name[: room - 1]}…")
    return ", ".join(shown)


def shortened(value: Any, length: int = 40) -> str:
    try:
        text = repr(str(value))
    except ValueError:  # Python does not write these
        return "a whole number of thousands of digits"
    except ArithmeticError:
        return f"a signalling NaN in {type(value).__name__}"
    return text if len(text) <= length else f"{text[: length - 2]}…'"


def plural(count: int, word: str, words: str | None = None) -> str:
    """A count with its noun: 1 item, 2 items."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def refuse_mixed_types(values: Sequence[Any], what: str) -> None:
    """Refuse an object column in which equal texts would come from values of different types."""
    if len(set(map(type, values)) - {type(None)}) < 2:  # nearly every column: of one type
        return
    kinds = {type(value) for value in values if not is_missing(value)}
    truths = any(issubclass(kind, bool | np.bool_) for kind in kinds)
    numbers = any(issubclass(kind, Number) and not issubclass(kind, bool) for kind in kinds)
    if truths and numbers:
        raise EvidenceError(
            f"{what} mixes True/False with numbers, so that True and 1 look alike; convert the column to one type first"
        )
    if str in kinds and (numbers or truths):
        texts = {value for value in set(values) if isinstance(value, str)}
        others = {
            class_text(v) for v in set(values) if not isinstance(v, str) and not is_missing(v)
        }
        both = sorted({class_text(text) for text in texts} & others)
        if both:
            raise EvidenceError(
                f"{what} holds {shortened(both[0])} both as text and as a number; convert the column to one type first"
            )
