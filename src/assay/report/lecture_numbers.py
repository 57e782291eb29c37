"""The worked numbers of the lectures: what is printed, and the call that gives the right value."""

from collections.abc import Sequence

import numpy as np

from assay.estimates.differences import confidence_better, wald_difference
from assay.estimates.means import mean_summary
from assay.estimates.proportions import wald
from assay.hypotheses.paired_scores import paired_t
from assay.hypotheses.posthoc import nemenyi_from_ranks
from assay.kernels.adjustments import individual_levels
from assay.kernels.tails import normal_reach
from assay.report import lecture_examples as given
from assay.report.lecture_tables import Right, ends, t_of
from assay.report.lectures import Entry


def _variance(errors: int, n: int) -> Right:
    return lambda: [float(dict(wald(errors, n).details)["variance"])]  # type: ignore[arg-type]


def _rate(errors: int, n: int) -> Right:
    return lambda: [float(wald(errors, n).value or 0.0)]


def _difference(scale: int) -> tuple[int, int, int, int]:
    return 25 * scale, 100 * scale, 20 * scale, 100 * scale


def _difference_variance(scale: int) -> Right:
    return lambda: [float(wald_difference(*_difference(scale)).standard_error or 0.0) ** 2]


def _confidence(errors_a: int, errors_b: int, *names: str) -> Right:
    def right() -> Sequence[float]:
        estimate = confidence_better(errors_a, 100, errors_b, 100)
        known = {**dict(estimate.details), "sigma": estimate.standard_error}
        return [float(known[name]) for name in names]  # type: ignore[arg-type]

    return right


def _means(a: Sequence[float], b: Sequence[float], scale: float = 1.0) -> Right:
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


NUMBERS: tuple[Entry, ...] = (
    Entry(
        lecture="Samatova",
        topic="two classifiers",
        subject="chi-square(0.05, 1), the critical value of McNemar's test",
        printed=("3.84",),
        right=lambda: [normal_reach(0.95, "two-sided") ** 2],
        command="assay test mcnemar --table 50 10 4 36",
    ),
    Entry(
        lecture="Ray",
        topic="error rate",
        subject="20 errors of 100: error rate",
        printed=("0.2",),
        right=_rate(20, 100),
        command=given.ERRORS_100,
    ),
    Entry(
        lecture="Ray",
        topic="error rate",
        subject="20 errors of 100: variance of the error rate",
        printed=("0.0016",),
        right=_variance(20, 100),
        command=given.ERRORS_100,
    ),
    Entry(
        lecture="Ray",
        topic="error rate",
        subject="20 errors of 100: 95 % interval",
        printed=("0.1216", "0.2784"),
        right=lambda: ends(wald(20, 100)),
        command=given.ERRORS_100,
        reason="the normal approximation, right as such; assay's default is mid-p, which also holds "
        "where errors are few",
    ),
    Entry(
        lecture="Ray",
        topic="error rate",
        subject="2000 errors of 10000: error rate",
        printed=("0.2",),
        right=_rate(2000, 10000),
        command=given.ERRORS_10000,
    ),
    Entry(
        lecture="Ray",
        topic="error rate",
        subject="2000 errors of 10000: variance of the error rate",
        printed=("0.16e-4",),
        right=_variance(2000, 10000),
        command=given.ERRORS_10000,
    ),
    Entry(
        lecture="Ray",
        topic="error rate",
        subject="2000 errors of 10000: 95 % interval",
        printed=("0.19216", "0.20784"),
        right=lambda: ends(wald(2000, 10000)),
        command=given.ERRORS_10000,
    ),
    Entry(
        lecture="Ray",
        topic="two classifiers",
        subject="25 and 20 errors of 100: difference and its variance",
        printed=("0.05", "0.003475"),
        right=lambda: [
            float(wald_difference(*_difference(1)).value or 0.0),
            *_difference_variance(1)(),
        ],
        command=given.DIFFERENCE_100,
    ),
    Entry(
        lecture="Ray",
        topic="two classifiers",
        subject="25 and 20 errors of 100: standard deviation of the difference",
        printed=("0.059",),
        right=lambda: [float(wald_difference(*_difference(1)).standard_error or 0.0)],
        command=given.DIFFERENCE_100,
    ),
    Entry(
        lecture="Ray",
        topic="two classifiers",
        subject="25 and 20 errors of 100: 95 % interval of the difference",
        printed=("-0.1245", "0.2245"),
        right=lambda: ends(wald_difference(*_difference(1))),
        command=given.DIFFERENCE_100,
        reason="0.05 ± 1.96 × 0.059 reaches 0.116 to either side, not 0.1745; zero lies inside all "
        "the same",
    ),
    Entry(
        lecture="Ray",
        topic="two classifiers",
        subject="250 and 200 errors of 1000: variance and standard deviation of the difference",
        printed=("0.0003475", "0.019"),
        right=lambda: [*_difference_variance(10)(), _difference_variance(10)()[0] ** 0.5],
        command=given.DIFFERENCE_1000,
    ),
    Entry(
        lecture="Ray",
        topic="two classifiers",
        subject="250 and 200 errors of 1000: 95 % interval of the difference",
        printed=("0.014", "0.086"),
        right=lambda: ends(wald_difference(*_difference(10))),
        command=given.DIFFERENCE_1000,
        reason="the half-width 0.0365 was cut to 0.036 before it was added",
    ),
    Entry(
        lecture="Ray",
        topic="folds",
        subject="five folds: mean error of A, of B, and mean difference",
        printed=("4%", "3%", "1%"),
        right=_means(given.FOLDS_A, given.FOLDS_B),
        command=given.FOLDS,
    ),
    Entry(
        lecture="Ray",
        topic="folds",
        subject="five folds: standard deviation s of the differences",
        printed=("0.015",),
        right=lambda: [float(dict(paired_t(given.FOLDS_A, given.FOLDS_B).details)["sd"])],  # type: ignore[arg-type]
        command=given.FOLDS,
        reason="0.015 is the standard error of their mean, which is s / sqrt(5); the interval takes "
        "it for what it is",
    ),
    Entry(
        lecture="Ray",
        topic="folds",
        subject="five folds: 95 % interval of the difference",
        printed=("-0.031", "0.051"),
        right=lambda: ends(paired_t(given.FOLDS_A, given.FOLDS_B).effect),
        command=given.FOLDS,
    ),
    Entry(
        lecture="Boström",
        topic="error rate",
        subject="mean 25, sd 9, n 81: t(0.025, 80)",
        printed=("1.99",),
        right=t_of(80, 0.95),
        command="assay test mean_summary --mean 25 --sd 9 --n 81",
    ),
    Entry(
        lecture="Boström",
        topic="error rate",
        subject="mean 25, sd 9, n 81: 95 % interval",
        printed=("23.01", "26.99"),
        right=lambda: ends(mean_summary(25, 9, 81)),
        command="assay test mean_summary --mean 25 --sd 9 --n 81",
    ),
    Entry(
        lecture="Boström",
        topic="many",
        subject="20 tests at 5 %: expected type I errors, and the level of each after Bonferroni",
        printed=("1", "0.0025"),
        right=_twenty_tests,
        command="assay test bonferroni --p 0.0025,0.01,0.04",
    ),
    Entry(
        lecture="Boström",
        topic="many",
        subject="mean ranks 1.7, 3.2, 2.5, 3.4 of four algorithms: their sum",
        printed=("10.8",),
        right=_rank_sum,
        command=given.DIAGRAM,
        reason="mean ranks of four sum to 4 · 5 / 2, so some of them are wrong or made up",
    ),
    Entry(
        lecture="Notes",
        topic="error rate",
        subject="50 errors of 100: error rate",
        printed=("0.50",),
        right=_rate(50, 100),
        command="assay test wald --errors 50 --n 100",
    ),
    Entry(
        lecture="Notes",
        topic="error rate",
        subject="50 errors of 100: half-width of the 95 % interval",
        printed=("0.098",),
        right=lambda: [(ends(wald(50, 100))[1] - ends(wald(50, 100))[0]) / 2],
        command="assay test wald --errors 50 --n 100",
    ),
    Entry(
        lecture="Notes",
        topic="two classifiers",
        subject="20 and 30 errors of 100 each: standard deviation, z, and Phi(z)",
        printed=("0.0608", "1.644", "0.95"),
        right=_confidence(20, 30, "sigma", "z", "confidence_one_sided"),
        command="assay test confidence_better --a 20 100 --b 30 100",
    ),
    Entry(
        lecture="Notes",
        topic="folds",
        subject="11 folds, mean 0.1, s 0.01: t(0.025, 10)",
        printed=("2.23",),
        right=t_of(10, 0.95),
        command="assay test mean_summary --mean 0.1 --sd 0.01 --n 11",
    ),
    Entry(
        lecture="Notes",
        topic="folds",
        subject="11 folds, mean 0.1, s 0.01: 95 % interval",
        printed=("0.0819", "0.1181"),
        right=lambda: ends(mean_summary(0.1, 0.01, 11, unit="fold")),
        command="assay test mean_summary --mean 0.1 --sd 0.01 --n 11",
        reason="s was not divided by sqrt(11), and 0.0181 is 1.81 s, where 1.81 is t(0.05, 10)",
    ),
    Entry(
        lecture="Mooney",
        topic="two classifiers",
        subject="20 and 30 errors of 100 each: standard deviation and z",
        printed=("0.0608", "1.644"),
        right=_confidence(20, 30, "sigma", "z"),
        command="assay test confidence_better --a 20 100 --b 30 100",
    ),
    Entry(
        lecture="Mooney",
        topic="two classifiers",
        subject="20 and 30 errors of 100 each: confidence, two-tailed and one-tailed",
        printed=("90%", "95%"),
        right=_confidence(20, 30, "confidence_two_sided", "confidence_one_sided"),
        command="assay test confidence_better --a 20 100 --b 30 100",
    ),
    Entry(
        lecture="Mooney",
        topic="two classifiers",
        subject="20 and 25 errors of 100 each: standard deviation and z",
        printed=("0.0589", "0.848"),
        right=_confidence(20, 25, "sigma", "z"),
        command="assay test confidence_better --a 20 100 --b 25 100",
    ),
    Entry(
        lecture="Mooney",
        topic="two classifiers",
        subject="20 and 25 errors of 100 each: confidence, two-tailed and one-tailed",
        printed=("50%", "75%"),
        right=_confidence(20, 25, "confidence_two_sided", "confidence_one_sided"),
        command="assay test confidence_better --a 20 100 --b 25 100",
        reason="a table's floor: 0.848 lies between its 0.67 (50 %) and 1.00 (68 %)",
    ),
    Entry(
        lecture="Mooney",
        topic="folds",
        subject="experiment 1: averages of A and B, and of the differences",
        printed=("85%", "80%", "+5%"),
        right=_means(*given.MOONEY_1, scale=100.0),
        command="assay test sign_test --a 87,83,88,82,85 --b 82,78,83,77,80",
    ),
    Entry(
        lecture="Mooney",
        topic="folds",
        subject="experiment 2: averages of A and B, and of the differences",
        printed=("85%", "80%", "+5%"),
        right=_means(*given.MOONEY_2, scale=100.0),
        command="assay test paired_t --a 90,93,80,85,77 --b 82,76,85,75,82",
    ),
)
