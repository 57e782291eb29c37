"""Checks of what the other methods assume: they inform, they never choose or switch a method."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import as_values, check_choice, check_count, check_size
from assay.core.errors import NotApplicable, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Curve, Details, Estimate, TestOutcome
from assay.core.tolerances import NOISE, TIE
from assay.core.vocabulary import UNITS, Unit
from assay.evidence.blocks import as_blocks
from assay.hypotheses.anova import GroupsLike, groups_of, is_flat, partition_of
from assay.kernels.ranks import midranks, round_ties
from assay.kernels.special import chdtrc, fdtrc, log_ndtr, ndtr, ndtri
from assay.kernels.sphericity import (
    MauchlyVariant,
    contrast_covariance,
    epsilons_of,
    mauchly_p,
)

ENOUGH_ITEMS = 30
ENOUGH_PAIRS = 20
ENOUGH_EXPECTED = 5.0
LARGEST_SHAPIRO = 5000
_ANY: tuple[Unit, ...] = ("item", "fold", "seed", "dataset")
_NORMAL = "Do the values look normal?"
_SPREAD = "Do the groups have the same spread?"


@method(
    question=_NORMAL,
    takes="sample",
    gives="check",
    unit=_ANY,
    assumes=("values are independent",),
    reference="shapiro1965",
    requirement="T15",
    same_as="R: shapiro.test({values})",
    name="Shapiro-Wilk",
)
def shapiro_wilk(values: ArrayLike, *, unit: Unit = "fold") -> TestOutcome:
    """Shapiro and Wilk's W: how straight the normal Q-Q plot of 3 to 5000 values is."""
    sample = as_values(values, "values")
    if sample.size > LARGEST_SHAPIRO:
        raise NotApplicable(
            f"Shapiro-Wilk is worked out for up to {LARGEST_SHAPIRO} values; got {sample.size}: use "
            "anderson_darling, or look at qq_points"
        )
    if why := _unfit(sample, 3):
        return _unanswered("shapiro_wilk", "shapiro_w", sample.size, unit, why)
    from scipy.stats import shapiro

    size = math.frexp(float(np.ptp(sample)))[1]  # W has no unit, but SciPy takes 1e-19 for none
    found = shapiro(np.ldexp(sample, -size))
    w = float(found.statistic)
    return _checked("shapiro_wilk", "shapiro_w", w, w, float(found.pvalue), sample.size, unit)


@method(
    question=_NORMAL,
    takes="sample",
    gives="check",
    unit=_ANY,
    assumes=("values are independent",),
    reference="dagostino1973",
    requirement="T15",
    same_as="SciPy: scipy.stats.normaltest({values})",
    formula="K2 = z_skew^2 + z_kurtosis^2",
    name="D'Agostino",
)
def dagostino(values: ArrayLike, *, unit: Unit = "fold") -> TestOutcome:
    """D'Agostino and Pearson's K²: skewness and kurtosis together, for 8 values or more."""
    sample = as_values(values, "values")
    if why := _unfit(sample, 8):
        return _unanswered("dagostino", "skewness", sample.size, unit, why)
    from scipy.stats import kurtosis, kurtosistest, skew, skewtest

    by_skew, by_kurtosis = skewtest(sample), kurtosistest(sample)
    skewness = float(skew(sample))
    even = abs(skewness) <= NOISE  # SciPy takes a skewness of exactly 0 for another one
    z_skew, p_skew = (0.0, 1.0) if even else (float(by_skew.statistic), float(by_skew.pvalue))
    z_kurtosis = float(by_kurtosis.statistic)
    statistic = z_skew**2 + z_kurtosis**2
    details: Details = (
        ("z_skew", z_skew),
        ("p_skew", p_skew),
        ("z_kurtosis", z_kurtosis),
        ("p_kurtosis", float(by_kurtosis.pvalue)),
        ("kurtosis", float(kurtosis(sample))),
    )
    p_value = float(chdtrc(2, statistic))
    return _checked(
        "dagostino", "skewness", skewness, statistic, p_value, sample.size, unit, details
    )


@method(
    question=_NORMAL,
    takes="sample",
    gives="check",
    unit=_ANY,
    assumes=("values are independent",),
    reference="lilliefors1967",
    requirement="T15",
    same_as="R: nortest::lillie.test({values})",
    formula="D = largest |share of values up to x - normal share up to x|",
    name="Lilliefors",
)
def lilliefors(values: ArrayLike, *, unit: Unit = "fold") -> TestOutcome:
    """Lilliefors' D: Kolmogorov's distance from the normal with estimated mean and spread.

    The p-value is the approximation of Dallal and Wilkinson (1986), above 0.1 that of Stephens
    (1974).
    """
    sample = as_values(values, "values")
    if why := _unfit(sample, 5):
        return _unanswered("lilliefors", "largest_gap", sample.size, unit, why)
    n = sample.size
    below = ndtr(_standardised(sample))
    steps = np.arange(n)
    gap = float(max(((steps + 1) / n - below).max(), (below - steps / n).max()))
    return _checked("lilliefors", "largest_gap", gap, gap, _lilliefors_p(gap, n), n, unit)


@method(
    question=_NORMAL,
    takes="sample",
    gives="check",
    unit=_ANY,
    assumes=("values are independent",),
    reference="stephens1986",
    requirement="T15",
    same_as="R: nortest::ad.test({values})",
    formula="A2 = -n - mean((2i - 1) (log Phi(z_i) + log(1 - Phi(z_(n+1-i)))))",
    name="Anderson-Darling",
)
def anderson_darling(values: ArrayLike, *, unit: Unit = "fold") -> TestOutcome:
    """Anderson and Darling's A² for normality, which weighs the tails; for 8 values or more."""
    sample = as_values(values, "values")
    if why := _unfit(sample, 8):
        return _unanswered("anderson_darling", "a_squared", sample.size, unit, why)
    n = sample.size
    z = _standardised(sample)
    odd = 2.0 * np.arange(1, n + 1) - 1.0
    a2 = float(-n - (odd * (log_ndtr(z) + log_ndtr(-z[::-1]))).mean())
    modified = (1.0 + 0.75 / n + 2.25 / n**2) * a2
    details: Details = (("modified", modified),)
    p_value = _anderson_darling_p(modified)
    return _checked("anderson_darling", "a_squared", a2, a2, p_value, n, unit, details)


@method(
    question=_SPREAD,
    takes="groups",
    gives="check",
    unit=_ANY,
    assumes=("values are independent",),
    reference="brown1974",
    requirement="T15",
    same_as="R: car::leveneTest(values ~ ind, stack({groups}), center = median)",
    formula="F of a one-way ANOVA of |value - centre of its group|",
    name="Levene",
)
def levene(groups: GroupsLike, *, center: str = "median", unit: Unit = "fold") -> TestOutcome:
    """Levene's test about the median (Brown and Forsythe) or, as Levene had it, the mean."""
    chosen = check_choice(center, ("median", "mean"), "center")
    found = groups_of(groups)
    middle = np.median if chosen == "median" else np.mean
    distances = {name: np.abs(x - middle(x)) for name, x in found.items()}
    parts = partition_of(distances, scale=_scale(found))
    ratio, n = _sd_ratio(found), parts.n
    if parts.flat:
        why = _flat_note("the distances from the centres", "Levene's test")
        return _unanswered("levene", "sd_ratio", n, unit, why, ratio)
    f = parts.between / parts.df1 / parts.mean_square
    details: Details = (("df1", parts.df1), ("df2", parts.df2), ("center", chosen))
    p_value = float(fdtrc(parts.df1, parts.df2, f))
    return _checked("levene", "sd_ratio", ratio, f, p_value, n, unit, details)


@method(
    question=_SPREAD,
    takes="groups",
    gives="check",
    unit=_ANY,
    assumes=("values are independent", "groups are normal, to which it is very sensitive"),
    reference="bartlett1937",
    requirement="T15",
    same_as="R: bartlett.test({groups})",
    formula="K2 = (df log(pooled) - sum(df_i log(variance_i))) / (1 + (sum(1/df_i) - 1/df) / (3 (k - 1)))",
    name="Bartlett",
)
def bartlett(groups: GroupsLike, *, unit: Unit = "fold") -> TestOutcome:
    """Bartlett's K² for equal variances of normal groups."""
    found = groups_of(groups, at_least=2)
    freedom = np.array([x.size - 1 for x in found.values()], dtype=np.float64)
    n = int(freedom.sum()) + freedom.size
    if any(is_flat(x) for x in found.values()):
        why = _flat_note("a group's values", "Bartlett's test")
        return _unanswered("bartlett", "sd_ratio", n, unit, why)
    variances = np.array([x.var(ddof=1) for x in found.values()])
    total, k = freedom.sum(), freedom.size
    pooled = (freedom @ variances) / total
    raw = float((freedom * np.log(pooled / variances)).sum())
    raw = max(raw, 0.0)  # of equal variances rounding may leave less than nothing
    statistic = raw / (1.0 + float((1.0 / freedom).sum() - 1.0 / total) / (3.0 * (k - 1)))
    details: Details = (("df", k - 1),)
    p_value = float(chdtrc(k - 1, statistic))
    return _checked("bartlett", "sd_ratio", _sd_ratio(found), statistic, p_value, n, unit, details)


@method(
    question=_SPREAD,
    takes="groups",
    gives="check",
    unit=_ANY,
    assumes=("values are independent",),
    reference="fligner1976",
    requirement="T15",
    same_as="R: fligner.test({groups})",
    formula="chi2 = sum(n_i (mean_i - mean)^2) / variance of the normal scores of ranked |value - median|",
    name="Fligner",
)
def fligner(groups: GroupsLike, *, unit: Unit = "fold") -> TestOutcome:
    """Fligner and Killeen's rank test of equal spread, the sturdiest of the three.

    The statistic ranks the distances as they are in binary, as R does; with decimal ties made
    ties it is in the details.
    """
    found = groups_of(groups)
    distances = {name: np.abs(x - np.median(x)) for name, x in found.items()}
    n, ratio = sum(x.size for x in found.values()), _sd_ratio(found)
    # unlike Levene's, its error is that of all ranks: groups may each have one distance only
    if np.ptp(np.concatenate(list(distances.values()))) <= NOISE * _scale(found):
        why = _flat_note("the distances from the medians", "Fligner's test")
        return _unanswered("fligner", "sd_ratio", n, unit, why, ratio)
    statistic, decimal = (
        _fligner(list(distances.values()), exact=exact) for exact in (True, False)
    )
    df = len(found) - 1
    details: Details = (
        ("df", df),
        ("chi2_decimal_ties", decimal),
        ("p_decimal_ties", float(chdtrc(df, decimal))),
    )
    p_value = float(chdtrc(df, statistic))
    return _checked("fligner", "sd_ratio", ratio, statistic, p_value, n, unit, details)


@method(
    question="Do all differences between models have the same variance (sphericity)?",
    takes="blocks",
    gives="check",
    unit=_ANY,
    assumes=("blocks are independent", "differences are normal"),
    reference="mauchly1940",
    requirement="T15",
    same_as="R: mauchly.test(lm({blocks} ~ 1), X = ~1)",
    formula="W = det(S) / (trace(S) / (k - 1))^(k - 1), S the covariance of orthonormal contrasts",
    name="Mauchly",
)
def mauchly(blocks: Any, *, variant: MauchlyVariant = "R", unit: Unit = "fold") -> TestOutcome:
    """Mauchly's W for sphericity: rows are blocks, columns three or more models.

    The p-value is R's, Anderson's of "second-order", where R has a slip, or of the plain chi-square
    ("first-order"); the others are in the details.
    """
    check_choice(variant, ("R", "second-order", "first-order"), "variant")
    table = as_blocks(blocks).values
    check_size(table, "the scores")
    n, k = table.shape
    if k == 2:
        raise NotApplicable(
            "two models have one difference, so sphericity holds: no check is needed"
        )
    if n < k:
        raise NotApplicable(
            f"{n} blocks are too few to estimate the covariance of {k - 1} differences between {k} "
            f"models. Give at least {k} blocks, or use rm_anova, whose Greenhouse-Geisser default "
            "needs no check"
        )
    covariance = contrast_covariance(table)
    mean_variance = float(np.trace(covariance)) / (k - 1)
    if np.sqrt(mean_variance) <= TIE * float(np.abs(table).max()):
        why = _flat_note("the differences between models", "Mauchly's test")
        return _unanswered("mauchly", "gg_epsilon", n, unit, why)
    if np.linalg.matrix_rank(covariance, tol=TIE * mean_variance, hermitian=True) < k - 1:
        raise NotApplicable(
            f"the differences between the {k} models are linearly dependent (one model is a "
            "mixture of others), so W is zero. Drop that model, or use rm_anova, which needs no "
            "check"
        )
    w = float(np.linalg.det(covariance / mean_variance))
    p_value, details = mauchly_p(w, n, k)
    if variant != "R":
        p_value = dict(details)[f"p_{variant.replace('-', '_')}"]
    epsilon = epsilons_of(table)["gg_epsilon"]
    return _checked("mauchly", "gg_epsilon", epsilon, w, p_value, n, unit, details)


def qq_points(values: ArrayLike) -> Curve:
    """The points of a normal Q-Q plot, with the line through the quartiles in the details.

    A plot to look at, not a test: sorted values against normal quantiles at (i - a) / (n + 1 - 2a),
    a = 3/8 up to ten values and 1/2 beyond, as R's qqnorm has it.
    """
    ordered = np.sort(as_values(values, "values", at_least=2))
    n = ordered.size
    offset = 3.0 / 8.0 if n <= 10 else 0.5
    normal = ndtri((np.arange(1, n + 1) - offset) / (n + 1 - 2.0 * offset))
    low, high = np.quantile(ordered, [0.25, 0.75])
    slope = float((high - low) / (ndtri(0.75) - ndtri(0.25)))
    return Curve(
        name="qq",
        model=None,
        columns=(("normal", tuple(normal.tolist())), ("values", tuple(ordered.tolist()))),
        details=(("intercept", float((low + high) / 2.0)), ("slope", slope)),
    )


def sample_rules(
    *,
    items: int | None = None,
    items_per_fold: ArrayLike | None = None,
    rate: float | None = None,
    pairs: int | None = None,
    differences: ArrayLike | None = None,
) -> tuple[Note, ...]:
    """The rules of thumb about sample size that the evidence does not meet, each with a way out.

    ``rate`` is the error rate of ``items``; ``differences`` also shows ties, zeros and no spread.
    """
    notes = []
    if items is not None and check_count(items, "items", at_least=1) < ENOUGH_ITEMS:
        notes.append(note("few-items", count=int(items)))
    if items_per_fold is not None:
        fewest = int(as_values(np.atleast_1d(np.asarray(items_per_fold)), "items_per_fold").min())
        if fewest < ENOUGH_ITEMS:
            notes.append(note("few-items-per-fold", count=fewest))
    if rate is not None:
        notes += _normal_rule(items, rate)
    if differences is not None:
        sizes = as_values(differences, "differences")
        pairs = sizes.size
        notes += _rank_rules(sizes)
    if pairs is not None and check_count(pairs, "pairs", at_least=1) < ENOUGH_PAIRS:
        notes.append(note("few-pairs", count=int(pairs)))
    return tuple(notes)


def _normal_rule(items: int | None, rate: float) -> list[Note]:
    if items is None or not 0.0 <= rate <= 1.0:
        raise UsageError(
            f"rate is a share between 0 and 1 and needs items; got {rate!r}, {items!r}"
        )
    expected, other = items * rate, items * (1.0 - rate)
    if min(expected, other) >= ENOUGH_EXPECTED * (1.0 - TIE):
        return []
    return [note("normal-approximation", expected=expected, other=other)]


def _rank_rules(differences: FloatArray) -> list[Note]:
    """Zeros, ties in size and no spread, decimal by decimal."""
    notes = []
    sizes = round_ties(np.concatenate([[0.0], np.abs(differences)]))[1:]
    zeros = int((sizes == 0.0).sum())
    if zeros:
        notes.append(note("zeros", count=zeros))
    _, counts = np.unique(sizes[sizes > 0.0], return_counts=True)
    tied = int(counts[counts > 1].sum())
    if tied:
        notes.append(note("ties", count=tied))
    if differences.size > 1 and is_flat(differences):
        notes.append(_flat_note("the differences", "a t test"))
    return notes


def _checked(
    name: str,
    measure: str,
    value: float | None,
    statistic: float,
    p_value: float,
    n: int,
    unit: str,
    details: Details = (),
) -> TestOutcome:
    return TestOutcome(
        method=name,
        statistic=statistic,
        p_value=p_value,
        effect=_effect(name, measure, value, n, unit),
        notes=(note("effect-without-interval", measure=measure),),
        details=details,
    )


def _unanswered(
    name: str, measure: str, n: int, unit: str, why: Note, value: float | None = None
) -> TestOutcome:
    effect = _effect(name, measure, value, n, unit)
    return TestOutcome(method=name, statistic=None, p_value=None, effect=effect, notes=(why,))


def _effect(name: str, measure: str, value: float | None, n: int, unit: str) -> Estimate:
    checked = check_choice(unit, UNITS, "unit")
    return Estimate(measure=measure, value=value, interval=None, method=name, n=n, unit=checked)


def _unfit(sample: FloatArray, needed: int) -> Note | None:
    """Why a test of normality has no answer here, or None."""
    if sample.size < needed:
        return note("too-few-values", count=sample.size, needed=needed)
    return _flat_note("the values", "a test of normality") if is_flat(sample) else None


def _flat_note(what: str, called: str) -> Note:
    return note("zero-variance", what=what, method=called, remedy="look at more decimals")


def _scale(groups: dict[str, FloatArray]) -> float:
    return max(float(np.abs(x).max()) for x in groups.values())


def _standardised(sample: FloatArray) -> FloatArray:
    ordered = np.sort(sample)
    return np.asarray((ordered - ordered.mean()) / ordered.std(ddof=1), dtype=np.float64)


def _sd_ratio(groups: dict[str, FloatArray]) -> float | None:
    """The largest over the smallest standard deviation; None where one is zero or unknown."""
    if any(x.size < 2 or is_flat(x) for x in groups.values()):
        return None
    deviations = [float(x.std(ddof=1)) for x in groups.values()]
    return max(deviations) / min(deviations)


def _lilliefors_p(gap: float, n: int) -> float:
    """Dallal and Wilkinson's formula, good below 0.1; above it Stephens' modified D."""
    size = min(n, 100)
    scaled = gap * (n / 100.0) ** 0.49 if n > 100 else gap
    shifted = size + 2.78019
    p_value = np.exp(
        -7.01256 * scaled**2 * shifted
        + 2.99587 * scaled * np.sqrt(shifted)
        - 0.122119
        + 0.974598 / np.sqrt(size)
        + 1.67997 / size
    )
    if p_value <= 0.1:
        return float(p_value)
    modified = (np.sqrt(n) - 0.01 + 0.85 / np.sqrt(n)) * gap
    pieces = (
        (0.302, (1.0,)),
        (0.5, (81.218052, -138.55152, 80.709644, -19.828315, 2.76773)),
        (0.9, (-32.355711, 94.029866, -97.490286, 40.662806, -4.901232)),
        (1.31, (2.423045, -12.234627, 23.186922, -19.558097, 6.198765)),
    )
    for end, coefficients in pieces:
        if modified <= end:
            return min(1.0, float(np.polyval(coefficients, modified)))
    return float(p_value)


def _anderson_darling_p(a2: float) -> float:
    """D'Agostino and Stephens (1986), table 4.9; beyond 10 the formula has no meaning."""
    if a2 < 0.2:
        return float(-np.expm1(-13.436 + 101.14 * a2 - 223.73 * a2**2))
    if a2 < 0.34:
        return float(-np.expm1(-8.318 + 42.796 * a2 - 59.938 * a2**2))
    if a2 < 0.6:
        return float(np.exp(0.9177 - 4.279 * a2 - 1.38 * a2**2))
    if a2 < 10.0:
        return float(np.exp(1.2937 - 5.709 * a2 + 0.0186 * a2**2))
    return 3.7e-24


def _fligner(distances: list[FloatArray], *, exact: bool) -> float:
    everything = np.concatenate(distances)
    ranks = midranks(everything, exact=exact)
    scores = ndtri(0.5 + ranks / (2.0 * (everything.size + 1)))
    sizes = np.array([x.size for x in distances])
    parts = np.split(scores, np.cumsum(sizes)[:-1])
    means = np.array([part.mean() for part in parts])
    return float((sizes * (means - scores.mean()) ** 2).sum() / scores.var(ddof=1))
