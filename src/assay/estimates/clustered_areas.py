"""The area under the ROC curve of items in clusters: the default interval of one model."""

import math

import numpy as np

from assay.core.notes import Note, by_count, note
from assay.core.results import Estimate, Interval, with_notes
from assay.estimates.bootstrap import jackknife_of
from assay.estimates.cluster_covariance import Deleted
from assay.estimates.proportions import SMALL_COUNT
from assay.estimates.roc import cluster_auc, newcombe_variance
from assay.evidence.item_arrays import Columns


def area_of_clusters(spread: Deleted, columns: Columns, *, n: int, level: float) -> Estimate:
    """Clusters left out one at a time, on the logit scale; no surer than independent items would be.

    Where the placements do not vary, Newcombe's interval for the numbers of clusters of either class.
    """
    slope = spread.reduced.measure.of_area or 1.0
    sizes = np.bincount(columns.truth, minlength=2)
    least = 0.0
    if sizes.min() and columns.weights is None:
        area = (float(spread.values[0]) + slope - 1.0) / slope
        least = slope * math.sqrt(max(float(newcombe_variance(area, *sizes.astype(float))), 0.0))
    found = jackknife_of(spread.reduced, n=n, level=level, spread=spread, least=least)
    known = spread.units > 1 and not math.isnan(spread.variance((1.0,)))
    if found.interval is None and known and columns.weights is None:
        found = _flat(found, columns, level, slope)
    return with_notes(found, *_rare(int(sizes.min()), found.method))


def _flat(found: Estimate, columns: Columns, level: float, slope: float) -> Estimate:
    scores = columns.predictions[0]
    flat = cluster_auc(columns.truth.astype(bool), scores, clusters=columns.clusters, level=level)
    if flat.interval is None:
        return found
    low, high = (slope * end - (slope - 1.0) for end in (flat.interval.low, flat.interval.high))
    interval = Interval(low=low, high=high, level=level, method=flat.interval.method)
    return Estimate(
        measure=found.measure, value=found.value, interval=interval, method=flat.method, n=found.n,
        unit="item", model=found.model, notes=flat.notes, details=flat.details,
    )  # fmt: skip


def _rare(rarer: int, method: str) -> tuple[Note, ...]:
    if not 0 < rarer < SMALL_COUNT:
        return ()
    what = f"{by_count(rarer, 'item', 'items')} of the rarer class"
    return (note("small-counts", count=rarer, what=what, method=method),)
