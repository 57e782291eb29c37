"""Reading a study back: scores as tables, failures, records, predictions as evidence."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, and_, func, or_, select

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.blocks import Blocks
from assay.store.checked_values import answers_of, details_of, json_of, rows, spec_of
from assay.store.damage import Strange
from assay.store.record_types import Part, PlanEntry
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

_PLAN = [entry.c[name] for name in PlanEntry._fields]


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
class StoredScores:
    """One measure of every planned task, in the order of the plan; NaN where there is none."""

    measure: str
    part: Part
    entries: tuple[PlanEntry, ...]
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
            name: [entry[place] for entry in self.entries]
            for place, name in enumerate(PlanEntry._fields)
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


def study_names(connection: Connection) -> tuple[str, ...]:
    """The studies, the first one first."""
    found = rows(connection, select(study.c.name).order_by(study.c.id))
    return _different([name for (name,) in found], "study.name")


def _different(names: Sequence[str], what: str) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise Strange(f"{what} holds a name twice")
    return tuple(names)


def study_id(connection: Connection, name: str) -> int:
    found = rows(connection, select(study.c.id).where(study.c.name == name))
    if not found:
        known = ", ".join(study_names(connection)) or "none yet"
        raise EvidenceError(f"the store has no study {name!r}; it has: {known}")
    if len(found) > 1:
        raise Strange(f"study.name holds {name!r} twice")
    return int(found[0][0])


def entries(connection: Connection, name: str) -> list[PlanEntry]:
    query = (
        select(*_PLAN)
        .where(entry.c.study_id == study_id(connection, name))
        .order_by(entry.c.position)
    )
    with uncollected():
        found = list(map(PlanEntry._make, rows(connection, query)))
        if len({one[1:] for one in found}) < len(found):
            raise Strange("the table entry plans a task twice")
    half = next((one for one in found if (one.noise_on is None) != (one.noise_level is None)), None)
    if half is not None:
        raise Strange(f"the table entry has noise without a level for {half.learner!r}")
    return found


def unfinished_keys(connection: Connection, name: str) -> set[str]:
    """Keys of planned tasks without a record: few to read when a study is nearly done."""
    query = (
        select(entry.c.key)
        .outerjoin(task, task.c.key == entry.c.key)
        .where(entry.c.study_id == study_id(connection, name), task.c.id.is_(None))
    )
    with uncollected():
        return {key for (key,) in rows(connection, query)}


def broken_keys(connection: Connection, time_limit: float, memory_limit: float) -> set[str]:
    """Keys of tasks, of any study, that broke a smaller limit than these."""
    broken = or_(
        and_(task.c.status == "timeout", task.c.limit_value < time_limit),
        and_(task.c.status == "memory", task.c.limit_value < memory_limit),
    )
    return {key for (key,) in rows(connection, select(task.c.key).where(broken))}


def scores(connection: Connection, name: str, measure_name: str, part: Part) -> StoredScores:
    check_choice(part, get_args(Part), "part")
    known = rows(connection, select(measure.c.id).where(measure.c.name == measure_name))
    if not known:
        there = ", ".join(measures(connection, name))
        raise UsageError(f"the study did not record {measure_name!r}; it has {there}")
    on_score = and_(
        score.c.task_id == task.c.id, score.c.measure_id == known[0][0], score.c.part == part
    )
    found = (
        select(task.c.id, task.c.status, task.c.n_train, task.c.n_test, score.c.value)
        .select_from(entry)
        .outerjoin(task, task.c.key == entry.c.key)
        .outerjoin(score, on_score)
        .where(entry.c.study_id == study_id(connection, name))
        .order_by(entry.c.position)
    )
    planned = tuple(entries(connection, name))
    with uncollected():
        outcomes = rows(connection, found, optional=(task, score))
        columns = list(zip(*outcomes, strict=True)) or [()] * 5
    numbers, status, n_train, n_test, values = columns
    if len(numbers) != len(planned):
        raise Strange("a planned task has two records, or two scores of one measure")
    if any((one is None) != (how is None) for one, how in zip(numbers, status, strict=True)):
        raise Strange("task.status is empty (NULL)")
    return StoredScores(
        measure=measure_name,
        part=part,
        entries=planned,
        values=_floats(values),
        status=status,
        n_train=_floats(n_train),
        n_test=_floats(n_test),
    )


def _floats(values: Sequence[Any]) -> FloatArray:
    return np.array(values, dtype=np.float64)  # None becomes NaN


def spec(connection: Connection, name: str) -> dict[str, Any]:
    number = study_id(connection, name)
    return spec_of(rows(connection, select(study.c.spec).where(study.c.id == number))[0][0])


def measures(connection: Connection, name: str) -> tuple[str, ...]:
    planned = tuple(spec(connection, name).get("measures", ()))
    if not planned:
        raise Strange(f"the description of the study {name!r} has no measures")
    known = directions(connection)
    absent = next((one for one in planned if one not in known), None)
    if absent is not None:
        raise Strange(f"the study has a measure {absent!r} that the table measure does not know")
    return planned


def directions(connection: Connection) -> dict[str, str]:
    found = rows(connection, select(measure.c.name, measure.c.direction))
    _different([name for name, _ in found], "measure.name")
    return dict(found)


def failures(connection: Connection, name: str) -> tuple[Failure, ...]:
    query = (
        select(*_PLAN, task.c.status, task.c.error)
        .join(task, task.c.key == entry.c.key)
        .where(entry.c.study_id == study_id(connection, name), task.c.status != "ok")
        .order_by(entry.c.position)
    )
    names = [*PlanEntry._fields, "status", "error"]
    found = [dict(zip(names, row, strict=True)) for row in rows(connection, query)]
    return tuple(
        Failure(**{key: one[key] for key in names if key not in ("key", "error")},
                error=one["error"] or "")
        for one in found
    )  # fmt: skip


def records(
    connection: Connection, name: str, dataset_name: str | None = None
) -> list[dict[str, Any]]:
    only = [] if dataset_name is None else [entry.c.dataset == dataset_name]
    own = [column for column in task.c if not column.name.endswith("_id") and column.name != "key"]
    query = (
        select(
            *_PLAN,
            *[column for column in own if column.name != "id"],
            dataset.c.fingerprint,
            learner.c.description.label("learner_description"),
            environment.c.description.label("environment"),
        )
        .join(task, task.c.key == entry.c.key)
        .outerjoin(dataset, dataset.c.id == task.c.dataset_id)
        .outerjoin(learner, learner.c.id == task.c.learner_id)
        .outerjoin(environment, environment.c.id == task.c.environment_id)
        .where(entry.c.study_id == study_id(connection, name), *only)
        .order_by(entry.c.position)
    )
    names = [str(column.key) for column in query.selected_columns]
    found = []
    for row in rows(connection, query, optional=(dataset, learner, environment)):
        record: dict[str, Any] = dict(zip(names, row, strict=True))
        for part in ("fingerprint", "learner_description", "environment"):
            if record[part] is None:
                raise Strange(f"the record of the task {record['key']} has no {part} in the store")
        record["details"] = details_of(record["details"])
        record["environment"] = json_of(
            record["environment"], dict[str, str], "environment.description"
        )
        found.append(record)
    if len({tuple(one[key] for key in PlanEntry._fields[1:]) for one in found}) < len(found):
        raise Strange("a planned task has two records")
    return found


Unscored = tuple[int, str, dict[str, NDArray[Any]]]
"""A successful task without some measure: its number, its data set's fingerprint, its predictions."""


def unscored(
    connection: Connection, name: str, measure_name: str, sizes: Mapping[str, tuple[int, int]]
) -> list[Unscored]:
    """``sizes`` are the numbers of items and of classes of each data set, by fingerprint."""
    if _all_scored(connection, measure_name):
        return []
    there = (
        select(score.c.task_id)
        .join(measure, measure.c.id == score.c.measure_id)
        .where(score.c.task_id == task.c.id, measure.c.name == measure_name, score.c.part == "test")
        .exists()
    )
    query = (
        select(task.c.id, dataset.c.fingerprint, prediction.c.data, prediction.c.codec)
        .join(entry, entry.c.key == task.c.key)
        .join(dataset, dataset.c.id == task.c.dataset_id)
        .join(prediction, prediction.c.task_id == task.c.id)
        .where(entry.c.study_id == study_id(connection, name), task.c.status == "ok", ~there)
        .distinct()
    )
    found = []
    for number, fingerprint, data, codec in rows(connection, query):
        if fingerprint not in sizes:
            raise Strange("a record of the study is of a data set that the study does not have")
        found.append((number, fingerprint, answers_of(data, codec, *sizes[fingerprint])))
    return found


def _all_scored(connection: Connection, measure_name: str) -> bool:
    """Whether every successful task of the store has the measure: two counts tell, and quickly."""
    scored = select(func.count()).where(
        score.c.part == "test",
        score.c.measure_id
        == select(measure.c.id).where(measure.c.name == measure_name).scalar_subquery(),
    )
    ended = select(func.count()).where(task.c.status == "ok")
    return bool(connection.execute(scored).scalar_one() == connection.execute(ended).scalar_one())
