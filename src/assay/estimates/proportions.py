"""One error rate with its interval: r errors of n independent items (I1)."""

from functools import partial
from typing import Any, Literal

import numpy as np

from assay.core.checks import check_choice
from assay.core.methods import method
from assay.core.notes import Note, by_count, note
from assay.core.results import Details, Estimate, with_notes
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import Counts, as_counts
from assay.kernels.binomial import (
    Limits,
    agresti_coull_limits,
    clopper_pearson_limits,
    jeffreys_limits,
    mid_p_limits,
    small_p_interval,
    wald_limits,
    wilson_cc_limits,
    wilson_limits,
)
from assay.kernels.tails import alpha_of, tail_of

SMALL_COUNT = 10
"""Below so many errors (or right answers) a proportion carries the note `small-counts`."""

_rate = partial(
    method,
    question="How large is the error rate?",
    takes="counts",
    gives="estimate",
    unit="item",
    requirement="I1",
)
_INDEPENDENT = "independent items"
_NORMAL = "errors and right answers both many"


@_rate(
    assumes=(_INDEPENDENT,),
    reference="Lancaster (1961), JASA 56; Brown, Cai & DasGupta (2001), Statistical Science 16",
    formula="P(X > errors | low) + P(X = errors | low)/2 = tail; P(X = 0 | high) = 3/2 tail where none",
    planned_by="width_of_rate",
)
def proportion(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The default interval of an error rate: mid-p, guarded at 0 and n errors.

    One-sided bounds are Clopper-Pearson's, because a bound that stands alone should hold as stated.
    """
    counts = as_counts(*evidence)
    if alternative == "two-sided":
        estimate = mid_p(counts.errors, counts.n, level=level, variant="guarded")
    else:
        estimate = clopper_pearson(counts.errors, counts.n, level=level, alternative=alternative)
    return with_notes(estimate, *_small_counts(counts, estimate.method))


@_rate(
    assumes=(_INDEPENDENT, _NORMAL),
    reference="Laplace (1812), Théorie analytique des probabilités",
    same_as="R: binom::binom.confint({errors}, {n}{, level}, methods = 'asymptotic')",
    formula="p ± z sqrt(variance), variance = p (1 - p)/n, p = errors/n",
    name="Wald",
)
def wald(
    *evidence: Any, level: float = 0.95, alternative: str = "two-sided", clip: bool = False
) -> Estimate:
    """The normal approximation of the lectures; offered, never the default.

    Not cut to [0, 1] unless ``clip``; without an interval at 0 and n errors, where the formula
    (in details as wald_low and wald_high) has no width.
    """
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("wald", level=level, alternative=alternative)
    raw = wald_limits(counts.errors, counts.n, asked.z)
    details = (("z", asked.z), ("wald_low", float(raw[0])), ("wald_high", float(raw[1])))
    if counts.errors in (0, counts.n):
        missing = note("zero-variance", what="the outcomes", method="wald", remedy="use wilson")
        return _estimate(asked, counts, None, details=details, notes=(missing,))
    limits = _clipped(raw) if clip else raw
    return _estimate(asked, counts, limits, details=details)


@_rate(
    assumes=(_INDEPENDENT,),
    reference="Wilson (1927), JASA 22",
    same_as="R: prop.test({errors}, {n}, correct = FALSE{, alternative}{, level})$conf.int",
    formula="(errors + z²/2 ± z sqrt(errors (n - errors)/n + z²/4)) / (n + z²)",
    name="Wilson",
)
def wilson(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The rates that the score test of one proportion does not reject."""
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("wilson", level=level, alternative=alternative)
    limits = wilson_limits(counts.errors, counts.n, asked.z)
    return _estimate(asked, counts, limits, details=(("z", asked.z),))


@_rate(
    assumes=(_INDEPENDENT,),
    reference="Newcombe (1998), Statistics in Medicine 17: 857-872, method 4",
    same_as="R: DescTools::BinomCI({errors}, {n}{, level}, method = 'wilsoncc')",
    formula="(2 errors + z² ± 1 ± z sqrt(z² ± 2 - 1/n + 4 p (n (1 - p) ∓ 1))) / (2 (n + z²)), "
    "p = errors/n",
    name="Wilson cc",
)
def wilson_cc(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """Wilson's interval with a continuity correction; close to Clopper-Pearson."""
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("wilson_cc", level=level, alternative=alternative)
    limits = wilson_cc_limits(counts.errors, counts.n, asked.z)
    return _estimate(asked, counts, limits, details=(("z", asked.z),))


@_rate(
    assumes=(_INDEPENDENT,),
    reference="Clopper & Pearson (1934), Biometrika 26",
    same_as="R: binom.test({errors}, {n}{, alternative}{, level})$conf.int",
    formula="P(X >= errors | low) = tail, P(X <= errors | high) = tail",
    name="Clopper-Pearson",
)
def clopper_pearson(
    *evidence: Any, level: float = 0.95, alternative: str = "two-sided"
) -> Estimate:
    """Covers at least as often as stated, whatever the rate; wider than needed on average."""
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("clopper_pearson", level=level, alternative=alternative)
    tail = tail_of(asked.level, asked.side)
    limits = clopper_pearson_limits(counts.errors, counts.n, tail)
    return _estimate(asked, counts, limits, details=(("tail", tail),))


@_rate(
    assumes=(_INDEPENDENT,),
    reference="Lancaster (1961), JASA 56; Berry & Armitage (1995), The Statistician 44",
    same_as="R: DescTools::BinomCI({errors}, {n}{, level}, method = 'midp')",
    formula="P(X > errors | low) + P(X = errors | low)/2 = tail, "
    "P(X < errors | high) + P(X = errors | high)/2 = tail",
    name="mid-p",
)
def mid_p(
    *evidence: Any,
    level: float = 0.95,
    alternative: str = "two-sided",
    variant: Literal["plain", "guarded"] = "plain",
) -> Estimate:
    """Clopper-Pearson with half the probability of what was observed: covers as stated on average.

    "guarded" lets the limit at 0 and n errors lie between mid-p's and Clopper-Pearson's.
    """
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("mid_p", level=level, alternative=alternative)
    guarded = check_choice(variant, ("plain", "guarded"), "variant") == "guarded"
    tail = tail_of(asked.level, asked.side)
    limits = mid_p_limits(counts.errors, counts.n, tail, guarded=guarded)
    details = (("tail", tail), ("variant", variant))
    return _estimate(asked, counts, limits, details=details)


@_rate(
    assumes=(_INDEPENDENT,),
    reference="Agresti & Coull (1998), The American Statistician 52",
    same_as="R: binom::binom.confint({errors}, {n}{, level}, methods = 'agresti-coull')",
    formula="centre ± z sqrt(centre (1 - centre)/(n + z²)), centre = (errors + z²/2)/(n + z²)",
    name="Agresti-Coull",
)
def agresti_coull(
    *evidence: Any, level: float = 0.95, alternative: str = "two-sided", clip: bool = False
) -> Estimate:
    """Wald's formula after z²/2 more errors and right answers; not cut to [0, 1] unless ``clip``."""
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("agresti_coull", level=level, alternative=alternative)
    z = asked.z
    raw = agresti_coull_limits(counts.errors, counts.n, z)
    centre = (counts.errors + z * z / 2.0) / (counts.n + z * z)
    limits = _clipped(raw) if clip else raw
    return _estimate(asked, counts, limits, details=(("z", z), ("centre", centre)))


@_rate(
    assumes=(_INDEPENDENT, "the prior Beta(1/2, 1/2), if read as a posterior"),
    reference="Brown, Cai & DasGupta (2001), Statistical Science 16",
    same_as="R: qbeta(c({tail}, 1 - {tail}), {errors} + 0.5, {n} - {errors} + 0.5)",
    formula="quantiles of Beta(errors + 1/2, n - errors + 1/2) at tail and 1 - tail",
    name="Jeffreys",
)
def jeffreys(
    *evidence: Any,
    level: float = 0.95,
    alternative: str = "two-sided",
    variant: Literal["modified_ends", "equal_tailed"] = "modified_ends",
) -> Estimate:
    """The central interval of the posterior under Jeffreys' prior.

    "modified_ends" starts at 0 for 0 errors and ends at 1 for n; "equal_tailed" keeps the
    quantiles, which leave the estimate outside there.
    """
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("jeffreys", level=level, alternative=alternative)
    ends = check_choice(variant, ("modified_ends", "equal_tailed"), "variant")
    tail = tail_of(asked.level, asked.side)
    low, high = jeffreys_limits(counts.errors, counts.n, tail)
    if ends == "modified_ends":
        low = np.where(counts.errors == 0, 0.0, low)
        high = np.where(counts.errors == counts.n, 1.0, high)
    details = (("tail", tail), ("variant", variant))
    return _estimate(asked, counts, (low, high), details=details)


@_rate(
    assumes=(_INDEPENDENT,),
    reference="Sterne (1954), Biometrika 41; Fay (2010), The R Journal 2",
    same_as="R: exactci::binom.exact({errors}, {n}, tsmethod = 'minlike'{, level})$conf.int",
    formula="all rates with the sum of P(X = x | rate) over P(X = x | rate) <= P(X = errors | rate) "
    "above 1 - level, and what lies between them",
    name="Sterne",
    interval="Sterne",
)
def small_p(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The rates that the two-sided binomial test by small p-values does not reject.

    Covers at least as often as stated. A one-sided bound is Clopper-Pearson's, the inversion of
    the one-sided test.
    """
    counts = as_counts(*evidence)
    asked = MethodQuestion.of("small_p", level=level, alternative=alternative)
    details = (("alpha", alpha_of(asked.level)),)
    if asked.side == "two-sided":
        limits = small_p_interval(counts.errors, counts.n, asked.level)
        return _estimate(asked, counts, limits, details=details)
    limits = clopper_pearson_limits(counts.errors, counts.n, tail_of(asked.level, asked.side))
    return _estimate(asked, counts, limits, called="clopper_pearson", details=details)


def _small_counts(counts: Counts, used: str) -> tuple[Note, ...]:
    right = counts.n - counts.errors
    count, word = min((counts.errors, "error"), (right, "right answer"))
    if count >= SMALL_COUNT:
        return ()
    what = by_count(count, word, f"{word}s")
    return (note("small-counts", count=count, what=what, method=used),)


def _estimate(
    asked: MethodQuestion,
    counts: Counts,
    limits: Limits | None,
    *,
    called: str = "",
    details: Details = (),
    notes: tuple[Note, ...] = (),
) -> Estimate:
    """The rate with its interval; a variance of zero is no standard error."""
    p = counts.errors / counts.n
    variance = p * (1.0 - p) / counts.n
    facts: Details = (("errors", counts.errors), ("n", counts.n), ("p", p), ("variance", variance))
    return asked.estimate(
        "error_rate",
        p,
        counts.n,
        limits and asked.sided(limits, called=called),
        variance**0.5 if variance > 0.0 else None,
        notes=notes,
        details=(*facts, *details),
    )


def _clipped(limits: Limits) -> Limits:
    return np.maximum(limits[0], 0.0), np.minimum(limits[1], 1.0)
