"""p-values and interval ends of normal and t statistics, always from the tail that keeps digits."""

import math

from assay.core.vocabulary import Alternative
from assay.kernels.special import betaln, hyp2f1, log_ndtr, ndtr, ndtri, stdtr, stdtrit


def alpha_of(level: float) -> float:
    """1 - level as the decimal that was meant: 0.1 for 0.9, not 0.09999999999999998."""
    return round(1.0 - level, 12) or 1.0 - level


def normal_p(z: float, alternative: Alternative) -> float:
    """The p-value of a standard normal statistic; large z speak for "greater"."""
    if alternative == "two-sided":
        return float(2.0 * ndtr(-abs(z)))
    return float(ndtr(-z if alternative == "greater" else z))


def normal_log10_p(z: float, alternative: Alternative) -> float:
    """log10 of the p-value, finite where the p-value itself is below the smallest number."""
    if alternative == "two-sided":
        return float(min(0.0, (log_ndtr(-abs(z)) + math.log(2.0)) / math.log(10.0)))
    return float(log_ndtr(-z if alternative == "greater" else z) / math.log(10.0))


def t_p(t: float, df: float, alternative: Alternative) -> float:
    """The p-value of a t statistic; large t speak for "greater"."""
    if alternative == "two-sided":
        return float(min(1.0, 2.0 * stdtr(df, -abs(t))))
    return float(stdtr(df, -t if alternative == "greater" else t))


def t_log10_p(t: float, df: float, alternative: Alternative) -> float:
    """log10 of the p-value of a t statistic, finite where the p-value underflows."""
    p_value = t_p(t, df, alternative)
    if p_value > 1e-290:
        return math.log10(p_value)
    # both tails as an incomplete beta function, by its hypergeometric series
    ratio, a = df / t / t, df / 2.0
    log_x = math.log(df) - 2.0 * math.log(abs(t)) - math.log1p(ratio)  # t * t might overflow
    series = math.log(hyp2f1(a + 0.5, 1.0, a + 1.0, ratio / (1.0 + ratio)))
    logarithm = a * log_x - 0.5 * math.log1p(ratio) - math.log(a) - betaln(a, 0.5) + series
    halved = 0.0 if alternative == "two-sided" else math.log(2.0)
    return float((logarithm - halved) / math.log(10.0))


def two_tails(more: float, fewer: float, alternative: Alternative) -> float:
    """The p-value of an alternative from P(at least as large) and P(at most as large)."""
    if alternative == "two-sided":
        return min(1.0, 2.0 * min(more, fewer))
    return more if alternative == "greater" else fewer


def normal_reach(level: float, alternative: Alternative) -> float:
    """How many standard errors an interval reaches on each side that has an end."""
    return float(-ndtri(tail_of(level, alternative)))


def t_reach(level: float, df: float, alternative: Alternative) -> float:
    """The same with the t distribution."""
    return float(-stdtrit(df, tail_of(level, alternative)))


def tail_of(level: float, alternative: Alternative) -> float:
    """What a level leaves out on each side that has an end."""
    return (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)


def ends(value: float, reach: float, alternative: Alternative) -> tuple[float, float]:
    """Value ± reach, or one of the two ends and infinity."""
    low = -math.inf if alternative == "less" else value - reach
    high = math.inf if alternative == "greater" else value + reach
    return low, high
