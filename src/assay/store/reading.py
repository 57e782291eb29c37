"""Reading a study back: scores as tables, failures, records, predictions as evidence."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, and_, func, or_, select

from assay.core.checks import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.blocks import Blocks
from assay.evidence.predictions import Predictions
from assay.store.records import Entry, Part, unpack
from assay.store.schema import (
    dataset,
    entry,
    environment,
    learner,
    measure,
    prediction,
    score,
    study,
    task,
)

_PLAN = [entry.c[name] for name in Entry._fields]


@contextmanager
def uncollected() -> Iterator[None]:
    """Make many small objects at once: looking for garbage among them takes half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _raw(connection: Connection, query: Select[Any]) -> list[tuple[Any, ...]]:
    """Rows as the driver gives them: SQLAlchemy's own cost as much again for a hundred thousand."""
    cursor = connection.execute(query).cursor
    return [] if cursor is None else list(cursor.fetchall())


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A task that gave no scores, and why."""

    dataset: str
    learner: str
    repeat: int
    fold: int
    status: str
    error: str
    train_size: int | None = None
    noise_on: str | None = None
    noise_level: float | None = None

    @property
    def plain(self) -> bool:
        """A task with all training data as they are, no other point of a curve."""
        return self.train_size is None and self.noise_on is None

    @property
    def reason(self) -> str:
        """The last line of the traceback."""
        return (self.error.strip().splitlines() or [self.status])[-1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """One measure of every planned task, in the order of the plan; NaN where there is none."""

    measure: str
    part: Part
    entries: tuple[Entry, ...]
    values: FloatArray
    status: tuple[str | None, ...]
    n_train: FloatArray
    n_test: FloatArray

    @property
    def datasets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.dataset for entry in self.entries))

    @property
    def learners(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.learner for entry in self.entries))

    def columns(self) -> dict[str, list[Any]]:
        """The table in long form, for any kind of frame."""
        table = {
            name: list(values)
            for name, values in zip(Entry._fields, zip(*self.entries, strict=True), strict=True)
        }
        return {
            **table,
            "status": list(self.status),
            "n_train": self.n_train.tolist(),
            "n_test": self.n_test.tolist(),
            "value": self.values.tolist(),
        }

    def by_dataset(self) -> Blocks:
        """Means over the splits: rows data sets, columns learners.

        A learner without a score on some split of a data set has no mean there: over other
        splits it would not compare with the others.
        """
        return self._pivot([(one.dataset,) for one in self.entries])

    def by_fold(self, dataset: str | None = None) -> Blocks:
        """Scores on the splits of one data set: rows splits, columns learners."""
        name = self._one(dataset)
        rows = [
            (f"repeat {one.repeat + 1} fold {one.fold + 1}",) if one.dataset == name else None
            for one in self.entries
        ]
        return self._pivot(rows)

    def _one(self, name: str | None) -> str:
        if name is None and len(self.datasets) == 1:
            return self.datasets[0]
        if name not in self.datasets:
            raise UsageError(
                f"there is no data set {name!r} in the study: say one of {', '.join(self.datasets)}"
            )
        return name

    def _pivot(self, rows: Sequence[tuple[str, ...] | None]) -> Blocks:
        """Means of plain tasks (all training data, no noise) by row name and learner."""
        row_codes: dict[str, int] = {}
        column_codes = {name: code for code, name in enumerate(self.learners)}
        places, columns, kept = [], [], []
        for position, (one, row) in enumerate(zip(self.entries, rows, strict=True)):
            if row is None or one.train_size is not None or one.noise_on is not None:
                continue
            places.append(row_codes.setdefault(row[0], len(row_codes)))
            columns.append(column_codes[one.learner])
            kept.append(position)
        shape = (len(row_codes), len(column_codes))
        flat = np.asarray(places, dtype=np.intp) * shape[1] + np.asarray(columns, dtype=np.intp)
        size = shape[0] * shape[1]
        sums = np.bincount(flat, weights=self.values[kept], minlength=size)
        counts = np.bincount(flat, minlength=size)
        with np.errstate(invalid="ignore"):
            means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return Blocks(
            models=tuple(column_codes), values=means.reshape(shape), names=tuple(row_codes)
        )


def study_id(connection: Connection, name: str) -> int:
    found = connection.execute(select(study.c.id).where(study.c.name == name)).scalar()
    if found is None:
        known = ", ".join(connection.execute(select(study.c.name)).scalars()) or "none yet"
        raise EvidenceError(f"the store has no study {name!r}; it has: {known}")
    return int(found)


def entries(connection: Connection, name: str) -> list[Entry]:
    query = (
        select(*_PLAN)
        .where(entry.c.study_id == study_id(connection, name))
        .order_by(entry.c.position)
    )
    with uncollected():
        return list(map(Entry._make, _raw(connection, query)))


def unfinished_keys(connection: Connection, name: str) -> set[str]:
    """Keys of planned tasks without a record: few to read when a study is nearly done."""
    query = (
        select(entry.c.key)
        .outerjoin(task, task.c.key == entry.c.key)
        .where(entry.c.study_id == study_id(connection, name), task.c.id.is_(None))
    )
    with uncollected():
        return {key for (key,) in _raw(connection, query)}


def broken_keys(connection: Connection, time_limit: float, memory_limit: float) -> set[str]:
    """Keys of tasks, of any study, that broke a smaller limit than these."""
    broken = or_(
        and_(task.c.status == "timeout", task.c.limit_value < time_limit),
        and_(task.c.status == "memory", task.c.limit_value < memory_limit),
    )
    return {key for (key,) in _raw(connection, select(task.c.key).where(broken))}


def scores(connection: Connection, name: str, measure_name: str, part: Part) -> Scores:
    number = connection.execute(select(measure.c.id).where(measure.c.name == measure_name)).scalar()
    if number is None:
        known = ", ".join(measures(connection, name))
        raise UsageError(f"the study did not record {measure_name!r}; it has {known}")
    on_score = and_(
        score.c.task_id == task.c.id, score.c.measure_id == number, score.c.part == part
    )
    planned = entry.c.study_id == study_id(connection, name)
    plan = select(*_PLAN).where(planned).order_by(entry.c.position)
    found = (
        select(task.c.status, task.c.n_train, task.c.n_test, score.c.value)
        .select_from(entry)
        .outerjoin(task, task.c.key == entry.c.key)
        .outerjoin(score, on_score)
        .where(planned)
        .order_by(entry.c.position)
    )
    with uncollected():
        entries = tuple(map(Entry._make, _raw(connection, plan)))
        columns = list(zip(*_raw(connection, found), strict=True)) or [()] * 4
    status, n_train, n_test, values = columns
    return Scores(
        measure=measure_name,
        part=part,
        entries=entries,
        values=_floats(values),
        status=tuple(status),
        n_train=_floats(n_train),
        n_test=_floats(n_test),
    )


def _floats(values: Sequence[Any]) -> FloatArray:
    return np.array(values, dtype=np.float64)  # None becomes NaN


def spec(connection: Connection, name: str) -> dict[str, Any]:
    found = connection.execute(
        select(study.c.spec).where(study.c.id == study_id(connection, name))
    ).scalar_one()
    decoded: dict[str, Any] = msgspec.json.decode(found)
    return decoded


def measures(connection: Connection, name: str) -> tuple[str, ...]:
    return tuple(spec(connection, name).get("measures", ()))


def directions(connection: Connection) -> dict[str, str]:
    rows = connection.execute(select(measure.c.name, measure.c.direction))
    return {row.name: row.direction for row in rows}


def failures(connection: Connection, name: str) -> tuple[Failure, ...]:
    rows = connection.execute(
        select(
            entry.c.dataset, entry.c.learner, entry.c.repeat, entry.c.fold, task.c.status,
            task.c.error, entry.c.train_size, entry.c.noise_on, entry.c.noise_level,
        )
        .join(task, task.c.key == entry.c.key)
        .where(entry.c.study_id == study_id(connection, name), task.c.status != "ok")
        .order_by(entry.c.position)
    )  # fmt: skip
    return tuple(
        Failure(
            dataset=row.dataset,
            learner=row.learner,
            repeat=row.repeat,
            fold=row.fold,
            status=row.status,
            error=row.error or "",
            train_size=row.train_size,
            noise_on=row.noise_on,
            noise_level=row.noise_level,
        )
        for row in rows
    )


def records(
    connection: Connection, name: str, dataset_name: str | None = None
) -> list[dict[str, Any]]:
    only = [] if dataset_name is None else [entry.c.dataset == dataset_name]
    own = [column for column in task.c if not column.name.endswith("_id") and column.name != "key"]
    rows = connection.execute(
        select(
            *_PLAN,
            *[column for column in own if column.name != "id"],
            dataset.c.fingerprint,
            learner.c.description.label("learner_description"),
            environment.c.description.label("environment"),
        )
        .join(task, task.c.key == entry.c.key)
        .join(dataset, dataset.c.id == task.c.dataset_id)
        .join(learner, learner.c.id == task.c.learner_id)
        .join(environment, environment.c.id == task.c.environment_id)
        .where(entry.c.study_id == study_id(connection, name), *only)
        .order_by(entry.c.position)
    )
    found = []
    for row in rows.mappings():
        record: dict[str, Any] = dict(row)
        record["details"] = msgspec.json.decode(record["details"])
        record["environment"] = msgspec.json.decode(record["environment"])
        found.append(record)
    return found


def unscored(connection: Connection, name: str, measure_name: str) -> list[tuple[int, str, bytes]]:
    if _all_scored(connection, measure_name):
        return []
    there = (
        select(score.c.task_id)
        .join(measure, measure.c.id == score.c.measure_id)
        .where(score.c.task_id == task.c.id, measure.c.name == measure_name, score.c.part == "test")
        .exists()
    )
    rows = connection.execute(
        select(task.c.id, dataset.c.fingerprint, prediction.c.data)
        .join(entry, entry.c.key == task.c.key)
        .join(dataset, dataset.c.id == task.c.dataset_id)
        .join(prediction, prediction.c.task_id == task.c.id)
        .where(entry.c.study_id == study_id(connection, name), task.c.status == "ok", ~there)
        .distinct()
    )
    return [(int(row[0]), str(row[1]), bytes(row[2])) for row in rows]


def _all_scored(connection: Connection, measure_name: str) -> bool:
    """Whether every successful task of the store has the measure: two counts tell, and quickly."""
    scored = select(func.count()).where(
        score.c.part == "test",
        score.c.measure_id
        == select(measure.c.id).where(measure.c.name == measure_name).scalar_subquery(),
    )
    ended = select(func.count()).where(task.c.status == "ok")
    return bool(connection.execute(scored).scalar_one() == connection.execute(ended).scalar_one())


def predictions(
    connection: Connection, name: str, dataset_name: str, learners: Sequence[str] | None
) -> Predictions:
    """Every learner's predictions on the same items, in the order of repeats and folds."""
    rows = connection.execute(
        select(
            entry.c.learner, entry.c.repeat, entry.c.fold, task.c.status, task.c.dataset_id,
            prediction.c.data, prediction.c.codec,
        )
        .outerjoin(task, task.c.key == entry.c.key)
        .outerjoin(prediction, prediction.c.task_id == task.c.id)
        .where(
            entry.c.study_id == study_id(connection, name),
            entry.c.dataset == dataset_name,
            entry.c.train_size.is_(None),
            entry.c.noise_on.is_(None),
        )
        .order_by(entry.c.repeat, entry.c.fold, entry.c.position)
    ).all()  # fmt: skip
    if not rows:
        raise UsageError(f"the study {name!r} has no data set {dataset_name!r}")
    chosen = list(learners or dict.fromkeys(row.learner for row in rows))
    _refuse_gaps(rows, chosen)
    number = next(row.dataset_id for row in rows if row.learner in chosen)
    facts = connection.execute(
        select(dataset.c.classes, dataset.c.arrays).where(dataset.c.id == number)
    ).one()
    columns = _evidence_columns(
        rows, chosen, tuple(msgspec.json.decode(facts.classes)), unpack(bytes(facts.arrays))
    )
    from assay.evidence.reading import read

    found = read(
        columns,
        truth="truth",
        id=False,
        fold="fold",
        repeat="repeat",
        cluster="cluster" if "cluster" in columns else None,
    )
    if not isinstance(found, Predictions):
        raise EvidenceError("predictions on the same items are paired")
    return found


def _refuse_gaps(rows: Sequence[Any], chosen: Sequence[str]) -> None:
    known = {row.learner for row in rows}
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise UsageError(f"there is no learner {unknown[0]!r}; the study has {', '.join(known)}")
    gaps = [row for row in rows if row.learner in chosen and row.data is None]
    if gaps:
        first = gaps[0]
        raise EvidenceError(
            f"{len(gaps)} of {len(rows)} tasks have no predictions (first: {first.learner}, repeat "
            f"{first.repeat + 1} fold {first.fold + 1}: {first.status or 'not run yet'}); finish "
            "the study, or name only learners that succeeded everywhere"
        )


def _evidence_columns(
    rows: Sequence[Any],
    chosen: Sequence[str],
    classes: tuple[str, ...],
    facts: dict[str, NDArray[Any]],
) -> dict[str, NDArray[Any]]:
    names = np.array(classes, dtype=object)
    parts: dict[str, list[NDArray[Any]]] = {}

    def add(column: str, values: NDArray[Any]) -> None:
        parts.setdefault(column, []).append(values)

    for row in rows:
        if row.learner not in chosen:
            continue
        arrays = unpack(bytes(row.data), row.codec)
        items = arrays["rows"].astype(np.intp)
        if row.learner == chosen[0]:
            truth = facts["truth"][items]
            add("truth", names[truth] if classes else truth)
            add("item", items)
            add("fold", np.full(items.size, row.fold))
            add("repeat", np.full(items.size, row.repeat))
            if "groups" in facts:
                add("cluster", facts["groups"][items])
        for column, values in _model_columns(row.learner, names, arrays):
            add(column, values)
    joined = {column: np.concatenate(values) for column, values in parts.items()}
    items = joined.pop("item")
    if "cluster" not in joined and np.unique(items).size < items.size:
        joined["cluster"] = items  # an item predicted in several repeats is one item
    return joined


def _model_columns(
    model: str, names: NDArray[Any], arrays: dict[str, NDArray[Any]]
) -> list[tuple[str, NDArray[Any]]]:
    if "values" in arrays:
        return [(f"{model}:value", arrays["values"])]
    found = [(f"{model}:label", names[arrays["labels"]])]
    if "probabilities" in arrays:
        for code, name in enumerate(names):
            found.append((f"{model}:p({name})", arrays["probabilities"][:, code]))
    elif "scores" in arrays:
        found.append((f"{model}:score", arrays["scores"]))
    return found
