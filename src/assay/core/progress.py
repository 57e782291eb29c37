"""How far long work has come: work writes it down here, and a terminal that wants to know reads it.

Only the outermost task counts: of a simulation the share done, not that of each bootstrap in it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

Step = TypeVar("Step")


@dataclass(slots=True)
class Task:
    """One piece of work; ``share`` is what is done of it, None where nobody can tell.

    It is told by ``reach`` as the work goes on, or by ``asked`` whenever somebody wants to know.
    """

    what: str
    asked: Callable[[], float | None] | None = None
    told: float | None = None
    began: float = field(default_factory=time.monotonic)

    def reach(self, share: float) -> None:
        self.told = share

    @property
    def share(self) -> float | None:
        return self.told if self.asked is None else self.asked()

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds left, if the rest goes on as what is done."""
        share = self.share
        return self.elapsed * (1.0 - share) / share if share else None


_running: list[Task] = []
_when_done: list[Callable[[], None]] = []


def running() -> Task | None:
    """The outermost task under way."""
    return _running[0] if _running else None


@contextmanager
def task(what: str, asked: Callable[[], float | None] | None = None) -> Iterator[Task]:
    """Work that may take long; ``asked`` says what is done of it, where the work itself cannot."""
    found = Task(what, asked)
    _running.append(found)
    try:
        yield found
    finally:
        _running.remove(found)
        if not _running:
            for tell in _when_done:
                tell()


def steps(what: str, parts: Sequence[Step]) -> Iterator[Step]:
    """The parts of a piece of work, each of about the same length."""
    with task(what) as found:
        for place, part in enumerate(parts):
            yield part
            found.reach((place + 1) / len(parts))


@contextmanager
def watched(done: Callable[[], None]) -> Iterator[None]:
    """Call ``done`` whenever the outermost task ends."""
    _when_done.append(done)
    try:
        yield
    finally:
        _when_done.remove(done)
