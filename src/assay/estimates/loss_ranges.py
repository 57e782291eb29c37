"""How large a loss, or the difference of two, can be on an item: by the measure, or by what was predicted."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import UsageError
from assay.evidence.item_arrays import Columns
from assay.measures.registry import Measure

Ends = tuple[float, float]
MANY = 20_000
"""Items beyond which no single outcome moves a mean by much: what else could have happened is not worked out."""


def with_largest_loss(measure: Measure, max_loss: float | None) -> Measure:
    """The measure with the end that the user knows of its losses."""
    if max_loss is None:
        return measure
    if not measure.is_mean or measure.direction == "higher":
        raise UsageError(
            f"max_loss= is for means of losses of items, such as mse, mae or log_loss; {measure.called} is none"
        )
    low = measure.low if math.isfinite(measure.low) else 0.0
    if not (low < max_loss <= measure.high and math.isfinite(max_loss)):
        raise UsageError(
            f"max_loss={max_loss:g} is not a loss that {measure.called} can have: it lies between "
            f"{low:g} and {measure.high:g}"
        )
    return replace(measure, low=low, high=float(max_loss))


def check_losses(losses: FloatArray, measure: Measure) -> None:
    """Refuse losses beyond the ends that were told."""
    least, largest = float(losses.min(initial=math.inf)), float(losses.max(initial=-math.inf))
    slack = 1e-9 * (abs(measure.high) if math.isfinite(measure.high) else 0.0)
    if largest > measure.high + slack:
        raise UsageError(
            f"max_loss={measure.high:g} is too small: the largest {measure.called} of an item here is {largest:g}"
        )
    if least < measure.low - slack:
        raise UsageError(
            f"max_loss= says that losses lie between {measure.low:g} and {measure.high:g}; one here is {least:g}"
        )


def loss_ends(measure: Measure, columns: Columns, model: int = 0) -> Ends:
    """The least and the largest loss of an item: of the measure, or had another class been true."""
    high = _worst(measure, columns)
    if math.isinf(high) and (losses := _possible(measure, columns)) is not None:
        high = _largest(losses[model])
    return measure.low, high


def largest_difference(measure: Measure, columns: Columns) -> float | None:
    """How far the losses of two models can differ on an item; None where that has no end."""
    farthest = float(largest_differences(measure, columns, ((0, 1),))[0])
    return farthest if math.isfinite(farthest) else None


def largest_differences(
    measure: Measure, columns: Columns, places: Sequence[tuple[int, int]]
) -> FloatArray:
    """The same of the pairs of models at some places; infinite where it has no end."""
    high = _worst(measure, columns)
    if math.isfinite(high) and math.isfinite(measure.low):
        return np.full(len(places), high - measure.low)
    losses = _possible(measure, columns)
    if losses is None:
        return np.full(len(places), math.inf)
    with np.errstate(invalid="ignore"):  # both called it impossible
        return np.array([_largest(np.abs(losses[a] - losses[b])) or math.inf for a, b in places])


def t_variant(measure: Measure, bound: float | None) -> Literal["skewed", "squares"]:
    """The variant of `paired_t` for losses of two models: squares without an end may hide large errors."""
    return "squares" if measure.squared and bound is None else "skewed"


def _worst(measure: Measure, columns: Columns) -> float:
    """The largest loss: of probabilities, that of being sure of another class, if the measure has an end."""
    if (
        measure.needs == "losses"
        and measure.direction == "higher"
        and not _reaches(measure, columns)
    ):
        return math.inf
    if measure.needs != "probabilities" or math.isinf(measure.high) or measure.features is None:
        return measure.high
    sure = np.eye(_classes(columns))[:1]
    return min(measure.high, float(measure.features(np.ones(1, np.intp), sure)[0, 0]))


def _reaches(measure: Measure, columns: Columns) -> bool:
    """Whether any score stands at an end of the range; none may be meant to, of scores that a user brings."""
    values = columns.predictions
    return bool(((values <= measure.low) | (values >= measure.high)).any())


def _possible(measure: Measure, columns: Columns) -> FloatArray | None:
    """What every item would cost each model, were each class in turn the true one: (models, classes, items)."""
    if measure.needs != "probabilities" or measure.features is None or columns.n > MANY:
        return None
    features = measure.features
    return np.array(
        [
            [
                features(np.full(columns.n, code), predicted)[:, 0]
                for code in range(_classes(columns))
            ]
            for predicted in columns.predictions
        ]
    )


def _largest(losses: FloatArray) -> float:
    """The largest finite loss; what was called impossible would cost any sum, and is left out."""
    return float(losses[np.isfinite(losses)].max(initial=0.0))


def _classes(columns: Columns) -> int:
    return 2 if columns.predictions.ndim == 2 else int(columns.predictions.shape[2])
