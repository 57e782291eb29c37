"""Precision against recall with a band for the whole curve."""

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.core.checks import FloatArray, check_level
from assay.core.errors import EvidenceError
from assay.core.results import Curve
from assay.estimates.proportions import clopper_pearson
from assay.evidence.argument_checks import as_scored_labels
from assay.kernels.auc import SortedScores, average_precision, sort_scores

MOST_POINTS = 1000
"""Points of a curve that are kept, evenly spread over it."""


def precision_recall_band(
    truth: ArrayLike, scores: ArrayLike, *, level: float = 0.95, model: str | None = None
) -> Curve:
    """A precision-recall curve with a band that holds the whole true curve at ``level``.

    Three bounds hold together, each at the cube root of the level: Massart's (1990) of the scores
    of the positives and of the negatives, as in `roc_band`, and Clopper and Pearson's of the share
    of positives. At a recall the true threshold is one whose observed recall is within the first;
    the false positive rate there is within the second, and precision follows from all three.
    """
    labels = as_scored_labels(truth, scores)
    groups = sort_scores(labels.truth, labels.scores[0])
    return precision_recall_band_of(groups, level=level, model=model)


def precision_recall_band_of(
    groups: SortedScores, *, level: float = 0.95, model: str | None = None
) -> Curve:
    """As :func:`precision_recall_band`, from scores that were sorted already."""
    sizes = (groups.n_positive, groups.n_negative)
    if 0 in sizes:
        raise EvidenceError(
            "a precision-recall curve needs items of both classes; the truth has one"
        )
    each = check_level(level) ** (1.0 / 3.0)
    reach_tpr, reach_fpr = (math.sqrt(math.log(2.0 / (1.0 - each)) / (2.0 * n)) for n in sizes)
    share = clopper_pearson(sizes[0], sum(sizes), level=each).interval
    if share is None:
        raise TypeError("a proportion of two classes has an interval")
    tpr, fpr = (np.asarray(count, dtype=np.float64) for count in (groups.tp, groups.fp))
    tpr, fpr = tpr / sizes[0], fpr / sizes[1]
    kept = np.unique(np.linspace(0, tpr.size - 1, min(tpr.size, MOST_POINTS)).round().astype(int))
    recall = tpr[kept]
    # the farthest thresholds whose observed recall is within reach of this one
    first = np.searchsorted(tpr, recall - reach_tpr - 1e-12, side="left")
    last = np.searchsorted(tpr, recall + reach_tpr + 1e-12, side="right")
    least = np.append(0.0, fpr)[first]  # the threshold before may be the true one
    most = np.append(fpr, 1.0)[last]
    low = _precision(recall, np.minimum(most + reach_fpr, 1.0), share.low)
    high = _precision(recall, np.maximum(least - reach_fpr, 0.0), share.high)
    precision = groups.tp[kept] / (groups.tp[kept] + groups.fp[kept])
    columns = {"recall": recall, "precision": precision, "low": low, "high": high}
    return Curve(
        name="precision_recall_band",
        model=model,
        columns=tuple((name, tuple(values.tolist())) for name, values in columns.items()),
        details=(
            ("average_precision", float(average_precision(groups))),
            ("n_positive", sizes[0]),
            ("n_negative", sizes[1]),
            ("level", level),
        ),
    )


def _precision(recall: FloatArray, fpr: FloatArray, share: float) -> FloatArray:
    """Precision from rates and the share of positives; with nothing called positive it is 1."""
    hits, alarms = share * recall, (1.0 - share) * fpr
    with np.errstate(invalid="ignore"):
        return np.where(hits + alarms > 0.0, hits / (hits + alarms), 1.0)
