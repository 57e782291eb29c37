"""How large a difference is in standard deviations, angles or odds: effect sizes (T16).

Where the definition allows, the interval inverts a test: that of Cohen's d, by the noncentral t,
leaves out 0 exactly when the t test rejects.
"""

import math
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_pairs, as_values, check_choice
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval
from assay.core.tolerances import NOISE
from assay.core.vocabulary import UNITS, Unit
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import Counts, as_two_counts
from assay.kernels.binomial import wilson_limits
from assay.kernels.conditional_odds import ConditionalOdds
from assay.kernels.noncentral import t_noncentrality_bounds
from assay.kernels.ranks import mean_differences
from assay.kernels.special import gammaln
from assay.kernels.tails import alpha_of, tail_of

_UNPAIRED = {
    "cohen": ("cohens_d", "cohens_d", "cohens_d"),
    "hedges": ("hedges_g", "hedges_g_exact", "cohens_d"),
    "glass": ("glass_delta", "glass_delta_sd_b", "glass_delta_sd_b"),
}
"""Of each variant: the measure, the detail that holds it, and the detail its t is made of."""

_APART = ("independent values", "A and B share no units")
_PAIRED = ("one score of each model per unit", "units are independent")
_SEPARATE = ("independent items", "different items for A and B")


MOST_TABLES = 1_000_000
"""Tables of the same totals that the conditional estimate goes through."""


@method(
    question="How many standard deviations lie between the means of two samples?",
    takes="two-samples",
    gives="estimate",
    unit=UNITS,
    assumes=(*_APART, "near normal values", "for cohen and hedges equal variances"),
    reference="Cohen (1988), Statistical Power Analysis; Hedges (1981), J. Educ. Stat. 6; "
    "Steiger & Fouladi (1997), in What If There Were No Significance Tests?",
    requirement="T16",
    same_as="R: effectsize::cohens_d({a}, {b})",
    formula="cohens_d = (mean_a - mean_b)/sd_pooled, limits: the noncentralities of t that leave a "
    "tail, over sqrt(n_a n_b/(n_a + n_b)); hedges_g_exact = cohens_d correction",
    name="Cohen's d",
)
def cohens_d(
    a: Any,
    b: Any,
    *,
    variant: Literal["cohen", "hedges", "glass"] = "cohen",
    level: float = 0.95,
    alternative: str = "two-sided",
    unit: Unit = "item",
) -> Estimate:
    """The standardised difference of two means, with the interval of the noncentral t.

    "hedges" takes the bias off d (the interval, of the same quantity, stays); "glass" divides by
    the standard deviation of B alone, and lets the variances differ.
    """
    first, second = as_values(a, "a"), as_values(b, "b")
    chosen = check_choice(variant, ("cohen", "hedges", "glass"), "variant")
    asked = MethodQuestion.of("cohens_d", level=level, alternative=alternative, unit=unit)
    facts = _unpaired_facts(first, second)
    measure, shown, base = _UNPAIRED[chosen]
    value, standardised = facts[shown], facts[base]
    interval = None
    notes: tuple[Note, ...] = ()
    if value is None or standardised is None:
        notes = (_why_undefined(first, second, measure),)
    else:
        apart = chosen == "glass" and first.size > 1
        ratio = _variance(first) / _variance(second) if apart else 1.0
        scale = math.sqrt(ratio / first.size + 1.0 / second.size)
        df = second.size - 1 if chosen == "glass" else first.size + second.size - 2
        interval = _by_noncentrality(asked, standardised / scale, df, scale)
    n, details = first.size + second.size, tuple(facts.items())
    return asked.estimate(measure, value, n, interval, notes=notes, details=details)


@method(
    question="How many standard deviations lie between two models on the same units?",
    takes="pairs",
    gives="estimate",
    unit=UNITS,
    assumes=(*_PAIRED, "near normal differences"),
    reference="Cohen (1988), Statistical Power Analysis, section 2.3; Lakens (2013), Frontiers in Psychology 4; "
    "Algina & Keselman (2003), Educ. Psychol. Meas. 63",
    requirement="T16",
    same_as="R: effectsize::cohens_d({a}, {b}, paired = TRUE)",
    formula="d_z = mean/sd of the differences, d_av = mean/sqrt((var_a + var_b)/2), "
    "d_rm = d_z sqrt(2 (1 - r)); limits: the noncentralities of t over sqrt(n), times d/d_z",
    name="Cohen's d paired",
)
def cohens_d_paired(
    a: Any,
    b: Any = None,
    *,
    variant: Literal["d_z", "d_av", "d_rm"] = "d_z",
    level: float = 0.95,
    alternative: str = "two-sided",
    unit: Unit = "item",
) -> Estimate:
    """The standardised mean difference of pairs; for "d_z" ``a`` may hold the differences.

    The interval leaves out 0 exactly when the paired t test rejects. "d_av" and "d_rm" are in
    standard deviations of the scores, as d of unpaired samples is; the ratio is taken as known.
    """
    first, second = as_pairs(a, b)
    chosen = check_choice(variant, ("d_z", "d_av", "d_rm"), "variant")
    asked = MethodQuestion.of("cohens_d_paired", level=level, alternative=alternative, unit=unit)
    if b is None and chosen != "d_z":
        raise EvidenceError(
            f"{chosen} needs the scores of both models, not their differences: give a and b, or "
            "use variant='d_z'"
        )
    facts, ratios = _paired_facts(first, second)
    d_z, ratio = facts["d_z"], ratios[chosen]
    interval = None
    notes: tuple[Note, ...] = ()
    if first.size < 2:
        notes = (note("single-value", what="one pair", needed="at least two"),)
    elif d_z is None or not ratio:
        remedy = "report the difference itself, as mean_of_pairs does"
        notes = (note("zero-variance", what="the differences", method=chosen, remedy=remedy),)
    else:
        root = math.sqrt(first.size)
        interval = _by_noncentrality(asked, d_z * root, first.size - 1, ratio / root)
    shown = facts if b is not None else {"d_z": d_z, "mean": facts["mean"], "n": facts["n"]}
    details = tuple(shown.items())
    return asked.estimate(chosen, facts[chosen], first.size, interval, notes=notes, details=details)


@method(
    question="How far apart are two error rates, on a scale that treats all rates alike?",
    takes="two-counts",
    gives="estimate",
    unit="item",
    assumes=_SEPARATE,
    reference="Cohen (1988), Statistical Power Analysis, section 6.2; limits after "
    "Newcombe (1998), Stat. Med. 17: 873-890",
    requirement="T16",
    same_as="R: pwr::ES.h({p_a}, {p_b})",
    formula="h = phi(p_a) - phi(p_b), phi(p) = 2 arcsin(sqrt(p)); limits: the distances to phi of "
    "Wilson's limits, squared and added",
    name="Cohen's h",
)
def cohens_h(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """Cohen's h of two error rates, from (errors_a, n_a, errors_b, n_b)."""
    a, b = as_two_counts(*evidence)
    asked = MethodQuestion.of("cohens_h", level=level, alternative=alternative)
    z = asked.z
    (angle_a, below_a, above_a), (angle_b, below_b, above_b) = _angles(a, z), _angles(b, z)
    value = angle_a - angle_b
    limits = (value - math.hypot(below_a, above_b), value + math.hypot(above_a, below_b))
    limits = (max(limits[0], -math.pi), min(limits[1], math.pi))
    return asked.estimate(
        "cohens_h",
        value,
        a.n + b.n,
        asked.sided(limits, (-math.pi, math.pi)),
        math.sqrt(1.0 / a.n + 1.0 / b.n),
        details=(
            ("p_a", a.errors / a.n),
            ("p_b", b.errors / b.n),
            ("phi_a", angle_a),
            ("phi_b", angle_b),
            ("z", z),
        ),
    )


@method(
    question="By what factor do the odds of an error differ between two models?",
    takes="two-counts",
    gives="estimate",
    unit="item",
    assumes=_SEPARATE,
    reference="Haldane (1956), Ann. Hum. Genet. 20; Gart (1966), Biometrika 53; Fisher (1935), JRSS 98: 39-82",
    requirement="T16",
    same_as="R: fisher.test(matrix(c({errors_a}, {errors_b}, {right_a}, {right_b}), 2))$estimate"
    "  # the variant conditional",
    formula="odds_ratio = (errors_a + c) (right_b + c)/((right_a + c) (errors_b + c)), c = 1/2 for "
    "haldane_anscombe, 0 for raw; limits: exp(log_or ± z se_log_or), se_log_or² = sum of 1/count",
)
def odds_ratio(
    *evidence: Any,
    variant: Literal["haldane_anscombe", "raw", "conditional"] = "haldane_anscombe",
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """The odds of an error of A over those of B, from (errors_a, n_a, errors_b, n_b).

    "haldane_anscombe" is always finite; "raw" is 0, infinite or undefined where a count is 0;
    "conditional" is the estimate of greatest likelihood given all totals, with Fisher's exact
    interval.
    """
    a, b = as_two_counts(*evidence)
    chosen = check_choice(variant, ("haldane_anscombe", "raw", "conditional"), "variant")
    asked = MethodQuestion.of("odds_ratio", level=level, alternative=alternative)
    if chosen == "conditional":
        return _conditional_odds_ratio(asked, a, b)
    added = 0.5 if chosen == "haldane_anscombe" else 0.0
    cells = [count + added for count in (a.errors, b.n - b.errors, a.n - a.errors, b.errors)]
    above, below = cells[0] * cells[1], cells[2] * cells[3]
    value = None if above == below == 0.0 else above / below if below else math.inf
    error = math.sqrt(sum(1.0 / cell for cell in cells)) if all(cells) else math.inf
    interval = None
    notes: tuple[Note, ...] = ()
    if value is None or not all(cells):
        notes = (note("zero-cell", value="undefined" if value is None else f"{value:g}"),)
    else:
        reach = math.exp(asked.z * error)
        limits = (value / reach, value * reach)
        interval = asked.sided(limits, (0.0, math.inf), f"odds_ratio {chosen}")
    details: Details = (
        *_cells(a, b),
        ("odds_ratio", value),
        ("log_or", None if value is None else math.log(value) if value else -math.inf),
        ("se_log_or", error),
    )
    details = (*details, ("variant", chosen))
    return asked.estimate("odds_ratio", value, a.n + b.n, interval, notes=notes, details=details)


def _unpaired_facts(a: FloatArray, b: FloatArray) -> dict[str, float | None]:
    """Every variant under the names of the reference cases."""
    df = a.size + b.size - 2
    difference = float(a.mean() - b.mean())
    varies = df > 0 and not (_constant(a) and _constant(b))
    squares = (a.size - 1) * _variance(a) + (b.size - 1) * _variance(b)
    pooled = math.sqrt(squares / df) if varies else None
    d = difference / pooled if pooled else None
    correction = _hedges_correction(df) if df > 1 else None
    defined = d is not None and correction is not None
    return {
        "cohens_d": d,
        "hedges_g_exact": d * correction if d is not None and correction is not None else None,
        "hedges_g_approx": d * (1.0 - 3.0 / (4.0 * df - 1.0))
        if defined and d is not None
        else None,
        "glass_delta_sd_b": None if _constant(b) else difference / math.sqrt(_variance(b)),
        "difference": difference,
        "sd_pooled": pooled,
        "correction": correction,
        "df": df,
        "n_a": a.size,
        "n_b": b.size,
    }


def _hedges_correction(df: int) -> float:
    """Gamma(df/2)/(sqrt(df/2) Gamma((df - 1)/2)), which makes d unbiased (Hedges 1981, eq. 6e)."""
    half = df / 2.0
    return math.exp(float(gammaln(half) - gammaln(half - 0.5)) - 0.5 * math.log(half))


def _paired_facts(
    a: FloatArray, b: FloatArray
) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Every variant under the names of the reference cases, and each one's ratio to d_z."""
    differences = mean_differences(a, b)
    mean, error = float(differences.mean()), math.sqrt(_variance(differences))
    d_z = mean / error if not _constant(differences) else None
    average = math.sqrt((_variance(a) + _variance(b)) / 2.0)
    spread = average if not (_constant(a) and _constant(b)) else 0.0
    r = None
    if not (_constant(a) or _constant(b)):
        centred = (a - a.mean(), b - b.mean())
        r = float((centred[0] * centred[1]).sum()) / math.sqrt(
            float((centred[0] ** 2).sum()) * float((centred[1] ** 2).sum())
        )
        r = r if 1.0 - abs(r) > NOISE else math.copysign(1.0, r)
    ratios = {
        "d_z": 1.0,
        "d_av": error / spread if spread else None,
        "d_rm": None if r is None else math.sqrt(2.0 * (1.0 - r)),
    }
    ratio = ratios["d_rm"]
    return {
        "d_z": d_z,
        "d_av": mean / spread if spread else None,
        "d_rm": None if d_z is None or ratio is None else d_z * ratio,
        "mean": mean,
        "r": r,
        "n": a.size,
    }, ratios


def _variance(values: FloatArray) -> float:
    return float(values.var(ddof=1)) if values.size > 1 else 0.0


def _constant(values: FloatArray) -> bool:
    """Whether nothing but rounding tells the values apart."""
    return bool(values.size < 2 or np.ptp(values) <= NOISE * np.abs(values).max())


def _why_undefined(a: FloatArray, b: FloatArray, measure: str) -> Note:
    if min(a.size, b.size) < 2:
        return note("single-value", what="one value", needed="at least two of A and of B")
    remedy = "cliffs_delta needs no standard deviation"
    return note("zero-variance", what="the values", method=measure, remedy=remedy)


def _by_noncentrality(asked: MethodQuestion, t: float, df: int, scale: float) -> Interval:
    """The interval of scale times the noncentrality of a t."""
    low, high = t_noncentrality_bounds(t, df, tail_of(asked.level, asked.side))
    return asked.sided((low * scale, high * scale), (-math.inf, math.inf))


def _angles(counts: Counts, z: float) -> tuple[float, float, float]:
    """The angle phi of a rate, and how far the angles of Wilson's limits lie below and above it."""
    low, high = wilson_limits(counts.errors, counts.n, z)
    rates = np.clip([counts.errors / counts.n, float(low), float(high)], 0.0, 1.0)
    angle, below, above = (2.0 * np.arcsin(np.sqrt(rates))).tolist()
    return angle, angle - below, above - angle


def _conditional_odds_ratio(asked: MethodQuestion, a: Counts, b: Counts) -> Estimate:
    column = a.errors + b.errors
    many = min(a.n, b.n, column, a.n + b.n - column) > MOST_TABLES
    if many or max(a.n, b.n) > 2**31 - 1:  # logarithms of larger factorials have too few digits
        raise NotApplicable(
            f"{a.n:,} and {b.n:,} items have too many tables of the same totals to go through: "
            "use variant='haldane_anscombe'"
        )
    if column in (0, a.n + b.n):
        missing = (note("zero-cell", value="undefined"),)
        details = (*_cells(a, b), ("odds_ratio", None))
        return asked.estimate("odds_ratio", None, a.n + b.n, notes=missing, details=details)
    odds = ConditionalOdds(a.errors, a.n, b.n, column)
    value = odds.estimate()
    alpha = alpha_of(asked.level) / (2.0 if asked.side == "two-sided" else 1.0)
    limits = (
        0.0 if asked.side == "less" else odds.lower(alpha),
        math.inf if asked.side == "greater" else odds.upper(alpha),
    )
    details = (*_cells(a, b), ("odds_ratio", value), ("variant", "conditional"))
    interval = asked.sided(limits, (0.0, math.inf), "odds_ratio conditional")
    notes = () if 0.0 < value < math.inf else (note("zero-cell", value=f"{value:g}"),)
    return asked.estimate("odds_ratio", value, a.n + b.n, interval, notes=notes, details=details)


def _cells(a: Counts, b: Counts) -> Details:
    return (
        ("errors_a", a.errors),
        ("right_a", a.n - a.errors),
        ("errors_b", b.errors),
        ("right_b", b.n - b.errors),
    )
