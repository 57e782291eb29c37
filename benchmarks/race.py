"""Time assay beside its peers: interleaved, the best of several rounds, one ratio for each peer.

A peer that would take minutes is timed on few replicates and carried on along the straight line
through two of its times; such times are marked ``~``.
"""

import contextlib
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.kernels.auc import forget_sorted

Run = Callable[[], Any]
Resampler = Callable[[int], Any]

REPLICATES = 10_000
"""Of every bootstrap and permutation in this folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """How much time a race may take."""

    rounds: int
    patience: float
    """Seconds that one timing of a peer may take before fewer replicates are asked of it."""
    sizes: tuple[int, ...]
    checked: int
    """Replicates of the peers with whose results assay's are compared."""

    @property
    def quick(self) -> bool:
        return self.rounds == 1


QUICK = Clock(rounds=1, patience=0.1, sizes=(1_000, 100_000), checked=200)
FULL = Clock(rounds=2, patience=0.15, sizes=(1_000, 100_000, 1_000_000, 10_000_000), checked=1_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Something that is timed: as it is, or as a function of the number of replicates."""

    name: str
    run: Run | None = None
    resample: Resampler | None = None
    replicates: int = REPLICATES
    fewest: int = 2
    """Replicates of the shortest timing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """One task: what assay calls, what its peers call, and what is asked of the ratio."""

    task: str
    n: int
    ours: Runner
    peers: tuple[Runner, ...]
    goals: tuple[tuple[str, float], ...] = ()
    """Peer (or "fastest") and the ratio that is asked for."""
    agrees: Callable[[], tuple[bool, str]] | None = None
    """Whether the results agree, and in what."""


@dataclass(slots=True, kw_only=True)
class Timing:
    """The best time so far, in seconds."""

    seconds: float = float("inf")
    estimated: bool = False

    def text(self) -> str:
        return ("~" if self.estimated else "") + shown(self.seconds)


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The times of one race."""

    race: Race
    ours: Timing = field(default_factory=Timing)
    peers: dict[str, Timing] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    agreement: tuple[bool, str] | None = None

    def ratio(self, peer: str) -> float | None:
        if peer == "fastest":
            times = [timing.seconds for timing in self.peers.values()]
            return min(times) / self.ours.seconds if times else None
        timing = self.peers.get(peer)
        return None if timing is None else timing.seconds / self.ours.seconds


def shown(seconds: float) -> str:
    if seconds >= 1.0:
        return f"{seconds:,.1f} s"
    return f"{1e3 * seconds:.2f} ms" if seconds < 0.1 else f"{1e3 * seconds:.0f} ms"


def run_race(race: Race, clock: Clock) -> Outcome:
    """All runners in turn, so that a busy moment hits all alike; ours once for warmth first."""
    outcome = Outcome(race=race)
    _time(race.ours, clock)
    for number in range(clock.rounds):
        _better(outcome.ours, _repeated(race.ours, clock))
        for peer in race.peers:
            if peer.name in outcome.failures:
                continue
            timing = outcome.peers.setdefault(peer.name, Timing())
            if number and timing.seconds > 20.0 * clock.patience and not timing.estimated:
                continue
            try:
                found = _time(peer, clock) if peer.run is None else _repeated(peer, clock)
                _better(timing, found)
            except Exception as problem:  # noqa: BLE001 - a peer that breaks is part of the result
                outcome.failures[peer.name] = f"{type(problem).__name__}: {problem}"[:100]
                outcome.peers.pop(peer.name)
    if race.agrees is not None:
        with _quiet():
            outcome.agreement = race.agrees()
    return outcome


def _better(timing: Timing, found: tuple[float, bool]) -> None:
    if found[0] < timing.seconds:
        timing.seconds, timing.estimated = found


def _repeated(runner: Runner, clock: Clock) -> tuple[float, bool]:
    """Short runs several times, for their best: the first may import what it needs."""
    best, estimated = _time(runner, clock)
    for _ in range(max(int(best < 1.0), min(200, int(0.3 * clock.patience / best)))):
        best = min(best, _time(runner, clock)[0])
    return best, estimated


def _time(runner: Runner, clock: Clock) -> tuple[float, bool]:
    if runner.run is not None:
        return _seconds(runner.run), False
    resample = runner.resample
    if resample is None:
        raise TypeError(f"{runner.name} has nothing to run")
    size, before = runner.fewest, (0, 0.0)
    taken = _seconds(lambda: resample(size))
    # two points at least, or what is paid once would be counted with every replicate
    while size < runner.replicates and (
        taken < 0.4 * clock.patience or (not before[0] and taken < 5.0 * clock.patience)
    ):
        before, size = (size, taken), min(4 * size, runner.replicates)
        taken = _seconds(lambda size=size: resample(size))  # type: ignore[misc]
    if size == runner.replicates:
        return taken, False
    slope = max(taken - before[1], 0.1 * taken) / (size - before[0])
    return taken + slope * (runner.replicates - size), True


def _seconds(run: Run) -> float:
    """Of the processor, not of the clock on the wall: other jobs on the machine do not count."""
    forget_sorted()  # what was sorted for the run before would not be there for a user
    with _quiet():
        start = time.process_time()
        run()
        return time.process_time() - start


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Some peers talk."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        yield
