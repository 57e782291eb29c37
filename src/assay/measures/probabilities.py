"""Measures of predicted probabilities: log loss and the Brier score.

Predictions are ``(n, C)`` with truth as class codes, or ``(n,)`` probabilities of class 1.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IndexArray
from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, UsageError
from assay.measures.registry import Measure, register, register_family

SUM_SLACK = 0.01
"""Rounded probabilities may miss a sum of 1 by this much."""


def log_loss(*, clip: float | None = None) -> Measure:
    """The mean of −log p(truth); infinite where the truth was called impossible, unless clipped."""
    if clip is not None and not 0.0 < clip < 0.5:
        raise UsageError(f"clip is a small probability such as 1e-15; got {clip!r}")

    def loss(truth: Any, prediction: Any) -> FloatArray:
        codes, matrix = probabilities_of(truth, prediction)
        chosen = matrix[np.arange(codes.size), codes]
        if clip is not None:
            chosen = np.clip(chosen, clip, 1.0 - clip)
        with np.errstate(divide="ignore"):
            return np.abs(np.log(chosen))  # abs: −log 1 is 0, not −0

    name = "log_loss" if clip is None else f"log_loss[{clip:g}]"
    return _mean(name, "log loss", loss, high=np.inf)


def brier(variant: Literal["auto", "sum", "half"] = "auto") -> Measure:
    """The mean squared distance of the probabilities from the truth.

    "sum" adds over the classes, "half" halves that; "auto" is (p − y)² with two classes (the
    half) and the sum with more.
    """
    check_choice(variant, ("auto", "sum", "half"), "variant")

    def loss(truth: Any, prediction: Any) -> FloatArray:
        codes, matrix = probabilities_of(truth, prediction)
        certain = np.zeros(matrix.shape)
        certain[np.arange(codes.size), codes] = 1.0
        distance = ((matrix - certain) ** 2).sum(-1)
        halved = variant == "half" or (variant == "auto" and matrix.shape[1] == 2)
        return np.asarray(distance / 2.0 if halved else distance)

    name, title = {
        "auto": ("brier", "Brier score"),
        "sum": ("brier_sum", "Brier score, sum over classes"),
        "half": ("brier_half", "Brier score, half the sum over classes"),
    }[variant]
    return _mean(name, title, loss, high=1.0 if variant == "half" else 2.0)


def probabilities_of(truth: Any, prediction: Any) -> tuple[IndexArray, FloatArray]:
    """Class codes and one row of probabilities per item, checked."""
    matrix = np.asarray(prediction, dtype=np.float64)
    if matrix.ndim == 1:
        matrix = np.stack([1.0 - matrix, matrix], axis=-1)
    codes = np.asarray(truth).astype(np.intp)
    refuse_beyond(np.asarray(~((matrix >= 0.0) & (matrix <= 1.0)).all(-1)))
    off = np.abs(matrix.sum(-1) - 1.0) > SUM_SLACK
    if off.any():
        raise EvidenceError(
            f"the probabilities of {np.count_nonzero(off)} items do not sum to 1 (first at "
            f"position {int(off.argmax())}, sum {matrix[off.argmax()].sum():.4g})"
        )
    return codes, matrix


def refuse_beyond(bad: BoolArray) -> None:
    if bad.any():
        raise EvidenceError(
            f"{np.count_nonzero(bad)} items have probabilities outside 0 to 1 (first at position "
            f"{int(bad.argmax())}): for other scores use roc_auc, or turn them into probabilities"
        )


def _mean(name: str, title: str, loss: Callable[..., FloatArray], *, high: float) -> Measure:
    return Measure(
        name=name,
        title=title,
        direction="lower",
        low=0.0,
        high=high,
        needs="probabilities",
        reduction="moments",
        function=lambda means: np.asarray(means)[..., 0],
        features=lambda truth, prediction: loss(truth, prediction)[:, None],
        is_mean=True,
        requirement="M5",
    )


def _clipped(text: str) -> Measure:
    try:
        return log_loss(clip=float(text))
    except ValueError:
        raise UsageError(
            f"log_loss[clip] takes a probability such as 1e-15; got {text!r}"
        ) from None


register(log_loss(), "cross_entropy", "nll")
for _variant in ("auto", "sum", "half"):
    register(brier(_variant))
register_family("log_loss[1e-15]", r"log_loss\[(.+)\]", _clipped)
