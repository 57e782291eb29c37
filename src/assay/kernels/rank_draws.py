"""What the means of many models could have been, had all been equal: signs of whole units turned at random.

A unit (item, cluster, task, data set) contributes one number to each model's mean. Of a pair, the sum of
the differences divided by the root of their sum of squares needs two things only: the sums of each
model for each pattern of signs (draws x models), and the matrix of squared distances between models (models
x models). No array has a cell for every pair and unit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.rng import stream

SingleArray = NDArray[np.float32] | FloatArray
"""Sums of draws: in single precision, which halves the time, unless the observed signs are among them."""

MOST_UNITS = 8192
"""Units whose signs are turned one by one; more are first summed into so many bundles."""
UNITS_AT_ONCE = 4096
FLAT = 1e-9
"""Models whose differences are below this share of their size have the same numbers throughout."""

CAUTION = 1.0 / 3.0
"""Draws with one scale reach farther by this share of a unit: their residuals know the means (decision 0200)."""

ROUNDING = 1e-6
"""Sums are in single precision: a ratio may pass √n, its largest value, by so much."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankDraws:
    """Studentised differences of all pairs, observed and as they scatter where no model differs.

    The ratio of a pair in one draw is ``(sums[i] - sums[j]) * weights[i, j]``; its opposite is a draw
    too, the one with all signs turned. ``units`` turns ratios, which are divided by the root of a sum of
    squares about zero, into t statistics; None where they are statistics already.
    """

    values: FloatArray
    observed: FloatArray
    """Ratios of the evidence itself, row minus column."""
    errors: FloatArray
    """Standard errors of the differences."""
    sums: SingleArray
    weights: SingleArray
    units: int | None
    complete: bool
    """Every pattern of signs was looked at, the observed one among them."""
    own: "RankDraws | None" = None
    """Where all pairs share one standard error: the draws in which each pair has its own."""

    @property
    def models(self) -> int:
        return self.values.size

    @property
    def pooled(self) -> bool:
        return self.own is not None

    def statistics(self, ratios: NDArray[np.floating]) -> FloatArray:
        """Ratios as t statistics: a monotone function, so that order and maxima stay."""
        return as_statistics(ratios, self.units)

    def ratio_of(self, statistic: float) -> float:
        """The ratio whose t statistic this is."""
        if self.units is None:
            return statistic
        return statistic * float(np.sqrt(self.units / (self.units - 1 + statistic**2)))


def as_statistics(ratios: NDArray[np.floating], units: int | None) -> FloatArray:
    """With n units, r becomes r √((n - 1) / (n - r²)): infinite where all units agree to the last digit."""
    wide = np.asarray(ratios, dtype=np.float64)
    if units is None:
        return wide
    left = units - wide**2
    left = np.where(left < ROUNDING * units, 0.0, left)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(wide == 0.0, 0.0, wide * np.sqrt((units - 1) / left)))


def flipped(
    contributions: FloatArray, *, n_draws: int, seed: int, strata: NDArray[np.integer] | None = None
) -> RankDraws:
    """Draws by turning the signs of units; ``contributions`` (units x models) sum to the models' values.

    With ``strata`` (tasks that are what they are) each unit counts as its distance from the mean of its
    stratum, and the spread of the evidence divides every draw.
    """
    given = np.asarray(contributions, dtype=np.float64)
    values = given.sum(axis=0)
    if strata is not None:
        return _of_strata(given, np.asarray(strata), values, n_draws, seed)
    table = _bundled(_sorted(given), seed)
    n = len(table)
    squares = _distances(table)
    with np.errstate(divide="ignore"):
        weights = np.where(squares > 0.0, 1.0 / np.sqrt(squares), 0.0)
    gaps = values[:, None] - values[None, :]
    errors = np.sqrt(np.maximum(squares - gaps**2 / n, 0.0) * n / (n - 1))
    complete = enumerable(n, n_draws)
    sums = _turned(table, n_draws, seed, complete=complete)
    return RankDraws(
        values=values,
        observed=gaps * weights,
        errors=errors,
        sums=sums,
        weights=_as_wide(weights, sums),
        units=n,
        complete=complete,
    )


def pooled(contributions: FloatArray, own: RankDraws, *, n_draws: int, seed: int) -> RankDraws:
    """Draws in which all pairs share one standard error, for units too few to tell each pair's own.

    Signs of the distances from each model's mean are turned, and every draw is divided by the scale that it
    has itself: where models scatter alike this scale is well known, and where one scatters more it is not.
    """
    given = np.asarray(contributions, dtype=np.float64)
    n = len(given)
    table = _sorted(given)
    centred = table - table.mean(axis=0)
    apart = own.weights > 0.0
    sums = _turned(centred, n_draws, seed, complete=enumerable(n, n_draws)).astype(np.float64)
    squares = float((centred**2).sum())
    left = np.maximum(squares - (sums**2).sum(axis=1) / n, ROUNDING * squares)
    stretch = (1.0 + CAUTION / n) * np.sqrt(squares / left) if squares > 0.0 else np.ones(len(sums))
    pairs = 2.0 * len(centred.T) * squares / max(int(apart.sum()), 1)
    error = np.sqrt(pairs * n / (n - 1))
    weights = np.where(apart, 1.0 / error, 0.0) if error > 0.0 else np.zeros(apart.shape)
    return RankDraws(
        values=own.values,
        observed=(own.values[:, None] - own.values[None, :]) * weights,
        errors=np.where(apart, error, 0.0),
        sums=sums * stretch[:, None],
        weights=weights,
        units=None,
        complete=False,
        own=own,
    )


def enumerable(units: int, n_draws: int) -> bool:
    """Whether all patterns of signs are no more than the draws asked for."""
    return units <= 24 and 2 ** (units - 1) <= n_draws


def gaussian(values: FloatArray, root: FloatArray, *, n_draws: int, seed: int) -> RankDraws:
    """Draws of estimates that are normal about their truth; ``root`` squared is their covariance."""
    noise = stream(seed, 3).standard_normal((n_draws, len(root)))
    return _scaled(values, root.T @ root, np.asarray(noise @ root, dtype=_width_of(root)))


def _of_strata(
    table: FloatArray, strata: NDArray[np.integer], values: FloatArray, n_draws: int, seed: int
) -> RankDraws:
    """Units about the mean of their stratum, stretched so that their squares are unbiased for its spread."""
    _, codes, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(codes, column) for column in table.T], axis=1) / sizes[:, None]
    stretch = np.sqrt(sizes / np.maximum(sizes - 1, 1))
    centred = (table - means[codes]) * stretch[codes][:, None]
    spread = _bundled(_sorted(centred), seed)
    return _scaled(values, centred.T @ centred, _turned(spread, n_draws, seed, complete=False))


def _scaled(values: FloatArray, covariance: FloatArray, sums: SingleArray) -> RankDraws:
    """Draws divided by the standard errors of the evidence."""
    spread = np.diag(covariance)
    squares = spread[:, None] + spread[None, :] - 2.0 * covariance
    squares[squares <= FLAT**2 * (spread[:, None] + spread[None, :])] = 0.0
    np.fill_diagonal(squares, 0.0)
    with np.errstate(divide="ignore"):
        weights = np.where(squares > 0.0, 1.0 / np.sqrt(squares), 0.0)
    return RankDraws(
        values=values,
        observed=(values[:, None] - values[None, :]) * weights,
        errors=np.sqrt(squares),
        sums=sums,
        weights=_as_wide(weights, sums),
        units=None,
        complete=False,
    )


def _as_wide(weights: FloatArray, sums: SingleArray) -> SingleArray:
    return weights if sums.dtype == np.float64 else weights.astype(np.float32)


def _width_of(table: FloatArray) -> type[np.floating]:
    """Single precision, unless sums of these numbers would be beyond it."""
    size = float(np.abs(table).max(initial=0.0))
    return np.float32 if size == 0.0 or 1e-15 < size < 1e20 else np.float64


def _sorted(table: FloatArray) -> FloatArray:
    """What models do not share of each unit, in an order of its own: that of the file changes nothing."""
    own = table - table.mean(axis=1, keepdims=True)
    key = own @ np.sqrt(np.arange(2.0, 2.0 + table.shape[1]))
    return np.ascontiguousarray(own[np.argsort(key, kind="stable")])


def _bundled(table: FloatArray, seed: int) -> FloatArray:
    """Units summed into at most `MOST_UNITS` bundles at random: sorted units would balance each other."""
    if len(table) <= MOST_UNITS:
        return table
    order = stream(seed, 6).permutation(len(table))
    bundles = np.zeros((MOST_UNITS, table.shape[1]))
    for start in range(0, len(table), MOST_UNITS):
        part = table[order[start : start + MOST_UNITS]]
        bundles[: len(part)] += part
    return bundles


def _distances(table: FloatArray) -> FloatArray:
    """The sum over units of the squared difference of each pair; 0 for models that are the same."""
    products = table.T @ table
    norms = np.diag(products)
    squares = norms[:, None] + norms[None, :] - 2.0 * products
    squares[squares <= FLAT * (norms[:, None] + norms[None, :])] = 0.0
    np.fill_diagonal(squares, 0.0)
    return np.asarray(squares)


def _turned(table: FloatArray, n_draws: int, seed: int, *, complete: bool) -> SingleArray:
    """The sum of each model over the units for each pattern of signs."""
    if complete:
        patterns = np.arange(2 ** (len(table) - 1))[:, None] >> np.arange(len(table))[None, :]
        return np.asarray((1.0 - 2.0 * (patterns & 1)) @ table)
    width = _width_of(table)
    centred = table.astype(width)
    sums = np.zeros((n_draws, table.shape[1]), dtype=width)
    for block, start in enumerate(range(0, len(table), UNITS_AT_ONCE)):
        part = centred[start : start + UNITS_AT_ONCE]
        bits = stream(seed, 4, block).integers(
            0, 256, (n_draws, -(-len(part) // 8)), dtype=np.uint8
        )
        signs = np.unpackbits(bits, axis=1, count=len(part)).astype(width)
        sums += 2.0 * (signs @ part) - part.sum(axis=0)
    return sums
