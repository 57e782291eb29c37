"""A user's own measure: any function of (truth, prediction[, weight])."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.arrays import IndexArray
from assay.core.checks import check_choice
from assay.core.errors import NotApplicable, UsageError
from assay.core.vocabulary import SENSES
from assay.measures.registry import Measure, Needs

WEIGHT_NAMES = ("sample_weight", "weight", "weights")
EXPANDED_ROWS = 10_000_000
"""Up to so many rows are copied for a function that takes no weights."""


def from_function(
    function: Callable[..., float],
    *,
    name: str | None = None,
    direction: str = "unknown",
    needs: Needs = "labels",
    low: float = -np.inf,
    high: float = np.inf,
) -> Measure:
    """A measure from a function of (truth, prediction[, weight]).

    With a parameter called weight, weights or sample_weight, resampled data arrive as
    whole-number weights, else as copied rows, which is slower. Say ``direction="lower"`` for a
    loss, "higher" for a gain: nothing is called better before; ``needs`` says what the function takes as prediction.
    """
    if not callable(function) or isinstance(function, type):
        raise UsageError(f"a measure is a function of (truth, prediction); got {function!r}")
    if _takes_more(function):
        raise UsageError(
            f"a measure is a function of (truth, prediction); {function!r} takes other arguments. Of a scorer of "
            "scikit-learn give the function that it was made of"
        )
    called = getattr(function, "__name__", "custom")
    title = name or ("custom" if called == "<lambda>" else called)
    parameter = _weight_parameter(function)

    def evaluated(truth: Any, prediction: Any, weight: Any = None) -> float:
        if weight is None:
            return _number(function(truth, prediction), title)
        if parameter is not None:
            return _number(function(truth, prediction, **{parameter: weight}), title)
        rows = copied_rows(weight, title)
        return _number(function(np.asarray(truth)[rows], np.asarray(prediction)[rows]), title)

    return Measure(
        name=title,
        title=title,
        direction=check_choice(direction, SENSES, "direction"),
        low=low,
        high=high,
        needs=needs,
        reduction="rows",
        function=evaluated,
    )


def check_copies(weight: Any, name: str) -> IndexArray:
    """Weights that stand for copies of items: whole numbers of at least 0."""
    weights = np.asarray(weight)
    counts = weights.astype(np.intp)
    if (counts != weights).any() or (counts < 0).any():
        raise NotApplicable(
            f"{name} takes counts, not importance weights; a function of your own with a "
            "parameter called weight can use them"
        )
    return counts


def copied_rows(weight: Any, name: str) -> IndexArray:
    """The rows, each as often as its weight says, for a function that takes no weights."""
    counts = check_copies(weight, name)
    if int(counts.sum()) > EXPANDED_ROWS:
        raise NotApplicable(
            f"{name} takes no weights, so {int(counts.sum()):,} rows would have to be copied "
            f"(limit {EXPANDED_ROWS:,}): give the function a parameter called weight"
        )
    return np.repeat(np.arange(counts.size), counts)


def _takes_more(function: Callable[..., Any]) -> bool:
    """Whether a function cannot be called with a truth and a prediction alone."""
    try:
        inspect.signature(function).bind(None, None)
    except ValueError:  # some functions written in C do not tell
        return False
    except TypeError:
        return True
    return False


def _weight_parameter(function: Callable[..., Any]) -> str | None:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # some functions written in C do not tell
        return None
    return next((name for name in WEIGHT_NAMES if name in parameters), None)


def _number(value: Any, name: str) -> float:
    try:
        return float("nan") if value is None else float(value)
    except (TypeError, ValueError):
        raise UsageError(
            f"{name} must return one number (None or NaN where undefined); it returned "
            f"{type(value).__name__}"
        ) from None
