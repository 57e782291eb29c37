"""Two unpaired samples of scores: t, ranks, permutation (T13, T17)."""

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import as_values, check_choice, check_count
from assay.core.errors import NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval, TestOutcome, with_notes
from assay.core.rng import Rng, seed_of, stream
from assay.core.vocabulary import UNITS, Alternative, Unit
from assay.estimates.method_question import MethodQuestion
from assay.hypotheses import least_p
from assay.kernels.rank_sums import RankSums, unrejected_shifts
from assay.kernels.ranks import round_ties
from assay.kernels.sign_flip_distribution import order_bound, reallotments
from assay.kernels.tails import alpha_of, normal_log10_p, two_tails

Way = Literal["auto", "exact", "normal"]
WAYS: tuple[Way, ...] = ("auto", "exact", "normal")

EXACT_WORK = 1e9
"""Additions up to which the exact distribution is the default; untied, some 130 against 130."""
EXACT_MOST = 1e10
"""Additions that an exact distribution may take when asked for."""
SHIFTS_WORK = 3e9
"""Additions that the exact distributions for an interval may take; tied, some 90 against 90."""
LISTED = 200_000
"""Allotments of units to A and B that are all looked at; beyond it they are drawn."""
RUNS_FOR_T = 6
"""Fewer runs of an algorithm carry the note `few-runs`: Welch's interval is wide for what it covers."""

_APART = ("independent values", "A and B share no units")


@method(
    question="Do two unpaired samples of scores differ in their means?",
    takes="two-samples",
    gives="test",
    unit=UNITS,
    assumes=(*_APART, "means near normal: bell-shaped values, or many"),
    reference="Welch (1947), Biometrika 34; Student (1908), Biometrika 6",
    requirement="T17",
    same_as="R: t.test({a}, {b}{, alternative}{, level})",
    formula="t = (mean_a - mean_b)/sqrt(var_a/n_a + var_b/n_b), df by Welch and Satterthwaite",
    name="Welch's t",
    title="Welch's t test (unpaired)",
    calibrated_by="runs",
    planned_by="separate_means",
    batched_by="separate_means",
)
def two_sample_t(
    a: Any,
    b: Any,
    *,
    variant: Literal["welch", "pooled"] = "welch",
    alternative: str = "two-sided",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """The t test of two means; "pooled" takes both variances for the same."""
    first, second = as_values(a, "a"), as_values(b, "b")
    asked = MethodQuestion.of("two_sample_t", level=level, alternative=alternative, unit=unit)
    chosen = check_choice(variant, ("welch", "pooled"), "variant")
    difference, n = float(first.mean() - second.mean()), first.size + second.size
    spread = _spread(first, second, chosen)
    if isinstance(spread, Note):
        return asked.unanswered(asked.estimate("mean_difference", difference, n), spread)
    error, df = spread
    return asked.t_test(
        "mean_difference",
        difference,
        error,
        df,
        n,
        notes=_few_runs(min(first.size, second.size), unit),
        details=(
            ("mean_a", float(first.mean())),
            ("mean_b", float(second.mean())),
            ("n_a", first.size),
            ("n_b", second.size),
            ("standard_error", error),
            ("df", df),
            ("variant", chosen),
        ),
    )


def _few_runs(count: int, unit: Unit) -> tuple[Note, ...]:
    if unit != "seed" or count >= RUNS_FOR_T:
        return ()
    return (note("few-runs", count=count, where="", needed=RUNS_FOR_T),)


@method(
    question="Does one of two unpaired samples tend to be larger, by ranks?",
    takes="two-samples",
    gives="test",
    unit=UNITS,
    assumes=(*_APART, "for the shift: both distributions have the same shape"),
    reference="Mann & Whitney (1947), Ann. Math. Statist. 18; Hodges & Lehmann (1963), ibid. 34",
    requirement="T13",
    same_as="R: exactRankTests::wilcox.exact({a}, {b}, conf.int = TRUE{, alternative}{, level})",
    formula="U_a = pairs with a > b, ties half; auc = U_a/(n_a n_b); "
    "z = (U_a - n_a n_b/2)/sqrt(n_a n_b (N + 1 - ties/(N(N - 1)))/12)",
    name="Mann-Whitney",
    title="Mann–Whitney U test",
    least_p=least_p.ranks_apart,
)
def mann_whitney(
    a: Any,
    b: Any,
    *,
    method: Way = "auto",
    correct: bool = False,
    alternative: str = "two-sided",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """The Mann-Whitney U (Wilcoxon rank-sum) test with the Hodges-Lehmann shift.

    Exact, also with ties (two-sided by the distance from the mean), unless there are too many
    values or ``method`` is "normal", with continuity correction if ``correct``. U_a/(n_a n_b) is
    the AUC of scores ``a`` of positives against ``b`` of negatives.
    """
    samples = RankSums.of(as_values(a, "a"), as_values(b, "b"))
    asked = MethodQuestion.of("mann_whitney", level=level, alternative=alternative, unit=unit)
    exact = _exactly(samples, check_choice(method, WAYS, "method"))
    details = _rank_details(samples, asked.side, exact=exact)
    p_value = (
        samples.exact_p(asked.side) if exact else samples.normal_p(asked.side, correct=correct)
    )
    notes: tuple[Note, ...] = ()
    if method == "auto" and not exact:
        notes = (note("normal-used", n=samples.a.size + samples.b.size),)
    inverted = exact and samples.shifts_work() <= (EXACT_MOST if method == "exact" else SHIFTS_WORK)
    shifts = unrejected_shifts(
        samples,
        asked.side,
        asked.level,
        p_null=1.0 if p_value is None else p_value,
        exact=inverted,
        correct=correct,
    )
    effect = _shift(asked, samples, shifts)
    if effect.interval is None:
        notes += (_no_spread("the interval"),)
    elif p_value is None:
        notes += (_no_spread("the normal approximation"),)
    elif exact and not inverted:
        notes += (note("interval-by-normal", n=samples.a.size + samples.b.size),)
    return asked.outcome(samples.u(), p_value, effect, notes=notes, details=details)


@method(
    question="Do two unpaired samples differ in their means (permutation test)?",
    takes="two-samples",
    gives="test",
    unit=UNITS,
    assumes=(*_APART, "under the null both samples come from one distribution"),
    reference="Pitman (1937), Suppl. JRSS 4",
    requirement="T17",
    same_as="SciPy: permutation_test(({a}, {b}), lambda a, b: np.mean(a) - np.mean(b))",
    formula="p = 2 min over sides of the share of allotments that give the difference or more",
    name="permutation two-samples",
    title="two-sample permutation test",
    least_p=least_p.means_apart,
)
def permutation_two_samples(
    a: Any,
    b: Any,
    *,
    alternative: str = "two-sided",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    unit: Unit = "item",
) -> TestOutcome:
    """The permutation test of a difference of means, with the shifts that it does not reject.

    All allotments of the values to A and B are looked at if there are at most 200,000; else
    ``n_resamples`` are drawn and p is at least 1/(n_resamples + 1).
    """
    first, second = as_values(a, "a"), as_values(b, "b")
    asked = MethodQuestion.of(
        "permutation_two_samples", level=level, alternative=alternative, unit=unit
    )
    size = check_count(n_resamples, "n_resamples", at_least=1)
    joint = round_ties(np.concatenate([first, second]))
    total = math.comb(joint.size, first.size)
    seed = None if total <= LISTED else seed_of(rng)
    sample = None if seed is None else (size, stream(seed))
    shifts = _allotted_shifts(joint[: first.size], joint[first.size :], sample)
    count = float(total if seed is None else size + 1)
    tail = alpha_of(asked.level) / (2.0 if asked.side == "two-sided" else 1.0)
    again = np.isnan(shifts)
    lower, upper = np.where(again, -np.inf, shifts), np.where(again, np.inf, shifts)
    more = float(1 + np.count_nonzero(lower <= 0.0)) / count
    fewer = float(1 + np.count_nonzero(upper >= 0.0)) / count
    low = -math.inf if asked.side == "less" else order_bound(lower, tail, count)
    high = math.inf if asked.side == "greater" else -order_bound(-upper, tail, count)
    p_value = two_tails(more, fewer, asked.side)
    outcome = _permuted(asked, first, second, joint, (low, high), p_value)
    if seed is None:
        return outcome
    error = math.sqrt(p_value * (1.0 - p_value) / size)
    sampled = note("sampled", n=size, what="allotments", error=error)
    return replace(with_notes(outcome, sampled), seed=seed)


def _spread(a: FloatArray, b: FloatArray, variant: str) -> tuple[float, float] | Note:
    """The standard error of the difference and its degrees of freedom, or why there is none."""
    m, n = a.size, b.size
    if min(m, n) < 2 and (variant == "welch" or m + n < 3):
        return note("single-value", what="one value", needed="at least two of A and of B")
    squares = [float(((one - one.mean()) ** 2).sum()) for one in (a, b)]
    noise = 1e-22 * max(float((a**2).max()), float((b**2).max()))
    if sum(squares) <= noise * (m + n):
        return _no_spread("a t test")
    if variant == "pooled":
        return math.sqrt(sum(squares) / (m + n - 2) * (1.0 / m + 1.0 / n)), float(m + n - 2)
    parts = squares[0] / (m - 1) / m, squares[1] / (n - 1) / n
    df = sum(parts) ** 2 / (parts[0] ** 2 / (m - 1) + parts[1] ** 2 / (n - 1))
    return math.sqrt(sum(parts)), df


def _no_spread(what: str) -> Note:
    remedy = "permutation_two_samples and mann_whitney do without a standard error"
    return note("zero-variance", what="the values", method=what, remedy=remedy)


def _exactly(samples: RankSums, way: Way) -> bool:
    if way == "normal":
        return False
    work = samples.work()
    if way == "exact" and work > EXACT_MOST:
        raise NotApplicable(
            f"the exact distribution of U for {samples.a.size} and {samples.b.size} values takes "
            f"{work:.1g} additions; use method='normal', which is as good for so many"
        )
    return way == "exact" or work <= EXACT_WORK


def _rank_details(samples: RankSums, side: Alternative, *, exact: bool) -> Details:
    u, pairs = samples.u(), samples.a.size * samples.b.size
    joint = np.concatenate([samples.a, samples.b])
    z = samples.z("two-sided", correct=False)
    return (
        ("U_a", u),
        ("U_b", pairs - u),
        ("n_a", samples.a.size),
        ("n_b", samples.b.size),
        ("auc", u / pairs),
        ("ties", bool(np.unique(joint).size < joint.size)),
        ("z", z),
        ("asymptotic_p", samples.normal_p(side, correct=False)),
        ("asymptotic_cc_p", samples.normal_p(side, correct=True)),
        ("log10_p", None if z is None else normal_log10_p(z, side)),
        ("exact_p", samples.exact_p(side) if exact else None),
        ("exact_p_doubled", samples.exact_p(side, two_sided="doubled") if exact else None),
    )


def _shift(
    asked: MethodQuestion, samples: RankSums, shifts: tuple[float, float, float]
) -> Estimate:
    """The Hodges-Lehmann shift; between two constant samples it has no interval of any width."""
    value, low, high = shifts
    constant = bool(np.ptp(samples.a) == 0.0 and np.ptp(samples.b) == 0.0)
    interval = None if constant and not low < value < high else asked.interval(low, high)
    n = samples.a.size + samples.b.size
    return asked.estimate("shift", min(max(value, low), high), n, interval)


def _allotted_shifts(
    a: FloatArray, b: FloatArray, sample: tuple[int, np.random.Generator] | None
) -> FloatArray:
    """The shifts of :func:`reallotments`, drawn alike whatever the order of values and samples."""
    first, second = np.sort(a), np.sort(b)
    swapped = (second.size, second.tolist()) < (first.size, first.tolist())
    if swapped:
        first, second = second, first
    shifts = reallotments(np.concatenate([first, second]), first.size, sample)
    return -shifts if swapped else shifts


def _permuted(
    asked: MethodQuestion,
    a: FloatArray,
    b: FloatArray,
    joint: FloatArray,
    limits: tuple[float, float],
    p_value: float,
) -> TestOutcome:
    difference = float(joint[: a.size].mean() - joint[a.size :].mean())
    interval: Interval | None = asked.interval(*limits)
    notes: tuple[Note, ...] = ()
    if limits[1] - limits[0] <= 1e-12 * abs(difference):
        interval, notes = None, (_no_spread("the interval"),)
    effect = asked.estimate("mean_difference", difference, joint.size, interval)
    details = (("difference", difference), ("n_a", a.size), ("n_b", b.size))
    return asked.outcome(difference, p_value, effect, notes=notes, details=details)
