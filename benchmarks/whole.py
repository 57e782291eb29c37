"""The whole of `evaluate` and `compare` beside the numbers they are made of, at n = 100,000.

The kernel is what the same methods compute on arrays and counts that are ready; the rest is reading,
checking, counting, notes and result objects. It may cost twice as much again.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import assay
from assay.estimates.bootstrap import percentile_interval, replicates_of
from assay.estimates.differences import tango
from assay.estimates.resampling_cells import reduce
from assay.evidence.predictions import Predictions
from assay.kernels.bootstrap_means import mean_draws
from assay.measures.registry import find_measure
from benchmarks.bootstraps import labels, numbers, scores
from benchmarks.permutations import pair, scored
from benchmarks.race import Clock, Race, Runner

N = 100_000


def races(_: Clock) -> Iterator[Race]:
    for task, whole, kernel in _tasks():
        yield Race(
            task=f"{task}: kernel alone / whole call",
            n=N,
            ours=Runner(name="assay", run=whole),
            peers=(Runner(name="its kernel", run=kernel),),
            goals=(("its kernel", 1.0 / 3.0),),
        )


def _tasks() -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    of_labels, of_scores, of_numbers = labels(N), scores(N), numbers(N)
    two_labels, two_scores = pair(N), scored(N)
    rng = np.random.default_rng(9)
    two_numbers = {**of_numbers, "b": of_numbers["truth"] + rng.normal(0.0, 0.505, N)}

    yield (
        "evaluate, MCC",
        lambda: assay.evaluate(of_labels, measures=("mcc",), rng=1),
        lambda: _resampled(of_labels, "mcc"),
    )
    yield (
        "evaluate, AUC",
        lambda: assay.evaluate(of_scores, measures=("roc_auc",), rng=1),
        lambda: assay.delong(of_scores["truth"], of_scores["a"]),
    )
    yield (
        "evaluate, RMSE by bootstrap",
        lambda: assay.evaluate(of_numbers, measures=("rmse",), interval="percentile"),
        lambda: _exact(of_numbers),
    )
    yield (
        "compare, accuracy",
        lambda: assay.compare(two_labels, rng=1),
        lambda: _counted(two_labels),
    )
    yield (
        "compare, F1",
        lambda: assay.compare(two_labels, measure="f1", rng=1),
        lambda: _resampled(two_labels, "f1", pairs=True),
    )
    yield (
        "compare, AUC",
        lambda: assay.compare(two_scores, measure="roc_auc", rng=1),
        lambda: assay.delong_test(
            two_scores["truth"], two_scores["a:score"], two_scores["b:score"]
        ),
    )
    yield (
        "compare, MAE",
        lambda: assay.compare(two_numbers, measure="mae", rng=1),
        lambda: _means(two_numbers),
    )


def _resampled(columns: dict[str, Any], measure: str, *, pairs: bool = False) -> Any:
    """Count, draw, evaluate, take limits; of two models both, their difference and their swaps."""
    observed = assay.read(columns)
    if not isinstance(observed, Predictions):
        raise TypeError("these are predictions")
    found = replicates_of(reduce(observed, find_measure(measure)), n_resamples=9999, rng=1)
    limits = [percentile_interval(column) for column in found.replicates.T]
    if not pairs:
        return limits
    permuted = assay.paired_measure_permutation(observed, measure=measure, rng=1)
    return limits, percentile_interval(found.difference("a", "b")[1]), permuted


def _exact(columns: dict[str, Any]) -> Any:
    law = mean_draws((columns["truth"] - columns["a"]) ** 2)
    return law and (law.low(0.025), law.high(0.025))


def _counted(columns: dict[str, Any]) -> Any:
    truth, a, b = (columns[name] for name in ("truth", "a", "b"))
    right_a, right_b = a == truth, b == truth
    both = int((right_a & right_b).sum())
    cells = both, int(right_a.sum()) - both, int(right_b.sum()) - both
    table = (*cells, truth.size - sum(cells))
    return tango(*table), [
        assay.mcnemar(*table, variant=one) for one in ("score", "exact", "mid-p")
    ]


def _means(columns: dict[str, Any]) -> Any:
    a, b = (np.abs(columns[name] - columns["truth"]) for name in "ab")
    return assay.paired_t(a, b), assay.paired_permutation(a, b), assay.wilcoxon(a, b)
