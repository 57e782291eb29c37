"""A ROC curve with a band for the whole curve."""

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.core.checks import FloatArray, check_level
from assay.core.errors import EvidenceError
from assay.core.results import Curve
from assay.evidence.argument_checks import as_scored_labels
from assay.kernels.auc import SortedScores, auc, roc_points, sort_scores
from assay.measures.ranking import auc_notes

MOST_POINTS = 1000
"""Points kept of a curve with its band."""


def roc_band(
    truth: ArrayLike, scores: ArrayLike, *, level: float = 0.95, model: str | None = None
) -> Curve:
    """A ROC curve with a band that holds the whole true curve at ``level``.

    Both distribution functions lie within Massart's (1990) bound of the observed ones, each at
    the square root of the level: the curve moves by so much down and up, right and left
    (Campbell 1994). It holds for every sample size and every pair of score distributions.
    """
    labels = as_scored_labels(truth, scores)
    return roc_band_of(sort_scores(labels.truth, labels.scores[0]), level=level, model=model)


def roc_band_of(
    groups: SortedScores,
    *,
    level: float = 0.95,
    model: str | None = None,
    area: float | None = None,
) -> Curve:
    """As :func:`roc_band`, from sorted scores; the ``area`` where it is known better than they tell."""
    sizes = (groups.n_positive, groups.n_negative)
    if 0 in sizes:
        raise EvidenceError("an ROC curve needs items of both classes; the truth has one")
    tail = 1.0 - math.sqrt(check_level(level))
    reach_tpr, reach_fpr = (math.sqrt(math.log(2.0 / tail) / (2.0 * size)) for size in sizes)
    fpr, tpr = (np.append(0.0, rates) for rates in roc_points(groups))
    kept = np.unique(np.linspace(0, fpr.size - 1, min(fpr.size, MOST_POINTS)).round().astype(int))
    at = fpr[kept]
    low = np.where(at < reach_fpr, 0.0, _height(fpr, tpr, at - reach_fpr) - reach_tpr)
    high = _height(fpr, tpr, at + reach_fpr) + reach_tpr
    columns = {"fpr": at, "tpr": tpr[kept], "low": low.clip(min=0.0), "high": high.clip(max=1.0)}
    area = auc(groups) if area is None else area
    return Curve(
        name="roc_band",
        model=model,
        columns=tuple((name, tuple(values.tolist())) for name, values in columns.items()),
        notes=auc_notes(area),
        details=(
            ("auc", area),
            ("n_positive", sizes[0]),
            ("n_negative", sizes[1]),
            ("level", level),
            ("reach_tpr", reach_tpr),
            ("reach_fpr", reach_fpr),
        ),
    )


def _height(fpr: FloatArray, tpr: FloatArray, at: FloatArray) -> FloatArray:
    """The observed true positive rate reached by a false positive rate of at most ``at``."""
    return tpr[np.searchsorted(fpr, at + 1e-12, side="right") - 1]
