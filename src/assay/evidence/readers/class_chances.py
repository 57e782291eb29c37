"""Probabilities of classes in columns of their own: whose they are, and of which class."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from assay.core.errors import EvidenceError
from assay.evidence.cell_questions import which_classes
from assay.evidence.cell_text import quoted
from assay.evidence.model_columns import column_grammar
from assay.evidence.profile import Profile
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.objects import ROUNDING

_WORD, _MARK = "(?:p|pr|prob|proba|probability|class)", "[ _.:(-]"
_NUMBERED = re.compile(rf"(?is)(.*?)(?:(?:^|{_MARK}){_WORD})?{_MARK}?\d+(\D*)")


def class_chances(layout: Layout, truth: Profile, nameless: str) -> dict[str, tuple[str, str]]:
    """Model and class of columns called rf_cat, p1_rf, or cat alone, that sum to 1 in every row."""
    free = {name: layout.column(name) for name in layout.free()}
    columns = {
        name: column
        for name, column in free.items()
        if not column.is_whole
        and column.in_unit
        and column_grammar(name, truth.levels)[1] != "probabilities"
    }
    if len(truth.levels) > len(columns):
        return {}
    groups: dict[str, dict[str, Profile]] = {}
    for name, column in columns.items():
        if found := _split(name, truth.levels):
            groups.setdefault(found[0] or nameless, {})[found[1]] = column
    chances = {
        column.name: (model, of)
        for model, group in groups.items()
        if set(group) == truth.levels and _sum_to_one(group.values())
        for of, column in group.items()
    }
    rest = {name: column for name, column in columns.items() if name not in chances}
    return chances | _numbered(rest, layout, truth, nameless)


def refuse_chances_alone(layout: Layout, names: Sequence[str]) -> None:
    """Probabilities of classes, and no truth: their columns are classes, not models."""
    columns = [layout.column(name) for name in names]
    if len(columns) < 3 or not all(one.in_unit and not one.is_whole for one in columns):
        return
    total = np.sum([one.numbers for one in columns], axis=0)
    models = np.round(total.mean())
    if (np.abs(total - models) < ROUNDING * models).all():
        raise EvidenceError(
            f"columns {quoted(names)} of {layout.title} have the same sum in every row, as "
            "probabilities of classes have. Without the true class of each item they say nothing: "
            "name its column with truth=, or add a file that has it"
        )


def _split(name: str, classes: Collection[str]) -> tuple[str, str] | None:
    """The model and the class that a name speaks of; of several classes the longest."""
    text = name.strip().rstrip(")")
    for one in sorted(classes, key=len, reverse=True):
        of = re.escape(one)
        before = rf"(?:(?:{_WORD}{_MARK})?(.+?){_MARK})?(?:{_WORD}{_MARK}?)?{of}"
        behind = rf"(?:{_WORD}{_MARK}?)?{of}{_MARK}(.+)"
        found = re.fullmatch(f"(?is){before}", text) or re.fullmatch(f"(?is){behind}", text)
        if found:
            return found[1] or "", one
    return None


def _numbered(
    columns: Mapping[str, Profile], layout: Layout, truth: Profile, nameless: str
) -> dict[str, tuple[str, str]]:
    """Those that are numbered from 1, or beside classes of words: their classes are asked for."""
    groups: dict[str, list[str]] = {}
    for name in columns:
        if found := _NUMBERED.fullmatch(name):
            groups.setdefault("".join(found.groups()).strip(" _.:-"), []).append(name)
    chances = {
        column: (model or nameless, of)
        for model, group in groups.items()
        if len(group) == len(truth.levels) > 2 and _sum_to_one(columns[n] for n in group)
        for column, of in zip(group, sorted(truth.levels), strict=True)
    }
    if chances:
        models: dict[str, dict[str, str]] = {}
        for name, (model, of) in chances.items():
            models.setdefault(model, {})[of] = name
        layout.questions.append(which_classes(layout.table, models))
    return chances


def _sum_to_one(columns: Iterable[Profile]) -> bool:
    total = np.sum([column.numbers for column in columns], axis=0)
    return bool((np.abs(total - 1.0) < ROUNDING).all())
