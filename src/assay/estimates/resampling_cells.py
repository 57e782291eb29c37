"""What resampling sees of the evidence: cells, their counts, and the measure of weights on them.

Every measure becomes a function of weights on cells: distinct rows for labels, distinct scores
for rankings, items for means, whole clusters where items come in clusters. A bootstrap replicate
is one vector of weights and a jackknife value another, so one function serves all estimates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import AnyIntArray, FloatArray
from assay.core.memo import Kept
from assay.estimates.label_weights import (
    MATRIX_CLASSES,
    STACK,
    Carried,
    Function,
    of_labels,
    of_right_items,
    weighted_sums,
)
from assay.estimates.measure_needs import check_offers, features_of
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions
from assay.kernels.effective_size import kish
from assay.kernels.merged_items import coarse_cells
from assay.kernels.resampled_means import resampled_means
from assay.measures.registry import Measure

MANY_ITEMS = 2**13
"""Items of one model from which nearly equal ones are resampled together (`coarse_cells`)."""

MANY_MEANS = 50_000
"""Items from which the sum over most of them has its normal limit (`resampled_means`)."""

MANY_SCORES = 2**15
"""Rows from which rankings are resampled in the order of their scores, which saves sorting weights."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reduced:
    """A measure of one or more models as a function of weights on cells."""

    measure: Measure
    models: tuple[str, ...]
    counts: AnyIntArray
    """How many units each cell stands for."""
    function: Function
    strata: AnyIntArray | None
    """The true class of each cell; None where truth has no classes or cells are clusters."""
    unit: Literal["items", "clusters"]
    effective: float
    """The number of units, less where importance weights differ (Kish)."""
    features: tuple[FloatArray, ...] = ()
    """Of items without weights, for each model: what its measure takes the means of, ``(cells, q)``."""
    limit: Callable[[int, int], FloatArray | None] | None = None
    """Of items of one model without weights: the measure in resamples of very many, if it has a way."""
    kept: Kept = field(default_factory=Kept, init=False, repr=False)
    """Replicates and delete-one values, for the same question at another level."""

    @property
    def values(self) -> FloatArray:
        """The measure of each model on the evidence itself."""
        return np.asarray(self.evaluated(self.counts[None, :])[0])

    def evaluated(self, weights: NDArray[Any]) -> FloatArray:
        """The measure of each model for each row of weights, without rounding beyond its range."""
        return self._in_range(self.function(weights))

    def resampled(self, n_resamples: int, seed: int) -> FloatArray | None:
        """The measure of each model in resamples of very many items; None where each is to be drawn."""
        if self.effective < MANY_MEANS:
            return None
        if self.limit is not None:
            found = self.limit(n_resamples, seed)
            return None if found is None else self._in_range(found[:, None])
        if not self.features:
            return None
        together = np.hstack(self.features)
        if not np.isfinite(together).all():
            return None
        means = resampled_means(together, self.counts, n_resamples, seed)
        if means is None:
            return None
        parts = np.split(means, len(self.models), axis=1)
        return self._in_range(np.column_stack([self.measure.function(part) for part in parts]))

    def _in_range(self, values: FloatArray) -> FloatArray:
        return np.clip(values, self.measure.low, self.measure.high)


def reduce(
    evidence: Predictions,
    measure: Measure,
    models: Sequence[str] | None = None,
    *,
    by_class: bool = False,
) -> Reduced:
    """The evidence reduced as far as the measure allows, jointly for all models.

    ``by_class``: resampling will hold the number of items of each true class, so cells must tell it.
    """
    chosen = tuple(models or evidence.models)
    check_offers(evidence, measure, chosen)
    bound = measure.bind(evidence.classes, evidence.positive)
    if bound.reduction != "tally":
        return _columns(evidence.sorted_columns(bound.needs, chosen), bound, by_class=by_class)
    if evidence.clusters is not None:
        return _clustered_labels(evidence, bound, chosen)
    if evidence.weighted:
        return _weighted_labels(evidence.sorted_columns("labels", chosen), bound)
    return _labels(evidence, bound, chosen, by_class=by_class)


def _labels(
    evidence: Predictions, measure: Measure, models: tuple[str, ...], *, by_class: bool
) -> Reduced:
    size = len(evidence.classes)
    if size > MATRIX_CLASSES and measure.of_right is not None and not by_class:
        return _right_and_wrong(evidence, measure, models, measure.of_right)
    tally = evidence.tally(models)
    return Reduced(
        measure=measure,
        models=models,
        counts=tally.counts,
        function=of_labels(measure, size, [tally.cells(model) for model in models], Carried()),
        strata=tally.rows[:, 0],
        unit="items",
        effective=float(tally.n),
    )


def _right_and_wrong(
    evidence: Predictions, measure: Measure, models: tuple[str, ...], of_right: Callable[..., Any]
) -> Reduced:
    """Of many classes only which models are right: 2^k kinds of items, however many the classes.

    Rows are counted in the order of the evidence: the same models in another order count no second time.
    """
    tally = evidence.tally(tuple(model for model in evidence.models if model in models))
    right = [tally.right(model) for model in models]
    order, kept, numbers = _distinct(right)
    counts = np.add.reduceat(tally.counts[order], np.cumsum(numbers) - numbers)
    return Reduced(
        measure=measure,
        models=models,
        counts=counts,
        function=of_right_items([one[kept] for one in right], Carried(), of_right),
        strata=None,
        unit="items",
        effective=float(tally.n),
    )


def _weighted_labels(columns: Columns, measure: Measure) -> Reduced:
    """Labels with importance weights: cells are distinct rows of one weight."""
    size = len(columns.classes)
    weights = np.ones(columns.n) if columns.weights is None else columns.weights
    _, kept, counts = _distinct([columns.truth, *columns.predictions, weights])
    cells = columns.truth[kept] * size + columns.predictions[:, kept]
    return Reduced(
        measure=measure,
        models=columns.models,
        counts=counts,
        function=of_labels(measure, size, list(cells), Carried(factors=weights[kept])),
        strata=columns.truth[kept],
        unit="items",
        effective=kish(weights),
    )


def _clustered_labels(evidence: Predictions, measure: Measure, models: tuple[str, ...]) -> Reduced:
    found = evidence.cluster_tally(models)
    size = len(found.tally.classes)
    amounts = found.count if found.weight_sums is None else found.weight_sums
    carried = Carried(clusters=found.cluster, factors=np.asarray(amounts, np.float64))
    cells = [found.tally.cells(model)[found.row] for model in models]
    return Reduced(
        measure=measure,
        models=models,
        counts=np.ones(found.n_clusters, np.int64),
        function=of_labels(measure, size, cells, carried),
        strata=None,
        unit="clusters",
        effective=float(found.n_clusters),
    )


def _columns(columns: Columns, measure: Measure, *, by_class: bool) -> Reduced:
    """Scores, values, losses and a user's own measure: weights on rows."""
    effective = float(columns.n) if columns.weights is None else kish(columns.weights)
    if _many_means(columns, measure) and not by_class:
        counts: AnyIntArray = np.ones(columns.n, np.int64)  # their sums do not ask for an order
    elif columns.clusters is None:
        ranked = measure.reduction == "sorted_scores" and columns.predictions.ndim == 2
        columns, counts = _canonical(columns, scores_first=ranked and columns.n > MANY_SCORES)
    else:
        counts = np.ones(int(columns.clusters.max()) + 1, np.int64)
        effective = float(counts.size)
    if _many_alike(columns, measure) and not by_class:
        coarse = coarse_cells(features_of(measure, columns.truth, columns.predictions[0]), counts)
        if coarse is not None:
            return _of_coarse(columns, measure, *coarse)
    features: tuple[FloatArray, ...] = ()
    if measure.reduction == "moments":
        features = tuple(features_of(measure, columns.truth, one) for one in columns.predictions)
        functions = [_of_means(measure, one) for one in features]
    else:
        functions = [
            _of_rows(measure, columns.truth, one, columns.classes) for one in columns.predictions
        ]
    classes_told = bool(columns.classes) and columns.clusters is None
    return Reduced(
        measure=measure,
        models=columns.models,
        counts=counts,
        function=_of_items(
            functions, columns.clusters, columns.weights, columns.predictions.shape[1]
        ),
        strata=columns.truth if classes_told else None,
        unit="items" if columns.clusters is None else "clusters",
        effective=effective,
        features=features if _alone(columns) else (),
        limit=_limit(columns, measure, counts) if not by_class else None,
    )


def _limit(
    columns: Columns, measure: Measure, counts: AnyIntArray
) -> Callable[[int, int], FloatArray | None] | None:
    """How the measure of one model resamples very many items, where it says so and each stands for itself."""
    limit = measure.limit
    if limit is None or len(columns.models) > 1 or not _alone(columns):
        return None
    rows = np.repeat(np.arange(counts.size), counts)
    truth, predictions = columns.truth[rows], columns.predictions[0][rows]
    return lambda n_resamples, seed: limit(truth, predictions, n_resamples, seed)


def _alone(columns: Columns) -> bool:
    """Whether items are independent and weigh the same."""
    return columns.clusters is None and columns.weights is None


def _many_means(columns: Columns, measure: Measure) -> bool:
    """Whether so many items of several models are to be resampled that few of them are drawn."""
    moments = measure.reduction == "moments" and len(columns.models) > 1
    return moments and _alone(columns) and columns.n >= MANY_MEANS


def _many_alike(columns: Columns, measure: Measure) -> bool:
    """Whether so many items of one model are to be resampled that nearly equal ones may be one cell."""
    moments = measure.reduction == "moments" and not measure.is_mean and len(columns.models) == 1
    return moments and _alone(columns) and columns.n >= MANY_ITEMS


def _of_coarse(
    columns: Columns, measure: Measure, features: FloatArray, counts: AnyIntArray
) -> Reduced:
    function = _of_means(measure, features)
    return Reduced(
        measure=measure,
        models=columns.models,
        counts=counts,
        function=lambda weights: function(weights)[:, None],
        strata=None,
        unit="items",
        effective=float(columns.n),
    )


def _canonical(columns: Columns, *, scores_first: bool) -> tuple[Columns, AnyIntArray]:
    """Rows in the order of their values, whoever delivered them; equal ones once if many are.

    ``scores_first`` sorts by falling scores of the first model, as ranking it will want them.
    """
    n = columns.predictions.shape[1]
    parts = [columns.truth] if columns.truth.size else []
    values = list(np.moveaxis(columns.predictions, 1, -1).reshape(-1, n))
    parts = [*values, *parts] if scores_first else [*parts, *values]
    parts += [] if columns.weights is None else [columns.weights]
    order, kept, counts = _distinct(parts)
    if kept.size > n // 4:
        kept, counts = order[::-1] if scores_first else order, np.ones(n, np.int64)
    return replace(
        columns,
        truth=columns.truth[kept] if columns.truth.size else columns.truth,
        predictions=columns.predictions[:, kept],
        weights=None if columns.weights is None else columns.weights[kept],
    ), counts


def _of_items(
    functions: Sequence[Function],
    clusters: AnyIntArray | None,
    factors: FloatArray | None,
    n_rows: int,
) -> Function:
    """Functions of weights on rows, fed with weights on cells or on clusters."""
    rows = max(1, STACK // max(1, n_rows))

    def function(weights: NDArray[Any]) -> FloatArray:
        values = np.empty((len(weights), len(functions)))
        for start in range(0, len(weights), rows):
            part = weights[start : start + rows]
            part = part if clusters is None else part[:, clusters]
            part = part if factors is None else part * factors
            for column, one in enumerate(functions):
                values[start : start + rows, column] = one(part)
        return values

    return function


def _of_rows(measure: Measure, truth: Any, rows: Any, classes: tuple[str, ...]) -> Function:
    """The measure of one model as a function of weights on its rows."""
    if measure.reduction == "sorted_scores":
        if measure.prepare is None:
            return lambda weights: np.asarray(measure.function(truth, rows, weights))
        return measure.prepare(truth, rows)
    if measure.prepare is not None:
        return measure.prepare(truth, rows)
    named = _named(classes)
    if measure.needs == "labels" and named is not None:
        truth, rows = named[truth], named[rows]
    return lambda weights: np.array([measure.function(truth, rows, one) for one in weights])


def _of_means(measure: Measure, features: FloatArray) -> Function:
    """The measure from weighted means of features; an infinite one counts where it has weight."""
    infinite = np.where(np.isinf(features), np.sign(features), 0.0)
    finite = np.where(infinite == 0.0, features, 0.0)

    def function(weights: NDArray[Any]) -> FloatArray:
        totals = np.asarray(weights, np.float64).sum(-1)[:, None]
        with np.errstate(invalid="ignore"):  # no item has weight: undefined
            means = weighted_sums(weights, finite) / totals
        if infinite.any():
            signs = weighted_sums(weights, infinite)
            means = np.where(signs == 0.0, means, np.copysign(np.inf, signs))
        return np.asarray(measure.function(means))

    return function


def _named(classes: tuple[str, ...]) -> NDArray[Any] | None:
    """What a user's own function gets for class codes: numbers where all classes are numbers."""
    if not classes:
        return None
    try:
        numbers = [float(name) for name in classes]
    except ValueError:
        return np.array(classes)
    whole = all(number.is_integer() for number in numbers)
    return np.array(numbers, dtype=np.int64 if whole else np.float64)


def _distinct(columns: Sequence[NDArray[Any]]) -> tuple[AnyIntArray, AnyIntArray, AnyIntArray]:
    """The rows sorted by their values, one row of each kind, and how many there are of it."""
    order = np.lexsort(tuple(reversed(columns)))
    changed = np.zeros(order.size, dtype=bool)
    changed[:1] = True
    for column in columns:
        ordered = column[order]
        changed[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(changed)
    return order, order[starts], np.diff(np.append(starts, order.size))
