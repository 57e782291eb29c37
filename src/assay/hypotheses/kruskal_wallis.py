"""Independent groups of scores, by ranks: Kruskal-Wallis and the pairs after it."""

from collections.abc import Mapping

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_level
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, FamilyOutcome, Interval, TestOutcome
from assay.core.vocabulary import UNITS, Unit
from assay.hypotheses.anova import GroupsLike, groups_of
from assay.hypotheses.omnibus_answers import shared_training
from assay.hypotheses.pair_families import (
    FamilyAdjustment,
    FamilyQuestion,
    adjusted_family,
    pair_indices,
    range_family,
    undefined_family,
)
from assay.kernels.ranks import midranks, round_values, tie_term
from assay.kernels.special import chdtrc, chndtrinc
from assay.kernels.tails import alpha_of


@method(
    question="Do several independent groups of scores differ in location?",
    takes="groups",
    gives="test",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("values are independent", "groups have distributions of one shape"),
    reference="kruskal1952",
    requirement="T10",
    same_as="R: kruskal.test({groups})",
    formula="H = (N - 1) · sum n_i (mean rank_i - (N + 1) / 2)² / sum (rank - (N + 1) / 2)²",
    name="Kruskal-Wallis",
    title="Kruskal–Wallis test",
)
def kruskal_wallis(
    groups: GroupsLike, *, unit: Unit = "dataset", level: float = 0.95
) -> TestOutcome:
    """Kruskal and Wallis's test of independent groups, corrected for ties; ranks ascend.

    The effect is epsilon squared, H / (N - 1), with the one-sided interval [low, 1] that excludes
    zero exactly when the test rejects. It ignores that scores on one data set belong together.
    """
    found = _Ranked.of("kruskal_wallis", groups, unit, level)
    question, total, df = found.question, found.total, found.means.size - 1
    between = float((found.sizes * (found.means - (total + 1) / 2) ** 2).sum())
    uncorrected = 12 * between / (total * (total + 1))
    details: Details = (
        *(("df", df), ("n", total), ("k", df + 1), ("tie_correction", found.tie_correction)),
        ("H_uncorrected", uncorrected),
        *zip((f"mean rank: {name}" for name in question.models), found.means.tolist(), strict=True),
    )
    flat = found.tie_correction <= 0.0
    statistic = None if flat else uncorrected / found.tie_correction
    remedy = "all values are equal"
    why = note("zero-variance", what="the values", method="kruskal_wallis", remedy=remedy)
    return TestOutcome(
        method="kruskal_wallis",
        statistic=statistic,
        p_value=None if statistic is None else float(chdtrc(df, statistic)),
        effect=_epsilon(statistic, df, question),
        notes=(why, *question.notes) if flat else question.notes,
        details=details,
    )


@method(
    question="Which of several independent groups differ in mean rank?",
    takes="groups",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("values are independent", "groups have distributions of one shape"),
    reference="Dunn OJ (1964). Multiple comparisons using rank sums. Technometrics 6(3):241–252.",
    requirement="T10",
    same_as='R: PMCMRplus::kwAllPairsDunnTest({groups}, p.adjust.method = "holm")',
    formula="z = difference / sqrt((N (N + 1) / 12 - ties) (1 / n_a + 1 / n_b)), "
    "difference = rank_a - rank_b",
    name="Dunn",
)
def dunn(
    groups: GroupsLike,
    *,
    adjustment: FamilyAdjustment = "holm",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Dunn's z tests of all pairs after Kruskal-Wallis, corrected for ties; ranks ascend."""
    found = _Ranked.of("dunn", groups, unit, level)
    variance = found.variance
    if variance <= 0.0:
        return found.flat()
    errors = np.sqrt(variance) * found.scales
    return adjusted_family(
        found.question, found.differences, errors, found.first, found.second, adjustment
    )


@method(
    question="Which of several independent groups differ in mean rank, by Conover and Iman's t statistic?",
    takes="groups",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("values are independent", "groups have distributions of one shape"),
    reference="Conover WJ, Iman RL (1979). On multiple-comparisons procedures. Technical Report "
    "LA-7677-MS, Los Alamos Scientific Laboratory.",
    requirement="T10",
    same_as='R: PMCMRplus::kwAllPairsConoverTest({groups}, p.adjust.method = "holm")',
    formula="t = difference / sqrt(S² (N - 1 - H) / (N - k) (1 / n_a + 1 / n_b)), "
    "difference = rank_a - rank_b",
    name="Conover-Iman",
)
def conover_iman(
    groups: GroupsLike,
    *,
    adjustment: FamilyAdjustment = "holm",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Conover and Iman's t tests of all pairs after Kruskal-Wallis, with N - k degrees of freedom.

    Sharper than Dunn's because the spread is what the groups leave; read it only beside a
    significant Kruskal-Wallis test.
    """
    found = _Ranked.of("conover_iman", groups, unit, level)
    df = found.total - found.means.size
    question = found.question.knowing(df=df)
    within = found.within
    if df == 0 or within <= 1e-9 * found.total:
        return undefined_family(question, found.differences, found.first, found.second)
    errors = np.sqrt(within / df) * found.scales
    return adjusted_family(
        question, found.differences, errors, found.first, found.second, adjustment, df=df
    )


@method(
    question="Which pairs of several independent groups differ in mean rank (Nemenyi)?",
    takes="groups",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("values are independent", "groups have distributions of one shape"),
    reference="nemenyi1963",
    requirement="T10",
    same_as='R: PMCMRplus::kwAllPairsNemenyiTest({groups}, dist = "Tukey")',
    formula="q = sqrt(2) · |difference| / sqrt(N (N + 1) / 12 (1 / n_a + 1 / n_b)), "
    "difference = rank_a - rank_b",
    name="Nemenyi Kruskal",
    title="Nemenyi's test after Kruskal-Wallis",
)
def nemenyi_kruskal(
    groups: GroupsLike, *, unit: Unit = "dataset", level: float = 0.95
) -> FamilyOutcome:
    """Nemenyi's test of all pairs of independent groups; for data sets x models use nemenyi."""
    found = _Ranked.of("nemenyi_kruskal", groups, unit, level)
    errors = np.sqrt(found.total * (found.total + 1) / 12) * found.scales
    return range_family(found.question, found.means, errors)


class _Ranked:
    """Groups ranked together, and the differences of their mean ranks."""

    def __init__(self, question: FamilyQuestion, groups: Mapping[str, FloatArray]) -> None:
        ranks = midranks(round_values(np.concatenate(list(groups.values()))), exact=True)
        sizes = np.array([values.size for values in groups.values()])
        starts = np.cumsum(sizes) - sizes
        self.question = question
        self.total = ranks.size
        self.sizes = sizes
        self.tie_correction = 1 - tie_term(ranks) / max(self.total**3 - self.total, 1)
        self.means = np.add.reduceat(ranks, starts) / sizes
        self.first, self.second = pair_indices(question.models, None)
        self.differences = self.means[self.first] - self.means[self.second]
        self.scales = np.sqrt(1 / sizes[self.first] + 1 / sizes[self.second])
        self.variance = float(ranks.var(ddof=1))
        self.within = float((ranks**2).sum() - (sizes * self.means**2).sum())

    @classmethod
    def of(cls, name: str, groups: GroupsLike, unit: str, level: float) -> "_Ranked":
        found = groups_of(groups)
        checked = check_choice(unit, UNITS, "unit")
        question = FamilyQuestion(
            method=name,
            models=tuple(found),
            measure="mean_rank",
            n=sum(values.size for values in found.values()),
            unit=checked,
            level=check_level(level),
            notes=_ignores_blocks(found, checked),
        )
        return cls(question, found)

    def flat(self) -> FamilyOutcome:
        return undefined_family(self.question, self.differences, self.first, self.second)


def _ignores_blocks(groups: Mapping[str, FloatArray], unit: Unit) -> tuple[Note, ...]:
    sizes = {values.size for values in groups.values()}
    notes = shared_training(unit, max(sizes))
    if unit == "seed" or len(sizes) > 1:
        return notes
    return (note("ignores-blocks", method="Kruskal-Wallis", instead="friedman"), *notes)


def _epsilon(statistic: float | None, df: int, question: FamilyQuestion) -> Estimate:
    """H / (N - 1), bounded below by the noncentral chi-square that H would still exceed."""
    most, level = question.n - 1, question.level
    interval = None
    if statistic is not None:
        rejects = chdtrc(df, statistic) <= alpha_of(level)
        low = float(chndtrinc(statistic, df, level)) / most if rejects else 0.0
        interval = Interval(
            low=min(low, statistic / most, 1.0),
            high=1.0,
            level=level,
            method="noncentral chi-square",
            alternative="greater",
        )
    return Estimate(
        measure="rank_epsilon_squared",
        value=None if statistic is None else min(statistic / most, 1.0),
        interval=interval,
        method="kruskal_wallis",
        n=question.n,
        unit=question.unit,
    )
