"""Calls of kernels of sums, means, shares and areas, at sizes between which they change their way."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from assay.kernels import (
    attained_level,
    auc,
    batched_rankings,
    beta_differences,
    binomial,
    bootstrap_intervals,
    bootstrap_means,
    bootstrap_ratios,
    cluster_areas,
    conditional_odds,
    cumulants,
    delong,
    differences,
    mgf_tail,
    sign_flip_distribution,
    sign_flip_tests,
)

Call = Callable[[], Any]
GAPS = (0.0, 1e-6, 0.02, 0.3, 0.8, 1.0)
LEVELS = np.array([0.001, 0.3, 0.5, 0.9, 0.9999])
SIDES = ("two-sided", "greater", "less")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def normal(n: int, shift: float = 0.2, seed: int = 1) -> Any:
    return rng(seed).normal(shift, 1.0, n)


def whole(n: int, seed: int = 1) -> Any:
    """Differences on a lattice, some of them 0."""
    return rng(seed).integers(-3, 5, n).astype(float)


def skewed(n: int, seed: int = 1) -> Any:
    return rng(seed).exponential(size=n) - 0.7


def table(n: int, k: int, seed: int = 1) -> Any:
    return rng(seed).normal(np.arange(k) / 3.0, 1.0, (n, k))


def scored(n: int, models: int = 1, seed: int = 1, digits: int = 9) -> tuple[Any, Any]:
    truth = np.arange(n) % 3 == 0
    return truth, np.round(rng(seed).normal(size=(models, n)) + truth, digits)


def signs() -> Iterator[Any]:
    kinds: dict[str, Any] = {"normal": normal, "whole": whole, "skewed": skewed}
    for (kind, draw), n in product(kinds.items(), (1, 7, 20, 21, 30, 31, 60, 300)):
        for sign in (1.0, -1.0):
            values = sign * draw(n)
            yield (
                f"flip tail {kind} {n} {sign}",
                lambda d=values: sign_flip_distribution.flip_tail(d),
            )
            yield f"flip tails {kind} {n} {sign}", lambda d=values: sign_flip_tests.flip_tails(d)
    for (kind, draw), n, side in product(kinds.items(), (7, 21), SIDES):
        yield (
            f"flips {kind} {n} {side}",
            lambda d=draw, n=n, s=side: sign_flip_distribution.exact_flips(d(n), 0.025, s),
        )
    for kind, draw in kinds.items():
        for n in (150, 900):
            yield (
                f"flip test {kind} {n}",
                lambda d=draw, n=n: sign_flip_tests.flip_test(d(n), 0.05, "two-sided"),
            )
        yield f"far {kind}", lambda d=draw: sign_flip_tests.flip_tails(np.abs(d(400)))
        yield f"near {kind}", lambda d=draw: sign_flip_distribution.flip_tail(d(25) + 1.5)
        yield (
            f"sampled {kind}",
            lambda d=draw: sign_flip_distribution.sampled_flips(
                d(50), 0.025, "two-sided", 199, rng()
            ),
        )
        for s in (-20.0, 0.0, 15.0, 60.0):
            sizes = np.abs(draw(80)) + 1.0
            step = 1.0 if kind == "whole" else None
            yield (
                f"signed sum {kind} {s}",
                lambda w=sizes, s=s, g=step: mgf_tail.signed_sum_tail(w, s, g),
            )
    yield (
        "coins",
        lambda: [sign_flip_distribution.log_coins(k, n) for k, n in ((3, 9), (9, 9), (5, 4000))],
    )
    yield "tables", lambda: sign_flip_distribution.two_by_two_tables(np.array([[5.0, 2], [3, 7]]))
    yield (
        "margins",
        lambda: sign_flip_distribution.fixed_margin_tables(
            np.array([[5, 2, 1], [3, 7, 4]]), 9, rng()
        ),
    )
    for sample in (None, (40, rng())):
        yield (
            f"allotments {sample is None}",
            lambda s=sample: sign_flip_distribution.reallotments(normal(9), 4, s and (40, rng())),
        )
    for tail in (1e-9, 0.02, 0.4):
        yield (
            f"lowest shift {tail}",
            lambda t=tail: [
                sign_flip_distribution.lowest_shift(normal(n), t, null_accepted=True)
                for n in (5, 26, 40)
            ],
        )


def means() -> Iterator[Any]:
    kinds = {
        "normal": normal(120),
        "whole": whole(90),
        "skewed": skewed(400),
        "rare": np.append(np.zeros(300), [1.0, 1.0, 1.0]),
        "few": np.repeat([0.0, 1.0, math.pi], 20),
        "decimals": np.round(normal(200), 2),
        "giant": np.append(normal(60), 90.0),
    }
    for kind, values in kinds.items():
        yield f"mean law {kind}", lambda v=values: law_of(bootstrap_means.mean_draws(v))
        yield (
            f"counted law {kind}",
            lambda v=values: law_of(bootstrap_means.mean_draws(v, 1 + np.arange(v.size) % 3)),
        )
        yield (
            f"strata {kind}",
            lambda v=values: law_of(bootstrap_means.mean_draws(v, strata=np.arange(v.size) % 2)),
        )
        sigma = float(values.std()) * math.sqrt(values.size)
        draws = partial(cumulants.Draws.of, values)
        yield (
            f"draws {kind}",
            lambda d=draws: [(o := d()).step(), o.log_grain(), o.few(20), o.tilted(0.3)],
        )
        yield f"bernstein {kind}", lambda d=draws, s=sigma: cumulants.bernstein_ends([d()], s)
        yield (
            f"cumulants {kind}",
            lambda d=draws, s=sigma: (
                (found := cumulants.Cumulants.of([d()], s, 8.7)).width,
                found.ends(),
                found(np.array([1.0, 0.5j, 3.0 + 2.0j, 8.0j])).view(float),
            ),
        )
        yield (
            f"far tails {kind}",
            lambda d=draws, s=sigma: [
                cumulants.log_upper_tail([d()], x * s, 0.0) for x in (0.5, 4, 9, 40)
            ],
        )
    yield (
        "lattice tail",
        lambda: cumulants.log_upper_tail([cumulants.Draws.of(whole(90))], 60.0, 1.0),
    )
    for seed in (1, 2):
        sizes = rng(seed).integers(1, 6, 50).astype(float)
        yield (
            f"ratio {seed}",
            lambda s=sizes, seed=seed: law_of(
                bootstrap_ratios.ratio_draws(skewed(50, seed) * s, s)
            ),
        )


def law_of(law: Any) -> Any:
    if law is None:
        return None
    places = law.mean + law.sigma * np.array([-7.0, -1.5, 0.0, 0.4, 2.2, 6.5])
    ways = [[law.at_most(x), law.at_least(x), law.log_tail(x, upper=x > law.mean)] for x in places]
    limits = [[law.low(tail), law.high(tail)] for tail in (1e-6, 0.025, 0.3)]
    moments = [law.moments(), law.moments(np.exp), law.skewness(), law.log_least]
    return [law.how, law.error, law.mean, law.sigma, ways, limits, moments]


def intervals() -> Iterator[Any]:
    values = np.round(normal(199), 2)
    for way in ("order", "boot", "type7"):
        for name in ("percentile_interval", "basic_interval", "bca_interval"):
            more: Any = {
                "percentile_interval": (),
                "basic_interval": (0.3,),
                "bca_interval": (0.3, 0.05),
            }
            for level in (0.8, 0.95):
                yield (
                    f"{name} {way} {level}",
                    lambda n=name, w=way, m=more[name], c=level: getattr(bootstrap_intervals, n)(
                        values, *m, level=c, quantiles=w
                    ),
                )
    for kind in range(1, 10):
        yield (
            f"quantile {kind}",
            lambda k=kind: bootstrap_intervals.quantile(
                values[:20], [0, 0.03, 0.5, 0.77, 1], kind=k
            ),
        )
    yield "normal", lambda: bootstrap_intervals.normal_interval(values, 0.3, level=0.9)
    yield "bca tails", lambda: bootstrap_intervals.bca_tails(0.2, 0.03, level=0.9)
    yield (
        "p",
        lambda: [
            bootstrap_intervals.bootstrap_p_value(values, null=x) for x in (-9, 0.2, values[3])
        ],
    )
    for low, high in product((-math.inf, 0.0), (math.inf, 1.0)):
        yield (
            f"stretched {low} {high}",
            lambda a=low, b=high: [
                bootstrap_intervals.stretched_interval(0.3, reach, low=a, high=b)
                for reach in (0.1, -0.2, 5)
            ],
        )


def shares() -> Iterator[Any]:
    k, n = np.array([0, 1, 3, 10, 9, 400]), np.array([10, 10, 7, 10, 10, 1000])
    for name in (
        "wald",
        "wilson",
        "wilson_cc",
        "agresti_coull",
        "clopper_pearson",
        "jeffreys",
        "mid_p",
    ):
        by_tail = name in ("clopper_pearson", "jeffreys", "mid_p")
        yield (
            name,
            lambda f=name, x=0.04 if by_tail else 1.7: getattr(binomial, f"{f}_limits")(k, n, x),
        )
    yield "mid-p guarded", lambda: binomial.mid_p_limits(k, n, 0.04, guarded=True)
    yield (
        "small p",
        lambda: [binomial.binomial_small_p(k, n, p) for p in (0.0, 0.1, 0.5, 0.93, 1.0)],
    )
    yield (
        "small p interval",
        lambda: [binomial.small_p_interval(k, n, level) for level in (0.8, 0.95)],
    )
    yield "tails", lambda: [way(k, n, 0.3) for way in (binomial.at_least, binomial.at_most)]
    rates = partial(
        differences.two_rates, [0, 3, 9, 40], [9, 9, 9, 100], [4, 3, 0, 70], [12, 9, 7, 90]
    )
    four = partial(
        differences.four_counts, [9, 3, 40, 0], [4, 0, 7, 0], [1, 0, 9, 3], [2, 5, 60, 0]
    )
    for name in ("wald_difference", "agresti_caffo", "newcombe", "score"):
        yield name, lambda f=name: getattr(differences, f"{f}_limits")(rates(), 1.7)
    for name in ("wald_paired", "agresti_min", "bonett_price", "newcombe_paired", "tango"):
        yield name, lambda f=name: getattr(differences, f"{f}_limits")(four(), 1.7)
    yield "newcombe cc", lambda: differences.newcombe_limits(rates(), 1.7, continuity=True)
    yield (
        "newcombe plain",
        lambda: differences.newcombe_paired_limits(four(), 1.7, continuity=False),
    )
    yield "score inflated", lambda: differences.score_limits(rates(), 1.7, inflated=True)
    for delta in (-0.3, 0.0, 0.2):
        yield (
            f"variances {delta}",
            lambda d=delta: [
                differences.score_variance(rates(), d),
                differences.score_variance(rates(), d, inflated=True),
                differences.constrained_rates(rates(), np.full(4, d)),
                differences.tango_variance(four(), d),
            ],
        )
    yield (
        "correlations",
        lambda: [differences.correlation(four(), continuity=c) for c in (False, True)],
    )
    yield (
        "errors",
        lambda: [differences.unpooled_se(rates()), differences.paired_se(four()), rates().of_rarer],
    )
    for a, b, c in ((3.0, 1.5, 4.0), (0.5, 0.5, 0.5), (40.0, 25.0, 400.0), (1.0, 8.0, 0.4)):
        yield (
            f"beta {a} {b} {c}",
            lambda a=a, b=b, c=c: [
                [beta_differences.paired_tail(a, b, c)(x) for x in GAPS],
                [beta_differences.independent_tail((a, b), (c, a))(x) for x in GAPS],
                beta_differences.paired_quantiles(a, b, c, LEVELS),
                beta_differences.independent_quantiles((a, b), (c, a), LEVELS),
                beta_differences.independent_quantiles((a, b), (a, b), LEVELS),
            ],
        )
    for given in ((3, 9, 12, 8), (0, 5, 6, 3), (5, 5, 9, 9), (120, 300, 250, 200)):
        yield (
            f"odds {given}",
            lambda g=given: [
                (odds := conditional_odds.ConditionalOdds(*g)).estimate(),
                odds.lower(0.03),
                odds.upper(0.03),
                odds.upper(0.4),
            ],
        )
    yield (
        "small-p size",
        lambda: [attained_level.small_p_size(n, p, 0.05) for n, p in ((9, 0.5), (60, 0.1))],
    )
    yield "pooled level", lambda: [attained_level.pooled_level(12, n, 0.3, 0.05) for n in (9, 40)]
    yield "effective", lambda: attained_level.effective_count(np.abs(table(12, 3)))


def areas() -> Iterator[Any]:
    for n, digits in product((9, 120), (0, 9)):
        truth, scores = scored(n, digits=digits)
        groups = partial(auc.sort_scores, truth, scores[0])
        weights = rng().integers(0, 4, (5, n)).astype(float)
        name = f"{n} {digits}"
        yield (
            f"area {name}",
            lambda g=groups: [auc.auc(g()), auc.u_statistic(g()), auc.average_precision(g())],
        )
        yield f"points {name}", lambda g=groups: auc.roc_points(g())
        yield f"placements {name}", lambda t=truth, s=scores: auc.placements(t, s[0])
        for way, more in (
            ("auc", ()),
            ("average_precision", ()),
            *((w, (x,)) for w in ("partial_area", "sensitivity") for x in (0.05, 0.3, 1.0)),
        ):
            for kind in (weights, weights.astype(np.int64), weights + 0.5):
                yield (
                    f"{way} {more} {name} {kind.dtype} {kind[0, 0]}",
                    lambda g=groups, w=way, m=more, k=kind: getattr(auc, f"{w}_of_weights")(
                        g(), *m
                    )(k),
                )
        rows = partial(
            batched_rankings.ranked, np.stack([truth, ~truth]), np.stack([scores[0], -scores[0]])
        )
        yield (
            f"batched {name}",
            lambda r=rows: [
                batched_rankings.placed(r()),
                batched_rankings.precision_influence(r()),
            ],
        )
        clusters = np.arange(n) // 4
        yield (
            f"without {name}",
            lambda t=truth, s=scores, c=clusters: cluster_areas.areas_without(t, s[0], c),
        )
        _, several = scored(n, 3, 4, digits)
        yield (
            f"delong {name}",
            lambda t=truth, s=several: (
                (found := delong.placed_areas(t, s)).areas,
                found.covariance,
                found.resting,
                found.errors([1.0, 0.0, -1.0]),
                found.select((0, 2)).difference_df(),
                found.least_df(),
            ),
        )
    yield "hanley", lambda: auc.hanley_mcneil_variance(0.7, 9, 12)
