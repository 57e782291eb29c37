"""Differences of mean losses of many models: each as far out as its pair's skewness and the unseen ask for."""

from functools import partial
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.notes import Note, note
from assay.hypotheses.skewed_means import FARTHER
from assay.kernels.effective_size import independent_items
from assay.kernels.skewness import corrected, lean_of, wider_limits
from assay.kernels.tails import alpha_of
from assay.kernels.unseen_values import allowed, p_beyond, reach_beyond

AT_ONCE, PAIRS = 2_000_000, 4_096
"""Numbers that are held at a time: pairs times clusters (or items); and pairs whose unseen items are judged."""
Places = tuple[IntArray, IntArray]


class Heeded(NamedTuple):
    """Of every pair: the skewness of its mean, how many items could show a rare difference, and how large one is.

    Skewness is corrected for at the multiplier of the family. What may be unseen is judged as for two models, at
    the level of the family and by its draws: rare differences of one model are one event for all of its pairs.
    """

    lean: FloatArray
    items: FloatArray
    bound: FloatArray
    """Infinite where no difference is the largest."""

    def sizes(self, values: FloatArray, errors: FloatArray) -> FloatArray:
        """How many standard errors each pair is away from zero, skewness heeded."""
        t = _over(values, errors)
        size, skewed = np.abs(t), np.abs(corrected(t, self.lean))
        return np.where(np.isfinite(skewed), np.minimum(size, skewed), size)

    def unseen_p(self, values: FloatArray, errors: FloatArray, ordered: FloatArray) -> FloatArray:
        """How well no difference at all is explained by items that none shows; ``ordered`` are the draws."""
        found = np.zeros(len(values))
        known = np.flatnonzero((errors > 0.0) & np.isfinite(self.bound))
        for start in range(0, known.size, PAIRS):
            part = known[start : start + PAIRS]
            t = np.abs(values[part]) / errors[part]
            rooms = t + self.bound[part] / errors[part]
            found[part] = p_beyond(t, rooms, self.items[part], "two-sided", partial(_tail, ordered))
        return found

    def limits(
        self,
        row: int,
        difference: tuple[float, float],
        drawn: tuple[float, FloatArray],
        level: float,
        n: int,
    ) -> tuple[float, float, tuple[Note, ...]]:
        """The limits of one pair, and a note where unseen differences make them much wider."""
        (value, error), (multiplier, ordered) = difference, drawn
        bound = float(self.bound[row])
        limits = wider_limits(value, error, multiplier, self.lean[row])
        low, high = (float(end) for end in limits)
        seen = high - low
        if np.isfinite(bound) and np.isfinite(multiplier):
            missing = allowed(alpha_of(level), "two-sided")
            reach = partial(_quantile, ordered)
            below, above = (
                float(reach_beyond(missing, room / error, self.items[row], reach)) * error
                for room in (bound + value, bound - value)
            )
            low, high = min(low, value - below), max(high, value + above)
        told = note("unseen-differences", n=n, largest=bound)
        return low, high, (told,) if high - low > FARTHER * seen else ()


def _over(values: FloatArray, errors: FloatArray) -> FloatArray:
    return np.divide(values, errors, out=np.zeros_like(values), where=errors > 0.0)


def _tail(ordered: FloatArray, there: FloatArray) -> FloatArray:
    """How often the farthest pair strays so far to one side, as draws show; symmetric about 0."""
    beyond = ordered.size - np.searchsorted(ordered, np.abs(there), side="left")
    half = (beyond + 1) / (ordered.size + 1) / 2.0
    return np.where(there >= 0.0, half, 1.0 - half)


def _quantile(ordered: FloatArray, tails: FloatArray) -> FloatArray:
    """The stray that is exceeded on one side with these probabilities."""
    size = ordered.size
    place = np.floor(2.0 * np.minimum(tails, 1.0 - tails) * (size + 1) + 1e-9).astype(np.intp)
    reach = np.where(place >= 1, ordered[size - np.clip(place, 1, size)], np.inf)
    return np.where(tails <= 0.5, reach, -reach)


def heeded(
    losses: FloatArray,
    places: Places,
    errors: FloatArray,
    bound: FloatArray,
    *,
    clusters: IntArray | None = None,
    weights: FloatArray | None = None,
) -> Heeded:
    """What the pairs at ``places`` of models with these losses, (models, items), are to heed."""
    n = losses.shape[1]
    shares = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    shares = shares / shares.sum()
    away = losses - (losses @ shares)[:, None]
    totals = shares * away
    spread = totals @ away.T / max(1.0 - float((shares**2).sum()), float((shares**2).sum()))
    a, b = places
    variance = np.diag(spread)[a] + np.diag(spread)[b] - 2.0 * spread[a, b]
    if clusters is not None:
        totals = np.stack([np.bincount(clusters, weights=own) for own in totals])
        totals = totals[:, np.bincount(clusters) > 0]
    items = independent_items(shares, clusters)
    alone = clusters is None and weights is None
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = np.where(errors > 0.0, variance / errors**2, items)
    seen = np.full(len(a), float(n)) if alone else np.minimum(items, seen)
    return Heeded(_leans(totals, places, bound, alone=alone), seen, bound)


def _leans(totals: FloatArray, places: Places, bound: FloatArray, *, alone: bool) -> FloatArray:
    """The skewness of every pair's mean; that of bounded, independent differences is the sample's."""
    a, b = places
    found = np.empty(len(a))
    step = max(1, AT_ONCE // totals.shape[1])
    for start in range(0, len(a), step):
        part = slice(start, start + step)
        rows = totals[a[part]] - totals[b[part]]
        plain, larger = lean_of(rows, bounded=True), lean_of(rows)
        found[part] = np.where(alone & np.isfinite(bound[part]), plain, larger)
    return found
