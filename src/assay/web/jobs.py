"""Work in processes of its own: it can be stopped, is bounded, and never blocks the page.

A job is the name of a function of :mod:`assay.web.job_functions` and plain arguments; what comes back is
JSON, so that a process that read a stranger's file can hand us nothing but data. The same question
asked again, or by many at once, is one job.
"""

import asyncio
import gc
import math
import multiprocessing
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Literal

import msgspec

from assay.core.driver_guard import MARK, mark
from assay.core.signals import unreached_by_interrupts
from assay.web import limits

State = Literal["waiting", "running", "done", "stopped"]
PRELOADED = "assay.web.job_functions"
GRACE = 1.0
"""Seconds that a process has to end by itself when it has answered."""
READY_FOR = "answer"
"""The job for which a process waits: what follows a drop."""
EARLY = "early"
"""Marks an answer that another one follows."""
BESIDE = 3
"""Jobs for each processor that may go on after they told their verdict."""
KINDLY = 10
"""How far a job that has told its verdict steps back for others (as `nice` counts)."""
MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": f"{2**30}",
    "MALLOC_TRIM_THRESHOLD_": f"{2**32}",
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}
"""Tells glibc that jobs use freed memory again, and large pages: to ask the system for each array takes as long as to
fill it. What is said already stands."""
UNSEEN = 120.0
"""Seconds that an answer waits for its asker to come back, however fast it goes out of date."""


Worker = tuple["Connection[bytes, bytes]", BaseProcess]
"""A process, and our end of what it talks by."""


class Busy(Exception):
    """Too much is waiting already."""


@dataclass(slots=True, kw_only=True, eq=False)
class Job:
    """One piece of work, and what became of it."""

    key: str
    name: str
    question: str
    state: State = "waiting"
    answer: dict[str, Any] | None = None
    early: dict[str, Any] | None = None
    """The answer without what takes longer, where the work told it on its way."""
    process: BaseProcess | None = None
    since: float = field(default_factory=time.monotonic)
    answered: float = math.inf
    seen: float = math.inf
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    detailed: asyncio.Event = field(default_factory=asyncio.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.since

    def serves(self, fresh: float, after: float) -> bool:
        """Whether it can answer one who wants nothing that was seen longer ago than ``fresh`` seconds.

        Nor anything from before the moment ``after``.
        """
        now = time.monotonic()
        known = now - self.seen <= fresh and now - self.answered <= max(fresh, UNSEEN)
        return known and self.since >= after and self.state != "stopped"


class Jobs:
    """The jobs of one page: as many at a time as there are processors, the others wait.

    A job that has told its verdict makes room: what follows is worked out beside the others.
    """

    def __init__(self, *, slots: int) -> None:
        self._context = _context()
        self._places = threading.Semaphore(slots)
        self._threads = ThreadPoolExecutor(
            max_workers=slots * (1 + BESIDE), thread_name_prefix="job"
        )
        self._by_question: dict[str, Job] = {}
        self._by_key: OrderedDict[str, Job] = OrderedDict()
        self._ready: Worker | None = None
        self._keeps_ready = False
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Have the process of the next answer started before anyone asks, from now on."""
        self._keeps_ready = True
        self._threads.submit(self._refill)

    def find(self, key: str) -> Job | None:
        return self._by_key.get(key)

    def start(
        self, name: str, *, fresh: float = math.inf, after: float = -math.inf, **arguments: Any
    ) -> Job:
        """The job that answers a question: a new one, or the one that is at it or has done it."""
        question = msgspec.json.encode([name, arguments], order="sorted").decode()
        known = self._by_question.get(question)
        if known is not None and known.serves(fresh, after):
            self._by_key.move_to_end(known.key)
            return known
        if sum(not job.ended.is_set() for job in self._by_key.values()) >= limits.MAX_WAITING:
            raise Busy
        job = Job(key=secrets.token_urlsafe(9), name=name, question=question)
        self._by_question[question] = self._by_key[job.key] = job
        loop = asyncio.get_running_loop()
        self._threads.submit(self._perform, job, name, arguments, loop)
        self._forget()
        return job

    async def answer(
        self,
        name: str,
        *,
        patience: float | None = None,
        content: float = math.inf,
        detailed: bool = False,
        fresh: float = math.inf,
        after: float = -math.inf,
        **arguments: Any,
    ) -> Job:
        """The job, waited for as long as a visitor may be kept waiting.

        After ``content`` seconds what was told early is enough: the verdict, or ``detailed`` all that it rests on.
        """
        job = self.start(name, fresh=fresh, after=after, **arguments)
        wait = limits.PATIENCE if patience is None else patience
        until = time.monotonic() + wait
        with suppress(TimeoutError):
            await asyncio.wait_for(job.ended.wait(), min(wait, content))
        if not job.ended.is_set() and content < wait:
            await _first_of(
                job.ended, job.detailed if detailed else job.told, until - time.monotonic()
            )
        if job.ended.is_set():
            job.seen = min(job.seen, time.monotonic())
        return job

    def stop(self, job: Job) -> None:
        """Stop a job; what waits for it learns that."""
        with job.lock:
            if job.state in ("waiting", "running"):
                job.state = "stopped"
                if job.process is not None:
                    job.process.kill()

    def close(self) -> None:
        for job in list(self._by_key.values()):
            self.stop(job)
        with self._lock:
            self._keeps_ready = False
            ready, self._ready = self._ready, None
        if ready is not None:
            _end(*ready, grace=0.0)
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _refill(self) -> None:
        """Start the process of the next answer, unless one waits already."""
        with self._lock:
            if self._keeps_ready and self._ready is None:
                self._ready = self._begun(_wait)

    def _begun(self, work: Callable[..., None], *of: Any) -> "Worker":
        """A new process at work, and our end of what it talks by."""
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(theirs, *of), daemon=True)
        process.start()
        theirs.close()
        return ours, process

    def _worker(self, name: str, arguments: dict[str, Any]) -> "Worker":
        """A process at work on a job: of an answer the one that is ready."""
        if name == READY_FOR:
            with self._lock:
                ready, self._ready = self._ready, None
            if ready is not None:
                try:
                    ready[0].send_bytes(msgspec.json.encode(arguments))
                except OSError:  # somebody has ended it
                    _end(*ready, grace=0.0)
                else:
                    return ready
        return self._begun(_child, name, msgspec.json.encode(arguments))

    def _forget(self) -> None:
        """Drop the oldest answers beyond what is kept."""
        for key, job in list(self._by_key.items()):
            if len(self._by_key) <= limits.MAX_KEPT:
                return
            if job.ended.is_set():
                del self._by_key[key]
                if self._by_question.get(job.question) is job:
                    del self._by_question[job.question]

    def _perform(
        self, job: Job, name: str, arguments: dict[str, Any], loop: asyncio.AbstractEventLoop
    ) -> None:
        """Run the job in a process and keep its answer; in a thread of ours."""
        try:
            with ExitStack() as place:
                place.enter_context(self._places)
                self._run(job, name, arguments, loop, place.close)
        except Exception as error:  # noqa: BLE001 (who waits must hear of any)
            _settle(job, failed("defect", f"the work could not be done: {error}"), loop)

    def _run(
        self,
        job: Job,
        name: str,
        arguments: dict[str, Any],
        loop: asyncio.AbstractEventLoop,
        make_room: Callable[[], None],
    ) -> None:
        with job.lock:
            stopped = job.state == "stopped"
            if not stopped:
                ours, process = self._worker(name, arguments)
                job.process, job.state, job.since = process, "running", time.monotonic()
        if stopped:
            _settle(job, {}, loop)
            return
        try:
            _settle(
                job, _heard(ours, job, loop, make_room), loop
            )  # nobody waits for the process to end
        finally:
            with job.lock:
                job.process = None
            _end(ours, process, grace=GRACE)
            self._refill()


def _end(ours: "Connection[bytes, bytes]", process: BaseProcess, *, grace: float) -> None:
    """See a process off: it may end by itself, and does not outlive its grace."""
    ours.close()
    process.join(grace)
    process.kill()
    process.join()
    process.close()


async def _first_of(one: asyncio.Event, other: asyncio.Event, seconds: float) -> None:
    """Wait for either of two events."""
    waiting = [asyncio.create_task(event.wait()) for event in (one, other)]
    await asyncio.wait(waiting, timeout=max(seconds, 0.0), return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


def _settle(job: Job, answer: dict[str, Any], loop: asyncio.AbstractEventLoop) -> None:
    """Hand the answer to those who wait; the first one stands."""
    with job.lock:
        if job.answer is not None:
            return
        if job.state == "stopped":
            job.answer = failed("stopped", "This was stopped before it was done.")
        else:
            job.answer, job.state, job.answered = answer, "done", time.monotonic()
    with suppress(RuntimeError):  # the page has closed
        loop.call_soon_threadsafe(job.ended.set)


def failed(kind: str, message: str, where: str | None = None) -> dict[str, Any]:
    """An answer that says why there is none."""
    return {"error": {"kind": kind, "message": message, "field": where}}


def _heard(
    pipe: "Connection[bytes, bytes]",
    job: Job,
    loop: asyncio.AbstractEventLoop,
    make_room: Callable[[], None],
) -> dict[str, Any]:
    """What a process answers at last; what it tells before is passed on."""
    since = time.monotonic()
    while True:
        found = _message(pipe, max(since + limits.JOB_SECONDS - time.monotonic(), 0.0))
        if not found.pop(EARLY, False):
            return found
        job.early = found
        make_room()
        with suppress(RuntimeError):  # the page has closed
            loop.call_soon_threadsafe(job.told.set)
            if found.get("result") is not None:
                loop.call_soon_threadsafe(job.detailed.set)


def _message(pipe: "Connection[bytes, bytes]", seconds: float) -> dict[str, Any]:
    if not pipe.poll(seconds):
        return failed(
            "limit",
            f"This took longer than {limits.JOB_SECONDS:.0f} seconds and was stopped: ask for less, "
            "or use the command line.",
        )
    try:
        answer = pipe.recv_bytes(limits.MAX_ANSWER)
    except (EOFError, OSError):
        return failed(
            "limit",
            "The work ended without an answer, perhaps because it needed more memory than this page "
            "allows. Use the command line for evidence of this size.",
        )
    found: dict[str, Any] = msgspec.json.decode(answer)
    return found


def _wait(pipe: "Connection[bytes, bytes]") -> None:
    """An answer, in a process that is there before it is asked for; it ends when the page is gone."""
    import assay.web.job_functions  # noqa: F401 (where processes are not forked, this takes longest)
    from assay.evidence.duckdb_connection import start_ahead

    start_ahead()
    try:
        arguments = pipe.recv_bytes()
    except (EOFError, OSError):
        return
    _child(pipe, READY_FOR, arguments)


def _child(pipe: "Connection[bytes, bytes]", name: str, arguments: bytes) -> None:
    """One job, in its own process."""
    from assay.web.job_functions import perform

    kindly = [KINDLY] if hasattr(os, "nice") else []  # Windows has none

    def tell(early: bytes) -> None:
        pipe.send_bytes(early)
        if kindly:
            os.nice(kindly.pop())

    _limit_memory()
    gc.disable()  # the process is gone after one answer, and its memory with it
    pipe.send_bytes(perform(name, msgspec.json.decode(arguments), tell))
    pipe.close()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = limits.JOB_BYTES if hard == resource.RLIM_INFINITY else min(limits.JOB_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def begin() -> None:
    """Start the server from which processes are forked, so that the first answer need not wait for it."""
    if _context().get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        marked = {
            **MEMORY,
            MARK: mark(),
        }  # by its mark a guard knows what outlives a page that was killed
        kept = {name: os.environ.get(name) for name in marked}
        for name, value in marked.items():
            os.environ.setdefault(name, value)
        with unreached_by_interrupts():
            ensure_running()
        for name, before in kept.items():
            if before is None:
                del os.environ[name]
            else:
                os.environ[name] = before


def _context() -> Any:
    """Processes forked from a server that has imported what jobs need; spawned where there is none."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context
