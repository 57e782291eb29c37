"""Scores along a setting: training sizes or noise levels, on the same splits for every learner."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError
from assay.core.vocabulary import Direction

CurveKind = Literal["learning", "noise"]
SETTING: dict[CurveKind, str] = {"learning": "size", "noise": "level"}
"""The name of the horizontal axis of each kind."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveScores:
    """One quantity of every learner at every point on every split of one data set."""

    kind: CurveKind
    dataset: str
    measure: str
    """What was recorded: a measure, seconds, or the complexity of what was learned."""
    models: tuple[str, ...]
    at: FloatArray
    """The points: training sizes, or stated noise levels; ascending."""
    values: FloatArray
    """(points, splits, models), NaN where a task gave no value."""
    n_train: FloatArray
    """Rows of the whole training part of every split, of which a point may use a share."""
    n_test: FloatArray
    folds: int = 1
    """Of one repeat."""
    repeats: int = 1
    direction: Direction | None = None
    low: float = -np.inf
    high: float = np.inf
    """The range of the measure."""
    effective: FloatArray | None = None
    """Of noise: the share of values that really changed, by point."""
    noise_on: str | None = None
    """Of noise: on labels, or on features."""
    majority: tuple[str, float] | None = None
    """The most frequent class of the data and its share, where known."""

    def __post_init__(self) -> None:
        points, splits, models = self.values.shape
        if (points, models) != (self.at.size, len(self.models)):
            raise EvidenceError(
                f"{self.at.size} points of {len(self.models)} models do not fit values of shape {self.values.shape}"
            )
        if {self.n_train.size, self.n_test.size} != {splits} or np.any(np.diff(self.at) <= 0):
            raise EvidenceError("points must ascend, and every split has its two sizes")

    @property
    def setting(self) -> str:
        return SETTING[self.kind]

    def column(self, model: str) -> FloatArray:
        """The values of one model: (points, splits)."""
        return self.values[:, :, self.models.index(model)]
