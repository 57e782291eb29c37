"""Which tasks go next, and how many at a time: batches of about a tenth of a second."""

from collections import deque
from collections.abc import Iterable

from assay.store.record_types import PlanEntry

BATCH_SECONDS = 0.1
MOST = 64
Group = tuple[str, str, int | None]
"""Tasks of about the same cost: data set, learner, training size."""


class TaskQueue:
    """Tasks waiting; the first of each group alone, to learn its cost, then the dearest first.

    Long tasks at the end would leave workers idle, so they come early; short ones are put
    together, so that messages cost little. The order never changes a result.
    """

    def __init__(self, entries: Iterable[PlanEntry]) -> None:
        self._groups: dict[Group, deque[PlanEntry]] = {}
        self._costs: dict[Group, float] = {}
        self._probed: set[Group] = set()
        self._alone: deque[PlanEntry] = deque()
        self._waiting = 0
        for entry in entries:
            self.put(entry)

    def __len__(self) -> int:
        return self._waiting + len(self._alone)

    def put(self, entry: PlanEntry, *, alone: bool = False) -> None:
        """Add a task; ``alone`` keeps a suspect from taking others with it."""
        if alone:
            self._alone.append(entry)
            return
        self._groups.setdefault(_group(entry), deque()).append(entry)
        self._waiting += 1

    def learn(self, entry: PlanEntry, seconds: float) -> None:
        """A task of this kind took so long."""
        group = _group(entry)
        known = self._costs.get(group)
        self._costs[group] = seconds if known is None else 0.7 * known + 0.3 * seconds

    def next_batch(self) -> list[PlanEntry]:
        """Tasks to run together; empty when none waits."""
        if self._alone:
            return [self._alone.popleft()]
        fresh = next((group for group in self._groups if group not in self._probed), None)
        if fresh is not None:
            self._probed.add(fresh)
            return self._take(fresh, 1)
        if not self._groups:
            return []
        batch: list[PlanEntry] = []
        seconds = 0.0
        while self._groups and len(batch) < MOST and seconds < BATCH_SECONDS:
            group = max(self._groups, key=lambda one: self._costs.get(one, BATCH_SECONDS))
            cost = max(self._costs.get(group, BATCH_SECONDS), 1e-4)
            if batch and cost > BATCH_SECONDS / 2:
                break
            count = max(1, min(MOST - len(batch), int((BATCH_SECONDS - seconds) / cost)))
            taken = self._take(group, count)
            batch += taken
            seconds += cost * len(taken)
        return batch

    def _take(self, group: Group, count: int) -> list[PlanEntry]:
        waiting = self._groups[group]
        taken = [waiting.popleft() for _ in range(min(count, len(waiting)))]
        if not waiting:
            del self._groups[group]
        self._waiting -= len(taken)
        return taken


def _group(entry: PlanEntry) -> Group:
    return entry.dataset, entry.learner, entry.train_size
