"""Intervals and p-values from replicates of a statistic: numbers in, numbers out.

The default definition takes order statistics, j = ⌊α/2 · (B + 1)⌋ and the interval
[θ_(j), θ_(B+1−j)], because then a p-value counted from the same replicates is at most α exactly
when the interval excludes the null value. R's boot.ci and NumPy's percentiles are options.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.errors import UsageError
from assay.kernels.special import ndtr, ndtri

Definition = Literal["order", "boot", "type7"]
DEFINITIONS: tuple[Definition, ...] = ("order", "boot", "type7")
Ties = Literal["half", "below"]

_METHODS: dict[int, str] = {
    1: "inverted_cdf",
    2: "averaged_inverted_cdf",
    3: "closest_observation",
    4: "interpolated_inverted_cdf",
    5: "hazen",
    6: "weibull",
    7: "linear",
    8: "median_unbiased",
    9: "normal_unbiased",
}


def quantile(values: ArrayLike, probabilities: ArrayLike, *, kind: int = 7) -> FloatArray:
    """Sample quantiles by the nine definitions of Hyndman and Fan (1996), numbered as in R."""
    if kind not in _METHODS:
        raise UsageError(f"kinds of quantiles are numbered 1 to 9, got {kind!r}")
    found = np.quantile(np.asarray(values, np.float64), probabilities, method=_METHODS[kind])  # type: ignore[call-overload]
    return np.asarray(found)


def percentile_interval(
    replicates: ArrayLike, *, level: float = 0.95, quantiles: Definition = "order"
) -> tuple[float, float]:
    """The central ``level`` part of the replicates: each limit leaves α/2, both together α."""
    values = np.asarray(replicates, dtype=np.float64)
    tail = (1.0 - level) / 2.0
    if quantiles != "order":
        low, high = _quantiles(values, np.array([tail, 1.0 - tail]), quantiles)
        return float(low), float(high)
    place = _place(tail * (values.size + 1))
    if place < 1:
        raise UsageError(
            f"{values.size} replicates cannot show tails of {tail:g}: a {100 * level:g}% interval "
            f"needs n_resamples of at least {math.ceil(1.0 / tail - 1.0 - 1e-9)}"
        )
    ordered = np.partition(values, (place - 1, values.size - place))
    return float(ordered[place - 1]), float(ordered[values.size - place])


def basic_interval(
    replicates: ArrayLike, value: float, *, level: float = 0.95, quantiles: Definition = "order"
) -> tuple[float, float]:
    """The percentile interval reflected about the estimate: 2θ − θ*, errors taken as alike."""
    low, high = percentile_interval(replicates, level=level, quantiles=quantiles)
    return 2.0 * value - high, 2.0 * value - low


def normal_interval(
    replicates: ArrayLike, value: float, *, level: float = 0.95
) -> tuple[float, float]:
    """The estimate less its bootstrap bias, plus and minus z standard errors."""
    values = np.asarray(replicates, dtype=np.float64)
    if values.size < 2:
        raise UsageError("the spread of replicates needs two of them or more: raise n_resamples")
    centre = 2.0 * value - float(values.mean())
    half_width = -float(ndtri((1.0 - level) / 2.0)) * float(values.std(ddof=1))
    return centre - half_width, centre + half_width


def bca_interval(
    replicates: ArrayLike,
    value: float,
    acceleration: float,
    *,
    level: float = 0.95,
    quantiles: Definition = "order",
    ties: Ties = "half",
) -> tuple[float, float] | None:
    """Efron's bias-corrected and accelerated interval; None where all replicates lie on one side."""
    values = np.asarray(replicates, dtype=np.float64)
    bias = bias_correction(values, value, ties=ties)
    if not np.isfinite(bias):
        return None
    tails = bca_tails(bias, acceleration, level=level)
    if quantiles != "order":
        low, high = _quantiles(values, np.array(tails), quantiles)
        return float(low), float(high)
    # outward to whole order statistics, as the percentile interval is
    places = (
        max(_place(tails[0] * (values.size + 1)), 1) - 1,
        min(values.size, -_place(-tails[1] * (values.size + 1))) - 1,
    )
    ordered = np.partition(values, places)
    return float(ordered[places[0]]), float(ordered[places[1]])


def bias_correction(replicates: ArrayLike, value: float, *, ties: Ties = "half") -> float:
    """z0: the normal quantile of the share of replicates below the estimate.

    Replicates equal to the estimate count half, or not at all (R); in measures of counts there are
    many of them.
    """
    values = np.asarray(replicates, dtype=np.float64)
    below = float(np.count_nonzero(values < value))
    if ties == "half":
        below += np.count_nonzero(values == value) / 2.0
    return float(ndtri(below / values.size))


def acceleration_of(influence: ArrayLike, multiplicity: ArrayLike | None = None) -> float:
    """BCa's a = Σ L³ / (6 (Σ L²)^1.5) of influence values L (Efron 1987); 0 where all are 0."""
    values = np.asarray(influence, dtype=np.float64)
    weights = np.ones_like(values) if multiplicity is None else np.asarray(multiplicity, np.float64)
    squares = float(weights @ values**2)
    return float(weights @ values**3) / (6.0 * squares**1.5) if squares > 0.0 else 0.0


def bca_tails(bias: float, acceleration: float, *, level: float = 0.95) -> tuple[float, float]:
    """The probabilities at which BCa reads the replicates (Efron 1987, eq. 3.9)."""
    tail = (1.0 - level) / 2.0
    shifted = bias + np.array([ndtri(tail), -ndtri(tail)])
    low, high = ndtr(bias + shifted / (1.0 - acceleration * shifted))
    return float(low), float(high)


def bootstrap_p_value(replicates: ArrayLike, *, null: float = 0.0) -> float:
    """Twice the smaller share of replicates on either side of ``null``, never 0.

    2 min(#{θ* ≤ null} + 1, #{θ* ≥ null} + 1) / (B + 1), at most 1: at most α exactly when the
    percentile interval at level 1 − α excludes ``null``. For the basic interval ask at 2θ − null.
    """
    values = np.asarray(replicates, dtype=np.float64)
    at_most = int(np.count_nonzero(values <= null))
    at_least = int(np.count_nonzero(values >= null))
    return min(1.0, 2.0 * (min(at_most, at_least) + 1) / (values.size + 1))


def stretched_interval(
    value: float, reach: float, *, low: float = -math.inf, high: float = math.inf
) -> tuple[float, float]:
    """Limits ``reach`` away from a value on a scale without ends, for a quantity that has some.

    The scale is the logarithm of the distance to the end, the logit for two ends, and ``reach``
    is carried over by its slope at the value (delta method): the limits stay inside.
    """
    if math.isinf(low) and math.isinf(high):
        return value - reach, value + reach
    if math.isinf(high):
        factor = _factor(reach / (value - low))
        return low + (value - low) / factor, low + (value - low) * factor
    if math.isinf(low):
        factor = _factor(reach / (high - value))
        return high - (high - value) * factor, high - (high - value) / factor
    factor = _factor(reach * (high - low) / ((value - low) * (high - value)))
    odds = (value - low) / (high - value)
    ends = (odds / factor, odds * factor)
    below, above = low + (high - low) * ends[0] / (1 + ends[0]), high - (high - low) / (1 + ends[1])
    if reach < 0.0:  # a bound on one side, at a level below a half
        return below, above
    return min(below, value), max(above, value)


def _factor(distance: float) -> float:
    """The exponential, kept where floats and their reciprocals end."""
    return math.exp(max(-300.0, min(distance, 300.0)))


def _place(rank: float) -> int:
    """The whole number at or below a rank that rounding may have moved by a hair."""
    return math.floor(rank + 1e-9 * max(1.0, abs(rank)))


def _quantiles(values: FloatArray, probabilities: FloatArray, quantiles: Definition) -> FloatArray:
    if quantiles == "type7":
        return quantile(values, probabilities)
    return np.array([_normal_scale_quantile(np.sort(values), float(p)) for p in probabilities])


def _normal_scale_quantile(ordered: FloatArray, probability: float) -> float:
    """The order statistic (B + 1)p, between two by their normal quantiles (R's boot.ci)."""
    size = ordered.size
    rank = (size + 1) * probability
    place = _place(rank)
    if place < 1 or place >= size:
        return float(ordered[0 if place < 1 else -1])
    below, above = float(ordered[place - 1]), float(ordered[place])
    if abs(rank - place) <= 1e-9 * rank:
        return below
    ends = ndtri(np.array([place, place + 1]) / (size + 1))
    share = (float(ndtri(probability)) - ends[0]) / (ends[1] - ends[0])
    return below + float(share) * (above - below)
