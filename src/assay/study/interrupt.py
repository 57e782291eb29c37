"""Ctrl-C where it does no harm: noted when it comes, raised where nothing is half done."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """A context in which Ctrl-C waits for :meth:`heed`; a second one is raised at once.

    An exception out of nowhere can leave a database connection in the middle of a transaction,
    whose lock then keeps us from giving back what is reserved. Signals that are ignored, or left
    to the system, are left alone, and so is every thread but the main one.
    """

    def __init__(self) -> None:
        self.seen = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interrupt":
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if callable(signal.getsignal(number)):
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if kind is None:
            self.heed()

    def heed(self) -> None:
        """Raise what has come."""
        if self.seen:
            raise KeyboardInterrupt

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.heed()
        self.seen = True
