"""The local engine: a dead worker costs one task, and nobody outlives the driver for long."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB

from assay.core.errors import UsageError
from assay.study.driver import pack_kit
from assay.study.engines import engine_for, local, memory
from assay.study.engines.base import THREADS, EngineStopped, Kit, Outcome, TaskLimits
from assay.study.engines.local import LocalEngine, connect
from assay.study.spec import Study
from tests.study.estimators import Delegates, Diary, Hangs, Leaves, Threaded
from tests.support import PATIENCE


def study(folder: Path) -> Study:
    return Study(
        learners={
            "nb": GaussianNB(),
            "slow": Diary(str(folder / "diary"), 0.5),
            "threads": Threaded(str(folder / "threads")),
            "hangs": Hangs(),
            "delegates": Delegates(str(folder)),
            "leaves": Leaves(abruptly=True),
        },
        datasets=["iris"],
        measures=["accuracy"],
    )


class Clock:
    """A clock that stands still, but for what a test adds or each look at it takes."""

    def __init__(self) -> None:
        self.now, self.step = 0.0, 0.0

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The engine's time, so that a busy machine makes no task late."""
    found = Clock()
    monkeypatch.setattr(local, "time", found)
    return found


@contextmanager
def engine(one: Study, **limits: float) -> Iterator[LocalEngine]:
    kit = Kit()
    pack_kit(kit, one)
    found = connect(None, 1, TaskLimits(**limits))
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
    deadline = time.monotonic() + PATIENCE
    while len(outcomes) < count and time.monotonic() < deadline:
        for outcome in found.as_completed(0.5):
            if again and outcome.record is None:
                found.submit([outcome.entry])
            else:
                outcomes.append(outcome)
    return outcomes


def command_lines() -> list[bytes]:
    """Of every process there is."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes())
    return found


class TestLocalEngine:
    def test_a_killed_worker_costs_the_task_it_was_at(self, tmp_path: Path) -> None:
        one = study(tmp_path)
        entries = one.plan().entries
        hangs = next(entry for entry in entries if entry.learner == "hangs")
        nb = [entry for entry in entries if entry.learner == "nb"]
        with engine(one) as found:
            found.submit([nb[0], hangs, nb[1]])
            found.submit([nb[2]])
            (first,) = collected(found, 1)
            assert first.record is not None
            assert first.record.status == "ok"
            pid = found._team[0].process.pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            lost = {outcome.entry: outcome.loss for outcome in collected(found, 3)}
            assert lost == {hangs: "died", nb[1]: "unstarted", nb[2]: "unstarted"}
            found.submit([nb[1], entries[-1]])
            last, left = collected(found, 2)
            assert last.record is not None
            assert last.record.status == "ok"
            assert (left.loss, left.detail) == ("died", "the worker ended (exit code 0)")

    def test_the_time_limit_is_of_one_task_not_of_a_batch(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        one = study(tmp_path)
        slow = [entry for entry in one.plan().entries if entry.learner == "slow"]
        with engine(one, seconds=1.9) as found:
            found.submit(slow[:4])
            left = 4
            while left:
                for outcome in found.as_completed(0.5):
                    assert outcome.record is not None
                    clock.now += 1.0  # each task takes a second: four in all
                    left -= 1

    def test_a_hanging_task_costs_itself_and_the_next_one_runs(
        self, tmp_path: Path, clock: Clock
    ) -> None:
        one = study(tmp_path)
        entries = one.plan().entries
        hangs = next(entry for entry in entries if entry.learner == "hangs")
        with engine(one, seconds=2.0) as found:
            found.submit([hangs, entries[0]])
            clock.step = 0.25
            losses = {outcome.entry: outcome.loss for outcome in collected(found, 2)}
            assert losses == {hangs: "timeout", entries[0]: "unstarted"}
            clock.step = 0.0
            found.submit([entries[0]])
            (again,) = collected(found, 1)
            assert again.record is not None

    def test_memory_held_by_processes_of_a_learner_counts(self, tmp_path: Path) -> None:
        one = study(tmp_path)
        entries = one.plan().entries
        delegates = next(entry for entry in entries if entry.learner == "delegates")
        with engine(one, megabytes=300.0) as found:
            found.submit([delegates, entries[0]])
            first, second = collected(found, 2)
            assert (first.loss, second.loss) == ("memory", "unstarted")
            assert first.detail.endswith("the limit is 300 MB")
        assert [line for line in command_lines() if str(tmp_path).encode() in line] == []

    def test_the_largest_task_is_stopped_when_the_machine_is_full(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A small machine, by what it says of itself."""
        small = tmp_path / "meminfo"
        small.write_text("MemTotal: 1000000 kB\nMemAvailable: 40000 kB\n")
        monkeypatch.setattr(memory, "MEMINFO", small)
        monkeypatch.setattr(memory, "CGROUP", tmp_path / "none")
        one = study(tmp_path)
        entries = one.plan().entries
        slow = next(entry for entry in entries if entry.learner == "slow")
        delegates = next(entry for entry in entries if entry.learner == "delegates")
        with engine(one) as found:
            found.submit([slow])  # holds little: others have filled the machine
            assert collected(found, 1)[0].record is not None
            found.submit([delegates])
            (stopped,) = collected(found, 1)
            assert stopped.loss == "memory"
            assert "the machine had 39 of 977 MB left" in stopped.detail

    def test_a_worker_that_cannot_start_stops_the_run(self, tmp_path: Path) -> None:
        one = study(tmp_path)
        kit = Kit()
        kit.put("study", b"not a pickle")
        found = LocalEngine(1, TaskLimits())
        found.start(kit, 1)
        found.submit(one.plan().entries[:1])
        with pytest.raises(EngineStopped, match="3 workers ended before they were ready"):
            collected(found, 1, again=True)
        found.cancel()
        kit.remove()

    def test_workers_use_one_thread_and_ours_are_left_alone(self, tmp_path: Path) -> None:
        before = {name: os.environ.get(name) for name in THREADS}
        one = study(tmp_path)
        with engine(one) as found:
            found.submit(
                [next(entry for entry in one.plan().entries if entry.learner == "threads")]
            )
            collected(found, 1)
        said, pools = (tmp_path / "threads").read_text().split(" ", 1)
        assert said == "1"
        assert set(json.loads(pools)) == {1}
        assert {name: os.environ.get(name) for name in THREADS} == before


class TestMemory:
    def test_what_we_hold_grows_with_what_we_make(self) -> None:
        before = memory.held(os.getpid())
        kept = bytearray(os.urandom(1)) * (64 << 20)
        after = memory.held(os.getpid())
        assert before is not None
        assert after is not None
        assert after - before > 50 << 20
        assert len(kept) == 64 << 20
        assert memory.held(2**22 + 1) is None

    def test_the_room_is_that_of_the_fuller_of_machine_and_container(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert memory.room() is not None
        monkeypatch.setattr(memory, "CGROUP", tmp_path)
        monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
        assert memory.room() is None
        (tmp_path / "meminfo").write_text("MemTotal: 1000 kB\nMemAvailable: 900 kB\n")
        assert memory.room() == memory.Room(900 * 1024, 1000 * 1024)
        for name, text in (
            ("max", "1000"),
            ("current", "990"),
            ("stat", "anon 1\ninactive_file 20"),
        ):
            (tmp_path / f"memory.{name}").write_text(text)
        assert memory.room() == memory.Room(30, 1000)
        assert memory.Room(30, 1000).scarce


class TestConnect:
    def test_engines_by_url(self) -> None:
        assert isinstance(engine_for(None, workers=2, limits=TaskLimits()), LocalEngine)
        assert isinstance(engine_for("local://", workers=2, limits=TaskLimits()), LocalEngine)
        with pytest.raises(UsageError, match="there is no engine 'spark://x'"):
            engine_for("spark://x", workers=2, limits=TaskLimits())
        with pytest.raises(UsageError, match="takes no address"):
            engine_for("local://elsewhere", workers=2, limits=TaskLimits())
        with pytest.raises(UsageError, match="at least one worker"):
            engine_for(None, workers=0, limits=TaskLimits())


class TestKit:
    def test_parts_by_any_name(self) -> None:
        kit = Kit()
        kit.put("data-a/b ü" + "x" * 300, b"content")
        assert kit.read(kit.names[0]) == b"content"
        kit.remove()
