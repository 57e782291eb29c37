"""Two models on the same units, one score of each per unit: t, ranks, signs, permutation (T5, T9).

``a`` and ``b`` hold one value per unit (item, fold, seed, data set), or ``a`` alone the differences.
Equal decimal differences are ties, also where binary subtraction would separate them.
"""

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_pairs, check_choice, check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval, TestOutcome, with_notes
from assay.core.rng import Rng, seed_of, stream
from assay.core.vocabulary import UNITS, Alternative, Unit
from assay.estimates.means import mean_of_differences
from assay.estimates.method_question import MethodQuestion
from assay.estimates.proportions import clopper_pearson
from assay.hypotheses import least_p
from assay.hypotheses.signed_ranks import (
    Way,
    exactly,
    interval_notes,
    pseudo_median,
    rank_details,
    rank_notes,
    shifted_exactly,
    zeros_note,
)
from assay.kernels.attained_level import effective_count
from assay.kernels.binomial import at_least, at_most
from assay.kernels.decimals import EQUALITIES, Equality, tied_differences
from assay.kernels.ranks import clean_differences, decimal_differences, mean_differences
from assay.kernels.sign_flip_distribution import FlipTest, sampled_flips
from assay.kernels.sign_flip_tests import LARGE, flip_test
from assay.kernels.signed_ranks import SignedRanks, Zeros, unrejected_shifts
from assay.kernels.skewness import lean_of
from assay.kernels.tails import alpha_of, t_log10_p, t_p, two_tails
from assay.kernels.time_series import long_run_variance

_UNITS: tuple[Unit, ...] = UNITS
_PAIRED = "one score of each model per unit"


@method(
    question="Do two models differ in their mean score on the same units?",
    takes="pairs",
    gives="test",
    unit=_UNITS,
    assumes=(
        _PAIRED,
        "units are independent",
        "a mean difference near normal: bell-shaped differences, or many",
    ),
    reference="Student (1908), Biometrika 6",
    requirement="T5",
    same_as="R: t.test({a}, {b}, paired = TRUE{, alternative}{, level})",
    formula="t = mean / (sd / sqrt(n)), df = n - 1; skewed: the largest p of t, of t corrected for skewness "
    "(a gamma distribution of 1/lean² + 1/2) and, given bound, of differences that no unit shows; squares: "
    "also of squared errors of unseen_square that no unit shows",
    title="paired t test",
    calibrated_by="units",
    planned_by="paired_means",
    batched_by="paired_means",
    redrawn_by="paired_means",
)
def paired_t(
    a: Any,
    b: Any = None,
    *,
    alternative: str = "two-sided",
    level: float = 0.95,
    variant: Literal["plain", "skewed", "squares"] = "plain",
    bound: float | None = None,
    unit: Unit = "item",
) -> TestOutcome:
    """The paired t test of the mean difference.

    "skewed" reaches as far as the skewness of the differences asks for, and never less far than t;
    with ``bound``, the largest difference possible on a unit, also as far as rare differences that
    no unit shows could move the mean. "squares" is "skewed" for the squared errors of two models, of
    which no largest is known: its interval keeps 0 while large unseen ones could undo the lead.
    """
    asked = MethodQuestion.of("paired_t", level=level, alternative=alternative, unit=unit)
    chosen = check_choice(variant, ("plain", "skewed", "squares"), "variant")
    if chosen == "squares":
        _check_squares(a, b)
    pairs = as_pairs(a, b)
    differences = decimal_differences(*pairs)
    effect = mean_of_differences(
        mean_differences(*pairs, differences), level=level, alternative=asked.side, unit=unit
    )
    facts = dict(effect.details)
    df, error, mean = facts["df"], effect.standard_error, effect.value
    if error is None or mean is None or not isinstance(df, float | int):
        return _undefined(asked, effect)
    t = mean / error
    largest = None if bound is None else _checked_bound(bound, differences, chosen)
    outcome = asked.outcome(
        t,
        t_p(t, df, asked.side),
        effect,
        notes=_outweighed(differences, level, asked.side),
        details=(
            *effect.details,
            ("standard_error", error),
            ("t", t),
            ("log10_p", t_log10_p(t, df, asked.side)),
        ),
    )
    if chosen == "plain":
        return outcome
    from assay.hypotheses.skewed_means import leaning, withheld

    lean = float(lean_of(differences, bounded=largest is not None))
    skewed = leaning(outcome, lean, largest, differences.size)
    return skewed if chosen == "skewed" else withheld(skewed, *pairs)


@method(
    question="Does one of two models tend to score higher on the same units, by signed ranks?",
    takes="pairs",
    gives="test",
    unit=("dataset", "item", "fold", "seed"),
    assumes=(_PAIRED, "units are independent", "differences are symmetric about their centre"),
    reference="Wilcoxon (1945), Biometrics Bulletin 1; Demšar (2006), JMLR 7",
    requirement="T9",
    same_as="R: exactRankTests::wilcox.exact({a}, {b}, paired = TRUE, conf.int = TRUE{, alternative}{, level})",
    formula="W_plus = sum of the ranks of |a - b| over positive differences; "
    "z = (W_plus - W_minus)/2 / sqrt(sum of squared ranks / 4)",
    name="Wilcoxon",
    title="Wilcoxon signed-rank test",
    interval="Hodges–Lehmann",
    least_p=least_p.signs,
    calibrated_by="units",
    pseudo_median=True,
    planned_by="dataset_ranks",
    batched_by="signed_ranks",
)
def wilcoxon(
    a: Any,
    b: Any = None,
    *,
    zeros: Zeros = "drop",
    method: Way = "auto",
    correct: bool = False,
    ties: Equality = "rounded",
    alternative: str = "two-sided",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """Wilcoxon's signed-rank test with the Hodges-Lehmann pseudo-median.

    ``zeros`` are dropped, ranked and then dropped ("pratt"), or split between both signs (Demšar).
    p is exact, also with ties, unless there are too many differences or ``method`` is "normal";
    ``correct`` then subtracts half a rank. ``ties`` are found to 1e-10 of the scores' scale, or
    "exact" in every digit.
    """
    first, second = as_pairs(a, b)
    asked = MethodQuestion.of("wilcoxon", level=level, alternative=alternative, unit=unit)
    differences = tied_differences(first, second, check_choice(ties, EQUALITIES, "ties"))
    ranks = SignedRanks.of(differences, check_choice(zeros, ("drop", "pratt", "split"), "zeros"))
    if ranks.values.size == 0:
        return _identical(asked, "pseudo_median", differences.size)
    exact = exactly(ranks, check_choice(method, ("auto", "exact", "normal"), "method"))
    inverted = exact and shifted_exactly(ranks, method)
    details = rank_details(ranks, asked.side, exact=exact)
    p_value = ranks.exact_p(asked.side) if exact else ranks.normal_p(asked.side, correct=correct)
    shifts = unrejected_shifts(
        ranks, asked.side, asked.level, p_null=p_value, exact=inverted, correct=correct
    )
    effect = pseudo_median(asked, ranks, shifts)
    return asked.outcome(
        ranks.sums()[0],
        p_value,
        effect,
        notes=(
            *rank_notes(ranks, exact=exact, inverted=inverted, asked=method),
            *interval_notes(ranks, shifts, asked.level),
        ),
        details=details,
    )


@method(
    question="On more than half of the same units, is one of two models better?",
    takes="pairs",
    gives="test",
    unit=("dataset", "item", "fold", "seed"),
    assumes=(_PAIRED, "units are independent"),
    reference="Arbuthnott (1710), Phil. Trans. 27; Demšar (2006), JMLR 7",
    requirement="T9",
    same_as="R: binom.test({n_pos}, {n_pos} + {n_neg}{, alternative})",
    formula="p = twice the smaller tail of n_pos heads among n_pos + n_neg fair coins; "
    "sign_balance = (n_pos - n_neg) / (n_pos + n_neg)",
    title="exact sign test",
    least_p=least_p.signs,
)
def sign_test(
    a: Any,
    b: Any = None,
    *,
    alternative: str = "two-sided",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """The exact sign test: wins against losses, ties (zeros) left out.

    The effect is the share of wins minus the share of losses among units that differ, with
    Clopper-Pearson's interval, which inverts the test; the median is in details.
    """
    first, second = as_pairs(a, b)
    asked = MethodQuestion.of("sign_test", level=level, alternative=alternative, unit=unit)
    differences = decimal_differences(first, second)
    wins, losses = int((differences > 0.0).sum()), int((differences < 0.0).sum())
    decided = wins + losses
    details = _sign_details(differences, wins, losses, asked.level)
    if decided == 0:
        outcome = _identical(asked, "sign_balance", differences.size)
        return replace(outcome, effect=replace(outcome.effect, value=None), details=details)
    shares = clopper_pearson(wins, decided, level=asked.level, alternative=asked.side).interval
    effect = asked.estimate(
        "sign_balance",
        (wins - losses) / decided,
        differences.size,
        shares and shares.mapped(lambda share: 2.0 * share - 1.0),
    )
    more, fewer = float(at_least(wins, decided, 0.5)), float(at_most(wins, decided, 0.5))
    notes: tuple[Note, ...] = ()
    if decided < differences.size:
        notes = (zeros_note(differences.size - decided, differences.size, "the effect"),)
    return asked.outcome(
        float(wins), two_tails(more, fewer, asked.side), effect, notes=notes, details=details
    )


@method(
    question="Do two models differ in their mean score on the same units (permutation test)?",
    takes="pairs",
    gives="test",
    unit=_UNITS,
    assumes=(_PAIRED, "units are independent", "under the null A and B could be swapped per unit"),
    reference="Fisher (1935), The Design of Experiments, section 21; Hartigan (1969), JASA 64",
    requirement="T5",
    same_as="SciPy: permutation_test(({a}, {b}), lambda a, b: np.mean(a - b), "
    "permutation_type='samples', n_resamples=np.inf)",
    formula="p = 2 min over sides of the share of sign patterns that give the mean or more",
    title="sign-flip permutation test",
    least_p=least_p.signs,
)
def paired_permutation(
    a: Any,
    b: Any = None,
    *,
    alternative: str = "two-sided",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    unit: Unit = "item",
) -> TestOutcome:
    """The sign-flip permutation test of the mean difference, over all 2^n sign patterns.

    Exact for any number of units (see ``how`` and ``relative_error`` in details); only where no
    exact way is cheap are ``n_resamples`` patterns drawn. The interval is of the shifts of the
    differences that the same test does not reject.
    """
    first, second = as_pairs(a, b)
    asked = MethodQuestion.of("paired_permutation", level=level, alternative=alternative, unit=unit)
    check_count(n_resamples, "n_resamples", at_least=1)
    differenced = clean_differences if first.size >= LARGE else decimal_differences
    differences = differenced(first, second)
    if not differences.any():
        return _identical(asked, "mean_difference", differences.size)
    tail = alpha_of(asked.level) / (2.0 if asked.side == "two-sided" else 1.0)
    found = flip_test(differences, tail, asked.side)
    if found is not None:
        details: Details = (("relative_error", found.error), ("log10_p", found.log10_p))
        return _flip_outcome(asked, differences, found, details)
    seed = seed_of(rng)
    found = sampled_flips(differences, tail, asked.side, n_resamples, stream(seed))
    error = math.sqrt(found.p * (1.0 - found.p) / n_resamples)
    sampled = (("n_resamples", n_resamples), ("sampling_error", error))
    outcome = _flip_outcome(asked, differences, found, sampled)
    why = note("sampled", n=n_resamples, what="sign patterns", error=error)
    return replace(with_notes(outcome, why), seed=seed)


@method(
    question="Do two forecasts, in time order, differ in their mean loss?",
    takes="pairs",
    gives="test",
    unit="item",
    assumes=(
        "losses are in time order and the difference is stationary",
        "differences further apart than the horizon are uncorrelated",
    ),
    reference="Diebold & Mariano (1995), JBES 13; Harvey, Leybourne & Newbold (1997), IJF 13",
    requirement="T5",
    same_as="R: forecast::dm.test(e_a, e_b, h = horizon, power = 1)",
    formula="DM = mean / sqrt(variance) sqrt((n + 1 - 2 h + h (h - 1)/n)/n), h = horizon, df = n - 1, "
    "variance = (g_0 + 2 sum of autocovariances g_1 … g_(h-1))/n",
    exempt={"order": "time order is part of the evidence once the horizon exceeds 1"},
    name="Diebold-Mariano",
)
def diebold_mariano(
    loss_a: Any,
    loss_b: Any = None,
    *,
    horizon: int = 1,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Diebold and Mariano's test of two series of losses, with the small-sample correction.

    Forecasts ``horizon`` steps ahead have errors correlated up to horizon - 1 steps; with
    ``horizon=1`` it is the paired t test.
    """
    first, second = as_pairs(loss_a, loss_b, at_least=2)
    asked = MethodQuestion.of("diebold_mariano", level=level, alternative=alternative)
    steps = check_count(horizon, "horizon", at_least=1)
    differences = decimal_differences(first, second)
    n = differences.size
    if steps >= n:
        raise EvidenceError(
            f"a horizon of {steps} needs more than {steps} time points; got {n}: use more of the "
            "series, or a shorter horizon"
        )
    mean = float(differences.mean())
    variance = long_run_variance(differences - mean, steps)
    details: Details = (("mean", mean), ("variance", variance), ("horizon", steps), ("n", n))
    effect = asked.estimate("mean_difference", mean, n)
    if np.ptp(differences) == 0.0:
        return _undefined(asked, effect)
    if variance <= 0.0:
        why = note("negative-variance", variance=variance, horizon=steps)
        return asked.unanswered(effect, why, details=details)
    factor = math.sqrt((n + 1 - 2 * steps + steps * (steps - 1) / n) / n)
    error = math.sqrt(variance) / factor
    details = (*details, ("factor", factor), ("df", n - 1))
    return asked.t_test("mean_difference", mean, error, n - 1, n, details=details)


def outweighs(differences: FloatArray, alpha: float) -> FloatArray:
    """By row: whether few large differences make the t test reject far less often than its level.

    Found in calibration: random signs of differences with an effective count below this give the
    mean tails so light that the size falls below 70 % of the level.
    """
    spare = 1.0 / effective_count(differences) - 2.5 / np.shape(differences)[-1]
    return np.asarray(spare > (0.1 if alpha > 0.02 else 0.02))


def _check_squares(a: Any, b: Any) -> None:
    if b is None:
        raise UsageError(
            "variant='squares' needs the squared errors of both models: paired_t(a, b)"
        )
    least = min(float(np.min(one, initial=math.inf)) for one in as_pairs(a, b))
    if least < 0.0:
        raise UsageError(
            f"variant='squares' is for squared errors, which are 0 or more; one is {least:g}"
        )


def _checked_bound(bound: float, differences: FloatArray, variant: str) -> float:
    if variant != "skewed":
        raise UsageError("bound is for variant='skewed': the plain t test knows no range")
    from assay.hypotheses.skewed_means import checked_bound

    return checked_bound(bound, differences)


def _outweighed(differences: FloatArray, level: float, side: Alternative) -> tuple[Note, ...]:
    if side != "two-sided" or not outweighs(differences, alpha_of(level)):
        return ()
    effective = float(effective_count(differences))
    return (note("few-outweigh", n=differences.size, effective=effective),)


def _undefined(asked: MethodQuestion, effect: Estimate) -> TestOutcome:
    """No standard error, so no statistic and no p-value: the note says what to use instead."""
    notes = effect.notes
    if not any(one.code == "single-value" for one in notes):
        remedy = "sign_test and paired_permutation do without one"
        why = note("zero-variance", what="the differences", method=asked.method, remedy=remedy)
        notes = (why,)
    return asked.unanswered(effect, *notes, details=effect.details)


def _identical(asked: MethodQuestion, measure: str, n: int) -> TestOutcome:
    """All differences are zero: nothing speaks against the null."""
    return asked.outcome(
        0.0,
        1.0,
        asked.estimate(measure, 0.0, n),
        notes=(note("no-disagreement", n=n),),
        details=(("n", n), ("n_nonzero", 0), ("n_zero", n)),
    )


def _sign_details(differences: FloatArray, wins: int, losses: int, level: float) -> Details:
    """The counts, and the median with the interval of order statistics that signs give it."""
    n = differences.size
    tail = alpha_of(level) / 2.0
    outside = np.arange(n // 2 + 1)
    place = int((at_most(outside - 1.0, n, 0.5) <= tail).sum()) - 1  # excluded on each side
    ordered = np.sort(differences)
    return (
        ("n", n),
        ("n_pos", wins),
        ("n_neg", losses),
        ("n_zero", n - wins - losses),
        ("median_difference", float(np.median(differences))),
        ("median_low", float(ordered[place - 1]) if place else -math.inf),
        ("median_high", float(ordered[n - place]) if place else math.inf),
    )


def _flip_outcome(
    asked: MethodQuestion, differences: FloatArray, found: FlipTest, details: Details
) -> TestOutcome:
    mean = float(differences.mean())
    interval: Interval | None = asked.interval(found.low, found.high)
    notes: tuple[Note, ...] = ()
    if found.high - found.low <= 1e-12 * abs(mean):
        remedy, what = "the p-value uses the signs alone", "the differences"
        notes = (note("zero-variance", what=what, method="the interval", remedy=remedy),)
        interval = None
    effect = asked.estimate("mean_difference", mean, differences.size, interval)
    return asked.outcome(
        mean,
        found.p,
        effect,
        notes=notes,
        details=(("mean", mean), ("n", differences.size), ("how", found.how), *details),
    )
