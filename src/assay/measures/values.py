"""Measures of predicted numbers, of losses and rewards per item, and of repeated attempts."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import check_count, check_size
from assay.core.errors import EvidenceError
from assay.core.vocabulary import Direction
from assay.measures.registry import Measure, Needs, register, register_family

NOISE = 64 * np.finfo(np.float64).eps
"""A variance below this share of the mean square is rounding, not spread."""


def pass_at_k(attempts: ArrayLike, correct: ArrayLike, k: int) -> FloatArray:
    """The chance that at least one of k attempts passes, per task: 1 − C(n−c, k) / C(n, k).

    Unbiased (Chen et al. 2021); NaN for tasks with fewer than k attempts.
    """
    n, c = _attempts(attempts, correct)
    return 1.0 - _all_drawn(n - c, n, check_count(k, "k", at_least=1))


def pass_all_k(attempts: ArrayLike, correct: ArrayLike, k: int) -> FloatArray:
    """The chance that all of k attempts pass, per task: C(c, k) / C(n, k) ("pass^k")."""
    n, c = _attempts(attempts, correct)
    return _all_drawn(c, n, check_count(k, "k", at_least=1))


def pass_at(k: int) -> Measure:
    """Mean pass@k over tasks; truth holds the attempts of each task, prediction the correct ones."""
    return _pass_measure("pass@", "chance that one of {} attempts passes", pass_at_k, k)


def pass_all(k: int) -> Measure:
    """Mean pass^k over tasks: how reliable, where pass@k says how capable."""
    return _pass_measure("pass^", "chance that all of {} attempts pass", pass_all_k, k)


def _pass_measure(name: str, title: str, function: Callable[..., FloatArray], k: int) -> Measure:
    size = check_count(k, "k", at_least=1)
    return _mean(
        f"{name}{size}",
        title.format(size) if size > 1 else "chance that an attempt passes",
        lambda attempts, correct: function(attempts, correct, size),
        direction="higher",
        high=1.0,
        requirement="M5",
    )


def _attempts(attempts: ArrayLike, correct: ArrayLike) -> tuple[FloatArray, FloatArray]:
    n, c = np.asarray(attempts, dtype=np.float64), np.asarray(correct, dtype=np.float64)
    whole = (n == np.floor(n)) & (c == np.floor(c)) & (c >= 0) & (n >= c)
    if not whole.all():
        raise EvidenceError(
            "pass@k counts attempts and correct ones per task: whole numbers, 0 <= correct <= "
            f"attempts; {np.count_nonzero(~whole)} tasks are otherwise"
        )
    return n, c


def _all_drawn(marked: FloatArray, n: FloatArray, k: int) -> FloatArray:
    """The chance that k draws without replacement are all marked, C(marked, k) / C(n, k)."""
    chance = np.ones(np.broadcast_shapes(marked.shape, n.shape))
    for drawn in range(k):
        chance *= np.maximum(marked - drawn, 0.0) / np.maximum(n - drawn, 1.0)
    return np.where(n >= k, chance, np.nan)


def _residual(truth: Any, prediction: Any) -> FloatArray:
    """Truth minus prediction."""
    actual, predicted = (np.asarray(one, dtype=np.float64) for one in (truth, prediction))
    check_size(actual, "the truth")
    check_size(predicted, "the predictions")
    return np.asarray(actual - predicted)


def _absolute_percentage(truth: Any, prediction: Any) -> FloatArray:
    actual = np.abs(np.asarray(truth, dtype=np.float64))
    known = np.where(actual > 0, actual, np.nan)  # undefined where the truth is 0
    return np.asarray(np.abs(_residual(truth, prediction)) / known)


def _symmetric_percentage(truth: Any, prediction: Any) -> FloatArray:
    size = np.abs(truth) + np.abs(prediction)
    return np.asarray(2.0 * np.abs(_residual(truth, prediction)) / np.where(size > 0, size, 1.0))


def _centred(values: Any) -> FloatArray:
    """Values less the one nearest their mean: variances keep their digits, constants are exactly 0."""
    array = np.asarray(values, dtype=np.float64)
    check_size(array, "the values")
    if not array.size:
        return array
    return np.asarray(array - array[np.argmin(np.abs(array - array.mean()))])


def _with_square(values: FloatArray) -> list[FloatArray]:
    return [values, values**2]


def _variance(means: FloatArray, column: int, constant: float = np.nan) -> FloatArray:
    """The variance from the mean in ``column`` and the mean square after it.

    ``constant`` stands in where nothing varies: undefined, as a denominator.
    """
    square = means[..., column + 1]
    variance = square - means[..., column] ** 2
    return np.where(variance <= NOISE * square, constant, variance)


def _r2_features(truth: Any, prediction: Any) -> FloatArray:
    return np.stack([_residual(truth, prediction) ** 2, *_with_square(_centred(truth))], axis=-1)


def _r2(means: FloatArray) -> FloatArray:
    return 1.0 - means[..., 0] / _variance(means, 1)


def _explained_features(truth: Any, prediction: Any) -> FloatArray:
    error = _centred(_residual(truth, prediction))
    return np.stack([*_with_square(error), *_with_square(_centred(truth))], axis=-1)


def _explained(means: FloatArray) -> FloatArray:
    return 1.0 - _variance(means, 0, constant=0.0) / _variance(means, 2)


def _correlation_features(truth: Any, prediction: Any) -> FloatArray:
    x, y = _centred(truth), _centred(prediction)
    return np.stack([*_with_square(x), *_with_square(y), x * y], axis=-1)


def _correlation(means: FloatArray) -> FloatArray:
    covariance = means[..., 4] - means[..., 0] * means[..., 2]
    spread = np.sqrt(_variance(means, 0)) * np.sqrt(_variance(means, 2))
    return np.asarray(np.clip(covariance / spread, -1.0, 1.0))


def _max_error(truth: Any, prediction: Any, weight: Any = None) -> float:
    errors = np.abs(_residual(truth, prediction))
    kept = errors if weight is None else errors[np.asarray(weight) > 0]
    return float(kept.max()) if kept.size else float("nan")


def _median_error(truth: Any, prediction: Any, weight: Any = None) -> float:
    """The median of the absolute errors; between two values, their middle."""
    errors = np.abs(_residual(truth, prediction))
    weights = np.ones(errors.shape) if weight is None else np.asarray(weight, dtype=np.float64)
    order = np.argsort(errors, kind="stable")
    order = order[weights[order] > 0]
    if not order.size:
        return float("nan")
    reached = np.cumsum(weights[order])
    half = reached[-1] / 2.0
    middle = [np.searchsorted(reached, half, side=side) for side in ("left", "right")]
    return float(errors[order[middle]].mean())


def _measure(
    name: str,
    title: str,
    function: Callable[..., Any],
    features: Callable[..., Any] | None,
    *,
    direction: Direction = "lower",
    low: float = 0.0,
    high: float = np.inf,
    needs: Needs = "values",
    requirement: str = "M6",
    **facts: Any,
) -> Measure:
    return Measure(
        name=name,
        title=title,
        direction=direction,
        low=low,
        high=high,
        needs=needs,
        reduction="rows" if features is None else "moments",
        function=function,
        features=features,
        requirement=requirement,
        **facts,
    )


def _first(means: Any) -> FloatArray:
    return np.asarray(means)[..., 0]


def _mean(name: str, title: str, loss: Callable[..., FloatArray], **facts: Any) -> Measure:
    """A mean of one number per item."""
    return _measure(
        name,
        title,
        _first,
        lambda truth, prediction: loss(truth, prediction)[:, None],
        is_mean=True,
        **facts,
    )


def _given(_: Any, prediction: Any) -> FloatArray:
    given = np.asarray(prediction, dtype=np.float64)
    check_size(given, "the losses")
    return given


def _share(_: Any, prediction: Any) -> FloatArray:
    """Scores from 0 to 1; others are of another kind, and their mean is undefined here."""
    scores = np.asarray(prediction, dtype=np.float64)
    return np.where((scores >= 0.0) & (scores <= 1.0), scores, np.nan)


def _squared(truth: Any, prediction: Any) -> FloatArray:
    return _residual(truth, prediction) ** 2


def _absolute(truth: Any, prediction: Any) -> FloatArray:
    return np.abs(_residual(truth, prediction))


ANY = {"low": -np.inf, "high": np.inf}
mse = register(_mean("mse", "mean squared error", _squared, squared=True), "mean_squared_error")
register(
    _measure(
        "rmse",
        "root mean squared error",
        lambda means: np.sqrt(_first(means)),
        mse.features,
    ),
    "root_mean_squared_error",
)
register(_mean("mae", "mean absolute error", _absolute), "mean_absolute_error")
register(
    _mean("mean_error", "mean error (truth minus prediction)", _residual, comparable=False, **ANY),
    "bias",
)
register(_mean("mape", "mean absolute percentage error", _absolute_percentage))
register(
    _mean("smape", "symmetric mean absolute percentage error", _symmetric_percentage, high=2.0)
)
register(
    _measure(
        "r2", "R squared", _r2, _r2_features, direction="higher", low=-np.inf, high=1.0, chance=0.0
    )
)
register(
    _measure(
        "explained_variance", "explained variance", _explained, _explained_features,
        direction="higher", low=-np.inf, high=1.0, chance=0.0,
    )
)  # fmt: skip
register(
    _measure(
        "correlation", "correlation", _correlation, _correlation_features,
        direction="higher", low=-1.0, high=1.0, chance=0.0,
    ),
    "pearson",
)  # fmt: skip
register(_measure("median_ae", "median absolute error", _median_error, None))
register(_measure("max_error", "largest absolute error", _max_error, None))
register(_mean("mean_loss", "mean loss", _given, needs="losses", **ANY), "loss")
register(
    _mean(
        "log_likelihood", "mean log likelihood", _given, needs="losses", direction="higher", **ANY
    )
)
register(_mean("mean_score", "mean score", _share, needs="losses", direction="higher", high=1.0))
register(_mean("mean_rating", "mean rating", _given, needs="losses", direction="higher", **ANY))
register(_mean("reward", "mean reward", _given, needs="losses", direction="higher", **ANY))

register_family("pass@5", r"pass@(\d+)", lambda k: pass_at(int(k)))
register_family("pass^5", r"pass\^(\d+)", lambda k: pass_all(int(k)))
