"""The local engine: a dead worker costs one task, and nobody outlives the driver for long."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB

from assay.core.errors import UsageError
from assay.study.engines import engine_for
from assay.study.engines.base import THREADS, Kit, Limits, Outcome
from assay.study.engines.local import EngineStopped, LocalEngine, connect
from assay.study.run import pack_kit
from assay.study.spec import Study
from tests.study.estimators import Diary, Leaves


def study(folder: Path) -> Study:
    return Study(
        learners={
            "nb": GaussianNB(),
            "slow": Diary(str(folder / "diary"), 0.5),
            "leaves": Leaves(abruptly=True),
        },
        datasets=["iris"],
        measures=["accuracy"],
    )


@contextmanager
def engine(one: Study, **limits: float) -> Iterator[LocalEngine]:
    kit = Kit()
    pack_kit(kit, one)
    found = connect(None, 1, Limits(**limits))
    found.start(kit, 100)
    try:
        yield found
    finally:
        found.close()
        kit.remove()
        assert not kit.folder.exists()


def collected(found: LocalEngine, count: int, *, again: bool = False) -> list[Outcome]:
    """So many outcomes; with ``again``, what is lost is submitted once more."""
    outcomes: list[Outcome] = []
    deadline = time.monotonic() + 60
    while len(outcomes) < count and time.monotonic() < deadline:
        for outcome in found.as_completed(0.5):
            if again and outcome.record is None:
                found.submit([outcome.entry])
            else:
                outcomes.append(outcome)
    return outcomes


class TestLocalEngine:
    def test_a_killed_worker_costs_the_task_it_was_at(self, tmp_path: Path) -> None:
        one = study(tmp_path)
        entries = one.plan().entries
        slow = [entry for entry in entries if entry.learner == "slow"]
        nb = [entry for entry in entries if entry.learner == "nb"]
        with engine(one) as found:
            found.submit([nb[0], slow[0], nb[1]])
            found.submit([nb[2]])
            (first,) = collected(found, 1)
            assert first.record is not None
            assert first.record.status == "ok"
            pid = found._team[0].process.pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            lost = {outcome.entry: outcome.loss for outcome in collected(found, 3)}
            assert lost == {slow[0]: "died", nb[1]: "unstarted", nb[2]: "unstarted"}
            found.submit([nb[1], entries[-1]])
            last, left = collected(found, 2)
            assert last.record is not None
            assert last.record.status == "ok"
            assert (left.loss, left.detail) == ("died", "the worker ended (exit code 0)")

    def test_the_time_limit_is_of_one_task_not_of_a_batch(self, tmp_path: Path) -> None:
        one = study(tmp_path)
        slow = [entry for entry in one.plan().entries if entry.learner == "slow"]
        with engine(one, seconds=1.9) as found:
            found.submit(slow[:4])  # two seconds in all
            assert all(outcome.record is not None for outcome in collected(found, 4))

    def test_a_worker_that_cannot_start_stops_the_run(self, tmp_path: Path) -> None:
        one = study(tmp_path)
        kit = Kit()
        kit.put("study", b"not a pickle")
        found = LocalEngine(1, Limits())
        found.start(kit, 1)
        found.submit(one.plan().entries[:1])
        with pytest.raises(EngineStopped, match="3 workers ended before they were ready"):
            collected(found, 1, again=True)
        found.cancel()
        kit.remove()

    def test_workers_use_one_thread_and_ours_are_left_alone(self, tmp_path: Path) -> None:
        before = {name: os.environ.get(name) for name in THREADS}
        with engine(study(tmp_path)) as found:
            while not found._team[0].ready:
                found.as_completed(0.1)
            pid = found._team[0].process.pid
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"OMP_NUM_THREADS=1" in environment
        assert {name: os.environ.get(name) for name in THREADS} == before


class TestConnect:
    def test_engines_by_url(self) -> None:
        assert isinstance(engine_for(None, workers=2, limits=Limits()), LocalEngine)
        assert isinstance(engine_for("local://", workers=2, limits=Limits()), LocalEngine)
        with pytest.raises(UsageError, match="there is no engine 'spark://x'"):
            engine_for("spark://x", workers=2, limits=Limits())
        with pytest.raises(UsageError, match="takes no address"):
            engine_for("local://elsewhere", workers=2, limits=Limits())
        with pytest.raises(UsageError, match="at least one worker"):
            engine_for(None, workers=0, limits=Limits())


class TestKit:
    def test_parts_by_any_name(self) -> None:
        kit = Kit()
        kit.put("data-a/b ü" + "x" * 300, b"content")
        assert kit.read(kit.names[0]) == b"content"
        kit.remove()
