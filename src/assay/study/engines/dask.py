"""An existing Dask cluster by the address of its scheduler: `dask://127.0.0.1:8786`.

A batch is a future, submitted directly. On a worker of the cluster it runs in a process of the
local engine, so limits, a task that kills its process, and the bits of the results are the same on
one machine and on many; the cluster carries batches, and moves those of a worker that died.
"""

import queue
import re
import threading
import time
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import current_process
from typing import Any

from assay.core.errors import MissingDependency, UsageError
from assay.store.record_types import PlanEntry
from assay.study.engines.base import EngineStopped, Kit, Loss, Outcome, TaskLimits
from assay.study.engines.local import AHEAD, LocalEngine

CONNECT_SECONDS = 10.0
WORKERS_SECONDS = 30.0
"""How long a cluster may be without workers."""
LOOK_SECONDS = 2.0
"""Between looks at how many workers there are."""
IDLE_SECONDS = 20.0
"""After which a worker of the cluster forgets a run that sends it nothing, as after its death."""
HEARD_SECONDS = 0.2
"""How soon a running batch hears that nobody waits for it."""


def connect(url: str, workers: int | None, limits: TaskLimits) -> "DaskEngine":
    """The engine of ``dask://host:port``."""
    address = re.fullmatch(r"dask://([^/?#]+:\d+)/?", url)
    if address is None:
        raise UsageError(
            f"cannot read {url!r} as the address of a Dask scheduler: dask://127.0.0.1:8786"
        )
    if workers is not None:
        raise UsageError(
            "a Dask cluster has the workers it was started with: leave out the number of workers"
        )
    return DaskEngine(f"tcp://{address[1]}", limits)


class DaskEngine:
    """Futures of `dask.distributed`, a batch each."""

    def __init__(self, address: str, limits: TaskLimits) -> None:
        self.address = address
        self.limits = limits
        self.run = uuid.uuid4().hex[:12]
        self._client: Any = None
        self._kit: Kit | None = None
        self._parts: dict[str, Any] = {}
        self._batches: dict[str, tuple[Any, tuple[PlanEntry, ...]]] = {}
        self._ended: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads = 0
        self._looked = 0.0
        self._staffed = 0.0
        """When there last were workers."""

    @property
    def slots(self) -> int:
        return AHEAD * max(1, self._threads)

    def start(self, kit: Kit, tasks: int) -> None:  # noqa: ARG002 - the cluster is as large as it is
        try:
            from distributed import Client
        except ImportError:
            raise MissingDependency(
                "a Dask cluster needs the package distributed: pip install 'assay[dask]'"
            ) from None
        self._kit = kit
        try:
            client: Any = Client
            self._client = client(self.address, timeout=CONNECT_SECONDS, set_as_default=False)
        except OSError as error:
            raise EngineStopped(
                f"no Dask scheduler answers at {self.address} ({error}); start one with: dask "
                "scheduler --host 127.0.0.1 --port 8786 --dashboard-address 127.0.0.1:0"
            ) from None
        with suppress(TimeoutError):
            self._client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        self._look(time.monotonic())
        if not self._threads:
            raise self._no_workers()

    def submit(self, batch: Sequence[PlanEntry]) -> None:
        client, entries = self._connected(), tuple(batch)
        key = f"assay-{self.run}-{uuid.uuid4().hex}"
        names = ["study", *dict.fromkeys(f"data-{entry.dataset}" for entry in entries)]
        future = client.submit(
            perform_batch,
            self.run,
            key,
            entries,
            self.limits,
            _versions(),
            {name: self._part(name) for name in names},
            key=key,
            pure=False,
        )
        self._batches[key] = (future, entries)
        future.add_done_callback(lambda one: self._ended.put(one.key))

    def as_completed(self, seconds: float) -> list[Outcome]:
        self._look(time.monotonic())
        outcomes: list[Outcome] = []
        with suppress(queue.Empty):
            outcomes += self._outcomes(self._ended.get(timeout=seconds))
            while True:
                outcomes += self._outcomes(self._ended.get_nowait())
        return outcomes

    def cancel(self) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        with suppress(Exception):  # the cluster may be gone; then nothing is left to stop
            client.cancel([future for future, _ in self._batches.values()], force=True)
            client.run(dismiss, self.run, on_error="ignore")
        self._batches.clear()
        self._parts.clear()
        with suppress(Exception):
            client.close(timeout=CONNECT_SECONDS)

    def close(self) -> None:
        self.cancel()

    def _connected(self) -> Any:
        if self._client is None or self._client.status != "running":
            raise self._lost_connection()
        return self._client

    def _part(self, name: str) -> Any:
        """A part of the kit as a task of the cluster, which makes it again where a copy is lost."""
        if name not in self._parts and self._kit is not None:
            with warnings.catch_warnings():  # Dask warns of large tasks; this one is sent once
                warnings.simplefilter("ignore", UserWarning)
                key = f"assay-{self.run}-part-{len(self._parts)}"
                self._parts[name] = self._connected().submit(bytes, self._kit.read(name), key=key)
        return self._parts[name]

    def _outcomes(self, key: str) -> list[Outcome]:
        future, entries = self._batches[key]
        try:
            outcomes: list[Outcome] = future.result(timeout=WORKERS_SECONDS)
        except TimeoutError:  # its worker died with the result; the cluster is at it again
            future.add_done_callback(lambda one: self._ended.put(one.key))
            return []
        except Exception as error:  # noqa: BLE001 - the cluster raises whatever a worker raised
            outcomes = self._judged(error, entries)
        del self._batches[key]
        future.release()
        return outcomes

    def _judged(self, error: Exception, entries: Sequence[PlanEntry]) -> list[Outcome]:
        """Several workers of the cluster ended with this batch; anything else stops the run."""
        from distributed import KilledWorker

        if isinstance(error, EngineStopped):
            raise error
        if isinstance(error, KilledWorker):
            loss: Loss = "died" if len(entries) == 1 else "suspect"
            detail = "workers of the Dask cluster ended"
            return [Outcome(entry=entry, loss=loss, detail=detail) for entry in entries]
        if type(error).__name__ == "FutureCancelledError" or self._client is None:
            raise self._lost_connection() from error
        raise EngineStopped(
            f"workers of the cluster at {self.address} cannot run tasks ({type(error).__name__}: "
            f"{error}). They need assay and the packages of the learners, in the versions used here"
        ) from error

    def _look(self, now: float) -> None:
        """See now and then how many workers there are; a cluster without any stops the run."""
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        try:
            self._threads = sum(self._connected().nthreads().values())
        except OSError:
            raise self._lost_connection() from None
        if self._threads or not self._staffed:
            self._staffed = now
        elif now - self._staffed > WORKERS_SECONDS:
            raise self._no_workers()

    def _no_workers(self) -> EngineStopped:
        return EngineStopped(
            f"the cluster at {self.address} has no workers; start some, and the same command goes "
            f"on: dask worker {self.address} --host 127.0.0.1 --nthreads 1 "
            "--dashboard-address 127.0.0.1:0"
        )

    def _lost_connection(self) -> EngineStopped:
        return EngineStopped(
            f"the connection to the Dask scheduler at {self.address} was lost. Finished tasks are "
            "in the store, and the same command continues"
        )


# On the workers of the cluster


class _Bench:
    """What a worker of the cluster keeps for a run: the kit as files, and processes for tasks."""

    def __init__(self, run: str, limits: TaskLimits) -> None:
        self.run, self.limits = run, limits
        self.kit = Kit()
        self.lock = threading.Lock()
        self.idle: list[LocalEngine] = []
        self.busy = 0
        self.dismissed = False
        self.used = time.monotonic()

    def put(self, parts: Mapping[str, bytes]) -> None:
        with self.lock:
            for name, content in parts.items():
                if name not in self.kit.names:
                    self.kit.put(name, content)

    @contextmanager
    def engine(self) -> Iterator[LocalEngine]:
        """A process of our own for one batch; one that is left over, or a new one."""
        with self.lock:
            self.busy += 1
            engine = self.idle.pop() if self.idle else None
        try:
            if engine is None:
                engine = LocalEngine(1, self.limits)
                engine.start(self.kit, 1)
            yield engine
        except BaseException:
            if engine is not None:
                engine.cancel()
                engine = None
            raise
        finally:
            with self.lock:
                self.busy -= 1
                self.used = time.monotonic()
                if engine is not None:
                    self.idle.append(engine)
            self.leave_when_idle()

    def leave_when_idle(self) -> None:
        timer = threading.Timer(IDLE_SECONDS + 1, self._leave_if_idle)
        timer.daemon = True
        timer.start()

    def _leave_if_idle(self) -> None:
        if not self.busy and time.monotonic() - self.used >= IDLE_SECONDS:
            self.leave()

    def leave(self) -> None:
        """End the processes; those at work end themselves when they hear of it."""
        self.dismissed = True
        with self.lock:
            _BENCHES.pop(self.run, None)
            for engine in self.idle:
                engine.cancel()
            self.idle.clear()
        self.kit.remove()


_BENCHES: dict[str, _Bench] = {}
_BENCHES_LOCK = threading.Lock()


def perform_batch(
    run: str,
    key: str,
    entries: Sequence[PlanEntry],
    limits: TaskLimits,
    versions: Mapping[str, str],
    parts: Mapping[str, bytes],
) -> list[Outcome]:
    """Run a batch in a process of this worker, until it ends or nobody waits for it."""
    if versions != _versions():
        raise EngineStopped(
            f"workers have other versions than the driver: {_versions()} and {dict(versions)}; "
            "results would be kept under the wrong key"
        )
    current_process().daemon = False  # see docs/inside/engines.md
    bench = _bench(run, limits)
    bench.put(parts)
    outcomes: list[Outcome] = []
    with bench.engine() as engine:
        engine.submit(entries)
        while len(outcomes) < len(entries):
            outcomes += engine.as_completed(HEARD_SECONDS)
            if bench.dismissed or not _awaited(key):
                raise RuntimeError("nobody waits for this batch any more")
    return outcomes


def _bench(run: str, limits: TaskLimits) -> _Bench:
    with _BENCHES_LOCK:
        if run not in _BENCHES:
            _BENCHES[run] = _Bench(run, limits)
        return _BENCHES[run]


def dismiss(run: str) -> None:
    """End what a worker has for a run."""
    with _BENCHES_LOCK:
        bench = _BENCHES.get(run)
    if bench is not None:
        bench.leave()


def _awaited(key: str) -> bool:
    """Whether the scheduler still wants this task: it drops it when the driver is gone."""
    from distributed import get_worker

    task = get_worker().state.tasks.get(key)
    return task is not None and task.state != "cancelled"


def _versions() -> dict[str, Any]:
    """What must be the same on all machines for a key to mean one result."""
    from assay.study.task_run import environment

    names = ("assay", "numpy", "scipy", "scikit-learn")
    return {name: environment()[name] for name in names}
