"""Worlds of scores: models that rank positives above negatives with a given area under the ROC."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.checks import check_count
from assay.core.errors import UsageError
from assay.core.vocabulary import Takes
from assay.kernels.special import ndtr, ndtri
from assay.simulate.worlds.base import Arrays, Generator, World, WorldRequest, check_share

STEP = 0.8
"""The distance of the cuts of tied scores, in standard deviations of a class."""
FOLDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredLabels(World):
    """Normal scores in each class, so far apart that the area is ``auc`` (A: plus ``effect``).

    The number of positives is fixed, as methods of areas condition on it. ``correlation`` is that
    of two models' scores within a class. ``levels`` cuts the scores into so many tied values, with
    the same area; 0 leaves them continuous.
    """

    name: ClassVar[str] = "scores"
    summary: ClassVar[str] = "scores with a given AUC: binormal, or tied in a few levels"
    shapes: ClassVar[tuple[Takes, ...]] = (
        "paired-scored-labels", "scored-labels", "two-scored-labels", "fold-scored-labels",
    )  # fmt: skip

    auc: float = 0.8
    prevalence: float = 0.5
    correlation: float = 0.0
    levels: int = 0

    def __post_init__(self) -> None:
        check_share(self.auc, "auc", open_ends=True)
        check_share(self.auc + self.effect, "auc + effect", open_ends=True)
        check_share(self.prevalence, "prevalence", open_ends=True)
        if not -1.0 <= self.correlation <= 1.0:
            raise UsageError(f"correlation is between -1 and 1; got {self.correlation!r}")
        if check_count(self.levels, "levels") == 1:
            raise UsageError("levels is at least 2, or 0 for continuous scores; got 1")

    def positives(self, n: int) -> int:
        """How many of ``n`` items are positive: the prevalence, but two of each class at least."""
        if n < 4:
            raise UsageError(f"two positives and two negatives need n of at least 4; got {n}")
        return int(np.clip(round(n * self.prevalence), 2, n - 2))

    def _truth(self, asked: WorldRequest) -> float | None:
        if asked.measure == "roc_auc":
            paired = asked.takes in ("paired-scored-labels", "two-scored-labels")
            return self.effect if paired else self.auc + self.effect
        if asked.measure == "average_precision":
            a, b = (self._average_precision(area) for area in (self.auc + self.effect, self.auc))
            return a - b if asked.takes == "paired-scored-labels" else a
        return None

    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays:
        size = (replicates, n)
        truth = np.broadcast_to((np.arange(n) < self.positives(n)).astype(np.int64), size)
        first = rng.standard_normal(size)
        a = self._scores(first, truth, self.auc + self.effect)
        if takes == "scored-labels":
            return {"truth": truth, "scores": a}
        if takes == "fold-scored-labels":
            folds = np.broadcast_to(np.arange(n) % FOLDS, size)
            return {"truth": truth, "scores": a, "folds": folds}
        rho = self.correlation if takes == "paired-scored-labels" else 0.0
        second = rho * first + np.sqrt(1.0 - rho**2) * rng.standard_normal(size)
        b = self._scores(second, truth, self.auc)
        if takes == "paired-scored-labels":
            return {"truth": truth, "a": a, "b": b}
        return {"truth_a": truth, "a": a, "truth_b": truth, "b": b}

    def _scores(self, noise: FloatArray, truth: NDArray[Any], auc: float) -> FloatArray:
        apart = distance(auc, self.levels)
        scores = noise + apart * truth
        if not self.levels:
            return np.asarray(scores)
        return np.searchsorted(cuts(apart, self.levels), scores).astype(np.float64)

    def _average_precision(self, auc: float) -> float:
        """The limit of average precision: precision averaged over recall."""
        apart = distance(auc, self.levels)
        if self.levels:
            falling = cuts(apart, self.levels)[::-1]
            thresholds = np.append(falling, -np.inf)
        else:
            recalls = (np.arange(200_000) + 0.5) / 200_000
            thresholds = apart - ndtri(recalls)
        recall, alarms = ndtr(apart - thresholds), ndtr(-thresholds)
        found = self.prevalence * recall
        precision = found / (found + (1.0 - self.prevalence) * alarms)
        if not self.levels:
            return float(precision.mean())
        return float(np.sum(precision * np.diff(recall, prepend=0.0)))


@lru_cache(maxsize=256)
def distance(auc: float, levels: int) -> float:
    """How far apart the classes are, in standard deviations, for the area; ties count half."""
    if not levels:
        return float(np.sqrt(2.0) * ndtri(auc))
    from scipy.optimize import brentq

    return float(brentq(lambda apart: _tied_area(apart, levels) - auc, -12.0, 12.0, xtol=1e-13))


def _tied_area(apart: float, levels: int) -> float:
    below_negative = np.append(ndtr(cuts(apart, levels)), 1.0)
    below_positive = np.append(ndtr(cuts(apart, levels) - apart), 1.0)
    negative, positive = np.diff(below_negative, prepend=0.0), np.diff(below_positive, prepend=0.0)
    return float(np.sum(positive * (below_negative - negative / 2.0)))


def cuts(apart: float, levels: int) -> FloatArray:
    """Cuts around the middle between the classes."""
    steps = np.arange(1, levels) - levels / 2.0
    return np.asarray(apart / 2.0 + STEP * steps)
