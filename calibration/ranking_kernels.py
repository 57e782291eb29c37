"""Areas under ROC curves and average precisions without each cluster, of many rankings at a time.

`ranking_kernels.c` walks down each ranking once. Where there is no compiler every cluster is left out in turn,
which says the same and takes long; tests hold both together. No two scores tie.
"""

import ctypes
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from calibration.fold_kernels import at, library

SOURCE = Path(__file__).with_suffix(".c")
NEGATIVE, POSITIVE, ABSENT = 0, 1, 2


class Ranked(NamedTuple):
    """Values (sets, models) and those without each unit (sets, models, units); NaN where undefined."""

    areas: tuple[Any, Any]
    precisions: tuple[Any, Any]


def ranked(scores: Any, truth: Any, weights: Any, there: Any) -> Ranked:
    """Of scores (sets, models, units, items), and truth, weights and presence (sets, units, items)."""
    sets, models, units, most = scores.shape
    kind = np.where(there, np.where(truth, POSITIVE, NEGATIVE), ABSENT).reshape(sets, -1)
    order = np.argsort(-scores.reshape(sets, models, -1), axis=-1)
    found = np.empty((2, sets, models, units + 1))
    kind, unit = kind.astype(np.uint8), np.repeat(np.arange(units, dtype=np.int32), most)
    weight = np.ascontiguousarray(weights.reshape(sets, -1), dtype=np.float64)
    compiled = library(SOURCE)
    if compiled is None:
        for each in np.ndindex(sets, models):
            found[:, *each] = _plain(kind[each[0]], weight[each[0]], unit, order[each], units)
    else:
        sizes = (ctypes.c_int64(one) for one in (sets, models, kind.shape[1], units))
        arrays = (order, kind, unit, weight, found[0], found[1])
        compiled.ranked(*sizes, *(at(one) for one in arrays))
        found[found < 0.0] = np.nan
    areas, precisions = ((one[..., -1], one[..., :-1]) for one in found)
    return Ranked(areas, precisions)


def _plain(kind: Any, weight: Any, unit: Any, order: Any, units: int) -> Any:
    """The area and the precision without each unit, then of all: (2, units + 1)."""
    kind, weight, unit = kind[order], weight[order], unit[order]
    found = np.empty((2, units + 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        for left_out in range(units + 1):
            kept = np.where(unit == left_out, 0.0, weight)
            positive, negative = kept * (kind == POSITIVE), kept * (kind == NEGATIVE)
            tp, fp = np.cumsum(positive), np.cumsum(negative)
            found[0, left_out] = (positive * (fp[-1] - fp)).sum() / (tp[-1] * fp[-1])
            shares = positive * tp / np.where(positive > 0.0, tp + fp, 1.0)
            found[1, left_out] = shares.sum() / tp[-1]
    return found
