"""Many models on the same items by a measure of their labels: all differences at once, from counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import check_count, check_level
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.progress import steps
from assay.core.results import FamilyOutcome
from assay.core.rng import Rng, seed_of, stream
from assay.evidence.argument_checks import as_predictions
from assay.evidence.predictions import Predictions
from assay.evidence.tally import Tally
from assay.hypotheses.label_slopes import plain_difference, slopes_of, smooth_measure
from assay.hypotheses.paired_labels import pseudo_rows
from assay.hypotheses.simultaneous import (
    PAIRS_AT_ONCE,
    Member,
    check_defined,
    families_of,
    pair_places,
    pairs_of,
)
from assay.measures.registry import Measure, find_measure

Pairs = tuple[tuple[str, str], ...]


@method(
    question="Which of many models differ in a measure of their labels on the same items (simultaneous intervals)?",
    takes="predictions",
    gives="family",
    unit="item",
    assumes=(
        "items are independent",
        "all models saw the same items",
        "a measure that changes smoothly with the counts",
    ),
    reference="Hothorn, Bretz & Westfall (2008), Biometrical Journal 50; Agresti & Min (2005), "
    "Statistics in Medicine 24",
    requirement="T14",
    formula="atanh(D/R) ± multiplier · standard_error / (R (1 - (D/R)^2)), D the difference with half a "
    "count added to each cell of a pair",
    title="delta-method tests with simultaneous (max-t) intervals",
    posterior="smoothed",
    calibrated_by="labels_at_once",
)
def simultaneous_delta(
    evidence: Any,
    *,
    measure: str | Measure = "f1",
    baseline: str | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> FamilyOutcome:
    """All pairwise differences (or those against a baseline) with simultaneous intervals.

    Each difference and its standard error are those of ``paired_delta``. The models' joint normal
    distribution, known from the counts, is drawn from to find the one multiplier that holds all
    intervals together. A p-value is at most 1 - level exactly when its interval excludes zero.
    """
    predictions = as_predictions(evidence)
    pairs = pairs_of(predictions.models, baseline)
    if not pairs:
        raise EvidenceError(
            f"comparing needs two models; the evidence has {len(predictions.models)}"
        )
    members = label_members(predictions, [find_measure(measure)], pairs, n_resamples, rng)
    return families_of(members, level=check_level(level))[0]


def label_members(
    evidence: Predictions, measures: Sequence[Measure], pairs: Pairs, n_resamples: int, rng: Rng
) -> list[Member]:
    """One member for each measure, all from the same draws of their joint normal distribution."""
    size, seed = check_count(n_resamples, "n_resamples", at_least=1), seed_of(rng)
    tally = evidence.tally()
    bound = [
        smooth_measure(
            evidence,
            one,
            tally.models,
            method="simultaneous_delta",
            instead="simultaneous_bootstrap",
        )
        for one in measures
    ]
    for one in measures:
        check_defined(evidence, one)
    known = [_counted(tally, one) for one in bound]
    covariance = _covariance(tally, known)
    factor = _root(covariance, np.concatenate([one.values for one in known]))
    drawn = stream(seed, 0).standard_normal((size, len(factor))) @ factor
    k = len(tally.models)
    members = []
    for place, (one, counted) in enumerate(zip(bound, known, strict=True)):
        own = slice(place * k, (place + 1) * k)
        spread = covariance[own, own]
        members.append(_member(tally, one, counted, pairs, spread, drawn[:, own], seed))
    return members


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CountedPair:
    """A measure of all models: as it is, with pseudo-counts, and what each row adds to it."""

    values: FloatArray
    centres: FloatArray
    influence: FloatArray
    """(models, rows): the slope in the cell that a distinct row falls in."""
    own: FloatArray
    """(models, cells): the slopes in the cells that pseudo-counts fall in."""


def _counted(tally: Tally, measure: Measure) -> _CountedPair:
    places, amounts, _ = _pseudo_cells(tally)
    size = len(tally.classes)
    values, centres, influence, own = [], [], [], []
    for model in tally.models:
        table = tally.confusion(model)
        values.append(float(measure.function(table)))
        added = np.bincount(places, weights=amounts, minlength=size * size)
        filled = table + added.reshape(size, size)
        slopes = slopes_of(measure, filled).ravel()
        centres.append(float(measure.function(filled)))
        influence.append(slopes[tally.cells(model)])
        own.append(slopes[places])
    return _CountedPair(
        values=np.array(values),
        centres=np.array(centres),
        influence=np.array(influence),
        own=np.array(own),
    )


def _pseudo_cells(tally: Tally) -> tuple[IntArray, FloatArray, FloatArray]:
    """The cells of one model that get pseudo-counts, how much, and how much two models share.

    The pseudo-counts of a pair are those of `paired_delta`; ``shared[i, j]`` is what falls in
    cell i of one model and cell j of another.
    """
    rows, added = pseudo_rows(np.unique(tally.rows[:, 0]), len(tally.classes))
    size = len(tally.classes)
    first, second = rows[:, 0] * size + rows[:, 1], rows[:, 0] * size + rows[:, 2]
    places = np.unique(first)
    shared = np.zeros((places.size, places.size))
    np.add.at(shared, (np.searchsorted(places, first), np.searchsorted(places, second)), added)
    return places, shared.sum(axis=1), shared


def _covariance(tally: Tally, known: Sequence[_CountedPair]) -> FloatArray:
    """The covariance of all measures of all models.

    A measure does not change when all counts are doubled, so the slopes weighted by the counts
    add up to 0 and the covariance is the sum of count * slope * slope over the joint cells.
    """
    influence = np.vstack([one.influence for one in known])
    own = np.vstack([one.own for one in known])
    _, amounts, shared = _pseudo_cells(tally)
    covariance = (influence * tally.counts) @ influence.T
    model = np.tile(np.arange(len(tally.models)), len(known))
    same = model[:, None] == model[None, :]
    covariance += np.where(same, (own * amounts) @ own.T, own @ shared @ own.T)
    return np.asarray(covariance)


def _root(covariance: FloatArray, values: FloatArray) -> FloatArray:
    """A root of the covariance: symmetric in the order of the values, so that names do not matter."""
    ranked = np.argsort(-values, kind="stable")
    roots, vectors = np.linalg.eigh(covariance[np.ix_(ranked, ranked)])
    factor = np.empty_like(covariance)
    factor[:, ranked] = (vectors * np.sqrt(np.maximum(roots, 0.0))) @ vectors.T
    return factor


def _member(
    tally: Tally,
    measure: Measure,
    known: _CountedPair,
    pairs: Pairs,
    covariance: FloatArray,
    drawn: FloatArray,
    seed: int,
) -> Member:
    a, b = pair_places(tally.models, pairs)
    variances = np.diag(covariance)
    errors = np.sqrt(np.maximum(variances[a] + variances[b] - 2.0 * covariance[a, b], 0.0))
    largest = np.zeros(len(drawn))
    for start in steps("comparing", range(0, a.size, PAIRS_AT_ONCE)):
        part = slice(start, start + PAIRS_AT_ONCE)
        varying = np.where(errors[part] > 0.0, errors[part], np.inf)
        strays = np.abs(drawn[:, a[part]] - drawn[:, b[part]]) / varying
        np.maximum(largest, strays.max(axis=1), out=largest)
    centres = _gaps(known.centres, a, b)
    alike = [
        centre == 0.0 and np.array_equal(tally.rows[:, 1 + one], tally.rows[:, 1 + other])
        for one, other, centre in zip(a.tolist(), b.tolist(), centres.tolist(), strict=True)
    ]
    return Member(
        method="simultaneous_delta",
        measure=measure.called,
        models=tally.models,
        pairs=pairs,
        n=tally.n,
        seed=seed,
        values=_gaps(known.values, a, b),
        centres=centres,
        errors=errors,
        extent=measure.high - measure.low,
        units=float(tally.n),
        largest=largest,
        alike=np.array(alike),
        inside=True,
    )


def _gaps(values: FloatArray, a: IntArray, b: IntArray) -> FloatArray:
    pairs = zip(values[a].tolist(), values[b].tolist(), strict=True)
    return np.array([plain_difference(first, second) for first, second in pairs])
