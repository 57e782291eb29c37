"""How far long work has come: work writes it down here, and a terminal or a notebook shows it.

Only the outermost task counts: of a simulation the share done, not that of each bootstrap in it.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any, TypeVar

from assay.core.notebooks import notebook

Step = TypeVar("Step")

PATIENCE = 1.0
"""Seconds before anything is shown, and what must be left of a task to show it."""
UNKNOWN = 2.0
"""Seconds before a task is shown of which nobody knows how long it takes."""
INTERVAL = 0.5
"""Seconds between two lines in a notebook."""


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
    beside: AbstractContextManager[Any] = nullcontext()
    if len(_running) == 1 and "IPython" in sys.modules and notebook() is not None:
        beside = _in_notebook(found)
    try:
        with beside:
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


def shown(task: Task) -> str:
    """The line of a task; empty while it is too short to tell."""
    elapsed, left, share = task.elapsed, task.left, task.share
    if left is None or share is None:
        return f"{task.what} … {in_words(elapsed)}" if elapsed >= UNKNOWN else ""
    if elapsed < PATIENCE or left < PATIENCE:
        return ""
    return f"{task.what}: {share:.0%}, {in_words(left)} left"


def in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def _in_notebook(task: Task) -> Iterator[None]:
    """The line of a task below the cell of a notebook, gone when the task is done."""
    stopped = Event()
    drawing = Thread(target=_draw, args=(task, stopped), daemon=True)
    drawing.start()
    try:
        yield
    finally:
        stopped.set()
        drawing.join()


def _draw(task: Task, stopped: Event) -> None:
    display = sys.modules["IPython"].display.display
    handle = None
    while not stopped.wait(INTERVAL):
        text = {"text/plain": shown(task)}
        if handle is not None:
            handle.update(text, raw=True)
        elif text["text/plain"]:
            handle = display(text, raw=True, display_id=True)
    if handle is not None:
        handle.update({"text/plain": ""}, raw=True)
