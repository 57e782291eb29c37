"""The one process of a study that hands out tasks, tries lost ones again, and commits every record as it arrives."""

import time
from collections import Counter
from collections.abc import Sequence

import msgspec

from assay.store.leases import LEASE_SECONDS
from assay.store.owners import new_owner
from assay.store.record_types import PlanEntry, Record, Status, StudyPlan
from assay.store.store import Store
from assay.study.engines.base import Engine, Kit, Outcome, TaskLimits
from assay.study.interrupt import Interrupt
from assay.study.progress import StudyProgress
from assay.study.spec import Study
from assay.study.task_queue import TaskQueue
from assay.study.task_run import environment

ATTEMPTS = 3
"""A task whose worker ends so often is recorded as lost."""
POLL_SECONDS = 0.5


class Driver:
    """The one process that hands out tasks and writes records; engines only compute."""

    def __init__(
        self,
        study: Study,
        store: Store,
        plan: StudyPlan,
        engine: Engine,
        limits: TaskLimits,
        view: StudyProgress,
    ) -> None:
        self.study, self.store, self.plan = study, store, plan
        self.engine, self.limits, self.view = engine, limits, view
        self.owner = new_owner()
        self.queue = TaskQueue(())
        self.in_flight: dict[str, int] = {}
        """The batch of every task handed out and not back yet."""
        self.handed_out = 0
        self.attempts: Counter[str] = Counter()
        self.elsewhere: list[PlanEntry] = []
        self.renewed = time.monotonic()
        self.workload = study.workload()

    def run(self, todo: Sequence[PlanEntry]) -> None:
        """Until every task has a record, here or from another process."""
        self.queue = TaskQueue(todo)
        kit = Kit()
        with Interrupt() as interrupt:
            try:
                pack_kit(kit, self.study)
                self.engine.start(kit, len(todo))
                while self.queue or self.in_flight or self.elsewhere:
                    interrupt.heed()
                    self._submit()
                    if self.in_flight:
                        self._collect()
                    elif self.elsewhere:
                        self._look_elsewhere()
                    self._renew()
                self.engine.close()
            finally:  # after Ctrl-C too: nothing runs on, nothing stays reserved
                self.engine.cancel()
                kit.remove()
                self.store.release(self.owner)

    def _submit(self) -> None:
        """Reserve and hand out as many batches as the engine can use."""
        while len(set(self.in_flight.values())) < self.engine.slots:
            batch = self.queue.next_batch()
            if not batch:
                return
            mine = self._claimed(batch)
            if mine:
                self.handed_out += 1
                self.in_flight.update(dict.fromkeys([one.key for one in mine], self.handed_out))
                self.engine.submit(mine)

    def _claimed(self, batch: list[PlanEntry]) -> list[PlanEntry]:
        claim = self.store.claim([entry.key for entry in batch], owner=self.owner)
        mine = set(claim.keys)
        others = [entry for entry in batch if entry.key not in mine]
        self.elsewhere += [entry for entry in others if entry.key not in claim.done]
        finished = sum(entry.key in claim.done for entry in others)
        if finished:
            self.view.elsewhere(finished)
        return [entry for entry in batch if entry.key in mine]

    def _collect(self) -> None:
        outcomes = self.engine.as_completed(POLL_SECONDS)
        records = []
        for outcome in outcomes:
            del self.in_flight[outcome.entry.key]
            record = self._judged(outcome)
            if record is not None:
                records.append((outcome.entry, record))
        if records:
            self.store.finish(*[record for _, record in records])
        for entry, record in records:
            self.view.ended(entry, record)

    def _judged(self, outcome: Outcome) -> Record | None:
        """The record of an outcome; None where the task gets another chance."""
        entry, record = outcome.entry, outcome.record
        if record is not None:
            if record.times is not None:
                times = record.times
                self.queue.learn(
                    entry, times.fit_wall + times.predict_wall + times.train_predict_wall
                )
            limit = self.limits.megabytes if record.status == "memory" else None
            attempts = self.attempts[entry.key] + 1
            return msgspec.structs.replace(record, limit=limit, attempts=attempts)
        if outcome.loss in ("timeout", "memory"):
            self.attempts[entry.key] += 1
            seconds = outcome.loss == "timeout"
            limit = self.limits.seconds if seconds else self.limits.megabytes
            return self._lost(entry, outcome.loss, outcome.detail, limit=limit)
        if outcome.loss == "died":
            self.attempts[entry.key] += 1
            if self.attempts[entry.key] >= ATTEMPTS:
                return self._lost(entry, "lost", f"{outcome.detail}, {ATTEMPTS} times")
        self.queue.put(entry, alone=outcome.loss != "unstarted")
        return None

    def _lost(
        self, entry: PlanEntry, status: Status, detail: str, limit: float | None = None
    ) -> Record:
        return Record(
            key=entry.key,
            status=status,
            dataset=self.workload.fingerprints[entry.dataset],
            learner=self.workload.digests[entry.learner],
            seed=self.study.seed,
            environment=environment(),
            error=detail,
            limit=limit,
            attempts=self.attempts[entry.key],
        )

    def _look_elsewhere(self) -> None:
        """Wait for other processes, and take over what they left."""
        time.sleep(POLL_SECONDS)
        waiting, self.elsewhere = self.elsewhere, []
        mine = self._claimed(waiting)
        if mine:
            self.store.release(self.owner)  # they are claimed again, batch by batch
            for entry in mine:
                self.queue.put(entry)

    def _renew(self) -> None:
        now = time.monotonic()
        if now - self.renewed > LEASE_SECONDS / 4:
            self.renewed = now
            self.store.renew(self.owner)


def pack_kit(kit: Kit, study: Study) -> None:
    """Everything a worker needs, as bytes that only workers of this run will read."""
    import cloudpickle  # type: ignore[import-untyped] # also classes of a notebook

    kit.put("study", cloudpickle.dumps(study.workload()))
    for name, data in study.datasets.items():
        kit.put(f"data-{name}", cloudpickle.dumps(data))
