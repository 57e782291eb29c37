"""Bayesian comparisons beside a straightforward loop of the same algorithm, and baycomp if it is there.

    python benchmarks/bayes.py

Seconds, the best of several runs after import. Limits are those of research/performance.md: 93 ms
for one pair of 50,000 draws, a hundredth of autorank's 54 s for all pairs of ten.
"""

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.hypotheses.bayes import (
    bayes_correlated_t,
    bayes_sign,
    bayes_signed_rank,
    bayes_signed_rank_pairs,
)
from assay.hypotheses.bayes_hierarchical import bayes_hierarchical

DRAWS, ROPE = 50_000, 0.01


def seconds(run: Callable[[], Any], repeats: int = 5) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def loop(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signed-rank posterior as it is defined: one draw of weights after the other."""
    rng = np.random.default_rng(1)
    values = np.append(differences, 0.0)
    sums = values[:, None] + values
    above, below = np.heaviside(sums - 2 * ROPE, 0.5), np.heaviside(-sums - 2 * ROPE, 0.5)
    wins = np.zeros(3)
    for weights in rng.dirichlet(np.append(np.ones(differences.size), 0.5), DRAWS):
        pairs = np.outer(weights, weights)
        left, right = float((pairs * below).sum()), float((pairs * above).sum())
        wins[int(np.argmax([left, 1.0 - left - right, right]))] += 1
    return wins / DRAWS


def line(task: str, ours: float, other: float | None = None, name: str = "loop") -> None:
    beside = "" if other is None else f"   {name} {other:8.3f} s   {other / ours:6.0f} times"
    print(f"{task:<56} {ours:8.3f} s{beside}")


def main() -> None:
    rng = np.random.default_rng(1)
    for n in (54, 100):
        table = 0.8 + rng.normal(0.0, 0.02, (n, 10))
        a, b = table[:, 0], table[:, 1]
        one = seconds(partial(bayes_signed_rank, a, b, rope=ROPE, rng=1))
        looped = seconds(partial(loop, a - b), 1)
        task = f"signed rank, one pair, {n} units, {DRAWS:,} draws"
        line(task, one, looped)
        if find_spec("baycomp"):
            probs = import_module("baycomp").SignedRankTest.probs
            line(task, one, seconds(partial(probs, a, b, ROPE, nsamples=DRAWS), 1), "baycomp")
        ten = seconds(partial(bayes_signed_rank_pairs, table, rope=ROPE, rng=1), 3)
        line(f"signed rank, all 45 pairs of ten, {n} units", ten, 45 * looped, "45 loops")
    folds = rng.normal(0.01, 0.03, (54, 100)) + rng.normal(0.0, 0.02, (54, 1))
    line("correlated t, 100 folds", seconds(lambda: bayes_correlated_t(folds[0], folds=10)))
    line("sign, 54 units, exact", seconds(lambda: bayes_sign(folds.mean(axis=1), rope=ROPE)))
    model = seconds(lambda: bayes_hierarchical(folds, rope=ROPE, folds=10, rng=1), 2)
    line("hierarchical, 54 data sets of 100 scores", model)


if __name__ == "__main__":
    main()
