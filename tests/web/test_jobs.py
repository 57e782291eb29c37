"""Work in processes: one question is one job, it can be stopped, and a dead process is an answer."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from assay.web import limits
from assay.web.jobs import Busy, Job, Jobs


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs(slots=2)
    yield made
    made.close()


def plan_of(n: int) -> dict[str, Any]:
    return {"measure": "accuracy", "options": {"discordant": 0.1, "difference": 0.02, "n": n}}


class TestJobs:
    def test_the_same_question_is_one_job(self, jobs: Jobs) -> None:
        async def ask() -> list[Job]:
            asked = (jobs.answer("planned", patience=60, **plan_of(500)) for _ in range(5))
            return list(await asyncio.gather(*asked))

        found = asyncio.run(ask())
        assert len({job.key for job in found}) == 1
        assert found[0].answer is not None
        assert found[0].answer["result"]["kind"] == "plan"

    def test_an_error_of_assay_is_an_answer(self, jobs: Jobs) -> None:
        async def ask() -> Job:
            return await jobs.answer("planned", patience=60, measure="nonsense", options={})

        answer = asyncio.run(ask()).answer
        assert answer is not None
        assert answer["error"]["kind"] == "UsageError"
        assert answer["error"]["field"] == "measure"

    def test_a_defect_is_told_apart(self, jobs: Jobs) -> None:
        async def ask() -> Job:
            return await jobs.answer("planned", patience=60, measure="accuracy", options={"x": 1j})

        with pytest.raises(TypeError):  # a question is plain data, or it is no question
            asyncio.run(ask())

    def test_a_stopped_job_says_so_and_can_be_asked_again(self, jobs: Jobs) -> None:
        async def ask() -> tuple[Job, Job]:
            first = jobs.start("planned", **plan_of(501))
            jobs.stop(first)
            await asyncio.wait_for(first.ended.wait(), 30)
            return first, await jobs.answer("planned", patience=60, **plan_of(501))

        first, second = asyncio.run(ask())
        assert first.answer is not None
        assert first.answer["error"]["kind"] == "stopped"
        assert second.answer is not None
        assert "result" in second.answer

    def test_an_answer_goes_out_of_date_once_it_was_seen(self, jobs: Jobs) -> None:
        async def ask() -> list[str]:
            first = jobs.start("planned", fresh=0.2, **plan_of(506))
            await asyncio.wait_for(first.ended.wait(), 30)
            await asyncio.sleep(0.3)  # nobody has seen it: it waits for who asked
            keys = [first.key]
            for pause in (0.0, 0.3):
                keys.append((await jobs.answer("planned", fresh=0.2, **plan_of(506))).key)
                await asyncio.sleep(pause)
            keys.append((await jobs.answer("planned", fresh=0.2, **plan_of(506))).key)
            return keys

        asked, unseen, again, later = asyncio.run(ask())
        assert asked == unseen == again != later

    def test_a_process_that_dies_is_an_answer(self, jobs: Jobs) -> None:
        async def ask() -> Job:
            job = jobs.start("planned", **plan_of(502))
            while job.process is None:
                await asyncio.sleep(0.001)
            job.process.kill()
            await asyncio.wait_for(job.ended.wait(), 30)
            return job

        answer = asyncio.run(ask()).answer
        assert answer is not None
        assert answer["error"]["kind"] == "limit"

    def test_time_is_limited(self, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "JOB_SECONDS", 0.0)

        async def ask() -> Job:
            return await jobs.answer("planned", patience=60, **plan_of(503))

        answer = asyncio.run(ask()).answer
        assert answer is not None
        assert "longer than" in answer["error"]["message"]

    def test_too_much_at_once_is_refused(self, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "MAX_WAITING", 1)

        async def ask() -> None:
            jobs.start("planned", **plan_of(504))
            jobs.start("planned", **plan_of(505))

        with pytest.raises(Busy):
            asyncio.run(ask())
