"""What resampling a scikit-learn learner leaves behind: the losses that the methods take.

Estimators are cloned, never fitted in place; rows are taken from arrays, sparse matrices and frames.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IndexArray
from assay.core.checks import check_choice, check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.rng import Rng, seed_of, stream

Loss = Literal["zero-one", "squared", "absolute"]
LOSSES: tuple[Loss, ...] = ("zero-one", "squared", "absolute")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BootstrapRun:
    """What training on bootstrap samples leaves behind."""

    fitted: FloatArray
    """The loss of each item under the model trained on all items."""
    out_of_bag: FloatArray
    """(samples, items): the loss of each item under each sample's model, NaN where it trained it."""
    no_information: float
    """What the loss would be if predictions had nothing to do with the truth."""
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NestedRun:
    """What nested cross-validation leaves behind, as `nested_cv` takes it."""

    losses: FloatArray
    """(repeats, items, folds): the loss of an item whose fold and this fold were not trained on."""
    folds: IndexArray
    """(repeats, items)"""
    seed: int


def losses_of(truth: ArrayLike, predictions: Any, loss: Loss = "zero-one") -> FloatArray:
    """The loss of every prediction, NaN where there is none (NaN or None).

    ``predictions`` is one row of n, or a matrix of rows, such as bootstrap samples x items.
    """
    kind = check_choice(loss, LOSSES, "loss")
    expected, given = np.asarray(truth), np.asarray(predictions)
    if (
        {expected.dtype.kind, given.dtype.kind} & set("US")
        and "O"
        not in (
            expected.dtype.kind,
            given.dtype.kind,
        )
        and expected.dtype.kind != given.dtype.kind
    ):
        raise EvidenceError(
            f"truth is {expected.dtype} and the predictions are {given.dtype}: give both as text "
            "or both as numbers"
        )
    if expected.ndim != 1 or given.shape[-1:] != expected.shape:
        raise EvidenceError(
            f"truth has shape {expected.shape} and predictions {given.shape}: the last dimension "
            "of the predictions must be the items"
        )
    if kind == "zero-one":
        missing = (given == np.array(None)) | (given != given)
        return np.where(missing, np.nan, given != expected)
    try:
        errors = given.astype(np.float64) - expected.astype(np.float64)
    except (TypeError, ValueError):
        raise EvidenceError(f"{kind} loss needs numbers; for labels use zero-one") from None
    return np.asarray(errors**2 if kind == "squared" else np.abs(errors))


def no_information_rate(truth: ArrayLike, predictions: Any, loss: Loss = "zero-one") -> float:
    """The mean loss over all pairs of a truth and a prediction of any items.

    From the margins: shares of classes for labels, moments for squared errors, one sort for
    absolute ones; never all n² pairs.
    """
    losses_of(truth, predictions, loss)  # checks
    expected, given = np.asarray(truth), np.asarray(predictions).ravel()
    if loss == "zero-one":
        joined = np.concatenate([expected, given])
        names = joined.astype(str) if joined.dtype == object else joined
        classes, codes = np.unique(names, return_inverse=True)
        shares = np.bincount(codes[: expected.size], minlength=classes.size) / expected.size
        called = np.bincount(codes[expected.size :], minlength=classes.size) / given.size
        return float((shares * (1.0 - called)).sum())
    numbers, answers = expected.astype(np.float64), given.astype(np.float64)
    if loss == "squared":
        return float(numbers.var() + answers.var() + (numbers.mean() - answers.mean()) ** 2)
    ordered = np.sort(answers)
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    below = np.searchsorted(ordered, numbers)
    apart = numbers * (2 * below - ordered.size) + sums[-1] - 2.0 * sums[below]
    return float(apart.mean() / ordered.size)


def bootstrap_run(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    loss: Loss = "zero-one",
    n_resamples: int = 200,
    rng: Rng = None,
) -> BootstrapRun:
    """Train clones of a scikit-learn estimator on all items and on bootstrap samples of them.

    A sample in which only one class occurs is drawn again where the loss is zero-one. ``X`` may be
    a frame. The estimator itself is left as it is.
    """
    from sklearn.base import clone

    check_choice(loss, LOSSES, "loss")
    size, seed = check_count(n_resamples, "n_resamples", at_least=1), seed_of(rng)
    truth = np.asarray(y)
    n = truth.size
    classes = np.unique(truth).size
    whole = np.asarray(clone(estimator).fit(X, y).predict(X))
    found = np.full((size, n), np.nan)
    for replicate in range(size):
        generator = stream(seed, replicate)
        drawn = generator.integers(0, n, n)
        while loss == "zero-one" and classes > 1 and np.unique(truth[drawn]).size < 2:
            drawn = generator.integers(0, n, n)
        out = np.flatnonzero(np.bincount(drawn, minlength=n) == 0)
        if out.size:
            model = clone(estimator).fit(rows_of(X, drawn), rows_of(y, drawn))
            found[replicate, out] = losses_of(truth[out], model.predict(rows_of(X, out)), loss)
    return BootstrapRun(
        fitted=losses_of(truth, whole, loss),
        out_of_bag=found,
        no_information=no_information_rate(truth, whole, loss),
        seed=seed,
    )


def bagged_losses(ensemble: Any, y: Any, *, loss: Loss = "zero-one") -> FloatArray:
    """The out-of-bag loss of each item of a fitted bagged learner of scikit-learn.

    From its ``oob_decision_function_`` (the class with most votes) or ``oob_prediction_``; NaN for
    an item that every member trained on. Give the result to `out_of_bag`.
    """
    truth = np.asarray(y)
    votes = getattr(ensemble, "oob_decision_function_", None)
    answers = getattr(ensemble, "oob_prediction_", None)
    if votes is not None:
        voted = np.nan_to_num(np.asarray(votes, dtype=np.float64), nan=-1.0)
        predictions = np.asarray(ensemble.classes_)[voted.argmax(axis=1)]
    elif answers is not None:
        predictions = np.asarray(answers)
    else:
        raise UsageError(
            "the learner has no out-of-bag predictions: fit it with oob_score=True (bagging, "
            "random forests, extra trees with bootstrap=True)"
        )
    out = np.zeros(truth.size, dtype=bool)
    for sample in ensemble.estimators_samples_:
        member = np.zeros(truth.size, dtype=bool)
        member[np.asarray(sample)] = True
        out |= ~member
    return np.where(out, losses_of(truth, predictions, loss), np.nan)


def rows_of(table: Any, rows: IndexArray) -> Any:
    """The rows of an array, a sparse matrix or a frame, in this order."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return np.asarray(table)[rows] if isinstance(table, list | tuple) else table[rows]


def nested_cv_run(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    folds: int = 10,
    repeats: int = 20,
    loss: Loss = "zero-one",
    rng: Rng = None,
) -> NestedRun:
    """Train clones of a scikit-learn estimator in the nested scheme: every fold and pair left out.

    folds (folds + 1)/2 models for each repeat. ``X`` may be a frame; the estimator is left as it is.
    """
    from sklearn.base import clone

    kind, seed = check_choice(loss, LOSSES, "loss"), seed_of(rng)
    count = check_count(folds, "folds", at_least=3)
    rounds = check_count(repeats, "repeats", at_least=1)
    truth = np.asarray(y)
    n = truth.size
    if n < 2 * count:
        raise UsageError(f"{n} items in {count} folds: every fold needs at least two items")
    found, codes = np.empty((rounds, n, count)), np.empty((rounds, n), dtype=np.intp)
    for turn in range(rounds):
        codes[turn] = stream(seed, turn).permutation(np.arange(n) % count)
        for one in range(count):
            for other in range(one, count):
                tested = np.flatnonzero(np.isin(codes[turn], (one, other)))
                kept = np.setdiff1d(np.arange(n), tested)
                model = clone(estimator).fit(rows_of(X, kept), rows_of(y, kept))
                lost = losses_of(truth[tested], model.predict(rows_of(X, tested)), kind)
                column = np.where(codes[turn, tested] == one, other, one)
                found[turn, tested, column] = lost
    return NestedRun(losses=found, folds=codes, seed=seed)
