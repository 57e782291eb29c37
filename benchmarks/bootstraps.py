"""Bootstrap intervals of one model: labels by cells, rankings by weights, means exactly."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.estimates.bootstrap import bootstrap
from benchmarks.peers import LIMITS, bootstraps, module, plain
from benchmarks.race import REPLICATES, Clock, Race, Runner

LARGEST_RANKED = 1_000_000
"""Rows up to which assay's own ranking bootstrap is timed (it grows with rows times replicates)."""


def labels(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    truth = (rng.random(n) < 0.3).astype(np.int64)
    return {"truth": truth, "a": np.where(rng.random(n) < 0.15, 1 - truth, truth)}


def scores(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    truth = (rng.random(n) < 0.3).astype(np.int64)
    return {"truth": truth, "a": 1.0 / (1.0 + np.exp(-rng.normal(1.5 * truth - 1.0, 1.0, n)))}


def numbers(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=n)
    return {"truth": truth, "a": truth + rng.normal(0.0, 0.5, n)}


def races(clock: Clock) -> Iterator[Race]:
    """Every measure of the list at every size."""
    metrics = module("scikit-learn")
    if metrics is None:
        return
    for n in clock.sizes:
        yield from _labels(n, metrics, clock)
        yield from _means(n, metrics, clock)
        if n <= LARGEST_RANKED:
            yield from _rankings(n, metrics, clock)
    if 1_000_000 not in clock.sizes:  # goals are at this size
        yield from _labels(1_000_000, metrics, clock)
    if not clock.quick:
        yield _accelerated(metrics)


def agrees(
    measure: str, columns: dict[str, Any], peers: tuple[Runner, ...], checked: int
) -> tuple[bool, str]:
    """Our limits beside those of every peer: within four Monte-Carlo errors of both."""
    found = bootstrap(columns, measure=measure, n_resamples=REPLICATES, rng=1)
    if found.interval is None or found.standard_error is None:
        return False, "no interval"
    far = {}
    for peer in peers:
        try:
            low, high = LIMITS[peer.name](peer.resample(checked)) if peer.resample else (0.0, 0.0)
        except Exception:  # noqa: BLE001 - a peer that breaks is told of where it is timed
            continue
        apart = max(abs(low - found.interval.low), abs(high - found.interval.high))
        far[peer.name] = float(apart) / found.standard_error
    # the standard error of a 2.5 % quantile of B normal replicates is 2.67 / sqrt(B) of theirs
    allowed = 4.0 * 2.67 * (checked**-0.5 + REPLICATES**-0.5)
    beyond = [name for name, distance in far.items() if distance > allowed]
    text = f"limits of {len(far)} peers within {max(far.values(), default=0.0):.2f} standard errors"
    text += f" (Monte-Carlo: {allowed:.2f})"
    return not beyond, f"{', '.join(beyond)} beyond; {text}" if beyond else text


def _race(
    measure: str,
    n: int,
    make: Callable[[int], dict[str, Any]],
    metric: Any,
    goals: Mapping[int, tuple[tuple[str, float], ...]],
    clock: Clock,
    **peers: Any,
) -> Race:
    columns = make(n)
    others = bootstraps(metric, columns["truth"], columns["a"], **peers)
    if n >= 1_000_000:  # minutes each: the loop that the goals speak of, and scipy while it can
        both = n < 10_000_000 and not clock.quick
        others = tuple(replace(one, fewest=1) for one in others[: 2 if both else 1])

    def ours(size: int = REPLICATES) -> Any:
        return bootstrap(columns, measure=measure, n_resamples=size, rng=1)

    ranked = "auc" in measure or measure == "average_precision"
    return Race(
        task=f"bootstrap, {measure}",
        n=n,
        ours=Runner(name="assay", resample=ours, fewest=39)
        if ranked
        else Runner(name="assay", run=ours),
        peers=others,
        goals=goals.get(n, ()),
        agrees=(lambda: agrees(measure, columns, others, clock.checked)) if n == 1_000 else None,
    )


def _accelerated(metrics: Any, n: int = 1_000, size: int = 1_000) -> Race:
    """BCa: by influence values here, by n refits elsewhere; of fewer resamples, which count less."""
    columns = scores(n)
    truth, answers = columns["truth"], columns["a"]

    def interval(library: Any) -> Any:
        return library.roc_auc_score(truth, answers, method="bootstrap_bca", n_resamples=size)

    def scipy_stats(stats: Any) -> Any:
        return stats.bootstrap(
            (truth, answers), metrics.roc_auc_score, n_resamples=size, paired=True,
            vectorized=False, method="BCa", rng=np.random.default_rng(1),
        )  # fmt: skip

    def ours() -> Any:
        return bootstrap(columns, measure="roc_auc", interval="bca", n_resamples=size, rng=1)

    return Race(
        task=f"BCa interval of roc_auc, {size:,} resamples",
        n=n,
        ours=Runner(name="assay", run=ours),
        peers=plain(
            ("confidenceinterval", "confidenceinterval", lambda m: lambda: interval(m)),
            ("scipy.stats.bootstrap", "scipy", lambda m: lambda: scipy_stats(m)),
        ),
    )


def _labels(n: int, metrics: Any, clock: Clock) -> Iterator[Race]:
    loop, batched = "scikit-learn loop", "scipy.stats.bootstrap"
    goals = {100_000: ((loop, 5_000), (batched, 1_000)), 1_000_000: ((loop, 50_000),)}

    def counts(truth: Any, answer: Any, axis: int = -1) -> tuple[Any, Any, Any]:
        hits = ((truth == 1) & (answer == 1)).sum(axis)
        return hits, (answer == 1).sum(axis), (truth == 1).sum(axis)

    def f1(truth: Any, answer: Any, axis: int = -1) -> Any:
        hits, called, there = counts(truth, answer, axis)
        return 2 * hits / (called + there)

    def accuracy(truth: Any, answer: Any, axis: int = -1) -> Any:
        return (truth == answer).mean(axis)

    yield _race("accuracy", n, labels, metrics.accuracy_score, goals, clock, vectorised=accuracy,
                confidence="accuracy_score", statkit="accuracy")  # fmt: skip
    yield _race("f1", n, labels, metrics.f1_score, goals, clock, vectorised=f1, confidence="f1_score",
                statkit="f1")  # fmt: skip
    yield _race("mcc", n, labels, metrics.matthews_corrcoef, goals, clock)


def _rankings(n: int, metrics: Any, clock: Clock) -> Iterator[Race]:
    loop = "scikit-learn loop"
    area = {1_000: ((loop, 100),), 100_000: ((loop, 50),)}
    yield _race("roc_auc", n, scores, metrics.roc_auc_score, area, clock, confidence="roc_auc_score",
                statkit="roc_auc")  # fmt: skip
    precision = {1_000: ((loop, 30),), 100_000: ((loop, 12),)}
    yield _race("average_precision", n, scores, metrics.average_precision_score, precision, clock,
                statkit="average_precision")  # fmt: skip
    if n <= 100_000:
        yield _race(
            "partial_auc_mcclish[0.1]", n, scores,
            lambda truth, answer: metrics.roc_auc_score(truth, answer, max_fpr=0.1), {}, clock,
        )  # fmt: skip


def _means(n: int, metrics: Any, clock: Clock) -> Iterator[Race]:
    loop, batched = "scikit-learn loop", "scipy.stats.bootstrap"
    goals = {100_000: ((loop, 1_000), (batched, 500))}

    def rmse(truth: Any, answer: Any, axis: int = -1) -> Any:
        return np.sqrt(((truth - answer) ** 2).mean(axis))

    def mae(truth: Any, answer: Any, axis: int = -1) -> Any:
        return np.abs(truth - answer).mean(axis)

    def brier(truth: Any, answer: Any, axis: int = -1) -> Any:
        return ((truth - answer) ** 2).mean(axis)

    def log_loss(truth: Any, answer: Any, axis: int = -1) -> Any:
        return -np.log(np.where(truth == 1, answer, 1.0 - answer)).mean(axis)

    yield _race("rmse", n, numbers, metrics.root_mean_squared_error, goals, clock, vectorised=rmse)
    yield _race("mae", n, numbers, metrics.mean_absolute_error, goals, clock, vectorised=mae)
    yield _race("brier", n, scores, metrics.brier_score_loss, goals, clock, vectorised=brier)
    yield _race("log_loss", n, scores, metrics.log_loss, goals, clock, vectorised=log_loss)
