"""Worlds of data sets: paired scores of k algorithms, nulls full (all alike) and partial (all but one)."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.hypotheses.paired_scores import wilcoxon
from assay.hypotheses.posthoc import wilcoxon_pairs
from assay.kernels.lattice import doubled, subset_sum_cdf
from assay.kernels.signed_rank_pairs import PairRanks, pair_ranks, signed_rank_cdf
from assay.simulate.calibration.cells import (
    ALPHAS,
    BoolArray,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    tally,
)
from assay.simulate.calibration.means import CHECKED, Disagreement
from assay.simulate.worlds.grouped import DataSets, Noise, Null

Generator = np.random.Generator
BATCH, GOAL = 4_000, 100_000
CELLS = 1_000_000
"""Differences ranked at a time."""
SURELY_NOT = 0.2
"""Tied pairs whose normal p-value is above this keep it: none of them is near an alpha."""

NULLS: tuple[Null, ...] = ("full", "partial")

TWO = Table(
    procedure="wilcoxon", answers="compare", world="datasets", unit="dataset",
    parameters=("null", "noise", "k", "n"),
)  # fmt: skip
MANY = Table(
    procedure="wilcoxon_pairs", answers="compare", world="datasets", unit="dataset",
    parameters=("null", "noise", "k", "n"),
)  # fmt: skip


def dataset_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per number of data sets, of models, noise and null."""
    world = worlds["datasets"]
    jobs = []
    for k in world["k"]:
        for noise in world["noise"]:
            for n in world["n"]:
                for null in NULLS[: 1 if k == 2 else 2]:
                    slow = k >= 10 and noise.startswith("rounded")  # ties: no shared distribution
                    batch = BATCH // (20 if slow else 4 if k >= 10 else 1)
                    jobs.append(
                        Job(
                            name=f"datasets {null} {noise} k={k} n={n}",
                            world="datasets",
                            run=partial(datasets, null, noise, k, n),
                            batch=batch,
                            goal=GOAL // (10 if slow else 4 if k >= 10 else 1),
                        )
                    )
    return jobs


def datasets(
    null: Null, noise: Noise, k: int, n: int, rng: Generator, replicates: int
) -> list[Found]:
    """Wilcoxon's test of two, or of every pair with Holm: is any true null rejected?"""
    first, second = np.triu_indices(k, 1)
    world = DataSets(k=k, noise=noise, null_kind=null)
    true = np.isin(first, world.alike()) & np.isin(second, world.alike())
    counts: dict[str, float] = {}
    size = max(1, CELLS // (n * first.size))
    for start in range(0, replicates, size):
        rows = min(size, replicates - start)
        values = world.draw(rows, n, rng, takes="blocks")["blocks"]
        p = signed_rank_p_values(values, first, second)
        for alpha in ALPHAS:
            kind = "level" if k == 2 else "family_wise"
            name = at_alpha(kind, alpha)
            wrong = np.any(holm_rejects(p, alpha) & true, axis=1)
            counts[name] = counts.get(name, 0.0) + tally(np.asarray(wrong))
        if start == 0:
            _check(values, p, k)
    table = TWO if k == 2 else MANY
    facts = {}
    if k == 2:
        facts = {at_alpha("reachable", alpha): _reachable(n, alpha) for alpha in ALPHAS}
    at = (null, noise, k, n)
    return [Found(table=table, at=at, replicates=replicates, counts=counts, facts=facts)]


def signed_rank_p_values(
    values: FloatArray, first: NDArray[Any], second: NDArray[Any]
) -> FloatArray:
    """The exact two-sided p-values of all pairs of all replicates ``(replicates, pairs)``."""
    replicates, n, k = values.shape
    columns = np.moveaxis(values, 1, 0).reshape(n, replicates * k)
    offset = k * np.arange(replicates)[:, None]
    found = pair_ranks(columns, (offset + first).ravel(), (offset + second).ravel())
    return _exact(found).reshape(replicates, first.size)


def _exact(found: PairRanks) -> FloatArray:
    """As `PairRanks.exact_p`, but not where the normal p-value is far from deciding anything."""
    p, tied = found.normal_p(), found.tied
    least = np.minimum(found.plus, found.totals - found.plus)
    for n in np.unique(found.n_nonzero[~tied]).tolist():
        if n:
            rows = ~tied & (found.n_nonzero == n)
            p[rows] = np.minimum(2 * signed_rank_cdf(n)[least[rows].astype(np.int64)], 1.0)
    for row in np.flatnonzero(tied & (p < SURELY_NOT)).tolist():
        ranks = found.ranks[row][found.ranks[row] > 0]
        p[row] = min(2 * subset_sum_cdf(doubled(ranks), round(2 * least[row])), 1.0)
    return p


def holm_rejects(p: FloatArray, alpha: float) -> BoolArray:
    """Which hypotheses Holm rejects at ``alpha``, for rows of p-values."""
    order = np.argsort(p, axis=1, kind="stable")
    pairs = p.shape[1]
    passed = np.take_along_axis(p, order, axis=1) * (pairs - np.arange(pairs)) <= alpha
    passed = np.logical_and.accumulate(passed, axis=1)
    rejected = np.empty_like(passed)
    np.put_along_axis(rejected, order, passed, axis=1)
    return np.asarray(rejected)


def _check(values: FloatArray, p: FloatArray, k: int) -> None:
    """Some replicates go through the public method: its decisions are ours."""
    for row in range(min(CHECKED, len(values))):
        if k == 2:
            theirs = np.array([(wilcoxon(values[row, :, 0], values[row, :, 1]).p_value or 0)])
            ours = p[row]
            same = np.isclose(theirs, ours) | ((theirs > 0.06) & (ours > 0.06))
        else:
            outcomes = wilcoxon_pairs(values[row]).outcomes
            theirs = np.array([one.p_value for one in outcomes], dtype=np.float64)
            same = (theirs <= 0.05) == holm_rejects(p[row][None], 0.05)[0]
        if not same.all():
            raise Disagreement(f"the signed-rank tests of {k} models differ from the public method")


def _reachable(n: int, alpha: float) -> float:
    """The largest size up to alpha of the two-sided signed-rank test without ties."""
    sizes = 2.0 * signed_rank_cdf(n)
    allowed = sizes[sizes <= alpha]
    return float(allowed[-1]) if allowed.size else 0.0
