"""Models compared in any smooth measure on items that come in clusters, or that have weights (T5, T14).

Whole clusters are left out one at a time; nothing is resampled but the multiplier of many pairs.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_count, check_level
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import Details, FamilyOutcome, Interval, TestOutcome, with_notes
from assay.core.rng import Rng, seed_of, stream
from assay.core.tolerances import TIE
from assay.estimates.bootstrap import tied_difference
from assay.estimates.cluster_covariance import Deleted, deleted, smooth
from assay.estimates.means import cut_to_range
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import as_predictions
from assay.evidence.predictions import Predictions
from assay.hypotheses.paired_measures import AnyMeasure, pair_of
from assay.hypotheses.replicate_answers import flat_difference
from assay.hypotheses.simultaneous import (
    PAIRS_AT_ONCE,
    Member,
    check_defined,
    families_of,
    pair_places,
    pairs_of,
)
from assay.kernels.tails import t_log10_p, t_p
from assay.measures.registry import Measure, find_measure

_ASSUMES = (
    "clusters (or items) are independent",
    "a measure that changes smoothly when one of them is left out",
)
_REFERENCE = (
    "Tukey (1958), Annals of Mathematical Statistics 29; Bell & McCaffrey (2002), Survey Methodology 28; "
    "MacKinnon, Nielsen & Webb (2023), Journal of Applied Econometrics 38"
)
_ERROR = (
    "standard_error² = (m − 1)/m Σ (D₋ᵢ − D)², D₋ᵢ the difference without cluster i of m, "
    "df = sqrt((m − 1)(effective_clusters − 1))"
)


@method(
    question="Do two models differ in a measure on items that come in clusters?",
    takes="predictions",
    gives="test",
    unit="item",
    assumes=_ASSUMES,
    reference=_REFERENCE,
    requirement="T5",
    formula="t = D/standard_error, " + _ERROR,
)
def paired_jackknife(
    evidence: Any,
    *,
    measure: AnyMeasure = "f1",
    models: Sequence[str] | None = None,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The difference of a measure, with the spread that leaving out one cluster at a time shows.

    Nothing is drawn. Without clusters the units are items, which may have importance weights. The
    degrees of freedom allow for clusters of unequal size. The answer mirrors when A and B are swapped.
    """
    predictions, pair = pair_of(evidence, models)
    asked = MethodQuestion.of("paired_jackknife", level=level, alternative=alternative)
    found = _deleted(predictions, find_measure(measure), pair)
    value = _difference(found.values[0], found.values[1])
    return _decided(
        asked,
        found.reduced.measure,
        value,
        found.variance((1.0, -1.0)),
        df=found.df,
        units=found.effective,
        n=predictions.n,
        facts=found.facts((1.0, -1.0)),
        parts=(found,),
    )


@method(
    question="Do two models tested on different items differ in a measure if items come in clusters?",
    takes="two-predictions",
    gives="test",
    unit="item",
    assumes=(*_ASSUMES, "the two test sets are independent of each other"),
    reference=_REFERENCE + "; Welch (1947), Biometrika 34",
    requirement="T5",
    formula="t = D/standard_error, standard_error² = error_a² + error_b², each by leaving out one cluster "
    "at a time, df = standard_error⁴/(error_a⁴/df_a + error_b⁴/df_b)",
    title="jackknife test for independent samples",
)
def independent_jackknife(
    evidence_a: Any,
    evidence_b: Any,
    *,
    measure: AnyMeasure = "accuracy",
    level: float = 0.95,
) -> TestOutcome:
    """The difference of a measure on two test sets, each with its clusters left out one at a time."""
    chosen, asked = find_measure(measure), MethodQuestion.of("independent_jackknife", level=level)
    parts = [as_predictions(evidence_a), as_predictions(evidence_b)]
    found = [_deleted(part, chosen, part.models) for part in parts]
    variances = [one.variance((1.0,)) for one in found]
    total = sum(variances)
    df = 1.0
    if total > 0.0:
        df = total**2 / sum(v**2 / one.df for v, one in zip(variances, found, strict=True))
    return _decided(
        asked,
        found[0].reduced.measure,
        _difference(found[0].values[0], found[1].values[0]),
        total,
        df=df,
        units=min(one.effective for one in found),
        n=sum(part.n for part in parts),
        facts=(("df", df), *_apart(found, variances)),
        parts=found,
    )


@method(
    question="Which of many models differ in a measure on items that come in clusters (simultaneous intervals)?",
    takes="predictions",
    gives="family",
    unit="item",
    assumes=(*_ASSUMES, "all models saw the same items"),
    reference=_REFERENCE + "; Hothorn, Bretz & Westfall (2008), Biometrical Journal 50",
    requirement="T14",
    formula="D ± multiplier · standard_error, " + _ERROR,
)
def simultaneous_jackknife(
    evidence: Any,
    *,
    measure: str | Measure = "f1",
    baseline: str | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> FamilyOutcome:
    """All pairwise differences (or those against a baseline) with simultaneous intervals.

    Each difference and its standard error are those of ``paired_jackknife``. The multiplier is drawn:
    normal differences that hang together as the clusters show, each over an error of its own. A
    p-value is at most 1 - level exactly when its interval excludes zero.
    """
    predictions = as_predictions(evidence)
    pairs = pairs_of(predictions.models, baseline)
    if not pairs:
        raise EvidenceError(
            f"comparing needs two models; the evidence has {len(predictions.models)}"
        )
    member = deleted_member(predictions, find_measure(measure), pairs, n_resamples, rng)
    return families_of([member], level=check_level(level))[0]


def deleted_member(
    evidence: Predictions,
    measure: Measure,
    pairs: tuple[tuple[str, str], ...],
    n_resamples: int,
    rng: Rng,
) -> Member:
    """The pairs of one measure, with draws of how far all of them together may stray."""
    size, seed = check_count(n_resamples, "n_resamples", at_least=1), seed_of(rng)
    check_defined(evidence, measure)
    found = _deleted(evidence, measure, evidence.models)
    if np.isnan(found.covariance).any():
        raise NotApplicable(
            f"{measure.called} is undefined without some {found.reduced.unit[:-1]}, so its spread is "
            "unknown; use accuracy, or more of them"
        )
    a, b = pair_places(evidence.models, pairs)
    spread = np.diag(found.covariance)
    values = tied_difference(found.values[a], found.values[b])
    errors = np.sqrt(np.maximum(spread[a] + spread[b] - 2.0 * found.covariance[a, b], 0.0))
    scale = np.maximum(np.abs(found.values[a]), np.abs(found.values[b]))
    errors = np.where(errors > TIE * scale, errors, 0.0)
    return Member(
        method="simultaneous_jackknife",
        measure=found.reduced.measure.called,
        models=evidence.models,
        pairs=pairs,
        n=evidence.n,
        seed=seed,
        values=values,
        centres=values,
        errors=errors,
        extent=found.reduced.measure.high - found.reduced.measure.low,
        units=found.effective,
        largest=largest_strays(
            found.values, found.covariance, found.df, (a, b), errors, size, seed
        ),
        alike=(errors == 0.0) & (values == 0.0),
    )


def largest_strays(
    values: FloatArray,
    covariance: FloatArray,
    df: float,
    places: tuple[Any, Any],
    errors: FloatArray,
    size: int,
    seed: int,
) -> FloatArray:
    """The largest studentised difference of each draw, over the pairs of models at ``places``.

    Numerators share the models' covariance; denominators are drawn apart, as for one multivariate t
    they would have to be one: with 6 clusters and 5 models that errs in 11 % of the families.
    """
    ranked = np.argsort(-values, kind="stable")  # the same draws whatever the models are called
    roots, vectors = np.linalg.eigh(covariance[np.ix_(ranked, ranked)])
    factor = np.empty_like(covariance)
    factor[:, ranked] = (vectors * np.sqrt(np.maximum(roots, 0.0))) @ vectors.T
    rng = stream(seed, 0)
    drawn = rng.standard_normal((size, len(factor))) @ factor
    largest = np.zeros(size)
    for start in range(0, errors.size, PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        first, second, error = places[0][part], places[1][part], errors[part]
        spread = np.sqrt(rng.chisquare(df, (size, error.size)) / df)
        varying = error > 0.0
        strays = np.abs(drawn[:, first[varying]] - drawn[:, second[varying]])
        if varying.any():
            studentised = strays / error[varying] / spread[:, varying]
            np.maximum(largest, studentised.max(axis=1), out=largest)
    return largest


def _deleted(evidence: Predictions, measure: Measure, models: tuple[str, ...]) -> Deleted:
    if not smooth(measure):
        raise NotApplicable(
            f"{measure.called} may jump when one item is left out, so the jackknife does not know its "
            "spread: use paired_bootstrap, independent_bootstrap or simultaneous_bootstrap"
        )
    return deleted(evidence, measure, models)


def _difference(first: float, second: float) -> float:
    return float(tied_difference(np.array([first]), np.array([second]))[0])


def _decided(
    asked: MethodQuestion,
    measure: Measure,
    value: float,
    variance: float,
    *,
    df: float,
    units: float,
    n: int,
    facts: Details,
    parts: Sequence[Deleted],
) -> TestOutcome:
    """The t test and its interval, or what little can be said without a standard error."""
    error = math.sqrt(variance) if variance > 0.0 else 0.0
    scale = max(abs(float(one.values[0])) for one in parts)
    flat = error <= TIE * scale
    known = None if math.isnan(value) else value
    spread = None if math.isnan(variance) or flat else error
    effect = asked.estimate(measure.called, known, n, None, spread)
    notes = (one for part in parts for one in part.notes())
    outcome = with_notes(asked.outcome(None, None, effect, details=facts), *notes)
    if effect.value is None:
        return with_notes(outcome, note("undefined-value", measure=measure.called))
    if math.isnan(variance):
        return _unknown(outcome, measure, asked.level, min(parts, key=lambda one: one.units))
    if flat:
        return flat_difference(outcome, measure, level=asked.level, units=units)
    t = value / error
    interval = asked.t_interval(value, error, df)
    extent = measure.high - measure.low
    effect = cut_to_range(replace(effect, interval=interval), -extent, extent)
    return replace(
        outcome,
        statistic=t,
        p_value=t_p(t, df, asked.side),
        effect=effect,
        details=(
            ("D", value), *facts, ("standard_error", error), ("t", t),
            ("log10_p", t_log10_p(t, df, asked.side)),
        ),
    )  # fmt: skip


def _unknown(outcome: TestOutcome, measure: Measure, level: float, part: Deleted) -> TestOutcome:
    """Without some cluster the measure has no value: nothing is ruled out."""
    unit = part.reduced.unit[:-1]
    if part.units < 2:
        alone = note("single-value", what="one item", needed="at least two items")
        return with_notes(outcome, alone if unit == "item" else note("one-cluster"))
    side, extent = outcome.alternative, measure.high - measure.low
    found = with_notes(outcome, note("jackknife-undefined", measure=measure.called, unit=unit))
    if not math.isfinite(extent):
        return found
    interval = Interval(
        low=-extent if side != "less" else -math.inf,
        high=extent if side != "greater" else math.inf,
        level=level, method=outcome.method, alternative=side,
    )  # fmt: skip
    whole = note("whole-range", measure=f"the difference in {measure.called}")
    effect = replace(found.effect, interval=interval)
    return with_notes(replace(found, p_value=1.0, effect=effect), whole)


def _apart(found: Sequence[Deleted], variances: Sequence[float]) -> Details:
    """What stands behind either side."""
    details: list[tuple[str, Any]] = []
    for side, one, variance in zip("ab", found, variances, strict=True):
        kept = {"n_clusters", "effective_clusters", "effective_n", "design_effect", "icc", "df"}
        details += [(f"{name}_{side}", fact) for name, fact in one.facts((1.0,)) if name in kept]
        details.append((f"error_{side}", math.sqrt(variance) if variance >= 0.0 else None))
    return tuple(details)
