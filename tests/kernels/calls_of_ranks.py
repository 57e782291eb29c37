"""Calls of kernels of ranks, draws and the rest, at sizes between which they change their way."""

import math
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from assay.kernels import (
    adjustments,
    betting_wealth,
    bradley_terry,
    concordance,
    counted_pairs,
    effective_size,
    fast_multinomial,
    hierarchical_model,
    integer_sums,
    judge_correction,
    last_digits,
    markov_chains,
    merged_items,
    no_variation,
    noncentral,
    power_law,
    probability_of_superiority,
    rank_draws,
    rank_sets,
    rank_sums,
    ranks,
    rating_disagreement,
    resampled_bins,
    resampled_means,
    resampling,
    signed_rank_pairs,
    signed_ranks,
    skewness,
    sphericity,
    stochastic_order,
    studentized_range,
    tails,
    time_series,
    unseen_values,
    walsh_averages,
    winner_limits,
)
from assay.kernels.rank_test_inversion import corrected
from tests.kernels.calls_of_sums import SIDES, normal, rng, skewed, table, whole


def ranked() -> Iterator[Any]:
    for n, k in ((5, 3), (9, 2), (60, 5)):
        rows = ranks.midranks(table(n, k)) - (k + 1) / 2
        yield (
            f"concordance {n} {k}",
            lambda r=rows: [
                concordance.chi_square(r),
                concordance.kendall_w(r),
                concordance.kendall_w_limits(r, 0.9),
            ],
        )
    yield (
        "exact concordance",
        lambda: concordance.exact_tail(ranks.midranks(whole(15).reshape(5, 3)), 10**6),
    )
    for n, kind in product((9, 40, 130), (normal, whole)):
        a, b = kind(n), kind(n // 2 + 2, seed=2)
        sums = partial(rank_sums.RankSums.of, a, b)
        name = f"{n} {kind.__name__}"
        for side, correct in product(SIDES, (True, False)):
            yield (
                f"rank sums {name} {side} {correct}",
                lambda s=sums, side=side, c=correct: shifted(rank_sums, s(), side, c),
            )
        for zeros in ("drop", "pratt", "split"):
            found = partial(signed_ranks.SignedRanks.of, a, zeros)
            for side in SIDES:
                yield (
                    f"signed ranks {name} {zeros} {side}",
                    lambda f=found, side=side: shifted(signed_ranks, f(), side, True),
                )
    for side in SIDES:
        for n in (6, 14):
            yield (
                f"exact rank sums {side} {n}",
                lambda s=side, n=n: rank_sums.RankSums.of(whole(n), whole(n + 3, 5)).exact_p(s),
            )
            yield (
                f"exact signed ranks {side} {n}",
                lambda s=side, n=n: signed_ranks.SignedRanks.of(whole(n), "pratt").exact_p(s),
            )
        yield (
            f"corrected {side}",
            lambda s=side: [corrected(x, s, correct=True) for x in (-3.0, -0.2, 0.0, 0.3, 4)],
        )
    first, second = np.triu_indices(4, 1)
    for n, digits in product((8, 30, 70), (1, 12)):
        pairs = partial(signed_rank_pairs.pair_ranks, np.round(table(n, 4), digits), first, second)
        yield (
            f"pairs {n} {digits}",
            lambda p=pairs: [(r := p()).normal_p(), r.shifts(r.normal_p(), np.full(6, 0.1))],
        )
        yield f"exact pairs {n} {digits}", lambda p=pairs: p().exact_p()
    coarse = np.round(table(1500, 4), 1)
    yield (
        "counted pairs",
        lambda: (
            (p := counted_pairs.counted_pairs(coarse, first, second))
            and [p.totals, p.normal_p(), p.shifts(p.normal_p(), np.full(6, 0.05))]
        ),
    )
    yield "cdf", lambda: signed_rank_pairs.signed_rank_cdf(9)
    yield "ties", lambda: [ranks.tie_term(whole(40)), ranks.round_ties(whole(9) / 7.0)]
    yield (
        "sums",
        lambda: [
            integer_sums.subset_sum_cdf([1, 2, 2, 5, 7, 9], 8),
            integer_sums.choice_sum_tails([1, 2, 2, 5, 7, 9, 9, 4], 3, 14),
            integer_sums.lattice_step(np.array([0.3, 0.75, 1.2])),
            integer_sums.subset_sum_work([1, 2, 2, 5]),
            integer_sums.choice_sum_work([1, 2, 2, 5, 8], 2),
            last_digits.whole_numbers(np.array([0.12, 0.5, -0.3])),
        ],
    )
    for k, df in product((2, 3, 20), (4.0, 60.0, np.inf)):
        yield (
            f"range {k} {df}",
            lambda k=k, d=df: (
                [studentized_range.range_sf([0.1, 1.5, 4, 9], k, d)]
                + [studentized_range.range_isf(t, k, d) for t in (1e-8, 0.05, 0.7)]
            ),
        )
    yield (
        "range logs",
        lambda: studentized_range.log10_range_sf([4.0, 70.0], 5, np.array([0.03, 0.0])),
    )


def shifted(way: Any, given: Any, side: Any, correct: bool) -> list[Any]:
    """A p-value by the normal law, and the shifts that the same test does not reject."""
    p = given.normal_p(side, correct=correct)
    limits = way.unrejected_shifts(given, side, 0.9, p_null=p, exact=False, correct=correct)
    return [p, *limits]


def weights_of(n: int, strength: float) -> Any:
    return walsh_averages.joined(list(walsh_averages.weight_blocks(n, strength, 60, 3)))


def draws_of(n: int, k: int, kind: str) -> Any:
    given: Any = {"n_draws": 300, "seed": 2}
    if kind == "gaussian":
        return rank_draws.gaussian(np.arange(k) / 2, table(k, k), **given)
    if kind == "strata":
        return rank_draws.flipped(table(n, k) / n, strata=np.arange(n) % 3, **given)
    own = rank_draws.flipped(table(n, k) / n, **given)
    return own if kind == "own" else rank_draws.pooled(table(n, k) / n, own, **given)


def weighted() -> Iterator[Any]:
    for n, strength in ((5, 0.5), (70, 2.0)):
        drawn = partial(weights_of, n, strength)
        values = np.sort(np.round(normal(n), 1))
        yield f"weights {n}", lambda d=drawn: [(w := d()).units, w.prior, w.whole]
        for at in (-0.2, 0.0, 0.3):
            yield (
                f"stairs {n} {at}",
                lambda v=values, d=drawn, at=at, s=strength: [
                    (walsh_averages.stairs_above(v, at)).mass(d()),
                    walsh_averages.stairs_above(v, at).expected(v.size, s),
                    [one.mass(d()) for one in walsh_averages.tied_stairs(v, at, 1e-9)],
                ],
            )
        yield (
            f"median {n}",
            lambda v=values, d=drawn: [
                walsh_averages.pseudo_median_limits(d(), v, t) for t in (0.05, 0.3)
            ],
        )
    root = np.linalg.cholesky(np.array([[1.0, 0.5, 0.2], [0.5, 2.0, 0.1], [0.2, 0.1, 0.7]])).T
    for first in (0.0, 0.8, 6.0):
        yield (
            f"winner {first}",
            lambda f=first: winner_limits.winner_limits(
                np.array([f, 0.3, -0.2]), root, alpha=0.1, share=0.01, n_draws=500, seed=1
            ),
        )
    yield "reach", lambda: winner_limits.two_sided_reach(root, 0.1, 999, 3)
    for n, k in ((6, 3), (30, 4), (400, 3)):
        for kind in ("own", "pooled", "strata", "gaussian"):
            yield (
                f"draws {n} {kind}",
                lambda n=n, k=k, kind=kind: [
                    (d := draws_of(n, k, kind)).observed,
                    d.errors,
                    d.sums[:3],
                    d.weights,
                    d.complete,
                    d.ratio_of(2.0),
                ],
            )
            yield (
                f"decisions {n} {kind}",
                lambda n=n, k=k, kind=kind: [
                    rank_sets.decide(d := draws_of(n, k, kind), 0.1),
                    rank_sets.decide(d, 0.1, share=0.01),
                    rank_sets.decide_one(d, 1, 0.1),
                    rank_sets.possible_winners(d, 0.1, np.arange(k)),
                    rank_sets.largest(d),
                    rank_sets.reachable(d, 0.1),
                ],
            )
    data = hierarchical_model.DataSetSums(
        means=normal(6) / 9, squares=0.02 + rng().random(6) / 9, scores=10, factor=0.19
    )
    for warmup, drawn_ in ((0, 1), (15, 10)):
        yield (
            f"hierarchy {warmup}",
            lambda w=warmup, d=drawn_: hierarchical_model.sample_hierarchy(
                data, rng(), chains=4, warmup=w, draws=d
            ),
        )
    yield "prior of nu", lambda: hierarchical_model.log_prior_nu(np.linspace(-20.0, 6.0, 9))
    for seed in (1, 2):
        counts = rng(seed).integers(0, 5, 60 * seed)
        yield (
            f"blocks {seed}",
            lambda c=counts: [w for _, w in resampling.multinomial_blocks(c, 30, 5)],
        )
        yield (
            f"blocks of strata {seed}",
            lambda c=counts: [
                w for _, w in resampling.multinomial_blocks(c, 30, 5, strata=np.arange(c.size) % 3)
            ],
        )

    def power(weights: Any) -> Any:
        return (weights @ np.arange(7.0)) ** 2 / weights.sum(axis=-1)

    for way in (resampling.jackknife, resampling.cell_influence):
        yield way.__name__, lambda w=way: w(power, np.array([3, 1, 0, 2, 9, 1, 4]), 1)
    sizes = rng().integers(1, 4000, 30)
    yield "multinomial", lambda: fast_multinomial.multinomial_drawer(sizes)(rng(), 20)
    yield "pays", lambda: [fast_multinomial.pays(sizes, n) for n in (1, 50, 5000)]
    yield "poisson reach", lambda: [fast_multinomial.reach(x) for x in (0.1, 3.0, 700.0)]
    features = np.column_stack([rng().random(4000), rng(2).integers(0, 3, 4000)])
    ones = np.ones(4000, np.int64)
    yield "cells", lambda: merged_items.coarse_cells(features, ones)
    yield "resampled means", lambda: resampled_means.resampled_means(features, ones, 50, 1)
    bins = partial(
        resampled_bins.SortedItems.of,
        np.where(rng().random(20_000) < 0.3, 1.0, 0.0),
        np.sort(rng(2).random(20_000)),
        np.arange(20_001),
    )
    yield (
        "bins",
        lambda: resampled_bins.resampled_gaps(bins(), np.array([0, 5000, 12000, 20_000]), 40, 1),
    )
    yield (
        "order",
        lambda: [
            stochastic_order.violation_ratio(normal(9)[None], normal(7, 0.6, 2)[None]),
            *(
                stochastic_order.ratio_replicates(
                    normal(9),
                    normal(7, 0.6, 2),
                    stochastic_order.sorted_uniforms(9, 20, 1, 0),
                    stochastic_order.sorted_uniforms(7, 20, 1, 1),
                    smooth=smooth,
                )
                for smooth in (True, False)
            ),
        ],
    )


def others() -> Iterator[Any]:
    for n, alternative in product((4, 30, 900), SIDES):
        yield (
            f"unseen {n} {alternative}",
            lambda n=n, a=alternative: [
                unseen_values.allowed(0.05, a),
                unseen_values.allowed(0.3, a),
                unseen_values.normal_far(n),
                unseen_values.unseen_reach(0.02, [0.0, 3.0, 40.0, -1.0], n),
                unseen_values.unseen_reach(1e-9, 9.0, n, 3.0),
                unseen_values.unseen_p([-0.5, 0.0, 2.0, 6.0], 20.0, n, a),
                unseen_values.unseen_p(3.0, [0.0, 200.0], n, a, 4.0),
            ],
        )
        yield (
            f"tails {n} {alternative}",
            lambda n=n, a=alternative: [
                tails.t_p(1.3, n, a),
                tails.t_log10_p(40.0, n, a),
                tails.t_log10_p(-1.0, n, a),
                tails.normal_log10_p(50.0, a),
                tails.normal_p(-1.1, a),
                tails.t_reach(0.9, n, a),
                tails.normal_reach(0.9, a),
                tails.tail_of(0.9, a),
                tails.ends(0.3, 0.2, a),
                tails.two_tails(0.3, 0.8, a),
            ],
        )
    yield (
        "unseen square",
        lambda: unseen_values.unseen_square(table(9, 4) ** 2, table(9, 4, 2) ** 2, np.ones(9)),
    )
    for bounded, one_sided in product((True, False), (True, False)):
        yield (
            f"lean {bounded} {one_sided}",
            lambda b=bounded, o=one_sided: [
                lean := skewness.lean_of(
                    np.stack([skewed(30), normal(30)]), bounded=b, one_sided=o
                ),
                skewness.corrected([-2.0, 1.4], lean),
                skewness.uncorrected([-2.0, 1.4], lean),
                skewness.wider_limits(0.3, 0.1, 2.0, lean),
            ],
        )
    yield (
        "flat",
        lambda: [no_variation.flat_limits(0.3, 1.0, 9, 2.0), no_variation.flat_z(0.3, 1.0, 9)],
    )
    yield (
        "noncentral",
        lambda: [
            noncentral.noncentrality_bounds(3.1, 3, 20, 0.9),
            noncentral.noncentrality_bounds(0.1, 3, 20, 0.9),
            *(
                noncentral.t_noncentrality_bounds(t, df, 0.03)
                for t in (-2.0, 0.0, 1.4, 60.0)
                for df in (3, 80)
            ),
            noncentral.noncentral_t_cdf(1.2, 7.0, [-2.0, 0.0, 1.0, 9.0]),
        ],
    )
    yield (
        "levels",
        lambda: [
            adjustments.individual_levels(
                np.array([0.01, 0.02, 0.3, 0.02]), adjustment=name, alpha=0.1
            )
            for name in ("holm", "bonferroni", "sidak", "hochberg", "hommel", "finner")
        ],
    )
    yield (
        "steps",
        lambda: [
            adjustments.step_down(whole(9)),
            adjustments.step_up(whole(9)),
            adjustments.harmonic(9),
        ],
    )
    bets = np.round(rng().random(40), 1)
    yield (
        "wealth",
        lambda: [
            betting_wealth.log_wealth(bets, np.ones(40), 0.4),
            betting_wealth.log_wealth_path(bets, 0.3),
            betting_wealth.log_wealths(bets.reshape(4, 10), 0.3),
            betting_wealth.lower_end(bets, np.ones(40), math.log(20)),
        ],
    )
    wins, back = (rng(seed).integers(0, 9, (4, 4)) * (1 - np.eye(4)) for seed in (1, 2))
    ties = np.triu(back, 1)
    for position in (True, False):
        yield (
            f"bradley terry {position}",
            lambda p=position: [
                fit := bradley_terry.fitted(wins, back, ties + ties.T, position=p),
                fit and bradley_terry.sandwich(fit, wins, back, ties + ties.T, position=p),
            ],
        )
    codes = np.array([[0, 1, 1, 2], [2, 2, 2, -1], [0, 0, 1, 1], [-1, 2, 1, 2], [1, 1, 1, 1]])
    levels = np.array([1.0, 2.5, 4.0])
    yield (
        "ratings",
        lambda: [
            rating_disagreement.nominal(codes, 3),
            rating_disagreement.ordinal(codes, 3),
            rating_disagreement.interval(codes, levels),
            rating_disagreement.ratio(codes, levels),
        ],
    )
    chains = np.cumsum(table(40, 4), axis=0) / 9
    yield "chains", lambda: [markov_chains.r_hat(chains), markov_chains.effective_size(chains)]
    yield "series", lambda: [time_series.long_run_variance(whole(30) - 0.7, h) for h in (1, 2, 5)]
    yield (
        "sphericity",
        lambda: [
            sphericity.mauchly_p(0.6, 9, 4),
            sphericity.contrast_covariance(table(9, 4)),
            sphericity.epsilons_of(table(9, 4)),
        ],
    )
    x = np.array([10.0, 20, 40, 80, 160, 320])
    yield (
        "power law",
        lambda: [
            law := power_law.fit_power_law(
                x, (0.1 + 2 / x**0.6)[:, None] + 0.004 * table(6, 5), 1.3
            ),
            law and [law.gain(4.0), law.limit()],
        ],
    )
    pair = (np.round(normal(9), 1), np.round(normal(7, 0.8, 3), 1))
    other = (np.array([1.0, 2.0]), np.array([0.0, 2.0, 3.0]))
    for tasks in ([pair], [pair, other], [other]):
        yield (
            f"superiority {len(tasks)} {tasks[0][0].size}",
            lambda t=tasks: [
                found := probability_of_superiority.superiority(t),
                probability_of_superiority.superiority_limits(found, 1.7),
            ],
        )
    yield (
        "sizes",
        lambda: [
            effective_size.kish(np.array([1.0, 2, 5])),
            effective_size.independent_items(
                np.array([0.2, 0.3, 0.1, 0.4]), np.array([0, 0, 1, 2])
            ),
            effective_size.units_of(normal(9), np.arange(9) // 2, np.arange(1.0, 10)),
            effective_size.units_of(normal(9), None, None),
        ],
    )
    judge = np.round(rng(3).random(40), 1)
    people = np.round(0.6 * judge[:15] + 0.4 * rng(4).random(15), 1)
    groups = np.arange(40) // 3
    yield (
        "judged",
        lambda: [
            judge_correction.corrected(
                people, judge, judge_correction.JudgedSample.of(np.arange(15), 40)
            ),
            judge_correction.corrected(
                people, judge, judge_correction.JudgedSample.of(np.arange(15), 40), kept=0.5
            ),
        ],
    )
    yield (
        "judged clusters",
        lambda: judge_correction.corrected(
            people, judge, judge_correction.JudgedSample.of(np.arange(15), 40, clusters=groups)
        ),
    )
