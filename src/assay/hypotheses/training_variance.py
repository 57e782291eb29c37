"""Two algorithms on one data set, the variance of training measured: halves, nested folds, single items, bootstrap."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.checks import as_matrix, as_values
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, TestOutcome
from assay.core.tolerances import TIE
from assay.core.vocabulary import Alternative, Unit
from assay.estimates.folds import ITEMS
from assay.estimates.method_question import MethodQuestion
from assay.estimates.nested_errors import nested_errors, nested_table
from assay.kernels.tails import normal_p, normal_reach


@method(
    question="Do two algorithms differ, with a variance from disjoint halves of the data?",
    takes="replicated-pairs",
    gives="test",
    unit="fold",
    assumes=(
        "the two halves of a repeat share no item",
        "results of half the data vary no less than those of all of it",
    ),
    reference="nadeau2003",
    requirement="T6",
    same_as="R: d <- {differences}; "
    "2 * pnorm(-abs(({mean} - {null}) / sqrt(mean((d[, 1] - d[, 2])^2) / 2 / 2^{rate})))",
    formula="z = (mean - null) / standard_error, "
    "standard_error² = sum_of_squares / (2 pairs) / 2^rate",
    name="conservative z",
    undrawn="disjoint halves of one sample, each trained and tested within",
)
def conservative_z(
    differences: ArrayLike,
    *,
    mean: float | None = None,
    quarters: ArrayLike | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Nadeau and Bengio's conservative z: rows are repeats, columns the two disjoint halves.

    Each cell is the difference of the two algorithms, averaged over splits within that half of the
    data. ``mean`` is the difference over splits of **all** the data, of which the halves tell the
    variance; without it the mean of the halves stands in, for training sets half as large.
    ``quarters`` are the same of disjoint quarters, four columns: how much less halves vary than they
    tells how much less the whole does (Politis and Romano), from not at all to half.
    """
    table = as_matrix(differences, "differences")
    if table.shape[1] != 2:
        raise EvidenceError(
            "conservative_z takes repeats (rows) of two disjoint halves (columns); got shape "
            f"{table.shape}. For scores of folds use cautious_resampled_t"
        )
    value = float(table.mean()) if mean is None else float(mean)
    if not math.isfinite(value):
        raise EvidenceError(f"mean is the difference over splits of all the data; got {mean!r}")
    halves = np.diff(table)
    spread = float(np.abs(halves).max()) > TIE * float(np.abs(table).max())
    squares, pairs = float(np.sum(halves**2)), len(table)
    rate = 0.0 if quarters is None or not spread else _rate(quarters, squares / (2.0 * pairs))
    trained = "within half of the data" if mean is None else "of the splits behind mean"
    return _answered(
        "conservative_z",
        value,
        math.sqrt(squares / (2.0 * pairs) / 2.0**rate) if spread else 0.0,
        null=null,
        alternative=alternative,
        level=level,
        n=table.size,
        unit="fold",
        details=(
            ("mean", value),
            ("pairs", pairs),
            ("sum_of_squares", squares),
            ("rate", rate),
            ("covers", f"the expected difference at the training size {trained}"),
        ),
        flat=note("zero-variance", what="the halves", method="conservative_z", remedy=ITEMS),
    )


def _rate(quarters: ArrayLike, half: float) -> float:
    """The power of n by which variances fall from quarters to halves: 1 for learners that settle, 0 for others."""
    table = as_matrix(quarters, "quarters")
    if table.shape[1] != 4:
        raise EvidenceError(
            f"quarters has cuts (rows) of four disjoint quarters (columns); got shape {table.shape}"
        )
    quarter = float(table.var(axis=1, ddof=1).mean())
    return min(max(math.log2(quarter / half), 0.0), 1.0) if quarter > 0.0 else 0.0


@method(
    question="Do two algorithms differ, with a variance from items replaced one at a time?",
    takes="sample",
    gives="test",
    unit="item",
    assumes=("independent items", "no single item moves the result much"),
    reference="austern2020",
    requirement="T6",
    same_as="R: x <- {values}; 2 * pnorm(-abs({mean} - {null}) / sqrt(sum(x^2) / 4))",
    formula="z = (mean - null) / standard_error, standard_error² = sum_of_squares / 4",
    name="replace-one z",
    undrawn="cross-validated differences of half a sample with one item replaced",
)
def replace_one_z(
    values: ArrayLike,
    *,
    mean: float = 0.0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Austern and Zhou's variance of a cross-validated difference, from items replaced one at a time.

    Cross-validate one half of the data; then again with its first item replaced by the first of the
    other half, and so on. ``values`` are by how much each replacement moved the difference, ``mean``
    the difference cross-validated on all the data.
    """
    changes = as_values(values, "values")
    squares = float(np.sum(changes**2))
    return _answered(
        "replace_one_z",
        float(mean),
        math.sqrt(squares / 4.0),
        null=null,
        alternative=alternative,
        level=level,
        n=2 * changes.size,
        unit="item",
        details=(
            ("mean", float(mean)),
            ("sum_of_squares", squares),
            ("covers", "the expected difference at the training size of the folds"),
        ),
        flat=note("zero-variance", what="the changes", method="replace_one_z", remedy=ITEMS),
    )


@method(
    question="Do two algorithms differ, with a variance from bootstrap samples cross-validated anew?",
    takes="sample",
    gives="test",
    unit="fold",
    assumes=(
        "independent items",
        "all copies of an item are on one side of a split",
        "differences of bootstrap samples are near normal",
    ),
    reference="jiang2008",
    requirement="T6",
    same_as="R: x <- {differences}; 2 * pt(-abs({mean} - {null}) / sd(x), {df})",
    formula="t = (mean - null) / standard_error, standard_error = sd of the differences",
    name="bootstrap of a cross-validation",
    title="bootstrap test of a cross-validation",
    undrawn="cross-validated differences of bootstrap samples",
)
def bootstrap_cv_t(
    differences: ArrayLike,
    *,
    mean: float | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Bootstrap case cross-validation: the ``differences`` of bootstrap samples, each cross-validated.

    ``mean`` is the difference cross-validated on the data themselves; without it theirs
    stands in, whose training sets hold fewer different items.
    """
    values = as_values(differences, "differences", at_least=2)
    value = float(values.mean()) if mean is None else float(mean)
    varies = float(np.ptp(values)) > TIE * float(np.abs(values).max())
    return _answered(
        "bootstrap_cv_t",
        value,
        float(values.std(ddof=1)) if varies else 0.0,
        null=null,
        alternative=alternative,
        level=level,
        n=values.size,
        unit="fold",
        details=(
            ("mean", value),
            ("samples", values.size),
            ("df", values.size - 1),
            ("covers", "the expected difference at the training size of the splits behind mean"),
        ),
        flat=note("zero-variance", what="the samples", method="bootstrap_cv_t", remedy=ITEMS),
        df=values.size - 1,
    )


@method(
    question="Do two algorithms differ, by nested cross-validation?",
    takes="nested-losses",
    gives="test",
    unit="item",
    assumes=("independent items", "both algorithms met the same folds"),
    reference="bates2021",
    requirement="I10",
    formula="z = (nested - bias - null) / standard_error, bias = (1 + (folds - 2)/folds) (nested - plain), "
    "standard_error² = (folds - 1)/folds mse, kept between naive² and folds naive²",
    name="nested CV of a difference",
    title="test of a difference by nested cross-validation",
    undrawn="differences of two learners in nested folds",
)
def nested_cv_difference(
    differences: ArrayLike,
    folds: Any,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Nested cross-validation of two algorithms: `nested_cv` of the differences of their losses.

    ``differences`` is items x folds (or repeats x items x folds): in column j the loss of A minus
    that of B on the item, both trained without the item's own fold and without fold j; in the
    column of its own fold, without that alone. Take the losses of two `nested_cv_run` with one seed.
    """
    table, codes = nested_table(differences, folds)
    found = nested_errors(table, codes)
    flat = note("zero-variance", what="the items", method="nested_cv_difference", remedy=ITEMS)
    return _answered(
        "nested_cv_difference",
        found.corrected,
        found.standard_error,
        null=null,
        alternative=alternative,
        level=level,
        n=table.shape[1],
        unit="item",
        details=(
            *found.details,
            (
                "covers",
                "the difference of models fitted to all items, and of the learners at this size",
            ),
        ),
        flat=flat,
        notes=found.notes,
    )


def _answered(
    name: str,
    value: float,
    error: float,
    *,
    null: float,
    alternative: str,
    level: float,
    n: int,
    unit: Unit,
    details: Details,
    flat: Note,
    notes: tuple[Note, ...] = (),
    df: int | None = None,
) -> TestOutcome:
    """A z test, or a t test of ``df``, and the interval that inverts it; neither where the standard error is zero."""
    asked = MethodQuestion.of(name, level=level, alternative=alternative, unit=unit, null=null)
    as_values([value, null], "mean and null")
    if error <= 0.0:
        return asked.unanswered(
            asked.estimate("mean_difference", value, n), *notes, flat, details=details
        )
    if df is not None:
        t = (value - null) / error
        details = (*details, ("t", t))
        return asked.t_test("mean_difference", value, error, df, n, notes=notes, details=details)
    z = (value - null) / error
    interval = asked.around(value, normal_reach(asked.level, asked.side) * error)
    effect = asked.estimate("mean_difference", value, n, interval, error)
    p_value = normal_p(z, asked.side)
    return asked.outcome(z, p_value, effect, notes=notes, details=(*details, ("z", z)))
