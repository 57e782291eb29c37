"""`assay.look` and `assay.read`: whatever a user brings, as one inspectable reading, then as evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any, Protocol, TypeGuard, Unpack

import numpy as np

from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence, Question
from assay.core.result_outputs import renderers
from assay.evidence.cell_text import unwritable
from assay.evidence.evidence_summary import counted_evidence
from assay.evidence.judged_items import Judged, read_judged
from assay.evidence.names import Role
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.call_arguments import as_arguments
from assay.evidence.readers.doubts import doubt_scores
from assay.evidence.readers.graded_answers import with_right_word
from assay.evidence.readers.item_evidence import predictions_of
from assay.evidence.readers.layout import Layout, with_model_column
from assay.evidence.readers.log_evidence import read_logged
from assay.evidence.readers.objects import as_array
from assay.evidence.readers.recognition import recognised
from assay.evidence.readers.row_filter import filtered
from assay.evidence.readers.score_evidence import scores_of
from assay.evidence.readers.source_tables import SourceTable, open_sources
from assay.evidence.reading_options import Options, Told
from assay.evidence.rows_memory import MemoryRows
from assay.evidence.score_ranks import HOLDING, Holding
from assay.evidence.scores import NoScores, Scores

Evidence = Predictions | Unpaired | Scores

OF_TABLES: tuple[Role, ...] = ("truth", "weight", "count", "fold", "repeat")
"""Columns that only tables have: to name one says that the source is a table, not a log."""


class Offering(Protocol):
    """Anything that makes evidence of itself: the result of a study, or a store that holds one."""

    def as_evidence(
        self, *, unit: str | None, measure: str | None, models: Any, task: Any
    ) -> Predictions | Scores: ...


def offers_evidence(source: Any) -> TypeGuard[Offering]:
    """Told by its type: a frame may have a column of any name."""
    return hasattr(type(source), "as_evidence")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRole:
    """What a column is for, and how that is known: told, by its name, or by its values."""

    name: str
    role: str
    why: str
    style: str
    sample: tuple[str, ...]
    low: float | None = None
    high: float | None = None
    distinct: int = 0
    missing: int = 0
    looked_at: int | None = None
    """How many rows all of this was seen in, where it is not all of them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """What was understood of the sources, and which questions are open.

    ``shape`` says what a row is, ``columns`` what each column is for and why, ``models`` who is
    compared. ``evidence()`` gives the evidence, or raises `AmbiguousEvidence` with the questions.
    """

    sources: tuple[str, ...]
    shape: str
    unit: str | None
    models: tuple[str, ...]
    values: str
    questions: tuple[Question, ...] = ()
    summary_rows: tuple[str, ...] = ()
    told: Told = field(default_factory=Told, repr=False)
    layouts: tuple[Layout, ...] = field(default=(), repr=False)
    ready: Evidence | None = field(default=None, repr=False)

    @cached_property
    def columns(self) -> tuple[ColumnRole, ...]:
        """What each column is for, and why."""
        return tuple(_role(layout, name) for layout in self.layouts for name in layout.table.names)

    def evidence(self) -> Evidence:
        """Predictions or scores, as everything behind the door takes them."""
        return self._evidence

    @cached_property
    def _evidence(self) -> Evidence:
        if self.questions:
            raise AmbiguousEvidence(self.questions, self)
        if self.ready is not None:
            return self.ready
        # what was understood stays as it is, whatever becomes of columns on the way
        laid = [replace(one, roles=dict(one.roles), why=dict(one.why)) for one in self.layouts]
        if self.shape in ("items", "items by model"):
            found: Evidence = predictions_of(laid, self.told)
        else:
            found = scores_of(laid, self.told)
        return _finished(found, self.told)

    def summary(self) -> str:
        """What `assay look` prints: columns, roles and reasons, what is open, what can be asked."""
        return str(renderers["reading"](self, "text"))

    __str__ = summary

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.summary())}</pre>"

    def to_json(self) -> str:
        """The reading as JSON: columns, roles, reasons, questions with their options."""
        return str(renderers["reading"](self, "json"))

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dictionaries and lists."""
        import json

        found: dict[str, Any] = json.loads(self.to_json())
        return found

    def to_frame(self, backend: str | None = None) -> Any:
        """The columns as a data frame: name, role, why, range, distinct and missing values."""
        return renderers["reading"](self, "frame", backend)

    @property
    def sentence(self) -> str:
        """What was read, in one line."""
        models = counted_evidence(None, self.unit, self.models)
        values = "" if self.values == self.shape else f"; {self.values}"
        told = f"{', '.join(self.sources)}: {self.shape}; {models}{values}"
        return told.encode("utf-8", "backslashreplace").decode()  # a name may hold half a character


def look(*sources: Any, **options: Unpack[Options]) -> Reading:
    """What the sources hold, column by column and why, and what is open; nothing is computed.

    Examples
    --------
    >>> import assay
    >>> reading = assay.look({"item": ["a", "b", "c"], "opus": [1, 0, 1], "llama": [0, 0, 1]})
    >>> [question.code for question in reading.questions]
    ['values']
    """
    told = Told.of(options)
    if told.judge is not None:
        return _of_evidence(read_judged(*sources, **options), told)
    if not sources:
        raise UsageError("give at least one path, frame or mapping of names to arrays")
    ready = None
    if not all(isinstance(source, PathLike) for source in sources):
        ready = _ready(sources, told)
        sources = sources if ready is not None else tuple(as_arguments(sources, told))
    if ready is None:
        of_table = told.where is not None or any(getattr(told, role) for role in OF_TABLES)
        if told.of_logs or not of_table:
            ready = read_logged(sources, told, as_table=of_table)
        ready = None if ready is None else _finished(ready, told)
    if ready is not None:
        return _of_evidence(ready, told)
    tables = open_sources(sources, told)
    if told.where is not None:
        tables = filtered(tables, told.where, told.truth)
    if told.extra:
        tables = _with_columns(tables, told)
    if told.correct and told.positive is not None:
        tables, told = with_right_word(tables, told)
    if told.models:
        told = with_model_column(tables, told)
    found = _of_tables(tables, told)
    split = told.folds is not None or told.test_share is not None
    if split and any(question.code == "unit" for question in found.questions):
        told = replace(told, unit="fold")  # who says how it was split says what a row is
        return _of_tables(tables, told)
    return found


def read(*sources: Any, **options: Unpack[Options]) -> Evidence:
    """Evidence from files, frames, arrays or a DuckDB relation; see ``docs/evidence.md``.

    Several sources of predictions are joined by item id; ``id=False`` pairs them by position
    instead, and ``paired=False`` keeps them apart: models on different items. The truth may come
    first, followed by a mapping of names to predictions. What a row is, which columns are models,
    what the values are and which way is better must be told or certain (`assay.look` shows what
    was understood); what is open raises `AmbiguousEvidence`, which names the option to add:
    ``correct`` (1 is right), ``losses``, ``lower_is_better``, ``truth``, ``models``, ``ignore``,
    ``unit``, ``positive``, ``where`` ("split=test"), ``missing`` ("complete" or "wrong"),
    ``cluster``, ``repeat``, ``folds``, ``repeats``, ``test_share``, ``models_in_rows``,
    ``percent``, ``decimal``. ``threshold`` makes labels of scores, ``slice`` names the column whose
    values `compare` looks at one by one, ``scores`` says where scores of large files are ranked
    (``docs/large.md``), and ``metric``, ``task`` and ``unscored`` what to read of logs of evaluation
    harnesses (``docs/logs.md``).
    """
    return look(*sources, **options).evidence()


def read_any(*sources: Any, **options: Any) -> Evidence | Judged:
    """What `read` gives; with a judge, or of evidence that has one already, `Judged`."""
    if options.get("judge") is not None or any(isinstance(one, Judged) for one in sources):
        return read_judged(*sources, **options)
    if options.get("labelled_at") is not None:
        raise UsageError("labelled_at= needs the judge's column: judge=")
    return look(*sources, **options).evidence()


def _ready(sources: Sequence[Any], told: Told) -> Evidence | None:
    """Evidence that was read already, or that something makes of itself."""
    if len(sources) == 1 and offers_evidence(sources[0]):
        return sources[0].as_evidence(
            unit=told.unit, measure=told.measure, models=told.models, task=told.task
        )
    if len(sources) == 1 and isinstance(sources[0], Evidence):
        own = sources[0].unit if isinstance(sources[0], Scores) else "item"
        if told.unit not in (None, own):
            raise _other_unit(sources[0], str(told.unit))
        return _finished(sources[0], told)
    if any(isinstance(source, Evidence | Reading) for source in sources):
        raise UsageError("evidence that was read already cannot be joined; give its sources")
    return None


def _with_columns(tables: list[SourceTable], told: Told) -> list[SourceTable]:
    """Columns that were given as arrays, beside the one table they belong to."""
    if len(tables) != 1 or not tables[0].arrays or tables[0].path is not None:
        raise UsageError(
            f"{next(iter(told.extra))}= as an array goes with one frame or mapping; name a column instead"
        )
    (table,) = tables
    size = len(next(iter(table.arrays.values())))
    for role, values in told.extra.items():
        array = as_array(values, role)
        if len(array) != size:
            raise UsageError(f"{role}= has {len(array):,} values for {size:,} rows")
        table = table.with_array(f"{role} given", np.asarray(array))
    return [table]


def _of_evidence(evidence: Any, told: Told) -> Reading:
    """The reading of what was recognised by its own format."""
    summary = evidence.summary()
    return Reading(
        sources=summary.sources,
        shape=summary.kind,
        unit=summary.unit,
        models=summary.models,
        values=summary.description,
        told=told,
        ready=evidence,
    )


_VALUES = {
    "right": "1 = right; higher is better",
    "losses": "losses; lower is better",
    "gains": "scores of items; higher is better",
}


def _of_tables(tables: Sequence[SourceTable], told: Told) -> Reading:
    try:
        laid = recognised(tables, told)
    except ValueError as error:
        raise unwritable(error) from None
    first = laid[0]
    questions = [question for layout in laid for question in layout.questions]
    by_item = first.shape in ("items", "items by model")
    models = [model for layout in laid for model in layout.models if model]
    if not by_item:
        of_columns = [first.runs.get(name, (name,))[0] for name in first.score_columns]
        models = list(dict.fromkeys(of_columns)) if first.shape == "scores" else _names(first)
    elif first.model_column is not None:
        models = _names(first)
    return Reading(
        sources=tuple(layout.table.title for layout in laid),
        shape=first.shape,
        unit="item" if by_item else _unit(first, told),
        models=tuple(models),
        values=_VALUES.get(str(first.values)) or ("predictions" if by_item else "scores"),
        questions=tuple({question.code: question for question in questions}.values()),
        summary_rows=tuple(row for layout in laid for row in layout.summary_rows),
        told=told,
        layouts=tuple(laid),
    )


def _unit(layout: Layout, told: Told) -> str | None:
    places = (place for place in ("dataset", "fold", "seed", "repeat") if place in layout.places)
    default = "dataset" if layout.shape == "models in rows" else None
    return told.unit or layout.told.unit or next(places, default)


def _names(layout: Layout) -> list[str]:
    """The models that a column names, as far as its first cells tell."""
    if layout.model_column is None:
        return [layout.table.stem or "model"]
    return list(dict.fromkeys(str(cell) for cell in layout.column(layout.model_column).present))


def _role(layout: Layout, name: str) -> ColumnRole:
    column = layout.column(name)
    role, why = layout.why.get(name, ("open", ""))
    numeric = column.is_numeric
    return ColumnRole(
        name=name,
        role=role,
        why=why,
        style=column.style,
        sample=tuple(str(cell) for cell in list(dict.fromkeys(map(str, column.present)))[:4]),
        low=column.low if numeric else None,
        high=column.high if numeric else None,
        distinct=len(column.levels),
        missing=column.missing,
        looked_at=None if column.complete else len(column.cells),
    )


def _finished(evidence: Evidence, told: Told) -> Evidence:
    """The evidence with labels made of scores, and with what was said of directions and of ranking.

    Names must be such that can be written down: half a character is no text.
    """
    if isinstance(evidence, Scores):
        doubt_scores(evidence, told)
        if told.lower_is_better is not None:
            side = "lower" if told.lower_is_better else "higher"
            evidence = replace(evidence, directions=dict.fromkeys(evidence.measures, side))
    if told.threshold is not None:
        if isinstance(evidence, Scores):
            raise UsageError("threshold= makes labels of item scores; these are scores of models")
        evidence = _of_parts(evidence, lambda part: part.labels_from_scores(told.threshold))
    if told.scores is not None:
        where: Holding = check_choice(told.scores, HOLDING, "scores")
        if isinstance(evidence, Scores):
            raise UsageError(
                "scores= says where item scores are ranked; these are scores of models"
            )
        evidence = _of_parts(evidence, lambda part: replace(part, scores=_where(part, where)))
    parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
    for name in (one for part in parts for one in (*part.models, *getattr(part, "classes", ()))):
        if any("\ud800" <= sign <= "\udfff" for sign in name):
            raise EvidenceError(f"the name {name!r} holds half a character: rename it")
    return evidence


def _of_parts(evidence: Predictions | Unpaired, change: Any) -> Predictions | Unpaired:
    if isinstance(evidence, Unpaired):
        return replace(evidence, parts=tuple(map(change, evidence.parts)))
    found: Predictions = change(evidence)
    return found


def _where(evidence: Predictions, where: Holding) -> Holding:
    if where == "binned" and isinstance(evidence.rows, MemoryRows):
        raise UsageError(
            "scores='binned' is for files and frames on a cluster; these scores are in memory, where "
            "they are ranked exactly: leave it out"
        )
    return where


def _other_unit(evidence: Evidence, unit: str) -> UsageError | NoScores:
    if isinstance(evidence, Scores):
        return UsageError(
            f"these scores were read by {evidence.unit}; read them again with unit={unit!r}"
        )
    return NoScores(f"predictions are of items; a comparison over {unit}s needs scores by {unit}")
