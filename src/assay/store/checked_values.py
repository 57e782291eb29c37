"""The one place where values come out of a store: each is checked as if a stranger had written it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, Table

from assay.core.errors import EvidenceError
from assay.store.column_rules import fault
from assay.store.damage import Strange
from assay.store.record_types import CODEC, Tuned, unpack


class TaskDetails(msgspec.Struct):
    """What is recorded of a task as JSON."""

    complexity: dict[str, float | None] = {}
    tuned: Tuned | None = None
    warnings: list[str] = []
    noise_rate: float | None = None


class Spec(msgspec.Struct):
    """The parts of a study's description that are read again."""

    measures: list[str] = []
    seed: int = 0
    resampling: dict[str, Any] = {}
    curves: dict[str, dict[str, Any] | None] | None = None


class StoredDataset(NamedTuple):
    """A data set: its classes, its truth, and the groups its items come in."""

    classes: tuple[str, ...]
    truth: NDArray[Any]
    groups: NDArray[Any] | None


def rows(
    connection: Connection, query: Select[Any], *, optional: Sequence[Table] = ()
) -> list[tuple[Any, ...]]:
    """Rows as the driver gives them, every value allowed in its column.

    SQLAlchemy's own rows cost as much again for a hundred thousand. Tables that are joined only
    where they have a row are ``optional``.
    """
    cursor = connection.execute(query).cursor
    found = [] if cursor is None else list(cursor.fetchall())
    for column, values in zip(query.selected_columns, zip(*found, strict=True), strict=False):
        source: Any = getattr(column, "element", column)  # under its label
        wrong = fault(source, values, optional=source.table in optional)
        if wrong is not None:
            raise Strange(wrong)
    return found


def json_of(text: str, kind: Any, what: str) -> Any:
    """JSON of a store as plain values, after it was found to have the form of ``kind``."""
    try:
        msgspec.json.decode(text, type=kind)
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Strange(f"{what} is not what assay writes: {error}") from None


def details_of(text: str) -> dict[str, Any]:
    """What is recorded of a task besides its columns."""
    found: dict[str, Any] = json_of(text, TaskDetails, "task.details")
    return {"complexity": {}, "tuned": None, "warnings": [], **found}


def spec_of(text: str) -> dict[str, Any]:
    """The description of a study."""
    found: dict[str, Any] = json_of(text, Spec, "study.spec")
    measures = found.get("measures", [])
    if len(set(measures)) < len(measures):
        raise Strange("study.spec names a measure twice")
    return found


def facts_of(n: int, classes: str, arrays: bytes) -> StoredDataset:
    """The truth of a data set."""
    names = tuple(json_of(classes, list[str], "dataset.classes"))
    if len(set(names)) < len(names):
        raise Strange("dataset.classes names a class twice")
    found = _unpacked(arrays, CODEC, "dataset.arrays")
    truth, groups = found.get("truth"), found.get("groups")
    if truth is None or truth.shape != (n,):
        raise Strange(f"dataset.arrays has no truth of {n} items")
    if not (_codes(truth, len(names)) if names else _finite(truth)):
        raise Strange("the truth in dataset.arrays has values that are no classes or numbers")
    if groups is not None and (groups.shape != (n,) or groups.dtype.kind not in "iu"):
        raise Strange(f"dataset.arrays has no groups of {n} items")
    return StoredDataset(names, truth, groups)


def answers_of(data: bytes, codec: str, n: int, classes: int) -> dict[str, NDArray[Any]]:
    """The predictions of a task on items of a data set of ``n``, with its number of classes."""
    found = _unpacked(data, codec, "prediction.data")
    items = found.get("rows")
    if items is None or items.ndim != 1 or not _codes(items, n):
        raise Strange(f"prediction.data does not say on which of {n} items")
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("labels", "values", "scores"), items.shape)
    shapes["probabilities"] = (items.size, classes)
    for name, array in found.items():
        right = _codes(array, classes) if name == "labels" else _finite(array)
        if name != "rows" and (array.shape != shapes.get(name) or not right):
            raise Strange(f"prediction.data: the {name} do not fit {items.size} items")
    if ("labels" if classes else "values") not in found:
        raise Strange("prediction.data has no predictions")
    return found


def _unpacked(data: bytes, codec: str, what: str) -> dict[str, NDArray[Any]]:
    try:
        return unpack(data, codec)
    except EvidenceError as error:
        raise Strange(f"{what}: {error}") from None


def _codes(values: NDArray[Any], below: int) -> bool:
    """Whether all are whole numbers from 0 to ``below`` - 1."""
    if values.dtype.kind not in "iu":
        return False
    return not values.size or bool(values.min() >= 0 and values.max() < below)


def _finite(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "f" and bool(np.isfinite(values).all())
