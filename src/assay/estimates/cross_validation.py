"""The error of a learner from cross-validation, with an interval that names what it covers (I10).

The methods work on the losses and scores that cross-validation leaves behind; `nested_cv_run` in
learner_losses.py makes those of the nested scheme with a scikit-learn estimator. The corrected t over
fold scores is `corrected_t_interval` in hypotheses/resampled_scores.py.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import BoolArray, FloatArray, IndexArray
from assay.core.checks import (
    as_pairs,
    as_values,
    check_choice,
)
from assay.core.errors import NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, TestOutcome
from assay.core.tolerances import NOISE
from assay.estimates.method_question import MethodQuestion
from assay.estimates.nested_errors import fold_codes, nested_errors, nested_table
from assay.estimates.out_of_bag import loss_estimate
from assay.estimates.roc import PRIOR_ITEMS, newcombe_limits, newcombe_variance
from assay.evidence.argument_checks import TruthAndScores, as_scored_labels
from assay.kernels.auc import placements
from assay.kernels.delong import delong_covariance
from assay.kernels.ranks import mean_differences
from assay.kernels.tails import normal_p

Variance = Literal["all-pairs", "within-fold"]
VARIANCES: tuple[Variance, ...] = ("all-pairs", "within-fold")
Average = Literal["fold-mean", "pooled"]
AVERAGES: tuple[Average, ...] = ("fold-mean", "pooled")

_STABLE = (
    "independent items",
    "a learner so stable that leaving out one training item hardly changes its error",
)


@method(
    question="How large is the error of the models of a cross-validation?",
    takes="fold-losses",
    gives="estimate",
    unit="item",
    assumes=_STABLE,
    reference="bayle2020",
    requirement="I10",
    same_as="R: mlr3inferr, msr('ci.wald_cv')  # wald_low and wald_high",
    formula="mean ± z sqrt(variance/n); Wilson's shape of it for error rates",
    name="CV Bayle",
)
def cv_bayle(
    losses: ArrayLike,
    folds: Any,
    *,
    variant: Variance = "all-pairs",
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """The cross-validated error with the interval of Bayle et al.'s central limit theorem.

    ``losses`` are of one run of K-fold cross-validation, each item judged once, ``folds`` the fold
    of each. It covers the average test error of the K models that were fitted, not the expected
    error of the learner: for that see `nested_cv` and `corrected_t_interval`.
    """
    values = as_values(losses, "losses", at_least=2)
    codes = fold_codes(folds, values.size)
    asked = MethodQuestion.of("cv_bayle", level=level, alternative=alternative)
    value, n, z = float(values.mean()), values.size, asked.z
    error = _standard_error(values, codes, check_choice(variant, VARIANCES, "variant"))
    rate = bool(np.isin(values, (0.0, 1.0)).all())
    count = int(codes.max()) + 1
    return loss_estimate(
        asked,
        value,
        error,
        n,
        rate=rate,
        positive=bool(values.min() >= 0.0),
        notes=(_stable("cv_bayle") if error > 0.0 else _flat("cv_bayle", rate=rate),),
        details=(
            ("mean", value),
            ("n", n),
            ("folds", count),
            ("variance", error**2 * n),
            ("z", z),
            ("wald_low", value - z * error),
            ("wald_high", value + z * error),
            ("covers", f"the average error of the {count} fitted models on new items"),
        ),
    )


@method(
    question="Do two algorithms differ in the errors of their cross-validated models, item by item?",
    takes="paired-fold-losses",
    gives="test",
    unit="item",
    assumes=("both algorithms met the same folds", *_STABLE),
    reference="bayle2020",
    requirement="I10",
    formula="z = (mean - null) / sqrt(variance/n)",
    name="paired CV Bayle",
    title="z test over the items of a cross-validation",
)
def paired_cv_bayle(
    loss_a: ArrayLike,
    loss_b: ArrayLike,
    folds: Any,
    *,
    null: float = 0.0,
    variant: Variance = "all-pairs",
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The losses of two algorithms on the items of one cross-validation, compared by the same theorem.

    Answers for the average of the K pairs of models that were fitted; `corrected_resampled_t`
    answers for the algorithms.
    """
    first, second = as_pairs(loss_a, loss_b, at_least=2)
    codes = fold_codes(folds, first.size)
    asked = MethodQuestion.of("paired_cv_bayle", level=level, alternative=alternative, null=null)
    differences = mean_differences(first, second)
    error = _standard_error(differences, codes, check_choice(variant, VARIANCES, "variant"))
    value, n, count = float(differences.mean()), differences.size, int(codes.max()) + 1
    details: Details = (
        ("mean", value),
        ("n", n),
        ("folds", count),
        ("variance", error**2 * n),
        ("covers", f"the average difference of the {count} pairs of models on new items"),
    )
    if error <= 0.0:
        equal = value == 0.0
        flat = note("no-disagreement", n=n) if equal else _flat(asked.method, rate=False)
        effect = asked.estimate("mean_difference", value, n)
        return asked.unanswered(effect, flat, details=details)
    z, interval = (value - null) / error, asked.around(value, asked.z * error)
    return asked.outcome(
        z,
        normal_p(z, asked.side),
        asked.estimate("mean_difference", value, n, interval, error),
        notes=(_stable(asked.method),),
        details=details,
    )


@method(
    question="How large is the error of a learner trained on all items?",
    takes="nested-losses",
    gives="estimate",
    unit="item",
    assumes=("independent items",),
    reference="bates2021",
    requirement="I10",
    same_as="R: mlr3inferr, msr('ci.ncv')",
    formula="nested - bias ± z standard_error, bias = (1 + (folds - 2)/folds) (nested - plain), "
    "standard_error² = (folds - 1)/folds mse, kept between naive² and folds naive²",
    name="nested CV",
)
def nested_cv(losses: ArrayLike, folds: Any, *, level: float = 0.95) -> Estimate:
    """Nested cross-validation: how wrong cross-validation is, measured inside the training parts.

    ``losses`` is items x folds (or repeats x items x folds): in column j the loss of the item under
    the model trained without the item's own fold and without fold j; in the column of its own fold,
    without that alone. Columns are in the order of the sorted names in ``folds``, which is one name
    per item (or repeats x items). See `nested_cv_run`.
    """
    table, codes = nested_table(losses, folds)
    found = nested_errors(table, codes)
    asked, error = MethodQuestion.of("nested_cv", level=level), found.standard_error
    rate, positive = bool(np.isin(table, (0.0, 1.0)).all()), bool(table.min() >= 0.0)
    return loss_estimate(
        asked,
        # the correction for bias may lead out of the range of the loss
        min(max(found.corrected, 0.0 if positive else -np.inf), 1.0 if rate else np.inf),
        error,
        table.shape[1],
        rate=rate,
        positive=positive,
        notes=(() if error > 0.0 else (_flat("nested_cv", rate=rate),)) + found.notes,
        details=(
            *found.details,
            ("z", asked.z),
            ("covers", "the model fitted to all items, and the learner at this sample size"),
        ),
    )


@method(
    question="How well do cross-validated scores rank positives above negatives?",
    takes="fold-scored-labels",
    gives="estimate",
    unit="item",
    assumes=_STABLE,
    reference="LeDell, Petersen & van der Laan (2015), Electronic Journal of Statistics 9: 1583-1607; "
    "assay, docs/methods/cross_validation.md",
    requirement="I10",
    same_as="R: cvAUC::ci.cvAUC(scores, truth, folds = folds)  # ledell_low and ledell_high, without ties",
    formula="(area - A)² = z² ratio V(A) as in auc_score, variance = Σ (s₁²/m₁ + s₀²/m₀)/folds²",
    name="CV AUC",
)
def cv_auc(
    truth: Any,
    scores: ArrayLike,
    folds: Any,
    *,
    variant: Average = "fold-mean",
    level: float = 0.95,
) -> Estimate:
    """The cross-validated AUC: the mean of the areas within folds, with an interval.

    Every fold needs items of both classes (stratify). "pooled" ranks the scores of all models
    together; leave-one-out scores are refused, because pooling them puts noise below 0.5.
    """
    labels = as_scored_labels(truth, scores)
    codes = fold_codes(folds, labels.truth.size)
    kind = check_choice(variant, AVERAGES, "variant")
    _check_rankable(labels.truth, codes, kind)
    asked = MethodQuestion.of("cv_auc", level=level)
    z = asked.z
    area = _fold_mean(labels, codes, z) if kind == "fold-mean" else _pooled(labels)
    count, n = int(codes.max()) + 1, labels.truth.size
    n_positive = int(np.count_nonzero(labels.truth))
    sizes = (n_positive, n - n_positive)
    ratio, varies = 1.0, area.variance > 1e-14
    if varies:
        rarer, alone = min(sizes), newcombe_variance(area.value, *sizes)
        ratio = (rarer * area.variance / alone + PRIOR_ITEMS) / (rarer + PRIOR_ITEMS)
    pooled = (note("pooled-scores", folds=count),) if kind == "pooled" else ()
    return asked.estimate(
        "roc_auc",
        area.value,
        n,
        asked.sided(newcombe_limits(area.value, *sizes, z, ratio)),
        math.sqrt(area.variance) if varies else None,
        notes=(_stable("cv_auc"), *pooled),
        details=(
            ("area", area.value),
            ("folds", count),
            ("n_positive", n_positive),
            ("n_negative", n - n_positive),
            ("variance", area.variance if varies else None),
            ("z", z),
            ("ratio", ratio),
            *area.details,
            ("covers", f"the average area of the {count} fitted models on new items"),
        ),
    )


class _AverageArea(NamedTuple):
    value: float
    variance: float  # NaN where no class has two items in a fold
    details: Details = ()


def _standard_error(values: FloatArray, codes: IndexArray, variant: Variance) -> float:
    """Of the mean loss: Bayle et al. (2020), eq. 4.1 (within folds) and 4.2 (all pairs)."""
    n = values.size
    if variant == "all-pairs":
        variance = float(values.var())
    else:
        sizes = np.bincount(codes)
        if sizes.min() < 2:
            raise NotApplicable(
                "the variance within folds needs two items in every fold; leave-one-out has one: "
                "use variant='all-pairs'"
            )
        means = np.bincount(codes, weights=values) / sizes
        within = np.bincount(codes, weights=(values - means[codes]) ** 2) / (sizes - 1)
        variance = float((sizes * within).sum()) / n
    error = math.sqrt(variance / n)
    return error if error > NOISE * float(np.abs(values).max()) else 0.0


def _stable(name: str) -> Note:
    return note("stable-learner", method=name)


def _flat(name: str, *, rate: bool) -> Note:
    remedy = "Wilson's interval for so many items is given" if rate else "look at the items"
    return note("zero-variance", what="the losses", method=name, remedy=remedy)


def _check_rankable(truth: BoolArray, codes: IndexArray, variant: Average) -> None:
    sizes, positives = np.bincount(codes), np.bincount(codes, weights=truth)
    if sizes.max() == 1:
        raise NotApplicable(
            "leave-one-out has one item in each fold, so nothing can be ranked within folds. "
            "Scores pooled over folds are biased: on pure noise the pooled area is near 0.43, not "
            "0.5. Use stratified folds with both classes in each"
        )
    lacking = int(np.count_nonzero((positives == 0) | (positives == sizes)))
    if lacking and variant == "fold-mean":
        raise NotApplicable(
            f"{lacking} of {sizes.size} folds have items of one class only and no area: use "
            "stratified or fewer folds"
        )
    if truth.all() or not truth.any():
        raise NotApplicable("the truth has items of one class only: there is no pair to rank")


def _fold_mean(labels: TruthAndScores, codes: IndexArray, z: float) -> _AverageArea:
    """The mean of the areas, DeLong's variance within folds, and LeDell et al.'s interval.

    LeDell et al. (2015), section 4, divide by the number of placements, which makes the variance too
    small where folds are small; here the degrees of freedom of all folds are pooled.
    """
    truth, scores = labels.truth, labels.scores[0]
    count, n = int(codes.max()) + 1, truth.size
    shares = (np.count_nonzero(truth) / n, np.count_nonzero(~truth) / n)
    areas, squares = np.empty(count), np.empty((count, 2))
    sizes = np.stack([np.bincount(codes[member], minlength=count) for member in (truth, ~truth)])
    for fold in range(count):
        member = codes == fold
        placed = placements(truth[member], scores[member])
        areas[fold] = placed[0].mean()
        squares[fold] = [((part - areas[fold]) ** 2).sum() for part in placed]
    freedom = (sizes - 1).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        within = squares.sum(axis=0) / freedom
    variance = float((within[:, None] / sizes).sum()) / count**2
    curve = (squares / np.square(shares)).sum(axis=1) / sizes.sum(axis=0)
    value, error = float(areas.mean()), math.sqrt(float(curve.mean()) / n)
    return _AverageArea(
        value,
        variance,
        details=(
            ("lowest", float(areas.min())),
            ("highest", float(areas.max())),
            ("ledell_low", max(value - z * error, 0.0) if error > 0.0 else None),
            ("ledell_high", min(value + z * error, 1.0) if error > 0.0 else None),
        ),
    )


def _pooled(labels: TruthAndScores) -> _AverageArea:
    """All scores ranked together, with DeLong's variance."""
    area, covariance = delong_covariance(labels.truth, labels.scores)
    return _AverageArea(float(area[0]), float(covariance[0, 0]))
