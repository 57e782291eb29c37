"""A cell of the calibration grid, what is counted in it, and the jobs that fill it."""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.rng import stream

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Value = float | int | str
ALPHAS = (0.05, 0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One procedure in one world: what the cells of a table have in common."""

    procedure: str
    answers: str
    """"compare" (a test and its interval) or "evaluate" (an interval)."""
    world: str
    unit: str
    parameters: tuple[str, ...]
    measure: str | None = None

    @property
    def key(self) -> str:
        return "/".join((self.answers, self.world, self.procedure, self.measure or "-"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one batch of replicates counted in one cell.

    ``counts`` are numbers of replicates, or probabilities where the sample space was enumerated;
    ``sums`` are sums over replicates (means where enumerated). Names are kind@alpha, and
    kind/method@alpha for other methods of the catalogue in the same cell.
    """

    table: Table
    at: tuple[Value, ...]
    replicates: int | None
    """None where the sample space was enumerated."""
    counts: Mapping[str, float]
    sums: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, float] = field(default_factory=dict)
    """What judging needs: the expected minority count, the largest size a valid test could have."""


Run = Callable[[np.random.Generator, int], list[Found]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Cells that are measured together, and how."""

    name: str
    world: str
    run: Run
    batch: int
    """Replicates in one batch; 0 where the sample space is enumerated."""
    goal: int
    """Replicates after which the cell is done."""

    @property
    def batches(self) -> int:
        return 1 if self.batch == 0 else -(-self.goal // self.batch)

    def measure(self, number: int) -> list[Found]:
        """Batch ``number``, from a seed that follows from the name alone."""
        digest = hashlib.sha256(self.name.encode()).digest()
        return self.run(stream(int.from_bytes(digest[:4], "big"), number), self.batch)


def goal_of(counted: float, asked: int = 100_000) -> int:
    """Replicates to draw where a share of them gives no answer and is not counted."""
    return asked if counted > 0.98 else math.ceil(asked / counted)


def at_alpha(kind: str, alpha: float) -> str:
    return f"{kind}@{alpha:g}"


def noted_at(alpha: float) -> str:
    """The name under which replicates with a note are counted: at 5 % plain "noted"."""
    return "noted" if alpha == ALPHAS[0] else at_alpha("noted", alpha)


def count_interval(
    counts: dict[str, float],
    sums: dict[str, float],
    limits: tuple[Any, Any],
    truth: Any,
    alpha: float,
    *,
    weights: FloatArray | None = None,
    method: str = "",
    where: str = "",
) -> None:
    """Coverage, misses on either side and width of intervals, weighed by their probability."""
    low, high = np.asarray(limits[0], np.float64), np.asarray(limits[1], np.float64)
    below, above = low > truth, high < truth
    added = [("coverage", ~(below | above))]
    if not method:
        added += [("missed_low", below), ("missed_high", above)]
    for kind, hit in added:
        name = at_alpha(f"{kind}{where}{method}", alpha)
        counts[name] = float(hit.sum() if weights is None else weights[hit].sum())
    width = high - low
    name = at_alpha(f"width{where}{method}", alpha)
    sums[name] = float(width.sum() if weights is None else weights @ width)


def tally(flags: BoolArray, weights: FloatArray | None = None) -> float:
    """How many, or how probable."""
    return float(flags.sum() if weights is None else weights[flags].sum())
