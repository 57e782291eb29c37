"""Work in processes: one question is one job, it can be stopped, and a dead process is an answer."""

import asyncio
import os
import signal
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

from assay.web import jobs as jobs_module
from assay.web import limits
from assay.web.jobs import Busy, Job, Jobs
from tests.support import PATIENCE, lives, until

Found = TypeVar("Found")


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs(slots=2)
    yield made
    made.close()


def plan_of(n: int) -> dict[str, Any]:
    return {"measure": "accuracy", "options": {"discordant": 0.1, "difference": 0.02, "n": n}}


def run(asking: Coroutine[Any, Any, Found]) -> Found:
    """Run it in a thread of its own: the browser of other tests keeps a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asking).result()


async def ended(job: Job) -> Job:
    await asyncio.wait_for(job.ended.wait(), PATIENCE)
    return job


async def begun(job: Job) -> Job:
    while job.process is None and not job.ended.is_set():
        await asyncio.sleep(0.001)
    return job


def ready(jobs: Jobs) -> BaseProcess:
    """The process that waits for the next answer."""
    jobs.warm()
    until(lambda: jobs._ready is not None)
    assert jobs._ready is not None
    return jobs._ready[1]


def endless(*_: object) -> None:
    """Work that is not done before anyone can stop it."""
    time.sleep(3600)


def telling(pipe: Any, name: str, _: bytes) -> None:
    """Work whose rest is never done, and other work that is."""
    if name == "answer":
        pipe.send_bytes(b'{"early": true}')
        time.sleep(3600)
    pipe.send_bytes(b"{}")


class Clock:
    """A clock that moves when it is told to, however slow the machine is."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class TestJobs:
    def test_the_same_question_is_one_job(self, jobs: Jobs) -> None:
        async def ask() -> list[Job]:
            asked = (jobs.answer("planned", patience=PATIENCE, **plan_of(500)) for _ in range(5))
            return list(await asyncio.gather(*asked))

        found = run(ask())
        assert len({job.key for job in found}) == 1
        assert found[0].answer is not None
        assert found[0].answer["result"]["kind"] == "plan"

    def test_an_error_of_assay_is_an_answer(self, jobs: Jobs) -> None:
        answer = run(
            jobs.answer("planned", patience=PATIENCE, measure="nonsense", options={})
        ).answer
        assert answer is not None
        assert answer["error"]["kind"] == "UsageError"
        assert answer["error"]["field"] == "measure"

    def test_a_defect_is_told_apart(self, jobs: Jobs) -> None:
        with pytest.raises(TypeError):  # a question is plain data, or it is no question
            run(jobs.answer("planned", patience=PATIENCE, measure="accuracy", options={"x": 1j}))

    def test_a_stopped_job_says_so_and_can_be_asked_again(
        self, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def ask() -> tuple[Job, Job]:
            with monkeypatch.context() as patch:
                patch.setattr(jobs_module, "_child", endless)
                first = await begun(jobs.start("planned", **plan_of(501)))
            jobs.stop(first)
            return await ended(first), await jobs.answer(
                "planned", patience=PATIENCE, **plan_of(501)
            )

        first, second = run(ask())
        assert first.answer is not None
        assert first.answer["error"]["kind"] == "stopped"
        assert second.answer is not None
        assert "result" in second.answer

    def test_an_answer_goes_out_of_date_once_it_was_seen(
        self, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = Clock()
        monkeypatch.setattr(jobs_module, "time", clock)

        async def ask() -> list[str]:
            first = await ended(jobs.start("planned", fresh=0.2, **plan_of(506)))
            keys = [first.key]
            for pause in (0.3, 0.1, 0.3):  # nobody has seen it: it waits for who asked
                clock.now += pause
                keys.append((await jobs.answer("planned", fresh=0.2, **plan_of(506))).key)
            return keys

        asked, unseen, again, later = run(ask())
        assert asked == unseen == again != later

    def test_a_process_that_dies_is_an_answer(
        self, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs_module, "_child", endless)

        async def ask() -> Job:
            job = await begun(jobs.start("planned", **plan_of(502)))
            assert job.process is not None
            job.process.kill()
            return await ended(job)

        answer = run(ask()).answer
        assert answer is not None
        assert answer["error"]["kind"] == "limit"

    def test_of_much_evidence_the_verdict_is_told_before_the_rest(
        self, jobs: Jobs, tmp_path: Path
    ) -> None:
        rng = np.random.default_rng(1)
        truth = rng.normal(50.0, 10.0, 30_000).round(3)
        columns = [truth, *(truth + rng.normal(0.0, 2.0 + k, 30_000).round(3) for k in range(2))]
        rows = "\n".join(",".join(map(str, row)) for row in zip(*columns, strict=True))
        (tmp_path / "numbers.csv").write_text(f"truth,a,b\n{rows}\n")
        source = {"kind": "files", "folder": str(tmp_path), "names": ["numbers.csv"]}

        async def both() -> Job:
            job = jobs.start("answer", source=source, reading={}, asking={})
            await asyncio.wait_for(job.told.wait(), PATIENCE)
            return await ended(job)

        job = run(both())
        assert job.early is not None
        assert job.answer is not None
        early, whole = job.early["result"], job.answer["result"]
        assert early["verdicts"][0]["sentence"] == whole["verdicts"][0]["sentence"]
        assert (len(early["also"]), len(whole["also"])) == (0, 2)
        assert "early" not in job.early
        enough = run(jobs.answer("answer", content=0.0, source=source, reading={}, asking={}))
        assert enough is job

    def test_work_that_has_told_its_verdict_makes_room(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs_module, "_child", telling)
        one_at_a_time = Jobs(slots=1)

        async def next_one() -> Job:
            first = one_at_a_time.start("answer")
            await asyncio.wait_for(first.told.wait(), PATIENCE)
            return await ended(one_at_a_time.start("planned"))

        assert run(next_one()).answer == {}
        one_at_a_time.close()

    def test_an_answer_goes_to_the_process_that_waits_for_it(
        self, jobs: Jobs, tmp_path: Path
    ) -> None:
        (tmp_path / "labels.csv").write_text("truth,a,b\n" + "0,0,1\n1,1,1\n" * 30)
        source = {"kind": "files", "folder": str(tmp_path), "names": ["labels.csv"]}
        pid = ready(jobs).pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)  # so that it is still at work when we look

        async def ask() -> tuple[int | None, Job]:
            job = await begun(jobs.start("answer", source=source, reading={}, asking={}))
            at_work = None if job.process is None else job.process.pid
            os.kill(pid, signal.SIGCONT)
            return at_work, await ended(job)

        at_work, job = run(ask())
        assert at_work == pid
        assert job.answer is not None
        assert job.answer["result"]["kind"] == "comparison"
        until(lambda: jobs._ready is not None)  # the next one

    def test_a_waiting_process_that_was_killed_is_replaced(
        self, jobs: Jobs, tmp_path: Path
    ) -> None:
        waiting = ready(jobs)
        waiting.kill()
        waiting.join(PATIENCE)
        source = {"kind": "files", "folder": str(tmp_path), "names": ["none.csv"]}
        asked = jobs.answer("answer", patience=PATIENCE, source=source, reading={}, asking={})
        answer = run(asked).answer
        assert answer is not None
        assert "none.csv" in answer["error"]["message"]

    def test_a_waiting_process_ends_with_the_page(self, jobs: Jobs) -> None:
        waiting = ready(jobs)
        pid = waiting.pid
        jobs.close()
        assert pid is not None
        assert not lives(pid)

    def test_a_waiting_process_ends_when_the_page_was_killed(self, jobs: Jobs) -> None:
        waiting = ready(jobs)
        assert jobs._ready is not None
        jobs._ready[0].close()  # as the system does with all that a killed process held
        waiting.join(PATIENCE)
        assert waiting.exitcode == 0

    def test_time_is_limited(self, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs_module, "_child", endless)
        monkeypatch.setattr(limits, "JOB_SECONDS", 0.0)
        answer = run(jobs.answer("planned", patience=PATIENCE, **plan_of(503))).answer
        assert answer is not None
        assert "longer than" in answer["error"]["message"]

    def test_too_much_at_once_is_refused(self, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "MAX_WAITING", 1)

        async def ask() -> None:
            jobs.start("planned", **plan_of(504))
            jobs.start("planned", **plan_of(505))

        with pytest.raises(Busy):
            run(ask())
