"""How time and memory grow: with items, resamples, models and data sets; slopes on logarithmic axes.

python -m benchmarks growth          # the table, and docs/pictures/growth.png
"""

import math
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.estimates.bootstrap import bootstrap
from assay.hypotheses.simultaneous import simultaneous_bootstrap
from assay.kernels.auc import forget_sorted
from benchmarks.bootstraps import labels, numbers, scores

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "growth.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """One task along one size, with the slope that theory gives its time and its memory."""

    task: str
    along: str
    sizes: tuple[int, ...]
    make: Callable[[int], Callable[[], Any]]
    theory: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    growth: Growth
    seconds: tuple[float, ...]
    megabytes: tuple[float, ...]

    def slope(self, values: tuple[float, ...]) -> float:
        """Between the two largest sizes, where fixed costs count least."""
        sizes = self.growth.sizes
        return math.log(values[-1] / values[-2]) / math.log(sizes[-1] / sizes[-2])


def growths(*, quick: bool = False) -> list[Growth]:
    return [*_with_items(quick=quick), *_with_models_and_sets()]


def _with_items(*, quick: bool) -> list[Growth]:
    """Along items, and resamples of them."""
    many = (1_000, 10_000, 100_000, 1_000_000)
    most = () if quick else (10_000_000,)
    return [
        Growth(
            task="F1, bootstrap over cells", along="items", sizes=(*many, *most),
            make=lambda n: _on(labels(n), measure="f1", rng=1),
            theory="counting in parts: time n, memory constant",
        ),
        Growth(
            task="RMSE, exact bootstrap", along="items", sizes=(*many, *most),
            make=lambda n: _on(numbers(n), measure="rmse"),
            theory="one pass: time n, memory n",
        ),
        Growth(
            task="AUC, bootstrap of 500", along="items", sizes=many[:3],
            make=lambda n: _on(scores(n), measure="roc_auc", n_resamples=500, rng=1),
            theory="time n B; memory n",
        ),
        Growth(
            task="AUC of 2,000 items, bootstrap", along="resamples",
            sizes=(1_000, 4_000, 16_000, 64_000),
            make=lambda b: _on(scores(2_000), measure="roc_auc", n_resamples=b, rng=1),
            theory="time B; memory B, one number each",
        ),
        Growth(
            task="DeLong interval", along="items", sizes=many, make=_delong,
            theory="one sort: time n log n, memory n",
        ),
    ]  # fmt: skip


def _with_models_and_sets() -> list[Growth]:
    return [
        Growth(
            task="all pairs of k models, 2,000 items", along="models", sizes=(2, 4, 8, 16, 32),
            make=_models, theory="time k to k²; memory k",
        ),
        Growth(
            task="Friedman and Nemenyi, 10 models", along="data sets",
            sizes=(10, 100, 1_000, 10_000), make=_datasets, theory="time and memory: data sets",
        ),
        Growth(
            task="Wilcoxon of all pairs, 10 models", along="data sets",
            sizes=(10, 100, 1_000, 10_000), make=lambda n: _pairs(n, 10),
            theory="sorts: time n log n, memory n",
        ),
        Growth(
            task="Wilcoxon of all pairs, 100 data sets", along="models",
            sizes=(5, 10, 20, 40, 80), make=lambda k: _pairs(100, k), theory="time and memory k²",
        ),
    ]  # fmt: skip


def measured(growth: Growth, rounds: int = 3) -> Curve:
    seconds, megabytes = [], []
    for size in growth.sizes:
        run = growth.make(size)
        run()
        best = min(_seconds(run) for _ in range(rounds))
        tracemalloc.start()
        run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        seconds.append(best)
        megabytes.append(peak / 2**20)
    return Curve(growth=growth, seconds=tuple(seconds), megabytes=tuple(megabytes))


def draw(curves: list[Curve], path: Path = PICTURE) -> None:
    """Time and memory against size, one line a task."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.6), layout="constrained")
    for axis, title in zip(axes, ("seconds", "peak memory, MiB"), strict=True):
        for curve in curves:
            values = curve.seconds if title == "seconds" else curve.megabytes
            name = f"{curve.growth.task} ({curve.slope(values):.2f})"
            axis.loglog(curve.growth.sizes, values, marker="o", markersize=3, label=name)
        ends = np.array(axis.get_xlim())
        middle = math.sqrt(math.prod(axis.get_ylim()) / math.prod(ends))
        kept = axis.get_ylim()
        axis.loglog(ends, middle * ends, color="0.6", linestyle=":", label="slope 1")
        axis.set_ylim(kept)
        axis.set_xlabel("items, resamples, models or data sets")
        axis.set_ylabel(title)
        axis.legend(
            fontsize=7, title="task (slope)", title_fontsize=8, ncols=2,
            loc="upper center", bbox_to_anchor=(0.5, -0.13),
        )  # fmt: skip
        axis.grid(visible=True, which="major", alpha=0.3)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def table(curves: list[Curve]) -> list[str]:
    lines = [
        "| task | along | sizes | seconds at the largest | slope | MiB at the largest | slope | theory |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for curve in curves:
        growth = curve.growth
        sizes = f"{growth.sizes[0]:,} to {growth.sizes[-1]:,}"
        lines.append(
            f"| {growth.task} | {growth.along} | {sizes} | {curve.seconds[-1]:.3g} | "
            f"{curve.slope(curve.seconds):.2f} | {curve.megabytes[-1]:.3g} | "
            f"{curve.slope(curve.megabytes):.2f} | {growth.theory} |"
        )
    return lines


def _on(columns: dict[str, Any], **options: Any) -> Callable[[], Any]:
    return lambda: bootstrap(columns, **options)


def _delong(n: int) -> Callable[[], Any]:
    columns = scores(n)
    return lambda: assay.delong(columns["truth"], columns["a"])


def _models(k: int) -> Callable[[], Any]:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 2_000)
    columns = {"truth": truth}
    for number in range(k):
        columns[f"m{number}"] = np.where(rng.random(2_000) < 0.15, 1 - truth, truth)
    return lambda: simultaneous_bootstrap(columns, measure="f1", n_resamples=1999, rng=1)


def _datasets(size: int) -> Callable[[], Any]:
    table = np.random.default_rng(1).normal(size=(size, 10))
    return lambda: (assay.friedman(table), assay.nemenyi(table))


def _pairs(sets: int, models: int) -> Callable[[], Any]:
    table = np.random.default_rng(1).normal(size=(sets, models))
    return lambda: assay.wilcoxon_pairs(table)


def _seconds(run: Callable[[], Any]) -> float:
    forget_sorted()
    start = time.process_time()
    run()
    return max(time.process_time() - start, math.ulp(1.0))
