"""The score of the model that won, given that it won: truncated normals (Andrews, Kitagawa & McCloskey 2024).

Scores are normal about their truths with a known covariance. Given that one of them is the largest, and
given what of the others does not move with it, it is a normal cut off where it would no longer be the largest.
The hybrid also holds the truth above a simultaneous bound at 1 - share, so that a narrow lead does not make a
limit without end. Only the side that winning flatters needs this: the true score passes the other limit only if
the truly best model, which scored no better, passes its own.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.errors import UsageError
from assay.core.rng import stream
from assay.kernels.rank_draws import FLAT
from assay.kernels.rank_sets import quantile
from assay.kernels.special import log_ndtr, ndtr, ndtri

_HALVINGS = 80
_MOST_NORMALS = 200_000_000
"""What is drawn at once, of which a number takes four bytes."""
_FARTHEST = 10.0
"""Standard errors above the score beyond which no truth is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WinnerLimits:
    """Distances from the winner's score in standard errors: of the corrected score, and of both limits."""

    centre: float
    low: float
    high: float
    reach: float
    """Of the simultaneous bound: the limits lie inside."""
    lead: float
    """By how many standard errors the score could fall before another one were the largest."""


def winner_limits(
    values: FloatArray, root: FloatArray, *, alpha: float, share: float, n_draws: int, seed: int
) -> WinnerLimits:
    """Limits of the largest of ``values`` at 1 - α/2 each; a part ``share`` of α bounds the lower one.

    ``root`` (rows x models) has the covariance of the values as its product with itself.
    """
    best = int(np.argmax(values))
    shared = root.T @ root[:, best]
    error = float(np.sqrt(shared[best]))
    least, most = _cut(values, shared / shared[best], best)
    lower, upper = (least - values[best]) / error, (most - values[best]) / error
    highest = _errors(root, share, n_draws, seed).max(axis=1)
    reach = quantile(highest, share, complete=False)
    # a lead of nothing has a median without end: no more is taken off than equal models would owe
    most_owed = -float(highest.mean())
    tail = (alpha / 2.0 - share) / (1.0 - share)
    return WinnerLimits(
        centre=min(max(_solved(0.5, lower, upper, reach), most_owed), 0.0),
        low=_solved(1.0 - tail, lower, upper, reach),
        high=float(-ndtri(alpha / 2.0)),
        reach=reach,
        lead=float(-lower),
    )


def two_sided_reach(root: FloatArray, alpha: float, n_draws: int, seed: int) -> float:
    """The 1 - α quantile of the largest of all models' errors in either direction, in standard errors."""
    return quantile(np.abs(_errors(root, alpha, n_draws, seed)).max(axis=1), alpha, complete=False)


def _errors(root: FloatArray, alpha: float, n_draws: int, seed: int) -> NDArray[np.float32]:
    """Normal errors of all models that vary, correlated as they are, each divided by its own spread."""
    draws = max(n_draws, math.ceil(10.0 / alpha))  # so that the tail has some
    if draws * len(root) > _MOST_NORMALS:  # fewer rows of the same covariance
        root = np.asarray(np.linalg.qr(root, mode="r"))
    if draws * len(root) > _MOST_NORMALS:
        raise UsageError(
            f"{len(root):,} models at this level need {draws:,} draws of their scores: too many for memory; "
            "lower level, or n_resamples"
        )
    spread = np.sqrt((root**2).sum(axis=0))
    scaled = (root[:, spread > 0.0] / spread[spread > 0.0]).astype(np.float32)
    noise = stream(seed, 5).standard_normal((draws, len(scaled)), dtype=np.float32)
    return np.asarray(noise @ scaled)


def _cut(values: FloatArray, slopes: FloatArray, best: int) -> tuple[float, float]:
    """Between which values the winner's score remains the largest, the rest being what it is."""
    fixed = values - slopes * values[best]
    steep = 1.0 - slopes
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = fixed / steep
    below, above = steep > FLAT, steep < -FLAT
    below[best] = above[best] = False
    least = float(ends[below].max()) if below.any() else -np.inf
    most = float(ends[above].min()) if above.any() else np.inf
    return min(least, float(values[best])), max(most, float(values[best]))


def _solved(chance: float, lower: float, upper: float, reach: float) -> float:
    """The truth (in standard errors from the score, which is 0) below which the score has this chance.

    The score is normal about the truth, cut to [lower, upper] and at the truth + reach; the chance of a
    smaller score falls as the truth rises, so that halving finds it.
    """
    left, right = -reach, _FARTHEST
    for _ in range(_HALVINGS):
        middle = (left + right) / 2.0
        if _chance_below(middle, lower, upper, reach) > chance:
            left = middle
        else:
            right = middle
    return (left + right) / 2.0


def _chance_below(truth: float, lower: float, upper: float, reach: float) -> float:
    low, high = lower - truth, min(upper - truth, reach)
    if low >= high:
        return 1.0 if truth < 0.0 else 0.0
    at = min(max(-truth, low), high)
    if low > 0.0:  # far out, from the tails that keep digits
        whole = _log_between(low, high)
        return float(np.exp(_log_between(low, at) - whole))
    if high < 0.0:
        return 1.0 - float(np.exp(_log_between(-high, -at) - _log_between(-high, -low)))
    return float((ndtr(at) - ndtr(low)) / (ndtr(high) - ndtr(low)))


def _log_between(low: float, high: float) -> float:
    """The logarithm of the normal probability of [low, high], both positive."""
    if low >= high:
        return -np.inf
    ratio = min(float(np.exp(log_ndtr(-high) - log_ndtr(-low))), 1.0 - 1e-15)
    return float(log_ndtr(-low) + np.log1p(-ratio))
