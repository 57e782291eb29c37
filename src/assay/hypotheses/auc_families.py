"""Many areas under ROC curves at once, from DeLong's covariance: no item need be in memory."""

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import NotApplicable
from assay.core.notes import Note, note
from assay.core.progress import steps
from assay.core.results import Estimate, FamilyOutcome, Interval, TestOutcome
from assay.core.rng import stream
from assay.evidence.predictions import Predictions
from assay.kernels.delong import PlacedAreas
from assay.kernels.special import ndtri

FLAT = 1e-12
"""A standard error below this is dust of sums that cancel."""

DRAWS_AT_ONCE = 2**16
"""Numbers drawn from one stream, so that memory does not grow with the models."""

SCALE = {"roc_auc": 1.0, "gini": 2.0}
"""Measures that an area gives, and how far they move with it."""


def ranked_family(
    evidence: Predictions,
    pairs: tuple[tuple[str, str], ...],
    *,
    measure: str,
    level: float,
    n_resamples: int,
    seed: int,
) -> FamilyOutcome:
    """Simultaneous intervals of all pairs: the largest of normal differences sets one multiplier.

    As `simultaneous_bootstrap`, its replicates drawn from the normal distribution with DeLong's
    covariance, which is where resampling ends with so many items (Hothorn, Bretz & Westfall 2008).
    """
    _check(evidence, measure)
    placed = evidence.areas()
    if np.isnan(placed.covariance).any():
        raise NotApplicable(
            "an area needs two items of each class to be compared; there are "
            f"{placed.n_positive} positives and {placed.n_negative} negatives"
        )
    contrasts = np.array([_contrast(evidence.models, a, b) for a, b in pairs])
    largest = _largest(placed, contrasts, n_resamples, seed)
    # the order statistic that makes p <= 1 - level and "the interval excludes 0" one statement
    place = int(np.floor((1 - level) * (n_resamples + 1)))
    multiplier = float(largest[n_resamples - place]) if place >= 1 else float("inf")
    family = _AreaFamily(
        placed=placed,
        measure=measure,
        level=level,
        seed=seed,
        largest=largest,
        multiplier=multiplier,
    )
    outcomes = tuple(family.outcome(contrast, len(pairs)) for contrast in contrasts)
    drawn = note("normal-replicates", n_resamples=n_resamples)
    return FamilyOutcome(
        method="simultaneous_bootstrap",
        models=evidence.models,
        pairs=pairs,
        outcomes=outcomes,
        adjustment="max-t",
        notes=(drawn,),
        seed=seed,
        details=(("n_resamples", n_resamples), ("multiplier", multiplier), ("level", level)),
    )


def _check(evidence: Predictions, measure: str) -> None:
    if measure not in SCALE:
        raise NotApplicable(
            f"scores={evidence.scores!r} leaves the scores where they are, and {measure} needs every "
            "one: compare by roc_auc, or use scores='memory'"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _AreaFamily:
    """What the pairs share: areas, the largest of each draw in order, and the multiplier."""

    placed: PlacedAreas
    measure: str
    level: float
    seed: int
    largest: FloatArray
    multiplier: float

    def outcome(self, contrast: FloatArray, pairs: int) -> TestOutcome:
        """One pair; what bins may hide is added to its interval and taken from its statistic."""
        placed, scale = self.placed, SCALE[self.measure]
        value, error = float(contrast @ placed.areas), placed.errors(contrast)[1]
        shift = placed.most_shift(contrast)
        n = placed.n_positive + placed.n_negative
        notes: tuple[Note, ...] = (note("binned-scores", bound=shift),) if shift else ()
        if error > FLAT:
            half, size = self.multiplier * error + shift, max(abs(value) - shift, 0.0) / error
            p_value = (int((self.largest >= size).sum()) + 1) / (self.largest.size + 1)
        else:
            # no item tells the two apart: what the rarer class cannot rule out (Bonferroni)
            quantile = float(ndtri(1 - (1 - self.level) / (2 * pairs)))
            half = quantile**2 / (min(placed.n_positive, placed.n_negative) + quantile**2) + shift
            size, p_value, notes = 0.0, 1.0, (*notes, note("no-disagreement", n=n))
        effect = Estimate(
            measure=self.measure,
            value=scale * value,
            interval=Interval(
                low=max(scale * (value - half), -scale),
                high=min(scale * (value + half), scale),
                level=self.level,
                method="simultaneous_bootstrap",
            ),
            method="simultaneous_bootstrap",
            n=n,
            unit="item",
            standard_error=scale * error,
            seed=self.seed,
            notes=notes,
        )
        return TestOutcome(
            method="simultaneous_bootstrap",
            statistic=size if value >= 0 else -size,
            p_value=p_value,
            effect=effect,
            seed=self.seed,
        )


def _contrast(models: tuple[str, ...], a: str, b: str) -> FloatArray:
    contrast = np.zeros(len(models))
    contrast[models.index(a)], contrast[models.index(b)] = 1.0, -1.0
    return contrast


def _largest(placed: PlacedAreas, contrasts: FloatArray, n_resamples: int, seed: int) -> FloatArray:
    """The largest difference in standard errors of each draw, in order; the best model drawn first."""
    order = np.argsort(-placed.areas, kind="stable")
    covariance = placed.covariance[np.ix_(order, order)]
    chosen = contrasts[:, order]
    values, vectors = np.linalg.eigh(covariance)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    errors = np.sqrt(np.maximum(np.einsum("pi,ij,pj->p", chosen, covariance, chosen), 0.0))
    kept = errors > FLAT
    loadings = np.einsum("pi,ij->pj", chosen[kept], factor) / errors[kept, None]
    largest = np.zeros(n_resamples)
    rows = max(1, DRAWS_AT_ONCE // max(1, loadings.shape[0]))
    starts = list(enumerate(range(0, n_resamples, rows) if kept.any() else ()))
    for block, start in steps("sampling", starts):
        part = largest[start : start + rows]
        draws = stream(seed, block).standard_normal((part.size, order.size))
        part[:] = np.abs(np.einsum("dj,pj->dp", draws, loadings)).max(axis=1)
    return np.sort(largest)
