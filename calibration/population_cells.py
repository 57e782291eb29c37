"""Samples of a population, and what is counted of the intervals of a pair of models in them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

SAMPLES, AT_ONCE, CHECKED = 20_000, 400_000, 3
Population = tuple[str, Any, dict[str, Any]]
"""Its name, the truth and the predictions of every model."""
Cell = dict[str, Any]


def samples(size: int, n: int, rng: np.random.Generator) -> Iterator[tuple[bool, Any]]:
    """Whether they are the first, and places of the items of some samples."""
    step = AT_ONCE // n
    for start in range(0, SAMPLES, step):
        yield start == 0, rng.integers(0, size, (min(step, SAMPLES - start), n))


def plus(counts: Cell, limits: Any, plain: Any, truth: float, shown: int | None = None) -> None:
    """Add what some samples show; widths of the first ``shown`` only."""
    inside = [(low <= truth) & (truth <= high) for low, high in (limits, plain)]
    widths = [float((high - low)[:shown].sum()) for low, high in (limits, plain)]
    more = {
        "samples": len(inside[0]), "covered": int(inside[0].sum()), "t": int(inside[1].sum()),
        "low": int((limits[1] < truth).sum()), "high": int((limits[0] > truth).sum()),
        "width": widths[0], "t_width": widths[1],
    }  # fmt: skip
    for key, value in more.items():
        counts[key] = counts.get(key, 0) + value


def cell_of(name: str, pair: tuple[str, ...], n: int, counts: Cell) -> Cell:
    found = {"set": name, "measure": pair[0], "a": pair[1], "b": pair[2], "n": n, **counts}
    plain = found.pop("t_width", 0.0)
    return found | {"width": round(found["width"] / plain, 4) if plain else 1.0}
