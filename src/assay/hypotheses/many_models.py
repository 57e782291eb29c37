"""Many models at once: does any differ from the others? One answer, before or beside the pairs."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_size
from assay.core.errors import NotApplicable
from assay.core.methods import Law, method
from assay.core.results import Details, TestOutcome
from assay.core.vocabulary import DIRECTIONS, Direction, Unit
from assay.evidence.argument_checks import as_successes
from assay.evidence.blocks import Blocks, as_blocks, numbered
from assay.hypotheses.omnibus_answers import Omnibus
from assay.kernels.concordance import (
    agreement_p,
    chi_square,
    exact_tail,
    rows_agree,
)
from assay.kernels.decimals import EQUALITIES, Equality, deviations_in_order
from assay.kernels.ranks import midranks, round_ties
from assay.kernels.special import chdtrc, fdtrc

Ties = Literal["corrected", "demsar"]
_OWN_INTERVAL: Mapping[Law, str] = {
    "decides": "the effect is Kendall's W, whose bootstrap interval describes how far blocks agree "
    "and does not invert the test"
}
EXACT_BUDGET = 10_000_000
"""Rank sums formed before the exact distribution is given up: a few seconds."""
_CHEAP = 20_000
"""The same for the exact p-value that is shown beside the approximate one."""


@method(
    question="Are several models right equally often on the same items?",
    takes="successes",
    gives="test",
    unit="item",
    assumes=("items are independent", "all models saw the same items"),
    reference="cochran1950",
    requirement="T8",
    same_as="R: friedman.test({successes})",
    formula="Q = (k - 1) · sum(column - mean column)² / sum(row · (1 - row / k))",
    exempt=_OWN_INTERVAL,
    name="Cochran Q",
    title="Cochran's Q test",
)
def cochran_q(successes: Any, *, level: float = 0.95) -> TestOutcome:
    """Cochran's Q on a 0/1 matrix (1 is right), rows items and columns models.

    Items on which all models are right, or all wrong, say nothing. With two models Q is McNemar's
    statistic without continuity correction.
    """
    table = numbered(as_successes(successes))
    asked = Omnibus.of("cochran_q", table, "item", level)
    right = table.values @ np.ones(table.k)
    centred = table.values - right[:, None] / table.k
    varying = int(np.count_nonzero((right > 0) & (right < table.k)))
    statistic = chi_square(centred)
    details: Details = (
        *(("df", table.k - 1), ("n", table.n), ("k", table.k), ("informative", varying)),
        *_by_model("share right", table, table.values.mean(axis=0)),
    )
    if statistic is None:
        return asked.undefined(centred, details)
    least = float(chdtrc(table.k - 1, varying * (table.k - 1)))
    p_value = float(chdtrc(table.k - 1, statistic))
    return asked.answered(statistic, p_value, centred, details, asked.reach(least))


@method(
    question="Do several models differ, ranked within each data set (or fold)?",
    takes="blocks",
    gives="test",
    unit=("dataset", "fold", "seed", "item"),
    assumes=(
        "blocks are independent",
        "within a block every order of the models is equally likely",
    ),
    reference="friedman1937",
    requirement="T10",
    same_as="R: friedman.test({blocks})",
    formula="chi2 = (k - 1) · sum(rank sum - n (k + 1) / 2)² / sum(rank - (k + 1) / 2)²",
    exempt=_OWN_INTERVAL,
    name="Friedman",
    title="Friedman test",
    planned_by="dataset_friedman",
)
def friedman(
    blocks: Any,
    *,
    direction: Direction = "higher",
    ties: Ties = "corrected",
    variant: Literal["chi-square", "exact"] = "chi-square",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> TestOutcome:
    """Friedman's test: rows data sets, columns models; rank 1 is the best in its row.

    ``ties``: "corrected" as in R and SciPy, "demsar" as printed in Demšar 2006, which ignores them.
    ``variant``: the chi-square approximation, or the exact permutation distribution of small tables.
    """
    table, ranks, asked = _ranked("friedman", blocks, direction, unit, level)
    check_choice(variant, ("chi-square", "exact"), "variant")
    centred, corrected, chi2 = _friedman(ranks, ties)
    details: Details = (("chi2", chi2), ("df", table.k - 1))
    details = (*details, *_friedman_details(table, ranks, corrected))
    if chi2 is None:
        return asked.undefined(centred, details)
    p_chi2 = float(chdtrc(table.k - 1, chi2))
    p_exact = exact_tail(ranks, EXACT_BUDGET if variant == "exact" else _CHEAP)
    details = (*details, ("p_chi2", p_chi2), ("p_exact", p_exact))
    if variant == "exact":
        if p_exact is None:
            raise NotApplicable(
                f"the exact distribution for {table.n} blocks of {table.k} models is too large to "
                'go through; use variant="chi-square" or iman_davenport'
            )
        least = agreement_p(np.arange(table.k), table.n)
        return asked.answered(chi2, p_exact, centred, details, asked.reach(least))
    least = float(chdtrc(table.k - 1, table.n * (table.k - 1)))
    return asked.answered(chi2, p_chi2, centred, details, asked.reach(least))


@method(
    question="Do several models differ, ranked within each data set (F form of Friedman's test)?",
    takes="blocks",
    gives="test",
    unit=("dataset", "fold", "seed", "item"),
    assumes=(
        "blocks are independent",
        "within a block every order of the models is equally likely",
    ),
    reference="iman1980",
    requirement="T10",
    same_as="R: scmamp::imanDavenportTest({blocks})  # has no tie correction",
    formula="F = (n - 1) chi2 / (n (k - 1) - chi2)",
    exempt=_OWN_INTERVAL,
    name="Iman-Davenport",
    title="Friedman test (Iman–Davenport)",
)
def iman_davenport(
    blocks: Any,
    *,
    direction: Direction = "higher",
    ties: Ties = "corrected",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> TestOutcome:
    """Iman and Davenport's F of Friedman's chi-square, which keeps its level better.

    Where all blocks rank the models alike F is infinite; p is then the exact chance of that,
    (1 / k!)^(n - 1) without ties.
    """
    table, ranks, asked = _ranked("iman_davenport", blocks, direction, unit, level)
    centred, corrected, chi2 = _friedman(ranks, ties)
    df1, df2 = table.k - 1, (table.k - 1) * (table.n - 1)
    details: Details = (("chi2", chi2), ("df1", df1), ("df2", df2))
    details = (*details, *_friedman_details(table, ranks, corrected))
    if chi2 is None or table.n < 2:
        return asked.undefined(centred, details)
    untied = corrected == 1.0
    if rows_agree(centred) and (ties == "corrected" or untied):
        return asked.agreed(ranks[0], centred, details)
    f = (table.n - 1) * chi2 / (table.n * (table.k - 1) - chi2)
    p_value = float(fdtrc(df1, df2, f))
    least = agreement_p(np.arange(table.k), table.n)
    details = (*details, ("p_f", p_value))
    return asked.answered(float(f), p_value, centred, details, asked.reach(least))


@method(
    question="Do several models differ, with more weight on data sets where they differ more?",
    takes="blocks",
    gives="test",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "differences are comparable between blocks"),
    reference="Quade D (1979). Using weighted rankings in the analysis of complete blocks with "
    "additive block effects. Journal of the American Statistical Association 74(367):680–683.",
    requirement="T10",
    same_as="R: quade.test({blocks})",
    formula="F = (n - 1) b / (a - b)",
    exempt=_OWN_INTERVAL,
    name="Quade",
)
def quade(
    blocks: Any,
    *,
    direction: Direction = "higher",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> TestOutcome:
    """Quade's test: Friedman's ranks weighted by the rank of the block's range.

    ``a`` is the sum of squared weighted ranks, ``b`` that of the column sums divided by n. Where
    all weighted rows agree F is infinite and p the exact chance of that.
    """
    table, ranks, asked = _ranked("quade", blocks, direction, unit, level)
    centred = ranks - (table.k + 1) / 2
    weighted = block_weights(table)[:, None] * centred
    a, b = float((weighted**2).sum()), float((weighted.sum(axis=0) ** 2).sum() / table.n)
    df1, df2 = table.k - 1, (table.k - 1) * (table.n - 1)
    details: Details = (
        *(("a", a), ("b", b), ("df1", df1), ("df2", df2), ("n", table.n), ("k", table.k)),
        *_by_model("weighted rank sum", table, weighted.sum(axis=0)),
    )
    if a == 0.0 or table.n < 2:
        return asked.undefined(centred, details)
    if rows_agree(weighted):
        return asked.agreed(ranks[0], centred, details)
    f = (table.n - 1) * b / (a - b)
    return asked.answered(float(f), float(fdtrc(df1, df2, f)), centred, details)


@method(
    question="Do several models differ, ranked over all data sets after subtracting the mean of each?",
    takes="blocks",
    gives="test",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "differences are comparable between blocks"),
    reference="Hodges JL, Lehmann EL (1962). Rank methods for combination of independent "
    "experiments in analysis of variance. The Annals of Mathematical Statistics 33(2):482–497.",
    requirement="T10",
    same_as='R: scmamp::friedmanAlignedRanksTest({blocks})  # the variant "garcia"',
    formula="T = (k - 1) · (sum of squared column totals - k n² (k n + 1)² / 4) / "
    "(sum of squared ranks - sum of squared row totals / k)",
    exempt=_OWN_INTERVAL,
    name="Friedman aligned ranks",
    title="Friedman's aligned-ranks test",
)
def friedman_aligned_ranks(
    blocks: Any,
    *,
    direction: Direction = "higher",
    variant: Literal["exact-ties", "garcia"] = "exact-ties",
    ties: Equality = "rounded",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> TestOutcome:
    """Friedman's test on aligned ranks, which compares across blocks as well.

    ``variant``: "exact-ties" sums the squared ranks as they are, "garcia" takes the formula for
    untied ranks that Garcia et al. 2010 print. ``ties``: scores equal to 1e-10 of their scale are
    equal ("rounded"), or only where every printed digit is ("exact").
    """
    table, within, asked = _ranked("friedman_aligned_ranks", blocks, direction, unit, level)
    check_choice(variant, ("exact-ties", "garcia"), "variant")
    ranks = aligned_ranks(table, direction, ties)
    size = table.n * table.k
    squares = float((ranks**2).sum())
    if variant == "garcia":
        squares = size * (size + 1) * (2 * size + 1) / 6
    spread = squares - float((ranks.sum(axis=1) ** 2).sum()) / table.k
    totals = float((ranks.sum(axis=0) ** 2).sum()) - table.k * table.n**2 * (size + 1) ** 2 / 4
    details: Details = (
        *(("df", table.k - 1), ("n", table.n), ("k", table.k), ("variant", variant)),
        *_by_model("mean aligned rank", table, ranks.mean(axis=0)),
    )
    centred = within - (table.k + 1) / 2
    if not centred.any() or spread <= 0.0:  # one block so large that all others are equal beside it
        return asked.undefined(centred, details)
    statistic = max((table.k - 1) * totals / spread, 0.0)
    p_value = float(chdtrc(table.k - 1, statistic))
    return asked.answered(statistic, p_value, centred, details)


@method(
    question="Do several models differ, if some scores are missing?",
    takes="blocks",
    gives="test",
    unit=("dataset", "fold", "seed", "item"),
    assumes=("blocks are independent", "cells are missing for reasons unrelated to the scores"),
    reference="Skillings JH, Mack GA (1981). On the use of a Friedman-type statistic in balanced "
    "and unbalanced block designs. Technometrics 23(2):171–177.",
    requirement="T10",
    same_as="R: Skillings.Mack::Ski.Mack({blocks})  # without its correction for ties",
    formula="SM = A' C⁻ A, A the sums of sqrt(12 / (s + 1)) · (rank - (s + 1) / 2)",
    exempt=_OWN_INTERVAL,
    name="Skillings-Mack",
    title="Skillings–Mack test",
)
def skillings_mack(
    blocks: Any,
    *,
    direction: Direction = "higher",
    ties: Literal["corrected", "uncorrected"] = "corrected",
    unit: Unit = "dataset",
    level: float = 0.95,
) -> TestOutcome:
    """Friedman's test for tables with missing cells (None or NaN): Skillings and Mack.

    Models are ranked among those present in a block; blocks with fewer than two are left out.
    Without missing cells it is Friedman's test.
    """
    check_choice(ties, ("corrected", "uncorrected"), "ties")
    table = as_blocks(blocks, missing=True)
    check_size(table.values, "the scores")
    present = np.isfinite(table.values)
    used = present.sum(axis=1) >= 2
    kept = Blocks(models=table.models, values=table.values[used])
    asked = Omnibus.of("skillings_mack", kept, unit, level)
    centred, covariance = _skillings_mack(kept, direction, corrected=ties == "corrected")
    details: Details = (
        *(("df", table.k - 1), ("n", kept.n), ("k", table.k)),
        *(("missing", int((~present).sum())), ("blocks_left_out", int((~used).sum()))),
        *_by_model("adjusted rank sum", table, centred.sum(axis=0)),
    )
    if kept.n == 0 or not centred.any():
        return asked.undefined(centred, details)
    _check_linked(present[used], table.models)
    sums = centred.sum(axis=0)
    statistic = float(sums @ np.linalg.pinv(covariance, hermitian=True) @ sums)
    p_value = float(chdtrc(table.k - 1, statistic))
    return asked.answered(statistic, p_value, centred, details)


def block_weights(table: Blocks) -> FloatArray:
    """Quade's weights: the rank of each block by how far its scores lie apart."""
    ranges = np.ptp(table.values, axis=1)
    scale = float(np.abs(table.values).max())
    return midranks(round_ties(ranges, scale=scale), exact=True)


def aligned_ranks(table: Blocks, direction: Direction, ties: Equality = "rounded") -> FloatArray:
    """Ranks over the whole table of the scores minus their block's mean; 1 is the best."""
    aligned = table.badness(direction)
    if check_choice(ties, EQUALITIES, "ties") == "exact":
        return midranks(deviations_in_order(aligned).ravel(), exact=True).reshape(aligned.shape)
    aligned = aligned - aligned.mean(axis=1, keepdims=True)
    scale = float(np.abs(table.values).max())
    flat = round_ties(aligned.ravel(), scale=scale)
    return midranks(flat, exact=True).reshape(aligned.shape)


def _ranked(
    name: str, blocks: Any, direction: Direction, unit: str, level: float
) -> tuple[Blocks, FloatArray, Omnibus]:
    table = as_blocks(blocks)
    check_size(table.values, "the scores")
    check_choice(direction, DIRECTIONS, "direction")
    return table, table.ranks(direction), Omnibus.of(name, table, unit, level)


def _friedman(ranks: FloatArray, ties: str) -> tuple[FloatArray, float, float | None]:
    """Centred ranks, the tie correction (1 without ties) and chi-square."""
    check_choice(ties, get_args(Ties), "ties")
    n, k = ranks.shape
    centred = ranks - (k + 1) / 2
    correction = float((centred**2).sum()) / (n * k * (k * k - 1) / 12)
    chi2 = chi_square(centred)
    if chi2 is not None and ties == "demsar":
        chi2 *= correction
    return centred, correction, chi2


def _friedman_details(table: Blocks, ranks: FloatArray, correction: float) -> Details:
    counts: Details = (("n", table.n), ("k", table.k), ("tie_correction", correction))
    return (*counts, *_by_model("mean rank", table, ranks.mean(axis=0)))


def _by_model(what: str, table: Blocks, values: FloatArray) -> Details:
    return tuple(
        (f"{what}: {model}", value)
        for model, value in zip(table.models, values.tolist(), strict=True)
    )


def _skillings_mack(
    table: Blocks, direction: Direction, *, corrected: bool
) -> tuple[FloatArray, FloatArray]:
    """Weighted centred ranks, 0 where missing, and the covariance of their sums."""
    n, k = table.values.shape
    centred = np.zeros((n, k))
    covariance = np.zeros((k, k))
    for row, values in enumerate(table.badness(direction)):
        here = np.flatnonzero(np.isfinite(values))
        s = here.size
        scores = np.sqrt(12 / (s + 1)) * (midranks(values[here]) - (s + 1) / 2)
        centred[row, here] = scores
        # without ties sum(scores²) is s (s - 1), and the covariance of two models -1
        variance = float((scores**2).sum()) / (s - 1) if corrected else float(s)
        covariance[np.ix_(here, here)] += variance * (np.eye(s) - 1 / s)
    return centred, covariance


def _check_linked(present: Any, models: tuple[str, ...]) -> None:
    """Whether common blocks link every model with every other, directly or through others."""
    from scipy.sparse.csgraph import connected_components

    shared = present.T.astype(np.intp) @ present.astype(np.intp)
    _, groups = connected_components(shared > 0, directed=False)
    linked = groups == groups[0]
    if not linked.all():
        apart = ", ".join(np.array(models)[~linked].tolist())
        raise NotApplicable(
            f"no block links {apart} with {models[0]}: they cannot be compared; give scores of both "
            "on some block, or test the groups apart"
        )
