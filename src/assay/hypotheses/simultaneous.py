"""Many models on the same items: all differences at once, by the bootstrap of the largest."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.core.checks import check_level
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, FamilyOutcome, TestOutcome
from assay.core.rng import Rng, seed_of, stream
from assay.core.tolerances import TIE
from assay.estimates.bootstrap import Replicates, replicate, tied_difference
from assay.estimates.method_question import MethodQuestion
from assay.estimates.resampling_cells import MANY_MEANS, reduce
from assay.evidence.argument_checks import as_predictions
from assay.evidence.predictions import Predictions
from assay.hypotheses.auc_families import SCALE, ranked_family
from assay.hypotheses.label_slopes import stretched_limits, stretched_z
from assay.hypotheses.replicate_answers import UNDEFINED_AT_MOST, flat_note
from assay.hypotheses.skewed_families import Heeded
from assay.kernels.no_variation import flat_limits, flat_z
from assay.kernels.tails import alpha_of, normal_p, normal_reach
from assay.measures.registry import Measure, find_measure

FEW_UNITS = 1000.0
"""Degrees of freedom up to which t and its normal limit differ by more than some thousandths."""
PAIRS_AT_ONCE = 256
"""Pairs whose replicates are held at a time, so that memory does not grow with their number."""


@method(
    question="Which of many models differ on the same items (simultaneous intervals)?",
    takes="predictions",
    gives="family",
    unit="item",
    assumes=("items (or clusters) are independent", "all models saw the same items"),
    reference="romano2005",
    requirement="T14",
    formula="difference ± multiplier · standard_error",
    title="bootstrap with simultaneous (max-t) intervals",
    calibrated_by="units",
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
    chosen = find_measure(measure)
    if chosen.needs == "scores" and (predictions.on_engine or _many_areas(predictions, chosen)):
        return ranked_family(
            predictions,
            pairs,
            measure=chosen.name,
            level=check_level(level),
            n_resamples=n_resamples,
            seed=seed_of(rng),
        )
    found = joint_replicates(predictions, chosen, n_resamples, rng)
    return family_of(found, pairs, level=check_level(level), n=predictions.n)


def _many_areas(predictions: Predictions, measure: Measure) -> bool:
    """Whether so many independent items are ranked that their areas have their normal limit."""
    alone = predictions.clusters is None and not predictions.weighted
    return alone and measure.name in SCALE and predictions.n >= MANY_MEANS


def check_defined(predictions: Predictions, measure: Measure) -> FloatArray:
    """The measure of each model, where all have one."""
    values = reduce(predictions, measure).values
    for model, value in zip(predictions.models, values, strict=True):
        if not math.isfinite(value):
            what = "undefined" if math.isnan(value) else "infinite"
            raise NotApplicable(
                f"{measure.called} of {model} is {what} here, so it cannot be compared"
            )
    return values


def joint_replicates(
    predictions: Predictions, measure: Measure, n_resamples: int, rng: Rng
) -> Replicates:
    """Joint replicates, the best model first: the same draws whatever the models are called."""
    values = check_defined(predictions, measure)
    ranked = [predictions.models[place] for place in np.argsort(-values, kind="stable")]
    found = replicate(predictions, measure, models=ranked, n_resamples=n_resamples, rng=rng)
    defined = np.isfinite(found.replicates).all(axis=1)
    if len(found.replicates) < 2:
        raise UsageError(f"n_resamples is {n_resamples}: the spread over resamples needs 2 or more")
    if defined.mean() < 1 - UNDEFINED_AT_MOST:
        raise NotApplicable(
            f"{measure.called} is undefined in {1 - defined.mean():.0%} of the resamples: some "
            "class has too few items to compare many models. Use accuracy, or more items"
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Member:
    """The differences of one family, with draws of how far all of them together may stray."""

    method: str
    measure: str
    models: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    n: int
    seed: int
    values: FloatArray
    """(pairs,): the differences."""
    centres: FloatArray
    """(pairs,): what the intervals are laid around."""
    errors: FloatArray
    extent: float
    """The largest difference there can be."""
    units: float
    """How many independent units stand behind a difference."""
    largest: FloatArray
    """(draws,): the largest studentised deviation over the pairs; NaN where a draw has none."""
    alike: BoolArray
    """(pairs,): whether no item tells the two apart."""
    inside: bool = False
    """Whether intervals are laid on a scale that ends at the extent."""
    heeded: Heeded | None = None
    """Of means: the skewness of every difference, and what may be unseen."""

    @property
    def bound(self) -> float:
        """Where the scale of the intervals ends."""
        return self.extent if self.inside else math.inf

    def sizes(self) -> FloatArray:
        """How many standard errors each difference is away from zero."""
        if self.heeded is not None:
            return self.heeded.sizes(self.values, self.errors)
        found = [
            stretched_z(centre, error, self.bound) if error > 0 else 0.0
            for centre, error in zip(self.centres.tolist(), self.errors.tolist(), strict=True)
        ]
        return np.abs(found)


def family_of(
    found: Replicates, pairs: tuple[tuple[str, str], ...], *, level: float, n: int
) -> FamilyOutcome:
    """Simultaneous intervals and p-values of all pairs from joint replicates of the models."""
    (family,) = families_of([member_of(found, pairs, n)], level=level)
    return family


def member_of(found: Replicates, pairs: tuple[tuple[str, str], ...], n: int) -> Member:
    """The pairs of models that were replicated together."""
    a, b = pair_places(found.models, pairs)
    defined = np.isfinite(found.replicates).all(axis=1)
    values = tied_difference(found.values[a], found.values[b])
    errors, deviations = _spread(found, found.replicates[defined], (a, b))
    largest = np.full(defined.size, np.nan)
    largest[defined] = deviations
    return Member(
        method="simultaneous_bootstrap",
        measure=found.measure,
        models=found.models,
        pairs=pairs,
        n=n,
        seed=found.seed,
        values=values,
        centres=values,
        errors=errors,
        extent=found.extent,
        units=found.units,
        largest=largest,
        alike=(errors == 0.0) & (values == 0.0),
    )


def pair_places(
    models: Sequence[str], pairs: Sequence[tuple[str, str]]
) -> tuple[IntArray, IntArray]:
    """Where the first and the second of each pair stand among the models."""
    index = {model: place for place, model in enumerate(models)}
    first, second = (np.array([index[pair[side]] for pair in pairs], np.int64) for side in (0, 1))
    return first, second


def families_of(members: Sequence[Member], *, level: float) -> tuple[FamilyOutcome, ...]:
    """Families held together: one multiplier for the pairs of all of them.

    Members drawn together are joined as they really hang together. Where draws are independent
    the multiplier is that of independent families, which is never too small for normal limits
    (the Gaussian correlation inequality, Royen 2014).
    """
    strays = np.max([member.largest for member in members], axis=0)  # NaN wins
    ordered = np.sort(strays[~np.isnan(strays)])
    total = sum(len(member.pairs) for member in members)
    return tuple(_family(member, ordered, level=level, n_pairs=total) for member in members)


def _family(member: Member, ordered: FloatArray, *, level: float, n_pairs: int) -> FamilyOutcome:
    n_resamples = ordered.size
    # the order statistic that makes p <= 1 - level and "the interval excludes 0" one statement
    place = int(np.floor(alpha_of(level) * (n_resamples + 1) + 1e-9))
    multiplier = float(ordered[n_resamples - place]) if place >= 1 else math.inf
    sizes = member.sizes()
    beyond = n_resamples - np.searchsorted(ordered, sizes, side="left")
    p_values = (beyond + 1) / (n_resamples + 1)
    if member.heeded is not None:
        unseen = member.heeded.unseen_p(member.values, member.errors, ordered)
        p_values = np.maximum(p_values, unseen)
    outcomes = tuple(
        _outcome(member, row, size, p_value, (multiplier, ordered), level, n_pairs)
        for row, (size, p_value) in enumerate(zip(sizes.tolist(), p_values.tolist(), strict=True))
    )
    return FamilyOutcome(
        method=member.method,
        models=member.models,
        pairs=member.pairs,
        outcomes=outcomes,
        adjustment="max-t",
        seed=member.seed,
        details=(("n_resamples", n_resamples), ("multiplier", multiplier), ("level", level)),
    )


def _spread(
    found: Replicates, replicates: FloatArray, places: tuple[Any, Any]
) -> tuple[FloatArray, FloatArray]:
    """Each pair's standard error, and for every replicate the largest studentised deviation.

    Standard errors of means over few units are uncertain themselves: as for t, each pair is divided by
    one that is drawn. Models stand in the order of their values, so names do not move the draws.
    """
    order = np.lexsort((np.maximum(*places), np.minimum(*places)))
    a, b = (side[order] for side in places)
    df = found.df if found.df is not None and 0.0 < found.df < FEW_UNITS else None
    drawn, growth = stream(found.seed, 0, 3), 1.0 if df is None else math.sqrt((df + 1.0) / df)
    errors = np.empty(a.size)
    largest = np.zeros(replicates.shape[0])
    scale = np.abs(replicates).max(axis=0, initial=0.0)
    for part in _parts(a.size):
        deviations = replicates[:, a[part]] - replicates[:, b[part]]
        deviations -= found.values[a[part]] - found.values[b[part]]
        spread = deviations.std(axis=0, ddof=1) * growth
        varying = spread > TIE * np.maximum(scale[a[part]], scale[b[part]])
        errors[order[part]] = np.where(varying, spread, 0.0)
        if df is not None:
            deviations *= growth / np.sqrt(drawn.chisquare(df, deviations.shape) / df)
        if varying.any():
            studentised = np.abs(deviations[:, varying]) / spread[varying]
            np.maximum(largest, studentised.max(axis=1), out=largest)
    return errors, largest


def _parts(size: int) -> Iterator[slice]:
    for start in range(0, size, PAIRS_AT_ONCE):
        yield slice(start, min(start + PAIRS_AT_ONCE, size))


def _outcome(
    member: Member,
    row: int,
    size: float,
    p_value: float,
    drawn: tuple[float, FloatArray],
    level: float,
    n_pairs: int,
) -> TestOutcome:
    value, error = float(member.values[row]), float(member.errors[row])
    if error == 0.0:
        return _flat(member, row, level, n_pairs)
    notes = (note("no-disagreement", n=member.n),) if member.alike[row] else ()
    if member.heeded is None:
        reach = drawn[0] * error
        low, high = stretched_limits(float(member.centres[row]), reach, value, member.bound)
    else:
        low, high, more = member.heeded.limits(row, (value, error), drawn, level, member.n)
        low, high = max(low, -member.extent), min(high, member.extent)
        notes, size = (*notes, *more), abs(value) / error
    if low <= 0.0 <= high and p_value <= alpha_of(level):
        p_value = 1.0  # the estimate itself lies on the other side: nothing is decided
    signed = size if member.centres[row] >= 0 else -size
    return _told(member, row, (signed, p_value), (low, high), level, notes, _behind(member, row))


def _flat(member: Member, row: int, level: float, n_pairs: int) -> TestOutcome:
    """A difference that no resample changes: what so many units cannot rule out, if there is a bound.

    At the level of one pair of the family (Bonferroni).
    """
    value = float(member.values[row])
    limits, p_value, z = None, (1.0 if value == 0.0 else None), 0.0
    if math.isfinite(member.extent):
        reach = normal_reach(1.0 - alpha_of(level) / n_pairs, "two-sided")
        limits = flat_limits(value, member.extent, member.units, reach)
        z = flat_z(value, member.extent, member.units)
        p_value = min(1.0, n_pairs * normal_p(z, "two-sided"))
    why = flat_note(
        value, n=member.n, units=member.units, bounded=limits is not None, method=member.method
    )
    return _told(member, row, (z, p_value), limits, level, (why,))


def _told(
    member: Member,
    row: int,
    tested: tuple[float, float | None],
    limits: tuple[float, float] | None,
    level: float,
    notes: tuple[Note, ...],
    details: Details = (),
) -> TestOutcome:
    asked = MethodQuestion.of(member.method, level=level)
    effect = asked.estimate(
        member.measure,
        float(member.values[row]),
        member.n,
        asked.interval(*limits) if limits else None,
        float(member.errors[row]),
        seed=member.seed,
    )
    return asked.outcome(*tested, effect, notes=notes, seed=member.seed, details=details)


def _behind(member: Member, row: int) -> Details:
    """The smoothed difference and the range, where the interval is laid around it."""
    if not member.inside:
        return ()
    return (("D", float(member.centres[row])), ("R", member.extent))
