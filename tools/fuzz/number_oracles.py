"""A second way to some answers: exact fractions, many digits (mpmath), brute force, SciPy.

Each returns what is wrong, or None. They know nothing of assay but the names of its results.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

Oracle = Callable[[tuple[Any, ...], dict[str, Any], Any], str | None]
DIGITS = 60
MOST = 60
"""Units up to which brute force is quick."""


def disagreement(
    method: str, evidence: tuple[Any, ...], options: dict[str, Any], answer: Any
) -> str | None:
    """What another way of computing says against an answer; None where it agrees or there is none."""
    oracle = ORACLES.get(method)
    return None if oracle is None else oracle(evidence, options, answer)


def _differs(
    what: str, found: float | None, expected: float | None, tolerance: float = 1e-7
) -> str | None:
    if found is None or expected is None or math.isnan(expected):
        return None
    if math.isclose(
        found, expected, rel_tol=tolerance, abs_tol=1e-12 if abs(expected) <= 1 else 0.0
    ):
        return None
    return f"{what} is {found!r}, and another way gives {expected!r}"


def _t_tail(t: Any, df: int) -> Any:
    x = df / (df + t * t)
    return mpmath.betainc(mpmath.mpf(df) / 2, mpmath.mpf(1) / 2, 0, x, regularized=True)


def _mean(evidence: tuple[Any, ...], _: dict[str, Any], answer: Any) -> str | None:
    values = [Fraction(float(one)) for one in np.asarray(evidence[0]).tolist()]
    exact = sum(values, Fraction(0)) / len(values)
    size = max(abs(one) for one in values)
    if abs(Fraction(answer.value) - exact) > size * Fraction(1, 10**12):
        return f"the mean is {answer.value!r}, and fractions give {float(exact)!r}"
    return None


def _t_of(values: list[Fraction]) -> Any:
    """The exact mean over its standard error, None without spread."""
    n = len(values)
    mean = sum(values, Fraction(0)) / n
    square = sum(((one - mean) ** 2 for one in values), Fraction(0)) / (n - 1) / n
    if square == 0:
        return None
    return (
        mpmath.mpf(mean.numerator)
        / mean.denominator
        / mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
    )


def _paired_t(evidence: tuple[Any, ...], options: dict[str, Any], answer: Any) -> str | None:
    a, b = (np.asarray(one).tolist() for one in evidence)
    values = [Fraction(float(x)) - Fraction(float(y)) for x, y in zip(a, b, strict=True)]
    size = max((abs(one) for one in (*a, *b)), default=0.0)
    if (
        len(values) < 2
        or answer.p_value is None
        or options.get("alternative", "two-sided") != "two-sided"
        or "variant" in options
    ):
        return None
    if float(max(values) - min(values)) < 1e-6 * size:
        return None  # rounding noise, which assay takes as equal, decides
    with mpmath.workdps(DIGITS):
        t = _t_of(values)
        return (
            None if t is None else _differs("p", answer.p_value, float(_t_tail(t, len(values) - 1)))
        )


def _wald_like(evidence: tuple[Any, ...], _: dict[str, Any], answer: Any) -> str | None:
    errors, n = evidence
    return _differs("the share", answer.value, errors / n)


def _clopper_pearson(evidence: tuple[Any, ...], options: dict[str, Any], answer: Any) -> str | None:
    """The limits put back into the binomial tails leave alpha over two each, summed term by term."""
    errors, n = evidence
    if n > MOST or options.get("alternative", "two-sided") != "two-sided":
        return None
    tail = (1.0 - options.get("level", 0.95)) / 2.0
    with mpmath.workdps(DIGITS):
        for limit, outcomes in (
            (answer.interval.low, range(errors, n + 1)),
            (answer.interval.high, range(errors + 1)),
        ):
            if 0.0 < limit < 1.0:
                p = mpmath.mpf(limit)
                mass = sum(mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in outcomes)
                fault = _differs("the tail at a limit", tail, float(mass), 1e-6)
                if fault:
                    return fault
    return None


def _sign_test(evidence: tuple[Any, ...], options: dict[str, Any], answer: Any) -> str | None:
    a, b = (np.asarray(one, dtype=float) for one in evidence)
    size = max(float(np.abs(a).max()), float(np.abs(b).max()))
    gaps = a - b
    if (np.abs(gaps[gaps != 0.0]) < 1e-6 * size).any():
        return None
    above, below = int((gaps > 0).sum()), int((gaps < 0).sum())
    n = above + below
    side = options.get("alternative", "two-sided")
    if n == 0 or answer.p_value is None:
        return None
    ways = [math.comb(n, k) for k in range(n + 1)]
    upper, lower = sum(ways[above:]), sum(ways[: above + 1])
    count = {"greater": upper, "less": lower, "two-sided": 2 * min(upper, lower)}[side]
    return _differs("p", answer.p_value, min(1.0, float(Fraction(count, 2**n))))


def _mcnemar(evidence: tuple[Any, ...], options: dict[str, Any], answer: Any) -> str | None:
    _, only_a, only_b, _ = evidence
    n = only_a + only_b
    if options.get("variant") != "exact" or not 0 < n <= 1000 or answer.p_value is None:
        return None
    ways = [math.comb(n, k) for k in range(n + 1)]
    upper, lower = sum(ways[only_a:]), sum(ways[: only_a + 1])
    side = options.get("alternative", "two-sided")
    count = {"greater": upper, "less": lower, "two-sided": 2 * min(upper, lower)}[side]
    return _differs("p", answer.p_value, min(1.0, float(Fraction(count, 2**n))))


def _fisher(evidence: tuple[Any, ...], options: dict[str, Any], answer: Any) -> str | None:
    errors_a, n_a, errors_b, n_b = evidence
    if (
        max(n_a, n_b) > MOST
        or answer.p_value is None
        or options.get("alternative", "two-sided") != "two-sided"
    ):
        return None
    total = errors_a + errors_b
    ways = {
        k: math.comb(n_a, k) * math.comb(n_b, total - k)
        for k in range(max(0, total - n_b), min(n_a, total) + 1)
    }
    seen = ways[errors_a]
    count = sum(one for one in ways.values() if one <= seen * (1 + 1e-7))
    return _differs("p", answer.p_value, float(Fraction(count, sum(ways.values()))))


def _area(evidence: tuple[Any, ...], _: dict[str, Any], answer: Any) -> str | None:
    """Every positive against every negative, ties a half."""
    labels, scores = np.asarray(evidence[0]), np.asarray(evidence[1], dtype=float)
    if answer.value is None or len(set(labels.tolist())) < 2:
        return None
    positive = labels == max(labels.tolist())
    gaps = scores[positive][:, None] > scores[~positive][None]
    ties = scores[positive][:, None] == scores[~positive][None]
    return _differs("the area", answer.value, float((gaps + ties / 2).mean()))


def _superiority(evidence: tuple[Any, ...], _: dict[str, Any], answer: Any) -> str | None:
    a, b = (np.asarray(one, dtype=float) for one in evidence)
    joint = np.unique(np.concatenate([a, b]))
    if answer.value is None or (
        joint.size > 1 and np.diff(joint).min() < 1e-6 * np.abs(joint).max()
    ):
        return None
    share = float(((a[:, None] > b[None]) + (a[:, None] == b[None]) / 2).mean())
    return _differs("the share", answer.value, share)


def _welch(evidence: tuple[Any, ...], options: dict[str, Any], answer: Any) -> str | None:
    from scipy.stats import ttest_ind

    a, b = (np.asarray(one, dtype=float) for one in evidence)
    if (
        answer.p_value is None
        or options.get("alternative", "two-sided") != "two-sided"
        or min(a.size, b.size) < 2
    ):
        return None
    spread = min(
        float(np.ptp(a)) / max(float(np.abs(a).max()), 1e-300),
        float(np.ptp(b)) / max(float(np.abs(b).max()), 1e-300),
    )
    if spread < 1e-6:
        return None
    unequal = options.get("variant", "welch") == "welch"
    return _differs("p", answer.p_value, float(ttest_ind(a, b, equal_var=not unequal).pvalue), 1e-6)


def _friedman(evidence: tuple[Any, ...], options: dict[str, Any], answer: Any) -> str | None:
    from scipy.stats import friedmanchisquare

    table = np.asarray(evidence[0], dtype=float)
    joint = [
        np.diff(np.unique(row)).min(initial=np.inf) / max(np.abs(row).max(), 1e-300)
        for row in table
    ]
    if answer.p_value is None or table.shape[1] < 3 or min(joint) < 1e-6:
        return None
    if (
        options.get("variant", "chi-square") != "chi-square"
        or options.get("ties") == "demsar"
        or (np.ptp(table, axis=1) == 0).all()
    ):
        return None
    return _differs("p", answer.p_value, float(friedmanchisquare(*table.T).pvalue))


ORACLES: dict[str, Oracle] = {
    "mean_t": _mean,
    "paired_t": _paired_t,
    "wald": _wald_like,
    "wilson": _wald_like,
    "clopper_pearson": _clopper_pearson,
    "sign_test": _sign_test,
    "mcnemar": _mcnemar,
    "fisher_exact": _fisher,
    "delong": _area,
    "auc_newcombe": _area,
    "a12": _superiority,
    "two_sample_t": _welch,
    "friedman": _friedman,
}
