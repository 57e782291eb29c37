"""Scores by fold, seed or data set: what experiments leave behind when predictions are not kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IndexArray
from assay.core.checks import check_choice, check_size
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note
from assay.core.results import Details, EvidenceSummary
from assay.core.vocabulary import UNITS, Unit, counted
from assay.evidence.blocks import Blocks
from assay.evidence.cell_text import first_names, plural, quoted
from assay.evidence.score_columns import (
    KEYS,
    ModelScore,
    NameColumn,
    ScoreColumns,
    combined,
    n_distinct,
)

__all__ = ["KEYS", "ModelScore", "NoScores", "RepeatedScores", "Scores"]


class RepeatedScores(EvidenceError):
    """Two scores of one model at one place."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}. {remedy}")
        self.what = what


class NoScores(UsageError):
    """Scores were asked for by a unit, and predictions of items are there."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Units:
    """The units that scores belong to, in the order of their names, and the unit of each score."""

    names: tuple[str, ...]
    of_score: IndexArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """Scores of models by unit; ``unit`` is what a conclusion from them generalises over."""

    columns: ScoreColumns
    unit: Unit
    models: tuple[str, ...]
    measures: tuple[str, ...]
    sources: tuple[str, ...]
    slices: tuple[tuple[str, "Scores"], ...] = ()
    """The scores of each slice by its value, where slices were asked for."""
    notes: tuple[Note, ...] = ()
    directions: Mapping[str, str] = field(default_factory=dict)
    """Which way is better by measure, where the source knows what the name does not tell."""
    majority: tuple[str, float] | None = None
    """The most frequent class of the data and its share of the items, where the source knows it."""
    made: tuple[int, int] | None = None
    """Folds and repeats as they were made, where the source knows: some may have no score of any model."""
    known: dict[str, Any] = field(init=False, default_factory=dict, repr=False)
    """Tables, units and the summary, which were made once and are asked for again."""

    @staticmethod
    def from_records(
        records: Iterable[Mapping[str, Any]],
        *,
        unit: str | None = None,
        models: Sequence[str] | None = None,
        sources: Sequence[str] = (),
        notes: Sequence[Note] = (),
    ) -> "Scores":
        """Scores from mappings with model, score and any of dataset, fold, repeat, seed, measure."""
        columns = ScoreColumns.from_records(records)
        return Scores.from_columns(columns, unit=unit, models=models, sources=sources, notes=notes)

    @staticmethod
    def from_columns(
        columns: ScoreColumns,
        *,
        unit: str | None = None,
        models: Sequence[str] | None = None,
        sources: Sequence[str] = (),
        notes: Sequence[Note] = (),
    ) -> "Scores":
        """Scores of columns, checked: one of a model and measure at a place."""
        if not columns.size:
            raise EvidenceError(
                "there are no scores: no column of numbers is known as a model's. Name them with models="
            )
        _refuse_repeated(columns.at(columns.model.are(*models)) if models else columns)
        found = Scores(
            columns=columns,
            unit="fold",
            models=columns.model.present,
            measures=(),
            sources=tuple(sources) or ("the scores",),
            notes=tuple(notes),
        ).select(*(models or ()))
        return replace(found, unit=_unit(found.columns, unit))

    @property
    def scores(self) -> tuple[ModelScore, ...]:
        """Every score by itself; columns are quicker."""
        return tuple(self.columns)

    def select(self, *models: str) -> "Scores":
        """The same evidence with only these models, in this order; without names with all of them."""
        unknown = [model for model in models if model not in self.models]
        if unknown:
            raise EvidenceError(
                f"no scores of model {quoted(unknown)}; there are {quoted(self.models, 20)}"
            )
        kept = models or self.models
        columns = self.columns.at(self.columns.model.are(*kept)) if models else self.columns
        return replace(
            self,
            columns=columns,
            models=kept,
            measures=columns.measure.present,
            slices=tuple((value, part.select(*models)) for value, part in self.slices),
        )

    def blocks(self, measure: str) -> Blocks:
        """A row per unit and a column per model; repeats inside a unit are averaged, gaps are NaN.

        Rows stand in the order of their names, whatever that of the file: one seed draws the same of them.
        """
        if f"blocks of {measure}" not in self.known:
            self.known[f"blocks of {measure}"] = self._blocks(self.of(measure))
        found: Blocks = self.known[f"blocks of {measure}"]
        return found

    def _blocks(self, columns: ScoreColumns) -> Blocks:
        shape, cells = self._cells(columns)
        values = _cell_means(cells, columns.value, shape[0] * shape[1])
        values.flags.writeable = False  # it is handed out more than once
        names = self._units(columns).names
        return Blocks(models=self.models, values=values.reshape(shape), names=names)

    def counts(self, measure: str) -> IndexArray:
        """How many scores each cell of the blocks is the mean of."""
        shape, cells = self._cells(self.of(measure))
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)

    def _cells(self, columns: ScoreColumns) -> tuple[tuple[int, int], IndexArray]:
        """Units by models, and the cell of every score among them; of all scores worked out once."""
        units, known = self._units(columns), self.known if columns is self.columns else {}
        if "cells" not in known:
            known["cells"] = units.of_score * len(self.models) + self._model_of(columns)
        return (len(units.names), len(self.models)), known["cells"]

    def _model_of(self, columns: ScoreColumns) -> IndexArray:
        """The place of each score's model among the models."""
        places = {model: place for place, model in enumerate(self.models)}
        known = [places.get(name, 0) for name in columns.model.names]  # unknown ones have no scores
        return np.array(known, dtype=np.intp)[columns.model.codes]

    def runs(self, measure: str) -> dict[str, FloatArray]:
        """Every model's scores by itself, for units that models do not share; one for each unit.

        Scores inside a unit are averaged: episodes of one seed are no further seeds.
        """
        columns = self.blocks(measure).values.T
        pairs = zip(self.models, columns, strict=True)
        return {model: column[~np.isnan(column)] for model, column in pairs}

    def by_model(self, columns: ScoreColumns) -> dict[str, FloatArray]:
        """Every model's values by itself, in their order."""
        model = self._model_of(columns)
        ends = np.cumsum(np.bincount(model, minlength=len(self.models)))[:-1]
        values = columns.value
        if (model[1:] < model[:-1]).any():  # else they stand together already
            values = values[np.argsort(model, kind="stable")]
        return dict(zip(self.models, np.split(values, ends), strict=True))

    def within(self, measure: str, dataset: str) -> Blocks:
        """The folds and repeats inside one data set."""
        columns = self.of(measure)
        inside = columns.at(columns.dataset.are(dataset)).without("dataset")
        return replace(self, columns=inside, unit=_unit(inside, None)).blocks(measure)

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.columns.dataset.present

    @property
    def folds(self) -> int:
        """The number of folds of one repeat."""
        return self.made[0] if self.made else len(self.columns.fold.present)

    @property
    def repeats(self) -> int:
        """How often the folds were drawn anew."""
        return (
            self.made[1]
            if self.made
            else n_distinct(combined([self.columns.repeat, self.columns.seed]))
        )

    def sizes(self) -> tuple[FloatArray, FloatArray] | None:
        """Test and training sizes by unit, where they were recorded."""
        units = self._units(self.columns)
        first = np.zeros(len(units.names), dtype=np.intp)
        first[units.of_score[::-1]] = np.arange(self.columns.size)[::-1]
        tested, trained = (of[first] for of in (self.columns.n_test, self.columns.n_train))
        return None if np.isnan(tested).any() or np.isnan(trained).any() else (tested, trained)

    @property
    def n(self) -> int:
        """The number of units."""
        return len(self._units(self.columns).names)

    def summary(self) -> EvidenceSummary:
        """What this evidence is, in numbers and in words."""
        if "summary" not in self.known:
            self.known["summary"] = self._summary()
        found: EvidenceSummary = self.known["summary"]
        return found

    def _summary(self) -> EvidenceSummary:
        shape, cells = self._cells(self.columns)
        measured = self.columns.measure.codes
        filled = n_distinct(cells * (int(measured.max()) + 1) + measured)
        inside = self.columns.size / filled
        repeats = f", {inside:.4g} scores each, averaged" if inside > 1 else ""
        many = f"{self.folds} folds × {self.repeats} repeats" if self.unit == "fold" else ""
        many = f"{self.repeats} splits" if many and self.folds == 1 else many
        there = np.zeros(shape, dtype=np.bool_)
        there.reshape(-1)[cells] = True
        counts = there.sum(axis=0)[there.any(axis=0)]  # units of each model
        own = dict.fromkeys(
            (int(counts.min()), int(counts.max())) if self.unit == "seed" else (self.n,)
        )
        between = " and " if len(self.models) == 2 else " to "
        own = counts.tolist() if len(self.models) == 2 and len(own) == 2 else own
        *less, most = own
        each = between.join([*map(str, less), counted(most, self.unit)])
        where = many if self.repeats > 1 and many else each
        return EvidenceSummary(
            kind="scores",
            sources=self.sources,
            models=self.models,
            n=self.n,
            unit=self.unit,
            description=f"{where} × {plural(len(self.models), 'model')} ({first_names(self.models)}): "
            f"{first_names(self.measures)}{repeats}.",
            details=self._facts(),
        )

    def _facts(self) -> Details:
        """What the units do not tell: sizes of training sets, and over how many runs or data sets was averaged."""
        if self.unit == "fold":
            return (("trained_on", trained),) if (trained := self._trained_on()) else ()
        found = (
            ("datasets", self.datasets)
            if self.unit == "seed"
            else ("seeds", self.columns.seed.present)
        )
        return ((found[0], len(found[1])),) if len(found[1]) > 1 else ()

    def _trained_on(self) -> str:
        """How many items the training sets of folds have; nothing where it is not known."""
        sizes = self.sizes()
        if sizes is None or float(sizes[1].min()) < 1.0:  # a share says nothing of items
            return ""
        return "–".join(dict.fromkeys(f"{size:,.0f}" for size in (sizes[1].min(), sizes[1].max())))

    def of(self, measure: str) -> ScoreColumns:
        """The scores in one measure."""
        if not isinstance(measure, str) or measure not in self.measures:
            raise no_such_measure(measure, self.measures)
        if self.measures == (measure,):
            return self.columns
        return self.columns.at(self.columns.measure.are(measure))

    def _units(self, columns: ScoreColumns) -> _Units:
        """The unit of every score; of all scores worked out once."""
        if columns is not self.columns:
            return _units_of(self._placed(columns))
        if "units" not in self.known:
            self.known["units"] = _units_of(self._placed(columns))
        found: _Units = self.known["units"]
        return found

    def _placed(self, columns: ScoreColumns) -> tuple[NameColumn, ...]:
        """The columns that tell units apart."""
        if self.unit == "dataset":
            return (columns.dataset,)
        if self.unit == "fold":
            return (columns.repeat.other(columns.seed), columns.fold)
        return (columns.seed.other(columns.repeat).other(columns.fold),)


def _units_of(placed: Sequence[NameColumn]) -> _Units:
    """Units by the names that place them, in the order of those."""
    keys: list[Any]
    if len(placed) == 1:
        of_score = placed[0].codes
        there = np.flatnonzero(placed[0].first_rows() >= 0)
        size = len(placed[0].names)
        keys = names = np.array(placed[0].names, dtype=object)[there].tolist()
    else:
        _, first, of_score = np.unique(combined(placed), return_index=True, return_inverse=True)
        size, there = first.size, np.arange(first.size)
        keys = list(zip(*(column.at(first) for column in placed), strict=True))
        names = [" / ".join(filter(None, key)) for key in keys]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    rank = np.zeros(size, dtype=np.intp)
    rank[there[order]] = np.arange(len(order))
    return _Units(names=tuple(map(names.__getitem__, order)), of_score=rank[of_score])


def _cell_means(cells: IndexArray, values: FloatArray, size: int) -> FloatArray:
    """The mean of every cell, summed without rounding; of a cell without values NaN."""
    found = np.full(size, np.nan)
    counts = np.bincount(cells, minlength=size)
    found[cells] = values
    several = np.flatnonzero(counts > 1)
    if several.size:
        check_size(values, "a cell of several scores")
        order = np.argsort(cells, kind="stable")
        ends = np.cumsum(counts)
        ordered = values[order].tolist()
        for cell in several.tolist():
            inside = ordered[ends[cell] - counts[cell] : ends[cell]]
            found[cell] = fsum(inside) / len(inside)
    return found


def _unit(columns: ScoreColumns, asked: str | None) -> Unit:
    """What varies: data sets first, then folds, then seeds."""
    if asked is not None:
        unit = check_choice(asked, UNITS, "unit")
        if unit == "item":
            raise UsageError("scores by fold, seed or data set are not items; give predictions")
        return unit
    if len(columns.dataset.present) > 1:
        return "dataset"
    if len(columns.fold.present) > 1:
        return "fold"
    if len(columns.seed.other(columns.repeat).present) > 1:
        return "seed"
    seeds = columns.seed.other(columns.repeat)
    if any(words.present for words in (columns.fold, seeds, columns.dataset)):
        raise EvidenceError(
            "each model has one score: a comparison needs two or more, to see how scores vary"
        )
    raise EvidenceError(
        "scores need a column that names their data set, fold, repeat or seed. From one score per "
        "model the variation is unknown"
    )


def no_such_measure(asked: Any, measures: Iterable[str]) -> UsageError:
    """That there are no scores in a measure, with what to say instead."""
    there = list(measures)
    ways = " or ".join(f"measure={name!r}" for name in there[:3])
    return UsageError(f"no scores in {asked!r}; there are {', '.join(there)}: say {ways} instead")


def _refuse_repeated(columns: ScoreColumns) -> None:
    again = columns.repeated()
    if again is None:
        return
    score = columns.score(again)
    named = ", ".join(f"{key} {getattr(score, key)}" for key in KEYS if getattr(score, key))
    raise RepeatedScores(
        f"two scores of {score.model!r} in {score.measure} at one place ({named or 'none named'})",
        "Name the column that distinguishes them with repeat=, or keep some rows with where=. If rows are items with "
        "a truth, leave out unit=. If they are right or wrong answers, add correct=True (and cluster= for their tasks)",
    )
