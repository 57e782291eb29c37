"""A study as Parquet files, written by DuckDB, for DataFrame tools and other languages."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Float, Integer, Select, select
from sqlalchemy.types import TypeEngine

from assay.core.errors import UsageError
from assay.evidence.rows_sql import identifier
from assay.store.checked_values import rows
from assay.store.record_types import PlanEntry
from assay.store.schema import entry, measure, score, task
from assay.store.study_reading import study_id

_PLAN = [entry.c[name] for name in PlanEntry._fields]


def export_parquet(connection: Connection, study: str, folder: Path) -> tuple[Path, ...]:
    """``tasks.parquet`` (a row per planned task) and ``scores.parquet`` (a row per score)."""
    number = study_id(connection, study)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write into {folder}: {error.strerror}") from None
    facts = [column for column in task.c if column.name not in {"id", "key"}]
    facts = [column for column in facts if not column.name.endswith("_id")]
    tasks = (
        select(*_PLAN, *facts)
        .select_from(entry)
        .outerjoin(task, task.c.key == entry.c.key)
        .where(entry.c.study_id == number)
        .order_by(entry.c.position)
    )
    scores = (
        select(*_PLAN, measure.c.name.label("measure"), score.c.part, score.c.value)
        .select_from(entry)
        .join(task, task.c.key == entry.c.key)
        .join(score, score.c.task_id == task.c.id)
        .join(measure, measure.c.id == score.c.measure_id)
        .where(entry.c.study_id == number)
        .order_by(entry.c.position, measure.c.id, score.c.part)
    )
    written = {"tasks": tasks, "scores": scores}
    return tuple(
        _write(connection, query, folder / f"{name}.parquet") for name, query in written.items()
    )


def _write(connection: Connection, query: Select[Any], path: Path) -> Path:
    found = rows(connection, query, optional=(task,))
    kinds = {column.name: _kind(column.type) for column in query.selected_columns}
    columns = {name: [row[place] for row in found] for place, name in enumerate(kinds)}
    _copy(columns, kinds, path)
    return path


def _kind(column: TypeEngine[Any]) -> str:
    if isinstance(column, Float):
        return "DOUBLE"
    return "BIGINT" if isinstance(column, Integer) else "VARCHAR"


def _copy(columns: Mapping[str, Sequence[Any]], kinds: Mapping[str, str], path: Path) -> None:
    import duckdb

    table = {name: _array(values, kinds[name]) for name, values in columns.items()}
    typed = ", ".join(
        f"CAST({identifier(name)} AS {kinds[name]}) AS {identifier(name)}" for name in table
    )
    target = str(path).replace("'", "''")
    with duckdb.connect() as database:
        database.register("written", table)
        database.execute(
            f"COPY (SELECT {typed} FROM written) TO '{target}' (FORMAT parquet)"  # noqa: S608
        )


def _array(values: Sequence[Any], kind: str) -> NDArray[Any]:
    """Text as it is; numbers as floats, whose NaN DuckDB reads as NULL."""
    return np.array(values, dtype=object if kind == "VARCHAR" else np.float64)
