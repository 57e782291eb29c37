"""One source handed to a method: what it was recognised as, and its readings, made when asked for."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.blocks import Blocks
from assay.evidence.cells import is_missing, number_of, plural, quoted
from assay.evidence.names import KNOWN
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores

if TYPE_CHECKING:
    from assay.evidence.readers.sources import Table

Kind = Literal["predictions", "unpaired", "scores", "numbers"]
Evidence = Predictions | Unpaired | Scores

_SOURCES = (str, Path, Mapping, Predictions, Unpaired, Scores)
_FRAMES = {"pandas", "polars", "pyarrow", "narwhals", "modin", "cudf", "dask", "pyspark", "ibis"}
_OF_LOSSES = ("loss", ":loss", "_loss")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller said of a source; the rest is recognised by names."""

    truth: str | None = None
    columns: tuple[str, ...] | None = None
    measure: str | None = None
    cluster: str | None = None
    fold: str | None = None
    n: int | None = None
    no_information: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Given:
    """A table or evidence that was read already."""

    title: str
    asked: Asked
    kind: Kind
    table: "Table | None" = None
    evidence: Evidence | None = None

    @staticmethod
    def of(source: Any, asked: Asked) -> "Given":
        """A source opened: a path, a frame, a mapping, a log of another tool, or evidence."""
        from assay.evidence.readers.logged import read_logged
        from assay.evidence.readers.sklearn_results import is_results
        from assay.evidence.readers.sources import open_sources
        from assay.evidence.told import Told

        if isinstance(source, Evidence):
            return Given._done(source, "the evidence", asked)
        if isinstance(source, str | Path) or (isinstance(source, Mapping) and is_results(source)):
            wanted = Told(models=asked.columns, measure=asked.measure, cluster=asked.cluster)
            logged = read_logged([source], wanted) if asked.truth is None else None
            if logged is not None:
                title = "the data" if isinstance(source, Mapping) else str(source)
                return Given._done(logged, title, replace(asked, columns=None))
        (table,) = open_sources([source])
        kind = _kind_of_table(table.names, asked)
        return Given(title=table.title, asked=asked, kind=kind, table=table)

    @staticmethod
    def _done(evidence: Evidence, title: str, asked: Asked) -> "Given":
        kinds: dict[type, Kind] = {Predictions: "predictions", Unpaired: "unpaired"}
        kind = kinds.get(type(evidence), "scores")
        return Given(title=title, asked=asked, kind=kind, evidence=evidence)

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

    def read(self) -> Evidence:
        """Predictions or scores, of the models that were asked for."""
        from assay.evidence.reading import read

        asked = self.asked
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
            losses=asked.truth is None and _are_losses(self.names),
        )

    @property
    def clustered(self) -> bool:
        """Whether items are said to come in clusters; told without reading them."""
        if self.evidence is not None:
            parts = self.evidence.parts if isinstance(self.evidence, Unpaired) else (self.evidence,)
            return any(isinstance(one, Predictions) and one.clusters is not None for one in parts)
        if self.kind != "predictions":
            return False
        lowered = {name.strip().lower() for name in self.names}
        return self.asked.cluster is not None or bool(lowered & set(KNOWN["cluster"]))

    def predictions(self, count: int | None = None) -> Predictions:
        """Predictions of models on the same items, ``count`` models of them."""
        found = self.read()
        if not isinstance(found, Predictions):
            raise EvidenceError(f"{self.title} holds {self.holds}, and predictions are needed")
        if count is not None and len(found.models) != count:
            raise self.too_many(found.models, count)
        return found

    def scores(self) -> tuple[Scores, str]:
        """Scores by fold, seed or data set, and the measure that was asked for."""
        found = self.read()
        if not isinstance(found, Scores):
            raise EvidenceError(f"{self.title} holds {self.holds}, and scores are needed")
        measure = self.asked.measure or found.measures[0]
        if self.asked.measure is None and len(found.measures) > 1:
            raise UsageError(
                f"{self.title} has scores in {quoted(found.measures)}: say which with "
                f"--measure {found.measures[0]} (in Python: assay.read(…, measure={found.measures[0]!r}))"
            )
        return found, measure

    def too_many(self, names: Sequence[str], count: int) -> EvidenceError:
        """The refusal of more or fewer models or columns than a method takes."""
        wanted = "one model" if count == 1 else f"{count} models"
        if len(names) > count:
            chosen = ", ".join(repr(name) for name in names[:count])
            how = f"choose with --columns {','.join(names[:count])} (in Python: .select({chosen}))"
        else:
            how = "--columns A,B takes columns of numbers as they are, whatever they are called"
        return EvidenceError(f"{self.title} has {quoted(names)}; this takes {wanted}: {how}")

    def blocks(self) -> Blocks:
        """A row per unit and a column per model; missing cells are NaN."""
        if self.kind == "scores":
            found, measure = self.scores()
            return found.blocks(measure)
        from numpy import array

        columns = self.numbers(missing=True)
        names = None
        for name in self.names:
            if name not in columns and not self._kind_of(name):
                names = tuple(map(str, self.cells(name)))
                break
        return Blocks(models=tuple(columns), values=array(list(columns.values())).T, names=names)

    def numbers(self, *, missing: bool = False) -> dict[str, list[float]]:
        """The columns of numbers by name; empty cells are NaN where ``missing``, else refused."""
        from assay.evidence.names import has_role

        unknown = [name for name in self.asked.columns or () if name not in self.names]
        if unknown:
            raise EvidenceError(
                f"{self.title} has no column {quoted(unknown)}; it has {quoted(self.names, 20)}"
            )
        chosen = self.asked.columns or tuple(
            name for name in self.names if not has_role(name) and self._kind_of(name)
        )
        if not chosen:
            raise EvidenceError(
                f"{self.title} has no column of numbers; it has {quoted(self.names)}"
            )
        return {name: self._numbers(name, missing=missing) for name in chosen}

    def cells(self, name: str) -> list[Any]:
        """One column as it is."""
        return [] if self.table is None else list(self.table.loaded([name])[name].tolist())

    def named(self, *names: str) -> list[list[Any]] | None:
        """The columns of these names in any case, or None where one is not there."""
        lowered = {name.strip().lower(): name for name in self.names}
        if not all(name in lowered for name in names):
            return None
        return [self.cells(lowered[name]) for name in names]

    def row(self, *names: str) -> list[float] | None:
        """The numbers of these columns in a table of one row, or None where it is another table."""
        found = self.named(*names)
        if found is None or len(found[0]) != 1:
            return None
        numbers = [number_of(column[0]) for column in found]
        return None if None in numbers else [number for number in numbers if number is not None]

    def role(self, role: Literal["fold", "cluster"], *, what: str) -> list[Any]:
        """The column that holds the fold or the cluster of each row."""
        asked = getattr(self.asked, role)
        known = [name for name in self.names if name.strip().lower() in KNOWN[role]]
        if asked is None and not known:
            raise EvidenceError(
                f"{what} needs a column {role} in {self.title}, which has {quoted(self.names)}: "
                f"name it with --{role}-column"
            )
        if asked is not None and asked not in self.names:
            raise EvidenceError(
                f"{self.title} has no column {asked!r}; it has {quoted(self.names)}"
            )
        return self.cells(asked or known[0])

    def _kind_of(self, name: str) -> bool:
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


def _kind_of_table(names: Sequence[str], asked: Asked) -> Kind:
    from assay.evidence.names import has_role, looks_like_scores

    if any(has_role(name) for name in asked.columns or ()):
        return "numbers"  # columns were called by name, whatever they mean elsewhere
    if asked.truth is None and looks_like_scores(names):
        return "scores"
    if asked.truth is not None or _has_truth(names):
        return "predictions"
    return "predictions" if _are_losses(names) else "numbers"


def _has_truth(names: Sequence[str]) -> bool:
    return any(name.strip().lower() in KNOWN["truth"] for name in names)


def _are_losses(names: Sequence[str]) -> bool:
    """Whether columns without a truth call themselves losses of items."""
    named = any(name.strip().lower().endswith(_OF_LOSSES) for name in names)
    return named and not _has_truth(names)


def stands_for_evidence(value: Any) -> bool:
    """Whether an argument is evidence (a path, a frame, a mapping, something read) and no numbers."""
    if isinstance(value, _SOURCES):
        return True
    module = type(value).__module__.split(".")[0].lstrip("_")
    if module == "duckdb":
        return True
    return module in _FRAMES and hasattr(type(value), "columns")
