"""Measures of what errors cost: cost matrices and weighted accuracy."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import as_matrix
from assay.core.errors import EvidenceError, UsageError
from assay.measures.registry import Measure, ratio, register_family


@dataclass(frozen=True, slots=True, kw_only=True)
class CostIdentity:
    """Whether cost = N[q − (q − p) accuracy]: right answers all cost p, wrong ones all q."""

    holds: bool
    p: float | None
    q: float | None

    def cost(self, n: float, accuracy: float) -> float:
        """The total cost of ``n`` items at this accuracy."""
        if self.p is None or self.q is None:
            raise UsageError("costs differ between errors or between right answers: use total_cost")
        return n * (self.q - (self.q - self.p) * accuracy)


def mean_cost(matrix: ArrayLike, *, classes: tuple[str, ...] | None = None) -> Measure:
    """The cost per item; ``matrix`` has rows truth and columns prediction, as confusions have.

    Its classes are in canonical order (sorted) unless ``classes`` gives another.
    """
    costs = _cost_matrix(matrix, classes)

    def function(confusions: Any) -> FloatArray:
        total = _total(confusions, costs)
        return ratio(total, np.sum(confusions, axis=(-2, -1), dtype=np.float64))

    low, high = float(costs.min()), float(costs.max())
    return _cost_measure("mean_cost", "mean cost", costs, classes, function, low, high)


def total_cost(matrix: ArrayLike, *, classes: tuple[str, ...] | None = None) -> Measure:
    """The cost of all items; it grows with their number, so compare on equal test sets only."""
    costs = _cost_matrix(matrix, classes)
    low = -np.inf if costs.min() < 0 else 0.0
    high = np.inf if costs.max() > 0 else 0.0
    return _cost_measure(
        "total_cost", "total cost", costs, classes, lambda given: _total(given, costs), low, high
    )


def weighted_accuracy(w_tp: float, w_fn: float, w_fp: float, w_tn: float) -> Measure:
    """(w_tp TP + w_tn TN) / (w_tp TP + w_fn FN + w_fp FP + w_tn TN)."""
    given = (w_tp, w_fn, w_fp, w_tn)
    weights = np.array([[w_tn, w_fp], [w_fn, w_tp]], dtype=np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise UsageError(f"weights are 0 or positive and not all 0; got {given}")

    def function(cells: Any) -> FloatArray:
        weighted = np.asarray(cells, dtype=np.float64) * weights
        return ratio(np.trace(weighted, axis1=-2, axis2=-1), weighted.sum((-2, -1)))

    return Measure(
        name=f"weighted_accuracy[{','.join(f'{weight:g}' for weight in given)}]",
        title="weighted accuracy",
        direction="higher",
        low=0.0,
        high=1.0,
        needs="labels",
        reduction="tally",
        function=function,
        two_classes=True,
        instead="mean_cost with a cost matrix of all classes",
        requirement="M3",
    )


def cost_accuracy_identity(matrix: ArrayLike) -> CostIdentity:
    """Whether cost is a decreasing linear function of accuracy, so that both rank models alike."""
    costs = _cost_matrix(matrix, None)
    diagonal = np.eye(len(costs), dtype=bool)
    right, wrong = np.unique(costs[diagonal]), np.unique(costs[~diagonal])
    p = float(right[0]) if right.size == 1 else None
    q = float(wrong[0]) if wrong.size == 1 else None
    return CostIdentity(holds=p is not None and q is not None and p < q, p=p, q=q)


def _total(confusions: Any, costs: FloatArray) -> FloatArray:
    given = np.asarray(confusions, dtype=np.float64)
    if given.shape[-2:] != costs.shape:
        raise EvidenceError(
            f"the cost matrix is for {len(costs)} classes; the evidence has {given.shape[-1]}"
        )
    return np.asarray((given * costs).sum((-2, -1)))


def _cost_matrix(matrix: ArrayLike, classes: tuple[str, ...] | None) -> FloatArray:
    costs = as_matrix(matrix, "the cost matrix", rows=2, columns=2)
    if costs.shape[0] != costs.shape[1]:
        raise UsageError(
            f"a cost matrix is square, rows truth and columns prediction; got shape {costs.shape}"
        )
    if classes is not None and len(classes) != len(costs):
        raise UsageError(f"{len(classes)} classes named for a cost matrix of {len(costs)}")
    return costs


def _cost_measure(
    name: str,
    title: str,
    costs: FloatArray,
    classes: tuple[str, ...] | None,
    function: Any,
    low: float,
    high: float,
) -> Measure:
    shown = ";".join(",".join(f"{cost:g}" for cost in row) for row in costs)
    order = "" if classes is None else "|" + ",".join(classes)
    return Measure(
        name=f"{name}[{shown}{order}]",
        title=title,
        direction="lower",
        low=low,
        high=high,
        needs="labels",
        reduction="tally",
        function=function,
        class_order=classes,
        requirement="M3",
    )


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(
            f"expected numbers separated by commas, such as 0,1;100,0; got {text!r}"
        ) from None


def _from_text(kind: str, matrix: str, classes: str | None) -> Measure:
    rows = [_numbers(row) for row in matrix.split(";")]
    if len({len(row) for row in rows}) > 1:
        raise UsageError(f"rows of a cost matrix are equally long; got {matrix!r}")
    names = None if classes is None else tuple(classes.split(","))
    build = mean_cost if kind == "mean" else total_cost
    return build(rows, classes=names)


def _weights_from_text(text: str) -> Measure:
    weights = _numbers(text)
    if len(weights) != 4:
        raise UsageError(f"weighted_accuracy takes four weights: TP, FN, FP, TN; got {text!r}")
    return weighted_accuracy(*weights)


register_family("weighted_accuracy[2,1,1,1]", r"weighted_accuracy\[([^]]+)\]", _weights_from_text)
register_family("mean_cost[0,1;100,0]", r"(mean)_cost\[([^]|]+)(?:\|(.+))?\]", _from_text)
register_family("total_cost[0,1;100,0]", r"(total)_cost\[([^]|]+)(?:\|(.+))?\]", _from_text)
