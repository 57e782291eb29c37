"""Worlds small enough to list: every outcome with its probability, no Monte-Carlo error."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from assay.hypotheses.independent_outcomes import EXCEEDED, SMALL_EXPECTED
from assay.hypotheses.one_model import COARSE
from assay.hypotheses.paired_outcomes import WIDE
from assay.kernels.attained_level import pooled_level, small_p_size
from assay.kernels.binomial import (
    agresti_coull_limits,
    binomial_small_p,
    clopper_pearson_limits,
    jeffreys_limits,
    mid_p_limits,
    small_p_interval,
    wald_limits,
    wilson_cc_limits,
    wilson_limits,
)
from assay.kernels.differences import (
    FourCounts,
    TwoRates,
    agresti_caffo_limits,
    agresti_min_limits,
    bonett_price_limits,
    newcombe_limits,
    newcombe_paired_limits,
    score_limits,
    tango_limits,
    wald_difference_limits,
    wald_paired_limits,
)
from assay.kernels.special import ndtr
from assay.kernels.tails import normal_reach, tail_of
from calibration.designs.attainable_size import conditional_reach as conditional_reach
from calibration.designs.attainable_size import (
    outcomes,
    paired_reach,
    two_rates_reach,
    two_tailed_reach,
)
from calibration.designs.cells import (
    ALPHAS,
    BoolArray,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    count_interval,
    noted_at,
    tally,
)

RATE = Table(
    procedure="proportion", answers="evaluate", world="proportion", measure="error_rate",
    unit="item", parameters=("p", "n"),
)  # fmt: skip
BINOMIAL = Table(
    procedure="binomial", answers="compare", world="proportion", measure="error_rate",
    unit="item", parameters=("p", "n"),
)  # fmt: skip
MCNEMAR = Table(
    procedure="mcnemar", answers="compare", world="paired_labels", measure="accuracy",
    unit="item", parameters=("discordant", "n"),
)  # fmt: skip
TWO_RATES = Table(
    procedure="two_proportions_z", answers="compare", world="independent_labels",
    measure="accuracy", unit="item", parameters=("p", "n_a", "n_b"),
)  # fmt: skip

SPLIT = 0.75
"""Under the alternative one model wins this share of the disagreements."""
BOTH_RIGHT = 0.8
"""Of the items on which two models agree this share is right (only Newcombe's interval asks)."""
ODDS = 2.0
"""Under the alternative the odds of an error are so many times as large for B."""


def exact_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per cell of the three worlds of counts."""
    rates, pairs, apart = (
        worlds["proportion"],
        worlds["paired_labels"],
        worlds["independent_labels"],
    )
    listed: list[tuple[str, str, Callable[[], list[Found]]]] = [
        (f"proportion p={p:g} n={n}", "proportion", partial(one_rate, p, n))
        for p, n in product(rates["p"], rates["n"])
    ]
    listed += [
        (
            f"paired_labels discordant={share:g} n={n}",
            "paired_labels",
            partial(paired_labels, share, n),
        )
        for share, n in product(pairs["discordant"], pairs["n"])
    ]
    listed += [
        (
            f"independent_labels p={p:g} n={n_a},{n_b}",
            "independent_labels",
            partial(two_rates, p, n_a, n_b),
        )
        for p, (n_a, n_b) in product(apart["p"], apart["sizes"])
    ]
    return [
        Job(name=name, world=world, run=partial(_listed, run), batch=0, goal=0)
        for name, world, run in listed
    ]


def _listed(run: Callable[[], list[Found]], _rng: np.random.Generator, _n: int) -> list[Found]:
    """What needs no random numbers, called like what does."""
    return run()


def one_rate(p: float, n: int) -> list[Found]:
    """The default interval of an error rate, and the binomial test of the rate itself."""
    errors, chance = outcomes(n, p)
    counts: dict[str, float] = {}
    sums: dict[str, float] = {}
    tested: dict[str, float] = {}
    widths: dict[str, float] = {}
    p_values = binomial_small_p(errors, n, p)
    facts = {"minority": n * min(p, 1.0 - p)}
    reach = {}
    for alpha in ALPHAS:
        level, tail = 1.0 - alpha, tail_of(1.0 - alpha, "two-sided")
        z = normal_reach(level, "two-sided")
        add = partial(count_interval, counts, sums, truth=p, alpha=alpha, weights=chance)
        add(mid_p_limits(errors, n, tail, guarded=True))
        add(wald_limits(errors, n, z), method="/wald")
        add(wilson_limits(errors, n, z), method="/wilson")
        add(wilson_cc_limits(errors, n, z), method="/wilson_cc")
        add(clopper_pearson_limits(errors, n, tail), method="/clopper_pearson")
        add(mid_p_limits(errors, n, tail), method="/mid_p")
        add(jeffreys_limits(errors, n, tail), method="/jeffreys")
        add(agresti_coull_limits(errors, n, z), method="/agresti_coull")
        sterne = small_p_interval(errors, n, level)
        add(sterne, method="/small_p")
        tested[at_alpha("level", alpha)] = tally(p_values <= alpha, chance)
        count_interval(tested, widths, sterne, p, alpha, weights=chance)
        reach[at_alpha("reachable", alpha)] = two_tailed_reach(n, p, alpha)
        tested[noted_at(alpha)] = float(_is_coarse(n, p, alpha))
    counts["noted"] = tally(np.minimum(errors, n - errors) < 10, chance)
    of_test = {**facts, **reach}
    return [
        Found(table=RATE, at=(p, n), replicates=None, counts=counts, sums=sums, facts=facts),
        Found(table=BINOMIAL, at=(p, n), replicates=None, counts=tested, sums=widths, facts=of_test),
    ]  # fmt: skip


def paired_labels(share: float, n: int) -> list[Found]:
    """McNemar's score test and Tango's interval: the trinomial of A only, B only and agreement."""
    counts: dict[str, float] = {}
    sums: dict[str, float] = {}
    reach: dict[str, float] = {}
    for split, where in ((0.5, ""), (SPLIT, "_apart")):
        cells, chance = _paired_tables(n, share, split)
        p_values = mcnemar_p_values(cells)
        difference = share * (2.0 * split - 1.0)
        for alpha in ALPHAS:
            kind = "level" if not where else "power"
            counts[at_alpha(kind, alpha)] = tally(p_values <= alpha, chance)
            z = normal_reach(1.0 - alpha, "two-sided")
            add = partial(
                count_interval, counts, sums, truth=difference, alpha=alpha, weights=chance,
                where=where,
            )  # fmt: skip
            add(tango_limits(cells, z))
            others = {
                "wald": wald_paired_limits,
                "newcombe": newcombe_paired_limits,
                "agresti_min": agresti_min_limits,
                "bonett_price": bonett_price_limits,
            }
            for name, limits in others.items():
                add(limits(cells, z), method=f"/{name}")
            if not where:
                reach[at_alpha("reachable", alpha)] = paired_reach(n, share, alpha)
                wide = np.ptp(tango_limits(cells, z), axis=0) > WIDE * np.ptp(
                    agresti_min_limits(cells, z), axis=0
                )
                differ = cells.only_a + cells.only_b > 0
                counts[noted_at(alpha)] = tally(wide | ~differ, chance)
    facts = {"minority": n * share, **reach}
    return [
        Found(table=MCNEMAR, at=(share, n), replicates=None, counts=counts, sums=sums, facts=facts)
    ]


def mcnemar_p_values(cells: FourCounts) -> FloatArray:
    """McNemar's score test of many tables; without disagreement p is 1."""
    lead, discordant = cells.only_a - cells.only_b, cells.only_a + cells.only_b
    return np.asarray(2.0 * ndtr(-np.abs(lead) / np.sqrt(np.maximum(discordant, 1.0))))


def two_rates(p: float, n_a: int, n_b: int) -> list[Found]:
    """The pooled z and the score interval of two independent proportions."""
    counts: dict[str, float] = {}
    sums: dict[str, float] = {}
    facts = {"minority": min(n_a, n_b) * min(p, 1.0 - p)}
    higher = ODDS * p / (1.0 - p + ODDS * p)
    for p_b, where in ((p, ""), (higher, "_apart")):
        rates, chance = _two_counts(n_a, p, n_b, p_b)
        p_values = pooled_p_values(rates)
        for alpha in ALPHAS:
            kind = "level" if not where else "power"
            counts[at_alpha(kind, alpha)] = tally(p_values <= alpha, chance)
            z = normal_reach(1.0 - alpha, "two-sided")
            add = partial(
                count_interval, counts, sums, truth=p - p_b, alpha=alpha, weights=chance,
                where=where,
            )  # fmt: skip
            add(score_limits(rates, z))
            add(score_limits(rates, z, inflated=True), method="/miettinen_nurminen")
            add(newcombe_limits(rates, z), method="/newcombe")
            add(agresti_caffo_limits(rates, z), method="/agresti_caffo")
            add(wald_difference_limits(rates, z), method="/wald")
            if not where:
                counts[noted_at(alpha)] = tally(_is_noted(rates, alpha), chance)
    for alpha in ALPHAS:
        facts[at_alpha("reachable", alpha)] = two_rates_reach(n_a, n_b, p, alpha)
    return [
        Found(
            table=TWO_RATES, at=(p, n_a, n_b), replicates=None, counts=counts, sums=sums,
            facts=facts,
        )
    ]  # fmt: skip


def pooled_p_values(rates: TwoRates) -> FloatArray:
    """The pooled z of many pairs of counts; 1 where neither rate varies (no test, no rejection)."""
    pooled = (rates.errors_a + rates.errors_b) / (rates.n_a + rates.n_b)
    error = np.sqrt(pooled * (1.0 - pooled) * (1.0 / rates.n_a + 1.0 / rates.n_b))
    z = np.abs(rates.difference) / np.where(error > 0.0, error, 1.0)
    return np.asarray(np.where(error > 0.0, 2.0 * ndtr(-z), 1.0))


def _is_coarse(n: int, p: float, alpha: float) -> bool:
    """Whether the binomial test has the note coarse-counts."""
    size = small_p_size(n, p, alpha)
    return size is not None and size < COARSE * alpha


def _is_noted(rates: TwoRates, alpha: float) -> BoolArray:
    """Where the test of two rates has the note small-expected or level-exceeded."""
    n_a, n_b = int(rates.n_a[0]), int(rates.n_b[0])
    errors = rates.errors_a + rates.errors_b
    pooled = errors / (n_a + n_b)
    noted = min(n_a, n_b) * np.minimum(pooled, 1.0 - pooled) < SMALL_EXPECTED
    for total in np.unique(errors).tolist():
        size = pooled_level(n_a, n_b, total / (n_a + n_b), alpha)
        if size is not None and size > EXCEEDED * alpha:
            noted |= errors == total
    return np.asarray(noted)


def _paired_tables(n: int, share: float, split: float) -> tuple[FourCounts, FloatArray]:
    rows, chances = [], []
    for discordant, chance in zip(*outcomes(n, share), strict=True):
        only_a, given = outcomes(int(discordant), split)
        rows.append(np.stack([only_a, discordant - only_a]))
        chances.append(chance * given)
    only_a, only_b = np.concatenate(rows, axis=1)
    agreed = n - only_a - only_b
    right = np.round(BOTH_RIGHT * agreed)
    return FourCounts(right, only_a, only_b, agreed - right), np.concatenate(chances)


def _two_counts(n_a: int, p_a: float, n_b: int, p_b: float) -> tuple[TwoRates, FloatArray]:
    (a, chance_a), (b, chance_b) = outcomes(n_a, p_a), outcomes(n_b, p_b)
    errors_a, errors_b = (grid.ravel() for grid in np.meshgrid(a, b, indexing="ij"))
    sizes = np.full_like(errors_a, n_a), np.full_like(errors_b, n_b)
    return TwoRates(errors_a, sizes[0], errors_b, sizes[1]), np.outer(chance_a, chance_b).ravel()
