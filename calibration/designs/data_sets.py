"""Worlds of data sets: paired scores of k algorithms, nulls full (all alike) and partial (all but one).

The same draws serve every k above 2 (its models are the first of the most) and both nulls (the first
model moved ahead): each cell is right by itself, and cells of one noise and n hang together.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from assay.hypotheses.friedman_posthoc import wilcoxon_pairs
from assay.hypotheses.paired_scores import wilcoxon
from assay.kernels.signed_rank_pairs import signed_rank_cdf
from assay.kernels.special import stdtrit
from assay.simulate.worlds.grouped import DataSets, Noise, Null
from calibration.designs.cells import (
    ALPHAS,
    BoolArray,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    noted_at,
    tally,
)
from calibration.designs.means import CHECKED, Disagreement
from calibration.designs.signed_ranks import (
    holm_rejects,
    rough_ranks,
    rough_ties,
    shift_widths,
    signed_rank_p_values,
)

Generator = np.random.Generator
BATCH, GOAL = 20_000, 100_000
NUMBERS = 2_000_000
"""Differences ranked at a time."""
MEASURED, MEASURED_TIED = 2_000, 40
"""Replicates of a batch whose intervals are measured; with ties each is searched for."""

WIDE = {"ties-coarse", "few-for-the-level"}
"""The notes of Wilcoxon's test that say its interval is wide."""
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
    """Per noise and number of data sets one job for two models, and one for more."""
    world = worlds["datasets"]
    many = tuple(k for k in world["k"] if k > 2)
    runs: dict[str, Any] = {}
    for noise in world["noise"]:
        for n in world["n"]:
            runs[f"datasets two {noise} n={n}"] = partial(two_models, noise, n)
            runs[f"datasets {noise} n={n}"] = partial(datasets, noise, many, n)
    return [
        Job(name=name, world="datasets", run=run, batch=BATCH, goal=GOAL)
        for name, run in runs.items()
    ]


def two_models(noise: Noise, n: int, rng: Generator, replicates: int) -> list[Found]:
    """Wilcoxon's test of two models: level, power, the width of its interval, and its notes."""
    world = DataSets(k=2, noise=noise)
    counts: dict[str, float] = {}
    sums: dict[str, float] = {}
    facts = {at_alpha("reachable", alpha): _reachable(n, alpha) for alpha in ALPHAS}
    everywhere = np.ones(replicates, dtype=bool)
    pair = world.draw(replicates, n, rng, takes="blocks")["blocks"]
    for alpha in ALPHAS:
        wrong = _wrong(pair, everywhere, "full", alpha)
        _check(pair, wrong, "full", alpha)
        counts[at_alpha("level", alpha)] = tally(wrong)
        found = _wrong(pair + np.array([world.sd, 0.0]), everywhere, "full", alpha)
        counts[at_alpha("power", alpha)] = tally(found)
        noted = 2.0 ** (1 - n) > alpha or _noted(pair[:MEASURED_TIED], alpha)
        counts[noted_at(alpha)] = replicates * float(noted)
        if not _add_widths(counts, sums, pair, noise, alpha):
            facts[at_alpha("unbounded", alpha)] = 1.0
    at = ("full", noise, 2, n)
    return [Found(table=TWO, at=at, replicates=replicates, counts=counts, sums=sums, facts=facts)]


def _noted(pair: FloatArray, alpha: float) -> float:
    """The share of replicates whose interval the public method itself calls wide."""
    codes = [
        {one.code for one in wilcoxon(row[:, 0], row[:, 1], level=1.0 - alpha).notes}
        for row in pair
    ]
    return sum(bool(found & WIDE) for found in codes) / len(codes)


def datasets(
    noise: Noise, models: Sequence[int], n: int, rng: Generator, replicates: int
) -> list[Found]:
    """Wilcoxon's test of every pair with Holm: is any true null rejected?"""
    most = max(models)
    cells: list[tuple[int, Null]] = [(k, null) for k in models for null in NULLS]
    counts: dict[tuple[int, Null], dict[str, float]] = {cell: {} for cell in cells}
    world = DataSets(k=most, noise=noise)
    first, second = np.triu_indices(most, 1)
    roughly = rough_ties if noise == "rounded-2-decimals" else rough_ranks
    size = max(1, NUMBERS // (n * first.size))
    for start in range(0, replicates, size):
        values = world.draw(min(size, replicates - start), n, rng, takes="blocks")["blocks"]
        rough = roughly(values, first, second)
        for k, null in cells:
            mine = values[..., :k] + _lead(k, null, world)
            among = (second < k) & (first >= (null == "partial"))
            for alpha in ALPHAS:
                near = np.asarray(rough.near(_loosest_step(k, null, alpha))[:, among].any(axis=1))
                wrong = _wrong(mine, near, null, alpha)
                _plus(counts[k, null], at_alpha("family_wise", alpha), tally(wrong))
                if start == 0:
                    _check(mine, wrong, null, alpha)
    return [_found(cell, noise, n, replicates, counts[cell]) for cell in cells]


def _lead(k: int, null: Null, world: DataSets) -> FloatArray:
    """Under the partial null the first model is far ahead."""
    lead = np.zeros(k)
    lead[0] = DataSets(k=k, null_kind=null, sd=world.sd).lead
    return lead


def _loosest_step(k: int, null: Null, alpha: float) -> float:
    """The largest p-value at which Holm may reject the first of the true nulls.

    All false ones, those of the model ahead, may have been rejected before it.
    """
    pairs = k * (k - 1) // 2
    return alpha / (pairs - (k - 1 if null == "partial" else 0))


def _wrong(values: FloatArray, near: BoolArray, null: Null, alpha: float) -> BoolArray:
    """Whether any true null is rejected; replicates that are not ``near`` reject none."""
    first, second = np.triu_indices(values.shape[2], 1)
    true = first >= (null == "partial")
    wrong = np.zeros(len(values), dtype=bool)
    if near.any():
        between = (alpha / first.size, _loosest_step(values.shape[2], null, alpha))
        p = signed_rank_p_values(values[near], first, second, between)
        wrong[near] = np.any(holm_rejects(p, alpha) & true, axis=1)
    return wrong


def _add_widths(
    counts: dict[str, float], sums: dict[str, float], pair: FloatArray, noise: Noise, alpha: float
) -> bool:
    """Of the Hodges-Lehmann and of the t interval, of the same replicates; False where unbounded."""
    n = pair.shape[1]
    differences = pair[..., 0] - pair[..., 1]
    error = differences.std(axis=1, ddof=1) / np.sqrt(n)
    reach = -stdtrit(n - 1.0, alpha / 2.0) * error
    covered = np.abs(differences.mean(axis=1)) <= reach
    counts[at_alpha("coverage/paired_t", alpha)] = tally(np.asarray(covered))
    if noise == "rounded-2-decimals":
        size, widths = MEASURED_TIED, _searched(pair[:MEASURED_TIED], alpha)
    else:
        size, widths = MEASURED, shift_widths(differences[:MEASURED], alpha)
    if widths is None:
        return False
    sums[at_alpha("width", alpha)] = float(widths.sum())
    sums[at_alpha("width/paired_t", alpha)] = float(2.0 * reach[:size].sum())
    return True


def _searched(pair: FloatArray, alpha: float) -> FloatArray | None:
    """Widths of the public method's intervals; None where some are unbounded."""
    found = [wilcoxon(one[:, 0], one[:, 1], level=1.0 - alpha).effect.interval for one in pair]
    widths = np.array([0.0 if one is None else one.width for one in found])
    return widths if np.isfinite(widths).all() else None


def _check(values: FloatArray, wrong: BoolArray, null: Null, alpha: float) -> None:
    """Some replicates, and some that reject, go through the public method: its decisions are ours."""
    k = values.shape[2]
    chosen = [*range(min(CHECKED, len(values))), *np.flatnonzero(wrong)[:CHECKED].tolist()]
    for row in chosen:
        if k == 2:
            p = wilcoxon(values[row, :, 0], values[row, :, 1]).p_value
            theirs = p is not None and p <= alpha
        else:
            theirs = any(
                one.p_value is not None
                and one.p_value <= alpha
                and not (null == "partial" and place < k - 1)
                for place, one in enumerate(wilcoxon_pairs(values[row]).outcomes)
            )  # the pairs of the first model come first
        if theirs != wrong[row]:
            raise Disagreement(f"the signed-rank tests of {k} models differ from the public method")


def _reachable(n: int, alpha: float) -> float:
    """The largest size up to alpha of the two-sided signed-rank test without ties."""
    sizes = 2.0 * signed_rank_cdf(n)
    allowed = sizes[sizes <= alpha]
    return float(allowed[-1]) if allowed.size else 0.0


def _found(
    cell: tuple[int, Null], noise: Noise, n: int, replicates: int, counts: dict[str, float]
) -> Found:
    k, null = cell
    least = min(k * (k - 1) / 2 * 2.0 ** (1 - n), 1.0)
    counts["noted"] = float(replicates) if least > ALPHAS[0] else 0.0  # cannot-reach-alpha
    return Found(table=MANY, at=(null, noise, k, n), replicates=replicates, counts=counts)


def _plus(counts: dict[str, float], name: str, value: float) -> None:
    counts[name] = counts.get(name, 0.0) + value
