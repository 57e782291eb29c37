"""Scores by fold, seed or data set: what experiments leave behind when predictions are not kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note
from assay.core.results import EvidenceSummary
from assay.core.vocabulary import UNIT_PLURAL, UNITS, Unit
from assay.evidence.blocks import Blocks
from assay.evidence.cell_text import first_names, plural, quoted

KEYS = ("dataset", "fold", "repeat", "seed")
"""What places a score, from the coarsest to the finest."""

Key = tuple[str, ...]


class RepeatedScores(EvidenceError):
    """Two scores of one model at one place."""


class NoScores(UsageError):
    """Scores were asked for by a unit, and predictions of items are there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One score of one model."""

    model: str
    measure: str
    value: float
    dataset: str = ""
    fold: str = ""
    repeat: str = ""
    seed: str = ""
    n_train: float | None = None
    n_test: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """Scores of models by unit; ``unit`` is what a conclusion from them generalises over."""

    scores: tuple[Score, ...]
    unit: Unit
    models: tuple[str, ...]
    measures: tuple[str, ...]
    sources: tuple[str, ...]
    slices: tuple[tuple[str, "Scores"], ...] = ()
    """The scores of each slice by its value, where slices were asked for."""
    notes: tuple[Note, ...] = ()
    directions: Mapping[str, str] = field(default_factory=dict)
    """Which way is better by measure, where the source knows what the name does not tell."""

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
        scores = tuple(_score(record) for record in records)
        if not scores:
            raise EvidenceError("there are no scores")
        _refuse_repeated([score for score in scores if not models or score.model in models])
        found = Scores(
            scores=scores,
            unit="fold",
            models=tuple(dict.fromkeys(score.model for score in scores)),
            measures=(),
            sources=tuple(sources) or ("the scores",),
            notes=tuple(notes),
        ).select(*(models or ()))
        return replace(found, unit=_unit(found.scores, unit))

    def select(self, *models: str) -> "Scores":
        """The same evidence with only these models, in this order; without names with all of them."""
        unknown = [model for model in models if model not in self.models]
        if unknown:
            raise EvidenceError(
                f"no scores of model {quoted(unknown)}; there are {quoted(self.models, 20)}"
            )
        kept = models or self.models
        scores = tuple(score for score in self.scores if score.model in kept)
        return replace(
            self,
            scores=scores,
            models=kept,
            measures=tuple(dict.fromkeys(score.measure for score in scores)),
            slices=tuple((value, part.select(*models)) for value, part in self.slices),
        )

    def blocks(self, measure: str) -> Blocks:
        """A row per unit and a column per model; repeats inside a unit are averaged, gaps are NaN.

        Rows stand in the order of their names, whatever that of the file: one seed draws the same of them.
        """
        cells: dict[Key, dict[str, list[float]]] = {}
        for score in self._of(measure):
            cells.setdefault(self._row(score), {}).setdefault(score.model, []).append(score.value)
        cells = dict(sorted(cells.items()))
        values = np.array(
            [
                [fsum(row[m]) / len(row[m]) if m in row else np.nan for m in self.models]
                for row in cells.values()
            ],
            dtype=np.float64,
        )
        names = tuple(" / ".join(part for part in key if part) for key in cells)
        return Blocks(models=self.models, values=values, names=names)

    def runs(self, measure: str) -> dict[str, FloatArray]:
        """Every model's scores by itself, for units that models do not share; one for each unit.

        Scores inside a unit are averaged: episodes of one seed are no further seeds.
        """
        cells: dict[str, dict[Key, list[float]]] = {model: {} for model in self.models}
        for score in self._of(measure):
            cells[score.model].setdefault(self._row(score), []).append(score.value)
        return {
            model: np.array([fsum(values) / len(values) for _, values in sorted(rows.items())])
            for model, rows in cells.items()
        }

    def within(self, measure: str, dataset: str) -> Blocks:
        """The folds and repeats inside one data set."""
        inside = tuple(
            replace(score, dataset="") for score in self._of(measure) if score.dataset == dataset
        )
        return replace(self, scores=inside, unit=_unit(inside, None)).blocks(measure)

    @property
    def datasets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(score.dataset for score in self.scores))

    @property
    def folds(self) -> int:
        """The number of folds of one repeat."""
        return len({score.fold for score in self.scores})

    @property
    def repeats(self) -> int:
        """How often the folds were drawn anew."""
        return len({(score.repeat, score.seed) for score in self.scores})

    def sizes(self) -> tuple[FloatArray, FloatArray] | None:
        """Test and training sizes by unit, where they were recorded."""
        rows: dict[Key, tuple[float | None, float | None]] = {}
        for score in self.scores:
            rows.setdefault(self._row(score), (score.n_test, score.n_train))
        rows = dict(sorted(rows.items()))
        if any(size is None for pair in rows.values() for size in pair):
            return None
        tested, trained = np.array(list(rows.values()), dtype=np.float64).T
        return tested, trained

    @property
    def n(self) -> int:
        """The number of units."""
        return len({self._row(score) for score in self.scores})

    def summary(self) -> EvidenceSummary:
        cells = {(one.model, one.measure, self._row(one)) for one in self.scores}
        inside = len(self.scores) / len(cells)
        repeats = f", {inside:.4g} scores each, averaged" if inside > 1 else ""
        many = f"{self.folds} folds x {self.repeats} repeats" if self.unit == "fold" else ""
        where = many if self.repeats > 1 and many else f"{self.n} {UNIT_PLURAL[self.unit]}"
        return EvidenceSummary(
            kind="scores",
            sources=self.sources,
            models=self.models,
            n=self.n,
            unit=self.unit,
            description=f"{where} × {plural(len(self.models), 'model')} ({first_names(self.models)}): "
            f"{first_names(self.measures)}{repeats}.",
            details=(("trained_on", trained),) if (trained := self._trained_on()) else (),
        )

    def _trained_on(self) -> str:
        """How many items the training sets of folds have; nothing where it is not known."""
        sizes = self.sizes() if self.unit == "fold" else None
        if sizes is None or float(sizes[1].min()) < 1.0:  # a share says nothing of items
            return ""
        return "–".join(dict.fromkeys(f"{size:,.0f}" for size in (sizes[1].min(), sizes[1].max())))

    def _of(self, measure: str) -> list[Score]:
        if measure not in self.measures:
            raise UsageError(f"no scores in {measure!r}; there are {', '.join(self.measures)}")
        return [score for score in self.scores if score.measure == measure]

    def _row(self, score: Score) -> Key:
        if self.unit == "dataset":
            return (score.dataset,)
        if self.unit == "fold":
            return (score.repeat or score.seed, score.fold)
        return (score.seed or score.repeat or score.fold,)


def _score(record: Mapping[str, Any]) -> Score:
    value = record.get("score")
    if value is None or not np.isfinite(float(value)):
        raise EvidenceError(f"a score is missing or infinite: {dict(record)}")
    places = {key: str(record[key]) for key in KEYS if record.get(key) not in (None, "")}
    return Score(
        model=str(record["model"]),
        measure=str(record.get("measure") or "score"),
        value=float(value),
        n_train=record.get("n_train"),
        n_test=record.get("n_test"),
        **places,
    )


def _unit(scores: Sequence[Score], asked: str | None) -> Unit:
    """What varies: data sets first, then folds, then seeds."""
    if asked is not None:
        unit = check_choice(asked, UNITS, "unit")
        if unit == "item":
            raise UsageError(
                "scores by fold, seed or data set say nothing about items; give predictions"
            )
        return unit
    if len({score.dataset for score in scores}) > 1:
        return "dataset"
    if len({score.fold for score in scores}) > 1:
        return "fold"
    if len({score.seed or score.repeat for score in scores}) > 1:
        return "seed"
    raise EvidenceError(
        "scores need a column that says where they come from: dataset, fold, repeat or seed; "
        "one score of each model says nothing about spread"
    )


def _refuse_repeated(scores: Sequence[Score]) -> None:
    seen: set[tuple[str, ...]] = set()
    for score in scores:
        place = (score.model, score.measure, *(getattr(score, key) for key in KEYS))
        if place in seen:
            named = ", ".join(f"{key} {getattr(score, key)}" for key in KEYS if getattr(score, key))
            raise RepeatedScores(
                f"two scores of {score.model!r} in {score.measure} at one place ({named or 'none named'}): "
                "name the column that tells them apart with repeat=, or keep some rows with where=; if rows "
                "are items, leave out unit= where there is a truth, and say correct=True of right and wrong "
                "answers (cluster= for their tasks)"
            )
        seen.add(place)
