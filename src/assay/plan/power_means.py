"""Power of tests of means: z, t, Welch, corrected t; all from the distribution of the statistic.

``alpha`` is the chance of a false alarm of the whole test, ``side`` its alternative. Numbers of
units may be fractions: a plan is solved on the real line and rounded up at the end.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.vocabulary import Alternative
from assay.kernels.noncentral import noncentral_t_cdf
from assay.kernels.special import gammaincinv, ndtr, ndtri, stdtrit
from assay.kernels.unseen_values import allowed, normal_far, unseen_reach

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_SHARES, _MASSES = (_NODES + 1.0) / 2.0, _WEIGHTS / 2.0
"""Gauss-Legendre nodes of the unit interval: quantiles of a variance, and their weights."""

SHOWN = 0.9
"""How much of the tail of normal errors a sample shows, as found by simulation: plans then give the power asked for."""


def tail_share(alpha: float, side: Alternative) -> float:
    """What each tail that rejects has of ``alpha``."""
    return alpha / 2.0 if side == "two-sided" else alpha


def normal_power(
    shift: ArrayLike, alpha: float, side: Alternative, wider: float = 1.0
) -> FloatArray:
    """The chance that z with mean ``shift`` (the difference in standard errors) rejects.

    The test takes the standard error ``wider`` times as large as it is.
    """
    means = np.asarray(shift, dtype=np.float64)
    critical = -ndtri(tail_share(alpha, side)) * wider
    above = ndtr(means - critical) if side != "less" else 0.0
    below = ndtr(-means - critical) if side != "greater" else 0.0
    return np.asarray(above + below, dtype=np.float64)


def t_power(shift: float, df: float, alpha: float, side: Alternative, wider: float = 1.0) -> float:
    """The same of a t statistic: noncentral t, both tails that reject."""
    critical = -float(stdtrit(df, tail_share(alpha, side))) * wider
    # T above c under a mean is -T below -c under its mirror image: small tails keep their digits
    above = float(noncentral_t_cdf(-critical, df, -shift)) if side != "less" else 0.0
    below = float(noncentral_t_cdf(-critical, df, shift)) if side != "greater" else 0.0
    return above + below


def paired_t_power(n: float, effect: float, alpha: float, side: Alternative) -> float:
    """The paired (or one-sample) t; ``effect`` is the mean difference over its sd."""
    return t_power(effect * math.sqrt(n), n - 1.0, alpha, side)


def withheld_t_power(n: float, effect: float, alpha: float, side: Alternative) -> float:
    """The paired t of squared errors, whose lead counts once unseen ones could not undo it, errors being normal."""
    far, reach = SHOWN * normal_far(n) * math.sqrt(n), 0.0
    for _ in range(
        20
    ):  # a lead moves the end of the range by as much as itself, and the limit by a share of it
        reach = float(unseen_reach(allowed(alpha, side), reach + far, n))
    critical = -float(stdtrit(n - 1.0, tail_share(alpha, side)))
    wider = max(1.0, reach / critical)
    return t_power(effect * math.sqrt(n), n - 1.0, alpha, side, wider=wider)


def pooled_t_power(n: float, effect: float, alpha: float, side: Alternative) -> float:
    """The two-sample t with one variance for both, ``n`` units of each model."""
    return t_power(effect * math.sqrt(n / 2.0), 2.0 * n - 2.0, alpha, side)


def welch_power(
    n: float, difference: float, sds: tuple[float, float], alpha: float, side: Alternative
) -> float:
    """Welch's t with ``n`` units of each model, their values normal.

    Given both sample variances, the difference of means is normal and independent of them, and
    the critical value is known: the power is an average over two chi-square distributions.
    """
    largest = max(sds)  # as the unit, because squares of huge and tiny numbers are none
    variances, difference = [(sd / largest) ** 2 for sd in sds], difference / largest
    df = n - 1.0
    ratios = 2.0 * gammaincinv(df / 2.0, _SHARES) / df  # s²/sigma² at its quantiles
    first = (variances[0] * ratios / n)[:, None]
    second = (variances[1] * ratios / n)[None, :]
    together = first + second
    degrees = together**2 / (first**2 / df + second**2 / df)
    critical = -stdtrit(degrees, tail_share(alpha, side)) * np.sqrt(together)
    true = math.sqrt(sum(variances) / n)
    above = ndtr((difference - critical) / true) if side != "less" else 0.0
    below = ndtr((-difference - critical) / true) if side != "greater" else 0.0
    return float(_MASSES @ (above + below) @ _MASSES)


def resampled_t_power(
    n: float, effect: float, ratio: float, overlap: float, alpha: float, side: Alternative
) -> float:
    """A t of ``n`` folds with the variance sd² (1/n + ratio), where sd² (1/n + overlap) is true.

    ``effect`` is the mean difference over the sd of the differences between folds. Differences are
    normal and correlate alike: their mean is independent of their spread, so that t is a noncentral
    t times the root of the true over the assumed variance. More folds do not bring it below overlap.
    """
    true = 1.0 / n + overlap
    wider = math.sqrt((1.0 / n + ratio) / true)
    return t_power(effect / math.sqrt(true), n - 1.0, alpha, side, wider)


def resampled_t_limit(
    effect: float, ratio: float, overlap: float, alpha: float, side: Alternative
) -> float:
    """The power that it approaches with more and more repeats of the same folds."""
    if overlap <= 0.0:
        return 1.0
    wider = math.sqrt(ratio / overlap)
    return float(normal_power(effect / math.sqrt(overlap), alpha, side, wider))


def cluster_t_power(
    n: float, effect: float, size: float, icc: float, alpha: float, side: Alternative
) -> float:
    """The cluster-robust t over ``n`` items in clusters of ``size``, correlated by ``icc`` within.

    ``effect`` is the mean difference over the sd of the differences between items. The design
    effect 1 + (size - 1) icc is what the items lose by coming in clusters (Kish 1965).
    """
    shift = effect * math.sqrt(n / design_effect(size, icc))
    return t_power(shift, n / size - 1.0, alpha, side)


def design_effect(size: float, icc: float) -> float:
    """How many times as many items in clusters are worth as one that is independent."""
    return 1.0 + (size - 1.0) * icc


def repeats_sd(between: float, within: tuple[float, float], repeats: tuple[float, float]) -> float:
    """The root of Miller's variance of a difference on one item: ω² + σ_A²/K_A + σ_B²/K_B (2024, section 5)."""
    inside = (sd / math.sqrt(count) for sd, count in zip(within, repeats, strict=True))
    return math.hypot(between, *inside)
