"""The peers, each by the call its own documentation shows. A peer that is not installed is None."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.race import Resampler, Run, Runner

Array = NDArray[Any]
Metric = Callable[[Array, Array], float]

PACKAGES = {
    "scikit-learn": "sklearn.metrics",
    "scipy": "scipy.stats",
    "confidenceinterval": "confidenceinterval",
    "mlxtend": "mlxtend.evaluate",
    "statsmodels": "statsmodels.stats.contingency_tables",
    "MLstatkit": "MLstatkit",
    "autorank": "autorank",
    "scikit-posthocs": "scikit_posthocs",
    "baycomp": "baycomp",
    "deepsig": "deepsig",
    "rliable": "rliable.library",
    "arch": "arch.bootstrap",
}


LIMITS: dict[str, Callable[[Any], tuple[float, float]]] = {
    "scikit-learn loop": lambda found: found,
    "scipy.stats.bootstrap": lambda found: tuple(found.confidence_interval),
    "confidenceinterval": lambda found: tuple(found[1]),
    "mlxtend": lambda found: tuple(found[2]),
    "MLstatkit": lambda found: (found[1], found[2]),
    "arch": lambda found: tuple(np.ravel(found)),
}
"""Where the limits of an interval are in what each peer's bootstrap returns."""


def module(package: str) -> Any | None:
    """The peer's module, or None where it is not installed or does not import."""
    try:
        return import_module(PACKAGES[package])
    except Exception:  # noqa: BLE001 - some peers break on newer dependencies
        return None


def versions() -> dict[str, str]:
    """The version of each peer; "missing" where there is none."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
        if found[package] != "missing" and module(package) is None:
            found[package] += " (does not import)"
    return found


def runners(
    *candidates: tuple[str, str, Callable[[Any], Resampler | None]], batch: int = 2
) -> tuple[Runner, ...]:
    """Resampling peers that are there: (label, package, how to make the function of replicates).

    scipy is timed on whole batches: a part of one takes nearly as long as all of it.
    """
    found = []
    for label, package, make in candidates:
        library = module(package)
        resample = None if library is None else make(library)
        if resample is not None:
            fewest = min(max(2, batch), 2_000) if package == "scipy" else 2
            found.append(Runner(name=label, resample=resample, fewest=fewest))
    return tuple(found)


def at_once(n: int, cells: int = 1_000_000) -> int:
    """Resamples of n rows that scipy is given to do together: as many as it is fastest with."""
    return max(1, cells // n)


def plain(*candidates: tuple[str, str, Callable[[Any], Run]]) -> tuple[Runner, ...]:
    """Peers that are there and have no replicates."""
    libraries = [(label, module(package), make) for label, package, make in candidates]
    return tuple(
        Runner(name=label, run=make(library))
        for label, library, make in libraries
        if library is not None
    )


def metric_loop(metric: Metric, truth: Array, answers: Array, size: int) -> tuple[float, float]:
    """What people write: a metric of resampled rows, over and over."""
    rng = np.random.default_rng(1)
    values = []
    for _ in range(size):
        rows = rng.integers(0, truth.size, truth.size)
        values.append(metric(truth[rows], answers[rows]))
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def bootstraps(
    metric: Metric,
    truth: Array,
    answers: Array,
    *,
    vectorised: Callable[..., Any] | None = None,
    confidence: str | None = None,
    statkit: str | None = None,
) -> tuple[Runner, ...]:
    """All that bootstrap a metric: ``confidence`` and ``statkit`` name it to those libraries."""

    def scipy_stats(stats: Any, size: int) -> Any:
        batch = at_once(truth.size)
        options = {"vectorized": True, "batch": batch} if vectorised else {"vectorized": False}
        return stats.bootstrap(
            (truth, answers), vectorised or metric, n_resamples=size, paired=True,
            method="percentile", rng=np.random.default_rng(1), **options,
        )  # fmt: skip

    def interval(library: Any, size: int) -> Any:
        options = {"average": "binary"} if confidence == "f1_score" else {}
        return getattr(library, confidence or "")(
            truth, answers, method="bootstrap_percentile", n_resamples=size, **options
        )

    def mlxtend(library: Any, size: int) -> Any:
        both = np.column_stack([truth, answers])
        return library.bootstrap(
            both, func=lambda rows: metric(rows[:, 0], rows[:, 1]), num_rounds=size, ci=0.95, seed=1
        )

    def statkit_of(library: Any, size: int) -> Any:
        return library.Bootstrapping(
            truth, answers, statkit, n_bootstraps=size, average="binary", random_state=1
        )

    def arch(library: Any, size: int) -> Any:
        return library.IIDBootstrap(truth, answers, seed=1).conf_int(
            metric, reps=size, method="percentile"
        )

    return runners(
        ("scikit-learn loop", "scikit-learn", lambda _: partial(metric_loop, metric, truth, answers)),
        ("scipy.stats.bootstrap", "scipy", lambda m: partial(scipy_stats, m)),
        ("confidenceinterval", "confidenceinterval", lambda m: partial(interval, m) if confidence else None),
        ("mlxtend", "mlxtend", lambda m: partial(mlxtend, m)),
        ("MLstatkit", "MLstatkit", lambda m: partial(statkit_of, m) if statkit else None),
        ("arch", "arch", lambda m: partial(arch, m)),
        batch=at_once(truth.size) if vectorised else 2,
    )  # fmt: skip
