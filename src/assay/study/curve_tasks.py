"""Curves of a study: the tasks they add, the training data each task sees, and the scores they gave."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IndexArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.rng import stream
from assay.core.vocabulary import known_side
from assay.evidence.curve_scores import CurveKind, CurveScores
from assay.measures.registry import Measure, find_measure
from assay.store.record_types import PlanEntry
from assay.study.datasets import Dataset
from assay.study.learning_sizes import LearningCurve, apply_train_size
from assay.study.noise import NoiseCurve, NoiseOn, apply_noise
from assay.study.preparation import taken
from assay.study.splits import Resampling, make_splits

if TYPE_CHECKING:
    from assay.store.store import Store

TIMES = ("fit_cpu", "fit_wall", "predict_cpu", "predict_wall")
"""Seconds that can stand on the vertical axis; ``complexity`` and its names can too."""
_STREAM: dict[NoiseOn, int] = {"labels": 1, "features": 2}
"""Random numbers of noise are apart from those of the order of rows, and from each other."""


class Curves(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which curves a study draws, beside its plain tasks."""

    learning: LearningCurve | None = None
    noise: NoiseCurve | None = None

    def checked(self) -> "Curves":
        for one in (self.learning, self.noise):
            if one is not None:
                one.checked()
        return self

    def variants(self, data: Dataset, resampling: Resampling, seed: int) -> "list[TaskVariant]":
        """What the curves add to every plain task of a data set."""
        found: list[TaskVariant] = []
        if self.learning is not None:
            if resampling.scheme == "time":
                raise UsageError(
                    "scheme = 'time' already trains on more and more of the past. Learning curves "
                    "need training parts of one size, such as those of cv"
                )
            parts = make_splits(data, resampling, seed).values()
            whole = min(train.size for train, _ in parts)
            how = "in proportion" if self.learning.stratify else "shuffled"
            found += [
                TaskVariant(train_size=size, how=how) for size in self.learning.below(data, whole)
            ]
        if self.noise is not None:
            found += [
                TaskVariant(noise_on=kind, noise_level=level)
                for kind in self.noise.kinds
                for level in self.noise.above_zero
            ]
        return found


class TaskVariant(NamedTuple):
    """A task that differs from the plain one in the training data it sees."""

    train_size: int | None = None
    noise_on: NoiseOn | None = None
    noise_level: float | None = None
    how: str | None = None
    """How rows are ordered for a prefix: it determines the result, so it is part of the key."""

    @property
    def setting(self) -> tuple[int | None, str | None, float | None]:
        """The last three fields of an entry."""
        return self.train_size, self.noise_on, self.noise_level


def as_curves(given: "Mapping[str, Any] | Curves | None") -> Curves:
    """Curves from a mapping such as ``{"learning": {"points": 6}}``."""
    if isinstance(given, Curves):
        return given.checked()
    if not isinstance(given, Mapping | None):
        raise UsageError(
            f"curves= is a table, such as {{'learning': {{'points': 6}}}}; got {given!r}"
        )
    try:
        return msgspec.convert(dict(given or {}), Curves).checked()
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise UsageError(f"curves: {error}") from None


class TrainingPart(NamedTuple):
    """What one task trains on: rows of the data set, and their features and target as it sees them."""

    rows: IndexArray
    X: Any
    y: NDArray[Any]
    noise_rate: float | None = None
    """The share of labels or feature values that really changed."""


def training_part(
    entry: PlanEntry, data: Dataset, train: IndexArray, seed: int, curves: Curves
) -> TrainingPart:
    """The training data of a task, from the seed of the splits, the split and the variant alone."""
    rows = train
    if entry.train_size is not None:
        in_proportion = curves.learning is None or curves.learning.stratify
        classes = in_proportion and data.task == "classification"
        rows = apply_train_size(
            train,
            entry.train_size,
            seed,
            entry.repeat,
            entry.fold,
            labels=data.y[train] if classes else None,
            groups=None if data.groups is None else data.groups[train],
        )
    X, y = taken(data.X, rows), data.y[rows]
    if entry.noise_on is None or entry.noise_level is None:
        return TrainingPart(rows, X, y)
    kind: NoiseOn = "labels" if entry.noise_on == "labels" else "features"
    rng = stream(seed, entry.repeat, entry.fold, _STREAM[kind])
    noisy = apply_noise(X, y, kind, entry.noise_level, rng, task=data.task)
    return TrainingPart(rows, noisy.X, noisy.y, noisy.rate)


NO_SIZES = (
    "on {chosen} some splits have no successful task with all training data, and without "
    "their sizes there is no interval. Finish the study first"
)


def curve_scores(
    store: "Store",
    study: str,
    kind: CurveKind,
    *,
    measure: str | Measure,
    dataset: str | None = None,
    on: NoiseOn = "labels",
) -> CurveScores:
    """The points of a finished study's curve on one data set.

    ``measure`` is anything recorded: a measure of the study, ``fit_cpu`` and other seconds,
    ``complexity``, or the name of one, such as ``leaves``. ``on`` says which noise.
    """
    name = measure if isinstance(measure, str) else measure.name
    chosen = _one_of([entry.dataset for entry in store.entries(study)], dataset)
    records = [one for one in store.records(study, dataset=chosen) if _belongs(one, kind, on)]
    values = _recorded(store, study, name, records)
    splits = list(dict.fromkeys((one["repeat"], one["fold"]) for one in records))
    models = tuple(dict.fromkeys(one["learner"] for one in records))
    sizes = _sizes(records, splits)
    if np.isnan(sizes).any() or not splits:
        raise EvidenceError(NO_SIZES.format(chosen=chosen))
    points = _points(records, kind, float(sizes[0].mean()))
    noisy = kind == "noise"
    if len(points) < 2:
        where = f"{chosen} of noise on {on}" if noisy else chosen
        said = f"the study {study!r} has no {kind} curve on {where}"
        raise UsageError(f"{said}: add [curves.{kind}] to it")
    table = np.full((len(points), len(splits), len(models)), np.nan)
    places = [points.index(_point(one, kind, points[-1])) for one in records]
    for one, place, value in zip(records, places, values, strict=True):
        if np.isfinite(value):  # an infinite loss has no mean to draw
            split = splits.index((one["repeat"], one["fold"]))
            table[place, split, models.index(one["learner"])] = value
    known = _known(measure)
    return CurveScores(
        kind=kind,
        dataset=chosen,
        measure=name,
        models=models,
        at=np.array(points),
        values=table,
        n_train=sizes[0],
        n_test=sizes[1],
        folds=len({fold for _, fold in splits}),
        repeats=len({repeat for repeat, _ in splits}),
        direction=None if known is None else known_side(known.direction),
        low=-np.inf if known is None else known.low,
        high=np.inf if known is None else known.high,
        effective=_noise_rates(records, places) if noisy else None,
        noise_on=on if noisy else None,
        majority=store.majority(study, chosen),
    )


def _noise_rates(records: Sequence[Mapping[str, Any]], places: Sequence[int]) -> FloatArray:
    """The share of noise that the tasks of each point were given, on average."""
    rates = np.array([one["details"].get("noise_rate") or 0.0 for one in records])
    return np.array([rates[np.equal(places, place)].mean() for place in sorted(set(places))])


def _belongs(record: Mapping[str, Any], kind: CurveKind, on: NoiseOn) -> bool:
    """Plain tasks are on every curve: its end, or its noiseless beginning."""
    if kind == "learning":
        return record["noise_on"] is None
    return record["train_size"] is None and record["noise_on"] in (None, on)


def _one_of(names: Sequence[str], wanted: str | None) -> str:
    known = list(dict.fromkeys(names))
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted not in known:
        raise UsageError(f"say which data set: {', '.join(known)}; got {wanted!r}")
    return wanted


def _recorded(
    store: "Store", study: str, name: str, records: Sequence[Mapping[str, Any]]
) -> list[float]:
    """The quantity of every record; NaN where it has none."""
    if name in TIMES or name == "complexity":
        return [_number(one[name]) for one in records]
    named = {key for one in records for key in one["details"]["complexity"]}
    if name in named:
        return [_number(one["details"]["complexity"].get(name)) for one in records]
    found = store.scores(study, name)
    by_entry = dict(zip(found.entries, found.values.tolist(), strict=True))
    return [by_entry[PlanEntry(*(one[field] for field in PlanEntry._fields))] for one in records]


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _sizes(records: Sequence[Mapping[str, Any]], splits: Sequence[tuple[int, int]]) -> FloatArray:
    """Rows of the whole training part and of the test part, by split, from the plain tasks."""
    sizes = np.full((2, len(splits)), np.nan)
    for one in records:
        if one["train_size"] is None and one["n_train"] is not None:
            place = splits.index((one["repeat"], one["fold"]))
            sizes[:, place] = one["n_train"], one["n_test"]
    return sizes


def _points(records: Sequence[Mapping[str, Any]], kind: CurveKind, whole: float) -> list[float]:
    if kind == "noise":
        return sorted({_point(one, kind, whole) for one in records})
    sizes = {float(one["train_size"]) for one in records if one["train_size"] is not None}
    return [*sorted(sizes), whole] if sizes else [whole]


def _point(record: Mapping[str, Any], kind: CurveKind, whole: float) -> float:
    if kind == "noise":
        return float(record["noise_level"] or 0.0)
    return whole if record["train_size"] is None else float(record["train_size"])


def _known(measure: str | Measure) -> Measure | None:
    if isinstance(measure, Measure):
        return measure
    try:
        return find_measure(measure)
    except UsageError:
        return None
