"""Grades in words as numbers: right and wrong, and which of two answers is preferred."""

from collections.abc import Sequence

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.cell_text import ordered, quoted
from assay.evidence.judged_columns import JudgedColumn
from assay.evidence.names import evident_positive
from assay.evidence.open_questions import which_positive

TIES = frozenset({"tie", "tied", "draw", "equal", "same", "both", "neither"})
"""What a judge of pairs says where it prefers none; it counts a half."""


def word_values(
    people: Sequence[JudgedColumn], judge: Sequence[JudgedColumn], positive: str | None
) -> tuple[FloatArray, FloatArray, bool]:
    """People's and the judge's words as 0 and 1, a tie as a half; with whether there are ties.

    Words that differ in capitals and blanks only are the same.
    """
    spelled: dict[str, str] = {}
    for cells in (*people, *judge):
        for text in cells.texts():
            spelled.setdefault(_plain(text), text.strip())
    sides = ordered({spelled[key] for key in spelled if key not in TIES})
    ties = len(sides) < len(spelled)
    if len(sides) != 2:
        words = quoted(ordered(set(spelled.values())), 6)
        raise EvidenceError(
            f"grades must be numbers, or two words with or without a tie; {people[0].name!r} and the judge have "
            f"{len(spelled)}: {words}. Write words that have an order as numbers (1 for the worst). If these are "
            "classes of items that models predict, name the models' columns: models="
        )
    chosen = positive if positive is not None else evident_positive(sides)
    if chosen is None or _plain(str(chosen)) not in map(_plain, sides):
        why = " It counts as 1, the other as 0" + (", a tie as a half." if ties else ".")
        raise AmbiguousEvidence([which_positive(sides, why=why)])
    worth = {key: 0.5 if key in TIES else float(key == _plain(str(chosen))) for key in spelled}
    found = [np.stack([_valued(cells, worth) for cells in part]) for part in (people, judge)]
    return found[0], found[1], ties


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _valued(cells: JudgedColumn, worth: dict[str, float]) -> FloatArray:
    table = np.array([worth[_plain(text)] for text in cells.texts()] + [np.nan])
    return np.asarray(table[cells.codes])
