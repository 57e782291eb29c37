"""How measures are named in figures and reports."""

from collections.abc import Sequence

from assay.core.formatting import clean, clean_name, shorten
from assay.core.measure_names import better_side
from assay.core.vocabulary import Direction, Sense, known_side
from assay.measures.registry import known_measure

_DIRECTIONS: dict[str, Direction] = {"log_strength": "higher", "rank": "lower"}
"""Quantities that are no measures of predictions and yet have a better side."""

ARROWS: dict[Sense | None, str] = {"higher": " ↑", "lower": " ↓"}


def direction_of(measure: str) -> Direction | None:
    """The better side of a measure; None where neither is, or where assay does not know it."""
    found = known_measure(measure)
    if found is None:
        return _DIRECTIONS.get(measure) or better_side(measure)
    return known_side(found.direction) if found.comparable else None


def measure_title(measure: str) -> str:
    """The measure as prose has it: log_loss is log loss."""
    found = known_measure(measure)
    return clean(measure if found is None else found.title)


def measure_label(measure: str, direction: Sense | None = None) -> str:
    """The measure with an arrow towards its better side: accuracy ↑, log_loss ↓."""
    return f"{clean(measure)}{ARROWS.get(direction or direction_of(measure), '')}"


def short_names(names: Sequence[str], width: int) -> tuple[str, ...]:
    """Names of models shortened as far as they stay different, to ``width`` letters if they can."""
    shown = [clean_name(name) for name in names]
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(shown):
        alike.setdefault(shorten(name, width), []).append(name)
    told = {name: _told_apart(name, group, width) for group in alike.values() for name in group}
    if len(set(told.values())) == len(told):
        return tuple(told[name] for name in shown)
    for most in range(width, max(map(len, shown), default=0)):
        short = [shorten(name, most) for name in shown]
        if len(set(short)) == len(told):
            return tuple(short)
    return tuple(shown)


def _told_apart(name: str, alike: Sequence[str], width: int) -> str:
    """A name that begins and ends as others do, with the part in which they differ."""
    if len(alike) == 1:
        return shorten(name, width)
    start = _shared(alike)
    end = _shared([one[start:][::-1] for one in alike])
    core = name[start : len(name) - end]
    room = width - len(core) - 2
    if room < 2:
        return shorten(name, width)
    after = name[len(name) - end :]
    after = after if len(after) <= room // 4 else f"{after[: room // 4]}…"
    near = (room - room // 4) // 2
    before = name[:start] if start <= 2 * near else f"{name[:near]}…{name[start - near : start]}"
    return f"{before}{core}{after}"


def _shared(texts: Sequence[str]) -> int:
    """How many letters all begin with."""
    unlike = (at for at, letters in enumerate(zip(*texts, strict=False)) if len(set(letters)) > 1)
    return next(unlike, min(map(len, texts)))
