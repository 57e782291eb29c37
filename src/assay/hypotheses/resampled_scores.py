"""Scores by fold: one algorithm against a level, two algorithms on the same folds, 5x2 folds."""

import math
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import as_matrix, as_pairs, as_values
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Interval, TestOutcome, with_notes
from assay.core.tolerances import TIE
from assay.core.vocabulary import Alternative
from assay.estimates.folds import (
    CAUTION,
    ITEMS,
    NO_SPREAD,
    ONE_FOLD,
    PerFold,
    Splits,
    check_training_sd,
    measured_level,
    splits_of,
)
from assay.estimates.method_question import MethodQuestion
from assay.kernels.special import fdtrc, fdtri
from assay.kernels.tails import t_p

_NO_SPREAD_WITHIN = note(
    "zero-variance", what="the two folds of each repeat", method="a 5x2 test", remedy=ITEMS
)


@method(
    question="Does one algorithm, over folds, differ from a given level?",
    takes="sample",
    gives="test",
    unit="fold",
    assumes=("scores are near normal", "folds are taken as independent, which they are not"),
    reference="bengio2004",
    requirement="T2",
    same_as="R: t.test({scores}, mu = {null}{, alternative}{, level})",
    formula="t = (mean - null) / (sd / sqrt(folds))",
)
def fold_t(
    scores: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """One-sample t over the scores of K folds against the level ``null``."""
    values = as_values(scores, "scores")
    asked = MethodQuestion.of(
        "fold_t", level=level, alternative=alternative, unit="fold", null=null
    )
    outcome = _t_test(asked, "mean", values, scale=_scale(values), factor=1.0 / values.size)
    return with_notes(
        outcome,
        note("no-unbiased-variance", folds=values.size),
        note("folds-overlap", folds=values.size),
    )


@method(
    question="Do two algorithms differ, over the same K folds, if folds were independent?",
    takes="pairs",
    gives="test",
    unit="fold",
    assumes=("differences are near normal", "folds are taken as independent, which they are not"),
    reference="dietterich1998",
    requirement="T6",
    same_as="R: t.test({a}, {b}, paired = TRUE{, alternative}{, level})",
    formula="t = mean / (sd / sqrt(folds))",
)
def kfold_paired_t(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The K-fold paired t of the textbooks: offered for comparison, ``corrected_resampled_t`` decides."""
    first, second = as_pairs(a, b)
    asked = MethodQuestion.of("kfold_paired_t", level=level, alternative=alternative, unit="fold")
    outcome = _t_test(
        asked,
        "mean_difference",
        first - second,
        scale=_scale(first, second),
        factor=1.0 / first.size,
    )
    return with_notes(
        outcome, note("naive-t", folds=first.size), note("folds-overlap", folds=first.size)
    )


@method(
    question="Do two algorithms differ, over the same folds or random splits?",
    takes="pairs",
    gives="test",
    unit="fold",
    assumes=(
        "differences are near normal",
        "the correlation between folds is the share of data tested, n_test / (n_test + n_train)",
    ),
    reference="nadeau2003",
    requirement="T6",
    same_as="R: d <- {a} - {b}; 2 * pt(-abs(mean(d) / (sd(d) * sqrt(1 / {folds} + {ratio}))), {df})",
    formula="t = mean / (sd sqrt(1/folds + ratio))",
    title="corrected resampled t test (Nadeau–Bengio)",
    calibrated_by="splits",
    planned_by="corrected_folds",
)
def corrected_resampled_t(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Nadeau and Bengio's corrected t for K-fold, repeated K-fold and random splits.

    How the splits were made is said in one of three ways: ``folds`` (K of K-fold; the number of
    repeats follows), ``n_test`` with ``n_train`` (one size, or one per split), or ``test_share``.
    Without them up to 20 scores are taken as the folds of one run, with a note.
    """
    asked = MethodQuestion.of(
        "corrected_resampled_t", level=level, alternative=alternative, unit="fold"
    )
    return _paired(asked, a, b, _Said(folds, test_share, n_test, n_train))


@method(
    question="Do two algorithms differ, over repeated folds, by the test whose level held best in simulation?",
    takes="pairs",
    gives="test",
    unit="fold",
    assumes=(
        "differences are near normal",
        "the correlation between folds is no more than the measured worlds have",
    ),
    reference="nadeau2003",
    requirement="T6",
    same_as="R: d <- {a} - {b}; "
    "2 * pt(-abs(mean(d)) / sqrt(var(d) * (1 / {folds} + 2 * {ratio}) + {training_sd}^2), {df})",
    formula="t = mean / sqrt(sd² (1/folds + 2 ratio) + training_sd²)",
    title="resampled t test with a doubled correction",
    planned_by="cautious_folds",
)
def cautious_resampled_t(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    training_sd: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """``corrected_resampled_t`` with its correction doubled: its level held best on repeated five folds.

    How the splits were made is said as there. The target is the expected difference of the two
    algorithms at the training size used. ``training_sd``: by how much the difference varies over
    training sets beyond what splits of one sample show; `compare` gives it where an algorithm may
    be hardly better than the most frequent class.
    """
    asked = MethodQuestion.of(
        "cautious_resampled_t", level=level, alternative=alternative, unit="fold"
    )
    hidden = check_training_sd(training_sd)
    return _paired(asked, a, b, _Said(folds, test_share, n_test, n_train, CAUTION, hidden))


@method(
    question="Does one algorithm, over folds or random splits, differ from a given level?",
    takes="sample",
    gives="test",
    unit="fold",
    assumes=(
        "scores are near normal",
        "the correlation between folds is the share of data tested, n_test / (n_test + n_train)",
    ),
    reference="nadeau2003",
    requirement="T2",
    same_as="R: d <- {scores} - {null}; "
    "2 * pt(-abs(mean(d) / (sd(d) * sqrt(1 / {folds} + {ratio}))), {df})",
    formula="t = (mean - null) / (sd sqrt(1/folds + ratio))",
    title="corrected t test (Nadeau–Bengio)",
)
def corrected_t_one(
    scores: ArrayLike,
    *,
    null: float = 0.0,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The corrected t of one algorithm against the level ``null``; see ``corrected_resampled_t``."""
    asked = MethodQuestion.of(
        "corrected_t_one", level=level, alternative=alternative, unit="fold", null=null
    )
    return _alone(asked, scores, _Said(folds, test_share, n_test, n_train))


@method(
    question="Does one algorithm, over repeated folds, differ from a level (doubled correction)?",
    takes="sample",
    gives="test",
    unit="fold",
    assumes=(
        "scores are near normal",
        "the correlation between folds is no more than the measured worlds have",
    ),
    reference="nadeau2003",
    requirement="T2",
    same_as="R: d <- {scores} - {null}; "
    "2 * pt(-abs(mean(d)) / sqrt(var(d) * (1 / {folds} + 2 * {ratio}) + {training_sd}^2), {df})",
    formula="t = (mean - null) / sqrt(sd² (1/folds + 2 ratio) + training_sd²)",
    title="t test with a doubled correction",
)
def cautious_t_one(
    scores: ArrayLike,
    *,
    null: float = 0.0,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    training_sd: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """``corrected_t_one`` with its correction doubled, as ``cautious_resampled_t`` does for two."""
    asked = MethodQuestion.of(
        "cautious_t_one", level=level, alternative=alternative, unit="fold", null=null
    )
    hidden = check_training_sd(training_sd)
    return _alone(asked, scores, _Said(folds, test_share, n_test, n_train, CAUTION, hidden))


@method(
    question="Do two algorithms differ, over five repeats of two folds?",
    takes="replicated-pairs",
    gives="test",
    unit="fold",
    assumes=("differences are near normal", "the five variances are independent"),
    reference="dietterich1998",
    requirement="T7",
    same_as="R: d <- {differences}; v <- rowSums((d - rowMeans(d))^2); "
    "2 * pt(-abs(d[1, 1] / sqrt(mean(v))), 5)",
    formula="t = first_difference / sqrt((variance_1 + variance_2 + variance_3 + variance_4 + variance_5) / 5)",
    exempt={"order": "only the first of the ten differences is in the numerator"},
    name="Dietterich 5x2cv t",
)
def dietterich_5x2_t(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Dietterich's 5x2cv paired t: rows are the five repeats, columns the two folds."""
    table = _five_by_two(differences)
    asked = MethodQuestion.of("dietterich_5x2_t", level=level, alternative=alternative, unit="fold")
    variances, first = _pair_variances(table), float(table[0, 0])
    details: Details = (
        ("first_difference", first),
        ("mean_difference", float(table.mean())),
        *((f"variance_{i}", float(value)) for i, value in enumerate(variances, 1)),
        ("df", 5),
    )
    if _same_within(table):
        effect = asked.estimate("difference", first, 10)
        outcome = asked.unanswered(effect, _NO_SPREAD_WITHIN, details=details)
    else:
        error = float(np.sqrt(variances.mean()))
        details = (*details, ("standard_error", error))
        outcome = asked.t_test("difference", first, error, 5, 10, details=details)
    return with_notes(
        outcome, note("depends-on-order", statistic="5x2 t", instead="alpaydin_5x2_f")
    )


@method(
    question="Do two algorithms differ, over five repeats of two folds, by all ten differences?",
    takes="replicated-pairs",
    gives="test",
    unit="fold",
    assumes=("differences are near normal", "the ten squares are independent of the variances"),
    reference="alpaydin1999",
    requirement="T7",
    same_as="R: d <- {differences}; v <- rowSums((d - rowMeans(d))^2); "
    "pf(sum(d^2) / (2 * sum(v)), 10, 5, lower.tail = FALSE)",
    formula="F = sum_of_squares / (2 sum_of_variances)",
    name="Alpaydin 5x2cv F",
)
def alpaydin_5x2_f(differences: ArrayLike, *, level: float = 0.95) -> TestOutcome:
    """Alpaydin's combined 5x2cv F: rows are the five repeats, columns the two folds.

    The interval is the set of differences that, subtracted from all ten, are not rejected:
    sum (d - delta)^2 <= 2 F_critical sum(variances), a quadratic in delta. It can be empty.
    """
    table = _five_by_two(differences)
    asked = MethodQuestion.of("alpaydin_5x2_f", level=level, unit="fold")
    mean, variances = float(table.mean()), float(_pair_variances(table).sum())
    squares = float((table**2).sum())
    details: Details = (
        ("sum_of_squares", squares),
        ("sum_of_variances", variances),
        ("df1", 10),
        ("df2", 5),
    )
    if _same_within(table):
        effect = asked.estimate("mean_difference", mean, 10)
        return asked.unanswered(effect, _NO_SPREAD_WITHIN, details=details)
    f = squares / (2.0 * variances)
    interval = _f_interval(asked, table, variances)
    return asked.outcome(
        f,
        float(fdtrc(10, 5, f)),
        asked.estimate("mean_difference", mean, 10, interval),
        notes=() if interval else (note("empty-interval", level=asked.level),),
        details=details,
    )


class _Said(NamedTuple):
    """How the splits were made, in one of the three ways, and how cautious the test is."""

    folds: int | None
    test_share: float | None
    n_test: PerFold | None
    n_train: PerFold | None
    caution: float = 1.0  # how many times the correction is taken
    hidden: float = 0.0  # the standard deviation over training sets that splits do not show

    def splits(self, resamples: int) -> Splits:
        folds, test_share, n_test, n_train = self[:4]
        return splits_of(
            resamples, folds=folds, test_share=test_share, n_test=n_test, n_train=n_train
        )


def _five_by_two(differences: ArrayLike) -> FloatArray:
    table = as_matrix(differences, "differences")
    if table.shape != (5, 2):
        raise EvidenceError(
            f"5x2 tests take five repeats (rows) of two folds (columns); got shape {table.shape}. "
            "For other designs use corrected_resampled_t"
        )
    return table


def _scale(*arrays: FloatArray) -> float:
    return max(float(np.abs(array).max()) for array in arrays)


def _same_within(table: FloatArray) -> bool:
    """Whether the two folds of every repeat agree, so that all five variances are zero."""
    return float(np.abs(np.diff(table)).max()) <= TIE * _scale(table)


def _pair_variances(table: FloatArray) -> FloatArray:
    """s_i^2 = (d_i1 - m_i)^2 + (d_i2 - m_i)^2: deviations from the pair's mean, not divided."""
    variances: FloatArray = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return variances


def _f_interval(asked: MethodQuestion, table: FloatArray, variances: float) -> Interval | None:
    mean = float(table.mean())
    slack = 2.0 * float(fdtri(10, 5, asked.level)) * variances - float(((table - mean) ** 2).sum())
    if slack < 0.0:
        return None
    reach = float(np.sqrt(slack / table.size))
    return asked.around(mean, reach)


def _t_test(
    asked: MethodQuestion,
    measure: str,
    values: FloatArray,
    *,
    scale: float,
    factor: float,
    hidden: float = 0.0,
) -> TestOutcome:
    """A t test whose variance of the mean is ``factor`` times that of the values, and ``hidden`` squared."""
    mean, n = float(values.mean()), values.size
    details: Details = (("mean", mean), ("folds", n), ("df", n - 1))
    sd = float(values.std(ddof=1)) if n > 1 else 0.0
    if sd == 0.0 or float(np.ptp(values)) <= TIE * scale:  # squares of 1e-200 are none
        why = ONE_FOLD if n == 1 else NO_SPREAD
        return asked.unanswered(asked.estimate(measure, mean, n), why, details=details)
    error = math.hypot(sd * math.sqrt(factor), hidden)
    details = (*details, ("sd", sd), ("standard_error", error))
    return asked.t_test(measure, mean, error, n - 1, n, details=details)


def _paired(asked: MethodQuestion, a: ArrayLike, b: ArrayLike | None, how: _Said) -> TestOutcome:
    """Two algorithms over the same splits."""
    first, second = as_pairs(a, b)
    return _corrected(asked, "mean_difference", first - second, how, _scale(first, second))


def _alone(asked: MethodQuestion, scores: ArrayLike, how: _Said) -> TestOutcome:
    """One algorithm against a level."""
    values = as_values(scores, "scores")
    return _corrected(asked, "mean", values, how, _scale(values))


def _corrected(
    asked: MethodQuestion, measure: str, values: FloatArray, how: _Said, scale: float
) -> TestOutcome:
    """A corrected t, with the uncorrected one beside it in the details."""
    n, splits = values.size, how.splits(values.size)
    factor = 1.0 / n + how.caution * splits.ratio
    found = _t_test(asked, measure, values, scale=scale, factor=factor, hidden=how.hidden)
    naive = p_naive = None
    if found.statistic is not None:
        error = float(values.std(ddof=1)) * float(np.sqrt(1.0 / n))
        naive = (float(values.mean()) - asked.null) / error
        p_naive = t_p(naive, n - 1, asked.side)
    beside: Details = (
        ("ratio", splits.ratio),
        ("t_uncorrected", naive),
        ("p_uncorrected", p_naive),
        *((("training_sd", how.hidden),) if how.caution != 1.0 else ()),
    )
    heuristic = (_heuristic(asked.method, n, splits.ratio),) if how.caution == 1.0 else ()
    return replace(
        found,
        details=(*found.details, *beside),
        notes=(*found.notes, *splits.notes, *heuristic),
    )


@lru_cache(maxsize=256)
def _heuristic(method_id: str, n: int, ratio: float) -> Note:
    """One note for all pairs of a design."""
    measured = measured_level(method_id, n, ratio)
    return note("heuristic-level", method=method_id, measured=measured)
