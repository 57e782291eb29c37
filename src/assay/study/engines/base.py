"""The contract of an engine: five verbs and one kind of answer; see docs/inside/engines.md.

Retries, batching, isolation of suspects, seeds and storage live above, in ``run.py``, so that
every engine gives the same scores and a new one is one file.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from assay.core.driver_guard import DriverGuard
from assay.core.errors import AssayError
from assay.store.record_types import PlanEntry, Record

Loss = Literal[
    "died",  # the worker ended while it ran this task
    "suspect",  # the worker ended while it ran a batch of several; nobody knows at which task
    "unstarted",  # the worker ended before this task began
    "timeout",  # the task was stopped at its time limit
    "memory",  # the task was stopped at its memory limit, or where the machine had none left
]

THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS", "NUMEXPR_NUM_THREADS",
)  # fmt: skip
"""Set to 1 wherever tasks run: no oversubscription, and sums in one order."""


class EngineStopped(AssayError):
    """Tasks cannot be run where they were to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLimits:
    """What one task may use; None is no limit."""

    seconds: float | None = None
    megabytes: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one task: a record (also of an error), or how it was lost."""

    entry: PlanEntry
    record: Record | None = None
    loss: Loss | None = None
    detail: str = ""


class Engine(Protocol):
    """Runs batches of tasks; every task submitted comes back as exactly one outcome."""

    @property
    def slots(self) -> int:
        """How many batches are worth having in flight."""
        ...

    def start(self, kit: "Kit", tasks: int) -> None:
        """Make workers ready to run about so many tasks."""
        ...

    def submit(self, batch: Sequence[PlanEntry]) -> None:
        """Accept a batch; its tasks run in order on one worker."""
        ...

    def as_completed(self, seconds: float) -> list[Outcome]:
        """The outcomes that are there, waiting at most so long for the first."""
        ...

    def cancel(self) -> None:
        """Stop everything in flight, now."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...


class Kit:
    """The parts of a study that workers need, as files of a temporary folder.

    A local worker reads the folder; an engine on other machines sends ``read(name)``. A guard
    removes it should the driver be killed.
    """

    def __init__(self) -> None:
        self.guard = DriverGuard()
        self.folder = Path(tempfile.mkdtemp(prefix="assay-"))
        self.guard.remove_later(self.folder)
        self.names: list[str] = []

    def put(self, name: str, content: bytes) -> None:
        self._path(name).write_bytes(content)
        self.names.append(name)

    def read(self, name: str) -> bytes:
        return self._path(name).read_bytes()

    def _path(self, name: str) -> Path:
        return self.folder / file_name(name)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.guard.dismiss()


def read_from(folder: str, name: str) -> bytes:
    """A part of the kit, in a worker on the driver's machine."""
    return (Path(folder) / file_name(name)).read_bytes()


def file_name(name: str) -> str:
    """A data set may have any name, a file may not."""
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()


def one_thread() -> None:
    """Keep numerical libraries of this process to one thread, also those loaded already."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    os.environ.update(dict.fromkeys(THREADS, "1"))
    threadpool_limits(limits=1)
