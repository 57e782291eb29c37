"""Batches by cost: nothing lost, nothing twice, the dear ones first and alone."""

from hypothesis import given
from hypothesis import strategies as st

from assay.store.record_types import PlanEntry
from assay.study.task_queue import BATCH_SECONDS, MOST, TaskQueue


def entries(datasets: int, learners: int, folds: int) -> list[PlanEntry]:
    return [
        PlanEntry(f"{d}-{n}-{f}", f"d{d}", f"l{n}", 0, f)
        for d in range(datasets)
        for n in range(learners)
        for f in range(folds)
    ]


class TestTaskQueue:
    @given(costs=st.lists(st.floats(1e-5, 10.0), min_size=1, max_size=8), folds=st.integers(1, 100))
    def test_every_task_comes_out_once(self, costs: list[float], folds: int) -> None:
        everything = entries(1, len(costs), folds)
        queue = TaskQueue(everything)
        seen = []
        while batch := queue.next_batch():
            assert len(batch) <= MOST
            for entry in batch:
                queue.learn(entry, costs[int(entry.learner[1:])])
                seen.append(entry.key)
        assert sorted(seen) == sorted(entry.key for entry in everything)
        assert len(queue) == 0

    def test_one_of_each_kind_first_then_the_dearest(self) -> None:
        queue = TaskQueue(entries(1, 2, 100))
        first = [queue.next_batch() for _ in range(2)]
        assert [[one.learner for one in batch] for batch in first] == [["l0"], ["l1"]]
        queue.learn(first[0][0], 0.002)
        queue.learn(first[1][0], 1.0)
        assert [one.learner for one in queue.next_batch()] == ["l1"]
        rest = []
        while batch := queue.next_batch():
            rest.append([one.learner for one in batch])
        assert rest[:98] == [["l1"]] * 98
        assert rest[98:] == [["l0"] * round(BATCH_SECONDS / 0.002), ["l0"] * 49]

    def test_short_tasks_of_several_kinds_travel_together(self) -> None:
        queue = TaskQueue(entries(10, 1, 3))
        for batch in [queue.next_batch() for _ in range(10)]:
            queue.learn(batch[0], 0.001)
        assert len(queue.next_batch()) == 20

    def test_a_suspect_goes_alone_and_first(self) -> None:
        queue = TaskQueue(entries(1, 1, 5))
        suspect = PlanEntry("suspect", "d0", "l0", 0, 9)
        queue.put(suspect, alone=True)
        assert queue.next_batch() == [suspect]
