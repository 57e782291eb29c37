"""Rescue: every readable record of a store into a new one; the damaged store is not changed."""

import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, insert
from sqlalchemy.exc import SQLAlchemyError

from assay.core.errors import EvidenceError, UsageError
from assay.core.file_names import path_of
from assay.store import schema
from assay.store.connections import engine_for
from assay.store.damaged_rows import Lost, Readable, Row, Wreck, from_file, from_server
from assay.store.record_types import StudyPlan

if TYPE_CHECKING:
    from assay.store.store import Store

SURVEY_SECONDS = 5.0
"""So long an error counts what is readable; then it says "at least"."""
TOGETHER = 500
"""Records in one transaction."""
MOST_NAMED = 5
REWRITTEN = "salvaged"
"""The digest of a plan that was rescued: no study has it, so that the next run writes its own."""


_REFERRED = (("dataset", "fingerprint"), ("learner", "digest"), ("environment", "digest"))
"""The tables that a record refers to, and the column by which their rows are told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvage:
    """What came of a rescue."""

    source: str
    target: str
    saved: int
    partly: int
    """Saved without their scores, predictions, versions or times, which are lost."""
    studies: tuple[str, ...]
    lost: tuple[tuple[str, str], ...]
    """Records that were not saved, and why."""
    faults: tuple[tuple[str, int], ...]
    """What else is not readable, and how often."""

    def sentences(self) -> tuple[str, ...]:
        """For people: the answer first."""
        told = [
            f"{self.saved:,} of {self.saved + len(self.lost):,} records of {self.source} are saved "
            f"in {self.target}"
        ]
        if self.partly:
            told.append(
                f"{self.partly:,} of them lack scores, predictions, versions or times that are lost; test "
                "scores come back from predictions, `--force --only 'dataset/learner'` runs the rest again"
            )
        for why, count in Counter(why for _, why in self.lost).most_common():
            which = [name for name, reason in self.lost if reason == why]
            more = f" and {count - MOST_NAMED:,} more" if count > MOST_NAMED else ""
            told.append(f"not saved ({why}): {'; '.join(which[:MOST_NAMED])}{more}")
        told += [f"{count:,} × {what}" for what, count in self.faults[:MOST_NAMED]]
        return tuple(told)


def survey(engine: Engine) -> str:
    """How many records of a damaged store are readable, in a sentence."""
    until = time.monotonic() + SURVEY_SECONDS
    try:
        wreck = _wreck(engine, None, until)
    except (SQLAlchemyError, OSError):
        return "How many records are readable could not be found out."
    complete, found = wreck.complete, []
    for one in wreck.records():
        found.append(isinstance(one, Readable))
        if time.monotonic() > until:
            complete = False
            break
    if not complete:
        return f"At least {sum(found):,} records are readable."
    return f"{sum(found):,} of {len(found):,} records are readable."


def holds_records(engine: Engine) -> bool:
    """Whether a file is what is left of a store, whatever its first bytes say."""
    return not _wreck(engine, None, time.monotonic() + SURVEY_SECONDS).empty


def salvage(source: str | Path, target: str | Path, *, plan: StudyPlan | None = None) -> Salvage:
    """Bring every readable record of a store into a new one.

    ``plan``, of the study that made the records, replaces what the damaged store says of it.
    """
    engine, place = engine_for(source, create=False)
    try:
        wreck = _wreck(engine, plan, math.inf)
        if wreck.version > schema.VERSION:
            raise EvidenceError(
                f"{place} has schema {wreck.version}, and this assay reads up to {schema.VERSION}: "
                "update assay"
            )
        return _Rescue(place, wreck, plan).into(target)
    finally:
        engine.dispose()


class _Rescue:
    """One rescue: what is read, and where it goes."""

    def __init__(self, source: str, wreck: Wreck, plan: StudyPlan | None) -> None:
        self.source, self.wreck, self.plan = source, wreck, plan
        self.places = wreck.places()
        if plan is not None:
            self.places |= {
                one.key: f"{one.learner} on {one.dataset}, repeat {one.repeat + 1} fold {one.fold + 1}"
                for one in plan.entries
            }
        self.lost: list[tuple[str, str]] = []
        self.saved = self.partly = 0
        self.measures: dict[str, int] = {}
        """The numbers they have in the new store."""

    def into(self, target: str | Path) -> Salvage:
        from assay.store.store import Store

        if self.wreck.empty:
            raise EvidenceError(f"nothing in {self.source} is readable as a store of assay")
        server = isinstance(target, str) and "://" in target
        if not server and path_of(target, "a store").exists():
            raise UsageError(f"{target} is there already: name a new file for what is rescued")
        begun = target if server else Path(f"{target}.part")
        if not server:
            _remove(Path(begun))
        with Store.open(begun) as store:
            if store.studies():
                raise UsageError(f"{store.location} holds studies: name an empty database")
            studies = self._copy(store)
        if not server:
            Path(begun).rename(target)
        return Salvage(
            source=self.source,
            target=str(target) if not server else store.location,
            saved=self.saved,
            partly=self.partly,
            studies=studies,
            lost=tuple(self.lost),
            faults=tuple(self.wreck.faults.most_common()),
        )

    def _copy(self, store: "Store") -> tuple[str, ...]:
        with store.writing() as connection:
            for row in self.wreck.rows["measure"].values():
                new = store.number_of(connection, "measure", "name", _own(row, "measure"))
                self.measures[row["name"]] = new
        if self.plan is not None:
            store.plan(self.plan)
        readable = self.wreck.records()
        while some := list(islice(readable, TOGETHER)):
            with store.writing() as connection:
                self._write(store, connection, some)
        with store.writing() as connection:
            for row, entries in self.wreck.studies():
                if self.plan is None or row["name"] != self.plan.study:
                    _write_study(connection, row, entries)
        return store.studies()

    def _write(
        self, store: "Store", connection: Connection, some: Iterable[Readable | Lost]
    ) -> None:
        for one in some:
            if isinstance(one, Lost):
                name = self.places.get(one.key or "", one.key or "a record without a readable key")
                self.lost.append((name, one.why))
                continue
            self.saved += 1
            self.partly += not one.whole
            _write_record(store, connection, one, self.measures)


def _write_record(
    store: "Store", connection: Connection, one: Readable, measures: Mapping[str, int]
) -> None:
    row = _own(one.row, "task")
    for name, unique in _REFERRED:
        row[f"{name}_id"] = store.number_of(
            connection, name, unique, _own(getattr(one, name), name)
        )
    added = insert(schema.task).values(row).returning(schema.task.c.id)
    number = connection.execute(added).scalar_one()
    scores = [
        {"task_id": number, "measure_id": measures[name], "part": part, "value": value}
        for name, part, value in one.scores
    ]
    if scores:
        connection.execute(insert(schema.score), scores)
    if one.prediction is not None:
        connection.execute(insert(schema.prediction).values(task_id=number, **one.prediction))


def _write_study(connection: Connection, row: Row, entries: list[Row]) -> None:
    study = {**_own(row, "study"), "plan": REWRITTEN}
    added = insert(schema.study).values(study).returning(schema.study.c.id)
    number = connection.execute(added).scalar_one()
    if entries:
        planned = [{**_own(one, "entry"), "study_id": number} for one in entries]
        connection.execute(insert(schema.entry), planned)


def _own(row: Row, table: str) -> Row:
    """The columns of a row that a new store has; numbers are given anew."""
    names = [column.name for column in schema.tables.tables[table].c if column.name != "id"]
    return {name: row.get(name) for name in names}


def _wreck(engine: Engine, plan: StudyPlan | None, until: float) -> Wreck:
    if engine.dialect.name == "postgresql":
        return from_server(engine, plan, until)
    return from_file(Path(str(engine.url.database)), plan, until)


def _remove(path: Path) -> None:
    """What an interrupted rescue left."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):
            path.with_name(name).unlink()
