"""The notes of a result and of its parts: each once, what matters most first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assay.core.formatting import clean, clean_name, listed
from assay.core.notes import LEVELS, Level, level_of
from assay.core.study_results import CurveComparison

TWO_LINES = 160
"""Letters."""
_ALIKE = re.compile(r" \(\d+ more alike\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteView:
    """A caveat: its code, what it says, and which models it is about."""

    code: str
    message: str
    about: str = ""
    level: Level = "caution"


def notes_of(result: Any) -> tuple[NoteView, ...]:
    """Every note once, with the models it is about where it is not about the whole."""
    about: dict[tuple[str, str], list[str]] = {}
    own = _about_the_answer(result)
    told = {(note.code, note.message) for _, part in _noted_parts(result) for note in part.notes}
    for note in getattr(result, "notes", ()):
        if (note.code, _ALIKE.sub("", note.message)) in told and _ALIKE.search(note.message):
            continue  # a summary of notes that all follow
        about.setdefault((note.code, note.message), [])
    for subject, part in _noted_parts(result):
        for note in part.notes:
            if (note.code, note.message) not in about or about[(note.code, note.message)]:
                about.setdefault((note.code, note.message), []).append(subject)
    found = [
        NoteView(
            code=clean(code), message=clean(message), about=_few(list(dict.fromkeys(filter(None, names)))),
            level=level_of(code) if (code, message) in own else "remark",
        )
        for (code, message), names in about.items()
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda note: LEVELS.index(note.level)))


def _few(names: list[str]) -> str:
    """As many names as two lines hold, and how many more there are."""
    told = (listed(names, most=most) for most in (*range(6, 1, -1), 1))
    return next((text for text in told if len(text) <= TWO_LINES), listed(names, most=1))


def _about_the_answer(result: Any) -> set[tuple[str, str]]:
    """Notes on what was decided; those on methods shown beside it cannot change the decision."""
    parts = (result, *getattr(result, "parts", ()))
    beside = {id(outcome) for part in parts for _, outcome in getattr(part, "also", ())}
    noted = [part for _, part in _noted_parts(result) if id(part) not in beside]
    return {
        (note.code, note.message) for one in (result, *noted) for note in getattr(one, "notes", ())
    }


def _noted_parts(result: Any) -> Iterable[tuple[str, Any]]:
    """The parts of a result that carry notes of their own, and what each is about."""
    for part in getattr(result, "parts", ()):
        where = part.measure + (f", {part.slice}" if part.slice is not None else "")
        for subject, noted in _noted_parts(part):
            yield f"{clean(where)}: {subject}" if subject else clean(where), noted
    for _, outcome in getattr(result, "joint", ()):
        yield "", outcome
    for estimate in getattr(result, "estimates", ()):
        yield clean_name(estimate.model) if estimate.model is not None else "", estimate
    for verdict in getattr(result, "verdicts", ()):
        pair = f"{clean_name(verdict.a)} − {clean_name(verdict.b)}"
        yield pair, verdict.outcome
        yield pair, verdict.outcome.effect
    for label, outcome in getattr(result, "also", ()):
        yield clean(label), outcome
    pairs = zip(getattr(result, "pairs", ()), getattr(result, "outcomes", ()), strict=True)
    for (a, b), outcome in pairs:
        yield f"{clean_name(a)} − {clean_name(b)}", outcome
    for name in ("effect", "omnibus"):
        part = getattr(result, name, None)
        if part is not None:
            yield "", part
    for curve in (*getattr(result, "curves", ()), *getattr(result, "levelling", ())):
        if not isinstance(curve, CurveComparison):  # whose notes the report of a study has itself
            yield clean_name(curve.model), curve
