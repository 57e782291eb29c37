"""A line on the terminal while something takes long: what it is, how much is done, the time left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TextIO

from assay.core.progress import Task, running, watched

PATIENCE = 1.0
"""Seconds before anything is shown, and what must be left of a task to show it."""
UNKNOWN = 2.0
"""Seconds before a task is shown of which nobody knows how long it takes."""
INTERVAL = 0.2
CLEAR = "\r\033[K"


@contextmanager
def line_on_terminal(stream: TextIO | None = None) -> Iterator[None]:
    """Show what takes long on stderr while this lasts; nothing where it is no terminal."""
    target = sys.stderr if stream is None else stream
    if target is None or not target.isatty():
        yield
        return
    line = _Line(target)
    Thread(target=line.draw, daemon=True).start()
    try:
        with watched(line.erase):
            yield
    finally:
        line.stopped.set()
        line.erase()


class _Line:
    """The line as it stands on the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.stopped = stream, Event()
        self._lock, self._drawn = Lock(), False

    def draw(self) -> None:
        while not self.stopped.wait(INTERVAL):
            with self._lock:
                found = running()
                text = "" if found is None else shown(found)
                if text:
                    self._drawn = True
                    self.stream.write(f"{CLEAR}{text}")
                    self.stream.flush()

    def erase(self) -> None:
        with self._lock:
            if self._drawn:
                self._drawn = False
                self.stream.write(CLEAR)
                self.stream.flush()


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
