"""One source handed to a method: what it was recognised as, and its readings, made when asked for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.methods import Method
from assay.core.wording import either
from assay.evidence.argument_shapes import SHAPES, Arguments, ArgumentShape
from assay.evidence.blocks import Blocks
from assay.evidence.cell_text import number_of, plural, quoted
from assay.evidence.column_kinds import Survey, check_numbers
from assay.evidence.frames import is_frame
from assay.evidence.model_columns import Needs
from assay.evidence.names import Role, has_role, known_as, looks_like_scores
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores
from assay.evidence.tally import Tally

if TYPE_CHECKING:
    from assay.evidence.readers.source_tables import SourceTable
    from assay.evidence.rows import Rows

SourceKind = Literal["predictions", "unpaired", "scores", "numbers"]
Evidence = Predictions | Unpaired | Scores
_KINDS: dict[type, SourceKind] = {Predictions: "predictions", Unpaired: "unpaired"}
_KINDS[Scores] = "scores"


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
    table: "SourceTable | None" = None
    evidence: Evidence | None = None
    told: dict[str, Any] = field(default_factory=dict)
    """Options of the method that the source itself tells, such as the unit of scores."""
    compared: list[str] = field(default_factory=list)
    """The models or columns that were taken, where a method takes one or two."""
    folds: list[int] = field(default_factory=list)
    """How many scores of one data set by fold each model has, where scores were read."""

    @staticmethod
    def of(
        source: Any, method: Method, options: SourceOptions, *, part: bool = False
    ) -> "MethodSource":
        """A source opened: a path, a frame, a mapping, a log of another tool, or evidence.

        A ``part`` is one of two sources and holds one model.
        """
        from assay.evidence.readers.source_tables import open_sources
        from assay.evidence.reading import read

        shape = SHAPES[method.takes]
        made = partial(MethodSource, method=method, shape=shape, models=1 if part else shape.models)
        if offers_evidence(source):
            source = read(source, measure=options.measure)
        evidence, title = source, "the evidence"
        if not isinstance(source, Evidence):
            evidence = _log_of(source, options)
            title = str(source) if isinstance(source, str | Path) else "the data"
            options = options if evidence is None else replace(options, columns=None)
        if evidence is not None:
            kind = _KINDS[type(evidence)]
            return made(title=title, options=options, kind=kind, evidence=evidence)
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
        said = self.options.cluster is not None or bool(self.called("cluster"))
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
            self.compared[:] = names if wanted else []
            return
        if len(names) > wanted:
            chosen = ", ".join(repr(name) for name in names[:wanted])
            listed = ",".join(names[:wanted])
            select = (
                f".select({chosen})" if self.table is None else f"assay.read(…, models=[{chosen}])"
            )
            how = f"choose with {either(select, f'--columns {listed}')}"
        else:
            how = either(
                "pass the columns of numbers themselves",
                "--columns A,B takes columns of numbers as they are, whatever they are called",
            )
        raise EvidenceError(
            f"{self.title} has {quoted(names)}; this takes {'one model' if wanted == 1 else f'{wanted} models'}: {how}"
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
            losses=asked.truth is None and _speak_of_losses(self.names),
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
                    evaluate = either(
                        "assay.evaluate(…, measures=['roc_auc'])",
                        "assay evaluate --measure roc_auc",
                    )
                    instead += f": `{evaluate}` measures scores as they are"
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
        if found.unit == "fold":
            self.folds[:] = [found.n]
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
                f"{either(f'assay.read(…, measure={first!r})', f'--measure {first}')}"
            )
        return self.options.measure or scores.measures[0]

    def blocks(self) -> Blocks:
        """A row per unit and a column per model; missing cells are NaN."""
        if self.kind != "numbers":
            found = self.scores()
            return found.blocks(self.measure(found))
        columns = self.numbers(missing=True)
        texts = (n for n in self.names if n not in columns and not self._holds_numbers(n))
        text = next(texts, None)
        names = None if text is None else tuple(map(str, self.cells(text)))
        values = np.column_stack(list(columns.values()))
        return Blocks(models=tuple(columns), values=values, names=names)

    def chosen(self) -> tuple[str, ...] | None:
        """The columns that were asked for, all of which are there; None where none was."""
        self._check_there(self.options.columns or ())
        return self.options.columns

    def _check_there(self, names: Sequence[str]) -> None:
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise EvidenceError(
                f"{self.title} has no column {quoted(unknown)}; it has {quoted(self.names, 20)}"
            )

    def numbers(self, *, missing: bool = False) -> dict[str, FloatArray]:
        """The columns of numbers by name; empty cells are NaN where ``missing``, else refused."""
        chosen = self.chosen() or tuple(
            name for name in self.names if not has_role(name) and self._holds_numbers(name)
        )
        if not chosen or self.table is None:
            raise EvidenceError(
                f"{self.title} has no column of numbers; it has {quoted(self.names)}"
            )
        rows = self.table.rows(chosen)
        found = Survey(rows=rows, facts=rows.facts(chosen))
        for name in chosen:
            check_numbers(found, name, missing=missing)
        return dict(zip(chosen, rows.numbers(chosen), strict=True))

    def number_columns(self) -> list[FloatArray]:
        """The columns of numbers, as many as a method takes."""
        columns = self.numbers()
        self.check_number(columns)
        return list(columns.values())

    def called(self, role: Role) -> list[str]:
        """The columns that are called after a role, in any case."""
        return [name for name in self.names if known_as(name, role)]

    def cells(self, name: str) -> list[Any]:
        """One column as it is."""
        self._check_there([name] if self.table is not None else [])
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

    def naming(self, role: Literal["fold", "cluster"]) -> str:
        """How the column of a role is named."""
        return either(f"assay.read(…, {role}='COLUMN')", f"--{role}-column COLUMN")

    def role(self, role: Literal["fold", "cluster"]) -> list[Any]:
        """The column that holds the fold or the cluster of each row."""
        asked = getattr(self.options, role)
        known = self.called(role)
        if asked is None and not known:
            raise EvidenceError(
                f"{self.method.id} needs a column {role} in {self.title}, which has "
                f"{quoted(self.names)}: name it with {self.naming(role)}"
            )
        self._check_there([] if asked is None else [asked])
        return self.cells(asked or known[0])

    def holds_words(self, name: str) -> bool:
        """Whether a cell of a column is empty or no number."""
        facts = self._rows([name]).facts([name])[name]
        return bool(facts.missing or facts.unreadable)

    def _holds_numbers(self, name: str) -> bool:
        """Whether a column holds numbers; words among numbers are refused rather than dropped."""
        rows = self._rows([name])
        facts = rows.facts([name])[name]
        present = rows.size() - facts.missing
        if 0 < facts.unreadable < present:
            check_numbers(Survey(rows=rows), name, missing=True)
        return present > 0 and not facts.unreadable

    def _rows(self, names: Sequence[str]) -> "Rows":
        if self.table is None:
            raise self.refused()
        return self.table.rows(names)


def counted(evidence: Predictions) -> Tally:
    """The tally of evidence whose items all count alike."""
    if evidence.weighted:
        raise NotApplicable(
            "methods of counts take every item alike, and this evidence has importance weights: "
            "use assay.evaluate or assay.compare, which allow for them"
        )
    return evidence.tally()


def offers_evidence(value: Any) -> bool:
    """Whether a value makes evidence of itself, as a finished study does; told by its type."""
    return hasattr(type(value), "as_evidence")


def is_source(value: Any) -> bool:
    """Whether an argument is evidence (a path, a frame, a mapping, something read) and no numbers."""
    known = isinstance(value, str | Path | Mapping | Evidence) or offers_evidence(value)
    return known or is_frame(value)


def _log_of(source: Any, options: SourceOptions) -> Evidence | None:
    """The evidence of a log or of another tool's results; None where the source is a table."""
    from assay.evidence.readers.log_evidence import read_logged
    from assay.evidence.readers.sklearn_results import is_results
    from assay.evidence.reading_options import Told

    if options.truth is not None:
        return None  # the truth is a column of a table
    if isinstance(source, str | Path) or (isinstance(source, Mapping) and is_results(source)):
        told = Told(models=options.columns, measure=options.measure, cluster=options.cluster)
        return read_logged([source], told)
    return None


def _kind_of_table(names: Sequence[str], options: SourceOptions) -> SourceKind:
    if any(has_role(name) for name in options.columns or ()):
        return "numbers"  # columns were called by name, whatever they mean elsewhere
    if options.truth is None and looks_like_scores(names):
        return "scores"
    of_items = options.truth is not None or any(known_as(name, "truth") for name in names)
    return "predictions" if of_items or _speak_of_losses(names) else "numbers"


def _speak_of_losses(names: Sequence[str]) -> bool:
    """Whether columns without a truth call themselves losses of items."""
    named = any(name.strip().lower().endswith("loss") for name in names)
    return named and not any(known_as(name, "truth") for name in names)
