"""One source handed to a method: what it was recognised as, and its readings, made when asked for."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.methods import Method
from assay.evidence.argument_shapes import SHAPES, Arguments, ArgumentShape
from assay.evidence.blocks import Blocks
from assay.evidence.cells import is_missing, number_of, plural, quoted
from assay.evidence.frames import is_frame
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.roles import Needs
from assay.evidence.scores import Scores
from assay.evidence.source_recognition import (
    columns_for,
    describes_rows,
    offers_evidence,
    read_log,
    speak_of_items,
    speak_of_losses,
    speak_of_scores,
)
from assay.evidence.tally import Tally

if TYPE_CHECKING:
    from assay.evidence.readers.sources import Table

SourceKind = Literal["predictions", "unpaired", "scores", "numbers"]
Evidence = Predictions | Unpaired | Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """What the caller said of a source; the rest is recognised by names."""

    truth: str | None = None
    columns: tuple[str, ...] | None = None
    measure: str | None = None
    cluster: str | None = None
    fold: str | None = None
    n: int | None = None
    no_information: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MethodSource:
    """A table, or evidence that was read already, from which a method's arguments are made."""

    title: str
    method: Method
    shape: ArgumentShape
    options: SourceOptions
    kind: SourceKind
    models: int | None
    """How many models a method takes of this source; None: as many as there are."""
    table: "Table | None" = None
    evidence: Evidence | None = None
    told: dict[str, Any] = field(default_factory=dict)
    """Options of the method that the source itself tells, such as the unit of scores."""

    @staticmethod
    def of(
        source: Any, method: Method, options: SourceOptions, *, part: bool = False
    ) -> "MethodSource":
        """A source opened: a path, a frame, a mapping, a log of another tool, or evidence.

        A ``part`` is one of two sources and holds one model.
        """
        from assay.evidence.readers.sources import open_sources
        from assay.evidence.reading import read

        shape = SHAPES[method.takes]
        models = 1 if part else shape.models
        made = partial(MethodSource, method=method, shape=shape, models=models)
        if offers_evidence(source):
            source = read(source, measure=options.measure)
        if isinstance(source, Evidence):
            kind = _kind_of_evidence(source)
            return made(title="the evidence", options=options, kind=kind, evidence=source)
        log = _log_of(source, options)
        if log is not None:
            title = "the data" if isinstance(source, Mapping) else str(source)
            kind = _kind_of_evidence(log)
            return made(
                title=title, options=replace(options, columns=None), kind=kind, evidence=log
            )
        (table,) = open_sources([source])
        kind = _kind_of_table(table.names, options)
        return made(title=table.title, options=options, kind=kind, table=table)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of a table; none of what was read already."""
        return () if self.table is None else self.table.names

    @property
    def holds(self) -> str:
        """What came, in words."""
        if self.kind == "numbers":
            return f"{plural(len(self.names), 'column')} ({quoted(self.names)})"
        found = self.read()
        if isinstance(found, Scores):
            return f"scores of {quoted(found.models)} by {found.unit} in {quoted(found.measures)}"
        what = "predictions on different items" if isinstance(found, Unpaired) else "predictions"
        return f"{what} of {quoted(found.models)}"

    @property
    def clustered(self) -> bool:
        """Whether items are said to come in clusters; told without reading them."""
        if self.evidence is not None:
            parts = self.evidence.parts if isinstance(self.evidence, Unpaired) else (self.evidence,)
            return any(isinstance(one, Predictions) and one.clusters is not None for one in parts)
        said = self.options.cluster is not None or bool(columns_for("cluster", self.names))
        return self.kind == "predictions" and said

    def refused(self, instead: str = "") -> NotApplicable:
        """What came, what is needed, and what to use instead."""
        known = self.shape.instead_of_items if self.kind == "predictions" else ""
        hint = f" ({instead or known})" if instead or known else ""
        needed = self.shape.needed(self.method)
        return NotApplicable(f"{self.title} holds {self.holds}{hint}. {needed}")

    def check_number(self, models: Iterable[str]) -> None:
        """Refuse more or fewer models or columns than a method takes."""
        names, wanted = list(models), self.models
        if wanted is None or len(names) == wanted:
            return
        if len(names) > wanted:
            chosen = ", ".join(repr(name) for name in names[:wanted])
            how = f"choose with --columns {','.join(names[:wanted])} (in Python: .select({chosen}))"
        else:
            how = "--columns A,B takes columns of numbers as they are, whatever they are called"
        raise EvidenceError(
            f"{self.title} has {quoted(names)}; this takes "
            f"{'one model' if wanted == 1 else f'{wanted} models'}: {how}"
        )

    def read(self) -> Evidence:
        """Predictions or scores, of the models that were asked for."""
        from assay.evidence.reading import read

        asked = self.options
        if self.evidence is not None:
            return self.evidence.select(*asked.columns) if asked.columns else self.evidence
        if self.kind == "scores":
            return read(self.table, models=asked.columns, measure=asked.measure)
        return read(
            self.table,
            truth=asked.truth,
            models=asked.columns,
            cluster=asked.cluster,
            fold=asked.fold,
            losses=asked.truth is None and speak_of_losses(self.names),
        )

    def predictions(self, needs: Needs | None = None, *, bare: bool = False) -> Predictions:
        """Predictions on the same items, each model of which brings what is needed.

        Where columns may be ``bare`` those of numbers are losses.
        """
        found = self.read() if self.kind == "predictions" or bare else None
        if not isinstance(found, Predictions):
            raise self.refused()
        self.check_number(found.models)
        for model in found.models if needs else ():
            if needs not in found.offers[model]:
                instead = f"{model!r} brings {' and '.join(sorted(found.offers[model]))}"
                if needs == "labels" and "scores" in found.offers[model]:
                    instead += ": `assay evaluate --measure roc_auc` measures scores as they are"
                raise self.refused(instead)
        return found

    def tally(self) -> Tally:
        """The labels, counted."""
        return counted(self.predictions("labels"))

    def scores(self) -> Scores:
        """Scores by fold, seed or data set; their unit and how the data were split are told."""
        found = self.read() if self.kind == "scores" else None
        if not isinstance(found, Scores):
            raise self.refused()
        accepted = self.method.parameters
        if "unit" in accepted:
            self.told["unit"] = found.unit
        if "test_share" in accepted and found.unit == "fold" and found.datasets == ("",):
            sizes = found.sizes()
            if sizes is not None:
                self.told.update(n_test=sizes[0], n_train=sizes[1])
            elif found.n == found.folds * found.repeats and found.folds > 1:
                self.told["folds"] = found.folds
        return found

    def measure(self, scores: Scores) -> str:
        """The measure that was asked for, or the only one."""
        if self.options.measure is None and len(scores.measures) > 1:
            first = scores.measures[0]
            raise UsageError(
                f"{self.title} has scores in {quoted(scores.measures)}: say which with "
                f"--measure {first} (in Python: assay.read(…, measure={first!r}))"
            )
        return self.options.measure or scores.measures[0]

    def blocks(self) -> Blocks:
        """A row per unit and a column per model; missing cells are NaN."""
        from numpy import array

        if self.kind != "numbers":
            found = self.scores()
            return found.blocks(self.measure(found))

        columns = self.numbers(missing=True)
        texts = (n for n in self.names if n not in columns and not self._holds_numbers(n))
        text = next(texts, None)
        names = None if text is None else tuple(map(str, self.cells(text)))
        return Blocks(models=tuple(columns), values=array(list(columns.values())).T, names=names)

    def chosen(self) -> tuple[str, ...] | None:
        """The columns that were asked for, all of which are there; None where none was."""
        unknown = [name for name in self.options.columns or () if name not in self.names]
        if unknown:
            raise EvidenceError(
                f"{self.title} has no column {quoted(unknown)}; it has {quoted(self.names, 20)}"
            )
        return self.options.columns

    def numbers(self, *, missing: bool = False) -> dict[str, list[float]]:
        """The columns of numbers by name; empty cells are NaN where ``missing``, else refused."""
        chosen = self.chosen() or tuple(
            name for name in self.names if not describes_rows(name) and self._holds_numbers(name)
        )
        if not chosen:
            raise EvidenceError(
                f"{self.title} has no column of numbers; it has {quoted(self.names)}"
            )
        return {name: self._numbers(name, missing=missing) for name in chosen}

    def number_columns(self) -> list[list[float]]:
        """The columns of numbers, as many as a method takes."""
        columns = self.numbers()
        self.check_number(columns)
        return list(columns.values())

    def cells(self, name: str) -> list[Any]:
        """One column as it is."""
        return [] if self.table is None else list(self.table.loaded([name])[name].tolist())

    def column(self, words: Sequence[str]) -> str | None:
        """The column whose name, in any case, comes first among the words."""
        lowered = {name.strip().lower(): name for name in reversed(self.names)}
        return next((lowered[word] for word in words if word in lowered), None)

    def named(self, *names: str) -> list[list[Any]] | None:
        """The columns of these names in any case, or None where one is not there."""
        found = [column for name in names if (column := self.column([name])) is not None]
        return [self.cells(name) for name in found] if len(found) == len(names) else None

    def row(self, *names: str) -> Arguments | None:
        """The numbers of these columns in a table of one row, or None where it is another table."""
        found = self.named(*names)
        if found is None or len(found[0]) != 1:
            return None
        numbers = tuple(number_of(column[0]) for column in found)
        return None if None in numbers else numbers

    def role(self, role: Literal["fold", "cluster"]) -> list[Any]:
        """The column that holds the fold or the cluster of each row."""
        asked = getattr(self.options, role)
        known = columns_for(role, self.names)
        if asked is None and not known:
            raise EvidenceError(
                f"{self.method.id} needs a column {role} in {self.title}, which has "
                f"{quoted(self.names)}: name it with --{role}-column"
            )
        if asked is not None and asked not in self.names:
            raise EvidenceError(
                f"{self.title} has no column {asked!r}; it has {quoted(self.names)}"
            )
        return self.cells(asked or known[0])

    def _holds_numbers(self, name: str) -> bool:
        """Whether a column holds numbers; words among numbers are refused rather than dropped."""
        values = [value for value in self.cells(name) if not is_missing(value)]
        strange = [value for value in values if number_of(value) is None]
        if values and strange and len(strange) < len(values):
            raise EvidenceError(
                f"column {name!r} of {self.title} has numbers and words ({strange[0]!r}): repair it, "
                "or choose other columns with --columns"
            )
        return bool(values) and not strange

    def _numbers(self, name: str, *, missing: bool) -> list[float]:
        found = []
        for place, value in enumerate(self.cells(name), start=1):
            number = math.nan if is_missing(value) else number_of(value)
            if number is None or math.isinf(number) or (math.isnan(number) and not missing):
                what = "is empty" if is_missing(value) else f"has {value!r}"
                raise EvidenceError(
                    f"column {name!r} of {self.title} {what} in row {place}: a number is needed"
                )
            found.append(number)
        return found


def counted(evidence: Predictions) -> Tally:
    """The tally of evidence whose items all count alike."""
    if evidence.weighted:
        raise NotApplicable(
            "methods of counts take every item alike, and this evidence has importance weights: "
            "use assay.evaluate or assay.compare, which allow for them"
        )
    return evidence.tally()


def is_source(value: Any) -> bool:
    """Whether an argument is evidence (a path, a frame, a mapping, something read) and no numbers."""
    known = isinstance(value, str | Path | Mapping | Evidence) or offers_evidence(value)
    return known or is_frame(value)


def _log_of(source: Any, options: SourceOptions) -> Evidence | None:
    if options.truth is not None:
        return None  # the truth is a column of a table
    return read_log(
        source, models=options.columns, measure=options.measure, cluster=options.cluster
    )


def _kind_of_evidence(evidence: Evidence) -> SourceKind:
    kinds: dict[type, SourceKind] = {Predictions: "predictions", Unpaired: "unpaired"}
    return kinds.get(type(evidence), "scores")


def _kind_of_table(names: Sequence[str], options: SourceOptions) -> SourceKind:
    if any(describes_rows(name) for name in options.columns or ()):
        return "numbers"  # columns were called by name, whatever they mean elsewhere
    if options.truth is None and speak_of_scores(names):
        return "scores"
    return "predictions" if options.truth is not None or speak_of_items(names) else "numbers"
