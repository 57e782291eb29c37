"""The predictions of a study's tasks on one data set, as evidence."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.predictions import Predictions
from assay.store.checked_values import StoredDataset, answers_of, facts_of, rows
from assay.store.damage import Strange
from assay.store.record_types import LOST
from assay.store.schema import dataset, entry, prediction, task
from assay.store.study_reading import study_id


class _Answered(NamedTuple):
    """A planned task with its predictions, where it has some."""

    learner: str
    repeat: int
    fold: int
    status: str | None
    dataset_id: int | None
    data: bytes | None
    codec: str


def predictions(
    connection: Connection, name: str, dataset_name: str, learners: Sequence[str] | None
) -> Predictions:
    """Every learner's predictions on the same items, in the order of repeats and folds."""
    query = (
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
    )  # fmt: skip
    found = list(map(_Answered._make, rows(connection, query, optional=(task, prediction))))
    if not found:
        raise UsageError(f"the study {name!r} has no data set {dataset_name!r}")
    if len({one[:3] for one in found}) < len(found):
        raise Strange("a planned task has two records or two sets of predictions")
    chosen = list(learners or dict.fromkeys(one.learner for one in found))
    _refuse_gaps(found, chosen)
    used = [one for one in found if one.learner in chosen]
    columns = _evidence_columns(used, chosen[0], _facts(connection, used))
    from assay.evidence.reading import read

    evidence = read(
        columns,
        truth="truth",
        id=False,
        fold="fold",
        repeat="repeat",
        cluster="cluster" if "cluster" in columns else None,
    )
    if not isinstance(evidence, Predictions):
        raise EvidenceError("predictions on the same items are paired")
    return evidence


def majority(connection: Connection, name: str, dataset_name: str) -> tuple[str, float] | None:
    """The most frequent class of a data set and its share; None of numbers, and where the truth was lost."""
    number = (
        select(task.c.dataset_id)
        .join(entry, entry.c.key == task.c.key)
        .where(entry.c.study_id == study_id(connection, name), entry.c.dataset == dataset_name)
        .limit(1)
        .scalar_subquery()
    )
    query = select(dataset.c.fingerprint, dataset.c.n, dataset.c.classes, dataset.c.arrays)
    found = rows(connection, query.where(dataset.c.id == number))
    if not found or found[0][0].startswith(LOST):
        return None
    facts = facts_of(*found[0][1:])
    if not facts.classes:
        return None
    counts = np.bincount(facts.truth.astype(np.intp), minlength=len(facts.classes))
    return facts.classes[int(counts.argmax())], float(counts.max() / counts.sum())


def _facts(connection: Connection, answered: Sequence[_Answered]) -> StoredDataset:
    """The data set that the records of some tasks speak of."""
    numbers = {one.dataset_id for one in answered}
    if len(numbers) > 1:
        raise Strange("the records of one data set refer to several")
    query = select(dataset.c.fingerprint, dataset.c.n, dataset.c.classes, dataset.c.arrays)
    found = rows(connection, query.where(dataset.c.id == numbers.pop()))
    if not found:
        raise Strange("a record refers to a data set that the store does not have")
    fingerprint, *facts = found[0]
    if fingerprint.startswith(LOST):
        raise EvidenceError(
            "the truth of this data set was lost when the store was rescued. `assay run` with the "
            "study and this store puts it back"
        )
    return facts_of(*facts)


def _refuse_gaps(found: Sequence[_Answered], chosen: Sequence[str]) -> None:
    known = dict.fromkeys(one.learner for one in found)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise UsageError(f"there is no learner {unknown[0]!r}; the study has {', '.join(known)}")
    gaps = [one for one in found if one.learner in chosen and one.data is None]
    if gaps:
        first = gaps[0]
        raise EvidenceError(
            f"{len(gaps)} of {len(found)} tasks have no predictions (first: {first.learner}, "
            f"repeat {first.repeat + 1} fold {first.fold + 1}: {first.status or 'not run yet'}). "
            "Finish the study, or name only learners that succeeded everywhere"
        )


def _evidence_columns(
    answered: Sequence[_Answered], leading: str, facts: StoredDataset
) -> dict[str, NDArray[Any]]:
    names = np.array(facts.classes, dtype=object)
    parts: dict[str, list[NDArray[Any]]] = {}
    tested: dict[tuple[int, int], NDArray[Any]] = {}

    def add(column: str, values: NDArray[Any]) -> None:
        parts.setdefault(column, []).append(values)

    for one in answered:
        arrays = answers_of(one.data or b"", one.codec, facts.truth.size, names.size)
        items = arrays["rows"].astype(np.intp)
        if not np.array_equal(tested.setdefault((one.repeat, one.fold), items), items):
            raise Strange("learners were tested on different items of one split")
        if one.learner == leading:
            truth = facts.truth[items]
            add("truth", names[truth] if facts.classes else truth)
            add("item", items)
            add("fold", np.full(items.size, one.fold))
            add("repeat", np.full(items.size, one.repeat))
            if facts.groups is not None:
                add("cluster", facts.groups[items])
        for column, values in _model_columns(one.learner, names, arrays):
            add(column, values)
    joined = {column: np.concatenate(values) for column, values in parts.items()}
    if len(set(map(len, joined.values()))) > 1:
        raise Strange("a learner has scores or probabilities on some splits only")
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
