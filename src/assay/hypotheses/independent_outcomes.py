"""Two models on different items, right or wrong: two error rates, and tables of counts (T3)."""

import math
from bisect import bisect_left
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import as_matrix, check_choice, shape_of
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, TestOutcome
from assay.core.vocabulary import Alternative
from assay.estimates.differences import score_difference, wald_difference
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import Counts, as_two_counts
from assay.hypotheses import least_p
from assay.kernels.attained_level import pooled_level
from assay.kernels.roots import bracketed_root
from assay.kernels.special import betaln, chdtrc, chndtr
from assay.kernels.tails import alpha_of, normal_log10_p, normal_p

SLACK = 1e-7
"""Tables whose probabilities differ by less than this ratio count as equally likely, as in R."""

SMALL_EXPECTED = 5.0
"""The expected count below which the chi-square is noted to be approximate."""
EXCEEDED = 1.1
"""How many times its level a test may reject before that is noted."""

_SEPARATE = ("independent items", "different items for A and B")


@method(
    question="Do the error rates of two models differ, each tested on its own items?",
    takes="two-counts",
    gives="test",
    unit="item",
    assumes=(*_SEPARATE, "errors and right answers both many, for the unpooled variant above all"),
    reference="Pearson (1900), Philosophical Magazine 50; Mee (1984), Biometrics 40",
    requirement="T3",
    same_as="R: prop.test(c({errors_a}, {errors_b}), c({n_a}, {n_b}), correct = FALSE{, alternative})",
    formula="z = (p_a - p_b)/se_pooled, se_pooled = sqrt(p (1 - p)(1/n_a + 1/n_b)), "
    "p = (errors_a + errors_b)/(n_a + n_b)",
    title="z test of two proportions",
    least_p=least_p.rates_apart,
    posterior="two_rates",
    calibrated_by="two_sizes",
    planned_by="two_proportions",
)
def two_proportions_z(
    *evidence: Any,
    variant: Literal["pooled", "unpooled"] = "pooled",
    correct: bool = False,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The z test of two error rates from (errors_a, n_a, errors_b, n_b).

    "pooled" has the score interval, its inversion; "unpooled" the Wald interval of the lectures.
    ``correct`` is the continuity correction of R's prop.test. On the *same* items use mcnemar.
    """
    a, b = as_two_counts(*evidence)
    asked = MethodQuestion.of("two_proportions_z", level=level, alternative=alternative)
    chosen = check_choice(variant, ("pooled", "unpooled"), "variant")
    if correct and chosen == "unpooled":
        raise UsageError("the continuity correction is of the pooled test: use variant='pooled'")
    interval = score_difference if chosen == "pooled" else wald_difference
    effect = interval(a.errors, a.n, b.errors, b.n, level=level, alternative=asked.side)
    details = _z_details(a, b, asked.side)
    facts = dict(details)
    name = "z_cc" if correct else f"z_{chosen}"
    z = facts[name]
    defined = isinstance(z, float) and math.isfinite(z)
    notes: tuple[Note, ...] = ()
    if not defined:
        notes = (_no_spread(),)
    elif correct:
        notes = (note("variant-differs", variant="continuity", default="the pooled z"),)
    elif chosen == "pooled" and asked.side == "two-sided":
        notes = _level_notes(a, b, alpha_of(level))
    statistic = z if isinstance(z, float) and defined else None
    p_value = None if statistic is None else normal_p(statistic, asked.side)
    return asked.outcome(statistic, p_value, effect, notes=notes, details=details)


def _level_notes(a: Counts, b: Counts, alpha: float) -> tuple[Note, ...]:
    """Where the chi-square is a poor approximation, or is known to reject too often."""
    rate = (a.errors + b.errors) / (a.n + b.n)
    smallest = min(a.n, b.n) * min(rate, 1.0 - rate)
    notes: tuple[Note, ...] = ()
    if smallest < SMALL_EXPECTED:
        notes = (note("small-expected", smallest=smallest),)
    size = pooled_level(a.n, b.n, rate, alpha)
    if size is not None and size > EXCEEDED * alpha:
        notes = (
            *notes,
            note("level-exceeded", n_a=a.n, n_b=b.n, rate=rate, size=size, alpha=alpha),
        )
    return notes


@method(
    question="Do the error rates of two models differ (exact test)?",
    takes="two-counts",
    gives="test",
    unit="item",
    assumes=_SEPARATE,
    reference="Fisher (1935), JRSS 98: 39-82",
    requirement="T3",
    same_as="R: fisher.test(matrix(c({errors_a}, {errors_b}, {n_a} - {errors_a}, {n_b} - {errors_b}), 2)"
    "{, alternative})",
    formula="p = sum of the hypergeometric probabilities of tables not more likely than the one seen",
    exempt={"decides": "the test is conditional on the totals; no interval of the difference is"},
    name="Fisher exact",
    title="Fisher's exact test",
    least_p=least_p.means_apart,
)
def fisher_exact(
    *evidence: Any, alternative: str = "two-sided", level: float = 0.95
) -> TestOutcome:
    """Fisher's exact test from (errors_a, n_a, errors_b, n_b), or a 2 x 2 table of such rows.

    The effect is the difference with the score interval; the odds ratio of greatest conditional
    likelihood and its exact interval are in details.
    """
    a, b = _two_rows(evidence)
    asked = MethodQuestion.of("fisher_exact", level=level, alternative=alternative)
    hypergeometric = _Hypergeometric(a, b)
    ratio, low, high = hypergeometric.odds_ratio(asked.level, asked.side)
    details: Details = (
        ("errors_a", a.errors),
        ("n_a", a.n),
        ("errors_b", b.errors),
        ("n_b", b.n),
        ("odds_ratio", ratio),
        ("odds_ratio_low", low),
        ("odds_ratio_high", high),
    )
    notes: tuple[Note, ...]
    if a.n and b.n:
        effect = score_difference(
            a.errors, a.n, b.errors, b.n, level=asked.level, alternative=asked.side
        )
        notes = (note("variant-differs", variant="fisher", default="the score test"),)
    else:
        effect = _no_difference(a, b)
        notes = effect.notes
    p_value = hypergeometric.p_value(asked.side)
    return asked.outcome(float(a.errors), p_value, effect, notes=notes, details=details)


@method(
    question="Do rows and columns of a table of counts depend on each other?",
    takes="contingency-table",
    gives="test",
    unit="item",
    assumes=("every item is counted once", "expected counts of about 5 or more"),
    reference="Pearson (1900), Philosophical Magazine 50; Cramér (1946), "
    "Mathematical Methods of Statistics, section 21.9",
    requirement="T3",
    same_as="R: chisq.test({table}, correct = FALSE)",
    formula="chi2 = sum (observed - expected)²/expected, df = (rows - 1)(columns - 1); "
    "V = sqrt(chi2/(n min(rows - 1, columns - 1)))",
    title="chi-square test",
)
def chi_square(table: Any, *, correct: bool = False, level: float = 0.95) -> TestOutcome:
    """Pearson's chi-square of a contingency table of any size, with Cramér's V.

    V has a lower bound, the inversion of the test; ``correct`` is Yates's correction of a 2 x 2
    table. Two error rates with a signed difference: two_proportions_z.
    """
    counts = _table(table)
    asked = MethodQuestion.of("chi_square", level=level)
    n, df = float(counts.sum()), (counts.shape[0] - 1) * (counts.shape[1] - 1)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    plain = float(((counts - expected) ** 2 / expected).sum())
    two_by_two = counts.shape == (2, 2)
    if correct and not two_by_two:
        raise UsageError(f"Yates's correction is for 2 x 2 tables; got {counts.shape}")
    off = min(0.5, float(np.abs(counts - expected).min())) if two_by_two else 0.0
    yates = float(((np.abs(counts - expected) - off) ** 2 / expected).sum())
    chi2 = yates if correct else plain
    p_value = float(chdtrc(df, chi2))
    notes: tuple[Note, ...] = ()
    if expected.min() < 5.0:
        notes = (note("small-expected", smallest=float(expected.min())),)
    if correct:
        notes += (note("variant-differs", variant="Yates", default="the chi-square"),)
    details: Details = (
        ("chi2", plain),
        ("df", df),
        ("p_chi2", float(chdtrc(df, plain))),
        ("chi2_yates", yates),
        ("p_yates", float(chdtrc(df, yates))),
        ("n", int(n)),
        ("smallest_expected", float(expected.min())),
    )
    effect = _cramers_v(asked, plain, df, n, min(counts.shape) - 1)
    return asked.outcome(chi2, p_value, effect, notes=notes, details=details)


def _z_details(a: Counts, b: Counts, side: Alternative) -> Details:
    """All variants under the names of the reference cases; infinite where only the SE is zero."""
    p_a, p_b = a.errors / a.n, b.errors / b.n
    pooled, widths = (a.errors + b.errors) / (a.n + b.n), 1.0 / a.n + 1.0 / b.n
    # counts are compared, not rates: 1/3 and 2/6 are the same
    lead = a.errors * b.n - b.errors * a.n
    difference = lead / (a.n * b.n)
    se_unpooled = math.sqrt(p_a * (1.0 - p_a) / a.n + p_b * (1.0 - p_b) / b.n)
    se_pooled = math.sqrt(pooled * (1.0 - pooled) * widths)
    z_unpooled, z_pooled = _ratio(difference, se_unpooled), _ratio(difference, se_pooled)
    off = min(0.5, abs(difference) / widths) * widths
    z_cc = _ratio(math.copysign(abs(difference) - off, difference), se_pooled)
    return (
        ("p_a", p_a),
        ("p_b", p_b),
        ("diff", difference),
        ("se_unpooled", se_unpooled),
        ("z_unpooled", z_unpooled),
        ("p_unpooled", _p(z_unpooled, side)),
        ("se_pooled", se_pooled),
        ("z_pooled", z_pooled),
        ("p_pooled", _p(z_pooled, side)),
        ("z_cc", z_cc),
        ("R_prop_test_chi2", None if z_pooled is None else z_pooled**2),
        ("R_prop_test_p", _p(z_pooled, side)),
        ("R_prop_test_chi2_cc", None if z_cc is None else z_cc**2),
        ("R_prop_test_p_cc", _p(z_cc, side)),
        ("log10_p", None if z_pooled is None else normal_log10_p(z_pooled, side)),
    )


def _ratio(difference: float, error: float) -> float | None:
    if error > 0.0:
        return difference / error
    return None if difference == 0.0 else math.copysign(math.inf, difference)


def _p(z: float | None, side: Alternative) -> float | None:
    return None if z is None else normal_p(z, side)


def _no_spread() -> Note:
    remedy = "the interval still stands; fisher_exact needs no standard error"
    return note("zero-variance", what="the outcomes", method="the z test", remedy=remedy)


def _two_rows(evidence: tuple[Any, ...]) -> tuple[Counts, Counts]:
    """Two counts, or a 2 x 2 table with a row (errors, right) for each model, which may be empty."""
    if len(evidence) == 1 and shape_of(evidence[0]) == (2, 2):
        table = as_matrix(evidence[0], "table", rows=2, columns=2)
        if (table < 0).any() or (table != np.rint(table)).any():
            raise EvidenceError("a table holds whole counts of at least 0")
        rows = [Counts(errors=int(row[0]), n=int(row.sum())) for row in table]
        return rows[0], rows[1]
    return as_two_counts(*evidence)


def _no_difference(a: Counts, b: Counts) -> Estimate:
    missing = note("undefined-value", measure="the error rate of a model without items")
    return Estimate(
        measure="error_rate",
        value=None,
        interval=None,
        method="score_difference",
        n=max(1, a.n + b.n),
        unit="item",
        notes=(missing,),
    )


MOST_TABLES = 10_000_000
"""The exact test holds a few numbers of each: more take gigabytes, and z is as good long before."""


FEW_TABLES = 10_000
"""So many are gone through in no time."""
LEAST_LOG = -745.0
"""The exponential of less is 0."""


class _Hypergeometric:
    """Errors of A given all totals, under any odds ratio."""

    def __init__(self, a: Counts, b: Counts) -> None:
        errors = a.errors + b.errors
        first, last = max(0, errors - b.n), min(errors, a.n)
        if last - first >= MOST_TABLES:
            raise NotApplicable(
                f"{last - first + 1:,} tables have these totals, and the exact test goes through all of "
                "them: with so many items use two_proportions_z"
            )
        self.support: IntArray = np.arange(first, last + 1)
        self.seen = a.errors
        self.place = a.errors - first
        self.logs = _log_choose(a.n, self.support) + _log_choose(b.n, errors - self.support)

    def masses(self, log_ratio: float = 0.0) -> FloatArray:
        logs = self.logs + log_ratio * self.support
        masses = np.exp(logs - logs.max())
        return np.asarray(masses / masses.sum())

    def p_value(self, side: Alternative) -> float:
        masses = self.masses()
        if side == "greater":
            return float(min(1.0, masses[self.place :].sum()))
        if side == "less":
            return float(min(1.0, masses[: self.place + 1].sum()))
        likely = masses > masses[self.place] * (1.0 + SLACK)
        return float(min(1.0, masses[~likely].sum()))

    def odds_ratio(self, level: float, side: Alternative) -> tuple[float | None, float, float]:
        """The conditional estimate (its mean is the count seen) and the limits of either tail."""
        if self.support.size == 1:
            return None, 0.0, math.inf
        tail = alpha_of(level) / (2.0 if side == "two-sided" else 1.0)
        at_bottom, at_top = self.place == 0, self.place == self.support.size - 1
        ratio = 0.0 if at_bottom else math.inf if at_top else self._solve(self._mean, self.seen)
        low = 0.0 if at_bottom or side == "less" else self._solve(self._above, tail)
        high = math.inf if at_top or side == "greater" else self._solve(self._below, tail)
        return ratio, low, high

    def _mean(self, log_ratio: float) -> float:
        start, masses = self._near(log_ratio)
        return float(masses @ self.support[start : start + masses.size])

    def _above(self, log_ratio: float) -> float:
        start, masses = self._near(log_ratio)
        return float(masses[max(self.place - start, 0) :].sum())

    def _below(self, log_ratio: float) -> float:
        start, masses = self._near(log_ratio)
        return float(masses[: max(self.place + 1 - start, 0)].sum())

    def _near(self, log_ratio: float) -> tuple[int, FloatArray]:
        """The masses that are not 0 in floats, and the first of their places: few of millions."""

        def log_mass(place: int) -> float:
            return float(self.logs[place] + log_ratio * self.support[place])

        places = range(self.support.size)
        if len(places) <= FEW_TABLES:
            return 0, self.masses(log_ratio)
        # the logarithms rise to the mode and fall behind it
        mode = bisect_left(
            places, 1, hi=len(places) - 1, key=lambda k: log_mass(k) >= log_mass(k + 1)
        )
        least = log_mass(mode) + LEAST_LOG
        first = bisect_left(places, 1, hi=mode, key=lambda k: log_mass(k) >= least)
        last = bisect_left(places, 1, lo=mode, key=lambda k: log_mass(k) < least)
        logs = self.logs[first:last] + log_ratio * self.support[first:last]
        masses = np.exp(logs - logs.max())
        return first, np.asarray(masses / masses.sum())

    def _solve(self, function: Any, target: float) -> float:
        def excess(log_ratios: FloatArray) -> FloatArray:
            return np.array([function(one) for one in log_ratios.ravel().tolist()]) - target

        reach = 8.0
        while np.prod(excess(np.array([-reach, reach]))) > 0.0 and reach < 500.0:
            reach *= 2.0
        return math.exp(float(bracketed_root(excess, [-reach], [reach])[0]))


def _log_choose(n: int, k: IntArray) -> FloatArray:
    return np.asarray(-betaln(n - k + 1.0, k + 1.0) - np.log(n + 1.0))


def _table(table: Any) -> FloatArray:
    counts = as_matrix(table, "table", rows=2, columns=2)
    if (counts < 0).any() or (counts != np.rint(counts)).any():
        raise EvidenceError("a contingency table holds whole counts of at least 0")
    for axis, name in ((1, "row"), (0, "column")):
        empty = np.flatnonzero(counts.sum(axis=axis) == 0)
        if empty.size:
            raise EvidenceError(f"{name} {empty[0]} of the table is empty: leave it out")
    return counts


def _cramers_v(asked: MethodQuestion, chi2: float, df: int, n: float, smaller: int) -> Estimate:
    """V with the bound whose noncentral chi-square leaves alpha above the one observed."""
    low = 0.0
    if float(chdtrc(df, chi2)) <= alpha_of(asked.level):

        def excess(noncentrality: FloatArray) -> FloatArray:
            return np.asarray(chndtr(chi2, df, noncentrality) - asked.level)

        found = float(bracketed_root(excess, [0.0], [chi2 + 10.0 * math.sqrt(chi2) + 10.0])[0])
        low = min(max(math.sqrt(found / (n * smaller)), math.ulp(0.0)), 1.0)
    bound = replace(asked, side="greater").interval(low, 1.0)
    return asked.estimate("cramers_v", math.sqrt(chi2 / (n * smaller)), int(n), bound)
