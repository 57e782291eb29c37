"""Rows as arrays, for measures that need every item: scores, probabilities, values, losses."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.evidence.tally import IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """Arrays in one row order, shared by all models.

    ``truth`` holds class codes; 0/1 for scores (1 is the positive class); numbers for values;
    nothing for losses. ``predictions`` is (models, items), or (models, items, classes) for
    probabilities. ``folds`` and ``repeats`` are codes, like ``clusters``.
    """

    models: tuple[str, ...]
    truth: NDArray[Any]
    predictions: NDArray[Any]
    classes: tuple[str, ...] = ()
    weights: FloatArray | None = None
    clusters: IntArray | None = None
    folds: IntArray | None = None
    repeats: IntArray | None = None

    @property
    def n(self) -> int:
        return int(self.predictions.shape[1])

    def repeated(self, times: IntArray) -> "Columns":
        """Every row as often as its frequency says."""

        def grown(array: NDArray[Any] | None) -> Any:
            return None if array is None else np.repeat(array, times, axis=0)

        return Columns(
            models=self.models,
            truth=grown(self.truth) if self.truth.size else self.truth,
            predictions=np.repeat(self.predictions, times, axis=1),
            classes=self.classes,
            weights=grown(self.weights),
            clusters=grown(self.clusters),
            folds=grown(self.folds),
            repeats=grown(self.repeats),
        )
