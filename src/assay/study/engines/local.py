"""Processes of this machine: a pipe to each worker, so that a dead one costs one task.

Why not Pebble or `concurrent.futures`: docs/inside/decisions/0010-local-engine.md.
"""

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from multiprocessing.util import get_temp_dir
from pathlib import Path

from assay.core.driver_guard import MARK, mark
from assay.core.errors import UsageError
from assay.core.signals import unreached_by_interrupts
from assay.store.record_types import PlanEntry, Record
from assay.study.engines.base import (
    THREADS,
    EngineStopped,
    Kit,
    Outcome,
    TaskLimits,
    one_thread,
    read_from,
)
from assay.study.engines.memory import MEGABYTE, family, held, room

AHEAD = 2
"""Batches given to a worker at a time: the next is there when one ends."""
PRELOADED = "assay.study.engines.preload"
READY, LEAVING = "ready", "leaving"
"""What a worker says besides records."""
WATCH_SECONDS = 0.5
"""Between looks at the memory that workers hold."""
FALSE_STARTS = 3
"""So many workers in a row that end before they are ready stop the run."""
SOCKET_PATH = 107
"""The longest path of a socket on Linux."""


def connect(url: str | None, workers: int | None, limits: TaskLimits) -> "LocalEngine":
    """The engine of ``local://``; as many workers as there are processors unless said."""
    if url not in (None, "local", "local://"):
        raise UsageError(f"the local engine takes no address; got {url!r}")
    count = available_processors() if workers is None else workers
    if count < 1:
        raise UsageError(f"at least one worker is needed; got {count}")
    return LocalEngine(count, limits)


def available_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    """One process, the pipe to it, and the batches it was given."""

    def __init__(self, process: BaseProcess, connection: "Connection[object, object]") -> None:
        self.process = process
        self.connection = connection
        self.batches: deque[deque[PlanEntry]] = deque()
        self.ready = False
        self.leaving = False
        """It said so, after a task that ran out of memory."""
        self.began = 0.0
        """When the first task of the first batch began."""
        self.idle_bytes = 0
        """Memory in use before the first task."""

    def current(self) -> PlanEntry | None:
        return self.batches[0][0] if self.ready and self.batches else None

    def advance(self) -> None:
        """The current task has ended."""
        self.batches[0].popleft()
        if not self.batches[0]:
            self.batches.popleft()
        self.began = time.monotonic()


class LocalEngine:
    """A pool of processes (one BLAS thread each) with limits on time and memory."""

    def __init__(self, workers: int, limits: TaskLimits) -> None:
        self.workers = workers
        self.limits = limits
        self._context = _context()
        self._folder = ""
        self._team: list[_Worker] = []
        self._waiting: deque[deque[PlanEntry]] = deque()
        self._false_starts = 0
        self._watched = 0.0

    @property
    def slots(self) -> int:
        return AHEAD * self.workers

    def start(self, kit: Kit, tasks: int) -> None:
        self._folder = str(kit.folder)
        if sys.platform == "linux":  # where the fork server listens
            kit.guard.remove_later(_listening_folder())
        self.workers = max(1, min(self.workers, tasks))
        for _ in range(self.workers):
            self._hire()

    def submit(self, batch: Sequence[PlanEntry]) -> None:
        self._waiting.append(deque(batch))
        self._feed()

    def as_completed(self, seconds: float) -> list[Outcome]:
        until = time.monotonic() + seconds
        outcomes: list[Outcome] = []
        while not outcomes:
            left = self._next_moment(until) - time.monotonic()
            by_pipe = {worker.connection: worker for worker in self._team}
            for pipe in wait(list(by_pipe), max(0.0, left)):
                outcomes += self._listen(by_pipe[pipe])  # type: ignore[index]
            outcomes += self._stop_late()
            outcomes += self._stop_greedy()
            self._feed()
            if time.monotonic() >= until:
                break
        return outcomes

    def cancel(self) -> None:
        self._waiting.clear()
        for worker in self._team:
            self._end(worker)
        self._team.clear()

    def close(self) -> None:
        for worker in self._team:
            with suppress(OSError):
                worker.connection.send(None)
        for worker in self._team:
            worker.process.join(timeout=2.0)
        self.cancel()

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_serve, args=(theirs, self._folder, self.limits.megabytes), daemon=True
        )
        with _birth():
            process.start()
        theirs.close()  # else its death would not be heard
        self._team.append(_Worker(process, ours))

    def _feed(self) -> None:
        """Give waiting batches to the workers with the fewest."""
        while self._waiting:
            free = min(self._team, key=lambda worker: len(worker.batches), default=None)
            if free is None or len(free.batches) >= AHEAD:
                return
            batch = self._waiting.popleft()
            if not free.batches:
                free.began = time.monotonic()
            free.batches.append(batch)
            with suppress(OSError):  # a dead worker is heard by `_listen`
                free.connection.send(tuple(batch))

    def _listen(self, worker: _Worker) -> list[Outcome]:
        outcomes: list[Outcome] = []
        try:
            while worker.connection.poll():
                message = worker.connection.recv()
                if isinstance(message, Record):
                    outcomes.append(Outcome(entry=worker.batches[0][0], record=message))
                    worker.advance()
                elif message == READY:
                    worker.ready, worker.began = True, time.monotonic()
                    worker.idle_bytes = held(worker.process.pid or 0) or 0
                    self._false_starts = 0
                else:
                    worker.leaving = True
        except (EOFError, OSError):
            outcomes += self._bury(worker)
        return outcomes

    def _bury(self, worker: _Worker) -> list[Outcome]:
        """A worker has ended: its current task is to blame, the others never began."""
        worker.process.join(timeout=30.0)  # its end was heard; how it ended follows
        code = worker.process.exitcode
        if not worker.ready:
            self._false_starts += 1
            if self._false_starts >= FALSE_STARTS:
                raise EngineStopped(
                    f"{FALSE_STARTS} workers ended before they were ready (exit code {code}); the "
                    "reason is above. In a script, put the call under "
                    'if __name__ == "__main__":'
                )
        detail = f"the worker ended ({_exit_words(code)})"
        return self._replace(worker, "unstarted" if worker.leaving else "died", detail)

    def _stop_late(self) -> list[Outcome]:
        """Stop workers whose task has had its time."""
        limit = self.limits.seconds
        outcomes: list[Outcome] = []
        if limit is None:
            return outcomes
        for worker in list(self._team):
            over = worker.current() is not None and time.monotonic() - worker.began > limit
            if over and not worker.connection.poll():
                outcomes += self._replace(worker, "timeout", f"stopped after {limit:g} s")
        return outcomes

    def _stop_greedy(self) -> list[Outcome]:
        """Stop a task over its limit of memory, or the largest where the machine has none left.

        Most tasks over a limit get a MemoryError before (`_limit_memory`); this also sees what
        processes that a learner starts hold together.
        """
        now = time.monotonic()
        busy = [worker for worker in self._team if worker.current() is not None]
        if now - self._watched < WATCH_SECONDS or not busy:
            return []
        self._watched = now
        beyond = {worker: _beyond_idle(worker) for worker in busy}
        limit = self.limits.megabytes
        outcomes: list[Outcome] = []
        for worker, grown in beyond.items():
            if limit is not None and grown > limit * MEGABYTE:
                detail = f"stopped at {grown / MEGABYTE:.0f} MB; the limit is {limit:g} MB"
                outcomes += self._replace(worker, "memory", detail)
        left = room()
        if left is not None and left.scarce and not outcomes:
            largest = max(beyond, key=lambda worker: beyond[worker])
            if beyond[largest] > left.total / (2 * self.workers):  # else others fill the machine
                detail = (
                    f"stopped at {beyond[largest] / MEGABYTE:.0f} MB, when the machine had "
                    f"{left.left / MEGABYTE:.0f} of {left.total / MEGABYTE:.0f} MB left"
                )
                outcomes += self._replace(largest, "memory", detail)
        return outcomes

    def _replace(self, worker: _Worker, loss: str, detail: str) -> list[Outcome]:
        current = worker.current()
        outcomes = []
        for batch in worker.batches:
            for entry in batch:
                what = loss if entry is current else "unstarted"
                outcomes.append(Outcome(entry=entry, loss=what, detail=detail))  # type: ignore[arg-type]
        self._end(worker)
        self._team.remove(worker)
        self._hire()
        return outcomes

    def _end(self, worker: _Worker) -> None:
        started = family(worker.process.pid or 0)[1:]
        worker.process.kill()
        _kill(started)
        worker.process.join()
        worker.connection.close()

    def _next_moment(self, until: float) -> float:
        busy = [one for one in self._team if one.current() is not None]
        due = [self._watched + WATCH_SECONDS] if busy else []
        if self.limits.seconds is not None:
            due += [one.began + self.limits.seconds for one in busy]
        return min([until, *due])


def _beyond_idle(worker: _Worker) -> int:
    return (held(worker.process.pid or 0) or 0) - worker.idle_bytes


def _context() -> "ForkServerContext | SpawnContext":
    """Clean processes: forked from a server that has imported what all need, where there is one.

    The server is a fresh, single-threaded interpreter, never a copy of the user's process; a
    replacement for a worker then starts in milliseconds. Elsewhere each worker is spawned.
    """
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


def _listening_folder() -> str:
    """Where the fork server listens: under ``/tmp`` where the user's own folder is too long."""
    usual = tempfile.gettempdir()
    socket = Path(usual, "pymp-12345678", "listener-12345678")
    tempfile.tempdir = usual if len(os.fsencode(socket)) <= SOCKET_PATH else "/tmp"  # noqa: S108
    try:
        return get_temp_dir()
    finally:
        tempfile.tempdir = usual


def _exit_words(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}"


_BIRTH = threading.Lock()


@contextmanager
def _birth() -> Iterator[None]:
    """How the environment is while a process is born, which inherits it.

    Numerical libraries read their number of threads when they load; the guard knows its own by their
    mark. Ctrl-C is the driver's to handle.
    """
    with _BIRTH, unreached_by_interrupts():
        for_them = {**dict.fromkeys(THREADS, "1"), MARK: mark()}
        before = {name: os.environ.get(name) for name in for_them}
        os.environ.update(for_them)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def _serve(connection: "Connection[object, object]", folder: str, megabytes: float | None) -> None:
    """The life of a worker: batches in, records out, until the driver closes or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it was not blocked
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    os.dup2(2, 1)  # what learners print does not belong into our data
    from assay.study.task_run import Workshop

    workshop = Workshop(partial(read_from, folder))
    workshop.warm_up()
    one_thread()
    if megabytes is not None:
        _limit_memory(megabytes)
    connection.send(READY)
    with suppress(EOFError, OSError):
        while batch := connection.recv():
            for entry in batch:  # type: ignore[attr-defined]
                record = workshop.perform(entry)
                connection.send(record)
                if record.status == "memory":
                    connection.send(LEAVING)  # with a heap full of holes; another takes over
                    return


def _kill(pids: Sequence[int]) -> None:
    """What learners started does not outlive their task."""
    for pid in pids:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _leave_with_parent() -> None:
    """End when the driver does, in the middle of a fit if it lets us; else the guard does it."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        _kill(family(os.getpid())[1:])
        os._exit(1)


def _limit_memory(megabytes: float) -> None:
    """Let the address space grow by so much from here; more is a MemoryError in the task."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):  # no such limits on this system
        return
    size = pages * resource.getpagesize() + int(megabytes * 2**20)
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))
