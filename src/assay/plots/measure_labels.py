"""How measures are named in figures and reports."""

from collections.abc import Sequence

from assay.core.formatting import clean, clean_name, fitted, shorten
from assay.core.measure_names import better_side
from assay.core.vocabulary import Direction, Sense, known_side
from assay.measures.registry import known_measure

_DIRECTIONS: dict[str, Direction] = {"log_strength": "higher", "rank": "lower"}
"""Quantities that are no measures of predictions and yet have a better side."""
_WITH_TABLES: dict[str, Direction] = {
    "mean_cost": "lower",
    "total_cost": "lower",
    "weighted_accuracy": "higher",
}
"""Measures whose names carry their costs or weights, which no reader wants in a heading."""

ARROWS: dict[Sense | None, str] = {"higher": " ↑", "lower": " ↓"}


def direction_of(measure: str) -> Direction | None:
    """The better side of a measure; None where neither is, or where assay does not know it."""
    found = known_measure(measure)
    if found is None:
        stem = measure.partition("[")[0]
        return _DIRECTIONS.get(measure) or _WITH_TABLES.get(stem) or better_side(measure)
    return known_side(found.direction) if found.comparable else None


def measure_title(measure: str) -> str:
    """The measure as prose has it: log_loss is log loss."""
    found = known_measure(measure)
    return _plain(measure) if found is None else clean(found.title)


def _plain(measure: str) -> str:
    """The name; in words where it is none that people type: mean cost, AUC up to FPR 0.2."""
    stem, options, _ = measure.partition("[")
    if measure in _DIRECTIONS or (options and stem in _WITH_TABLES):
        return stem.replace("_", " ")
    found = known_measure(measure) if options else None
    return clean(measure if found is None else found.title)


def measure_label(measure: str, direction: Sense | None = None) -> str:
    """The measure with an arrow towards its better side: accuracy ↑, log_loss ↓."""
    return f"{_plain(measure)}{ARROWS.get(direction or direction_of(measure), '')}"


def short_names(names: Sequence[str], width: int) -> tuple[str, ...]:
    """Names of models shortened as far as they stay different, to ``width`` letters if they can."""
    shown = [clean_name(name) for name in names]
    told, apart = fitted(shown, width), len(set(shown))
    if len(set(told)) == apart:
        return told
    for most in range(width, max(map(len, shown), default=0)):
        short = [shorten(name, most) for name in shown]
        if len(set(short)) == apart:
            return tuple(short)
    return tuple(shown)
