"""Two algorithms on one data set, the variance of training measured: disjoint halves, nested folds."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.checks import as_matrix, check_alternative, check_level
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval, TestOutcome
from assay.core.tolerances import TIE
from assay.core.vocabulary import Alternative, Unit
from assay.estimates.folds import ITEMS
from assay.estimates.nested_errors import nested_errors, nested_table
from assay.kernels.tails import ends, normal_p, normal_reach


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
    same_as="R: d <- {differences}; 2 * pnorm(-abs(({mean} - {null}) / sqrt(mean((d[, 1] - d[, 2])^2) / 2)))",
    formula="z = (mean - null) / standard_error, "
    "standard_error² = sum of (first half - second half)² / (2 pairs)",
    name="conservative z",
    undrawn="disjoint halves of one sample, each trained and tested within",
)
def conservative_z(
    differences: ArrayLike,
    *,
    mean: float | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Nadeau and Bengio's conservative z: rows are repeats, columns the two disjoint halves.

    Each cell is the difference of the two algorithms, averaged over splits within that half of the
    data. ``mean`` is the difference over splits of **all** the data, of which the halves tell the
    variance; without it the mean of the halves stands in, for training sets half as large.
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
    trained = "within half of the data" if mean is None else "of the splits behind mean"
    return _z_test(
        "conservative_z",
        value,
        math.sqrt(float(np.mean(halves**2)) / 2.0) if spread else 0.0,
        null=null,
        alternative=alternative,
        level=level,
        n=table.size,
        unit="fold",
        details=(
            ("mean", value),
            ("pairs", len(table)),
            ("covers", f"the expected difference at the training size {trained}"),
        ),
        flat=note("zero-variance", what="the halves", method="conservative_z", remedy=ITEMS),
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
    return _z_test(
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


def _z_test(
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
) -> TestOutcome:
    """A z test and the interval that inverts it; neither where the standard error is zero."""
    side, varies = check_alternative(alternative), error > 0.0
    z = (value - null) / error if varies else None
    low, high = ends(value, normal_reach(check_level(level), side) * error, side)
    interval = Interval(low=low, high=high, level=level, method=name, alternative=side)
    return TestOutcome(
        method=name,
        statistic=z,
        p_value=None if z is None else normal_p(z, side),
        effect=Estimate(
            measure="mean_difference",
            value=value,
            interval=interval if varies else None,
            method=name,
            n=n,
            unit=unit,
            standard_error=error if varies else None,
        ),
        alternative=side,
        null=float(null),
        notes=notes if varies else (*notes, flat),
        details=details if not varies else (*details, ("z", z)),
    )
