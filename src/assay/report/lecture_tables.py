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
from assay.report.lectures import Entry

LEVELS = (0.5, 0.68, 0.8, 0.9, 0.95, 0.98, 0.99)
Z_TABLE = ("0.67", "1.00", "1.28", "1.64", "1.96", "2.33", "2.58")
T_TABLE: dict[int, tuple[str, ...]] = {
    2: ("2.92", "4.30", "6.96", "9.92"),
    5: ("2.02", "2.57", "3.36", "4.03"),
    10: ("1.81", "2.23", "2.76", "3.17"),
    20: ("1.72", "2.09", "2.53", "2.84"),
    30: ("1.70", "2.04", "2.46", "2.75"),
    120: ("1.66", "1.98", "2.36", "2.62"),
}
Right = Callable[[], Sequence[float]]


def ends(estimate: Any) -> tuple[float, float]:
    return estimate.interval.low, estimate.interval.high


def z_of(*levels: float) -> Right:
    return lambda: [normal_reach(level, "two-sided") for level in levels]


def t_of(df: float, *levels: float) -> Right:
    return lambda: [t_reach(level, df, "two-sided") for level in levels]


def _cost_and_accuracy(confusion: Any) -> Right:
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


TABLES: tuple[Entry, ...] = (
    Entry(
        lecture="Samatova",
        topic="tables",
        subject="one-tail critical value of the normal test at 5 %",
        printed=("1.64",),
        right=lambda: [normal_reach(0.95, "greater")],
        command=given.QUANTILE.format(sd=2, n=4, level=0.9),
    ),
    Entry(
        lecture="Samatova",
        topic="tables",
        subject="t(0.05, 9), one-tail, for ten folds",
        printed=("1.83",),
        right=lambda: [t_reach(0.95, 9, "greater")],
        command=given.QUANTILE.format(sd=3.162278, n=10, level=0.9),
    ),
    Entry(
        lecture="Samatova",
        topic="tables",
        subject="t(0.025, 9), two-tail, for ten folds",
        printed=("2.26",),
        right=t_of(9, 0.95),
        command=given.QUANTILE.format(sd=3.162278, n=10, level=0.95),
    ),
    Entry(
        lecture="Ray",
        topic="tables",
        subject="standard deviations on either side that hold 95 %",
        printed=("1.96",),
        right=z_of(0.95),
        command=given.QUANTILE.format(sd=2, n=4, level=0.95),
    ),
    Entry(
        lecture="Ray",
        topic="tables",
        subject="two-sided 95 % t with 4 and with 9 degrees of freedom",
        printed=("2.776", "2.262"),
        right=lambda: [*t_of(4, 0.95)(), *t_of(9, 0.95)()],
        command=given.QUANTILE.format(sd=2.236068, n=5, level=0.95),
    ),
    *(
        Entry(
            lecture=lecture,
            topic="tables",
            subject="z of two-sided confidence 50, 68, 80, 90, 95, 98 and 99 %",
            printed=Z_TABLE,
            right=z_of(*LEVELS),
            command=given.QUANTILE.format(sd=2, n=4, level=0.68),
            reason="z = 1.00 holds 68.27 %; of 68 % it is 0.99",
        )
        for lecture in ("Notes", "Mooney")
    ),
    Entry(
        lecture="Notes",
        topic="tables",
        subject="one-sided 90 % bound: z",
        printed=("1.28",),
        right=lambda: [normal_reach(0.9, "greater")],
        command=given.QUANTILE.format(sd=2, n=4, level=0.8),
    ),
    *(
        Entry(
            lecture="Notes",
            topic="tables",
            subject=f"t of two-sided confidence 90, 95, 98 and 99 %, {df} degrees of freedom",
            printed=printed,
            right=t_of(df, 0.9, 0.95, 0.98, 0.99),
            command=given.QUANTILE.format(sd=(df + 1) ** 0.5, n=df + 1, level=0.99),
            reason="2.845 was cut, not rounded" if df == 20 else "",
        )
        for df, printed in T_TABLE.items()
    ),
    Entry(
        lecture="Notes",
        topic="tables",
        subject="z with 5 % beyond it",
        printed=("1.644",),
        right=lambda: [normal_reach(0.95, "greater")],
        command=given.QUANTILE.format(sd=2, n=4, level=0.9),
        reason="it is 1.645; 1.644 is the z of the example, by chance almost the same",
    ),
    Entry(
        lecture="Notes",
        topic="bootstrap",
        subject="90 % percentile interval of 1000 replicates: places of its ends",
        printed=("50", "950"),
        right=lambda: percentile_interval(np.arange(1.0, 1001.0), level=0.9),
        command="assay methods bootstrap",
        reason="counted alike from both ends it is the 50th and the 951st; with 999 replicates 50 "
        "and 950",
    ),
    Entry(
        lecture="Notes",
        topic="costs",
        subject="everything called class 0, of 9990 and 10: accuracy",
        printed=("99.9%",),
        right=_majority,
        command='assay test no_information_rate --table "9990,0;10,0"',
        reason="right, and misleading as the slide says: assay notes accuracy-misleads",
    ),
    Entry(
        lecture="Notes",
        topic="costs",
        subject="model M1: cost and accuracy",
        printed=("3910", "80%"),
        right=_cost_and_accuracy(given.M1),
        command=given.COST.format(given.rows(given.M1), given.rows(given.COSTS)),
    ),
    Entry(
        lecture="Notes",
        topic="costs",
        subject="model M2: cost and accuracy",
        printed=("4255", "90%"),
        right=_cost_and_accuracy(given.M2),
        command=given.COST.format(given.rows(given.M2), given.rows(given.COSTS)),
        reason="the more accurate model is the more costly one",
    ),
    Entry(
        lecture="Notes",
        topic="costs",
        subject="cost = N[q - (q - p) accuracy], with p = 0 and q = 5 on M1",
        printed=("500",),
        right=_identity,
        command=given.COST.format(given.rows(given.M1), "0,5;5,0"),
    ),
    Entry(
        lecture="Notes",
        topic="roc",
        subject="ROC table: FPR and TPR at 0.95, 0.93, 0.87, 0.76, 0.53, 0.43 and 0.25",
        printed=(
            "0",
            "0.2",
            "0",
            "0.4",
            "0.2",
            "0.4",
            "0.8",
            "0.6",
            "0.8",
            "0.8",
            "1",
            "0.8",
            "1",
            "1",
        ),
        right=_roc_points,
        command=given.ROC,
    ),
    Entry(
        lecture="Notes",
        topic="roc",
        subject="area of the ideal curve and of random guessing",
        printed=("1", "0.5"),
        right=_areas,
        command=given.ROC,
    ),
)
