"""Runs over seeds beside deep-significance and rliable.

The peers pin other versions, so their seconds are measured apart, in a virtual environment of their
own (`pip install deepsig rliable "pandas<3"`), by this file called with --peers; without it, the figures
measured in November 2026 on two cores are shown.

    python benchmarks/runs.py
    python benchmarks/runs.py --peers          # where the peers are installed
"""

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

MEASURED = {
    "ASO, one pair of 10 runs": ("deep-significance 1.2.8, 1,000 resamples", 2.8),
    "ASO, 10 models of 10 runs": ("deep-significance 1.2.8, 1,000 resamples", 239.0),
    "IQM, 26 tasks x 5 runs": ("rliable 1.2.0, 50,000 resamples", 5.4),
}
"""What each question took its peer, in seconds; multi_aso from research/performance.md."""


def _scores() -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    models = {f"model {k}": rng.normal(0.70 + 0.01 * k, 0.1, 10) for k in range(10)}
    return models, rng.normal(1.0, 0.5, (5, 26))


def _seconds(function: Callable[[], Any], repeats: int = 3) -> float:
    """The fastest of a few calls."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def ours() -> None:
    from assay.estimates.runs import interquartile_mean, performance_profile
    from assay.hypotheses.runs import aso, multi_aso

    models, matrix = _scores()
    a, b = models["model 0"], models["model 1"]
    measured = {
        "ASO, one pair of 10 runs": _seconds(lambda: aso(a, b, rng=1)),
        "ASO, 10 models of 10 runs": _seconds(lambda: multi_aso(models, rng=1)),
        "IQM, 26 tasks x 5 runs": _seconds(
            lambda: interquartile_mean(matrix, n_resamples=50_000, rng=1)
        ),
    }
    print(f"{'':28} {'assay':>9} {'peer':>9} {'times':>7}")
    for question, seconds in measured.items():
        peer, theirs = MEASURED[question]
        print(f"{question:28} {seconds:8.3f}s {theirs:8.1f}s {theirs / seconds:6.0f}x  {peer}")
    seconds = _seconds(lambda: performance_profile(matrix, rng=1))
    print(f"{'profile with its band':28} {seconds:8.3f}s")
    print("assay draws 9,999 resamples (IQM 50,000)")


def peers() -> None:
    deepsig = importlib.import_module("deepsig")
    library, metrics = (
        importlib.import_module(f"rliable.{name}") for name in ("library", "metrics")
    )
    models, matrix = _scores()
    a, b = models["model 0"], models["model 1"]
    pair = _seconds(lambda: deepsig.aso(a, b, seed=1, show_progress=False), repeats=1)
    print(f"deep-significance, one pair: {pair:.2f} s")

    def mean(scores: Any) -> Any:
        return np.array([metrics.aggregate_iqm(scores)])

    iqm = _seconds(lambda: library.get_interval_estimates({"a": matrix}, mean, reps=50_000), 1)
    print(f"rliable, IQM: {iqm:.2f} s")


if __name__ == "__main__":
    peers() if "--peers" in sys.argv else ours()
