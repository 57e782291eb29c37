"""How measures are named in figures and reports."""

from collections.abc import Sequence

from assay.core.errors import UsageError
from assay.core.text_formatting import clean, clean_name, shorten
from assay.core.vocabulary import Direction, Sense, known_side
from assay.measures.registry import find_measure

_DIRECTIONS: dict[str, Direction] = {"log_strength": "higher"}
"""Quantities that are no measures of predictions and yet have a better side."""

ARROWS: dict[Sense | None, str] = {"higher": " ↑", "lower": " ↓"}


def direction_of(measure: str) -> Direction | None:
    """The better side of a measure; None where neither is, or where assay does not know it."""
    try:
        found = find_measure(measure)
    except UsageError:
        return _DIRECTIONS.get(measure)
    return known_side(found.direction) if found.comparable else None


def measure_title(measure: str) -> str:
    """The measure as prose has it: log_loss is log loss."""
    try:
        return clean(find_measure(measure).title)
    except UsageError:
        return clean(measure)


def measure_label(measure: str, direction: Sense | None = None) -> str:
    """The measure with an arrow towards its better side: accuracy ↑, log_loss ↓."""
    return f"{clean(measure)}{ARROWS.get(direction or direction_of(measure), '')}"


def short_names(names: Sequence[str], width: int) -> tuple[str, ...]:
    """Names of models shortened as far as they stay different, to ``width`` letters if they can."""
    shown = [clean_name(name) for name in names]
    for most in range(width, max(map(len, shown), default=0)):
        short = [shorten(name, most) for name in shown]
        if len(set(short)) == len(set(shown)):
            return tuple(short)
    return tuple(shown)
