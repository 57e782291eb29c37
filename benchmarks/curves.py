"""ROC curves: DeLong's intervals and tests, and curve, AUC and average precision together."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import assay
from assay.kernels.auc import auc, average_precision, roc_points, sort_scores
from benchmarks.peers import module, plain
from benchmarks.permutations import scored
from benchmarks.race import Clock, Race, Runner


def races(clock: Clock) -> Iterator[Race]:
    for n in clock.sizes:
        columns = scored(n)
        truth, a, b = columns["truth"], columns["a:score"], columns["b:score"]
        if n <= 1_000_000:
            yield _interval(n, truth, a)
            yield _test(n, truth, a, b)
        yield _together(n, truth, a)
    if 1_000_000 not in clock.sizes:  # its goal is at this size
        columns = scored(1_000_000)
        yield _together(1_000_000, columns["truth"], columns["a:score"])


def _interval(n: int, truth: Any, a: Any) -> Race:
    def agrees() -> tuple[bool, str]:
        library = module("confidenceinterval")
        if library is None:
            return True, "no peer"
        _, (low, high) = library.roc_auc_score(truth, a)
        ours = assay.delong(truth, a).interval
        far = max(abs(ours.low - low), abs(ours.high - high))
        return far < 1e-6, f"limits within {far:.0e}"

    return Race(
        task="DeLong interval",
        n=n,
        ours=Runner(name="assay", run=lambda: assay.delong(truth, a)),
        peers=plain(
            (
                "confidenceinterval",
                "confidenceinterval",
                lambda m: lambda: m.roc_auc_score(truth, a),
            )
        ),
        goals=(("fastest", 8),) if n == 100_000 else (),
        agrees=agrees if n == 1_000 else None,
    )


def _test(n: int, truth: Any, a: Any, b: Any) -> Race:
    def statkit(library: Any) -> Any:
        return library.Delong_test(truth, a, b, return_ci=False, return_auc=False)

    def agrees() -> tuple[bool, str]:
        library = module("MLstatkit")
        if library is None:
            return True, "no peer"
        theirs = float(np.ravel(statkit(library))[1])
        ours = float(assay.delong_test(truth, a, b).p_value or 0.0)
        return abs(ours - theirs) < 1e-6, f"p = {ours:.6f}, theirs {theirs:.6f}"

    return Race(
        task="paired DeLong test",
        n=n,
        ours=Runner(name="assay", run=lambda: assay.delong_test(truth, a, b)),
        peers=plain(("MLstatkit", "MLstatkit", lambda m: lambda: statkit(m))),
        goals=(("fastest", 8),) if n == 100_000 else (),
        agrees=agrees if n == 1_000 else None,
    )


def _together(n: int, truth: Any, a: Any) -> Race:
    def ours() -> tuple[Any, float, float]:
        groups = sort_scores(truth, a)
        return roc_points(groups), auc(groups), average_precision(groups)

    def sklearn(metrics: Any) -> tuple[Any, float, float]:
        return (
            metrics.roc_curve(truth, a),
            metrics.roc_auc_score(truth, a),
            metrics.average_precision_score(truth, a),
        )

    def agrees() -> tuple[bool, str]:
        _, area, precision = sklearn(module("scikit-learn"))
        far = max(abs(area - ours()[1]), abs(precision - ours()[2]))
        return far < 1e-12, f"both within {far:.0e}"

    return Race(
        task="ROC curve, AUC and average precision",
        n=n,
        ours=Runner(name="assay", run=ours),
        peers=plain(("scikit-learn", "scikit-learn", lambda m: lambda: sklearn(m))),
        goals=(("fastest", 5),) if n == 1_000_000 else (),
        agrees=agrees if n == 1_000 else None,
    )
