"""Worlds of data sets: paired scores of k algorithms, nulls full (all alike) and partial (all but one).

The same draws serve every k (its models are the first of the most) and both nulls (the first model
moved ahead): each cell is right by itself, and cells of one noise and n hang together.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.special import stdtrit

from assay.hypotheses.paired_scores import wilcoxon
from assay.hypotheses.posthoc import wilcoxon_pairs
from assay.kernels.signed_rank_pairs import signed_rank_cdf
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
from assay.simulate.calibration.signed_ranks import (
    holm_rejects,
    rough_ranks,
    rough_ties,
    shift_widths,
    signed_rank_p_values,
)
from assay.simulate.worlds.grouped import DataSets, Noise, Null

Generator = np.random.Generator
BATCH, GOAL = 20_000, 100_000
NUMBERS = 2_000_000
"""Differences ranked at a time."""
MEASURED, MEASURED_TIED = 2_000, 40
"""Replicates of a batch whose intervals are measured; with ties each is searched for."""

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
    """One job per noise and number of data sets."""
    world = worlds["datasets"]
    return [
        Job(
            name=f"datasets {noise} n={n}",
            world="datasets",
            run=partial(datasets, noise, tuple(world["k"]), n),
            batch=BATCH,
            goal=GOAL,
        )
        for noise in world["noise"]
        for n in world["n"]
    ]


def datasets(
    noise: Noise, models: Sequence[int], n: int, rng: Generator, replicates: int
) -> list[Found]:
    """Wilcoxon's test of two, or of every pair with Holm: is any true null rejected?"""
    most = max(models)
    cells: list[tuple[int, Null]] = [(k, null) for k in models for null in NULLS[: 1 + (k > 2)]]
    counts: dict[tuple[int, Null], dict[str, float]] = {cell: {} for cell in cells}
    sums: dict[str, float] = {}
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
                _plus(counts[k, null], at_alpha(_kind(k), alpha), tally(wrong))
                if start == 0:
                    _check(mine, wrong, null, alpha)
        if start < MEASURED and 2 in models:
            _add_widths(sums, values[: MEASURED - start, :, :2], noise)
        if 2 in models:
            _add_pair(counts[2, "full"], values[..., :2], world.sd)
    return [_found(cell, noise, n, replicates, counts[cell], sums) for cell in cells]


def _kind(k: int) -> str:
    return "level" if k == 2 else "family_wise"


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


def _add_pair(counts: dict[str, float], pair: FloatArray, spread: float) -> None:
    """The power of the test of two models one spread apart, and the coverage of a t interval."""
    n = pair.shape[1]
    everywhere = np.ones(len(pair), dtype=bool)
    differences = pair[..., 0] - pair[..., 1]
    centre, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / np.sqrt(n)
    for alpha in ALPHAS:
        found = _wrong(pair + np.array([spread, 0.0]), everywhere, "full", alpha)
        _plus(counts, at_alpha("power", alpha), tally(found))
        covered = np.abs(centre) <= -stdtrit(n - 1.0, alpha / 2.0) * error
        _plus(counts, at_alpha("coverage/paired_t", alpha), tally(covered))


def _add_widths(sums: dict[str, float], pair: FloatArray, noise: Noise) -> None:
    """Of the Hodges-Lehmann interval and of the t interval, of the same replicates."""
    n = pair.shape[1]
    differences = pair[..., 0] - pair[..., 1]
    for alpha in ALPHAS:
        if noise == "rounded-2-decimals":
            differences = differences[:MEASURED_TIED]
            widths = _searched(pair[:MEASURED_TIED], alpha)
        else:
            widths = shift_widths(differences, alpha)
        if widths is None:
            continue
        error = differences.std(axis=1, ddof=1) / np.sqrt(n)
        _plus(sums, at_alpha("width", alpha), float(widths.sum()))
        other = float((-2.0 * stdtrit(n - 1.0, alpha / 2.0) * error).sum())
        _plus(sums, at_alpha("width/paired_t", alpha), other)


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
    cell: tuple[int, Null],
    noise: Noise,
    n: int,
    replicates: int,
    counts: dict[str, float],
    sums: dict[str, float],
) -> Found:
    k, null = cell
    least = min(k * (k - 1) / 2 * 2.0 ** (1 - n), 1.0)
    counts["noted"] = float(replicates) if least > ALPHAS[0] else 0.0  # cannot-reach-alpha
    facts = {}
    if k == 2:
        facts = {at_alpha("reachable", alpha): _reachable(n, alpha) for alpha in ALPHAS}
        facts |= {at_alpha("unbounded", alpha): 1.0 for alpha in ALPHAS if least > alpha}
    return Found(
        table=TWO if k == 2 else MANY,
        at=(null, noise, k, n),
        replicates=replicates,
        counts=counts,
        sums=sums if k == 2 else {},
        facts=facts,
    )


def _plus(counts: dict[str, float], name: str, value: float) -> None:
    counts[name] = counts.get(name, 0.0) + value
