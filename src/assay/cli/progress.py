"""A line on the terminal while something takes long: what it is, how much is done, the time left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TextIO

from assay.core.progress import running, shown, watched

INTERVAL = 0.2
CLEAR = "\r\033[K"


@contextmanager
def line_on_terminal(stream: TextIO | None = None) -> Iterator[None]:
    """Show what takes long on stderr while this lasts; nothing where it is no terminal."""
    target = sys.stderr if stream is None else stream
    if target is None or not target.isatty():
        yield
        return
    line = _ProgressLine(target)
    Thread(target=line.draw, daemon=True).start()
    try:
        with watched(line.erase):
            yield
    finally:
        line.stopped.set()
        line.erase()


class _ProgressLine:
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
