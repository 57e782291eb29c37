"""The classic mistakes, run and measured: what people do beside what assay does (A10)."""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from time import perf_counter
from typing import Any, Literal

import numpy as np

from assay.core.arrays import BoolArray
from assay.core.checks import check_choice, check_count
from assay.core.errors import UsageError
from assay.core.results import Interval
from assay.core.rng import Rng, seed_of, stream
from assay.estimates.proportions import clopper_pearson
from assay.simulate import misuse_trials

Quantity = Literal["false alarms", "coverage", "power", "contradictions", "below the truth"]
Bars = Callable[[Any], Any]
"""Which runs of models a critical-difference diagram joins; None where it refuses."""
Trial = Callable[[np.random.Generator, int], tuple[BoolArray, BoolArray]]
"""So many replicates of a world: for each, what happened to the naive way and to ours."""

FEWEST = 2
DRAWN = "diagram-against-test"
"""The mistake that a rule of drawing makes or avoids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A mistake: the world it is tried in, what is counted, and the way that avoids it."""

    id: str
    title: str
    world: str
    wrong: str
    right: str
    why: str
    command: str
    quantity: Quantity
    replicates: int
    trial: Trial
    nominal: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MisuseRate:
    """How often something happened; the interval is of the counting (Clopper-Pearson, 95 %)."""

    count: int
    replicates: int
    interval: Interval

    @property
    def value(self) -> float:
        return self.count / self.replicates


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A mistake with its two rates."""

    mistake: Mistake
    naive: MisuseRate
    ours: MisuseRate
    seconds: float


def mistakes_of(bars: Bars | None = None) -> tuple[Mistake, ...]:
    """Every mistake. The one about diagrams needs the rule that draws ours (``plots.cliques``)."""
    text = files("assay.simulate").joinpath("mistakes.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["mistake"]
    trials = {row["id"]: getattr(misuse_trials, row.pop("trial")) for row in rows}
    if bars is not None:
        trials[DRAWN] = partial(trials[DRAWN], bars=bars)
    return tuple(
        Mistake(**row, trial=trials[row["id"]])
        for row in rows
        if bars is not None or row["id"] != DRAWN
    )


def run_misuse(
    names: Iterable[str] | None = None,
    *,
    scale: float = 1.0,
    bars: Bars | None = None,
    rng: Rng = 7,
) -> tuple[Measured, ...]:
    """Run the mistakes (all, or those named) and count; ``scale`` makes more or fewer replicates."""
    known = {mistake.id: mistake for mistake in mistakes_of(bars)}
    wanted = list(known) if names is None else [check_choice(n, known, "mistake") for n in names]
    if not scale > 0.0:
        raise UsageError(f"scale is a factor on the number of replicates, above 0; got {scale!r}")
    seed = seed_of(rng)
    places = {name: place for place, name in enumerate(known)}
    return tuple(_measured(known[name], scale, stream(seed, places[name])) for name in wanted)


def _measured(mistake: Mistake, scale: float, rng: np.random.Generator) -> Measured:
    replicates = check_count(max(FEWEST, round(scale * mistake.replicates)), "replicates")
    start = perf_counter()
    naive, ours = mistake.trial(rng, replicates)
    return Measured(
        mistake=mistake, naive=_rate(naive), ours=_rate(ours), seconds=perf_counter() - start
    )


def _rate(happened: BoolArray) -> MisuseRate:
    count = int(np.count_nonzero(happened))
    interval = clopper_pearson(count, happened.size).interval
    if interval is None:
        raise TypeError("a count of replicates has an interval")
    return MisuseRate(count=count, replicates=int(happened.size), interval=interval)
