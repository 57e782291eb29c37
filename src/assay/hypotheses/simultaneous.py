"""Many models on the same items: all differences at once, by the bootstrap of the largest."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import ndtri

from assay.core.checks import FloatArray, check_level
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Estimate, FamilyOutcome, Interval, TestOutcome
from assay.core.rng import Rng, seed_of
from assay.estimates.bootstrap import Replicates, replicate
from assay.estimates.reductions import reduce
from assay.evidence.predictions import Predictions
from assay.evidence.shapes import as_predictions
from assay.hypotheses.replicated import UNDEFINED_AT_MOST
from assay.measures.registry import Measure, find_measure

PAIRS_AT_ONCE = 256
"""Pairs whose replicates are held at a time, so that memory does not grow with their number."""


@method(
    question="Which of many models differ on the same items, all differences taken together?",
    takes="predictions",
    gives="family",
    unit="item",
    assumes=("items (or clusters) are independent", "all models saw the same items"),
    reference="romano2005",
    requirement="T14",
    formula="difference ± multiplier · standard_error",
)
def simultaneous_bootstrap(
    evidence: Any,
    *,
    measure: str | Measure = "accuracy",
    baseline: str | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> FamilyOutcome:
    """All pairwise differences (or those against a baseline) with simultaneous intervals.

    The models are resampled together, so that what they share cancels; each difference is
    divided by its bootstrap standard error and the largest over all pairs sets one multiplier.
    A p-value is at most 1 - level exactly when its interval excludes zero, and the chance of any
    false difference is held over the whole family.
    """
    predictions = as_predictions(evidence)
    pairs = pairs_of(predictions.models, baseline)
    if not pairs:
        raise EvidenceError(
            f"comparing needs two models; the evidence has {len(predictions.models)}"
        )
    if predictions.on_engine and find_measure(measure).needs == "scores":
        from assay.hypotheses.ranked_families import ranked_family

        return ranked_family(
            predictions,
            pairs,
            measure=find_measure(measure).name,
            level=check_level(level),
            n_resamples=n_resamples,
            seed=seed_of(rng),
        )
    found = joint_replicates(predictions, find_measure(measure), n_resamples, rng)
    return family_of(found, pairs, level=check_level(level), n=predictions.n)


def joint_replicates(
    predictions: Predictions,
    measure: Measure,
    n_resamples: int,
    rng: Rng,
    ranked: Sequence[str] | None = None,
) -> Replicates:
    """Joint replicates, the best model first: the same draws whatever the models are called."""
    values = reduce(predictions, measure).values
    if ranked is None:
        ranked = [predictions.models[place] for place in np.argsort(-values, kind="stable")]
    for model, value in zip(predictions.models, values, strict=True):
        if math.isnan(value):
            raise NotApplicable(
                f"{measure.name} of {model} is undefined here, so it cannot be compared"
            )
    found = replicate(predictions, measure, models=ranked, n_resamples=n_resamples, rng=rng)
    defined = ~np.isnan(found.replicates).any(axis=1)
    if defined.mean() < 1 - UNDEFINED_AT_MOST:
        raise NotApplicable(
            f"{measure.name} is undefined in {1 - defined.mean():.0%} of the resamples: too few items of "
            "some class to compare many models by it; use accuracy, or more items"
        )
    return found


def pairs_of(models: Sequence[str], baseline: str | None) -> tuple[tuple[str, str], ...]:
    """All pairs in the order of the models, or every other model against the baseline."""
    if baseline is None:
        return tuple(combinations(models, 2))
    if baseline not in models:
        raise EvidenceError(
            f"no model {baseline!r} to be the baseline; there are {', '.join(models)}"
        )
    return tuple((model, baseline) for model in models if model != baseline)


def family_of(
    found: Replicates, pairs: tuple[tuple[str, str], ...], *, level: float, n: int
) -> FamilyOutcome:
    """Simultaneous intervals and p-values of all pairs from joint replicates of the models."""
    (family,) = families_of([(found, pairs, n)], level=level)
    return family


def families_of(
    members: Sequence[tuple[Replicates, tuple[tuple[str, str], ...], int]], *, level: float
) -> tuple[FamilyOutcome, ...]:
    """Families held together: one multiplier for the pairs of all of them.

    Members drawn on the same resamples are joined as they really hang together. Where resamples
    are independent the multiplier is that of independent families, which is never too small for
    normal limits (the Gaussian correlation inequality, Royen 2014).
    """
    defined = ~np.any([np.isnan(found.replicates).any(axis=1) for found, _, _ in members], axis=0)
    members = [
        (replace(found, replicates=found.replicates[defined]), pairs, n)
        for found, pairs, n in members
    ]
    spreads = [_spread_of(found, pairs) for found, pairs, _ in members]
    ordered = np.sort(np.max([largest for _, _, largest in spreads], axis=0))
    total = sum(len(pairs) for _, pairs, _ in members)
    return tuple(
        _family(found, pairs, n, spread, ordered, level=level, n_pairs=total)
        for (found, pairs, n), spread in zip(members, spreads, strict=True)
    )


def _spread_of(
    found: Replicates, pairs: tuple[tuple[str, str], ...]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The differences of all pairs, their standard errors, and the largest deviations."""
    index = {model: place for place, model in enumerate(found.models)}
    a = np.array([index[first] for first, _ in pairs])
    b = np.array([index[second] for _, second in pairs])
    return found.values[a] - found.values[b], *_spread(found.replicates, found.values, a, b)


def _family(
    found: Replicates,
    pairs: tuple[tuple[str, str], ...],
    n: int,
    spread: tuple[FloatArray, FloatArray, FloatArray],
    ordered: FloatArray,
    *,
    level: float,
    n_pairs: int,
) -> FamilyOutcome:
    differences, errors, _ = spread
    n_resamples = ordered.size
    # the order statistic that makes p <= 1 - level and "the interval excludes 0" one statement
    place = int(np.floor((1 - level) * (n_resamples + 1)))
    multiplier = float(ordered[n_resamples - place]) if place >= 1 else float("inf")
    with np.errstate(invalid="ignore", divide="ignore"):
        sizes = np.where(errors > 0, np.abs(differences) / errors, 0.0)
    beyond = n_resamples - np.searchsorted(ordered, sizes, side="left")
    p_values = (beyond + 1) / (n_resamples + 1)
    outcomes = tuple(
        _outcome(found, difference, error, size, p_value, multiplier, level, n, n_pairs)
        for difference, error, size, p_value in zip(
            differences.tolist(), errors.tolist(), sizes.tolist(), p_values.tolist(), strict=True
        )
    )
    return FamilyOutcome(
        method="simultaneous_bootstrap",
        models=found.models,
        pairs=pairs,
        outcomes=outcomes,
        adjustment="max-t",
        seed=found.seed,
        details=(("n_resamples", n_resamples), ("multiplier", multiplier), ("level", level)),
    )


def _spread(
    replicates: FloatArray, values: FloatArray, a: Any, b: Any
) -> tuple[FloatArray, FloatArray]:
    """Each pair's standard error, and for every replicate the largest studentised deviation."""
    errors = np.empty(a.size)
    largest = np.zeros(replicates.shape[0])
    for part in _parts(a.size):
        deviations = replicates[:, a[part]] - replicates[:, b[part]]
        deviations -= values[a[part]] - values[b[part]]
        errors[part] = deviations.std(axis=0, ddof=1)
        errors[part][errors[part] < 1e-12] = 0.0
        varying = errors[part] > 0
        if varying.any():
            studentised = np.abs(deviations[:, varying]) / errors[part][varying]
            np.maximum(largest, studentised.max(axis=1), out=largest)
    return errors, largest


def _parts(size: int) -> Iterator[slice]:
    for start in range(0, size, PAIRS_AT_ONCE):
        yield slice(start, min(start + PAIRS_AT_ONCE, size))


def _outcome(
    found: Replicates,
    difference: float,
    error: float,
    size: float,
    p_value: float,
    multiplier: float,
    level: float,
    n: int,
    n_pairs: int,
) -> TestOutcome:
    notes: tuple[Note, ...] = ()
    if error > 0:
        half_width = multiplier * error
    else:
        # No item tells the two apart: what n items cannot rule out, as Tango's interval has it,
        # at the level of one pair of the family (Bonferroni).
        quantile = float(ndtri(1 - (1 - level) / (2 * n_pairs)))
        half_width = quantile**2 / (n + quantile**2)
        notes = (note("no-disagreement", n=n),)
        p_value = 1.0
    effect = Estimate(
        measure=found.measure,
        value=difference,
        interval=Interval(
            low=difference - half_width,
            high=difference + half_width,
            level=level,
            method="simultaneous_bootstrap",
        ),
        method="simultaneous_bootstrap",
        n=n,
        unit="item",
        standard_error=error,
        seed=found.seed,
    )
    return TestOutcome(
        method="simultaneous_bootstrap",
        statistic=size if difference >= 0 else -size,
        p_value=p_value,
        effect=effect,
        notes=notes,
        seed=found.seed,
    )
