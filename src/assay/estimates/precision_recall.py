"""Precision against recall with a band for the whole curve."""

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import check_level
from assay.core.errors import EvidenceError
from assay.core.results import Curve
from assay.estimates.proportions import clopper_pearson
from assay.estimates.roc_bands import likelihood_reach, observed_path, tube
from assay.evidence.argument_checks import as_scored_labels
from assay.kernels.auc import SortedScores, average_precision, sort_scores

SHARE = 0.25
"""The power of the level at which the share of positives is bounded; the curve has the rest."""
MOST_POINTS = 1000
"""Points of a curve that are kept, evenly spread over it."""


def precision_recall_band(
    truth: ArrayLike, scores: ArrayLike, *, level: float = 0.95, model: str | None = None
) -> Curve:
    """A precision-recall curve with a band that holds the whole true curve at ``level``.

    Two bounds hold together: the tube of the ROC curve, as in `roc_band`, and Clopper and Pearson's
    interval of the share of positives, at levels whose product is ``level``. At a recall the tube
    gives the least and the largest false positive rate, and precision follows from both.
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
    each = check_level(level) ** SHARE
    share = clopper_pearson(sizes[0], sum(sizes), level=each).interval
    if share is None:
        raise TypeError("a proportion of two classes has an interval")
    kept = np.unique(
        np.linspace(0, groups.tp.size - 1, min(groups.tp.size, MOST_POINTS)).round().astype(int)
    )
    recall = groups.tp[kept] / sizes[0]
    fpr, tpr = observed_path(groups)
    reach = likelihood_reach(*sizes, level / each)
    least, most = tube(tpr, fpr, *sizes, reach, recall)
    low, high = _precision(recall, most, share.low), _precision(recall, least, share.high)
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
            ("reach", reach),
        ),
    )


def _precision(recall: FloatArray, fpr: FloatArray, share: float) -> FloatArray:
    """Precision from rates and the share of positives; with nothing called positive it is 1."""
    hits, alarms = share * recall, (1.0 - share) * fpr
    with np.errstate(invalid="ignore"):
        return np.where(hits + alarms > 0.0, hits / (hits + alarms), 1.0)
