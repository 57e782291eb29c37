"""Tasks in the calling process, one after the other: for a few quick fits in a notebook or a script."""

import time
from collections import deque
from collections.abc import Sequence

from assay.core.errors import UsageError
from assay.store.record_types import PlanEntry
from assay.study.engines.base import Kit, Outcome, TaskLimits
from assay.study.task_run import Workshop


def connect(url: str, workers: int | None, limits: TaskLimits) -> "InlineEngine":
    """The engine of ``inline://``; nothing watches a task, so that it takes no limits."""
    if url not in ("inline", "inline://"):
        raise UsageError(f"the inline engine takes no address; got {url!r}")
    if workers not in (None, 1) or limits != TaskLimits():
        raise UsageError("the inline engine is one process without limits: use local:// for more")
    return InlineEngine()


class InlineEngine:
    """What is submitted waits until somebody asks for outcomes."""

    slots = 1

    def __init__(self) -> None:
        self._waiting: deque[PlanEntry] = deque()
        self._workshop: Workshop | None = None

    def start(self, kit: Kit, tasks: int) -> None:  # noqa: ARG002 (no workers to make ready)
        self._workshop = Workshop(kit.read)

    def submit(self, batch: Sequence[PlanEntry]) -> None:
        self._waiting.extend(batch)

    def as_completed(self, seconds: float) -> list[Outcome]:
        """Run tasks for about so long, one at least."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        done: list[Outcome] = []
        until = time.monotonic() + seconds
        with threadpool_limits(limits=1):  # sums in one order, as in workers
            while self._waiting and self._workshop and (not done or time.monotonic() < until):
                entry = self._waiting.popleft()
                done.append(Outcome(entry=entry, record=self._workshop.perform(entry)))
        return done

    def cancel(self) -> None:
        self._waiting.clear()

    def close(self) -> None:
        self._workshop = None
