"""Many algorithms on one data set: analysis of variance, with blocks and without, and Tukey."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import as_values, check_choice, check_size
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, FamilyOutcome, Interval, TestOutcome
from assay.core.tolerances import TIE
from assay.core.vocabulary import Unit
from assay.estimates.method_question import MethodQuestion
from assay.evidence.blocks import as_blocks
from assay.kernels.noncentral import noncentrality_bounds
from assay.kernels.special import fdtrc
from assay.kernels.sphericity import epsilons_of
from assay.kernels.studentized_range import range_isf, range_sf

GroupsLike = Mapping[str, ArrayLike] | Iterable[ArrayLike]
Sphericity = Literal["greenhouse-geisser", "huynh-feldt", "uncorrected"]
SPHERICITY: tuple[Sphericity, ...] = ("greenhouse-geisser", "huynh-feldt", "uncorrected")


@method(
    question="Do the means of several independent groups differ, if all have the same spread?",
    takes="groups",
    gives="test",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("values are independent", "groups are near normal", "groups have one variance"),
    reference="fisher1925",
    requirement="T8",
    same_as="R: oneway.test(values ~ ind, stack({groups}), var.equal = TRUE)",
    formula="F = (ss_between / df1) / (ss_within / df2)",
    name="one-way ANOVA",
)
def oneway_anova(groups: GroupsLike, *, unit: Unit = "fold", level: float = 0.95) -> TestOutcome:
    """One-way analysis of variance of a list of groups, or a mapping of names to groups.

    The effect is eta squared with its one-sided interval [low, 1], which excludes zero exactly
    when the F test rejects. Groups that share their folds are better served by ``rm_anova``.
    """
    found = groups_of(groups)
    parts = partition_of(found)
    asked = MethodQuestion.of("oneway_anova", level=level, unit=unit)
    notes = _shared_blocks(found, asked.unit, "one-way ANOVA", "rm_anova")
    if parts.flat:
        effect = asked.estimate("eta_squared", _ratio(parts.between, parts.total), parts.n)
        return asked.unanswered(effect, _flat(), *notes, details=parts.details)
    f = parts.between / parts.df1 / parts.mean_square
    eta = parts.between / parts.total
    outcome = _f_test(asked, f, parts.df1, parts.df2, eta, parts.n, notes)
    return replace(outcome, details=(*parts.details, *parts.sizes, *outcome.details))


@method(
    question="Do the means of several independent groups differ, whatever their spreads?",
    takes="groups",
    gives="test",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("values are independent", "groups are near normal"),
    reference="welch1951",
    requirement="T8",
    same_as="R: oneway.test(values ~ ind, stack({groups}))",
    formula="F = sum(w (mean - weighted_mean)^2) / df1 / (1 + 2 (k - 2) / (k^2 - 1) lambda)",
    name="Welch ANOVA",
)
def welch_anova(groups: GroupsLike, *, unit: Unit = "fold", level: float = 0.95) -> TestOutcome:
    """Welch's analysis of variance: groups weighted by n / s², no common variance assumed."""
    found = groups_of(groups)
    alone = [name for name, values in found.items() if values.size < 2]
    if alone:
        raise NotApplicable(
            f"Welch's ANOVA needs two values in every group, and the group {alone[0]} has one. Use "
            "oneway_anova, which pools the variance"
        )
    n = sum(values.size for values in found.values())
    asked = MethodQuestion.of("welch_anova", level=level, unit=unit)
    notes = _shared_blocks(found, asked.unit, "Welch's ANOVA", "rm_anova")
    if any(is_flat(values) for values in found.values()):
        effect, details = asked.estimate("eta_squared", None, n), (("df1", len(found) - 1),)
        return asked.unanswered(effect, _flat("a group's values"), *notes, details=details)
    f, df1, df2 = _welch(list(found.values()))
    return _f_test(asked, f, df1, df2, f * df1 / (f * df1 + df2), n, notes)


@method(
    question="Do several algorithms differ, measured on the same folds or data sets?",
    takes="blocks",
    gives="test",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("blocks are independent", "differences within blocks are near normal"),
    reference="greenhouse1959",
    requirement="T8",
    same_as='R: anova(lm({blocks} ~ 1), X = ~1, test = "Spherical")',
    formula="F = (ss_models / df1) / (ss_error / df2), both df times epsilon",
    name="repeated-measures ANOVA",
    title="repeated-measures ANOVA",
)
def rm_anova(
    blocks: Any,
    *,
    variant: Sphericity = "greenhouse-geisser",
    unit: Unit = "fold",
    level: float = 0.95,
) -> TestOutcome:
    """Repeated-measures analysis of variance: rows are blocks, columns models (or a mapping, a frame).

    ``variant`` says how the degrees of freedom allow for unequal variances of the differences
    between models; all p-values are in the details. The effect is partial eta squared.
    """
    table = as_blocks(blocks).values
    check_size(table, "the scores")
    chosen = check_choice(variant, SPHERICITY, "variant")
    n, k = table.shape
    if n < 2:
        raise EvidenceError("one block says nothing about spread: two blocks or more are needed")
    asked = MethodQuestion.of("rm_anova", level=level, unit=unit)
    notes = (note("folds-overlap", folds=n),) if asked.unit == "fold" else ()
    sums, flat = _two_way(table)
    df1, df2 = k - 1, (k - 1) * (n - 1)
    details: Details = (*sums.items(), ("df1", df1), ("df2", df2))
    eta = _ratio(sums["ss_models"], sums["ss_models"] + sums["ss_error"])
    if flat:
        why, effect = _flat("the differences between models"), asked.estimate("eta_squared", eta, n)
        return asked.unanswered(effect, why, *notes, details=details)
    f = sums["ss_models"] / df1 / (sums["ss_error"] / df2)
    epsilons = epsilons_of(table)
    corrections: Details = tuple(epsilons.items())
    p_values: Details = (
        ("p_uncorrected", _f_tail(f, df1, df2, 1.0)),
        ("p_gg", _f_tail(f, df1, df2, epsilons["gg_epsilon"])),
        ("p_hf", _f_tail(f, df1, df2, epsilons["hf_epsilon"])),
        ("p_lower_bound", _f_tail(f, df1, df2, 1.0 / df1)),
    )
    used = {
        "greenhouse-geisser": epsilons["gg_epsilon"],
        "huynh-feldt": epsilons["hf_epsilon"],
        "uncorrected": 1.0,
    }[chosen]
    outcome = _f_test(asked, f, df1, df2, eta, n, notes, epsilon=used, cells=n * k)
    kept = tuple(pair for pair in outcome.details if pair[0] not in ("df1", "df2"))
    return replace(outcome, details=(*details, *corrections, *p_values, *kept))


@method(
    question="Which pairs of several independent groups differ in their means?",
    takes="groups",
    gives="family",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("values are independent", "groups are near normal", "groups have one variance"),
    reference="kramer1956",
    requirement="T8",
    same_as="R: TukeyHSD(aov(values ~ ind, stack({groups})){, level})",
    formula="difference ± q_critical · sqrt(mean_square (1/n_a + 1/n_b) / 2)",
    name="Tukey HSD",
)
def tukey_hsd(groups: GroupsLike, *, unit: Unit = "fold", level: float = 0.95) -> FamilyOutcome:
    """Tukey's honest differences of all pairs (Tukey-Kramer), with simultaneous intervals."""
    found = groups_of(groups)
    parts = partition_of(found)
    asked = MethodQuestion.of("tukey_hsd", level=level, unit=unit)
    k = len(found)
    critical = range_isf(1.0 - asked.level, k, parts.df2)
    pairs = tuple(combinations(found, 2))
    outcomes = tuple(_tukey_pair(found[a], found[b], parts, k, critical, asked) for a, b in pairs)
    instead = "corrected_resampled_t on each pair, with Holm's adjustment,"
    return FamilyOutcome(
        method="tukey_hsd",
        models=tuple(found),
        pairs=pairs,
        outcomes=outcomes,
        adjustment="tukey-kramer",
        omnibus=oneway_anova(found, unit=unit, level=level),
        notes=_shared_blocks(found, asked.unit, "Tukey's test", instead),
        details=(
            ("mean_square", parts.mean_square),
            ("df", parts.df2),
            ("q_critical", critical),
            ("level", asked.level),
        ),
    )


@method(
    question="Which share of the variance of the values lies between the groups?",
    takes="groups",
    gives="estimate",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("values are independent", "groups are near normal", "groups have one variance"),
    reference="steiger2004",
    requirement="T16",
    same_as="R: MBESS::ci.pvaf({statistic}, {df1}, {df2}, {n}, conf.level = 2 * {level} - 1)",
    formula="eta_squared = ss_between / (ss_between + ss_within)",
)
def eta_squared(groups: GroupsLike, *, unit: Unit = "fold", level: float = 0.95) -> Estimate:
    """Eta squared, the share in the sample; biased upwards, more so with few values per group."""
    return _effect("eta_squared", groups, unit, level)


@method(
    question="Which share of the variance lies between the groups, corrected for chance?",
    takes="groups",
    gives="estimate",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("values are independent", "groups are near normal", "groups have one variance"),
    reference="hays1963",
    requirement="T16",
    formula="omega_squared = (ss_between - df1 mean_square) / (ss_between + ss_within + mean_square), "
    "mean_square = ss_within / df2",
    exempt={"contains": "omega squared is negative where F < 1; the interval stops at zero"},
)
def omega_squared(groups: GroupsLike, *, unit: Unit = "fold", level: float = 0.95) -> Estimate:
    """Omega squared, an almost unbiased estimate of the share between the groups."""
    return _effect("omega_squared", groups, unit, level)


@method(
    question="Which share of the variance lies between the groups, adjusted as R² is?",
    takes="groups",
    gives="estimate",
    unit=("item", "fold", "seed", "dataset"),
    assumes=("values are independent", "groups are near normal", "groups have one variance"),
    reference="kelley1935",
    requirement="T16",
    formula="epsilon_squared = (ss_between - df1 mean_square) / (ss_between + ss_within), "
    "mean_square = ss_within / df2",
    exempt={"contains": "epsilon squared is negative where F < 1; the interval stops at zero"},
)
def epsilon_squared(groups: GroupsLike, *, unit: Unit = "fold", level: float = 0.95) -> Estimate:
    """Epsilon squared, the adjusted R² of the groups."""
    return _effect("epsilon_squared", groups, unit, level)


def groups_of(groups: GroupsLike, *, at_least: int = 1) -> dict[str, FloatArray]:
    """Two or more named groups; those of a list are model 1, model 2 and so on."""
    one = isinstance(groups, str | bytes) or getattr(groups, "shape", None) == ()
    if one or not isinstance(groups, Iterable):
        raise EvidenceError(f"groups are a list of lists of numbers, or a mapping; got {groups!r}")
    named = (
        groups.items()
        if isinstance(groups, Mapping)
        else ((f"model {place}", values) for place, values in enumerate(groups, 1))
    )
    found = {
        str(name): as_values(values, f"the group {name}", at_least=at_least)
        for name, values in named
    }
    if len(found) < 2:
        raise EvidenceError(
            f"two groups or more are needed; got {len(found)}. For one group against a level use fold_t"
        )
    return found


def _flat(what: str = "the values of each group") -> Note:
    """No F without spread."""
    remedy = "look at more decimals, or at the items"
    return note("zero-variance", what=what, method="an F test", remedy=remedy)


def _f_test(
    asked: MethodQuestion,
    f: float,
    df1: float,
    df2: float,
    eta: float | None,
    n: int,
    notes: tuple[Note, ...],
    *,
    epsilon: float = 1.0,
    cells: int | None = None,
) -> TestOutcome:
    """An F test and the interval of (partial) eta squared that inverts it.

    lambda = N eta² / (1 - eta²), N the number of values; degrees of freedom times epsilon make
    lambda epsilon times as large (Muller and Barton 1989).
    """
    bounds = noncentrality_bounds(f, epsilon * df1, epsilon * df2, asked.level)
    low, high = (bound / (bound + epsilon * (cells or n)) for bound in bounds)
    interval = Interval(
        low=low, high=1.0, level=asked.level, method="noncentral-f", alternative="greater"
    )
    return asked.outcome(
        f,
        _f_tail(f, df1, df2, epsilon),
        asked.estimate("eta_squared", eta, n, interval),
        notes=notes,
        details=(("df1", df1), ("df2", df2), ("eta_squared_upper", high)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Sums of squares between and within groups; ``flat`` where nothing varies within."""

    between: float
    within: float
    df1: int
    df2: int
    flat: bool

    @property
    def n(self) -> int:
        return self.df1 + self.df2 + 1

    @property
    def total(self) -> float:
        return self.between + self.within

    @property
    def mean_square(self) -> float:
        return self.within / self.df2

    @property
    def details(self) -> Details:
        return (("ss_between", self.between), ("ss_within", self.within))

    @property
    def sizes(self) -> Details:
        """Three ways to say which share of the variance lies between the groups."""
        beyond_chance = self.between - self.df1 * self.mean_square
        return (
            ("eta_squared", self.between / self.total),
            ("omega_squared", beyond_chance / (self.total + self.mean_square)),
            ("epsilon_squared", beyond_chance / self.total),
        )


def partition_of(groups: dict[str, FloatArray], *, scale: float | None = None) -> Partition:
    """The sums of squares; ``scale`` is the size of the scores, by default the largest value."""
    arrays = list(groups.values())
    everything = np.concatenate(arrays)
    df1, df2 = len(arrays) - 1, everything.size - len(arrays)
    if df2 < 1:
        raise NotApplicable(
            "every group has one value, so nothing shows their spread; give at least one group two"
        )
    centre = everything.mean()
    tie = TIE * (float(np.abs(everything).max()) if scale is None else scale)
    means = [float((values - centre).mean()) for values in arrays]
    within = [values - centre - mean for values, mean in zip(arrays, means, strict=True)]
    apart = float(np.ptp(means)) > tie
    flat = all(float(np.abs(rest).max()) <= tie for rest in within)
    squares = sum(values.size * mean**2 for values, mean in zip(arrays, means, strict=True))
    return Partition(
        between=float(squares) if apart else 0.0,
        within=0.0 if flat else float(sum((rest**2).sum() for rest in within)),
        df1=df1,
        df2=df2,
        flat=flat,
    )


def _welch(arrays: list[FloatArray]) -> tuple[float, int, float]:
    """Welch 1951: weights n / s², and the correction for their being estimated."""
    k = len(arrays)
    sizes = np.array([values.size for values in arrays], dtype=np.float64)
    means = np.array([values.mean() for values in arrays])
    weights = sizes / np.array([values.var(ddof=1) for values in arrays])
    total = weights.sum()
    between = float((weights * (means - (weights @ means) / total) ** 2).sum())
    uneven = float(((1.0 - weights / total) ** 2 / (sizes - 1.0)).sum())
    f = between / (k - 1) / (1.0 + 2.0 * (k - 2) / (k * k - 1.0) * uneven)
    return f, k - 1, (k * k - 1.0) / (3.0 * uneven)


def _two_way(table: FloatArray) -> tuple[dict[str, float], bool]:
    """Sums of squares of models, blocks and rest, and whether the rest is zero."""
    n, k = table.shape
    centred = table - table.mean()
    rows, columns = centred.mean(axis=1, keepdims=True), centred.mean(axis=0, keepdims=True)
    rest = centred - rows - columns
    flat = float(np.abs(rest).max()) <= TIE * float(np.abs(table).max())
    sums = {
        "ss_models": n * float((columns**2).sum()),
        "ss_blocks": k * float((rows**2).sum()),
        "ss_error": 0.0 if flat else float((rest**2).sum()),
    }
    return sums, flat


def _tukey_pair(
    a: FloatArray, b: FloatArray, parts: Partition, k: int, critical: float, asked: MethodQuestion
) -> TestOutcome:
    difference = float(a.mean() - b.mean())
    if parts.flat:
        return asked.unanswered(asked.estimate("mean_difference", difference, parts.n), _flat())
    standard_error = float(np.sqrt(parts.mean_square * (1.0 / a.size + 1.0 / b.size) / 2.0))
    q = abs(difference) / standard_error
    interval = asked.around(difference, critical * standard_error)
    effect = asked.estimate("mean_difference", difference, parts.n, interval)
    return asked.outcome(q, float(range_sf(q, k, parts.df2)), effect)


def _effect(name: str, groups: GroupsLike, unit: Unit, level: float) -> Estimate:
    """One of the three shares, with the interval of the share in the population."""
    outcome = oneway_anova(groups, unit=unit, level=level)
    details = dict(outcome.details)
    value = details.get(name, outcome.effect.value)
    notes = outcome.notes
    if isinstance(value, float) and value < 0.0:
        notes = (*notes, note("negative-estimate", measure=name))
    return replace(
        outcome.effect,
        measure=name,
        method=name,
        value=value if isinstance(value, float) else None,
        notes=notes,
        details=(("statistic", outcome.statistic), *outcome.details),
    )


def _f_tail(f: float, df1: float, df2: float, epsilon: float) -> float:
    return float(fdtrc(epsilon * df1, epsilon * df2, f))


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0.0 else None


def is_flat(values: FloatArray) -> bool:
    """Whether values do not vary beyond rounding."""
    return float(np.ptp(values)) <= TIE * float(np.abs(values).max())


def _shared_blocks(
    groups: dict[str, FloatArray], unit: Unit, called: str, instead: str
) -> tuple[Note, ...]:
    """Folds and data sets serve all models alike where every group has one value of each."""
    sizes = {values.size for values in groups.values()}
    notes = []
    if unit in ("fold", "dataset") and len(sizes) == 1:
        notes.append(note("ignores-blocks", method=called, instead=instead))
    if unit == "fold":
        notes.append(note("folds-overlap", folds=max(sizes)))
    return tuple(notes)
