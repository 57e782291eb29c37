"""Ids that come again: rows of one patient, one item tried several times, or one row for each model."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from assay.evidence import open_questions as ask
from assay.evidence.cell_text import class_text
from assay.evidence.names import (
    KNOWN,
    is_description,
    is_nameless,
    known_as,
    names_raters,
    place_of,
    plain,
    right_model,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.layout import Layout, apart, is_factor

ENTITIES = frozenset({
    "patient", "patient_id", "subject", "subject_id", "user", "user_id", "customer", "customer_id",
    "doc", "document", "document_id", "speaker", "author", "account", "account_id", "session",
    "session_id", "conversation", "conversation_id", "participant", "person", "video", "client",
    "student", "child", "animal", "household", "family", "proband", "paciente", "paziente",
})  # fmt: skip
"""Names of what several rows may belong to, which then are not independent."""

SITES = frozenset({"hospital", "clinic", "site", "store", "device", "batch", "prompt"})
"""Names of where several rows come from, which then may not be independent, if there are many."""
MOST_NAMED = 20
"""Words up to which a column that tells the rows of an item apart may name models."""
FEWEST_CLUSTERS = 10
"""Values from which on rows that stand together are clusters rather than a sorted category."""


def ask_about_repeats(layout: Layout, known: Sequence[str]) -> None:
    """Ask what rows of one value are, where a column that may name items has values that come again."""
    told, model = layout.told, layout.model_column
    if told.cluster or told.repeat or told.id is False:
        return
    again = _repeated(layout, known)
    repeats = [n for n in layout.free() if plain(n) in KNOWN["repeat"]]
    if not again or (repeats and again == [layout.roles.get("id")]):
        return
    free = [n for n in (*layout.free(), *known) if n not in (model, again[0])]
    others = [n for n in free if _tells_apart(layout, again[0], n)]
    often = Counter(map(class_text, layout.column(again[0]).present)).most_common(1)
    # cross-validation tests an item once: again only where it was repeated
    folds = any(known_as(name, "fold") for name in layout.table.names)
    again_by_design = bool(others) and folds and plain(again[0]) not in ENTITIES
    layout.questions.append(
        ask.what_of_repeats(
            layout.title,
            again[0],
            others,
            *often,
            models=_may_name_models(layout, again[0], free, others),
            datasets=_may_name_data_sets(layout, again[0], others),
            clusters=not again_by_design,
            by_position=model is None and not again_by_design,
        )
    )


def _repeated(layout: Layout, known: Sequence[str]) -> list[str]:
    """The columns with values that come again, as those of a patient, a hospital or a household do."""
    called = (layout.roles.get("id"), *(n for n in known if plain(n) in ENTITIES))
    again = [
        name
        for name in known
        if not is_nameless(name)
        and not once(layout, name)
        and (name in called or comes_again(layout, name))
    ]
    sites = [n for n in layout.free() if plain(n) in SITES and not once(layout, n)]
    again += [n for n in sites if comes_again(layout, n)]
    if layout.model_column is None:
        many = [n for n in layout.free() if len(layout.column(n).levels) >= FEWEST_CLUSTERS]
        again += [n for n in many if _stands_together(layout, n)]
    return again


def leave_factors(layout: Layout, truth: Profile | None = None) -> None:
    """Readers, treatments and steps ahead that every item has, where items come several times: no models.

    Of matched pairs, where the truth itself comes equally often in every one, so do good predictions.
    """
    ids = layout.roles.get("id", layout.roles.get("cluster"))
    if ids is None or once(layout, ids):
        return
    if truth and truth.name in layout.table.names and is_factor(layout.table, truth, ids):
        return
    for name in layout.free():
        if is_factor(layout.table, layout.column(name), ids):
            layout.take(name, "description", f"each value comes equally often with every {ids!r}")


def once(layout: Layout, name: str) -> bool:
    """Whether a value of a column comes once, for each model in long form."""
    if layout.model_column is None:
        return len(layout.column(name).levels) == len(layout.column(name).present)
    return apart(layout, [name, layout.model_column])


def _may_name_data_sets(layout: Layout, item: str, others: Sequence[str]) -> bool:
    """Whether words come with runs of each model that have scores: no people, and none right or wrong."""
    judged = any(right_model(name) is not None for name in layout.free())
    of_models = layout.model_column is not None and "truth" not in layout.roles and not judged
    runs = len(others) > 0 and not any(map(names_raters, others))
    return of_models and runs and layout.column(item).style == "words"


def _may_name_models(
    layout: Layout, item: str, free: Sequence[str], names: Sequence[str]
) -> list[str]:
    """Columns of few words, each as often as the others, as names of models are, where none names several.

    Whole numbers may name treatments, where every item has all of them.
    """
    model = layout.model_column
    if model is not None and not layout.column(model).is_constant:
        return []
    found = []
    for column in map(layout.column, free):
        often = Counter(map(class_text, column.cells))
        if not 1 < len(often) <= MOST_NAMED or names_raters(column.name):
            continue
        words = column.name in names and not column.is_numeric
        even = not column.complete or len(set(often.values())) == 1
        numbers = column.name not in names and is_factor(layout.table, column, item)
        if (words and even) or numbers:
            found.append(column.name)
    return found


def _stands_together(layout: Layout, name: str) -> bool:
    """Whether rows of one value follow each other, value by value, as those of one household do."""
    column = layout.column(name)
    if is_description(name) or place_of(name) is not None or _has_role(name):
        return False
    if not column.complete or (column.is_numeric and not column.is_whole):
        return False
    texts = list(map(class_text, column.cells))
    runs = 1 + sum(a != b for a, b in pairwise(texts))
    return runs == len(column.levels) and 2 * runs <= len(texts)


def comes_again(layout: Layout, name: str) -> bool:
    """Whether many values come several times each: clusters rather than a category."""
    column = layout.column(name)
    return len(column.levels) >= FEWEST_CLUSTERS and 2 * len(column.levels) <= len(column.cells)


def _has_role(name: str) -> bool:
    return any(known_as(name, role) for role in ("truth", "weight", "count", "cluster", "fold"))


def _tells_apart(layout: Layout, item: str, other: str) -> bool:
    """Whether a column numbers or names the rows of one item, and cannot be a prediction."""
    if layout.column(other).is_numeric and not layout.column(other).is_whole:
        return False
    truth = layout.roles.get("truth")
    if truth is not None and layout.column(other).levels <= layout.column(truth).levels:
        return False
    return apart(layout, [item, other, *([layout.model_column] if layout.model_column else [])])
