"""Processes that Ctrl-C does not reach: it is for the one that started them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unreached_by_interrupts() -> Iterator[None]:
    """Keep Ctrl-C, for all their lives, from the processes that are started here.

    A terminal sends it to all of them at once, and one that still imports cannot refuse it itself.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # it lets the signal through again when it starts a process of its own
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
