"""Answers beside grades of them: the grades decide where they are not what equals the truth word for word."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.evidence.cell_text import class_text
from assay.evidence.model_columns import column_grammar
from assay.evidence.names import is_description, is_model_name, right_model
from assay.evidence.profile import OUTCOMES, Profile
from assay.evidence.readers.layout import Layout, truth_by_name
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.readers.value_layout import OF_VALUES
from assay.evidence.reading_options import Told

Graded = Mapping[str, Sequence[str]]
"""Columns that say which answers were right, each with those that may hold these answers."""


def leave_graded_answers(laid: Sequence[Layout]) -> set[str]:
    """Leave answers and their truth alone where grades decide; the columns of the grades."""
    graded = [_graded(layout) for layout in laid]
    if not all(graded) or not any(map(_are_needed, laid, graded)):
        return set()
    for layout, columns in zip(laid, graded, strict=True):
        for name in (*truth_by_name(layout), *(n for of in columns.values() for n in of)):
            layout.take(name, "description", "an answer, graded in another column")
    return {name for columns in graded for name in columns}


def _graded(layout: Layout) -> Graded:
    """The grades of one table; none where a truth was told, or what is asked or there needs it."""
    truth, asked = truth_by_name(layout), layout.told.measure
    if len(truth) > 1 or "truth" in layout.roles or asked not in (None, *OF_VALUES, "acc"):
        return {}
    truths = layout.column(truth[0]).levels if truth else frozenset()
    columns = {n: layout.column(n) for n in layout.free() if n not in truth}
    said = {n: right_model(n) for n, one in columns.items() if one.may_be_outcome}
    alone = [n for n, one in columns.items() if one.is_outcome and not one.levels & truths]
    said |= {n: n for n in alone if said[n] is None and truth}
    rest = {n: one for n, one in columns.items() if said.get(n) is None}
    answers = [n for n, one in rest.items() if _may_answer(one, truths)]
    others = [one for n, one in rest.items() if one.is_numeric and not is_description(n)]
    if not answers and not all(one.is_whole for one in others):
        return {}  # scores
    found = {n: [one for one in answers if m in one] for n, m in said.items() if m is not None}
    models = [n for n in answers if is_model_name(column_grammar(n)[0])]
    owned = {n for of in found.values() for n in of}
    return found if {*answers} <= owned and not ("" in said.values() and models[1:]) else {}


def _may_answer(column: Profile, truths: frozenset[str]) -> bool:
    """Whether a column has classes of the truth, or is called prediction where there is none."""
    return bool(column.levels & truths) if truths else column_grammar(column.name)[0] == ""


def _are_needed(layout: Layout, graded: Graded) -> bool:
    """Whether grades say more than the truth does: answers are no classes, or right in other words."""
    truth = next(map(layout.column, truth_by_name(layout)), None)
    if truth is None or not any(graded.values()):
        return True
    if truth.style == "words" and 2 * len(truth.levels) > len(truth.cells) and len(graded) > 1:
        return True
    answers = [layout.column(name).levels for of in graded.values() for name in of]
    if truth.is_whole and any(levels <= truth.levels for levels in answers):
        return False  # classes, which are equal or not: grades would be of something else
    texts = _folded(truth)
    for name, of in graded.items() if truth.is_whole or not truth.is_numeric else ():
        levels = layout.column(name).levels_folded
        right = {yes for no, yes in OUTCOMES if levels <= {no, yes}}
        said = [text in right for text in _folded(layout.column(name))]
        found = (map(str.__eq__, _folded(layout.column(one)), texts) for one in of)
        if of and said not in map(list, found):
            return True
    return False


def _folded(column: Profile) -> list[str]:
    return [class_text(cell).strip().casefold() for cell in column.cells]


def with_right_word(tables: Sequence[SourceTable], told: Told) -> tuple[list[SourceTable], Told]:
    """Tables in which the word that was told to be a right answer is one, and the other word is none."""
    right, changed = str(told.positive), list(tables)
    for place, table in enumerate(tables):
        for name, column in table.profiles().items():
            if right in column.levels and len(column.levels) == 2:
                (other,) = column.levels - {right}
                words = {right: "correct", other: "incorrect"}
                changed[place] = changed[place].respelt(name, words)
    return changed, replace(told, positive=None) if changed != list(tables) else told
