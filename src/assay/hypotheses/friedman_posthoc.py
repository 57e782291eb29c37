"""Which models differ after ranking them within data sets: all pairs, or each against a control."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import as_floats, check_choice, check_count, check_level, check_size
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import FamilyOutcome
from assay.core.vocabulary import DIRECTIONS, UNIT_PLURAL, UNITS, Direction, Unit
from assay.evidence.blocks import Blocks, as_blocks
from assay.hypotheses import least_p
from assay.hypotheses.many_models import aligned_ranks, block_weights
from assay.hypotheses.omnibus_answers import shared_training
from assay.hypotheses.pair_families import (
    FamilyAdjustment,
    FamilyQuestion,
    adjusted_family,
    adjusted_p_values,
    build_family,
    check_adjustment,
    pair_indices,
    pair_levels,
    range_family,
    undefined_family,
)
from assay.hypotheses.signed_ranks import pair_notes
from assay.kernels.counted_pairs import counted_pairs
from assay.kernels.decimals import EQUALITIES, Equality
from assay.kernels.signed_rank_pairs import RankedPairs, pair_ranks
from assay.kernels.special import ndtri
from assay.kernels.studentized_range import range_isf, range_sf
from assay.kernels.tails import alpha_of, normal_p

_SINGLE_STEP = ("single-step", "single-step-inf")
_SMALLEST_TIMES_ALL = ("bonferroni", "holm", "shaffer", "bergmann_hommel")
"""Adjustments that multiply the smallest p-value by the number of pairs."""
Control = str | int | None


@method(
    question="Which pairs of models differ in mean rank over data sets?",
    takes="blocks",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "mean ranks are near normal"),
    reference="nemenyi1963 demsar2006",
    requirement="T10",
    same_as="R: PMCMRplus::frdAllPairsNemenyiTest({blocks})",
    formula="q = sqrt(2) · |rank_a - rank_b| / sqrt(k (k + 1) / (6 n))",
    name="Nemenyi",
)
def nemenyi(
    blocks: Any,
    *,
    direction: Direction = "higher",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Nemenyi's test of all pairs: mean ranks that lie further apart than the critical difference.

    Rank 1 is the best, so a negative difference of mean ranks favours the first model. The
    p-values come from the studentized range and hold for the whole family.
    """
    table, question = _question("nemenyi", blocks, direction, unit, level)
    ranks = table.ranks(direction).mean(axis=0)
    return _nemenyi(question, ranks, table.n)


@method(
    question="Which pairs of models differ, if only their mean ranks are known?",
    takes="ranks",
    gives="family",
    unit="dataset",
    assumes=("data sets are independent", "mean ranks are near normal"),
    reference="nemenyi1963 demsar2006",
    requirement="E10",
    formula="q = sqrt(2) · |rank_a - rank_b| / sqrt(k (k + 1) / (6 n))",
    name="Nemenyi from ranks",
    title="Nemenyi's test from mean ranks",
    caption="Nemenyi",
)
def nemenyi_from_ranks(
    mean_ranks: Mapping[str, float] | Sequence[float], n_datasets: int, *, level: float = 0.95
) -> FamilyOutcome:
    """Nemenyi's test from published mean ranks and the number of data sets."""
    models, ranks = _mean_ranks(mean_ranks)
    n = check_count(n_datasets, "n_datasets", at_least=1)
    question = FamilyQuestion(
        method="nemenyi_from_ranks",
        models=models,
        measure="mean_rank",
        n=n,
        unit="dataset",
        level=check_level(level),
    )
    due = len(models) * (len(models) + 1) / 2
    total = float(ranks.sum())
    if abs(total - due) > 0.005 * len(models):  # beyond what two printed decimals explain
        question = question.noting(note("ranks-do-not-sum", k=len(models), total=total, due=due))
    return _nemenyi(question, ranks, n)


def critical_difference(
    k: int,
    n_datasets: int,
    *,
    level: float = 0.95,
    kind: Literal["nemenyi", "bonferroni-dunn"] = "nemenyi",
) -> float:
    """The distance of mean ranks from which on two of k models (or one and the control) differ."""
    models = check_count(k, "k", at_least=2)
    n = check_count(n_datasets, "n_datasets", at_least=1)
    alpha = alpha_of(check_level(level))
    check_choice(kind, ("nemenyi", "bonferroni-dunn"), "kind")
    if kind == "nemenyi":
        quantile = range_isf(alpha, models) / np.sqrt(2)
    else:
        quantile = -float(ndtri(alpha / (2 * (models - 1))))
    return float(quantile * rank_error(models, n))


@method(
    question="Which models differ in mean rank from a control named beforehand?",
    takes="blocks",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=(
        "blocks are independent",
        "mean ranks are near normal",
        "the control was named before",
    ),
    reference="dunn1961 demsar2006",
    requirement="T14",
    formula="z = (rank_a - rank_control) / sqrt(k (k + 1) / (6 n))",
    name="Bonferroni-Dunn",
    caption="Bonferroni-Dunn",
)
def bonferroni_dunn(
    blocks: Any,
    *,
    control: Control = None,
    direction: Direction = "higher",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Every model against a control (by default the first), with Bonferroni's correction.

    The outcomes are model minus control; a negative difference of mean ranks favours the model.
    """
    table, question = _question("bonferroni_dunn", blocks, direction, unit, level)
    chosen = table.models[0] if control is None else control
    return _by_ranks(question, table, direction, chosen, "bonferroni")


@method(
    question="Which models differ in mean rank over data sets, by a stepwise procedure?",
    takes="blocks",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "mean ranks are near normal"),
    reference="demsar2006 garcia2008",
    requirement="T10",
    same_as="R: scmamp::friedmanPost({blocks})  # then p.adjust",
    formula="z = (rank_a - rank_b) / sqrt(k (k + 1) / (6 n))",
    name="Friedman posthoc",
    title="z tests of mean ranks",
    caption="z tests of mean ranks",
)
def friedman_posthoc(
    blocks: Any,
    *,
    control: Control = None,
    adjustment: FamilyAdjustment = "holm",
    direction: Direction = "higher",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Z tests of mean ranks with adjusted p-values: all pairs, or every model against a control.

    The interval beside a p-value is at the level at which the procedure tests that pair, so it
    excludes zero exactly when the adjusted p-value is at most alpha.
    """
    table, question = _question("friedman_posthoc", blocks, direction, unit, level)
    return _by_ranks(question, table, direction, control, adjustment)


@method(
    question="Which pairs of models differ in mean rank, by Conover's t statistic?",
    takes="blocks",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "mean ranks are near normal"),
    reference="Conover WJ (1999). Practical Nonparametric Statistics, 3rd edition. Wiley.",
    requirement="T10",
    same_as="R: PMCMRplus::frdAllPairsConoverTest({blocks})",
    formula="t = difference / sqrt(2 (sum rank² - n sum mean rank²) / (n (n - 1) (k - 1))), "
    "difference = rank_a - rank_b",
    name="Conover Friedman",
    title="Conover's tests of mean ranks",
    caption="Conover",
)
def conover_friedman(
    blocks: Any,
    *,
    adjustment: FamilyAdjustment | Literal["single-step", "single-step-inf"] = "holm",
    direction: Direction = "higher",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Conover's t tests of all pairs after Friedman, with (n - 1)(k - 1) degrees of freedom.

    "single-step" takes the studentized range with these degrees of freedom, "single-step-inf" with
    infinitely many, as PMCMRplus does (up to ten times smaller p-values in tiny tables).
    """
    table, question = _question("conover_friedman", blocks, direction, unit, level)
    ranks = table.ranks(direction)
    means = ranks.mean(axis=0)
    df = (table.n - 1) * (table.k - 1)
    first, second = pair_indices(table.models, None)
    left = float((ranks**2).sum() - table.n * (means**2).sum())
    question = question.knowing(df=df)
    if df == 0 or left <= 1e-9 * table.n:
        return undefined_family(question, means[first] - means[second], first, second)
    error = np.sqrt(2 * left / (table.n * df))
    errors = np.full(first.size, error)
    if adjustment in _SINGLE_STEP:
        question = question.named(adjustment)
        freedom = df if adjustment == "single-step" else np.inf
        return range_family(question, means, errors, df=freedom)
    return adjusted_family(
        question, means[first] - means[second], errors, first, second, adjustment, df=df
    )


@method(
    question="Which models differ after Quade's test?",
    takes="blocks",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "differences are comparable between blocks"),
    reference="Conover WJ (1999). Practical Nonparametric Statistics, 3rd edition. Wiley.",
    requirement="T10",
    same_as='R: PMCMRplus::quadeAllPairsTest({blocks}, dist = "TDist")  # for z: scmamp::quadePost',
    formula="t = difference / standard_error, difference = rank_a - rank_b, ranks weighted by the rank of the "
    "block's range",
    name="Quade posthoc",
    title="Quade's post-hoc tests",
    caption="Quade",
)
def quade_posthoc(
    blocks: Any,
    *,
    control: Control = None,
    adjustment: FamilyAdjustment = "holm",
    variant: Literal["t", "z"] = "t",
    direction: Direction = "higher",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Differences of weighted mean ranks: all pairs, or every model against a control.

    ``variant``: "t" estimates the spread from the data (Conover), "z" takes the variance that
    untied ranks have under the hypothesis (Garcia et al. 2010).
    """
    table, question = _question("quade_posthoc", blocks, direction, unit, level)
    check_choice(variant, ("t", "z"), "variant")
    n, k = table.n, table.k
    weights = block_weights(table)
    weighted = weights[:, None] * (table.ranks(direction) - (k + 1) / 2)
    means = weighted.sum(axis=0) / weights.sum() + (k + 1) / 2
    first, second = pair_indices(table.models, control)
    differences = means[first] - means[second]
    if variant == "z":
        error = np.sqrt(k * (k + 1) * (2 * n + 1) * (k - 1) / (18 * n * (n + 1)))
        errors = np.full(first.size, error)
        return adjusted_family(question, differences, errors, first, second, adjustment)
    df = (n - 1) * (k - 1)
    question = question.knowing(df=df)
    left = float((weighted**2).sum() - (weighted.sum(axis=0) ** 2).sum() / n)
    if df == 0 or left <= 1e-9 * float(weights @ weights):
        return undefined_family(question, differences, first, second)
    errors = np.full(first.size, np.sqrt(2 * n * left / df) / weights.sum())
    return adjusted_family(question, differences, errors, first, second, adjustment, df=df)


@method(
    question="Which models differ after Friedman's test on aligned ranks?",
    takes="blocks",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "differences are comparable between blocks"),
    reference="García S, Fernández A, Luengo J, Herrera F (2010). Advanced nonparametric tests for "
    "multiple comparisons in the design of experiments. Information Sciences 180(10):2044–2064.",
    requirement="T10",
    same_as="R: scmamp::friedmanAlignedRanksPost({blocks})",
    formula="z = difference / sqrt(k (n k + 1) / 6), difference = rank_a - rank_b",
    caption="aligned ranks",
    title="z tests of aligned ranks",
)
def aligned_ranks_posthoc(
    blocks: Any,
    *,
    control: Control = None,
    adjustment: FamilyAdjustment = "holm",
    direction: Direction = "higher",
    ties: Equality = "rounded",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Differences of mean aligned ranks: all pairs, or every model against a control.

    The standard error is sqrt(k (n k + 1) / 6); Garcia et al. 2010 print n for n k, which is too
    small by a factor of about sqrt(k).
    """
    table, question = _question("aligned_ranks_posthoc", blocks, direction, unit, level)
    means = aligned_ranks(table, direction, ties).mean(axis=0)
    first, second = pair_indices(table.models, control)
    errors = np.full(first.size, np.sqrt(table.k * (table.n * table.k + 1) / 6))
    return adjusted_family(
        question, means[first] - means[second], errors, first, second, adjustment
    )


@method(
    question="Which pairs of models differ on the same data sets, each by its own test?",
    takes="blocks",
    gives="family",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "differences are symmetric about their centre"),
    reference="wilcoxon1945 holm1979 hodges1963",
    requirement="T10",
    same_as="R: exactRankTests::wilcox.exact(a, b, paired = TRUE)  # for every pair, then p.adjust",
    formula="W_plus = sum of the ranks of |a - b| over positive differences",
    name="Wilcoxon pairs",
    title="Wilcoxon signed-rank tests",
    interval="Hodges–Lehmann",
    least_p=least_p.signs,
    calibrated_by="units",
    pseudo_median=True,
    exact=True,
    caption="Wilcoxon signed rank, every pair",
)
def wilcoxon_pairs(
    blocks: Any,
    *,
    control: Control = None,
    adjustment: FamilyAdjustment = "holm",
    variant: Literal["auto", "exact", "normal"] = "auto",
    ties: Equality = "rounded",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> FamilyOutcome:
    """Wilcoxon's signed-rank test of all pairs (or against a control) with adjusted p-values.

    The effect is the Hodges-Lehmann difference A minus B in units of the score. Zeros are left
    out; p is exact, also with ties, unless that takes too long ("auto") or "normal" is asked for.
    The interval is at the level at which the procedure tests the pair. ``ties`` as in `wilcoxon`.
    """
    table, question = _question("wilcoxon_pairs", blocks, "higher", unit, level)
    first, second = pair_indices(table.models, control)
    chosen = check_adjustment(adjustment, first.size, table.k)
    exactly = check_choice(ties, EQUALITIES, "ties") == "exact"
    way = check_choice(variant, ("auto", "exact", "normal"), "variant")
    counted = None if way == "exact" else counted_pairs(table.values, first, second)
    found = counted or pair_ranks(table.values, first, second, exactly=exactly)
    question, p = _signed_p(question, found, way)
    if chosen in _SMALLEST_TIMES_ALL:
        least = min(first.size * 2.0 ** (1 - table.n), 1.0)
        question = question.noting(*_reach(question, least, f"{first.size} pairs"))
    levels, differs = pair_levels(p, chosen, alpha_of(question.level))
    both, question = (p, adjusted_p_values(p, chosen)), question.noting(*differs)
    return _signed_family(question, (first, second), found, both, levels, chosen)


def wilcoxon_pairs_at(
    blocks: Any, found: FamilyOutcome, levels: Sequence[float], *, control: Control = None
) -> FamilyOutcome:
    """`wilcoxon_pairs`, found before, without its adjustment and each pair at a level of its own."""
    effect = found.outcomes[0].effect
    table, question = _question("wilcoxon_pairs", blocks, "higher", effect.unit, 0.95)
    pairs = pair_indices(table.models, control)
    ranks = counted_pairs(table.values, *pairs) or pair_ranks(table.values, *pairs)
    p = np.array([dict(one.details)["p_unadjusted"] for one in found.outcomes], np.float64)
    question = replace(question, measure=effect.measure)
    return _signed_family(question, pairs, ranks, (p, p), 1.0 - np.array(levels), "none")


def _signed_p(
    question: FamilyQuestion, found: RankedPairs, variant: str
) -> tuple[FamilyQuestion, FloatArray]:
    exact = variant == "exact" or (variant == "auto" and found.exact_is_cheap())
    if variant == "auto" and not exact:
        question = question.noting(note("normal-used", n=question.n))
    question = replace(question.knowing(exact=exact), measure="pseudo_median")
    return question, found.exact_p() if exact else found.normal_p()


def _signed_family(
    question: FamilyQuestion,
    pairs: tuple[IntArray, IntArray],
    found: RankedPairs,
    p_values: tuple[FloatArray, FloatArray],
    levels: FloatArray,
    adjustment: str,
) -> FamilyOutcome:
    """Hodges-Lehmann differences with limits at each pair's level; p plain and adjusted."""
    (p, adjusted), (value, low, high) = p_values, found.shifts(p_values[0], levels)
    return build_family(
        question,
        pairs,
        (value, None, low, high),
        (found.plus, adjusted),
        adjustment,
        {
            "p_unadjusted": p, "p_normal": found.normal_p(),
            "n_nonzero": found.n_nonzero.astype(np.float64), "individual_level": 1 - levels,
        },
        pair_notes(found),
    )  # fmt: skip


def rank_error(k: int, n: int) -> float:
    """The standard error of a difference of two mean ranks of k models over n data sets."""
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def _question(
    name: str, blocks: Any, direction: str, unit: str, level: float
) -> tuple[Blocks, FamilyQuestion]:
    table = as_blocks(blocks)
    check_size(table.values, "the scores")
    check_choice(direction, DIRECTIONS, "direction")
    question = FamilyQuestion(
        method=name,
        models=table.models,
        measure="mean_rank",
        n=table.n,
        unit=check_choice(unit, UNITS, "unit"),
        level=check_level(level),
    )
    if table.k > 2 and name != "wilcoxon_pairs":
        question = question.noting(note("pool-dependent", others=table.k - 2))
    return table, question.noting(*shared_training(question.unit, table.n))


def _nemenyi(question: FamilyQuestion, ranks: FloatArray, n: int) -> FamilyOutcome:
    k = len(question.models)
    error = rank_error(k, n)
    critical = critical_difference(k, n, level=question.level)
    question = question.knowing(critical_difference=critical).ranked(ranks)
    least = float(range_sf(np.sqrt(2) * (k - 1) / error, k))
    question = question.noting(*_reach(question, least, "all pairs"))
    return range_family(question, ranks, np.full(k * (k - 1) // 2, error))


def _by_ranks(
    question: FamilyQuestion, table: Blocks, direction: Direction, control: Control, adjustment: str
) -> FamilyOutcome:
    means = table.ranks(direction).mean(axis=0)
    first, second = pair_indices(table.models, control)
    error = rank_error(table.k, table.n)
    question = question.ranked(means)
    if adjustment in _SMALLEST_TIMES_ALL:
        least = min(first.size * normal_p((table.k - 1) / error, "two-sided"), 1.0)
        question = question.noting(*_reach(question, least, f"{first.size} pairs"))
    errors = np.full(first.size, error)
    return adjusted_family(
        question, means[first] - means[second], errors, first, second, adjustment
    )


def _reach(question: FamilyQuestion, least: float, family: str) -> tuple[Note, ...]:
    alpha = alpha_of(question.level)
    if least <= alpha:
        return ()
    have = f"{question.n} {UNIT_PLURAL[question.unit]} and {family}"
    return (note("cannot-reach-alpha", have=have, least=least, alpha=alpha),)


def _mean_ranks(ranks: Mapping[str, float] | Sequence[float]) -> tuple[tuple[str, ...], FloatArray]:
    names: tuple[str, ...] = ()
    if isinstance(ranks, Mapping):
        names = tuple(map(str, ranks))
        ranks = list(ranks.values())
    array = as_floats(ranks, "mean ranks", meant="numbers, or a mapping of models to them")
    if array.ndim != 1 or array.size < 2 or not ((array >= 1) & (array <= array.size)).all():
        raise EvidenceError(
            f"mean ranks of k models lie between 1 (best) and k, two models or more; got {ranks!r}"
        )
    return names or tuple(f"model {place + 1}" for place in range(array.size)), array
