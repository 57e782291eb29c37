"""Confusion matrices as evidence (E2)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_matrix
from assay.core.errors import EvidenceError
from assay.evidence.cell_text import class_text, quoted
from assay.evidence.model_columns import ModelColumns
from assay.evidence.prediction_assembly import settle
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.rows_memory import MemoryRows


def from_confusion(matrix: Any, classes: Sequence[Any] | None = None) -> Predictions | Unpaired:
    """Predictions from one matrix; unpaired predictions from a mapping of models to matrices."""
    if not isinstance(matrix, Mapping):
        return _from_matrix(matrix, classes, "model")
    if not matrix:
        raise EvidenceError("there is no confusion matrix in the mapping")
    parts = [_from_matrix(counts, classes, str(name)) for name, counts in matrix.items()]
    return parts[0] if len(parts) == 1 else Unpaired(parts=tuple(parts))


def checked_confusion(matrix: Any, title: str, *, at_least: int = 1) -> FloatArray:
    """A square of whole counts, a row and a column for each class."""
    counts = as_matrix(matrix, title, rows=at_least, columns=at_least)
    if counts.shape[0] != counts.shape[1]:
        raise EvidenceError(
            f"{title} is square, a row and a column for each class; got shape {counts.shape}"
        )
    if (counts < 0).any() or (counts != np.trunc(counts)).any():
        raise EvidenceError(f"{title} must hold whole numbers from 0 up")
    return counts


def _from_matrix(matrix: Any, classes: Sequence[Any] | None, model: str) -> Predictions:
    title = f"the confusion matrix of {model!r}"
    counts = checked_confusion(matrix, title)
    size = len(counts)
    names = [class_text(name) for name in (range(size) if classes is None else classes)]
    if len(names) != size or len(set(names)) != size:
        raise EvidenceError(f"{size} different classes are needed; got {quoted(names)}")
    truth, predicted = np.indices(counts.shape)
    arrays = {
        "truth": np.array(names, dtype=object)[truth.ravel()],
        "count": counts.ravel().astype(np.int64),
        model: np.array(names, dtype=object)[predicted.ravel()],
    }
    return settle(
        MemoryRows(arrays, (title,)),
        {"truth": "truth", "count": "count"},
        {model: ModelColumns(labels=model)},
        classes=names,
    )
