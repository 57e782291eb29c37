"""Printed tables of quantiles, and the worked numbers of costs, ROC curves and replicates."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.kernels.bootstrap_intervals import percentile_interval
from assay.kernels.tails import normal_reach, t_reach
from assay.measures.costs import cost_accuracy_identity, total_cost
from assay.measures.curves import roc_curve
from assay.measures.registry import find_measure
from assay.report import lecture_examples as given
from assay.report.lectures import LectureAnswer

LEVELS = (0.5, 0.68, 0.8, 0.9, 0.95, 0.98, 0.99)


def ends(estimate: Any) -> tuple[float, float]:
    return estimate.interval.low, estimate.interval.high


Numbers = Callable[[], Sequence[float]]


def z_of(*levels: float) -> Numbers:
    return lambda: [normal_reach(level, "two-sided") for level in levels]


def t_of(df: float, *levels: float) -> Numbers:
    return lambda: [t_reach(level, df, "two-sided") for level in levels]


def _cost_and_accuracy(confusion: Any) -> Numbers:
    def right() -> Sequence[float]:
        matrix = np.array(confusion)
        cost = float(total_cost(given.COSTS).function(matrix))
        return [cost, float(find_measure("accuracy").function(matrix))]

    return right


def _identity() -> Sequence[float]:
    """M1 with costs 0 and 5: N[q - (q - p) accuracy] against the sum over the matrix."""
    costs, matrix = [[0, 5], [5, 0]], np.array(given.M1)
    accuracy = float(find_measure("accuracy").function(matrix))
    return [cost_accuracy_identity(costs).cost(float(matrix.sum()), accuracy)]


def _roc_points() -> Sequence[float]:
    """False and true positive rates at every score but the tied one."""
    curve = roc_curve(given.TRUTH, given.SCORES)
    columns = [curve.column(name) for name in ("threshold", "fpr", "tpr")]
    return [rate for score, *rates in zip(*columns, strict=True) if score != 0.85 for rate in rates]


def _areas() -> Sequence[float]:
    area = find_measure("roc_auc").function
    return [
        float(area(given.TRUTH, given.TRUTH)),
        float(area(given.TRUTH, [0.5] * len(given.TRUTH))),
    ]


def _majority() -> Sequence[float]:
    return [float(find_measure("accuracy").function(np.array([[9990, 0], [10, 0]])))]


ANSWERS: dict[str, LectureAnswer] = {
    "z-one-tail-5": lambda: [normal_reach(0.95, "greater")],
    "t-9-one-tail": lambda: [t_reach(0.95, 9, "greater")],
    "t-9": t_of(9, 0.95),
    "z-95": z_of(0.95),
    "t-4-and-9": lambda: [*t_of(4, 0.95)(), *t_of(9, 0.95)()],
    "z-table": z_of(*LEVELS),
    "z-one-sided-90": lambda: [normal_reach(0.9, "greater")],
    "t-2": t_of(2, 0.9, 0.95, 0.98, 0.99),
    "t-5": t_of(5, 0.9, 0.95, 0.98, 0.99),
    "t-10": t_of(10, 0.9, 0.95, 0.98, 0.99),
    "t-20": t_of(20, 0.9, 0.95, 0.98, 0.99),
    "t-30": t_of(30, 0.9, 0.95, 0.98, 0.99),
    "t-120": t_of(120, 0.9, 0.95, 0.98, 0.99),
    "percentile-interval": lambda: percentile_interval(np.arange(1.0, 1001.0), level=0.9),
    "majority": _majority,
    "model-m1": _cost_and_accuracy(given.M1),
    "model-m2": _cost_and_accuracy(given.M2),
    "identity": _identity,
    "roc-points": _roc_points,
    "areas": _areas,
}
