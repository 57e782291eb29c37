"""Worlds of numbers: losses of items, items in clusters, runs of two algorithms.

Statistics are computed for all replicates at once; in every batch some replicates go through the
public method as well, and a difference stops the run.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import AssayError
from assay.estimates.clustered_means import cluster_difference, cluster_mean, is_uneven
from assay.estimates.means import mean_t
from assay.estimates.normality_of_means import cochran, far_tails
from assay.hypotheses.paired_scores import outweighs, paired_permutation, paired_t
from assay.hypotheses.two_samples import RUNS_FOR_T, two_sample_t
from assay.kernels.special import stdtr, stdtrit
from assay.simulate.worlds.grouped import Clusters, Sizes
from assay.simulate.worlds.values import Losses, Runs, RunShape, Shape
from calibration.designs.cells import (
    ALPHAS,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    count_interval,
    noted_at,
    tally,
)

Generator = np.random.Generator
BATCH, GOAL = 25_000, 100_000
CHECKED = 5
"""Replicates of a batch that also go through the public method."""
NUMBERS = 4_000_000
"""Numbers held at a time."""
RESAMPLES, RESAMPLED = 499, 20_000
"""Resamples of the bootstrap beside the t interval, and values of a batch that are resampled."""
FLIPPED, FLIPPED_MOST = 5, 30
"""Replicates of a batch whose sign-flip interval is searched for, and the largest n at which."""

MEAN = Table(
    procedure="mean_t", answers="evaluate", world="losses", measure="mean_loss", unit="item",
    parameters=("shape", "n"),
)  # fmt: skip
PAIRED = Table(
    procedure="paired_t", answers="compare", world="losses", measure="mean_loss", unit="item",
    parameters=("shape", "n"),
)  # fmt: skip
CLUSTER_MEAN = Table(
    procedure="cluster_mean", answers="evaluate", world="clusters", measure="mean_loss",
    unit="item", parameters=("clusters", "sizes", "icc"),
)  # fmt: skip
CLUSTER_DIFFERENCE = Table(
    procedure="cluster_difference", answers="compare", world="clusters", measure="mean_loss",
    unit="item", parameters=("clusters", "sizes", "icc"),
)  # fmt: skip
WELCH = Table(
    procedure="two_sample_t", answers="compare", world="runs", measure=None, unit="seed",
    parameters=("shape", "runs"),
)  # fmt: skip


class Disagreement(AssayError):
    """A vectorised statistic and the public method gave different numbers."""


def mean_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per cell of losses, clusters and runs."""
    items, groups, seeds = worlds["losses"], worlds["clusters"], worlds["runs"]
    jobs = [
        _job(f"losses {shape} n={n}", "losses", partial(losses, shape, n))
        for shape, n in product(items["shape"], items["n"])
    ]
    jobs += [
        _job(
            f"clusters {count} {sizes} icc={icc:g}",
            "clusters",
            partial(clusters, count, sizes, icc),
        )
        for count, sizes, icc in product(groups["clusters"], groups["sizes"], groups["icc"])
    ]
    jobs += [
        _job(f"runs {shape} n={size}", "runs", partial(runs, shape, size))
        for shape, size in product(seeds["shape"], seeds["runs"])
    ]
    return jobs


def _job(name: str, world: str, run: Callable[[Generator, int], list[Found]]) -> Job:
    return Job(name=name, world=world, run=run, batch=BATCH, goal=GOAL)


def losses(shape: Shape, n: int, rng: Generator, replicates: int) -> list[Found]:
    """The t interval of one mean; the paired t of two exchangeable models."""
    world = Losses(shape=shape)
    counts: dict[str, float] = {}
    sums: dict[str, float] = {}
    tested: dict[str, float] = {}
    widths: dict[str, float] = {}
    for size in _parts(replicates, 2 * n):
        drawn = world.draw(size, n, rng, takes="pairs")
        first, second = drawn["a"], drawn["b"]
        _add_means(counts, sums, first, world.mean)
        _add_paired(tested, widths, first, second)
        _add_resampled(counts, sums, first, world.mean, rng)
        _add_resampled(tested, widths, first - second, 0.0, rng)
        _add_flipped(tested, widths, first, second)
    at = (shape, n)
    return [
        Found(table=MEAN, at=at, replicates=replicates, counts=counts, sums=sums),
        Found(table=PAIRED, at=at, replicates=replicates, counts=tested, sums=widths),
    ]


def _add_means(
    counts: dict[str, float], sums: dict[str, float], values: FloatArray, mean: float
) -> None:
    n = values.shape[1]
    centre, error = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(n)
    for alpha in ALPHAS:
        reach = _reach(n - 1.0, alpha) * error
        # values that do not vary bound nothing: the whole range is given, and no width is counted
        reach = np.where(error > 0.0, reach, np.inf)
        _merge(counts, sums, (centre - reach, centre + reach), mean, alpha)
    square = (values - centre[:, None]) ** 2
    varies = error > 0.0
    third = (square * (values - centre[:, None])).mean(axis=1)
    skewness = third / np.where(varies, square.mean(axis=1), 1.0) ** 1.5
    for alpha in ALPHAS:
        needed = cochran(1.0 - alpha) * skewness**2
        noted = (
            ~varies | ((np.abs(skewness) > 1.0) & (n < needed)) | bool(far_tails(n, 1.0 - alpha))
        )
        _plus(counts, noted_at(alpha), tally(noted))
    for row in range(min(CHECKED, len(values))):
        found = mean_t(values[row], level=0.95).interval
        if found is not None:
            ours = centre[row] - _reach(n - 1.0, 0.05) * error[row]
            _same(ours, found.low, "mean_t")


def _add_paired(
    counts: dict[str, float], sums: dict[str, float], a: FloatArray, b: FloatArray
) -> None:
    differences = a - b
    n = differences.shape[1]
    centre, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / np.sqrt(n)
    t = centre / np.where(error > 0.0, error, 1.0)
    p = np.where(error > 0.0, 2.0 * stdtr(n - 1.0, -np.abs(t)), 1.0)
    for alpha in ALPHAS:
        _plus(counts, at_alpha("level", alpha), tally(p <= alpha))
        reach = np.where(error > 0.0, _reach(n - 1.0, alpha) * error, np.inf)
        _merge(counts, sums, (centre - reach, centre + reach), 0.0, alpha)
        _plus(counts, noted_at(alpha), tally(outweighs(differences, alpha) | (error == 0.0)))
    for row in range(min(CHECKED, len(p))):
        found = paired_t(a[row], b[row]).p_value
        if found is not None:
            _same(p[row], found, "paired_t")


def clusters(count: int, sizes: Sizes, icc: float, rng: Generator, replicates: int) -> list[Found]:
    """CR2 with Satterthwaite's degrees of freedom, of normal values with a random cluster effect."""
    world = Clusters(clusters=count, sizes=sizes, icc=icc)
    codes = np.repeat(np.arange(count), world.members(count))
    found = []
    for table in (CLUSTER_MEAN, CLUSTER_DIFFERENCE):
        counts: dict[str, float] = {}
        sums: dict[str, float] = {}
        for size in _parts(replicates, 3 * codes.size):
            drawn = world.draw(size, None, rng, takes="clustered-pairs")
            values = drawn["a"] if table is CLUSTER_MEAN else drawn["a"] - drawn["b"]
            centre, error, df = cluster_spread(values, codes)
            p = 2.0 * stdtr(df, -np.abs(centre / error))
            for alpha in ALPHAS:
                reach = -stdtrit(df, alpha / 2.0) * error
                _merge(counts, sums, (centre - reach, centre + reach), 0.0, alpha)
                between = _reach(count - 1.0, alpha) * error
                _add_other(counts, sums, "between", (centre - between, centre + between), alpha)
                _plus(counts, noted_at(alpha), tally(is_uneven(df, count)))
                if table is CLUSTER_DIFFERENCE:
                    _plus(counts, at_alpha("level", alpha), tally(p <= alpha))
            for row in range(min(CHECKED, size)):
                _same(p[row], _public_cluster_p(table, values[row], codes), table.procedure)
        at = (count, sizes, icc)
        facts = {"minority": float(count)}
        found.append(
            Found(table=table, at=at, replicates=replicates, counts=counts, sums=sums, facts=facts)
        )
    return found


def _public_cluster_p(table: Table, values: FloatArray, codes: NDArray[Any]) -> Any:
    if table is CLUSTER_MEAN:
        return dict(cluster_mean(values, codes).details)["p_value"]
    return dict(cluster_difference(values, np.zeros_like(values), codes).details)["p_value"]


def cluster_spread(
    values: FloatArray, codes: NDArray[Any]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means, CR2 standard errors and Satterthwaite's df of many replicates (Imbens and Kolesár)."""
    n, groups = codes.size, int(codes.max()) + 1
    member = np.zeros((n, groups))
    member[np.arange(n), codes] = 1.0
    sizes = member.sum(axis=0)
    share, square = sizes / n, sizes / n**2
    factor = 1.0 - 2.0 * share + share**2 * square.sum() / square
    centre = values.mean(axis=1)
    totals = np.einsum("ri,ig->rg", values - centre[:, None], member)
    error = np.sqrt(((totals / n) ** 2 / factor).sum(axis=1))
    icc = _intraclass(values, totals, sizes)
    variance = (1.0 - icc)[:, None] * square + icc[:, None] * share**2
    total = variance.sum(axis=1)[:, None]
    own = (variance * (1.0 - 2.0 * share) + share**2 * total) / factor
    shares = (share**2 / factor).sum()
    squares, mixed = (variance**2 / factor).sum(axis=1), (share * variance / factor).sum(axis=1)
    flat = total[:, 0]
    pairs = (flat * shares) ** 2 + 2 * shares * squares - 4 * flat * shares * mixed + 2 * mixed**2
    same = (((share**2 * total - 2.0 * share * variance) / factor) ** 2).sum(axis=1)
    return centre, error, own.sum(axis=1) ** 2 / ((own**2).sum(axis=1) + pairs - same)


def _intraclass(values: FloatArray, totals: FloatArray, sizes: FloatArray) -> FloatArray:
    """The one-way ANOVA estimate of each replicate, between 0 and 1."""
    n, groups = values.shape[1], sizes.size
    between = (totals**2 / sizes).sum(axis=1) / (groups - 1)
    around = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    within = (around - between * (groups - 1)) / (n - groups)
    typical = (n - (sizes**2).sum() / n) / (groups - 1)
    found = (between - within) / (between + (typical - 1.0) * within)
    return np.asarray(np.clip(found, 0.0, 1.0))


def runs(shape: RunShape, size: int, rng: Generator, replicates: int) -> list[Found]:
    """Welch's t of two algorithms with the same distribution of runs."""
    world = Runs(shape=shape, runs=size)
    counts: dict[str, float] = {}
    sums: dict[str, float] = {}
    for part in _parts(replicates, 2 * size):
        a, b = world.draw(part, None, rng, takes="two-samples").values()
        centre = a.mean(axis=1) - b.mean(axis=1)
        of_a, of_b = a.var(axis=1, ddof=1) / size, b.var(axis=1, ddof=1) / size
        error = np.sqrt(of_a + of_b)
        df = (of_a + of_b) ** 2 / ((of_a**2 + of_b**2) / (size - 1))
        p = 2.0 * stdtr(df, -np.abs(centre / error))
        for alpha in ALPHAS:
            _plus(counts, at_alpha("level", alpha), tally(p <= alpha))
            reach = -stdtrit(df, alpha / 2.0) * error
            _merge(counts, sums, (centre - reach, centre + reach), 0.0, alpha)
            pooled = _reach(2.0 * size - 2.0, alpha) * error
            _add_other(counts, sums, "pooled_t", (centre - pooled, centre + pooled), alpha)
        _plus(counts, "noted", float(part) if size < RUNS_FOR_T else 0.0)
        for row in range(min(CHECKED, part)):
            _same(p[row], two_sample_t(a[row], b[row]).p_value, "two_sample_t")
    return [Found(table=WELCH, at=(shape, size), replicates=replicates, counts=counts, sums=sums)]


def _add_resampled(
    counts: dict[str, float],
    sums: dict[str, float],
    values: FloatArray,
    truth: float,
    rng: Generator,
) -> None:
    """The percentile bootstrap of a mean, of some of the replicates: what it covers, how wide it is.

    Its width is put in proportion to the t interval of the same replicates.
    """
    some = values[: max(1, min(len(values), RESAMPLED // values.shape[1]))]
    n = some.shape[1]
    drawn = np.stack(
        [row[rng.integers(n, size=(RESAMPLES, n))].mean(axis=1) for row in some], axis=1
    )
    error = some.std(axis=1, ddof=1) / np.sqrt(n)
    for alpha in ALPHAS:
        low, high = np.quantile(drawn, (alpha / 2.0, 1.0 - alpha / 2.0), axis=0)
        share = float(((low <= truth) & (truth <= high)).mean())
        ratio = float((high - low).sum() / (2.0 * _reach(n - 1.0, alpha) * error).sum())
        _add_shares(counts, sums, "percentile", values, share, ratio, alpha)


def _add_flipped(
    counts: dict[str, float], sums: dict[str, float], a: FloatArray, b: FloatArray
) -> None:
    """The interval that inverts the sign-flip test, of few replicates: each is searched for."""
    n = a.shape[1]
    if n > FLIPPED_MOST:
        return
    rows = [row for row in range(min(FLIPPED, len(a))) if np.ptp(a[row] - b[row]) > 0.0]
    for alpha in ALPHAS:
        found = [paired_permutation(a[row], b[row], level=1.0 - alpha, rng=1) for row in rows]
        own = sum(
            2.0 * _reach(n - 1.0, alpha) * float((a[row] - b[row]).std(ddof=1)) / n**0.5
            for row in rows
        )
        widths = [one.effect.interval.width for one in found if one.effect.interval is not None]
        if rows and len(widths) == len(rows) and np.isfinite(widths).all():
            # exchangeable models: the test that it inverts is exact
            _add_shares(
                counts, sums, "paired_permutation", a - b, 1.0 - alpha, sum(widths) / own, alpha
            )


def _add_shares(
    counts: dict[str, float],
    sums: dict[str, float],
    method: str,
    values: FloatArray,
    share: float,
    ratio: float,
    alpha: float,
) -> None:
    """Another method measured on some replicates, counted as if it had been on all."""
    error = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    _plus(counts, at_alpha(f"coverage/{method}", alpha), share * len(values))
    width = 2.0 * _reach(values.shape[1] - 1.0, alpha) * float(error.sum())
    _plus(sums, at_alpha(f"width/{method}", alpha), ratio * width)


def _add_other(
    counts: dict[str, float],
    sums: dict[str, float],
    method: str,
    limits: tuple[FloatArray, FloatArray],
    alpha: float,
) -> None:
    """Another method of the catalogue beside: coverage of zero, and width."""
    low, high = limits
    _plus(counts, at_alpha(f"coverage/{method}", alpha), tally((low <= 0.0) & (high >= 0.0)))
    _plus(sums, at_alpha(f"width/{method}", alpha), float((high - low).sum()))


def _reach(df: float, alpha: float) -> float:
    return float(-stdtrit(df, alpha / 2.0))


def _parts(replicates: int, numbers: int) -> list[int]:
    """Replicates in parts that fit into memory."""
    size = max(1, NUMBERS // numbers)
    return [min(size, replicates - start) for start in range(0, replicates, size)]


def _merge(
    counts: dict[str, float],
    sums: dict[str, float],
    limits: tuple[FloatArray, FloatArray],
    truth: float,
    alpha: float,
) -> None:
    more: dict[str, float] = {}
    wider: dict[str, float] = {}
    count_interval(more, wider, limits, truth, alpha)
    width = limits[1] - limits[0]
    wider[at_alpha("width", alpha)] = float(width[np.isfinite(width)].sum())
    for name, value in more.items():
        _plus(counts, name, value)
    for name, value in wider.items():
        _plus(sums, name, value)


def _plus(counts: dict[str, float], name: str, value: float) -> None:
    counts[name] = counts.get(name, 0.0) + value


def _same(ours: Any, theirs: Any, procedure: str) -> None:
    if not np.isclose(float(ours), float(theirs), rtol=1e-6, atol=1e-9):
        raise Disagreement(
            f"{procedure}: {float(ours)!r} in calibration, {float(theirs)!r} from the method"
        )
