"""How large a difference is by ranks and medians: effect sizes that outliers do not move (T16)."""

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import (
    as_pairs,
    as_values,
    check_choice,
    check_count,
)
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.progress import steps
from assay.core.results import Details, Estimate, Interval
from assay.core.rng import Rng, seed_of, stream
from assay.core.tolerances import NOISE
from assay.core.vocabulary import UNITS, Unit
from assay.estimates.method_question import MethodQuestion
from assay.kernels.bootstrap_intervals import percentile_interval
from assay.kernels.probability_of_superiority import superiority, superiority_limits
from assay.kernels.ranks import decimal_differences, midranks
from assay.kernels.special import betainc
from assay.kernels.tails import t_reach

MAD_FACTOR = 1.4826
"""Makes the median absolute deviation of normal values their standard deviation."""

UNDEFINED_AT_MOST = 0.05
"""Beyond this share of resamples without spread there is no interval."""

BLOCK_CELLS = 2**17
"""Values drawn at a time."""

_APART = ("independent values", "A and B share no units")
_PAIRED = ("one score of each model per unit", "units are independent")


@method(
    question="How often does a value of A exceed one of B?",
    takes="two-samples",
    gives="estimate",
    unit=UNITS,
    assumes=_APART,
    reference="Vargha & Delaney (2000), J. Educ. Behav. Stat. 25; Newcombe (2006), Stat. Med. 25",
    requirement="T16",
    same_as="R: effsize::VD.A({a}, {b})",
    formula="a12 = P(a > b) + P(a = b)/2; limits: (a12 - P)² = t² ratio V(P), as auc_score with "
    "t(n_a + n_b - 2)",
)
def a12(
    a: Any,
    b: Any,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    unit: Unit = "item",
) -> Estimate:
    """Vargha and Delaney's A: the probability that A wins against B, ties counting half.

    It is the AUC of the values of A against those of B; 0.5 is no difference.
    """
    asked = MethodQuestion.of("a12", level=level, alternative=alternative, unit=unit)
    found = superiority([(as_values(a, "a"), as_values(b, "b"))])
    interval = None
    notes: tuple[Note, ...] = ()
    if found.df == 0:
        notes = (note("single-value", what="one value of each", needed="more of A or of B"),)
    else:
        limits = superiority_limits(found, t_reach(asked.level, found.df, asked.side))
        interval = asked.sided(limits)
    error = math.sqrt(found.variance) if found.varies else None
    n, details = sum(found.sizes[0]), (("a12", found.value), ("df", found.df))
    return asked.estimate("a12", found.value, n, interval, error, notes=notes, details=details)


@method(
    question="How much more often does a value of A exceed one of B than fall below it?",
    takes="two-samples",
    gives="estimate",
    unit=UNITS,
    assumes=_APART,
    reference="Cliff (1993), Psychological Bulletin 114",
    requirement="T16",
    same_as="R: effsize::cliff.delta({a}, {b})",
    formula="cliffs_delta = P(a > b) - P(a < b) = 2 a12 - 1; limits: those of a12",
    name="Cliff's delta",
)
def cliffs_delta(
    a: Any,
    b: Any,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    unit: Unit = "item",
) -> Estimate:
    """Cliff's delta, from -1 (every value of A below every one of B) to 1; 2 a12 - 1."""
    found = a12(a, b, level=level, alternative=alternative, unit=unit)
    wins = float(found.value or 0.0)
    interval = found.interval and found.interval.mapped(lambda share: 2.0 * share - 1.0)
    return replace(
        found,
        measure="cliffs_delta",
        value=2.0 * wins - 1.0,
        interval=interval and replace(interval, method="cliffs_delta"),
        method="cliffs_delta",
        standard_error=None if found.standard_error is None else 2.0 * found.standard_error,
    )


@method(
    question="How many robust standard deviations lie between the medians of two samples?",
    takes="two-samples",
    gives="estimate",
    unit=UNITS,
    assumes=(*_APART, "ten values or more on either side, for the bootstrap"),
    reference="Akinshin (2020), Nonparametric Cohen's d-consistent effect size; Harrell & Davis "
    "(1982), Biometrika 69",
    requirement="T16",
    same_as="R: Hmisc::hdquantile and mad, by the formula",
    formula="gamma = (median_a - median_b)/pooled_mad, pooled_mad² = ((n_a - 1) mad_a² + "
    "(n_b - 1) mad_b²)/(n_a + n_b - 2), mad = 1.4826 median |x - median|",
    exempt={"contains": "a percentile interval of a biased ratio may leave it out"},
    name="Akinshin gamma",
)
def akinshin_gamma(
    a: Any,
    b: Any,
    *,
    variant: Literal["harrell_davis", "sample_median"] = "harrell_davis",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    unit: Unit = "item",
) -> Estimate:
    """Akinshin's gamma: Cohen's d with medians and median absolute deviations.

    "harrell_davis" estimates the medians by weighing all values, "sample_median" takes the middle
    ones. The interval is a percentile bootstrap of either sample.
    """
    first, second = as_values(a, "a"), as_values(b, "b")
    chosen = check_choice(variant, ("harrell_davis", "sample_median"), "variant")
    size = check_count(n_resamples, "n_resamples", at_least=1)
    asked = MethodQuestion.of("akinshin_gamma", level=level, unit=unit)
    seed = seed_of(rng)
    facts = _gamma_facts(first, second)
    value = facts[f"gamma_{chosen}"]
    interval = None
    notes: tuple[Note, ...] = ()
    if value is None:
        remedy = "cliffs_delta needs no spread"
        notes = (note("zero-variance", what="the middle values", method="gamma", remedy=remedy),)
    else:
        replicates = _gamma_replicates(first, second, chosen, size, seed)
        interval, notes = _gamma_interval(asked, replicates)
    return asked.estimate(
        "akinshin_gamma",
        value,
        first.size + second.size,
        interval,
        notes=notes,
        details=(*facts.items(), ("variant", chosen), ("n_resamples", size)),
        seed=seed,
    )


@method(
    question="How far do the signed ranks of paired differences favour one model?",
    takes="pairs",
    gives="estimate",
    unit=UNITS,
    assumes=_PAIRED,
    reference="Kerby (2014), Comprehensive Psychology 3; interval: assay, docs/methods/effects.md",
    requirement="T16",
    same_as="R: effectsize::rank_biserial({a}, {b}, paired = TRUE)",
    formula="rank_biserial = (W_plus - W_minus)/(W_plus + W_minus); limits: (rank_biserial - r)² = "
    "z² variance (1 - r²), variance = sum of squared ranks/(sum of ranks)²",
)
def rank_biserial(
    a: Any,
    b: Any = None,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
    unit: Unit = "item",
) -> Estimate:
    """The matched-pairs rank-biserial correlation: the effect size of Wilcoxon's signed ranks.

    Zeros are left out. The interval leaves out 0 exactly when Wilcoxon's test by its normal
    approximation (no continuity correction) rejects.
    """
    first, second = as_pairs(a, b)
    asked = MethodQuestion.of("rank_biserial", level=level, alternative=alternative, unit=unit)
    differences = decimal_differences(first, second)
    nonzero = differences[differences != 0.0]
    value, interval = None, None
    notes: tuple[Note, ...] = ()
    details: Details = (("n", first.size), ("n_nonzero", nonzero.size))
    if nonzero.size == 0:
        notes = (note("no-disagreement", n=first.size),)
    else:
        ranks = midranks(np.abs(nonzero), exact=True)
        plus, total = float(ranks[nonzero > 0.0].sum()), float(ranks.sum())
        variance, value = float((ranks**2).sum()) / total**2, 2.0 * plus / total - 1.0
        squared = asked.z**2 * variance
        half = math.sqrt(squared * (1.0 - value**2) + squared**2)
        limits = ((value - half) / (1.0 + squared), (value + half) / (1.0 + squared))
        interval = asked.sided(limits, (-1.0, 1.0))
        details += (("W_plus", plus), ("W_minus", total - plus), ("variance", variance))
        if nonzero.size < first.size:
            dropped = first.size - nonzero.size
            notes = (note("zeros-dropped", count=dropped, n=first.size, effect="the effect"),)
    return asked.estimate(
        "rank_biserial", value, first.size, interval, notes=notes, details=details
    )


def _gamma_facts(a: FloatArray, b: FloatArray) -> dict[str, float | None]:
    """Both variants under the names of the reference cases."""
    facts: dict[str, float | None] = {}
    for variant, prefix in (("sample_median", ""), ("harrell_davis", "hd_")):
        centres, spread = _centres_and_spread(a, b, variant)
        facts[f"{prefix}median_a"], facts[f"{prefix}median_b"] = map(float, centres)
        facts[f"{prefix}median_diff"] = float(centres[0] - centres[1])
        facts[f"{prefix}pooled_mad"] = float(np.nan_to_num(spread))
        gamma = float((centres[0] - centres[1]) / spread)
        facts[f"gamma_{variant}"] = None if math.isnan(gamma) else gamma
    return facts


def harrell_davis_median(values: FloatArray) -> FloatArray:
    """Harrell and Davis's estimate of the median along the last axis: all order statistics weigh in."""
    n = values.shape[-1]
    half = (n + 1) / 2.0
    weights = np.diff(betainc(half, half, np.arange(n + 1) / n))
    return np.asarray(np.einsum("...i,i->...", np.sort(values, axis=-1), weights))


def _centres_and_spread(
    a: FloatArray, b: FloatArray, variant: str
) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
    """Medians of samples along the last axis and their pooled MAD, NaN where it is rounding only."""
    median = harrell_davis_median if variant == "harrell_davis" else _sample_median
    centres, squares = [], []
    for values in (a, b):
        centre = median(values)
        centres.append(centre)
        squares.append(median(np.abs(values - centre[..., None])) ** 2)
    weights = (a.shape[-1] - 1, b.shape[-1] - 1)
    pooled = (weights[0] * squares[0] + weights[1] * squares[1]) / max(1, sum(weights))
    spread = MAD_FACTOR * np.sqrt(pooled)
    noise = NOISE * max(float(np.abs(a).max()), float(np.abs(b).max()))
    return (centres[0], centres[1]), np.where(spread > noise, spread, np.nan)


def _sample_median(values: FloatArray) -> FloatArray:
    return np.asarray(np.median(values, axis=-1))


def _gamma_replicates(
    a: FloatArray, b: FloatArray, variant: str, n_resamples: int, seed: int
) -> FloatArray:
    """Gamma on resamples of both samples; NaN where a resample has no spread."""
    ordered = np.sort(a), np.sort(b)  # the same draws whatever the order of the values
    rows = max(1, BLOCK_CELLS // (a.size + b.size))
    found = []
    for block, start in steps("resampling", list(enumerate(range(0, n_resamples, rows)))):
        rng, size = stream(seed, block), min(rows, n_resamples - start)
        drawn = [np.take(one, rng.integers(0, one.size, (size, one.size))) for one in ordered]
        centres, spread = _centres_and_spread(drawn[0], drawn[1], variant)
        found.append((centres[0] - centres[1]) / spread)
    return np.concatenate(found)


def _gamma_interval(
    asked: MethodQuestion, replicates: FloatArray
) -> tuple[Interval | None, tuple[Note, ...]]:
    undefined = int(np.isnan(replicates).sum())
    if undefined > UNDEFINED_AT_MOST * replicates.size:
        share = undefined / replicates.size
        return None, (note("spreadless-resamples", measure="akinshin_gamma", share=share),)
    low, high = percentile_interval(replicates[~np.isnan(replicates)], level=asked.level)
    if high <= low:
        remedy = "cliffs_delta needs no spread"
        flat = note("zero-variance", what="the resamples", method="gamma", remedy=remedy)
        return None, (flat,)
    return asked.interval(low, high), ()
