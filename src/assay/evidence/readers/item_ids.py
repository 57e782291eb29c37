"""The columns that name the items of a table, values of them that come again, and numbers for rows without a name."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from assay.evidence import open_questions as ask
from assay.evidence.cell_text import class_text
from assay.evidence.names import (
    KNOWN,
    Role,
    is_description,
    is_nameless,
    known_as,
    names_items,
    names_raters,
    place_of,
    plain,
    right_model,
)
from assay.evidence.profile import Profile
from assay.evidence.readers.layout import (
    Layout,
    apart,
    first_nameless,
    is_factor,
    place_by_cells,
)

SERIES = ("unique_id", "series", "series_id", "station")
"""Names of what rows follow each other in."""
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


def take_ids(layout: Layout) -> None:
    """The column of ids, and whether values of it, or of another entity, come again."""
    words = [n for n in layout.free() if layout.column(n).style != "numbers"]
    for name in [n for n in words if place_by_cells(layout.column(n)) == "fold"]:
        layout.roles.setdefault("fold", name)
        layout.take(name, "fold", "its cells")
    known = _known_ids(layout)
    unique = [name for name in known if once(layout, name)]
    shared = [n for n in known if layout.model_column and _is_met_by_all(layout, n)]
    if "id" not in layout.roles:
        best = sorted(
            [n for n in shared if n in unique] or unique or shared or known,
            key=lambda name: (is_nameless(name), known.index(name)),
        )
        if best and not (is_nameless(best[0]) and not unique):
            layout.roles["id"] = best[0]
            layout.take(best[0], "id", "its name")
    for name in known:
        role = "id" if name == layout.roles.get("id") else "description"
        layout.take(name, role, "its name")
    if layout.model_column is not None:
        _take_shared_words(layout)
        _number_rows(layout)
    # what numbers the runs of each model names no items
    ask_about_repeats(layout, [n for n in known if not shared or n in (*shared, *unique)])


def _known_ids(layout: Layout) -> list[str]:
    """The columns that name items by what they are called, or in long form by their cells."""
    model = layout.model_column
    known = [n for n in layout.free() if plain(n) in KNOWN["id"] or plain(n) in ENTITIES]
    others = [n for n in layout.free() if n not in known and names_items(n)]
    known += [n for n in others if once(layout, n) or comes_again(layout, n)]
    known = [n for n in known if _can_name(layout, n)]
    for name in [n for n in known if layout.column(n).is_constant and model is None]:
        if plain(name) in (*ENTITIES, *SERIES) and len(layout.column(name).cells) > 1:
            known.remove(name)  # all rows are of one series
            layout.take(name, "description", "it has one value")
    index = first_nameless(layout)
    known += [index] if index is not None and index not in known else []
    if known:
        known = _named_within_tasks(layout, known) or known
    if model is not None and not known:
        known = [name for name in layout.free() if _names_for_all(layout, name)][:1]
        known = known or [name for name in layout.free() if names_items(name)][:1]
    return known


def _can_name(layout: Layout, name: str) -> bool:
    """Whether values can name items: fractions do as an id only, not as post; 0 and 1 are answers of a doc."""
    column, truth = layout.column(name), layout.roles.get("truth")
    classes = layout.column(truth).levels if truth is not None else frozenset()
    answers = not column.is_constant and (column.may_be_outcome or column.levels <= classes)
    named = plain(name).endswith("id") or not column.is_numeric or column.is_whole
    return named and not (answers and not column.is_unique)


def _named_within_tasks(layout: Layout, known: Sequence[str]) -> list[str]:
    """A column of both names, where q1 of law and q1 of maths are different questions: each comes once."""
    tasks = [n for n in layout.table.names if place_of(n) == "dataset" and n not in known]
    if len(tasks) != 1 or "id" in layout.roles or any(once(layout, name) for name in known):
        return []
    # the rows of a relation stay where they are
    if layout.told.id is False or layout.table.relation is not None:
        return []
    for name in known:
        joined = f"{tasks[0]} {name}"
        cells = [layout.table.loaded([one])[one].tolist() for one in (tasks[0], name)]
        both = [f"{class_text(a)} {class_text(b)}" for a, b in zip(*cells, strict=True)]
        if len(set(map(class_text, cells[0]))) > 1 and _is_crossed(layout, both):
            layout.table = layout.table.in_memory().with_array(joined, np.array(both, dtype=object))
            layout.columns = layout.table.profiles()
            return [joined]
    return []


def _is_crossed(layout: Layout, items: Sequence[str]) -> bool:
    """Whether no item comes twice, for each model in long form."""
    if layout.model_column is None:
        return len(set(items)) == len(items)
    models = layout.table.loaded([layout.model_column])[layout.model_column].tolist()
    return len(set(zip(map(str, models), items, strict=True))) == len(items)


def _take_shared_words(layout: Layout) -> None:
    """In long form without ids: the words that come once for each model, the same for all, name the items."""
    truth = layout.roles.get("truth")
    for name in layout.table.names if "id" not in layout.roles and layout.told.paired else ():
        column = layout.column(name)
        if name in (truth, layout.model_column) or column.is_numeric or not column.complete:
            continue
        if _names_for_all(layout, name):
            layout.roles["id"] = name
            layout.take(name, "id", "each value comes once for each model")
            return


def _number_rows(layout: Layout) -> None:
    """In long form: tell the tries of an item apart by their order, and items if nothing names them.

    Rows without ids are in the same order for all models if they have the same truths in it.
    """
    roles, told = layout.roles, layout.told
    if roles.get("cluster") and "repeat" not in roles and "id" not in roles:
        roles["id"] = roles.pop("cluster")
    elif "id" in roles and told.id is not False:
        return
    named = str(layout.model_column)
    models = [str(cell) for cell in layout.table.loaded([named])[named].tolist()]
    if "id" in roles and told.id is not False:
        items = layout.table.loaded([roles["id"]])[roles["id"]].tolist()
        keys = [(model, class_text(item)) for model, item in zip(models, items, strict=True)]
        _add_numbers(layout, "repeat", keys)
        return
    truth = roles.get("truth")
    truths = layout.table.loaded([truth])[truth].tolist() if truth else [""] * len(models)
    by_model: dict[str, list[str]] = {}
    for model, value in zip(models, truths, strict=True):
        by_model.setdefault(model, []).append(class_text(value))
    first, *rest = by_model.values()
    alike = (truth and len(set(first)) > 1) or told.id is False
    if alike and told.paired and all(one == first for one in rest):
        layout.told = replace(told, id=None)
        _add_numbers(layout, "id", [(model,) for model in models])


def _add_numbers(layout: Layout, role: Role, keys: Sequence[Any]) -> None:
    """A column that counts the rows of each key, for this role."""
    seen: Counter[Any] = Counter()
    numbers = []
    for key in keys:
        numbers.append(seen[key])
        seen[key] += 1
    name = f"{role} by order"
    layout.table = layout.table.in_memory().with_array(name, np.array(numbers))
    layout.columns = layout.table.profiles()
    layout.roles[role] = name
    layout.take(name, role, "the order of the rows")


def _names_for_all(layout: Layout, name: str) -> bool:
    """Whether all models of a long table have the same values of a column, each once: they name the items."""
    return _is_met_by_all(layout, name) and once(layout, name) and _can_name(layout, name)


def _is_met_by_all(layout: Layout, name: str) -> bool:
    """Whether all models of a long table have the same values of a column, and more than one."""
    models = layout.column(str(layout.model_column)).cells
    by_model: dict[str, set[str]] = {}
    for model, cell in zip(models, layout.column(name).cells, strict=True):
        by_model.setdefault(str(model), set()).add(class_text(cell))
    first, *rest = by_model.values()
    return bool(rest) and all(one == first for one in rest) and len(first) > 1


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
