"""What a table is: a row of it, its models, its values; and what neither names nor structure tell."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.core.errors import EvidenceError
from assay.core.questions import Question
from assay.core.wording import either
from assay.evidence.cell_text import class_text, id_text, quoted
from assay.evidence.model_columns import ModelColumns, column_grammar
from assay.evidence.name_parts import models_in, numbered_place
from assay.evidence.names import (
    KNOWN,
    SPLITS,
    TESTED,
    TRAINED,
    Place,
    Role,
    is_bound,
    is_description,
    is_model_name,
    is_nameless,
    is_part,
    is_training_part,
    known_as,
    names_items,
    place_of,
    plain,
    right_model,
    says_truth,
)
from assay.evidence.open_questions import which_rows
from assay.evidence.profile import Profile
from assay.evidence.readers.source_tables import SourceTable
from assay.evidence.reading_options import Told
from assay.evidence.rows import MAX_JOINT, MAX_LEVELS
from assay.evidence.scores import KEYS

MOST_MODELS = 1_000
"""Words in a column beyond which they are no names of models."""
MOST_CROSSED = 20
"""Values up to which whole numbers may be readers or treatments that saw every item."""
MOST_PARTS = 3
"""Training, validation and test data, where numbers stand for them."""
FEWEST_NAMED = 4
"""Rows from which on it is no chance that no class comes twice."""
Shape = Literal["items", "items by model", "scores", "scores by model", "models in rows"]
Values = Literal["right", "losses", "gains"]
"""What numbers by item are where there is no truth: 1 for a right answer, losses, or scores."""


@dataclass(kw_only=True, eq=False)
class Layout:
    """One table with what its columns are for, why, and what is open."""

    table: SourceTable
    told: Told
    columns: Mapping[str, Profile]
    shape: Shape = "items"
    roles: dict[Role, str] = field(default_factory=dict)
    places: dict[Place, str] = field(default_factory=dict)
    """Of scores: the columns that place them."""
    models: dict[str, ModelColumns] = field(default_factory=dict)
    """Of items: the columns of each model; under "" where a column names the model."""
    score_columns: list[str] = field(default_factory=list)
    """Of scores: the columns of numbers, a model each or a measure each."""
    cells: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of columns called rf_accuracy: model and measure; of probabilities called rf_cat: model and class."""
    runs: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Of columns called rf_seed1: model, place (seed) and number."""
    model_column: str | None = None
    values: Values | None = None
    measure: str | None = None
    row_names: str | None = None
    """The column that names the rows of scores, where no place does."""
    why: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By column: what it is for, and how that is known."""
    questions: list[Question] = field(default_factory=list)
    summary_rows: list[str] = field(default_factory=list)
    """Names of rows that sum up the table."""
    known: dict[tuple[str, ...], tuple[SourceTable, bool]] = field(default_factory=dict, repr=False)
    """By columns: the table whose rows were counted, and whether these tell all of them apart."""

    @property
    def title(self) -> str:
        return self.table.title

    def take(self, name: str, role: str, why: str) -> None:
        """Settle what a column is for."""
        self.why[name] = (role, why)

    def free(self) -> list[str]:
        """The columns that nothing has explained yet, in order."""
        return [name for name in self.table.names if name not in self.why]

    def left_out(self) -> list[str]:
        """Columns with no part in the answer that were not told to be ignored."""
        return [
            name
            for name, (role, why) in self.why.items()
            if role in ("description", "spread", "left out") and why != "told"
        ]

    def described_numbers(self) -> list[str]:
        """Columns of numbers that seem to describe the rows by their names, and name none of them."""
        return [
            name
            for name, (role, why) in self.why.items()
            if (role, why) == ("description", "its name")
            and self.column(name).is_numeric
            and not known_as(name, "id")
        ]

    def column(self, name: str) -> Profile:
        return self.columns[name]

    def used(self) -> list[str]:
        """The columns that have a role or belong to a model."""
        of_models = (name for of in self.models.values() for name in of.used())
        return list(dict.fromkeys([*self.roles.values(), *of_models]))

    def model_names(self) -> list[str]:
        """The models named in a table in long form, in order of text."""
        column = str(self.model_column)
        levels = self.table.rows().levels([column], MAX_LEVELS)[column]
        if levels is None or None in levels:
            kept = [f"{column}={word}" for word in sorted(self.column(column).levels)]
            typed = " ".join(f"--where {shlex.quote(one)}" for one in kept)
            raise EvidenceError(
                f"column {column!r} of {self.title} must name a model in every row. Complete it, or keep the rows of "
                f"the models that you mean: {either(f'where={kept}', typed)}"
            )
        return sorted({id_text(level) for level in levels})


def started(table: SourceTable, told: Told) -> Layout:
    """A layout with what the user told; columns that are not there are refused."""
    layout = Layout(table=table, told=told, columns=table.profiles())
    if not any(column.cells for column in layout.columns.values()) and not table.rows().size():
        raise EvidenceError(f"{table.title} has no rows of data")
    roles: tuple[Role, ...] = (
        "truth", "id", "weight", "count", "cluster", "fold", "repeat", "slice"
    )  # fmt: skip
    for role in roles:
        name = getattr(told, role)
        if name and name in table.names:
            layout.roles[role] = name
            layout.take(name, role, "told")
    return layout


def check_told(tables: Sequence[SourceTable], told: Told) -> None:
    """Refuse columns that no table has; ids must be in all."""
    named = {role: getattr(told, role) for role in KNOWN}
    for role, column in named.items():
        if not column or told.extra.get(role) is not None:
            continue
        if role == "truth" and any(column in (table.title, table.stem) for table in tables):
            continue  # the file that holds it
        lacking = [table for table in tables if column not in table.names]
        if len(lacking) == len(tables) or (role == "id" and lacking):
            file = role == "truth" and os.path.isfile(str(column))  # noqa: PTH113 (any name is no error)
            hint = f". If {column} is a file, name it first, before the predictions" if file else ""
            raise EvidenceError(
                f"{lacking[0].title} has no column {column!r} for the {role}; "
                f"it has {quoted(lacking[0].names, 20)}{hint}"
            )


def with_percent_columns(tables: Sequence[SourceTable], told: Told) -> Told:
    """The columns that are in per cent where the model was named, of A also A_acc; what is neither is refused."""
    columns = [name for table in tables for name in table.names]
    percent: list[str] = []
    for name in told.percent:
        whose = [one for one in columns if name in (*models_in(one), column_grammar(one)[0])]
        percent += [name] if name in columns else whose or [name]
    known = {name for table in tables for name in (*table.names, table.stem)}
    named = [(t, name) for t in tables for name in t.names if place_of(name) == "model"]
    for table, column in named if set(percent) - known else ():
        known |= set(table.all_words(column))
    unknown = [name for name in percent if name not in known]
    if unknown:
        raise EvidenceError(
            f"{tables[0].title} has no column or model {unknown[0]!r} to be in per cent"
        )
    return replace(told, percent=percent)


def with_model_column(tables: Sequence[SourceTable], told: Told) -> Told:
    """The one column that was named as the models, where its cells are words that come again: they name them."""
    (name, *more) = told.listed or ("",)
    if more or isinstance(told.models, Mapping) or any(name not in one.names for one in tables):
        return told
    long = all(_is_long(table, name, told) for table in tables)
    return replace(told, models=None, model_column=name) if long else told


def _is_long(table: SourceTable, name: str, told: Told) -> bool:
    """Whether items, folds or data sets come once for each word of a column.

    A column of predictions, which may be told as the only model, is none: it holds classes of the
    truth, or some column has a value of its own in every row.
    """
    columns = table.profiles()
    column = columns[name]
    if not column.is_unique and any(
        is_factor(table, column, one)
        for one in columns
        if one == told.id or names_items(one) or place_of(one) in KEYS
    ):
        return True
    words = column.style == "words" and not column.may_be_outcome
    if not words or column.is_unique or not 1 < len(column.levels) <= MOST_MODELS:
        return False
    truths = [n for n in columns if known_as(n, "truth") or n == told.truth]
    if name in truths or any(columns[n].levels & column.levels for n in truths):
        return False
    whole = [c for c in columns.values() if c.name != name and (not c.is_numeric or c.is_whole)]
    size = table.rows().size()
    alone = [c for c in whole if c.is_unique and table.rows([c.name]).distinct([c.name])[0] == size]
    judged = not truths and sum(c.may_be_outcome for c in columns.values()) == 1
    return not alone or not told.paired or judged  # else different items of each


def is_factor(table: SourceTable, column: Profile, ids: str) -> bool:
    """Whether every item comes equally often with each of few values: by design, as no prediction does."""
    few = 1 < len(column.levels) <= MOST_CROSSED and (column.is_whole or not column.is_numeric)
    if not few or column.name == ids:
        return False
    groups = table.rows([ids, column.name]).group([ids, column.name], limit=MAX_JOINT)
    if groups is None or min(map(len, groups.levels)) < 2 or len(groups.levels[0]) < FEWEST_NAMED:
        return False
    crossed = len(groups.counts) == len(groups.levels[0]) * len(groups.levels[1])
    return crossed and len(set(groups.counts.tolist())) == 1


def model_column(layout: Layout) -> str | None:
    """The column whose cells are names of models, if there is one."""
    if layout.told.model_column is not None:
        return layout.told.model_column
    if set(layout.told.listed or ()) & set(layout.table.names):
        return None  # a column is a model
    known = [name for name in layout.free() if place_of(name) == "model"]
    if not known and not layout.told.truth:
        known = [name for name in layout.free() if _may_name_variants(layout, name)]
    truth = truth_by_name(layout)
    scale = layout.column(truth[0]).levels if len(truth) == 1 else frozenset()
    words = [layout.column(name).levels for name in layout.table.names]
    for name in known:
        column = layout.column(name)
        numbers = column.is_numeric and not column.is_whole
        shared = column.style == "words" and sum(map(column.levels.issubset, words)) > 2
        answers = (column.levels & scale or shared) and not _states_predictions(layout)
        if column.may_be_outcome or numbers or answers or _describes_items(layout, name):
            continue  # predictions of the one model that is called so, or a word about items
        return name
    return None


def _may_name_variants(layout: Layout, name: str) -> bool:
    """Whether a column called run or version may name what is compared; names alone may be of data sets."""
    column = layout.column(name)
    rows = plain(name) == "name" and column.is_unique
    rows = rows or any(
        place_of(n) == "dataset" and layout.column(n).is_unique for n in layout.free()
    )
    named = plain(name) in _VARIANTS and column.style == "words"
    named = named or (plain(name) == "version" and not column.is_constant)
    arms = set(map(plain, column.levels))  # beside a case a control is a class
    named = named or (plain(name) in _ARMS and bool(_ARM & arms) and not arms & {"case", "cases"})
    if not named or rows or len(layout.free()) == 1:
        return False
    others = [n for n in layout.free() if n != name and layout.column(n).is_numeric]
    others = [n for n in others if not is_description(n)]
    return not others or not all(map(is_model_name, others))  # else the cells name data sets


_VARIANTS = ("run", "variant", "name", "config", "arm", "bucket")
_ARMS = frozenset({"group", "arm", "treatment", "condition", "bucket", "cohort"})
_ARM = frozenset({"control", "placebo", "treatment", "treated"})
"""Names of what an experiment compares, and of one side of it."""
_ABOUT_ITEMS = frozenset({
    "agent", "team", "policy", "network", "system", "candidate", "framework", "package", "library", "strategy",
    "scheme", "submission", "pipeline", "architecture", "workflow", "assistant", "variant", "config", "version", "name",
})  # fmt: skip
"""Words for models that people also use for what an item is about: the agent who took a call."""


def _describes_items(layout: Layout, name: str) -> bool:
    """Whether a column called agent is about rows that are items of their own, with a column for each model."""
    truth = [layout.column(one) for one in truth_by_name(layout)]
    first, columns = layout.table.names[0], [layout.column(n) for n in layout.table.names]
    items = [c.name for c in columns if c.is_unique and (names_items(c.name) or c.name == first)]
    own = bool(truth or set(items) - {name}) and any(not is_nameless(one) for one in items)
    if plain(name) not in _ABOUT_ITEMS or not own or _states_predictions(layout):
        return False
    others = [layout.column(n) for n in layout.free() if n not in (name, *items)]
    others = [one for one in others if one not in truth and not is_description(one.name)]
    if not truth:
        return sum(one.may_be_outcome and not right_model(one.name) for one in others) > 1
    classes = [one for one in others if one.levels <= truth[0].levels]
    values = [one for one in others if one.is_numeric and truth[0].is_numeric]
    return len(classes) > 1 or len(values) > 1


def _states_predictions(layout: Layout) -> bool:
    """Whether a column is called prediction, so that another names the model."""
    free = [name for name in layout.free() if plain(name) not in KNOWN["truth"]]
    return any(column_grammar(name)[0] == "" for name in free)


def truth_by_name(layout: Layout) -> list[str]:
    """The columns that are called truth, the told one alone if there is one."""
    if "truth" in layout.roles:
        return [layout.roles["truth"]]
    found = [n for n in layout.free() if known_as(n, "truth") and not _names_rows(layout, n)]
    found = [n for n in found if n in layout.roles.values() or not _numbers_rows(layout, n)]
    found = found or [name for name in layout.free() if says_truth(name)]
    if len(found) < 2:
        return found
    texts = [list(map(class_text, layout.column(name).cells)) for name in found]
    return found[:1] + [n for n, of in zip(found[1:], texts[1:], strict=True) if of != texts[0]]


def _numbers_rows(layout: Layout, name: str) -> bool:
    """Whether a column called obs counts the rows rather than holding what was observed."""
    column = layout.column(name)
    return known_as(name, "id") and column.is_whole and column.is_unique


def _names_rows(layout: Layout, name: str) -> bool:
    """Whether a column called class names the rows, a class each, and no other column has one of them."""
    column = layout.column(name)
    models = [other for other in layout.table.names if place_of(other) == "model"]
    named = column.is_unique or (len(models) == 1 and apart(layout, [name, *models]))
    if column.style != "words" or not named or len(column.levels) < FEWEST_NAMED:
        return False
    others = [layout.column(other) for other in layout.table.names if other != name]
    return any(one.is_numeric for one in others) and not any(
        one.levels & column.levels for one in others
    )


def first_nameless(layout: Layout) -> str | None:
    """A first column without a name: the index that pandas writes."""
    names = layout.table.names
    return names[0] if names and is_nameless(names[0]) and names[0] not in layout.why else None


def take_parts(layout: Layout) -> None:
    """Ask which rows count where some were trained on."""
    truths = [layout.column(name).levels for name in truth_by_name(layout)]
    for name in layout.free():
        column = layout.column(name)
        flag = plain(name) in TRAINED and len(column.levels) <= 2
        flag = flag and (bool(truths) or column.is_binary or column.may_be_outcome)
        coded = plain(name) == "split" and column.is_whole and len(column.levels) <= MOST_PARTS
        coded = coded and bool(truths)  # of scores it numbers the splits
        parts = not column.is_numeric and bool(column.levels) and all(map(is_part, column.levels))
        parts = parts and column.levels not in truths  # classes may be called train and test
        if parts and plain(name) not in SPLITS:
            parts = any(map(is_training_part, column.levels))
        if not (flag or coded or parts):
            continue
        words = layout.table.all_words(name)
        if flag or coded or all(map(is_part, words)):
            layout.take(name, "description", "says which rows were trained on")
            if len(words) > 1:
                words.sort(key=lambda word: plain(word) not in TESTED)
                layout.questions.append(which_rows(layout.title, name, words))


def apart(layout: Layout, names: Sequence[str]) -> bool:
    """Whether no row has the same cells in these columns as another."""
    rows = list(zip(*(map(class_text, layout.column(n).cells) for n in names), strict=True))
    if len(set(rows)) < len(rows) or all(layout.column(n).complete for n in names):
        return len(set(rows)) == len(rows)
    table, told = layout.known.get(tuple(names), (None, False))
    if table is not layout.table:
        whole = layout.table.rows(names)  # apart in a sample, a row may come again outside it
        distinct, missing = whole.distinct(names)
        told = distinct == whole.size() - missing
        layout.known[tuple(names)] = (layout.table, told)
    return told


def place_by_cells(column: Profile) -> Literal["fold", "seed"] | None:
    """What Fold1, Fold2 … in the cells of a column called id number."""
    words = known_as(column.name, "id") and column.style != "numbers" and bool(column.levels)
    return numbered_place(column.levels) if words else None


def without_bounds(layout: Layout, columns: Sequence[str]) -> list[str]:
    """The columns without those called max_points that no other exceeds in any row."""
    for name in filter(is_bound, columns):
        others = [layout.column(one).numbers for one in columns if one != name]
        if others and not any((one > layout.column(name).numbers).any() for one in others):
            layout.take(name, "description", "the most that a row can have")
    return [name for name in columns if name not in layout.why]
