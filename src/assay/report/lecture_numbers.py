"""The worked numbers of the lectures: what is printed, and the call that gives the right value."""

from collections.abc import Sequence

import numpy as np

from assay.estimates.differences import confidence_better, wald_difference
from assay.estimates.means import mean_summary
from assay.estimates.proportions import wald
from assay.hypotheses.friedman_posthoc import nemenyi_from_ranks
from assay.hypotheses.paired_scores import paired_t
from assay.kernels.adjustments import individual_levels
from assay.kernels.tails import normal_reach
from assay.report import lecture_examples as given
from assay.report.lecture_tables import Numbers, ends, t_of
from assay.report.lectures import LectureAnswer


def _variance(errors: int, n: int) -> Numbers:
    return lambda: [float(dict(wald(errors, n).details)["variance"])]  # type: ignore[arg-type]


def _rate(errors: int, n: int) -> Numbers:
    return lambda: [float(wald(errors, n).value or 0.0)]


def _difference(scale: int) -> tuple[int, int, int, int]:
    return 25 * scale, 100 * scale, 20 * scale, 100 * scale


def _difference_variance(scale: int) -> Numbers:
    return lambda: [float(wald_difference(*_difference(scale)).standard_error or 0.0) ** 2]


def _confidence(errors_a: int, errors_b: int, *names: str) -> Numbers:
    def right() -> Sequence[float]:
        estimate = confidence_better(errors_a, 100, errors_b, 100)
        known = {**dict(estimate.details), "sigma": estimate.standard_error}
        return [float(known[name]) for name in names]  # type: ignore[arg-type]

    return right


def _means(a: Sequence[float], b: Sequence[float], scale: float = 1.0) -> Numbers:
    def right() -> Sequence[float]:
        difference = float(paired_t(a, b).effect.value or 0.0)
        return [float(np.mean(a)) / scale, float(np.mean(b)) / scale, difference / scale]

    return right


def _rank_sum() -> Sequence[float]:
    k = len(nemenyi_from_ranks(given.RANKS, 34).models)
    return [k * (k + 1) / 2]


def _twenty_tests() -> Sequence[float]:
    """The expected number of false alarms, and the level of each test after Bonferroni."""
    levels = individual_levels(np.full(20, 0.5), adjustment="bonferroni", alpha=0.05)
    return [20 * 0.05, *([] if levels is None else [float(levels[0])])]


ANSWERS: dict[str, LectureAnswer] = {
    "chi-square": lambda: [normal_reach(0.95, "two-sided") ** 2],
    "rate-20-of-100": _rate(20, 100),
    "variance-20-of-100": _variance(20, 100),
    "interval-20-of-100": lambda: ends(wald(20, 100)),
    "rate-2000-of-10000": _rate(2000, 10000),
    "variance-2000-of-10000": _variance(2000, 10000),
    "interval-2000-of-10000": lambda: ends(wald(2000, 10000)),
    "difference-100": lambda: [
        float(wald_difference(*_difference(1)).value or 0.0),
        *_difference_variance(1)(),
    ],
    "difference-100-error": lambda: [float(wald_difference(*_difference(1)).standard_error or 0.0)],
    "difference-100-interval": lambda: ends(wald_difference(*_difference(1))),
    "difference-1000": lambda: [*_difference_variance(10)(), _difference_variance(10)()[0] ** 0.5],
    "difference-1000-interval": lambda: ends(wald_difference(*_difference(10))),
    "five-folds": _means(given.FOLDS_A, given.FOLDS_B),
    "five-folds-sd": lambda: [
        float(dict(paired_t(given.FOLDS_A, given.FOLDS_B).details)["sd"] or 0.0)
    ],
    "five-folds-interval": lambda: ends(paired_t(given.FOLDS_A, given.FOLDS_B).effect),
    "mean-25-t": t_of(80, 0.95),
    "mean-25-interval": lambda: ends(mean_summary(25, 9, 81)),
    "twenty-tests": _twenty_tests,
    "rank-sum": _rank_sum,
    "rate-50-of-100": _rate(50, 100),
    "half-width-50-of-100": lambda: [(ends(wald(50, 100))[1] - ends(wald(50, 100))[0]) / 2],
    "z-20-30-one-sided": _confidence(20, 30, "sigma", "z", "confidence_one_sided"),
    "11-folds-t": t_of(10, 0.95),
    "11-folds-interval": lambda: ends(mean_summary(0.1, 0.01, 11, unit="fold")),
    "z-20-30": _confidence(20, 30, "sigma", "z"),
    "confidence-20-30": _confidence(20, 30, "confidence_two_sided", "confidence_one_sided"),
    "z-20-25": _confidence(20, 25, "sigma", "z"),
    "confidence-20-25": _confidence(20, 25, "confidence_two_sided", "confidence_one_sided"),
    "experiment-1": _means(*given.MOONEY_1, scale=100.0),
    "experiment-2": _means(*given.MOONEY_2, scale=100.0),
}
