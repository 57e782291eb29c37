"""Strengths of paired comparisons (Bradley and Terry 1952): whether they exist, their values, their spread.

Comparisons are counted in k x k tables of *places*: row i was shown first and column j second. A
chance that the first is preferred is 1/(1 + exp(-(strength_i - strength_j + position))).
"""

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.kernels.special import expit

_STEPS = 200
_SMALLEST = 1e-9
_SETTLED = 1e-12
"""The Newton step has settled where it would raise the likelihood by less than this."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Log strengths of mean 0, the position's effect behind them if asked for, and their spread."""

    values: FloatArray
    covariance: FloatArray
    log_likelihood: float


def groups_of(wins: FloatArray) -> IntArray:
    """The group of each model: within a group every model won against every other, if by way of others.

    Ford (1957): strengths have a finite maximum exactly where there is one group. ``wins[i, j]`` is
    how often i was preferred to j, half a tie each.
    """
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(wins > 0, directed=True, connection="strong")
    return np.asarray(labels, dtype=np.int64)


def position_exists(first: FloatArray, second: FloatArray) -> bool:
    """Whether the effect of the position is finite too, all models being one group.

    It is not where strengths d and a position of +1 (or -1) agree with every single outcome:
    d_j - d_i <= 1 where the first, i, was preferred, and d_i - d_j <= -1 where the second was.
    Such differences exist unless the edges they make have a cycle of negative length.
    """
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

    for against, along in ((second.T, first), (first, second.T)):
        if ((against > 0) & (against.T > 0)).any():
            continue  # a cycle of two, which large arenas nearly always have
        edges = np.where(against > 0, -1.0, np.where(along > 0, 1.0, 0.0))
        try:
            bellman_ford(edges, indices=[0])
        except NegativeCycleError:
            continue
        return False
    return True


def fitted(
    first: FloatArray, second: FloatArray, ties: FloatArray, *, position: bool
) -> Fit | None:
    """Maximum likelihood by Newton's method with halved steps; None where it does not settle.

    A tie is half a preference of each. The covariance is the Moore-Penrose inverse of the observed
    information, which belongs to strengths of mean 0.
    """
    counts, won = first + second + ties, first + ties / 2.0
    values = np.zeros(len(first) + position)
    for _ in range(_STEPS):
        step, gain = _newton(values, counts, won, position=position)
        if gain < _SETTLED:
            return _finished(values + step, counts, won, position=position)
        values = _climbed(values, step, counts, won)
    return None


def _newton(
    values: FloatArray, counts: FloatArray, won: FloatArray, *, position: bool
) -> tuple[FloatArray, float]:
    """The step of Newton's method, and what it would add to the likelihood of a parabola."""
    chances = _chances(values, len(counts))
    score = _edge_sums(won - counts * chances, position=position)
    step = _information(values, counts, position=position) @ score
    return step, float(score @ step) / 2.0


def _climbed(
    values: FloatArray, step: FloatArray, counts: FloatArray, won: FloatArray
) -> FloatArray:
    """The step, halved until the likelihood rises; it is concave, so that it does."""
    before = _log_likelihood(values, counts, won)
    size = 1.0
    while size > _SMALLEST and _log_likelihood(values + size * step, counts, won) < before:
        size /= 2.0
    return values + size * step


def _finished(values: FloatArray, counts: FloatArray, won: FloatArray, *, position: bool) -> Fit:
    k = len(counts)
    centred = values.copy()
    centred[:k] -= values[:k].mean()
    return Fit(
        values=centred,
        covariance=_information(centred, counts, position=position),
        log_likelihood=_log_likelihood(centred, counts, won),
    )


def _information(values: FloatArray, counts: FloatArray, *, position: bool) -> FloatArray:
    """The inverse of the observed information."""
    k = len(counts)
    chances = _chances(values, k)
    return _inverse(_quadratic(counts * chances * (1.0 - chances), position=position), k)


def sandwich(
    fit: Fit, first: FloatArray, second: FloatArray, ties: FloatArray, *, position: bool
) -> FloatArray:
    """The covariance that holds whatever the spread of the outcomes: ties spread less than half-wins."""
    chances = _chances(fit.values, len(first))
    squares = first * (1.0 - chances) ** 2 + second * chances**2 + ties * (0.5 - chances) ** 2
    return np.asarray(fit.covariance @ _quadratic(squares, position=position) @ fit.covariance)


def _chances(values: FloatArray, k: int) -> FloatArray:
    """The chance of each row, shown first, against each column."""
    shift = values[k] if values.size > k else 0.0
    return np.asarray(expit(values[:k, None] - values[None, :k] + shift))


def _log_likelihood(values: FloatArray, counts: FloatArray, won: FloatArray) -> float:
    k = len(counts)
    shift = values[k] if values.size > k else 0.0
    ahead = values[:k, None] - values[None, :k] + shift
    return float(-(won * np.logaddexp(0, -ahead) + (counts - won) * np.logaddexp(0, ahead)).sum())


def _edge_sums(edges: FloatArray, *, position: bool) -> FloatArray:
    """The sum of edge times (e_i - e_j, and 1 for the position) over the cells."""
    sums = edges.sum(axis=1) - edges.sum(axis=0)
    return np.append(sums, edges.sum()) if position else sums


def _quadratic(edges: FloatArray, *, position: bool) -> FloatArray:
    """The sum of edge times the outer product of (e_i - e_j, and 1): a graph's Laplacian, bordered."""
    both = edges + edges.T
    matrix = np.diag(both.sum(axis=1)) - both
    if not position:
        return matrix
    border = edges.sum(axis=1) - edges.sum(axis=0)
    return np.block([[matrix, border[:, None]], [border[None, :], np.array([[edges.sum()]])]])


def _inverse(matrix: FloatArray, k: int) -> FloatArray:
    """The Moore-Penrose inverse of a matrix whose null space is a constant added to all strengths."""
    scale = np.trace(matrix) / len(matrix)
    constant = np.zeros_like(matrix)
    constant[:k, :k] = 1.0 / k
    return np.asarray(np.linalg.inv(matrix + scale * constant) - constant / scale)
