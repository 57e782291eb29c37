"""Signed ranks of every pair of models of many replicates at once, quick enough for the whole grid.

A first pass ranks roughly and leaves out what surely rejects nothing; what is left is ranked by the
kernel of the public method, so that decisions are its own.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.kernels.signed_rank_pairs import PairRanks, pair_ranks, signed_rank_cdf
from assay.kernels.special import ndtr
from calibration.designs.cells import BoolArray, FloatArray

IntArray = NDArray[np.int64]
HUNDREDTHS = 100.0
SLACK = 4.0
"""Rank sums by which rough ranks may err: two sizes swapped move a sum by one, a tie by a half."""
LOOSE = 3.0
"""How many times the normal p-value at the critical sum without ties one with ties may be."""
FEW, DOUBT_FEW, DOUBT = 30, 3.0, 1.6
"""Up to so many differences a saddlepoint p-value is within the first factor, beyond within the second."""
NEWTON = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rough:
    """Rough answers ``(replicates, pairs)``: rank sums without ties, normal p-values with them."""

    n: int
    least: FloatArray | None = None
    p_normal: FloatArray | None = None
    kept: IntArray | None = None

    def near(self, alpha: float) -> BoolArray:
        """Where p may be ``alpha`` or less; everywhere else it surely is not."""
        if self.least is not None:
            return np.asarray(self.least <= _critical(self.n, alpha) + SLACK)
        loosest = np.array([_loosest(size, alpha) for size in range(self.n + 1)])
        return np.asarray(self.p_normal <= loosest[self.kept])


def rough_ranks(values: FloatArray, first: IntArray, second: IntArray) -> Rough:
    """Of scores (replicates, n, models) without ties, but for accidents."""
    n = values.shape[1]
    columns = np.ascontiguousarray(np.moveaxis(values, 1, 2).astype(np.float32))
    differences = columns[:, first] - columns[:, second]
    # the sign goes into the last bit of the size: sorted, the bits tell which ranks are positive
    keys = np.abs(differences).view(np.int32)
    keys &= -2
    keys |= differences > 0.0
    keys.sort(axis=2)
    keys &= 1
    plus = keys.astype(np.float32) @ np.arange(1.0, n + 1.0, dtype=np.float32)
    return Rough(n=n, least=np.minimum(plus, n * (n + 1) / 2.0 - plus))


def rough_ties(values: FloatArray, first: IntArray, second: IntArray) -> Rough:
    """Of scores in whole hundredths, whose sizes are tied and counted."""
    replicates, n, _ = values.shape
    columns = np.rint(HUNDREDTHS * np.moveaxis(values, 1, 2)).astype(np.int64)
    differences = columns[:, first] - columns[:, second]
    most = int(np.abs(differences).max())
    width = 2 * most + 1
    shape = (replicates, first.size)
    pairs = replicates * first.size
    differences += most + width * np.arange(pairs).reshape(*shape, 1)
    counts = np.bincount(differences.ravel(), minlength=pairs * width).reshape(pairs, width)
    below, above = counts[:, :most][:, ::-1], counts[:, most + 1 :]
    both = below + above
    upto = np.cumsum(both, axis=1)
    midranks = upto - (both - 1) / 2.0
    kept = upto[:, -1] if most else np.zeros(pairs, dtype=np.int64)
    plus = np.einsum("pv,pv->p", above, midranks)
    squares = np.einsum("pv,pv->p", both, midranks**2)
    excess = np.abs(plus - kept * (kept + 1) / 4.0)
    p_normal = 2.0 * ndtr(-2.0 * excess / np.sqrt(np.maximum(squares, 1e-300)))
    return Rough(n=n, p_normal=p_normal.reshape(shape), kept=kept.reshape(shape))


@lru_cache(maxsize=1024)
def _critical(n: int, alpha: float) -> int:
    """The largest smaller rank sum with two-sided p <= alpha; -1000 where there is none."""
    allowed = int(np.searchsorted(2.0 * signed_rank_cdf(n), alpha, side="right")) if n else 0
    return allowed - 1 if allowed else -1000


@lru_cache(maxsize=1024)
def _loosest(n: int, alpha: float) -> float:
    """The normal p-value above which no p-value with ties is alpha or less."""
    critical = _critical(n, alpha)
    if critical < 0:  # 2 ** (1 - n), the least with ties too, is above alpha
        return -1.0
    spread = np.sqrt(n * (n + 1.0) * (2.0 * n + 1.0) / 24.0)
    return LOOSE * 2.0 * float(ndtr((critical - n * (n + 1) / 4.0) / spread))


def signed_rank_p_values(
    values: FloatArray, first: IntArray, second: IntArray, between: tuple[float, float]
) -> FloatArray:
    """Two-sided p-values ``(replicates, pairs)``: on the right side of every bound in ``between``.

    Without ties they are exact. With ties they are exact near those bounds, and a saddlepoint
    approximation where that is surely above or below them all.
    """
    replicates, n, k = values.shape
    columns = np.moveaxis(values, 1, 0).reshape(n, replicates * k)
    offset = k * np.arange(replicates)[:, None]
    found = pair_ranks(columns, (offset + first).ravel(), (offset + second).ravel())
    return _near_exact(found, between).reshape(replicates, first.size)


def _near_exact(found: PairRanks, between: tuple[float, float]) -> FloatArray:
    p, tied = np.ones(found.plus.size), found.tied
    least = np.minimum(found.plus, found.totals - found.plus)
    for n in np.unique(found.n_nonzero[~tied]).tolist():
        rows = ~tied & (found.n_nonzero == n)
        if n:
            p[rows] = np.minimum(2 * signed_rank_cdf(n)[least[rows].astype(np.int64)], 1.0)
    rows = np.flatnonzero(tied)
    ranks, kept = found.ranks[rows], found.n_nonzero[rows]
    p[rows] = saddlepoint_p(ranks, least[rows])
    doubt = np.where(kept <= FEW, DOUBT_FEW, DOUBT)
    near = (p[rows] >= between[0] / doubt) & (p[rows] <= between[1] * doubt)
    for place in np.flatnonzero(near).tolist():
        weights = np.rint(2.0 * ranks[place][ranks[place] > 0.0]).astype(np.int64)
        p[rows[place]] = min(2.0 * lower_tail(weights, round(2 * least[rows[place]])), 1.0)
    return p


def saddlepoint_p(ranks: FloatArray, least: FloatArray) -> FloatArray:
    """Lugannani and Rice's two-sided p-values of signed ranks (rows; 0 is left out)."""
    half = ranks / 2.0
    total = half.sum(axis=1)
    # a quarter is half the usual step of midranks; the last outcome has no saddlepoint of its own
    excess = np.clip(total - least - 0.25, 1e-9, total * (1.0 - 1e-3))
    tilt = excess / np.maximum((half**2).sum(axis=1), 1e-300)
    for _ in range(NEWTON):
        lean = np.tanh(tilt[:, None] * half)
        slope = (half**2 * (1.0 - lean**2)).sum(axis=1)
        step = (excess - (half * lean).sum(axis=1)) / np.maximum(slope, 1e-300)
        tilt = np.maximum(tilt + np.clip(step, -tilt / 2.0, tilt), 1e-12)
    bent = tilt[:, None] * half
    slope = (half**2 / np.cosh(bent) ** 2).sum(axis=1)
    height = np.logaddexp(bent, -bent).sum(axis=1) - np.log(2.0) * half.shape[1]
    root = np.sqrt(np.maximum(2.0 * (tilt * excess - height), 1e-300))
    scaled = np.maximum(tilt * np.sqrt(slope), 1e-150)
    density = np.exp(-(root**2) / 2.0) / np.sqrt(2.0 * np.pi)
    tail = ndtr(-root) + density * (1.0 / scaled - 1.0 / root)
    return np.asarray(np.where(root < 0.1, 1.0, np.clip(2.0 * tail, 0.0, 1.0)))


def lower_tail(weights: IntArray, at: int) -> float:
    """P(Y <= at) of the sum Y of a fair-coin subset of the weights: no more of it is made."""
    mass = np.zeros(at + 1)
    mass[0] = 1.0
    for weight in weights[weights <= at].tolist():
        mass[weight:] += mass[: at + 1 - weight].copy()
    return float(np.ldexp(mass.sum(), -weights.size))


def holm_rejects(p: FloatArray, alpha: float) -> BoolArray:
    """Which hypotheses Holm rejects at ``alpha``, for rows of p-values."""
    order = np.argsort(p, axis=1, kind="stable")
    pairs = p.shape[1]
    passed = np.take_along_axis(p, order, axis=1) * (pairs - np.arange(pairs)) <= alpha
    passed = np.logical_and.accumulate(passed, axis=1)
    rejected = np.empty_like(passed)
    np.put_along_axis(rejected, order, passed, axis=1)
    return np.asarray(rejected)


def shift_widths(differences: FloatArray, alpha: float) -> FloatArray | None:
    """Widths of the Hodges-Lehmann intervals of rows without ties; None where there is no bound."""
    n = differences.shape[1]
    outside = _critical(n, alpha) + 1
    if outside <= 0:
        return None
    rows, columns = np.triu_indices(n)
    averages = (differences[:, rows] + differences[:, columns]) / 2.0
    places = (outside - 1, rows.size - outside)
    averages.partition(places, axis=1)
    return np.asarray(averages[:, places[1]] - averages[:, places[0]])
