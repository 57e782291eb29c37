"""Predictions of OpenML runs: ``predictions.arff`` with repeat, fold, row_id, prediction and truth."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import class_text, number_of
from assay.evidence.names import Role
from assay.evidence.prediction_assembly import settle
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers.arff import Arff, header_names, is_arff, read_arff
from assay.evidence.readers.item_join_memory import Part, align
from assay.evidence.readers.mismatch import OnMismatch
from assay.evidence.roles import ModelColumns
from assay.evidence.rows_memory import Array

_TRUTHS = ("truth", "correct", "ground_truth")
_CONFIDENCE = "confidence."


def is_predictions(head: bytes) -> bool:
    return is_arff(head) and {"row_id", "prediction"} <= header_names(head)


def read(
    paths: Sequence[Path],
    titles: Sequence[str],
    models: Any = None,
    *,
    paired: bool = True,
    policy: OnMismatch = "error",
    positive: Any = None,
) -> Predictions | Unpaired:
    """Predictions of runs on the same task, joined by row and repeat; folds are kept."""
    names = _names(paths, models)
    parts = [
        _part(read_arff(path, title), title, name)
        for path, title, name in zip(paths, titles, names, strict=True)
    ]
    groups = [parts] if paired else [[part] for part in parts]
    found = []
    for group in groups:
        joined = align(group, by_position=False, policy=policy)
        found.append(
            settle(joined.rows, joined.roles, joined.models, positive=positive, notes=joined.notes)
        )
    return found[0] if paired else Unpaired(parts=tuple(found))


def records(path: Path, title: str, *, model: str | None = None) -> list[dict[str, Any]]:
    """Accuracy (or mean squared error) by repeat and fold, for comparisons over folds."""
    table = read_arff(path, title)
    right = _truth(table, title)
    truth, predicted = (_texts(table.column(name)) for name in (right, "prediction"))
    named = model or path.name.split(".")[0]
    places: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for place, pair in zip(_places(table), zip(truth, predicted, strict=True), strict=True):
        places.setdefault(place, []).append(pair)
    numeric = _is_numeric(table, right)
    return [
        {
            "model": named,
            "repeat": repeat,
            "fold": fold,
            "measure": "mse" if numeric else "accuracy",
            "score": _mse(pairs) if numeric else math.fsum(a == b for a, b in pairs) / len(pairs),
            "n_test": len(pairs),
        }
        for (repeat, fold), pairs in places.items()
    ]


def _mse(pairs: Sequence[tuple[str, str]]) -> float:
    errors = [(float(truth) - float(prediction)) ** 2 for truth, prediction in pairs]
    return math.fsum(errors) / len(errors)


def _names(paths: Sequence[Path], models: Any) -> list[str]:
    if models is not None:
        listed = [models] if isinstance(models, str) else [str(name) for name in models]
        if len(listed) != len(paths):
            raise EvidenceError(f"models= names {len(listed)} models for {len(paths)} files")
        return listed
    stems = [path.name.split(".")[0] for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    return [f"{path.parent.name}/{stem}" for path, stem in zip(paths, stems, strict=True)]


def _truth(table: Arff, title: str) -> str:
    for name in _TRUTHS:
        if name in table.names:
            return name
    raise EvidenceError(f"{title} has none of the columns {', '.join(_TRUTHS)}")


def _confidences(table: Arff) -> list[str]:
    return [name for name in table.names if name.startswith(_CONFIDENCE)]


def _places(table: Arff) -> list[tuple[str, str]]:
    columns = [
        _texts(table.column(name)) if name in table.names else ["0"] * len(table.rows)
        for name in ("repeat", "fold")
    ]
    return list(zip(*columns, strict=True))


def _part(table: Arff, title: str, model: str) -> Part:
    truth = _truth(table, title)
    classes = {name.removeprefix(_CONFIDENCE): name for name in _confidences(table)}
    kept = ["row_id", truth, "prediction", *classes.values()]
    roles: dict[Role, str] = {"id": "row_id", "truth": truth}
    for role in ("fold", "repeat"):
        if role in table.names and len(set(table.column(role))) > 1:
            kept.append(role)
            roles[role] = role
    arrays = {name: _array(table.column(name)) for name in kept}
    if _is_numeric(table, truth):
        columns = ModelColumns(values="prediction")
    else:
        complete = all(
            value is not None for name in classes.values() for value in table.column(name)
        )
        of = {class_text(name): column for name, column in classes.items()} if complete else {}
        columns = ModelColumns(labels="prediction", probabilities=of)
    return Part(title=title, arrays=arrays, roles=roles, models={model: columns})


def _is_numeric(table: Arff, truth: str) -> bool:
    """Numbers to be predicted, not classes: declared so, or text of which some are no whole numbers."""
    if _confidences(table):
        return False
    if table.declares_numbers(truth) and table.declares_numbers("prediction"):
        return True
    numbers = [number_of(text) for text in _texts(table.column(truth))]
    return all(number is not None for number in numbers) and any(
        number is not None and not number.is_integer() for number in numbers
    )


def _texts(values: Sequence[str | None]) -> list[str]:
    return ["" if value is None else value for value in values]


def _array(values: Sequence[str | None]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
