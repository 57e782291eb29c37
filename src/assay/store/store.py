"""A store of studies: plans, leases, records; every record is committed the moment it arrives."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
from sqlalchemy import (
    Connection,
    Engine,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from assay.core.checks import checked
from assay.core.errors import EvidenceError, UsageError
from assay.core.file_names import path_of
from assay.core.sqlite_files import is_sqlite
from assay.evidence.predictions import Predictions
from assay.evidence.reading_options import names_given
from assay.evidence.scores import Scores
from assay.store import (
    checked_values,
    leases,
    migrations,
    schema,
    stored_predictions,
    study_reading,
    study_scores,
)
from assay.store.connections import adopt, engine_for
from assay.store.damage import DamagedStore, Strange, UnreachableStore, damaged, told
from assay.store.export import export_parquet
from assay.store.leases import LEASE_SECONDS, Claim
from assay.store.locks import Tell
from assay.store.record_types import CODEC, LOST, Part, PlanEntry, Record, StudyPlan, Times, chunks
from assay.store.salvage import Salvage, holds_records, salvage
from assay.store.study_reading import Failure, StoredScores


class Store:
    """One database of studies, by path (SQLite) or URL (PostgreSQL); use it as a context."""

    def __init__(self, engine: Engine, location: str) -> None:
        self.location = location
        self._engine = engine
        self._writer = self._hasty = engine.execution_options(assay_writes=True)
        self._insert: Any = (
            postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert
        )
        self._ids: dict[tuple[str, str], int] = {}
        task = schema.task
        self._add_task = self._insert(task).on_conflict_do_nothing().returning(task.c.id)
        self._end_lease = delete(schema.lease).where(schema.lease.c.key == bindparam("ended"))

    @classmethod
    def open(cls, location: "str | Path | Store", *, create: bool = True) -> "Store":
        """The store at a path or a URL, made if it is not there and ``create``."""
        if isinstance(location, Store):
            return location
        engine, place = engine_for(location, create=create)
        store = cls(engine, place)
        try:
            store._prepare(create=create)
        except BaseException:
            store.close()
            raise
        return store

    @staticmethod
    def salvage(damaged: str | Path, new: str | Path) -> Salvage:
        """Bring every readable record of a damaged store into a new one; the damaged stays as it is."""
        return salvage(damaged, new)

    def _prepare(self, *, create: bool) -> None:
        """Look before anything is written: a file that is not ours stays as it is."""
        if not self._known_file():
            raise EvidenceError(f"{self.location} is not a store of assay; name another file")
        with self.looking() as connection:
            found = migrations.state(connection)
        if found is None and not create:
            raise EvidenceError(
                f"{self.location} is empty, no store yet: `assay run study.toml` makes one"
            )
        adopt(self._engine)
        if found != schema.VERSION:
            with self.writing() as connection:
                migrations.prepare(connection)

    def _known_file(self) -> bool:
        """Whether it is a database, or the wreck of a store without the first bytes of one."""
        if self._engine.dialect.name != "sqlite":
            return True
        path = Path(str(self._engine.url.database))
        if not path.exists() or not path.stat().st_size or is_sqlite(path):
            return True
        return holds_records(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def reached(self, tell: Tell) -> Iterator[None]:
        """Work in the middle of which the database may be locked, which is told and waited for, or go away."""
        self._writer = self._hasty.execution_options(assay_tell=tell)
        try:
            yield
        except UnreachableStore as error:
            raise UnreachableStore(
                f"the store {self.location} cannot be reached any more ({error.reason}); what was "
                "finished is in it, and the same command goes on",
                error.reason,
            ) from error
        finally:
            self._writer = self._hasty

    @contextmanager
    def looking(self) -> Iterator[Connection]:
        """A connection to read by; errors of the database become ours."""
        with told(self._engine, self.location), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, *, hasty: bool = False) -> Iterator[Connection]:
        """A transaction; errors of the database become ours. A hasty one never waits for long."""
        writer = self._hasty if hasty else self._writer
        with told(self._engine, self.location), writer.begin() as connection:
            yield connection

    def damaged(self, what: str) -> DamagedStore:
        """The error of values that are no use to who reads them."""
        return damaged(self._engine, self.location, what)

    # Plans

    def studies(self) -> tuple[str, ...]:
        with self.looking() as connection:
            return study_reading.study_names(connection)

    def plan(self, plan: StudyPlan) -> None:
        """Enter what a study intends to run; the same study's earlier plan is replaced."""
        digest = plan.digest()
        with self.writing() as connection:
            for facts in plan.datasets:
                self.number_of(connection, "dataset", "fingerprint", facts.row())
            for learner in plan.learners:
                self.number_of(connection, "learner", "digest", msgspec.structs.asdict(learner))
            for measure in plan.measures:
                self.number_of(connection, "measure", "name", msgspec.structs.asdict(measure))
            self._put_back(connection, plan)
            known = select(schema.study.c.id, schema.study.c.plan)
            found = checked_values.rows(connection, known.where(schema.study.c.name == plan.study))
            if not found:
                self._write_plan(connection, plan, digest, None)
            elif found[0][1] != digest:
                self._write_plan(connection, plan, digest, found[0][0])

    def _put_back(self, connection: Connection, plan: StudyPlan) -> None:
        """Give rescued records the data set and the learner that were lost: their keys say which."""
        lost = [
            column.in_(select(table.c.id).where(text_column.startswith(LOST)))
            for column, table, text_column in (
                (schema.task.c.dataset_id, schema.dataset, schema.dataset.c.fingerprint),
                (schema.task.c.learner_id, schema.learner, schema.learner.c.digest),
            )
        ]
        query = select(schema.task.c.key).where(or_(*lost))
        keys = {key for (key,) in checked_values.rows(connection, query)}
        facts = plan.by_key() if keys else {}
        for key in keys & facts.keys():
            dataset, learner = facts[key]
            numbers = {
                "dataset_id": self._ids["dataset", dataset.fingerprint],
                "learner_id": self._ids["learner", learner.digest],
            }
            connection.execute(update(schema.task).where(schema.task.c.key == key).values(numbers))

    def _write_plan(
        self, connection: Connection, plan: StudyPlan, digest: str, known: int | None
    ) -> None:
        facts = {"spec": plan.spec, "seed": plan.seed, "plan": digest}
        if known is None:
            row = {"name": plan.study, "created": _moment(), **facts}
            added = insert(schema.study).values(row).returning(schema.study.c.id)
            known = connection.execute(added).scalar_one()
            if not isinstance(known, int):
                raise Strange("the table study numbers no rows")
        else:
            connection.execute(update(schema.study).where(schema.study.c.id == known).values(facts))
            connection.execute(delete(schema.entry).where(schema.entry.c.study_id == known))
        rows = [
            {"study_id": known, "position": position, **entry._asdict()}
            for position, entry in enumerate(plan.entries)
        ]
        if rows:
            connection.execute(insert(schema.entry), rows)

    def number_of(
        self, connection: Connection, table_name: str, unique: str, row: Mapping[str, Any]
    ) -> int:
        """The number of a row known by a unique text, entered if it is new."""
        known = self._ids.get((table_name, row[unique]))
        if known is not None:
            return known
        table = schema.tables.tables[table_name]
        place = select(table.c.id).where(table.c[unique] == row[unique])
        found = checked_values.rows(connection, place)
        if not found:
            connection.execute(self._insert(table).values(row).on_conflict_do_nothing())
            found = checked_values.rows(connection, place)
        if len(found) != 1:
            raise Strange(f"{table_name}.{unique} holds a value {len(found)} times")
        self._ids[table_name, row[unique]] = found[0][0]
        return int(found[0][0])

    # Leases

    def claim(self, keys: Sequence[str], *, owner: str, seconds: float = LEASE_SECONDS) -> Claim:
        """Reserve tasks that are neither finished nor reserved by a living run.

        A reservation ends when it is not renewed, or at once when its process is seen to be gone.
        """
        with self.writing() as connection:
            return leases.claim(connection, self._insert, keys, owner, seconds)

    def renew(self, owner: str, *, seconds: float = LEASE_SECONDS) -> None:
        """Keep what is reserved for ``owner``."""
        with self.writing() as connection:
            expires = leases.server_time(connection) + seconds
            connection.execute(
                update(schema.lease).where(schema.lease.c.owner == owner).values(expires=expires)
            )

    def release(self, owner: str) -> None:
        """Give back everything reserved for ``owner``; what cannot be given back ends with its process."""
        with self.writing(hasty=True) as connection:
            connection.execute(delete(schema.lease).where(schema.lease.c.owner == owner))

    # Records

    def finish(self, *records: Record) -> int:
        """Commit records and give back their leases; one that is there already stays as it is.

        Returns how many were new.
        """
        with self.writing() as connection:
            return sum(self._finish(connection, record) for record in records)

    def _finish(self, connection: Connection, record: Record) -> bool:
        row = self._task_row(connection, record)
        number = connection.execute(self._add_task, row).scalar_one_or_none()
        connection.execute(self._end_lease, {"ended": record.key})
        if number is None:
            return False
        scores = [
            {"task_id": number, "measure_id": self._ids["measure", name], "part": part, "value": v}
            for part, values in (("test", record.scores), ("train", record.train_scores))
            for name, v in values.items()
        ]
        if scores:
            connection.execute(insert(schema.score), scores)
        if record.arrays is not None:
            stored = {"task_id": number, "codec": CODEC, "data": record.arrays}
            connection.execute(insert(schema.prediction), stored)
        return True

    def _task_row(self, connection: Connection, record: Record) -> dict[str, Any]:
        description = msgspec.json.encode(record.environment, order="sorted").decode()
        digest = hashlib.blake2b(description.encode(), digest_size=16).hexdigest()
        environment = {"digest": digest, "description": description}
        name, value = next(iter(record.complexity.items()), (None, None))
        details: dict[str, Any] = {
            "complexity": record.complexity,
            "tuned": record.tuned,
            "warnings": record.warnings,
        }
        if record.noise_rate is not None:
            details["noise_rate"] = record.noise_rate
        return {
            "key": record.key,
            "status": record.status,
            "dataset_id": self._ids["dataset", record.dataset],
            "learner_id": self._ids["learner", record.learner],
            "environment_id": self.number_of(connection, "environment", "digest", environment),
            "seed": record.seed,
            "n_train": record.n_train,
            "n_test": record.n_test,
            **_seconds(record.times),
            "complexity_name": name,
            "complexity": value,
            "details": msgspec.json.encode(details).decode(),
            "error": record.error,
            "limit_value": record.limit,
            "attempts": record.attempts,
            "finished": _moment(),
        }

    def add_scores(self, part: Part, measure: str, values: Mapping[int, float | None]) -> None:
        """Scores of a measure that was asked for after the tasks had ended, by task number."""
        rows = [
            {"task_id": task, "measure_id": self._ids["measure", measure], "part": part, "value": v}
            for task, v in values.items()
        ]
        with self.writing() as connection:
            connection.execute(self._insert(schema.score).on_conflict_do_nothing(), rows)

    def forget(self, keys: Iterable[str]) -> int:
        """Remove the records of these tasks, so that they run again; returns how many there were."""
        removed = 0
        with self.writing() as connection:
            for some in chunks(list(keys)):
                there = select(schema.task.c.id).where(schema.task.c.key.in_(some))
                numbers = [number for (number,) in checked_values.rows(connection, there)]
                removed += len(numbers)
                for column in (
                    schema.score.c.task_id, schema.prediction.c.task_id, schema.task.c.id,
                ):  # fmt: skip
                    connection.execute(delete(column.table).where(column.in_(numbers)))
        return removed

    # Reading

    @checked
    def done_keys(self, study: str) -> set[str]:
        """Keys of the study's finished tasks, failed ones among them."""
        return {entry.key for entry in self.entries(study)} - self.unfinished_keys(study)

    @checked
    def unfinished_keys(self, study: str) -> set[str]:
        """Keys of the study's planned tasks that have no record, not even of a failure."""
        with self.looking() as connection:
            return study_reading.unfinished_keys(connection, study)

    def broken_keys(
        self, *, time_limit: float | None = None, memory_limit: float | None = None
    ) -> set[str]:
        """Keys of tasks that broke a smaller limit than these (None is no limit)."""
        with self.looking() as connection:
            return study_reading.broken_keys(
                connection,
                math.inf if time_limit is None else time_limit,
                math.inf if memory_limit is None else memory_limit,
            )

    @checked
    def entries(self, study: str) -> list[PlanEntry]:
        """The study's plan."""
        with self.looking() as connection:
            return study_reading.entries(connection, study)

    @checked
    def scores(self, study: str, measure: str, *, part: Part = "test") -> StoredScores:
        """The scores of every finished task; failed and missing ones are NaN."""
        with self.looking() as connection:
            return study_reading.scores(connection, study, measure, part)

    @checked
    def measures(self, study: str) -> tuple[str, ...]:
        """The measures recorded for a study, in the order of their first use."""
        with self.looking() as connection:
            return study_reading.measures(connection, study)

    @checked
    def failures(self, study: str) -> tuple[Failure, ...]:
        with self.looking() as connection:
            return study_reading.failures(connection, study)

    def missing(self, study: str) -> tuple[PlanEntry, ...]:
        """Planned tasks that have not ended yet."""
        left = self.unfinished_keys(study)
        return tuple(entry for entry in self.entries(study) if entry.key in left) if left else ()

    @checked
    def records(self, study: str, *, dataset: str | None = None) -> list[dict[str, Any]]:
        """One mapping per finished task: everything recorded but scores and predictions."""
        with self.looking() as connection:
            return study_reading.records(connection, study, dataset)

    @checked
    def spec(self, study: str) -> dict[str, Any]:
        """The study as it was described when it was last run."""
        with self.looking() as connection:
            return study_reading.spec(connection, study)

    def directions(self) -> dict[str, str]:
        """Which side of each measure is better: higher or lower."""
        with self.looking() as connection:
            return study_reading.directions(connection)

    @checked
    def predictions(
        self, study: str, dataset: str, *, learners: Sequence[str] | None = None
    ) -> Predictions:
        """What every learner predicted for the items of a data set, as evidence."""
        with self.looking() as connection:
            return stored_predictions.predictions(connection, study, dataset, learners)

    @checked
    def majority(self, study: str, dataset: str) -> tuple[str, float] | None:
        """The most frequent class of a data set and its share of the items; None without classes."""
        with self.looking() as connection:
            return stored_predictions.majority(connection, study, dataset)

    @checked
    def as_evidence(
        self,
        *,
        study: str | None = None,
        unit: str | None = None,
        measure: str | None = None,
        models: str | Sequence[str] | None = None,
        task: str | Sequence[str] | None = None,
    ) -> "Scores | Predictions":
        """What `assay.read` makes of a store; ``task`` names data sets, ``study`` one of several."""
        return study_scores.as_evidence(
            self,
            study or self.only_study(),
            unit=unit,
            measure=measure,
            models=[models] if isinstance(models, str) else names_given(models, "models"),
            datasets=[task] if isinstance(task, str) else names_given(task, "task"),
        )

    def unscored(
        self, study: str, measure: str, sizes: Mapping[str, tuple[int, int]]
    ) -> list[study_reading.Unscored]:
        """Successful tasks without this measure; ``sizes`` as in :func:`reading.unscored`."""
        with self.looking() as connection:
            return study_reading.unscored(connection, study, measure, sizes)

    @checked
    def export(self, folder: str | Path, *, study: str) -> tuple[Path, ...]:
        """Write ``tasks.parquet`` and ``scores.parquet`` of a study into a folder."""
        with self.looking() as connection:
            return export_parquet(connection, study, path_of(folder, "a folder"))

    def check(self) -> None:
        """Refuse a damaged store."""
        with self.looking() as connection:
            if connection.dialect.name == "sqlite":
                found = connection.execute(text("PRAGMA integrity_check")).scalars().all()
                if found != ["ok"]:
                    raise Strange(str(found[0]))
            orphans = connection.execute(
                select(func.count())
                .select_from(schema.score)
                .outerjoin(schema.task, schema.task.c.id == schema.score.c.task_id)
                .where(schema.task.c.id.is_(None))
            ).scalar_one()
            if orphans:
                raise Strange(f"{orphans} scores without a task")

    def only_study(self) -> str:
        """The name of the store's study, where there is one."""
        names = self.studies()
        if not names:
            raise EvidenceError(
                f"{self.location} holds no study yet: `assay run STUDY.toml --store "
                f"{self.location}` enters it"
            )
        if len(names) > 1:
            raise UsageError(
                f"{self.location} holds {len(names)} studies ({', '.join(names)}): say which"
            )
        return names[0]


def _seconds(times: Times | None) -> dict[str, float | None]:
    return {name: getattr(times, name, None) for name in Times.__struct_fields__}


def _moment() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
