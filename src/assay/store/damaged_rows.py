"""What is readable of a store, sound or damaged: its rows one by one, and the records they make."""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from sqlalchemy import Column, Engine, Table, select, text
from sqlalchemy.exc import SQLAlchemyError

from assay.core.errors import EvidenceError
from assay.core.measure_names import better_side
from assay.store import schema
from assay.store.checked_values import (
    StoredDataset,
    answers_of,
    details_of,
    facts_of,
    json_of,
    spec_of,
)
from assay.store.column_rules import fault, restored
from assay.store.damage import Strange
from assay.store.record_types import LOST, PlanEntry, StudyPlan, pack, unpack
from assay.store.sqlite_pages import INDEX_LEAF, BadPage, FoundRow, PageCell, Pages

Row = dict[str, Any]
TABLES = {name: table for name, table in schema.tables.tables.items() if name != "lease"}
_STAND_INS: dict[Column[Any], Any] = {
    **{column: None for column in schema.task.c if column.nullable},
    **{column: 0 for column in schema.task.c if column.foreign_keys},
    schema.task.c.details: "{}",
    schema.task.c.attempts: 0,
    schema.task.c.finished: "",
}
"""What says "not known" where a record has lost a value that its scores and predictions can do without."""
DATA = "data"
"""The column of predictions: large, so it stays where it is until a record is written."""


class Readable(NamedTuple):
    """A record that can be saved: its row, what it refers to, its scores and its predictions."""

    row: Row
    dataset: Row
    learner: Row
    environment: Row
    scores: list[tuple[str, str, float | None]]
    prediction: Row | None
    whole: bool
    """Whether nothing of it is lost."""


class Lost(NamedTuple):
    """A record that cannot be saved, and why."""

    key: str | None
    why: str


class Wreck:
    """The readable rows of a store."""

    def __init__(self, plan: StudyPlan | None = None) -> None:
        self.rows: dict[str, dict[Any, Row]] = {name: {} for name in TABLES}
        self.bad: list[Lost] = []
        """Records whose own row is not readable."""
        self.faults: Counter[str] = Counter()
        """What is wrong with the rows of other tables."""
        self.complete = True
        """False where time was up before the end."""
        self.predicted: Callable[[int], tuple[str, bytes] | None] = lambda _: None
        """The predictions of a task by its number, read when they are asked for."""
        self._known = {} if plan is None else plan.by_key()
        self._directions = (
            {} if plan is None else {one.name: one.direction for one in plan.measures}
        )
        self._partly: set[Any] = set()
        """Numbers of records in which something stands for a value that is lost."""
        self._planned: dict[str, Row] = {}
        """Rows of the plan's data sets."""
        self._facts: dict[int, StoredDataset | None] = {}

    def add(self, table: str, row: Row) -> None:
        """A row as it was found, if every value in it is allowed or another may stand for it."""
        columns = [column for column in TABLES[table].c if column.name != DATA]
        faults = [why for one in columns if (why := self._settled(one, row)) is not None]
        wrong = faults[0] if faults else None
        if wrong is None and table in _FURTHER:
            wrong = _FURTHER[table](row)
        if wrong is None:
            key = tuple(row[column.name] for column in TABLES[table].primary_key)
            self.rows[table].setdefault(key[0] if len(key) == 1 else key, row)
        elif table == "task":
            name = row.get("key")
            self.bad.append(Lost(name if isinstance(name, str) else None, wrong))
        else:
            self.faults[wrong] += 1

    def _settled(self, column: Column[Any], row: Row) -> str | None:
        """Put a value right where that can be done; else what is wrong with it."""
        name = column.name
        row[name], missing = restored(column, row.get(name)), name not in row
        wrong = f"{column} is missing" if missing else fault(column, (row[name],))
        if wrong is None:
            return None
        if column is schema.measure.c.direction and isinstance(row.get("name"), str):
            row[name] = self._directions.get(row["name"]) or better_side(row["name"])
            return wrong if row[name] is None else None
        if column not in _STAND_INS:
            return wrong
        row[name] = _STAND_INS[column]
        self._partly.add(row["id"])
        self.faults[wrong] += 1
        return None

    @property
    def version(self) -> int:
        """Of the schema; 0 where it is not readable."""
        found = self.rows["meta"].get("schema", {}).get("value", "")
        return int(found) if re.fullmatch("[0-9]{1,6}", found) else 0

    @property
    def empty(self) -> bool:
        return not any(self.rows[name] for name in ("task", "entry", "study"))

    def places(self) -> dict[str, str]:
        """Where the plan puts each key, in words."""
        found = (
            PlanEntry(*(row[name] for name in PlanEntry._fields))
            for row in self.rows["entry"].values()
        )
        return {
            one.key: f"{one.learner} on {one.dataset}, repeat {one.repeat + 1} fold {one.fold + 1}"
            for one in found
        }

    def records(self) -> Iterator[Readable | Lost]:
        """Every record, whole, in part or lost; of two with one key the first that is readable."""
        yield from self.bad
        scores = self._scores()
        known: set[str] = set()
        for number, row in self.rows["task"].items():
            found = self._record(row, scores[number])
            if row["key"] in known:
                found = Lost(row["key"], "the key is there twice; the first record was taken")
            elif isinstance(found, Readable):
                known.add(row["key"])
            yield found

    def _scores(self) -> dict[int, list[tuple[str, str, float | None]]]:
        """Of every task; two values of one score contradict each other, and neither is taken."""
        measures = {number: row["name"] for number, row in self.rows["measure"].items()}
        said: dict[tuple[int, str, str], set[float | None]] = defaultdict(set)
        for (number, measure, part), row in self.rows["score"].items():
            if measure in measures:
                said[number, measures[measure], part].add(row["value"])
        scores: dict[int, list[tuple[str, str, float | None]]] = defaultdict(list)
        for (number, name, part), values in said.items():
            value, *others = values
            if not others:
                scores[number].append((name, part, value))
            else:
                self.faults[f"two values of {name} for one task"] += 1
        return scores

    def _record(self, row: Row, scores: list[tuple[str, str, float | None]]) -> Readable | Lost:
        key, status, partly = row["key"], row["status"], row["id"] in self._partly
        parts = {
            name: self.rows[name].get(row[f"{name}_id"])
            for name in ("dataset", "learner", "environment")
        }
        if key in self._known:
            dataset, learner = self._known[key]
            parts["dataset"] = self._planned.setdefault(dataset.fingerprint, dataset.row())
            parts["learner"] = msgspec.structs.asdict(learner)
        if parts["dataset"] is not None and self._facts_of(parts["dataset"]) is None:
            parts["dataset"] = None
        try:
            details_of(row["details"])
        except Strange as error:
            row, partly = {**row, "details": _STAND_INS[schema.task.c.details]}, True
            self.faults[str(error)] += 1
        prediction = self._prediction(row["id"], parts["dataset"])
        tested = any(part == "test" for _, part, _ in scores)
        if status == "ok" and prediction is None and not tested:
            return Lost(key, "neither its scores nor its predictions are readable")
        return Readable(
            row,
            parts["dataset"] or _unknown_dataset(row["dataset_id"]),
            parts["learner"] or _unknown(row["learner_id"]),
            parts["environment"] or _unknown(row["environment_id"]),
            scores,
            prediction,
            whole=not partly
            and None not in parts.values()
            and (status != "ok" or (tested and prediction is not None)),
        )

    def _facts_of(self, dataset: Row) -> StoredDataset | None:
        """The truth of a data set, looked at once."""
        name = id(dataset)
        if name not in self._facts:
            try:
                found = facts_of(dataset["n"], dataset["classes"], dataset["arrays"])
            except Strange as error:
                self.faults[str(error)] += 1
                found = None
            self._facts[name] = found
        return self._facts[name]

    def _prediction(self, number: int, dataset: Row | None) -> Row | None:
        """The predictions of a task, if they fit its data set, or are arrays at all where it is lost."""
        found = self.predicted(number)
        if found is None:
            return None
        codec, data = found
        try:
            facts = None if dataset is None else self._facts_of(dataset)
            if facts is None:
                unpack(data, codec)
            else:
                answers_of(data, codec, facts.truth.size, len(facts.classes))
        except EvidenceError as error:
            self.faults[str(error)] += 1
            return None
        return {"codec": codec, "data": data}

    def studies(self) -> Iterator[tuple[Row, list[Row]]]:
        """Every study whose description is readable, with the tasks it plans."""
        names = {row["name"] for row in self.rows["measure"].values()}
        taken: set[str] = set()
        for number, row in sorted(self.rows["study"].items()):
            try:
                spec = spec_of(row["spec"])
            except Strange as error:
                self.faults[str(error)] += 1
                continue
            spec["measures"] = [name for name in spec.get("measures", []) if name in names]
            if row["name"] not in taken and spec["measures"]:
                taken.add(row["name"])
                plan = [
                    one
                    for _, one in sorted(self.rows["entry"].items())
                    if one["study_id"] == number
                ]
                distinct = {tuple(one[name] for name in PlanEntry._fields[1:]): one for one in plan}
                described = msgspec.json.encode(spec, order="sorted").decode()
                yield {**row, "spec": described}, list(distinct.values())


def _versions_fault(row: Row) -> str | None:
    try:
        json_of(row["description"], dict[str, str], "environment.description")
    except Strange as error:
        return str(error)
    return None


def _noise_fault(row: Row) -> str | None:
    half = (row["noise_on"] is None) != (row["noise_level"] is None)
    return "the table entry has noise without a level" if half else None


_FURTHER: dict[str, Callable[[Row], str | None]] = {
    "environment": _versions_fault,
    "entry": _noise_fault,
}
"""Of some tables: what is wrong with a row whose values are each allowed."""


def _unknown(number: int) -> Row:
    """In place of a learner or an environment that was lost."""
    return {"digest": f"{LOST} {number}", "description": "{}"}


def _unknown_dataset(number: int) -> Row:
    """In place of a data set that was lost: the next run of its study puts it back."""
    arrays = pack({"truth": np.empty(0)})
    return {
        "fingerprint": f"{LOST} {number}", "name": LOST, "task": "classification", "target": "",
        "source": "", "n": 0, "classes": "[]", "arrays": arrays,
    }  # fmt: skip


# Where rows come from


def from_file(path: Path, plan: StudyPlan | None, until: float) -> Wreck:
    """The rows of an SQLite file, page by page; as many as can be read until a moment."""
    wreck = Wreck(plan)
    pages = Pages(path)
    places: dict[int, tuple[PageCell, int]] = {}
    for found in pages.rows(until):
        try:
            values = pages.values(found.cell)
        except BadPage:
            wreck.faults["rows that are not readable"] += 1
            continue
        table = found.table
        if table not in TABLES:
            table = _guessed(found, values)
            if found.table and table in pages.columns:
                table = None  # another table has that name still
        if table in TABLES:
            names = _names(pages.columns[table] if found.table == table else None, TABLES[table])
            row = dict(zip(names, values, strict=False))
            numbered = "task_id" if table == "prediction" else "id"
            if numbered in TABLES[table].c and row.get(numbered) is None:
                row[numbered] = found.cell.rowid  # SQLite keeps it there only
            if table == "prediction" and isinstance(row.pop(DATA, None), bytes):
                number = restored(TABLES[table].c[numbered], row[numbered])
                places.setdefault(number, (found.cell, list(names).index(DATA)))
            wreck.add(table, row)
        if time.monotonic() > until:
            break
    wreck.complete = time.monotonic() <= until
    if pages.bad:
        wreck.faults["pages and rows that are not readable"] += pages.bad

    def predicted(number: int) -> tuple[str, bytes] | None:
        if number not in places or number not in wreck.rows["prediction"]:
            return None
        cell, place = places[number]
        return wreck.rows["prediction"][number]["codec"], pages.values(cell)[place]

    wreck.predicted = predicted
    return wreck


def _names(found: Sequence[str] | None, table: Table) -> list[str]:
    """The columns of a table as they were found; of one renamed the name that is missing."""
    names = list(table.c.keys() if found is None else found)
    missing, other = set(table.c.keys()) - set(names), set(names) - set(table.c.keys())
    if len(missing) == len(other) == 1:
        names[names.index(other.pop())] = missing.pop()
    return names


def _guessed(found: FoundRow, values: tuple[Any, ...]) -> str | None:
    """The table of a row that no tree holds any more, by its shape."""
    if found.leaf == INDEX_LEAF:
        return {10: "entry", 4: "score"}.get(len(values))
    if len(values) != 3:
        return {2: "meta", 4: "score", 6: "study", 9: "dataset", 10: "entry", 22: "task"}.get(
            len(values)
        )
    first, second, third = values
    if isinstance(first, str) or not isinstance(second, str):
        return None
    if isinstance(third, bytes):
        return "prediction"
    if third in ("higher", "lower"):
        return "measure"
    try:
        flat = json_of(str(third), dict[str, str], "")
    except Strange:
        return "learner"
    return "environment" if "python" in flat else "learner"


def from_server(engine: Engine, plan: StudyPlan | None, until: float) -> Wreck:
    """The rows of a PostgreSQL database, table by table; block by block where that fails."""
    wreck = Wreck(plan)
    for name in TABLES:
        for row in _table_rows(engine, name, wreck.faults):
            if name == "prediction":
                row.pop(DATA, None)
            wreck.add(name, row)
            if time.monotonic() > until:
                wreck.complete = False
                break

    def predicted(number: int) -> tuple[str, bytes] | None:
        one = select(schema.prediction.c.codec, schema.prediction.c.data)
        try:
            with engine.connect() as connection:
                found = connection.execute(one.where(schema.prediction.c.task_id == number)).first()
        except SQLAlchemyError:
            return None
        right = found is not None and isinstance(found[0], str) and isinstance(found[1], bytes)
        return (found[0], found[1]) if found is not None and right else None

    wreck.predicted = predicted
    return wreck


def _table_rows(engine: Engine, name: str, faults: Counter[str]) -> Iterator[Row]:
    """All rows of a table that the server can read."""

    def asked(where: str = "") -> list[Row]:
        with engine.connect() as connection:
            found = connection.execute(text(f'SELECT * FROM "{name}"{where}'))  # noqa: S608
            return [dict(one) for one in found.mappings()]

    whole = ""
    try:
        yield from asked()
    except SQLAlchemyError as error:
        whole = next(iter(str(error.__cause__).splitlines()), "not readable")
    if not whole:
        return
    faults[f"{name}: {whole}"] += 1
    try:
        with engine.connect() as connection:
            size = text("SELECT pg_relation_size(:name) / current_setting('block_size')::int")
            blocks = int(connection.execute(size, {"name": name}).scalar_one())
    except SQLAlchemyError:
        return
    for block in range(blocks):
        try:
            yield from asked(f" WHERE ctid >= '({block},0)' AND ctid < '({block + 1},0)'")
        except SQLAlchemyError:
            faults[f"blocks of {name} that are not readable"] += 1
